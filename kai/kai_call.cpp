// kai_call: from a problem and a part of it to the arguments of a function (call.hpp does the rest).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/kai_call.h"

#include "kai/call.hpp"
#include "kai/engines/core/check.hpp"
#include "kai/reserved.hpp"

namespace {

using Call = kai_call;
using kai::bytes;
using kai::Direct;
using kai::KernelArgs;
using kai::PackerArgs;

#define KAI_REFUSE_IF(function, cond, ...) KAI_REQUIRE_ALWAYS(function, !(cond), __VA_ARGS__)

/// What is left of `count` from `first` on.
size_t cut(size_t first, size_t count, size_t all) {
    return first >= all ? 0 : count < all - first ? count : all - first;
}

float or_1(float x) {
    return x != 0 ? x : 1.0F;
}

template <typename Args>
void set_depth(Args& a, const Call& c, const char* function) {
    const size_t length = c.k_chunk_length != 0 ? c.k_chunk_length : c.k;
    KAI_REFUSE_IF(
        function, c.k_chunk_length != 0 && c.k % length != 0, not_multiple_of, "k", c.k, "k_chunk_length", length);
    kai::set_depth(a, c.k, c.k != 0 && length != c.k ? c.k / length : 1);
}

const kai_ukernel& ukernel_of(const Call& c, const char* function) {
    KAI_REFUSE_IF(function, kai::bits_of(c.reserved) != 0, reserved, "call");
    KAI_REFUSE_IF(function, c.ukernel == nullptr, null, "ukernel");
    KAI_REFUSE_IF(function, kai::is_depthwise(*c.ukernel), depthwise_call, c.ukernel->name);
    return *c.ukernel;
}

const kai_packer& packer_of(const Call& c, bool lhs, const char* function) {
    const kai_ukernel& u = ukernel_of(c, function);
    const kai_packer* p = lhs ? c.lhs_packer : c.rhs_packer;
    KAI_REFUSE_IF(function, p == nullptr, null, lhs ? "lhs_packer" : "rhs_packer");
    KAI_REFUSE_IF(
        function,
        !kai::packs_for(*p, u, lhs, false) && !(kai::has_other_kind(u) && kai::packs_for(*p, u, lhs, true)) &&
            !(!lhs && kai::packs_file_for(*p, u)),
        other_packer, p->name, lhs ? "LHS" : "RHS", u.name);
    return *p;
}

size_t element_size(const char* format) {
    return (kai::element_bits(format) + 7) / 8;
}

size_t lhs_stride(const Call& c, const char* format) {
    return c.lhs_stride != 0 ? c.lhs_stride : c.k * element_size(format);
}

size_t dst_stride(const Call& c) {
    return c.dst_stride != 0 ? c.dst_stride : c.n * kai_get_datatype_size_in_bytes(c.ukernel->dst_type);
}

/// Which operands come from packers.
struct Packed {
    bool lhs, rhs;

