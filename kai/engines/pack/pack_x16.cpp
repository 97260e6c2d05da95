// Packers of 16-bit elements in groups of four (unified API): their bits are copied, so they may be bf16 or f16.
//
//     LHS: bf16p, panels of 8 rows           | k = 0 - 3: 4 elements of row 0, 4 of row 1, ... | k = 4 - 7: ... | ...
//     RHS: bf16pbiasf32, panels of 12 or 8 columns, K x N or N x K   the same after their bias, of 32 bits each
//
// A place is a row of the LHS, a column of the RHS. k is padded to a multiple of 4 by zeros. Places that an RHS lacks,
// their bias and a bias that is not given become zero; those of rows that an LHS lacks stay as they are.
//
// Where places are contiguous, NEON packs four at a time, 8 elements of each; K x N: all columns of 4 rows. The bytes
// are those of pack_place.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/engines/core/pack_unified.hpp"

namespace kai {
namespace {

constexpr Plain bf16_kxn = {16, true}, bf16_nxk = {16, false};

constexpr size_t kElement = sizeof(uint16_t), kGroup = 4 * kElement;

/// Elements of a place packed before moving to the next places, so that partial writes stay in the nearest cache.
constexpr size_t kChunk = 128;

/// `count` elements at src, a group every `step` bytes; the last group is padded with zeros.
KAI_INLINE void pack_place(const uint8_t* src, size_t count, uint8_t* dst, size_t step) {
    for (; count >= 4; count -= 4, src += kGroup, dst += step) {
        store(dst, load<uint64_t>(src));
    }
    if (count > 0) {
        const uint64_t low = count > 1 ? load<uint32_t>(src) : load<uint16_t>(src);
        store(dst, count > 2 ? low | static_cast<uint64_t>(load<uint16_t>(src + 4)) << 32 : low);
    }
}

/// As pack_place, for four neighbouring places.
[[gnu::noinline]] void pack_four_places(const uint8_t* const places[4], size_t count, uint8_t* dst, size_t step) {
    size_t x = 0;
#if defined(__aarch64__)
    uint8_t* to = dst;
    for (; x + 8 <= count; x += 8) {
        uint8x16_t v[4], out[4];
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            v[i] = load<uint8x16_t>(places[i] + x * kElement);
        }
        interleave<kGroup>(v, out);
        to = store_groups<kGroup>(out, to, step);
    }
#endif
    for (size_t i = 0; i < 4; ++i) {
        pack_place(places[i] + x * kElement, count - x, dst + x / 4 * step + i * kGroup, step);
    }
}

/// Up to `rows` contiguous places of a panel, `stride` bytes apart; `pad`: the others become zero.
KAI_INLINE void pack_places(
    size_t rows, size_t exist, size_t k, const uint8_t* src, size_t stride, bool pad, uint8_t* dst) {
    static constexpr uint8_t kZeros[kChunk * kElement] = {};
    const size_t step = rows * kGroup;
    for (size_t x = 0; x < k; x += kChunk, dst += kChunk / 4 * step) {
        const size_t count = k - x < kChunk ? k - x : kChunk;
        const uint8_t* from = src + x * kElement;
        for (size_t r = 0; r < rows; r += 4) {
            const auto place = [&](size_t i) { return r + i < exist ? from + (r + i) * stride : kZeros; };
            if (pad || r + 4 <= exist) {
                const uint8_t* const places[4] = {place(0), place(1), place(2), place(3)};
                pack_four_places(places, count, dst + r * kGroup, step);
            } else {
                for (size_t i = r; i < exist; ++i) {
                    pack_place(from + i * stride, count, dst + i * kGroup, step);
                }
            }
        }
    }
}

void run_lhs(const UnifiedLhsPacker& packer, const kai_matmul_pack_lhs_uker_args* args) {
    check(packer, args);
    const auto& [m, k] = args->shape;
    const auto& [packed, lhs] = args->operand;
    const size_t rows = packer.panels.count;
    for (size_t row = 0; row < m; row += rows) {
        pack_places(
            rows, m - row < rows ? m - row : rows, k, bytes(lhs.ptr) + row * lhs.stride.m, lhs.stride.m, false,
            bytes(packed.ptr) + row / rows * packed.stride.m);
    }
}

/// The bias of a panel of `columns`, of which `exist`.
KAI_INLINE void pack_bias(const void* bias, size_t columns, size_t first, size_t exist, uint8_t* dst) {
    for (size_t c = 0; c < columns; ++c) {
        store(
            dst + c * sizeof(uint32_t),
            bias != nullptr && c < exist ? load<uint32_t>(bytes(bias, (first + c) * sizeof(uint32_t))) : 0U);
    }
}

KAI_INLINE size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

void run_nxk(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    check(packer, args);
    const auto& [n, k] = args->shape;
    const auto& rhs = args->operand.rhs;
    const auto& packed = args->operand.rhs_packed;
    const size_t columns = packer.panels.count;
    for (size_t column = 0; column < n; column += columns) {
        uint8_t* panel = bytes(packed.ptr) + column / columns * packed.stride.n;
        const size_t exist = least(n - column, columns);
        pack_bias(args->operand.bias_n.ptr, columns, column, exist, panel);
        pack_places(
            columns, exist, k, bytes(rhs.ptr) + column * rhs.stride.n, rhs.stride.n, true,
            panel + columns * sizeof(uint32_t));
    }
}

/// Four columns of a line, the missing ones as zeros.
KAI_INLINE uint64_t load_quad(const uint8_t* src, size_t exist) {
    if (exist >= 4) {
        return load<uint64_t>(src);
    }
    uint64_t quad = 0;
    for (size_t c = 0; c < exist; ++c) {
        quad |= static_cast<uint64_t>(load<uint16_t>(src + c * kElement)) << 16 * c;
    }
    return quad;
}

/// Four columns of four lines to four groups.
KAI_INLINE void transpose_quads(const uint64_t lines[4], uint8_t* dst) {
#if defined(__aarch64__)
    const auto two = [&](size_t i) {
        return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(lines[i]), vcreate_u64(0)));
    };
    const uint8x16_t even = zip1<kElement>(two(0), two(2)), odd = zip1<kElement>(two(1), two(3));
    store(dst, zip1<kElement>(even, odd));
    store(dst + 16, zip2<kElement>(even, odd));
