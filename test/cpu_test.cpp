// SPDX-License-Identifier: Apache-2.0
#include "kai/kai_cpu.h"

#include <gtest/gtest.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "test/support/disabled_features.hpp"
#include "test/support/threads.hpp"

namespace {

using Disable = test::DisabledFeatures;

bool has(kai_cpu_feature feature) {
    return kai_cpu_query(feature).present;
}

/// The features while KLEIDIAI_CPU_DISABLE is `list`; what goes to stderr meanwhile goes to `report`.
uint64_t features_without(const char* list, std::string* report = nullptr) {
    const Disable disable(list);
    testing::internal::CaptureStderr();
    const uint64_t features = kai_cpu_features();
    const std::string text = testing::internal::GetCapturedStderr();
    if (report != nullptr) {
        *report = text;
    }
    return features;
}

constexpr uint64_t bit(kai_cpu_feature feature) {
    return uint64_t{1} << feature;
}

TEST(Cpu, EveryFeatureHasAUniqueNameAndAReason) {
    std::set<std::string> names;
    uint64_t features = 0;
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
        const auto feature = static_cast<kai_cpu_feature>(i);
        ASSERT_NE(kai_cpu_feature_name(feature), nullptr);
        EXPECT_TRUE(names.insert(kai_cpu_feature_name(feature)).second);
        const kai_cpu_answer answer = kai_cpu_query(feature);
        ASSERT_NE(answer.reason, nullptr);
        EXPECT_STRNE(answer.reason, "");
        features |= uint64_t{answer.present} << i;
    }
    EXPECT_EQ(kai_cpu_features(), features);
}

TEST(Cpu, NoSuchFeature) {
    for (const int i : {-1, -2, static_cast<int>(KAI_CPU_FEATURE_COUNT), 63, 64, 1000000, -2147483647 - 1}) {
        const auto feature = static_cast<kai_cpu_feature>(i);
        EXPECT_EQ(kai_cpu_feature_name(feature), nullptr) << i;
        EXPECT_FALSE(has(feature)) << i;
        EXPECT_STREQ(kai_cpu_query(feature).reason, "there is no such feature") << i;
    }
}

#if defined(__aarch64__) && defined(__linux__)
/// Where Linux tells of a feature: the masks of its asm/hwcap.h, written down once more.
struct Place {
    kai_cpu_feature feature;
    unsigned long word;
    uint64_t mask;
    const char* reason;
};
constexpr Place kPlaces[] = {
    {KAI_CPU_NEON, AT_HWCAP, 0x2, "HWCAP bit 1"},
    {KAI_CPU_FP16, AT_HWCAP, 0x400, "HWCAP bit 10"},
    {KAI_CPU_DOTPROD, AT_HWCAP, 0x100000, "HWCAP bit 20"},
    {KAI_CPU_I8MM, AT_HWCAP2, 0x2000, "HWCAP2 bit 13"},
    {KAI_CPU_BF16, AT_HWCAP2, 0x4000, "HWCAP2 bit 14"},
    {KAI_CPU_SVE, AT_HWCAP, 0x400000, "HWCAP bit 22"},
    {KAI_CPU_SVE_I8MM, AT_HWCAP2, 0x200, "HWCAP2 bit 9"},
    {KAI_CPU_SVE2, AT_HWCAP2, 0x2, "HWCAP2 bit 1"},
    {KAI_CPU_SVE2P1, AT_HWCAP2, 0x1000000000, "HWCAP2 bit 36"},
    {KAI_CPU_SME, AT_HWCAP2, 0x800000, "HWCAP2 bit 23"},
    {KAI_CPU_SME2, AT_HWCAP2, 0x2000000000, "HWCAP2 bit 37"},
    {KAI_CPU_SME2P1, AT_HWCAP2, 0x4000000000, "HWCAP2 bit 38"},
    {KAI_CPU_FHM, AT_HWCAP, 0x800000, "HWCAP bit 23"},
    {KAI_CPU_FAMINMAX, AT_HWCAP2, 0x4000000000000, "HWCAP2 bit 50"},
    {KAI_CPU_LUT, AT_HWCAP2, 0x2000000000000, "HWCAP2 bit 49"},
    {KAI_CPU_FP8DOT4, AT_HWCAP2, 0x20000000000000, "HWCAP2 bit 53"},
    {KAI_CPU_F8F32MM, AT_HWCAP, 0x800000000, "HWCAP bit 35"},
    {KAI_CPU_SME_F8F32, AT_HWCAP2, 0x800000000000000, "HWCAP2 bit 59"},
    {KAI_CPU_SME_MOP4, AT_HWCAP, 0x800000000000, "HWCAP bit 47"},
};
static_assert(std::size(kPlaces) == KAI_CPU_FEATURE_COUNT, "a feature without a line here is not tested");

