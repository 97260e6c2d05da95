// CPU features: AT_HWCAP* on Linux and Android, sysctl on Apple systems, IsProcessorFeaturePresent on Windows.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/kai_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "kai/engines/core/check.hpp"
#include "kai/engines/core/cpu.hpp"
#include "kai/words.hpp"

// What a feature's reason says.
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#define KAI_PRESENT(HWCAP, BIT, APPLE, WINDOWS) #HWCAP " bit " #BIT " is set"
#define KAI_ABSENT(HWCAP, BIT, APPLE, WINDOWS) #HWCAP " bit " #BIT " is not set"
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#define KAI_PRESENT(HWCAP, BIT, APPLE, WINDOWS) "sysctl " #APPLE " is 1"
#define KAI_ABSENT(HWCAP, BIT, APPLE, WINDOWS) "sysctl " #APPLE " is 0 or unknown"
#elif defined(_WIN32) && (defined(__aarch64__) || defined(_M_ARM64))
#include <windows.h>
#define KAI_PRESENT(HWCAP, BIT, APPLE, WINDOWS) "IsProcessorFeaturePresent(" #WINDOWS ") is TRUE"
#define KAI_ABSENT(HWCAP, BIT, APPLE, WINDOWS) \
    ((WINDOWS) < 0 ? "Windows cannot tell" : "IsProcessorFeaturePresent(" #WINDOWS ") is FALSE")
#else
#define KAI_PRESENT(HWCAP, BIT, APPLE, WINDOWS) ""
#define KAI_ABSENT(HWCAP, BIT, APPLE, WINDOWS) "this is not an AArch64 CPU, or an unknown system"
#endif

namespace {

/// A feature, and how the system reports it.
struct Feature {
    const char* name;
    uint64_t builds_on;  // features that hide this one: bits
    unsigned word;       // Linux: 0 is AT_HWCAP, 1 AT_HWCAP2, 2 AT_HWCAP3
    unsigned bit;        // there
    const char* apple;   // name of the sysctl
    int windows;         // PF_ARM_*; -1: Windows has no number
    const char *present, *absent;
};

constexpr uint64_t bit(int feature) {
    return uint64_t{1} << feature;
}
constexpr uint64_t kAll = bit(KAI_CPU_FEATURE_COUNT) - 1;

constexpr const char* kDisable = "KLEIDIAI_CPU_DISABLE";
constexpr kai_cpu_answer kHidden = {false, "KLEIDIAI_CPU_DISABLE hides it"};

#define KAI_FEATURE(NAME, BUILDS_ON, HWCAP, BIT, APPLE, WINDOWS)                            \
    {                                                                                       \
        NAME, BUILDS_ON, #HWCAP[5] != 0 ? #HWCAP[5] - '1' : 0, BIT, #APPLE, WINDOWS,        \
            KAI_PRESENT(HWCAP, BIT, APPLE, WINDOWS), KAI_ABSENT(HWCAP, BIT, APPLE, WINDOWS) \
    }

// The numbers are those of the Linux ABI (asm/hwcap.h) and of winnt.h: old headers lack the newer names. Apple's names
// of what no Apple CPU has yet follow the pattern. Windows has no number of FHM, but one of SVE2: CPUs with it have
// FHM (Armv8.4 with FP16).
constexpr Feature kFeatures[KAI_CPU_FEATURE_COUNT] = {
    KAI_FEATURE("neon", 0, HWCAP, 1, hw.optional.AdvSIMD, 19),
    KAI_FEATURE("fp16", bit(KAI_CPU_NEON), HWCAP, 10, hw.optional.arm.FEAT_FP16, 67),
    KAI_FEATURE("dotprod", bit(KAI_CPU_NEON), HWCAP, 20, hw.optional.arm.FEAT_DotProd, 43),
    KAI_FEATURE("i8mm", bit(KAI_CPU_NEON), HWCAP2, 13, hw.optional.arm.FEAT_I8MM, 66),
    KAI_FEATURE("bf16", bit(KAI_CPU_NEON), HWCAP2, 14, hw.optional.arm.FEAT_BF16, 68),
    KAI_FEATURE("sve", bit(KAI_CPU_NEON), HWCAP, 22, hw.optional.arm.FEAT_SVE, 46),
    KAI_FEATURE("svei8mm", bit(KAI_CPU_SVE) | bit(KAI_CPU_I8MM), HWCAP2, 9, hw.optional.arm.FEAT_SVE_I8MM, 57),
    KAI_FEATURE("sve2", bit(KAI_CPU_SVE), HWCAP2, 1, hw.optional.arm.FEAT_SVE2, 47),
    KAI_FEATURE("sve2p1", bit(KAI_CPU_SVE2), HWCAP2, 36, hw.optional.arm.FEAT_SVE2p1, 48),
    KAI_FEATURE("sme", bit(KAI_CPU_NEON), HWCAP2, 23, hw.optional.arm.FEAT_SME, 70),
    KAI_FEATURE("sme2", bit(KAI_CPU_SME), HWCAP2, 37, hw.optional.arm.FEAT_SME2, 71),
    KAI_FEATURE("sme2p1", bit(KAI_CPU_SME2), HWCAP2, 38, hw.optional.arm.FEAT_SME2p1, 72),
    KAI_FEATURE("fhm", bit(KAI_CPU_FP16), HWCAP, 23, hw.optional.arm.FEAT_FHM, 47),
    KAI_FEATURE("faminmax", bit(KAI_CPU_NEON), HWCAP2, 50, hw.optional.arm.FEAT_FAMINMAX, -1),
    KAI_FEATURE("lut", bit(KAI_CPU_NEON), HWCAP2, 49, hw.optional.arm.FEAT_LUT, -1),
    KAI_FEATURE("fp8dot4", bit(KAI_CPU_NEON), HWCAP2, 53, hw.optional.arm.FEAT_FP8DOT4, -1),
    KAI_FEATURE("f8f32mm", bit(KAI_CPU_FP8DOT4), HWCAP, 35, hw.optional.arm.FEAT_F8F32MM, -1),
    KAI_FEATURE("smef8f32", bit(KAI_CPU_SME2), HWCAP2, 59, hw.optional.arm.FEAT_SME_F8F32, 81),
    KAI_FEATURE("smemop4", bit(KAI_CPU_SME2P1), HWCAP, 47, hw.optional.arm.FEAT_SME_MOP4, -1),
};

/// What the operating system says: bits.
uint64_t ask_system() {
    uint64_t present = 0;
#if defined(__aarch64__) && defined(__linux__)
    constexpr unsigned long kHwcap3 = 29;  // AT_HWCAP3, which old headers lack
    const uint64_t words[] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2), getauxval(kHwcap3)};
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
        present |= ((words[kFeatures[i].word] >> kFeatures[i].bit) & 1) << i;
    }
