// Static int8 (qai8_neon.hpp), low precision (qai8_neon_lowp.hpp) and int32 sums (qai8_neon_sums.hpp) with SDOT and
// UDOT: rows as they lie, the last k % 16 copied; the first two also through a table. Tiles: qai8_neon_dotprod.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8/qai8_neon.hpp"
#include "kai/engines/qai8/qai8_neon_lowp.hpp"
#include "kai/engines/qai8/qai8_neon_sums.hpp"
#include "kai/engines/qai8/qai8_neon_table.hpp"

extern "C" kai::Qai8TileFn kai_qai8_1x16_neon_dotprod, kai_qai8_2x16_neon_dotprod, kai_qai8_3x16_neon_dotprod,
    kai_qai8_4x16_neon_dotprod, kai_qai8_5x16_neon_dotprod, kai_qai8_6x16_neon_dotprod, kai_qau8_1x16_neon_dotprod,
    kai_qau8_2x16_neon_dotprod, kai_qau8_3x16_neon_dotprod, kai_qau8_4x16_neon_dotprod, kai_qau8_5x16_neon_dotprod,
    kai_qau8_6x16_neon_dotprod, kai_qai8_6x16_neon_dotprod_cortexa55, kai_qau8_6x16_neon_dotprod_cortexa55,
    kai_qai8_table_1x16_neon_dotprod, kai_qai8_table_2x16_neon_dotprod, kai_qai8_table_3x16_neon_dotprod,
    kai_qai8_table_4x16_neon_dotprod, kai_qai8_table_5x16_neon_dotprod, kai_qai8_table_6x16_neon_dotprod,
    kai_qau8_table_1x16_neon_dotprod, kai_qau8_table_2x16_neon_dotprod, kai_qau8_table_3x16_neon_dotprod,
    kai_qau8_table_4x16_neon_dotprod, kai_qau8_table_5x16_neon_dotprod, kai_qau8_table_6x16_neon_dotprod,
    kai_qai8_table_6x16_neon_dotprod_cortexa55, kai_qau8_table_6x16_neon_dotprod_cortexa55;

namespace kai {
namespace {

/// is_unsigned: both operands are uint8.
template <bool is_unsigned>
struct Dotprod {
    static constexpr size_t kGroup = 4, kMostParts = 2, kTile = 6;
    static constexpr Qai8TileFn* kTiles[kTile + 1] = {
        nullptr,
        is_unsigned ? kai_qau8_1x16_neon_dotprod : kai_qai8_1x16_neon_dotprod,
        is_unsigned ? kai_qau8_2x16_neon_dotprod : kai_qai8_2x16_neon_dotprod,
        is_unsigned ? kai_qau8_3x16_neon_dotprod : kai_qai8_3x16_neon_dotprod,
        is_unsigned ? kai_qau8_4x16_neon_dotprod : kai_qai8_4x16_neon_dotprod,
        is_unsigned ? kai_qau8_5x16_neon_dotprod : kai_qai8_5x16_neon_dotprod,
        is_unsigned ? kai_qau8_6x16_neon_dotprod : kai_qai8_6x16_neon_dotprod};
    static constexpr Qai8TileFn* kForA55 =
        is_unsigned ? kai_qau8_6x16_neon_dotprod_cortexa55 : kai_qai8_6x16_neon_dotprod_cortexa55;

    struct Storage {
        uint8_t tails[kMostRows][16];
    };

