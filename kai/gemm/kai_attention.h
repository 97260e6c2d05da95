// Attention on top of the micro-kernels: describe it, plan it, append keys and values to a cache, run.
//
//     out[t][h] = sum over j of softmax(score)[j] * value[j],   score[j] = scale * <q[t][h], key[j]> + bias
//
//     struct kai_attention_problem problem = kai_attention_problem_of(heads, kv_heads, head_size);   // causal, f32
//     problem.cache_type = KAI_ATTENTION_F16, problem.tokens = 128, problem.positions = 4096, problem.units = threads;
//     struct kai_attention_plan plan;
//     if (kai_attention_make_plan(&problem, &plan) != KAI_GEMM_OK) ...          // kai_attention_explain says why
//
//     void* pages[64];                                                          // plan.page_bytes each, when needed
//     struct kai_attention_rows rows = {0};                                     // every layer, for the new tokens
//     rows.type = kai_dt_f32, rows.keys = k, rows.values = v, rows.count = tokens;
//     kai_attention_append(&plan, pages, position, &rows, parallel_for, pool);
//
//     struct kai_attention_sequence sequence = {0};
//     sequence.tokens = tokens, sequence.position = position, sequence.length = position + tokens;
//     sequence.pages = pages, sequence.q = q, sequence.out = out;
//     struct kai_attention_operands x = {0};
//     x.sequences = &sequence, x.count = 1;
//     kai_attention_run(&plan, &x, workspace, plan.workspace_size, parallel_for, pool);
//
// Products are those of the micro-kernels (docs/attention.md says which). The matrix of scores is never in memory:
// units take some query rows and pass over the keys block by block, with a running maximum and sum.
//
// The caller owns all memory and all threads. No function allocates, keeps state, prints or aborts. A function that
// can fail returns a status (kai_gemm_status_text); if it fails, it has written nothing. What was wrong, with names and
// numbers: kai_attention_explain, kai_attention_explain_append, kai_attention_explain_run. A plan is a plain structure:
// copy it, share it between threads and layers, run it from any number of threads at once, each with its own workspace.
// The bits of the results depend on the plan and on the sequence (tokens, position, length, prefix), but not on the
// number of threads, the order of the units, other sequences of the run, or how keys and values were appended.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/gemm/kai_gemm.h"

KAI_BEGIN_DECLARATIONS

/// Elements of the cache.
enum kai_attention_cache {
    KAI_ATTENTION_F32,
    KAI_ATTENTION_F16,
    KAI_ATTENTION_BF16,
    KAI_ATTENTION_Q8_0,  ///< int8 with an f16 scale per 32 of a row: sizes of heads are multiples of 32.
    KAI_ATTENTION_CACHE_COUNT
};

/// Initialise with kai_attention_problem_of, then change members.
struct kai_attention_problem {
    /// @name Shape
    /// @{
    size_t heads, kv_heads;       ///< Of queries, and of keys and values: head h reads head h / (heads / kv_heads).
    size_t key_size, value_size;  ///< Of a head: 8 to 1024, multiples of 8.
    size_t tokens;                ///< The largest number of query tokens of a run, of all sequences together.
    size_t sequences;             ///< The largest number of sequences of a run.
    size_t positions;             ///< The largest length of a sequence.
    size_t page;                  ///< Positions of a page of the cache: 16 to 256, a multiple of 16.
    enum kai_datatype q_type, out_type;  ///< f32, f16 or bf16.
    enum kai_attention_cache cache_type;
    /// @}

    /// @name Scores
    /// @{
    float scale;     ///< 0: 1 / sqrt(key_size).
    float soft_cap;  ///< Not 0: score = soft_cap * tanh(score / soft_cap), before biases and masks.
    bool causal;     ///< A query sees positions up to its own, and up to the prefix of the sequence.
    size_t window;   ///< Not 0: a query at position p sees positions above p - window only, prefix or not.
    bool masked;     ///< Sequences may have a mask, of mask_type: f32 or f16, added to scores.
    enum kai_datatype mask_type;
    /// @}

    /// @name Choice
    /// @{
    size_t units;            ///< Threads that work at the same time, at least 1. No influence on the bits.
    size_t sme_units;        ///< 0: no SME.
    enum kai_cpu_core core;  ///< As in kai_gemm_problem.
    /// @}

    uint64_t reserved[24];  ///< Zeros, else RESERVED.
};

/// f32, causal, a page of 64 positions, one token, one sequence, one unit, one SME unit.
struct kai_attention_problem kai_attention_problem_of(size_t heads, size_t kv_heads, size_t head_size);

/// A micro-kernel and its rows.
struct kai_attention_kernel {
    const struct kai_ukernel* ukernel;
    const struct kai_packer* lhs_packer;  ///< NULL: rows are read in place.
    enum kai_datatype row_type;           ///< Of rows, before they are packed.
};

/// One of the two products, with the keys or the values of a page.
struct kai_attention_product {
    struct kai_attention_kernel gemm, gemv;  ///< For several rows, for one; both read the same format.
    /// What they read: panels of nr columns, kr elements of a column together; `name` NULL: not packed, K x N.
    struct kai_gemm_format format;
    enum kai_datatype type;  ///< Of its elements; int8: blocks of 32 with f16 scales.
    size_t operand_bytes;    ///< Of a page and kv head.
    /// Whether the cache has rows as they are, which every run converts to what kernels read.
    bool converts;
    size_t bytes;  ///< In a page, of a kv head.
    uint64_t reserved[8];
};

