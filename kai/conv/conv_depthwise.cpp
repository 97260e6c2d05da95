// Depthwise convolution: one channel of the input for each group.
//
// A unit is some rows of tiles of an image, and a part of the channels. The micro-kernel finds the pixels of a tile and
// the places of its results through tables of pointers.
//
// The packed filter: panels, as the packer of the kernel makes them; with an epilogue the bias, f32; a tag.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/conv/conv.hpp"
#include "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h"

namespace kai::conv {
namespace {

/// Channels of a part, at least: below, what a tile needs before takes longer than sums.
constexpr size_t kFewChannels = 64;
/// Tiles of a call of the micro-kernel, at most: calls with SME change to streaming mode and back.
constexpr size_t kTilesOfCall = 8;
/// Results of a unit that wait for the epilogue, at most, unless a row of tiles has more: they stay in the L1 cache.
constexpr size_t kResultBytes = size_t{16} << 10;

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
size_t tiles_down(const Plan& plan) {
    return divide_up(plan.out_height, tile_of(plan).height);
}

/// How much a worker with an SME unit does in the time in which one with NEON does 1: predicted multiply-adds per cycle
/// of c1-ultra-sme over those of neoverse-v2, at the same clock, 3 x 3 taps, stride 1.
double sme_rate(const Problem& p) {
    return is_int8(p) ? 59.5 / 9.8 : 28.7 / 11.6;
}

bool uses_sme(const kai_ukernel& u) {
    return (kai::run_features(u) & gemm::kSme) != 0;
}

size_t workers_of(const Problem& p, const kai_ukernel& u) {
    return uses_sme(u) ? min(p.units, p.sme_units) : p.units;
}

/// What all workers with SME do in that time. Vectors that are not full take as long.
double sme_speed(const Problem& p, const kai_ukernel& u) {
    const double full = real(p.out_channels) / real(round_up(p.out_channels, u.get_nr()));
    return real(workers_of(p, u)) * sme_rate(p) * full;
}

/// SME is worth it if its workers do more than all do without. Weights of another plan are packed for its kernel.
bool takes_sme(const Problem& p, const kai_ukernel& u) {
    return p.weights_of != nullptr ? p.weights_of->ukernel == &u && p.sme_units > 0 : sme_speed(p, u) > real(p.units);
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

const kai_ukernel* find_kernel(const Problem& p, bool with_sme) {
    const kai_cpu_core core = p.core != KAI_CORE_AUTO ? p.core : kai_cpu_fastest_core().core;
    for (size_t i = 0; const kai_ukernel* u = kai_registry_ukernel_for(core, i); ++i) {
        if (uses_sme(*u) == with_sme && suits(p, *u)) {
            return u;
        }
    }
    return nullptr;
}

const kai_ukernel* choose_kernel(const Problem& p) {
    const kai_ukernel* sme = find_kernel(p, true);
    return sme != nullptr && takes_sme(p, *sme) ? sme : find_kernel(p, false);
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

/// Part of an image: rows of the output from one on, and some channels.
struct Unit {
    const Plan& plan;
    const Problem& p;
    const kai_dwconv_tile& t;
    size_t image, row, height, first, channels;

    size_t source_row(size_t y) const {
        return y * p.stride_height - p.pad_top;
    }
    size_t source_column(size_t x) const {
        return x * p.stride_width - p.pad_left;
    }
    /// Whether all pixels of the tile at a result exist; then all of its results do.
    bool is_inside(size_t y, size_t x) const {
        const size_t top = source_row(y), left = source_column(x);  // above or left of the image: large numbers
        const size_t rows = (t.height - 1) * p.stride_height + (p.kernel_height - 1) * p.dilation_height,
                     columns = (t.width - 1) * p.stride_width + (p.kernel_width - 1) * p.dilation_width;
        return top < p.height && left < p.width && top + rows < p.height && left + columns < p.width;
    }
};

Unit unit_of(const Plan& plan, size_t index) {
    const Problem& p = plan.problem;
    const size_t down = divide_up(plan.out_height, plan.tile_rows), row = index % down * plan.tile_rows;
    const size_t first = index / down / p.batch * plan.part_columns;
    return {plan,          p,
            tile_of(plan), index / down % p.batch,
            row,           min(plan.tile_rows, plan.out_height - row),
            first,         min(plan.part_columns, p.out_channels - first)};
}

/// The image at its row `top` and column `left`, `pad` outside.
struct Source {
    const Unit& u;
    const char *in, *pad;
    size_t top, left;

    /// Writes pointers to `count` pixels of row y from column x on.
    const void** find_row(size_t y, size_t x, size_t count, const void** table) const {
        const size_t columns = top + y < u.p.height ? u.p.width : 0;
        size_t offset = (top + y) * u.p.in_row + (left + x) * u.p.in_pixel;
        for (; count > 0; --count, ++x, offset += u.p.in_pixel) {
            *table++ = left + x < columns ? in + offset : pad;
        }
        return table;
    }
};

/// The pixels of a tile: all that its results read, row by row; or those of each tap and result.
void find_pixels(const Source& s, const void** table) {
    const Problem& p = s.u.p;
    const kai_dwconv_tile& t = s.u.t;
    if (t.filter_height != 0) {
        const size_t height = (t.height - 1) * t.stride + t.filter_height,
                     width = (t.width - 1) * t.stride + t.filter_width;
        for (size_t y = 0; y < height; ++y) {
            table = s.find_row(y, 0, width, table);
        }
        return;
    }
    for (size_t tap = 0; tap < taps_of(p); ++tap) {
        const size_t y = tap / p.kernel_width * p.dilation_height, x = tap % p.kernel_width * p.dilation_width;
        for (size_t i = 0; i < t.height * t.width; ++i) {
            table = s.find_row(i / t.width * p.stride_height + y, i % t.width * p.stride_width + x, 1, table);
        }
    }
}

/// Where results of a unit go: rows of `row` bytes, pixels of `pixel`.
struct Results {
    char* first;
    size_t row, pixel;

    size_t offset(size_t y, size_t x) const {
        return y * row + x * pixel;
    }
};

/// The results of a tile at row y, column x of the unit. Those that are not wanted go where the first one goes, which
/// is stored last.
void find_results(const Unit& u, const Results& r, size_t y, size_t x, void** table) {
    void* const first = r.first + r.offset(y, x);
    for (size_t row = y; row < y + u.t.height; ++row) {
        const size_t columns = row < u.height ? u.plan.out_width : 0;
        for (size_t column = x; column < x + u.t.width; ++column) {
            *table++ = column < columns ? r.first + r.offset(row, column) : first;
        }
    }
}

/// Tables of several tiles, and what is added to their pointers.
struct Tiles {
    const void** src;
    void** dst;
    size_t count;
    const char* pad;  ///< NULL: there is none in the table
    size_t src_offset, dst_offset;
};

void run_tiles(const Unit& u, const char* filter, const Tiles& tiles) {
    const Problem& p = u.p;
    const kai_ukernel& k = *u.plan.ukernel;
    if (is_int8(p)) {
        const kai_matmul_requantize32_params params = {p.out_min, p.out_max, p.out_zero_point};
        reinterpret_cast<kai_run_dwconv_tiles_qai8_fn*>(k.run)(
            tiles.count, u.channels, taps_of(p), multiplier_of(p), tiles.src, tiles.pad, tiles.src_offset, filter,
            tiles.dst, tiles.dst_offset, &params);
        return;
    }
    const bool direct = is_direct(p, k.dst_type);
    const float inf = __builtin_inff();
    reinterpret_cast<kai_run_dwconv_tiles_fn*>(k.run)(
        tiles.count, u.channels, taps_of(p), multiplier_of(p), tiles.src, tiles.pad, tiles.src_offset, filter,
        tiles.dst, tiles.dst_offset, direct ? p.clamp_min : -inf, direct ? p.clamp_max : inf);
}

/// All tiles of a unit. Neighbours within the image share their tables, which are of those in the corner of the image:
/// their distance from it is an offset. Tiles at the edge have tables of their own and wait for others.
void run_unit(const Unit& u, const char* in, const char* pad, const char* filter, const Results& to, char* slot) {
    const size_t pixels = table_pixels(u.p, u.t), outputs = u.t.height * u.t.width;
    auto** src = reinterpret_cast<const void**>(slot + u.plan.slot_table);
    auto** dst = reinterpret_cast<void**>(slot + u.plan.slot_rows);
    Tiles inside = {src, dst, 0, nullptr, 0, 0};
    Tiles edge = {src + kTilesOfCall * pixels, dst + kTilesOfCall * outputs, 0, pad, 0, 0};
    const size_t across = min(kTilesOfCall, divide_up(u.plan.out_width, u.t.width));
    for (size_t i = 0; i < across; ++i) {
        find_pixels({u, in, pad, 0, i * u.t.width * u.p.stride_width}, src + i * pixels);
        find_results(u, to, 0, i * u.t.width, dst + i * outputs);
    }
    for (size_t y = 0; y < u.height; y += u.t.height) {
        const size_t top = u.source_row(u.row + y);
        for (size_t x = 0; x < u.plan.out_width; x += u.t.width) {
            const size_t left = u.source_column(x);
            for (inside.count = 0; inside.count < across; ++inside.count) {
                if (!u.is_inside(u.row + y, x + inside.count * u.t.width)) {
                    break;
                }
            }
            if (inside.count > 0) {
                inside.src_offset = top * u.p.in_row + left * u.p.in_pixel, inside.dst_offset = to.offset(y, x);
                run_tiles(u, filter, inside);
                x += (inside.count - 1) * u.t.width;
                continue;
            }
            find_pixels({u, in, pad, top, left}, edge.src + edge.count * pixels);
            find_results(u, to, y, x, edge.dst + edge.count * outputs);
            if (++edge.count == kTilesOfCall) {
                run_tiles(u, filter, edge);
                edge.count = 0;
            }
        }
    }
    if (edge.count > 0) {
        run_tiles(u, filter, edge);
    }
}

}  // namespace

Violation plan_depthwise(Plan& plan) {
    const Problem& p = plan.problem;
    const bool fits = is_int8(p) || (p.kind == KAI_GEMM_DENSE && p.weight_type == p.in_type);
    if (group_inputs(p) != 1 || p.groups == 1 || p.transposed || !fits) {
        return wrong(
            KAI_GEMM_BAD_COMBINATION, say::other_path, name_of(plan.path),
            "groups of one channel of the input, f32, f16 or static int8");
    }
    plan.ukernel = choose_kernel(p);
    if (plan.ukernel == nullptr) {
        return wrong(KAI_GEMM_UNSUPPORTED, say::other_path, name_of(plan.path), "a micro-kernel for these types");
    }
    plan.workers = workers_of(p, *plan.ukernel);
    plan.tap_channels = 1;
    // Channels are divided where rows of tiles are few. Parts begin at panels; with a multiplier there is one part.
    const size_t units = p.batch * tiles_down(plan), nr = plan.ukernel->get_nr();
    const size_t wanted = multiplier_of(p) == 1 ? divide_up(2 * plan.workers, max(units, 1)) : 1;
    plan.parts = max(min(wanted, p.out_channels / kFewChannels), 1);
    plan.part_columns = round_up(divide_up(p.out_channels, plan.parts), plan.parts == 1 ? 1 : nr);
    plan.parts = divide_up(p.out_channels, plan.part_columns);
    const size_t element = size_of(plan.ukernel->dst_type);
    const bool direct = is_direct(p, plan.ukernel->dst_type);
    const size_t row_bytes = tile_of(plan).height * plan.out_width * plan.part_columns * element;
    const size_t shared = plan.workers == 1 ? tiles_down(plan) : units * plan.parts / (4 * plan.workers);
    const size_t rows = max(min(direct ? shared : min(kResultBytes / row_bytes, shared), tiles_down(plan)), 1);
    plan.tile_rows = rows * tile_of(plan).height;

    // Two tables: of tiles within the image, and of those at its edge.
    size_t slot = 0, end = 0;
    plan.slot_table = place(slot, 2 * kTilesOfCall * table_pixels(p, tile_of(plan)) * sizeof(void*));
    plan.slot_rows = place(slot, 2 * kTilesOfCall * plan.ukernel->get_m_step() * sizeof(void*));
    plan.slot_product = place(slot, direct ? 0 : plan.tile_rows * plan.out_width * plan.part_columns * element);
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

DepthwiseSme depthwise_sme(const Plan& plan) {
    const Problem& p = plan.problem;
    const kai_ukernel* u = p.sme_units > 0 ? find_kernel(p, true) : nullptr;
    return u != nullptr ? DepthwiseSme{u, workers_of(p, *u), sme_speed(p, *u)} : DepthwiseSme{};
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
    const Unit u = unit_of(plan, unit);
    const kai_datatype type = plan.ukernel->dst_type;
    const size_t element = size_of(type), channel = u.first / multiplier_of(p) * element;
    char* out = at(x.out, u.image * p.out_image + u.row * p.out_row + u.first * size_of(p.out_type));

    const bool direct = is_direct(p, type);
    const size_t pixel = direct ? p.out_pixel : u.channels * element;
    const Results results = {
        direct ? out : slot + plan.slot_product, direct ? p.out_row : plan.out_width * pixel, pixel};
    const auto offset = reinterpret_cast<kai_get_packed_offset_fn*>(plan.ukernel->get_rhs_packed_offset);
    run_unit(
        u, at(x.in, u.image * p.in_image + channel), at(w.workspace, plan.pad),
        at(x.packed, offset(u.first, taps_of(p))), results, slot);
    if (direct) {
        return;
    }
    const void* bias = p.epilogue && p.bias ? at(x.packed, packed_of(plan).bias + u.first * sizeof(float)) : nullptr;
    for (size_t i = 0; i < u.height; ++i) {
        finish(
            plan, x, {u.first, u.channels, bias}, {type, results.first + i * results.row, pixel, plan.out_width},
            out + i * p.out_row, p.out_pixel);
    }
}

}  // namespace kai::conv
