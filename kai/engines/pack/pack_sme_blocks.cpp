// The unified API's RHS packers of int4 with bf16 scales per block, whose panels are 4 vectors of SME wide. The work is
// in pack_rhs_blocks_sums.cpp and pack_rhs_blocks_kxn.cpp: NEON, out of streaming mode.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_rhs_sums.hpp"
#include "kai/engines/core/pack_unified.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

using PackConfig = const kai_matmul_pack_rhs_uker_config*;

KAI_INLINE size_t block_length(PackConfig config, const char* function) {
    KAI_REQUIRE_ALWAYS(function, config != nullptr, null, "config");
    return config->format.bl;
}

/// PACKER has `packer`, a UnifiedRhsPacker.
template <typename Packer>
struct BlocksPackApi : RhsPackApi<Packer> {
    static constexpr const UnifiedRhsPacker& packer = Packer::packer;

    static kai_matmul_pack_rhs_uker_rhs_packed_stride_args packed_stride(
        PackConfig config, const kai_matmul_pack_rhs_uker_rhs_packed_dim_args* shape) {
        const size_t bl = block_length(config, packer.name);
        return {kai_panels_stride(bl == 0 ? 0 : (shape->k + bl - 1) / bl * bl, bl, &packer.panels)};
    }
    static size_t bias_offset(PackConfig, const kai_matmul_pack_rhs_uker_bias_n_dim_args* index) {
        return index->n * sizeof(float);
    }
    static kai_matmul_pack_rhs_uker_scale_nk_stride_args scale_stride(
        PackConfig config, const kai_matmul_pack_rhs_uker_scale_nk_dim_args* shape) {
        const size_t bl = block_length(config, packer.name);
        return {bl == 0 ? 0 : (shape->k + bl - 1) / bl * sizeof(uint16_t), sizeof(uint16_t)};
    }
    static size_t scale_offset(
        PackConfig, const kai_matmul_pack_rhs_uker_scale_nk_dim_args* index,
        const kai_matmul_pack_rhs_uker_scale_nk_stride_args* stride) {
        return index->n * stride->n + index->k * stride->k;
    }
    static void run(PackConfig config, const kai_matmul_pack_rhs_uker_args* args) {
        check_flags(args->flags, 0, packer.name);
        if (args->shape.n == 0) {
            return;
        }
        const size_t bl = block_length(config, packer.name);
        kai_check_rhs_unified(packer.name, packer.source, args, kai_panels_rows(&packer.panels), 0);
        const auto& operand = args->operand;
        static constexpr kai_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0_params kParams = {1, 8, kai_dt_bf16};
        const auto& scales = operand.scale_nk;
        kai_rhs_call call = {};
        call.num_groups = 1;
        call.n = args->shape.n, call.k = args->shape.k, call.bl = bl;
        call.nr = kai_panels_rows(&packer.panels), call.kr = 4, call.sr = 1;
        call.rhs = operand.rhs.ptr;
        call.rhs_stride = packer.source.kxn ? operand.rhs.stride.k : operand.rhs.stride.n;
        call.bias = operand.bias_n.ptr;
        call.scale = scales.ptr, call.scale_stride = scales.stride.n, call.scale_step = scales.stride.k;
        call.packed = operand.rhs_packed.ptr;
        call.params = &kParams;
        // Callers may leave it out: less than a dense panel means dense panels.
        const size_t blocks = bl == 0 ? 0 : call.k / bl;
        const size_t dense = stride_of(packer.panels, call.nr, blocks * bl, bl);
        call.panel_stride = KAI_MAX(operand.rhs_packed.stride.n, dense);
        constexpr auto pack = Packer::packer.source.kxn ? kai_pack_rhs_kxn_s4s0 : kai_pack_rhs_nxk_s4s0;
        pack(&call, packer.name + sizeof("kai_") - 1);
    }
    static kai_matmul_pack_rhs_uker_api table() {
        using Base = RhsPackApi<Packer>;
        return {run,           Base::step,          Base::rhs_stride,  Base::rhs_offset,
                packed_stride, Base::packed_offset, Base::packed_size, bias_offset,
                nullptr,       scale_stride,        scale_offset};
    }
};

constexpr Plain nibbles_nxk = {4, false}, nibbles_kxn = {4, true};

}  // namespace
}  // namespace kai

#define KAI_DEFINE_RHS_PACK_API_BL(NAME, SOURCE)                                                      \
    namespace {                                                                                       \
    struct NAME##_packer {                                                                            \
        static constexpr kai::UnifiedOperand operand = kai::packed(kai::qsi4c32ps4s0sbf16, VL(4), 4); \
        static constexpr kai::UnifiedRhsPacker packer = {                                             \
            "kai_" #NAME, operand.panels(#NAME), {SOURCE.bits, SOURCE.kxn, true, false}, 0};          \
    };                                                                                                \
    }                                                                                                 \
    extern "C" kai_matmul_pack_rhs_uker_api kai_##NAME() {                                            \
        return kai::BlocksPackApi<NAME##_packer>::table();                                            \
    }

KAI_DEFINE_RHS_PACK_API_BL(matmul_pack_rhs_nxk_qsi4c32p16vsx4s4s0_qsu4c32_f32_bf16_sme, kai::nibbles_nxk)
KAI_DEFINE_RHS_PACK_API_BL(matmul_pack_rhs_kxn_qsi4c32p16vsx4s4s0_qsu4c32_f32_bf16_sme, kai::nibbles_kxn)
