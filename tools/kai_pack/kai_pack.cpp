// What kai-pack does.
//
// SPDX-License-Identifier: Apache-2.0
#include "tools/kai_pack/kai_pack.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kai/gemm/kai_gemm_file.h"
#include "tools/files.hpp"
#include "tools/kai_pack/array.hpp"

namespace kai_pack_tool {
namespace {

using Tensor = kai_gemm_tensor;
using std::string;
using tools::fail;
using tools::Mapping;
using tools::Output;
using tools::Progress;

void check(kai_gemm_file_status status, const string& what) {
    if (status != KAI_GEMM_FILE_OK) {
        fail(what + ": " + kai_gemm_file_status_text(status));
    }
}

constexpr const char* kKinds[] = {"dense",       "int8",         "int4",        "int2",       "int4 bf16",
                                  "int4 f16",    "int4 zero",    "int8 static", "int8 f16",   "uint8 lowp",
                                  "int8 lowp",   "GGUF",         "int2 static", "int4 table", "uint4 block",
                                  "float table", "f8e4m3 block", "f8e5m2 block"};
static_assert(sizeof(kKinds) / sizeof(kKinds[0]) == KAI_GEMM_KIND_COUNT);

string lower_case(string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// The type of this name, in any case, but for floats; NULL if there is none.
const kai_gguf_type* find_gguf_type(const string& name) {
    for (size_t i = 0; const kai_gguf_type* type = kai_gguf_type_at(i); ++i) {
        if (type->block_weights != 1 && lower_case(name) == lower_case(type->name)) {
            return type;
        }
    }
    return nullptr;
}

// ---- tables ----

using Table = std::array<float, 16>;

/// The 16 numbers of --table, or those of a name.
Table table_of(const Options& o) {
    static const std::map<string, Table> named = {
        // bitsandbytes: quantiles of the normal distribution; floats of 4 bits, divided by the largest
        {"nf4",
         {-1.0F, -0.6961928009986877F, -0.5250730514526367F, -0.39491748809814453F, -0.28444138169288635F,
          -0.18477343022823334F, -0.09105003625154495F, 0.0F, 0.07958029955625534F, 0.16093020141124725F,
          0.24611230194568634F, 0.33791524171829224F, 0.44070982933044434F, 0.5626170039176941F, 0.7229568362236023F,
          1.0F}},
        {"fp4",
         {0.0F, 0.0625F / 12, 8.0F / 12, 1.0F, 4.0F / 12, 6.0F / 12, 2.0F / 12, 3.0F / 12, -0.0F, -0.0625F / 12,
          -8.0F / 12, -1.0F, -4.0F / 12, -6.0F / 12, -2.0F / 12, -3.0F / 12}},
        // GGUF
        {"iq4nl", {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}}};
    const auto found = o.table.size() == 1 ? named.find(lower_case(o.table[0])) : named.end();
    if (found != named.end()) {
        return found->second;
    }
    Table table;
    if (o.table.size() != table.size()) {
        fail("--table: " + std::to_string(o.table.size()) + " values, needs 16 numbers, or nf4, fp4 or iq4nl");
    }
    for (size_t i = 0; i < table.size(); ++i) {
        char* end = nullptr;
        table[i] = std::strtof(o.table[i].c_str(), &end);
        if (o.table[i].empty() || *end != 0) {
            fail("--table: value " + std::to_string(i) + " is " + o.table[i] + ", not a number");
        }
    }
    return table;
}

/// The same as int8.
std::array<int8_t, 16> int8_table_of(const Options& o) {
    const Table table = table_of(o);
    std::array<int8_t, 16> integers;
    for (size_t i = 0; i < table.size(); ++i) {
        if (!(table[i] >= INT8_MIN && table[i] <= INT8_MAX) || table[i] != std::trunc(table[i])) {
            fail(
                "--table: value " + std::to_string(i) + " is " + std::to_string(table[i]) +
                ", this kernel needs integers from -128 to 127");
        }
        integers[i] = static_cast<int8_t>(table[i]);
    }
    return integers;
}

/// Whether weights are indices of a table of floats, which become f32.
bool have_float_table(const Tensor& t, const Options& o) {
    return !o.table.empty() && t.kind == KAI_GEMM_DENSE;
}

// ---- sources ----

/// Whether A and C are int8, and so the bias int32.
bool is_static(kai_gemm_kind kind) {
    return kind == KAI_GEMM_INT8_STATIC || kind == KAI_GEMM_INT2_STATIC;
}

/// 8-bit floating point.
bool is_f8(kai_gemm_kind kind) {
    return kind == KAI_GEMM_F8E4M3_BLOCK || kind == KAI_GEMM_F8E5M2_BLOCK;
}

/// Bits of a weight that is no float of 16 or 32 bits.
size_t bits_of(kai_gemm_kind kind) {
    switch (kind) {
        case KAI_GEMM_INT8_CHANNEL:
        case KAI_GEMM_INT8_STATIC:
        case KAI_GEMM_INT8_BLOCK_F16:
        case KAI_GEMM_F8E4M3_BLOCK:
        case KAI_GEMM_F8E5M2_BLOCK:
            return 8;
        case KAI_GEMM_INT2_CHANNEL:
        case KAI_GEMM_INT2_STATIC:
            return 2;
        default:
            return 4;
    }
}

/// f32 weights as integers, N x K, symmetric: scale = largest magnitude / 127 or / 7, in the type that is stored.
struct Quantised {
    std::vector<uint8_t> b, scale;

    /// Matrix number `matrix` of an array.
    Quantised(const Tensor& t, const Array& array, size_t matrix, bool transposed) {
        const uint8_t* x = array.data() + matrix * t.n * t.k * sizeof(float);
        const size_t length = t.bl != 0 ? t.bl : t.k;
        const float most = bits_of(t.kind) == 8 ? 127.0F : 7.0F;
        std::vector<int> q(length + length % 2);
        for (size_t n = 0; n < t.n; ++n) {
            for (size_t start = 0; start < t.k; start += length) {
                const auto at = [&](size_t i) {
                    const size_t index = transposed ? n * t.k + start + i : (start + i) * t.n + n;
                    float weight = 0;
                    std::memcpy(&weight, x + index * sizeof(float), sizeof(float));
                    return weight;
                };
                const auto refuse = [&](size_t i, const string& why) {
                    fail(
                        array.path() + ": matrix " + std::to_string(matrix) + ", n " + std::to_string(n) + ", k " +
                        std::to_string(start + i) + ": " + std::to_string(at(i)) + why);
                };
                size_t largest = 0;
                for (size_t i = 0; i < length; ++i) {
                    if (!std::isfinite(at(i))) {
                        refuse(i, " cannot be quantised");
                    }
                    largest = std::fabs(at(i)) > std::fabs(at(largest)) ? i : largest;
                }
                const float s = store_scale(t.kind, std::fabs(at(largest)) / most);
                if (!std::isfinite(s)) {
                    refuse(largest, " needs a scale beyond the type of scales");
                }
                for (size_t i = 0; i < length; ++i) {
                    q[i] = s > 0 ? static_cast<int>(std::lrint(std::max(-most, std::min(most, at(i) / s)))) : 0;
                }
                store(t.kind, q, length);
            }
        }
    }

private:
    void append(std::vector<uint8_t>& to, const void* from, size_t size) {
        to.insert(to.end(), static_cast<const uint8_t*>(from), static_cast<const uint8_t*>(from) + size);
    }
    /// Returns what the stored scale is.
    float store_scale(kai_gemm_kind kind, float s) {
        const uint16_t f16 = kai_cast_f16_f32(s), bf16 = kai_cast_bf16_f32(s);
        switch (kind) {
            case KAI_GEMM_INT4_BLOCK:
                return append(scale, &bf16, sizeof(bf16)), kai_cast_f32_bf16(bf16);
            case KAI_GEMM_INT4_BLOCK_F16:
            case KAI_GEMM_INT8_BLOCK_F16:
                return append(b, &f16, sizeof(f16)), kai_cast_f32_f16(f16);
            default:
                return append(scale, &s, sizeof(s)), s;
        }
    }
    void store(kai_gemm_kind kind, const std::vector<int>& q, size_t length) {
        if (bits_of(kind) == 8) {
            b.insert(b.end(), q.begin(), q.begin() + static_cast<ptrdiff_t>(length));
            return;
        }
        const size_t half = q.size() / 2, step = kind == KAI_GEMM_INT4_BLOCK_F16 ? 1 : 2;
        const size_t other = kind == KAI_GEMM_INT4_BLOCK_F16 ? half : 1;
        for (size_t j = 0; j < q.size() / 2; ++j) {
            b.push_back(static_cast<uint8_t>((q[j * step] + 8) | (q[j * step + other] + 8) << 4));
        }
    }
};

/// Elements of the scales of a table of floats: f32, if they are raw.
kai_datatype scale_type_of(const Array& scale) {
    scale.expect_type({"<f4", "<f2", "<u2", "<i2", "<V2"});
    return scale.is_bytes() || scale.type() == "<f4" ? kai_dt_f32 : scale.type() == "<f2" ? kai_dt_f16 : kai_dt_bf16;
}

/// Columns of 8-bit floating point that have the same scales.
size_t scale_columns(const Options& o) {
    return o.scale_columns != 0 ? o.scale_columns : 1;
}

/// Scales of 8-bit floating point as f32 [n][k / bl], of matrix number `matrix`: floats, or E8M0 (bytes).
std::vector<float> f8_scales(const Tensor& t, const Options& o, const Array& scales, size_t matrix) {
    const size_t blocks = t.k / t.bl, shared = scale_columns(o), rows = (t.n + shared - 1) / shared;
    const bool exponents = !scales.type().empty() && scales.is_bytes();
    const kai_datatype type = exponents ? kai_dt_uint8 : scale_type_of(scales);
    const size_t size = kai_get_datatype_size_in_bytes(type);
    std::vector<float> all(t.n * blocks);
    for (size_t i = 0; i < all.size(); ++i) {
        const size_t at = (matrix * rows + i / blocks / shared) * blocks + i % blocks;
        const uint8_t* from = scales.data() + at * size;
        uint16_t half = 0;
        std::memcpy(type == kai_dt_f32 ? static_cast<void*>(&all[i]) : &half, from, size);
        all[i] = type == kai_dt_f32    ? all[i]
                 : type == kai_dt_f16  ? kai_cast_f32_f16(half)
                 : type == kai_dt_bf16 ? kai_cast_f32_bf16(half)
                 : half == 255         ? NAN
                                       : std::ldexp(1.0F, half - 127);
    }
    return all;
}

/// f32 weights, N x K, of matrix number `matrix`: scale * table[index], rounded once, as of KAI_GEMM_FLOAT_TABLE.
std::vector<float> floats_of(
    const Tensor& t, const Options& o, const Array& indices, const Array& scales, size_t matrix) {
    const Table table = table_of(o);
    const kai_datatype type = scale_type_of(scales);
    const size_t size = kai_get_datatype_size_in_bytes(type);
    const auto scale_at = [&](size_t i) {
        float x = 0;
        uint16_t half = 0;
        std::memcpy(type == kai_dt_f32 ? static_cast<void*>(&x) : &half, scales.data() + i * size, size);
        return type == kai_dt_f32 ? x : type == kai_dt_f16 ? kai_cast_f32_f16(half) : kai_cast_f32_bf16(half);
    };
    std::vector<float> floats(t.n * t.k);
    const size_t before = matrix * floats.size();
    for (size_t i = 0; i < floats.size(); ++i) {
        const unsigned byte = indices.data()[(before + i) / 2];
        floats[i] = scale_at((before + i) / o.bl) * table[i % 2 == 0 ? byte >> 4 : byte & 15U];
    }
    return floats;
}

/// Bytes of a line of weights as kai_gemm_weights has it.
size_t line_size(const Tensor& t, bool transposed) {
    const size_t length = transposed ? t.k : t.n;
    switch (t.kind) {
        case KAI_GEMM_DENSE:
            return product_of({length, kai_get_datatype_size_in_bytes(t.type)}, t.name);
        case KAI_GEMM_GGUF: {
            size_t row = 0;
            return kai_gguf_row_size(kai_gguf_find_type(t.gguf_type), t.k, &row) ? row : 0;
        }
        case KAI_GEMM_INT4_BLOCK_F16:
        case KAI_GEMM_INT4_TABLE:
            return t.k / t.bl * (2 + t.bl / 2);
        case KAI_GEMM_INT8_BLOCK_F16:
            return t.k / t.bl * (2 + t.bl);
        default: {
            const size_t per_byte = 8 / bits_of(t.kind);
            return length / per_byte + (length % per_byte != 0);
        }
    }
}

/// What the kernel makes of --table: its kind, and what goes with it.
void describe_table(Tensor& t, const Options& o, const Array& array) {
    if (t.kind != KAI_GEMM_DENSE && t.kind != KAI_GEMM_GGUF) {
        fail(string("--table: ") + kKinds[t.kind] + " has none");
    }
    if (!o.transposed) {
        fail("--table: indices are N x K (--transposed)");
    }
    array.expect_type({});
    if (t.kind == KAI_GEMM_GGUF) {
        int8_table_of(o);
        t.kind = KAI_GEMM_INT4_TABLE, t.type = kai_dt_unknown;
        return;
    }
    table_of(o);
    t.type = kai_dt_f32;
    if (o.scale.empty() || o.bl == 0 || o.bl % 16 != 0) {
        fail("--table: floats need --scale, and --bl that is a multiple of 16, not " + std::to_string(o.bl));
    }
}

/// Describes the tensor by the options and the shape of the array. True: f32 weights are to be quantised.
bool describe(Tensor& t, const Options& o, const Array& array) {
    static const std::map<string, kai_datatype> types = {
        {"f32", kai_dt_f32}, {"<f4", kai_dt_f32}, {"f16", kai_dt_f16}, {"<f2", kai_dt_f16}, {"bf16", kai_dt_bf16}};
    check(kai_gemm_tensor_for(o.kernel.c_str(), o.vector_length, &t), o.kernel);
    const string type = !o.type.empty() ? lower_case(o.type) : array.is_bytes() ? "" : array.type();
    if (!o.table.empty()) {
        if (!o.type.empty()) {
            fail("--table and --type are for different weights");
        }
        describe_table(t, o, array);
    } else if (o.type.empty()) {
        array.expect_type(is_f8(t.kind) ? std::vector<string>{"f8e4m3", "f8e5m2"} : std::vector<string>{"<f4", "<f2"});
    } else {
        static const std::map<string, std::vector<string>> elements = {
            {"f32", {"<f4"}}, {"f16", {"<f2"}}, {"bf16", {"<u2", "<i2", "<V2"}}};
        const auto those = elements.find(type);
        array.expect_type(those != elements.end() ? those->second : std::vector<string>{});
    }
    if (const kai_gguf_type* rows = find_gguf_type(type)) {
        t.kind = KAI_GEMM_GGUF, t.gguf_type = rows->id;
    } else if (t.kind == KAI_GEMM_GGUF) {
        fail("--type must name the type of the rows, as q4_k");
    }
    const auto found = types.find(type);
    const bool is_float = found != types.end(), quantised = is_float && t.kind != KAI_GEMM_DENSE;
    const bool can_quantise = t.kind == KAI_GEMM_INT8_CHANNEL || t.kind == KAI_GEMM_INT4_CHANNEL ||
                              t.kind == KAI_GEMM_INT4_BLOCK || t.kind == KAI_GEMM_INT4_BLOCK_F16 ||
                              t.kind == KAI_GEMM_INT8_BLOCK_F16;
    if (t.kind == KAI_GEMM_DENSE ? !is_float && !type.empty()
                                 : is_float && !(can_quantise && found->second == kai_dt_f32)) {
        fail(type + " weights cannot become " + kKinds[t.kind]);
    }
    const bool e4m3 = type == "f8e4m3", e5m2 = type == "f8e5m2";
    if ((e4m3 && t.kind != KAI_GEMM_F8E4M3_BLOCK) || (e5m2 && t.kind != KAI_GEMM_F8E5M2_BLOCK)) {
        fail(type + " weights cannot become " + kKinds[t.kind]);
    }
    if (o.scale_columns != 0 && !is_f8(t.kind)) {
        fail(string("--scale-columns: ") + kKinds[t.kind] + " has none");
    }
    if (t.kind == KAI_GEMM_DENSE && is_float) {
        t.type = found->second;
    }
    const std::vector<size_t>& shape = array.shape();
    const size_t dims = shape.size();
    const bool float_table = have_float_table(t, o);
    t.n = o.n, t.k = o.k, t.bl = float_table ? 0 : t.kind == KAI_GEMM_INT4_TABLE && o.bl == 0 ? 32 : o.bl;
    t.count = o.count;
    if (dims >= 2) {
        const size_t per_byte = is_float ? 1 : 8 / bits_of(t.kind);
        const size_t rows = shape[dims - 2], columns = product_of({shape[dims - 1], per_byte}, array.path());
        t.n = t.n != 0 ? t.n : o.transposed ? rows : columns;
        t.k = t.k != 0 ? t.k : o.transposed ? columns : rows;
    }
    t.count = t.count != 0 ? t.count : dims == 3 ? shape[0] : 1;
    t.bl = is_f8(t.kind) && t.bl == 0 ? t.k : t.bl;
    if (float_table && t.k % o.bl != 0) {
        fail(o.name + ": k = " + std::to_string(t.k) + " is not a multiple of bl = " + std::to_string(o.bl));
    }
    t.name = o.name.c_str();
    t.bias = !o.bias.empty(), t.bias_apart = o.bias_apart;
    t.a_zero_point = o.a_zero_point, t.multiplier = o.multiplier;
    if (!o.lut.empty()) {
        std::copy(o.lut.begin(), o.lut.end(), t.lut);
    }
    check(
        kai_gemm_tensor_measure(&t), o.name + ": n " + std::to_string(t.n) + ", k " + std::to_string(t.k) + ", bl " +
                                         std::to_string(t.bl) + ", matrices " + std::to_string(t.count));
    return quantised;
}

/// The arrays that a tensor is packed from. Their types and shapes are right.
struct Arrays {
    Array weights;
    std::unique_ptr<Array> scale, zero, bias;
    size_t matrix = 0, scales = 0, zeros = 0, biases = 0;  // bytes of each per matrix

    explicit Arrays(const Options& o) : weights(o.weights) {
        const auto optional = [](const string& path) { return path.empty() ? nullptr : std::make_unique<Array>(path); };
        scale = optional(o.scale), zero = optional(o.zero), bias = optional(o.bias);
    }

    void check(const Tensor& t, const Options& o, bool quantise) {
        const bool transposed = o.transposed, float_table = have_float_table(t, o);
        const size_t bl = float_table ? o.bl : t.bl, blocks = bl != 0 ? t.k / bl : 1;
        const bool f8 = is_f8(t.kind), exponents = f8 && scale != nullptr && scale->type() == "|u1";
        const size_t scale_size = exponents ? 1
                                  : float_table || (f8 && scale != nullptr)
                                      ? kai_get_datatype_size_in_bytes(scale_type_of(*scale))
                                  : t.kind == KAI_GEMM_INT4_BLOCK ? 2
                                                                  : 4;
        const size_t scale_rows = f8 ? (t.n + scale_columns(o) - 1) / scale_columns(o) : t.n;
        const bool rows = transposed || t.kind == KAI_GEMM_GGUF || t.kind == KAI_GEMM_INT4_BLOCK_F16 ||
                          t.kind == KAI_GEMM_INT8_BLOCK_F16;
        const size_t lines = (quantise ? transposed : rows) ? t.n : t.k;
        const size_t line = quantise      ? product_of({transposed ? t.k : t.n, sizeof(float)}, t.name)
                            : float_table ? t.k / 2
                                          : line_size(t, transposed);
        weights.expect_shape({t.count, lines, line}, 1);
        matrix = lines * line;
        const auto expect = [](const std::unique_ptr<Array>& array, const std::vector<string>& types,
                               const std::vector<size_t>& shape, size_t size) {
            if (array != nullptr) {
                array->expect_type(types);
                array->expect_shape(shape, size);
            }
        };
        const bool bf16 = t.kind == KAI_GEMM_INT4_BLOCK, integers = is_static(t.kind);
        const std::vector<string> its_type = {(float_table || f8) && scale != nullptr ? scale->type() : "<f4"};
        expect(
            scale, bf16 ? std::vector<string>{"<u2", "<i2", "<V2"} : its_type, {t.count, scale_rows, blocks},
            scale_size);
        expect(zero, {"<f4"}, {t.count, t.n, blocks}, sizeof(float));
        expect(bias, {integers ? "<i4" : "<f4"}, {t.count, t.n}, sizeof(float));
        scales = t.n * blocks * scale_size, zeros = t.n * blocks * sizeof(float), biases = t.n * sizeof(float);
    }
};

void pack_tensor(const Tensor& t, const Options& o, const Arrays& arrays, bool quantise, uint8_t* packed) {
    const Progress progress(o.name);
    for (size_t m = 0; m < t.count; ++m) {
        const auto part = [&](const std::unique_ptr<Array>& from, size_t bytes) {
            return from != nullptr ? from->data() + m * bytes : nullptr;
        };
        kai_gemm_weights w = {};
        w.b = arrays.weights.data() + m * arrays.matrix;
        w.scale = part(arrays.scale, arrays.scales);
        w.zero = reinterpret_cast<const float*>(part(arrays.zero, arrays.zeros));
        w.zero_point = static_cast<uint8_t>(o.zero_point);
        w.bias = part(arrays.bias, arrays.biases);
        std::array<int8_t, 16> table;
        if (t.kind == KAI_GEMM_INT4_TABLE) {
            table = int8_table_of(o);
            w.table = table.data();
        }
        std::vector<float> floats;
        if (have_float_table(t, o)) {
            floats = floats_of(t, o, arrays.weights, *arrays.scale, m);
            w.b = floats.data(), w.scale = nullptr;
        }
        if (is_f8(t.kind) && arrays.scale != nullptr) {
            floats = f8_scales(t, o, *arrays.scale, m);
            w.scale = floats.data();
        }
        std::unique_ptr<Quantised> quantised;
        if (quantise) {
            quantised = std::make_unique<Quantised>(t, arrays.weights, m, o.transposed);
            w.b = quantised->b.data(), w.scale = quantised->scale.data(), w.zero_point = 8;
        }
        const bool transposed = quantise || o.transposed || t.kind == KAI_GEMM_GGUF;
        // K x N lines of integers are packed at once.
        const bool parts = transposed || t.kind == KAI_GEMM_DENSE || is_static(t.kind) || is_f8(t.kind);
        const size_t panels = (t.n + t.format.nr - 1) / t.format.nr;
        const size_t step = parts ? (panels + 63) / 64 * t.format.nr : t.n;
        for (size_t first = 0; first < t.n; first += step) {
            check(
                kai_gemm_tensor_pack(&t, m, transposed, &w, first, std::min(step, t.n - first), packed, t.size),
                o.name);
            progress.at(m * t.n + std::min(first + step, t.n), t.count * t.n);
        }
    }
}

// ---- files ----

/// Existing files whose tensors are copied.
struct Source {
    Mapping mapping;
    std::vector<Tensor> tensors;

    explicit Source(const string& path) : mapping(path) {
        kai_gemm_file file;
        if (mapping.size() == 0) {
            fail(path + ": empty");
        }
        check(kai_gemm_file_open(mapping.data(), mapping.size(), &file), path);
        tensors.resize(file.count);
        for (size_t i = 0; i < file.count; ++i) {
            check(kai_gemm_file_tensor(&file, i, &tensors[i]), path);
        }
    }
};

/// Writes `tensors`: those that have data are copied, `fill` writes the others.
template <typename Fill>
void write_file(Output& out, const string& path, std::vector<Tensor> tensors, Fill fill) {
    std::sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) {
        return std::strcmp(a.name, b.name) < 0;
    });
    size_t size = 0;
    check(kai_gemm_file_lay_out(tensors.data(), tensors.size(), &size), path);
    uint8_t* data = out.create(size);
    for (Tensor& t : tensors) {
        if (t.data != nullptr) {
            std::memcpy(data + t.offset, t.data, t.size);
        } else {
            fill(t, data + t.offset);
            t.checksum = kai_gemm_file_checksum(0, data + t.offset, t.size);
        }
    }
    check(kai_gemm_file_write_header(tensors.data(), tensors.size(), data, size), path);
    out.publish();
}

}  // namespace

