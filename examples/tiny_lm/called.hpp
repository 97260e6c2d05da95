//
// A dense layer on micro-kernels for other work than the GEMM layer's: they are called by kai_call.h, or, depthwise
// convolution, by their own function.
//
//     by pointers  indirect matmul. The first layer reads the embeddings of the characters where they are: chunks of k
//     int8 inside  int8 activations with one zero point, quantised by ranges that were seen before
//     unified      the same and floats, by the unified API
//     depthwise    biases and ReLU of plain loops: an image of a column, the middle one of nine taps is 1
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "quantise.hpp"

#include "kai/kai_call.h"
#include "kai/ukernels/dwconv/dwconv_f32_f32_f32p/kai_dwconv_clamp_f32_f32_f32p_interface.h"
#include "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h"

/// Work that micro-kernels may be for.
struct Work {
    const char* name;
    std::vector<kai_ukernel_signature> signatures;
    kai_datatype type;  // of the results
    double tolerance;   // bits per character that it may lose (measured: README.md)
};

inline const std::vector<Work>& works() {
    static const std::vector<Work> all = {
        {"f32 by pointers", {KAI_UKERNEL_IMATMUL, KAI_UKERNEL_IMATMUL_ROWS}, kai_dt_f32, 0.001},
        {"f16 by pointers", {KAI_UKERNEL_IMATMUL}, kai_dt_f16, 0.005},
        {"int8 by pointers", {KAI_UKERNEL_IMATMUL_QAI8}, kai_dt_int8, 0.03},
        {"int8 inside", {KAI_UKERNEL_MATMUL_QAI8, KAI_UKERNEL_MATMUL_ROWS_QAI8}, kai_dt_int8, 0.03},
        {"f32, unified", {KAI_UKERNEL_UNIFIED}, kai_dt_f32, 0.001},
        {"f16, unified", {KAI_UKERNEL_UNIFIED}, kai_dt_f16, 0.005},
        {"int8 inside, unified", {KAI_UKERNEL_UNIFIED}, kai_dt_int8, 0.03},
        {"depthwise", {KAI_UKERNEL_DWCONV}, kai_dt_f32, 0.001},
    };
    return all;
}

/// What a micro-kernel is for; NULL: something else. (Of the unified API: those with weights of f32, f16 or int8.)
inline const Work* work_of(const kai_ukernel& u) {
    const std::string rhs = u.rhs_format;
    const bool known = rhs == "f32pbiasf32" || rhs == "f16pbiasf16" || rhs == "qsi8cxpbi32sf32";
    for (const Work& work : works()) {
        const bool takes =
            std::find(work.signatures.begin(), work.signatures.end(), u.signature) != work.signatures.end();
        if (known && takes && work.type == u.dst_type) {
            return &work;
        }
    }
    return nullptr;
}

/// How int8 stands for activations from `low` to `high`: (q - zero) * scale.
struct Range {
    float low = 0, high = 0;

    void widen(const float* x, size_t count) {
        low = std::min(low, *std::min_element(x, x + count));
        high = std::max(high, *std::max_element(x, x + count));
    }
    float scale() const {
        return (high - low) / 255;
    }
    int32_t zero() const {
        return -128 - static_cast<int32_t>(std::nearbyint(low / scale()));
    }
};

/// `chunk`: inputs that lie together. `in`, `out`: of activations, if they become int8.
class CalledLayer {
public:
    CalledLayer(const kai_ukernel& u, const Dense& layer, bool relu, size_t chunk, Range in, Range out)
        : layer_(layer), in_(in), out_(out), chunk_(chunk) {
        call_.ukernel = &u;
        call_.clamp = relu, call_.clamp_max = INFINITY;
        if (u.signature == KAI_UKERNEL_DWCONV) {
            prepare_depthwise();
        } else {
            prepare_call(relu);
        }
    }

    /// y [m][n] from x [m][k].
    void run(size_t m, const float* x, float* y) {
        if (call_.ukernel->signature == KAI_UKERNEL_DWCONV) {
            run_depthwise(m, x, y);
        } else {
            run_call(m, x, y);
        }
    }

private:
    kai_datatype type() const {
        return call_.ukernel->dst_type;
    }
    size_t size() const {
        return kai_get_datatype_size_in_bytes(type());
    }
    bool by_pointers() const {
        const kai_ukernel_signature s = call_.ukernel->signature;
        return s == KAI_UKERNEL_IMATMUL || s == KAI_UKERNEL_IMATMUL_QAI8 || s == KAI_UKERNEL_IMATMUL_ROWS;
    }

