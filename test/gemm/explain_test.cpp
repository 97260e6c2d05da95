// What is wrong, in a sentence with names and numbers; and why a plan is as it is.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "test/gemm/experiment.hpp"
#include "test/support/said.hpp"

namespace test::gemm {
namespace {

constexpr size_t kMost = SIZE_MAX;

/// The text that an explaining function writes.
template <typename Explain>
std::string text_of(Explain explain) {
    std::string text(explain(nullptr, 0) + 1, '?');
    EXPECT_EQ(explain(text.data(), text.size()), text.size() - 1);
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
}

std::string explain(const kai_gemm_plan* plan) {
    return text_of([=](char* text, size_t size) { return kai_gemm_explain(plan, text, size); });
}

kai_gemm_problem blocks_of(kai_gemm_kind kind) {
    kai_gemm_problem p = kai_gemm_problem_of(5, 20, 256);
    p.b_kind = kind, p.bl = 32, p.b_constant = p.b_transposed = true;
    return p;
}

kai_gemm_problem integers_of(kai_gemm_kind kind) {
    kai_gemm_problem p = kai_gemm_problem_of(5, 20, 64);
    p.b_kind = kind, p.a_type = p.c_type = kind == KAI_GEMM_UINT8_LOWP ? kai_dt_uint8 : kai_dt_int8;
    p.b_constant = true;
    return p;
}

// ---- no plan ----

void expect_no_plan(const kai_gemm_problem& p, kai_gemm_status status, const std::string& reason) {
    kai_gemm_plan plan;
    std::memset(&plan, 0x5A, sizeof(plan));
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), status) << reason;
    EXPECT_EQ(plan.status, status) << reason;
    EXPECT_EQ(plan.reason, reason);
    EXPECT_EQ(explain(&plan), SAID(failed_plan, reason.c_str()) + "\n");
}

TEST(GemmExplain, ValuesThatAreRefused) {
    const auto dense = [](auto change, const std::string& reason) {
        kai_gemm_problem p = kai_gemm_problem_of(5, 20, 64);
        change(p);
        expect_no_plan(p, KAI_GEMM_BAD_VALUE, reason);
    };
    const auto of = [](kai_gemm_problem p, auto change, const std::string& reason) {
        change(p);
        expect_no_plan(p, KAI_GEMM_BAD_VALUE, reason);
    };
    dense([](auto& p) { p = {}; }, SAID(zero_problem));
    dense([](auto& p) { p = {}, p.units = 1; }, SAID(other_type, "b_type", "not set", "DENSE", "f32, f16 and bf16"));
    dense(
        [](auto& p) { p.b_kind = static_cast<kai_gemm_kind>(99); }, SAID(no_enumerator, "b_kind", 99, "kai_gemm_kind"));
    dense([](auto& p) { p.b_type = kai_dt_int8; }, SAID(other_type, "b_type", "int8", "DENSE", "f32, f16 and bf16"));
    dense([](auto& p) { p.a_type = kai_dt_uint8; }, SAID(other_type, "a_type", "uint8", "DENSE", "f32, f16 and bf16"));
    dense(
        [](auto& p) { p.c_type = kai_dt_int32; },
        SAID(other_type, "c_type", "int32", "DENSE", "f32, f16 and bf16, with an epilogue int8 and uint8"));
    dense([](auto& p) { p.clamp_min = 1.5F, p.clamp_max = -2; }, SAID(bounds_out_of_order, 1.5, -2.0));
    dense([](auto& p) { p.units = 0; }, SAID(zero, "units"));
    dense([](auto& p) { p.scatters = true; }, SAID(needs, "scatters", "groups"));
    dense([](auto& p) { p.scatters = p.groups = true, p.beta = 0.5F; }, SAID(beta_of_scatters, 0.5));
    dense([](auto& p) { p.rates.sme_row = -1; }, SAID(no_rate, -1.0, 1000.0));

    const auto blocks = blocks_of(KAI_GEMM_INT4_BLOCK);
    of(
        blocks, [](auto& p) { p.k = 250; }, SAID(not_multiple_of, "k", 250, "bl", 32));
    of(
        blocks, [](auto& p) { p.bl = 0; }, SAID(zero, "bl"));
    of(
        blocks, [](auto& p) { p.bl = 48; }, SAID(not_multiple, "bl", 48, 32));
    of(
        blocks_of(KAI_GEMM_INT2_CHANNEL), [](auto& p) { p.k = 33; }, SAID(not_multiple, "k", 33, 32));

    kai_gemm_problem gguf = blocks_of(KAI_GEMM_GGUF);
    gguf.gguf_type = static_cast<kai_gguf_type_id>(5);
    of(
        gguf, [](auto&) {}, SAID(no_enumerator, "gguf_type", 5, "type of GGUF files"));
    gguf.gguf_type = KAI_GGUF_Q4_K;
    of(
        gguf, [](auto& p) { p.k = 250; }, SAID(not_multiple_of_block, "k", 250, 256, "Q4_K"));

    const auto integers = integers_of(KAI_GEMM_INT8_STATIC);
    of(
        integers, [](auto& p) { p.a_type = kai_dt_f32; }, SAID(other_type, "a_type", "f32", "INT8_STATIC", "int8"));
    of(
        integers, [](auto& p) { p.c_type = kai_dt_bf16; }, SAID(other_type, "c_type", "bf16", "INT8_STATIC", "int8"));
    of(
        integers, [](auto& p) { p.alpha = 2; }, SAID(scales_integers, 2.0, 0.0, "INT8_STATIC"));
    of(
        integers, [](auto& p) { p.beta = 1; }, SAID(scales_integers, 1.0, 1.0, "INT8_STATIC"));
    of(
        integers, [](auto& p) { p.c_min = -129; }, SAID(out_of_range, "c_min", -129, -128, 127));
    of(
        integers, [](auto& p) { p.c_min = 5, p.c_max = 4; }, SAID(out_of_order, "c_min", 5, "c_max", 4));
    of(
        integers, [](auto& p) { p.c_zero_point = 128; }, SAID(out_of_range, "c_zero_point", 128, -128, 127));
    of(
        integers, [](auto& p) { p.groups = p.scatters = true; }, SAID(not_for, "scatters", "INT8_STATIC"));
    of(
        integers_of(KAI_GEMM_INT2_STATIC), [](auto& p) { p.c_type = kai_dt_f32; },
        "c_type is f32: INT2_STATIC takes int8");
    of(
        integers_of(KAI_GEMM_INT2_STATIC), [](auto& p) { p.c_max = 128; }, SAID(out_of_range, "c_max", 128, -128, 127));
    of(
        integers_of(KAI_GEMM_UINT8_LOWP), [](auto& p) { p.a_type = kai_dt_int8; },
        SAID(other_type, "a_type", "int8", "UINT8_LOWP", "uint8"));
    of(
        integers_of(KAI_GEMM_INT8_LOWP), [](auto& p) { p.bias = true; }, SAID(bias_of_lowp, "INT8_LOWP"));
}

