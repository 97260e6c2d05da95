// The block kernels alone, of this CPU, against double. Bounds of errors are those of kai/attention/block.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/attention/block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kai/kai_registry.h"
#include "test/attention/experiment.hpp"
#include "test/support/checked_call.hpp"

namespace test::attention {
namespace {

using kai::attention::AddBlock;
using kai::attention::kAllKernels;
using kai::attention::Kernels;
using kai::attention::SoftmaxBlock;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kUnit = 0x1p-24;    // of f32
constexpr double kLeast = 0x1p-126;  // the least normal f32
/// d of block.hpp.
double error_of_exponent(double size, double max) {
    return 0x1p-21 * size + 0x1p-19 * std::fabs(max);
}

constexpr size_t kPanelRows = 8, kPanelColumns = 4;

void call_softmax(void (*softmax)(const SoftmaxBlock&), const SoftmaxBlock* block) {
    softmax(*block);
}
void call_add(void (*add)(const AddBlock&), const AddBlock* block) {
    add(*block);
}

/// Where P goes.
struct Form {
    kai_datatype type;
    bool panels;

    size_t size() const {
        return type == kai_dt_f32 ? sizeof(float) : sizeof(uint16_t);
    }
    /// Of P before it is rounded.
    double error() const {
        return type == kai_dt_f32 ? 0x1p-22 : 0x1p-13;
    }
    double rounding() const {
        return type == kai_dt_f32 ? 0 : type == kai_dt_f16 ? 0x1p-11 : 0x1p-8;
    }
    /// What a column that is not seen may add to the sum, although its P is 0: block_neon.hpp, kZero.
    double hidden() const {
        return type == kai_dt_f32 ? 0 : 0x1p-134;
    }
    /// Absolute, of numbers that are not normal.
    double tiny() const {
        return type == kai_dt_f16 ? 0x1p-25 : 0;
    }
};
constexpr Form kForms[] = {{kai_dt_f32, false}, {kai_dt_f16, false}, {kai_dt_bf16, false}, {kai_dt_bf16, true}};

enum class Mask { none, f32, f16 };

/// Scores are such that scale * score lies within `spread` of `level`.
struct Scores {
    size_t rows, columns;
    float scale, level, spread, cap;
    Mask mask;
    bool slopes, sinks, odd;  ///< odd: some are -infinity, and some rows have NaN or infinity
};

/// Arrays of blocks between inaccessible pages, and what was in them before a call.
class Blocks {
public:
    Blocks(const Kernels& kernels, const Form& form, const Scores& s, uint64_t seed)
        : kernels_(kernels), form_(form), s_(s), random_(seed), flush_(seed % 2 == 0 ? Flush::end : Flush::start) {
        const auto floats = [&] { return std::make_unique<GuardedBuffer>(s.rows * sizeof(float), flush_); };
        max_ = floats(), sum_ = floats(), factor_ = floats(), slope_ = floats(), distance_ = floats();
        first_ = floats(), last_ = floats();
        for (size_t r = 0; r < s.rows; ++r) {
            max_->as<float>()[r] = s.sinks ? s.level + random_.real(-s.spread, s.spread) : -kInfinity;
            sum_->as<float>()[r] = s.sinks ? 1 : 0;
            slope_->as<float>()[r] = random_.real(0, 0.5F);
        }
    }

    /// Fills the next block, calls the kernel and checks all that it wrote.
    void next() {
        make_scores();
        make_places();
        before_max_ = copy(*max_), before_sum_ = copy(*sum_);
        checked_call(call_softmax, kernels_.softmax, static_cast<const SoftmaxBlock*>(&b_));
        for (size_t r = 0; r < s_.rows; ++r) {
            expect_row(r);
        }
        expect_gaps();
    }

private:
    std::vector<float> copy(const GuardedBuffer& from) const {
        return std::vector<float>(from.as<float>(), from.as<float>() + s_.rows);
    }
    bool one_of(int count) {
        return random_.integer(1, count) == 1;
    }
    bool sees(size_t r, size_t c) const {
        return b_.first[r] <= c && c < b_.last[r];
    }

