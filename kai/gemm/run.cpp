// kai_gemm_run: phases, units, tiles.
//
// Phase 0 packs what the kernels read, rows of A and B, unless it is packed already. The last phase multiplies, a tile
// per unit. Few rows (decode) have no phase 0: the first unit packs the rows for all, and units that start meanwhile
// pack their own copies instead of waiting. Same bytes, same bits.
//
// Where rows of the product are added to rows of C (`scatters`), no two units share columns of C: a unit computes its
// columns for all groups, in order.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/gemm/queue.hpp"

namespace kai::gemm {
namespace {

using Operands = kai_gemm_operands;

/// Tiles of the last phase are divided further where rows and columns of a call do not stay in the L1 cache together.
/// Not for portable kernels: each takes 16 columns at a time, whatever n_step is, and all rows for them.
constexpr size_t kShareOfL1 = 2;

// ---- matrices ----

/// A matrix of the batch, or a group.
struct Matrix {
    size_t index;
    size_t row;       ///< of its first row in A and C (groups)
    size_t slot_row;  ///< of its first row in the packed LHS, in rows rounded up to panels (groups)
    size_t m;
};

Matrix first_matrix(const Work& w) {
    return {0, 0, 0, w.plan->problem.groups ? w.operands->rows[0] : w.operands->m};
}

void next_matrix(const Work& w, Matrix& matrix) {
    ++matrix.index;
    if (w.plan->problem.groups) {
        matrix.row += matrix.m;
        matrix.slot_row += round_up(matrix.m, panel_rows(*w.kernel));
        matrix.m = matrix.index < w.plan->problem.batch ? w.operands->rows[matrix.index] : 0;
    }
}

/// The matrix that a unit belongs to, if matrix m has count(m) units; `unit` becomes the index within it.
template <typename Count>
Matrix find_matrix(const Work& w, size_t& unit, Count count) {
    Matrix matrix = first_matrix(w);
    if (!w.plan->problem.groups) {
        const size_t each = count(matrix.m);
        if (unit >= each) {
            matrix.index = unit / each;
            unit %= each;
        }
        return matrix;
    }
    while (unit >= count(matrix.m)) {
        unit -= count(matrix.m);
        next_matrix(w, matrix);
    }
    return matrix;
}

template <typename Count>
size_t all_units(const Work& w, Count count) {
    const Problem& p = w.plan->problem;
    if (!p.groups) {
        return p.batch * count(w.operands->m);
    }
    size_t units = 0;
    for (size_t i = 0; i < p.batch; ++i) {
        units += count(w.operands->rows[i]);
    }
    return units;
}

/// Rows of all groups.
size_t group_rows(const Work& w) {
    size_t rows = 0;
    for (size_t i = 0; i < w.plan->problem.batch; ++i) {
        rows += w.operands->rows[i];
    }
    return rows;
}

size_t lda_of(const Work& w, size_t m) {
    const Problem& p = w.plan->problem;
    return w.operands->a.ld != 0 ? w.operands->a.ld : (p.a_transposed ? m : p.k) * size_of(p.a_type);
}
size_t ldc_of(const Work& w) {
    const Problem& p = w.plan->problem;
    if (w.operands->c.ld != 0) {
        return w.operands->c.ld;
    }
    const size_t row = p.c_transposed == 0 ? p.n : p.groups ? group_rows(w) : w.operands->m;
    return row * size_of(p.c_type);
}
size_t ldb_of(const Work& w) {
    return w.operands->b.ld != 0 ? w.operands->b.ld : b_row_size(w.plan->problem);
}

/// Rows of A that groups share.
size_t shared_rows(const Work& w) {
    return w.operands->a_rows != nullptr ? w.operands->a_row_count : group_rows(w);
}

/// The first row of A of a matrix. Groups share one A.
KAI_INLINE const char* a_of(const Work& w, const Matrix& matrix) {
    const Operands& x = *w.operands;
    const Problem& p = w.plan->problem;
    if (p.groups) {
        return at(x.a.data, 0);
    }
    if (x.a.table != nullptr) {
        return at(x.a.table[matrix.index], 0);
    }
    if (matrix.index == 0) {
        return at(x.a.data, 0);
    }
    const size_t rows = p.a_transposed ? p.k : x.m;
    return at(x.a.data, matrix.index * (x.a.stride != 0 ? x.a.stride : rows * lda_of(w, x.m)));
}

/// `ldc`: ldc_of(w).
KAI_INLINE char* c_of(const Work& w, const Matrix& matrix, size_t ldc) {
    const Operands& x = *w.operands;
    const Problem& p = w.plan->problem;
    if (p.groups) {
        return at(x.c.data, matrix.row * (p.c_transposed != 0 ? size_of(p.c_type) : ldc));
    }
    if (x.c.table != nullptr) {
        return at(x.c.table[matrix.index], 0);
    }
    if (matrix.index == 0) {
        return at(x.c.data, 0);
    }
    return at(x.c.data, matrix.index * (x.c.stride != 0 ? x.c.stride : (p.c_transposed != 0 ? p.n : x.m) * ldc));
}

/// Matrix B, packed if it is constant, else as the caller stores it. second: that of a pair.
KAI_INLINE const char* b_of(const Work& w, size_t index, bool second = false) {
    const Operands& x = *w.operands;
    const Plan& plan = *w.plan;
    size_t i = plan.problem.b_per_matrix ? index : 0;
    if (plan.problem.gated != 0) {
        i = 2 * i + (second ? 1 : 0);
    }
    if (x.b.table != nullptr) {
        return at(x.b.table[i], 0);
    }
    const size_t stride = plan.problem.b_constant ? plan.packed_b_stride
                          : x.b.stride != 0       ? x.b.stride
                                                  : b_rows(plan.problem) * ldb_of(w);
    return i == 0 ? static_cast<const char*>(x.b.data) : at(x.b.data, i * stride);
}

/// What a matrix is multiplied with: its rows, or the row that it shares with others, as a matrix.
Matrix lhs_matrix(const Work& w, const Matrix& matrix) {
    if (!w.shares_rows) {
        return matrix;
    }
    const size_t row = w.operands->a_rows[matrix.row];
    return {row, row, row * panel_rows(*w.kernel), 1};
}

/// The row of A for each row of the groups; NULL: the same.
const size_t* row_indices(const Work& w) {
    return w.plan->problem.groups && !w.shares_rows ? w.operands->a_rows : nullptr;
}

/// Whether rows of this run are first converted, transposed or gathered into the workspace.
KAI_INLINE bool copies_rows(const Work& w) {
    const Problem& p = w.plan->problem;
    return w.kernel->copies_rows && (p.a_transposed || row_type(*w.kernel) != p.a_type || row_indices(w) != nullptr);
}

KAI_INLINE bool has_lhs(const Work& w) {
    return w.kernel->ukernel != nullptr && (w.kernel->lhs_packer != nullptr || copies_rows(w));
}

/// Whether its rows are in the workspace, apart from those for workers with an SME unit.
KAI_INLINE bool has_lhs_beside(const Work& w) {
    return w.kernel == &w.plan->gemm_beside && !same_lhs(w.plan->gemm, *w.kernel) && has_lhs(w);
}

// ---- LHS ----

/// Packs or copies rows first to first + count - 1 to their place in `to`, all rows of the matrix.
void make_lhs(const Work& w, const Matrix& matrix, size_t first, size_t count, char* to, const Slot& slot) {
    const Plan& plan = *w.plan;
    const Problem& p = plan.problem;
    const kai_gemm_kernel& kernel = *w.kernel;
    const char* a = a_of(w, matrix);
    const size_t lda = lda_of(w, p.groups && p.a_transposed ? shared_rows(w) : matrix.m);
    kai_call call = call_of(plan, kernel, matrix.m, p.n);
    if (slot.is_beside() && plan.lhs_packer_beside != nullptr && call.lhs_packer == plan.gemm.lhs_packer) {
        call.lhs_packer = plan.lhs_packer_beside;
    }
    const size_t* indices = row_indices(w);
    if (!copies_rows(w)) {
        call.lhs = indices != nullptr ? a : at(a, matrix.row * lda), call.lhs_stride = lda;
        call.lhs_rows = indices != nullptr ? indices + matrix.row : nullptr;
        kai_call_pack_lhs(&call, first, count, to);
        return;
    }
    const kai_datatype type = row_type(kernel);
    const size_t row_size = p.k * size_of(type), from_size = size_of(p.a_type);
    const size_t row_step = p.a_transposed ? from_size : lda, k_step = p.a_transposed ? lda : from_size;
    const auto copy = [&](size_t row, size_t rows, char* dst) {
        if (indices == nullptr) {
            const char* from = at(a, (matrix.row + row) * row_step);
            copy_matrix(type, dst, row_size, p.a_type, from, row_step, k_step, rows, p.k);
            return;
        }
        for (size_t i = 0; i < rows; ++i) {
            const char* from = at(a, indices[matrix.row + row + i] * row_step);
            copy_matrix(type, dst + i * row_size, row_size, p.a_type, from, row_step, k_step, 1, p.k);
        }
    };
    if (kernel.lhs_packer == nullptr) {
        copy(first, count, to + first * row_size);
        return;
    }
    char* const copied = slot.get(plan.layout.copied);
    const size_t mr = panel_rows(kernel), panel = lhs_size(plan, kernel, mr);
    for (size_t row = first; row < first + count; row += mr) {
        call.m = min(mr, first + count - row);
        copy(row, call.m, copied);
        call.lhs = copied;
        kai_call_pack_lhs(&call, 0, call.m, to + row / mr * panel);
    }
}

/// The product that packs the rows for this one: itself, unless several run as one.
const Work& lhs_work(const Work& w) {
    return w.lhs_work != nullptr ? *w.lhs_work : w;
}

/// Where the packed rows of a matrix are.
char* lhs_of(const Work& w, const Matrix& matrix) {
    if (has_lhs_beside(w)) {
        const size_t before = w.plan->problem.groups ? lhs_size(*w.plan, *w.kernel, matrix.slot_row)
                                                     : matrix.index * w.plan->lhs_beside_stride;
        return at(w.workspace, w.plan->lhs_beside + before);
    }
    const Work& of = lhs_work(w);
    const kai_gemm_layout& layout = of.plan->layout;
    const size_t offset =
        w.plan->problem.groups ? lhs_size(*w.plan, *w.kernel, matrix.slot_row) : matrix.index * layout.lhs_stride;
    return at(of.workspace, layout.lhs + offset);
}

/// The packed rows of a matrix: the shared ones if they are there, else packed here, for all if no other unit does.
const char* lhs_on_demand(const Work& w, const Matrix& matrix, const Slot& slot) {
    enum : uint32_t { kMissing, kBeingMade, kThere };
    const kai_gemm_layout& layout = w.plan->layout;
    if (is_single(w)) {
        make_lhs(w, matrix, 0, matrix.m, lhs_of(w, matrix), slot);
        return lhs_of(w, matrix);
    }
    const bool is_beside = has_lhs_beside(w);
    const Work& of = is_beside ? w : lhs_work(w);
    auto* state = reinterpret_cast<uint32_t*>(at(of.workspace, of.plan->layout.lhs_states)) + matrix.index;
    state += is_beside ? w.plan->problem.batch : 0;
    uint32_t seen = __atomic_load_n(state, __ATOMIC_ACQUIRE);
    char* shared = lhs_of(w, matrix);
    if (seen == kThere) {
        return shared;
    }
    if (seen == kMissing &&
        __atomic_compare_exchange_n(state, &seen, kBeingMade, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        make_lhs(w, matrix, 0, matrix.m, shared, slot);
        __atomic_store_n(state, kThere, __ATOMIC_RELEASE);
        return shared;
    }
    if (seen == kThere) {
        return shared;
    }
    if (matrix.m > layout.few_rows_max) {  // of several products, each one unit: there is no room for a copy
        while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != kThere) {
            pause();
        }
        return shared;
    }
    make_lhs(w, matrix, 0, matrix.m, slot.get(layout.few_rows), slot);
    return slot.get(layout.few_rows);
}

/// Parts of the rows of a matrix that are packed on their own.
size_t lhs_parts(const Work& w, size_t m) {
    const size_t panels = divide_up(m, panel_rows(*w.kernel));
    return min(panels, divide_up(4 * w.plan->workers, w.plan->problem.batch));
}

/// Units that pack a matrix B for this run: none if no rows are multiplied by it.
size_t b_parts(const Work& w, size_t m) {
    return m == 0 || w.plan->problem.b_constant || !packs_b(*w.kernel) ? 0 : w.plan->pack_units;
}

/// A unit of those that pack the LHS.
void prepare_lhs(const Work& w, size_t unit, const Slot& slot) {
    const size_t mr = panel_rows(*w.kernel);
    const Matrix matrix = find_matrix(w, unit, [&](size_t m) { return lhs_parts(w, m); });
    const size_t parts = lhs_parts(w, matrix.m), panels = divide_up(matrix.m, mr);
    const size_t first = panels * unit / parts * mr, end = min(panels * (unit + 1) / parts * mr, matrix.m);
    make_lhs(w, matrix, first, end - first, lhs_of(w, matrix), slot);
}

void prepare(const Work& w, size_t unit, const Slot& slot) {
    const Plan& plan = *w.plan;
    if (unit < w.lhs_units) {
        return prepare_lhs(w, unit, slot);
    }
    unit -= w.lhs_units;
    if (unit < w.lhs_beside_units) {
        return prepare_lhs(beside_of(w), unit, slot);
    }
    unit -= w.lhs_beside_units;
    const size_t index =
        plan.problem.b_per_matrix ? find_matrix(w, unit, [&](size_t m) { return b_parts(w, m); }).index : 0;
    kai_gemm_weights weights = {};
    weights.b = b_of(w, index), weights.ldb = w.operands->b.ld, weights.bias = w.operands->bias;
    const size_t nr = plan.format.nr, panels = divide_up(plan.problem.n, nr), parts = plan.pack_units;
    const size_t first = panels * unit / parts * nr, end = min(panels * (unit + 1) / parts * nr, plan.problem.n);
    char* packed = at(w.workspace, plan.layout.b + index * plan.packed_b_stride);
    pack_columns(plan, weights, first, end - first, packed, slot.get(plan.layout.copied));
}

// ---- tiles ----

struct Rectangle {
    size_t m, n, rows, columns;
};

/// How many columns of its panel come before column n, with which a kernel begins.
size_t inside_panel(const Plan& plan, const kai_ukernel& u, size_t n) {
    return u.run_columns != nullptr ? n % plan.format.nr : 0;
}

/// Where row `row` of the products is added to C, from column n on.
char* c_row(const Work& w, size_t row, size_t n) {
    return at(w.operands->c.data, w.operands->c_rows[row] * ldc_of(w) + n * size_of(w.plan->problem.c_type));
}

/// How this run stores its products. Without the bias, which depends on the columns.
KAI_INLINE Store store_of(const Work& w) {
    const Problem& p = w.plan->problem;
    const kai_gemm_epilogue* e = w.operands->epilogue;
    return e != nullptr ? Store{e->alpha, e->beta, e->clamp_min, e->clamp_max, nullptr, 1}
                        : Store{p.alpha, p.beta, p.clamp_min, p.clamp_max, nullptr, 1};
}

/// C = clamp(beta * C), for some columns of all listed rows of C. Rows may be listed more than once: doing this twice
/// changes nothing.
void prepare_columns(const Work& w, size_t n, size_t columns, float beta, float clamp_min, float clamp_max) {
    const Store how = {1, beta, clamp_min, clamp_max, nullptr, 1};
    const size_t rows = group_rows(w);
    for (size_t row = 0; row < rows; ++row) {
        store_tile(how, kai_dt_f32, nullptr, 0, w.plan->problem.c_type, c_row(w, row, n), 0, 1, columns);
    }
}

/// The products of a tile: of the second matrices of pairs, too. NULL: zeros.
struct Products {
    kai_datatype type;
    const void *first, *second;
    size_t stride;
};

/// Stores products into part `r` of the matrix: at c, rows `ldc` apart. With `scatters`, to the rows that are listed.
void store_rows(
    const Work& w, const Matrix& matrix, const Rectangle& r, const Products& products, char* c, size_t ldc) {
    const Plan& plan = *w.plan;
    const Problem& p = plan.problem;
    Store how = store_of(w);
    const auto bias_of = [&](bool second) -> const void* {
        if (!plan.bias_apart) {
            return nullptr;
        }
        const void* bias =
            p.b_constant ? b_of(w, matrix.index, second) + round_up(plan.panels_size, kAlignment) : w.operands->bias;
        return at(bias, r.n * sizeof(float));
    };
    how.bias = bias_of(false);
    const kai_gemm_epilogue* e = w.operands->epilogue;
    const bool finishes = e != nullptr || p.gated != 0 || quantises_c(p);
    const auto from = [](const float* values, size_t i) { return values != nullptr ? values + i : nullptr; };
    Finish finish = {};
    if (e != nullptr) {
        finish.activation = e->activation;
        finish.column_scale = from(e->column_scale, r.n), finish.column_shift = from(e->column_shift, r.n);
    }
    finish.c_multiplier = e != nullptr ? e->c_multiplier : 1;
    finish.c_zero_point = e != nullptr ? e->c_zero_point : 0;
    if (p.gated != 0) {
        finish.gated = true, finish.gate_bias = bias_of(true);
    }
    const size_t product_rows = p.scatters ? 1 : r.rows;
    for (size_t i = 0; i < r.rows; i += product_rows) {
        const size_t row = matrix.row + r.m + i;
        if (p.scatters) {
            c = c_row(w, row, r.n);
            how.beta = 1, how.clamp_min = -__builtin_inff(), how.clamp_max = __builtin_inff();
            how.weight = w.operands->c_weights != nullptr ? w.operands->c_weights[row] : 1;
        }
        const auto product = [&](const void* all) { return all != nullptr ? at(all, i * products.stride) : nullptr; };
        const void* first = product(products.first);
        if (!finishes) {
            store_tile(how, products.type, first, products.stride, p.c_type, c, ldc, product_rows, r.columns);
            continue;
        }
        if (e != nullptr) {
            finish.row_scale = from(e->row_scale, row), finish.row_shift = from(e->row_shift, row);
            finish.c_multipliers = from(e->c_multipliers, row);
        }
        finish.gate = product(products.second);
        finish_tile(how, finish, products.type, first, products.stride, p.c_type, c, ldc, product_rows, r.columns);
    }
}

/// The part of C that the store reads and writes.
void store_part(const Work& w, const Matrix& matrix, const Rectangle& r, const Products& products) {
    const Problem& p = w.plan->problem;
    const size_t ldc = p.scatters ? 0 : ldc_of(w), size = size_of(p.c_type);
    if (p.c_transposed == 0) {
        char* c = p.scatters ? nullptr : c_of(w, matrix, ldc) + r.m * ldc + r.n * size;
        return store_rows(w, matrix, r, products, c, ldc);
    }
    // In parts that are rows first, whose columns are whole lines of C.
    constexpr size_t kRows = 16, kColumns = 32;
    float turned[kRows * kColumns];
    const size_t row = kColumns * size;
    const bool reads_c = store_of(w).beta != 0;
    for (size_t n = 0; n < r.columns; n += kColumns) {
        for (size_t m = 0; m < r.rows; m += kRows) {
            const Rectangle part = {r.m + m, r.n + n, min(kRows, r.rows - m), min(kColumns, r.columns - n)};
            const size_t offset = m * products.stride + n * size_of(products.type);
            const auto from = [&](const void* all) { return all != nullptr ? at(all, offset) : nullptr; };
            char* c = c_of(w, matrix, ldc) + part.n * ldc + part.m * size;
            if (reads_c) {
                copy_matrix(p.c_type, turned, row, p.c_type, c, size, ldc, part.rows, part.columns);
            }
            store_rows(
                w, matrix, part, {products.type, from(products.first), from(products.second), products.stride},
                at(turned, 0), row);
            copy_matrix(p.c_type, c, ldc, p.c_type, turned, size, row, part.columns, part.rows);
        }
    }
}

/// Offsets and bias of int32 sums.
KAI_INLINE void set_offsets(const Work& w, const Matrix& matrix, kai_call& call) {
    const Problem& p = w.plan->problem;
    if (w.operands->offsets != nullptr) {
        call.offsets = *w.operands->offsets;
    }
    kai_matmul_offsets& offsets = call.offsets;
    if (offsets.lhs_offsets != nullptr) {
        offsets.lhs_offsets += p.groups ? matrix.row : matrix.index * matrix.m;
    }
    if (flips_b(*w.plan)) {
        const uint32_t more = p.b_kind == KAI_GEMM_INT8_LOWP ? 0U - 128U : 128U;
        offsets.rhs_offset = static_cast<int32_t>(static_cast<uint32_t>(offsets.rhs_offset) + more);
    }
}

/// Those of rows from m on and columns from n on.
kai_matmul_offsets offsets_from(kai_matmul_offsets all, size_t m, size_t n) {
    const auto from = [](const int32_t* values, size_t i) { return values != nullptr ? values + i : nullptr; };
    all.lhs_offsets = from(all.lhs_offsets, m), all.rhs_offsets = from(all.rhs_offsets, n);
    all.bias = from(all.bias, n);
    return all;
}

/// The call of the kernel for a matrix, C apart. Inlined, so that members which a caller does not use take no time.
KAI_INLINE kai_call call_for(const Work& w, const Matrix& matrix, const Slot& slot) {
    const Plan& plan = *w.plan;
    const Problem& p = plan.problem;
    kai_call call = call_of(plan, *w.kernel, matrix.m, p.n);
    const Matrix rows = lhs_matrix(w, matrix);
    if (!has_lhs(w)) {
        call.lhs_stride = lda_of(w, rows.m);
        call.lhs = at(a_of(w, rows), rows.row * call.lhs_stride);
    } else {
        const char* lhs = w.packs_lhs_on_demand ? lhs_on_demand(w, rows, slot) : lhs_of(w, rows);
        (w.kernel->lhs_packer != nullptr ? call.lhs_packed : call.lhs) = lhs;
    }
    if (p.b_constant) {
        call.rhs_packed = b_of(w, matrix.index);
    } else if (!packs_b(*w.kernel)) {
        call.rhs = b_of(w, matrix.index), call.rhs_stride = ldb_of(w);
    } else {
        const size_t i = p.b_per_matrix ? matrix.index : 0;
        call.rhs_packed = at(w.workspace, plan.layout.b + i * plan.packed_b_stride);
    }
    call.lut = w.operands->lut;
    if (w.operands->lowp != nullptr) {
        call.lowp = *w.operands->lowp;
    }
    if (gives_sums(p)) {
        set_offsets(w, matrix, call);
    }
    return call;
}

/// Columns of a tile that a kernel gets at a time: rows and columns of a call stay in the L1 cache together.
size_t columns_of_call(const Work& w, const Rectangle& tile) {
    const Plan& plan = *w.plan;
    const kai_gemm_kernel& kernel = *w.kernel;
    const kai_ukernel& u = *kernel.ukernel;
    const bool row_by_row = u.rows == KAI_ROWS_EACH;
    if (u.features == 0 || tile.rows <= 1 || (!row_by_row && tile.rows <= 2 * u.get_m_step())) {
        return tile.columns;
    }
    const size_t step = u.get_n_step(), nr = plan.format.nr;
    const size_t bytes = packs_b(kernel) ? divide_up(step, nr) * (plan.panels_size / divide_up(plan.problem.n, nr))
                         : row_by_row    ? step * ldb_of(w)
                                         : 0;
    return bytes != 0 ? max(plan.problem.l1_bytes / kShareOfL1 / bytes, 1) * step : tile.columns;
}

/// Straight into C.
void multiply_direct(const Work& w, const Matrix& matrix, const Rectangle& tile, kai_call& call) {
    const Plan& plan = *w.plan;
    const Problem& p = plan.problem;
    call.dst_stride = ldc_of(w), call.dst = c_of(w, matrix, call.dst_stride);
    call.clamp = true, call.clamp_min = p.clamp_min, call.clamp_max = p.clamp_max;
    call.requantize = {p.c_min, p.c_max, p.c_zero_point};
    const size_t columns = columns_of_call(w, tile);
    for (size_t n = 0; n < tile.columns; n += columns) {
        kai_call_run(&call, tile.m, tile.n + n, tile.rows, min(columns, tile.columns - n));
    }
}

/// Whether one call of the kernel computes all of a run of a single unit, straight into C.
KAI_INLINE bool is_one_call(const Work& w, const Rectangle& all) {
    const kai_ukernel* u = w.kernel->ukernel;
    return u != nullptr && w.plan->direct && (u->rows != KAI_ROWS_ONE || all.rows == 1) &&
           columns_of_call(w, all) >= all.columns;
}

/// That call, without kai_call_run: to look for a part of the product, and to check again what the run has checked,
/// takes longer than a small product.
[[gnu::noinline]] void multiply_at_once(const Work& w, const Slot& slot) {
    const Problem& p = w.plan->problem;
    const kai_ukernel& u = *w.kernel->ukernel;
    const Matrix matrix = {0, 0, 0, w.rows};
    const kai_call call = call_for(w, matrix, slot);
    kai::KernelArgs a = {};
    a.m = w.rows, a.n = p.n, a.bl = call.bl;
    kai::set_depth(a, p.k);
    if (kai::lhs_is_packed(u)) {
        a.lhs = call.lhs_packed;
    } else {
        a.lhs = call.lhs, a.lhs_stride = has_lhs(w) ? p.k * size_of(row_type(*w.kernel)) : call.lhs_stride;
    }
    if (kai::rhs_is_packed(u)) {
        a.rhs = call.rhs_packed;
    } else {
        a.rhs = call.rhs, a.rhs_stride = call.rhs_stride;
    }
    a.dst_stride_row = ldc_of(w), a.dst_stride_col = size_of(u.dst_type);
    a.dst = c_of(w, matrix, a.dst_stride_row);
    a.clamp = true, a.clamp_min = p.clamp_min, a.clamp_max = p.clamp_max;
    const kai_matmul_requantize32_params requantize = {p.c_min, p.c_max, p.c_zero_point};
    const float one = 1;
    a.requantize = &requantize, a.acc_scale = &one;
    a.lut = call.lut, a.lowp = w.operands->lowp;
    kai_matmul_offsets offsets;
    if (gives_sums(p)) {
        offsets = call.offsets;
        a.offsets = &offsets;
    }
    kai::run(u, a, kai::Direct{});
}

/// Through the workspace, part by part.
void multiply_and_store(
    const Work& w, const Matrix& matrix, const Rectangle& tile, const Slot& slot, const kai_call& call) {
    const Plan& plan = *w.plan;
    const kai_ukernel& u = *w.kernel->ukernel;
    const size_t m_step = u.get_m_step(), n_step = u.get_n_step(), size = size_of(u.dst_type);
    const size_t rows = max(plan.layout.tile_rows / m_step, 1) * m_step,
                 columns = max(plan.layout.tile_columns / n_step, 1) * n_step;
    for (size_t n = 0, next = 0; n < tile.columns; n = next) {
        // Kernels count from the start of a panel on, and `columns` are whole panels.
        const size_t inside = inside_panel(plan, u, tile.n + n);
        next = n + min(columns - inside, tile.columns - n);
        for (size_t m = 0; m < tile.rows; m += rows) {
            const Rectangle part = {tile.m + m, tile.n + n, min(rows, tile.rows - m), next - n};
            kai_call part_call = call;
            part_call.dst = slot.get(plan.layout.tile), part_call.dst_stride = columns * size;
            if (call.lhs_packed != nullptr) {
                part_call.lhs_packed = at(call.lhs_packed, kai_call_lhs_packed_offset(&call, part.m));
            } else {
                part_call.lhs = at(call.lhs, kai_call_lhs_packed_offset(&call, part.m));
            }
            const size_t rhs_offset = kai_call_rhs_packed_offset(&call, part.n - inside);
            if (call.rhs != nullptr) {
                part_call.rhs = at(call.rhs, rhs_offset);
            } else {
                part_call.rhs_packed = at(call.rhs_packed, rhs_offset);
            }
            part_call.m = part.rows, part_call.n = inside + part.columns;
            part_call.offsets = offsets_from(call.offsets, part.m, part.n - inside);
            kai_call_run(&part_call, 0, inside, part.rows, part.columns);
            Products products = {u.dst_type, at(part_call.dst, inside * size), nullptr, part_call.dst_stride};
            if (plan.problem.gated != 0) {
                part_call.rhs_packed = at(b_of(w, matrix.index, true), rhs_offset);
                part_call.dst = at(part_call.dst, round_up(rows * part_call.dst_stride, kAlignment));
                products.second = at(part_call.dst, inside * size);
                kai_call_run(&part_call, 0, inside, part.rows, part.columns);
            }
            store_part(w, matrix, part, products);
        }
    }
}

void multiply_tile(const Work& w, const Matrix& matrix, const Rectangle& tile, const Slot& slot) {
    if (w.kernel->ukernel == nullptr) {
        store_part(w, matrix, tile, {kai_dt_f32, nullptr, nullptr, 0});
        return;
    }
    kai_call call = call_for(w, matrix, slot);
    if (w.plan->direct) {
        multiply_direct(w, matrix, tile, call);
    } else {
        multiply_and_store(w, matrix, tile, slot, call);
    }
}

/// Columns whose tiles are alike: all, or those of a kind of workers.
struct Strip {
    size_t first, columns, m_tile, n_tile;
    bool m_first;
};

/// Those that a unit is of; `unit` becomes the index within it.
Strip strip_of(const Work& w, size_t& unit) {
    const size_t n = w.plan->problem.n, with_sme = divided_columns(*w.plan, w.rows <= 1);
    if (w.sme_units == 0 || w.sme_units == w.units[w.phases - 1]) {
        return {0, n, w.m_tile, w.n_tile, w.m_first};
    }
    if (unit < w.sme_units) {
        return {0, with_sme, w.m_tile, w.n_tile, w.m_first};
    }
    unit -= w.sme_units;
    return {with_sme, n - with_sme, w.m_tile_beside, w.n_tile_beside, w.m_first_beside != 0};
}

void multiply_unit(const Work& w, size_t unit, const Slot& slot) {
    const Problem& p = w.plan->problem;
    const Strip strip = strip_of(w, unit);
    const size_t n_tiles = divide_up(strip.columns, strip.n_tile);
    if (p.scatters) {
        const size_t n0 = unit * strip.n_tile, columns = min(strip.n_tile, strip.columns - n0);
        const float inf = __builtin_inff();
        const Store e = store_of(w);
        if (e.beta == 0) {
            prepare_columns(w, strip.first + n0, columns, 0, -inf, inf);
        }
        for (Matrix matrix = first_matrix(w); matrix.index < p.batch; next_matrix(w, matrix)) {
            if (matrix.m != 0) {
                multiply_tile(w, matrix, {0, strip.first + n0, matrix.m, columns}, slot);
            }
        }
        if (e.clamp_min != -inf || e.clamp_max != inf) {
            prepare_columns(w, strip.first + n0, columns, 1, e.clamp_min, e.clamp_max);
        }
        return;
    }
    const Matrix matrix = find_matrix(w, unit, [&](size_t m) { return divide_up(m, strip.m_tile) * n_tiles; });
    const size_t m_tiles = divide_up(matrix.m, strip.m_tile);
    const size_t m0 = (strip.m_first ? unit % m_tiles : unit / n_tiles) * strip.m_tile,
                 n0 = (strip.m_first ? unit / m_tiles : unit % n_tiles) * strip.n_tile;
    const Rectangle tile = {
        m0, strip.first + n0, min(strip.m_tile, matrix.m - m0), min(strip.n_tile, strip.columns - n0)};
    multiply_tile(w, matrix, tile, slot);
}

KAI_INLINE void multiply(const Work& w, size_t unit, const Slot& slot) {
    const Problem& p = w.plan->problem;
    if (is_single(w) && !p.groups) {
        const Rectangle all = {0, 0, w.rows, p.n};
        if (is_one_call(w, all)) {
            multiply_at_once(w, slot);
        } else {
            multiply_tile(w, {0, 0, 0, w.rows}, all, slot);
        }
    } else {
        multiply_unit(w, unit, slot);
    }
}

// ---- the run ----

/// Counts phases and units of a run that is more than one unit, or may be.
void count_units(Work& w, size_t rows) {
    const Plan& plan = *w.plan;
    const Problem& p = plan.problem;
    const bool one_row = w.rows <= 1, divided = divided_columns(plan, one_row) != 0;
    const Share share = divided ? share_with_sme(plan, one_row) : share_of_all(plan, one_row);
    const Tiles tiles = tiles_of_run(plan, share, rows, w.rows);
    w.m_tile = tiles.rows, w.n_tile = tiles.columns, w.m_first = tiles.m_first;
    const bool packs_lhs = has_lhs(w) && !w.packs_lhs_on_demand;
    w.lhs_units = packs_lhs ? all_units(w, [&](size_t m) { return lhs_parts(w, m); }) : 0;
    if (packs_lhs && is_mixed(plan)) {
        const Work beside = beside_of(w);
        const auto parts = [&](size_t m) { return lhs_parts(beside, m); };
        w.lhs_beside_units = has_lhs_beside(beside) ? all_units(beside, parts) : 0;
    }
    size_t first = w.lhs_units + w.lhs_beside_units;
    if (w.kernel->ukernel != nullptr) {
        const auto parts = [&](size_t m) { return b_parts(w, m); };
        first += p.b_per_matrix ? all_units(w, parts) : parts(w.rows);
    }
    const auto units_of = [&](size_t columns, size_t m_tile, size_t n_tile) {
        const size_t n_tiles = divide_up(columns, n_tile);
        return p.scatters ? n_tiles : all_units(w, [&](size_t m) { return divide_up(m, m_tile) * n_tiles; });
    };
    size_t units = units_of(share.columns, w.m_tile, w.n_tile);
    if (divided) {
        w.sme_units = units;
        const Share beside = share_beside(plan, one_row);
        const Tiles its = tiles_of_run(plan, beside, rows, w.rows);
        w.m_tile_beside = its.rows, w.n_tile_beside = its.columns, w.m_first_beside = its.m_first ? 1 : 0;
        units += units_of(beside.columns, its.rows, its.columns);
    }
    w.units[first != 0] = units;
    if (first != 0) {
        w.units[0] = first;
    }
    w.phases = first != 0 ? 2 : 1;
}

/// The work of a run that passed the checks.
KAI_INLINE void divide(const Plan& plan, const Operands& x, const Rows& rows, void* workspace, Work& w) {
    const Problem& p = plan.problem;
    w = {};
    w.plan = &plan, w.operands = &x, w.workspace = workspace;
    w.rows = rows.most;
    w.kernel = rows.most <= 1 ? &plan.gemv : &plan.gemm;
    w.m_tile = w.n_tile = 1;
    if (is_empty(p, rows)) {
        return;
    }
    w.shares_rows = p.groups && x.a_rows != nullptr && rows.most == 1 && x.a_row_count <= rows.all;
    const bool whole = rows.most <= plan.whole_rows && p.batch == 1 && p.b_constant;
    w.packs_lhs_on_demand = has_lhs(w) && (whole || rows.most <= plan.layout.few_rows_max);
    if (whole) {
        w.m_tile = rows.most, w.n_tile = p.n;
        w.units[0] = w.phases = 1;
        w.single = 1;
        return;
    }
    count_units(w, rows.all);
    w.single = w.phases == 1 && w.units[0] == 1 ? 1 : 0;
}

}  // namespace

void run_unit(const Work& w, size_t phase, size_t unit, const Slot& slot) {
    if (phase + 1 < w.phases) {
        prepare(w, unit, slot);
    } else if (slot.is_beside()) {
        multiply(beside_of(w), unit, slot);
    } else {
        multiply(w, unit, slot);
    }
}

void run_columns(const Work& w, size_t first, size_t columns, const Slot& slot) {
    multiply_tile(w, {0, 0, 0, 1}, {0, first, 1, columns}, slot);
}

namespace {

/// A phase of a run.
struct Phase {
    const Work* work;
    size_t phase, parts;
    size_t next = 0;

