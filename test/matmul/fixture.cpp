// Operands are packed by the reference, so that kernels are tested apart from the packers (packers_test.cpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "test/matmul/fixture.hpp"

#include <algorithm>
#include <cstring>

#include "test/reference/quantise.hpp"
#include "test/support/recent.hpp"
#include "test/support/subject.hpp"

namespace test::matmul {
namespace {

constexpr uint8_t kGap = 0x5A;  // between rows of dst

/// The table that kernels use if none is given.
const std::vector<int32_t> kDefaultTable = {-2, -1, 0, 1};

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

/// int32 step * i, for i from `from` on.
std::vector<uint8_t> series(int32_t step, size_t from, size_t count) {
    std::vector<int32_t> values(count);
    for (size_t i = 0; i < count; ++i) {
        values[i] = step * static_cast<int32_t>(from + i);
    }
    return bytes_as<int32_t>(values);
}

}  // namespace

Operands::Operands(
    const Side& l, const Side& r, const std::vector<uint8_t>& packed_lhs, const std::vector<uint8_t>& packed_rhs,
    Flush flush)
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

Operands::Operands(
    const Format& lhs_format, const Side& l, const Side& r, size_t group, const std::vector<uint8_t>& packed_rhs,
    Flush flush)
    : m(l.rows),
      n(r.rows),
      k(l.k),
      bl(0),
      lhs(((l.rows + group - 1) / group * group) * Chunks(l.k).count * sizeof(void*), flush, 0x5B),
      rhs(packed_rhs, flush),
      table(0),
      chunks(test::packed(lhs_format, l, {1, 1, 1}), flush),
      padding(Chunks(l.k).length * lhs_format.bits() / 8, Flush::end, 0),
      bias_m(0),
      bias_n(r.multiplier.empty() ? std::vector<uint8_t>() : bytes_as<int32_t>(r.bias), flush),
      offset_n(0),
      multiplier(bytes_as<int32_t>(r.multiplier), flush),
      shift(bytes_as<int32_t>(r.shift), flush) {
    const Chunks c(k);
    const size_t length = padding.size();
    for (size_t row = 0; row < m; ++row) {
        for (size_t chunk = 0; chunk < c.count; ++chunk) {
            const uint8_t* from = chunks.data() + (row * c.count + chunk) * length;
            const bool zeros = std::all_of(from, from + length, [](uint8_t x) { return x == 0; });
            const uintptr_t address = reinterpret_cast<uintptr_t>(from) - kPointerOffset;
            lhs.as<uintptr_t>()[row / group * group * c.count + chunk * group + row % group] =
                zeros ? reinterpret_cast<uintptr_t>(padding.data()) : address;
        }
    }
}

void Matmul::SetUp() {
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
    if (gives_sums) {
        arithmetic.low_precision = {false, -129, 3, 0, true, 5, -7};
    }
    if (sums_in_f16(u)) {
        arithmetic.unit = 0x1p-11;
        arithmetic.smallest = 0x1p-24;
    } else if (rhs_format->element == Format::bf16 || rhs_format->is_f8()) {
        arithmetic.unit = 0x1p-23;
        arithmetic.smallest = 0x1p-126;
        arithmetic.flushes = true;
    }
    if (unified) {
        api = kai::api_of(u);
    }
}

const reference::Expected& Matmul::expected(const Side& lhs, const Side& rhs) const {
    struct Product {
        reference::Arithmetic arithmetic;
        Side lhs, rhs;
        reference::Expected expected;
    };
    static Recent<Product> recent;
    const auto is_same = [&](const Product& p) {
        return p.arithmetic == arithmetic && p.lhs.is_same(lhs) && p.rhs.is_same(rhs);
    };
    const auto make = [&] { return Product{arithmetic, lhs, rhs, reference::matmul(lhs, rhs, arithmetic)}; };
    return recent.get(key_of(lhs.fingerprint(), rhs.fingerprint()), is_same, make).expected;
}

kai::KernelArgs Matmul::args_of(size_t m, size_t n, size_t k, size_t bl, size_t index) const {
    kai::KernelArgs a = {};
    a.m = m, a.n = n, a.bl = length(bl);
    kai::set_depth(a, k, Chunks(k).count);
    a.index = index;
    return a;
}

size_t Matmul::rhs_panel_stride(size_t stored, size_t bl) const {
    return rhs_format->kxn ? rhs_format->bits() / 8
                           : rhs_format->stride(
                                 {rhs_tile.rows, rhs_tile.kr, rhs_tile.sr, stored,
                                  rhs_format->block != 0 ? rhs_format->block : bl});
}

kai_matmul_lowp_params Matmul::lowp_params(const Operands& o, Clamp c, size_t n_idx) const {
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

Matmul::Offsets::Offsets(
    const reference::LowPrecision& p, const Operands& o, size_t m, size_t n, size_t m_idx, size_t n_idx)
    : rows(series(p.lhs_step, m_idx, m)), columns(series(p.rhs_step, n_idx, n)) {
    params.lhs_offset = p.lhs_offset, params.rhs_offset = p.rhs_offset;
    params.lhs_offsets = p.lhs_step == 0 ? nullptr : rows.as<int32_t>();
    params.rhs_offsets = p.rhs_step == 0 ? nullptr : columns.as<int32_t>();
    params.bias = o.bias_n.size() == 0 ? nullptr : o.bias_n.as<int32_t>() + n_idx;
}

void Matmul::call(
    size_t m, size_t n, const Operands& o, const uint8_t* lhs, const uint8_t* rhs, uint8_t* dst, size_t stride, Clamp c,
    size_t m_idx, size_t n_idx) {
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
    if (gives_sums) {
        const Offsets offsets(*arithmetic.low_precision, o, m, n, m_idx, n_idx);
        a.offsets = &offsets.params;
        kai::run(u, a, Checked{}, substitute_of(u));
        return;
    }
    kai::run(u, a, Checked{}, substitute_of(u));
}

Operands Matmul::packed(const Side& lhs, const Side& rhs, Flush flush) {
    if (!indirect) {
        return {*lhs_format, lhs, lhs_tile, *rhs_format, rhs, rhs_tile, flush};
    }
    const size_t count = Chunks(rhs.k).count, group = rhs_tile.kr / rhs_tile.sr;
    const Side padded_rhs = reference::with_padded_chunks(rhs, count, group);
    const std::vector<uint8_t> r = test::packed(*rhs_format, padded_rhs, rhs_tile);
    if (by_pointers) {
        return {*lhs_format, lhs, rhs, m_step, r, flush};
    }
    const Side padded_lhs = reference::with_padded_chunks(lhs, count, group);
    return {lhs, rhs, test::packed(*lhs_format, padded_lhs, lhs_tile), r, flush};
}

std::vector<float> Matmul::floats_of(const GuardedBuffer& dst) const {
    std::vector<float> floats;
    reference::load(dst.data(), dst.size() / element, u.dst_type, floats);
    return floats;
}

std::vector<float> Matmul::floats_of(const uint8_t* dst, size_t stride, size_t m, size_t n) const {
    std::vector<float> floats;
    floats.reserve(m * n);
    for (size_t i = 0; i < m && n > 0; ++i) {
        reference::load(dst + i * stride, n, u.dst_type, floats);
    }
    return floats;
}

std::string Matmul::difference(const uint8_t* dst, size_t stride, size_t m, size_t n, const float* want) const {
    const std::vector<float> got = floats_of(dst, stride, m, n);
    for (size_t i = 0; i < got.size(); ++i) {
        if (reference::bits_of(got[i]) != reference::bits_of(want[i])) {
            return "row " + std::to_string(i / n) + ", column " + std::to_string(i % n);
        }
    }
    return "";
}

std::vector<float> Matmul::run(const Operands& o, Clamp clamp, Output output) {
    const size_t m = o.m, n = o.n, row = n + output.gap;
    const GuardedBuffer dst(m == 0 || n == 0 ? 0 : ((m - 1) * row + n) * element, output.flush, kNan);
    for (size_t i = 0; i + 1 < m && n > 0; ++i) {
        std::memset(dst.data() + (i * row + n) * element, kGap, output.gap * element);
    }
    call(m, n, o, o.lhs.data(), o.rhs.data(), dst.data(), row * element, clamp);
    for (size_t i = 0; i + 1 < m && n > 0; ++i) {
        const uint8_t *gap = dst.data() + (i * row + n) * element, *end = gap + output.gap * element;
        if (!std::all_of(gap, end, [](uint8_t byte) { return byte == kGap; })) {
            ADD_FAILURE() << "written between rows " << i << " and " << i + 1;
        }
    }
    return floats_of(dst.data(), row * element, m, n);
}

std::vector<float> Matmul::check(const Side& lhs, const Side& rhs, Clamp clamp, Output output) {
    const std::vector<float> dst = run(lhs, rhs, clamp, output);
    EXPECT_EQ(reference::compare(expected(lhs, rhs), dst, lhs.rows, rhs.rows, clamp.lo, clamp.hi, u.dst_type), "")
        << "m " << lhs.rows << ", n " << rhs.rows << ", k " << lhs.k << ", bl " << rhs.bl;
    return dst;
}

void Matmul::check_exactly(const Side& lhs, const Side& rhs, Output output) {
    const std::vector<float> want = reference::rounded(expected(lhs, rhs).value, u.dst_type);
    EXPECT_EQ(run(lhs, rhs, {}, output), want)
        << "m " << lhs.rows << ", n " << rhs.rows << ", k " << lhs.k << ", bl " << rhs.bl;
}

Side Matmul::zero(Side side) {
    std::fill(side.values.begin(), side.values.end(), 0.0f);
    std::fill(side.scale.begin(), side.scale.end(), 0.0f);
    std::fill(side.offset.begin(), side.offset.end(), 0.0f);
    std::fill(side.sum.begin(), side.sum.end(), 0.0f);
    std::fill(side.min_scale.begin(), side.min_scale.end(), 0.0f);
    return side;
}

Side Matmul::make_lhs(Data data, size_t m, size_t k, size_t bl, uint64_t seed) {
    bl = length(bl);
    Random random(seed);
    Side side = make_side(*lhs_format, data, m, k, lhs_block(bl), random);
    if (has_unsigned) {
        make_unsigned(side, data);
        side.bias = biases(m, random);
        side.scale.assign(m, 0.125f);  // of all rows
    }
    if (by_pointers && k > 0) {  // some chunks are padding
        const Chunks c(k);
        for (size_t i = 2; i < m; i += 3) {
            const size_t first = i * k + i % c.count * c.length;
            if (side.q.empty()) {
                std::fill_n(side.values.begin() + first, c.length, 0.0f);
            } else {
                std::fill_n(side.q.begin() + first, c.length, int8_t{0});
            }
        }
    }
    return side;
}

void Matmul::make_unsigned(Side& side, Data data) {
    side.is_unsigned = true;
    for (int8_t& q : side.q) {
        q = data == Data::exact ? q & 3 : q;
    }
}

void Matmul::add_requantisation(Side& side, Data data, Random& random) {
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

std::vector<float> Matmul::biases(size_t count, Random& random) {
    std::vector<float> biases(count);
    for (float& bias : biases) {
        bias = static_cast<float>(random.integer(-1000, 1000));
    }
    return biases;
}

Side Matmul::make_rhs(Data data, size_t n, size_t k, size_t bl, uint64_t seed) {
    bl = length(bl);
    Random random(seed);
    Side side = make_side(*rhs_format, data, n, k, bl, random);
    if (has_unsigned) {
        make_unsigned(side, data);
        side.bias = biases(n, random);
        if (u.dst_type == kai_dt_f32) {
            side.offset = biases(n, random);
        }
    }
    if (low_precision || gives_sums) {  // sums: the bias alone is used
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

std::vector<float> Matmul::as_elements(const Format& f, const std::vector<float>& values) {
    return reference::as_source(f.element == Format::f16 ? "f16" : f.element == Format::bf16 ? "bf16" : "f32", values);
}

Side Matmul::lhs_for(const kai_packer& packer, size_t m, size_t k, size_t bl, std::vector<float>& values) {
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
    std::vector<float> floats = make_floats(m, k, false, random);
    for (size_t i = 0; i < k && m > 2; ++i) {
        floats[k + i] *= 0x1p-125f;
    }
    values = reference::as_source(packer.source_format, floats);
    const reference::Ties ties = reference::ties_of(*lhs_format, packer.name);
    side = reference::lhs_side(*lhs_format, values, m, k, lhs_block(bl), ties, lhs_tile.kr / lhs_tile.sr);
    for (float& scale : side.scale) {
        scale = reference::as_stored(lhs_format->scale_type, scale);
    }
    for (float& sum : side.offset) {
        sum = reference::as_stored(lhs_format->offset_type, sum);
    }
    return side;
}

Side Matmul::rhs_for(const kai_packer& packer, size_t n, size_t k, size_t bl, Side& source) {
    if (kai::is_file(packer)) {
        Random random(7);
        source = make_file_side(packer, n, k, random);
        Side stored = source;
        for (float& scale : stored.scale) {
            scale = reference::as_stored(rhs_format->scale_type, scale);
        }
        for (float& offset : stored.offset) {
            offset = reference::as_stored(rhs_format->offset_type, offset);
        }
        return stored;
    }
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

Side Matmul::as_packed(const kai_packer& packer, const Side& side, const RhsSource& source) {
    if (!is_requantising(packer)) {
        return side;
    }
    Side packed = requantised(side, source.lhs_zero_point, source.scale_multiplier);
    for (size_t i = 0; i < side.rows; ++i) {
        packed.bias[i] += static_cast<float>(static_cast<int32_t>(packed.bias_added[i]));  // exact
    }
    return packed;
}

Side Matmul::pack_lhs(const kai_packer& packer, size_t m, size_t k, size_t bl, std::vector<uint8_t>& bytes) {
    std::vector<float> values;
    const Side side = lhs_for(packer, m, k, bl, values);
    const LhsSource source(packer, lhs_tile, values, m, k, 0);
    const GuardedBuffer packed(packed_size(packer, lhs_tile, m, k, bl));
    run_lhs(packer, lhs_tile, source, 0, m, bl, 0, packed.data());
    bytes = packed.bytes();
    return side;
}

Side Matmul::pack_rhs(const kai_packer& packer, size_t n, size_t k, size_t bl, std::vector<uint8_t>& bytes) {
    Side source_side;
    const Side side = rhs_for(packer, n, k, bl, source_side);
    const RhsSource source(packer, source_side, 0);
    const GuardedBuffer packed(packed_size(packer, rhs_tile, n, k, bl));
    run_rhs(packer, rhs_tile, source, 0, n, packed.data());
    bytes = packed.bytes();
    return as_packed(packer, side, source);
}

kai_call Matmul::call_of(const RhsSource& source, const kai_packer& packer, size_t m, size_t n, size_t bl) {
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
    c.lut = kai::has_lut(packer) && source.has_table ? source.table.as<int32_t>() : nullptr;
    c.table = source.table.as<int8_t>();
    c.lhs_zero_point = source.lhs_zero_point;
    c.scale_multiplier = source.scale_multiplier;
    c.requantize.output_zero_point = kZeroPoint;
    return c;
}

void Matmul::set_lhs(kai_call& c, const kai_packer& packer, const LhsSource& source) {
    c.lhs_packer = &packer;
    c.lhs = indirect ? source.table.data() : source.rows;
    c.lhs_stride = source.stride;
    c.lhs_ptr_offset = LhsSource::kPointerOffset;
    c.pad_ptr = source.padding.data();
}

void Matmul::pack_rhs(const kai_call& c, const GuardedBuffer& packed) {
    const size_t nr = packs_parts(*c.rhs_packer) ? c.ukernel->get_nr() : c.n;
    for (size_t part = (c.n + nr - 1) / nr; part-- > 0;) {
        kai_call_pack_rhs(&c, part * nr, nr, packed.data());
    }
}

void Matmul::pack_lhs(const kai_call& c, const GuardedBuffer& packed) {
    const size_t mr = c.ukernel->get_mr();
    for (size_t part = (c.m + mr - 1) / mr; part-- > 0;) {
        kai_call_pack_lhs(&c, part * mr, mr, packed.data());
    }
}

std::vector<float> Matmul::run(kai_call c) {
    constexpr size_t kGapElements = 3;
    c.dst_stride = (c.n + kGapElements) * element;
    const GuardedBuffer dst((c.m - 1) * c.dst_stride + c.n * element, Flush::end, kNan);
    c.dst = dst.data();
    for (size_t i = (c.m + m_step - 1) / m_step; i-- > 0;) {
        for (size_t j = (c.n + n_step - 1) / n_step; j-- > 0;) {
            kai_call_run(&c, i * m_step, j * n_step, m_step, n_step);
        }
    }
    // All at once: the same, also by kernels for one row.
    const GuardedBuffer whole(dst.size(), Flush::end, kNan);
    c.dst = whole.data();
    kai_call_run(&c, 0, 0, SIZE_MAX, SIZE_MAX);
    std::vector<float> results = floats_of(dst.data(), c.dst_stride, c.m, c.n);
    EXPECT_EQ(difference(whole.data(), c.dst_stride, c.m, c.n, results.data()), "") << "in one call";
    return results;
}

std::vector<Matmul::Depth> Matmul::depths() const {
    if (vast() && has_blocks) {
        return lhs_format->plain ? std::vector<Depth>{{0, 32}, {32, 32}, {96, 32}}
                                 : std::vector<Depth>{{0, 32}, {32, 32}, {96, 32}, {192, 64}};
    }
    if (vast() && u.k_multiple == 0) {  // none, parts of a step, several
        return {{0, 0}, {1, 0}, {3, 0}, {5, 0}, {17, 0}};
    }
    return all_depths();
}

std::vector<Matmul::Depth> Matmul::all_depths() const {
    if (has_blocks && lhs_format->plain && wide()) {
        return {{0, 32}, {32, 32}, {96, 32}, {192, 64}, {352, 352}};
    }
    if (has_blocks && lhs_format->plain) {
        return {{0, 32}, {0, 64}, {32, 32}, {64, 32}, {96, 32}, {64, 64}, {192, 64}, {256, 128}, {352, 352}};
    }
    if (has_blocks) {
        return wide() ? std::vector<Depth>{{0, 32}, {0, 64}, {32, 32}, {96, 32}, {192, 64}, {288, 288}, {512, 512}}
                      : std::vector<Depth>{{0, 32},     {0, 64},    {32, 32},     {64, 32},   {96, 32},   {64, 64},
                                           {192, 64},   {128, 128}, {384, 128},   {512, 256}, {576, 288}, {512, 512},
                                           {1024, 512}, {704, 352}, {2048, 2048}, {96, 96},   {224, 32}};
    }
    if (u.k_multiple != 0) {
        const size_t w = u.k_multiple;
        return wide() ? std::vector<Depth>{{0, 0}, {w, 0}, {3 * w, 0}}
                      : std::vector<Depth>{{0, 0}, {w, 0}, {2 * w, 0}, {3 * w, 0}, {4 * w, 0}, {5 * w, 0}, {9 * w, 0}};
    }
    if (wide()) {
        return {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {9, 0}, {17, 0}, {33, 0}, {64, 0}};
    }
    return {{0, 0},  {1, 0},  {2, 0},  {3, 0},  {4, 0},  {5, 0},  {7, 0},   {8, 0},  {16, 0},
            {17, 0}, {31, 0}, {32, 0}, {33, 0}, {63, 0}, {64, 0}, {130, 0}, {257, 0}};
}

Matmul::Depth Matmul::typical_depth() const {
    if (has_blocks) {
        return {wide() ? size_t{64} : size_t{96}, 32};
    }
    if (u.k_multiple != 0) {
        return {wide() ? u.k_multiple : u.k_multiple == 32 ? size_t{96} : 2 * u.k_multiple, 0};
    }
    return {vast() ? size_t{9} : wide() ? size_t{19} : size_t{83}, 0};
}

std::vector<Matmul::Depth> Matmul::long_depths() const {
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

std::set<size_t> Matmul::sizes_around(size_t panel, size_t step) const {
    std::set<size_t> sizes = {0, 1, panel - 1, panel, panel + 1, step - 1, step, step + 1, 17, many(step)};
    if (!wide()) {
        sizes.insert({15, 16, 31, 33});
    }
    return sizes;
}

std::set<size_t> Matmul::rows() const {
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

std::set<size_t> Matmul::columns() const {
    std::set<size_t> columns = sizes_around(rhs_tile.rows, n_step);
    for (size_t n = 1; n < 40 && !rhs_format->packed; ++n) {  // no padding: tails of every length
        columns.insert(n);
    }
    return columns;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

std::vector<uint8_t> lines_with_gaps(const GuardedBuffer& dense, size_t line, size_t gap) {
    const size_t count = dense.size() / line;
    std::vector<uint8_t> bytes(count * line + (count - 1) * gap, 0xFF);
    for (size_t i = 0; i < count; ++i) {
        std::memcpy(&bytes[i * (line + gap)], dense.data() + i * line, line);
    }
    return bytes;
}

/// All but depthwise convolution (dwconv_test.cpp).
std::vector<const kai_ukernel*> matmuls() {
    std::vector<const kai_ukernel*> ukernels = all_ukernels();
    ukernels.erase(
        std::remove_if(ukernels.begin(), ukernels.end(), [](const kai_ukernel* u) { return kai::is_depthwise(*u); }),
        ukernels.end());
    return ukernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Matmul, testing::ValuesIn(matmuls()), instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Matmul);

}  // namespace test::matmul
