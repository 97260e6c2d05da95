// SPDX-License-Identifier: Apache-2.0
#include "test/reference/formats.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <string_view>

#include "test/reference/float16.hpp"

namespace reference {

// Words as in the specification: mr or nr = rows of a panel (s.rows), L = how many k of a row are stored together.

namespace qsi8d32p {  // and qsi8c32p: | mr f16 scales | mr * bl int8 | per block
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

namespace qsi8d32psumf16 {  // | mr * 32 int8 | mr f16 sums | mr f16 scales | per block
size_t block(const Shape& s, size_t b) {
    return b * s.rows * 36;
}
size_t stride(const Shape& s) {
    return s.rows * s.k / 32 * 36;
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t L = s.kr / s.sr, j = kk % 32;
    return {block(s, kk / 32) + (j / L * s.rows + r) * L + j % L};
}
size_t sum(const Shape& s, size_t r, size_t b) {
    return block(s, b) + s.rows * 32 + 2 * r;
}
size_t scale(const Shape& s, size_t r, size_t b) {
    return block(s, b) + s.rows * 34 + 2 * r;
}
}  // namespace qsi8d32psumf16

/// A number that is a byte.
template <size_t (*at)(const Shape&, size_t r, size_t b, size_t j)>
PartList byte(const Shape& s, size_t r, size_t b, size_t j) {
    return {{at(s, r, b, j), 0, 8, 0}};
}

// | nr f16 d | nr f16 dmin | nr x 8 minima, groups of L | 8 x nr scales | nr * 128 bytes | per super-block of 256:
// byte 32 * (i / 64) + i % 32 of a column has element i low if i % 64 < 32, else high
namespace qau4c32x256p {
size_t block(const Shape& s, size_t b) {
    return b * s.rows * 148;
}
size_t stride(const Shape& s) {
    return block(s, s.k / 256);
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % 256, j = 32 * (i / 64) + i % 32;
    return {block(s, kk / 256) + 20 * s.rows + (j / L) * s.rows * L + r * L + j % L, i % 64 < 32 ? 0u : 4u};
}
size_t d(const Shape& s, size_t r, size_t b) {
    return block(s, b) + 2 * r;
}
size_t dmin(const Shape& s, size_t r, size_t b) {
    return block(s, b) + 2 * s.rows + 2 * r;
}
size_t mn(const Shape& s, size_t r, size_t b, size_t j) {
    const size_t L = s.kr / s.sr;
    return block(s, b) + 4 * s.rows + (j / L) * s.rows * L + r * L + j % L;
}
size_t sc(const Shape& s, size_t r, size_t b, size_t j) {
    return block(s, b) + 12 * s.rows + j * s.rows + r;
}
}  // namespace qau4c32x256p
// The same with nr * 32 bytes before the bytes of values: bit i / 32 of byte i % 32 of a column is bit 4 of element i
namespace qau5c32x256p {
size_t block(const Shape& s, size_t b) {
    return b * s.rows * 180;
}
size_t stride(const Shape& s) {
    return block(s, s.k / 256);
}
/// Byte j of a column among such bytes.
size_t interleaved(const Shape& s, size_t r, size_t j) {
    const size_t L = s.kr / s.sr;
    return (j / L) * s.rows * L + r * L + j % L;
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t i = kk % 256;
    return {block(s, kk / 256) + 52 * s.rows + interleaved(s, r, 32 * (i / 64) + i % 32), i % 64 < 32 ? 0u : 4u};
}
Place fifth(const Shape& s, size_t r, size_t kk) {
    const size_t i = kk % 256;
    return {block(s, kk / 256) + 20 * s.rows + interleaved(s, r, i % 32), static_cast<unsigned>(i / 32)};
}
size_t d(const Shape& s, size_t r, size_t b) {
    return block(s, b) + 2 * r;
}
size_t dmin(const Shape& s, size_t r, size_t b) {
    return block(s, b) + 2 * s.rows + 2 * r;
}
size_t mn(const Shape& s, size_t r, size_t b, size_t j) {
    return block(s, b) + 4 * s.rows + interleaved(s, r, j);
}
size_t sc(const Shape& s, size_t r, size_t b, size_t j) {
    return block(s, b) + 12 * s.rows + j * s.rows + r;
}
}  // namespace qau5c32x256p
// | 16 int8 table | zeros up to nr * 4 | per super-block of 256: | nr f16 d | 8 x nr scales | nr * 128 bytes |:
// byte 16 * (i / 32) + i % 16 of a column has the index of element i low if i % 32 < 16, else high
namespace qlu4c32x256p {
size_t block(const Shape& s, size_t b) {
    return s.rows * (4 + b * 138);
}
size_t stride(const Shape& s) {
    return block(s, s.k / 256);
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % 256, j = 16 * (i / 32) + i % 16;
    return {block(s, kk / 256) + 10 * s.rows + (j / L) * s.rows * L + r * L + j % L, i % 32 < 16 ? 0u : 4u};
}
size_t d(const Shape& s, size_t r, size_t b) {
    return block(s, b) + 2 * r;
}
size_t sc(const Shape& s, size_t r, size_t b, size_t j) {
    return block(s, b) + 2 * s.rows + j * s.rows + r;
}
}  // namespace qlu4c32x256p
// The same, but groups of four elements: v0 | v1 << 4, v2 | v3 << 4
namespace qlu4c32x256ps1s0 {
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t i = kk % 256;
    return {
        qlu4c32x256p::block(s, kk / 256) + 10 * s.rows + (i / 4 * s.rows + r) * 2 + i % 4 / 2, i % 2 == 0 ? 0u : 4u};
}
}  // namespace qlu4c32x256ps1s0
namespace qsi8d256p {  // | mr f32 scales | mr x 8 int8 high | mr x 8 int8 low | mr * 256 int8 | per block of 256
size_t block(const Shape& s, size_t b) {
    return b * s.rows * 276;
}
size_t stride(const Shape& s) {
    return block(s, s.k / 256);
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % 256;
    return {block(s, kk / 256) + 20 * s.rows + (i / L) * s.rows * L + r * L + i % L};
}
size_t scale(const Shape& s, size_t r, size_t b) {
    return block(s, b) + 4 * r;
}
size_t high(const Shape& s, size_t r, size_t b, size_t j) {
    return block(s, b) + 4 * s.rows + 8 * r + j;
}
size_t low(const Shape& s, size_t r, size_t b, size_t j) {
    return block(s, b) + 12 * s.rows + 8 * r + j;
}
}  // namespace qsi8d256p
// The same with 16 sums of 16: high of sums 0 to 7 of all rows, of 8 to 15, then low
namespace qsi8d16x256p {
size_t block(const Shape& s, size_t b) {
    return b * s.rows * 292;
}
size_t stride(const Shape& s) {
    return block(s, s.k / 256);
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % 256;
    return {block(s, kk / 256) + 36 * s.rows + (i / L) * s.rows * L + r * L + i % L};
}
size_t scale(const Shape& s, size_t r, size_t b) {
    return block(s, b) + 4 * r;
}
size_t high(const Shape& s, size_t r, size_t b, size_t j) {
    return block(s, b) + 4 * s.rows + j / 8 * 8 * s.rows + 8 * r + j % 8;
}
size_t low(const Shape& s, size_t r, size_t b, size_t j) {
    return high(s, r, b, j) + 16 * s.rows;
}
}  // namespace qsi8d16x256p
// | nr f16 d | nr f16 dmin | 16 * nr bytes: low nibbles scales, [sub-block][column], high nibbles minima, groups of L |
// nr * 64 bytes | per block of 256: byte 32 * (i / 128) + i % 32 of a column has element i, from bit 2 * (i % 128 / 32)
namespace qau2c16x256p {
size_t block(const Shape& s, size_t b) {
    return b * s.rows * 84;
}
size_t stride(const Shape& s) {
    return block(s, s.k / 256);
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % 256, j = 32 * (i / 128) + i % 32;
    return {
        block(s, kk / 256) + 20 * s.rows + (j / L) * s.rows * L + r * L + j % L,
        static_cast<unsigned>(2 * (i % 128 / 32))};
}
size_t d(const Shape& s, size_t r, size_t b) {
    return block(s, b) + 2 * r;
}
size_t dmin(const Shape& s, size_t r, size_t b) {
    return block(s, b) + 2 * s.rows + 2 * r;
}
PartList sc(const Shape& s, size_t r, size_t b, size_t j) {
    return {{block(s, b) + 4 * s.rows + j * s.rows + r, 0, 4, 0}};
}
PartList mn(const Shape& s, size_t r, size_t b, size_t j) {
    const size_t L = s.kr / s.sr;
    return {{block(s, b) + 4 * s.rows + (j / L) * s.rows * L + r * L + j % L, 4, 4, 0}};
}
}  // namespace qau2c16x256p

// Per block of 256: | nr f16 scales | 16 x nr int8 scales of sub-blocks, [sub-block][column] | nr * 192 bytes |
namespace qsi6c16x256p {
size_t block(const Shape& s, size_t b) {
    return b * s.rows * 210;
}
size_t stride(const Shape& s) {
    return block(s, s.k / 256);
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return block(s, b) + 2 * c;
}
size_t sub_scale(const Shape& s, size_t c, size_t b, size_t j) {
    return block(s, b) + 2 * s.rows + j * s.rows + c;
}
/// 16 k of 4 columns are 64 numbers, L of a column after each other. The first 48 are in the upper bits of 48 bytes; of
/// number 48 + i, bits 5 and 4 are in byte i, 3 and 2 in byte 16 + i, 1 and 0 in byte 32 + i.
PartList parts(const Shape& s, size_t c, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % 16, number = i / L * 4 * L + c % 4 * L + i % L;
    const size_t start = block(s, kk / 256) + 18 * s.rows + kk % 256 / 16 * s.rows * 12 + c / 4 * 48;
    if (number < 48) {
        return {{start + number, 2, 6, 0}};
    }
    const size_t at = start + number - 48;
    return {{at, 0, 2, 4}, {at + 16, 0, 2, 2}, {at + 32, 0, 2, 0}};
}
}  // namespace qsi6c16x256p
namespace qsi6c16x256pnrx4 {
/// The same numbers for all columns: the first 12 of each are in 12 * nr bytes, groups of 4.
PartList parts(const Shape& s, size_t c, size_t kk) {
    const size_t i = kk % 16, start = qsi6c16x256p::block(s, kk / 256) + 18 * s.rows + kk % 256 / 16 * s.rows * 12;
    if (i < 12) {
        return {{start + (i / 4 * s.rows + c) * 4 + i % 4, 2, 6, 0}};
    }
    const size_t at = start + 4 * c + i - 12;
    return {{at, 0, 2, 4}, {at + 4 * s.rows, 0, 2, 2}, {at + 8 * s.rows, 0, 2, 0}};
}
}  // namespace qsi6c16x256pnrx4
/// Per block of 256: | nr f16 scales | 16 x nr int8 scales of sub-blocks, [sub-block][column] | nr * 96 bytes |.
/// Two sub-blocks are 64 numbers of six bits, stored as those of qsi6c16x256p: three bits of the first, then three of
/// the second one.
namespace qsi3c16x256p {
size_t block(const Shape& s, size_t b) {
    return b * s.rows * 114;
}
size_t stride(const Shape& s) {
    return block(s, s.k / 256);
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return block(s, b) + 2 * c;
}
size_t sub_scale(const Shape& s, size_t c, size_t b, size_t j) {
    return block(s, b) + 2 * s.rows + j * s.rows + c;
}
PartList parts(const Shape& s, size_t c, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % 16, number = i / L * 4 * L + c % 4 * L + i % L;
    const size_t start = block(s, kk / 256) + 18 * s.rows + kk % 256 / 32 * s.rows * 12 + c / 4 * 48;
    const size_t at = start + number - 48;
    const bool first = kk % 32 < 16;
    if (number < 48) {
        return {{start + number, first ? 5u : 2u, 3, 0}};
    }
    return first ? PartList{{at, 0, 2, 1}, {at + 16, 1, 1, 0}} : PartList{{at + 16, 0, 1, 2}, {at + 32, 0, 2, 0}};
}
}  // namespace qsi3c16x256p
namespace qsi3c16x256pnrx4 {
/// The same numbers for all columns: the first 12 of each are in 12 * nr bytes, groups of 4.
PartList parts(const Shape& s, size_t c, size_t kk) {
    const size_t i = kk % 16, start = qsi3c16x256p::block(s, kk / 256) + 18 * s.rows + kk % 256 / 32 * s.rows * 12;
    const bool first = kk % 32 < 16;
    if (i < 12) {
        return {{start + (i / 4 * s.rows + c) * 4 + i % 4, first ? 5u : 2u, 3, 0}};
    }
    const size_t a = start + 4 * c + i - 12, b = a + 4 * s.rows;
    return first ? PartList{{a, 0, 2, 1}, {b, 1, 1, 0}} : PartList{{b, 0, 1, 2}, {b + 4 * s.rows, 0, 2, 0}};
}
}  // namespace qsi3c16x256pnrx4

// Rows of a file, per super-block of 256: | f16 d | f16 dmin | 12 bytes | 128 bytes |, nibbles as qau4c32x256p
namespace ggq4_k {
size_t block(size_t b) {
    return b * 144;
}
size_t stride(const Shape& s) {
    return block(s.k / 256);
}
Place place(const Shape&, size_t, size_t kk) {
    const size_t i = kk % 256;
    return {block(kk / 256) + 16 + 32 * (i / 64) + i % 32, i % 64 < 32 ? 0u : 4u};
}
size_t d(const Shape&, size_t, size_t b) {
    return block(b);
}
size_t dmin(const Shape&, size_t, size_t b) {
    return block(b) + 2;
}
PartList sc(const Shape&, size_t, size_t b, size_t j) {
    const size_t at = block(b) + 4;
    return j < 4 ? PartList{{at + j, 0, 6, 0}} : PartList{{at + j + 4, 0, 4, 0}, {at + j - 4, 6, 2, 4}};
}
PartList mn(const Shape&, size_t, size_t b, size_t j) {
    const size_t at = block(b) + 4;
    return j < 4 ? PartList{{at + j + 4, 0, 6, 0}} : PartList{{at + j + 4, 4, 4, 0}, {at + j, 6, 2, 4}};
}
}  // namespace ggq4_k

// The same: | 128 bytes, lower four bits | 64 bytes, upper two bits | 16 int8 scales | f16 scale |
namespace ggq6_k {
size_t block(size_t b) {
    return b * 210;
}
size_t stride(const Shape& s) {
    return block(s.k / 256);
}
PartList parts(const Shape&, size_t, size_t kk) {
    const size_t i = kk % 256, low = block(kk / 256) + 64 * (i / 128) + i % 64,
                 high = block(kk / 256) + 128 + 32 * (i / 128) + i % 32;
    return {{low, i % 128 < 64 ? 0u : 4u, 4, 0}, {high, static_cast<unsigned>(i / 32 % 4 * 2), 2, 4}};
}
size_t sub_scale(const Shape&, size_t, size_t b, size_t j) {
    return block(b) + 192 + j;
}
size_t scale(const Shape&, size_t, size_t b) {
    return block(b) + 208;
}
}  // namespace ggq6_k

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

namespace qsi2c32p {  // | nr f16 scales | nr * bl / 4 bytes | per block; a byte holds i, i + 8, i + 16, i + 24 of 32
size_t block(const Shape& s, size_t b) {
    return b * s.rows * (s.bl / 4 + 2);
}
size_t stride(const Shape& s) {
    return s.rows * s.blocks() * (s.bl / 4 + 2);
}
Place place(const Shape& s, size_t c, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % s.bl, j = i / 32 * 8 + i % 8;
    return {
        block(s, kk / s.bl) + 2 * s.rows + (j / L) * s.rows * L + c * L + j % L, static_cast<unsigned>(i % 32 / 8 * 2)};
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return block(s, b) + 2 * c;
}
}  // namespace qsi2c32p

namespace qsi2c32pscalef16 {  // | nr * k / 4 bytes: a byte for four neighbours | nr f16 scales per block |
size_t stride(const Shape& s) {
    return s.rows * (s.k / 4 + 2 * s.blocks());
}
Place place(const Shape& s, size_t c, size_t kk) {
    return {kk / 4 * s.rows + c, static_cast<unsigned>(2 * (kk % 4))};
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return s.rows * (s.k / 4 + 2 * b) + 2 * c;
}
}  // namespace qsi2c32pscalef16

namespace qsi1c32p {  // | nr f16 scales | nr * bl / 8 bytes | per block; byte j of all columns: elements from 8 j on
size_t block(const Shape& s, size_t b) {
    return b * s.rows * (s.bl / 8 + 2);
}
size_t stride(const Shape& s) {
    return s.rows * s.blocks() * (s.bl / 8 + 2);
}
Place place(const Shape& s, size_t c, size_t kk) {
    const size_t i = kk % s.bl;
    return {block(s, kk / s.bl) + 2 * s.rows + i / 8 * s.rows + c, static_cast<unsigned>(i % 8)};
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return block(s, b) + 2 * c;
}
}  // namespace qsi1c32p

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

/// Per block of 32: | 20 * nr bytes | nr f16 minima | nr f16 scales |. 32 k of 4 columns are 128 numbers of five bits,
/// L of a column after each other. The first 80 are in the upper bits of 80 bytes. Of the other three times 16, the
/// lower three bits of number 80 + i are below number i, those of 96 + i below 32 + i, those of 112 + i below 64 + i;
/// bits 3 and 4 of the first are below number 16 + i, of the second below 48 + i; of the last, bit 3 is above the
/// former, 4 above the latter.
namespace qau5c32p {
size_t block(const Shape& s, size_t b) {
    return b * s.rows * 24;
}
size_t stride(const Shape& s) {
    return block(s, s.k / 32);
}
PartList parts(const Shape& s, size_t c, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % 32, number = i / L * 4 * L + c % 4 * L + i % L;
    const size_t start = block(s, kk / 32) + c / 4 * 80;
    const size_t at = start + number % 16;
    return number < 80    ? PartList{{start + number, 3, 5, 0}}
           : number < 96  ? PartList{{at, 0, 3, 0}, {at + 16, 0, 2, 3}}
           : number < 112 ? PartList{{at + 32, 0, 3, 0}, {at + 48, 0, 2, 3}}
                          : PartList{{at + 64, 0, 3, 0}, {at + 16, 2, 1, 3}, {at + 48, 2, 1, 4}};
}
size_t min(const Shape& s, size_t c, size_t b) {
    return block(s, b) + 20 * s.rows + 2 * c;
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return block(s, b) + 22 * s.rows + 2 * c;
}
}  // namespace qau5c32p

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

namespace qai4c32ps1s0sf16 {  // | nr * 16 bytes | nr f16 minima | nr f16 scales | per block of 32
size_t block(const Shape& s, size_t b) {
    return b * s.rows * 20;
}
size_t stride(const Shape& s) {
    return s.rows * s.k / 32 * 20;
}
Place place(const Shape& s, size_t c, size_t kk) {
    const size_t i = kk % 32;
    return {block(s, kk / 32) + (i / 4 * s.rows + c) * 2 + i % 4 / 2, i % 2 == 0 ? 0u : 4u};
}
size_t min(const Shape& s, size_t c, size_t b) {  // a column of the left half, one of the right half, ...
    const size_t half = (s.rows + 1) / 2, field = c < half ? 2 * c : 2 * (c - half) + 1;
    return block(s, b) + s.rows * 16 + 2 * field;
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return min(s, c, b) + 2 * s.rows;
}
}  // namespace qai4c32ps1s0sf16

namespace qlu4c32p {  // | 16 int8 table | zeros up to nr * 4 | per block of 32: | nr f16 or bf16 scales | nr * 16 |
template <size_t scales>
size_t block(const Shape& s, size_t b) {  // qlu4c16p: nr scales of the first halves, then nr of the second ones
    return 4 * s.rows + b * s.rows * (16 + 2 * scales);
}
template <size_t scales>
size_t stride(const Shape& s) {
    return block<scales>(s, s.blocks());
}
template <size_t scales>
Place place(const Shape& s, size_t c, size_t kk) {  // of every 32 values, a byte holds i and i + 16
    const size_t L = s.kr / s.sr, j = kk % 16;
    return {
        block<scales>(s, kk / 32) + 2 * scales * s.rows + (j / L) * s.rows * L + c * L + j % L, kk % 32 < 16 ? 0u : 4u};
}
template <size_t scales>
size_t scale(const Shape& s, size_t c, size_t number) {
    return block<scales>(s, number / scales) + number % scales * 2 * s.rows + 2 * c;
}
}  // namespace qlu4c32p

namespace qlu4c32ps1s0 {  // | 16 int8 table | zeros up to nr * 4 | nr * k / 2 bytes | nb (qlu4c16p: 2 nb) x nr scales |
template <size_t scales>
size_t stride(const Shape& s) {
    return s.rows * (4 + s.blocks() * (16 + 2 * scales));
}
Place place(const Shape& s, size_t c, size_t kk) {  // groups of four: v0 | v1 << 4, v2 | v3 << 4
    return {4 * s.rows + (kk / 4 * s.rows + c) * 2 + kk % 4 / 2, kk % 2 == 0 ? 0u : 4u};
}
size_t scale(const Shape& s, size_t c, size_t number) {
    return s.rows * (4 + s.k / 2) + (number * s.rows + c) * 2;
}
}  // namespace qlu4c32ps1s0

namespace rows {  // elements of k rounded up to 32, then arrays of one word for each row
size_t padded_k(const Shape& s) {
    return (s.k + 31) / 32 * 32;
}
/// Word `number` of row r, after elements of `bits`.
template <unsigned bits, size_t number>
size_t word(const Shape& s, size_t r) {
    return s.rows * (padded_k(s) * bits / 8 + 4 * number) + 4 * r;
}
template <unsigned bits, size_t number>
size_t scale(const Shape& s, size_t r, size_t) {
    return word<bits, number>(s, r);
}
template <unsigned bits, size_t words>
size_t stride(const Shape& s) {
    return s.rows * (padded_k(s) * bits / 8 + 4 * words);
}
}  // namespace rows

namespace qai8dxp {  // | mr * kp int8 | mr int32 offsets | mr f32 scales |
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t L = s.kr / s.sr;
    return {(kk / L) * s.rows * L + r * L + kk % L};
}
}  // namespace qai8dxp

