// kai_gemm_make_plan: checks and sizes. choose.cpp has the choice of kernels.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/call.hpp"
#include "kai/gemm/gemm.hpp"

namespace kai::gemm {

const char* name_of(kai_datatype type) {
    switch (type) {
        case kai_dt_unknown:
            return "not set";
        case kai_dt_f32:
            return "f32";
        case kai_dt_f16:
            return "f16";
        case kai_dt_bf16:
            return "bf16";
        case kai_dt_int32:
            return "int32";
        case kai_dt_int16:
            return "int16";
        case kai_dt_int8:
            return "int8";
        case kai_dt_uint32:
            return "uint32";
        case kai_dt_uint16:
            return "uint16";
        case kai_dt_uint8:
            return "uint8";
        case kai_dt_bool:
            return "bool";
        default:
            return "no kai_datatype";
    }
}

kai_datatype type_of(const char* source) {
    const auto is = [source](const char* name) {
        size_t i = 0;
        while (name[i] != 0 && source[i] == name[i]) {
            ++i;
        }
        return source[i] == name[i];
    };
    return is("f32")                ? kai_dt_f32
           : is("f16")              ? kai_dt_f16
           : is("bf16")             ? kai_dt_bf16
           : is("x8") || is("int8") ? kai_dt_int8
           : is("uint8")            ? kai_dt_uint8
                                    : kai_dt_unknown;
}

kai_datatype row_type(const kai_gemm_kernel& kernel) {
    return type_of(kernel.lhs_packer != nullptr ? kernel.lhs_packer->source_format : kernel.ukernel->lhs_format);
}

bool packs_b(const kai_gemm_kernel& kernel) {
    return kernel.ukernel != nullptr && kai::rhs_is_packed(*kernel.ukernel);
}

bool is_direct(const Plan& plan) {
    const Problem& p = plan.problem;
    // f32 results need a bias that was not rounded to f16.
    const bool bias_inside = packs_b(plan.gemm) && packs_b(plan.gemv) && kai::packs_bias(*plan.rhs_packer) &&
                             (kai::bias_size(*plan.rhs_packer) >= size_of(plan.gemm.ukernel->dst_type));
    return p.alpha == 1 && p.beta == 0 && p.c_type == plan.gemm.ukernel->dst_type && (!p.bias || bias_inside) &&
           !p.scatters && p.epilogue == 0 && p.c_transposed == 0;
}

size_t b_row_size(const Problem& p) {
    const size_t count = p.b_transposed ? p.k : p.n;
    size_t row = SIZE_MAX;
    switch (p.b_kind) {
        case KAI_GEMM_GGUF:
            kai_gguf_row_size(kai_gguf_find_type(p.gguf_type), p.k, &row);
            return row;
        case KAI_GEMM_DENSE:
            return mul_add(count, size_of(p.b_type), 0);
        case KAI_GEMM_INT8_CHANNEL:
        case KAI_GEMM_INT8_STATIC:
        case KAI_GEMM_UINT8_LOWP:
        case KAI_GEMM_INT8_LOWP:
        case KAI_GEMM_F8E4M3_BLOCK:
        case KAI_GEMM_F8E5M2_BLOCK:
            return count;
        case KAI_GEMM_INT2_CHANNEL:
        case KAI_GEMM_INT2_STATIC:
            return divide_up(count, 4);
        case KAI_GEMM_INT4_BLOCK_F16:
        case KAI_GEMM_INT4_TABLE:
            return p.bl == 0 ? 0 : count / p.bl * (sizeof(uint16_t) + p.bl / 2);
        case KAI_GEMM_INT8_BLOCK_F16:
            return p.bl == 0 ? 0 : count / p.bl * (sizeof(uint16_t) + p.bl);
        default:
            return divide_up(count, 2);
    }
}

size_t lhs_size(const Plan& plan, const kai_gemm_kernel& kernel, size_t m) {
    if (kernel.ukernel == nullptr || m == 0) {
        return 0;
    }
    if (kernel.lhs_packer == nullptr) {
        return kernel.copies_rows ? mul_add(m, plan.problem.k * size_of(row_type(kernel)), 0) : 0;
    }
    const kai_call call = call_of(plan, kernel, m, 1);
    return kai_call_lhs_packed_size(&call);
}

/// Whether its rows are packed, or copied.
static bool makes_lhs(const kai_gemm_kernel& kernel) {
    return kernel.ukernel != nullptr && (kernel.lhs_packer != nullptr || kernel.copies_rows);
}

bool is_dequantised(const Plan& plan) {
    return may_become_floats(plan.problem.b_kind) && plan.copies_columns &&
           type_of(plan.rhs_packer->source_format) != kai_dt_unknown;
}

size_t copied_columns_size(const Plan& plan) {
    const Problem& p = plan.problem;
    if (plan.copies_columns && p.b_kind == KAI_GEMM_UINT4_BLOCK && !is_dequantised(plan)) {
        return plan.format.nr * (p.k / 2 + p.k / p.bl * 2 * sizeof(float));
    }
    if (is_f8(p.b_kind)) {  // their scales
        return plan.format.nr * (p.k / p.bl) * sizeof(float);
    }
    return !plan.copies_columns                ? 0
           : p.b_kind == KAI_GEMM_INT4_CHANNEL ? plan.format.nr * divide_up(p.k, 2)
           : p.b_kind == KAI_GEMM_INT8_CHANNEL || is_lowp(p.b_kind)
               ? plan.format.nr * p.k
               : plan.format.nr * p.k * size_of(type_of(plan.rhs_packer->source_format));
}

namespace {

constexpr size_t kDefaultL1 = size_t{64} << 10, kDefaultL2 = size_t{1} << 20;

// ---- checks ----

/// Enumerators and what is meant for one kind only.
Violation check_values(const Problem& p) {
    constexpr Status kBad = KAI_GEMM_BAD_VALUE;
    if (p.a_type == kai_dt_unknown && p.c_type == kai_dt_unknown && p.units == 0) {
        return wrong(kBad, say::zero_problem);
    }
    if (bits_of(p.reserved) != 0) {
        return wrong(KAI_GEMM_RESERVED, say::reserved, "problem");
    }
    if (static_cast<unsigned>(p.b_kind) >= KAI_GEMM_KIND_COUNT) {
        return wrong(kBad, say::no_enumerator, "b_kind", static_cast<int32_t>(p.b_kind), "kai_gemm_kind");
    }
    if (static_cast<unsigned>(p.core) >= KAI_CORE_COUNT) {
        return wrong(kBad, say::no_enumerator, "core", static_cast<int32_t>(p.core), "kai_cpu_core");
    }
    const char* kind = name_of(p.b_kind);
    if ((p.b_kind == KAI_GEMM_DENSE || has_typed_scales(p.b_kind)) && !is_float(p.b_type)) {
        return wrong(kBad, say::other_type, "b_type", name_of(p.b_type), kind, "f32, f16 and bf16");
    }
    if (is_f8(p.b_kind) && !is_float(p.b_type) && p.b_type != kai_dt_uint8) {
        return wrong(kBad, say::other_type, "b_type", name_of(p.b_type), kind, "f32, f16, bf16 and uint8");
    }
    if (!is_f8(p.b_kind) && p.scale_columns != 0) {
        return wrong(KAI_GEMM_BAD_COMBINATION, say::not_for, "scale_columns", kind);
    }
    const bool integers = is_integer(p.b_kind);
    const kai_datatype integer = p.b_kind == KAI_GEMM_UINT8_LOWP ? kai_dt_uint8 : kai_dt_int8;
    const auto fits = [=](kai_datatype type) { return integers ? type == integer : is_float(type); };
    const bool fits_a = fits(p.a_type) || (gives_sums(p) && (p.a_type == kai_dt_int8 || p.a_type == kai_dt_uint8)),
               fits_c = fits(p.c_type) || gives_sums(p) || (quantises_c(p) && p.epilogue != 0);
    if (!fits_a || !fits_c) {
        const char* types = fits_a && !integers        ? "f32, f16 and bf16, with an epilogue int8 and uint8"
                            : !integers                ? "f32, f16 and bf16"
                            : !fits_a && gives_sums(p) ? "int8 and uint8"
                            : fits_a && is_lowp(p.b_kind)
                                ? integer == kai_dt_int8 ? "int8, int32 and floats" : "uint8, int32 and floats"
                                : name_of(integer);
        return wrong(
            kBad, say::other_type, !fits_a ? "a_type" : "c_type", name_of(!fits_a ? p.a_type : p.c_type), kind, types);
    }
    if (!(p.clamp_min <= p.clamp_max)) {
        return wrong(kBad, say::bounds_out_of_order, p.clamp_min, p.clamp_max);
    }
    if (p.units == 0) {
        return wrong(kBad, say::zero, "units");
    }
    const kai_gemm_rates& rates = p.rates;
    for (const double rate :
         {rates.sme, rates.sme_row, rates.cores[0].speed, rates.cores[1].speed, rates.cores[2].speed}) {
        if (!(rate >= 0 && rate <= kMostRate)) {
            return wrong(kBad, say::no_rate, rate, kMostRate);
        }
    }
    const bool stays_integer = integers && !is_float(p.c_type);
    if (stays_integer && (p.alpha != 1 || p.beta != 0)) {
        return wrong(kBad, say::scales_integers, p.alpha, p.beta, kind);
    }
    if (is_static(p.b_kind)) {
        const Violation violation =
            check_int8({{"c_min", p.c_min}, {"c_max", p.c_max}, {"c_zero_point", p.c_zero_point}});
        if (violation) {
            return violation;
        }
        if (p.c_min > p.c_max) {
            return wrong(kBad, say::out_of_order, "c_min", p.c_min, "c_max", p.c_max);
        }
    }
    if (is_lowp(p.b_kind) && p.bias) {
        return wrong(kBad, say::bias_of_lowp, kind);
    }
    if (p.c_transposed != 0 && (stays_integer || p.scatters)) {
        return wrong(kBad, say::not_for, "c_transposed", stays_integer ? kind : "scatters");
    }
    if (p.scatters && !p.groups) {
        return wrong(kBad, say::needs, "scatters", "groups");
    }
    if (p.scatters && stays_integer) {
        return wrong(kBad, say::not_for, "scatters", kind);
    }
    if (quantises_c(p) && (p.scatters || p.beta != 0)) {
        return wrong(KAI_GEMM_BAD_COMBINATION, say::not_for, p.scatters ? "scatters" : "beta", "int8 and uint8 C");
    }
    if (p.scatters && p.beta != 0 && p.beta != 1) {
        return wrong(kBad, say::beta_of_scatters, p.beta);
    }
    if (p.epilogue != 0 && stays_integer) {
        return wrong(kBad, say::not_for, "epilogue", kind);
    }
    if (p.gated != 0 && integers) {
        return wrong(kBad, say::not_for, "gated", kind);
    }
    return {};
}

/// Blocks of k.
Violation check_depth(const Problem& p) {
    constexpr Status kBad = KAI_GEMM_BAD_VALUE;
    if (has_blocks(p.b_kind) && p.bl == 0) {
        return wrong(kBad, say::zero, "bl");
    }
    const bool of_16 = p.b_kind == KAI_GEMM_FLOAT_TABLE || (p.b_kind == KAI_GEMM_UINT4_BLOCK && p.bl < 32);
    const size_t step = of_16 ? 16 : 32;
    if (has_blocks(p.b_kind) && p.bl % step != 0) {
        return wrong(kBad, say::not_multiple, "bl", p.bl, step);
    }
    if (p.b_kind == KAI_GEMM_INT4_TABLE && p.bl != 32) {
        return wrong(kBad, say::out_of_range, "bl", static_cast<ptrdiff_t>(p.bl), ptrdiff_t{32}, ptrdiff_t{32});
    }
    if (has_blocks(p.b_kind) && p.k % p.bl != 0) {
        return wrong(kBad, say::not_multiple_of, "k", p.k, "bl", p.bl);
    }
    if (p.b_kind == KAI_GEMM_INT2_CHANNEL && p.k % 32 != 0) {
        return wrong(kBad, say::not_multiple, "k", p.k, size_t{32});
    }
    if (p.b_kind == KAI_GEMM_GGUF) {
        const kai_gguf_type* type = kai_gguf_find_type(p.gguf_type);
        if (type == nullptr) {
            return wrong(
                kBad, say::no_enumerator, "gguf_type", static_cast<int32_t>(p.gguf_type), "type of GGUF files");
        }
        const size_t block = type->block_weights;
        if (p.k % block != 0) {
            return wrong(kBad, say::not_multiple_of_block, "k", p.k, block, type->name);
        }
    }
    if (is_static(p.b_kind)) {
        const int64_t zero = p.a_zero_point, up = 127 - zero, down = zero + 128, farthest = up > down ? up : down;
        const int64_t largest = p.b_kind == KAI_GEMM_INT2_STATIC ? 2 : 128;  // weight
        const auto most = static_cast<size_t>(INT32_MAX / (largest * farthest));
        if (p.k > most) {
            return wrong(KAI_GEMM_UNSUPPORTED, say::large_sums, p.k, most);
        }
    }
    return {};
}

/// How B lies and when it is packed.
Violation check_combination(const Problem& p) {
    constexpr Status kBad = KAI_GEMM_BAD_COMBINATION;
    const char* kind = name_of(p.b_kind);
    const bool file = p.b_kind == KAI_GEMM_GGUF || has_records(p.b_kind);
    const bool nxk =
        file || p.b_kind == KAI_GEMM_INT2_CHANNEL || p.b_kind == KAI_GEMM_INT4_BLOCK_ZERO || has_typed_scales(p.b_kind);
    if (nxk && !p.b_transposed) {
        return wrong(kBad, say::needs_transposed, kind, file ? "rows of a file are" : "it is");
    }
    if (p.b_kind == KAI_GEMM_INT8_STATIC && p.b_transposed) {
        return wrong(kBad, say::never_transposed, kind);
    }
    if (p.gated != 0 && (p.epilogue == 0 || !p.b_constant)) {
        return wrong(kBad, say::needs, "gated", p.epilogue == 0 ? "epilogue" : "b_constant");
    }
    if (p.b_constant || p.b_kind == KAI_GEMM_DENSE || p.b_kind == KAI_GEMM_GGUF) {
        return {};
    }
    if (is_lowp(p.b_kind)) {
        return p.b_transposed || gives_sums(p) ? Violation{} : wrong(kBad, say::needs_either, kind);
    }
    return wrong(kBad, say::needs_constant, kind);
}

Violation check_sizes(const Problem& p) {
    // Packed sizes are at most twice those of f32 with k and n rounded up, and so are those of the workspace.
    constexpr size_t kPanel = 4096;
    const size_t largest_k = mul_add(p.k, 1, kPanel), larger_n = mul_add(p.n, 1, kPanel),
                 larger_m = mul_add(p.m, 1, kPanel), per_value = 16;
    const size_t batch = mul_add(p.batch, 1, 1);
    for (const size_t size :
         {mul_add(mul_add(mul_add(larger_n, largest_k, 0), per_value, 0), batch, 0),
          mul_add(mul_add(mul_add(larger_m, largest_k, 0), per_value, 0), batch, 0),
          mul_add(mul_add(mul_add(larger_m, larger_n, 0), per_value, 0), batch, 0),
          mul_add(mul_add(mul_add(p.units, kPanel, 0), largest_k, 0), 64, 0),
          mul_add(mul_add(p.batch, kPanel, 0), largest_k, 0)}) {
        if (size > SIZE_MAX / 4) {
            return wrong(KAI_GEMM_OVERFLOW, say::large_problem, p.m, p.n, p.k, p.batch, p.units);
        }
    }
    return {};
}

Violation check_problem(const Problem& p) {
    for (const auto check : {check_values, check_depth, check_combination, check_sizes}) {
        const Violation violation = check(p);
        if (violation) {
            return violation;
        }
    }
    return {};
}

/// Floats of a file are floats.
Problem with_floats_dense(Problem p) {
    const kai_datatype type = p.gguf_type == KAI_GGUF_F32    ? kai_dt_f32
                              : p.gguf_type == KAI_GGUF_F16  ? kai_dt_f16
                              : p.gguf_type == KAI_GGUF_BF16 ? kai_dt_bf16
                                                             : kai_dt_unknown;
    if (p.b_kind == KAI_GEMM_GGUF && type != kai_dt_unknown) {
        p.b_kind = KAI_GEMM_DENSE, p.b_type = type;
    }
    return p;
}

// ---- sizes ----

/// Number of rows up to which units pack the LHS on demand, without a phase for it. A value takes 0.45 to 1 cycle
/// (docs/performance.md), a barrier about 3 microseconds, 9,000 cycles. Threads cannot share the packing of a single
/// panel: the phase would only add a barrier. The second bound keeps the private copies small.
size_t most_rows_on_demand(const Plan& plan) {
    constexpr size_t kValues = 12 << 10, kValuesOfPanel = 64 << 10;
    const size_t k = max(plan.problem.k, 1);
    return max(kValues / k, min(panel_rows(plan.gemm), kValuesOfPanel / k));
}

/// Sizes of constant B, if a matrix without its tag has `matrix` bytes.
void set_packed_size(Plan& plan, size_t matrix) {
    const size_t count = b_count(plan.problem);
    const bool tagged = !plan.problem.untagged;
    plan.packed_b_stride = round_up(matrix, kAlignment) + (tagged ? sizeof(Tag) : 0);
    plan.packed_b_size = count == 0 ? 0 : (count - 1) * plan.packed_b_stride + (tagged ? plan.packed_b_stride : matrix);
}

void set_sizes(Plan& plan) {
    const Problem& p = plan.problem;
    kai_gemm_layout& to = plan.layout;
    plan.workers = p.units;
    if (plan.gemm.ukernel == nullptr) {
        if (p.b_constant && plan.bias_apart && p.n != 0) {
            set_packed_size(plan, p.n * sizeof(float));
        }
        plan.pack_units = plan.packed_b_size != 0;
        return;
    }
    if ((run_features(*plan.gemm.ukernel) & kSme) != 0) {
        plan.sme_workers = min(p.units, max(p.sme_units, 1));
        plan.workers = is_mixed(plan) ? p.units : plan.sme_workers;
    }

    // Packed B.
    if (plan.rhs_packer != nullptr) {
        const kai_call call = call_of(plan, plan.gemm, p.m, p.n);
        plan.panels_size = kai_call_rhs_packed_size(&call);
        const size_t with_bias = plan.bias_apart && p.b_constant
                                     ? round_up(plan.panels_size, kAlignment) + p.n * sizeof(float)
                                     : plan.panels_size;
        plan.packed_b_stride = round_up(with_bias, kAlignment);
        const size_t panels = divide_up(p.n, plan.format.nr);
        plan.pack_units = min(panels, divide_up(4 * p.units, b_count(p) != 0 ? b_count(p) : 1));
        if (p.b_constant && b_count(p) != 0) {
            set_packed_size(plan, with_bias);
            plan.pack_workspace_size =
                plan.copies_columns ? round_up(copied_columns_size(plan), kAlignment) * plan.pack_units : 0;
        }
    }

    // What a unit needs for itself.
    size_t slot = 0, copied = p.b_constant ? 0 : copied_columns_size(plan), tile = 0;
    to.few_rows_max = min(p.m, max(most_rows_on_demand(plan), 1));
    const size_t one_row = lhs_size(plan, plan.gemv, min(p.m, 1));
    for (const kai_gemm_kernel* kernel : {&plan.gemm, &plan.gemv, &plan.gemm_beside}) {
        if (kernel->ukernel == nullptr) {
            continue;
        }
        const kai_ukernel& u = *kernel->ukernel;
        if (kernel->copies_rows && kernel->lhs_packer != nullptr) {
            copied = max(copied, min(panel_rows(*kernel), p.m) * p.k * size_of(row_type(*kernel)));
        }
        if (!plan.direct) {
            const size_t size = size_of(u.dst_type), step = u.get_m_step();
            const size_t rows = max(min(p.m, 32) / step, 1) * step;
            const size_t columns = max(kTileBytes / (rows * size * u.get_n_step()), 1) * u.get_n_step();
            to.tile_rows = max(to.tile_rows, min(rows, round_up(p.m, step)));
            to.tile_columns = max(to.tile_columns, min(columns, round_up(p.n, u.get_n_step())));
            tile = max(tile, to.tile_rows * to.tile_columns * size);
        }
    }
    to.copied = place(slot, copied);
    const bool mixed = is_mixed(plan), two_lhs = mixed && !same_lhs(plan.gemm, plan.gemm_beside);
    const size_t few_beside = two_lhs ? lhs_size(plan, plan.gemm_beside, to.few_rows_max) : 0;
    to.few_rows = place(slot, max(lhs_size(plan, plan.gemm, to.few_rows_max), max(one_row, few_beside)));
    to.tile = place(slot, p.gated != 0 ? 2 * round_up(tile, kAlignment) : tile);
    to.slot_size = round_up(slot, kAlignment);

    // The workspace.
    size_t end = 0;
    const size_t per_matrix = max(lhs_size(plan, plan.gemm, p.m), one_row);
    // Also where k is 0 and copies of rows are empty.
    const bool has_lhs = makes_lhs(plan.gemm) || makes_lhs(plan.gemv);
    to.lhs_states = place(end, has_lhs ? (two_lhs ? 2 : 1) * p.batch * sizeof(uint32_t) : 0);
    // Mixed: after the states of the slots, what the holder of each has done.
    to.slots_taken = place(end, (mixed ? 2 : slot != 0 ? 1 : 0) * plan.workers * sizeof(uint32_t));
    to.lhs_stride = round_up(per_matrix, kAlignment);
    const size_t padded = p.groups ? max(lhs_size(plan, plan.gemm, p.m + p.batch * panel_rows(plan.gemm)),
                                         lhs_size(plan, plan.gemv, p.m + p.batch))
                                   : 0;
    to.lhs = place(end, p.groups || p.batch == 0 ? padded : (p.batch - 1) * to.lhs_stride + per_matrix);
    if (two_lhs) {
        const kai_gemm_kernel& kernel = plan.gemm_beside;
        const size_t rows = p.groups ? p.m + p.batch * panel_rows(kernel) : p.m, each = lhs_size(plan, kernel, rows);
        plan.lhs_beside_stride = round_up(each, kAlignment);
        plan.lhs_beside = place(end, p.groups || p.batch == 0 ? each : (p.batch - 1) * plan.lhs_beside_stride + each);
    }
    to.b = place(
        end, p.b_constant || plan.rhs_packer == nullptr || b_count(p) == 0
                 ? 0
                 : (b_count(p) - 1) * plan.packed_b_stride + plan.panels_size);
    to.slots = place(end, slot == 0 ? 0 : (plan.workers - 1) * to.slot_size + slot);
    plan.workspace_size = end;
}

/// Of a plan that failed: what was asked for, and why not.
Plan failed(const Plan& plan) {
    Plan only = {};
    only.problem = plan.problem;
    only.problem.pin = nullptr, only.problem.format = nullptr;  // the caller's
    only.status = plan.status;
    memcpy(only.reason, plan.reason, sizeof(only.reason));
    return only;
}

}  // namespace
void complete(Plan& made) {
    const Problem& p = made.problem;
    made.reason[0] = 0;
    const auto any_depends_on = [&](kai_cpu_feature feature) {
        return ((made.gemm.ukernel->size_features | made.gemv.ukernel->size_features) >> feature & 1) != 0;
    };
    if (multiplies(p)) {
        made.sve_bytes = any_depends_on(KAI_CPU_SVE) ? kai_cpu_sve_bytes() : 0;
        made.sme_bytes = any_depends_on(KAI_CPU_SME) ? kai_cpu_sme_bytes() : 0;
        const kai_ukernel& u = *made.gemm.ukernel;
        if (made.rhs_packer != nullptr) {
            made.format = {u.rhs_format, u.get_nr(), u.get_kr(), u.get_sr()};
        }
        made.direct = is_direct(made);
        made.bias_apart = p.bias && !made.direct;
    } else {
        made.gemm = made.gemv = made.gemm_beside = made.gemv_beside = {};
        made.rhs_packer = nullptr, made.copies_columns = false;
    }
    set_sizes(made);
    divide_columns(made);
    made.whole_rows = whole_rows_of(made);
    if (made.packed_b_size != 0 && !p.untagged) {
        const Tag tag = tag_of(made, nullptr);
        memcpy(made.tag, &tag, sizeof(made.tag));
    }
}

}  // namespace kai::gemm

