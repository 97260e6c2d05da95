// Floats to a row of f32, f16 or bf16, at any address.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/base.hpp"
#include "kai/engines/core/check.hpp"

namespace kai {
namespace {

KAI_INLINE void check_float_type(const char* function, kai_datatype type) {
    KAI_REQUIRE_ALWAYS(
        function, type == kai_dt_f32 || type == kai_dt_f16 || type == kai_dt_bf16, no_float_type,
        static_cast<unsigned>(type));
}

/// One float.
KAI_INLINE void store_float(float x, kai_datatype type, uint8_t* dst) {
    if (type == kai_dt_f32) {
        store(dst, x);
    } else {
        store(dst, type == kai_dt_f16 ? kai_cast_f16_f32(x) : kai_cast_bf16_f32(x));
    }
}

#if defined(__aarch64__)
/// Four bf16: to nearest even, NaN made quiet.
KAI_INLINE uint16x4_t bf16_x4(float32x4_t x) {
    const uint32x4_t bits = vreinterpretq_u32_f32(x), odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t rounded = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7FFF)), odd);
    return vshrn_n_u32(vbslq_u32(vceqq_f32(x, x), rounded, vorrq_u32(bits, vdupq_n_u32(0x400000))), 16);
}
#endif

/// `count` floats to dst.
[[maybe_unused]] void store_floats(const float* src, size_t count, kai_datatype type, uint8_t* dst) {
    size_t i = 0;
#if defined(__aarch64__)
    for (; i + 4 <= count; i += 4) {
        const float32x4_t x = vld1q_f32(src + i);
        if (type == kai_dt_f32) {
            store(dst + 4 * i, x);
        } else if (type == kai_dt_f16) {
            store(dst + 2 * i, vreinterpret_u16_f16(vcvt_f16_f32(x)));
        } else {
            store(dst + 2 * i, bf16_x4(x));
        }
    }
#endif
    for (; i < count; ++i) {
        store_float(src[i], type, dst + i * kai_get_datatype_size_in_bytes(type));
    }
}

}  // namespace
}  // namespace kai
