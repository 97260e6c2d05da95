// The message for a wrong argument: the function that was called, the values, a sentence, and nothing else (no path of
// the machine that built the library). Micro-kernels and LHS packers check in builds with assertions; RHS packers, and
// flags of the unified API, in every build. Here: all micro-kernels, and the packers whose panels are whole vectors.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <signal.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "kai/call.hpp"
#include "kai/kai_registry.h"
#include "kai/ukernels/families.h"
#include "kai/ukernels/matmul/kai_matmul.h"
#include "test/support/coverage.hpp"
#include "test/support/library_build.hpp"
#include "test/support/packing.hpp"
#include "test/support/ending.hpp"
#include "test/support/said.hpp"

namespace {

using kai::as;

/// Expects an abort after exactly this message.
void expect_refused(const std::function<void()>& call, const std::string& function, const std::string& message) {
    const test::Ending ending = test::ending_of(call);
    EXPECT_EQ(ending.signal, SIGABRT);
    EXPECT_EQ(ending.text, function + ": " + message + "\n");
}
#define EXPECT_REFUSED(call, function, message)                              \
    do {                                                                     \
        SCOPED_TRACE(#call);                                                 \
        expect_refused([&] { static_cast<void>(call); }, function, message); \
    } while (0)

std::string number(size_t x) {
    return std::to_string(x);
}

// ---- micro-kernels ----

class KernelPreconditions : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const std::string run = std::string("kai_run_") + u.name, name = u.name;
    const bool unified = kai::is_unified(u), depthwise = kai::is_depthwise(u), indirect = kai::is_indirect(u);
    const bool by_pointers = kai::takes_pointers(u), rows = !kai::lhs_is_packed(u) && !by_pointers;
    const bool lhs_has_blocks = kai::lhs_has_blocks(u), rhs_has_blocks = kai::has_blocks(u);
    const size_t element = kai_get_datatype_size_in_bytes(u.dst_type);

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
    }

    /// An empty problem, apart from the wrong argument.
    struct Call {
        size_t m, n, k, bl, element;
        float lo = -1, hi = 1;
    };
    Call good() const {
        return {0, 0, 256, 32, element};
    }
    void call(const Call& c) const {
        if (unified) {
            return call_unified(c, u.dst_type == kai_dt_int32 ? 0 : KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP);
        }
        if (depthwise) {
            return call_depthwise(c, 4, 0);
        }
        static uint8_t nothing[4] = {};
        const kai_matmul_requantize32_params params = {static_cast<int32_t>(c.lo), static_cast<int32_t>(c.hi), 0};
        kai::KernelArgs a = args_of(c.k, c.bl);
        a.m = c.m, a.n = c.n;
        a.lhs = a.rhs = a.dst = nothing;
        a.lhs_stride = c.k * 4;
        a.dst_stride_row = c.n * c.element, a.dst_stride_col = c.element;
        a.clamp_min = c.lo, a.clamp_max = c.hi;
        a.requantize = &params;
        static constexpr int32_t kZero = 0;
        kai_matmul_lowp_params lowp = {};
        lowp.multiplier = lowp.shift = &kZero;
        lowp.min_value = params.min_value, lowp.max_value = params.max_value;
        static constexpr kai_matmul_offsets kNoOffsets = {};
        a.lowp = &lowp, a.offsets = &kNoOffsets;
        kai::run(u, a, kai::Direct{});
    }
    static kai::KernelArgs args_of(size_t k, size_t bl, size_t index = 0) {
        kai::KernelArgs a = {};
        kai::set_depth(a, k);
        a.bl = bl, a.index = index;
        return a;
    }
    void call_unified(const Call& c, uint64_t flags, bool has_bounds = true) const {
        const int32_t whole[2] = {static_cast<int32_t>(c.lo), static_cast<int32_t>(c.hi)};
        const bool integers = u.dst_type == kai_dt_int8;
        kai_matmul_uker_args args = {};
        args.flags = flags;
        args.shape = {c.m, c.n, c.k};
        if (has_bounds) {
            args.activation.clamp.min_ptr = integers ? static_cast<const void*>(&whole[0]) : &c.lo;
            args.activation.clamp.max_ptr = integers ? static_cast<const void*>(&whole[1]) : &c.hi;
        }
        const kai_matmul_uker_config config = {{c.bl}};
        as<kai_get_matmul_uker_api_fn>(u.run)().run(rhs_has_blocks ? &config : nullptr, &args);
    }
    void call_depthwise(const Call& c, size_t in_stride_col, float pad_value) const {
        if (kai_registry_dwconv_tile(&u) != nullptr) {
            const size_t filter = kai_registry_dwconv_tile(&u)->filter_width;
            return call_tiles(c, c.n, filter * filter, 1);
        }
        if (u.dst_type == kai_dt_f32) {
            as<kai_dwconv_clamp_f32_f32_f32p_run_fn>(u.run)(
                nullptr, nullptr, nullptr, 0, in_stride_col, 0, 4, 0, 0, 0, 0, pad_value, c.lo, c.hi);
        } else {
            as<kai_dwconv_clamp_f16_f16_f16p_run_fn>(u.run)(
                nullptr, nullptr, nullptr, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, c.lo, c.hi);
        }
    }
    void call_tiles(const Call& c, size_t n, size_t k, size_t multiplier) const {
        if (u.signature == KAI_UKERNEL_DWCONV_TILES_QAI8) {
            const kai_matmul_requantize32_params params = {static_cast<int32_t>(c.lo), static_cast<int32_t>(c.hi), 0};
            as<kai_run_dwconv_tiles_qai8_fn>(u.run)(
                c.m, n, k, multiplier, nullptr, nullptr, 0, nullptr, nullptr, 0, &params);
            return;
        }
        as<kai_run_dwconv_tiles_fn>(u.run)(c.m, n, k, multiplier, nullptr, nullptr, 0, nullptr, nullptr, 0, c.lo, c.hi);
    }
    kai_matmul_uker_api api() const {
        return as<kai_get_matmul_uker_api_fn>(u.run)();
    }
    std::string creator() const {
        return "kai_" + name;
    }

