// Empty problems: no rows, no columns, no channels. Every micro-kernel and packer reads and writes nothing then and
// takes NULL for every operand, and so it does for an operand that has no bytes because k is 0.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "kai/call.hpp"
#include "kai/kai_registry.h"
#include "kai/ukernels/families.h"
#include "kai/ukernels/matmul/kai_matmul.h"
#include "test/reference/formats.hpp"
#include "test/reference/matmul.hpp"
#include "test/reference/quantise.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/packing.hpp"
#include "test/support/subject.hpp"

using test::checked_call;
using test::checked_call_as;
using test::GuardedBuffer;

namespace {

/// Non-zero sizes: within a tile, more than a tile, and more than kernels process at a time.
constexpr size_t kSizes[] = {1, 4, 16, 37, 131};

size_t element_size(const kai_ukernel& u) {
    return kai_get_datatype_size_in_bytes(u.dst_type);
}

/// Depths and lengths of blocks; 8192 is deeper than what kernels buffer.
struct Depth {
    size_t k, bl;
};
const std::vector<Depth> kDepths = {{0, 32}, {32, 32}, {96, 32}, {128, 64}, {8192, 32}};
const std::vector<Depth> kAnyDepths = {{0, 0}, {1, 0}, {9, 0}, {83, 0}, {8192, 0}};

// ---- micro-kernels ----

class EmptyMatmul : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const bool unified = kai::is_unified(u);
    const bool one_row = u.rows == KAI_ROWS_ONE;

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
    }

    const std::vector<Depth>& depths() const {
        static const std::vector<Depth> whole = {{0, 0}, {256, 0}, {8192, 0}};
        static const std::vector<Depth> blocks_of_32 = {{0, 32}, {32, 32}, {96, 32}, {8192, 32}};
        if (reference::find_format(u.rhs_format)->only_bl == 32) {
            return blocks_of_32;
        }
        return kai::has_blocks(u) || u.k_multiple == 32 ? kDepths : u.k_multiple != 0 ? whole : kAnyDepths;
    }

    struct Pointers {
        const void *lhs, *rhs;
        void* dst;
        const kai_matmul_requantize32_params* params;  // of int8 results
        const int32_t* table = nullptr;
    };

    void call(size_t m, size_t n, Depth depth, Pointers p, float lo, float hi) {
        if (kai::is_depthwise(u)) {
            return call_depthwise(m, n, n, p, lo, hi);
        }
        const bool empty = m == 0 || n == 0;
        const float scale = 1;
        kai::KernelArgs a = {};
        a.m = m, a.n = n, a.bl = depth.bl;
        set_depth(a, depth.k);
        a.lhs = p.lhs, a.rhs = p.rhs, a.dst = p.dst;
        a.lhs_stride = unified ? 0 : depth.k * kai::element_bits(u.lhs_format) / 8;
        a.rhs_stride = kai::rhs_is_packed(u) ? 0 : kai::line_size(u, n, depth.k);
        a.lhs_ptr_offset = 64;
        a.dst_stride_col = element_size(u), a.dst_stride_row = n * a.dst_stride_col;
        a.clamp = u.dst_type != kai_dt_int32 && !empty;
        a.clamp_min = lo, a.clamp_max = hi;
        a.requantize = p.params;
        static constexpr int32_t kZero = 0;
        kai_matmul_lowp_params lowp = {};
        lowp.multiplier = lowp.shift = &kZero;
        if (p.params != nullptr) {
            lowp.min_value = p.params->min_value, lowp.max_value = p.params->max_value;
            a.lowp = &lowp;
        }
        static constexpr kai_matmul_offsets kNoOffsets = {};
        a.offsets = empty ? nullptr : &kNoOffsets;
        a.lut = p.table;
        a.acc_scale = empty ? nullptr : &scale;
        kai::run(u, a, test::Checked{}, test::substitute_of(u));
    }

    /// A table of pointers has two chunks.
    template <typename Args>
    static void set_depth(Args& a, size_t k) {
        kai::set_depth(a, k, k % 2 == 0 ? 2 : 1);
    }

    /// An output of `rows` x `columns` pixels; as many of the input. (Without channels: fewer columns than those.)
    void call_depthwise(size_t rows, size_t columns, size_t channels, Pointers p, float lo, float hi) {
        const size_t pixel = channels * element_size(u), row = columns * pixel, one = 1;
        if (u.signature == KAI_UKERNEL_DWCONV_TILES) {
            const size_t filter = kai_registry_dwconv_tile(&u)->filter_width;
            return checked_call_as<kai_run_dwconv_tiles_fn>(
                test::run_of(u), rows, channels, filter * filter, one, static_cast<const void* const*>(p.lhs),
                static_cast<const void*>(nullptr), size_t{64}, p.rhs, static_cast<void* const*>(p.dst), size_t{64}, lo,
                hi);
        }
        if (u.signature == KAI_UKERNEL_DWCONV_TILES_QAI8) {
            const size_t filter = kai_registry_dwconv_tile(&u)->filter_width;
            return checked_call_as<kai_run_dwconv_tiles_qai8_fn>(
                test::run_of(u), rows, channels, filter * filter, one, static_cast<const void* const*>(p.lhs),
                static_cast<const void*>(nullptr), size_t{64}, p.rhs, static_cast<void* const*>(p.dst), size_t{64},
                p.params);
        }
        if (u.dst_type == kai_dt_f32) {
            return checked_call_as<kai_dwconv_clamp_f32_f32_f32p_run_fn>(
                test::run_of(u), p.lhs, p.rhs, p.dst, row, pixel, row, pixel, rows, rows, one, one, 0.0F, lo, hi);
        }
        checked_call_as<kai_dwconv_clamp_f16_f16_f16p_run_fn>(
            test::run_of(u), p.lhs, p.rhs, p.dst, channels, rows, columns, rows, columns, one, one, row, pixel, row,
            pixel, lo, hi);
    }

    void expect_nothing_is_read(const Pointers& p) {
        for (const Depth depth : depths()) {
            for (const size_t size : kSizes) {
                call(0, size, depth, p, -1, 1);
                call(one_row ? 1 : size, 0, depth, p, -1, 1);
            }
            call(0, 0, depth, p, -1, 1);
            if (HasFailure()) {
                FAIL() << "k = " << depth.k << ", bl = " << depth.bl;
            }
        }
    }

    /// Bytes of an operand without padding between panels: the offset of the first index past the end.
    size_t rhs_bytes(size_t n) {
        if (!kai::rhs_is_packed(u)) {
            return 0;
        }
        const size_t nr = u.get_nr();
        kai::KernelArgs a = {};
        set_depth(a, 0);
        a.n = n, a.bl = 32;
        a.index = (n + nr - 1) / nr * nr;
        return kai::rhs_offset(u, a, test::Checked{});
    }
    size_t lhs_bytes(size_t m) {
        const reference::Format& format = *reference::find_format(u.lhs_format);
        if (!format.packed) {
            return 0;
        }
        const size_t mr = u.get_mr();
        return (m + mr - 1) / mr * format.stride({mr, u.get_kr(), u.get_sr(), 0, kai::has_blocks(u) ? 32u : 0u});
    }
};