    void make_bounds() {
        for (size_t r = 0; r < s_.rows; ++r) {
            const int columns = static_cast<int>(s_.columns), most = random_.integer(0, columns);
            uint32_t *const first = first_->as<uint32_t>() + r, *const last = last_->as<uint32_t>() + r;
            *first = static_cast<uint32_t>(one_of(2) ? 0 : random_.integer(0, columns));
            *last = static_cast<uint32_t>(one_of(2) ? columns : most);  // at times first > last
            distance_->as<float>()[r] = static_cast<float>(random_.integer(-1000, 0));
        }
    }

    /// NaN where a row does not see. Masks have no memory there.
    void make_scores() {
        make_bounds();
        b_ = {};
        b_.rows = s_.rows, b_.columns = s_.columns;
        b_.first = first_->as<uint32_t>(), b_.last = last_->as<uint32_t>();
        b_.score_row = s_.columns * sizeof(float) + static_cast<size_t>(64 * random_.integer(0, 1));
        scores_ = std::make_unique<GuardedBuffer>(
            (s_.rows - 1) * b_.score_row + s_.columns * sizeof(float), flush_, uint8_t{0xFF});
        b_.scores = scores_->as<float>();
        values_.assign(s_.rows * s_.columns, kNan), added_.assign(s_.rows * s_.columns, 0);
        is_bad_.resize(s_.rows), masks_.clear(), mask_rows_.assign(s_.rows, nullptr);
        for (size_t r = 0; r < s_.rows; ++r) {
            const bool nothing = s_.odd && s_.cap == 0 && one_of(8);
            for (size_t c = b_.first[r]; c < b_.last[r]; ++c) {
                float x = (s_.level + random_.real(-s_.spread, s_.spread)) / s_.scale;
                x = nothing || (s_.odd && s_.cap == 0 && one_of(5)) ? (s_.scale > 0 ? -kInfinity : kInfinity) : x;
                values_[r * s_.columns + c] = x;
            }
            if (s_.odd && b_.first[r] < b_.last[r] && one_of(8)) {
                const int first = static_cast<int>(b_.first[r]), last = static_cast<int>(b_.last[r]) - 1;
                values_[r * s_.columns + static_cast<size_t>(random_.integer(first, last))] =
                    s_.cap != 0 || one_of(2) ? kNan
                    : s_.scale > 0           ? kInfinity
                                             : -kInfinity;
                is_bad_[r] = true;
            }
            std::memcpy(scores_->data() + r * b_.score_row, &values_[r * s_.columns], s_.columns * sizeof(float));
            if (s_.mask != Mask::none && b_.first[r] < b_.last[r] && !one_of(5)) {
                make_mask(r);
            }
        }
    }

    void make_mask(size_t r) {
        std::vector<float> mask;
        for (size_t c = b_.first[r]; c < b_.last[r]; ++c) {
            const float m = s_.odd && one_of(4) ? -kInfinity : random_.real(-3, 3);
            mask.push_back(s_.mask == Mask::f16 ? kai_cast_f32_f16(kai_cast_f16_f32(m)) : m);
            added_[r * s_.columns + c] = mask.back();
        }
        const std::vector<uint8_t> bytes = encoded(s_.mask == Mask::f16 ? kai_dt_f16 : kai_dt_f32, mask);
        masks_.push_back(std::make_unique<GuardedBuffer>(bytes, flush_));
        const size_t before = b_.first[r] * (bytes.size() / mask.size());
        mask_rows_[r] = reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(masks_.back()->data()) - before);
    }

