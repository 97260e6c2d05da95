//
// How a dense layer, y = W x + b, runs on each family of micro-kernels: `pack` the weights once, then `run` rows.
// This is all that a framework writes per family; which micro-kernel it is makes no difference.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_registry.h"
#include "kai/ukernels/families.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

#include "model.hpp"
#include "quantize.hpp"

using Bytes = std::vector<uint8_t>;

/// The registry keeps functions without their types; the family and the signature of an entry tell the type.
template <class Function>
Function* as(kai_any_fn* function) {
    return reinterpret_cast<Function*>(function);
}

/// The packer that reads weights in this form for a micro-kernel; nullptr if there is none.
inline const kai_packer* weight_packer(const kai_ukernel& u, kai_packer_signature signature, const char* source) {
    for (size_t i = 0;; i++) {
        const kai_packer* p = kai_registry_rhs_packer(&u, i);
        if (p == nullptr || (p->signature == signature && std::strcmp(p->source_format, source) == 0)) {
            return p;
        }
    }
}

/// One call computes as many rows as you like, except that some micro-kernels (GEMV) take one row and no more.
inline size_t rows_per_call(const kai_ukernel& u, size_t m) {
    return u.rows == KAI_ROWS_ONE ? 1 : m;
}

/// Quantises m rows of activations into blocks of int8 and packs them. Done at every inference.
inline Bytes pack_activations_int8(const kai_ukernel& u, size_t m, size_t k, const float* x) {
    const kai_packer* packer = kai_registry_lhs_packer(&u, 0);
    const size_t mr = u.get_mr(), kr = u.get_kr(), sr = u.get_sr();
    Bytes packed(as<kai_get_lhs_packed_size_bl_fn>(packer->get_packed_size)(m, k, kBlock, mr, kr, sr));
    as<kai_run_lhs_pack_bl_f32_fn>(packer->run)(m, k, kBlock, mr, kr, sr, 0, x, k * sizeof(float), packed.data());
    return packed;
}

/// The product of a layer with m rows of activations, by a micro-kernel of the families with int8 activations in
/// blocks. Run: the type of its run function.
template <class Run>
void run_blocks(
    const kai_ukernel& u, const Dense& layer, const Bytes& packed, size_t m, const float* x, float* y, float lowest) {
    const size_t n = layer.n, k = layer.k, step = rows_per_call(u, m);
    const Bytes lhs = pack_activations_int8(u, m, k, x);
    for (size_t i = 0; i < m; i += step) {
        as<Run>(u.run)(
            step, n, k, kBlock, lhs.data() + as<kai_get_packed_offset_bl_fn>(u.get_lhs_packed_offset)(i, k, kBlock),
            packed.data(), y + i * n, n * sizeof(float), sizeof(float), lowest, INFINITY);
    }
}

/// Activations int8, weights int4 with a scale per block. The kernels take no bias: it is added afterwards.
struct SymmetricInt4Family {
    static constexpr const char* name = "matmul_clamp_f32_qsi8d32p_qsi4c32p";

    static bool has_packers(const kai_ukernel& u) {
        return kai_registry_lhs_packer(&u, 0) != nullptr &&
               weight_packer(u, KAI_RHS_PACK_NXK_BL, "qsu4c32s16s0") != nullptr;
    }

    static Bytes pack(const kai_ukernel& u, const Dense& layer) {
        const kai_packer* packer = weight_packer(u, KAI_RHS_PACK_NXK_BL, "qsu4c32s16s0");
        const size_t nr = u.get_nr(), kr = u.get_kr(), sr = u.get_sr();
        const Bytes records = quantize_symmetric(layer.weight.data(), layer.n, layer.k);
        const kai_rhs_pack_qs4cxs1s0_param params = {1, 8};  // LHS: fixed; nibble that stands for 0
        Bytes packed(as<kai_get_rhs_packed_size_bl_fn>(packer->get_packed_size)(layer.n, layer.k, nr, kr, kBlock));
        as<kai_run_rhs_pack_nxk_qsu4c32_fn>(packer->run)(
            1, layer.n, layer.k, nr, kr, sr, kBlock, records.data(), nullptr, packed.data(), 0, &params);
        return packed;
    }

    static void run(
        const kai_ukernel& u, const Dense& layer, const Bytes& packed, bool relu, size_t m, const float* x, float* y) {
        run_blocks<kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn>(u, layer, packed, m, x, y, -INFINITY);
        for (size_t i = 0; i < m * layer.n; i++) {
            y[i] += layer.bias[i % layer.n];
            y[i] = relu ? std::max(y[i], 0.0f) : y[i];
        }
    }
};

/// Activations int8, weights int4 with a scale and a zero per block. Bias in the packed weights, ReLU as the clamp.
struct AsymmetricInt4Family {
    static constexpr const char* name = "matmul_clamp_f32_qsi8d32p_qai4c32p";
    static constexpr const char* kEvenNibbleHigh = "qau4c32s0s1";  // the nibble order of quantize_asymmetric

