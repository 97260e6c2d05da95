// Depthwise convolution by tables of pointers: the loop over tiles, and channels that do not fill a vector. The formula
// is in kai_fn_types.h (kai_run_dwconv_tiles_fn), the work in assembly.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/requantise.hpp"
#include "kai/engines/dwconv/dwconv_tiles_args.h"

namespace kai {
namespace {

KAI_STRUCT(DwconvTile, KAI_DWCONV_TILE);

/// A kernel for one tile. A vector of channels: 16 bytes of inputs and outputs, a panel of the filter.
struct DwconvKernel {
    void (*run)(const DwconvTile*);
    size_t pixels, outputs, panel;  // of a tile; bytes
};

constexpr size_t kMostPixels = 8 * 10, kMostOutputs = 8, kDwconvVector = 16;

/// The arguments of kai_run_dwconv_tiles_fn that do not differ from tile to tile. row: bytes of a pixel.
struct DwconvCall {
    size_t row;
    const uint8_t* pad;
    size_t src_offset;
    const uint8_t* rhs;
    size_t dst_offset;
    uint32_t lo, hi, zero;
};

/// The last channels, fewer than a vector: the kernel gets copies of them, and writes to copies.
KAI_INLINE void run_last_channels(const DwconvKernel& kernel, DwconvTile tile, size_t at, size_t bytes) {
    uint8_t inputs[kMostPixels][kDwconvVector] = {}, outputs[kMostOutputs][kDwconvVector];
    const uint8_t* src[kMostPixels];
    uint8_t* dst[kMostOutputs];
    for (size_t i = 0; i < kernel.pixels; ++i) {
        __builtin_memcpy(inputs[i], tile.src[i] + tile.src_offset + at, bytes);
        src[i] = inputs[i];
    }
    for (size_t i = 0; i < kernel.outputs; ++i) {
        dst[i] = outputs[i];
    }
    DwconvTile copy = tile;
    copy.src = src, copy.dst = dst, copy.src_offset = 0, copy.dst_offset = 0, copy.blocks = 1;
    copy.weights += at / kDwconvVector * kernel.panel;
    kernel.run(&copy);
    for (size_t i = kernel.outputs; i-- > 0;) {  // output 0 is the last one
        __builtin_memcpy(tile.dst[i] + tile.dst_offset + at, outputs[i], bytes);
    }
}

[[maybe_unused, gnu::noinline]] void run_dwconv_tiles(
    const DwconvKernel& kernel, size_t tiles, const DwconvCall& call, const void* const* src, void* const* dst) {
    if (call.row == 0) {
        return;
    }
    const size_t last = call.row % kDwconvVector, whole = call.row - last;
    DwconvTile tile = {nullptr, nullptr, call.rhs, 0, call.dst_offset, whole / kDwconvVector,
                       call.lo, call.hi, call.zero};
    // Where no pointer is that of padding, the offset is added to all.
    const bool adds_to_all = call.src_offset == 0 || call.pad == nullptr;
    const uint8_t* pixels[kMostPixels];
    for (size_t t = 0; t < tiles; ++t) {
        const auto* table = reinterpret_cast<const uint8_t* const*>(src + t * kernel.pixels);
        for (size_t i = 0; i < kernel.pixels && !adds_to_all; ++i) {
            pixels[i] = table[i] == call.pad ? table[i] : table[i] + call.src_offset;
        }
        tile.src = adds_to_all ? table : pixels, tile.src_offset = adds_to_all ? call.src_offset : 0;
        tile.dst = reinterpret_cast<uint8_t* const*>(dst + t * kernel.outputs);
        if (whole > 0) {
            kernel.run(&tile);
        }
        if (last > 0) {
            run_last_channels(kernel, tile, whole, last);
        }
    }
}

/// What the tiles of a filter with FILTER x FILTER taps are.
template <size_t FILTER, size_t STRIDE, size_t HEIGHT, size_t WIDTH>
constexpr DwconvKernel dwconv_kernel(void (*run)(const DwconvTile*), size_t panel) {
    constexpr size_t kPixels = ((HEIGHT - 1) * STRIDE + FILTER) * ((WIDTH - 1) * STRIDE + FILTER);
    static_assert(kPixels <= kMostPixels && HEIGHT * WIDTH <= kMostOutputs);
    return {run, kPixels, HEIGHT * WIDTH, panel};
}

KAI_INLINE void check_dwconv(size_t k, size_t filter, size_t multiplier, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, k == filter * filter, other, "k", k, filter * filter);
    KAI_REQUIRE(function, multiplier == 1, other, "multiplier", multiplier, 1);
}

[[maybe_unused]] KAI_INLINE uint32_t bits_of_f32(float x) {
    return load<uint32_t>(&x);
}

/// Bytes of a channel in a panel of int8: its start, its taps, those of a row padded to a multiple of kr, its scale.
[[maybe_unused]] constexpr size_t int8_channel(size_t filter, size_t kr) {
    return sizeof(int32_t) + filter * ((filter + kr - 1) / kr * kr) + sizeof(float);
}

[[maybe_unused]] KAI_INLINE DwconvCall int8_call(
    size_t n, const void* pad, size_t src_offset, const void* rhs, size_t dst_offset,
    const kai_matmul_requantize32_params& to) {
    const auto lo = static_cast<float>(to.min_value), hi = static_cast<float>(to.max_value);
    return {n,          bytes(pad),          src_offset,          bytes(rhs),
            dst_offset, load<uint32_t>(&lo), load<uint32_t>(&hi), static_cast<uint8_t>(to.output_zero_point)};
}

}  // namespace
}  // namespace kai

