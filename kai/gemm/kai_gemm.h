// A whole matrix multiplication on top of the micro-kernels: describe it, plan it, pack the weights, run.
//
//     C[i] = clamp(alpha * op(A[i]) * op(B[i]) + bias + beta * C[i])          i < batch
//
//     struct kai_gemm_problem problem = kai_gemm_problem_of(m, n, k);           // f32, one matrix, alpha 1, beta 0
//     problem.b_kind = KAI_GEMM_INT4_BLOCK, problem.bl = 32, problem.b_constant = true, problem.b_transposed = true;
//     problem.units = threads;
//     struct kai_gemm_plan plan;
//     if (kai_gemm_make_plan(&problem, &plan) != KAI_GEMM_OK) ...
//
//     struct kai_gemm_weights weights = {0};
//     weights.b = nibbles, weights.scale = scales, weights.bias = bias;
//     void* packed = aligned_alloc(64, plan.packed_b_size);                     // once
//     kai_gemm_pack_b(&plan, 0, &weights, packed, plan.packed_b_size, NULL, 0, parallel_for, pool);
//
//     struct kai_gemm_operands x = {0};                                         // every inference
//     x.m = rows, x.a.data = activations, x.b.data = packed, x.c.data = results;
//     kai_gemm_run(&plan, &x, workspace, plan.workspace_size, parallel_for, pool);
//
// The caller owns all memory and all threads. No function allocates, keeps state, prints or aborts. A function that
// can fail returns a status; if it fails, it has written nothing (kai_gemm_make_plan: a plan that says why). What was
// wrong, with names and numbers: kai_gemm_explain, kai_gemm_explain_pack_b, kai_gemm_explain_run. A plan is a plain
// structure without pointers to itself: copy it, share it between threads, run it from any number of threads at once,
// each with its own workspace.
// The bits of C depend on the kernels that the plan chooses, but not on the number of threads, the order of the units
// or the position in the batch.
//
// No operand needs any alignment, not even that of its elements, unless its type in C does (size_t, int32_t, float);
// the workspaces are aligned to 64 bytes.
//
// Integers and integer sums, rounding: docs/arithmetic.md. Which kernel and why: kai_gemm_explain.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_gguf.h"
#include "kai/kai_registry.h"

KAI_BEGIN_DECLARATIONS

enum kai_gemm_status {
    KAI_GEMM_OK,
    KAI_GEMM_NULL_POINTER,    ///< A pointer is NULL where data is needed.
    KAI_GEMM_BAD_STRIDE,      ///< A stride is shorter than a row, or rows of C overlap.
    KAI_GEMM_OVERFLOW,        ///< The size of an operand overflows size_t.
    KAI_GEMM_BAD_VALUE,       ///< An enumerator, clamp bound, block length or index out of its range.
    KAI_GEMM_TOO_MANY_ROWS,   ///< A run has more rows than the plan was made for.
    KAI_GEMM_TOO_SMALL,       ///< A buffer is smaller than the plan says.
    KAI_GEMM_MISALIGNED,      ///< The workspace is not aligned to 64 bytes.
    KAI_GEMM_UNSUPPORTED,     ///< No kernel in this build computes this, not even a portable one: use your own code.
    KAI_GEMM_UNKNOWN_NAME,    ///< `pin` names no micro-kernel of this build.
    KAI_GEMM_WRONG_KERNEL,    ///< `pin` names a micro-kernel that does not compute this problem.
    KAI_GEMM_CPU_LACKS,       ///< This CPU cannot run the pinned kernel, or any that reads the requested format.
    KAI_GEMM_UNKNOWN_FORMAT,  ///< No kernel in this build reads the requested format.
    KAI_GEMM_NO_UNIT,         ///< There is no such phase or unit.
    /// Members contradict each other, or one is missing: for example, this kind of B needs b_transposed or b_constant.
    /// A mistake of the caller, unlike KAI_GEMM_UNSUPPORTED.
    KAI_GEMM_BAD_COMBINATION,
    KAI_GEMM_NO_PLAN,  ///< kai_gemm_make_plan did not make this plan, or failed.
    KAI_GEMM_BUSY,     ///< kai_gemm_try_unit: as many units run as the plan has workers. Nothing is done: try again.
    KAI_GEMM_WRONG_PACKING,    ///< B is not packed, or was packed for another format, shape, kind or bias.
    KAI_GEMM_UNUSED_BIAS,      ///< A bias is given, but problem.bias is false.
    KAI_GEMM_VECTORS_CHANGED,  ///< On this thread, vectors of SVE or SME are not as long as in the plan.
    /// Reserved room of a structure is not zero: it is not initialised, or a program that was built with a newer header
    /// asks for something that this library does not have.
    KAI_GEMM_RESERVED,
    KAI_GEMM_STATUS_COUNT
};

