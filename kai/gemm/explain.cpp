// kai_gemm_explain.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/gemm/gemm.hpp"
#include "kai/gemm/text.hpp"

namespace kai::gemm {
namespace {

struct Candidates {
    Text& text;
    const Plan& plan;

    static void tell(void* context, const kai_ukernel* u, const char* reason) {
        const auto& c = *static_cast<const Candidates*>(context);
        if (u == nullptr) {
            return;
        }
        const bool gemm = u == c.plan.gemm.ukernel, gemv = u == c.plan.gemv.ukernel;
        const bool best = strcmp(reason, "chosen") == 0;  // in its family
        c.text.add(
            "    %s: %s\n", u->name,
            gemm   ? "chosen"
            : gemv ? "chosen for one row"
            : best ? "another family was preferred"
                   : reason);
    }
};

void explain_kernel(Text& text, const char* rows, const kai_gemm_kernel& kernel, bool is_pinned) {
    const kai_ukernel& u = *kernel.ukernel;
    const char* portable = u.features != 0 ? ""
                           : is_pinned     ? " (portable C++)"
                                           : " (portable C++: this CPU has no kernel of its own)";
    text.add("%s: %s%s\n", rows, u.name, portable);
    if (kernel.lhs_packer != nullptr) {
        text.add(
            "    rows of A %sby %s\n", kernel.copies_rows ? "copied, then packed " : "packed ",
            kernel.lhs_packer->name);
    } else {
        text.add("    rows of A %s\n", kernel.copies_rows ? "copied first" : "read in place");
    }
    if (!packs_b(kernel)) {
        text.add("    B read in place\n");
    }
}

/// Why workers without an SME unit have nothing to do.
const char* why_none_beside(const Plan& plan) {
    if (plan.problem.pin != nullptr) {
        return "the kernel is pinned";
    }
    Problem divided = plan.problem;
    divided.divides_columns = 1, divided.format = plan.format.name != nullptr ? &plan.format : nullptr;
    Plan other;
    return kai_gemm_make_plan(&divided, &other) == KAI_GEMM_OK && other.workers > plan.workers
               ? "kernels beside SME have other bits: divides_columns lets them work"
               : "no kernel without SME reads this B";
}

void explain_work(Text& text, const kai_gemm_work& work) {
    if (work.phases == 0) {
        text.add("nothing is wrong: an empty run\n");
        return;
    }
    const kai_ukernel* u = work.kernel->ukernel;
    text.add(
        "nothing is wrong: up to %zu row%s a matrix, %s\n", work.rows, work.rows == 1 ? "" : "s",
        u != nullptr ? u->name : "nothing to multiply");
    for (size_t phase = 0; phase < work.phases; ++phase) {
        text.add("phase %zu: %zu unit%s\n", phase, work.units[phase], work.units[phase] == 1 ? "" : "s");
    }
}

}  // namespace
}  // namespace kai::gemm

using namespace kai::gemm;