TEST(Cpu, AgreesWithTheSystem) {
    const Disable nothing("");
    for (const Place& place : kPlaces) {
        const bool present = (getauxval(place.word) & place.mask) != 0;
        EXPECT_EQ(has(place.feature), present) << kai_cpu_feature_name(place.feature);
        EXPECT_EQ(kai_cpu_query(place.feature).reason, place.reason + std::string(present ? " is set" : " is not set"));
    }
}

/// The emulated CPUs of the runs of this test (cmake/KaiEmulation.cmake), which KLEIDIAI_CPU_MODEL names, and their
/// features in order.
const std::map<std::string, const char*> kModels = {
    {"svl512",
     "neon fp16 dotprod i8mm bf16 sve svei8mm sve2 sve2p1 sme sme2 sme2p1 fhm faminmax lut fp8dot4 f8f32mm smef8f32 "
     "smemop4"},
    {"no-sve", "neon fp16 dotprod i8mm bf16 sme sme2 sme2p1 fhm faminmax lut fp8dot4 f8f32mm smef8f32 smemop4"},
    {"no-sme", "neon fp16 dotprod i8mm bf16 sve svei8mm sve2 sve2p1 fhm faminmax lut fp8dot4 f8f32mm"},
    {"no-sve-no-sme", "neon fp16 dotprod i8mm bf16 fhm faminmax lut fp8dot4 f8f32mm"},
    {"neoverse-n2", "neon fp16 dotprod i8mm bf16 sve svei8mm sve2 fhm"},
    {"neoverse-v1", "neon fp16 dotprod i8mm sve svei8mm fhm"},  // QEMU's has no bf16
    {"a64fx", "neon fp16 sve"},
    {"neoverse-n1", "neon fp16 dotprod"},
    {"cortex-a55", "neon fp16 dotprod"},
    {"cortex-a510",  // QEMU's `max` by that name
     "neon fp16 dotprod i8mm bf16 sve svei8mm sve2 sve2p1 fhm faminmax lut fp8dot4 f8f32mm"},
    {"cortex-a53", "neon"}};

TEST(Cpu, HasWhatThisModelHas) {
    const char* model = getenv("KLEIDIAI_CPU_MODEL");
    if (model == nullptr) {
        GTEST_SKIP() << "KLEIDIAI_CPU_MODEL is not set";
    }
    ASSERT_EQ(kModels.count(model), 1U) << model;
    const Disable nothing("");
    std::string present;
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
        const auto feature = static_cast<kai_cpu_feature>(i);
        present += has(feature) ? std::string(present.empty() ? "" : " ") + kai_cpu_feature_name(feature) : "";
    }
    EXPECT_EQ(present, kModels.at(model));
}
#endif

/// What each name hides, exactly: also of features that this CPU lacks.
TEST(Cpu, DisableHidesExactlyWhatBuildsOnAFeature) {
    const std::vector<std::pair<const char*, std::vector<kai_cpu_feature>>> hidden = {
        {"fp16", {KAI_CPU_FP16, KAI_CPU_FHM}},
        {"dotprod", {KAI_CPU_DOTPROD}},
        {"i8mm", {KAI_CPU_I8MM, KAI_CPU_SVE_I8MM}},
        {"bf16", {KAI_CPU_BF16}},
        {"sve", {KAI_CPU_SVE, KAI_CPU_SVE_I8MM, KAI_CPU_SVE2, KAI_CPU_SVE2P1}},
        {"svei8mm", {KAI_CPU_SVE_I8MM}},
        {"sve2", {KAI_CPU_SVE2, KAI_CPU_SVE2P1}},
        {"sve2p1", {KAI_CPU_SVE2P1}},
        {"sme", {KAI_CPU_SME, KAI_CPU_SME2, KAI_CPU_SME2P1, KAI_CPU_SME_F8F32, KAI_CPU_SME_MOP4}},
        {"sme2", {KAI_CPU_SME2, KAI_CPU_SME2P1, KAI_CPU_SME_F8F32, KAI_CPU_SME_MOP4}},
        {"sme2p1", {KAI_CPU_SME2P1, KAI_CPU_SME_MOP4}},
        {"fhm", {KAI_CPU_FHM}},
        {"faminmax", {KAI_CPU_FAMINMAX}},
        {"lut", {KAI_CPU_LUT}},
        {"fp8dot4", {KAI_CPU_FP8DOT4, KAI_CPU_F8F32MM}},
        {"f8f32mm", {KAI_CPU_F8F32MM}},
        {"smef8f32", {KAI_CPU_SME_F8F32}},
        {"smemop4", {KAI_CPU_SME_MOP4}}};
    ASSERT_EQ(hidden.size() + 1, static_cast<size_t>(KAI_CPU_FEATURE_COUNT)) << "but neon, which hides all";
    for (const auto& [name, features] : hidden) {
        const Disable one(name);
        for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
            const auto feature = static_cast<kai_cpu_feature>(i);
            const std::string reason = kai_cpu_query(feature).reason;
            EXPECT_EQ(
                reason.find("KLEIDIAI_CPU_DISABLE") != std::string::npos,
                std::find(features.begin(), features.end(), feature) != features.end())
                << name << ": " << kai_cpu_feature_name(feature);
        }
    }
}

