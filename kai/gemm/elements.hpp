// Elements of any type as floats, for the stores of tiles.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/gemm/gemm.hpp"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

/// Numbers that are converted at a time.
inline constexpr size_t kPiece = 64;

/// At most kPiece elements, `step` bytes apart, as floats (int32 rounded to nearest): in `buffer`, or, if they are
/// consecutive and aligned floats, where they are.
const float* as_floats(kai_datatype type, const void* from, size_t step, size_t count, float* buffer);

/// The elements of a row.
void store_floats(kai_datatype type, void* to, const float* from, size_t count);

}  // namespace kai::gemm
#pragma GCC visibility pop
