// The deepest products whose sums fit int32 are correct with every kernel; deeper ones are refused.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <regex>
#include <string>
#include <vector>

#include "kai/gemm/kai_gemm.h"
#include "test/gemm/experiment.hpp"
#include "test/support/said.hpp"

namespace test::gemm {
namespace {

/// C of one row of ones and two columns of weights, the least of their kind, with scale 1: -128 * k and the like.
std::vector<float> product_of_ones(const kai_gemm_problem& p, const kai_gemm_plan& plan, const int32_t* lut = nullptr) {
    const bool int8 = p.b_kind == KAI_GEMM_INT8_CHANNEL || p.b_kind == KAI_GEMM_INT8_STATIC;
    const size_t line = int8 ? p.k : p.b_kind == KAI_GEMM_INT2_CHANNEL ? p.k / 4 : (p.k + 1) / 2;
    const std::vector<uint8_t> b(p.n * line, int8 ? 0x80 : p.b_kind == KAI_GEMM_INT2_CHANNEL ? 0x00 : 0x88);
    const std::vector<float> scale(p.n, 1), a(p.k, 1);
    const GuardedBuffer packed(plan.packed_b_size, Flush::start), scratch(plan.pack_workspace_size, Flush::start),
        workspace(plan.workspace_size, Flush::start);
    kai_gemm_weights w = {};
    w.b = b.data(), w.scale = scale.data(), w.lut = lut;
    std::vector<float> c(p.n);
    kai_gemm_operands x = {};
    x.m = 1, x.a.data = a.data(), x.b.data = packed.data(), x.c.data = c.data(), x.lut = lut;
    EXPECT_EQ(
        kai_gemm_pack_b(&plan, 0, &w, packed.data(), packed.size(), scratch.data(), scratch.size(), nullptr, nullptr),
        KAI_GEMM_OK);
    EXPECT_EQ(kai_gemm_run(&plan, &x, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
    return c;
}

kai_gemm_problem problem_of(kai_gemm_kind kind, size_t k) {
    kai_gemm_problem p = kai_gemm_problem_of(1, 2, k);
    p.b_kind = kind, p.b_constant = p.b_transposed = true;
    return p;
}

TEST(GemmDepth, TheDeepestOfEachKernel) {
    size_t kernels = 0;
    for (const kai_gemm_kind kind : {KAI_GEMM_INT8_CHANNEL, KAI_GEMM_INT4_CHANNEL}) {
        const float weight = kind == KAI_GEMM_INT8_CHANNEL ? -128 : -8;
        for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
            kai_gemm_problem p = problem_of(kind, 64);
            p.pin = u->name;
            p.c_type = u->dst_type;
            kai_gemm_plan plan;
            if (u->dst_type != kai_dt_f32 || kai_gemm_make_plan(&p, &plan) != KAI_GEMM_OK) {
                continue;
            }
            SCOPED_TRACE(u->name);
            ++kernels;
            const size_t most = std::strcmp(u->rhs_format, "qsi4cxps1s0") == 0 ? 1052688 : 65793;
            p.k = most;
            ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
            for (const float c : product_of_ones(p, plan)) {
                EXPECT_NEAR(c, weight * static_cast<float>(most), 2e-6F * -weight * static_cast<float>(most));
            }
            p.k = most + 1;
            EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_WRONG_KERNEL);
            EXPECT_EQ(plan.reason, SAID(refused, u->name, SAID(large_sums, most + 1, most).c_str()));
            kai_registry_call call = {};
            call.ukernel = u, call.m = 1, call.n = 2, call.k = most;
            EXPECT_TRUE(kai_registry_check(&call, nullptr, 0));
            call.k = most + 1;
            char reason[200];
            EXPECT_FALSE(kai_registry_check(&call, reason, sizeof(reason)));
            EXPECT_EQ(reason, SAID(large_sums, most + 1, most));
        }
    }
    std::printf("%zu kernels\n", kernels);
    EXPECT_GE(kernels, 2U);
}

/// Any kernel: correct, or refused.
TEST(GemmDepth, Deeper) {
    for (const kai_gemm_kind kind : {KAI_GEMM_INT8_CHANNEL, KAI_GEMM_INT4_CHANNEL}) {
        for (const kai_datatype c_type : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
            for (const size_t k : {65793, 65794, 66048, 70000, 131072}) {
                kai_gemm_problem p = problem_of(kind, k);
                p.c_type = c_type;
                kai_gemm_plan plan;
                const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
                if (k == 65793) {
                    EXPECT_EQ(status, KAI_GEMM_OK) << plan.reason;
                } else if (kind == KAI_GEMM_INT8_CHANNEL || status != KAI_GEMM_OK) {
                    EXPECT_EQ(status, KAI_GEMM_UNSUPPORTED) << k;
                    const std::string said = SAID_AS(large_sums, std::to_string(k), "[0-9]+");
                    EXPECT_TRUE(std::regex_search(plan.reason, std::regex(said))) << plan.reason;
                }
                if (status == KAI_GEMM_OK && c_type == kai_dt_f32) {
                    const float want = (kind == KAI_GEMM_INT8_CHANNEL ? -128.0F : -8.0F) * static_cast<float>(k);
                    EXPECT_NEAR(product_of_ones(p, plan)[1], want, -2e-6F * want) << k;
                }
            }
        }
    }
}

/// The limit follows from the table of weights.
TEST(GemmDepth, Int2) {
    const size_t k = 65824;
    const kai_gemm_problem p = problem_of(KAI_GEMM_INT2_CHANNEL, k);
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_NEAR(product_of_ones(p, plan)[0], -2.0F * k, 0.5F);
    const int32_t fits[] = {-127, 0, 1, 127}, large[] = {0, -128, 1, 2};
    EXPECT_NEAR(product_of_ones(p, plan, fits)[0], -127.0F * k, 20.0F);
    kai_gemm_weights w = {};
    const std::vector<uint8_t> b(p.n * k / 4);
    const std::vector<float> scale(p.n, 1);
    w.b = b.data(), w.scale = scale.data(), w.lut = large;
    std::vector<uint8_t> packed(plan.packed_b_size);
    EXPECT_EQ(
        kai_gemm_pack_b(&plan, 0, &w, packed.data(), packed.size(), nullptr, 0, nullptr, nullptr),
        KAI_GEMM_UNSUPPORTED);
    const GuardedBuffer workspace(plan.workspace_size, Flush::start);
    float c[2];
    kai_gemm_operands x = {};
    x.m = 1, x.a.data = scale.data(), x.b.data = packed.data(), x.c.data = c, x.lut = large;
    EXPECT_EQ(kai_gemm_run(&plan, &x, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_UNSUPPORTED);
}

/// The limit follows from the zero point.
TEST(GemmDepth, Static) {
    const auto status = [](int32_t zero_point, size_t k, kai_gemm_kind kind = KAI_GEMM_INT8_STATIC) {
        kai_gemm_problem p = kai_gemm_problem_of(1, 2, k);
        p.b_kind = kind, p.a_type = p.c_type = kai_dt_int8, p.b_constant = true;
        p.a_zero_point = zero_point;
        kai_gemm_plan plan;
        return kai_gemm_make_plan(&p, &plan);
    };
    EXPECT_EQ(status(-128, 65793), KAI_GEMM_OK);
    EXPECT_EQ(status(-128, 65794), KAI_GEMM_UNSUPPORTED);
    EXPECT_EQ(status(127, 65794), KAI_GEMM_UNSUPPORTED);
    EXPECT_EQ(status(0, 131071), KAI_GEMM_OK);
    EXPECT_EQ(status(0, 131072), KAI_GEMM_UNSUPPORTED);
    // Weights are -2 at least.
    EXPECT_EQ(status(-128, 4210752, KAI_GEMM_INT2_STATIC), KAI_GEMM_OK);
    EXPECT_EQ(status(-128, 4210753, KAI_GEMM_INT2_STATIC), KAI_GEMM_UNSUPPORTED);
    EXPECT_EQ(status(0, 8388607, KAI_GEMM_INT2_STATIC), KAI_GEMM_OK);
    EXPECT_EQ(status(0, 8388608, KAI_GEMM_INT2_STATIC), KAI_GEMM_UNSUPPORTED);
}

/// The scales of blocks of A are f16: their range is part of the format (kai_gemm_kind).
TEST(GemmRange, OfScalesOfRows) {
    for (const kai_gemm_kind kind : {KAI_GEMM_INT8_BLOCK_F16, KAI_GEMM_INT4_BLOCK_F16}) {
        kai_gemm_problem p = kai_gemm_problem_of(1, 1, 32);
        p.b_kind = kind, p.bl = 32, p.b_constant = p.b_transposed = true;
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
        // Weights of 1: a scale of 1, then 1, or nibbles of 9.
        std::vector<uint8_t> b = {0, 0x3C};
        b.resize(kind == KAI_GEMM_INT8_BLOCK_F16 ? 34 : 18, kind == KAI_GEMM_INT8_BLOCK_F16 ? 1 : 0x99);
        const GuardedBuffer packed(plan.packed_b_size, Flush::start), workspace(plan.workspace_size, Flush::start);
        kai_gemm_weights w = {};
        w.b = b.data();
        ASSERT_EQ(
            kai_gemm_pack_b(&plan, 0, &w, packed.data(), packed.size(), nullptr, 0, nullptr, nullptr), KAI_GEMM_OK);
        const auto product = [&](float x) {
            const std::vector<float> a(p.k, x);
            float c = -1;
            kai_gemm_operands operands = {};
            operands.m = 1, operands.a.data = a.data(), operands.b.data = packed.data(), operands.c.data = &c;
            EXPECT_EQ(
                kai_gemm_run(&plan, &operands, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
            return c;
        };
        for (const float x : {7.8e-3F, 1.0F, 8.31e6F}) {
            EXPECT_NEAR(product(x) / (32 * x), 1, 5e-4) << x;
        }
        EXPECT_NEAR(product(1e-5F) / 32e-5F, 1, 0.5);
        EXPECT_EQ(product(3.7e-6F), 0);
        EXPECT_EQ(product(1e-6F), 0);
        EXPECT_EQ(product(8.33e6F), __builtin_inff());
    }
}

}  // namespace
}  // namespace test::gemm
