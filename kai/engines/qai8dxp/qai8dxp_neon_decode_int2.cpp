// Indices of a table to int8 for the qai8dxp GEMM on NEON (struct DecodeArgs of qai8dxp_neon.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

namespace kai {
namespace {

/// The four weights, 0 1 2 3 0 1 2 3 ...
KAI_INLINE int8x16_t weights_of(const DecodeArgs& args) {
    const int8x16_t table = vreinterpretq_s8_u8(vld1q_u8(bytes(args.lut)));
    return vqtbl1q_s8(table, vreinterpretq_u8_u32(vdupq_n_u32(0x0C080400)));
}

/// 4 bytes of four groups.
KAI_INLINE uint8x16_t load_groups(const uint8_t* p, size_t group) {
    uint32x4_t words = vdupq_n_u32(load<uint32_t>(p));
    words = vsetq_lane_u32(load<uint32_t>(p + group), words, 1);
    words = vsetq_lane_u32(load<uint32_t>(p + 2 * group), words, 2);
    return vreinterpretq_u8_u32(vsetq_lane_u32(load<uint32_t>(p + 3 * group), words, 3));
}

}  // namespace
}  // namespace kai

/// Bits 2t and 2t + 1 of a vector's bytes are 4 k of 4 columns.
void kai_decode_int2_neon(const kai::DecodeArgs* args) {
    const int8x16_t weights = kai::weights_of(*args);
    const uint8x16_t mask = vdupq_n_u8(3);
    int8_t* out = args->out;
    for (kai::Quad *quad = args->quads, *end = quad + args->quad_count; quad < end; ++quad) {
        const uint8_t* p = kai::bytes(quad->rhs);
        quad->rhs = out;
        for (size_t i = 2 * args->steps; i > 0; --i, p += 16, out += 64) {
            const uint8x16_t packed = vld1q_u8(p);
            vst1q_s8(out, vqtbl1q_s8(weights, vandq_u8(packed, mask)));
            vst1q_s8(out + 16, vqtbl1q_s8(weights, vandq_u8(vshrq_n_u8(packed, 2), mask)));
            vst1q_s8(out + 32, vqtbl1q_s8(weights, vandq_u8(vshrq_n_u8(packed, 4), mask)));
            vst1q_s8(out + 48, vqtbl1q_s8(weights, vshrq_n_u8(packed, 6)));
        }
    }
}

/// Panels of SME: bits 2t and 2t + 1 of a byte are k + t of a column. 4 k of all columns, a group, then the next 4 k.
void kai_decode_panel_int2_neon(const kai::DecodeArgs* args) {
    // A nibble has two indices.
    const int8x16_t low = kai::weights_of(*args), pairs = vzip1q_s8(low, low), high = vzip1q_s8(pairs, pairs);
    const uint8x16_t mask = vdupq_n_u8(15);
    const size_t group = args->step / 8;
    int8_t* out = args->out;
    for (kai::Quad *quad = args->quads, *end = quad + args->quad_count; quad < end; ++quad) {
        const uint8_t* p = kai::bytes(quad->rhs);
        quad->rhs = out;
        for (size_t i = 2 * args->steps; i > 0; --i, p += 4 * group, out += 64) {
            const uint8x16_t packed = kai::load_groups(p, group), lower = vandq_u8(packed, mask);
            const uint8x16_t upper = vshrq_n_u8(packed, 4);
            const int8x16x4_t fields = {
                {vqtbl1q_s8(low, lower), vqtbl1q_s8(high, lower), vqtbl1q_s8(low, upper), vqtbl1q_s8(high, upper)}};
            vst4q_s8(out, fields);
        }
    }
}
