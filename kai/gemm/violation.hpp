// What is wrong with a problem, a plan or an operand: a status and a sentence with names and numbers.
//
// Every check returns one. Functions that run return its status; those that explain repeat the checks and print it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/sentences.hpp"
#include "kai/gemm/kai_gemm.h"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

/// Nothing is wrong if `status` is KAI_GEMM_OK.
struct Violation {
    kai_gemm_status status = KAI_GEMM_OK;
    kai_violation what = {};

    explicit operator bool() const {
        return status != KAI_GEMM_OK;
    }
};

/// A sentence of sentences.def (kai::say) and its values, which the compiler compares with it.
template <typename Sentence, typename... Values>
Violation wrong(kai_gemm_status status, Sentence sentence, Values... values) {
    return {status, kai::violation(sentence, values...)};
}

/// Writes the sentence, cut off at `size` bytes, terminated. Returns its whole length.
size_t write_sentence(const Violation& violation, char* text, size_t size);

/// Makes the sentence the reason why the plan failed, unless it has one.
void give_reason(kai_gemm_plan& plan, const Violation& violation);

/// Marks the plan as failed, and returns the status.
kai_gemm_status fail(kai_gemm_plan& plan, const Violation& violation);

/// @name The checks of functions that take a plan
/// @{
Violation check_plan(const kai_gemm_plan* plan);
/// Of this thread: whether vectors are as long as kernels of the plan expect.
Violation check_vectors(const kai_gemm_plan& plan);
/// `need`: bytes.
Violation check_workspace(size_t need, const void* workspace, size_t size);
Violation check_pack(
    const kai_gemm_plan* plan, size_t matrix, const kai_gemm_weights* weights, const void* packed, size_t packed_size,
    const void* workspace, size_t workspace_size);
/// Of kai_gemm_begin.
Violation check_run(
    const kai_gemm_plan* plan, const kai_gemm_operands* operands, const void* workspace, size_t workspace_size);
/// @}

}  // namespace kai::gemm
#pragma GCC visibility pop
