// Epilogues: activations against the C library, and whole runs against their definition in double.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "kai/gemm/activation.hpp"
#include "test/gemm/experiment.hpp"
#include "test/support/said.hpp"

namespace test::gemm {
namespace {

#if defined(__aarch64__)
constexpr bool kEmulated = true;  // or as slow as that, perhaps
#else
constexpr bool kEmulated = false;
#endif

constexpr float kInf = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

double exact(kai_gemm_activation activation, double x) {
    const double pi = std::acos(-1.0);
    switch (activation) {
        case KAI_GEMM_RELU:
            return x < 0 ? 0 : x;
        case KAI_GEMM_GELU_TANH:
            return x / (1 + std::exp(-2 * std::sqrt(2 / pi) * (x + 0.044715 * x * x * x)));
        case KAI_GEMM_GELU_ERF:
            return x * std::erfc(-x / std::sqrt(2.0)) / 2;
        case KAI_GEMM_SILU:
            return x / (1 + std::exp(-x));
        case KAI_GEMM_TANH:
            return std::tanh(x);
        case KAI_GEMM_SIGMOID:
            return 1 / (1 + std::exp(-x));
        default:
            return x;
    }
}

float activated(kai_gemm_activation activation, float x) {
    float values[kai::gemm::kActivated] = {x, 1, 2, 3};  // and zeros
    kai::gemm::activate(activation, values, 1);
    return values[0];
}

const kai_gemm_activation kActivations[] = {KAI_GEMM_NO_ACTIVATION, KAI_GEMM_RELU, KAI_GEMM_GELU_TANH,
                                            KAI_GEMM_GELU_ERF,      KAI_GEMM_SILU, KAI_GEMM_TANH,
                                            KAI_GEMM_SIGMOID};
static_assert(std::size(kActivations) == KAI_GEMM_ACTIVATION_COUNT);

/// Bounds of docs/epilogues.md: of |error| / max(1, |x|), and of errors in units in the last place of the result where
/// that is at least 2^-10.
struct Bound {
    double error, ulps;
};
constexpr Bound kBounds[] = {{0, 0}, {0, 0}, {1.5e-7, 22}, {1.1e-7, 22}, {1.5e-7, 3.5}, {1.2e-7, 3}, {7.5e-8, 2.5}};

void expect_near(kai_gemm_activation activation, float x) {
    const auto want = exact(activation, x);
    const auto error = std::fabs(activated(activation, x) - want);
    ASSERT_LE(error, kBounds[activation].error * std::fmax(1, std::fabs(x))) << activation << " of " << x;
    const auto size = std::fabs(want);
    if (size >= 0x1p-10) {
        ASSERT_LE(error, kBounds[activation].ulps * std::ldexp(1, std::ilogb(size) - 23)) << activation << " of " << x;
    }
}

TEST(GemmEpilogue, ActivationsOfAllF16) {
    for (const auto activation : kActivations) {
        for (uint32_t bits = 0; bits < 0x10000; bits += kEmulated ? 7 : 1) {
            const float x = kai_cast_f32_f16(static_cast<uint16_t>(bits));
            if (std::isfinite(x)) {
                ASSERT_NO_FATAL_FAILURE(expect_near(activation, x));
            }
        }
    }
}

TEST(GemmEpilogue, ActivationsOfRandomF32) {
    Random random(7);
    for (const auto activation : kActivations) {
        for (size_t i = 0; i < (kEmulated ? 2000 : 50000); ++i) {
            ASSERT_NO_FATAL_FAILURE(expect_near(activation, random.real(-20, 20)));
            ASSERT_NO_FATAL_FAILURE(expect_near(activation, std::ldexp(random.real(-1, 1), random.integer(-126, 127))));
        }
    }
}

TEST(GemmEpilogue, ActivationsOfSpecialValues) {
    for (const auto activation : kActivations) {
        SCOPED_TRACE(activation);
        EXPECT_TRUE(std::isnan(activated(activation, kNaN)));
        for (const float x : {kInf, -kInf}) {
            const bool grows = activation <= KAI_GEMM_SILU;
            const float want = activation == KAI_GEMM_NO_ACTIVATION ? x
                               : x > 0                              ? (grows ? kInf : 1)
                               : activation == KAI_GEMM_TANH        ? -1
                                                                    : 0;
            EXPECT_EQ(activated(activation, x), want);
        }
        EXPECT_EQ(activated(activation, 0), activation == KAI_GEMM_SIGMOID ? 0.5F : 0.0F);
    }
    EXPECT_TRUE(std::signbit(activated(KAI_GEMM_TANH, -0.0F)));
    EXPECT_FALSE(std::signbit(activated(KAI_GEMM_TANH, 0.0F)));
}

TEST(GemmEpilogue, ActivationsOfEveryPlaceAreTheSame) {
    Random random(3);
    std::vector<float> x(67 + kai::gemm::kActivated);
    for (float& v : x) {
        v = random.real(-9, 9);
    }
    for (const auto activation : kActivations) {
        for (size_t count = 0; count <= 67; ++count) {
            std::vector<float> y = x;
            kai::gemm::activate(activation, y.data(), count);
            for (size_t i = 0; i < count; ++i) {
                ASSERT_EQ(y[i], activated(activation, x[i])) << activation << ' ' << i << " of " << count;
            }
            const size_t touched = (count + kai::gemm::kActivated - 1) / kai::gemm::kActivated * kai::gemm::kActivated;
            ASSERT_EQ(std::memcmp(&y[touched], &x[touched], (x.size() - touched) * sizeof(float)), 0);
        }
    }
}

/// A run with everything, and what it should be.
struct Whole {
    kai_gemm_problem p = kai_gemm_problem_of(0, 0, 0);
    std::vector<float> a, c, bias[2], column_scale, column_shift, row_scale, row_shift;
    std::vector<std::vector<float>> b;  // K x N
    std::vector<size_t> rows;           // groups
    kai_gemm_epilogue e = {};
    std::vector<float> before;