    /// Offset getters, called by the arguments that they have in common.
    size_t lhs_offset(size_t m_idx, size_t k, size_t bl) const {
        kai::KernelArgs a = args_of(k, bl, m_idx);
        a.lhs_stride = unified && lhs_has_blocks ? 0 : k;
        return kai::lhs_offset(u, a, kai::Direct{});
    }
    size_t rhs_offset(size_t n_idx, size_t k, size_t bl) const {
        return kai::rhs_offset(u, args_of(k, bl, n_idx), kai::Direct{});
    }
    std::string lhs_getter() const {
        // In one family it has the name of a packed one.
        const bool offset = (rows || by_pointers) && name != "matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot";
        return (offset ? "kai_get_lhs_offset_" : "kai_get_lhs_packed_offset_") + name;
    }
    std::string rhs_getter() const {
        return (kai::rhs_is_packed(u) ? "kai_get_rhs_packed_offset_" : "kai_get_rhs_offset_") + name;
    }
};

// Skipped if this build does not check (main.cpp).
class AssertedPreconditions : public KernelPreconditions {};

TEST_P(AssertedPreconditions, AnEmptyProblemIsFine) {
    call(good());
}

TEST_P(AssertedPreconditions, WholeBlocks) {
    const Call base = good();
    Call c = base;
    if (u.k_multiple != 0) {
        const std::string why = SAID(not_multiple, "k", 250, u.k_multiple);
        c.k = 250;
        EXPECT_REFUSED(call(c), run, why);
        EXPECT_REFUSED(lhs_offset(0, 250, 0), lhs_getter(), why);
        if (kai::rhs_is_packed(u)) {  // else the getter takes a stride
            EXPECT_REFUSED(rhs_offset(0, 250, 0), rhs_getter(), why);
        }
    }
    if (!rhs_has_blocks) {
        return;
    }
    const std::string function = unified ? creator() : run;
    c.k = 250;
    EXPECT_REFUSED(call(c), function, SAID(not_multiple_of, "k", 250, "bl", 32));
    c = base;
    c.bl = 48;
    EXPECT_REFUSED(call(c), function, SAID(not_multiple, "bl", 48, 32));
    c.bl = 0;
    EXPECT_REFUSED(call(c), function, SAID(zero, "bl"));
    if (const size_t only = reference::find_format(u.rhs_format)->only_bl; only != 0) {
        c.bl = 64;
        EXPECT_REFUSED(call(c), function, SAID(other, "bl", 64, 32));
    }
    if (unified) {  // whose getters round up
        EXPECT_EQ(rhs_offset(u.get_nr(), 250, 32), rhs_offset(u.get_nr(), 256, 32));
        if (lhs_has_blocks) {
            EXPECT_EQ(lhs_offset(u.get_mr(), 250, 32), lhs_offset(u.get_mr(), 256, 32));
        }
        return;
    }
    EXPECT_REFUSED(rhs_offset(0, 250, 32), rhs_getter(), SAID(not_multiple_of, "k", 250, "bl", 32));
    EXPECT_REFUSED(rhs_offset(0, 256, 48), rhs_getter(), SAID(not_multiple, "bl", 48, 32));
    if (lhs_has_blocks) {
        EXPECT_REFUSED(lhs_offset(0, 250, 32), lhs_getter(), SAID(not_multiple_of, "k", 250, "bl", 32));
        EXPECT_REFUSED(lhs_offset(0, 256, 0), lhs_getter(), SAID(zero, "bl"));
    }
}

