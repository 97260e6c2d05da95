// Matmuls of two packed sides with SME2, unified API: panels of V rows (columns), at any stride; with nibbles, of 2 V.
// The formulas are in kai_matmul.h, the work in panels_sme2.S, panels_sme2_floats.S, panels_sme2_int8.S,
// panels_sme2_u8.S, panels_sme_mop4.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/nibble_tables.hpp"
#include "kai/engines/core/unified.hpp"
#include "kai/engines/panels/panels_sme_mop4.hpp"

extern "C" {
kai::SmePanelsFn kai_kernel_panels_sme2;
kai::SmePanelsPart kai_part_panels_start_words_sme2, kai_part_panels_start_f16_sme2, kai_part_panels_start_u8_sme2,
    kai_part_panels_multiply_split_f32_sme2, kai_part_panels_multiply_split_f16_sme2,
    kai_part_panels_multiply_split_s8_sme2, kai_part_panels_multiply_split_u8_sme2,
    kai_part_panels_multiply_pair_nibbles_sme2, kai_part_panels_multiply_pair_codes_sme2,
    kai_part_panels_store_f32_sme2, kai_part_panels_store_f16_sme2, kai_part_panels_store_qai8_sme2,
    kai_part_panels_store_i32_sme2, kai_part_panels_store_scaled_sme2;
}

namespace kai {
namespace {

constexpr PanelsKernel kSplitF32 = KAI_PANELS_KERNEL(sme2, words, split_f32, f32, f32, 4, 4, 4, true);
constexpr PanelsKernel kSplitF16 = KAI_PANELS_KERNEL(sme2, f16, split_f16, f16, f16, 2, 2, 2, true);
constexpr PanelsKernel kSplitQAI8 = KAI_PANELS_KERNEL(sme2, words, split_s8, qai8, qai8, 1, 1, 4, true);
constexpr PanelsKernel kNibblesQAI8 = KAI_PANELS_KERNEL(sme2, words, pair_nibbles, qai8, qai8, 1, 1, 4, false);
constexpr PanelsKernel kCodesQAI8 = KAI_PANELS_KERNEL(sme2, words, pair_codes, qai8, qai8, 1, 1, 4, false);
constexpr PanelsKernel kU8I32 = KAI_PANELS_KERNEL(sme2, u8, split_u8, i32, i32, 1, 4, 0, true);
constexpr PanelsKernel kU8Scaled = KAI_PANELS_KERNEL(sme2, u8, split_u8, scaled, scaled, 1, 4, 0, true);

}  // namespace
}  // namespace kai

KAI_PANELS_FEW(SplitF32, words, split_f32)
KAI_PANELS_FEW(SplitF16, f16, split_f16)
KAI_PANELS_FEW(SplitQAI8, words, split_s8)
KAI_PANELS_FEW(NibblesQAI8, words, pair_nibbles)
KAI_PANELS_FEW(CodesQAI8, words, pair_codes)

