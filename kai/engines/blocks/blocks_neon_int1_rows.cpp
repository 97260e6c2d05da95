// f32 <- qsi8d32p x weights of 1 bit on any AArch64, rows one after another, also rows of panels. Sums of four elements
// of the row are looked up:
//
//     for chunks of a row
//         for every 4 k                  table = their 16 sums: of none, of k, of k + 1, of both, ...
//         for panels of 16 columns
//             for blocks
//                 T = sum over every 4 k of table[four bits of the column]        TBL, 16 columns at once
//                 results = fma(f32(2 T - sum of the row), row_scale * scales, results)
//
// T is the sum of the elements whose bits are set, hence the weights 1 and -1. A sum of four int8 has ten bits: bytes
// `low` of five bits and `high` of four and the sign, each with a TBL. Eight of either fit in a byte (32 k), 128 k in
// 16 bits. A nibble of a byte has k that follow each other, the low one the first four.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_int1.hpp"

namespace kai {
namespace {

constexpr size_t kColumns = 16, kStep = 32, kStepBytes = kStep / 8 * kColumns;
constexpr size_t kDepth = BlocksLimits::kTableDepth, kTableBytes = 32, kStepTables = kStep / 4 * kTableBytes;
constexpr size_t kPartSteps = 4;  // whose sums fit in 16 bits
constexpr size_t kFields = 2 * kColumns;

/// The tables of a chunk: 16 bytes `low` and 16 bytes `high` for every 4 k; sums and scales of its blocks.
struct RowChunk {
    uint8_t tables[kDepth / 4 * kTableBytes];
    int32_t sums[kDepth / kStep];
    float scales[kDepth / kStep];
};

/// 16 columns.
struct Sums {
    int32x4_t of[4];
};
struct Results {
    float32x4_t of[4];
};

/// A call. Strides are in bytes; mr: rows of a panel of the LHS.
struct BitsProblem {
    size_t n, blocks, bl;
    const uint8_t* rhs;
    size_t rhs_stride, rhs_block, lhs_block, mr;
    float lo, hi;
};

/// A row: its scale in the first block, its first eight elements.
struct Row {
    const uint8_t *scale, *elements;
};

/// The table of elements K to K + 3 of x.
template <int K>
KAI_INLINE void tabulate_4(int16x8_t x, uint8_t* table) {
    constexpr int16x8_t kBit0 = {0, 1, 0, 1, 0, 1, 0, 1}, kBit1 = {0, 0, 1, 1, 0, 0, 1, 1},
                        kBit2 = {0, 0, 0, 0, 1, 1, 1, 1};
    int16x8_t first = vmulq_laneq_s16(kBit0, x, K);
    first = vmlaq_laneq_s16(first, kBit1, x, K + 1);
    first = vmlaq_laneq_s16(first, kBit2, x, K + 2);
    const int16x8_t second = vaddq_s16(first, vdupq_laneq_s16(x, K + 3));
    const int8x16_t low = vuzp1q_s8(vreinterpretq_s8_s16(first), vreinterpretq_s8_s16(second));
    vst1q_u8(table, vandq_u8(vreinterpretq_u8_s8(low), vdupq_n_u8(31)));
    vst1q_u8(table + 16, vreinterpretq_u8_s8(vshrn_high_n_s16(vshrn_n_s16(first, 5), second, 5)));
}

/// The tables of some steps of a row of a panel. Returns the sum of its elements.
[[gnu::noinline]] int32_t tabulate(const uint8_t* row, size_t mr, size_t k, uint8_t* tables) {
    int32x4_t sum = vdupq_n_s32(0);
    for (size_t i = 0; i < k; i += 8, tables += 2 * kTableBytes) {
        const int16x8_t x = vmovl_s8(vreinterpret_s8_u8(vld1_u8(row + i * mr)));
        sum = vpadalq_s16(sum, x);
        tabulate_4<0>(x, tables);
        tabulate_4<4>(x, tables + kTableBytes);
    }
    return vaddvq_s32(sum);
}

/// left, right += T of a step, of columns 0 to 7 and 8 to 15.
KAI_INLINE void add_step(const uint8_t* tables, const uint8_t* packed, int16x8_t& left, int16x8_t& right) {
    uint8x16_t low = {}, high = {};
    KAI_UNROLL(4)
    for (size_t j = 0; j < kStep / 8; ++j) {
        const uint8x16_t bits = vld1q_u8(packed + j * kColumns);
        const uint8x16_t first = vandq_u8(bits, vdupq_n_u8(15)), second = vshrq_n_u8(bits, 4);
        const uint8_t* table = tables + 2 * j * kTableBytes;
        const uint8x16_t l = vqtbl1q_u8(vld1q_u8(table), first), h = vqtbl1q_u8(vld1q_u8(table + 16), first);
        low = j == 0 ? l : vaddq_u8(low, l);
        high = j == 0 ? h : vaddq_u8(high, h);
        low = vaddq_u8(low, vqtbl1q_u8(vld1q_u8(table + kTableBytes), second));
        high = vaddq_u8(high, vqtbl1q_u8(vld1q_u8(table + kTableBytes + 16), second));
    }
    const int8x16_t upper = vreinterpretq_s8_u8(high), units = vdupq_n_s8(32);
    left = vreinterpretq_s16_u16(vaddw_u8(vreinterpretq_u16_s16(left), vget_low_u8(low)));
    right = vreinterpretq_s16_u16(vaddw_high_u8(vreinterpretq_u16_s16(right), low));
    left = vmlal_s8(left, vget_low_s8(upper), vget_low_s8(units));
    right = vmlal_high_s8(right, upper, units);
}

/// sums += 2 T of some steps.
KAI_INLINE void add_steps(const uint8_t* tables, const uint8_t* packed, size_t steps, Sums& sums) {
    for (size_t part; steps > 0; steps -= part) {
        part = steps < kPartSteps ? steps : kPartSteps;
        int16x8_t left = vdupq_n_s16(0), right = left;
        for (size_t s = 0; s < part; ++s, tables += kStepTables, packed += kStepBytes) {
            add_step(tables, packed, left, right);
        }
        sums.of[0] = vmlal_n_s16(sums.of[0], vget_low_s16(left), 2);
        sums.of[1] = vmlal_high_n_s16(sums.of[1], left, 2);
        sums.of[2] = vmlal_n_s16(sums.of[2], vget_low_s16(right), 2);
        sums.of[3] = vmlal_high_n_s16(sums.of[3], right, 2);
    }
}

/// results = fma(f32(sums), row_scale * scales, results)
KAI_INLINE void add_block(const Sums& sums, float row_scale, const uint8_t* scales, Results& results) {
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        const float32x4_t scale = vmulq_n_f32(load_f16x4(scales + 8 * i), row_scale);
        results.of[i] = vfmaq_f32(results.of[i], vcvtq_f32_s32(sums.of[i]), scale);
    }
}

KAI_INLINE Sums all_of(int32_t x) {
    const int32x4_t v = vdupq_n_s32(x);
    return {{v, v, v, v}};
}
KAI_INLINE void load_results(const uint8_t* src, Results& results) {
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        results.of[i] = load_f32x4(src + 16 * i);
    }
}
KAI_INLINE void store_results(uint8_t* dst, const Results& results) {
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        store(dst + 16 * i, results.of[i]);
    }
}
KAI_INLINE void clamp_results(const BitsProblem& p, Results& results) {
    KAI_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
        results.of[i] = clamped(results.of[i], p.lo, p.hi);
    }
}

