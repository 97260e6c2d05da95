// Convolution on top of the GEMM layer: describe it, plan it, pack the weights, run.
//
//     out[y][x][o] = clamp(bias[o] + sum over taps (i, j) and channels c of
//                          in[y * stride - top + i * dilation][x * stride - left + j * dilation][c] * w[o][i][j][c])
//
//     struct kai_conv_problem problem = kai_conv_problem_of(height, width, 64, 128, 3, 3);   // f32, stride 1
//     problem.pad_top = problem.pad_left = problem.pad_bottom = problem.pad_right = 1;
//     problem.bias = true, problem.units = threads;
//     struct kai_conv_plan plan;
//     if (kai_conv_make_plan(&problem, &plan) != KAI_GEMM_OK) ...                // kai_conv_explain says why
//
//     struct kai_gemm_weights weights = {0};
//     weights.b = filter, weights.bias = bias;
//     void* packed = aligned_alloc(64, plan.packed_size);                        // once
//     kai_conv_pack(&plan, &weights, packed, plan.packed_size, space, plan.pack_workspace_size);
//
//     struct kai_conv_operands x = {0};                                          // every inference
//     x.in = image, x.packed = packed, x.out = result;                           // plan.out_height x plan.out_width
//     kai_conv_run(&plan, &x, workspace, plan.workspace_size, parallel_for, pool);
//
// Images are NHWC. Of one dimension: height and kernel_height 1. What is outside an image counts as zero (of integers:
// the zero point).
//
// The caller owns all memory and all threads. No function allocates, keeps state, prints or aborts. A function that can
// fail returns a status (kai_gemm_status_text); if it fails, it has written nothing. What was wrong, with names and
// numbers: kai_conv_explain, kai_conv_explain_pack, kai_conv_explain_run. A plan is a plain structure: copy it, share
// it between threads, run it from any number of threads at once, each with its own workspace. The bits of the results
// depend on the plan's path and kernels, but not on the number of threads, the order of the units or the position in
// the batch.
//
// Paths, and which is taken: docs/convolution.md.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/gemm/kai_gemm.h"

KAI_BEGIN_DECLARATIONS

/// How a convolution is computed.
enum kai_conv_path {
    KAI_CONV_ANY,   ///< Of a problem: the plan chooses.
    KAI_CONV_GEMM,  ///< 1 x 1, stride 1, no padding: one product, pixels are its rows.
    /// Pixels of a tile are rows of a product, whose depth is taps x channels: rows are gathered in the workspace.
    KAI_CONV_ROWS,
    KAI_CONV_INDIRECT,    ///< The same product; the micro-kernel reads pixels in place, through a table of pointers.
    KAI_CONV_DEPTHWISE,   ///< One channel of the input for each group.
    KAI_CONV_WINOGRAD_2,  ///< 3 x 3, stride 1: F(2, 3), tiles of 2 x 2 results, 16 products for 36.
    KAI_CONV_WINOGRAD_4,  ///< The same: F(4, 3), tiles of 4 x 4 results, 36 products for 144.
    KAI_CONV_PATH_COUNT
};

/// How weights lie in memory, without gaps. O: all channels of the output; I: channels of the input of a group; H, W:
/// rows and columns of the filter.
enum kai_conv_layout {
    KAI_CONV_OHWI,  ///< TensorFlow Lite.
    KAI_CONV_OIHW,  ///< ONNX, PyTorch.
    KAI_CONV_HWIO,  ///< TensorFlow. Depthwise: H x W x channels.
    /// ONNX and PyTorch, transposed convolution: I is all channels of the input, O those of the output of a group.
    KAI_CONV_IOHW,
    KAI_CONV_LAYOUT_COUNT
};

/// Initialise with kai_conv_problem_of, then change members.
struct kai_conv_problem {
    /// @name Shape
    /// @{
    size_t batch;                      ///< Images.
    size_t height, width;              ///< Of an image of the input, in pixels.
    size_t in_channels, out_channels;  ///< Multiples of groups.
    size_t groups;                     ///< Channel o of the output sees the channels of the input of its group only.
    size_t kernel_height, kernel_width;
    size_t stride_height, stride_width;
    size_t dilation_height, dilation_width;
    size_t pad_top, pad_left, pad_bottom, pad_right;
    /// Transposed: each pixel of the input is added to kernel_height x kernel_width pixels of the output, stride apart;
    /// padding is cut off there. out_pad_*: further rows and columns of the output, less than the stride.
    bool transposed;
    size_t out_pad_height, out_pad_width;
    /// @}

