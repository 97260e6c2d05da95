// Which kernels a plan chooses, on every kind of CPU. chosen_kernels.def says it for the plain problems: A of f32, B
// constant, nothing but the product. The tests after the first one say what other problems have in common with these.
//
// To print the table as it should be, after the choice was changed on purpose:
//
//     kleidiai_gemm_test --gtest_also_run_disabled_tests --gtest_filter=GemmChosen.DISABLED_Print
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kai/call.hpp"
#include "test/gemm/experiment.hpp"
#include "test/support/disabled_features.hpp"

namespace test::gemm {
namespace {

// ---- CPUs ----

constexpr uint64_t bit(kai_cpu_feature feature) {
    return uint64_t{1} << feature;
}
constexpr uint64_t kArmv80 = bit(KAI_CPU_NEON);
constexpr uint64_t kDotprod = kArmv80 | bit(KAI_CPU_FP16) | bit(KAI_CPU_DOTPROD);
constexpr uint64_t kI8mm = kDotprod | bit(KAI_CPU_FHM) | bit(KAI_CPU_I8MM), kBf16 = kI8mm | bit(KAI_CPU_BF16);
constexpr uint64_t kSve = kBf16 | bit(KAI_CPU_SVE) | bit(KAI_CPU_SVE_I8MM) | bit(KAI_CPU_SVE2) | bit(KAI_CPU_SVE2P1);
constexpr uint64_t kSme = kSve | bit(KAI_CPU_SME), kSme2 = kSme | bit(KAI_CPU_SME2) | bit(KAI_CPU_SME2P1);

/// A CPU of the table. One that has more can play it.
struct Cpu {
    const char* name;
    uint64_t features;
    const char* hides;     // of a CPU that has everything
    size_t sve_bytes = 0;  // 0: any other length than those below
};
#define KAI_NEWER "faminmax,lut,fp8dot4,smef8f32,smemop4"
constexpr Cpu kCpus[] = {
    {"portable", 0, "all"},
    {"armv8_0", kArmv80, "all"},
    {"dotprod", kDotprod, "fhm,i8mm,bf16,sve,sme," KAI_NEWER},
    {"i8mm", kI8mm, "bf16,sve,sme," KAI_NEWER},
    {"bf16", kBf16, "sve,sme," KAI_NEWER},
    {"sve", kSve, "sme," KAI_NEWER},
    {"sve256", kSve, "sme," KAI_NEWER, 32},
    {"sme", kSme, "sme2," KAI_NEWER},
    {"sme2", kSme2, KAI_NEWER},
};
#undef KAI_NEWER

/// visit(cpu) for each that this one can play; or for some of them, and for this one as it is.
template <typename Visit>
void for_each_cpu(Visit visit, bool only_some = false) {
    size_t count = 0;
    for (const Cpu& cpu : kCpus) {
        const bool is_one = cpu.features <= kArmv80 || cpu.features == kBf16 || cpu.features == kSme2 ||
                            cpu.features == kai_cpu_system_features();
        if (only_some && !is_one) {
            continue;
        }
        const DisabledFeatures hidden(cpu.hides);
        const bool sve = (cpu.features & bit(KAI_CPU_SVE)) != 0 && (cpu.features & bit(KAI_CPU_SME)) == 0;
        if (kai_cpu_features() == cpu.features && (!sve || (kai_cpu_sve_bytes() == 32) == (cpu.sve_bytes == 32))) {
            SCOPED_TRACE(cpu.name);
            visit(cpu);
            ++count;
        }
        if (testing::Test::HasFailure()) {
            return;
        }
    }
    if (count == 0) {
        GTEST_SKIP() << "this CPU is none of the table, and has not the features of any";
    }
}

template <typename Visit>
void for_some_cpus(Visit visit) {
    for_each_cpu(visit, true);
}

// ---- problems ----

constexpr kai_datatype kFloats[] = {kai_dt_f32, kai_dt_f16, kai_dt_bf16};
constexpr kai_gguf_type_id kTypes[] = {
    KAI_GGUF_Q4_0,    KAI_GGUF_Q4_1,   KAI_GGUF_Q5_0,  KAI_GGUF_Q5_1,    KAI_GGUF_Q8_0,
    KAI_GGUF_Q2_K,    KAI_GGUF_Q3_K,   KAI_GGUF_Q4_K,  KAI_GGUF_Q5_K,    KAI_GGUF_Q6_K,
    KAI_GGUF_IQ4_NL,  KAI_GGUF_IQ4_XS, KAI_GGUF_TQ1_0, KAI_GGUF_TQ2_0,   KAI_GGUF_MXFP4,
    KAI_GGUF_NVFP4,   KAI_GGUF_Q1_0,   KAI_GGUF_Q2_0,  KAI_GGUF_IQ2_XXS, KAI_GGUF_IQ2_XS,
    KAI_GGUF_IQ3_XXS, KAI_GGUF_IQ1_S,  KAI_GGUF_IQ3_S, KAI_GGUF_IQ2_S,   KAI_GGUF_IQ1_M};
constexpr size_t kMany = 64;

bool is_integer(kai_gemm_kind kind) {
    return kind == KAI_GEMM_INT8_STATIC || kind == KAI_GEMM_INT2_STATIC || kind == KAI_GEMM_UINT8_LOWP ||
           kind == KAI_GEMM_INT8_LOWP;
}

kai_gemm_problem plain_problem(kai_gemm_kind kind, kai_datatype c_type) {
    kai_gemm_problem p = kai_gemm_problem_of(kMany, 64, 512);
    p.b_kind = kind, p.c_type = c_type, p.b_constant = true;
    p.b_transposed = kind != KAI_GEMM_INT8_STATIC, p.bl = has_blocks(kind) ? 32 : 0;
    p.core = KAI_CORE_GENERIC;
    if (is_integer(kind)) {
        p.a_type = p.c_type = kind == KAI_GEMM_UINT8_LOWP ? kai_dt_uint8 : kai_dt_int8;
    }
    return p;
}

/// The problems of the table, each with its name.
std::map<std::string, kai_gemm_problem> plain_problems() {
    std::map<std::string, kai_gemm_problem> problems;
    for (int kind = 0; kind < KAI_GEMM_KIND_COUNT; ++kind) {
        for (const kai_datatype type : kFloats) {
            kai_gemm_problem p = plain_problem(static_cast<kai_gemm_kind>(kind), type);
            const std::string name = name_of(p.b_kind), to = std::string(" -> ") + name_of(type);
            if (p.b_kind == KAI_GEMM_DENSE) {
                for (const kai_datatype operands : kFloats) {
                    p.a_type = p.b_type = operands;
                    for (int allowed = 0; allowed < 4; ++allowed) {
                        p.allow_bf16 = (allowed & 1) != 0, p.allow_f16 = (allowed & 2) != 0;
                        problems
                            [name + " " + name_of(operands) + to + (p.allow_bf16 ? ", bf16" : "") +
                             (p.allow_f16 ? ", f16" : "")] = p;
                    }
                }
            } else if (p.b_kind == KAI_GEMM_GGUF) {
                for (const kai_gguf_type_id id : kTypes) {
                    p.gguf_type = id;
                    problems[name + " " + kai_gguf_find_type(id)->name + to] = p;
                }
            } else {
                problems[name + (is_integer(p.b_kind) ? "" : to)] = p;
                for (const kai_datatype a : {kai_dt_int8, kai_dt_uint8}) {
                    if (p.b_kind == KAI_GEMM_INT8_LOWP || p.b_kind == KAI_GEMM_UINT8_LOWP) {
                        p.a_type = a, p.c_type = kai_dt_int32;
                        problems[name + (a == kai_dt_int8 ? ", int8" : ", uint8") + " -> int32"] = p;
                    }
                }
            }
        }
    }
    return problems;
}

/// Types that are multiplied as they are; others are dequantised (docs/gguf.md).
bool is_packed_by_type(kai_gguf_type_id type) {
    const kai_gguf_type_id codebooks[] = {KAI_GGUF_IQ2_XXS, KAI_GGUF_IQ2_XS, KAI_GGUF_IQ3_XXS, KAI_GGUF_IQ1_S,
                                          KAI_GGUF_IQ3_S,   KAI_GGUF_IQ2_S,  KAI_GGUF_IQ1_M};
    return std::find(std::begin(codebooks), std::end(codebooks), type) == std::end(codebooks);
}

kai_gemm_plan plan_of(const kai_gemm_problem& p) {
    kai_gemm_plan plan = {};
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
    return plan;
}

// ---- the table ----

/// Kernels for a problem on a CPU.
struct Chosen {
    std::string many, one, alone;  // of a plan for many rows: for these, for one; of a plan for one row
    bool operator==(const Chosen& other) const {
        return many == other.many && one == other.one && alone == other.alone;
    }
};
std::ostream& operator<<(std::ostream& out, const Chosen& c) {
    return out << "\n    many:  " << c.many << "\n    one:   " << c.one << "\n    alone: " << c.alone;
}

Chosen chosen(kai_gemm_problem p) {
    p.m = kMany;
    const kai_gemm_plan many = plan_of(p);
    p.m = 1;
    const kai_gemm_plan alone = plan_of(p);
    if (many.gemm.ukernel == nullptr || alone.gemm.ukernel == nullptr) {
        return {};  // there was a failure
    }
    EXPECT_EQ(alone.gemm.ukernel, alone.gemv.ukernel);
    return {many.gemm.ukernel->name, many.gemv.ukernel->name, alone.gemm.ukernel->name};
}

struct Row {
    std::string cpu;
    std::vector<std::string> names;
};
struct Rows {
    std::vector<std::string> problems;
    std::vector<Row> of;  // for the CPUs from which on something else is chosen
};

const std::vector<Rows>& table() {
    static const std::vector<Rows> rows = [] {
        std::vector<Rows> list;
#define KAI_PROBLEMS(...) list.push_back({{__VA_ARGS__}, {}});
#define KAI_CHOSEN(CPU, ...) list.back().of.push_back({#CPU, {__VA_ARGS__}});
#include "test/gemm/chosen_kernels.def"
#undef KAI_PROBLEMS
#undef KAI_CHOSEN
        return list;
    }();
    return rows;
}

/// What the table has for a CPU: the row of the nearest one before it.
Chosen row_for(const Rows& rows, const Cpu& cpu) {
    const Row* found = nullptr;
    for (const Cpu& c : kCpus) {
        const bool before = &c <= &cpu && (c.sve_bytes == 0 || &c == &cpu);
        for (const Row& row : rows.of) {
            found = before && row.cpu == c.name ? &row : found;
        }
    }
    if (found == nullptr) {
        return {};
    }
    const auto& names = found->names;
    return {names[0], names[names.size() > 1 ? 1 : 0], names[names.size() - 1]};
}

TEST(GemmChosen, OfTheTable) {
    std::map<std::string, const Rows*> rows_of[2];  // of AArch64, of other hosts
    for (const Rows& rows : table()) {
        for (const std::string& name : rows.problems) {
            EXPECT_TRUE(rows_of[rows.of[0].cpu == kCpus[0].name].emplace(name, &rows).second) << name << ", twice";
        }
    }
    const auto problems = plain_problems();
    for_each_cpu([&](const Cpu& cpu) {
        const auto& rows = rows_of[&cpu == &kCpus[0]];
        EXPECT_EQ(rows.size(), problems.size());
        for (const auto& [name, p] : problems) {
            ASSERT_EQ(rows.count(name), 1U) << name;
            EXPECT_EQ(chosen(p), row_for(*rows.at(name), cpu)) << name;
        }
    });
}

// ---- other problems ----

/// Everything that is chosen for a problem; sizes stand in for what they depend on.
std::string all_of(const kai_gemm_problem& p) {
    kai_gemm_plan plan;
    if (const kai_gemm_status status = kai_gemm_make_plan(&p, &plan)) {
        return kai_gemm_status_text(status);
    }
    const auto name = [](const auto* entry) { return entry != nullptr ? std::string(entry->name) : "none"; };
    std::string text;
    for (const kai_gemm_kernel* kernel : {&plan.gemm, &plan.gemv}) {
        text +=
            name(kernel->ukernel) + ", A by " + name(kernel->lhs_packer) + (kernel->copies_rows ? ", copied\n" : "\n");
    }
    return text + "B by " + name(plan.rhs_packer) + (plan.copies_columns ? ", copied" : "") +
           (plan.direct ? ", direct" : "") + (plan.bias_apart ? ", bias apart" : "") + "\n" +
           std::to_string(plan.packed_b_size) + ", " + std::to_string(plan.workspace_size) + " bytes, " +
           std::to_string(plan.workers) + " workers";
}

/// visit(name, p) for the problems of the table, and with variants of them: bias, alpha, C added, groups, rows in
/// place and not.
template <typename Visit>
void for_each_variant(Visit visit) {
    for (const auto& [plain_name, plain] : plain_problems()) {
        for (int bits = 0; bits < 32; ++bits) {
            kai_gemm_problem p = plain;
            std::string name = plain_name;
            const auto with = [&](int shift, const char* what) {
                const bool is = (bits >> shift & 1) != 0;
                name += is ? what : "";
                return is;
            };
            p.bias = with(0, ", bias");
            p.alpha = with(1, ", alpha") ? 2 : 1;
            p.groups = p.b_per_matrix = with(2, ", groups");
            p.batch = p.groups ? 3 : 1;
            p.b_constant = !with(3, ", variable");
            p.m = with(4, ", m 1") ? 1 : kMany;
            if (!(is_integer(p.b_kind) && p.alpha != 1)) {
                visit(name, p);
            }
        }
    }
}

// `sme_units` 0 is as a CPU without SME.
TEST(GemmChosen, WithoutUnitsOfSme) {
    for_some_cpus([](const Cpu& cpu) {
        std::vector<std::string> others;
        for_each_variant([&](const std::string&, kai_gemm_problem p) {
            p.units = 4, p.sme_units = 0;
            others.push_back(all_of(p));
        });
        const DisabledFeatures no_sme((std::string("sme,") + cpu.hides).c_str());
        size_t i = 0;
        for_each_variant([&](const std::string& name, kai_gemm_problem p) {
            p.units = 4, p.sme_units = 4;
            ASSERT_EQ(others[i++], all_of(p)) << name;
        });
    });
}

/// The kernels of two problems are the same.
void check_same(const kai_gemm_problem& p, const kai_gemm_problem& other, const std::string& name) {
    kai_gemm_plan a, b;
    ASSERT_EQ(kai_gemm_make_plan(&p, &a), kai_gemm_make_plan(&other, &b)) << name;
    if (a.status == KAI_GEMM_OK) {
        ASSERT_STREQ(a.gemm.ukernel->name, b.gemm.ukernel->name) << name;
        ASSERT_STREQ(a.gemv.ukernel->name, b.gemv.ukernel->name) << name;
    }
}

// The type of A has to do with packers of A alone, unless B are floats. There, kernels of f16 or bf16 are for both
// operands of that type, and others are as f32.
TEST(GemmChosen, TypesOfOperands) {
    for_some_cpus([](const Cpu&) {
        for_each_variant([](const std::string& name, kai_gemm_problem p) {
            const bool dense = p.b_kind == KAI_GEMM_DENSE;
            if (is_integer(p.b_kind) || p.alpha != 1 || p.groups ||
                (dense && (!p.b_constant || p.a_type != kai_dt_f32))) {
                return;
            }
            for (const kai_datatype a : kFloats) {
                for (const kai_datatype b : kFloats) {
                    kai_gemm_problem q = p;
                    q.a_type = a, q.b_type = b;
                    const bool f16 = a == kai_dt_f16 && b == kai_dt_f16;
                    const bool bf16 = a == kai_dt_bf16 && b == kai_dt_bf16;
                    if (!dense || (!f16 && !bf16)) {
                        check_same(p, q, name + ", " + name_of(a) + " * " + name_of(b));
                    }
                }
            }
        });
    });
}

// How constant B lies has to do with packers of B alone, what else GGUF allows with nothing, and bf16 is written by
// kernels for f32 where a file has the type of B.
TEST(GemmChosen, WhatDoesNotMatter) {
    for_some_cpus([](const Cpu&) {
        for_each_variant([](const std::string& name, const kai_gemm_problem& p) {
            kai_gemm_problem q = p;
            if (p.alpha != 1 || p.groups) {
                return;
            }
            if (p.b_constant && (p.b_kind == KAI_GEMM_DENSE || p.b_kind == KAI_GEMM_INT8_CHANNEL ||
                                 p.b_kind == KAI_GEMM_INT4_CHANNEL || p.b_kind == KAI_GEMM_INT4_BLOCK)) {
                q.b_transposed = false;
                check_same(p, q, name + ", K x N");
            }
            q = p, q.clamp_min = -1, q.clamp_max = 1, q.l1_bytes = 1, q.units = 7;
            check_same(p, q, name + ", clamp, caches and units");
            if (p.b_kind == KAI_GEMM_GGUF && is_packed_by_type(p.gguf_type)) {
                q = p, q.allow_bf16 = q.allow_f16 = true;
                check_same(p, q, name + ", less allowed");
                q = p, q.c_type = p.c_type == kai_dt_bf16 ? kai_dt_f32 : p.c_type;
                check_same(p, q, name + ", bf16 as f32");
            }
            for (const size_t m : {2, 3, 4, 5, 7, 8, 16, 1000}) {
                if (p.b_constant && p.m != 1) {
                    q = p, q.m = m;
                    check_same(p, q, name + ", m " + std::to_string(m));
                }
            }
        });
    });
}

// A kernel that writes f16 or bf16 is for products that it stores into C itself: others are as for C of f32. (f16 sums
// may be rounded twice if they are allowed.)
TEST(GemmChosen, ProductsThatAreNotStoredDirectly) {
    for_some_cpus([](const Cpu&) {
        for_each_variant([](const std::string& name, kai_gemm_problem p) {
            if (p.alpha != 1 || !p.b_constant || p.c_type == kai_dt_f32 || is_integer(p.b_kind)) {
                return;
            }
            kai_gemm_problem f32 = p, unbiased = p;
            f32.c_type = kai_dt_f32, unbiased.bias = false;
            for (const int way : {0, 1, 2}) {
                kai_gemm_problem q = p;
                q.alpha = way == 0 ? 2 : 1, q.beta = way == 1 ? 1 : 0;
                q.scatters = way == 2, q.groups = p.groups || q.scatters;
                check_same(f32, q, name + (way == 0 ? ", alpha" : way == 1 ? ", beta" : ", scattered"));
            }
            const kai_gemm_plan plan = plan_of(unbiased);
            const bool inside = !p.bias || plan.gemm.ukernel->dst_type == kai_dt_f32 ||
                                kai::packs_bias(*plan.rhs_packer) ||
                                (p.allow_f16 && std::strncmp(plan.gemm.ukernel->lhs_format, "f16", 3) == 0);
            check_same(inside ? unbiased : f32, p, name);
        });
    });
}

// ---- rows of files ----

/// The kernel that reads rows of this type where they lie; NULL: none.
const kai_ukernel* in_place(kai_gguf_type_id type) {
    const char* family = type == KAI_GGUF_Q4_0   ? "matmul_clamp_f32_qsi8d32p_ggq4_0"
                         : type == KAI_GGUF_Q8_0 ? "matmul_clamp_f32_qsi8d32p_ggq8_0"
                         : type == KAI_GGUF_Q4_K ? "matmul_clamp_f32_qsi8d256p_ggq4_k"
                         : type == KAI_GGUF_Q6_K ? "matmul_clamp_f32_qsi8d256p_ggq6_k"
                                                 : nullptr;
    const kai_registry_request request = {family, 1, nullptr, 0, KAI_CORE_AUTO, {}};
    return family != nullptr ? kai_registry_best(&request, nullptr, nullptr) : nullptr;
}

// Rows of a file that are not constant: up to four rows of A read them where they lie, and one row of a plan for more,
// if a kernel can that is not slower by far; a plan for more packs them as constant ones. Where its kernel for many
// rows writes f16, one row has to write f16, too, and no kernel in place does.
TEST(GemmChosen, RowsOfFilesInPlace) {
    for_some_cpus([](const Cpu&) {
        for_each_variant([](const std::string& name, kai_gemm_problem p) {
            if (p.b_kind != KAI_GEMM_GGUF || p.b_constant) {
                return;
            }
            const kai_ukernel* reader = in_place(p.gguf_type);
            for (const size_t m : {1, 2, 3, 4, 5, 7, 12, 13, 64}) {
                p.m = m;
                kai_gemm_problem constant = p;
                constant.b_constant = true;
                const kai_gemm_plan plan = plan_of(p), packed = plan_of(constant);
                const bool may = reader != nullptr && (reader->features != 0 || packed.gemm.ukernel->features == 0);
                const bool few = m <= (p.groups ? 4 * p.batch : 4);
                const bool gemm = may && few, gemv = gemm || (may && packed.gemm.ukernel->dst_type == kai_dt_f32);
                ASSERT_EQ(plan.gemm.ukernel, gemm ? reader : packed.gemm.ukernel) << name << ", m " << m;
                ASSERT_EQ(plan.gemv.ukernel, gemv ? reader : packed.gemv.ukernel) << name << ", m " << m;
                ASSERT_EQ(plan.rhs_packer, gemm ? nullptr : packed.rhs_packer) << name << ", m " << m;
                ASSERT_EQ(plan.copies_columns, !gemm && packed.copies_columns) << name << ", m " << m;
                ASSERT_EQ(plan.problem.bl, gemm ? 0 : packed.problem.bl) << name << ", m " << m;
                ASSERT_EQ(
                    plan.direct, p.alpha == 1 && plan.gemm.ukernel->dst_type == p.c_type &&
                                     (!p.bias || (!gemm && !gemv && kai::packs_bias(*packed.rhs_packer))))
                    << name << ", m " << m;
                ASSERT_EQ(plan.packed_b_size, 0U);
            }
        });
    });
}

// What no kernel multiplies as it is, is dequantised and multiplied as constant f32.
TEST(GemmChosen, DequantisedRowsAreFloats) {
    for_some_cpus([](const Cpu&) {
        for_each_variant([](const std::string& name, const kai_gemm_problem& p) {
            if (p.b_kind != KAI_GEMM_GGUF || is_packed_by_type(p.gguf_type)) {
                return;
            }
            for (const bool bf16 : {false, true}) {
                for (const bool f16 : {false, true}) {
                    kai_gemm_problem q = p, dense = p;
                    q.allow_bf16 = dense.allow_bf16 = bf16, q.allow_f16 = dense.allow_f16 = f16;
                    dense.b_kind = KAI_GEMM_DENSE, dense.b_constant = true;
                    check_same(dense, q, name);
                    ASSERT_TRUE(plan_of(q).copies_columns) << name;
                }
            }
        });
    });
}

// The table for this CPU and those that it can play. (Portable kernels: of a host that is not AArch64.)
TEST(GemmChosen, DISABLED_Print) {
    std::map<std::string, std::vector<std::string>> problems_of;  // by the rows
    for (const auto& [name, p] : plain_problems()) {
        std::string text;
        Chosen last;
        for_each_cpu([&, &p = p](const Cpu& cpu) {
            const Chosen c = chosen(p);
            if (!(c == last)) {
                text += std::string("KAI_CHOSEN(") + cpu.name + ",\n    \"" + c.many + "\"";
                text += c.many == c.one && c.one == c.alone ? "" : ",\n    \"" + c.one + "\"";
                text += c.one == c.alone ? ")\n" : ",\n    \"" + c.alone + "\")\n";
                last = cpu.sve_bytes == 0 ? c : last;
            }
        });
        problems_of[text].push_back(name);
    }
    for (const auto& [rows, problems] : problems_of) {
        std::string all, line = "KAI_PROBLEMS(";
        for (const std::string& name : problems) {
            line += &name == &problems.front() ? "" : ",";
            const bool fits = line.size() + name.size() < 110;
            all += fits ? "" : line + "\n";
            line = (fits ? line : "   ") + (line.back() == '(' ? "\"" : " \"") + name + "\"";
        }
        std::printf("\n%s%s)\n%s", all.c_str(), line.c_str(), rows.c_str());
    }
}

}  // namespace
}  // namespace test::gemm
