// Depthwise convolution of int8 in portable C++, filters of any size: the formula is in the header of the family. A
// tile is four outputs, in any places, with pointers of their own for each tap.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/requantise.hpp"
#include "kai/engines/portable/portable.hpp"

namespace kai {
namespace {

constexpr size_t kDwconvOutputs = 4, kDwconvLanes = 16;

using Int8Lanes = int8_t[kDwconvLanes];
using Int32Lanes = uint32_t[kDwconvLanes];  // sums wrap around

/// The arguments of kai_run_dwconv_tiles_qai8_fn.
struct DwconvInt8 {
    size_t n, k, multiplier;
    const void* pad;
    size_t src_offset;
    const uint8_t* rhs;
    size_t dst_offset;
    kai_matmul_requantize32_params to;  ///< from before_zero_point
};

/// The channels of the input that `count` channels of the output from `first` on read.
KAI_INLINE void load_lanes(const DwconvInt8& p, const void* pixel, size_t first, size_t count, Int8Lanes x) {
    const uint8_t* at = bytes(pixel, pixel == p.pad ? 0 : p.src_offset);
    if (p.multiplier == 1 && count == kDwconvLanes) {
        __builtin_memcpy(x, at + first, kDwconvLanes);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        x[i] = load<int8_t>(at + (first + i) / p.multiplier);
    }
}

KAI_INLINE void multiply_add(const Int8Lanes x, const Int8Lanes weights, Int32Lanes sums) {
    KAI_UNROLL(16)
    for (size_t i = 0; i < kDwconvLanes; ++i) {
        sums[i] += static_cast<uint32_t>(int32_t{x[i]} * int32_t{weights[i]});
    }
}

/// low_byte(round(clamp(f32(sum) * scale, lo, hi)) + zero_point): lo and hi are whole numbers near 0.
KAI_INLINE int8_t requantised(const DwconvInt8& p, uint32_t sum, float scale) {
    const auto lo = static_cast<float>(p.to.min_value), hi = static_cast<float>(p.to.max_value);
    constexpr float kWhole = 0x1.8p23F;  // from half of it on, all numbers are whole
    const float scaled = clamped(static_cast<float>(static_cast<int32_t>(sum)) * scale, lo, hi);
    const float rounded = (scaled + kWhole) - kWhole;
    return static_cast<int8_t>(
        scaled == scaled ? static_cast<int32_t>(rounded) + p.to.output_zero_point : p.to.output_zero_point);
}

/// panel: 16 int32 to start with, weights of each tap, 16 scales.
KAI_INLINE void compute_int8_tile(
    const DwconvInt8& p, const uint8_t* panel, const void* const* src, void* const* dst, size_t first) {
    const size_t count = p.n - first < kDwconvLanes ? p.n - first : kDwconvLanes;
    Int32Lanes sums[kDwconvOutputs];
    for (Int32Lanes& start : sums) {
        __builtin_memcpy(start, panel, sizeof(Int32Lanes));
    }
    const uint8_t* at = panel + sizeof(Int32Lanes);
    Int8Lanes x = {}, weights;
    for (size_t tap = 0; tap < p.k; ++tap, at += kDwconvLanes) {
        __builtin_memcpy(weights, at, sizeof(weights));
        for (size_t i = 0; i < kDwconvOutputs; ++i) {
            load_lanes(p, src[tap * kDwconvOutputs + i], first, count, x);
            multiply_add(x, weights, sums[i]);
        }
    }
    for (size_t i = kDwconvOutputs; i-- > 0;) {  // output 0 is the last one
        uint8_t* out = bytes(dst[i], p.dst_offset + first);
        for (size_t j = 0; j < count; ++j) {
            store(out + j, requantised(p, sums[i][j], load<float>(at + j * sizeof(float))));
        }
    }
}

[[gnu::noinline]] void run_dwconv_int8(size_t tiles, const DwconvInt8& p, const void* const* src, void* const* dst) {
    const size_t panel = kDwconvLanes * (sizeof(int32_t) + p.k + sizeof(float));
    for (size_t c = 0; c < p.n; c += kDwconvLanes) {
        for (size_t t = 0; t < tiles; ++t) {
            compute_int8_tile(
                p, p.rhs + c / kDwconvLanes * panel, src + t * p.k * kDwconvOutputs, dst + t * kDwconvOutputs, c);
        }
    }
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_DWCONV_PORTABLE(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, HEIGHT, WIDTH)                   \
    KAI_DEFINE_MATMUL_STEPS(NAME, (HEIGHT) * (WIDTH), NR)                                                   \
    KAI_DEFINE_SIZE(nr, NAME, NR)                                                                           \
    KAI_DEFINE_SIZE(kr, NAME, KR)                                                                           \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(K, , rhs, n_idx, NAME, RHS, NR, KR, 1)                                  \
    void kai_run_##NAME(                                                                                    \
        size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad_ptr,   \
        size_t src_offset, const void* rhs_packed, void* const* dst, size_t dst_offset,                     \
        const kai_matmul_requantize32_params* params) {                                                     \
        KAI_REQUIRE(__func__, multiplier > 0, zero, "multiplier");                                          \
        KAI_REQUIRE(__func__, n % multiplier == 0, not_multiple_of, "n", n, "multiplier", multiplier);      \
        static_assert((HEIGHT) * (WIDTH) == kai::kDwconvOutputs && (NR) == kai::kDwconvLanes && (KR) == 1); \
        if (tiles > 0 && n > 0) {                                                                           \
            kai::run_dwconv_int8(                                                                           \
                tiles,                                                                                      \
                {n, k, multiplier, pad_ptr, src_offset, kai::bytes(rhs_packed), dst_offset,                 \
                 kai::before_zero_point(*params, __func__)},                                                \
                src, dst);                                                                                  \
        }                                                                                                   \
    }
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_DWCONV_PORTABLE)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"

}  // extern "C"
