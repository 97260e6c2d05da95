// SPDX-License-Identifier: Apache-2.0
#include "kai/kai_registry.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "test/support/coverage.hpp"

namespace {

bool runnable(const kai_ukernel& u) {
    return kai_registry_runnable(u.features, nullptr, 0);
}

TEST(Registry, EntriesAreComplete) {
    std::set<std::string> names;
    for (const kai_ukernel* u : test::all_ukernels()) {
        SCOPED_TRACE(u->name);
        EXPECT_TRUE(names.insert(u->name).second) << "twice";
        EXPECT_EQ(kai_registry_find_ukernel(u->name), u);
        EXPECT_EQ(std::string(u->name).rfind("matmul_", 0), 0u);
        EXPECT_NE(u->features, 0u);
        EXPECT_NE(u->dst_type, kai_dt_unknown);
        for (const char* text : {u->family, u->lhs_format, u->rhs_format}) {
            ASSERT_NE(text, nullptr);
            EXPECT_STRNE(text, "");
        }
        EXPECT_TRUE(
            u->get_m_step && u->get_n_step && u->get_mr && u->get_nr && u->get_kr && u->get_sr &&
            u->get_lhs_packed_offset && u->get_rhs_packed_offset && u->get_dst_offset && u->get_dst_size && u->run);
    }
    for (const kai_packer* p : test::all_packers()) {
        SCOPED_TRACE(p->name);
        EXPECT_TRUE(names.insert(p->name).second) << "twice";
        EXPECT_EQ(kai_registry_find_packer(p->name), p);
        ASSERT_NE(p->format, nullptr);
        EXPECT_TRUE(p->accepts && p->get_source_offset && p->get_packed_offset && p->get_packed_size && p->run);
    }
}

TEST(Registry, EndsAndUnknownNamesAreNull) {
    EXPECT_EQ(kai_registry_ukernel(kai_registry_ukernel_count()), nullptr);
    EXPECT_EQ(kai_registry_ukernel(~size_t{0}), nullptr);
    EXPECT_EQ(kai_registry_packer(kai_registry_packer_count()), nullptr);
    EXPECT_EQ(kai_registry_find_ukernel("no_such_kernel"), nullptr);
    EXPECT_EQ(kai_registry_find_ukernel(""), nullptr);
    EXPECT_EQ(kai_registry_find_packer("no_such_packer"), nullptr);
    const kai_registry_request request = {"no_such_family", 1, nullptr};
    EXPECT_EQ(kai_registry_best(&request, nullptr, nullptr), nullptr);
}

TEST(Registry, PortablePackersAreAlwaysThere) {
    EXPECT_NE(kai_registry_find_packer("lhs_quant_pack_qsi8d32p_f32"), nullptr);
    EXPECT_NE(kai_registry_find_packer("rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0"), nullptr);
}

TEST(Registry, EveryKernelHasItsPackers) {
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (!runnable(*u)) {
            continue;
        }
        SCOPED_TRACE(u->name);
        const kai_packer* lhs = kai_registry_lhs_packer(u, 0);
        const kai_packer* rhs = kai_registry_rhs_packer(u, 0);
        ASSERT_NE(lhs, nullptr);
        ASSERT_NE(rhs, nullptr);
        EXPECT_STREQ(lhs->format, u->lhs_format);
        EXPECT_STREQ(rhs->format, u->rhs_format);
        EXPECT_EQ(kai_registry_lhs_packer(u, 100), nullptr);
        EXPECT_EQ(kai_registry_rhs_packer(u, 100), nullptr);
    }
}

// Frameworks pack weights once for both: whoever takes the best kernel for many rows finds one for one row that reads
// the same RHS, if the family has kernels for one row.
TEST(Registry, KernelsForOneRowShareTheirRhsWithKernelsForMany) {
    std::set<std::string> families;
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (runnable(*u) && u->get_m_step() == 1) {
            families.insert(u->family);
        }
    }
    for (const std::string& family : families) {
        SCOPED_TRACE(family);
        const kai_registry_request many = {family.c_str(), 64, nullptr};
        const kai_ukernel* gemm = kai_registry_best(&many, nullptr, nullptr);
        ASSERT_NE(gemm, nullptr);
        const kai_registry_request one = {family.c_str(), 1, gemm};
        const kai_ukernel* gemv = kai_registry_best(&one, nullptr, nullptr);
        ASSERT_NE(gemv, nullptr) << gemm->name << " does not even share with itself";
        EXPECT_EQ(gemv->get_m_step(), 1u) << gemm->name << " has no partner";
    }
}