    static void run(void* context, size_t task) {
        auto& p = *static_cast<Phase*>(context);
        take_parts(*p.work, p.phase, p.parts, p.next, task);
    }
};

/// A phase of several products. All last phases start together: a product without a first phase waits for those that
/// have one.
struct SharedPhase {
    kai_gemm_product* products;
    size_t count;
    bool is_last;

    /// Whether a product takes part, in `phase`.
    bool has(const Work& w, size_t& phase) const {
        phase = is_last ? w.phases - 1 : 0;
        return w.phases > (is_last ? 0 : 1);
    }

    /// Divides it. Returns the number of tasks.
    size_t begin() const {
        size_t tasks = 0, most = 0, phase = 0;
        for (size_t i = 0; i < count; ++i) {
            kai_gemm_product& x = products[i];
            x.next = x.parts = 0;
            if (has(x.work, phase)) {
                x.parts = count_parts(x.work, phase);
                tasks += x.parts, most = max(most, kPartsPerWorker * x.plan->problem.units);
            }
        }
        return min(tasks, most);
    }

    bool is_done() const {
        bool done = true;
        for (size_t i = 0; i < count; ++i) {
            const kai_gemm_product& x = products[i];
            size_t phase = 0;
            done = done && (!has(x.work, phase) || all_taken(x.work, phase, x.parts, x.next));
        }
        return done;
    }

