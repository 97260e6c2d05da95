// RHS packers of int4 and int8 with blocks.
//
//     format                from                                     packed element, scale
//     qsi4c32p              records                                  nibble XOR 8
//     qsi4c32ps1s0scalef16  records                                  nibble
//     qsi4c32ps4s0sf16      records                                  nibble XOR 8, scale / 16
//     qsi8c32p, qsi8c32pscalef16  records                            byte
//     qai4c32p              nibbles, arrays of zeros and scales      nibble XOR 8, scale / 16
//     qai4c32ps1s0nrx4      nibbles, arrays of zeros and scales      nibble
//     qsi4c32pbf16, qsi4c32ps1s0  nibbles, an array of bf16 scales   nibble XOR 8
//     qsi4c32ps4s0sbf16     nibbles, an array of bf16 scales         nibble XOR 8, scale / 16
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/pack/pack_rhs_s4s0.hpp"
#include "kai/engines/pack/pack_neon_rhs_strips.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

inline constexpr BlocksKind kQsi4 = {qsi4c32p, Order::halves, 8};
inline constexpr BlocksKind kQsi4Scalef16 = {qsi4c32ps1s0scalef16, Order::halves, 0, true};
inline constexpr BlocksKind kQsi4Sf16 = {qsi4c32ps4s0sf16, Order::halves, 8, true, true};
inline constexpr BlocksKind kQsi8 = {qsi8c32p, Order::bytes, 0};
inline constexpr BlocksKind kQsi8Scalef16 = {qsi8c32pscalef16, Order::bytes, 0, true};
inline constexpr BlocksKind kQai4 = {qai4c32p, Order::even_high, 8, false, true};
inline constexpr BlocksKind kQai4Nrx4S0s1 = {qai4c32ps1s0nrx4, Order::even_high, 0, false, false, true};
inline constexpr BlocksKind kQai4Nrx4S1s0 = {qai4c32ps1s0nrx4, Order::even_low, 0, false, false, true};

constexpr BlocksKind with_sums(const Format& format, bool kxn, bool packed_groups, bool zeros = false) {
    return {format, Order::even_low, 8, zeros, false, false, kxn, packed_groups};
}
inline constexpr BlocksKind kSums = with_sums(qsi4c32pbf16, false, true);
inline constexpr BlocksKind kSumsOf32 = with_sums(qsi4c32pbf16, false, false);
inline constexpr BlocksKind kSumsOf32S1s0 = with_sums(qsi4c32ps1s0, false, false);
inline constexpr BlocksKind kSumsKxn = with_sums(qsi4c32pbf16, true, true);
inline constexpr BlocksKind kSumsKxnS1s0 = with_sums(qsi4c32ps1s0, true, true, true);
inline constexpr BlocksKind kSumsS4s0 = {qsi4c32ps4s0sbf16, Order::even_low, 8, false, true};
inline constexpr BlocksKind kSumsKxnS4s0 = {
    qsi4c32ps4s0sbf16, Order::even_low, 8, false, true, false, true, false, true};

constexpr kai_rhs_rules blocks_rules(const char* name, const BlocksKind& kind) {
    kai_rhs_rules rules = rhs_rules(name, kind.format, true);
    rules.bias = rules.scale = kind.fields() != Fields::scale_in_record;
    rules.zero = kind.fields() == Fields::zero_and_scale;
    rules.params = KAI_RHS_PARAMS_1_8;
    if (kind.fields() == Fields::scale_and_sum) {
        rules.block_scales = true;
        rules.stride_bits = 4;
        rules.kxn = kind.kxn;
        rules.params = KAI_RHS_PARAMS_1_8_BF16;
    }
    return rules;
}

/// For NEON and SVE.
constexpr kai_rhs_rules up_to_8_rules(const char* name, const BlocksKind& kind) {
    kai_rhs_rules rules = blocks_rules(name, kind);
    rules.sr = 2;
    rules.kr_multiple = 2;
    rules.kr_max = 16;
    return rules;
}

/// For kernels with one kr / sr, `group`, or any.
constexpr kai_rhs_rules group_rules(
    const char* name, const BlocksKind& kind, uint8_t min, uint8_t max, uint8_t group = 0, uint8_t kr = 0,
    uint16_t bl_max = 0) {
    kai_rhs_rules rules = blocks_rules(name, kind);
    rules.nr_multiple = kind.fields() == Fields::scale_in_record ? 0 : 4;
    set_groups(rules, min, max, group);
    rules.kr = kr;
    rules.bl_max = bl_max;
    return rules;
}

#if defined(__aarch64__)

/// Functions for panels of four columns or more: the walk over panels, and loops for groups of 2, 4 and 8 bytes. All
/// are pointers, so that a program links only those of its packers.
template <class Pack>
struct Loops {
    void (*walk)(const BlocksKind&, const kai_rhs_call&, Pack*) = nullptr;
    Pack *by_2 = nullptr, *by_4 = nullptr, *by_8 = nullptr;

