// Panels of 4 V columns of FP8 times all rows: what the C++ side hands to kernels of f8_sme2_panels.inc.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/f8/f8_panels.hpp"

namespace kai {
namespace {

KAI_STRUCT(F8PanelArgs, KAI_F8_PANEL_ARGS);

/// What all panels have in common. row_bytes: of a row of the LHS.
KAI_INLINE void start_panels(const F8Problem& p, size_t row_bytes, F8PanelArgs& args) {
    args.m = p.m, args.lhs_stride = p.nr / 4 * row_bytes;
    args.dst_stride = p.dst_stride;
    kai_commit_za();
}

/// The panel of column n, and what is about its columns.
KAI_INLINE const uint8_t* go_to_panel(const F8Problem& p, size_t n, F8PanelArgs& args) {
    args.n = p.n - n < p.nr ? p.n - n : p.nr;
    args.dst = p.dst + n * sizeof(float);
    return p.rhs + n / p.nr * p.panel_bytes();
}

}  // namespace
}  // namespace kai