/// A sentence that says what is wrong. Never NULL.
const char* kai_gemm_status_text(enum kai_gemm_status status);

/// Elements and scales of B. INT4_BLOCK_F16, INT8_BLOCK_F16 and their GGUF types: each block of a row of A gets an f16
/// scale, the largest magnitude / 127. If that magnitude is above 8.31e6, results are infinite; below 7.8e-3 the scale
/// loses bits, and below 3.8e-6 the block counts as zeros (docs/quantising.md). To avoid this, scale A and let alpha
/// undo it, or take one of the other kinds: they have f32 scales for rows of A.
///
/// A is floating point, quantised at run time if B is quantised.
///
/// The STATIC kinds: A and C are int8, all scales are known in advance. B has an f32 scale per column and an int32
/// bias, alpha is 1, beta 0:
///
///     C = clamp(round(f32(sum over k of (A - a_zero_point) * B + bias) * (scale * multiplier)) + c_zero_point)
///
/// to c_min and c_max, rounded to nearest, ties to even (docs/arithmetic.md).
enum kai_gemm_kind {
    KAI_GEMM_DENSE,         ///< f32, f16 or bf16: b_type. K x N, or N x K if b_transposed.
    KAI_GEMM_INT8_CHANNEL,  ///< int8, f32 scale per column. K x N or N x K.
    /// Two nibbles a byte: neighbours in the row, the even one low. f32 scale per column. K x N or N x K.
    KAI_GEMM_INT4_CHANNEL,
    /// Four values a byte: neighbours, the first one lowest. A table of four weights; f32 scale per column. N x K.
    KAI_GEMM_INT2_CHANNEL,
    /// Nibbles q, neighbours in the row, the even one low; bf16 scale per block of k: scale * (q - 8). K x N or N x K.
    KAI_GEMM_INT4_BLOCK,
    /// Records of an f16 scale and a block of nibbles q, scale * (q - 8): byte j has values j (low) and j + bl / 2
    /// (high) of its block, not neighbours. Q4_0 if bl is 32. N x K.
    KAI_GEMM_INT4_BLOCK_F16,
    /// Nibbles q, neighbours in the row, the even one high; f32 scale and f32 zero per block: scale * (q - 8) + zero.
    /// N x K.
    KAI_GEMM_INT4_BLOCK_ZERO,
    KAI_GEMM_INT8_STATIC,     ///< int8. K x N.
    KAI_GEMM_INT8_BLOCK_F16,  ///< Records of an f16 scale and a block of int8 (Q8_0 for 32). N x K.
    KAI_GEMM_UINT8_LOWP,      ///< uint8 as A and C: gemmlowp (kai_lowp.h). Constant, or N x K. alpha 1, beta 0.
    /// The same with int8: TensorFlow Lite. Both kinds: C may be the int32 sums, as of ONNX MatMulInteger
    /// (kai_gemm_operands.offsets), or floats made of them, rounded to f32 first: alpha * sum + beta * C, or an
    /// epilogue, whose column_scale has the scales of B (docs/epilogues.md). Then A is int8 or uint8, whatever B is,
    /// and B may always be K x N.
    KAI_GEMM_INT8_LOWP,
    KAI_GEMM_GGUF,  ///< Rows of a GGUF file: gguf_type. N x K.
    /// Four codes a byte: neighbours in the row, the first one in the lowest bits; weight = code - 2: -2, -1, 0 or 1.
    /// K x N or N x K; rows of whole bytes, any k and n.
    KAI_GEMM_INT2_STATIC,
    /// Records as of INT4_BLOCK_F16, bl 32, scale * table[q]: kai_gemm_weights.table (docs/gguf-kernels.md). N x K.
    KAI_GEMM_INT4_TABLE,
    /// Nibbles q, neighbours in the row, the even one low; a scale (b_type) and a zero point of 4 bits per block:
    /// scale * (q - zero point). bl is 16 or a multiple of 32. MatMulNBits of ONNX Runtime, bits = 4. Packed as
    /// INT4_BLOCK_ZERO, whose tag and packed files it shares; with bl 16 as floats. N x K.
    KAI_GEMM_UINT4_BLOCK,
    /// Nibbles q, neighbours in the row, the even one high; a scale (b_type) per block: scale * float_table[q]. bl is a
    /// multiple of 16. NF4 and FP4 of bitsandbytes. Packed as floats: as DENSE of f32, whose tag and packed files it
    /// shares. N x K.
    KAI_GEMM_FLOAT_TABLE,
    /// Codes of 8-bit floating point, a byte each (OCP OFP8: E4M3 or E5M2); a scale (b_type, also uint8: E8M0, which is
    /// 2^(x - 127)) per block of k and per `scale_columns` columns. bl = k: a scale per column. A is rounded to bf16.
    /// K x N or N x K.
    KAI_GEMM_F8E4M3_BLOCK,
    KAI_GEMM_F8E5M2_BLOCK,
    KAI_GEMM_KIND_COUNT
};

