// F8E4M3_BLOCK and F8E5M2_BLOCK: weights of 8-bit floating point as checkpoints store them.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kai/kai_cpu.h"
#include "test/gemm/experiment.hpp"
#include "test/reference/float16.hpp"
#include "test/support/disabled_features.hpp"
#include "test/support/said.hpp"

namespace test::gemm {
namespace {

using Bytes = std::vector<uint8_t>;

/// Where scales come from.
struct Scales {
    kai_datatype type;  // uint8: E8M0
    size_t columns;     // that have the same
};

/// N x K or K x N codes with gaps between rows, scales, and the weights that they stand for.
struct Weights {
    kai_gemm_kind kind;
    size_t n, k, bl, line;
    bool nxk;
    Scales of;
    Bytes b, scales;
    std::vector<double> weights;  // [n][k], exact

    Weights(kai_gemm_kind kind, size_t n, size_t k, size_t bl, bool nxk, Scales of, size_t gap, Random& random)
        : kind(kind), n(n), k(k), bl(bl), line((nxk ? k : n) + gap), nxk(nxk), of(of), weights(n * k) {
        const auto f8 = kind == KAI_GEMM_F8E4M3_BLOCK ? reference::F8::e4m3 : reference::F8::e5m2;
        const size_t blocks = k / bl, rows = (n + of.columns - 1) / of.columns;
        std::vector<float> values;
        for (size_t i = 0; i < rows * blocks; ++i) {
            values.push_back(append_scale(random));
        }
        b.assign(((nxk ? n : k) - 1) * line + (nxk ? k : n), 0xFF);
        for (size_t at = 0; at < n * k; ++at) {
            const size_t column = at / k, kk = at % k;
            const auto code = static_cast<uint8_t>(random.integer(0, 1) << 7 | random.integer(0x20, 0x40));
            b[nxk ? column * line + kk : kk * line + column] = code;
            weights[at] = double{reference::f32_from_f8(f8, code)} * values[column / of.columns * blocks + kk / bl];
        }
    }

