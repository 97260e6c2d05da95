// Every micro-kernel of the registry against the reference. Operands are packed by the reference, so that kernels are
// tested apart from the packers; one test goes through the library's packers.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>
#include <set>

#include "kai/call.hpp"
#include "kai/kai_call.h"
#include "kai/kai_registry.h"
#include "kai/ukernels/matmul/kai_matmul.h"
#include "test/reference/float16.hpp"
#include "test/reference/formats.hpp"
#include "test/reference/matmul.hpp"
#include "test/reference/quantise.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/library_build.hpp"
#include "test/support/operands.hpp"
#include "test/support/packing.hpp"
#include "test/support/sparse_buffer.hpp"
#include "test/support/subject.hpp"
#include "test/support/threads.hpp"

using reference::Format;
using reference::Side;
using reference::Tile;
using test::checked_call;
using test::Chunks;
using test::Data;
using test::Flush;
using test::GuardedBuffer;
using test::Random;
using test::SparseBuffer;

namespace {

constexpr float kMax = FLT_MAX, kInf = INFINITY;
constexpr uint8_t kNan = 0xFF;  // dst before the call: NaN in every type
constexpr uint8_t kGap = 0x5A;  // between rows of dst

struct Clamp {
    float lo = -kInf, hi = kInf;
};

/// How the output lies in memory.
struct Output {
    size_t gap = 0;  // elements between the rows
    Flush flush = Flush::end;
};

constexpr int32_t kZeroPoint = -7;  // of int8 results

/// Bytes of numbers.
template <typename T, typename U>
std::vector<uint8_t> bytes_as(const std::vector<U>& numbers) {
    std::vector<uint8_t> bytes(numbers.size() * sizeof(T));
    for (size_t i = 0; i < numbers.size(); ++i) {
        const T x = static_cast<T>(numbers[i]);
        std::memcpy(&bytes[i * sizeof(T)], &x, sizeof(T));
    }
    return bytes;
}

/// What a kernel reads, each in a buffer of its exact size.
struct Operands {
    size_t m, n, k, bl;
    GuardedBuffer lhs, rhs, table;
    size_t lhs_stride = 0, rhs_stride = 0;   // of rows that are not packed
    GuardedBuffer chunks, padding;           // of indirect kernels without packed LHS: lhs is the table of pointers
    GuardedBuffer bias_m, bias_n, offset_n;  // of unsigned kernels
    GuardedBuffer multiplier, shift;         // of low precision
    float scale = 0;