// | elements | nr int32 sums | nr f32 scales | nr f32 biases |

namespace qsi4cxp {  // of every 32 values, a byte holds i and i + 16
Place place(const Shape& s, size_t c, size_t kk) {
    const size_t L = s.kr / s.sr, j = kk / 32 * 16 + kk % 16;
    return {(j / L) * s.rows * L + c * L + j % L, kk % 32 < 16 ? 0u : 4u};
}
}  // namespace qsi4cxp

namespace qsi4cxps1s0 {  // a byte holds two neighbours
Place place(const Shape& s, size_t c, size_t kk) {
    const size_t h = s.kr / 2, p = kk / 2;
    return {(p / h) * s.rows * h + c * h + p % h, kk % 2 == 0 ? 0u : 4u};
}
}  // namespace qsi4cxps1s0

namespace qsi8cxp {
Place place(const Shape& s, size_t c, size_t kk) {
    return {(kk / s.kr) * s.rows * s.kr + c * s.kr + kk % s.kr};
}
}  // namespace qsi8cxp

namespace qsu2cxp4x4 {  // of every 16 values, a byte holds i, i + 4, i + 8, i + 12
Place place(const Shape& s, size_t c, size_t kk) {
    return {kk / 16 * 4 * s.rows + 4 * c + kk % 4, static_cast<unsigned>(kk % 16 / 4 * 2)};
}
}  // namespace qsu2cxp4x4