    /// Whether there is a loop for the group.
    KAI_INLINE bool pack(const BlocksKind& kind, const kai_rhs_call& c, size_t group) const {
        Pack* loop = group == 2 ? by_2 : group == 4 ? by_4 : group == 8 ? by_8 : nullptr;
        if (loop != nullptr) {
            walk(kind, c, loop);
        }
        return loop != nullptr;
    }
};

#endif

struct BlocksPacker {
    const BlocksKind& kind;
#if defined(__aarch64__)
    Loops<PackRun> runs = {};
    Loops<PackStrip> strips = {};
#endif
};

template <const BlocksKind& kind>
constexpr BlocksPacker packer() {
    BlocksPacker packer = {kind};
#if defined(__aarch64__)
    constexpr const BlocksKind& same = kind.format.bits == 8 ? kQsi8 : kind;  // as far as loops can tell
    constexpr bool pairs = kind.format.group == Format::two, fours = kind.format.nibble_distance == 4;
    if constexpr (kind.kxn && pairs) {
        packer.strips = {pack_rhs_blocks_by_strips, pack_strip<kind, 2>};
    } else if constexpr (kind.kxn && fours) {
        packer.strips = {pack_rhs_blocks_by_strips, nullptr, pack_strip<kind, 4>};
    } else if constexpr (kind.kxn) {
        packer.strips = {pack_rhs_blocks_by_strips, nullptr, pack_strip<kind, 4>, pack_strip<kind, 8>};
    } else if constexpr (pairs) {
        packer.runs = {pack_rhs_blocks_by_four<kind.fields()>, pack_run<kind, 2>};
    } else if constexpr (splits_halves(kind) || fours) {
        packer.runs = {pack_rhs_blocks_by_four<kind.fields()>, nullptr, pack_run<same, 4>};
    } else {
        packer.runs = {pack_rhs_blocks_by_four<kind.fields()>, nullptr, pack_run<same, 4>, pack_run<same, 8>};
    }
#endif
    return packer;
}

/// Whether there was a loop for the format and its group.
KAI_INLINE bool pack_by_loops([[maybe_unused]] const BlocksPacker& packer, [[maybe_unused]] const kai_rhs_call& c) {
#if defined(__aarch64__)
    const size_t group = packer.kind.format.group_size({c.nr, c.kr, c.sr});
    return c.nr % 4 == 0 && c.bl % 32 == 0 &&
           (packer.runs.pack(packer.kind, c, group) || packer.strips.pack(packer.kind, c, group));
#else
    return false;
#endif
}

template <const BlocksKind& kind>
inline constexpr BlocksPacker kPacker = packer<kind>();

[[gnu::noinline]] void pack_checked(const BlocksPacker& packer, const kai_rhs_call& c) {
    const BlocksKind& kind = packer.kind;
    if (kind.format.panel_tail != 0) {
        pack_panel_ends(kind, c);
    }
    if (!pack_by_loops(packer, c)) {
        pack_rhs_blocks_scalar(kind, c);
    }
    if (kind.zeros && kind.fields() == Fields::scale_in_record && c.n % c.nr != 0) {
        zero_missing_columns(kind.format, {c.nr, c.kr, c.sr}, c.n, c.k, c.bl, c.packed);
    }
}

void pack_rhs_blocks(const kai_rhs_rules& rules, const BlocksPacker& packer, const kai_rhs_call& c) {
    kai_check_rhs_call(&rules, &c);
    pack_checked(packer, c);
}

}  // namespace
}  // namespace kai

/// The getters of packers of records and of those of arrays.
#define KAI_DEFINE_BLOCK_GETTERS(NAME)                                  \
    size_t kai_get_rhs_offset_##NAME(size_t n_idx, size_t rhs_stride) { \
        return n_idx * rhs_stride;                                      \
    }                                                                   \
    KAI_DEFINE_RHS_PACKED_GETTERS(BL, NAME)

/// Then the rules of the shape.
#define KAI_DEFINE_RECORDS(NAME, KIND, RULES, ...)                                                                    \
    KAI_RHS_RULES(NAME, RULES, kai::KIND, ##__VA_ARGS__)                                                              \
    KAI_DEFINE_BLOCK_GETTERS(NAME)                                                                                    \
    KAI_DEFINE_RHS_PACKED_STRIDE(BL, NAME)                                                                            \
    void kai_run_##NAME(                                                                                              \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,        \
        const float* bias, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qs4cxs1s0_param* params) { \
        kai::pack_rhs_blocks(                                                                                         \
            kai_rules_##NAME, kai::kPacker<kai::KIND>,                                                                \
            {num_groups, n, k, nr, kr, sr, bl, rhs, 0, nullptr, bias, nullptr, 0, rhs_packed, extra_bytes, params});  \
    }

#define KAI_DEFINE_ARRAYS(NAME, KIND, RULES, ...)                                                               \
    KAI_RHS_RULES(NAME, RULES, kai::KIND, ##__VA_ARGS__)                                                        \
    KAI_DEFINE_BLOCK_GETTERS(NAME)                                                                              \
    void kai_run_##NAME(                                                                                        \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,  \
        const void* zero, const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes,            \
        const struct kai_rhs_pack_qs4cxs1s0_param* params) {                                                    \
        kai::pack_rhs_blocks(                                                                                   \
            kai_rules_##NAME, kai::kPacker<kai::KIND>,                                                          \
            {num_groups, n, k, nr, kr, sr, bl, rhs, 0, zero, bias, scale, 0, rhs_packed, extra_bytes, params}); \
    }