/// The message names what the caller forgot; KAI_GEMM_UNSUPPORTED would mean that other code has to do it.
TEST(GemmExplain, CombinationsThatCanBeMended) {
    const auto of = [](kai_gemm_kind kind, auto change, const std::string& reason) {
        const bool integers = is_static(kind) || kind == KAI_GEMM_INT8_LOWP || kind == KAI_GEMM_UINT8_LOWP;
        kai_gemm_problem p = integers ? integers_of(kind) : blocks_of(kind);
        p.gguf_type = KAI_GGUF_Q8_0;
        change(p);
        expect_no_plan(p, KAI_GEMM_BAD_COMBINATION, reason);
    };
    const auto as_it_is = [](auto& p) { p.b_transposed = false; };
    const auto variable = [](auto& p) { p.b_constant = false; };
    of(KAI_GEMM_INT4_BLOCK_F16, as_it_is, SAID(needs_transposed, "INT4_BLOCK_F16", "rows of a file are"));
    of(KAI_GEMM_INT8_BLOCK_F16, as_it_is, SAID(needs_transposed, "INT8_BLOCK_F16", "rows of a file are"));
    of(KAI_GEMM_GGUF, as_it_is, SAID(needs_transposed, "GGUF", "rows of a file are"));
    of(KAI_GEMM_UINT4_BLOCK, as_it_is, SAID(needs_transposed, "UINT4_BLOCK", "it is"));
    of(KAI_GEMM_FLOAT_TABLE, as_it_is, SAID(needs_transposed, "FLOAT_TABLE", "it is"));
    of(KAI_GEMM_INT4_TABLE, as_it_is, SAID(needs_transposed, "INT4_TABLE", "rows of a file are"));
    of(KAI_GEMM_INT4_BLOCK_ZERO, as_it_is, SAID(needs_transposed, "INT4_BLOCK_ZERO", "it is"));
    of(KAI_GEMM_INT2_CHANNEL, as_it_is, SAID(needs_transposed, "INT2_CHANNEL", "it is"));
    of(
        KAI_GEMM_INT8_STATIC, [](auto& p) { p.b_transposed = true; }, SAID(never_transposed, "INT8_STATIC"));
    for (const kai_gemm_kind kind :
         {KAI_GEMM_INT8_CHANNEL, KAI_GEMM_INT4_CHANNEL, KAI_GEMM_INT2_CHANNEL, KAI_GEMM_INT4_BLOCK,
          KAI_GEMM_INT4_BLOCK_F16, KAI_GEMM_INT4_BLOCK_ZERO, KAI_GEMM_INT8_STATIC, KAI_GEMM_INT8_BLOCK_F16,
          KAI_GEMM_INT2_STATIC, KAI_GEMM_INT4_TABLE, KAI_GEMM_UINT4_BLOCK, KAI_GEMM_FLOAT_TABLE, KAI_GEMM_F8E4M3_BLOCK,
          KAI_GEMM_F8E5M2_BLOCK}) {
        const std::string reason = SAID(needs_constant, name_of(kind));
        of(kind, variable, reason.c_str());
    }
    of(KAI_GEMM_INT8_LOWP, variable, SAID(needs_either, "INT8_LOWP"));
    of(KAI_GEMM_UINT8_LOWP, variable, SAID(needs_either, "UINT8_LOWP"));
}

/// A problem without a plan that no change of one flag would give one is another matter. All others can be mended.
TEST(GemmExplain, UnsupportedIsNothingThatAFlagMends) {
    for (int kind = 0; kind < KAI_GEMM_KIND_COUNT; ++kind) {
        const auto made = [&](bool transposed, bool constant) {
            const auto k = static_cast<kai_gemm_kind>(kind);
            const bool integers = is_static(k) || k == KAI_GEMM_INT8_LOWP || k == KAI_GEMM_UINT8_LOWP;
            kai_gemm_problem p = integers ? integers_of(k) : blocks_of(k);
            p.gguf_type = KAI_GGUF_Q8_0, p.b_transposed = transposed, p.b_constant = constant;
            kai_gemm_plan plan;
            return kai_gemm_make_plan(&p, &plan);
        };
        bool any = false;
        for (const bool transposed : {false, true}) {
            for (const bool constant : {false, true}) {
                any = any || made(transposed, constant) == KAI_GEMM_OK;
            }
        }
        for (const bool transposed : {false, true}) {
            for (const bool constant : {false, true}) {
                const kai_gemm_status status = made(transposed, constant);
                EXPECT_FALSE(any && status == KAI_GEMM_UNSUPPORTED) << kind << transposed << constant;
                EXPECT_TRUE(any || status != KAI_GEMM_OK);
            }
        }
    }
}

