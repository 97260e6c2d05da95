// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_rhs_rules.hpp"

#include "kai/engines/core/check.hpp"

namespace kai {
namespace {

/// What all parameter structs start with; those without scale_dt end before it.
struct Params {
    int8_t lhs_zero_point;
    uint8_t rhs_zero_point;
};
struct ParamsScaleDt {
    Params zero_points;
    enum kai_datatype scale_dt;
};

KAI_INLINE kai_violation group_violation(const kai_rhs_rules& rules, size_t kr, size_t sr) {
    if (rules.group_max == 0) {
        return {};
    }
    const size_t group = kr / sr;
    const size_t min = rules.group_min, max = rules.group_max;
    const bool inside = group >= min && group <= max && (group & (group - 1)) == 0;
    KAI_VIOLATION_IF(min == max && group != max, "kr / sr = %zu, not %zu", {group, max, 0});
    KAI_VIOLATION_IF(!inside, "kr / sr = %zu is no power of two from %zu to %zu", {group, min, max});
#if KLEIDIAI_ASSERTIONS
    KAI_VIOLATION_IF(
        rules.group != 0 && group != rules.group, "kr / sr = %zu; this packer is for %zu", {group, rules.group, 0});
#endif
    return {};
}

/// One nr, kr and sr; there is no other rule for the shape.
bool is_fixed(const kai_rhs_rules& rules) {
    return rules.nr != 0 && rules.kr != 0;
}

/// A size that is no multiple of what a rule says, if it says anything.
#define KAI_VIOLATION_IF_NO_MULTIPLE(NAME, SIZE, OF) \
    KAI_VIOLATION_IF((OF) != 0 && (SIZE) % (OF) != 0, NAME " = %zu is not a multiple of %zu", {SIZE, OF, 0})

/// Further rules of `run` for nr, kr and sr.
KAI_INLINE kai_violation tile_violation(const kai_rhs_rules& rules, size_t nr, size_t kr, size_t sr) {
    KAI_VIOLATION_IF(rules.nr != 0 && nr != rules.nr, "nr = %zu, not %zu", {nr, rules.nr, 0});
    if (is_fixed(rules)) {
        KAI_VIOLATION_IF(kr != rules.kr, "kr = %zu, not %zu", {kr, rules.kr, 0});
        KAI_VIOLATION_IF(sr != rules.sr, "sr = %zu, not %zu", {sr, rules.sr, 0});
        return {};
    }
    KAI_VIOLATION_IF_NO_MULTIPLE("nr", nr, rules.nr_multiple);
    KAI_VIOLATION_IF(rules.sr != 0 && sr != rules.sr, "sr = %zu, not %zu", {sr, rules.sr, 0});
    KAI_VIOLATION_IF(rules.kr != 0 && kr != rules.kr, "kr = %zu, not %zu", {kr, rules.kr, 0});
    KAI_VIOLATION_IF_NO_MULTIPLE("kr", kr, rules.kr_multiple);
    KAI_VIOLATION_IF(rules.kr_max != 0 && kr > rules.kr_max, "kr = %zu is more than %zu", {kr, rules.kr_max, 0});
    return group_violation(rules, kr, sr);
}

KAI_INLINE kai_violation blocks_violation(const kai_rhs_rules& rules, size_t k, size_t kr, size_t bl) {
    KAI_VIOLATION_IF(bl == 0, "bl must not be 0", {});
    KAI_VIOLATION_IF(bl % 32 != 0, "bl = %zu is not a multiple of 32", {bl, 0, 0});
    KAI_VIOLATION_IF(bl % kr != 0, "bl = %zu is not a multiple of kr = %zu", {bl, kr, 0});
    KAI_VIOLATION_IF(rules.bl_max != 0 && bl > rules.bl_max, "bl = %zu is more than %zu", {bl, rules.bl_max, 0});
    KAI_VIOLATION_IF(k % bl != 0, "k = %zu is not a multiple of bl = %zu", {k, bl, 0});
    return {};
}

size_t padded(const kai_rhs_rules& rules, size_t k) {
    return rules.k_padding == 0 ? k : (k + rules.k_padding - 1) / rules.k_padding * rules.k_padding;
}

KAI_INLINE kai_violation depth_violation(const kai_rhs_rules& rules, size_t k, size_t kr, size_t sr) {
    if (rules.k_padding != 32) {
        return {};
    }
    const size_t stored = padded(rules, k);
    KAI_VIOLATION_IF_NO_MULTIPLE("k", k, rules.k_multiple);
    KAI_VIOLATION_IF(
        rules.k_groups != 0 && stored % (rules.k_groups * (kr / sr)) != 0,
        "k rounded up to %zu is not a multiple of %zu times kr / sr = %zu", {stored, rules.k_groups, kr / sr});
    KAI_VIOLATION_IF(
        rules.k_kr && stored % kr != 0, "k rounded up to %zu is not a multiple of kr = %zu", {stored, kr, 0});
    return {};
}

/// The rules for the shape. `run`: those for getters and those for `run` alone.
KAI_INLINE kai_violation
shape_violation(const kai_rhs_rules& rules, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, bool run) {
    if (run && is_fixed(rules)) {
        return tile_violation(rules, nr, kr, sr);
    }
    KAI_VIOLATION_IF(nr == 0, "nr must not be 0", {});
    KAI_VIOLATION_IF(kr == 0 || sr == 0, "kr = %zu, sr = %zu: neither must be 0", {kr, sr, 0});
    KAI_VIOLATION_IF(sr != 1 && kr % sr != 0, "kr = %zu is not a multiple of sr = %zu", {kr, sr, 0});
    bl = rules.bl != 0 ? rules.bl : bl;
    KAI_VIOLATION_IF_NO_MULTIPLE("k", k, rules.source_weights);
    const kai_violation tile = run ? tile_violation(rules, nr, kr, sr) : kai_violation{};
    if (tile.format != nullptr) {
        return tile;
    }
    return rules.blocks ? blocks_violation(rules, k, kr, bl) : depth_violation(rules, k, kr, sr);
}

KAI_INLINE kai_violation params_violation(const kai_rhs_rules& rules, const void* params) {
    if (rules.params == KAI_RHS_PARAMS_NULL || params == nullptr) {
        KAI_VIOLATION_IF(params != nullptr, "params must be NULL", {});
        KAI_VIOLATION_IF(rules.params != KAI_RHS_PARAMS_NULL, "params must not be NULL", {});
        return {};
    }
    if (rules.params == KAI_RHS_PARAMS_ANY) {
        return {};
    }
    const Params p = load<Params>(params);
    const auto lhs = static_cast<size_t>(p.lhs_zero_point);
    KAI_VIOLATION_IF(p.lhs_zero_point != 1, "params->lhs_zero_point = %zd, not 1", {lhs, 0, 0});
    const size_t rhs = p.rhs_zero_point;
    if (rules.params == KAI_RHS_PARAMS_1_8_OR_0) {
        KAI_VIOLATION_IF(rhs != 8 && rhs != 0, "params->rhs_zero_point = %zu, not 8 or 0", {rhs, 0, 0});
    } else if (rules.params != KAI_RHS_PARAMS_1) {
        KAI_VIOLATION_IF(rhs != 8, "params->rhs_zero_point = %zu, not 8", {rhs, 0, 0});
#if KLEIDIAI_ASSERTIONS
    } else {
        KAI_VIOLATION_IF(rhs != 2, "params->rhs_zero_point = %zu, not 2", {rhs, 0, 0});
#endif
    }
    if (rules.params == KAI_RHS_PARAMS_1_8_BF16) {
        const size_t scale_dt = load<ParamsScaleDt>(params).scale_dt;
        KAI_VIOLATION_IF(scale_dt != kai_dt_bf16, "params->scale_dt = 0x%zx, not kai_dt_bf16", {scale_dt, 0, 0});
    }
    return {};
}

/// n is not 0.
KAI_INLINE kai_violation operands_violation(const kai_rhs_rules& rules, const kai_rhs_call& c) {
    KAI_VIOLATION_IF(!rules.bias && c.bias != nullptr, "bias must be NULL: this format has no place for it", {});
    KAI_VIOLATION_IF(rules.scale && c.scale == nullptr && !(rules.blocks && c.k == 0), "scale must not be NULL", {});
#if KLEIDIAI_ASSERTIONS
    KAI_VIOLATION_IF(!rules.scale && c.scale != nullptr, "scale must be NULL: this format has no place for it", {});
#endif
    KAI_VIOLATION_IF(c.rhs == nullptr && c.k != 0, "rhs must not be NULL", {});
    KAI_VIOLATION_IF(rules.table && c.table == nullptr, "table must not be NULL", {});
    KAI_VIOLATION_IF(c.packed == nullptr && (c.k != 0 || rules.panel_fields != 0), "rhs_packed must not be NULL", {});
    const size_t rows = rules.kxn ? c.k : c.n, row = rules.source_bytes != 0
                                                         ? c.k / rules.source_weights * rules.source_bytes
                                                         : ((rules.kxn ? c.n : c.k) * rules.stride_bits + 7) / 8;
    KAI_VIOLATION_IF(
        rows > 1 && c.rhs_stride < row, "rhs_stride = %zu is less than the %zu bytes of a row", {c.rhs_stride, row, 0});
    if (rules.blocks) {
        KAI_VIOLATION_IF(rules.zero && c.zero == nullptr && c.k != 0, "zero must not be NULL", {});
        const size_t scales = rules.block_scales && c.n > 1 ? c.k / c.bl * sizeof(uint16_t) : 0;
        KAI_VIOLATION_IF(
            c.scale_stride < scales, "scale_stride = %zu is less than the %zu bytes of a column",
            {c.scale_stride, scales, 0});
    }
    return params_violation(rules, c.params);
}

/// In the name of function `prefix` of the packer.
[[noreturn, gnu::cold, gnu::noinline]] void fail(
    const char* prefix, const kai_rhs_rules& rules, const kai_violation& v) {
    char function[sizeof(rules.name) + 32];
    size_t length = 0;
    for (; prefix[length] != 0; ++length) {
        function[length] = prefix[length];
    }
    for (size_t i = 0; rules.name[i] != 0; ++i) {
        function[length++] = rules.name[i];
    }
    function[length] = 0;
    kai_fail(function, v.format, v.numbers[0], v.numbers[1], v.numbers[2]);
}

/// Bytes from one panel to the next, for a getter.
size_t checked_stride(
    const char* getter, const kai_rhs_rules& rules, size_t k, size_t nr, size_t kr, size_t sr, size_t bl,
    enum kai_datatype scale_dt) {
    kai_violation violation = shape_violation(rules, k, nr, kr, sr, bl, false);
    if (scale_dt != kai_dt_bf16) {
        violation = {"scale_dt = 0x%zx, not kai_dt_bf16", {static_cast<size_t>(scale_dt), 0, 0}};
    }
    if (violation.format != nullptr) {
        fail(getter, rules, violation);
    }
    const size_t group = kr / sr, whole_groups = (k + group - 1) / group * group;
    const size_t depth = rules.blocks ? k : rules.pads_groups ? whole_groups : padded(rules, k);
    const size_t blocks = rules.blocks ? k / (rules.bl != 0 ? rules.bl : bl) : 0;
    return nr * (rules.panel_fields + blocks * rules.block_fields + depth * rules.bits / 8);
}

}  // namespace
}  // namespace kai

