// GEMM with rows quantised at run time (qai8dxp, panels of 4 rows) on NEON: one engine for every RHS and every output.
//
// Few rows: one call of an assembly function (FewFn) does all columns and decodes the RHS in registers.
//
// Many rows, in two phases: the RHS of 4 columns, a quad, becomes int8 in a small buffer, and up to 64 rows are
// multiplied by it: unpacking costs little, and the hot loop is a tile of int8 x int8 whatever the RHS is (int8 is read
// where it is). Tiles are assembly (qai8dxp_neon_*.S): up to 16 rows x 4 columns that stay in registers until
// they are results.
//
//     for groups of up to 64 rows                    as many as stay in the first-level cache
//         for batches of quads                       or, of a long one, chunks of k: decode
//             quad by quad, tile by tile             sums += lhs x rhs
//                                                    zero points, scales, bias, clamp, convert, store
//
// Tiles store whole panels and quads. Rows behind the last whole panel are few; columns that fill no quad are stored in
// a buffer, from which they are copied.
//
// What an instruction set does for a kind of RHS is a GemmTiles.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/qai8dxp/qai8dxp.hpp"

namespace kai {
namespace {

/// @name Tile functions
///
/// A function multiplies all its tiles by one quad, then by the next one. A tile is 1, 2 or 4 panels of the LHS; its
/// LHS, panels and results stand behind those of the tile before. A decoded quad has `group` k of column 0, of column
/// 1, 2, 3, then the next ones: 8 k for SMMLA, 4 for SDOT; 128 bytes per step of 32 k. Functions may read 32 bytes past
/// the last k of a panel and of a quad.
///
/// Sums start as the panels' sums (resume) or anew. They become results (last) or are left in the panels: only one quad
/// may resume or not be the last.
///
///     sums_*         sum += lhs x rhs over `steps` steps, int32
///                    result = clamp(f32(sum + offset * column_sum) * (scale * column_scale) + bias)
///     block_sums_*   sum = fma(f32(S / 16), block_scale, sum) for each block of `steps` steps, S = lhs x rhs, int32:
///                    S starts at the bits of `start` and loses it as a float (ShortSum); 1 to 8 steps
///                    result = clamp(fma(column_sum, offset, sum) * scale + bias)
///
/// Products and sums are rounded, fma once. Values per column are in the order of a tile's vectors: c0 c1 c0 c1, c2 c3
/// c2 c3 for SMMLA, c0 c1 c2 c3 and nothing for SDOT; values per row: r0 r0 r1 r1, r2 r2 r3 r3, or r0 r1 r2 r3 and
/// nothing.
/// @{

/// Four rows: what is known of them, and sums, int32 or float, in the order of Acc.
struct Panel {
    float sums[4][4];
    float offsets[2][4];  // int32, or f32 for RHS in blocks
    float scales[2][4];
};

/// Four columns.
struct Quad {
    float column_sums[2][4];  // int32, or f32 for RHS in blocks
    float column_scales[2][4];
    float bias[4];
    const int8_t* rhs;
    const float* block_scales;  // two vectors per block for SMMLA, one for SDOT
    size_t dst;                 // bytes from GemmArgs::dst
    size_t clamps;              // 0: no result can be out of bounds
};

/// At least one tile, at least one quad.
struct GemmArgs {
    float start[4], lo[4], hi[4];
    const uint8_t* lhs;
    size_t panel_stride;  // of lhs
    size_t steps, blocks;
    Panel* panels;
    size_t tiles;
    const Quad* quads;
    size_t quad_count;
    uint8_t* dst;
    size_t row_stride, dst_stride;  // of dst, from row to row, from panel to panel
    size_t resume, last;
    OutKind out;
};
static_assert(
    sizeof(Panel) == 128 && offsetof(Panel, offsets) == 64 && offsetof(Panel, scales) == 96 &&  //
        sizeof(Quad) == 112 && offsetof(Quad, column_scales) == 32 && offsetof(Quad, bias) == 64 &&
        offsetof(Quad, rhs) == 80 && offsetof(Quad, dst) == 96 && offsetof(Quad, clamps) == 104 &&  //
        offsetof(GemmArgs, lo) == 16 && offsetof(GemmArgs, lhs) == 48 && offsetof(GemmArgs, steps) == 64 &&
        offsetof(GemmArgs, panels) == 80 && offsetof(GemmArgs, quads) == 96 && offsetof(GemmArgs, dst) == 112 &&
        offsetof(GemmArgs, row_stride) == 120 && offsetof(GemmArgs, resume) == 136 && offsetof(GemmArgs, last) == 144 &&
        offsetof(GemmArgs, out) == 152 && static_cast<size_t>(OutKind::f32) == 0 &&
        static_cast<size_t>(OutKind::f16) == 1 && static_cast<size_t>(OutKind::bf16) == 2,
    "kai/engines/qai8dxp/qai8dxp_neon.inc");

using GemmTileFn = void(const GemmArgs*);
/// @}

/// What a decoder does: quads, whose rhs is where they stand, become int8, one quad behind the other from `out` on; rhs
/// then is where they are. At least one quad and one step. Signed nibbles become 16 times the weights.
struct DecodeArgs {
    Quad* quads;
    size_t quad_count;
    int8_t* out;
    size_t steps;
    size_t second, third;  // where vectors of a step are: 0, second, third, second + third
    size_t step;           // bytes from step to step
    size_t gap;            // bytes behind each block, which has
    size_t block_steps;    // steps; as many of the first one are to be decoded:
    size_t first_steps;
    const int32_t* lut;  // int2: the four weights
};
using DecodeFn = void(const DecodeArgs*);
static_assert(
    offsetof(DecodeArgs, quads) == 0 && offsetof(DecodeArgs, out) == 16 && offsetof(DecodeArgs, second) == 32 &&
        offsetof(DecodeArgs, step) == 48 && offsetof(DecodeArgs, gap) == 56 && offsetof(DecodeArgs, first_steps) == 72,
    "qai8dxp_neon_decode.S");

/// Up to 8 rows, of one panel of the LHS or of two, times all columns. The RHS is decoded in registers. Results are
/// those of the tile functions. `clamps` is 0 or has all bits set. At least one row, at least one quad.
struct FewArgs {
    float start[4], lo[4], hi[4];
    const uint8_t* lhs;
    size_t panel_stride;
    const uint8_t* rhs;
    size_t rhs_stride;
    uint8_t* dst;
    size_t row_stride;
    size_t rows, quads;
    size_t steps, blocks, scale_distance;  // those of RowFn and RowBlocksFn (qai8dxp_neon_row.hpp)
    const int32_t* lut;                    // int2
    size_t nr;                             // columns of a panel of the RHS
    OutKind out;
    size_t clamps;  // per channel: 0 if no result is NaN or out of bounds while column scales and bias are below 2
};
static_assert(
    offsetof(FewArgs, lo) == 16 && offsetof(FewArgs, lhs) == 48 && offsetof(FewArgs, rhs) == 64 &&
        offsetof(FewArgs, dst) == 80 && offsetof(FewArgs, rows) == 96 && offsetof(FewArgs, steps) == 112 &&
        offsetof(FewArgs, scale_distance) == 128 && offsetof(FewArgs, nr) == 144 && offsetof(FewArgs, out) == 152 &&
        offsetof(FewArgs, clamps) == 160,
    "assembly for few rows");
using FewFn = void(const FewArgs*);

/// The tile functions of an ISA for a kind of RHS.
struct GemmTiles {
    GemmTileFn* run[3];  // of 1, 2 and 4 panels
    GemmTileFn* wide;    // of 3 panels x 2 quads, or null
    DecodeFn* decode;    // null: the RHS is int8
    size_t group;        // k of a column that lie together: 8 (SMMLA) or 4 (SDOT)
    FewFn* few[8];       // of 1 to 8 rows; of 5 and more also null: 4 rows, then the others
    size_t few_rows;     // so many are few, 3 to 32. Of more, those behind the last whole panel are
};

}  // namespace
}  // namespace kai

extern "C" {
[[gnu::visibility("hidden")]] kai::DecodeFn kai_decode_int4_neon, kai_decode_int2_neon;

/// The GEMM, mr = 4.
[[gnu::visibility("hidden")]] void kai_gemm_qai8dxp_neon(const kai::Problem*, const kai::GemmTiles*);
}
