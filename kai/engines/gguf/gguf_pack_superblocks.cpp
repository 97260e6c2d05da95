// RHS packers of rows of GGUF super-blocks, N x K, to formats that keep their scales of sub-blocks: lossless, bytes per
// weight as in the file.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf_neon.hpp"
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_rhs_blocks.hpp"
#include "kai/engines/superblocks/superblocks.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

/// kr: the only one; 0: 8 or 16.
constexpr kai_rhs_rules superblock_rules(const char* name, const Format& format, const Block& t, uint8_t kr) {
    kai_rhs_rules rules = rhs_rules(name, format, true);
    rules.bl = static_cast<uint16_t>(format.block);
    rules.source_weights = static_cast<uint16_t>(t.weights);
    rules.source_bytes = static_cast<uint16_t>(t.bytes);
    rules.sr = 2;
    rules.kr = kr;
    rules.kr_multiple = kr == 0 ? 8 : 0;
    rules.kr_max = kr == 0 ? 16 : 0;
    rules.nr_multiple = 4;
    return rules;
}

/// The columns of a panel, four at a time.
struct SuperPack {
    size_t n, k;
    Tile tile;
    const uint8_t* rhs;
    size_t rhs_stride;
    void* packed;
    size_t plane;  // Six::plane

    /// Those that the last panel lacks repeat column n - 1.
    KAI_INLINE const uint8_t* column(size_t at) const {
        return rhs + (at < n ? at : n - 1) * rhs_stride;
    }
};

/// A super-block of Q6_K of four columns, from column c of the panel on.
template <size_t GROUP>
KAI_INLINE void pack_six(const uint8_t* const src[4], uint8_t* dst, size_t nr, size_t c, size_t plane) {
    uint8_t scales[Six::kSubs][4];
    for (size_t i = 0; i < 4; ++i) {
        store(dst + 2 * (c + i), load<uint16_t>(src[i] + Q6_K.d));
    }
#if defined(__aarch64__)
    uint8x16x4_t subs;
    KAI_UNROLL(4)
    for (int i = 0; i < 4; ++i) {
        subs.val[i] = vld1q_u8(src[i] + Q6_K.subs);
    }
    vst4q_u8(scales[0], subs);
#else
    for (size_t j = 0; j < Six::kSubs; ++j) {
        for (size_t i = 0; i < 4; ++i) {
            scales[j][i] = src[i][Q6_K.subs + j];
        }
    }
#endif
    uint8_t* elements = dst + qsi6c16x256p.block_head * nr;
    for (size_t j = 0; j < Six::kSubs; ++j) {
        store(dst + scale_of_sub(nr, j, c), load<uint32_t>(scales[j]));
        uint8_t* const quad = elements + Six::quad(nr, j, c, plane);
#if defined(__aarch64__)
        uint8x16_t v[4], out[4];
        KAI_UNROLL(4)
        for (int i = 0; i < 4; ++i) {
            v[i] = vreinterpretq_u8_s8(values_x16<Q6_K>(src[i], Six::kSub * j));
        }
        interleave<GROUP>(v, out);
        vst1q_u8(quad, vsliq_n_u8(vshrq_n_u8(out[3], 4), out[0], 2));
        vst1q_u8(quad + plane, vsliq_n_u8(vshrq_n_u8(out[3], 2), out[1], 2));
        vst1q_u8(quad + 2 * plane, vsliq_n_u8(out[3], out[2], 2));
#else
        uint8_t vectors[4][Six::kVector];
        for (size_t i = 0; i < 4; ++i) {
            for (size_t kk = 0; kk < Six::kSub; ++kk) {
                const Six::At at = Six::at(GROUP, i, kk);
                vectors[at.vector][at.lane] = static_cast<uint8_t>(value_of(Q6_K, src[i], Six::kSub * j + kk) & 63);
            }
        }
        for (size_t lane = 0; lane < Six::kVector; ++lane) {
            const unsigned last = vectors[3][lane];
            for (unsigned i = 0; i < 3; ++i) {
                quad[i * plane + lane] = static_cast<uint8_t>(vectors[i][lane] << 2 | (last >> (4 - 2 * i) & 3));
            }
        }
#endif
    }
}

template <size_t GROUP>
[[gnu::noinline]] void pack_q6_k(const SuperPack& pack) {
    const SuperPack p = pack;  // a copy that no store can change
    const size_t nr = p.tile.rows, stride = qsi6c16x256p.stride(p.tile, p.k), block = stride / (p.k / Q6_K.weights);
    for (size_t first = 0; first < p.n; first += nr) {
        uint8_t* const panel = bytes(p.packed, first / nr * stride);
        for (size_t c = 0; c < nr; c += 4) {
            const uint8_t* src[4];
            for (size_t i = 0; i < 4; ++i) {
                src[i] = p.column(first + c + i);
            }
            for (size_t b = 0; b < p.k / Q6_K.weights; ++b) {
                pack_six<GROUP>(src, panel + b * block, nr, c, p.plane);
                for (const uint8_t*& column : src) {
                    column += Q6_K.bytes;
                }
            }
        }
    }
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_PACK_Q6_K(FORMAT, KR)                                                                            \
    KAI_RHS_RULES(rhs_pack_nxk_##FORMAT##_ggq6_k, superblock_rules, kai::FORMAT, kai::Q6_K, KR)                     \
    extern "C" {                                                                                                    \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(rhs_pack_nxk_##FORMAT##_ggq6_k, n_idx* rhs_stride)                               \
    void kai_run_rhs_pack_nxk_##FORMAT##_ggq6_k(                                                                    \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const void* rhs, size_t rhs_stride, \
        void* rhs_packed, size_t extra_bytes, const void* params) {                                                 \
        const kai_rhs_call call = {num_groups, n,       k,       nr,      kr, sr,         0,           rhs,         \
                                   rhs_stride, nullptr, nullptr, nullptr, 0,  rhs_packed, extra_bytes, params};     \
        kai_check_rhs_call(&kai_rules_rhs_pack_nxk_##FORMAT##_ggq6_k, &call);                                       \
        if (k == 0) {                                                                                               \
            return;                                                                                                 \
        }                                                                                                           \
        const size_t plane = kai::Six::plane(kai::FORMAT, nr);                                                      \
        const kai::SuperPack p = {n, k, {nr, kr, sr}, kai::bytes(rhs), rhs_stride, rhs_packed, plane};              \
        (kr == 16 ? kai::pack_q6_k<8> : kai::pack_q6_k<4>)(p);                                                      \
    }                                                                                                               \
    }

KAI_DEFINE_PACK_Q6_K(qsi6c16x256p, 0)
KAI_DEFINE_PACK_Q6_K(qsi6c16x256pnrx4, 8)
