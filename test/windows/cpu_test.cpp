// kai_cpu.cpp as it is on Windows on Arm, compiled for this host with a system of its own: each number of winnt.h is
// the feature that it should be, and what the system does not know or does not say is absent, SME above all.
//
// SPDX-License-Identifier: Apache-2.0
#include <windows.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "kai/engines/core/cpu.hpp"
#include "kai/kai_cpu.h"

namespace {

std::set<unsigned long> known;  // what the system says TRUE to
std::set<unsigned long> asked;
std::vector<unsigned long long> registry;  // "CP 4000" of each core; 0: there is no such value
unsigned current = 0;                      // the core that runs this
int failures = 0;

void expect(bool holds, const char* what, unsigned long number) {
    if (!holds) {
        std::printf("FAILED: %s (%lu)\n", what, number);
        ++failures;
    }
}

/// PF_ARM_... of winnt.h (Windows SDK 26100).
constexpr struct {
    unsigned long number;
    kai_cpu_feature feature;
} kNumbers[] = {
    {19, KAI_CPU_NEON},     // NEON_INSTRUCTIONS_AVAILABLE
    {43, KAI_CPU_DOTPROD},  // V82_DP_INSTRUCTIONS_AVAILABLE
    {46, KAI_CPU_SVE},       {47, KAI_CPU_SVE2}, {48, KAI_CPU_SVE2P1},
    {57, KAI_CPU_SVE_I8MM},  {66, KAI_CPU_I8MM},  // V82_I8MM_INSTRUCTIONS_AVAILABLE
    {67, KAI_CPU_FP16},                           // V82_FP16_INSTRUCTIONS_AVAILABLE
    {68, KAI_CPU_BF16},                           // V86_BF16_INSTRUCTIONS_AVAILABLE
    {70, KAI_CPU_SME},       {71, KAI_CPU_SME2}, {72, KAI_CPU_SME2P1},
    {47, KAI_CPU_FHM},  // no number of its own: CPUs with SVE2 have it
    {81, KAI_CPU_SME_F8F32},
};

}  // namespace

extern "C" {

int IsProcessorFeaturePresent(unsigned long feature) {
    asked.insert(feature);
    return known.count(feature) != 0 ? 1 : 0;
}

int RegGetValueA(HKEY key, const char* path, const char* name, DWORD types, DWORD* type, void* value, DWORD* size) {
    constexpr int kNotFound = 2;  // ERROR_FILE_NOT_FOUND
    const std::string folder = "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\", at = path;
    expect(
        key == HKEY_LOCAL_MACHINE && at.compare(0, folder.size(), folder) == 0 && std::string(name) == "CP 4000" &&
            types == RRF_RT_REG_QWORD && type == nullptr && *size == 8,
        "another value of the registry is asked for", 0);
    const size_t core = std::strtoul(at.c_str() + folder.size(), nullptr, 10);
    if (core >= registry.size() || registry[core] == 0) {
        return kNotFound;
    }
    std::memcpy(value, &registry[core], 8);
    return 0;
}

DWORD GetCurrentProcessorNumber() {
    return current;
}

void kai_fail(const char* function, const char* /*format*/, ...) {
    std::printf("FAILED: %s refuses\n", function);
    std::abort();
}

/// Vector lengths are read from the CPU only if the system says that there are vectors.
size_t kai_get_sve_vector_length_u8() {
    expect(known.count(46) != 0, "the length of SVE vectors is read without SVE", 46);
    return 32;
}
size_t kai_get_sme_vector_length_u8() {
    expect(known.count(70) != 0, "the length of SME vectors is read without SME", 70);
    return 64;
}
}

int main() {
    kai_cpu_forget();
    expect(kai_cpu_features() == 0, "a system that says nothing has no feature", 0);
    expect(kai_cpu_sve_bytes() == 0 && kai_cpu_sme_bytes() == 0, "nor vectors", 0);
    expect(asked.size() == std::size(kNumbers) - 1, "each feature has its number, but FHM that of SVE2", asked.size());
    // Windows has no number of these.
    for (const auto feature : {KAI_CPU_FAMINMAX, KAI_CPU_LUT, KAI_CPU_FP8DOT4, KAI_CPU_F8F32MM, KAI_CPU_SME_MOP4}) {
        expect(
            std::string(kai_cpu_query(feature).reason) == "Windows cannot tell", "the reason of a feature without one",
            feature);
    }
    expect(std::size(kNumbers) + 5 == KAI_CPU_FEATURE_COUNT, "a feature is in neither list", KAI_CPU_FEATURE_COUNT);
    for (unsigned long number = 0; number < 128; ++number) {
        known = {number};
        kai_cpu_forget();
        uint64_t expected = 0;
        for (const auto& n : kNumbers) {
            expected |= n.number == number ? uint64_t{1} << n.feature : 0;
        }
        expect(kai_cpu_features() == expected, "this number is another feature", number);
        expect((kai_cpu_sve_bytes() != 0) == (number == 46), "vectors of SVE", number);
        expect((kai_cpu_sme_bytes() != 0) == (number == 70), "vectors of SME", number);
    }
    // A Snapdragon X: everything of its CPU, no SVE.
    known = {19, 43, 66, 67, 68};
    kai_cpu_forget();
    const char* reason = kai_cpu_query(KAI_CPU_SME).reason;
    expect(
        !kai_cpu_query(KAI_CPU_SME).present && std::strstr(reason, "IsProcessorFeaturePresent(70)") != nullptr,
        "it has no SME, and the reason says how that is known", 70);
    expect(kai_cpu_query(KAI_CPU_I8MM).present, "it has i8mm", 66);
    // Cores by their MIDR_EL1: the fastest one counts.
    constexpr unsigned long long kA55 = 0x412FD050, kA510 = 0x411FD461, kOryon = 0x511F0011;
    const struct {
        std::vector<unsigned long long> midrs;
        kai_cpu_core fastest, last;
    } machines[] = {
        {{}, KAI_CORE_GENERIC, KAI_CORE_GENERIC},
        {{0}, KAI_CORE_GENERIC, KAI_CORE_GENERIC},
        {{kOryon, kOryon}, KAI_CORE_GENERIC, KAI_CORE_GENERIC},
        {{kA55, kA55}, KAI_CORE_CORTEX_A55, KAI_CORE_CORTEX_A55},
        {{kA55, kA510}, KAI_CORE_CORTEX_A510, KAI_CORE_CORTEX_A510},
        {{kA510, kA55}, KAI_CORE_CORTEX_A510, KAI_CORE_CORTEX_A55},
        {{kOryon, kA55}, KAI_CORE_GENERIC, KAI_CORE_CORTEX_A55},
    };
    for (const auto& machine : machines) {
        registry = machine.midrs, current = registry.empty() ? 0 : static_cast<unsigned>(registry.size() - 1);
        kai_cpu_forget();
        expect(kai_cpu_fastest_core().core == machine.fastest, "the class of the fastest core", registry.size());
        expect(kai_cpu_this_core().core == machine.last, "the class of this core", registry.size());
        const bool told = !registry.empty() && registry[0] != 0;
        expect(
            (std::strstr(kai_cpu_fastest_core().reason, "registry") != nullptr) == told, "how that is known",
            registry.size());
    }
    std::printf(failures == 0 ? "Windows on Arm: %zu features\n" : "%zu features, wrong\n", std::size(kNumbers));
    return failures == 0 ? 0 : 1;
}
