// Depthwise convolution by tiles (kai_run_dwconv_tiles_fn): the micro-kernels of the registry against plain loops. The
// loops are written from the description: a sum starts with the bias and takes the taps in row-major order with one
// rounding each; pixels outside the image are those of pad_ptr. Bits are compared.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <vector>

#include "kai/kai_cpu.h"
#include "kai/kai_registry.h"
#include "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h"
#include "test/reference/float16.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/random.hpp"
#include "test/support/subject.hpp"
#include "test/support/threads.hpp"

namespace {

using test::Flush;
using test::GuardedBuffer;
using test::Random;

constexpr float kInf = std::numeric_limits<float>::infinity();

size_t any(Random& random, size_t lo, size_t hi) {
    return static_cast<size_t>(random.integer(static_cast<int>(lo), static_cast<int>(hi)));
}

/// An image [height][width][channels of the input], a filter [filter_height][filter_width][channels].
struct Shape {
    size_t height, width, channels, multiplier;
    size_t filter_height, filter_width, stride_y, stride_x, dilation_y, dilation_x;
    size_t top, left, dst_height, dst_width;

    size_t src_channels() const {
        return channels / multiplier;
    }
    size_t taps() const {
        return filter_height * filter_width;
    }
    /// The pixel of the input that output y, x multiplies by tap ky, kx; SIZE_MAX: padding.
    size_t pixel(size_t y, size_t x, size_t ky, size_t kx) const {
        const size_t row = y * stride_y + ky * dilation_y - top, column = x * stride_x + kx * dilation_x - left;
        return row < height && column < width ? row * width + column : SIZE_MAX;  // below zero they wrap
    }
};

std::ostream& operator<<(std::ostream& out, const Shape& s) {
    return out << s.height << " x " << s.width << " x " << s.channels << " (multiplier " << s.multiplier << "), filter "
               << s.filter_height << " x " << s.filter_width << ", strides " << s.stride_y << " " << s.stride_x
               << ", dilation " << s.dilation_y << " " << s.dilation_x << ", padding " << s.top << " " << s.left
               << ", output " << s.dst_height << " x " << s.dst_width;
}

/// Elements of 4 or 2 bytes.
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
    float rounded(float x) const {
        return f16 ? reference::f32_from_f16(reference::f16_from_f32(x)) : x;
    }
    /// acc + a * b, rounded once.
    float fma(float a, float b, float acc) const;
};

/// The f16 that is nearest to x, ties to even. x is exact: inputs of f16 are small enough for double.
double nearest_f16(double x) {
    if (!std::isfinite(x) || x == 0) {
        return x;
    }
    const double quantum = std::ldexp(1.0, std::max(std::ilogb(x), -14) - 10);
    const double rounded = std::nearbyint(x / quantum) * quantum;
    return std::copysign(std::fabs(rounded) >= 65536 ? static_cast<double>(kInf) : std::fabs(rounded), x);
}

float Element::fma(float a, float b, float acc) const {
    return f16 ? static_cast<float>(nearest_f16(static_cast<double>(a) * b + acc)) : std::fma(a, b, acc);
}

/// Elements in memory of exact size, between inaccessible pages.
struct Array : GuardedBuffer {
    Array(Element e, const std::vector<float>& values, Flush flush = Flush::end)
        : GuardedBuffer(values.size() * e.size(), flush) {
        for (size_t i = 0; i < values.size(); ++i) {
            e.store(data() + i * e.size(), values[i]);
        }
    }
};

struct Problem {
    Shape shape;
    std::vector<float> src, filter, bias;
    float lo = -kInf, hi = kInf;

    float at(size_t pixel, size_t c) const {
        return pixel == SIZE_MAX ? 0.0F : src[pixel * shape.src_channels() + c];
    }
};

/// About one of 16 numbers is an infinity, NaN or a zero, if `special`.
std::vector<float> numbers(size_t count, Element element, bool special, Random& random) {
    static constexpr float kSpecial[] = {kInf, -kInf, std::numeric_limits<float>::quiet_NaN(), 0.0F, -0.0F};
    std::vector<float> values(count);
    for (float& x : values) {
        x = special && random.integer(0, 15) == 0 ? kSpecial[random.integer(0, 4)]
                                                  : element.rounded(random.real(-2.0F, 2.0F));
    }
    return values;
}

