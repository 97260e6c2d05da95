// RHS packers of static int8 and of low precision for indirect matmul, on every host: as pack_rhs_channels.cpp, each
// chunk padded with zeros to whole groups of k.
//
//     | bias: nr | chunk 0: k = 0 ... kr - 1 of each column | k = kr ... | ... | chunk 1: ... | scales: nr |
//
//     packed bias = bias - params->lhs_zero_point * sum of the column, packed scale = scale * params->scale_multiplier
//
// Low precision has the sums of columns alone: behind the elements, or before them if weights are signed and the last 8
// of 16 inverted (groups of 16). Missing columns of the last panel become zero, and so do their fields.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_rhs_checks.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr size_t kMostColumns = 16;  // of a panel

/// Weights, and how panels have them.
struct WeightChunks {
    size_t n, chunks, length;
    const uint8_t* rhs;
    size_t k_stride, n_stride;  // of rhs: bytes from one k to the next, from column to column
    uint8_t* packed;
    size_t panel_stride;
    size_t nr, kr;
    bool is_unsigned, inverts;
};

/// The elements of `columns` columns, the first at rhs. sums: of each column, padding included.
[[gnu::noinline]] void pack_elements(
    const WeightChunks& p, const uint8_t* rhs, size_t columns, uint8_t* to, uint32_t (&sums)[kMostColumns]) {
    const uint8_t z = p.inverts && p.is_unsigned ? 0x80 : 0;  // what makes weights signed
    size_t depth = 0;
    for (size_t chunk = 0; chunk < p.chunks; ++chunk) {
        for (size_t k = 0; k < p.length; k += p.kr, depth += p.kr, to += p.nr * p.kr) {
            __builtin_memset(to, 0, p.nr * p.kr);
            for (size_t i = 0; i < p.kr && k + i < p.length; ++i, rhs += p.k_stride) {
                for (size_t column = 0; column < columns; ++column) {
                    const uint8_t x = rhs[column * p.n_stride];
                    to[column * p.kr + i] = x;
                    sums[column] += static_cast<uint32_t>(p.is_unsigned ? x : static_cast<int8_t>(x));
                }
            }
            for (size_t i = 0; i < p.nr * p.kr && p.inverts; ++i) {
                to[i] ^= static_cast<uint8_t>((i / p.kr < columns ? z : 0) ^ (i % 16 < 8 ? 0 : 0xFF));
            }
        }
    }
    for (size_t column = 0; column < columns; ++column) {
        sums[column] -= static_cast<uint32_t>(z * depth);
    }
}

/// pack_fields(panel, first column, columns, sums).
template <class PackFields>
KAI_INLINE void pack_panels(const WeightChunks& p, size_t head, PackFields pack_fields) {
    for (size_t n0 = 0; n0 < p.n; n0 += p.nr) {
        const size_t columns = KAI_MIN(p.n - n0, p.nr);
        uint8_t* const panel = p.packed + n0 / p.nr * p.panel_stride;
        uint32_t sums[kMostColumns] = {};
        pack_elements(p, p.rhs + n0 * p.n_stride, columns, panel + head, sums);
        pack_fields(panel, n0, columns, sums);
    }
}

struct StaticFields {
    const uint8_t *bias, *scale;
    kai_rhs_pack_qsi8cx_params params;
};

[[gnu::noinline]] void pack_static(const WeightChunks& p, const StaticFields& f) {
    constexpr size_t kFields = kMostColumns * sizeof(int32_t);
    pack_panels(p, kFields, [&](uint8_t* panel, size_t n0, size_t columns, const uint32_t* sums) {
        uint32_t biases[kMostColumns] = {};
        float scales[kMostColumns] = {};
        if (f.bias != nullptr) {
            __builtin_memcpy(biases, f.bias + n0 * sizeof(int32_t), columns * sizeof(int32_t));
        }
        for (size_t i = 0; i < columns; ++i) {
            biases[i] -= static_cast<uint32_t>(f.params.lhs_zero_point) * sums[i];
            scales[i] = load<float>(f.scale + (n0 + i) * sizeof(float)) * f.params.scale_multiplier;
        }
        __builtin_memcpy(panel, biases, sizeof(biases));
        __builtin_memcpy(panel + p.panel_stride - kFields, scales, sizeof(scales));
    });
}