    void prepare_call(bool relu) {
        call_.lhs_packer = kai_registry_lhs_packer(call_.ukernel, 0);
        call_.rhs_packer = kai_registry_rhs_packer(call_.ukernel, 0);
        call_.n = layer_.n, call_.k = layer_.k, call_.k_chunk_length = by_pointers() ? chunk_ : 0;
        const bool kxn = kai_call_rhs_is_kxn(call_.rhs_packer);
        std::vector<int32_t> sums;
        std::vector<uint16_t> halves;
        Quantised weights;
        call_.bias = layer_.bias.data();
        if (type() == kai_dt_f32) {
            weights = kxn ? transposed<as_f32>(layer_) : as_f32(layer_);
        } else if (type() == kai_dt_f16) {
            weights = kxn ? transposed<as_half<kai_cast_f16_f32>>(layer_) : as_half<kai_cast_f16_f32>(layer_);
            std::transform(layer_.bias.begin(), layer_.bias.end(), std::back_inserter(halves), kai_cast_f16_f32);
            call_.bias = halves.data();
        } else {
            weights = as_int8_channel(layer_);
            const std::vector<uint8_t> rows = weights.bytes;
            for (size_t i = 0; i < rows.size() && kxn; i++) {
                weights.bytes[i % layer_.k * layer_.n + i / layer_.k] = rows[i];
            }
            for (size_t n = 0; n < layer_.n; n++) {
                const float unit = in_.scale() * weights.scale[n];
                sums.push_back(static_cast<int32_t>(unit == 0 ? 0 : std::nearbyint(layer_.bias[n] / unit)));
            }
            call_.bias = sums.data(), call_.rhs_scale = weights.scale.data();
            call_.lhs_zero_point = in_.zero(), call_.scale_multiplier = in_.scale() / out_.scale();
            call_.requantize = {relu ? out_.zero() : -128, 127, out_.zero()};
            call_.clamp = true;
        }
        call_.rhs = weights.bytes.data();
        packed_.resize(kai_call_rhs_packed_size(&call_));
        kai_call_pack_rhs(&call_, 0, layer_.n, packed_.data());
        call_.rhs_packed = packed_.data();
        call_.rhs = call_.bias = call_.rhs_scale = nullptr;
    }

    void run_call(size_t m, const float* x, float* y) {
        kai_call call = call_;
        call.m = m;
        std::vector<uint8_t> a(m * layer_.k * size()), c(m * layer_.n * size());
        for (size_t i = 0; i < m * layer_.k; i++) {
            put(x[i], &a[i * size()]);
        }
        call.lhs = a.data();
        // [row / group][chunk][row % group]; missing rows are the first one.
        const size_t group = call.lhs_packer != nullptr ? call.ukernel->get_mr() : call.ukernel->get_m_step();
        const size_t chunks = layer_.k / chunk_;
        std::vector<const uint8_t*> table;
        if (by_pointers()) {
            table.assign((m + group - 1) / group * group * chunks, a.data());
            for (size_t i = 0; i < m * chunks; i++) {
                const size_t row = i / chunks;
                table[(row / group * chunks + i % chunks) * group + row % group] = &a[i * chunk_ * size()];
            }
            call.lhs = table.data();
        }
        std::vector<uint8_t> lhs_packed(kai_call_lhs_packed_size(&call));
        kai_call_pack_lhs(&call, 0, m, lhs_packed.data());
        call.lhs_packed = lhs_packed.data(), call.dst = c.data();
        kai_call_run(&call, 0, 0, m, layer_.n);
        for (size_t i = 0; i < m * layer_.n; i++) {
            y[i] = get(&c[i * size()]);
        }
    }

    void put(float x, uint8_t* to) const {
        if (type() == kai_dt_f32) {
            std::memcpy(to, &x, sizeof(x));
        } else if (type() == kai_dt_f16) {
            const uint16_t half = kai_cast_f16_f32(x);
            std::memcpy(to, &half, sizeof(half));
        } else {
            const float q = std::nearbyint(x / in_.scale()) + static_cast<float>(in_.zero());
            *to = static_cast<uint8_t>(static_cast<int8_t>(std::min(std::max(q, -128.0f), 127.0f)));
        }
    }
    float get(const uint8_t* from) const {
        float x = 0;
        uint16_t half = 0;
        if (type() == kai_dt_f32) {
            std::memcpy(&x, from, sizeof(x));
            return x;
        }
        if (type() == kai_dt_f16) {
            std::memcpy(&half, from, sizeof(half));
            return kai_cast_f32_f16(half);
        }
        return static_cast<float>(static_cast<int8_t>(*from) - out_.zero()) * out_.scale();
    }

    void prepare_depthwise() {
        std::vector<float> filter(9 * layer_.n, 0.0f);
        std::fill_n(&filter[4 * layer_.n], layer_.n, 1.0f);
        const kai_packer& packer = *kai_registry_find_packer("rhs_dwconv_pack_x32p1vlx1b_x32_x32_sme");
        packed_.resize(reinterpret_cast<kai_get_rhs_dwconv_size_fn*>(packer.get_packed_size)(3, 3, layer_.n));
        reinterpret_cast<kai_run_rhs_dwconv_pack_fn*>(packer.run)(
            3, 3, 3, 3, layer_.n, filter.data(), layer_.bias.data(), packed_.data());
    }

    void run_depthwise(size_t m, const float* x, float* y) {
        std::vector<float> products(m * layer_.n);
        for (size_t i = 0; i < m * layer_.n; i++) {
            const float *a = x + i / layer_.n * layer_.k, *w = &layer_.weight[i % layer_.n * layer_.k];
            for (size_t k = 0; k < layer_.k; k++) {
                products[i] += a[k] * w[k];
            }
        }
        const auto run = reinterpret_cast<kai_dwconv_clamp_f32_f32_f32p_run_fn*>(call_.ukernel->run);
        const size_t pixel = layer_.n * sizeof(float), step = call_.ukernel->get_m_step();
        for (size_t row = 0; row < m; row += step) {
            const size_t above = row > 0 ? 1 : 0;  // rows of the image that the call sees of those above
            run(&products[(row - above) * layer_.n], packed_.data(), y + row * layer_.n, pixel, pixel, pixel, pixel,
                m - row + above, m - row, 1, 1 - above, 0.0f, call_.clamp ? 0.0f : -INFINITY, INFINITY);
        }
    }

    const Dense& layer_;
    Range in_, out_;
    size_t chunk_;
    kai_call call_ = {};
    std::vector<uint8_t> packed_;
};
