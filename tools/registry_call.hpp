// Calls registry entries by their signature: what a program needs that treats all micro-kernels alike.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kai/kai_registry.h"
#include "kai/ukernels/families.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai_tools {

/// Casts a registry function to its real type.
template <typename Fn>
Fn* as(kai_any_fn* function) {
    return reinterpret_cast<Fn*>(function);
}

inline bool has_blocks(const kai_ukernel& u) {
    return u.signature == KAI_UKERNEL_MATMUL_BL || u.signature == KAI_UKERNEL_MATMUL_RHS_BL;
}

/// Blocking of a packed side.
struct Blocking {
    size_t rows, kr, sr;
};

inline Blocking lhs_blocking(const kai_ukernel& u) {
    return {u.get_mr(), u.get_kr(), u.get_sr()};
}
inline Blocking rhs_blocking(const kai_ukernel& u) {
    return {u.get_nr(), u.get_kr(), u.get_sr()};
}

/// The table of kernels whose RHS has indices, here and when it is packed.
inline constexpr int32_t kTable[4] = {-2, -1, 0, 1};

/// Bytes of an element: "f32", "f16", "bf16", or integers of 8 bits.
inline size_t element_size(const char* type) {
    const std::string name = type;
    return name == "f32" ? 4 : name == "f16" || name == "bf16" ? 2 : 1;
}

/// Whether the LHS, or a packer's source, is a table of pointers to rows (indirect matmul), one for each row up to a
/// whole panel (m_step rows). Here the depth is one chunk, and nothing is padding.
inline bool takes_pointers(const kai_ukernel& u) {
    return u.signature == KAI_UKERNEL_IMATMUL_ROWS;
}
inline bool takes_pointers(const kai_packer& p) {
    return p.signature == KAI_LHS_IMATMUL_PACK;
}

/// Micro-kernels of the unified API, dense operands. Output zero point 0, no biases outside of packed operands.
inline void run_unified(
    const kai_ukernel& u, size_t m, size_t n, size_t k, const void* lhs, const void* rhs, void* dst, size_t dst_stride,
    float lo, float hi) {
    static constexpr int32_t kZeroPoint = 0, kLowest = -128, kHighest = 127;
    static constexpr float kScale = 1.0F;
    const kai_matmul_uker_api api = as<kai_get_matmul_uker_api_fn>(u.run)();
    const kai_matmul_uker_lhs_dim_args lhs_shape = {m, k};
    const kai_matmul_uker_rhs_dim_args rhs_shape = {n, k};
    kai_matmul_uker_args args = {};
    args.shape = {m, n, k};
    args.operand.dst = {dst, {dst_stride}};
    args.operand.lhs = {lhs, api.get_lhs_stride(nullptr, &lhs_shape)};
    args.operand.rhs = {rhs, api.get_rhs_stride(nullptr, &rhs_shape)};
    args.operand.bias.scale_bias_global.ptr = &kZeroPoint;
    args.operand.scale.acc_scale_global.ptr = &kScale;
    if (u.dst_type != kai_dt_int32) {
        const bool integers = u.dst_type == kai_dt_int8;
        args.flags = KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP;
        args.activation.clamp.min_ptr = integers ? static_cast<const void*>(&kLowest) : &lo;
        args.activation.clamp.max_ptr = integers ? static_cast<const void*>(&kHighest) : &hi;
    }
    api.run(nullptr, &args);
}