    /// All other members.
    void make_places() {
        b_.scale = s_.scale, b_.cap = s_.cap;
        b_.mask = s_.mask != Mask::none ? mask_rows_.data() : nullptr, b_.mask_f16 = s_.mask == Mask::f16;
        b_.slope = s_.slopes ? slope_->as<float>() : nullptr;
        b_.distance = s_.slopes ? distance_->as<float>() : nullptr;
        b_.max = max_->as<float>(), b_.sum = sum_->as<float>(), b_.factor = factor_->as<float>();
        b_.p_type = form_.type;
        const size_t gap = static_cast<size_t>(32 * random_.integer(0, 1));
        if (form_.panels) {
            b_.page = static_cast<size_t>(16 * random_.integer(1, static_cast<int>(s_.columns / 16)));
            b_.page_stride = panel_rows() * b_.page * form_.size() + gap;
        } else {
            b_.p_row = s_.columns * form_.size() + gap;
        }
        p_ = std::make_unique<GuardedBuffer>(place(written_rows() - 1, s_.columns - 1) + form_.size(), flush_);
        b_.p = p_->data();
    }

    size_t panel_rows() const {
        return (s_.rows + kPanelRows - 1) / kPanelRows * kPanelRows;
    }
    size_t written_rows() const {
        return form_.panels ? panel_rows() : s_.rows;
    }
    /// Bytes from the start of P.
    size_t place(size_t r, size_t c) const {
        if (!form_.panels) {
            return r * b_.p_row + c * form_.size();
        }
        const size_t start = c / b_.page * b_.page, columns = std::min(b_.page, s_.columns - start);
        const size_t group = (c - start) / kPanelColumns, groups = columns / kPanelColumns;
        const size_t quad = (r / kPanelRows * groups + group) * kPanelRows + r % kPanelRows;
        return start / b_.page * b_.page_stride + (quad * kPanelColumns + c % kPanelColumns) * form_.size();
    }

    double x(size_t r, size_t c) const {
        const double scaled = double{s_.scale} * double{values_[r * s_.columns + c]};
        const double capped = s_.cap != 0 ? s_.cap * std::tanh(scaled / s_.cap) : scaled;
        return capped + added_[r * s_.columns + c] + alibi(r, c);
    }
    double alibi(size_t r, size_t c) const {
        return s_.slopes ? double{b_.slope[r]} * (double{b_.distance[r]} + static_cast<double>(c)) : 0;
    }
    /// X of block.hpp.
    double size_of_x(size_t r, size_t c) const {
        const double slope = s_.slopes ? b_.slope[r] * (std::fabs(double{b_.distance[r]}) + static_cast<double>(c)) : 0;
        return std::fabs(double{s_.scale} * double{values_[r * s_.columns + c]}) + s_.cap +
               std::fabs(double{added_[r * s_.columns + c]}) + slope;
    }

    void expect_row(size_t r) const {
        const double old = before_max_[r], max = b_.max[r], factor = b_.factor[r], sum = b_.sum[r];
        if (is_bad_[r]) {
            EXPECT_TRUE(std::isnan(sum)) << "row " << r << ": " << sum;
            return;
        }
        double largest = old, size = std::isinf(old) ? 0 : std::fabs(old);
        for (size_t c = 0; c < s_.columns; ++c) {
            if (sees(r, c) && x(r, c) > -kInfinity) {
                largest = std::max(largest, x(r, c)), size = std::max(size, size_of_x(r, c));
            }
        }
        if (std::isinf(largest)) {
            EXPECT_EQ(max, -kInfinity);
            EXPECT_EQ(factor, 1);
            EXPECT_EQ(sum, 0);
        } else {
            const double d = error_of_exponent(size, max);
            EXPECT_GE(max, largest - d);
            EXPECT_LE(max, largest + std::log(2.0) + d);
        }
        const double rescale = std::isinf(largest) ? 1 : std::exp(old - max);
        const double old_d =
            std::isinf(old) ? 0 : error_of_exponent(std::fabs(old), std::max(std::fabs(old), std::fabs(max)));
        const double factor_bound = rescale * (std::expm1(old_d) + 0x1p-22) + kLeast;
        EXPECT_NEAR(factor, rescale, factor_bound) << "row " << r << ", from " << old << " to " << max;
        double want = rescale * before_sum_[r], bound = factor_bound * before_sum_[r];
        expect_p(r, &want, &bound);
        bound +=
            want * static_cast<double>(s_.columns / 4 + 8) * kUnit + static_cast<double>(s_.columns) * form_.hidden();
        EXPECT_NEAR(sum, want, bound) << "row " << r;
    }

