// f32 <- bf16p x FP8 with FMLAL, one row: weights become f16, exactly (f8_neon_fhm_row.S).
//
// So does the row, but for elements below 2^-28 of the largest one, which are rounded: it is multiplied by a power of 2
// that brings the largest one to 2^14.
//
//     for each 4096 k
//         row to f16, on the stack; for each 12 columns, a panel, or 16 columns of a panel of SME: multiply, scale, add
//
// Sums wait in dst for the next part of k.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/f8.hpp"
#include "kai/engines/f8/f8_panels.hpp"

namespace kai {
namespace {

KAI_STRUCT(F8RowArgs, KAI_F8_ROW_ARGS);

}  // namespace
}  // namespace kai

extern "C" {
void kai_row_f8e4m3_1x12_neon_fhm(const kai::F8RowArgs*);
void kai_row_f8e5m2_1x12_neon_fhm(const kai::F8RowArgs*);
void kai_row_f8e4m3_1x16_neon_fhm(const kai::F8RowArgs*);
void kai_row_f8e5m2_1x16_neon_fhm(const kai::F8RowArgs*);
}

namespace kai {
namespace {

constexpr size_t kDepth = 4096;  // k of a part
constexpr size_t kStrip = 16;    // columns of a panel of SME that are multiplied at once

/// exponent: the f16 of a weight is 2^-exponent of it.
struct F8Row {
    void (*panel)(const F8RowArgs*);
    void (*strip)(const F8RowArgs*);
    int exponent;
};
constexpr F8Row kE4m3 = {kai_row_f8e4m3_1x12_neon_fhm, kai_row_f8e4m3_1x16_neon_fhm, 8};
constexpr F8Row kE5m2 = {kai_row_f8e5m2_1x12_neon_fhm, kai_row_f8e5m2_1x16_neon_fhm, 0};

/// The exponent that brings the largest finite element of a row to 2^14: -113 to 126.
[[gnu::noinline]] int exponent_for(const uint8_t* row, size_t k) {
    uint16x4_t most = vdup_n_u16(0);
    for (size_t i = 0; i < k; i += kF8Group) {
        const uint16x4_t x = vand_u16(load<uint16x4_t>(row + i * sizeof(uint16_t)), vdup_n_u16(0x7FFF));
        most = vmax_u16(most, vand_u16(x, vclt_u16(x, vdup_n_u16(0x7F80))));
    }
    const int exponent = 14 + 127 - (vmaxv_u16(most) >> 7);
    return exponent < 126 ? exponent : 126;
}

/// k elements times `by` as f16, each 4 of them twice.
[[gnu::noinline]] void widen_row(const uint8_t* row, size_t k, float by, uint16_t* to) {
    for (size_t i = 0; i < k; i += kF8Group, to += 2 * kF8Group) {
        const float32x4_t x = vreinterpretq_f32_u32(vshll_n_u16(load<uint16x4_t>(row + i * sizeof(uint16_t)), 16));
        const float16x4_t half = vcvt_f16_f32(vmulq_n_f32(x, by));
        store(bytes(to), vcombine_f16(half, half));
    }
}

/// The FPCR of the caller, but f16 may be subnormal: many weights are, as f16.
class SubnormalHalves {
    static constexpr uint64_t kFlushHalves = 1U << 19;
    uint64_t before;

    static void set(uint64_t fpcr) {
        __asm__ volatile("msr fpcr, %0" ::"r"(fpcr) : "memory");
    }

public:
    SubnormalHalves() {
        __asm__ volatile("mrs %0, fpcr" : "=r"(before)::"memory");
        if ((before & kFlushHalves) != 0) {
            set(before & ~kFlushHalves);
        }
    }
    ~SubnormalHalves() {
        if ((before & kFlushHalves) != 0) {
            set(before);
        }
    }
    SubnormalHalves(const SubnormalHalves&) = delete;
    SubnormalHalves& operator=(const SubnormalHalves&) = delete;
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

[[gnu::noinline]] void multiply_row(const F8Problem& p, const F8Row& format) {
    const SubnormalHalves subnormal_halves;
    [[gnu::aligned(16)]] uint16_t row[2 * kDepth];
    const int exponent = exponent_for(p.lhs, p.k);
    F8RowArgs args;
    args.row = row;
    args.unit = power_of_2(format.exponent - exponent);
    for (size_t at = 0; at < p.k;) {
        const F8Part part(p, at, kDepth);
        p.get_bounds(args.bounds, part.end(at) == p.k);
        widen_row(p.lhs + at * sizeof(uint16_t), part.end(at) - at, power_of_2(exponent), row);
        multiply_row_part(p, format, at, part, args);
        at = part.end(at);
    }
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_ROW(...) KAI_DEFINE_F8(RHS_BL, kai::multiply_row, __VA_ARGS__)
#define KAI_ISA_neon_fhm KAI_LINES(KAI_DEFINE_ROW)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE4m3, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e4m3c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE5m2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e5m2c32p/ukernels.def"

}  // extern "C"
