// Micro-kernels that share a packed RHS, such as a GEMM and its GEMV: a program that switches between them sees the
// same bits, except for those of which docs/arithmetic.md says that they compute differently. These are
// tested too: they must differ.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "kai/call.hpp"
#include "kai/kai_call.h"
#include "kai/kai_registry.h"
#include "test/reference/formats.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/operands.hpp"
#include "test/support/recent.hpp"

using reference::Format;
using reference::Side;
using test::Data;
using test::Random;

namespace {

bool has(const kai_ukernel& u, const char* part) {
    return std::strstr(u.name, part) != nullptr;
}

/// Which of the orders of operations of docs/arithmetic.md a kernel has, among those that share its operands.
const char* arithmetic_of(const kai_ukernel& u, size_t bl) {
    if (has(u, "_qai8dxp1x") && (has(u, "_1x4vl_") || has(u, "_1x16vs_sme_dot"))) {
        return "product and sum with the bias are an fma";
    }
    if (has(u, "qsi8d32p4x8_qsi4c32p4x8") && has(u, "_neon_i8mm") && bl == 32) {
        return "f32(S) * lhs_scale is rounded";
    }
    if (has(u, "_bf16p") && has(u, "_1x36_neon_dot")) {
        return "even and odd pairs in two sums";
    }
    if (has(u, "_1x8vl_sme_mla") && std::strcmp(u.lhs_format, "f16") == 0) {
        return "one k at a time";
    }
    if (has(u, "_f16p2vlx2b_") && has(u, "_neon_fmlal")) {
        return "even and odd k in two sums";
    }
    if (std::strncmp(u.rhs_format, "f8", 2) == 0) {
        return has(u, "_f8f32mm")     ? "eight k at a time"
               : has(u, "_1x12_")     ? "several sums of k"
               : has(u, "_neon_mmla") ? "pairs of k"
                                      : "one k at a time";
    }
    if (std::strstr(u.family, "_sumf32") != nullptr) {
        return "sums in f32";
    }
    if (has(u, "_8vsx8_sve_i8mm") && bl > 256) {
        return "a long block is one sum";
    }
    if (has(u, "nxk_6x4_sve_mla") && kai_get_sve_vector_length_u8() > 16) {
        return "as many sums as a vector has lanes";
    }
    return "";
}

/// Kernels whose operands are the same numbers, and the RHS the same bytes.
std::string operands_of(const kai_ukernel& u) {
    const Format &lhs = *reference::find_format(u.lhs_format), &rhs = *reference::find_format(u.rhs_format);
    // Rows of floats are the same numbers, packed or not; uint8 and int8 are not.
    const bool is_uint8 = std::strcmp(u.lhs_format, "uint8") == 0;
    const std::string numbers = lhs.plain && !is_uint8 ? std::to_string(lhs.element) : u.lhs_format;
    return numbers + " x " + u.rhs_format + " " + std::to_string(u.get_nr()) + " " + std::to_string(u.get_kr()) + "/" +
           std::to_string(u.get_sr()) + " to " + std::to_string(u.dst_type) + (rhs.blocks ? " in blocks" : "");
}

class Agreement : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const Format* rhs_format = reference::find_format(u.rhs_format);

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
    }

    /// The kernel that the others are compared with: the first one with the common order of operations.
    const kai_ukernel* first(size_t bl) const {
        for (const kai_ukernel* other : test::all_ukernels()) {
            if (!kai::is_depthwise(*other) && kai_registry_runnable(other->features, nullptr, 0) &&
                operands_of(*other) == operands_of(u) && *arithmetic_of(*other, bl) == 0) {
                return other;
            }
        }
        return nullptr;
    }

    /// What a kernel that others are compared with returns.
    static const std::vector<uint8_t>& results_of(const kai_ukernel& first, const Side& lhs, const Side& rhs) {
        struct Results {
            const kai_ukernel* of;
            Side lhs, rhs;
            std::vector<uint8_t> bytes;
        };
        static test::Recent<Results> recent;
        const uint64_t key = test::key_of(lhs.fingerprint(), rhs.fingerprint());
        const auto is_same = [&](const Results& r) {
            return r.of == &first && r.lhs.is_same(lhs) && r.rhs.is_same(rhs);
        };
        return recent.get(key, is_same, [&] { return Results{&first, lhs, rhs, run(first, lhs, rhs)}; }).bytes;
    }

    static std::vector<uint8_t> run(
        const kai_ukernel& u, const Side& lhs, const Side& rhs, float clamp_max = INFINITY) {
        const Format &lhs_format = *reference::find_format(u.lhs_format),
                     &rhs_format = *reference::find_format(u.rhs_format);
        const bool indirect = kai::is_indirect(u), by_pointers = kai::takes_pointers(u);
        const size_t m = lhs.rows, n = rhs.rows, k = rhs.k, group = u.get_kr() / u.get_sr();
        const reference::Tile lhs_tile =
            lhs_format.packed ? reference::Tile{u.get_mr(), u.get_kr(), u.get_sr()} : reference::Tile{1, 1, 1};
        const std::vector<uint8_t> l = test::packed(
            lhs_format, indirect && lhs_format.packed ? reference::with_padded_chunks(lhs, 1, group) : lhs, lhs_tile);
        const std::vector<uint8_t> r = test::packed(
            rhs_format, indirect ? reference::with_padded_chunks(rhs, 1, group) : rhs,
            {u.get_nr(), u.get_kr(), u.get_sr()});
        const size_t step = u.get_m_step(), row = k * lhs_format.bits() / 8;
        std::vector<const uint8_t*> table((m + step - 1) / step * step, l.data());
        for (size_t i = 0; i < m; ++i) {
            table[i] = l.data() + i * row;
        }
        const size_t element = kai_get_datatype_size_in_bytes(u.dst_type);
        std::vector<uint8_t> dst(m * n * element);
        // Kernels for one row: row by row.
        const bool one_row = has(u, "_1x") && m > 1 && !by_pointers;
        for (size_t i = 0; i < (one_row ? m : 1); ++i) {
            const std::vector<uint8_t> part =
                one_row ? test::packed(lhs_format, lhs.part(i, 1), lhs_tile) : std::vector<uint8_t>();
            static constexpr kai_matmul_requantize32_params kRequantise = {-128, 127, 0};
            static constexpr int32_t kMultiplier = 1 << 30, kShift = -10;
            kai_matmul_lowp_params lowp = {};
            lowp.lhs_offset = -77, lowp.rhs_offset = 3;
            lowp.multiplier = &kMultiplier, lowp.shift = &kShift;
            lowp.result_offset = 5, lowp.min_value = -100, lowp.max_value = 200;
            const float scale = 1;
            kai::KernelArgs args = {};
            args.m = one_row ? 1 : m, args.n = n, args.bl = rhs.bl;
            kai::set_depth(args, k);
            args.lhs = by_pointers ? static_cast<const void*>(table.data()) : one_row ? part.data() : l.data();
            args.lhs_stride = kai::is_unified(u) ? 0 : row;
            args.rhs = r.data(), args.rhs_stride = rhs_format.packed ? 0 : rhs_format.line(n, k);
            args.dst = dst.data() + i * n * element, args.dst_stride_row = n * element, args.dst_stride_col = element;
            args.clamp = u.dst_type != kai_dt_int32, args.clamp_min = -INFINITY, args.clamp_max = clamp_max;
            static constexpr kai_matmul_offsets kOffsets = {-77, 3, nullptr, nullptr, nullptr};
            args.requantize = &kRequantise, args.lowp = &lowp, args.offsets = &kOffsets, args.acc_scale = &scale;
            kai::run(u, args, kai::Direct{});
        }
        return dst;
    }
};

