// Depthwise convolution: one channel of the input for each group.
//
// A unit is some rows of tiles of an image, and a part of the channels. The micro-kernel finds the pixels of its tiles,
// and the places of its results, through tables of pointers.
//
// The packed filter: panels, as the packer of the kernel makes them; with an epilogue the bias, f32; a tag.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/conv/conv.hpp"
#include "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h"

namespace kai::conv {
namespace {

/// Channels of a part, at least: below, tables take longer than sums.
constexpr size_t kFewChannels = 64;
/// Pointers to pixels that a unit has, at most: beside them, pixels and the filter stay in the L1 cache.
constexpr size_t kTableBytes = size_t{16} << 10;

bool is_int8(const Problem& p) {
    return p.kind == KAI_GEMM_INT8_STATIC;
}
size_t multiplier_of(const Problem& p) {
    return group_outputs(p);
}
size_t taps_of(const Problem& p) {
    return p.kernel_height * p.kernel_width;
}
const kai_dwconv_tile& tile_of(const Plan& plan) {
    return *kai_registry_dwconv_tile(plan.ukernel);
}
/// Pointers to pixels that a tile has.
size_t table_pixels(const Problem& p, const kai_dwconv_tile& t) {
    return t.filter_height == 0
               ? taps_of(p) * t.height * t.width
               : ((t.height - 1) * t.stride + t.filter_height) * ((t.width - 1) * t.stride + t.filter_width);
}
size_t tiles_across(const Plan& plan) {
    return divide_up(plan.out_width, tile_of(plan).width);
}
size_t tiles_down(const Plan& plan) {
    return divide_up(plan.out_height, tile_of(plan).height);
}

bool suits(const Problem& p, const kai_ukernel& u) {
    const kai_ukernel_signature signature = is_int8(p) ? KAI_UKERNEL_DWCONV_TILES_QAI8 : KAI_UKERNEL_DWCONV_TILES;
    if (u.signature != signature || u.dst_type != p.in_type || !kai_registry_runnable(u.features, nullptr, 0)) {
        return false;
    }
    const kai_dwconv_tile& t = *kai_registry_dwconv_tile(&u);
    const bool any = t.filter_height == 0;
    const bool filter = any || (t.filter_height == p.kernel_height && t.filter_width == p.kernel_width &&
                                p.dilation_height == 1 && p.dilation_width == 1);
    const bool stride = any || (t.stride == p.stride_height && t.stride == p.stride_width);
    return filter && stride && (t.any_multiplier || multiplier_of(p) == 1);
}

const kai_ukernel* find_kernel(const Problem& p) {
    const kai_cpu_core core = p.core != KAI_CORE_AUTO ? p.core : kai_cpu_fastest_core().core;
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel_for(core, i); ++i) {
        if (suits(p, *u)) {
            return u;
        }
    }
    return nullptr;
}

size_t filter_bytes(const Plan& plan) {
    const Problem& p = plan.problem;
    kai_any_fn* const size = kai_registry_rhs_packer(plan.ukernel, 0)->get_packed_size;
    return reinterpret_cast<kai_get_rhs_dwconv_size_fn*>(size)(p.kernel_height, p.kernel_width, p.out_channels);
}

/// Where the parts of the packed filter are.
struct Packed {
    size_t bias, tag, end;
};
Packed packed_of(const Plan& plan) {
    const Problem& p = plan.problem;
    Packed at = {};
    at.bias = round_up(filter_bytes(plan), kAlignment);
    at.tag = at.bias + (p.epilogue && p.bias ? round_up(p.out_channels * sizeof(float), kAlignment) : 0);
    at.end = at.tag + kAlignment;
    return at;
}

struct Tag {
    uint64_t words[kAlignment / sizeof(uint64_t)];
};
Tag tag_of(const Plan& plan) {
    const Problem& p = plan.problem;
    constexpr uint64_t kMagic = 0x77702E766E6F6364;  // "dconv.pw"
    const uint64_t nr = plan.ukernel->get_nr(), kr = plan.ukernel->get_kr();
    uint32_t scale = 0;
    memcpy(&scale, &p.multiplier, sizeof(scale));
    const uint64_t quantisation = uint64_t{scale} << 32 | static_cast<uint32_t>(p.in_zero_point);
    return {
        {kMagic, p.kernel_height, p.kernel_width, p.out_channels, nr << 32 | kr, static_cast<uint64_t>(p.in_type),
         uint64_t{p.epilogue} << 1 | uint64_t{p.bias}, is_int8(p) ? quantisation : 0}};
}

/// A row of tiles.
struct Row {
    const Plan& plan;
    const Problem& p;
    const kai_dwconv_tile& t;
    size_t first;  ///< the first row of the output
    const char* in;
    const char* pad;

