// From the sums of NEON tiles to results: bias, clamp, conversion, store.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_results.hpp"

#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

struct FourRows {
    float32x4_t x[4];
};

/// Results of four columns of a panel whose sums are at `tile`: ROWS rows, 2 or 4; with 2 rows, both are repeated.
/// Advances `bias` to the next quad unless it is null.
template <bool PAIRS, int ROWS>
KAI_INLINE FourRows results_of(const float* tile, const uint8_t*& bias, size_t bias_stride, float lo, float hi) {
    FourRows four;
    KAI_UNROLL(4)
    for (int i = 0; i < 4; i += 2) {
        const float* two = tile + 4 * (i % ROWS);
        float32x4_t a = vld1q_f32(two);
        const float32x4_t b = vld1q_f32(two + 4);
        __asm__("" : "+w"(a));  // not LD2, which is slower
        const float64x2_t x = vreinterpretq_f64_f32(a), y = vreinterpretq_f64_f32(b);
        four.x[i] = PAIRS ? vreinterpretq_f32_f64(vzip1q_f64(x, y)) : a;
        four.x[i + 1] = PAIRS ? vreinterpretq_f32_f64(vzip2q_f64(x, y)) : b;
    }
    if (bias != nullptr) {
        KAI_UNROLL(4)
        for (int i = 0; i < 4; ++i) {
            four.x[i] = vaddq_f32(four.x[i], load_f32x4(bias));
        }
        bias += bias_stride;
    }
    KAI_UNROLL(4)
    for (int i = 0; i < 4; ++i) {
        four.x[i] = clamped(four.x[i], lo, hi);
    }
    return four;
}

/// Four columns of a panel. Where several rows share an address, row 0 is stored last and wins.
template <class T, int ROWS>
KAI_INLINE void store_quad(const FourRows& four, uint8_t* const at[4], size_t offset) {
    KAI_UNROLL(4)
    for (int i = ROWS - 1; i >= 0; --i) {
        store_four(reinterpret_cast<T*>(at[i] + offset), four.x[i]);
    }
}

/// Whole quads of up to ROWS rows of a panel, 2 or 4. Rows past the end of the output are stored to row 0 first, which
/// then overwrites them.
template <bool PAIRS, int ROWS>
KAI_INLINE void store_rows(const StoredTiles& t, const float* tile, size_t step, size_t rows, uint8_t* dst) {
    const float lo = t.lo, hi = t.hi;
    const size_t stride = t.dst_stride, bias_stride = t.bias_stride, element_bytes = t.element_bytes;
    uint8_t* const row1 = rows > 1 ? dst + stride : dst;
    uint8_t* const row2 = rows > 2 ? dst + 2 * stride : dst;
    uint8_t* const row3 = rows > 3 ? dst + 3 * stride : dst;
    uint8_t* const at[4] = {dst, row1, row2, row3};
    const uint8_t* bias = t.bias;
    size_t offset = 0;
    for (size_t left = t.columns / 4; left > 0; --left, tile += step, offset += 4 * element_bytes) {
        const FourRows four = results_of<PAIRS, ROWS>(tile, bias, bias_stride, lo, hi);
        if (element_bytes == sizeof(float)) {
            store_quad<float, ROWS>(four, at, offset);
        } else {
            store_quad<F16, ROWS>(four, at, offset);
        }
    }
}

/// Whole quads.
template <bool PAIRS>
KAI_INLINE void store_quads(const StoredTiles& t) {
    const size_t panels = (t.rows + 3) / 4;
    size_t rows = t.rows;
    const float* tile = t.sums;
    uint8_t* dst = t.dst;
    for (; rows > 2; rows -= rows < 4 ? rows : 4, dst += 4 * t.dst_stride, tile += 16) {
        store_rows<PAIRS, 4>(t, tile, 16 * panels, rows, dst);
    }
    if (rows > 0) {
        store_rows<PAIRS, 2>(t, tile, 16 * panels, rows, dst);
    }
}

/// The last columns, fewer than a quad.
[[gnu::noinline]] void store_edge(const StoredTiles& t, StoreFn* store) {
    const size_t whole = t.columns / 4, rest = t.columns % 4, panels = (t.rows + 3) / 4;
    uint8_t edge[4 * BlocksLimits::kPanels][4 * sizeof(float)];
    StoredTiles last = t;
    last.sums += whole * panels * 16;
    last.columns = 4;
    last.bias += t.bias != nullptr ? whole * t.bias_stride : 0;
    last.dst = edge[0];
    last.dst_stride = sizeof(edge[0]);
    store(last);
    uint8_t* const out = t.dst + 4 * whole * t.element_bytes;
    for (size_t i = 0; i < t.rows; ++i) {
        __builtin_memcpy(out + i * t.dst_stride, edge[i], rest * t.element_bytes);
    }
}

}  // namespace
}  // namespace kai

void kai_store_pairs_neon(const kai::StoredTiles& t) {
    kai::store_quads<true>(t);
    if (t.columns % 4 != 0) {
        kai::store_edge(t, kai_store_pairs_neon);
    }
}
void kai_store_rows_neon(const kai::StoredTiles& t) {
    kai::store_quads<false>(t);
    if (t.columns % 4 != 0) {
        kai::store_edge(t, kai_store_rows_neon);
    }
}
