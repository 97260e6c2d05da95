// The loops of portable_float.cpp for x86-64-v3.
//
// SPDX-License-Identifier: Apache-2.0
#define KAI_X86_64_V3
#include "kai/engines/portable/portable_x86_64_v3.hpp"

#if KAI_COMPILES_TWICE
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#else
#pragma GCC target("arch=x86-64-v3")
#endif
#include "kai/engines/portable/portable_float.cpp"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