constexpr kai_matmul_requantize32_params kBounds = {-3, 5, 1};

TEST_P(EmptyMatmul, TakesNull) {
    expect_nothing_is_read({nullptr, nullptr, nullptr, &kBounds});
}

TEST_P(EmptyMatmul, ReadsNothing) {
    const GuardedBuffer lhs(0), rhs(0), dst(0);
    expect_nothing_is_read({lhs.data(), rhs.data(), dst.data(), &kBounds});
}

// Packed operands of zero bytes.
TEST_P(EmptyMatmul, ZeroDepthTakesNull) {
    if (kai::is_depthwise(u)) {
        return;
    }
    const kai_matmul_requantize32_params bounds = {3, 5, 0};  // of a result that is 0
    for (const size_t m : {size_t{1}, size_t{5}, size_t{37}}) {
        for (const size_t n : {size_t{1}, size_t{41}}) {
            if (one_row && m > 1) {
                continue;
            }
            const GuardedBuffer lhs(lhs_bytes(m), test::Flush::end, 0), rhs(rhs_bytes(n), test::Flush::end, 0),
                dst(m * n * element_size(u));
            call(
                m, n, {0, 32},
                {lhs.size() == 0 ? nullptr : lhs.data(), rhs.size() == 0 ? nullptr : rhs.data(), dst.data(), &bounds},
                3, 5);
            for (size_t i = 0; i < m * n; ++i) {
                ASSERT_EQ(
                    reference::load(dst.data() + i * element_size(u), u.dst_type), u.dst_type == kai_dt_int32 ? 0 : 3)
                    << "element " << i << " of " << m << " x " << n;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, EmptyMatmul, testing::ValuesIn(test::all_ukernels()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EmptyMatmul);

/// The same for other arguments. Not for mutants, which read them.
class EmptyArguments : public EmptyMatmul {};

TEST_P(EmptyArguments, TakeNullParameters) {
    expect_nothing_is_read({nullptr, nullptr, nullptr, nullptr});
}

// The unified API: flags ask for bounds that are missing.
TEST_P(EmptyArguments, TakeNoBounds) {
    if (!unified || u.dst_type == kai_dt_int32) {
        return;
    }
    for (const auto& [m, n] : {std::pair{size_t{0}, size_t{5}}, {1, 0}, {0, 0}}) {
        kai_matmul_uker_args args = {};
        args.flags = KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP;
        args.shape = {m, n, 8};
        checked_call(kai::api_of(u).run, nullptr, &args);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, EmptyArguments, testing::ValuesIn(test::all_ukernels()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EmptyArguments);

// An image without rows: all results come from the padding.
TEST_P(EmptyArguments, DepthwiseOfNoRowsIsTheBias) {
    if (u.signature != KAI_UKERNEL_DWCONV) {
        return;
    }
    const size_t element = element_size(u), w = u.get_nr(), channels = w + 3, pixel = channels * element;
    const size_t none = 0, one = 1, rows = 2, columns = 5;
    const GuardedBuffer rhs(2 * w * 10 * element, test::Flush::end, 0), dst(rows * columns * pixel);
    const void* src = nullptr;
    if (u.dst_type == kai_dt_f32) {
        checked_call_as<kai_dwconv_clamp_f32_f32_f32p_run_fn>(
            u.run, src, rhs.data(), dst.data(), columns * pixel, pixel, columns * pixel, pixel, none, rows, one, rows,
            0.0F, 3.0F, 5.0F);
    } else {
        checked_call_as<kai_dwconv_clamp_f16_f16_f16p_run_fn>(
            u.run, src, rhs.data(), dst.data(), channels, none, columns, rows, columns, one, one, columns * pixel,
            pixel, columns * pixel, pixel, 3.0F, 5.0F);
    }
    for (size_t i = 0; i < rows * columns * channels; ++i) {
        ASSERT_EQ(reference::load(dst.data() + i * element, u.dst_type), 3) << "element " << i;
    }
}

// ---- packers ----

class EmptyPack : public testing::TestWithParam<const kai_packer*> {
protected:
    const kai_packer& p = *GetParam();
    std::vector<reference::Tile> tiles;

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(p);
        tiles = test::tiles_of(p);
        ASSERT_FALSE(tiles.empty()) << "add a tile";
    }

    struct Pointers {
        const void *source, *scale;
        void* packed;
    };

    /// Rows of an LHS or columns of an RHS.
    void call(reference::Tile t, size_t count, Depth depth, Pointers a) {
        const size_t k = depth.k;
        if (kai::is_depthwise(p)) {
            const size_t height = k > 0 ? 3 : 0, width = 3;
            if (p.signature == KAI_RHS_DWCONV_PACK_QS8CX_I32) {
                static constexpr kai_rhs_pack_qsi8cx_params kParams = {1, 1.0F};
                return checked_call_as<kai_run_rhs_dwconv_pack_qs8cx_i32_fn>(
                    test::run_of(p), height, width, count, a.source, static_cast<const void*>(nullptr), a.scale,
                    a.packed, &kParams);
            }
            return checked_call_as<kai_run_rhs_dwconv_pack_fn>(
                test::run_of(p), height, width, height, width, count, a.source, static_cast<const void*>(nullptr),
                a.packed);
        }
        kai::PackerArgs args = kai::packer_args();
        args.count = count, args.bl = depth.bl;
        kai::set_depth(args, k, k % 2 == 0 ? 2 : 1);
        args.rows = t.rows, args.kr = t.kr, args.sr = t.sr;
        args.source = a.source, args.packed = a.packed;
        args.stride = test::has_block_sums(p) ? (test::is_kxn(p) ? (count + 1) / 2 : k / 2)
                                              : (test::is_kxn(p) ? count : k) * test::element_size(p);
        args.lhs_ptr_offset = 64;
        static constexpr int8_t kTable[16] = {};
        args.table = count == 0 ? nullptr : kTable;
        args.zero = a.scale;
        args.scale = kai::is_unified(p) && !test::is_requantising(p) ? nullptr : a.scale;
        args.scale_stride = depth.bl == 0 ? 0 : k / depth.bl * kai::block_scale_size(p);
        kai::RhsParams params;
        args.params = kai::make_params(p, params, 1, 0, 1.0F);
        const int32_t minus_one = -1;
        const float one = 1;
        if (test::is_requantising(p)) {
            args.k_sum_scale_global = &minus_one, args.scale_global = &one;
        }
        kai::run(p, args, test::Checked{}, test::substitute_of(p));
    }

    const std::vector<Depth>& depths() const {
        // 8192 is a multiple of everything that packers require.
        static const std::vector<Depth> whole = {{0, 32}, {256, 32}, {8192, 32}};
        if (kai::is_file(p) || test::fixed_block(p) != 0) {
            return whole;
        }
        static const std::vector<Depth> some = {{0, 32}, {32, 32}, {96, 32}, {8192, 32}};
        return test::has_blocks(p) || kai::has_lut(p) || kai::has_table(p) ? some : kAnyDepths;
    }
    void expect_nothing_is_read(const Pointers& a) {
        for (const reference::Tile& t : tiles) {
            for (const Depth depth : depths()) {
                call(t, 0, depth, a);
                if (HasFailure()) {
                    FAIL() << "k = " << depth.k << ", bl = " << depth.bl << ", " << t.rows << " x " << t.kr << " / "
                           << t.sr;
                }
            }
        }
    }
    size_t packed_bytes(reference::Tile t, size_t count) {
        return kai::is_depthwise(p)
                   ? checked_call_as<kai_get_rhs_dwconv_size_fn>(p.get_packed_size, size_t{0}, size_t{3}, count)
                   : test::packed_size(p, t, count, 0, depths()[0].bl);
    }
};

TEST_P(EmptyPack, TakesNull) {
    expect_nothing_is_read({nullptr, nullptr, nullptr});
}

TEST_P(EmptyPack, ReadsNothing) {
    const GuardedBuffer source(0), scale(0), packed(0);
    expect_nothing_is_read({source.data(), scale.data(), packed.data()});
}

// k = 0: the source has no bytes, and in some formats neither have the packed rows.
TEST_P(EmptyPack, ZeroDepthTakesNull) {
    for (const reference::Tile& t : tiles) {
        for (const size_t count : {size_t{1}, size_t{41}}) {
            if (count > 1 && std::strstr(p.name, "_bf16p1x4_") != nullptr) {
                continue;  // packs one row
            }
            const bool by_channel = !test::has_blocks(p) && !test::is_lhs(p);
            const GuardedBuffer scale(by_channel ? count * sizeof(float) : 0, test::Flush::end, 0),
                packed(packed_bytes(t, count));
            call(
                t, count, depths()[0],
                {nullptr, by_channel ? scale.data() : nullptr, packed.size() == 0 ? nullptr : packed.data()});
            // What is packed are biases, scales and sums: all zero, and the fields of rows of zeros; or a table.
            const bool all_zero = !test::is_lhs(p) && std::strstr(p.format, "qlu4") == nullptr;
            for (size_t i = 0; i < packed.size() && all_zero; ++i) {
                ASSERT_EQ(packed.data()[i], 0) << "byte " << i << " of " << count << " columns";
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Packers, EmptyPack, testing::ValuesIn(test::all_packers()), test::instance_name<kai_packer>);

}  // namespace
