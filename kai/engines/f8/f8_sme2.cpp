// f32 <- bf16p x FP8 with BFMOPA: panels of 4 V columns, V = SVL / 32.
//
//     for each panel of the RHS
//         for each part of k: decode it to bf16 on the stack, exactly; multiply all rows, scale, add: f8_sme2_mopa.S
//
// Sums wait in dst for the next block and the next part of k.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/f8/f8_sme2_panels.hpp"

#include "kai/engines/core/f8.hpp"

extern "C" {
void kai_panel_f8e4m3_sme2(const kai::F8PanelArgs*);
void kai_panel_f8e5m2_sme2(const kai::F8PanelArgs*);
}

namespace kai {
namespace {

constexpr size_t kWeightBytes = 32768;  // of a part of a panel as bf16

/// The bits of a code without its sign as a bf16. NaN of E4M3 becomes 480: panels that have one have a NaN among their
/// scales.
constexpr unsigned bf16_bits(F8Type type, unsigned code) {
    const unsigned hidden = 1U << type.fraction;
    unsigned fraction = code & (hidden - 1);
    int exponent = static_cast<int>(code >> type.fraction);
    if (type.has_infinities && exponent == (1 << type.exponent) - 1) {
        return 0x7F80U | (fraction != 0 ? 0x40U : 0U);
    }
    if (exponent == 0) {
        if (fraction == 0) {
            return 0;
        }
        for (exponent = 1; fraction < hidden; fraction <<= 1) {
            --exponent;
        }
        fraction -= hidden;
    }
    const int bias = 127 - (1 << (type.exponent - 1)) + 1;
    return static_cast<unsigned>(exponent + bias) << 7 | fraction << (7 - type.fraction);
}

/// A format: bytes of bf16 by the index of a code, which is `first` more than that, modulo 128.
struct F8Panels {
    uint8_t low[128], high[128];
    void (*run)(const F8PanelArgs*);

    constexpr F8Panels(F8Type type, unsigned first, void (*run)(const F8PanelArgs*)) : low{}, high{}, run(run) {
        for (unsigned code = 0; code < 128; ++code) {
            const unsigned bits = bf16_bits(type, code), index = (code + first) % 128;
            low[index] = static_cast<uint8_t>(bits), high[index] = static_cast<uint8_t>(bits >> 8);
        }
    }
};
constexpr F8Panels kE4m3(f8e4m3, 0, kai_panel_f8e4m3_sme2), kE5m2(f8e5m2, 4, kai_panel_f8e5m2_sme2);

[[gnu::noinline]] void multiply_panels(const F8Problem& p, const F8Panels& format) {
    [[gnu::aligned(64)]] uint8_t weights[kWeightBytes];
    const size_t rows = p.nr / 4, most = kWeightBytes / (p.nr * sizeof(uint16_t));
    F8PanelArgs args;
    start_panels(p, p.k * sizeof(uint16_t), args);
    args.next_block = p.block_bytes();
    args.tables = &format, args.weights = weights;
    for (size_t n = 0; n < p.n; n += p.nr) {
        const uint8_t* panel = go_to_panel(p, n, args);
        for (size_t at = 0; at < p.k;) {
            const F8Part part(p, at, most);
            const uint8_t* block = panel + at / p.bl * p.block_bytes();
            const bool last = part.end(at) == p.k;
            args.lhs = p.lhs + at * rows * sizeof(uint16_t);
            args.blocks = part.blocks, args.groups = part.groups();
            args.rhs = block + at % p.bl * p.nr, args.scales = block + p.bl * p.nr;
            args.start = at == 0 ? panel + p.bias_at() : args.dst;
            args.start_step = at == 0 ? 0 : p.dst_stride;
            args.lo = last ? p.lo : -__builtin_inff(), args.hi = last ? p.hi : __builtin_inff();
            format.run(&args);
            at = part.end(at);
        }
    }
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_PANELS(...) KAI_DEFINE_F8(RHS_BL, kai::multiply_panels, __VA_ARGS__)
#define KAI_ISA_sme2 KAI_LINES(KAI_DEFINE_PANELS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE4m3, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e4m3c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE5m2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_bf16p_f8e5m2c32p/ukernels.def"

}  // extern "C"
