// Integer matmuls of two packed sides with SME2: the formulas are in the interface headers and kai_matmul.h, the work
// in panels_sme2.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/panels/panels_sme_int.hpp"
#include "kai/engines/core/nibble_tables.hpp"
#include "kai/engines/core/unified.hpp"

extern "C" {

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_PANELS)
#define KAI_DEFINE_PANELS(KIND, ...) KAI_DEFINE_##KIND##_QAI8_PANELS(panels_qai8_sme2, panels_qai8_sme2, __VA_ARGS__)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, MATMUL, __VA_ARGS__)
#define KAI_IMATMUL(ISA, ...) KAI_LINE(ISA, IMATMUL, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"

kai::SmePanelsFn kai_kernel_split_panels_qai8_sme2;
kai::SmePanelsFn kai_kernel_pair_nibbles_qai8_sme2;
kai::SmePanelsFn kai_kernel_split_panels_u8_i32_sme2;
kai::SmePanelsFn kai_kernel_split_panels_u8_scaled_sme2;

}  // extern "C"

// The unified API.

namespace kai {
namespace {

using Args = const kai_matmul_uker_args*;

/// What all kernels take, without bounds. LHS elements have 8 bits.
KAI_INLINE PanelArgs panel_args(UnifiedOperand lhs, Args args) {
    const auto& operand = args->operand;
    return {
        args->shape.m,
        args->shape.n,
        lhs.format.padded(lhs.tile, args->shape.k) / 4,
        operand.lhs.ptr,
        operand.lhs.stride.m,
        operand.rhs.ptr,
        operand.rhs.stride.n,
        operand.dst.ptr,
        operand.dst.stride.m,
        0,
        0};
}

KAI_INLINE void run_qai8(SmePanelsFn* kernel, PanelArgs panels, UnifiedOperand rhs, Args args, const char* function) {
    check_args(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto bounds = clamp_or<int32_t>(args, INT8_MIN, INT8_MAX, function);
    const auto zero_point = value_or_zero<int32_t>(args->operand.bias.scale_bias_global.ptr);
    run_qai8_panels(
        {kernel, kernel}, panels, rhs.format.panel_end(rhs.tile, args->shape.k), {bounds.lo, bounds.hi, zero_point},
        function);
}

UnifiedOperand x8(size_t rows) {
    return packed(x8p, rows, 4);
}
UnifiedOperand qsi8(Getter kai_getter = {}) {
    return packed(qsi8cxpbi32sf32, VL(1), 4);
}
UnifiedOperand qsi4(Getter kai_getter = {}) {
    return packed(qsi4cxpbi32sf32, VL(2), 4);
}

void run_qai8_qsi8(Args args, const char* function) {
    run_qai8(kai_kernel_split_panels_qai8_sme2, panel_args(x8(VL(1)), args), qsi8(), args, function);
}

/// A stride that is less than that of dense panels cannot be meant: callers may leave it out.
void run_qai8_qsi4(Args args, const char* function) {
    const UnifiedOperand lhs = x8(VL(2));
    PanelArgs panels = panel_args(lhs, args);
    panels.lhs_stride = KAI_MAX(panels.lhs_stride, lhs.stride(args->shape.k));
    panels.rhs_stride = KAI_MAX(panels.rhs_stride, qsi4().stride(args->shape.k));
    panels.table = &kSignedNibbles;
    run_qai8(kai_kernel_pair_nibbles_qai8_sme2, panels, qsi4(), args, function);
}

KAI_INLINE void run_u8(SmePanelsFn* kernel, PanelArgs panels, Args args) {
    panels.row_bias = args->operand.bias.acc_bias_m.ptr;
    panels.column_bias = args->operand.bias.acc_bias_n.ptr;
    run_panels(kernel, panels);
}

void run_u8_i32(Args args, const char* function) {
    check_args(args, function, 0);
    run_u8(kai_kernel_split_panels_u8_i32_sme2, panel_args(x8(VL(1)), args), args);
}

void run_u8_f32(Args args, const char* function) {
    check_args(args, function);
    if (is_empty(args)) {
        return;
    }
    const auto bounds = clamp_or<float>(args, -__builtin_inff(), __builtin_inff(), function);
    const void* scale = args->operand.scale.acc_scale_global.ptr;
    KAI_REQUIRE(function, scale != nullptr, "scale.acc_scale_global is NULL");
    PanelArgs panels = panel_args(x8(VL(1)), args);
    panels.lo = bits_of(bounds.lo);
    panels.hi = bits_of(bounds.hi);
    panels.scale = load<uint32_t>(scale);
    panels.output_bias = args->operand.bias.scale_bias_n.ptr;
    run_u8(kai_kernel_split_panels_u8_scaled_sme2, panels, args);
}

}  // namespace
}  // namespace kai

KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8p4vsx4_qsi8cxp4vsx4bi32sf32_8vsx8vs_sme2_mopa, kai::run_qai8_qsi8, kai::x8(VL(1)),
    kai::qsi8(kai_getter), VL(1), VL(1), sizeof(int8_t))

// The instructions that its name promises (quarter-tile outer products) are not used: the same results without them.
KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8p4vsx4_qsi8cxp4vsx4sf32bi32_8vsx8vs_sme2p1_mop4_mopa, kai::run_qai8_qsi8, kai::x8(VL(1)),
    kai::qsi8(kai_getter), VL(1), VL(1), sizeof(int8_t))

KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8p8vsx4_qsi4cxp8vsx4sf32bi32_8vsx8vs_sme2_mopa, kai::run_qai8_qsi4, kai::x8(VL(2)),
    kai::qsi4(kai_getter), VL(2), VL(2), sizeof(int8_t))

KAI_DEFINE_MATMUL_API(
    matmul_i32_u8p4vsx4_u8p4vsx4_i32_i32_8vsx8vs_sme2_mopa, kai::run_u8_i32, kai::x8(VL(1)), kai::x8(VL(1)), VL(2),
    VL(2), sizeof(int32_t))

KAI_DEFINE_MATMUL_API(
    matmul_clamp_f32_u8p4vsx4_u8p4vsx4_i32_i32_f32_f32_8vsx8vs_sme2_mopa, kai::run_u8_f32, kai::x8(VL(1)),
    kai::x8(VL(1)), VL(2), VL(2), sizeof(float))
