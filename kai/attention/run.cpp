// Runs of attention.
//
// A unit takes a tile of query rows of one kv head: consecutive tokens, each with all heads that share the kv head. It
// passes over the positions that the tile sees, a block at a time:
//
//     scores = q * keys                       page by page
//     scores -> P, sum, factor                the block kernel
//     output = factor * output + P * values   page by page
//
// or all three by one kernel (fused.hpp), which writes the same output.
//
// Where the tile is all rows of its sequence (decode), positions are divided into parts, one for each unit. The second
// phase adds their results, in order.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/attention/exp.hpp"
#include "kai/attention/fused.hpp"
#include "kai/gemm/workers.hpp"

namespace kai::attention {

Range visible(const Problem& p, const Sequence& s, size_t token) {
    const size_t own = s.position + token;
    const size_t last = p.causal ? max(own + 1, s.prefix) : s.length;
    return {p.window != 0 && own + 1 > p.window ? own + 1 - p.window : 0, min(last, s.length)};
}

Range visible(const Problem& p, const Sequence& s, size_t first, size_t last) {
    return {visible(p, s, first).first, visible(p, s, last - 1).last};
}

namespace {

using Work = kai_attention_work;
using gemm::AwaitedSlot;

/// Columns of blocks are a multiple of it.
constexpr size_t kColumns = 16;

/// Pages of a block, at most.
constexpr size_t kMostPages = 256 / 16;

/// Rows of a panel that the block kernels pack: a tile of so few reads values in place.
constexpr size_t kFewRows = 8;

/// Whether a kernel's rows are packed as SoftmaxBlock says.
bool takes_bf16_8x4(const Kernel& kernel) {
    const kai_ukernel& u = *kernel.ukernel;
    return strcmp(u.lhs_format, "bf16p") == 0 && u.get_mr() == 8 && u.get_kr() == 4 && u.get_sr() == 1;
}

// ---- which unit ----

/// What a unit computes.
struct Tile {
    const Sequence* sequence;
    size_t head;         ///< of keys and values
    size_t first, rows;  ///< rows of the sequence: token * group + head of the group
    Range positions;
    size_t part, parts;  ///< parts > 1: its results go to the workspace
    size_t stored;       ///< the first of its rows there
};

size_t parts_of(const Plan& plan, const Sequence& s) {
    return is_divided(plan, s) ? max(divide_up(s.length, plan.part), 1) : 1;
}
size_t rows_of(const Plan& plan, const Sequence& s) {
    return s.tokens * group_of(plan.problem);
}
/// Units of the first phase for each kv head.
size_t tiles_of(const Plan& plan, const Sequence& s) {
    return is_divided(plan, s) ? (s.tokens != 0 ? parts_of(plan, s) : 0) : divide_up(rows_of(plan, s), plan.tile_rows);
}
/// Rows of results that all kv heads store.
size_t stored_of(const Plan& plan, const Sequence& s) {
    const size_t parts = parts_of(plan, s);
    return parts > 1 ? plan.problem.kv_heads * parts * rows_of(plan, s) : 0;
}

Tile tile_of(const Work& w, size_t unit) {
    const Plan& plan = *w.plan;
    const size_t group = group_of(plan.problem);
    size_t stored = 0;
    const Sequence* s = w.operands->sequences;
    for (size_t units = 0; unit >= (units = plan.problem.kv_heads * tiles_of(plan, *s)); ++s) {
        unit -= units;
        stored += stored_of(plan, *s);
    }
    const size_t tiles = tiles_of(plan, *s), parts = parts_of(plan, *s), rows = rows_of(plan, *s);
    // The last tile of a causal sequence sees most: it comes first.
    const size_t head = unit / tiles, index = tiles - 1 - unit % tiles;
    Tile t = {s, head, 0, rows, {}, 0, parts, 0};
    if (is_divided(plan, *s)) {
        t.part = index;
        t.stored = stored + (head * parts + index) * rows;
        t.positions = visible(plan.problem, *s, 0, s->tokens);
        if (parts > 1) {
            t.positions = {max(t.positions.first, index * plan.part), min(t.positions.last, (index + 1) * plan.part)};
        }
        return t;
    }
    t.first = index * plan.tile_rows;
    t.rows = min(plan.tile_rows, rows - t.first);
    t.positions = visible(plan.problem, *s, t.first / group, divide_up(t.first + t.rows, group));
    return t;
}

// ---- a unit ----

/// Memory of a unit, and what is known of each of its rows.
struct Space {
    char *q, *q_packed, *p, *p_packed, *keys, *values;
    float *scores, *product, *output;
    float *max, *sum, *factor, *slope, *distance;
    uint32_t *first, *last;
    const void** mask;
};

Space space_of(const Plan& plan, char* slot) {
    const Slot s = slot_of(plan);
    const size_t rows = plan.tile_rows;
    const auto floats = [&](size_t offset) { return reinterpret_cast<float*>(slot + offset); };
    const auto state = [&](size_t i) { return slot + s.state + rows * (sizeof(void*) + i * sizeof(float)); };
    const auto state_floats = [&](size_t i) { return reinterpret_cast<float*>(state(i)); };
    return {
        slot + s.q,
        slot + s.q_packed,
        slot + s.p,
        slot + s.p_packed,
        slot + s.keys,
        slot + s.values,
        floats(s.scores),
        floats(s.product),
        floats(s.output),
        state_floats(0),
        state_floats(1),
        state_floats(2),
        state_floats(3),
        state_floats(4),
        reinterpret_cast<uint32_t*>(state(5)),
        reinterpret_cast<uint32_t*>(state(6)),
        reinterpret_cast<const void**>(slot + s.state)};
}

size_t or_none(size_t stride, size_t none) {
    return stride != 0 ? stride : none;
}

/// The row of a tile: where its query is, its token and its head.
struct Row {
    size_t token, head;
};

/// visit(index, row) for each row of a tile. They are counted: a division takes longer than the rest of what is done
/// for a row of a block.
template <typename Visit>
void for_each_row(const Plan& plan, const Tile& t, Visit visit) {
    const size_t group = group_of(plan.problem), head = t.head * group;
    Row row = {t.first / group, head + t.first % group};
    for (size_t i = 0; i < t.rows; ++i) {
        visit(i, row);
        if (++row.head == head + group) {
            row = {row.token + 1, head};
        }
    }
}

struct Unit {
    const Plan& plan;
    const Operands& x;
    const Tile& t;
    const Kernels& kernels;
    const Space& m;
    bool packs_p;  ///< whether the block kernel packs P

