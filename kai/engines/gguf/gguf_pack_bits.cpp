// RHS packers of rows of GGUF blocks, N x K, to formats of 2 bits and of 1: lossless. Each column is a row of the file,
// the packed blocks are its blocks.
//
// 2 bits:
//
//     block of four columns     | 4 x f16 d, unchanged | steps of 32 k |
//     step                      8 bytes of each column, interleaved in groups of 8 or 4
//     byte j of a column        elements j, j + 8, j + 16, j + 24 of the step, from the lowest bits up
//
// An element is the value plus 1, as in the file. qsi2c32pscalef16, of SME2:
//
//     panel     byte 0 of all columns, byte 1, ...; then the f16 d of all columns, block by block
//     byte j    elements 4 j to 4 j + 3, from the lowest bits up
//
// NEON: two columns in a vector; SLI puts a byte together. Neighbours: 16 elements of four columns, shifted together in
// pairs, then in fours.
//
// 1 bit, bytes as in the file:
//
//     block of 16 columns       | 16 x f16 d, unchanged | byte 0 of all columns | byte 1 | ... |
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/gguf/gguf_neon.hpp"
#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/engines/core/pack_rhs_rules.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr size_t kColumns = 4, kStep = 32, kStepBytes = 8;  // bytes: of a column
constexpr size_t kBitColumns = 16;

constexpr kai_rhs_rules bits_rules(const char* name, const Format& format, const Block& t) {
    kai_rhs_rules rules = rhs_rules(name, format, true);
    rules.bl = static_cast<uint16_t>(packed_bl(t));
    rules.source_weights = static_cast<uint16_t>(t.weights);
    rules.source_bytes = static_cast<uint16_t>(t.bytes);
    rules.sr = 2;
    if (format.fields_last) {
        rules.nr_multiple = kColumns;
        rules.kr = 4;
        return rules;
    }
    rules.nr = format.bits == 1 ? kBitColumns : kColumns;
    rules.kr_multiple = format.bits == 1 ? 16 : 8;
    rules.kr_max = 16;
    return rules;
}

/// A block of four columns in the file.
struct Columns {
    const uint8_t* at[kColumns];
};

#if defined(__aarch64__)

/// Elements i to i + 15.
template <const Block& t>
KAI_INLINE uint8x16_t elements_x16(const uint8_t* block, size_t i) {
    if constexpr (t.low.bits == 2) {
        static_assert(t.bias == -1);
        return fields_x16(t.low, block, i);
    } else {
        return vaddq_u8(vreinterpretq_u8_s8(values_x16<t>(block, i)), vdupq_n_u8(1));
    }
}

/// Lanes 0 and 1 of 64 bits: those of a and b.
KAI_INLINE uint8x16_t low_halves(uint8x16_t a, uint8x16_t b) {
    return zip1<8>(a, b);
}
KAI_INLINE uint8x16_t high_halves(uint8x16_t a, uint8x16_t b) {
    return zip2<8>(a, b);
}

/// The step from element i on of columns a and b, 8 bytes of each.
template <const Block& t>
KAI_INLINE uint8x16_t step_of_two(const uint8_t* a, const uint8_t* b, size_t i) {
    const uint8x16_t a0 = elements_x16<t>(a, i), a1 = elements_x16<t>(a, i + 16);
    const uint8x16_t b0 = elements_x16<t>(b, i), b1 = elements_x16<t>(b, i + 16);
    uint8x16_t bytes = vsliq_n_u8(low_halves(a1, b1), high_halves(a1, b1), 2);
    bytes = vsliq_n_u8(high_halves(a0, b0), bytes, 2);
    return vsliq_n_u8(low_halves(a0, b0), bytes, 2);
}

#else

/// The step from element i on of a column.
KAI_INLINE uint64_t step_of(const Block& t, const uint8_t* block, size_t i) {
    uint64_t bytes = 0;
    for (size_t kk = 0; kk < kStep; ++kk) {
        const auto element = static_cast<unsigned>(value_of(t, block, i + kk) + 1);
        bytes |= uint64_t{element} << (8 * (kk % kStepBytes) + 2 * (kk / kStepBytes));
    }
    return bytes;
}

#endif

/// Block b of four columns.
template <const Block& t, size_t group>
KAI_INLINE void pack_block(const Columns& src, size_t b, uint8_t* dst) {
    for (size_t c = 0; c < kColumns; ++c) {
        store(dst + 2 * c, load<uint16_t>(src.at[c] + b * t.bytes + t.d));
    }
    dst += 2 * kColumns;
    for (size_t i = 0; i < t.weights; i += kStep, dst += kColumns * kStepBytes) {
#if defined(__aarch64__)
        const size_t at = b * t.bytes;
        const uint8x16_t first = step_of_two<t>(src.at[0] + at, src.at[1] + at, i);
        const uint8x16_t second = step_of_two<t>(src.at[2] + at, src.at[3] + at, i);
        if constexpr (group == 8) {
            store(dst, first);
            store(dst + 16, second);
        } else {
            const uint32x4_t a = vreinterpretq_u32_u8(first), c = vreinterpretq_u32_u8(second);
            store(dst, vuzp1q_u32(a, c));
            store(dst + 16, vuzp2q_u32(a, c));
        }
#else
        for (size_t c = 0; c < kColumns; ++c) {
            const uint64_t bytes = step_of(t, src.at[c] + b * t.bytes, i);
            if (group == 8) {
                store(dst + 8 * c, bytes);
            } else {
                store(dst + 4 * c, static_cast<uint32_t>(bytes));
                store(dst + 16 + 4 * c, static_cast<uint32_t>(bytes >> 32));
            }
        }
#endif
    }
}

