// Plans with workers of two kinds on every host: a portable micro-kernel stands for that of SME and for the one beside
// it. Threads, queues and bits are those of real pairs (mixed_test.cpp), and the sanitizers see them.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "kai/gemm/gemm.hpp"
#include "test/gemm/experiment.hpp"
#include "test/support/random.hpp"

namespace test::gemm {
namespace {

constexpr const char* kPortable = "matmul_clamp_f32_qai8dxp1x8_qsi8cxp4x8_1x4_portable";
constexpr size_t kPanel = 4, kStep = 2;

kai_run_matmul_f32_fn* portable() {
    return reinterpret_cast<kai_run_matmul_f32_fn*>(kai_registry_find_ukernel(kPortable)->run);
}

/// Results that each kernel has written.
std::atomic<size_t> sme_results, beside_results;

void run_sme(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t row, size_t column, float min,
    float max) {
    portable()(m, n, k, lhs, rhs, dst, row, column, min, max);
    sme_results += m * n;
}
void run_beside(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t row, size_t column, float min,
    float max) {
    portable()(m, n, k, lhs, rhs, dst, row, column, min, max);
    beside_results += m * n;
}
void run_columns_beside(
    size_t m, size_t first, size_t n, size_t k, size_t /*bl*/, const void* lhs, const void* rhs, void* dst, size_t row,
    size_t column, float min, float max, const int32_t* /*lut*/, const kai_matmul_requantize32_params* /*requantize*/) {
    ASSERT_EQ(m, 1U);
    ASSERT_EQ(first % kStep, 0U);
    ASSERT_LE(first + n, kPanel);
    float all[kPanel];
    portable()(1, first + n, k, lhs, rhs, all, row, column, min, max);
    std::memcpy(dst, all + first, n * sizeof(float));
    beside_results += n;
}

/// Other bits than those of the kernel with SME: 8 times the results.
void run_otherwise(
    size_t m, size_t n, size_t k, const void* lhs, const void* rhs, float* dst, size_t row, size_t column, float min,
    float max) {
    portable()(m, n, k, lhs, rhs, dst, row, column, min, max);
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < n; ++j) {
            reinterpret_cast<float*>(reinterpret_cast<char*>(dst) + i * row)[j] *= 8;
        }
    }
    beside_results += m * n;
}
void run_columns_otherwise(
    size_t m, size_t first, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t row,
    size_t column, float min, float max, const int32_t* lut, const kai_matmul_requantize32_params* requantize) {
    run_columns_beside(m, first, n, k, bl, lhs, rhs, dst, row, column, min, max, lut, requantize);
    for (size_t j = 0; j < n; ++j) {
        reinterpret_cast<float*>(dst)[j] *= 8;
    }
}

/// The pair, and a plan that has it.
class Pair {
public:
    /// other_bits: those of the kernel beside SME are not the same.
    explicit Pair(const Case& c, bool other_bits = false) : of_(c), e_(of_) {
        EXPECT_EQ(e_.make_plan(), KAI_GEMM_OK);
        EXPECT_EQ(e_.pack(), KAI_GEMM_OK);
        sme_ = beside_ = *e_.plan.gemm.ukernel;
        sme_.features |= kai::gemm::kSme;
        sme_.run = reinterpret_cast<kai_any_fn*>(&run_sme);
        beside_.run = reinterpret_cast<kai_any_fn*>(&run_beside);
        beside_.run_columns = run_columns_beside, beside_.column_step = kStep;
        if (other_bits) {
            beside_.run = reinterpret_cast<kai_any_fn*>(&run_otherwise);
            beside_.run_columns = run_columns_otherwise, beside_.other_bits = 1;
        }

        kai_gemm_plan plan = {};
        plan.problem = e_.plan.problem;
        plan.gemm = plan.gemv = plan.gemm_beside = plan.gemv_beside = e_.plan.gemm;
        plan.gemm.ukernel = plan.gemv.ukernel = &sme_;
        plan.gemm_beside.ukernel = plan.gemv_beside.ukernel = &beside_;
        plan.rhs_packer = e_.plan.rhs_packer, plan.copies_columns = e_.plan.copies_columns;
        plan.bias_apart = plan.problem.bias;
        kai::gemm::set_rates(plan);
        kai::gemm::complete(plan);
        EXPECT_EQ(plan.packed_b_size, e_.plan.packed_b_size);
        EXPECT_EQ(plan.workers, plan.problem.units);
        e_.plan = plan;
        e_.workspace.clear();
        e_.workspace.emplace_back(plan.workspace_size, Flush::start, 0xFF);
    }

