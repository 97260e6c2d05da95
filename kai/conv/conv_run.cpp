// Runs of convolution.
//
// A unit is a tile: consecutive pixels of a phase of an image (WINOGRAD: tiles of results), and a matrix of weights.
// Where pixels of the output are not at equal distances, it consists of segments, which are.
//
//     GEMM       units of the GEMM layer
//     ROWS       a row of each pixel is gathered: taps x channels; a product of the GEMM layer
//     INDIRECT   a table of pointers to taps; the micro-kernel, then the epilogue
//     WINOGRAD   transform, products, transform back, epilogue
//     DEPTHWISE  conv_depthwise.cpp
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/conv/conv.hpp"
#include "kai/gemm/workers.hpp"

namespace kai::conv {
namespace {

using gemm::AwaitedSlot;

// ---- which unit ----

/// Part of the output: `count` pixels of a phase of an image, from number `first` on, row by row.
struct Tile {
    size_t matrix, image, first, count;
    Matrix m;
};

struct Unit {
    const Work& w;
    const Plan& plan;
    const Problem& p;
    const Operands& x;
    Axis rows, columns;
    Tile t;
    char* slot;
    const char* image;  ///< the first pixel of the input, channels of the group

    Unit(const Work& work, const Tile& tile, char* memory)
        : w(work),
          plan(*work.plan),
          p(plan.problem),
          x(*work.operands),
          rows(rows_of(plan)),
          columns(columns_of(plan)),
          t(tile),
          slot(memory),
          image(at(x.in, t.image * p.in_image + t.m.group * group_inputs(p) * size_of(p.in_type))) {
    }

    /// Channels of the group of a pixel of the input.
    const char* in(size_t row, size_t column) const {
        return image + row * p.in_row + column * p.in_pixel;
    }
    char* out(size_t row, size_t column) const {
        const size_t channel = t.m.column * size_of(p.out_type);
        return at(x.out, t.image * p.out_image + row * p.out_row + column * p.out_pixel + channel);
    }
    const char* weights() const {
        return at(x.packed, t.matrix * plan.gemm.packed_b_size);
    }
    /// Pixels of a row of the phase.
    size_t width() const {
        return columns.count(t.m.phase_column);
    }
};

/// Pixels (tiles of results) of a phase of an image.
size_t pixels_of(const Plan& plan, const Axis& rows, const Axis& columns, const Matrix& m) {
    if (is_winograd(plan.path)) {
        const size_t tile = winograd_tile(plan.path);
        return divide_up(plan.out_height, tile) * divide_up(plan.out_width, tile);
    }
    return rows.count(m.phase_row) * columns.count(m.phase_column);
}

/// Tiles of an image, of the phase that has most.
size_t tiles_of(const Plan& plan) {
    const Axis rows = rows_of(plan), columns = columns_of(plan);
    size_t most = 0;
    for (size_t i = 0; i < plan.phases_height; ++i) {
        for (size_t j = 0; j < plan.phases_width; ++j) {
            most = max(most, pixels_of(plan, rows, columns, {i, j, 0, 0, 0}));
        }
    }
    return divide_up(most, plan.tile_rows);
}

/// Units that share weights follow each other.
Tile tile_of(const Plan& plan, size_t unit) {
    const size_t tiles = tiles_of(plan);
    Tile t = {};
    t.first = unit % tiles * plan.tile_rows, unit /= tiles;
    t.image = unit % plan.problem.batch, t.matrix = unit / plan.problem.batch;
    t.m = matrix_of(plan, t.matrix);
    const size_t pixels = pixels_of(plan, rows_of(plan), columns_of(plan), t.m);
    t.count = t.first < pixels ? min(plan.tile_rows, pixels - t.first) : 0;
    return t;
}

/// Consecutive pixels of the output at equal distances.
struct Segment {
    size_t first, count;  ///< of the phase
    size_t row, column;   ///< of the phase: of the first pixel
    char* to;
    size_t stride;
};

/// visit(segment) for all of a tile.
template <typename Visit>
void for_each_segment(const Unit& u, Visit visit) {
    const Problem& p = u.p;
    const size_t width = u.width(), stride = p.out_pixel * (p.transposed ? p.stride_width : 1);
    const bool even = !p.transposed && p.out_row == u.plan.out_width * p.out_pixel && !reads_in_place(u.plan);
    for (size_t i = u.t.first, end = i + u.t.count; i < end;) {
        const size_t row = i / width, column = i % width, count = even ? end - i : min(end - i, width - column);
        char* to = u.out(u.rows.pixel(u.t.m.phase_row, row), u.columns.pixel(u.t.m.phase_column, column));
        visit(Segment{i, count, row, column, to, stride});
        i += count;
    }
}

/// Where taps of pixels of the output are.
struct Finder {
    const Unit& u;
    Taps rows, columns;
    size_t step;  ///< bytes from one tap of a row of the filter to the next, where they are visited together

