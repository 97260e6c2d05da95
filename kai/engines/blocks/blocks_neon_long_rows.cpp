// Operands quantised in blocks of any length, one row at a time: mr = 1.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_long_args.h"
#include "kai/engines/blocks/blocks_neon.hpp"
#include "kai/engines/core/matmul_rows.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

/// Four quads, or the last ones.
template <class T>
KAI_INLINE void store_row(const float sums[][4], size_t count, T* dst, float lo, float hi) {
    for (; count >= 4; count -= 4, sums += 4, dst += 16) {
        const float32x4_t a = clamped(vld1q_f32(sums[0]), lo, hi), b = clamped(vld1q_f32(sums[1]), lo, hi);
        const float32x4_t c = clamped(vld1q_f32(sums[2]), lo, hi), d = clamped(vld1q_f32(sums[3]), lo, hi);
        store_four(dst, a);
        store_four(dst + 4, b);
        store_four(dst + 8, c);
        store_four(dst + 12, d);
    }
    for (; count > 0; --count, ++sums, dst += 4) {
        store_four(dst, clamped(vld1q_f32(sums[0]), lo, hi));
    }
}

/// One row, as RowFn.
void long_row(
    const uint8_t* lhs, const uint8_t* rhs, size_t rhs_stride, void* dst, size_t quads, size_t blocks, float lo,
    float hi, size_t bl, const BlockOperands* of, const LongRow* row) {
    constexpr size_t kQuads = BlocksLimits::kLongRowQuads;
    const bool pairs = of->rhs.rows == 8;  // of quads in a panel
    const size_t next = pairs ? 4 * row->group : rhs_stride, next_two = pairs ? rhs_stride : 2 * rhs_stride;
    const size_t element_bytes = of->element_bytes, tail = of->rhs.panel_tail;
    float sums[kQuads][4];
    LongArgs a = long_args(*of, bl, blocks, row->group);
    a.lhs = first_elements(*of, of->lhs, lhs);
    a.tiles = sums[0];
    a.rhs_stride = 2 * next_two;
    a.odd = pairs ? 8 - 4 * row->group : 0;
    uint8_t* out = bytes(dst);
    for (size_t count = 0; quads > 0; quads -= count) {
        count = quads < 4 ? quads : quads < kQuads ? quads / 4 * 4 : kQuads;
        // Missing quads repeat existing ones.
        a.quads = (count + 3) / 4;
        a.quad_1 = count > 1 || pairs ? next : 0;
        a.quad_2 = count > 2 ? next_two : 0;
        a.quad_3 = count > 3 || pairs ? a.quad_2 + a.quad_1 : a.quad_2;
        a.rhs = first_elements(*of, of->rhs, rhs);
        blocks != 0 ? row->run(&a) : void(__builtin_memset(sums, 0, sizeof(sums)));
        const uint8_t* bias = rhs + rhs_stride - tail;
        for (size_t q = 0; tail != 0 && q < count; ++q, bias += rhs_stride) {
            vst1q_f32(sums[q], vaddq_f32(vld1q_f32(sums[q]), load_f32x4(bias)));
        }
        rhs += count / 4 * a.rhs_stride;
        if (element_bytes == sizeof(float)) {
            store_row(sums, count, reinterpret_cast<float*>(out), lo, hi);
        } else {
            store_row(sums, count, reinterpret_cast<F16*>(out), lo, hi);
        }
        out += 4 * count * element_bytes;
    }
}

}  // namespace
}  // namespace kai

void kai_matmul_long_block_rows_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    const kai::BlockRowsKernel* kernel, float lo, float hi) {
    const kai::BlockOperands& of = kernel->operands;
    const size_t blocks = k / bl, rhs_stride = of.rhs.stride(blocks, bl);
    const kai::Rows rows{
        m,          n,   of.rhs.rows, kai::bytes(lhs), of.lhs.stride(blocks, bl), kai::bytes(rhs, of.rhs.panel_head),
        rhs_stride, dst, dst_stride,  of.element_bytes};
    kai::each_row(rows, [&](const uint8_t* row, const uint8_t* panels, void* out, size_t quads) {
        kai::long_row(row, panels, rhs_stride, out, quads, blocks, lo, hi, bl, &of, kernel->long_row);
    });
}