TEST(GemmExplain, SizesThatOverflow) {
    kai_gemm_problem p = kai_gemm_problem_of(3, kMost / 2, 4);
    p.batch = 5, p.units = 6;
    expect_no_plan(p, KAI_GEMM_OVERFLOW, SAID(large_problem, 3, kMost / 2, 4, 5, 6));
}

TEST(GemmExplain, PinsAndFormatsThatAreRefused) {
    kai_gemm_problem p = blocks_of(KAI_GEMM_INT4_BLOCK);
    p.pin = "no_such_kernel";
    expect_no_plan(p, KAI_GEMM_UNKNOWN_NAME, SAID(unknown_pin, "no_such_kernel"));
    const std::string longer(1000, 'x');
    p.pin = longer.c_str();
    kai_gemm_plan plan;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_UNKNOWN_NAME);
    EXPECT_EQ(std::strlen(plan.reason), sizeof(plan.reason) - 1);
    p.pin = nullptr;

    kai_gemm_format format = {"qsi9c99p", 4, 5, 6};
    p.format = &format;
    const char* none = "no micro-kernel for this problem reads it";
    expect_no_plan(p, KAI_GEMM_UNKNOWN_FORMAT, SAID(no_reader, "qsi9c99p", 4, 5, 6, none));
    format.name = nullptr;
    expect_no_plan(p, KAI_GEMM_UNKNOWN_FORMAT, SAID(no_reader, "NULL", 4, 5, 6, none));
    p.format = nullptr;

    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        const std::string name = u->name;
        p.pin = u->name;
        const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
        const std::string said = explain(&plan);
        if (status == KAI_GEMM_CPU_LACKS) {
            char why[200];
            EXPECT_FALSE(kai_registry_runnable(u->features, why, sizeof(why)));
            EXPECT_EQ(
                said,
                SAID(failed_plan, SAID(pin_of_other_cpu, name.c_str(), static_cast<const char*>(why)).c_str()) + "\n");
        } else if (status == KAI_GEMM_WRONG_KERNEL) {
            EXPECT_EQ(said, SAID(failed_plan, SAID(pin_of_other_kind, name.c_str(), "INT4_BLOCK").c_str()) + "\n");
        } else {
            EXPECT_EQ(status, KAI_GEMM_OK) << said;
        }
    }
}

/// What a kernel or packer says against a shape is the reason: "NAME: bl = 512 is above 256".
TEST(GemmExplain, ShapesThatKernelsRefuse) {
    size_t refused = 0;
    for (const kai_gemm_kind kind : {KAI_GEMM_INT4_BLOCK, KAI_GEMM_INT4_BLOCK_F16}) {
        kai_gemm_problem p = blocks_of(kind);
        for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
            for (const size_t bl : {size_t{32}, size_t{96}, size_t{512}, size_t{1} << 17}) {
                p.pin = u->name, p.bl = bl, p.k = 3 * bl;
                kai_gemm_plan plan;
                const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
                const std::string said = plan.reason;
                if (status != KAI_GEMM_WRONG_KERNEL || said.rfind("pin: ", 0) == 0) {
                    continue;
                }
                ++refused;
                const std::string name = said.substr(0, said.find(": "));
                EXPECT_TRUE(
                    kai_registry_find_ukernel(name.c_str()) != nullptr ||
                    kai_registry_find_packer(name.c_str()) != nullptr)
                    << said;
                EXPECT_TRUE(
                    said.find("bl = " + std::to_string(bl)) != std::string::npos ||
                    said.find("k = " + std::to_string(p.k)) != std::string::npos)
                    << said;
            }
        }
    }
    RecordProperty("refused", static_cast<int>(refused));
    EXPECT_TRUE(refused != 0 || !kai_registry_runnable(uint64_t{1} << KAI_CPU_SME2, nullptr, 0));
}

TEST(GemmExplain, RowsThatMustNotHaveGaps) {
    kai_gemm_problem p = kai_gemm_problem_of(3, 5, 64);
    p.b_kind = KAI_GEMM_INT8_CHANNEL, p.b_constant = p.b_transposed = true;
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
    alignas(64) static uint8_t packed[1 << 15];
    ASSERT_LE(plan.packed_b_size, sizeof(packed));
    kai_gemm_weights w = {};
    w.b = packed, w.scale = reinterpret_cast<const float*>(packed), w.ldb = 80;
    const auto said = [&] {
        return text_of([&](char* to, size_t n) {
            return kai_gemm_explain_pack_b(&plan, 0, &w, packed, plan.packed_b_size, packed, sizeof(packed), to, n);
        });
    };
    EXPECT_EQ(said(), SAID(gaps, "weights.ldb", 80, "INT8_CHANNEL", 64) + "\n");
    w.bias = w.scale;
    EXPECT_EQ(said(), SAID(unused_bias, "weights.bias") + "\n");
}

