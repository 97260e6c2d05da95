// Prints docs/which-kernel.md: what the planner of the GEMM layer chooses on named CPUs, by kind of weights, for one
// row and for many. It runs on one CPU that has all features, or an emulator of one: for each named CPU features are
// hidden (KLEIDIAI_CPU_DISABLE) and vectors set to its length (prctl). Returns 77 where that is not possible.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kai/engines/core/cpu.hpp"
#include "kai/gemm/kai_gemm.h"
#if defined(__linux__) && defined(__aarch64__)
#include <sys/prctl.h>
#endif

namespace {

/// Features after NEON, by the names of kai_cpu_feature_name; vectors in bits, 0 without them.
struct Cpu {
    const char* name;
    const char* where;
    const char* has;
    int sve_bits, sme_bits;
    kai_cpu_core core = KAI_CORE_GENERIC;
};
constexpr const char* kArmv86 = "fp16 fhm dotprod i8mm bf16";
constexpr const char* kArmv9 = "fp16 fhm dotprod i8mm bf16 sve svei8mm sve2";
constexpr const char* kVera = "fp16 fhm dotprod i8mm bf16 sve svei8mm sve2 faminmax lut fp8dot4";
constexpr Cpu kCpus[] = {
    {"Cortex-A53", "Raspberry Pi 3", "", 0, 0, KAI_CORE_CORTEX_A55},
    {"Cortex-A72", "Raspberry Pi 4, Graviton", "", 0, 0},
    {"Cortex-A55", "little cores of phones", "fp16 dotprod", 0, 0, KAI_CORE_CORTEX_A55},
    {"Cortex-A76", "Raspberry Pi 5", "fp16 dotprod", 0, 0},
    {"Neoverse N1", "Graviton2, Ampere Altra", "fp16 dotprod", 0, 0},
    {"Apple M1", "", "fp16 fhm dotprod", 0, 0},
    {"Apple M2", "also M3", kArmv86, 0, 0},
    {"A64FX", "Fugaku", "fp16 sve", 512, 0},
    {"Cortex-A510", "little cores of phones", kArmv9, 128, 0, KAI_CORE_CORTEX_A510},
    {"Neoverse V1", "Graviton3", "fp16 fhm dotprod i8mm bf16 sve svei8mm", 256, 0},
    {"Neoverse V2", "Graviton4, Grace", kArmv9, 128, 0},
    {"Vera", "Olympus cores", kVera, 128, 0},
    {"Apple M4", "", "fp16 fhm dotprod i8mm bf16 sme sme2", 0, 512},
    {"C1-Ultra", "phones of 2025", "fp16 fhm dotprod i8mm bf16 sve svei8mm sve2 sme sme2", 128, 512}};

struct Weights {
    const char* name;
    kai_gemm_kind kind;
    uint32_t gguf_type = 0;
    kai_datatype type = kai_dt_f32;  // of A, C and dense B
    bool allow_bf16 = false, allow_f16 = false;
    kai_datatype c_type = kai_dt_unknown;  // of C, if it is another one
};
constexpr Weights kWeights[] = {
    {"f32", KAI_GEMM_DENSE},
    {"f32, `allow_bf16`", KAI_GEMM_DENSE, 0, kai_dt_f32, true},
    {"f16, also A and C", KAI_GEMM_DENSE, 0, kai_dt_f16},
    {"f16, `allow_f16`", KAI_GEMM_DENSE, 0, kai_dt_f16, false, true},
    {"int8, scale per channel", KAI_GEMM_INT8_CHANNEL},
    {"int4, scale per channel", KAI_GEMM_INT4_CHANNEL},
    {"2 bits, scale per channel", KAI_GEMM_INT2_CHANNEL},
    {"int4, bf16 scale per 32", KAI_GEMM_INT4_BLOCK},
    {"int4, f16 scale per 32 (Q4_0)", KAI_GEMM_INT4_BLOCK_F16},
    {"int4, f32 scale and zero per 32", KAI_GEMM_INT4_BLOCK_ZERO},
    {"int8, f16 scale per 32 (Q8_0)", KAI_GEMM_INT8_BLOCK_F16},
    {"GGUF Q4_K", KAI_GEMM_GGUF, KAI_GGUF_Q4_K},
    {"GGUF Q5_K", KAI_GEMM_GGUF, KAI_GGUF_Q5_K},
    {"GGUF Q6_K", KAI_GEMM_GGUF, KAI_GGUF_Q6_K},
    {"GGUF IQ4_XS", KAI_GEMM_GGUF, KAI_GGUF_IQ4_XS},
    {"GGUF IQ4_NL", KAI_GEMM_GGUF, KAI_GGUF_IQ4_NL},
    {"GGUF MXFP4", KAI_GEMM_GGUF, KAI_GGUF_MXFP4},
    {"8-bit floats (E4M3), scale per 128", KAI_GEMM_F8E4M3_BLOCK},
    {"static int8, also A and C", KAI_GEMM_INT8_STATIC, 0, kai_dt_int8},
    {"static 2 bits, A and C int8", KAI_GEMM_INT2_STATIC, 0, kai_dt_int8},
    {"uint8 of gemmlowp", KAI_GEMM_UINT8_LOWP, 0, kai_dt_uint8},
    {"int8 of TensorFlow Lite", KAI_GEMM_INT8_LOWP, 0, kai_dt_int8},
    {"uint8 to int32 sums", KAI_GEMM_UINT8_LOWP, 0, kai_dt_uint8, false, false, kai_dt_int32},
    {"int8 to int32 sums", KAI_GEMM_INT8_LOWP, 0, kai_dt_int8, false, false, kai_dt_int32}};

/// Makes this CPU look like `cpu`. False if a feature is missing, or vectors cannot have that length.
bool become(const Cpu& cpu) {
    unsetenv("KLEIDIAI_CPU_DISABLE");
    kai_cpu_forget();
    const std::string has = std::string(" neon ") + cpu.has + " ";
    std::string hidden;
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
        const auto feature = static_cast<kai_cpu_feature>(i);
        const std::string name = kai_cpu_feature_name(feature);
        if (has.find(" " + name + " ") == std::string::npos) {
            hidden += name + " ";
        } else if (!kai_cpu_query(feature).present) {
            return false;
        }
    }
    setenv("KLEIDIAI_CPU_DISABLE", hidden.c_str(), 1);
    kai_cpu_forget();
    for (const auto& [set, bits] : {std::pair<int, int>{50, cpu.sve_bits}, {63, cpu.sme_bits}}) {  // PR_SVE_SET_VL, SME
#if defined(__linux__) && defined(__aarch64__)
        if (bits != 0 && (prctl(set, bits / 8, 0, 0, 0) & 0xFFFF) != bits / 8) {
            return false;
        }
#else
        (void)set, (void)bits;
#endif
    }
    return kai_cpu_sve_bytes() == static_cast<size_t>(cpu.sve_bits) / 8 &&
           kai_cpu_sme_bytes() == static_cast<size_t>(cpu.sme_bits) / 8;
}