    kai_gemm_problem problem(size_t m) const {
        kai_gemm_problem p = kai_gemm_problem_of(m, n, k);
        p.b_kind = kind, p.bl = bl, p.b_type = of.type, p.b_constant = true, p.b_transposed = nxk;
        p.scale_columns = of.columns == 1 ? 0 : of.columns;
        return p;
    }
    kai_gemm_weights as_stored() const {
        kai_gemm_weights w = {};
        w.b = b.data(), w.ldb = line, w.scale = scales.data();
        return w;
    }

private:
    /// Returns its value.
    float append_scale(Random& random) {
        const int exponent = random.integer(-6, 3);
        const float x = random.real(0.5F, 2.0F) * std::ldexp(1.0F, exponent);
        const uint16_t f16 = reference::f16_from_f32(x), bf16 = reference::bf16_from_f32(x);
        const auto e8m0 = static_cast<uint8_t>(127 + exponent);
        const auto append = [&](const auto& stored, float value) {
            const auto* bytes = reinterpret_cast<const uint8_t*>(&stored);
            scales.insert(scales.end(), bytes, bytes + sizeof(stored));
            return value;
        };
        return of.type == kai_dt_f32    ? append(x, x)
               : of.type == kai_dt_f16  ? append(f16, reference::f32_from_f16(f16))
               : of.type == kai_dt_bf16 ? append(bf16, reference::f32_from_bf16(bf16))
                                        : append(e8m0, std::ldexp(1.0F, exponent));
    }
};

/// As packed_from_the_last_unit. Operands end, or begin, at inaccessible pages.
Bytes packed_by(const kai_gemm_plan& plan, const Weights& weights, const std::vector<float>& bias, Flush flush) {
    const GuardedBuffer b(weights.b, flush), scale(weights.scales, flush);
    kai_gemm_weights w = weights.as_stored();
    w.b = b.data(), w.scale = scale.data(), w.bias = bias.empty() ? nullptr : bias.data();
    return packed_from_the_last_unit(plan, w);
}

constexpr kai_gemm_kind kF8Kinds[] = {KAI_GEMM_F8E4M3_BLOCK, KAI_GEMM_F8E5M2_BLOCK};
constexpr Scales kScales[] = {{kai_dt_f32, 1},   {kai_dt_f16, 1},    {kai_dt_bf16, 1}, {kai_dt_uint8, 1},
                              {kai_dt_f32, 128}, {kai_dt_bf16, 128}, {kai_dt_f32, 5},  {kai_dt_uint8, 1000}};

/// The best kernels (NULL), and each that can run.
std::vector<const char*> pins(kai_gemm_kind kind) {
    std::vector<const char*> pins = {nullptr};
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        if (std::strncmp(u->rhs_format, kind == KAI_GEMM_F8E4M3_BLOCK ? "f8e4m3" : "f8e5m2", 6) == 0 &&
            kai_registry_runnable(u->features, nullptr, 0)) {
            pins.push_back(u->name);
        }
    }
    return pins;
}

// Results against doubles: every kernel, every type of scales, both orders, one row and many, blocks of 32, of 128, and
// whole columns.
TEST(GemmF8, Multiplies) {
    Random random(1);
    size_t runs = 0;
    for (const kai_gemm_kind kind : kF8Kinds) {
        for (const Scales of : kScales) {
            for (const size_t bl : {32, 128, 256}) {
                const size_t n = of.columns == 128 ? 150 : 37;
                const Weights w(kind, n, 256, bl, runs % 2 == 0, of, runs % 3, random);
                for (const char* pin : pins(kind)) {
                    const size_t m = runs % 3 == 0 ? 1 : runs % 3 == 1 ? 6 : 19;
                    SCOPED_TRACE(
                        testing::Message() << name_of(kind) << ", scales " << of.type << " of " << of.columns << ", bl "
                                           << bl << ", m " << m << ' ' << (pin != nullptr ? pin : ""));
                    kai_gemm_problem p = w.problem(m);
                    p.pin = pin;
                    p.bias = runs % 2 != 0, p.alpha = 0.5F, p.units = 1 + runs % 3;
                    p.c_type = runs % 4 == 3 ? kai_dt_bf16 : kai_dt_f32;
                    const std::vector<float> bias(p.bias ? n : 0, 0.75F);
                    kai_gemm_plan plan;
                    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
                    const Bytes packed = packed_by(plan, w, bias, runs % 2 == 0 ? Flush::end : Flush::start);
                    const GuardedBuffer workspace(plan.workspace_size, Flush::start);
                    std::vector<float> a(m * w.k), c(m * n);
                    std::vector<uint16_t> c16(m * n);
                    for (float& x : a) {
                        x = static_cast<float>(random.integer(-8, 8)) / 8;  // exact as E4M3, too
                    }
                    kai_gemm_operands o = {};
                    o.m = m, o.a.data = a.data(), o.b.data = packed.data();
                    o.c.data = p.c_type == kai_dt_f32 ? static_cast<void*>(c.data()) : c16.data();
                    ASSERT_EQ(
                        kai_gemm_run(&plan, &o, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
                    for (size_t i = 0; i < m * n; ++i) {
                        double sum = p.bias ? 0.75 : 0, size = 1;
                        for (size_t k = 0; k < w.k; ++k) {
                            const double product = 0.5 * a[i / n * w.k + k] * w.weights[i % n * w.k + k];
                            sum += product, size += std::fabs(product);
                        }
                        const bool half = p.c_type == kai_dt_bf16;
                        const double got = half ? reference::f32_from_bf16(c16[i]) : c[i];
                        ASSERT_NEAR(got, sum, 1e-5 * size + (half ? std::fabs(sum) / 256 : 0)) << "column " << i % n;
                    }
                    ++runs;
                }
            }
        }
    }
    EXPECT_GE(runs, 2U * 8 * 3 * 2);
}

// What is packed does not depend on how the scales were stored, as long as they have the same values.
TEST(GemmF8, PacksTheSameBytes) {
    Random random(2);
    for (const kai_gemm_kind kind : kF8Kinds) {
        Weights one(kind, 40, 128, 64, true, {kai_dt_uint8, 8}, 3, random), each = one;
        each.of = {kai_dt_f32, 1}, each.scales.clear();
        for (size_t n = 0; n < one.n; ++n) {
            for (size_t block = 0; block < 2; ++block) {
                const float x = std::ldexp(1.0F, one.scales[n / 8 * 2 + block] - 127);
                const auto* bytes = reinterpret_cast<const uint8_t*>(&x);
                each.scales.insert(each.scales.end(), bytes, bytes + sizeof(x));
            }
        }
        Weights turned = each;
        turned.nxk = false, turned.line = one.n, turned.b.assign(one.n * one.k, 0);
        for (size_t n = 0; n < one.n; ++n) {
            for (size_t k = 0; k < one.k; ++k) {
                turned.b[k * one.n + n] = one.b[n * one.line + k];
            }
        }
        std::vector<Bytes> packed;
        for (const Weights* w : {&one, &each, &turned}) {
            const kai_gemm_problem p = w->problem(4);
            kai_gemm_plan plan;
            ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
            packed.push_back(packed_by(plan, *w, {}, Flush::end));
        }
        EXPECT_EQ(packed[0], packed[1]);
        EXPECT_EQ(packed[0], packed[2]);
    }
}

// E8M0: 0 is 2^-127, 255 is NaN, in its columns and nowhere else.
TEST(GemmF8, ExtremeExponents) {
    Random random(3);
    Weights w(KAI_GEMM_F8E4M3_BLOCK, 3, 32, 32, true, {kai_dt_uint8, 1}, 0, random);
    w.b.assign(w.b.size(), 0x38);  // 1
    w.scales = {0, 254, 255};
    const kai_gemm_problem p = w.problem(1);
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
    const Bytes packed = packed_by(plan, w, {}, Flush::end);
    const GuardedBuffer workspace(plan.workspace_size, Flush::start);
    std::vector<float> a(32), c(3);
    a[7] = 0.25F;
    kai_gemm_operands o = {};
    o.m = 1, o.a.data = a.data(), o.b.data = packed.data(), o.c.data = c.data();
    ASSERT_EQ(kai_gemm_run(&plan, &o, workspace.data(), workspace.size(), nullptr, nullptr), KAI_GEMM_OK);
    EXPECT_EQ(c[0], 0x1p-129F);
    EXPECT_EQ(c[1], 0x1p125F);
    EXPECT_TRUE(std::isnan(c[2]));
}

/// Whether the library has a kernel, and the CPU its features.
bool runs(uint64_t features, const char* name) {
    return kai_registry_runnable(features, nullptr, 0) && kai_registry_find_ukernel(name) != nullptr;
}

// allow_f8 chooses the kernels that quantise A to E4M3 where the CPU has them, for one row and for many. FDOT takes B
// as it is packed without permission, FMMLA does not.
TEST(GemmF8, AllowedToQuantiseA) {
    Random random(5);
    for (const bool without_fmmla : {false, true}) {
        const DisabledFeatures hidden(without_fmmla ? "f8f32mm" : "");
        const bool has_fdot =
            runs(uint64_t{1} << KAI_CPU_FP8DOT4, "matmul_clamp_f32_f8e4m3d32p8x4_f8e4m3c32p12x4_8x12_neon_fp8dot4");
        const bool has_fmmla =
            runs(uint64_t{1} << KAI_CPU_F8F32MM, "matmul_clamp_f32_f8e4m3d32p8x8_f8e4m3c32p12x8_8x12_neon_f8f32mm");
        for (const kai_gemm_kind kind : kF8Kinds) {
            const Weights w(kind, 24, 256, 128, true, {kai_dt_f32, 1}, 0, random);
            kai_gemm_problem p = w.problem(8);
            p.sme_units = 0;
            kai_gemm_plan as_bf16, as_f8;
            ASSERT_EQ(kai_gemm_make_plan(&p, &as_bf16), KAI_GEMM_OK);
            p.allow_f8 = 1;
            ASSERT_EQ(kai_gemm_make_plan(&p, &as_f8), KAI_GEMM_OK);
            for (const kai_gemm_kernel* kernel : {&as_f8.gemm, &as_f8.gemv}) {
                const char* name = kernel->ukernel->name;
                EXPECT_EQ(std::strcmp(kernel->ukernel->lhs_format, "f8e4m3d32p") == 0, has_fdot || has_fmmla) << name;
                EXPECT_EQ(std::strstr(name, "_f8f32mm") != nullptr, has_fmmla) << name;
            }
            EXPECT_STREQ(as_bf16.gemm.ukernel->lhs_format, "bf16p");
            EXPECT_EQ(packed_by(as_bf16, w, {}, Flush::end) == packed_by(as_f8, w, {}, Flush::end), !has_fmmla);
        }
    }
}

// With SME_F8F32 and permission, FMOPA multiplies many rows, of the same packed B as BFMOPA.
TEST(GemmF8, TakesOuterProductsOfCodes) {
    constexpr uint64_t kNeeds = uint64_t{1} << KAI_CPU_SME | uint64_t{1} << KAI_CPU_SME_F8F32;
    Random random(7);
    for (const kai_gemm_kind kind : kF8Kinds) {
        const Weights w(kind, 90, 256, 128, true, {kai_dt_f32, 1}, 0, random);
        kai_gemm_problem p = w.problem(8);
        p.sme_units = 1;
        kai_gemm_plan as_bf16, as_f8;
        ASSERT_EQ(kai_gemm_make_plan(&p, &as_bf16), KAI_GEMM_OK);
        p.allow_f8 = 1;
        ASSERT_EQ(kai_gemm_make_plan(&p, &as_f8), KAI_GEMM_OK);
        const bool takes = std::strstr(as_f8.gemm.ukernel->name, "_sme_f8f32_mopa") != nullptr;
        EXPECT_EQ(takes, kai_registry_runnable(kNeeds, nullptr, 0)) << as_f8.gemm.ukernel->name;
        if (takes) {
            EXPECT_STREQ(as_f8.gemv.ukernel->name, as_bf16.gemv.ukernel->name);
            EXPECT_EQ(packed_by(as_bf16, w, {}, Flush::end), packed_by(as_f8, w, {}, Flush::end));
        }
    }
}

// Without FMOPA, BFMOPA of enough SME units is faster than FDOT and FMMLA of all workers, for more rows than these take
// at once. Not if B is packed for them already.
TEST(GemmF8, PermissionDoesNotReplaceFasterOuterProducts) {
    constexpr uint64_t kNeeds = uint64_t{1} << KAI_CPU_SME2 | uint64_t{1} << KAI_CPU_FP8DOT4;
    if (!kai_registry_runnable(kNeeds, nullptr, 0)) {
        GTEST_SKIP() << "no SME2, or no FDOT";
    }
    struct Case {
        const char* hides;
        size_t m, units, sme_units;
        const char* takes;
    };
    const Case cases[] = {
        {"smef8f32,f8f32mm", 9, 1, 1, "_sme2_mopa"},    {"smef8f32,f8f32mm", 8, 1, 1, "_neon_fp8dot4"},
        {"smef8f32,f8f32mm", 64, 4, 2, "_sme2_mopa"},   {"smef8f32,f8f32mm", 64, 5, 2, "_neon_fp8dot4"},
        {"smef8f32,f8f32mm", 64, 4, 9, "_sme2_mopa"},   {"smef8f32,f8f32mm", 64, 4, 0, "_neon_fp8dot4"},
        {"smef8f32,f8f32mm", 1, 1, 1, "_neon_fp8dot4"}, {"smef8f32", 64, 4, 3, "_sme2_mopa"},
        {"smef8f32", 64, 4, 2, "_neon_f8f32mm"},        {"", 64, 4, 2, "_sme_f8f32_mopa"},
    };
    Random random(8);
    for (const kai_gemm_kind kind : kF8Kinds) {
        const Weights w(kind, 24, 256, 128, true, {kai_dt_f32, 1}, 0, random);
        for (const Case& c : cases) {
            const DisabledFeatures hidden(c.hides);
            kai_gemm_problem p = w.problem(c.m);
            p.units = c.units, p.sme_units = c.sme_units, p.allow_f8 = 1;
            kai_gemm_plan plan;
            ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
            EXPECT_NE(std::strstr(plan.gemm.ukernel->name, c.takes), nullptr)
                << plan.gemm.ukernel->name << ", m " << c.m << ", " << c.sme_units << " of " << c.units;
            p.m = 64, p.sme_units = 0;
            kai_gemm_plan of_neon;
            ASSERT_EQ(kai_gemm_make_plan(&p, &of_neon), KAI_GEMM_OK);
            const kai_gemm_format packed = of_neon.format;
            p.sme_units = p.units, p.format = &packed;
            ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
            EXPECT_EQ(plan.gemm.ukernel, of_neon.gemm.ukernel);
        }
    }
}

// With SME2, BFMOPA multiplies many rows; one row takes FMLAL with the same packed B.
TEST(GemmF8, TakesOuterProducts) {
    constexpr uint64_t kNeeds = uint64_t{1} << KAI_CPU_SME | uint64_t{1} << KAI_CPU_SME2;
    Random random(6);
    for (const kai_gemm_kind kind : kF8Kinds) {
        kai_gemm_problem p = Weights(kind, 24, 256, 128, true, {kai_dt_f32, 1}, 0, random).problem(8);
        kai_gemm_plan plan;
        for (const size_t units : {0, 1}) {
            p.sme_units = units;
            ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
            const bool expected =
                units != 0 && kai_registry_runnable(kNeeds, nullptr, 0) &&
                kai_registry_find_ukernel("matmul_clamp_f32_bf16p1vlx4_f8e4m3c32p4vlx4_1vlx4vl_sme2_mopa") != nullptr;
            EXPECT_EQ(std::strstr(plan.gemm.ukernel->name, "_sme2_mopa") != nullptr, expected);
            EXPECT_EQ(std::strstr(plan.gemv.ukernel->name, "4vlx4_1x4vl_neon_fmlal") != nullptr, expected);
        }
    }
}

TEST(GemmF8, Refuses) {
    Random random(4);
    const Weights w(KAI_GEMM_F8E4M3_BLOCK, 8, 64, 32, true, {kai_dt_f32, 1}, 0, random);
    const auto status = [&](auto change) {
        kai_gemm_problem p = w.problem(4);
        change(p);
        kai_gemm_plan plan;
        return kai_gemm_make_plan(&p, &plan);
    };
    EXPECT_EQ(status([](auto&) {}), KAI_GEMM_OK);
    EXPECT_EQ(status([](auto& p) { p.b_type = kai_dt_uint8; }), KAI_GEMM_OK);
    EXPECT_EQ(status([](auto& p) { p.b_transposed = false; }), KAI_GEMM_OK);
    for (const size_t bl : {0, 16, 48, 65}) {
        EXPECT_EQ(status([&](auto& p) { p.bl = bl, p.k = 960; }), KAI_GEMM_BAD_VALUE) << bl;
    }
    EXPECT_EQ(status([](auto& p) { p.k = 72; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(status([](auto& p) { p.b_type = kai_dt_int8; }), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(status([](auto& p) { p.b_constant = false; }), KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(status([](auto& p) { p.b_kind = KAI_GEMM_INT8_CHANNEL, p.scale_columns = 2; }), KAI_GEMM_BAD_COMBINATION);

    const kai_gemm_problem p = w.problem(4);
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    const GuardedBuffer packed(plan.packed_b_size, Flush::start), workspace(plan.pack_workspace_size, Flush::start);
    const auto reason = [&](auto change) {
        kai_gemm_weights x = w.as_stored();
        change(x);
        char why[200];
        kai_gemm_explain_pack_b(
            &plan, 0, &x, packed.data(), packed.size(), workspace.data(), workspace.size(), why, sizeof(why));
        return std::string(why);
    };
    EXPECT_EQ(
        reason([](auto& x) { x.scale = nullptr; }), SAID(absent_but_needed, "weights.scale", "F8E4M3_BLOCK") + "\n");
    EXPECT_EQ(reason([](auto& x) { x.ldb = 63; }), SAID(short_stride, "weights.ldb", 63, 64, "row") + "\n");
}

}  // namespace
}  // namespace test::gemm