    KAI_INLINE static size_t block_rows(size_t, size_t, size_t, size_t most) {
        return most / kTile * kTile;
    }
    /// Tails are there even if no k is in them: tiles load them.
    [[gnu::noinline]] static size_t prepare(
        const Qai8& p, size_t first, size_t rows, Storage& storage, Qai8Part* parts) {
        const size_t steps = p.k / 16, groups = (p.k % 16 + kGroup - 1) / kGroup;
        for (size_t i = 0; i < rows && groups != 0; ++i) {
            vst1q_u8(storage.tails[i], tail_of(p.row(first + i), p.k));
        }
        const size_t many = rows / kTile * kTile, rest = rows - many;
        size_t count = 0;
        if (many != 0) {
            parts[count++] = {
                p.for_a55 ? kForA55 : kTiles[kTile], 0, many / kTile, steps, 0, groups, storage.tails[0], false};
        }
        if (rest != 0) {
            parts[count++] = {kTiles[rest], many, 1, steps, 0, groups, storage.tails[many], false};
        }
        return count;
    }
};

/// Rows through a table, whose blocks of 6 rows are tiles: Qai8::lhs are its pointers.
template <bool is_unsigned>
struct DotprodTable {
    using Gathered = Dotprod<is_unsigned>;
    static constexpr size_t kMostParts = 2, kTile = Gathered::kTile;
    static constexpr Qai8TileFn* kTiles[kTile + 1] = {
        nullptr,
        is_unsigned ? kai_qau8_table_1x16_neon_dotprod : kai_qai8_table_1x16_neon_dotprod,
        is_unsigned ? kai_qau8_table_2x16_neon_dotprod : kai_qai8_table_2x16_neon_dotprod,
        is_unsigned ? kai_qau8_table_3x16_neon_dotprod : kai_qai8_table_3x16_neon_dotprod,
        is_unsigned ? kai_qau8_table_4x16_neon_dotprod : kai_qai8_table_4x16_neon_dotprod,
        is_unsigned ? kai_qau8_table_5x16_neon_dotprod : kai_qai8_table_5x16_neon_dotprod,
        is_unsigned ? kai_qau8_table_6x16_neon_dotprod : kai_qai8_table_6x16_neon_dotprod};
    static constexpr Qai8TileFn* kForA55 =
        is_unsigned ? kai_qau8_table_6x16_neon_dotprod_cortexa55 : kai_qai8_table_6x16_neon_dotprod_cortexa55;

    struct Storage {};

    /// Tiles take 16 k at a time.
    KAI_INLINE static bool takes(const RowTable& table) {
        return table.length % 16 == 0;
    }
    KAI_INLINE static size_t block_rows(size_t m, size_t n, size_t k, size_t most) {
        return Gathered::block_rows(m, n, k, most);
    }
    KAI_INLINE static size_t prepare(const Qai8& p, size_t, size_t rows, Storage&, Qai8Part* parts) {
        const size_t steps = p.table->length / 16, many = rows / kTile * kTile;
        size_t count = 0;
        if (many != 0) {
            Qai8TileFn* const run = p.for_a55 ? kForA55 : kTiles[kTile];
            parts[count++] = {run, 0, many / kTile, steps, 0, 0, nullptr, false};
        }
        if (rows != many) {
            parts[count++] = {kTiles[rows - many], many, 1, steps, 0, 0, nullptr, false};
        }
        return count;
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE(...) KAI_DEFINE_MATMUL_ROWS_QAI8_NEON(Dotprod<false>, __VA_ARGS__)
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"
#undef KAI_ISA_neon_dotprod

#define KAI_MULTIPLY(NAME) KAI_MULTIPLY_TABLE_QAI8_NEON(DotprodTable<false>, NAME)
#define KAI_DEFINE_TABLE(...) KAI_DEFINE_IMATMUL_STATIC(KAI_MULTIPLY, __VA_ARGS__)
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_TABLE)
#define KAI_IMATMUL_ROWS KAI_LINE
#include "kai/ukernels/matmul/imatmul_clamp_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"
#undef KAI_ISA_neon_dotprod
#undef KAI_IMATMUL_ROWS
#undef KAI_UKERNEL_ROWS

}  // extern "C"

namespace kai {
namespace {

void multiply(const Lowp& p) {
    p.flip != 0 ? multiply_sums<Dotprod<true>>(p) : multiply_sums<Dotprod<false>>(p);
}
template <bool is_unsigned>
void multiply_requantised(const Lowp& p) {
    multiply_lowp<Dotprod<is_unsigned>>(p);
}
template <bool is_unsigned>
LowpFn* in_table(const Lowp& p) {
    return DotprodTable<is_unsigned>::takes(*p.table) ? multiply_lowp<DotprodTable<is_unsigned>> : nullptr;
}

}  // namespace
}  // namespace kai

#define KAI_ISA_neon_dotprod KAI_LOWP_LINES
#include "kai/engines/lowp/lowp_families.inc"
#include "kai/engines/lowp/lowp_sums.inc"
#include "kai/engines/lowp/lowp_table.inc"