    /// @name Images: bytes from one pixel (row, image) to the next; 0: no gaps
    /// @{
    size_t in_pixel, in_row, in_image;
    size_t out_pixel, out_row, out_image;
    /// @}

    /// @name Elements
    /// @{
    /// DENSE: floats. INT8_STATIC, INT8_LOWP, UINT8_LOWP: as of the GEMM layer, with quantised in- and output.
    enum kai_gemm_kind kind;
    enum kai_datatype in_type, out_type;  ///< As a_type and c_type of kai_gemm_problem.
    enum kai_datatype weight_type;        ///< Of DENSE: f32, f16 or bf16.
    enum kai_conv_layout layout;          ///< Of the weights.
    bool bias;                            ///< There is one: out_channels values of f32 (STATIC: int32). Not LOWP.
    /// @}

    /// @name Result
    /// @{
    float clamp_min, clamp_max;  ///< -INFINITY, INFINITY: none. NaN stays NaN.
    /// STATIC: zero points of in- and output and bounds of the output, each from -128 to 127, and scale of the input /
    /// scale of the output.
    int32_t in_zero_point, out_zero_point, out_min, out_max;
    float multiplier;
    /// Runs may have an epilogue (kai_conv_operands.epilogue), another one each: an activation, factors of channels, a
    /// residual. As in kai_gemm_problem.
    bool epilogue;
    /// @}

    /// @name Choice
    /// @{
    bool allow_bf16, allow_f16;  ///< As in kai_gemm_problem.
    /// 3 x 3, stride 1, f32 and f16: permits Winograd's algorithm where it is faster. It adds and takes away before it
    /// multiplies, and loses digits (docs/convolution.md).
    bool allow_winograd;
    size_t units;               ///< Threads that work at the same time, at least 1. No influence on the bits.
    size_t sme_units;           ///< How many of them can run SME at the same time. 0: no SME.
    size_t l1_bytes, l2_bytes;  ///< Caches of a core.
    enum kai_conv_path path;    ///< One that must be taken; ANY: the best.
    /// A plan whose packed weights this one shall read: for images of other sizes, another batch, other strides in
    /// bytes or units. NULL: weights are packed for this plan. Read while planning only.
    const struct kai_conv_plan* weights_of;
    enum kai_cpu_core core;  ///< As in kai_gemm_problem.
    /// @}

    uint64_t reserved[24];  ///< Zeros, else RESERVED.
};

/// f32, one image, one group, stride and dilation 1, no padding, OHWI, no bounds, one unit, one SME unit, caches of 64
/// KB and 1 MB.
struct kai_conv_problem kai_conv_problem_of(
    size_t height, size_t width, size_t in_channels, size_t out_channels, size_t kernel_height, size_t kernel_width);

/// Members may be read, but only kai_conv_make_plan may change them.
struct kai_conv_plan {
    struct kai_conv_problem problem;  ///< With strides in bytes.
    size_t out_height, out_width;     ///< In pixels.
    enum kai_conv_path path;
    size_t packed_size;          ///< Bytes of the packed weights, a multiple of 64.
    size_t pack_units;           ///< Units of kai_conv_pack_unit.
    size_t pack_workspace_size;  ///< Exact, in bytes: for each unit that is packed at the same time.
    size_t workspace_size;       ///< Exact, in bytes, a multiple of 64.
    size_t workers;              ///< How many units may run at once: problem.units, with SME at most sme_units.

    /// @name The products
    /// @{
    struct kai_gemm_plan gemm;            ///< GEMM: of the whole run. Else: of a tile.
    const struct kai_ukernel* ukernel;    ///< INDIRECT, DEPTHWISE: the micro-kernel.
    const struct kai_packer* lhs_packer;  ///< INDIRECT: packs what the table points to; NULL: it is read in place.
    size_t tap_channels;                  ///< Of a tap in the depth: those of a group, or more, with weights 0.
    /// Transposed: pixels of the output whose coordinates leave the same remainders of the strides have the same taps:
    /// they are a phase, phase_taps at most.
    size_t phases_height, phases_width, phase_taps_height, phase_taps_width;
    size_t parts;         ///< The channels of the output of a group, as so many products.
    size_t part_columns;  ///< Channels of a part.
    size_t tile_rows;     ///< Pixels of a unit; WINOGRAD: tiles; DEPTHWISE: rows.
    /// @}

    /// @name In the workspace, in bytes
    /// @{
    size_t pad;                                             ///< INDIRECT: a pixel that stands for padding.
    size_t slots, slot_size;                                ///< What a unit needs for itself.
    size_t slot_rows, slot_table, slot_gemm, slot_product;  ///< In a slot.
    /// @}

