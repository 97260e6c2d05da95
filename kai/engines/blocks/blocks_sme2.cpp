// int4, int8 or an RHS of indices in blocks with SME2: the micro-kernels. The work is in blocks_sme2_mopa_*.S,
// blocks_sme2_dot_*.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sme.hpp"
#include "kai/engines/core/unified.hpp"

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS_SME)
#include "kai/engines/blocks/blocks_families.inc"
#undef KAI_ISA_sme2

/// The same for an RHS of indices whose table is in front of the blocks of each panel. The blocks of the assembly are
/// the runs of a column that have one scale.
#define KAI_DEFINE_MATMUL_TABLES_SME(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                 \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))      \
    extern "C" kai::SmeBlocksFn kai_kernel_##NAME;                                                   \
    KAI_RUN_MATMUL_BL(NAME, float) {                                                                 \
        kai::check_blocks(kai::RHS, k, bl);                                                          \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                      \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                              \
        const size_t head = (NR)*kai::RHS.panel_head, runs = k / 32 * (kai::RHS.block_head / 2);     \
        const size_t lhs_stride = kai::LHS.stride({MR, KR, SR}, k, 32);                              \
        const size_t rhs_stride = kai::RHS.stride({NR, KR, SR}, k, 32);                              \
        kai::run_blocks(                                                                             \
            kai_kernel_##NAME,                                                                       \
            {m, n, runs, 1, lhs, lhs_stride, kai::bytes(rhs, head), rhs_stride, dst, dst_stride_row, \
             kai::words_of(rhs, m > 0 && n > 0).values, clamp_min, clamp_max, head});                \
    }

// What a nibble means comes with the arguments: with an f16 scale per block, the kernels are those of qsi4c32p.
#define kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qlu4c32p4vlx4_1vlx4vl_sme2_mopa \
    kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa
#define kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4vlx4_1x4vl_sme2_sdot \
    kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_TABLES_SME)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"

// The unified API: the same assembly, panels at any stride, and the caller's table.

namespace kai {
namespace {

[[gnu::noinline]] void run_unified(
    const BlocksSmeKernel& kernel, const kai_matmul_uker_config* config, const kai_matmul_uker_args* args,
    const char* function) {
    check_args(args, function);
    const size_t bl = block_length(config, args, function);
    const auto& [m, n, k] = args->shape;
    const bool one_row = kernel.lhs.rows.unit == kai_panel_rows::one;
    KAI_REQUIRE(function, !one_row || m <= 1, many_rows, m);
    if (is_empty(args)) {
        return;
    }
    const auto clamp = clamp_or<float>(args, -__builtin_inff(), __builtin_inff(), function);
    const auto& operand = args->operand;
    const size_t blocks = k / bl, lhs_panel = kernel.lhs.stride(k, blocks), rhs_panel = kernel.rhs.stride(k, blocks);
    // Callers may leave strides out: one that is less than that of dense panels cannot be meant.
    const size_t lhs_stride = KAI_MAX(operand.lhs.stride.m, lhs_panel);
    const size_t rhs_stride = KAI_MAX(operand.rhs.stride.n, rhs_panel);
    const int32_t* table = operand.lut.ptr != nullptr ? static_cast<const int32_t*>(operand.lut.ptr) : kernel.table;
    const size_t gap = rhs_stride - rhs_panel;
    run_blocks(
        kernel.run, {m, n, blocks, bl / 32, operand.lhs.ptr, lhs_stride, operand.rhs.ptr, rhs_stride, operand.dst.ptr,
                     operand.dst.stride.m, table, clamp.lo, clamp.hi, gap});
}

template <const BlocksSmeKernel& KERNEL>
void run(const kai_matmul_uker_config* config, const kai_matmul_uker_args* args, const char* function) {
    run_unified(KERNEL, config, args, function);
}

constexpr PackedSide kNibbles = PackedSide(qsi4c32ps1s0scalef16, sme_words(4, AsData{}));
constexpr BlocksSmeKernel kF16 = {
    kai_kernel_matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa, PackedSide(f16p, sme_words(1, AsData{})),
    kNibbles, kOffsetNibblesF16.values, 2};
constexpr BlocksSmeKernel kInt8 = {
    kai_kernel_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa,
    PackedSide(qsi8d32p_last, sme_words(1, AsData{})), kNibbles, kOffsetNibbles.values, 2};
constexpr BlocksSmeKernel kInt8Row = {
    kai_kernel_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot, PackedSide(qsi8d32p_last, 1), kNibbles,
    kOffsetNibbles.values, 2};

}  // namespace
}  // namespace kai

KAI_DEFINE_MATMUL_API_BL(
    matmul_clamp_f32_f16p4vsx2_qsi4c32p16vsx4s1s0sf16_f16p_4vsx16vs_sme2_mopa, kai::run<kai::kF16>,
    kai::packed(kai::f16p, VL(1), 2), kai::packed(kai::qsi4c32ps1s0scalef16, VL(4), 4), VL(1), VL(4), sizeof(float))
KAI_DEFINE_MATMUL_API_BL(
    matmul_clamp_f32_qsi8d32p4vsx4sf16_qsi4c32p16vsx4s1s0sf16_i8p_4vsx16vs_sme2_mopa, kai::run<kai::kInt8>,
    kai::packed(kai::qsi8d32p_last, VL(1), 4), kai::packed(kai::qsi4c32ps1s0scalef16, VL(4), 4), VL(1), VL(4),
    sizeof(float))
KAI_DEFINE_MATMUL_API_BL(
    matmul_clamp_f32_qsi8d32p1x4sf16_qsi4c32p16vsx4s1s0sf16_i8p_1x16vs_sme2_dot, kai::run<kai::kInt8Row>,
    kai::packed(kai::qsi8d32p_last, 1, 4), kai::packed(kai::qsi4c32ps1s0scalef16, VL(4), 4), 1, VL(4), sizeof(float))