/// A plan that failed, one that nobody made, and none.
TEST(GemmExplain, NothingRunsWithoutAPlan) {
    kai_gemm_problem p = blocks_of(KAI_GEMM_INT4_BLOCK);
    p.k = 250;
    kai_gemm_plan failed, nobodys = {};
    EXPECT_EQ(kai_gemm_make_plan(&p, &failed), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(failed.problem.k, 250U);
    struct {
        const kai_gemm_plan* plan;
        kai_gemm_status status;
        std::string text;
    } const cases[] = {
        {&failed, KAI_GEMM_NO_PLAN, SAID(failed_plan, SAID(not_multiple_of, "k", 250, "bl", 32).c_str()) + "\n"},
        {&nobodys, KAI_GEMM_NO_PLAN, SAID(zero_plan) + "\n"},
        {nullptr, KAI_GEMM_NULL_POINTER, SAID(absent, "plan") + "\n"},
    };
    alignas(64) static uint8_t memory[1 << 12];
    for (const auto& c : cases) {
        SCOPED_TRACE(c.text);
        const kai_gemm_weights w = {};
        const kai_gemm_operands x = {};
        kai_gemm_work work;
        EXPECT_EQ(
            kai_gemm_pack_b(c.plan, 0, &w, memory, sizeof(memory), memory, sizeof(memory), nullptr, nullptr), c.status);
        EXPECT_EQ(kai_gemm_pack_b_unit(c.plan, 0, &w, memory, sizeof(memory), memory, sizeof(memory), 0), c.status);
        EXPECT_EQ(kai_gemm_begin(c.plan, &x, memory, sizeof(memory), &work), c.status);
        EXPECT_EQ(kai_gemm_run(c.plan, &x, memory, sizeof(memory), nullptr, nullptr), c.status);
        EXPECT_EQ(explain(c.plan), c.text);
        EXPECT_EQ(
            text_of([&](char* text, size_t size) {
                return kai_gemm_explain_run(c.plan, &x, memory, sizeof(memory), text, size);
            }),
            c.text);
        EXPECT_EQ(
            text_of([&](char* text, size_t size) {
                return kai_gemm_explain_pack_b(
                    c.plan, 0, &w, memory, sizeof(memory), memory, sizeof(memory), text, size);
            }),
            c.text);
    }
    kai_gemm_plan plan;
    EXPECT_EQ(kai_gemm_make_plan(nullptr, &plan), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(explain(&plan), SAID(failed_plan, SAID(absent, "problem").c_str()) + "\n");
    p.k = 256;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(explain(&plan).find("no plan"), std::string::npos);
}

// ---- plans ----

/// The line about the tiles of runs of so many rows: those of a run.
std::string tiles_of(kai_gemm_plan plan, size_t m) {
    plan.problem.untagged = true;  // nothing is packed
    std::vector<uint8_t> memory(plan.workspace_size + 128);
    uint8_t* workspace = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64);
    std::vector<size_t> rows(plan.problem.batch + 1), c_rows(m + 1);
    rows[0] = m;
    kai_gemm_operands x = {};
    x.m = m, x.a.data = x.b.data = x.c.data = workspace;  // nothing is computed
    x.bias = plan.problem.bias ? workspace : nullptr;
    x.rows = rows.data(), x.c_rows = c_rows.data(), x.c_row_count = 1;
    kai_gemm_work work;
    EXPECT_EQ(kai_gemm_begin(&plan, &x, workspace, plan.workspace_size, &work), KAI_GEMM_OK);
    const std::string workers = std::to_string(plan.workers) + (plan.workers == 1 ? " worker" : " workers");
    return "m = " + std::to_string(m) + ": tiles of " + std::to_string(work.m_tile) + " x " +
           std::to_string(work.n_tile) + " for " + workers + ", units in order share " +
           (work.m_first ? "columns" : "rows") + "\n";
}

std::string sizes_of(const kai_gemm_plan& plan) {
    return "packed B " + std::to_string(plan.packed_b_size) + " bytes, workspace " +
           std::to_string(plan.workspace_size) + " bytes\n";
}

const char* const kInt4 = "matmul_clamp_f32_qai8dxp1x8_qsi4c32p4x8_1x4_portable";
const char* const kF32 = "matmul_clamp_f32_f32_f32p16x1b_1x16_portable";

TEST(GemmExplain, PinnedPlans) {
    if (kai_registry_find_ukernel(kInt4) == nullptr || kai_registry_find_ukernel(kF32) == nullptr) {
        GTEST_SKIP() << "this build has no portable kernels";
    }
    kai_gemm_plan plan;
    kai_gemm_problem p = blocks_of(KAI_GEMM_INT4_BLOCK);
    p.pin = kInt4;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    std::string lhs = plan.gemm.lhs_packer->name, rhs = plan.rhs_packer->name;
    EXPECT_EQ(
        explain(&plan), "5 x 20 x 256, 1 matrix\nmany rows: " + std::string(kInt4) +
                            " (portable C++)\n    rows of A packed by " + lhs +
                            "\nB as qsi4c32pbf16, nr 4, kr 16, sr 2, packed by " + rhs + ", once\n" +
                            tiles_of(plan, 5) + tiles_of(plan, 1) + sizes_of(plan) + "the kernel is pinned\n");
    p.a_transposed = true, p.m = 1;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(
        explain(&plan), "1 x 20 x 256, 1 matrix\nmany rows: " + std::string(kInt4) +
                            " (portable C++)\n    rows of A copied, then packed by " + lhs +
                            "\nB as qsi4c32pbf16, nr 4, kr 16, sr 2, packed by " + rhs + ", once\n" +
                            tiles_of(plan, 1) + sizes_of(plan) + "the kernel is pinned\n");

    p = kai_gemm_problem_of(70, 300, 40);
    p.pin = kF32, p.batch = 3, p.units = 4;
    const std::string head = "70 x 300 x 40, 3 matrices\nmany rows: " + std::string(kF32) + " (portable C++)\n";
    const std::string b = "B as f32pbiasf32, nr 16, kr 1, sr 1, ";
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(
        explain(&plan), head + "    rows of A read in place\n" + b + "packed by " + plan.rhs_packer->name +
                            ", at every run\n" + tiles_of(plan, 70) + tiles_of(plan, 1) + sizes_of(plan) +
                            "the kernel is pinned\n");
    const auto line = [&](auto change) {  // about the tiles
        kai_gemm_problem changed = p;
        change(changed);
        EXPECT_EQ(kai_gemm_make_plan(&changed, &plan), KAI_GEMM_OK);
        EXPECT_NE(explain(&plan).find(tiles_of(plan, 70) + tiles_of(plan, 1)), std::string::npos);
        const std::string text = explain(&plan);
        const size_t start = text.find("tiles go through the workspace:");
        return start == std::string::npos ? "" : text.substr(start, text.find('\n', start) - start);
    };
    EXPECT_EQ(line([](auto&) {}), "");
    EXPECT_EQ(line([](auto& q) { q.alpha = 2; }), "tiles go through the workspace: alpha");
    EXPECT_EQ(line([](auto& q) { q.beta = 2; }), "tiles go through the workspace: beta");
    EXPECT_EQ(line([](auto& q) { q.c_type = kai_dt_bf16; }), "tiles go through the workspace: conversion");
    EXPECT_EQ(line([](auto& q) { q.groups = q.scatters = true; }), "tiles go through the workspace: scattered");
    EXPECT_EQ(line([](auto& q) { q.alpha = 2, q.bias = true; }), "tiles go through the workspace: alpha bias");
    p.a_type = kai_dt_f16, p.b_type = kai_dt_bf16, p.b_constant = true;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(
        explain(&plan), head + "    rows of A copied first\n" + b + "copied, then packed by " + plan.rhs_packer->name +
                            ", once\n" + tiles_of(plan, 70) + tiles_of(plan, 1) + sizes_of(plan) +
                            "the kernel is pinned\n");
}

/// Plans with the kernels of this CPU.
TEST(GemmExplain, ChosenPlans) {
    size_t for_one_row = 0, in_place = 0;
    std::vector<kai_gemm_problem> problems;
    for (const kai_gemm_kind kind :
         {KAI_GEMM_INT8_CHANNEL, KAI_GEMM_INT4_CHANNEL, KAI_GEMM_INT4_BLOCK, KAI_GEMM_INT4_BLOCK_F16,
          KAI_GEMM_INT4_BLOCK_ZERO, KAI_GEMM_INT8_BLOCK_F16}) {
        problems.push_back(blocks_of(kind));
    }
    problems.push_back(kai_gemm_problem_of(9, 30, 40));
    problems.push_back(kai_gemm_problem_of(2, 30, 40));
    problems.back().b_transposed = true;
    kai_gemm_problem p = blocks_of(KAI_GEMM_GGUF);
    for (const kai_gguf_type_id type : {KAI_GGUF_Q8_0, KAI_GGUF_Q4_K, KAI_GGUF_Q2_K, KAI_GGUF_IQ3_S}) {
        for (const bool constant : {false, true}) {
            p.gguf_type = type, p.b_constant = constant;
            problems.push_back(p);
        }
    }
    for (const kai_gemm_problem& problem : problems) {
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&problem, &plan), KAI_GEMM_OK);
        const std::string text = explain(&plan);
        SCOPED_TRACE(text);
        const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
        const kai_ukernel &gemm = *plan.gemm.ukernel, &gemv = *plan.gemv.ukernel;
        const std::string portable = " (portable C++: this CPU has no kernel of its own)";
        EXPECT_TRUE(has(std::string("\nmany rows: ") + gemm.name + (gemm.features == 0 ? portable : "") + "\n"));
        const bool differs = &gemm != &gemv;
        EXPECT_EQ(has("\none row: "), differs);
        EXPECT_EQ(has(std::string("\none row: ") + gemv.name + (gemv.features == 0 ? portable : "") + "\n"), differs);
        const auto reads = [](const kai_ukernel& u) {
            return u.signature == KAI_UKERNEL_MATMUL_FILE || u.signature == KAI_UKERNEL_MATMUL_PLAIN;
        };
        EXPECT_EQ(has("    B read in place\n"), reads(gemm) || reads(gemv));
        in_place += reads(gemm) || reads(gemv);
        EXPECT_EQ(has("\nB as "), plan.rhs_packer != nullptr);
        EXPECT_EQ(has("dequantised, then packed"), problem.gguf_type == KAI_GGUF_IQ3_S);
        EXPECT_EQ(has(", at every run\n"), plan.rhs_packer != nullptr && !problem.b_constant);
        EXPECT_EQ(has(", once\n"), problem.b_constant);
        EXPECT_FALSE(has("pinned"));

        // Each candidate of the families appears once, with a reason.
        const size_t list = text.find("\ncandidates, of the families that were looked at:\n");
        ASSERT_NE(list, std::string::npos);
        for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
            const std::string start = std::string("\n    ") + u->name + ": ";
            const size_t at = text.find(start, list);
            const bool looked_at = u->family == gemm.family || u->family == gemv.family;
            ASSERT_EQ(at != std::string::npos, looked_at) << u->name;
            if (!looked_at) {
                continue;
            }
            EXPECT_EQ(text.find(start, at + 1), std::string::npos) << u->name;
            const std::string reason = text.substr(at + start.size(), text.find('\n', at + 1) - at - start.size());
            EXPECT_NE(reason, "") << u->name;
            EXPECT_EQ(reason == "chosen", u == &gemm) << u->name;
            EXPECT_EQ(reason == "chosen for one row", u == &gemv && differs) << u->name;
            for_one_row += reason == "chosen for one row";
        }
    }
    const bool aarch64 = kai_registry_runnable(uint64_t{1} << KAI_CPU_DOTPROD, nullptr, 0);
    EXPECT_TRUE(for_one_row != 0 || !aarch64);
    EXPECT_TRUE(in_place != 0 || !aarch64);
}

