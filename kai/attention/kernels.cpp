// All block kernels, the best first; the kernels that compute whole blocks.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/attention/block.hpp"
#include "kai/attention/fused.hpp"
#include "kai/kai_registry.h"

extern "C" {
kai::attention::FusedFn kai_attention_bf16_sme2, kai_attention_f16_sme2, kai_attention_f32_sme2;
}

namespace kai::attention {

const Kernels* const kAllKernels[] = {
#if KAI_BUILD_neon_bf16
    &kNeonBf16,
#endif
#if KAI_BUILD_sve
    &kSve,
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

namespace {

/// Panels of 2 V columns, of this type, by a kernel of SME2.
[[maybe_unused]] bool has_panels_of_sme2(const Product& product, kai_datatype type) {
    return product.type == type && !product.converts && (product.gemm.ukernel->features >> KAI_CPU_SME2 & 1) != 0;
}

}  // namespace

FusedFn* fused_for([[maybe_unused]] const Plan& plan) {
#if KAI_BUILD_sme2 && !defined(__APPLE__)
    constexpr struct {
        kai_datatype type;
        FusedFn* run;
    } kernels[] = {
        {kai_dt_bf16, kai_attention_bf16_sme2},
        {kai_dt_f16, kai_attention_f16_sme2},
        {kai_dt_f32, kai_attention_f32_sme2}};
    for (const auto& kernel : kernels) {
        if (has_panels_of_sme2(plan.scores, kernel.type) && has_panels_of_sme2(plan.values, kernel.type)) {
            return kernel.run;
        }
    }
#endif
    return nullptr;
}

}  // namespace kai::attention
