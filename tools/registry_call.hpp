// Calls registry entries by their signature: what a program needs that treats all micro-kernels alike.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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

/// dst = clamp(lhs x rhs). The type of dst is void* or float*, which the ABI does not see.
inline void run(
    const kai_ukernel& u, size_t m, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride, float lo, float hi) {
    const size_t element = kai_get_datatype_size_in_bytes(u.dst_type);
    switch (u.signature) {
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
            return as<kai_get_rhs_packed_size_fn>(p.get_packed_size)(count, k);
        default:
            break;
    }
    return 0;
}

/// Packs m dense rows of k floats; the packer's source_format is f32.
inline void pack_lhs(const kai_packer& p, size_t m, size_t k, size_t bl, Blocking b, const float* lhs, void* packed) {
    const size_t stride = k * sizeof(float);
    if (p.signature == KAI_LHS_PACK_BL) {
        as<kai_run_lhs_pack_bl_f32_fn>(p.run)(m, k, bl, b.rows, b.kr, b.sr, 0, lhs, stride, packed);
    } else {
        as<kai_run_lhs_pack_fn>(p.run)(m, k, b.rows, b.kr, b.sr, 0, lhs, stride, packed);
    }
}

/// A dense RHS in the form that a packer reads.
struct RhsSource {
    const void* elements;              ///< records of scale and nibbles, nibbles, bytes, indices of kTable, or f32
    const float *zero, *scale, *bias;  ///< per block; scale also per column, for formats without blocks
    const uint16_t* bf16_scale;        ///< per block
};

inline void pack_rhs(const kai_packer& p, size_t n, size_t k, size_t bl, Blocking b, const RhsSource& s, void* packed) {
    static const kai_rhs_pack_qs4cxs1s0_param kParams = {1, 8};
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
        case KAI_RHS_PACK_KXN_QSI8CX: {
            const kai_rhs_pack_qsi8cx_params params = {1, 1.0F};
            as<kai_run_rhs_pack_qsi8cx_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, static_cast<const int8_t*>(s.elements), s.bias, s.scale, packed, 0,
                &params);
            break;
        }
        case KAI_RHS_PACK_NXK_QSU2CX: {
            const kai_rhs_pack_qs4cxs1s0_param params = {1, 2};
            as<kai_run_rhs_pack_qsu2cx_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, elements, s.bias, s.scale, packed, 0, &params, kTable);
            break;
        }
        case KAI_RHS_PACK_KXN:
        case KAI_RHS_PACK_NXK: {
            const size_t stride = (p.signature == KAI_RHS_PACK_KXN ? n : k) * sizeof(float);
            as<kai_run_rhs_pack_fn>(p.run)(
                1, n, k, b.rows, b.kr, b.sr, stride, elements, s.bias, nullptr, packed, 0, nullptr);
            break;
        }
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
            return n * k * sizeof(float);
    }
}

}  // namespace kai_tools
