// What a plan chooses changes at certain sizes: just below, and just above. Results are right with either choice, so
// that no other test sees a threshold that has moved.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "kai/call.hpp"
#include "kai/kai_call.h"
#include "test/gemm/experiment.hpp"
#include "test/support/disabled_features.hpp"
#include "test/support/said.hpp"

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
    const kai_registry_request request = {family, 2, nullptr, 0, KAI_CORE_AUTO, {}};
    return kai_registry_best(&request, nullptr, nullptr);
}

bool reads_b_in_place(const kai_gemm_kernel& kernel) {
    return !kai::rhs_is_packed(*kernel.ukernel);
}

/// A B that is not constant.
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

// ---- classes of cores ----

/// The explanation of a plan.
std::string explained(const kai_gemm_plan& plan) {
    std::string text(kai_gemm_explain(&plan, nullptr, 0) + 1, '?');
    kai_gemm_explain(&plan, text.data(), text.size());
    return text;
}

// A plan is for a class of cores, for the fastest one of the machine if nothing else is said, and has its kernels.
TEST(GemmChoice, ForAClassOfCores) {
    const struct {
        kai_cpu_core core;
        const char* without;  // features of a CPU with more
        kai_gemm_kind kind;
        kai_datatype type;
        size_t m;
        const char *gemm, *generic;
    } cases[] = {
        {KAI_CORE_CORTEX_A55, "i8mm,bf16,sve,sme", KAI_GEMM_DENSE, kai_dt_f32, 64,
         "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla_cortexa55", "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla"},
        {KAI_CORE_CORTEX_A55, "i8mm,bf16,sve,sme", KAI_GEMM_DENSE, kai_dt_f16, 64,
         "matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla_cortexa55", "matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla"},
        {KAI_CORE_CORTEX_A55, "i8mm,bf16,sve,sme", KAI_GEMM_INT4_BLOCK_F16, kai_dt_f32, 64,
         "matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod_cortexa55",
         "matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod"},
        {KAI_CORE_CORTEX_A510, "sme", KAI_GEMM_DENSE, kai_dt_f32, 64, "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla",
         "matmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla"},
        {KAI_CORE_CORTEX_A510, "sme", KAI_GEMM_INT4_BLOCK_F16, kai_dt_f32, 64,
         "matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm",
         "matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm"},
        {KAI_CORE_CORTEX_A510, "sme", KAI_GEMM_GGUF, kai_dt_f32, 64,
         "matmul_clamp_f32_qsi8d32p4x8_qlu4c32p4x8_8x4_neon_i8mm",
         "matmul_clamp_f32_qsi8d32p4x8_qlu4c32p4x8_16x4_neon_i8mm"},
        {KAI_CORE_CORTEX_A55, "i8mm,bf16,sve,sme,lut", KAI_GEMM_GGUF, kai_dt_f32, 1,
         "matmul_clamp_f32_qsi8d32p1x4_qlu4c32p4x4_1x4_neon_dotprod",
         "matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8_1x4_neon_dotprod"},
    };
    for (const auto& c : cases) {
        const DisabledFeatures hidden(c.without);
        const kai_ukernel *gemm = kai_registry_find_ukernel(c.gemm), *generic = kai_registry_find_ukernel(c.generic);
        if (gemm == nullptr || generic == nullptr || !kai_registry_runnable(gemm->features, nullptr, 0) ||
            !kai_registry_runnable(generic->features, nullptr, 0)) {
            continue;
        }
        kai_gemm_problem p = kai_gemm_problem_of(c.m, 64, 512);
        p.b_kind = c.kind, p.gguf_type = KAI_GGUF_IQ4_NL, p.b_constant = true;
        p.a_type = p.b_type = p.c_type = c.type;
        p.b_transposed = c.kind != KAI_GEMM_DENSE, p.bl = c.kind == KAI_GEMM_INT4_BLOCK_F16 ? 32 : 0;
        p.allow_f16 = c.type == kai_dt_f16, p.core = c.core;
        const kai_gemm_plan its = plan_of(p);
        EXPECT_STREQ(its.gemm.ukernel->name, c.gemm);
        EXPECT_EQ(its.problem.core, c.core);
        const std::string text = explained(its);
        EXPECT_NE(text.find(std::string("\ncores: ") + kai_cpu_core_name(c.core) + " ("), std::string::npos) << text;
        EXPECT_NE(
            text.find(
                std::string(c.generic) + ": is slower than " + c.gemm + " on cores like " + kai_cpu_core_name(c.core)),
            std::string::npos)
            << text;
        p.core = KAI_CORE_GENERIC;
        const kai_gemm_plan others = plan_of(p);
        EXPECT_STREQ(others.gemm.ukernel->name, c.generic);
        EXPECT_NE(explained(others).find("\ncores: generic ("), std::string::npos);
        p.core = KAI_CORE_AUTO;
        const kai_cpu_core fastest = kai_cpu_fastest_core().core;
        const kai_gemm_plan own = plan_of(p);
        EXPECT_EQ(own.problem.core, fastest);
        p.core = fastest;
        EXPECT_EQ(own.gemm.ukernel, plan_of(p).gemm.ukernel);
    }
}

// The user's word counts for plans that do not name a class.
TEST(GemmChoice, ClassOfCoresByTheUser) {
    for (int i = KAI_CORE_GENERIC; i < KAI_CORE_COUNT; ++i) {
        const auto core = static_cast<kai_cpu_core>(i);
        setenv("KLEIDIAI_CPU_CORE", kai_cpu_core_name(core), 1);
        kai_cpu_forget();
        kai_gemm_problem p = kai_gemm_problem_of(64, 64, 64);
        p.b_constant = true;
        const kai_gemm_plan plan = plan_of(p);
        EXPECT_EQ(plan.problem.core, core);
        EXPECT_NE(
            explained(plan).find(std::string("\ncores: ") + kai_cpu_core_name(core) + " (KLEIDIAI_CPU_CORE)\n"),
            std::string::npos);
        for (int j = KAI_CORE_GENERIC; j < KAI_CORE_COUNT; ++j) {
            p.core = static_cast<kai_cpu_core>(j);
            EXPECT_EQ(plan_of(p).problem.core, p.core);
            EXPECT_EQ(explained(plan_of(p)).find("(problem.core)\n") != std::string::npos, i != j);
        }
    }
    unsetenv("KLEIDIAI_CPU_CORE");
    kai_cpu_forget();
    kai_gemm_problem p = kai_gemm_problem_of(64, 64, 64);
    for (const int core : {-1, static_cast<int>(KAI_CORE_COUNT), 1000}) {
        p.core = static_cast<kai_cpu_core>(core);
        kai_gemm_plan plan;
        EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_BAD_VALUE);
        EXPECT_EQ(plan.reason, SAID(no_enumerator, "core", core, "kai_cpu_core"));
    }
}