/// dst = clamp(lhs x rhs); int8 results are not clamped any further. The type of dst is void* or float*, which the ABI
/// does not see. Does nothing for depthwise convolution.
inline void run(
    const kai_ukernel& u, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, float lo, float hi) {
    const size_t element = kai_get_datatype_size_in_bytes(u.dst_type);
    static constexpr kai_matmul_requantize32_params kRequantize = {-128, 127, 0};
    switch (u.signature) {
        case KAI_UKERNEL_MATMUL_ROWS:
            as<kai_run_matmul_rows_fn>(u.run)(
                m, n, k, lhs, k * element_size(u.lhs_format), rhs, dst, dst_stride, element, lo, hi);
            break;
        case KAI_UKERNEL_MATMUL_QAI8:
        case KAI_UKERNEL_MATMUL_ROWS_QAI8:
            as<kai_run_matmul_qai8_fn>(u.run)(m, n, k, lhs, rhs, dst, dst_stride, element, &kRequantize);
            break;
        case KAI_UKERNEL_IMATMUL:
            as<kai_run_imatmul_fn>(u.run)(m, n, 1, k, lhs, rhs, dst, dst_stride, lo, hi);
            break;
        case KAI_UKERNEL_IMATMUL_QAI8:
            as<kai_run_imatmul_qai8_fn>(u.run)(m, n, 1, k, lhs, rhs, dst, dst_stride, &kRequantize);
            break;
        case KAI_UKERNEL_IMATMUL_ROWS:
            as<kai_run_imatmul_rows_fn>(u.run)(m, n, 1, k, lhs, nullptr, 0, rhs, dst, dst_stride, lo, hi);
            break;
        case KAI_UKERNEL_UNIFIED:
            run_unified(u, m, n, k, lhs, rhs, dst, dst_stride, lo, hi);
            break;
        case KAI_UKERNEL_MATMUL:
            as<kai_run_matmul_fn>(u.run)(m, n, k, lhs, rhs, dst, dst_stride, element, lo, hi);
            break;
        case KAI_UKERNEL_MATMUL_BL:
        case KAI_UKERNEL_MATMUL_RHS_BL:
            as<kai_run_matmul_bl_fn>(u.run)(m, n, k, bl, lhs, rhs, dst, dst_stride, element, lo, hi);
            break;
        case KAI_UKERNEL_MATMUL_LUT:
            as<kai_run_matmul_lut_f32_fn>(u.run)(
                m, n, k, lhs, rhs, static_cast<float*>(dst), dst_stride, element, lo, hi, kTable);
            break;
        default:
            break;
    }
}

/// Offset of row (column) idx in the packed LHS (RHS), or of row idx in the LHS as it is, dense, or in its table of
/// pointers. Not of the unified API, nor of depthwise convolution.
inline size_t packed_offset(const kai_ukernel& u, bool lhs, size_t idx, size_t k, size_t bl) {
    kai_any_fn* getter = lhs ? u.get_lhs_packed_offset : u.get_rhs_packed_offset;
    switch (u.signature) {
        case KAI_UKERNEL_MATMUL_BL:
            return as<kai_get_packed_offset_bl_fn>(getter)(idx, k, bl);
        case KAI_UKERNEL_MATMUL_RHS_BL:
            return lhs ? as<kai_get_packed_offset_fn>(getter)(idx, k)
                       : as<kai_get_packed_offset_bl_fn>(getter)(idx, k, bl);
        case KAI_UKERNEL_MATMUL_ROWS:
        case KAI_UKERNEL_MATMUL_ROWS_QAI8:
            return lhs ? as<kai_get_offset_fn>(getter)(idx, k * element_size(u.lhs_format))
                       : as<kai_get_packed_offset_fn>(getter)(idx, k);
        case KAI_UKERNEL_IMATMUL_ROWS:
            return lhs ? as<kai_get_offset_fn>(getter)(idx, sizeof(void*))
                       : as<kai_get_packed_offset_chunks_fn>(getter)(idx, 1, k);
        case KAI_UKERNEL_IMATMUL:
        case KAI_UKERNEL_IMATMUL_QAI8:
            return as<kai_get_packed_offset_chunks_fn>(getter)(idx, 1, k);
        default:
            return as<kai_get_packed_offset_fn>(getter)(idx, k);
    }
}

/// Whether it packs integers with a scale per column and no blocks.
inline bool packs_channels(const kai_packer& p) {
    return p.signature == KAI_RHS_PACK_NXK_QS4CX || p.signature == KAI_RHS_PACK_KXN_QS4CX ||
           p.signature == KAI_RHS_PACK_NXK_QSI8CX || p.signature == KAI_RHS_PACK_KXN_QSI8CX ||
           p.signature == KAI_RHS_PACK_NXK_QSU2CX;
}

