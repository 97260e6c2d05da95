// Plans of attention: the micro-kernels of the two products, and sizes.
//
// A product has candidates, the best first: a family, or two whose kernels read the same packed operand. Taken is the
// first with a kernel for this CPU whose panels do not waste much of a page.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include <initializer_list>

#include "kai/attention/attention.hpp"
#include "kai/attention/fused.hpp"
#include "kai/gemm/text.hpp"
#include "kai/reserved.hpp"

namespace kai::attention {
namespace {

constexpr uint64_t kSme = uint64_t{1} << KAI_CPU_SME;

/// Rows that a unit takes, and positions that it scores at a time: scores of 64 KB.
constexpr size_t kTileRows = 64, kBlock = 256;
/// Positions of a unit where the cache is divided: 4096 make 8 units of each kv head.
constexpr size_t kPart = 512;

struct Candidate {
    kai_datatype type;        ///< of the operand; int8: blocks
    const char* families[2];  ///< of the kernel for many rows; of the one for one row
    uint64_t with;            ///< CPU features that the first needs
    bool converts;            ///< the cache has rows as they are
};

struct Candidates {
    Candidate of[6];
    size_t count;
};

/// f32 is the last resort of all types: every host has kernels for it.
void add_f32(Candidates& c, bool converts) {
    c.of[c.count++] = {kai_dt_f32, {"matmul_clamp_f32_f32p_f32p", "matmul_clamp_f32_f32_f32p"}, kSme, converts};
    c.of[c.count++] = {kai_dt_f32, {"matmul_clamp_f32_f32_f32kxn", nullptr}, 0, converts};
    c.of[c.count++] = {kai_dt_f32, {"matmul_clamp_f32_f32_f32p", nullptr}, 0, converts};
}

Candidates candidates_of(kai_attention_cache type, bool keys) {
    Candidates c = {};
    switch (type) {
        case KAI_ATTENTION_F16:
            c.of[c.count++] = {kai_dt_f16, {"matmul_clamp_f32_f16p_f16p", "matmul_clamp_f32_f16_f16p"}, kSme, false};
            c.of[c.count++] = {kai_dt_f16, {"matmul_clamp_f32_f16_f16kxn", nullptr}, 0, false};
            add_f32(c, true);
            return c;
        case KAI_ATTENTION_BF16:
            c.of[c.count++] = {kai_dt_bf16, {"matmul_clamp_f32_bf16p_bf16p", "matmul_clamp_f32_bf16_bf16p"}, 0, false};
            add_f32(c, true);
            return c;
        case KAI_ATTENTION_Q8_0:
            if (keys) {
                c.of[c.count++] = {kai_dt_int8, {"matmul_clamp_f32_qsi8d32p_qsi8c32p", nullptr}, 0, false};
            } else {
                add_f32(c, true);
            }
            return c;
        default:
            add_f32(c, false);
            return c;
    }
}

kai_datatype type_of(const char* format) {
    return strcmp(format, "f32") == 0    ? kai_dt_f32
           : strcmp(format, "f16") == 0  ? kai_dt_f16
           : strcmp(format, "bf16") == 0 ? kai_dt_bf16
                                         : kai_dt_unknown;
}

bool packs_lhs(const kai_ukernel& u) {
    return type_of(u.lhs_format) == kai_dt_unknown;
}

/// How rows of `source_type` reach a kernel: packed as they are, if there is such a packer; else from the type of the
/// operand; else from f32. False if they cannot.
bool set_rows(const kai_ukernel* u, kai_datatype source_type, kai_datatype type, Kernel& kernel) {
    kernel = {u, nullptr, kai_dt_unknown};
    if (!packs_lhs(*u)) {
        kernel.row_type = type_of(u->lhs_format);
        return true;
    }
    for (size_t i = 0; const kai_packer* packer = kai_registry_lhs_packer(u, i); ++i) {
        const kai_datatype source = type_of(packer->source_format);
        const auto rank = [&](kai_datatype t) {
            return t == kai_dt_unknown ? 0 : t == source_type ? 3 : t == type ? 2 : t == kai_dt_f32 ? 1 : 0;
        };
        if (rank(source) > rank(kernel.row_type)) {
            kernel.lhs_packer = packer, kernel.row_type = source;
        }
    }
    return kernel.lhs_packer != nullptr;
}

size_t operand_bytes(const Product& product, size_t n, size_t k) {
    return product.type == kai_dt_int8 ? round_up(n, product.format.nr) * row_bytes(KAI_ATTENTION_Q8_0, k)
                                       : panels_of(product, n, k).size();
}

/// `best`, or the first kernel of its family and ISA whose panels n columns fill.
const kai_ukernel* with_full_panels(const kai_ukernel* best, size_t n) {
    if (best == nullptr || best->signature == KAI_UKERNEL_MATMUL_PLAIN || n % best->get_nr() == 0) {
        return best;
    }
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel(i); ++i) {
        if (strcmp(u->family, best->family) == 0 && u->features == best->features && u->rows == best->rows &&
            kai_registry_runnable(u->size_features, nullptr, 0) && n % u->get_nr() == 0) {
            return u;
        }
    }
    return best;
}

/// k x n of a page. Whether there are kernels.
bool set_kernels(
    const Problem& p, const Candidate& c, uint64_t without, kai_datatype row_type, size_t n, size_t k,
    Product& product) {
    product = {};
    if ((c.with & without) != 0 || !kai_registry_runnable(c.with, nullptr, 0)) {
        return false;
    }
    kai_registry_request request = {c.families[0], 2, nullptr, without, p.core, {}};
    const kai_ukernel* gemm = with_full_panels(kai_registry_best(&request, nullptr, nullptr), n);
    if (gemm == nullptr || !set_rows(gemm, row_type, c.type, product.gemm)) {
        return false;
    }
    product.gemv = product.gemm;
    request.m = 1, request.same_rhs_as = gemm;
    for (const char* family : {c.families[0], c.families[1]}) {
        request.family = family;
        const kai_ukernel* gemv = family != nullptr ? kai_registry_best(&request, nullptr, nullptr) : nullptr;
        if (gemv != nullptr && gemv->rows != KAI_ROWS_MANY && set_rows(gemv, row_type, c.type, product.gemv)) {
            break;
        }
        product.gemv = product.gemm;
    }
    product.type = c.type, product.converts = c.converts;
    const bool plain = gemm->signature == KAI_UKERNEL_MATMUL_PLAIN;
    product.format =
        plain ? kai_gemm_format{} : kai_gemm_format{gemm->rhs_format, gemm->get_nr(), gemm->get_kr(), gemm->get_sr()};
    product.operand_bytes = operand_bytes(product, n, k);
    return true;
}

/// `keys`, else values: sets product. `without`: CPU features that are not used. Whether there is one; `small`: whether
/// it has at most a fifth more bytes than the elements.
bool choose_without(uint64_t without, const Problem& p, bool keys, Product& product, bool& small) {
    const size_t n = keys ? p.page : p.value_size, k = keys ? p.key_size : p.page;
    const size_t pure = p.page * row_bytes(p.cache_type, keys ? p.key_size : p.value_size);
    const Candidates candidates = candidates_of(p.cache_type, keys);
    bool found = false;
    for (size_t i = 0; i < candidates.count && !small; ++i) {
        Product made = {};
        if (!set_kernels(p, candidates.of[i], without, keys ? p.q_type : kai_dt_unknown, n, k, made)) {
            continue;
        }
        made.bytes = round_up(made.converts ? pure : made.operand_bytes, kAlignment);
        small = made.bytes <= pure + pure / 5;
        if (small || !found || made.bytes < product.bytes) {
            product = made;
        }
        found = true;
    }
    return found;
}

/// The first that is small; else the smallest that needs no SME, whose panels are the widest.
bool choose(const Problem& p, bool keys, Product& product) {
    bool small = false;
    const bool with_sme = p.sme_units != 0 && choose_without(0, p, keys, product, small);
    return (with_sme && small) || choose_without(kSme, p, keys, product, small) || with_sme;
}

size_t packed_rows_bytes(const Kernel& kernel, size_t m, size_t k, size_t bl) {
    if (kernel.lhs_packer == nullptr) {
        return 0;
    }
    kai_call call = {};
    call.ukernel = kernel.ukernel, call.lhs_packer = kernel.lhs_packer;
    call.m = m, call.k = k, call.bl = bl;
    return kai_call_lhs_packed_size(&call);
}

void set_sizes(Plan& plan) {
    const Problem& p = plan.problem;
    plan.values_offset = plan.scores.bytes;
    plan.head_bytes = plan.scores.bytes + plan.values.bytes;
    plan.page_bytes = p.kv_heads * plan.head_bytes;
    const size_t step = max(plan.scores.gemm.ukernel->get_m_step(), plan.values.gemm.ukernel->get_m_step());
    plan.tile_rows = max(kTileRows / step, 1) * step;
    plan.block = max(kBlock / p.page, 1) * p.page;
    plan.part = max(kPart / plan.block, 1) * plan.block;

    size_t end = 0;
    place(end, p.units * sizeof(uint32_t));  // which slots are taken
    plan.slot_size = slot_of(plan).size;
    plan.slots = place(end, p.units * plan.slot_size);
    // Results of parts: rows of sequences that are divided.
    const size_t most_parts = divide_up(p.positions, plan.part), group = group_of(p);
    const size_t rows = min(p.tokens * group, p.sequences * plan.tile_rows);
    plan.parts_rows = most_parts > 1 ? p.kv_heads * most_parts * rows : 0;
    plan.parts = place(end, plan.parts_rows * (output_row(plan) + 2 * sizeof(float)));
    plan.workspace_size = round_up(end, kAlignment);
}

size_t vector_bytes(const Plan& plan, kai_cpu_feature feature) {
    uint64_t features = 0;
    for (const Product* product : {&plan.scores, &plan.values}) {
        features |= product->gemm.ukernel->size_features | product->gemv.ukernel->size_features;
    }
    return (features >> feature & 1) == 0 ? 0 : feature == KAI_CPU_SME ? kai_cpu_sme_bytes() : kai_cpu_sve_bytes();
}

void explain_product(Text& text, const char* what, const Product& product, size_t pure) {
    text.add("%s: %s\n", what, product.gemm.ukernel->name);
    if (product.gemv.ukernel != product.gemm.ukernel) {
        text.add("    one row: %s\n", product.gemv.ukernel->name);
    }
    if (product.format.name == nullptr) {
        text.add("    read in place");
    } else {
        text.add("    %s, nr %zu, kr %zu", product.format.name, product.format.nr, product.format.kr);
    }
    text.add(
        "%s: %zu bytes of a page and head, %.3f of its elements\n",
        product.converts ? ", made of rows by each run" : "", product.bytes,
        static_cast<double>(product.bytes) / static_cast<double>(pure));
}

}  // namespace

