// Violations: their sentences.
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

}  // namespace kai::gemm