namespace kai {
namespace {

using Args = const kai_matmul_uker_args*;

/// What all kernels take, without bounds. Strides are at least lhs_stride and rhs_stride.
KAI_INLINE PanelArgs unified_args(const PanelsKernel& kernel, Args args, size_t lhs_stride = 0, size_t rhs_stride = 0) {
    const auto& operand = args->operand;
    return panel_args(
        kernel, args->shape.m, args->shape.n, (args->shape.k * kernel.operand_bytes + 3) / 4, operand.lhs.ptr,
        KAI_MAX(operand.lhs.stride.m, lhs_stride), operand.rhs.ptr, KAI_MAX(operand.rhs.stride.n, rhs_stride),
        operand.dst.ptr, operand.dst.stride.m);
}

/// Floats.
[[gnu::noinline]] void run_floats(const PanelsKernel& kernel, Args args, const char* function) {
    check_args(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto bounds = clamp_or<float>(args, -__builtin_inff(), __builtin_inff(), function);
    run_float_panels(kernel, unified_args(kernel, args), bounds.lo, bounds.hi);
}

template <const PanelsKernel& KERNEL>
void run_floats(Args args, const char* function) {
    run_floats(KERNEL, args, function);
}

/// uint8: sums with the biases of rows and columns.
KAI_INLINE PanelArgs u8_args(const PanelsKernel& kernel, Args args) {
    PanelArgs panels = unified_args(kernel, args);
    panels.row_bias = args->operand.bias.acc_bias_m.ptr;
    panels.column_bias = args->operand.bias.acc_bias_n.ptr;
    return panels;
}

void run_u8_i32(Args args, const char* function) {
    check_args(args, function, 0);
    if (is_empty(args)) {
        return;
    }
    run_panels(kU8I32, u8_args(kU8I32, args));
}

void run_u8_scaled(Args args, const char* function) {
    check_args(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto bounds = clamp_or<float>(args, -__builtin_inff(), __builtin_inff(), function);
    PanelArgs panels = u8_args(kU8Scaled, args);
    const void* scale = args->operand.scale.acc_scale_global.ptr;
    KAI_REQUIRE(function, scale != nullptr, null, "scale.acc_scale_global");
    panels.scale = load<uint32_t>(scale);
    panels.output_bias = args->operand.bias.scale_bias_n.ptr;
    run_float_panels(kU8Scaled, panels, bounds.lo, bounds.hi);
}

/// int8 outputs. Nibbles: callers may leave strides out: one shorter than a dense panel means dense panels.
[[gnu::noinline]] void run_qai8(
    Args args, const char* function, const PanelsMatmul& matmul, size_t rhs_k, bool nibbles) {
    check_args(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto bounds = clamp_or<int32_t>(args, INT8_MIN, INT8_MAX, function);
    const auto zero_point = value_or_zero<int32_t>(args->operand.bias.scale_bias_global.ptr);
    const size_t lhs_stride = matmul.lhs.stride((args->shape.k + 3) / 4 * 4), rhs_stride = matmul.rhs.stride(rhs_k);
    PanelArgs panels = unified_args(matmul.kernel, args, nibbles ? lhs_stride : 0, nibbles ? rhs_stride : 0);
    panels.table = nibbles ? &kSignedNibbles : nullptr;
    run_qai8_panels(
        matmul.kernel, panels, rhs_stride - matmul.rhs.rows.value() * sizeof(float), {bounds.lo, bounds.hi, zero_point},
        function);
}

void run_qai8_qsi8(Args args, const char* function) {
    static constexpr PanelsMatmul matmul = {kSplitQAI8Few, PackedSide(x8p, VL(1)), PackedSide(qsi8cxpbi32sf32, VL(1))};
    run_qai8(args, function, matmul, qsi8cxpbi32sf32.padded({1, 4, 1}, args->shape.k), false);
}

void run_qai8_qsi4(Args args, const char* function) {
    static constexpr PanelsMatmul matmul = {
        kNibblesQAI8Few, PackedSide(x8p, VL(2)), PackedSide(qsi4cxpbi32sf32, VL(2))};
    run_qai8(args, function, matmul, qsi4cxpbi32sf32.padded({1, 4, 1}, args->shape.k), true);
}

/// Panels of 4 V columns, twice what a step takes: first the left halves of all panels, then the right ones.
void run_qai8_qsu2(Args args, const char* function) {
    check_args(args, function);
    if (is_empty(args)) {
        return;
    }
    constexpr PackedSide lhs = PackedSide(x8p, VL(2));
    constexpr PackedSide rhs = PackedSide(qsu2cxpbi32sf32, VL(4));
    const auto bounds = clamp_or<int32_t>(args, INT8_MIN, INT8_MAX, function);
    const auto zero_point = value_or_zero<int32_t>(args->operand.bias.scale_bias_global.ptr);
    const size_t k = args->shape.k, n = args->shape.n;
    const size_t lhs_stride = lhs.stride((k + 3) / 4 * 4),
                 rhs_stride = rhs.stride(qsu2cxpbi32sf32.padded({1, 4, 1}, k));
    const size_t width = rhs.rows.value(), half = width / 2;
    for (size_t first = 0; first < width; first += half) {
        PanelArgs panels = unified_args(kCodesQAI8Few, args, lhs_stride, rhs_stride);
        const size_t rest = n % width > first ? n % width - first : 0;
        panels.n = n / width * half + KAI_MIN(rest, half);
        if (panels.n == 0) {
            return;
        }
        panels.rhs = bytes(panels.rhs, first * sizeof(int32_t));
        panels.dst = bytes(panels.dst, first);
        panels.rhs_heads = width * sizeof(int32_t) - first * sizeof(int32_t) + first;
        panels.dst_step = width;
        panels.table = &kOffsetCodes;
        run_qai8_panels(
            kCodesQAI8Few, panels, rhs_stride - width * sizeof(float), {bounds.lo, bounds.hi, zero_point}, function);
    }
}

}  // namespace
}  // namespace kai

KAI_DEFINE_MATMUL_API(
    matmul_clamp_f32_f32p4vsx1_f32p4vsx1bf32_8vsx8vs_sme2_mopa, kai::run_floats<kai::kSplitF32Few>,
    kai::packed(kai::f32p, VL(1), 1), kai::packed(kai::f32pbiasf32, VL(1), 1), VL(1), VL(1), 4)

KAI_DEFINE_MATMUL_API(
    matmul_clamp_f16_f16p4vsx2_f16p4vsx2bf16_8vsx8vs_sme2_mopa, kai::run_floats<kai::kSplitF16Few>,
    kai::packed(kai::f16p, VL(1), 2), kai::packed(kai::f16pbiasf16, VL(1), 2), VL(1), VL(1), 2)

KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8p4vsx4_qsi8cxp4vsx4bi32sf32_8vsx8vs_sme2_mopa, kai::run_qai8_qsi8,
    kai::packed(kai::x8p, VL(1), 4), kai::packed(kai::qsi8cxpbi32sf32, VL(1), 4), VL(1), VL(1), sizeof(int8_t))

// The same: all kernels of this kind run quarter-tile outer products where the CPU has them, none requires them.
KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8p4vsx4_qsi8cxp4vsx4sf32bi32_8vsx8vs_sme2p1_mop4_mopa, kai::run_qai8_qsi8,
    kai::packed(kai::x8p, VL(1), 4), kai::packed(kai::qsi8cxpbi32sf32, VL(1), 4), VL(1), VL(1), sizeof(int8_t))

KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8p8vsx4_qsi4cxp8vsx4sf32bi32_8vsx8vs_sme2_mopa, kai::run_qai8_qsi4,
    kai::packed(kai::x8p, VL(2), 4), kai::packed(kai::qsi4cxpbi32sf32, VL(2), 4), VL(2), VL(2), sizeof(int8_t))

KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8p8vsx4_qsu2cxp16vsx4sf32bi32_8vsx16vs_sme2_mopa, kai::run_qai8_qsu2,
    kai::packed(kai::x8p, VL(2), 4), kai::packed(kai::qsu2cxpbi32sf32, VL(4), 4), VL(2), VL(4), sizeof(int8_t))

KAI_DEFINE_MATMUL_API(
    matmul_i32_u8p4vsx4_u8p4vsx4_i32_i32_8vsx8vs_sme2_mopa, kai::run_u8_i32, kai::packed(kai::x8p, VL(1), 4),
    kai::packed(kai::x8p, VL(1), 4), VL(2), VL(2), sizeof(int32_t))

KAI_DEFINE_MATMUL_API(
    matmul_clamp_f32_u8p4vsx4_u8p4vsx4_i32_i32_f32_f32_8vsx8vs_sme2_mopa, kai::run_u8_scaled,
    kai::packed(kai::x8p, VL(1), 4), kai::packed(kai::x8p, VL(1), 4), VL(2), VL(2), sizeof(float))
