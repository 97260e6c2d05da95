// Depthwise convolution with SME2 by tables of pointers: kai_run_dwconv_tiles_fn. The work is in dwconv_sme2_tiles_*.S,
// which do all tiles and channels of a call.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/dwconv/dwconv_tiles.hpp"

namespace kai {
namespace {

KAI_STRUCT(DwconvTilesSme, KAI_DWCONV_TILES_SME);

struct SmeDwconvKernel {
    void (*run)(const DwconvTilesSme*);
    size_t pixels, outputs;  // of a tile
};

/// Tiles whose tables are copied at a time: each copy costs a change to streaming mode and back.
constexpr size_t kCopiedTiles = 8;

[[gnu::noinline]] void run_dwconv_tiles(
    const SmeDwconvKernel& kernel, size_t tiles, const DwconvCall& call, const void* const* src, void* const* dst) {
    if (tiles == 0 || call.row == 0) {
        return;
    }
    const auto* table = reinterpret_cast<const uint8_t* const*>(src);
    DwconvTilesSme args = {table,           reinterpret_cast<uint8_t* const*>(dst),
                           call.rhs,        call.src_offset,
                           call.dst_offset, tiles,
                           call.row,        call.lo,
                           call.hi,         call.zero};
    kai_commit_za();
    if (call.src_offset == 0 || call.pad == nullptr) {
        kernel.run(&args);
        return;
    }
    // Padding gets no offset: copies of the tables have it.
    const uint8_t* pixels[kCopiedTiles * kMostPixels];
    args.src = pixels, args.src_offset = 0;
    for (size_t left = tiles; left > 0; left -= args.tiles) {
        args.tiles = left < kCopiedTiles ? left : kCopiedTiles;
        for (size_t i = 0; i < args.tiles * kernel.pixels; ++i) {
            pixels[i] = table[i] == call.pad ? table[i] : table[i] + call.src_offset;
        }
        kernel.run(&args);
        table += args.tiles * kernel.pixels, args.dst += args.tiles * kernel.outputs;
    }
}

/// The assembly knows the panels.
template <size_t FILTER, size_t STRIDE, size_t HEIGHT, size_t WIDTH>
constexpr SmeDwconvKernel dwconv_kernel(void (*run)(const DwconvTilesSme*), size_t /*panel*/) {
    constexpr DwconvKernel kTile =
        dwconv_kernel<FILTER, STRIDE, HEIGHT, WIDTH>(static_cast<void (*)(const DwconvTile*)>(nullptr), 0);
    return {run, kTile.pixels, kTile.outputs};
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_TILES)
#define KAI_DEFINE_TILES(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...)                                              \
    KAI_DEFINE_DWCONV_TILES(                                                                                       \
        DwconvTilesSme, kai_kernel_dwconv_f32_##FILTER##x##FILTER##_s##STRIDE##_sme2, kai::bits_of_f32, NAME, LHS, \
        RHS, NR, KR, FILTER, STRIDE, __VA_ARGS__)
#define KAI_DWCONV(...)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_f32_f32_f32p/ukernels.def"

#undef KAI_DEFINE_TILES
#define KAI_DEFINE_TILES(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...)                                                \
    KAI_DEFINE_DWCONV_INT8_TILES(                                                                                    \
        DwconvTilesSme, kai_kernel_dwconv_int8_##FILTER##x##FILTER##_s##STRIDE##_sme2, NAME, NR, KR, FILTER, STRIDE, \
        __VA_ARGS__)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"

}  // extern "C"
