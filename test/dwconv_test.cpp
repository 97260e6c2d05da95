// Depthwise convolution of images, 3 x 3, stride 1 (tiles: dwconv_tiles_test.cpp): the micro-kernels and packers of
// the registry against plain loops. The loops are written from the description: a sum starts with the bias, takes the
// taps kx = 0, 1, 2 and for each ky = 0, 1, 2 with one rounding, and taps outside the image are skipped. The kernels do
// the same, so bits are compared.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <vector>

#include "kai/kai_cpu.h"
#include "kai/kai_registry.h"
#include "kai/ukernels/families.h"
#include "test/reference/float16.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/random.hpp"
#include "test/support/sparse_buffer.hpp"
#include "test/support/subject.hpp"
#include "test/support/threads.hpp"

// Their getters are not in the registry. Weak: hosts without the kernels do not have them.
#define KAI_F32(what) kai_get_##what##_dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla
#define KAI_F16(what) kai_get_##what##_dwconv_clamp_f16_f16_f16p1vlx1b_3x3_s1_4x4_sme2_mla
#define KAI_WEAK(name) extern "C" [[gnu::weak]] decltype(name) name
KAI_WEAK(KAI_F32(m_step));
KAI_WEAK(KAI_F32(kr));
KAI_WEAK(KAI_F32(filter_height));
KAI_WEAK(KAI_F32(filter_width));
KAI_WEAK(KAI_F32(dst_size));
KAI_WEAK(KAI_F32(dst_offset));
KAI_WEAK(KAI_F32(src_offset));
KAI_WEAK(KAI_F16(filter_height));
KAI_WEAK(KAI_F16(filter_width));
KAI_WEAK(KAI_F16(dst_size));

namespace {

using test::Flush;
using test::GuardedBuffer;
using test::Random;
using test::SparseBuffer;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// The f16 that is nearest to x, ties to even. x is exact: no other rounding comes before.
double nearest_f16(double x) {
    if (!std::isfinite(x) || x == 0) {
        return x;
    }
    const double quantum = std::ldexp(1.0, std::max(std::ilogb(x), -14) - 10);
    const double rounded = std::nearbyint(x / quantum) * quantum;
    return std::copysign(std::fabs(rounded) >= 65536 ? kInf : std::fabs(rounded), x);
}

/// Elements of 4 or 2 bytes in memory.
struct Element {
    bool f16;

    size_t size() const {
        return f16 ? 2 : 4;
    }
    void store(uint8_t* p, float x) const {
        const uint32_t bits = f16 ? reference::f16_from_f32(x) : reference::bits_of(x);
        std::memcpy(p, &bits, size());
    }
    float load(const uint8_t* p) const {
        uint32_t bits = 0;
        std::memcpy(&bits, p, size());
        return f16 ? reference::f32_from_f16(static_cast<uint16_t>(bits)) : reference::float_of(bits);
    }
    /// acc + a * b, rounded once. Inputs of f16 are small enough for double to hold that exactly.
    float fma(float a, float b, float acc) const {
        return f16 ? static_cast<float>(nearest_f16(static_cast<double>(a) * b + acc)) : std::fma(a, b, acc);
    }
    float rounded(float x) const {
        return f16 ? reference::f32_from_f16(reference::f16_from_f32(x)) : x;
    }
};

struct Shape {
    size_t height, width, channels, top, left, bottom, right;

    /// An output of any size: padding below or on the right may be negative (it wraps).
    static Shape with_output(
        size_t height, size_t width, size_t channels, size_t top, size_t left, size_t dst_height, size_t dst_width) {
        return {height, width, channels, top, left, dst_height + 2 - height - top, dst_width + 2 - width - left};
    }
    size_t dst_height() const {
        return height + top + bottom - 2;
    }
    size_t dst_width() const {
        return width + left + right - 2;
    }
};

std::ostream& operator<<(std::ostream& out, const Shape& s) {
    return out << s.height << " x " << s.width << " x " << s.channels << ", padding " << s.top << " " << s.left
               << ", output " << s.dst_height() << " x " << s.dst_width();
}

/// An image, a filter and a bias.
struct Problem {
    Shape shape;
    std::vector<float> src, filter, bias;
    float lo = -kInf, hi = kInf;

