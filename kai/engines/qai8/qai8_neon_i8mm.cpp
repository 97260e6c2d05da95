// Static int8 (qai8_neon.hpp), low precision (qai8_neon_lowp.hpp) and int32 sums (qai8_neon_sums.hpp) with SMMLA, UMMLA
// and USMMLA. Tiles: qai8_neon_i8mm.S.
//
// SMMLA takes 8 k of two rows. Where rows are multiplied by several panels, they are first packed to the stack, 6 or 4
// rows together; few columns, or a k for which there is no room, take them as they lie, and only the last k % 16 are
// packed. Rows that are found through a table are always packed, or gathered if there is no room for 4 of them.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8/qai8_neon.hpp"
#include "kai/engines/qai8/qai8_neon_lowp.hpp"
#include "kai/engines/qai8/qai8_neon_sums.hpp"
#include "kai/engines/qai8/qai8_neon_table.hpp"

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
        uint8_t packed[StaticLimits::kPackedBytes + Qai8Part::kAhead];
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
    /// Some rows from k0 on, a multiple of 16, padded to whole groups; returns the end.
    template <size_t tile>
    KAI_INLINE static uint8_t* pack_rows(const uint8_t* const (&rows)[tile], size_t k0, size_t k, uint8_t* to) {
        uint8x16_t some[tile];
        for (; k0 + 16 <= k; k0 += 16) {
            KAI_UNROLL(6)
            for (size_t r = 0; r < tile; ++r) {
                some[r] = vld1q_u8(rows[r] + k0);
            }
            to = pack(some, to);
        }
        if (k0 == k) {
            return to;
        }
        for (size_t r = 0; r < tile; ++r) {
            some[r] = tail_of(rows[r], k);
        }
        uint8_t both[2 * tile * kGroup];
        pack(some, both);
        const size_t size = k - k0 > kGroup ? sizeof(both) : sizeof(both) / 2;
        __builtin_memcpy(to, both, size);
        return to + size;
    }

    /// Rows of a block as they lie, from k0 on.
    struct Lying {
        const uint8_t* lhs;
        size_t stride, k0, k;

        /// Packs a tile that begins at row i, of `count` rows; the last one stands for those that do not exist.
        template <size_t tile>
        KAI_INLINE void pack_tile(size_t i, size_t count, uint8_t* to) const {
            const uint8_t* const row = lhs + i * stride;
            const uint8_t* rows[tile];
            KAI_UNROLL(6)
            for (size_t r = 0; r < tile; ++r) {
                rows[r] = row + min(r, count - 1) * stride;
            }
            pack_rows(rows, k0, k, to);
        }
    };

    /// `tiles` tiles of `rows` rows become a part, whose first row, steps and groups are given: what is packed of them
    /// goes to `to`, which moves on.
    template <size_t tile, class Rows>
    KAI_INLINE static Qai8Part pack_part(
        const Rows& from, Qai8TileFn* run, size_t tiles, size_t rows, Qai8Part part, uint8_t*& to) {
        part.run = run, part.tiles = tiles, part.packed_stride = part.groups * kGroup * tile, part.packed = to;
        part.is_short = rows != tiles * tile;
        for (size_t i = 0; i < rows && part.groups != 0; i += tile, to += part.packed_stride) {
            from.template pack_tile<tile>(part.first + i, min(rows - i, tile), to);
        }
        return part;
    }
    /// Cuts rows into parts of tiles of 6, if these are packed, and of 4; then `next` begins with the rows that are
    /// left, at most 2. Returns how many parts there are.
    template <class Rows>
    KAI_INLINE static size_t cut(
        const Rows& from, size_t packed, size_t rows, Qai8Part& next, uint8_t*& to, Qai8Part* parts) {
        size_t count = 0;
        // 7 and 8 rows are two tiles of 4: tiles of 1 and 2 rows wait for loads.
        const size_t sixes = packed != kPackedTile ? 0
                             : rows % kPackedTile < 3 && rows > kPackedTile
                                 ? rows / kPackedTile - (rows % kPackedTile != 0)
                                 : (rows + 1) / kPackedTile;
        if (sixes != 0) {
            const size_t some = min(sixes * kPackedTile, rows);
            parts[count++] = pack_part<kPackedTile>(from, kSix, sixes, some, next, to);
            next.first += some;
        }
        if (const size_t fours = (rows - next.first + 1) / kTile) {
            const size_t some = min(fours * kTile, rows - next.first);
            parts[count++] = pack_part<kTile>(from, kFour, fours, some, next, to);
            next.first += some;
        }
        return count;
    }
    KAI_INLINE static size_t prepare(const Qai8& p, size_t first, size_t rows, Storage& storage, Qai8Part* parts) {
        return prepare(p, first, rows, storage.packed, parts);
    }
    [[gnu::noinline]] static size_t prepare(const Qai8& p, size_t first, size_t rows, uint8_t* to, Qai8Part* parts) {
        const size_t packed = packed_tile(p.n, p.k);
        const size_t steps = p.k / 16, tail_groups = (p.k % 16 + kGroup - 1) / kGroup;
        const size_t groups = packed != 0 ? 2 * steps + tail_groups : tail_groups, k0 = packed != 0 ? 0 : 16 * steps;
        const Lying from = {p.row(first), p.lhs_stride, k0, p.k};
        Qai8Part next = {nullptr, 0, 0, packed != 0 ? 0 : steps, 0, groups, nullptr, false};
        size_t count = cut(from, packed, rows, next, to, parts);
        if (rows - next.first == 2) {
            parts[count++] = pack_pair(from, 2, next, to);
        } else if (rows != next.first) {
            if (tail_groups != 0) {
                vst1q_u8(to, tail_of(p.row(first + next.first), p.k));
            }
            parts[count++] = {kOne, next.first, 1, steps, 0, tail_groups, to, false};
        }
        return count;
    }
    /// One or two rows: a tile of 2, in the place of one of 4.
    template <class Rows>
    KAI_INLINE static Qai8Part pack_pair(const Rows& from, size_t rows, Qai8Part part, uint8_t* to) {
        part = pack_part<kTile>(from, kTwo, 1, rows, part, to);
        part.is_short = rows == 1;
        return part;
    }
};

}  // namespace
}  // namespace kai

