// The unified API's RHS packer of rows of Q4_K (there: qai4c32k256sf16s32s0), whose panels are 4 vectors of SME wide.
// The work is in gguf_pack_affine.cpp: NEON, out of streaming mode.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/gguf/gguf.hpp"
#include "kai/engines/gguf/gguf_pack_q4_k.hpp"
#include "kai/engines/core/pack_unified.hpp"

namespace kai {
namespace {

/// PACKER has `packer`, a UnifiedRhsPacker. Its format has blocks of one length, and no bias.
template <typename Packer>
struct FilePackApi : RhsPackApi<Packer> {
    using Base = RhsPackApi<Packer>;
    static constexpr const UnifiedRhsPacker& packer = Packer::packer;

    static kai_matmul_pack_rhs_uker_rhs_stride_args rhs_stride(
        typename Base::Config, const kai_matmul_pack_rhs_uker_rhs_dim_args* shape) {
        return {shape->k / Q4_K.weights * Q4_K.bytes, 0};
    }
    static void run(typename Base::Config, const kai_matmul_pack_rhs_uker_args* args) {
        const size_t row = args->shape.k / Q4_K.weights * Q4_K.bytes;
        check(packer, args);
        KAI_REQUIRE_ALWAYS(
            packer.name, args->shape.n < 2 || args->operand.rhs.stride.n >= row, short_stride, "rhs.stride.n",
            args->operand.rhs.stride.n, row, "row");
        kai_rhs_call call = {};
        call.num_groups = 1;
        call.n = args->shape.n, call.k = args->shape.k;
        call.nr = kai_panels_rows(&packer.panels), call.kr = 4, call.sr = 2;
        call.rhs = args->operand.rhs.ptr;
        call.rhs_stride = args->operand.rhs.stride.n;
        call.packed = args->operand.rhs_packed.ptr;
        // Less than a dense panel means dense panels: one panel needs no stride.
        call.panel_stride =
            KAI_MAX(args->operand.rhs_packed.stride.n, stride_of(packer.panels, call.nr, call.k, packer.block));
        kai_pack_rhs_q4_k(&call, packer.name + sizeof("kai_") - 1);
    }
    static kai_matmul_pack_rhs_uker_api table() {
        return {run,
                Base::step,
                rhs_stride,
                Base::rhs_offset,
                Base::packed_stride,
                Base::packed_offset,
                Base::packed_size,
                nullptr,
                nullptr,
                nullptr,
                nullptr};
    }
};

struct Q4KPacker {
    static constexpr const char* name = "kai_matmul_pack_rhs_nxk_qai4c32p16vsx4s1s0sf16_qai4c32k256sf16s32s0_sme";
    static constexpr UnifiedOperand operand = packed(qai4c32ps1s0sf16, VL(4), 4);
    static constexpr UnifiedRhsPacker packer = {
        name, operand.panels(name + sizeof("kai_") - 1), {Q4_K.low.bits, false, false, false}, operand.format.block};
};

}  // namespace
}  // namespace kai

extern "C" kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_qai4c32p16vsx4s1s0sf16_qai4c32k256sf16s32s0_sme() {
    return kai::FilePackApi<kai::Q4KPacker>::table();
}