TEST_P(Agreement, SameBitsWhereDocumented) {
    if (kai::is_depthwise(u)) {
        return;  // no other kernel takes its weights
    }
    const bool blocks = kai::has_blocks(u);  // of several lengths
    struct Depth {
        size_t k, bl;
    };
    // Blocks of 320: some kernels add equal parts of at most 256.
    const std::vector<Depth> depths = blocks
                                          ? std::vector<Depth>{{32, 32}, {160, 32}, {192, 64}, {512, 512}, {640, 320}}
                                      : u.k_multiple != 0 ? std::vector<Depth>{{u.k_multiple, 0}, {5 * u.k_multiple, 0}}
                                                          : std::vector<Depth>{{32, 0}, {161, 0}};
    std::map<std::string, bool> differs;
    for (const auto& [k, any_bl] : depths) {
        const size_t bl = rhs_format->only_bl != 0 ? rhs_format->only_bl : any_bl;
        const kai_ukernel* const other = first(bl);
        if (other == nullptr || other == &u) {
            continue;
        }
        const std::string arithmetic = arithmetic_of(u, bl);
        for (const Data data : {Data::random, Data::large}) {
            Random random(k + bl);
            const Side lhs = test::make_side(
                *reference::find_format(u.lhs_format), data, 20, k, blocks ? bl : rhs_format->block, random);
            Side rhs = test::make_side(*rhs_format, data, 43, k, bl, random);
            if (rhs.table.size() == 4) {
                rhs.table = {-2, -1, 0, 1};
            }
            for (float& scale : rhs.scale) {  // what the format keeps of it
                scale = reference::as_stored(rhs_format->scale_type, scale * rhs_format->stored_scale) /
                        rhs_format->stored_scale;
            }
            const bool same = run(u, lhs, rhs) == results_of(*other, lhs, rhs);
            if (arithmetic.empty()) {
                EXPECT_TRUE(same) << "differs from " << other->name << ": k = " << k << ", bl = " << bl;
            }
            differs[arithmetic] |= !same;
        }
    }
    for (const auto& [arithmetic, any] : differs) {
        if (!arithmetic.empty() && u.dst_type == kai_dt_f32) {  // narrower results may hide it
            EXPECT_TRUE(any) << "docs/arithmetic.md sets it apart: " << arithmetic;
        }
    }
}

