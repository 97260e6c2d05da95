// Violations: their sentences, and the checks that several functions share.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/gemm/gemm.hpp"

namespace kai::gemm {

size_t write_sentence(const Violation& violation, char* text, size_t size) {
    return kai::write(text, size, violation.what);
}

void give_reason(kai_gemm_plan& plan, const Violation& violation) {
    if (plan.reason[0] == 0) {
        write_sentence(violation, plan.reason, sizeof(plan.reason));
    }
}

kai_gemm_status fail(kai_gemm_plan& plan, const Violation& violation) {
    plan.status = violation.status;
    give_reason(plan, violation);  // unless a kernel that was tried has said why
    return violation.status;
}

Violation check_plan(const kai_gemm_plan* plan) {
    if (plan == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "plan");
    }
    if (plan->status != KAI_GEMM_OK) {
        return wrong(KAI_GEMM_NO_PLAN, say::failed_plan, static_cast<const char*>(plan->reason));
    }
    if (plan->problem.units == 0) {
        return wrong(KAI_GEMM_NO_PLAN, say::zero_plan);
    }
    return {};
}

Violation check_vectors(const kai_gemm_plan& plan) {
    const struct {
        const char* name;
        size_t planned, present;
    } all[] = {
        {"SVE", plan.sve_bytes, plan.sve_bytes != 0 ? kai_cpu_sve_bytes() : 0},
        {"SME", plan.sme_bytes, plan.sme_bytes != 0 ? kai_cpu_sme_bytes() : 0}};
    for (const auto& x : all) {
        if (x.present != x.planned) {
            return wrong(KAI_GEMM_VECTORS_CHANGED, say::other_vectors, x.name, 8 * x.present, 8 * x.planned);
        }
    }
    return {};
}

Violation check_workspace(size_t need, const void* workspace, size_t size) {
    if (need == 0) {
        return {};
    }
    if (workspace == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_bytes, "workspace", need);
    }
    if (size < need) {
        return wrong(KAI_GEMM_TOO_SMALL, say::few_bytes, "workspace", size, need);
    }
    const size_t past = reinterpret_cast<uintptr_t>(workspace) % kAlignment;
    return past == 0 ? Violation{} : wrong(KAI_GEMM_MISALIGNED, say::unaligned, "workspace", past, kAlignment);
}

}  // namespace kai::gemm
