// Invalid input gives a status and a sentence, and nothing is written; input at the limits is accepted.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "test/gemm/experiment.hpp"
#include "test/support/disabled_features.hpp"

namespace test::gemm {
namespace {

constexpr size_t kMost = SIZE_MAX;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

kai_gemm_status plan_status(const kai_gemm_problem& p) {
    kai_gemm_plan plan;
    std::memset(&plan, 0x5A, sizeof(plan));
    const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
    EXPECT_EQ(plan.status, status);
    EXPECT_EQ(std::memchr(plan.reason, 0, sizeof(plan.reason)) != nullptr, true);
    EXPECT_EQ(plan.reason[0] == 0, status == KAI_GEMM_OK) << plan.reason;
    EXPECT_EQ(plan.workspace_size != 0 && status != KAI_GEMM_OK, false);
    return status;
}

kai_gemm_problem block_problem() {
    kai_gemm_problem p = kai_gemm_problem_of(5, 20, 64);
    p.b_kind = KAI_GEMM_INT4_BLOCK, p.bl = 32, p.b_constant = true, p.b_transposed = true;
    return p;
}

kai_gemm_problem static_problem() {
    kai_gemm_problem p = kai_gemm_problem_of(5, 20, 64);
    p.b_kind = KAI_GEMM_INT8_STATIC, p.a_type = p.c_type = kai_dt_int8, p.b_constant = true;
    return p;
}

TEST(GemmStatus, EachHasASentence) {
    std::set<std::string> texts;
    for (int status = 0; status < KAI_GEMM_STATUS_COUNT; ++status) {
        texts.insert(kai_gemm_status_text(static_cast<kai_gemm_status>(status)));
    }
    EXPECT_EQ(texts.size(), size_t{KAI_GEMM_STATUS_COUNT});
    EXPECT_EQ(texts.count(""), 0U);
    EXPECT_STRNE(kai_gemm_status_text(KAI_GEMM_STATUS_COUNT), "");
    EXPECT_EQ(texts.count(kai_gemm_status_text(KAI_GEMM_STATUS_COUNT)), 0U);
}

TEST(GemmStatus, NoProblem) {
    kai_gemm_plan plan;
    const kai_gemm_problem p = kai_gemm_problem_of(1, 1, 1);
    EXPECT_EQ(kai_gemm_make_plan(nullptr, &plan), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(kai_gemm_make_plan(&p, nullptr), KAI_GEMM_NULL_POINTER);
}

TEST(GemmStatus, ValuesOutOfRange) {
    const auto dense = [](auto change) {
        kai_gemm_problem p = kai_gemm_problem_of(5, 20, 64);
        change(p);
        return plan_status(p);
    };
    const auto blocks = [](auto change) {
        kai_gemm_problem p = block_problem();
        change(p);
        return plan_status(p);
    };
    const auto integers = [](auto change) {
        kai_gemm_problem p = static_problem();
        change(p);
        return plan_status(p);
    };
    EXPECT_EQ(dense([](auto& p) { p.b_kind = KAI_GEMM_KIND_COUNT; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(dense([](auto& p) { p.a_type = kai_dt_int8; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(dense([](auto& p) { p.b_type = kai_dt_int8; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(dense([](auto& p) { p.c_type = kai_dt_int32; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(dense([](auto& p) { p.clamp_min = 1, p.clamp_max = 0; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(dense([](auto& p) { p.clamp_min = kNaN; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(dense([](auto& p) { p.clamp_max = kNaN; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(dense([](auto& p) { p.units = 0; }), KAI_GEMM_BAD_VALUE);
    for (const double rate : {-1.0, 1001.0, static_cast<double>(kNaN), static_cast<double>(kInf)}) {
        EXPECT_EQ(dense([=](auto& p) { p.rates.sme = rate; }), KAI_GEMM_BAD_VALUE) << rate;
        EXPECT_EQ(dense([=](auto& p) { p.rates.sme_row = rate; }), KAI_GEMM_BAD_VALUE) << rate;
        EXPECT_EQ(dense([=](auto& p) { p.rates.cores[2].speed = rate; }), KAI_GEMM_BAD_VALUE) << rate;
    }
    EXPECT_EQ(dense([](auto& p) { p.rates = {1000, 0.5, {{2, 1}, {6, 0.5}, {0, 0}}}; }), KAI_GEMM_OK);
    EXPECT_EQ(blocks([](auto& p) { p.bl = 0; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(blocks([](auto& p) { p.bl = 16; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(blocks([](auto& p) { p.bl = 33; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(blocks([](auto& p) { p.k = 65; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(blocks([](auto& p) { p.b_kind = KAI_GEMM_INT2_CHANNEL, p.k = 33; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(blocks([](auto& p) { p.b_constant = false; }), KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(integers([](auto& p) { p.a_type = kai_dt_f32; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(integers([](auto& p) { p.c_type = kai_dt_f32; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(integers([](auto& p) { p.alpha = 2; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(integers([](auto& p) { p.beta = 1; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(integers([](auto& p) { p.c_min = 5, p.c_max = 4; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(integers([](auto& p) { p.c_min = -129; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(integers([](auto& p) { p.c_max = 128; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(integers([](auto& p) { p.c_zero_point = 128; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(integers([](auto& p) { p.c_zero_point = -129; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(integers([](auto& p) { p.c_zero_point = 127, p.c_min = p.c_max = -128; }), KAI_GEMM_OK);
    EXPECT_EQ(integers([](auto& p) { p.c_zero_point = -128, p.c_min = p.c_max = 127; }), KAI_GEMM_OK);
    EXPECT_EQ(integers([](auto& p) { p.b_constant = false; }), KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(integers([](auto& p) { p.b_transposed = true; }), KAI_GEMM_BAD_COMBINATION);
    // Codes of 2 bits have both orders, and rows of any length.
    const auto codes = [](auto change) {
        kai_gemm_problem p = static_problem();
        p.b_kind = KAI_GEMM_INT2_STATIC;
        change(p);
        return plan_status(p);
    };
    EXPECT_EQ(codes([](auto& p) { p.b_transposed = true; }), KAI_GEMM_OK);
    EXPECT_EQ(codes([](auto& p) { p.k = 1, p.n = 3; }), KAI_GEMM_OK);
    EXPECT_EQ(codes([](auto& p) { p.b_constant = false; }), KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(codes([](auto& p) { p.a_type = kai_dt_uint8; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(codes([](auto& p) { p.beta = 1; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(codes([](auto& p) { p.c_min = -129; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(codes([](auto& p) { p.c_zero_point = 128; }), KAI_GEMM_BAD_VALUE);
}

TEST(GemmStatus, LayoutsWithoutAPacker) {
    for (const kai_gemm_kind kind :
         {KAI_GEMM_INT2_CHANNEL, KAI_GEMM_INT4_BLOCK_F16, KAI_GEMM_INT4_BLOCK_ZERO, KAI_GEMM_INT8_BLOCK_F16}) {
        kai_gemm_problem p = block_problem();
        p.b_kind = kind, p.b_transposed = false;
        EXPECT_EQ(plan_status(p), KAI_GEMM_BAD_COMBINATION) << name_of(kind);
    }
}

TEST(GemmStatus, SizesThatOverflow) {
    for (const size_t large : {kMost, kMost - 1, kMost / 2, kMost / 2 + 1, kMost / 4, kMost / 8 + 1}) {
        for (size_t kai_gemm_problem::*member :
             {&kai_gemm_problem::m, &kai_gemm_problem::n, &kai_gemm_problem::k, &kai_gemm_problem::batch,
              &kai_gemm_problem::units}) {
            for (const bool constant : {false, true}) {
                kai_gemm_problem p = kai_gemm_problem_of(3, 3, 3);
                p.b_constant = constant;
                p.*member = large;
                EXPECT_EQ(plan_status(p), KAI_GEMM_OVERFLOW) << large;
            }
        }
    }
    kai_gemm_problem p = kai_gemm_problem_of(size_t{1} << 31, size_t{1} << 31, 1);
    EXPECT_EQ(plan_status(p), KAI_GEMM_OVERFLOW);
    p = kai_gemm_problem_of(1, size_t{1} << 31, size_t{1} << 31);
    EXPECT_EQ(plan_status(p), KAI_GEMM_OVERFLOW);
}

/// Random sizes and enumerators give a status and no crash.
TEST(GemmStatus, AnyProblem) {
    constexpr size_t kSizes[] = {0,          1,           2,           3,           31,          32,
                                 33,         100,         4096,        1 << 20,     kMost >> 32, kMost / 2,
                                 kMost >> 8, kMost >> 16, kMost >> 24, kMost - 100, kMost};
    size_t planned = 0;
    for (size_t i = 0; i < 20 * case_count(); ++i) {
        Random random(i);
        const auto size = [&] { return kSizes[random.next() % std::size(kSizes)]; };
        kai_gemm_problem p = random_case(kKinds[i % std::size(kKinds)], random).p;
        p.m = size(), p.n = size(), p.k = size(), p.batch = size(), p.units = size(), p.sme_units = size();
        p.bl = size(), p.l1_bytes = size(), p.l2_bytes = size();
        kai_gemm_plan plan;
        if (kai_gemm_make_plan(&p, &plan) == KAI_GEMM_OK) {
            ++planned;
            EXPECT_LT(plan.workspace_size, kMost / 2);
            EXPECT_LT(plan.packed_b_size, kMost / 2);
            EXPECT_GT(kai_gemm_explain(&plan, nullptr, 0), 0U);
        }
    }
    EXPECT_GT(planned, 0U);
}

TEST(GemmStatus, Pins) {
    kai_gemm_problem p = block_problem();
    p.pin = "no_such_kernel";
    EXPECT_EQ(plan_status(p), KAI_GEMM_UNKNOWN_NAME);
    p.pin = "";
    EXPECT_EQ(plan_status(p), KAI_GEMM_UNKNOWN_NAME);
    size_t wrong = 0;
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        p.pin = u->name;
        const bool ours =
            std::strcmp(u->family, "matmul_unified_f32_qai8dxp_qsi4c32p") == 0 ||
            (std::strstr(u->family, "_qai8dxp_qsi4c32p") != nullptr && u->signature < KAI_UKERNEL_IMATMUL);
        const kai_gemm_status status = plan_status(p);
        if (ours) {
            const bool runnable = kai_registry_runnable(u->features, nullptr, 0);
            EXPECT_TRUE(
                runnable ? status == KAI_GEMM_OK || u->dst_type != kai_dt_f32
                         : status == KAI_GEMM_CPU_LACKS || u->dst_type != kai_dt_f32)
                << u->name << ": " << kai_gemm_status_text(status);
        } else {
            EXPECT_EQ(status, KAI_GEMM_WRONG_KERNEL) << u->name;
            ++wrong;
        }
    }
    EXPECT_EQ(wrong > 0, kai_registry_ukernel_count() > 0);
}

TEST(GemmStatus, CpuLacksThePinnedKernelAndTheFormat) {
    kai_gemm_problem p = block_problem();
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    if (plan.gemm.ukernel->features == 0) {
        GTEST_SKIP() << "the best kernel needs nothing";
    }
    const kai_ukernel* u = plan.gemm.ukernel;
    const kai_gemm_format format = plan.format;
    const DisabledFeatures disabled("all");
    if (kai_registry_runnable(u->features, nullptr, 0)) {
        GTEST_SKIP() << "cannot be disabled";
    }
    p.pin = u->name;
    EXPECT_EQ(plan_status(p), KAI_GEMM_CPU_LACKS);
    p.pin = nullptr, p.format = &format;
    const kai_gemm_status status = plan_status(p);
    EXPECT_TRUE(status == KAI_GEMM_CPU_LACKS || status == KAI_GEMM_OK) << kai_gemm_status_text(status);
}

TEST(GemmStatus, Formats) {
    kai_gemm_problem p = block_problem();
    kai_gemm_format format = {"qsi9c99p", 4, 4, 4};
    p.format = &format;
    EXPECT_EQ(plan_status(p), KAI_GEMM_UNKNOWN_FORMAT);
    format = {nullptr, 4, 4, 4};
    EXPECT_EQ(plan_status(p), KAI_GEMM_UNKNOWN_FORMAT);
    format = {"f32pbiasf32", 8, 1, 1};  // of another kind
    EXPECT_EQ(plan_status(p), KAI_GEMM_UNKNOWN_FORMAT);
    kai_gemm_plan plan;
    p.format = nullptr;
    if (kai_gemm_make_plan(&p, &plan) == KAI_GEMM_OK) {
        format = plan.format;
        p.format = &format;
        EXPECT_EQ(plan_status(p), KAI_GEMM_OK);
        format.nr += 3;
        EXPECT_EQ(plan_status(p), KAI_GEMM_UNKNOWN_FORMAT);
    }
}

TEST(GemmStatus, ExplainsTilesOnce) {
    for (const size_t m : {1, 2}) {
        const kai_gemm_problem p = kai_gemm_problem_of(m, 30, 40);
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
        std::string text(4000, 0);
        text.resize(kai_gemm_explain(&plan, text.data(), text.size()));
        size_t lines = 0;
        for (size_t at = text.find("\nm = "); at != std::string::npos; at = text.find("\nm = ", at + 1)) {
            ++lines;
        }
        EXPECT_EQ(lines, m) << text;
    }
}

TEST(GemmStatus, ExplainsWithinItsSpace) {
    for (const kai_gemm_problem& p : {kai_gemm_problem_of(17, 30, 40), block_problem(), kai_gemm_problem_of(3, 3, 0)}) {
        kai_gemm_plan plan;
        if (kai_gemm_make_plan(&p, &plan) != KAI_GEMM_OK) {
            continue;
        }
        const size_t length = kai_gemm_explain(&plan, nullptr, 0);
        EXPECT_EQ(kai_gemm_explain(&plan, nullptr, 1000), length);
        std::string whole(length + 1, '?');
        EXPECT_EQ(kai_gemm_explain(&plan, whole.data(), whole.size()), length);
        EXPECT_EQ(whole.back(), '\0');
        whole.pop_back();
        EXPECT_EQ(whole.size(), std::strlen(whole.c_str()));
        for (const size_t size : {size_t{0}, size_t{1}, size_t{2}, size_t{50}, length, length + 1, length + 100}) {
            const GuardedBuffer text(size, Flush::end, '?');
            EXPECT_EQ(kai_gemm_explain(&plan, text.as<char>(), size), length);
            if (size != 0) {
                EXPECT_EQ(text.as<char>(), whole.substr(0, size - 1));
            }
        }
    }
}

// ---- packing and running ----

/// An experiment and what it may not change.
class GemmBadRun : public testing::Test {
protected:
    void start(const Case& c) {
        of_ = c;
        e_.emplace(of_);
        ASSERT_EQ(e_->make_plan(), KAI_GEMM_OK);
        ASSERT_EQ(e_->pack(), KAI_GEMM_OK);
    }

    kai_gemm_status run(const kai_gemm_operands& x, ptrdiff_t missing = 0, ptrdiff_t shift = 0) {
        const std::vector<uint8_t> c = e_->c_bytes(), workspace = e_->workspace[0].bytes();
        kai_gemm_work work, before;
        std::memset(&work, 0x5A, sizeof(work));
        std::memcpy(&before, &work, sizeof(work));
        uint8_t* at = e_->workspace[0].data() + shift;
        const size_t size = e_->workspace[0].size() - static_cast<size_t>(missing);
        const kai_gemm_status status = kai_gemm_begin(&e_->plan, &x, at, size, &work);
        EXPECT_EQ(std::memcmp(&work, &before, sizeof(work)) == 0, status != KAI_GEMM_OK);
        if (status != KAI_GEMM_OK) {
            EXPECT_EQ(kai_gemm_run(&e_->plan, &x, at, size, nullptr, nullptr), status);
        }
        EXPECT_TRUE(e_->c_bytes() == c) << "C was written";
        EXPECT_TRUE(status == KAI_GEMM_OK || e_->workspace[0].bytes() == workspace) << "the workspace was written";
        return status;
    }

    template <typename Change>
    kai_gemm_status with(Change change) {
        kai_gemm_operands x = e_->x;
        change(x);
        return run(x);
    }

    template <typename Change>
    kai_gemm_status pack_with(Change change, size_t matrix = 0) {
        const std::vector<uint8_t> packed = e_->packed[0].bytes(), workspace = e_->pack_workspace[0].bytes();
        kai_gemm_weights w = e_->weights[0];
        void *to = e_->packed[0].data(), *at = e_->pack_workspace[0].data();
        size_t size = e_->packed[0].size(), at_size = e_->pack_workspace[0].size();
        change(w, to, size, at, at_size);
        const kai_gemm_status status = kai_gemm_pack_b(&e_->plan, matrix, &w, to, size, at, at_size, nullptr, nullptr);
        EXPECT_EQ(kai_gemm_pack_b_unit(&e_->plan, matrix, &w, to, size, at, at_size, 0), status);
        EXPECT_TRUE(e_->packed[0].bytes() == packed) << "packed B was written";
        EXPECT_TRUE(status == KAI_GEMM_OK || e_->pack_workspace[0].bytes() == workspace);
        return status;
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

TEST_F(GemmBadRun, Operands) {
    start(dense());
    EXPECT_EQ(with([](auto&) {}), KAI_GEMM_OK);
    EXPECT_EQ(with([](auto& x) { x.a.data = nullptr; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(with([](auto& x) { x.b.data = nullptr; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(with([](auto& x) { x.c.data = nullptr; }), KAI_GEMM_NULL_POINTER);
    uint8_t byte;
    const void* const a_table[] = {&byte, &byte, nullptr};
    void* const c_table[] = {&byte, nullptr, &byte};
    EXPECT_EQ(with([&](auto& x) { x.a.table = a_table; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(with([&](auto& x) { x.c.table = c_table; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(with([](auto& x) { x.m = 8; }), KAI_GEMM_TOO_MANY_ROWS);
    EXPECT_EQ(with([](auto& x) { x.m = kMost; }), KAI_GEMM_TOO_MANY_ROWS);
    EXPECT_EQ(with([](auto& x) { x.m = 0; }), KAI_GEMM_OK);
    const size_t a_row = 6 * 4, c_row = 33 * 4;  // A is transposed
    EXPECT_EQ(with([=](auto& x) { x.a.ld = a_row - 1; }), KAI_GEMM_BAD_STRIDE);
    EXPECT_EQ(with([=](auto& x) { x.a.ld = 1; }), KAI_GEMM_BAD_STRIDE);
    EXPECT_EQ(with([=](auto& x) { x.a.ld = a_row; }), KAI_GEMM_OK);
    EXPECT_EQ(with([=](auto& x) { x.c.ld = c_row - 1; }), KAI_GEMM_BAD_STRIDE);
    EXPECT_EQ(with([=](auto& x) { x.c.stride = 6 * c_row - 1; }), KAI_GEMM_BAD_STRIDE);
    EXPECT_EQ(with([=](auto& x) { x.c.stride = 6 * c_row; }), KAI_GEMM_OK);
    EXPECT_EQ(with([=](auto& x) { x.a.stride = 4; }), KAI_GEMM_OK);  // matrices of A may overlap
    for (const size_t large : {kMost, kMost / 2, kMost / 2 + 1, kMost / 4, kMost / 5}) {
        EXPECT_EQ(with([=](auto& x) { x.a.ld = large; }), KAI_GEMM_OVERFLOW) << large;
        EXPECT_EQ(with([=](auto& x) { x.c.ld = large; }), KAI_GEMM_OVERFLOW) << large;
        if (large >= kMost / 2) {
            EXPECT_EQ(with([=](auto& x) { x.a.stride = large; }), KAI_GEMM_OVERFLOW) << large;
            EXPECT_EQ(with([=](auto& x) { x.c.stride = large; }), KAI_GEMM_OVERFLOW) << large;
        }
    }
    ASSERT_NE(e_->plan.workspace_size, 0U);
    EXPECT_EQ(run(e_->x, 1), KAI_GEMM_TOO_SMALL);
    EXPECT_EQ(run(e_->x, 0, 4), KAI_GEMM_MISALIGNED);
    EXPECT_EQ(run(e_->x, 0, 32), KAI_GEMM_MISALIGNED);
    kai_gemm_work work;
    const size_t size = e_->plan.workspace_size;
    void* at = e_->workspace[0].data();
    EXPECT_EQ(kai_gemm_begin(&e_->plan, &e_->x, nullptr, size, &work), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(kai_gemm_begin(nullptr, &e_->x, at, size, &work), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(kai_gemm_begin(&e_->plan, nullptr, at, size, &work), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(kai_gemm_begin(&e_->plan, &e_->x, at, size, nullptr), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(kai_gemm_run(nullptr, &e_->x, at, size, nullptr, nullptr), KAI_GEMM_NULL_POINTER);

    ASSERT_EQ(kai_gemm_begin(&e_->plan, &e_->x, at, size, &work), KAI_GEMM_OK);
    const std::vector<uint8_t> c = e_->c_bytes();
    EXPECT_EQ(kai_gemm_run_unit(nullptr, 0, 0), KAI_GEMM_NULL_POINTER);
    for (size_t phase = 0; phase < work.phases; ++phase) {
        EXPECT_EQ(kai_gemm_run_unit(&work, phase, work.units[phase]), KAI_GEMM_NO_UNIT);
        EXPECT_EQ(kai_gemm_run_unit(&work, phase, kMost), KAI_GEMM_NO_UNIT);
    }
    EXPECT_EQ(kai_gemm_run_unit(&work, work.phases, 0), KAI_GEMM_NO_UNIT);
    EXPECT_EQ(kai_gemm_run_unit(&work, 2, 0), KAI_GEMM_NO_UNIT);
    EXPECT_EQ(kai_gemm_run_unit(&work, kMost, 0), KAI_GEMM_NO_UNIT);
    EXPECT_TRUE(e_->c_bytes() == c);
    ASSERT_EQ(e_->run(), KAI_GEMM_OK);
    e_->check();
}

TEST_F(GemmBadRun, VariableWeights) {
    Case c = dense();
    c.p.b_constant = false, c.p.b_per_matrix = true;
    start(c);
    EXPECT_EQ(with([](auto&) {}), KAI_GEMM_OK);
    EXPECT_EQ(with([](auto& x) { x.b.data = nullptr; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(with([](auto& x) { x.bias = nullptr; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(with([](auto& x) { x.b.ld = 33 * 4 - 1; }), KAI_GEMM_BAD_STRIDE);
    for (const size_t large : {kMost, kMost / 2, kMost / 4, kMost / 18}) {
        EXPECT_EQ(with([=](auto& x) { x.b.ld = large; }), KAI_GEMM_OVERFLOW) << large;
    }
    EXPECT_EQ(with([](auto& x) { x.b.stride = kMost / 2; }), KAI_GEMM_OVERFLOW);
    kai_gemm_weights w = {};
    EXPECT_EQ(
        kai_gemm_pack_b(&e_->plan, 0, &w, nullptr, 0, nullptr, e_->plan.pack_workspace_size, nullptr, nullptr),
        KAI_GEMM_BAD_COMBINATION);
}

TEST_F(GemmBadRun, Groups) {
    Case c = dense();
    c.p.groups = true, c.p.m = 9;
    c.rows = {4, 0, 2}, c.a_rows = {9, 9, 0, 1, 2, 8}, c.a_row_count = 10, c.m = 0;
    start(c);
    EXPECT_EQ(with([](auto&) {}), KAI_GEMM_OK);
    EXPECT_EQ(with([](auto& x) { x.rows = nullptr; }), KAI_GEMM_NULL_POINTER);
    size_t rows[] = {4, 0, 6};
    EXPECT_EQ(with([&](auto& x) { x.rows = rows; }), KAI_GEMM_TOO_MANY_ROWS);
    rows[0] = kMost;
    EXPECT_EQ(with([&](auto& x) { x.rows = rows; }), KAI_GEMM_TOO_MANY_ROWS);
    rows[2] = kMost - 3;
    EXPECT_EQ(with([&](auto& x) { x.rows = rows; }), KAI_GEMM_TOO_MANY_ROWS);
    EXPECT_EQ(with([](auto& x) { x.a_row_count = 9; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(with([](auto& x) { x.a_row_count = 0; }), KAI_GEMM_BAD_VALUE);
    for (const size_t large : {kMost, kMost / 2 + 1, kMost / 4 + 1, kMost / 4 + 2}) {
        EXPECT_EQ(with([=](auto& x) { x.a_row_count = large; }), KAI_GEMM_OVERFLOW) << large;
    }
    EXPECT_EQ(with([](auto& x) { x.c.ld = 33 * 4 - 1; }), KAI_GEMM_BAD_STRIDE);
}

TEST_F(GemmBadRun, ScatteredRows) {
    Case c = dense();
    c.p.groups = c.p.scatters = true, c.p.m = 9, c.p.beta = 0;
    c.rows = {4, 0, 2}, c.c_rows = {2, 0, 2, 1, 2, 0}, c.c_row_count = 3, c.m = 0;
    start(c);
    EXPECT_EQ(with([](auto&) {}), KAI_GEMM_OK);
    EXPECT_EQ(with([](auto& x) { x.c_rows = nullptr; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(with([](auto& x) { x.c_row_count = 2; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(with([](auto& x) { x.c_row_count = 0; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(with([](auto& x) { x.c_row_count = kMost / 4; }), KAI_GEMM_OVERFLOW);
    EXPECT_EQ(with([](auto& x) { x.c.ld = 33 * 4 - 1; }), KAI_GEMM_BAD_STRIDE);
    const auto plan_of = [&](auto change) {
        kai_gemm_problem p = c.p;
        kai_gemm_plan plan;
        change(p);
        return kai_gemm_make_plan(&p, &plan);
    };
    EXPECT_EQ(plan_of([](auto& p) { p.beta = 1; }), KAI_GEMM_OK);
    EXPECT_EQ(plan_of([](auto& p) { p.beta = 0.5F; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(plan_of([](auto& p) { p.groups = false; }), KAI_GEMM_BAD_VALUE);
}

TEST_F(GemmBadRun, Weights) {
    Case c = dense();
    c.p.b_transposed = true, c.p.b_type = kai_dt_f16, c.p.b_per_matrix = true;
    start(c);
    using W = kai_gemm_weights;
    const auto only = [](auto change) { return [=](W& w, void*&, size_t&, void*&, size_t&) { change(w); }; };
    EXPECT_EQ(pack_with(only([](W&) {})), KAI_GEMM_OK);
    EXPECT_EQ(pack_with(only([](W& w) { w.b = nullptr; })), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(pack_with(only([](W& w) { w.bias = nullptr; })), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(pack_with(only([](W& w) { w.ldb = 39; })), KAI_GEMM_BAD_STRIDE);
    EXPECT_EQ(pack_with(only([](W& w) { w.ldb = kMost / 4; })), KAI_GEMM_OVERFLOW);
    EXPECT_EQ(pack_with(only([](W&) {}), 3), KAI_GEMM_NO_UNIT);
    EXPECT_EQ(pack_with([](W&, void*& to, size_t&, void*&, size_t&) { to = nullptr; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(pack_with([](W&, void*&, size_t& size, void*&, size_t&) { --size; }), KAI_GEMM_TOO_SMALL);
    ASSERT_NE(e_->plan.pack_workspace_size, 0U);
    EXPECT_EQ(pack_with([](W&, void*&, size_t&, void*&, size_t& size) { --size; }), KAI_GEMM_TOO_SMALL);
    EXPECT_EQ(pack_with([](W&, void*&, size_t&, void*& at, size_t&) { at = nullptr; }), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(
        pack_with([](W&, void*&, size_t&, void*& at, size_t&) { at = static_cast<uint8_t*>(at) + 32; }),
        KAI_GEMM_MISALIGNED);
    const auto unit = [&](size_t i) {
        return kai_gemm_pack_b_unit(
            &e_->plan, 0, &e_->weights[0], e_->packed[0].data(), e_->packed[0].size(), e_->pack_workspace[0].data(),
            e_->pack_workspace[0].size(), i);
    };
    EXPECT_EQ(unit(e_->plan.pack_units), KAI_GEMM_NO_UNIT);
    EXPECT_EQ(unit(kMost), KAI_GEMM_NO_UNIT);
    EXPECT_EQ(
        kai_gemm_pack_b(nullptr, 0, &e_->weights[0], nullptr, 0, nullptr, 0, nullptr, nullptr), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(kai_gemm_pack_b(&e_->plan, 0, nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr), KAI_GEMM_NULL_POINTER);
}

TEST_F(GemmBadRun, QuantisedWeights) {
    using W = kai_gemm_weights;
    const auto only = [](auto change) { return [=](W& w, void*&, size_t&, void*&, size_t&) { change(w); }; };
    Case c;
    c.p = block_problem();
    c.m = 5;
    start(c);
    EXPECT_EQ(pack_with(only([](W& w) { w.scale = nullptr; })), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(pack_with(only([](W& w) { w.scale_stride = 3; })), KAI_GEMM_BAD_STRIDE);
    EXPECT_EQ(pack_with(only([](W& w) { w.ldb = 31; })), KAI_GEMM_BAD_STRIDE);
    for (const size_t large : {kMost, kMost / 2, kMost / 4, kMost / 18}) {
        EXPECT_EQ(pack_with(only([=](W& w) { w.scale_stride = large; })), KAI_GEMM_OVERFLOW) << large;
        EXPECT_EQ(pack_with(only([=](W& w) { w.ldb = large; })), KAI_GEMM_OVERFLOW) << large;
    }
    c.p.b_kind = KAI_GEMM_INT4_BLOCK_ZERO;
    start(c);
    EXPECT_EQ(pack_with(only([](W& w) { w.zero = nullptr; })), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(pack_with(only([](W& w) { w.scale = nullptr; })), KAI_GEMM_NULL_POINTER);
    c.p.b_kind = KAI_GEMM_INT4_CHANNEL, c.p.bl = 0;
    start(c);
    EXPECT_EQ(pack_with(only([](W& w) { w.scale = nullptr; })), KAI_GEMM_NULL_POINTER);
    for (const int zero_point : {1, 7, 9, 255}) {
        EXPECT_EQ(pack_with(only([=](W& w) { w.zero_point = static_cast<uint8_t>(zero_point); })), KAI_GEMM_BAD_VALUE);
    }
    c.p.b_kind = KAI_GEMM_INT8_CHANNEL;
    start(c);
    EXPECT_EQ(pack_with(only([](W& w) { w.ldb = 65; })), KAI_GEMM_BAD_STRIDE);  // lines of these have no gaps
}

// ---- BLAS rules for 0, NaN and infinity ----

TEST(GemmBlas, AlphaZeroReadsNeitherANorB) {
    for (const float beta : {0.0F, 1.0F, -0.5F}) {
        for (const bool constant : {false, true}) {
            for (const bool bias : {false, true}) {
                Case c;
                c.p = kai_gemm_problem_of(7, 33, 20);
                c.p.alpha = 0, c.p.beta = beta, c.p.b_constant = constant, c.p.bias = bias, c.p.batch = 2;
                c.m = 7, c.c_gap = 3, c.p.units = 3;
                SCOPED_TRACE(testing::Message() << c);
                Experiment e(c);
                ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
                if (constant && e.plan.packed_b_size != 0) {
                    e.weights[0].b = nullptr;
                    ASSERT_EQ(e.pack(), KAI_GEMM_OK);
                }
                e.x.a.data = nullptr;
                e.x.b.data = constant ? e.x.b.data : nullptr;
                ASSERT_EQ(e.run(), KAI_GEMM_OK);
                e.check();
            }
        }
    }
}

TEST(GemmBlas, NanAndInfinity) {
    constexpr size_t m = 5, n = 40, k = 9;
    for (const float alpha : {0.0F, 1.0F, -0.5F}) {
        for (const float beta : {0.0F, 1.0F}) {
            for (const bool clamps : {false, true}) {
                SCOPED_TRACE(testing::Message() << "alpha " << alpha << " beta " << beta << " clamp " << clamps);
                kai_gemm_problem p = kai_gemm_problem_of(m, n, k);
                p.alpha = alpha, p.beta = beta;
                if (clamps) {
                    p.clamp_min = -100, p.clamp_max = 100;
                }
                kai_gemm_plan plan;
                ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
                const GuardedBuffer workspace(plan.workspace_size, Flush::start, 0xFF);
                std::vector<float> a(m * k, 1), b(k * n, 2), c(m * n, 3);
                a[1 * k + 4] = kNaN;  // row 1
                a[2 * k + 0] = kInf;  // row 2, times 0 in column 7
                b[0 * n + 7] = 0;
                b[3 * n + 9] = kNaN;  // column 9
                c[4 * n + 20] = kNaN;
                kai_gemm_operands x = {};
                x.m = m, x.a.data = a.data(), x.b.data = b.data(), x.c.data = c.data();
                ASSERT_EQ(kai_gemm_run(&plan, &x, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
                for (size_t i = 0; i < m; ++i) {
                    for (size_t j = 0; j < n; ++j) {
                        const bool nan = (alpha != 0 && (i == 1 || j == 9 || (i == 2 && j == 7))) ||
                                         (beta != 0 && i == 4 && j == 20);
                        float want = alpha * (j == 7 ? 16 : 18) + beta * 3;
                        if (alpha != 0 && i == 2) {
                            want = alpha * kInf;
                        }
                        want = clamps ? std::min(std::max(want, -100.0F), 100.0F) : want;
                        const float got = c[i * n + j];
                        EXPECT_TRUE(nan ? std::isnan(got) : got == want) << i << ' ' << j << ": " << got;
                    }
                }
            }
        }
    }
}

/// An empty problem needs no operands.
TEST(GemmBlas, EmptyProblemsNeedNoPointers) {
    for (const auto& shape : {std::array<size_t, 4>{0, 5, 5, 1}, {5, 0, 5, 1}, {5, 5, 5, 0}, {0, 0, 0, 0}}) {
        for (const bool constant : {false, true}) {
            kai_gemm_problem p = kai_gemm_problem_of(shape[0], shape[1], shape[2]);
            p.batch = shape[3], p.bias = true, p.b_constant = constant;
            kai_gemm_plan plan;
            ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
            kai_gemm_operands x = {};
            x.m = shape[0];
            EXPECT_EQ(kai_gemm_run(&plan, &x, nullptr, 0, nullptr, nullptr), KAI_GEMM_OK);
        }
    }
}

}  // namespace
}  // namespace test::gemm