Problem make_problem(const Shape& s, Element element, Random& random, bool special = false) {
    return {
        s, numbers(s.height * s.width * s.src_channels(), element, special, random),
        numbers(s.taps() * s.channels, element, special, random), numbers(s.channels, element, special, random)};
}

/// All outputs, row-major, channels innermost.
std::vector<float> reference_of(const Problem& p, Element element) {
    const Shape& s = p.shape;
    std::vector<float> dst;
    for (size_t i = 0; i < s.dst_height * s.dst_width * s.channels; ++i) {
        const size_t c = i % s.channels, x = i / s.channels % s.dst_width, y = i / s.channels / s.dst_width;
        float sum = p.bias[c];
        for (size_t t = 0; t < s.taps(); ++t) {
            const float pixel = p.at(s.pixel(y, x, t / s.filter_width, t % s.filter_width), c / s.multiplier);
            sum = element.fma(pixel, p.filter[t * s.channels + c], sum);
        }
        dst.push_back(std::isnan(sum) ? sum : std::min(std::max(sum, element.rounded(p.lo)), element.rounded(p.hi)));
    }
    return dst;
}

/// What tests of any elements share.
class TilesTest : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const size_t bytes = kai_get_datatype_size_in_bytes(u.dst_type);
    const kai_dwconv_tile& tile = *kai_registry_dwconv_tile(&u);
    const bool any_filter = tile.filter_height == 0;

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
    }

    /// The tables of a problem: those of kai_run_dwconv_tiles_fn. Addresses are less than the real ones by the offsets,
    /// but for those of pad.
    struct Tables {
        size_t tiles, pixels;
        std::vector<const void*> src;
        std::vector<void*> dst;
    };
    Tables tables_of(
        const Shape& s, const uint8_t* src, size_t src_offset, const uint8_t* pad, uint8_t* dst,
        size_t dst_offset) const {
        const size_t outputs = tile.height * tile.width;
        const size_t rows = any_filter ? s.taps() : (tile.height - 1) * tile.stride + tile.filter_height;
        const size_t columns = any_filter ? outputs : (tile.width - 1) * tile.stride + tile.filter_width;
        Tables tables = {0, rows * columns, {}, {}};
        const auto add_pixel = [&](size_t pixel) {
            tables.src.push_back(pixel == SIZE_MAX ? pad : src + pixel * s.src_channels() * bytes - src_offset);
        };
        const auto add_output = [&](size_t first, size_t y, size_t x) {
            const size_t output = y < s.dst_height && x < s.dst_width ? y * s.dst_width + x : first;
            tables.dst.push_back(dst + output * s.channels * bytes - dst_offset);
        };
        const size_t total = s.dst_height * s.dst_width;
        for (size_t first = 0; any_filter && first < total; first += outputs, ++tables.tiles) {
            for (size_t i = 0; i < s.taps() * outputs; ++i) {
                const size_t o = first + i % outputs, t = i / outputs;
                add_pixel(
                    o < total ? s.pixel(o / s.dst_width, o % s.dst_width, t / s.filter_width, t % s.filter_width)
                              : SIZE_MAX);
            }
            for (size_t o = first; o < first + outputs; ++o) {
                add_output(first, o / s.dst_width, o % s.dst_width);
            }
        }
        for (size_t y = 0; !any_filter && y < s.dst_height; y += tile.height) {
            for (size_t x = 0; x < s.dst_width; x += tile.width, ++tables.tiles) {
                for (size_t i = 0; i < tables.pixels; ++i) {
                    add_pixel(s.pixel(y, x, i / columns, i % columns));
                }
                for (size_t o = 0; o < outputs; ++o) {
                    add_output(y * s.dst_width + x, y + o / tile.width, x + o % tile.width);
                }
            }
        }
        return tables;
    }

    /// The filter of the kernel, or any; a random image and output.
    Shape any_shape(Random& random, size_t channels, size_t multiplier = 1) const {
        Shape s = {any(random, 1, 9), any(random, 1, 9), channels * multiplier, multiplier,       0, 0, 0, 0, 1, 1,
                   any(random, 0, 3), any(random, 0, 3), any(random, 1, 5),     any(random, 1, 9)};
        s.filter_height = any_filter ? any(random, 1, 7) : tile.filter_height;
        s.filter_width = any_filter ? any(random, 1, 7) : tile.filter_width;
        s.stride_y = any_filter ? any(random, 1, 3) : tile.stride;
        s.stride_x = any_filter ? any(random, 1, 3) : tile.stride;
        s.dilation_y = any_filter ? any(random, 1, 3) : 1;
        s.dilation_x = any_filter ? any(random, 1, 3) : 1;
        return s;
    }
};