TEST_P(AssertedPreconditions, BoundsInOrder) {
    if (u.dst_type == kai_dt_int32) {
        return;
    }
    Call c = good();
    // Parameters are not read in an empty problem: a row of no depth, of whole panels that stand still.
    const bool integers = u.dst_type == kai_dt_int8 || u.dst_type == kai_dt_uint8, reads_bounds = integers || unified;
    c.m = c.n = reads_bounds ? 1 : 0;
    c.lo = 2, c.hi = 1;
    EXPECT_REFUSED(call(c), unified ? creator() : run, SAID(bounds_out_of_order, 2.0, 1.0));
    if (!integers) {
        c.lo = -INFINITY, c.hi = NAN;
        EXPECT_REFUSED(call(c), unified ? creator() : run, SAID(bounds_out_of_order, c.lo, c.hi));
    }
}

TEST_P(AssertedPreconditions, ElementsSideBySide) {
    if (unified || depthwise || indirect) {
        return;  // there is no dst_stride_col
    }
    Call c = good();
    c.element = element + 4;
    EXPECT_REFUSED(call(c), run, SAID(element_stride, element + 4, element));
}

TEST_P(AssertedPreconditions, OneRow) {
    if (u.rows != KAI_ROWS_ONE) {
        return;
    }
    Call c = good();
    c.m = 2;
    EXPECT_REFUSED(call(c), unified ? creator() : run, SAID(many_rows, 2));
}

TEST_P(AssertedPreconditions, OffsetsOfSteps) {
    if (unified || depthwise) {
        return;
    }
    const size_t mr = by_pointers ? u.get_m_step() : u.get_mr(), nr = u.get_nr();
    const char* const mr_name = by_pointers ? "m_step" : "mr";
    if (mr > 1 && !rows) {
        EXPECT_REFUSED(lhs_offset(mr + 1, 256, 32), lhs_getter(), SAID(not_multiple_of, "m_idx", mr + 1, mr_name, mr));
    }
    const bool packed = kai::rhs_is_packed(u);
    EXPECT_REFUSED(
        rhs_offset(1, 256, 32), rhs_getter(),
        SAID(not_multiple_of, "n_idx", 1, packed ? "nr" : "n_step", packed ? nr : u.get_n_step()));
    const std::string dst_getter = "kai_get_dst_offset_" + name;
    const size_t m_step = u.get_m_step(), n_step = u.get_n_step();
    if (m_step > 1) {
        EXPECT_REFUSED(
            u.get_dst_offset(m_step - 1, 0, 100), dst_getter,
            SAID(not_multiple_of, "m_idx", m_step - 1, "m_step", m_step));
    }
    EXPECT_REFUSED(
        u.get_dst_offset(0, n_step + 1, 100), dst_getter, SAID(not_multiple_of, "n_idx", n_step + 1, "n_step", n_step));
}

TEST_P(AssertedPreconditions, TheUnifiedApi) {
    if (!unified) {
        return;
    }
    if (u.dst_type == kai_dt_int32) {
        EXPECT_REFUSED(call_unified(good(), KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP), creator(), SAID(no_clamp, 0x10000));
    } else {
        Call c = good();
        c.m = c.n = 1;
        EXPECT_REFUSED(
            call_unified(c, KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP, false), creator(), SAID(clamp_bound, "min_ptr"));
    }
    const kai_matmul_uker_lhs_dim_args lhs_index = {0, 8};
    const kai_matmul_uker_lhs_stride_args lhs_stride = {64};
    EXPECT_REFUSED(api().get_lhs_offset(nullptr, &lhs_index, &lhs_stride), creator(), SAID(whole_depth, 8));
    const kai_matmul_uker_rhs_dim_args rhs_index = {0, 8};
    const kai_matmul_uker_rhs_stride_args rhs_stride = {64};
    EXPECT_REFUSED(api().get_rhs_offset(nullptr, &rhs_index, &rhs_stride), creator(), SAID(whole_depth, 8));
}