/// Bytes of a dense n x k source of such a packer: lines of n (K x N) or k elements, of whole bytes each.
inline size_t channels_source_size(const kai_packer& p, size_t n, size_t k) {
    const bool kxn = p.signature == KAI_RHS_PACK_KXN_QS4CX || p.signature == KAI_RHS_PACK_KXN_QSI8CX;
    const bool int4 = p.signature == KAI_RHS_PACK_NXK_QS4CX || p.signature == KAI_RHS_PACK_KXN_QS4CX;
    const size_t bits = int4 ? 4 : p.signature == KAI_RHS_PACK_NXK_QSU2CX ? 2 : 8;
    return (kxn ? k : n) * (((kxn ? n : k) * bits + 7) / 8);
}

/// Size of `count` packed rows (columns) of depth k.
inline size_t packed_size(const kai_packer& p, size_t count, size_t k, size_t bl, Blocking b) {
    switch (p.signature) {
        case KAI_LHS_PACK_BL:
            return as<kai_get_lhs_packed_size_bl_fn>(p.get_packed_size)(count, k, bl, b.rows, b.kr, b.sr);
        case KAI_LHS_PACK:
        case KAI_LHS_QUANT_PACK:
            return as<kai_get_lhs_packed_size_fn>(p.get_packed_size)(count, k, b.rows, b.kr, b.sr);
        case KAI_RHS_PACK_NXK_BL:
        case KAI_RHS_PACK_NXK_BL_ZERO:
            return as<kai_get_rhs_packed_size_bl_fn>(p.get_packed_size)(count, k, b.rows, b.kr, bl);
        case KAI_RHS_PACK_NXK_BL_BF16:
        case KAI_RHS_PACK_KXN_BL_BF16:
            return as<kai_get_rhs_packed_size_bl_dt_fn>(p.get_packed_size)(
                count, k, b.rows, b.kr, b.sr, bl, kai_dt_bf16);
        case KAI_RHS_PACK_NXK_QS4CX:
        case KAI_RHS_PACK_KXN_QS4CX:
        case KAI_RHS_PACK_NXK_QSI8CX:
        case KAI_RHS_PACK_KXN_QSI8CX:
        case KAI_RHS_PACK_NXK_QSU2CX:
            return as<kai_get_rhs_packed_size_cx_fn>(p.get_packed_size)(count, k, b.rows, b.kr, b.sr);
        case KAI_RHS_PACK_KXN:
        case KAI_RHS_PACK_NXK:
        case KAI_RHS_PACK_KXN_QS8CX_I32:
            return as<kai_get_rhs_packed_size_fn>(p.get_packed_size)(count, k);
        case KAI_RHS_PACK_KXN_NR:
            return as<kai_get_rhs_packed_size_nr_fn>(p.get_packed_size)(count, k, b.rows, b.kr);
        case KAI_LHS_IMATMUL_PACK:
        case KAI_RHS_IMATMUL_PACK_KXN:
        case KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32:
            return as<kai_get_packed_size_chunks_fn>(p.get_packed_size)(count, 1, k);
        case KAI_LHS_PACK_UNIFIED: {
            const kai_matmul_pack_lhs_uker_api api = as<kai_get_matmul_pack_lhs_uker_api_fn>(p.run)();
            const kai_matmul_pack_lhs_uker_lhs_packed_dim_args shape = {count, k};
            const auto stride = api.get_lhs_packed_stride(nullptr, &shape);
            return api.get_lhs_packed_size(nullptr, &shape, &stride);
        }
        case KAI_RHS_PACK_KXN_UNIFIED:
        case KAI_RHS_PACK_NXK_UNIFIED: {
            const kai_matmul_pack_rhs_uker_api api = as<kai_get_matmul_pack_rhs_uker_api_fn>(p.run)();
            const kai_matmul_pack_rhs_uker_rhs_packed_dim_args shape = {count, k};
            const auto stride = api.get_rhs_packed_stride(nullptr, &shape);
            return api.get_rhs_packed_size(nullptr, &shape, &stride);
        }
        default:
            break;
    }
    return 0;
}