    float at(size_t y, size_t x, size_t c) const {
        return src[(y * shape.width + x) * shape.channels + c];
    }
};

/// About one of 16 numbers is an infinity, NaN or a zero, if `special`.
std::vector<float> numbers(size_t count, Element element, bool special, Random& random) {
    static constexpr float kSpecial[] = {kInf, -kInf, kNan, 0.0F, -0.0F};
    std::vector<float> values(count);
    for (float& x : values) {
        x = special && random.integer(0, 15) == 0 ? kSpecial[random.integer(0, 4)]
                                                  : element.rounded(random.real(-2.0F, 2.0F));
    }
    return values;
}

Problem make_problem(const Shape& s, Element element, Random& random, bool special = false) {
    return {
        s, numbers(s.height * s.width * s.channels, element, special, random),
        numbers(9 * s.channels, element, special, random), numbers(s.channels, element, special, random)};
}

float clamp(float x, float lo, float hi) {
    return std::isnan(x) ? x : std::min(std::max(x, lo), hi);
}

std::vector<float> reference_of(const Problem& p, Element element) {
    const Shape& s = p.shape;
    std::vector<float> dst;
    for (size_t y = 0; y < s.dst_height(); ++y) {
        for (size_t x = 0; x < s.dst_width(); ++x) {
            for (size_t c = 0; c < s.channels; ++c) {
                float sum = p.bias[c];
                for (size_t kx = 0; kx < 3; ++kx) {
                    for (size_t ky = 0; ky < 3; ++ky) {
                        const size_t row = y + ky - s.top, column = x + kx - s.left;  // wrap below zero
                        if (row < s.height && column < s.width) {
                            sum = element.fma(p.at(row, column, c), p.filter[(ky * 3 + kx) * s.channels + c], sum);
                        }
                    }
                }
                dst.push_back(clamp(sum, element.rounded(p.lo), element.rounded(p.hi)));
            }
        }
    }
    return dst;
}

/// Bytes between pixels and rows beyond the dense layout.
struct Gaps {
    size_t column = 0, row = 0;
};

/// An image in a buffer of exact size.
struct Layout {
    size_t channels, width, height, column_stride, row_stride;
    Element element;

    Layout(size_t c, size_t w, size_t h, Element e, Gaps gaps)
        : channels(c),
          width(w),
          height(h),
          column_stride(c * e.size() + gaps.column),
          row_stride(w * column_stride + gaps.row),
          element(e) {
    }
    size_t size() const {
        return height == 0 || width == 0
                   ? 0
                   : (height - 1) * row_stride + (width - 1) * column_stride + channels * element.size();
    }
    size_t offset(size_t y, size_t x, size_t c) const {
        return y * row_stride + x * column_stride + c * element.size();
    }
};

/// The packed filter, computed from its description.
std::vector<uint8_t> packed_filter(
    Element element, size_t lanes, size_t taps, size_t channels, const float* filter, const float* bias) {
    std::vector<uint8_t> packed((channels + lanes - 1) / lanes * lanes * (taps + 1) * element.size());
    for (size_t c = 0; c < channels; ++c) {
        const size_t block = c / lanes * lanes * (taps + 1) + c % lanes;
        element.store(&packed[block * element.size()], bias == nullptr ? 0.0F : bias[c]);
        for (size_t t = 0; t < taps; ++t) {
            element.store(&packed[(block + (t + 1) * lanes) * element.size()], filter[t * channels + c]);
        }
    }
    return packed;
}

class Dwconv : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const Element element{u.dst_type == kai_dt_f16};
    size_t lanes = 0;

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
        lanes = u.get_nr();
        ASSERT_EQ(lanes, kai_cpu_sme_bytes() / element.size());
    }

    /// A call: f32: 4 rows of the output from y on. f16: the whole image, y = 0.
    void call(
        const Problem& p, const Layout& in, const Layout& out, const uint8_t* src, const uint8_t* rhs, uint8_t* dst,
        size_t y) const {
        const Shape& s = p.shape;
        if (element.f16) {
            test::checked_call_as<kai_dwconv_clamp_f16_f16_f16p_run_fn>(
                test::run_of(u), src, rhs, dst, s.channels, s.height, s.width, out.height, out.width, s.left, s.top,
                in.row_stride, in.column_stride, out.row_stride, out.column_stride, p.lo, p.hi);
            return;
        }
        const size_t first = std::min(y > s.top ? y - s.top : 0, s.height), pad = y < s.top ? s.top - y : 0;
        test::checked_call_as<kai_dwconv_clamp_f32_f32_f32p_run_fn>(
            test::run_of(u), src + first * in.row_stride, rhs, dst + y * out.row_stride, in.row_stride,
            in.column_stride, out.row_stride, out.column_stride, s.height - first, out.height - y, s.left, pad, 0.0F,
            p.lo, p.hi);
    }
    /// Calls for an image whose output has this many rows.
    size_t calls(size_t rows) const {
        return element.f16 ? 1 : (rows + u.get_m_step() - 1) / u.get_m_step();
    }

    /// Runs the kernel on buffers of exact size; bytes between pixels must stay as they were.
    std::vector<float> run(const Problem& p, Gaps gaps = {}, Flush flush = Flush::end) const {
        const Shape& s = p.shape;
        const Layout in(s.channels, s.width, s.height, element, gaps);
        const Layout out(s.channels, s.dst_width(), s.dst_height(), element, {gaps.row, gaps.column});
        const GuardedBuffer src(in.size(), flush, 0xFF);  // NaN between pixels
        for (size_t i = 0; i < p.src.size(); ++i) {
            const size_t pixel = i / s.channels;
            element.store(src.data() + in.offset(pixel / s.width, pixel % s.width, i % s.channels), p.src[i]);
        }
        const GuardedBuffer rhs(packed_filter(element, lanes, 9, s.channels, p.filter.data(), p.bias.data()), flush);
        const GuardedBuffer dst(out.size(), flush);
        for (size_t i = 0; i < calls(out.height); ++i) {
            call(p, in, out, src.data(), rhs.data(), dst.data(), i * u.get_m_step());
        }

        std::vector<float> result;
        std::vector<uint8_t> rest = dst.bytes();
        for (size_t i = 0; i < s.dst_height() * s.dst_width() * s.channels; ++i) {
            const size_t pixel = i / s.channels;
            const size_t at = out.offset(pixel / s.dst_width(), pixel % s.dst_width(), i % s.channels);
            result.push_back(element.load(dst.data() + at));
            std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(at), element.size(), GuardedBuffer::kPoison);
        }
        const auto poison = static_cast<size_t>(std::count(rest.begin(), rest.end(), GuardedBuffer::kPoison));
        EXPECT_EQ(rest.size() - poison, 0u) << "bytes between pixels were written";
        return result;
    }

    /// Any NaN equals any other.
    static void expect_same(const std::vector<float>& actual, const std::vector<float>& expected) {
        ASSERT_EQ(actual.size(), expected.size());
        for (size_t i = 0; i < actual.size(); ++i) {
            if (std::isnan(expected[i]) ? !std::isnan(actual[i])
                                        : reference::bits_of(actual[i]) != reference::bits_of(expected[i])) {
                FAIL() << "element " << i << ": " << actual[i] << ", not " << expected[i];
            }
        }
    }
    void check(const Problem& p, Gaps gaps = {}, Flush flush = Flush::end) const {
        SCOPED_TRACE(testing::Message() << p.shape);
        expect_same(run(p, gaps, flush), reference_of(p, element));
    }
    /// Strides of f32 follow from the sizes.
    Gaps any_gaps(Random& random) const {
        if (!element.f16) {
            return {};
        }
        return {2 * static_cast<size_t>(random.integer(0, 3)), 2 * static_cast<size_t>(random.integer(0, 9))};
    }
};

