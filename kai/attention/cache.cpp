// The cache of attention: keys are the columns of one product, values the rows of the other.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/attention/attention.hpp"
#include "kai/engines/core/base.hpp"
#include "kai/ukernels/pack/kai_rhs_append.h"

namespace kai::attention {
namespace {

/// Elements that are converted at a time.
constexpr size_t kPiece = 256;

float to_float(kai_datatype type, const void* from, size_t i) {
    return type == kai_dt_f32   ? load<float>(at(from, 4 * i))
           : type == kai_dt_f16 ? kai_cast_f32_f16(load<uint16_t>(at(from, 2 * i)))
                                : kai_cast_f32_bf16(load<uint16_t>(at(from, 2 * i)));
}

/// Writes a row of elements of T to their places: consecutive ones of one column (of a panel) or of all columns.
template <typename T>
void put_column(const Panels& to, void* operand, size_t column, const void* row) {
    char* place = at(operand, to.at(0, column));
    for (size_t i = 0; i < to.k; i += to.group, place += to.nr * to.group * sizeof(T)) {
        memcpy(place, at(row, i * sizeof(T)), min(to.group, to.k - i) * sizeof(T));
    }
}
template <typename T>
void put_row(const Panels& to, void* operand, size_t row, const void* from) {
    for (size_t first = 0; first < to.n; first += to.nr) {
        char* place = at(operand, to.at(row, first));
        const size_t count = min(to.nr, to.n - first);
        if (to.group == 1) {
            memcpy(place, at(from, first * sizeof(T)), count * sizeof(T));
            continue;
        }
        for (size_t i = 0; i < count; ++i) {
            store(place + i * to.group * sizeof(T), load<T>(at(from, (first + i) * sizeof(T))));
        }
    }
}

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
    for_each_row(rows, type, to.k, [&](const void* row, size_t i) {
        to.element == 4 ? put_column<uint32_t>(to, operand, first + i, row)
                        : put_column<uint16_t>(to, operand, first + i, row);
    });
}
void write_rows(const Panels& to, kai_datatype type, void* operand, size_t first, const Rows& rows) {
    clear_heads(to, operand, 0, divide_up(to.n, to.nr));
    for_each_row(rows, type, to.n, [&](const void* row, size_t i) {
        to.element == 4 ? put_row<uint32_t>(to, operand, first + i, row)
                        : put_row<uint16_t>(to, operand, first + i, row);
    });
}

/// Quantises rows to columns of panels of int8.
void quantise(const kai_gemm_format& format, size_t size, void* operand, size_t first, const Rows& rows) {
    const bool last = strcmp(format.name, "qsi8c32pscalef16") == 0;
    const kai_datatype type = rows.type == kai_dt_f16 ? kai_dt_f16 : kai_dt_f32;
    kai_run_rhs_append_fn* append =
        type == kai_dt_f16 ? last ? kai_run_rhs_append_qsi8c32pscalef16_f16 : kai_run_rhs_append_qsi8c32p_f16
        : last             ? kai_run_rhs_append_qsi8c32pscalef16_f32
                           : kai_run_rhs_append_qsi8c32p_f32;
    for_each_row(rows, type, size, [&](const void* row, size_t i) {
        append(first + i, 1, size, format.nr, format.kr, format.sr, row, size * size_of(type), operand);
    });
}

/// Columns of one row each are rows of records, as in a GGUF file.
constexpr kai_gemm_format kRecords = {"qsi8c32p", 1, 16, 2};

/// Rows that are stored as they are.
void store_rows(const Plan& plan, size_t size, void* to, size_t first, const Rows& rows) {
    if (plan.problem.cache_type == KAI_ATTENTION_Q8_0) {
        return quantise(kRecords, size, to, first, rows);
    }
    for (size_t i = 0; i < rows.count; ++i) {  // bf16: other floats are operands
        convert(kai_dt_bf16, at(to, (first + i) * size * 2), rows.type, at(rows.data, i * rows.stride), size);
    }
}

/// write(row as f32, i) for each row that is stored as it is.
template <typename Write>
void for_each_stored(const Plan& plan, size_t size, const void* from, size_t count, Write write) {
    alignas(64) float buffer[kMostHead];
    const size_t stride = row_bytes(plan.problem.cache_type, size);
    for (size_t i = 0; i < count; ++i) {
        if (plan.problem.cache_type == KAI_ATTENTION_Q8_0) {
            kai_gguf_dequantise(kai_gguf_find_type(KAI_GGUF_Q8_0), size, at(from, i * stride), kai_dt_f32, buffer);
        } else {
            convert(kai_dt_f32, buffer, kai_dt_bf16, at(from, i * stride), size);
        }
        write(Rows{kai_dt_f32, buffer, 0, 1}, i);
    }
}

/// Copies panels of values to those of k = to.k, with zeros in the place of positions from `count` on.
void cut_panels(const Panels& from, const Panels& to, const void* operand, size_t count, void* space) {
    for (size_t first = 0; first < to.n; first += to.nr) {
        const size_t panel = first / to.nr;
        memcpy(at(space, panel * to.stride()), at(operand, panel * from.stride()), to.stride());
        for (size_t k = count; k < to.depth(); ++k) {
            for (size_t column = first; column < first + to.nr; ++column) {
                memset(at(space, to.at(k, column)), 0, to.element);
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
    float buffer[kPiece];
    for (size_t first = 0; first < count; first += kPiece) {
        const size_t piece = min(kPiece, count - first);
        const void* source = at(from, first * size_of(from_type));
        for (size_t i = 0; i < piece; ++i) {
            buffer[i] = to_float(from_type, source, i);
        }
        char* place = at(to, first * size_of(to_type));
        for (size_t i = 0; i < piece; ++i) {
            if (to_type == kai_dt_f32) {
                store(place + 4 * i, buffer[i]);
            } else {
                store(
                    place + 2 * i, to_type == kai_dt_f16 ? kai_cast_f16_f32(buffer[i]) : kai_cast_bf16_f32(buffer[i]));
            }
        }
    }
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
    for_each_stored(plan, p.key_size, page, count, [&](const Rows& row, size_t i) {
        write_columns(to, plan.scores.type, space, i, row);
    });
    return space;
}

const void* load_values(const Plan& plan, const void* page, size_t count, void* space) {
    const Problem& p = plan.problem;
    const void* values = at(page, plan.values_offset);
    const Panels all = panels_of(plan.values, p.value_size, p.page), to = panels_of(plan.values, p.value_size, count);
    if (!plan.values.converts) {
        if (count == p.page || plan.values.format.name == nullptr) {
            return values;
        }
        cut_panels(all, to, values, count, space);
        return space;
    }
    for_each_stored(plan, p.value_size, values, count, [&](const Rows& row, size_t i) {
        write_rows(to, plan.values.type, space, i, row);
    });
    for (size_t k = count; k < to.depth(); ++k) {
        for (size_t column = 0; column < to.n; ++column) {
            memset(at(space, to.at(k, column)), 0, to.element);
        }
    }
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
