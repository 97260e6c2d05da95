// Shared by the parts of the GEMM layer.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/float_rules.hpp"

#include <initializer_list>

#include "kai/call.hpp"
#include "kai/gemm/sizes.hpp"
#include "kai/gemm/tag.hpp"
#include "kai/gemm/violation.hpp"
#include "kai/kai_call.h"
#include "kai/reserved.hpp"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

using Problem = kai_gemm_problem;
using Plan = kai_gemm_plan;
using Status = kai_gemm_status;
using Work = kai_gemm_work;

/// Bytes of the largest tile that a unit multiplies at a time if results do not go straight to C (one step may be
/// larger).
inline constexpr size_t kTileBytes = size_t{16} << 10;

/// Whether kernels run. Otherwise A and B are not read, and C = clamp(bias + beta * C).
inline bool multiplies(const Problem& p) {
    return is_integer(p.b_kind) || (p.k != 0 && p.alpha != 0);
}

/// Whether results of floating point are quantised as the last step.
inline bool quantises_c(const Problem& p) {
    return !is_integer(p.b_kind) && (p.c_type == kai_dt_int8 || p.c_type == kai_dt_uint8);
}

/// Whether kernels give int32 sums: C is these, or floats made of them.
inline bool gives_sums(const Problem& p) {
    return is_lowp(p.b_kind) && (p.c_type == kai_dt_int32 || is_float(p.c_type));
}
/// Whether a packer changes the highest bit of the bytes of B, for kernels of int32 sums that multiply int8 by int8 or
/// uint8 by uint8, whatever A is. Values of B are 128 more then (B is int8), or 128 less.
inline bool flips_b(const Problem& p, const kai_packer& packer) {
    return gives_sums(p) && !same_name(packer.source_format, source_of(p.b_kind));
}
inline bool flips_b(const Plan& plan) {
    return plan.rhs_packer != nullptr && flips_b(plan.problem, *plan.rhs_packer);
}

/// Matrices B of a matrix of the batch.
inline size_t b_of_each(const Problem& p) {
    return p.gated != 0 ? 2 : 1;
}
/// Matrices B.
inline size_t b_count(const Problem& p) {
    return (p.b_per_matrix ? p.batch : 1) * b_of_each(p);
}

/// Bytes of a row of the unpacked B, without gaps.
size_t b_row_size(const Problem& p);
/// Rows of the unpacked B.
inline size_t b_rows(const Problem& p) {
    return p.b_transposed ? p.n : p.k;
}

/// "f32" and the like.
const char* name_of(kai_datatype type);

/// The element type that a source format of the registry stands for; kai_dt_unknown: several fields.
kai_datatype type_of(const char* source);

/// Whether weights of 4 bits or rows of a file become floats while they are packed.
bool is_dequantised(const Plan& plan);

/// What rows are converted to before they are packed or multiplied.
kai_datatype row_type(const kai_gemm_kernel& kernel);

/// CPU features of kernels that need SME.
inline constexpr uint64_t kSme = uint64_t{1} << KAI_CPU_SME;

/// Sets the kernels and packers of a plan. If it fails, so does the plan.
Status choose(const Problem& p, Plan& plan);
/// Sets what follows from them.
void complete(Plan& made);

/// A call of the kernel for m rows: shape, packers and strides without gaps.
inline kai_call call_of(const Plan& plan, const kai_gemm_kernel& kernel, size_t m, size_t n) {
    kai_call call = {};
    call.ukernel = kernel.ukernel, call.lhs_packer = kernel.lhs_packer, call.rhs_packer = plan.rhs_packer;
    call.m = m, call.n = n, call.k = plan.problem.k, call.bl = plan.problem.bl;
    return call;
}