/// Members may be read, but only kai_attention_make_plan may change them.
struct kai_attention_plan {
    struct kai_attention_problem problem;
    struct kai_attention_product scores, values;
    size_t page_bytes;            ///< Of a page: keys and values of all kv_heads. A multiple of 64.
    size_t head_bytes;            ///< In a page, from one kv head to the next: keys, then values.
    size_t values_offset;         ///< Of the values in it.
    size_t workspace_size;        ///< Exact, in bytes.
    size_t tile_rows;             ///< Query rows (tokens x heads that share a kv head) of a unit.
    size_t block;                 ///< Positions that are scored at a time: whole pages.
    size_t part;                  ///< Positions of a unit where all rows of a sequence fit a tile: whole blocks.
    size_t sve_bytes, sme_bytes;  ///< Lengths of the vectors that kernels use; 0: none.
    const char* block_kernels;    ///< What works on scores: "neon", ...
    size_t slots, slot_size, parts, parts_rows;  ///< In the workspace, in bytes; parts_rows: rows that it has room for.
    uint64_t reserved[32];
    enum kai_gemm_status status;
    char reason[200];
};

enum kai_gemm_status kai_attention_make_plan(
    const struct kai_attention_problem* problem, struct kai_attention_plan* plan);
/// Which kernels, sizes and why, or why there is no plan. Text and result: as kai_gemm_explain.
size_t kai_attention_explain(const struct kai_attention_plan* plan, char* text, size_t size);

/// Keys and values of consecutive positions. Strides in bytes; 0: no gaps (heads of a token one after the other).
struct kai_attention_rows {
    size_t count;            ///< Positions.
    enum kai_datatype type;  ///< f32, f16 or bf16.
    const void *keys, *values;
    size_t key_token, key_head, value_token, value_head;  ///< From one position (head) to the next.
    uint64_t reserved[8];                                 ///< Zeros, else RESERVED.
};

/// Writes them to positions position ... position + count - 1 of a sequence; other positions stay as they are. Pages
/// need no preparation. pages[i] has positions i * page and up: only those that are written are looked at.
enum kai_gemm_status kai_attention_append(
    const struct kai_attention_plan* plan, void* const* pages, size_t position, const struct kai_attention_rows* rows,
    kai_gemm_parallel_for* parallel_for, void* pool);
size_t kai_attention_explain_append(
    const struct kai_attention_plan* plan, void* const* pages, size_t position, const struct kai_attention_rows* rows,
    char* text, size_t size);

/// A sequence of a run.
struct kai_attention_sequence {
    size_t tokens;                                ///< Queries, at positions position, position + 1, ...
    size_t position, length;                      ///< Of the first query; of the cache: positions that are filled.
    size_t prefix;                                ///< Causal: positions below it are seen by every query.
    const void* const* pages;                     ///< Those that no query sees may be NULL.
    const void* q;                                ///< [tokens][heads][key_size]
    void* out;                                    ///< [tokens][heads][value_size]
    size_t q_token, q_head, out_token, out_head;  ///< Bytes from one token (head) to the next; 0: no gaps.
    const void* mask;              ///< [heads][tokens][length], added to the scores; or NULL. -infinity: not seen.
    size_t mask_head, mask_token;  ///< Bytes from one head (token) to the next. mask_head 0: one for all heads.
    uint64_t reserved[12];         ///< Zeros, else RESERVED.
};

struct kai_attention_operands {
    const struct kai_attention_sequence* sequences;
    size_t count;
    const float* slopes;   ///< ALiBi: [heads]: slope * (position of the key - position of the query) is added. Or NULL.
    const float* sinks;    ///< [heads]: a score without a value, which every query sees. Or NULL.
    uint64_t reserved[8];  ///< Zeros, else RESERVED.
};

/// A query that sees nothing gives zeros. `workspace`: plan->workspace_size bytes aligned to 64.
enum kai_gemm_status kai_attention_run(
    const struct kai_attention_plan* plan, const struct kai_attention_operands* operands, void* workspace,
    size_t workspace_size, kai_gemm_parallel_for* parallel_for, void* pool);
size_t kai_attention_explain_run(
    const struct kai_attention_plan* plan, const struct kai_attention_operands* operands, const void* workspace,
    size_t workspace_size, char* text, size_t size);

/// @name For callers with a scheduler of their own
/// @{
struct kai_attention_work {
    const struct kai_attention_plan* plan;
    const struct kai_attention_operands* operands;
    void* workspace;
    size_t phases;    ///< Phase p + 1 may start when all units of phase p are done.
    size_t units[2];  ///< Any thread, any order. At most problem.units at the same time.
    uint64_t reserved[8];
};
enum kai_gemm_status kai_attention_begin(
    const struct kai_attention_plan* plan, const struct kai_attention_operands* operands, void* workspace,
    size_t workspace_size, struct kai_attention_work* work);
enum kai_gemm_status kai_attention_run_unit(const struct kai_attention_work* work, size_t phase, size_t unit);
/// @}

KAI_END_DECLARATIONS