#elif defined(__aarch64__) && defined(__APPLE__)
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
        int value = 0;
        size_t size = sizeof(value);
        const bool has = sysctlbyname(kFeatures[i].apple, &value, &size, nullptr, 0) == 0 && value != 0;
        present |= has ? bit(i) : 0;
    }
#elif defined(_WIN32) && (defined(__aarch64__) || defined(_M_ARM64))
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
        const int number = kFeatures[i].windows;
        present |= number >= 0 && IsProcessorFeaturePresent(number) != 0 ? bit(i) : 0;
    }
#endif
    return present;
}

/// @name KLEIDIAI_CPU_DISABLE: names, upper or lower case, separated by commas, semicolons or white space
/// @{
constexpr const char* kSeparators = ",; \t\r\n\v\f";
using kai::is_word;

/// The features that a word hides by itself; 0 for an unknown word.
uint64_t hidden_by(const char* word, size_t length) {
    if (is_word(word, length, "all")) {
        return kAll & ~bit(KAI_CPU_NEON);
    }
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
        if (is_word(word, length, kFeatures[i].name)) {
            return bit(i);
        }
    }
    return 0;
}

/// Calls visit(word, length) for each word of the list.
template <typename Visit>
void for_each_word(const char* list, Visit visit) {
    while (list != nullptr && *(list += strspn(list, kSeparators)) != 0) {
        const size_t length = strcspn(list, kSeparators);
        visit(list, length);
        list += length;
    }
}

/// The features that the list hides, including those that depend on them.
uint64_t hidden_by_user(const char* list) {
    uint64_t hidden = 0;
    for_each_word(list, [&](const char* word, size_t length) { hidden |= hidden_by(word, length); });
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {  // a feature comes after those that it depends on
        hidden |= (hidden & kFeatures[i].builds_on) != 0 ? bit(i) : 0;
    }
    return hidden;
}

