// f32 <- bf16p x FP8 with BFMMLA: a part of a panel is decoded to bf16, exactly, and multiplied by many rows.
//
//     for each 256 rows, 12 columns
//         for each 512 k
//             decode to the stack: f8_neon_bf16_decode.S
//             for each 8 rows: multiply, scale, add: f8_neon_bf16.S
//
// Sums of a block start at 0; scale * sum is added to those of the blocks before. They wait on the stack.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/f8/f8_panels.hpp"

namespace kai {
namespace {

KAI_STRUCT(F8TileArgs, KAI_F8_TILE_ARGS);

}  // namespace
}  // namespace kai

extern "C" {
void kai_tile_f8_8x12_neon_bf16(const kai::F8TileArgs*);
void kai_decode_f8e4m3_neon_bf16(const uint8_t* panel, size_t groups, uint16_t* to, const void* tables);
void kai_decode_f8e5m2_neon_bf16(const uint8_t* panel, size_t groups, uint16_t* to, const void* tables);
}

namespace kai {
namespace {

constexpr size_t kTileRows = 8, kPairs = kF8Columns / 2;
constexpr size_t kRows = 256, kDepth = 512;  // of a pass; k of a part
constexpr size_t kMostBlocks = kDepth / 32;

/// A format to decode: bytes of bf16 of the first 16 indices, what is added to upper bytes (f8_neon_bf16_decode.S).
struct F8Decoder {
    uint8_t low[16], high[16], base[16];
    void (*decode)(const uint8_t*, size_t, uint16_t*, const void*);
};
#define KAI_ALL_16(X) \
    { X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X }
constexpr F8Decoder kE4m3 = {
    {0, 0x00, 0x80, 0xC0, 0x00, 0x20, 0x40, 0x60, 0x80, 0x90, 0xA0, 0xB0, 0xC0, 0xD0, 0xE0, 0xF0},
    {0, 0x3B, 0x3B, 0x3B, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C},
    KAI_ALL_16(0x3C),
    kai_decode_f8e4m3_neon_bf16};
constexpr F8Decoder kE5m2 = {
    {0x80, 0xC0, 0xC0, 0xC0, 0, 0x80, 0x00, 0x40, 0x80, 0xA0, 0xC0, 0xE0, 0x00, 0x20, 0x40, 0x60},
    {0x7F, 0x7F, 0x7F, 0x7F, 0, 0x37, 0x38, 0x38, 0x38, 0x38, 0x38, 0x38, 0x39, 0x39, 0x39, 0x39},
    KAI_ALL_16(0x38),
    kai_decode_f8e5m2_neon_bf16};

/// What is on the stack. Sums and the like of two columns are side by side: 2 x 2 of them in a vector.
struct [[gnu::aligned(16)]] OnStack {
    uint16_t columns[kDepth * kF8Columns];
    float scales[kMostBlocks][kPairs][4];
    float sums[kRows / kTileRows][kTileRows / 2][kPairs][4];
    float bias[kPairs][4];
    float edge[kTileRows][kF8Columns];
};

/// 12 values, those of two columns twice in a vector.
KAI_INLINE void spread(const uint8_t* from, float (*to)[4]) {
    for (size_t c = 0; c < kPairs; ++c) {
        store(bytes(to[c]), vdupq_n_f64(load<double>(from + c * sizeof(double))));
    }
}

/// Decodes a part of a panel, and reads its scales.
KAI_INLINE void decode_part(
    const F8Problem& p, const F8Decoder& format, const uint8_t* panel, size_t at, const F8Part& part, OnStack& s) {
    const uint8_t* block = panel + at / p.bl * p.block_bytes();
    for (size_t b = 0; b < part.blocks; ++b, block += p.block_bytes()) {
        uint16_t* to = s.columns + b * part.depth * kF8Columns;
        format.decode(block + at % p.bl * kF8Columns, part.groups(), to, &format);
        spread(block + p.bl * kF8Columns, s.scales[b]);
    }
}

/// A part of k of `rows` rows from m on, 12 columns from n on. last: their results are stored.
KAI_INLINE void multiply_part(
    const F8Problem& p, size_t m, size_t rows, size_t n, size_t at, const F8Part& part, bool last, OnStack& s) {
    const size_t columns = p.n - n < kF8Columns ? p.n - n : kF8Columns;
    F8TileArgs args;
    args.rhs = s.columns, args.scales = s.scales;
    args.blocks = part.blocks, args.groups = part.groups();
    args.start_step = at == 0 ? 0 : sizeof(s.sums[0][0]);
    p.get_bounds(args.bounds);
    for (size_t i = 0; i < rows; i += kTileRows) {
        uint8_t* dst = p.dst + (m + i) * p.dst_stride + n * sizeof(float);
        const bool whole = rows - i >= kTileRows && columns == kF8Columns;
        args.lhs = p.lhs + ((m + i) * p.k + at * kTileRows) * sizeof(uint16_t);
        args.sums = s.sums[i / kTileRows];
        args.start = at == 0 ? bytes(s.bias) : bytes(args.sums);
        args.dst = !last ? nullptr : whole ? dst : bytes(s.edge);
        args.dst_stride = whole ? p.dst_stride : sizeof(s.edge[0]);
        kai_tile_f8_8x12_neon_bf16(&args);
        for (size_t r = 0; last && !whole && r < kTileRows && r < rows - i; ++r, dst += p.dst_stride) {
            __builtin_memcpy(dst, s.edge[r], columns * sizeof(float));
        }
    }
}

[[gnu::noinline]] void multiply_tiles(const F8Problem& p, const F8Decoder& format) {
    OnStack s;
    for (size_t m = 0; m < p.m; m += kRows) {
        const size_t rows = p.m - m < kRows ? p.m - m : kRows;
        for (size_t n = 0; n < p.n; n += kF8Columns) {
            const uint8_t* panel = p.rhs + n / kF8Columns * p.panel_bytes();
            spread(panel + p.bias_at(), s.bias);
            for (size_t at = 0; at < p.k;) {
                const F8Part part(p, at, kDepth);
                decode_part(p, format, panel, at, part, s);
                multiply_part(p, m, rows, n, at, part, part.end(at) == p.k, s);
                at = part.end(at);
            }
        }
    }
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_TILES(...) KAI_DEFINE_F8(RHS_BL, kai::multiply_tiles, __VA_ARGS__)
#define KAI_ISA_neon_bf16 KAI_LINES(KAI_DEFINE_TILES)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE4m3, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e4m3c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE5m2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e5m2c32p/ukernels.def"

}  // extern "C"