class DwconvTiles : public TilesTest {
protected:
    const Element element{u.dst_type == kai_dt_f16};

    std::vector<uint8_t> pack(const Problem& p) const {
        const kai_packer* packer = kai_registry_rhs_packer(&u, 0);
        const Shape& s = p.shape;
        std::vector<uint8_t> packed(reinterpret_cast<kai_get_rhs_dwconv_size_fn*>(packer->get_packed_size)(
            s.filter_height, s.filter_width, s.channels));
        reinterpret_cast<kai_run_rhs_dwconv_pack_fn*>(packer->run)(
            s.filter_height, s.filter_width, s.filter_height, s.filter_width, s.channels,
            Array(element, p.filter).data(), Array(element, p.bias).data(), packed.data());
        return packed;
    }

    /// Runs `count` tiles from `first` on; all operands have exact sizes.
    void call(
        const Problem& p, const Tables& t, size_t first, size_t count, const uint8_t* pad, size_t src_offset,
        const uint8_t* rhs, size_t dst_offset) const {
        const void* const* src = t.src.data() + first * t.pixels;
        void* const* dst = t.dst.data() + first * tile.height * tile.width;
        test::checked_call_as<kai_run_dwconv_tiles_fn>(
            test::run_of(u), count, p.shape.channels, p.shape.taps(), p.shape.multiplier, src,
            static_cast<const void*>(pad), src_offset, static_cast<const void*>(rhs), dst, dst_offset, p.lo, p.hi);
    }

    /// Each call computes `step` tiles.
    std::vector<float> run(const Problem& p, size_t step = SIZE_MAX, Flush flush = Flush::end) const {
        const Shape& s = p.shape;
        constexpr size_t kSrcOffset = size_t{7} << 40, kDstOffset = size_t{5} << 40;  // no other pointer is pad
        const Array src(element, p.src, flush), pad(element, std::vector<float>(s.src_channels()), flush);
        const GuardedBuffer rhs(pack(p), flush), dst(s.dst_height * s.dst_width * s.channels * element.size(), flush);
        const Tables t = tables_of(s, src.data(), kSrcOffset, pad.data(), dst.data(), kDstOffset);
        for (size_t i = 0; i < t.tiles; i += std::min(step, t.tiles)) {
            call(p, t, i, std::min(step, t.tiles - i), pad.data(), kSrcOffset, rhs.data(), kDstOffset);
        }
        std::vector<float> result;
        for (size_t i = 0; i < dst.size(); i += element.size()) {
            result.push_back(element.load(dst.data() + i));
        }
        return result;
    }

    /// Any NaN equals any other. Portable f32 rounds products as well, where the host has no fused multiply-add.
    void expect_same(const std::vector<float>& actual, const std::vector<float>& expected, size_t taps) const {
#if defined(__aarch64__)
        const bool exact = true;
#else
        const bool exact = element.f16;
#endif
        const float bound = 2 * static_cast<float>(taps + 1) * 4 * 0x1p-24F * static_cast<float>(taps);
        ASSERT_EQ(actual.size(), expected.size());
        for (size_t i = 0; i < actual.size(); ++i) {
            const float a = actual[i], e = expected[i];
            const bool close = !exact && std::isfinite(e) && std::fabs(a - e) <= bound;
            if (std::isnan(e) ? !std::isnan(a) : !close && reference::bits_of(a) != reference::bits_of(e)) {
                FAIL() << "element " << i << ": " << a << ", not " << e;
            }
        }
    }
    void check(const Problem& p, size_t step = SIZE_MAX, Flush flush = Flush::end) const {
        SCOPED_TRACE(testing::Message() << p.shape);
        expect_same(run(p, step, flush), reference_of(p, element), p.shape.taps());
    }
};

TEST_P(DwconvTiles, ChannelsAndPadding) {
    Random random(1);
    for (const size_t channels : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33}) {
        for (size_t i = 0; i < 6 && !HasFailure(); ++i) {
            check(
                make_problem(any_shape(random, channels), element, random), any(random, 1, 9),
                i % 2 == 0 ? Flush::end : Flush::start);
        }
    }
}

