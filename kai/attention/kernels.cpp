// All block kernels, the best first.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/attention/block.hpp"
#include "kai/kai_registry.h"

namespace kai::attention {

const Kernels* const kAllKernels[] = {
#if KAI_BUILD_neon_bf16
    &kNeonBf16,
#endif
#if KAI_BUILD_neon
    &kNeon,
#endif
    &kPortable, nullptr};

const Kernels& kernels_for_this_cpu() {
    const Kernels* const* kernels = kAllKernels;
    while (!kai_registry_runnable((*kernels)->features, nullptr, 0)) {
        ++kernels;
    }
    return **kernels;
}

}  // namespace kai::attention
