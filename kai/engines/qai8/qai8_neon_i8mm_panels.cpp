// Static int8 and static 2 bits with SMMLA and panels packed for SME, many rows (qai8_neon_panels.hpp), by the tiles of
// static int8 (qai8_neon_i8mm.S): rows are packed, and 16 columns become a panel of NEON, on the stack.
//
//     for blocks of rows
//         pack: 8 k of two rows in a vector                                       kai_qai8_prepare
//         for strips of 16 columns
//             decode: the columns to int8, 8 k of two columns in a vector         DecodedPanel
//             results                                                             Qai8TileFn
//
// A deep k is cut into parts: their sums are added, then rounded.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8/qai8_neon.hpp"
#include "kai/engines/qai8/qai8_neon_panels.hpp"

extern "C" {
/// Cuts rows into tiles, and packs them if there are more than a few columns (qai8_neon_i8mm.cpp); how many parts.
[[gnu::visibility("hidden")]] size_t kai_qai8_prepare_neon_i8mm(
    const kai::Qai8& p, size_t rows, uint8_t* packed, kai::Qai8Part* parts);
}

namespace kai {
namespace {

/// 8 k of 16 columns, from 4 k and the next 4 of four columns each.
KAI_INLINE void store_8k(const uint32x4_t (&low)[4], const uint32x4_t (&high)[4], uint8_t* to) {
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        vst1q_u8(to + 32 * i, vreinterpretq_u8_u32(vzip1q_u32(low[i], high[i])));
        vst1q_u8(to + 32 * i + 16, vreinterpretq_u8_u32(vzip2q_u32(low[i], high[i])));
    }
}

/// int8. `groups` of 4 k; the second one of the last 8 may not exist.
[[gnu::noinline]] void decode_int8(const PanelStrip& strip, size_t group, size_t groups, uint8_t* to) {
    const uint8_t *left = strip.elements[0] + group * strip.group, *right = strip.elements[1] + group * strip.group;
    const auto load = [&](uint32x4_t(&quads)[4]) {
        quads[0] = vreinterpretq_u32_u8(vld1q_u8(left)), quads[1] = vreinterpretq_u32_u8(vld1q_u8(left + 16));
        quads[2] = vreinterpretq_u32_u8(vld1q_u8(right)), quads[3] = vreinterpretq_u32_u8(vld1q_u8(right + 16));
        left += strip.group, right += strip.group;
    };
    uint32x4_t low[4], high[4] = {};
    for (size_t g = 0; g < groups; g += 2, to += 8 * PanelStrip::kColumns) {
        load(low);
        if (g + 1 < groups) {
            load(high);
        } else {
            high[0] = high[1] = high[2] = high[3] = vdupq_n_u32(0);
        }
        store_8k(low, high, to);
    }
}

/// 2 bits. An even number of groups: panels have k up to a multiple of 32. A byte of a column becomes 4 bytes, each
/// shifted as its k asks for, then masked.
[[gnu::noinline]] void decode_int2(const PanelStrip& strip, size_t group, size_t groups, uint8_t* to) {
    static constexpr uint8_t kPairs[4][16] = {
        {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3},
        {4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
        {8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 11},
        {12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15}};
    static constexpr int8_t kShifts[16] = {0, -2, -4, -6, 0, -2, -4, -6, 0, -2, -4, -6, 0, -2, -4, -6};
    const int8x16_t shifts = vld1q_s8(kShifts);
    const uint8x16_t mask = vdupq_n_u8(3), offset = vdupq_n_u8(2);
    const uint8x16_t pairs[4] = {vld1q_u8(kPairs[0]), vld1q_u8(kPairs[1]), vld1q_u8(kPairs[2]), vld1q_u8(kPairs[3])};
    const uint8_t *left = strip.elements[0] + group * strip.group, *right = strip.elements[1] + group * strip.group;
    const auto load = [&] {
        const uint8x16_t codes = vcombine_u8(vld1_u8(left), vld1_u8(right));
        left += strip.group, right += strip.group;
        return codes;
    };
    for (size_t g = 0; g < groups; g += 2) {
        const uint8x16_t low = load(), high = load(), both[2] = {vzip1q_u8(low, high), vzip2q_u8(low, high)};
        KAI_UNROLL(8)
        for (size_t i = 0; i < 8; ++i, to += 16) {
            const uint8x16_t codes = vandq_u8(vshlq_u8(vqtbl1q_u8(both[i / 4], pairs[i % 4]), shifts), mask);
            vst1q_u8(to, vsubq_u8(codes, offset));
        }
    }
}

/// 16 columns of a panel of SME as a panel of NEON (qai8_neon.hpp), with some of their k.
struct DecodedPanel {
    static constexpr size_t kColumns = PanelStrip::kColumns, kDepth = StaticLimits::kPanelDepth;
    alignas(16) uint8_t starts[kColumns * sizeof(int32_t)];
    uint8_t elements[kColumns * kDepth];
    uint8_t scales[kColumns * sizeof(float)];

    KAI_INLINE void take(const StaticPanels& p, const PanelStrip& strip, size_t k0, size_t depth) {
        constexpr size_t kHalf = sizeof(starts) / 2;
        KAI_UNROLL(2)
        for (size_t h = 0; h < 2; ++h) {
            __builtin_memcpy(starts + h * kHalf, strip.starts[h], kHalf);
            __builtin_memcpy(scales + h * kHalf, strip.scales[h], kHalf);
        }
        if (p.is_int2) {
            decode_int2(strip, k0 / 4, (depth + 7) / 8 * 2, elements);
        } else {
            decode_int8(strip, k0 / 4, (depth + 3) / 4, elements);
        }
    }
};

/// A block of rows and a strip of columns, both with some of their k.
struct PanelBlock {
    uint8_t packed[StaticLimits::kPanelRows * StaticLimits::kPanelDepth + Qai8Part::kAhead];
    DecodedPanel panel;
    Qai8Part parts[Qai8Part::kMost];
    size_t rows, count;

    KAI_INLINE void take_rows(const StaticPanels& p, const uint8_t* lhs, size_t its_rows, size_t depth) {
        const Qai8 all = {its_rows, p.n, depth, lhs, p.lhs_stride, nullptr, 0, nullptr, 0, false};
        rows = its_rows, count = kai_qai8_prepare_neon_i8mm(all, rows, packed, parts);
    }
    /// Of all sums times scales.
    KAI_INLINE float bound(size_t k) const {
        return bound_of(
            {rows, DecodedPanel::kColumns, k, nullptr, 0, panel.starts, sizeof(panel), nullptr, 0, false}, panel.starts,
            1);
    }
};

/// Sums of a block of rows x 16 columns, between two parts of k, as tiles hold them: a single row takes 256 bytes.
struct CarriedSums {
    static constexpr size_t kRow = DecodedPanel::kColumns * sizeof(int32_t);
    uint8_t bytes[(StaticLimits::kPanelRows - 1) * kRow + 256];
};

/// Parts of k of a block with a strip: the sums carried before and after it; NULL: the first or last part.
struct PartOfDepth {
    const uint8_t* lhs;
    const CarriedSums* before;
    CarriedSums* after;
};
KAI_INLINE void multiply_strip(
    const PanelBlock& block, const PartOfDepth& part, uint8_t* dst, size_t dst_stride, Qai8Args& args) {
    for (size_t i = 0; i < block.count; ++i) {
        const size_t carried = block.parts[i].first * CarriedSums::kRow;
        args.carry_in = part.before != nullptr ? part.before->bytes + carried : nullptr;
        args.carry_out = part.after != nullptr ? part.after->bytes + carried : nullptr;
        run_part(block.parts[i], 1, dst, dst_stride, args, part.lhs);
    }
}

/// A block of rows, whose packed form all columns share, or kPanelStrips strips where k has several parts.
[[gnu::noinline]] void multiply_block(
    const StaticPanels& p, const uint8_t* lhs, size_t rows, int32_t zero, Qai8Args& args, uint8_t* dst) {
    constexpr size_t kColumns = DecodedPanel::kColumns, kStrips = StaticLimits::kPanelStrips;
    const size_t group = p.k <= DecodedPanel::kDepth ? p.n : kStrips * kColumns;
    PanelBlock block;
    CarriedSums carried[kStrips];
    uint8_t results[StaticLimits::kPanelRows][kColumns];
    for (size_t n0 = 0; n0 < p.n; n0 += group) {
        size_t k0 = 0, depth = 0;
        do {
            depth = KAI_MIN(p.k - k0, DecodedPanel::kDepth);
            block.take_rows(p, lhs + k0, rows, depth);
            const bool is_last = k0 + depth == p.k;
            for (size_t n = n0; n < KAI_MIN(p.n, n0 + group); n += kColumns) {
                CarriedSums& sums = carried[(n - n0) / kColumns % kStrips];
                const PartOfDepth part = {lhs + k0, k0 == 0 ? nullptr : &sums, is_last ? nullptr : &sums};
                block.panel.take(p, PanelStrip(p, n), k0, depth);
                set_panel(block.panel.starts, args);
                if (is_last) {
                    set_rounding(block.bound(p.k), zero, args);
                }
                if (p.n - n >= kColumns) {
                    multiply_strip(block, part, dst + n, p.dst_stride, args);
                    continue;
                }
                multiply_strip(block, part, results[0], sizeof(results[0]), args);
                for (size_t i = 0; is_last && i < rows; ++i) {
                    __builtin_memcpy(dst + i * p.dst_stride + n, results[i], p.n - n);
                }
            }
            k0 += depth;
        } while (k0 < p.k);
    }
}

void multiply_panels(const StaticPanels& p, const kai_matmul_requantize32_params& params, const char* function) {
    Qai8Args args = requantisation(params, function);
    args.lhs_stride = p.k == 0 ? 0 : p.lhs_stride, args.rhs_stride = sizeof(DecodedPanel);
    constexpr size_t kRows = StaticLimits::kPanelRows;
    for (size_t first = 0; first < p.m; first += kRows) {
        const uint8_t* const lhs = p.k == 0 ? nullptr : p.lhs + first * p.lhs_stride;
        multiply_block(
            p, lhs, KAI_MIN(p.m - first, kRows), params.output_zero_point, args, p.dst + first * p.dst_stride);
    }
}

void run_panels_qsu2(const kai_matmul_uker_args* args, const char* function) {
    check_args(args, function);
    if (!is_empty(args)) {
        multiply_panels(panels_of_call(args, PanelRows(VL(4)).value()), requantisation_of(args, function), function);
    }
}

}  // namespace
}  // namespace kai

KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8_qsu2cxp16vsx4sf32bi32_4x16vs_neon_i8mm, kai::run_panels_qsu2, kai::packed(kai::x8p, 1, 1),
    kai::packed(kai::qsu2cxpbi32sf32, VL(4), 4), 4, VL(4), sizeof(int8_t))

#define KAI_DEFINE_STATIC_PANELS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(int8_t))   \
    KAI_RUN_MATMUL_QAI8(NAME) {                                                                 \
        static_assert((MR) == 1);                                                               \
        kai::check_element(dst_stride_col, sizeof(int8_t));                                     \
        if (m > 0 && n > 0) {                                                                   \
            const size_t nr = NR;                                                               \
            kai::multiply_panels(                                                               \
                {m, n, k, kai::bytes(lhs), kai::LHS.stride({MR, KR, SR}, k), kai::bytes(rhs),   \
                 kai::RHS.stride({nr, KR, SR}, k), nr, kai::bytes(dst), dst_stride_row, false}, \
                *params, __func__);                                                             \
        }                                                                                       \
    }

extern "C" {

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_STATIC_PANELS)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"

}  // extern "C"