/// @name Workers with an SME unit and workers beside them
/// @{
inline bool is_mixed(const Plan& plan) {
    return plan.gemm_beside.ukernel != nullptr;
}
/// The fastest that problem.rates may say.
inline constexpr double kMostRate = 1000;
/// Sets those of SME that are not known, of a plan with kernels.
void set_rates(Plan& plan);
/// As how many workers without an SME unit one with it counts in the last phase, for one row or several.
inline double sme_rate(const Plan& plan, bool one_row) {
    const kai_gemm_kernel& kernel = one_row ? plan.gemv : plan.gemm;
    const kai_gemm_rates& rates = plan.problem.rates;
    return (kai::run_features(*kernel.ukernel) & kSme) == 0 ? 1 : one_row ? rates.sme_row : rates.sme;
}
/// The same for all workers, where the run is divided. A queue does the rest.
inline double effective_workers(const Plan& plan, bool one_row) {
    return is_mixed(plan) ? real(plan.workers - plan.sme_workers) + real(plan.sme_workers) * sme_rate(plan, one_row)
                          : real(plan.workers);
}
/// To the nearest, of what is not negative.
inline size_t rounded(double x) {
    return (static_cast<size_t>(2 * x) + 1) / 2;
}
/// The same, as an integer.
inline size_t counted_workers(const Plan& plan, bool one_row) {
    return is_mixed(plan) ? max(rounded(effective_workers(plan, one_row)), plan.workers) : plan.workers;
}
/// @}

/// How many columns a run leaves to the kernel with SME, if they are divided; 0: they are not.
inline size_t divided_columns(const Plan& plan, bool one_row) {
    return one_row ? plan.gemv_columns : plan.gemm_columns;
}
/// Sets them, by the rates.
void divide_columns(Plan& plan);
/// The columns with which the kernels of a mixed plan can begin one row: a panel, or less of it where the kernel beside
/// SME begins inside one.
inline size_t row_step(const Plan& plan) {
    const kai_ukernel& u = *plan.gemv_beside.ukernel;
    return u.run_columns != nullptr && u.column_step < plan.format.nr ? u.column_step : plan.format.nr;
}

/// Whether B is packed for it. Otherwise it is read in place.
bool packs_b(const kai_gemm_kernel& kernel);

/// Whether kernels store straight into C: nothing is left to do with a product.
bool is_direct(const Plan& plan);

/// Rows that are packed together: mr.
inline size_t panel_rows(const kai_gemm_kernel& kernel) {
    return kernel.lhs_packer != nullptr ? kernel.ukernel->get_mr() : 1;
}

/// Whether the same packer packs their rows, as many together. The packed rows are the same if kr, sr and the length of
/// a block are, too, as with the same B.
inline bool same_lhs(const kai_gemm_kernel& a, const kai_gemm_kernel& b) {
    return a.lhs_packer == b.lhs_packer && panel_rows(a) == panel_rows(b);
}

/// Bytes of the rows that a kernel reads from the workspace.
size_t lhs_size(const Plan& plan, const kai_gemm_kernel& kernel, size_t m);

/// Packs columns first to first + count - 1 of B to their place in `packed`, the whole matrix. `copied`: space for a
/// panel of columns, if they are copied first.
void pack_columns(
    const Plan& plan, const kai_gemm_weights& weights, size_t first, size_t count, void* packed, void* copied);

/// @name What a run refuses
/// @{
/// Rows of a run.
struct Rows {
    size_t all, most;  ///< of all groups; of a matrix
};
/// Counts those of groups.
Violation check_groups(const Problem& p, const kai_gemm_operands& x, Rows& rows);
/// Counts them.
KAI_INLINE Violation check_rows(const Problem& p, const kai_gemm_operands& x, Rows& rows) {
    if (p.groups) {
        return check_groups(p, x, rows);
    }
    rows = {x.m, x.m};
    return x.m <= p.m ? Violation{} : wrong(KAI_GEMM_TOO_MANY_ROWS, say::many_rows_of_run, x.m, p.m);
}
/// Whether there is nothing to compute.
inline bool is_empty(const Problem& p, const Rows& rows) {
    return rows.all == 0 || p.n == 0 || p.batch == 0;
}
/// Of kai_gemm_begin.
Violation check_run(
    const kai_gemm_plan* plan, const kai_gemm_operands* operands, const void* workspace, size_t workspace_size,
    Rows& rows);
