// f32 <- FP8 x FP8 with FDOT (f8_neon_fp8dot4.S): 8 rows or one times panels of 12 columns.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/f8/f8_panels.hpp"

namespace kai {
namespace {

KAI_STRUCT(F8DotArgs, KAI_F8_DOT_ARGS);

}  // namespace
}  // namespace kai

extern "C" {
void kai_tile_f8_8x12_neon_fp8dot4(const kai::F8DotArgs*);
void kai_row_f8_1x12_neon_fp8dot4(const kai::F8DotArgs*);
}

namespace kai {
namespace {

/// FPMR: the formats of FDOT's first operand, the RHS, and of its second one. No scale.
constexpr uint64_t kE5m2 = 0, kE4m3 = 1, kLhsE4m3 = 1 << 3;

struct F8Dot {
    uint64_t rhs_format;
    size_t rows;
    void (*run)(const F8DotArgs*);
};
constexpr F8Dot dot_of(uint64_t rhs_format, size_t mr) {
    return {rhs_format, mr, mr == 1 ? kai_row_f8_1x12_neon_fp8dot4 : kai_tile_f8_8x12_neon_fp8dot4};
}

[[gnu::noinline]] void multiply_dot(const F8Problem& p, const F8Dot& tile) {
    const size_t lhs_panel = tile.rows * p.k / p.bl * (p.bl + sizeof(float));
    float edge[8][kF8Columns];
    F8DotArgs args;
    p.get_bounds(args.bounds);
    args.fpmr = kLhsE4m3 | tile.rhs_format;
    args.blocks = p.k / p.bl, args.groups = p.bl / kF8Group;
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

extern "C" {

#define KAI_DEFINE_DOT(FORMAT, NAME, LHS, RHS, MR, ...) \
    KAI_DEFINE_F8(BL, kai::multiply_dot, kai::dot_of(FORMAT, MR), NAME, LHS, RHS, MR, __VA_ARGS__)
#define KAI_ISA_neon_fp8dot4 KAI_LINES(KAI_DEFINE_DOT)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE4m3, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f8e4m3d32p_f8e4m3c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE5m2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p/ukernels.def"

}  // extern "C"