    /// From the rows of two sides, packed by the reference.
    Operands(
        const Format& lhs_format, const Side& l, Tile lhs_tile, const Format& rhs_format, const Side& r, Tile rhs_tile,
        Flush flush)
        : Operands(
              l, r, reference::pack_for_kernel(lhs_format, l, lhs_tile),
              reference::pack_for_kernel(rhs_format, r, rhs_tile), flush) {
        lhs_stride = lhs_format.line(m, k);
        rhs_stride = rhs_format.line(n, k);
    }
    Operands(
        const Side& l, const Side& r, const std::vector<uint8_t>& packed_lhs, const std::vector<uint8_t>& packed_rhs,
        Flush flush = Flush::end)
        : m(l.rows),
          n(r.rows),
          k(r.k),
          bl(r.bl),
          lhs(packed_lhs, flush),
          rhs(packed_rhs, flush),
          table(bytes_as<int32_t>(r.table == kDefaultTable ? std::vector<int32_t>() : r.table), flush),
          chunks(0),
          padding(0),
          bias_m(bytes_as<int32_t>(l.bias), flush),
          bias_n(l.is_unsigned || !r.multiplier.empty() ? bytes_as<int32_t>(r.bias) : std::vector<uint8_t>(), flush),
          offset_n(l.is_unsigned ? bytes_as<float>(r.offset) : std::vector<uint8_t>(), flush),
          multiplier(bytes_as<int32_t>(r.multiplier), flush),
          shift(bytes_as<int32_t>(r.shift), flush),
          scale(l.is_unsigned ? l.scale.empty() ? 1.0f : l.scale[0] : 0.0f) {
    }
    /// Rows by a table of pointers in groups of `group` rows: chunks of zeros are the padding, pointers to the others
    /// lack kPointerOffset, those of missing rows are poison.
    Operands(const Side& l, const Side& r, size_t group, const std::vector<uint8_t>& packed_rhs, Flush flush)
        : m(l.rows),
          n(r.rows),
          k(l.k),
          bl(0),
          lhs(((l.rows + group - 1) / group * group) * Chunks(l.k).count * sizeof(void*), flush, 0x5B),
          rhs(packed_rhs, flush),
          table(0),
          chunks(bytes_as<float>(l.values), flush),
          padding(Chunks(l.k).length * sizeof(float), Flush::end, 0),
          bias_m(0),
          bias_n(0),
          offset_n(0),
          multiplier(0),
          shift(0) {
        const Chunks c(k);
        for (size_t row = 0; row < m; ++row) {
            for (size_t chunk = 0; chunk < c.count; ++chunk) {
                const float* from = l.values.data() + row * k + chunk * c.length;
                const bool zeros = std::all_of(from, from + c.length, [](float x) { return x == 0; });
                const uintptr_t address = reinterpret_cast<uintptr_t>(chunks.data()) +
                                          (row * k + chunk * c.length) * sizeof(float) - kPointerOffset;
                lhs.as<uintptr_t>()[row / group * group * c.count + chunk * group + row % group] =
                    zeros ? reinterpret_cast<uintptr_t>(padding.data()) : address;
            }
        }
    }
    static constexpr uintptr_t kPointerOffset = 0x1234567800012340;

private:
    /// The table that kernels use if none is given.
    static inline const std::vector<int32_t> kDefaultTable = {-2, -1, 0, 1};
};

class Matmul : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const bool has_blocks = kai::has_blocks(u), lhs_has_blocks = kai::lhs_has_blocks(u), has_table = kai::has_lut(u);
    const size_t element = kai_get_datatype_size_in_bytes(u.dst_type);
    const Format *lhs_format = reference::find_format(u.lhs_format), *rhs_format = reference::find_format(u.rhs_format);
    Tile lhs_tile, rhs_tile;
    size_t m_step, n_step;
    const bool one_row = u.rows == KAI_ROWS_ONE;  // m must be 0 or 1
    const bool indirect = kai::is_indirect(u), by_pointers = kai::takes_pointers(u), unified = kai::is_unified(u);
    const bool takes_lhs_rows = kai::takes<&kai::KernelArgs::lhs_stride>(u);
    const bool low_precision = kai::takes<&kai::KernelArgs::lowp>(u);
    const bool has_unsigned = std::strstr(u.name, "_u8p") != nullptr;
    const bool integer_dst = u.dst_type == kai_dt_int8 || u.dst_type == kai_dt_uint8 || u.dst_type == kai_dt_int32;
    const bool clamps = u.dst_type != kai_dt_int32;
    kai_matmul_uker_api api = {};
    reference::Arithmetic arithmetic;

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
        ASSERT_TRUE(lhs_format != nullptr && rhs_format != nullptr)
            << "test/reference/formats.cpp lacks a format of this kernel";
        ASSERT_NE(u.dst_type, kai_dt_unknown) << "no reference for this type of result";
        lhs_tile = {u.get_mr(), u.get_kr(), u.get_sr()};
        if (!lhs_format->packed) {
            lhs_tile = {1, 1, 1};
        }
        rhs_tile = {u.get_nr(), u.get_kr(), u.get_sr()};
        m_step = u.get_m_step();
        n_step = u.get_n_step();
        arithmetic.type = u.dst_type;
        arithmetic.zero_point = u.dst_type == kai_dt_int8 ? kZeroPoint : 0;
        if (low_precision) {
            arithmetic.low_precision = u.dst_type == kai_dt_uint8 ? reference::LowPrecision{false, -131, -121, 117}
                                                                  : reference::LowPrecision{false, 3, -7, -11};
        }
        const bool neon_or_portable = std::strstr(u.name, "_neon_mla") != nullptr ||
                                      (u.features == 0 && std::strstr(u.name, "_f16_f16_f16p") != nullptr);
        if (u.dst_type == kai_dt_f16 && (neon_or_portable || u.signature == KAI_UKERNEL_MATMUL_PLAIN)) {  // sums in f16
            arithmetic.unit = 0x1p-11;
            arithmetic.smallest = 0x1p-24;
        } else if (rhs_format->element == Format::bf16) {
            arithmetic.unit = 0x1p-23;
            arithmetic.smallest = 0x1p-126;
            arithmetic.flushes = true;
        }
        if (unified) {
            api = kai::api_of(u);
        }
    }

    reference::Expected expected(const Side& lhs, const Side& rhs) const {
        return reference::matmul(lhs, rhs, arithmetic);
    }
    /// For results that are integers.
    Clamp whole(Clamp c) const {
        return integer_dst ? Clamp{std::ceil(c.lo), std::max(std::ceil(c.lo), std::floor(c.hi))} : c;
    }

    /// Of blocks: the only one that the format has.
    size_t length(size_t bl) const {
        return rhs_format->only_bl != 0 ? rhs_format->only_bl : bl;
    }
    /// Shape and depth, for the function and its getters.
    kai::KernelArgs args_of(size_t m, size_t n, size_t k, size_t bl, size_t index = 0) const {
        kai::KernelArgs a = {};
        a.m = m, a.n = n, a.bl = length(bl);
        kai::set_depth(a, k, Chunks(k).count);
        a.index = index;
        return a;
    }
    size_t lhs_offset(size_t m_idx, size_t k, size_t bl) {
        kai::KernelArgs a = args_of(m_idx, 0, k, bl, m_idx);
        a.lhs_stride = unified ? 0 : k * lhs_format->bits() / 8;
        return kai::lhs_offset(u, a, test::Checked{});
    }
    size_t rhs_offset(size_t n_idx, size_t k, size_t bl) {
        kai::KernelArgs a = args_of(0, n_idx, k, bl, n_idx);
        a.rhs_stride = rhs_format->packed ? 0 : rhs_format->kxn ? k * rhs_format->bits() / 8 : rhs_format->line(1, k);
        return kai::rhs_offset(u, a, test::Checked{});
    }
    /// From one panel of the RHS to the next, or from one of its columns that are not packed.
    size_t rhs_panel_stride(size_t stored, size_t bl) const {
        return rhs_format->kxn ? rhs_format->bits() / 8
                               : rhs_format->stride(
                                     {rhs_tile.rows, rhs_tile.kr, rhs_tile.sr, stored,
                                      rhs_format->block != 0 ? rhs_format->block : bl});
    }
    /// Length of a block of the LHS, also where no function asks for it.
    size_t lhs_block(size_t bl) const {
        return lhs_format->blocks && bl == 0 ? rhs_format->block : bl;
    }
    /// Columns from one offset that may be asked for to the next.
    size_t rhs_panel() const {
        return rhs_format->packed ? rhs_tile.rows : n_step;
    }
    size_t dst_offset(size_t m_idx, size_t n_idx, size_t stride) {
        return kai::dst_offset(u, m_idx, n_idx, stride, test::Checked{});
    }

    /// A bound of int8 results, which saturate whatever it is.
    static int32_t whole_bound(float bound) {
        return static_cast<int32_t>(std::max(-1e9f, std::min(bound, 1e9f)));
    }

    /// How int8 results come about: with these parameters, if set, otherwise with the usual zero point.
    std::optional<kai_matmul_requantize32_params> exact_params;
    kai_matmul_requantize32_params requantising(Clamp c) const {
        return exact_params.value_or(kai_matmul_requantize32_params{whole_bound(c.lo), whole_bound(c.hi), kZeroPoint});
    }

    /// Column n_idx is the first one.
    kai_matmul_lowp_params lowp_params(const Operands& o, Clamp c, size_t n_idx = 0) const {
        const reference::LowPrecision& p = *arithmetic.low_precision;
        kai_matmul_lowp_params params = {};
        params.pipeline = p.legacy ? KAI_LOWP_LEGACY : KAI_LOWP_FIXED_POINT;
        params.lhs_offset = p.lhs_offset, params.rhs_offset = p.rhs_offset, params.result_offset = p.result_offset;
        params.bias = o.bias_n.size() == 0 ? nullptr : o.bias_n.as<int32_t>() + n_idx;
        params.multiplier = o.multiplier.as<int32_t>() + n_idx, params.shift = o.shift.as<int32_t>() + n_idx;
        params.per_channel = true;
        params.min_value = whole_bound(c.lo), params.max_value = whole_bound(c.hi);
        return params;
    }

    /// m_idx, n_idx: where the call begins, for vectors of biases.
    void call(
        size_t m, size_t n, const Operands& o, const uint8_t* lhs, const uint8_t* rhs, uint8_t* dst, size_t stride,
        Clamp c, size_t m_idx = 0, size_t n_idx = 0) {
        const kai_matmul_requantize32_params requantize = requantising(c);
        kai::KernelArgs a = args_of(m, n, o.k, o.bl);
        a.lhs = lhs, a.rhs = rhs, a.dst = dst;
        a.lhs_stride = unified ? panel_stride : o.lhs_stride;
        a.rhs_stride = rhs_format->packed ? panel_stride : o.rhs_stride;
        a.dst_stride_row = stride, a.dst_stride_col = element;
        a.pad_ptr = o.padding.data(), a.lhs_ptr_offset = Operands::kPointerOffset;
        a.lut = o.table.size() == 0 ? nullptr : o.table.as<int32_t>();
        a.clamp = c.lo > -kInf || c.hi < kInf || exact_params;
        a.clamp_min = c.lo, a.clamp_max = c.hi;
        a.requantize = &requantize;
        if (has_unsigned) {
            a.acc_bias_m = o.bias_m.size() == 0 ? nullptr : o.bias_m.as<int32_t>() + m_idx;
            a.acc_bias_n = o.bias_n.size() == 0 ? nullptr : o.bias_n.as<int32_t>() + n_idx;
            a.scale_bias_n = o.offset_n.size() == 0 ? nullptr : o.offset_n.as<float>() + n_idx;
            a.acc_scale = &o.scale;
        }
        kai_matmul_lowp_params lowp = {};
        if (low_precision) {
            lowp = lowp_params(o, c, n_idx);
            a.lowp = &lowp;
        }
        kai::run(u, a, test::Checked{}, test::substitute_of(u));
    }

    /// Of both operands of the unified API; 0: the dense ones.
    size_t panel_stride = 0;

    Operands packed(const Side& lhs, const Side& rhs, Flush flush = Flush::end) {
        if (!indirect) {
            return {*lhs_format, lhs, lhs_tile, *rhs_format, rhs, rhs_tile, flush};
        }
        const size_t count = Chunks(rhs.k).count, group = rhs_tile.kr / rhs_tile.sr;
        const Side padded_rhs = reference::with_padded_chunks(rhs, count, group);
        const std::vector<uint8_t> r = reference::pack_for_kernel(*rhs_format, padded_rhs, rhs_tile);
        if (by_pointers) {
            return {lhs, rhs, m_step, r, flush};
        }
        const Side padded_lhs = reference::with_padded_chunks(lhs, count, group);
        return {lhs, rhs, reference::pack_for_kernel(*lhs_format, padded_lhs, lhs_tile), r, flush};
    }

    /// A dense output.
    std::vector<float> floats_of(const GuardedBuffer& dst) const {
        std::vector<float> floats;
        for (size_t at = 0; at < dst.size(); at += element) {
            floats.push_back(reference::load(dst.data() + at, u.dst_type));
        }
        return floats;
    }

    /// The product of all rows of both sides in one call, dense.
    std::vector<float> run(const Side& lhs, const Side& rhs, Clamp clamp = {}, Output output = {}) {
        return run(packed(lhs, rhs, output.flush), clamp, output);
    }

    std::vector<float> run(const Operands& o, Clamp clamp = {}, Output output = {}) {
        const size_t m = o.m, n = o.n, row = n + output.gap;
        const GuardedBuffer dst(m == 0 || n == 0 ? 0 : ((m - 1) * row + n) * element, output.flush, kNan);
        for (size_t i = 0; i + 1 < m && n > 0; ++i) {
            std::memset(dst.data() + (i * row + n) * element, kGap, output.gap * element);
        }
        call(m, n, o, o.lhs.data(), o.rhs.data(), dst.data(), row * element, clamp);
        std::vector<float> dense;
        for (size_t i = 0; i < m && n > 0; ++i) {
            const uint8_t* from = dst.data() + i * row * element;
            for (size_t j = 0; j < n; ++j) {
                dense.push_back(reference::load(from + j * element, u.dst_type));
            }
            for (size_t j = n * element; j < row * element && i + 1 < m; ++j) {
                EXPECT_EQ(from[j], kGap) << "between rows " << i << " and " << i + 1;
            }
        }
        return dense;
    }

    /// Runs and compares with the reference.
    std::vector<float> check(const Side& lhs, const Side& rhs, Clamp clamp = {}, Output output = {}) {
        const std::vector<float> dst = run(lhs, rhs, clamp, output);
        EXPECT_EQ(reference::compare(expected(lhs, rhs), dst, lhs.rows, rhs.rows, clamp.lo, clamp.hi, u.dst_type), "")
            << "m " << lhs.rows << ", n " << rhs.rows << ", k " << lhs.k << ", bl " << rhs.bl;
        return dst;
    }

    /// For operands whose every intermediate result is exact: to the last bit.
    void check_exactly(const Side& lhs, const Side& rhs, Output output = {}) {
        std::vector<float> want;
        for (const double value : expected(lhs, rhs).value) {
            want.push_back(reference::rounded(value, u.dst_type));
        }
        EXPECT_EQ(run(lhs, rhs, {}, output), want)
            << "m " << lhs.rows << ", n " << rhs.rows << ", k " << lhs.k << ", bl " << rhs.bl;
    }

    /// The same with products of zero: no scales, zero points and sums; values of zero where there are no scales.
    static Side zero(Side side) {
        std::fill(side.values.begin(), side.values.end(), 0.0f);
        std::fill(side.scale.begin(), side.scale.end(), 0.0f);
        std::fill(side.offset.begin(), side.offset.end(), 0.0f);
        std::fill(side.sum.begin(), side.sum.end(), 0.0f);
        std::fill(side.min_scale.begin(), side.min_scale.end(), 0.0f);
        return side;
    }
    /// Operands whose every intermediate result is exact, with bounds around +-`largest`, by default the largest
    /// result.
    void check_clamps(const Side& lhs, const Side& rhs, float largest = 0);

    Side make_lhs(Data data, size_t m, size_t k, size_t bl, uint64_t seed = 1) {
        bl = length(bl);
        Random random(seed);
        Side side = test::make_side(*lhs_format, data, m, k, lhs_block(bl), random);
        if (has_unsigned) {
            make_unsigned(side, data);
            side.bias = biases(m, random);
            side.scale.assign(m, 0.125f);  // of all rows
        }
        if (by_pointers && k > 0) {  // some chunks are padding
            const Chunks c(k);
            for (size_t i = 2; i < m; i += 3) {
                std::fill_n(side.values.begin() + i * k + i % c.count * c.length, c.length, 0.0f);
            }
        }
        return side;
    }
    static void make_unsigned(Side& side, Data data) {
        side.is_unsigned = true;
        for (int8_t& q : side.q) {
            q = data == Data::exact ? q & 3 : q;
        }
    }
    /// Biases and scales by which most results fit their type; with extreme data any.
    static void add_requantisation(Side& side, Data data, Random& random) {
        constexpr int32_t kMultipliers[] = {INT32_MIN, INT32_MAX, 0, 1, -1, 1 << 30};
        constexpr int32_t kShifts[] = {0, 31, -31, 1, -1};
        for (size_t i = 0; i < side.rows; ++i) {
            const bool extreme = data == Data::extreme;
            side.bias.push_back(static_cast<float>(random.integer(-1000, 1000)));
            side.multiplier.push_back(extreme ? kMultipliers[i % 6] : random.integer(1 << 30, INT32_MAX));
            side.shift.push_back(
                extreme               ? kShifts[i % 5]
                : data == Data::exact ? random.integer(-5, 0)
                                      : random.integer(-12, -8));
        }
    }
    static std::vector<float> biases(size_t count, Random& random) {
        std::vector<float> biases(count);
        for (float& bias : biases) {
            bias = static_cast<float>(random.integer(-1000, 1000));
        }
        return biases;
    }
    Side make_rhs(Data data, size_t n, size_t k, size_t bl, uint64_t seed = 2) {
        bl = length(bl);
        Random random(seed);
        Side side = test::make_side(*rhs_format, data, n, k, bl, random);
        if (has_unsigned) {
            make_unsigned(side, data);
            side.bias = biases(n, random);
            if (u.dst_type == kai_dt_f32) {
                side.offset = biases(n, random);
            }
        }
        if (low_precision) {
            add_requantisation(side, data, random);
        }
        if (u.dst_type == kai_dt_int8 && data != Data::extreme) {  // results that do not all saturate
            for (float& scale : side.scale) {
                scale *= data == Data::exact ? 0x1p-2f : 0x1p-9f;
            }
        }
        for (float& scale : side.scale) {  // what the format keeps of it: a quotient may be subnormal
            const float stored = rhs_format->stored_scale;
            scale = reference::as_stored(rhs_format->scale_type, scale * stored) / stored;
        }
        return side;
    }

    /// Values as a format or a source of its type has them.
    static std::vector<float> as_elements(const Format& f, const std::vector<float>& values) {
        return reference::as_source(
            f.element == Format::f16    ? "f16"
            : f.element == Format::bf16 ? "bf16"
                                        : "f32",
            values);
    }
    /// Rows that are not packed.
    Side rows_of_lhs(size_t m, size_t k, size_t bl, std::vector<uint8_t>& bytes) {
        Side side = make_lhs(Data::random, m, k, bl);
        bytes = reference::pack_for_kernel(*lhs_format, side, lhs_tile);
        return side;
    }
    /// What a packer of the library reads, and the side that it makes of it, as it is stored.
    Side lhs_for(const kai_packer& packer, size_t m, size_t k, size_t bl, std::vector<float>& values) {
        Side side;
        if (lhs_format->plain) {
            side = make_lhs(Data::random, m, k, bl);
            values = side.values.empty() ? std::vector<float>(side.q.begin(), side.q.end())
                                         : reference::as_source(packer.source_format, side.values);
            side.values = as_elements(*lhs_format, side.values.empty() ? side.values : values);
            return side;
        }
        Random random(3);
        // Tiny rows must not disturb anything; rows with infinities and NaN are skipped, their quants are unspecified.
        std::vector<float> floats = test::make_floats(m, k, false, random);
        for (size_t i = 0; i < k && m > 2; ++i) {
            floats[k + i] *= 0x1p-125f;
        }
        values = reference::as_source(packer.source_format, floats);
        const reference::Ties ties = reference::ties_of(*lhs_format, packer.name);
        side = reference::lhs_side(*lhs_format, values, m, k, lhs_block(bl), ties, lhs_tile.kr / lhs_tile.sr);
        for (float& scale : side.scale) {
            scale = reference::as_stored(lhs_format->scale_type, scale);
        }
        return side;
    }
    Side rhs_for(const kai_packer& packer, size_t n, size_t k, size_t bl, Side& source) {
        Side side = make_rhs(Data::random, n, k, bl);
        source = side;
        if (rhs_format->is_float()) {
            source.values = reference::as_source(packer.source_format, side.values);
            side.values = as_elements(*rhs_format, source.values);
        }
        if (rhs_format->bias == nullptr) {
            source.bias.clear();  // an argument of the kernel
        }
        return side;
    }
    /// The same where the packer takes the zero point of the LHS.
    static Side as_packed(const kai_packer& packer, const Side& side, const test::RhsSource& source) {
        if (!test::is_requantising(packer)) {
            return side;
        }
        Side packed = test::requantised(side, source.lhs_zero_point, source.scale_multiplier);
        for (size_t i = 0; i < side.rows; ++i) {
            packed.bias[i] += static_cast<float>(static_cast<int32_t>(packed.bias_added[i]));  // exact
        }
        return packed;
    }
    /// Packs by a packer of the library.
    Side pack_lhs(const kai_packer& packer, size_t m, size_t k, size_t bl, std::vector<uint8_t>& bytes) {
        std::vector<float> values;
        const Side side = lhs_for(packer, m, k, bl, values);
        const test::LhsSource source(packer, lhs_tile, values, m, k, 0);
        const GuardedBuffer packed(test::packed_size(packer, lhs_tile, m, k, bl));
        test::run_lhs(packer, lhs_tile, source, 0, m, bl, 0, packed.data());
        bytes = packed.bytes();
        return side;
    }
    Side pack_rhs(const kai_packer& packer, size_t n, size_t k, size_t bl, std::vector<uint8_t>& bytes) {
        Side source_side;
        const Side side = rhs_for(packer, n, k, bl, source_side);
        const test::RhsSource source(packer, source_side, 0);
        const GuardedBuffer packed(test::packed_size(packer, rhs_tile, n, k, bl));
        test::run_rhs(packer, rhs_tile, source, 0, n, packed.data());
        bytes = packed.bytes();
        return as_packed(packer, side, source);
    }

    /// @name kai_call.h, in parts, the last one first
    /// @{
    kai_call call_of(const test::RhsSource& source, const kai_packer& packer, size_t m, size_t n, size_t bl) {
        kai_call c = {};
        c.ukernel = &u;
        c.rhs_packer = &packer;
        c.m = m, c.n = n, c.k = source.k, c.bl = bl;
        c.k_chunk_length = indirect ? Chunks(source.k).length : 0;
        c.rhs = source.data.data();
        c.rhs_stride = kai::has_stride(packer) ? source.stride : 0;
        c.rhs_scale = source.scale.size() != 0 ? source.scale.data() : nullptr;
        c.rhs_scale_stride = source.scale_stride;
        c.rhs_zero = source.zero.data();
        c.rhs_zero_point = source.zero_point;
        c.bias = source.has_bias ? source.bias.data() : nullptr;
        c.lut = source.has_table ? source.table.as<int32_t>() : nullptr, c.table = source.table.as<int8_t>();
        c.lhs_zero_point = source.lhs_zero_point;
        c.scale_multiplier = source.scale_multiplier;
        c.requantize.output_zero_point = kZeroPoint;
        return c;
    }
    void set_lhs(kai_call& c, const kai_packer& packer, const test::LhsSource& source) {
        c.lhs_packer = &packer;
        c.lhs = indirect ? source.table.data() : source.rows;
        c.lhs_stride = source.stride;
        c.lhs_ptr_offset = test::LhsSource::kPointerOffset;
        c.pad_ptr = source.padding.data();
    }
    static void pack_rhs(const kai_call& c, const GuardedBuffer& packed) {
        const size_t nr = test::packs_parts(*c.rhs_packer) ? c.ukernel->get_nr() : c.n;
        for (size_t part = (c.n + nr - 1) / nr; part-- > 0;) {
            kai_call_pack_rhs(&c, part * nr, nr, packed.data());
        }
    }
    static void pack_lhs(const kai_call& c, const GuardedBuffer& packed) {
        const size_t mr = c.ukernel->get_mr();
        for (size_t part = (c.m + mr - 1) / mr; part-- > 0;) {
            kai_call_pack_lhs(&c, part * mr, mr, packed.data());
        }
    }
    std::vector<float> run(kai_call c) {
        constexpr size_t kGapElements = 3;
        c.dst_stride = (c.n + kGapElements) * element;
        const GuardedBuffer dst((c.m - 1) * c.dst_stride + c.n * element, Flush::end, kNan);
        c.dst = dst.data();
        for (size_t i = (c.m + m_step - 1) / m_step; i-- > 0;) {
            for (size_t j = (c.n + n_step - 1) / n_step; j-- > 0;) {
                kai_call_run(&c, i * m_step, j * n_step, m_step, n_step);
            }
        }
        std::vector<float> dense;
        for (size_t i = 0; i < c.m; ++i) {
            for (size_t j = 0; j < c.n; ++j) {
                dense.push_back(reference::load(dst.data() + i * c.dst_stride + j * element, u.dst_type));
            }
        }
        return dense;
    }
    /// @}

    struct Depth {
        size_t k, bl;
    };
    /// Outer products of whole panels whatever m and n are, so large that an emulator takes long: less depth, since
    /// that is the same code at every vector length.
    bool wide() const {
        return m_step * n_step >= 4096;
    }
    std::vector<Depth> depths() const {
        if (has_blocks && lhs_format->plain) {
            return {{0, 32}, {32, 32}, {64, 32}, {96, 32}, {64, 64}, {192, 64}, {256, 128}, {352, 352}};
        }
        if (has_blocks) {
            return wide()
                       ? std::vector<Depth>{{0, 32}, {32, 32}, {96, 32}, {192, 64}, {288, 288}, {512, 512}}
                       : std::vector<Depth>{{0, 32},    {32, 32},     {64, 32},   {96, 32},   {64, 64},   {192, 64},
                                            {128, 128}, {384, 128},   {512, 256}, {576, 288}, {512, 512}, {1024, 512},
                                            {704, 352}, {2048, 2048}, {96, 96},   {224, 32}};
        }
        if (u.k_multiple != 0) {
            const size_t w = u.k_multiple;
            return wide()
                       ? std::vector<Depth>{{0, 0}, {w, 0}, {3 * w, 0}}
                       : std::vector<Depth>{{0, 0}, {w, 0}, {2 * w, 0}, {3 * w, 0}, {4 * w, 0}, {5 * w, 0}, {9 * w, 0}};
        }
        if (wide()) {
            return {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {9, 0}, {17, 0}, {33, 0}, {64, 0}};
        }
        return {{0, 0},  {1, 0},  {2, 0},  {3, 0},  {4, 0},  {5, 0},  {7, 0},   {8, 0},  {16, 0},
                {17, 0}, {31, 0}, {32, 0}, {33, 0}, {63, 0}, {64, 0}, {130, 0}, {257, 0}};
    }
    Depth typical_depth() const {
        if (has_blocks) {
            return {wide() ? size_t{64} : size_t{96}, 32};
        }
        if (u.k_multiple != 0) {
            return {wide() ? u.k_multiple : u.k_multiple == 32 ? size_t{96} : 2 * u.k_multiple, 0};
        }
        return {wide() ? size_t{19} : size_t{83}, 0};
    }
    /// Deeper than what kernels buffer of a row at a time: some hundred or thousand k.
    std::vector<Depth> long_depths() const {
        if (lhs_format->plain && m_step > 1 && lhs_format->packed) {  // these buffer nothing
            const size_t blocks = wide() ? 4 : 37;
            return {has_blocks ? Depth{32 * blocks, 32} : Depth{wide() ? size_t{131} : size_t{2503}, 0}};
        }
        if (wide()) {
            return {has_blocks ? Depth{1184, 32} : Depth{whole(2503), 0}};
        }
        if (has_blocks) {
            return {{2208, 32}, {4096, 64}, {4864, 128}, {4320, 288}, {8704, 512}, {8320, 4160}, {8384, 4192}};
        }
        return {{whole(2503), 0}, {whole(8227), 0}};
    }

    /// At least this depth.
    size_t whole(size_t k) const {
        const size_t w = std::max<size_t>(u.k_multiple, 1);
        return (k + w - 1) / w * w;
    }

    /// Sizes around a panel, a step, and the 16 or 32 rows or columns that a kernel may take at a time.
    std::set<size_t> sizes_around(size_t panel, size_t step) const {
        std::set<size_t> sizes = {0, 1, panel - 1, panel, panel + 1, step - 1, step, step + 1, 17, many(step)};
        if (!wide()) {
            sizes.insert({15, 16, 31, 33});
        }
        return sizes;
    }
    static size_t many(size_t step) {
        return std::max<size_t>(2 * step + 3, 71);
    }
    /// Kernels for one row accept 0 and 1, or any number. Others may take some 16 or 64 rows at a time, and have tiles
    /// for few rows.
    std::set<size_t> rows() const {
        if (m_step == 1) {
            return one_row             ? std::set<size_t>{0, 1}
                   : lhs_format->plain ? std::set<size_t>{0, 1, 2, 5, 6, 7, 11, 13}
                                       : std::set<size_t>{0, 1, 2, 5};
        }
        std::set<size_t> rows = sizes_around(lhs_tile.rows, m_step);
        if (!wide()) {
            rows.insert({2, 3, 6, 7, 63, 64, 65, 80, 128});
        }
        if (!rhs_format->packed) {
            rows.insert({4, 8, 9, 10});
        }
        return rows;
    }
    std::set<size_t> columns() const {
        std::set<size_t> columns = sizes_around(rhs_tile.rows, n_step);
        for (size_t n = 1; n < 40 && !rhs_format->packed; ++n) {  // no padding: tails of every length
            columns.insert(n);
        }
        return columns;
    }
    /// Portable kernels take 64 rows at a time, too.
    size_t many_rows() const {
        const bool few = m_step == 1 && u.features != 0;
        return one_row ? 1 : few ? lhs_format->plain ? 15 : 5 : std::max<size_t>(many(m_step), 131);
    }
    size_t many_columns() const {
        return many(n_step);
    }
    /// A step and a tail.
    size_t several_rows() const {
        return one_row ? 1 : m_step + 1;
    }
    /// At least this many, in whole panels. What kernels read of missing rows is NaN, and may hide what they
    /// do.
    size_t whole_panels(size_t rows) const {
        return one_row ? 1 : (rows + lhs_tile.rows - 1) / lhs_tile.rows * lhs_tile.rows;
    }
    /// Kernels of panels of 4 rows may compute up to some 20 rows in another way than 28.
    std::vector<size_t> few_and_many(size_t few) const {
        return lhs_tile.rows == 4 && !one_row ? std::vector<size_t>{few, 28} : std::vector<size_t>{few};
    }
    size_t several_columns() const {
        return std::max<size_t>(n_step + 1, 39);
    }
};

