// kai_registry_check: the rules for calls. Those of RHS packers that have a table (pack_rhs_rules.hpp) are only
// there; a test compares the others with what the functions themselves reject.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include <initializer_list>

#include "kai/call.hpp"
#include "kai/engines/core/layout.hpp"
#include "kai/registry.hpp"
#include "kai/reserved.hpp"

namespace {

using Call = kai_registry_call;

/// Stands for any pointer that is not NULL. It is not dereferenced.
constexpr char kSomething = 0;

const void* given(bool is_given) {
    return is_given ? &kSomething : nullptr;
}

kai_violation ukernel_violation(const kai_ukernel& u, const Call& c) {
    KAI_VIOLATION_IF(u.rows == KAI_ROWS_ONE && c.m > 1, many_rows, c.m);
    if (kai::has_blocks(u)) {
        KAI_VIOLATION_IF(c.bl == 0, zero, "bl");
        KAI_VIOLATION_IF(c.bl % 32 != 0, not_multiple, "bl", c.bl, 32);
        KAI_VIOLATION_IF(c.k % c.bl != 0, not_multiple_of, "k", c.k, "bl", c.bl);
        const bool one_length = strncmp(u.rhs_format, "qlu4", 4) == 0 ||
                                strcmp(u.rhs_format, kai::qau5c32p.name) == 0 ||
                                strcmp(u.rhs_format, kai::qai4c32ps1s0sf16.name) == 0;
        KAI_VIOLATION_IF(one_length && c.bl != 32, other, "bl", c.bl, 32);
    }
    KAI_VIOLATION_IF(u.k_multiple != 0 && c.k % u.k_multiple != 0, not_multiple, "k", c.k, u.k_multiple);
    for (const kai::Format* f : {&kai::qsi8cxp, &kai::qsi4cxp, &kai::qsi4cxps1s0}) {
        const size_t most = kai::most_depth(*f);
        KAI_VIOLATION_IF(strcmp(u.rhs_format, f->name) == 0 && c.k > most, large_sums, c.k, most);
    }
    return {};
}

/// A size that the catalogue gives.
kai_violation size_violation(const char* name, size_t size, size_t own) {
    KAI_VIOLATION_IF(own != 0 && size != own, other, name, size, own);
    return {};
}

kai_violation sizes_violation(const char* rows_name, const kai_packer_rules& rules, const Call& c) {
    KAI_VIOLATION_IF(rules.rows == SIZE_MAX, no_vectors);
    KAI_RETURN_VIOLATION(size_violation(rows_name, c.rows, rules.rows));
    KAI_RETURN_VIOLATION(size_violation("kr", c.kr, rules.kr));
    return size_violation("sr", c.sr, rules.sr);
}

/// Rules of bl, and of the packer's groups in a block.
kai_violation lhs_blocks_violation(const kai_packer& p, const kai_packer_rules& rules, const Call& c) {
    if (strcmp(p.format, "f16p") == 0) {  // only the kernel has blocks
        KAI_VIOLATION_IF(c.k % 16 != 0, not_multiple, "k", c.k, 16);
        return {};
    }
    KAI_VIOLATION_IF(c.kr == 0, zero, "kr");
    KAI_VIOLATION_IF(!rules.group_is_kr && c.sr == 0, zero, "sr");
    KAI_VIOLATION_IF(!rules.group_is_kr && c.kr % c.sr != 0, not_multiple_of, "kr", c.kr, "sr", c.sr);
    const bool any_blocks = strcmp(p.name, "lhs_quant_pack_qsi8d32p_f32") == 0;
    const size_t group = rules.group_is_kr ? c.kr : c.kr / c.sr;
    KAI_VIOLATION_IF(c.bl == 0, zero, "bl");
    KAI_VIOLATION_IF(!any_blocks && c.bl % 32 != 0, not_multiple, "bl", c.bl, 32);
    KAI_VIOLATION_IF(c.bl % group != 0, not_multiple_of, "bl", c.bl, rules.group_is_kr ? "kr" : "kr / sr", group);
    KAI_VIOLATION_IF(c.k % c.bl != 0, not_multiple_of, "k", c.k, "bl", c.bl);
    return {};
}

/// For packers that take the rows of a panel in their config (`name`), or no other size of a tile.
kai_violation rows_violation(const kai_packer& p, const Call& c, const char* name) {
    KAI_VIOLATION_IF(c.rows == 0, zero, name);
    KAI_VIOLATION_IF(kai::is_unified(p) && c.rows > 0xFFFF, too_large, name, c.rows, 0xFFFF);
    return {};
}

kai_violation lhs_violation(const kai_packer& p, const kai_packer_rules& rules, const Call& c) {
    if (kai::is_indirect(p) || kai::is_unified(p)) {  // they take any shape, k in whole blocks if they have some
        KAI_VIOLATION_IF(rules.block != 0 && c.k % rules.block != 0, not_multiple, "k", c.k, rules.block);
        return kai::takes_rows(p) && c.m > 0 ? rows_violation(p, c, "config.format.mr") : kai_violation{};
    }
    KAI_VIOLATION_IF(strcmp(p.format, kai::f8e4m3d32p.name) == 0 && c.kr % 4 != 0, not_multiple, "kr", c.kr, 4);
    const bool any_kr = strcmp(p.name, "lhs_pack_f16pmrx2_f32_neon") == 0;  // it looks at sr only
    KAI_RETURN_VIOLATION(any_kr ? size_violation("sr", c.sr, rules.sr) : sizes_violation("mr", rules, c));
    KAI_VIOLATION_IF(c.rows == 0, zero, "mr");
    if (kai::has_blocks(p)) {
        return lhs_blocks_violation(p, rules, c);
    }
    if (p.signature == KAI_LHS_QUANT_PACK) {
        KAI_VIOLATION_IF(c.kr == 0, zero, "kr");
        KAI_VIOLATION_IF(c.sr == 0, zero, "sr");
        KAI_VIOLATION_IF(c.kr % c.sr != 0, not_multiple_of, "kr", c.kr, "sr", c.sr);
        KAI_VIOLATION_IF(rules.block != 0 && c.k % rules.block != 0, not_multiple, "k", c.k, rules.block);
        const size_t stored = rules.block != 0 ? rules.block : kai_roundup(c.k, 32), group = c.kr / c.sr;
        KAI_VIOLATION_IF(stored % group != 0, padded_not_multiple, stored, "kr / sr", group);
        return {};
    }
    const bool any_start = strncmp(p.name, "lhs_pack_bf16p2vlx2_f32", 23) == 0;
    KAI_VIOLATION_IF(!any_start && c.m_idx_start != 0, row_start, c.m_idx_start);
    const bool one_row = strncmp(p.name, "lhs_quant_pack_bf16p1x4", 23) == 0;
    KAI_VIOLATION_IF(one_row && c.m > 1, many_rows, c.m);
    return {};
}

/// The rules of packers whose panels are whole vectors, as a table.
kai_violation vectors_violation(const kai_packer& p, const kai_packer_rules& rules, const Call& c, kai_rhs_call call) {
    const bool unified = kai::is_unified(p), chunks = kai::is_indirect(p);
    if (unified && kai::has_blocks(p)) {
        kai_rhs_rules table = {};
        table.blocks = table.bias = table.scale = true;
        table.block_scale = sizeof(uint16_t);
        table.panel_fields = 1;
        table.stride_bits = rules.source_bits;
        table.kxn = kai::is_kxn(p);
        call.nr = call.kr = call.sr = 1;
        call.params = nullptr;
        return kai_rhs_call_violation(&table, &call);
    }
    if (!unified && !chunks) {  // which have no such parameters
        KAI_RETURN_VIOLATION(sizes_violation("nr", rules, c));
    }
    if ((unified || chunks) && kai::takes_rows(p) && c.n > 0) {
        KAI_RETURN_VIOLATION(rows_violation(p, c, unified ? "config.format.nr" : "nr"));
    }
    call.nr = call.kr = call.sr = 1;
    KAI_VIOLATION_IF(!rules.scale && c.scale && c.n > 0 && !chunks && !unified, no_place, "scale");
    KAI_VIOLATION_IF(!rules.scale && c.params != nullptr && c.n > 0 && !chunks && !unified, no_place, "params");
    kai_rhs_rules table = {};
    table.panel_fields = rules.bias || rules.scale;
    table.stride_bits = rules.source_bits;
    if (kai::is_file(p)) {
        const kai_gguf_type& type = kai::file_type_of(p);
        table.source_weights = static_cast<uint16_t>(type.block_weights);
        table.source_bytes = static_cast<uint16_t>(type.block_bytes);
    }
    table.kxn = kai::is_kxn(p);
    table.bias = rules.bias || unified;  // the unified API ignores what the format has no place for
    table.scale = rules.scale;
    table.params = rules.scale ? KAI_RHS_PARAMS_ANY : KAI_RHS_PARAMS_NULL;
    if (unified || (chunks && !rules.scale)) {
        call.params = given(rules.scale);
        call.scale = rules.scale ? call.scale : nullptr;
    }
    return kai_rhs_call_violation(&table, &call);
}

kai_violation rhs_violation(const kai_packer& p, const kai_packer_rules& rules, const Call& c) {
    if (kai::is_depthwise(p)) {
        return {};
    }
    kai_rhs_call call = {};
    call.num_groups = 1;
    call.n = c.n;
    call.k = c.k;
    call.nr = c.rows;
    call.kr = c.kr;
    call.sr = c.sr;
    call.bl = c.bl;
    call.rhs = &kSomething;
    call.packed = const_cast<char*>(&kSomething);
    call.rhs_stride = c.stride != 0 ? c.stride : SIZE_MAX;
    call.scale_stride = c.scale_stride != 0 ? c.scale_stride : SIZE_MAX;
    call.scale_step = kai::block_scale_size(p);
    call.zero = given(c.zero);
    call.bias = given(c.bias);
    call.scale = given(c.scale && !kai::takes<&kai::PackerArgs::no_bias>(p));  // which have scales in their source
    if (kai::takes_rows_alone(p)) {                                            // which has no such parameters
        call.zero = call.bias = call.scale = nullptr;
    }
    call.table = &kSomething;
    call.params = c.params;
    return rules.table != nullptr ? kai_rhs_call_violation(rules.table, &call) : vectors_violation(p, rules, c, call);
}

}  // namespace

extern "C" bool kai_registry_check(const kai_registry_call* call, char* reason, size_t reason_size) {
    kai_violation violation = kai::violation(kai::say::no_function);
    if (kai::bits_of(call->reserved) != 0) {
        violation = kai::violation(kai::say::reserved, "call");
    } else if (call->ukernel != nullptr && call->packer == nullptr) {
        violation = ukernel_violation(*call->ukernel, *call);
    } else if (call->ukernel == nullptr && call->packer != nullptr) {
        kai_packer_rules rules = {};
        call->packer->get_rules(&rules);
        violation = (kai::is_lhs(*call->packer) ? lhs_violation : rhs_violation)(*call->packer, rules, *call);
    }
    if (violation.format != nullptr && reason != nullptr) {
        kai::write(reason, reason_size, violation);
    }
    return violation.format == nullptr;
}
