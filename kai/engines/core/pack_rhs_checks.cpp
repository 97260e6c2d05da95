// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_rhs_checks.hpp"

namespace kai {
namespace {

struct Source {
    const void* rhs;
    size_t stride;
    const char* stride_name;
};

void check_source(
    const char* function, kai_rhs_vectors_packer packer, size_t n, size_t k, const Source& source, const void* packed) {
    KAI_REQUIRE_ALWAYS(function, k == 0 || source.rhs != nullptr, null, "rhs");
    KAI_REQUIRE_ALWAYS(function, (k == 0 && !packer.bias && !packer.scale) || packed != nullptr, null, "rhs_packed");
    const size_t rows = packer.kxn ? k : n, row = ((packer.kxn ? n : k) * packer.bits + 7) / 8;
    KAI_REQUIRE_ALWAYS(
        function, rows < 2 || source.stride >= row, short_stride, source.stride_name, source.stride, row, "row");
}

void check_none(const char* function, const char* name, const void* operand) {
    KAI_REQUIRE_ALWAYS(function, operand == nullptr, no_place, name);
}

void check_given(const char* function, const char* name, const void* operand) {
    KAI_REQUIRE_ALWAYS(function, operand != nullptr, null, name);
}

}  // namespace
}  // namespace kai

void kai_check_rhs_vectors(const char* function, const kai_rhs_vectors_call* call) {
    const auto& c = *call;
    KAI_REQUIRE_ALWAYS(function, c.num_groups == 1, other, "num_groups", c.num_groups, 1);
    KAI_REQUIRE_ALWAYS(function, c.nr == c.own_nr, other, "nr", c.nr, c.own_nr);
    KAI_REQUIRE_ALWAYS(function, c.kr == c.own_kr, other, "kr", c.kr, c.own_kr);
    KAI_REQUIRE_ALWAYS(function, c.sr == 1, other, "sr", c.sr, 1);
    KAI_REQUIRE_ALWAYS(function, c.extra_bytes == 0, other, "extra_bytes", c.extra_bytes, 0);
    if (c.n == 0) {
        return;
    }
    const auto check = c.packer.scale ? kai::check_given : kai::check_none;
    check(function, "scale", c.scale);
    check(function, "params", c.params);
    kai::check_source(function, c.packer, c.n, c.k, {c.rhs, c.stride, "rhs_stride"}, c.packed);
}

void kai_check_rhs_unified(
    const char* function, kai_rhs_vectors_packer packer, const kai_matmul_pack_rhs_uker_args* args, size_t own_nr,
    size_t panel_stride) {
    const auto& [n, k] = args->shape;
    const auto& [rhs, packed, bias, sum_scale, scale, multiplier, block_scale] = args->operand;
    (void)bias, (void)block_scale;  // of this API members that a packer has no use for are ignored
    KAI_REQUIRE_ALWAYS(function, args->flags == 0, unknown_flags, static_cast<unsigned long long>(args->flags));
    if (n == 0) {
        return;
    }
    if (packer.scale) {
        kai::check_given(function, "scale_n", scale.ptr);
        kai::check_given(function, "scale_global", multiplier.ptr);
        kai::check_given(function, "k_sum_scale_global", sum_scale.ptr);
    }
    kai::check_source(
        function, packer, n, k,
        {rhs.ptr, packer.kxn ? rhs.stride.k : rhs.stride.n, packer.kxn ? "rhs.stride.k" : "rhs.stride.n"}, packed.ptr);
    KAI_REQUIRE_ALWAYS(
        function, n <= own_nr || packed.stride.n >= panel_stride, short_stride, "rhs_packed.stride.n", packed.stride.n,
        panel_stride, "panel");
}