    const Problem& p() const {
        return plan.problem;
    }

    const Kernel& kernel_of(const Product& product) const {
        return t.rows == 1 ? product.gemv : product.gemm;
    }
    kai_call call_of(const Product& product, size_t k) const {
        const Kernel& kernel = kernel_of(product);
        kai_call call = {};
        call.ukernel = kernel.ukernel, call.lhs_packer = kernel.lhs_packer;
        call.m = t.rows, call.k = k, call.bl = product.type == kai_dt_int8 ? 32 : 0;
        return call;
    }

    void pack_queries() const {
        kai_call call = call_of(plan.scores, p().key_size);
        call.lhs = m.q, call.lhs_stride = p().key_size * size_of(plan.scores.gemm.row_type);
        kai_call_pack_lhs(&call, 0, t.rows, m.q_packed);
    }

    /// A product of `rows` rows with what is at `operand`; packs rows first, if the kernel wants them packed.
    void multiply(
        const Product& product, const void* rows, size_t row_stride, void* packed, bool packs, const void* operand,
        size_t n, size_t k, size_t plain_stride, float* to, size_t to_row) const {
        const Kernel& kernel = kernel_of(product);
        kai_call call = call_of(product, k);
        call.n = n, call.lhs = rows, call.lhs_stride = row_stride;
        if (kernel.lhs_packer != nullptr) {
            if (packs) {
                kai_call_pack_lhs(&call, 0, t.rows, packed);
            }
            call.lhs_packed = packed;
        } else {
            call.lhs_packed = rows;
        }
        call.rhs = call.rhs_packed = operand, call.rhs_stride = plain_stride;
        call.dst = to, call.dst_stride = to_row;
        kai_call_run(&call, 0, 0, t.rows, n);
    }

