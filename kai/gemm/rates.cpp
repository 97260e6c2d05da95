// How fast workers with an SME unit are, if the problem does not say it: rates.def.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/gemm/gemm.hpp"

namespace kai::gemm {
namespace {

struct Rates {
    const char* rhs_format;
    kai_cpu_feature needs;
    double several_rows, one_row;
};
constexpr Rates kRates[] = {
#define KAI_RATES(FORMAT, NEEDS, SEVERAL_ROWS, ONE_ROW) {#FORMAT, KAI_CPU_##NEEDS, SEVERAL_ROWS, ONE_ROW},
#include "kai/gemm/rates.def"
};
/// Of formats that the table does not have. Bounds of the SME units and cores that are sold.
constexpr double kSeveralRows = 4, kOneRow = 2;

}  // namespace

void set_rates(Plan& plan) {
    const kai_ukernel& u = *plan.gemm.ukernel;
    const bool sme2 = (kai::run_features(u) >> KAI_CPU_SME2 & 1) != 0;
    kai_gemm_rates& rates = plan.problem.rates;
    double several_rows = kSeveralRows, one_row = kOneRow;
    for (const Rates& known : kRates) {
        if (kai::same_name(known.rhs_format, u.rhs_format) && (known.needs == KAI_CPU_SME2) == sme2) {
            several_rows = known.several_rows, one_row = known.one_row;
        }
    }
    rates.sme = rates.sme != 0 ? rates.sme : several_rows;
    rates.sme_row = rates.sme_row != 0 ? rates.sme_row : one_row;
}

namespace {

/// What all workers without SME do in the time in which one on the fastest cores does 1. Of the problem alone: where it
/// counts cores, the number of workers does not matter.
double speed_beside(const Plan& plan) {
    double known = 0;
    for (const kai_gemm_core_rate& cores : plan.problem.rates.cores) {
        known += real(cores.count) * cores.speed;
    }
    return known > 0 ? known : real(plan.workers - plan.sme_workers);
}

/// The first columns for workers with SME; 0: kernels have the same bits. Whole panels; of one row, also parts of them.
size_t columns_with_sme(const Plan& plan, const kai_gemm_kernel& kernel, const kai_gemm_kernel& beside, bool one_row) {
    if (kernel.ukernel == beside.ukernel || beside.ukernel->other_bits == 0) {
        return 0;
    }
    const double sme = sme_rate(plan, one_row) * real(plan.sme_workers);
    const size_t step = one_row ? row_step(plan) : plan.format.nr, n = plan.problem.n, steps = divide_up(n, step);
    const size_t its = rounded(real(steps) * sme / (sme + speed_beside(plan)));
    return min(max(its, 1) * step, n);
}

}  // namespace

void divide_columns(Plan& plan) {
    if (is_mixed(plan) && plan.problem.n != 0) {
        plan.gemm_columns = columns_with_sme(plan, plan.gemm, plan.gemm_beside, false);
        plan.gemv_columns = columns_with_sme(plan, plan.gemv, plan.gemv_beside, true);
    }
}

}  // namespace kai::gemm
