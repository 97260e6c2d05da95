// qai8dxp with SDOT and panels packed for SME, 4 VL columns wide: what cores do that have no SME unit at hand, with the
// same packed RHS. Results are, bit for bit, those of the SMOPA kernels of the family with this RHS. Many rows: the RHS
// of 4 columns is gathered and decoded, as int4 is for the other kernels, and the tiles are theirs
// (qai8dxp_neon_many.cpp). Few rows, and those after the last whole panel: up to 4 rows x 16 columns at a time, decoded
// in registers (qai8dxp_neon_dotprod_panels_few.S). One row: qai8dxp_neon_dotprod_panels_row.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

namespace kai {
namespace {

/// 2 to 4 rows, a panel of the LHS, x `columns` of a panel of nr, a multiple of 16. In `steps` of 32 k. dst_stride = 0:
/// the first of 2 rows alone. lut: int2.
using PanelFewFn = void(
    const uint8_t* lhs, const uint8_t* rhs, void* dst, size_t columns, size_t steps, size_t nr, OutKind out,
    size_t dst_stride, float lo, float hi, const int32_t* lut);

}  // namespace
}  // namespace kai

/// For 2, 3 and 4 rows.
#define KAI_PANEL_FEW(RHS)                                                            \
    kai_panel_few_##RHS##_2x16_neon_dotprod, kai_panel_few_##RHS##_3x16_neon_dotprod, \
        kai_panel_few_##RHS##_4x16_neon_dotprod
extern "C" {
kai::PanelFewFn KAI_PANEL_FEW(int8), KAI_PANEL_FEW(int4), KAI_PANEL_FEW(int4_halves), KAI_PANEL_FEW(int2);
kai::DecodeFn kai_decode_panel_int8_neon, kai_decode_panel_int4_neon;
kai::GemmTileFn kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod,
    kai_sums_12x8_neon_dotprod;

/// Rows `start` to `end` - 1, multiples of 4: qai8dxp_neon_many.cpp.
[[gnu::visibility("hidden")]] void kai_gemm_panels_neon(
    const kai::Problem&, const kai::GemmTiles&, size_t start, size_t end);
}

namespace kai {
namespace {

/// What multiplies with panels of a kind of RHS.
struct PanelTiles {
    GemmTiles many;
    PanelFewFn* few[3];  // 2, 3, 4 rows
    size_t few_rows;     // up to this many are few
};

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
using Limits = Qai8dxpLimits;
constexpr PanelTiles
    kPanelsInt8 = {tiles_with(kai_decode_panel_int8_neon, 4), {KAI_PANEL_FEW(int8)}, Limits::kFewRowsPanelsInt8},
    kPanelsInt4 = {tiles_with(kai_decode_panel_int4_neon, 2), {KAI_PANEL_FEW(int4)}, Limits::kFewRowsPanelsInt4},
    kPanelsInt4Halves =
        {tiles_with(kai_decode_int4_neon, 4), {KAI_PANEL_FEW(int4_halves)}, Limits::kFewRowsPanelsInt4Halves},
    kPanelsInt2 = {tiles_with(kai_decode_panel_int2_neon, 1), {KAI_PANEL_FEW(int2)}, Limits::kFewRowsPanelsInt2};

/// Rows from `start` on, a multiple of 4. All of them x a panel, then the next panel.
[[gnu::noinline]] void gemm_few(const Problem& p, const PanelTiles& t, size_t start) {
    const size_t steps = (p.k + 31) / 32, element = element_bytes(p.out);
    const uint8_t *lhs = p.lhs + start / 4 * p.lhs_stride, *rhs = p.rhs;
    uint8_t* dst = bytes(p.dst, start * p.dst_stride);
    for (size_t left = p.n, columns = 0; left > 0; left -= columns, rhs += p.rhs_stride, dst += columns * element) {
        columns = left < p.nr ? left : p.nr;
        for (size_t i = 0; i < p.m - start; i += 4) {
            const size_t rows = p.m - start - i < 4 ? p.m - start - i : 4;
            const size_t stride = rows == 1 ? 0 : p.dst_stride;
            const uint8_t* const panel = lhs + i / 4 * p.lhs_stride;
            uint8_t* const to = dst + i * p.dst_stride;
            PanelFewFn* const run = t.few[rows == 1 ? 0 : rows - 2];
            if (columns % 16 == 0) {
                run(panel, rhs, to, columns, steps, p.nr, p.out, stride, p.lo, p.hi, p.lut);
                continue;
            }
            float results[4][Limits::kMostPanelColumns];
            run(panel, rhs, results, columns / 16 * 16 + 16, steps, p.nr, p.out, sizeof(results[0]), p.lo, p.hi, p.lut);
            for (size_t r = 0; r < rows; ++r) {
                __builtin_memcpy(to + r * p.dst_stride, results[r], columns * element);
            }
        }
    }
}

[[gnu::noinline]] void gemm_any(const Problem& p, const PanelTiles& t) {
    const size_t many = p.m <= t.few_rows ? 0 : p.m / 4 * 4;
    if (many != 0) {
        kai_gemm_panels_neon(p, t.many, 0, many);
    }
    if (many != p.m) {
        gemm_few(p, t, many);
    }
}

/// SR, of int4. 1: k and k + 1 are in a byte, 2: k and k + 16.
template <size_t SR>
KAI_INLINE void gemm_panels(const Problem* p) {
    if (p->m != 0 && p->n != 0) {
        const PanelTiles& int4 = SR == 1 ? kPanelsInt4 : kPanelsInt4Halves;
        gemm_any(*p, p->rhs_kind == RhsKind::int8 ? kPanelsInt8 : p->rhs_kind == RhsKind::int2 ? kPanelsInt2 : int4);
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
