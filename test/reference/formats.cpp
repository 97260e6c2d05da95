// SPDX-License-Identifier: Apache-2.0
#include "test/reference/formats.hpp"

#include <algorithm>
#include <cstring>

#include "test/reference/float16.hpp"

namespace reference {

// Words as in the specification: mr or nr = rows of a panel (s.rows), L = how many k of a row lie together.

namespace qsi8d32p {  // | mr f16 scales | mr * bl int8 | per block
size_t block(const Shape& s, size_t b) {
    return b * s.rows * (s.bl + 2);
}
size_t stride(const Shape& s) {
    return s.rows * s.blocks() * (s.bl + 2);
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % s.bl;
    return {block(s, kk / s.bl) + 2 * s.rows + (i / L) * s.rows * L + r * L + i % L};
}
size_t scale(const Shape& s, size_t r, size_t b) {
    return block(s, b) + 2 * r;
}
}  // namespace qsi8d32p

namespace qsi8d32p_last {  // | mr * k int8 | nb x mr f16 scales |, groups of kr
Place place(const Shape& s, size_t r, size_t kk) {
    return {(kk / s.kr) * s.rows * s.kr + r * s.kr + kk % s.kr};
}
size_t scale(const Shape& s, size_t r, size_t b) {
    return s.rows * s.k + (b * s.rows + r) * 2;
}
}  // namespace qsi8d32p_last

namespace qsi8d32pscalef32 {  // | mr * bl int8 | mr f32 sums | mr f32 scales | per block
size_t block(const Shape& s, size_t b) {
    return b * s.rows * (s.bl + 8);
}
size_t stride(const Shape& s) {
    return s.rows * s.blocks() * (s.bl + 8);
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % s.bl;
    return {block(s, kk / s.bl) + (i / L) * s.rows * L + r * L + i % L};
}
size_t sum(const Shape& s, size_t r, size_t b) {
    return block(s, b) + s.rows * s.bl + 4 * r;
}
size_t scale(const Shape& s, size_t r, size_t b) {
    return block(s, b) + s.rows * s.bl + 4 * s.rows + 4 * r;
}
}  // namespace qsi8d32pscalef32

namespace qai8dxp {  // | mr * kp int8 | mr int32 minus the zero points | mr f32 scales |, kp = k up to a multiple of 32
size_t values(const Shape& s) {
    return s.rows * ((s.k + 31) / 32 * 32);
}
size_t stride(const Shape& s) {
    return values(s) + 8 * s.rows;
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t L = s.kr / s.sr;
    return {(kk / L) * s.rows * L + r * L + kk % L};
}
size_t offset(const Shape& s, size_t r) {
    return values(s) + 4 * r;
}
size_t scale(const Shape& s, size_t r) {
    return values(s) + 4 * s.rows + 4 * r;
}
}  // namespace qai8dxp

namespace qsi4c32p {  // | nr f16 scales | nr * bl / 2 bytes | per block; a byte holds j and j + bl / 2
size_t block(const Shape& s, size_t b) {
    return b * s.rows * (s.bl / 2 + 2);
}
size_t stride(const Shape& s) {
    return s.rows * s.blocks() * (s.bl / 2 + 2);
}
Place place(const Shape& s, size_t c, size_t kk) {
    const size_t S = s.kr / 2, i = kk % s.bl, j = i % (s.bl / 2);
    return {block(s, kk / s.bl) + 2 * s.rows + (j / S) * s.rows * S + c * S + j % S, i < s.bl / 2 ? 0u : 4u};
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return block(s, b) + 2 * c;
}
}  // namespace qsi4c32p

namespace qai4c32p {  // | nr * bl / 2 bytes | nr f32 zeros | nr f32 scales / 16 | per block, then | nr f32 biases |
size_t block(const Shape& s, size_t b) {
    return b * s.rows * (s.bl / 2 + 8);
}
size_t stride(const Shape& s) {
    return s.rows * (s.blocks() * (s.bl / 2 + 8) + 4);
}
Place place(const Shape& s, size_t c, size_t kk) {  // of every 32 values, a byte holds i and i + 16
    const size_t S = s.kr / s.sr, i = kk % s.bl, t = i / 32 * 16 + i % 16;
    return {block(s, kk / s.bl) + (t / S) * s.rows * S + c * S + t % S, i % 32 < 16 ? 0u : 4u};
}
size_t zero(const Shape& s, size_t c, size_t b) {
    return block(s, b) + s.rows * s.bl / 2 + 4 * c;
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return block(s, b) + s.rows * s.bl / 2 + 4 * s.rows + 4 * c;
}
size_t bias(const Shape& s, size_t c) {
    return s.blocks() * s.rows * (s.bl / 2 + 8) + 4 * c;
}
}  // namespace qai4c32p

namespace qai4c32ps1s0nrx4 {  // | nr * bl / 2 bytes | nr f32 zeros | nr f32 scales | per block, then | nr f32 biases |
size_t block(const Shape& s, size_t b) {
    return b * s.rows * (s.bl / 2 + 8);
}
size_t stride(const Shape& s) {
    return s.rows * (s.blocks() * (s.bl / 2 + 8) + 4);
}
Place place(const Shape& s, size_t c, size_t kk) {  // groups of four: v0 | v1 << 4, v2 | v3 << 4
    const size_t i = kk % s.bl, g = i / 4;
    return {block(s, kk / s.bl) + (g * s.rows + c) * 2 + i % 4 / 2, i % 2 == 0 ? 0u : 4u};
}
size_t zero(const Shape& s, size_t c, size_t b) {
    return block(s, b) + s.rows * s.bl / 2 + 4 * c;
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return block(s, b) + s.rows * s.bl / 2 + 4 * s.rows + 4 * c;
}
size_t bias(const Shape& s, size_t c) {
    return s.blocks() * s.rows * (s.bl / 2 + 8) + 4 * c;
}
}  // namespace qai4c32ps1s0nrx4

namespace f32p {  // groups of kr elements of each row
size_t padded_k(const Shape& s) {
    return (s.k + s.kr - 1) / s.kr * s.kr;
}
size_t stride(const Shape& s) {
    return s.rows * padded_k(s) * 4;
}
Place place(const Shape& s, size_t r, size_t x) {
    return {4 * ((x / s.kr) * s.rows * s.kr + r * s.kr + x % s.kr)};
}
}  // namespace f32p

namespace f32pbiasf32 {  // | nr f32 biases | and then as f32p
size_t stride(const Shape& s) {
    return s.rows * (4 + f32p::padded_k(s) * 4);
}
Place place(const Shape& s, size_t c, size_t x) {
    return {s.rows * 4 + 4 * ((x / s.kr) * s.rows * s.kr + c * s.kr + x % s.kr)};
}
size_t bias(const Shape&, size_t c) {
    return 4 * c;
}
}  // namespace f32pbiasf32

const std::vector<Format>& formats() {
    // clang-format off
    static const std::vector<Format> table = {
        // name               lhs    element      scale  rows that do not exist, stored scale
        {"qsi8d32p",          true,  Format::i8,  2,     Format::untouched, 1, qsi8d32p::stride, qsi8d32p::place, qsi8d32p::scale, nullptr, nullptr},
        {"qsi8d32p_last",     true,  Format::i8,  2,     Format::untouched, 1, qsi8d32p::stride, qsi8d32p_last::place, qsi8d32p_last::scale, nullptr, nullptr},
        {"qsi8d32pscalef32",  true,  Format::i8,  4,     Format::untouched, 1, qsi8d32pscalef32::stride, qsi8d32pscalef32::place, qsi8d32pscalef32::scale, qsi8d32pscalef32::sum, nullptr},
        {"qai8dxp",           true,  Format::i8,  0,     Format::untouched, 1, qai8dxp::stride, qai8dxp::place, nullptr, nullptr, nullptr, 32, qai8dxp::offset, qai8dxp::scale},
        {"qsi4c32p",          false, Format::i4,  2,     Format::last_row,  1, qsi4c32p::stride, qsi4c32p::place, qsi4c32p::scale, nullptr, nullptr},
        {"qai4c32p",          false, Format::i4,  4,     Format::last_row_and_bias, 0.0625f, qai4c32p::stride, qai4c32p::place, qai4c32p::scale, qai4c32p::zero, qai4c32p::bias},
        {"qai4c32ps1s0nrx4",  false, Format::u4,  4,     Format::last_row,  1, qai4c32ps1s0nrx4::stride, qai4c32ps1s0nrx4::place, qai4c32ps1s0nrx4::scale, qai4c32ps1s0nrx4::zero, qai4c32ps1s0nrx4::bias},
        {"f32p",              true,  Format::f32, 0,     Format::zeros,     1, f32p::stride, f32p::place, nullptr, nullptr, nullptr},
        {"f32pbiasf32",       false, Format::f32, 0,     Format::zeros,     1, f32pbiasf32::stride, f32pbiasf32::place, nullptr, nullptr, f32pbiasf32::bias},
    };
    // clang-format on
    return table;
}

const Format* find_format(const std::string& name) {
    for (const Format& format : formats()) {
        if (name == format.name) {
            return &format;
        }
    }
    return nullptr;
}

Side Side::part(size_t first, size_t count) const {
    const auto rows_of = [&](const auto& all, size_t per_row) {
        return all.empty() ? all
                           : std::decay_t<decltype(all)>(
                                 all.begin() + first * per_row, all.begin() + (first + count) * per_row);
    };
    Side p;
    p.rows = count, p.k = k, p.bl = bl;
    p.values = rows_of(values, k);
    p.q = rows_of(q, k);
    p.scale = rows_of(scale, blocks());
    p.offset = rows_of(offset, blocks());
    p.bias = rows_of(bias, 1);
    p.unspecified = rows_of(unspecified, blocks());
    p.row_offset = rows_of(row_offset, 1);
    p.row_scale = rows_of(row_scale, 1);
    p.k_padding = rows_of(k_padding, 1);
    return p;
}

namespace {

/// Writes into one panel.
struct Panel {
    Packed& packed;
    size_t start;

