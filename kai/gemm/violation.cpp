// Sentences of violations.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/gemm/violation.hpp"

#include <stdio.h>
#include <string.h>

namespace kai::gemm {
namespace {

/// Text that is cut off where its space ends.
struct Cut {
    char* to;
    size_t size, length;

    void add(const char* text, size_t count) {
        const size_t left = length < size ? size - length : 0, fits = count < left ? count : left;
        if (fits != 0) {
            memcpy(to + length, text, fits);
        }
        length += count;
    }
    void add(const Value& value) {
        char number[32] = "";
        switch (value.kind) {
            case Value::kText:
                return add(value.text, strlen(value.text));
            case Value::kNumber:
                snprintf(number, sizeof(number), "%zu", value.number);
                break;
            case Value::kSigned:
                snprintf(number, sizeof(number), "%lld", static_cast<long long>(value.integer));
                break;
            case Value::kReal:
                snprintf(number, sizeof(number), "%g", value.real);
                break;
            case Value::kNone:
                break;
        }
        add(number, strlen(number));
    }
};

}  // namespace

size_t write_sentence(const Violation& violation, char* text, size_t size) {
    Cut cut = {text, size, 0};
    const Value* value = violation.values;
    for (const char* s = violation.sentence; *s != 0;) {
        const size_t plain = strcspn(s, "%");
        cut.add(s, plain);
        s += plain;
        if (*s == '%') {
            s += s[1] == 'z' ? 3 : 2;  // "%zu", "%s"
            cut.add(*value++);
        }
    }
    if (size != 0) {
        text[cut.length < size ? cut.length : size - 1] = 0;
    }
    return cut.length;
}

kai_gemm_status fail(kai_gemm_plan& plan, const Violation& violation) {
    plan.status = violation.status;
    if (plan.reason[0] == 0) {  // else a kernel that was tried has said why
        write_sentence(violation, plan.reason, sizeof(plan.reason));
    }
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

}  // namespace kai::gemm
