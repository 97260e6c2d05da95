// RHS packers of 2-bit codes for static int8 kernels (unified API): panels of nr columns.
//
//     | int32 bias: nr | codes of k = 0 - 3: a byte of each column | k = 4 - 7: ... | ... | f32 scale: nr |
//
// A weight is its code less 2. k is padded to a multiple of 32 and columns to whole panels with code 2, a weight of 0;
// bias and scale of missing columns are 0. As for int8 (pack_sme_columns.cpp)
//
//     packed bias = bias + k_sum_scale_global * sum of the column (int32, wraps);  packed scale = scale * scale_global
//
// N x K: four codes of a byte of the source are those of a byte of the panel. K x N: bytes of four rows of the source
// are a matrix of 4 x 4 codes for each 4 columns, which is transposed within a word; where nr is not a multiple of 16,
// codes are gathered one by one.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/pack_unified.hpp"

namespace kai {
namespace {

constexpr Plain qsu2_kxn = {2, true}, qsu2_nxk = {2, false};

constexpr uint8_t kZeros = 0xAA;  // four codes of weight 0

/// `count` codes at src, at most `room` bytes of them; then zeros.
KAI_INLINE void copy_codes(const uint8_t* src, size_t count, uint8_t* dst, size_t room) {
    const size_t whole = count / 4 < room ? count / 4 : room;
    __builtin_memcpy(dst, src, whole);
    __builtin_memset(dst + whole, kZeros, room - whole);
    if (whole < room && count % 4 != 0) {
        const unsigned mask = (1U << 2 * (count % 4)) - 1;
        dst[whole] = static_cast<uint8_t>((src[whole] & mask) | (kZeros & ~mask));
    }
}

/// Columns of a panel of `nr`: `exist` of `columns` are in the source; K x N: from column `first` of its rows on. Adds
/// up the codes of each column, which are as many as `groups` bytes have.
struct CodePanel {
    size_t nr, columns, exist, k, groups, stride, first;
    const uint8_t* rhs;
    uint8_t* codes;
    uint32_t* sums;
};

/// The sum of 32 codes.
KAI_INLINE uint32_t sum_of(uint64_t codes) {
    constexpr uint64_t kPairs = 0x3333333333333333, kBytes = 0x0F0F0F0F0F0F0F0F, kOnes = 0x0101010101010101;
    const uint64_t pairs = (codes & kPairs) + (codes >> 2 & kPairs);
    return static_cast<uint32_t>(((pairs & kBytes) + (pairs >> 4 & kBytes)) * kOnes >> 56);
}

[[gnu::noinline]] void pack_nxk(const CodePanel& p) {
    for (size_t c = 0; c < p.columns; ++c) {
        const uint8_t* row = p.rhs + c * p.stride;
        uint8_t* to = p.codes + c;
        uint32_t sum = 0;
        for (size_t g = 0; g < p.groups; g += 8, to += 8 * p.nr) {
            uint8_t tail[8];
            const uint8_t* from = row + g;
            const size_t left = c < p.exist && 4 * g < p.k ? p.k - 4 * g : 0;
            if (left < 32) {
                copy_codes(left == 0 ? tail : from, left, tail, sizeof(tail));
                from = tail;
            }
            const auto codes = load<uint64_t>(from);
            sum += sum_of(codes);
            KAI_UNROLL(8)
            for (size_t i = 0; i < 8; ++i) {
                to[i * p.nr] = static_cast<uint8_t>(codes >> 8 * i);
            }
        }
        p.sums[c] = sum;
    }
}

#if defined(__aarch64__)
/// The bytes of row e of 4 x 4 codes are byte e of each word: columns become bytes.
KAI_INLINE uint32x4_t transposed(uint32x4_t x) {
    uint32x4_t t = vandq_u32(veorq_u32(x, vshrq_n_u32(x, 6)), vdupq_n_u32(0x00CC00CC));
    x = veorq_u32(x, veorq_u32(t, vshlq_n_u32(t, 6)));
    t = vandq_u32(veorq_u32(x, vshrq_n_u32(x, 12)), vdupq_n_u32(0x0000F0F0));
    return veorq_u32(x, veorq_u32(t, vshlq_n_u32(t, 12)));
}

/// Four rows of 16 columns, a word of four bytes each, to 16 bytes. Adds their codes to the sums.
KAI_INLINE void pack_16_columns(uint8x16_t words, uint8_t* to, uint8_t* sums) {
    const uint8x16_t codes = vreinterpretq_u8_u32(transposed(vreinterpretq_u32_u8(words)));
    vst1q_u8(to, codes);
    const uint8x16_t two = vdupq_n_u8(0x33), four = vdupq_n_u8(0x0F);
    const uint8x16_t pairs = vaddq_u8(vandq_u8(codes, two), vandq_u8(vshrq_n_u8(codes, 2), two));
    vst1q_u8(sums, vaddq_u8(vld1q_u8(sums), vaddq_u8(vandq_u8(pairs, four), vshrq_n_u8(pairs, 4))));
}

/// 64 columns.
KAI_INLINE void pack_64_columns(const uint8_t* const rows[4], size_t at, uint8_t* to, uint8_t* sums) {
    const uint8x16x2_t even = vzipq_u8(vld1q_u8(rows[0] + at), vld1q_u8(rows[2] + at));
    const uint8x16x2_t odd = vzipq_u8(vld1q_u8(rows[1] + at), vld1q_u8(rows[3] + at));
    for (size_t half = 0; half < 2; ++half) {
        const uint8x16x2_t words = vzipq_u8(even.val[half], odd.val[half]);
        pack_16_columns(words.val[0], to + 32 * half, sums + 32 * half);
        pack_16_columns(words.val[1], to + 32 * half + 16, sums + 32 * half + 16);
    }
}

/// 16 columns of a panel that has fewer than 64.
KAI_INLINE void pack_16_columns(const uint8_t* const rows[4], size_t at, uint8_t* to, uint8_t* sums) {
    static constexpr uint8_t kByRow[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    uint32x4_t x = vdupq_n_u32(load<uint32_t>(rows[0] + at));
    x = vsetq_lane_u32(load<uint32_t>(rows[1] + at), x, 1);
    x = vsetq_lane_u32(load<uint32_t>(rows[2] + at), x, 2);
    x = vsetq_lane_u32(load<uint32_t>(rows[3] + at), x, 3);
    pack_16_columns(vqtbl1q_u8(vreinterpretq_u8_u32(x), vld1q_u8(kByRow)), to, sums);
}

/// Four rows of the columns of a panel.
KAI_INLINE void pack_group(const uint8_t* const rows[4], size_t nr, uint8_t* to, uint8_t* sums) {
    if (nr % 64 == 0) {
        for (size_t c = 0; c < nr; c += 64) {
            pack_64_columns(rows, c / 4, to + c, sums + c);
        }
    } else {
        for (size_t c = 0; c < nr; c += 16) {
            pack_16_columns(rows, c / 4, to + c, sums + c);
        }
    }
}

/// sums += batch
KAI_INLINE void add_batch(const uint8_t* batch, size_t nr, uint32_t* sums) {
    for (size_t c = 0; c < nr; c += 8) {
        const uint16x8_t codes = vmovl_u8(vld1_u8(batch + c));
        vst1q_u32(sums + c, vaddw_u16(vld1q_u32(sums + c), vget_low_u16(codes)));
        vst1q_u32(sums + c + 4, vaddw_u16(vld1q_u32(sums + c + 4), vget_high_u16(codes)));
    }
}
#else
/// The bytes of row e of 4 x 4 codes are byte e: columns become bytes.
KAI_INLINE uint32_t transposed(uint32_t x) {
    uint32_t t = (x ^ x >> 6) & 0x00CC00CC;
    x ^= t ^ t << 6;
    t = (x ^ x >> 12) & 0x0000F0F0;
    return x ^ t ^ t << 12;
}

KAI_INLINE void pack_group(const uint8_t* const rows[4], size_t nr, uint8_t* to, uint8_t* sums) {
    constexpr uint32_t kTwo = 0x33333333, kFour = 0x0F0F0F0F;
    for (size_t c = 0; c < nr; c += 4) {
        uint32_t x = 0;
        for (unsigned e = 0; e < 4; ++e) {
            x |= static_cast<uint32_t>(rows[e][c / 4]) << 8 * e;
        }
        const uint32_t codes = transposed(x), pairs = (codes & kTwo) + (codes >> 2 & kTwo);
        store(to + c, codes);
        store(sums + c, load<uint32_t>(sums + c) + (pairs & kFour) + (pairs >> 4 & kFour));
    }
}

KAI_INLINE void add_batch(const uint8_t* batch, size_t nr, uint32_t* sums) {
    for (size_t c = 0; c < nr; ++c) {
        sums[c] += batch[c];
    }
}
#endif

constexpr size_t kMostColumns = 4 * 64;  // SVL 2048

/// A batch of groups, whose sums fit a byte: four codes of 3 at most each.
constexpr size_t kBatch = 16;
static_assert(kBatch * 4 * 3 <= 255);

/// Any columns.
[[gnu::noinline]] void gather_kxn(const CodePanel& p) {
    for (size_t c = 0; c < p.columns; ++c) {
        const size_t column = p.first + c;
        p.sums[c] = 0;
        for (size_t g = 0; g < p.groups; ++g) {
            unsigned group = kZeros;
            for (size_t e = 0; e < 4 && c < p.exist && 4 * g + e < p.k; ++e) {
                const unsigned code = p.rhs[(4 * g + e) * p.stride + column / 4] >> 2 * (column % 4) & 3;
                group = (group & ~(3U << 2 * e)) | code << 2 * e;
            }
            p.codes[g * p.nr + c] = static_cast<uint8_t>(group);
            p.sums[c] += sum_of(group);
        }
    }
}

[[gnu::noinline]] void pack_kxn(const CodePanel& panel) {
    if (panel.columns % 16 != 0 || panel.first % 4 != 0) {
        gather_kxn(panel);
        return;
    }
    CodePanel p = panel;
    p.rhs += p.first / 4;
    __builtin_memset(p.sums, 0, p.columns * sizeof(p.sums[0]));
    uint8_t copies[4][kMostColumns / 4], batch[kMostColumns];
    for (size_t first = 0; first < p.groups; first += kBatch) {
        const size_t end = p.groups - first < kBatch ? p.groups : first + kBatch;
        __builtin_memset(batch, 0, p.columns);
        for (size_t g = first; g < end; ++g) {
            const uint8_t* rows[4];
            for (size_t e = 0; e < 4; ++e) {
                const size_t row = 4 * g + e;
                rows[e] = p.rhs + row * p.stride;
                if (row >= p.k || p.exist < p.columns) {
                    copy_codes(row < p.k ? rows[e] : copies[e], row < p.k ? p.exist : 0, copies[e], p.columns / 4);
                    rows[e] = copies[e];
                }
            }
            pack_group(rows, p.columns, p.codes + g * p.nr, batch);
        }
        add_batch(batch, p.columns, p.sums);
    }
}

[[gnu::noinline]] void pack_codes(
    const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args, void (*pack)(const CodePanel&)) {
    check(packer, args);
    const auto& [n, k] = args->shape;
    const auto& operand = args->operand;
    const size_t nr = kai_panels_rows(&packer.panels), groups = (k + 31) / 32 * 8;
    const bool kxn = packer.source.kxn;
    const size_t stride = kxn ? operand.rhs.stride.k : operand.rhs.stride.n;
    uint32_t sums[kMostColumns];
    for (size_t panel = 0; panel < n; panel += nr) {
        uint8_t* biases = bytes(operand.rhs_packed.ptr) + panel / nr * operand.rhs_packed.stride.n;
        uint8_t* codes = biases + nr * sizeof(int32_t);
        uint8_t* scales = codes + groups * nr;
        for (size_t from = 0; from < nr; from += kMostColumns) {
            const size_t columns = nr - from < kMostColumns ? nr - from : kMostColumns, first = panel + from;
            const size_t exist = first >= n ? 0 : n - first < columns ? n - first : columns;
            pack(
                {nr, columns, exist, k, groups, stride, first, bytes(operand.rhs.ptr) + (kxn ? 0 : first * stride),
                 codes + from, sums});
            const auto sum_scale = load<uint32_t>(operand.k_sum_scale_global.ptr);
            const auto scale = load<float>(operand.scale_global.ptr);
            for (size_t c = 0; c < columns; ++c) {
                const size_t at = (first + c) * sizeof(uint32_t);
                uint32_t bias = 0;
                float column_scale = 0;
                if (c < exist) {
                    const uint32_t sum = sums[c] - static_cast<uint32_t>(groups * 4 * 2);  // of the weights
                    bias = operand.bias_n.ptr != nullptr ? load<uint32_t>(bytes(operand.bias_n.ptr, at)) : 0;
                    bias += sum_scale * sum;
                    column_scale = load<float>(bytes(operand.scale_n.ptr, at)) * scale;
                }
                store(biases + (from + c) * sizeof(bias), bias);
                store(scales + (from + c) * sizeof(column_scale), column_scale);
            }
        }
    }
}

void run_kxn(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    pack_codes(packer, args, pack_kxn);
}
void run_nxk(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    pack_codes(packer, args, pack_nxk);
}

}  // namespace
}  // namespace kai