    template <typename T>
    void put(size_t at, T value, Packed::State state = Packed::exact) {
        std::memcpy(&packed.bytes.at(start + at), &value, sizeof(T));
        std::fill_n(packed.state.begin() + start + at, sizeof(T), state);
    }
    void put_nibble(Place place, unsigned value) {
        uint8_t& byte = packed.bytes.at(start + place.byte);
        byte = static_cast<uint8_t>((byte & ~(15u << place.shift)) | (value & 15) << place.shift);
        packed.state[start + place.byte] = Packed::exact;
    }
};

/// Row `row` of `side` into slot r of a panel; `missing`: the row does not exist, `row` is the one that padding
/// repeats.
void pack_row(const Format& f, const Shape& s, const Side& side, size_t row, Panel panel, size_t r, bool missing) {
    const bool zero = missing && f.padding == Format::zeros;
    const size_t stored_k = (side.k + f.k_multiple - 1) / f.k_multiple * f.k_multiple;
    for (size_t kk = 0; kk < stored_k; ++kk) {
        const Place place = f.place(s, r, kk);
        const size_t from = row * side.k + kk;
        const int q = f.element == Format::f32 || zero ? 0
                      : kk < side.k                    ? side.q[from]
                      : side.k_padding.empty()         ? 0
                                                       : side.k_padding[row];
        const bool any = !side.unspecified.empty() && side.unspecified[row * side.blocks() + kk / side.bl];
        switch (f.element) {
            case Format::f32:
                panel.put(place.byte, zero ? 0.0f : side.values[from]);
                break;
            case Format::i8:
                panel.put(place.byte, static_cast<int8_t>(q), any ? Packed::any : Packed::exact);
                break;
            case Format::i4:
            case Format::u4:
                panel.put_nibble(place, static_cast<unsigned>(q + (f.element == Format::u4 ? 8 : 0)));
                break;
        }
    }
    for (size_t b = 0; b < side.blocks(); ++b) {
        const size_t from = row * side.blocks() + b;
        const Packed::State state = !side.unspecified.empty() && side.unspecified[from] ? Packed::any : Packed::exact;
        if (f.scale_bytes == 2) {
            panel.put(f.scale(s, r, b), f16_from_f32(side.scale[from]), state);
        } else if (f.scale_bytes == 4) {
            panel.put(f.scale(s, r, b), side.scale[from] * f.stored_scale, state);
        }
        if (f.offset != nullptr) {
            panel.put(f.offset(s, r, b), side.offset[from], state);
        }
    }
    if (f.row_offset != nullptr) {
        panel.put(f.row_offset(s, r), zero ? 0 : side.row_offset[row]);
        panel.put(f.row_scale(s, r), zero ? 0.0f : side.row_scale[row] * f.stored_scale);
    }
    if (f.bias != nullptr) {
        const bool none = side.bias.empty() || (missing && f.padding != Format::last_row_and_bias);
        panel.put(f.bias(s, r), none ? 0.0f : side.bias[row]);
    }
}

}  // namespace

Packed pack(const Format& f, const Side& side, Tile tile, size_t first_slot) {
    const Shape s = {tile.rows, tile.kr, tile.sr, side.k, side.bl};
    const size_t panels = side.rows == 0 ? 0 : (first_slot + side.rows + tile.rows - 1) / tile.rows;
    const size_t stride = f.stride(s);
    Packed packed = {std::vector<uint8_t>(panels * stride), std::vector<Packed::State>(panels * stride)};
    for (size_t slot = first_slot; slot < panels * tile.rows; ++slot) {
        const bool missing = slot - first_slot >= side.rows;
        if (!missing || f.padding != Format::untouched) {
            const size_t row = missing ? side.rows - 1 : slot - first_slot;
            pack_row(f, s, side, row, {packed, slot / tile.rows * stride}, slot % tile.rows, missing);
        }
    }
    return packed;
}

std::vector<uint8_t> pack_for_kernel(const Format& f, const Side& side, Tile tile) {
    Format unpadded = f;
    unpadded.padding = Format::untouched;
    Packed packed = pack(unpadded, side, tile);
    for (size_t i = 0; i < packed.bytes.size(); ++i) {
        if (packed.state[i] == Packed::untouched) {
            packed.bytes[i] = 0xFF;
        }
    }
    return packed.bytes;
}

}  // namespace reference
