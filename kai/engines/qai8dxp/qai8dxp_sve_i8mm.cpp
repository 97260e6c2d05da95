// f32 <- qai8dxp x (qsi8cxp, qsi4c32p) with SMMLA of SVE, in the unified API: the work is in qai8dxp_sve_i8mm.S and
// qai8dxp_sve_i8mm_blocks.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_sve.hpp"

KAI_DEFINE_QAI8DXP_SVE_CHANNELS(
    matmul_clamp_f32_qai8dxp4x8sf32_qsi8cxp4vsx8sf32bf32_16x4vs_sve_i8mm, 4, SVE(1), 8, 16, SVE(1))

extern "C" kai::Qai8dxpSveFn kai_kernel_matmul_clamp_f32_qai8dxp2vsx8sf32_qsi4c32p8x8s16s0sbf16bf32_8vsx8_sve_i8mm;

namespace kai {
namespace {

constexpr UnifiedOperand kBlocksLhs = packed(qai8dxp, 4, 8), kBlocksRhs = packed(qsi4c32pbf16, 8, 8);

/// Callers may leave strides out: a stride shorter than a dense panel means dense panels.
void run_blocks(const kai_matmul_uker_config* config, const kai_matmul_uker_args* args, const char* function) {
    const size_t bl = block_length(config, args, function), k = args->shape.k;
    const Strides dense = {kBlocksLhs.stride(k), bl == 0 ? 0 : qsi4c32pbf16.stride(kBlocksRhs.tile(), k, bl)};
    run_qai8dxp_sve(
        kai_kernel_matmul_clamp_f32_qai8dxp2vsx8sf32_qsi4c32p8x8s16s0sbf16bf32_8vsx8_sve_i8mm, args, function, bl,
        dense);
}

}  // namespace
}  // namespace kai

// The sizes in the name are those of vectors of 256 bits, and do not change with others. kr / sr = 8.
KAI_DEFINE_MATMUL_API_BL(
    matmul_clamp_f32_qai8dxp2vsx8sf32_qsi4c32p8x8s16s0sbf16bf32_8vsx8_sve_i8mm, kai::run_blocks, kai::kBlocksLhs,
    kai::kBlocksRhs, 16, 8, sizeof(float))
