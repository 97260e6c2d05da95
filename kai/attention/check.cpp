// What attention refuses.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/attention/attention.hpp"
#include "kai/reserved.hpp"

namespace kai::attention {
namespace {

Violation check_size(const char* name, size_t size, size_t least, size_t most, size_t multiple) {
    if (size < least || size > most) {
        return wrong(KAI_GEMM_BAD_VALUE, say::out_of_range, name, size, least, most);
    }
    return size % multiple == 0 ? Violation{} : wrong(KAI_GEMM_BAD_VALUE, say::not_multiple, name, size, multiple);
}

Violation check_type(const char* name, kai_datatype type) {
    return is_float(type) ? Violation{} : wrong(KAI_GEMM_BAD_VALUE, say::no_enumerator, name, type, "f32, f16 or bf16");
}

Violation check_plan(const Plan* plan) {
    if (plan == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "plan");
    }
    if (plan->status != KAI_GEMM_OK) {
        return wrong(KAI_GEMM_NO_PLAN, say::failed_plan, static_cast<const char*>(plan->reason));
    }
    if (plan->problem.units == 0) {
        return wrong(KAI_GEMM_NO_PLAN, say::zero_attention_plan);
    }
    return {};
}

/// Of this thread: whether vectors are as long as kernels of the plan expect.
Violation check_vectors(const Plan& plan) {
    const size_t sve = plan.sve_bytes != 0 ? kai_cpu_sve_bytes() : 0;
    if (sve != plan.sve_bytes) {
        return wrong(KAI_GEMM_VECTORS_CHANGED, say::other_vectors, "SVE", 8 * sve, 8 * plan.sve_bytes);
    }
    const size_t sme = plan.sme_bytes != 0 ? kai_cpu_sme_bytes() : 0;
    if (sme != plan.sme_bytes) {
        return wrong(KAI_GEMM_VECTORS_CHANGED, say::other_vectors, "SME", 8 * sme, 8 * plan.sme_bytes);
    }
    return {};
}

/// Whether a stride, if it is given, holds a row.
Violation check_stride(const char* name, size_t stride, size_t row) {
    return stride == 0 || stride >= row ? Violation{}
                                        : wrong(KAI_GEMM_BAD_STRIDE, say::short_stride, name, stride, row, "row");
}

Violation check_pages(const void* const* pages, size_t first, size_t last) {
    if (pages == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "pages");
    }
    for (size_t i = first; i < last; ++i) {
        if (pages[i] == nullptr) {
            return wrong(KAI_GEMM_NULL_POINTER, say::absent_entry, i, "pages");
        }
        const size_t past = reinterpret_cast<uintptr_t>(pages[i]) % kAlignment;
        if (past != 0) {
            return wrong(KAI_GEMM_MISALIGNED, say::unaligned, "a page", past, kAlignment);
        }
    }
    return {};
}

#define RETURN_IF_WRONG(check)               \
    if (const Violation violation = check) { \
        return violation;                    \
    }

Violation check_sequence(const Plan& plan, const Sequence& s) {
    const Problem& p = plan.problem;
    if (kai::bits_of(s.reserved) != 0) {
        return wrong(KAI_GEMM_RESERVED, say::reserved, "sequence");
    }
    if (s.length > p.positions) {
        return wrong(KAI_GEMM_TOO_MANY_ROWS, say::long_sequence, "length", s.length, p.positions);
    }
    if (s.tokens == 0) {
        return {};
    }
    if (p.causal && (s.position > s.length || s.tokens > s.length - s.position)) {
        return wrong(KAI_GEMM_BAD_VALUE, say::queries_past_cache, s.position, s.tokens, s.length);
    }
    if (s.q == nullptr || s.out == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, s.q == nullptr ? "q" : "out");
    }
    const size_t q_row = p.key_size * size_of(p.q_type), out_row = p.value_size * size_of(p.out_type);
    RETURN_IF_WRONG(check_stride("q_token", s.q_token, q_row));
    RETURN_IF_WRONG(check_stride("q_head", s.q_head, q_row));
    RETURN_IF_WRONG(check_stride("out_token", s.out_token, out_row));
    RETURN_IF_WRONG(check_stride("out_head", s.out_head, out_row));
    if (s.mask != nullptr && !p.masked) {
        return wrong(KAI_GEMM_BAD_COMBINATION, say::needs, "mask", "problem.masked");
    }
    if (s.mask != nullptr) {
        RETURN_IF_WRONG(check_stride("mask_token", s.mask_token, s.length * size_of(p.mask_type)));
    }
    const Range seen = visible(p, s, 0, s.tokens);
    return seen.first < seen.last ? check_pages(s.pages, seen.first / p.page, divide_up(seen.last, p.page))
                                  : Violation{};
}

}  // namespace

