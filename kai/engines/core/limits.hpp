// Blocking of the engines: groups of rows, batches of columns, chunks of k. Results must not depend on
// it. Tests take their shapes from here (test/matmul/limits_test.cpp); nothing here needs an ISA.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

namespace kai {
namespace {

/// Both operands in blocks or super-blocks, on NEON and SVE. A quad is 4 columns.
struct BlocksLimits {
    static constexpr size_t kPanels = 4, kQuads = 16;  // of 4 rows; of a batch
    static constexpr size_t kLongRowQuads = 16;        // of one row, blocks of any length
    static constexpr size_t kRowScales = 2048;         // floats that are prepared at a time
    static constexpr size_t kTableDepth = 1024;        // k whose sums are looked up, for all columns of a row
    /// Up to so many rows of a panel are looked up, if there are so many columns.
    static constexpr size_t kTableRowsI8mm = 3, kTableRowsDotprod = 4, kTableColumns = 128;
    /// Blocks for which they suffice.
    static constexpr size_t kChunkDotprodInt4 = kRowScales / (4 * 2 * 4), kChunkDotprod = kRowScales / (20 * 2),
                            kChunkI8mm = kRowScales / (16 * kPanels), kChunkSve = kRowScales / (8 * kPanels);
};

/// Both operands in blocks on NEON, the RHS packed for SME. kColumns: of the widest panel, VL(4) of 2048 bits.
struct BlockPanelsLimits {
    static constexpr size_t kRows = 64, kColumns = 256;
    static constexpr size_t kBlocks = 32, kQuadBytes = kBlocks * (16 + 128);  // of a buffer
    static constexpr size_t kPartChunks = 32;  // of 32 k, of a block that does not fit it: their sums are exact in f32
    static constexpr size_t kPreparedBlocks = 512;  // of one row: up to 16,384 k, 24 KB
};

/// Super-blocks on NEON, the RHS packed for SME: rows; columns of the widest panel; super-blocks of a buffer, bytes of
/// 4 columns of them.
struct SuperPanelsLimits {
    static constexpr size_t kRows = 64, kColumns = 256, kBlocks = 4, kPanelBytes = 16 + kBlocks * 840;
};

/// qai8dxp, panels of 4 rows, SDOT and SMMLA.
struct Qai8dxpLimits {
    static constexpr size_t kGroupPanels = 16;
    static constexpr size_t kFirstLevelBytes = 32768;  // of one operand: fits almost all caches beside the other data
    static constexpr size_t kSecondLevelBytes = 131072;
    static constexpr size_t kBatchQuads = 16;    // at most, that are decoded at a time
    static constexpr size_t kBatchDepth = 4096;  // k of all of them together
    /// Up to so many rows are few.
    static constexpr size_t kFewRows = 64, kFewRowsInt8I8mm = kFewRows, kFewRowsInt8Dotprod = 20, kFewRowsInt4 = 16,
                            kFewRowsInt4Blocks = 24, kFewRowsPanelsInt8 = 20, kFewRowsPanelsInt4 = 12,
                            kFewRowsPanelsInt4Halves = 8, kFewRowsPanelsInt2 = 8;  // panels: of SME
    static constexpr size_t kMostPanelColumns = 256;  // of the widest panel of SME, VL(4) of 2048 bits

    /// Panels of a group: whole tiles of 16 rows. An LHS that is too long for this cache comes from the next level,
    /// whatever its number of rows.
    static constexpr size_t group_panels(size_t k) {
        const size_t panels = k == 0 ? kGroupPanels : kFirstLevelBytes / k / 16 * 4;
        return panels < kGroupPanels / 2 ? kGroupPanels / 2 : panels < kGroupPanels ? panels : kGroupPanels;
    }
};

/// Neither side packed, K x N: vectors of columns of a tile of one row, and of tiles of many.
struct PlainLimits {
    static constexpr size_t kRowVectors = 16, kVectors = 4;
};

/// Integers without SDOT and SMMLA.
struct MlalLimits {
    static constexpr size_t kRhsBytes = 16384;  // that stay in the first-level cache while rows follow each other
};

/// uint8 and int8 with offsets, on NEON.
struct LowpLimits {
    static constexpr size_t kRows = 64, kColumns = 16;
    static constexpr size_t kGroups = 127;  // of 16 k, whose sums of pairs of bytes fit 16 bits
};

/// Static int8 on NEON, rows as they lie.
struct StaticLimits {
    static constexpr size_t kSumRows = 60;  // low precision by the same tiles: of a block
    static constexpr size_t kColumns = 16, kStripPanels = 8;
    static constexpr size_t kRows = 126;           // of a block: whole tiles of 6
    static constexpr size_t kPackedBytes = 16384;  // of rows that are packed at a time (SMMLA)
    static constexpr size_t kFewColumns = 32;      // for which rows are not packed
    /// Panels of SME: k of 16 columns that are decoded, and of rows that are packed at a time; these rows; strips of 16
    /// columns whose sums are kept where k is deeper; columns of the widest panel, VL(4) of 2048 bits.
    static constexpr size_t kPanelDepth = 512, kPanelRows = 48, kPanelStrips = 8, kMostPanelColumns = 256;
    /// Of rows that are gathered from a table of pointers at a time; one that is longer is read in place.
    static constexpr size_t kGatheredBytes = 32768;
};

/// Rows of a file, read in place, on NEON.
struct InplaceLimits {
    static constexpr size_t kColumns = 8;
    static constexpr size_t kBlocks = 256, kSuperBlocks = 16;  // of a chunk
};

/// Integers in portable C++.
struct PortableLimits {
    static constexpr size_t kRows = 64, kColumns = 16, kChunk = 256;  // of k
};

}  // namespace
}  // namespace kai
