// SPDX-License-Identifier: Apache-2.0
#include "test/reference/quantise.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "test/reference/float16.hpp"

namespace reference {

namespace {

float rounded(float x, Ties ties) {
    return ties == Ties::away ? std::round(x) : std::nearbyint(x);
}

int8_t saturated(float x) {
    return static_cast<int8_t>(std::min(std::max(x, -128.0f), 127.0f));
}

/// One block. Every multiplication and division is an f32 operation of its own.
void quantise_block(const Format& f, const float* x, size_t bl, Ties ties, Side& side, size_t row, size_t b) {
    float amax = 0;
    bool finite = true;
    for (size_t i = 0; i < bl; ++i) {
        finite = finite && std::isfinite(x[i]);
        amax = std::max(amax, std::fabs(x[i]));
    }
    // s: scale = amax / 127, multiplier = 1 / scale. f32 scales, and with sums: multiplier = 127 / amax, scale = 1 /
    // multiplier.
    const bool by_scale = f.scale_type == Format::f16_scale && f.offset == nullptr;
    float scale = amax / 127.0f;
    float multiplier = by_scale ? (scale == 0 ? 0 : 1.0f / scale) : (amax == 0 ? 0 : 127.0f / amax);
    if (!by_scale) {
        scale = multiplier == 0 ? 0 : 1.0f / multiplier;
    }
    const size_t block = row * side.blocks() + b;
    side.unspecified[block] = !finite;
    int32_t sum = 0;
    for (size_t i = 0; i < bl && finite; ++i) {
        const float q = rounded(x[i] * multiplier, ties);
        sum += side.q[row * side.k + b * bl + i] = std::isnan(q) ? 0 : saturated(q);
    }
    side.scale[block] = scale;
    if (f.offset != nullptr) {
        side.offset[block] = static_cast<float>(sum) * scale;
    }
    // An infinite multiplier (amax below 3.7e-37): the scale is 0, the quants may be anything.
    if (std::isinf(multiplier)) {
        side.unspecified[block] = true;
    }
}

/// The nearest code of E4M3, the even one of two; |x| <= 448.
uint8_t e4m3_from_f32(float x) {
    const auto value = [](int code) { return f32_from_f8(F8::e4m3, static_cast<uint8_t>(code)); };
    const float magnitude = std::fabs(x);
    int code = 0, above = 0x7E;  // value(code) <= magnitude <= value(above)
    while (above - code > 1) {
        const int middle = (code + above) / 2;
        (value(middle) <= magnitude ? code : above) = middle;
    }
    const float down = magnitude - value(code), up = value(above) - magnitude;
    code = up < down || (up == down && above % 2 == 0) ? above : code;
    return static_cast<uint8_t>(code | (std::signbit(x) ? 0x80 : 0));
}

/// Scales are powers of 2.
void quantise_block_to_f8(const float* x, size_t bl, Side& side, size_t row, size_t b) {
    float amax = 0;
    bool finite = true;
    for (size_t i = 0; i < bl; ++i) {
        finite = finite && std::isfinite(x[i]);
        amax = std::max(amax, std::fabs(x[i]));
    }
    const size_t block = row * side.blocks() + b;
    side.unspecified[block] = !finite;
    float scale = 0x1p-126f;
    while (finite && amax > 448 * scale) {
        scale *= 2;
    }
    side.scale[block] = scale;
    for (size_t i = 0; i < bl && finite; ++i) {
        side.q[row * side.k + b * bl + i] = static_cast<int8_t>(e4m3_from_f32(x[i] / scale));
    }
}

/// One row, with a zero point. Every operation is an f32 operation of its own.
void quantise_row(const float* x, size_t k, Ties ties, size_t L, Side& side, size_t row) {
    float lo = 0, hi = 0;
    bool nan = false;
    for (size_t i = 0; i < k; ++i) {
        nan = nan || std::isnan(x[i]);
        lo = std::min(lo, x[i]);
        hi = std::max(hi, x[i]);
    }
    const float s = lo == hi ? 1.0f : 255.0f / (hi - lo);
    const float dl = lo * s, dh = hi * s;
    float z = (-128.0f + dl) + (127.0f + dh) > 0 ? -128.0f - dl : 127.0f - dh;
    z = std::isnan(z) ? -128.0f : std::min(std::max(z, -128.0f), 127.0f);
    const auto zp = static_cast<int32_t>(std::nearbyint(z));

    const size_t whole = k / L * L;
    const size_t even = ties == Ties::away ? 0 : ties == Ties::even_in_whole_groups ? whole : whole < 8 ? 0 : whole - 8;
    const auto quant = [&](float value, Ties t) {
        const float p = value * s;
        if (std::isinf(p)) {  // to the smallest integer there is, which wraps; or to the largest
            return static_cast<int8_t>(127);
        }
        return saturated((std::isnan(p) ? 0.0f : rounded(p, t)) + static_cast<float>(zp));
    };
    for (size_t i = 0; i < k; ++i) {
        side.q[row * k + i] = quant(x[i], i < even ? Ties::even : Ties::away);
    }
    side.k_padding[row] = k == 0 ? 0 : quant(x[k - 1], Ties::away);
    side.scale[row] = s != 0 ? 1.0f / s : 0.0f;
    side.row_offset[row] = -zp;
    side.unspecified[row] = nan;
}

}  // namespace

Ties ties_of(const Format& format, const std::string& packer) {
    const auto has = [&](const char* part) { return packer.find(part) != std::string::npos; };
    if (!format.blocks) {
        return has("_bf16") ? Ties::even_in_whole_groups : has("_f16") ? Ties::even_until_8_before : Ties::away;
    }
    return has("4x8sb") || has("scalef32_f32") || format.block != 0 ? Ties::even : Ties::away;
}

std::vector<float> as_source(const std::string& source_format, std::vector<float> values) {
    const bool x8 = source_format == "x8", f16 = source_format == "f16", bf16 = source_format == "bf16";
    for (float& x : values) {
        x = x8     ? static_cast<float>(static_cast<int8_t>(bits_of(x) >> 8))
            : f16  ? f32_from_f16(f16_from_f32(x))
            : bf16 ? f32_from_bf16(bf16_from_f32(x))
                   : x;
    }
    return values;
}

Side lhs_side(
    const Format& f, const std::vector<float>& values, size_t rows, size_t k, size_t length, Ties ties, size_t L) {
    const size_t bl = f.block != 0 ? f.block : length;
    Side side;
    side.rows = rows, side.k = k, side.bl = f.blocks ? bl : 0;
    if (f.is_float()) {
        side.values = values;
        return side;
    }
    if (f.plain) {
        side.q.assign(values.begin(), values.end());
        return side;
    }
    side.q.resize(rows * k);
    if (!f.blocks) {
        side.scale.resize(rows);
        side.row_offset.resize(rows);
        side.k_padding.resize(rows);
        side.unspecified.resize(rows);
        for (size_t row = 0; row < rows; ++row) {
            quantise_row(values.data() + row * k, k, ties, L, side, row);
        }
        return side;
    }
    if (f.is_f8()) {
        side.f8 = F8::e4m3;
    }
    side.scale.resize(rows * side.blocks());
    side.unspecified.resize(rows * side.blocks());
    if (f.offset != nullptr) {
        side.offset.resize(rows * side.blocks());
    }
    for (size_t row = 0; row < rows; ++row) {
        for (size_t b = 0; b < side.blocks(); ++b) {
            const float* x = values.data() + row * k + b * bl;
            f.is_f8() ? quantise_block_to_f8(x, bl, side, row, b) : quantise_block(f, x, bl, ties, side, row, b);
        }
    }
    return side;
}

std::vector<uint8_t> encode_records(const Side& side, unsigned bits) {
    std::vector<uint8_t> bytes;
    const int added = side.table.empty() ? 8 : 0;  // not to indices
    for (size_t block = 0; block < side.rows * side.blocks(); ++block) {
        const uint16_t scale = f16_from_f32(side.scale[block]);
        bytes.push_back(static_cast<uint8_t>(scale));
        bytes.push_back(static_cast<uint8_t>(scale >> 8));
        const int8_t* q = &side.q[block * side.bl];
        if (bits == 8) {
            bytes.insert(bytes.end(), q, q + side.bl);
            continue;
        }
        for (size_t j = 0; j < side.bl / 2; ++j) {
            bytes.push_back(static_cast<uint8_t>((q[j] + added) | (q[j + side.bl / 2] + added) << 4));
        }
    }
    return bytes;
}

std::vector<uint8_t> encode_qau4(const Side& side, bool even_is_high) {
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < side.rows * side.k; i += 2) {
        const int even = side.q[i] + 8, odd = side.q[i + 1] + 8;
        bytes.push_back(static_cast<uint8_t>(even_is_high ? even << 4 | odd : odd << 4 | even));
    }
    return bytes;
}

