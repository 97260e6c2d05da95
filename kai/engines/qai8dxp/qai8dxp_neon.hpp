// GEMM with rows quantised at run time (qai8dxp, panels of 4 rows) on NEON: one engine for every RHS and every output.
//
// Few rows (qai8dxp_neon_few.cpp): one call of assembly (kai_few_neon, qai8dxp_neon_few.S) does all columns; its tiles
// (qai8dxp_neon_<isa>_few_<RHS>.S) decode the RHS in registers.
//
// Many rows (qai8dxp_neon_many.cpp), in two phases: the RHS of 4 columns, a quad, becomes int8 in a small buffer, and
// up to 64 rows are multiplied by it: unpacking costs little, and the hot loop is a tile of int8 x int8 whatever the
// RHS is (int8 is read in place). Tiles are assembly (qai8dxp_neon_<isa>.S, qai8dxp_neon_<isa>_blocks.S): up to 16
// rows x 4 columns that stay in registers until they are results.
//
//     for groups of up to 64 rows                    as many as stay in the first-level cache
//         for batches of quads                       or, of a long one, chunks of k: decode
//             quad by quad, tile by tile             sums += lhs x rhs
//                                                    zero points, scales, bias, clamp, convert, store
//
// Tiles store whole panels and quads. Rows after the last whole panel are few; columns that fill no quad are stored in
// a buffer, from which they are copied.
//
// What an instruction set does for a kind of RHS is a GemmTiles.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/qai8dxp/qai8dxp_args.h"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {

// Types in the declarations of functions that other sources define: in an unnamed namespace they would be other types
// there.

/// GemmTileFn: qai8dxp_neon.inc says what they do.
KAI_STRUCT(Panel, KAI_PANEL);
KAI_STRUCT(Quad, KAI_QUAD);
KAI_STRUCT(GemmArgs, KAI_GEMM_ARGS);

using GemmTileFn = void(const GemmArgs*);
KAI_STRUCT(DecodeArgs, KAI_DECODE_ARGS);
using DecodeFn = void(const DecodeArgs*);

using FewTileFn = void();  // called by kai_few_neon, whose registers are its arguments
KAI_STRUCT(FewTiles, KAI_FEW_TILES);
KAI_STRUCT(FewArgs, KAI_FEW_ARGS);

/// The tile functions of an ISA for a kind of RHS.
struct GemmTiles {
    GemmTileFn* run[3];           // of 1, 2 and `most` panels
    size_t most;                  // 4, or 3
    GemmTileFn* wide;             // of 3 panels x 2 quads, or null
    DecodeFn* decode;             // null: the RHS is int8
    size_t group;                 // k of a column that are stored together: 8 (SMMLA) or 4 (SDOT)
    FewTiles few[8];              // of 1 to 8 rows
    size_t few_rows;              // up to this many are few, 3 to 64; of more rows, those after the last whole panel
    size_t column_bytes = group;  // from column to column of a packed group
};

namespace {

/// Shared by GemmArgs and FewArgs.
template <class Args>
KAI_INLINE void set_bounds(Args& args, const Problem& p) {
    vst1q_f32(args.lo, vdupq_n_f32(p.lo));
    vst1q_f32(args.hi, vdupq_n_f32(p.hi));
    args.panel_stride = p.lhs_stride;
    args.out = p.out;
}

}  // namespace
}  // namespace kai

extern "C" {
[[gnu::visibility("hidden")]] kai::DecodeFn kai_decode_int4_neon, kai_decode_int2_neon, kai_decode_panel_int2_neon;

/// All columns of few rows.
[[gnu::visibility("hidden")]] void kai_few_neon(const kai::FewArgs*);

/// The rows from m0 on, with few rows at a time. m0 is a multiple of 4.
[[gnu::visibility("hidden")]] void kai_gemm_few_neon(const kai::Problem&, const kai::GemmTiles&, size_t m0);

/// More rows than few.
[[gnu::visibility("hidden")]] void kai_gemm_many_neon(const kai::Problem&, const kai::GemmTiles&);
}

namespace kai {
namespace {

/// The GEMM, mr = 4. Both paths read rows before they look at n. Not inlined: one copy per ISA, not one per kernel.
[[gnu::noinline]] inline void gemm_neon(const Problem& p, const GemmTiles& t) {
    if (p.m != 0 && p.n != 0) {
        p.m <= t.few_rows ? kai_gemm_few_neon(p, t, 0) : kai_gemm_many_neon(p, t);
    }
}

}  // namespace
}  // namespace kai