// No pointer is that of the padding, which may be NULL then.
TEST_P(DwconvTiles, NoPadding) {
    Random random(6);
    for (const size_t channels : {4, 16, 21}) {
        Shape s = any_shape(random, channels);
        s.top = s.left = 0, s.dst_height = 2 * tile.height, s.dst_width = 2 * tile.width;
        s.height = (s.dst_height - 1) * s.stride_y + (s.filter_height - 1) * s.dilation_y + 1;
        s.width = (s.dst_width - 1) * s.stride_x + (s.filter_width - 1) * s.dilation_x + 1;
        const Problem p = make_problem(s, element, random);
        const std::vector<float> expected = run(p);
        constexpr size_t kOffset = size_t{7} << 40;
        const Array src(element, p.src);
        const GuardedBuffer rhs(pack(p)), dst(expected.size() * element.size());
        const Tables t = tables_of(s, src.data(), kOffset, nullptr, dst.data(), 0);
        call(p, t, 0, t.tiles, nullptr, kOffset, rhs.data(), 0);
        for (size_t i = 0; i < expected.size(); ++i) {
            const float is = element.load(dst.data() + i * element.size());
            ASSERT_EQ(reference::bits_of(is), reference::bits_of(expected[i])) << s << ": " << i;
        }
    }
}

// Each channel of the input makes several of the output.
TEST_P(DwconvTiles, ChannelMultipliers) {
    Random random(2);
    for (const size_t channels : {1, 2, 3, 5, 8}) {
        for (size_t multiplier = 1; multiplier <= (tile.any_multiplier ? 5u : 1u); ++multiplier) {
            check(make_problem(any_shape(random, channels, multiplier), element, random));
        }
    }
}

TEST_P(DwconvTiles, SpecialValuesAndBounds) {
    Random random(3);
    for (size_t i = 0; i < 20 && !HasFailure(); ++i) {
        Problem p = make_problem(any_shape(random, any(random, 1, 9)), element, random, i % 2 == 0);
        p.lo = i % 3 == 0 ? -kInf : -1.5F, p.hi = i % 4 == 0 ? kInf : 1.25F;
        check(p);
    }
}

// Tiles and channels may be computed apart.
TEST_P(DwconvTiles, SameBitsWhateverTheSplit) {
    Random random(4);
    const size_t nr = u.get_nr(), channels = 3 * nr + 1;
    Shape s = any_shape(random, channels);
    s.dst_height = 5, s.dst_width = 17;  // more tiles than are prepared at a time
    const Problem p = make_problem(s, element, random);
    const std::vector<float> expected = run(p);
    const std::vector<float> apart = run(p, 1);
    ASSERT_EQ(std::memcmp(apart.data(), expected.data(), expected.size() * sizeof(float)), 0);

    const Array src(element, p.src), pad(element, std::vector<float>(channels));
    const GuardedBuffer rhs(pack(p)), dst(s.dst_height * s.dst_width * channels * element.size());
    const Tables t = tables_of(s, src.data(), 0, pad.data(), dst.data(), 0);
    const auto get_offset = reinterpret_cast<kai_get_packed_offset_fn*>(u.get_rhs_packed_offset);
    for (const size_t first : {2 * nr, size_t{0}}) {
        Problem part = p;
        part.shape.channels = first == 0 ? 2 * nr : channels - first;
        // src_offset is added to all pixels but the padding, whose first channels are as good as any.
        call(
            part, t, 0, t.tiles, pad.data(), first * element.size(), rhs.data() + get_offset(first, s.taps()),
            first * element.size());
    }
    for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(reference::bits_of(element.load(dst.data() + i * element.size())), reference::bits_of(expected[i]))
            << i;
    }
}

TEST_P(DwconvTiles, Threads) {
    Random random(5);
    Shape s = any_shape(random, u.get_nr() + 1);
    s.height = s.width = 20, s.dst_height = s.dst_width = 9;
    const Problem p = make_problem(s, element, random);
    const Array src(element, p.src), pad(element, std::vector<float>(s.channels));
    const GuardedBuffer rhs(pack(p)), dst(s.dst_height * s.dst_width * s.channels * element.size());
    const Tables t = tables_of(s, src.data(), 0, pad.data(), dst.data(), 0);
    test::in_threads(t.tiles, [&](size_t i) { call(p, t, i, 1, pad.data(), 0, rhs.data(), 0); });
    const std::vector<float> expected = run(p);
    for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(reference::bits_of(element.load(dst.data() + i * element.size())), reference::bits_of(expected[i]))
            << i;
    }
}

