// Packed B that does not fit the plan is refused. Files from before tags existed still run.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "kai/gemm/kai_gemm_file.h"
#include "test/gemm/experiment.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/said.hpp"

namespace test::gemm {
namespace {

Case case_of(kai_gemm_kind kind) {
    Case c;
    kai_gemm_problem& p = c.p;
    p = kai_gemm_problem_of(5, 37, 96);
    p.b_kind = kind, p.b_constant = true, p.bl = has_blocks(kind) ? 32 : 0;
    p.b_transposed = kind != KAI_GEMM_INT8_STATIC;
    if (c.is_static()) {
        p.a_type = p.c_type = kai_dt_int8, p.multiplier = 0.0625F;
    }
    c.m = 5, c.seed = 11;
    return c;
}

/// Packed B is 64 bytes a matrix at least, and whole lines of a cache.
TEST(GemmTag, SizesAreMultiplesOf64) {
    Random random(64);
    for (const kai_gemm_kind kind : kKinds) {
        for (size_t i = 0; i < 50; ++i) {
            const Case c = random_case(kind, random);
            kai_gemm_plan plan;
            ASSERT_EQ(kai_gemm_make_plan(&c.p, &plan), KAI_GEMM_OK);
            EXPECT_EQ(plan.packed_b_size % 64, 0U) << c;
            if (plan.packed_b_size != 0) {
                EXPECT_EQ(plan.packed_b_size, plan.packed_b_stride * c.b_count()) << c;
                EXPECT_GE(plan.packed_b_stride, plan.panels_size + 64) << c;
            }
        }
    }
}

class GemmTagKind : public testing::TestWithParam<kai_gemm_kind> {
protected:
    /// What a run by `plan` says of B that an experiment packed. A refused run writes nothing.
    static kai_gemm_status run(Experiment& e, const kai_gemm_plan& plan, const int32_t* lut = nullptr) {
        const std::vector<uint8_t> before = e.c_bytes();
        const GuardedBuffer workspace(plan.workspace_size, Flush::start, 0xFF);
        kai_gemm_operands x = e.x;
        x.lut = lut != nullptr ? lut : x.lut;
        const kai_gemm_status status = checked_call(
            kai_gemm_run, &plan, &x, workspace.data(), workspace.size(), nullptr, static_cast<void*>(nullptr));
        if (status != KAI_GEMM_OK) {
            EXPECT_TRUE(e.c_bytes() == before) << "C was written";
            const std::vector<uint8_t> bytes = workspace.bytes();
            EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0xFF; }));
            kai_gemm_work work;
            EXPECT_EQ(kai_gemm_begin(&plan, &x, workspace.data(), workspace.size(), &work), status);
            char text[300];
            kai_gemm_explain_run(&plan, &x, workspace.data(), workspace.size(), text, sizeof(text));
            const std::string said = text;
            const std::string sentences = SAID(unpacked, 0) + "|" + SAID_AS(packed_for_other, "0", ".*", ".*", ".*") +
                                          "|" + SAID_AS(packed_otherwise, "0", ".*");
            EXPECT_TRUE(std::regex_match(said, std::regex("(" + sentences + ")\n"))) << said;
        }
        return status;
    }
    /// The same by a plan for a changed problem.
    template <typename Change>
    static kai_gemm_status run_changed(Experiment& e, Change change) {
        kai_gemm_problem p = e.of.p;
        change(p);
        kai_gemm_plan plan;
        const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
        EXPECT_EQ(status, KAI_GEMM_OK) << plan.reason;
        const void* packed = e.x.b.data;
        std::vector<uint8_t> bytes = e.packed[0].bytes();
        bytes.resize(std::max(bytes.size(), plan.packed_b_size));
        e.x.b.data = bytes.data();
        const kai_gemm_status ran = run(e, plan);
        e.x.b.data = packed;
        return ran;
    }
};