    Experiment& operator*() {
        return e_;
    }
    Experiment* operator->() {
        return &e_;
    }

private:
    const Case of_;
    Experiment e_;
    kai_ukernel sme_, beside_;
};

Case case_of(size_t m, size_t run_m, size_t units, size_t sme_units) {
    Case c;
    c.p = kai_gemm_problem_of(m, 1037, 1100);
    c.p.b_kind = KAI_GEMM_INT8_CHANNEL, c.p.b_constant = c.p.b_transposed = c.p.bias = true;
    c.p.pin = kPortable, c.p.units = units, c.p.sme_units = sme_units;
    c.m = run_m, c.numbers = Numbers::exact;
    return c;
}

/// A thread for each task.
void at_once(void* /*pool*/, size_t count, kai_gemm_task* task, void* context) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; ++i) {
        threads.emplace_back(task, context, i);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

/// So many threads, each with every so many-th task.
void by_threads(void* pool, size_t count, kai_gemm_task* task, void* context) {
    const size_t threads = *static_cast<const size_t*>(pool);
    std::vector<std::thread> pools;
    for (size_t t = 0; t < threads; ++t) {
        pools.emplace_back([=] {
            for (size_t i = t; i < count; i += threads) {
                task(context, i);
            }
        });
    }
    for (std::thread& thread : pools) {
        thread.join();
    }
}

struct Variant {
    const char* name;
    void (*change)(Case& c);
};
constexpr Variant kVariants[] = {
    {"plain", [](Case&) {}},
    {"scaled", [](Case& c) { c.p.alpha = 2, c.p.beta = 1; }},
    {"to f16", [](Case& c) { c.p.c_type = kai_dt_f16; }},
    {"few columns", [](Case& c) { c.p.n = 33, c.p.k = 40000; }},
};

// Each column of one row is computed once, whoever takes it, and C is that of one worker.
TEST(GemmPair, ColumnsOfOneRow) {
    for (const Variant& variant : kVariants) {
        for (const size_t units : {2, 7, 64}) {
            for (const size_t sme_units : {size_t{1}, units - 1}) {
                if (units == 64 && &variant != kVariants) {
                    continue;
                }
                Case c = case_of(5, 1, units, sme_units);
                variant.change(c);
                SCOPED_TRACE(
                    std::string(variant.name) + ", workers: " + std::to_string(units) + ", with SME " +
                    std::to_string(sme_units));
                Pair pair(c);
                for (const size_t threads : {size_t{1}, size_t{2}, units + 3}) {
                    sme_results = beside_results = 0;
                    pair->reset_c();
                    size_t pool = threads;
                    ASSERT_EQ(
                        kai_gemm_run(
                            &pair->plan, &pair->x, pair->workspace[0].data(), pair->workspace[0].size(), by_threads,
                            &pool),
                        KAI_GEMM_OK);
                    pair->check();
                    EXPECT_EQ(sme_results + beside_results, c.p.n) << threads << " threads";
                    if (HasFailure()) {
                        return;
                    }
                }
            }
        }
    }
}

// Whoever holds the slots: with those of SME all taken, the columns come from the back, down to the first.
TEST(GemmPair, ColumnsOfOneRowWithoutSme) {
    Pair pair(case_of(1, 1, 4, 2));
    struct Pool {
        Experiment& e;
        static void run(void* pool, size_t count, kai_gemm_task* task, void* context) {
            Experiment& e = static_cast<Pool*>(pool)->e;
            auto* slots = reinterpret_cast<uint32_t*>(e.workspace[0].data() + e.plan.layout.slots_taken);
            std::fill_n(slots, e.plan.sme_workers, 1U);
            for (size_t i = 0; i < count; ++i) {
                task(context, i);
            }
            std::fill_n(slots, e.plan.sme_workers, 0U);
        }
    } pool = {*pair};
    sme_results = beside_results = 0;
    pair->reset_c();
    ASSERT_EQ(
        kai_gemm_run(&pair->plan, &pair->x, pair->workspace[0].data(), pair->workspace[0].size(), Pool::run, &pool),
        KAI_GEMM_OK);
    pair->check();
    EXPECT_EQ(sme_results, 0U);
    EXPECT_EQ(beside_results, pair->plan.problem.n);
}

// The same with products of one row that run as one, and with several rows: units of a queue for both kinds.
TEST(GemmPair, ProductsAndSeveralRows) {
    for (const size_t rows : {size_t{1}, size_t{17}}) {
        Pair first(case_of(17, rows, 6, 2)), second(case_of(17, rows, 6, 1));
        kai_gemm_product products[2] = {};
        Pair* pairs[] = {&first, &second};
        for (size_t i = 0; i < 2; ++i) {
            Experiment& e = **pairs[i];
            e.reset_c();
            products[i].plan = &e.plan, products[i].operands = &e.x;
            products[i].workspace = e.workspace[0].data(), products[i].workspace_size = e.workspace[0].size();
        }
        sme_results = beside_results = 0;
        ASSERT_EQ(kai_gemm_run_products(products, 2, at_once, nullptr), KAI_GEMM_OK);
        first->check();
        second->check();
        EXPECT_EQ(sme_results + beside_results, 2 * rows * first->plan.problem.n);
    }
}

// ---- Columns that the plan divides, since the kernels have other bits

/// Runs unit by unit, in random order. A unit whose kind of worker has no free slot is not done.
void run_units(Pair& pair, uint64_t seed) {
    Random random(seed);
    Experiment& e = *pair;
    std::memset(e.workspace[0].data(), 0xAA, e.workspace[0].size());
    kai_gemm_work work = {};
    ASSERT_EQ(kai_gemm_begin(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), &work), KAI_GEMM_OK);
    auto* slots = reinterpret_cast<uint32_t*>(e.workspace[0].data() + e.plan.layout.slots_taken);
    for (size_t phase = 0; phase < work.phases; ++phase) {
        std::vector<size_t> order(work.units[phase]);
        for (size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
            std::swap(order[i], order[static_cast<size_t>(random.integer(0, static_cast<int>(i)))]);
        }
        for (const size_t unit : order) {
            const bool last = phase + 1 == work.phases, with_sme = unit < work.sme_units;
            if (last && work.single == 0) {
                const size_t first = with_sme ? 0 : e.plan.sme_workers,
                             count = with_sme ? e.plan.sme_workers : e.plan.workers - e.plan.sme_workers;
                std::fill_n(slots + first, count, 1U);
                EXPECT_EQ(kai_gemm_try_unit(&work, phase, unit), KAI_GEMM_BUSY) << "a worker of the other kind";
                std::fill_n(slots + first, count, 0U);
            }
            ASSERT_EQ(kai_gemm_try_unit(&work, phase, unit), KAI_GEMM_OK);
        }
    }
}

