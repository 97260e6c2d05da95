// Blocks of GGUF files to f32, f16 and bf16.
//
//     w = RN(scale * value + min), or scale * value, which is exact
//
// NEON: 16 values at a time, widened to f32 and multiplied (FMUL, FMLA). f16 and bf16: through a buffer of 256 floats.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/check.hpp"
#include "kai/engines/gguf/gguf_codebooks.hpp"
#include "kai/engines/gguf/gguf_neon.hpp"
#include "kai/engines/gguf/gguf_rows.hpp"
#include "kai/kai_gguf.h"

namespace kai {
namespace {

#if defined(__aarch64__)

/// Four weights.
template <bool has_min>
KAI_INLINE void store_weights_x4(uint8_t* dst, int16x4_t values, const Scale& s) {
    const float32x4_t x = vcvtq_f32_s32(vmovl_s16(values));
    store(dst, has_min ? vfmaq_n_f32(vdupq_n_f32(s.min), x, s.scale) : vmulq_n_f32(x, s.scale));
}

/// Weights i to i + count - 1 of a block, of one run: whole 16.
template <const Block& t>
KAI_INLINE void dequantise_run(const uint8_t* block, size_t i, size_t count, const Scale& s, uint8_t* dst) {
    constexpr bool has_min = t.m != 0;
    for (const size_t end = i + count; i < end; i += 16, dst += 64) {
        const int8x16_t values = values_x16<t>(block, i);
        const int16x8_t low = vmovl_s8(vget_low_s8(values)), high = vmovl_high_s8(values);
        store_weights_x4<has_min>(dst, vget_low_s16(low), s);
        store_weights_x4<has_min>(dst + 16, vget_high_s16(low), s);
        store_weights_x4<has_min>(dst + 32, vget_low_s16(high), s);
        store_weights_x4<has_min>(dst + 48, vget_high_s16(high), s);
    }
}

#else

template <const Block& t>
KAI_INLINE void dequantise_run(const uint8_t* block, size_t i, size_t count, const Scale& s, uint8_t* dst) {
    for (const size_t end = i + count; i < end; ++i, dst += sizeof(float)) {
        const float x = s.scale * static_cast<float>(value_of(t, block, i));
        store(dst, t.m != 0 ? x + s.min : x);
    }
}

#endif

template <const Block& t>
void dequantise_blocks(const uint8_t* src, size_t blocks, uint8_t* dst) {
    for (; blocks > 0; --blocks, src += t.bytes) {
        for (size_t j = 0; j < t.weights / t.run; ++j, dst += t.run * sizeof(float)) {
            dequantise_run<t>(src, j * t.run, t.run, scale_of(t, src, j), dst);
        }
    }
}

/// Weights of a piece; shorter blocks are taken several at a time.
constexpr size_t kPiece = 256;

Dequantise* dequantise_of(kai_gguf_type_id id) {
    switch (id) {
#define KAI_CASE(TYPE)    \
    case KAI_GGUF_##TYPE: \
        return dequantise_blocks<TYPE>;
        KAI_GGUF_BLOCKS(KAI_CASE)
#undef KAI_CASE
#define KAI_CASE(TYPE)    \
    case KAI_GGUF_##TYPE: \
        return kai_gguf_dequantise_##TYPE;
        KAI_GGUF_CODEBOOKS(KAI_CASE)
#undef KAI_CASE
        default:
            return nullptr;
    }
}

/// A piece of `count` weights to floats.
void load_floats(kai_gguf_type_id id, const uint8_t* src, size_t count, uint8_t* dst) {
    const size_t size = id == KAI_GGUF_F32 ? 4 : 2;
    for (size_t i = 0; i < count; ++i, src += size, dst += sizeof(float)) {
        store(
            dst, id == KAI_GGUF_F32   ? load<float>(src)
                 : id == KAI_GGUF_F16 ? kai_cast_f32_f16(load<uint16_t>(src))
                                      : kai_cast_f32_bf16(load<uint16_t>(src)));
    }
}

}  // namespace
}  // namespace kai

extern "C" void kai_gguf_dequantise(
    const struct kai_gguf_type* type, size_t count, const void* src, enum kai_datatype dst_type, void* dst) {
    KAI_REQUIRE_ALWAYS(__func__, type != nullptr, null, "type");
    KAI_REQUIRE_ALWAYS(
        __func__, count % type->block_weights == 0, not_multiple_of_block, "count", count, type->block_weights,
        type->name);
    kai::check_float_type(__func__, dst_type);
    const size_t dst_size = kai_get_datatype_size_in_bytes(dst_type);
    const uint8_t* from = kai::bytes(src);
    uint8_t* to = kai::bytes(dst);
    kai::Dequantise* dequantise = kai::dequantise_of(type->id);
    if (dequantise != nullptr && dst_type == kai_dt_f32) {
        return dequantise(from, count / type->block_weights, to);
    }
    float piece[kai::kPiece];
    for (size_t done = 0; done < count; done += kai::kPiece) {
        const size_t now = count - done < kai::kPiece ? count - done : kai::kPiece;
        if (dequantise != nullptr) {
            dequantise(from, now / type->block_weights, kai::bytes(piece));
        } else {
            kai::load_floats(type->id, from, now, kai::bytes(piece));
        }
        kai::store_floats(piece, now, dst_type, to);
        from += now / type->block_weights * type->block_bytes;
        to += now * dst_size;
    }
}