TEST(GemmExplain, NothingToMultiply) {
    kai_gemm_plan plan;
    kai_gemm_problem p = kai_gemm_problem_of(3, 4, 0);
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(explain(&plan), "3 x 4 x 0, 1 matrix\nnothing to multiply: k is 0\n");
    p = kai_gemm_problem_of(3, 4, 5), p.alpha = 0, p.batch = 0;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(explain(&plan), "3 x 4 x 5, 0 matrices\nnothing to multiply: alpha is 0\n");
}

/// Fewer workers than units: the caller is told which number to change, and why others have nothing to do.
TEST(GemmExplain, SmeUnitsThatLimitTheWorkers) {
    kai_gemm_problem p = kai_gemm_problem_of(64, 64, 64);
    p.a_type = p.b_type = p.c_type = kai_dt_f16;  // whose kernels beside SME have other bits
    for (const size_t sme_units : {0, 2, 8, 9}) {
        p.units = 8, p.sme_units = sme_units;
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
        const bool sme = (plan.gemm.ukernel->features & (uint64_t{1} << KAI_CPU_SME)) != 0;
        const std::string text = explain(&plan);
        EXPECT_EQ(plan.workers, sme && sme_units < 8 ? sme_units : 8U);
        EXPECT_EQ(
            text.find("\nworkers: 2 of 8 units, since sme_units is 2; kernels beside SME have other bits: "
                      "divides_columns lets them work\n") != std::string::npos,
            sme && sme_units == 2)
            << text;
        EXPECT_EQ(text.find("\nworkers: ") != std::string::npos, sme && sme_units < 8) << text;
    }
    p.a_type = p.c_type = kai_dt_f32, p.units = 8, p.sme_units = 2;
    p.b_kind = KAI_GEMM_INT2_CHANNEL, p.b_constant = p.b_transposed = true;
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    const std::string text = explain(&plan);
    EXPECT_EQ(text.find("; no kernel without SME reads this B\n") != std::string::npos, plan.workers < 8) << text;
}

