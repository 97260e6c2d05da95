// int4, int8, 2 bits or an RHS of indices in blocks with SME2: the micro-kernels. The work is in blocks_sme2_mopa_*.S,
// blocks_sme2_dot_*.S; few rows with quarter-tile outer products, where the CPU has them: blocks_sme_mop4_*.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sme.hpp"
#include "kai/engines/core/catalogue.hpp"
#include "kai/engines/core/unified.hpp"

KAI_MANY_AND_FEW(matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa, qsi4c32p4vlx4)
KAI_MANY_AND_FEW(matmul_clamp_f32_qsi8d32p1vlx4_qsi8c32p4vlx4_1vlx4vl_sme2_mopa, qsi8c32p4vlx4)
KAI_MANY_AND_FEW(matmul_clamp_f32_qsi8d32p1vlx4_qsi2c32p4vlx4_1vlx4vl_sme2_mopa, qsi2c32p4vlx4)
KAI_MANY_AND_FEW(matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa, qai4c32p4vlx4)
KAI_MANY_AND_FEW(matmul_clamp_f16_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa, qai4c32p4vlx4)
KAI_MANY_AND_FEW(matmul_clamp_f32_qsi8d32p1vlx4_qlu4c32p4vlx4scalebf16_1vlx4vl_sme2_mopa, qlu4c32p4vlx4scalebf16)

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_MATMUL_BLOCKS_SME)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16p_qsi4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi2c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi8c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, uint16_t, void, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/ukernels.def"
#undef KAI_UKERNEL
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

// The values of nibbles are arguments: with an f16 scale per block, the kernels are those of qsi4c32p.
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

struct UnifiedKernel {
    BlocksSmeKernel kernel;
    bool takes_table;
    size_t block;  // the only length, or 0
};

[[gnu::noinline]] void run_unified(
    const UnifiedKernel& unified, const kai_matmul_uker_config* config, const kai_matmul_uker_args* args,
    const char* function) {
    check_args(args, function);
    const auto& [kernel, takes_table, block] = unified;
    const size_t given = block_length(config, args, function), bl = block != 0 ? block : given;
    const auto& [m, n, k] = args->shape;
    const bool one_row = kernel.lhs.rows.unit == kai_panel_rows::one;
    KAI_REQUIRE(function, config == nullptr || given == bl, other, "bl", given, bl);
    KAI_REQUIRE(function, !one_row || m <= 1, many_rows, m);
    if (is_empty(args)) {
        return;
    }
    const auto clamp = clamp_or<float>(args, -__builtin_inff(), __builtin_inff(), function);
    const auto& operand = args->operand;
    const size_t blocks = k / bl, lhs_panel = kernel.lhs.stride(k, blocks), rhs_panel = kernel.rhs.stride(k, blocks);
    // Callers may leave strides out: one shorter than a dense panel means dense panels.
    const size_t lhs_stride = KAI_MAX(operand.lhs.stride.m, lhs_panel);
    const size_t rhs_stride = KAI_MAX(operand.rhs.stride.n, rhs_panel);
    const bool given_table = takes_table && operand.lut.ptr != nullptr;
    const int32_t* table = given_table ? static_cast<const int32_t*>(operand.lut.ptr) : kernel.table;
    const size_t gap = rhs_stride - rhs_panel;
    run_blocks(
        kernel.run, {m, n, blocks, bl / 32, operand.lhs.ptr, lhs_stride, operand.rhs.ptr, rhs_stride, operand.dst.ptr,
                     operand.dst.stride.m, table, clamp.lo, clamp.hi, gap});
}

template <const UnifiedKernel& KERNEL>
void run(const kai_matmul_uker_config* config, const kai_matmul_uker_args* args, const char* function) {
    run_unified(KERNEL, config, args, function);
}

}  // namespace
}  // namespace kai

/// A micro-kernel of the unified API whose assembly is kai_kernel_ASSEMBLY. Panels of MR rows, in groups of GROUP k,
/// and of 4 vectors of columns. TABLE: its own. TAKES_TABLE: the caller's as well.
#define KAI_DEFINE_BLOCKS_SME2_API(NAME, ASSEMBLY, LHS, RHS, MR, GROUP, TABLE, TAKES_TABLE)                          \
    extern "C" kai::SmeBlocksFn kai_kernel_##ASSEMBLY;                                                               \
    namespace kai {                                                                                                  \
    namespace {                                                                                                      \
    constexpr UnifiedKernel k_##NAME = [] {                                                                          \
        return UnifiedKernel{                                                                                        \
            {kai_kernel_##ASSEMBLY, PackedSide(LHS, MR), PackedSide(RHS, VL(4)), TABLE.values, 2},                   \
            TAKES_TABLE,                                                                                             \
            RHS.block};                                                                                              \
    }();                                                                                                             \
    }                                                                                                                \
    }                                                                                                                \
    KAI_DEFINE_MATMUL_API_BL(                                                                                        \
        NAME, kai::run<kai::k_##NAME>, kai::packed(kai::LHS, MR, GROUP), kai::packed(kai::RHS, VL(4), 4), MR, VL(4), \
        sizeof(float))

KAI_DEFINE_BLOCKS_SME2_API(
    matmul_clamp_f32_f16p4vsx2_qsi4c32p16vsx4s1s0sf16_f16p_4vsx16vs_sme2_mopa,
    matmul_clamp_f32_f16p1vlx2_qsi4c32p4vlx2_1vlx4vl_sme2_mopa, f16p, qsi4c32ps1s0scalef16, VL(1), 2, kOffsetNibblesF16,
    true)
KAI_DEFINE_BLOCKS_SME2_API(
    matmul_clamp_f32_qsi8d32p4vsx4sf16_qsi4c32p16vsx4s1s0sf16_i8p_4vsx16vs_sme2_mopa,
    matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa, qsi8d32p_last, qsi4c32ps1s0scalef16, VL(1), 4,
    kOffsetNibbles, true)
KAI_DEFINE_BLOCKS_SME2_API(
    matmul_clamp_f32_qsi8d32p1x4sf16_qsi4c32p16vsx4s1s0sf16_i8p_1x16vs_sme2_dot,
    matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot, qsi8d32p_last, qsi4c32ps1s0scalef16, 1, 4,
    kOffsetNibbles, true)
KAI_DEFINE_BLOCKS_SME2_API(
    matmul_clamp_f32_f16p4vsx2_qai4c32p16vsx4s1s0sf16_4vsx16vs_sme2_mopa,
    matmul_clamp_f32_f16p4vsx2_qai4c32p16vsx4s1s0sf16_4vsx16vs_sme2_mopa, f16p, qai4c32ps1s0sf16, VL(1), 2,
    kUnsignedNibblesF16, false)
KAI_DEFINE_BLOCKS_SME2_API(
    matmul_clamp_f32_qsi8d32p1x4_qai4c32p16vsx4s1s0sf16_1x16vs_sme2_dot,
    matmul_clamp_f32_qsi8d32p1x4_qai4c32p16vsx4s1s0sf16_1x16vs_sme2_dot, qsi8d32psumf16, qai4c32ps1s0sf16, 1, 4,
    kUnsignedNibbles, false)
