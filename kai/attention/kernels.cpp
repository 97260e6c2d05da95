// All block kernels, the best first.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/attention/block.hpp"
#include "kai/kai_registry.h"

namespace kai::attention {

const Kernels& kernels_for_this_cpu() {
    const Kernels* const all[] = {
        &kPortable,
    };
    for (const Kernels* kernels : all) {
        if (kai_registry_runnable(kernels->features, nullptr, 0)) {
            return *kernels;
        }
    }
    return kPortable;
}

}  // namespace kai::attention