TEST_P(GemmTagKind, WhatIsNotPackedIsRefused) {
    const Case c = case_of(GetParam());
    Experiment e(c);
    ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
    for (const int byte : {0xFF, 0, 0x4B}) {
        std::memset(e.packed[0].data(), byte, e.packed[0].size());
        EXPECT_EQ(run(e, e.plan), KAI_GEMM_WRONG_PACKING);
    }
    // Weights as they are.
    std::vector<uint8_t> raw(e.packed[0].size());
    for (size_t i = 0; i < raw.size(); ++i) {
        raw[i] = static_cast<uint8_t>(i * 31);
    }
    e.x.b.data = raw.data();
    EXPECT_EQ(run(e, e.plan), KAI_GEMM_WRONG_PACKING);
    e.x.b.data = e.packed[0].data();
    ASSERT_TRUE(e.succeeds());
    for (size_t bit = 0; bit < 512; ++bit) {  // every bit counts
        uint8_t& byte = e.packed[0].data()[e.plan.packed_b_stride - 64 + bit / 8];
        byte = static_cast<uint8_t>(byte ^ 1U << bit % 8);
        EXPECT_EQ(run(e, e.plan), KAI_GEMM_WRONG_PACKING) << "bit " << bit;
        byte = static_cast<uint8_t>(byte ^ 1U << bit % 8);
    }
    EXPECT_EQ(run(e, e.plan), KAI_GEMM_OK);
}

TEST_P(GemmTagKind, WhatAnotherPlanPackedIsRefused) {
    const Case c = case_of(GetParam());
    Experiment e(c);
    ASSERT_TRUE(e.succeeds());
    using P = kai_gemm_problem;
    // Problems with the same packed B.
    EXPECT_EQ(run_changed(e, [](P&) {}), KAI_GEMM_OK);
    EXPECT_EQ(run_changed(e, [](P& p) { p.units = 3, p.l2_bytes = 4096; }), KAI_GEMM_OK);
    EXPECT_EQ(run_changed(e, [](P& p) { p.m = 40; }), KAI_GEMM_OK);
    if (!c.is_static()) {
        EXPECT_EQ(run_changed(e, [](P& p) { p.alpha = 2, p.beta = 0; }), KAI_GEMM_OK);
        EXPECT_EQ(run_changed(e, [](P& p) { p.clamp_min = 0; }), KAI_GEMM_OK);
    }
    // Problems with a different packed B.
    EXPECT_EQ(run_changed(e, [](P& p) { p.n = 36; }), KAI_GEMM_WRONG_PACKING);
    EXPECT_EQ(run_changed(e, [](P& p) { p.k = 64; }), KAI_GEMM_WRONG_PACKING);
    EXPECT_EQ(run_changed(e, [](P& p) { p.n = 18, p.k = 192, p.bl *= 2; }), KAI_GEMM_WRONG_PACKING);
    if (has_blocks(GetParam())) {
        EXPECT_EQ(run_changed(e, [](P& p) { p.bl = 96; }), KAI_GEMM_WRONG_PACKING);
    }
    if (c.is_static()) {
        EXPECT_EQ(run_changed(e, [](P& p) { p.a_zero_point = 1; }), KAI_GEMM_WRONG_PACKING);
        EXPECT_EQ(run_changed(e, [](P& p) { p.multiplier = 0.125F; }), KAI_GEMM_WRONG_PACKING);
        EXPECT_EQ(run_changed(e, [](P& p) { p.c_zero_point = 1; }), KAI_GEMM_OK);
    }
    if (GetParam() == KAI_GEMM_INT2_CHANNEL) {
        const int32_t other[] = {-2, -1, 0, 2};
        EXPECT_EQ(run(e, e.plan, other), KAI_GEMM_WRONG_PACKING);
        Case by_default = c;
        by_default.default_lut = true;
        Experiment d(by_default);
        ASSERT_TRUE(d.succeeds());
        EXPECT_EQ(run(d, d.plan, other), KAI_GEMM_WRONG_PACKING);
    }
    // Every other format of the kind that this CPU reads.
    size_t formats = 0;
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        kai_gemm_problem p = c.p;
        kai_gemm_plan plan;
        p.pin = u->name, p.allow_bf16 = p.allow_f16 = true;
        if (kai_gemm_make_plan(&p, &plan) != KAI_GEMM_OK || plan.packed_b_size > e.plan.packed_b_size) {
            continue;
        }
        const bool same = std::strcmp(plan.format.name, e.plan.format.name) == 0 &&
                          plan.format.nr == e.plan.format.nr && plan.format.kr == e.plan.format.kr &&
                          plan.format.sr == e.plan.format.sr;
        EXPECT_EQ(run(e, plan), same ? KAI_GEMM_OK : KAI_GEMM_WRONG_PACKING) << u->name;
        formats += static_cast<size_t>(!same);
    }
    std::printf("%zu kernels for other formats\n", formats);
}

