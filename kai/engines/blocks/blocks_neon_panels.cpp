// Both operands in blocks, the RHS packed for SME, on NEON: the loops around tiles, and what decodes 16 columns
// (blocks_neon_panels.hpp). Rows: blocks_neon_panels_rows.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/blocks/blocks_neon_panels.hpp"

#include "kai/engines/blocks/blocks_args.h"
#include "kai/engines/blocks/blocks_neon_results.hpp"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

using Limits = BlockPanelsLimits;
constexpr size_t kChunkBytes = 4 * 32, kScaleBytes = 4 * sizeof(float);
constexpr size_t kTileFloats = 4 * 2 * 16;  // 4 quads x 8 rows

// ---- From panels to quads

/// Fields of a block: f32 of four scales.
struct F16Scales {
    static constexpr size_t kFields = 1, kBytes = 2;
    static float32x4_t load(const uint8_t* p) {
        return load_f16x4(p);
    }
};
/// Of int8 that are 16 times the weights.
struct F16ScalesOf16 {
    static constexpr size_t kFields = 1, kBytes = 2;
    static float32x4_t load(const uint8_t* p) {
        return vmulq_n_f32(load_f16x4(p), 0.0625F);
    }
};
struct Bf16Scales {
    static constexpr size_t kFields = 1, kBytes = 2;
    static float32x4_t load(const uint8_t* p) {
        return vreinterpretq_f32_u32(vshll_n_u16(vreinterpret_u16_u8(vld1_u8(p)), 16));
    }
};
/// Zeros of all columns, then scales.
struct ZerosAndScales {
    static constexpr size_t kFields = 2, kBytes = 4;
    static float32x4_t load(const uint8_t* p) {
        return load_f32x4(p);
    }
};

/// Where the next 4 k of each of the four quads go.
struct QuadsOut {
    uint8_t* at;
    size_t stride;

    KAI_INLINE void put(size_t quad, uint8x16_t x) const {
        vst1q_u8(at + quad * stride, x);
    }
    KAI_INLINE void put_scales(size_t quad, float32x4_t x) const {
        put(quad, vreinterpretq_u8_f32(x));
    }
};

/// Some k of 16 columns: kGroup k are at p, decoded to `out` and the 16 bytes after it, if they are 8.
struct Int8Group {
    static constexpr size_t kK = 4, kColumnBytes = 4;
    KAI_INLINE static void decode(const uint8_t* p, const QuadsOut& out, uint8x16_t) {
        for (size_t q = 0; q < 4; ++q) {
            out.put(q, vld1q_u8(p + 16 * q));
        }
    }
};
/// Nibbles of k and k + 4: 16 times the weights.
struct Int4ApartGroup {
    static constexpr size_t kK = 8, kColumnBytes = 4;
    KAI_INLINE static void decode(const uint8_t* p, const QuadsOut& out, uint8x16_t) {
        for (size_t q = 0; q < 4; ++q) {
            const uint8x16_t packed = vld1q_u8(p + 16 * q);
            out.put(q, vshlq_n_u8(packed, 4));
            vst1q_u8(out.at + q * out.stride + 16, vandq_u8(packed, vdupq_n_u8(0xF0)));
        }
    }
};
/// Nibbles of k and k + 1, 8 more than the weights: 16 times these.
struct Int4Group {
    static constexpr size_t kK = 4, kColumnBytes = 2;
    KAI_INLINE static void decode(const uint8_t* p, const QuadsOut& out, uint8x16_t) {
        for (size_t q = 0; q < 4; q += 2) {
            const uint8x16_t packed = veorq_u8(vld1q_u8(p + 8 * q), vdupq_n_u8(0x88));
            const uint8x16_t even = vshlq_n_u8(packed, 4), odd = vandq_u8(packed, vdupq_n_u8(0xF0));
            out.put(q, vzip1q_u8(even, odd));
            out.put(q + 1, vzip2q_u8(even, odd));
        }
    }
};
/// Four k in a byte, the first in its lowest bits: the weights + 1. A nibble selects its first and its second weight.
struct Int2Group {
    static constexpr size_t kK = 4, kColumnBytes = 1;
    KAI_INLINE static void decode(const uint8_t* p, const QuadsOut& out, uint8x16_t) {
        constexpr uint32_t kFirst = 0x020100FF, kSecond[4] = {0xFFFFFFFF, 0, 0x01010101, 0x02020202};
        const uint8x16_t first = vreinterpretq_u8_u32(vdupq_n_u32(kFirst));
        const uint8x16_t second = vreinterpretq_u8_u32(vld1q_u32(kSecond)), packed = vld1q_u8(p);
        const uint8x16_t low = vandq_u8(packed, vdupq_n_u8(0x0F)), high = vshrq_n_u8(packed, 4);
        for (size_t q = 0; q < 4; q += 2) {
            const uint8x16_t nibbles = q == 0 ? vzip1q_u8(low, high) : vzip2q_u8(low, high);  // of 8 columns
            const uint8x16_t even = vqtbl1q_u8(first, nibbles), odd = vqtbl1q_u8(second, nibbles);
            out.put(q, vzip1q_u8(even, odd));
            out.put(q + 1, vzip2q_u8(even, odd));
        }
    }
};
/// Nibbles of k and k + 1, indices of the table.
struct TableGroup {
    static constexpr size_t kK = 4, kColumnBytes = 2;
    KAI_INLINE static void decode(const uint8_t* p, const QuadsOut& out, uint8x16_t table) {
        for (size_t q = 0; q < 4; q += 2) {
            const uint8x16_t packed = vld1q_u8(p + 8 * q);
            const uint8x16_t even = vqtbl1q_u8(table, vandq_u8(packed, vdupq_n_u8(0x0F)));
            const uint8x16_t odd = vqtbl1q_u8(table, vshrq_n_u8(packed, 4));
            out.put(q, vzip1q_u8(even, odd));
            out.put(q + 1, vzip2q_u8(even, odd));
        }
    }
};
/// Nibbles of k and k + 1, 8 more than the weights.
struct WeightsGroup {
    static constexpr size_t kK = 4, kColumnBytes = 2;
    KAI_INLINE static void decode(const uint8_t* p, const QuadsOut& out, uint8x16_t) {
        for (size_t q = 0; q < 4; q += 2) {
            const int8x16_t packed = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(p + 8 * q), vdupq_n_u8(0x88)));
            const uint8x16_t even = vreinterpretq_u8_s8(vshrq_n_s8(vshlq_n_s8(packed, 4), 4));
            const uint8x16_t odd = vreinterpretq_u8_s8(vshrq_n_s8(packed, 4));
            out.put(q, vzip1q_u8(even, odd));
            out.put(q + 1, vzip2q_u8(even, odd));
        }
    }
};