TEST_P(DwconvTiles, KeepsTheCallersZa) {
    if (kai_cpu_sme_bytes() == 0) {
        return;  // there is no ZA
    }
    Random random(7);
    Problem p = make_problem(any_shape(random, 5), element, random);
    const test::LiveZa live_za;
    check(p);
}

TEST_P(DwconvTiles, Facts) {
    EXPECT_EQ(u.get_m_step(), tile.height * tile.width);
    EXPECT_EQ(u.get_n_step(), u.get_nr());
    EXPECT_EQ(any_filter, tile.stride == 0);
    const size_t nr = u.get_nr(), many = size_t{1} << 36;
    const auto get_offset = reinterpret_cast<kai_get_packed_offset_fn*>(u.get_rhs_packed_offset);
    EXPECT_EQ(get_offset(3 * nr, 9), 3 * nr * 10 * element.size());
    EXPECT_EQ(get_offset(many, 9), many * 10 * element.size());
    kai_ukernel copy = u;
    EXPECT_EQ(kai_registry_dwconv_tile(&copy), &tile);
}

/// An int8 image and filter; outputs are requantised.
struct Int8Problem {
    Shape shape;
    std::vector<int8_t> src, filter;
    std::vector<int32_t> bias;
    std::vector<float> scale;
    kai_rhs_pack_qsi8cx_params pack;
    kai_matmul_requantize32_params to;
};

/// From the text of the family's header, in 64 bits and double: sums are far from 2^31, scales have few bits.
std::vector<int8_t> reference_of(const Int8Problem& p) {
    const Shape& s = p.shape;
    std::vector<int8_t> dst;
    for (size_t i = 0; i < s.dst_height * s.dst_width * s.channels; ++i) {
        const size_t c = i % s.channels, x = i / s.channels % s.dst_width, y = i / s.channels / s.dst_width;
        int64_t sum = p.bias[c];
        for (size_t t = 0; t < s.taps(); ++t) {
            const size_t pixel = s.pixel(y, x, t / s.filter_width, t % s.filter_width);
            const int64_t value =
                pixel == SIZE_MAX ? p.pack.lhs_zero_point : p.src[pixel * s.src_channels() + c / s.multiplier];
            sum += (value - p.pack.lhs_zero_point) * p.filter[t * s.channels + c];
        }
        const double scaled = static_cast<double>(static_cast<float>(sum) * (p.scale[c] * p.pack.scale_multiplier));
        const double result = std::nearbyint(scaled) + p.to.output_zero_point;
        const int64_t lo = std::max(p.to.min_value, -128), hi = std::min(p.to.max_value, 127);
        dst.push_back(
            static_cast<int8_t>(std::min(std::max(result, static_cast<double>(lo)), static_cast<double>(hi))));
    }
    return dst;
}

