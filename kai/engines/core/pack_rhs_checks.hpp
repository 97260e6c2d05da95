// Preconditions of RHS packers whose panels are whole vectors, checked in every build. (Others take more
// than one nr, kr and sr: their rules are in tables.)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/check.hpp"
#include "kai/engines/core/layout.hpp"
#include "kai/engines/core/run_functions.hpp"
#include "kai/ukernels/matmul/kai_matmul_pack_rhs_types.h"

/// The properties of a packer that checks depend on. A source is rows that are a stride apart: one k of all columns
/// (kxn), or columns.
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
/// Abort in the name of `function` where something is wrong. For an empty problem, operands are ignored.
/// @{
[[gnu::visibility("hidden")]] void kai_check_rhs_vectors(const char* function, const kai_rhs_vectors_call* call);

/// The unified API: operands that the format has no place for are ignored. panel_stride: of dense panels of
/// own_nr columns.
[[gnu::visibility("hidden")]] void kai_check_rhs_unified(
    const char* function, kai_rhs_vectors_packer packer, const kai_matmul_pack_rhs_uker_args* args, size_t own_nr,
    size_t panel_stride);
/// @}
}

/// kai_run_NAME of a packer whose panels have NR columns and groups of KR of k, with params of type PARAMS: checks its
/// arguments, then does what follows. SR: of the call, or 1 where any will do.
#define KAI_RHS_VECTORS_RUN(NAME, BITS, KXN, SCALE, NR, KR, SR, PARAMS, ...)                                     \
    KAI_RUN_RHS_PACK(NAME, PARAMS) {                                                                             \
        const kai_rhs_vectors_packer own = {BITS, KXN, true, SCALE};                                             \
        const kai_rhs_vectors_call call = {own, num_groups, nr,  kr,         SR,         extra_bytes, NR,    KR, \
                                           n,   k,          rhs, rhs_stride, rhs_packed, scale,       params};   \
        kai_check_rhs_vectors(__func__, &call);                                                                  \
        __VA_ARGS__                                                                                              \
    }

/// The same for the arguments of a packer for imatmul.
#define KAI_CHECK_RHS_CHUNKS(BITS, KXN, SCALE, N, K, RHS, STRIDE, PACKED, SCALES, PARAMS)          \
    const kai_rhs_vectors_call call = {                                                            \
        {BITS, KXN, true, SCALE}, 1, 0, 0, 1, 0, 0, 0, N, K, RHS, STRIDE, PACKED, SCALES, PARAMS}; \
    kai_check_rhs_vectors(__func__, &call);
