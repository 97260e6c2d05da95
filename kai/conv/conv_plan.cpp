// Plans of convolution: a path, the products of a tile, sizes.
//
// The kernel of a product is chosen for the whole image and pinned for tiles: the bits do not depend on how many pixels
// a tile has, and so not on the number of threads.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/conv/conv.hpp"
#include "kai/gemm/text.hpp"

namespace kai::conv {
namespace {

/// Channels of a part: its weights stay in the caches while it passes over the pixels of a tile.
constexpr size_t kPartColumns = 256;
/// Pixels of a tile: at least so many, if the image has them, and at most.
constexpr size_t kFewRows = 16, kManyRows = 256;
/// Units for each thread, so that all end at the same time.
constexpr size_t kUnitsOfThread = 4;
/// Channels of a group that taps may be padded to: of dot products and of SMMLA.
constexpr size_t kWidestGroup = 8;
/// Below so many channels on either side, transforms take longer than the products that they save.
constexpr size_t kWinogradChannels = 16;
/// Below so many channels of a group, rows are gathered: a pointer for each tap takes longer than the tap. int8, which
/// pads taps, is twice as fast; f32 1.1 times on in-order cores and on Neoverse V2, 0.95 on N3.
constexpr size_t kIndirectChannels = 4;

Violation fail_of(Status status, kai_conv_path path, const char* needs) {
    return wrong(status, say::other_path, name_of(path), needs);
}

/// The most pixels of the output that a phase has.
size_t phase_pixels(const Plan& plan) {
    const auto most = [](const Axis& axis) {
        size_t count = 0;
        for (size_t phase = 0; phase < axis.phases(); ++phase) {
            count = max(count, axis.count(phase));
        }
        return count;
    };
    return most(rows_of(plan)) * most(columns_of(plan));
}

/// Parts of equal size, if there are any.
size_t parts_of(size_t columns) {
    const size_t least = divide_up(columns, kPartColumns);
    for (const size_t step : {size_t{16}, size_t{1}}) {
        for (size_t parts = least; parts <= 2 * least; ++parts) {
            if (columns % (parts * step) == 0) {
                return parts;
            }
        }
    }
    return 1;
}

/// The product of `m` pixels.
kai_gemm_problem product_of(const Problem& p, size_t m, size_t n, size_t k) {
    kai_gemm_problem g = kai_gemm_problem_of(m, n, k);
    g.a_type = p.in_type, g.c_type = p.out_type;
    g.b_kind = p.kind, g.b_type = p.weight_type, g.b_constant = true;
    g.bias = p.bias;
    g.clamp_min = p.clamp_min, g.clamp_max = p.clamp_max;
    if (p.kind == KAI_GEMM_INT8_STATIC) {
        g.a_zero_point = p.in_zero_point, g.c_zero_point = p.out_zero_point;
        g.c_min = p.out_min, g.c_max = p.out_max, g.multiplier = p.multiplier;
    }
    g.epilogue = p.epilogue;
    g.allow_bf16 = p.allow_bf16, g.allow_f16 = p.allow_f16;
    g.sme_units = p.sme_units != 0;
    g.l1_bytes = p.l1_bytes, g.l2_bytes = p.l2_bytes;
    g.core = p.core;
    g.format = p.weights_of != nullptr ? &p.weights_of->gemm.format : nullptr;
    return g;
}

Violation make_gemm(const Plan& plan, const kai_gemm_problem& g, kai_gemm_plan& gemm) {
    const Status status = kai_gemm_make_plan(&g, &gemm);
    return status == KAI_GEMM_OK
               ? Violation{}
               : wrong(status, say::refused, name_of(plan.path), static_cast<const char*>(gemm.reason));
}

bool uses_sme(const Plan& plan) {
    const auto of = [](const kai_ukernel* u) { return u != nullptr && (kai::run_features(*u) & gemm::kSme) != 0; };
    return of(plan.gemm.gemm.ukernel) || of(plan.gemm.gemv.ukernel) || of(plan.ukernel);
}

/// Sets the kernel of the products of a tile, pinned, and its pixels: `pixels` of an image (WINOGRAD: tiles of
/// results), for which a unit needs `bytes` each.
Violation set_products(Plan& plan, kai_gemm_problem g, size_t pixels, size_t bytes) {
    const Problem& p = plan.problem;
    g.m = pixels;
    if (const Violation violation = make_gemm(plan, g, plan.gemm)) {
        return violation;
    }
    const kai_gemm_plan whole = plan.gemm;
    const size_t step = whole.gemm.ukernel->get_m_step();
    const size_t fit = max(whole.problem.l2_bytes / 4 / max(bytes, 1), kFewRows);
    const size_t units = p.units == 1 ? 1 : kUnitsOfThread * p.units;
    const size_t shared = divide_up(pixels * max(p.batch, 1) * matrix_count(plan), units);
    size_t rows = min(min(fit, kManyRows), max(shared, kFewRows));
    rows = round_up(divide_up(pixels, divide_up(pixels, rows)), step);
    plan.tile_rows = min(rows, pixels);
    g.m = plan.tile_rows;
    g.format = whole.format.name != nullptr ? &whole.format : nullptr;
    g.pin = pixels > 1 ? whole.gemm.ukernel->name : nullptr;
    return make_gemm(plan, g, plan.gemm);
}

/// The words that say which slots are taken, and the pad pixel; then slots.
void set_slots(Plan& plan, size_t slot) {
    const Problem& p = plan.problem;
    plan.workers = uses_sme(plan) ? max(min(p.units, p.sme_units), 1) : p.units;
    size_t end = 0;
    place(end, plan.workers * sizeof(uint32_t));
    plan.pad = place(end, pad_bytes(plan));
    plan.slot_size = round_up(slot, kAlignment);
    plan.slots = place(end, plan.workers * plan.slot_size);
    plan.workspace_size = round_up(end, kAlignment);
    plan.packed_size = matrix_count(plan) * plan.gemm.packed_b_size;
    plan.pack_units = matrix_count(plan);
    // A matrix of weights, K x N.
    const size_t weights = plan.gemm.problem.k * plan.part_columns * weight_size(p) * plan.gemm.problem.batch;
    plan.pack_workspace_size = round_up(weights, kAlignment) + plan.gemm.pack_workspace_size;
}

// ---- paths ----

/// Whether pixels follow each other at equal distances.
bool is_even(size_t batch, size_t height, size_t width, size_t pixel, size_t row, size_t image) {
    return (height == 1 || row == width * pixel) && (batch <= 1 || image == height * width * pixel);
}

Violation plan_gemm(Plan& plan) {
    const Problem& p = plan.problem;
    if (p.kernel_height * p.kernel_width != 1 || p.stride_height * p.stride_width != 1 || p.groups != 1 ||
        has_padding(plan)) {
        return fail_of(KAI_GEMM_BAD_COMBINATION, plan.path, "1 x 1, stride 1, no padding and one group");
    }
    if (!is_even(p.batch, p.height, p.width, p.in_pixel, p.in_row, p.in_image) ||
        !is_even(p.batch, p.height, p.width, p.out_pixel, p.out_row, p.out_image)) {
        return fail_of(KAI_GEMM_BAD_COMBINATION, plan.path, "rows and images without gaps");
    }
    plan.parts = 1, plan.part_columns = p.out_channels, plan.tap_channels = p.in_channels;
    kai_gemm_problem g = product_of(p, p.batch * p.height * p.width, p.out_channels, p.in_channels);
    g.units = p.units, g.sme_units = p.sme_units;
    if (const Violation violation = make_gemm(plan, g, plan.gemm)) {
        return violation;
    }
    set_slots(plan, 0);
    plan.workers = plan.gemm.workers;
    // The operands and the work of the product come first.
    size_t end = 0;
    place(end, sizeof(kai_gemm_operands) + sizeof(kai_gemm_work));
    plan.slots = place(end, plan.gemm.workspace_size);
    plan.workspace_size = round_up(end, kAlignment);
    return {};
}

void set_parts(Plan& plan) {
    plan.parts = parts_of(group_outputs(plan.problem));
    plan.part_columns = group_outputs(plan.problem) / plan.parts;
    plan.tap_channels = group_inputs(plan.problem);
}

Violation plan_rows(Plan& plan) {
    const Problem& p = plan.problem;
    set_parts(plan);
    const size_t k = taps_of(plan) * plan.tap_channels, row = k * size_of(p.in_type);
    if (const Violation violation =
            set_products(plan, product_of(p, 1, plan.part_columns, k), phase_pixels(plan), row)) {
        return violation;
    }
    size_t slot = 0;
    plan.slot_rows = place(slot, reads_in_place(plan) ? 0 : plan.tile_rows * row);
    plan.slot_gemm = place(slot, plan.gemm.workspace_size);
    set_slots(plan, slot);
    return {};
}

/// The kernel that multiplies the packed weights of the plan's, with the same bits, and takes a table of pointers.
const kai_ukernel* indirect_of(const Plan& plan) {
    const kai_ukernel* matmul = plan.gemm.gemm.ukernel;
    kai_registry_request request = {};
    request.family = kai_registry_indirect_family(matmul->family);
    request.m = plan.tile_rows, request.same_rhs_as = matmul;
    request.core = plan.problem.core;
    return request.family != nullptr ? kai_registry_best(&request, nullptr, nullptr) : nullptr;
}

Violation plan_indirect(Plan& plan) {
    const Problem& p = plan.problem;
    const Violation none = fail_of(KAI_GEMM_UNSUPPORTED, plan.path, "a micro-kernel that reads a table of pointers");
    set_parts(plan);
    const size_t pixels = phase_pixels(plan), taps = taps_of(plan);
    if (const Violation violation = set_products(
            plan, product_of(p, 1, plan.part_columns, taps * plan.tap_channels), pixels, taps * sizeof(void*))) {
        return violation;
    }
    const bool converts = plan.gemm.gemm.copies_rows;  // the kernel reads another type than that of the pixels
    plan.ukernel = pixels > 1 && !converts ? indirect_of(plan) : nullptr;
    if (plan.ukernel == nullptr) {
        return none;
    }
    // Each tap begins at a multiple of kr in the packed weights.
    const size_t kr = plan.ukernel->get_kr(), padded = round_up(plan.tap_channels, kr);
    // Low precision on Armv8.0 and in portable C++ gathers rows, too, and multiplies what pads their taps.
    const bool demanded = p.path == KAI_CONV_INDIRECT || p.weights_of != nullptr;
    if (kr > kWidestGroup && padded != plan.tap_channels && !demanded) {
        return fail_of(KAI_GEMM_UNSUPPORTED, plan.path, "whole groups of 16 channels");
    }
    plan.lhs_packer = kai_registry_lhs_packer(plan.ukernel, 0);
    if (padded != plan.tap_channels) {
        plan.tap_channels = padded;
        if (const Violation violation =
                set_products(plan, product_of(p, 1, plan.part_columns, taps * padded), pixels, taps * sizeof(void*))) {
            return violation;
        }
        if (plan.ukernel != indirect_of(plan)) {
            return none;
        }
    }
    size_t slot = 0;
    const kai_call call = call_of(plan, plan.tile_rows);
    plan.slot_table = place(slot, round_up(plan.tile_rows, table_rows(plan)) * taps * sizeof(void*));
    plan.slot_rows = place(slot, plan.lhs_packer != nullptr ? kai_call_lhs_packed_size(&call) : 0);
    plan.slot_product =
        place(slot, plan.gemm.direct ? 0 : plan.tile_rows * plan.part_columns * size_of(plan.ukernel->dst_type));
    set_slots(plan, slot);
    return {};
}

Violation plan_winograd(Plan& plan) {
    const Problem& p = plan.problem;
    const bool floats = p.kind == KAI_GEMM_DENSE && p.in_type != kai_dt_bf16 && p.weight_type == p.in_type;
    if (p.kernel_height != 3 || p.kernel_width != 3 || p.stride_height * p.stride_width != 1 ||
        p.dilation_height * p.dilation_width != 1 || p.transposed || !floats) {
        return fail_of(KAI_GEMM_BAD_COMBINATION, plan.path, "3 x 3, stride 1, dilation 1, f32 or f16");
    }
    set_parts(plan);
    const size_t tile = winograd_tile(plan.path), side = tile + 2, element = size_of(p.in_type);
    kai_gemm_problem g = product_of(p, 1, plan.part_columns, plan.tap_channels);
    g.batch = side * side, g.b_per_matrix = true;
    // The bias, the epilogue and the bounds are for sums of products.
    const kai_gemm_problem none = kai_gemm_problem_of(1, 1, 1);
    g.bias = false, g.epilogue = 0, g.c_type = kai_dt_f32, g.clamp_min = none.clamp_min, g.clamp_max = none.clamp_max;
    const size_t tiles = divide_up(plan.out_height, tile) * divide_up(plan.out_width, tile);
    const size_t bytes = side * side * (plan.tap_channels * element + plan.part_columns * sizeof(float));
    if (const Violation violation = set_products(plan, g, tiles, bytes)) {
        return violation;
    }
    size_t slot = 0;
    plan.slot_rows = place(slot, side * side * plan.tile_rows * plan.tap_channels * element);
    plan.slot_gemm = place(slot, plan.gemm.workspace_size);
    plan.slot_product = place(slot, side * side * plan.tile_rows * plan.part_columns * sizeof(float));
    plan.slot_table = place(slot, (is_direct(p, kai_dt_f32) ? 1 : tile * tile) * plan.part_columns * sizeof(float));
    set_slots(plan, slot);
    plan.packed_size += p.bias ? round_up(p.out_channels * sizeof(float), kAlignment) : 0;
    return {};
}

Violation plan_path(Plan& plan, kai_conv_path path) {
    Plan made = plan;
    made.path = path;
    const Violation violation = path == KAI_CONV_GEMM        ? plan_gemm(made)
                                : path == KAI_CONV_ROWS      ? plan_rows(made)
                                : path == KAI_CONV_INDIRECT  ? plan_indirect(made)
                                : path == KAI_CONV_DEPTHWISE ? plan_depthwise(made)
                                                             : plan_winograd(made);
    if (violation) {
        plan.gemm = made.gemm;  // its reason
        return violation;
    }
    plan = made;
    return {};
}

bool is_winograd_faster(const Problem& p) {
    return p.allow_winograd && group_inputs(p) >= kWinogradChannels && group_outputs(p) >= kWinogradChannels;
}

bool is_gathering_faster(const Problem& p) {
    return group_inputs(p) < kIndirectChannels;
}

/// Whether both read the same packed weights.
bool have_same_weights(const Plan& a, const Plan& b) {
    if (a.path == KAI_CONV_DEPTHWISE) {
        return have_same_filter(a, b);
    }
    return a.packed_size == b.packed_size && a.parts == b.parts &&
           memcmp(a.gemm.tag, b.gemm.tag, sizeof(a.gemm.tag)) == 0;
}

/// The first path that can compute it.
Violation choose_path(Plan& plan) {
    const Problem& p = plan.problem;
    const kai_conv_path given = p.weights_of != nullptr ? p.weights_of->path : p.path;
    if (given != KAI_CONV_ANY) {
        return plan_path(plan, given);
    }
    // f16 has not the digits for the large tiles.
    const kai_conv_path winograd = p.in_type == kai_dt_f16 ? KAI_CONV_WINOGRAD_2 : KAI_CONV_WINOGRAD_4;
    const struct {
        kai_conv_path path;
        bool suits;
    } paths[] = {
        {KAI_CONV_GEMM, true},
        {KAI_CONV_DEPTHWISE, true},
        {winograd, is_winograd_faster(p)},
        {KAI_CONV_ROWS, is_gathering_faster(p)},
        {KAI_CONV_INDIRECT, true},
        {KAI_CONV_ROWS, true}};
    Violation violation;
    for (const auto& x : paths) {
        if (!x.suits) {
            continue;
        }
        violation = plan_path(plan, x.path);
        if (!violation) {
            return {};
        }
    }
    return violation;
}

void set_strides(const Plan& plan, Problem& p) {
    const auto fill = [](size_t& stride, size_t dense) { stride = stride != 0 ? stride : dense; };
    fill(p.in_pixel, p.in_channels * size_of(p.in_type));
    fill(p.in_row, p.width * p.in_pixel);
    fill(p.in_image, p.height * p.in_row);
    fill(p.out_pixel, p.out_channels * size_of(p.out_type));
    fill(p.out_row, plan.out_width * p.out_pixel);
    fill(p.out_image, plan.out_height * p.out_row);
}

void explain_path(Text& text, const Plan& plan) {
    const Problem& p = plan.problem;
    text.add("path: %s\n", name_of(plan.path));
    if (plan.ukernel != nullptr) {
        text.add("micro-kernel: %s\n", plan.ukernel->name);
        if (plan.lhs_packer != nullptr) {
            text.add("    pixels packed by %s\n", plan.lhs_packer->name);
        }
    }
    if (plan.path == KAI_CONV_DEPTHWISE) {
        text.add("units: %zu rows, %zu channels; %zu workers\n", plan.tile_rows, plan.part_columns, plan.workers);
        const DepthwiseSme sme = depthwise_sme(plan);
        if (sme.ukernel != nullptr) {
            text.add(
                "    %s: %zu of %zu workers could run it, as fast as %.3g others\n", sme.ukernel->name, sme.workers,
                p.units, sme.speed);
        }
    } else if (plan.path != KAI_CONV_GEMM) {
        text.add(
            "units: %zu %s of %zu channels, %zu part%s, %zu group%s, %zu phase%s; %zu workers\n", plan.tile_rows,
            is_winograd(plan.path) ? "tiles" : "pixels", plan.part_columns, plan.parts, plan.parts == 1 ? "" : "s",
            p.groups, p.groups == 1 ? "" : "s", phase_count(plan), phase_count(plan) == 1 ? "" : "s", plan.workers);
    }
}

/// Why better paths were not taken.
void explain_others(Text& text, const Plan& plan) {
    for (const kai_conv_path path :
         {KAI_CONV_GEMM, KAI_CONV_DEPTHWISE, KAI_CONV_WINOGRAD_4, KAI_CONV_WINOGRAD_2, KAI_CONV_INDIRECT,
          KAI_CONV_ROWS}) {
        if (path == plan.path) {
            continue;
        }
        Plan other = plan;
        const Violation violation = plan_path(other, path);
        if (violation) {
            text.add("    ");
            text.add(violation.what);
        } else {
            const Problem& p = plan.problem;
            const bool is_few =
                is_winograd(path) ? !is_winograd_faster(p) : path == KAI_CONV_INDIRECT && is_gathering_faster(p);
            text.add(
                "    %s: %s\n", name_of(path),
                is_winograd(path) && !p.allow_winograd ? "needs allow_winograd"
                : is_few                               ? "few channels"
                : is_winograd(path)                    ? "the other tile is preferred"
                                                       : "another path is preferred");
        }
    }
}

}  // namespace

bool reads_in_place(const Plan& plan) {
    return taps_of(plan) == 1 && !has_padding(plan);
}

size_t table_rows(const Plan& plan) {
    return plan.lhs_packer != nullptr ? plan.ukernel->get_mr() : plan.ukernel->get_m_step();
}

kai_call call_of(const Plan& plan, size_t rows) {
    kai_call call = {};
    call.ukernel = plan.ukernel, call.lhs_packer = plan.lhs_packer;
    call.m = rows, call.n = plan.part_columns;
    call.k_chunk_length = group_inputs(plan.problem), call.k = taps_of(plan) * call.k_chunk_length;
    return call;
}

}  // namespace kai::conv