kai_gemm_plan plan_of(const Weights& weights, kai_cpu_core core) {
    kai_gemm_problem problem = kai_gemm_problem_of(512, 4096, 4096);
    problem.b_kind = weights.kind, problem.gguf_type = static_cast<kai_gguf_type_id>(weights.gguf_type);
    problem.a_type = problem.b_type = weights.type;
    problem.c_type = weights.c_type != kai_dt_unknown ? weights.c_type : weights.type;
    problem.allow_bf16 = weights.allow_bf16, problem.allow_f16 = weights.allow_f16;
    problem.core = core;
    problem.b_constant = true, problem.b_transposed = weights.kind != KAI_GEMM_INT8_STATIC;
    const bool blocks = weights.kind == KAI_GEMM_INT4_BLOCK || weights.kind == KAI_GEMM_INT4_BLOCK_F16 ||
                        weights.kind == KAI_GEMM_INT4_BLOCK_ZERO || weights.kind == KAI_GEMM_INT8_BLOCK_F16;
    problem.bl = blocks ? 32 : weights.kind == KAI_GEMM_F8E4M3_BLOCK ? 128 : 0;
    problem.c_min = -128, problem.c_max = 127, problem.multiplier = 1;
    kai_gemm_plan plan;
    if (kai_gemm_make_plan(&problem, &plan) != KAI_GEMM_OK) {
        std::fprintf(stderr, "%s: %s\n", weights.name, plan.reason);
        std::exit(1);
    }
    return plan;
}

/// The instructions at the end of a name: "neon_i8mm", "sme2_mopa", "portable".
std::string instructions(const std::string& name) {
    for (const char* isa : {"_neon_", "_sve_", "_sve2p1_", "_sme_", "_sme2_", "_portable"}) {
        const size_t at = name.rfind(isa);
        if (at != std::string::npos) {
            return name.substr(at + 1);
        }
    }
    return name;
}