    void gather_queries() const {
        const Sequence& s = *t.sequence;
        const Kernel& kernel = kernel_of(plan.scores);
        const size_t row = p().key_size * size_of(p().q_type);
        const size_t head = or_none(s.q_head, row), token = or_none(s.q_token, p().heads * row);
        for_each_row(plan, t, [&](size_t i, Row r) {
            convert(
                kernel.row_type, m.q + i * p().key_size * size_of(kernel.row_type), p().q_type,
                at(s.q, r.token * token + r.head * head), p().key_size);
        });
    }

    void begin() const {
        for_each_row(plan, t, [&](size_t i, Row r) {
            // A sink is a score that has no value: it joins the sum of the first part.
            const bool sink = x.sinks != nullptr && t.part == 0;
            m.max[i] = sink ? x.sinks[r.head] : -__builtin_inff();
            m.sum[i] = sink ? 1 : 0;
            m.slope[i] = x.slopes != nullptr ? x.slopes[r.head] : 0;
        });
    }

    /// What rows see of the block that starts at `start`.
    void set_rows(size_t start) const {
        const Sequence& s = *t.sequence;
        const size_t size = size_of(p().mask_type);
        for_each_row(plan, t, [&](size_t i, Row r) {
            const Range seen = visible(p(), s, r.token);
            const size_t first = max(seen.first, t.positions.first), last = min(seen.last, t.positions.last);
            m.first[i] = static_cast<uint32_t>(first > start ? min(first - start, plan.block) : 0);
            m.last[i] = static_cast<uint32_t>(last > start ? min(last - start, plan.block) : 0);
            const auto here = static_cast<ptrdiff_t>(start), own = static_cast<ptrdiff_t>(s.position + r.token);
            m.distance[i] = static_cast<float>(here - own);
            const size_t row = r.head * s.mask_head + r.token * or_none(s.mask_token, s.length * size);
            m.mask[i] = s.mask != nullptr ? at(s.mask, row + start * size) : nullptr;
        });
    }

    const char* page(size_t position) const {
        return at(t.sequence->pages[position / p().page], t.head * plan.head_bytes);
    }

    /// visit(position of the page, how many of its positions the tile sees) for the pages of a block.
    template <typename Visit>
    void for_each_page(size_t start, Visit visit) const {
        const size_t last = min(start + plan.block, t.positions.last);
        for (size_t i = max(start, t.positions.first / p().page * p().page); i < last; i += p().page) {
            visit(i, min(p().page, t.positions.last - i));
        }
    }

    /// What scores are multiplied with.
    float scale() const {
        return p().scale != 0 ? p().scale : 1 / __builtin_sqrtf(static_cast<float>(static_cast<int>(p().key_size)));
    }

    void score(size_t start, bool packs) const {
        const size_t stride = plan.block * sizeof(float);
        const Kernel& kernel = kernel_of(plan.scores);
        for_each_page(start, [&](size_t position, size_t count) {
            multiply(
                plan.scores, m.q, p().key_size * size_of(kernel.row_type), m.q_packed, packs,
                load_keys(plan, page(position), count, m.keys), count, p().key_size,
                plan.scores.format.name == nullptr ? p().page * size_of(plan.scores.type) : 0,
                m.scores + (position - start), stride);
            packs = false;
        });
    }

    /// Bytes of a page of P that the block kernel packs.
    size_t packed_page() const {
        return round_up(t.rows, kFewRows) * p().page * sizeof(uint16_t);
    }