/// ORDER: nxk or kxn.
#define KAI_DEFINE_SUMS(NAME, KIND, ORDER, RHS_OFFSET, ...)                                                     \
    KAI_RHS_RULES(NAME, group_rules, kai::KIND, __VA_ARGS__)                                                    \
    KAI_DEFINE_RHS_PACK_GETTERS_BL_BF16(NAME, RHS_OFFSET)                                                       \
    void kai_run_##NAME(                                                                                        \
        size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,  \
        size_t rhs_stride, const float* bias, const void* scale, size_t scale_stride, void* rhs_packed,         \
        size_t extra_bytes, const struct kai_rhs_pack_##ORDER##_qsi4c32p_qsu4c32s1s0_params* params) {          \
        kai::pack_rhs_blocks(                                                                                   \
            kai_rules_##NAME, kai::kPacker<kai::KIND>,                                                          \
            {num_groups, n, k, nr, kr, sr, bl, rhs, rhs_stride, nullptr, bias, scale, scale_stride, rhs_packed, \
             extra_bytes, params});                                                                             \
    }
#define KAI_DEFINE_NXK(NAME, KIND, ...) KAI_DEFINE_SUMS(NAME, KIND, nxk, n_idx* rhs_stride, __VA_ARGS__)
#define KAI_DEFINE_KXN(NAME, KIND, ...) \
    KAI_DEFINE_SUMS(NAME, KIND, kxn, kai_rhs_nibble_offset(n_idx, &kai_rules_##NAME), __VA_ARGS__)

KAI_DEFINE_RECORDS(rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0, kQsi4, up_to_8_rules)
KAI_DEFINE_RECORDS(rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon, kQsi4Scalef16, group_rules, 2, 8, 2, 0, 256)
KAI_DEFINE_RECORDS(rhs_pack_nxk_qsi4c32ps4s0sf16_qsu4c32s16s0_neon, kQsi4Sf16, group_rules, 2, 4, 2, 4, 256)
KAI_DEFINE_RECORDS(rhs_pack_nxk_qsi8c32p_qsi8c32, kQsi8, up_to_8_rules)
KAI_DEFINE_RECORDS(rhs_pack_nxk_qsi8c32pscalef16_qsi8c32, kQsi8Scalef16, group_rules, 2, 4, 2, 4)

KAI_DEFINE_ARRAYS(rhs_pack_nxk_qai4c32p_qau4c32s0s1_f32_f32_f32_neon, kQai4, up_to_8_rules)
KAI_DEFINE_ARRAYS(rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s0s1_f32_f32_f32_neon, kQai4Nrx4S0s1, group_rules, 4, 8, 4)
KAI_DEFINE_ARRAYS(rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s1s0_f32_f32_f32_neon, kQai4Nrx4S1s0, group_rules, 4, 8, 4)

KAI_DEFINE_NXK(rhs_pack_nxk_qsi4c32p_qsu4c32s1s0, kSums, 2, 16)
KAI_DEFINE_NXK(rhs_pack_nxk_qsi4c32pnrx4_qsu4c32s1s0_neon, kSumsOf32, 4, 8, 4)
KAI_DEFINE_NXK(rhs_pack_nxk_qsi4c32pnrx8_qsu4c32s1s0_neon, kSumsOf32, 4, 8, 8)
KAI_DEFINE_NXK(rhs_pack_nxk_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon, kSumsOf32S1s0, 4, 8, 4)
KAI_DEFINE_KXN(rhs_pack_kxn_qsi4c32p_qsu4c32s1s0, kSumsKxn, 1, 16)
KAI_DEFINE_KXN(rhs_pack_kxn_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon, kSumsKxnS1s0, 4, 8, 4)
KAI_DEFINE_NXK(rhs_pack_nxk_qsi4c32ps4s0sbf16_qsu4c32s1s0, kSumsS4s0, 4, 4, 4)
KAI_DEFINE_KXN(rhs_pack_kxn_qsi4c32ps4s0sbf16_qsu4c32s1s0, kSumsKxnS4s0, 4, 4, 4)

void kai_pack_rhs_blocks_s4s0(bool kxn, const kai_rhs_call* call, const char* name) {
    const kai_rhs_rules& rules = kxn ? kai_rules_rhs_pack_kxn_qsi4c32ps4s0sbf16_qsu4c32s1s0
                                     : kai_rules_rhs_pack_nxk_qsi4c32ps4s0sbf16_qsu4c32s1s0;
    KAI_REFUSE("kai_", name, kai_rhs_call_violation(&rules, call));
    kxn ? kai::pack_checked(kai::kPacker<kai::kSumsKxnS4s0>, *call)
        : kai::pack_checked(kai::kPacker<kai::kSumsS4s0>, *call);
}