extern "C" {

size_t kai_gemm_explain(const kai_gemm_plan* plan, char* text, size_t size) {
    kai::Text out = {text, text != nullptr ? size : 0, 0};
    const Violation no_plan = check_plan(plan);
    if (no_plan) {
        return out.add(no_plan.what);
    }
    const Problem& p = plan->problem;
    out.add("%zu x %zu x %zu, %zu matri%s\n", p.m, p.n, p.k, p.batch, p.batch == 1 ? "x" : "ces");
    if (plan->gemm.ukernel == nullptr) {
        out.add("nothing to multiply: %s\n", p.alpha == 0 ? "alpha is 0" : "k is 0");
        return out.length;
    }
    explain_kernel(out, "many rows", plan->gemm, p.pin != nullptr);
    if (plan->gemv.ukernel != plan->gemm.ukernel) {
        explain_kernel(out, "one row", plan->gemv, p.pin != nullptr);
    }
    if (plan->rhs_packer != nullptr) {
        out.add(
            "B as %s, nr %zu, kr %zu, sr %zu, %spacked by %s, %s\n", plan->format.name, plan->format.nr,
            plan->format.kr, plan->format.sr,
            !plan->copies_columns   ? ""
            : is_dequantised(*plan) ? "dequantised, then "
                                    : "copied, then ",
            plan->rhs_packer->name, p.b_constant ? "once" : "at every run");
    }
    if (!plan->direct) {
        out.add(
            "tiles go through the workspace:%s%s%s%s%s%s%s%s\n", p.alpha != 1 ? " alpha" : "",
            p.beta != 0 ? " beta" : "", p.c_type != plan->gemm.ukernel->dst_type ? " conversion" : "",
            plan->bias_apart ? " bias" : "", p.scatters ? " scattered" : "", p.epilogue != 0 ? " epilogue" : "",
            p.gated != 0 ? " pairs" : "", p.c_transposed != 0 ? " transposed" : "");
    }
    const size_t rows[] = {p.m, 1};
    for (size_t i = 0; i < (p.m == 1 ? 1 : 2); ++i) {
        const size_t m = rows[i];
        const bool divided = divided_columns(*plan, m <= 1) != 0 && m > plan->whole_rows;
        const Share share = divided ? share_with_sme(*plan, m <= 1) : share_of_all(*plan, m <= 1);
        const Tiles tiles = tiles_of_run(*plan, share, m, m);
        const size_t workers = divided ? plan->sme_workers : plan->workers;
        out.add(
            "m = %zu: tiles of %zu x %zu for %zu worker%s, units in order share %s\n", m, tiles.rows, tiles.columns,
            workers, workers == 1 ? "" : "s", tiles.m_first ? "columns" : "rows");
        if (divided) {
            const Tiles beside = tiles_of_run(*plan, share_beside(*plan, m <= 1), m, m);
            out.add(
                "    with SME columns 0 to %zu; beside it %zu to %zu, tiles of %zu x %zu for %zu workers\n",
                share.columns - 1, share.columns, p.n - 1, beside.rows, beside.columns, plan->workers - workers);
        }
    }
    if (is_mixed(*plan)) {
        out.add(
            "workers: %zu with SME, %zu beside them with %s: %s", plan->sme_workers, plan->workers - plan->sme_workers,
            plan->gemm_columns != 0 ? "columns of their own" : "the same bits", plan->gemm_beside.ukernel->name);
        if (plan->gemv_beside.ukernel != plan->gemm_beside.ukernel) {
            out.add("; one row: %s", plan->gemv_beside.ukernel->name);
        }
        if (plan->lhs_packer_beside != nullptr) {
            out.add("\n    they pack rows of A by %s", plan->lhs_packer_beside->name);
        }
        if (plan->gemm_columns == 0) {
            out.add("\n    units of work go to whoever is free, columns of one row by %zu", row_step(*plan));
        }
        out.add(
            "\n    rates: a worker with SME is assumed to be as fast as %.3g others, with one row as %.3g\n",
            sme_rate(*plan, false), sme_rate(*plan, true));
        if (p.rates.cores[0].count != 0 && plan->gemm_columns != 0) {
            out.add(
                "    the others: %zu at %.3g, %zu at %.3g, %zu at %.3g\n", p.rates.cores[0].count,
                p.rates.cores[0].speed, p.rates.cores[1].count, p.rates.cores[1].speed, p.rates.cores[2].count,
                p.rates.cores[2].speed);
        }
    }
    if (plan->workers < p.units) {
        out.add(
            "workers: %zu of %zu units, since sme_units is %zu; %s\n", plan->workers, p.units, p.sme_units,
            why_none_beside(*plan));
    }
    out.add("packed B %zu bytes, workspace %zu bytes\n", plan->packed_b_size, plan->workspace_size);
    if (p.pin != nullptr) {
        out.add("the kernel is pinned\n");
        return out.length;
    }
    const kai_cpu_core_answer fastest = kai_cpu_fastest_core();
    out.add("cores: %s (%s)\n", kai_cpu_core_name(p.core), p.core == fastest.core ? fastest.reason : "problem.core");
    out.add("candidates, of the families that were looked at:\n");
    const char* told = nullptr;
    for (const kai_gemm_kernel* kernel : {&plan->gemm, &plan->gemv}) {
        if (kernel->ukernel->family == told) {
            continue;
        }
        told = kernel->ukernel->family;
        kai_registry_request request = {told, p.m > 1 ? size_t{2} : size_t{1}, nullptr, plan->without, p.core, {}};
        Candidates candidates = {out, *plan};
        kai_registry_best(&request, Candidates::tell, &candidates);
    }
    return out.length;
}

size_t kai_gemm_explain_pack_b(
    const kai_gemm_plan* plan, size_t matrix, const kai_gemm_weights* weights, const void* packed, size_t packed_size,
    const void* workspace, size_t workspace_size, char* text, size_t size) {
    kai::Text out = {text, text != nullptr ? size : 0, 0};
    const Violation violation = check_pack(plan, matrix, weights, packed, packed_size, workspace, workspace_size);
    if (violation) {
        return out.add(violation.what);
    }
    out.add(
        "nothing is wrong: %zu unit%s, %zu bytes\n", plan->pack_units, plan->pack_units == 1 ? "" : "s",
        plan->packed_b_size);
    return out.length;
}

size_t kai_gemm_explain_run(
    const kai_gemm_plan* plan, const kai_gemm_operands* operands, const void* workspace, size_t workspace_size,
    char* text, size_t size) {
    kai::Text out = {text, text != nullptr ? size : 0, 0};
    Rows rows = {};
    const Violation violation = check_run(plan, operands, workspace, workspace_size, rows);
    if (violation) {
        return out.add(violation.what);
    }
    explain_work(out, work_of(*plan, *operands));
    return out.length;
}

size_t kai_gemm_explain_products(const kai_gemm_product* products, size_t count, char* text, size_t size) {
    kai::Text out = {text, text != nullptr ? size : 0, 0};
    size_t which = 0;
    if (const Violation violation = check_products(products, count, which)) {
        if (products != nullptr) {
            out.add("product %zu: ", which);
        }
        return out.add(violation.what);
    }
    for (size_t i = 0; i < count; ++i) {
        const kai_gemm_work work = work_of(*products[i].plan, *products[i].operands);
        out.add("product %zu: ", i);
        explain_work(out, work);
        for (size_t j = 0; j < i; ++j) {
            if (have_same_rows(work_of(*products[j].plan, *products[j].operands), work)) {
                out.add("rows of A as product %zu packs them\n", j);
                break;
            }
        }
    }
    return out.length;
}

}  // extern "C"