namespace qsu2cxp4vlx4 {  // a byte holds four neighbours
Place place(const Shape& s, size_t c, size_t kk) {
    return {kk / 4 * s.rows + c, static_cast<unsigned>(kk % 4 * 2)};
}
}  // namespace qsu2cxp4vlx4

namespace qsi4c32pbf16 {  // | nr * bl / 2 bytes | nr bf16 scales | per block, then | nr f32 sums | nr f32 biases |
size_t block(const Shape& s, size_t b) {
    return b * s.rows * (s.bl / 2 + 2);
}
size_t stride(const Shape& s) {
    return s.rows * (s.blocks() * (s.bl / 2 + 2) + 8);
}
Place place(const Shape& s, size_t c, size_t kk) {  // of every 32 values, a byte holds i and i + 16
    const size_t L = s.kr / s.sr, i = kk % s.bl, j = i / 32 * 16 + i % 16;
    return {block(s, kk / s.bl) + (j / L) * s.rows * L + c * L + j % L, i % 32 < 16 ? 0u : 4u};
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return block(s, b) + s.rows * s.bl / 2 + 2 * c;
}
size_t sum(const Shape& s, size_t c) {
    return block(s, s.blocks()) + 4 * c;
}
size_t bias(const Shape& s, size_t c) {
    return block(s, s.blocks()) + 4 * s.rows + 4 * c;
}
}  // namespace qsi4c32pbf16

