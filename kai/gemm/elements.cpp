// Elements: conversions, transposition, and the store of a tile that needs more than the kernel does. With an epilogue:
// finish.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/engines/core/halves.hpp"
#include "kai/gemm/elements.hpp"

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

/// Whether floats can be read where they are. Operands need no alignment.
bool is_aligned(const void* p) {
    return reinterpret_cast<uintptr_t>(p) % alignof(float) == 0;
}

}  // namespace

const float* as_floats(kai_datatype type, const void* from, size_t step, size_t count, float* buffer) {
    if (type == kai_dt_f32 && step == sizeof(float) && is_aligned(from)) {
        return static_cast<const float*>(from);
    }
    if (type == kai_dt_f16 && step == sizeof(uint16_t)) {
        widen_halves(from, buffer, count);
        return buffer;
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

void store_floats(kai_datatype type, void* to, const float* from, size_t count) {
    if (type == kai_dt_f16) {
        narrow_to_halves(from, to, count);
        return;
    }
    with_type(type, [=](auto t) {
        for (size_t i = 0; i < count; ++i) {
            from_float(t, from[i]);
            store(at(to, i * sizeof(t)), t);
        }
    });
}

namespace {

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

}  // namespace kai::gemm
