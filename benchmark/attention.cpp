// Attention by kai/gemm/kai_attention.h: rows of f32, a cache of f16, causal, no masks.
//
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/attention.hpp"

#include <algorithm>

#include "benchmark/measure.hpp"
#include "benchmark/options.hpp"

Attention::Attention(size_t queries, size_t keys, size_t head, size_t tokens, size_t context, Pool& pool)
    : pool_(pool) {
    kai_attention_problem problem = kai_attention_problem_of(queries / head, keys / head, head);
    problem.tokens = tokens, problem.positions = context;
    problem.cache_type = KAI_ATTENTION_F16;
    problem.units = pool.threads(), problem.sme_units = options.sme_units;
    if (kai_attention_make_plan(&problem, &plan_) == KAI_GEMM_OK) {
        workspace_ = allocate(plan_.workspace_size);
        rows_ = random_elements("f32", std::max(queries, keys) * std::max(tokens, context) * sizeof(float), 5);
        out_.resize(queries * tokens * sizeof(float));
    }
}

size_t Attention::cache_size() const {
    const kai_attention_problem& problem = plan_.problem;
    return (problem.positions + problem.page - 1) / problem.page * plan_.page_bytes;
}

std::vector<void*> Attention::pages_of(void* cache) const {
    std::vector<void*> pages;
    for (size_t at = 0; at < cache_size(); at += plan_.page_bytes) {
        pages.push_back(static_cast<uint8_t*>(cache) + at);
    }
    return pages;
}

void Attention::fill(void* cache) {
    kai_attention_rows rows = {};
    rows.count = plan_.problem.positions, rows.type = kai_dt_f32;
    rows.keys = rows.values = rows_.data();
    require(kai_attention_append(&plan_, pages_of(cache).data(), 0, &rows, Pool::parallel_for, &pool_), "attention: ");
}

void Attention::run(void* cache, size_t position, size_t tokens) {
    const std::vector<void*> pages = pages_of(cache);
    kai_attention_rows rows = {};
    rows.count = tokens, rows.type = kai_dt_f32;
    rows.keys = rows.values = rows_.data();
    require(kai_attention_append(&plan_, pages.data(), position, &rows, Pool::parallel_for, &pool_), "attention: ");
    kai_attention_sequence sequence = {};
    sequence.tokens = tokens, sequence.position = position, sequence.length = position + tokens;
    sequence.pages = pages.data();
    sequence.q = rows_.data(), sequence.out = out_.data();
    kai_attention_operands operands = {};
    operands.sequences = &sequence, operands.count = 1;
    require(
        kai_attention_run(&plan_, &operands, workspace_.get(), plan_.workspace_size, Pool::parallel_for, &pool_),
        "attention: ");
}

double Attention::macs(size_t position, size_t tokens) const {
    // Token number i sees position + i + 1 keys, and as many values.
    const double seen = double(tokens) * (double(position) + 0.5 * double(tokens + 1));
    return seen * 2 * double(plan_.problem.heads * plan_.problem.key_size);
}

double Attention::bytes(size_t position, size_t tokens) const {
    return double(plan_.page_bytes) / double(plan_.problem.page) * double(position + tokens);
}
