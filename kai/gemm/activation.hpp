// Activations: functions of one result, in f32.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "kai/gemm/kai_gemm.h"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

/// Numbers that activate() works on at a time.
inline constexpr size_t kActivated = 16;

/// x[i] = activation(x[i]) for i < count, rounded up to kActivated: so many may be read and written. An element's
/// result does not depend on its place.
void activate(kai_gemm_activation activation, float* x, size_t count);

}  // namespace kai::gemm
#pragma GCC visibility pop
