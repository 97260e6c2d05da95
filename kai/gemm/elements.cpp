// Elements: conversions, transposition, and the store of a tile that needs more than the kernel does.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/gemm/activation.hpp"
#include "kai/gemm/gemm.hpp"

namespace kai::gemm {
namespace {

struct F16 {
    uint16_t bits;
};
struct Bf16 {
    uint16_t bits;
};

inline float to_float(float x) {
    return x;
}
inline float to_float(F16 x) {
    return kai_cast_f32_f16(x.bits);
}
inline float to_float(Bf16 x) {
    return kai_cast_f32_bf16(x.bits);
}
inline float to_float(int32_t x) {
    return static_cast<float>(x);
}
inline void from_float(float& to, float x) {
    to = x;
}
inline void from_float(F16& to, float x) {
    to.bits = kai_cast_f16_f32(x);
}
inline void from_float(Bf16& to, float x) {
    to.bits = kai_cast_bf16_f32(x);
}

/// f(T{}) for the floating-point type.
template <typename F>
void with_type(kai_datatype type, F f) {
    switch (type) {
        case kai_dt_f16:
            return f(F16{});
        case kai_dt_bf16:
            return f(Bf16{});
        default:
            return f(float{});
    }
}

template <typename T>
T load(const void* p) {
    T value;
    __builtin_memcpy(&value, p, sizeof(value));
    return value;
}
template <typename T>
void store(void* p, T value) {
    __builtin_memcpy(p, &value, sizeof(value));
}

/// Numbers that are converted at a time.
constexpr size_t kPiece = 64;
static_assert(kPiece % kActivated == 0);  // a piece has room for what activate() rounds up to

/// Whether floats can be read where they are. Operands need no alignment.
bool is_aligned(const void* p) {
    return reinterpret_cast<uintptr_t>(p) % alignof(float) == 0;
}

/// At most kPiece elements, `step` bytes apart, as floats (int32 rounded to nearest): in `buffer`, or, if they are consecutive and aligned floats,
/// where they are.
const float* as_floats(kai_datatype type, const void* from, size_t step, size_t count, float* buffer) {
    if (type == kai_dt_f32 && step == sizeof(float) && is_aligned(from)) {
        return static_cast<const float*>(from);
    }
    const auto convert_all = [=](auto t) {
        using T = decltype(t);
        const auto convert = [=](size_t bytes) {
            for (size_t i = 0; i < count; ++i) {
                buffer[i] = to_float(load<T>(at(from, i * bytes)));
            }
        };
        step == sizeof(T) ? convert(sizeof(T)) : convert(step);  // the first one is vectorised
    };
    type == kai_dt_int32 ? convert_all(int32_t{}) : with_type(type, convert_all);
    return buffer;
}

/// The elements of a row.
void store_floats(kai_datatype type, void* to, const float* from, size_t count) {
    with_type(type, [=](auto t) {
        for (size_t i = 0; i < count; ++i) {
            from_float(t, from[i]);
            store(at(to, i * sizeof(t)), t);
        }
    });
}

/// copy(row, column, count) for parts of rows: in squares, so that lines of both sides are used whole whichever way
/// they run.
template <typename Copy>
void in_squares(size_t rows, size_t columns, Copy copy) {
    constexpr size_t kSide = 16;
    for (size_t r0 = 0; r0 < rows; r0 += kSide) {
        for (size_t c = 0; c < columns; c += kSide) {
            for (size_t r = r0; r < min(r0 + kSide, rows); ++r) {
                copy(r, c, min(kSide, columns - c));
            }
        }
    }
}

template <typename T>
void copy_elements(
    void* to, size_t to_row, const void* from, size_t from_row, size_t from_column, size_t rows, size_t columns) {
    in_squares(rows, columns, [=](size_t r, size_t c, size_t count) {
        for (size_t i = c; i < c + count; ++i) {
            store(at(to, r * to_row + i * sizeof(T)), load<T>(at(from, r * from_row + i * from_column)));
        }
    });
}

}  // namespace

void copy_matrix(
    kai_datatype to_type, void* to, size_t to_row, kai_datatype from_type, const void* from, size_t from_row,
    size_t from_column, size_t rows, size_t columns) {
    if (rows == 0 || columns == 0) {
        return;  // either matrix may be NULL
    }
    const size_t size = size_of(from_type);
    if (to_type == from_type) {
        if (from_column == size) {
            for (size_t r = 0; r < rows; ++r) {
                memcpy(at(to, r * to_row), at(from, r * from_row), columns * size);
            }
        } else if (size == 4) {
            copy_elements<uint32_t>(to, to_row, from, from_row, from_column, rows, columns);
        } else if (size == 2) {
            copy_elements<uint16_t>(to, to_row, from, from_row, from_column, rows, columns);
        } else {
            copy_elements<uint8_t>(to, to_row, from, from_row, from_column, rows, columns);
        }
        return;
    }
    in_squares(rows, columns, [=](size_t r, size_t c, size_t count) {
        float buffer[kPiece];
        const float* floats =
            as_floats(from_type, at(from, r * from_row + c * from_column), from_column, count, buffer);
        store_floats(to_type, at(to, r * to_row + c * size_of(to_type)), floats, count);
    });
}

namespace {

/// Part of a row. The three questions are asked once: the loop has no branches.
template <bool has_product, bool has_bias, bool adds_c>
void combine(
    const Store& how, const float* __restrict product, const float* __restrict bias, float* __restrict c,
    size_t columns) {
    const float lo = how.clamp_min, hi = how.clamp_max;
#if defined(__clang__)  // in-order cores wait for each operation otherwise
#pragma clang loop vectorize_width(4) interleave_count(4)
#endif
    for (size_t j = 0; j < columns; ++j) {
        float x = 0;
        if constexpr (has_product) {
            x = how.alpha * product[j];
        }
        if constexpr (has_bias) {
            x += bias[j];
        }
        x *= how.weight;
        if constexpr (adds_c) {
            x += how.beta * c[j];
        }
        x = x < lo ? lo : x;  // NaN stays
        c[j] = x > hi ? hi : x;
    }
}

}  // namespace

void store_tile(
    const Store& how, kai_datatype product_type, const void* product, size_t product_row, kai_datatype c_type, void* c,
    size_t c_row, size_t rows, size_t columns) {
    constexpr void (*kCombine[2][2][2])(const Store&, const float*, const float*, float*, size_t) = {
        {{combine<false, false, false>, combine<false, false, true>},
         {combine<false, true, false>, combine<false, true, true>}},
        {{combine<true, false, false>, combine<true, false, true>},
         {combine<true, true, false>, combine<true, true, true>}}};
    const auto combine_part = kCombine[product != nullptr][how.bias != nullptr][how.beta != 0];
    const size_t product_size = size_of(product_type), c_size = size_of(c_type);
    const bool in_place = c_type == kai_dt_f32 && is_aligned(c) && (rows <= 1 || c_row % alignof(float) == 0);
    const bool aligned = product == nullptr || (is_aligned(product) && product_row % alignof(float) == 0);
    const bool whole = in_place && product_type == kai_dt_f32 && aligned && is_aligned(how.bias);
    const size_t part = whole ? columns : kPiece;
    for (size_t r = 0; r < rows; ++r) {
        for (size_t j = 0; j < columns; j += part) {
            float products[kPiece], sums[kPiece], biases[kPiece];
            const size_t count = min(part, columns - j);
            char* place = at(c, r * c_row + j * c_size);
            const float* x = product == nullptr ? nullptr
                                                : as_floats(
                                                      product_type, at(product, r * product_row + j * product_size),
                                                      product_size, count, products);
            const float* bias =
                how.bias == nullptr ? nullptr
                : whole             ? static_cast<const float*>(how.bias) + j
                        : as_floats(kai_dt_f32, at(how.bias, j * sizeof(float)), sizeof(float), count, biases);
            float* to = in_place ? reinterpret_cast<float*>(place) : sums;
            if (how.beta != 0 && !in_place) {
                const float* old = as_floats(c_type, place, c_size, count, sums);
                if (old != sums) {
                    memcpy(sums, old, count * sizeof(float));
                }
            }
            combine_part(how, x, bias, to, count);
            if (to == sums) {
                store_floats(c_type, place, sums, count);
            }
        }
    }
}

namespace {

/// Of part of a row: x = alpha * product + bias.
void scale_product(const Store& how, kai_datatype type, const void* product, const void* bias, size_t count, float* x) {
    if (product != nullptr) {
        float buffer[kPiece];
        const float* from = as_floats(type, product, size_of(type), count, buffer);
        for (size_t j = 0; j < count; ++j) {
            x[j] = how.alpha * from[j];
        }
    } else {
        memset(x, 0, count * sizeof(float));
    }
    if (bias != nullptr) {
        float buffer[kPiece];
        const float* from = as_floats(kai_dt_f32, bias, sizeof(float), count, buffer);
        for (size_t j = 0; j < count; ++j) {
            x[j] += from[j];
        }
    }
}

/// x[j] = f(x[j], by[j]), unless there is no `by`.
template <typename F>
void with_each(float* x, const float* by, size_t count, F f) {
    for (size_t j = 0; by != nullptr && j < count; ++j) {
        x[j] = f(x[j], by[j]);
    }
}

/// to[i] = saturate(round(x[i] * multiplier) + zero), ties to even, a byte from `least` on. NaN gives the lowest one.
/// The bytes of int8 and uint8 are those of the same integers.
void quantise(const float* x, float multiplier, int32_t zero, int32_t least, void* to, size_t count) {
    constexpr float kInteger = 0x1.8p23F;  // added to an integer: that is in the lowest bits
    constexpr int32_t kBits = 0x4B400000;
    const auto lowest = static_cast<float>(least - zero), highest = static_cast<float>(least + 255 - zero);
    auto* bytes = static_cast<uint8_t*>(to);
    for (size_t i = 0; i < count; ++i) {
        float y = x[i] * multiplier;
        y = y > lowest ? y : lowest;
        y = (y < highest ? y : highest) + kInteger;
        int32_t bits;
        __builtin_memcpy(&bits, &y, sizeof(bits));
        bytes[i] = static_cast<uint8_t>(bits - kBits + zero);
    }
}

}  // namespace

void finish_tile(
    const Store& how, const Finish& finish, kai_datatype product_type, const void* product, size_t product_row,
    kai_datatype c_type, void* c, size_t c_row, size_t rows, size_t columns) {
    const size_t product_size = size_of(product_type), c_size = size_of(c_type);
    const auto from = [](const void* p, size_t offset) { return p != nullptr ? at(p, offset) : nullptr; };
    const auto times = [](float x, float y) { return x * y; };
    const auto plus = [](float x, float y) { return x + y; };
    const auto column = [](const float* p, size_t j) { return p != nullptr ? p + j : nullptr; };
    const bool by_rows = finish.row_scale != nullptr || finish.row_shift != nullptr;
    for (size_t r = 0; r < rows; ++r) {
        const float row_scale = finish.row_scale != nullptr ? finish.row_scale[r] : 1,
                    row_shift = finish.row_shift != nullptr ? finish.row_shift[r] : 0;
        for (size_t j = 0; j < columns; j += kPiece) {
            const size_t count = min(kPiece, columns - j), offset = r * product_row + j * product_size;
            float x[kPiece];
            scale_product(how, product_type, from(product, offset), from(how.bias, j * sizeof(float)), count, x);
            with_each(x, column(finish.column_scale, j), count, times);
            with_each(x, column(finish.column_shift, j), count, plus);
            for (size_t i = 0; by_rows && i < count; ++i) {
                x[i] = x[i] * row_scale + row_shift;
            }
            if (finish.activation != KAI_GEMM_NO_ACTIVATION) {
                memset(x + count, 0, (round_up(count, kActivated) - count) * sizeof(float));
                activate(finish.activation, x, count);
            }
            if (finish.gated) {
                float second[kPiece];
                scale_product(
                    how, product_type, from(finish.gate, offset), from(finish.gate_bias, j * sizeof(float)), count,
                    second);
                with_each(x, second, count, times);
            }
            // The rest is as for any product: alpha and bias are in x already.
            const Store rest = {1, how.beta, how.clamp_min, how.clamp_max, nullptr, how.weight};
            char* to = at(c, r * c_row + j * c_size);
            if (c_type == kai_dt_int8 || c_type == kai_dt_uint8) {
                float bounded[kPiece];
                store_tile(rest, kai_dt_f32, x, 0, kai_dt_f32, bounded, 0, 1, count);
                const float multiplier =
                    finish.c_multipliers != nullptr ? finish.c_multipliers[r] : finish.c_multiplier;
                quantise(bounded, multiplier, finish.c_zero_point, c_type == kai_dt_int8 ? -128 : 0, to, count);
            } else {
                store_tile(rest, kai_dt_f32, x, 0, c_type, to, 0, 1, count);
            }
        }
    }
}

}  // namespace kai::gemm
