// Elements of packed integers as int16, in portable C++.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/five_bits.hpp"
#include "kai/engines/portable/portable_int.hpp"

namespace kai {
namespace {

/// The element of a byte at `index`, from the lowest bits up.
template <unsigned BITS, bool TABLE>
KAI_INLINE int16_t element(uint8_t byte, size_t index, const int16_t* table) {
    if constexpr (TABLE) {
        return table[byte >> BITS * index & ((1 << BITS) - 1)];
    }
    return static_cast<int8_t>(byte << (index == 0 ? 8 - BITS : 0)) >> (8 - BITS);
}

/// How many groups of GROUP bytes are decoded at once: two, if a column has as many whose elements follow each other.
template <size_t APART, size_t GROUP>
constexpr size_t kGroups = APART % (2 * GROUP) == 0 ? 2 : 1;

/// Decodes kGroups groups, `next` bytes apart. Their elements at `index` go to out + index * APART.
template <unsigned BITS, bool TABLE, size_t APART, size_t GROUP, bool EXCESS_8>
KAI_INLINE void decode_groups(const uint8_t* in, size_t next, const int16_t* table, int16_t* out) {
    constexpr uint8_t kFlipped = EXCESS_8 ? 0x88 : 0;
    constexpr bool kEight = GROUP == sizeof(uint64_t) && kGroups<APART, GROUP> == 2;
    if constexpr (kEight && BITS == 8) {
        store(out, widened(joined(in, in + next)));
    } else if constexpr (kEight && BITS == 4 && !TABLE) {
        const Int16x16 both = widened(joined(in, in + next) ^ static_cast<int8_t>(kFlipped));
        store(out, both << 12 >> 12);
        store(out + APART, both >> 4);
    } else if constexpr (kEight && BITS == 4 && TABLE && kHasLookUp) {
        const auto both = UInt8x16(joined(in, in + next));
        store(out, widened(look_up(narrowed(table), both & 15)));
        store(out + APART, widened(look_up(narrowed(table), both >> 4)));
    } else {
        for (size_t i = 0; i < kGroups<APART, GROUP> * GROUP; ++i) {
            const uint8_t byte = in[i < GROUP ? i : next + i - GROUP] ^ kFlipped;
            for (size_t index = 0; index < 8 / BITS; ++index) {
                out[index * APART + i] = element<BITS, TABLE>(byte, index, table);
            }
        }
    }
}

/// Decodes steps of a panel. GROUP bytes of a column are adjacent.
using Decode = void(const uint8_t* panel, size_t nr, size_t steps, const int16_t* table, int16_t (*weights)[kChunk]);

/// `nr` is a multiple of COLUMNS.
template <unsigned BITS, bool TABLE, size_t APART, size_t GROUP, bool EXCESS_8, size_t COLUMNS>
KAI_INLINE void decode_columns(
    const uint8_t* panel, size_t nr, size_t steps, const int16_t* table, int16_t (*weights)[kChunk]) {
    constexpr size_t kPerByte = 8 / BITS, kBytes = kStep / kPerByte;
    constexpr size_t kAtOnce = kGroups<APART, GROUP>;
    for (size_t s = 0; s < steps; ++s) {
        KAI_UNROLL(2)
        for (size_t j = 0; j < kBytes; j += kAtOnce * GROUP, panel += (kAtOnce - 1) * nr * GROUP) {
            int16_t* out = weights[0] + s * kStep + j / APART * APART * kPerByte + j % APART;
            for (size_t left = nr; left > 0; left -= COLUMNS, panel += COLUMNS * GROUP, out += COLUMNS * kChunk) {
                KAI_UNROLL(4)
                for (size_t c = 0; c < COLUMNS; ++c) {
                    decode_groups<BITS, TABLE, APART, GROUP, EXCESS_8>(
                        panel + c * GROUP, nr * GROUP, table, out + c * kChunk);
                }
            }
        }
    }
}

template <unsigned BITS, bool TABLE, size_t APART, size_t GROUP, bool EXCESS_8>
void decode(const uint8_t* panel, size_t nr, size_t steps, const int16_t* table, int16_t (*weights)[kChunk]) {
    if (nr % 4 == 0) {
        decode_columns<BITS, TABLE, APART, GROUP, EXCESS_8, 4>(panel, nr, steps, table, weights);
    } else {
        decode_columns<BITS, TABLE, APART, GROUP, EXCESS_8, 1>(panel, nr, steps, table, weights);
    }
}

/// qau5c32p: panels of four columns.
template <size_t GROUP>
void decode_five(const uint8_t* panel, size_t nr, size_t steps, const int16_t*, int16_t (*weights)[kChunk]) {
    for (size_t s = 0; s < steps; ++s, panel += Five::kQuad) {
        uint8_t values[Five::kVectors * Five::kVector];
        Five::decode(panel, values);
        for (size_t c = 0; c < nr; ++c) {
            for (size_t i = 0; i < kStep; i += 2 * GROUP) {
                const size_t at = Five::at(GROUP, c, i), next = Five::at(GROUP, c, i + GROUP) - at;
                decode_groups<8, false, kStep, GROUP, false>(values + at, next, nullptr, weights[c] + s * kStep + i);
            }
        }
    }
}

template <const Format& RHS, size_t GROUP, bool EXCESS_8 = false>
constexpr Decode* decode_of() {
    if constexpr (RHS == qau5c32p) {
        return decode_five<GROUP>;
    } else {
        constexpr size_t kApart = RHS.nibble_distance != 0 ? RHS.nibble_distance : kStep * RHS.bits / 8;
        return decode < RHS.bits, RHS.bits <= 2 || RHS.table, kApart, GROUP, EXCESS_8 > ;
    }
}
template <const Format& RHS, size_t GROUP, bool EXCESS_8 = false>
constexpr Decode* kDecode = decode_of<RHS, GROUP, EXCESS_8>();

}  // namespace
}  // namespace kai
