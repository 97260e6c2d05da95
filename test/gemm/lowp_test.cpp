// Low precision: uint8 and int8 with zero points and integer requantisation, or int32 sums as they are, against their
// definition (kai_lowp.h).
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <string>
#include <tuple>
#include <vector>

#include "kai/gemm/kai_gemm.h"
#include "test/support/guarded_buffer.hpp"
#include "test/support/random.hpp"
#include "test/support/said.hpp"

namespace {

using test::GuardedBuffer;
using test::Random;

int32_t wrap(int64_t x) {
    return static_cast<int32_t>(static_cast<uint32_t>(x));
}

/// x as the fixed-point pipeline scales it: doubling, high half, rounded; then divided, ties away from zero.
int32_t scaled(int32_t x, int32_t multiplier, int32_t shift) {
    const int64_t product = int64_t{wrap(int64_t{x} << std::max(shift, 0))} * multiplier;
    const bool saturates = product == int64_t{1} << 62;
    const int64_t high = saturates ? INT32_MAX : (product + (int64_t{1} << 30)) >> 31;
    const int right = std::max(-shift, 0);
    const int64_t magnitude = (std::abs(high) + (right > 0 ? int64_t{1} << (right - 1) : 0)) >> right;
    return static_cast<int32_t>(high < 0 ? -magnitude : magnitude);
}

/// A matrix of bytes at the end of a buffer, rows `stride` apart.
struct Matrix {
    size_t rows, row, stride;
    GuardedBuffer memory;

    Matrix(size_t rows, size_t row, size_t gap, Random& random)
        : rows(rows), row(row), stride(row + gap), memory(rows == 0 || row == 0 ? 0 : (rows - 1) * stride + row) {
        const int extreme = random.integer(0, 5);
        for (size_t i = 0; i < memory.size(); ++i) {
            memory.data()[i] = extreme == 0   ? uint8_t{0}
                               : extreme == 1 ? uint8_t{255}
                               : extreme == 2 ? uint8_t{128}
                                              : static_cast<uint8_t>(random.next());
        }
    }
    int at(size_t r, size_t c, bool is_signed) const {
        const uint8_t x = memory.data()[r * stride + c];
        return is_signed ? static_cast<int8_t>(x) : x;
    }
};

/// Aligned like a workspace.
struct Workspace {
    std::vector<uint8_t> memory;
    size_t size;

