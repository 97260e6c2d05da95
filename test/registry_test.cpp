// SPDX-License-Identifier: Apache-2.0
#include "kai/kai_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstring>
#include <map>
#include <regex>
#include <set>
#include <vector>

#include "kai/call.hpp"
#include "kai/kai_gguf.h"
#include "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h"
#include "kai/ukernels/families.h"
#include "test/support/coverage.hpp"
#include "test/support/disabled_features.hpp"
#include "test/support/packing.hpp"
#include "test/support/ending.hpp"
#include "test/support/said.hpp"

namespace {

bool runnable(const kai_ukernel& u) {
    return kai_registry_runnable(u.features, nullptr, 0);
}

/// Whether it reads an unpacked LHS.
bool takes_rows(const kai_ukernel& u) {
    const std::string format = u.lhs_format;
    return format == "f32" || format == "f16" || format == "bf16" || format == "int8" || format == "uint8";
}

/// The registry's reason for each candidate.
struct Explained {
    const kai_ukernel* best;
    std::map<const kai_ukernel*, std::string> reasons;
    size_t count = 0;

    explicit Explained(const kai_registry_request& request) {
        best = kai_registry_best(
            &request,
            [](void* context, const kai_ukernel* u, const char* reason) {
                auto& self = *static_cast<Explained*>(context);
                self.reasons[u] = reason;
                ++self.count;
            },
            this);
    }
};

using test::Ending;
using test::ending_of;

TEST(Registry, EntriesAreComplete) {
    std::set<std::string> names;
    for (const kai_ukernel* u : test::all_ukernels()) {
        SCOPED_TRACE(u->name);
        EXPECT_TRUE(names.insert(u->name).second) << "twice";
        EXPECT_EQ(kai_registry_find_ukernel(u->name), u);
        EXPECT_EQ(u->features == 0, std::strstr(u->name, "_portable") != nullptr);
        EXPECT_NE(u->dst_type, kai_dt_unknown);
        for (const char* text : {u->family, u->lhs_format, u->rhs_format}) {
            ASSERT_NE(text, nullptr);
            EXPECT_STRNE(text, "");
        }
        EXPECT_LE(u->rows, KAI_ROWS_ONE);
        EXPECT_EQ(u->size_features & ~u->features, 0u);
        EXPECT_TRUE(u->get_m_step && u->get_n_step && u->get_mr && u->get_nr && u->get_kr && u->get_sr && u->run);
        if (!kai::is_unified(*u) && !kai::is_depthwise(*u)) {
            EXPECT_TRUE(u->get_lhs_packed_offset && u->get_rhs_packed_offset && u->get_dst_offset && u->get_dst_size);
        }
    }
    for (const kai_packer* p : test::all_packers()) {
        SCOPED_TRACE(p->name);
        EXPECT_TRUE(names.insert(p->name).second) << "twice";
        EXPECT_EQ(kai_registry_find_packer(p->name), p);
        ASSERT_NE(p->format, nullptr);
        EXPECT_TRUE(p->accepts && p->run);
        if (!kai::is_unified(*p)) {
            EXPECT_TRUE(p->get_packed_size);
            if (!kai::is_depthwise(*p)) {
                EXPECT_TRUE(p->get_packed_offset);
                EXPECT_EQ(p->get_source_offset == nullptr, kai::takes_pointers(*p));
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
    const kai_registry_request request = {"no_such_family", 1, nullptr, 0, KAI_CORE_AUTO, {}};
    EXPECT_EQ(kai_registry_best(&request, nullptr, nullptr), nullptr);
    EXPECT_EQ(kai_registry_family(kai_registry_family_count()), nullptr);
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
        for (size_t i = 0; i < kai_gguf_type_count() && rhs == nullptr; ++i) {  // of files alone
            rhs = kai_registry_gguf_packer(u, kai_gguf_type_at(i)->id);
        }
        if (!kai::rhs_is_packed(*u)) {
            EXPECT_EQ(lhs != nullptr, kai::lhs_is_packed(*u));
            EXPECT_EQ(rhs, nullptr);
            continue;
        }
        for (size_t i = 0; rhs == nullptr && i < kai_gguf_type_count(); ++i) {  // packed from files alone
            rhs = kai_registry_gguf_packer(u, kai_gguf_type_at(i)->id);
        }
        ASSERT_NE(rhs, nullptr);
        EXPECT_STREQ(rhs->format, u->rhs_format);
        if (takes_rows(*u)) {
            EXPECT_EQ(lhs, nullptr);
        } else {
            ASSERT_NE(lhs, nullptr);
            EXPECT_STREQ(lhs->format, u->lhs_format);
        }
        // Formats do not decide: packers of another kind have other arguments.
        EXPECT_EQ(test::is_indirect(*rhs), test::is_indirect(*u)) << rhs->name;
        EXPECT_TRUE(lhs == nullptr || test::is_indirect(*lhs) == test::is_indirect(*u)) << lhs->name;
        EXPECT_TRUE(test::is_unified(*rhs) == kai::is_unified(*u) || kai::has_other_kind(*u)) << rhs->name;
        EXPECT_EQ(kai::is_depthwise(*rhs), kai::is_depthwise(*u)) << rhs->name;
        EXPECT_EQ(kai_registry_lhs_packer(u, 100), nullptr);
        EXPECT_EQ(kai_registry_rhs_packer(u, 100), nullptr);
    }
}

// Frameworks pack weights once for both: whoever takes the best kernel for many rows finds one for one row that reads
// the same RHS, if the family has one. Where the best one is for NEON, and those for one row are for SME, or the other
// way round, it serves one row itself. A portable kernel, which comes after all others, makes no partner for them.
/// Those of the kernel's own kind, then others: the first one is what a caller takes who has no preference.
TEST(Registry, PackersAreInTheOrderOfTheCatalogue) {
    size_t several = 0;
    for (size_t k = 0; kai_registry_ukernel(k) != nullptr; ++k) {
        const kai_ukernel* u = kai_registry_ukernel(k);
        for (const auto packer : {kai_registry_lhs_packer, kai_registry_rhs_packer}) {
            size_t descents = 0;
            for (size_t i = 0; packer(u, i) != nullptr && packer(u, i + 1) != nullptr; ++i) {
                ++several;
                descents += packer(u, i + 1) < packer(u, i) ? 1 : 0;
            }
            EXPECT_LE(descents, kai::has_other_kind(*u) ? 1U : 0U) << u->name;
        }
    }
    EXPECT_GT(several, 0U);
}

/// Of LHS packers of one kind that read the same rows, those that run on any CPU come last. (Not so of RHS packers: at
/// some vector lengths those for SVE write panels of NEON, which have their own before them.)
TEST(Registry, PackersForAnyCpuComeLast) {
    size_t pairs = 0;
    for (const kai_ukernel* u : test::all_ukernels()) {
        for (size_t i = 0; const kai_packer* first = kai_registry_lhs_packer(u, i); ++i) {
            for (size_t j = i + 1; const kai_packer* later = kai_registry_lhs_packer(u, j); ++j) {
                const bool alike = test::is_unified(*first) == test::is_unified(*later) &&
                                   kai::same_name(first->source_format, later->source_format);
                if (alike && (first->features == 0) != (later->features == 0)) {
                    ++pairs;
                    EXPECT_NE(first->features, 0U) << u->name << ": " << first->name << ", " << later->name;
                }
            }
        }
    }
    if (pairs == 0) {
        GTEST_SKIP() << "this CPU has no packers but those that run on any";
    }
}

TEST(Registry, KernelsForOneRowShareTheirRhsWithKernelsForMany) {
    std::set<std::string> families;
    const auto best_for_many = [](const char* family) {
        const kai_registry_request request = {family, 64, nullptr, 0, KAI_CORE_AUTO, {}};
        return kai_registry_best(&request, nullptr, nullptr);
    };
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (runnable(*u) && u->rows != KAI_ROWS_MANY && (u->features != 0 || best_for_many(u->family)->features == 0)) {
            families.insert(u->family);
        }
    }
    for (const std::string& family : families) {
        SCOPED_TRACE(family);
        const kai_ukernel* gemm = best_for_many(family.c_str());
        ASSERT_NE(gemm, nullptr);
        const kai_registry_request one = {family.c_str(), 1, gemm, 0, KAI_CORE_AUTO, {}};
        const kai_ukernel* gemv = kai_registry_best(&one, nullptr, nullptr);
        ASSERT_NE(gemv, nullptr) << gemm->name << " does not even share with itself";
        // Panels of SVE that grow with vectors are those of the kernels for one row with vectors of 256 bits.
        const bool grown = std::strstr(gemm->name, "_16x4vs_sve_i8mm") != nullptr && gemm->get_nr() != 8;
        // The partner of FMOPA is FMLAL, which takes rows of bf16: in another family (DeclaredPairs...).
        const bool fmopa = std::strstr(gemm->name, "_sme_f8f32_mopa") != nullptr;
        const bool mixed = takes_rows(*gemm) || std::string(gemm->rhs_format).rfind("bf16p", 0) == 0 || grown || fmopa;
        if (!mixed) {
            EXPECT_NE(gemv->rows, KAI_ROWS_MANY) << gemm->name << " has no partner";
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
        {"matmul_clamp_f32_f8e4m3d32p1vlx4_f8e4m3c32p4vlx4_1vlx4vl_sme_f8f32_mopa",
         "matmul_clamp_f32_bf16p1x4_f8e4m3c32p4vlx4_1x4vl_neon_fmlal"},
        {"matmul_clamp_f32_f8e4m3d32p1vlx4_f8e5m2c32p4vlx4_1vlx4vl_sme_f8f32_mopa",
         "matmul_clamp_f32_bf16p1x4_f8e5m2c32p4vlx4_1x4vl_neon_fmlal"},
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

// Every partner reads exactly the same panels.
TEST(Registry, PartnersReadTheSamePanels) {
    for (const kai_ukernel* gemm : test::all_ukernels()) {
        if (!runnable(*gemm)) {
            continue;
        }
        for (const size_t m : {1, 64}) {
            const kai_registry_request request = {gemm->family, m, gemm, 0, KAI_CORE_AUTO, {}};
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

TEST(Registry, NamesSayWhatTheCpuMustHave) {
    constexpr std::pair<const char*, kai_cpu_feature> kParts[] = {{"_neon_dotprod", KAI_CPU_DOTPROD},
                                                                  {"_neon_i8mm", KAI_CPU_I8MM},
                                                                  {"_fmlal", KAI_CPU_FHM},
                                                                  {"_lut", KAI_CPU_LUT},
                                                                  {"_faminmax", KAI_CPU_FAMINMAX},
                                                                  {"_sme", KAI_CPU_SME}};
    const auto expect_features = [&](const char* name, uint64_t features) {
        for (const auto& [part, feature] : kParts) {
            if (std::strstr(name, part) != nullptr) {
                EXPECT_NE(features >> feature & 1, 0u) << name << ", " << part;
            }
        }
    };
    for (const kai_ukernel* u : test::all_ukernels()) {
        expect_features(u->name, u->features);
    }
    for (const kai_packer* p : test::all_packers()) {
        expect_features(p->name, p->features);
    }
}

// A GEMM of Armv8.0 takes longer than a GEMV with SDOT, row by row.
// Kernels that read panels of SME without an SME unit are those of a caller that must not use one; others get SME.
TEST(Registry, PanelsOfSmeWithoutSme) {
    constexpr uint64_t kSme = uint64_t{1} << KAI_CPU_SME;
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (u->size_only_features == 0) {
            continue;
        }
        SCOPED_TRACE(u->name);
        EXPECT_EQ(u->size_only_features, kSme);
        EXPECT_EQ(u->size_only_features & ~u->size_features, 0u);
        if (!kai_registry_runnable(u->features, nullptr, 0)) {
            continue;
        }
        const size_t m = u->rows == KAI_ROWS_MANY ? 2 : 1;
        kai_registry_request request = {u->family, m, u, kSme, KAI_CORE_AUTO, {}};
        const kai_ukernel* best = kai_registry_best(&request, nullptr, nullptr);
        ASSERT_NE(best, nullptr);  // another one only where panels of SME happen to be those of NEON
        EXPECT_EQ(kai::run_features(*best) & kSme, 0u) << best->name;
        EXPECT_EQ(best->get_nr(), u->get_nr());
        // Before them come those with SME, if the family has any; without B, those of other panels, portable ones, too.
        bool has_sme = false, has_other = false;
        for (const kai_ukernel* other : test::all_ukernels()) {
            const bool sibling = other->family == u->family && other->features != 0 && runnable(*other);
            has_sme |= sibling && (kai::run_features(*other) & kSme) != 0 && other->get_nr() == u->get_nr() &&
                       (other->rows == KAI_ROWS_MANY) == (u->rows == KAI_ROWS_MANY);
            has_other |= other->family == u->family && runnable(*other) && (other->features & kSme) == 0;
        }
        request.without = 0;
        best = kai_registry_best(&request, nullptr, nullptr);
        ASSERT_NE(best, nullptr);
        EXPECT_EQ((kai::run_features(*best) & kSme) != 0, has_sme) << best->name;
        request.same_rhs_as = nullptr, request.without = kSme;
        best = kai_registry_best(&request, nullptr, nullptr);
        ASSERT_NE(best, nullptr);
        EXPECT_EQ((best->features & kSme) == 0, has_other) << best->name;
    }
}

TEST(Registry, DotProductsComeBeforeArmv80) {
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (!runnable(*u) || std::strstr(u->name, "_neon_dotprod") == nullptr) {
            continue;
        }
        for (const size_t m : {1, 2, 64}) {
            const kai_registry_request request = {u->family, m, u, 0, KAI_CORE_AUTO, {}};
            EXPECT_EQ(std::strstr(kai_registry_best(&request, nullptr, nullptr)->name, "_neon_mlal"), nullptr);
        }
    }
}

// Every family of indirect micro-kernels belongs to a matmul, and each of its entries reads what one of that packs.
TEST(Registry, IndirectFamilies) {
    std::set<std::string> indirect;
    for (size_t i = 0; i < kai_registry_family_count(); ++i) {
        const char* matmul = kai_registry_family(i);
        const char* family = kai_registry_indirect_family(matmul);
        if (family == nullptr) {
            continue;
        }
        EXPECT_TRUE(indirect.insert(family).second) << family;
        for (size_t j = 0; const kai_ukernel* u = kai_registry_ukernel(j); ++j) {
            if (strcmp(u->family, family) != 0 || !kai_registry_runnable(u->features, nullptr, 0)) {
                continue;
            }
            kai_registry_request request = {};
            request.family = matmul, request.m = 2, request.same_rhs_as = u;
            const kai_ukernel* of = kai_registry_best(&request, nullptr, nullptr);
            ASSERT_NE(of, nullptr) << u->name;
            EXPECT_EQ(of->dst_type, u->dst_type) << u->name;
        }
    }
    for (size_t i = 0; i < kai_registry_family_count(); ++i) {
        const std::string family = kai_registry_family(i);
        if (family.find("imatmul_") == 0) {  // this build may lack its matmul
            EXPECT_STREQ(kai_registry_indirect_family(family.c_str() + 1), family.c_str());
        } else {
            EXPECT_EQ(indirect.count(family), 0U) << family;
        }
    }
    EXPECT_EQ(kai_registry_indirect_family("imatmul_clamp_f32_f32_f32p"), nullptr);
    EXPECT_EQ(kai_registry_indirect_family(""), nullptr);
}

TEST(Registry, ListsTheFamiliesOfGgufTypes) {
    for (uint32_t type = 0; type < 70; ++type) {
        std::set<std::string> want, got;
        for (size_t i = 0; i < kai_registry_ukernel_count(); ++i) {
            const kai_ukernel& u = *kai_registry_ukernel(i);
            if (type < 64 && (u.gguf_types >> type & 1) != 0) {
                want.insert(u.family);
            }
        }
        std::array<kai_registry_entries, 64> families = {};
        const size_t count = kai_registry_gguf_families(type, families.data(), families.size());
        ASSERT_EQ(count, want.size()) << type;
        for (size_t i = 0; i < count; ++i) {
            const auto [first, end] = families[i];
            got.insert(first->family);
            for (const kai_ukernel* u = first; u != end; ++u) {
                EXPECT_STREQ(u->family, first->family);
            }
            const auto all = static_cast<size_t>(end - first);
            EXPECT_TRUE(first == kai_registry_ukernel(0) || strcmp((first - 1)->family, first->family) != 0);
            EXPECT_TRUE(
                kai_registry_ukernel(first - kai_registry_ukernel(0) + all) == nullptr ||
                strcmp(end->family, first->family) != 0);
        }
        EXPECT_EQ(got, want) << type;
        EXPECT_EQ(kai_registry_gguf_families(type, nullptr, 0), count);  // counts only
    }
}

TEST(Registry, BestExplainsItsChoice) {
    std::map<std::string, size_t> family_sizes;
    for (const kai_ukernel* u : test::all_ukernels()) {
        ++family_sizes[u->family];
    }
    for (const auto& [family, size] : family_sizes) {
        for (int i = 0; i < 4 * KAI_CORE_COUNT; ++i) {
            const size_t m = std::array<size_t, 4>{0, 1, 2, 64}[static_cast<size_t>(i % 4)];
            const auto core = static_cast<kai_cpu_core>(i / 4);
            const kai_registry_request request = {family.c_str(), m, nullptr, 0, core, {}};
            const auto [best, reasons, count] = Explained(request);
            EXPECT_EQ(reasons.size(), size);
            EXPECT_EQ(count, size);
            bool any_runnable = false, any_runs = false, any_fits = false;
            for (const auto& [u, reason] : reasons) {
                EXPECT_STREQ(u->family, family.c_str());
                EXPECT_NE(reason, "");
                EXPECT_EQ(reason == "chosen", u == best) << u->name << ": " << reason;
                any_runnable |= runnable(*u);
                any_runs |= runnable(*u) && u->features != 0;
                any_fits |= runnable(*u) && u->features != 0 && (u->rows == KAI_ROWS_MANY) == (m > 1);
                if (!runnable(*u)) {
                    EXPECT_EQ(reason.rfind("CPU lacks ", 0), 0u) << reason;
                } else if (u->features == 0 && u != best) {
                    EXPECT_EQ(reason, "is portable: slower than " + std::string(best->name));
                    EXPECT_TRUE(best->features != 0 || best->rows != u->rows || best < u) << u->name;  // the first one
                } else if (reason.rfind("is for CPUs without", 0) == 0) {
                    EXPECT_NE(std::strstr(u->name, "_neon_mlal"), nullptr);
                    EXPECT_EQ(std::strstr(best->name, "_neon_mlal"), nullptr);
                } else if (reason == "is for a RHS that is packed for SME") {
                    EXPECT_NE(u->size_only_features, 0u);
                    EXPECT_EQ(best->size_only_features, 0u);
                } else if (reason == "is for many rows") {
                    EXPECT_NE(best->rows, KAI_ROWS_MANY);
                    EXPECT_EQ(u->rows, KAI_ROWS_MANY);
                } else if (reason == "is for one row") {
                    EXPECT_NE(best->rows, KAI_ROWS_ONE);
                    EXPECT_EQ(u->rows, KAI_ROWS_ONE);
                } else if (reason == "takes one row at a time") {
                    EXPECT_EQ(best->rows, KAI_ROWS_MANY);
                    EXPECT_EQ(u->rows, KAI_ROWS_EACH);
                } else if (u < best) {
                    const kai_cpu_core its = core != KAI_CORE_AUTO ? core : kai_cpu_fastest_core().core;
                    EXPECT_EQ(
                        reason,
                        "is slower than " + std::string(best->name) + " on cores like " + kai_cpu_core_name(its));
                    EXPECT_NE(its, KAI_CORE_GENERIC);
                } else if (u != best) {
                    EXPECT_EQ(reason, "comes after " + std::string(best->name) + " in the catalogue");
                }
            }
            EXPECT_EQ(best != nullptr, any_runnable);
            if (best != nullptr) {
                EXPECT_TRUE(runnable(*best));
                EXPECT_EQ(best->features != 0, any_runs) << best->name;
                EXPECT_TRUE(!any_fits || (best->rows == KAI_ROWS_MANY) == (m > 1)) << best->name;
            }
            EXPECT_EQ(kai_registry_best(&request, nullptr, nullptr), best);
        }
    }
}

/// The lines KAI_PREFER of the catalogues.
constexpr struct {
    kai_cpu_core core;
    const char *preferred, *other;
} kPreferences[] = {
#undef KAI_PREFER
#define KAI_PREFER(CORE, NAME, OTHER) {KAI_CORE_##CORE, #NAME, #OTHER},
#include "kai/ukernels/families.def"
};

// A class of cores changes the order of families that have lines for it, as these lines say, and nothing else.
TEST(Registry, OrderForCores) {
    const size_t count = kai_registry_ukernel_count();
    for (int i = KAI_CORE_GENERIC; i < KAI_CORE_COUNT; ++i) {
        const auto core = static_cast<kai_cpu_core>(i);
        std::map<std::string, size_t> places;
        for (size_t at = 0; at < count; ++at) {
            const kai_ukernel* u = kai_registry_ukernel_for(core, at);
            ASSERT_NE(u, nullptr) << at;
            EXPECT_STREQ(u->family, kai_registry_ukernel(at)->family);
            EXPECT_TRUE(places.emplace(u->name, at).second) << u->name;
        }
        EXPECT_EQ(kai_registry_ukernel_for(core, count), nullptr);
        EXPECT_EQ(kai_registry_ukernel_for(core, ~size_t{0}), nullptr);
        std::set<std::string> moved;
        std::set<std::pair<std::string, std::string>> its;
        for (const auto& line : kPreferences) {
            if (line.core == core) {
                moved.insert(line.preferred);
                its.emplace(line.preferred, line.other);
            }
        }
        for (const auto& line : kPreferences) {  // of all classes
            const auto preferred = places.find(line.preferred), other = places.find(line.other);
            if (preferred != places.end() && other != places.end()) {
                EXPECT_EQ(preferred->second < other->second, its.count({line.preferred, line.other}) != 0)
                    << kai_cpu_core_name(core) << ": " << line.preferred << ", " << line.other;
            }
        }
        std::string last_family;
        size_t last = 0;
        for (size_t at = 0; at < count; ++at) {  // all others stay in the order of the catalogue
            const kai_ukernel* u = kai_registry_ukernel_for(core, at);
            const auto place = static_cast<size_t>(u - kai_registry_ukernel(0));
            if (moved.count(u->name) == 0) {
                EXPECT_TRUE(last_family != u->family || last < place) << u->name;
                last_family = u->family, last = place;
            }
        }
    }
    // Any number is a class.
    for (const int core : {-1, static_cast<int>(KAI_CORE_COUNT), 1000000}) {
        for (size_t at = 0; at < count; ++at) {
            EXPECT_EQ(kai_registry_ukernel_for(static_cast<kai_cpu_core>(core), at), kai_registry_ukernel(at));
        }
    }
}

/// The best micro-kernel of a family for m rows on cores of a class; "" if there is none.
std::string best_on(kai_cpu_core core, const char* family, size_t m) {
    const kai_registry_request request = {family, m, nullptr, 0, core, {}};
    const kai_ukernel* best = kai_registry_best(&request, nullptr, nullptr);
    return best != nullptr ? best->name : "";
}

// What is chosen on a Cortex-A55 and on a Cortex-A510, by the figures of docs/performance/cores.md.
TEST(Registry, BestOfCores) {
    const struct {
        kai_cpu_core core;
        const char* without;  // features of a CPU with more
        const char* family;
        size_t m;
        const char *best, *generic;
    } cases[] = {
        {KAI_CORE_CORTEX_A55, "i8mm,bf16,sve,sme", "matmul_clamp_f32_f32_f32p", 64,
         "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla_cortexa55", "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla"},
        {KAI_CORE_CORTEX_A55, "all", "matmul_clamp_f32_f32_f32p", 64,
         "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla_cortexa55", "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla"},
        {KAI_CORE_CORTEX_A55, "i8mm,bf16,sve,sme", "matmul_clamp_f16_f16_f16p", 64,
         "matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla_cortexa55", "matmul_clamp_f16_f16_f16p32x1b_6x32_neon_mla"},
        {KAI_CORE_CORTEX_A55, "i8mm,bf16,sve,sme", "matmul_clamp_f32_qsi8d32p_qsi8c32p", 64,
         "matmul_clamp_f32_qsi8d32p4x4_qsi8c32p4x4_16x4_neon_dotprod_cortexa55",
         "matmul_clamp_f32_qsi8d32p4x4_qsi8c32p4x4_16x4_neon_dotprod"},
        {KAI_CORE_CORTEX_A510, "sme", "matmul_clamp_f32_f32_f32p", 64, "matmul_clamp_f32_f32_f32p16x1b_6x16_neon_mla",
         "matmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla"},
        {KAI_CORE_CORTEX_A510, "sme", "matmul_clamp_f32_f32_f32kxn", 64, "matmul_clamp_f32_f32_f32kxn_6x16_neon_mla",
         "matmul_clamp_f32_f32_f32kxn_6x4vl_sve_mla"},
        {KAI_CORE_CORTEX_A510, "sme", "matmul_clamp_f16_f16_f16kxn", 64, "matmul_clamp_f16_f16_f16kxn_6x32_neon_mla",
         "matmul_clamp_f16_f16_f16kxn_6x8vl_sve_mla"},
        {KAI_CORE_CORTEX_A510, "sme", "matmul_clamp_f32_f32_f32nxk", 1, "matmul_clamp_f32_f32_f32nxk_6x4_neon_mla",
         "matmul_clamp_f32_f32_f32nxk_6x4_sve_mla"},
        {KAI_CORE_CORTEX_A510, "sme", "matmul_clamp_f32_qsi8d32p_qsi4c32p", 64,
         "matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_8x4x32_neon_i8mm",
         "matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm"},
        {KAI_CORE_CORTEX_A510, "sme", "matmul_clamp_f32_qsi8d256p_qau5c32x256p", 1,
         "matmul_clamp_f32_qsi8d256p1x4_qau5c32x256p4x4_1x4_neon_dotprod",
         "matmul_clamp_f32_qsi8d256p1x8_qau5c32x256p4x8_1x4_neon_i8mm"},
        {KAI_CORE_CORTEX_A55, "i8mm,bf16,sve,sme", "matmul_clamp_f32_qsi8d32p_qsi4c32p", 1,
         "matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod",
         "matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod"},
    };
    for (const auto& c : cases) {
        const test::DisabledFeatures hidden(c.without);
        const kai_ukernel *best = kai_registry_find_ukernel(c.best), *generic = kai_registry_find_ukernel(c.generic);
        if (best == nullptr || generic == nullptr || !runnable(*best) || !runnable(*generic)) {
            continue;
        }
        EXPECT_EQ(best_on(c.core, c.family, c.m), c.best);
        EXPECT_EQ(best_on(KAI_CORE_GENERIC, c.family, c.m), c.generic);
        const kai_cpu_core here = kai_cpu_fastest_core().core;
        EXPECT_EQ(best_on(KAI_CORE_AUTO, c.family, c.m), best_on(here, c.family, c.m));
    }
}

// Where there is no micro-kernel for many rows, one that takes any m comes before one that takes one row. (Portable
// ones come last, even if the others take one row.)
TEST(Registry, RowAfterRowBeforeOneRow) {
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (!runnable(*u) || u->rows != KAI_ROWS_ONE) {
            continue;
        }
        const kai_registry_request request = {u->family, 37, u, 0, KAI_CORE_AUTO, {}};
        const kai_ukernel* best = kai_registry_best(&request, nullptr, nullptr);
        ASSERT_NE(best, nullptr);
        for (const kai_ukernel* other : test::all_ukernels()) {
            const kai_registry_request pair = {u->family, 37, other, 0, KAI_CORE_AUTO, {}};
            const bool is_portable = other->features == 0 && best->features != 0;
            if (std::strcmp(other->family, u->family) == 0 && runnable(*other) && !is_portable &&
                kai_registry_best(&pair, nullptr, nullptr) == best) {  // they share one RHS
                EXPECT_LE(best->rows, other->rows) << best->name << ", " << other->name;
            }
        }
    }
}

// Room for members of later versions: a client that was built for a newer library gets nothing, and is told why.
TEST(Registry, RefusesReservedRoom) {
    kai_registry_request request = {};
    request.family = "matmul_clamp_f32_f32_f32p", request.m = 5;
    EXPECT_NE(Explained(request).best, nullptr);
    for (uint64_t& word : request.reserved) {
        for (const unsigned bit : {0U, 63U}) {
            word = uint64_t{1} << bit;
            EXPECT_EQ(kai_registry_best(&request, nullptr, nullptr), nullptr);
            std::string said;
            const auto explain = [](void* context, const kai_ukernel* u, const char* reason) {
                *static_cast<std::string*>(context) += (u == nullptr ? "" : u->name + std::string(": ")) + reason;
            };
            EXPECT_EQ(kai_registry_best(&request, explain, &said), nullptr);
            EXPECT_EQ(said, SAID(reserved, "request"));
        }
        word = 0;
    }
}

TEST(Registry, SixRowsOfSveAreForManyRows) {
    const char* name = "matmul_clamp_f32_f32_f32p4vlx1b_6x4vl_sve_mla";
    const kai_ukernel* u = kai_registry_find_ukernel(name);
    if (u == nullptr || !runnable(*u)) {
        GTEST_SKIP() << name;
    }
    EXPECT_EQ(u->rows, KAI_ROWS_MANY);
    const test::DisabledFeatures sme("sme");
    const Explained many({u->family, 37, nullptr, 0, KAI_CORE_GENERIC, {}});
    EXPECT_EQ(many.best, u);
    const Explained one({u->family, 1, u, 0, KAI_CORE_GENERIC, {}});
    EXPECT_EQ(one.best, u);
}

TEST(Registry, Families) {
    std::set<std::string> families, listed;
    for (const kai_ukernel* u : test::all_ukernels()) {
        families.insert(u->family);
    }
    for (size_t i = 0; i < kai_registry_family_count(); ++i) {
        ASSERT_NE(kai_registry_family(i), nullptr);
        EXPECT_TRUE(listed.insert(kai_registry_family(i)).second) << "twice: " << kai_registry_family(i);
    }
    EXPECT_EQ(listed, families);
    EXPECT_EQ(kai_registry_family(kai_registry_family_count()), nullptr);
    EXPECT_EQ(kai_registry_family(~size_t{0}), nullptr);
}

TEST(Registry, UnknownFamilies) {
    const auto check = [](const char* family, const std::string& expected) {
        for (const size_t m : {1, 64}) {
            const Explained explained({family, m, nullptr, 0, KAI_CORE_AUTO, {}});
            EXPECT_EQ(explained.best, nullptr);
            ASSERT_EQ(explained.count, 1u);
            EXPECT_EQ(explained.reasons.count(nullptr), 1u);
            EXPECT_EQ(explained.reasons.begin()->second.rfind(expected, 0), 0u) << explained.reasons.begin()->second;
        }
    };
    check("", "no family named \"\"; ");
    check(nullptr, "no family named \"\"; ");
    check(std::string(5000, 'x').c_str(), "no family named \"xxxx");
    for (size_t i = 0; i < kai_registry_family_count(); ++i) {
        const std::string family = kai_registry_family(i);
        std::string wrong = family;
        wrong.insert(wrong.size() / 2, "q_");
        check(wrong.c_str(), "no family named \"" + wrong + "\"; nearest: \"" + family + "\"");
        wrong = family;
        wrong[0] = static_cast<char>(wrong[0] - 'a' + 'A');
        check(wrong.c_str(), "no family named \"" + wrong + "\"; nearest: \"" + family + "\"");
        wrong = family + "7";  // a letter more
        check(wrong.c_str(), "no family named \"" + wrong + "\"; nearest: \"" + family + "\"");
    }
    // Case does not count: without the first letter this would be the family of f16. Of two that are as near, the
    // first.
    check(
        "matmul_clamp_BF16_qai8dxp_qsi4cxp",
        "no family named \"matmul_clamp_BF16_qai8dxp_qsi4cxp\"; nearest: \"matmul_clamp_bf16_qai8dxp_qsi4cxp\"");
    std::string first;
    for (size_t i = 0; first.empty(); ++i) {
        const std::string family = kai_registry_family(i);
        first =
            family == "matmul_clamp_f32_qai8dxp_qsi4cxp" || family == "matmul_clamp_f32_qai8dxp_qsi8cxp" ? family : "";
    }
    check(
        "matmul_clamp_f32_qai8dxp_qsi6cxp",
        "no family named \"matmul_clamp_f32_qai8dxp_qsi6cxp\"; nearest: \"" + first + "\"");
    // In the catalogue, but perhaps not in this build.
    const char* family = "matmul_clamp_f32_f32p_f32p";
    if (kai_registry_find_ukernel("matmul_clamp_f32_f32p2vlx1_f32p2vlx1b_2vlx2vl_sme_mopa") == nullptr) {
        check(family, "this build has no micro-kernel of family \"matmul_clamp_f32_f32p_f32p\"");
    }
}

// The registry executes no instruction that this CPU lacks.
TEST(Registry, AsksNothingThatTheCpuLacks) {
    for (const kai_ukernel* u : test::all_ukernels()) {
        SCOPED_TRACE(u->name);
        const bool known = (u->size_features & ~kai_cpu_system_features()) == 0;
        const kai_packer *lhs = nullptr, *rhs = nullptr;
        std::vector<Explained> explained;
        const Ending ending = ending_of([&] {
            lhs = kai_registry_lhs_packer(u, 0);
            rhs = kai_registry_rhs_packer(u, 0);
            for (const size_t m : {1, 37}) {
                explained.emplace_back(kai_registry_request{u->family, m, u, 0, KAI_CORE_AUTO, {}});
            }
        });
        ASSERT_TRUE(ending.returned) << "signal " << ending.signal << ' ' << ending.text;
        for (const size_t m : {1, 37}) {
            const Explained e({u->family, m, u, 0, KAI_CORE_AUTO, {}});
            if (!known) {
                EXPECT_EQ(e.best, nullptr);
                EXPECT_EQ(kai_registry_lhs_packer(u, 0), nullptr);
                EXPECT_EQ(kai_registry_rhs_packer(u, 0), nullptr);
                for (const auto& [other, reason] : e.reasons) {
                    EXPECT_TRUE(
                        !runnable(*other) ||
                        reason == "this CPU cannot tell the sizes of the packed RHS of " + std::string(u->name))
                        << reason;
                }
            }
        }
    }
    for (const kai_packer* p : test::all_packers()) {
        SCOPED_TRACE(p->name);
        const Ending ending = ending_of([&] {
            for (const size_t rows : {0, 1, 4, 8, 16, 32, 64}) {
                for (const size_t kr : {1, 2, 4, 8, 16}) {
                    p->accepts(rows, kr, 1);
                    p->accepts(rows, kr, 2);
                }
            }
        });
        EXPECT_TRUE(ending.returned) << "signal " << ending.signal << ' ' << ending.text;
    }
}

/// Getters either answer, or say that the CPU has no such vectors.
::testing::AssertionResult answers_or_says_why(const Ending& ending, const char* name, bool may_abort) {
    if (ending.returned) {
        return ::testing::AssertionSuccess();
    }
    const std::string why = SAID_AS(no_vector_length, "S[MV]E", ".*");
    const std::regex sentence(std::string(name) + ": " + std::regex_replace(why, std::regex("[()]"), "\\$&") + "\n");
    if (may_abort && ending.signal == SIGABRT && std::regex_search(ending.text, sentence)) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << "signal " << ending.signal << ", " << ending.text;
}

TEST(Registry, GettersAnswerOrSayThatTheVectorLengthIsMissing) {
    const uint64_t system = kai_cpu_system_features();
    for (const kai_ukernel* u : test::all_ukernels()) {
        SCOPED_TRACE(u->name);
        const bool unknown = (u->size_features & ~system) != 0;
        if (!unknown && u->size_features != 0) {
            continue;  // called everywhere else
        }
        size_t aborts = 0;
        const std::array getters = {u->get_m_step, u->get_n_step, u->get_mr, u->get_nr, u->get_kr, u->get_sr};
        // If all of them answer, one process serves all: processes are slow under emulation.
        const size_t at_once = unknown ? 1 : getters.size();
        for (size_t i = 0; i < getters.size(); i += at_once) {
            const Ending ending = ending_of(
                [&] { std::for_each_n(getters.begin() + i, at_once, [](kai_get_size_fn* getter) { getter(); }); });
            EXPECT_TRUE(answers_or_says_why(ending, u->name, unknown));
            aborts += !ending.returned;
        }
        EXPECT_EQ(aborts > 0, unknown);
        const bool has_offsets = u->get_dst_offset != nullptr;
        for (const bool lhs : {true, false}) {
            const Ending ending = ending_of([&] {
                kai::KernelArgs a = {};
                kai::set_depth(a, 256);
                a.bl = 32;
                if (has_offsets) {
                    (lhs ? kai::lhs_offset(*u, a, kai::Direct{}) : kai::rhs_offset(*u, a, kai::Direct{}));
                }
            });
            EXPECT_TRUE(answers_or_says_why(ending, u->name, unknown));
        }
        const Ending ending = ending_of([&] {
            if (has_offsets) {
                u->get_dst_offset(0, 0, 1);
                u->get_dst_size(1, 1);
            }
        });
        EXPECT_TRUE(answers_or_says_why(ending, u->name, unknown));
    }
    for (const kai_packer* p : test::all_packers()) {
        SCOPED_TRACE(p->name);
        const bool lacking = (p->features & ~system) != 0, depthwise = kai::is_depthwise(*p);
        reference::Tile tile = {4, 8, 2};
        for (const reference::Tile& other : {reference::Tile{4, 16, 2}, {4, 4, 2}, {4, 4, 1}, {8, 4, 1}, {1, 4, 1}}) {
            if (!p->accepts(tile.rows, tile.kr, tile.sr)) {  // with assertions its getters ask for these
                tile = other;
            }
        }
        const Ending ending = ending_of([&] {
            if (depthwise) {
                kai::as<kai_get_rhs_dwconv_size_fn>(p->get_packed_size)(3, 3, 5);
            } else {
                kai::PackerArgs a = kai::packer_args();
                a.count = 5, a.bl = 32;
                kai::set_depth(a, 256);
                a.rows = tile.rows, a.kr = tile.kr, a.sr = tile.sr;
                kai::packed_size(*p, a, kai::Direct{});
            }
        });
        EXPECT_TRUE(answers_or_says_why(ending, depthwise ? p->name + 4 : p->name, lacking));
    }
}

// Creation functions of the unified API only return a table.
TEST(Registry, TablesOfTheUnifiedApiNeedNoCpu) {
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (kai::is_unified(*u)) {
            const Ending ending = ending_of([&] { kai::api_of(*u); });
            EXPECT_TRUE(ending.returned) << u->name << ": signal " << ending.signal;
        }
    }
    for (const kai_packer* p : test::all_packers()) {
        const Ending ending = ending_of([&] {
            if (kai::is_unified(*p)) {
                kai::is_lhs(*p) ? static_cast<void>(kai::lhs_api_of(*p)) : static_cast<void>(kai::rhs_api_of(*p));
            }
        });
        EXPECT_TRUE(ending.returned) << p->name << ": signal " << ending.signal;
    }
}

TEST(Registry, SaysWhyItCannotRun) {
    char reason[8] = "unset";
    EXPECT_TRUE(kai_registry_runnable(0, reason, sizeof(reason)));
    const auto check = [&] {
        for (int f = 0; f < KAI_CPU_FEATURE_COUNT; ++f) {
            char text[256] = "";
            const kai_cpu_answer answer = kai_cpu_query(static_cast<kai_cpu_feature>(f));
            EXPECT_EQ(kai_registry_runnable(uint64_t{1} << f, text, sizeof(text)), answer.present);
            EXPECT_EQ(kai_registry_runnable(uint64_t{1} << f, nullptr, 0), answer.present);
            if (!answer.present) {
                std::string name = kai_cpu_feature_name(static_cast<kai_cpu_feature>(f));
                std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
                EXPECT_EQ(text, "CPU lacks " + name + " (" + answer.reason + ")");
                kai_registry_runnable(uint64_t{1} << f, reason, sizeof(reason));  // a short buffer is cut, not overrun
                EXPECT_EQ(std::string(reason), std::string(text).substr(0, sizeof(reason) - 1));
            }
        }
    };
    check();
    const test::DisabledFeatures all("all");
    check();
}

TEST(Registry, UnknownFeatureBitsCannotRun) {
    for (int f = KAI_CPU_FEATURE_COUNT; f < 64; ++f) {
        char text[256] = "";
        EXPECT_FALSE(kai_registry_runnable(uint64_t{1} << f, text, sizeof(text))) << f;
        EXPECT_EQ(text, "bit " + std::to_string(f) + " of the features means nothing to this library");
        EXPECT_FALSE(kai_registry_runnable(uint64_t{1} << f, nullptr, 0));
    }
    EXPECT_FALSE(kai_registry_runnable(~uint64_t{0}, nullptr, 0));
}

}  // namespace
