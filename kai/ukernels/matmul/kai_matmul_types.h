// Types of the unified API for micro-kernels (kai_matmul.h): the table of functions and the structures for operands.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KAI_SPEC_kai_matmul_uker_format_config
/// bl: length of a block of k, for kernels whose documentation asks for it.
struct kai_matmul_uker_format_config {
    size_t bl;
};

#define KAI_SPEC_kai_matmul_uker_config
/// Configuration of a kernel; NULL means none.
struct kai_matmul_uker_config {
    struct kai_matmul_uker_format_config format;
};

#define KAI_SPEC_kai_matmul_uker_dim_args
/// Sizes of a problem, or coordinates in it.
struct kai_matmul_uker_dim_args {
    size_t m;
    size_t n;
    size_t k;
};

#define KAI_SPEC_kai_matmul_uker_lhs_dim_args
struct kai_matmul_uker_lhs_dim_args {
    size_t m;
    size_t k;
};

#define KAI_SPEC_kai_matmul_uker_lhs_stride_args
/// Bytes from one row of the LHS (packed: from a panel) to the next.
struct kai_matmul_uker_lhs_stride_args {
    size_t m;
};

#define KAI_SPEC_kai_matmul_uker_lhs_args
struct kai_matmul_uker_lhs_args {
    const void* ptr;
    struct kai_matmul_uker_lhs_stride_args stride;
};

#define KAI_SPEC_kai_matmul_uker_rhs_dim_args
struct kai_matmul_uker_rhs_dim_args {
    size_t n;
    size_t k;
};

#define KAI_SPEC_kai_matmul_uker_rhs_stride_args
/// Bytes from one panel of the packed RHS to the next.
struct kai_matmul_uker_rhs_stride_args {
    size_t n;
};

#define KAI_SPEC_kai_matmul_uker_rhs_args
struct kai_matmul_uker_rhs_args {
    const void* ptr;
    struct kai_matmul_uker_rhs_stride_args stride;
};

#define KAI_SPEC_kai_matmul_uker_dst_dim_args
struct kai_matmul_uker_dst_dim_args {
    size_t m;
    size_t n;
};

#define KAI_SPEC_kai_matmul_uker_dst_stride_args
/// Bytes from one row of dst to the next.
struct kai_matmul_uker_dst_stride_args {
    size_t m;
};

#define KAI_SPEC_kai_matmul_uker_dst_args
struct kai_matmul_uker_dst_args {
    void* ptr;
    struct kai_matmul_uker_dst_stride_args stride;
};

#define KAI_SPEC_kai_matmul_uker_acc_bias_global_args
struct kai_matmul_uker_acc_bias_global_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_uker_acc_bias_m_args
struct kai_matmul_uker_acc_bias_m_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_uker_acc_bias_n_args
struct kai_matmul_uker_acc_bias_n_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_uker_scale_bias_global_args
struct kai_matmul_uker_scale_bias_global_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_uker_scale_bias_m_args
struct kai_matmul_uker_scale_bias_m_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_uker_scale_bias_n_args
struct kai_matmul_uker_scale_bias_n_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_uker_bias_args
/// Biases that are not in the packed RHS, of the types that the kernel documents; indexed from the start of the call.
/// NULL: zero.
struct kai_matmul_uker_bias_args {
    struct kai_matmul_uker_acc_bias_global_args acc_bias_global;
    struct kai_matmul_uker_acc_bias_m_args acc_bias_m;
    struct kai_matmul_uker_acc_bias_n_args acc_bias_n;
    struct kai_matmul_uker_scale_bias_global_args scale_bias_global;
    struct kai_matmul_uker_scale_bias_m_args scale_bias_m;
    struct kai_matmul_uker_scale_bias_n_args scale_bias_n;
};