// ---- packed, or read where it lies ----

TEST(GemmChoice, FloatsInPlaceForFewRows) {
    struct Family {
        kai_datatype type, c_type;
        bool transposed;
        const char* name;
        bool allow_f16;
    };
    const bool fp16 = kai_cpu_query(KAI_CPU_FP16).present, fhm = kai_cpu_query(KAI_CPU_FHM).present;
    for (const Family& family :
         {Family{kai_dt_f32, kai_dt_f32, false, "matmul_clamp_f32_f32_f32kxn", false},
          {kai_dt_f32, kai_dt_f32, true, "matmul_clamp_f32_f32_f32nxk", false},
          {kai_dt_f16, kai_dt_f16, false, "matmul_clamp_f16_f16_f16kxn_sumf32", false},
          {kai_dt_f16, kai_dt_f16, true, "matmul_clamp_f16_f16_f16nxk_sumf32", false},
          {kai_dt_f16, kai_dt_f16, false, "matmul_clamp_f16_f16_f16kxn", true},
          {kai_dt_f16, kai_dt_f16, true, "matmul_clamp_f16_f16_f16nxk", true},
          {kai_dt_f16, kai_dt_f32, false, "matmul_clamp_f32_f16_f16kxn", false},
          {kai_dt_f16, kai_dt_f32, true, "matmul_clamp_f32_f16_f16nxk", false},
          {kai_dt_f16, kai_dt_bf16, true, "matmul_clamp_f32_f16_f16nxk", false}}) {
        const bool has = family.type == kai_dt_f32 || (family.c_type == kai_dt_f16 ? fp16 : fhm);
        const kai_ukernel* plain = has ? best(family.name) : nullptr;
        for (const bool sme : {false, true}) {
            for (const auto& [n, k] : {std::pair<size_t, size_t>{300, 512}, {300, 511}, {512, 512}, {513, 512}}) {
                kai_gemm_problem p = variable(family.type, family.transposed, 1, n, k);
                p.c_type = family.c_type, p.sme_units = sme, p.allow_bf16 = k == 511, p.allow_f16 = family.allow_f16;
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
                    EXPECT_TRUE(m > most || std::string(plan.gemm.ukernel->family) == family.name)
                        << plan.gemm.ukernel->name;
                }
            }
        }
    }
}

// A kernel that reads B of f16 reads A of f16: other types of A are not for it. What is constant is packed once.
TEST(GemmChoice, FloatsInPlaceOfOneType) {
    for (const bool transposed : {false, true}) {
        kai_gemm_problem p = variable(kai_dt_f16, transposed, 1, 300, 512);
        p.a_type = kai_dt_f32;
        EXPECT_NE(plan_of(p).rhs_packer, nullptr);
        p = variable(kai_dt_f16, transposed, 1, 300, 512);  // f16 is faster then
        p.c_type = kai_dt_f32, p.allow_f16 = true;
        EXPECT_NE(plan_of(p).rhs_packer, nullptr);
        p = variable(kai_dt_f32, transposed, 1, 300, 512);
        p.b_constant = true;
        EXPECT_NE(plan_of(p).rhs_packer, nullptr);
        p = variable(kai_dt_bf16, transposed, 1, 300, 512);
        EXPECT_NE(plan_of(p).rhs_packer, nullptr);
    }
}

// Where each group has its own B, each B multiplies only a part of the rows.
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

// Low precision with SMMLA: up to five rows in place, with SDOT 24, on a Cortex-A55 eight, one row always; what the
// tiles of SMULL multiply is never packed.
TEST(GemmChoice, LowPrecisionInPlaceForFewRows) {
    const bool dots = kai_cpu_query(KAI_CPU_DOTPROD).present;
    const bool pairs = kai_cpu_query(KAI_CPU_I8MM).present;
    for (const kai_gemm_kind kind : {KAI_GEMM_UINT8_LOWP, KAI_GEMM_INT8_LOWP}) {
        kai_gemm_problem p = kai_gemm_problem_of(1, 256, 512);
        p.b_kind = kind, p.a_type = p.c_type = kind == KAI_GEMM_UINT8_LOWP ? kai_dt_uint8 : kai_dt_int8;
        p.b_transposed = true;
        for (const kai_cpu_core core : {KAI_CORE_GENERIC, KAI_CORE_CORTEX_A510, KAI_CORE_CORTEX_A55}) {
            p.core = core;
            const size_t most = pairs ? 5 : !dots ? SIZE_MAX : core == KAI_CORE_CORTEX_A55 ? 8 : 24;
            for (const size_t m : {1, 2, 5, 6, 8, 9, 24, 25, 100}) {
                p.m = m;
                const kai_gemm_plan plan = plan_of(p);
                const kai_ukernel &gemm = *plan.gemm.ukernel, &gemv = *plan.gemv.ukernel;
                EXPECT_EQ(reads_b_in_place(plan.gemm), m <= most) << m;
                EXPECT_TRUE(reads_b_in_place(plan.gemv)) << m;
                EXPECT_EQ(plan.rhs_packer == nullptr, m <= most) << m;
                EXPECT_EQ(has_any(gemm, {KAI_CPU_DOTPROD, KAI_CPU_I8MM}), dots) << gemm.name;
                EXPECT_EQ(has_any(gemv, {KAI_CPU_DOTPROD}), dots) << gemv.name;
            }
        }
    }
}

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
                if (is_static(p.b_kind) || kind == KAI_GEMM_INT8_LOWP) {
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

// What kai_gemm.h says of kai_gemm_problem_of.
TEST(GemmChoice, DefaultsOfAProblem) {
    const kai_gemm_problem p = kai_gemm_problem_of(2, 3, 4);
    EXPECT_TRUE(p.m == 2 && p.n == 3 && p.k == 4 && p.batch == 1);
    EXPECT_TRUE(p.a_type == kai_dt_f32 && p.b_type == kai_dt_f32 && p.c_type == kai_dt_f32);
    EXPECT_TRUE(p.b_kind == KAI_GEMM_DENSE && p.alpha == 1 && p.beta == 0 && p.multiplier == 1);
    EXPECT_TRUE(p.clamp_min == -HUGE_VALF && p.clamp_max == HUGE_VALF && p.c_min == -128 && p.c_max == 127);
    EXPECT_TRUE(p.units == 1 && p.sme_units == 1);
    EXPECT_EQ(p.l1_bytes, size_t{64} << 10);
    EXPECT_EQ(p.l2_bytes, size_t{1} << 20);
    EXPECT_FALSE(p.groups || p.scatters || p.a_transposed || p.b_transposed || p.b_constant || p.b_per_matrix);
    EXPECT_FALSE(p.bias || p.allow_bf16 || p.allow_f16 || p.untagged);
    EXPECT_TRUE(p.pin == nullptr && p.format == nullptr && p.bl == 0 && p.a_zero_point == 0 && p.c_zero_point == 0);
}

// F32, F16 and BF16 of a file become DENSE; other types do not.
TEST(GemmChoice, FloatsOfAFileAreDense) {
    const std::pair<kai_gguf_type_id, kai_datatype> types[] = {
        {KAI_GGUF_F32, kai_dt_f32}, {KAI_GGUF_F16, kai_dt_f16}, {KAI_GGUF_BF16, kai_dt_bf16}};
    for (const auto& [id, type] : types) {
        for (const size_t m : {1, 70}) {
            for (const bool constant : {false, true}) {
                kai_gemm_problem p = kai_gemm_problem_of(m, 64, 512), dense = p;
                p.b_kind = KAI_GEMM_GGUF, p.gguf_type = id, dense.b_type = type;
                p.b_transposed = dense.b_transposed = true, p.b_constant = dense.b_constant = constant;
                const kai_gemm_plan plan = plan_of(p), other = plan_of(dense);
                EXPECT_EQ(plan.problem.b_kind, KAI_GEMM_DENSE);
                EXPECT_EQ(plan.problem.b_type, type);
                EXPECT_EQ(plan.gemm.ukernel, other.gemm.ukernel);
                EXPECT_EQ(plan.gemv.ukernel, other.gemv.ukernel);
                EXPECT_EQ(plan.rhs_packer, other.rhs_packer);
                EXPECT_EQ(plan.packed_b_size, other.packed_b_size);
            }
        }
    }
    kai_gemm_problem p = kai_gemm_problem_of(7, 64, 512);
    p.b_kind = KAI_GEMM_GGUF, p.gguf_type = KAI_GGUF_Q8_0, p.b_transposed = true;
    EXPECT_EQ(plan_of(p).problem.b_kind, KAI_GEMM_GGUF);
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
    // SME is faster than both.
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
        p.a_type = p.b_type = p.c_type = kai_dt_f16;  // of which no kernel runs beside SME
        p.units = 4, p.sme_units = sme_units;
        const kai_gemm_plan plan = plan_of(p);
        const bool sme = has_any(*plan.gemm.ukernel, {KAI_CPU_SME});
        EXPECT_EQ(plan.workers, sme ? std::min<size_t>(sme_units, 4) : 4);
    }
}