struct Division {
    const char* name;
    size_t m;
    void (*change)(Case& c);
};
constexpr Division kDivisions[] = {
    {"plain", 17, [](Case&) {}},
    {"one row", 1, [](Case&) {}},
    {"three rows", 3, [](Case&) {}},
    {"scaled", 17, [](Case& c) { c.p.alpha = 2, c.p.beta = 1; }},
    {"batch", 5, [](Case& c) { c.p.batch = 3, c.p.b_per_matrix = true; }},
    {"groups", 5,
     [](Case& c) {
         c.p.groups = c.p.b_per_matrix = true, c.p.batch = 4;
         c.rows = {c.m, 0, 1, 2};
         c.p.m = c.m + 3 + 7;
     }},
    {"most columns beside SME", 17,
     [](Case& c) {
         c.p.rates.cores[0] = {100, 1};
     }},
    {"all columns with SME", 17, [](Case& c) { c.p.rates.sme = 999, c.p.n = 4 * 17; }},
    {"a small run", 1, [](Case& c) { c.p.n = c.p.k = 64; }},
};

/// C as it must be: that of one worker, and the columns of the kernel beside SME with its bits. (By way of the products
/// that each kernel gives for all columns.)
std::vector<uint8_t> of_kernel(const Case& c, bool beside) {
    Pair pair(c, true);
    Experiment& e = *pair;
    kai_gemm_plan& plan = e.plan;
    (beside ? plan.gemm : plan.gemm_beside) = beside ? plan.gemm_beside : plan.gemm;
    (beside ? plan.gemv : plan.gemv_beside) = beside ? plan.gemv_beside : plan.gemv;
    plan.gemm_columns = plan.gemv_columns = 0;
    e.reset_c();
    EXPECT_EQ(e.run(), KAI_GEMM_OK);
    return e.c_bytes();
}

