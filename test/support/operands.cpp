// SPDX-License-Identifier: Apache-2.0
#include "test/support/operands.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "kai/call.hpp"
#include "test/reference/float16.hpp"
#include "test/support/recent.hpp"

namespace test {

using reference::Format;
using reference::Side;

namespace {

/// -1 or 1: of large and extreme rows all of one, or one after the other.
int quant_of_bit(Data data, size_t row, size_t kk, Random& random) {
    if (data == Data::random || data == Data::exact || row % 4 == 3) {
        return 2 * random.integer(0, 1) - 1;
    }
    return row % 4 == 0 ? -1 : row % 4 == 1 || kk % 2 == 0 ? 1 : -1;
}

/// A code that is a finite number.
int code_of_f8(const Format& f, Data data, size_t row, size_t kk, Random& random) {
    const bool e4m3 = f.element == Format::f8e4m3;
    const int one = e4m3 ? 0x38 : 0x3C, step = e4m3 ? 8 : 4, most = e4m3 ? 0x7E : 0x7B;  // 1; from 1 to 2; the largest
    const int sign = random.integer(0, 1) << 7;
    switch (data) {
        case Data::random:  // all of them, the most as large as 1
            return sign | (random.integer(0, 3) == 0 ? random.integer(0, most) : one - random.integer(0, 3 * step));
        case Data::exact:
            return sign | (random.integer(0, 2) == 0 ? 0 : one + random.integer(0, 1) * step);
        default:
            return row % 4 == 0   ? most
                   : row % 4 == 1 ? most | 0x80
                   : row % 4 == 2 ? (kk % 2 == 0 ? 1 : 0x81)
                                  : sign | random.integer(0, most);
    }
}

int quant(const Format& f, Data data, size_t row, size_t kk, Random& random) {
    if (f.is_f8()) {
        return code_of_f8(f, data, row, kk, random);
    }
    if (f.element == Format::b1) {
        return quant_of_bit(data, row, kk, random);
    }
    const bool wide = f.element == Format::i8, index = f.element == Format::u2 || f.element == Format::l4;
    const bool six = f.element == Format::i6 || f.element == Format::u6,
               natural = f.element == Format::n2 || f.element == Format::n4 || f.element == Format::n5;
    const bool ternary = f.element == Format::t2, two = f.element == Format::s2 || ternary;
    const bool three = f.element == Format::i3;
    const int lo = ternary            ? -1
                   : two              ? -2
                   : three            ? -4
                   : wide             ? f.high != nullptr ? -127 : -128
                   : index || natural ? 0
                   : six              ? -32
                                      : -8;
    const int hi = wide                                                 ? 127
                   : ternary                                            ? 2
                   : two                                                ? 1
                   : three || f.element == Format::n2                   ? 3
                   : f.element == Format::n5 || six                     ? 31
                   : f.element == Format::n4 || f.element == Format::l4 ? 15
                   : index                                              ? 3
                                                                        : 7;
    switch (data) {
        case Data::random:
            return random.integer(wide && f.blocks ? -127 : lo, hi);
        case Data::exact:
            return index || two ? random.integer(lo, hi) : random.integer(natural ? 0 : -3, 3);
        case Data::large:
            if (f.row_offset != nullptr) {  // see row_offset: rows of (nearly) zero, the largest ones, and any
                switch (row % 5) {
                    case 0:
                        return 127 - (kk % 97 == 5);
                    case 1:
                        return -128 + (kk % 97 == 7);
                    case 2:
                        return -128;
                    case 3:
                        return 127;
                    default:
                        return random.integer(lo, hi);
                }
            }
            switch (row % 4) {
                case 0:
                    return lo;
                case 1:
                    return hi;
                case 2:
                    return kk % 2 ? lo : hi;
                default:
                    return random.integer(lo, hi);
            }
        case Data::extreme:
            switch (row % 6) {
                case 0:
                    return lo;
                case 1:
                    return hi;
                case 2:
                    return 0;
                case 3:
                    return kk % 2 ? lo : hi;
                case 4:
                    return wide ? -127 : lo;
                default:
                    return random.integer(lo, hi);
            }
    }
    return 0;
}

float scale(const Format& f, Data data, size_t row, Random& random) {
    const bool narrow = f.scale_type == Format::f16_scale;
    const auto as_stored = [&](float x) { return reference::as_stored(f.scale_type, x); };
    switch (data) {
        case Data::random:
        case Data::large:
            return as_stored(random.real(0x1p-8f, 1.0f) * (random.integer(0, 7) == 0 && !f.lhs ? -1.0f : 1.0f));
        case Data::exact:
            return random.integer(0, 1) ? 2.0f : 0.5f;
        case Data::extreme:
            switch (row % 5) {
                case 0:
                    return narrow ? 65504.0f : 0x1p50f;
                case 1:
                    return narrow ? 0x1p-24f : 0x1p-100f;  // the smallest subnormal f16
                case 2:
                    return 0.0f;
                case 3:
                    return as_stored(random.real(0x1p-20f, 0x1p-14f));
                default:
                    return as_stored(random.real(0.0f, 1.0f));
            }
    }
    return 0;
}

/// Of a sub-block.
int sub_scale(const Format& f, Data data, size_t row, Random& random) {
    switch (data) {
        case Data::random:
            return random.integer(f.sub_least, f.sub_most);
        case Data::exact:
            return random.integer(std::max(f.sub_least, -2), 2);
        default:
            return row / 4 % 3 == 0   ? f.sub_most
                   : row / 4 % 3 == 1 ? f.sub_least
                                      : random.integer(f.sub_least, f.sub_most);
    }
}

/// Minus a zero point: -127 to 128.
int32_t row_offset(Data data, size_t row, Random& random) {
    switch (data) {
        case Data::random:
            return random.integer(-127, 128);
        case Data::exact:
            return random.integer(-4, 4);
        case Data::large:
            return row % 5 == 1 || row % 5 == 3 ? 128 : row % 5 == 4 ? random.integer(-127, 128) : -127;
        case Data::extreme:
            return row % 4 == 0 ? -127 : row % 4 == 1 ? 128 : row % 4 == 2 ? 0 : random.integer(-127, 128);
    }
    return 0;
}

/// Of random data, which packers get too, two values add up to an int8, as these may rely on.
std::vector<int32_t> table(Data data, Random& random) {
    switch (data) {
        case Data::random:
            return {random.integer(-63, -1), random.integer(-63, 63), random.integer(-63, 63), random.integer(1, 63)};
        case Data::exact:
            return {-2, -1, 0, 1};
        case Data::large:
        case Data::extreme:
            return {-128, 127, 0, -1};  // nor do kernels care whether two values add up
    }
    return {};
}

/// 16 values.
std::vector<int32_t> wide_table(Data data, Random& random) {
    std::vector<int32_t> values;
    for (int i = 0; i < 16; ++i) {
        values.push_back(
            data == Data::exact    ? i % 7 - 2
            : data == Data::random ? random.integer(-128, 127)
            : i == 0               ? -128
            : i == 15              ? 127
                                   : random.integer(-128, 127));
    }
    return values;
}

/// Of a type with the range of f16, or of f32.
float value(Data data, size_t row, bool narrow, Random& random) {
    switch (data) {
        case Data::random:
        case Data::large:
            return random.real(-1.0f, 1.0f);
        case Data::exact:
            return static_cast<float>(narrow ? random.integer(-1, 1) : random.integer(-8, 8));  // sums are exact in f16
        case Data::extreme:
            switch (row % 5) {
                case 0:
                    return random.real(-1.0f, 1.0f) * (narrow ? 0x1p-16f : 0x1p-130f);  // subnormal
                case 1:
                    return random.real(-1.0f, 1.0f) * (narrow ? 0x1p4f : 0x1p40f);
                case 2:
                    return 0.0f;
                case 3:
                    return 0.37f;
                default:
                    return random.real(-1.0f, 1.0f) * (narrow ? 0x1p-8f : 0x1p-60f);
            }
    }
    return 0;
}

/// An int32 bias that a float has, too.
float integer_bias(Data data, size_t row, Random& random) {
    switch (data) {
        case Data::random:
            return static_cast<float>(random.integer(-20000, 20000));
        case Data::exact:
            return static_cast<float>(random.integer(-8, 8));
        default:
            return row % 4 == 0   ? 0x1p30f
                   : row % 4 == 1 ? -0x1p31f
                   : row % 4 == 2 ? 0.0f
                                  : static_cast<float>(random.integer(-0x7FFFFF, 0x7FFFFF));
    }
}

float bias(const Format& f, Data data, size_t row, Random& random) {
    if (f.bias_type == Format::i32_bias) {
        return integer_bias(data, row, random);
    }
    const float x = value(data, row, f.bias_type == Format::f16_bias, random);
    return f.bias_type == Format::f16_bias ? reference::f32_from_f16(reference::f16_from_f32(x)) : x;
}

/// As the format has it.
float element(const Format& f, float x) {
    return f.element == Format::f16    ? reference::f32_from_f16(reference::f16_from_f32(x))
           : f.element == Format::bf16 ? reference::f32_from_bf16(reference::bf16_from_f32(x))
                                       : x;
}

/// @name Loops over the elements of a row
/// Flat functions of their own: calls, and branches to another page of code, take long under emulation.
/// @{
[[gnu::noinline, gnu::flatten]] void add_values(const Format& f, Data data, size_t row, Random& random, Side& side) {
    for (size_t kk = 0; kk < side.k; ++kk) {
        side.values.push_back(element(f, value(data, row, f.element == Format::f16, random)));
    }
}
[[gnu::noinline, gnu::flatten]] void add_quants(const Format& f, Data data, size_t row, Random& random, Side& side) {
    const int flips = f.has_unsigned ? 0x80 : 0;  // the least unsigned value is 0
    for (size_t kk = 0; kk < side.k; ++kk) {
        side.q.push_back(static_cast<int8_t>(quant(f, data, row, kk, random) ^ flips));
    }
}
/// @}

Side new_side(const Format& f, Data data, size_t rows, size_t k, size_t length, Random& random) {
    const size_t bl = f.block != 0 ? f.block : length;
    Side side;
    side.rows = rows, side.k = k, side.bl = f.blocks ? bl : 0;
    side.is_unsigned = f.has_unsigned;
    if (f.is_f8()) {
        side.f8 = f.element == Format::f8e4m3 ? reference::F8::e4m3 : reference::F8::e5m2;
    }
    side.sub = f.sub;
    if (f.element == Format::u2) {
        side.table = table(data, random);
    } else if (f.element == Format::l4) {
        side.table = wide_table(data, random);
    }
    for (size_t row = 0; row < rows; ++row) {
        f.is_float() ? add_values(f, data, row, random, side) : add_quants(f, data, row, random, side);
        for (size_t j = 0; f.sub != 0 && j < k / f.sub; ++j) {
            side.sub_scale.push_back(sub_scale(f, data, row, random));
            if (f.sub_min != nullptr) {
                side.sub_min.push_back(sub_scale(f, data, row, random));
            }
        }
        const size_t scales = f.scale_type == Format::no_scale ? 0 : f.blocks ? side.blocks() * f.scales_per_block : 1;
        for (size_t b = 0; b < scales; ++b) {
            side.scale.push_back(scale(f, data, row, random));
            if (f.min_scale != nullptr) {
                side.min_scale.push_back(scale(f, data, row, random));
            }
            if (f.offset != nullptr && f.lhs) {
                int sum = 0;
                for (size_t i = 0; i < bl; ++i) {
                    sum += side.q[row * k + b * bl + i];
                }
                side.offset.push_back(reference::as_stored(f.offset_type, static_cast<float>(sum) * side.scale.back()));
            } else if (f.offset != nullptr) {
                side.offset.push_back(reference::as_stored(f.offset_type, value(data, row, false, random)));
            }
        }
        if (f.row_offset != nullptr) {
            side.row_offset.push_back(row_offset(data, row, random));
            side.k_padding.push_back(static_cast<int8_t>(quant(f, data, row, k, random)));
        }
        if (f.sum != nullptr && f.blocks) {
            float sum = 0;
            for (size_t kk = 0; kk < k; ++kk) {
                sum += static_cast<float>(side.q[row * k + kk]) * side.scale[row * scales + kk / bl];
            }
            side.sum.push_back(sum);
        }
        if (f.bias != nullptr) {
            side.bias.push_back(bias(f, data, row, random));
        }
    }
    return side;
}

/// What make_side returned for a format of this name, and the random numbers after it.
struct MadeSide {
    const char* format;
    Data data;
    size_t rows, k, bl;
    Random before;
    Side side;
    Random after;
};

struct PackedSide {
    const char* format;
    reference::Tile tile;
    Side side;
    std::vector<uint8_t> bytes;
};

}  // namespace

Side make_side(const Format& f, Data data, size_t rows, size_t k, size_t bl, Random& random) {
    static Recent<MadeSide> recent;
    const auto is_same = [&](const MadeSide& s) {
        return s.format == f.name && s.data == data && s.rows == rows && s.k == k && s.bl == bl && s.before == random;
    };
    const auto make = [&] {
        const Random before = random;
        Side side = new_side(f, data, rows, k, bl, random);
        return MadeSide{f.name, data, rows, k, bl, before, std::move(side), random};
    };
    const MadeSide& made = recent.get(key_of(data, rows, k, bl), is_same, make);
    random = made.after;
    return made.side;
}

std::vector<uint8_t> packed(const Format& f, const Side& side, reference::Tile tile) {
    static Recent<PackedSide> recent;
    const auto is_same = [&](const PackedSide& p) {
        return p.format == f.name && p.tile.rows == tile.rows && p.tile.kr == tile.kr && p.tile.sr == tile.sr &&
               p.side.is_same(side);
    };
    const auto make = [&] { return PackedSide{f.name, tile, side, reference::pack_for_kernel(f, side, tile)}; };
    return recent.get(key_of(side.fingerprint(), tile.rows, tile.kr, tile.sr), is_same, make).bytes;
}

std::vector<float> make_floats(size_t rows, size_t k, bool special, Random& random) {
    std::vector<float> values(rows * k);
    for (size_t row = 0; row < rows; ++row) {
        const float magnitude = std::ldexp(1.0f, random.integer(-6, 6));
        for (size_t kk = 0; kk < k; ++kk) {
            float& x = values[row * k + kk];
            x = random.real(-magnitude, magnitude);
            switch (special ? row % 16 : 0) {
                case 1:  // amax 127: the multiplier is 1, every half is a tie
                    x = kk % 32 == 5 ? 127.0f : static_cast<float>(random.integer(-126, 125)) + 0.5f;
                    break;
                case 2:  // amax 254: every odd number is a tie
                    x = kk % 32 == 31 ? -254.0f : static_cast<float>(random.integer(-253, 253));
                    break;
                case 3:
                    x = 0.0f;
                    break;
                case 4:
                    x = -0.0f;
                    break;
                case 5:
                    x *= 0x1p-120f;  // tiny: the multiplier is near its overflow
                    break;
                case 6:
                    x = reference::float_of(static_cast<uint32_t>(random.next() & 0x807FFFFFu));  // subnormal
                    break;
                case 7:
                    x *= 0x1p100f;  // an f16 scale is infinite
                    break;
                case 8:
                    x = kk % 64 == 3 ? -INFINITY : x;
                    break;
                case 9:
                    x = kk % 64 == 40 ? reference::float_of(0x7FC12345u) : x;
                    break;
                case 10:
                    x *= 0x1p-18f;  // subnormal f16 scales
                    break;
                case 11:
                    x = -0.731f;
                    break;
                case 12:  // as near to ties as floats come: the last bit of the multiplier decides
                case 13:
                    x = kk % 32 == 0 ? magnitude * 1.37f + static_cast<float>(row + kk)
                                     : (static_cast<float>(random.integer(-126, 125)) + 0.5f) *
                                           (values[row * k + kk / 32 * 32] / 127.0f);
                    break;
                case 14:  // a range of 255: with a zero point the multiplier is 1; values that bf16 has, too
                    x = kk % 32 == 0 ? -127.5f : kk % 32 == 1 ? 127.5f : random.integer(-255, 255) * 0.5f;
                    break;
                case 15:
                    x = kk % 32 == 0 ? 255.0f : random.integer(0, 255) * 0.5f;
                    break;
                default:
                    break;
            }
        }
    }
    return values;
}

bool sums_in_f16(const kai_ukernel& u) {
    const reference::Format* rhs = reference::find_format(u.rhs_format);
    const uint64_t widening = uint64_t{1} << KAI_CPU_SVE2P1 | uint64_t{1} << KAI_CPU_SME | uint64_t{1} << KAI_CPU_SME2;
    return u.dst_type == kai_dt_f16 && rhs != nullptr && rhs->element == reference::Format::f16 &&
           (u.features & widening) == 0 && std::strstr(u.family, "_sumf32") == nullptr;
}

bool is_unified_unsigned(const kai_ukernel& u) {
    return kai::is_unified(u) && std::strcmp(u.rhs_format, "x8p") == 0;  // int8 weights have scales in their format
}

}  // namespace test