/// A function of one result, in f32: docs/epilogues.md has formulas and errors.
enum kai_gemm_activation {
    KAI_GEMM_NO_ACTIVATION,
    KAI_GEMM_RELU,
    KAI_GEMM_GELU_TANH,  ///< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
    KAI_GEMM_GELU_ERF,   ///< x / 2 * (1 + erf(x / sqrt(2)))
    KAI_GEMM_SILU,       ///< x / (1 + e^-x)
    KAI_GEMM_TANH,
    KAI_GEMM_SIGMOID,  ///< 1 / (1 + e^-x)
    KAI_GEMM_ACTIVATION_COUNT
};

/// What a run does with the sums of products before they are rounded to the type of C, all in f32:
///
///     x = (alpha * product + bias) * column_scale[j] + column_shift[j]
///     x = activation(x * row_scale[i] + row_shift[i])
///     C = clamp(x + beta * C)                                          i: row of C, j: column
///
/// C int8 or uint8, where problem.epilogue is not 0 (beta 0, not with `scatters`): the bounds are those of x, and then
///
///     C = saturate(round(x * c_multiplier) + c_zero_point)             to nearest, ties to even; NaN: the lowest value
///
/// With problem.gated, x is multiplied by (alpha * product + bias) of the second matrix B of the pair, and `scatters`
/// multiplies it by the weight of the row, before C is added. Initialise with kai_gemm_epilogue_of.
struct kai_gemm_epilogue {
    float alpha, beta;  ///< alpha 0 still multiplies: NaN and infinities of A and B reach C.
    float clamp_min, clamp_max;
    enum kai_gemm_activation activation;
    const float *column_scale, *column_shift;  ///< [n], or NULL: 1 and 0.
    const float *row_scale, *row_shift;  ///< One for each row of the products (`groups`: of all), or NULL: 1 and 0.
    /// C int8 or uint8, otherwise zeros: 1 / scale of C, above 0 (kai_gemm_epilogue_of: 1), and its zero point.
    float c_multiplier;
    int32_t c_zero_point;
    const float* c_multipliers;  ///< In place of c_multiplier: one for each row, as row_scale; or NULL.
    uint64_t reserved[7];        ///< Zeros, else RESERVED.
};

/// How B is packed: what a micro-kernel and a packer must agree on (docs/formats.md).
struct kai_gemm_format {
    const char* name;   ///< rhs_format of the micro-kernel; NULL: B is not packed.
    size_t nr, kr, sr;  ///< Columns of a panel, and the kernel's kr and sr.
};

/// Cores of a class that workers without an SME unit run on.
struct kai_gemm_core_rate {
    size_t count;
    double speed;  ///< Of the fastest class: 1.
};

/// How fast workers are, as a plan assumes it whose workers have SME units and NEON: measured by kai.sh bench --rates.
/// They decide how work is divided, with problem.divides_columns also the bits. 0: not known.
struct kai_gemm_rates {
    /// The speed of a worker with an SME unit, if that of one without, on the fastest cores, is 1: for several rows,
    /// and for one row, where the bytes of B count that it loads in a second. Not known: those of kai/gemm/rates.def.
    /// sme_row at most 1: workers with an SME unit multiply one row without it, too.
    double sme, sme_row;
    /// Classes of cores, the fastest first. Not known: all are alike.
    struct kai_gemm_core_rate cores[3];
};

/// Initialise with kai_gemm_problem_of, then change members.
struct kai_gemm_problem {
    /// @name Shape
    /// @{
    size_t m;  ///< The largest number of rows of a run; with `groups`, of all groups together.
    size_t n, k;
    size_t batch;  ///< Number of matrices C. They share their shape, except for m with `groups`.
    bool groups;   ///< Each matrix has its own number of rows (kai_gemm_operands.rows): mixture of experts.
    /// Groups: row i of the products is multiplied by c_weights[i] and added to row c_rows[i] of C; several may go
    /// to one row (kai_gemm_operands): C[r] = clamp(sum of c_weights[i] * (alpha * A[i] * B + bias) + beta * C[r]), i
    /// ascending, over all i with c_rows[i] = r. Each sum is rounded to the type of C. beta is 0 or 1. Not for
    /// STATIC, and for LOWP with float C only.
    bool scatters;
    /// f32, f16, bf16; STATIC, INT8_LOWP: int8; UINT8_LOWP: uint8; C of both LOWP kinds may be int32 or floats. With
    /// `epilogue`, C of the other kinds may be int8 or uint8 (kai_gemm_epilogue).
    enum kai_datatype a_type, c_type;
    bool a_transposed;  ///< A is K x M.
    /// @}

