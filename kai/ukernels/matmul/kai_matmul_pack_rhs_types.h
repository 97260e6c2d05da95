// Types of the unified API for RHS packers (kai_matmul_pack_rhs.h).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KAI_SPEC_kai_matmul_pack_rhs_uker_format_config
/// nr: read by packers with `nr` in their names. bl: by packers for blocks. Nothing else is read.
struct kai_matmul_pack_rhs_uker_format_config {
    size_t nr;
    size_t kr;
    size_t sr;
    size_t bl;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_config
/// Configuration of a packer. NULL: none, for packers that read none.
struct kai_matmul_pack_rhs_uker_config {
    struct kai_matmul_pack_rhs_uker_format_config format;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_dim_args
struct kai_matmul_pack_rhs_uker_dim_args {
    size_t n;
    size_t k;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_rhs_dim_args
struct kai_matmul_pack_rhs_uker_rhs_dim_args {
    size_t n;
    size_t k;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_rhs_stride_args
/// Bytes from one row of the source to the next: member k for K x N sources, n for N x K sources. The other one is not
/// read.
struct kai_matmul_pack_rhs_uker_rhs_stride_args {
    size_t n;
    size_t k;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_rhs_args
struct kai_matmul_pack_rhs_uker_rhs_args {
    const void* ptr;
    struct kai_matmul_pack_rhs_uker_rhs_stride_args stride;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_rhs_packed_dim_args
struct kai_matmul_pack_rhs_uker_rhs_packed_dim_args {
    size_t n;
    size_t k;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_rhs_packed_stride_args
struct kai_matmul_pack_rhs_uker_rhs_packed_stride_args {
    size_t n;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_rhs_packed_args
struct kai_matmul_pack_rhs_uker_rhs_packed_args {
    void* ptr;
    struct kai_matmul_pack_rhs_uker_rhs_packed_stride_args stride;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_bias_n_dim_args
struct kai_matmul_pack_rhs_uker_bias_n_dim_args {
    size_t n;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_bias_n_args
struct kai_matmul_pack_rhs_uker_bias_n_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_k_sum_scale_global_args
struct kai_matmul_pack_rhs_uker_k_sum_scale_global_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_scale_n_dim_args
struct kai_matmul_pack_rhs_uker_scale_n_dim_args {
    size_t n;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_scale_n_args
struct kai_matmul_pack_rhs_uker_scale_n_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_scale_nk_dim_args
/// Of get_scale_nk_stride: columns and elements of k. Of get_scale_nk_offset: a column and a block of k.
struct kai_matmul_pack_rhs_uker_scale_nk_dim_args {
    size_t n;
    size_t k;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_scale_nk_stride_args
/// Bytes from the scale of a column to that of the next one, and from a block of k to the next one.
struct kai_matmul_pack_rhs_uker_scale_nk_stride_args {
    size_t n;
    size_t k;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_scale_nk_args
/// Scales of blocks.
struct kai_matmul_pack_rhs_uker_scale_nk_args {
    const void* ptr;
    struct kai_matmul_pack_rhs_uker_scale_nk_stride_args stride;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_scale_global_args
struct kai_matmul_pack_rhs_uker_scale_global_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_operand_args
/// bias_n: one value per column, NULL for zeros. k_sum_scale_global (int32): minus the zero point of the LHS. scale_n,
/// scale_global (f32). scale_nk: a scale per column and block.
struct kai_matmul_pack_rhs_uker_operand_args {
    struct kai_matmul_pack_rhs_uker_rhs_args rhs;
    struct kai_matmul_pack_rhs_uker_rhs_packed_args rhs_packed;
    struct kai_matmul_pack_rhs_uker_bias_n_args bias_n;
    struct kai_matmul_pack_rhs_uker_k_sum_scale_global_args k_sum_scale_global;
    struct kai_matmul_pack_rhs_uker_scale_n_args scale_n;
    struct kai_matmul_pack_rhs_uker_scale_global_args scale_global;
    struct kai_matmul_pack_rhs_uker_scale_nk_args scale_nk;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_args
/// Arguments of `run`. Initialise them to zero.
struct kai_matmul_pack_rhs_uker_args {
    uint64_t flags;
    struct kai_matmul_pack_rhs_uker_dim_args shape;
    struct kai_matmul_pack_rhs_uker_operand_args operand;
};

#define KAI_SPEC_kai_matmul_pack_rhs_uker_api
/// The functions of a packer. `config` may be NULL if the packer reads none; the member k of an index must be 0, except
/// of get_scale_nk_offset. get_scale_n_offset is NULL in packers without scales of columns; get_scale_nk_stride and
/// get_scale_nk_offset in those without scales of blocks.
struct kai_matmul_pack_rhs_uker_api {
    void (*run)(const struct kai_matmul_pack_rhs_uker_config* config, const struct kai_matmul_pack_rhs_uker_args* args);
    struct kai_matmul_pack_rhs_uker_dim_args (*get_step)(const struct kai_matmul_pack_rhs_uker_config* config);
    struct kai_matmul_pack_rhs_uker_rhs_stride_args (*get_rhs_stride)(
        const struct kai_matmul_pack_rhs_uker_config* config,
        const struct kai_matmul_pack_rhs_uker_rhs_dim_args* shape);
    size_t (*get_rhs_offset)(
        const struct kai_matmul_pack_rhs_uker_config* config, const struct kai_matmul_pack_rhs_uker_rhs_dim_args* index,
        const struct kai_matmul_pack_rhs_uker_rhs_stride_args* stride);
    struct kai_matmul_pack_rhs_uker_rhs_packed_stride_args (*get_rhs_packed_stride)(
        const struct kai_matmul_pack_rhs_uker_config* config,
        const struct kai_matmul_pack_rhs_uker_rhs_packed_dim_args* shape);
    size_t (*get_rhs_packed_offset)(
        const struct kai_matmul_pack_rhs_uker_config* config,
        const struct kai_matmul_pack_rhs_uker_rhs_packed_dim_args* index,
        const struct kai_matmul_pack_rhs_uker_rhs_packed_stride_args* stride);
    size_t (*get_rhs_packed_size)(
        const struct kai_matmul_pack_rhs_uker_config* config,
        const struct kai_matmul_pack_rhs_uker_rhs_packed_dim_args* shape,
        const struct kai_matmul_pack_rhs_uker_rhs_packed_stride_args* stride);
    size_t (*get_bias_n_offset)(
        const struct kai_matmul_pack_rhs_uker_config* config,
        const struct kai_matmul_pack_rhs_uker_bias_n_dim_args* index);
    size_t (*get_scale_n_offset)(
        const struct kai_matmul_pack_rhs_uker_config* config,
        const struct kai_matmul_pack_rhs_uker_scale_n_dim_args* index);
    struct kai_matmul_pack_rhs_uker_scale_nk_stride_args (*get_scale_nk_stride)(
        const struct kai_matmul_pack_rhs_uker_config* config,
        const struct kai_matmul_pack_rhs_uker_scale_nk_dim_args* shape);
    size_t (*get_scale_nk_offset)(
        const struct kai_matmul_pack_rhs_uker_config* config,
        const struct kai_matmul_pack_rhs_uker_scale_nk_dim_args* index,
        const struct kai_matmul_pack_rhs_uker_scale_nk_stride_args* stride);
};

#ifdef __cplusplus
}  // extern "C"
#endif