TEST_P(AssertedPreconditions, Depthwise) {
    if (kai_registry_dwconv_tile(&u) != nullptr) {
        const kai_dwconv_tile& tile = *kai_registry_dwconv_tile(&u);
        const size_t taps = tile.filter_height * tile.filter_width;
        if (tile.any_multiplier) {
            EXPECT_REFUSED(call_tiles(good(), 4, 9, 0), run, SAID(zero, "multiplier"));
            EXPECT_REFUSED(call_tiles(good(), 4, 9, 3), run, SAID(not_multiple_of, "n", 4, "multiplier", 3));
        } else {
            EXPECT_REFUSED(call_tiles(good(), 4, taps + 1, 1), run, SAID(other, "k", taps + 1, taps));
            EXPECT_REFUSED(call_tiles(good(), 4, taps, 2), run, SAID(other, "multiplier", 2, 1));
        }
        return;
    }
    if (u.signature != KAI_UKERNEL_DWCONV || u.dst_type != kai_dt_f32) {
        return;
    }
    EXPECT_REFUSED(call_depthwise(good(), 8, 0), run, SAID(differ, "in_stride_col", 8, "dst_stride_col", 4));
    EXPECT_REFUSED(call_depthwise(good(), 4, 1.5F), run, SAID(pad_value, 1.5));
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, AssertedPreconditions, testing::ValuesIn(test::all_ukernels()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AssertedPreconditions);

// Checked in every build: otherwise an unknown flag would be ignored silently.
TEST_P(KernelPreconditions, NoUnknownFlags) {
    if (unified) {
        EXPECT_REFUSED(call_unified(good(), 0x10001), creator(), SAID(unknown_flags, 0x1));
        EXPECT_REFUSED(call_unified(good(), uint64_t{1} << 40), creator(), SAID(unknown_flags, 0x10000000000));
    }
}

TEST_P(KernelPreconditions, AConfigWhereThereAreBlocks) {
    if (!unified || !rhs_has_blocks) {
        return;
    }
    kai_matmul_uker_args args = {};
    api().run(nullptr, &args);  // empty: nothing is read
    args.shape = {1, 1, 32};
    EXPECT_REFUSED(api().run(nullptr, &args), creator(), SAID(null, "config"));
    const kai_matmul_uker_rhs_dim_args shape = {1, 32};
    EXPECT_REFUSED(api().get_rhs_stride(nullptr, &shape), creator(), SAID(null, "config"));
    if (reference::find_format(u.rhs_format)->only_bl != 0) {  // strides do not depend on what the config says
        EXPECT_EQ(rhs_offset(u.get_nr(), 256, 64), rhs_offset(u.get_nr(), 256, 32));
    }
    if (lhs_has_blocks) {
        const kai_matmul_uker_lhs_dim_args rows = {1, 32};
        EXPECT_REFUSED(api().get_lhs_stride(nullptr, &rows), creator(), SAID(null, "config"));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, KernelPreconditions, testing::ValuesIn(test::all_ukernels()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KernelPreconditions);

// ---- packers ----

std::vector<const kai_packer*> packers_of_vectors() {
    std::vector<const kai_packer*> packers;
    for (const kai_packer* p : test::all_packers()) {
        if (((p->features >> KAI_CPU_SME | p->features >> KAI_CPU_SVE) & 1) != 0) {
            packers.push_back(p);
        }
    }
    return packers;
}

class PackerPreconditions : public testing::TestWithParam<const kai_packer*> {
protected:
    const kai_packer& p = *GetParam();
    const std::string run = (test::is_unified(p) ? "kai_" : "kai_run_") + std::string(p.name);
    const bool requantises = test::is_requantising(p), kxn = test::is_kxn(p);
    reference::Tile tile;

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(p);
        ASSERT_FALSE(test::tiles_of(p).empty());
        tile = test::tiles_of(p)[0];
    }

    static constexpr size_t kColumns = 3;
    const size_t depth = kai::is_file(p) ? 256 : 8;
    size_t line() const {
        return kai::line_size(p, kColumns, depth, 0);
    }

    /// A valid call, to be changed. (Operands are not read before everything is checked.)
    struct Call {
        size_t num_groups, nr, kr, sr, extra, stride, panel;
        const void *rhs, *bias, *scale, *params, *multiplier, *sum_scale;
        void* packed;
        uint64_t flags;
        size_t bl = 0;
    };
    Call good() const {
        static float something[4] = {};
        const void* const some = requantises ? something : nullptr;
        return {1,    tile.rows, tile.kr, tile.sr, 0,         line(), size_t{1} << 20, something, nullptr,
                some, some,      some,    some,    something, 0};
    }
    void call(const Call& c) const {
        kai::PackerArgs a = kai::packer_args();
        a.num_groups = c.num_groups, a.extra_bytes = c.extra;
        a.count = kColumns;
        kai::set_depth(a, depth, 2);
        a.rows = c.nr, a.kr = c.kr, a.sr = c.sr, a.bl = c.bl;
        a.source = c.rhs, a.stride = c.stride, a.packed = c.packed;
        a.bias = c.bias, a.scale = a.no_scale = c.scale, a.params = a.no_params = c.params;
        if (test::is_unified(p)) {
            const bool one_panel = c.panel > 100;
            a.flags = c.flags;
            a.count = one_panel ? kColumns : tile.rows + 1;
            a.stride = one_panel ? c.stride : size_t{1} << 16;
            a.packed_stride = c.panel;
            a.scale_global = c.multiplier, a.k_sum_scale_global = c.sum_scale;
        }
        kai::run(p, a, kai::Direct{});
    }
};

/// Sets `member` of a valid call to `value` and expects `message`.
#define EXPECT_WRONG(member, value, message)       \
    do {                                           \
        Call wrong = good();                       \
        wrong.member = value;                      \
        EXPECT_REFUSED(call(wrong), run, message); \
    } while (0)

TEST_P(PackerPreconditions, ShapesOfTheRhs) {
    if (test::is_lhs(p) || test::is_unified(p) || test::is_indirect(p) || kai::is_depthwise(p)) {
        return;
    }
    EXPECT_WRONG(num_groups, 2, SAID(other, "num_groups", 2, 1));
    EXPECT_WRONG(nr, tile.rows + 1, "nr = " + number(tile.rows + 1) + ", not " + number(tile.rows));
    EXPECT_WRONG(kr, tile.kr + 1, "kr = " + number(tile.kr + 1) + ", not " + number(tile.kr));
    EXPECT_WRONG(extra, 4, SAID(other, "extra_bytes", 4, 0));
    if ((p.features >> KAI_CPU_SME & 1) != 0) {
        EXPECT_WRONG(sr, 2, SAID(other, "sr", 2, 1));
    }
}

TEST_P(PackerPreconditions, OperandsOfTheRhs) {
    if (test::is_lhs(p) || kai::is_depthwise(p)) {
        return;
    }
    static const float something[4] = {};
    const bool unified = test::is_unified(p);
    EXPECT_WRONG(rhs, nullptr, SAID(null, "rhs"));
    EXPECT_WRONG(packed, nullptr, SAID(null, "rhs_packed"));
    const std::string stride = !unified ? "rhs_stride" : kxn ? "rhs.stride.k" : "rhs.stride.n";
    EXPECT_WRONG(stride, line() - 1, SAID(short_stride, stride.c_str(), line() - 1, line(), "row"));
    const std::string scale = unified ? "scale_n" : "scale";
    if (requantises) {
        EXPECT_WRONG(scale, nullptr, SAID(null, scale.c_str()));
    } else if (!test::is_indirect(p) && !unified) {
        EXPECT_WRONG(scale, something, SAID(no_place, scale.c_str()));
    }
    if (unified) {
        EXPECT_WRONG(flags, 1, SAID(unknown_flags, 0x1));
        if (test::has_blocks(p)) {  // whose panels are dense where the stride is less
            EXPECT_REFUSED(call(good()), run, SAID(zero, "bl"));
            EXPECT_WRONG(bl, 32, SAID(not_multiple_of, "k", depth, "bl", 32));
            kai_matmul_pack_rhs_uker_args args = {};
            args.shape.n = 1;
            EXPECT_REFUSED(
                as<kai_get_matmul_pack_rhs_uker_api_fn>(p.run)().run(nullptr, &args), run, SAID(null, "config"));
            return;
        }
        EXPECT_WRONG(
            panel, 7, SAID(short_stride, "rhs_packed.stride.n", 7, test::packed_size(p, tile, 1, depth, 0), "panel"));
        if (kai::is_file(p)) {
            kai_matmul_pack_rhs_uker_args args = {};
            args.shape = {1, 255};
            args.operand.rhs.ptr = args.operand.rhs_packed.ptr = good().packed;
            const auto pack = as<kai_get_matmul_pack_rhs_uker_api_fn>(p.run)().run;
            EXPECT_REFUSED(pack(nullptr, &args), run, SAID(not_multiple, "k", 255, 256));
        }
        if (requantises) {
            EXPECT_WRONG(multiplier, nullptr, SAID(null, "scale_global"));
            EXPECT_WRONG(sum_scale, nullptr, SAID(null, "k_sum_scale_global"));
        }
    } else if (requantises) {
        EXPECT_WRONG(params, nullptr, SAID(null, "params"));
    } else if (!test::is_indirect(p)) {
        EXPECT_WRONG(params, something, SAID(no_place, "params"));
    }
}

TEST_P(PackerPreconditions, Depthwise) {
    if (!kai::is_depthwise(p)) {
        return;
    }
    static float something[4];
    if (p.signature == KAI_RHS_DWCONV_PACK_QS8CX_I32) {
        static constexpr kai_rhs_pack_qsi8cx_params kParams = {1, 1.0F};
        const auto pack = as<kai_run_rhs_dwconv_pack_qs8cx_i32_fn>(p.run);
        EXPECT_REFUSED(pack(3, 3, 1, nullptr, nullptr, something, something, &kParams), run, SAID(null, "rhs"));
        EXPECT_REFUSED(pack(3, 3, 1, something, nullptr, nullptr, something, &kParams), run, SAID(null, "scale"));
        EXPECT_REFUSED(pack(3, 3, 1, something, nullptr, something, nullptr, &kParams), run, SAID(null, "rhs_packed"));
        EXPECT_REFUSED(pack(3, 3, 1, something, nullptr, something, something, nullptr), run, SAID(null, "params"));
        return;
    }
    const auto pack = as<kai_run_rhs_dwconv_pack_fn>(p.run);
    EXPECT_REFUSED(pack(3, 3, 3, 4, 1, something, nullptr, something), run, SAID(other_filter, 3, 4, 3, 3));
    EXPECT_REFUSED(pack(3, 3, 3, 3, 1, nullptr, nullptr, something), run, SAID(null, "rhs"));
    EXPECT_REFUSED(pack(3, 3, 3, 3, 1, something, nullptr, nullptr), run, SAID(null, "rhs_packed"));
}

TEST_P(PackerPreconditions, TheLhs) {
    if (test::is_lhs(p) && test::is_unified(p)) {
        kai_matmul_pack_lhs_uker_args args = {};
        args.flags = 2;
        EXPECT_REFUSED(
            as<kai_get_matmul_pack_lhs_uker_api_fn>(p.run)().run(nullptr, &args), run, SAID(unknown_flags, 0x2));
    }
    if (!test::library_asserts || p.signature != KAI_LHS_PACK) {
        return;
    }
    const auto pack = as<kai_run_lhs_pack_fn>(p.run);
    const size_t mr = tile.rows, kr = tile.kr, sr = tile.sr;
    EXPECT_REFUSED(
        pack(0, 8, mr + 1, kr, sr, 0, nullptr, 32, nullptr), run, "mr = " + number(mr + 1) + ", not " + number(mr));
    EXPECT_REFUSED(
        pack(0, 8, mr, kr + 1, sr, 0, nullptr, 32, nullptr), run, "kr = " + number(kr + 1) + ", not " + number(kr));
    EXPECT_REFUSED(pack(0, 8, mr, kr, 2, 0, nullptr, 32, nullptr), run, SAID(other, "sr", 2, 1));
    if (std::strstr(p.name, "bf16") == nullptr) {
        EXPECT_REFUSED(pack(0, 8, mr, kr, sr, 3, nullptr, 32, nullptr), run, SAID(row_start, 3));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Packers, PackerPreconditions, testing::ValuesIn(packers_of_vectors()), test::instance_name<kai_packer>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PackerPreconditions);

}  // namespace