    static void run(void* context, size_t task) {
        const auto& p = *static_cast<const SharedPhase*>(context);
        for (size_t i = 0, phase = 0; i < p.count; ++i) {
            kai_gemm_product& x = p.products[i];
            if (p.has(x.work, phase)) {
                take_parts(x.work, phase, x.parts, x.next, task);
            }
        }
    }
};

/// Of the workspace: states and slots, which units of the run share.
KAI_INLINE void clear_states(const Work& w) {
    if (w.phases != 0 && w.plan->workspace_size != 0 && !is_single(w)) {
        memset(w.workspace, 0, min(w.plan->layout.lhs, w.plan->workspace_size));
    }
}

/// kai_gemm_begin.
KAI_INLINE Status
begin(const Plan* plan, const Operands* operands, void* workspace, size_t workspace_size, kai_gemm_work& work) {
    Rows rows = {};
    if (const Violation violation = check_run(plan, operands, workspace, workspace_size, rows)) {
        return violation.status;
    }
    divide(*plan, *operands, rows, workspace, work);
    clear_states(work);
    return KAI_GEMM_OK;
}

}  // namespace

Work work_of(const Plan& plan, const Operands& operands) {
    Rows rows = {};
    check_rows(plan.problem, operands, rows);
    Work w;
    divide(plan, operands, rows, nullptr, w);
    return w;
}

bool have_same_rows(const Work& a, const Work& b) {
    if (a.phases == 0 || b.phases == 0 || !has_lhs(a) || !has_lhs(b) ||
        a.packs_lhs_on_demand != b.packs_lhs_on_demand) {
        return false;
    }
    const Problem &p = a.plan->problem, &q = b.plan->problem;
    const Operands &x = *a.operands, &y = *b.operands;
    if (p.k != q.k || p.a_type != q.a_type || p.a_transposed != q.a_transposed || p.batch != q.batch ||
        p.groups != q.groups || x.a.data != y.a.data || x.a.table != y.a.table || x.a.ld != y.a.ld ||
        x.a.stride != y.a.stride) {
        return false;
    }
    const bool same_list =
        p.groups ? x.rows == y.rows && x.a_rows == y.a_rows && x.a_row_count == y.a_row_count : x.m == y.m;
    const kai_packer* packer = a.kernel->lhs_packer;
    if (!same_list || !same_lhs(*a.kernel, *b.kernel) || copies_rows(a) != copies_rows(b) ||
        row_type(*a.kernel) != row_type(*b.kernel)) {
        return false;
    }
    if (packer == nullptr) {
        return true;
    }
    const kai_ukernel &u = *a.kernel->ukernel, &v = *b.kernel->ukernel;
    const bool same_blocks = packer->signature != KAI_LHS_PACK_BL || (p.bl == q.bl && u.k_multiple == v.k_multiple);
    return same_blocks && u.get_kr() == v.get_kr() && u.get_sr() == v.get_sr();
}

}  // namespace kai::gemm

