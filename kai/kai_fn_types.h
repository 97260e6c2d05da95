//
// Function types that several families share. A family's header spells its functions with them:
// `kai_get_size_fn kai_get_mr_<name>;` declares `size_t kai_get_mr_<name>(void)`.
//
// Words: an M x K matrix (LHS) is multiplied by a K x N matrix (RHS). A *panel* is `mr` rows of the LHS or `nr` columns
// of the RHS that a packer puts together. `bl` is the length of a quantisation block along K. Offsets and strides are
// in bytes everywhere; sizes are in bytes too.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A property of a micro-kernel that does not depend on the problem:
/// - `m_step`, `n_step`: a call may compute any rectangle of the output that starts at multiples of these;
/// - `mr`, `nr`: panel height of the packed LHS, panel width of the packed RHS;
/// - `kr`, `sr`: kr / sr consecutive k of a row or column lie together in a panel (some formats: kr).
/// On SME kernels it depends on the streaming vector length.
typedef size_t kai_get_size_fn(void);

/// @name Micro-kernels
/// @{

/// Offset of the panel that holds row (column) `idx` in the packed LHS (RHS) of depth `k` with blocks of `bl`.
/// @pre idx is a multiple of m_step (n_step); bl a multiple of 32; k a multiple of bl. Indices past the end are fine.
typedef size_t kai_get_packed_offset_bl_fn(size_t idx, size_t k, size_t bl);

/// Offset of the panel that holds row (column) `idx` in the packed LHS (RHS) of depth `k`.
typedef size_t kai_get_packed_offset_fn(size_t idx, size_t k);

/// Offset of element (m_idx, n_idx) in an output matrix whose rows are `dst_stride` bytes apart.
typedef size_t kai_get_dst_offset_fn(size_t m_idx, size_t n_idx, size_t dst_stride);

/// Size of a dense m x n output matrix.
typedef size_t kai_get_dst_size_fn(size_t m, size_t n);
/// @}

/// @name Packers
/// @{

/// A call may pack any range of rows that starts at a multiple of this.
typedef size_t kai_get_m_step_fn(size_t mr);

/// Offset of row (column) `idx` in the source, whose rows are `stride` bytes apart.
typedef size_t kai_get_offset_fn(size_t idx, size_t stride);

/// Offset of column `n_idx` in a source or a vector whose layout the function knows.
typedef size_t kai_get_n_offset_fn(size_t n_idx);
/// @}

#ifdef __cplusplus
}  // extern "C"
#endif
