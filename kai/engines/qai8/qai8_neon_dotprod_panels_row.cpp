// Static int8 and static 2 bits with SDOT and panels packed for SME, one row (qai8_neon_panels.hpp). Sums are those of
// qai8dxp (qai8dxp_neon_dotprod_panels_row.S), 32 k at a time of a panel as it lies. What is left of k is copied, 16
// columns at a time, and so are panels of 8 columns: a tile has at least 16.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8/qai8_neon_panels.hpp"
#include "kai/engines/qai8dxp/qai8dxp_neon_panels_row.hpp"

namespace kai {
namespace {

constexpr size_t kStrip = PanelStrip::kColumns;

/// k of a step, in groups of 4.
constexpr size_t kStep = 32, kStepGroups = kStep / 4;

/// Functions for tiles of 16 columns, and for the widest that a panel has room for.
struct RowTile {
    PanelRowFn* run;
    size_t columns;
};
constexpr RowTile kInt8Tiles[] = {
    {kai_panel_row_int8_16_neon_dotprod, 16},
    {kai_panel_row_int8_32_neon_dotprod, 32},
    {kai_panel_row_int8_64_neon_dotprod, 64}};
constexpr RowTile kInt2Tiles[] = {{kai_panel_row_int2_16_neon_dotprod, 16}, {kai_panel_row_int2_64_neon_dotprod, 64}};

KAI_INLINE void run_tile(
    const RowTile& tile, const uint8_t* lhs, const uint8_t* rhs, int32_t* sums, size_t columns, size_t steps,
    size_t nr) {
    static constexpr int32_t kWeights[] = {-2, -1, 0, 1};
    tile.run(lhs, rhs, sums, columns, steps, nr, OutKind::sums, 0, 0, 0, kWeights);
}

/// A step of a strip, up to the end of k. Functions load one step ahead, at most the bytes of a group of int8.
struct CopiedStep {
    uint8_t row[kStep] = {}, columns[(kStepGroups + 1) * 4 * kStrip] = {};

    KAI_INLINE CopiedStep(const StaticPanels& p, const PanelStrip& strip, size_t k0) {
        const size_t k = KAI_MIN(p.k - k0, kStep), groups = p.is_int2 ? kStepGroups : (k + 3) / 4;
        const size_t half = strip.word * PanelStrip::kHalf, done = k0 / 4 * strip.group;
        __builtin_memcpy(row, p.lhs + k0, k);
        for (size_t i = 0; i < 2 * groups; ++i) {
            __builtin_memcpy(columns + i * half, strip.elements[i % 2] + done + i / 2 * strip.group, half);
        }
    }
};

/// sums += the products of the strip at n0 from k0 on.
[[gnu::noinline]] void add_rest(const StaticPanels& p, size_t n0, const RowTile& tile, size_t k0, int32_t* sums) {
    const PanelStrip strip(p, n0);
    for (; k0 < p.k; k0 += kStep) {
        const CopiedStep step(p, strip, k0);
        int32_t more[kStrip];
        run_tile(tile, step.row, step.columns, more, kStrip, 1, kStrip);
        for (size_t i = 0; i < kStrip; ++i) {
            sums[i] = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) + static_cast<uint32_t>(more[i]));
        }
    }
}