    /// @name B
    /// @{
    enum kai_gemm_kind b_kind;
    /// Of DENSE, and of the scales of UINT4_BLOCK, FLOAT_TABLE and F8*_BLOCK: f32, f16 or bf16. F8*_BLOCK: uint8, too.
    enum kai_datatype b_type;
    /// Of GGUF; k is a multiple of its block. F32, F16 and BF16 become DENSE. Types that no micro-kernel reads packed
    /// (docs/gguf.md) are dequantised while they are packed, to f32, or to what allow_bf16 and allow_f16 permit.
    enum kai_gguf_type_id gguf_type;
    bool b_transposed;  ///< B is N x K.
    /// Packed once by kai_gemm_pack_b. Otherwise B is DENSE, LOWP (N x K; of int32 sums K x N, too) or GGUF, and every
    /// run reads it: in place if a kernel can and rows are few, else it is packed into the workspace
    /// (kai_gemm_explain).
    bool b_constant;
    bool b_per_matrix;  ///< Every matrix of the batch has its own B.
    size_t bl;          ///< Length of a block of k. Block kinds only; the plan sets that of GGUF.
    bool bias;          ///< There is a bias: n values of f32 (STATIC: int32), part of the weights. Not LOWP.
    /// @}

    /// @name Result
    /// @{
    float alpha, beta;           ///< beta 0: C is not read. alpha 0: A and B are not read.
    float clamp_min, clamp_max;  ///< -INFINITY, INFINITY: none. NaN stays NaN.
    /// STATIC: zero points of A and C, bounds of C (int8), and scale of A / scale of C.
    int32_t a_zero_point, c_zero_point, c_min, c_max;
    float multiplier;
    /// @}

    /// @name Choice
    /// @{
    /// DENSE, where it is faster: allow_bf16 permits rounding f32 and f16 operands to bf16 (8 significant bits, f16 has
    /// 11; sums stay f32), allow_f16 rounding f32 operands, sums and results to f16. With f16 operands, too, sums are
    /// f16 only if it is set: on NEON twice as fast, but they lose digits with k and overflow (docs/arithmetic.md).
    /// Otherwise sums are f32, and stay f32 until the last step if they are scaled or added to anything.
    bool allow_bf16, allow_f16;
    /// Threads that work at the same time, at least 1. Affects the tiles and the workspace, and the bits only with
    /// divides_columns. More threads do no harm: kai_gemm_run has no work for them. See also kai_gemm_run_unit and
    /// kai_gemm_try_unit.
    size_t units;
    /// How many of them can run SME at the same time, since cores share SME units: SME kernels run on this many
    /// threads, the others run NEON kernels for the same packed B, if there are any. 0: no SME, which is faster where
    /// there are none and an SME unit is shared by many cores (docs/performance/gemm.md).
    size_t sme_units;
    size_t l1_bytes, l2_bytes;  ///< Caches of a core.
    /// The name of a micro-kernel that must be used for all rows; NULL: the best. Read while planning only.
    const char* pin;
    /// The format in which B is packed already (kai_gemm_file.h); NULL: the best. Read while planning only.
    const struct kai_gemm_format* format;
    bool untagged;  ///< Packed matrices B do not end with a tag: those of files of version 1 (docs/file.md).
    /// The class of the cores that run it, where kernels differ; KAI_CORE_AUTO: the fastest of this machine. The plan
    /// has the class. Results are right on any core.
    enum kai_cpu_core core;
    /// @}

    /// @name Epilogue
    /// @{
    /// Not 0: runs may have an epilogue (kai_gemm_operands.epilogue), another one each. Not for STATIC, and for LOWP
    /// with float C only.
    uint64_t epilogue;
    /// Not 0: there are pairs of matrices B, 2 * i and 2 * i + 1 for matrix i of the batch (0 and 1 without
    /// b_per_matrix), and their two products, of one pass over A, become one C (kai_gemm_epilogue): SwiGLU and GeGLU.
    /// Both have a bias, or none. Needs b_constant and epilogue. Not for LOWP.
    uint64_t gated;
    /// @}

    /// Not 0: C is N x M; its `ld` is from column n of the product to n + 1 (with `groups`: all rows of all groups lie
    /// in one matrix). Not with `scatters`, not for integer C of STATIC and LOWP.
    uint64_t c_transposed;

