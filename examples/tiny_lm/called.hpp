// A dense layer on micro-kernels for other work than the GEMM layer's: they are called by kai_call.h, or, depthwise
// convolution, by their own function.
//
//     by pointers  indirect matmul. The first layer reads the embeddings of the characters where they are: chunks of k
//     int8 inside  int8 activations with one zero point, quantised by ranges that were seen before
//     gemmlowp     the same with integer requantisation, uint8 or int8, weights packed or as they are
//     unified      int8, uint8, int4 and floats, by the unified API
//     depthwise    biases and ReLU of plain loops: an image of a column, the middle one of nine taps is 1
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "quantise.hpp"

#include "kai/kai_call.h"
#include "kai/ukernels/dwconv/dwconv_f16_f16_f16p/kai_dwconv_clamp_f16_f16_f16p_interface.h"
#include "kai/ukernels/dwconv/dwconv_f32_f32_f32p/kai_dwconv_clamp_f32_f32_f32p_interface.h"
#include "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h"

/// Work that micro-kernels may be for.
struct Work {
    const char* name;
    std::vector<std::string> weights;  // rhs_format
    std::vector<kai_ukernel_signature> signatures;
    double tolerance;  // bits per character that it may lose (measured: README.md)
};

inline const std::vector<Work>& works() {
    static const std::vector<Work> all = {
        {"f32 by pointers", {"f32pbiasf32"}, {KAI_UKERNEL_IMATMUL, KAI_UKERNEL_IMATMUL_ROWS}, 0.001},
        {"f16 by pointers", {"f16pbiasf16"}, {KAI_UKERNEL_IMATMUL, KAI_UKERNEL_IMATMUL_ROWS}, 0.005},
        {"int8 by pointers", {"qsi8cxpbi32sf32"}, {KAI_UKERNEL_IMATMUL_QAI8, KAI_UKERNEL_IMATMUL_ROWS_QAI8}, 0.03},
        {"int8 inside", {"qsi8cxpbi32sf32"}, {KAI_UKERNEL_MATMUL_QAI8, KAI_UKERNEL_MATMUL_ROWS_QAI8}, 0.03},
        {"uint8 by gemmlowp", {"qau8p", "qau8_nxk"}, {KAI_UKERNEL_MATMUL_LOWP, KAI_UKERNEL_MATMUL_LOWP_PLAIN}, 0.03},
        {"uint8 by pointers", {"qau8p"}, {KAI_UKERNEL_IMATMUL_ROWS_LOWP}, 0.03},
        {"int8 by gemmlowp", {"qsi8p", "qsi8_nxk"}, {KAI_UKERNEL_MATMUL_LOWP, KAI_UKERNEL_MATMUL_LOWP_PLAIN}, 0.03},
        {"f32, unified", {"f32pbiasf32"}, {KAI_UKERNEL_UNIFIED}, 0.001},
        {"f16, unified", {"f16pbiasf16"}, {KAI_UKERNEL_UNIFIED}, 0.005},
        {"int8 inside, unified", {"qsi8cxpbi32sf32"}, {KAI_UKERNEL_UNIFIED}, 0.03},
        {"int4 inside, unified", {"qsi4cxpbi32sf32"}, {KAI_UKERNEL_UNIFIED}, 0.05},
        {"uint8 inside, unified", {"x8p"}, {KAI_UKERNEL_UNIFIED}, 0.03},
        {"depthwise", {"f32pbiasf32"}, {KAI_UKERNEL_DWCONV}, 0.001},
        {"depthwise (f16)", {"f16pbiasf16"}, {KAI_UKERNEL_DWCONV}, 0.005},
    };
    return all;
}

/// What a micro-kernel is for; NULL: something else.
inline const Work* work_of(const kai_ukernel& u) {
    const auto has = [](const auto& list, const auto& value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    };
    for (const Work& work : works()) {
        if (has(work.weights, u.rhs_format) && has(work.signatures, u.signature)) {
            return &work;
        }
    }
    return nullptr;
}

/// From the least to the greatest activation, 0 included.
struct Range {
    float low = 0, high = 0;

    void widen(const float* x, size_t count) {
        low = std::min(low, *std::min_element(x, x + count));
        high = std::max(high, *std::max_element(x, x + count));
    }
};

/// How numbers of a type stand for activations: (q - zero) * scale.
struct Activations {
    kai_datatype type = kai_dt_f32;
    float scale = 1;
    int32_t zero = 0;