std::vector<uint8_t> encode_lines(const Side& side, unsigned bits, int added, bool k_lines) {
    const size_t lines = k_lines ? side.k : side.rows, length = k_lines ? side.rows : side.k, per_byte = 8 / bits;
    std::vector<uint8_t> bytes;
    for (size_t line = 0; line < lines; ++line) {
        for (size_t i = 0; i < length; i += per_byte) {
            unsigned byte = 0;
            for (size_t j = i; j < i + per_byte; ++j) {
                const size_t row = k_lines ? j : line, kk = k_lines ? line : j;
                const int value = j < length ? side.q[row * side.k + kk] + added : unused_bits(line);
                byte |= (static_cast<unsigned>(value) & ((1u << bits) - 1)) << (j - i) * bits;
            }
            bytes.push_back(static_cast<uint8_t>(byte));
        }
    }
    return bytes;
}

int unused_bits(size_t line) {
    return static_cast<int>(line * 7 + 3);
}

namespace {

/// `side` with whole panels. Elements of the columns that it lacks come from element(row, kk), and scales and bias are
/// those of the last one.
template <typename Element>
Side with_whole_panels(const Side& side, size_t panel_rows, Element element) {
    Side wide = side;
    wide.rows = (side.rows + panel_rows - 1) / panel_rows * panel_rows;
    for (size_t row = side.rows; row < wide.rows; ++row) {
        for (size_t kk = 0; kk < side.k; ++kk) {
            wide.q.push_back(static_cast<int8_t>(element(row, kk)));
        }
        wide.scale.insert(wide.scale.end(), side.scale.end() - side.scales_per_row(), side.scale.end());
        if (!side.bias.empty()) {
            wide.bias.push_back(side.bias.back());
        }
    }
    return wide;
}

/// The sums of groups of `count` elements; element(g, e) is element e of group g of a block.
template <typename Element>
std::vector<float> sums_in_groups(const Side& side, size_t count, Element element) {
    std::vector<float> sums(side.rows);
    for (size_t row = 0; row < side.rows; ++row) {
        for (size_t b = 0; b < side.blocks(); ++b) {
            for (size_t g = 0; g < side.bl / count; ++g) {
                int total = 0;
                for (size_t e = 0; e < count; ++e) {
                    total += side.q[row * side.k + b * side.bl + element(g, e)];
                }
                const float product = static_cast<float>(total) * side.scale[row * side.blocks() + b];  // exact
                sums[row] += product;
            }
        }
    }
    return sums;
}

}  // namespace

Side with_nibbles_of_last_byte(const Side& side, size_t panel_rows) {
    return with_whole_panels(side, panel_rows, [&](size_t row, size_t kk) {
        const size_t from = (side.rows - 1) / 2 * 2 + row % 2;
        // Sources are stored plus 8.
        const int unused = (unused_bits(kk) & 15) - 8;
        return from < side.rows ? side.q[from * side.k + kk] : unused;
    });
}

Side with_columns_of_zeros(const Side& side, size_t panel_rows) {
    return with_whole_panels(side, panel_rows, [](size_t, size_t) { return 0; });
}

std::vector<float> sums_of_neighbours(const Side& side, size_t count) {
    return sums_in_groups(side, count, [&](size_t g, size_t e) { return g * count + e; });
}

std::vector<float> sums_of_halves(const Side& side, size_t L) {
    return sums_in_groups(side, 2 * L, [&](size_t g, size_t e) {
        const size_t per_32 = 16 / L, s = g % per_32;
        return g / per_32 * 32 + (e < L ? 0 : 16) + s * L + e % L;
    });
}

}  // namespace reference