// ---- packers ----

kai_datatype type_of(const char* name) {
    const std::string source = name;
    return source == "f32"    ? kai_dt_f32
           : source == "f16"  ? kai_dt_f16
           : source == "bf16" ? kai_dt_bf16
                              : kai_dt_unknown;
}

/// How good it is that a packer reads floats of one type for operands of another: the same, wider, or narrower.
int quality(kai_datatype source, kai_datatype operand) {
    return source == kai_dt_unknown ? 0 : source == operand ? 3 : source == kai_dt_f32 ? 2 : 1;
}

void check_lhs_packer(const kai_gemm_problem& p, const kai_gemm_kernel& kernel) {
    const kai_ukernel& u = *kernel.ukernel;
    kai_datatype type = type_of(u.lhs_format);
    if (kernel.lhs_packer != nullptr) {
        type = type_of(kernel.lhs_packer->source_format);
        for (size_t i = 0; const kai_packer* other = kai_registry_lhs_packer(&u, i); ++i) {
            EXPECT_GE(quality(type, p.a_type), quality(type_of(other->source_format), p.a_type))
                << kernel.lhs_packer->name << " for " << name_of(p.a_type) << ", not " << other->name;
        }
    }
    const bool gathers = kernel.lhs_packer != nullptr && kernel.lhs_packer->run_rows != nullptr;
    EXPECT_EQ(kernel.copies_rows, p.a_transposed || (p.groups && !gathers) || type != p.a_type) << u.name;
}

void check_rhs_packer(const kai_gemm_problem& p, const kai_gemm_plan& plan) {
    const auto suits = [&](const kai_packer& packer) {
        const int types = quality(type_of(packer.source_format), p.b_type);
        return types == 3 && kai_call_rhs_is_kxn(&packer) != p.b_transposed ? 4 : types;
    };
    if (plan.rhs_packer == nullptr) {
        return;
    }
    for (size_t i = 0; const kai_packer* other = kai_registry_rhs_packer(plan.gemm.ukernel, i); ++i) {
        EXPECT_GE(suits(*plan.rhs_packer), suits(*other)) << plan.rhs_packer->name << ", not " << other->name;
    }
    EXPECT_EQ(plan.copies_columns, suits(*plan.rhs_packer) < 4) << plan.rhs_packer->name;
}

// Packers read operands as they are if there is one that does, else f32, which loses nothing. What no packer reads is
// copied first, and nothing else.
TEST(GemmChoice, PackersOfTheTypesOfOperands) {
    constexpr kai_datatype kTypes[] = {kai_dt_f32, kai_dt_f16, kai_dt_bf16};
    for (int i = 0; i < 27 * 32; ++i) {
        kai_gemm_problem p = kai_gemm_problem_of(7, 64, 64);
        p.a_type = kTypes[i % 3], p.b_type = kTypes[i / 3 % 3], p.c_type = kTypes[i / 9 % 3];
        const int flags = i / 27;
        p.allow_bf16 = (flags & 1) != 0, p.allow_f16 = (flags & 2) != 0, p.groups = (flags & 4) != 0;
        p.a_transposed = (flags & 8) != 0, p.b_transposed = (flags & 16) != 0;
        p.b_constant = true;
        const kai_gemm_plan plan = plan_of(p);
        check_lhs_packer(p, plan.gemm);
        check_lhs_packer(p, plan.gemv);
        check_rhs_packer(p, plan);
        ASSERT_FALSE(testing::Test::HasFailure())
            << name_of(p.a_type) << " * " << name_of(p.b_type) << " -> " << name_of(p.c_type) << ", flags " << flags;
        for (const kai_gemm_kind kind : {KAI_GEMM_INT8_CHANNEL, KAI_GEMM_INT4_BLOCK_F16, KAI_GEMM_INT4_BLOCK}) {
            kai_gemm_problem q = p;
            q.b_kind = kind, q.b_transposed = true, q.bl = has_blocks(kind) ? 32 : 0;
            const kai_gemm_plan quantised = plan_of(q);
            check_lhs_packer(q, quantised.gemm);
            check_lhs_packer(q, quantised.gemv);
        }
    }
}

