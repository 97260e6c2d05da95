// What the streaming packers of K x N sources (kai/asm/sme_pack_columns.inc) need to know.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/asm/sme_args.h"
#include "kai/src/getters.hpp"

namespace kai {
namespace {

/// Arguments of the kernels. The terms are those of sme_pack_columns.inc. `chunks` x `length` source rows.
struct Columns {
    size_t n, panels;
    size_t head_vectors;  // vectors of 32-bit words that the head of a panel has values
    size_t length;
    const void* src;
    size_t stride;
    void* dst;
    size_t panel_stride;  // bytes from panel to panel
    void* words;          // the first group of the first panel
    size_t step;          // bytes from a group to the next
    size_t gap, gap2;     // bytes from block 0 of a unit to block 1, and to block 2 (block 3: both)
    size_t units;         // of a panel, at least 1
    size_t hop;           // bytes from the last unit of a panel to the next one
    size_t room;          // bytes that all blocks take in a group
    size_t chunks;
    const void* bias;   // NULL: zeros
    const void* scale;  // of formats with a tail
    size_t tail;        // bytes from the start of a panel to its tail
    int32_t sum_scale;
    float multiplier;
    size_t line;     // columns of a source row; int4: bytes
    size_t padding;  // bytes of zeros before the tail
    uint64_t flip;   // int4: what makes two's complement of a byte of the source
};

#define KAI_CHECK_OFFSET(FIELD, OFFSET) static_assert(offsetof(Columns, FIELD) == KAI_COLUMNS_##OFFSET)
KAI_CHECK_OFFSET(n, N);
KAI_CHECK_OFFSET(panels, PANELS);
KAI_CHECK_OFFSET(head_vectors, HEAD_VECTORS);
KAI_CHECK_OFFSET(length, LENGTH);
KAI_CHECK_OFFSET(src, SRC);
KAI_CHECK_OFFSET(stride, SRC + 8);
KAI_CHECK_OFFSET(dst, DST);
KAI_CHECK_OFFSET(panel_stride, PANEL_STRIDE);
KAI_CHECK_OFFSET(words, WORDS);
KAI_CHECK_OFFSET(step, WORDS + 8);
KAI_CHECK_OFFSET(gap, GAP);
KAI_CHECK_OFFSET(gap2, GAP + 8);
KAI_CHECK_OFFSET(units, UNITS);
KAI_CHECK_OFFSET(hop, UNITS + 8);
KAI_CHECK_OFFSET(room, ROOM);
KAI_CHECK_OFFSET(chunks, ROOM + 8);
KAI_CHECK_OFFSET(bias, BIAS);
KAI_CHECK_OFFSET(scale, SCALE);
KAI_CHECK_OFFSET(tail, TAIL);
KAI_CHECK_OFFSET(sum_scale, SUM_SCALE);
KAI_CHECK_OFFSET(multiplier, MULTIPLIER);
KAI_CHECK_OFFSET(line, LINE);
KAI_CHECK_OFFSET(padding, PADDING);
KAI_CHECK_OFFSET(flip, FLIP);
#undef KAI_CHECK_OFFSET

/// `chunks` chunks of `length` rows, each padded to whole groups on its own. flip: see Columns.
struct ColumnSource {
    size_t n, chunks, length;
    const void* rhs;
    size_t stride;
    uint8_t flip = 0;
};

/// Where the panels go, `panel_stride` bytes apart, each of `blocks` blocks.
struct ColumnPanels {
    void* packed;
    size_t panel_stride, blocks;
};

/// The parts of bias' = bias + sum_scale * sum and scale' = scale * multiplier. Formats without scales: bias only.
struct ColumnFields {
    const void *bias, *scale;
    int32_t sum_scale;
    float multiplier;
};

/// How a format is cut up.
template <const Format& format>
struct ColumnGroups {
    static constexpr bool int4 = format.bits == 4;
    static constexpr size_t rows = int4 ? 4 : 32 / format.bits;  // of a group
    static constexpr size_t word_columns = int4 ? 2 : 1;         // that a word holds
    static constexpr size_t unit = format.bits <= 8 ? 4 : 2;     // blocks

    static constexpr size_t count(size_t k) {
        return (k + rows - 1) / rows;
    }
};

/// A kernel. It changes nothing but the panels.
using PackColumns = void(const Columns*);

template <const Format& format, PackColumns kernel>
void pack_columns(const ColumnSource& source, const ColumnPanels& to, const ColumnFields& fields) {
    using Groups = ColumnGroups<format>;
    if (source.n == 0) {
        return;
    }
    const size_t vector = kai_get_sme_vector_length_u8(), blocks = to.blocks;
    const size_t width = blocks * vector / 4 * Groups::word_columns;
    const size_t groups = source.chunks * Groups::count(source.length);
    Columns c;
    c.n = source.n;
    c.panels = (source.n + width - 1) >> __builtin_ctzll(width);  // vector lengths are powers of two
    c.head_vectors = blocks * Groups::word_columns;
    c.length = source.length;
    c.src = source.rhs;
    c.stride = source.stride;
    c.dst = to.packed;
    c.panel_stride = to.panel_stride;
    c.words = bytes(to.packed, width * format.panel_head);
    c.step = blocks * vector;
    c.gap = blocks == 1 ? c.panel_stride : vector;
    c.gap2 = blocks == 1 ? 2 * c.panel_stride : blocks == 2 ? c.panel_stride : 2 * vector;
    c.units = blocks < Groups::unit ? 1 : blocks / Groups::unit;
    c.hop = blocks < Groups::unit ? Groups::unit / blocks * c.panel_stride
                                  : c.panel_stride - (c.units - 1) * Groups::unit * vector;
    c.room = c.panels * c.step;
    c.chunks = source.length == 0 ? 0 : source.chunks;
    c.bias = fields.bias;
    c.scale = fields.scale;
    // int4 (no chunks) pads k further than to groups.
    c.padding = Groups::int4 ? (Groups::count(format.padded({width, 4, 1}, source.length)) - groups) * c.step : 0;
    c.tail = width * format.panel_head + groups * c.step + c.padding;
    c.sum_scale = fields.sum_scale;
    c.multiplier = fields.multiplier;
    c.line = (source.n + Groups::word_columns - 1) / Groups::word_columns;
    c.flip = source.flip;
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
void kai_kernel_pack_columns_qsi4_sme(const kai::Columns* columns);
void kai_kernel_pack_rows_qsi4_sme(const kai::Columns* columns);  // N x K source; ZA is committed
}
