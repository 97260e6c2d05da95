// Threads whose vector length differs from the plan's: refused, or others do their work.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <thread>

#include "kai/gemm/kai_gemm.h"
#include "test/gemm/experiment.hpp"
#if defined(__linux__) && defined(__aarch64__)
#include <sys/prctl.h>
#endif

namespace test::gemm {
namespace {

#if defined(__linux__) && defined(__aarch64__)
/// Sets the vector length of this thread; the destructor restores it.
class Vectors {
public:
    Vectors(bool sme, size_t bytes) : set_(sme ? 63 : 50), before_(prctl(set_ + 1, 0, 0, 0, 0) & 0xFFFF) {
        worked = prctl(set_, bytes, 0, 0, 0) >= 0;
    }
    ~Vectors() {
        prctl(set_, before_, 0, 0, 0);
    }
    Vectors(const Vectors&) = delete;
    Vectors& operator=(const Vectors&) = delete;
    bool worked = false;

private:
    int set_, before_;
};

/// A pool all of whose threads have other vectors.
struct Others {
    bool sme;
    size_t bytes;
    static void run(void* pool, size_t count, kai_gemm_task* task, void* context) {
        const auto& others = *static_cast<const Others*>(pool);
        std::thread([&] {
            const Vectors vectors(others.sme, others.bytes);
            for (size_t i = 0; i < count; ++i) {
                task(context, i);
            }
        }).join();
    }
};

TEST(GemmVectors, OtherLengthsAreRefused) {
    size_t depend = 0, others = 0;
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        if ((u->features >> KAI_CPU_SVE & 1) == 0 && (u->features >> KAI_CPU_SME & 1) == 0) {
            continue;
        }
        for (const kai_gemm_kind kind : kKinds) {
            Case c;
            kai_gemm_problem& p = c.p;
            p = kai_gemm_problem_of(5, 70, 64);
            p.b_kind = kind, p.b_constant = true, p.pin = u->name, p.units = p.sme_units = 4;
            p.bl = has_blocks(p.b_kind) ? 32 : 0, p.b_transposed = p.b_kind != KAI_GEMM_INT8_STATIC;
            p.a_type = p.c_type = c.is_static() ? kai_dt_int8 : u->dst_type;
            p.b_type = u->dst_type == kai_dt_f16 ? kai_dt_f16 : kai_dt_f32, p.allow_bf16 = p.allow_f16 = true;
            p.m = u->rows == KAI_ROWS_ONE ? 1 : 5;
            c.m = p.m;
            kai_gemm_plan probe;
            if (kai_gemm_make_plan(&p, &probe) != KAI_GEMM_OK) {
                continue;
            }
            const bool sme = probe.sme_bytes != 0;
            EXPECT_EQ(probe.sme_bytes != 0, (u->size_features >> KAI_CPU_SME & 1) != 0) << u->name;
            EXPECT_EQ(probe.sve_bytes != 0, (u->size_features >> KAI_CPU_SVE & 1) != 0) << u->name;
            if (probe.sme_bytes + probe.sve_bytes == 0) {
                ++others;
                continue;
            }
            SCOPED_TRACE(testing::Message() << c);
            const size_t now = sme ? probe.sme_bytes : probe.sve_bytes, other = now == 16 ? 32 : 16;
            Experiment e(c);
            ASSERT_TRUE(e.succeeds());
            const std::vector<uint8_t> right = e.c_bytes();
            kai_gemm_work work;
            ASSERT_EQ(kai_gemm_begin(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), &work), KAI_GEMM_OK);
            {
                const Vectors vectors(sme, other);
                if (!vectors.worked || (sme ? kai_cpu_sme_bytes() : kai_cpu_sve_bytes()) == now) {
                    GTEST_SKIP() << "vectors cannot be changed here";
                }
                e.reset_c();
                const std::vector<uint8_t> before = e.c_bytes(), packed = e.packed[0].bytes();
                kai_gemm_work other_work;
                EXPECT_EQ(
                    kai_gemm_begin(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), &other_work),
                    KAI_GEMM_VECTORS_CHANGED);
                EXPECT_EQ(e.run(), KAI_GEMM_VECTORS_CHANGED);
                EXPECT_EQ(e.pack(), KAI_GEMM_VECTORS_CHANGED);
                EXPECT_EQ(kai_gemm_run_unit(&work, 0, 0), KAI_GEMM_VECTORS_CHANGED);
                EXPECT_TRUE(e.c_bytes() == before);
                EXPECT_TRUE(e.packed[0].bytes() == packed);
            }
            // A new plan is correct again, and so is the old one if only the other threads differ.
            std::memset(e.packed[0].data(), 0, e.packed[0].size());
            Others pool = {sme, other};
            ASSERT_EQ(
                kai_gemm_pack_b(
                    &e.plan, 0, &e.weights[0], e.packed[0].data(), e.packed[0].size(), e.pack_workspace[0].data(),
                    e.pack_workspace[0].size(), Others::run, &pool),
                KAI_GEMM_OK);
            ASSERT_EQ(
                kai_gemm_run(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), Others::run, &pool),
                KAI_GEMM_OK);
            EXPECT_TRUE(e.c_bytes() == right);
            ++depend;
        }
    }
    std::printf("%zu plans depend on vectors, %zu do not\n", depend, others);
}
#endif

/// Plans that do not depend on vectors do not check their length.
TEST(GemmVectors, MostPlansDoNotDepend) {
    kai_gemm_problem p = kai_gemm_problem_of(5, 70, 64);
    p.sme_units = 0;
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(plan.sme_bytes, 0U);
    EXPECT_EQ(plan.sve_bytes != 0, (plan.gemm.ukernel->size_features >> KAI_CPU_SVE & 1) != 0);
}

}  // namespace
}  // namespace test::gemm
