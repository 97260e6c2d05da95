// qai8dxp with SDOT and panels packed for SME, 4 VL columns wide: what cores do that have no SME unit at hand, with the
// same packed RHS. The results are, bit for bit, those of the SMOPA kernels of the family with this RHS. The RHS of 4
// columns is gathered and decoded, as int4 is for the other kernels, and the tiles are theirs (qai8dxp_neon_many.cpp).
// One row: qai8dxp_neon_dotprod_panels_row.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

extern "C" {
kai::DecodeFn kai_decode_panel_int8_neon, kai_decode_panel_int4_neon;
kai::GemmTileFn kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod,
    kai_sums_12x8_neon_dotprod;

/// Rows `start` to `end` - 1, multiples of 4: qai8dxp_neon_many.cpp.
[[gnu::visibility("hidden")]] void kai_gemm_panels_neon(
    const kai::Problem&, const kai::GemmTiles&, size_t start, size_t end);
}

namespace kai {
namespace {

/// Columns of the widest panel: VL(4) of vectors of 2048 bits.
constexpr size_t kMostPanelColumns = 256;

constexpr GemmTiles tiles_with(DecodeFn* decode, size_t column_bytes) {
    return {
        {kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod},
        4,
        kai_sums_12x8_neon_dotprod,
        decode,
        4,
        {},
        0,
        column_bytes};
}
constexpr GemmTiles kPanelsInt8 = tiles_with(kai_decode_panel_int8_neon, 4),
                    kPanelsInt4 = tiles_with(kai_decode_panel_int4_neon, 2),
                    kPanelsInt4Halves = tiles_with(kai_decode_int4_neon, 4);

/// Any number of rows. Those after the last whole panel of the LHS: a panel of columns at a time, of whose four rows
/// some are copied.
[[gnu::noinline]] void gemm_decoded(const Problem& p, const GemmTiles& t) {
    const size_t whole = p.m / 4 * 4, rest = p.m - whole, element = element_bytes(p.out);
    if (whole != 0) {
        kai_gemm_panels_neon(p, t, 0, whole);
    }
    if (rest == 0) {
        return;
    }
    float results[4][kMostPanelColumns];
    Problem part = p;
    part.m = 4, part.lhs += whole / 4 * p.lhs_stride;
    part.dst = results, part.dst_stride = sizeof(results[0]);
    uint8_t* dst = bytes(p.dst, whole * p.dst_stride);
    for (size_t left = p.n; left > 0; left -= part.n) {
        part.n = left < p.nr ? left : p.nr;
        kai_gemm_panels_neon(part, t, 0, 4);
        for (size_t i = 0; i < rest; ++i) {
            __builtin_memcpy(dst + i * p.dst_stride, results[i], part.n * element);
        }
        part.rhs += p.rhs_stride;
        dst += part.n * element;
    }
}

/// SR, of int4. 1: k and k + 1 are in a byte, 2: k and k + 16.
template <size_t SR>
KAI_INLINE void gemm_panels(const Problem* p) {
    if (p->m != 0 && p->n != 0) {
        const GemmTiles& tiles = p->rhs_kind == RhsKind::int8 ? kPanelsInt8 : SR == 1 ? kPanelsInt4 : kPanelsInt4Halves;
        gemm_decoded(*p, tiles);
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON_DOTPROD(KIND, T, OUT, NAME, LHS, RHS, MR, NR, ...) \
    KAI_OF_SME(NR, KAI_DEFINE_MATMUL_MR_##MR, KIND, T, OUT, NAME, LHS, RHS, NR, __VA_ARGS__)
#define KAI_DEFINE_MATMUL_MR_1(...)
#define KAI_DEFINE_MATMUL_MR_4(KIND, T, OUT, NAME, LHS, RHS, NR, KR, SR, ...) \
    KAI_DEFINE_MATMUL_QAI8DXP_##KIND(kai::gemm_panels<SR>, T, OUT, NAME, LHS, RHS, 4, NR, KR, SR, __VA_ARGS__)
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_NEON_DOTPROD)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
