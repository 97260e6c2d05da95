//
// How a dense layer, y = W x + b, runs on each family of micro-kernels: `pack` the weights once, then `run` rows.
// This is all that a framework writes per family; which micro-kernel it is makes no difference.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/kai_call.h"

#include "model.hpp"
#include "quantise.hpp"

using Bytes = std::vector<uint8_t>;

/// The packer that reads N x K weights in this form for a micro-kernel; nullptr if there is none.
inline const kai_packer* weight_packer(const kai_ukernel& u, const char* source) {
    for (size_t i = 0;; i++) {
        const kai_packer* p = kai_registry_rhs_packer(&u, i);
        if (p == nullptr || (std::strcmp(p->source_format, source) == 0 && !kai_call_rhs_is_kxn(p))) {
            return p;
        }
    }
}

/// Shared by all calls for a layer.
inline kai_call call_for(const kai_ukernel& u, const Dense& layer) {
    kai_call call = {};
    call.ukernel = &u;
    call.n = layer.n, call.k = layer.k, call.bl = kBlock;
    return call;
}

/// Packs the weights that `call` describes. Done once.
inline Bytes pack_weights(kai_call call, const char* source) {
    call.rhs_packer = weight_packer(*call.ukernel, source);
    Bytes packed(kai_call_rhs_packed_size(&call));
    kai_call_pack_rhs(&call, 0, call.n, packed.data());
    return packed;
}

/// The product of a layer with m rows of activations, which are packed first. Done at every inference.
inline void multiply(
    const kai_ukernel& u, const Dense& layer, const Bytes& weights, size_t m, const float* x, float* y, float lowest) {
    kai_call call = call_for(u, layer);
    call.m = m, call.lhs = x, call.dst = y;
    call.clamp = true, call.clamp_min = lowest, call.clamp_max = INFINITY;
    call.lhs_packer = kai_registry_lhs_packer(&u, 0);
    Bytes activations(kai_call_lhs_packed_size(&call));
    kai_call_pack_lhs(&call, 0, m, activations.data());
    call.lhs_packed = activations.data(), call.rhs_packed = weights.data();
    kai_call_run(&call, 0, 0, m, layer.n);
}

/// Activations int8, weights int4 with a scale per block. The kernels take no bias: it is added afterwards.
struct SymmetricInt4Family {
    static constexpr const char* name = "matmul_clamp_f32_qsi8d32p_qsi4c32p";
    static constexpr const char* source = "qsu4c32s16s0";

    static Bytes pack(const kai_ukernel& u, const Dense& layer) {
        const Bytes records = quantise_symmetric(layer.weight.data(), layer.n, layer.k);
        kai_call call = call_for(u, layer);
        call.rhs = records.data();
        return pack_weights(call, source);
    }

    static void run(
        const kai_ukernel& u, const Dense& layer, const Bytes& packed, bool relu, size_t m, const float* x, float* y) {
        multiply(u, layer, packed, m, x, y, -INFINITY);
        for (size_t i = 0; i < m * layer.n; i++) {
            y[i] += layer.bias[i % layer.n];
            y[i] = relu ? std::max(y[i], 0.0f) : y[i];
        }
    }
};

/// Bias in the packed weights, ReLU as the clamp.
inline void run_with_bias(
    const kai_ukernel& u, const Dense& layer, const Bytes& packed, bool relu, size_t m, const float* x, float* y) {
    multiply(u, layer, packed, m, x, y, relu ? 0.0f : -INFINITY);
}

/// Activations int8, weights int4 with a scale and a zero per block.
struct AsymmetricInt4Family {
    static constexpr const char* name = "matmul_clamp_f32_qsi8d32p_qai4c32p";
    static constexpr const char* source = "qau4c32s0s1";  // the nibble order of quantise_asymmetric: even one high
    static constexpr auto run = run_with_bias;

    static Bytes pack(const kai_ukernel& u, const Dense& layer) {
        const AsymmetricInt4 int4 = quantise_asymmetric(layer.weight.data(), layer.n, layer.k);
        kai_call call = call_for(u, layer);
        call.rhs = int4.nibbles.data(), call.rhs_scale = int4.scale.data(), call.rhs_zero = int4.zero.data();
        call.bias = layer.bias.data();
        return pack_weights(call, source);
    }
};

/// Everything f32.
struct FloatFamily {
    static constexpr const char* name = "matmul_clamp_f32_f32p_f32p";
    static constexpr const char* source = "f32";
    static constexpr auto run = run_with_bias;

    static Bytes pack(const kai_ukernel& u, const Dense& layer) {
        kai_call call = call_for(u, layer);
        call.rhs = layer.weight.data(), call.bias = layer.bias.data();
        return pack_weights(call, source);
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
bool has_packers(const kai_ukernel& u) {
    return kai_registry_lhs_packer(&u, 0) != nullptr && weight_packer(u, T::source) != nullptr;
}

template <class T>
constexpr Family family(double tolerance) {
    return {T::name, tolerance, has_packers<T>, T::pack, T::run};
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
