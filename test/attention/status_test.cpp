// What attention refuses: a status and a sentence with numbers, and nothing is written.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "test/attention/experiment.hpp"
#include "test/support/said.hpp"

namespace test::attention {
namespace {

/// Of a plan of 4 heads, 2 kv heads and 64 elements with one member changed: the status and the reason.
template <typename Change>
void expect_no_plan(Change change, kai_gemm_status status, const std::string& reason) {
    kai_attention_problem p = kai_attention_problem_of(4, 2, 64);
    change(p);
    kai_attention_plan plan;
    EXPECT_EQ(kai_attention_make_plan(&p, &plan), status) << reason;
    EXPECT_EQ(plan.status, status);
    EXPECT_EQ(plan.reason, reason);
    char text[300];
    const size_t length = kai_attention_explain(&plan, text, sizeof(text));
    EXPECT_EQ(length, std::string(text).size());
    EXPECT_EQ(text, SAID(failed_plan, reason.c_str()) + "\n");
    EXPECT_EQ(kai_attention_run(&plan, nullptr, nullptr, 0, nullptr, nullptr), KAI_GEMM_NO_PLAN);
}

TEST(AttentionStatus, Problems) {
    const float inf = std::numeric_limits<float>::infinity();
    const auto bad = [](auto change, const std::string& reason) { expect_no_plan(change, KAI_GEMM_BAD_VALUE, reason); };
    bad([](auto& p) { p = {}; }, SAID(zero_attention));
    bad([](auto& p) { p.heads = 0; }, SAID(out_of_range, "heads", 0, 1, 1 << 20));
    bad([](auto& p) { p.kv_heads = 5; }, SAID(out_of_range, "kv_heads", 5, 1, 4));
    bad([](auto& p) { p.kv_heads = 3; }, SAID(not_multiple_of, "heads", 4, "kv_heads", 3));
    bad([](auto& p) { p.key_size = 0; }, SAID(out_of_range, "key_size", 0, 8, 1024));
    bad([](auto& p) { p.key_size = 36; }, SAID(not_multiple, "key_size", 36, 8));
    bad([](auto& p) { p.value_size = 1032; }, SAID(out_of_range, "value_size", 1032, 8, 1024));
    bad([](auto& p) { p.value_size = 40, p.cache_type = KAI_ATTENTION_Q8_0; },
        SAID(not_multiple, "value_size", 40, 32));
    bad([](auto& p) { p.page = 8; }, SAID(out_of_range, "page", 8, 16, 256));
    bad([](auto& p) { p.page = 40; }, SAID(not_multiple, "page", 40, 16));
    bad([](auto& p) { p.tokens = 0; }, SAID(out_of_range, "tokens", 0, 1, 1 << 24));
    bad([](auto& p) { p.sequences = 0; }, SAID(out_of_range, "sequences", 0, 1, 1 << 20));
    bad([](auto& p) { p.positions = 0; }, SAID(out_of_range, "positions", 0, 1, 1 << 24));
    bad([](auto& p) { p.units = 0; }, SAID(out_of_range, "units", 0, 1, 1 << 20));
    bad([](auto& p) { p.cache_type = static_cast<kai_attention_cache>(9); },
        SAID(no_enumerator, "cache_type", 9, "kai_attention_cache"));
    bad([](auto& p) { p.q_type = kai_dt_int8; }, SAID(no_enumerator, "q_type", kai_dt_int8, "f32, f16 or bf16"));
    bad([](auto& p) { p.out_type = kai_dt_int8; }, SAID(no_enumerator, "out_type", kai_dt_int8, "f32, f16 or bf16"));
    bad([](auto& p) { p.masked = true, p.mask_type = kai_dt_bf16; },
        SAID(no_enumerator, "mask_type", kai_dt_bf16, "f32 or f16"));
    bad([](auto& p) { p.scale = -1; }, SAID(no_positive, "scale", -1.0));
    bad([=](auto& p) { p.soft_cap = inf; }, SAID(no_positive, "soft_cap", static_cast<double>(inf)));
    expect_no_plan([](auto& p) { p.reserved[23] = 1; }, KAI_GEMM_RESERVED, SAID(reserved, "problem"));
    kai_attention_plan plan;
    const kai_attention_problem p = kai_attention_problem_of(1, 1, 8);
    EXPECT_EQ(kai_attention_make_plan(nullptr, &plan), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(kai_attention_make_plan(&p, nullptr), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(kai_attention_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
    EXPECT_STREQ(SAID(no_attention, "keys").c_str(), SAID_AS(no_attention, "keys").c_str());
}

/// A run of one sequence with something changed.
template <typename Change>
void expect_no_run(Change change, kai_gemm_status status, const std::string& sentence) {
    kai_attention_problem p = kai_attention_problem_of(2, 1, 32);
    p.page = 16;
    Experiment e(p, {{2, 18, 20, 0}}, {});
    const kai_attention_operands made = e.operands();
    kai_attention_sequence s = made.sequences[0];
    kai_attention_operands x = made;
    x.sequences = &s;
    kai_attention_plan plan = e.plan();
    GuardedBuffer workspace(plan.workspace_size);
    struct {
        const void* workspace;
        size_t size;
        const kai_attention_plan* plan;
        const kai_attention_operands* operands;
    } call = {workspace.data(), workspace.size(), &plan, &x};
    change(s, x, plan, call);
    const std::vector<uint8_t> before = e.results();
    EXPECT_EQ(
        kai_attention_run(call.plan, call.operands, const_cast<void*>(call.workspace), call.size, nullptr, nullptr),
        status)
        << sentence;
    EXPECT_EQ(e.results(), before);
    EXPECT_EQ(workspace.bytes(), std::vector<uint8_t>(workspace.size(), GuardedBuffer::kPoison));
    char text[300];
    kai_attention_explain_run(call.plan, call.operands, call.workspace, call.size, text, sizeof(text));
    EXPECT_EQ(text, sentence);
}

TEST(AttentionStatus, Runs) {
    expect_no_run([](auto&, auto&, auto&, auto& c) { c.plan = nullptr; }, KAI_GEMM_NULL_POINTER, SAID(absent, "plan"));
    expect_no_run([](auto&, auto&, auto& p, auto&) { p = {}; }, KAI_GEMM_NO_PLAN, SAID(zero_attention_plan));
    expect_no_run(
        [](auto&, auto&, auto&, auto& c) { c.operands = nullptr; }, KAI_GEMM_NULL_POINTER, SAID(absent, "operands"));
    expect_no_run(
        [](auto&, auto& x, auto&, auto&) { x.sequences = nullptr; }, KAI_GEMM_NULL_POINTER, SAID(absent, "sequences"));
    expect_no_run(
        [](auto&, auto& x, auto&, auto&) { x.reserved[0] = 1; }, KAI_GEMM_RESERVED, SAID(reserved, "operands"));
    expect_no_run(
        [](auto& s, auto&, auto&, auto&) { s.reserved[11] = 1; }, KAI_GEMM_RESERVED, SAID(reserved, "sequence"));
    expect_no_run(
        [](auto&, auto& x, auto&, auto&) { x.count = 2; }, KAI_GEMM_TOO_MANY_ROWS,
        SAID(many_sequences, "sequences", 2, 1));
    expect_no_run(
        [](auto& s, auto&, auto&, auto&) { s.tokens = 3; }, KAI_GEMM_TOO_MANY_ROWS,
        SAID(many_sequences, "tokens", 3, 2));
    expect_no_run(
        [](auto& s, auto&, auto&, auto&) { s.length = 21; }, KAI_GEMM_TOO_MANY_ROWS,
        SAID(long_sequence, "length", 21, 20));
    expect_no_run(
        [](auto& s, auto&, auto&, auto&) { s.position = 19; }, KAI_GEMM_BAD_VALUE, SAID(queries_past_cache, 19, 2, 20));
    expect_no_run([](auto& s, auto&, auto&, auto&) { s.q = nullptr; }, KAI_GEMM_NULL_POINTER, SAID(absent, "q"));
    expect_no_run([](auto& s, auto&, auto&, auto&) { s.out = nullptr; }, KAI_GEMM_NULL_POINTER, SAID(absent, "out"));
    expect_no_run(
        [](auto& s, auto&, auto&, auto&) { s.q_token = 127; }, KAI_GEMM_BAD_STRIDE,
        SAID(short_stride, "q_token", 127, 128, "row"));
    expect_no_run(
        [](auto& s, auto&, auto&, auto&) { s.out_head = 64; }, KAI_GEMM_BAD_STRIDE,
        SAID(short_stride, "out_head", 64, 128, "row"));
    const float mask[40] = {};
    expect_no_run(
        [&](auto& s, auto&, auto&, auto&) { s.mask = mask; }, KAI_GEMM_BAD_COMBINATION,
        SAID(needs, "mask", "problem.masked"));
    expect_no_run(
        [](auto& s, auto&, auto&, auto&) { s.pages = nullptr; }, KAI_GEMM_NULL_POINTER, SAID(absent, "pages"));
    const void* pages[2] = {};
    alignas(64) char page[64] = {};
    pages[0] = page;
    expect_no_run(
        [&](auto& s, auto&, auto&, auto&) { s.pages = pages; }, KAI_GEMM_NULL_POINTER, SAID(absent_entry, 1, "pages"));
    const void* moved[2] = {page, page + 8};
    expect_no_run(
        [&](auto& s, auto&, auto&, auto&) { s.pages = moved; }, KAI_GEMM_MISALIGNED, SAID(unaligned, "a page", 8, 64));
    expect_no_run(
        [](auto&, auto&, auto&, auto& c) { c.workspace = nullptr; }, KAI_GEMM_NULL_POINTER,
        SAID(absent_bytes, "workspace", [] {
            kai_attention_problem p = kai_attention_problem_of(2, 1, 32);
            p.page = 16, p.tokens = 2, p.positions = 20;
            kai_attention_plan plan;
            kai_attention_make_plan(&p, &plan);
            return plan.workspace_size;
        }()));
    expect_no_run(
        [](auto&, auto&, auto&, auto& c) { c.size = 100; }, KAI_GEMM_TOO_SMALL, SAID(few_bytes, "workspace", 100, [] {
            kai_attention_problem p = kai_attention_problem_of(2, 1, 32);
            p.page = 16, p.tokens = 2, p.positions = 20;
            kai_attention_plan plan;
            kai_attention_make_plan(&p, &plan);
            return plan.workspace_size;
        }()));
}

TEST(AttentionStatus, Appends) {
    kai_attention_problem p = kai_attention_problem_of(2, 1, 32);
    p.page = 16;
    Experiment e(p, {{1, 19, 20, 0}}, {});
    SequenceData& s = e.sequences()[0];
    const std::vector<uint8_t> before = s.pages[0]->bytes();
    const auto expect_no = [&](auto change, size_t position, kai_gemm_status status, const std::string& sentence) {
        kai_attention_rows rows = {};
        rows.count = 2, rows.type = kai_dt_f32, rows.keys = s.keys.data() + 64, rows.values = s.values.data() + 64;
        std::vector<void*> table = s.table;
        change(rows, table);
        EXPECT_EQ(kai_attention_append(&e.plan(), table.data(), position, &rows, nullptr, nullptr), status) << sentence;
        char text[300];
        kai_attention_explain_append(&e.plan(), table.data(), position, &rows, text, sizeof(text));
        EXPECT_EQ(text, sentence);
        EXPECT_EQ(s.pages[0]->bytes(), before);
    };
    expect_no([](auto&, auto&) {}, 19, KAI_GEMM_TOO_MANY_ROWS, SAID(long_append, 19, 2, 20));
    expect_no([](auto&, auto&) {}, SIZE_MAX, KAI_GEMM_TOO_MANY_ROWS, SAID(long_append, SIZE_MAX, 2, 20));
    expect_no([](auto& r, auto&) { r.reserved[7] = 1; }, 0, KAI_GEMM_RESERVED, SAID(reserved, "rows"));
    expect_no(
        [](auto& r, auto&) { r.type = kai_dt_int8; }, 0, KAI_GEMM_BAD_VALUE,
        SAID(no_enumerator, "rows.type", kai_dt_int8, "f32, f16 or bf16"));
    expect_no([](auto& r, auto&) { r.keys = nullptr; }, 0, KAI_GEMM_NULL_POINTER, SAID(absent, "rows.keys"));
    expect_no([](auto& r, auto&) { r.values = nullptr; }, 0, KAI_GEMM_NULL_POINTER, SAID(absent, "rows.values"));
    expect_no(
        [](auto& r, auto&) { r.value_token = 8; }, 0, KAI_GEMM_BAD_STRIDE,
        SAID(short_stride, "value_token", 8, 128, "row"));
    expect_no([](auto&, auto& t) { t[1] = nullptr; }, 15, KAI_GEMM_NULL_POINTER, SAID(absent_entry, 1, "pages"));
    EXPECT_EQ(kai_attention_append(&e.plan(), s.table.data(), 0, nullptr, nullptr, nullptr), KAI_GEMM_NULL_POINTER);
    // What is there already, once more.
    expect_no(
        [&](auto& r, auto&) { r.keys = s.keys.data(), r.values = s.values.data(); }, 0, KAI_GEMM_OK,
        SAID(nothing_wrong, "append"));
}

}  // namespace
}  // namespace test::attention