    explicit Workspace(size_t size) : memory(size + 64), size(size) {
    }
    void* data() const {
        const auto address = reinterpret_cast<uintptr_t>(memory.data());
        return reinterpret_cast<void*>((address + 63) / 64 * 64);
    }
};

/// Every unit, in descending order.
void backwards(void*, size_t count, kai_gemm_task* task, void* context) {
    while (count > 0) {
        task(context, --count);
    }
}

class GemmLowp : public testing::TestWithParam<std::tuple<kai_gemm_kind, bool>> {};

TEST_P(GemmLowp, RandomProblems) {
    const auto [kind, constant] = GetParam();
    const bool is_signed = kind == KAI_GEMM_INT8_LOWP;
    Random random(99 + static_cast<uint64_t>(kind) * 2 + (constant ? 1 : 0));
    const auto one_in = [&](int of) { return random.integer(1, of) == 1; };
    for (int i = 0; i < 60; ++i) {
        const auto size = [&](int most) { return static_cast<size_t>(random.integer(one_in(10) ? 0 : 1, most)); };
        kai_gemm_problem p = kai_gemm_problem_of(size(one_in(3) ? 40 : 6), size(50), size(one_in(5) ? 200 : 70));
        p.b_kind = kind;
        p.a_type = p.c_type = is_signed ? kai_dt_int8 : kai_dt_uint8;
        p.b_constant = constant, p.b_transposed = !constant || one_in(2);
        p.batch = static_cast<size_t>(random.integer(1, 3)), p.b_per_matrix = one_in(2);
        p.a_transposed = one_in(4);
        p.units = static_cast<size_t>(random.integer(1, 5));
        SCOPED_TRACE(testing::Message() << p.m << 'x' << p.n << 'x' << p.k << " batch " << p.batch);
        kai_gemm_plan plan;
        const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
        ASSERT_EQ(status, KAI_GEMM_OK) << kai_gemm_status_text(status);

        std::deque<Matrix> a, b, c;
        std::vector<const void*> a_table, b_table;
        std::vector<void*> c_table;
        GuardedBuffer packed(plan.packed_b_size);
        const Workspace work(plan.workspace_size), pack_work(plan.pack_workspace_size);
        const size_t gaps[] = {
            one_in(2) ? size_t{0} : 5, constant || one_in(2) ? size_t{0} : 3, one_in(2) ? size_t{0} : 7};
        for (size_t j = 0; j < p.batch; ++j) {
            a.emplace_back(p.a_transposed ? p.k : p.m, p.a_transposed ? p.m : p.k, gaps[0], random);
            b.emplace_back(p.b_transposed ? p.n : p.k, p.b_transposed ? p.k : p.n, gaps[1], random);
            c.emplace_back(p.m, p.n, gaps[2], random);
        }
        for (size_t j = 0; j < p.batch; ++j) {
            a_table.push_back(a[j].memory.data()), c_table.push_back(c[j].memory.data());
            const size_t index = p.b_per_matrix ? j : 0;
            if (!constant) {
                b_table.push_back(b[index].memory.data());
            } else if (index == j) {
                kai_gemm_weights weights = {};
                weights.b = b[j].memory.data(), weights.ldb = b[j].stride;
                ASSERT_EQ(
                    kai_gemm_pack_b(
                        &plan, j, &weights, packed.data(), packed.size(), pack_work.data(), pack_work.size, backwards,
                        nullptr),
                    KAI_GEMM_OK);
            }
        }

        std::vector<int32_t> bias, multiplier, shift;
        kai_matmul_lowp_params lowp = {};
        lowp.pipeline = KAI_LOWP_FIXED_POINT;
        lowp.per_channel = one_in(2);
        for (size_t n = 0; n < p.n + 1; ++n) {
            bias.push_back(random.integer(-100000, 100000));
            multiplier.push_back(random.integer(1 << 30, INT32_MAX));
            shift.push_back(random.integer(-16, -3));
        }
        lowp.lhs_offset = random.integer(-255, 128), lowp.rhs_offset = is_signed ? 0 : random.integer(-255, 0);
        lowp.bias = one_in(2) ? nullptr : bias.data();
        lowp.multiplier = multiplier.data(), lowp.shift = shift.data();
        lowp.result_offset = is_signed ? -4 : 120;
        lowp.min_value = is_signed ? -120 : 3, lowp.max_value = is_signed ? 127 : 250;
        kai_gemm_operands x = {};
        x.m = p.m, x.lowp = &lowp;
        x.a.table = a_table.data(), x.a.ld = a[0].stride;
        if (constant) {
            x.b.data = packed.data();
        } else {
            x.b.table = b_table.data(), x.b.ld = b[0].stride;
        }
        x.c.table = c_table.data(), x.c.ld = c[0].stride;
        ASSERT_EQ(kai_gemm_run(&plan, &x, work.data(), work.size, backwards, nullptr), KAI_GEMM_OK);

        for (size_t j = 0; j < p.batch; ++j) {
            const Matrix& weights = b[p.b_per_matrix ? j : 0];
            for (size_t m = 0; m < p.m; ++m) {
                for (size_t n = 0; n < p.n; ++n) {
                    int64_t sum = lowp.bias != nullptr ? bias[n] : 0;
                    for (size_t k = 0; k < p.k; ++k) {
                        const int lhs = p.a_transposed ? a[j].at(k, m, is_signed) : a[j].at(m, k, is_signed);
                        const int rhs = p.b_transposed ? weights.at(n, k, is_signed) : weights.at(k, n, is_signed);
                        sum += int64_t{lhs + lowp.lhs_offset} * (rhs + lowp.rhs_offset);
                    }
                    const size_t channel = lowp.per_channel ? n : 0;
                    const int64_t value =
                        int64_t{scaled(wrap(sum), multiplier[channel], shift[channel])} + lowp.result_offset;
                    const auto expected = std::clamp<int64_t>(value, lowp.min_value, lowp.max_value);
                    ASSERT_EQ(c[j].at(m, n, is_signed), expected) << j << ' ' << m << ' ' << n;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    , GemmLowp, testing::Combine(testing::Values(KAI_GEMM_UINT8_LOWP, KAI_GEMM_INT8_LOWP), testing::Bool()),
    [](const auto& info) {
        return std::string(std::get<0>(info.param) == KAI_GEMM_INT8_LOWP ? "int8" : "uint8") +
               (std::get<1>(info.param) ? "_packed" : "_as_it_is");
    });

/// A run of the same operands with float C: `sums` of matrices C with `stride`, one after the other, scaled by an
/// epilogue. B is packed as for int32 sums.
void expect_floats_of_sums(
    kai_gemm_problem p, kai_gemm_operands x, const std::deque<Matrix>& sums, const std::vector<size_t>& rows,
    Random& random) {
    constexpr kai_datatype kTypes[] = {kai_dt_f32, kai_dt_f16, kai_dt_bf16};
    p.c_type = kTypes[random.integer(0, 2)], p.epilogue = 1;
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
    ASSERT_FALSE(plan.direct);
    const size_t all_rows = p.groups ? p.m : p.m * p.batch, size = kai_get_datatype_size_in_bytes(p.c_type);
    const auto reals = [&](size_t count) {
        std::vector<float> values(count);
        for (float& v : values) {
            v = random.real(-2, 2);
        }
        return values;
    };
    const auto column_scale = reals(p.n), column_shift = reals(p.n), row_scale = reals(p.m);
    kai_gemm_epilogue e = kai_gemm_epilogue_of(&p);
    e.alpha = 0x1p-8F, e.column_scale = column_scale.data(), e.column_shift = column_shift.data();
    e.row_scale = row_scale.data(), e.clamp_max = 1000;
    const GuardedBuffer c(all_rows * p.n * size);
    const Workspace work(plan.workspace_size);
    x.c = {}, x.c.data = c.data(), x.epilogue = &e;
    ASSERT_EQ(kai_gemm_run(&plan, &x, work.data(), work.size, backwards, nullptr), KAI_GEMM_OK);
    size_t row = 0;
    for (size_t j = 0; j < p.batch; ++j) {
        for (size_t r = 0; r < rows[j]; ++r, ++row) {
            const size_t m = p.groups ? row : r;
            for (size_t n = 0; n < p.n; ++n) {
                int32_t sum;
                const Matrix& from = sums[p.groups ? 0 : j];
                std::memcpy(&sum, from.memory.data() + m * from.stride + n * sizeof(sum), sizeof(sum));
                const double scaled = e.alpha * static_cast<double>(sum) * column_scale[n],
                             magnitude = std::fabs(scaled) + std::fabs(column_shift[n]),
                             want = std::min((scaled + column_shift[n]) * row_scale[m], 1000.0);
                const uint8_t* at = c.data() + (row * p.n + n) * size;
                float result;
                uint16_t half;
                std::memcpy(&half, at, sizeof(half));
                if (p.c_type == kai_dt_f32) {
                    std::memcpy(&result, at, sizeof(result));
                } else {
                    result = p.c_type == kai_dt_f16 ? kai_cast_f32_f16(half) : kai_cast_f32_bf16(half);
                }
                const double last = p.c_type == kai_dt_f32   ? 0
                                    : p.c_type == kai_dt_f16 ? std::fabs(want) * 0x1p-11 + 0x1p-25
                                                             : std::fabs(want) * 0x1p-8;
                const bool is_infinite = p.c_type == kai_dt_f16 && want < -65519;
                ASSERT_TRUE(
                    is_infinite || std::fabs(result - want) <= last + magnitude * std::fabs(row_scale[m]) * 0x1p-22)
                    << j << ' ' << m << ' ' << n << ": " << result << ", not " << want;
            }
        }
    }
}

/// int32 sums: the type of A, the kind of B, whether it is constant.
class GemmSums : public testing::TestWithParam<std::tuple<bool, kai_gemm_kind, bool>> {};

TEST_P(GemmSums, RandomProblems) {
    const auto [a_signed, kind, constant] = GetParam();
    const bool b_signed = kind == KAI_GEMM_INT8_LOWP;
    Random random(7 + (a_signed ? 1 : 0) + static_cast<uint64_t>(kind) * 4 + (constant ? 2 : 0));
    const auto one_in = [&](int of) { return random.integer(1, of) == 1; };
    for (int i = 0; i < 60; ++i) {
        const auto size = [&](int most) { return static_cast<size_t>(random.integer(one_in(10) ? 0 : 1, most)); };
        kai_gemm_problem p =
            kai_gemm_problem_of(size(one_in(3) ? 40 : 6), size(one_in(8) ? 300 : 50), size(one_in(5) ? 200 : 70));
        p.b_kind = kind, p.a_type = a_signed ? kai_dt_int8 : kai_dt_uint8, p.c_type = kai_dt_int32;
        p.b_constant = constant, p.b_transposed = one_in(2);
        p.batch = static_cast<size_t>(random.integer(1, 3)), p.b_per_matrix = one_in(2);
        p.a_transposed = one_in(4), p.groups = !p.a_transposed && one_in(4);
        p.units = static_cast<size_t>(random.integer(1, 5));
        SCOPED_TRACE(testing::Message() << p.m << 'x' << p.n << 'x' << p.k << " batch " << p.batch);
        kai_gemm_plan plan;
        ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;

        // With groups, rows of A and C belong to one matrix; the first group has all but one for each of the others.
        std::vector<size_t> rows(p.batch, p.groups ? 1 : p.m);
        if (p.groups) {
            rows[0] = p.m >= p.batch ? p.m - (p.batch - 1) : 0;
            for (size_t j = 1; j < p.batch; ++j) {
                rows[j] = p.m >= p.batch ? 1 : 0;
            }
        }
        const size_t matrices = p.groups ? 1 : p.batch, all_rows = p.groups ? p.m : p.m * p.batch;
        const size_t gaps[] = {one_in(2) ? size_t{0} : 5, one_in(2) ? size_t{0} : 3, one_in(2) ? size_t{0} : 8};
        std::deque<Matrix> a, b, c;
        for (size_t j = 0; j < matrices; ++j) {
            a.emplace_back(p.a_transposed ? p.k : p.m, p.a_transposed ? p.m : p.k, gaps[0], random);
            c.emplace_back(p.m, p.n * sizeof(int32_t), gaps[2], random);
        }
        std::vector<const void*> a_table, b_table;
        std::vector<void*> c_table;
        GuardedBuffer packed(plan.packed_b_size);
        const Workspace work(plan.workspace_size), pack_work(plan.pack_workspace_size);
        for (size_t j = 0; j < p.batch; ++j) {
            b.emplace_back(p.b_transposed ? p.n : p.k, p.b_transposed ? p.k : p.n, gaps[1], random);
            const size_t index = p.b_per_matrix ? j : 0;
            if (!constant) {
                b_table.push_back(b[index].memory.data());
            } else if (index == j) {
                kai_gemm_weights weights = {};
                weights.b = b[j].memory.data(), weights.ldb = b[j].stride;
                ASSERT_EQ(
                    kai_gemm_pack_b(
                        &plan, j, &weights, packed.data(), packed.size(), pack_work.data(), pack_work.size, backwards,
                        nullptr),
                    KAI_GEMM_OK);
            }
        }
        for (size_t j = 0; j < matrices; ++j) {
            a_table.push_back(a[j].memory.data()), c_table.push_back(c[j].memory.data());
        }

        GuardedBuffer row_memory(all_rows * sizeof(int32_t)), column_memory(p.n * sizeof(int32_t)),
            bias_memory(p.n * sizeof(int32_t));
        const auto fill = [&](const GuardedBuffer& memory, int most) {
            auto* values = memory.as<int32_t>();
            for (size_t j = 0; j < memory.size() / sizeof(int32_t); ++j) {
                values[j] = random.integer(-most, most);
            }
            return values;
        };
        const int32_t *of_rows = fill(row_memory, 255), *of_columns = fill(column_memory, 255),
                      *bias = fill(bias_memory, 1000000);
        kai_matmul_offsets offsets = {};
        offsets.lhs_offset = one_in(2) ? 0 : random.integer(-255, 128);
        offsets.rhs_offset = one_in(2) ? 0 : random.integer(-255, 128);
        offsets.lhs_offsets = one_in(2) ? of_rows : nullptr;
        offsets.rhs_offsets = one_in(2) ? of_columns : nullptr;
        offsets.bias = one_in(2) ? bias : nullptr;
        const bool none = one_in(6);
        kai_gemm_operands x = {};
        x.m = p.m, x.offsets = none ? nullptr : &offsets, x.rows = p.groups ? rows.data() : nullptr;
        x.a.ld = a[0].stride, x.c.ld = c[0].stride;
        if (p.groups) {
            x.a.data = a_table[0], x.c.data = c_table[0];
        } else {
            x.a.table = a_table.data(), x.c.table = c_table.data();
        }
        if (constant) {
            x.b.data = packed.data();
        } else {
            x.b.table = b_table.data(), x.b.ld = b[0].stride;
        }
        if (none) {
            offsets = {};
        }
        ASSERT_EQ(kai_gemm_run(&plan, &x, work.data(), work.size, backwards, nullptr), KAI_GEMM_OK);

        size_t row = 0;
        for (size_t j = 0; j < p.batch; ++j) {
            const Matrix& weights = b[p.b_per_matrix ? j : 0];
            for (size_t r = 0; r < rows[j]; ++r, ++row) {
                const size_t m = p.groups ? row : r, at = p.groups ? 0 : j;
                for (size_t n = 0; n < p.n; ++n) {
                    const int za = offsets.lhs_offset + (offsets.lhs_offsets != nullptr ? of_rows[row] : 0),
                              zb = offsets.rhs_offset + (offsets.rhs_offsets != nullptr ? of_columns[n] : 0);
                    int64_t sum = offsets.bias != nullptr ? bias[n] : 0;
                    for (size_t k = 0; k < p.k; ++k) {
                        const int lhs = p.a_transposed ? a[at].at(k, m, a_signed) : a[at].at(m, k, a_signed);
                        const int rhs = p.b_transposed ? weights.at(n, k, b_signed) : weights.at(k, n, b_signed);
                        sum += int64_t{lhs + za} * (rhs + zb);
                    }
                    int32_t result;
                    std::memcpy(&result, c[at].memory.data() + m * c[at].stride + n * sizeof(result), sizeof(result));
                    ASSERT_EQ(result, wrap(sum)) << j << ' ' << m << ' ' << n;
                }
            }
        }
        ASSERT_NO_FATAL_FAILURE(expect_floats_of_sums(p, x, c, rows, random));
    }
}

INSTANTIATE_TEST_SUITE_P(
    , GemmSums,
    testing::Combine(testing::Bool(), testing::Values(KAI_GEMM_UINT8_LOWP, KAI_GEMM_INT8_LOWP), testing::Bool()),
    [](const auto& info) {
        return std::string(std::get<0>(info.param) ? "int8_" : "uint8_") +
               (std::get<1>(info.param) == KAI_GEMM_INT8_LOWP ? "int8" : "uint8") +
               (std::get<2>(info.param) ? "_packed" : "_as_it_is");
    });

TEST(GemmSumsStatus, OfPlansAndRuns) {
    kai_gemm_problem p = kai_gemm_problem_of(4, 8, 16);
    p.b_kind = KAI_GEMM_INT8_LOWP, p.a_type = kai_dt_f32, p.c_type = kai_dt_int32;
    kai_gemm_plan plan;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(std::string(plan.reason), SAID(other_type, "a_type", "f32", "INT8_LOWP", "int8 and uint8"));
    p.a_type = kai_dt_uint8, p.c_type = kai_dt_int8;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(std::string(plan.reason), SAID(other_type, "a_type", "uint8", "INT8_LOWP", "int8"));
    p.a_type = kai_dt_int8, p.c_type = kai_dt_int16;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(std::string(plan.reason), SAID(other_type, "c_type", "int16", "INT8_LOWP", "int8, int32 and floats"));
    p.c_type = kai_dt_int32, p.b_constant = true;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    std::vector<uint8_t> packed(plan.packed_b_size);
    const uint8_t a[4 * 16] = {1}, b[8 * 16] = {3};
    int32_t c[4 * 8];
    kai_gemm_weights weights = {};
    weights.b = b;
    ASSERT_EQ(
        kai_gemm_pack_b(&plan, 0, &weights, packed.data(), packed.size(), nullptr, 0, nullptr, nullptr), KAI_GEMM_OK);
    kai_gemm_operands x = {};
    x.m = 4, x.a.data = a, x.b.data = packed.data(), x.c.data = c;
    const auto run = [&] { return kai_gemm_run(&plan, &x, nullptr, 0, nullptr, nullptr); };
    EXPECT_EQ(run(), KAI_GEMM_OK);
    EXPECT_EQ(c[0], 3);
    const auto said = [&] {
        char text[256];
        kai_gemm_explain_run(&plan, &x, nullptr, 0, text, sizeof(text));
        return std::string(text);
    };
    const kai_matmul_lowp_params lowp = {};
    x.lowp = &lowp;
    EXPECT_EQ(run(), KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(said(), SAID(not_for, "operands.lowp", "sums") + "\n");
    x.lowp = nullptr;
    const kai_matmul_offsets offsets = {2, 0, nullptr, nullptr, nullptr};
    x.offsets = &offsets;
    EXPECT_EQ(run(), KAI_GEMM_OK);
    EXPECT_EQ(c[0], 9);
    p.c_type = kai_dt_int8;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(run(), KAI_GEMM_BAD_COMBINATION);
    EXPECT_EQ(said(), SAID(needs, "operands.offsets", "c_type int32 or floats") + "\n");
}

TEST(GemmSumsStatus, FloatsOfSums) {
    kai_gemm_problem p = kai_gemm_problem_of(4, 8, 16);  // C is f32
    p.b_kind = KAI_GEMM_UINT8_LOWP, p.a_type = kai_dt_int8, p.b_constant = true, p.alpha = 0.5F, p.beta = 1;
    p.epilogue = p.gated = 1;
    kai_gemm_plan plan;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_BAD_VALUE);
    EXPECT_EQ(std::string(plan.reason), SAID(not_for, "gated", "UINT8_LOWP"));
    p.gated = 0;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
}

TEST(GemmLowpStatus, OfPlansAndRuns) {
    kai_gemm_problem p = kai_gemm_problem_of(4, 8, 16);
    p.b_kind = KAI_GEMM_UINT8_LOWP, p.b_constant = true;
    kai_gemm_plan plan;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_BAD_VALUE);  // A and C are f32
    p.a_type = kai_dt_uint8, p.c_type = kai_dt_int8;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_BAD_VALUE);
    p.c_type = kai_dt_uint8, p.bias = true;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_BAD_VALUE);
    p.bias = false, p.b_constant = false;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_BAD_COMBINATION);  // K x N as it is
    p.b_transposed = true, p.beta = 1;
    EXPECT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_BAD_VALUE);
    p.beta = 0;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    uint8_t a[4 * 16] = {}, b[8 * 16] = {}, c[4 * 8];
    int32_t multiplier = 1 << 30, shift = -32;
    kai_matmul_lowp_params lowp = {};
    kai_gemm_operands x = {};
    x.m = 4, x.a.data = a, x.b.data = b, x.c.data = c;
    ASSERT_EQ(plan.workspace_size, 0);
    const auto run = [&] { return kai_gemm_run(&plan, &x, nullptr, 0, nullptr, nullptr); };
    EXPECT_EQ(run(), KAI_GEMM_NULL_POINTER);
    x.lowp = &lowp;
    EXPECT_EQ(run(), KAI_GEMM_NULL_POINTER);
    lowp.multiplier = &multiplier, lowp.shift = &shift;
    EXPECT_EQ(run(), KAI_GEMM_BAD_VALUE);
    shift = -3;
    EXPECT_EQ(run(), KAI_GEMM_OK);
    lowp.per_channel = true;
    for (const size_t channel : {0, 1, 7}) {
        const std::vector<int32_t> multipliers(8, multiplier);
        std::vector<int32_t> shifts(8, shift);
        lowp.multiplier = multipliers.data(), lowp.shift = shifts.data();
        EXPECT_EQ(run(), KAI_GEMM_OK);
        for (const int32_t wrong : {-32, 32}) {
            shifts[channel] = wrong;
            EXPECT_EQ(run(), KAI_GEMM_BAD_VALUE) << "channel " << channel;
        }
    }
    lowp.per_channel = false, lowp.multiplier = &multiplier, lowp.shift = &shift;
    lowp.pipeline = KAI_LOWP_LEGACY;
    EXPECT_EQ(run(), KAI_GEMM_BAD_VALUE);
    shift = 3, lowp.min_value = 1;
    EXPECT_EQ(run(), KAI_GEMM_BAD_VALUE);
    lowp.max_value = 1;
    lowp.pipeline = static_cast<kai_lowp_pipeline>(KAI_LOWP_LEGACY + 1);
    EXPECT_EQ(run(), KAI_GEMM_BAD_VALUE);
    lowp.pipeline = KAI_LOWP_LEGACY;
    EXPECT_EQ(run(), KAI_GEMM_OK);
    EXPECT_EQ(c[5], 1);
}

}  // namespace