    /// @name Workers with SME and workers beside them
    /// @{
    struct kai_gemm_rates rates;
    /// Not 0: where the kernels beside SME have other bits than those with it, each has columns of its own, by the
    /// rates; then all `units` work. The bits depend on rates, units and sme_units. 0: only workers with SME work then.
    uint64_t divides_columns;
    /// @}

    /// F8*_BLOCK: how many columns have the same scales, 128 where a scale is of 128 x 128 weights. 0: 1.
    uint64_t scale_columns;

    /// F8*_BLOCK: not 0 permits rounding A to E4M3, block by block with a scale (4 significant bits instead of the 8 of
    /// bf16), where that is faster: on CPUs with FEAT_FP8DOT4 or FEAT_F8F32MM, for many rows also on those with
    /// FEAT_SME_F8F32.
    uint64_t allow_f8;

    uint64_t reserved[18];  ///< Zeros, else RESERVED: room for members of later versions (docs/versioning.md).
};

/// f32 A, B and C, not transposed, one matrix, alpha 1, beta 0, no bounds, one unit, one SME unit, caches of 64 KB and
/// 1 MB.
struct kai_gemm_problem kai_gemm_problem_of(size_t m, size_t n, size_t k);

/// The epilogue of runs without one: alpha, beta and bounds of the problem (NULL: of kai_gemm_problem_of), no
/// activation.
struct kai_gemm_epilogue kai_gemm_epilogue_of(const struct kai_gemm_problem* problem);

/// A micro-kernel and how its LHS is made.
struct kai_gemm_kernel {
    const struct kai_ukernel* ukernel;    ///< NULL: nothing is multiplied (k = 0, alpha = 0, or an empty problem).
    const struct kai_packer* lhs_packer;  ///< NULL: rows are read in place.
    bool copies_rows;                     ///< Rows are first converted, transposed or gathered into the workspace.
};

/// Where things are in the workspace, in bytes.
struct kai_gemm_layout {
    size_t lhs_states;   ///< A word per matrix: whether its LHS is packed.
    size_t slots_taken;  ///< A word per slot.
    size_t lhs;          ///< Packed or copied rows.
    size_t lhs_stride;   ///< From one matrix to the next; without groups.
    size_t b;            ///< B that is packed at every run.
    size_t slots;        ///< What a unit needs for itself: one slot per worker.
    size_t slot_size;
    size_t copied;    ///< In a slot: rows or columns that are being copied.
    size_t few_rows;  ///< In a slot: the packed LHS of up to few_rows_max rows.
    size_t tile;      ///< In a slot: a tile of the product.
    size_t few_rows_max;
    size_t tile_rows, tile_columns;
};

/// Members may be read, but only kai_gemm_make_plan may change them.
struct kai_gemm_plan {
    struct kai_gemm_problem problem;
    struct kai_gemm_kernel gemm, gemv;  ///< For many rows, for one. If both read B packed, it is one format.
    /// NULL: B is read in place. If GGUF weights are not constant, it may be for `gemm` only.
    const struct kai_packer* rhs_packer;
    bool copies_columns;  ///< B is first converted or transposed, part by part.
    bool bias_apart;      ///< The packed format has no place for the bias: it is appended.
    bool direct;          ///< Kernels store straight into C. Otherwise tiles go through the workspace.
    struct kai_gemm_format format;
    size_t panels_size;  ///< Bytes of one packed matrix B without the bias that is appended.
    /// Bytes from one packed matrix B to the next. A multiple of 64. The last 64 of a matrix that is constant are a
    /// tag, which says what is packed; runs compare it.
    size_t packed_b_stride;
    size_t packed_b_size;        ///< Bytes of all packed matrices B, a multiple of 64. 0 if they are not constant.
    size_t pack_units;           ///< Units of kai_gemm_pack_b_unit, per matrix.
    size_t pack_workspace_size;  ///< Exact, in bytes. 0 unless copies_columns.
    size_t workspace_size;       ///< Exact, in bytes, for runs of up to problem.m rows.
    /// How many units may run at once: problem.units, with SME at most sme_units, unless there are kernels beside it.
    size_t workers;
    /// Vector lengths in bytes that sizes of kernels and packed B depend on; 0: they do not. Packing and runs refuse
    /// others (VECTORS_CHANGED): Linux lets threads change theirs, with prctl.
    size_t sve_bytes, sme_bytes;
    uint64_t without;  ///< CPU features that were not to be used: bits 1 << enum kai_cpu_feature.
    struct kai_gemm_layout layout;
    enum kai_gemm_status status;  ///< What kai_gemm_make_plan returned. Unless it is KAI_GEMM_OK, nothing runs.
    char reason[224];             ///< Why it failed, a sentence; empty if it did not.
    /// Up to so many rows, a matrix is one unit: it is not worth dividing. A run of one unit is the quickest to begin.
    size_t whole_rows;
    uint64_t tag[8];  ///< With which packed matrices B end; INT2_CHANNEL: with the default table.
    /// For workers without an SME unit, beside `gemm` and `gemv` with it: they read the same packed B and give the same
    /// bits, so a unit of work is for any worker. Without a micro-kernel: all workers are alike.
    struct kai_gemm_kernel gemm_beside, gemv_beside;
    size_t sme_workers;                    ///< How many workers have an SME unit.
    size_t lhs_beside, lhs_beside_stride;  ///< In the workspace: rows as gemm_beside reads them; as lhs, lhs_stride.
    /// Not 0: gemm (gemv) computes only so many columns, the first ones, and gemm_beside (gemv_beside) the others,
    /// whose bits are not those of gemm (divides_columns). Runs of up to whole_rows: gemm (gemv) computes all.
    size_t gemm_columns, gemv_columns;
    /// What workers without an SME unit pack rows for `gemm` with, the same bytes as its packer; NULL: its packer.
    const struct kai_packer* lhs_packer_beside;
    uint64_t reserved[43];  ///< Zeros.
};

