// RHS packers of rows of floats in GGUF files, N x K, to panels of floats: elements are copied or converted, to nearest
// even. Any nr, groups of 1 to 16. There is no bias: zeros.
//
// NEON: four columns at a time, 16 bytes of what is packed of each; ZIP1 and ZIP2 interleave their groups.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf_rows.hpp"
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/pack/pack_neon_interleave.hpp"
#include "kai/engines/core/pack_rhs_rules.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr size_t size_of(kai_datatype type) {
    return type == kai_dt_f32 ? 4 : 2;
}

constexpr kai_rhs_rules float_rows_rules(const char* name, const Format& format, kai_datatype from) {
    kai_rhs_rules rules = rhs_rules(name, format, false);
    rules.pads_groups = true;
    rules.source_weights = 1;
    rules.source_bytes = static_cast<uint16_t>(size_of(from));
    rules.sr = 1;
    if (format.bits == 32) {
        rules.kr = 1;
    } else {
        set_groups(rules, 1, 16);
    }
    return rules;
}

/// From which type to which.
struct Types {
    kai_datatype from, to;
};

/// An element, as it is packed.
KAI_INLINE void convert_element(Types types, const uint8_t* src, uint8_t* dst) {
    if (types.from == kai_dt_f32) {
        store_float(load<float>(src), types.to, dst);
    } else if (types.from == types.to) {
        store(dst, load<uint16_t>(src));
    } else {
        const auto bits = load<uint16_t>(src);
        store_float(types.from == kai_dt_f16 ? kai_cast_f32_f16(bits) : kai_cast_f32_bf16(bits), types.to, dst);
    }
}

struct FloatRows {
    size_t n, k;
    Tile tile;
    const uint8_t* rhs;
    size_t rhs_stride;
    uint8_t* packed;
};

/// Elements [first, end) of place c of a panel. src: the row, NULL: zeros. panel: after its bias.
[[gnu::noinline]] void pack_place(
    Types types, const FloatRows& p, size_t group, const uint8_t* src, size_t c, size_t first, size_t end,
    uint8_t* panel) {
    const size_t size = size_of(types.to);
    for (size_t i = first; i < end; ++i) {
        uint8_t* dst = panel + ((i / group * p.tile.rows + c) * group + i % group) * size;
        if (src != nullptr && i < p.k) {
            convert_element(types, src + i * size_of(types.from), dst);
        } else {
            store(dst, uint16_t{0});
            store(dst + size - 2, uint16_t{0});
        }
    }
}

#if defined(__aarch64__)

/// Four elements as f32.
template <kai_datatype from>
KAI_INLINE float32x4_t load_x4(const uint8_t* src) {
    if constexpr (from == kai_dt_f32) {
        return vreinterpretq_f32_u8(vld1q_u8(src));
    } else if constexpr (from == kai_dt_f16) {
        return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(src)));
    } else {
        return vreinterpretq_f32_u32(vshll_n_u16(vreinterpret_u16_u8(vld1_u8(src)), 16));
    }
}

template <kai_datatype to>
KAI_INLINE uint16x4_t halves_x4(float32x4_t x) {
    if constexpr (to == kai_dt_f16) {
        return vreinterpret_u16_f16(vcvt_f16_f32(x));
    } else {
        return bf16_x4(x);
    }
}

/// The elements of 16 packed bytes.
template <kai_datatype from, kai_datatype to>
KAI_INLINE uint8x16_t convert_x16(const uint8_t* src) {
    if constexpr (from == to) {
        return vld1q_u8(src);
    } else if constexpr (to == kai_dt_f32) {
        return vreinterpretq_u8_f32(load_x4<from>(src));
    } else {
        const uint16x4_t low = halves_x4<to>(load_x4<from>(src));
        const uint16x4_t high = halves_x4<to>(load_x4<from>(src + 4 * size_of(from)));
        return vreinterpretq_u8_u16(vcombine_u16(low, high));
    }
}

/// Whole vectors from element `first` on, before `end`, of places c to c + 3, which all exist. Returns the first one
/// that is left.
template <kai_datatype from, kai_datatype to, size_t group>
size_t pack_four_places(const FloatRows& p, const uint8_t* src, size_t c, size_t first, size_t end, uint8_t* panel) {
    constexpr size_t lanes = 16 / size_of(to), group_bytes = group * size_of(to);
    const size_t stride = p.rhs_stride, group_step = p.tile.rows * group_bytes;
    const FourColumns columns = {{src, src + stride, src + 2 * stride, src + 3 * stride}};
    uint8_t* dst = panel + first / group * group_step + c * group_bytes;
    const auto step = [&](size_t at) __attribute__((always_inline)) {
        uint8x16_t v[4], out[4];
        KAI_UNROLL(4)
        for (size_t i = 0; i < 4; ++i) {
            v[i] = convert_x16<from, to>(columns.at[i] + at * size_of(from));
        }
        interleave<group_bytes>(v, out);
        dst = store_groups<group_bytes>(out, opaque(dst), group_step);
    };
    if constexpr (from == to) {
        for (; first + 2 * lanes <= end; first += 2 * lanes) {
            step(first);
            step(first + lanes);
        }
    }
    for (; first + lanes <= end; first += lanes) {
        step(first);
    }
    return first;
}

