// Packers of int8 filters of depthwise convolutions: the format is in kai_rhs_dwconv_pack.h.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h"

namespace kai {
namespace {

/// A filter. Panels have nr channels; rows of taps are padded to a multiple of kr.
struct Int8Filter {
    size_t height, width, channels, nr, kr;
    const void *taps, *bias, *scale;
    int32_t zero_point;
    float scale_multiplier;

    KAI_INLINE size_t padded_width() const {
        return (width + kr - 1) / kr * kr;
    }
    KAI_INLINE size_t panel_bytes() const {
        return nr * (sizeof(int32_t) + height * padded_width() + sizeof(float));
    }
    KAI_INLINE size_t packed_size() const {
        return (channels + nr - 1) / nr * panel_bytes();
    }
};

/// Channel c to lane c % nr of its panel, which is zero.
KAI_INLINE void pack_channel(const Int8Filter& f, size_t c, uint8_t* panel) {
    const size_t lane = c % f.nr;
    uint8_t* const taps = panel + f.nr * sizeof(int32_t);
    uint32_t sum = 0;
    for (size_t y = 0; y < f.height; ++y) {
        for (size_t x = 0; x < f.width; ++x) {
            const auto tap = load<int8_t>(bytes(f.taps, (y * f.width + x) * f.channels + c));
            sum += static_cast<uint32_t>(int32_t{tap});
            store(taps + (y * f.padded_width() + x / f.kr * f.kr) * f.nr + lane * f.kr + x % f.kr, tap);
        }
    }
    const auto bias = f.bias == nullptr ? 0U : load<uint32_t>(bytes(f.bias, c * sizeof(uint32_t)));
    store(panel + lane * sizeof(uint32_t), bias - static_cast<uint32_t>(f.zero_point) * sum);
    const float scale = load<float>(bytes(f.scale, c * sizeof(float))) * f.scale_multiplier;
    store(panel + f.panel_bytes() - (f.nr - lane) * sizeof(float), scale);
}

[[maybe_unused, gnu::noinline]] void pack_int8_filter(const Int8Filter& f, void* packed) {
    if (f.channels > 0) {
        __builtin_memset(packed, 0, f.packed_size());
    }
    for (size_t c = 0; c < f.channels; ++c) {
        pack_channel(f, c, bytes(packed, c / f.nr * f.panel_bytes()));
    }
}

KAI_INLINE void check_int8_filter(
    const Int8Filter& f, const void* params, const void* packed, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE_ALWAYS(function, f.channels == 0 || f.height * f.width == 0 || f.taps != nullptr, null, "rhs");
    KAI_REQUIRE_ALWAYS(function, f.channels == 0 || f.scale != nullptr, null, "scale");
    KAI_REQUIRE_ALWAYS(function, f.channels == 0 || params != nullptr, null, "params");
    KAI_REQUIRE_ALWAYS(function, f.channels == 0 || packed != nullptr, null, "rhs_packed");
}

}  // namespace
}  // namespace kai

/// A packer for panels of NR channels.
#define KAI_DEFINE_DWCONV_PACK_INT8(NAME, NR, KR)                                                            \
    size_t kai_rhs_get_dst_size_##NAME(size_t filter_height, size_t filter_width, size_t num_channels) {     \
        const size_t nr = kai::checked(NR, kai::Getter{"kai_rhs_get_dst_size_", #NAME});                     \
        const kai::Int8Filter filter{filter_height, filter_width, num_channels, nr, KR, {}, {}, {}, {}, {}}; \
        return filter.packed_size();                                                                         \
    }                                                                                                        \
    void kai_run_rhs_##NAME(                                                                                 \
        size_t filter_height, size_t filter_width, size_t num_channels, const void* rhs, const void* bias,   \
        const void* scale, void* rhs_packed, const struct kai_rhs_pack_qsi8cx_params* params) {              \
        kai::Int8Filter filter{filter_height, filter_width, num_channels, NR, KR, rhs, bias, scale, {}, {}}; \
        kai::check_int8_filter(filter, params, rhs_packed);                                                  \
        if (num_channels > 0) {                                                                              \
            filter.zero_point = params->lhs_zero_point, filter.scale_multiplier = params->scale_multiplier;  \
            kai::pack_int8_filter(filter, rhs_packed);                                                       \
        }                                                                                                    \
    }