// A partner, wherever there is one, reads the very same panels.
TEST(Registry, PartnersReadTheSamePanels) {
    for (const kai_ukernel* gemm : test::all_ukernels()) {
        if (!runnable(*gemm)) {
            continue;
        }
        for (const size_t m : {1, 64}) {
            const kai_registry_request request = {gemm->family, m, gemm};
            const kai_ukernel* partner = kai_registry_best(&request, nullptr, nullptr);
            ASSERT_NE(partner, nullptr) << gemm->name << " does not even share with itself";
            EXPECT_STREQ(partner->rhs_format, gemm->rhs_format);
            EXPECT_EQ(partner->signature, gemm->signature);
            EXPECT_EQ(partner->get_nr(), gemm->get_nr()) << gemm->name << ", " << partner->name;
            EXPECT_EQ(partner->get_kr(), gemm->get_kr()) << gemm->name << ", " << partner->name;
            EXPECT_EQ(partner->get_sr(), gemm->get_sr()) << gemm->name << ", " << partner->name;
            for (size_t i = 0; kai_registry_rhs_packer(gemm, i) != nullptr; ++i) {
                EXPECT_EQ(kai_registry_rhs_packer(gemm, i), kai_registry_rhs_packer(partner, i));
            }
        }
    }
}

TEST(Registry, BestExplainsItsChoice) {
    std::map<std::string, size_t> family_sizes;
    for (const kai_ukernel* u : test::all_ukernels()) {
        ++family_sizes[u->family];
    }
    for (const auto& [family, size] : family_sizes) {
        for (const size_t m : {0, 1, 2, 64}) {
            using Reasons = std::map<const kai_ukernel*, std::string>;
            Reasons reasons;
            const kai_registry_request request = {family.c_str(), m, nullptr};
            const kai_ukernel* best = kai_registry_best(
                &request,
                [](void* context, const kai_ukernel* u, const char* reason) {
                    (*static_cast<Reasons*>(context))[u] = reason;
                },
                &reasons);
            EXPECT_EQ(reasons.size(), size);
            bool any_runnable = false;
            for (const auto& [u, reason] : reasons) {
                EXPECT_STREQ(u->family, family.c_str());
                EXPECT_NE(reason, "");
                EXPECT_EQ(reason == "chosen", u == best) << u->name << ": " << reason;
                any_runnable |= runnable(*u);
            }
            EXPECT_EQ(best != nullptr, any_runnable);
            if (best != nullptr) {
                EXPECT_TRUE(runnable(*best));
            }
            EXPECT_EQ(kai_registry_best(&request, nullptr, nullptr), best);
        }
    }
}

TEST(Registry, SaysWhyItCannotRun) {
    char reason[8] = "unset";
    EXPECT_TRUE(kai_registry_runnable(0, reason, sizeof(reason)));
    for (int f = 0; f < KAI_CPU_FEATURE_COUNT; ++f) {
        char text[256] = "";
        const bool has = kai_cpu_query(static_cast<kai_cpu_feature>(f)).present;
        EXPECT_EQ(kai_registry_runnable(uint64_t{1} << f, text, sizeof(text)), has);
        if (!has) {
            EXPECT_NE(std::string(text).find(kai_cpu_feature_name(static_cast<kai_cpu_feature>(f))), std::string::npos)
                << text;
            kai_registry_runnable(uint64_t{1} << f, reason, sizeof(reason));  // a short buffer is cut, not overrun
            EXPECT_EQ(std::string(reason), std::string(text).substr(0, sizeof(reason) - 1));
        }
    }
}

}  // namespace
