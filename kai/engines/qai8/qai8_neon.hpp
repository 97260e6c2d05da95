// Static int8 on NEON, the rows of A as they lie: int8 <- int8 x int8, a scale per channel (docs/arithmetic.md).
//
//     dst[i][j] = requantised(bias[j] + sum over k of lhs[i][k] * rhs[k][j])
//
// B comes in panels of 16 columns: bias, elements in groups of 8 k (SMMLA) or 4 k (SDOT), scales. An ISA has functions
// for tiles of some numbers of rows x 16 columns, which loop over panels and tiles and store results. Here rows are cut
// into parts of such tiles, and into blocks of which something is prepared:
//
//     for blocks of rows
//         for each part: what it needs besides the rows, on the stack          Isa::prepare
//         for strips of panels
//             how results are rounded
//             for each part: tiles x panels                                    Qai8TileFn
//             the columns after the last whole panel: to the stack, then to dst
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/requantise.hpp"
#include "kai/engines/qai8/qai8_neon_parts.hpp"

namespace kai {
namespace {

/// A bound of all sums times their scales; not finite if a scale is not. A negative scale counts as NaN.
KAI_INLINE float bound_of(const Qai8& p, const uint8_t* panel, size_t panels) {
    constexpr float kLargestProduct = 128 * 128;
    uint32x4_t scale = vdupq_n_u32(0), start = vdupq_n_u32(0);
    for (size_t i = 0; i < panels; ++i, panel += p.rhs_stride) {
        const uint8_t* const scales = panel + p.rhs_stride - kPanel * sizeof(float);
        KAI_UNROLL(4)
        for (size_t j = 0; j < kPanel / 4; ++j) {
            scale = vmaxq_u32(scale, vreinterpretq_u32_u8(vld1q_u8(scales + 16 * j)));
            start = vmaxq_u32(start, vreinterpretq_u32_s32(vabsq_s32(vreinterpretq_s32_u8(vld1q_u8(panel + 16 * j)))));
        }
    }
    const uint32_t bits = vmaxvq_u32(scale);
    float largest = __builtin_inff();
    if (bits < 0x7F800000) {
        __builtin_memcpy(&largest, &bits, sizeof(largest));
    }
    return (static_cast<float>(p.k) * kLargestProduct + static_cast<float>(vmaxvq_u32(start))) * largest;
}

/// Fields that the whole call shares; `zero` by set_rounding.
KAI_INLINE Qai8Args requantisation(const kai_matmul_requantize32_params& params, const char* function) {
    KAI_REQUIRE(
        function, params.min_value <= params.max_value, bounds_out_of_order, static_cast<double>(params.min_value),
        static_cast<double>(params.max_value));
    const int32_t lo = saturated_to_int8(params.min_value), hi = saturated_to_int8(params.max_value);
    Qai8Args args = {};
    args.clamps = lo != INT8_MIN || hi != INT8_MAX;
    vst1q_u8(args.lo, vdupq_n_u8(static_cast<uint8_t>(lo)));
    vst1q_u8(args.hi, vdupq_n_u8(static_cast<uint8_t>(hi)));
    return args;
}

/// bound: of sums times scales.
KAI_INLINE void set_rounding(float bound, int32_t zero, Qai8Args& args) {
    constexpr float kRounds = 1.5F * (1 << 23);
    constexpr int32_t kMost = 16000;  // sums and zero point together are within int16
    const bool small = bound <= kMost && zero >= -kMost && zero <= kMost;  // not if the bound is NaN
    const bool even = small && zero % 2 == 0;
    args.exact = !small, args.adds_zero = !even;
    vst1q_u8(args.rounds, vreinterpretq_u8_f32(vdupq_n_f32(even ? kRounds + static_cast<float>(zero) : kRounds)));
    const uint8x16_t small_zero = vreinterpretq_u8_s16(vdupq_n_s16(static_cast<int16_t>(zero)));
    vst1q_u8(args.zero, small ? small_zero : vreinterpretq_u8_s32(vdupq_n_s32(zero)));
}

/// Panels side by side; args.rhs is their first elements.
KAI_INLINE void run_part(
    const Qai8Part& part, size_t panels, uint8_t* dst, size_t dst_stride, Qai8Args& args, const uint8_t* lhs) {
    set_part(part, args, lhs);
    set_output(part, dst, dst_stride, panels, args);
    part.run(&args);
}
/// `panel`: the first one that is multiplied.
KAI_INLINE void set_panel(const uint8_t* panel, Qai8Args& args) {
    args.starts = panel;
    args.rhs = panel + kPanel * sizeof(int32_t);
    args.scales = panel + args.rhs_stride - kPanel * sizeof(float);
}

/// Isa: `block_rows(m, n, k, most)` rows may be prepared at a time, in a Storage; `prepare` returns how many
/// parts there are.
template <class Isa>
[[gnu::noinline]] void multiply(const Qai8& p, const kai_matmul_requantize32_params& params, const char* function) {
    Qai8Args args = requantisation(params, function);
    set_rows(p, args);
    args.starts_stride = p.rhs_stride, args.dst_width = kPanel;
    typename Isa::Storage storage;
    uint8_t results[kMostRows][kPanel];
    const size_t block = Isa::block_rows(p.m, p.n, p.k, kMostRows);
    for (size_t first = 0; first < p.m; first += block) {
        const size_t rows = KAI_MIN(p.m - first, block);
        const uint8_t* const lhs = p.row(first);
        uint8_t* const dst = p.dst + first * p.dst_stride;
        Qai8Part parts[Isa::kMostParts];
        const size_t count = Isa::prepare(p, first, rows, storage, parts);
        for (size_t n0 = 0; n0 < p.n; n0 += kStripPanels * kPanel) {
            const size_t n = KAI_MIN(p.n - n0, kStripPanels * kPanel), whole = n / kPanel, rest = n % kPanel;
            const uint8_t* const panel = p.rhs + n0 / kPanel * p.rhs_stride;
            // A bound takes longer than it saves a single row.
            const float bound = p.m == 1 ? __builtin_inff() : bound_of(p, panel, whole + (rest != 0));
            set_rounding(bound, params.output_zero_point, args);
            set_panel(panel, args);
            for (size_t i = 0; whole != 0 && i < count; ++i) {
                run_part(parts[i], whole, dst + n0, p.dst_stride, args, lhs);
            }
            if (rest == 0) {
                continue;
            }
            set_panel(panel + whole * p.rhs_stride, args);
            for (size_t i = 0; i < count; ++i) {
                run_part(parts[i], 1, results[0], kPanel, args, lhs);
            }
            for (size_t i = 0; i < rows; ++i) {
                __builtin_memcpy(dst + i * p.dst_stride + n0 + whole * kPanel, results[i], rest);
            }
        }
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_ROWS_QAI8_NEON(ISA, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)            \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, sizeof(int8_t))            \
    KAI_RUN_MATMUL_ROWS_STATIC(NAME) {                                                                           \
        static_assert((NR) == kai::kPanel && (KR) == kai::ISA::kGroup && (SR) == 1);                             \
        kai::check_element(dst_stride_col, sizeof(int8_t));                                                      \
        if (m > 0 && n > 0) {                                                                                    \
            const size_t stride = kai::RHS.stride({NR, KR, SR}, k);                                              \
            kai::multiply<kai::ISA>(                                                                             \
                {m, n, k, kai::bytes(lhs), lhs_stride, kai::bytes(rhs), stride, kai::bytes(dst), dst_stride_row, \
                 kai::is_for_a55(#NAME)},                                                                        \
                *params, __func__);                                                                              \
        }                                                                                                        \
    }