/// A panel times `blocks` blocks, from block b on. dst: 16 results, which hold the sums of the blocks before.
KAI_INLINE void add_panel(
    const BitsProblem& p, const RowChunk& chunk, const uint8_t* panel, size_t b, size_t blocks, uint8_t* dst) {
    const size_t steps = p.bl / kStep;
    const uint8_t *packed = panel + b * p.rhs_block, *tables = chunk.tables;
    Results results = {};
    if (b > 0) {
        load_results(dst, results);
    }
    for (size_t i = 0; i < blocks; ++i, packed += p.rhs_block, tables += steps * kStepTables) {
        Sums sums = all_of(-chunk.sums[i]);
        add_steps(tables, packed + kFields, steps, sums);
        add_block(sums, chunk.scales[i], packed, results);
    }
    if (b + blocks == p.blocks) {
        clamp_results(p, results);
    }
    store_results(dst, results);
}

/// Blocks that are longer than a chunk: their tables are made for every panel. dst: 16 results.
[[gnu::noinline]] void long_panel(const BitsProblem& p, RowChunk& chunk, Row row, const uint8_t* panel, uint8_t* dst) {
    Results results = {};
    for (size_t b = 0; b < p.blocks; ++b, panel += p.rhs_block, row.scale += p.lhs_block, row.elements += p.lhs_block) {
        Sums sums = all_of(0);
        int32_t sum = 0;
        for (size_t i = 0; i < p.bl; i += kDepth) {
            const size_t k = p.bl - i < kDepth ? p.bl - i : kDepth;
            sum += tabulate(row.elements + i * p.mr, p.mr, k, chunk.tables);
            add_steps(chunk.tables, panel + kFields + i / kStep * kStepBytes, k / kStep, sums);
        }
        KAI_UNROLL(4)
        for (int32x4_t& of : sums.of) {
            of = vsubq_s32(of, vdupq_n_s32(sum));
        }
        add_block(sums, load_f16(row.scale), panel, results);
    }
    clamp_results(p, results);
    store_results(dst, results);
}

