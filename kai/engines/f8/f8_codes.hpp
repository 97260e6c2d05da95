// FP8 x FP8 in NEON registers: 8 rows or one times panels of 12 columns.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/f8/f8_panels.hpp"

namespace kai {
namespace {

KAI_STRUCT(F8CodesArgs, KAI_F8_CODES_ARGS);

struct F8Codes {
    uint64_t fpmr;       // formats
    size_t rows, group;  // k that lie side by side
    void (*run)(const F8CodesArgs*);
};

[[gnu::noinline]] void multiply_codes(const F8Problem& p, const F8Codes& tile) {
    const size_t lhs_panel = tile.rows * p.k / p.bl * (p.bl + sizeof(float));
    float edge[8][kF8Columns];
    F8CodesArgs args;
    p.get_bounds(args.bounds);
    args.fpmr = tile.fpmr;
    args.blocks = p.k / p.bl, args.groups = p.bl / tile.group;
    args.start_step = 0;
    for (size_t n = 0; n < p.n; n += kF8Columns) {
        const size_t columns = p.n - n < kF8Columns ? p.n - n : kF8Columns;
        args.rhs = p.rhs + n / kF8Columns * p.panel_bytes();
        args.start = bytes(args.rhs) + p.bias_at();
        args.lhs = p.lhs;
        for (size_t m = 0; m < p.m; m += tile.rows, args.lhs = bytes(args.lhs) + lhs_panel) {
            const size_t rows = p.m - m < tile.rows ? p.m - m : tile.rows;
            const bool whole = rows == tile.rows && columns == kF8Columns;
            uint8_t* dst = p.dst + m * p.dst_stride + n * sizeof(float);
            args.dst = whole ? dst : bytes(edge);
            args.dst_step = whole ? p.dst_stride : sizeof(edge[0]);
            tile.run(&args);
            for (size_t r = 0; !whole && r < rows; ++r, dst += p.dst_stride) {
                __builtin_memcpy(dst, edge[r], columns * sizeof(float));
            }
        }
    }
}

}  // namespace
}  // namespace kai