    KAI_INLINE explicit Packed(const kai_ukernel& u) : lhs(kai::lhs_is_packed(u)), rhs(kai::rhs_is_packed(u)) {
    }
};

/// Shape and strides, for all functions of the micro-kernel.
KAI_INLINE KernelArgs kernel_args(const Call& c, const kai_ukernel& u, Packed packed, const char* function) {
    KernelArgs a = {};
    a.m = c.m, a.n = c.n, a.bl = c.bl;
    set_depth(a, c, function);
    a.lhs_stride = packed.lhs ? 0 : lhs_stride(c, u.lhs_format);
    a.rhs_stride = packed.rhs ? 0 : c.rhs_stride != 0 ? c.rhs_stride : kai::line_size(u, c.n, c.k);
    a.dst_stride_row = dst_stride(c);
    a.dst_stride_col = kai_get_datatype_size_in_bytes(u.dst_type);
    return a;
}

/// The same for a packer.
PackerArgs packer_args(const Call& c, const kai_packer& p, const char* function) {
    const kai_ukernel& u = *c.ukernel;
    PackerArgs a = kai::packer_args();
    a.bl = c.bl;
    set_depth(a, c, function);
    a.kr = u.get_kr(), a.sr = u.get_sr();
    if (kai::is_lhs(p)) {
        a.count = c.m, a.rows = u.get_mr();
        a.stride = lhs_stride(c, p.source_format);
        a.bl = kai::file_type_of(u) != nullptr ? u.k_multiple : a.bl;
    } else {
        a.count = c.n, a.rows = u.get_nr();
        a.stride = c.rhs_stride != 0 ? c.rhs_stride : kai::line_size(p, c.n, c.k, c.bl);
    }
    return a;
}

size_t with_index(KernelArgs a, size_t index, size_t (*offset)(const kai_ukernel&, const KernelArgs&), const Call& c) {
    a.index = index;
    return offset(*c.ukernel, a);
}

/// @name Each dispatches by signature, and is instantiated once
/// @{
[[gnu::noinline]] void run(const kai_packer& p, const PackerArgs& a) {
    kai::run(p, a, Direct{});
}
[[gnu::noinline]] size_t packed_size(const kai_packer& p, const PackerArgs& a) {
    return kai::packed_size(p, a, Direct{});
}
[[gnu::noinline]] size_t packed_offset(const kai_packer& p, const PackerArgs& a) {
    return kai::packed_offset(p, a, Direct{});
}
[[gnu::noinline]] size_t source_offset(const kai_packer& p, const PackerArgs& a) {
    return kai::source_offset(p, a, Direct{});
}
size_t lhs_offset(const kai_ukernel& u, const KernelArgs& a) {
    return kai::lhs_offset(u, a, Direct{});
}
size_t rhs_offset(const kai_ukernel& u, const KernelArgs& a) {
    return kai::rhs_offset(u, a, Direct{});
}
/// @}

/// Columns that start at n_idx: moves what is per column.
void move_columns(PackerArgs& a, const Call& c, const kai_packer& p, size_t n_idx) {
    const size_t blocks = c.bl != 0 ? c.k / c.bl : 0;
    a.scale_stride = c.rhs_scale_stride != 0 ? c.rhs_scale_stride : blocks * kai::block_scale_size(p);
    const size_t scales = kai::has_scale_stride(p) ? a.scale_stride
                          : kai::has_blocks(p)     ? blocks * sizeof(float)
                                                   : sizeof(float);
    const auto moved = [&](const void* operand, size_t size) -> const void* {
        return operand != nullptr ? bytes(operand, n_idx * size) : nullptr;
    };
    a.zero = moved(c.rhs_zero, blocks * sizeof(float));
    a.scale = moved(c.rhs_scale, scales);
    a.bias = moved(c.bias, kai::bias_size(p));
    a.no_bias = a.bias, a.no_scale = a.scale;  // which a packer rejects where the format has no place for them
    a.lut = c.lut, a.table = c.table;
}

/// @name Offsets in operands. kai_call_run does without at index 0: they take longer than all the rest of it
/// @{
[[gnu::noinline]] size_t lhs_offset_of(const Call& c, size_t m_idx, const char* function) {
    const kai_ukernel& u = ukernel_of(c, function);
    return with_index(kernel_args(c, u, Packed(u), function), m_idx, lhs_offset, c);
}
[[gnu::noinline]] size_t rhs_offset_of(const Call& c, size_t n_idx, const char* function) {
    const kai_ukernel& u = ukernel_of(c, function);
    return with_index(kernel_args(c, u, Packed(u), function), n_idx, rhs_offset, c);
}
[[gnu::noinline]] size_t dst_offset_of(const Call& c, size_t m_idx, size_t n_idx) {
    return kai::dst_offset(*c.ukernel, m_idx, n_idx, dst_stride(c), Direct{});
}
/// @}

void check_step(
    size_t index, kai_get_size_fn* get_step, const char* name, const char* step_name, const char* function) {
    if (index != 0) {
        const size_t step = get_step();
        KAI_REFUSE_IF(function, index % step != 0, not_multiple_of, name, index, step_name, step);
    }
}

/// For int8 results.
kai_matmul_requantize32_params requantize_of(const Call& c) {
    kai_matmul_requantize32_params requantize = c.requantize;
    if (!c.clamp) {
        requantize.min_value = -128, requantize.max_value = 127;
    }
    return requantize;
}

/// kai_call_run for columns that begin inside a panel, for those of this panel. `n`: how many are left. Returns how
/// many are done.
[[gnu::noinline]] size_t run_inside_panel(const Call& c, size_t m_idx, size_t n_idx, size_t m, size_t n) {
    constexpr const char* kFunction = "kai_call_run";
    const kai_ukernel& u = *c.ukernel;
    const size_t nr = u.get_nr(), first = n_idx % nr, done = n < nr - first ? n : nr - first;
    KAI_REFUSE_IF(kFunction, n_idx % u.column_step != 0, not_multiple_of, "n_idx", n_idx, "column_step", u.column_step);
    const Packed packed(u);
    const KernelArgs a = kernel_args(c, u, packed, kFunction);
    const kai_matmul_requantize32_params requantize = requantize_of(c);
    const float inf = __builtin_inff();
    u.run_columns(
        m, first, done, c.k, a.bl, bytes(packed.lhs ? c.lhs_packed : c.lhs, lhs_offset_of(c, m_idx, kFunction)),
        bytes(c.rhs_packed, rhs_offset_of(c, n_idx - first, kFunction)),
        bytes(c.dst, dst_offset_of(c, m_idx, n_idx - first) + first * a.dst_stride_col), a.dst_stride_row,
        a.dst_stride_col, c.clamp ? c.clamp_min : -inf, c.clamp ? c.clamp_max : inf, c.lut, &requantize);
    return done;
}

}  // namespace