/// RUN: k of a chunk; 16 where a block of 32 k has two scales, else 32.
template <class Group, class Scales, size_t RUN = 32>
KAI_INLINE void gather(const PanelBlocks& p) {
    const uint8_t *elements = p.elements, *scales = p.scales;
    const uint8x16_t table = p.table != nullptr ? vld1q_u8(p.table) : vdupq_n_u8(0);
    QuadsOut out = {p.quads, p.quad_stride};
    for (size_t b = 0; b < p.blocks * (32 / RUN); ++b, scales += p.scales_stride, elements += p.gap) {
        for (size_t field = 0; field < Scales::kFields; ++field, out.at += kScaleBytes) {
            for (size_t q = 0; q < 4; ++q) {
                out.put_scales(q, Scales::load(scales + (field * p.nr + 4 * q) * Scales::kBytes));
            }
        }
        for (size_t k = 0; k < p.chunks * RUN; k += Group::kK, elements += p.nr * Group::kColumnBytes) {
            Group::decode(elements, out, table);
            out.at += 4 * Group::kK;
        }
    }
}

// ---- Many rows

/// A call. Strides in bytes.
struct PanelsProblem {
    size_t n, blocks, chunks, nr;
    const uint8_t* rhs;
    size_t lhs_stride, lhs_block, rhs_stride, dst_stride;
    float lo, hi;
    const BlockPanelsKernel& kernel;
};

/// Scales of the rows of some panels, block by block, panel by panel.
KAI_INLINE void row_scales(
    const PanelsProblem& p, const uint8_t* lhs, size_t panels, size_t b, size_t blocks, float* out) {
    const uint8_t* scales = lhs + p.blocks * p.lhs_block + 8 * b;
    for (size_t i = 0; i < panels; ++i, scales += p.lhs_stride) {
        for (size_t j = 0; j < blocks; ++j) {
            store(out + 4 * (j * panels + i), load_f16x4(scales + 8 * j));
        }
    }
}

/// The tile of PanelTiles for the rows that are left.
KAI_INLINE size_t tile_of(size_t left) {
    return left <= 4 ? 0 : left < 8 ? left - 4 : 4;
}