    /// 8 bits: all of them are used for the range.
    Activations(kai_datatype t, Range range) : type(t) {
        if (t == kai_dt_int8 || t == kai_dt_uint8) {
            scale = (range.high - range.low) / 255;
            zero = least() - static_cast<int32_t>(std::nearbyint(range.low / scale));
        }
    }
    int32_t least() const {
        return type == kai_dt_uint8 ? 0 : -128;
    }
    size_t size() const {
        return kai_get_datatype_size_in_bytes(type);
    }
    void put(float x, uint8_t* to) const {
        if (type == kai_dt_f32) {
            std::memcpy(to, &x, sizeof(x));
        } else if (type == kai_dt_f16) {
            const uint16_t half = kai_cast_f16_f32(x);
            std::memcpy(to, &half, sizeof(half));
        } else {
            const int32_t q = static_cast<int32_t>(std::nearbyint(x / scale)) + zero;
            *to = static_cast<uint8_t>(std::min(std::max(q, least()), least() + 255));
        }
    }
    float get(const uint8_t* from) const {
        const auto read = [from](auto value) {
            std::memcpy(&value, from, sizeof(value));
            return value;
        };
        const auto real = [this](int32_t q) { return static_cast<float>(q - zero) * scale; };
        return type == kai_dt_f32     ? read(0.0f)
               : type == kai_dt_f16   ? kai_cast_f32_f16(read(uint16_t{}))
               : type == kai_dt_int8  ? real(read(int8_t{}))
               : type == kai_dt_uint8 ? real(*from)
                                      : real(read(int32_t{}));
    }
};

