// What is wrong with a problem, a plan or an operand: a status and a sentence with names and numbers.
//
// Every check returns one. Functions that run return its status; those that explain repeat the checks and print it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/sentences.hpp"
#include "kai/gemm/kai_gemm.h"
#include "kai/gemm/sizes.hpp"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

/// Nothing is wrong if `status` is KAI_GEMM_OK. That is all that it then says: each run makes a dozen of them.
struct Violation {
    kai_gemm_status status;
    kai_violation what;

    Violation() : status(KAI_GEMM_OK) {
    }
    Violation(kai_gemm_status is, const kai_violation& sentence) : status(is), what(sentence) {
    }
    explicit operator bool() const {
        return status != KAI_GEMM_OK;
    }
};

/// A sentence of sentences.def (kai::say) and its values, which the compiler compares with it. Not inline: what is
/// wrong is rare, and checks are short without it.
template <typename Sentence, typename... Values>
[[gnu::cold, gnu::noinline]] Violation wrong(kai_gemm_status status, Sentence sentence, Values... values) {
    return {status, kai::violation(sentence, values...)};
}

/// Makes the sentence the reason why the plan failed, unless it has one.
template <typename Plan>
void give_reason(Plan& plan, const Violation& violation) {
    if (plan.reason[0] == 0) {
        kai::write(plan.reason, sizeof(plan.reason), violation.what);
    }
}

/// Marks the plan as failed, and returns the status. A kernel that was tried may have given the reason.
template <typename Plan>
kai_gemm_status fail(Plan& plan, const Violation& violation) {
    plan.status = violation.status;
    give_reason(plan, violation);
    return violation.status;
}

/// A member of a problem.
struct Member {
    const char* name;
    int32_t value;
};
/// Each is a number of int8.
template <size_t N>
Violation check_int8(const Member (&members)[N]) {
    for (const auto& [name, value] : members) {
        if (value < INT8_MIN || value > INT8_MAX) {
            return wrong(KAI_GEMM_BAD_VALUE, say::out_of_range, name, value, int32_t{INT8_MIN}, int32_t{INT8_MAX});
        }
    }
    return {};
}

/// @name The checks of functions that take a plan
/// @{
inline Violation check_plan(const kai_gemm_plan* plan) {
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

/// Of this thread: whether vectors are as long as kernels of the plan expect.
inline Violation check_vectors(const kai_gemm_plan& plan) {
    const size_t sve = plan.sve_bytes, present_sve = sve != 0 ? kai_cpu_sve_bytes() : 0;
    if (present_sve != sve) {
        return wrong(KAI_GEMM_VECTORS_CHANGED, say::other_vectors, "SVE", 8 * present_sve, 8 * sve);
    }
    const size_t sme = plan.sme_bytes, present_sme = sme != 0 ? kai_cpu_sme_bytes() : 0;
    if (present_sme != sme) {
        return wrong(KAI_GEMM_VECTORS_CHANGED, say::other_vectors, "SME", 8 * present_sme, 8 * sme);
    }
    return {};
}

/// `need`: bytes.
inline Violation check_workspace(size_t need, const void* workspace, size_t size) {
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

Violation check_pack(
    const kai_gemm_plan* plan, size_t matrix, const kai_gemm_weights* weights, const void* packed, size_t packed_size,
    const void* workspace, size_t workspace_size);
/// @}

}  // namespace kai::gemm
#pragma GCC visibility pop
