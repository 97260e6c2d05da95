// Plans in which some workers have an SME unit and the others run NEON kernels beside them, from one packed B.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "kai/gemm/queue.hpp"
#include "test/gemm/experiment.hpp"
#include "test/support/disabled_features.hpp"
#include "test/support/random.hpp"

namespace test::gemm {
namespace {

/// More threads than SME units.
Case case_of(kai_gemm_kind kind, kai_datatype c_type, size_t m, size_t run_m) {
    Case c;
    const bool int2 = kind == KAI_GEMM_INT2_CHANNEL;
    const bool blocks = has_blocks(kind);
    c.p = kai_gemm_problem_of(m, 1024 + 37, blocks || int2 ? 320 : 300);
    c.p.b_kind = kind, c.p.bl = blocks ? 32 : 0, c.p.b_constant = c.p.b_transposed = c.p.bias = true;
    c.p.c_type = c_type, c.p.units = 5, c.p.sme_units = 2;
    if (c.is_static()) {
        c.p.a_type = c.p.c_type = kai_dt_int8, c.p.b_transposed = kind == KAI_GEMM_INT2_STATIC;
    }
    c.m = run_m, c.numbers = Numbers::exact;
    return c;
}

constexpr kai_gemm_kind kKinds[] = {KAI_GEMM_INT8_CHANNEL,   KAI_GEMM_INT4_CHANNEL,    KAI_GEMM_INT2_CHANNEL,
                                    KAI_GEMM_INT4_BLOCK_F16, KAI_GEMM_INT4_BLOCK_ZERO, KAI_GEMM_INT8_BLOCK_F16,
                                    KAI_GEMM_INT8_STATIC,    KAI_GEMM_INT2_STATIC};

/// The words of the workspace that say which slots are taken.
uint32_t* slots_of(const Experiment& e) {
    return reinterpret_cast<uint32_t*>(e.workspace[0].data() + e.plan.layout.slots_taken);
}

/// Runs unit by unit; before each, `with_sme(random)` says whether an SME unit is free. packed(): after phase 0.
template <typename WithSme, typename Packed>
void run_units(Experiment& e, uint64_t seed, WithSme with_sme, Packed packed) {
    Random random(seed);
    e.reset_c();
    std::memset(e.workspace[0].data(), 0xAA, e.workspace[0].size());
    kai_gemm_work work = {};
    ASSERT_EQ(kai_gemm_begin(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), &work), KAI_GEMM_OK);
    for (size_t phase = 0; phase < work.phases; ++phase) {
        if (phase == 1) {
            packed();
        }
        std::vector<size_t> order(work.units[phase]);
        for (size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        for (size_t i = order.size(); i > 1; --i) {
            std::swap(order[i - 1], order[static_cast<size_t>(random.integer(0, static_cast<int>(i) - 1))]);
        }
        for (const size_t unit : order) {
            const bool sme = with_sme(random);
            if (work.single == 0) {
                std::fill_n(slots_of(e), e.plan.sme_workers, sme ? 0U : 1U);
            }
            ASSERT_EQ(kai_gemm_try_unit(&work, phase, unit), KAI_GEMM_OK);
        }
    }
}

template <typename WithSme>
void run_units(Experiment& e, uint64_t seed, WithSme with_sme) {
    run_units(e, seed, with_sme, [] {});
}

struct Variant {
    const char* name;
    void (*change)(Case& c);
};
constexpr Variant kVariants[] = {
    {"plain", [](Case&) {}},
    {"scaled", [](Case& c) { c.p.alpha = 2, c.p.beta = 1; }},
    {"batch", [](Case& c) { c.p.batch = 3, c.p.b_per_matrix = true; }},
    {"groups",
     [](Case& c) {
         c.p.groups = c.p.b_per_matrix = true, c.p.batch = 4;
         c.rows = {c.m, 0, 1, 2};
         c.p.m = c.m + 3 + 7;
     }},
};

/// Runs a case in all ways. Whether its plan is mixed.
bool check_case(const Case& c) {
    Experiment e(c);
    EXPECT_EQ(e.make_plan(), KAI_GEMM_OK);
    if (e.plan.gemm_beside.ukernel == nullptr) {
        return false;
    }
    EXPECT_EQ(e.pack(), KAI_GEMM_OK);
    EXPECT_EQ(e.plan.workers, 5U);
    EXPECT_EQ(e.plan.sme_workers, 2U);
    run_units(e, 1, [](Random&) { return true; });
    e.check();
    const std::vector<uint8_t> want = e.c_bytes();
    run_units(e, 2, [](Random&) { return false; });
    EXPECT_TRUE(e.c_bytes() == want) << "beside SME";
    run_units(e, 3, [](Random& random) { return random.integer(0, 1) != 0; });
    EXPECT_TRUE(e.c_bytes() == want) << "here and there";
    e.reset_c();
    EXPECT_EQ(e.run({4, 0, true}), KAI_GEMM_OK);
    EXPECT_TRUE(e.c_bytes() == want) << "four threads";
    // Each kind of worker reads the rows that are packed for its kernel.
    const auto spoil = [&](size_t from, size_t to) { std::memset(e.workspace[0].data() + from, 0x7F, to - from); };
    if (c.m > e.plan.layout.few_rows_max && e.plan.lhs_beside_stride != 0) {  // vectors of 128 bits: the same rows
        run_units(
            e, 4, [](Random&) { return false; }, [&] { spoil(e.plan.layout.lhs, e.plan.lhs_beside); });
        EXPECT_TRUE(e.c_bytes() == want) << "beside SME, without the rows of SME";
        run_units(
            e, 5, [](Random&) { return true; }, [&] { spoil(e.plan.lhs_beside, e.plan.layout.b); });
        EXPECT_TRUE(e.c_bytes() == want) << "with SME, without the rows beside it";
    }
    return true;
}

// Whoever takes a unit, with an SME unit or without, in whatever order: the bits are those of workers with SME.
TEST(GemmMixed, BitsDoNotDependOnTheWorker) {
    size_t mixed = 0, cases = 0;
    for (const kai_gemm_kind kind : kKinds) {
        for (const Variant& variant : kVariants) {
            for (const size_t m : {size_t{1}, size_t{3}, size_t{17}}) {
                const bool plain = &variant == kVariants;
                if (kind != KAI_GEMM_INT8_CHANNEL && !plain) {
                    continue;
                }
                // f16: SME2 only.
                Case c = case_of(kind, m == 3 ? kai_dt_f16 : kai_dt_f32, 17, m);
                variant.change(c);
                SCOPED_TRACE(testing::Message() << variant.name << ", kind " << kind << ", m " << m);
                ++cases;
                mixed += check_case(c) ? 1 : 0;
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
    if (kai_registry_runnable(uint64_t{1} << KAI_CPU_SME2, nullptr, 0)) {
        EXPECT_EQ(mixed, cases);
    }
}

// SME without SME2 has no kernel for one row of bf16 or static int8: that of NEON is for all workers.
TEST(GemmMixed, OneRowOfNeonForAll) {
    if (!kai_registry_runnable(uint64_t{1} << KAI_CPU_SME, nullptr, 0)) {
        GTEST_SKIP() << "without SME";
    }
    const DisabledFeatures disabled("sme2");
    for (const kai_gemm_kind kind : {KAI_GEMM_DENSE, KAI_GEMM_INT8_STATIC}) {
        for (const size_t m : {size_t{1}, size_t{17}}) {
            Case c = case_of(kind, kai_dt_f32, 17, m);
            c.p.allow_bf16 = kind == KAI_GEMM_DENSE;
            SCOPED_TRACE(testing::Message() << "kind " << kind << ", m " << m);
            EXPECT_TRUE(check_case(c));
        }
    }
}

// The same of floats, which one of the kernels may read as they lie.
TEST(GemmMixed, BitsOfFloatsDoNotDependOnTheWorker) {
    constexpr Variant kOfFloats[] = {
        {"A transposed", [](Case& c) { c.p.a_transposed = true; }},
        {"bf16", [](Case& c) { c.p.allow_bf16 = true; }},
        {"at most one row", [](Case& c) { c.p.m = c.m = 1; }},  // wider panels
    };
    size_t mixed = 0, cases = 0;
    const auto check = [&](const Variant& variant, size_t m) {
        Case c = case_of(KAI_GEMM_DENSE, m == 3 ? kai_dt_f16 : kai_dt_f32, 17, m);
        variant.change(c);
        SCOPED_TRACE(testing::Message() << variant.name << ", m " << m);
        ++cases;
        mixed += check_case(c) ? 1 : 0;
    };
    for (const size_t m : {size_t{1}, size_t{3}, size_t{17}}) {
        for (const Variant& variant : kVariants) {
            check(variant, m);
        }
        for (const Variant& variant : kOfFloats) {
            check(variant, m);
        }
        if (HasFailure()) {
            return;
        }
    }
    if (kai_registry_runnable(uint64_t{1} << KAI_CPU_SME2, nullptr, 0)) {
        EXPECT_EQ(mixed, cases);
    }
}

/// Runs unit by unit, in random order, each with a worker of the kind that has its columns.
void run_divided(Experiment& e, uint64_t seed) {
    Random random(seed);
    e.reset_c();
    std::memset(e.workspace[0].data(), 0xAA, e.workspace[0].size());
    kai_gemm_work work = {};
    ASSERT_EQ(kai_gemm_begin(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), &work), KAI_GEMM_OK);
    for (size_t phase = 0; phase < work.phases; ++phase) {
        std::vector<size_t> order(work.units[phase]);
        for (size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
            std::swap(order[i], order[static_cast<size_t>(random.integer(0, static_cast<int>(i)))]);
        }
        for (const size_t unit : order) {
            ASSERT_EQ(kai_gemm_try_unit(&work, phase, unit), KAI_GEMM_OK);
        }
    }
}

/// C of the kernels with SME alone, or of the kernel beside them.
std::vector<uint8_t> of_one_kind(const Case& c, const kai_ukernel* beside) {
    Case alone = c;
    alone.p.divides_columns = 0;
    alone.p.pin = beside != nullptr ? beside->name : nullptr;
    Experiment e(alone);
    EXPECT_EQ(e.make_plan(), KAI_GEMM_OK) << e.plan.reason;
    EXPECT_EQ(e.pack(), KAI_GEMM_OK);
    e.reset_c();
    EXPECT_EQ(e.run(), KAI_GEMM_OK);
    e.check();
    return e.c_bytes();
}

// f16: NEON kernels beside SME have other bits, so the plan divides the columns if it may. Each column has the bits of
// its kernel, whatever the threads and the order.
TEST(GemmMixed, ColumnsOfF16AreDivided) {
    if (!kai_registry_runnable(uint64_t{1} << KAI_CPU_SME2, nullptr, 0)) {
        GTEST_SKIP() << "no SME2";
    }
    for (const kai_datatype c_type : {kai_dt_f32, kai_dt_f16}) {
        for (const size_t m : {size_t{1}, size_t{5}}) {
            SCOPED_TRACE(testing::Message() << "m " << m << ", C of type " << c_type);
            Case c = case_of(KAI_GEMM_DENSE, c_type, 17, m);
            c.p.a_type = c.p.b_type = kai_dt_f16, c.numbers = Numbers::random;
            c.p.k = 1100;  // enough for both kinds of workers
            Experiment whole(c);
            ASSERT_EQ(whole.make_plan(), KAI_GEMM_OK);
            EXPECT_EQ(whole.plan.gemm_beside.ukernel, nullptr) << "columns may not be divided";
            c.p.divides_columns = 1;
            Experiment e(c);
            ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
            ASSERT_NE(e.plan.gemm_beside.ukernel, nullptr);
            EXPECT_NE(e.plan.gemm_beside.ukernel->other_bits, 0U);
            EXPECT_EQ(e.plan.packed_b_size, whole.plan.packed_b_size);
            const size_t columns = m == 1 ? e.plan.gemv_columns : e.plan.gemm_columns;
            ASSERT_NE(columns, 0U);
            ASSERT_LT(columns, c.p.n);
            ASSERT_EQ(e.pack(), KAI_GEMM_OK);
            run_divided(e, 1);
            const std::vector<uint8_t> want = e.c_bytes(), with_sme = of_one_kind(c, nullptr),
                                       beside = of_one_kind(c, e.plan.gemm_beside.ukernel);
            const size_t element = kai_get_datatype_size_in_bytes(c_type);
            ASSERT_EQ(want.size(), c.m * c.p.n * element);
            for (size_t i = 0; i < c.m; ++i) {
                const size_t row = i * c.p.n * element, first = columns * element, all = c.p.n * element;
                EXPECT_EQ(std::memcmp(&want[row], &with_sme[row], first), 0) << "with SME, row " << i;
                EXPECT_EQ(std::memcmp(&want[row + first], &beside[row + first], all - first), 0) << "row " << i;
            }
            EXPECT_FALSE(with_sme == beside);
            run_divided(e, 2);
            EXPECT_TRUE(e.c_bytes() == want) << "in another order";
            for (const size_t threads : {1, 2, 5}) {
                e.reset_c();
                EXPECT_EQ(e.run({threads, 0, true}), KAI_GEMM_OK);
                EXPECT_TRUE(e.c_bytes() == want) << threads << " threads";
            }
        }
    }
}

// Rows that the kernel beside SME reads as they lie take no unit of the first phase.
TEST(GemmMixed, RowsThatLieAreNotPacked) {
    Experiment e(case_of(KAI_GEMM_DENSE, kai_dt_f32, 70, 70));
    ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
    if (e.plan.gemm_beside.ukernel == nullptr) {
        GTEST_SKIP() << "no plan of this CPU is mixed";
    }
    ASSERT_EQ(e.pack(), KAI_GEMM_OK);
    kai_gemm_work work = {};
    ASSERT_EQ(kai_gemm_begin(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), &work), KAI_GEMM_OK);
    EXPECT_EQ(e.plan.gemm_beside.lhs_packer, nullptr);
    EXPECT_NE(work.lhs_units, 0U);
    EXPECT_EQ(work.lhs_beside_units, 0U);
}

// Without SME units, nothing is packed for SME.
TEST(GemmMixed, WithoutUnitsOfSme) {
    for (const bool bf16 : {false, true}) {
        for (const size_t m : {size_t{1}, size_t{17}}) {
            Case c = case_of(KAI_GEMM_DENSE, kai_dt_f32, m, m);
            c.p.allow_bf16 = bf16, c.p.sme_units = 0;
            kai_gemm_plan plan;
            ASSERT_EQ(kai_gemm_make_plan(&c.p, &plan), KAI_GEMM_OK) << plan.reason;
            EXPECT_EQ(plan.gemm.ukernel->size_only_features, 0U) << plan.gemm.ukernel->name;
            EXPECT_EQ(plan.gemv.ukernel->size_only_features, 0U) << plan.gemv.ukernel->name;
        }
    }
}

// The packed B is that of a plan in which all workers have SME, and of one that has a single thread.
TEST(GemmMixed, OnePackedB) {
    for (const kai_gemm_kind kind : kKinds) {
        kai_gemm_problem p = case_of(kind, kai_dt_f32, 70, 70).p;
        kai_gemm_plan mixed, alike, one, without;
        ASSERT_EQ(kai_gemm_make_plan(&p, &mixed), KAI_GEMM_OK);
        p.sme_units = p.units;
        ASSERT_EQ(kai_gemm_make_plan(&p, &alike), KAI_GEMM_OK);
        EXPECT_EQ(alike.gemm_beside.ukernel, nullptr);
        EXPECT_EQ(mixed.packed_b_size, alike.packed_b_size);
        EXPECT_EQ(std::memcmp(mixed.tag, alike.tag, sizeof(mixed.tag)), 0);
        EXPECT_EQ(mixed.gemm.ukernel, alike.gemm.ukernel);
        p.units = p.sme_units = 1;
        ASSERT_EQ(kai_gemm_make_plan(&p, &one), KAI_GEMM_OK);
        EXPECT_EQ(one.packed_b_size, mixed.packed_b_size);
        // Without SME, weights that were packed for it.
        const kai_gemm_format format = mixed.format;
        p.units = 5, p.sme_units = 0, p.format = &format;
        ASSERT_EQ(kai_gemm_make_plan(&p, &without), KAI_GEMM_OK);
        EXPECT_EQ(without.packed_b_size, mixed.packed_b_size);
        EXPECT_EQ(without.workers, 5U);
        if (mixed.gemm_beside.ukernel != nullptr) {
            EXPECT_EQ(without.gemm.ukernel, mixed.gemm_beside.ukernel);
            EXPECT_EQ(without.gemv.ukernel, mixed.gemv_beside.ukernel);
        }
        p = case_of(kind, kai_dt_f32, 70, 70).p;
        for (const kai_ukernel* u : {mixed.gemm.ukernel, mixed.gemv.ukernel}) {
            p.pin = u->name;
            ASSERT_EQ(kai_gemm_make_plan(&p, &without), KAI_GEMM_OK);
            EXPECT_EQ(without.gemm_beside.ukernel, nullptr) << "a pinned kernel is for all workers: " << u->name;
        }
    }
}

// Weights of GGUF files in formats that SME2 multiplies: the same packed B, with NEON kernels beside it.
TEST(GemmMixed, TypesOfFiles) {
    if (!kai_registry_runnable(uint64_t{1} << KAI_CPU_SME2, nullptr, 0)) {
        GTEST_SKIP() << "without SME2";
    }
    for (const kai_gguf_type_id type :
         {KAI_GGUF_Q4_0, KAI_GGUF_Q8_0, KAI_GGUF_IQ4_NL, KAI_GGUF_Q4_K, KAI_GGUF_Q5_K, KAI_GGUF_Q6_K, KAI_GGUF_Q2_K,
          KAI_GGUF_Q3_K, KAI_GGUF_IQ4_XS, KAI_GGUF_Q1_0, KAI_GGUF_Q2_0, KAI_GGUF_TQ1_0, KAI_GGUF_TQ2_0}) {
        SCOPED_TRACE(testing::Message() << "type " << type);
        kai_gemm_problem p = kai_gemm_problem_of(70, 1061, 1024);
        p.b_kind = KAI_GEMM_GGUF, p.gguf_type = type, p.b_constant = p.b_transposed = true;
        p.units = 5, p.sme_units = 5;
        kai_gemm_plan alike, mixed;
        ASSERT_EQ(kai_gemm_make_plan(&p, &alike), KAI_GEMM_OK);
        p.sme_units = 2;
        ASSERT_EQ(kai_gemm_make_plan(&p, &mixed), KAI_GEMM_OK);
        EXPECT_EQ(mixed.gemm.ukernel, alike.gemm.ukernel);
        EXPECT_EQ(mixed.packed_b_size, alike.packed_b_size);
        ASSERT_NE(mixed.gemm_beside.ukernel, nullptr);
        ASSERT_NE(mixed.gemv_beside.ukernel, nullptr);
        EXPECT_EQ(mixed.workers, 5U);
    }
}

// One row is for NEON on all workers where an SME unit loads no more than a core: same packed B, same bits.
// Weights that become floats while they are packed have the workers that floats have.
TEST(GemmMixed, DequantisedWeights) {
    kai_gemm_problem p = kai_gemm_problem_of(70, 1061, 1024);
    p.b_constant = p.b_transposed = true, p.units = 5, p.sme_units = 2;
    kai_gemm_plan floats, made;
    ASSERT_EQ(kai_gemm_make_plan(&p, &floats), KAI_GEMM_OK);
    const auto expect_same = [&](const char* what) {
        SCOPED_TRACE(what);
        ASSERT_EQ(kai_gemm_make_plan(&p, &made), KAI_GEMM_OK);
        EXPECT_EQ(made.gemm.ukernel, floats.gemm.ukernel);
        EXPECT_EQ(made.gemm_beside.ukernel, floats.gemm_beside.ukernel);
        EXPECT_EQ(made.gemv_beside.ukernel, floats.gemv_beside.ukernel);
        EXPECT_EQ(made.workers, floats.workers);
        EXPECT_EQ(made.layout.slot_size, floats.layout.slot_size);
    };
    p.b_kind = KAI_GEMM_GGUF, p.gguf_type = KAI_GGUF_IQ2_S;
    expect_same("IQ2_S");
    p.b_kind = KAI_GEMM_UINT4_BLOCK, p.bl = 16;
    expect_same("UINT4_BLOCK");
    p.b_kind = KAI_GEMM_FLOAT_TABLE, p.bl = 64;
    expect_same("FLOAT_TABLE");
}

TEST(GemmMixed, OneRowByBytes) {
    Case c = case_of(KAI_GEMM_INT8_CHANNEL, kai_dt_f32, 17, 1);
    Experiment with(c);
    ASSERT_EQ(with.make_plan(), KAI_GEMM_OK);
    if (with.plan.gemm_beside.ukernel == nullptr) {
        GTEST_SKIP() << "no plan of this CPU is mixed";
    }
    EXPECT_GT(with.plan.problem.rates.sme, 1);
    EXPECT_GT(with.plan.problem.rates.sme_row, 1);
    EXPECT_NE(with.plan.gemv.ukernel, with.plan.gemv_beside.ukernel);
    Case by_bytes = c;
    by_bytes.p.rates.sme_row = 1;
    Experiment without(by_bytes);
    ASSERT_EQ(without.make_plan(), KAI_GEMM_OK);
    EXPECT_EQ(without.plan.gemv.ukernel, with.plan.gemv_beside.ukernel);
    EXPECT_EQ(without.plan.gemv_beside.ukernel, with.plan.gemv_beside.ukernel);
    EXPECT_EQ(without.plan.gemm.ukernel, with.plan.gemm.ukernel);
    EXPECT_EQ(without.plan.packed_b_size, with.plan.packed_b_size);
    for (Experiment* e : {&with, &without}) {
        ASSERT_EQ(e->pack(), KAI_GEMM_OK);
        e->reset_c();
        ASSERT_EQ(e->run({4, 0, true}), KAI_GEMM_OK);
        e->check();
    }
    EXPECT_TRUE(with.c_bytes() == without.c_bytes());
}

TEST(GemmMixed, ExplainNamesTheKernels) {
    const Case c = case_of(KAI_GEMM_INT8_CHANNEL, kai_dt_f32, 70, 70);
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&c.p, &plan), KAI_GEMM_OK);
    std::string text(kai_gemm_explain(&plan, nullptr, 0), ' ');
    kai_gemm_explain(&plan, text.data(), text.size() + 1);
    const bool mixed = plan.gemm_beside.ukernel != nullptr;
    EXPECT_EQ(text.find("workers: 2 with SME, 3 beside them") != std::string::npos, mixed) << text;
    if (mixed) {
        EXPECT_NE(text.find(plan.gemm_beside.ukernel->name), std::string::npos) << text;
        EXPECT_NE(text.find(plan.gemv_beside.ukernel->name), std::string::npos) << text;
        EXPECT_NE(text.find("with the same bits: "), std::string::npos) << text;
        EXPECT_NE(text.find("units of work go to whoever is free, columns of one row by 16"), std::string::npos)
            << text;
        EXPECT_NE(text.find("rates: a worker with SME is assumed to be as fast as "), std::string::npos) << text;
    }
}

/// A simulated machine: workers by their speed, the first with the SME unit.
struct Machine {
    const char* name;
    std::vector<double> speeds;
};
const Machine kMachines[] = {
    {"4 fast, 6 at 0.35, SME of 4", {4, 1, 1, 1, .35, .35, .35, .35, .35, .35}},
    {"2 and 6, SME of 4", {4, 1, .7, .7, .7, .7, .7, .7}},
    {"1, 3 and 4, SME of 4", {4, .8, .8, .8, .35, .35, .35, .35}},
    {"8 equal", {1, 1, 1, 1, 1, 1, 1, 1}},
    {"4 and 4", {1, 1, 1, 1, .5, .5, .5, .5}},
};

/// The sizes of the units of the last phase, in order: multiply-adds for each k.
std::vector<double> units_of(const kai_gemm_work& work, size_t m) {
    std::vector<double> sizes;
    const auto add = [&](size_t n, size_t m_tile, size_t n_tile, bool m_first) {
        const size_t m_tiles = (m + m_tile - 1) / m_tile, n_tiles = (n + n_tile - 1) / n_tile;
        for (size_t unit = 0; unit < m_tiles * n_tiles; ++unit) {
            const size_t mi = m_first ? unit % m_tiles : unit / n_tiles, ni = m_first ? unit / m_tiles : unit % n_tiles;
            const size_t rows = std::min(m_tile, m - mi * m_tile), columns = std::min(n_tile, n - ni * n_tile);
            sizes.push_back(static_cast<double>(rows * columns));
        }
    };
    const size_t n = work.plan->problem.n, first = kai::gemm::divided_columns(*work.plan, m <= 1);
    const bool divided = work.sme_units != 0;
    add(divided ? first : n, work.m_tile, work.n_tile, work.m_first);
    if (divided) {
        EXPECT_EQ(sizes.size(), work.sme_units);
        add(n - first, work.m_tile_beside, work.n_tile_beside, work.m_first_beside != 0);
    }
    EXPECT_EQ(sizes.size(), work.units[work.phases - 1]);
    return sizes;
}

/// When the last worker is done; workers take what kai_gemm_run lets them. The first ones have an SME unit.
double simulate(const Machine& machine, const kai_gemm_work& work, size_t m) {
    const kai_gemm_plan& plan = *work.plan;
    const kai::gemm::MixedQueue q(work);
    const std::vector<double> units = units_of(work, m);
    const size_t workers = machine.speeds.size();
    std::vector<size_t> done(workers);
    std::vector<bool> works(workers, true);
    struct Event {
        double time;
        size_t worker, steps;  ///< that it has just done
        bool operator>(const Event& other) const {
            return time != other.time ? time > other.time : worker > other.worker;
        }
    };
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    for (size_t i = 0; i < workers; ++i) {
        events.push({0, i, 0});
    }
    size_t taken = 0;
    double end = 0;
    while (!events.empty()) {
        const Event now = events.top();
        const size_t i = now.worker;
        events.pop();
        done[i] += now.steps;
        const bool beside = i >= plan.sme_workers;
        const size_t first_worker = q.first_worker(plan, beside);
        const auto done_by = [&](size_t w) { return works[first_worker + w] ? done[first_worker + w] : 0; };
        const size_t left = q.left(taken, beside);
        const size_t steps =
            left == 0 ? 0
                      : kai::gemm::next_steps(
                            done[i], q.done(taken, beside), left, q.least(beside), q.workers(plan, beside), done_by);
        if (steps == 0) {
            works[i] = false;
            continue;
        }
        EXPECT_LE(steps, left);
        taken += q.from_back(beside) ? steps << kai::gemm::MixedQueue::kHalf : steps;
        const size_t first = q.from_back(beside) ? q.steps - q.back(taken) : q.front(taken) - steps;
        double size = static_cast<double>(steps * q.columns);
        for (size_t unit = first; q.columns == 0 && unit < first + steps; ++unit) {
            size += units[unit];
        }
        const double until = now.time + size / machine.speeds[i];
        end = std::max(end, until);
        events.push({until, i, steps});
    }
    EXPECT_TRUE(q.is_empty(taken)) << "nobody does the rest";
    return end;
}

struct Shape {
    const char* of;
    size_t n, k;
};
constexpr Shape kShapes[] = {{"1B", 2048, 2048},  {"1B", 8192, 2048},  {"8B", 4096, 4096},
                             {"8B", 14336, 4096}, {"8B", 4096, 14336}, {"30B of experts", 2048, 4096}};

/// Weights: of a file, unless they are int8 per channel.
struct Weights {
    const char* name;
    bool of_file;
    kai_gguf_type_id type;
};
constexpr Weights kInt8 = {"int8 per channel", false, KAI_GGUF_Q8_0};
constexpr Weights kOfFiles[] = {
    {"Q4_0", true, KAI_GGUF_Q4_0},
    {"Q8_0", true, KAI_GGUF_Q8_0},
    {"IQ4_NL", true, KAI_GGUF_IQ4_NL},
    {"Q4_K", true, KAI_GGUF_Q4_K},
    {"Q6_K", true, KAI_GGUF_Q6_K}};

/// A plan for a machine, `rates` known to it or those of rates.def; without a kernel beside if this CPU has none.
kai_gemm_plan plan_for(const Machine& machine, const Shape& shape, bool rates, const Weights& weights = kInt8) {
    kai_gemm_problem p = kai_gemm_problem_of(512, shape.n, shape.k);
    p.b_kind = weights.of_file ? KAI_GEMM_GGUF : KAI_GEMM_INT8_CHANNEL;
    p.gguf_type = weights.of_file ? weights.type : kai_gguf_type_id{};
    p.b_constant = p.b_transposed = p.untagged = true;
    p.units = machine.speeds.size(), p.sme_units = 1;
    if (rates) {
        p.rates.sme = p.rates.sme_row = machine.speeds[0];
        for (size_t i = 1, c = 0; i < machine.speeds.size(); ++i) {
            kai_gemm_core_rate* cores = p.rates.cores;
            c += cores[c].count != 0 && cores[c].speed != machine.speeds[i] ? 1 : 0;
            cores[c] = {cores[c].count + 1, machine.speeds[i]};
        }
    }
    kai_gemm_plan plan = {};
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    return plan;
}

/// The work of so many rows. Begun, not run: A, B and C are not looked at.
kai_gemm_work work_of(const kai_gemm_plan& plan, size_t m, GuardedBuffer& workspace, kai_gemm_operands& x) {
    x = {};
    x.m = m, x.a.data = x.b.data = workspace.data(), x.c.data = workspace.data();
    kai_gemm_work work = {};
    EXPECT_EQ(kai_gemm_begin(&plan, &x, workspace.data(), plan.workspace_size, &work), KAI_GEMM_OK);
    return work;
}

double sum_of(const std::vector<double>& speeds) {
    double sum = 0;
    for (const double speed : speeds) {
        sum += speed;
    }
    return sum;
}

/// The time for a shape over that of all units of the machine together.
double ratio_of(const Machine& machine, const kai_gemm_plan& plan, size_t m) {
    GuardedBuffer workspace(plan.workspace_size, Flush::start, 0);
    kai_gemm_operands x;
    const kai_gemm_work work = work_of(plan, m, workspace, x);
    return simulate(machine, work, m) / (static_cast<double>(m * plan.problem.n) / sum_of(machine.speeds));
}
double ratio_of(const Machine& machine, const Shape& shape, size_t m, bool rates) {
    return ratio_of(machine, plan_for(machine, shape, rates), m);
}

/// The same if the kernels had other bits: each kind of workers has its columns.
double divided_ratio_of(const Machine& machine, const Shape& shape, size_t m) {
    kai_gemm_plan plan = plan_for(machine, shape, true);
    kai_ukernel gemm = *plan.gemm_beside.ukernel, gemv = *plan.gemv_beside.ukernel;
    gemm.other_bits = gemv.other_bits = 1;
    kai_gemm_plan divided = {};
    divided.problem = plan.problem, divided.gemm = plan.gemm, divided.gemv = plan.gemv;
    divided.rhs_packer = plan.rhs_packer, divided.copies_columns = plan.copies_columns;
    divided.gemm_beside = plan.gemm_beside, divided.gemm_beside.ukernel = &gemm;
    divided.gemv_beside = plan.gemv_beside, divided.gemv_beside.ukernel = &gemv;
    if (plan.gemv.ukernel == plan.gemv_beside.ukernel) {  // all multiply one row with the same kernel
        divided.gemv.ukernel = &gemv;
    }
    kai::gemm::complete(divided);
    EXPECT_EQ(divided.packed_b_size, plan.packed_b_size);
    EXPECT_EQ(divided.gemv_columns == 0, plan.gemv.ukernel == plan.gemv_beside.ukernel);
    return ratio_of(machine, divided, m);
}

// The table of docs/gemm-layer.md: the time over that of all units of the machine together, at most, for all shapes. If
// the plan knows the rates of the machine; if it does not; if columns are divided; if workers without SME are idle.
TEST(GemmMixed, UnequalWorkersFinishTogether) {
    if (plan_for(kMachines[0], kShapes[0], false).gemm_beside.ukernel == nullptr) {
        GTEST_SKIP() << "no plan of this CPU is mixed";
    }
    if (kai_cpu_sme_bytes() > 64) {
        GTEST_SKIP() << "the machines have vectors of 512 bits: 2048 columns are 32 panels, not 8";
    }
    std::printf("%-28s %14s %20s %20s %20s %10s\n", "", "", "rates known", "not known", "divided", "SME alone");
    for (const Machine& machine : kMachines) {
        for (const size_t m : {size_t{512}, size_t{1}}) {
            double known = 0, unknown = 0, divided = 0;
            for (const Shape& shape : kShapes) {
                SCOPED_TRACE(testing::Message() << machine.name << ", " << m << " x " << shape.n << " x " << shape.k);
                const double most = m > 1 ? 1.12 : 1.10;
                const double its = ratio_of(machine, shape, m, true), others = ratio_of(machine, shape, m, false),
                             with = divided_ratio_of(machine, shape, m);
                EXPECT_LE(its, most);
                EXPECT_LE(others, 1.125);
                EXPECT_LE(with, most);
                known = std::max(known, its), unknown = std::max(unknown, others), divided = std::max(divided, with);
            }
            const double alone = sum_of(machine.speeds) / machine.speeds[0];
            std::printf(
                "%-28s %14s %20.2f %20.2f %20.2f %10.2f\n", machine.name, m > 1 ? "m = 512" : "one row", known, unknown,
                divided, alone);
        }
    }
}

// Workers without an SME unit pack floats without SME, to the bytes of the others: who multiplies does not matter.
// With a packer of other bytes in its place, the product is wrong if they pack, and right if the others do.
TEST(GemmMixed, RowsArePackedWithoutSme) {
    constexpr Variant kTypes[] = {
        {"f32", [](Case&) {}},
        {"bf16", [](Case& c) { c.p.allow_bf16 = true; }},
        {"f16", [](Case& c) { c.p.a_type = c.p.b_type = c.p.c_type = kai_dt_f16, c.p.divides_columns = 1; }},
    };
    const kai_packer* const of_f16 = kai_registry_find_packer("matmul_pack_lhs_mxk_x16pmrx2_x16");
    ASSERT_NE(of_f16, nullptr);
    for (const Variant& variant : kTypes) {
        SCOPED_TRACE(variant.name);
        Case c = case_of(KAI_GEMM_DENSE, kai_dt_f32, 70, 70);
        variant.change(c);
        Experiment e(c);
        ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
        if (e.plan.gemm_beside.ukernel == nullptr) {
            GTEST_SKIP() << "no plan of this CPU is mixed";
        }
        const kai_packer* const beside = e.plan.lhs_packer_beside;
        ASSERT_NE(beside, nullptr);
        EXPECT_EQ(beside->features, 0U) << beside->name;
        ASSERT_EQ(e.pack(), KAI_GEMM_OK);
        run_units(e, 1, [](Random&) { return true; });
        e.check();
        const std::vector<uint8_t> want = e.c_bytes();
        const auto packed_beside = [&] {
            bool multiplies = false;
            run_units(
                e, 2, [&](Random&) { return multiplies; }, [&] { multiplies = true; });
            return e.c_bytes();
        };
        EXPECT_TRUE(packed_beside() == want);
        if (beside == of_f16) {
            continue;
        }
        kai_packer other = *of_f16;  // reads less and writes no more
        other.source_format = beside->source_format, other.format = beside->format, other.accepts = beside->accepts;
        e.plan.lhs_packer_beside = &other;
        EXPECT_FALSE(packed_beside() == want);
        run_units(e, 3, [](Random&) { return true; });
        EXPECT_TRUE(e.c_bytes() == want);
    }
}

// rates.def has what plans assume, by the format of the packed B: an SME unit does 8 to 13 times as much as a core in
// several rows (bf16: 4.8; static kinds, which have SMMLA beside them: 5.6), and more than a core in one. Others are
// assumed to do 4 and 2 times as much.
TEST(GemmMixed, RatesOfEveryFormat) {
    size_t mixed = 0;
    const auto check = [&](const kai_gemm_problem& p, double others = 8) {
        const double least = is_static(p.b_kind) ? 5 : others;
        kai_gemm_plan plan = {};
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
        if (plan.gemm_beside.ukernel != nullptr) {
            ++mixed;
            EXPECT_GT(plan.problem.rates.sme, least) << plan.format.name;
            EXPECT_LT(plan.problem.rates.sme, 13) << plan.format.name;
            EXPECT_GT(plan.problem.rates.sme_row, 1) << plan.format.name;
            EXPECT_NE(plan.problem.rates.sme_row, 2) << plan.format.name;
        }
    };
    for (const kai_gemm_kind kind : kKinds) {
        check(case_of(kind, kai_dt_f32, 70, 70).p);
    }
    for (const kai_gguf_type_id type :
         {KAI_GGUF_Q4_0, KAI_GGUF_Q8_0, KAI_GGUF_IQ4_NL, KAI_GGUF_MXFP4, KAI_GGUF_Q4_K, KAI_GGUF_Q5_K, KAI_GGUF_Q6_K,
          KAI_GGUF_Q2_K, KAI_GGUF_Q3_K, KAI_GGUF_IQ4_XS, KAI_GGUF_TQ2_0}) {
        kai_gemm_problem p = kai_gemm_problem_of(70, 1061, 1024);
        p.b_kind = KAI_GEMM_GGUF, p.gguf_type = type, p.b_constant = p.b_transposed = true, p.units = 5;
        check(p);
    }
    kai_gemm_problem floats = case_of(KAI_GEMM_DENSE, kai_dt_f32, 70, 70).p;
    check(floats);
    if (kai_registry_runnable(uint64_t{1} << KAI_CPU_SME2, nullptr, 0)) {
        floats.allow_bf16 = true;  // SME1: one row with NEON
        check(floats, 4.5);
        EXPECT_EQ(mixed, std::size(kKinds) + 13);
    }
}

// What tasks have taken is counted in half a word.
TEST(GemmMixed, BatchesThatAreTooLarge) {
    kai_gemm_problem p = case_of(KAI_GEMM_INT8_CHANNEL, kai_dt_f32, 1, 1).p;
    kai_gemm_plan plan = {};
    p.batch = 1 << 16;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    if (plan.gemm_beside.ukernel == nullptr) {
        GTEST_SKIP() << "no plan of this CPU is mixed";
    }
    ++p.batch;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(plan.gemm_beside.ukernel, nullptr);
    EXPECT_EQ(plan.workers, plan.sme_workers);
}

// Decode with weights of files: their kernels begin inside a panel, too, so one row is divided as finely as with int8.
TEST(GemmMixed, OneRowOfFilesIsDivided) {
    if (!kai_registry_runnable(uint64_t{1} << KAI_CPU_SME2, nullptr, 0) || kai_cpu_sme_bytes() > 64) {
        GTEST_SKIP() << "the machines have SME2 with vectors of up to 512 bits";
    }
    for (const Weights& weights : kOfFiles) {
        for (const Machine& machine : kMachines) {
            double known = 0, unknown = 0;
            for (const Shape& shape : kShapes) {
                SCOPED_TRACE(testing::Message() << weights.name << ", " << machine.name << ", " << shape.n);
                for (const bool rates : {true, false}) {
                    const kai_gemm_plan plan = plan_for(machine, shape, rates, weights);
                    ASSERT_NE(plan.gemv_beside.ukernel, nullptr);
                    ASSERT_NE(plan.gemv_beside.ukernel->run_columns, nullptr);
                    const double ratio = ratio_of(machine, plan, 1);
                    EXPECT_LE(ratio, rates ? 1.10 : 1.125);
                    (rates ? known : unknown) = std::max(rates ? known : unknown, ratio);
                }
            }
            std::printf("%-8s %-28s %14s %20.2f %20.2f\n", weights.name, machine.name, "one row", known, unknown);
        }
    }
}

}  // namespace
}  // namespace test::gemm
