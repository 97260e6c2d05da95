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

[[gnu::noinline]] void run_sme_tiles(
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

template <size_t FILTER, size_t STRIDE, size_t HEIGHT, size_t WIDTH>
constexpr SmeDwconvKernel sme_kernel(void (*run)(const DwconvTilesSme*)) {
    const DwconvKernel tile = dwconv_kernel<FILTER, STRIDE, HEIGHT, WIDTH>(nullptr, 0);
    return {run, tile.pixels, tile.outputs};
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_SME_TILES(KERNEL, NAME, LHS, RHS, NR, KR, FILTER, STRIDE, HEIGHT, WIDTH)                     \
    KAI_DEFINE_DWCONV_GETTERS(NAME, RHS, NR, HEIGHT, WIDTH)                                                     \
    void KERNEL(const kai::DwconvTilesSme* args);                                                               \
    void kai_run_##NAME(                                                                                        \
        size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad_ptr,       \
        size_t src_offset, const void* rhs_packed, void* const* dst, size_t dst_offset, float clamp_min,        \
        float clamp_max) {                                                                                      \
        kai::check_dwconv(k, FILTER, multiplier);                                                               \
        kai::check_bounds(clamp_min, clamp_max);                                                                \
        static constexpr kai::SmeDwconvKernel kKernel = kai::sme_kernel<FILTER, STRIDE, HEIGHT, WIDTH>(KERNEL); \
        kai::run_sme_tiles(                                                                                     \
            kKernel, tiles,                                                                                     \
            {n * kai::RHS.bits / 8, kai::bytes(pad_ptr), src_offset, kai::bytes(rhs_packed), dst_offset,        \
             kai::load<uint32_t>(&clamp_min), kai::load<uint32_t>(&clamp_max), 0},                              \
            src, dst);                                                                                          \
    }

#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_TILES)
#define KAI_DEFINE_TILES(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...)                                         \
    KAI_DEFINE_SME_TILES(                                                                                     \
        kai_kernel_dwconv_f32_##FILTER##x##FILTER##_s##STRIDE##_sme2, NAME, LHS, RHS, NR, KR, FILTER, STRIDE, \
        __VA_ARGS__)
#define KAI_DWCONV(...)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_f32_f32_f32p/ukernels.def"

}  // extern "C"
