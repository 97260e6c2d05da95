// f32 <- f32 x f32, neither packed, with SVE: the work is in plain_sve.S and plain_sve_nxk.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/plain/plain_sve.hpp"

extern "C" kai::PlainSveFn kai_panel_f32_f32_f32kxn_1x16vl_sve_mla, kai_panel_f32_f32_f32kxn_2x8vl_sve_mla,
    kai_panel_f32_f32_f32kxn_6x4vl_sve_mla, kai_panel_f32_f32_f32kxn_6x3vl_sve_mla,
    kai_panel_f32_f32_f32kxn_6x2vl_sve_mla, kai_panel_f32_f32_f32kxn_6x1vl_sve_mla,
    kai_plain_f32_f32_f32nxk_6x4_sve_mla;

namespace kai {
namespace {

struct F32 {
    static constexpr PlainSvePanels kKxn = {
        kai_panel_f32_f32_f32kxn_1x16vl_sve_mla, kai_panel_f32_f32_f32kxn_2x8vl_sve_mla,
        kai_panel_f32_f32_f32kxn_6x4vl_sve_mla,  kai_panel_f32_f32_f32kxn_6x3vl_sve_mla,
        kai_panel_f32_f32_f32kxn_6x2vl_sve_mla,  kai_panel_f32_f32_f32kxn_6x1vl_sve_mla};
    static constexpr PlainSveFn* kNxk = kai_plain_f32_f32_f32nxk_6x4_sve_mla;

    KAI_INLINE static uint32_t bits(float x) {
        return load<uint32_t>(&x);
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_MATMUL_PLAIN_F32(...) KAI_DEFINE_MATMUL_PLAIN_SVE(kai::F32, __VA_ARGS__)
#define KAI_ISA_sve KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_F32)
#define KAI_UKERNEL_PLAIN KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32kxn/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32nxk/ukernels.def"

}  // extern "C"