/// A negative NaN with a payload.
float other_nan() {
    const uint32_t bits = 0xFFD23456;
    float nan = 0;
    std::memcpy(&nan, &bits, sizeof(nan));
    return nan;
}

// Kernels that read panels of SME without an SME unit have the bits of those that need one, for one row and for many:
// the GEMM layer gives tiles to whichever core is free. Others say so, and differ (f32: narrower results may hide it).
TEST_P(Agreement, PanelsOfSmeHaveItsBits) {
    if (u.size_only_features == 0) {
        EXPECT_EQ(u.other_bits, 0u);
        return;
    }
    bool differs = false;
    const auto is_for_one = [](const kai_ukernel& x) { return x.rows != KAI_ROWS_MANY; };
    const bool rows_lie = reference::find_format(u.lhs_format)->plain;
    size_t compared = 0;
    for (const kai_ukernel* other : test::all_ukernels()) {
        // Rows of floats: a kernel that packs them is in another family.
        const bool same_family = other->family == u.family || (rows_lie && !kai::is_unified(*other));
        const bool is_of_sme = (kai::run_features(*other) >> KAI_CPU_SME & 1) != 0;
        if (!same_family || !is_of_sme || is_for_one(*other) != is_for_one(u) ||
            !kai_registry_runnable(other->features, nullptr, 0) || operands_of(*other) != operands_of(u)) {
            continue;
        }
        ++compared;
        SCOPED_TRACE(other->name);
        struct Depth {
            size_t k, bl, rows;
        };
        // A scale per channel: the last depth has sums that 16 times the products would overflow, where a kernel adds
        // those. In blocks: more rows and more blocks than are computed at a time, blocks that are longer than these.
        const std::vector<Depth> channels = {{0, 0, 23},   {1, 0, 23},    {32, 0, 23},
                                             {161, 0, 23}, {2049, 0, 23}, {140000, 0, 2}};
        const std::vector<Depth> blocks = {{0, 32, 23},    {32, 32, 133},  {1184, 32, 23},  {192, 64, 7},
                                           {768, 256, 12}, {1536, 768, 6}, {1536, 256, 67}, {8320, 4160, 23}};
        const std::vector<Depth> floats = {{0, 0, 23}, {1, 0, 23}, {32, 0, 6}, {161, 0, 23}, {1027, 0, 7}};
        const bool in_blocks = kai::has_blocks(u) || rhs_format->block != 0;
        for (const auto& [k, any_bl, any_rows] : in_blocks ? blocks : rows_lie ? floats : channels) {
            const bool deep = k > (size_t{1} << 16);
            const size_t only = rhs_format->only_bl != 0 ? rhs_format->only_bl : rhs_format->block;
            if (in_blocks && only != 0 && (k % only != 0 || (k != 0 && any_bl > only))) {
                continue;
            }
            const bool all_rows = u.rows == KAI_ROWS_MANY || !(in_blocks || rows_lie);
            const size_t bl = only != 0 ? only : any_bl, rows = all_rows ? any_rows : 1;
            for (const Data data : {Data::random, Data::large}) {
                if (deep && data == Data::random) {
                    continue;
                }
                Random random(k + 1);
                const size_t columns = deep ? 3 : u.get_nr() + 43;
                Side lhs = test::make_side(*reference::find_format(u.lhs_format), data, rows, k, bl, random);
                Side rhs = test::make_side(*rhs_format, data, columns, k, bl, random);
                if (rhs.table.size() == 4 && u.dst_type == kai_dt_int8) {
                    rhs.table = {-2, -1, 0, 1};  // the only one
                }
                if (u.other_bits != 0) {
                    differs |= run(u, lhs, rhs) != run(*other, lhs, rhs);
                    continue;
                }
                // Floats: SME makes every NaN the default one.
                if (!lhs.values.empty() && !rhs.values.empty() && data == Data::large) {
                    lhs.values.front() = NAN, lhs.values.back() = other_nan();
                    rhs.values.front() = 0, rhs.values.back() = INFINITY;
                }
                if (deep) {  // all the largest ones
                    std::fill(lhs.values.begin(), lhs.values.end(), -128.0f);
                    std::fill(rhs.values.begin(), rhs.values.end(), rhs_format->bits() == 4 ? -8.0f : 127.0f);
                }
                const std::vector<uint8_t> results = run(*other, lhs, rhs);
                EXPECT_EQ(run(u, lhs, rhs), results) << "k = " << k << ", bl = " << bl;
                if (in_blocks && k > 1024 && u.dst_type == kai_dt_f32) {  // a bound that sums of some blocks are beyond
                    std::vector<float> values(results.size() / sizeof(float));
                    std::memcpy(values.data(), results.data(), results.size());
                    const float bound = *std::max_element(values.begin(), values.end()) / 4;
                    EXPECT_EQ(run(u, lhs, rhs, bound), run(*other, lhs, rhs, bound)) << "clamped, k = " << k;
                }
            }
        }
    }
    const bool is_only_one = is_for_one(u) && std::strncmp(u.rhs_format, "f8", 2) == 0;  // SME has no row of FP8
    EXPECT_EQ(compared == 0, is_only_one);
    if (u.dst_type == kai_dt_f32) {
        EXPECT_EQ(differs, u.other_bits != 0);
    }
}

