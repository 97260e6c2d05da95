// Values at the ends of their ranges, special values, rounding, modes of FPCR.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "test/matmul/fixture.hpp"
#include "test/reference/float16.hpp"

namespace test::matmul {

// A product of zero leaves the bias, which shows how results are converted: ties, subnormals, overflow.
TEST_P(Matmul, ConvertsToTheTypeOfDst) {
    if (rhs_format->bias == nullptr || integer_dst) {
        return;
    }
    const auto [k, bl] = typical_depth();
    Random random(4);
    std::vector<float> biases = {0.0f,      65504.0f,    65519.0f,        65520.0f,        65536.0f, 1e38f,
                                 kMax,      0x1.fep127f, 0x1.fefffep127f, 0x1.ffp127f,     kInf,     0x1p-126f,
                                 0x1p-149f, 0x1p-24f,    0x1p-25f,        0x1.000002p-25f, 0x1p-14f};
    for (const int step : {8, 11, 16, 13}) {  // around ties of f16 (11 bits) and bf16 (8 bits)
        for (const int below : {-1, 0, 1}) {
            const uint32_t tie = (static_cast<uint32_t>(random.next()) & 0x3FFFu) << (step + 1) | 1u << (step - 1);
            biases.push_back(reference::float_of((reference::bits_of(1.0f) | (tie & 0x7FFFFFu)) + below));
            biases.push_back(reference::float_of((reference::bits_of(0x1p-16f) | (tie & 0x7FFFFFu)) + below));
        }
    }
    while (biases.size() < 64) {
        biases.push_back(reference::float_of(static_cast<uint32_t>(random.next()) & 0xBFFFFFFFu));
    }
    Side lhs = make_lhs(Data::random, several_rows(), k, bl), rhs = make_rhs(Data::random, 2 * biases.size(), k, bl);
    for (size_t i = 0; i < rhs.rows; ++i) {
        const float bias = i < biases.size() ? biases[i] : -biases[i - biases.size()];
        rhs.bias[i] =
            rhs_format->bias_type == Format::f16_bias ? reference::f32_from_f16(reference::f16_from_f32(bias)) : bias;
    }
    std::fill(lhs.values.begin(), lhs.values.end(), 0.0f);
    std::fill(lhs.offset.begin(), lhs.offset.end(), 0.0f);
    std::fill(lhs.row_offset.begin(), lhs.row_offset.end(), 0);
    std::fill(lhs.q.begin(), lhs.q.end(), int8_t{0});
    if (arithmetic.flushes) {  // subnormal sums
        check(lhs, rhs);
    } else {
        check_exactly(lhs, rhs);
    }
    for (const Clamp clamp : {Clamp{-65504.0f, 65504.0f}, Clamp{-65519.0f, 65519.0f}, Clamp{-kMax, kMax}}) {
        check(lhs, rhs, clamp);
    }
}

// Ties of f16 that a bias of f16 cannot make: 1 to 2 in steps of an ulp, and half of one.
TEST_P(Matmul, RoundsSums) {
    if (u.dst_type != kai_dt_f16 || !lhs_format->plain) {
        return;
    }
    const size_t k = typical_depth().k;
    Side lhs = make_lhs(Data::random, several_rows(), k, 0), rhs = make_rhs(Data::random, several_columns(), k, 0);
    std::fill(lhs.values.begin(), lhs.values.end(), 0.0f);
    std::fill(rhs.bias.begin(), rhs.bias.end(), 0.0f);
    for (size_t i = 0; i < lhs.rows; ++i) {
        const float values[] = {1, 0x1p-10f, 0x1p-12f};
        std::copy_n(values, 3, &lhs.values[i * k]);
    }
    for (size_t j = 0; j < rhs.rows; ++j) {
        const float values[] = {1 + static_cast<float>(j % 8) / 8, static_cast<float>(j % 5), j % 3 * 2.0f - 2};
        std::copy_n(values, 3, &rhs.values[j * k]);
    }
    check_exactly(lhs, rhs);
}

// Whatever its payload and sign, also where a conversion rounds.
TEST_P(Matmul, NanStaysNan) {
    if (rhs_format->bias == nullptr || integer_dst) {
        return;
    }
    const auto [k, bl] = typical_depth();
    Side rhs = make_rhs(Data::random, several_columns(), k, bl);
    size_t column = 0;
    for (const uint32_t nan :
         {0x7FC00000u, 0x7FFFFFFFu, 0xFFFFFFFFu, 0x7F800001u, 0xFF800001u, 0x7FFF8000u, 0x7F80FFFFu}) {
        rhs.bias[column] = reference::float_of(nan);
        column += 3;
    }
    for (const size_t m : few_and_many(several_rows())) {
        const Side lhs = make_lhs(Data::random, m, k, bl);
        check(lhs, rhs);
        check(lhs, rhs, {-1.0f, 1.0f});
    }
}

// Results that are a zero point from 0, which is large: kernels that round by an addition in f32 have to know where
// that ends. Every other sum is a tie.
TEST_P(Matmul, RoundsFarFromZero) {
    if (u.dst_type != kai_dt_int8 || low_precision) {
        return;
    }
    constexpr size_t kPanel = 16;
    constexpr int32_t kFar = 1 << 22;  // f32 has halves up to twice that
    for (const size_t n : {several_columns(), (several_columns() / kPanel + 1) * kPanel}) {
        Side lhs = make_lhs(Data::exact, several_rows(), 3, 0);
        Side rhs = make_rhs(Data::exact, n, 3, 0);
        std::fill(lhs.q.begin(), lhs.q.end(), int8_t{0});
        std::fill(rhs.scale.begin(), rhs.scale.end(), 0.5f);
        for (const int32_t magnitude : {1 << 20, kFar - 200, kFar - 127, kFar - 1, kFar, kFar + 128, 5000001}) {
            for (const int32_t zero_point : {magnitude, -magnitude}) {
                for (size_t column = 0; column < n; ++column) {
                    rhs.bias[column] = static_cast<float>(-2 * zero_point + static_cast<int32_t>(column % 64) - 32);
                }
                arithmetic.zero_point = zero_point;
                std::vector<float> want;
                for (const double value : expected(lhs, rhs).value) {
                    want.push_back(static_cast<float>(std::fmax(-128, std::fmin(value, 127))));
                }
                exact_params = {-128, 127, zero_point};
                EXPECT_EQ(run(packed(lhs, rhs)), want) << "zero point " << zero_point << ", n " << n;
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

// Results and zero points up to the ends of int16 and beyond: kernels that round in 16 bits have to know where those
// end. Sums are halves and quarters; zero points are even and odd; all columns are in whole panels, or not.
TEST_P(Matmul, RoundsIn16Bits) {
    if (u.dst_type != kai_dt_int8 || low_precision) {
        return;
    }
    constexpr size_t kPanel = 16;
    for (const size_t n : {several_columns(), (several_columns() / kPanel + 1) * kPanel}) {
        // All rows are alike: a few are enough of the many that a kernel for SME takes at a time.
        Side lhs = make_lhs(Data::exact, std::min<size_t>(several_rows(), 17), 3, 0);
        Side rhs = make_rhs(Data::exact, n, 3, 0);
        std::fill(lhs.q.begin(), lhs.q.end(), int8_t{0});
        // The largest products of 3 k count for 96 of a result. A negative scale is rare, but no other. `far` is added
        // to all results: they saturate, and would not in 16 bits.
        constexpr float kScale = 0x1p-9F;
        const std::pair<float, int32_t> cases[] = {{kScale, 0},     {-kScale, 0},     {0.0F, 0},
                                                   {kScale, 65536}, {-kScale, 65536}, {kScale, -40000}};
        for (const auto& [last, far] : cases) {
            std::fill(rhs.scale.begin(), rhs.scale.end(), kScale);
            rhs.scale.back() = last;
            for (const int32_t magnitude :
                 {0,     1,     2,     77,    128,   3001,  7000,  8000,  15600, 15903, 15904,
                  16000, 16001, 17000, 30000, 32767, 32768, 40001, 65535, 65536, 70000, 1 << 20}) {
                for (const int32_t zero_point : {magnitude, -magnitude}) {
                    for (size_t column = 0; column < n; ++column) {
                        const int32_t halves = static_cast<int32_t>(column % 64) - 32;
                        rhs.bias[column] =
                            static_cast<float>(512 * (far - zero_point) + 256 * halves + (column % 3 == 2 ? 1 : 0));
                    }
                    arithmetic.zero_point = zero_point;
                    std::vector<float> want;
                    for (const double value : expected(lhs, rhs).value) {
                        want.push_back(static_cast<float>(std::fmax(-128, std::fmin(value, 127))));
                    }
                    exact_params = {-128, 127, zero_point};
                    EXPECT_EQ(run(packed(lhs, rhs)), want)
                        << "zero point " << zero_point << ", n " << n << ", last scale " << last << ", far " << far;
                    if (HasFailure()) {
                        return;
                    }
                }
            }
        }
    }
}

// Scaled sums at the ends of int32, and beyond: 2^31 itself does not fit.
TEST_P(Matmul, SaturatesScaledSums) {
    if (u.dst_type != kai_dt_int8 || low_precision) {
        return;
    }
    Side lhs = make_lhs(Data::exact, several_rows(), 3, 0);
    Side rhs = make_rhs(Data::exact, several_columns(), 3, 0);
    std::fill(lhs.q.begin(), lhs.q.end(), int8_t{0});
    constexpr float kBiases[] = {0x1p30f, -0x1p30f, 0x7FFFFF80, -0x1p31f, 1, -1},
                    kScales[] = {1, 2, 4, 0x1p31f, 0x1p100f};
    for (size_t column = 0; column < rhs.rows; ++column) {
        rhs.bias[column] = kBiases[column % 6], rhs.scale[column] = kScales[column / 6 % 5];
    }
    for (const int32_t zero_point : {0, 127, -128}) {
        arithmetic.zero_point = zero_point;
        exact_params = {-128, 127, zero_point};
        check(lhs, rhs);
    }
}

TEST_P(Matmul, ExtremeValues) {
    const auto [k, bl] = typical_depth();
    const size_t m = one_row ? 1 : std::max<size_t>(11, lhs_tile.rows + 1), n = std::max<size_t>(31, rhs_tile.rows + 1);
    const Side lhs = make_lhs(Data::extreme, std::max<size_t>(m, 30), k, bl), rhs = make_rhs(Data::extreme, n, k, bl);
    // One row at a time for kernels of one row.
    for (size_t first = 0; first < (one_row ? 30 : 1); ++first) {
        check(lhs.part(first, m), rhs);
    }
}

// A NaN or an infinity reaches the elements that depend on it, through any clamp, and no others.
TEST_P(Matmul, SpecialValues) {
    const auto [k, bl] = typical_depth();
    const size_t m = one_row ? 1 : std::max<size_t>(lhs_tile.rows + 2, 5), n = std::max<size_t>(rhs_tile.rows + 3, 19);
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);

    const auto check_with = [&](const Side& a, const Side& b) {
        const Operands o = packed(a, b);
        const reference::Expected want = expected(a, b);
        for (const Clamp c : {Clamp{}, Clamp{-kMax, kMax}, Clamp{0.0f, 6.0f}, Clamp{0.0f, kInf}}) {
            if ((!clamps && c.hi < kInf) || (wide() && c.hi == kMax)) {
                continue;
            }
            EXPECT_EQ(reference::compare(want, run(o, c), m, n, c.lo, c.hi, u.dst_type), "");
        }
    };
    for (const float special : {std::nanf(""), kInf, -kInf}) {
        SCOPED_TRACE(special);
        // Each field that holds floats, at a place in the middle and in the last row.
        const auto spoil = [&](Side side, std::vector<float> Side::*field, size_t place) {
            const bool global = field == &Side::scale && has_unsigned;
            if ((field == &Side::bias && (integer_dst || has_unsigned)) || global) {
                return std::optional<Side>();
            }
            if ((side.*field).empty()) {
                return std::optional<Side>();
            }
            (side.*field)[place < (side.*field).size() ? place : (side.*field).size() - 1] = special;
            return std::optional(side);
        };
        for (const auto field :
             {&Side::values, &Side::scale, &Side::offset, &Side::sum, &Side::bias, &Side::min_scale}) {
            for (const size_t place : {size_t{1}, ~size_t{0}}) {
                if (const auto spoilt = spoil(lhs, field, place)) {
                    check_with(*spoilt, rhs);
                }
                if (const auto spoilt = spoil(rhs, field, place)) {
                    check_with(lhs, *spoilt);
                }
            }
        }
    }
}

// Modes of FPCR that the caller has set are the same afterwards (checked_call verifies this), and results are what
// docs/arithmetic.md says.
TEST_P(Matmul, FpcrModes) {
    const auto [k, bl] = typical_depth();
    const size_t m = std::min<size_t>(several_rows(), 67), n = several_columns();
    Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    for (Side* side : {&lhs, &rhs}) {
        for (std::vector<float>* field : {&side->values, &side->bias}) {
            for (float& x : *field) {  // no subnormal numbers, not even of f16, and no products that are
                x = std::copysign(std::max(std::fabs(x), 0x1p-5f), x);
            }
        }
    }
    const Side extreme_lhs = make_lhs(Data::extreme, m, k, bl), extreme_rhs = make_rhs(Data::extreme, n, k, bl);
    const Operands o = packed(lhs, rhs), extremes = packed(extreme_lhs, extreme_rhs);
    const std::vector<float> want = run(o);
    // Subnormal numbers may become zero, a NaN another one.
    const float smallest = u.dst_type == kai_dt_f16 ? 0x1p-14f : 0x1p-126f;
    for (const uint64_t mode :
         {uint64_t{kFlushToZero}, uint64_t{kDefaultNan}, uint64_t{kFlushHalfToZero},
          kFlushToZero | kDefaultNan | kFlushHalfToZero}) {
        SCOPED_TRACE(testing::Message() << std::hex << "FPCR " << mode);
        const FpcrMode fpcr(mode);
        std::vector<float> dst = run(o);
        for (size_t i = 0; i < dst.size(); ++i) {
            dst[i] = dst[i] == 0 && std::fabs(want[i]) < smallest ? want[i] : dst[i];
        }
        EXPECT_TRUE(same_bits(dst, want));
        run(extremes);
        run(lhs.part(0, 0), rhs);  // a call that returns early, too
    }
    // An operation rounds as the mode says, or to nearest: at most an ulp, twice the usual error.
    const reference::Arithmetic to_nearest = arithmetic;
    // Weights that the kernel rounds to f16: an ulp of these.
    arithmetic.unit = has_blocks && lhs_format->plain ? 0x1p-10 : 2 * arithmetic.unit;
    arithmetic.smallest *= 2;
    const reference::Expected around = expected(lhs, rhs);
    arithmetic = to_nearest;
    for (const uint64_t mode : {kRoundUp, kRoundDown, kRoundToZero}) {
        SCOPED_TRACE(testing::Message() << std::hex << "FPCR " << mode);
        const FpcrMode fpcr(mode);
        const std::vector<float> dst = run(o);
        for (size_t i = 0; i < m * n; ++i) {
            const double value = around.value[i];
            const double ulp = u.dst_type == kai_dt_int8   ? 1
                               : u.dst_type == kai_dt_f16  ? std::fabs(value) * 0x1p-10 + 0x1p-24
                               : u.dst_type == kai_dt_bf16 ? std::fabs(value) * 0x1p-7
                                                           : 0;
            // Towards zero there is no overflow.
            const double most_finite = u.dst_type == kai_dt_f16 ? 65504.0 : kMax;
            const double from = std::min(value - around.bound[i] - ulp, most_finite);
            const double to = std::max(value + around.bound[i] + ulp, -most_finite);
            const float least = reference::rounded(from, u.dst_type), most = reference::rounded(to, u.dst_type);
            ASSERT_TRUE(least <= dst[i] && dst[i] <= most)
                << "element " << i << " is " << dst[i] << ", not " << least << " to " << most;
        }
        run(extremes);
    }
}

TEST_P(Matmul, ExactOverWholeTiles) {
    const auto [k, bl] = typical_depth();
    check_exactly(make_lhs(Data::exact, many_rows(), k, bl), make_rhs(Data::exact, many_columns(), k, bl));
}

// The largest possible integer sums, and large ones that cancel: a sum that is rounded too early is noticed.
TEST_P(Matmul, LargeSums) {
    std::vector<Depth> all = long_depths();
    if (has_blocks) {  // integer sums are those of a block: short, long and the longest ones
        all = {{512, 256}, {2208, 32}, all.back()};
    } else {
        all.push_back(typical_depth());
    }
    for (const auto& [k, bl] : all) {
        const Side lhs = make_lhs(Data::large, 28, k, bl), rhs = make_rhs(Data::large, 6, k, bl);
        for (size_t first = 0; first < (one_row ? 8 : 1); ++first) {
            for (const size_t m : few_and_many(one_row ? 1 : 8)) {
                check(lhs.part(first, m), rhs);
            }
        }
    }
}

// The unified API: a table of the caller's for the 16 codes of a nibble, whose words have more bits than are used.
// Other kernels with blocks ignore it.
TEST_P(Matmul, TablesOfNibbles) {
    if (!unified || !has_blocks) {
        return;
    }
    Random random(5);
    const bool f16 = lhs_format->plain;
    std::vector<int32_t> values, words;
    for (int i = 0; i < 16; ++i) {
        values.push_back(random.integer(-128, 127));
        const uint32_t bits = f16 ? reference::f16_from_f32(static_cast<float>(values.back()))
                                  : static_cast<uint32_t>(values.back()) & 0xFF;
        words.push_back(static_cast<int32_t>(bits | 0xA5A50000U | (f16 ? 0 : 0x5A00)));
    }
    const auto [k, bl] = typical_depth();
    const Side lhs = make_lhs(Data::random, several_rows(), k, bl),
               rhs = make_rhs(Data::random, several_columns(), k, bl);
    Side meant = rhs;
    for (int8_t& q : meant.q) {
        q = static_cast<int8_t>(kai::has_nibble_table(u) ? values[q + 8] : q);
    }
    const Operands o = packed(lhs, rhs);
    const GuardedBuffer table(words.size() * sizeof(words[0]));
    std::memcpy(table.data(), words.data(), table.size());
    kai::KernelArgs a = args_of(lhs.rows, rhs.rows, k, bl);
    const GuardedBuffer dst(lhs.rows * rhs.rows * element, Flush::end, kNan);
    a.lhs = o.lhs.data(), a.rhs = o.rhs.data(), a.dst = dst.data();
    a.dst_stride_row = rhs.rows * element, a.dst_stride_col = element;
    a.lut = table.as<int32_t>();
    kai::run(u, a, Checked{}, substitute_of(u));
    EXPECT_EQ(
        reference::compare(expected(lhs, meant), floats_of(dst), lhs.rows, rhs.rows, -kInf, kInf, u.dst_type), "");
}

// Weights of 4 and 2 bits, unified API: panels are dense where the caller leaves strides out.
TEST_P(Matmul, StridesLeftOut) {
    const std::string format = u.rhs_format;
    if (!kai::has_nibble_table(u) && format != "qai4c32ps1s0sf16" && format != "qsi4cxpbi32sf32" &&
        format != "qsu2cxpbi32sf32") {
        return;
    }
    const auto [k, bl] = typical_depth();
    panel_stride = 1;
    check(make_lhs(Data::random, several_rows(), k, bl), make_rhs(Data::random, several_columns(), k, bl));
    panel_stride = 0;
}

}  // namespace test::matmul
