// The packers of qsi4c32ps4s0sbf16 with panels of any width, called by those of the unified API.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/pack/pack_rhs_rules.hpp"

/// From a K x N or an N x K source. Checks the call in the name of kai_`name`; params are those of a classic packer.
extern "C" [[gnu::visibility("hidden")]] void kai_pack_rhs_blocks_s4s0(
    bool kxn, const kai_rhs_call* call, const char* name);