using namespace kai::conv;

extern "C" {

kai_conv_problem kai_conv_problem_of(
    size_t height, size_t width, size_t in_channels, size_t out_channels, size_t kernel_height, size_t kernel_width) {
    const kai_gemm_problem g = kai_gemm_problem_of(1, 1, 1);
    kai_conv_problem p = {};
    p.batch = 1, p.height = height, p.width = width;
    p.in_channels = in_channels, p.out_channels = out_channels, p.groups = 1;
    p.kernel_height = kernel_height, p.kernel_width = kernel_width;
    p.stride_height = p.stride_width = p.dilation_height = p.dilation_width = 1;
    p.kind = KAI_GEMM_DENSE;
    p.in_type = p.out_type = p.weight_type = kai_dt_f32;
    p.layout = KAI_CONV_OHWI;
    p.clamp_min = g.clamp_min, p.clamp_max = g.clamp_max;
    p.out_min = g.c_min, p.out_max = g.c_max, p.multiplier = g.multiplier;
    p.units = g.units, p.sme_units = g.sme_units;
    p.l1_bytes = g.l1_bytes, p.l2_bytes = g.l2_bytes;
    p.core = KAI_CORE_AUTO;
    return p;
}

kai_gemm_status kai_conv_make_plan(const kai_conv_problem* problem, kai_conv_plan* plan) {
    if (plan == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    const Problem given = problem != nullptr ? *problem : Problem{};
    *plan = {};
    plan->problem = given;
    plan->problem.weights_of = nullptr;  // the caller's
    if (problem == nullptr) {
        return fail(*plan, wrong(KAI_GEMM_NULL_POINTER, kai::say::absent, "problem"));
    }
    if (const Violation violation = check_problem(given)) {
        return fail(*plan, violation);
    }
    const kai_conv_plan* other = given.weights_of;
    if (other != nullptr && check_plan(other)) {
        return fail(*plan, check_plan(other));
    }
    Plan made = {};
    made.problem = given;
    set_out_size(given, made.out_height, made.out_width);
    set_strides(made, made.problem);
    made.phases_height = rows_of(made).phases(), made.phases_width = columns_of(made).phases();
    made.phase_taps_height = rows_of(made).taps(), made.phase_taps_width = columns_of(made).taps();
    if (const Violation violation = check_sizes(made)) {
        return fail(*plan, violation);
    }
    if (const Violation violation = choose_path(made)) {
        return fail(*plan, violation);
    }
    if (other != nullptr && !have_same_weights(*other, made)) {
        return fail(*plan, wrong(KAI_GEMM_BAD_COMBINATION, kai::say::other_weights));
    }
    made.problem.weights_of = nullptr;
    *plan = made;
    return KAI_GEMM_OK;
}

size_t kai_conv_explain(const kai_conv_plan* plan, char* text, size_t size) {
    if (const Violation violation = check_plan(plan)) {
        const size_t length = kai::write(text, size, violation.what);
        return length;
    }
    kai::Text to = {text, text != nullptr ? size : 0, 0};
    explain_path(to, *plan);
    explain_others(to, *plan);
    if (plan->path == KAI_CONV_DEPTHWISE) {
        return to.length;
    }
    to.add("weights and products:\n");
    const size_t left = to.length < to.size ? to.size - to.length : 0;
    return to.length + kai_gemm_explain(&plan->gemm, left != 0 ? text + to.length : nullptr, left);
}

}  // extern "C"