/// What a table says of some CPUs: its rows, and the instructions for each kind of weights.
struct Choices {
    std::string rows;
    std::vector<std::string> brief;
};
Choices choices(kai_cpu_core core) {
    Choices all;
    for (const Weights& weights : kWeights) {
        const kai_gemm_plan plan = plan_of(weights, core);
        const std::string one = plan.gemv.ukernel->name, many = plan.gemm.ukernel->name;
        const std::string a = instructions(one), b = instructions(many);
        all.brief.push_back(a == b ? a : a + ", " + b);
        all.rows += std::string("| ") + weights.name + " | `" + one + "` | " +
                    (many == one ? "the same" : "`" + many + "`") + " | `" + plan.format.name + "`, nr " +
                    std::to_string(plan.format.nr) + " |\n";
    }
    return all;
}

std::string joined(const std::vector<const Cpu*>& cpus) {
    std::string text;
    for (const Cpu* cpu : cpus) {
        text += (text.empty() ? "" : ", ") + std::string(cpu->name);
    }
    return text;
}

std::string anchor(const std::string& title) {
    std::string slug;
    for (const char c : title) {
        slug += c == ' ' ? "-" : c == ',' ? "" : std::string(1, static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c));
    }
    return slug;
}

}  // namespace

int main() {
    std::vector<std::pair<Choices, std::vector<const Cpu*>>> groups;  // CPUs for which all choices are the same
    for (const Cpu& cpu : kCpus) {
        if (!become(cpu)) {
            std::fprintf(stderr, "this CPU cannot look like %s\n", cpu.name);
            return 77;
        }
        const Choices here = choices(cpu.core);
        size_t i = 0;
        while (i < groups.size() && groups[i].first.rows != here.rows) {
            ++i;
        }
        if (i == groups.size()) {
            groups.emplace_back(here, std::vector<const Cpu*>());
        }
        groups[i].second.push_back(&cpu);
    }
    std::puts(
        "# Which kernel runs where\n\n"
        "Generated by `tools/which_kernel.cpp`, which runs the planner of the GEMM layer with the features of each "
        "CPU, for\n"
        "its [class of cores](performance/cores.md): the target `update_which_kernel` of a cross build. Nothing ran on "
        "these CPUs.\n\n"
        "Find your CPU, then your weights. m = 512, n = k = 4096, B packed once, one thread, one SME unit. Other "
        "shapes,\n"
        "bf16 or f16 results, and `sme_units` 0 may give other kernels: `kai_gemm_explain` says which, and why.\n\n"
        "| CPU | for example | features after NEON | vectors, bits | table |\n|---|---|---|---|---|");
    for (const Cpu& cpu : kCpus) {
        for (const auto& [all, cpus] : groups) {
            for (const Cpu* here : cpus) {
                if (here == &cpu) {
                    const std::string sve = cpu.sve_bits == 0 ? "" : "SVE " + std::to_string(cpu.sve_bits);
                    const std::string sme = cpu.sme_bits == 0 ? "" : "SME " + std::to_string(cpu.sme_bits);
                    std::printf(
                        "| %s | %s | %s | %s%s%s | [%s](#%s) |\n", cpu.name, cpu.where, cpu.has, sve.c_str(),
                        sve.empty() || sme.empty() ? "" : ", ", sme.c_str(), cpus.front()->name,
                        anchor(joined(cpus)).c_str());
                }
            }
        }
    }
    std::printf("\n## In short\n\nThe instructions of the kernels: one row, many rows.\n\n| weights |");
    for (const auto& [all, cpus] : groups) {
        std::printf(" %s |", joined(cpus).c_str());
    }
    std::printf("\n|---|");
    for (size_t i = 0; i < groups.size(); ++i) {
        std::printf("---|");
    }
    size_t row = 0;
    for (const Weights& weights : kWeights) {
        std::printf("\n| %s |", weights.name);
        for (const auto& [all, cpus] : groups) {
            std::printf(" %s |", all.brief[row].c_str());
        }
        ++row;
    }
    std::puts("");
    for (const auto& [all, cpus] : groups) {
        std::printf(
            "\n## %s\n\n| weights | one row | many rows | B packed as |\n|---|---|---|---|\n%s", joined(cpus).c_str(),
            all.rows.c_str());
    }
    return 0;
}