    size_t matrices() const {
        return (p.b_per_matrix ? p.batch : 1) * (p.gated != 0 ? 2 : 1);
    }

    void fill(Random& random) {
        const auto values = [&](size_t count, float most) {
            std::vector<float> v(count);
            for (float& x : v) {
                x = random.real(-most, most);
            }
            return v;
        };
        const size_t all = p.groups ? std::accumulate(rows.begin(), rows.end(), size_t{0}) : p.batch * p.m;
        a = values(all * p.k, 1), c = values(all * p.n, 2), before = c;
        b.clear();
        for (size_t i = 0; i < matrices(); ++i) {
            b.push_back(values(p.k * p.n, 1));
        }
        for (auto& v : bias) {
            v = values(p.n, 1);
        }
        column_scale = values(p.n, 2), column_shift = values(p.n, 1);
        row_scale = values(p.groups ? all : p.m, 2), row_shift = values(p.groups ? all : p.m, 1);
    }

    /// C in double, for row `row` of matrix `matrix` (row of all for groups).
    double want(size_t matrix, size_t row, size_t j, bool has) const {
        const size_t r = p.groups ? row : matrix * p.m + row;
        const size_t first = (p.b_per_matrix ? matrix : 0) * (p.gated != 0 ? 2 : 1);
        const auto product = [&](size_t which) {
            double sum = 0;
            for (size_t i = 0; i < p.k; ++i) {
                sum += double{a[r * p.k + i]} * b[first + which][i * p.n + j];
            }
            return sum * (has ? e.alpha : p.alpha) + (p.bias ? bias[which][j] : 0);
        };
        double x = product(0);
        if (has) {
            x = x * (e.column_scale != nullptr ? column_scale[j] : 1) +
                (e.column_shift != nullptr ? column_shift[j] : 0);
            x = x * (e.row_scale != nullptr ? row_scale[row] : 1) + (e.row_shift != nullptr ? row_shift[row] : 0);
            x = exact(e.activation, x);
        }
        x *= p.gated != 0 ? product(1) : 1;
        x += (has ? e.beta : p.beta) * double{before[r * p.n + j]};
        return std::fmin(std::fmax(x, has ? e.clamp_min : p.clamp_min), has ? e.clamp_max : p.clamp_max);
    }

