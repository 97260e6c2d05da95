// Depthwise convolution of int8 without dot products by tables of pointers, for Armv8.0: a tile of 1 x 4 outputs.
//
//     dst[c] = low_byte(round(clamp(f32(bias[c] + sum of src * weight) * scale[c], lo, hi)) + zero)
//
// SMULL and SMLAL add the products of two taps in 16 bits, SADDW adds them to sums of 32: 16 multiplications take four
// instructions. Two products fit, unless a weight is -128: 2 * (-128 * -128) does not. Panels with such a weight, which
// TensorFlow Lite's models have not, take a SADDW for each product.
//
// Panels as in kai_rhs_dwconv_pack.h with kr = 1: 16 int32 to start with, 16 channels of each tap, 16 scales.
// Tiles of a filter's size: dwconv_tiles.hpp; filters of any size: dwconv_neon_any.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/dwconv/dwconv_neon_any.hpp"
#include "kai/engines/dwconv/dwconv_tiles.hpp"

namespace kai {
namespace {

constexpr size_t kInt8Start = 16 * sizeof(int32_t), kInt8Scales = 16 * sizeof(float);

/// Channels 4 i to 4 i + 3 of a panel, one output.
struct Int8Sums {
    int32x4_t channels[4];

    KAI_INLINE void start(const uint8_t* panel) {
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            channels[i] = vreinterpretq_s32_u8(vld1q_u8(panel + i * sizeof(int32x4_t)));
        }
    }
    KAI_INLINE void add(int16x8_t low, int16x8_t high) {
        channels[0] = vaddw_s16(channels[0], vget_low_s16(low));
        channels[1] = vaddw_high_s16(channels[1], low);
        channels[2] = vaddw_s16(channels[2], vget_low_s16(high));
        channels[3] = vaddw_high_s16(channels[3], high);
    }
    KAI_INLINE void add_product(int8x16_t x, int8x16_t w) {
        add(vmull_s8(vget_low_s8(x), vget_low_s8(w)), vmull_high_s8(x, w));
    }
    /// w, w2: not both -128 in a lane.
    KAI_INLINE void add_products(int8x16_t x, int8x16_t w, int8x16_t x2, int8x16_t w2) {
        add(vmlal_s8(vmull_s8(vget_low_s8(x), vget_low_s8(w)), vget_low_s8(x2), vget_low_s8(w2)),
            vmlal_high_s8(vmull_high_s8(x, w), x2, w2));
    }
};

/// The bounds as f32, and the zero point, which is added to the low bytes.
struct Int8Requantise {
    float32x4_t lo, hi;
    uint8x16_t zero;

    KAI_INLINE Int8Requantise(float min, float max, uint32_t zero_point)
        : lo(vdupq_n_f32(min)), hi(vdupq_n_f32(max)), zero(vdupq_n_u8(static_cast<uint8_t>(zero_point))) {
    }
    /// 1.5 * 2^23 is added: the low bytes are the sum, rounded to an integer.
    KAI_INLINE uint16x8_t low_bytes(int32x4_t a, int32x4_t b, const uint8_t* scales) const {
        return vuzp1q_u16(
            vreinterpretq_u16_f32(rounded(a, load_f32x4(scales))),
            vreinterpretq_u16_f32(rounded(b, load_f32x4(scales + sizeof(float32x4_t)))));
    }
    KAI_INLINE float32x4_t rounded(int32x4_t sum, float32x4_t scale) const {
        const float32x4_t scaled = vmulq_f32(vcvtq_f32_s32(sum), scale);
        return vaddq_f32(vminq_f32(vmaxq_f32(scaled, lo), hi), vdupq_n_f32(0x1.8p23F));
    }
    KAI_INLINE uint8x16_t results(const Int8Sums& sums, const uint8_t* scales) const {
        const int32x4_t(&x)[4] = sums.channels;
        const uint16x8_t low = low_bytes(x[0], x[1], scales), high = low_bytes(x[2], x[3], scales + kInt8Scales / 2);
        return vaddq_u8(vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high)), zero);
    }
};

/// Whether any weight of a panel is -128.
KAI_INLINE bool has_least(const uint8_t* panel, size_t taps) {
    int8x16_t least = vdupq_n_s8(0);
    for (size_t t = 0; t < taps; ++t) {
        least = vminq_s8(least, load_s8x16(panel + kInt8Start + t * 16));
    }
    return vminvq_s8(least) == INT8_MIN;
}

