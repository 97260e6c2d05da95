// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_rhs_rules.hpp"

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
    KAI_VIOLATION_IF(min == max && group != max, other, "kr / sr", group, max);
    KAI_VIOLATION_IF(!inside, no_power, "kr / sr", group, min, max);
#if KLEIDIAI_ASSERTIONS
    KAI_VIOLATION_IF(rules.group != 0 && group != rules.group, other, "kr / sr", group, rules.group);
#endif
    return {};
}

/// One nr, kr and sr; there is no other rule for the shape.
bool is_fixed(const kai_rhs_rules& rules) {
    return rules.nr != 0 && rules.kr != 0;
}

/// Further rules of `run` for nr, kr and sr.
KAI_INLINE kai_violation tile_violation(const kai_rhs_rules& rules, size_t nr, size_t kr, size_t sr) {
    KAI_VIOLATION_IF(rules.nr != 0 && nr != rules.nr, other, "nr", nr, rules.nr);
    if (is_fixed(rules)) {
        KAI_VIOLATION_IF(kr != rules.kr, other, "kr", kr, rules.kr);
        KAI_VIOLATION_IF(sr != rules.sr, other, "sr", sr, rules.sr);
        return {};
    }
    KAI_VIOLATION_IF_NO_MULTIPLE("nr", nr, rules.nr_multiple);
    KAI_VIOLATION_IF(rules.sr != 0 && sr != rules.sr, other, "sr", sr, rules.sr);
    KAI_VIOLATION_IF(rules.kr != 0 && kr != rules.kr, other, "kr", kr, rules.kr);
    KAI_VIOLATION_IF_NO_MULTIPLE("kr", kr, rules.kr_multiple);
    KAI_VIOLATION_IF(rules.kr_max != 0 && kr > rules.kr_max, too_large, "kr", kr, rules.kr_max);
    return group_violation(rules, kr, sr);
}

KAI_INLINE kai_violation depth_violation(const kai_rhs_rules& rules, size_t k, size_t kr, size_t sr) {
    if (rules.k_padding != 32) {
        return {};
    }
    const size_t stored = padded(rules, k);
    KAI_VIOLATION_IF_NO_MULTIPLE("k", k, rules.k_multiple);
    KAI_VIOLATION_IF(
        rules.k_groups != 0 && stored % (rules.k_groups * (kr / sr)) != 0, padded_not_multiple_times, stored,
        rules.k_groups, "kr / sr", kr / sr);
    KAI_VIOLATION_IF(rules.k_kr && stored % kr != 0, padded_not_multiple, stored, "kr", kr);
    return {};
}

/// The rules of `run` for the shape.
KAI_INLINE kai_violation
shape_violation(const kai_rhs_rules& rules, size_t k, size_t nr, size_t kr, size_t sr, size_t bl) {
    if (is_fixed(rules)) {
        return tile_violation(rules, nr, kr, sr);
    }
    KAI_VIOLATION_IF(nr == 0, zero, "nr");
    KAI_VIOLATION_IF(kr == 0, zero, "kr");
    KAI_VIOLATION_IF(sr == 0, zero, "sr");
    KAI_VIOLATION_IF(sr != 1 && kr % sr != 0, not_multiple_of, "kr", kr, "sr", sr);
    bl = rules.bl != 0 ? rules.bl : bl;
    KAI_VIOLATION_IF_NO_MULTIPLE("k", k, rules.source_weights);
    KAI_RETURN_VIOLATION(tile_violation(rules, nr, kr, sr));
    if (!rules.blocks) {
        return depth_violation(rules, k, kr, sr);
    }
    KAI_RETURN_VIOLATION(blocks_violation(rules, k, bl));
    KAI_VIOLATION_IF(bl % kr != 0, not_multiple_of, "bl", bl, "kr", kr);
    return {};
}

