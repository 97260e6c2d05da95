// Static int8 (qai8_neon.hpp) and low precision (qai8_neon_lowp.hpp) with SMMLA and UMMLA. Tiles: qai8_neon_i8mm.S.
//
// SMMLA takes 8 k of two rows. Where rows are multiplied by several panels, they are first packed to the stack, 4 rows
// together; few columns, or a k for which there is no room, take them as they lie, and only the last k % 16 are packed.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8/qai8_neon.hpp"
#include "kai/engines/qai8/qai8_neon_lowp.hpp"

extern "C" kai::Qai8TileFn kai_qai8_4x16_neon_i8mm, kai_qai8_2x16_neon_i8mm, kai_qai8_1x16_neon_i8mm,
    kai_qau8_4x16_neon_i8mm, kai_qau8_2x16_neon_i8mm, kai_qau8_1x16_neon_i8mm;

namespace kai {
namespace {

/// is_unsigned: both operands are uint8.
template <bool is_unsigned>
struct I8mm {
    static constexpr size_t kGroup = 8, kMostParts = 2, kTile = 4, kGroupBytes = kTile * kGroup;

    struct Storage {
        // Loads run 32 bytes ahead.
        uint8_t packed[StaticLimits::kPackedBytes + kGroupBytes], tail[16];
    };

    /// 0: rows stay as they lie, or are just one.
    KAI_INLINE static size_t packed_rows(size_t n, size_t k) {
        const size_t tile = (k + kGroup - 1) / kGroup * kGroupBytes;
        return n <= StaticLimits::kFewColumns || tile == 0 ? 0 : StaticLimits::kPackedBytes / tile * kTile;
    }
    KAI_INLINE static size_t block_rows(size_t n, size_t k, size_t most) {
        const size_t packed = packed_rows(n, k);
        return packed == 0 || packed > most ? most / kTile * kTile : packed;
    }
    /// 16 k of 4 rows, of two groups.
    KAI_INLINE static uint8_t* pack(const uint8x16_t (&rows)[kTile], uint8_t* to) {
        const auto store = [](uint8_t* at, uint64x2_t x) { vst1q_u8(at, vreinterpretq_u8_u64(x)); };
        for (size_t i = 0; i < kTile; i += 2) {
            const uint64x2_t a = vreinterpretq_u64_u8(rows[i]), b = vreinterpretq_u64_u8(rows[i + 1]);
            store(to + 8 * i, vzip1q_u64(a, b));
            store(to + 8 * i + kGroupBytes, vzip2q_u64(a, b));
        }
        return to + 2 * kGroupBytes;
    }
    /// From k0 on, a multiple of 16. The last row stands for those that do not exist.
    KAI_INLINE static void pack_tile(const uint8_t* lhs, size_t stride, size_t rows, size_t k0, size_t k, uint8_t* to) {
        const uint8_t* row[kTile];
        for (size_t r = 0; r < kTile; ++r) {
            row[r] = lhs + KAI_MIN(r, rows - 1) * stride;
        }
        uint8x16_t some[kTile];
        for (; k0 + 16 <= k; k0 += 16) {
            for (size_t r = 0; r < kTile; ++r) {
                some[r] = vld1q_u8(row[r] + k0);
            }
            to = pack(some, to);
        }
        if (k0 < k) {
            for (size_t r = 0; r < kTile; ++r) {
                some[r] = tail_of(row[r], k);
            }
            if (k - k0 > kGroup) {
                pack(some, to);
                return;
            }
            uint8_t both[2 * kGroupBytes];
            pack(some, both);
            __builtin_memcpy(to, both, kGroupBytes);
        }
    }
    [[gnu::noinline]] static size_t prepare(
        const Qai8& p, const uint8_t* lhs, size_t rows, Storage& storage, Qai8Part* parts) {
        const size_t single = rows % kTile == 1, many = rows - single, tiles = (many + 1) / kTile,
                     two = rows % kTile == 2, steps = p.k / 16, tail_groups = (p.k % 16 + kGroup - 1) / kGroup;
        const bool packs = packed_rows(p.n, p.k) != 0;
        const size_t groups = packs ? 2 * steps + tail_groups : tail_groups, stride = groups * kGroupBytes;
        for (size_t i = 0; i < many && groups != 0; i += kTile) {
            uint8_t* const to = storage.packed + i / kTile * stride;
            pack_tile(lhs + i * p.lhs_stride, p.lhs_stride, KAI_MIN(many - i, kTile), packs ? 0 : 16 * steps, p.k, to);
        }
        // Columns in pairs pay from the third tile on.
        const Qai8Part part = {nullptr, tiles > 2, 0, 0, packs ? 0 : steps, stride, groups, storage.packed, false};
        size_t count = 0;
        if (tiles != 0) {
            parts[count] = part;
            parts[count].run = is_unsigned ? kai_qau8_4x16_neon_i8mm : kai_qai8_4x16_neon_i8mm,
            parts[count].tiles = tiles;
            parts[count++].is_short = many % kTile == 3;
        }
        if (two != 0) {
            parts[count] = part;
            parts[count].run = is_unsigned ? kai_qau8_2x16_neon_i8mm : kai_qai8_2x16_neon_i8mm, parts[count].tiles = 1;
            parts[count].pairs = false, parts[count].first = tiles * kTile;
            parts[count++].packed = storage.packed + tiles * stride;
        }
        if (single != 0) {
            if (tail_groups != 0) {
                vst1q_u8(storage.tail, tail_of(lhs + many * p.lhs_stride, p.k));
            }
            parts[count++] = {
                is_unsigned ? kai_qau8_1x16_neon_i8mm : kai_qai8_1x16_neon_i8mm,
                false,
                many,
                1,
                steps,
                0,
                tail_groups,
                storage.tail,
                false};
        }
        return count;
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE(...) KAI_DEFINE_MATMUL_ROWS_QAI8_NEON(I8mm<false>, __VA_ARGS__)
#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"
#undef KAI_ISA_neon_i8mm
#undef KAI_UKERNEL_ROWS

}  // extern "C"

namespace kai {
namespace {

void multiply(const Lowp& p) {
    p.flip != 0 ? multiply_lowp<I8mm<true>>(p) : multiply_lowp<I8mm<false>>(p);
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm KAI_LOWP_LINES
#include "kai/engines/lowp/lowp_families.inc"