// ---- filters of one size

/// The pixel of tap t of output x: tiles have rows of `WIDTH` pixels.
template <size_t FILTER, size_t STRIDE>
KAI_INLINE int8x16_t load_tap(const DwconvTile& tile, size_t at, size_t t, size_t x) {
    constexpr size_t kWidth = 3 * STRIDE + FILTER;
    return load_s8x16(tile.src[t / FILTER * kWidth + t % FILTER + x * STRIDE] + at);
}

/// sums = the four outputs of channels `at` to at + 15.
template <size_t FILTER, size_t STRIDE>
KAI_INLINE void sum_pairs(const DwconvTile& tile, size_t at, const uint8_t* panel, Int8Sums (&sums)[4]) {
    constexpr size_t kTaps = FILTER * FILTER;
    const uint8_t* const weights = panel + kInt8Start;
    KAI_UNROLL(12)
    for (size_t t = 0; t + 1 < kTaps; t += 2) {
        const int8x16_t w = load_s8x16(weights + t * 16), w2 = load_s8x16(weights + t * 16 + 16);
        KAI_UNROLL(4)
        for (size_t x = 0; x < 4; ++x) {
            sums[x].add_products(
                load_tap<FILTER, STRIDE>(tile, at, t, x), w, load_tap<FILTER, STRIDE>(tile, at, t + 1, x), w2);
        }
    }
    const int8x16_t w = load_s8x16(weights + (kTaps - 1) * 16);
    KAI_UNROLL(4)
    for (size_t x = 0; x < 4; ++x) {
        sums[x].add_product(load_tap<FILTER, STRIDE>(tile, at, kTaps - 1, x), w);
    }
}

/// The same with any weights.
template <size_t FILTER, size_t STRIDE>
KAI_INLINE void sum_products(const DwconvTile& tile, size_t at, const uint8_t* panel, Int8Sums (&sums)[4]) {
    for (size_t t = 0; t < FILTER * FILTER; ++t) {
        const int8x16_t w = load_s8x16(panel + kInt8Start + t * 16);
        KAI_UNROLL(4)
        for (size_t x = 0; x < 4; ++x) {
            sums[x].add_product(load_tap<FILTER, STRIDE>(tile, at, t, x), w);
        }
    }
}

template <size_t FILTER, size_t STRIDE>
KAI_INLINE void run_int8_tile(const DwconvTile* args) {
    constexpr size_t kTaps = FILTER * FILTER;
    const DwconvTile& tile = *args;
    const Int8Requantise to(load<float>(&tile.lo), load<float>(&tile.hi), tile.zero);
    const uint8_t* panel = tile.weights;
    for (size_t block = 0; block < tile.blocks; ++block, panel += kInt8Start + kTaps * 16 + kInt8Scales) {
        const size_t at = tile.src_offset + block * 16;
        Int8Sums sums[4];
        KAI_UNROLL(4)
        for (size_t x = 0; x < 4; ++x) {
            sums[x].start(panel);
        }
        if (has_least(panel, kTaps)) {
            sum_products<FILTER, STRIDE>(tile, at, panel, sums);
        } else {
            sum_pairs<FILTER, STRIDE>(tile, at, panel, sums);
        }
        const uint8_t* const scales = panel + kInt8Start + kTaps * 16;
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            const size_t x = 3 - i;  // output 0 is the last one
            vst1q_u8(tile.dst[x] + tile.dst_offset + block * 16, to.results(sums[x], scales));
        }
    }
}

// ---- filters of any size

/// TAPS at a time: 2, if no weight is -128 and pixels have 16 channels or more.
template <size_t TAPS>
struct AnyInt8 {
    static constexpr size_t kElement = 1, kGroup = 1, kStart = kInt8Start, kTap = 16, kTaps = TAPS, kEnd = kInt8Scales;
    static constexpr bool kSmall = TAPS == 1;
    using Sums = Int8Sums;
    Int8Requantise to;

