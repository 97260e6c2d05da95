// FLOAT_TABLE, what bitsandbytes stores: packed, it is the bytes of the floats that it stands for.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "test/gemm/experiment.hpp"
#include "test/reference/float16.hpp"
#include "test/support/said.hpp"

namespace test::gemm {
namespace {

using Bytes = std::vector<uint8_t>;
using Table = std::array<float, 16>;

constexpr Table kNf4 = {-1.0F,         -0.69619280F, -0.52507305F, -0.39491749F, -0.28444138F, -0.18477343F,
                        -0.091050036F, 0.0F,         0.079580300F, 0.16093020F,  0.24611230F,  0.33791524F,
                        0.44070983F,   0.56261700F,  0.72295684F,  1.0F};
constexpr Table kAnything = {3e4F, -3e-3F, 1e-30F, -7, 0.1F, 0.2F, -0.3F, 11, 13, -17, 19, 23, -29, 31, 37, 41};

/// N x K weights as bitsandbytes has them, with gaps between rows, and as floats.
struct Weights {
    size_t n, k, bl, line;
    Table table;
    Bytes b, scales;
    std::vector<float> weights;   // rounded once
    std::vector<double> precise;  // not at all

    Weights(size_t n, size_t k, size_t bl, kai_datatype scale_type, const Table& table, size_t gap, Random& random)
        : n(n), k(k), bl(bl), line(k / 2 + gap), table(table) {
        b.assign((n - 1) * line + k / 2, 0xA5);
        for (size_t i = 0; i < n * k; ++i) {
            if (i % bl == 0) {
                append_scale(random.real(0.01F, 3.0F), scale_type);
            }
            const int q = random.integer(0, 15);
            uint8_t& byte = b[i / k * line + i % k / 2];
            byte = static_cast<uint8_t>(i % 2 == 0 ? q << 4 : byte | q);  // the first one is high
            weights.push_back(scale_ * table[static_cast<size_t>(q)]);
            precise.push_back(double{scale_} * table[static_cast<size_t>(q)]);
        }
    }

