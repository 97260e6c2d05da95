// Preconditions of RHS packers. Each rule is stated once, in a table per packer, and checked by `run` in every build.
// Getters compute from what the format uses and ignore the rest: clients ask them with nr = 1 (a panel is as long as nr
// columns), or pass a block length in the place of sr. Only builds with assertions reject a number that matters.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/layout.hpp"
#include "kai/engines/core/sentences.hpp"
#include "kai/engines/core/run_functions.hpp"

/// Rules for `params`.
enum kai_rhs_params : uint8_t {
    KAI_RHS_PARAMS_NULL,
    KAI_RHS_PARAMS_ANY,       ///< required, any value
    KAI_RHS_PARAMS_1,         ///< lhs_zero_point 1; rhs_zero_point is not used
    KAI_RHS_PARAMS_1_8,       ///< lhs_zero_point 1, rhs_zero_point 8
    KAI_RHS_PARAMS_1_8_OR_0,  ///< lhs_zero_point 1, rhs_zero_point 8 or 0
    KAI_RHS_PARAMS_1_8_BF16,  ///< lhs_zero_point 1, rhs_zero_point 8, scale_dt kai_dt_bf16
};

/// The rules of a packer. 0 means no rule.
struct kai_rhs_rules {
    char name[62];  ///< without kai_run_

    // What follows from the format.
    bool blocks;           ///< bl is a multiple of 32, and k of bl
    uint8_t bits;          ///< of a packed element
    uint8_t block_fields;  ///< bytes per column, besides the elements
    uint8_t panel_fields;  ///< bytes per column, besides blocks or elements
    uint8_t k_padding;     ///< k is rounded up to a multiple of this
    bool pads_groups;      ///< or of a group

    // Shape. A group is kr / sr.
    uint8_t nr;                    ///< the only one
    uint8_t nr_multiple;           ///< nr is a multiple of this,
    uint8_t sr;                    ///< the only one
    uint8_t kr;                    ///< the only one
    uint8_t kr_multiple;           ///< kr is a multiple of this,
    uint8_t kr_max;                ///< and at most this
    uint8_t group_min, group_max;  ///< a power of two from the first to the second
    uint8_t group;                 ///< of the kernels that the name is for: others only change the order of elements
    uint16_t bl_max;               ///< bl is at most this
    uint8_t k_multiple;            ///< k is a multiple of this
    uint8_t k_groups;              ///< k, rounded up, is a multiple of this many groups,
    bool k_kr;                     ///< of kr
    uint16_t bl;                   ///< the only one, which a call does not name
    uint16_t source_weights, source_bytes;  ///< rows are whole blocks of the file, this long, rhs_stride apart

    // Operands.
    /// Rows of elements of this many bits are rhs_stride apart: rows of k of all columns (kxn), or columns.
    uint8_t stride_bits;
    bool kxn;
    bool scale, zero, bias;  ///< required, required, optional
    bool table;              ///< required
    uint8_t block_scale;     ///< scales belong to blocks (none if k is 0): bytes of one; columns are scale_stride apart
    kai_rhs_params params;
};

/// The arguments of `run`. Those that a packer does not have are 0 (num_groups: 1).
struct kai_rhs_call {
    size_t num_groups, n, k, nr, kr, sr, bl;
    const void* rhs;
    size_t rhs_stride;
    const void *zero, *bias, *scale;
    size_t scale_stride;
    void* packed;
    size_t extra_bytes;
    const void* params;
    const void* table = nullptr;
    size_t scale_step = sizeof(uint16_t);  ///< of block_scale: from that of a block of a column to the next one
    size_t panel_stride = 0;               ///< from panel to panel; 0: dense
};

extern "C" {

/// All rules.
[[gnu::visibility("hidden")]] kai_violation kai_rhs_call_violation(
    const kai_rhs_rules* rules, const kai_rhs_call* call);

/// All rules. Aborts with the name of the packer where one is violated. For an empty problem nothing is read.
[[gnu::visibility("hidden")]] void kai_check_rhs_call(const kai_rhs_rules* rules, const kai_rhs_call* call);

/// @name The getters of packers that take nr, kr and sr. Without blocks, bl is 0.
/// @{
[[gnu::visibility("hidden")]] size_t kai_rhs_packed_stride(
    size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt, const kai_rhs_rules* rules);
[[gnu::visibility("hidden")]] size_t kai_rhs_packed_offset(
    size_t n_idx, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt,
    const kai_rhs_rules* rules);
[[gnu::visibility("hidden")]] size_t kai_rhs_packed_size(
    size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt,
    const kai_rhs_rules* rules);
/// Offset of column n_idx, an even one, in a row of nibbles.
[[gnu::visibility("hidden")]] size_t kai_rhs_nibble_offset(size_t n_idx, const kai_rhs_rules* rules);
/// @}

}  // extern "C"

namespace kai {
namespace {

/// What the format says.
constexpr kai_rhs_rules rhs_rules(const char* name, const Format& format, bool blocks) {
    kai_rhs_rules rules = {};
    for (size_t i = 0; name[i] != 0; ++i) {
        rules.name[i] = name[i];
    }
    rules.blocks = blocks;
    rules.bits = static_cast<uint8_t>(format.bits);
    rules.block_fields = static_cast<uint8_t>(format.block_head + format.block_tail);
    rules.panel_fields = static_cast<uint8_t>(format.panel_head + format.panel_tail);
    rules.k_padding = static_cast<uint8_t>(format.k_multiple);
    return rules;
}

constexpr void set_groups(kai_rhs_rules& rules, uint8_t min, uint8_t max, uint8_t group = 0) {
    rules.group_min = min;
    rules.group_max = max;
    rules.group = group;
}

/// A size that is no multiple of what a rule says, if it says anything.
#define KAI_VIOLATION_IF_NO_MULTIPLE(NAME, SIZE, OF) \
    KAI_VIOLATION_IF((OF) != 0 && (SIZE) % (OF) != 0, not_multiple, NAME, SIZE, OF)

/// Of `run`, and of getters in builds with assertions.
[[maybe_unused]] KAI_INLINE kai_violation blocks_violation(const kai_rhs_rules& rules, size_t k, size_t bl) {
    KAI_VIOLATION_IF(bl == 0, zero, "bl");
    KAI_VIOLATION_IF(bl % 32 != 0, not_multiple, "bl", bl, 32);
    KAI_VIOLATION_IF(rules.bl_max != 0 && bl > rules.bl_max, too_large, "bl", bl, rules.bl_max);
    KAI_VIOLATION_IF(k % bl != 0, not_multiple_of, "k", k, "bl", bl);
    return {};
}

/// The depth as stored, apart from whole groups.
KAI_INLINE size_t padded(const kai_rhs_rules& rules, size_t k) {
    return rules.k_padding == 0 ? k : (k + rules.k_padding - 1) / rules.k_padding * rules.k_padding;
}

}  // namespace
}  // namespace kai

/// Defines the rules of a packer: a constexpr function of its name.
#define KAI_RHS_RULES(NAME, FUNCTION, ...)                                          \
    extern "C" {                                                                    \
    [[gnu::visibility("hidden")]] extern const kai_rhs_rules kai_rules_##NAME;      \
    constexpr kai_rhs_rules kai_rules_##NAME = kai::FUNCTION(#NAME, ##__VA_ARGS__); \
    }