namespace qsi4c32ps1s0 {  // as qsi4c32pbf16, but a byte holds two neighbours, and a column has two bytes together
Place place(const Shape& s, size_t c, size_t kk) {
    const size_t p = kk % s.bl / 2;
    return {qsi4c32pbf16::block(s, kk / s.bl) + (p / 2) * s.rows * 2 + c * 2 + p % 2, kk % 2 == 0 ? 0u : 4u};
}
}  // namespace qsi4c32ps1s0

namespace qsi4c32ps1s0scalef16 {  // | nr * k / 2 bytes | nb x nr f16 scales |; a byte holds two neighbours
size_t stride(const Shape& s) {
    return s.rows * s.blocks() * (s.bl / 2 + 2);
}
Place place(const Shape& s, size_t c, size_t kk) {  // groups of four: v0 | v1 << 4, v2 | v3 << 4
    return {(kk / 4 * s.rows + c) * 2 + kk % 4 / 2, kk % 2 == 0 ? 0u : 4u};
}
size_t scale(const Shape& s, size_t c, size_t b) {
    return s.rows * s.k / 2 + (b * s.rows + c) * 2;
}
}  // namespace qsi4c32ps1s0scalef16

namespace qsi4c32ps4s0sf16 {                        // sizes and scales as qsi4c32ps1s0scalef16
Place place(const Shape& s, size_t c, size_t kk) {  // groups of eight: byte j holds j and j + 4
    return {(kk / 8 * s.rows + c) * 4 + kk % 4, kk % 8 < 4 ? 0u : 4u};
}
}  // namespace qsi4c32ps4s0sf16

namespace f8c32p {  // | nr * bl codes | nr f32 scales | per block, | nr f32 biases |; groups of kr
size_t block(const Shape& s, size_t b) {
    return b * s.rows * (s.bl + 4);
}
size_t stride(const Shape& s) {
    return block(s, s.blocks()) + 4 * s.rows;
}
Place place(const Shape& s, size_t r, size_t kk) {
    const size_t i = kk % s.bl;
    return {block(s, kk / s.bl) + i / s.kr * s.rows * s.kr + r * s.kr + i % s.kr};
}
size_t scale(const Shape& s, size_t r, size_t b) {
    return block(s, b) + s.rows * s.bl + 4 * r;
}
size_t bias(const Shape& s, size_t r) {
    return block(s, s.blocks()) + 4 * r;
}
}  // namespace f8c32p

namespace f8d32p {  // the same without biases
size_t stride(const Shape& s) {
    return f8c32p::block(s, s.blocks());
}
}  // namespace f8d32p

namespace qsi4c32ps4s0sbf16 {  // as qsi4c32pbf16, but groups of eight: byte j holds j and j + 4
Place place(const Shape& s, size_t c, size_t kk) {
    const size_t L = s.kr / s.sr, i = kk % s.bl, j = i / 8 * 4 + i % 4;
    return {qsi4c32pbf16::block(s, kk / s.bl) + (j / L) * s.rows * L + c * L + j % L, i % 8 < 4 ? 0u : 4u};
}
}  // namespace qsi4c32ps4s0sbf16

namespace plain {  // | nr fields of `head` bytes | groups of kr / sr elements of each row | nr fields of `tail` bytes |
size_t padded_k(const Shape& s) {
    const size_t L = s.kr / s.sr;
    return (s.k + L - 1) / L * L;
}
template <size_t bytes, size_t head = 0, size_t tail = 0>
size_t stride(const Shape& s) {
    return s.rows * (head + padded_k(s) * bytes + tail);
}
template <size_t bytes, size_t head = 0>
Place place(const Shape& s, size_t r, size_t x) {
    const size_t L = s.kr / s.sr;
    return {s.rows * head + bytes * ((x / L) * s.rows * L + r * L + x % L)};
}
template <size_t bytes>
size_t bias(const Shape&, size_t c) {
    return bytes * c;
}
size_t sum_after(const Shape& s, size_t c) {
    return s.rows * padded_k(s) + 4 * c;
}
size_t qsi8_scale(const Shape& s, size_t c, size_t) {
    return s.rows * (4 + padded_k(s)) + 4 * c;
}
}  // namespace plain

namespace qsi4cxpbi32sf32 {  // | nr int32 biases | k up to 32: a byte holds two neighbours, 2 bytes of each row | nr
                             // f32 scales |
size_t elements(const Shape& s) {
    return (s.k + 31) / 32 * 16;
}
size_t stride(const Shape& s) {
    return s.rows * (4 + elements(s) + 4);
}
Place place(const Shape& s, size_t c, size_t kk) {
    return {4 * s.rows + (kk / 4 * s.rows + c) * 2 + kk % 4 / 2, kk % 2 == 0 ? 0u : 4u};
}
size_t scale(const Shape& s, size_t c, size_t) {
    return s.rows * (4 + elements(s)) + 4 * c;
}
}  // namespace qsi4cxpbi32sf32

namespace qsu2cxpbi32sf32 {  // | nr int32 biases | k up to 32: a byte holds four neighbours | nr f32 scales |
size_t elements(const Shape& s) {
    return (s.k + 31) / 32 * 8;
}
size_t stride(const Shape& s) {
    return s.rows * (4 + elements(s) + 4);
}
Place place(const Shape& s, size_t c, size_t kk) {
    return {4 * s.rows + kk / 4 * s.rows + c, static_cast<unsigned>(kk % 4 * 2)};
}
size_t scale(const Shape& s, size_t c, size_t) {
    return s.rows * (4 + elements(s)) + 4 * c;
}
}  // namespace qsu2cxpbi32sf32