[[gnu::noinline]] void pack_lowp(const WeightChunks& p) {
    const size_t fields = p.nr * sizeof(int32_t);
    pack_panels(p, p.inverts ? fields : 0, [&](uint8_t* panel, size_t, size_t, const uint32_t* sums) {
        __builtin_memcpy(p.inverts ? panel : panel + p.panel_stride - fields, sums, fields);
    });
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_STATIC_CHUNKS(NAME, KR)                                                                             \
    KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS(NAME, qsi8cxpbi32sf32, 16, KR, 1, int8_t, int32_t)                             \
    KAI_DEFINE_RHS_PACK_SCALE_OFFSET(NAME)                                                                             \
    void kai_run_##NAME(                                                                                               \
        size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t rhs_stride, const void* rhs, const void* bias,   \
        const void* scale, void* rhs_packed, const struct kai_rhs_pack_qsi8cx_params* params) {                        \
        const size_t k = k_chunk_count * k_chunk_length;                                                               \
        KAI_CHECK_RHS_CHUNKS(8, true, true, n, k, rhs, rhs_stride, rhs_packed, scale, params)                          \
        const kai::Chunks depth = {k_chunk_length == 0 ? 0 : k_chunk_count, k_chunk_length};                           \
        if (n != 0) {                                                                                                  \
            const size_t stride = kai::qsi8cxpbi32sf32.stride({16, KR, 1}, depth);                                     \
            kai::pack_static(                                                                                          \
                {n, depth.count, depth.length, kai::bytes(rhs), rhs_stride, 1, kai::bytes(rhs_packed), stride, 16, KR, \
                 false, false},                                                                                        \
                {kai::bytes(bias), kai::bytes(scale), *params});                                                       \
        }                                                                                                              \
    }

/// kai_run_NAME of low precision, whose source is K x N or not.
#define KAI_DEFINE_LOWP_CHUNKS_RUN(NAME, KXN, FORMAT, NR, KR, UNSIGNED)                                              \
    void kai_run_##NAME(                                                                                             \
        size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t rhs_stride, const void* rhs, const void* bias, \
        void* rhs_packed) {                                                                                          \
        const size_t k = k_chunk_count * k_chunk_length;                                                             \
        KAI_REQUIRE_ALWAYS(__func__, n == 0 || bias == nullptr, no_place, "bias");                                   \
        KAI_CHECK_RHS_CHUNKS(8, KXN, false, n, k, rhs, rhs_stride, rhs_packed, nullptr, nullptr)                     \
        const kai::Chunks depth = {k_chunk_length == 0 ? 0 : k_chunk_count, k_chunk_length};                         \
        const size_t stride = kai::FORMAT.stride({NR, KR, 1}, depth);                                                \
        kai::pack_lowp(                                                                                              \
            {n, depth.count, depth.length, kai::bytes(rhs), (KXN) ? rhs_stride : 1, (KXN) ? 1 : rhs_stride,          \
             kai::bytes(rhs_packed), stride, NR, KR, UNSIGNED, (KR) == 16});                                         \
    }
#define KAI_DEFINE_LOWP_CHUNKS(TILE, SOURCE, FORMAT, NR, KR, UNSIGNED)                                               \
    KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS(rhs_imatmul_pack_kxn_##TILE##_##SOURCE, FORMAT, NR, KR, 1, uint8_t, int32_t) \
    KAI_DEFINE_LOWP_CHUNKS_RUN(rhs_imatmul_pack_kxn_##TILE##_##SOURCE, true, FORMAT, NR, KR, UNSIGNED)               \
    KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS_NXK(rhs_imatmul_pack_nxk_##TILE##_##SOURCE, FORMAT, NR, KR, 1, int32_t)      \
    KAI_DEFINE_LOWP_CHUNKS_RUN(rhs_imatmul_pack_nxk_##TILE##_##SOURCE, false, FORMAT, NR, KR, UNSIGNED)

extern "C" {

KAI_DEFINE_STATIC_CHUNKS(rhs_imatmul_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32, 4)
KAI_DEFINE_STATIC_CHUNKS(rhs_imatmul_pack_kxn_qsi8cxp16x8sb_qs8cx_f32_i32, 8)

KAI_DEFINE_LOWP_CHUNKS(qau8p16x8sumi32, qau8, qau8psumi32, 16, 8, true)
KAI_DEFINE_LOWP_CHUNKS(qau8p16x4sumi32, qau8, qau8psumi32, 16, 4, true)
KAI_DEFINE_LOWP_CHUNKS(qau8p4x16, qau8, qau8p, 4, 16, true)
KAI_DEFINE_LOWP_CHUNKS(qsi8p16x8sumi32, qsi8, qsi8psumi32, 16, 8, false)
KAI_DEFINE_LOWP_CHUNKS(qsi8p16x4sumi32, qsi8, qsi8psumi32, 16, 4, false)
KAI_DEFINE_LOWP_CHUNKS(qsi8p4x16, qsi8, qsi8p, 4, 16, false)

}  // extern "C"