/// Getters of a micro-kernel of floats.
#define KAI_DEFINE_DWCONV_GETTERS(NAME, RHS, NR, HEIGHT, WIDTH) \
    KAI_DEFINE_MATMUL_STEPS(NAME, (HEIGHT) * (WIDTH), NR)       \
    KAI_DEFINE_SIZE(nr, NAME, NR)                               \
    KAI_DEFINE_SIZE(kr, NAME, 1)                                \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(K, , rhs, n_idx, NAME, RHS, NR, 1, 1)

/// A micro-kernel of floats whose work is KERNEL, which takes ARGS. BITS: the bounds of the clamp as elements.
#define KAI_DEFINE_DWCONV_TILES(ARGS, KERNEL, BITS, NAME, LHS, RHS, NR, KR, FILTER, STRIDE, HEIGHT, WIDTH)         \
    KAI_DEFINE_DWCONV_GETTERS(NAME, RHS, NR, HEIGHT, WIDTH)                                                        \
    void KERNEL(const kai::ARGS* args);                                                                            \
    void kai_run_##NAME(                                                                                           \
        size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad_ptr,          \
        size_t src_offset, const void* rhs_packed, void* const* dst, size_t dst_offset, float clamp_min,           \
        float clamp_max) {                                                                                         \
        kai::check_dwconv(k, FILTER, multiplier);                                                                  \
        kai::check_bounds(clamp_min, clamp_max);                                                                   \
        static constexpr auto kKernel =                                                                            \
            kai::dwconv_kernel<FILTER, STRIDE, HEIGHT, WIDTH>(KERNEL, (FILTER * FILTER + 1) * kai::kDwconvVector); \
        kai::run_dwconv_tiles(                                                                                     \
            kKernel, tiles,                                                                                        \
            {n * kai::RHS.bits / 8, kai::bytes(pad_ptr), src_offset, kai::bytes(rhs_packed), dst_offset,           \
             BITS(clamp_min), BITS(clamp_max), 0},                                                                 \
            src, dst);                                                                                             \
    }

/// The same of int8.
#define KAI_DEFINE_DWCONV_INT8_TILES(ARGS, KERNEL, NAME, NR, KR, FILTER, STRIDE, HEIGHT, WIDTH)                 \
    KAI_DEFINE_MATMUL_STEPS(NAME, (HEIGHT) * (WIDTH), NR)                                                       \
    KAI_DEFINE_SIZE(nr, NAME, NR)                                                                               \
    KAI_DEFINE_SIZE(kr, NAME, KR)                                                                               \
    size_t kai_get_rhs_packed_offset_##NAME(size_t n_idx, size_t) {                                             \
        KAI_REQUIRE_MULTIPLE(n_idx, "nr", KAI_CHECKED(NR, rhs_packed_offset, NAME));                            \
        return n_idx * kai::int8_channel(FILTER, KR);                                                           \
    }                                                                                                           \
    void KERNEL(const kai::ARGS* args);                                                                         \
    void kai_run_##NAME(                                                                                        \
        size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad_ptr,       \
        size_t src_offset, const void* rhs_packed, void* const* dst, size_t dst_offset,                         \
        const kai_matmul_requantize32_params* params) {                                                         \
        kai::check_dwconv(k, FILTER, multiplier);                                                               \
        static constexpr auto kKernel = kai::dwconv_kernel<FILTER, STRIDE, HEIGHT, WIDTH>(                      \
            KERNEL, kai::kDwconvVector * kai::int8_channel(FILTER, KR));                                        \
        if (tiles > 0 && n > 0) {                                                                               \
            kai::run_dwconv_tiles(                                                                              \
                kKernel, tiles,                                                                                 \
                kai::int8_call(                                                                                 \
                    n, pad_ptr, src_offset, rhs_packed, dst_offset, kai::before_zero_point(*params, __func__)), \
                src, dst);                                                                                      \
        }                                                                                                       \
    }