TEST(Cpu, FitsTheArchitecture) {
    const Disable nothing("");
#if defined(__aarch64__)
    EXPECT_TRUE(has(KAI_CPU_NEON));
#else
    EXPECT_EQ(kai_cpu_features(), 0u);
#endif
    EXPECT_TRUE(!has(KAI_CPU_SME2) || has(KAI_CPU_SME));
    EXPECT_TRUE(!has(KAI_CPU_SVE2) || has(KAI_CPU_SVE));
}

TEST(Cpu, VectorLengths) {
    for (const auto& [feature, bytes] :
         {std::pair{KAI_CPU_SVE, kai_cpu_sve_bytes()}, {KAI_CPU_SME, kai_cpu_sme_bytes()}}) {
        if (!has(feature)) {
            EXPECT_EQ(bytes, 0u);
        } else {
            EXPECT_TRUE(bytes >= 16 && bytes <= 256 && bytes % 16 == 0) << bytes;
        }
    }
    const Disable vectors("sve,sme");
    EXPECT_EQ(kai_cpu_sve_bytes(), 0u);
    EXPECT_EQ(kai_cpu_sme_bytes(), 0u);
}

TEST(Cpu, DisableHidesFeaturesAndWhatBuildsOnThem) {
    for (int i = KAI_CPU_NEON + 1; i < KAI_CPU_FEATURE_COUNT; ++i) {
        const auto feature = static_cast<kai_cpu_feature>(i);
        const Disable one(kai_cpu_feature_name(feature));
        EXPECT_FALSE(has(feature));
        EXPECT_NE(std::string(kai_cpu_query(feature).reason).find("KLEIDIAI_CPU_DISABLE"), std::string::npos);
    }
    {
        const Disable list("i8mm,sme2");
        EXPECT_FALSE(has(KAI_CPU_I8MM) || has(KAI_CPU_SME2) || has(KAI_CPU_SME2P1));
    }
    {
        const Disable sme("sme");
        EXPECT_FALSE(has(KAI_CPU_SME) || has(KAI_CPU_SME2) || has(KAI_CPU_SME2P1));
    }
    {
        const bool neon = has(KAI_CPU_NEON);
        const Disable all("all");
        EXPECT_EQ(kai_cpu_features(), uint64_t{neon} << KAI_CPU_NEON);
    }
}

TEST(Cpu, DisableMatchesWholeNames) {
    uint64_t all;
    {
        const Disable nothing("");
        all = kai_cpu_features();
    }
    for (const char* list : {",", "sme2p", "sm", "unknown,also", "xsme,sme2pp", ",,sv"}) {
        EXPECT_EQ(features_without(list), all) << list;
    }
    EXPECT_EQ(features_without(",,dotprod") & bit(KAI_CPU_DOTPROD), 0u);
}

