// qai8dxp on Armv8.0: tiles with SMULL, SMLAL and SMLSL (qai8dxp_neon_mlal.S) per kind of RHS, and the micro-kernels.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/int_neon/int_neon_mlal.hpp"
#include "kai/engines/qai8dxp/qai8dxp_args.h"

extern "C" {
KAI_DECLARE_MLAL(int8);
KAI_DECLARE_MLAL(int4);
KAI_DECLARE_MLAL(blocks_int4);
}

namespace kai {
namespace {

constexpr MlalTiles kInt8 = KAI_MLAL_TILES(int8), kInt4 = KAI_MLAL_TILES(int4),
                    kInt4Blocks = KAI_MLAL_TILES(blocks_int4);

/// Panels of MR rows and of 4 columns, groups of 8 k.
template <size_t MR>
void matmul_neon(const Problem* problem) {
    const Problem& p = *problem;
    MlalArgs args;
    args.steps = (p.k + 31) / 32;
    if (p.rhs_kind == RhsKind::int4_blocks) {
        args.steps = part_steps(p.bl);
        args.blocks = p.k / p.bl;
        args.scale_distance = (p.bl / 32 - args.steps) * 64;
    }
    const MlalTiles& tiles = p.rhs_kind == RhsKind::int8 ? kInt8 : p.rhs_kind == RhsKind::int4 ? kInt4 : kInt4Blocks;
    mlal_loops({p.m, p.n, MR, p.lhs, p.lhs_stride, p.rhs, p.rhs_stride, p.dst, p.dst_stride, p.lo, p.hi}, tiles, args);
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON(KIND, T, OUT, NAME, LHS, RHS, MR, ...) \
    KAI_DEFINE_MATMUL_QAI8DXP_##KIND(kai::matmul_neon<MR>, T, OUT, NAME, LHS, RHS, MR, __VA_ARGS__)
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_MATMUL_NEON)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
