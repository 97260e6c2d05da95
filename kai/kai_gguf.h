// Weights of GGUF files: the types of their blocks, and functions that turn rows back into floats.
//
//     const struct kai_gguf_type* type = kai_gguf_find_type(12);  // Q4_K
//     size_t row = 0;
//     if (type == NULL || !kai_gguf_row_size(type, k, &row)) ...    // a damaged file
//     kai_gguf_dequantise(type, k, rows + n * row, kai_dt_f32, floats);
//
// To multiply with them: kai_registry_gguf_packer finds a packer of the rows for a micro-kernel.
//
// Blocks are read in place, at any address. docs/gguf.md says what this library does with each type.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "kai/kai_common.h"

KAI_BEGIN_DECLARATIONS

/// Types of tensors, by their number in the file.
enum kai_gguf_type_id {
    KAI_GGUF_F32 = 0,
    KAI_GGUF_F16 = 1,
    KAI_GGUF_Q4_0 = 2,
    KAI_GGUF_Q4_1 = 3,
    KAI_GGUF_Q5_0 = 6,
    KAI_GGUF_Q5_1 = 7,
    KAI_GGUF_Q8_0 = 8,
    KAI_GGUF_Q2_K = 10,
    KAI_GGUF_Q3_K = 11,
    KAI_GGUF_Q4_K = 12,
    KAI_GGUF_Q5_K = 13,
    KAI_GGUF_Q6_K = 14,
    KAI_GGUF_IQ2_XXS = 16,
    KAI_GGUF_IQ2_XS = 17,
    KAI_GGUF_IQ3_XXS = 18,
    KAI_GGUF_IQ1_S = 19,
    KAI_GGUF_IQ4_NL = 20,
    KAI_GGUF_IQ3_S = 21,
    KAI_GGUF_IQ2_S = 22,
    KAI_GGUF_IQ4_XS = 23,
    KAI_GGUF_IQ1_M = 29,
    KAI_GGUF_BF16 = 30,
    KAI_GGUF_TQ1_0 = 34,
    KAI_GGUF_TQ2_0 = 35,
    KAI_GGUF_MXFP4 = 39,
    KAI_GGUF_NVFP4 = 40,
    KAI_GGUF_Q1_0 = 41,
    KAI_GGUF_Q2_0 = 42
};

/// A type. A row of a tensor is a sequence of blocks, without gaps.
struct kai_gguf_type {
    const char* name;  ///< "Q4_K", as in the documentation of the format.
    enum kai_gguf_type_id id;
    size_t block_weights;  ///< Weights in a block; the length of a row is a multiple of it.
    size_t block_bytes;
    size_t packed_bl;  ///< `bl` of the packed formats that this type is packed to; 0: none has blocks.
};

/// The type with this number in a file; NULL if this library does not read it.
const struct kai_gguf_type* kai_gguf_find_type(uint32_t id);

/// All types, in the order of their numbers.
/// @{
size_t kai_gguf_type_count(void);
const struct kai_gguf_type* kai_gguf_type_at(size_t index);  ///< NULL past the end
/// @}

/// Bytes of a row of k weights. Returns false and leaves *size unchanged if k is not a multiple of the block, or if the
/// row would not fit into memory: a length from a file needs no other check before it is used.
bool kai_gguf_row_size(const struct kai_gguf_type* type, uint64_t k, size_t* size);

/// Dequantises `count` weights: a row, or any part of rows that is whole blocks.
///
/// Each weight is its exact value, rounded once to f32 (to nearest even; only types with a minimum need it). f16 and
/// bf16 are this f32 converted: to nearest even, overflow to infinity, NaN stays NaN. Scales of infinity and NaN are
/// data: they give the infinities and NaN that the multiplication gives.
///
/// @param type  The type of the blocks.
/// @param count  Number of weights.
/// @param src  The blocks, at any address.
/// @param dst_type  kai_dt_f32, kai_dt_f16 or kai_dt_bf16.
/// @param dst  `count` elements of that type, at any address.
/// @pre count is a multiple of type->block_weights. Checked in every build, as is dst_type.
void kai_gguf_dequantise(
    const struct kai_gguf_type* type, size_t count, const void* src, enum kai_datatype dst_type, void* dst);

KAI_END_DECLARATIONS