#endif

using PackPlaces = size_t(const FloatRows&, const uint8_t* src, size_t c, size_t first, size_t end, uint8_t* panel);

/// The loops for groups of 1, 2 and 4; NULL: element by element.
struct Conversion {
    Types types;
    PackPlaces *by_1 = nullptr, *by_2 = nullptr, *by_4 = nullptr;
};
template <kai_datatype from, kai_datatype to>
constexpr Conversion conversion() {
    Conversion c = {{from, to}};
#if defined(__aarch64__)
    constexpr bool copies_halves = from == to && to != kai_dt_f32;  // the same code for both types
    constexpr kai_datatype src = copies_halves ? kai_dt_f16 : from, dst = copies_halves ? kai_dt_f16 : to;
    c.by_1 = pack_four_places<src, dst, 1>;
    if constexpr (to != kai_dt_f32) {
        c.by_2 = pack_four_places<src, dst, 2>;
        c.by_4 = pack_four_places<src, dst, 4>;
    }
#endif
    return c;
}

/// 128 elements of all columns of a panel at a time: partly written lines stay in the first-level cache.
void pack_float_rows(const Conversion& conversion, const Format& format, const FloatRows& p) {
    constexpr size_t chunk = 128;  // a multiple of all groups
    const Types types = conversion.types;
    const size_t group = format.group_size(p.tile), stored = format.padded(p.tile, p.k), rows = p.tile.rows;
    PackPlaces* pack = group == 1   ? conversion.by_1
                       : group == 2 ? conversion.by_2
                       : group == 4 ? conversion.by_4
                                    : nullptr;
    uint8_t* panel = p.packed;
    for (size_t column = 0; column < p.n; column += rows, panel += format.stride(p.tile, p.k)) {
        const size_t exist = p.n - column < rows ? p.n - column : rows;
        const uint8_t* rhs = p.rhs + column * p.rhs_stride;
        uint8_t* elements = panel + rows * format.panel_head;
        for (size_t i = 0; i < rows * format.panel_head; ++i) {
            panel[i] = 0;
        }
        for (size_t first = 0; first < stored; first += chunk) {
            const size_t end = stored - first < chunk ? stored : first + chunk, known = end < p.k ? end : p.k;
            size_t c = 0;
            for (; pack != nullptr && c + 4 <= exist; c += 4) {
                const size_t left = pack(p, rhs + c * p.rhs_stride, c, first, known, elements);
                for (size_t i = c; left < end && i < c + 4; ++i) {
                    pack_place(types, p, group, rhs + i * p.rhs_stride, i, left, end, elements);
                }
            }
            for (; c < rows; ++c) {
                pack_place(types, p, group, c < exist ? rhs + c * p.rhs_stride : nullptr, c, first, end, elements);
            }
        }
    }
}

template <kai_datatype from, kai_datatype to>
inline constexpr Conversion kConversion = conversion<from, to>();

[[gnu::noinline]] void check_and_pack(
    const kai_rhs_rules& rules, const Conversion& conversion, const Format& format, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    pack_float_rows(conversion, format, {c.n, c.k, {c.nr, c.kr, c.sr}, bytes(c.rhs), c.rhs_stride, bytes(c.packed)});
}

}  // namespace
}  // namespace kai

#define KAI_DEFINE_GGUF(FORMAT, TO, FROM)                                                                             \
    KAI_RHS_RULES(rhs_pack_nxk_##FORMAT##_gg##FROM, float_rows_rules, kai::FORMAT, kai_dt_##FROM)                     \
    KAI_DEFINE_RHS_PACK_GETTERS_CX(rhs_pack_nxk_##FORMAT##_gg##FROM, n_idx* rhs_stride)                               \
    KAI_RUN_RHS_PACK_NXK_GGUF(rhs_pack_nxk_##FORMAT##_gg##FROM) {                                                     \
        kai::check_and_pack(                                                                                          \
            kai_rules_rhs_pack_nxk_##FORMAT##_gg##FROM, kai::kConversion<kai_dt_##FROM, kai_dt_##TO>, kai::FORMAT,    \
            {num_groups, n, k, nr, kr, sr, 0, rhs, rhs_stride, nullptr, nullptr, nullptr, 0, rhs_packed, extra_bytes, \
             params});                                                                                                \
    }

extern "C" {

KAI_DEFINE_GGUF(f32pbiasf32, f32, f32)
KAI_DEFINE_GGUF(f32pbiasf32, f32, f16)
KAI_DEFINE_GGUF(f32pbiasf32, f32, bf16)
KAI_DEFINE_GGUF(f16pbiasf16, f16, f32)
KAI_DEFINE_GGUF(f16pbiasf16, f16, f16)
KAI_DEFINE_GGUF(f16pbiasf16, f16, bf16)
KAI_DEFINE_GGUF(bf16pbiasf32, bf16, f32)
KAI_DEFINE_GGUF(bf16pbiasf32, bf16, f16)
KAI_DEFINE_GGUF(bf16pbiasf32, bf16, bf16)

}  // extern "C"