/// Missing columns of the last panel repeat column n - 1.
template <const Format& format, const Block& t, size_t group>
[[gnu::noinline]] void pack_panels(const kai_rhs_call& call) {
    static_assert(format.bits == 2 && format.nibble_distance == kStepBytes && packed_bl(t) == t.weights);
    const kai_rhs_call c = call;  // a local copy: stores cannot alias it
    uint8_t* dst = bytes(c.packed);
    for (size_t first = 0; first < c.n; first += kColumns) {
        Columns src;
        for (size_t i = 0; i < kColumns; ++i) {
            src.at[i] = bytes(c.rhs, (first + i < c.n ? first + i : c.n - 1) * c.rhs_stride);
        }
        for (size_t b = 0; b < c.k / t.weights; ++b, dst += format.block_bytes({kColumns, 0, 0}, t.weights)) {
            pack_block<t, group>(src, b, dst);
        }
    }
}

/// 16 elements of four columns, which are `at` bytes from src: 4 bytes of each, byte j of all columns `step` bytes
/// after byte j - 1.
template <const Block& t>
KAI_INLINE void pack_neighbours(const Columns& src, size_t at, size_t i, uint8_t* dst, size_t step) {
#if defined(__aarch64__)
    constexpr uint8x16_t kTransposed = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    uint16x8_t pairs[kColumns];
    KAI_UNROLL(4)
    for (size_t c = 0; c < kColumns; ++c) {
        const uint16x8_t v = vreinterpretq_u16_u8(elements_x16<t>(src.at[c] + at, i));
        pairs[c] = vsraq_n_u16(v, v, 6);  // of the lower bytes, four bits
    }
    const uint8x16_t low = vuzp1q_u8(vreinterpretq_u8_u16(pairs[0]), vreinterpretq_u8_u16(pairs[1]));
    const uint8x16_t high = vuzp1q_u8(vreinterpretq_u8_u16(pairs[2]), vreinterpretq_u8_u16(pairs[3]));
    const uint8x16_t bytes = vsliq_n_u8(vuzp1q_u8(low, high), vuzp2q_u8(low, high), 4);
    const uint32x4_t rows = vreinterpretq_u32_u8(vqtbl1q_u8(bytes, kTransposed));
    KAI_UNROLL(4)
    for (size_t j = 0; j < 4; ++j) {
        store(dst + j * step, rows[j]);
    }
#else
    for (size_t j = 0; j < 16; ++j) {
        for (size_t c = 0; c < kColumns; ++c) {
            const auto element = static_cast<unsigned>(value_of(t, src.at[c] + at, i + j) + 1);
            uint8_t& byte = dst[j / 4 * step + c];
            byte = static_cast<uint8_t>((j % 4 == 0 ? 0U : byte) | element << (2 * (j % 4)));
        }
    }
#endif
}

/// Missing columns of the last panel repeat column n - 1.
template <const Format& format, const Block& t>
[[gnu::noinline]] void pack_neighbour_panels(const kai_rhs_call& call) {
    static_assert(format.bits == 2 && format.nibble_distance == 1 && packed_bl(t) == t.weights);
    const kai_rhs_call c = call;  // a local copy: stores cannot alias it
    const Tile tile{c.nr, c.kr, c.sr};
    uint8_t* panel = bytes(c.packed);
    for (size_t first = 0; first < c.n; first += c.nr, panel += format.stride(tile, c.k, t.weights)) {
        for (size_t place = 0; place < c.nr; place += kColumns) {
            Columns src;
            for (size_t i = 0; i < kColumns; ++i) {
                const size_t column = first + place + i;
                src.at[i] = bytes(c.rhs, (column < c.n ? column : c.n - 1) * c.rhs_stride);
            }
            uint8_t* dst = panel + place;
            for (size_t b = 0; b < c.k / t.weights; ++b) {
                uint8_t* scales = panel + format.head(tile, c.k, t.weights, b) + 2 * place;
                for (size_t i = 0; i < kColumns; ++i) {
                    store(scales + 2 * i, load<uint16_t>(src.at[i] + b * t.bytes + t.d));
                }
                for (size_t i = 0; i < t.weights; i += 16, dst += 4 * c.nr) {
                    pack_neighbours<t>(src, b * t.bytes, i, dst, c.nr);
                }
            }
        }
    }
}