/// Sizes tell blocks of 32 from longer ones, unless the tag is at the same place: one column of few blocks.
TEST(GemmTag, BlocksOfAnotherLength) {
    size_t same_place = 0;
    for (const kai_gemm_kind kind : {KAI_GEMM_INT4_BLOCK, KAI_GEMM_INT4_BLOCK_ZERO}) {
        for (size_t n = 1; n <= 8; ++n) {
            Case c = {}, other = {};
            c.p = kai_gemm_problem_of(1, n, 64), c.m = 1;
            c.p.b_kind = kind, c.p.b_constant = c.p.b_transposed = true, c.p.bl = 32;
            other = c;
            other.p.bl = 64;
            Experiment e(c), blocks(other);
            if (e.make_plan() != KAI_GEMM_OK || blocks.make_plan() != KAI_GEMM_OK) {
                continue;  // no other lengths
            }
            ASSERT_EQ(e.pack(), KAI_GEMM_OK);
            same_place += static_cast<size_t>(e.plan.packed_b_size == blocks.plan.packed_b_size);
            if (e.plan.packed_b_size < blocks.plan.packed_b_size) {
                continue;
            }
            blocks.x.b.data = e.packed[0].data();
            EXPECT_EQ(blocks.run(), KAI_GEMM_WRONG_PACKING) << name_of(kind) << ", n " << n;
        }
    }
    std::printf("%zu pairs have their tags at the same place\n", same_place);
}

/// Unit 0 writes the tag, as kai_gemm.h says, and no other one.
TEST(GemmTag, TheFirstUnitWritesIt) {
    Case c;
    c.p = kai_gemm_problem_of(1, 1000, 32), c.m = 1;
    c.p.b_constant = true, c.p.units = 2;
    Experiment e(c);
    ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
    ASSERT_GT(e.plan.pack_units, 1U);
    for (size_t unit = e.plan.pack_units; unit-- > 0;) {
        EXPECT_EQ(e.run(), KAI_GEMM_WRONG_PACKING);
        ASSERT_EQ(
            kai_gemm_pack_b_unit(
                &e.plan, 0, &e.weights[0], e.packed[0].data(), e.packed[0].size(), e.pack_workspace[0].data(),
                e.pack_workspace[0].size(), unit),
            KAI_GEMM_OK);
    }
    EXPECT_EQ(e.run(), KAI_GEMM_OK);
}