/// Packs m dense rows of k elements of the packer's source_format, or those of a table of pointers.
inline void pack_lhs(const kai_packer& p, size_t m, size_t k, size_t bl, Blocking b, const void* lhs, void* packed) {
    const size_t stride = k * element_size(p.source_format);
    switch (p.signature) {
        case KAI_LHS_PACK_BL:
            as<kai_run_lhs_pack_bl_fn>(p.run)(m, k, bl, b.rows, b.kr, b.sr, 0, lhs, stride, packed);
            break;
        case KAI_LHS_IMATMUL_PACK:
            as<kai_run_lhs_imatmul_pack_fn>(p.run)(m, 1, k, static_cast<const void* const*>(lhs), 0, nullptr, packed);
            break;
        case KAI_LHS_PACK_UNIFIED: {
            const kai_matmul_pack_lhs_uker_api api = as<kai_get_matmul_pack_lhs_uker_api_fn>(p.run)();
            const kai_matmul_pack_lhs_uker_lhs_packed_dim_args shape = {m, k};
            kai_matmul_pack_lhs_uker_args args = {};
            args.shape = {m, k};
            args.operand.lhs = {lhs, {stride}};
            args.operand.lhs_packed = {packed, api.get_lhs_packed_stride(nullptr, &shape)};
            api.run(nullptr, &args);
            break;
        }
        default:
            as<kai_run_lhs_pack_fn>(p.run)(m, k, b.rows, b.kr, b.sr, 0, lhs, stride, packed);
            break;
    }
}

/// K x N source.
inline bool is_kxn(const kai_packer& p) {
    switch (p.signature) {
        case KAI_RHS_PACK_KXN_BL_BF16:
        case KAI_RHS_PACK_KXN_QS4CX:
        case KAI_RHS_PACK_KXN_QSI8CX:
        case KAI_RHS_PACK_KXN:
        case KAI_RHS_PACK_KXN_NR:
        case KAI_RHS_PACK_KXN_QS8CX_I32:
        case KAI_RHS_IMATMUL_PACK_KXN:
        case KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32:
        case KAI_RHS_PACK_KXN_UNIFIED:
            return true;
        default:
            return false;
    }
}

/// Bytes of a line of the source (of n elements, K x N; else of k) of packers whose elements are floats, int8 or, in
/// the unified API, int4.
inline size_t line_size(const kai_packer& p, size_t n, size_t k) {
    const std::string source = p.source_format;
    const size_t count = is_kxn(p) ? n : k;
    return source == "qsi4cx" || source == "qsu4cx" ? (count + 1) / 2 : count * element_size(p.source_format);
}

/// A dense RHS in the form that a packer reads.
struct RhsSource {
    const void* elements;              ///< records of scale and nibbles, nibbles, bytes, indices of kTable, or floats
    const float *zero, *scale, *bias;  ///< per block; scale also per column, for formats without blocks. bias: n f32,
                                       ///< f16 or int32, as the packer wants it
    const uint16_t* bf16_scale;        ///< per block
};

inline void pack_rhs_unified(const kai_packer& p, size_t n, size_t k, const RhsSource& s, void* packed) {
    static constexpr int32_t kMinusZeroPoint = -1;
    static constexpr float kScale = 1.0F;
    const kai_matmul_pack_rhs_uker_api api = as<kai_get_matmul_pack_rhs_uker_api_fn>(p.run)();
    const kai_matmul_pack_rhs_uker_rhs_packed_dim_args shape = {n, k};
    const size_t line = line_size(p, n, k);
    kai_matmul_pack_rhs_uker_args args = {};
    args.shape = {n, k};
    args.operand.rhs = {s.elements, {line, line}};
    args.operand.rhs_packed = {packed, api.get_rhs_packed_stride(nullptr, &shape)};
    args.operand.bias_n.ptr = s.bias;
    args.operand.k_sum_scale_global.ptr = &kMinusZeroPoint;
    args.operand.scale_n.ptr = s.scale;
    args.operand.scale_global.ptr = &kScale;
    api.run(nullptr, &args);
}