    /// P of a row, which is added to the sum, and its bounds to the bound of the sum.
    void expect_p(size_t r, double* sum, double* sum_bound) const {
        size_t wrong = 0;
        for (size_t c = 0; c < s_.columns; ++c) {
            double want = 0, bound = 0;
            if (sees(r, c) && x(r, c) > -kInfinity) {
                want = std::exp(x(r, c) - double{b_.max[r]});
                const double d = error_of_exponent(size_of_x(r, c), b_.max[r]);
                bound = want * (std::expm1(d) + form_.error()) + kLeast;
            }
            const double rounding = (want + bound) * form_.rounding();
            *sum += want, *sum_bound += bound + (form_.type == kai_dt_bf16 ? rounding : 0);
            bound += bound != 0 ? rounding + form_.tiny() : 0;
            const double p = decoded(form_.type, p_->data() + place(r, c));
            if (!(std::fabs(p - want) <= bound) && wrong++ == 0) {
                ADD_FAILURE() << "P of row " << r << ", column " << c << " is " << p << ", should be " << want
                              << " within " << bound << "; max " << b_.max[r] << ", seen " << b_.first[r] << " to "
                              << b_.last[r];
            }
        }
        EXPECT_EQ(wrong, 0U);
    }

    void expect_gaps() const {
        std::vector<uint8_t> bytes = p_->bytes();
        for (size_t r = 0; r < written_rows(); ++r) {
            for (size_t c = 0; c < s_.columns; ++c) {
                std::memset(&bytes[place(r, c)], GuardedBuffer::kPoison, form_.size());
            }
        }
        EXPECT_EQ(bytes, std::vector<uint8_t>(bytes.size(), GuardedBuffer::kPoison)) << "P has been written in a gap";
    }

    const Kernels& kernels_;
    Form form_;
    Scores s_;
    Random random_;
    Flush flush_;
    SoftmaxBlock b_;
    std::unique_ptr<GuardedBuffer> max_, sum_, factor_, slope_, distance_, first_, last_, scores_, p_;
    std::vector<std::unique_ptr<GuardedBuffer>> masks_;
    std::vector<const void*> mask_rows_;
    std::vector<float> values_, added_;  // scores, and what a mask adds
    std::vector<float> before_max_, before_sum_;
    std::vector<bool> is_bad_;
};

/// Each of kAllKernels that this CPU has.
class AttentionBlock : public testing::TestWithParam<const Kernels*> {
protected:
    void SetUp() override {
        if (kai_registry_runnable(GetParam()->features, nullptr, 0) == 0) {
            GTEST_SKIP() << "this CPU does not have " << GetParam()->name;
        }
    }

