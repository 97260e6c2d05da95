// f32 and f16 <- qsi8d32p x qai4c32p with SME2: the formula is in the interface header, the work in
// blocks_sme2_mopa_qai4c32p.S and blocks_sme2_dot_qai4c32p.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_sme.hpp"
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/kai_matmul_clamp_f16_qsi8d32p_qai4c32p_interface.h"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/kai_matmul_clamp_f32_qsi8d32p_qai4c32p_interface.h"

namespace kai {
namespace {

KAI_INLINE void store_element(void* p, float value, float) {
    store(p, value);
}
KAI_INLINE void store_element(void* p, float value, uint16_t) {
    store(p, kai_cast_f16_f32(value));
}

/// k = 0: no blocks, only the bias of each column, which is all that an RHS panel then holds.
template <typename T>
void store_bias(const BlockArgs& args, size_t nr) {
    for (size_t row = 0; row < args.m; ++row) {
        for (size_t col = 0; col < args.n; ++col) {
            const float bias = load<float>(bytes(args.rhs, col / nr * args.rhs_stride + col % nr * sizeof(float)));
            const float above = bias < args.lo ? args.lo : bias;  // NaN stays NaN
            const float clamped = above > args.hi ? args.hi : above;
            store_element(bytes(args.dst, row * args.dst_stride + col * sizeof(T)), clamped, T{});
        }
    }
}

template <typename T>
KAI_INLINE void run_or_store_bias(SmeBlocksFn* kernel, const BlockArgs& args, size_t nr) {
    if (args.blocks == 0) {
        return store_bias<T>(args, nr);
    }
    run_blocks(kernel, args, nr);
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_ISA_sme2(T, DST, ...) \
    KAI_DEFINE_MATMUL_BLOCKS_SME(kai::run_or_store_bias<T>, kai::kOffsetNibbles, T, DST, __VA_ARGS__)

#include "kai/engines/core/other_isas.hpp"
#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(float, float, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#undef KAI_UKERNEL

#define KAI_UKERNEL(ISA, ...) KAI_ISA_##ISA(uint16_t, void, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/ukernels.def"

}  // extern "C"
