// Preconditions of LHS packers, checked in builds with assertions: by `run`, and by the getters of sizes and
// offsets as far as their result depends on them. Getters take any mr, since clients ask them with one row.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/check.hpp"
#include "kai/engines/core/layout.hpp"

namespace kai {
namespace {

/// The rules of a packer. 0 means no rule.
struct LhsRules {
    const Format& format;
    size_t mr, kr, sr;  // the only ones; mr: of `run`
    bool blocks;        // bl is a multiple of bl_multiple and of a group, k a multiple of bl
    size_t bl_multiple;
    size_t k_multiple;
};

KAI_INLINE void check_multiple([[maybe_unused]] const char* name, size_t size, size_t of, const char* function) {
    KAI_REQUIRE(function, of == 0 || size % of == 0, not_multiple, name, size, of);
}

/// Blocks, and the depth as it is.
KAI_INLINE void check_lhs_depth(
    [[maybe_unused]] const LhsRules& rules, [[maybe_unused]] size_t k, [[maybe_unused]] size_t bl,
    [[maybe_unused]] const char* function) {
    check_multiple("k", k, rules.k_multiple, function);
    check_multiple("k", k, rules.format.block, function);
    if (rules.blocks) {
        KAI_REQUIRE(function, bl > 0, zero, "bl");
        check_multiple("bl", bl, rules.bl_multiple, function);
        KAI_REQUIRE(function, k % bl == 0, not_multiple_of, "k", k, "bl", bl);
    }
}

/// The rules for getters: rejects numbers that affect the result and that every call of `run` would reject. A size
/// depends on kr and sr only where k is padded to whole groups.
KAI_INLINE void check_lhs_getter(
    [[maybe_unused]] const LhsRules& rules, [[maybe_unused]] Tile t, [[maybe_unused]] const char* function,
    [[maybe_unused]] size_t k, [[maybe_unused]] size_t bl = 0) {
    KAI_REQUIRE(function, t.rows > 0, zero, "mr");
    check_lhs_depth(rules, k, bl, function);
    if (!rules.blocks && rules.format.block == 0 && rules.format.k_multiple == 0 && rules.k_multiple == 0) {
        KAI_REQUIRE(function, rules.kr == 0 || t.kr == rules.kr, other, "kr", t.kr, rules.kr);
        KAI_REQUIRE(function, rules.sr == 0 || t.sr == rules.sr, other, "sr", t.sr, rules.sr);
    }
}

/// The rules for `run`.
KAI_INLINE void check_lhs_call(
    [[maybe_unused]] const LhsRules& rules, [[maybe_unused]] Tile t, [[maybe_unused]] const char* function,
    [[maybe_unused]] size_t k, [[maybe_unused]] size_t bl = 0) {
    KAI_REQUIRE(function, rules.mr == 0 || t.rows == rules.mr, other, "mr", t.rows, rules.mr);
    KAI_REQUIRE(function, rules.kr == 0 || t.kr == rules.kr, other, "kr", t.kr, rules.kr);
    KAI_REQUIRE(function, rules.sr == 0 || t.sr == rules.sr, other, "sr", t.sr, rules.sr);
    KAI_REQUIRE(function, t.rows > 0, zero, "mr");
    KAI_REQUIRE(function, t.kr > 0, zero, "kr");
    [[maybe_unused]] const bool divides = rules.format.group == Format::kr_over_sr;
    KAI_REQUIRE(function, !divides || t.sr > 0, zero, "sr");
    KAI_REQUIRE(function, !divides || t.kr % t.sr == 0, not_multiple_of, "kr", t.kr, "sr", t.sr);
    check_lhs_depth(rules, k, bl, function);
    [[maybe_unused]] const char* const name = divides ? "kr / sr" : "kr";
    if (rules.blocks) {
        KAI_REQUIRE(
            function, bl % rules.format.group_size(t) == 0, not_multiple_of, "bl", bl, name,
            rules.format.group_size(t));
    } else {
        [[maybe_unused]] const size_t block = rules.format.block;
        [[maybe_unused]] const size_t stored = block != 0 ? block : rules.format.padded(t, k);
        KAI_REQUIRE(
            function, stored % rules.format.group_size(t) == 0, padded_not_multiple, stored, name,
            rules.format.group_size(t));
    }
}

constexpr const Format& format_of(const LhsRules& rules) {
    return rules.format;
}

KAI_INLINE void check_no_start(size_t m_idx_start, const char* function = __builtin_FUNCTION()) {
    KAI_REQUIRE(function, m_idx_start == 0, row_start, m_idx_start);
}

}  // namespace
}  // namespace kai
