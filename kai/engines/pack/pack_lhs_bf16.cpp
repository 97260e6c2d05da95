// The LHS of bf16 for portable micro-kernels: f32 rounded to bf16, to nearest, ties to even.
//
//     | k = 0 - 3: 4 elements of row 0, 4 of row 1, ... | k = 4 - 7: ... | ...        panels of mr rows
//
// k is padded to a multiple of 4 by zeros, the last panel by rows of zeros.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_lhs_rules.hpp"
#include "kai/engines/pack/pack_lhs_source.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"

namespace kai {
namespace {

constexpr size_t kGroup = 4;
constexpr LhsRules kRules = {bf16p, 0, kGroup, 1, false, 0, 0};

/// A group of a row, each element as kai_cast_bf16_f32 has it.
KAI_INLINE void store_group(const uint8_t* from, uint8_t* to) {
    using FourHalves [[gnu::vector_size(8)]] = uint16_t;
    const auto bits = load<FourBits>(from), upper = bits >> 16;
    const FourBits rounded = (bits + 0x7FFF + (upper & 1)) >> 16;
    const FourBits bf16 = (bits & 0x7FFFFFFF) > 0x7F800000 ? upper | 0x40 : rounded;
    store(to, __builtin_convertvector(bf16, FourHalves));
}

[[gnu::noinline]] void pack_bf16(size_t m, size_t k, size_t mr, const void* lhs, size_t lhs_stride, void* packed) {
    const size_t stride = bf16p.stride({mr, kGroup, 1}, k);
    uint8_t* panel = bytes(packed);
    for (size_t first = 0; first < m; first += mr, panel += stride) {
        __builtin_memset(panel, 0, stride);
        const size_t rows = m - first < mr ? m - first : mr;
        for (size_t r = 0; r < rows; ++r) {
            const uint8_t* row = bytes(lhs, (first + r) * lhs_stride);
            uint8_t* to = panel + bf16p.at({mr, kGroup, 1}, 0, r, 0).byte;
            const size_t whole = k / kGroup * kGroup, step = mr * kGroup * sizeof(uint16_t);
            for (size_t i = 0; i < whole; i += kGroup, to += step) {
                store_group(row + i * sizeof(float), to);
            }
            for (size_t i = whole; i < k; ++i, to += sizeof(uint16_t)) {
                store(to, kai_cast_bf16_f32(load<float>(row + i * sizeof(float))));
            }
        }
    }
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_GETTERS(lhs_quant_pack_bf16p_f32, kRules)
KAI_DEFINE_LHS_PACK_RUN(lhs_quant_pack_bf16p_f32, kRules, void, kai::check_no_start(m_idx_start);
                        kai::pack_bf16(m, k, mr, lhs, lhs_stride, lhs_packed);)
