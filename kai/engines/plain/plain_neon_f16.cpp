// f16 and f32 <- f16 x f16, neither packed, sums in f32, for CPUs without FMLAL: FCVTL and FMLA.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/plain/plain_widened.hpp"

extern "C" {
kai::WidenedFn kai_kernel_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fcvtl,
    kai_kernel_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fcvtl;
kai::FloatGemmFn kai_tiles_f32_6x16_neon;
}

namespace kai {
namespace {

struct Fcvtl {
    // To f16, to f32.
    static constexpr WidenedFn* kPanel[] = {
        kai_kernel_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fcvtl,
        kai_kernel_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fcvtl};
    static constexpr WidenedFn* kRow[] = {nullptr, nullptr};
    static constexpr F32Tiles kTiles = {kai_tiles_f32_6x16_neon, false};
    static constexpr size_t kStep = 8;  // bytes

    /// sums += rows x columns, half a vector of each.
    template <size_t rows, size_t columns>
    KAI_INLINE static void add(
        float32x4_t (&sums)[rows][columns], const uint8_t* const (&a)[rows], const uint8_t* const (&b)[columns],
        size_t at) {
        nxk_few<4>(sums, a, b, at);
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_MATMUL_PLAIN_FCVTL(...) KAI_DEFINE_MATMUL_PLAIN_WIDENED(kai::Fcvtl, __VA_ARGS__)
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_FCVTL)
#define KAI_UKERNEL_PLAIN(ISA, ...) KAI_LINE(ISA, sizeof(uint16_t), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16kxn_sumf32/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16nxk_sumf32/ukernels.def"
#undef KAI_UKERNEL_PLAIN
#define KAI_UKERNEL_PLAIN(ISA, ...) KAI_LINE(ISA, sizeof(float), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16kxn/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16nxk/ukernels.def"

}  // extern "C"
