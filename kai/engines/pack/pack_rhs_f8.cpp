// RHS packers of 8-bit floating point with blocks: codes are copied.
//
//     | k = 0 - 3: 4 codes of column 0, 4 of column 1, ... | ... to the end of a block | nr f32 scales |   each block
//     | nr f32 biases |                                                                                   the panel
//
// With another kr: kr codes of column 0, kr of column 1, ...
//
// Missing columns of the last panel become zero. E4M3: where a block of a column has a NaN, its scale becomes one, so
// that kernels need not look for it: its code follows that of the largest number, and has no other mark.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_rhs_rules.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr size_t kGroup = 4;
constexpr uint32_t kNan = 0x7FC00000;

constexpr kai_rhs_rules f8_rules(const char* name, const Format& format, bool kxn) {
    kai_rhs_rules rules = rhs_rules(name, format, true);
    set_groups(rules, kGroup, 32);
    rules.sr = 1;
    rules.stride_bits = 8;
    rules.kxn = kxn;
    rules.scale = rules.bias = true;
    rules.block_scale = sizeof(float);
    rules.params = KAI_RHS_PARAMS_NULL;
    return rules;
}

/// Where codes of a block are, 4 at a time.
struct Places {
    size_t nr, kr;  // kr: a power of two

    KAI_INLINE size_t column(size_t c) const {
        return c * kr;
    }
    /// From k = 0 to k = i, a multiple of 4, of a column.
    KAI_INLINE size_t depth(size_t i) const {
        return (i & ~(kr - 1)) * nr + (i & (kr - 1));
    }
};

/// The codes of a block, `depth` of each of the columns. N x K: a row of the source is a column.
KAI_INLINE void copy_nxk(const uint8_t* from, size_t stride, size_t columns, size_t depth, Places at, uint8_t* to) {
    for (size_t c = 0; c < columns; ++c, from += stride) {
        for (size_t i = 0; i < depth; i += kGroup) {
            store(to + at.column(c) + at.depth(i), load<uint32_t>(from + i));
        }
    }
}

/// K x N: a row of the source has a code of each column.
KAI_INLINE void copy_kxn(const uint8_t* from, size_t stride, size_t columns, size_t depth, Places at, uint8_t* to) {
    for (size_t i = 0; i < depth; i += kGroup, from += kGroup * stride) {
        for (size_t c = 0; c < columns; ++c) {
            for (size_t j = 0; j < kGroup; ++j) {
                to[at.column(c) + at.depth(i) + j] = from[j * stride + c];
            }
        }
    }
}

/// Whether a column, packed at `codes`, has 0x7F or 0xFF among `depth` codes.
KAI_INLINE bool has_nan_of_e4m3(const uint8_t* codes, size_t depth, Places at) {
    uint32_t found = 0;
    for (size_t i = 0; i < depth; i += kGroup) {
        found |= (load<uint32_t>(codes + at.depth(i)) & 0x7F7F7F7F) + 0x01010101;
    }
    return (found & 0x80808080) != 0;
}

[[gnu::noinline]] void pack_f8(const kai_rhs_rules& rules, const kai_rhs_call& call, bool is_e4m3) {
    kai_check_rhs_call(&rules, &call);
    const Places at = {call.nr, call.kr};
    const size_t nr = call.nr, blocks = call.k == 0 ? 0 : call.k / call.bl;
    const size_t block_step = rules.kxn ? call.bl * call.rhs_stride : call.bl;
    const size_t column_step = rules.kxn ? 1 : call.rhs_stride;
    uint8_t* to = bytes(call.packed);
    for (size_t first = 0; first < call.n; first += nr) {
        const size_t columns = call.n - first < nr ? call.n - first : nr;
        const uint8_t* from = bytes(call.rhs, first * column_step);
        const uint8_t* scales = bytes(call.scale, first * call.scale_stride);
        for (size_t b = 0; b < blocks; ++b, from += block_step, scales += sizeof(float)) {
            if (columns < nr) {
                __builtin_memset(to, 0, nr * (call.bl + sizeof(float)));
            }
            (rules.kxn ? copy_kxn : copy_nxk)(from, call.rhs_stride, columns, call.bl, at, to);
            const uint8_t* codes = to;
            to += nr * call.bl;
            for (size_t c = 0; c < columns; ++c, to += sizeof(float)) {
                const bool is_nan = is_e4m3 && has_nan_of_e4m3(codes + at.column(c), call.bl, at);
                store(to, is_nan ? kNan : load<uint32_t>(scales + c * call.scale_stride));
            }
            to += (nr - columns) * sizeof(float);
        }
        __builtin_memset(to, 0, nr * sizeof(float));
        if (call.bias != nullptr) {
            __builtin_memcpy(to, bytes(call.bias, first * sizeof(float)), columns * sizeof(float));
        }
        to += nr * sizeof(float);
    }
}

}  // namespace
}  // namespace kai

/// OFFSET: that of column n_idx in the source.
#define KAI_DEFINE_F8(NAME, FORMAT, IS_E4M3, KXN, OFFSET)                                                       \
    KAI_RHS_RULES(NAME, f8_rules, kai::FORMAT, KXN)                                                             \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, [[maybe_unused]] size_t rhs_stride) {                        \
        return OFFSET;                                                                                          \
    }                                                                                                           \
    KAI_DEFINE_RHS_PACKED_GETTERS(BL, NAME)                                                                     \
    void kai_run_##NAME(                                                                                        \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,  \
        size_t rhs_stride, const float* bias, const float* scale, size_t scale_stride, void* rhs_packed,        \
        size_t extra_bytes, const void* params) {                                                               \
        kai::pack_f8(                                                                                           \
            kai_rules_##NAME,                                                                                   \
            {num_groups, n, k, nr, kr, sr, bl, rhs, rhs_stride, nullptr, bias, scale, scale_stride, rhs_packed, \
             extra_bytes, params, nullptr, sizeof(float)},                                                      \
            IS_E4M3);                                                                                           \
    }

KAI_DEFINE_F8(rhs_pack_nxk_f8e4m3c32p_f8e4m3_f32_f32, f8e4m3c32p, true, false, n_idx* rhs_stride)
KAI_DEFINE_F8(rhs_pack_kxn_f8e4m3c32p_f8e4m3_f32_f32, f8e4m3c32p, true, true, n_idx)
KAI_DEFINE_F8(rhs_pack_nxk_f8e5m2c32p_f8e5m2_f32_f32, f8e5m2c32p, false, false, n_idx* rhs_stride)
KAI_DEFINE_F8(rhs_pack_kxn_f8e5m2c32p_f8e5m2_f32_f32, f8e5m2c32p, false, true, n_idx)
