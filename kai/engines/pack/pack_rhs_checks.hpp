// What RHS packers whose panels are vectors wide ask of their callers, in every build. (Others take more than one nr,
// kr and sr: their rules are in tables.)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/check.hpp"
#include "kai/engines/core/layout.hpp"
#include "kai/ukernels/matmul/kai_matmul_pack_rhs_types.h"

/// A packer, as far as its arguments can be wrong. A source is rows that are a stride apart: k of all columns (kxn), or
/// columns.
struct kai_rhs_vectors_packer {
    uint8_t bits;  ///< of an element of the source
    bool kxn;
    bool bias, scale;  ///< whether the format has a place for it. A scale is required, and then there are params
};

/// A call of a packer that is not of the unified API.
struct kai_rhs_vectors_call {
    kai_rhs_vectors_packer packer;
    size_t num_groups, nr, kr, sr, extra_bytes;
    size_t own_nr, own_kr;  ///< the only ones that it has; sr: 1
    size_t n, k;
    const void* rhs;
    size_t stride;
    const void *packed, *scale, *params;
};

extern "C" {
/// Abort in the name of `function` where something is wrong. Of an empty problem no operand matters.
/// @{
[[gnu::visibility("hidden")]] void kai_check_rhs_vectors(const char* function, const kai_rhs_vectors_call* call);

/// The unified API: operands that the format has no place for are not looked at. panel_stride: of dense panels of
/// own_nr columns.
[[gnu::visibility("hidden")]] void kai_check_rhs_unified(
    const char* function, kai_rhs_vectors_packer packer, const kai_matmul_pack_rhs_uker_args* args, size_t own_nr,
    size_t panel_stride);
/// @}
}