void report_unknown_words(const char* list) {
    for_each_word(list, [](const char* word, size_t length) {
        if (hidden_by(word, length) == 0) {
            fprintf(stderr, "%s: no feature \"%.*s\"; there are: all", kDisable, static_cast<int>(length), word);
            for (const Feature& feature : kFeatures) {
                fprintf(stderr, " %s", feature.name);
            }
            fputc('\n', stderr);
        }
    });
}
/// @}

/// @name The known features: two words that are written once, so that concurrent queries need no lock
/// @{
struct Features {
    uint64_t system;  ///< What the system has.
    uint64_t hidden;  ///< What the user hides.
};
constexpr uint64_t kAsked = uint64_t{1} << 63;  // in both words; a word without it is not written yet
static_assert(KAI_CPU_FEATURE_COUNT <= 63, "bits 0-62 are for features");
Features known_features;

/// Writes a word, unless another thread was first: then returns false, and `answer` is that thread's.
// NOLINTNEXTLINE(readability-non-const-parameter): __atomic_compare_exchange_n writes to it
bool remember(uint64_t* word, uint64_t* answer) {
    uint64_t expected = 0;
    if (__atomic_compare_exchange_n(word, &expected, *answer, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        return true;
    }
    *answer = expected;
    return false;
}

[[gnu::noinline, gnu::cold]] Features ask() {
    const char* list = getenv(kDisable);
    Features answer = {kAsked | ask_system(), kAsked | hidden_by_user(list)};
    remember(&known_features.system, &answer.system);
    // Threads that ask at the same time get the same answer; the first one reports.
    if (remember(&known_features.hidden, &answer.hidden)) {
        report_unknown_words(list);
    }
    return answer;
}

Features known() {
    const Features features = {
        __atomic_load_n(&known_features.system, __ATOMIC_RELAXED),
        __atomic_load_n(&known_features.hidden, __ATOMIC_RELAXED)};
    return (features.system & features.hidden & kAsked) != 0 ? features : ask();
}
/// @}

[[noreturn, gnu::cold]] void fail_without(kai_cpu_feature feature, const char* prefix, const char* name) {
    char function[160];
    snprintf(function, sizeof(function), "%s%s", prefix, name);
    kai::fail(function, kai::say::no_vector_length, feature == KAI_CPU_SME ? "SME" : "SVE", kFeatures[feature].absent);
}

}  // namespace

extern "C" {

const char* kai_cpu_feature_name(kai_cpu_feature feature) {
    const auto index = static_cast<unsigned>(feature);
    return index < KAI_CPU_FEATURE_COUNT ? kFeatures[index].name : nullptr;
}

kai_cpu_answer kai_cpu_query(kai_cpu_feature feature) {
    const auto index = static_cast<unsigned>(feature);
    if (index >= KAI_CPU_FEATURE_COUNT) {
        return {false, "there is no such feature"};
    }
    const Features features = known();
    if ((features.hidden >> index) & 1) {
        return kHidden;
    }
    const bool present = (features.system >> index) & 1;
    return {present, present ? kFeatures[index].present : kFeatures[index].absent};
}

uint64_t kai_cpu_features() {
    const Features features = known();
    return features.system & ~features.hidden & kAll;
}

uint64_t kai_cpu_system_features() {
    return known().system & kAll;
}

void kai_cpu_forget() {
    __atomic_store_n(&known_features.system, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&known_features.hidden, 0, __ATOMIC_RELAXED);
    kai_cpu_forget_core();
}

size_t kai_cpu_sve_bytes() {
    return (kai_cpu_features() & bit(KAI_CPU_SVE)) != 0 ? kai_get_sve_vector_length_u8() : 0;
}

size_t kai_cpu_sme_bytes() {
    return (kai_cpu_features() & bit(KAI_CPU_SME)) != 0 ? kai_get_sme_vector_length_u8() : 0;
}

size_t kai_checked_sme_words(size_t n, const char* prefix, const char* name) {
    if (__builtin_expect((known().system & bit(KAI_CPU_SME)) == 0, 0)) {
        fail_without(KAI_CPU_SME, prefix, name);
    }
    return n * kai_get_sme_vector_length_u32();
}

size_t kai_checked_sve_words(size_t n, const char* prefix, const char* name) {
    if (__builtin_expect((known().system & bit(KAI_CPU_SVE)) == 0, 0)) {
        fail_without(KAI_CPU_SVE, prefix, name);
    }
    return n * kai_get_sve_vector_length_u32();
}

}  // extern "C"
