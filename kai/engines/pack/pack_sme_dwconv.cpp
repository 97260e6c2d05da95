// Packers of the weights of depthwise convolutions (K = taps x channels, channels innermost) for SME: blocks of one
// vector of channels,
//
//     | bias of the channels | tap 0 | tap 1 | ...          taps in row-major order, lanes without a channel zero
//
// Bits are copied, never converted.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h"

namespace kai {
namespace {

template <typename Element>
KAI_INLINE size_t packed_size(Getter getter, size_t height, size_t width, size_t channels) {
    const size_t w = checked(VL(sizeof(uint32_t) / sizeof(Element)), getter);
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

/// row: bytes of the channels of a tap.
[[gnu::noinline]] void pack(size_t taps, size_t row, const void* rhs, const void* bias, void* rhs_packed) {
    const size_t vector = VL(sizeof(uint32_t));
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

#define KAI_DEFINE_DWCONV_PACK(NAME, ELEMENT)                                                                          \
    size_t kai_rhs_get_dst_size_##NAME(size_t filter_height, size_t filter_width, size_t num_channels) {               \
        return kai::packed_size<ELEMENT>({"kai_rhs_get_dst_size_", #NAME}, filter_height, filter_width, num_channels); \
    }                                                                                                                  \
    void kai_run_rhs_##NAME(                                                                                           \
        size_t filter_height, size_t filter_width, size_t height, size_t width, size_t num_channels, const void* rhs,  \
        const void* bias, void* rhs_packed) {                                                                          \
        KAI_REQUIRE_ALWAYS(                                                                                            \
            __func__, height == filter_height && width == filter_width, other_filter, height, width, filter_height,    \
            filter_width);                                                                                             \
        kai::check_operands(filter_height* filter_width, num_channels, rhs, rhs_packed);                               \
        kai::pack(filter_height* filter_width, num_channels * sizeof(ELEMENT), rhs, bias, rhs_packed);                 \
    }

extern "C" {

KAI_DEFINE_DWCONV_PACK(dwconv_pack_x32p1vlx1b_x32_x32_sme, uint32_t)
KAI_DEFINE_DWCONV_PACK(dwconv_pack_x16p1vlx1b_x16_x16_sme, uint16_t)

}  // extern "C"
