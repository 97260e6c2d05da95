// The cache of attention: keys are the columns of one product, values the rows of the other.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/attention/attention.hpp"
#include "kai/engines/core/halves.hpp"
#include "kai/ukernels/pack/kai_rhs_append.h"

namespace kai::attention {
namespace {

/// Elements of a row that are converted at a time, and rows that become columns together: 4 KB.
constexpr size_t kPiece = 64, kTogether = 16;

struct F16 {
    uint16_t bits;
};
struct Bf16 {
    uint16_t bits;
};
float to_float(float x) {
    return x;
}
float to_float(F16 x) {
    return kai_cast_f32_f16(x.bits);
}
float to_float(Bf16 x) {
    return kai_cast_f32_bf16(x.bits);
}
void from_float(float& to, float x) {
    to = x;
}
void from_float(F16& to, float x) {
    to.bits = kai_cast_f16_f32(x);
}
void from_float(Bf16& to, float x) {
    to.bits = kai_cast_bf16_f32(x);
}

/// f(T{}) for the type.
template <typename F>
void with_type(kai_datatype type, F f) {
    type == kai_dt_f32 ? f(float{}) : type == kai_dt_f16 ? f(F16{}) : f(Bf16{});
}

/// Writes `depth` elements from k = row on of `count` columns, which are one after the other in a panel.
template <typename T, size_t group>
void put_columns(
    const Panels& to, void* operand, size_t row, size_t depth, size_t column, size_t count, const void* from,
    size_t from_stride) {
    for (size_t i = 0; i < depth; i += group) {
        char* place = at(operand, to.at(row + i, column));
        for (size_t c = 0; c < count; ++c) {
            memcpy(place + c * group * sizeof(T), at(from, c * from_stride + i * sizeof(T)), group * sizeof(T));
        }
    }
}

/// Writes elements of a row of values to their places.
template <typename T, size_t group>
void put_row(const Panels& to, void* operand, size_t row, const void* from) {
    for (size_t first = 0; first < to.n; first += to.nr) {
        char* place = at(operand, to.at(row, first));
        const size_t count = min(to.nr, to.n - first);
        if (group == 1) {
            memcpy(place, at(from, first * sizeof(T)), count * sizeof(T));
            continue;
        }
        for (size_t i = 0; i < count; ++i) {
            store(place + i * group * sizeof(T), load<T>(at(from, (first + i) * sizeof(T))));
        }
    }
}

/// f<element, group> of the operand: f32 has groups of 1, f16 and bf16 of up to 4, which divide sizes of heads.
#define WITH_PANELS(to, function, ...)              \
    do {                                            \
        if ((to).element == 4) {                    \
            function<uint32_t, 1>(to, __VA_ARGS__); \
        } else if ((to).group == 1) {               \
            function<uint16_t, 1>(to, __VA_ARGS__); \
        } else if ((to).group == 2) {               \
            function<uint16_t, 2>(to, __VA_ARGS__); \
        } else {                                    \
            function<uint16_t, 4>(to, __VA_ARGS__); \
        }                                           \
    } while (false)

/// Zeros of the heads of panels first ... last - 1.
void clear_heads(const Panels& to, void* operand, size_t first, size_t last) {
    for (size_t i = first; to.head != 0 && i < last; ++i) {
        memset(at(operand, i * to.stride()), 0, to.nr * to.head);
    }
}

/// f(row as elements of `type`, i) for each row.
template <typename Visit>
void for_each_row(const Rows& rows, kai_datatype type, size_t size, Visit visit) {
    alignas(64) char buffer[kMostHead * sizeof(float)];
    for (size_t i = 0; i < rows.count; ++i) {
        const void* row = at(rows.data, i * rows.stride);
        if (rows.type != type) {
            convert(type, buffer, rows.type, row, size);
            row = buffer;
        }
        visit(row, i);
    }
}

void write_columns(const Panels& to, kai_datatype type, void* operand, size_t first, const Rows& rows) {
    clear_heads(to, operand, first / to.nr, divide_up(first + rows.count, to.nr));
    const size_t from_size = size_of(rows.type);
    for (size_t done = 0; done < rows.count;) {
        const size_t column = first + done;
        const size_t count = min(min(kTogether, rows.count - done), to.nr - column % to.nr);
        const char* from = at(rows.data, done * rows.stride);
        if (rows.type == type) {
            WITH_PANELS(to, put_columns, operand, 0, to.k, column, count, from, rows.stride);
        }
        for (size_t k = 0; rows.type != type && k < to.k; k += kPiece) {
            alignas(64) char buffer[kTogether][kPiece * sizeof(float)];
            const size_t piece = min(kPiece, to.k - k);
            for (size_t c = 0; c < count; ++c) {
                convert(type, buffer[c], rows.type, from + c * rows.stride + k * from_size, piece);
            }
            WITH_PANELS(to, put_columns, operand, k, piece, column, count, buffer, sizeof(buffer[0]));
        }
        done += count;
    }
}
void write_rows(const Panels& to, kai_datatype type, void* operand, size_t first, const Rows& rows) {
    clear_heads(to, operand, 0, divide_up(to.n, to.nr));
    for_each_row(
        rows, type, to.n, [&](const void* row, size_t i) { WITH_PANELS(to, put_row, operand, first + i, row); });
}
#undef WITH_PANELS

/// Quantises rows to columns of panels of int8.
void quantise(const kai_gemm_format& format, size_t size, void* operand, size_t first, const Rows& rows) {
    const bool last = strcmp(format.name, "qsi8c32pscalef16") == 0;
    const kai_datatype type = rows.type == kai_dt_f16 ? kai_dt_f16 : kai_dt_f32;
    kai_run_rhs_append_fn* append =
        type == kai_dt_f16 ? last ? kai_run_rhs_append_qsi8c32pscalef16_f16 : kai_run_rhs_append_qsi8c32p_f16
        : last             ? kai_run_rhs_append_qsi8c32pscalef16_f32
                           : kai_run_rhs_append_qsi8c32p_f32;
    const auto columns = [&](const void* from, size_t stride, size_t column, size_t count) {
        append(column, count, size, format.nr, format.kr, format.sr, from, stride, operand);
    };
    if (rows.type == type) {
        return columns(rows.data, rows.stride, first, rows.count);
    }
    for_each_row(
        rows, type, size, [&](const void* row, size_t i) { columns(row, size * size_of(type), first + i, 1); });
}

/// Columns of one row each are rows of records, as in a GGUF file.
constexpr kai_gemm_format kRecords = {"qsi8c32p", 1, 16, 2};

kai_datatype stored_type(const Plan& plan) {
    return plan.problem.cache_type == KAI_ATTENTION_F16 ? kai_dt_f16 : kai_dt_bf16;
}

/// Rows that are stored as they are.
void store_rows(const Plan& plan, size_t size, void* to, size_t first, const Rows& rows) {
    if (plan.problem.cache_type == KAI_ATTENTION_Q8_0) {
        return quantise(kRecords, size, to, first, rows);
    }
    for (size_t i = 0; i < rows.count; ++i) {
        convert(stored_type(plan), at(to, (first + i) * size * 2), rows.type, at(rows.data, i * rows.stride), size);
    }
}

/// Elements that are stored as they are, of whole rows, which follow each other.
void stored_to_floats(const Plan& plan, const void* from, size_t count, void* to) {
    if (plan.problem.cache_type != KAI_ATTENTION_Q8_0) {
        return convert(kai_dt_f32, to, stored_type(plan), from, count);
    }
    kai_gguf_dequantise(kai_gguf_find_type(KAI_GGUF_Q8_0), count, from, kai_dt_f32, static_cast<float*>(to));
}

/// write(rows, the first one's position) for rows that are stored as they are.
template <typename Write>
void for_stored_rows(const Plan& plan, size_t size, const void* from, size_t count, Write write) {
    const size_t stride = row_bytes(plan.problem.cache_type, size);
    if (plan.problem.cache_type != KAI_ATTENTION_Q8_0) {
        return write(Rows{stored_type(plan), from, stride, count}, 0);
    }
    alignas(64) float buffer[kMostHead];
    for (size_t i = 0, some = 0; i < count; i += some) {
        some = min(kMostHead / size, count - i);
        stored_to_floats(plan, at(from, i * stride), some * size, buffer);
        write(Rows{kai_dt_f32, buffer, size * sizeof(float), some}, i);
    }
}

/// Copies panels of values, positions first ... first + to.k - 1, with zeros in the place of positions from `last` on.
/// `first`: a multiple of the group.
void cut_panels(const Panels& from, const Panels& to, const void* operand, size_t first, size_t last, void* space) {
    for (size_t panel = 0; panel < divide_up(to.n, to.nr); ++panel) {
        const size_t column = panel * to.nr, head = to.nr * to.head;
        memcpy(at(space, panel * to.stride()), at(operand, panel * from.stride()), head);
        memcpy(at(space, to.at(0, column)), at(operand, from.at(first, column)), to.stride() - head);
        for (size_t k = last - first; k < to.depth(); ++k) {
            for (size_t i = 0; i < to.nr; ++i) {
                memset(at(space, to.at(k, column + i)), 0, to.element);
            }
        }
    }
}

}  // namespace

void convert(kai_datatype to_type, void* to, kai_datatype from_type, const void* from, size_t count) {
    if (to_type == from_type) {
        memcpy(to, from, count * size_of(to_type));
        return;
    }
    if (from_type == kai_dt_f16 && to_type == kai_dt_f32) {
        return widen_halves(from, to, count);
    }
    if (from_type == kai_dt_f32 && to_type == kai_dt_f16) {
        return narrow_to_halves(from, to, count);
    }
    with_type(from_type, [=](auto source) {
        with_type(to_type, [=](auto result) {
            for (size_t i = 0; i < count; ++i) {
                auto x = result;
                from_float(x, to_float(load<decltype(source)>(at(from, i * sizeof(source)))));
                store(at(to, i * sizeof(x)), x);
            }
        });
    });
}

Panels panels_of(const Product& product, size_t n, size_t k) {
    const kai_gemm_format& f = product.format;
    const size_t element = size_of(product.type);
    if (f.name == nullptr) {
        return {n, k, n, 1, 0, element};
    }
    const bool f32_bias = strcmp(f.name, "f16pbiasf16") != 0;
    return {n, k, f.nr, f.kr, f32_bias ? size_t{4} : size_t{2}, element};
}

size_t row_bytes(kai_attention_cache type, size_t size) {
    return type == KAI_ATTENTION_Q8_0 ? size / 32 * 34 : type == KAI_ATTENTION_F32 ? 4 * size : 2 * size;
}

void store_keys(const Plan& plan, void* page, size_t first, const Rows& rows) {
    const Problem& p = plan.problem;
    const Product& product = plan.scores;
    if (product.converts) {
        store_rows(plan, p.key_size, page, first, rows);
    } else if (product.type == kai_dt_int8) {
        quantise(product.format, p.key_size, page, first, rows);
    } else {
        write_columns(panels_of(product, p.page, p.key_size), product.type, page, first, rows);
    }
}

void store_values(const Plan& plan, void* page, size_t first, const Rows& rows) {
    const Problem& p = plan.problem;
    char* values = at(page, plan.values_offset);
    if (plan.values.converts) {
        store_rows(plan, p.value_size, values, first, rows);
    } else {
        write_rows(panels_of(plan.values, p.value_size, p.page), plan.values.type, values, first, rows);
    }
}

const void* load_keys(const Plan& plan, const void* page, size_t count, void* space) {
    const Problem& p = plan.problem;
    if (!plan.scores.converts) {
        return page;
    }
    const Panels to = panels_of(plan.scores, p.page, p.key_size);
    for_stored_rows(plan, p.key_size, page, count, [&](const Rows& rows, size_t first) {
        write_columns(to, plan.scores.type, space, first, rows);
    });
    return space;
}

const void* load_values(const Plan& plan, const void* page, size_t count, size_t depth, void* space) {
    const Problem& p = plan.problem;
    const void* values = at(page, plan.values_offset);
    const Panels all = panels_of(plan.values, p.value_size, p.page), to = panels_of(plan.values, p.value_size, depth);
    if (!plan.values.converts) {
        if (count == p.page || plan.values.format.name == nullptr) {
            return values;
        }
        cut_panels(all, to, values, 0, count, space);
        return space;
    }
    if (plan.values.format.name == nullptr) {  // f32 as it lies
        stored_to_floats(plan, values, count * p.value_size, space);
        return space;
    }
    for_stored_rows(plan, p.value_size, values, count, [&](const Rows& rows, size_t first) {
        write_rows(to, plan.values.type, space, first, rows);
    });
    for (size_t k = count; k < to.depth(); ++k) {
        for (size_t column = 0; column < to.n; ++column) {
            memset(at(space, to.at(k, column)), 0, to.element);
        }
    }
    return space;
}

const void* load_values_of_group(const Plan& plan, const void* page, size_t first, size_t last, void* space) {
    const Problem& p = plan.problem;
    const Panels all = panels_of(plan.values, p.value_size, p.page);
    cut_panels(
        all, panels_of(plan.values, p.value_size, last - first), at(page, plan.values_offset), first, last, space);
    return space;
}

}  // namespace kai::attention

