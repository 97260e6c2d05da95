// f32 or f16 <- int8 rows x int4 or int8 columns, both quantised in blocks along K: for every block b, ascending,
//
//     acc[m][n] = fma(rhs_zero[n][b], lhs_sum[m][b], acc[m][n])                where the formats have zeros, or minima
//     acc[m][n] = fma(f32(S), lhs_scale[m][b] * rhs_scale[n][b], acc[m][n])    int4, 5 bits
//     acc[m][n] = fma(f32(S) * lhs_scale[m][b], rhs_scale[n][b], acc[m][n])    int8, indices of a table of int8
//     S = sum over the block of lhs * rhs, in int32
//
// then + bias, where the formats have one: BlockScales says what they have. Blocks of 32, the usual length, run in
// assembly: tiles of up to 16 rows and 4 columns (blocks_neon_tile.inc), of up to 4 rows and 8 or 16 columns
// (blocks_neon_few.inc), or 16 columns of a row (blocks_neon_dotprod_*_row*.S). Around tiles: blocks_neon.cpp, around
// rows: blocks_neon_rows.cpp. Other lengths: blocks_neon_long*.cpp. The symmetric SMMLA tile rounds f32(S) * lhs_scale
// first: the same bits while |S| < 2^13 (docs/arithmetic.md).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/blocks/blocks_neon.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

static_assert(
    qsi8d32p.block_bytes({4, 8, 2}, 32) == 136 && qsi4c32p.block_bytes({4, 8, 2}, 32) == 72 &&
        qsi8c32p.block_bytes({4, 8, 2}, 32) == 136 && qsi8d32p.block_bytes({1, 8, 2}, 32) == 34 &&
        qsi8d32pscalef32.block_bytes({4, 8, 2}, 32) == 160 && qai4c32p.block_bytes({4, 8, 2}, 32) == 96 &&
        qsi8d32pscalef32.block_bytes({1, 8, 2}, 32) == 40 && qlu4c32p.panel_head * 4 == 16 &&
        qlu4c32p.block_bytes({4, 8, 2}, 32) == 72 && qlu4c16p.block_bytes({4, 8, 2}, 32) == 80,
    "LHS_BLOCK, RHS_BLOCK of the assembly");

/// The functions of an ISA for a format of the RHS: tiles, also those for Cortex-A55; one row with groups of KR / 2 k.
template <const Format& RHS, bool FOR_A55 = false>
constexpr BlockTiles kTiles = {};
template <const Format& RHS, size_t KR>
constexpr RowFn* kRow = nullptr;

/// The format whose tiles another one uses.
template <const Format& RHS>
constexpr const Format& kTilesOf = RHS;
template <>
constexpr const Format& kTilesOf<qlu4c32pscalebf16> = qlu4c32p;

/// Whether tiles and rows take all blocks: of few bits, usually long ones; of five bits, which are of 32 alone.
template <const Format& RHS>
constexpr bool kTakesAllBlocks = RHS.bits < 4 || RHS.bits == 5;

/// The part of a RowScalesFn for panel p that keeps FLOATS of each block: keep(out, load(lhs)). Four blocks at once,
/// since in-order cores would wait for each load.
template <size_t FLOATS, class Load, class Keep>
KAI_INLINE void prepare_row_scales(const RowScalesArgs& args, size_t p, Load load, Keep keep) {
    const size_t step = FLOATS * args.panels, block = args.lhs_block;
    const uint8_t* lhs = args.lhs + p * args.lhs_stride;
    float* out = args.row_scales + p * FLOATS;
    size_t b = args.blocks;
    for (; b >= 4; b -= 4, lhs += 4 * block, out += 4 * step) {
        const auto x0 = load(lhs), x1 = load(lhs + block), x2 = load(lhs + 2 * block), x3 = load(lhs + 3 * block);
        keep(out, x0);
        keep(out + step, x1);
        keep(out + 2 * step, x2);
        keep(out + 3 * step, x3);
    }
    for (; b > 0; --b, lhs += block, out += step) {
        keep(out, load(lhs));
    }
}

/// The operands of a micro-kernel. Element: of the output.
template <const Format& LHS, const Format& RHS, size_t MR, size_t NR, class Element>
constexpr BlockOperands block_operands() {
    static_assert(LHS.panel_head + LHS.panel_tail == 0);
    return {
        {LHS, MR},
        {RHS, NR},
        sizeof(Element),
        RHS.bf16_scales,
        RHS.bits == 8,
        RHS.block_tail != 0          ? BlockScales::zeros
        : RHS.block_head == 4        ? BlockScales::halves
        : RHS.bits == 8 || RHS.table ? BlockScales::row
                                     : BlockScales::product,
        RHS.nibble_distance};
}

/// SDOT: groups of 4 k in panels, of KR / 2 k in rows. SMMLA: panels with groups of 8 k.
template <
    const Format& LHS, const Format& RHS, size_t MR, size_t NR, size_t KR, size_t M_STEP, class T, bool FOR_A55 = false>
constexpr auto kernel() {
    constexpr BlockOperands operands = block_operands<LHS, RHS, MR, NR, T>();
    if constexpr (MR == 1) {
        constexpr const LongRow* long_row = kTakesAllBlocks<RHS> ? nullptr : KR == 8 ? &kLongRow4 : &kLongRow8;
        return BlockRowsKernel{operands, kRow<kTilesOf<RHS>, KR>, long_row};
    } else {
        constexpr const BlockTiles& tiles = kTiles<kTilesOf<RHS>, FOR_A55>;
        constexpr const LongTiles* long_tiles = kTakesAllBlocks<RHS> ? nullptr : KR == 8 ? &kLongDot : &kLongMmla;
        return BlocksKernel{
            operands, &tiles, long_tiles, tiles.rules.pairs ? kai_store_pairs_neon : kai_store_rows_neon, M_STEP / MR};
    }
}

}  // namespace
}  // namespace kai

/// The functions of a micro-kernel of the catalogue whose output is T, as data: what kai::KERNEL returns and
/// matmul_blocks takes.
#define KAI_DEFINE_MATMUL_BLOCKS_BY(KERNEL, T, DST, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)   \
    KAI_DEFINE_MATMUL_GETTERS_BL(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, sizeof(T))           \
    KAI_RUN_MATMUL_BL(NAME, DST) {                                                                    \
        kai::check_blocks(kai::RHS, k, bl);                                                           \
        kai::check_output(dst_stride_col, sizeof(T), clamp_min, clamp_max);                           \
        static constexpr auto kernel =                                                                \
            kai::KERNEL<kai::LHS, kai::RHS, MR, NR, KR, M_STEP, T, kai::is_for_a55(#NAME)>();         \
        kai::matmul_blocks(kernel, m, n, k, bl, lhs, rhs, dst, dst_stride_row, clamp_min, clamp_max); \
    }
#define KAI_DEFINE_MATMUL_BLOCKS(T, DST, NAME, LHS, RHS, MR, NR, ...) \
    KAI_OF_NEON(NR, KAI_DEFINE_MATMUL_BLOCKS_BY, kernel, T, DST, NAME, LHS, RHS, MR, NR, __VA_ARGS__)
