// Static int8 (qai8_neon.hpp), low precision (qai8_neon_lowp.hpp) and int32 sums (qai8_neon_sums.hpp) with SMMLA, UMMLA
// and USMMLA. Tiles: qai8_neon_i8mm.S.
//
// SMMLA takes 8 k of two rows. Where rows are multiplied by several panels, they are first packed to the stack, 6 or 4
// rows together; few columns, or a k for which there is no room, take them as they lie, and only the last k % 16 are
// packed.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8/qai8_neon.hpp"
#include "kai/engines/qai8/qai8_neon_lowp.hpp"
#include "kai/engines/qai8/qai8_neon_sums.hpp"

#define KAI_TILES(TYPES)                                                                      \
    kai_##TYPES##_6x16_neon_i8mm, kai_##TYPES##_4x16_neon_i8mm, kai_##TYPES##_2x16_neon_i8mm, \
        kai_##TYPES##_1x16_neon_i8mm
extern "C" kai::Qai8TileFn KAI_TILES(qai8), KAI_TILES(qau8), KAI_TILES(qau8_qsi8), KAI_TILES(qai8_qau8);

namespace kai {
namespace {

/// Of the LHS and the RHS.
enum class Types : uint8_t { both_int8, both_uint8, uint8_int8, int8_uint8 };

/// Tiles of 6, 4, 2 rows and of one row.
constexpr Qai8TileFn* kTiles[][4] = {
    {KAI_TILES(qai8)}, {KAI_TILES(qau8)}, {KAI_TILES(qau8_qsi8)}, {KAI_TILES(qai8_qau8)}};

template <Types types>
struct I8mm {
    static constexpr size_t kGroup = 8, kMostParts = 2, kTile = 4, kPackedTile = 6;
    static constexpr auto& kOf = kTiles[static_cast<size_t>(types)];
    static constexpr Qai8TileFn *kSix = kOf[0], *kFour = kOf[1], *kTwo = kOf[2], *kOne = kOf[3];

    struct Storage {
        // Loads run a group ahead.
        uint8_t packed[StaticLimits::kPackedBytes + kPackedTile * kGroup], tail[16];
    };