inline void pack_rhs(const kai_packer& p, size_t n, size_t k, size_t bl, Blocking b, const RhsSource& s, void* packed) {
    static const kai_rhs_pack_qs4cxs1s0_param kParams = {1, 8};
    static const kai_rhs_pack_qsi8cx_params kRequantize = {1, 1.0F};
    const auto* elements = static_cast<const uint8_t*>(s.elements);
    switch (p.signature) {
        case KAI_RHS_PACK_NXK_BL:
            as<kai_run_rhs_pack_nxk_qsu4c32_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, bl, elements, nullptr, packed, 0, &kParams);
            break;
        case KAI_RHS_PACK_NXK_BL_ZERO:
            as<kai_run_rhs_pack_nxk_qau4c32_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, bl, elements, s.zero, s.bias, s.scale, packed, 0, &kParams);
            break;
        case KAI_RHS_PACK_NXK_BL_BF16: {
            const kai_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0_params params = {1, 8, kai_dt_bf16};
            as<kai_run_rhs_pack_nxk_qsu4c32s1s0_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, bl, elements, k / 2, s.bias, s.bf16_scale, k / bl * sizeof(uint16_t),
                packed, 0, &params);
            break;
        }
        case KAI_RHS_PACK_KXN_BL_BF16: {
            const kai_rhs_pack_kxn_qsi4c32p_qsu4c32s1s0_params params = {1, 8, kai_dt_bf16};
            as<kai_run_rhs_pack_kxn_qsu4c32s1s0_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, bl, elements, (n + 1) / 2, s.bias, s.bf16_scale, k / bl * sizeof(uint16_t),
                packed, 0, &params);
            break;
        }
        case KAI_RHS_PACK_NXK_QS4CX:
        case KAI_RHS_PACK_KXN_QS4CX:
            as<kai_run_rhs_pack_qs4cx_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, elements, s.bias, s.scale, packed, 0, &kParams);
            break;
        case KAI_RHS_PACK_NXK_QSI8CX:
        case KAI_RHS_PACK_KXN_QSI8CX:
            as<kai_run_rhs_pack_qsi8cx_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, static_cast<const int8_t*>(s.elements), s.bias, s.scale, packed, 0,
                &kRequantize);
            break;
        case KAI_RHS_PACK_NXK_QSU2CX: {
            const kai_rhs_pack_qs4cxs1s0_param params = {1, 2};
            as<kai_run_rhs_pack_qsu2cx_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, elements, s.bias, s.scale, packed, 0, &params, kTable);
            break;
        }
        case KAI_RHS_PACK_KXN:
        case KAI_RHS_PACK_NXK:
        case KAI_RHS_PACK_KXN_NR:
            as<kai_run_rhs_pack_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, line_size(p, n, k), elements, s.bias, nullptr, packed, 0, nullptr);
            break;
        case KAI_RHS_PACK_KXN_QS8CX_I32:
            as<kai_run_rhs_pack_qs8cx_i32_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, line_size(p, n, k), elements, s.bias, s.scale, packed, 0, &kRequantize);
            break;
        case KAI_RHS_IMATMUL_PACK_KXN:
            as<kai_run_rhs_imatmul_pack_fn>(p.run)(n, 1, k, line_size(p, n, k), elements, s.bias, packed);
            break;
        case KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32:
            as<kai_run_rhs_imatmul_pack_qs8cx_i32_fn>(p.run)(
                n, 1, k, line_size(p, n, k), elements, s.bias, s.scale, packed, &kRequantize);
            break;
        case KAI_RHS_PACK_KXN_UNIFIED:
        case KAI_RHS_PACK_NXK_UNIFIED:
            pack_rhs_unified(p, n, k, s, packed);
            break;
        default:
            break;
    }
}

/// Bytes of a dense n x k RHS in the form that a packer reads, without zero, scale and bias arrays.
inline size_t rhs_source_size(const kai_packer& p, size_t n, size_t k, size_t bl) {
    if (packs_channels(p)) {
        return channels_source_size(p, n, k);
    }
    switch (p.signature) {
        case KAI_RHS_PACK_NXK_BL:
            return n * (k / bl) * (2 + bl / 2);
        case KAI_RHS_PACK_NXK_BL_ZERO:
        case KAI_RHS_PACK_NXK_BL_BF16:
            return n * k / 2;
        case KAI_RHS_PACK_KXN_BL_BF16:
            return (n + 1) / 2 * k;
        default:
            return (is_kxn(p) ? k : n) * line_size(p, n, k);
    }
}

}  // namespace kai_tools