    KAI_INLINE static uint8x16_t load_weights(const uint8_t* p) {
        return vld1q_u8(p);
    }
    KAI_INLINE static void start(const uint8_t* panel, Int8Sums& sums) {
        sums.start(panel);
    }
    KAI_INLINE static void add(const uint8x16_t (&x)[1], const uint8x16_t (&w)[1], Int8Sums& sums) {
        sums.add_product(vreinterpretq_s8_u8(x[0]), vreinterpretq_s8_u8(w[0]));
    }
    KAI_INLINE static void add(const uint8x16_t (&x)[2], const uint8x16_t (&w)[2], Int8Sums& sums) {
        sums.add_products(
            vreinterpretq_s8_u8(x[0]), vreinterpretq_s8_u8(w[0]), vreinterpretq_s8_u8(x[1]), vreinterpretq_s8_u8(w[1]));
    }
    KAI_INLINE uint8x16_t results(const Int8Sums& sums, const uint8_t* scales) const {
        return to.results(sums, scales);
    }
};

[[gnu::noinline]] void run_any_int8(
    size_t tiles, const AnyDwconv& call, const kai_matmul_requantize32_params& params, const void* const* src,
    void* const* dst) {
    const Int8Requantise to(
        static_cast<float>(params.min_value), static_cast<float>(params.max_value),
        static_cast<uint32_t>(params.output_zero_point));
    const size_t panel = kInt8Start + call.k * 16 + kInt8Scales;
    bool single = call.n / call.multiplier < 16;
    for (size_t c = 0; c < call.n && !single; c += 16) {
        single = has_least(call.rhs + c / 16 * panel, call.k);
    }
    if (single) {
        run_any_dwconv(AnyInt8<1>{to}, tiles, call, src, dst);
    } else {
        run_any_dwconv(AnyInt8<2>{to}, tiles, call, src, dst);
    }
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_ANY_INT8(NAME, NR, KR, FILTER, STRIDE, HEIGHT, WIDTH)                                  \
    KAI_DEFINE_MATMUL_STEPS(NAME, (HEIGHT) * (WIDTH), NR)                                                 \
    KAI_DEFINE_SIZE(nr, NAME, NR)                                                                         \
    KAI_DEFINE_SIZE(kr, NAME, KR)                                                                         \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(K, , rhs, n_idx, NAME, qsi8cxpbi32sf32, NR, KR, 1)                    \
    void kai_run_##NAME(                                                                                  \
        size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad_ptr, \
        size_t src_offset, const void* rhs_packed, void* const* dst, size_t dst_offset,                   \
        const kai_matmul_requantize32_params* params) {                                                   \
        kai::check_any_dwconv(n, multiplier);                                                             \
        static_assert((HEIGHT) * (WIDTH) == kai::kAnyOutputs && (NR) == 16 && (KR) == 1);                 \
        if (tiles > 0 && n > 0) {                                                                         \
            kai::run_any_int8(                                                                            \
                tiles, {n, k, multiplier, pad_ptr, src_offset, kai::bytes(rhs_packed), dst_offset},       \
                kai::before_zero_point(*params, __func__), src, dst);                                     \
        }                                                                                                 \
    }
#define KAI_ISA_neon KAI_LINES(KAI_DEFINE_TILES)
#define KAI_DEFINE_TILES(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...) \
    KAI_DEFINE_FILTER_##FILTER(NAME, NR, KR, FILTER, STRIDE, __VA_ARGS__)
#define KAI_DEFINE_FILTER_0 KAI_DEFINE_ANY_INT8
#define KAI_DEFINE_FILTER_3 KAI_DEFINE_FILTER
#define KAI_DEFINE_FILTER_5 KAI_DEFINE_FILTER
#define KAI_DEFINE_FILTER(NAME, NR, KR, FILTER, STRIDE, ...)                                                     \
    static void kai_kernel_dwconv_int8_##FILTER##x##FILTER##_s##STRIDE##_neon(const kai::DwconvTile* tile) {     \
        kai::run_int8_tile<FILTER, STRIDE>(tile);                                                                \
    }                                                                                                            \
    KAI_DEFINE_DWCONV_INT8_TILES(                                                                                \
        DwconvTile, kai_kernel_dwconv_int8_##FILTER##x##FILTER##_s##STRIDE##_neon, NAME, NR, KR, FILTER, STRIDE, \
        __VA_ARGS__)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"

}  // extern "C"