Slot slot_of(const Plan& plan) {
    const Problem& p = plan.problem;
    const size_t rows = plan.tile_rows;
    const auto most = [&](const Product& product, size_t k, size_t bl) {
        return max(packed_rows_bytes(product.gemm, rows, k, bl), packed_rows_bytes(product.gemv, 1, k, bl));
    };
    Slot s = {};
    size_t end = 0;
    s.q = place(end, rows * p.key_size * sizeof(float));
    s.q_packed = place(end, most(plan.scores, p.key_size, plan.scores.type == kai_dt_int8 ? 32 : 0));
    s.scores = place(end, rows * plan.block * sizeof(float));
    s.p = place(end, rows * plan.block * sizeof(float));
    s.p_packed = place(end, most(plan.values, p.page, 0) * (plan.block / p.page));
    s.product = place(end, rows * output_row(plan));
    s.output = place(end, rows * output_row(plan));
    s.keys = place(end, plan.scores.converts ? plan.scores.operand_bytes : 0);
    s.values = place(end, plan.values.converts || plan.values.format.name != nullptr ? plan.values.operand_bytes : 0);
    // max, sum, factor, first, last, slope, distance; pointers to masks
    s.state = place(end, rows * (7 * sizeof(float) + sizeof(void*)));
    s.size = round_up(end, kAlignment);
    return s;
}

}  // namespace kai::attention