// Whatever the threads, the order and the worker that takes a unit, a column is that of its kernel.
TEST(GemmPair, ColumnsThatThePlanDivides) {
    for (const Division& division : kDivisions) {
        SCOPED_TRACE(division.name);
        Case c = case_of(17, division.m, 5, 2);
        division.change(c);
        const std::vector<uint8_t> with_sme = of_kernel(c, false), beside = of_kernel(c, true);
        ASSERT_EQ(with_sme.size(), beside.size());
        Pair pair(c, true);
        Experiment& e = *pair;
        const bool one_row = c.m == 1 && !c.p.groups;
        const size_t columns = one_row ? e.plan.gemv_columns : e.plan.gemm_columns;
        ASSERT_NE(columns, 0U);
        EXPECT_EQ(columns % (one_row ? kStep : kPanel) == 0 || columns == c.p.n, true);
        const auto check = [&](const std::string& how) {
            const std::vector<uint8_t> bytes = e.c_bytes();
            size_t others = 0;
            for (size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
                const bool first = std::memcmp(&bytes[i * 4], &with_sme[i * 4], 4) == 0,
                           second = std::memcmp(&bytes[i * 4], &beside[i * 4], 4) == 0;
                ASSERT_TRUE(first || second) << how << ", element " << i;
                others += first ? 0 : 1;
            }
            const bool all_with_sme = columns == c.p.n || c.p.n * c.p.k < 1U << 20;
            EXPECT_EQ(others != 0, !all_with_sme) << how;
        };
        e.reset_c();
        run_units(pair, 1);
        check("unit by unit");
        const std::vector<uint8_t> want = e.c_bytes();
        for (const size_t threads : {1, 2, 5, 9, 64}) {
            e.reset_c();
            size_t pool = threads;
            sme_results = beside_results = 0;
            ASSERT_EQ(
                kai_gemm_run(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), by_threads, &pool),
                KAI_GEMM_OK);
            EXPECT_TRUE(e.c_bytes() == want) << threads << " threads";
            if (!c.p.groups) {
                EXPECT_EQ(sme_results + beside_results, c.p.batch * c.m * c.p.n);
            }
        }
        e.reset_c();
        ASSERT_EQ(kai_gemm_run(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), nullptr, nullptr), 0);
        EXPECT_TRUE(e.c_bytes() == want) << "without a pool";
        for (const uint64_t seed : {2, 3}) {
            e.reset_c();
            run_units(pair, seed);
            EXPECT_TRUE(e.c_bytes() == want) << "in another order";
        }
        if (HasFailure()) {
            return;
        }
    }
}

// The boundary is that of the problem and its rates, whatever cores take part once they are counted: whole panels, of
// one row also parts of them.
TEST(GemmPair, BoundaryByTheRates) {
    const auto columns = [](double sme, size_t units, size_t sme_units, kai_gemm_core_rate fast = {},
                            kai_gemm_core_rate slow = {}, bool one_row = false) {
        Case c = case_of(17, 17, units, sme_units);
        c.p.n = 4000, c.p.k = 64;
        c.p.rates.sme = c.p.rates.sme_row = sme, c.p.rates.cores[0] = fast, c.p.rates.cores[1] = slow;
        Pair pair(c, true);
        EXPECT_LE(pair->plan.gemv_columns, pair->plan.gemm_columns + kPanel / 2);
        EXPECT_GE(pair->plan.gemv_columns + kPanel / 2, pair->plan.gemm_columns);
        return one_row ? pair->plan.gemv_columns : pair->plan.gemm_columns;
    };
    EXPECT_EQ(columns(4, 5, 1), 2000U);
    EXPECT_EQ(columns(1, 5, 1), 800U);
    EXPECT_EQ(columns(3, 5, 2), 2668U);
    EXPECT_EQ(columns(4, 5, 1, {3, 1}, {6, 0.5}), 1600U);
    EXPECT_EQ(columns(4, 10, 1, {3, 1}, {6, 0.5}), 1600U) << "the number of workers counts";
    EXPECT_EQ(columns(0.001, 64, 1), 4U) << "at least a panel";
    EXPECT_EQ(columns(1000, 2, 1), 3996U);
    EXPECT_EQ(columns(3, 5, 2, {}, {}, true), 2666U) << "inside a panel";
    EXPECT_EQ(columns(0.001, 64, 1, {}, {}, true), 2U) << "at least a step";
}