    /// The same plan for one thread gives the same bits.
    void check_bits_of_one_thread(kai_gemm_operands x) const {
        kai_gemm_problem alone = p;
        alone.units = alone.sme_units = 1;
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&alone, &plan), KAI_GEMM_OK) << plan.reason;
        std::vector<std::byte> memory(plan.workspace_size + 64);
        void* workspace = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) & ~uintptr_t{63});
        std::vector<float> result = before;
        x.c.data = result.data();
        ASSERT_EQ(kai_gemm_run(&plan, &x, workspace, plan.workspace_size, nullptr, nullptr), KAI_GEMM_OK);
        ASSERT_EQ(std::memcmp(result.data(), c.data(), c.size() * sizeof(float)), 0);
    }

    /// The same run with C as int8 or uint8: the float C of a run with beta 0, quantised.
    void check_bytes(kai_gemm_operands x, const Schedule& how, Random& random) {
        ASSERT_EQ(e.beta, 0);
        kai_gemm_problem bytes = p;
        const bool is_signed = random.integer(0, 1) != 0;
        bytes.c_type = is_signed ? kai_dt_int8 : kai_dt_uint8, bytes.beta = 0;
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&bytes, &plan), KAI_GEMM_OK) << plan.reason;
        std::vector<std::byte> memory(plan.workspace_size + 64);
        void* workspace = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) & ~uintptr_t{63});
        std::vector<float> multipliers(p.groups ? p.m : p.batch * p.m);
        for (float& multiplier : multipliers) {
            multiplier = std::ldexp(random.real(1, 2), random.integer(0, 9));
        }
        const bool by_row = random.integer(0, 1) != 0, none = random.integer(0, 4) == 0 && p.gated == 0;
        kai_gemm_epilogue to_bytes = e;
        to_bytes.c_multiplier = by_row ? 0 : multipliers[0];
        to_bytes.c_multipliers = by_row ? multipliers.data() : nullptr;
        const int least = is_signed ? -128 : 0;
        to_bytes.c_zero_point = random.integer(least, least + 255);
        bytes.c_transposed = random.integer(0, 1) != 0 ? 1 : 0;
        ASSERT_EQ(kai_gemm_make_plan(&bytes, &plan), KAI_GEMM_OK) << plan.reason;
        const GuardedBuffer result(c.size());
        std::memset(result.data(), 0x55, result.size());
        x.c.data = result.data(), x.epilogue = none ? nullptr : &to_bytes;
        Schedule schedule = how;
        ASSERT_EQ(kai_gemm_run(&plan, &x, workspace, plan.workspace_size, parallel_for, &schedule), KAI_GEMM_OK);
        for (size_t i = 0; i < c.size() && !none; ++i) {
            const size_t row = p.groups ? i / p.n : i / p.n % p.m;
            const float scaled = c[i] * (by_row ? multipliers[row] : multipliers[0]);
            const float want = std::isnan(scaled) ? -kInf : std::nearbyint(scaled) + to_bytes.c_zero_point;
            const auto bounded = static_cast<int>(std::fmin(std::fmax(want, least), least + 255));
            const size_t j = i % p.n, first = p.groups ? 0 : i / p.n / p.m * p.m, all = p.groups ? c.size() / p.n : p.m;
            const size_t at = bytes.c_transposed != 0 ? first * p.n + j * all + (i / p.n - first) : i;
            const uint8_t got = result.data()[at];
            ASSERT_EQ(is_signed ? static_cast<int8_t>(got) : int{got}, bounded) << i << ": " << c[i];
        }
    }

    /// Plans, packs, runs on threads, with and without the epilogue, and compares.
    void check(const Schedule& how, Random* random = nullptr) {
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
        ASSERT_FALSE(plan.direct);
        std::vector<std::byte> packed_memory(plan.packed_b_size + 64), memory(plan.workspace_size + 64);
        const auto aligned = [](std::vector<std::byte>& v) {
            return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(v.data()) + 63) & ~uintptr_t{63});
        };
        void* packed = aligned(packed_memory);
        for (size_t i = 0; p.b_constant && i < matrices(); ++i) {
            kai_gemm_weights weights = {};
            weights.b = b[i].data(), weights.bias = p.bias ? bias[i % (p.gated != 0 ? 2 : 1)].data() : nullptr;
            ASSERT_EQ(
                kai_gemm_pack_b(&plan, i, &weights, packed, plan.packed_b_size, nullptr, 0, nullptr, nullptr),
                KAI_GEMM_OK);
        }
        kai_gemm_operands x = {};
        x.m = p.m, x.rows = p.groups ? rows.data() : nullptr;
        x.a.data = a.data(), x.c.data = c.data();
        std::vector<const void*> lying;
        for (const auto& matrix : b) {
            lying.push_back(matrix.data());
        }
        x.b.data = packed, x.b.table = p.b_constant ? nullptr : lying.data();
        x.bias = p.bias && !p.b_constant ? bias[0].data() : nullptr;
        for (const bool has : {true, false}) {
            SCOPED_TRACE(has ? "with an epilogue" : "without");
            x.epilogue = has ? &e : nullptr;
            c = before;
            Schedule schedule = how;
            ASSERT_EQ(
                kai_gemm_run(&plan, &x, aligned(memory), plan.workspace_size, parallel_for, &schedule), KAI_GEMM_OK);
            if (has) {
                check_bits_of_one_thread(x);
                if (random != nullptr && e.beta == 0) {
                    check_bytes(x, how, *random);
                }
            }
            size_t first = 0;
            for (size_t matrix = 0; matrix < p.batch; ++matrix) {
                const size_t count = p.groups ? rows[matrix] : p.m;
                for (size_t row = 0; row < count; ++row) {
                    const size_t r = p.groups ? first + row : row;
                    for (size_t j = 0; j < p.n; ++j) {
                        const double w = want(matrix, r, j, has);
                        const float got = c[(p.groups ? r : matrix * p.m + row) * p.n + j];
                        ASSERT_NEAR(got, w, 4e-6 * (1 + std::fabs(w)) * static_cast<double>(p.k + 4))
                            << "matrix " << matrix << ", row " << row << ", column " << j;
                    }
                }
                first += count;
            }
        }
    }
};