    void softmax(size_t start) const {
        const Kernel& kernel = kernel_of(plan.values);
        const size_t size = size_of(kernel.row_type), columns = min(plan.block, t.positions.last - start);
        SoftmaxBlock b = {};
        b.rows = t.rows, b.columns = round_up(columns, packs_p ? kColumns : p().page);
        b.scores = m.scores, b.score_row = plan.block * sizeof(float);
        b.first = m.first, b.last = m.last;
        b.scale = scale();
        b.cap = p().soft_cap;
        b.mask = t.sequence->mask != nullptr ? m.mask : nullptr, b.mask_f16 = p().mask_type == kai_dt_f16;
        b.slope = x.slopes != nullptr ? m.slope : nullptr, b.distance = m.distance;
        b.max = m.max, b.sum = m.sum, b.factor = m.factor;
        b.p = m.p, b.p_type = kernel.row_type, b.p_row = plan.block * size;
        if (packs_p) {
            b.p = m.p_packed, b.p_type = kai_dt_bf16, b.p_row = 0;
            b.page = p().page, b.page_stride = packed_page();
        }
        kernels.softmax(b);
    }

    /// Some positions of P, as far as a kernel reads them: from column `at` of the block on, `depth`; where they are
    /// packed or get packed.
    struct Probabilities {
        size_t at, depth;
        char* packed;
        bool packs;
    };
    /// to = P * values of `count` columns.
    void multiply_values(const Probabilities& of, const void* values, size_t count, float* to) const {
        const size_t element = size_of(kernel_of(plan.values).row_type);
        const bool in_place = plan.values.format.name == nullptr;
        multiply(
            plan.values, m.p + of.at * element, plan.block * element, of.packed, of.packs, values, count, of.depth,
            in_place ? p().value_size * size_of(plan.values.type) : 0, to, output_row(plan));
    }

    /// As multiply_values, of `depth` positions of a page in panels, in place: panel by panel, since panels are as long
    /// as the page.
    void multiply_panels(Probabilities of, const char* values, float* to) const {
        const Panels panels = panels_of(plan.values, p().value_size, p().page);
        for (size_t column = 0; column < panels.n; column += panels.nr, of.packs = false) {
            multiply_values(
                of, values + column / panels.nr * panels.stride(), min(panels.nr, panels.n - column), to + column);
        }
    }

    /// output = factor * output + what `multiply_to` computes. `first`: there is no output yet.
    template <typename Multiply>
    void add_product(const float*& factor, bool& first, Multiply multiply_to) const {
        const size_t row = output_row(plan);
        multiply_to(first ? m.output : m.product);
        if (!first) {
            kernels.add({t.rows, p().value_size, factor, m.output, row, m.product, row});
        }
        factor = nullptr;
        first = false;
    }

    /// output = factor * output + P * values; `first`: there is no output yet. P is 0 where nothing is seen.
    void add_values(size_t start, bool first) const {
        const float* factor = m.factor;
        const bool in_place = plan.values.format.name == nullptr;
        for_each_page(start, [&](size_t position, size_t seen) {
            const size_t at_p = position - start, filled = min(p().page, t.sequence->length - position);
            char* const to_pack = m.p_packed + (packs_p ? at_p / p().page * packed_page() : 0);
            if (seen < p().page && !in_place && !plan.values.converts && t.rows <= kFewRows) {
                // A copy of the page would cost few rows as much as the product. The last group alone is copied.
                const size_t whole = seen / plan.values.format.kr * plan.values.format.kr;
                if (whole != 0) {
                    add_product(factor, first, [&](float* to) {
                        multiply_panels({at_p, whole, to_pack, !packs_p}, at(page(position), plan.values_offset), to);
                    });
                }
                if (whole != seen) {
                    const void* values = load_values_of_group(plan, page(position), whole, seen, m.values);
                    char* const rest = to_pack + (packs_p ? whole * kFewRows * sizeof(uint16_t) : 0);
                    add_product(factor, first, [&](float* to) {
                        multiply_values({at_p + whole, seen - whole, rest, !packs_p}, values, p().value_size, to);
                    });
                }
                return;
            }
            const size_t depth = packs_p ? round_up(seen, kColumns) : in_place ? seen : filled;
            const void* values = load_values(plan, page(position), min(filled, depth), depth, m.values);
            add_product(factor, first, [&](float* to) {
                multiply_values({at_p, depth, to_pack, !packs_p}, values, p().value_size, to);
            });
        });
    }

    /// The kernel that computes whole blocks, if there is one, and enough rows.
    FusedFn* fused() const {
        return t.rows >= kFusedRows ? fused_for(plan) : nullptr;
    }