using namespace kai::attention;

extern "C" {

kai_attention_problem kai_attention_problem_of(size_t heads, size_t kv_heads, size_t head_size) {
    kai_attention_problem p = {};
    p.heads = heads, p.kv_heads = kv_heads, p.key_size = p.value_size = head_size;
    p.tokens = p.sequences = p.positions = 1;
    p.page = 64;
    p.q_type = p.out_type = p.mask_type = kai_dt_f32;
    p.cache_type = KAI_ATTENTION_F32;
    p.causal = true;
    p.units = p.sme_units = 1;
    p.core = KAI_CORE_AUTO;
    return p;
}

kai_gemm_status kai_attention_make_plan(const kai_attention_problem* problem, kai_attention_plan* plan) {
    if (plan == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    memset(plan, 0, sizeof(*plan));
    if (problem == nullptr) {
        return fail(*plan, wrong(KAI_GEMM_NULL_POINTER, kai::say::absent, "problem"));
    }
    plan->problem = *problem;
    if (const Violation violation = check_problem(*problem)) {
        return fail(*plan, violation);
    }
    for (const bool keys : {true, false}) {
        if (!choose(*problem, keys, keys ? plan->scores : plan->values)) {
            return fail(*plan, wrong(KAI_GEMM_UNSUPPORTED, kai::say::no_attention, keys ? "keys" : "values"));
        }
    }
    set_sizes(*plan);
    plan->sve_bytes = vector_bytes(*plan, KAI_CPU_SVE), plan->sme_bytes = vector_bytes(*plan, KAI_CPU_SME);
    plan->block_kernels = kernels_for_this_cpu().name;
    return KAI_GEMM_OK;
}

size_t kai_attention_explain(const kai_attention_plan* plan, char* text, size_t size) {
    kai::Text to = {text, size, 0};
    if (plan == nullptr || plan->status != KAI_GEMM_OK || plan->problem.units == 0) {
        const char* reason = plan == nullptr               ? "plan is NULL"
                             : plan->status != KAI_GEMM_OK ? plan->reason
                                                           : "it is zero";
        to.add("no plan: %s\n", reason);
        return to.length;
    }
    const Problem& p = plan->problem;
    explain_product(to, "scores", plan->scores, p.page * row_bytes(p.cache_type, p.key_size));
    explain_product(to, "values", plan->values, p.page * row_bytes(p.cache_type, p.value_size));
    to.add(
        "scores to probabilities: %s\nunits: %zu rows, blocks of %zu positions; up to %zu rows: parts of %zu "
        "positions\n",
        plan->block_kernels, plan->tile_rows, plan->block, plan->tile_rows, plan->part);
    if (fused_for(*plan) != nullptr) {
        to.add("at least %zu rows: all of a block by one kernel, sme2\n", kFusedRows);
    }
    return to.length;
}

}  // extern "C"