const std::vector<Format>& formats() {
    constexpr bool kLhs = true, kRhs = false;
    static const std::vector<Format> table = {
        Format{"qsi8d32p", kLhs, Format::i8, qsi8d32p::stride, kAt<qsi8d32p::place>}.with_blocks().with_scale(
            Format::f16_scale, qsi8d32p::scale),
        Format{"qsi8d32p_last", kLhs, Format::i8, qsi8d32p::stride, kAt<qsi8d32p_last::place>}.with_blocks().with_scale(
            Format::f16_scale, qsi8d32p_last::scale),
        Format{"qsi8d32pscalef32", kLhs, Format::i8, qsi8d32pscalef32::stride, kAt<qsi8d32pscalef32::place>}
            .with_blocks()
            .with_scale(Format::f32_scale, qsi8d32pscalef32::scale)
            .with_offset(qsi8d32pscalef32::sum),
        Format{"f8e4m3d32p", kLhs, Format::f8e4m3, f8d32p::stride, kAt<f8c32p::place>}.with_blocks().with_scale(
            Format::f32_scale, f8c32p::scale),
        Format{"qsi8d32psumf16", kLhs, Format::i8, qsi8d32psumf16::stride, kAt<qsi8d32psumf16::place>}
            .with_blocks_of(32)
            .with_scale(Format::f16_scale, qsi8d32psumf16::scale)
            .with_offset(qsi8d32psumf16::sum, Format::f16_scale),
        Format{"qsi8d256p", kLhs, Format::i8, qsi8d256p::stride, kAt<qsi8d256p::place>}
            .with_blocks_of(256)
            .with_scale(Format::f32_scale, qsi8d256p::scale)
            .with_sums_of(32, qsi8d256p::high, qsi8d256p::low),
        Format{"qsi8d16x256p", kLhs, Format::i8, qsi8d16x256p::stride, kAt<qsi8d16x256p::place>}
            .with_blocks_of(256)
            .with_scale(Format::f32_scale, qsi8d16x256p::scale)
            .with_sums_of(16, qsi8d16x256p::high, qsi8d16x256p::low),
        Format{"qau2c16x256p", kRhs, Format::n2, qau2c16x256p::stride, kAt<qau2c16x256p::place>}
            .with_blocks_of(256)
            .with_scale(Format::f16_scale, qau2c16x256p::d)
            .with_sub_scales(16, 0, 15, qau2c16x256p::sc)
            .with_sub_minima(qau2c16x256p::mn, qau2c16x256p::dmin)
            .with_padding(Format::last_row),
        Format{"qsi6c16x256p", kRhs, Format::i6, qsi6c16x256p::stride, {}}
            .with_blocks_of(256)
            .with_parts(qsi6c16x256p::parts)
            .with_scale(Format::f16_scale, qsi6c16x256p::scale)
            .with_sub_scales(16, -128, 127, byte<qsi6c16x256p::sub_scale>)
            .with_padding(Format::last_row),
        Format{"qsi6c16x256pnrx4", kRhs, Format::i6, qsi6c16x256p::stride, {}}
            .with_blocks_of(256)
            .with_parts(qsi6c16x256pnrx4::parts)
            .with_scale(Format::f16_scale, qsi6c16x256p::scale)
            .with_sub_scales(16, -128, 127, byte<qsi6c16x256p::sub_scale>)
            .with_padding(Format::last_row),
        Format{"qsi3c16x256p", kRhs, Format::i3, qsi3c16x256p::stride, {}}
            .with_blocks_of(256)
            .with_parts(qsi3c16x256p::parts)
            .with_scale(Format::f16_scale, qsi3c16x256p::scale)
            .with_sub_scales(16, -32, 31, byte<qsi3c16x256p::sub_scale>)
            .with_padding(Format::last_row),
        Format{"qsi3c16x256pnrx4", kRhs, Format::i3, qsi3c16x256p::stride, {}}
            .with_blocks_of(256)
            .with_parts(qsi3c16x256pnrx4::parts)
            .with_scale(Format::f16_scale, qsi3c16x256p::scale)
            .with_sub_scales(16, -32, 31, byte<qsi3c16x256p::sub_scale>)
            .with_padding(Format::last_row),
        Format{"qsi8c32p", kRhs, Format::i8, qsi8d32p::stride, kAt<qsi8d32p::place>}
            .with_blocks()
            .with_scale(Format::f16_scale, qsi8d32p::scale)
            .with_padding(Format::last_row),
        Format{"qsi1c32p", kRhs, Format::b1, qsi1c32p::stride, kAt<qsi1c32p::place>}
            .with_blocks()
            .with_scale(Format::f16_scale, qsi1c32p::scale)
            .with_padding(Format::last_row),
        Format{"qsi2c32pscalef16", kRhs, Format::t2, qsi2c32pscalef16::stride, kAt<qsi2c32pscalef16::place>}
            .with_blocks()
            .with_scale(Format::f16_scale, qsi2c32pscalef16::scale)
            .with_padding(Format::last_row),
        Format{"qsi2c32p", kRhs, Format::t2, qsi2c32p::stride, kAt<qsi2c32p::place>}
            .with_blocks()
            .with_scale(Format::f16_scale, qsi2c32p::scale)
            .with_padding(Format::last_row),
        Format{"qsi4c32p", kRhs, Format::i4, qsi4c32p::stride, kAt<qsi4c32p::place>}
            .with_blocks()
            .with_scale(Format::f16_scale, qsi4c32p::scale)
            .with_padding(Format::last_row),
        Format{"qlu4c32p", kRhs, Format::l4, qlu4c32p::stride<1>, kAt<qlu4c32p::place<1>>}
            .with_blocks()
            .with_scale(Format::f16_scale, qlu4c32p::scale<1>)
            .with_table(1)
            .with_padding(Format::last_row),
        Format{"qlu4c32pscalebf16", kRhs, Format::l4, qlu4c32p::stride<1>, kAt<qlu4c32p::place<1>>}
            .with_blocks()
            .with_scale(Format::bf16_scale, qlu4c32p::scale<1>)
            .with_table(1)
            .with_padding(Format::last_row),
        Format{"qlu4c16p", kRhs, Format::l4, qlu4c32p::stride<2>, kAt<qlu4c32p::place<2>>}
            .with_blocks()
            .with_scale(Format::f16_scale, qlu4c32p::scale<2>)
            .with_table(2)
            .with_padding(Format::last_row),
        Format{"qlu4c32ps1s0scalef16", kRhs, Format::l4, qlu4c32ps1s0::stride<1>, kAt<qlu4c32ps1s0::place>}
            .with_blocks()
            .with_scale(Format::f16_scale, qlu4c32ps1s0::scale)
            .with_table(1)
            .with_padding(Format::last_row),
        Format{"qlu4c32ps1s0scalebf16", kRhs, Format::l4, qlu4c32ps1s0::stride<1>, kAt<qlu4c32ps1s0::place>}
            .with_blocks()
            .with_scale(Format::bf16_scale, qlu4c32ps1s0::scale)
            .with_table(1)
            .with_padding(Format::last_row),
        Format{"qlu4c16ps1s0scalef16", kRhs, Format::l4, qlu4c32ps1s0::stride<2>, kAt<qlu4c32ps1s0::place>}
            .with_blocks()
            .with_scale(Format::f16_scale, qlu4c32ps1s0::scale)
            .with_table(2)
            .with_padding(Format::last_row),
        Format{"qai4c32p", kRhs, Format::i4, qai4c32p::stride, kAt<qai4c32p::place>}
            .with_blocks()
            .with_scale(Format::f32_scale, qai4c32p::scale, 0.0625f)
            .with_offset(qai4c32p::zero)
            .with_bias(qai4c32p::bias)
            .with_padding(Format::last_row_and_bias),
        Format{"qai4c32ps1s0nrx4", kRhs, Format::u4, qai4c32ps1s0nrx4::stride, kAt<qai4c32ps1s0nrx4::place>}
            .with_blocks()
            .with_scale(Format::f32_scale, qai4c32ps1s0nrx4::scale)
            .with_offset(qai4c32ps1s0nrx4::zero)
            .with_bias(qai4c32ps1s0nrx4::bias)
            .with_padding(Format::last_row),
        Format{"qau5c32p", kRhs, Format::n5, qau5c32p::stride, {}}
            .with_blocks_of(32)
            .with_told_length()
            .with_parts(qau5c32p::parts)
            .with_scale(Format::f16_scale, qau5c32p::scale)
            .with_offset(qau5c32p::min, Format::f16_scale)
            .with_padding(Format::last_row),
        Format{"qai4c32ps1s0sf16", kRhs, Format::n4, qai4c32ps1s0sf16::stride, kAt<qai4c32ps1s0sf16::place>}
            .with_blocks_of(32)
            .with_told_length()
            .with_scale(Format::f16_scale, qai4c32ps1s0sf16::scale)
            .with_offset(qai4c32ps1s0sf16::min, Format::f16_scale)
            .with_padding(Format::last_row),
        Format{"qsi4c32pbf16", kRhs, Format::i4, qsi4c32pbf16::stride, kAt<qsi4c32pbf16::place>}
            .with_blocks()
            .with_scale(Format::bf16_scale, qsi4c32pbf16::scale)
            .with_sum(qsi4c32pbf16::sum)
            .with_bias(qsi4c32pbf16::bias)
            .with_padding(Format::last_row_and_bias),
        Format{"qsi4c32ps1s0", kRhs, Format::i4, qsi4c32pbf16::stride, kAt<qsi4c32ps1s0::place>}
            .with_blocks()
            .with_scale(Format::bf16_scale, qsi4c32pbf16::scale)
            .with_sum(qsi4c32pbf16::sum)
            .with_bias(qsi4c32pbf16::bias)
            .with_padding(Format::last_row_and_bias),
        Format{"qsi4c32ps1s0scalef16", kRhs, Format::u4, qsi4c32ps1s0scalef16::stride, kAt<qsi4c32ps1s0scalef16::place>}
            .with_blocks()
            .with_scale(Format::f16_scale, qsi4c32ps1s0scalef16::scale)
            .with_padding(Format::zeros),
        Format{"qsi8c32pscalef16", kRhs, Format::i8, qsi8d32p::stride, kAt<qsi8d32p_last::place>}
            .with_blocks()
            .with_scale(Format::f16_scale, qsi8d32p_last::scale)
            .with_padding(Format::zeros),
        Format{"qsi4c32ps4s0sf16", kRhs, Format::i4, qsi4c32ps1s0scalef16::stride, kAt<qsi4c32ps4s0sf16::place>}
            .with_blocks()
            .with_scale(Format::f16_scale, qsi4c32ps1s0scalef16::scale, 0.0625f)
            .with_padding(Format::zeros),
        Format{"f8e4m3c32p", kRhs, Format::f8e4m3, f8c32p::stride, kAt<f8c32p::place>}
            .with_blocks()
            .with_scale(Format::f32_scale, f8c32p::scale)
            .with_bias(f8c32p::bias)
            .with_padding(Format::zeros),
        Format{"f8e5m2c32p", kRhs, Format::f8e5m2, f8c32p::stride, kAt<f8c32p::place>}
            .with_blocks()
            .with_scale(Format::f32_scale, f8c32p::scale)
            .with_bias(f8c32p::bias)
            .with_padding(Format::zeros),
        Format{"qsi4c32ps4s0sbf16", kRhs, Format::i4, qsi4c32pbf16::stride, kAt<qsi4c32ps4s0sbf16::place>}
            .with_blocks()
            .with_scale(Format::bf16_scale, qsi4c32pbf16::scale, 0.0625f)
            .with_sum(qsi4c32pbf16::sum)
            .with_bias(qsi4c32pbf16::bias)
            .with_padding(Format::last_row_and_bias),
        Format{"qau4c32x256p", kRhs, Format::n4, qau4c32x256p::stride, kAt<qau4c32x256p::place>}
            .with_blocks_of(256)
            .with_scale(Format::f16_scale, qau4c32x256p::d)
            .with_sub_scales(32, 0, 63, byte<qau4c32x256p::sc>)
            .with_sub_minima(byte<qau4c32x256p::mn>, qau4c32x256p::dmin)
            .with_padding(Format::last_row),
        Format{"qau5c32x256p", kRhs, Format::n5, qau5c32x256p::stride, kAt<qau5c32x256p::place>}
            .with_blocks_of(256)
            .with_scale(Format::f16_scale, qau5c32x256p::d)
            .with_sub_scales(32, 0, 63, byte<qau5c32x256p::sc>)
            .with_sub_minima(byte<qau5c32x256p::mn>, qau5c32x256p::dmin)
            .with_fifth_bits(qau5c32x256p::fifth)
            .with_padding(Format::last_row),
        Format{"qlu4c32x256p", kRhs, Format::l4, qlu4c32x256p::stride, kAt<qlu4c32x256p::place>}
            .with_blocks_of(256)
            .with_scale(Format::f16_scale, qlu4c32x256p::d)
            .with_sub_scales(32, -128, 127, byte<qlu4c32x256p::sc>)
            .with_padding(Format::last_row),
        Format{"qlu4c32x256ps1s0", kRhs, Format::l4, qlu4c32x256p::stride, kAt<qlu4c32x256ps1s0::place>}
            .with_blocks_of(256)
            .with_scale(Format::f16_scale, qlu4c32x256p::d)
            .with_sub_scales(32, -128, 127, byte<qlu4c32x256p::sc>)
            .with_padding(Format::last_row),
        Format{"qai8dxp", kLhs, Format::i8, rows::stride<8, 2>, kAt<qai8dxp::place>}
            .with_scale(Format::f32_scale, rows::scale<8, 1>)
            .with_row_offset(rows::word<8, 0>)
            .with_k_multiple(32),
        Format{"qsi4cxp", kRhs, Format::i4, rows::stride<4, 3>, kAt<qsi4cxp::place>}
            .with_scale(Format::f32_scale, rows::scale<4, 1>, 0.0625f)
            .with_sum(rows::word<4, 0>)
            .with_bias(rows::word<4, 2>)
            .with_k_multiple(32)
            .with_padding(Format::last_row_and_bias),
        Format{"qsi4cxps1s0", kRhs, Format::i4, rows::stride<4, 3>, kAt<qsi4cxps1s0::place>}
            .with_scale(Format::f32_scale, rows::scale<4, 1>)
            .with_sum(rows::word<4, 0>)
            .with_bias(rows::word<4, 2>)
            .with_k_multiple(32)
            .with_padding(Format::zeros),
        Format{"qsi8cxp", kRhs, Format::i8, rows::stride<8, 3>, kAt<qsi8cxp::place>}
            .with_scale(Format::f32_scale, rows::scale<8, 1>)
            .with_sum(rows::word<8, 0>)
            .with_bias(rows::word<8, 2>)
            .with_k_multiple(32)
            .with_padding(Format::last_row_and_bias),
        Format{"qsu2cxp4x4", kRhs, Format::u2, rows::stride<2, 3>, kAt<qsu2cxp4x4::place>}
            .with_scale(Format::f32_scale, rows::scale<2, 1>)
            .with_sum(rows::word<2, 0>)
            .with_bias(rows::word<2, 2>)
            .with_k_multiple(32)
            .with_padding(Format::zeros),
        Format{"qsu2cxp4vlx4", kRhs, Format::u2, rows::stride<2, 3>, kAt<qsu2cxp4vlx4::place>}
            .with_scale(Format::f32_scale, rows::scale<2, 1>)
            .with_sum(rows::word<2, 0>)
            .with_bias(rows::word<2, 2>)
            .with_k_multiple(32)
            .with_padding(Format::last_row_unscaled),
        Format{"f32p", kLhs, Format::f32, plain::stride<4>, kAt<plain::place<4>>}.with_plain_numbers(),
        Format{"f16p", kLhs, Format::f16, plain::stride<2>, kAt<plain::place<2>>}.with_plain_numbers(),
        Format{"bf16p", kLhs, Format::bf16, plain::stride<2>, kAt<plain::place<2>>}.with_plain_numbers(),
        Format{"x8p", kLhs, Format::i8, plain::stride<1>, kAt<plain::place<1>>}.with_plain_numbers(),
        Format{"f32", kLhs, Format::f32, plain::stride<4>, kAt<plain::place<4>>}.with_plain_numbers().with_rows(),
        Format{"f16", kLhs, Format::f16, plain::stride<2>, kAt<plain::place<2>>}.with_plain_numbers().with_rows(),
        Format{"bf16", kLhs, Format::bf16, plain::stride<2>, kAt<plain::place<2>>}.with_plain_numbers().with_rows(),
        Format{"int8", kLhs, Format::i8, plain::stride<1>, kAt<plain::place<1>>}.with_plain_numbers().with_rows(),
        Format{"uint8", kLhs, Format::i8, plain::stride<1>, kAt<plain::place<1>>}
            .with_plain_numbers()
            .with_unsigned_values()
            .with_rows(),
        Format{"qau8_nxk", kRhs, Format::i8, plain::stride<1>, kAt<plain::place<1>>}
            .with_plain_numbers()
            .with_unsigned_values()
            .with_rows(),
        Format{"qsi8_nxk", kRhs, Format::i8, plain::stride<1>, kAt<plain::place<1>>}.with_plain_numbers().with_rows(),
        Format{"ggq8_0", kRhs, Format::i8, qsi8d32p::stride, kAt<qsi8d32p::place>}  // a panel of one column
            .with_blocks_of(32)
            .with_scale(Format::f16_scale, qsi8d32p::scale)
            .with_rows(),
        Format{"ggq4_0", kRhs, Format::u4, qsi4c32p::stride, kAt<qsi4c32p::place>}
            .with_blocks_of(32)
            .with_scale(Format::f16_scale, qsi4c32p::scale)
            .with_rows(),
        Format{"ggq4_k", kRhs, Format::n4, ggq4_k::stride, kAt<ggq4_k::place>}
            .with_blocks_of(256)
            .with_scale(Format::f16_scale, ggq4_k::d)
            .with_sub_scales(32, 0, 63, ggq4_k::sc)
            .with_sub_minima(ggq4_k::mn, ggq4_k::dmin)
            .with_rows(),
        Format{"ggq6_k", kRhs, Format::u6, ggq6_k::stride, {}}
            .with_blocks_of(256)
            .with_parts(ggq6_k::parts)
            .with_scale(Format::f16_scale, ggq6_k::scale)
            .with_sub_scales(16, -128, 127, byte<ggq6_k::sub_scale>)
            .with_rows(),
        Format{"qau8p", kRhs, Format::i8, plain::stride<1, 4>, kAt<plain::place<1, 4>>}
            .with_sum(plain::bias<4>)
            .with_plain_numbers()
            .with_unsigned_values()
            .with_inverted_halves(),
        Format{"qsi8p", kRhs, Format::i8, plain::stride<1, 4>, kAt<plain::place<1, 4>>}
            .with_sum(plain::bias<4>)
            .with_plain_numbers()
            .with_inverted_halves(),
        Format{"qau8psumi32", kRhs, Format::i8, plain::stride<1, 0, 4>, kAt<plain::place<1>>}
            .with_sum(plain::sum_after)
            .with_plain_numbers()
            .with_unsigned_values(),
        Format{"qsi8psumi32", kRhs, Format::i8, plain::stride<1, 0, 4>, kAt<plain::place<1>>}
            .with_sum(plain::sum_after)
            .with_plain_numbers(),
        Format{"f32_kxn", kRhs, Format::f32, plain::stride<4>, kAt<plain::place<4>>}
            .with_plain_numbers()
            .with_rows_of_columns(),
        Format{"f32_nxk", kRhs, Format::f32, plain::stride<4>, kAt<plain::place<4>>}.with_plain_numbers().with_rows(),
        Format{"f16_kxn", kRhs, Format::f16, plain::stride<2>, kAt<plain::place<2>>}
            .with_plain_numbers()
            .with_rows_of_columns(),
        Format{"f16_nxk", kRhs, Format::f16, plain::stride<2>, kAt<plain::place<2>>}.with_plain_numbers().with_rows(),
        Format{"f32pbiasf32", kRhs, Format::f32, plain::stride<4, 4>, kAt<plain::place<4, 4>>}
            .with_bias(plain::bias<4>)
            .with_plain_numbers(),
        Format{"f16pbiasf16", kRhs, Format::f16, plain::stride<2, 2>, kAt<plain::place<2, 2>>}
            .with_bias(plain::bias<2>, Format::f16_bias)
            .with_plain_numbers(),
        Format{"bf16pbiasf32", kRhs, Format::bf16, plain::stride<2, 4>, kAt<plain::place<2, 4>>}
            .with_bias(plain::bias<4>)
            .with_plain_numbers(),
        Format{"bf16pbiasf16", kRhs, Format::bf16, plain::stride<2, 2>, kAt<plain::place<2, 2>>}
            .with_bias(plain::bias<2>, Format::f16_bias)
            .with_plain_numbers(),
        Format{"qsi8cxpbi32sf32", kRhs, Format::i8, plain::stride<1, 4, 4>, kAt<plain::place<1, 4>>}
            .with_scale(Format::f32_scale, plain::qsi8_scale)
            .with_bias(plain::bias<4>, Format::i32_bias)
            .with_plain_numbers(),
        Format{"qsi4cxpbi32sf32", kRhs, Format::i4, qsi4cxpbi32sf32::stride, kAt<qsi4cxpbi32sf32::place>}
            .with_scale(Format::f32_scale, qsi4cxpbi32sf32::scale)
            .with_bias(plain::bias<4>, Format::i32_bias)
            .with_k_multiple(32)
            .with_plain_numbers(),
        Format{"qsu2cxpbi32sf32", kRhs, Format::s2, qsu2cxpbi32sf32::stride, kAt<qsu2cxpbi32sf32::place>}
            .with_scale(Format::f32_scale, qsu2cxpbi32sf32::scale)
            .with_bias(plain::bias<4>, Format::i32_bias)
            .with_k_multiple(32)
            .with_plain_numbers(),
    };
    return table;
}

