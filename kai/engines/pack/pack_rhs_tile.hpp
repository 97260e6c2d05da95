// RHS packers that have one nr, kr and sr.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/pack_rhs_rules.hpp"

namespace kai {
namespace {

/// One tile with groups of kr, rows of elements of stride_bits that are a stride apart.
constexpr kai_rhs_rules tile_rules(
    const char* name, const Format& format, uint8_t nr, uint8_t kr, size_t stride_bits, bool kxn, bool bias) {
    kai_rhs_rules rules = rhs_rules(name, format, false);
    rules.nr = nr;
    rules.kr = kr;
    rules.sr = 1;
    rules.pads_groups = true;
    rules.stride_bits = static_cast<uint8_t>(stride_bits);
    rules.kxn = kxn;
    rules.bias = bias;
    return rules;
}

}  // namespace
}  // namespace kai

/// kai_run_NAME of a packer of tile_rules, with params of type PARAMS: does what follows with `call`, its arguments.
#define KAI_RHS_TILE_RUN(NAME, PARAMS, ...)                                                                \
    KAI_RUN_RHS_PACK(NAME, PARAMS) {                                                                       \
        const kai_rhs_call call = {num_groups, n,       k,    nr,    kr, sr,         0,           rhs,     \
                                   rhs_stride, nullptr, bias, scale, 0,  rhs_packed, extra_bytes, params}; \
        __VA_ARGS__                                                                                        \
    }
