// f32 <- int8 in blocks of 256 x weights in super-blocks, packed for SME in panels of 4 VL columns, on NEON: what cores
// do that have no SME unit at hand, with the same packed RHS. All kernels of these families give the same bits.
//
// Of 16 columns, some super-blocks are brought into panels of 4 columns, in a buffer, which the tiles of those panels
// multiply by up to 64 rows (superblocks_neon.hpp). Most fields are copied: an entry of all columns of the panel
// becomes one of four. One row is multiplied where the columns are (superblocks_neon_dotprod_panels_row.inc).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/superblocks/superblocks_neon.hpp"

namespace kai {

/// Consecutive entries of a super-block, of some bytes of each column: 1, 2 or 4; `halves`: two layouts in one byte, of
/// 1 in the low nibbles and of 4 in the high ones; `neighbours`: nibbles of k and k + 1, 2 bytes, become k and k + 16,
/// 4 bytes. An even number of 4 bytes, a multiple of four of 1 byte.
struct SuperEntries {
    enum Kind : uint8_t { none, bytes_1, bytes_2, bytes_4, halves, neighbours } kind;
    uint8_t count;
};
/// An RHS: the entries of a super-block in their order; bytes of a column in it, and in front of them.
struct SuperPanels {
    SuperEntries entries[6];
    size_t column, head;
};

/// One row x `tiles` * 16 columns of a panel of nr columns, where they are, from column `first` on.
using PanelSuperRowFn = void(
    const uint8_t* lhs, const uint8_t* rhs, size_t nr, void* dst, size_t tiles, size_t blocks, size_t first, float lo,
    float hi);

/// A micro-kernel for many rows: that of panels of 4 columns.
struct SuperPanelsKernel {
    SuperPanels rhs;
    SuperTilesKernel tiles;
};
/// One for rows one after another. Bytes of a super-block of the LHS; of a column, of a super-block and in front.
struct SuperPanelRowsKernel {
    size_t lhs_block, rhs_column, rhs_head;
    PanelSuperRowFn* run;
};

}  // namespace kai

extern "C" {
[[gnu::visibility("hidden")]] void kai_matmul_super_panels_neon(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t dst_stride, size_t nr,
    const kai::SuperPanelsKernel* kernel, float lo, float hi);
/// From column `first` of a panel on: n columns, of this panel unless `first` is 0.
[[gnu::visibility("hidden")]] void kai_matmul_super_panel_columns_neon(
    size_t m, size_t first, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    size_t nr, const kai::SuperPanelRowsKernel* kernel, float lo, float hi);
}

namespace kai {
namespace {

/// The entries of a format that NEON has in panels of 4 columns as RHS.
constexpr SuperPanels super_panels(const Format& f) {
    using E = SuperEntries;
    const SuperEntries d = {E::bytes_2, 1}, none = {E::none, 0};
    const size_t column = f.block_head + kSuperBlock * f.bits / 8;
    switch (f.bits) {
        case 2:
            return {{d, d, {E::halves, 16}, {E::bytes_4, 16}, none, none}, column, 0};
        case 3:
            return {{d, {E::bytes_1, 16}, {E::bytes_4, 24}, none, none, none}, column, 0};
        case 5:
            return {{d, d, {E::bytes_4, 2}, {E::bytes_1, 8}, {E::bytes_4, 40}, none}, column, 0};
        case 6:
            return {{d, {E::bytes_1, 16}, {E::bytes_4, 48}, none, none, none}, column, 0};
        default:
            return f.table
                       ? SuperPanels{{d, {E::bytes_1, 8}, {E::neighbours, 64}, none, none, none}, column, f.panel_head}
                       : SuperPanels{{d, d, {E::bytes_4, 2}, {E::bytes_1, 8}, {E::bytes_4, 32}, none}, column, 0};
    }
}

/// The format of panels of 4 columns.
template <const Format& RHS>
constexpr const Format& kNarrow = RHS;
template <>
constexpr const Format& kNarrow<qsi3c16x256pnrx4> = qsi3c16x256p;
template <>
constexpr const Format& kNarrow<qsi6c16x256pnrx4> = qsi6c16x256p;
template <>
constexpr const Format& kNarrow<qlu4c32x256ps1s0> = qlu4c32x256p;

/// The source's function for one row of a format.
template <const Format& RHS>
constexpr PanelSuperRowFn* kPanelRow = nullptr;

template <const Format& RHS, size_t MR>
struct SuperPanelKernel {
    static constexpr SuperPanelsKernel kernel = {super_panels(RHS), SuperKernel<kNarrow<RHS>, MR, 8>::kernel};
};
template <const Format& RHS>
struct SuperPanelKernel<RHS, 1> {
    static_assert(kPanelRow<RHS> != nullptr);
    static constexpr SuperPanelRowsKernel kernel = {
        kLhs<RHS>.block_bytes({1, 8, 2}, kSuperBlock), super_panels(RHS).column, super_panels(RHS).head,
        kPanelRow<RHS>};
};

}  // namespace
}  // namespace kai

/// kPanelRow of a format.
#define KAI_SUPER_PANEL_ROW(RHS, ISA)                                        \
    extern "C" kai::PanelSuperRowFn kai_panel_row_##RHS##_##ISA;             \
    namespace kai {                                                          \
    namespace {                                                              \
    template <>                                                              \
    constexpr PanelSuperRowFn* kPanelRow<RHS> = kai_panel_row_##RHS##_##ISA; \
    }                                                                        \
    }

/// A micro-kernel of the catalogue whose panels are those of SME, and its getters.
#define KAI_DEFINE_MATMUL_SUPER_PANELS(NAME, LHS, RHS, MR, NR, ...) \
    KAI_DEFINE_MATMUL_SUPER_PANELS_MR_##MR(NAME, LHS, RHS, NR, __VA_ARGS__)
#define KAI_DEFINE_MATMUL_SUPER_PANELS_MR_4(NAME, LHS, RHS, NR, ...)                           \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(256, NAME, LHS, RHS, 4, NR, __VA_ARGS__, sizeof(float)) \
    KAI_RUN_MATMUL(NAME, float) {                                                              \
        KAI_RUN_SUPER_PANELS(kai_matmul_super_panels_neon, RHS, 4, NR, m, n)                   \
    }
#define KAI_DEFINE_MATMUL_SUPER_PANELS_MR_1(NAME, LHS, RHS, NR, ...)                                               \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(256, NAME, LHS, RHS, 1, NR, __VA_ARGS__, sizeof(float))                     \
    KAI_RUN_MATMUL(NAME, float){                                                                                   \
        KAI_RUN_SUPER_PANELS(kai_matmul_super_panel_columns_neon, RHS, 1, NR, m, 0, n)} KAI_COLUMNS_MATMUL(NAME) { \
        KAI_RUN_SUPER_PANELS(kai_matmul_super_panel_columns_neon, RHS, 1, NR, m, first, n)                         \
    }
/// MATMUL for m rows x n columns, after checks. The function has the parameters of the micro-kernel.
#define KAI_RUN_SUPER_PANELS(MATMUL, RHS, MR, NR, ...)                      \
    kai::check_depth(k, kai::kSuperBlock);                                  \
    kai::check_output(dst_stride_col, sizeof(float), clamp_min, clamp_max); \
    MATMUL(                                                                 \
        __VA_ARGS__, k, lhs, rhs, dst, dst_stride_row, kai::PanelRows(NR),  \
        &kai::SuperPanelKernel<kai::RHS, MR>::kernel, clamp_min, clamp_max);