using namespace kai::attention;

namespace {

struct Append {
    const kai_attention_plan& plan;
    void* const* pages;
    size_t position;
    const kai_attention_rows& rows;
};

/// The rows of one kv head.
void append_head(void* context, size_t head) {
    const auto& a = *static_cast<const Append*>(context);
    const kai_attention_problem& p = a.plan.problem;
    const auto or_none = [](size_t stride, size_t none) { return stride != 0 ? stride : none; };
    const size_t element = size_of(a.rows.type);
    const size_t key_head = or_none(a.rows.key_head, p.key_size * element);
    const size_t value_head = or_none(a.rows.value_head, p.value_size * element);
    const size_t key_token = or_none(a.rows.key_token, p.kv_heads * p.key_size * element);
    const size_t value_token = or_none(a.rows.value_token, p.kv_heads * p.value_size * element);
    for (size_t done = 0; done < a.rows.count;) {
        const size_t to = a.position + done, first = to % p.page;
        const size_t count = min(p.page - first, a.rows.count - done);
        char* page = at(a.pages[to / p.page], head * a.plan.head_bytes);
        const void* keys = at(a.rows.keys, head * key_head + done * key_token);
        const void* values = at(a.rows.values, head * value_head + done * value_token);
        store_keys(a.plan, page, first, {a.rows.type, keys, key_token, count});
        store_values(a.plan, page, first, {a.rows.type, values, value_token, count});
        done += count;
    }
}

}  // namespace

extern "C" {

kai_gemm_status kai_attention_append(
    const kai_attention_plan* plan, void* const* pages, size_t position, const kai_attention_rows* rows,
    kai_gemm_parallel_for* parallel_for, void* pool) {
    const Violation violation = check_append(plan, pages, position, rows);
    if (violation || rows->count == 0) {
        return violation.status;
    }
    Append append = {*plan, pages, position, *rows};
    const size_t heads = plan->problem.kv_heads;
    if (parallel_for != nullptr) {
        parallel_for(pool, heads, append_head, &append);
    } else {
        for (size_t i = 0; i < heads; ++i) {
            append_head(&append, i);
        }
    }
    return KAI_GEMM_OK;
}

}  // extern "C"
