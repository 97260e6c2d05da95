// Packs and multiplies with any function that the registry lists, whatever its signature.
//
//     struct kai_call call = {0};
//     call.ukernel = kai_registry_best(&request, NULL, NULL);
//     call.lhs_packer = kai_registry_lhs_packer(call.ukernel, 0);
//     call.rhs_packer = kai_registry_rhs_packer(call.ukernel, 0);
//     call.m = m, call.n = n, call.k = k, call.bl = 32;
//     call.rhs = weights, call.rhs_scale = scales, call.bias = bias;
//
//     void* rhs_packed = malloc(kai_call_rhs_packed_size(&call));       // once
//     kai_call_pack_rhs(&call, 0, n, rhs_packed);
//
//     call.lhs = activations, call.dst = results;                       // every inference
//     void* lhs_packed = malloc(kai_call_lhs_packed_size(&call));       // 0 bytes if the LHS is not packed
//     kai_call_pack_lhs(&call, 0, m, lhs_packed);
//     call.lhs_packed = lhs_packed, call.rhs_packed = rhs_packed;
//     kai_call_run(&call, 0, 0, m, n);
//
// `kai_call` describes the whole problem, the functions process a part of it. Parts that start at multiples of the
// steps may run on any thread in any order, and share one const kai_call; a count that reaches past the end means the
// rest. For example, thread t of T computes its columns with
//
//     const size_t step = u->get_n_step(), share = (n + T * step - 1) / (T * step) * step;
//     kai_call_run(&call, 0, t * share, m, share);
//
// Depthwise convolution is not supported here, because its shape is different (kai/ukernels/dwconv).
//
// Wrong arguments are rejected by the functions that are called: they print the function, the values and the reason,
// and abort (kernels and LHS packers with assertions, RHS packers in every build; kai_registry_check says beforehand).
// What only these functions can detect, such as a missing operand or a packer of another format, is rejected in the
// same way in every build: "kai_call_run: dst must not be NULL". The functions return no error code: only incorrect
// programs would get one.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_registry.h"

KAI_BEGIN_DECLARATIONS

/// dst = clamp(LHS x RHS + bias): LHS m x k, RHS k x n. Initialise it to zero: 0 and NULL mean absent. Members for
/// which the functions of ukernel and packers have no parameter are ignored; a bias that the format of the weights
/// cannot store is rejected. All strides are in bytes.
struct kai_call {
    /// @name Functions
    /// @{
    const struct kai_ukernel* ukernel;
    const struct kai_packer* lhs_packer;  ///< kai_registry_lhs_packer: NULL if the LHS is not packed
    const struct kai_packer* rhs_packer;  ///< kai_registry_rhs_packer: by the format of the weights (source_format);
                                          ///< NULL if the RHS is not packed
    /// @}

    /// @name Shape
    /// @{
    size_t m, n, k;
    size_t bl;              ///< Length of a block of k, if the formats have blocks.
    size_t k_chunk_length;  ///< Indirect matmul: k consists of chunks of this length; 0: of one chunk.
    /// @}

    /// @name LHS
    /// @{
    /// Rows of k elements, as lhs_packer reads them (source_format); without a packer as ukernel does (lhs_format).
    /// Indirect matmul: the table of pointers to chunks, in groups of mr rows (kai_run_lhs_imatmul_pack_fn), without a
    /// packer of m_step rows (kai_run_imatmul_rows_fn).
    const void* lhs;
    size_t lhs_stride;       ///< From one row to the next; 0: no gaps.
    const size_t* lhs_rows;  ///< For kai_call_pack_lhs: row i is row lhs_rows[i] of lhs; NULL: row i. The packer needs
                             ///< run_rows.
    const void* pad_ptr;     ///< Indirect matmul: the chunk that is padding.
    size_t lhs_ptr_offset;   ///< Indirect matmul: bytes that are added to all pointers except pad_ptr.
    const void* lhs_packed;  ///< For kai_call_run: what kai_call_pack_lhs wrote.
    int32_t lhs_zero_point;  ///< Static int8: for kai_call_pack_rhs.
    float scale_multiplier;  ///< Static int8: scale of the LHS / scale of dst, for kai_call_pack_rhs; 0 means 1.
    /// @}

