// What a run refuses: its operands, its workspace and packed matrices of another plan.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/gemm/gemm.hpp"

namespace kai::gemm {
namespace {

using Operands = kai_gemm_operands;

/// The matrices of an operand.
struct Matrices {
    const char *name, *data_name, *ld_name;
    const void* data;
    const void* const* table;  ///< or NULL
    size_t count, ld, stride;  ///< ld and stride as given
    size_t rows, row;          ///< rows of a matrix, bytes of one
};

/// From kai_gemm_source or kai_gemm_result: what they tell.
template <typename Operand>
Matrices matrices_of(const Operand& operand) {
    Matrices x = {};
    x.data = operand.data, x.table = operand.table, x.ld = operand.ld, x.stride = operand.stride;
    return x;
}

Violation check_pointers(const Matrices& x) {
    if (x.table == nullptr) {
        return x.data != nullptr ? Violation{} : wrong(KAI_GEMM_NULL_POINTER, say::absent, x.data_name);
    }
    for (size_t i = 0; i < x.count; ++i) {
        if (x.table[i] == nullptr) {
            return wrong(KAI_GEMM_NULL_POINTER, say::absent_entry, i, x.name);
        }
    }
    return {};
}

/// `distinct`: matrices must not overlap.
Violation check_strides(const Matrices& x, bool distinct) {
    const size_t count = x.table != nullptr ? 1 : x.count, stride = x.table != nullptr ? 0 : x.stride;
    if (x.rows == 0 || x.row == 0 || count == 0) {
        return {};
    }
    const auto overflow = [&] {
        return wrong(KAI_GEMM_OVERFLOW, say::large_matrices, x.name, count, x.rows, x.ld, stride);
    };
    if (x.row == SIZE_MAX) {
        return overflow();
    }
    if (x.ld != 0 && x.ld < x.row) {
        return wrong(KAI_GEMM_BAD_STRIDE, say::short_stride, x.ld_name, x.ld, x.row, "row");
    }
    const size_t line = x.ld != 0 ? x.ld : x.row, extent = mul_add(x.rows - 1, line, x.row);
    if (extent == SIZE_MAX) {
        return overflow();
    }
    const size_t step = stride != 0 ? stride : mul_add(x.rows, line, 0);
    if (step == SIZE_MAX || mul_add(count - 1, step, extent) == SIZE_MAX) {
        return overflow();
    }
    if (distinct && count > 1 && step < extent) {
        return wrong(KAI_GEMM_BAD_STRIDE, say::short_stride, "c.stride", step, extent, "matrix");
    }
    return {};
}

/// The first of `count` indices that is not below `end`, as a violation.
Violation check_indices(const char* name, const size_t* indices, size_t count, const char* end_name, size_t end) {
    for (size_t i = 0; i < count; ++i) {
        if (indices[i] >= end) {
            return wrong(KAI_GEMM_BAD_VALUE, say::index_too_large, name, i, indices[i], end_name, end);
        }
    }
    return {};
}

Violation check_lowp(const Problem& p, const kai_matmul_lowp_params* x) {
    if (gives_sums(p)) {
        return x == nullptr ? Violation{} : wrong(KAI_GEMM_BAD_COMBINATION, say::not_for, "operands.lowp", "sums");
    }
    if (x == nullptr || x->multiplier == nullptr || x->shift == nullptr) {
        const char* name = x == nullptr ? "lowp" : x->multiplier == nullptr ? "lowp->multiplier" : "lowp->shift";
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, name, name_of(p.b_kind));
    }
    if (x->pipeline != KAI_LOWP_LEGACY && x->pipeline != KAI_LOWP_FIXED_POINT) {
        return wrong(
            KAI_GEMM_BAD_VALUE, say::no_enumerator, "lowp->pipeline", static_cast<int32_t>(x->pipeline),
            "kai_lowp_pipeline");
    }
    if (x->min_value > x->max_value) {
        return wrong(
            KAI_GEMM_BAD_VALUE, say::out_of_order, "lowp->min_value", static_cast<int32_t>(x->min_value),
            "lowp->max_value", static_cast<int32_t>(x->max_value));
    }
    const int32_t least = x->pipeline == KAI_LOWP_LEGACY ? 0 : -31;
    for (size_t i = 0; i < (x->per_channel ? p.n : 1); ++i) {
        if (x->shift[i] < least || x->shift[i] > 31) {
            return wrong(
                KAI_GEMM_BAD_VALUE, say::entry_out_of_range, "lowp->shift", i, x->shift[i], least, int32_t{31});
        }
    }
    return {};
}

/// How a tag differs from the plan's.
Violation describe_difference(size_t matrix, const Tag& is, const Tag& should) {
    const struct {
        const char* name;
        size_t is, should;
    } numbers[] = {{"n", is.n, should.n},    {"k", is.k, should.k},    {"bl", is.bl, should.bl},
                   {"nr", is.nr, should.nr}, {"kr", is.kr, should.kr}, {"sr", is.sr, should.sr}};
    if (memcmp(is.magic, should.magic, sizeof(is.magic)) != 0) {
        return wrong(KAI_GEMM_WRONG_PACKING, say::unpacked, matrix);
    }
    for (const auto& x : numbers) {
        if (x.is != x.should) {
            return wrong(KAI_GEMM_WRONG_PACKING, say::packed_for_other, matrix, x.name, x.is, x.should);
        }
    }
    const char* what = is.format != should.format ? "in another format"
                       : is.kind != should.kind   ? "as another kind of B"
                       : is.bias == should.bias   ? "for another a_zero_point, multiplier or lut"
                       : should.bias == kNoBias   ? "with a bias, which the problem has not"
                       : is.bias == kNoBias       ? "without the bias of the problem"
                                                  : "with the bias at another place: alpha, beta or C differ";
    return wrong(KAI_GEMM_WRONG_PACKING, say::packed_otherwise, matrix, what);
}

/// Whether all bytes are the same. `tag` need not be aligned.
KAI_INLINE bool is_same(const void* tag, const uint64_t (&should)[8]) {
    uint64_t words[8], differences = 0;
    memcpy(words, tag, sizeof(words));
    for (size_t i = 0; i < 8; ++i) {
        differences |= words[i] ^ should[i];
    }
    return differences == 0;
}

/// The same, with the table of INT2_CHANNEL. `matrix`: its number.
Violation check_tag(const Plan& plan, const Operands& x, size_t matrix, const void* tag) {
    const Tag should = tag_of(plan, x.lut);
    Tag is;
    memcpy(&is, tag, sizeof(is));
    return memcmp(&is, &should, sizeof(is)) == 0 ? Violation{} : describe_difference(matrix, is, should);
}

/// Whether the packed matrices that a run reads are what the plan takes them for: their tags.
KAI_INLINE Violation check_tags(const Plan& plan, const Operands& x) {
    const Problem& p = plan.problem;
    if (plan.packed_b_size == 0 || p.untagged) {
        return {};
    }
    const size_t count = b_count(p);
    for (size_t i = 0; i < count; ++i) {
        if (p.groups && p.b_per_matrix && x.rows[i / b_of_each(p)] == 0) {
            continue;  // not read
        }
        const void* packed = x.b.table != nullptr ? x.b.table[i] : at(x.b.data, i * plan.packed_b_stride);
        const void* tag = at(packed, tag_offset(plan));
        if (p.b_kind != KAI_GEMM_INT2_CHANNEL && is_same(tag, plan.tag)) {
            continue;
        }
        if (const Violation violation = check_tag(plan, x, i, tag)) {
            return violation;
        }
    }
    return {};
}

/// The epilogue of a run.
}  // namespace

