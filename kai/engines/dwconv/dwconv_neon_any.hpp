// Depthwise convolution with NEON, filters of any size: a tile is four outputs, in any places, with pointers of their
// own for each tap. The formula is in kai_fn_types.h (kai_run_dwconv_tiles_fn).
//
// A vector is 16 bytes of inputs: the channels of a panel of the filter. `Of::kGroup` panels share the pointers. Where
// inputs are not adjacent (a multiplier, the last channels), TBL brings them to their lanes.
//
// `Of` is the arithmetic of an element type:
//     kElement, kGroup     bytes of an input; panels at a time
//     kStart, kTap         bytes of a panel before its taps, and of a tap
//     kTaps, kEnd          taps at a time; bytes of a panel after its taps
//     kSmall               whether pixels may have less than 16 bytes
//     Sums, start, add     of a panel and one output
//     results              of a panel, 16 bytes
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/neon.hpp"

namespace kai {
namespace {

constexpr size_t kAnyOutputs = 4, kAnyVector = 16;

/// The arguments of kai_run_dwconv_tiles_fn, but for tables and bounds.
struct AnyDwconv {
    size_t n, k, multiplier;
    const void* pad;
    size_t src_offset;
    const uint8_t* rhs;
    size_t dst_offset;

    KAI_INLINE const uint8_t* pixel(const void* p) const {
        return bytes(p, p == pad ? 0 : src_offset);
    }
};

/// Inputs of whole panels that lie side by side, `at` bytes behind the first channel.
struct AdjacentInputs {
    size_t at;

    KAI_INLINE uint8x16_t load(const uint8_t* pixel, size_t panel) const {
        return vld1q_u8(pixel + at + panel * kAnyVector);
    }
};

/// The byte of a pixel that byte `i` of the panel from channel `first` on takes. Lanes without a channel take the last.
KAI_INLINE size_t input_byte(const AnyDwconv& call, size_t element, size_t first, size_t i) {
    return KAI_MIN(first + i / element, call.n - 1) / call.multiplier * element + i % element;
}

/// Inputs of panels in pixels of 16 bytes and more: 16 bytes have all those of a panel, TBL takes them apart.
template <size_t PANELS>
struct WindowInputs {
    size_t at[PANELS];
    uint8x16_t lanes[PANELS];

    KAI_INLINE WindowInputs(const AnyDwconv& call, size_t element, size_t first) {
        const size_t last = call.n / call.multiplier * element - kAnyVector;
        for (size_t p = 0; p < PANELS; ++p, first += kAnyVector / element) {
            uint8_t index[kAnyVector];
            at[p] = KAI_MIN(input_byte(call, element, first, 0), last);
            for (size_t i = 0; i < kAnyVector; ++i) {
                index[i] = static_cast<uint8_t>(input_byte(call, element, first, i) - at[p]);
            }
            lanes[p] = vld1q_u8(index);
        }
    }
    KAI_INLINE uint8x16_t load(const uint8_t* pixel, size_t panel) const {
        return vqtbl1q_u8(vld1q_u8(pixel + at[panel]), lanes[panel]);
    }
};

/// Inputs of a panel in smaller pixels: the first and the last `part` bytes, half a vector each, have all of a pixel.
struct SmallInputs {
    size_t part, last;
    uint8x16_t lanes;

