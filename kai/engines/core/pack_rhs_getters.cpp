// The getters of RHS packers that take nr, kr and sr.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/check.hpp"
#include "kai/engines/core/pack_rhs_rules.hpp"

namespace kai {
namespace {

/// What a getter is asked for.
struct Shape {
    size_t k, nr, kr, sr, bl;
    enum kai_datatype scale_dt;

    KAI_INLINE size_t block(const kai_rhs_rules& rules) const {
        return rules.bl != 0 ? rules.bl : bl;
    }
};

/// What getters reject in builds with assertions: numbers that affect the result and that every call of `run` would
/// reject.
[[maybe_unused]] kai_violation getter_violation(const kai_rhs_rules& rules, const Shape& s) {
    KAI_VIOLATION_IF(s.nr == 0, zero, "nr");
    KAI_VIOLATION_IF(rules.pads_groups && s.kr == 0, zero, "kr");
    KAI_VIOLATION_IF(s.scale_dt != kai_dt_bf16, not_bf16, "scale_dt", s.scale_dt);
    KAI_VIOLATION_IF_NO_MULTIPLE("k", s.k, rules.source_weights);
    KAI_VIOLATION_IF_NO_MULTIPLE("k", s.k, rules.k_multiple);
    return rules.blocks ? blocks_violation(rules, s.k, s.block(rules)) : kai_violation{};
}

/// Bytes from one panel to the next, for a getter.
size_t packed_stride([[maybe_unused]] const char* getter, const kai_rhs_rules& rules, const Shape& s) {
#if KLEIDIAI_ASSERTIONS
    KAI_REFUSE(getter, rules.name, getter_violation(rules, s));
#endif
    if (rules.blocks) {
        // Of formats with a zero, blocks consist of whole 32 elements. (There are no others; getters take any bl.)
        const size_t bl = s.block(rules), elements = rules.zero ? bl / 32 * 32 : bl;
        const size_t blocks = Format::blocks_of(s.k, bl);
        return s.nr * (rules.panel_fields + blocks * (rules.block_fields + elements * rules.bits / 8));
    }
    const size_t group = s.sr == 0 ? 0 : s.kr / s.sr;
    const size_t depth = !rules.pads_groups ? padded(rules, s.k) : group == 0 ? s.k : kai_roundup(s.k, group);
    return s.nr * (rules.panel_fields + depth * rules.bits / 8);
}

}  // namespace
}  // namespace kai

using kai::packed_stride;

extern "C" {

size_t kai_rhs_packed_stride(
    size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt, const kai_rhs_rules* rules) {
    return packed_stride("kai_get_rhs_packed_stride_", *rules, {k, nr, kr, sr, bl, scale_dt});
}

size_t kai_rhs_packed_offset(
    size_t n_idx, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt,
    const kai_rhs_rules* rules) {
    const size_t stride = packed_stride("kai_get_rhs_packed_offset_", *rules, {k, nr, kr, sr, bl, scale_dt});
    return kai::Format::panels_before({nr, kr, sr}, n_idx) * stride;
}

size_t kai_rhs_packed_size(
    size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt,
    const kai_rhs_rules* rules) {
    const size_t stride = packed_stride("kai_get_rhs_packed_size_", *rules, {k, nr, kr, sr, bl, scale_dt});
    return kai::Format::panels_of({nr, kr, sr}, n) * stride;
}

size_t kai_rhs_nibble_offset(size_t n_idx, [[maybe_unused]] const kai_rhs_rules* rules) {
#if KLEIDIAI_ASSERTIONS
    if (n_idx % 2 != 0) {
        KAI_REFUSE("kai_get_rhs_offset_", rules->name, kai::violation(kai::say::odd, "n_idx", n_idx));
    }
#endif
    return n_idx / 2;
}

}  // extern "C"
