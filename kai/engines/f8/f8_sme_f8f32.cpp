// f32 <- FP8 x FP8 with FMOPA of FEAT_SME_F8F32 (f8_sme_f8f32_mopa.S): panels of 4 V columns, V = SVL / 32.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/f8/f8_sme2_panels.hpp"

extern "C" void kai_panel_f8_sme_f8f32(const kai::F8PanelArgs*);

namespace kai {
namespace {

/// FPMR: the formats of FMOPA's first operand, the LHS, and of its second one. No scale.
constexpr uint64_t kLhsE4m3 = 1, kE5m2 = 0, kE4m3 = 1 << 3;

[[gnu::noinline]] void multiply_codes(const F8Problem& p, uint64_t rhs_format) {
    F8PanelArgs args;
    start_panels(p, p.k / p.bl * (p.bl + sizeof(float)), args);
    args.fpmr = kLhsE4m3 | rhs_format;
    args.blocks = p.k / p.bl, args.groups = p.bl / kF8Group;
    args.lhs = p.lhs;
    args.start_step = 0, args.lo = p.lo, args.hi = p.hi;
    for (size_t n = 0; n < p.n; n += p.nr) {
        const uint8_t* panel = go_to_panel(p, n, args);
        args.rhs = panel, args.start = panel + p.bias_at();
        kai_panel_f8_sme_f8f32(&args);
    }
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_CODES(...) KAI_DEFINE_F8(BL, kai::multiply_codes, __VA_ARGS__)
#define KAI_ISA_sme_f8f32 KAI_LINES(KAI_DEFINE_CODES)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE4m3, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f8e4m3d32p_f8e4m3c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, kai::kE5m2, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f8e4m3d32p_f8e5m2c32p/ukernels.def"

}  // extern "C"
