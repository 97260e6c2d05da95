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

/// Whether it reads an LHS that is not packed.
bool takes_rows(const kai_ukernel& u) {
    const std::string format = u.lhs_format;
    return format == "f32" || format == "f16" || format == "int8";
}

TEST(Registry, EntriesAreComplete) {
    std::set<std::string> names;
    for (const kai_ukernel* u : test::all_ukernels()) {
        SCOPED_TRACE(u->name);
        EXPECT_TRUE(names.insert(u->name).second) << "twice";
        EXPECT_EQ(kai_registry_find_ukernel(u->name), u);
        EXPECT_NE(u->features, 0u);
        EXPECT_NE(u->dst_type, kai_dt_unknown);
        for (const char* text : {u->family, u->lhs_format, u->rhs_format}) {
            ASSERT_NE(text, nullptr);
            EXPECT_STRNE(text, "");
        }
        EXPECT_TRUE(u->get_m_step && u->get_n_step && u->get_mr && u->get_nr && u->get_kr && u->get_sr && u->run);
        if (u->signature != KAI_UKERNEL_UNIFIED && u->signature != KAI_UKERNEL_DWCONV) {
            EXPECT_TRUE(u->get_lhs_packed_offset && u->get_rhs_packed_offset && u->get_dst_offset && u->get_dst_size);
        }
    }
    for (const kai_packer* p : test::all_packers()) {
        SCOPED_TRACE(p->name);
        EXPECT_TRUE(names.insert(p->name).second) << "twice";
        EXPECT_EQ(kai_registry_find_packer(p->name), p);
        ASSERT_NE(p->format, nullptr);
        EXPECT_TRUE(p->accepts && p->run);
        if (p->signature != KAI_LHS_PACK_UNIFIED && p->signature != KAI_RHS_PACK_KXN_UNIFIED &&
            p->signature != KAI_RHS_PACK_NXK_UNIFIED) {
            EXPECT_TRUE(p->get_packed_size);
            if (p->signature != KAI_RHS_DWCONV_PACK) {
                EXPECT_TRUE(p->get_packed_offset);
                EXPECT_EQ(p->get_source_offset == nullptr, p->signature == KAI_LHS_IMATMUL_PACK);
            }
        }
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
        ASSERT_NE(rhs, nullptr);
        EXPECT_STREQ(rhs->format, u->rhs_format);
        if (takes_rows(*u)) {
            EXPECT_EQ(lhs, nullptr);
        } else {
            ASSERT_NE(lhs, nullptr);
            EXPECT_STREQ(lhs->format, u->lhs_format);
        }
        EXPECT_EQ(kai_registry_lhs_packer(u, 100), nullptr);
        EXPECT_EQ(kai_registry_rhs_packer(u, 100), nullptr);
    }
}

// Frameworks pack weights once for both: whoever takes the best kernel for many rows finds one for one row that reads
// the same RHS, if the family has one. Where the best one is for NEON, and those for one row are for SME, or the other
// way round, it serves one row itself.
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
        const bool mixed = takes_rows(*gemm) || std::string(gemm->rhs_format).rfind("bf16p", 0) == 0;
        if (!mixed) {
            EXPECT_EQ(gemv->get_m_step(), 1u) << gemm->name << " has no partner";
        }
    }
}

// Pairs that are meant to be used together, in one family or two: one packed RHS (nr, kr, sr, format) and the same
// packers for it.
TEST(Registry, DeclaredPairsShareOnePackedRhs) {
    const std::pair<const char*, const char*> pairs[] = {
        {"matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa", "matmul_clamp_f32_f32_f32p2vlx1b_1x16vl_sme2_mla"},
        {"matmul_clamp_f32_f32p2vlx1_f32p2vlx1b_2vlx2vl_sme_mopa", "matmul_clamp_f32_f32_f32p2vlx1b_1x8vl_sme_mla"},
        {"matmul_clamp_f16_f16p2vlx2_f16p2vlx2_2vlx2vl_sme2_mopa", "matmul_clamp_f16_f16_f16p2vlx2b_1x16vl_sme2_dot"},
        {"matmul_clamp_f16_f16p2vlx2_f16p2vlx2b_2vlx2vl_sme_mopa", "matmul_clamp_f16_f16_f16p2vlx2b_1x8vl_sme_mla"},
        {"matmul_clamp_f32_bf16p8x4_bf16p12x4b_8x12_neon_mmla", "matmul_clamp_f32_bf16p1x4_bf16p12x4b_1x36_neon_dot"},
        {"matmul_clamp_qai8_qai8p2vlx4_qsi8cxpsb2vlx4_2vlx2vl_sme2_mopa",
         "matmul_clamp_qai8_qai8_qsi8cxp2vlx4sb_1x16vl_sme2_dot"},
        {"matmul_clamp_f32_f32p4vsx1_f32p4vsx1bf32_8vsx8vs_sme2_mopa",
         "matmul_clamp_f32_f32_f32p4vsx1bf32_1x32vs_sme2_mla"},
        {"matmul_clamp_f16_f16p4vsx2_f16p4vsx2bf16_8vsx8vs_sme2_mopa",
         "matmul_clamp_f16_f16_f16p4vsx2bf16_1x32vs_sme2_dot"},
        {"matmul_clamp_qai8_qai8p4vsx4_qsi8cxp4vsx4bi32sf32_8vsx8vs_sme2_mopa",
         "matmul_clamp_qai8_qai8_qsi8cxp4vsx4bi32sf32_1x32vs_sme2_dot"},
        {"matmul_clamp_qai8_qai8p8vsx4_qsi4cxp8vsx4sf32bi32_8vsx8vs_sme2_mopa",
         "matmul_clamp_qai8_qai8_qsi4cxp8vsx4sf32bi32_1x64vs_sme2_dot"},
        {"matmul_clamp_f32_qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa",
         "matmul_clamp_f32_qai8dxp1x4_qsi4cxp4vlx4_1x4vl_sme2_sdot"},
        {"matmul_clamp_f32_qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme2_mopa",
         "matmul_clamp_f32_qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme2_dot"},
        {"matmul_clamp_f32_qai8dxp1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa",
         "matmul_clamp_f32_qai8dxp1x4_qsi4c32p4vlx4_1x4vl_sme2_dot"},
        {"matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa",
         "matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot"},
        {"matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme_mopa",
         "matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme_dot"},
        {"matmul_clamp_f32_qsi8d32p1vlx4_qai4c32p4vlx4_1vlx4vl_sme2_mopa",
         "matmul_clamp_f32_qsi8d32p1x4_qai4c32p4vlx4_1x4vl_sme2_dot"}};
    for (const auto& [many, one] : pairs) {
        const kai_ukernel *gemm = kai_registry_find_ukernel(many), *gemv = kai_registry_find_ukernel(one);
        if (gemm == nullptr || gemv == nullptr || !runnable(*gemm) || !runnable(*gemv)) {
            continue;
        }
        SCOPED_TRACE(many);
        EXPECT_STREQ(gemm->rhs_format, gemv->rhs_format);
        EXPECT_EQ(gemm->get_nr(), gemv->get_nr());
        for (size_t i = 0; kai_registry_rhs_packer(gemm, i) != nullptr || kai_registry_rhs_packer(gemv, i) != nullptr;
             ++i) {
            EXPECT_EQ(kai_registry_rhs_packer(gemm, i), kai_registry_rhs_packer(gemv, i));
        }
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