/// Chooses kernels, packers and sizes. Takes about a microsecond and reads no memory but the problem. If it fails, the
/// plan holds the status and the reason, and every function that is given it returns KAI_GEMM_NO_PLAN.
enum kai_gemm_status kai_gemm_make_plan(const struct kai_gemm_problem* problem, struct kai_gemm_plan* plan);

/// Why these kernels and not the others, and which tiles: a few lines of text, cut off at `size` bytes, terminated.
/// Of a plan that failed: why, `no plan: k = 250 is not a multiple of bl = 32`. Returns the length of the whole text.
size_t kai_gemm_explain(const struct kai_gemm_plan* plan, char* text, size_t size);

/// @name Threads
/// @{
/// One unit of work.
typedef void kai_gemm_task(void* task_context, size_t i);
/// Calls task(task_context, i) once for every i < count, on any threads in any order, and returns when all are done:
/// MlasTrySimpleParallel, pthreadpool_parallelize_1d, an OpenMP loop, tbb::parallel_for, dispatch_apply. NULL stands
/// for a loop on this thread.
typedef void kai_gemm_parallel_for(void* pool, size_t count, kai_gemm_task* task, void* task_context);
/// @}

/// One matrix B, not packed. Strides in bytes; 0: no gaps.
struct kai_gemm_weights {
    const void* b;
    /// From one row of B (of n values, or of k if transposed) to the next. There must be no gaps (0, or a row's length)
    /// for INT2_CHANNEL, INT4_BLOCK_F16, INT4_BLOCK_ZERO, INT8_BLOCK_F16, and, if transposed, for INT8_CHANNEL and
    /// INT4_CHANNEL: their packers take whole matrices. (For rows of Q4_0 and Q8_0 with gaps, use the kind GGUF.)
    size_t ldb;
    /// Channel and STATIC kinds: f32 [n]. INT4_BLOCK: bf16 [n][k / bl]. INT4_BLOCK_ZERO: f32 [n][k / bl]. UINT4_BLOCK,
    /// FLOAT_TABLE: b_type [n][k / bl]. F8*_BLOCK: b_type [n / scale_columns, rounded up][k / bl].
    const void* scale;
    size_t scale_stride;  ///< INT4_BLOCK: from one column's scales to the next.
    const float* zero;    ///< INT4_BLOCK_ZERO: [n][k / bl], added to the weights after the scale.
    uint8_t zero_point;   ///< INT4_CHANNEL: 8, or 0 for nibbles in two's complement.
    const int32_t* lut;   ///< INT2_CHANNEL: four weights; NULL: {-2, -1, 0, 1}. The run needs it too.
    const void* bias;     ///< [n]; NULL unless problem.bias (UNUSED_BIAS).
    const int8_t* table;  ///< INT4_TABLE: the 16 values of q. Copied: a run does not need it.
    /// UINT4_BLOCK: [n][k / bl] nibbles, the even one low, each column in whole bytes; NULL: 8, for all blocks.
    const void* zero_points;
    const float* float_table;  ///< FLOAT_TABLE: 16 values. Not read after packing.
    uint64_t reserved[5];      ///< Zeros, else RESERVED.
};

/// @name Packing constant weights
/// Packs matrix number `matrix` to its place in `packed`, the buffer of all matrices (plan->packed_b_size bytes).
/// `workspace`: plan->pack_workspace_size bytes aligned to 64, or NULL if that is 0. B is read once, from the first
/// column to the last by each unit, and may be a mapped file. Unit 0 writes the tag: a run refuses (WRONG_PACKING) what
/// was not packed, or by a plan for another format, shape, kind or bias, but cannot know whether all units packed.
/// @{
enum kai_gemm_status kai_gemm_pack_b(
    const struct kai_gemm_plan* plan, size_t matrix, const struct kai_gemm_weights* weights, void* packed,
    size_t packed_size, void* workspace, size_t workspace_size, kai_gemm_parallel_for* parallel_for, void* pool);