// bf16 operands are multiplied by what reads bf16, f16 by what reads f16, others by f32 unless less is allowed. SME is
// as fast with f16 as with bf16, and loses nothing.
TEST(GemmChoice, FamiliesOfFloats) {
    const auto has = [](const char* family) {
        const kai_ukernel* u = best(family);
        return u != nullptr && u->features != 0;
    };
    const bool bf16 = has("matmul_clamp_f32_bf16p_bf16p"), f16 = has("matmul_clamp_f16_f16p_f16p");
    for (const kai_datatype type : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
        for (const bool allow_bf16 : {false, true}) {
            for (const bool allow_f16 : {false, true}) {
                kai_gemm_problem p = kai_gemm_problem_of(7, 64, 64);
                p.a_type = p.b_type = type, p.c_type = type == kai_dt_f16 ? kai_dt_f16 : kai_dt_f32;
                p.allow_bf16 = allow_bf16, p.allow_f16 = allow_f16, p.b_constant = true;
                const kai_ukernel& u = *plan_of(p).gemm.ukernel;
                const std::string lhs = u.lhs_format;
                const bool is_bf16 = lhs.rfind("bf16", 0) == 0, is_f16 = lhs.rfind("f16", 0) == 0;
                const bool f16_sme = is_f16 && type == kai_dt_f16 && has_any(u, {KAI_CPU_SME});
                EXPECT_TRUE(!is_bf16 || allow_bf16 || type == kai_dt_bf16) << lhs;
                EXPECT_TRUE(!is_f16 || allow_f16 || type == kai_dt_f16) << lhs;
                EXPECT_TRUE(is_bf16 || !bf16 || type != kai_dt_bf16) << lhs;
                EXPECT_TRUE(is_bf16 || is_f16 || !f16 || type != kai_dt_f16) << lhs;
                EXPECT_TRUE(is_bf16 || !bf16 || !allow_bf16 || f16_sme) << lhs;
            }
        }
    }
}

// Products of f16 are added in f32 unless allow_f16 is set, whatever is left to do with them and wherever B is.
TEST(GemmChoice, SumsOfF16) {
    const auto sums_in_f16 = [](const kai_ukernel& u) {
        return u.dst_type == kai_dt_f16 && std::string(u.lhs_format) == "f16" && !has_any(u, {KAI_CPU_SME}) &&
               std::strstr(u.family, "_sumf32") == nullptr;
    };
    bool any = false;
    for (const int flags : {0, 1, 2, 3, 4, 5, 6, 7}) {
        for (const kai_datatype c_type : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
            for (const size_t m : {1, 2, 7, 100}) {
                kai_gemm_problem p = kai_gemm_problem_of(m, 96, 320);
                p.a_type = p.b_type = kai_dt_f16, p.c_type = c_type;
                p.b_constant = (flags & 1) != 0, p.b_transposed = (flags & 2) != 0, p.beta = (flags & 4) != 0 ? 1 : 0;
                p.bias = m == 7;
                for (const size_t units : {0, 1}) {
                    p.sme_units = units;
                    p.allow_f16 = false;
                    kai_gemm_plan plan = plan_of(p);
                    EXPECT_FALSE(sums_in_f16(*plan.gemm.ukernel)) << plan.gemm.ukernel->name;
                    EXPECT_FALSE(sums_in_f16(*plan.gemv.ukernel)) << plan.gemv.ukernel->name;
                    // A bias of f16 is none of f32 results.
                    EXPECT_TRUE(
                        !p.bias || !plan.direct || plan.gemm.ukernel->dst_type == kai_dt_f16 ||
                        std::strstr(plan.format.name, "biasf16") == nullptr)
                        << plan.gemm.ukernel->name;
                    p.allow_f16 = true;
                    plan = plan_of(p);
                    any = any || sums_in_f16(*plan.gemm.ukernel);
                }
            }
        }
    }
    EXPECT_EQ(any, kai_cpu_query(KAI_CPU_FP16).present) << "allow_f16 has no effect";
}

// Where SME has no kernel, a NEON kernel is preferred to a portable one.
TEST(GemmChoice, OthersWhereSmeHasNone) {
    for (const kai_gemm_kind kind : kKinds) {
        for (const size_t bl : {32, 64, 96, 128, 256, 512, 1024, 4096}) {
            for (const size_t m : {1, 7}) {
                for (const kai_datatype type : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
                    kai_gemm_problem p = kai_gemm_problem_of(m, 64, 3 * bl);
                    p.b_kind = kind, p.b_constant = true;
                    p.b_transposed = kind != KAI_GEMM_INT8_STATIC, p.bl = has_blocks(p.b_kind) ? bl : 0;
                    p.a_type = p.c_type = is_static(kind) ? kai_dt_int8 : type;
                    kai_gemm_plan sme, others;
                    p.sme_units = 0;
                    const kai_gemm_status status = kai_gemm_make_plan(&p, &others);
                    p.sme_units = 1;
                    ASSERT_EQ(kai_gemm_make_plan(&p, &sme), status) << name_of(p.b_kind) << ", bl " << bl;
                    if (status == KAI_GEMM_OK && others.gemm.ukernel->features != 0) {
                        EXPECT_NE(sme.gemm.ukernel->features, 0U) << name_of(p.b_kind) << ", bl " << bl;
                    }
                }
            }
        }
    }
}

// `bl` is for kinds with blocks: others ignore it.
TEST(GemmChoice, BlocksOfOtherKinds) {
    for (int kind = 0; kind < KAI_GEMM_KIND_COUNT; ++kind) {
        for (const kai_gguf_type_id type :
             {KAI_GGUF_Q4_0, KAI_GGUF_Q8_0, KAI_GGUF_Q4_K, KAI_GGUF_F16, KAI_GGUF_IQ4_NL}) {
            for (const size_t m : {1, 2, 70}) {
                for (const bool constant : {false, true}) {
                    kai_gemm_problem p = kai_gemm_problem_of(m, 64, 256);
                    p.b_kind = static_cast<kai_gemm_kind>(kind), p.gguf_type = type;
                    p.b_transposed = kind != KAI_GEMM_INT8_STATIC, p.b_constant = constant;
                    const bool integers = is_static(p.b_kind) || kind == KAI_GEMM_INT8_LOWP;
                    p.a_type = p.c_type = kind == KAI_GEMM_UINT8_LOWP ? kai_dt_uint8
                                          : integers                  ? kai_dt_int8
                                                                      : kai_dt_f32;
                    if (has_blocks(p.b_kind) || (kind != KAI_GEMM_GGUF && !constant)) {
                        continue;
                    }
                    kai_gemm_plan without, with;
                    const kai_gemm_status status = kai_gemm_make_plan(&p, &without);
                    p.bl = 96;
                    ASSERT_EQ(kai_gemm_make_plan(&p, &with), status) << kind;
                    EXPECT_EQ(with.gemm.ukernel, without.gemm.ukernel);
                    EXPECT_EQ(with.gemv.ukernel, without.gemv.ukernel);
                    EXPECT_EQ(with.rhs_packer, without.rhs_packer);
                    EXPECT_EQ(with.packed_b_size, without.packed_b_size);
                    EXPECT_EQ(with.workspace_size, without.workspace_size);
                    EXPECT_TRUE(with.problem.b_kind != KAI_GEMM_GGUF || with.problem.bl == without.problem.bl) << type;
                }
            }
        }
    }
}