const Format* find_format(const std::string& name) {
    static const auto by_name = [] {
        std::map<std::string_view, const Format*> all;
        for (const Format& format : formats()) {
            all.emplace(format.name, &format);
        }
        return all;
    }();
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
}

float as_stored(Format::Scale type, float scale) {
    return type == Format::f16_scale    ? f32_from_f16(f16_from_f32(scale))
           : type == Format::bf16_scale ? f32_from_bf16(bf16_from_f32(scale))
                                        : scale;
}

int32_t Side::sum_of_elements(size_t row) const {
    int32_t total = 0;
    for (size_t kk = 0; kk < k; ++kk) {
        total += element(row, kk);
    }
    return total;
}

namespace {

/// f(vector of a, that of b) for what a side has of each row.
template <typename A, typename B, typename F>
void each_of_rows(A& a, B& b, F f) {
    f(a.values, b.values);
    f(a.q, b.q);
    f(a.scale, b.scale);
    f(a.offset, b.offset);
    f(a.unspecified, b.unspecified);
    f(a.row_offset, b.row_offset);
    f(a.k_padding, b.k_padding);
    f(a.sum, b.sum);
    f(a.bias, b.bias);
    f(a.multiplier, b.multiplier);
    f(a.shift, b.shift);
    f(a.bias_added, b.bias_added);
    f(a.sub_scale, b.sub_scale);
    f(a.sub_min, b.sub_min);
    f(a.min_scale, b.min_scale);
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
bool same_bits(const std::vector<bool>& a, const std::vector<bool>& b) {
    return a == b;
}

template <typename T>
uint64_t bits_of_number(T number) {
    uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof(number));
    return bits;
}

}  // namespace