size_t any(Random& random, size_t lo, size_t hi) {
    return static_cast<size_t>(random.integer(static_cast<int>(lo), static_cast<int>(hi)));
}

TEST_P(Dwconv, Channels) {
    Random random(2);
    for (size_t channels = 1; channels <= 2 * lanes + 3; ++channels) {
        check(make_problem({3, 4, channels, 1, 1, 1, 1}, element, random), any_gaps(random));
    }
    check(make_problem({6, 5, 4 * lanes + 1, 1, 1, 1, 1}, element, random), any_gaps(random));
}

// An output that is narrower or lower than what input and padding give, down to nothing, or larger; and inputs without
// rows or columns. Nothing beyond the output is written.
TEST_P(Dwconv, OutputsOfAnySize) {
    Random random(11);
    for (size_t input = 0; input <= 6; ++input) {
        for (size_t pad = 0; pad <= 3; ++pad) {
            for (size_t output = 0; output <= 10; ++output) {
                const auto check_random = [&](bool columns) {
                    const size_t in = any(random, 0, 6), padding = any(random, 0, 3), out = any(random, 1, 9);
                    const size_t channels = random.integer(0, 9) == 0 ? lanes + 1 : any(random, 1, 4);
                    const Shape s = columns ? Shape::with_output(in, input, channels, padding, pad, out, output)
                                            : Shape::with_output(input, in, channels, pad, padding, output, out);
                    Problem p = make_problem(s, element, random);
                    if (random.integer(0, 3) == 0) {
                        p.lo = -0.5F, p.hi = 0.25F;
                    }
                    check(p, any_gaps(random), random.integer(0, 3) == 0 ? Flush::start : Flush::end);
                };
                check_random(true);
                check_random(false);
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

// More padding than the filter is wide: some outputs are just the bias.
TEST_P(Dwconv, MuchPadding) {
    Random random(3);
    for (const size_t pad : {3, 5}) {
        check(make_problem({2, 3, lanes + 1, pad, 0, 1, 2}, element, random));
        check(make_problem({3, 2, lanes + 1, 0, pad, 2, 1}, element, random));
        check(make_problem({2, 2, lanes + 1, 1, 1, pad, pad}, element, random));
        check(make_problem({1, 1, 3, pad, pad, pad, pad}, element, random));
    }
}

// A tap outside the image is not 0 * weight: that would be NaN for an infinite weight, and +0 + -0 for a bias of -0.
TEST_P(Dwconv, SpecialValues) {
    Random random(4);
    for (size_t i = 0; i < 40; ++i) {
        const Shape s{any(random, 1, 6), any(random, 1, 6), any(random, 1, lanes + 3), any(random, 1, 2),
                      any(random, 1, 2), any(random, 1, 2), any(random, 1, 2)};
        Problem p = make_problem(s, element, random, true);
        if (i % 2 == 1) {
            p.lo = -1;
            p.hi = 1.5F;
        }
        check(p);
    }
    Problem p = make_problem({2, 2, lanes, 2, 2, 2, 2}, element, random);
    std::fill(p.filter.begin(), p.filter.end(), kInf);
    std::fill(p.bias.begin(), p.bias.end(), -0.0F);
    check(p);
}

TEST_P(Dwconv, Clamp) {
    Random random(5);
    Problem p = make_problem({5, 6, lanes + 2, 1, 1, 1, 1}, element, random);
    const float largest = std::numeric_limits<float>::max();
    const std::pair<float, float> bounds[] = {{-1, 1},      {-kInf, 0.3F},  {0.1F, kInf},       {0.7F, 0.7F},
                                              {kInf, kInf}, {-kInf, -kInf}, {-largest, largest}};
    for (const auto& [lo, hi] : bounds) {
        p.lo = lo;
        p.hi = hi;
        check(p);
    }
}

TEST_P(Dwconv, SizesAndPadding) {
    Random random(1);
    for (size_t height = 1; height <= 9; ++height) {
        for (size_t width = 1; width <= 9; ++width) {
            for (size_t top = 0; top <= 2; ++top) {
                for (size_t left = 0; left <= 2; ++left) {
                    const size_t channels = any(random, 1, random.integer(0, 3) == 0 ? lanes + 1 : 4);
                    Shape s{height, width, channels, top, left, any(random, 0, 2), any(random, 0, 2)};
                    if (s.height + s.top + s.bottom < 3 || s.width + s.left + s.right < 3) {
                        continue;  // no output
                    }
                    const Flush flush = random.integer(0, 3) == 0 ? Flush::start : Flush::end;
                    check(make_problem(s, element, random), any_gaps(random), flush);
                    if (HasFailure()) {
                        return;
                    }
                }
            }
        }
    }
}

// A call writes the rows of its step, however many rows of the output follow: other threads compute those.
TEST_P(Dwconv, WritesNoRowsBehindItsStep) {
    if (element.f16) {
        return;  // a call is an image
    }
    Random random(1);
    for (const size_t rows : {u.get_m_step() + 1, 3 * u.get_m_step()}) {
        const Problem p = make_problem({rows, 5, lanes + 1, 1, 1, 1, 1}, element, random);
        const Layout layout(p.shape.channels, 5, rows, element, {});
        const GuardedBuffer src(layout.size()), dst(layout.size());
        std::memset(src.data(), 0, src.size());
        const GuardedBuffer rhs(packed_filter(element, lanes, 9, p.shape.channels, p.filter.data(), p.bias.data()));
        call(p, layout, layout, src.data(), rhs.data(), dst.data(), 0);
        const std::vector<uint8_t> bytes = dst.bytes();
        const auto behind = bytes.begin() + static_cast<std::ptrdiff_t>(u.get_m_step() * layout.row_stride);
        EXPECT_EQ(std::count(behind, bytes.end(), GuardedBuffer::kPoison), bytes.end() - behind) << rows << " rows";
    }
}

TEST_P(Dwconv, SameBitsWhateverTheSplit) {
    if (element.f16) {
        return;  // a call is an image
    }
    Random random(6);
    const Problem p = make_problem({11, 5, lanes + 1, 1, 1, 1, 1}, element, random);
    const Shape& s = p.shape;
    const Layout in(s.channels, s.width, s.height, element, {}), out(s.channels, s.dst_width(), 4, element, {});
    const std::vector<float> expected = run(p);
    const GuardedBuffer rhs(packed_filter(element, lanes, 9, s.channels, p.filter.data(), p.bias.data()));
    for (size_t y = 0; y < s.dst_height(); y += 4) {
        // Reads the rows that a call needs, and no others.
        const size_t first = y > 0 ? y - 1 : 0, rows = std::min<size_t>(4, s.dst_height() - y);
        const size_t inputs = std::min(y + rows + 1, s.height) - first;
        const GuardedBuffer src(inputs * in.row_stride), dst(rows * out.row_stride);
        std::memcpy(src.data(), &p.src[first * s.width * s.channels], src.size());
        test::checked_call_as<kai_dwconv_clamp_f32_f32_f32p_run_fn>(
            test::run_of(u), src.data(), rhs.data(), dst.data(), in.row_stride, in.column_stride, out.row_stride,
            out.column_stride, inputs, rows, s.left, y == 0 ? size_t{1} : size_t{0}, 0.0F, p.lo, p.hi);
        EXPECT_EQ(std::memcmp(dst.data(), &expected[y * s.dst_width() * s.channels], dst.size()), 0) << "row " << y;
    }
}

// Modes of FPCR that the caller has set are the same afterwards (checked_call verifies this), and each operation rounds
// as the mode says.
TEST_P(Dwconv, FpcrModes) {
    Random random(14);
    Problem p = make_problem({6, 5, lanes + 1, 1, 1, 1, 1}, element, random), magnitudes = p;
    for (std::vector<float> Problem::*field : {&Problem::src, &Problem::filter, &Problem::bias}) {
        for (float& x : p.*field) {  // neither subnormal numbers nor products that are
            x = std::copysign(std::max(std::fabs(x), 0x1p-5F), x);
        }
        std::transform(
            (p.*field).begin(), (p.*field).end(), (magnitudes.*field).begin(), [](float x) { return std::fabs(x); });
    }
    const std::vector<float> want = reference_of(p, element), magnitude = reference_of(magnitudes, element);
    const float smallest = element.f16 ? 0x1p-14F : 0x1p-126F;
    for (const uint64_t mode :
         {uint64_t{test::kFlushToZero}, uint64_t{test::kDefaultNan}, uint64_t{test::kFlushHalfToZero},
          test::kFlushToZero | test::kDefaultNan | test::kFlushHalfToZero}) {
        SCOPED_TRACE(testing::Message() << std::hex << "FPCR " << mode);
        const test::FpcrMode fpcr(mode);
        std::vector<float> dst = run(p);
        for (size_t i = 0; i < dst.size(); ++i) {
            dst[i] = dst[i] == 0 && std::fabs(want[i]) < smallest ? want[i] : dst[i];
        }
        expect_same(dst, want);
    }
    // 9 operations, each at most one ulp off its value rounded to nearest.
    const float bound = 2 * 9 * (element.f16 ? 0x1p-11F : 0x1p-24F);
    for (const uint64_t mode : {test::kRoundUp, test::kRoundDown, test::kRoundToZero}) {
        SCOPED_TRACE(testing::Message() << std::hex << "FPCR " << mode);
        const test::FpcrMode fpcr(mode);
        const std::vector<float> dst = run(p);
        for (size_t i = 0; i < dst.size(); ++i) {
            ASSERT_NEAR(dst[i], want[i], bound * magnitude[i]) << "element " << i;
        }
    }
}

// Threads that share source and filter: f32: rows of one output, f16: images.
TEST_P(Dwconv, Threads) {
    Random random(15);
    const Problem p = make_problem({33, 5, lanes + 1, 1, 1, 1, 1}, element, random);
    const Shape& s = p.shape;
    const Layout in(s.channels, s.width, s.height, element, {});
    const Layout out(s.channels, s.dst_width(), s.dst_height(), element, {});
    const GuardedBuffer src(in.size());
    for (size_t i = 0; i < p.src.size(); ++i) {
        element.store(src.data() + i * element.size(), p.src[i]);
    }
    const GuardedBuffer rhs(packed_filter(element, lanes, 9, s.channels, p.filter.data(), p.bias.data()));
    const size_t images = element.f16 ? test::kThreads : 1;
    const GuardedBuffer dst(images * out.size());
    test::in_threads(images * calls(out.height), [&](size_t i) {
        const size_t image = element.f16 ? i : 0, part = element.f16 ? 0 : i;
        call(p, in, out, src.data(), rhs.data(), dst.data() + image * out.size(), part * u.get_m_step());
    });
    const std::vector<float> one = run(p);
    std::vector<float> expected, actual;
    for (size_t i = 0; i < images; ++i) {
        expected.insert(expected.end(), one.begin(), one.end());
    }
    for (size_t i = 0; i < expected.size(); ++i) {
        actual.push_back(element.load(dst.data() + i * element.size()));
    }
    expect_same(actual, expected);
}

// Nothing is read or written: NULL and buffers of zero bytes are fine.
TEST_P(Dwconv, EmptyProblems) {
    const GuardedBuffer nothing(0);
    for (uint8_t* const p : {nothing.data(), static_cast<uint8_t*>(nullptr)}) {
        if (element.f16) {
            const auto call = [&](size_t channels, size_t rows, size_t columns) {
                const size_t column = channels * 2, row = 3 * column;
                test::checked_call_as<kai_dwconv_clamp_f16_f16_f16p_run_fn>(
                    test::run_of(u), p, p, p, channels, size_t{3}, size_t{3}, rows, columns, size_t{1}, size_t{1}, row,
                    column, row, column, -kInf, kInf);
            };
            call(4, 0, 3);
            call(4, 3, 0);
            call(0, 3, 3);
        } else {
            const auto call = [&](size_t src_row, size_t dst_row, size_t column, size_t rows) {
                test::checked_call_as<kai_dwconv_clamp_f32_f32_f32p_run_fn>(
                    test::run_of(u), p, p, p, src_row, column, dst_row, column, size_t{3}, rows, size_t{1}, size_t{1},
                    0.0F, -kInf, kInf);
            };
            call(64, 64, 16, 0);  // no rows
            call(64, 0, 16, 4);   // no columns
            call(0, 0, 16, 4);    // neither in the input
            call(0, 0, 0, 4);     // no channels
        }
    }
}

// An image without rows or columns: all outputs are the bias.
TEST_P(Dwconv, EmptyImage) {
    Random random(7);
    check(make_problem({0, 4, lanes + 1, 2, 1, 1, 1}, element, random));
    check(make_problem({4, 0, lanes + 1, 1, 2, 1, 1}, element, random));
    check(make_problem({0, 0, lanes + 1, 2, 2, 1, 1}, element, random));
}

// Any strides of rows and columns: an image whose columns are farther apart than its rows, and one pixel, row or column
// instead of all.
TEST_P(Dwconv, AnyStrides) {
    if (!element.f16) {
        return;  // f32: strides follow from the sizes
    }
    Random random(12);
    constexpr size_t kHeight = 6, kWidth = 7;
    const size_t channels = lanes + 1, pixel = channels * element.size() + 6;
    const std::pair<size_t, size_t> strides[] = {
        {pixel, kHeight * pixel}, {kWidth * pixel, pixel}, {0, pixel}, {pixel, 0}, {0, 0}};  // row, column
    for (const auto& [row, column] : strides) {
        Problem p = make_problem({kHeight, kWidth, channels, 1, 1, 1, 1}, element, random);
        const GuardedBuffer src((kHeight - 1) * row + (kWidth - 1) * column + channels * element.size());
        for (size_t y = 0; y < kHeight; ++y) {
            for (size_t x = 0; x < kWidth; ++x) {
                for (size_t c = 0; c < channels; ++c) {
                    // Of pixels that share an address, the last one written stays.
                    uint8_t* place = src.data() + y * row + x * column + c * element.size();
                    element.store(place, p.at(y, x, c));
                }
            }
        }
        for (size_t i = 0; i < p.src.size(); ++i) {
            const size_t y = i / channels / kWidth, x = i / channels % kWidth;
            p.src[i] = element.load(src.data() + y * row + x * column + i % channels * element.size());
        }
        const GuardedBuffer rhs(packed_filter(element, lanes, 9, channels, p.filter.data(), p.bias.data()));
        // The output with rows and columns swapped.
        const size_t dst_row = pixel, dst_column = kHeight * pixel;
        const GuardedBuffer dst((kHeight - 1) * dst_row + (kWidth - 1) * dst_column + channels * element.size());
        test::checked_call_as<kai_dwconv_clamp_f16_f16_f16p_run_fn>(
            test::run_of(u), src.data(), rhs.data(), dst.data(), channels, kHeight, kWidth, kHeight, kWidth, size_t{1},
            size_t{1}, row, column, dst_row, dst_column, -kInf, kInf);
        std::vector<float> result;
        for (size_t i = 0; i < p.src.size(); ++i) {
            const size_t y = i / channels / kWidth, x = i / channels % kWidth;
            result.push_back(element.load(dst.data() + y * dst_row + x * dst_column + i % channels * element.size()));
        }
        SCOPED_TRACE(testing::Message() << "strides " << row << " and " << column);
        expect_same(result, reference_of(p, element));
    }
}

// Rows or columns that lie GiB apart.
TEST_P(Dwconv, StridesBeyond32Bits) {
    if (!element.f16) {
        return;  // f32: strides follow from the sizes
    }
    Random random(14);
    constexpr size_t kSide = 3;
    const size_t channels = lanes + 1, pixel = channels * element.size();
    for (const size_t large : test::kLargeStrides) {
        for (const auto& [row, column] : {std::pair{large, pixel}, {pixel, large}}) {
            const Problem p = make_problem({kSide, kSide, channels, 1, 1, 1, 1}, element, random);
            const SparseBuffer src((kSide - 1) * (row + column) + pixel), dst((kSide - 1) * (row + column) + pixel);
            const auto offset = [&, row = row, column = column](size_t i) {
                return i / channels / kSide * row + i / channels % kSide * column + i % channels * element.size();
            };
            for (size_t i = 0; i < p.src.size(); ++i) {
                element.store(src.data() + offset(i), p.src[i]);
            }
            const GuardedBuffer rhs(packed_filter(element, lanes, 9, channels, p.filter.data(), p.bias.data()));
            test::checked_call_as<kai_dwconv_clamp_f16_f16_f16p_run_fn>(
                test::run_of(u), src.data(), rhs.data(), dst.data(), channels, kSide, kSide, kSide, kSide, size_t{1},
                size_t{1}, row, column, row, column, -kInf, kInf);
            std::vector<float> result;
            for (size_t i = 0; i < p.src.size(); ++i) {
                result.push_back(element.load(dst.data() + offset(i)));
            }
            SCOPED_TRACE(testing::Message() << "strides " << row << " and " << column);
            expect_same(result, reference_of(p, element));
        }
    }
}

TEST_P(Dwconv, KeepsTheCallersZa) {
    Random random(8);
    const Problem p = make_problem({4, 4, lanes, 1, 1, 1, 1}, element, random);
    const std::vector<float> expected = run(p);
    const test::LiveZa live_za;
    expect_same(run(p), expected);
    check(make_problem(Shape::with_output(4, 4, lanes, 1, 1, 4, 0), element, random));  // nothing to do
}

TEST(DwconvGetters, Values) {
    if (kai_cpu_sme_bytes() == 0) {
        GTEST_SKIP();
    }
    if (kai_registry_find_ukernel("dwconv_clamp_f32_f32_f32p1vlx1b_3x3_s1_4xc_sme2_mla") == nullptr) {
        GTEST_SKIP() << "this toolchain has no SME2";
    }
    EXPECT_EQ(test::checked_call(KAI_F32(m_step)), 4u);
    EXPECT_EQ(test::checked_call(KAI_F32(kr)), 1u);
    EXPECT_EQ(test::checked_call(KAI_F32(filter_height)), 3u);
    EXPECT_EQ(test::checked_call(KAI_F32(filter_width)), 3u);
    EXPECT_EQ(test::checked_call(KAI_F32(dst_size), size_t{5}, size_t{6}, size_t{7}), 840u);
    EXPECT_EQ(test::checked_call(KAI_F32(dst_offset), size_t{8}, size_t{100}), 800u);
    EXPECT_EQ(test::checked_call(KAI_F32(src_offset), size_t{7}, size_t{100}), 700u);
    // No offset is truncated to 32 bits.
    const size_t many = size_t{1} << 36;
    EXPECT_EQ(test::checked_call(KAI_F32(dst_size), many, size_t{6}, size_t{7}), many * 168);
    EXPECT_EQ(test::checked_call(KAI_F32(dst_size), size_t{5}, many, size_t{7}), many * 140);
    EXPECT_EQ(test::checked_call(KAI_F32(dst_size), size_t{5}, size_t{6}, many), many * 120);
    EXPECT_EQ(test::checked_call(KAI_F32(dst_offset), many, size_t{100}), many * 100);
    EXPECT_EQ(test::checked_call(KAI_F32(dst_offset), size_t{8}, many), many * 8);
    EXPECT_EQ(test::checked_call(KAI_F32(src_offset), many, size_t{100}), many * 100);
    EXPECT_EQ(test::checked_call(KAI_F32(src_offset), size_t{7}, many), many * 7);
    EXPECT_EQ(test::checked_call(KAI_F16(dst_size), many, size_t{6}, size_t{7}), many * 84);
    EXPECT_EQ(test::checked_call(KAI_F16(dst_size), size_t{5}, many, size_t{7}), many * 70);
    EXPECT_EQ(test::checked_call(KAI_F16(dst_size), size_t{5}, size_t{6}, many), many * 60);
    EXPECT_EQ(test::checked_call(KAI_F16(filter_height)), 3u);
    EXPECT_EQ(test::checked_call(KAI_F16(filter_width)), 3u);
    EXPECT_EQ(test::checked_call(KAI_F16(dst_size), size_t{5}, size_t{6}, size_t{7}), 420u);
}

/// @name Packers
/// @{
class DwconvPack : public testing::TestWithParam<const kai_packer*> {
protected:
    const kai_packer& p = *GetParam();
    const Element element{std::string(p.source_format) == "f16"};
    size_t vector = 0, lanes = 0;

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(p);
        vector = (p.features & uint64_t{1} << KAI_CPU_SME) != 0 ? kai_cpu_sme_bytes() : 16;
        lanes = vector / element.size();
        EXPECT_TRUE(p.accepts(lanes, 1, 1));
        EXPECT_FALSE(p.accepts(lanes + 1, 1, 1));
    }

    void check(
        size_t height, size_t width, size_t channels, bool has_bias, Random& random, Flush flush = Flush::end) const {
        SCOPED_TRACE(testing::Message() << height << " x " << width << " x " << channels << ", bias " << has_bias);
        const auto make = [&](const std::vector<float>& values) {
            std::vector<uint8_t> bytes(values.size() * element.size());
            for (size_t i = 0; i < values.size(); ++i) {
                element.store(&bytes[i * element.size()], values[i]);
            }
            return bytes;
        };
        const std::vector<float> filter = numbers(height * width * channels, element, true, random),
                                 bias = numbers(channels, element, true, random);
        const std::vector<uint8_t> expected =
            packed_filter(element, lanes, height * width, channels, filter.data(), has_bias ? bias.data() : nullptr);
        const GuardedBuffer rhs(make(filter), flush), head(make(bias), flush), packed(expected.size(), flush);
        EXPECT_EQ(
            test::checked_call_as<kai_get_rhs_dwconv_size_fn>(p.get_packed_size, height, width, channels),
            expected.size());
        test::checked_call_as<kai_run_rhs_dwconv_pack_fn>(
            test::run_of(p), height, width, height, width, channels, rhs.data(), has_bias ? head.data() : nullptr,
            packed.data());
        EXPECT_EQ(packed.bytes(), expected);
    }
};

TEST_P(DwconvPack, Filters) {
    Random random(9);
    for (const auto& [height, width] : {std::pair<size_t, size_t>{3, 3}, {1, 1}, {5, 2}, {0, 3}}) {
        for (const size_t channels : {size_t{0}, size_t{1}, lanes - 1, lanes, lanes + 1, 3 * lanes + 2}) {
            check(height, width, channels, true, random);
            check(height, width, channels, false, random, Flush::start);
        }
    }
}

TEST_P(DwconvPack, Channels) {
    Random random(10);
    for (size_t channels = 1; channels <= 2 * lanes + 3; ++channels) {
        check(3, 3, channels, channels % 2 == 0, random);
    }
}

TEST_P(DwconvPack, EmptyFiltersTakeNull) {
    const void* const nothing = nullptr;
    test::checked_call_as<kai_run_rhs_dwconv_pack_fn>(
        test::run_of(p), size_t{3}, size_t{3}, size_t{3}, size_t{3}, size_t{0}, nothing, nothing,
        static_cast<void*>(nullptr));
}

TEST_P(DwconvPack, SizesBeyond32Bits) {
    const auto size = [&](size_t height, size_t width, size_t channels) {
        return test::checked_call_as<kai_get_rhs_dwconv_size_fn>(p.get_packed_size, height, width, channels);
    };
    const size_t many = size_t{1} << 36;
    EXPECT_EQ(size(3, 3, many), 10 * many * element.size());
    EXPECT_EQ(size(3, 3, many + 1), 10 * (many * element.size() + vector));
    EXPECT_EQ(size(many, 3, 1), (3 * many + 1) * vector);
    EXPECT_EQ(size(3, many, 1), (3 * many + 1) * vector);
}

// Bits are copied, whatever the mode.
TEST_P(DwconvPack, FpcrModes) {
    Random random(16);
    for (const uint64_t mode :
         {test::kFlushToZero | test::kDefaultNan | test::kFlushHalfToZero, uint64_t{test::kRoundUp}}) {
        const test::FpcrMode fpcr(mode);
        check(3, 3, 2 * lanes + 1, true, random);
    }
}

TEST_P(DwconvPack, KeepsTheCallersZa) {
    if (kai_cpu_sme_bytes() == 0) {
        return;  // there is no ZA
    }
    Random random(13);
    const test::LiveZa live_za;
    check(3, 3, lanes + 1, true, random);
}
/// @}

template <typename T, typename Signature>
std::vector<const T*> of_signature(std::vector<const T*> all, Signature signature) {
    all.erase(std::remove_if(all.begin(), all.end(), [&](const T* t) { return t->signature != signature; }), all.end());
    return all;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Dwconv, testing::ValuesIn(of_signature(test::all_ukernels(), KAI_UKERNEL_DWCONV)),
    test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Dwconv);
INSTANTIATE_TEST_SUITE_P(
    Packers, DwconvPack, testing::ValuesIn(of_signature(test::all_packers(), KAI_RHS_DWCONV_PACK)),
    test::instance_name<kai_packer>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DwconvPack);

}  // namespace
