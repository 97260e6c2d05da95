// The container of GGUF files, versions 2 and 3: key-value pairs and tensors, in memory or in a mapped file.
//
//     struct kai_gguf_file file;
//     size_t at = 0;
//     if (kai_gguf_file_open(mapped, size, &file, &at) != KAI_GGUF_FILE_OK) ...     // `at`: where it is wrong
//     void* index = malloc(file.index_size);                                          // a share of the file's size
//     if (kai_gguf_file_index(&file, index, file.index_size, &at) != KAI_GGUF_FILE_OK) ...
//
//     struct kai_gguf_tensor tensor = {0};
//     while (kai_gguf_file_next_tensor(&file, &tensor)) ...
//     if (kai_gguf_file_find_tensor(&file, "token_embd.weight", &tensor) == KAI_GGUF_FILE_OK) {
//         kai_gguf_tensor_rows(&tensor, tokens, count, kai_dt_f32, floats, stride);
//         weights.b = tensor.data;                                                    // kai_gemm.h: KAI_GEMM_GGUF
//     }
//
// Nothing in the file is trusted: every length, count, offset, type and product is checked before it is used, and
// nothing beyond the buffer is read. The caller owns all memory. No function allocates, keeps state, prints or aborts.
// The memory must not change while `file` or what came from it is used.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_gguf.h"

KAI_BEGIN_DECLARATIONS

enum kai_gguf_file_status {
    KAI_GGUF_FILE_OK,
    KAI_GGUF_FILE_NULL_POINTER,      ///< A pointer is NULL where data is needed.
    KAI_GGUF_FILE_TRUNCATED,         ///< The file ends before what it announces: a string, an array, a tensor.
    KAI_GGUF_FILE_WRONG_MAGIC,       ///< Not a GGUF file.
    KAI_GGUF_FILE_WRONG_VERSION,     ///< Neither version 2 nor 3.
    KAI_GGUF_FILE_BIG_ENDIAN,        ///< Its numbers are big-endian.
    KAI_GGUF_FILE_BAD_NAME,          ///< A key or name is empty, longer than 65535 bytes, or has control characters.
    KAI_GGUF_FILE_BAD_VALUE,         ///< A value has no known type, or a bool is neither 0 nor 1.
    KAI_GGUF_FILE_NESTED_ARRAY,      ///< An array of arrays.
    KAI_GGUF_FILE_BAD_ALIGNMENT,     ///< general.alignment is not a u32 that is a power of two.
    KAI_GGUF_FILE_BAD_SHAPE,         ///< A tensor has more than 4 dimensions, one of 0, or rows of partial blocks.
    KAI_GGUF_FILE_OVERFLOW,          ///< The size of a tensor is larger than the address space.
    KAI_GGUF_FILE_BAD_OFFSET,        ///< A tensor does not start at a multiple of the alignment.
    KAI_GGUF_FILE_DUPLICATE_KEY,     ///< Two pairs have the same key.
    KAI_GGUF_FILE_DUPLICATE_TENSOR,  ///< Two tensors have the same name.
    KAI_GGUF_FILE_OVERLAP,           ///< A tensor starts within another one.
    KAI_GGUF_FILE_TOO_SMALL,         ///< The memory for the index is smaller than file.index_size.
    KAI_GGUF_FILE_NOT_THERE,         ///< There is no such pair, tensor or row.
    KAI_GGUF_FILE_UNKNOWN_TYPE,      ///< This library cannot read the tensor's type.
    KAI_GGUF_FILE_STATUS_COUNT
};

/// A sentence that says what is wrong. Never NULL.
const char* kai_gguf_file_status_text(enum kai_gguf_file_status status);

/// An opened file. Members may be read.
struct kai_gguf_file {
    const void* data;
    size_t size;
    uint32_t version;
    size_t pair_count, tensor_count;
    size_t alignment;
    size_t pairs, tensors;  ///< Where the first pair and the first description of a tensor are, in bytes.
    size_t tensors_end;     ///< Where the descriptions end.
    size_t data_start;      ///< What offsets of tensors count from.
    size_t index_size;      ///< Bytes that kai_gguf_file_index needs: at most the size of the header.
    const void* index;      ///< NULL: none yet.
    uint64_t reserved[8];   ///< Zeros: room for members of later versions (docs/versioning.md).
};

/// Checks all pairs and all descriptions of tensors, in time proportional to their size; data of tensors are not read.
/// Duplicate names and overlapping data are found by kai_gguf_file_index. `position` (may be NULL): if something is
/// wrong, where it is, in bytes.
enum kai_gguf_file_status kai_gguf_file_open(
    const void* data, size_t size, struct kai_gguf_file* file, size_t* position);