TEST_P(GemmTagKind, ABiasThatIsForgotten) {
    const Case c = case_of(GetParam());
    Case biased = c;
    biased.p.bias = true;
    Experiment without(c), with(biased);
    ASSERT_TRUE(without.succeeds());
    ASSERT_TRUE(with.succeeds());
    const auto pack = [](const Experiment& e, const kai_gemm_weights& w) {
        std::vector<uint8_t> packed(e.plan.packed_b_size);
        return kai_gemm_pack_b(
            &e.plan, 0, &w, packed.data(), packed.size(), e.pack_workspace[0].data(), e.pack_workspace[0].size(),
            nullptr, nullptr);
    };
    kai_gemm_weights w = without.weights[0];
    EXPECT_EQ(pack(without, w), KAI_GEMM_OK);
    w.bias = with.weights[0].bias;
    EXPECT_EQ(pack(without, w), KAI_GEMM_UNUSED_BIAS);
    w.bias = nullptr;
    EXPECT_EQ(pack(with, w), KAI_GEMM_NULL_POINTER);
    // Packed with a bias and run without one, and vice versa; bias in the panels, and appended.
    EXPECT_EQ(run_changed(with, [](auto& p) { p.bias = false; }), KAI_GEMM_WRONG_PACKING);
    EXPECT_EQ(run_changed(without, [](auto& p) { p.bias = true; }), KAI_GEMM_WRONG_PACKING);
    Case scaled = biased;
    scaled.p.alpha = c.is_static() ? 1 : 2;
    Experiment apart(scaled);
    ASSERT_TRUE(apart.succeeds());
    const bool same = apart.plan.bias_apart == with.plan.bias_apart;
    EXPECT_EQ(run_changed(apart, [](auto& p) { p.alpha = 1; }), same ? KAI_GEMM_OK : KAI_GEMM_WRONG_PACKING);

    without.x.bias = with.weights[0].bias;
    kai_gemm_work work;
    EXPECT_EQ(
        kai_gemm_begin(&without.plan, &without.x, without.workspace[0].data(), without.workspace[0].size(), &work),
        KAI_GEMM_UNUSED_BIAS);
}

INSTANTIATE_TEST_SUITE_P(
    , GemmTagKind, testing::ValuesIn(kKinds),
    [](const testing::TestParamInfo<kai_gemm_kind>& info) { return name_of(info.param); });

TEST(GemmTag, ABiasThatIsForgottenAtRun) {
    Case c = case_of(KAI_GEMM_DENSE);
    c.p.b_constant = false;
    Experiment e(c);
    ASSERT_TRUE(e.succeeds());
    const std::vector<float> bias(c.p.n);
    e.x.bias = bias.data();
    EXPECT_EQ(e.run(), KAI_GEMM_UNUSED_BIAS);
}

/// Matrices of experts without rows are not looked at; those of others are, wherever they lie.
TEST(GemmTag, EveryMatrixThatIsRead) {
    for (const bool table : {false, true}) {
        Case c = case_of(KAI_GEMM_INT8_CHANNEL);
        c.p.b_per_matrix = c.p.groups = true, c.p.batch = 4, c.p.m = 7, c.b_table = table;
        c.rows = {3, 0, 4, 0};
        SCOPED_TRACE(testing::Message() << c);
        Experiment e(c);
        ASSERT_TRUE(e.succeeds());
        for (size_t i = 0; i < c.p.batch; ++i) {
            uint8_t& byte = e.packed[0].data()[(i + 1) * e.plan.packed_b_stride - 1];
            byte ^= 1;
            EXPECT_EQ(e.run(), c.rows[i] != 0 ? KAI_GEMM_WRONG_PACKING : KAI_GEMM_OK) << "matrix " << i;
            byte ^= 1;
        }
        EXPECT_EQ(e.run(), KAI_GEMM_OK);
    }
}

/// Units in any order, at the same time: each byte of packed B is written, by one of them.
TEST(GemmTag, UnitsPackEveryByte) {
    for (const kai_gemm_kind kind : kKinds) {
        for (const bool bias : {false, true}) {
            Case c = case_of(kind);
            c.p.bias = bias, c.p.units = 5, c.p.alpha = kind % 2 == 0 && !c.is_static() ? 2 : 1;
            SCOPED_TRACE(testing::Message() << c);
            Experiment e(c);
            ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
            std::vector<uint8_t> first;
            for (const int poison : {0x00, 0xFF}) {
                std::memset(e.packed[0].data(), poison, e.packed[0].size());
                Schedule how;
                how.threads = 3, how.shuffle = 5 + static_cast<uint64_t>(poison);
                ASSERT_EQ(e.pack(how), KAI_GEMM_OK);
                ASSERT_EQ(e.run(how), KAI_GEMM_OK);
                e.check();
                first = poison == 0 ? e.packed[0].bytes() : first;
                e.reset_c();
            }
            // Packers may leave parts of panels unwritten; all the rest must be written.
            const std::vector<uint8_t> bytes = e.packed[0].bytes();
            EXPECT_TRUE(std::equal(
                bytes.begin() + static_cast<ptrdiff_t>(e.plan.panels_size), bytes.end(),
                first.begin() + static_cast<ptrdiff_t>(e.plan.panels_size)));
        }
    }
}

