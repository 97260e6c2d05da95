// INT4_TABLE: weights that are indices of a table of the caller.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "test/gemm/experiment.hpp"
#include "kai/gemm/kai_gemm_file.h"
#include "test/reference/float16.hpp"
#include "test/support/said.hpp"

namespace test::gemm {
namespace {

using Table = std::array<int8_t, 16>;

constexpr Table kNl = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr Table kNf4 = {-127, -88, -67, -50, -36, -23, -12, 0, 10, 20, 31, 43, 56, 71, 92, 127};
constexpr Table kExtreme = {-128, 127, -1, 0, 1, 2, 4, 8, 16, 32, 64, -64, -32, -16, -8, -4};

kai_gemm_problem table_problem(size_t m, size_t n, size_t k) {
    kai_gemm_problem p = kai_gemm_problem_of(m, n, k);
    p.b_kind = KAI_GEMM_INT4_TABLE, p.bl = 32, p.b_constant = p.b_transposed = true;
    return p;
}

/// Records of an f16 scale from 1/8 to 1/4 and 16 random bytes.
std::vector<uint8_t> records(size_t n, size_t k, Random& random) {
    std::vector<uint8_t> bytes(n * k / 32 * 18);
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<uint8_t>(random.next());
        if (i % 18 == 1) {
            bytes[i] = static_cast<uint8_t>(0x30 | (bytes[i] & 3));
        }
    }
    return bytes;
}

float weight_of(const std::vector<uint8_t>& records, size_t k, const Table& table, size_t n, size_t i) {
    const uint8_t* record = &records[(n * k + i) / 32 * 18];
    const uint8_t byte = record[2 + i % 16];
    const auto scale = static_cast<uint16_t>(record[0] | record[1] << 8);
    return reference::f32_from_f16(scale) * table[i % 32 < 16 ? byte & 15 : byte >> 4];
}

/// Packs one matrix of a plan in memory of exact size.
std::vector<uint8_t> packed_by(const kai_gemm_plan& plan, const kai_gemm_weights& w) {
    const GuardedBuffer packed(plan.packed_b_size, Flush::start, 0xFF);
    EXPECT_EQ(plan.pack_workspace_size, 0U);
    EXPECT_EQ(kai_gemm_pack_b(&plan, 0, &w, packed.data(), packed.size(), nullptr, 0, nullptr, nullptr), KAI_GEMM_OK);
    return packed.bytes();
}

// With the table of IQ4_NL, panels are those of IQ4_NL. The tag at the end has another kind.
TEST(GemmTable, PanelsOfIq4Nl) {
    Random random(1);
    for (const size_t n : {1, 5, 64, 77}) {
        for (const bool bias : {false, true}) {
            kai_gemm_problem p = table_problem(9, n, 96);
            p.bias = bias;
            const std::vector<uint8_t> rows = records(n, p.k, random);
            const std::vector<float> values(n, 0.5F);
            kai_gemm_weights w = {};
            w.b = rows.data(), w.bias = bias ? values.data() : nullptr;
            kai_gemm_plan file, plan;
            ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
            p.b_kind = KAI_GEMM_GGUF, p.gguf_type = KAI_GGUF_IQ4_NL;
            ASSERT_EQ(kai_gemm_make_plan(&p, &file), KAI_GEMM_OK) << file.reason;
            EXPECT_STREQ(plan.gemm.ukernel->name, file.gemm.ukernel->name);
            EXPECT_STREQ(plan.gemv.ukernel->name, file.gemv.ukernel->name);
            std::vector<uint8_t> want = packed_by(file, w);
            Table table = kNl;
            w.table = table.data();
            std::vector<uint8_t> got = packed_by(plan, w);
            ASSERT_EQ(got.size(), want.size());
            EXPECT_NE(got, want);
            got.resize(got.size() - 64), want.resize(got.size());
            EXPECT_EQ(got, want) << n;
        }
    }
}

// Any table, another one for each matrix; it is gone when the plan runs.
TEST(GemmTable, MultipliesByItsTable) {
    Random random(2);
    const Table tables[] = {kNf4, kExtreme, kNl};
    for (const size_t m : {1, 7}) {
        kai_gemm_problem p = table_problem(m, 37, 160);
        p.batch = std::size(tables), p.b_per_matrix = true, p.bias = true, p.alpha = 0.5F;
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
        const GuardedBuffer packed(plan.packed_b_size, Flush::start, 0xFF),
            workspace(plan.workspace_size, Flush::start);
        std::vector<std::vector<uint8_t>> rows;
        std::vector<float> bias(p.n), a(p.batch * m * p.k), c(p.batch * m * p.n);
        for (size_t i = 0; i < p.n; ++i) {
            bias[i] = static_cast<float>(i) / 4;
        }
        for (size_t i = 0; i < a.size(); ++i) {  // exact when they are quantised
            a[i] = static_cast<float>(i % 32 == 3 ? -127 : random.integer(-127, 127));
        }
        for (size_t i = 0; i < p.batch; ++i) {
            rows.push_back(records(p.n, p.k, random));
            Table table = tables[i];
            kai_gemm_weights w = {};
            w.b = rows[i].data(), w.bias = bias.data(), w.table = table.data();
            ASSERT_EQ(
                kai_gemm_pack_b(&plan, i, &w, packed.data(), packed.size(), nullptr, 0, nullptr, nullptr), KAI_GEMM_OK);
            table.fill(0);
        }
        kai_gemm_operands x = {};
        x.m = m, x.a.data = a.data(), x.b.data = packed.data(), x.c.data = c.data();
        ASSERT_EQ(kai_gemm_run(&plan, &x, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
        for (size_t i = 0; i < p.batch * m * p.n; ++i) {
            const size_t matrix = i / (m * p.n), row = i / p.n, n = i % p.n;
            double sum = 0, size = 0;
            for (size_t k = 0; k < p.k; ++k) {
                const double product = double{a[row * p.k + k]} * weight_of(rows[matrix], p.k, tables[matrix], n, k);
                sum += product, size += std::fabs(product);
            }
            ASSERT_NEAR(c[i], 0.5 * sum + bias[n], 1e-6 * size) << "matrix " << matrix << ", column " << n;
        }
    }
}

// As a file: written, opened and multiplied from where it lies. A plan packs the same bytes, and takes them.
TEST(GemmTable, IsATensorOfAFile) {
    Random random(4);
    for (const bool bias : {false, true}) {
        kai_gemm_problem p = table_problem(5, 21, 96);
        p.batch = 2, p.b_per_matrix = true, p.bias = bias;
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
        kai_gemm_tensor t = {};
        const size_t bits = 8 * (plan.sme_bytes != 0 ? plan.sme_bytes : plan.sve_bytes);
        ASSERT_EQ(kai_gemm_tensor_for(plan.gemm.ukernel->name, bits, &t), KAI_GEMM_FILE_OK);
        t.kind = KAI_GEMM_INT4_TABLE, t.bl = 32, t.name = "weights", t.n = p.n, t.k = p.k, t.count = p.batch;
        t.bias = bias;
        size_t size = 0;
        ASSERT_EQ(kai_gemm_file_lay_out(&t, 1, &size), KAI_GEMM_FILE_OK);
        ASSERT_EQ(t.size, plan.packed_b_size);
        const GuardedBuffer file(size, Flush::start, 0xFF), packed(plan.packed_b_size, Flush::start, 0xFF);
        uint8_t* bytes = file.data() + t.offset;
        const std::vector<float> values(p.n, 0.25F);
        const Table tables[] = {kNf4, kExtreme};
        for (size_t i = 0; i < p.batch; ++i) {
            const std::vector<uint8_t> rows = records(p.n, p.k, random);
            kai_gemm_weights w = {};
            w.b = rows.data(), w.bias = bias ? values.data() : nullptr;
            EXPECT_EQ(kai_gemm_tensor_pack(&t, i, true, &w, 0, p.n, bytes, t.size), KAI_GEMM_FILE_NULL_POINTER);
            w.table = tables[i].data();
            EXPECT_EQ(kai_gemm_tensor_pack(&t, i, false, &w, 0, p.n, bytes, t.size), KAI_GEMM_FILE_NO_PACKER);
            ASSERT_EQ(kai_gemm_tensor_pack(&t, i, true, &w, 0, p.n, bytes, t.size), KAI_GEMM_FILE_OK);
            ASSERT_EQ(
                kai_gemm_pack_b(&plan, i, &w, packed.data(), packed.size(), nullptr, 0, nullptr, nullptr), KAI_GEMM_OK);
        }
        EXPECT_EQ(std::memcmp(bytes, packed.data(), t.size), 0);
        t.checksum = kai_gemm_file_checksum(0, bytes, t.size);
        ASSERT_EQ(kai_gemm_file_write_header(&t, 1, file.data(), size), KAI_GEMM_FILE_OK);

        kai_gemm_file opened;
        kai_gemm_tensor found;
        ASSERT_EQ(kai_gemm_file_open(file.data(), size, &opened), KAI_GEMM_FILE_OK);
        ASSERT_EQ(kai_gemm_file_find(&opened, "weights", &found), KAI_GEMM_FILE_OK);
        EXPECT_EQ(kai_gemm_tensor_verify(&found), KAI_GEMM_FILE_OK);
        EXPECT_EQ(found.kind, KAI_GEMM_INT4_TABLE);
        kai_gemm_problem from_file = kai_gemm_problem_of(5, 0, 0);
        kai_gemm_tensor_describe(&found, &from_file);
        ASSERT_EQ(kai_gemm_make_plan(&from_file, &plan), KAI_GEMM_OK) << plan.reason;
        ASSERT_EQ(plan.packed_b_size, found.size);
        const std::vector<float> a(p.batch * p.m * p.k, 1.0F);
        std::vector<float> c(p.batch * p.m * p.n), want = c;
        const GuardedBuffer workspace(plan.workspace_size, Flush::start);
        kai_gemm_operands x = {};
        x.m = p.m, x.a.data = a.data(), x.b.data = found.data, x.c.data = c.data();
        ASSERT_EQ(kai_gemm_run(&plan, &x, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
        x.b.data = packed.data(), x.c.data = want.data();
        ASSERT_EQ(kai_gemm_run(&plan, &x, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
        EXPECT_EQ(c, want);

        for (const size_t bl : {0, 16, 64}) {
            kai_gemm_tensor other = t;
            other.bl = bl;
            EXPECT_EQ(kai_gemm_tensor_measure(&other), KAI_GEMM_FILE_BAD_VALUE) << bl;
        }
        kai_gemm_tensor other = t;
        other.k = 80;
        EXPECT_EQ(kai_gemm_tensor_measure(&other), KAI_GEMM_FILE_BAD_VALUE);
    }
}

TEST(GemmTable, Refuses) {
    const auto status = [](auto change) {
        kai_gemm_problem p = table_problem(4, 8, 64);
        change(p);
        kai_gemm_plan plan;
        const kai_gemm_status made = kai_gemm_make_plan(&p, &plan);
        EXPECT_EQ(made, plan.status);
        return made;
    };
    EXPECT_EQ(status([](auto&) {}), KAI_GEMM_OK);
    EXPECT_EQ(status([](auto& p) { p.bl = 64; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(status([](auto& p) { p.bl = 0; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(status([](auto& p) { p.k = 48; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(status([](auto& p) { p.b_transposed = false; }), KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(status([](auto& p) { p.b_constant = false; }), KAI_GEMM_BAD_COMBINATION);

    const kai_gemm_problem p = table_problem(4, 8, 64);
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    Random random(3);
    const std::vector<uint8_t> rows = records(p.n, p.k, random);
    std::vector<uint8_t> packed(plan.packed_b_size, 7);
    kai_gemm_weights w = {};
    w.b = rows.data();
    EXPECT_EQ(
        kai_gemm_pack_b(&plan, 0, &w, packed.data(), packed.size(), nullptr, 0, nullptr, nullptr),
        KAI_GEMM_NULL_POINTER);
    char why[200];
    kai_gemm_explain_pack_b(&plan, 0, &w, packed.data(), packed.size(), nullptr, 0, why, sizeof(why));
    EXPECT_EQ(std::string(why), SAID(absent_but_needed, "weights.table", "INT4_TABLE") + "\n");
    EXPECT_EQ(packed, std::vector<uint8_t>(plan.packed_b_size, 7));
}

}  // namespace
}  // namespace test::gemm