    /// Rows with those that fill the last panel of queries.
    size_t panel_rows() const {
        return round_up(t.rows, plan.scores.gemm.ukernel->get_mr());
    }

    /// What all blocks of the tile have in common.
    FusedBlock fused_block() const {
        const Panels keys = panels_of(plan.scores, p().page, p().key_size),
                     values = panels_of(plan.values, p().value_size, p().page);
        FusedBlock b = {};
        b.q = m.q_packed, b.q_panel = keys.stride() - keys.nr * keys.head;  // as one of keys, without a head
        b.rows = t.rows, b.depth = p().key_size * keys.element / sizeof(float);
        b.page = p().page, b.key_heads = keys.nr * keys.head, b.key_panel = keys.stride();
        b.values = plan.values_offset + values.nr * values.head, b.value_panel = values.stride();
        b.value_size = p().value_size;
        b.scores = m.scores, b.scores_half = plan.block * (keys.nr / 2) * sizeof(float), b.p = m.p;
        b.first = m.first, b.last = m.last, b.max = m.max, b.sum = m.sum, b.factor = m.factor;
        b.o = m.output, b.o_row = output_row(plan), b.is_first = 1;
        b.scale = scale() * kLog2E, b.least = -200;  // 2^-200 is 0
        const bool has_mask = t.sequence->mask != nullptr, has_slopes = x.slopes != nullptr;
        if (p().soft_cap != 0) {
            b.is_capped = 1, b.cap_in = -2 * b.scale / p().soft_cap, b.cap_out = p().soft_cap * kLog2E, b.scale = 1;
            const float* const t = kPolynomial5;
            b.t5 = t[0] / 2, b.t4 = t[1] / 2, b.t3 = t[2] / 2, b.t2 = t[3] / 2, b.t1 = t[4] / 2, b.t0 = t[5] / 2;
        }
        if (has_mask || has_slopes) {
            b.is_biased = 1, b.log2_e = kLog2E;
            b.score_scale = b.scale, b.scale = 1;
            b.mask = has_mask ? m.mask : nullptr, b.mask_f16 = p().mask_type == kai_dt_f16 ? 1 : 0;
            b.slope = has_slopes ? m.slope : nullptr, b.distance = has_slopes ? m.distance : nullptr;
        }
        const float* const c = plan.scores.type == kai_dt_f32 ? kPolynomial5 + 2 : kPolynomial3;
        b.c5 = kPolynomial5[0], b.c4 = kPolynomial5[1], b.c3 = c[0], b.c2 = c[1], b.c1 = c[2], b.c0 = c[3];
        return b;
    }

    /// What rows see of the `count` positions from `from` on. Rows that only fill a panel see all.
    void set_fused_rows(FusedBlock& b, size_t from, size_t count) const {
        set_rows(from);
        b.count = count, b.all_first = 0, b.all_last = count;
        for (size_t i = 0; i < t.rows; ++i) {
            b.all_first = max(b.all_first, m.first[i]), b.all_last = min(b.all_last, m.last[i]);
        }
        for (size_t i = t.rows; i < panel_rows(); ++i) {
            m.first[i] = 0, m.last[i] = static_cast<uint32_t>(count);
            m.mask[i] = m.mask[0], m.slope[i] = m.distance[i] = 0;
        }
    }

    /// Maxima become integers, as exponents of 2, which they are until the end.
    void begin_fused() const {
        for (size_t i = 0; i < panel_rows(); ++i) {
            const float max = i < t.rows ? m.max[i] * kLog2E : -__builtin_inff(), integer = __builtin_ceilf(max);
            m.sum[i] = i < t.rows && m.sum[i] != 0 ? m.sum[i] * exp_of((max - integer) * kLn2) : 0;
            m.max[i] = integer;
        }
    }

