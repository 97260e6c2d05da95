// f32 <- bf16p x FP8 with FMLAL, one row: weights become f16, exactly (f8_neon_fhm_row.S).
//
// So does the row, but for elements below 2^-28 of the largest one, which are rounded: it is multiplied by a power of 2
// that brings the largest one to 2^14 (f8_row.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/f8/f8_row.hpp"

extern "C" {
void kai_row_f8e4m3_1x12_neon_fhm(const kai::F8RowArgs*);
void kai_row_f8e5m2_1x12_neon_fhm(const kai::F8RowArgs*);
void kai_row_f8e4m3_1x16_neon_fhm(const kai::F8RowArgs*);
void kai_row_f8e5m2_1x16_neon_fhm(const kai::F8RowArgs*);
}

namespace kai {
namespace {

constexpr F8Row kE4m3 = {kai_row_f8e4m3_1x12_neon_fhm, kai_row_f8e4m3_1x16_neon_fhm, 8, 14};
constexpr F8Row kE5m2 = {kai_row_f8e5m2_1x12_neon_fhm, kai_row_f8e5m2_1x16_neon_fhm, 0, 14};

[[gnu::noinline]] void multiply_by_halves(const F8Problem& p, const F8Row& format) {
    const SubnormalNumbers halves(SubnormalNumbers::kOfHalves);
    [[gnu::aligned(16)]] uint16_t row[2 * kRowDepth];
    multiply_row(p, format, row, [&](const uint8_t* from, size_t k, float by) {
        uint16_t* to = row;
        for (size_t i = 0; i < k; i += kF8Group, to += 2 * kF8Group) {  // each 4 of them twice
            const float32x4_t x = vreinterpretq_f32_u32(vshll_n_u16(load<uint16x4_t>(from + i * sizeof(uint16_t)), 16));
            const float16x4_t half = vcvt_f16_f32(vmulq_n_f32(x, by));
            store(bytes(to), vcombine_f16(half, half));
        }
    });
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_ROW(...) KAI_DEFINE_F8(RHS_BL, kai::multiply_by_halves, __VA_ARGS__)
#define KAI_ISA_neon_fhm KAI_LINES(KAI_DEFINE_ROW)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE4m3, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e4m3c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE5m2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e5m2c32p/ukernels.def"

}  // extern "C"
