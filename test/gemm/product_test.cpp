// Products of every kind, with every option, against their definition.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "kai/kai_call.h"
#include "test/gemm/experiment.hpp"

namespace test::gemm {
namespace {

class GemmProduct : public testing::TestWithParam<kai_gemm_kind> {};

TEST_P(GemmProduct, RandomProblems) {
    Random random(2026 + GetParam());
    int failed = 0;
    for (size_t i = 0; i < case_count() && failed < 3; ++i) {
        const Case c = random_case(GetParam(), random);
        SCOPED_TRACE(testing::Message() << "case " << i << ": " << c);
        Experiment e(c);
        Schedule how;
        how.at_once = random.integer(0, 1) != 0;
        how.shuffle = random.next();
        failed += !e.succeeds(how);
    }
}

/// The results of a case by several schedules, with the memory as the run before left it.
TEST_P(GemmProduct, SameBitsOnAnyThreads) {
    Random random(4711 + GetParam());
    for (size_t i = 0; i < case_count() / 10; ++i) {
        const Case c = random_case(GetParam(), random);
        SCOPED_TRACE(testing::Message() << "case " << i << ": " << c);
        Experiment e(c);
        ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
        ASSERT_EQ(e.pack(), KAI_GEMM_OK);
        ASSERT_EQ(e.run(), KAI_GEMM_OK);
        e.check();
        const std::vector<uint8_t> c_bytes = e.c_bytes();
        const std::vector<uint8_t> packed = c.p.b_constant ? e.packed[0].bytes() : std::vector<uint8_t>{};
        for (size_t threads = 1; threads <= 8; threads += i % 3 + 1) {
            Schedule how;
            how.threads = threads, how.shuffle = random.next(), how.at_once = threads % 2 == 0;
            if (c.p.b_constant) {
                std::fill_n(e.packed[0].data(), e.packed[0].size(), uint8_t{0xFF});
                ASSERT_EQ(e.pack(how), KAI_GEMM_OK);
                ASSERT_TRUE(e.packed[0].bytes() == packed) << threads << " threads, packing";
            }
            e.reset_c();
            ASSERT_EQ(e.run(how), KAI_GEMM_OK);
            ASSERT_TRUE(e.c_bytes() == c_bytes) << threads << " threads";
        }
        ASSERT_FALSE(HasFailure());
    }
}

TEST_P(GemmProduct, SameBitsForAnyUnits) {
    Random random(815 + GetParam());
    for (size_t i = 0; i < case_count() / 10; ++i) {
        Case c = random_case(GetParam(), random);
        SCOPED_TRACE(testing::Message() << "case " << i << ": " << c);
        std::vector<uint8_t> first;
        for (const size_t units : {size_t{1}, size_t{2}, size_t{7}, size_t{64}}) {
            c.p.units = c.p.sme_units = units;
            c.p.l1_bytes = random.integer(0, 1) != 0 ? 2048 : 65536, c.p.l2_bytes = 16 * c.p.l1_bytes;
            Experiment e(c);
            ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
            ASSERT_EQ(e.pack(), KAI_GEMM_OK);
            ASSERT_EQ(e.run(), KAI_GEMM_OK);
            first = first.empty() ? e.c_bytes() : first;
            ASSERT_TRUE(e.c_bytes() == first) << units << " units";
        }
    }
}

/// All matrices of the batch share A.
TEST_P(GemmProduct, SameBitsAnywhereInTheBatch) {
    Random random(42 + GetParam());
    for (size_t i = 0; i < case_count() / 10; ++i) {
        Case c = random_case(GetParam(), random);
        if (c.p.groups || c.p.batch == 0) {
            continue;
        }
        c.p.batch = 5, c.p.b_per_matrix = false, c.p.beta = 0, c.numbers = Numbers::random;
        SCOPED_TRACE(testing::Message() << "case " << i << ": " << c);
        Experiment e(c);
        const std::vector<const void*> table(c.p.batch, c.a_table ? e.x.a.table[0] : e.x.a.data);
        e.x.a.table = table.data();
        ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
        ASSERT_EQ(e.pack(), KAI_GEMM_OK);
        ASSERT_EQ(e.run(), KAI_GEMM_OK);
        const std::vector<uint8_t> first = e.c_matrix(0);
        for (size_t matrix = 1; matrix < c.p.batch; ++matrix) {
            ASSERT_TRUE(e.c_matrix(matrix) == first) << "matrix " << matrix;
        }
    }
}

/// Rows of A that are empty and would be transposed: kernels that do not pack them copy nothing.
TEST_P(GemmProduct, WithoutDepth) {
    Random random(31 + GetParam());
    for (size_t i = 0; i < 12; ++i) {
        Case c = random_case(GetParam(), random);
        if (c.p.groups) {
            continue;
        }
        c.p.k = 0, c.p.a_transposed = true, c.p.m = c.m = 1 + i % 3, c.flush = Flush::end;
        SCOPED_TRACE(testing::Message() << "case " << i << ": " << c);
        Experiment e(c);
        ASSERT_TRUE(e.succeeds({}));
    }
}

/// Rows around the number up to which units pack or copy them on demand: more are made before, in parts.
TEST_P(GemmProduct, RowsMadeBefore) {
    for (const bool transposed : {false, true}) {
        for (const bool groups : {false, true}) {
            Case c;
            kai_gemm_problem& p = c.p;
            p = kai_gemm_problem_of(1000, 21, 512);
            p.b_kind = GetParam(), p.b_constant = true, p.b_transposed = !c.is_static();
            p.bl = has_blocks(GetParam()) ? 32 : 0, p.a_transposed = transposed, p.units = p.sme_units = 3;
            if (c.is_static()) {
                p.a_type = p.c_type = kai_dt_int8;
            }
            kai_gemm_plan plan;
            ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
            for (const size_t rows : {plan.layout.few_rows_max, plan.layout.few_rows_max + 1}) {
                p.groups = groups, p.batch = groups ? 2 : 1;
                c.rows.assign(groups ? 2 : 0, rows), c.m = groups ? 0 : rows, p.m = groups ? 2 * rows : rows;
                SCOPED_TRACE(testing::Message() << c);
                Experiment e(c);
                Schedule how;
                how.threads = 3, how.shuffle = 7;
                ASSERT_TRUE(e.succeeds(how));
            }
        }
    }
}

/// Rows of B that are one byte too short to follow each other, of odd lengths where the kind has them.
TEST_P(GemmProduct, RowsThatOverlap) {
    for (const bool transposed : {false, true}) {
        Case c;
        kai_gemm_problem& p = c.p;
        p = kai_gemm_problem_of(3, 21, GetParam() == KAI_GEMM_INT2_CHANNEL || has_blocks(GetParam()) ? 64 : 37);
        p.b_kind = GetParam(), p.b_constant = true, p.b_transposed = transposed, p.bl = has_blocks(GetParam()) ? 32 : 0;
        if (c.is_static()) {
            p.a_type = p.c_type = kai_dt_int8;
        }
        c.m = 3, c.explicit_strides = true;
        SCOPED_TRACE(testing::Message() << c);
        kai_gemm_plan plan;
        if (kai_gemm_make_plan(&p, &plan) == KAI_GEMM_BAD_COMBINATION) {
            continue;  // not in this order
        }
        Experiment e(c);
        ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
        EXPECT_EQ(e.pack(), KAI_GEMM_OK);
        --e.weights[0].ldb;
        EXPECT_EQ(e.pack(), KAI_GEMM_BAD_STRIDE);
    }
}

/// Matrices that follow each other, with and without gaps, of every order, B packed or read in place.
TEST(GemmBatch, MatricesInOneBuffer) {
    for (int flags = 0; flags < 64; ++flags) {
        const auto flag = [&](int i) { return (flags >> i & 1) != 0; };
        Case c;
        kai_gemm_problem& p = c.p;
        p = kai_gemm_problem_of(flag(5) ? 90 : 5, 23, 34);
        p.batch = 3, p.b_per_matrix = true, p.a_transposed = flag(0), p.b_transposed = flag(1), p.bias = flag(2);
        c.a_gap = c.b_gap = c.c_gap = flag(3) ? 3 : 0, c.matrix_gap = flag(4) ? 5 : 0;
        c.m = p.m - 1, c.seed = 5;
        SCOPED_TRACE(testing::Message() << c);
        Experiment e(c);
        ASSERT_TRUE(e.succeeds());
    }
}

/// Products beyond f16 whose results are not: scaled, added to C, with a bias, of every kind, by any kernel.
TEST_P(GemmProduct, BeyondF16BeforeTheLastStep) {
    enum Reason { scaled, added, biased, scattered, plain, reasons };
    if (is_static(GetParam())) {
        GTEST_SKIP() << "its results are int8";
    }
    Random random(99 + GetParam());
    size_t beyond = 0;
    for (const kai_datatype c_type : {kai_dt_f16, kai_dt_bf16}) {
        for (int i = 0; i < reasons * 6; ++i) {
            const int reason = i % reasons;
            Case c;
            kai_gemm_problem& p = c.p;
            p = kai_gemm_problem_of(1 + i % 3 * 4, 37, 256);
            p.b_kind = GetParam(), p.bl = has_blocks(GetParam()) ? 32 : 0;
            p.a_type = i % 2 == 0 ? c_type : kai_dt_f32, p.c_type = c_type;
            p.b_type = i % 4 < 2 ? c_type : kai_dt_f32;
            p.b_constant = reason != plain || GetParam() != KAI_GEMM_DENSE, p.b_transposed = true;
            p.bias = reason >= biased;
            p.alpha = 1.0F / 256, p.beta = reason == added ? 0.5F : 0;
            c.m = p.m, c.a_power = GetParam() == KAI_GEMM_DENSE ? 11 : 8, c.seed = random.next();
            if (reason == scattered) {
                p.groups = p.scatters = true;
                c.rows = {p.m}, c.m = 0, c.c_row_count = p.m;
                for (size_t row = 0; row < p.m; ++row) {
                    c.c_rows.push_back(row / 2);
                }
            }
            SCOPED_TRACE(testing::Message() << c);
            Experiment e(c);
            ASSERT_TRUE(e.succeeds());
            const std::vector<uint8_t> results = e.c_bytes();
            float largest = 0;
            for (size_t at = 0; at < results.size(); at += size_of(c_type)) {
                largest = std::max(largest, std::abs(load(&results[at], c_type)));
            }
            beyond += static_cast<size_t>(largest > 65504 * p.alpha + 20);
            EXPECT_LT(largest, 65504);
        }
    }
    EXPECT_GT(beyond, 2 * reasons * 6 / 3) << "of the products of this test few are beyond f16";
}

std::string kind_name(const testing::TestParamInfo<kai_gemm_kind>& info) {
    return name_of(info.param);
}

INSTANTIATE_TEST_SUITE_P(, GemmProduct, testing::ValuesIn(kKinds), kind_name);

// ---- experts of a mixture ----

/// 6 experts, of which some get one row each: a token, or the rows of some tokens.
Case decode_of_experts(kai_gemm_kind kind) {
    Case c;
    c.p = kai_gemm_problem_of(7, 37, 64);
    c.p.b_kind = kind, c.p.b_constant = c.p.b_transposed = c.p.b_per_matrix = true;
    c.p.bl = has_blocks(kind) ? 32 : 0;
    c.p.batch = 6, c.p.groups = true;
    c.rows = {1, 0, 1, 1, 0, 1}, c.a_rows = {1, 0, 1, 1}, c.a_row_count = 2;
    return c;
}

/// Each row of A is packed once, or read where it is, however many experts take it.
TEST(GemmExperts, DecodeSharesTheRowsOfA) {
    for (const kai_gemm_kind kind : {KAI_GEMM_INT4_BLOCK_F16, KAI_GEMM_INT8_CHANNEL, KAI_GEMM_DENSE}) {
        for (const bool transposed : {false, true}) {
            Case c = decode_of_experts(kind);
            c.p.a_transposed = transposed;
            SCOPED_TRACE(testing::Message() << c);
            Experiment e(c);
            ASSERT_TRUE(e.succeeds());
            // In the workspace there is nothing beyond the rows of A.
            const kai_gemm_kernel& kernel = e.plan.gemv;
            const uint8_t *lhs = e.workspace[0].data() + e.plan.layout.lhs, *end = lhs;
            if (kernel.lhs_packer != nullptr) {
                kai_call call = {};
                call.ukernel = kernel.ukernel, call.lhs_packer = kernel.lhs_packer;
                call.m = c.a_row_count * kernel.ukernel->get_mr(), call.n = c.p.n, call.k = c.p.k, call.bl = c.p.bl;
                end = lhs + kai_call_lhs_packed_size(&call);
            } else if (transposed) {
                end = lhs + c.a_row_count * c.p.k * sizeof(float);
            }
            const uint8_t* const slots = e.workspace[0].data() + e.plan.layout.slots;
            ASSERT_LT(end, slots);
            EXPECT_TRUE(std::all_of(end, slots, [](uint8_t byte) { return byte == 0xFF; }));
        }
    }
}

/// Rows of A that several experts share lie apart by panels, whatever the kernel: a row after two others.
TEST(GemmExperts, DecodeWithAnyKernel) {
    size_t ran = 0, panels = 0;
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        if (u->rows == KAI_ROWS_ONE || u->signature >= KAI_UKERNEL_IMATMUL ||
            !kai_registry_runnable(u->features, nullptr, 0)) {
            continue;
        }
        for (const kai_gemm_kind kind : kKinds) {
            Case c = decode_of_experts(kind);
            c.p.pin = u->name, c.p.batch = c.p.m = 4;
            c.rows = {1, 1, 1, 1}, c.a_rows = {0, 1, 2, 1}, c.a_row_count = 3;
            if (c.is_static()) {
                c.p.a_type = c.p.c_type = kai_dt_int8, c.p.b_transposed = false;
            } else if (u->dst_type == kai_dt_f16 || u->dst_type == kai_dt_bf16) {
                c.p.a_type = c.p.b_type = c.p.c_type = u->dst_type;
            }
            c.p.allow_bf16 = c.p.allow_f16 = kind == KAI_GEMM_DENSE;
            kai_gemm_plan plan;
            if (kai_gemm_make_plan(&c.p, &plan) != KAI_GEMM_OK) {
                continue;
            }
            SCOPED_TRACE(testing::Message() << c);
            Experiment e(c);
            ASSERT_TRUE(e.succeeds());
            ++ran, panels += static_cast<size_t>(plan.gemv.lhs_packer != nullptr && u->get_mr() > 1);
        }
    }
    std::printf("%zu kernels, %zu with panels of several rows of A\n", ran, panels);
    EXPECT_NE(ran, 0U);
}

/// More groups than a line of the cache has states, with as few rows as make the most panels.
TEST(GemmExperts, ManyGroupsOfARow) {
    for (const kai_gemm_kind kind : kKinds) {
        for (const size_t most : {1, 2, 5}) {
            for (const bool gathered : {false, true}) {
                Case c;
                kai_gemm_problem& p = c.p;
                p = kai_gemm_problem_of(0, 21, 64);
                p.b_kind = kind, p.b_constant = true;
                p.b_transposed = kind != KAI_GEMM_INT8_STATIC, p.bl = has_blocks(p.b_kind) ? 32 : 0;
                if (c.is_static()) {
                    p.a_type = p.c_type = kai_dt_int8;
                }
                p.batch = 40, p.groups = true, p.units = p.sme_units = 3;
                c.rows.assign(p.batch, 1);
                c.rows[17] = most;
                p.m = c.all_rows();
                if (gathered) {
                    c.a_row_count = p.m + 3;
                    for (size_t i = 0; i < p.m; ++i) {
                        c.a_rows.push_back((i * 7 + 3) % c.a_row_count);
                    }
                }
                SCOPED_TRACE(testing::Message() << c);
                Experiment e(c);
                Schedule how;
                how.threads = 3, how.shuffle = 5;
                ASSERT_TRUE(e.succeeds(how));
            }
        }
    }
}

/// The second layer of the experts: results are weighted and summed for each token.
TEST(GemmExperts, WeightedSums) {
    for (const kai_gemm_kind kind : {KAI_GEMM_INT4_BLOCK_F16, KAI_GEMM_INT8_CHANNEL, KAI_GEMM_DENSE}) {
        for (const size_t units : {1, 3}) {
            Case c = decode_of_experts(kind);
            c.p.scatters = true, c.p.units = c.p.sme_units = units;
            c.a_rows.clear(), c.a_row_count = 0;
            c.c_rows = {1, 0, 1, 1}, c.c_row_count = 3, c.c_weights = {0.5F, 2, -1, 0.25F};
            SCOPED_TRACE(testing::Message() << c);
            Experiment decode(c);
            ASSERT_TRUE(decode.succeeds());
            c.rows = {3, 0, 2, 1, 0, 1}, c.c_rows = {1, 0, 2, 1, 2, 0, 1};
            c.c_weights.insert(c.c_weights.end(), {1, 0, 0.5F});
            Experiment prefill(c);
            Schedule how;
            how.threads = units, how.shuffle = 5;
            ASSERT_TRUE(prefill.succeeds(how));
        }
    }
}

/// Matrices that are packed for each run: those of experts without rows are not.
TEST(GemmExperts, PromptPacksThoseWithRows) {
    Case c = decode_of_experts(KAI_GEMM_DENSE);
    c.p.b_constant = false, c.p.n = 64, c.p.m = 160;
    c.rows = {70, 0, 40, 30, 0, 20}, c.a_rows.clear(), c.a_row_count = 0;
    for (const size_t units : {1, 3}) {
        c.p.units = c.p.sme_units = units;
        SCOPED_TRACE(testing::Message() << c);
        Experiment e(c);
        Schedule how;
        how.threads = units, how.shuffle = 5;
        ASSERT_TRUE(e.succeeds(how));
        ASSERT_NE(e.plan.rhs_packer, nullptr);
        for (size_t i = 0; i < c.rows.size(); ++i) {
            const uint8_t* panels = e.workspace[0].data() + e.plan.layout.b + i * e.plan.packed_b_stride;
            const bool untouched =
                std::all_of(panels, panels + e.plan.panels_size, [](uint8_t byte) { return byte == 0xFF; });
            EXPECT_EQ(untouched, c.rows[i] == 0) << "expert " << i;
        }
    }
}

// ---- every kernel ----

/// What no kind of weights needs: indirect matmul, depthwise convolution, most of the unified API, rows of f16 times
/// int4. (8-bit floating point: f8_test.cpp.)
bool is_for_other_callers(const kai_ukernel& u) {
    if (std::strncmp(u.family, "matmul_unified_f32_qai8dxp", 26) == 0 ||
        std::strcmp(u.family, "matmul_unified_qai8_qsu2") == 0) {
        return false;
    }
    return u.signature >= KAI_UKERNEL_IMATMUL || std::strcmp(u.family, "matmul_clamp_f32_f16p_qsi4c32p") == 0 ||
           std::strncmp(u.rhs_format, "f8", 2) == 0;
}

/// Only rows of GGUF files are packed for it: gguf_test.cpp. (The layer has no kind for a table of the caller's.)
bool is_for_files(const kai_ukernel& u) {
    const kai_packer* first = kai_registry_rhs_packer(&u, 0);
    if (std::strchr(u.rhs_format, 'p') == nullptr || (first != nullptr && first->signature != KAI_RHS_PACK_NXK_TABLE)) {
        return false;
    }
    for (size_t i = 0; i < kai_gguf_type_count(); ++i) {
        if (kai_registry_gguf_packer(&u, kai_gguf_type_at(i)->id) != nullptr) {
            return true;
        }
    }
    return false;
}

/// Chosen by pin, and by their packed format.
TEST(GemmKernels, EachThatCanRun) {
    std::set<std::string> ran, formats;
    size_t refused = 0, able = 0, unable = 0;
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        if (is_for_other_callers(*u)) {
            continue;
        }
        char reason[256];
        if (!kai_registry_runnable(u->features, reason, sizeof(reason))) {
            std::printf("not tested: %s (%s)\n", u->name, reason);
            ++unable;
            continue;
        }
        if (is_for_files(*u)) {
            continue;
        }
        ++able;
        const kai_gemm_format format = {u->rhs_format, u->get_nr(), u->get_kr(), u->get_sr()};
        for (const kai_gemm_kind kind : kKinds) {
            for (size_t j = 0; j < case_count() / 30 + 8; ++j) {
                Random random(j * 1000 + i);
                const bool by_format = j % 3 == 2 && std::strchr(u->rhs_format, 'p') != nullptr;
                Case c = random_case(kind, random, by_format ? nullptr : u->name, by_format ? &format : nullptr);
                if (j < 2) {  // certainly multiplied, and stored directly
                    c.p.alpha = 1, c.p.beta = 0, c.p.scatters = false, c.p.c_transposed = 0;
                    c.p.k = std::max(c.p.k, std::max<size_t>(c.p.bl, 32));
                }
                if (j % 2 == 0 && !c.is_static() && u->dst_type != kai_dt_int8) {
                    c.p.c_type = u->dst_type;
                    c.p.allow_bf16 = c.p.allow_f16 = kind == KAI_GEMM_DENSE;
                    const bool reads_f16 = std::strncmp(u->lhs_format, "f16", 3) == 0;  // as it lies, or packed
                    if (c.p.allow_f16 && (reads_f16 || c.p.c_type == kai_dt_f16)) {
                        c.p.a_type = c.p.b_type = kai_dt_f16;
                    }
                }
                SCOPED_TRACE(testing::Message() << "case " << j << ": " << c);
                kai_gemm_plan plan;
                const kai_gemm_status status = kai_gemm_make_plan(&c.p, &plan);
                // A kernel for SME may read a format of this name, of any size, and to f32, unlike this one.
                const bool for_sme = by_format && u->dst_type == kai_dt_f16 && c.p.c_type != kai_dt_f16;
                if ((for_sme && status == KAI_GEMM_CPU_LACKS) || status == KAI_GEMM_WRONG_KERNEL ||
                    status == KAI_GEMM_UNKNOWN_FORMAT || status == KAI_GEMM_UNSUPPORTED ||
                    status == KAI_GEMM_BAD_COMBINATION) {
                    ++refused;
                    if (j > 6 && ran.count(u->name + std::to_string(kind)) == 0) {
                        break;  // not of this kind
                    }
                    continue;
                }
                if (by_format && c.multiplies()) {
                    EXPECT_STREQ(plan.format.name, format.name);
                    EXPECT_TRUE(
                        plan.format.nr == format.nr && plan.format.kr == format.kr && plan.format.sr == format.sr);
                    formats.insert(format.name);
                } else if (c.multiplies()) {
                    EXPECT_STREQ(plan.gemm.ukernel->name, u->name);
                    EXPECT_EQ(plan.gemv.ukernel, plan.gemm.ukernel);
                    ran.insert(u->name);
                    ran.insert(u->name + std::to_string(kind));
                }
                Experiment e(c);
                Schedule how;
                how.shuffle = random.next();
                ASSERT_TRUE(e.succeeds(how));
            }
        }
        EXPECT_EQ(ran.count(u->name), 1U) << u->name << " was not chosen for any kind";
    }
    std::printf("kernels: %zu ran, %zu skipped\n", able, unable);
    std::printf("%zu names of formats, %zu plans refused\n", formats.size(), refused);
}