    const void* pixel(size_t y, size_t x) const {
        return y < p.height && x < p.width ? in + y * p.in_row + x * p.in_pixel : pad;
    }
    /// All pixels that a tile reads; what is above or left of the image wraps around to large numbers.
    void find_region(size_t column, const void** table) const {
        const size_t height = (t.height - 1) * t.stride + t.filter_height,
                     width = (t.width - 1) * t.stride + t.filter_width;
        const size_t top = first * t.stride - p.pad_top, left = column * t.stride - p.pad_left;
        for (size_t i = 0; i < height; ++i) {
            const bool outside = top + i >= p.height;
            const char* from = in + (top + i) * p.in_row + left * p.in_pixel;
            for (size_t j = 0; j < width; ++j, from += p.in_pixel) {
                *table++ = outside || left + j >= p.width ? pad : from;
            }
        }
    }
    /// The pixel of each tap and output.
    void find_taps(size_t column, const void** table) const {
        for (size_t tap = 0; tap < taps_of(p); ++tap) {
            const size_t y = tap / p.kernel_width * p.dilation_height - p.pad_top,
                         x = tap % p.kernel_width * p.dilation_width - p.pad_left;
            for (size_t i = 0; i < t.height * t.width; ++i) {
                const size_t row = first + i / t.width, at_column = column + i % t.width;
                *table++ = pixel(row * p.stride_height + y, at_column * p.stride_width + x);
            }
        }
    }
    /// Where results go: rows of `stride` bytes, pixels of `step`. Results that nobody wants: where the first one of
    /// their tile goes, which is stored last.
    void find_results(size_t column, char* to, size_t stride, size_t step, void** table) const {
        for (size_t i = 0; i < t.height * t.width; ++i) {
            const size_t row = i / t.width, at_column = column + i % t.width;
            const bool exists = first + row < plan.out_height && at_column < plan.out_width;
            table[i] = exists ? to + row * stride + at_column * step : table[0];
        }
    }
};

}  // namespace

Violation plan_depthwise(Plan& plan) {
    const Problem& p = plan.problem;
    const bool fits = is_int8(p) || (p.kind == KAI_GEMM_DENSE && p.weight_type == p.in_type);
    if (group_inputs(p) != 1 || p.groups == 1 || p.transposed || !fits) {
        return wrong(
            KAI_GEMM_BAD_COMBINATION, say::other_path, name_of(plan.path),
            "groups of one channel of the input, f32, f16 or static int8");
    }
    plan.ukernel = find_kernel(p);
    if (plan.ukernel == nullptr) {
        return wrong(KAI_GEMM_UNSUPPORTED, say::other_path, name_of(plan.path), "a micro-kernel for these types");
    }
    plan.workers = p.units;
    plan.tap_channels = 1;
    // Channels are divided where rows of tiles are few. Parts begin at panels; with a multiplier there is one part.
    const size_t units = p.batch * tiles_down(plan), nr = plan.ukernel->get_nr();
    const size_t wanted = multiplier_of(p) == 1 ? divide_up(2 * p.units, max(units, 1)) : 1;
    plan.parts = max(min(wanted, p.out_channels / kFewChannels), 1);
    plan.part_columns = round_up(divide_up(p.out_channels, plan.parts), plan.parts == 1 ? 1 : nr);
    plan.parts = divide_up(p.out_channels, plan.part_columns);
    const size_t across = tiles_across(plan), results = plan.ukernel->get_m_step();
    const size_t row_bytes = across * table_pixels(p, tile_of(plan)) * sizeof(void*);
    const size_t shared = p.units == 1 ? tiles_down(plan) : units * plan.parts / (4 * p.units);
    const size_t rows = max(min(min(kTableBytes / row_bytes, shared), tiles_down(plan)), 1);
    plan.tile_rows = rows * tile_of(plan).height;

    const size_t element = size_of(plan.ukernel->dst_type);
    size_t slot = 0, end = 0;
    plan.slot_table = place(slot, rows * row_bytes);
    plan.slot_rows = place(slot, rows * across * results * sizeof(void*));
    plan.slot_product = place(
        slot, is_direct(p, plan.ukernel->dst_type) ? 0 : plan.tile_rows * plan.out_width * plan.part_columns * element);
    place(end, plan.workers * sizeof(uint32_t));
    plan.pad = place(end, pad_bytes(plan));
    plan.slot_size = round_up(slot, kAlignment);
    plan.slots = place(end, plan.workers * plan.slot_size);
    plan.workspace_size = round_up(end, kAlignment);
    plan.packed_size = packed_of(plan).end;
    plan.pack_units = 1;
    plan.pack_workspace_size = round_up((taps_of(p) + 1) * p.out_channels * element, kAlignment);
    return {};
}