extern "C" {

/// For panels of SME (qai8_neon_i8mm_panels.cpp).
[[gnu::visibility("hidden")]] size_t kai_qai8_prepare_neon_i8mm(
    const kai::Qai8& p, size_t rows, uint8_t* packed, kai::Qai8Part* parts) {
    return kai::I8mm<kai::Types::both_int8>::prepare(p, 0, rows, packed, parts);
}

#define KAI_DEFINE(...) KAI_DEFINE_MATMUL_ROWS_QAI8_NEON(I8mm<kai::Types::both_int8>, __VA_ARGS__)
#define KAI_ISA_neon_i8mm KAI_LINES(KAI_DEFINE)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"
#undef KAI_ISA_neon_i8mm

#define KAI_MULTIPLY(NAME) KAI_MULTIPLY_TABLE_QAI8_NEON(PackedTable<kai::I8mm<kai::Types::both_int8>>, NAME)
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
    if (p.signs_differ) {
        return is_unsigned ? multiply_sums<I8mm<Types::uint8_int8>>(p) : multiply_sums<I8mm<Types::int8_uint8>>(p);
    }
    is_unsigned ? multiply_sums<I8mm<Types::both_uint8>>(p) : multiply_sums<I8mm<Types::both_int8>>(p);
}

template <bool is_unsigned>
using Same = I8mm<is_unsigned ? Types::both_uint8 : Types::both_int8>;
template <bool is_unsigned>
void multiply_requantised(const Lowp& p) {
    multiply_lowp<Same<is_unsigned>>(p);
}
template <bool is_unsigned>
LowpFn* in_table(const Lowp& p) {
    using Table = PackedTable<Same<is_unsigned>>;
    return Table::takes(*p.table) ? multiply_lowp<Table> : nullptr;
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_i8mm KAI_LOWP_LINES
#include "kai/engines/lowp/lowp_families.inc"
#include "kai/engines/lowp/lowp_sums.inc"
#include "kai/engines/lowp/lowp_table.inc"