    explicit Finder(const Unit& unit)
        : u(unit),
          rows(u.rows.taps_of(u.t.m.phase_row)),
          columns(u.columns.taps_of(u.t.m.phase_column)),
          step(u.p.dilation_width * u.p.in_pixel) {
    }

    /// visit(index of the pixel, its row, its column) for the pixels of a segment, in the output.
    template <typename Visit>
    void for_each_pixel(const Segment& s, Visit visit) const {
        const size_t width = u.width();
        size_t row = s.row, column = s.column;
        for (size_t i = 0; i < s.count; ++i) {
            visit(i, u.rows.pixel(u.t.m.phase_row, row), u.columns.pixel(u.t.m.phase_column, column));
            if (++column == width) {
                column = 0, ++row;
            }
        }
    }

    /// visit(the channels of the group in the input or NULL: padding, how many taps there are, `step` bytes apart) for
    /// all taps of a pixel, in order.
    template <typename Visit>
    void for_each_tap(size_t row, size_t column, Visit visit) const {
        const size_t height = u.plan.phase_taps_height, width = u.plan.phase_taps_width;
        const size_t left = u.columns.all_inside(column, width), top = u.rows.all_inside(row, height);
        if (left != kNone && top != kNone) {  // most pixels
            const char* line = u.in(top, left);
            for (size_t i = 0; i < height; ++i, line += u.p.dilation_height * u.p.in_row) {
                visit(line, width);
            }
            return;
        }
        for (size_t i = 0; i < height; ++i) {
            const size_t y = u.rows.source(row, rows.index(i));
            if (y == kNone) {
                visit(nullptr, width);
                continue;
            }
            const char* line = u.in(y, 0);
            if (left != kNone) {
                visit(line + left * u.p.in_pixel, width);
                continue;
            }
            for (size_t j = 0; j < width; ++j) {
                const size_t x = u.columns.source(column, columns.index(j));
                visit(x != kNone ? line + x * u.p.in_pixel : nullptr, size_t{1});
            }
        }
    }
};

// ---- paths ----

/// Sums of products to the output.
void finish(
    const Unit& u, kai_datatype type, const void* product, size_t product_row, char* to, size_t to_row, size_t rows) {
    const Columns columns = {u.t.m.column, u.plan.part_columns, bias_apart(u.plan, u.x.packed, u.t.matrix)};
    finish(u.plan, u.x, columns, {type, product, product_row, rows}, to, to_row);
}

/// The product of rows with the weights of a matrix, by the GEMM layer.
void multiply(const Unit& u, const void* rows, size_t row_stride, size_t count, char* to, size_t stride) {
    const ColumnOperands of = operands_of(u.x, u.t.m.column);
    kai_gemm_operands g = {};
    g.m = count;
    g.a.data = rows, g.a.ld = row_stride;
    g.b.data = u.weights();
    g.c.data = to, g.c.ld = stride;
    g.epilogue = u.x.epilogue != nullptr ? &of.epilogue : nullptr;
    g.lowp = u.x.lowp != nullptr ? &of.lowp : nullptr;
    kai_gemm_run(
        &u.plan.gemm, &g, u.plan.gemm.workspace_size != 0 ? u.slot + u.plan.slot_gemm : nullptr,
        u.plan.gemm.workspace_size, nullptr, nullptr);
}

/// Rows of taps x channels.
void gather_rows(const Unit& u, const Segment& s, char* to) {
    const size_t tap_bytes = u.plan.tap_channels * size_of(u.p.in_type), row = taps_of(u.plan) * tap_bytes;
    const int pad = pad_value(u.plan, u.x);
    const Finder finder(u);
    finder.for_each_pixel(s, [&](size_t i, size_t y, size_t x) {
        char* tap = to + i * row;
        finder.for_each_tap(y, x, [&](const char* from, size_t taps) {
            // Side by side with all of their channels: one copy.
            const bool joined = from == nullptr || finder.step == tap_bytes;
            const size_t bytes = joined ? taps * tap_bytes : tap_bytes;
            for (size_t j = 0; j < (joined ? 1 : taps); ++j, tap += bytes) {
                if (from != nullptr) {
                    memcpy(tap, from + j * finder.step, bytes);
                } else {
                    memset(tap, pad, bytes);
                }
            }
        });
    });
}

void run_rows(const Unit& u) {
    const bool in_place = reads_in_place(u.plan);
    const size_t row = taps_of(u.plan) * u.plan.tap_channels * size_of(u.p.in_type);
    for_each_segment(u, [&](const Segment& s) {
        if (in_place) {
            const char* from = u.in(s.row * u.p.stride_height, s.column * u.p.stride_width);
            return multiply(u, from, u.p.in_pixel * u.p.stride_width, s.count, s.to, s.stride);
        }
        char* rows = u.slot + u.plan.slot_rows;
        gather_rows(u, s, rows);
        multiply(u, rows, row, s.count, s.to, s.stride);
    });
}

void run_indirect(const Unit& u) {
    const Plan& plan = u.plan;
    const size_t group = table_rows(plan), taps = taps_of(plan);
    const auto** table = reinterpret_cast<const void**>(u.slot + plan.slot_table);
    const char* pad = at(u.w.workspace, plan.pad);
    const Finder finder(u);
    for_each_segment(u, [&](const Segment& s) {
        const void** rows = table;  // pointers of the group; a division for each pixel would take long
        size_t in_group = 0;
        finder.for_each_pixel(s, [&](size_t, size_t y, size_t x) {
            const void** tap = rows + in_group;
            finder.for_each_tap(y, x, [&](const char* from, size_t count) {
                const size_t step = from != nullptr ? finder.step : 0;
                from = from != nullptr ? from : pad;
                for (size_t j = 0; j < count; ++j, from += step, tap += group) {
                    *tap = from;
                }
            });
            if (++in_group == group) {
                in_group = 0, rows += group * taps;
            }
        });
        kai_call call = call_of(plan, s.count);
        call.lhs = table, call.pad_ptr = pad;
        if (plan.lhs_packer != nullptr) {
            kai_call_pack_lhs(&call, 0, s.count, u.slot + plan.slot_rows);
            call.lhs_packed = u.slot + plan.slot_rows;
        }
        call.rhs_packed = u.weights();
        const bool direct = plan.gemm.direct;
        const size_t product_row = plan.part_columns * size_of(plan.ukernel->dst_type);
        call.dst = direct ? s.to : u.slot + plan.slot_product;
        call.dst_stride = direct ? s.stride : product_row;
        call.clamp = direct, call.clamp_min = u.p.clamp_min, call.clamp_max = u.p.clamp_max;
        if (u.p.kind == KAI_GEMM_INT8_STATIC) {
            call.requantize = {u.p.out_min, u.p.out_max, u.p.out_zero_point};
        } else if (u.x.lowp != nullptr) {
            call.lowp = operands_of(u.x, u.t.m.column).lowp;
        }
        kai_call_run(&call, 0, 0, s.count, plan.part_columns);
        if (!direct) {
            finish(u, plan.ukernel->dst_type, call.dst, product_row, s.to, s.stride, s.count);
        }
    });
}

/// Where a tile of results begins.
struct Place {
    size_t row, column;
};
Place place_of(const Unit& u, size_t index) {
    const size_t tile = winograd_tile(u.plan.path), wide = divide_up(u.plan.out_width, tile);
    return {index / wide * tile, index % wide * tile};
}

/// The pixels of a tile, column by column. Those of the last tiles may lie outside, whatever the padding is.
void find_pixels(const Unit& u, const Place& tile, size_t side, const char** pixels) {
    const char *first = u.in(0, 0), *pad = at(u.w.workspace, u.plan.pad);
    // Left of the image, or above: a large number.
    const size_t top = tile.row - u.p.pad_top, left = tile.column - u.p.pad_left;
    for (size_t j = 0; j < side; ++j) {
        const bool outside = left + j >= u.p.width;
        for (size_t i = 0; i < side; ++i) {
            const bool exists = !outside && top + i < u.p.height;
            *pixels++ = exists ? first + (top + i) * u.p.in_row + (left + j) * u.p.in_pixel : pad;
        }
    }
}

/// Products of a tile to the output: bias and bounds while they are transformed, where nothing else follows.
void store_tile(const Unit& u, const Place& tile, const char* products, size_t stride) {
    const Plan& plan = u.plan;
    const size_t side = winograd_tile(plan.path), row = plan.part_columns * sizeof(float);
    const size_t height = min(side, plan.out_height - tile.row), width = min(side, plan.out_width - tile.column);
    const bool direct = is_direct(u.p, kai_dt_f32);
    char *results = u.slot + plan.slot_table, *pixels[16];
    for (size_t i = 0; i < side * side; ++i) {
        const size_t y = i / side, x = i % side;
        // A result that nobody wants goes to the workspace.
        pixels[i] = !direct                   ? results + i * row
                    : y < height && x < width ? u.out(tile.row + y, tile.column + x)
                                              : results;
    }
    const float inf = __builtin_inff();
    const float lower = direct ? u.p.clamp_min : -inf, upper = direct ? u.p.clamp_max : inf;
    const void* bias = direct ? bias_apart(plan, u.x.packed, u.t.matrix) : nullptr;
    const char* zeros = at(u.w.workspace, plan.pad);
    transform_output(
        side, {products, pixels, bias != nullptr ? static_cast<const char*>(bias) : zeros, stride, plan.part_columns,
               lower, upper, lower > -inf || upper < inf});
    for (size_t y = 0; y < height && !direct; ++y) {
        finish(u, kai_dt_f32, results + y * side * row, row, u.out(tile.row + y, tile.column), u.p.out_pixel, width);
    }
}

void run_winograd(const Unit& u) {
    const Plan& plan = u.plan;
    const size_t tile = winograd_tile(plan.path), row = plan.tap_channels * size_of(u.p.in_type);
    char *rows = u.slot + plan.slot_rows, *products = u.slot + plan.slot_product;
    for (size_t i = 0; i < u.t.count; ++i) {
        const char* pixels[36];
        find_pixels(u, place_of(u, u.t.first + i), tile + 2, pixels);
        transform_input(tile, u.p.in_type, pixels, plan.tap_channels, rows + i * row, u.t.count * row);
    }
    kai_gemm_operands g = {};
    g.m = u.t.count;
    g.a.data = rows, g.b.data = u.weights(), g.c.data = products;
    kai_gemm_run(
        &plan.gemm, &g, plan.gemm.workspace_size != 0 ? u.slot + plan.slot_gemm : nullptr, plan.gemm.workspace_size,
        nullptr, nullptr);
    const size_t result = plan.part_columns * sizeof(float);
    for (size_t i = 0; i < u.t.count; ++i) {
        store_tile(u, place_of(u, u.t.first + i), products + i * result, u.t.count * result);
    }
}

void run_tile(const Work& w, size_t unit, char* slot) {
    const Plan& plan = *w.plan;
    if (plan.path == KAI_CONV_DEPTHWISE) {
        return run_depthwise(w, unit, slot);
    }
    const Tile tile = tile_of(plan, unit);
    if (tile.count == 0) {
        return;  // a phase with fewer pixels
    }
    const Unit u(w, tile, slot);
    switch (plan.path) {
        case KAI_CONV_INDIRECT:
            return run_indirect(u);
        case KAI_CONV_WINOGRAD_2:
        case KAI_CONV_WINOGRAD_4:
            return run_winograd(u);
        default:
            return run_rows(u);
    }
}

// ---- GEMM: a work of that layer, at the start of the workspace ----

struct Product {
    kai_gemm_operands operands;
    kai_gemm_work work;
};
Product& product_of(const Work& w) {
    return *static_cast<Product*>(w.workspace);
}
kai_gemm_operands operands_of(const Plan& plan, const Operands& x) {
    const Problem& p = plan.problem;
    kai_gemm_operands g = {};
    g.m = p.batch * p.height * p.width;
    g.a.data = x.in, g.a.ld = p.in_pixel;
    g.b.data = x.packed;
    g.c.data = x.out, g.c.ld = p.out_pixel;
    g.epilogue = x.epilogue, g.lowp = x.lowp;
    return g;
}
/// The workspace of the product.
void* product_space(const Plan& plan, void* workspace) {
    return plan.gemm.workspace_size != 0 ? at(workspace, plan.slots) : nullptr;
}

// ---- workers ----

uint32_t* taken_of(const Work& w) {
    return static_cast<uint32_t*>(w.workspace);
}

char* memory_of(const Work& w, const AwaitedSlot& slot) {
    return at(w.workspace, w.plan->slots + slot.index() * w.plan->slot_size);
}

/// What tasks share.
struct Queue {
    const Work& work;
    size_t next;

