// Getters compute from what the format uses and ignore the rest: numbers that `run` does not take neither end the
// program nor change a result that does not depend on them. In builds with assertions they reject a number that
// matters.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "kai/call.hpp"
#include "kai/kai_registry.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"
#include "test/support/coverage.hpp"
#include "test/support/ending.hpp"
#include "test/support/library_build.hpp"
#include "test/support/said.hpp"

// A build may lack a packer.
#define GETTER(NAME, ...) extern "C" [[gnu::weak]] decltype(kai_get_##NAME) kai_get_##NAME;
#include "test/data/getters.def"
#undef GETTER

namespace {

/// A call of getters.def.
struct Recorded {
    const char *name, *arguments;
    size_t value;
    size_t (*call)();
    bool exists;
};

const Recorded kRecorded[] = {
#define GETTER(NAME, VALUE, ...)                                                        \
    {"kai_get_" #NAME, #__VA_ARGS__, VALUE, [] { return kai_get_##NAME(__VA_ARGS__); }, \
     static_cast<decltype(kai_get_##NAME)*>(kai_get_##NAME) != nullptr},
#include "test/data/getters.def"
#undef GETTER
};

TEST(Getters, ReturnWhatTheEstablishedLibraryReturns) {
    size_t equal = 0;
    std::set<std::string> names, missing;
    for (const Recorded& recorded : kRecorded) {
        SCOPED_TRACE(std::string(recorded.name) + "(" + recorded.arguments + ")");
        names.insert(recorded.name);
        if (!recorded.exists) {
            missing.insert(recorded.name);
            continue;
        }
        size_t value = 0;
        const test::Ending ending = test::ending_of([&] { value = recorded.call(); });
        if (test::library_asserts && !ending.returned) {  // it names a number that matters
            EXPECT_EQ(ending.text.rfind(recorded.name, 0), 0u) << ending.text;
            EXPECT_TRUE(
                ending.text.find(": bl") != std::string::npos || ending.text.find(": k = ") != std::string::npos ||
                ending.text.find(SAID(odd, "n_idx", 1)) != std::string::npos)
                << ending.text;
            ++equal;
        } else {
            EXPECT_TRUE(ending.returned) << ending.text;
            EXPECT_EQ(value, recorded.value);
            equal += ending.returned && value == recorded.value;
        }
    }
    std::printf("%zu of %zu calls of %zu getters\n", equal, std::size(kRecorded), names.size());
    EXPECT_EQ(std::size(kRecorded), 312u);
    EXPECT_EQ(names.size(), 57u);
    EXPECT_EQ(missing, std::set<std::string>());
}

// kr and sr are nothing that a size depends on, where k is not padded to groups: with assertions, too. ggml passes the
// block length in the place of sr.
TEST(Getters, TheBlockLengthInThePlaceOfSr) {
    size_t packers = 0;
    for (const kai_packer* p : test::all_packers()) {
        if (kai::is_lhs(*p) || kai::is_unified(*p) || !(kai::has_channels(*p) || kai::has_block_sums(*p))) {
            continue;
        }
        SCOPED_TRACE(p->name);
        kai::PackerArgs a = kai::packer_args();
        a.count = a.index = 64, a.k = 128, a.bl = 32, a.rows = 4, a.kr = 8, a.sr = 2;
        const size_t size = kai::packed_size(*p, a, kai::Direct{}), offset = kai::packed_offset(*p, a, kai::Direct{});
        EXPECT_EQ(size, offset);  // of a whole number of panels
        for (const size_t sr : {0, 1, 3, 32}) {
            for (const size_t kr : {0, 1, 8}) {
                a.kr = kr, a.sr = sr;
                EXPECT_EQ(kai::packed_size(*p, a, kai::Direct{}), size) << kr << ", " << sr;
                EXPECT_EQ(kai::packed_offset(*p, a, kai::Direct{}), offset) << kr << ", " << sr;
            }
        }
        ++packers;
    }
    EXPECT_GE(packers, 13u);
}

#define WEAK(NAME) extern "C" [[gnu::weak]] decltype(NAME) NAME;
WEAK(kai_get_m_step_lhs_pack_f32p2vlx1_f32_sme)
WEAK(kai_get_lhs_packed_offset_lhs_pack_f32p2vlx1_f32_sme)
WEAK(kai_get_lhs_packed_size_lhs_pack_f32p2vlx1_f32_sme)
WEAK(kai_get_m_step_lhs_pack_bf16p2vlx2_f32_sme)
WEAK(kai_get_m_step_lhs_pack_bf16p2vlx2_f32_sme2)
WEAK(kai_get_m_step_lhs_pack_bf16p8x4_f16_neon)
WEAK(kai_get_m_step_lhs_quant_pack_bf16p8x4_f32_neon)
#undef WEAK

// The rows of a panel are a matter of the format there: the caller's mr is ignored.
TEST(Getters, RowsOfTheFormat) {
    const size_t rows = kai_cpu_sme_bytes() / 2;  // 2 words of 32 bits per vector
    for (const size_t mr : {size_t{0}, size_t{1}, size_t{8}, rows}) {
        const auto is_step = [&](kai_get_m_step_fn* step, size_t want) {
            if (step != nullptr && want != 0) {
                EXPECT_EQ(step(mr), want);
            }
        };
        is_step(kai_get_m_step_lhs_pack_f32p2vlx1_f32_sme, rows);
        is_step(kai_get_m_step_lhs_pack_bf16p2vlx2_f32_sme, rows);
        is_step(kai_get_m_step_lhs_pack_bf16p2vlx2_f32_sme2, rows);
        is_step(kai_get_m_step_lhs_pack_bf16p8x4_f16_neon, 8);
        is_step(kai_get_m_step_lhs_quant_pack_bf16p8x4_f32_neon, 8);
        if (rows != 0 && kai_get_lhs_packed_size_lhs_pack_f32p2vlx1_f32_sme != nullptr) {
            const size_t panel = rows * 13 * sizeof(float);
            EXPECT_EQ(kai_get_lhs_packed_size_lhs_pack_f32p2vlx1_f32_sme(2 * rows + 1, 13, mr, mr, mr), 3 * panel);
            EXPECT_EQ(kai_get_lhs_packed_offset_lhs_pack_f32p2vlx1_f32_sme(2 * rows, 13, mr, mr, mr), 2 * panel);
        }
    }
}

constexpr size_t kNumbers[] = {0, 1, 3, 16, 33, 128};

/// All getters of a micro-kernel with such numbers.
size_t sum_of_getters(const kai_ukernel& u) {
    size_t sum = 0;
    for (const size_t index : kNumbers) {
        for (const size_t k : kNumbers) {
            for (const size_t bl : kNumbers) {
                kai::KernelArgs a = {};
                a.index = index, a.bl = bl, a.lhs_stride = a.rhs_stride = k;
                kai::set_depth(a, k, 1 + k % 2);
                sum += kai::lhs_offset(u, a, kai::Direct{}) + kai::rhs_offset(u, a, kai::Direct{});
                sum += kai::dst_offset(u, index, bl, k, kai::Direct{});
            }
        }
    }
    return sum;
}

size_t sum_of_getters(const kai_packer& p) {
    size_t sum = 0;
    kai::PackerArgs a = kai::packer_args();
    for (const size_t index : kNumbers) {
        for (const size_t k : kNumbers) {
            for (const size_t bl : kNumbers) {
                for (const size_t rows : kNumbers) {
                    for (const size_t kr : kNumbers) {
                        a.count = a.index = index, a.bl = a.stride = bl, a.rows = rows, a.kr = kr;
                        a.sr = (kr + bl) % 5;
                        kai::set_depth(a, k, 1 + k % 2);
                        sum += kai::packed_size(p, a, kai::Direct{}) + kai::packed_offset(p, a, kai::Direct{});
                        sum += kai::source_offset(p, a, kai::Direct{});
                    }
                }
            }
        }
    }
    return sum;
}

template <typename Entry>
void expect_returns(const Entry& entry) {
    size_t sum = 0;
    const test::Ending ending = test::ending_of([&] { sum = sum_of_getters(entry); });
    EXPECT_TRUE(ending.returned) << entry.name << " ends with signal " << ending.signal << ": " << ending.text;
    EXPECT_GT(sum, 0u);
}

// Without assertions no number ends the program, not even by a division.
TEST(Getters, NoNumberEndsTheProgram) {
    if (test::library_asserts) {
        GTEST_SKIP() << "with assertions they reject what matters";
    }
    char why[128];
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (kai_registry_runnable(u->features, why, sizeof(why)) && !kai::is_depthwise(*u)) {
            expect_returns(*u);
        }
    }
    for (const kai_packer* p : test::all_packers()) {
        if (kai_registry_runnable(p->features, why, sizeof(why)) && !kai::is_depthwise(*p)) {
            expect_returns(*p);
        }
    }
}

}  // namespace