extern "C" {

bool kai_call_rhs_is_kxn(const kai_packer* rhs_packer) {
    return kai::is_kxn(*rhs_packer);
}

size_t kai_call_lhs_packed_size(const kai_call* call) {
    if (!kai::lhs_is_packed(ukernel_of(*call, __func__))) {
        return 0;
    }
    const kai_packer& p = packer_of(*call, true, __func__);
    return packed_size(p, packer_args(*call, p, __func__));
}

size_t kai_call_rhs_packed_size(const kai_call* call) {
    if (!kai::rhs_is_packed(ukernel_of(*call, __func__))) {
        return 0;
    }
    const kai_packer& p = packer_of(*call, false, __func__);
    return packed_size(p, packer_args(*call, p, __func__));
}

size_t kai_call_lhs_packed_offset(const kai_call* call, size_t m_idx) {
    return lhs_offset_of(*call, m_idx, __func__);
}

size_t kai_call_rhs_packed_offset(const kai_call* call, size_t n_idx) {
    return rhs_offset_of(*call, n_idx, __func__);
}

size_t kai_call_dst_offset(const kai_call* call, size_t m_idx, size_t n_idx) {
    ukernel_of(*call, __func__);
    return dst_offset_of(*call, m_idx, n_idx);
}

size_t kai_call_dst_size(const kai_call* call) {
    return call->m * call->n * kai_get_datatype_size_in_bytes(ukernel_of(*call, __func__).dst_type);
}

void kai_call_pack_rhs(const kai_call* call, size_t n_idx, size_t n, void* rhs_packed) {
    if (!kai::rhs_is_packed(ukernel_of(*call, __func__))) {
        return;
    }
    const kai_packer& p = packer_of(*call, false, __func__);
    PackerArgs a = packer_args(*call, p, __func__);
    a.count = cut(n_idx, n, call->n);
    if (a.count == 0) {
        return;
    }
    const size_t nr = a.rows, dense = kai::line_size(p, call->n, call->k, call->bl);
    KAI_REFUSE_IF(__func__, n_idx % nr != 0, not_multiple_of, "n_idx", n_idx, "nr", nr);
    KAI_REFUSE_IF(__func__, !kai::packs_parts(p) && a.count != call->n, all_at_once, a.count, call->n, p.name);
    KAI_REFUSE_IF(__func__, !kai::has_stride(p) && a.stride != dense, rhs_gaps, a.stride, p.name, dense);
    KAI_REFUSE_IF(__func__, kai::takes_rows_alone(p) && call->bias != nullptr, takes_none, "bias", p.name);
    a.index = n_idx;
    // Panels follow each other without gaps, wherever the part ends.
    a.packed = rhs_packed != nullptr ? bytes(rhs_packed, packed_offset(p, a)) : nullptr;
    a.source = call->rhs != nullptr ? bytes(call->rhs, source_offset(p, a)) : nullptr;
    move_columns(a, *call, p, n_idx);

    kai::RhsParams params;
    const int32_t minus_zero_point = static_cast<int32_t>(0U - static_cast<uint32_t>(call->lhs_zero_point));
    const float multiplier = or_1(call->scale_multiplier);
    // Kernels with one zero point per row expect sums times 1.
    const int32_t zero_point = kai::has_channels(p) || kai::has_blocks(p) ? 1 : call->lhs_zero_point;
    a.params = kai::make_params(p, params, zero_point, call->rhs_zero_point, multiplier);
    a.k_sum_scale_global = &minus_zero_point;
    a.scale_global = &multiplier;
    run(p, a);
}

void kai_call_pack_lhs(const kai_call* call, size_t m_idx, size_t m, void* lhs_packed) {
    if (!kai::lhs_is_packed(ukernel_of(*call, __func__))) {
        return;
    }
    const kai_packer& p = packer_of(*call, true, __func__);
    PackerArgs a = packer_args(*call, p, __func__);
    const size_t rows = cut(m_idx, m, call->m), mr = a.rows;
    if (rows == 0) {
        return;
    }
    KAI_REFUSE_IF(__func__, m_idx % mr != 0, not_multiple_of, "m_idx", m_idx, "mr", mr);
    KAI_REFUSE_IF(__func__, call->lhs == nullptr && call->k != 0, null, "lhs");
    KAI_REFUSE_IF(__func__, lhs_packed == nullptr && call->k != 0, null, "lhs_packed");
    if (call->lhs_rows != nullptr) {
        KAI_REFUSE_IF(__func__, p.run_rows == nullptr, takes_none, "lhs_rows", p.name);
        a.count = rows, a.index = m_idx;
        a.indices = call->lhs_rows + m_idx;
        a.source = call->lhs;
        a.packed = lhs_packed != nullptr ? bytes(lhs_packed, packed_offset(p, a)) : nullptr;
        kai::run_rows(p, a, Direct{});
        return;
    }
    a.pad_ptr = call->pad_ptr, a.lhs_ptr_offset = call->lhs_ptr_offset;
    // Some packers of panels of one row take one row a call.
    const size_t step = mr == 1 && p.signature == KAI_LHS_PACK ? 1 : rows;
    for (size_t i = 0; i < rows; i += step) {
        a.count = step;
        a.index = m_idx + i;
        a.source = call->lhs != nullptr ? bytes(call->lhs, source_offset(p, a)) : nullptr;
        a.packed = lhs_packed != nullptr ? bytes(lhs_packed, packed_offset(p, a)) : nullptr;
        run(p, a);
    }
}

void kai_call_run(const kai_call* call, size_t m_idx, size_t n_idx, size_t m, size_t n) {
    const kai_ukernel& u = ukernel_of(*call, __func__);
    const Packed packed(u);
    KernelArgs a = kernel_args(*call, u, packed, __func__);
    const size_t rows = cut(m_idx, m, call->m);
    a.n = cut(n_idx, n, call->n);
    if (rows == 0 || a.n == 0) {
        return;
    }
    const void *lhs = packed.lhs ? call->lhs_packed : call->lhs, *rhs = packed.rhs ? call->rhs_packed : call->rhs;
    const bool inside = n_idx != 0 && u.run_columns != nullptr && n_idx % u.get_n_step() != 0;
    check_step(m_idx, u.get_m_step, "m_idx", "m_step", __func__);
    if (!inside) {
        check_step(n_idx, u.get_n_step, "n_idx", "n_step", __func__);
    }
    KAI_REFUSE_IF(__func__, call->dst == nullptr, null, "dst");
    KAI_REFUSE_IF(__func__, call->k != 0 && lhs == nullptr, null, packed.lhs ? "lhs_packed" : "lhs");
    KAI_REFUSE_IF(__func__, call->k != 0 && rhs == nullptr, null, packed.rhs ? "rhs_packed" : "rhs");
    if (inside) {
        const size_t done = run_inside_panel(*call, m_idx, n_idx, rows, a.n);
        if (done < a.n) {
            kai_call_run(call, m_idx, n_idx + done, rows, a.n - done);
        }
        return;
    }
    const bool lowp = kai::takes<&KernelArgs::lowp>(u);
    const bool sums = kai::takes<&KernelArgs::offsets>(u);
    KAI_REFUSE_IF(__func__, (!packed.rhs || lowp || sums) && call->bias != nullptr, takes_none, "bias", u.name);
    KAI_REFUSE_IF(
        __func__, lowp && (call->lowp.multiplier == nullptr || call->lowp.shift == nullptr), null,
        "lowp.multiplier and lowp.shift");

    const float scale = or_1(call->acc_scale);
    const kai_matmul_requantize32_params requantize = requantize_of(*call);
    kai_matmul_lowp_params quantisation;
    if (lowp) {
        quantisation = call->lowp;
        quantisation.bias += quantisation.bias != nullptr ? n_idx : 0;
        quantisation.multiplier += quantisation.per_channel ? n_idx : 0;
        quantisation.shift += quantisation.per_channel ? n_idx : 0;
        a.lowp = &quantisation;
    }
    kai_matmul_offsets offsets;
    if (sums) {
        offsets = call->offsets;
        offsets.bias += offsets.bias != nullptr ? n_idx : 0;
        offsets.rhs_offsets += offsets.rhs_offsets != nullptr ? n_idx : 0;
        offsets.lhs_offsets += offsets.lhs_offsets != nullptr ? m_idx : 0;
        a.offsets = &offsets;
    }
    a.rhs = n_idx == 0 || rhs == nullptr ? rhs : bytes(rhs, rhs_offset_of(*call, n_idx, __func__));
    a.clamp = call->clamp;
    a.clamp_min = call->clamp ? call->clamp_min : -__builtin_inff();
    a.clamp_max = call->clamp ? call->clamp_max : __builtin_inff();
    a.requantize = &requantize;
    a.lut = call->lut;
    a.pad_ptr = call->pad_ptr, a.lhs_ptr_offset = call->lhs_ptr_offset;
    if (kai::is_unified(u)) {
        a.acc_bias_n = call->acc_bias_n != nullptr ? call->acc_bias_n + n_idx : nullptr;
        a.scale_bias_n = call->scale_bias_n != nullptr ? call->scale_bias_n + n_idx : nullptr;
        a.acc_scale = &scale;
    }
    a.m = u.rows == KAI_ROWS_ONE ? 1 : rows;
    for (size_t i = m_idx; i < m_idx + rows; i += a.m) {
        a.lhs = i == 0 || lhs == nullptr ? lhs : bytes(lhs, lhs_offset_of(*call, i, __func__));
        a.dst = (i | n_idx) == 0 ? call->dst : bytes(call->dst, dst_offset_of(*call, i, n_idx));
        a.acc_bias_m = call->acc_bias_m != nullptr ? call->acc_bias_m + i : nullptr;
        kai::run(u, a, Direct{});
    }
}

}  // extern "C"
