// CPU queries for use inside the library.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_cpu.h"

extern "C" {

/// The features that the CPU has, whatever KLEIDIAI_CPU_DISABLE hides.
[[gnu::visibility("hidden")]] uint64_t kai_cpu_system_features(void);

/// The next query asks the system and the environment again. For tests.
KAI_API void kai_cpu_forget(void);

/// The part of it that is about cores.
[[gnu::visibility("hidden")]] void kai_cpu_forget_core(void);

/// kai_cpu_fastest_core of a machine with Linux whose files are below the folder `root` and which reads `midr` from a
/// core; 0: it reads none. For tests.
KAI_API kai_cpu_core_answer kai_cpu_core_by_files(const char* root, uint64_t midr);

/// @name For getters: n words of 32 bits for each vector of SME (SVE)
/// On a CPU without such vectors they print that the function `prefix``name` needs them, and abort.
/// @{
[[gnu::visibility("hidden")]] size_t kai_checked_sme_words(size_t n, const char* prefix, const char* name);
[[gnu::visibility("hidden")]] size_t kai_checked_sve_words(size_t n, const char* prefix, const char* name);
/// @}

}  // extern "C"
