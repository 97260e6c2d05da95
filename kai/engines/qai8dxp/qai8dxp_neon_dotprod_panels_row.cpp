// One row after another quantised at run time (qai8dxp) with SDOT and panels packed for SME, 4 VL columns wide. The
// results are, bit for bit, those of the SME kernels of the family for one row. The arithmetic is assembly
// (qai8dxp_neon_dotprod_panels_row.S), a panel at a time.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/qai8dxp/qai8dxp_neon_panels_row.hpp"

namespace kai {
namespace {

/// From column `first` of a panel on: p.n columns, of this panel unless `first` is 0. run: a function for tiles of so
/// many columns.
[[gnu::noinline]] void rows_of_panels(const Problem& p, PanelRowFn* run, size_t tile, size_t first) {
    const size_t steps = (p.k + 31) / 32, element = element_bytes(p.out);
    for (size_t i = 0; i < p.m; ++i) {
        const uint8_t *lhs = p.lhs + i * p.lhs_stride, *rhs = p.rhs;
        uint8_t* dst = bytes(p.dst, i * p.dst_stride);
        for (size_t left = p.n, columns = 0; left > 0; left -= columns, rhs += p.rhs_stride) {
            columns = left < p.nr ? left : p.nr;
            const size_t whole = columns / tile * tile;
            if (whole == columns) {
                run(lhs, rhs, dst, columns, steps, p.nr, p.out, first, p.lo, p.hi, p.lut);
            } else {
                float results[Qai8dxpLimits::kMostPanelColumns];
                run(lhs, rhs, results, whole + tile, steps, p.nr, p.out, first, p.lo, p.hi, p.lut);
                __builtin_memcpy(dst, results, columns * element);
            }
            dst += columns * element;
        }
    }
}

template <size_t SR>
KAI_INLINE void rows_in_tiles(const Problem* p, bool wide, size_t first) {
    const bool int8 = p->rhs_kind == RhsKind::int8, int2 = p->rhs_kind == RhsKind::int2;
    PanelRowFn* const run = int8      ? wide ? kai_panel_row_int8_64_neon_dotprod : kai_panel_row_int8_16_neon_dotprod
                            : int2    ? wide ? kai_panel_row_int2_64_neon_dotprod : kai_panel_row_int2_16_neon_dotprod
                            : SR == 1 ? wide ? kai_panel_row_int4_64_neon_dotprod : kai_panel_row_int4_16_neon_dotprod
                            : wide    ? kai_panel_row_int4_halves_64_neon_dotprod
                                      : kai_panel_row_int4_halves_16_neon_dotprod;
    rows_of_panels(*p, run, wide ? 64 : 16, first);
}

template <size_t SR>
KAI_INLINE void rows_panels(const Problem* p) {
    rows_in_tiles<SR>(p, p->nr >= 64, 0);
}

/// The same for columns of a panel. The multiples of `first` are those of KAI_COLUMNS in the catalogues.
template <size_t SR>
KAI_INLINE void columns_of_panel(const Problem* p, size_t first, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, first % 16 == 0, not_multiple, "first", first, 16);
    rows_in_tiles<SR>(p, false, first);
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_MATMUL_NEON_DOTPROD(KIND, T, OUT, NAME, LHS, RHS, MR, NR, ...) \
    KAI_OF_SME(NR, KAI_DEFINE_MATMUL_MR_##MR, KIND, T, OUT, NAME, LHS, RHS, NR, __VA_ARGS__)
#define KAI_DEFINE_MATMUL_MR_1(KIND, T, OUT, NAME, LHS, RHS, NR, KR, SR, ...)                                  \
    KAI_DEFINE_MATMUL_QAI8DXP_##KIND(kai::rows_panels<SR>, T, OUT, NAME, LHS, RHS, 1, NR, KR, SR, __VA_ARGS__) \
        KAI_DEFINE_COLUMNS_##KIND(OUT, NAME, LHS, RHS, NR, KR, SR)
#define KAI_DEFINE_COLUMNS_CHANNELS(OUT, NAME, LHS, RHS, ...) \
    KAI_DEFINE_COLUMNS(kai::check_sums(k, kai::most_depth(kai::RHS)), nullptr, OUT, NAME, LHS, RHS, __VA_ARGS__)
#define KAI_DEFINE_COLUMNS_TABLE(...) \
    KAI_DEFINE_COLUMNS(kai::check_depth(k, 32), lut != nullptr ? lut : kai::kDefaultTable, __VA_ARGS__)
#define KAI_DEFINE_COLUMNS(CHECK_K, LUT, OUT, NAME, LHS, RHS, NR, KR, SR)                                        \
    KAI_COLUMNS_MATMUL(NAME) {                                                                                   \
        const auto engine = [first](const kai::Problem* p) { kai::columns_of_panel<SR>(p, first); };             \
        CHECK_K;                                                                                                 \
        kai::check_output(dst_stride_col, kai::element_bytes(kai::OutKind::OUT), clamp_min, clamp_max);          \
        KAI_RUN_PROBLEM(                                                                                         \
            engine, OUT, RHS, NR, 0, (kai::LHS.stride({1, KR, SR}, k)), (kai::RHS.stride({NR, KR, SR}, k)), LUT) \
    }
#define KAI_DEFINE_MATMUL_MR_4(...)
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_MATMUL_NEON_DOTPROD)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