Side Side::part(size_t first, size_t count) const {
    Side p = *this;
    p.rows = count;
    each_of_rows(*this, p, [=](const auto& all, auto& some) {
        const size_t per_row = rows == 0 ? 0 : all.size() / rows;
        some.assign(all.begin() + first * per_row, all.begin() + (first + count) * per_row);
    });
    return p;
}

uint64_t Side::fingerprint() const {
    uint64_t hash = rows;
    const auto add = [&](uint64_t number) { hash = (hash ^ number) * 0x9E3779B97F4A7C15u; };
    add(k), add(bl), add(sub);
    each_of_rows(*this, *this, [&](const auto& all, const auto&) {
        add(all.size());
        if (!all.empty()) {
            add(bits_of_number(all.front())), add(bits_of_number(all[all.size() / 2])), add(bits_of_number(all.back()));
        }
    });
    return hash;
}

bool Side::is_same(const Side& other) const {
    bool same = rows == other.rows && k == other.k && bl == other.bl && sub == other.sub &&
                is_unsigned == other.is_unsigned && f8 == other.f8 && table == other.table && source == other.source;
    each_of_rows(*this, other, [&](const auto& a, const auto& b) { same = same && same_bits(a, b); });
    return same;
}

Side with_padded_chunks(const Side& side, size_t count, size_t group) {
    Side padded = side;
    const size_t length = side.k / count, stored = (length + group - 1) / group * group;
    padded.k = count * stored;
    const auto pad = [&](const auto& from, auto& to) {
        to.assign(from.empty() ? 0 : side.rows * padded.k, 0);
        for (size_t i = 0; i < from.size(); ++i) {
            const size_t row = i / side.k, kk = i % side.k;
            to[row * padded.k + kk / length * stored + kk % length] = from[i];
        }
    };
    pad(side.values, padded.values);
    pad(side.q, padded.q);
    return padded;
}

namespace {

/// Writes into one panel.
struct Panel {
    uint8_t* bytes;
    Packed::State* state;
    size_t size;

    Panel(Packed& packed, size_t start)
        : bytes(packed.bytes.data() + start), state(packed.state.data() + start), size(packed.bytes.size() - start) {
    }
    template <typename T>
    void put(size_t at, T value, Packed::State what = Packed::exact) {
        check(at + sizeof(T) - 1);
        std::memcpy(bytes + at, &value, sizeof(T));
        std::fill_n(state + at, sizeof(T), what);
    }
    /// A number in parts.
    void put_parts(const PartList& parts, unsigned value) {
        for (const Part& part : parts) {
            put_bits({part.byte, part.shift}, part.bits, value >> part.from);
        }
    }
    /// An element of 2 or 4 bits, or a part of a number.
    void put_bits(Place place, unsigned bits, unsigned value) {
        check(place.byte);
        const unsigned mask = (1u << bits) - 1;
        bytes[place.byte] =
            static_cast<uint8_t>((bytes[place.byte] & ~(mask << place.shift)) | (value & mask) << place.shift);
        state[place.byte] = Packed::exact;
    }
    void check(size_t at) const {
        if (at >= size) {
            std::abort();
        }
    }
};

/// Row `row` of `side` into slot r of a panel; `missing`: the row does not exist, `row` is the one that padding
/// repeats.
struct Row {
    const Format& f;
    const Shape& s;
    const Side& side;
    size_t row;
    Panel panel;
    size_t r;
    bool missing;
    const std::vector<Place>& places;  // of the elements of slot r, in any panel

    bool zero() const {
        return missing && f.padding == Format::zeros;
    }
    Packed::State state(size_t scale) const {
        const size_t at = row * side.scales_per_row() + scale;
        return !side.unspecified.empty() && side.unspecified[at] ? Packed::any : Packed::exact;
    }