/// The top left m x n of `full`, whose rows have `width` elements.
std::vector<float> top_left(const std::vector<float>& full, size_t width, size_t m, size_t n) {
    std::vector<float> part;
    for (size_t i = 0; i < m; ++i) {
        part.insert(part.end(), full.begin() + i * width, full.begin() + i * width + n);
    }
    return part;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

// Short tests come first: kleidiai_mutants stops at the first one that notices.

TEST_P(Matmul, GettersAgree) {
    const auto padded = [&](size_t k, size_t group) {  // every chunk
        const Chunks c(k);
        return indirect ? c.count * ((c.length + group - 1) / group * group) : k;
    };
    EXPECT_GT(lhs_tile.rows, 0u);
    EXPECT_GT(rhs_tile.rows, 0u);
    EXPECT_EQ(lhs_tile.kr % lhs_tile.sr, 0u);
    EXPECT_EQ(m_step % lhs_tile.rows, 0u);
    EXPECT_EQ(n_step % rhs_tile.rows, 0u);
    for (const auto& [k, any_bl] : depths()) {
        const size_t bl = length(any_bl);
        const size_t group = rhs_tile.kr / rhs_tile.sr, stored = padded(k, group);
        const size_t lhs_stride =
            by_pointers ? Chunks(k).count * sizeof(void*)
                        : lhs_format->stride({lhs_tile.rows, lhs_tile.kr, lhs_tile.sr, stored, lhs_block(bl)});
        const size_t rhs_stride = rhs_panel_stride(stored, bl);
        const size_t lhs_panel = lhs_format->packed ? lhs_tile.rows : m_step;
        for (const size_t panel : {0, 1, 2, 7, 1000}) {  // between steps, and past the end of any matrix
            if (!unified || lhs_format->packed) {
                EXPECT_EQ(lhs_offset(panel * lhs_panel, k, bl), panel * lhs_panel / lhs_tile.rows * lhs_stride)
                    << k << " " << bl;
            }
            EXPECT_EQ(rhs_offset(panel * rhs_panel(), k, bl), panel * rhs_panel() / rhs_tile.rows * rhs_stride)
                << k << " " << bl;
        }
    }
    EXPECT_EQ(dst_offset(3 * m_step, 2 * n_step, 4096), 3 * m_step * 4096 + 2 * n_step * element);
    if (!unified) {
        EXPECT_EQ(checked_call(u.get_dst_size, size_t{5}, size_t{7}), 5u * 7 * element);
        EXPECT_EQ(checked_call(u.get_dst_size, size_t{0}, size_t{7}), 0u);
    }
}

TEST_P(Matmul, UnifiedGettersAgree) {
    if (!unified) {
        return;
    }
    const kai_matmul_uker_dim_args step = api.get_step(nullptr);
    EXPECT_EQ(step.m, m_step);
    EXPECT_EQ(step.n, n_step);
    EXPECT_EQ(step.k, 0u);
    const kai_matmul_uker_dst_dim_args shape = {5, 7};
    EXPECT_EQ(api.get_dst_stride(nullptr, &shape).m, 7 * element);
    const kai_matmul_uker_dst_stride_args row = {1000};
    EXPECT_EQ(checked_call(api.get_dst_size, nullptr, &shape, &row), 5000u);
    const kai_matmul_uker_config config = {};
    EXPECT_EQ(api.get_step(&config).m, m_step);
    // Offsets follow the stride of the call, which may be larger than the dense one.
    const kai_matmul_uker_lhs_dim_args lhs_index = {3 * m_step, 0};
    const kai_matmul_uker_lhs_stride_args lhs_stride = {12345};
    EXPECT_EQ(checked_call(api.get_lhs_offset, nullptr, &lhs_index, &lhs_stride), 3 * m_step / lhs_tile.rows * 12345);
    const kai_matmul_uker_rhs_dim_args rhs_index = {3 * n_step, 0};
    const kai_matmul_uker_rhs_stride_args rhs_stride = {12345};
    EXPECT_EQ(checked_call(api.get_rhs_offset, nullptr, &rhs_index, &rhs_stride), 3 * n_step / rhs_tile.rows * 12345);
}

/// Lines of a matrix, moved `gap` bytes of NaN apart.
std::vector<uint8_t> lines_with_gaps(const GuardedBuffer& dense, size_t line, size_t gap) {
    const size_t count = dense.size() / line;
    std::vector<uint8_t> bytes(count * line + (count - 1) * gap, 0xFF);
    for (size_t i = 0; i < count; ++i) {
        std::memcpy(&bytes[i * (line + gap)], dense.data() + i * line, line);
    }
    return bytes;
}

// Rows that are not packed further apart than their elements.
TEST_P(Matmul, RowsWithGaps) {
    if (!takes_lhs_rows || one_row) {
        return;
    }
    const size_t k = typical_depth().k, m = 13, bytes = lhs_format->bits() / 8;
    for (const size_t n : {several_columns(), n_step + 1, size_t{1}}) {
        const Side lhs = make_lhs(Data::random, m, k, 0), rhs = make_rhs(Data::random, n, k, 0);
        const Operands dense = packed(lhs, rhs);
        const std::vector<float> want = run(dense);
        for (const size_t gap : {bytes, 17 * bytes}) {
            Operands o(
                lhs, rhs, lines_with_gaps(dense.lhs, dense.lhs_stride, gap),
                rhs_format->packed ? dense.rhs.bytes() : lines_with_gaps(dense.rhs, dense.rhs_stride, 3 * gap));
            o.lhs_stride = dense.lhs_stride + gap;
            o.rhs_stride = dense.rhs_stride + 3 * gap;
            EXPECT_TRUE(same_bits(run(o), want)) << "n " << n << ", gaps of " << gap << " bytes";
        }
    }
}

// Indices of 2^36 and depths of 2^33: no intermediate value of an offset may be truncated to 32 bits.
TEST_P(Matmul, GettersBeyond32Bits) {
    const size_t huge = size_t{1} << 36, m_idx = huge / m_step * m_step, n_idx = huge / n_step * n_step;
    const size_t lhs_rows = lhs_tile.rows, rhs_rows = rhs_tile.rows, lhs_panel = lhs_format->packed ? lhs_rows : m_step;
    const size_t bl = has_blocks ? 32 : 0, group = rhs_tile.kr / rhs_tile.sr;
    for (const size_t k : {typical_depth().k, huge / 8}) {
        const size_t stored = indirect ? Chunks(k).stored(group) : k;
        const size_t lhs_stride = by_pointers
                                      ? Chunks(k).count * sizeof(void*)
                                      : lhs_format->stride({lhs_rows, lhs_tile.kr, lhs_tile.sr, stored, lhs_block(bl)});
        const size_t rhs_stride = rhs_panel_stride(stored, bl);
        const size_t m = k < huge / 8 ? m_idx : 3 * lhs_panel, n = k < huge / 8 ? n_idx : 3 * rhs_panel();
        if (one_row) {
            EXPECT_EQ(lhs_offset(0, k, bl), 0u);
        } else {
            EXPECT_EQ(lhs_offset(m, k, bl), m / lhs_rows * lhs_stride) << "m_idx " << m << ", k " << k;
        }
        EXPECT_EQ(rhs_offset(n, k, bl), n / rhs_rows * rhs_stride) << "n_idx " << n << ", k " << k;
    }
    EXPECT_EQ(dst_offset(m_idx, 0, 4096), m_idx * 4096);
    EXPECT_EQ(dst_offset(0, n_idx, 4096), n_idx * element);
    EXPECT_EQ(dst_offset(3 * m_step, 3 * n_step, huge), 3 * m_step * huge + 3 * n_step * element);
    if (!unified) {
        const size_t side = (size_t{1} << 20) + 1;
        EXPECT_EQ(checked_call(u.get_dst_size, side, side), side * side * element);
        return;
    }
    const kai_matmul_uker_dst_dim_args shape = {3, huge};
    EXPECT_EQ(api.get_dst_stride(nullptr, &shape).m, huge * element);
    const kai_matmul_uker_dst_stride_args row = {huge};
    EXPECT_EQ(checked_call(api.get_dst_size, nullptr, &shape, &row), 3 * huge);
    const kai_matmul_uker_lhs_dim_args lhs_index = {3 * lhs_rows, 0};
    const kai_matmul_uker_lhs_stride_args lhs_stride = {huge};
    EXPECT_EQ(checked_call(api.get_lhs_offset, nullptr, &lhs_index, &lhs_stride), 3 * huge);
    const kai_matmul_uker_rhs_dim_args rhs_index = {3 * rhs_rows, 0};
    const kai_matmul_uker_rhs_stride_args rhs_stride = {huge};
    EXPECT_EQ(checked_call(api.get_rhs_offset, nullptr, &rhs_index, &rhs_stride), 3 * huge);
}

// Rows of the output, rows of the LHS, panels of the unified API that lie GiB apart.
TEST_P(Matmul, StridesBeyond32Bits) {
    const size_t k = has_blocks ? 32 : whole(3), bl = has_blocks ? 32 : 0;
    // Kernels of small tiles may take 64 rows at a time.
    const size_t m = one_row ? 1 : m_step * n_step < 512 ? 67 : m_step + 1, n = several_columns();
    Operands o = packed(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl));
    const std::vector<float> want = run(o);
    const size_t panels_m = (m + lhs_tile.rows - 1) / lhs_tile.rows;
    const size_t panels_n = (n + rhs_tile.rows - 1) / rhs_tile.rows;
    for (const size_t stride : test::kLargeStrides) {
        SCOPED_TRACE(stride);
        const SparseBuffer dst((m - 1) * stride + n * element);
        call(m, n, o, o.lhs.data(), o.rhs.data(), dst.data(), stride, {});
        std::vector<float> got;
        for (size_t i = 0; i < m * n; ++i) {
            got.push_back(reference::load(dst.data() + i / n * stride + i % n * element, u.dst_type));
        }
        EXPECT_TRUE(same_bits(got, want)) << "rows of dst";

        if (takes_lhs_rows && !one_row) {
            const size_t length = o.lhs_stride;
            const SparseBuffer lhs(o.lhs.data(), m, length, stride);
            const GuardedBuffer dense(m * n * element, Flush::end, kNan);
            o.lhs_stride = stride;
            call(m, n, o, lhs.data(), o.rhs.data(), dense.data(), n * element, {});
            o.lhs_stride = length;
            EXPECT_TRUE(same_bits(floats_of(dense), want)) << "rows of the LHS";
        }
        if (!rhs_format->packed) {
            const size_t length = o.rhs_stride;
            const SparseBuffer rhs(o.rhs.data(), o.rhs.size() / length, length, stride);
            const GuardedBuffer dense(m * n * element, Flush::end, kNan);
            o.rhs_stride = stride;
            call(m, n, o, o.lhs.data(), rhs.data(), dense.data(), n * element, {});
            o.rhs_stride = length;
            EXPECT_TRUE(same_bits(floats_of(dense), want)) << "rows of the RHS";
        } else if (unified) {
            const SparseBuffer lhs(o.lhs.data(), panels_m, o.lhs.size() / panels_m, stride);
            // Kernels of an LHS that is not packed ignore this stride: their panels follow each other (kai_matmul.h).
            const size_t panel = o.rhs.size() / panels_n, distance = lhs_format->packed ? stride : panel;
            const SparseBuffer rhs(o.rhs.data(), panels_n, panel, distance);
            const GuardedBuffer dense(m * n * element, Flush::end, kNan);
            panel_stride = stride;
            call(m, n, o, lhs.data(), rhs.data(), dense.data(), n * element, {});
            panel_stride = 0;
            EXPECT_TRUE(same_bits(floats_of(dense), want)) << "panels of both operands";
        }
        if (HasFailure()) {
            return;
        }
    }
}