class DwconvTilesInt8 : public TilesTest {
protected:
    static std::vector<int8_t> bytes_of(size_t count, Random& random) {
        std::vector<int8_t> values(count);
        for (int8_t& x : values) {  // every fourth is the largest or least
            const int limit = random.integer(0, 1) == 0 ? -128 : 127;
            x = static_cast<int8_t>(random.integer(0, 3) == 0 ? limit : random.integer(-128, 127));
        }
        return values;
    }
    static Int8Problem make_problem(const Shape& s, Random& random) {
        Int8Problem p = {s,
                         bytes_of(s.height * s.width * s.src_channels(), random),
                         bytes_of(s.taps() * s.channels, random),
                         {},
                         {},
                         {},
                         {}};
        for (size_t c = 0; c < s.channels; ++c) {
            p.bias.push_back(random.integer(-20000, 20000));
            p.scale.push_back(static_cast<float>(random.integer(1, 7)) * 0x1p-10F);  // of large sums: they saturate
        }
        p.pack = {random.integer(-128, 127), 0.5F};
        p.to = {random.integer(-200, 0), random.integer(0, 200), random.integer(-128, 127)};
        return p;
    }
    static GuardedBuffer guarded(const void* data, size_t size, Flush flush) {
        const auto* first = static_cast<const uint8_t*>(data);
        return GuardedBuffer(std::vector<uint8_t>(first, first + size), flush);
    }
    std::vector<uint8_t> pack(const Int8Problem& p) const {
        const Shape& s = p.shape;
        const kai_packer* packer = kai_registry_rhs_packer(&u, 0);
        const GuardedBuffer filter(guarded(p.filter.data(), p.filter.size(), Flush::end));
        const GuardedBuffer packed(reinterpret_cast<kai_get_rhs_dwconv_size_fn*>(packer->get_packed_size)(
            s.filter_height, s.filter_width, s.channels));
        reinterpret_cast<kai_run_rhs_dwconv_pack_qs8cx_i32_fn*>(packer->run)(
            s.filter_height, s.filter_width, s.channels, filter.data(), p.bias.data(), p.scale.data(), packed.data(),
            &p.pack);
        return packed.bytes();
    }
    std::vector<int8_t> run(const Int8Problem& p, size_t step, Flush flush) const {
        const Shape& s = p.shape;
        constexpr size_t kSrcOffset = size_t{7} << 40, kDstOffset = size_t{5} << 40;  // no other pointer is pad
        const GuardedBuffer src(guarded(p.src.data(), p.src.size(), flush)), rhs(pack(p), flush);
        const GuardedBuffer pad(s.src_channels(), flush, static_cast<uint8_t>(p.pack.lhs_zero_point));
        const GuardedBuffer dst(s.dst_height * s.dst_width * s.channels, flush);
        const Tables t = tables_of(s, src.data(), kSrcOffset, pad.data(), dst.data(), kDstOffset);
        for (size_t i = 0; i < t.tiles; i += step) {
            test::checked_call_as<kai_run_dwconv_tiles_qai8_fn>(
                test::run_of(u), std::min(step, t.tiles - i), s.channels, s.taps(), s.multiplier,
                t.src.data() + i * t.pixels, static_cast<const void*>(pad.data()), kSrcOffset,
                static_cast<const void*>(rhs.data()), t.dst.data() + i * u.get_m_step(), kDstOffset, &p.to);
        }
        const std::vector<uint8_t> result = dst.bytes();
        return {result.begin(), result.end()};
    }
    void check(const Int8Problem& p, size_t step = SIZE_MAX, Flush flush = Flush::end) const {
        SCOPED_TRACE(testing::Message() << p.shape);
        const std::vector<int8_t> actual = run(p, std::min(step, p.shape.dst_height * 9), flush);
        EXPECT_EQ(actual, reference_of(p));
    }
};

TEST_P(DwconvTilesInt8, ChannelsAndPadding) {
    Random random(6);
    for (const size_t channels :
         {size_t{1}, size_t{2}, size_t{7}, size_t{15}, size_t{16}, size_t{17}, size_t{50}, u.get_nr() + 1}) {
        for (size_t i = 0; i < 6 && !HasFailure(); ++i) {
            check(
                make_problem(any_shape(random, channels), random), any(random, 1, 9),
                i % 2 == 0 ? Flush::end : Flush::start);
        }
    }
}

TEST_P(DwconvTilesInt8, ChannelMultipliers) {
    Random random(7);
    for (const size_t channels : {1, 3, 8, 9}) {
        for (size_t multiplier = 1; multiplier <= (tile.any_multiplier ? 5u : 1u); ++multiplier) {
            check(make_problem(any_shape(random, channels, multiplier), random));
        }
    }
}

// Two products of -128 and -128 do not fit into 16 bits; those of -128 and -127 do.
TEST_P(DwconvTilesInt8, ProductsOfTheLeastNumbers) {
    Random random(13);
    for (const int least : {-128, -127}) {
        for (const size_t channels : {1, 16, 35}) {
            Int8Problem p = make_problem(any_shape(random, channels), random);
            std::fill(p.src.begin(), p.src.end(), int8_t{-128});
            for (size_t i = 0; i < p.filter.size(); ++i) {
                p.filter[i] = static_cast<int8_t>(random.integer(0, 3) != 0 ? least : 127);
            }
            check(p);
            std::fill(p.filter.begin(), p.filter.end(), int8_t{-127});
            std::fill_n(p.filter.end() - std::min<ptrdiff_t>(p.filter.size(), 2 * channels), channels, int8_t{-128});
            check(p);
        }
    }
}

