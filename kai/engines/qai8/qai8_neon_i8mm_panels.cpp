// Static int8 and static 2 bits with SMMLA and panels packed for SME, many rows (qai8_neon_panels.hpp), by the tiles of
// static int8 (qai8_neon_i8mm.S): 16 columns become what these read, up to kPanelDepth k at a time, on the stack.
//
//     for blocks of rows
//         for strips of 16 columns
//             for parts of k; the last k % 16 are a part, for which the ends of rows are copied
//                 decode: the columns to int8, 8 k of two columns in a vector
//                 sums of all rows                                                Qai8TileFn
//             results of all rows
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8/qai8_neon_panels.hpp"
#include "kai/engines/qai8/qai8_neon_parts.hpp"

extern "C" kai::Qai8TileFn kai_qai8_4x16_neon_i8mm, kai_qai8_2x16_neon_i8mm, kai_qai8_1x16_neon_i8mm;

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

/// Sums of a block of rows.
using PanelSums = int32_t[StaticLimits::kSumRows][PanelStrip::kColumns];

KAI_INLINE void add_sums(const PanelSums& more, size_t rows, PanelSums& sums) {
    for (size_t i = 0; i < rows; ++i) {
        KAI_UNROLL(4)
        for (size_t j = 0; j < PanelStrip::kColumns; j += 4) {
            vst1q_s32(&sums[i][j], vaddq_s32(vld1q_s32(&sums[i][j]), vld1q_s32(&more[i][j])));
        }
    }
}

/// A block of rows in tiles of 4, then one of 2 or 1; how many parts.
KAI_INLINE size_t divide_rows(size_t rows, Qai8Part (&parts)[2]) {
    const size_t fours = (rows + 1) / 4, first = 4 * fours;
    size_t count = 0;
    if (fours != 0) {
        parts[count++] = {kai_qai8_4x16_neon_i8mm, 0, fours, 0, 0, 0, nullptr, rows < first};
    }
    if (rows > first) {
        Qai8TileFn* const rest = rows - first == 2 ? kai_qai8_2x16_neon_i8mm : kai_qai8_1x16_neon_i8mm;
        parts[count++] = {rest, first, 1, 0, 0, 0, nullptr, false};
    }
    return count;
}

/// What a block of rows needs.
struct PanelBlock {
    static constexpr size_t kRows = StaticLimits::kSumRows, kStep = 16;       // k of a step of a tile
    static constexpr size_t kDepth = StaticLimits::kPanelDepth, kAhead = 64;  // bytes that tiles load ahead
    alignas(16) uint8_t decoded[PanelStrip::kColumns * kDepth + kAhead];
    uint8_t tails[kRows][kStep];
    PanelSums sums, more;
    Qai8Part parts[2];
    size_t rows = 0, count = 0;
    bool has_sums = false;  // of the strip

    KAI_INLINE void begin(const StaticPanels& p, const uint8_t* lhs, size_t its_rows) {
        rows = its_rows, count = divide_rows(rows, parts);
        if (p.k % kStep == 0) {
            return;
        }
        __builtin_memset(tails, 0, sizeof(tails));
        for (size_t i = 0; i < rows; ++i) {
            __builtin_memcpy(tails[i], lhs + i * p.lhs_stride + p.k / kStep * kStep, p.k % kStep);
        }
    }
    /// sums += the product of `steps` steps of all rows with what is decoded.
    KAI_INLINE void multiply(const uint8_t* lhs, size_t lhs_stride, size_t steps) {
        static constexpr int32_t kStarts[PanelStrip::kColumns] = {};
        PanelSums& to = has_sums ? more : sums;
        Qai8Args args = {};
        args.sums = 1, args.lhs_stride = lhs_stride, args.rhs = decoded;
        args.starts = reinterpret_cast<const uint8_t*>(kStarts);
        for (size_t i = 0; i < count; ++i) {
            parts[i].steps = steps;
            set_part(parts[i], args, lhs);
            set_output(parts[i], reinterpret_cast<uint8_t*>(to[0]), sizeof(to[0]), 1, args);
            parts[i].run(&args);
        }
        if (has_sums) {
            add_sums(more, rows, sums);
        }
        has_sums = true;
    }
};

/// All products of a block with a strip.
[[gnu::noinline]] void multiply_strip(
    const StaticPanels& p, const PanelStrip& strip, const uint8_t* lhs, PanelBlock& block) {
    constexpr size_t kStep = PanelBlock::kStep;
    const size_t whole = p.k / kStep * kStep, tail = p.k - whole;
    block.has_sums = false;
    for (size_t k0 = 0, depth; k0 < whole; k0 += depth) {
        depth = KAI_MIN(whole - k0, PanelBlock::kDepth);
        (p.is_int2 ? decode_int2 : decode_int8)(strip, k0 / 4, depth / 4, block.decoded);
        block.multiply(lhs + k0, p.lhs_stride, depth / kStep);
    }
    if (tail != 0) {
        __builtin_memset(block.decoded, 0, kStep * PanelStrip::kColumns);  // what is not decoded meets zeros
        (p.is_int2 ? decode_int2 : decode_int8)(strip, whole / 4, (tail + 3) / 4, block.decoded);
        block.multiply(block.tails[0], kStep, 1);
    }
    if (p.k == 0) {
        __builtin_memset(block.sums, 0, sizeof(block.sums));
    }
}

[[gnu::noinline]] void multiply_panels(const StaticPanels& p, const StaticResults::Bounds& bounds) {
    PanelBlock block;
    for (size_t first = 0; first < p.m; first += PanelBlock::kRows) {
        const uint8_t* const lhs = p.k == 0 ? nullptr : p.lhs + first * p.lhs_stride;
        block.begin(p, lhs, KAI_MIN(p.m - first, PanelBlock::kRows));
        for (size_t n0 = 0; n0 < p.n; n0 += PanelStrip::kColumns) {
            const PanelStrip strip(p, n0);
            multiply_strip(p, strip, lhs, block);
            const StaticResults results(bounds, strip);
            uint8_t* dst = p.dst + first * p.dst_stride + n0;
            for (size_t i = 0; i < block.rows; ++i, dst += p.dst_stride) {
                results.store(block.sums[i], p.n - n0, dst);
            }
        }
    }
}

void run_panels_qsu2(const kai_matmul_uker_args* args, const char* function) {
    check_args(args, function);
    if (!is_empty(args)) {
        multiply_panels(panels_of_call(args, PanelRows(VL(4)).value()), bounds_of_call(args, function));
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
                {*params, __func__});                                                           \
        }                                                                                       \
    }

extern "C" {

#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_STATIC_PANELS)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8p_qsi8cxp/ukernels.def"

}  // extern "C"
