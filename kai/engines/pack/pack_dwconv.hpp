// Packers of the weights of depthwise convolutions (K = taps x channels, channels innermost): blocks of one vector of
// channels, of SME or of 16 bytes,
//
//     | bias of the channels | tap 0 | tap 1 | ...          taps in row-major order, lanes without a channel zero
//
// Bits are copied, never converted.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/getters.hpp"
#include "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h"

namespace kai {
namespace {

/// w: elements of a vector, as the catalogue has them.
template <typename Element, typename Size>
KAI_INLINE size_t packed_size(Getter getter, Size size, size_t height, size_t width, size_t channels) {
    const size_t w = checked(size, getter);
    return (channels + w - 1) / w * w * (height * width + 1) * sizeof(Element);
}

/// One vector: `count` bytes of src (NULL: zeros), then zeros. Returns its end.
KAI_INLINE uint8_t* pack_vector(uint8_t* dst, const void* src, size_t count, size_t vector) {
    count = src == nullptr ? 0 : count;
    if (count > 0) {
        __builtin_memcpy(dst, src, count);
    }
    if (count < vector) {
        __builtin_memset(dst + count, 0, vector - count);
    }
    return dst + vector;
}

/// row: bytes of the channels of a tap. vector: bytes.
[[maybe_unused, gnu::noinline]] void pack(
    size_t vector, size_t taps, size_t row, const void* rhs, const void* bias, void* rhs_packed) {
    uint8_t* dst = bytes(rhs_packed);
    for (size_t c = 0; c < row; c += vector) {
        const size_t count = row - c < vector ? row - c : vector;
        dst = pack_vector(dst, bias == nullptr ? nullptr : bytes(bias, c), count, vector);
        for (size_t t = 0; t < taps; ++t) {
            dst = pack_vector(dst, bytes(rhs, t * row + c), count, vector);
        }
    }
}

KAI_INLINE void check_operands(
    size_t taps, size_t channels, const void* rhs, const void* packed, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE_ALWAYS(function, channels == 0 || taps == 0 || rhs != nullptr, null, "rhs");
    KAI_REQUIRE_ALWAYS(function, channels == 0 || packed != nullptr, null, "rhs_packed");
}

}  // namespace
}  // namespace kai

/// A packer for vectors of W elements.
#define KAI_DEFINE_DWCONV_PACK(ELEMENT, W, NAME)                                                                      \
    size_t kai_rhs_get_dst_size_##NAME(size_t filter_height, size_t filter_width, size_t num_channels) {              \
        return kai::packed_size<ELEMENT>(                                                                             \
            {"kai_rhs_get_dst_size_", #NAME}, W, filter_height, filter_width, num_channels);                          \
    }                                                                                                                 \
    void kai_run_rhs_##NAME(                                                                                          \
        size_t filter_height, size_t filter_width, size_t height, size_t width, size_t num_channels, const void* rhs, \
        const void* bias, void* rhs_packed) {                                                                         \
        KAI_REQUIRE_ALWAYS(                                                                                           \
            __func__, height == filter_height && width == filter_width, other_filter, height, width, filter_height,   \
            filter_width);                                                                                            \
        kai::check_operands(filter_height* filter_width, num_channels, rhs, rhs_packed);                              \
        kai::pack(                                                                                                    \
            (W) * sizeof(ELEMENT), filter_height * filter_width, num_channels * sizeof(ELEMENT), rhs, bias,           \
            rhs_packed);                                                                                              \
    }