    enum kai_gemm_status status;  ///< What kai_conv_make_plan returned. Unless it is KAI_GEMM_OK, nothing runs.
    char reason[224];             ///< Why it failed, a sentence; empty if it did not.
    uint64_t reserved[32];        ///< Zeros.
};

/// Chooses a path, kernels and sizes. Takes some microseconds and reads no memory but the problem. If it fails, the
/// plan holds the status and the reason, and every function that is given it returns KAI_GEMM_NO_PLAN.
enum kai_gemm_status kai_conv_make_plan(const struct kai_conv_problem* problem, struct kai_conv_plan* plan);
/// Which path and kernels, and why not the others; or why there is no plan. Text and result: as kai_gemm_explain.
size_t kai_conv_explain(const struct kai_conv_plan* plan, char* text, size_t size);

/// @name Packing weights
/// `weights`: b, in the layout of the problem; bias; STATIC: scale, f32 [out_channels]. The other members are zeros.
/// `workspace`: plan->pack_workspace_size bytes aligned to 64, or NULL if that is 0. After packing, the source can be
/// freed.
/// @{
enum kai_gemm_status kai_conv_pack(
    const struct kai_conv_plan* plan, const struct kai_gemm_weights* weights, void* packed, size_t packed_size,
    void* workspace, size_t workspace_size);
/// One of plan->pack_units parts, in any order, on any thread; each thread needs a workspace of its own.
enum kai_gemm_status kai_conv_pack_unit(
    const struct kai_conv_plan* plan, const struct kai_gemm_weights* weights, void* packed, size_t packed_size,
    void* workspace, size_t workspace_size, size_t unit);
/// The first thing that is wrong with these arguments of kai_conv_pack, or that nothing is. Text and result: as
/// kai_gemm_explain.
size_t kai_conv_explain_pack(
    const struct kai_conv_plan* plan, const struct kai_gemm_weights* weights, const void* packed, size_t packed_size,
    const void* workspace, size_t workspace_size, char* text, size_t size);
/// @}

struct kai_conv_operands {
    const void* in;      ///< batch x height x width x in_channels
    const void* packed;  ///< What kai_conv_pack wrote.
    void* out;           ///< batch x plan.out_height x plan.out_width x out_channels. Must not overlap `in`.
    /// If problem.epilogue: alpha, beta (a residual, which `out` holds before the run), bounds, activation,
    /// column_scale and column_shift of all channels. NULL: bounds of the problem. Rows have none.
    const struct kai_gemm_epilogue* epilogue;
    const struct kai_matmul_lowp_params* lowp;  ///< LOWP: offsets, bias, multipliers, bounds; of all channels.
    uint64_t reserved[8];                       ///< Zeros, else RESERVED.
};

/// `workspace`: plan->workspace_size bytes aligned to 64, or NULL if that is 0; its contents do not matter. A run of a
/// problem without images does nothing: its operands and its workspace are not looked at.
enum kai_gemm_status kai_conv_run(
    const struct kai_conv_plan* plan, const struct kai_conv_operands* operands, void* workspace, size_t workspace_size,
    kai_gemm_parallel_for* parallel_for, void* pool);
/// The first thing that is wrong with these arguments of kai_conv_run or kai_conv_begin, or that nothing is. Text and
/// result: as kai_gemm_explain.
size_t kai_conv_explain_run(
    const struct kai_conv_plan* plan, const struct kai_conv_operands* operands, const void* workspace,
    size_t workspace_size, char* text, size_t size);

/// @name For callers with a scheduler of their own
/// @{
/// A run in progress. It keeps the pointers that kai_conv_begin was given.
struct kai_conv_work {
    const struct kai_conv_plan* plan;
    const struct kai_conv_operands* operands;
    void* workspace;
    size_t phases;         ///< Phase p + 1 may start when all units of phase p are done.
    size_t units[2];       ///< Of each phase: any thread, any order.
    uint64_t reserved[8];  ///< Zeros.
};
/// Checks the operands and divides the work. Writes only the start of the workspace.
enum kai_gemm_status kai_conv_begin(
    const struct kai_conv_plan* plan, const struct kai_conv_operands* operands, void* workspace, size_t workspace_size,
    struct kai_conv_work* work);
/// Does unit `unit` of phase `phase`: each exactly once. If plan->workers units are running already, it busy-waits
/// until one of them is done.
enum kai_gemm_status kai_conv_run_unit(const struct kai_conv_work* work, size_t phase, size_t unit);
/// @}

KAI_END_DECLARATIONS