    static void run(void* context, size_t) {
        auto& q = *static_cast<Queue*>(context);
        if (gemm::check_vectors(q.work.plan->gemm)) {
            return;  // other threads do it
        }
        const AwaitedSlot slot(taken_of(q.work), q.work.plan->workers);
        gemm::take_units(
            q.next, q.work.units[0], [&](size_t unit) { run_tile(q.work, unit, memory_of(q.work, slot)); });
    }
};

/// After the checks.
void begin(const Plan& plan, const Operands* operands, void* workspace, Work& work) {
    work = {};
    work.plan = &plan, work.operands = operands, work.workspace = workspace;
    if (plan.problem.batch == 0) {
        return;
    }
    work.phases = 1;
    const bool depthwise = plan.path == KAI_CONV_DEPTHWISE;
    work.units[0] = depthwise ? depthwise_units(plan) : matrix_count(plan) * plan.problem.batch * tiles_of(plan);
    memset(taken_of(work), 0, plan.workers * sizeof(uint32_t));
    memset(at(workspace, plan.pad), pad_value(plan, *operands), pad_bytes(plan));
}

}  // namespace
}  // namespace kai::conv

using namespace kai::conv;

extern "C" {

kai_gemm_status kai_conv_begin(
    const kai_conv_plan* plan, const kai_conv_operands* operands, void* workspace, size_t workspace_size,
    kai_conv_work* work) {
    if (work == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    if (const Violation violation = check_run(plan, operands, workspace, workspace_size)) {
        return violation.status;
    }
    if (plan->path != KAI_CONV_GEMM || plan->problem.batch == 0) {
        begin(*plan, operands, workspace, *work);
        return KAI_GEMM_OK;
    }
    *work = {};
    work->plan = plan, work->operands = operands, work->workspace = workspace;
    Product& product = product_of(*work);
    product.operands = operands_of(*plan, *operands);
    const kai_gemm_status status = kai_gemm_begin(
        &plan->gemm, &product.operands, product_space(*plan, workspace), plan->gemm.workspace_size, &product.work);
    if (status == KAI_GEMM_OK) {
        work->phases = product.work.phases;
        memcpy(work->units, product.work.units, sizeof(work->units));
    }
    return status;
}

kai_gemm_status kai_conv_run_unit(const kai_conv_work* work, size_t phase, size_t unit) {
    if (work == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    if (phase >= work->phases || unit >= work->units[phase]) {
        return KAI_GEMM_NO_UNIT;
    }
    if (work->plan->path == KAI_CONV_GEMM) {
        return kai_gemm_run_unit(&product_of(*work).work, phase, unit);
    }
    if (kai::gemm::check_vectors(work->plan->gemm)) {
        return KAI_GEMM_VECTORS_CHANGED;
    }
    const AwaitedSlot slot(taken_of(*work), work->plan->workers);
    run_tile(*work, unit, memory_of(*work, slot));
    return KAI_GEMM_OK;
}

kai_gemm_status kai_conv_run(
    const kai_conv_plan* plan, const kai_conv_operands* operands, void* workspace, size_t workspace_size,
    kai_gemm_parallel_for* parallel_for, void* pool) {
    if (const Violation violation = check_run(plan, operands, workspace, workspace_size)) {
        return violation.status;
    }
    if (plan->problem.batch == 0) {
        return KAI_GEMM_OK;
    }
    if (plan->path == KAI_CONV_GEMM) {
        const kai_gemm_operands g = operands_of(*plan, *operands);
        return kai_gemm_run(
            &plan->gemm, &g, product_space(*plan, workspace), plan->gemm.workspace_size, parallel_for, pool);
    }
    kai_conv_work work;
    begin(*plan, operands, workspace, work);
    Queue queue = {work, 0};
    const size_t tasks = min(plan->workers, work.units[0]);
    if (parallel_for != nullptr && tasks > 1) {
        parallel_for(pool, tasks, Queue::run, &queue);
    }
    Queue::run(&queue, 0);  // what is left
    return KAI_GEMM_OK;
}

}  // extern "C"