// Halves are rounded to even; infinite and large products saturate.
TEST_P(DwconvTilesInt8, TiesAndLargeScales) {
    Random random(8);
    for (const float scale : {0.5F, 0x1p-6F, 0x1p20F, 0x1p100F, -0x1p-7F}) {
        Int8Problem p = make_problem(any_shape(random, 19), random);
        std::fill(p.scale.begin(), p.scale.end(), scale);
        p.pack.scale_multiplier = 1;
        check(p);
    }
}

TEST_P(DwconvTilesInt8, KeepsTheCallersZa) {
    if (kai_cpu_sme_bytes() == 0) {
        return;  // there is no ZA
    }
    Random random(7);
    const Int8Problem p = make_problem(any_shape(random, 5), random);
    const test::LiveZa live_za;
    check(p);
}

TEST_P(DwconvTilesInt8, Facts) {
    const size_t many = size_t{1} << 36, width = (tile.filter_width + u.get_kr() - 1) / u.get_kr() * u.get_kr();
    const auto get_offset = reinterpret_cast<kai_get_packed_offset_fn*>(u.get_rhs_packed_offset);
    EXPECT_EQ(get_offset(many, tile.filter_height * tile.filter_width), many * (8 + tile.filter_height * width));
    EXPECT_EQ(u.get_m_step(), tile.height * tile.width);
    Random random(9);
    const size_t nr = u.get_nr();
    const Int8Problem p = make_problem({1, 1, 2 * nr + 1, 1, 3, 3, 1, 1, 1, 1, 0, 0, 1, 1}, random);
    if (tile.filter_height % 3 == 0) {
        EXPECT_EQ(get_offset(3 * nr, 9), pack(p).size());
    }
}

/// Packed filters, byte by byte.
class DwconvPackInt8 : public testing::TestWithParam<const kai_packer*> {
protected:
    const kai_packer& p = *GetParam();
    const bool sme = std::strstr(p.name, "_sme") != nullptr;
    const size_t nr = sme ? kai_cpu_sme_bytes() : 16, kr = p.accepts(nr, 1, 1) ? 1 : 4;

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(p);
        EXPECT_TRUE(p.accepts(nr, kr, 1));
        EXPECT_FALSE(p.accepts(8, kr, 1));
    }
    /// From the text of kai_rhs_dwconv_pack.h.
    std::vector<uint8_t> expected_of(
        const Shape& s, const int8_t* filter, const int32_t* bias, const float* scale,
        const kai_rhs_pack_qsi8cx_params& params) const {
        const size_t groups = (s.filter_width + kr - 1) / kr, panel = nr * (8 + s.filter_height * groups * kr);
        std::vector<uint8_t> packed((s.channels + nr - 1) / nr * panel);
        for (size_t c = 0; c < s.channels; ++c) {
            uint8_t* const at = &packed[c / nr * panel];
            int32_t start = bias == nullptr ? 0 : bias[c];
            for (size_t t = 0; t < s.taps(); ++t) {
                const size_t y = t / s.filter_width, x = t % s.filter_width;
                start -= params.lhs_zero_point * filter[t * s.channels + c];
                at[4 * nr + ((y * groups + x / kr) * nr + c % nr) * kr + x % kr] =
                    static_cast<uint8_t>(filter[t * s.channels + c]);
            }
            const float product = scale[c] * params.scale_multiplier;
            std::memcpy(at + c % nr * 4, &start, sizeof(start));
            std::memcpy(at + panel - 4 * nr + c % nr * 4, &product, sizeof(product));
        }
        return packed;
    }
    void check(size_t height, size_t width, size_t channels, bool has_bias, Random& random, Flush flush = Flush::end) {
        SCOPED_TRACE(testing::Message() << height << " x " << width << " x " << channels << ", bias " << has_bias);
        const Shape s = {0, 0, channels, 1, height, width, 1, 1, 1, 1, 0, 0, 0, 0};
        const GuardedBuffer rhs(s.taps() * channels, flush), bias(4 * channels, flush), scale(4 * channels, flush);
        for (size_t i = 0; i < rhs.size(); ++i) {
            rhs.data()[i] = static_cast<uint8_t>(random.integer(0, 255));
        }
        for (size_t c = 0; c < channels; ++c) {
            bias.as<int32_t>()[c] = random.integer(-100000, 100000);
            scale.as<float>()[c] = static_cast<float>(random.integer(1, 99));
        }
        const kai_rhs_pack_qsi8cx_params params = {random.integer(-128, 127), 0.125F};
        const int32_t* const starts = has_bias ? bias.as<int32_t>() : nullptr;
        const std::vector<uint8_t> expected = expected_of(s, rhs.as<int8_t>(), starts, scale.as<float>(), params);
        const GuardedBuffer packed(expected.size(), flush);
        EXPECT_EQ(
            test::checked_call_as<kai_get_rhs_dwconv_size_fn>(p.get_packed_size, height, width, channels),
            expected.size());
        test::checked_call_as<kai_run_rhs_dwconv_pack_qs8cx_i32_fn>(
            test::run_of(p), height, width, channels, static_cast<const void*>(rhs.data()),
            static_cast<const void*>(starts), static_cast<const void*>(scale.data()), static_cast<void*>(packed.data()),
            &params);
        EXPECT_EQ(packed.bytes(), expected);
    }
};