TEST(Cpu, DisableTakesAnyCaseAndSpaces) {
    const uint64_t all = features_without("");
    const uint64_t neither = all & ~(bit(KAI_CPU_DOTPROD) | bit(KAI_CPU_BF16));
    for (const char* list :
         {"dotprod,bf16", "DOTPROD,BF16", " DotProd , bF16 ", "dotprod bf16", "\tdotprod\n,, bf16 ,",
          "bf16; dotprod"}) {
        std::string report;
        EXPECT_EQ(features_without(list, &report), neither) << list;
        EXPECT_EQ(report, "") << list;
    }
    EXPECT_EQ(features_without(" ALL ") & ~bit(KAI_CPU_NEON), 0u);
}

TEST(Cpu, DisableTakesEachSeparator) {
    const uint64_t neither = features_without("") & ~(bit(KAI_CPU_DOTPROD) | bit(KAI_CPU_BF16));
    for (const char separator : {',', ';', ' ', '\t', '\r', '\n', '\v', '\f'}) {
        std::string report;
        EXPECT_EQ(features_without((std::string("bf16") + separator + "dotprod").c_str(), &report), neither);
        EXPECT_EQ(report, "") << "character " << static_cast<int>(separator);
    }
}

// Hidden features are still reported as features of the system.
TEST(Cpu, DisableDoesNotChangeTheSystem) {
    uint64_t system;
    {
        const Disable nothing("");
        system = kai_cpu_system_features();
        EXPECT_EQ(kai_cpu_features(), system);
    }
    const Disable all("all");
    EXPECT_EQ(kai_cpu_system_features(), system);
}

TEST(Cpu, I8mmHidesI8mmOfSveToo) {
    EXPECT_EQ(features_without("i8mm") & (bit(KAI_CPU_I8MM) | bit(KAI_CPU_SVE_I8MM)), 0u);
    const uint64_t all = features_without("");
    EXPECT_EQ(features_without("svei8mm"), all & ~bit(KAI_CPU_SVE_I8MM));
}

TEST(Cpu, DisableReportsUnknownWordsOnce) {
    std::string report;
    features_without("sme2", &report);
    EXPECT_EQ(report, "");
    features_without("smee2, dotprod,AVX512", &report);
    for (const char* text : {"KLEIDIAI_CPU_DISABLE", "\"smee2\"", "\"AVX512\"", "all", "sme2p1"}) {
        EXPECT_NE(report.find(text), std::string::npos) << text << " in: " << report;
    }
    EXPECT_EQ(report.find("\"dotprod\""), std::string::npos) << report;
    EXPECT_EQ(features_without("sv,s", &report), kai_cpu_features());  // no abbreviations
    EXPECT_NE(report.find("\"sv\""), std::string::npos) << report;
    EXPECT_NE(report.find("\"s\""), std::string::npos) << report;

    const Disable wrong("nonsense");
    testing::internal::CaptureStderr();
    kai_cpu_query(KAI_CPU_NEON);
    kai_cpu_query(KAI_CPU_SME2);
    kai_cpu_features();
    report = testing::internal::GetCapturedStderr();
    EXPECT_EQ(report.find("nonsense"), report.rfind("nonsense")) << report;
    EXPECT_NE(report.find("nonsense"), std::string::npos) << report;
}

TEST(Cpu, IsAskedOnce) {
    const Disable nothing("");
    const uint64_t before = kai_cpu_features();
    setenv("KLEIDIAI_CPU_DISABLE", "all", 1);  // too late
    EXPECT_EQ(kai_cpu_features(), before);
    EXPECT_EQ(has(KAI_CPU_DOTPROD), (before & bit(KAI_CPU_DOTPROD)) != 0);
}

TEST(Cpu, FirstQueriesOfManyThreadsAgree) {
    for (int round = 0; round < 20; ++round) {
        const Disable some("sve,nonsense");
        testing::internal::CaptureStderr();
        std::vector<uint64_t> answers(test::kThreads);
        test::run_threads(answers.size(), [&](size_t t) {
            answers[t] = kai_cpu_features() | (has(KAI_CPU_SVE2) ? bit(KAI_CPU_FEATURE_COUNT) : 0);
        });
        const std::string report = testing::internal::GetCapturedStderr();
        for (const uint64_t answer : answers) {
            EXPECT_EQ(answer, answers[0]);
        }
        EXPECT_EQ(answers[0] & (bit(KAI_CPU_SVE) | bit(KAI_CPU_SVE2) | bit(KAI_CPU_FEATURE_COUNT)), 0u);
        EXPECT_EQ(report.find("nonsense"), report.rfind("nonsense")) << "reported more than once: " << report;
        EXPECT_NE(report.find("nonsense"), std::string::npos);
    }
}

}  // namespace
