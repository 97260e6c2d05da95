// Empty problems: no rows, no columns, no channels. Every micro-kernel and packer reads and writes nothing then and
// takes NULL for every operand, and so it does for an operand that has no bytes because k is 0.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

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
#include "tools/registry_call.hpp"

using test::checked_call;
using test::checked_call_as;
using test::GuardedBuffer;

namespace {

/// Sizes that are not 0: within a tile, more than one, and more than kernels take at a time.
constexpr size_t kSizes[] = {1, 4, 16, 37, 131};

size_t element_size(const kai_ukernel& u) {
    return kai_get_datatype_size_in_bytes(u.dst_type);
}

/// Depths and lengths of blocks; 8192 is deeper than what kernels put aside.
struct Depth {
    size_t k, bl;
};
const std::vector<Depth> kDepths = {{0, 32}, {32, 32}, {96, 32}, {128, 64}, {8192, 32}};
const std::vector<Depth> kAnyDepths = {{0, 0}, {1, 0}, {9, 0}, {83, 0}, {8192, 0}};

// ---- micro-kernels ----

class EmptyMatmul : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const bool unified = u.signature == KAI_UKERNEL_UNIFIED;
    const bool one_row = std::strstr(u.name, "_1x") != nullptr;
    kai_matmul_uker_api api = {};

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
        if (unified) {
            api = reinterpret_cast<kai_get_matmul_uker_api_fn*>(u.run)();
            if (test::substitute_kernel != nullptr) {
                api.run = reinterpret_cast<decltype(api.run)>(test::run_of(u));
            }
        }
    }

    const std::vector<Depth>& depths() const {
        return kai_tools::has_blocks(u) || u.signature == KAI_UKERNEL_MATMUL_LUT ? kDepths : kAnyDepths;
    }

    struct Pointers {
        const void *lhs, *rhs;
        void* dst;
        const kai_matmul_requantize32_params* params;  // of int8 results
        const int32_t* table = nullptr;
    };

    void call(size_t m, size_t n, Depth depth, Pointers p, float lo, float hi) {
        const auto [k, bl] = depth;
        const size_t element = element_size(u), stride = n * element;
        // Where there is a table, it is of two chunks.
        const size_t count = k % 2 == 0 ? 2 : 1, length = k / count;
        kai_any_fn* run = unified ? nullptr : test::run_of(u);
        switch (u.signature) {
            case KAI_UKERNEL_MATMUL:
                return checked_call_as<kai_run_matmul_fn>(run, m, n, k, p.lhs, p.rhs, p.dst, stride, element, lo, hi);
            case KAI_UKERNEL_MATMUL_BL:
            case KAI_UKERNEL_MATMUL_RHS_BL:
                return checked_call_as<kai_run_matmul_bl_fn>(
                    run, m, n, k, bl, p.lhs, p.rhs, p.dst, stride, element, lo, hi);
            case KAI_UKERNEL_MATMUL_LUT:
                return checked_call_as<kai_run_matmul_lut_f32_fn>(
                    run, m, n, k, p.lhs, p.rhs, static_cast<float*>(p.dst), stride, element, lo, hi, p.table);
            case KAI_UKERNEL_MATMUL_ROWS:
                return checked_call_as<kai_run_matmul_rows_fn>(
                    run, m, n, k, p.lhs, k * kai_tools::element_size(u.lhs_format), p.rhs, p.dst, stride, element, lo,
                    hi);
            case KAI_UKERNEL_MATMUL_QAI8:
            case KAI_UKERNEL_MATMUL_ROWS_QAI8:
                return checked_call_as<kai_run_matmul_qai8_fn>(
                    run, m, n, k, p.lhs, p.rhs, p.dst, stride, element, p.params);
            case KAI_UKERNEL_IMATMUL:
                return checked_call_as<kai_run_imatmul_fn>(
                    run, m, n, count, length, p.lhs, p.rhs, p.dst, stride, lo, hi);
            case KAI_UKERNEL_IMATMUL_QAI8:
                return checked_call_as<kai_run_imatmul_qai8_fn>(
                    run, m, n, count, length, p.lhs, p.rhs, p.dst, stride, p.params);
            case KAI_UKERNEL_IMATMUL_ROWS:
                return checked_call_as<kai_run_imatmul_rows_fn>(
                    run, m, n, count, length, p.lhs, static_cast<const void*>(nullptr), size_t{64}, p.rhs, p.dst,
                    stride, lo, hi);
            case KAI_UKERNEL_UNIFIED:
                return call_unified(m, n, k, p, lo, hi);
            case KAI_UKERNEL_DWCONV:
                return call_depthwise(m, n, n, p, lo, hi);
        }
        FAIL() << "not a signature of this suite";
    }

    void call_unified(size_t m, size_t n, size_t k, Pointers p, float lo, float hi) {
        const kai_matmul_uker_lhs_dim_args lhs_shape = {m, k};
        const kai_matmul_uker_rhs_dim_args rhs_shape = {n, k};
        const bool empty = m == 0 || n == 0, integers = u.dst_type == kai_dt_int8;
        const float scale = 1;
        kai_matmul_uker_args args = {};
        args.shape = {m, n, k};
        args.operand.dst = {p.dst, {n * element_size(u)}};
        args.operand.lhs = {p.lhs, api.get_lhs_stride(nullptr, &lhs_shape)};
        args.operand.rhs = {p.rhs, api.get_rhs_stride(nullptr, &rhs_shape)};
        args.operand.scale.acc_scale_global.ptr = empty ? nullptr : &scale;
        if (u.dst_type != kai_dt_int32 && !empty) {
            args.flags = KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP;
            args.activation.clamp.min_ptr = integers ? static_cast<const void*>(&p.params->min_value) : &lo;
            args.activation.clamp.max_ptr = integers ? static_cast<const void*>(&p.params->max_value) : &hi;
        }
        checked_call(api.run, nullptr, &args);
    }

    /// An output of `rows` x `columns` pixels; as many of the input. (Without channels: fewer columns than those.)
    void call_depthwise(size_t rows, size_t columns, size_t channels, Pointers p, float lo, float hi) {
        const size_t pixel = channels * element_size(u), row = columns * pixel, one = 1;
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
        const size_t nr = u.get_nr(), end = (n + nr - 1) / nr * nr, zero = 0;
        switch (u.signature) {
            case KAI_UKERNEL_UNIFIED: {
                const kai_matmul_uker_rhs_dim_args shape = {n, 0};
                return end / nr * api.get_rhs_stride(nullptr, &shape).n;
            }
            case KAI_UKERNEL_IMATMUL:
            case KAI_UKERNEL_IMATMUL_QAI8:
            case KAI_UKERNEL_IMATMUL_ROWS:
                return checked_call_as<kai_get_packed_offset_chunks_fn>(u.get_rhs_packed_offset, end, size_t{2}, zero);
            case KAI_UKERNEL_MATMUL_BL:
            case KAI_UKERNEL_MATMUL_RHS_BL:
                return checked_call_as<kai_get_packed_offset_bl_fn>(u.get_rhs_packed_offset, end, zero, size_t{32});
            default:
                return checked_call_as<kai_get_packed_offset_fn>(u.get_rhs_packed_offset, end, zero);
        }
    }
    size_t lhs_bytes(size_t m) {
        const reference::Format& format = *reference::find_format(u.lhs_format);
        if (!format.packed) {
            return 0;
        }
        const size_t mr = u.get_mr();
        return (m + mr - 1) / mr * format.stride({mr, u.get_kr(), u.get_sr(), 0, kai_tools::has_blocks(u) ? 32u : 0u});
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

// Packed operands without a byte.
TEST_P(EmptyMatmul, ZeroDepthTakesNull) {
    if (u.signature == KAI_UKERNEL_DWCONV) {
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

/// The same of what is no operand. Not of mutants: they look at it themselves.
class EmptyArguments : public EmptyMatmul {};

TEST_P(EmptyArguments, TakeNullParameters) {
    expect_nothing_is_read({nullptr, nullptr, nullptr, nullptr});
}

// The unified API: flags ask for bounds that are not there.
TEST_P(EmptyArguments, TakeNoBounds) {
    if (!unified || u.dst_type == kai_dt_int32) {
        return;
    }
    for (const auto& [m, n] : {std::pair{size_t{0}, size_t{5}}, {1, 0}, {0, 0}}) {
        kai_matmul_uker_args args = {};
        args.flags = KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP;
        args.shape = {m, n, 8};
        checked_call(api.run, nullptr, &args);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, EmptyArguments, testing::ValuesIn(test::all_ukernels()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EmptyArguments);

// An image without rows: the padding around it makes the results.
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
        const auto [k, bl] = depth;
        const size_t one = 1, none = 0, chunks = k % 2 == 0 ? 2 : 1, length = k / chunks;
        const size_t element = test::element_size(p), line = (test::is_kxn(p) ? count : k) * element;
        const uint8_t* bytes = static_cast<const uint8_t*>(a.source);
        const float *bias = nullptr, *scale = static_cast<const float*>(a.scale);
        const kai_rhs_pack_qs4cxs1s0_param nibbles = {1, static_cast<uint8_t>(test::has_blocks(p) ? 8 : 0)},
                                           indices = {1, 2};
        const kai_rhs_pack_qsi8cx_params int8 = {1, 1.0F};
        switch (p.signature) {
            case KAI_LHS_PACK_BL:
                return checked_call_as<kai_run_lhs_pack_bl_fn>(
                    test::run_of(p), count, k, bl, t.rows, t.kr, t.sr, none, a.source, line, a.packed);
            case KAI_LHS_PACK:
            case KAI_LHS_QUANT_PACK:
                return checked_call_as<kai_run_lhs_pack_fn>(
                    test::run_of(p), count, k, t.rows, t.kr, t.sr, none, a.source, line, a.packed);
            case KAI_LHS_IMATMUL_PACK:
                return checked_call_as<kai_run_lhs_imatmul_pack_fn>(
                    test::run_of(p), count, chunks, length, static_cast<const void* const*>(a.source), size_t{64},
                    static_cast<const void*>(nullptr), a.packed);
            case KAI_LHS_PACK_UNIFIED: {
                const kai_matmul_pack_lhs_uker_lhs_packed_dim_args shape = {count, k};
                kai_matmul_pack_lhs_uker_args args = {};
                args.shape = {count, k};
                args.operand.lhs = {a.source, {line}};
                args.operand.lhs_packed = {a.packed, test::lhs_api(p).get_lhs_packed_stride(nullptr, &shape)};
                return checked_call(test::lhs_api(p).run, nullptr, &args);
            }
            case KAI_RHS_PACK_NXK_BL:
                return checked_call_as<kai_run_rhs_pack_nxk_qsu4c32_fn>(
                    test::run_of(p), one, count, k, t.rows, t.kr, t.sr, bl, bytes, bias, a.packed, none, &nibbles);
            case KAI_RHS_PACK_NXK_BL_ZERO:
                return checked_call_as<kai_run_rhs_pack_nxk_qau4c32_fn>(
                    test::run_of(p), one, count, k, t.rows, t.kr, t.sr, bl, bytes, a.scale, bias, a.scale, a.packed,
                    none, &nibbles);
            case KAI_RHS_PACK_NXK_BL_BF16: {
                const kai_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0_params params = {1, 8, kai_dt_bf16};
                return checked_call_as<kai_run_rhs_pack_nxk_qsu4c32s1s0_fn>(
                    test::run_of(p), one, count, k, t.rows, t.kr, t.sr, bl, bytes, k / 2, bias, a.scale, k / bl * 2,
                    a.packed, none, &params);
            }
            case KAI_RHS_PACK_KXN_BL_BF16: {
                const kai_rhs_pack_kxn_qsi4c32p_qsu4c32s1s0_params params = {1, 8, kai_dt_bf16};
                return checked_call_as<kai_run_rhs_pack_kxn_qsu4c32s1s0_fn>(
                    test::run_of(p), one, count, k, t.rows, t.kr, t.sr, bl, bytes, (count + 1) / 2, bias, a.scale,
                    k / bl * 2, a.packed, none, &params);
            }
            case KAI_RHS_PACK_NXK_QS4CX:
            case KAI_RHS_PACK_KXN_QS4CX:
                return checked_call_as<kai_run_rhs_pack_qs4cx_fn>(
                    test::run_of(p), one, count, k, t.rows, t.kr, t.sr, bytes, bias, scale, a.packed, none, &nibbles);
            case KAI_RHS_PACK_NXK_QSI8CX:
            case KAI_RHS_PACK_KXN_QSI8CX:
                return checked_call_as<kai_run_rhs_pack_qsi8cx_fn>(
                    test::run_of(p), one, count, k, t.rows, t.kr, t.sr, reinterpret_cast<const int8_t*>(bytes), bias,
                    scale, a.packed, none, &int8);
            case KAI_RHS_PACK_NXK_QSU2CX:
                return checked_call_as<kai_run_rhs_pack_qsu2cx_fn>(
                    test::run_of(p), one, count, k, t.rows, t.kr, t.sr, bytes, bias, scale, a.packed, none, &indices,
                    static_cast<const int32_t*>(nullptr));
            case KAI_RHS_PACK_KXN_QS8CX_I32:
                return checked_call_as<kai_run_rhs_pack_qs8cx_i32_fn>(
                    test::run_of(p), one, count, k, t.rows, t.kr, t.sr, line, a.source, bias, a.scale, a.packed, none,
                    &int8);
            case KAI_RHS_IMATMUL_PACK_KXN:
                return checked_call_as<kai_run_rhs_imatmul_pack_fn>(
                    test::run_of(p), count, chunks, length, line, a.source, bias, a.packed);
            case KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32:
                return checked_call_as<kai_run_rhs_imatmul_pack_qs8cx_i32_fn>(
                    test::run_of(p), count, chunks, length, line, a.source, bias, a.scale, a.packed, &int8);
            case KAI_RHS_PACK_KXN_UNIFIED:
            case KAI_RHS_PACK_NXK_UNIFIED: {
                const kai_matmul_pack_rhs_uker_rhs_packed_dim_args shape = {count, k};
                const int32_t minus_one = -1;
                kai_matmul_pack_rhs_uker_args args = {};
                args.shape = {count, k};
                args.operand.rhs = {a.source, {k * element, count * element}};
                args.operand.rhs_packed = {a.packed, test::rhs_api(p).get_rhs_packed_stride(nullptr, &shape)};
                if (test::is_requantising(p)) {
                    args.operand.k_sum_scale_global.ptr = &minus_one;
                    args.operand.scale_n.ptr = a.scale;
                    args.operand.scale_global.ptr = &int8.scale_multiplier;
                }
                return checked_call(test::rhs_api(p).run, nullptr, &args);
            }
            case KAI_RHS_DWCONV_PACK:
                return checked_call_as<kai_run_rhs_dwconv_pack_fn>(
                    test::run_of(p), size_t{k > 0 ? 3u : 0u}, size_t{3}, size_t{k > 0 ? 3u : 0u}, size_t{3}, count,
                    a.source, static_cast<const void*>(nullptr), a.packed);
            default:
                return checked_call_as<kai_run_rhs_pack_fn>(
                    test::run_of(p), one, count, k, t.rows, t.kr, t.sr, line, a.source, bias,
                    static_cast<const void*>(nullptr), a.packed, none, static_cast<const void*>(nullptr));
        }
    }

    const std::vector<Depth>& depths() const {
        // 8192 suits all that want a multiple of something.
        static const std::vector<Depth> some = {{0, 32}, {32, 32}, {96, 32}, {8192, 32}};
        return test::has_blocks(p) || p.signature == KAI_LHS_PACK_BL || p.signature == KAI_RHS_PACK_NXK_QSU2CX
                   ? some
                   : kAnyDepths;
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
        return p.signature == KAI_RHS_DWCONV_PACK
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

// k = 0: the source has no byte, and in some formats the packed rows have none.
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
            // What is packed are biases, scales and sums: all zero, and the fields of rows of zeros.
            const bool all_zero = !test::is_lhs(p);
            for (size_t i = 0; i < packed.size() && all_zero; ++i) {
                ASSERT_EQ(packed.data()[i], 0) << "byte " << i << " of " << count << " columns";
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Packers, EmptyPack, testing::ValuesIn(test::all_packers()), test::instance_name<kai_packer>);

}  // namespace