/// All sums of some panels, then their results. From column `first` of a panel on: columns up to p.n, of this panel
/// unless `first` is 0. Its multiples are those of KAI_COLUMNS in the catalogues.
template <size_t kTiles>
[[gnu::noinline]] void multiply_row(
    const StaticPanels& p, const StaticResults::Bounds& bounds, const RowTile (&tiles)[kTiles], size_t first = 0) {
    constexpr size_t kMost = StaticLimits::kMostPanelColumns;
    const size_t steps = p.nr >= kStrip ? p.k / kStep : 0;
    size_t widest_tile = kTiles - 1;  // that does not go beyond the panel
    while (widest_tile > 0 &&
           ((p.nr - first) % tiles[widest_tile].columns != 0 || tiles[widest_tile].columns > p.n - first)) {
        --widest_tile;
    }
    const RowTile& widest = tiles[widest_tile];
    const uint8_t* elements = PanelStrip(p, first).elements[0];
    int32_t sums[kMost];
    for (size_t n0 = first; n0 < p.n; n0 += kMost) {
        const size_t n = KAI_MIN(p.n - n0, kMost);
        if (steps == 0) {
            __builtin_memset(sums, 0, sizeof(sums));
        }
        for (size_t j = 0; steps != 0 && j < n; j += p.nr, elements += p.rhs_stride) {
            const size_t its = KAI_MIN(n - j, p.nr), columns = (its + widest.columns - 1) / widest.columns;
            run_tile(widest, p.lhs, elements, sums + j, columns * widest.columns, steps, p.nr);
        }
        for (size_t j = 0; j < n; j += kStrip) {
            if (steps * kStep != p.k) {
                add_rest(p, n0 + j, tiles[0], steps * kStep, sums + j);
            }
            StaticResults(bounds, PanelStrip(p, n0 + j)).store(sums + j, n - j, p.dst + n0 - first + j);
        }
    }
}

void run_qsu2_row(const kai_matmul_uker_args* args, const char* function) {
    check_args(args, function);
    KAI_REQUIRE(function, args->shape.m <= 1, many_rows, args->shape.m);
    if (!is_empty(args)) {
        multiply_row(
            panels_of_call(args, PanelRows(VL(4)).value()), {requantisation_of(args, function), function}, kInt2Tiles);
    }
}

KAI_INLINE void check_first(size_t first, const char* function) {
    KAI_REQUIRE(function, first % kStrip == 0, not_multiple, "first", first, kStrip);
}

}  // namespace
}  // namespace kai

/// The body of a function for one row, from column FIRST of a panel on; REQUANTISE: kai_matmul_requantize32_params.
#define KAI_RUN_STATIC_ROW(RHS, NR, KR, FIRST, IS_INT2, REQUANTISE, TILES)                                \
    kai::check_element(dst_stride_col, sizeof(int8_t));                                                   \
    kai::check_first(FIRST, __func__);                                                                    \
    if (m > 0 && n > 0) {                                                                                 \
        const size_t nr = NR;                                                                             \
        kai::multiply_row(                                                                                \
            {m, (FIRST) + n, k, kai::bytes(lhs), k, kai::bytes(rhs), kai::RHS.stride({nr, KR, 1}, k), nr, \
             kai::bytes(dst), dst_stride_row, IS_INT2},                                                   \
            {REQUANTISE, __func__}, kai::TILES, FIRST);                                                   \
    }

KAI_DEFINE_MATMUL_API(
    matmul_clamp_qai8_qai8_qsu2cxp16vsx4sf32bi32_1x16vs_neon_dotprod, kai::run_qsu2_row, kai::packed(kai::x8p, 1, 1),
    kai::packed(kai::qsu2cxpbi32sf32, VL(4), 4), 1, VL(4), sizeof(int8_t))

KAI_COLUMNS_MATMUL(matmul_clamp_qai8_qai8_qsu2cxp16vsx4sf32bi32_1x16vs_neon_dotprod) {
    KAI_RUN_STATIC_ROW(qsu2cxpbi32sf32, VL(4), 4, first, true, *requantize, kInt2Tiles)
}

#define KAI_DEFINE_STATIC_ROW(NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)                 \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, sizeof(int8_t)) \
    KAI_RUN_MATMUL_QAI8(NAME) {                                                                       \
        KAI_REQUIRE_ONE_ROW(M_STEP, m);                                                               \
        KAI_RUN_STATIC_ROW(RHS, NR, KR, 0, false, *params, kInt8Tiles)                                \
    }                                                                                                 \
    KAI_COLUMNS_MATMUL(NAME) {                                                                        \
        KAI_RUN_STATIC_ROW(RHS, NR, KR, first, false, *requantize, kInt8Tiles)                        \
    }

extern "C" {

#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_STATIC_ROW)
#define KAI_UKERNEL_ROWS KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_qai8_qai8_qsi8cxp/ukernels.def"

}  // extern "C"