Violation check_epilogue(const Problem& p, const kai_gemm_epilogue& e) {
    constexpr Status kBad = KAI_GEMM_BAD_VALUE;
    if (p.epilogue == 0) {
        return wrong(KAI_GEMM_BAD_COMBINATION, say::needs, "operands.epilogue", "problem.epilogue");
    }
    if (bits_of(e.reserved) != 0) {
        return wrong(KAI_GEMM_RESERVED, say::reserved, "epilogue");
    }
    if (static_cast<unsigned>(e.activation) >= KAI_GEMM_ACTIVATION_COUNT) {
        return wrong(kBad, say::no_enumerator, "activation", static_cast<int32_t>(e.activation), "kai_gemm_activation");
    }
    if (!(e.clamp_min <= e.clamp_max)) {
        return wrong(kBad, say::bounds_out_of_order, e.clamp_min, e.clamp_max);
    }
    if (p.scatters && e.beta != 0 && e.beta != 1) {
        return wrong(kBad, say::beta_of_scatters, e.beta);
    }
    if (!quantises_c(p)) {
        const char* name = e.c_multiplier != 0          ? "c_multiplier"
                           : e.c_zero_point != 0        ? "c_zero_point"
                           : e.c_multipliers != nullptr ? "c_multipliers"
                                                        : nullptr;
        return name == nullptr ? Violation{} : wrong(KAI_GEMM_BAD_COMBINATION, say::not_for, name, name_of(p.c_type));
    }
    if (e.beta != 0) {
        return wrong(KAI_GEMM_BAD_COMBINATION, say::not_for, "beta", "int8 and uint8 C");
    }
    if (e.c_multipliers == nullptr && !(e.c_multiplier > 0)) {
        return wrong(kBad, say::not_above_zero, "c_multiplier", e.c_multiplier);
    }
    const int32_t least = p.c_type == kai_dt_int8 ? -128 : 0, most = least + 255;
    if (e.c_zero_point < least || e.c_zero_point > most) {
        return wrong(kBad, say::out_of_range, "c_zero_point", e.c_zero_point, least, most);
    }
    return {};
}

