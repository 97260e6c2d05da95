// What the streaming packers of K x N sources (kai/ukernels/pack/sme_pack_columns.S) need to know.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/asm/sme_args.h"
#include "kai/src/getters.hpp"

namespace kai {
namespace {

/// Arguments of kai_kernel_pack_columns_*_sme: n columns of `chunks` x `length` source rows. A block is V = SVL / 32
/// columns, a panel `blocks` of them; a unit is the blocks that one step loads.
struct Columns {
    size_t n, panels, blocks, length;
    const void* src;
    size_t stride;
    void* dst;
    size_t panel;      // bytes from panel to panel
    void* words;       // the first group of the first panel
    size_t step;       // bytes from a group to the next
    size_t gap, gap2;  // bytes from block 0 of a unit to block 1, and to block 2 (block 3: both)
    size_t units;      // of a panel, at least 1
    size_t hop;        // bytes from the last unit of a panel to the next one
    size_t room;       // bytes that all blocks take in a group
    size_t chunks;
    const void* bias;   // NULL: zeros
    const void* scale;  // qsi8
    size_t tail;        // bytes from the start of a panel to its tail
    int32_t sum_scale;
    float multiplier;
};

static_assert(offsetof(Columns, n) == KAI_COLUMNS_N);
static_assert(offsetof(Columns, panels) == KAI_COLUMNS_PANELS);
static_assert(offsetof(Columns, blocks) == KAI_COLUMNS_BLOCKS);
static_assert(offsetof(Columns, length) == KAI_COLUMNS_LENGTH);
static_assert(offsetof(Columns, src) == KAI_COLUMNS_SRC && offsetof(Columns, stride) == KAI_COLUMNS_SRC + 8);
static_assert(offsetof(Columns, dst) == KAI_COLUMNS_DST);
static_assert(offsetof(Columns, panel) == KAI_COLUMNS_PANEL);
static_assert(offsetof(Columns, words) == KAI_COLUMNS_WORDS && offsetof(Columns, step) == KAI_COLUMNS_WORDS + 8);
static_assert(offsetof(Columns, gap) == KAI_COLUMNS_GAP && offsetof(Columns, gap2) == KAI_COLUMNS_GAP + 8);
static_assert(offsetof(Columns, units) == KAI_COLUMNS_UNITS && offsetof(Columns, hop) == KAI_COLUMNS_UNITS + 8);
static_assert(offsetof(Columns, room) == KAI_COLUMNS_ROOM && offsetof(Columns, chunks) == KAI_COLUMNS_ROOM + 8);
static_assert(offsetof(Columns, bias) == KAI_COLUMNS_BIAS);
static_assert(offsetof(Columns, scale) == KAI_COLUMNS_SCALE);
static_assert(offsetof(Columns, tail) == KAI_COLUMNS_TAIL);
static_assert(offsetof(Columns, sum_scale) == KAI_COLUMNS_SUM_SCALE);
static_assert(offsetof(Columns, multiplier) == KAI_COLUMNS_MULTIPLIER);

/// K x N source: `chunks` chunks of `length` rows, each padded to whole groups on its own.
struct ColumnSource {
    size_t n, chunks, length;
    const void* rhs;
    size_t stride;
};

/// Where the panels go, `panel_stride` bytes apart.
struct ColumnPanels {
    void* packed;
    size_t panel_stride;
};

/// The parts of bias' = bias + sum_scale * sum and scale' = scale * multiplier. Formats without scales: bias only.
struct ColumnFields {
    const void *bias, *scale;
    int32_t sum_scale;
    float multiplier;
};

/// Blocks of a unit of a format: a row of words of 8-bit elements fills a vector with the columns of four blocks.
constexpr size_t unit_blocks(const Format& format) {
    return format.bits == 8 ? 4 : 2;
}

/// A kernel. It changes no state but the panels.
using PackColumns = void(const Columns*);

/// Packs panels of `blocks` blocks in `format`.
template <const Format& format, PackColumns kernel>
void pack_columns(const ColumnSource& source, const ColumnPanels& to, size_t blocks, const ColumnFields& fields) {
    if (source.n == 0) {
        return;
    }
    constexpr size_t kr = 32 / format.bits, unit = unit_blocks(format);
    const size_t vector = kai_get_sme_vector_length_u8(), width = blocks * vector / 4, step = blocks * vector;
    Columns c;
    c.n = source.n;
    c.panels = (source.n + width - 1) / width;
    c.blocks = blocks;
    c.length = source.length;
    c.src = source.rhs;
    c.stride = source.stride;
    c.dst = to.packed;
    c.panel = to.panel_stride;
    c.words = bytes(to.packed, width * format.panel_head);
    c.step = step;
    c.gap = blocks == 1 ? c.panel : vector;
    c.gap2 = blocks == 1 ? 2 * c.panel : blocks == 2 ? c.panel : 2 * vector;
    c.units = blocks < unit ? 1 : blocks / unit;
    c.hop = blocks < unit ? unit / blocks * c.panel : c.panel - (c.units - 1) * unit * vector;
    c.room = c.panels * step;
    c.chunks = source.length == 0 ? 0 : source.chunks;
    c.bias = fields.bias;
    c.scale = fields.scale;
    c.tail = width * format.panel_head + source.chunks * ((source.length + kr - 1) / kr) * step;
    c.sum_scale = fields.sum_scale;
    c.multiplier = fields.multiplier;
    kernel(&c);
}

}  // namespace
}  // namespace kai

extern "C" {
void kai_kernel_pack_columns_x32_sme(const kai::Columns* columns);
void kai_kernel_pack_columns_x16_sme(const kai::Columns* columns);
void kai_kernel_pack_columns_bf16_sme(const kai::Columns* columns);
void kai_kernel_pack_columns_x8_sme(const kai::Columns* columns);
void kai_kernel_pack_columns_qsi8_sme(const kai::Columns* columns);
}