// A plan that failed keeps no pointer of the caller.
TEST(GemmChoice, FailedPlansKeepNoPointers) {
    const kai_gemm_format format = {"no such format", 1, 1, 1};
    kai_gemm_problem p = kai_gemm_problem_of(7, 64, 64);
    p.b_constant = true, p.format = &format;
    kai_gemm_plan plan;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_UNKNOWN_FORMAT);
    EXPECT_EQ(plan.problem.format, nullptr);
    p.b_kind = KAI_GEMM_INT4_BLOCK_F16, p.b_transposed = true, p.bl = 32;
    for (const kai_gemm_format& other : {kai_gemm_format{"qsi4c32p", 4, 16, 1}, {"qsi4c32p", 4, 12, 2}}) {
        p.format = &other;
        EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_UNKNOWN_FORMAT) << other.kr << " " << other.sr;
    }
    p = kai_gemm_problem_of(7, 64, 64);
    p.b_constant = true;
    p.format = nullptr, p.pin = "no such kernel";
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_UNKNOWN_NAME);
    EXPECT_EQ(plan.problem.pin, nullptr);
}

// ---- sizes ----

// Four units per thread pack all matrices together; each packs at least one panel.
TEST(GemmChoice, UnitsThatPack) {
    for (const size_t batch : {1, 3, 8, 1000}) {
        for (const size_t units : {1, 4}) {
            kai_gemm_problem p = kai_gemm_problem_of(7, 1000, 64);
            p.batch = batch, p.b_per_matrix = p.b_constant = true, p.units = units;
            const kai_gemm_plan plan = plan_of(p);
            const size_t panels = (p.n + plan.format.nr - 1) / plan.format.nr;
            EXPECT_EQ(plan.pack_units, std::min(panels, (4 * units + batch - 1) / batch)) << batch << ", " << units;
        }
    }
}

// Everything in the workspace starts at a multiple of 64 bytes, and ends before the next begins.
TEST(GemmChoice, PartsOfTheWorkspace) {
    Random random(77);
    for (size_t i = 0; i < 40 * std::size(kKinds); ++i) {
        Case c = random_case(kKinds[i % std::size(kKinds)], random);
        c.p.batch = i % 2 == 0 ? 40 : c.p.batch, c.p.k = std::max<size_t>(c.p.k, has_blocks(c.p.b_kind) ? c.p.bl : 32);
        c.p.m = std::max<size_t>(c.p.m, 1);
        const kai_gemm_plan plan = plan_of(c.p);
        const kai_gemm_layout& at = plan.layout;
        SCOPED_TRACE(testing::Message() << c);
        for (const size_t start :
             {at.lhs_states, at.slots_taken, at.lhs, at.lhs_stride, at.b, at.slots, at.slot_size, at.copied,
              at.few_rows, at.tile}) {
            EXPECT_EQ(start % 64, 0U);
        }
        if (plan.gemm.ukernel == nullptr) {
            continue;
        }
        const bool makes_lhs = plan.gemm.lhs_packer != nullptr || plan.gemm.copies_rows;
        EXPECT_GE(at.slots_taken, at.lhs_states + (makes_lhs ? c.p.batch * sizeof(uint32_t) : 0));
        EXPECT_GE(at.lhs, at.slots_taken + (at.slot_size != 0 ? plan.workers * sizeof(uint32_t) : 0));
        EXPECT_GE(at.b, at.lhs);
        EXPECT_GE(at.slots, at.b);
        EXPECT_GE(plan.workspace_size + 63, at.slots + (at.slot_size != 0 ? plan.workers : 0) * at.slot_size);
        for (const kai_gemm_kernel* kernel : {&plan.gemm, &plan.gemv}) {
            const auto lhs_size = [&](size_t rows) {
                kai_call call = {};
                call.ukernel = kernel->ukernel, call.lhs_packer = kernel->lhs_packer;
                call.m = rows, call.n = c.p.n, call.k = c.p.k, call.bl = plan.problem.bl;
                return rows == 0 || kernel->lhs_packer == nullptr ? 0 : kai_call_lhs_packed_size(&call);
            };
            const size_t mr = kernel->lhs_packer != nullptr ? kernel->ukernel->get_mr() : 1;
            const size_t end = std::min(at.b, std::min(at.slots, plan.workspace_size));
            if (!c.p.groups) {
                EXPECT_GE(at.lhs_stride, lhs_size(kernel == &plan.gemm ? c.p.m : 1));
                EXPECT_GE(
                    end, at.lhs + (c.p.batch != 0 ? (c.p.batch - 1) * at.lhs_stride : 0) +
                             (c.p.batch != 0 ? lhs_size(kernel == &plan.gemm ? c.p.m : 1) : 0));
            } else if (kernel == &plan.gemm && c.p.batch != 0 && c.p.m >= 2) {
                // The most panels: a row in each group but one, and all others there.
                const size_t ones = std::min(c.p.batch - 1, c.p.m - 1), rest = c.p.m - ones;
                EXPECT_GE(end, at.lhs + lhs_size(ones * mr + (rest + mr - 1) / mr * mr));
            } else if (kernel == &plan.gemv) {
                EXPECT_GE(end, at.lhs + lhs_size(std::min(c.p.batch, c.p.m) * mr));
            }
            const size_t few = kernel == &plan.gemm ? at.few_rows_max : 1;
            EXPECT_GE(at.few_rows, at.copied);
            EXPECT_GE(at.tile, at.few_rows + lhs_size(std::min(few, c.p.m)));
            EXPECT_GE(at.slot_size, at.tile + at.tile_rows * at.tile_columns * size_of(kernel->ukernel->dst_type));
        }
        ASSERT_FALSE(testing::Test::HasFailure());
    }
}