TEST(GemmEpilogue, WholeRuns) {
    Random random(11);
    for (size_t i = 0; i < (kEmulated ? 60 : 400); ++i) {
        Whole w;
        kai_gemm_problem& p = w.p;
        p = kai_gemm_problem_of(random.integer(1, 40), random.integer(1, 150), random.integer(0, 9));
        p.epilogue = 1, p.gated = random.integer(0, 1), p.b_constant = p.gated != 0 || random.integer(0, 1) != 0;
        p.batch = random.integer(1, 3), p.b_per_matrix = p.batch > 1 && random.integer(0, 1) != 0;
        p.groups = p.b_per_matrix && p.b_constant && random.integer(0, 1) != 0;
        p.units = p.sme_units = random.integer(1, 4);
        p.bias = random.integer(0, 1) != 0 && (p.b_constant || !p.b_per_matrix);
        if (p.groups) {
            size_t left = p.m;
            for (size_t g = 0; g < p.batch; ++g) {
                w.rows.push_back(random.integer(0, static_cast<int>(left)));
                left -= w.rows.back();
            }
        }
        w.fill(random);
        w.e = kai_gemm_epilogue_of(&p);
        w.e.alpha = random.integer(0, 1) != 0 ? 1 : -0.5F, w.e.beta = static_cast<float>(random.integer(0, 2)) / 2;
        w.e.activation = kActivations[random.integer(0, KAI_GEMM_ACTIVATION_COUNT - 1)];
        const auto sometimes = [&](const std::vector<float>& v) {
            return random.integer(0, 1) != 0 ? v.data() : nullptr;
        };
        w.e.column_scale = sometimes(w.column_scale), w.e.column_shift = sometimes(w.column_shift);
        w.e.row_scale = sometimes(w.row_scale), w.e.row_shift = sometimes(w.row_shift);
        if (random.integer(0, 2) == 0) {
            w.e.clamp_min = -1, w.e.clamp_max = 1.5F;
        }
        SCOPED_TRACE(
            testing::Message() << i << ": " << p.m << " x " << p.n << " x " << p.k << ", batch " << p.batch
                               << ", gated " << p.gated << ", groups " << p.groups << ", activation "
                               << w.e.activation);
        ASSERT_NO_FATAL_FAILURE(w.check({p.units, static_cast<uint64_t>(random.integer(0, 9)), true}, &random));
    }
}

