// SPDX-License-Identifier: Apache-2.0
#include "kai/kai_cpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace {

/// Sets KLEIDIAI_CPU_DISABLE while it lives.
class Disable {
public:
    explicit Disable(const char* list) {
        if (const char* old = std::getenv(kName)) {
            old_ = old;
            had_ = true;
        }
        setenv(kName, list, 1);
    }
    ~Disable() {
        had_ ? setenv(kName, old_.c_str(), 1) : unsetenv(kName);
    }

private:
    static constexpr const char* kName = "KLEIDIAI_CPU_DISABLE";
    std::string old_;
    bool had_ = false;
};

bool has(kai_cpu_feature feature) {
    return kai_cpu_query(feature).present;
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
    EXPECT_EQ(kai_cpu_feature_name(KAI_CPU_FEATURE_COUNT), nullptr);
    EXPECT_FALSE(has(KAI_CPU_FEATURE_COUNT));
    EXPECT_STRNE(kai_cpu_query(KAI_CPU_FEATURE_COUNT).reason, "");
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
        const Disable all("all");
        EXPECT_EQ(kai_cpu_features() & ~(uint64_t{1} << KAI_CPU_NEON), 0u);
    }
}

TEST(Cpu, DisableMatchesWholeNames) {
    uint64_t all;
    {
        const Disable nothing("");
        all = kai_cpu_features();
    }
    for (const char* list : {",", "sme2p", "sm", "unknown,also", "xsme,sme2pp", ",,sv"}) {
        const Disable disable(list);
        EXPECT_EQ(kai_cpu_features(), all) << list;
    }
    const Disable last(",,dotprod");
    EXPECT_FALSE(has(KAI_CPU_DOTPROD));
}

}  // namespace
