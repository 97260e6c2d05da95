// The GEMM engine of operands quantised in blocks: turns the sums of tiles into results (bias, clamp, conversion) and
// stores them.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon.hpp"

#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

struct FourRows {
    float32x4_t x[4];
};

/// Results of four columns of a panel whose sums are at `tile`: ROWS rows, 2 or 4; with 2 rows, both are repeated.
/// Advances `bias` to the next panel unless it is null.
template <bool PAIRS, int ROWS>
KAI_INLINE FourRows results_of(const float* tile, const uint8_t*& bias, size_t rhs_stride, float lo, float hi) {
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
        bias += rhs_stride;
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

/// Up to ROWS rows of a panel, 2 or 4. Rows past the end of the output are stored to row 0 first, which then
/// overwrites them.
template <bool PAIRS, int ROWS>
KAI_INLINE void store_rows(
    const BlocksProblem& p, const StoredTiles& t, const float* tile, size_t step, size_t rows, uint8_t* dst) {
    const float lo = p.lo, hi = p.hi;
    const size_t stride = t.dst_stride, rhs_stride = p.rhs_stride, element_bytes = p.of.element_bytes;
    uint8_t* const row1 = rows > 1 ? dst + stride : dst;
    uint8_t* const row2 = rows > 2 ? dst + 2 * stride : dst;
    uint8_t* const row3 = rows > 3 ? dst + 3 * stride : dst;
    uint8_t* const at[4] = {dst, row1, row2, row3};
    const uint8_t* bias = t.bias;
    size_t offset = 0;
    for (size_t left = t.quads; left > 0; --left, tile += step, offset += 4 * element_bytes) {
        const FourRows four = results_of<PAIRS, ROWS>(tile, bias, rhs_stride, lo, hi);
        if (element_bytes == sizeof(float)) {
            store_quad<float, ROWS>(four, at, offset);
        } else {
            store_quad<F16, ROWS>(four, at, offset);
        }
    }
}

/// Adds the bias, clamps, converts, stores.
template <bool PAIRS>
KAI_INLINE void store_tiles(const BlocksProblem& p, const StoredTiles& t) {
    const size_t panels = (t.rows + 3) / 4;
    size_t rows = t.rows;
    const float* tile = t.sums;
    uint8_t* dst = t.dst;
    for (; rows > 2; rows -= rows < 4 ? rows : 4, dst += 4 * t.dst_stride, tile += 16) {
        store_rows<PAIRS, 4>(p, t, tile, 16 * panels, rows, dst);
    }
    if (rows > 0) {
        store_rows<PAIRS, 2>(p, t, tile, 16 * panels, rows, dst);
    }
}

}  // namespace
}  // namespace kai

void kai_store_pairs_neon(const kai::BlocksProblem& p, const kai::StoredTiles& t) {
    kai::store_tiles<true>(p, t);
}
void kai_store_rows_neon(const kai::BlocksProblem& p, const kai::StoredTiles& t) {
    kai::store_tiles<false>(p, t);
}
