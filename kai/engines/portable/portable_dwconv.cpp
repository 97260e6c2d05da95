// Depthwise convolution in portable C++, filters of any size: the formula is in kai_fn_types.h
// (kai_run_dwconv_tiles_fn). A tile is four outputs, in any places, with pointers of their own for each tap.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/engines/portable/portable_float.hpp"

namespace kai {
namespace {

constexpr size_t kTile = 4, kLanes = 4;

/// The arguments of kai_run_dwconv_tiles_fn.
struct Dwconv {
    size_t n, k, multiplier;
    const void* pad;
    size_t src_offset;
    const uint8_t* rhs;
    size_t dst_offset;
    float lo, hi;
};

/// Four channels of the output, fewer at the end: which channels of the input they read.
struct Channels {
    size_t first, count;
    size_t input[kLanes];

    Channels(const Dwconv& p, size_t at) : first(at), count(p.n - at < kLanes ? p.n - at : kLanes), input{} {
        for (size_t i = 0; i < count; ++i) {
            input[i] = (at + i) / p.multiplier;
        }
    }
    bool adjacent() const {
        return count == kLanes && input[kLanes - 1] - input[0] == kLanes - 1;
    }
};

template <class T>
KAI_INLINE Vec load_pixel(const Dwconv& p, const void* pixel, const Channels& channels) {
    constexpr size_t kBytes = sizeof(typename T::Element);
    const uint8_t* at = bytes(pixel, pixel == p.pad ? 0 : p.src_offset);
    if (channels.adjacent()) {
        return T::load(at + channels.input[0] * kBytes);
    }
    Vec x = {};
    for (size_t i = 0; i < channels.count; ++i) {
        x[i] = T::to_f32(load<typename T::Element>(at + channels.input[i] * kBytes));
    }
    return x;
}

/// weights: the bias of the channels, then their weights of a tap every NR elements.
template <class T, size_t NR>
KAI_INLINE void compute_tile(
    const Dwconv& p, const uint8_t* weights, const void* const* src, void* const* dst, const Channels& channels) {
    constexpr size_t kBytes = sizeof(typename T::Element);
    Vec sums[kTile];
    for (Vec& sum : sums) {
        sum = T::load(weights);
    }
    for (size_t tap = 0; tap < p.k; ++tap) {
        weights += NR * kBytes;
        const Vec weight = T::load(weights);
        for (size_t i = 0; i < kTile; ++i) {
            sums[i] = T::add(load_pixel<T>(p, src[tap * kTile + i], channels), weight, sums[i]);
        }
    }
    for (size_t i = kTile; i-- > 0;) {  // output 0 is the last one
        uint8_t* out = bytes(dst[i], p.dst_offset + channels.first * kBytes);
        for (size_t j = 0; j < channels.count; ++j) {
            store(out + j * kBytes, T::from_f32(clamped(sums[i][j], p.lo, p.hi)));
        }
    }
}

template <class T, const Format& RHS, size_t NR>
[[gnu::noinline]] void run_dwconv(size_t tiles, const Dwconv& p, const void* const* src, void* const* dst) {
    for (size_t c = 0; c < p.n; c += kLanes) {
        const Channels channels(p, c);
        const uint8_t* weights = p.rhs + RHS.offset({NR, 1, 1}, c / NR * NR, p.k) + c % NR * RHS.bits / 8;
        for (size_t t = 0; t < tiles; ++t) {
            compute_tile<T, NR>(p, weights, src + t * p.k * kTile, dst + t * kTile, channels);
        }
    }
}

KAI_INLINE void check_dwconv(
    size_t n, size_t multiplier, float lo, float hi, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, multiplier > 0, zero, "multiplier");
    KAI_REQUIRE(function, n % multiplier == 0, not_multiple_of, "n", n, "multiplier", multiplier);
    check_bounds(lo, hi, function);
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_DWCONV_PORTABLE(T, NAME, LHS, RHS, NR, KR, FILTER, STRIDE, HEIGHT, WIDTH)                          \
    KAI_DEFINE_MATMUL_STEPS(NAME, (HEIGHT) * (WIDTH), NR)                                                             \
    KAI_DEFINE_SIZE(nr, NAME, NR)                                                                                     \
    KAI_DEFINE_SIZE(kr, NAME, KR)                                                                                     \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(K, , rhs, n_idx, NAME, RHS, NR, 1, 1)                                             \
    void kai_run_##NAME(                                                                                              \
        size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad_ptr,             \
        size_t src_offset, const void* rhs_packed, void* const* dst, size_t dst_offset, float clamp_min,              \
        float clamp_max) {                                                                                            \
        kai::check_dwconv(n, multiplier, clamp_min, clamp_max);                                                       \
        static_assert((HEIGHT) * (WIDTH) == kai::kTile);                                                              \
        kai::run_dwconv<T, kai::RHS, NR>(                                                                             \
            tiles, {n, k, multiplier, pad_ptr, src_offset, kai::bytes(rhs_packed), dst_offset, clamp_min, clamp_max}, \
            src, dst);                                                                                                \
    }
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_DWCONV_PORTABLE)
#define KAI_DWCONV(...)
#define KAI_DWCONV_TILES(ISA, ...) KAI_LINE(ISA, kai::F32, __VA_ARGS__)
#include "kai/ukernels/dwconv/dwconv_f32_f32_f32p/ukernels.def"
#undef KAI_DWCONV_TILES
#define KAI_DWCONV_TILES(ISA, ...) KAI_LINE(ISA, kai::F16, __VA_ARGS__)
#include "kai/ukernels/dwconv/dwconv_f16_f16_f16p/ukernels.def"
#undef KAI_DWCONV_TILES

}  // extern "C"
