// Types of the unified API for LHS packers of indirect matmul. No function of this library takes or returns them yet.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KAI_SPEC_kai_imatmul_pack_lhs_types
struct kai_imatmul_pack_lhs_uker_format_config {
    size_t mr;
    size_t kr;
    size_t sr;
};

/// Configuration of a packer; NULL means none.
struct kai_imatmul_pack_lhs_uker_config {
    struct kai_imatmul_pack_lhs_uker_format_config format;
};

/// Rows, and k as chunks.
struct kai_imatmul_pack_lhs_uker_dim_args {
    size_t m;
    size_t k_chunk_count;
    size_t k_chunk_length;
};

struct kai_imatmul_pack_lhs_uker_lhs_indirect_dim_args {
    size_t m;
    size_t k_chunk_count;
};

/// Bytes from the pointers of a row (of a chunk) to those of the next one.
struct kai_imatmul_pack_lhs_uker_lhs_indirect_stride_args {
    size_t m;
    size_t k_chunk_count;
};

/// ptr: the table of pointers to chunks. offset is added to each of them that is not pad_ptr.
struct kai_imatmul_pack_lhs_uker_lhs_indirect_args {
    const void* ptr;
    const void* pad_ptr;
    size_t offset;
    struct kai_imatmul_pack_lhs_uker_lhs_indirect_stride_args stride;
};

struct kai_imatmul_pack_lhs_uker_lhs_packed_dim_args {
    size_t m;
    size_t k_chunk_count;
    size_t k_chunk_length;
};

/// Bytes from a panel (from a chunk) to the next one.
struct kai_imatmul_pack_lhs_uker_lhs_packed_stride_args {
    size_t m;
    size_t k_chunk_count;
};

struct kai_imatmul_pack_lhs_uker_lhs_packed_args {
    void* ptr;
    struct kai_imatmul_pack_lhs_uker_lhs_packed_stride_args stride;
};

struct kai_imatmul_pack_lhs_uker_operand_args {
    struct kai_imatmul_pack_lhs_uker_lhs_indirect_args lhs_indirect;
    struct kai_imatmul_pack_lhs_uker_lhs_packed_args lhs_packed;
};

/// Arguments of `run`. Initialise them to zero.
struct kai_imatmul_pack_lhs_uker_args {
    uint64_t flags;
    struct kai_imatmul_pack_lhs_uker_dim_args shape;
    struct kai_imatmul_pack_lhs_uker_operand_args operand;
};

/// The functions of a packer.
struct kai_imatmul_pack_lhs_uker_api {
    void (*run)(
        const struct kai_imatmul_pack_lhs_uker_config* config, const struct kai_imatmul_pack_lhs_uker_args* args);
    struct kai_imatmul_pack_lhs_uker_dim_args (*get_step)(const struct kai_imatmul_pack_lhs_uker_config* config);
    struct kai_imatmul_pack_lhs_uker_lhs_indirect_stride_args (*get_lhs_indirect_stride)(
        const struct kai_imatmul_pack_lhs_uker_config* config,
        const struct kai_imatmul_pack_lhs_uker_lhs_indirect_dim_args* shape);
    size_t (*get_lhs_indirect_offset)(
        const struct kai_imatmul_pack_lhs_uker_config* config,
        const struct kai_imatmul_pack_lhs_uker_lhs_indirect_dim_args* index,
        const struct kai_imatmul_pack_lhs_uker_lhs_indirect_stride_args* stride);
    struct kai_imatmul_pack_lhs_uker_lhs_packed_stride_args (*get_lhs_packed_stride)(
        const struct kai_imatmul_pack_lhs_uker_config* config,
        const struct kai_imatmul_pack_lhs_uker_lhs_packed_dim_args* shape);
    size_t (*get_lhs_packed_offset)(
        const struct kai_imatmul_pack_lhs_uker_config* config,
        const struct kai_imatmul_pack_lhs_uker_lhs_packed_dim_args* index,
        const struct kai_imatmul_pack_lhs_uker_lhs_packed_stride_args* stride);
    size_t (*get_lhs_packed_size)(
        const struct kai_imatmul_pack_lhs_uker_config* config,
        const struct kai_imatmul_pack_lhs_uker_lhs_packed_dim_args* shape,
        const struct kai_imatmul_pack_lhs_uker_lhs_packed_stride_args* stride);
};

#ifdef __cplusplus
}  // extern "C"
#endif