// ---- a file that kai-pack wrote before tags existed ----

TEST(GemmTag, FilesOfVersion1Run) {
    std::ifstream stream(KAI_TEST_DATA "/version1.kai", std::ios::binary);
    ASSERT_TRUE(stream.good());
    const std::vector<char> read(std::istreambuf_iterator<char>(stream), {});
    const GuardedBuffer bytes(read.size(), Flush::end);  // the last tensor ends where memory does
    std::memcpy(bytes.data(), read.data(), read.size());
    kai_gemm_file file;
    ASSERT_EQ(kai_gemm_file_open(bytes.data(), bytes.size(), &file), KAI_GEMM_FILE_OK);
    ASSERT_EQ(file.count, 2U);
    for (const char* name : {"dense", "blocks"}) {
        SCOPED_TRACE(name);
        kai_gemm_tensor t;
        ASSERT_EQ(kai_gemm_file_find(&file, name, &t), KAI_GEMM_FILE_OK);
        EXPECT_TRUE(t.untagged);
        EXPECT_EQ(kai_gemm_tensor_verify(&t), KAI_GEMM_FILE_OK);
        kai_gemm_problem p = kai_gemm_problem_of(2, 0, 0);
        kai_gemm_tensor_describe(&t, &p);
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
        ASSERT_EQ(plan.packed_b_size, t.size);
        EXPECT_EQ(plan.packed_b_stride, t.stride);
        std::vector<float> a(t.count * p.m * t.k), c(t.count * p.m * t.n);
        for (size_t i = 0; i < a.size(); ++i) {
            a[i] = static_cast<float>(i % 32 == 0 ? 127 : i % 19) - 9.0F * (i % 32 != 0);
        }
        const GuardedBuffer workspace(plan.workspace_size, Flush::start, 0xFF);
        kai_gemm_operands x = {};
        x.m = p.m, x.a.data = a.data(), x.b.data = t.data, x.c.data = c.data();
        ASSERT_EQ(kai_gemm_run(&plan, &x, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
        for (size_t i = 0; i < c.size(); ++i) {
            const size_t matrix = i / (p.m * t.n), row = i / t.n, n = i % t.n;
            double want = t.bias ? 10.0 * static_cast<double>(matrix) + static_cast<double>(n) : 0;
            for (size_t k = 0; k < t.k; ++k) {
                const int q = static_cast<int>((matrix * 5 + n * 3 + k * 7) % 23) - 11;
                const double b = t.bias ? q * 0.5 * static_cast<double>(k / 32 + 1) : static_cast<double>(3 * k + n);
                want += static_cast<double>(a[row * t.k + k]) * b;
            }
            ASSERT_EQ(c[i], want) << i;
        }
        // In a file of version 2 it keeps its bytes; packed again by the description, they are the same.
        kai_gemm_tensor copy = t;
        size_t size = 0;
        ASSERT_EQ(kai_gemm_file_lay_out(&copy, 1, &size), KAI_GEMM_FILE_OK);
        EXPECT_EQ(copy.size, t.size);
        std::vector<uint8_t> joined(size);
        ASSERT_EQ(kai_gemm_file_write_header(&copy, 1, joined.data(), size), KAI_GEMM_FILE_OK);
        std::memcpy(&joined[copy.offset], t.data, t.size);
        kai_gemm_file opened;
        ASSERT_EQ(kai_gemm_file_open(joined.data(), joined.size(), &opened), KAI_GEMM_FILE_OK);
        ASSERT_EQ(kai_gemm_file_find(&opened, name, &copy), KAI_GEMM_FILE_OK);
        EXPECT_TRUE(copy.untagged);
        EXPECT_EQ(kai_gemm_tensor_verify(&copy), KAI_GEMM_FILE_OK);
    }
}

}  // namespace
}  // namespace test::gemm
