// One row of bf16 times FP8: what the kernels with FMLAL and FMLA share. They multiply floats that stand for weights
// times a power of 2, since that takes fewer instructions, and a row that is times another one.
//
//     for each 4096 k
//         row to floats, on the stack
//         for each 12 columns, a panel, or 16 columns of a panel of SME: multiply, scale, add
//
// Sums wait in dst for the next part of k.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/core/f8.hpp"
#include "kai/engines/f8/f8_panels.hpp"

namespace kai {
namespace {

KAI_STRUCT(F8RowArgs, KAI_F8_ROW_ARGS);

constexpr size_t kRowDepth = 4096;  // k of a part
constexpr size_t kStrip = 16;       // columns of a panel of SME that are multiplied at once

/// A format: its functions; the float of a weight is 2^-exponent of it; the largest element of a row becomes 2^most.
struct F8Row {
    void (*panel)(const F8RowArgs*);
    void (*strip)(const F8RowArgs*);  // NULL: no panels of SME
    int exponent, most;
};

/// The exponent that brings the largest finite element of a row to 2^most; at most 126.
[[gnu::noinline]] int exponent_for(const uint8_t* row, size_t k, int most) {
    uint16x4_t largest = vdup_n_u16(0);
    for (size_t i = 0; i < k; i += kF8Group) {
        const uint16x4_t x = vand_u16(load<uint16x4_t>(row + i * sizeof(uint16_t)), vdup_n_u16(0x7FFF));
        largest = vmax_u16(largest, vand_u16(x, vclt_u16(x, vdup_n_u16(0x7F80))));
    }
    const int exponent = most + 127 - (vmaxv_u16(largest) >> 7);
    return exponent < 126 ? exponent : 126;
}

/// The FPCR of the caller, but subnormal numbers are not flushed: many weights are, as floats. flag: FZ or FZ16.
class SubnormalNumbers {
    uint64_t flag, before;

    static void set(uint64_t fpcr) {
        __asm__ volatile("msr fpcr, %0" ::"r"(fpcr) : "memory");
    }

public:
    static constexpr uint64_t kOfHalves = 1U << 19, kOfSingles = 1U << 24;

    explicit SubnormalNumbers(uint64_t flag) : flag(flag) {
        __asm__ volatile("mrs %0, fpcr" : "=r"(before)::"memory");
        if ((before & flag) != 0) {
            set(before & ~flag);
        }
    }
    ~SubnormalNumbers() {
        if ((before & flag) != 0) {
            set(before);
        }
    }
    SubnormalNumbers(const SubnormalNumbers&) = delete;
    SubnormalNumbers& operator=(const SubnormalNumbers&) = delete;
};

/// A part of k of all columns. args: the row and what it stands for, the bounds.
KAI_INLINE void multiply_row_part(
    const F8Problem& p, const F8Row& format, size_t at, const F8Part& part, F8RowArgs& args) {
    float edge[kStrip];
    const bool is_of_sme = p.nr != kF8Columns;
    const size_t strip = is_of_sme ? kStrip : kF8Columns;
    const auto run = is_of_sme ? format.strip : format.panel;
    args.blocks = part.blocks, args.groups = part.groups();
    args.next_scales = p.block_bytes(), args.next_group = p.nr * kF8Group;
    for (size_t n = 0; n < p.n; n += strip) {
        const size_t columns = p.n - n < strip ? p.n - n : strip, column = n % p.nr;
        const uint8_t* panel = p.rhs + n / p.nr * p.panel_bytes();
        const uint8_t* block = panel + at / p.bl * p.block_bytes();
        uint8_t* dst = p.dst + n * sizeof(float);
        uint8_t* sums = columns < strip ? bytes(edge) : dst;
        if (at != 0 && sums != dst) {
            __builtin_memcpy(sums, dst, columns * sizeof(float));
        }
        args.panel = block + at % p.bl * p.nr + column * kF8Group;
        args.scales = block + p.bl * p.nr + column * sizeof(float);
        args.start = at == 0 ? panel + p.bias_at() + column * sizeof(float) : sums;
        args.dst = sums;
        run(&args);
        if (sums != dst) {
            __builtin_memcpy(dst, sums, columns * sizeof(float));
        }
    }
}

/// row: space for a part. widen(from, k, by, row): k elements of bf16, times `by`, as the assembly reads them.
template <typename Widen>
KAI_INLINE void multiply_row(const F8Problem& p, const F8Row& format, void* row, Widen widen) {
    const int exponent = exponent_for(p.lhs, p.k, format.most);
    F8RowArgs args;
    args.row = row;
    args.unit = power_of_2(format.exponent - exponent);
    for (size_t at = 0; at < p.k;) {
        const F8Part part(p, at, kRowDepth);
        p.get_bounds(args.bounds, part.end(at) == p.k);
        widen(p.lhs + at * sizeof(uint16_t), part.end(at) - at, power_of_2(exponent));
        multiply_row_part(p, format, at, part, args);
        at = part.end(at);
    }
}

}  // namespace
}  // namespace kai