    static const kai_packer* packer(const kai_ukernel& u) {
        return weight_packer(u, KAI_RHS_PACK_NXK_BL_ZERO, kEvenNibbleHigh);
    }

    static bool has_packers(const kai_ukernel& u) {
        return kai_registry_lhs_packer(&u, 0) != nullptr && packer(u) != nullptr;
    }

    static Bytes pack(const kai_ukernel& u, const Dense& layer) {
        const size_t nr = u.get_nr(), kr = u.get_kr(), sr = u.get_sr();
        const AsymmetricInt4 int4 = quantize_asymmetric(layer.weight.data(), layer.n, layer.k);
        const kai_rhs_pack_nxk_qai4c32p_params params = {1, 8};  // LHS: fixed; nibble that stands for 0
        Bytes packed(as<kai_get_rhs_packed_size_bl_fn>(packer(u)->get_packed_size)(layer.n, layer.k, nr, kr, kBlock));
        as<kai_run_rhs_pack_nxk_qau4c32_fn>(packer(u)->run)(
            1, layer.n, layer.k, nr, kr, sr, kBlock, int4.nibbles.data(), int4.zero.data(), layer.bias.data(),
            int4.scale.data(), packed.data(), 0, &params);
        return packed;
    }

    static void run(
        const kai_ukernel& u, const Dense& layer, const Bytes& packed, bool relu, size_t m, const float* x, float* y) {
        run_blocks<kai_matmul_clamp_f32_qsi8d32p_qai4c32p_run_fn>(u, layer, packed, m, x, y, relu ? 0.0f : -INFINITY);
    }
};

/// Everything f32. Bias in the packed weights, ReLU as the clamp.
struct FloatFamily {
    static constexpr const char* name = "matmul_clamp_f32_f32p_f32p";

    static bool has_packers(const kai_ukernel& u) {
        return kai_registry_lhs_packer(&u, 0) != nullptr && weight_packer(u, KAI_RHS_PACK_NXK, "f32") != nullptr;
    }

    static Bytes pack(const kai_ukernel& u, const Dense& layer) {
        const kai_packer* packer = weight_packer(u, KAI_RHS_PACK_NXK, "f32");
        Bytes packed(as<kai_get_rhs_packed_size_fn>(packer->get_packed_size)(layer.n, layer.k));
        as<kai_run_rhs_pack_fn>(packer->run)(
            1, layer.n, layer.k, u.get_nr(), u.get_kr(), u.get_sr(), layer.k * sizeof(float), layer.weight.data(),
            layer.bias.data(), nullptr, packed.data(), 0, nullptr);
        return packed;
    }

    static void run(
        const kai_ukernel& u, const Dense& layer, const Bytes& packed, bool relu, size_t m, const float* x, float* y) {
        const kai_packer* packer = kai_registry_lhs_packer(&u, 0);
        const size_t n = layer.n, k = layer.k, step = rows_per_call(u, m);
        const size_t mr = u.get_mr(), kr = u.get_kr(), sr = u.get_sr();
        Bytes lhs(as<kai_get_lhs_packed_size_fn>(packer->get_packed_size)(m, k, mr, kr, sr));
        as<kai_run_lhs_pack_fn>(packer->run)(m, k, mr, kr, sr, 0, x, k * sizeof(float), lhs.data());
        for (size_t i = 0; i < m; i += step) {
            as<kai_matmul_clamp_f32_f32p_f32p_run_fn>(u.run)(
                step, n, k, lhs.data() + as<kai_get_packed_offset_fn>(u.get_lhs_packed_offset)(i, k), packed.data(),
                y + i * n, n * sizeof(float), sizeof(float), relu ? 0.0f : -INFINITY, INFINITY);
        }
    }
};

/// A family as a value, for loops over all of them.
struct Family {
    const char* name;
    double tolerance;  // bits per character that its micro-kernels may differ from f32 (measured: README.md)
    bool (*has_packers)(const kai_ukernel&);
    Bytes (*pack)(const kai_ukernel&, const Dense&);
    void (*run)(const kai_ukernel&, const Dense&, const Bytes&, bool relu, size_t m, const float* x, float* y);
};

template <class T>
constexpr Family family(double tolerance) {
    return {T::name, tolerance, T::has_packers, T::pack, T::run};
}

inline constexpr Family kFamilies[] = {
    family<SymmetricInt4Family>(0.03),
    family<AsymmetricInt4Family>(0.03),
    family<FloatFamily>(0.001),
};

inline const Family* find_family(const char* name) {
    for (const Family& f : kFamilies) {
        if (std::strcmp(f.name, name) == 0) {
            return &f;
        }
    }
    return nullptr;
}