// Kernels that begin inside a panel give the columns that they give with the whole one, wherever they begin and end,
// and touch nothing else; kai_call_run begins there, and goes on in the panels that follow.
TEST_P(Agreement, ColumnsInsideAPanelHaveItsBits) {
    if (u.run_columns == nullptr) {
        EXPECT_EQ(u.column_step, 0u);
        // One row of integers on panels of SME: plans divide it while it runs.
        const bool floats = std::strchr("bf", u.lhs_format[0]) != nullptr;
        EXPECT_TRUE(u.size_only_features == 0 || u.rows == KAI_ROWS_MANY || floats);
        return;
    }
    ASSERT_NE(u.column_step, 0u);
    const size_t nr = u.get_nr(), step = u.column_step, element = kai_get_datatype_size_in_bytes(u.dst_type);
    ASSERT_EQ(u.get_n_step(), nr);
    if (nr < step) {
        ASSERT_EQ(step % nr, 0u);
        return;  // no column is inside
    }
    ASSERT_EQ(nr % step, 0u);
    const Format& lhs_format = *reference::find_format(u.lhs_format);
    const size_t kr = u.get_kr(), sr = u.get_sr();
    const reference::Tile lhs_tile = lhs_format.packed ? reference::Tile{u.get_mr(), kr, sr} : reference::Tile{1, 1, 1},
                          rhs_tile = {nr, kr, sr};
    const size_t n = nr + step + 3;  // the second panel is not full
    struct Depth {
        size_t k, bl;
    };
    const bool in_blocks = kai::has_blocks(u) || rhs_format->block != 0;
    const size_t only = rhs_format->only_bl != 0 ? rhs_format->only_bl : rhs_format->block;
    const int32_t table[] = {-3, 5, 0, 2};
    const int32_t* const lut = kai::has_lut(u) ? table : nullptr;
    const std::vector<Depth> depths = lut != nullptr ? std::vector<Depth>{{0, 0}, {32, 0}, {160, 0}}
                                      : !in_blocks   ? std::vector<Depth>{{0, 0}, {1, 0}, {161, 0}, {512, 0}}
                                      : only != 0    ? std::vector<Depth>{{0, only}, {only, only}, {3 * only, only}}
                                                     : std::vector<Depth>{{0, 32}, {32, 32}, {96, 32}, {768, 256}};
    for (const Depth& depth : depths) {
        const size_t k = depth.k, bl = depth.bl;
        Random random(k + 3);
        const Side lhs = test::make_side(lhs_format, Data::random, 1, k, bl, random);
        Side rhs = test::make_side(*rhs_format, Data::random, n, k, bl, random);
        if (!rhs.table.empty() && u.dst_type == kai_dt_int8) {
            rhs.table = {-2, -1, 0, 1};  // the only one
        }
        const test::GuardedBuffer l(test::packed(lhs_format, lhs, lhs_tile)),
            r(test::packed(*rhs_format, rhs, rhs_tile));
        std::vector<uint8_t> want(n * element);
        kai_call call = {};
        call.ukernel = &u, call.m = 1, call.n = n, call.k = k, call.bl = bl, call.lhs_packed = l.data(),
        call.lhs = l.data(), call.rhs_packed = r.data(), call.dst = want.data(), call.dst_stride = n * element;
        call.lut = lut, call.clamp = true, call.clamp_min = -INFINITY, call.clamp_max = INFINITY;
        call.requantize = {-100, 90, 3};
        kai_call_run(&call, 0, 0, 1, n);
        const auto check = [&](size_t first, size_t count, auto compute) {
            const test::GuardedBuffer dst(count * element);
            compute(dst);
            const auto* from = want.data() + first * element;
            EXPECT_EQ(dst.bytes(), std::vector<uint8_t>(from, from + count * element))
                << "k = " << k << ", columns " << first << " to " << first + count - 1;
        };
        for (size_t first = 0; first < nr; first += step) {
            for (const size_t count : {nr - first, size_t{1}, step - 1, step}) {
                check(first, count, [&](const test::GuardedBuffer& dst) {
                    test::checked_call(
                        u.run_columns, 1, first, count, k, bl, l.data(), r.data(), dst.data(), count * element, element,
                        -INFINITY, INFINITY, lut, &call.requantize);
                });
            }
        }
        for (size_t first = step; first < n; first += step) {
            for (const size_t count : {n - first, std::min(n - first, nr - 1)}) {
                check(first, count, [&](const test::GuardedBuffer& dst) {
                    const std::vector<uint8_t> before(n * element);
                    std::vector<uint8_t> all = before;
                    call.dst = all.data();
                    kai_call_run(&call, 0, first, 1, count);
                    std::copy_n(all.data() + first * element, count * element, dst.data());
                    std::fill_n(all.data() + first * element, count * element, uint8_t{0});
                    EXPECT_EQ(all, before) << "other columns";
                });
            }
        }
    }
}