/// Of an epilogue alone.
Violation check_epilogue(const Problem& p, const kai_gemm_epilogue& e);
/// Of kai_gemm_begin_products. which: the product that is wrong.
Violation check_products(const kai_gemm_product* products, size_t count, size_t& which);
/// @}

/// What kai_gemm_begin makes of operands that pass its checks, without the workspace.
Work work_of(const Plan& plan, const kai_gemm_operands& operands);

/// Whether the kernels of both read the same packed rows.
bool have_same_rows(const Work& a, const Work& b);

/// Whether sums with these weights of INT2_CHANNEL fit int32.
Violation check_table(const Problem& p, const int32_t* lut);

/// The tag of a packed matrix. lut: the table of INT2_CHANNEL; NULL, as for plan.tag, is the default one.
Tag tag_of(const Plan& plan, const int32_t* lut);
/// Where it is in the matrix.
inline size_t tag_offset(const Plan& plan) {
    return plan.packed_b_stride - sizeof(Tag);
}

/// Bytes of a panel of columns that are copied.
size_t copied_columns_size(const Plan& plan);

/// A tile as a unit of work.
struct Tiles {
    size_t rows, columns;  ///< multiples of m_step and n_step
    bool m_first;          ///< the order: the next unit has the same columns
};
/// Columns that some workers compute with one kernel, or two with the same bits.
struct Share {
    const kai_gemm_kernel& kernel;
    size_t columns;
    size_t workers;  ///< as counted_workers
    bool with_sme;   ///< some of them
};
/// All columns and workers, if they are not divided.
Share share_of_all(const Plan& plan, bool one_row);
/// Those with SME, and those beside them.
Share share_with_sme(const Plan& plan, bool one_row);
Share share_beside(const Plan& plan, bool one_row);
/// plan.whole_rows, when all sizes are known.
size_t whole_rows_of(const Plan& plan);
/// The units of a run: `all` rows of all groups, `most` of a matrix. Up to plan.whole_rows: a unit per matrix.
Tiles tiles_of_run(const Plan& plan, const Share& share, size_t all, size_t most);

/// @name Elements
/// @{
/// to[r][c] = from[r][c], converted; steps in bytes.
void copy_matrix(
    kai_datatype to_type, void* to, size_t to_row, kai_datatype from_type, const void* from, size_t from_row,
    size_t from_column, size_t rows, size_t columns);

/// What is left to do with a product.
struct Store {
    float alpha, beta, clamp_min, clamp_max;
    const void* bias;  ///< f32, of the first column, not aligned; or NULL
    float weight;
};
/// C = clamp(weight * (alpha * product + bias) + beta * C). `product`: NULL means zero.
void store_tile(
    const Store& how, kai_datatype product_type, const void* product, size_t product_row, kai_datatype c_type, void* c,
    size_t c_row, size_t rows, size_t columns);

/// What comes between the bias and C: of kai_gemm_epilogue, from the first column and the first row of the tile on.
struct Finish {
    kai_gemm_activation activation;
    const float *column_scale, *column_shift, *row_scale, *row_shift;  ///< or NULL
    bool gated;
    const void *gate, *gate_bias;  ///< the second product, as the first one; NULL: zero
    float c_multiplier;            ///< C int8 or uint8
    const float* c_multipliers;    ///< or NULL
    int32_t c_zero_point;
};
/// The same with it.
void finish_tile(
    const Store& how, const Finish& finish, kai_datatype product_type, const void* product, size_t product_row,
    kai_datatype c_type, void* c, size_t c_row, size_t rows, size_t columns);
/// @}

}  // namespace kai::gemm
#pragma GCC visibility pop
