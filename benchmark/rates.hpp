// How fast workers with an SME unit, and classes of cores, are: --rates.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Measures them; prints what to set in kai_gemm_problem.rates. Returns the exit status of the program.
int run_rates();