    /// In all forms, three blocks in turn.
    static void expect_right(const Scores& s, uint64_t seed) {
        for (const Form& form : kForms) {
            if (form.panels && !GetParam()->packs_bf16) {
                continue;
            }
            SCOPED_TRACE(
                testing::Message() << "type " << form.type << (form.panels ? ", panels" : "") << ", " << s.rows << " x "
                                   << s.columns << ", scale " << s.scale << ", level " << s.level << ", spread "
                                   << s.spread << ", seed " << seed);
            Blocks blocks(*GetParam(), form, s, seed);
            for (int block = 0; block < 3; ++block) {
                blocks.next();
            }
        }
    }
};

/// All numbers of columns and of rows.
TEST_P(AttentionBlock, Sizes) {
    for (size_t columns = 16; columns <= 256; columns += 16) {
        expect_right({columns / 16, columns, 0.125F, 0, 10, 0, Mask::none, false, false, true}, columns / 16);
    }
    expect_right({17, 48, 0.125F, 0, 10, 0, Mask::none, false, true, true}, 17);
}

/// All that may be added, with a cap or without one.
TEST_P(AttentionBlock, Added) {
    uint64_t seed = 0;
    for (const Mask mask : {Mask::none, Mask::f32, Mask::f16}) {
        for (const int others : {0, 1, 2, 3, 4, 5, 6, 7}) {
            const float cap = (others & 1) != 0 ? 2.5F : 0;
            expect_right({5, 48, 0.25F, 0, 5, cap, mask, (others & 2) != 0, (others & 4) != 0, true}, ++seed);
        }
    }
}

/// P of all sizes down to 0; maxima that are far from 0, where exponents take steps of more than 2^-12.
TEST_P(AttentionBlock, Magnitudes) {
    uint64_t seed = 0;
    for (const float scale : {1.0F, 0.0883883461F, -0.5F, 0x1p-70F, 0x1p70F}) {
        for (const float level : {0.0F, 2800.0F, 5000.0F, -5000.0F, 200000.0F}) {
            for (const bool sinks : {false, true}) {
                expect_right({4, 64, scale, level, 120, 0, Mask::none, false, sinks, false}, ++seed);
            }
        }
    }
}

TEST_P(AttentionBlock, AddAndDivide) {
    Random random(1);
    for (size_t columns = 8; columns <= 72; columns += 8) {
        const size_t rows = 3, stride = (columns + 15) / 16 * 64, size = (rows - 1) * stride + columns * sizeof(float);
        GuardedBuffer factor(rows * sizeof(float)), o(size, Flush::start), add(size, Flush::start),
            to(columns * sizeof(float));
        for (const bool has_factor : {false, true}) {
            for (size_t i = 0; i < size / sizeof(float); ++i) {
                o.as<float>()[i] = random.real(-1, 1), add.as<float>()[i] = random.real(-1, 1);
            }
            for (size_t r = 0; r < rows; ++r) {
                factor.as<float>()[r] = random.real(0, 1);
            }
            std::vector<float> before(size / sizeof(float));
            std::memcpy(before.data(), o.data(), size);
            const AddBlock b = {rows,          columns, has_factor ? factor.as<float>() : nullptr,
                                o.as<float>(), stride,  add.as<float>(),
                                stride};
            checked_call(call_add, GetParam()->add, &b);
            for (size_t i = 0; i < before.size(); ++i) {
                const size_t row = i * sizeof(float) / stride;
                const double f = has_factor ? factor.as<float>()[row] : 1, was = before[i];
                const bool inside = i - row * (stride / sizeof(float)) < columns;
                const double want = inside ? f * was + double{add.as<float>()[i]} : was;
                EXPECT_NEAR(o.as<float>()[i], want, inside ? 4 * kUnit : 0) << i;
            }
            const float by = random.real(1, 9);
            checked_call(GetParam()->divide, to.as<float>(), static_cast<const float*>(o.as<float>()), by, columns);
            for (size_t i = 0; i < columns; ++i) {
                const double want = double{o.as<float>()[i]} / double{by};
                EXPECT_NEAR(to.as<float>()[i], want, 2 * kUnit * std::fabs(want));
            }
        }
    }
}

std::vector<const Kernels*> all_kernels() {
    std::vector<const Kernels*> all;
    for (const Kernels* const* k = kAllKernels; *k != nullptr; ++k) {
        all.push_back(*k);
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(, AttentionBlock, testing::ValuesIn(all_kernels()), [](const auto& info) {
    return std::string(info.param->name);
});

}  // namespace
}  // namespace test::attention