using kai::checked_stride;
using kai::fail;

extern "C" {

kai_violation kai_rhs_call_violation(const kai_rhs_rules* rules, const kai_rhs_call* call) {
    const kai_rhs_call& c = *call;
    KAI_VIOLATION_IF(c.num_groups != 1, "num_groups = %zu, not 1", {c.num_groups, 0, 0});
    KAI_VIOLATION_IF(c.extra_bytes != 0, "extra_bytes = %zu, not 0", {c.extra_bytes, 0, 0});
    const kai_violation shape = kai::shape_violation(*rules, c.k, c.nr, c.kr, c.sr, c.bl, true);
    return shape.format != nullptr || c.n == 0 ? shape : kai::operands_violation(*rules, c);
}

void kai_check_rhs_call(const kai_rhs_rules* rules, const kai_rhs_call* call) {
    const kai_violation violation = kai_rhs_call_violation(rules, call);
    if (__builtin_expect(violation.format != nullptr, 0)) {
        fail("kai_run_", *rules, violation);
    }
}

size_t kai_rhs_packed_stride(
    size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt, const kai_rhs_rules* rules) {
    return checked_stride("kai_get_rhs_packed_stride_", *rules, k, nr, kr, sr, bl, scale_dt);
}

size_t kai_rhs_packed_offset(
    size_t n_idx, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt,
    const kai_rhs_rules* rules) {
    const size_t stride = checked_stride("kai_get_rhs_packed_offset_", *rules, k, nr, kr, sr, bl, scale_dt);
    return n_idx / nr * stride;
}

size_t kai_rhs_packed_size(
    size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt,
    const kai_rhs_rules* rules) {
    const size_t stride = checked_stride("kai_get_rhs_packed_size_", *rules, k, nr, kr, sr, bl, scale_dt);
    return (n + nr - 1) / nr * stride;
}

size_t kai_rhs_nibble_offset(size_t n_idx, const kai_rhs_rules* rules) {
    if (n_idx % 2 != 0) {
        fail("kai_get_rhs_offset_", *rules, {"n_idx = %zu is odd", {n_idx, 0, 0}});
    }
    return n_idx / 2;
}

}  // extern "C"
