// kai_gemm_pack_b: from B to packed panels, part by part.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/call.hpp"
#include "kai/gemm/gemm.hpp"

namespace kai::gemm {
namespace {

/// Nibbles of `count` columns of K x N lines become N x K lines.
void transpose_nibbles(const char* from, size_t line, size_t first, size_t count, size_t k, char* to) {
    const size_t to_line = divide_up(k, 2);
    for (size_t n = 0; n < count; ++n) {
        const size_t column = first + n, shift = column % 2 * 4;
        for (size_t i = 0; i < k; i += 2) {
            const auto nibble = [&](size_t row) {
                return row < k ? static_cast<uint8_t>(from[row * line + column / 2]) >> shift & 15U : 0U;
            };
            to[n * to_line + i / 2] = static_cast<char>(nibble(i) | nibble(i + 1) << 4U);
        }
    }
}

/// Rows of a file become floats, N x K or K x N.
void dequantise(const Problem& p, const void* from, size_t line, size_t count, kai_datatype type, bool kxn, void* to) {
    constexpr size_t kPart = 256;  // a multiple of the blocks of all types
    const kai_gguf_type& source = *kai_gguf_find_type(p.gguf_type);
    const size_t size = size_of(type), k_step = kxn ? count * size : size, n_step = kxn ? size : p.k * size;
    float part[kPart];
    for (size_t n = 0; n < count; ++n) {
        for (size_t k = 0; k < p.k; k += kPart) {
            const size_t weights = min(kPart, p.k - k);
            const char* blocks = at(from, n * line + k / source.block_weights * source.block_bytes);
            kai_gguf_dequantise(&source, weights, blocks, kai_dt_f32, part);
            // As a column: a step of the destination's rows for each weight.
            copy_matrix(type, at(to, n * n_step + k * k_step), k_step, kai_dt_f32, part, sizeof(float), 0, weights, 1);
        }
    }
}

/// A column of UINT4_BLOCK or FLOAT_TABLE.
class NibbleColumn {
public:
    NibbleColumn(const Problem& p, const kai_gemm_weights& w, size_t line, size_t n)
        : p_(p),
          float_table_(p.b_kind == KAI_GEMM_FLOAT_TABLE ? w.float_table : nullptr),
          nibbles_(at(w.b, n * line)),
          scales_(at(w.scale, n * (p.k / p.bl) * size_of(p.b_type))),
          zero_points_(w.zero_points != nullptr ? at(w.zero_points, n * divide_up(p.k / p.bl, 2)) : nullptr) {
    }
    float scale(size_t block) const {
        float scale = 0;
        copy_matrix(kai_dt_f32, &scale, 0, p_.b_type, at(scales_, block * size_of(p_.b_type)), 0, 0, 1, 1);
        return scale;
    }
    int zero_point(size_t block) const {
        return zero_points_ != nullptr ? nibble(zero_points_, block) : 8;
    }
    int q(size_t k) const {
        return nibble(nibbles_, float_table_ != nullptr ? k ^ 1 : k);
    }
    /// to[i] = weight k + i, for `count` of one block, each rounded once.
    void dequantise(size_t k, size_t count, float* to) const {
        const size_t block = k / p_.bl;
        const float its_scale = scale(block);
        const int its_zero_point = zero_point(block);
        for (size_t i = 0; i < count; ++i) {
            const int its_q = q(k + i);
            to[i] = its_scale *
                    (float_table_ != nullptr ? float_table_[its_q] : static_cast<float>(its_q - its_zero_point));
        }
    }

private:
    static int nibble(const char* bytes, size_t i) {
        return static_cast<uint8_t>(bytes[i / 2]) >> i % 2 * 4 & 15;
    }

