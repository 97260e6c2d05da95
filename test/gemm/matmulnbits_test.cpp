// UINT4_BLOCK, what MatMulNBits of ONNX Runtime stores: packed, it is the bytes of the weights that it stands for.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "test/gemm/experiment.hpp"
#include "test/reference/float16.hpp"
#include "test/support/said.hpp"

namespace test::gemm {
namespace {

using Bytes = std::vector<uint8_t>;

void set_nibble(Bytes& bytes, size_t i, int value) {
    bytes[i / 2] = static_cast<uint8_t>(bytes[i / 2] | value << i % 2 * 4);
}

/// N x K weights as MatMulNBits has them, and as other kinds do.
struct Weights {
    size_t n, k, bl, line;
    Bytes b, zero_points, scales;             // UINT4_BLOCK
    Bytes swapped;                            // INT4_BLOCK_ZERO: the even nibble high
    std::vector<float> scale, zero, weights;  // INT4_BLOCK_ZERO; DENSE

    Weights(size_t n, size_t k, size_t bl, kai_datatype scale_type, bool has_zero_points, size_t gap, Random& random)
        : n(n), k(k), bl(bl), line(k / 2 + gap), swapped(n * k / 2), weights(n * k) {
        const size_t blocks = k / bl, size = scale_type == kai_dt_f32 ? 4 : 2;
        b.assign(n == 0 ? 0 : (n - 1) * line + k / 2, 0);
        zero_points.assign(has_zero_points ? n * ((blocks + 1) / 2) : 0, 0);
        scales.resize(n * blocks * size);
        for (size_t c = 0; c < n; ++c) {
            for (size_t block = 0; block < blocks; ++block) {
                float x = random.real(-0.3F, 0.3F);
                const uint16_t f16 = reference::f16_from_f32(x), bf16 = reference::bf16_from_f32(x);
                uint8_t* to = &scales[(c * blocks + block) * size];
                if (scale_type == kai_dt_f32) {
                    std::memcpy(to, &x, sizeof(x));
                } else {
                    std::memcpy(to, scale_type == kai_dt_f16 ? &f16 : &bf16, sizeof(f16));
                    x = scale_type == kai_dt_f16 ? reference::f32_from_f16(f16) : reference::f32_from_bf16(bf16);
                }
                const int zero_point = has_zero_points ? random.integer(0, 15) : 8;
                if (has_zero_points) {
                    set_nibble(zero_points, c * ((blocks + 1) / 2) * 2 + block, zero_point);
                }
                scale.push_back(x), zero.push_back(x * static_cast<float>(8 - zero_point));
                for (size_t i = block * bl; i < (block + 1) * bl; ++i) {
                    const int q = random.integer(0, 15);
                    set_nibble(b, c * line * 2 + i, q);
                    set_nibble(swapped, c * k + (i ^ 1), q);
                    weights[c * k + i] = x * static_cast<float>(q - zero_point);
                }
            }
        }
    }
};

kai_gemm_problem problem_of(size_t m, const Weights& w, kai_datatype scale_type) {
    kai_gemm_problem p = kai_gemm_problem_of(m, w.n, w.k);
    p.b_kind = KAI_GEMM_UINT4_BLOCK, p.bl = w.bl, p.b_type = scale_type, p.b_constant = p.b_transposed = true;
    return p;
}

/// As packed_from_the_last_unit. Operands end, or begin, at inaccessible pages.
Bytes packed_by(
    const kai_gemm_plan& plan, kai_gemm_weights w, const Bytes* zero_points, Flush flush, size_t b_size,
    size_t scale_size) {
    const auto kept = [&](const void* data, size_t size) {
        const auto* bytes = static_cast<const uint8_t*>(data);
        return GuardedBuffer(Bytes(bytes, bytes + size), flush);
    };
    const GuardedBuffer b = kept(w.b, b_size), scale = kept(w.scale, scale_size);
    const GuardedBuffer points(zero_points != nullptr ? *zero_points : Bytes(), flush);
    w.b = b.data(), w.scale = scale_size != 0 ? scale.data() : nullptr;
    w.zero_points = zero_points != nullptr ? points.data() : nullptr;
    return packed_from_the_last_unit(plan, w);
}

// Blocks of 32 and more: as INT4_BLOCK_ZERO; others: as floats. The tag at the end is the same, too, so that a plan for
// the one multiplies what was packed for the other.
TEST(GemmMatMulNBits, PacksTheWeightsItStandsFor) {
    Random random(1);
    size_t packings = 0;
    for (const size_t bl : {16, 32, 64, 96, 128, 256}) {
        for (const kai_datatype scale_type : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
            for (const size_t n : {1, 7, 45}) {
                for (const bool points : {false, true}) {
                    const size_t k = bl * (1 + packings % 3), gap = packings % 2 * 3;
                    SCOPED_TRACE(
                        testing::Message() << "bl " << bl << ", n " << n << ", k " << k << ", zero points " << points);
                    const Weights w(n, k, bl, scale_type, points, gap, random);
                    kai_gemm_problem p = problem_of(5, w, scale_type);
                    p.c_type = packings % 5 == 0 ? kai_dt_f16 : kai_dt_f32, p.bias = packings % 4 == 1;
                    p.units = 1 + packings % 4;
                    kai_gemm_plan plan, other;
                    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
                    const bool floats = bl % 32 != 0;
                    p.b_kind = floats ? KAI_GEMM_DENSE : KAI_GEMM_INT4_BLOCK_ZERO, p.b_type = kai_dt_f32;
                    ASSERT_EQ(kai_gemm_make_plan(&p, &other), KAI_GEMM_OK) << other.reason;
                    EXPECT_STREQ(plan.gemm.ukernel->name, other.gemm.ukernel->name);
                    EXPECT_STREQ(plan.gemv.ukernel->name, other.gemv.ukernel->name);

                    const std::vector<float> bias(n, 0.5F);
                    kai_gemm_weights x = {}, y = {};
                    x.b = w.b.data(), x.ldb = gap != 0 ? w.line : 0, x.scale = w.scales.data();
                    y.b = floats ? static_cast<const void*>(w.weights.data()) : w.swapped.data();
                    y.scale = w.scale.data(), y.zero = floats ? nullptr : w.zero.data();
                    x.bias = y.bias = p.bias ? bias.data() : nullptr;
                    const Flush flush = packings % 2 == 0 ? Flush::end : Flush::start;
                    const Bytes got =
                        packed_by(plan, x, points ? &w.zero_points : nullptr, flush, w.b.size(), w.scales.size());
                    const Bytes want = packed_by(
                        other, y, nullptr, flush, floats ? 4 * n * k : w.swapped.size(),
                        floats ? 0 : 4 * w.scale.size());
                    ASSERT_EQ(got, want);
                    ++packings;
                }
            }
        }
    }
    EXPECT_EQ(packings, 6U * 3 * 3 * 2);
}

// Results, by kernels for one row and for many.
TEST(GemmMatMulNBits, Multiplies) {
    Random random(2);
    for (const size_t bl : {16, 32, 64}) {
        const Weights w(33, 192, bl, kai_dt_f16, true, 0, random);
        for (const size_t m : {1, 6}) {
            const kai_gemm_problem p = problem_of(m, w, kai_dt_f16);
            kai_gemm_plan plan;
            ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
            std::string text(4000, 0);
            text.resize(kai_gemm_explain(&plan, text.data(), text.size()));
            EXPECT_NE(text.find(bl == 16 ? "dequantised, then packed" : "copied, then packed"), std::string::npos);
            kai_gemm_weights x = {};
            x.b = w.b.data(), x.scale = w.scales.data();
            const Bytes packed = packed_by(plan, x, &w.zero_points, Flush::end, w.b.size(), w.scales.size());
            const GuardedBuffer workspace(plan.workspace_size, Flush::start);
            std::vector<float> a(m * w.k), c(m * w.n);
            for (size_t i = 0; i < a.size(); ++i) {  // exact when they are quantised
                a[i] = static_cast<float>(i % 32 == 3 ? 127 : random.integer(-127, 127));
            }
            kai_gemm_operands o = {};
            o.m = m, o.a.data = a.data(), o.b.data = packed.data(), o.c.data = c.data();
            ASSERT_EQ(kai_gemm_run(&plan, &o, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
            for (size_t i = 0; i < m * w.n; ++i) {
                double sum = 0;
                for (size_t k = 0; k < w.k; ++k) {
                    sum += double{a[i / w.n * w.k + k]} * w.weights[i % w.n * w.k + k];
                }
                ASSERT_NEAR(c[i], sum, 1e-2) << "bl " << bl << ", m " << m << ", column " << i % w.n;
            }
        }
    }
}

TEST(GemmMatMulNBits, Refuses) {
    Random random(3);
    const Weights w(8, 64, 16, kai_dt_f32, false, 0, random);
    const auto status = [&](auto change) {
        kai_gemm_problem p = problem_of(4, w, kai_dt_f32);
        change(p);
        kai_gemm_plan plan;
        return kai_gemm_make_plan(&p, &plan);
    };
    EXPECT_EQ(status([](auto&) {}), KAI_GEMM_OK);
    for (const size_t bl : {0, 8, 24, 40, 48, 72}) {
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
    kai_gemm_weights x = {};
    x.b = w.b.data();
    const auto pack = [&] {
        return kai_gemm_pack_b(
            &plan, 0, &x, packed.data(), packed.size(), workspace.data(), workspace.size(), nullptr, nullptr);
    };
    EXPECT_EQ(pack(), KAI_GEMM_NULL_POINTER);
    x.scale = w.scales.data();
    EXPECT_EQ(pack(), KAI_GEMM_OK);
    x.ldb = 31;
    EXPECT_EQ(pack(), KAI_GEMM_BAD_STRIDE);
}

}  // namespace
}  // namespace test::gemm