// ---- packing and running ----

/// An experiment with something changed.
class GemmExplainRun : public testing::Test {
protected:
    void start(const Case& c) {
        of_ = c;
        e_.emplace(of_);
        ASSERT_EQ(e_->make_plan(), KAI_GEMM_OK);
        ASSERT_EQ(e_->pack(), KAI_GEMM_OK);
    }

    struct Call {
        kai_gemm_operands x;
        void* workspace;
        size_t size;
    };
    /// The sentence of a run that fails with `status`.
    template <typename Change>
    void expect(Change change, kai_gemm_status status, const std::string& text) {
        Call call = {e_->x, e_->workspace[0].data(), e_->workspace[0].size()};
        change(call);
        EXPECT_EQ(
            text_of([&](char* to, size_t size) {
                return kai_gemm_explain_run(&e_->plan, &call.x, call.workspace, call.size, to, size);
            }),
            text + "\n");
        kai_gemm_work work;
        EXPECT_EQ(kai_gemm_begin(&e_->plan, &call.x, call.workspace, call.size, &work), status) << text;
    }

    struct Packing {
        size_t matrix;
        kai_gemm_weights w;
        void *packed, *workspace;
        size_t packed_size, workspace_size;
    };
    template <typename Change>
    void expect_pack(Change change, kai_gemm_status status, const std::string& text) {
        Packing c = {
            0,
            e_->weights[0],
            e_->packed[0].data(),
            e_->pack_workspace[0].data(),
            e_->packed[0].size(),
            e_->pack_workspace[0].size()};
        change(c);
        EXPECT_EQ(
            text_of([&](char* to, size_t size) {
                return kai_gemm_explain_pack_b(
                    &e_->plan, c.matrix, &c.w, c.packed, c.packed_size, c.workspace, c.workspace_size, to, size);
            }),
            text + "\n");
        EXPECT_EQ(
            kai_gemm_pack_b(
                &e_->plan, c.matrix, &c.w, c.packed, c.packed_size, c.workspace, c.workspace_size, nullptr, nullptr),
            status)
            << text;
    }

    static Case dense() {
        Case c;
        c.p = kai_gemm_problem_of(7, 33, 20);
        c.p.b_constant = true, c.p.bias = true, c.p.batch = 3, c.p.units = c.p.sme_units = 3, c.p.a_transposed = true;
        c.m = 6;
        return c;
    }

    Case of_;
    std::optional<Experiment> e_;
};

std::string number(size_t x) {
    return std::to_string(x);
}