void pack_depthwise(const Plan& plan, const kai_gemm_weights& weights, char* packed, char* workspace) {
    const Problem& p = plan.problem;
    const size_t element = weight_size(p);
    const Packed to = packed_of(plan);
    copy_filter(plan, weights.b, workspace);
    const void* bias = p.bias && !p.epilogue ? weights.bias : nullptr;
    if (bias != nullptr && p.in_type == kai_dt_f16) {
        void* halves = at(workspace, taps_of(p) * p.out_channels * element);
        gemm::copy_matrix(kai_dt_f16, halves, 0, kai_dt_f32, bias, 0, sizeof(float), 1, p.out_channels);
        bias = halves;
    }
    kai_any_fn* const run = kai_registry_rhs_packer(plan.ukernel, 0)->run;
    if (is_int8(p)) {
        const kai_rhs_pack_qsi8cx_params params = {p.in_zero_point, p.multiplier};
        reinterpret_cast<kai_run_rhs_dwconv_pack_qs8cx_i32_fn*>(run)(
            p.kernel_height, p.kernel_width, p.out_channels, workspace, bias, weights.scale, packed, &params);
    } else {
        reinterpret_cast<kai_run_rhs_dwconv_pack_fn*>(run)(
            p.kernel_height, p.kernel_width, p.kernel_height, p.kernel_width, p.out_channels, workspace, bias, packed);
    }
    if (p.epilogue && p.bias) {
        memcpy(at(packed, to.bias), weights.bias, p.out_channels * sizeof(float));
    }
    const Tag tag = tag_of(plan);
    memcpy(at(packed, to.tag), &tag, sizeof(tag));
}

bool is_packed_depthwise(const Plan& plan, const void* packed) {
    const Tag tag = tag_of(plan);
    return memcmp(at(packed, packed_of(plan).tag), &tag, sizeof(tag)) == 0;
}

bool have_same_filter(const Plan& a, const Plan& b) {
    const Tag tag = tag_of(a), other = tag_of(b);
    return memcmp(&tag, &other, sizeof(tag)) == 0;
}

size_t depthwise_units(const Plan& plan) {
    return plan.problem.batch * divide_up(plan.out_height, plan.tile_rows) * plan.parts;
}

void run_depthwise(const Work& w, size_t unit, char* slot) {
    const Plan& plan = *w.plan;
    const Problem& p = plan.problem;
    const Operands& x = *w.operands;
    const kai_dwconv_tile& t = tile_of(plan);
    const size_t down = divide_up(plan.out_height, plan.tile_rows), row = unit % down * plan.tile_rows;
    const size_t height = min(plan.tile_rows, plan.out_height - row);
    const size_t image = unit / down % p.batch, first = unit / down / p.batch * plan.part_columns;
    const size_t count = min(plan.part_columns, p.out_channels - first), element = size_of(plan.ukernel->dst_type);
    const char* pad = at(w.workspace, plan.pad);
    char* out = at(x.out, image * p.out_image + row * p.out_row);

    const bool direct = is_direct(p, plan.ukernel->dst_type);
    const size_t step = direct ? p.out_pixel : count * element, stride = direct ? p.out_row : plan.out_width * step;
    char* results = direct ? out : slot + plan.slot_product;
    const size_t pixels = table_pixels(p, t), outputs = t.height * t.width, across = tiles_across(plan);
    auto** src = reinterpret_cast<const void**>(slot + plan.slot_table);
    auto** dst = reinterpret_cast<void**>(slot + plan.slot_rows);
    size_t tiles = 0;
    for (size_t y = 0; y < height; y += t.height) {
        const Row line = {plan, p, t, row + y, at(x.in, image * p.in_image), pad};
        for (size_t i = 0; i < across; ++i, ++tiles) {
            if (t.filter_height == 0) {
                line.find_taps(i * t.width, src + tiles * pixels);
            } else {
                line.find_region(i * t.width, src + tiles * pixels);
            }
            line.find_results(i * t.width, results + y * stride, stride, step, dst + tiles * outputs);
        }
    }

    const auto offset = reinterpret_cast<kai_get_packed_offset_fn*>(plan.ukernel->get_rhs_packed_offset);
    const char* filter = at(x.packed, offset(first, taps_of(p)));
    const size_t src_offset = first / multiplier_of(p) * element, dst_offset = direct ? first * element : 0;
    if (is_int8(p)) {
        const kai_matmul_requantize32_params params = {p.out_min, p.out_max, p.out_zero_point};
        reinterpret_cast<kai_run_dwconv_tiles_qai8_fn*>(plan.ukernel->run)(
            tiles, count, taps_of(p), multiplier_of(p), src, pad, src_offset, filter, dst, dst_offset, &params);
        return;
    }
    const float inf = __builtin_inff();
    reinterpret_cast<kai_run_dwconv_tiles_fn*>(plan.ukernel->run)(
        tiles, count, taps_of(p), multiplier_of(p), src, pad, src_offset, filter, dst, dst_offset,
        direct ? p.clamp_min : -inf, direct ? p.clamp_max : inf);
    if (direct) {
        return;
    }
    const void* bias = p.epilogue && p.bias ? at(x.packed, packed_of(plan).bias + first * sizeof(float)) : nullptr;
    for (size_t i = 0; i < height; ++i) {
        finish(
            plan, x, {first, count, bias}, {plan.ukernel->dst_type, results + i * stride, step, plan.out_width},
            out + i * p.out_row + first * size_of(p.out_type), p.out_pixel);
    }
}

}  // namespace kai::conv
