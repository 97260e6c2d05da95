// Appends rows to a packed RHS, as its next columns: the keys of a KV cache, whose products with queries are then a
// GEMV at the speed of Q8_0. docs/runtimes.md shows a step of decoding.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// Writes columns n_idx ... n_idx + count - 1 of a packed RHS of int8 with an f16 scale per block of 32, and nothing
/// else: any columns, in any order, also again. Calls for different columns may run on different threads. Every host.
///
/// f32, f16: row i is quantised as Q8_0 of GGUF files: per block d = amax / 127 in f32, value = round(x / d), ties away
/// from zero, by a multiplication with 1 / d; the scale is f16(d). qsi8c32: row i is k / 32 records of an f16 scale and
/// 32 int8, as in a file. Either way columns are what kai_run_rhs_pack_nxk_<format>_qsi8c32 makes of such records.
///
/// Zero the buffer once, or pack something: kernels read all nr columns of the last panel, whatever n is. Columns
/// beyond n do not affect results.
///
/// @param n_idx       The first column.
/// @param count       How many; 0: nothing is read or written.
/// @param k           Elements of a row, for example the size of a head.
/// @param nr, kr, sr  As the micro-kernel's getters return them.
/// @param rhs         The first row to append, at any address.
/// @param rhs_stride  Bytes from one row to the next.
/// @param rhs_packed  All panels: as many bytes as get_rhs_packed_size of rhs_pack_nxk_<format>_qsi8c32 says for the
///                    largest n that will be needed. Panels do not move when n grows.
/// @pre Checked in every build: k is a multiple of 32; sr 2; qsi8c32p: kr even, at most 16, and 32 a multiple of it;
///      qsi8c32pscalef16: kr 4; rhs_stride not less than a row.
typedef void kai_run_rhs_append_fn(
    size_t n_idx, size_t count, size_t k, size_t nr, size_t kr, size_t sr, const void* rhs, size_t rhs_stride,
    void* rhs_packed);

/// @name Format qsi8c32p: NEON, portable
/// @{
kai_run_rhs_append_fn kai_run_rhs_append_qsi8c32p_f32;
kai_run_rhs_append_fn kai_run_rhs_append_qsi8c32p_f16;
kai_run_rhs_append_fn kai_run_rhs_append_qsi8c32p_qsi8c32;
/// @}

/// @name Format qsi8c32pscalef16: SME, SME2
/// @{
kai_run_rhs_append_fn kai_run_rhs_append_qsi8c32pscalef16_f32;
kai_run_rhs_append_fn kai_run_rhs_append_qsi8c32pscalef16_f16;
kai_run_rhs_append_fn kai_run_rhs_append_qsi8c32pscalef16_qsi8c32;
/// @}

KAI_END_DECLARATIONS
