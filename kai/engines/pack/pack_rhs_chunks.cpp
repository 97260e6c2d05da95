// RHS packers of static int8 for indirect matmul, on every host: as pack_rhs_channels.cpp, each chunk padded with zeros
// to whole groups of k.
//
//     | bias: nr | chunk 0: k = 0 ... kr - 1 of each column | k = kr ... | ... | chunk 1: ... | scales: nr |
//
//     packed bias = bias - params->lhs_zero_point * sum of the column, packed scale = scale * params->scale_multiplier
//
// Missing columns of the last panel become zero, and so do their bias and scale.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_rhs_checks.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

struct StaticChunks {
    size_t n, chunks, length, kr;
    const uint8_t* rhs;
    size_t rhs_stride;
    const uint8_t *bias, *scale;
    uint8_t* packed;
    size_t panel_stride;
    kai_rhs_pack_qsi8cx_params params;
};

constexpr size_t kPanel = 16, kFields = kPanel * sizeof(int32_t);

/// The elements of `columns` columns, the first at rhs. sums: of each column.
[[gnu::noinline]] void pack_elements(
    const StaticChunks& p, const uint8_t* rhs, size_t columns, uint8_t* to, uint32_t (&sums)[kPanel]) {
    for (size_t chunk = 0; chunk < p.chunks; ++chunk) {
        for (size_t k = 0; k < p.length; k += p.kr, to += kPanel * p.kr) {
            __builtin_memset(to, 0, kPanel * p.kr);
            for (size_t i = 0; i < p.kr && k + i < p.length; ++i, rhs += p.rhs_stride) {
                for (size_t column = 0; column < columns; ++column) {
                    to[column * p.kr + i] = rhs[column];
                    sums[column] += static_cast<uint32_t>(static_cast<int8_t>(rhs[column]));
                }
            }
        }
    }
}

[[gnu::noinline]] void pack(const StaticChunks& p) {
    for (size_t n0 = 0; n0 < p.n; n0 += kPanel) {
        const size_t columns = KAI_MIN(p.n - n0, kPanel);
        uint8_t* const panel = p.packed + n0 / kPanel * p.panel_stride;
        uint32_t sums[kPanel] = {}, biases[kPanel] = {};
        float scales[kPanel] = {};
        pack_elements(p, p.rhs + n0, columns, panel + kFields, sums);
        if (p.bias != nullptr) {
            __builtin_memcpy(biases, p.bias + n0 * sizeof(int32_t), columns * sizeof(int32_t));
        }
        for (size_t i = 0; i < columns; ++i) {
            biases[i] -= static_cast<uint32_t>(p.params.lhs_zero_point) * sums[i];
            scales[i] = load<float>(p.scale + (n0 + i) * sizeof(float)) * p.params.scale_multiplier;
        }
        __builtin_memcpy(panel, biases, sizeof(biases));
        __builtin_memcpy(panel + p.panel_stride - kFields, scales, sizeof(scales));
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_STATIC_CHUNKS(NAME, KR)                                                                           \
    KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS(NAME, qsi8cxpbi32sf32, 16, KR, 1, int8_t, int32_t)                           \
    KAI_DEFINE_RHS_PACK_SCALE_OFFSET(NAME)                                                                           \
    void kai_run_##NAME(                                                                                             \
        size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t rhs_stride, const void* rhs, const void* bias, \
        const void* scale, void* rhs_packed, const struct kai_rhs_pack_qsi8cx_params* params) {                      \
        const size_t k = k_chunk_count * k_chunk_length;                                                             \
        KAI_CHECK_RHS_CHUNKS(8, true, true, n, k, rhs, rhs_stride, rhs_packed, scale, params)                        \
        if (n != 0) {                                                                                                \
            kai::pack(                                                                                               \
                {n, k_chunk_length == 0 ? 0 : k_chunk_count, k_chunk_length, KR, kai::bytes(rhs), rhs_stride,        \
                 kai::bytes(bias), kai::bytes(scale), kai::bytes(rhs_packed),                                        \
                 kai::qsi8cxpbi32sf32.stride({16, KR, 1}, kai::Chunks{k_chunk_count, k_chunk_length}), *params});    \
        }                                                                                                            \
    }

extern "C" {

KAI_DEFINE_STATIC_CHUNKS(rhs_imatmul_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32, 4)
KAI_DEFINE_STATIC_CHUNKS(rhs_imatmul_pack_kxn_qsi8cxp16x8sb_qs8cx_f32_i32, 8)

}  // extern "C"