namespace {

/// An epilogue, offsets of int32 sums, and the room for members of later versions, which must be zero. Few runs have
/// one of them, and every run comes here: one look at all of it.
KAI_INLINE Violation check_rare(const Problem& p, const Operands& x) {
    uint64_t rare[(sizeof(x) - offsetof(Operands, epilogue)) / sizeof(uint64_t)];
    memcpy(rare, at(&x, offsetof(Operands, epilogue)), sizeof(rare));
    const uint64_t a = bits_of(x.a.reserved), b = bits_of(x.b.reserved), c = bits_of(x.c.reserved);
    if (__builtin_expect((a | b | c | bits_of(rare)) == 0, 1)) {
        return {};
    }
    if ((a | b | c | bits_of(x.reserved)) != 0) {
        const char* name = a != 0 ? "operands.a" : b != 0 ? "operands.b" : c != 0 ? "operands.c" : "operands";
        return wrong(KAI_GEMM_RESERVED, say::reserved, name);
    }
    if (x.offsets != nullptr && !gives_sums(p)) {
        return wrong(KAI_GEMM_BAD_COMBINATION, say::needs, "operands.offsets", "c_type int32 or floats");
    }
    return x.epilogue != nullptr ? check_epilogue(p, *x.epilogue) : Violation{};
}

Violation check_c(const Problem& p, const Operands& x, size_t rows) {
    Matrices c = matrices_of(x.c);
    c.name = "c", c.data_name = "c.data", c.ld_name = "c.ld";
    c.table = p.groups ? nullptr : c.table, c.count = p.groups ? 1 : p.batch;
    c.rows = p.scatters ? x.c_row_count : rows, c.row = p.n * size_of(p.c_type);
    if (p.c_transposed != 0) {
        c.rows = p.n, c.row = mul_add(rows, size_of(p.c_type), 0);
    }
    const Violation violation = check_pointers(c);
    return violation ? violation : check_strides(c, true);
}

Violation check_a(const Problem& p, const Operands& x, size_t all) {
    const size_t rows = p.groups && x.a_rows != nullptr ? x.a_row_count : all;
    Matrices a = matrices_of(x.a);
    a.name = "a", a.data_name = "a.data", a.ld_name = "a.ld";
    a.table = p.groups ? nullptr : a.table, a.count = p.groups ? 1 : p.batch;
    a.rows = p.a_transposed ? p.k : rows, a.row = mul_add(p.a_transposed ? rows : p.k, size_of(p.a_type), 0);
    const Violation violation = check_pointers(a);
    return violation ? violation : check_strides(a, false);
}

Violation check_packed_b(const Problem& p, const Operands& x) {
    Matrices b = matrices_of(x.b);
    b.name = "b", b.data_name = "packed b", b.count = b_count(p);
    return check_pointers(b);
}

Violation check_b(const Problem& p, const Operands& x) {
    Matrices b = matrices_of(x.b);
    b.name = "b", b.data_name = "b.data", b.ld_name = "b.ld", b.count = b_count(p);
    b.rows = b_rows(p), b.row = b_row_size(p);
    const Violation violation = check_pointers(b);
    return violation ? violation : check_strides(b, false);
}

/// Whether there is nothing to check, as most operands are: matrices one after the other, without gaps.
/// kai_gemm_make_plan refuses what is too large then.
template <typename Operand>
KAI_INLINE bool is_dense(const Operand& x) {
    return x.data != nullptr && x.table == nullptr && x.ld == 0 && x.stride == 0;
}

/// `all`: rows.
KAI_INLINE Violation check_operands(const Plan& plan, const Operands& x, size_t all) {
    const Problem& p = plan.problem;
    if (p.groups || !is_dense(x.c)) {
        if (const Violation violation = check_c(p, x, all)) {
            return violation;
        }
    }
    if (p.b_constant) {
        if (plan.packed_b_size != 0 && (x.b.data == nullptr || x.b.table != nullptr)) {
            if (const Violation violation = check_packed_b(p, x)) {
                return violation;
            }
        }
    } else if (p.bias && x.bias == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "bias", "problem.bias");
    }
    if (is_lowp(p.b_kind)) {
        if (const Violation violation = check_lowp(p, x.lowp)) {
            return violation;
        }
    }
    if (plan.gemm.ukernel == nullptr || p.k == 0) {
        return {};  // A and B are not read
    }
    if (p.groups || !is_dense(x.a)) {
        if (const Violation violation = check_a(p, x, all)) {
            return violation;
        }
    }
    return p.b_constant ? Violation{} : check_b(p, x);
}

