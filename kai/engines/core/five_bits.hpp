// Elements of qau5c32p: eight values of five bits in five bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"

namespace kai {
namespace {

/// The 32 k of a block of four columns, interleaved in groups like int8, are eight vectors of 16 bytes, v0 - v7. Five
/// are stored as they are, in the upper five bits of a byte. The lower three bits are those of the other vectors:
///
///     s0 = v0 << 3 | v5 & 7        s1 = v1 << 3 | bit 3 of v7, v5 >> 3
///     s2 = v2 << 3 | v6 & 7        s3 = v3 << 3 | bit 4 of v7, v6 >> 3        s4 = v4 << 3 | v7 & 7
///
/// So 14 instructions decode eight vectors; a plane of nibbles and one of fifth bits would take 23.
struct Five {
    static constexpr size_t kBlock = 32;  // k
    static constexpr size_t kVector = 16, kStored = 5, kVectors = 8;
    static constexpr size_t kQuad = kStored * kVector;  // bytes of four columns of a block

    /// The byte of element i of column c of the four, in v0 - v7.
    static constexpr size_t at(size_t group, size_t c, size_t i) {
        return (i / group * 4 + c % 4) * group + i % group;
    }
    using Bytes [[gnu::vector_size(kVector)]] = uint8_t;

    KAI_INLINE static void encode(const Bytes v[kVectors], Bytes s[kStored]) {
        s[0] = v[0] << 3 | (v[5] & 7);
        s[1] = v[1] << 3 | (v[7] >> 1 & 4) | v[5] >> 3;
        s[2] = v[2] << 3 | (v[6] & 7);
        s[3] = v[3] << 3 | (v[7] >> 2 & 4) | v[6] >> 3;
        s[4] = v[4] << 3 | (v[7] & 7);
    }
    KAI_INLINE static void decode(const Bytes s[kStored], Bytes v[kVectors]) {
        for (size_t j = 0; j < kStored; ++j) {
            v[j] = s[j] >> 3;
        }
        v[5] = (s[0] & 7) | (s[1] & 3) << 3;
        v[6] = (s[2] & 7) | (s[3] & 3) << 3;
        v[7] = (s[4] & 7) | (s[1] & 4) << 1 | (s[3] & 4) << 2;
    }
    /// The values of four columns of a block: element i of column c is at at(group, c, i).
    KAI_INLINE static void decode(const uint8_t* quad, uint8_t values[kVectors * kVector]) {
        Bytes s[kStored], v[kVectors];
        __builtin_memcpy(s, quad, sizeof(s));
        decode(s, v);
        __builtin_memcpy(values, v, sizeof(v));
    }
};

}  // namespace
}  // namespace kai