    KAI_INLINE SmallInputs(const AnyDwconv& call, size_t element, size_t first) {
        const size_t pixel = call.n / call.multiplier * element;
        part = pixel >= 8 ? 8 : pixel >= 4 ? 4 : pixel >= 2 ? 2 : 1, last = pixel - part;
        uint8_t index[kAnyVector];
        for (size_t i = 0; i < kAnyVector; ++i) {
            const size_t byte = input_byte(call, element, first, i);
            index[i] = static_cast<uint8_t>(byte < part ? byte : kAnyVector / 2 + byte - last);
        }
        lanes = vld1q_u8(index);
    }
    KAI_INLINE uint8x16_t load(const uint8_t* pixel, size_t) const {
        return part == 8   ? of_parts<uint64_t>(pixel)
               : part == 4 ? of_parts<uint32_t>(pixel)
               : part == 2 ? of_parts<uint16_t>(pixel)
                           : of_parts<uint8_t>(pixel);
    }

private:
    template <class Part>
    KAI_INLINE uint8x16_t of_parts(const uint8_t* pixel) const {
        const uint64_t low = kai::load<Part>(pixel), high = kai::load<Part>(pixel + last);
        return vqtbl1q_u8(vcombine_u8(vcreate_u8(low), vcreate_u8(high)), lanes);
    }
};

/// sums += TAPS taps, whose weights begin at `weights` and whose pointers at `src`.
template <size_t TAPS, class Of, size_t PANELS, class Inputs>
KAI_INLINE void add_taps(
    const AnyDwconv& call, const uint8_t* weights, size_t panel, const void* const* src, const Inputs& inputs,
    typename Of::Sums (&sums)[kAnyOutputs][PANELS]) {
    uint8x16_t w[PANELS][TAPS], x[TAPS];
    KAI_UNROLL(4)
    for (size_t p = 0; p < PANELS; ++p) {
        KAI_UNROLL(2)
        for (size_t t = 0; t < TAPS; ++t) {
            w[p][t] = Of::load_weights(weights + p * panel + t * Of::kTap);
        }
    }
    KAI_UNROLL(4)
    for (size_t i = 0; i < kAnyOutputs; ++i) {
        KAI_UNROLL(4)
        for (size_t p = 0; p < PANELS; ++p) {
            KAI_UNROLL(2)
            for (size_t t = 0; t < TAPS; ++t) {
                x[t] = inputs.load(call.pixel(src[t * kAnyOutputs + i]), p);
            }
            Of::add(x, w[p], sums[i][p]);
        }
    }
}

/// The results of a tile for `PANELS` panels from `weights` on.
template <class Of, size_t PANELS, class Inputs>
KAI_INLINE void compute_tile(
    const Of& of, const AnyDwconv& call, const uint8_t* weights, size_t panel, const void* const* src,
    const Inputs& inputs, uint8x16_t (&results)[kAnyOutputs][PANELS]) {
    typename Of::Sums sums[kAnyOutputs][PANELS];
    KAI_UNROLL(16)
    for (size_t i = 0; i < kAnyOutputs * PANELS; ++i) {
        Of::start(weights + i % PANELS * panel, sums[i / PANELS][i % PANELS]);
    }
    const uint8_t* at = weights + Of::kStart;
    size_t left = call.k;
    for (; left >= Of::kTaps; left -= Of::kTaps, at += Of::kTaps * Of::kTap, src += Of::kTaps * kAnyOutputs) {
        add_taps<Of::kTaps, Of, PANELS>(call, at, panel, src, inputs, sums);
    }
    for (; left > 0; --left, at += Of::kTap, src += kAnyOutputs) {
        add_taps<1, Of, PANELS>(call, at, panel, src, inputs, sums);
    }
    KAI_UNROLL(16)
    for (size_t i = 0; i < kAnyOutputs * PANELS; ++i) {
        results[i / PANELS][i % PANELS] = of.results(sums[i / PANELS][i % PANELS], at + i % PANELS * panel);
    }
}

/// All tiles, `PANELS` panels: the channels from `first` on. Stores `bytes_of_last` of the last panel.
template <size_t PANELS, class Of, class Inputs>
KAI_INLINE void run_panels(
    const Of& of, size_t tiles, const AnyDwconv& call, size_t panel, size_t first, size_t bytes_of_last,
    const Inputs& inputs, const void* const* src, void* const* dst) {
    const size_t at = call.dst_offset + first * Of::kElement;
    const uint8_t* const weights = call.rhs + first * Of::kElement / kAnyVector * panel;
    for (size_t t = 0; t < tiles; ++t) {
        uint8x16_t results[kAnyOutputs][PANELS];
        compute_tile(of, call, weights, panel, src + t * call.k * kAnyOutputs, inputs, results);
        for (size_t i = kAnyOutputs; i-- > 0;) {  // output 0 is the last one
            uint8_t* const out = bytes(dst[t * kAnyOutputs + i], at);
            if (bytes_of_last < kAnyVector) {
                __builtin_memcpy(out, &results[i], (PANELS - 1) * kAnyVector + bytes_of_last);
                continue;
            }
            for (size_t p = 0; p < PANELS; ++p) {
                vst1q_u8(out + p * kAnyVector, results[i][p]);
            }
        }
    }
}

template <class Of>
KAI_INLINE void run_any_dwconv(
    const Of& of, size_t tiles, const AnyDwconv& call, const void* const* src, void* const* dst) {
    constexpr size_t kElement = Of::kElement, kLanes = kAnyVector / kElement, kGroup = Of::kGroup;
    const size_t panel = Of::kStart + call.k * Of::kTap + Of::kEnd;
    const bool small = call.n / call.multiplier * kElement < kAnyVector;
    for (size_t c = 0; c < call.n;) {
        const size_t left = call.n - c, last = KAI_MIN(left * kElement, kAnyVector);
        const bool group = left >= kGroup * kLanes && !small;
        c += group ? kGroup * kLanes : kLanes;
        const size_t first = call.n - left;
        if (group && call.multiplier == 1) {
            run_panels<kGroup>(of, tiles, call, panel, first, kAnyVector, AdjacentInputs{first * kElement}, src, dst);
        } else if (group && kGroup > 1) {
            const WindowInputs<kGroup> inputs(call, kElement, first);
            run_panels<kGroup>(of, tiles, call, panel, first, kAnyVector, inputs, src, dst);
        } else if (!small) {
            run_panels<1>(of, tiles, call, panel, first, last, WindowInputs<1>(call, kElement, first), src, dst);
        } else if (Of::kSmall) {
            run_panels<1>(of, tiles, call, panel, first, last, SmallInputs(call, kElement, first), src, dst);
        }
    }
}

KAI_INLINE void check_any_dwconv(size_t n, size_t multiplier, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, multiplier > 0, zero, "multiplier");
    KAI_REQUIRE(function, n % multiplier == 0, not_multiple_of, "n", n, "multiplier", multiplier);
}

}  // namespace
}  // namespace kai

