// The function that the tests call for a kernel or packer of the registry: its own, unless mutants/ put a broken one in
// its place.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_registry.h"

namespace test {

inline kai_any_fn* (*substitute_kernel)(const kai_ukernel&) = nullptr;
inline kai_any_fn* (*substitute_packer)(const kai_packer&) = nullptr;
/// Whether the tests of a kernel or packer need not run, by its name.
inline bool (*leave_out)(const char* name) = nullptr;

/// What kai::run calls instead of the function; NULL: nothing.
inline kai_any_fn* substitute_of(const kai_ukernel& u) {
    return substitute_kernel != nullptr ? substitute_kernel(u) : nullptr;
}
inline kai_any_fn* substitute_of(const kai_packer& p) {
    return substitute_packer != nullptr ? substitute_packer(p) : nullptr;
}
inline kai_any_fn* run_of(const kai_ukernel& u) {
    return substitute_kernel != nullptr ? substitute_kernel(u) : u.run;
}
inline kai_any_fn* run_of(const kai_packer& p) {
    return substitute_packer != nullptr ? substitute_packer(p) : p.run;
}

}  // namespace test