    /// Rows of a tile that is packed for several panels; 0: rows stay as they lie.
    KAI_INLINE static size_t packed_tile(size_t n, size_t k) {
        const size_t row = (k + kGroup - 1) / kGroup * kGroup;
        return n <= StaticLimits::kFewColumns || row * kTile > StaticLimits::kPackedBytes || row == 0 ? 0
               : row * kPackedTile > StaticLimits::kPackedBytes                                       ? kTile
                                                                                                      : kPackedTile;
    }
    /// Up to m rows without a division if all fit.
    KAI_INLINE static size_t block_rows(size_t m, size_t n, size_t k, size_t most) {
        const size_t tile = packed_tile(n, k), row = (k + kGroup - 1) / kGroup * kGroup;
        if (m <= kTile && m * row <= StaticLimits::kPackedBytes) {
            return m;
        }
        return tile == 0 ? most / kTile * kTile : min(StaticLimits::kPackedBytes / row, most) / tile * tile;
    }
    /// 16 k of some rows, of two groups.
    template <size_t tile>
    KAI_INLINE static uint8_t* pack(const uint8x16_t (&rows)[tile], uint8_t* to) {
        const auto store = [](uint8_t* at, uint64x2_t x) { vst1q_u8(at, vreinterpretq_u8_u64(x)); };
        KAI_UNROLL(3)
        for (size_t i = 0; i < tile; i += 2) {
            const uint64x2_t a = vreinterpretq_u64_u8(rows[i]), b = vreinterpretq_u64_u8(rows[i + 1]);
            store(to + 8 * i, vzip1q_u64(a, b));
            store(to + 8 * i + tile * kGroup, vzip2q_u64(a, b));
        }
        return to + 2 * tile * kGroup;
    }
    /// From k0 on, a multiple of 16. The last row stands for those that do not exist.
    template <size_t tile>
    KAI_INLINE static void pack_tile(const uint8_t* lhs, size_t stride, size_t rows, size_t k0, size_t k, uint8_t* to) {
        const uint8_t* row[tile];
        KAI_UNROLL(6)
        for (size_t r = 0; r < tile; ++r) {
            row[r] = lhs + min(r, rows - 1) * stride;
        }
        uint8x16_t some[tile];
        for (; k0 + 16 <= k; k0 += 16) {
            KAI_UNROLL(6)
            for (size_t r = 0; r < tile; ++r) {
                some[r] = vld1q_u8(row[r] + k0);
            }
            to = pack(some, to);
        }
        if (k0 < k) {
            for (size_t r = 0; r < tile; ++r) {
                some[r] = tail_of(row[r], k);
            }
            uint8_t both[2 * tile * kGroup];
            pack(some, both);
            __builtin_memcpy(to, both, k - k0 > kGroup ? sizeof(both) : sizeof(both) / 2);
        }
    }
    /// Packs rows in tiles, from k0 on.
    template <size_t tile>
    KAI_INLINE static void pack_rows(
        const Qai8& p, const uint8_t* lhs, size_t rows, size_t k0, size_t stride, uint8_t* to) {
        for (size_t i = 0; i < rows; i += tile, to += stride) {
            pack_tile<tile>(lhs + i * p.lhs_stride, p.lhs_stride, min(rows - i, tile), k0, p.k, to);
        }
    }
    [[gnu::noinline]] static size_t prepare(
        const Qai8& p, const uint8_t* lhs, size_t rows, Storage& storage, Qai8Part* parts) {
        const size_t packed = packed_tile(p.n, p.k);
        const size_t steps = p.k / 16, tail_groups = (p.k % 16 + kGroup - 1) / kGroup;
        const size_t groups = packed != 0 ? 2 * steps + tail_groups : tail_groups, k0 = packed != 0 ? 0 : 16 * steps;
        Qai8Part part = {nullptr, 0, 0, packed != 0 ? 0 : steps, 0, groups, storage.packed, false};
        uint8_t* to = storage.packed;
        size_t done = 0, count = 0;
        // 7 and 8 rows are two tiles of 4: tiles of 1 and 2 rows wait for loads.
        const size_t sixes = packed != kPackedTile ? 0
                             : rows % kPackedTile < 3 && rows > kPackedTile
                                 ? rows / kPackedTile - (rows % kPackedTile != 0)
                                 : (rows + 1) / kPackedTile;
        if (sixes != 0) {
            done = min(sixes * kPackedTile, rows);
            part.run = kSix, part.tiles = sixes, part.packed_stride = groups * kGroup * kPackedTile;
            part.is_short = sixes * kPackedTile > rows;
            pack_rows<kPackedTile>(p, lhs, done, 0, part.packed_stride, to);
            parts[count++] = part;
            to += sixes * part.packed_stride;
        }
        part.packed_stride = groups * kGroup * kTile;
        if (const size_t fours = (rows - done + 1) / kTile) {
            part.run = kFour, part.first = done, part.tiles = fours, part.packed = to;
            const size_t some = min(fours * kTile, rows - done);
            part.is_short = some % kTile != 0;
            if (groups != 0) {
                pack_rows<kTile>(p, lhs + done * p.lhs_stride, some, k0, part.packed_stride, to);
            }
            parts[count++] = part;
            done += some, to += fours * part.packed_stride;
        }
        lhs += done * p.lhs_stride;
        if (rows - done == 2) {
            if (groups != 0) {
                pack_tile<kTile>(lhs, p.lhs_stride, 2, k0, p.k, to);
            }
            parts[count++] = {kTwo, done, 1, part.steps, part.packed_stride, groups, to, false};
        } else if (rows != done) {
            if (tail_groups != 0) {
                vst1q_u8(storage.tail, tail_of(lhs, p.k));
            }
            parts[count++] = {kOne, done, 1, steps, 0, tail_groups, storage.tail, false};
        }
        return count;
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE(...) KAI_DEFINE_MATMUL_ROWS_QAI8_NEON(I8mm<kai::Types::both_int8>, __VA_ARGS__)
#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"
#undef KAI_ISA_neon_i8mm

#define KAI_MULTIPLY(...) KAI_MULTIPLY_GATHERED(I8mm<kai::Types::both_int8>, __VA_ARGS__)
#define KAI_DEFINE_TABLE(...) KAI_DEFINE_IMATMUL_STATIC(KAI_MULTIPLY, __VA_ARGS__)
#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE_TABLE)
#define KAI_IMATMUL_ROWS KAI_LINE
#include "kai/ukernels/matmul/imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"
#undef KAI_ISA_neon_i8mm
#undef KAI_IMATMUL_ROWS
#undef KAI_UKERNEL_ROWS

}  // extern "C"

namespace kai {
namespace {

void multiply(const Lowp& p) {
    const bool is_unsigned = p.flip != 0;
    if (p.offsets == nullptr) {
        return is_unsigned ? multiply_lowp<I8mm<Types::both_uint8>>(p) : multiply_lowp<I8mm<Types::both_int8>>(p);
    }
    if (p.signs_differ) {
        return is_unsigned ? multiply_sums<I8mm<Types::uint8_int8>>(p) : multiply_sums<I8mm<Types::int8_uint8>>(p);
    }
    is_unsigned ? multiply_sums<I8mm<Types::both_uint8>>(p) : multiply_sums<I8mm<Types::both_int8>>(p);
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm KAI_LOWP_LINES
#include "kai/engines/lowp/lowp_families.inc"
#include "kai/engines/lowp/lowp_sums.inc"