    const Problem& p_;
    const float* float_table_;  // or NULL
    const char *nibbles_, *scales_, *zero_points_;
};

/// Those of UINT4_BLOCK become what INT4_BLOCK_ZERO is: the even nibble high, then scales, then zeros, which stand for
/// 8 - zero point. Exact, but for zeros of scales that have more than 21 significant bits.
void convert_uint4(
    const Problem& p, const kai_gemm_weights& w, size_t line, size_t first, size_t count, kai_call& call, void* to) {
    const size_t blocks = p.k / p.bl;
    auto* nibbles = static_cast<char*>(to);
    auto* scales = reinterpret_cast<float*>(nibbles + count * (p.k / 2));  // k / 2 is a multiple of 16
    float* zeros = scales + count * blocks;
    for (size_t n = 0; n < count; ++n) {
        const NibbleColumn column(p, w, line, first + n);
        for (size_t i = 0; i < p.k / 2; ++i) {
            nibbles[n * (p.k / 2) + i] = static_cast<char>(column.q(2 * i) << 4 | column.q(2 * i + 1));
        }
        for (size_t block = 0; block < blocks; ++block) {
            scales[n * blocks + block] = column.scale(block);
            zeros[n * blocks + block] = column.scale(block) * static_cast<float>(8 - column.zero_point(block));
        }
    }
    call.rhs_scale = scales, call.rhs_zero = zeros;
}

/// Both kinds as floats, each rounded once to f32 and then to the type, N x K or K x N.
void dequantise_nibbles(
    const Problem& p, const kai_gemm_weights& w, size_t line, size_t first, size_t count, kai_datatype type, bool kxn,
    void* to) {
    constexpr size_t kPart = 16;  // of all blocks
    const size_t size = size_of(type), k_step = kxn ? count * size : size, n_step = kxn ? size : p.k * size;
    for (size_t n = 0; n < count; ++n) {
        const NibbleColumn column(p, w, line, first + n);
        for (size_t k = 0; k < p.k; k += kPart) {
            float part[kPart];
            column.dequantise(k, kPart, part);
            copy_matrix(type, at(to, n * n_step + k * k_step), k_step, kai_dt_f32, part, sizeof(float), 0, kPart, 1);
        }
    }
}

/// Scales of columns `first` on of F8*_BLOCK as f32, [count][k / bl].
void convert_scales(const Problem& p, const void* scales, size_t first, size_t count, float* to) {
    const size_t blocks = p.k / p.bl, shared = p.scale_columns != 0 ? p.scale_columns : 1;
    for (size_t n = first; n < first + count; ++n, to += blocks) {
        const char* from = at(scales, n / shared * blocks * size_of(p.b_type));
        if (p.b_type != kai_dt_uint8) {
            copy_matrix(kai_dt_f32, to, 0, p.b_type, from, 0, size_of(p.b_type), 1, blocks);
            continue;
        }
        for (size_t b = 0; b < blocks; ++b) {  // E8M0: the exponent of an f32; 0 is a subnormal one, 255 NaN
            const uint32_t exponent = static_cast<uint8_t>(from[b]);
            const uint32_t bits = exponent == 0 ? 0x00400000 : exponent == 255 ? 0x7FC00000 : exponent << 23;
            memcpy(to + b, &bits, sizeof(bits));
        }
    }
}

/// Bytes of a value of the bias in the packed format.
bool bias_is_f16(const kai_packer& packer) {
    return bias_size(packer) == 2;
}

/// One panel whose columns are copied first, or whose bias is converted.
void pack_panel(
    const Plan& plan, const kai_gemm_weights& w, const kai_call& whole, size_t first, size_t count, void* packed,
    void* copied) {
    const Problem& p = plan.problem;
    const kai_packer& packer = *plan.rhs_packer;
    const size_t line = w.ldb != 0 ? w.ldb : b_row_size(p);
    kai_call call = whole;
    call.n = count;
    if (!plan.copies_columns) {  // DENSE
        call.rhs = at(w.b, first * (p.b_transposed ? line : size_of(p.b_type)));
        call.rhs_stride = line;
    } else if (is_f8(p.b_kind)) {
        convert_scales(p, w.scale, first, count, static_cast<float*>(copied));
        call.rhs = at(w.b, first * (p.b_transposed ? line : 1));
        call.rhs_stride = line, call.rhs_scale = copied, call.rhs_scale_stride = 0;
    } else if (p.b_kind == KAI_GEMM_GGUF) {
        dequantise(p, at(w.b, first * line), line, count, type_of(packer.source_format), is_kxn(packer), copied);
    } else if (has_typed_scales(p.b_kind) && is_dequantised(plan)) {
        dequantise_nibbles(p, w, line, first, count, type_of(packer.source_format), is_kxn(packer), copied);
    } else if (p.b_kind == KAI_GEMM_UINT4_BLOCK) {
        convert_uint4(p, w, line, first, count, call, copied);
    } else if (p.b_kind == KAI_GEMM_INT4_CHANNEL) {
        transpose_nibbles(static_cast<const char*>(w.b), line, first, count, p.k, static_cast<char*>(copied));
    } else if (p.b_kind == KAI_GEMM_INT8_CHANNEL) {
        copy_matrix(kai_dt_int8, copied, p.k, kai_dt_int8, at(w.b, first), 1, line, count, p.k);
    } else if (flips_b(plan)) {
        const size_t n_step = p.b_transposed ? line : 1, k_step = p.b_transposed ? 1 : line;
        copy_matrix(kai_dt_int8, copied, p.k, kai_dt_int8, at(w.b, first * n_step), n_step, k_step, count, p.k);
        auto* bytes = static_cast<uint8_t*>(copied);
        for (size_t i = 0; i < count * p.k; ++i) {
            bytes[i] ^= 0x80;
        }
    } else {
        const kai_datatype type = type_of(packer.source_format);
        const size_t size = size_of(p.b_type);
        const bool kxn = is_kxn(packer);
        const size_t n_step = p.b_transposed ? line : size, k_step = p.b_transposed ? size : line;
        const void* from = at(w.b, first * n_step);
        if (kxn) {
            copy_matrix(type, copied, count * size_of(type), p.b_type, from, k_step, n_step, p.k, count);
        } else {
            copy_matrix(type, copied, p.k * size_of(type), p.b_type, from, n_step, k_step, count, p.k);
        }
    }
    if (plan.copies_columns && !is_f8(p.b_kind)) {
        call.rhs = copied, call.rhs_stride = 0;
    }
    if (!has_typed_scales(p.b_kind) && !is_f8(p.b_kind)) {
        call.rhs_scale = call.rhs_scale != nullptr ? at(w.scale, first * sizeof(float)) : nullptr;
    }

    constexpr size_t kMostColumns = 256;  // of a panel with f16: 2 vectors of 2048 bits
    uint16_t bias[kMostColumns];
    if (call.bias != nullptr) {
        const void* values = at(call.bias, first * sizeof(float));  // which need not be aligned
        call.bias = bias_is_f16(packer) ? bias : values;
        if (call.bias == bias) {
            copy_matrix(kai_dt_f16, bias, 0, kai_dt_f32, values, 0, sizeof(float), 1, count);
        }
    }
    kai_call_pack_rhs(&call, 0, count, at(packed, kai_call_rhs_packed_offset(&whole, first)));
}

}  // namespace

void pack_columns(const Plan& plan, const kai_gemm_weights& w, size_t first, size_t count, void* packed, void* copied) {
    const Problem& p = plan.problem;
    kai_call call = call_of(plan, plan.gemm, 1, p.n);
    call.rhs = w.b, call.rhs_stride = w.ldb;
    const bool converted = has_typed_scales(p.b_kind) || is_f8(p.b_kind);  // panel by panel
    call.rhs_scale = has_scales(p.b_kind) && !converted ? w.scale : nullptr, call.rhs_scale_stride = w.scale_stride;
    call.rhs_zero = w.zero, call.rhs_zero_point = w.zero_point;
    call.lut = w.lut, call.table = w.table;
    call.bias = p.bias && !plan.bias_apart ? w.bias : nullptr;
    call.lhs_zero_point = p.a_zero_point, call.scale_multiplier = p.multiplier;
    if (!plan.copies_columns && (call.bias == nullptr || !bias_is_f16(*plan.rhs_packer))) {
        kai_call_pack_rhs(&call, first, count, packed);
        return;
    }
    for (size_t n = first; n < first + count; n += plan.format.nr) {
        pack_panel(plan, w, call, n, min(plan.format.nr, first + count - n), packed, copied);
    }
}

Tag tag_of(const Plan& plan, const int32_t* lut) {
    const Problem& p = plan.problem;
    const TagBias bias = !p.bias ? kNoBias : plan.bias_apart ? kBiasAfterPanels : kBiasInPanels;
    const kai_gemm_kind kind = !has_typed_scales(p.b_kind)                                ? p.b_kind
                               : p.b_kind == KAI_GEMM_FLOAT_TABLE || is_dequantised(plan) ? KAI_GEMM_DENSE
                                                                                          : KAI_GEMM_INT4_BLOCK_ZERO;
    return tag_of({kind, plan.format, p.n, p.k, p.bl, bias, p.a_zero_point, p.multiplier, lut});
}

Violation check_table(const Problem& p, const int32_t* lut) {
    if (p.b_kind != KAI_GEMM_INT2_CHANNEL) {
        return {};
    }
    int64_t largest = 1;
    for (size_t i = 0; i < 4; ++i) {
        const int64_t weight = (lut != nullptr ? lut : kai::kDefaultTable)[i], size = weight < 0 ? -weight : weight;
        largest = size > largest ? size : largest;
    }
    const auto most = static_cast<size_t>(INT32_MAX / (255 * largest));
    return p.k <= most ? Violation{} : wrong(KAI_GEMM_UNSUPPORTED, say::large_sums, p.k, most);
}

namespace {

/// What kai_gemm_pack_b reads.
Violation check_weights(const Plan& plan, const kai_gemm_weights& w) {
    const Problem& p = plan.problem;
    if (!p.bias && w.bias != nullptr) {
        return wrong(KAI_GEMM_UNUSED_BIAS, say::unused_bias, "weights.bias");
    }
    if (p.n == 0) {
        return {};
    }
    if (p.bias && w.bias == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "weights.bias", "problem.bias");
    }
    if (!multiplies(p) || p.k == 0) {
        return {};
    }
    if (w.b == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "weights.b");
    }
    const size_t row = b_row_size(p);
    const bool gaps = w.ldb != 0 && w.ldb != row;
    const bool may_have_gaps = plan.copies_columns || plan.rhs_packer == nullptr || kai::has_stride(*plan.rhs_packer);
    if (gaps && w.ldb < row) {
        return wrong(KAI_GEMM_BAD_STRIDE, say::short_stride, "weights.ldb", w.ldb, row, "row");
    }
    if (gaps && !may_have_gaps) {
        return wrong(KAI_GEMM_BAD_STRIDE, say::gaps, "weights.ldb", w.ldb, name_of(p.b_kind), row);
    }
    if (mul_add(b_rows(p) - 1, w.ldb, row) == SIZE_MAX) {
        return wrong(KAI_GEMM_OVERFLOW, say::large_stride, "weights.ldb", w.ldb, b_rows(p));
    }
    if (has_scales(p.b_kind) && w.scale == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "weights.scale", name_of(p.b_kind));
    }
    if (p.b_kind == KAI_GEMM_INT4_BLOCK_ZERO && w.zero == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "weights.zero", name_of(p.b_kind));
    }
    if (p.b_kind == KAI_GEMM_INT4_TABLE && w.table == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "weights.table", name_of(p.b_kind));
    }
    if (p.b_kind == KAI_GEMM_FLOAT_TABLE && w.float_table == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "weights.float_table", name_of(p.b_kind));
    }
    if (p.b_kind == KAI_GEMM_INT4_BLOCK && w.scale_stride != 0) {
        const size_t scales = p.k / p.bl * sizeof(uint16_t);
        if (w.scale_stride < scales) {
            return wrong(
                KAI_GEMM_BAD_STRIDE, say::short_stride, "weights.scale_stride", w.scale_stride, scales, "column");
        }
        if (mul_add(p.n - 1, w.scale_stride, scales) == SIZE_MAX) {
            return wrong(KAI_GEMM_OVERFLOW, say::large_stride, "weights.scale_stride", w.scale_stride, p.n);
        }
    }
    if (const Violation violation = check_table(p, w.lut)) {
        return violation;
    }
    if (p.b_kind == KAI_GEMM_INT4_CHANNEL && w.zero_point != 0 && w.zero_point != 8) {
        return wrong(
            KAI_GEMM_BAD_VALUE, say::other_of_two, "weights.zero_point", size_t{w.zero_point}, size_t{0}, size_t{8});
    }
    return {};
}

}  // namespace

