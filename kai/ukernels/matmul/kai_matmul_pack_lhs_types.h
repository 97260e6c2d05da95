// Types of the unified API for LHS packers (kai_matmul_pack_lhs.h).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KAI_SPEC_kai_matmul_pack_lhs_uker_format_config
/// mr: read by packers with `mr` in their names. Nothing else is read.
struct kai_matmul_pack_lhs_uker_format_config {
    size_t mr;
    size_t kr;
    size_t sr;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_config
/// Configuration of a packer. NULL: none, for packers that read none.
struct kai_matmul_pack_lhs_uker_config {
    struct kai_matmul_pack_lhs_uker_format_config format;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_dim_args
struct kai_matmul_pack_lhs_uker_dim_args {
    size_t m;
    size_t k;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_lhs_dim_args
struct kai_matmul_pack_lhs_uker_lhs_dim_args {
    size_t m;
    size_t k;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_lhs_stride_args
struct kai_matmul_pack_lhs_uker_lhs_stride_args {
    size_t m;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_lhs_args
struct kai_matmul_pack_lhs_uker_lhs_args {
    const void* ptr;
    struct kai_matmul_pack_lhs_uker_lhs_stride_args stride;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_lhs_packed_dim_args
struct kai_matmul_pack_lhs_uker_lhs_packed_dim_args {
    size_t m;
    size_t k;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_lhs_packed_stride_args
struct kai_matmul_pack_lhs_uker_lhs_packed_stride_args {
    size_t m;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_lhs_packed_args
struct kai_matmul_pack_lhs_uker_lhs_packed_args {
    void* ptr;
    struct kai_matmul_pack_lhs_uker_lhs_packed_stride_args stride;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_operand_args
struct kai_matmul_pack_lhs_uker_operand_args {
    struct kai_matmul_pack_lhs_uker_lhs_packed_args lhs_packed;
    struct kai_matmul_pack_lhs_uker_lhs_args lhs;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_args
/// Arguments of `run`. Initialise them to zero.
struct kai_matmul_pack_lhs_uker_args {
    uint64_t flags;
    struct kai_matmul_pack_lhs_uker_dim_args shape;
    struct kai_matmul_pack_lhs_uker_operand_args operand;
};

#define KAI_SPEC_kai_matmul_pack_lhs_uker_api
/// The functions of a packer. `config` may be NULL if the packer reads none; the member k of an index must be 0.
struct kai_matmul_pack_lhs_uker_api {
    void (*run)(const struct kai_matmul_pack_lhs_uker_config* config, const struct kai_matmul_pack_lhs_uker_args* args);
    struct kai_matmul_pack_lhs_uker_dim_args (*get_step)(const struct kai_matmul_pack_lhs_uker_config* config);
    struct kai_matmul_pack_lhs_uker_lhs_stride_args (*get_lhs_stride)(
        const struct kai_matmul_pack_lhs_uker_config* config,
        const struct kai_matmul_pack_lhs_uker_lhs_dim_args* shape);
    size_t (*get_lhs_offset)(
        const struct kai_matmul_pack_lhs_uker_config* config, const struct kai_matmul_pack_lhs_uker_lhs_dim_args* index,
        const struct kai_matmul_pack_lhs_uker_lhs_stride_args* stride);
    struct kai_matmul_pack_lhs_uker_lhs_packed_stride_args (*get_lhs_packed_stride)(
        const struct kai_matmul_pack_lhs_uker_config* config,
        const struct kai_matmul_pack_lhs_uker_lhs_packed_dim_args* shape);
    size_t (*get_lhs_packed_offset)(
        const struct kai_matmul_pack_lhs_uker_config* config,
        const struct kai_matmul_pack_lhs_uker_lhs_packed_dim_args* index,
        const struct kai_matmul_pack_lhs_uker_lhs_packed_stride_args* stride);
    size_t (*get_lhs_packed_size)(
        const struct kai_matmul_pack_lhs_uker_config* config,
        const struct kai_matmul_pack_lhs_uker_lhs_packed_dim_args* shape,
        const struct kai_matmul_pack_lhs_uker_lhs_packed_stride_args* stride);
};

#ifdef __cplusplus
}  // extern "C"
#endif