/// Block b of 16 columns, 16 bytes of bits of each.
template <const Block& t>
KAI_INLINE void pack_bit_block(const uint8_t* const src[kBitColumns], size_t b, uint8_t* dst) {
    static_assert(t.weights == 8 * kBitColumns && t.low.bits == 1 && t.low.distance == 1 && t.table == kTableSign);
    for (size_t c = 0; c < kBitColumns; ++c) {
        store(dst + 2 * c, load<uint16_t>(src[c] + b * t.bytes + t.d));
    }
    dst += 2 * kBitColumns;
#if defined(__aarch64__)
    uint8x16_t v[kBitColumns];
    for (size_t c = 0; c < kBitColumns; ++c) {
        v[c] = vld1q_u8(src[c] + b * t.bytes + t.low.offset);
    }
    // Bits of the number of a byte, column x place: every round moves the highest one to the end.
    for (size_t round = 0; round < 4; ++round) {
        uint8x16_t zipped[kBitColumns];
        KAI_UNROLL(8)
        for (size_t i = 0; i < kBitColumns / 2; ++i) {
            zipped[2 * i] = vzip1q_u8(v[i], v[i + kBitColumns / 2]);
            zipped[2 * i + 1] = vzip2q_u8(v[i], v[i + kBitColumns / 2]);
        }
        __builtin_memcpy(v, zipped, sizeof(v));
    }
    for (size_t j = 0; j < kBitColumns; ++j) {
        vst1q_u8(dst + j * kBitColumns, v[j]);
    }
#else
    for (size_t c = 0; c < kBitColumns; ++c) {
        for (size_t j = 0; j < t.weights / 8; ++j) {
            dst[j * kBitColumns + c] = src[c][b * t.bytes + t.low.offset + j];
        }
    }
#endif
}

/// Missing columns of the last panel repeat column n - 1.
template <const Format& format, const Block& t>
[[gnu::noinline]] void pack_bit_panels(const kai_rhs_call& call) {
    static_assert(format.group == Format::one && packed_bl(t) == t.weights);
    const kai_rhs_call c = call;  // a local copy: stores cannot alias it
    uint8_t* dst = bytes(c.packed);
    for (size_t first = 0; first < c.n; first += kBitColumns) {
        const uint8_t* src[kBitColumns];
        for (size_t i = 0; i < kBitColumns; ++i) {
            src[i] = bytes(c.rhs, (first + i < c.n ? first + i : c.n - 1) * c.rhs_stride);
        }
        for (size_t b = 0; b < c.k / t.weights; ++b, dst += format.block_bytes({kBitColumns, 0, 0}, t.weights)) {
            pack_bit_block<t>(src, b, dst);
        }
    }
}

template <const Format& format, const Block& t>
void check_and_pack(const kai_rhs_rules& rules, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    if constexpr (format.bits == 1) {
        pack_bit_panels<format, t>(c);
    } else if constexpr (format.fields_last) {
        pack_neighbour_panels<format, t>(c);
    } else {
        (c.kr == 16 ? pack_panels<format, t, 8> : pack_panels<format, t, 4>)(c);
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_GGUF(FORMAT, TYPE, SUFFIX)                                                                         \
    KAI_RHS_RULES(rhs_pack_nxk_##FORMAT##_gg##SUFFIX, bits_rules, kai::FORMAT, kai::TYPE)                             \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(rhs_pack_nxk_##FORMAT##_gg##SUFFIX, n_idx* rhs_stride)                             \
    KAI_RUN_RHS_PACK_NXK_GGUF(rhs_pack_nxk_##FORMAT##_gg##SUFFIX) {                                                   \
        kai::check_and_pack<kai::FORMAT, kai::TYPE>(                                                                  \
            kai_rules_rhs_pack_nxk_##FORMAT##_gg##SUFFIX, {num_groups, n, k, nr, kr, sr, 0, rhs, rhs_stride, nullptr, \
                                                           nullptr, nullptr, 0, rhs_packed, extra_bytes, params});    \
    }

extern "C" {

KAI_DEFINE_GGUF(qsi1c32p, Q1_0, q1_0)
KAI_DEFINE_GGUF(qsi2c32p, TQ2_0, tq2_0)
KAI_DEFINE_GGUF(qsi2c32p, TQ1_0, tq1_0)
KAI_DEFINE_GGUF(qsi2c32p, Q1_0, q1_0)
KAI_DEFINE_GGUF(qsi2c32p, Q2_0, q2_0)
KAI_DEFINE_GGUF(qsi2c32pscalef16, TQ2_0, tq2_0)
KAI_DEFINE_GGUF(qsi2c32pscalef16, TQ1_0, tq1_0)
KAI_DEFINE_GGUF(qsi2c32pscalef16, Q1_0, q1_0)
KAI_DEFINE_GGUF(qsi2c32pscalef16, Q2_0, q2_0)

}  // extern "C"
