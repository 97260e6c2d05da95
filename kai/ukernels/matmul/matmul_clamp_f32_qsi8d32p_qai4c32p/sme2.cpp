// f32 <- qsi8d32p x qai4c32p with SME2: the formula is in the interface header, the work in sme2_mopa.S and sme2_dot.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_blocks_sme.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/kai_matmul_clamp_f32_qsi8d32p_qai4c32p_interface.h"

namespace kai {
namespace {

/// k = 0: no blocks, only the bias of each column, which is all that an RHS panel then holds.
void store_bias(const BlockArgs& args, size_t nr) {
    for (size_t row = 0; row < args.m; ++row) {
        for (size_t col = 0; col < args.n; ++col) {
            const float bias = load<float>(bytes(args.rhs, col / nr * args.rhs_stride + col % nr * sizeof(float)));
            const float above = bias < args.lo ? args.lo : bias;  // NaN stays NaN
            store(bytes(args.dst, row * args.dst_stride + col * sizeof(float)), above > args.hi ? args.hi : above);
        }
    }
}

void run(SmeBlocksFn* kernel, const BlockArgs& args, size_t nr) {
    if (args.m == 0 || args.n == 0) {
        return;
    }
    if (args.blocks == 0) {
        return store_bias(args, nr);
    }
    kai_commit_za();
    kernel(&args);
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_ISA_sme2(...) KAI_DEFINE_MATMUL_BLOCKS_SME(float, __VA_ARGS__)
#define KAI_ISA_neon_i8mm(...)
#define KAI_ISA_neon_dotprod(...)
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(__VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"

}  // extern "C"