std::vector<string> type_names() {
    std::vector<string> names = {"f32", "f16", "bf16"};
    for (size_t i = 0; const kai_gguf_type* type = kai_gguf_type_at(i); ++i) {
        if (type->block_weights != 1) {
            names.emplace_back(lower_case(type->name));
        }
    }
    return names;
}

void pack(const Options& o) {
    Output out(o.out, {file_of(o.weights), file_of(o.scale), file_of(o.zero), file_of(o.bias)}, Output::Existing::read);
    Arrays arrays(o);
    Tensor t = {};
    const bool quantise = describe(t, o, arrays.weights);
    arrays.check(t, o, quantise);
    std::vector<Tensor> tensors = {t};
    std::unique_ptr<Source> before;
    if (out.exists()) {
        before = std::make_unique<Source>(o.out);
        for (const Tensor& old : before->tensors) {
            if (o.name != old.name) {
                tensors.push_back(old);
            } else if (!o.replace) {
                fail(o.out + " has a tensor " + o.name + " already (--replace)");
            }
        }
    }
    write_file(out, o.out, tensors, [&](const Tensor& new_one, uint8_t* to) {
        pack_tensor(new_one, o, arrays, quantise, to);
    });
    std::printf("%s: %s, %zu bytes\n", o.out.c_str(), o.name.c_str(), t.size);
}