Violation check_pack(
    const Plan* plan, size_t matrix, const kai_gemm_weights* weights, const void* packed, size_t packed_size,
    const void* workspace, size_t workspace_size) {
    if (const Violation violation = check_plan(plan)) {
        return violation;
    }
    if (const Violation violation = check_vectors(*plan)) {
        return violation;
    }
    if (weights == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "weights");
    }
    if (bits_of(weights->reserved) != 0) {
        return wrong(KAI_GEMM_RESERVED, say::reserved, "weights");
    }
    if (packed == nullptr && plan->packed_b_size != 0) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_bytes, "packed", plan->packed_b_size);
    }
    if (!plan->problem.b_constant) {
        return wrong(KAI_GEMM_BAD_COMBINATION, say::not_packed_before);
    }
    if (matrix >= b_count(plan->problem)) {
        return wrong(KAI_GEMM_NO_UNIT, say::no_matrix, matrix, b_count(plan->problem));
    }
    if (packed_size < plan->packed_b_size) {
        return wrong(KAI_GEMM_TOO_SMALL, say::few_bytes, "packed", packed_size, plan->packed_b_size);
    }
    if (const Violation violation = check_workspace(plan->pack_workspace_size, workspace, workspace_size)) {
        return violation;
    }
    return check_weights(*plan, *weights);
}