/// A micro-kernel of floats with the arithmetic OF, which takes the bounds.
#define KAI_DEFINE_ANY_DWCONV(OF, NAME, RHS, NR, HEIGHT, WIDTH)                                           \
    KAI_DEFINE_MATMUL_STEPS(NAME, (HEIGHT) * (WIDTH), NR)                                                 \
    KAI_DEFINE_SIZE(nr, NAME, NR)                                                                         \
    KAI_DEFINE_SIZE(kr, NAME, 1)                                                                          \
    KAI_DEFINE_MATMUL_PACKED_OFFSET(K, , rhs, n_idx, NAME, RHS, NR, 1, 1)                                 \
    void kai_run_##NAME(                                                                                  \
        size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad_ptr, \
        size_t src_offset, const void* rhs_packed, void* const* dst, size_t dst_offset, float clamp_min,  \
        float clamp_max) {                                                                                \
        kai::check_any_dwconv(n, multiplier);                                                             \
        kai::check_bounds(clamp_min, clamp_max);                                                          \
        static_assert((HEIGHT) * (WIDTH) == kai::kAnyOutputs);                                            \
        kai::run_any_dwconv(                                                                              \
            OF(clamp_min, clamp_max), tiles,                                                              \
            {n, k, multiplier, pad_ptr, src_offset, kai::bytes(rhs_packed), dst_offset}, src, dst);       \
    }