/// A block that the buffer does not hold: its sums are added, part by part, as integers; then they are scaled.
[[gnu::noinline]] void add_long_block(
    const PanelsProblem& p, const uint8_t* lhs, size_t rows, size_t b, PanelBlocks block, TileArgs& args, float* sums) {
    alignas(16) int32_t totals[Limits::kRows / 8 * kTileFloats] = {};
    alignas(16) float part_sums[kTileFloats], scales[8], ones[8];
    for (float& x : ones) {
        x = 1;
    }
    const uint8_t* const elements = block.elements;
    const bool zeros = p.kernel.rhs.has_zeros;
    args.row_scales = ones, args.resume = 0, args.blocks = 1, args.rhs_stride = block.quad_stride = Limits::kQuadBytes;
    args.rhs = block.quads + (zeros ? kScaleBytes : 0);  // scales are in front of the elements
    block.blocks = 1;
    for (size_t c = 0; c < p.chunks; c += block.chunks) {
        block.chunks = p.chunks - c < Limits::kPartChunks ? p.chunks - c : Limits::kPartChunks;
        block.elements = elements + c * 4 * p.kernel.rhs.bits * p.nr;
        p.kernel.gather(block);
        for (size_t q = 0; q < 4; ++q) {
            __builtin_memcpy(const_cast<uint8_t*>(args.rhs) + q * block.quad_stride, ones, kScaleBytes);
        }
        args.bl = block.chunks;
        for (size_t i = 0; i < rows; i += 8) {
            const size_t left = rows - i, floats = args.quads * (left > 4 ? 32 : 16);
            args.lhs = lhs + i / 4 * p.lhs_stride + b * p.lhs_block + c * kChunkBytes;
            args.tiles = part_sums;
            p.kernel.part_tiles->of[tile_of(left)](&args);
            for (size_t j = 0; j < floats; ++j) {
                totals[i / 8 * kTileFloats + j] += static_cast<int32_t>(part_sums[j]);
            }
        }
    }
    block.chunks = 0;
    p.kernel.gather(block);  // the scales alone
    for (size_t i = 0; i < rows; i += 8) {
        const size_t panels = rows - i > 4 ? 2 : 1;
        float row_sums[8];
        if (zeros) {
            for (size_t j = 0; j < panels; ++j) {
                const uint8_t* const fields =
                    lhs + (i / 4 + j) * p.lhs_stride + b * p.lhs_block + p.chunks * kChunkBytes;
                vst1q_f32(row_sums + 4 * j, load_f32x4(fields));
                vst1q_f32(scales + 4 * j, load_f32x4(fields + 16));
            }
        } else {
            row_scales(p, lhs + i / 4 * p.lhs_stride, panels, b, 1, scales);
        }
        const int32_t* total = totals + i / 8 * kTileFloats;
        float* sum = sums + i / 8 * kTileFloats;
        for (size_t q = 0; q < args.quads; ++q) {
            const uint8_t* const quad = args.rhs + q * block.quad_stride;
            for (size_t r = 0; r < 4 * panels; ++r, total += 4, sum += 4) {
                float32x4_t acc = b == 0 ? vdupq_n_f32(0) : vld1q_f32(sum);
                if (zeros) {
                    acc = vfmaq_n_f32(acc, load_f32x4(quad - kScaleBytes), row_sums[r]);
                }
                const float32x4_t scale = vmulq_n_f32(load_f32x4(quad), scales[r]);
                vst1q_f32(sum, vfmaq_f32(acc, vcvtq_f32_s32(vld1q_s32(total)), scale));
            }
        }
    }
}

