// Indices of a table to int8 for the qai8dxp GEMM on NEON (struct DecodeArgs of qai8dxp_neon.hpp).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/qai8dxp/qai8dxp_neon.hpp"

/// Bits 2t and 2t + 1 of a vector's bytes are 4 k of 4 columns.
void kai_decode_int2_neon(const kai::DecodeArgs* args) {
    const int8x16_t table = vreinterpretq_s8_u8(vld1q_u8(kai::bytes(args->lut)));
    const uint8x16_t every_fourth = vreinterpretq_u8_u32(vdupq_n_u32(0x0C080400));
    const int8x16_t weights = vqtbl1q_s8(table, every_fourth);
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