// K x N, unpacked: one chain of fma per element, as with panels whose bias is +0.
TEST_P(Agreement, PlainIsPackedWithoutBias) {
    const bool to_f32 = u.dst_type == kai_dt_f32, of_f16 = std::strcmp(u.lhs_format, "f16") == 0;
    const kai_ukernel* packed = kai_registry_find_ukernel(
        to_f32 && of_f16                              ? "matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fcvtl"
        : to_f32                                      ? "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla"
        : std::strstr(u.family, "_sumf32") != nullptr ? "matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fcvtl"
                                                      : "matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla");
    if (u.signature != KAI_UKERNEL_MATMUL_PLAIN || !kai::is_kxn(u)) {
        return;
    }
    ASSERT_NE(packed, nullptr);
    for (const size_t k : {size_t{1}, size_t{32}, size_t{161}}) {
        Random random(k);
        const Side lhs = test::make_side(*reference::find_format(u.lhs_format), Data::random, 20, k, 0, random);
        Side rhs = test::make_side(*reference::find_format(packed->rhs_format), Data::random, 43, k, 0, random);
        std::fill(rhs.bias.begin(), rhs.bias.end(), 0.0f);
        EXPECT_EQ(run(u, lhs, rhs), results_of(*packed, lhs, rhs)) << "k = " << k;
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Agreement, testing::ValuesIn(test::all_ukernels()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Agreement);

}  // namespace
