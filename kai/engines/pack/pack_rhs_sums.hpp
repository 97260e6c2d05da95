// RHS packers of int4 with blocks and the sum of each column.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/pack/pack_rhs_blocks.hpp"

// The packers of qsi4c32ps4s0sbf16 with panels of any width, called by those of the unified API.
extern "C" {
/// Check the call in the name of kai_`name`; params are those of a classic packer.
/// @{
[[gnu::visibility("hidden")]] void kai_pack_rhs_nxk_s4s0(const kai_rhs_call* call, const char* name);
[[gnu::visibility("hidden")]] void kai_pack_rhs_kxn_s4s0(const kai_rhs_call* call, const char* name);
/// @}
}

/// A packer of int4 with sums of columns, from arrays. ORDER: nxk or kxn; PACKER: a BlocksPacker of KIND. Then the
/// arguments of group_rules.
#define KAI_DEFINE_SUMS(NAME, KIND, PACKER, ORDER, RHS_OFFSET, ...)                                             \
    KAI_RHS_RULES(NAME, group_rules, kai::KIND, __VA_ARGS__)                                                    \
    KAI_DEFINE_RHS_PACK_GETTERS_BL_BF16(NAME, RHS_OFFSET)                                                       \
    void kai_run_##NAME(                                                                                        \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,  \
        size_t rhs_stride, const float* bias, const void* scale, size_t scale_stride, void* rhs_packed,         \
        size_t extra_bytes, const struct kai_rhs_pack_##ORDER##_qsi4c32p_qsu4c32s1s0_params* params) {          \
        kai::check_and_pack(                                                                                    \
            kai_rules_##NAME, kai::PACKER,                                                                      \
            {num_groups, n, k, nr, kr, sr, bl, rhs, rhs_stride, nullptr, bias, scale, scale_stride, rhs_packed, \
             extra_bytes, params});                                                                             \
    }
