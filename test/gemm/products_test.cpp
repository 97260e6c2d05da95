// Several products as one run: the bits of single runs, and rows of A packed once.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "test/gemm/experiment.hpp"
#include "test/support/said.hpp"

namespace test::gemm {
namespace {

constexpr size_t kDepth = 320;  // 70 rows have a phase of their own, 18 are packed on demand

Case case_of(kai_gemm_kind kind, size_t m, size_t n, size_t units) {
    Case c;
    c.p = kai_gemm_problem_of(m, n, kDepth);
    c.p.b_kind = kind, c.p.b_constant = true;
    c.p.b_transposed = kind != KAI_GEMM_DENSE;
    c.p.bl = has_blocks(kind) ? 32 : 0;
    c.p.units = units, c.p.sme_units = (units + 1) / 2;
    c.m = m;
    c.numbers = Numbers::random;
    c.seed = m * 1000 + n;
    return c;
}

/// Products of one A: that of the first.
class Products {
public:
    explicit Products(std::deque<Case> cases) : cases_(std::move(cases)) {
        for (const Case& c : cases_) {
            Experiment& e = experiments.emplace_back(c);
            EXPECT_EQ(e.make_plan(), KAI_GEMM_OK) << e.plan.reason;
            EXPECT_EQ(e.pack(), KAI_GEMM_OK);
            const kai_gemm_operands& first = experiments[0].x;
            e.x.a = first.a;
            e.x.rows = first.rows, e.x.a_rows = first.a_rows, e.x.a_row_count = first.a_row_count;
        }
        for (Experiment& e : experiments) {
            kai_gemm_product& product = products.emplace_back();
            product = {};
            product.plan = &e.plan, product.operands = &e.x;
            product.workspace = e.workspace[0].data(), product.workspace_size = e.workspace[0].size();
        }
    }

    /// What single runs give.
    std::vector<std::vector<uint8_t>> apart() {
        std::vector<std::vector<uint8_t>> all;
        for (Experiment& e : experiments) {
            e.reset_c();
            EXPECT_EQ(e.run(), KAI_GEMM_OK);
            all.push_back(e.c_bytes());
        }
        return all;
    }

    std::vector<std::vector<uint8_t>> together(const Schedule& how) {
        for (Experiment& e : experiments) {
            e.reset_c();
            std::fill_n(e.workspace[0].data(), e.workspace[0].size(), kUnwritten);
        }
        if (how.at_once) {
            Schedule copy = how;
            EXPECT_EQ(
                kai_gemm_run_products(
                    products.data(), products.size(), how.threads > 1 ? parallel_for : nullptr, &copy),
                KAI_GEMM_OK);
        } else {
            EXPECT_EQ(kai_gemm_begin_products(products.data(), products.size()), KAI_GEMM_OK);
            run_units(how, false);
            run_units(how, true);
        }
        std::vector<std::vector<uint8_t>> all;
        for (const Experiment& e : experiments) {
            all.push_back(e.c_bytes());
        }
        return all;
    }

    /// Whether a product packed rows where all that share them can read them.
    bool has_packed(size_t i) const {
        const kai_gemm_layout& layout = experiments[i].plan.layout;
        const uint8_t* workspace = experiments[i].workspace[0].data();
        const auto written = [](uint8_t byte) { return byte != kUnwritten; };
        return std::any_of(workspace + layout.lhs, workspace + std::min(layout.slots, layout.b), written);
    }
    /// Whether it says so, to the units of all: rows that are packed on demand.
    bool says_that_it_packed(size_t i) const {
        const kai_gemm_layout& layout = experiments[i].plan.layout;
        const uint8_t* workspace = experiments[i].workspace[0].data();
        return workspace[layout.lhs_states] != 0;
    }

    std::string explained() const {
        std::string text(4096, 0);
        text.resize(kai_gemm_explain_products(products.data(), products.size(), text.data(), text.size()));
        return text;
    }

    std::deque<Experiment> experiments;
    std::vector<kai_gemm_product> products;

private:
    static constexpr uint8_t kUnwritten = 0xA5;

    /// The units of all products, of the first phase of two or of the last one.
    void run_units(const Schedule& how, bool is_last) {
        struct Unit {
            const kai_gemm_work* work;
            size_t phase, index;
        };
        std::vector<Unit> units;
        for (const kai_gemm_product& product : products) {
            const kai_gemm_work& work = product.work;
            const size_t phase = is_last ? work.phases - 1 : 0;
            for (size_t i = 0; work.phases > (is_last ? 0U : 1U) && i < work.units[phase]; ++i) {
                units.push_back({&work, phase, i});
            }
        }
        const auto run = [](void* context, size_t i) {
            const Unit& unit = static_cast<const Unit*>(context)[i];
            EXPECT_EQ(kai_gemm_run_unit(unit.work, unit.phase, unit.index), KAI_GEMM_OK);
        };
        Schedule copy = how;
        parallel_for(&copy, units.size(), run, units.data());
    }