/// run(panel, dst) for all panels; the last one, if columns are missing, with a buffer in the place of dst.
template <class Run>
KAI_INLINE void each_panel(const BitsProblem& p, uint8_t* dst, Run run) {
    const uint8_t* panel = p.rhs;
    for (size_t left = p.n; left > 0; panel += p.rhs_stride) {
        if (left < kColumns) {
            uint8_t last[kColumns * sizeof(float)];
            __builtin_memcpy(last, dst, left * sizeof(float));
            run(panel, last);
            __builtin_memcpy(dst, last, left * sizeof(float));
            return;
        }
        run(panel, dst);
        left -= kColumns, dst += kColumns * sizeof(float);
    }
}

[[gnu::noinline]] void matmul_row(const BitsProblem& p, Row row, uint8_t* dst) {
    RowChunk chunk;
    const size_t most = kDepth / p.bl;
    if (most == 0) {
        return each_panel(p, dst, [&](const uint8_t* panel, uint8_t* out) { long_panel(p, chunk, row, panel, out); });
    }
    size_t b = 0;
    do {
        const size_t blocks = p.blocks - b < most ? p.blocks - b : most;
        for (size_t i = 0; i < blocks; ++i, row.scale += p.lhs_block, row.elements += p.lhs_block) {
            chunk.scales[i] = load_f16(row.scale);
            chunk.sums[i] = tabulate(row.elements, p.mr, p.bl, chunk.tables + i * p.bl / 4 * kTableBytes);
        }
        each_panel(p, dst, [&](const uint8_t* panel, uint8_t* out) { add_panel(p, chunk, panel, b, blocks, out); });
        b += blocks;
    } while (b < p.blocks);
}

}  // namespace
}  // namespace kai

void kai_matmul_int1_rows_neon(
    size_t mr, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    float lo, float hi) {
    const kai::BlockOperand rows{kai::qsi8d32p, mr}, columns{kai::qsi1c32p, kai::kColumns};
    const size_t blocks = kai::blocks_of(k, bl), lhs_stride = rows.stride(blocks, bl);
    const kai::BitsProblem p{
        n,  blocks, bl, kai::bytes(rhs), columns.stride(blocks, bl), columns.block_bytes(bl), rows.block_bytes(bl),
        mr, lo,     hi};
    for (size_t i = 0; i < m && n > 0; ++i) {
        const size_t r = i % mr;
        const uint8_t* panel = kai::bytes(lhs, i / mr * lhs_stride);
        kai::matmul_row(p, {panel + 2 * r, panel + 2 * mr + 8 * r}, kai::bytes(dst, i * dst_stride));
    }
}

#define KAI_DEFINE_MATMUL_BITS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)                           \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(float))          \
    KAI_RUN_MATMUL_BL(NAME, float) {                                                                     \
        static_assert((MR) == 1 && (NR) == kai::kColumns);                                               \
        kai::check_blocks(kai::RHS, k, bl);                                                              \
        kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max);                          \
        kai_matmul_int1_rows_neon(MR, m, n, k, bl, lhs, rhs, dst, dst_stride_row, clamp_min, clamp_max); \
    }
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_BITS)
#define KAI_UKERNEL KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi1c32p/ukernels.def"