// Memory: that of a plan whose workers all have SME.
TEST(GemmPair, OnePackedB) {
    const Case c = case_of(17, 17, 5, 2);
    Pair divided(c, true), shared(c);
    EXPECT_EQ(divided->plan.packed_b_size, shared->plan.packed_b_size);
    EXPECT_EQ(std::memcmp(divided->plan.tag, shared->plan.tag, sizeof(divided->plan.tag)), 0);
}

// Products that run as one: also those that are one unit, which is for a worker with SME.
TEST(GemmPair, ProductsWhoseColumnsAreDivided) {
    Case small = case_of(17, 1, 5, 2);
    small.p.n = small.p.k = 64;
    size_t single = 0;
    for (const Case& c : {case_of(17, 17, 5, 2), small}) {
        Pair alone(c, true), first(c, true), second(c, true);
        alone->reset_c();
        ASSERT_EQ(alone->run(), KAI_GEMM_OK);
        kai_gemm_product products[2] = {};
        Pair* pairs[] = {&first, &second};
        for (size_t i = 0; i < 2; ++i) {
            Experiment& e = **pairs[i];
            e.reset_c();
            products[i].plan = &e.plan, products[i].operands = &e.x;
            products[i].workspace = e.workspace[0].data(), products[i].workspace_size = e.workspace[0].size();
        }
        ASSERT_EQ(kai_gemm_run_products(products, 2, at_once, nullptr), KAI_GEMM_OK);
        EXPECT_TRUE(first->c_bytes() == alone->c_bytes());
        EXPECT_TRUE(second->c_bytes() == alone->c_bytes());

        // While all workers with SME are busy, a product that is one unit waits.
        ASSERT_EQ(kai_gemm_begin_products(products, 2), KAI_GEMM_OK);
        const kai_gemm_work& work = products[0].work;
        if (work.phases != 1 || work.units[0] != 1) {
            continue;
        }
        auto* taken = reinterpret_cast<uint32_t*>(first->workspace[0].data() + first->plan.layout.slots_taken);
        std::fill(taken, taken + first->plan.sme_workers, 1U);
        EXPECT_EQ(kai_gemm_try_unit(&work, 0, 0), KAI_GEMM_BUSY);
        std::fill(taken, taken + first->plan.sme_workers, 0U);
        EXPECT_EQ(kai_gemm_try_unit(&work, 0, 0), KAI_GEMM_OK);
        ++single;
    }
    EXPECT_EQ(single, 1U);
}

TEST(GemmPair, ExplainSaysWhichColumns) {
    Case c = case_of(17, 17, 5, 1);
    c.p.n = 4000, c.p.rates.sme = 4, c.p.rates.sme_row = 2;
    Pair pair(c, true);
    std::string text(kai_gemm_explain(&pair->plan, nullptr, 0), ' ');
    kai_gemm_explain(&pair->plan, text.data(), text.size() + 1);
    EXPECT_NE(text.find("\n    with SME columns 0 to 1999; beside it 2000 to 3999, tiles of "), std::string::npos)
        << text;
    EXPECT_NE(text.find("\n    with SME columns 0 to 1333; beside it 1334 to 3999"), std::string::npos) << text;
    EXPECT_NE(text.find("workers: 1 with SME, 4 beside them with columns of their own: "), std::string::npos) << text;
    EXPECT_NE(text.find("as fast as 4 others, with one row as 2\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace test::gemm