    std::deque<Case> cases_;
};

std::vector<Schedule> schedules() {
    std::vector<Schedule> all;
    for (const size_t threads : {1, 3, 8}) {
        for (const bool at_once : {false, true}) {
            Schedule& how = all.emplace_back();
            how.threads = threads, how.at_once = at_once, how.shuffle = threads - 1;
        }
    }
    return all;
}

constexpr kai_gemm_kind kOfFloats[] = {KAI_GEMM_DENSE,         KAI_GEMM_INT8_CHANNEL,    KAI_GEMM_INT4_CHANNEL,
                                       KAI_GEMM_INT4_BLOCK,    KAI_GEMM_INT4_BLOCK_ZERO, KAI_GEMM_INT8_BLOCK_F16,
                                       KAI_GEMM_INT4_BLOCK_F16};

class GemmProducts : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Rows, GemmProducts, testing::Values(0, 1, 2, 5, 18, 70));

TEST_P(GemmProducts, HaveTheBitsOfSingleRuns) {
    for (const size_t units : {1, 4}) {
        std::deque<Case> cases;
        for (size_t i = 0; i < std::size(kOfFloats) + 2; ++i) {
            cases.push_back(case_of(kOfFloats[i % std::size(kOfFloats)], GetParam(), 7 + 61 * (i % 4), units));
        }
        Products p(cases);
        const auto want = p.apart();
        for (const Schedule& how : schedules()) {
            ASSERT_TRUE(p.together(how) == want) << how.threads << " threads, at once: " << how.at_once;
        }
    }
}

TEST_P(GemmProducts, PackRowsOnce) {
    for (size_t i = 0; i < 2 * std::size(kOfFloats); ++i) {
        const kai_gemm_kind kind = kOfFloats[i / 2];
        const size_t units = i % 2 == 0 ? 1 : 4;  // 1: few rows are one unit
        Products p({case_of(kind, GetParam(), 300, units), case_of(kind, GetParam(), 41, units)});
        const bool packs = p.experiments[0].plan.gemm.lhs_packer != nullptr && GetParam() != 0;
        const auto packs_on_demand = [&](size_t product) {  // a run that is one unit does
            const kai_gemm_plan& plan = p.experiments[product].plan;
            return GetParam() <= std::max(plan.whole_rows, plan.layout.few_rows_max);
        };
        const bool shares = packs && p.experiments[1].plan.gemm.ukernel == p.experiments[0].plan.gemm.ukernel &&
                            packs_on_demand(0) == packs_on_demand(1);
        EXPECT_EQ(p.explained().find("rows of A as product 0 packs them") != std::string::npos, shares)
            << p.explained();
        for (Schedule how : schedules()) {
            how.threads = 1;  // others may pack few rows for themselves meanwhile
            p.together(how);
            EXPECT_EQ(p.has_packed(0), packs) << kind;
            EXPECT_EQ(p.has_packed(1), packs && !shares) << kind;
            if (packs) {
                const bool on_demand = p.products[1].work.packs_lhs_on_demand;
                EXPECT_EQ(p.says_that_it_packed(0), p.products[0].work.packs_lhs_on_demand) << kind;
                EXPECT_EQ(p.says_that_it_packed(1), on_demand && !shares) << kind;
                EXPECT_EQ(p.products[1].work.lhs_units != 0, !on_demand && !shares) << kind;
            }
        }
    }
}

/// What must not be taken for the same rows.
TEST_P(GemmProducts, OtherRowsAreNotShared) {
    const auto apart = [](Products& p, const char* what) {
        const auto want = p.apart();
        for (const Schedule& how : schedules()) {
            ASSERT_TRUE(p.together(how) == want) << what;
        }
        EXPECT_EQ(p.explained().find("rows of A as"), std::string::npos) << what;
    };
    const Case c = case_of(KAI_GEMM_INT8_CHANNEL, GetParam(), 90, 4);
    const size_t row = kDepth * sizeof(float);
    if (GetParam() > 1) {
        Products fewer({c, c});
        fewer.experiments[1].x.m -= 1;
        apart(fewer, "m");
        Products others({c, c});
        others.experiments[0].x.m -= 1, others.experiments[1].x.m -= 1;
        others.experiments[1].x.a.data = static_cast<const char*>(others.experiments[1].x.a.data) + row;
        apart(others, "data");
        Products wider({c, c});
        for (Experiment& e : wider.experiments) {
            e.x.m = (e.x.m + 1) / 2;
        }
        wider.experiments[1].x.a.ld = 2 * row;
        if (wider.experiments[1].x.m > 1) {
            apart(wider, "ld");
        }
    }
    Case two = c;
    two.p.batch = 2;
    Products strides({two, two});
    strides.experiments[1].x.a.stride = row;
    strides.experiments[1].x.a.ld = row;
    apart(strides, "stride");
    Case blocks = case_of(KAI_GEMM_INT8_BLOCK_F16, GetParam(), 90, 4);
    Products formats({c, blocks});
    apart(formats, "format");
    blocks.p.bl = kDepth;
    Products lengths({case_of(KAI_GEMM_INT8_BLOCK_F16, GetParam(), 90, 4), blocks});
    apart(lengths, "bl");
}

TEST(GemmProducts, Groups) {
    for (const size_t most : {1, 9}) {
        std::deque<Case> cases;
        for (const kai_gemm_kind kind : {KAI_GEMM_INT8_CHANNEL, KAI_GEMM_INT4_CHANNEL, KAI_GEMM_INT8_CHANNEL}) {
            Case& c = cases.emplace_back(case_of(kind, 3 * most, 70 + 20 * cases.size(), 4));
            c.p.groups = c.p.b_per_matrix = true, c.p.batch = 4, c.p.b_transposed = true;
            c.rows = {most, 0, most, 1}, c.m = most;
            c.a_row_count = 6;
            for (size_t i = 0; i < 2 * most + 1; ++i) {
                c.a_rows.push_back((i * 5 + 1) % c.a_row_count);
            }
        }
        Products p(cases);
        const auto want = p.apart();
        for (const Schedule& how : schedules()) {
            ASSERT_TRUE(p.together(how) == want);
        }
        EXPECT_NE(p.explained().find("rows of A as product 0 packs them"), std::string::npos) << p.explained();

        std::vector<size_t> other(p.experiments[0].x.a_rows, p.experiments[0].x.a_rows + 2 * most + 1);
        std::reverse(other.begin(), other.end());
        p.experiments[1].x.a_rows = p.experiments[2].x.a_rows = other.data();
        const auto others = p.apart();
        EXPECT_FALSE(others == want);
        for (const Schedule& how : schedules()) {
            ASSERT_TRUE(p.together(how) == others);
        }
    }
}

TEST(GemmProducts, WhatIsWrongIsSaid) {
    const Case c = case_of(KAI_GEMM_INT8_CHANNEL, 5, 33, 2);
    Products p({c, c, c});
    const auto refused = [&](kai_gemm_status status, const std::string& text) {
        const auto before = p.experiments[0].c_bytes();
        EXPECT_EQ(kai_gemm_run_products(p.products.data(), p.products.size(), nullptr, nullptr), status);
        EXPECT_EQ(kai_gemm_begin_products(p.products.data(), p.products.size()), status);
        EXPECT_EQ(p.explained(), text + "\n");
        EXPECT_TRUE(p.experiments[0].c_bytes() == before);
    };
    kai_gemm_product& last = p.products[2];
    last.reserved[3] = 1;
    refused(KAI_GEMM_RESERVED, "product 2: " + SAID(reserved, "product"));
    last.reserved[3] = 0;
    last.workspace = p.products[1].workspace;
    refused(KAI_GEMM_BAD_COMBINATION, "product 2: " + SAID(overlaps_product, "workspace", size_t{1}));
    last.workspace = static_cast<char*>(p.products[1].workspace) + 64;
    last.workspace_size -= 64;
    refused(
        KAI_GEMM_TOO_SMALL,
        "product 2: " + SAID(few_bytes, "workspace", last.workspace_size, p.experiments[2].plan.workspace_size));
    last.workspace = p.experiments[2].workspace[0].data(), last.workspace_size = p.experiments[2].workspace[0].size();
    last.operands = nullptr;
    refused(KAI_GEMM_NULL_POINTER, "product 2: " + SAID(absent, "operands"));
    last.operands = &p.experiments[2].x, last.workspace = p.products[1].workspace;
    p.experiments[2].x.m = 0;  // needs no workspace
    EXPECT_EQ(kai_gemm_run_products(p.products.data(), 3, nullptr, nullptr), KAI_GEMM_OK);
    EXPECT_EQ(kai_gemm_run_products(nullptr, 1, nullptr, nullptr), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(kai_gemm_run_products(nullptr, 0, nullptr, nullptr), KAI_GEMM_OK);
    EXPECT_EQ(kai_gemm_run_products(p.products.data(), 2, nullptr, nullptr), KAI_GEMM_OK);
}

}  // namespace
}  // namespace test::gemm
