// CPU features: AT_HWCAP* on Linux and Android, sysctl on Apple systems, IsProcessorFeaturePresent on Windows.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/kai_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "kai/kai_common.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(_WIN32) && (defined(__aarch64__) || defined(_M_ARM64))
#include <windows.h>
#endif

namespace {

/// How each system names a feature. Linux: bit of AT_HWCAP (0-63) or of AT_HWCAP2 (64-127). Windows: PF_ARM_*.
struct FeatureName {
    const char* name;
    kai_cpu_feature builds_on;  // hidden along with it; itself if none
    int linux_bit;
    const char* apple;
    int windows;
};

// The numbers are those of the Linux ABI (asm/hwcap.h) and of winnt.h: old headers lack the newer names.
constexpr FeatureName kFeatures[KAI_CPU_FEATURE_COUNT] = {
    {"neon", KAI_CPU_NEON, 1, "hw.optional.AdvSIMD", 19},
    {"fp16", KAI_CPU_NEON, 10, "hw.optional.arm.FEAT_FP16", 67},
    {"dotprod", KAI_CPU_NEON, 20, "hw.optional.arm.FEAT_DotProd", 43},
    {"i8mm", KAI_CPU_NEON, 64 + 13, "hw.optional.arm.FEAT_I8MM", 66},
    {"bf16", KAI_CPU_NEON, 64 + 14, "hw.optional.arm.FEAT_BF16", 68},
    {"sve", KAI_CPU_NEON, 22, nullptr, 46},
    {"svei8mm", KAI_CPU_SVE, 64 + 9, nullptr, 57},
    {"sve2", KAI_CPU_SVE, 64 + 1, nullptr, 47},
    {"sve2p1", KAI_CPU_SVE2, 64 + 36, nullptr, 48},
    {"sme", KAI_CPU_NEON, 64 + 23, "hw.optional.arm.FEAT_SME", 70},
    {"sme2", KAI_CPU_SME, 64 + 37, "hw.optional.arm.FEAT_SME2", 71},
    {"sme2p1", KAI_CPU_SME2, 64 + 38, "hw.optional.arm.FEAT_SME2p1", 72},
};

/// What the operating system says.
kai_cpu_answer ask_system([[maybe_unused]] const FeatureName& feature) {
#if defined(__aarch64__) && defined(__linux__)
    const bool second = feature.linux_bit >= 64;
    const bool present = (getauxval(second ? AT_HWCAP2 : AT_HWCAP) >> (feature.linux_bit % 64)) & 1;
    if (second) {
        return {
            present, present ? "the kernel sets its bit in AT_HWCAP2" : "the kernel does not set its bit in AT_HWCAP2"};
    }
    return {present, present ? "the kernel sets its bit in AT_HWCAP" : "the kernel does not set its bit in AT_HWCAP"};
#elif defined(__aarch64__) && defined(__APPLE__)
    int value = 0;
    size_t size = sizeof(value);
    if (feature.apple == nullptr) {
        return {false, "Apple CPUs do not have it"};
    }
    if (sysctlbyname(feature.apple, &value, &size, nullptr, 0) != 0) {
        return {false, "this system does not know its sysctl name"};
    }
    return {value != 0, value != 0 ? "its sysctl is 1" : "its sysctl is 0"};
#elif defined(_WIN32) && (defined(__aarch64__) || defined(_M_ARM64))
    const bool present = IsProcessorFeaturePresent(feature.windows) != 0;
    return {present, present ? "IsProcessorFeaturePresent says so" : "IsProcessorFeaturePresent does not report it"};
#else
    return {false, "this is not an AArch64 CPU, or an unknown system"};
#endif
}

/// Whether KLEIDIAI_CPU_DISABLE lists `name`, as a whole word between commas.
bool hidden_by_user(const char* name) {
    const char* list = getenv("KLEIDIAI_CPU_DISABLE");
    for (size_t length; list != nullptr && *list != 0; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        const bool all = length == 3 && strncmp(list, "all", 3) == 0 && strcmp(name, "neon") != 0;
        if (all || (length == strlen(name) && strncmp(list, name, length) == 0)) {
            return true;
        }
    }
    return false;
}

}  // namespace

extern "C" {

const char* kai_cpu_feature_name(kai_cpu_feature feature) {
    return feature < KAI_CPU_FEATURE_COUNT ? kFeatures[feature].name : nullptr;
}

kai_cpu_answer kai_cpu_query(kai_cpu_feature feature) {
    if (feature >= KAI_CPU_FEATURE_COUNT) {
        return {false, "there is no such feature"};
    }
    for (kai_cpu_feature f = feature;; f = kFeatures[f].builds_on) {
        if (hidden_by_user(kFeatures[f].name)) {
            return {false, "KLEIDIAI_CPU_DISABLE hides it"};
        }
        if (kFeatures[f].builds_on == f) {
            break;
        }
    }
    return ask_system(kFeatures[feature]);
}

uint64_t kai_cpu_features() {
    uint64_t features = 0;
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
        features |= uint64_t{kai_cpu_query(static_cast<kai_cpu_feature>(i)).present} << i;
    }
    return features;
}

size_t kai_cpu_sve_bytes() {
    return kai_cpu_query(KAI_CPU_SVE).present ? kai_get_sve_vector_length_u8() : 0;
}

size_t kai_cpu_sme_bytes() {
    return kai_cpu_query(KAI_CPU_SME).present ? kai_get_sme_vector_length_u8() : 0;
}

}  // extern "C"