TEST_P(Matmul, ExactOverWholeTiles) {
    const auto [k, bl] = typical_depth();
    check_exactly(make_lhs(Data::exact, many_rows(), k, bl), make_rhs(Data::exact, many_columns(), k, bl));
}

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

TEST_P(Matmul, ClampsIntegers) {
    if (u.dst_type != kai_dt_int8 && u.dst_type != kai_dt_uint8) {
        return;
    }
    const auto [k, bl] = typical_depth();
    const Side lhs = make_lhs(Data::random, several_rows(), k, bl),
               rhs = make_rhs(Data::random, several_columns(), k, bl);
    for (const Clamp clamp :
         {Clamp{},
          Clamp{-128, 127},
          {-1000, 1000},
          {-300, 200},
          {-5, 5},
          {0, 127},
          {-128, -3},
          {7, 7},
          {-1, 0},
          {100, 200},
          {0, 90},
          {110, 255}}) {
        check(lhs, rhs, clamp);
    }
}

// Zero points and bounds at the ends of int32: sums saturate, then the zero point's addition does, then the bounds hold
// as far as int8 goes.
TEST_P(Matmul, ClampsIntegersAtTheEndsOfTheirRange) {
    if (u.dst_type != kai_dt_int8 || low_precision) {
        return;
    }
    const int32_t least = INT32_MIN, most = INT32_MAX;
    const size_t k = 3, m = std::min<size_t>(several_rows(), 5), n = several_columns();
    // Sums of a few units, of some hundred, and beyond both ends.
    Side lhs = make_lhs(Data::exact, m, k, 0), rhs = make_rhs(Data::exact, n, k, 0);
    for (size_t column = 0; column < n; ++column) {
        const float scales[] = {1.0f, 0.25f, 0x1p7f, -0x1p20f, 0x1p60f};
        rhs.scale[column] = scales[column % 5];
        rhs.bias[column] = column % 7 < 2 ? (column % 2 ? 0x7FFFFF80 : -0x1p31f) : rhs.bias[column];
    }
    const Operands o = packed(lhs, rhs);
    for (const int32_t zero_point :
         {least, least + 1, least + 200, -300, -129, -128, 0, 127, 128, 300, most - 200, most - 1, most}) {
        arithmetic.zero_point = zero_point;
        const std::vector<double> values = expected(lhs, rhs).value;
        for (const auto& [lo, hi] :
             {std::pair{least, most},
              {least, least},
              {most, most},
              {least, least + 1},
              {least, -128},
              {127, most},
              {most - 1, most},
              {-128, 127},
              {-129, 128},
              {-3, 5},
              {0, 5},
              {least, 5},
              {-3, most},
              {128, 1000},
              {-1000, -129},
              {-100, -50},
              {50, 100},
              {-256, 255}}) {
            std::vector<float> want;
            for (const double value : values) {
                const double bounded = std::fmax(lo, std::fmin(value, hi));
                want.push_back(static_cast<float>(std::fmax(-128, std::fmin(bounded, 127))));
            }
            exact_params = {lo, hi, zero_point};
            EXPECT_EQ(run(o), want) << "zero point " << zero_point << ", bounds " << lo << " and " << hi;
        }
        if (HasFailure()) {
            return;
        }
    }
}