Violation check_problem(const Problem& p) {
    if (p.units == 0 && p.heads == 0) {
        return wrong(KAI_GEMM_BAD_VALUE, say::zero_attention);
    }
    if (kai::bits_of(p.reserved) != 0) {
        return wrong(KAI_GEMM_RESERVED, say::reserved, "problem");
    }
    constexpr size_t kMany = size_t{1} << 20, kMostPositions = size_t{1} << 24;
    RETURN_IF_WRONG(check_size("heads", p.heads, 1, kMany, 1));
    RETURN_IF_WRONG(check_size("kv_heads", p.kv_heads, 1, p.heads, 1));
    if (p.heads % p.kv_heads != 0) {
        return wrong(KAI_GEMM_BAD_VALUE, say::not_multiple_of, "heads", p.heads, "kv_heads", p.kv_heads);
    }
    if (static_cast<unsigned>(p.cache_type) >= KAI_ATTENTION_CACHE_COUNT) {
        return wrong(KAI_GEMM_BAD_VALUE, say::no_enumerator, "cache_type", p.cache_type, "kai_attention_cache");
    }
    const size_t multiple = p.cache_type == KAI_ATTENTION_Q8_0 ? 32 : 8;
    RETURN_IF_WRONG(check_size("key_size", p.key_size, 8, kMostHead, multiple));
    RETURN_IF_WRONG(check_size("value_size", p.value_size, 8, kMostHead, multiple));
    RETURN_IF_WRONG(check_size("page", p.page, 16, 256, 16));
    RETURN_IF_WRONG(check_size("tokens", p.tokens, 1, kMostPositions, 1));
    RETURN_IF_WRONG(check_size("sequences", p.sequences, 1, kMany, 1));
    RETURN_IF_WRONG(check_size("positions", p.positions, 1, kMostPositions, 1));
    RETURN_IF_WRONG(check_size("units", p.units, 1, kMany, 1));
    RETURN_IF_WRONG(check_type("q_type", p.q_type));
    RETURN_IF_WRONG(check_type("out_type", p.out_type));
    if (p.masked && p.mask_type != kai_dt_f32 && p.mask_type != kai_dt_f16) {
        return wrong(KAI_GEMM_BAD_VALUE, say::no_enumerator, "mask_type", p.mask_type, "f32 or f16");
    }
    const float inf = __builtin_inff();
    if (!(p.scale >= 0 && p.scale < inf)) {
        return wrong(KAI_GEMM_BAD_VALUE, say::no_positive, "scale", p.scale);
    }
    if (!(p.soft_cap >= 0 && p.soft_cap < inf)) {
        return wrong(KAI_GEMM_BAD_VALUE, say::no_positive, "soft_cap", p.soft_cap);
    }
    return {};
}

Violation check_append(const Plan* plan, void* const* pages, size_t position, const kai_attention_rows* rows) {
    RETURN_IF_WRONG(check_plan(plan));
    RETURN_IF_WRONG(check_vectors(*plan));
    if (rows == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "rows");
    }
    if (kai::bits_of(rows->reserved) != 0) {
        return wrong(KAI_GEMM_RESERVED, say::reserved, "rows");
    }
    const Problem& p = plan->problem;
    if (position > p.positions || rows->count > p.positions - position) {
        return wrong(KAI_GEMM_TOO_MANY_ROWS, say::long_append, position, rows->count, p.positions);
    }
    if (rows->count == 0) {
        return {};
    }
    RETURN_IF_WRONG(check_type("rows.type", rows->type));
    if (rows->keys == nullptr || rows->values == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, rows->keys == nullptr ? "rows.keys" : "rows.values");
    }
    const size_t key = p.key_size * size_of(rows->type), value = p.value_size * size_of(rows->type);
    RETURN_IF_WRONG(check_stride("key_token", rows->key_token, key));
    RETURN_IF_WRONG(check_stride("key_head", rows->key_head, key));
    RETURN_IF_WRONG(check_stride("value_token", rows->value_token, value));
    RETURN_IF_WRONG(check_stride("value_head", rows->value_head, value));
    return check_pages(pages, position / p.page, divide_up(position + rows->count, p.page));
}

Violation check_run(const Plan* plan, const Operands* operands, const void* workspace, size_t workspace_size) {
    RETURN_IF_WRONG(check_plan(plan));
    RETURN_IF_WRONG(check_vectors(*plan));
    if (operands == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "operands");
    }
    const Operands& x = *operands;
    if (kai::bits_of(x.reserved) != 0) {
        return wrong(KAI_GEMM_RESERVED, say::reserved, "operands");
    }
    const Problem& p = plan->problem;
    if (x.count > p.sequences) {
        return wrong(KAI_GEMM_TOO_MANY_ROWS, say::many_sequences, "sequences", x.count, p.sequences);
    }
    if (x.count == 0) {
        return {};
    }
    if (x.sequences == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "sequences");
    }
    size_t tokens = 0;
    for (size_t i = 0; i < x.count; ++i) {
        const size_t left = p.tokens - tokens, more = x.sequences[i].tokens;
        if (more > left) {
            return wrong(KAI_GEMM_TOO_MANY_ROWS, say::many_sequences, "tokens", tokens + more, p.tokens);
        }
        tokens += more;
        RETURN_IF_WRONG(check_sequence(*plan, x.sequences[i]));
    }
    return gemm::check_workspace(plan->workspace_size, workspace, workspace_size);
}

}  // namespace kai::attention

using namespace kai::attention;

extern "C" {

size_t kai_attention_explain_append(
    const kai_attention_plan* plan, void* const* pages, size_t position, const kai_attention_rows* rows, char* text,
    size_t size) {
    const Violation violation = check_append(plan, pages, position, rows);
    return kai::write(text, size, violation ? violation.what : kai::violation(kai::say::nothing_wrong, "append"));
}

size_t kai_attention_explain_run(
    const kai_attention_plan* plan, const kai_attention_operands* operands, const void* workspace,
    size_t workspace_size, char* text, size_t size) {
    const Violation violation = check_run(plan, operands, workspace, workspace_size);
    return kai::write(text, size, violation ? violation.what : kai::violation(kai::say::nothing_wrong, "run"));
}

}  // extern "C"