    /// @name RHS, in the source format of rhs_packer; without a packer in the rhs_format of ukernel, which has no place
    /// for a bias
    /// @{
    const void* rhs;          ///< Rows of n elements (kai_call_rhs_is_kxn, "f32_kxn") or of k.
    size_t rhs_stride;        ///< From one row to the next; 0: no gaps, rows of whole bytes.
    const void* rhs_scale;    ///< f32 per column; with blocks f32 or bf16, k / bl per column.
    size_t rhs_scale_stride;  ///< bf16 scales, f32 of 8-bit floats: from one column to the next; 0: no gaps.
    const void* rhs_zero;     ///< f32, k / bl per column.
    uint8_t rhs_zero_point;   ///< int4 with a scale per column: 8, or 0 for two's complement. Others ignore it.
    const void* bias;         ///< n values: f32, f16 or int32, as the packed format requires; NULL: zeros.
    const int32_t* lut;       ///< RHS of 2 bits: the table of 4, also for kai_call_run; NULL: {-2, -1, 0, 1}. Int4 in
                              ///< blocks of the unified API, for kai_call_run: operand.lut (kai_matmul.h).
    const int8_t* table;      ///< For kai_call_pack_rhs, source "qlu4c32s16s0": the table of 16.
    const void* rhs_packed;   ///< For kai_call_run: what kai_call_pack_rhs wrote.
    /// @}

    /// @name Results
    /// @{
    void* dst;
    size_t dst_stride;  ///< From one row to the next; 0: no gaps.
    bool clamp;         ///< Whether the bounds apply.
    float clamp_min, clamp_max;
    /// int8 results: their zero point and, with `clamp`, the bounds instead of clamp_min and clamp_max. min_value <=
    /// max_value.
    struct kai_matmul_requantize32_params requantize;
    /// Low precision (kai_lowp.h), in place of clamp and bounds; its pointers are those of column 0 of dst. `bias` must
    /// be NULL: use lowp.bias.
    struct kai_matmul_lowp_params lowp;
    /// @}

    /// @name Unsigned int8 (kai_matmul.h): biases of rows and columns that are not in the packed RHS; NULL: zeros
    /// @{
    const int32_t *acc_bias_m, *acc_bias_n;
    const float* scale_bias_n;
    float acc_scale;  ///< 0 means 1.
    /// @}

    /// int32 sums (kai_lowp.h), in place of clamp and bounds; its pointers are those of row 0 and column 0 of dst.
    /// `bias` must be NULL: use offsets.bias.
    struct kai_matmul_offsets offsets;

    uint64_t reserved[4];  ///< Zeros, else the call is rejected: room for members of later versions.
};

/// Whether the source of an RHS packer is K x N: rows of n elements.
bool kai_call_rhs_is_kxn(const struct kai_packer* rhs_packer);

/// @name Sizes of the packed operands of the whole problem. 0 for an LHS or RHS that is not packed.
/// @pre As for the packers.
/// @{
size_t kai_call_lhs_packed_size(const struct kai_call* call);
size_t kai_call_rhs_packed_size(const struct kai_call* call);
/// @}

/// @name Offsets in packed operands (for one that is not packed: in its rows, or its table of pointers) and in dst
/// kai_call_pack_* and kai_call_run already apply them.
/// @pre m_idx, n_idx: multiples of mr, nr, or for dst and operands that are not packed of m_step, n_step.
/// @{
size_t kai_call_lhs_packed_offset(const struct kai_call* call, size_t m_idx);
size_t kai_call_rhs_packed_offset(const struct kai_call* call, size_t n_idx);
size_t kai_call_dst_offset(const struct kai_call* call, size_t m_idx, size_t n_idx);
/// @}

/// Size of dst, rows without gaps.
size_t kai_call_dst_size(const struct kai_call* call);

/// Packs columns n_idx to n_idx + n - 1 to their place in `rhs_packed`, the buffer of all columns. Does nothing if the
/// RHS is not packed, or if n = 0.
/// @pre n_idx is a multiple of nr. Integers with a scale per column: a K x N source is packed in one call, and its rows
///      have no gaps, nor have those of an N x K source whose packer takes no stride.
void kai_call_pack_rhs(const struct kai_call* call, size_t n_idx, size_t n, void* rhs_packed);

/// Packs rows m_idx to m_idx + m - 1 to their place in `lhs_packed`, the buffer of all rows. Does nothing if the
/// LHS is not packed, or if m = 0.
/// @pre m_idx is a multiple of mr.
void kai_call_pack_lhs(const struct kai_call* call, size_t m_idx, size_t m, void* lhs_packed);

/// Computes m rows and n columns of dst from (m_idx, n_idx) on. Kernels for one row (KAI_ROWS_ONE) are called row by
/// row. m = 0 or n = 0: nothing is read or written.
/// @pre m_idx, n_idx: multiples of m_step, n_step; n_idx of micro-kernels that begin inside a panel, of column_step.
void kai_call_run(const struct kai_call* call, size_t m_idx, size_t n_idx, size_t m, size_t n);

KAI_END_DECLARATIONS
