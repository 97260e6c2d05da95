// f16 <- f16 x f16, neither packed, with SVE: the work is in plain_sve_f16.S and plain_sve_f16_nxk.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/plain/plain_sve.hpp"

extern "C" kai::PlainSveFn kai_panel_f16_f16_f16kxn_1x32vl_sve_mla, kai_panel_f16_f16_f16kxn_2x16vl_sve_mla,
    kai_panel_f16_f16_f16kxn_6x8vl_sve_mla, kai_panel_f16_f16_f16kxn_6x6vl_sve_mla,
    kai_panel_f16_f16_f16kxn_6x4vl_sve_mla, kai_panel_f16_f16_f16kxn_6x2vl_sve_mla,
    kai_plain_f16_f16_f16nxk_6x4_sve_mla;

namespace kai {
namespace {

struct F16 {
    static constexpr PlainSvePanels kKxn = {
        kai_panel_f16_f16_f16kxn_1x32vl_sve_mla, kai_panel_f16_f16_f16kxn_2x16vl_sve_mla,
        kai_panel_f16_f16_f16kxn_6x8vl_sve_mla,  kai_panel_f16_f16_f16kxn_6x6vl_sve_mla,
        kai_panel_f16_f16_f16kxn_6x4vl_sve_mla,  kai_panel_f16_f16_f16kxn_6x2vl_sve_mla};
    static constexpr PlainSveFn* kNxk = kai_plain_f16_f16_f16nxk_6x4_sve_mla;

    KAI_INLINE static uint32_t bits(float x) {
        return kai_cast_f16_f32(x);
    }
};

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_MATMUL_PLAIN_F16(...) KAI_DEFINE_MATMUL_PLAIN_SVE(kai::F16, __VA_ARGS__)
#define KAI_ISA_sve KAI_LINES(KAI_DEFINE_MATMUL_PLAIN_F16)
#define KAI_UKERNEL_PLAIN KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16kxn/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16nxk/ukernels.def"

}  // extern "C"