/// One of plan->pack_units parts, in any order, on any thread.
enum kai_gemm_status kai_gemm_pack_b_unit(
    const struct kai_gemm_plan* plan, size_t matrix, const struct kai_gemm_weights* weights, void* packed,
    size_t packed_size, void* workspace, size_t workspace_size, size_t unit);
/// The first thing that is wrong with these arguments of kai_gemm_pack_b, in a sentence: `packed: 640 of 1280 bytes`;
/// or that nothing is. Text and result: as kai_gemm_explain.
size_t kai_gemm_explain_pack_b(
    const struct kai_gemm_plan* plan, size_t matrix, const struct kai_gemm_weights* weights, const void* packed,
    size_t packed_size, const void* workspace, size_t workspace_size, char* text, size_t size);
/// @}

/// The matrices of one side: at data + i * stride bytes, or, if `table` is not NULL, at table[i].
struct kai_gemm_source {
    const void* data;
    size_t ld;      ///< Bytes from one row, as stored, to the next; 0: no gaps.
    size_t stride;  ///< Bytes from one matrix to the next; 0: no gaps.
    const void* const* table;
    uint64_t reserved[2];  ///< Zeros, else RESERVED.
};
struct kai_gemm_result {
    void* data;
    size_t ld, stride;
    void* const* table;
    uint64_t reserved[2];  ///< Zeros, else RESERVED.
};

struct kai_gemm_operands {
    size_t m;                  ///< Rows of each matrix in this run, at most problem.m. With `groups`: ignored.
    struct kai_gemm_source a;  ///< With `groups`: one matrix, whose rows belong to the groups one after the other.
    struct kai_gemm_source b;  ///< Constant: packed; ld and stride are ignored, `table` counts. Else not packed.
    struct kai_gemm_result c;  ///< With `groups`: one matrix, rows in the order of the groups.
    const void* bias;    ///< B that is not constant: [n], shared by the batch. NULL unless problem.bias (UNUSED_BIAS).
    const int32_t* lut;  ///< INT2_CHANNEL, as packed.
    const struct kai_matmul_lowp_params* lowp;  ///< LOWP: offsets, bias, multipliers, bounds; of all n columns.
    const size_t* rows;                         ///< Groups: rows of each; their sum is at most problem.m.
    const size_t* a_rows;  ///< Groups: row of A for each row of C, below a_row_count; NULL: the same row.
    size_t a_row_count;
    /// `scatters`: row of C for each row of the products, below c_row_count. Rows of C that are not listed stay as they
    /// are.
    const size_t* c_rows;
    size_t c_row_count;                        ///< Rows of C.
    const float* c_weights;                    ///< `scatters`: a factor for each row of the products; NULL: 1.
    const struct kai_gemm_epilogue* epilogue;  ///< If problem.epilogue is not 0. NULL: alpha, beta and bounds of it.
    /// LOWP with int32 or float C, in place of `lowp`; NULL: no offsets, no bias. Of rows: those of all matrices or
    /// groups, one after the other; of columns and the bias: n values, shared by the batch.
    const struct kai_matmul_offsets* offsets;
    uint64_t reserved[14];  ///< Zeros, else RESERVED.
};

/// Computes C. `workspace`: plan->workspace_size bytes aligned to 64, or NULL if that is 0; its contents do not matter.
/// A and C must not overlap. A run without rows or of a problem without columns or matrices does nothing and needs
/// nothing: its operands and its workspace are not looked at.
enum kai_gemm_status kai_gemm_run(
    const struct kai_gemm_plan* plan, const struct kai_gemm_operands* operands, void* workspace, size_t workspace_size,
    kai_gemm_parallel_for* parallel_for, void* pool);

/// The first thing that is wrong with these arguments of kai_gemm_run or kai_gemm_begin, in a sentence: `workspace:
/// 1048512 of 1048576 bytes`; or what the run would do. Text and result: as kai_gemm_explain.
size_t kai_gemm_explain_run(
    const struct kai_gemm_plan* plan, const struct kai_gemm_operands* operands, const void* workspace,
    size_t workspace_size, char* text, size_t size);