/// Up to 64 rows x up to 16 columns of a panel, from `column` on.
void rows_of_quads(
    const PanelsProblem& p, const uint8_t* lhs, size_t rows, const uint8_t* panel, size_t column, size_t columns,
    uint8_t* dst) {
    const PanelsOfBlocks& of = p.kernel.rhs;
    const size_t fields = of.has_zeros ? 2 : of.scales / 2, block_bytes = kScaleBytes * fields + p.chunks * kChunkBytes;
    const size_t element_bytes = p.chunks * 4 * of.bits * p.nr, gap = of.has_zeros ? 8 * p.nr : 0;
    alignas(16) float sums[Limits::kRows / 8 * kTileFloats], scales[Limits::kBlocks * 8];
    alignas(16) uint8_t buffer[4 * Limits::kQuadBytes];
    const size_t fit = Limits::kQuadBytes / block_bytes, most = fit < Limits::kBlocks ? fit : Limits::kBlocks;
    const uint8_t* const panel_blocks = panel + p.nr * of.head;
    PanelBlocks part;
    part.elements = panel_blocks + column * of.group_bytes;
    part.scales =
        of.has_zeros ? panel_blocks + element_bytes + column * 4 : panel_blocks + p.blocks * element_bytes + column * 2;
    part.scales_stride = of.has_zeros ? element_bytes + gap : 2 * p.nr, part.gap = gap;
    part.nr = p.nr, part.chunks = p.chunks;
    part.table = of.head != 0 ? panel : nullptr, part.quads = buffer;
    const PanelTiles& tiles = p.chunks == 1 ? *p.kernel.tiles : *p.kernel.long_tiles;
    TileArgs args;
    vst1q_f32(args.start, vdupq_n_f32(p.chunks == 1 ? ShortSum<0>::kStart : 0));
    args.lhs_stride = p.lhs_stride, args.quads = (columns + 3) / 4;
    for (size_t b = 0; b < p.blocks; b += part.blocks) {
        if (most == 0) {
            part.blocks = 1;
            add_long_block(p, lhs, rows, b, part, args, sums);
        } else {
            part.blocks = p.blocks - b < most ? p.blocks - b : most;
            part.quad_stride = part.blocks * block_bytes;
            p.kernel.gather(part);
            args.rhs_stride = part.quad_stride, args.blocks = part.blocks, args.resume = b, args.bl = p.chunks;
            args.rhs = buffer, args.row_scales = scales;
            for (size_t i = 0; i < rows; i += 8) {
                const size_t left = rows - i;
                const uint8_t* const panels = lhs + i / 4 * p.lhs_stride;
                args.lhs = panels + b * p.lhs_block;
                args.tiles = sums + i / 8 * kTileFloats;
                if (!of.has_zeros) {
                    row_scales(p, panels, left > 4 ? 2 : 1, b, part.blocks, scales);
                }
                tiles.of[tile_of(left)](&args);
            }
        }
        part.elements += part.blocks * (element_bytes + gap);
        part.scales += part.blocks * (of.has_zeros ? part.scales_stride : of.scales * p.nr);
    }
    if (p.blocks == 0) {
        __builtin_memset(sums, 0, sizeof(sums));
    }
    const uint8_t* const bias = of.tail != 0 ? panel + p.rhs_stride - 4 * (p.nr - column) : nullptr;
    for (size_t i = 0; i < rows; i += 8) {
        kai_store_rows_neon(
            {sums + i / 8 * kTileFloats, rows - i < 8 ? rows - i : 8, columns, bias, 16, dst + i * p.dst_stride,
             p.dst_stride, p.kernel.element, p.lo, p.hi});
    }
}

}  // namespace
}  // namespace kai

void kai_gather_int8_neon(const kai::PanelBlocks& p) {
    kai::gather<kai::Int8Group, kai::F16Scales>(p);
}
void kai_gather_int4_neon(const kai::PanelBlocks& p) {
    kai::gather<kai::Int4Group, kai::F16ScalesOf16>(p);
}
void kai_gather_int2_neon(const kai::PanelBlocks& p) {
    kai::gather<kai::Int2Group, kai::F16Scales>(p);
}
void kai_gather_int4_4_apart_neon(const kai::PanelBlocks& p) {
    kai::gather<kai::Int4ApartGroup, kai::F16Scales>(p);  // which are a sixteenth
}
void kai_gather_table_neon(const kai::PanelBlocks& p) {
    kai::gather<kai::TableGroup, kai::F16Scales>(p);
}
void kai_gather_table_bf16_neon(const kai::PanelBlocks& p) {
    kai::gather<kai::TableGroup, kai::Bf16Scales>(p);
}
void kai_gather_table_halves_neon(const kai::PanelBlocks& p) {
    kai::gather<kai::TableGroup, kai::F16Scales, 16>(p);
}
void kai_gather_zeros_neon(const kai::PanelBlocks& p) {
    kai::gather<kai::WeightsGroup, kai::ZerosAndScales>(p);
}

void kai_matmul_block_panels_neon(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst, size_t dst_stride, size_t nr,
    const kai::BlockPanelsKernel* kernel, float lo, float hi) {
    using namespace kai;
    if (m == 0 || n == 0) {
        return;
    }
    const PanelsOfBlocks& of = kernel->rhs;
    const size_t blocks = k / bl;
    const PanelsProblem p{
        n,
        blocks,
        bl / 32,
        nr,
        bytes(rhs),
        4 * row_bytes(of, k, blocks),
        4 * (of.has_zeros ? row_bytes(of, bl, 1) : bl),
        rhs_stride_of(of, nr, k, blocks),
        dst_stride,
        lo,
        hi,
        *kernel};
    for (size_t i = 0; i < m; i += Limits::kRows) {
        const size_t rows = m - i < Limits::kRows ? m - i : Limits::kRows;
        for (size_t j = 0; j < n; j += 16) {
            const size_t columns = n - j < 16 ? n - j : 16;
            rows_of_quads(
                p, bytes(lhs, i / 4 * p.lhs_stride), rows, p.rhs + j / nr * p.rhs_stride, j % nr, columns,
                bytes(dst, i * dst_stride + j * kernel->element));
        }
    }
}
