// Both operands in blocks, the RHS packed for SME in panels of 4 VL columns: what cores do that have no SME unit at
// hand, with the same packed RHS. The results are, bit for bit, those of the SME kernels of the family:
//
//     acc[m][n] = fma(rhs_zero[n][b], lhs_sum[m][b], acc[m][n])                  where the formats have zeros
//     acc[m][n] = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc[m][n]),     S = sum over the block of lhs * rhs
//
// then + bias, where the format has one.
//
// Many rows: some blocks of 16 columns are decoded to int8 in a buffer, whatever the format, and multiplied by up to 64
// rows (blocks_neon_dotprod_panels_tiles.S). One row has loops of its own, 16 columns at a time, that decode in
// registers (blocks_neon_panels_row.inc).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"

namespace kai {

// Types in the declarations of functions that other sources define: in an unnamed namespace they would be other types
// there.

struct TileArgs;  // blocks_args.h
using TileFn = void(const TileArgs*);

/// Blocks of 16 columns of a panel, four quads. A block has `chunks` times 32 k; with two scales it is two of 16 k.
struct PanelBlocks {
    const uint8_t* elements;  // of the first block
    const uint8_t* scales;    // or zeros, then scales, of the first block
    size_t scales_stride;     // bytes from block to block, or from the first to the second scale of a block
    size_t gap;               // bytes between elements of blocks
    size_t nr, blocks, chunks;
    const uint8_t* table;  // 16 int8, of formats of indices
    uint8_t* quads;        // out
    size_t quad_stride;    // bytes from quad to quad
};
/// Of each quad, block by block: f32 scales of the columns, in front of them zeros, if there are any; then int8, 4 k of
/// each column after 4 k.
using GatherFn = void(const PanelBlocks&);

/// One row x `tiles` * 16 columns, from column `first` of a panel on. `rhs`: the elements of the panel of nr columns,
/// `lhs`: those of the row.
using PanelBlocksRowFn = void(
    const uint8_t* lhs, const uint8_t* rhs, size_t nr, void* dst, size_t tiles, size_t blocks, size_t chunks,
    size_t f16, size_t first, float lo, float hi);

/// Tiles of up to 4 rows, of 5 to 7, and of 8, x 4 columns.
struct PanelTiles {
    TileFn* of[5];
};

/// How 4 VL columns of an RHS are packed: bytes of a column in a group, which has all columns of the panel; in front of
/// the blocks and after them; scales, and zeros, of a block. Zeros and scales follow each block, scales alone the last.
struct PanelsOfBlocks {
    size_t group_bytes, bits, head, tail, scales;
    bool has_zeros;
};

/// For many rows. Tiles of blocks of 32 k, or of two scales; of longer ones; of parts of these. Bytes of a result.
struct BlockPanelsKernel {
    PanelsOfBlocks rhs;
    GatherFn* gather;
    const PanelTiles *tiles, *long_tiles, *part_tiles;
    size_t element;
};
/// For one row after another. `run`: blocks of 32 k; `long_run`: longer ones, and rows too deep to be prepared.
struct BlockPanelRowsKernel {
    PanelsOfBlocks rhs;
    PanelBlocksRowFn *run, *long_run;
    size_t element = sizeof(float);
    enum Row { packed, prepared, prepared_f16 } row = packed;  // what `run` takes: blocks_neon_panels_rows.cpp
};

}  // namespace kai

extern "C" {
[[gnu::visibility("hidden")]] kai::GatherFn kai_gather_int8_neon, kai_gather_int4_neon, kai_gather_int2_neon,
    kai_gather_int4_4_apart_neon, kai_gather_table_neon, kai_gather_table_bf16_neon, kai_gather_table_halves_neon,
    kai_gather_zeros_neon;

[[gnu::visibility("hidden")]] void kai_matmul_block_panels_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride, size_t nr,
    const kai::BlockPanelsKernel* kernel, float lo, float hi);
/// From column `first` of a panel on: n columns, of this panel unless `first` is 0.
[[gnu::visibility("hidden")]] void kai_matmul_block_panel_columns_neon(
    size_t m, size_t first, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, size_t nr, const kai::BlockPanelRowsKernel* kernel, float lo, float hi);
}

namespace kai {
namespace {

/// Bytes from panel to panel of the RHS, from row to row of the LHS.
KAI_INLINE size_t rhs_stride_of(const PanelsOfBlocks& of, size_t nr, size_t k, size_t blocks) {
    return nr * (of.head + of.tail + k * of.bits / 8 + blocks * of.scales);
}
KAI_INLINE size_t row_bytes(const PanelsOfBlocks& of, size_t k, size_t blocks) {
    return k + blocks * (of.has_zeros ? 8 : 2);
}

template <const Format& RHS>
constexpr PanelsOfBlocks panels_of_blocks() {
    return {RHS.group_size({0, 4, 1}),       RHS.bits,           RHS.panel_head, RHS.panel_tail,
            RHS.block_head + RHS.block_tail, RHS.block_tail != 0};
}

}  // namespace
}  // namespace kai

/// The functions of a micro-kernel of the catalogue whose output is T, if its panels are those of SME. The source has
/// kai::kPanelKernel and kai::kPanelRowKernel of each format.
#define KAI_DEFINE_MATMUL_BLOCK_PANELS(T, DST, NAME, LHS, RHS, MR, NR, ...) \
    KAI_OF_SME(NR, KAI_DEFINE_MATMUL_BLOCK_PANELS_MR_##MR, T, DST, NAME, LHS, RHS, NR, __VA_ARGS__)
#define KAI_DEFINE_MATMUL_BLOCK_PANELS_MR_4(T, DST, NAME, LHS, RHS, NR, ...)               \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, 4, NR, __VA_ARGS__, sizeof(T))            \
    KAI_RUN_MATMUL_BL(NAME, DST) {                                                         \
        KAI_RUN_BLOCK_PANELS(kai_matmul_block_panels_neon, kPanelKernel, RHS, T, NR, m, n) \
    }
#define KAI_DEFINE_MATMUL_BLOCK_PANELS_MR_1(T, DST, NAME, LHS, RHS, NR, ...)                                   \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, 1, NR, __VA_ARGS__, sizeof(T))                                \
    KAI_RUN_MATMUL_BL(NAME, DST){KAI_RUN_BLOCK_PANELS(                                                         \
        kai_matmul_block_panel_columns_neon, kPanelRowKernel, RHS, T, NR, m, 0, n)} KAI_COLUMNS_MATMUL(NAME) { \
        KAI_RUN_BLOCK_PANELS(kai_matmul_block_panel_columns_neon, kPanelRowKernel, RHS, T, NR, m, first, n)    \
    }
/// MATMUL for m rows x n columns, after checks. The function has the parameters of the micro-kernel.
#define KAI_RUN_BLOCK_PANELS(MATMUL, KERNEL, RHS, T, NR, ...)           \
    kai::check_blocks(kai::RHS, k, bl);                                 \
    kai::check_output(dst_stride_col, sizeof(T), clamp_min, clamp_max); \
    static constexpr auto kernel = kai::KERNEL<kai::RHS, T>;            \
    MATMUL(__VA_ARGS__, k, bl, lhs, rhs, dst, dst_stride_row, kai::PanelRows(NR), &kernel, clamp_min, clamp_max);