// Results that are a zero point from 0, which is large: kernels that round by an addition in f32 have to know where
// that ends. Every other sum is a tie.
TEST_P(Matmul, RoundsFarFromZero) {
    if (u.dst_type != kai_dt_int8 || low_precision) {
        return;
    }
    Side lhs = make_lhs(Data::exact, several_rows(), 3, 0);
    Side rhs = make_rhs(Data::exact, several_columns(), 3, 0);
    std::fill(lhs.q.begin(), lhs.q.end(), int8_t{0});
    std::fill(rhs.scale.begin(), rhs.scale.end(), 0.5f);
    constexpr int32_t kFar = 1 << 22;  // f32 has halves up to twice that
    for (const int32_t magnitude : {1 << 20, kFar - 200, kFar - 127, kFar - 1, kFar, kFar + 128, 5000001}) {
        for (const int32_t zero_point : {magnitude, -magnitude}) {
            for (size_t column = 0; column < rhs.rows; ++column) {
                rhs.bias[column] = static_cast<float>(-2 * zero_point + static_cast<int32_t>(column % 64) - 32);
            }
            arithmetic.zero_point = zero_point;
            std::vector<float> want;
            for (const double value : expected(lhs, rhs).value) {
                want.push_back(static_cast<float>(std::fmax(-128, std::fmin(value, 127))));
            }
            exact_params = {-128, 127, zero_point};
            EXPECT_EQ(run(packed(lhs, rhs)), want) << "zero point " << zero_point;
            if (HasFailure()) {
                return;
            }
        }
    }
}