KAI_INLINE kai_violation params_violation(const kai_rhs_rules& rules, const void* params) {
    if (rules.params == KAI_RHS_PARAMS_NULL || params == nullptr) {
        KAI_VIOLATION_IF(params != nullptr, no_place, "params");
        KAI_VIOLATION_IF(rules.params != KAI_RHS_PARAMS_NULL, null, "params");
        return {};
    }
    if (rules.params == KAI_RHS_PARAMS_ANY) {
        return {};
    }
    const Params p = load<Params>(params);
    KAI_VIOLATION_IF(p.lhs_zero_point != 1, other_sign, "params->lhs_zero_point", p.lhs_zero_point, 1);
    constexpr const char* kRhs = "params->rhs_zero_point";
    const size_t rhs = p.rhs_zero_point;
    if (rules.params == KAI_RHS_PARAMS_1_8_OR_0) {
        KAI_VIOLATION_IF(rhs != 8 && rhs != 0, other_of_two, kRhs, rhs, 8, 0);
    } else if (rules.params != KAI_RHS_PARAMS_1) {
        KAI_VIOLATION_IF(rhs != 8, other, kRhs, rhs, 8);
#if KLEIDIAI_ASSERTIONS
    } else {
        KAI_VIOLATION_IF(rhs != 2, other, kRhs, rhs, 2);
#endif
    }
    if (rules.params == KAI_RHS_PARAMS_1_8_BF16) {
        const size_t scale_dt = load<ParamsScaleDt>(params).scale_dt;
        KAI_VIOLATION_IF(scale_dt != kai_dt_bf16, not_bf16, "params->scale_dt", scale_dt);
    }
    return {};
}

/// n is not 0.
KAI_INLINE kai_violation operands_violation(const kai_rhs_rules& rules, const kai_rhs_call& c) {
    KAI_VIOLATION_IF(!rules.bias && c.bias != nullptr, no_place, "bias");
    KAI_VIOLATION_IF(rules.scale && c.scale == nullptr && !(rules.blocks && c.k == 0), null, "scale");
#if KLEIDIAI_ASSERTIONS
    KAI_VIOLATION_IF(!rules.scale && c.scale != nullptr, no_place, "scale");
#endif
    KAI_VIOLATION_IF(c.rhs == nullptr && c.k != 0, null, "rhs");
    KAI_VIOLATION_IF(rules.table && c.table == nullptr, null, "table");
    KAI_VIOLATION_IF(c.packed == nullptr && (c.k != 0 || rules.panel_fields != 0), null, "rhs_packed");
    const size_t rows = rules.kxn ? c.k : c.n, row = rules.source_bytes != 0
                                                         ? c.k / rules.source_weights * rules.source_bytes
                                                         : ((rules.kxn ? c.n : c.k) * rules.stride_bits + 7) / 8;
    KAI_VIOLATION_IF(rows > 1 && c.rhs_stride < row, short_stride, "rhs_stride", c.rhs_stride, row, "row");
    if (rules.blocks) {
        KAI_VIOLATION_IF(rules.zero && c.zero == nullptr && c.k != 0, null, "zero");
        const bool dense = c.scale_step == rules.block_scale;  // else columns may lie in between
        const size_t scales = c.n > 1 && dense ? c.k / c.bl * rules.block_scale : 0;
        KAI_VIOLATION_IF(c.scale_stride < scales, short_stride, "scale_stride", c.scale_stride, scales, "column");
    }
    return params_violation(rules, c.params);
}

}  // namespace
}  // namespace kai

extern "C" {

kai_violation kai_rhs_call_violation(const kai_rhs_rules* rules, const kai_rhs_call* call) {
    const kai_rhs_call& c = *call;
    KAI_VIOLATION_IF(c.num_groups != 1, other, "num_groups", c.num_groups, 1);
    KAI_VIOLATION_IF(c.extra_bytes != 0, other, "extra_bytes", c.extra_bytes, 0);
    KAI_RETURN_VIOLATION(kai::shape_violation(*rules, c.k, c.nr, c.kr, c.sr, c.bl));
    return c.n == 0 ? kai_violation{} : kai::operands_violation(*rules, c);
}

void kai_check_rhs_call(const kai_rhs_rules* rules, const kai_rhs_call* call) {
    KAI_REFUSE("kai_run_", rules->name, kai_rhs_call_violation(rules, call));
}

}  // extern "C"
