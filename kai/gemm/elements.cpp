// Elements: conversions, transposition, and the store of a tile that needs more than the kernel does.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

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
inline T load(const void* p) {
    T value;
    __builtin_memcpy(&value, p, sizeof(value));
    return value;
}
template <typename T>
inline void store(void* p, T value) {
    __builtin_memcpy(p, &value, sizeof(value));
}

/// Copies in squares, so that lines of both sides are used whole whichever way they run.
template <typename Copy>
void in_squares(size_t rows, size_t columns, Copy copy) {
    constexpr size_t kSide = 16;
    for (size_t r0 = 0; r0 < rows; r0 += kSide) {
        for (size_t c0 = 0; c0 < columns; c0 += kSide) {
            for (size_t r = r0; r < min(r0 + kSide, rows); ++r) {
                for (size_t c = c0; c < min(c0 + kSide, columns); ++c) {
                    copy(r, c);
                }
            }
        }
    }
}

template <typename T>
void copy_elements(
    void* to, size_t to_row, const void* from, size_t from_row, size_t from_column, size_t rows, size_t columns) {
    in_squares(rows, columns, [=](size_t r, size_t c) {
        store(at(to, r * to_row + c * sizeof(T)), load<T>(at(from, r * from_row + c * from_column)));
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
    with_type(to_type, [=](auto t) {
        with_type(from_type, [=](auto f) {
            using To = decltype(t);
            using From = decltype(f);
            in_squares(rows, columns, [=](size_t r, size_t c) {
                To value;
                from_float(value, to_float(load<From>(at(from, r * from_row + c * from_column))));
                store(at(to, r * to_row + c * sizeof(To)), value);
            });
        });
    });
}

namespace {

/// One row. The three questions are asked once: the loops have no branches.
template <bool has_product, bool has_bias, bool adds_c, typename P, typename C>
void store_row(const Store& how, const P* __restrict product, C* __restrict c, size_t columns) {
    const float* __restrict bias = how.bias, lo = how.clamp_min, hi = how.clamp_max;
    for (size_t j = 0; j < columns; ++j) {
        float x = 0;
        if constexpr (has_product) {
            x = how.alpha * to_float(product[j]);
        }
        if constexpr (has_bias) {
            x += bias[j];
        }
        x *= how.weight;
        if constexpr (adds_c) {
            x += how.beta * to_float(c[j]);
        }
        x = x < lo ? lo : x;  // NaN stays
        x = x > hi ? hi : x;
        from_float(c[j], x);
    }
}

}  // namespace

void store_tile(
    const Store& how, kai_datatype product_type, const void* product, size_t product_row, kai_datatype c_type, void* c,
    size_t c_row, size_t rows, size_t columns) {
    with_type(product_type, [&](auto p) {
        with_type(c_type, [&](auto t) {
            using P = decltype(p);
            using C = decltype(t);
            constexpr void (*kStores[2][2][2])(const Store&, const P*, C*, size_t) = {
                {{store_row<false, false, false, P, C>, store_row<false, false, true, P, C>},
                 {store_row<false, true, false, P, C>, store_row<false, true, true, P, C>}},
                {{store_row<true, false, false, P, C>, store_row<true, false, true, P, C>},
                 {store_row<true, true, false, P, C>, store_row<true, true, true, P, C>}}};
            const auto store_one = kStores[product != nullptr][how.bias != nullptr][how.beta != 0];
            for (size_t r = 0; r < rows; ++r) {
                const void* from = product != nullptr ? at(product, r * product_row) : nullptr;
                store_one(how, static_cast<const P*>(from), reinterpret_cast<C*>(at(c, r * c_row)), columns);
            }
        });
    });
}

}  // namespace kai::gemm