#define KAI_SPEC_kai_matmul_uker_acc_scale_global_args
struct kai_matmul_uker_acc_scale_global_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_uker_acc_scale_m_args
struct kai_matmul_uker_acc_scale_m_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_uker_acc_scale_n_args
struct kai_matmul_uker_acc_scale_n_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_uker_scale_args
/// Scales that are not in the packed RHS.
struct kai_matmul_uker_scale_args {
    struct kai_matmul_uker_acc_scale_global_args acc_scale_global;
    struct kai_matmul_uker_acc_scale_m_args acc_scale_m;
    struct kai_matmul_uker_acc_scale_n_args acc_scale_n;
};

#define KAI_SPEC_kai_matmul_uker_clamp_args
/// Bounds, of the type that the kernel documents (f32, or int32 for int8 results).
struct kai_matmul_uker_clamp_args {
    const void* min_ptr;
    const void* max_ptr;
};

#define KAI_SPEC_kai_matmul_uker_activation_args
struct kai_matmul_uker_activation_args {
    struct kai_matmul_uker_clamp_args clamp;
};

#define KAI_SPEC_kai_matmul_uker_lut_args
/// Weights by their codes, for kernels whose documentation names it: 16 entries of 32 bits.
struct kai_matmul_uker_lut_args {
    const void* ptr;
};

#define KAI_SPEC_kai_matmul_uker_operand_args
struct kai_matmul_uker_operand_args {
    struct kai_matmul_uker_dst_args dst;
    struct kai_matmul_uker_lhs_args lhs;
    struct kai_matmul_uker_rhs_args rhs;
    struct kai_matmul_uker_bias_args bias;
    struct kai_matmul_uker_scale_args scale;
    struct kai_matmul_uker_lut_args lut;
};

#define KAI_SPEC_kai_matmul_uker_args
/// Arguments of `run`. Initialise them to zero; members that a kernel's documentation does not name are not read.
struct kai_matmul_uker_args {
    uint64_t flags;
    struct kai_matmul_uker_dim_args shape;
    struct kai_matmul_uker_operand_args operand;
    struct kai_matmul_uker_activation_args activation;
};

#define KAI_SPEC_kai_matmul_uker_flags_args
/// Bits of kai_matmul_uker_args::flags. Others are an error.
enum kai_matmul_uker_flags_args {
    KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP = 0x10000,  ///< Clamp to activation.clamp.
};

#define KAI_SPEC_kai_matmul_uker_api
/// The functions of a kernel. `config` may be NULL; the member k of an index must be 0.
struct kai_matmul_uker_api {
    void (*run)(const struct kai_matmul_uker_config* config, const struct kai_matmul_uker_args* args);
    struct kai_matmul_uker_dim_args (*get_step)(const struct kai_matmul_uker_config* config);
    struct kai_matmul_uker_lhs_stride_args (*get_lhs_stride)(
        const struct kai_matmul_uker_config* config, const struct kai_matmul_uker_lhs_dim_args* shape);
    size_t (*get_lhs_offset)(
        const struct kai_matmul_uker_config* config, const struct kai_matmul_uker_lhs_dim_args* index,
        const struct kai_matmul_uker_lhs_stride_args* stride);
    struct kai_matmul_uker_rhs_stride_args (*get_rhs_stride)(
        const struct kai_matmul_uker_config* config, const struct kai_matmul_uker_rhs_dim_args* shape);
    size_t (*get_rhs_offset)(
        const struct kai_matmul_uker_config* config, const struct kai_matmul_uker_rhs_dim_args* index,
        const struct kai_matmul_uker_rhs_stride_args* stride);
    struct kai_matmul_uker_dst_stride_args (*get_dst_stride)(
        const struct kai_matmul_uker_config* config, const struct kai_matmul_uker_dst_dim_args* shape);
    size_t (*get_dst_offset)(
        const struct kai_matmul_uker_config* config, const struct kai_matmul_uker_dst_dim_args* index,
        const struct kai_matmul_uker_dst_stride_args* stride);
    size_t (*get_dst_size)(
        const struct kai_matmul_uker_config* config, const struct kai_matmul_uker_dst_dim_args* shape,
        const struct kai_matmul_uker_dst_stride_args* stride);
};

#ifdef __cplusplus
}  // extern "C"
#endif
