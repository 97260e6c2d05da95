// Weights in super-blocks of 256 with integer scales of sub-blocks, as the K types of GGUF files have them; activations
// in blocks of 256 (qsi8d256p). For every super-block, ascending:
//
//     I = sum over sub-blocks j of scale_j * S_j,  S_j = sum over the sub-block of lhs * rhs      int32, exact
//     acc = fma(f32(I) * d, lhs_scale, acc), the product rounded
//
// With minima, J = sum of minimum_j * (sum of lhs over the sub-block) is exact in int32 as well, and
//
//     acc = fma(fma(-f32(J), dmin, f32(I) * d), lhs_scale, acc)
//
// The head of an LHS block has the sums of 32 as bytes for that: minima times sums is one more group of 8 k. All
// kernels do these operations, so all give the same bits.
//
// To add a format: docs/adding-a-kernel.md.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/layout.hpp"

namespace kai {
namespace {

/// qsi6c16x256p. The 16 k of a sub-block of four columns, interleaved in groups like int8, are four vectors of 16
/// bytes, a, b, c, d. Three are stored as they are, in the upper six bits of a byte, the bits of d in the lower two:
///
///     a << 2 | d >> 4,  b << 2 | d >> 2 & 3,  c << 2 | d & 3          values of six bits, two's complement
///
/// qsi6c16x256pnrx4: a of all columns of the panel, then b, then c.
struct Six {
    static constexpr size_t kSub = 16, kSubs = 16;  // weights of a sub-block; sub-blocks
    static constexpr size_t kVector = 16;           // bytes
    static constexpr size_t kQuad = 3 * kVector;    // four columns of a sub-block

    /// Which byte of which vector element i of column c of the four is.
    struct At {
        size_t vector, lane;
    };
    static constexpr At at(size_t group, size_t c, size_t i) {
        const size_t byte = (i / group * 4 + c % 4) * group + i % group;
        return {byte / kVector, byte % kVector};
    }
    /// Bytes from a of some columns to b of the same.
    static constexpr size_t plane(const Format& format, size_t nr) {
        return format.wide_planes ? nr * 4 : kVector;
    }
    /// Offset of a for the four columns that include c, in sub-block `sub`, from the elements of a super-block.
    static constexpr size_t quad(size_t nr, size_t sub, size_t c, size_t plane = kVector) {
        const size_t first = c / 4 * 4, columns = plane / 4;
        return (sub * nr + first / columns * columns) * (kQuad / 4) + first % columns * 4;
    }
    /// The value, from the first of the three bytes of a lane.
    KAI_INLINE static int value(const uint8_t* lane, size_t vector) {
        const unsigned last = (lane[0] & 3U) << 4 | (lane[kVector] & 3U) << 2 | (lane[2 * kVector] & 3U);
        const unsigned bits = vector < 3 ? lane[kVector * vector] >> 2 : last;
        return static_cast<int>(bits ^ 32U) - 32;
    }
};

/// qsi3c16x256p. Two sub-blocks of four columns are stored as one of six bits: e << 3 | o, with e of the even sub-block
/// and o of the odd one, of three bits each, two's complement. Panels have four columns.
struct Three {
    /// Offset from the elements of a super-block to sub-block `sub` and the other one of its pair.
    static constexpr size_t pair(size_t sub) {
        return sub / 2 * Six::kQuad;
    }
};

/// Whether sub-blocks have minima.
constexpr bool has_minima(const Format& format) {
    return format.bits == 2 || format.bits == 5 || (format.bits == 4 && !format.table);
}

/// f16 scales of a super-block, then int8 scales of sub-blocks: [sub][column].
KAI_INLINE size_t scale_of_sub(size_t nr, size_t sub, size_t c) {
    return nr * sizeof(uint16_t) + sub * nr + c;
}

}  // namespace
}  // namespace kai