/// @name For callers with a scheduler of their own
/// @{
/// A run in progress. It keeps the pointers that kai_gemm_begin was given.
struct kai_gemm_work {
    const struct kai_gemm_plan* plan;
    const struct kai_gemm_operands* operands;
    void* workspace;
    const struct kai_gemm_kernel* kernel;
    size_t rows;               ///< The largest number of rows of a matrix.
    size_t m_tile, n_tile;     ///< Rows and columns of a unit of the last phase: multiples of the steps, or all.
    bool m_first;              ///< Consecutive units share columns, else rows.
    bool packs_lhs_on_demand;  ///< Few rows: no phase for the LHS. The first unit to come packs it.
    bool shares_rows;          ///< No group has more than one row, and A has fewer rows: each is packed once for all.
    size_t phases;             ///< Phase p + 1 may start when all units of phase p are done: one barrier each.
    size_t units[2];           ///< Of each phase: any thread, any order.
    size_t lhs_units;          ///< How many of the first phase pack the LHS.
    const struct kai_gemm_work* lhs_work;  ///< Whose packed LHS is read (kai_gemm_product); NULL: its own.
    uint64_t single;                       ///< Not 0: the run is one unit, of which nobody else needs anything.
    size_t lhs_beside_units;               ///< After lhs_units: how many pack rows for plan->gemm_beside.
    /// Columns are divided (kai_gemm_plan.gemm_columns): how many units of the last phase, the first ones, are for
    /// workers with SME; the tiles of the others. 0: they are not divided.
    size_t sme_units;
    size_t m_tile_beside, n_tile_beside;
    uint64_t m_first_beside;
    uint64_t reserved[9];  ///< Zeros.
};
/// Checks the operands and divides the work. Writes only the start of the workspace.
enum kai_gemm_status kai_gemm_begin(
    const struct kai_gemm_plan* plan, const struct kai_gemm_operands* operands, void* workspace, size_t workspace_size,
    struct kai_gemm_work* work);
/// Does unit `unit` of phase `phase`: each exactly once. The bits are those of kai_gemm_run. If plan->workers units are
/// running already, it busy-waits until one of them is done.
enum kai_gemm_status kai_gemm_run_unit(const struct kai_gemm_work* work, size_t phase, size_t unit);
/// The same without waiting: KAI_GEMM_BUSY means that the unit is not done. Do something else and try it again.
enum kai_gemm_status kai_gemm_try_unit(const struct kai_gemm_work* work, size_t phase, size_t unit);
/// @}

/// @name Several products as one run
/// Products that do not depend on each other: of one A with several B (Q, K and V; gate and up), of any shapes and
/// kinds. There is no barrier between them. Where products have the same rows of A (operands.m, a and, with groups,
/// rows, a_rows and a_row_count) and their kernels read these packed alike, the first product packs them for all.
/// The bits are those of single runs.
/// @{
struct kai_gemm_product {
    const struct kai_gemm_plan* plan;
    const struct kai_gemm_operands* operands;
    void* workspace;  ///< As for kai_gemm_run. Workspaces must not overlap; no C may overlap an operand or another C.
    size_t workspace_size;
    /// The run in progress: no input. It points to those of other products, so they stay where they are.
    struct kai_gemm_work work;
    size_t parts, next;    ///< The same: parts of a phase, the next one to be taken.
    uint64_t reserved[4];  ///< Zeros, else RESERVED.
};
enum kai_gemm_status kai_gemm_run_products(
    struct kai_gemm_product* products, size_t count, kai_gemm_parallel_for* parallel_for, void* pool);
/// The first thing that is wrong with these arguments, in a sentence; or what each product would do, and which product
/// packs its rows. Text and result: as kai_gemm_explain.
size_t kai_gemm_explain_products(const struct kai_gemm_product* products, size_t count, char* text, size_t size);
/// For callers with a scheduler of their own: sets `work` of each, whose units kai_gemm_run_unit then does. The last
/// phase of any product may start when all units of the first phase of all products with two phases are done. A unit
/// may wait until another thread has packed the rows that both read.
enum kai_gemm_status kai_gemm_begin_products(struct kai_gemm_product* products, size_t count);
/// @}

/// What a run costs, computed, not measured.
struct kai_gemm_cost {
    double macs;          ///< Multiply-adds of the last phase.
    double largest_unit;  ///< Multiply-adds of its largest unit.
    /// When equal workers that take units in order have finished, in multiply-adds of one worker. For more than 65,536
    /// units, or 256 workers: an upper bound.
    double finish;
    double bytes;          ///< Loaded from beyond the L2 cache by one worker that does all units in order.
    double least_bytes;    ///< The least that kernels which run over the whole depth need with this cache.
    uint64_t reserved[8];  ///< Zeros.
};
/// Takes at most some milliseconds, whatever the shape. `work` as kai_gemm_begin made it, with its plan and operands.
enum kai_gemm_status kai_gemm_estimate(const struct kai_gemm_work* work, struct kai_gemm_cost* cost);

KAI_END_DECLARATIONS