TEST_F(GemmExplainRun, Operands) {
    start(dense());
    const kai_gemm_plan& plan = e_->plan;
    const std::string size = number(plan.workspace_size);
    ASSERT_NE(plan.workspace_size, 0U);
    const auto null = KAI_GEMM_NULL_POINTER;
    expect([](auto& c) { c.x.a.data = nullptr; }, null, SAID(absent, "a.data"));
    expect([](auto& c) { c.x.b.data = nullptr; }, null, SAID(absent, "packed b"));
    expect([](auto& c) { c.x.c.data = nullptr; }, null, SAID(absent, "c.data"));
    uint8_t byte;
    const void* const a_table[] = {&byte, &byte, nullptr};
    void* const c_table[] = {&byte, nullptr, &byte};
    expect([&](auto& c) { c.x.a.table = a_table; }, null, SAID(absent_entry, 2, "a"));
    expect([&](auto& c) { c.x.c.table = c_table; }, null, SAID(absent_entry, 1, "c"));
    expect([](auto& c) { c.x.m = 8; }, KAI_GEMM_TOO_MANY_ROWS, SAID(many_rows_of_run, 8, 7));
    expect([](auto& c) { c.x.a.ld = 23; }, KAI_GEMM_BAD_STRIDE, SAID(short_stride, "a.ld", 23, 24, "row"));
    expect([](auto& c) { c.x.c.ld = 131; }, KAI_GEMM_BAD_STRIDE, SAID(short_stride, "c.ld", 131, 132, "row"));
    expect(
        [](auto& c) { c.x.c.stride = 791; }, KAI_GEMM_BAD_STRIDE, SAID(short_stride, "c.stride", 791, 792, "matrix"));
    expect([](auto& c) { c.x.a.ld = kMost / 4; }, KAI_GEMM_OVERFLOW, SAID(large_matrices, "a", 3, 20, kMost / 4, 0));
    expect([](auto& c) { c.workspace = nullptr; }, null, SAID_AS(absent_bytes, "workspace", size));
    expect(
        [](auto& c) { c.size -= 64; }, KAI_GEMM_TOO_SMALL,
        SAID(few_bytes, "workspace", plan.workspace_size - 64, plan.workspace_size));
    expect(
        [](auto& c) { c.workspace = static_cast<uint8_t*>(c.workspace) + 4; }, KAI_GEMM_MISALIGNED,
        SAID(unaligned, "workspace", 4, 64));
    kai_gemm_work work;
    ASSERT_EQ(kai_gemm_begin(&plan, &e_->x, e_->workspace[0].data(), e_->workspace[0].size(), &work), KAI_GEMM_OK);
    std::string fine = std::string("nothing is wrong: up to 6 rows a matrix, ") + work.kernel->ukernel->name;
    for (size_t i = 0; i < work.phases; ++i) {
        fine += "\nphase " + number(i) + ": " + number(work.units[i]) + (work.units[i] == 1 ? " unit" : " units");
    }
    expect([](auto&) {}, KAI_GEMM_OK, fine);
    expect([](auto& c) { c.x.m = 0; }, KAI_GEMM_OK, "nothing is wrong: an empty run");
    EXPECT_EQ(
        text_of([&](char* to, size_t n) { return kai_gemm_explain_run(&plan, nullptr, nullptr, 0, to, n); }),
        SAID(absent, "operands") + "\n");
}

TEST_F(GemmExplainRun, VariableWeights) {
    Case c = dense();
    c.p.b_constant = false;
    start(c);
    expect([](auto& x) { x.x.b.data = nullptr; }, KAI_GEMM_NULL_POINTER, SAID(absent, "b.data"));
    expect([](auto& x) { x.x.bias = nullptr; }, KAI_GEMM_NULL_POINTER, SAID(absent_but_needed, "bias", "problem.bias"));
    expect([](auto& x) { x.x.b.ld = 1; }, KAI_GEMM_BAD_STRIDE, SAID(short_stride, "b.ld", 1, 132, "row"));
    kai_gemm_weights w = {};
    EXPECT_EQ(
        text_of([&](char* to, size_t n) {
            return kai_gemm_explain_pack_b(&e_->plan, 0, &w, nullptr, 0, &w, kMost, to, n);
        }),
        SAID(not_packed_before) + "\n");
}

TEST_F(GemmExplainRun, Groups) {
    Case c = dense();
    c.p.groups = c.p.scatters = true, c.p.m = 9, c.p.beta = 0;
    c.rows = {4, 0, 2}, c.a_rows = {9, 9, 0, 1, 2, 8}, c.a_row_count = 10, c.m = 0;
    c.c_rows = {2, 0, 2, 1, 2, 0}, c.c_row_count = 3;
    start(c);
    expect(
        [](auto& x) { x.x.rows = nullptr; }, KAI_GEMM_NULL_POINTER, SAID(absent_but_needed, "rows", "problem.groups"));
    const size_t rows[] = {4, 0, 6};
    expect([&](auto& x) { x.x.rows = rows; }, KAI_GEMM_TOO_MANY_ROWS, SAID(many_rows_of_run, 10, 9));
    expect(
        [](auto& x) { x.x.a_row_count = 9; }, KAI_GEMM_BAD_VALUE,
        SAID(index_too_large, "a_rows", 0, 9, "a_row_count", 9));
    expect(
        [](auto& x) { x.x.c_row_count = 2; }, KAI_GEMM_BAD_VALUE,
        SAID(index_too_large, "c_rows", 0, 2, "c_row_count", 2));
    expect(
        [](auto& x) { x.x.c_rows = nullptr; }, KAI_GEMM_NULL_POINTER,
        SAID(absent_but_needed, "c_rows", "problem.scatters"));
}

