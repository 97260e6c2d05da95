// kai_call.h: what it rejects, and packing on every host. (Matmul.ByKaiCall: every micro-kernel and packer through it.)
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kai/call.hpp"
#include "kai/kai_call.h"
#include "test/reference/formats.hpp"
#include "test/reference/quantise.hpp"
#include "test/support/coverage.hpp"
#include "test/support/ending.hpp"
#include "test/support/library_build.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/operands.hpp"
#include "test/support/packing.hpp"
#include "test/support/said.hpp"

using test::GuardedBuffer;

namespace {

template <size_t value>
size_t size() {
    return value;
}

size_t no_offset(size_t, size_t, size_t) {
    return 0;
}

/// A micro-kernel that is never run here, so that there is one on every host.
kai_ukernel some_ukernel(kai_ukernel_signature signature, const char* lhs_format, const char* rhs_format) {
    kai_ukernel u = {};
    u.name = "some_kernel", u.family = "some_family";
    u.signature = signature;
    u.dst_type = kai_dt_f32;
    u.lhs_format = lhs_format, u.rhs_format = rhs_format;
    u.get_m_step = size<8>, u.get_n_step = size<4>;
    u.get_mr = u.get_nr = size<4>;
    u.get_kr = size<16>, u.get_sr = size<2>;
    u.get_dst_offset = no_offset;
    return u;
}

const kai_ukernel kBlocks = some_ukernel(KAI_UKERNEL_MATMUL_BL, "qsi8d32p", "qsi4c32p");
const kai_ukernel kIndices = some_ukernel(KAI_UKERNEL_MATMUL_BL, "qsi8d32p", "qlu4c32p");
const kai_ukernel kChannels = some_ukernel(KAI_UKERNEL_MATMUL, "qai8dxp", "qsi4cxp");
const kai_ukernel kDepthwise = some_ukernel(KAI_UKERNEL_DWCONV, "f32", "f32pbiasf32");
const kai_ukernel kPlain = some_ukernel(KAI_UKERNEL_MATMUL_PLAIN, "f32", "f32_kxn");
const kai_ukernel kChunks = some_ukernel(KAI_UKERNEL_IMATMUL, "f32p", "f32pbiasf32");

/// A problem with all its operands, which are zeros.
kai_call right_call(const kai_ukernel& u) {
    static uint8_t operands[1 << 14];
    kai_call c = {};
    c.ukernel = &u;
    c.lhs_packer = kai_registry_lhs_packer(&u, 0);
    c.rhs_packer = kai_registry_rhs_packer(&u, 0);
    c.m = 5, c.n = 10, c.k = 64, c.bl = 32;
    c.rhs_zero_point = 8;
    c.lhs = c.rhs = c.lhs_packed = c.rhs_packed = c.rhs_scale = c.dst = operands;
    return c;
}

// Parts of the RHS and the LHS in any order are the bytes of the whole, also on hosts without micro-kernels.
TEST(KaiCall, PacksInParts) {
    for (const kai_ukernel* u : {&kBlocks, &kIndices, &kChannels}) {
        ASSERT_NE(kai_registry_rhs_packer(u, 0), nullptr);
        for (size_t i = 0; kai_registry_rhs_packer(u, i) != nullptr; ++i) {
            kai_call c = right_call(*u);
            c.rhs_packer = kai_registry_rhs_packer(u, i);
            SCOPED_TRACE(c.rhs_packer->name);
            const reference::Format& format = *reference::find_format(u->rhs_format);
            test::Random random(1);
            const reference::Side side =
                test::make_side(format, test::Data::random, c.n, c.k, u == &kChannels ? 0 : c.bl, random);
            const test::RhsSource source(*c.rhs_packer, side, 0);
            c.rhs = source.data.data(), c.rhs_scale = source.scale.data(), c.bias = source.bias.data();
            c.bias = source.has_bias ? c.bias : nullptr;
            c.table = source.table.as<int8_t>();
            const reference::Tile tile = {4, 16, 2};
            const GuardedBuffer packed(kai_call_rhs_packed_size(&c)), whole(packed.size());
            test::run_rhs(*c.rhs_packer, tile, source, 0, c.n, whole.data());
            if (kai::packs_parts(*c.rhs_packer)) {
                kai_call_pack_rhs(&c, 8, SIZE_MAX, packed.data());
                kai_call_pack_rhs(&c, 0, 8, packed.data());
            } else {
                kai_call_pack_rhs(&c, 0, SIZE_MAX, packed.data());
            }
            EXPECT_EQ(packed.bytes(), whole.bytes());
            EXPECT_EQ(kai_call_rhs_is_kxn(c.rhs_packer), std::string(c.rhs_packer->name).find("_kxn_") != SIZE_MAX);
        }
        kai_call c = right_call(*u);
        test::Random random(2);
        const test::LhsSource source(
            *c.lhs_packer, {4, 16, 2}, test::make_floats(c.m, c.k, false, random), c.m, c.k, 3);
        c.lhs = source.rows, c.lhs_stride = source.stride;
        const GuardedBuffer packed(kai_call_lhs_packed_size(&c)), whole(packed.size());
        test::run_lhs(*c.lhs_packer, {4, 16, 2}, source, 0, c.m, c.bl, 0, whole.data());
        kai_call_pack_lhs(&c, 4, 4, packed.data());
        kai_call_pack_lhs(&c, 0, 4, packed.data());
        EXPECT_EQ(packed.bytes(), whole.bytes());
    }
}

// Rows by number, in parts: the bytes of these rows one after another.
TEST(KaiCall, PacksRowsByNumber) {
    for (const kai_ukernel* u : {&kBlocks, &kChannels}) {
        kai_call c = right_call(*u);
        ASSERT_NE(c.lhs_packer->run_rows, nullptr) << c.lhs_packer->name;
        constexpr size_t kNumbers[] = {3, 0, 3, 6, 1, 5, 2, 2, 4};
        c.m = 9;
        test::Random random(3);
        const std::vector<float> all = test::make_floats(7, c.k, false, random);
        std::vector<float> these;
        for (const size_t number : kNumbers) {
            these.insert(these.end(), all.begin() + number * c.k, all.begin() + (number + 1) * c.k);
        }
        const GuardedBuffer packed(kai_call_lhs_packed_size(&c)), want(packed.size());
        c.lhs = these.data();
        kai_call_pack_lhs(&c, 0, SIZE_MAX, want.data());
        c.lhs = all.data(), c.lhs_rows = kNumbers;
        for (const size_t first : {8, 4, 0}) {
            kai_call_pack_lhs(&c, first, 4, packed.data());
        }
        EXPECT_EQ(packed.bytes(), want.bytes()) << c.lhs_packer->name;
    }
}

// Scales of static int8: 0 means 1.
TEST(KaiCall, NoScaleMultiplierIsOne) {
    size_t count = 0;
    for (const kai_ukernel* u : test::all_ukernels()) {
        const kai_packer* packer = kai::is_depthwise(*u) ? nullptr : kai_registry_rhs_packer(u, 0);
        if (packer == nullptr || u->dst_type != kai_dt_int8 || !kai::takes_scale_multiplier(*packer) ||
            kai::is_indirect(*u) || !kai_registry_runnable(u->features | packer->features, nullptr, 0)) {
            continue;
        }
        ++count;
        kai_call c = right_call(*u);
        c.k = 32, c.n = 3;
        const std::vector<float> scales = {0.25f, 3, 7};
        const std::vector<int32_t> bias(3);
        c.rhs_scale = scales.data(), c.bias = bias.data();
        const auto pack = [&](float multiplier) {
            c.scale_multiplier = multiplier;
            const GuardedBuffer packed(kai_call_rhs_packed_size(&c), test::Flush::end, 0);
            kai_call_pack_rhs(&c, 0, SIZE_MAX, packed.data());
            return packed.bytes();
        };
        EXPECT_EQ(pack(0), pack(1)) << u->name;
        EXPECT_NE(pack(0), pack(2)) << u->name;
    }
    EXPECT_GT(count, 0u);
}

TEST(KaiCall, Sizes) {
    kai_call c = right_call(kBlocks);
    EXPECT_EQ(kai_call_dst_size(&c), 5u * 10 * sizeof(float));
    EXPECT_EQ(kai_call_rhs_packed_size(&c), 3u * 4 * 2 * (2 + 16));
    EXPECT_EQ(kai_call_lhs_packed_size(&c), 2u * 4 * 2 * (2 + 32));
    const kai_ukernel rows = some_ukernel(KAI_UKERNEL_MATMUL_ROWS, "f32", "f32pbiasf32");
    c.ukernel = &rows;
    EXPECT_EQ(kai_call_lhs_packed_size(&c), 0u);
    kai_call_pack_lhs(&c, 0, c.m, nullptr);
}

// Nothing is read or written, not even next to an empty part.
TEST(KaiCall, EmptyParts) {
    kai_call c = right_call(kBlocks);
    c.lhs = c.rhs = c.lhs_packed = c.rhs_packed = nullptr;
    c.dst = nullptr;
    kai_call_pack_rhs(&c, 0, 0, nullptr);
    kai_call_pack_rhs(&c, 12, 4, nullptr);  // after the last column
    kai_call_pack_lhs(&c, 0, 0, nullptr);
    kai_call_pack_lhs(&c, 8, SIZE_MAX, nullptr);
    kai_call_run(&c, 0, 0, 0, 10);
    kai_call_run(&c, 0, 0, 5, 0);
    kai_call_run(&c, 8, 0, 5, 10);
    kai_call_run(&c, 0, 12, SIZE_MAX, SIZE_MAX);
}

// The names of packed formats have a `p`, and no others.
TEST(KaiCall, KnowsWhichOperandIsPacked) {
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (!kai::is_depthwise(*u)) {
            EXPECT_EQ(kai::lhs_is_packed(*u), reference::find_format(u->lhs_format)->packed) << u->name;
            EXPECT_EQ(kai::rhs_is_packed(*u), reference::find_format(u->rhs_format)->packed) << u->name;
        }
    }
}