    kai_gemm_weights as_table() const {
        kai_gemm_weights w = {};
        w.b = b.data(), w.ldb = line != k / 2 ? line : 0, w.scale = scales.data(), w.float_table = table.data();
        return w;
    }

private:
    void append_scale(float x, kai_datatype type) {
        const uint16_t f16 = reference::f16_from_f32(x), bf16 = reference::bf16_from_f32(x);
        const void* stored = type == kai_dt_f16 ? &f16 : type == kai_dt_bf16 ? &bf16 : static_cast<const void*>(&x);
        const auto* bytes = static_cast<const uint8_t*>(stored);
        scales.insert(scales.end(), bytes, bytes + (type == kai_dt_f32 ? 4 : 2));
        scale_ = type == kai_dt_f16    ? reference::f32_from_f16(f16)
                 : type == kai_dt_bf16 ? reference::f32_from_bf16(bf16)
                                       : x;
    }
    float scale_ = 0;
};

kai_gemm_problem problem_of(size_t m, const Weights& w, kai_datatype scale_type) {
    kai_gemm_problem p = kai_gemm_problem_of(m, w.n, w.k);
    p.b_kind = KAI_GEMM_FLOAT_TABLE, p.bl = w.bl, p.b_type = scale_type, p.b_constant = p.b_transposed = true;
    return p;
}

kai_gemm_problem as_floats(kai_gemm_problem p) {
    p.b_kind = KAI_GEMM_DENSE, p.b_type = kai_dt_f32, p.bl = 0;
    return p;
}

/// As packed_from_the_last_unit. Operands end, or begin, at inaccessible pages.
Bytes packed_by(const kai_gemm_plan& plan, kai_gemm_weights w, Flush flush, size_t b_size, size_t scale_size) {
    const auto kept = [&](const void* data, size_t size) {
        const auto* bytes = static_cast<const uint8_t*>(data);
        return GuardedBuffer(Bytes(bytes, bytes + size), flush);
    };
    const GuardedBuffer b = kept(w.b, b_size), scale = kept(w.scale, scale_size),
                        table = kept(w.float_table, w.float_table != nullptr ? sizeof(Table) : 0);
    w.b = b.data(), w.scale = scale_size != 0 ? scale.data() : nullptr;
    w.float_table = w.float_table != nullptr ? reinterpret_cast<const float*>(table.data()) : nullptr;
    return packed_from_the_last_unit(plan, w);
}

// The kernels, the panels and the tag are those of DENSE f32, also where floats may be rounded to bf16 or f16.
TEST(GemmFloatTable, PacksTheFloatsItStandsFor) {
    Random random(1);
    size_t packings = 0;
    for (const size_t bl : {16, 32, 48, 64, 128, 512}) {
        for (const kai_datatype scale_type : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
            for (const size_t n : {1, 7, 45}) {
                for (const int allowed : {0, 1, 2}) {
                    const size_t k = bl * (1 + packings % 3), gap = packings % 2 * 3;
                    SCOPED_TRACE(testing::Message() << "bl " << bl << ", n " << n << ", k " << k << ", " << allowed);
                    const Weights w(n, k, bl, scale_type, packings % 2 == 0 ? kNf4 : kAnything, gap, random);
                    kai_gemm_problem p = problem_of(5, w, scale_type);
                    p.c_type = packings % 5 == 0 ? kai_dt_f16 : kai_dt_f32, p.bias = packings % 4 == 1;
                    p.allow_bf16 = allowed == 1, p.allow_f16 = allowed == 2, p.units = 1 + packings % 4;
                    const kai_gemm_problem floats = as_floats(p);
                    kai_gemm_plan plan, other;
                    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
                    ASSERT_EQ(kai_gemm_make_plan(&floats, &other), KAI_GEMM_OK) << other.reason;
                    EXPECT_STREQ(plan.gemm.ukernel->name, other.gemm.ukernel->name);
                    EXPECT_STREQ(plan.gemv.ukernel->name, other.gemv.ukernel->name);

                    const std::vector<float> bias(n, 0.5F);
                    kai_gemm_weights x = w.as_table(), y = {};
                    y.b = w.weights.data();
                    x.bias = y.bias = p.bias ? bias.data() : nullptr;
                    const Flush flush = packings % 2 == 0 ? Flush::end : Flush::start;
                    ASSERT_EQ(
                        packed_by(plan, x, flush, w.b.size(), w.scales.size()),
                        packed_by(other, y, flush, 4 * n * k, 0));
                    ++packings;
                }
            }
        }
    }
    EXPECT_EQ(packings, 6U * 3 * 3 * 3);
}

// Results, by kernels for one row and for many, of the first block of each length to the last one.
TEST(GemmFloatTable, Multiplies) {
    Random random(2);
    for (const size_t bl : {16, 48, 64}) {
        for (const kai_datatype scale_type : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
            const Weights w(33, 192, bl, scale_type, kNf4, 0, random);
            for (const size_t m : {1, 6}) {
                kai_gemm_problem p = problem_of(m, w, scale_type);
                p.alpha = 0.5F;
                kai_gemm_plan plan;
                ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
                std::string text(4000, 0);
                text.resize(kai_gemm_explain(&plan, text.data(), text.size()));
                EXPECT_NE(text.find("dequantised, then packed"), std::string::npos) << text;
                const Bytes packed = packed_by(plan, w.as_table(), Flush::end, w.b.size(), w.scales.size());
                const GuardedBuffer workspace(plan.workspace_size, Flush::start);
                std::vector<float> a(m * w.k), c(m * w.n);
                for (float& x : a) {
                    x = random.real(-1, 1);
                }
                kai_gemm_operands o = {};
                o.m = m, o.a.data = a.data(), o.b.data = packed.data(), o.c.data = c.data();
                ASSERT_EQ(kai_gemm_run(&plan, &o, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
                for (size_t i = 0; i < m * w.n; ++i) {
                    double sum = 0, size = 0;
                    for (size_t k = 0; k < w.k; ++k) {
                        const double product = double{a[i / w.n * w.k + k]} * w.precise[i % w.n * w.k + k];
                        sum += product, size += std::fabs(product);
                    }
                    ASSERT_NEAR(c[i], 0.5 * sum, 2e-6 * size) << "bl " << bl << ", m " << m << ", column " << i % w.n;
                }
            }
        }
    }
}

TEST(GemmFloatTable, Refuses) {
    Random random(3);
    const Weights w(8, 64, 16, kai_dt_f32, kNf4, 0, random);
    const auto status = [&](auto change) {
        kai_gemm_problem p = problem_of(4, w, kai_dt_f32);
        change(p);
        kai_gemm_plan plan;
        return kai_gemm_make_plan(&p, &plan);
    };
    EXPECT_EQ(status([](auto&) {}), KAI_GEMM_OK);
    for (const size_t bl : {0, 8, 24, 40, 72}) {
        EXPECT_EQ(status([&](auto& p) { p.bl = bl, p.k = 720; }), KAI_GEMM_BAD_VALUE) << bl;
    }
    EXPECT_EQ(status([](auto& p) { p.k = 72; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(status([](auto& p) { p.b_type = kai_dt_int8; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(status([](auto& p) { p.b_transposed = false; }), KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(status([](auto& p) { p.b_constant = false; }), KAI_GEMM_BAD_COMBINATION);

    const kai_gemm_problem p = problem_of(4, w, kai_dt_f32);
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    const GuardedBuffer packed(plan.packed_b_size, Flush::start), workspace(plan.pack_workspace_size, Flush::start);
    const auto refuses = [&](auto change, kai_gemm_status expected, const std::string& reason) {
        kai_gemm_weights x = w.as_table();
        change(x);
        EXPECT_EQ(
            kai_gemm_pack_b(
                &plan, 0, &x, packed.data(), packed.size(), workspace.data(), workspace.size(), nullptr, nullptr),
            expected);
        char why[200];
        kai_gemm_explain_pack_b(
            &plan, 0, &x, packed.data(), packed.size(), workspace.data(), workspace.size(), why, sizeof(why));
        EXPECT_EQ(std::string(why), reason + "\n");
    };
    refuses(
        [](auto& x) { x.scale = nullptr; }, KAI_GEMM_NULL_POINTER,
        SAID(absent_but_needed, "weights.scale", "FLOAT_TABLE"));
    refuses(
        [](auto& x) { x.float_table = nullptr; }, KAI_GEMM_NULL_POINTER,
        SAID(absent_but_needed, "weights.float_table", "FLOAT_TABLE"));
    refuses([](auto& x) { x.ldb = 31; }, KAI_GEMM_BAD_STRIDE, SAID(short_stride, "weights.ldb", 31, 32, "row"));
}

}  // namespace
}  // namespace test::gemm
