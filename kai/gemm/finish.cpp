// The store of a tile with an epilogue (kai_gemm_epilogue): all of it in registers, for kActivated results at a time.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/gemm/activation.hpp"
#include "kai/gemm/elements.hpp"

namespace kai::gemm {
namespace {

/// What kActivated results of a row are made of: floats, not aligned; or NULL.
struct Parts {
    const void *product, *bias, *column_scale, *column_shift, *gate, *gate_bias, *c;
};
constexpr size_t kParts = sizeof(Parts) / sizeof(void*), kVectors = kActivated / kLanes;

/// Steps of the formula that change something. Factors of 1 and bounds that are infinite do not, to the bit.
struct Steps {
    bool alpha, row, gate, weight, bounds;
    float row_scale, row_shift;
};

KAI_INLINE Floats load(const void* from, size_t offset) {
    Floats x;
    __builtin_memcpy(&x, at(from, offset), sizeof(x));
    return x;
}

/// to = the results, as floats, of the parts at an offset in bytes; `to` may be c.
template <typename F>
KAI_INLINE void finish_block(
    const Store& how, const Steps& steps, const Parts& parts, size_t offset, F activation, void* to) {
    Floats x[kVectors];
    const auto each = [&x](auto f) {
#pragma GCC unroll 4
        for (size_t i = 0; i < kVectors; ++i) {
            x[i] = f(x[i], i);
        }
    };
    const auto load_from = [&](const void* part, size_t i) { return load(part, offset + i * sizeof(Floats)); };
    each([&](Floats, size_t i) { return parts.product != nullptr ? load_from(parts.product, i) : all(0); });
    if (steps.alpha) {
        each([&](Floats v, size_t) { return v * how.alpha; });
    }
    if (parts.bias != nullptr) {
        each([&](Floats v, size_t i) { return v + load_from(parts.bias, i); });
    }
    if (parts.column_scale != nullptr) {
        each([&](Floats v, size_t i) { return v * load_from(parts.column_scale, i); });
    }
    if (parts.column_shift != nullptr) {
        each([&](Floats v, size_t i) { return v + load_from(parts.column_shift, i); });
    }
    if (steps.row) {
        each([&](Floats v, size_t) { return v * steps.row_scale + steps.row_shift; });
    }
    each([&](Floats v, size_t) { return activation(v); });
    if (steps.gate) {
        each([&](Floats v, size_t i) {
            Floats second = parts.gate != nullptr ? load_from(parts.gate, i) * how.alpha : all(0);
            if (parts.gate_bias != nullptr) {
                second += load_from(parts.gate_bias, i);
            }
            return v * second;
        });
    }
    if (steps.weight) {
        each([&](Floats v, size_t) { return v * how.weight; });
    }
    if (parts.c != nullptr) {
        each([&](Floats v, size_t i) { return v + load_from(parts.c, i) * how.beta; });
    }
    if (steps.bounds) {
        each([&](Floats v, size_t) { return at_most(at_least(v, how.clamp_min), how.clamp_max); });
    }
    __builtin_memcpy(to, x, sizeof(x));
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

struct Tile {
    kai_datatype product_type;
    const void* product;
    size_t product_row;
    kai_datatype c_type;
    void* c;
    size_t c_row, rows, columns;
};

/// The parts of a row, from its first column on.
Parts parts_of_row(const Store& how, const Finish& finish, const Tile& tile, size_t r) {
    const auto product = [&](const void* all) { return all != nullptr ? at(all, r * tile.product_row) : nullptr; };
    return {
        product(tile.product),
        how.bias,
        finish.column_scale,
        finish.column_shift,
        finish.gated ? product(finish.gate) : nullptr,
        finish.gated ? finish.gate_bias : nullptr,
        how.beta != 0 ? at(tile.c, r * tile.c_row) : nullptr};
}

/// Copies of `count` of each, from column j on, as floats.
Parts copies_of(const Parts& parts, const Tile& tile, size_t j, size_t count, float (&copies)[kParts][kActivated]) {
    float(*copy)[kActivated] = copies;
    const auto part = [&](kai_datatype type, const void* row) -> const void* {
        if (row == nullptr) {
            return nullptr;
        }
        float* to = *copy++;
        const size_t size = size_of(type);
        const float* floats = as_floats(type, at(row, j * size), size, count, to);
        if (floats != to) {
            memcpy(to, floats, count * sizeof(float));
        }
        return to;
    };
    const auto floats = [&](const void* row) { return part(kai_dt_f32, row); };
    return {part(tile.product_type, parts.product),
            floats(parts.bias),
            floats(parts.column_scale),
            floats(parts.column_shift),
            part(tile.product_type, parts.gate),
            floats(parts.gate_bias),
            part(tile.c_type, parts.c)};
}

/// Rounds to the type of C.
void store_results(const Finish& finish, const Tile& tile, size_t r, const float* results, size_t count, void* to) {
    if (tile.c_type == kai_dt_int8 || tile.c_type == kai_dt_uint8) {
        const float multiplier = finish.c_multipliers != nullptr ? finish.c_multipliers[r] : finish.c_multiplier;
        quantise(results, multiplier, finish.c_zero_point, tile.c_type == kai_dt_int8 ? -128 : 0, to, count);
    } else {
        store_floats(tile.c_type, to, results, count);
    }
}

/// Results of row r from column j on, by way of copies. Not inlined: the loop over whole blocks keeps its registers.
template <typename F>
[[gnu::noinline]] void finish_rest(
    const Store& how, const Steps& steps, const Finish& finish, const Tile& tile, const Parts& parts, size_t r,
    size_t j, F activation) {
    float copies[kParts][kActivated] = {}, results[kActivated];
    for (; j < tile.columns; j += kActivated) {
        const size_t count = min(kActivated, tile.columns - j);
        finish_block(how, steps, copies_of(parts, tile, j, count, copies), 0, activation, results);
        store_results(finish, tile, r, results, count, at(tile.c, r * tile.c_row + j * size_of(tile.c_type)));
    }
}

/// Whole blocks of all rows, f32 to f32, where the activation is the only step. Not inlined, for the same reason.
template <typename F>
[[gnu::noinline]] void activate_blocks(const Tile& tile, size_t columns, F activation) {
    for (size_t r = 0; r < tile.rows; ++r) {
        const char* product = at(tile.product, r * tile.product_row);
        char* c = at(tile.c, r * tile.c_row);
        for (size_t offset = 0; offset < columns * sizeof(float); offset += kActivated * sizeof(float)) {
            Floats x[kVectors];
#pragma GCC unroll 4
            for (size_t i = 0; i < kVectors; ++i) {
                x[i] = activation(load(product, offset + i * sizeof(Floats)));
            }
            __builtin_memcpy(c + offset, x, sizeof(x));
        }
    }
}

template <typename F>
void finish_rows(const Store& how, const Finish& finish, const Tile& tile, F activation) {
    const float inf = __builtin_inff();
    Steps steps = {};
    steps.alpha = how.alpha != 1, steps.weight = how.weight != 1, steps.gate = finish.gated;
    steps.bounds = how.clamp_min != -inf || how.clamp_max != inf;
    steps.row = finish.row_scale != nullptr || finish.row_shift != nullptr;
    const bool in_place = tile.c_type == kai_dt_f32 && tile.product_type == kai_dt_f32;
    const size_t whole = in_place ? tile.columns / kActivated * kActivated : 0;
    const bool bare = !(steps.alpha || steps.row || steps.gate || steps.weight || steps.bounds) && how.beta == 0 &&
                      how.bias == nullptr && finish.column_scale == nullptr && finish.column_shift == nullptr &&
                      tile.product != nullptr;
    if (bare) {
        activate_blocks(tile, whole, activation);
        if (whole == tile.columns) {
            return;
        }
    }
    for (size_t r = 0; r < tile.rows; ++r) {
        steps.row_scale = finish.row_scale != nullptr ? finish.row_scale[r] : 1;
        steps.row_shift = finish.row_shift != nullptr ? finish.row_shift[r] : 0;
        const Parts parts = parts_of_row(how, finish, tile, r);
        char* c = at(tile.c, r * tile.c_row);
        for (size_t j = bare ? whole : 0; j < whole; j += kActivated) {
            finish_block(how, steps, parts, j * sizeof(float), activation, c + j * sizeof(float));
        }
        if (whole < tile.columns) {
            finish_rest(how, steps, finish, tile, parts, r, whole, activation);
        }
    }
}

}  // namespace

void activate(kai_gemm_activation activation, float* x, size_t count) {
    with_activation(activation, [&](auto function) {
        for (size_t i = 0; i < round_up(count, kActivated); i += kLanes) {
            const Floats y = function(load(x + i, 0));
            __builtin_memcpy(x + i, &y, sizeof(y));
        }
    });
}

void finish_tile(
    const Store& how, const Finish& finish, kai_datatype product_type, const void* product, size_t product_row,
    kai_datatype c_type, void* c, size_t c_row, size_t rows, size_t columns) {
    const Tile tile = {product_type, product, product_row, c_type, c, c_row, rows, columns};
    with_activation(finish.activation, [&](auto function) { finish_rows(how, finish, tile, function); });
}

}  // namespace kai::gemm
