// The block kernels with NEON and bf16: P in bf16, rows and panels, is the work of block_neon_bf16_powers.S. The rest
// is that of block_neon.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/attention/block_args.h"
#include "kai/attention/block_neon.hpp"
#include "kai/kai_cpu.h"

extern "C" float32x4_t kai_attention_powers_bf16(
    const float* a, const float* b, size_t stride, void* p, size_t p_stride, size_t steps,
    const kai::attention::Powers* powers);

namespace kai::attention {
namespace {

constexpr size_t kElement = sizeof(uint16_t);

void set_rows(Powers& powers, const Row& a, const Row& b) {
    vst1q_f32(powers.offset_a, vdupq_n_f32(a.offset)), vst1q_f32(powers.offset_b, vdupq_n_f32(b.offset));
    powers.lower_a = a.lower, powers.lower_b = b.lower, powers.scale_a = a.scale, powers.scale_b = b.scale;
}

/// Plain rows, one at a time; or panels, two at a time, the last one alone.
struct Brains {
    KAI_INLINE static void run(const SoftmaxBlock& b, const Row* rows, size_t first, size_t count) {
        constexpr float kCubic[] = {kPolynomial3[1], kPolynomial3[2], kPolynomial3[3]};
        Powers powers;
        vst1q_f32(powers.c2, vdupq_n_f32(kCubic[0])), vst1q_f32(powers.c1, vdupq_n_f32(kCubic[1]));
        vst1q_f32(powers.c0, vdupq_n_f32(kCubic[2]));
        vst1q_u16(reinterpret_cast<uint16_t*>(powers.ones), vdupq_n_u16(0x3F80));
        powers.c3 = kPolynomial3[0];
        for (size_t i = 0; i < count; i += b.p_row != 0 ? 1 : 2) {
            if (b.p_row != 0) {
                plain(b, powers, rows[i], first + i, at(b.p, (first + i) * b.p_row));
            } else if (i + 1 < count) {
                two_of_panel(b, powers, rows[i], rows[i + 1], first + i);
            } else {
                one_of_panel(b, powers, rows[i], first + i);
            }
        }
    }

    KAI_INLINE static void plain(const SoftmaxBlock& b, Powers& powers, const Row& row, size_t r, void* to) {
        set_rows(powers, row, row);
        b.sum[r] += vaddvq_f32(kai_attention_powers_bf16(
            row.scores, row.scores + kQuad, 2 * kQuad * sizeof(float), to, 2 * kQuad * kElement,
            b.columns / (2 * kQuad), &powers));
    }

    static constexpr size_t kPanelRows = 8, kQuadBytes = kQuad * kElement, kGroup = kPanelRows * kQuadBytes;

    /// visit(first column, groups of four columns, the row r in the first one) for each page of a panel.
    template <typename Visit>
    KAI_INLINE static void for_each_page(const SoftmaxBlock& b, size_t r, Visit visit) {
        void* page = b.p;
        for (size_t c = 0; c < b.columns; c += b.page, page = at(page, b.page_stride)) {
            const size_t groups = (b.page < b.columns - c ? b.page : b.columns - c) / kQuad;
            visit(c, groups, at(page, r / kPanelRows * groups * kGroup + r % kPanelRows * kQuadBytes));
        }
    }

    KAI_INLINE static void two_of_panel(
        const SoftmaxBlock& b, Powers& powers, const Row& even, const Row& odd, size_t r) {
        set_rows(powers, even, odd);
        float32x4_t sums = vdupq_n_f32(0);
        for_each_page(b, r, [&](size_t c, size_t groups, void* p) {
            sums = vaddq_f32(
                sums, kai_attention_powers_bf16(
                          even.scores + c, odd.scores + c, kQuad * sizeof(float), p, kGroup, groups, &powers));
        });
        b.sum[r] += vpadds_f32(vget_low_f32(sums));
        b.sum[r + 1] += vpadds_f32(vget_high_f32(sums));
    }

    /// A plain row over its scores, which are read before, then four elements at a time.
    KAI_INLINE static void one_of_panel(const SoftmaxBlock& b, Powers& powers, const Row& row, size_t r) {
        plain(b, powers, row, r, row.scores);
        for_each_page(b, r, [&](size_t c, size_t groups, void* p) {
            const void* from = at(row.scores, c * kElement);
            for (size_t g = 0; g < groups; ++g, from = at(from, kQuadBytes), p = at(p, kGroup)) {
                __builtin_memcpy(p, from, kQuadBytes);
            }
        });
    }
};

void softmax(const SoftmaxBlock& b) {
    switch (b.p_type) {
        case kai_dt_f32:
            return softmax_of<PlainRows<TwoFloats>>(b);
        case kai_dt_f16:
            return softmax_of<PlainRows<TwoHalves>>(b);
        default:
            return softmax_of<Brains>(b);
    }
}

void add(const AddBlock& b) {
    add_neon(b);
}

void divide(float* to, const float* from, float by, size_t columns) {
    divide_neon(to, from, by, columns);
}

}  // namespace

const Kernels kNeonBf16 = {"neon_bf16", uint64_t{1} << KAI_CPU_BF16, softmax, add, divide, true};

}  // namespace kai::attention
