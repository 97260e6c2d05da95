// Tokens per second of a language model whose weights are random: --model.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Measures options.model; prints and writes what was asked for. Returns the exit status of the program.
int run_model();
