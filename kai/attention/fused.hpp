// Blocks of attention by one kernel: both products and what is between them. Such a kernel reads queries, keys and
// values in the panels of the micro-kernels that the plan has, so that either way works with the same cache.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/attention/attention.hpp"
#include "kai/attention/fused_args.h"

#pragma GCC visibility push(hidden)
namespace kai::attention {

KAI_STRUCT(FusedBlock, KAI_FUSED_BLOCK);

/// For one type of queries, keys, values and P. Errors are those of SoftmaxBlock. ZA is committed before.
using FusedFn = void(const FusedBlock* block);

/// The kernel that computes blocks of this plan, as long as scores are scaled and nothing else; or nullptr.
FusedFn* fused_for(const Plan& plan);

/// Fewer rows than this take the micro-kernels one by one.
inline constexpr size_t kFusedRows = 16;

}  // namespace kai::attention
#pragma GCC visibility pop