// The loop for an activation that is all of it takes whole blocks of columns, and the rest another way.
TEST(GemmEpilogue, ActivationsAloneStayInsideC) {
    constexpr size_t kM = 3, kK = 5;
    Random random(5);
    for (const size_t n : {1, 15, 16, 17, 31, 33, 47, 70}) {
        SCOPED_TRACE(n);
        std::vector<float> a(kM * kK), b(kK * n), products(kM * n);
        std::generate(a.begin(), a.end(), [&] { return random.real(-2, 2); });
        std::generate(b.begin(), b.end(), [&] { return random.real(-2, 2); });
        kai_gemm_problem p = kai_gemm_problem_of(kM, n, kK);
        p.epilogue = 1, p.b_constant = false;
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
        std::vector<std::byte> memory(plan.workspace_size + 64);
        void* workspace = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) & ~uintptr_t{63});
        kai_gemm_operands x = {};
        x.m = kM, x.a.data = a.data(), x.b.data = b.data(), x.c.data = products.data();
        ASSERT_EQ(kai_gemm_run(&plan, &x, workspace, plan.workspace_size, nullptr, nullptr), KAI_GEMM_OK);
        kai_gemm_epilogue e = kai_gemm_epilogue_of(&p);
        x.epilogue = &e;
        for (const auto activation : kActivations) {
            const GuardedBuffer c(products.size() * sizeof(float));
            e.activation = activation, x.c.data = c.data();
            ASSERT_EQ(kai_gemm_run(&plan, &x, workspace, plan.workspace_size, nullptr, nullptr), KAI_GEMM_OK);
            for (size_t i = 0; i < products.size(); ++i) {
                float got = 0;
                std::memcpy(&got, c.data() + i * sizeof(float), sizeof(got));
                ASSERT_EQ(got, activated(activation, products[i])) << activation << ", " << i;
            }
        }
    }
}