TEST_P(Matmul, ClampsForReal) {
    if (integer_dst) {
        return;
    }
    const auto [k, bl] = typical_depth();
    const size_t m = several_rows(), n = several_columns();
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    const std::vector<float> free = check(lhs, rhs);
    const float some = std::fabs(free[0]) / 2 + 0x1p-10f;
    const float third = some / 3;  // none of the types has it
    for (const Clamp clamp :
         {Clamp{-some, some},
          {-third, third},
          {0.0f, kInf},
          {0.0f, kMax},
          {-kInf, some},
          {-kInf, third},
          {-kMax, some},
          {-kMax, kMax},
          {-65504.0f, 65504.0f},
          {-1e-9f, 1e-9f},
          {some, some},
          {-0.25f, 0.0f},
          {kInf, kInf}}) {
        // Conversion keeps the order: clamping the result to the bounds as the type has them is the same.
        std::vector<float> expected = free;
        for (float& x : expected) {
            x = static_cast<float>(reference::clamp(
                x, reference::rounded(clamp.lo, u.dst_type), reference::rounded(clamp.hi, u.dst_type)));
        }
        // == and not bits: the sign of a zero is free
        EXPECT_EQ(run(lhs, rhs, clamp), expected) << "clamp to [" << clamp.lo << ", " << clamp.hi << "]";
    }
}

// Kernels may leave the clamp out where scales and biases prove that no result can reach a bound. The tests that follow
// put results and bounds there: a result at a bound, an ulp within and beyond, made by one field, row, column or block.

/// Bounds around +-x; one-sided ones, too.
std::vector<Clamp> bounds_around(float x) {
    const float below = std::nextafter(x, 0.0f), above = std::nextafter(x, kInf);
    return {{-x, x},        {-below, below}, {-above, above}, {-x / 4, x / 4},
            {-kInf, below}, {-below, kInf},  {-2 * x, 2 * x}};
}

void Matmul::check_clamps(const Side& lhs, const Side& rhs, float largest) {
    const std::vector<double> values = expected(lhs, rhs).value;
    for (const double value : values) {
        largest = std::max(largest, static_cast<float>(std::fabs(value)));
    }
    const Operands o = packed(lhs, rhs);
    for (const Clamp c : bounds_around(largest)) {
        std::vector<float> want;
        for (const double value : values) {
            // Conversion keeps the order: clamping the result to the bounds as the type has them is the same.
            want.push_back(static_cast<float>(reference::clamp(
                reference::rounded(value, u.dst_type), reference::rounded(c.lo, u.dst_type),
                reference::rounded(c.hi, u.dst_type))));
        }
        // == and not bits: the sign of a zero is free
        EXPECT_EQ(run(o, c), want) << "clamp to [" << c.lo << ", " << c.hi << "], m " << o.m << ", n " << o.n << ", k "
                                   << o.k;
    }
}

// Products of zero, whichever field makes them so, and one bias that is not small.
TEST_P(Matmul, ClampsTheBiasAlone) {
    if (rhs_format->bias == nullptr || integer_dst) {
        return;
    }
    const size_t k = has_blocks ? 32 : whole(3), bl = has_blocks ? 32 : 0;
    const size_t n = several_columns();
    const Side rhs = make_rhs(Data::exact, n, k, bl);
    size_t number = 0;
    for (const size_t column : {size_t{0}, rhs_tile.rows - 1, n - 1}) {
        for (const float bias : {5.0f, -5.0f}) {
            const std::vector<size_t> rows = few_and_many(whole_panels(5));
            const Side lhs = make_lhs(Data::exact, rows[number / 2 % rows.size()], k, bl);
            Side a = lhs, b = rhs;
            switch (number++ % 3) {
                case 0:
                    a = zero(lhs);
                    break;
                case 1:
                    b = zero(rhs);
                    break;
                default:  // zero scales only
                    (a.scale.empty() ? a.values : a.scale).assign((a.scale.empty() ? a.values : a.scale).size(), 0.0f);
                    std::fill(a.offset.begin(), a.offset.end(), 0.0f);
            }
            std::fill(b.bias.begin(), b.bias.end(), -0.25f);
            b.bias[column] = bias;
            check_clamps(a, b, 5.0f);
            if (HasFailure()) {
                return;
            }
        }
    }
}

// One row times one column is all that there is besides the bias.
TEST_P(Matmul, ClampsTheLargestElement) {
    if (integer_dst || has_unsigned) {
        return;
    }
    const size_t k = has_blocks ? 32 : whole(3), bl = has_blocks ? 32 : 0;
    // Kernels of small tiles may take 64 rows at a time.
    const size_t m = one_row ? 1 : m_step * n_step < 512 ? 67 : several_rows(), n = several_columns();
    const Side lhs = make_lhs(Data::exact, m, k, bl), rhs = make_rhs(Data::exact, n, k, bl);
    const auto one_row_of_ones = [](const Side& side, size_t row) {
        Side one = zero(side);
        std::fill(one.q.begin(), one.q.end(), static_cast<int8_t>(side.table.empty() ? 1 : 3));
        std::fill(one.row_offset.begin(), one.row_offset.end(), 0);
        std::fill(one.bias.begin(), one.bias.end(), 0.25f);
        for (const auto field : {&Side::values, &Side::scale}) {
            const size_t count = (one.*field).size() / side.rows;
            std::fill_n((one.*field).begin() + row * count, count, 1.0f);
        }
        return one;
    };
    for (const auto& [row, column] : {std::pair{m - 1, n - 1}, {m / 2, rhs_tile.rows - 1}}) {
        check_clamps(one_row_of_ones(lhs, row), one_row_of_ones(rhs, column));
        if (HasFailure()) {
            return;
        }
    }
}

// One block alone makes the results, or one field of the sums and zero points. So deep that kernels take the columns in
// chunks (of 4096 k).
TEST_P(Matmul, ClampsWhatOneBlockMakes) {
    if (!rhs_format->blocks) {
        return;
    }
    const size_t n = std::min<size_t>(rhs_tile.rows + 1, 9), block = rhs_format->block;
    std::vector<Depth> depths = {{96, 32}};
    if (block != 0) {
        depths = {{3 * block, 0}, {4096 + block, 0}};
    } else if (m_step * n_step < 512) {
        depths.insert(depths.end(), {{4128, 32}, {4256, 224}});
    }
    const std::vector<size_t> rows = few_and_many(one_row ? 1 : std::min<size_t>(lhs_tile.rows, 5));
    for (size_t i = 0; i < rows.size() * depths.size(); ++i) {
        const size_t m = rows[i % rows.size()];
        const auto [k, bl] = depths[i / rows.size()];
        const Side lhs = make_lhs(Data::exact, m, k, bl), rhs = make_rhs(Data::exact, n, k, bl);
        const size_t blocks = rhs.scales_per_row();
        for (const size_t block : {size_t{0}, blocks - 1, blocks}) {  // blocks: the other terms
            Side a = lhs, b = zero(rhs);
            for (size_t column = 0; column < n; ++column) {
                if (block < blocks) {
                    b.scale[column * blocks + block] = rhs.scale[column * blocks + block];
                } else if (!rhs.sum.empty()) {
                    b.sum[column] = rhs.sum[column];
                } else if (!rhs.offset.empty()) {
                    b.offset[column * blocks + blocks - 1] = rhs.offset[column * blocks + blocks - 1];
                }
            }
            if (!rhs.sum.empty()) {
                a.row_offset.assign(m, 3);
            }
            check_clamps(a, b);
            if (HasFailure()) {
                return;
            }
        }
    }
}