void join(const Options& o) {
    Output out(o.out, o.in, o.force ? Output::Existing::replaced : Output::Existing::refused);
    std::vector<std::unique_ptr<Source>> sources;
    std::vector<Tensor> tensors;
    for (const string& path : o.in) {
        sources.push_back(std::make_unique<Source>(path));
        tensors.insert(tensors.end(), sources.back()->tensors.begin(), sources.back()->tensors.end());
    }
    write_file(out, o.out, tensors, [](const Tensor&, uint8_t*) {});
    std::printf("%s: %zu tensors\n", o.out.c_str(), tensors.size());
}

void inspect(const Options& o) {
    const Source source(o.out);
    uint32_t version = 0;
    std::memcpy(&version, static_cast<const uint8_t*>(source.mapping.data()) + 8, sizeof(version));
    std::printf(
        "%s: version %u, %zu tensors, %zu bytes\n", o.out.c_str(), version, source.tensors.size(),
        source.mapping.size());
    for (const Tensor& t : source.tensors) {
        char reason[256];
        kai_gemm_tensor_usable(&t, reason, sizeof(reason));
        const kai_gguf_type* type = t.kind == KAI_GEMM_GGUF ? kai_gguf_find_type(t.gguf_type) : nullptr;
        std::printf(
            "%s\n    %s%s%s, n %zu, k %zu", t.name, kKinds[t.kind], type != nullptr ? " " : "",
            type != nullptr ? type->name : "", t.n, t.k);
        if (t.bl != 0) {
            std::printf(", bl %zu", t.bl);
        }
        if (t.count != 1) {
            std::printf(", %zu matrices", t.count);
        }
        std::printf(
            "%s\n    format %s, nr %zu, kr %zu, sr %zu",
            !t.bias        ? ""
            : t.bias_apart ? ", bias apart"
                           : ", bias",
            t.format.name, t.format.nr, t.format.kr, t.format.sr);
        if (t.untagged) {
            std::printf(", no tags");
        }
        if (t.vector_length != 0) {
            std::printf(", vectors of %zu bits", 8 * t.vector_length);
        }
        std::printf("\n    %zu bytes at %zu, CRC-32 %08x\n    %s\n", t.size, t.offset, t.checksum, reason);
    }
}

void verify(const Options& o) {
    const Source source(o.out);
    size_t damaged = 0;
    for (const Tensor& t : source.tensors) {
        constexpr size_t kStep = size_t{16} << 20;
        uint32_t checksum = 0;
        {
            const Progress progress(t.name);
            for (size_t at = 0; at < t.size; at += kStep) {
                const auto* data = static_cast<const uint8_t*>(t.data) + at;
                const size_t step = std::min(kStep, t.size - at);
                checksum = kai_gemm_file_checksum(checksum, data, step);
                progress.at(at + step, t.size);
            }
        }
        const bool same = checksum == t.checksum;
        damaged += same ? 0 : 1;
        std::printf("%s: %s\n", t.name, same ? "right" : kai_gemm_file_status_text(KAI_GEMM_FILE_DAMAGED_TENSOR));
    }
    if (damaged != 0) {
        fail(std::to_string(damaged) + " of " + std::to_string(source.tensors.size()) + " tensors are damaged");
    }
}

}  // namespace kai_pack_tool