    void compute_fused(FusedFn* run) const {
        begin_fused();
        gather_queries();
        pack_queries();
        FusedBlock b = fused_block();
        const size_t size = plan.block;
        for (size_t start = t.positions.first / size * size; start < t.positions.last; start += size, b.is_first = 0) {
            const void* pages[kMostPages];
            size_t page_count = 0, from = 0, end = 0;
            for_each_page(start, [&](size_t position, size_t seen) {
                from = page_count == 0 ? position : from;
                end = position + seen;
                pages[page_count++] = page(position);
            });
            b.pages = pages;
            set_fused_rows(b, from, end - from);
            kai_commit_za();
            run(&b);
        }
        for (size_t i = 0; i < t.rows; ++i) {
            m.max[i] *= kLn2;
        }
    }

    void compute() const {
        begin();
        const Range all = t.positions;
        if (all.first >= all.last) {
            for (size_t i = 0; i < t.rows; ++i) {
                memset(at(m.output, i * output_row(plan)), 0, output_row(plan));
            }
            return;
        }
        if (FusedFn* const run = fused()) {
            return compute_fused(run);
        }
        gather_queries();
        const size_t begin_at = all.first / plan.block * plan.block;
        for (size_t start = begin_at; start < all.last; start += plan.block) {
            score(start, start == begin_at);
            set_rows(start);
            softmax(start);
            add_values(start, start == begin_at);
        }
    }
};

/// Writes a row of results: output / sum; zeros where nothing is seen.
void finish_row(const Plan& plan, const Kernels& kernels, const Sequence& s, Row r, const float* output, float sum) {
    const Problem& p = plan.problem;
    const size_t row = p.value_size * size_of(p.out_type);
    const size_t head = or_none(s.out_head, row), token = or_none(s.out_token, p.heads * row);
    float result[kMostHead];
    if (sum != 0) {
        kernels.divide(result, output, sum, p.value_size);
    } else {
        memset(result, 0, p.value_size * sizeof(float));
    }
    convert(p.out_type, at(s.out, r.token * token + r.head * head), kai_dt_f32, result, p.value_size);
}

// ---- results of parts ----

/// Of one row: maximum and sum, then the output.
struct Stored {
    float* output;
    float* state;  ///< max, sum
};
Stored stored_row(const Work& w, size_t row) {
    const Plan& plan = *w.plan;
    char* start = at(w.workspace, plan.parts);
    return {
        reinterpret_cast<float*>(start + row * output_row(plan)),
        reinterpret_cast<float*>(start + plan.parts_rows * output_row(plan) + row * 2 * sizeof(float))};
}

void run_tile(const Work& w, size_t unit, const Space& space) {
    const Plan& plan = *w.plan;
    const Tile t = tile_of(w, unit);
    Unit u = {plan, *w.operands, t, kernels_for_this_cpu(), space, false};
    u.packs_p = u.kernels.packs_bf16 && takes_bf16_8x4(u.kernel_of(plan.values));
    u.compute();
    for_each_row(plan, t, [&](size_t i, Row row) {
        const float* output = reinterpret_cast<const float*>(at(u.m.output, i * output_row(plan)));
        if (t.parts == 1) {
            return finish_row(plan, u.kernels, *t.sequence, row, output, u.m.sum[i]);
        }
        const Stored to = stored_row(w, t.stored + i);
        memcpy(to.output, output, plan.problem.value_size * sizeof(float));
        to.state[0] = u.m.max[i], to.state[1] = u.m.sum[i];
    });
}

/// Adds the parts of a row, in order.
void merge_row(const Work& w, const Kernels& kernels, const Tile& t, size_t i, Row row) {
    const Plan& plan = *w.plan;
    const size_t size = plan.problem.value_size;
    const auto part = [&](size_t index) { return stored_row(w, t.stored + index * t.rows + i); };
    float most = -__builtin_inff(), sum = 0, output[kMostHead];
    memset(output, 0, size * sizeof(float));
    for (size_t j = 0; j < t.parts; ++j) {
        const float x = part(j).state[0];
        most = most < x ? x : most;
    }
    for (size_t j = 0; j < t.parts; ++j) {
        const Stored s = part(j);
        if (s.state[0] == -__builtin_inff() && s.state[1] == 0) {
            continue;  // sees nothing
        }
        const float weight = exp_of(s.state[0] - most);
        sum += weight * s.state[1];
        for (size_t c = 0; c < size; ++c) {
            output[c] += weight * s.output[c];
        }
    }
    finish_row(plan, kernels, *t.sequence, row, output, sum);
}

/// A kv head of a sequence that is divided. `unit` counts these.
void merge(const Work& w, size_t unit) {
    const Plan& plan = *w.plan;
    size_t stored = 0;
    const Sequence* s = w.operands->sequences;
    for (;; ++s) {
        const size_t units = stored_of(plan, *s) != 0 ? plan.problem.kv_heads : 0;
        if (unit < units) {
            break;
        }
        unit -= units;
        stored += stored_of(plan, *s);
    }
    const size_t rows = rows_of(plan, *s), parts = parts_of(plan, *s);
    const Tile t = {s, unit, 0, rows, {}, 0, parts, stored + unit * parts * rows};
    const Kernels& kernels = kernels_for_this_cpu();
    for_each_row(plan, t, [&](size_t i, Row row) { merge_row(w, kernels, t, i, row); });
}

// ---- workers ----

/// take(run), where run(unit) does a unit of a phase.
template <typename Take>
void work_on(const Work& w, size_t phase, Take take) {
    if (phase == 1) {
        return take([&](size_t unit) { merge(w, unit); });
    }
    const AwaitedSlot slot(static_cast<uint32_t*>(w.workspace), w.plan->problem.units);
    // To find what is where in a slot takes as long as 200 positions of a row: it is done once.
    const Space space = space_of(*w.plan, at(w.workspace, w.plan->slots + slot.index() * w.plan->slot_size));
    take([&](size_t unit) { run_tile(w, unit, space); });
}

/// What tasks of a phase share.
struct Phase {
    const Work& work;
    size_t phase, next;