// Integer sums at both ends of int32: as large as a kernel can prove them to be.
TEST_P(Matmul, ClampsTheLargestSums) {
    if (lhs_format->row_offset == nullptr || has_blocks) {
        return;
    }
    const size_t m = whole_panels(several_rows()), n = std::min(several_columns(), rhs_tile.rows + 1);
    for (const size_t k : {size_t{32}, m_step * n_step >= 512 ? size_t{96} : size_t{4128}}) {
        Side lhs = make_lhs(Data::random, m, k, 0), rhs = make_rhs(Data::random, n, k, 0);
        // A row of zeros times its zero point: 2^31 or nearly so, exact in f32.
        std::fill(lhs.q.begin(), lhs.q.end(), int8_t{0});
        std::fill(rhs.bias.begin(), rhs.bias.end(), 0.0f);
        rhs.table = rhs.table.empty() ? rhs.table : std::vector<int32_t>{-2, -1, 0, 1};
        std::fill(rhs.q.begin(), rhs.q.end(), int8_t{0});
        for (int8_t& q : rhs.q) {
            q = has_table ? 2 : 0;
        }
        for (size_t column = 0; column < n; ++column) {  // a column's sum: -2
            rhs.q[column * k] = rhs.q[column * k + 1] = has_table ? 1 : -1;
            rhs.scale[column] = column % 3 == 0 ? 0x1p-20f : 0x1p-12f;
        }
        // What is stored of int4 is 16 times as large.
        const int32_t limit = rhs_format->stored_scale < 1 ? 1 << 26 : 1 << 30;
        for (size_t row = 0; row < m; ++row) {
            lhs.row_offset[row] = row % 3 == 0 ? limit : row % 3 == 1 ? 64 - limit : 1;
            lhs.scale[row] = 0.5f;
        }
        check_clamps(lhs, rhs);
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

TEST_P(Matmul, KeepsTheCallersZa) {
    if (kai_cpu_sme_bytes() == 0) {
        return;  // there is no ZA
    }
    const auto [k, bl] = typical_depth();
    const size_t m = several_rows(), n = several_columns();
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    const std::vector<float> expected = run(lhs, rhs);
    const test::LiveZa live_za;
    EXPECT_TRUE(same_bits(run(lhs, rhs), expected));
    run(lhs.part(0, 0), rhs);  // a call that returns early, too
}

// All shapes at one depth: the largest against the reference, the others bit by bit against the largest.
TEST_P(Matmul, Shapes) {
    const auto [k, bl] = typical_depth();
    const size_t width = many_columns();
    const Side lhs = make_lhs(Data::random, many_rows(), k, bl), rhs = make_rhs(Data::random, width, k, bl);
    const std::vector<float> full = check(lhs, rhs);
    size_t count = 0;
    for (const size_t m : rows()) {
        for (const size_t n : columns()) {
            // Tails along M and along N are independent; both at once only near the corner.
            const bool small = m <= several_rows() && n <= several_columns();
            if (!small && m != 1 && m != m_step + 1 && n != 1 && n != n_step + 1) {
                continue;
            }
            const size_t gap = count++ % 3 * 5;
            for (const Flush flush : {Flush::end, Flush::start}) {
                if (flush == Flush::start && count % 4 != 0) {
                    continue;  // reads before a buffer are rare: a few shapes will do
                }
                const auto part = run(lhs.part(0, m), rhs.part(0, n), {}, {gap, flush});
                EXPECT_TRUE(same_bits(part, top_left(full, width, m, n)))
                    << "m " << m << ", n " << n << " differs from the whole";
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

// What kai_ukernel.rows promises: any m in one call, except for kernels of one row.
TEST_P(Matmul, RowsOfOneCall) {
    const auto [k, bl] = typical_depth();
    const size_t n = several_columns();
    const Side lhs = make_lhs(Data::random, 37, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    check(lhs.part(0, one_row ? 1 : 37), rhs, {}, {3, Flush::end});
    EXPECT_TRUE(u.rows == KAI_ROWS_MANY || m_step == 1);
    if (test::library_asserts && one_row) {
        EXPECT_DEATH(run(lhs.part(0, 2), rhs), "0 (or|nor) 1");
    }
}

// Any rectangle that starts at multiples of the steps, computed alone, gives the bits of the whole.
TEST_P(Matmul, Rectangles) {
    const auto [k, bl] = typical_depth();
    const size_t m = many_rows(), n = many_columns(), gap = 2;
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    const Operands o = packed(lhs, rhs);
    const std::vector<float> full = run(o, {}, {gap, Flush::end});

    const size_t stride = (n + gap) * element;
    for (const auto& [rows_of_part, columns_of_part] :
         {std::pair{m_step, n_step}, {m_step, 2 * n_step}, {2 * m_step, n_step}}) {
        if (one_row && rows_of_part > 1) {
            continue;
        }
        const GuardedBuffer dst((m - 1) * stride + n * element, Flush::end, kNan);
        // The last part first: order must not matter.
        for (size_t i = (m - 1) / rows_of_part + 1; i-- > 0;) {
            for (size_t j = (n - 1) / columns_of_part + 1; j-- > 0;) {
                const size_t m_idx = i * rows_of_part, n_idx = j * columns_of_part;
                const size_t offset = dst_offset(m_idx, n_idx, stride);
                call(
                    std::min(rows_of_part, m - m_idx), std::min(columns_of_part, n - n_idx), o,
                    o.lhs.data() + lhs_offset(m_idx, k, bl), o.rhs.data() + rhs_offset(n_idx, k, bl),
                    dst.data() + offset, stride, {}, m_idx, n_idx);
            }
        }
        for (size_t i = 0; i < m; ++i) {
            for (size_t j = 0; j < n; ++j) {
                const float x = reference::load(dst.data() + i * stride + j * element, u.dst_type);
                ASSERT_EQ(std::memcmp(&x, &full[i * n + j], sizeof(x)), 0) << "row " << i << ", column " << j;
            }
        }
    }
}

TEST_P(Matmul, Depths) {
    for (const auto& [k, bl] : depths()) {
        for (const size_t m : few_and_many(one_row ? 1 : lhs_tile.rows + 1)) {
            const size_t n = several_columns();
            check(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl), {}, {3, Flush::end});
            check_exactly(make_lhs(Data::exact, m, k, bl), make_rhs(Data::exact, n, k, bl), {3, Flush::end});
            if (HasFailure()) {
                return;
            }
        }
    }
}

TEST_P(Matmul, ZeroDepthGivesTheClampedBias) {
    const size_t bl = has_blocks ? 32 : 0, n = several_columns();
    for (const Clamp clamp : {Clamp{}, whole({0.25f, 0.5f}), whole({-0.5f, -0.125f})}) {
        if (!clamps && clamp.hi < kInf) {
            continue;
        }
        for (const size_t m : few_and_many(several_rows())) {
            check(make_lhs(Data::random, m, 0, bl), make_rhs(Data::random, n, 0, bl), clamp);
        }
    }
}

TEST_P(Matmul, LongDepths) {
    for (const auto& [k, bl] : long_depths()) {
        check(make_lhs(Data::random, std::min<size_t>(m_step, 3), k, bl), make_rhs(Data::random, 5, k, bl));
        for (const size_t m : few_and_many(std::min<size_t>(several_rows(), 17))) {
            check_exactly(make_lhs(Data::exact, m, k, bl), make_rhs(Data::exact, 19, k, bl));
        }
    }
}

// Kernels take fewer rows at a time when k is large.
TEST_P(Matmul, LongRectangles) {
    if (one_row) {
        return;
    }
    const auto [k, bl] = long_depths()[0];
    const size_t m = m_step == 1 ? 3 : 70, n = std::max<size_t>(11, n_step + 1), stride = n * element;
    const Operands o = packed(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl));
    const std::vector<float> full = run(o);
    for (size_t m_idx = 0; m_idx < m; m_idx += m_step) {
        const size_t rows = std::min(m_step, m - m_idx);
        const GuardedBuffer dst(rows * stride, Flush::end, kNan);
        call(rows, n, o, o.lhs.data() + lhs_offset(m_idx, k, bl), o.rhs.data(), dst.data(), stride, {}, m_idx);
        for (size_t i = 0; i < rows * n; ++i) {
            const float x = reference::load(dst.data() + i * element, u.dst_type);
            ASSERT_EQ(std::memcmp(&x, &full[m_idx * n + i], sizeof(x)), 0)
                << "row " << m_idx + i / n << ", column " << i % n;
        }
    }
}

// More columns than a cache holds of the RHS, with a row after those of a tile: kernels with panels of 4 rows may take
// them in parts.
TEST_P(Matmul, LongColumns) {
    if (lhs_tile.rows != 4 || one_row) {
        return;
    }
    for (const auto& [k, bl] : {long_depths().back(), has_blocks ? Depth{1024, 256} : Depth{1024, 0}}) {
        check_exactly(make_lhs(Data::exact, 25, k, bl), make_rhs(Data::exact, 41, k, bl), {3, Flush::end});
    }
}

// The largest possible integer sums, and large ones that cancel: a sum that is rounded too early is noticed.
TEST_P(Matmul, LargeSums) {
    std::vector<Depth> all = long_depths();
    all.push_back(has_blocks ? Depth{512, 256} : typical_depth());
    for (const auto& [k, bl] : all) {
        const Side lhs = make_lhs(Data::large, 28, k, bl), rhs = make_rhs(Data::large, 6, k, bl);
        for (size_t first = 0; first < (one_row ? 8 : 1); ++first) {
            for (const size_t m : few_and_many(one_row ? 1 : 8)) {
                check(lhs.part(first, m), rhs);
            }
        }
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
         {uint64_t{test::kFlushToZero}, uint64_t{test::kDefaultNan}, uint64_t{test::kFlushHalfToZero},
          test::kFlushToZero | test::kDefaultNan | test::kFlushHalfToZero}) {
        SCOPED_TRACE(testing::Message() << std::hex << "FPCR " << mode);
        const test::FpcrMode fpcr(mode);
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
    for (const uint64_t mode : {test::kRoundUp, test::kRoundDown, test::kRoundToZero}) {
        SCOPED_TRACE(testing::Message() << std::hex << "FPCR " << mode);
        const test::FpcrMode fpcr(mode);
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

// Rectangles of one output, computed by threads that share the operands, have the bits of one call.
TEST_P(Matmul, Threads) {
    const size_t k = typical_depth().k, bl = typical_depth().bl;
    const size_t rows_of_part = (few_and_many(m_step).back() + m_step - 1) / m_step * m_step;
    const size_t m = one_row ? 1 : std::max<size_t>(2 * rows_of_part + 1, 9);
    const size_t n = (one_row && n_step <= 64 ? 7 : 3) * n_step + 1, stride = n * element;
    const Operands o = packed(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl));
    const std::vector<float> want = run(o);
    const GuardedBuffer dst(m * stride, Flush::end, kNan);
    const size_t in_a_row = (n - 1) / n_step + 1, count = ((m - 1) / rows_of_part + 1) * in_a_row;
    test::in_threads(count, [&](size_t i) {
        const size_t m_idx = i / in_a_row * rows_of_part, n_idx = i % in_a_row * n_step;
        call(
            std::min(rows_of_part, m - m_idx), std::min(n_step, n - n_idx), o, o.lhs.data() + lhs_offset(m_idx, k, bl),
            o.rhs.data() + rhs_offset(n_idx, k, bl), dst.data() + dst_offset(m_idx, n_idx, stride), stride, {}, m_idx,
            n_idx);
    });
    EXPECT_TRUE(same_bits(floats_of(dst), want));
}

// From sources to the result, through every packer that the registry offers for the kernel.
TEST_P(Matmul, WithTheLibrarysPackers) {
    const size_t k = indirect ? 3 * 29 : typical_depth().k, bl = typical_depth().bl;
    const size_t m = one_row ? 1 : m_step + lhs_tile.rows + 1, n = n_step + 3;
    ASSERT_EQ(kai_registry_lhs_packer(&u, 0) != nullptr, lhs_format->packed);
    bool from_files = false;
    for (size_t i = 0; i < kai_gguf_type_count(); ++i) {
        from_files |= kai_registry_gguf_packer(&u, kai_gguf_type_at(i)->id) != nullptr;
    }
    ASSERT_EQ(from_files || kai_registry_rhs_packer(&u, 0) != nullptr, rhs_format->packed);
    if (!rhs_format->packed) {
        check(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl));
        return;
    }
    for (size_t i = 0; i == 0 || kai_registry_lhs_packer(&u, i) != nullptr; ++i) {
        for (size_t j = 0; kai_registry_rhs_packer(&u, j) != nullptr; ++j) {
            const kai_packer* lhs_packer = kai_registry_lhs_packer(&u, i);
            const kai_packer& rhs_packer = *kai_registry_rhs_packer(&u, j);
            SCOPED_TRACE(std::string(lhs_packer != nullptr ? lhs_packer->name : "rows") + ", " + rhs_packer.name);
            std::vector<uint8_t> l;
            const Side lhs = lhs_packer != nullptr ? pack_lhs(*lhs_packer, m, k, bl, l) : rows_of_lhs(m, k, bl, l);
            std::vector<uint8_t> r;
            const Side rhs = pack_rhs(rhs_packer, n, k, bl, r);
            std::vector<float> dst;
            if (by_pointers) {
                dst = run(Operands(lhs, rhs, m_step, r, Flush::end));
            } else {
                Operands o(lhs, rhs, l, r);
                o.lhs_stride = k * lhs_format->bits() / 8;
                dst = run(o);
            }
            EXPECT_EQ(reference::compare(expected(lhs, rhs), dst, m, n, -kInf, kInf, u.dst_type), "");
        }
    }
}

// kai_call.h with neither side packed: rows without gaps, and with them.
TEST_P(Matmul, PlainByKaiCall) {
    if (rhs_format->packed || lhs_format->packed) {
        return;
    }
    const size_t k = typical_depth().k, m = m_step + 2, n = n_step + 3, gap = 5 * element;
    const Side lhs = make_lhs(Data::random, m, k, 0), rhs = make_rhs(Data::random, n, k, 0);
    const Operands o = packed(lhs, rhs);
    kai_call c = {};
    c.ukernel = &u;
    c.m = m, c.n = n, c.k = k;
    c.clamp = true, c.clamp_min = -0.5f, c.clamp_max = 0.75f;
    EXPECT_EQ(kai_call_lhs_packed_size(&c), 0u);
    EXPECT_EQ(kai_call_rhs_packed_size(&c), 0u);
    kai_call_pack_lhs(&c, 0, m, nullptr);
    kai_call_pack_rhs(&c, 0, n, nullptr);
    const Clamp clamp = low_precision ? Clamp{-5, 60} : Clamp{-0.5f, 0.75f};
    if (low_precision) {
        c.lowp = lowp_params(o, clamp);
    }
    const std::vector<float> want = check(lhs, rhs, clamp);
    c.lhs = o.lhs.data(), c.rhs = o.rhs.data();
    EXPECT_EQ(kai_call_rhs_packed_offset(&c, n_step), n_step * (rhs_format->kxn ? element : o.rhs_stride));
    EXPECT_TRUE(same_bits(run(c), want));
    const GuardedBuffer l(lines_with_gaps(o.lhs, o.lhs_stride, gap)), r(lines_with_gaps(o.rhs, o.rhs_stride, gap));
    c.lhs = l.data(), c.lhs_stride = o.lhs_stride + gap;
    c.rhs = r.data(), c.rhs_stride = o.rhs_stride + gap;
    EXPECT_TRUE(same_bits(run(c), want));
}

// Rows of a file at any address, any distance apart; by kai_call.h, too, which knows the length of the blocks.
TEST_P(Matmul, RowsOfAFile) {
    if (kai::file_type_of(u) == nullptr) {
        return;
    }
    const size_t k = typical_depth().k, m = 3, n = n_step + 3;
    const Side rhs = make_rhs(Data::random, n, k, 0);
    for (size_t i = 0; kai_registry_lhs_packer(&u, i) != nullptr; ++i) {
        const kai_packer& packer = *kai_registry_lhs_packer(&u, i);
        std::vector<float> values;
        const Side lhs = lhs_for(packer, m, k, 0, values);
        const Operands dense = packed(lhs, rhs);
        const Clamp clamp = {-0.5f, 0.75f};
        const std::vector<float> want = check(lhs, rhs, clamp);
        const test::LhsSource source(packer, lhs_tile, values, m, k, 1);
        for (const size_t gap : {0, 1, 17}) {
            const GuardedBuffer rows(lines_with_gaps(dense.rhs, dense.rhs_stride, gap));
            kai_call c = {};
            c.ukernel = &u, c.lhs_packer = &packer;
            c.m = m, c.n = n, c.k = k;
            c.lhs = source.rows, c.lhs_stride = source.stride;
            const GuardedBuffer l(kai_call_lhs_packed_size(&c));
            kai_call_pack_lhs(&c, 0, m, l.data());
            c.lhs_packed = l.data();
            c.rhs = rows.data(), c.rhs_stride = gap == 0 ? 0 : dense.rhs_stride + gap;
            c.clamp = true, c.clamp_min = clamp.lo, c.clamp_max = clamp.hi;
            EXPECT_EQ(kai_call_rhs_packed_size(&c), 0u);
            EXPECT_EQ(kai_call_rhs_packed_offset(&c, n_step), n_step * (dense.rhs_stride + gap));
            EXPECT_TRUE(same_bits(run(c), want)) << packer.name << ", gaps of " << gap << " bytes";
        }
    }
}

// kai_call.h: the same bytes and products, packed and computed in parts. Kernels for one row compute three.
TEST_P(Matmul, ByKaiCall) {
    const size_t k = indirect ? 3 * 29 : typical_depth().k, bl = typical_depth().bl;
    const size_t m = one_row ? 3 : m_step + lhs_tile.rows + 1, n = n_step + 3;
    for (size_t i = 0; i == 0 || kai_registry_lhs_packer(&u, i) != nullptr; ++i) {
        for (size_t j = 0; kai_registry_rhs_packer(&u, j) != nullptr; ++j) {
            const kai_packer* lhs_packer = kai_registry_lhs_packer(&u, i);
            const kai_packer& rhs_packer = *kai_registry_rhs_packer(&u, j);
            SCOPED_TRACE(std::string(lhs_packer != nullptr ? lhs_packer->name : "rows") + ", " + rhs_packer.name);
            Side source_side;
            const Side side = rhs_for(rhs_packer, n, k, bl, source_side);
            const test::RhsSource source(rhs_packer, source_side, 2);
            kai_call c = call_of(source, rhs_packer, m, n, bl);
            const Side rhs = as_packed(rhs_packer, side, source);
            const GuardedBuffer r(kai_call_rhs_packed_size(&c));
            pack_rhs(c, r);
            std::vector<uint8_t> bytes;
            pack_rhs(rhs_packer, n, k, bl, bytes);
            EXPECT_EQ(r.bytes(), bytes);

            std::vector<float> values;
            const Side lhs =
                lhs_packer != nullptr ? lhs_for(*lhs_packer, m, k, bl, values) : make_lhs(Data::random, m, k, bl);
            std::optional<test::LhsSource> lhs_source;
            if (lhs_packer != nullptr) {
                lhs_source.emplace(*lhs_packer, lhs_tile, values, m, k, 1);
                set_lhs(c, *lhs_packer, *lhs_source);
            }
            const GuardedBuffer l(kai_call_lhs_packed_size(&c));
            pack_lhs(c, l);
            Operands o = packed(lhs, side);
            if (lhs_packer == nullptr) {
                EXPECT_EQ(l.size(), 0u);
                c.lhs = o.lhs.data(), c.lhs_stride = 0;
                c.pad_ptr = o.padding.data(), c.lhs_ptr_offset = Operands::kPointerOffset;
            }
            c.lhs_packed = l.data(), c.rhs_packed = r.data();
            if (has_unsigned) {
                c.acc_bias_m = o.bias_m.as<int32_t>(), c.acc_bias_n = o.bias_n.as<int32_t>();
                c.scale_bias_n = o.offset_n.size() == 0 ? nullptr : o.offset_n.as<float>();
                c.acc_scale = o.scale;
            }
            if (low_precision) {
                c.lowp = lowp_params(o, {});
            }
            const auto compare = [&](Clamp clamp) {
                EXPECT_EQ(reference::compare(expected(lhs, rhs), run(c), m, n, clamp.lo, clamp.hi, u.dst_type), "");
            };
            compare({});
            if (clamps) {
                c.clamp = true;
                c.clamp_min = -5, c.clamp_max = 60;
                c.requantize.min_value = -5, c.requantize.max_value = 60;
                c.lowp.min_value = -5, c.lowp.max_value = 60;
                compare({-5, 60});
            }
        }
    }
}

/// All but depthwise convolution (dwconv_test.cpp).
std::vector<const kai_ukernel*> matmuls() {
    std::vector<const kai_ukernel*> ukernels = test::all_ukernels();
    ukernels.erase(
        std::remove_if(ukernels.begin(), ukernels.end(), [](const kai_ukernel* u) { return kai::is_depthwise(*u); }),
        ukernels.end());
    return ukernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Matmul, testing::ValuesIn(matmuls()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Matmul);

}  // namespace