namespace {

/// What follows the panels of a matrix: the bias and the tag, with zeros in front of each.
void end_matrix(const Plan& plan, const kai_gemm_weights& weights, char* matrix) {
    size_t end = plan.panels_size;
    const auto append = [&](size_t offset, const void* data, size_t size) {
        memset(at(matrix, end), 0, offset - end);
        memcpy(at(matrix, offset), data, size);
        end = offset + size;
    };
    if (plan.bias_apart) {
        append(round_up(end, kAlignment), weights.bias, plan.problem.n * sizeof(float));
    }
    if (!plan.problem.untagged) {
        const Tag tag = tag_of(plan, weights.lut);
        append(tag_offset(plan), &tag, sizeof(tag));
    }
}

/// After the checks.
void pack_unit(
    const Plan& plan, size_t matrix, const kai_gemm_weights& weights, void* packed, void* workspace, size_t unit) {
    const Problem& p = plan.problem;
    char* to = at(packed, matrix * plan.packed_b_stride);
    if (plan.rhs_packer != nullptr) {
        const size_t panels = divide_up(p.n, plan.format.nr);
        const size_t first = panels * unit / plan.pack_units * plan.format.nr,
                     end = min(panels * (unit + 1) / plan.pack_units * plan.format.nr, p.n);
        void* copied =
            plan.copies_columns ? at(workspace, unit * round_up(copied_columns_size(plan), kAlignment)) : nullptr;
        pack_columns(plan, weights, first, end - first, to, copied);
    }
    if (unit == 0) {
        end_matrix(plan, weights, to);
    }
}

struct PackTask {
    const Plan& plan;
    size_t matrix;
    const kai_gemm_weights& weights;
    void *packed, *workspace;
    bool refused = false;  ///< by a thread with other vectors