    // Flat loops of their own: within a page of code, which is quick under emulation.
    [[gnu::noinline, gnu::flatten]] void pack_parts() {
        for (size_t kk = 0; kk < f.stored_k(s); ++kk) {
            const auto value = static_cast<unsigned>(side.q[row * side.k + kk] + (f.element == Format::u6 ? 32 : 0));
            panel.put_parts(f.parts(s, r, kk), value);
        }
    }
    [[gnu::noinline, gnu::flatten]] void pack_floats() {
        for (size_t kk = 0; kk < places.size(); ++kk) {
            const float x = zero() || kk >= side.k ? 0.0f : side.values[row * side.k + kk];
            f.element == Format::f32
                ? panel.put(places[kk].byte, x)
                : panel.put(places[kk].byte, f.element == Format::f16 ? f16_from_f32(x) : bf16_from_f32(x));
        }
    }
    [[gnu::noinline, gnu::flatten]] void pack_bytes() {
        for (size_t kk = 0; kk < places.size(); ++kk) {
            const bool padding = kk >= side.k, last = padding && f.lhs && !f.plain && side.k > 0;
            const int8_t value = zero() ? 0
                                 : last ? side.k_padding.empty() ? side.q[(row + 1) * side.k - 1] : side.k_padding[row]
                                 : padding ? 0
                                           : side.q[row * side.k + kk];
            const bool stored_signed = f.inverts && f.has_unsigned && !zero() && !padding;
            const int flips = (stored_signed ? 0x80 : 0) ^ (f.inverts && kk % 16 >= 8 ? 0xFF : 0);
            const bool known = side.unspecified.empty() || side.bl == 0 || padding;  // no division for each
            panel.put(places[kk].byte, static_cast<int8_t>(value ^ flips), state(known ? 0 : kk / side.bl));
        }
    }
    [[gnu::noinline, gnu::flatten]] void pack_bits() {
        // Local copies: a store to a byte may alias any member, which would be loaded again for each element.
        const bool none = zero();
        const unsigned bits = f.bits();
        const int offset = f.element == Format::u4 && !none ? 8
                           : f.element == Format::s2        ? 2
                           : f.element == Format::t2        ? 1
                           : f.element == Format::b1        ? 1
                                                            : 0,
                  rest = f.element == Format::u2 && none ? 2 : 0;
        const unsigned halved = f.element == Format::b1 ? 1 : 0;
        const size_t depth = none ? 0 : side.k, stored = places.size();
        const int8_t* q = side.q.data() + row * side.k;
        const Place* place = places.data();
        Panel to = panel;
        for (size_t kk = 0; kk < stored; ++kk) {
            to.put_bits(place[kk], bits, static_cast<unsigned>((kk < depth ? q[kk] : rest) + offset) >> halved);
        }
        for (size_t kk = 0; kk < stored && f.fifth != nullptr; ++kk) {
            to.put_bits(f.fifth(s, r, kk), 1, static_cast<unsigned>((kk < depth ? q[kk] : rest) >> 4));
        }
    }
    void pack_elements() {
        if (f.parts != nullptr) {
            return pack_parts();
        }
        f.is_float() ? pack_floats() : f.bits() == 8 ? pack_bytes() : pack_bits();
    }

    bool has_nan_of_e4m3(size_t b) const {
        const auto begin = side.q.begin() + static_cast<std::ptrdiff_t>(row * side.k + b * side.bl);
        return f.element == Format::f8e4m3 &&
               std::any_of(
                   begin, begin + static_cast<std::ptrdiff_t>(side.bl), [](int code) { return (code & 0x7F) == 0x7F; });
    }

    void pack_scale(size_t b) {
        const bool none = zero() || (missing && f.padding == Format::last_row_unscaled);
        const float scale = none ? 0.0f : side.scale[row * side.scales_per_row() + b] * f.stored_scale;
        if (f.scale_type == Format::f32_scale) {
            panel.put(f.scale(s, r, b), !none && has_nan_of_e4m3(b) ? float_of(0x7FC00000) : scale, state(b));
        } else {
            panel.put(
                f.scale(s, r, b), f.scale_type == Format::f16_scale ? f16_from_f32(scale) : bf16_from_f32(scale),
                state(b));
        }
    }

    void pack_sums(size_t b) {
        for (size_t j = 0; j < side.bl / f.sums_of; ++j) {
            const int8_t* q = &side.q[row * side.k + b * side.bl + f.sums_of * j];
            const int sum = std::accumulate(q, q + f.sums_of, 0), low = (sum + 64 + 128 * 64) % 128 - 64;
            panel.put(f.high(s, r, b, j), static_cast<int8_t>((sum - low) / 128), state(b));
            panel.put(f.low(s, r, b, j), static_cast<int8_t>(low), state(b));
        }
    }

    void pack_table() {
        for (size_t i = 0; i < 4 * s.rows; ++i) {
            panel.put(i, static_cast<int8_t>(i < 16 ? side.table[i] : 0));
        }
    }

    void pack_sub_blocks(size_t b) {
        const size_t subs = f.block / f.sub, first = (row * side.k + b * f.block) / f.sub;
        for (size_t j = 0; j < subs; ++j) {
            panel.put_parts(f.sub_scale(s, r, b, j), static_cast<unsigned>(side.sub_scale[first + j]));
            if (f.sub_min != nullptr) {
                panel.put_parts(f.sub_min(s, r, b, j), static_cast<unsigned>(side.sub_min[first + j]));
            }
        }
        if (f.min_scale != nullptr) {
            panel.put(f.min_scale(s, r, b), f16_from_f32(side.min_scale[row * side.scales_per_row() + b]));
        }
    }

    void pack() {
        if (f.element == Format::l4) {
            pack_table();
        }
        pack_elements();
        for (size_t b = 0; f.scale != nullptr && b < side.scales_per_row(); ++b) {
            pack_scale(b);
            if (f.high != nullptr) {
                pack_sums(b);
            }
            if (f.sub != 0) {
                pack_sub_blocks(b);
            }
            if (f.offset != nullptr) {
                const float offset = side.offset[row * side.scales_per_row() + b];
                f.offset_type == Format::f16_scale ? panel.put(f.offset(s, r, b), f16_from_f32(offset), state(b))
                                                   : panel.put(f.offset(s, r, b), offset, state(b));
            }
        }
        if (f.row_offset != nullptr) {
            panel.put(f.row_offset(s, r), side.row_offset[row], state(0));
        }
        if (f.sum != nullptr && f.blocks) {
            panel.put(f.sum(s, r), zero() ? 0.0f : side.sum[row]);
        } else if (f.sum != nullptr) {
            const int32_t unit = static_cast<int32_t>(1 / f.stored_scale);
            const int32_t less = f.inverts && f.has_unsigned ? 128 * static_cast<int32_t>(side.k) : 0;
            panel.put(f.sum(s, r), zero() ? 0 : unit * side.sum_of_elements(row) - less);
        }
        if (f.bias != nullptr) {
            const bool none = side.bias.empty() || (missing && f.padding != Format::last_row_and_bias);
            const float bias = none ? 0.0f : side.bias[row];
            const uint32_t added = side.bias_added.empty() || zero() ? 0 : side.bias_added[row];
            f.bias_type == Format::f32_bias ? panel.put(f.bias(s, r), bias)
            : f.bias_type == Format::f16_bias
                ? panel.put(f.bias(s, r), f16_from_f32(bias))
                : panel.put(f.bias(s, r), static_cast<uint32_t>(static_cast<int32_t>(bias)) + added);
        }
    }
};

}  // namespace

Packed pack(const Format& f, const Side& side, Tile panel, size_t first_slot) {
    const Tile tile = f.stored(panel, side.rows);
    const Shape s = {tile.rows, tile.kr, tile.sr, side.k, side.bl};
    const size_t panels = side.rows == 0 ? 0 : (first_slot + side.rows + tile.rows - 1) / tile.rows;
    const size_t stride = f.stride(s);
    Packed packed = {std::vector<uint8_t>(panels * stride), std::vector<Packed::State>(panels * stride)};
    std::vector<Place> places(f.parts == nullptr ? f.stored_k(s) : 0);
    for (size_t r = 0; r < tile.rows && panels > 0; ++r) {
        if (f.parts == nullptr) {
            f.place.row(s, r, places);
        }
        for (size_t slot = r; slot < panels * tile.rows; slot += tile.rows) {
            const bool before = slot < first_slot, missing = !before && slot - first_slot >= side.rows;
            if (!before && (!missing || f.padding != Format::untouched)) {
                const size_t row = missing ? side.rows - 1 : slot - first_slot;
                Row{f, s, side, row, {packed, slot / tile.rows * stride}, r, missing, places}.pack();
            }
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