TEST_P(DwconvPackInt8, Filters) {
    Random random(10);
    for (const auto& [height, width] : {std::pair<size_t, size_t>{3, 3}, {1, 1}, {5, 5}, {7, 4}, {2, 7}}) {
        for (const size_t channels : {size_t{1}, size_t{15}, size_t{16}, size_t{17}, nr, nr + 1}) {
            check(height, width, channels, channels % 2 != 0, random, channels > 15 ? Flush::end : Flush::start);
        }
    }
    check(3, 3, 16, false, random);
}

TEST_P(DwconvPackInt8, SizesBeyond32Bits) {
    const size_t many = size_t{1} << 36, row = kr == 1 ? 3 : 4;
    EXPECT_EQ(
        test::checked_call_as<kai_get_rhs_dwconv_size_fn>(p.get_packed_size, size_t{3}, size_t{3}, many),
        many * (8 + 3 * row));
}

// Products of scales are exact here.
TEST_P(DwconvPackInt8, FpcrModes) {
    Random random(11);
    for (const uint64_t mode : {test::kFlushToZero | test::kDefaultNan, uint64_t{test::kRoundUp}}) {
        const test::FpcrMode fpcr(mode);
        check(3, 3, 33, true, random);
    }
}

TEST_P(DwconvPackInt8, KeepsTheCallersZa) {
    if (kai_cpu_sme_bytes() == 0) {
        return;  // there is no ZA
    }
    Random random(12);
    const test::LiveZa live_za;
    check(3, 3, 17, true, random);
}

std::vector<const kai_packer*> packers_of_int8() {
    std::vector<const kai_packer*> all = test::all_packers();
    const auto is_other = [](const kai_packer* p) { return p->signature != KAI_RHS_DWCONV_PACK_QS8CX_I32; };
    all.erase(std::remove_if(all.begin(), all.end(), is_other), all.end());
    return all;
}

INSTANTIATE_TEST_SUITE_P(
    Packers, DwconvPackInt8, testing::ValuesIn(packers_of_int8()), test::instance_name<kai_packer>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DwconvPackInt8);

TEST(DwconvTile, OthersHaveNone) {
    for (const kai_ukernel* u : test::all_ukernels()) {
        EXPECT_EQ(
            kai_registry_dwconv_tile(u) != nullptr,
            u->signature == KAI_UKERNEL_DWCONV_TILES || u->signature == KAI_UKERNEL_DWCONV_TILES_QAI8)
            << u->name;
    }
}

std::vector<const kai_ukernel*> of_signature(kai_ukernel_signature signature) {
    std::vector<const kai_ukernel*> all = test::all_ukernels();
    const auto is_other = [&](const kai_ukernel* u) { return u->signature != signature; };
    all.erase(std::remove_if(all.begin(), all.end(), is_other), all.end());
    return all;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, DwconvTiles, testing::ValuesIn(of_signature(KAI_UKERNEL_DWCONV_TILES)), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DwconvTiles);
INSTANTIATE_TEST_SUITE_P(
    Kernels, DwconvTilesInt8, testing::ValuesIn(of_signature(KAI_UKERNEL_DWCONV_TILES_QAI8)),
    test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DwconvTilesInt8);

}  // namespace