#else
    for (size_t c = 0; c < 4; ++c) {
        for (size_t i = 0; i < 4; ++i) {
            store(dst + c * kGroup + i * kElement, static_cast<uint16_t>(lines[i] >> 16 * c));
        }
    }
#endif
}

/// Up to four lines of the columns that exist.
KAI_INLINE void pack_some_lines(
    size_t lines, size_t columns, size_t exist, const uint8_t* src, size_t stride, uint8_t* dst) {
    for (size_t c = 0; c < columns; c += 4) {
        uint64_t quads[4] = {};
        for (size_t i = 0; i < lines && c < exist; ++i) {
            quads[i] = load_quad(src + i * stride + c * kElement, exist - c);
        }
        transpose_quads(quads, dst + c * kGroup);
    }
}

/// `count` lines of a panel of 8 or 12 columns, of which `exist`.
[[gnu::noinline]] void pack_lines(
    size_t count, size_t columns, size_t exist, const uint8_t* src, size_t stride, uint8_t* dst) {
#if defined(__aarch64__)
    for (; exist == columns && count >= 4; count -= 4, src += 4 * stride, dst += columns * kGroup) {
        const uint8_t* const lines[4] = {src, src + stride, src + 2 * stride, src + 3 * stride};
        uint8x16_t v[4], out[4];
        uint64_t quads[4];
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            v[i] = load<uint8x16_t>(lines[i]);
            quads[i] = columns > 8 ? load<uint64_t>(lines[i] + 16) : 0;
        }
        interleave<kElement>(v, out);
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            store(dst + 16 * i, out[i]);
        }
        if (columns > 8) {
            transpose_quads(quads, dst + 64);
        }
    }
#endif
    for (; count > 0; src += 4 * stride, dst += columns * kGroup) {
        const size_t lines = least(count, 4);
        pack_some_lines(lines, columns, exist, src, stride, dst);
        count -= lines;
    }
}

void run_kxn(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    check(packer, args);
    const auto& [n, k] = args->shape;
    const auto& rhs = args->operand.rhs;
    const auto& packed = args->operand.rhs_packed;
    const size_t columns = packer.panels.count;
    for (size_t x = 0; x == 0 || x < k; x += kChunk) {  // the lines of a chunk are read by all panels
        for (size_t column = 0; column < n; column += columns) {
            uint8_t* panel = bytes(packed.ptr) + column / columns * packed.stride.n;
            const size_t exist = least(n - column, columns);
            if (x == 0) {
                pack_bias(args->operand.bias_n.ptr, columns, column, exist, panel);
            }
            pack_lines(
                least(k - x, kChunk), columns, exist, bytes(rhs.ptr) + x * rhs.stride.k + column * kElement,
                rhs.stride.k, panel + columns * (sizeof(uint32_t) + x * kElement));
        }
    }
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_API(matmul_pack_lhs_mxk_x16p8x4_x16_neon, kai::run_lhs, uint16_t, kai::packed(kai::bf16p, 8, 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_x16p12x4bx32_x16_x32_neon, kai::run_kxn, kai::bf16_kxn, kai::packed(kai::bf16pbiasf32, 12, 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_x16p12x4bx32_x16_x32_neon, kai::run_nxk, kai::bf16_nxk, kai::packed(kai::bf16pbiasf32, 12, 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_x16p8x4bx32_x16_x32_neon, kai::run_kxn, kai::bf16_kxn, kai::packed(kai::bf16pbiasf32, 8, 4))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_x16p8x4bx32_x16_x32_neon, kai::run_nxk, kai::bf16_nxk, kai::packed(kai::bf16pbiasf32, 8, 4))