using namespace kai::gemm;

extern "C" {

kai_gemm_status kai_gemm_begin(
    const kai_gemm_plan* plan, const kai_gemm_operands* operands, void* workspace, size_t workspace_size,
    kai_gemm_work* work) {
    if (work != nullptr) {
        return begin(plan, operands, workspace, workspace_size, *work);
    }
    Rows rows = {};
    const Status status = check_run(plan, operands, workspace, workspace_size, rows).status;
    return status != KAI_GEMM_OK ? status : KAI_GEMM_NULL_POINTER;
}

kai_gemm_status kai_gemm_try_unit(const kai_gemm_work* work, size_t phase, size_t unit) {
    if (work == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    if (phase >= work->phases || unit >= work->units[phase]) {
        return KAI_GEMM_NO_UNIT;
    }
    if (check_vectors(*work->plan)) {
        return KAI_GEMM_VECTORS_CHANGED;
    }
    const bool divided = is_divided(*work, phase);
    const Slot slot(*work, unit, !divided ? Suits::any : unit < work->sme_units ? Suits::with_sme : Suits::beside);
    if (!slot) {
        return KAI_GEMM_BUSY;
    }
    run_unit(*work, phase, unit, slot);
    return KAI_GEMM_OK;
}

kai_gemm_status kai_gemm_run_unit(const kai_gemm_work* work, size_t phase, size_t unit) {
    for (;; pause()) {
        const Status status = kai_gemm_try_unit(work, phase, unit);
        if (status != KAI_GEMM_BUSY) {
            return status;
        }
    }
}

kai_gemm_status kai_gemm_run(
    const kai_gemm_plan* plan, const kai_gemm_operands* operands, void* workspace, size_t workspace_size,
    kai_gemm_parallel_for* parallel_for, void* pool) {
    kai_gemm_work work;
    const Status status = begin(plan, operands, workspace, workspace_size, work);
    if (status != KAI_GEMM_OK) {
        return status;
    }
    if (is_single(work)) {
        multiply(work, 0, Slot(work, 0));
        return KAI_GEMM_OK;
    }
    for (size_t phase = 0; phase < work.phases; ++phase) {
        Phase task = {&work, phase, count_parts(work, phase)};
        if (parallel_for != nullptr && task.parts > 1) {
            parallel_for(pool, task.parts, Phase::run, &task);
        } else {
            task.parts = 1;
        }
        // Twice: one thread does what is left to either kind of workers.
        for (size_t kind = 0; kind < 2 && !all_taken(work, phase, task.parts, task.next); ++kind) {
            Phase::run(&task, 0);
        }
    }
    return KAI_GEMM_OK;
}

kai_gemm_status kai_gemm_begin_products(kai_gemm_product* products, size_t count) {
    size_t which = 0;
    if (const Violation violation = check_products(products, count, which)) {
        return violation.status;
    }
    for (size_t i = 0; i < count; ++i) {
        const kai_gemm_product& x = products[i];
        Work& w = products[i].work;
        w = work_of(*x.plan, *x.operands);
        w.workspace = x.workspace;
        if (w.single != 0 && divided_columns(*x.plan, w.rows <= 1) != 0) {
            w.sme_units = 1;  // all columns are those of the kernel with SME
        }
        w.single = 0;
        clear_states(w);
        for (size_t j = 0; j < i && w.lhs_work == nullptr; ++j) {
            w.lhs_work = have_same_rows(products[j].work, w) ? &products[j].work : nullptr;
        }
        if (w.lhs_work != nullptr) {
            w.units[0] -= w.lhs_units;  // none if they are packed on demand
            w.lhs_units = 0;
        }
    }
    return KAI_GEMM_OK;
}

kai_gemm_status kai_gemm_run_products(
    kai_gemm_product* products, size_t count, kai_gemm_parallel_for* parallel_for, void* pool) {
    const Status status = kai_gemm_begin_products(products, count);
    if (status != KAI_GEMM_OK) {
        return status;
    }
    for (const bool is_last : {false, true}) {
        SharedPhase phase = {products, count, is_last};
        const size_t tasks = phase.begin();
        if (parallel_for != nullptr && tasks > 1) {
            parallel_for(pool, tasks, SharedPhase::run, &phase);
        }
        for (size_t kind = 0; kind < 2 && !phase.is_done(); ++kind) {
            SharedPhase::run(&phase, 0);
        }
    }
    return KAI_GEMM_OK;
}

}  // extern "C"
