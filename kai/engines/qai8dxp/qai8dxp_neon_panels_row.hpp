// One row x panels packed for SME with SDOT (qai8dxp_neon_dotprod_panels_row.S).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/qai8dxp/qai8dxp_args.h"

namespace kai {

/// One row x `columns`, a multiple of the columns of a tile, from column `first` of a panel of nr on. In `steps` of
/// 32 k. lut: int2.
using PanelRowFn = void(
    const uint8_t* lhs, const uint8_t* rhs, void* dst, size_t columns, size_t steps, size_t nr, OutKind out,
    size_t first, float lo, float hi, const int32_t* lut);

}  // namespace kai

extern "C" {
// kai_panel_row_<rhs>_<columns of a tile>. int4: k and k + 1 in a byte; int4_halves: k and k + 16.
kai::PanelRowFn kai_panel_row_int8_64_neon_dotprod, kai_panel_row_int8_32_neon_dotprod,
    kai_panel_row_int8_16_neon_dotprod;
kai::PanelRowFn kai_panel_row_int4_64_neon_dotprod, kai_panel_row_int4_16_neon_dotprod;
kai::PanelRowFn kai_panel_row_int4_halves_64_neon_dotprod, kai_panel_row_int4_halves_16_neon_dotprod;
kai::PanelRowFn kai_panel_row_int2_64_neon_dotprod, kai_panel_row_int2_16_neon_dotprod;
}