/// Sorts keys and names, which makes searches fast; finds duplicates and tensors that overlap. `memory`: index_size
/// bytes, at any address, which `file` keeps a pointer to.
enum kai_gguf_file_status kai_gguf_file_index(
    struct kai_gguf_file* file, void* memory, size_t memory_size, size_t* position);

/// @name Key-value pairs
/// @{
enum kai_gguf_value_type {
    KAI_GGUF_U8 = 0,
    KAI_GGUF_I8 = 1,
    KAI_GGUF_U16 = 2,
    KAI_GGUF_I16 = 3,
    KAI_GGUF_U32 = 4,
    KAI_GGUF_I32 = 5,
    KAI_GGUF_FLOAT32 = 6,
    KAI_GGUF_BOOL = 7,
    KAI_GGUF_STRING = 8,
    KAI_GGUF_ARRAY = 9,
    KAI_GGUF_U64 = 10,
    KAI_GGUF_I64 = 11,
    KAI_GGUF_FLOAT64 = 12
};

/// A pair. Strings in the file are not terminated.
struct kai_gguf_pair {
    const char* key;
    size_t key_length;
    enum kai_gguf_value_type type;          ///< ARRAY, or that of the value.
    enum kai_gguf_value_type element_type;  ///< Of an array; else the same.
    size_t count;                           ///< Elements of an array; else 1.
    const void* elements;                   ///< As they are in the file.
    size_t size;                            ///< Their bytes.
    size_t end;                             ///< In the file: where the next pair starts.
    uint64_t reserved[4];                   ///< Zeros.
};

/// An element. Its type says which member holds it.
struct kai_gguf_value {
    enum kai_gguf_value_type type;
    uint64_t u;        ///< U8 to U64, BOOL.
    int64_t i;         ///< I8 to I64.
    double f;          ///< FLOAT32, FLOAT64.
    const char* text;  ///< STRING: not terminated.
    size_t length;
    uint64_t reserved[2];  ///< Zeros.
};

/// The first pair if *pair is all zero, else the one after it. False: there is none, and *pair is all zero again.
bool kai_gguf_file_next_pair(const struct kai_gguf_file* file, struct kai_gguf_pair* pair);
enum kai_gguf_file_status kai_gguf_file_find_pair(
    const struct kai_gguf_file* file, const char* key, struct kai_gguf_pair* pair);
/// The element at *position, 0 at first, which is moved to the next one. False: there is none.
bool kai_gguf_pair_next(const struct kai_gguf_pair* pair, size_t* position, struct kai_gguf_value* value);
/// @}

/// @name Tensors
/// @{
struct kai_gguf_tensor {
    const char* name;  ///< Not terminated.
    size_t name_length;
    uint32_t type_id;
    const struct kai_gguf_type* type;  ///< NULL: this library does not read it, and data, sizes and rows are 0.
    uint32_t dimensions;               ///< Those that the file gives, at most 4.
    uint64_t shape[4];                 ///< The length of a row, k, first. 1 where the file gives none. Never 0.
    size_t offset;                     ///< In the file.
    size_t k, rows;                    ///< shape[0], and the product of the others.
    size_t row_size, size;             ///< In bytes.
    const void* data;                  ///< In the file, aligned as the file and its alignment are.
    size_t end;                        ///< In the file: where the next description starts.
    uint64_t reserved[8];              ///< Zeros.
};

/// The first tensor if *tensor is all zero, else the one after it, in the order of the file. False: there is none, and
/// *tensor is all zero again.
bool kai_gguf_file_next_tensor(const struct kai_gguf_file* file, struct kai_gguf_tensor* tensor);
enum kai_gguf_file_status kai_gguf_file_find_tensor(
    const struct kai_gguf_file* file, const char* name, struct kai_gguf_tensor* tensor);

/// Dequantises rows rows[0] to rows[count - 1] (NULL: the first `count`) to `dst`, whose rows of k elements of
/// `dst_type` are dst_stride bytes apart: embeddings. kai_gguf_dequantise has the types and the roundings. Nothing is
/// written if one of the rows is not there.
enum kai_gguf_file_status kai_gguf_tensor_rows(
    const struct kai_gguf_tensor* tensor, const uint32_t* rows, size_t count, enum kai_datatype dst_type, void* dst,
    size_t dst_stride);
/// @}

KAI_END_DECLARATIONS