/// A run of one unit is one call of the kernel, but of a kernel for one row as many as there are rows.
TEST(GemmKernels, SeveralRowsByThoseForOne) {
    size_t kernels = 0, several = 0;
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        if (u->rows != KAI_ROWS_ONE || is_for_other_callers(*u) || is_for_files(*u) ||
            !kai_registry_runnable(u->features, nullptr, 0)) {
            continue;
        }
        ++kernels;
        for (const kai_gemm_kind kind : kKinds) {
            Case c;
            kai_gemm_problem& p = c.p;
            p = kai_gemm_problem_of(3, 21, 64), c.m = p.m;
            p.b_kind = kind, p.b_constant = true, p.pin = u->name, p.units = p.sme_units = 1;
            p.bl = has_blocks(kind) ? 32 : 0, p.b_transposed = !c.is_static();
            p.a_type = p.c_type = c.is_static() ? kai_dt_int8 : u->dst_type;
            if (std::strncmp(u->lhs_format, "f16", 3) == 0) {
                p.a_type = p.b_type = kai_dt_f16;
            }
            p.allow_bf16 = p.allow_f16 = kind == KAI_GEMM_DENSE;
            kai_gemm_plan plan;
            if (kai_gemm_make_plan(&p, &plan) != KAI_GEMM_OK) {
                continue;
            }
            SCOPED_TRACE(testing::Message() << c);
            EXPECT_TRUE(plan.direct);
            Experiment e(c);
            ASSERT_TRUE(e.succeeds());
            ++several;
        }
    }
    std::printf("%zu kernels for one row, %zu products\n", kernels, several);
    if (kernels == 0) {
        GTEST_SKIP() << "no kernel for one row runs here";
    }
    EXPECT_GE(several, kernels);
}

}  // namespace
}  // namespace test::gemm
