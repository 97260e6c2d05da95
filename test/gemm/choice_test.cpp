// What a plan chooses changes at certain sizes: just below, and just above. Results are right with either choice, so
// that no other test sees a threshold that has moved.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "kai/call.hpp"
#include "test/gemm/experiment.hpp"
#include "test/support/disabled_features.hpp"

namespace test::gemm {
namespace {

kai_gemm_plan plan_of(const kai_gemm_problem& p) {
    kai_gemm_plan plan = {};
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << p.m << " x " << p.n << " x " << p.k;
    return plan;
}

bool has_any(const kai_ukernel& u, std::initializer_list<kai_cpu_feature> features) {
    return std::any_of(
        features.begin(), features.end(), [&](kai_cpu_feature feature) { return (u.features >> feature & 1) != 0; });
}

const kai_ukernel* best(const char* family) {
    const kai_registry_request request = {family, 2, nullptr, 0};
    return kai_registry_best(&request, nullptr, nullptr);
}

bool reads_b_in_place(const kai_gemm_kernel& kernel) {
    return !kai::rhs_is_packed(*kernel.ukernel);
}

/// B that is not constant.
kai_gemm_problem variable(kai_datatype type, bool transposed, size_t m, size_t n, size_t k) {
    kai_gemm_problem p = kai_gemm_problem_of(m, n, k);
    p.a_type = p.b_type = p.c_type = type;
    p.b_transposed = transposed;
    return p;
}

/// Rows up to which B of these floats is read where it lies, by the rules of docs/performance.md.
size_t most_plain_rows(kai_gemm_problem p) {
    p.b_constant = true;
    const bool f16 = p.b_type == kai_dt_f16;
    if (has_any(*plan_of(p).gemm.ukernel, {KAI_CPU_SME, KAI_CPU_BF16})) {
        return 2;
    }
    return p.b_transposed ? p.k / (f16 ? 16 : 8) : p.n * p.k * (f16 ? 2 : 4) <= p.l2_bytes ? SIZE_MAX : 64;
}

// ---- packed, or read where it lies ----

TEST(GemmChoice, FloatsInPlaceForFewRows) {
    struct Family {
        kai_datatype type;
        bool transposed;
        const char* name;
    };
    for (const Family& family :
         {Family{kai_dt_f32, false, "matmul_clamp_f32_f32_f32kxn"},
          {kai_dt_f32, true, "matmul_clamp_f32_f32_f32nxk"},
          {kai_dt_f16, false, "matmul_clamp_f16_f16_f16kxn"},
          {kai_dt_f16, true, "matmul_clamp_f16_f16_f16nxk"}}) {
        const kai_ukernel* plain = best(family.name);
        for (const bool sme : {false, true}) {
            for (const auto& [n, k] : {std::pair<size_t, size_t>{300, 512}, {300, 511}, {512, 512}, {513, 512}}) {
                kai_gemm_problem p = variable(family.type, family.transposed, 1, n, k);
                p.sme_units = sme, p.allow_bf16 = k == 511;
                p.l2_bytes = 512 * 512 * (family.type == kai_dt_f16 ? 2 : 4);  // B of 513 columns does not fit
                const size_t most = plain == nullptr ? 0 : most_plain_rows(p);
                for (const size_t m : {size_t{1}, size_t{2}, most, most + 1, size_t{1000}}) {
                    if (m == 0 || m > 1000) {
                        continue;
                    }
                    p.m = m;
                    const kai_gemm_plan plan = plan_of(p);
                    EXPECT_EQ(reads_b_in_place(plan.gemm), m <= most)
                        << family.name << ", m " << m << " of " << most << ", n " << n << ", k " << k;
                    EXPECT_EQ(reads_b_in_place(plan.gemv), m <= most);
                    EXPECT_EQ(plan.rhs_packer == nullptr, m <= most);
                }
            }
        }
    }
}

// A kernel that reads f16 writes f16: other types of A or C are not for it. What is constant is packed once.
TEST(GemmChoice, FloatsInPlaceOfOneType) {
    for (const bool transposed : {false, true}) {
        for (kai_datatype kai_gemm_problem::*type : {&kai_gemm_problem::a_type, &kai_gemm_problem::c_type}) {
            kai_gemm_problem p = variable(kai_dt_f16, transposed, 1, 300, 512);
            p.*type = kai_dt_f32;
            EXPECT_NE(plan_of(p).rhs_packer, nullptr);
        }
        kai_gemm_problem p = variable(kai_dt_f32, transposed, 1, 300, 512);
        p.b_constant = true;
        EXPECT_NE(plan_of(p).rhs_packer, nullptr);
        p = variable(kai_dt_bf16, transposed, 1, 300, 512);
        EXPECT_NE(plan_of(p).rhs_packer, nullptr);
    }
}

// Where each group has its own B, one of them serves a part of the rows.
TEST(GemmChoice, RowsOfAGroup) {
    if (best("matmul_clamp_f32_f32_f32nxk") == nullptr) {
        return;  // a host without the kernel
    }
    kai_gemm_problem p = variable(kai_dt_f32, true, 1, 300, 64);
    p.groups = true, p.batch = 3;
    const size_t most = most_plain_rows(p);
    for (const bool groups : {false, true}) {
        for (const bool per_matrix : {false, true}) {
            p.groups = groups, p.b_per_matrix = per_matrix;
            const size_t rows = groups && per_matrix ? 3 * most : most;
            p.m = rows;
            EXPECT_EQ(plan_of(p).rhs_packer, nullptr) << rows;
            p.m = rows + 1;
            EXPECT_NE(plan_of(p).rhs_packer, nullptr) << rows + 1;
        }
    }
}

// Rows of a file: up to four rows in place, one row always.
TEST(GemmChoice, RowsOfAFileInPlaceForFewRows) {
    for (const kai_gguf_type_id type : {KAI_GGUF_Q8_0, KAI_GGUF_Q4_0}) {
        kai_gemm_problem p = kai_gemm_problem_of(1, 256, 512);
        p.b_kind = KAI_GEMM_GGUF, p.gguf_type = type, p.b_transposed = true, p.sme_units = 0;
        const bool reads = plan_of(p).rhs_packer == nullptr;
        for (const size_t m : {2, 3, 4}) {
            p.m = m;
            EXPECT_EQ(plan_of(p).rhs_packer == nullptr, reads) << m;
        }
        for (const size_t m : {5, 6, 100}) {
            p.m = m;
            const kai_gemm_plan plan = plan_of(p);
            EXPECT_NE(plan.rhs_packer, nullptr) << m;
            EXPECT_FALSE(reads_b_in_place(plan.gemm)) << m;
            EXPECT_EQ(reads_b_in_place(plan.gemv), reads) << m;
        }
    }
}

// ---- one row, many rows ----

TEST(GemmChoice, AKernelForOneRow) {
    for (const size_t m : {1, 2, 100}) {
        for (const kai_gemm_kind kind : {KAI_GEMM_DENSE, KAI_GEMM_INT4_CHANNEL, KAI_GEMM_INT4_BLOCK}) {
            kai_gemm_problem p = kai_gemm_problem_of(m, 64, 64);
            p.b_kind = kind, p.b_constant = true, p.b_transposed = true, p.bl = kind == KAI_GEMM_INT4_BLOCK ? 32 : 0;
            const kai_gemm_plan plan = plan_of(p);
            const kai_ukernel &gemm = *plan.gemm.ukernel, &gemv = *plan.gemv.ukernel;
            EXPECT_TRUE(m == 1 || gemm.rows == KAI_ROWS_MANY || gemm.features == 0) << gemm.name;
            EXPECT_EQ(std::string(gemm.rhs_format), gemv.rhs_format);
            EXPECT_EQ(gemm.get_nr(), gemv.get_nr());
        }
    }
}

// Without instructions for f16, kernels for f32 are faster, whatever the operands are.
TEST(GemmChoice, WithoutF16InstructionsF32) {
    const DisabledFeatures none("all");
    for (const bool f16_operands : {false, true}) {
        for (const bool allow_f16 : {false, true}) {
            kai_gemm_problem p = kai_gemm_problem_of(7, 64, 64);
            p.a_type = p.b_type = p.c_type = f16_operands ? kai_dt_f16 : kai_dt_f32;
            p.allow_f16 = allow_f16, p.b_constant = true;
            for (const size_t m : {1, 7}) {
                p.m = m;
                EXPECT_EQ(std::string(plan_of(p).gemm.ukernel->family), "matmul_clamp_f32_f32_f32p")
                    << (f16_operands ? "f16" : "f32") << (allow_f16 ? ", f16 allowed" : "");
            }
        }
    }
}

/// With 0 units of SME there is no kernel of SME.
void check_without_sme(const kai_gemm_problem& p) {
    kai_gemm_plan plan = {};
    if (kai_gemm_make_plan(&p, &plan) != KAI_GEMM_OK) {
        EXPECT_FALSE(p.b_constant) << p.b_kind;
        return;
    }
    for (const kai_gemm_kernel* kernel : {&plan.gemm, &plan.gemv}) {
        EXPECT_FALSE(has_any(*kernel->ukernel, {KAI_CPU_SME})) << kernel->ukernel->name;
    }
    EXPECT_EQ(plan.workers, p.units);
}

TEST(GemmChoice, WithoutSme) {
    for (int kind = 0; kind < KAI_GEMM_KIND_COUNT; ++kind) {
        for (const size_t m : {1, 2, 70}) {
            for (const bool constant : {false, true}) {
                kai_gemm_problem p = kai_gemm_problem_of(m, 64, 256);
                p.b_kind = static_cast<kai_gemm_kind>(kind);
                p.b_transposed = kind != KAI_GEMM_INT8_STATIC, p.b_constant = constant, p.bl = 32;
                p.sme_units = 0, p.units = 4;
                if (kind == KAI_GEMM_INT8_STATIC || kind == KAI_GEMM_INT8_LOWP) {
                    p.a_type = p.c_type = kai_dt_int8;
                } else if (kind == KAI_GEMM_UINT8_LOWP) {
                    p.a_type = p.c_type = kai_dt_uint8;
                }
                for (const kai_gguf_type_id type :
                     {KAI_GGUF_Q4_0, KAI_GGUF_Q8_0, KAI_GGUF_Q4_K, KAI_GGUF_Q6_K, KAI_GGUF_IQ4_NL, KAI_GGUF_IQ4_XS}) {
                    p.gguf_type = type;
                    check_without_sme(p);
                }
            }
        }
    }
}

// Caches of 0 bytes are those of kai_gemm_problem_of.
TEST(GemmChoice, UnknownCaches) {
    kai_gemm_problem p = kai_gemm_problem_of(64, 64, 64);
    p.l1_bytes = p.l2_bytes = 0;
    const kai_gemm_plan plan = plan_of(p);
    EXPECT_EQ(plan.problem.l1_bytes, size_t{64} << 10);
    EXPECT_EQ(plan.problem.l2_bytes, size_t{1} << 20);
}

// ---- kernels of the unified API where they are the fastest ----

/// The names of the kernels for many rows, for one of them, and of a plan for one row.
struct Chosen {
    std::string gemm, gemv, one;
};
Chosen chosen(kai_gemm_problem p) {
    const kai_gemm_plan many = plan_of(p);
    p.m = 1;
    return {many.gemm.ukernel->name, many.gemv.ukernel->name, plan_of(p).gemm.ukernel->name};
}

bool has_all(std::initializer_list<kai_cpu_feature> features) {
    return std::all_of(features.begin(), features.end(), [](kai_cpu_feature feature) {
        return kai_registry_runnable(uint64_t{1} << feature, nullptr, 0);
    });
}

// Vectors of 256 bits: int8 per channel is multiplied with SVE, and one row in the B of many. Others: with NEON.
TEST(GemmChoice, Int8PerChannelWithSveOf256Bits) {
    kai_gemm_problem p = kai_gemm_problem_of(70, 64, 100);
    p.b_kind = KAI_GEMM_INT8_CHANNEL, p.b_constant = p.b_transposed = true, p.sme_units = 0;
    const Chosen c = chosen(p);
    const auto is_sve = [](const std::string& name) { return name.find("_sve_") != std::string::npos; };
    if (has_all({KAI_CPU_SVE, KAI_CPU_SVE_I8MM, KAI_CPU_I8MM}) && kai_cpu_sve_bytes() == 32) {
        EXPECT_EQ(c.gemm, "matmul_clamp_f32_qai8dxp4x8sf32_qsi8cxp4vsx8sf32bf32_16x4vs_sve_i8mm");
        EXPECT_EQ(c.gemv, "matmul_clamp_f32_qai8dxp1x8_qsi8cxp8x8_1x8_sve_dot");
        EXPECT_EQ(c.one, "matmul_clamp_f32_qai8dxp1x4_qsi8cxp32x4_1x32_sve_dot");
        const DisabledFeatures no_sve("sve");
        const Chosen neon = chosen(p);
        EXPECT_FALSE(is_sve(neon.gemm) || is_sve(neon.gemv) || is_sve(neon.one));
    } else if (!has_all({KAI_CPU_SVE}) || kai_cpu_sve_bytes() != 32) {
        EXPECT_FALSE(is_sve(c.gemm) || is_sve(c.gemv) || is_sve(c.one)) << c.gemm << ' ' << c.gemv << ' ' << c.one;
    }
    // SME is faster than either.
    p.sme_units = 1;
    if (has_all({KAI_CPU_SME})) {
        EXPECT_NE(chosen(p).gemm.find("_sme"), std::string::npos);
        EXPECT_NE(chosen(p).one.find("_sme"), std::string::npos);
    }
}

// SME without SME2: int4 in blocks is multiplied with SME, whatever C is. With SME2, or without units of SME, it is not
// by these kernels.
TEST(GemmChoice, Int4InBlocksWithTheFirstSme) {
    for (const kai_datatype type : {kai_dt_f32, kai_dt_bf16}) {
        for (const bool sme2 : {false, true}) {
            for (const size_t sme_units : {0, 1}) {
                const DisabledFeatures disabled(sme2 ? "" : "sme2");
                if (sme2 && has_all({KAI_CPU_SME}) && !has_all({KAI_CPU_SME2})) {
                    continue;  // this CPU has no SME2
                }
                kai_gemm_problem p = kai_gemm_problem_of(70, 64, 128);
                p.b_kind = KAI_GEMM_INT4_BLOCK, p.bl = 64, p.b_constant = true, p.sme_units = sme_units;
                p.c_type = type;
                const bool first = has_all({KAI_CPU_SME}) && !sme2 && sme_units != 0;
                for (const bool transposed : {false, true}) {
                    p.b_transposed = transposed;
                    const Chosen c = chosen(p);
                    const char* mopa = "matmul_clamp_f32_qai8dxp4vsx4_qsi4c32p16vsx4_4vsx16vs_sme_mopa";
                    const char* dot = "matmul_clamp_f32_qai8dxp1x4_qsi4c32p16vsx4_1x16vs_sme_dot";
                    EXPECT_EQ(c.gemm == mopa, first) << c.gemm;
                    EXPECT_EQ(c.gemv == dot, first) << c.gemv;
                    EXPECT_EQ(c.one == dot, first) << c.one;
                }
            }
        }
    }
}

// SME runs on as many threads as there are units of it, other kernels on all.
TEST(GemmChoice, WorkersOfSme) {
    for (const size_t sme_units : {1, 2, 9}) {
        kai_gemm_problem p = kai_gemm_problem_of(64, 64, 64);
        p.units = 4, p.sme_units = sme_units;
        const kai_gemm_plan plan = plan_of(p);
        const bool sme = has_any(*plan.gemm.ukernel, {KAI_CPU_SME});
        EXPECT_EQ(plan.workers, sme ? std::min<size_t>(sme_units, 4) : 4);
    }
}

// ---- phases and tiles ----

/// A run whose operands are never read.
kai_gemm_work begun(const kai_gemm_plan& plan, kai_gemm_operands x) {
    static std::vector<float> operands(1 << 20);
    x.a.data = x.b.data = operands.data(), x.c.data = operands.data();
    struct Free {
        void operator()(void* p) const {
            std::free(p);
        }
    };
    const std::unique_ptr<void, Free> workspace(std::aligned_alloc(64, (plan.workspace_size + 64) / 64 * 64));
    kai_gemm_work work = {};
    EXPECT_EQ(kai_gemm_begin(&plan, &x, workspace.get(), plan.workspace_size, &work), KAI_GEMM_OK);
    work.operands = nullptr, work.workspace = nullptr;
    return work;
}

kai_gemm_work begun(const kai_gemm_plan& plan, size_t m) {
    kai_gemm_operands x = {};
    x.m = m;
    return begun(plan, x);
}

// Few rows are packed by the units that need them: 12 k values, or one panel of up to 64 k values.
TEST(GemmChoice, RowsOnDemand) {
    struct Rows {
        size_t k, of_values, of_a_panel;
    };
    for (const Rows& rows : {Rows{64, 192, 1024}, {128, 96, 512}, {96, 128, 682}, {4096, 3, 16}, {12288, 1, 5}}) {
        kai_gemm_problem p = kai_gemm_problem_of(1000, 16, rows.k);
        p.b_kind = KAI_GEMM_INT4_CHANNEL, p.b_transposed = true, p.b_constant = true, p.units = 4, p.sme_units = 0;
        kai_gemm_plan plan = plan_of(p);
        const size_t panel = plan.gemm.ukernel->get_mr();
        const size_t most = std::max(rows.of_values, std::min(panel, rows.of_a_panel));
        EXPECT_EQ(plan.layout.few_rows_max, most) << "k " << rows.k;
        p.m = most;
        EXPECT_EQ(plan_of(p).layout.few_rows_max, most);
    }
    // One that is packed in every run, so that a run reads nothing.
    kai_gemm_problem p = kai_gemm_problem_of(1000, 64, 256);
    p.b_kind = KAI_GEMM_GGUF, p.gguf_type = KAI_GGUF_Q8_0, p.b_transposed = true, p.sme_units = 0, p.units = 2;
    const kai_gemm_plan plan = plan_of(p);
    EXPECT_EQ(plan.layout.few_rows_max, 48U);
    kai_gemm_work work = begun(plan, 48);
    EXPECT_TRUE(work.packs_lhs_on_demand);
    EXPECT_EQ(work.lhs_units, 0U);
    work = begun(plan, 49);
    EXPECT_FALSE(work.packs_lhs_on_demand);
    EXPECT_GT(work.lhs_units, 0U);
}

// A tile is worth its call, 65,536 multiply-adds: 12 tiles for each worker where there is work for so many, then 9, 6,
// 5, 4, 3, 2 or 1. Experts whose results are added have tiles of columns alone, so many.
TEST(GemmChoice, TilesAreWorthTheirCall) {
    constexpr size_t kTile = 1 << 16, kWorkers = 2, kColumns = 1 << 12, kRows = 2;
    const size_t steps[] = {12, 9, 6, 5, 4, 3, 2, 1};
    for (size_t i = 0; steps[i] > 1; ++i) {
        for (const bool enough : {true, false}) {
            kai_gemm_problem p =
                kai_gemm_problem_of(kRows, kColumns, steps[i] * kWorkers * kTile / kColumns / kRows - !enough);
            p.groups = p.scatters = true, p.batch = 2, p.units = kWorkers, p.sme_units = 0;
            const kai_gemm_plan plan = plan_of(p);
            const size_t rows[] = {1, 1}, c_rows[] = {0, 1};
            kai_gemm_operands x = {};
            x.rows = rows, x.c_rows = c_rows, x.c_row_count = 2;
            const kai_gemm_work work = begun(plan, x);
            const kai_ukernel& u = *work.kernel->ukernel;
            const size_t step = u.features == 0 ? std::max<size_t>(16, u.get_n_step()) : u.get_n_step();
            const size_t tiles = kWorkers * steps[enough ? i : i + 1], columns = (kColumns + tiles - 1) / tiles;
            EXPECT_EQ(work.n_tile, (columns + step - 1) / step * step)
                << steps[i] << (enough ? "" : ", too little work");
            p.units = 1;
            EXPECT_GE(begun(plan_of(p), x).n_tile, kColumns);
        }
    }
}

// Of two sides that are larger than the cache, the one stays in it, part by part, that makes the other one be loaded
// fewer times; a part fills the cache as well as whole steps can.
TEST(GemmChoice, TheSideThatStays) {
    for (const bool tall : {false, true}) {
        constexpr size_t kShort = 240, kLong = 4032, kDepth = 256;
        kai_gemm_problem p = kai_gemm_problem_of(tall ? kLong : kShort, tall ? kShort : kLong, kDepth);
        p.sme_units = 0;
        p.l2_bytes = 68 * kDepth * sizeof(float);
        const kai_gemm_plan plan = plan_of(p);
        const kai_gemm_work work = begun(plan, p.m);
        EXPECT_GE(tall ? work.m_tile : work.n_tile, kLong);
        const size_t part = tall ? work.n_tile : work.m_tile;
        EXPECT_LE(part, 68U);
        EXPECT_GE(part, 32U);
    }
}

// One worker: no more tiles than its cache asks for.
TEST(GemmChoice, OneWorkerOneTile) {
    kai_gemm_problem p = kai_gemm_problem_of(100, 200, 64);
    p.sme_units = 0;
    const kai_gemm_plan plan = plan_of(p);
    const kai_gemm_work work = begun(plan, 100);
    EXPECT_EQ(work.units[work.phases - 1], 1U);
    EXPECT_GE(work.m_tile, 100U);
    EXPECT_GE(work.n_tile, 200U);
}

// Kernels that may start at any row take 4 or 6 rows at a time, portable ones 16 columns: tiles are multiples.
TEST(GemmChoice, TilesAreWholeSteps) {
    for (const size_t m : {1, 11, 12, 13, 100}) {
        for (const size_t n : {10, 191, 768, 3000}) {
            kai_gemm_problem p = kai_gemm_problem_of(m, n, 256);
            p.b_kind = KAI_GEMM_GGUF, p.gguf_type = KAI_GGUF_Q8_0, p.b_transposed = true, p.units = 4, p.sme_units = 0;
            const kai_gemm_plan plan = plan_of(p);
            const kai_gemm_work work = begun(plan, m);
            const kai_ukernel& u = *work.kernel->ukernel;
            const size_t rows = u.get_m_step() == 1 ? std::min<size_t>(m, 12) : u.get_m_step();
            EXPECT_EQ(work.m_tile % rows, 0U) << m << " x " << n;
            EXPECT_EQ(work.n_tile % u.get_n_step(), 0U) << m << " x " << n;
            if (u.features == 0) {
                // One row is divided by columns alone: in 16 only if each worker gets 12 tiles.
                const bool whole = m > 1 || n / 16 >= 12 * 4;
                EXPECT_TRUE(!whole || work.n_tile % 16 == 0) << m << " x " << n << ": " << work.n_tile;
            }
        }
    }
}

}  // namespace
}  // namespace test::gemm
