// The packer of rows of Q4_K to qai4c32ps1s0sf16 with panels of any width, called by that of the unified API.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/pack_rhs_rules.hpp"

/// Checks the call in the name of kai_`name`.
extern "C" [[gnu::visibility("hidden")]] void kai_pack_rhs_q4_k(const kai_rhs_call* call, const char* name);