TEST_F(GemmExplainRun, Lowp) {
    kai_gemm_problem p = integers_of(KAI_GEMM_INT8_LOWP);
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    const int32_t multiplier[20] = {}, shift[20] = {0, 0, 0, 32};
    kai_matmul_lowp_params lowp = {};
    lowp.pipeline = KAI_LOWP_FIXED_POINT, lowp.per_channel = true, lowp.min_value = -128, lowp.max_value = 127;
    lowp.multiplier = multiplier, lowp.shift = shift;
    std::vector<int8_t> a(5 * 64), c(5 * 20), packed(plan.packed_b_size);
    const auto said = [&](auto change) {
        kai_matmul_lowp_params changed = lowp;
        kai_gemm_operands x = {};
        x.m = 5, x.a.data = a.data(), x.b.data = packed.data(), x.c.data = c.data(), x.lowp = &changed;
        change(x, changed);
        return text_of([&](char* to, size_t n) { return kai_gemm_explain_run(&plan, &x, nullptr, 0, to, n); });
    };
    EXPECT_EQ(said([](auto& x, auto&) { x.lowp = nullptr; }), SAID(absent_but_needed, "lowp", "INT8_LOWP") + "\n");
    EXPECT_EQ(
        said([](auto&, auto& l) { l.multiplier = nullptr; }),
        SAID(absent_but_needed, "lowp->multiplier", "INT8_LOWP") + "\n");
    EXPECT_EQ(
        said([](auto&, auto& l) { l.shift = nullptr; }), SAID(absent_but_needed, "lowp->shift", "INT8_LOWP") + "\n");
    EXPECT_EQ(said([](auto&, auto&) {}), SAID(entry_out_of_range, "lowp->shift", 3, 32, -31, 31) + "\n");
    EXPECT_EQ(
        said([](auto&, auto& l) { l.pipeline = KAI_LOWP_LEGACY; }),
        SAID(entry_out_of_range, "lowp->shift", 3, 32, 0, 31) + "\n");
    EXPECT_EQ(
        said([](auto&, auto& l) { l.min_value = 5, l.max_value = -6; }),
        SAID(out_of_order, "lowp->min_value", 5, "lowp->max_value", -6) + "\n");
    EXPECT_EQ(
        said([](auto&, auto& l) { l.pipeline = static_cast<kai_lowp_pipeline>(7); }),
        SAID(no_enumerator, "lowp->pipeline", 7, "kai_lowp_pipeline") + "\n");
}

TEST_F(GemmExplainRun, Weights) {
    Case c = dense();
    c.p.b_transposed = true, c.p.b_type = kai_dt_f16, c.p.b_per_matrix = true;
    start(c);
    const kai_gemm_plan& plan = e_->plan;
    const auto null = KAI_GEMM_NULL_POINTER;
    const std::string size = number(plan.packed_b_size), space = number(plan.pack_workspace_size);
    expect_pack([](auto& x) { x.w.b = nullptr; }, null, SAID(absent, "weights.b"));
    expect_pack([](auto& x) { x.w.bias = nullptr; }, null, SAID(absent_but_needed, "weights.bias", "problem.bias"));
    expect_pack([](auto& x) { x.matrix = 3; }, KAI_GEMM_NO_UNIT, SAID(no_matrix, 3, 3));
    expect_pack([](auto& x) { x.packed = nullptr; }, null, SAID_AS(absent_bytes, "packed", size));
    expect_pack(
        [](auto& x) { --x.packed_size; }, KAI_GEMM_TOO_SMALL,
        SAID(few_bytes, "packed", plan.packed_b_size - 1, plan.packed_b_size));
    expect_pack([](auto& x) { x.workspace = nullptr; }, null, SAID_AS(absent_bytes, "workspace", space));
    expect_pack(
        [](auto& x) { --x.workspace_size; }, KAI_GEMM_TOO_SMALL,
        SAID(few_bytes, "workspace", plan.pack_workspace_size - 1, plan.pack_workspace_size));
    expect_pack(
        [](auto& x) { x.workspace = static_cast<uint8_t*>(x.workspace) + 32; }, KAI_GEMM_MISALIGNED,
        SAID(unaligned, "workspace", 32, 64));
    expect_pack([](auto& x) { x.w.ldb = 39; }, KAI_GEMM_BAD_STRIDE, SAID(short_stride, "weights.ldb", 39, 40, "row"));
    expect_pack(
        [](auto& x) { x.w.ldb = kMost / 4; }, KAI_GEMM_OVERFLOW, SAID(large_stride, "weights.ldb", kMost / 4, 33));
    const std::string units = number(plan.pack_units) + (plan.pack_units == 1 ? " unit, " : " units, ");
    expect_pack([](auto&) {}, KAI_GEMM_OK, "nothing is wrong: " + units + size + " bytes");
    EXPECT_EQ(
        text_of([&](char* to, size_t n) {
            return kai_gemm_explain_pack_b(&plan, 0, nullptr, nullptr, 0, nullptr, 0, to, n);
        }),
        SAID(absent, "weights") + "\n");
}

TEST_F(GemmExplainRun, QuantisedWeights) {
    Case c;
    c.p = blocks_of(KAI_GEMM_INT4_BLOCK), c.p.k = 64;
    c.m = 5;
    start(c);
    const auto null = KAI_GEMM_NULL_POINTER;
    expect_pack([](auto& x) { x.w.scale = nullptr; }, null, SAID(absent_but_needed, "weights.scale", "INT4_BLOCK"));
    expect_pack(
        [](auto& x) { x.w.scale_stride = 3; }, KAI_GEMM_BAD_STRIDE,
        SAID(short_stride, "weights.scale_stride", 3, 4, "column"));
    expect_pack(
        [](auto& x) { x.w.scale_stride = kMost / 4; }, KAI_GEMM_OVERFLOW,
        SAID(large_stride, "weights.scale_stride", kMost / 4, 20));
    c.p.b_kind = KAI_GEMM_INT4_BLOCK_ZERO;
    start(c);
    expect_pack([](auto& x) { x.w.zero = nullptr; }, null, SAID(absent_but_needed, "weights.zero", "INT4_BLOCK_ZERO"));
    c.p.b_kind = KAI_GEMM_INT4_CHANNEL;
    start(c);
    expect_pack(
        [](auto& x) { x.w.zero_point = 7; }, KAI_GEMM_BAD_VALUE, SAID(other_of_two, "weights.zero_point", 7, 0, 8));
}

}  // namespace
}  // namespace test::gemm