    static void run(void* context, size_t) {
        auto& p = *static_cast<Phase*>(context);
        work_on(p.work, p.phase, [&](auto run) { gemm::take_units(p.next, p.work.units[p.phase], run); });
    }
};

}  // namespace
}  // namespace kai::attention

using namespace kai::attention;

extern "C" {

kai_gemm_status kai_attention_begin(
    const kai_attention_plan* plan, const kai_attention_operands* operands, void* workspace, size_t workspace_size,
    kai_attention_work* work) {
    if (work == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    if (const Violation violation = check_run(plan, operands, workspace, workspace_size)) {
        return violation.status;
    }
    *work = {};
    work->plan = plan, work->operands = operands, work->workspace = workspace;
    for (size_t i = 0; i < operands->count; ++i) {
        const Sequence& s = operands->sequences[i];
        work->units[0] += plan->problem.kv_heads * tiles_of(*plan, s);
        work->units[1] += stored_of(*plan, s) != 0 ? plan->problem.kv_heads : 0;
    }
    work->phases = work->units[0] == 0 ? 0 : work->units[1] == 0 ? 1 : 2;
    if (work->phases != 0) {
        memset(workspace, 0, plan->problem.units * sizeof(uint32_t));
    }
    return KAI_GEMM_OK;
}

kai_gemm_status kai_attention_run_unit(const kai_attention_work* work, size_t phase, size_t unit) {
    if (work == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    if (phase >= work->phases || unit >= work->units[phase]) {
        return KAI_GEMM_NO_UNIT;
    }
    work_on(*work, phase, [&](auto run) { run(unit); });
    return KAI_GEMM_OK;
}

kai_gemm_status kai_attention_run(
    const kai_attention_plan* plan, const kai_attention_operands* operands, void* workspace, size_t workspace_size,
    kai_gemm_parallel_for* parallel_for, void* pool) {
    kai_attention_work work;
    const kai_gemm_status status = kai_attention_begin(plan, operands, workspace, workspace_size, &work);
    if (status != KAI_GEMM_OK) {
        return status;
    }
    for (size_t phase = 0; phase < work.phases; ++phase) {
        Phase shared = {work, phase, 0};
        const size_t workers = min(plan->problem.units, work.units[phase]);
        if (parallel_for != nullptr && workers > 1) {
            parallel_for(pool, workers, Phase::run, &shared);
        } else {
            Phase::run(&shared, 0);
        }
    }
    return KAI_GEMM_OK;
}

}  // extern "C"