    static void run(void* context, size_t unit) {
        auto& t = *static_cast<PackTask*>(context);
        if (check_vectors(t.plan)) {
            __atomic_store_n(&t.refused, true, __ATOMIC_RELAXED);
            return;
        }
        pack_unit(t.plan, t.matrix, t.weights, t.packed, t.workspace, unit);
    }
};

}  // namespace
}  // namespace kai::gemm

using namespace kai::gemm;

extern "C" {

kai_gemm_status kai_gemm_pack_b(
    const kai_gemm_plan* plan, size_t matrix, const kai_gemm_weights* weights, void* packed, size_t packed_size,
    void* workspace, size_t workspace_size, kai_gemm_parallel_for* parallel_for, void* pool) {
    const Status status = check_pack(plan, matrix, weights, packed, packed_size, workspace, workspace_size).status;
    if (status != KAI_GEMM_OK || plan->problem.n == 0) {
        return status;
    }
    PackTask task = {*plan, matrix, *weights, packed, workspace};
    const bool alone = parallel_for == nullptr || plan->pack_units <= 1;
    if (!alone) {
        parallel_for(pool, plan->pack_units, PackTask::run, &task);
    }
    if (alone || task.refused) {
        for (size_t unit = 0; unit < plan->pack_units; ++unit) {
            PackTask::run(&task, unit);
        }
    }
    return KAI_GEMM_OK;
}

kai_gemm_status kai_gemm_pack_b_unit(
    const kai_gemm_plan* plan, size_t matrix, const kai_gemm_weights* weights, void* packed, size_t packed_size,
    void* workspace, size_t workspace_size, size_t unit) {
    const Status status = check_pack(plan, matrix, weights, packed, packed_size, workspace, workspace_size).status;
    if (status != KAI_GEMM_OK) {
        return status;
    }
    if (unit >= plan->pack_units) {
        return KAI_GEMM_NO_UNIT;
    }
    pack_unit(*plan, matrix, *weights, packed, workspace, unit);
    return KAI_GEMM_OK;
}

}  // extern "C"