using namespace kai::gemm;

extern "C" {

const char* kai_gemm_status_text(kai_gemm_status status) {
    switch (status) {
        case KAI_GEMM_OK:
            return "done";
        case KAI_GEMM_NULL_POINTER:
            return "a pointer is NULL where data is needed";
        case KAI_GEMM_BAD_STRIDE:
            return "a stride is shorter than a row, or the operand must be contiguous";
        case KAI_GEMM_OVERFLOW:
            return "the size of an operand is larger than the address space";
        case KAI_GEMM_BAD_VALUE:
            return "a type, kind, clamp bound, block length, number of units or row index is out of its range";
        case KAI_GEMM_TOO_MANY_ROWS:
            return "the run has more rows than the plan was made for";
        case KAI_GEMM_TOO_SMALL:
            return "a buffer is smaller than the plan says";
        case KAI_GEMM_MISALIGNED:
            return "the workspace is not aligned to 64 bytes";
        case KAI_GEMM_UNSUPPORTED:
            return "no kernel of this build computes this combination of types and layouts";
        case KAI_GEMM_UNKNOWN_NAME:
            return "this build has no micro-kernel of the name that is pinned";
        case KAI_GEMM_WRONG_KERNEL:
            return "the micro-kernel that is pinned does not compute this problem";
        case KAI_GEMM_CPU_LACKS:
            return "this CPU lacks what the pinned kernel, or every kernel for the packed format, needs";
        case KAI_GEMM_UNKNOWN_FORMAT:
            return "no kernel of this build for this problem reads the packed format";
        case KAI_GEMM_NO_UNIT:
            return "there is no such phase, unit or matrix";
        case KAI_GEMM_BAD_COMBINATION:
            return "members of the problem contradict each other, or one that this kind of B needs is missing";
        case KAI_GEMM_NO_PLAN:
            return "the plan was not made, or making it failed";
        case KAI_GEMM_BUSY:
            return "as many units run as the plan has workers: try this one again later";
        case KAI_GEMM_WRONG_PACKING:
            return "B is not packed, or not as this plan has it: by one for another format, shape, kind or bias";
        case KAI_GEMM_VECTORS_CHANGED:
            return "vectors of SVE or SME have another length on this thread than when the plan was made";
        case KAI_GEMM_UNUSED_BIAS:
            return "a bias is given, but the problem has none";
        case KAI_GEMM_RESERVED:
            return "reserved room of a structure is not zero: it is not initialised, or for a newer library";
        default:
            return "not a status";
    }
}

kai_gemm_problem kai_gemm_problem_of(size_t m, size_t n, size_t k) {
    kai_gemm_problem p = {};
    p.m = m, p.n = n, p.k = k, p.batch = 1;
    p.a_type = p.b_type = p.c_type = kai_dt_f32;
    p.alpha = 1, p.multiplier = 1;
    p.clamp_min = -__builtin_inff(), p.clamp_max = __builtin_inff();
    p.c_min = -128, p.c_max = 127;
    p.units = 1, p.sme_units = 1;
    p.l1_bytes = kDefaultL1, p.l2_bytes = kDefaultL2;
    return p;
}

kai_gemm_epilogue kai_gemm_epilogue_of(const kai_gemm_problem* problem) {
    const Problem defaults = problem != nullptr ? *problem : kai_gemm_problem_of(0, 0, 0);
    kai_gemm_epilogue e = {};
    e.alpha = defaults.alpha, e.beta = defaults.beta;
    e.clamp_min = defaults.clamp_min, e.clamp_max = defaults.clamp_max;
    e.c_multiplier = quantises_c(defaults) ? 1 : 0;
    return e;
}

kai_gemm_status kai_gemm_make_plan(const kai_gemm_problem* problem, kai_gemm_plan* plan) {
    if (plan == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    Plan made = {};
    if (problem == nullptr) {
        *plan = made;
        return fail(*plan, wrong(KAI_GEMM_NULL_POINTER, kai::say::absent, "problem"));
    }
    made.problem = with_floats_dense(*problem);
    const Problem& p = made.problem;
    const Violation violation = check_problem(p);
    if (violation) {
        fail(made, violation);
        *plan = failed(made);
        return violation.status;
    }
    made.problem.l1_bytes = p.l1_bytes != 0 ? p.l1_bytes : kDefaultL1;
    made.problem.l2_bytes = p.l2_bytes != 0 ? p.l2_bytes : kDefaultL2;
    made.problem.core = p.core != KAI_CORE_AUTO ? p.core : kai_cpu_fastest_core().core;
    made.bias_apart = p.bias;
    const Status status = choose(p, made);
    if (status != KAI_GEMM_OK) {
        *plan = failed(made);
        return status;
    }
    complete(made);
    made.problem.pin = p.pin != nullptr ? made.gemm.ukernel != nullptr ? made.gemm.ukernel->name : "" : nullptr;
    made.problem.format = nullptr;  // the caller's: not needed any more
    *plan = made;
    return KAI_GEMM_OK;
}

}  // extern "C"
