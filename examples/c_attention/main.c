// Attention in C: a prompt, then one token, over a cache in pages. Results are compared with softmax(q k) v in double.
//
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kai/gemm/kai_attention.h"

enum { kHeads = 4, kKvHeads = 2, kSize = 64, kPrompt = 100, kPositions = 101, kPage = 64, kPages = 2 };

static float queries[kPositions][kHeads][kSize], results[kPositions][kHeads][kSize];
static float keys[kPositions][kKvHeads][kSize], values[kPositions][kKvHeads][kSize];

static void* aligned(size_t size) {
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

/* Appends the keys and values of new tokens, then computes their results. */
static int step(const struct kai_attention_plan* plan, void** pages, void* workspace, size_t position, size_t tokens) {
    struct kai_attention_rows rows;
    memset(&rows, 0, sizeof(rows));
    rows.type = kai_dt_f32, rows.count = tokens;
    rows.keys = keys[position], rows.values = values[position];

    struct kai_attention_sequence sequence;
    memset(&sequence, 0, sizeof(sequence));
    sequence.tokens = tokens, sequence.position = position, sequence.length = position + tokens;
    sequence.pages = (const void* const*)pages;
    sequence.q = queries[position], sequence.out = results[position];

    struct kai_attention_operands operands;
    memset(&operands, 0, sizeof(operands));
    operands.sequences = &sequence, operands.count = 1;
    if (kai_attention_append(plan, pages, position, &rows, NULL, NULL) != KAI_GEMM_OK ||
        kai_attention_run(plan, &operands, workspace, plan->workspace_size, NULL, NULL) != KAI_GEMM_OK) {
        char why[200];
        kai_attention_explain_run(plan, &operands, workspace, plan->workspace_size, why, sizeof(why));
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    return 0;
}

static double exact(size_t token, size_t head, size_t column) {
    double sum = 0, weighted = 0;
    for (size_t j = 0; j <= token; ++j) {
        double score = 0;
        for (size_t i = 0; i < kSize; ++i) {
            score += (double)queries[token][head][i] * keys[j][head / 2][i];
        }
        const double p = exp(score / 8); /* the square root of kSize */
        sum += p, weighted += p * values[j][head / 2][column];
    }
    return weighted / sum;
}

static void fill(float* x, size_t count) {
    static unsigned state = 1;
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        x[i] = (float)(state >> 8) / (1 << 23) - 1;
    }
}

int main(void) {
    fill(&queries[0][0][0], kPositions * kHeads * kSize);
    fill(&keys[0][0][0], kPositions * kKvHeads * kSize);
    fill(&values[0][0][0], kPositions * kKvHeads * kSize);

    struct kai_attention_problem problem = kai_attention_problem_of(kHeads, kKvHeads, kSize); /* causal, f32 */
    problem.cache_type = KAI_ATTENTION_F16;
    problem.page = kPage;
    problem.tokens = kPrompt;       /* most query tokens of a run, of all sequences together */
    problem.positions = kPositions; /* the longest sequence */
    struct kai_attention_plan plan;
    if (kai_attention_make_plan(&problem, &plan) != KAI_GEMM_OK) {
        fprintf(stderr, "%s\n", plan.reason);
        return 1;
    }
    char text[1000];
    kai_attention_explain(&plan, text, sizeof(text));
    printf("%s", text);

    void *pages[kPages], *workspace = aligned(plan.workspace_size);
    for (size_t i = 0; i < kPages; ++i) {
        pages[i] = aligned(plan.page_bytes);
    }
    if (step(&plan, pages, workspace, 0, kPrompt) != 0 || step(&plan, pages, workspace, kPrompt, 1) != 0) {
        return 1;
    }
    double worst = 0;
    for (size_t t = 0; t < kPositions; ++t) {
        for (size_t h = 0; h < kHeads; ++h) {
            for (size_t c = 0; c < kSize; ++c) {
                worst = fmax(worst, fabs(results[t][h][c] - exact(t, h, c)));
            }
        }
    }
    printf("largest error: %.1e\n", worst);
    free(workspace);
    for (size_t i = 0; i < kPages; ++i) {
        free(pages[i]);
    }
    return worst < 3e-3 ? 0 : 1;
}