// Experts with SwiGLU, whose weighted results are added up: rows of the list have scales of their own.
TEST(GemmEpilogue, ScatteredPairs) {
    constexpr size_t kExperts = 3, kTokens = 2, kRows = 4, n = 21, k = 8;
    const size_t rows[kExperts] = {1, 0, 3}, tokens[kRows] = {1, 0, 1, 1}, owner[kRows] = {0, 2, 2, 2};
    const float weights[kRows] = {0.25F, 0.5F, 2, -1};
    kai_gemm_problem p = kai_gemm_problem_of(kRows, n, k);
    p.batch = kExperts, p.groups = p.scatters = p.b_per_matrix = p.b_constant = true;
    p.epilogue = p.gated = 1;
    Random random(5);
    std::vector<float> a(kTokens * k), b(2 * kExperts * k * n), c(kTokens * n, 7), row_scale(kRows);
    for (auto* v : {&a, &b, &row_scale}) {
        for (float& x : *v) {
            x = random.real(-1, 1);
        }
    }
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
    std::vector<std::byte> packed_memory(plan.packed_b_size + 64), memory(plan.workspace_size + 64);
    const auto aligned = [](std::vector<std::byte>& v) {
        return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(v.data()) + 63) & ~uintptr_t{63});
    };
    for (size_t i = 0; i < 2 * kExperts; ++i) {
        kai_gemm_weights w = {};
        w.b = &b[i * k * n];
        ASSERT_EQ(
            kai_gemm_pack_b(&plan, i, &w, aligned(packed_memory), plan.packed_b_size, nullptr, 0, nullptr, nullptr),
            KAI_GEMM_OK);
    }
    kai_gemm_epilogue e = kai_gemm_epilogue_of(&p);
    e.activation = KAI_GEMM_SILU, e.row_scale = row_scale.data(), e.clamp_max = 0.5F;
    kai_gemm_operands x = {};
    x.rows = rows, x.a.data = a.data(), x.a_rows = tokens, x.a_row_count = kTokens;
    x.b.data = aligned(packed_memory), x.c.data = c.data(), x.epilogue = &e;
    x.c_rows = tokens, x.c_row_count = kTokens, x.c_weights = weights;
    ASSERT_EQ(kai_gemm_run(&plan, &x, aligned(memory), plan.workspace_size, nullptr, nullptr), KAI_GEMM_OK);
    for (size_t t = 0; t < kTokens; ++t) {
        for (size_t j = 0; j < n; ++j) {
            double want = 0;
            for (size_t i = 0; i < kRows; ++i) {
                double product[2] = {};
                for (size_t d = 0; d < k; ++d) {
                    for (size_t which = 0; which < 2; ++which) {
                        product[which] += double{a[tokens[i] * k + d]} * b[((2 * owner[i] + which) * k + d) * n + j];
                    }
                }
                want += tokens[i] == t ? weights[i] * exact(KAI_GEMM_SILU, product[0] * row_scale[i]) * product[1] : 0;
            }
            EXPECT_NEAR(c[t * n + j], std::fmin(want, 0.5), 1e-5) << t << ' ' << j;
        }
    }
}

/// What a change of a problem, or of a run's epilogue, is answered with.
struct Answer {
    kai_gemm_status status;
    std::string sentence;
};

Answer plan_of(const std::function<void(kai_gemm_problem&)>& change) {
    kai_gemm_problem p = kai_gemm_problem_of(2, 3, 4);
    p.b_constant = true, p.epilogue = 1;
    change(p);
    kai_gemm_plan plan;
    const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
    return {status, plan.reason};
}