#define EXPECT_REFUSED(member, value, call, message)                  \
    do {                                                              \
        kai_call wrong = right;                                       \
        wrong.member = value;                                         \
        const kai_call* const c = &wrong;                             \
        EXPECT_ABORT(call, "^kai_call_[a-z_]*: " + (message) + "\n"); \
    } while (0)

TEST(KaiCall, WhatNoFunctionSees) {
    uint8_t* const to = nullptr;
    kai_call right = right_call(kBlocks);
    EXPECT_REFUSED(ukernel, nullptr, kai_call_run(c, 0, 0, 1, 1), SAID(null, "ukernel"));
    EXPECT_REFUSED(ukernel, nullptr, kai_call_dst_size(c), SAID(null, "ukernel"));
    for (size_t i = 0; i < sizeof(right.reserved) / sizeof(right.reserved[0]); ++i) {
        EXPECT_REFUSED(reserved[i], 1, kai_call_run(c, 0, 0, 1, 1), SAID(reserved, "call"));
        EXPECT_REFUSED(reserved[i], 1, kai_call_pack_rhs(c, 0, 1, to), SAID(reserved, "call"));
        EXPECT_REFUSED(reserved[i], 1, kai_call_pack_lhs(c, 0, 1, to), SAID(reserved, "call"));
        EXPECT_REFUSED(reserved[i], 1, kai_call_lhs_packed_size(c), SAID(reserved, "call"));
    }
    EXPECT_REFUSED(ukernel, &kDepthwise, kai_call_run(c, 0, 0, 1, 1), SAID(depthwise_call, "some_kernel"));
    EXPECT_REFUSED(rhs_packer, nullptr, kai_call_pack_rhs(c, 0, 1, to), SAID(null, "rhs_packer"));
    EXPECT_REFUSED(lhs_packer, nullptr, kai_call_lhs_packed_size(c), SAID(null, "lhs_packer"));
    EXPECT_REFUSED(
        rhs_packer, right.lhs_packer, kai_call_rhs_packed_size(c),
        SAID(other_packer, right.lhs_packer->name, "RHS", "some_kernel"));
    EXPECT_REFUSED(
        lhs_packer, kai_registry_lhs_packer(&kChannels, 0), kai_call_pack_lhs(c, 0, 1, to),
        SAID(other_packer, "lhs_quant_pack_qai8dxp_f32", "LHS", "some_kernel"));
    EXPECT_REFUSED(rhs, right.rhs, kai_call_pack_rhs(c, 2, 1, to), SAID(not_multiple_of, "n_idx", 2, "nr", 4));
    EXPECT_REFUSED(lhs, right.lhs, kai_call_pack_lhs(c, 2, 1, to), SAID(not_multiple_of, "m_idx", 2, "mr", 4));
    EXPECT_REFUSED(lhs, nullptr, kai_call_pack_lhs(c, 0, 1, to), SAID(null, "lhs"));
    EXPECT_REFUSED(lhs, right.lhs, kai_call_pack_lhs(c, 0, 1, to), SAID(null, "lhs_packed"));
    right.m = 50;
    EXPECT_REFUSED(dst, right.dst, kai_call_run(c, 4, 0, 1, 1), SAID(not_multiple_of, "m_idx", 4, "m_step", 8));
    EXPECT_REFUSED(dst, right.dst, kai_call_run(c, 0, 1, 1, 1), SAID(not_multiple_of, "n_idx", 1, "n_step", 4));
    EXPECT_REFUSED(dst, nullptr, kai_call_run(c, 0, 0, 1, 1), SAID(null, "dst"));
    EXPECT_REFUSED(lhs_packed, nullptr, kai_call_run(c, 0, 0, 1, 1), SAID(null, "lhs_packed"));
    EXPECT_REFUSED(rhs_packed, nullptr, kai_call_run(c, 0, 0, 1, 1), SAID(null, "rhs_packed"));
    EXPECT_REFUSED(
        rhs_stride, 100, kai_call_pack_rhs(c, 0, 1, to),
        SAID(rhs_gaps, 100, "rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0", 36));
    right.ukernel = &kChunks;
    EXPECT_REFUSED(k_chunk_length, 7, kai_call_run(c, 0, 0, 1, 1), SAID(not_multiple_of, "k", 64, "k_chunk_length", 7));
    right = right_call(kPlain);
    EXPECT_REFUSED(rhs, nullptr, kai_call_run(c, 0, 0, 1, 1), SAID(null, "rhs"));
    EXPECT_REFUSED(bias, right.rhs, kai_call_run(c, 0, 0, 1, 1), SAID(takes_none, "bias", "some_kernel"));
    right = right_call(kChannels);
    EXPECT_REFUSED(
        rhs_packer, kai_registry_find_packer("rhs_pack_kxn_qsi4cxp_qs4cxs1s0"), kai_call_pack_rhs(c, 0, 4, to),
        SAID(all_at_once, 4, 10, "rhs_pack_kxn_qsi4cxp_qs4cxs1s0"));
}

// The packer itself reports what it rejects.
TEST(KaiCall, WhatTheFunctionsRefuse) {
    kai_call c = right_call(kBlocks);
    c.k = 48;
    const std::string why =
        "rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0: " + SAID(not_multiple_of, "k", 48, "bl", 32) + "\n";
    EXPECT_ABORT(kai_call_pack_rhs(&c, 0, 4, nullptr), "^kai_run_" + why);
    if (test::library_asserts) {
        EXPECT_ABORT(kai_call_rhs_packed_size(&c), "^kai_get_rhs_packed_size_" + why);
    }
    c = right_call(kBlocks);
    EXPECT_ABORT(
        kai_call_pack_rhs(&c, 0, 4, nullptr),
        "^kai_run_rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0: " + SAID(null, "rhs_packed") + "\n");
    uint8_t packed[1 << 12];
    c.bias = c.rhs;
    EXPECT_ABORT(
        kai_call_pack_rhs(&c, 0, 4, packed),
        "^kai_run_rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0: " + SAID(no_place, "bias") + "\n");
}

}  // namespace
