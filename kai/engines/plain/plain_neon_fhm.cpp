// f16 and f32 <- f16 x f16, neither packed, sums in f32, by FMLAL.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/plain/plain_widened.hpp"

extern "C" kai::WidenedFn kai_kernel_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fmlal,
    kai_kernel_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fmlal, kai_row_f16_f16_f16p32x1b_1x64_neon_fmlal,
    kai_row_f32_f16_f16p32x1b_1x64_neon_fmlal;

namespace kai {
namespace {

struct Fmlal {
    // To f16, to f32.
    static constexpr WidenedFn* kPanel[] = {
        kai_kernel_matmul_clamp_f16_f16_f16p32x1b_6x32_neon_fmlal,
        kai_kernel_matmul_clamp_f32_f16_f16p32x1b_6x32_neon_fmlal};
    static constexpr WidenedFn* kRow[] = {
        kai_row_f16_f16_f16p32x1b_1x64_neon_fmlal, kai_row_f32_f16_f16p32x1b_1x64_neon_fmlal};
    static constexpr F32Tiles kTiles = kNoTiles;
    static constexpr size_t kStep = 16;  // bytes

    /// sums += rows x columns, a vector of each.
    template <size_t rows, size_t columns>
    KAI_INLINE static void add(
        float32x4_t (&sums)[rows][columns], const uint8_t* const (&a)[rows], const uint8_t* const (&b)[columns],
        size_t at) {
        float16x8_t x[columns];
        KAI_UNROLL(16)
        for (size_t c = 0; c < columns; ++c) {
            x[c] = load<float16x8_t>(b[c] + at);
        }
        KAI_UNROLL(16)
        for (size_t r = 0; r < rows; ++r) {
            const float16x8_t y = load<float16x8_t>(a[r] + at);
            KAI_UNROLL(16)
            for (size_t c = 0; c < columns; ++c) {
                sums[r][c] = vfmlalq_low_f16(sums[r][c], x[c], y);
            }
            KAI_UNROLL(16)
            for (size_t c = 0; c < columns; ++c) {
                sums[r][c] = vfmlalq_high_f16(sums[r][c], x[c], y);
            }
        }
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_MATMUL_PLAIN_FMLAL(...) KAI_DEFINE_MATMUL_PLAIN_WIDENED(kai::Fmlal, __VA_ARGS__)
#define KAI_ISA_neon_fhm KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_FMLAL)
#define KAI_UKERNEL_PLAIN(ISA, ...) KAI_LINE(ISA, sizeof(uint16_t), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16kxn_sumf32/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16nxk_sumf32/ukernels.def"
#undef KAI_UKERNEL_PLAIN
#define KAI_UKERNEL_PLAIN(ISA, ...) KAI_LINE(ISA, sizeof(float), __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16kxn/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16nxk/ukernels.def"

}  // extern "C"