TEST(GemmEpilogue, PlansThatAreRefused) {
    EXPECT_EQ(plan_of([](auto&) {}).status, KAI_GEMM_OK);
    const Answer static8 = plan_of([](auto& p) { p.b_kind = KAI_GEMM_INT8_STATIC, p.a_type = p.c_type = kai_dt_int8; });
    EXPECT_EQ(static8.status, KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(static8.sentence, SAID(not_for, "epilogue", "INT8_STATIC"));
    const Answer plain = plan_of([](auto& p) { p.gated = 1, p.epilogue = 0; });
    EXPECT_EQ(plain.status, KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(plain.sentence, SAID(needs, "gated", "epilogue"));
    const Answer bytes = plan_of([](auto& p) { p.c_type = kai_dt_uint8, p.epilogue = 0; });
    EXPECT_EQ(bytes.status, KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(
        bytes.sentence,
        SAID(other_type, "c_type", "uint8", "DENSE", "f32, f16 and bf16, with an epilogue int8 and uint8"));
    const Answer added = plan_of([](auto& p) { p.c_type = kai_dt_int8, p.beta = 1; });
    EXPECT_EQ(added.status, KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(added.sentence, SAID(not_for, "beta", "int8 and uint8 C"));
    const Answer scattered = plan_of([](auto& p) { p.c_type = kai_dt_int8, p.groups = p.scatters = true; });
    EXPECT_EQ(scattered.status, KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(scattered.sentence, SAID(not_for, "scatters", "int8 and uint8 C"));
    const Answer turned = plan_of([](auto& p) { p.c_transposed = 1, p.groups = p.scatters = true; });
    EXPECT_EQ(turned.status, KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(turned.sentence, SAID(not_for, "c_transposed", "scatters"));
    const Answer integers = plan_of([](auto& p) {
        p.b_kind = KAI_GEMM_INT8_LOWP, p.a_type = kai_dt_int8, p.c_type = kai_dt_int32;
        p.c_transposed = 1, p.epilogue = 0;
    });
    EXPECT_EQ(integers.status, KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(integers.sentence, SAID(not_for, "c_transposed", "INT8_LOWP"));
    const Answer variable = plan_of([](auto& p) { p.gated = 1, p.b_constant = false; });
    EXPECT_EQ(variable.status, KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(variable.sentence, SAID(needs, "gated", "b_constant"));
}

TEST(GemmEpilogue, BytesOfSpecialValues) {
    // A row that is the products: ties, bounds, what is no number.
    const float a[] = {1}, b[] = {0.5F, 1.5F, -0.5F, -1.5F, 126.5F, 127.5F, -128.5F, 1e30F, -1e30F, kInf, -kInf, kNaN};
    constexpr int kWant[] = {0, 2, 0, -2, 126, 127, -128, 127, -128, 127, -128, -128};
    constexpr size_t n = std::size(b);
    kai_gemm_problem p = kai_gemm_problem_of(1, n, 1);
    p.c_type = kai_dt_int8, p.epilogue = 1;
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
    std::vector<std::byte> memory(plan.workspace_size + 64);
    void* workspace = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) & ~uintptr_t{63});
    const kai_gemm_epilogue e = kai_gemm_epilogue_of(&p);
    int8_t c[n];
    kai_gemm_operands x = {};
    x.m = 1, x.a.data = a, x.b.data = b, x.c.data = c;
    for (const kai_gemm_epilogue* epilogue : {&e, static_cast<const kai_gemm_epilogue*>(nullptr)}) {
        x.epilogue = epilogue;
        ASSERT_EQ(kai_gemm_run(&plan, &x, workspace, plan.workspace_size, nullptr, nullptr), KAI_GEMM_OK);
        for (size_t j = 0; j < n; ++j) {
            EXPECT_EQ(c[j], kWant[j]) << b[j];
        }
    }
}

TEST(GemmEpilogue, RunsThatAreRefused) {
    const float a[4] = {}, b[4] = {};
    float c[4] = {5, 5, 5, 5};
    kai_datatype c_type = kai_dt_f32;
    const auto answer = [&](bool planned, bool scatters, const std::function<void(kai_gemm_epilogue&)>& change) {
        kai_gemm_problem p = kai_gemm_problem_of(2, 2, 2);
        p.epilogue = planned ? 1 : 0, p.groups = p.scatters = scatters, p.c_type = c_type;
        kai_gemm_plan plan;
        EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
        kai_gemm_epilogue e = kai_gemm_epilogue_of(&p);
        change(e);
        std::fill(std::begin(c), std::end(c), 5.0F);
        kai_gemm_operands x = {};
        const size_t rows[] = {2}, c_rows[] = {0, 1};
        x.m = 2, x.a.data = a, x.b.data = b, x.c.data = c, x.epilogue = &e;
        x.rows = rows, x.c_rows = c_rows, x.c_row_count = 2;
        std::vector<std::byte> memory(plan.workspace_size + 64);
        void* workspace = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) & ~uintptr_t{63});
        char text[300];
        kai_gemm_explain_run(&plan, &x, workspace, plan.workspace_size, text, sizeof(text));
        const kai_gemm_status status = kai_gemm_run(&plan, &x, workspace, plan.workspace_size, nullptr, nullptr);
        if (status != KAI_GEMM_OK) {
            EXPECT_EQ(c[0], 5) << "a run that is refused writes nothing";
        }
        return Answer{status, text};
    };
    const auto expect = [](const Answer& is, kai_gemm_status status, const std::string& sentence) {
        EXPECT_EQ(is.status, status);
        EXPECT_EQ(is.sentence, sentence + "\n");
    };
    expect(
        answer(false, false, [](auto&) {}), KAI_GEMM_BAD_COMBINATION,
        SAID(needs, "operands.epilogue", "problem.epilogue"));
    expect(answer(true, false, [](auto& e) { e.reserved[6] = 1; }), KAI_GEMM_RESERVED, SAID(reserved, "epilogue"));
    expect(
        answer(true, false, [](auto& e) { e.activation = KAI_GEMM_ACTIVATION_COUNT; }), KAI_GEMM_BAD_VALUE,
        SAID(no_enumerator, "activation", int32_t{KAI_GEMM_ACTIVATION_COUNT}, "kai_gemm_activation"));
    expect(
        answer(true, false, [](auto& e) { e.clamp_min = 2, e.clamp_max = 1; }), KAI_GEMM_BAD_VALUE,
        SAID(bounds_out_of_order, 2.0, 1.0));
    expect(answer(true, true, [](auto& e) { e.beta = 0.5F; }), KAI_GEMM_BAD_VALUE, SAID(beta_of_scatters, 0.5));
    const float ones[] = {1, 1};
    const auto not_for = [&](const std::function<void(kai_gemm_epilogue&)>& change, const char* what,
                             const char* type) {
        expect(answer(true, false, change), KAI_GEMM_BAD_COMBINATION, SAID(not_for, what, type));
    };
    not_for([](auto& e) { e.c_multiplier = 1; }, "c_multiplier", "f32");
    not_for([](auto& e) { e.c_zero_point = 1; }, "c_zero_point", "f32");
    not_for([&](auto& e) { e.c_multipliers = ones; }, "c_multipliers", "f32");
    EXPECT_EQ(answer(true, false, [](auto&) {}).status, KAI_GEMM_OK);
    c_type = kai_dt_uint8;
    not_for([](auto& e) { e.beta = 1; }, "beta", "int8 and uint8 C");
    for (const float multiplier : {0.0F, -1.0F, kNaN}) {
        expect(
            answer(true, false, [&](auto& e) { e.c_multiplier = multiplier; }), KAI_GEMM_BAD_VALUE,
            SAID(not_above_zero, "c_multiplier", double{multiplier}));
    }
    for (const int32_t zero_point : {-1, 256}) {
        expect(
            answer(true, false, [&](auto& e) { e.c_zero_point = zero_point; }), KAI_GEMM_BAD_VALUE,
            SAID(out_of_range, "c_zero_point", zero_point, int32_t{0}, int32_t{255}));
    }
    EXPECT_EQ(answer(true, false, [&](auto& e) { e.c_multiplier = 0, e.c_multipliers = ones; }).status, KAI_GEMM_OK);
    EXPECT_EQ(answer(true, false, [](auto&) {}).status, KAI_GEMM_OK);
}

TEST(GemmEpilogue, EpilogueOfAProblem) {
    kai_gemm_problem p = kai_gemm_problem_of(1, 1, 1);
    p.alpha = 2, p.beta = 3, p.clamp_min = -4, p.clamp_max = 5;
    const kai_gemm_epilogue e = kai_gemm_epilogue_of(&p), none = kai_gemm_epilogue_of(nullptr);
    EXPECT_EQ(e.alpha, 2);
    EXPECT_EQ(e.beta, 3);
    EXPECT_EQ(e.clamp_min, -4);
    EXPECT_EQ(e.clamp_max, 5);
    EXPECT_EQ(e.activation, KAI_GEMM_NO_ACTIVATION);
    EXPECT_EQ(none.alpha, 1);
    EXPECT_EQ(none.beta, 0);
    EXPECT_EQ(none.clamp_max, kInf);
    EXPECT_EQ(none.column_scale, nullptr);
}

}  // namespace
}  // namespace test::gemm