/// `chunk`: inputs that lie together. `in`, `out`: of activations, if they become integers.
class CalledLayer {
public:
    CalledLayer(const kai_ukernel& u, const Dense& layer, bool relu, size_t chunk, Range in, Range out)
        : layer_(layer),
          in_(u.rhs_format == std::string("x8p") ? kai_dt_uint8 : u.dst_type, in),
          out_(u.dst_type, out),
          chunk_(chunk),
          relu_(relu) {
        call_.ukernel = &u;
        call_.n = layer.n, call_.k = layer.k, call_.k_chunk_length = by_pointers() ? chunk : 0;
        call_.clamp = relu, call_.clamp_max = INFINITY;
        if (u.signature == KAI_UKERNEL_DWCONV) {
            prepare_depthwise();
        } else if (in_.type == kai_dt_f32 || in_.type == kai_dt_f16) {
            prepare_floats();
        } else if (by_gemmlowp()) {
            prepare_gemmlowp();
        } else if (in_.type == kai_dt_int8) {
            prepare_int8();
        } else {
            prepare_uint8();
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
    bool by_pointers() const {
        const kai_ukernel_signature s = call_.ukernel->signature;
        return s == KAI_UKERNEL_IMATMUL || s == KAI_UKERNEL_IMATMUL_QAI8 || s == KAI_UKERNEL_IMATMUL_ROWS ||
               s == KAI_UKERNEL_IMATMUL_ROWS_QAI8 || s == KAI_UKERNEL_IMATMUL_ROWS_LOWP;
    }
    bool by_gemmlowp() const {
        const kai_ukernel_signature s = call_.ukernel->signature;
        return s == KAI_UKERNEL_MATMUL_LOWP || s == KAI_UKERNEL_MATMUL_LOWP_PLAIN || s == KAI_UKERNEL_IMATMUL_ROWS_LOWP;
    }

    /// Packs weights of N x K, or leaves them as they are. `source`: what the packer reads; one of N x K if there is.
    void pack(const char* source, Quantised weights, size_t element) {
        call_.lhs_packer = kai_registry_lhs_packer(call_.ukernel, 0);
        for (size_t i = 0; const kai_packer* p = kai_registry_rhs_packer(call_.ukernel, i); i++) {
            const bool better = call_.rhs_packer == nullptr || kai_call_rhs_is_kxn(call_.rhs_packer);
            if (better && std::string(p->source_format) == source) {
                call_.rhs_packer = p;
            }
        }
        weights_ = std::move(weights.bytes);
        call_.rhs = weights_.data();
        if (call_.rhs_packer == nullptr) {
            return;
        }
        call_.rhs_scale = weights.scale.data();
        if (kai_call_rhs_is_kxn(call_.rhs_packer)) {
            const std::vector<uint8_t> rows = weights_;
            for (size_t i = 0; i < layer_.n * layer_.k; i++) {
                const size_t to = i % layer_.k * layer_.n + i / layer_.k;
                std::memcpy(&weights_[to * element], &rows[i * element], element);
            }
        }
        packed_.resize(kai_call_rhs_packed_size(&call_));
        kai_call_pack_rhs(&call_, 0, layer_.n, packed_.data());
        call_.rhs_packed = packed_.data();
        call_.rhs = call_.bias = call_.rhs_scale = nullptr;
        weights_.clear();
    }

    void prepare_floats() {
        std::vector<uint16_t> halves;
        call_.bias = layer_.bias.data();
        if (in_.type == kai_dt_f32) {
            return pack("f32", as_f32(layer_), sizeof(float));
        }
        std::transform(layer_.bias.begin(), layer_.bias.end(), std::back_inserter(halves), kai_cast_f16_f32);
        call_.bias = halves.data();
        pack("f16", as_half<kai_cast_f16_f32>(layer_), sizeof(uint16_t));
    }

    /// The biases in units of the products. `scales`: of the rows, or of all.
    void set_sums(const std::vector<float>& scales) {
        for (size_t n = 0; n < layer_.n; n++) {
            const float unit = in_.scale * scales[n % scales.size()];
            sums_.push_back(static_cast<int32_t>(unit == 0 ? 0 : std::nearbyint(layer_.bias[n] / unit)));
        }
    }

    /// int8 from layer to layer, weights of int8 or int4.
    void prepare_int8() {
        const bool int4 = call_.ukernel->rhs_format == std::string("qsi4cxpbi32sf32");
        const Quantised weights = int4 ? as_int4_channel(layer_) : as_int8_channel(layer_);
        set_sums(weights.scale);
        call_.bias = sums_.data();
        call_.lhs_zero_point = in_.zero, call_.scale_multiplier = in_.scale / out_.scale;
        call_.requantize = {relu_ ? out_.zero : -128, 127, out_.zero};
        call_.clamp = true;
        pack(int4 ? "qsu4cx" : "qsi8cx", weights, 1);
    }

    /// The same with integers alone: a factor is multiplier / 2^31 * 2^shift.
    void prepare_gemmlowp() {
        const bool is_unsigned = in_.type == kai_dt_uint8;
        Quantised weights = as_int8_channel(layer_);
        for (uint8_t& weight : weights.bytes) {
            weight = static_cast<uint8_t>(weight + (is_unsigned ? 128 : 0));
        }
        set_sums(weights.scale);
        for (const float scale : weights.scale) {
            shifts_.push_back(0);
            const double factor = std::frexp(double{in_.scale} * scale / out_.scale, &shifts_.back());
            multipliers_.push_back(static_cast<int32_t>(std::nearbyint(factor * 0x7FFFFFFF)));
        }
        call_.lowp.lhs_offset = -in_.zero, call_.lowp.rhs_offset = is_unsigned ? -128 : 0;
        call_.lowp.bias = sums_.data();
        call_.lowp.multiplier = multipliers_.data(), call_.lowp.shift = shifts_.data(), call_.lowp.per_channel = true;
        call_.lowp.result_offset = out_.zero;
        call_.lowp.min_value = relu_ ? out_.zero : out_.least(), call_.lowp.max_value = out_.least() + 255;
        pack(is_unsigned ? "qau8" : "qsi8", weights, 1);
    }

    /// uint8 times uint8: sum of (a - zero) * (w - 128). What the zero points add depends on a row or a column alone.
    void prepare_uint8() {
        Quantised weights;
        weights.scale.push_back(symmetric_scale(layer_.weight.data(), layer_.weight.size(), 8));
        const float unit = in_.scale * weights.scale[0];
        set_sums(weights.scale);
        for (size_t n = 0; n < layer_.n; n++) {
            for (size_t k = 0; k < layer_.k; k++) {
                const int w = quantum(layer_.weight[n * layer_.k + k], weights.scale[0], 0.0f, 8);
                weights.bytes.push_back(static_cast<uint8_t>(w + 128));
                sums_[n] -= in_.zero * w;
            }
        }
        out_.scale = unit;
        call_.clamp = relu_ && out_.type == kai_dt_f32;
        call_.acc_bias_n = sums_.data(), call_.acc_scale = unit;
        pack("x8", weights, 1);
    }

    void run_call(size_t m, const float* x, float* y) {
        kai_call call = call_;
        call.m = m;
        std::vector<uint8_t> a(m * layer_.k * in_.size()), c(m * layer_.n * out_.size());
        for (size_t i = 0; i < m * layer_.k; i++) {
            in_.put(x[i], &a[i * in_.size()]);
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
                table[(row / group * chunks + i % chunks) * group + row % group] = &a[i * chunk_ * in_.size()];
            }
            call.lhs = table.data();
        }
        std::vector<int32_t> row_sums(m);
        if (call.acc_bias_n != nullptr) {
            for (size_t i = 0; i < m * layer_.k; i++) {
                row_sums[i / layer_.k] -= 128 * a[i];
            }
            call.acc_bias_m = row_sums.data();
        }
        std::vector<uint8_t> lhs_packed(kai_call_lhs_packed_size(&call));
        kai_call_pack_lhs(&call, 0, m, lhs_packed.data());
        call.lhs_packed = lhs_packed.data(), call.dst = c.data();
        kai_call_run(&call, 0, 0, m, layer_.n);
        const float least = relu_ && out_.type == kai_dt_int32 ? 0.0f : -INFINITY;  // others have been clamped
        for (size_t i = 0; i < m * layer_.n; i++) {
            y[i] = std::max(out_.get(&c[i * out_.size()]), least);
        }
    }

    void prepare_depthwise() {
        const bool half = in_.type == kai_dt_f16;
        Dense filter = {layer_.n, 9, std::vector<float>(9 * layer_.n, 0.0f), layer_.bias};
        std::fill_n(&filter.weight[4 * layer_.n], layer_.n, 1.0f);
        Dense bias = layer_;
        bias.weight = layer_.bias;
        const Quantised taps = half ? as_half<kai_cast_f16_f32>(filter) : as_f32(filter);
        const Quantised biases = half ? as_half<kai_cast_f16_f32>(bias) : as_f32(bias);
        const kai_packer& packer = *kai_registry_find_packer(
            half ? "rhs_dwconv_pack_x16p1vlx1b_x16_x16_sme" : "rhs_dwconv_pack_x32p1vlx1b_x32_x32_sme");
        packed_.resize(reinterpret_cast<kai_get_rhs_dwconv_size_fn*>(packer.get_packed_size)(3, 3, layer_.n));
        reinterpret_cast<kai_run_rhs_dwconv_pack_fn*>(packer.run)(
            3, 3, 3, 3, layer_.n, taps.bytes.data(), biases.bytes.data(), packed_.data());
    }

    void run_depthwise(size_t m, const float* x, float* y) {
        const size_t pixel = layer_.n * in_.size();
        std::vector<uint8_t> image(m * pixel), result(m * pixel);
        for (size_t i = 0; i < m * layer_.n; i++) {
            const float *a = x + i / layer_.n * layer_.k, *w = &layer_.weight[i % layer_.n * layer_.k];
            float product = 0;
            for (size_t k = 0; k < layer_.k; k++) {
                product += a[k] * w[k];
            }
            in_.put(product, &image[i * in_.size()]);
        }
        const float least = relu_ ? 0.0f : -INFINITY;
        if (in_.type == kai_dt_f16) {
            reinterpret_cast<kai_dwconv_clamp_f16_f16_f16p_run_fn*>(call_.ukernel->run)(
                image.data(), packed_.data(), result.data(), layer_.n, m, 1, m, 1, 1, 1, pixel, pixel, pixel, pixel,
                least, INFINITY);
        } else {
            const auto run = reinterpret_cast<kai_dwconv_clamp_f32_f32_f32p_run_fn*>(call_.ukernel->run);
            for (size_t row = 0; row < m; row += call_.ukernel->get_m_step()) {
                const size_t above = row > 0 ? 1 : 0;  // rows of the image that the call sees of those above
                run(&image[(row - above) * pixel], packed_.data(), &result[row * pixel], pixel, pixel, pixel, pixel,
                    m - row + above, m - row, 1, 1 - above, 0.0f, least, INFINITY);
            }
        }
        for (size_t i = 0; i < m * layer_.n; i++) {
            y[i] = in_.get(&result[i * in_.size()]);
        }
    }

    const Dense& layer_;
    Activations in_, out_;
    size_t chunk_;
    bool relu_;
    kai_call call_ = {};
    std::vector<uint8_t> weights_, packed_;
    std::vector<int32_t> sums_, multipliers_, shifts_;
};