// The workspace contains exactly what kai_gemm.h says, each part with its exact size.
TEST(GemmChoice, NoMoreThanTheWorkspaceNeeds) {
    Random random(78);
    const auto up = [](size_t x) { return (x + 63) / 64 * 64; };
    for (size_t i = 0; i < 40 * std::size(kKinds); ++i) {
        Case c = random_case(kKinds[i % std::size(kKinds)], random);
        c.p.m += i % 3 * 50, c.p.n += i % 4 * 500;
        const kai_gemm_plan plan = plan_of(c.p);
        const kai_gemm_layout& at = plan.layout;
        if (plan.gemm.ukernel == nullptr) {
            EXPECT_EQ(plan.workspace_size, 0U);
            continue;
        }
        SCOPED_TRACE(testing::Message() << c);
        const auto lhs_size = [&](const kai_gemm_kernel& kernel, size_t rows) {
            kai_call call = {};
            call.ukernel = kernel.ukernel, call.lhs_packer = kernel.lhs_packer;
            call.m = rows, call.n = c.p.n, call.k = c.p.k, call.bl = plan.problem.bl;
            return rows == 0                      ? 0
                   : kernel.lhs_packer != nullptr ? kai_call_lhs_packed_size(&call)
                   : kernel.copies_rows
                       ? rows * c.p.k * (c.p.a_type == kai_dt_int8 ? 1 : size_of(type_of(kernel.ukernel->lhs_format)))
                       : 0;
        };
        const auto panel = [](const kai_gemm_kernel& k) { return k.lhs_packer != nullptr ? k.ukernel->get_mr() : 1; };
        const auto makes = [](const kai_gemm_kernel& k) { return k.lhs_packer != nullptr || k.copies_rows; };
        const size_t one = lhs_size(plan.gemv, std::min<size_t>(c.p.m, 1));
        const size_t matrix = std::max(lhs_size(plan.gemm, c.p.m), one);
        EXPECT_EQ(at.lhs_states, 0U);
        const size_t states = makes(plan.gemm) || makes(plan.gemv) ? c.p.batch * sizeof(uint32_t) : 0;
        EXPECT_EQ(at.slots_taken, up(states));
        EXPECT_EQ(at.lhs, up(at.slots_taken + (at.slot_size != 0 ? plan.workers * sizeof(uint32_t) : 0)));
        EXPECT_EQ(at.lhs_stride, up(matrix));
        const size_t groups =
            std::max(lhs_size(plan.gemm, c.p.m + c.p.batch * panel(plan.gemm)), lhs_size(plan.gemv, c.p.m + c.p.batch));
        const size_t lhs = c.p.groups ? groups : c.p.batch == 0 ? 0 : (c.p.batch - 1) * at.lhs_stride + matrix;
        EXPECT_EQ(at.b, up(at.lhs + lhs));
        const size_t count = c.p.b_per_matrix ? c.p.batch : 1;
        const bool packs = !c.p.b_constant && plan.rhs_packer != nullptr && count != 0;
        EXPECT_EQ(at.slots, up(at.b + (packs ? (count - 1) * plan.packed_b_stride + plan.panels_size : 0)));
        const size_t few = std::max(lhs_size(plan.gemm, at.few_rows_max), one);
        const size_t tile = plan.direct ? 0 : at.tile_rows * at.tile_columns * size_of(plan.gemm.ukernel->dst_type);
        EXPECT_EQ(at.copied, 0U);
        EXPECT_EQ(at.tile, up(at.few_rows + few));
        EXPECT_EQ(at.slot_size, up(tile != 0 ? at.tile + tile : few != 0 ? at.few_rows + few : at.slot_size));
        // As many steps as 32 rows have, and as many columns as 16 KB then have: whole steps, and at least one.
        size_t tile_rows = 0, tile_columns = 0;
        for (const kai_gemm_kernel* kernel : {&plan.gemm, &plan.gemv}) {
            const kai_ukernel& u = *kernel->ukernel;
            const auto steps = [](size_t lines, size_t step) { return std::max<size_t>(lines / step, 1) * step; };
            const auto most = [](size_t lines, size_t step) { return (lines + step - 1) / step * step; };
            const size_t rows = steps(std::min<size_t>(c.p.m, 32), u.get_m_step());
            const size_t columns = steps((size_t{16} << 10) / (rows * size_of(u.dst_type)), u.get_n_step());
            tile_rows = std::max(tile_rows, std::min(rows, most(c.p.m, u.get_m_step())));
            tile_columns = std::max(tile_columns, std::min(columns, most(c.p.n, u.get_n_step())));
        }
        EXPECT_EQ(at.tile_rows, plan.direct ? 0 : tile_rows);
        EXPECT_EQ(at.tile_columns, plan.direct ? 0 : tile_columns);
        EXPECT_EQ(plan.packed_b_stride % 64, 0U);
        EXPECT_LE(plan.workspace_size, up(at.slots + plan.workers * at.slot_size));
        EXPECT_GT(plan.workspace_size + 64, at.slots + plan.workers * at.slot_size);
        ASSERT_FALSE(testing::Test::HasFailure());
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
    // A B that is packed in every run, so that the plan itself reads nothing.
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

// One worker packs all rows at once, however many: a run that is not divided has one phase.
TEST(GemmChoice, RowsOfAWholeRun) {
    kai_gemm_problem p = kai_gemm_problem_of(1000, 64, 256);
    p.b_kind = KAI_GEMM_INT4_CHANNEL, p.b_transposed = true, p.b_constant = p.untagged = true, p.units = 1;
    const kai_gemm_plan plan = plan_of(p);
    EXPECT_GE(plan.whole_rows, 900U);
    EXPECT_LT(plan.layout.few_rows_max, 900U);
    const kai_gemm_work work = begun(plan, 900);
    EXPECT_TRUE(work.packs_lhs_on_demand);
    EXPECT_EQ(work.phases, 1U);
    EXPECT_EQ(work.units[0], 1U);
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

/// Bytes of a row of A and of a column of B as kernels read them.
std::pair<double, double> bytes_of_lines(const kai_gemm_plan& plan) {
    const kai_gemm_problem& p = plan.problem;
    const kai_ukernel& u = *plan.gemm.ukernel;
    const auto dense = static_cast<double>(p.k * size_of(p.a_type));
    std::pair<double, double> bytes = {dense, dense};  // f32
    if (plan.gemm.lhs_packer != nullptr) {
        kai_call call = {};
        call.ukernel = &u, call.lhs_packer = plan.gemm.lhs_packer;
        call.m = u.get_mr(), call.n = p.n, call.k = p.k, call.bl = p.bl;
        bytes.first = static_cast<double>(kai_call_lhs_packed_size(&call)) / static_cast<double>(call.m);
    }
    if (plan.rhs_packer != nullptr) {
        const size_t columns = (p.n + plan.format.nr - 1) / plan.format.nr * plan.format.nr;
        bytes.second = static_cast<double>(plan.panels_size) / static_cast<double>(columns);
    }
    return bytes;
}

// The smaller side fits the cache to the byte: one tile for one worker. One byte less: more.
TEST(GemmChoice, TheSideThatJustFits) {
    for (const bool tall : {false, true}) {
        kai_gemm_problem p = kai_gemm_problem_of(tall ? 7680 : 384, tall ? 384 : 7680, 256);
        p.sme_units = 0;
        const auto [row, column] = bytes_of_lines(plan_of(p));
        const auto bytes = static_cast<size_t>(tall ? column * 384 : row * 384);
        for (const size_t missing : {0, 1}) {
            p.l2_bytes = bytes - missing;
            const kai_gemm_plan plan = plan_of(p);
            const kai_gemm_work work = begun(plan, p.m);
            EXPECT_EQ(work.units[work.phases - 1] == 1, missing == 0) << (tall ? "columns" : "rows");
        }
    }
}

// The estimate of what is loaded: all of both sides if both fit the cache, whatever is missing in the last panel.
TEST(GemmChoice, BytesOfWholeSides) {
    for (const size_t n : {1, 37, 64, 100}) {
        kai_gemm_problem p = kai_gemm_problem_of(100, n, 64);
        p.b_constant = p.untagged = true, p.l2_bytes = size_t{1} << 30, p.units = 3, p.sme_units = 0;
        const kai_gemm_plan plan = plan_of(p);
        kai_gemm_work work = begun(plan, p.m);
        kai_gemm_operands x = {};
        x.m = p.m, work.operands = &x;
        kai_gemm_cost cost;
        ASSERT_EQ(kai_gemm_estimate(&work, &cost), KAI_GEMM_OK);
        const auto [row, column] = bytes_of_lines(plan);
        const double all = row * 100 + column * static_cast<double>(n);
        EXPECT_NEAR(cost.bytes, all, all * 1e-9) << n;
        EXPECT_NEAR(cost.least_bytes, all, all * 1e-9) << n;
    }
}

// Without a cache, a tile is one step of one side.
TEST(GemmChoice, WithoutACache) {
    for (const bool tall : {false, true}) {
        kai_gemm_problem p = kai_gemm_problem_of(tall ? 960 : 96, tall ? 96 : 960, 64);
        p.sme_units = 0, p.l2_bytes = 1;
        const kai_gemm_work work = begun(plan_of(p), p.m);
        const kai_ukernel& u = *work.kernel->ukernel;
        const size_t rows = u.get_m_step() == 1 ? 12 : u.get_m_step();
        const size_t columns = u.features == 0 ? std::max<size_t>(16, u.get_n_step()) : u.get_n_step();
        EXPECT_TRUE(work.m_tile == rows || work.n_tile == columns) << work.m_tile << " x " << work.n_tile;
    }
}

// One B for all groups is packed once in a run; without kernels, units share the rows.
TEST(GemmChoice, UnitsOfARun) {
    kai_gemm_problem p = kai_gemm_problem_of(300, 300, 64);
    p.groups = true, p.batch = 3, p.sme_units = 0, p.units = 2, p.l2_bytes = 4096;
    const size_t rows[] = {100, 100, 100};
    kai_gemm_operands x = {};
    x.rows = rows;
    const kai_gemm_plan plan = plan_of(p);
    ASSERT_NE(plan.rhs_packer, nullptr);
    const kai_gemm_work work = begun(plan, x);
    ASSERT_EQ(work.phases, 2U);
    EXPECT_EQ(work.units[0], work.lhs_units + plan.pack_units);
    kai_gemm_problem none = kai_gemm_problem_of(100, 100, 64);
    none.alpha = 0, none.units = 4;
    EXPECT_EQ(begun(plan_of(none), 100).units[0], 4U);
}

// Where products are scattered, a unit has its columns of all rows.
TEST(GemmChoice, EstimateOfScatteredRows) {
    kai_gemm_problem p = kai_gemm_problem_of(30, 640, 64);
    p.groups = p.scatters = true, p.batch = 2, p.units = 2, p.sme_units = 0;
    const size_t rows[] = {20, 10}, c_rows[30] = {};
    kai_gemm_operands x = {};
    x.rows = rows, x.c_rows = c_rows, x.c_row_count = 1;
    const kai_gemm_plan plan = plan_of(p);
    kai_gemm_work work = begun(plan, x);
    work.operands = &x;
    kai_gemm_cost cost;
    ASSERT_EQ(kai_gemm_estimate(&work, &cost), KAI_GEMM_OK);
    EXPECT_DOUBLE_EQ(cost.macs, 30 * 640 * 64);
    EXPECT_DOUBLE_EQ(cost.largest_unit, static_cast<double>(30 * work.n_tile * 64));
}

// kai_gemm_explain tells the tiles of runs with that many rows.
TEST(GemmChoice, TilesThatAreTold) {
    for (const size_t n : {64, 1000}) {
        kai_gemm_problem p = kai_gemm_problem_of(70, n, 256);
        p.units = 3;
        const kai_gemm_plan plan = plan_of(p);
        std::string text(4000, 0);
        text.resize(kai_gemm_explain(&plan, text.data(), text.size()));
        for (const size_t m : {size_t{70}, size_t{1}}) {
            const kai_gemm_work work = begun(plan, m);
            const std::string line = "m = " + std::to_string(m) + ": tiles of " + std::to_string(work.m_tile) + " x " +
                                     std::to_string(work.n_tile) + " for";
            EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
        }
    }
}

// A quarter of the address space is left for what sizes are rounded up by.
TEST(GemmChoice, SizesNearTheEnd) {
    for (size_t kai_gemm_problem::*side : {&kai_gemm_problem::m, &kai_gemm_problem::n, &kai_gemm_problem::k}) {
        kai_gemm_problem p = kai_gemm_problem_of(1, 1, 1);
        p.*side = SIZE_MAX / 2 / (4097 * 16 * 2);
        kai_gemm_plan plan;
        EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OVERFLOW);
    }
}

/// A pool that counts its tasks.
struct Counts {
    std::vector<size_t> of_calls;
    static void run(void* pool, size_t count, kai_gemm_task* task, void* context) {
        static_cast<Counts*>(pool)->of_calls.push_back(count);
        for (size_t i = 0; i < count; ++i) {
            task(context, i);
        }
    }
};

// kai_gemm_run has 16 tasks for each worker, which is enough for unequal ones; as many as workers where the kernel may
// not run on all threads. Fewer if there are fewer units.
TEST(GemmChoice, TasksOfARun) {
    for (const size_t units : {2, 4}) {
        for (const size_t sme_units : {0, 1, 4}) {
            for (const size_t batch : {1, 100}) {
                Case c;
                c.p = kai_gemm_problem_of(3, 9, 8);
                c.p.units = units, c.p.sme_units = sme_units, c.p.batch = batch, c.m = 3;
                c.p.a_type = c.p.b_type = c.p.c_type = kai_dt_f16;  // no kernel runs beside SME
                Experiment e(c);
                ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
                kai_gemm_work work;
                void* workspace = e.workspace[0].data();
                ASSERT_EQ(kai_gemm_begin(&e.plan, &e.x, workspace, e.workspace[0].size(), &work), KAI_GEMM_OK);
                Counts counts;
                ASSERT_EQ(
                    kai_gemm_run(&e.plan, &e.x, workspace, e.workspace[0].size(), Counts::run, &counts), KAI_GEMM_OK);
                const size_t most = e.plan.workers < units ? e.plan.workers : 16 * e.plan.workers;
                std::vector<size_t> expected;
                for (size_t phase = 0; phase < work.phases; ++phase) {
                    if (std::min(most, work.units[phase]) > 1) {
                        expected.push_back(std::min(most, work.units[phase]));
                    }
                }
                EXPECT_EQ(counts.of_calls, expected) << units << ", " << sme_units << ", " << batch;
                e.check();
            }
        }
    }
}

/// The tiles of a run on `units` workers: "rows x columns", with "|" if units in order share columns. The kernel has
/// steps of 4 x 8, panels of 16 columns, and is said not to be portable.
std::string tiles_of(kai_gemm_problem p, size_t units) {
    p.b_constant = p.untagged = true, p.pin = "matmul_clamp_f32_f32_f32p16x1b_1x16_portable", p.units = units;
    kai_gemm_plan plan = plan_of(p);
    kai_ukernel u = *plan.gemm.ukernel;
    u.features = uint64_t{1} << KAI_CPU_NEON;
    u.get_m_step = [] { return size_t{4}; }, u.get_n_step = [] { return size_t{8}; };
    plan.gemm.ukernel = plan.gemv.ukernel = &u;
    const kai_gemm_work work = begun(plan, p.m);
    return std::to_string(work.m_tile) + (work.m_first ? "|" : "x") + std::to_string(work.n_tile);
}

// Tiles in numbers, to see when one changes. Whether they are good: cost_test.cpp.
TEST(GemmChoice, TilesOfTheTable) {
    const struct {
        size_t m, n, k, batch, l2_bytes;
        std::vector<std::string> tiles;  // for 1, 2, 3, 5, 8, 17, 64 workers
    } table[] = {
        {1, 4096, 1024, 1, 65536, {"1x4096", "4x168", "4x112", "4x64", "4x88", "4x88", "4x64"}},
        {4, 1000, 256, 1, 65536, {"4x1000", "4x168", "4x72", "4x72", "4x128", "4x64", "4x8"}},
        {64, 64, 64, 1, 65536, {"64x64", "16|64", "24|64", "16|64", "4|64", "4|32", "4|16"}},
        {100, 700, 300, 1, 65536, {"52x704", "52x56", "52x32", "52x16", "52x8", "52x8", "28x8"}},
        {100, 700, 300, 1, 1048576, {"100x700", "100x24", "100x16", "100x8", "100x8", "52x8", "16x8"}},
        {512, 512, 512, 1, 65536, {"32x512", "32x256", "32x176", "32x128", "32x80", "32x40", "32x8"}},
        {512, 512, 512, 1, 1048576, {"512x512", "512x16", "512x8", "512x8", "512x8", "512x8", "4|256"}},
        {3000, 50, 147, 1, 65536, {"3000|56", "120|56", "80|56", "48|56", "28|56", "12|56", "8|56"}},
        {49, 512, 2000, 1, 65536, {"8x512", "8x128", "8x88", "8x56", "8x32", "8x16", "4|8"}},
        {49, 512, 2000, 1, 1048576, {"52x512", "52x16", "52x8", "52x8", "52x8", "16|8", "4|8"}},
        {196, 256, 900, 1, 65536, {"196|16", "100|16", "68|16", "52|16", "28|16", "16|16", "4|16"}},
        {196, 256, 900, 1, 1048576, {"196|256", "8|256", "4|256", "4|256", "4x128", "4|256", "4|16"}},
        {20, 30, 100, 9, 65536, {"20x30", "12|32", "20|32", "12|8", "12|8", "12|8", "4|16"}},
        {1, 100, 700, 3, 65536, {"1x100", "4x56", "4x104", "4x104", "4x56", "4x24", "4x8"}},
    };
    for (const auto& row : table) {
        kai_gemm_problem p = kai_gemm_problem_of(row.m, row.n, row.k);
        p.batch = row.batch, p.l2_bytes = row.l2_bytes;
        std::vector<std::string> tiles;
        for (const size_t units : {1, 2, 3, 5, 8, 17, 64}) {
            tiles.push_back(tiles_of(p, units));
        }
        EXPECT_EQ(tiles, row.tiles) << row.m << " x " << row.n << " x " << row.k << ", " << row.batch << ", "
                                    << row.l2_bytes;
    }
}

// One worker: only as many tiles as its cache needs.
TEST(GemmChoice, OneWorkerOneTile) {
    kai_gemm_problem p = kai_gemm_problem_of(100, 200, 64);
    p.sme_units = 0;
    const kai_gemm_plan plan = plan_of(p);
    const kai_gemm_work work = begun(plan, 100);
    EXPECT_EQ(work.units[work.phases - 1], 1U);
    EXPECT_GE(work.m_tile, 100U);
    EXPECT_GE(work.n_tile, 200U);
}

// Kernels that may start at any row take 4 or 6 rows at a time, portable ones 16 columns: tiles are multiples, or all.
TEST(GemmChoice, TilesAreWholeSteps) {
    for (const size_t m : {1, 11, 12, 13, 100}) {
        for (const size_t n : {10, 191, 768, 3000}) {
            kai_gemm_problem p = kai_gemm_problem_of(m, n, 256);
            p.b_kind = KAI_GEMM_GGUF, p.gguf_type = KAI_GGUF_Q8_0, p.b_transposed = true, p.units = 4, p.sme_units = 0;
            const kai_gemm_plan plan = plan_of(p);
            const kai_gemm_work work = begun(plan, m);
            if (m <= plan.whole_rows) {
                EXPECT_EQ(work.m_tile, m);
                EXPECT_EQ(work.n_tile, n);
                continue;
            }
            const kai_ukernel& u = *work.kernel->ukernel;
            const size_t rows = u.get_m_step() == 1 ? std::min<size_t>(m, 12) : u.get_m_step();
            EXPECT_EQ(work.m_tile % rows, 0U) << m << " x " << n;
            EXPECT_EQ(work.n_tile % u.get_n_step(), 0U) << m << " x " << n;
            if (u.features == 0) {
                // One row is divided by columns only: by 16 columns only if each worker then gets 12 tiles.
                const bool whole = m > 1 || n / 16 >= 12 * 4;
                EXPECT_TRUE(!whole || work.n_tile % 16 == 0) << m << " x " << n << ": " << work.n_tile;
            }
        }
    }
}

}  // namespace
}  // namespace test::gemm