/// Whether the workspaces of two products do.
bool overlap(const kai_gemm_product& a, const kai_gemm_product& b) {
    const uintptr_t a_start = reinterpret_cast<uintptr_t>(a.workspace),
                    b_start = reinterpret_cast<uintptr_t>(b.workspace);
    const size_t a_size = a.plan->workspace_size, b_size = b.plan->workspace_size;
    return a_size != 0 && b_size != 0 && (a_start < b_start ? b_start - a_start < a_size : a_start - b_start < b_size);
}

bool is_empty(const kai_gemm_product& x) {
    Rows rows = {};
    check_rows(x.plan->problem, *x.operands, rows);
    return is_empty(x.plan->problem, rows);
}

}  // namespace

Violation check_groups(const Problem& p, const Operands& x, Rows& rows) {
    if (x.rows == nullptr && p.batch != 0) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "rows", "problem.groups");
    }
    rows = {0, 0};
    for (size_t i = 0; i < p.batch; ++i) {
        rows.all = mul_add(x.rows[i], 1, rows.all);
        rows.most = max(rows.most, x.rows[i]);
    }
    if (rows.all > p.m) {
        return wrong(KAI_GEMM_TOO_MANY_ROWS, say::many_rows_of_run, rows.all, p.m);
    }
    const size_t indices = x.a_rows != nullptr ? rows.all : 0;
    if (const Violation violation = check_indices("a_rows", x.a_rows, indices, "a_row_count", x.a_row_count)) {
        return violation;
    }
    if (!p.scatters) {
        return {};
    }
    if (x.c_rows == nullptr && rows.all != 0) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "c_rows", "problem.scatters");
    }
    return check_indices("c_rows", x.c_rows, rows.all, "c_row_count", x.c_row_count);
}

Violation check_run(
    const Plan* plan, const Operands* operands, const void* workspace, size_t workspace_size, Rows& rows) {
    if (const Violation violation = check_plan(plan)) {
        return violation;
    }
    if (operands == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "operands");
    }
    const Problem& p = plan->problem;
    if (const Violation violation = check_rare(p, *operands)) {
        return violation;
    }
    if (!p.bias && operands->bias != nullptr) {
        return wrong(KAI_GEMM_UNUSED_BIAS, say::unused_bias, "bias");
    }
    if (const Violation violation = check_vectors(*plan)) {
        return violation;
    }
    if (const Violation violation = check_rows(p, *operands, rows)) {
        return violation;
    }
    if (is_empty(p, rows)) {
        return {};
    }
    if (const Violation violation = check_operands(*plan, *operands, rows.all)) {
        return violation;
    }
    if (p.b_kind == KAI_GEMM_INT2_CHANNEL && multiplies(p)) {
        if (const Violation violation = check_table(p, operands->lut)) {
            return violation;
        }
    }
    if (const Violation violation = check_workspace(plan->workspace_size, workspace, workspace_size)) {
        return violation;
    }
    return check_tags(*plan, *operands);
}

Violation check_products(const kai_gemm_product* products, size_t count, size_t& which) {
    which = 0;
    if (products == nullptr && count != 0) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "products");
    }
    for (; which < count; ++which) {
        const kai_gemm_product& x = products[which];
        if (bits_of(x.reserved) != 0) {
            return wrong(KAI_GEMM_RESERVED, say::reserved, "product");
        }
        Rows rows = {};
        if (const Violation violation = check_run(x.plan, x.operands, x.workspace, x.workspace_size, rows)) {
            return violation;
        }
        for (size_t i = 0; i < which; ++i) {
            if (overlap(products[i], x) && !is_empty(products[i]) && !is_empty(x)) {
                return wrong(KAI_GEMM_BAD_COMBINATION, say::overlaps_product, "workspace", i);
            }
        }
    }
    return {};
}

}  // namespace kai::gemm
