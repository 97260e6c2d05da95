// From the sums of NEON tiles to results: bias, clamp, conversion, store. For operands in blocks and in super-blocks.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kai {

/// Tiles of panels of 4 rows, quad (4 columns) after quad, of a quad panel after panel, 16 sums each. Strides in bytes.
struct StoredTiles {
    const float* sums;
    size_t rows, columns;
    const uint8_t* bias;  // f32, of the first quad, or null
    size_t bias_stride;   // from quad to quad
    uint8_t* dst;
    size_t dst_stride, element_bytes;  // of f32 or f16
    float lo, hi;
};
using StoreFn = void(const StoredTiles&);

}  // namespace kai

extern "C" {
/// By the order of a panel's sums: r0c0 r0c1 r1c0 r1c1, the same for c2 c3, then of r2 r3; or row by row.
[[gnu::visibility("hidden")]] kai::StoreFn kai_store_pairs_neon, kai_store_rows_neon;
}
