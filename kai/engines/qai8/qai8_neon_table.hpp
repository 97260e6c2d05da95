// Static int8 on NEON, rows found through a table of pointers (kai_run_imatmul_rows_qai8_fn): by what multiplies rows
// as they lie (qai8_neon.hpp), to which an ISA adds how a block of rows of the table is prepared.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/static_table.hpp"
#include "kai/engines/qai8/qai8_neon.hpp"

namespace kai {
namespace {

/// Isa: `takes(table)` says whether its tiles can, `Gathered` are those of rows as they lie.
template <class Isa>
KAI_INLINE void multiply_table_neon(const StaticTableCall& c, bool for_a55, const char* function) {
    if (Isa::takes(c.lhs)) {
        const size_t k = c.lhs.chunks * c.padded(), row_bytes = c.lhs.chunks * sizeof(void*);
        const uint8_t* const table = bytes(c.lhs.pointers);
        Qai8 p = {c.m, c.n, k, table, row_bytes, c.rhs, c.rhs_stride, c.dst, c.dst_stride, for_a55};
        p.table = &c.lhs;
        return multiply<Isa>(p, *c.params, function);
    }
    multiply_gathered(c, function, [&](const uint8_t* rows, size_t count, size_t k, uint8_t* to) {
        multiply<typename Isa::Gathered>(
            {count, c.n, k, rows, k, c.rhs, c.rhs_stride, to, c.dst_stride, for_a55}, *c.params, function);
    });
}

/// All rows are packed, chunk by chunk, as I8mm packs those that lie.
template <class I8mm>
struct PackedTable {
    using Gathered = I8mm;
    static constexpr size_t kGroup = Gathered::kGroup, kMostParts = 2, kTile = Gathered::kTile,
                            kPackedTile = Gathered::kPackedTile;

    struct Storage {
        uint8_t packed[StaticLimits::kGatheredBytes + kPackedTile * kGroup];  // loads run a group ahead
    };

    /// A block of 4 rows fits.
    KAI_INLINE static bool takes(const RowTable& table) {
        return table.chunks * ((table.length + kGroup - 1) / kGroup * kGroup) <= StaticLimits::kGatheredBytes / kTile;
    }
    KAI_INLINE static size_t room_for(size_t k) {
        return k <= StaticLimits::kPackedBytes / kTile ? StaticLimits::kPackedBytes : StaticLimits::kGatheredBytes;
    }
    KAI_INLINE static size_t packed_tile(size_t k) {
        return k <= room_for(k) / kPackedTile ? kPackedTile : kTile;
    }
    KAI_INLINE static size_t block_rows(size_t m, size_t, size_t k, size_t most) {
        const size_t tile = packed_tile(k);
        return m <= kTile || k == 0 ? min(m, most) : min(room_for(k) / k, most) / tile * tile;
    }

    /// Rows of a block.
    struct Rows {
        const RowTable& table;
        size_t first;

        template <size_t tile>
        KAI_INLINE void pack_tile(size_t i, size_t count, uint8_t* to) const {
            const void* const* pointers[tile];
            KAI_UNROLL(6)
            for (size_t r = 0; r < tile; ++r) {
                pointers[r] = table.row(first + i + min(r, count - 1));
            }
            for (size_t chunk = 0; chunk < table.chunks; ++chunk) {
                const uint8_t* rows[tile];
                KAI_UNROLL(6)
                for (size_t r = 0; r < tile; ++r) {
                    rows[r] = table.at(pointers[r][chunk * table.group]);
                }
                to = Gathered::pack_rows(rows, 0, table.length, to);
            }
        }
    };
    [[gnu::noinline]] static size_t prepare(
        const Qai8& p, size_t first, size_t rows, Storage& storage, Qai8Part* parts) {
        RowTable table = *p.table;
        table.group = kTile;  // a constant: no division
        const Rows from = {table, first};
        Qai8Part next = {nullptr, 0, 0, 0, 0, p.k / kGroup, nullptr, false};
        uint8_t* to = storage.packed;
        size_t count = Gathered::cut(from, packed_tile(p.k), rows, next, to, parts);
        if (rows != next.first) {
            parts[count++] = Gathered::pack_pair(from, rows - next.first, next, to);
        }
        return count;
    }
};

}  // namespace
}  // namespace kai

/// Rows of a table for KAI_DEFINE_IMATMUL_STATIC: by tiles that take them from it, or gathered.
#define KAI_MULTIPLY_TABLE_QAI8_NEON(ISA, NAME) kai::multiply_table_neon<kai::ISA>(c, kai::is_for_a55(#NAME), function)
