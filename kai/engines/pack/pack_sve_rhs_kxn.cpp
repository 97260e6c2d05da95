// RHS packers of K x N sources for SVE. Bits are copied. `imatmul`: a chunk of 32-bit elements needs no padding of its
// own, so chunks are packed as one matrix.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_sve_columns.hpp"
#include "kai/engines/pack/pack_getters.hpp"
#include "kai/engines/pack/pack_rhs_checks.hpp"
#include "kai/engines/pack/pack_unified.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

UnifiedOperand panels_x32() {
    return packed(f32pbiasf32, SVE(4), 1);
}

KAI_INLINE void pack_x32(size_t n, size_t k, const void* rhs, size_t stride, const void* bias, void* rhs_packed) {
    pack_columns_sve<SveWords32>(n, k, rhs, stride, bias, rhs_packed, panels_x32().stride(k));
}

void run_x16(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    check(packer, args);
    const auto& operand = args->operand;
    pack_columns_sve<SveWords16>(
        args->shape.n, args->shape.k, operand.rhs.ptr, operand.rhs.stride.k, operand.bias_n.ptr, operand.rhs_packed.ptr,
        operand.rhs_packed.stride.n);
}

}  // namespace
}  // namespace kai

extern "C" {

KAI_DEFINE_RHS_PACK_GETTERS_KXN(rhs_pack_kxn_x32p4vlx1b_x32_x32_sve, f32pbiasf32, SVE(4), 1, 1, float, float)
KAI_RHS_VECTORS_RUN(rhs_pack_kxn_x32p4vlx1b_x32_x32_sve, 32, true, false, SVE(4), 1, 1, void,
                    kai::pack_x32(n, k, rhs, rhs_stride, bias, rhs_packed);)

KAI_DEFINE_RHS_IMATMUL_PACK_GETTERS(
    rhs_imatmul_pack_kxn_x32p4vlx1b_x32_x32_sve, f32pbiasf32, SVE(4), 1, 1, float, float)
void kai_run_rhs_imatmul_pack_kxn_x32p4vlx1b_x32_x32_sve(
    size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t rhs_stride_row, const void* rhs, const void* bias,
    void* rhs_packed) {
    const size_t k = k_chunk_count * k_chunk_length;
    KAI_CHECK_RHS_CHUNKS(32, false, n, k, rhs, rhs_stride_row, rhs_packed, nullptr, nullptr)
    kai::pack_x32(n, k, rhs, rhs_stride_row, bias, rhs_packed);
}

}  // extern "C"

KAI_DEFINE_RHS_PACK_API(
    rhs_pack_kxn_x16p16vsx2bx16_x16_x16_sve, kai::run_x16, kai::KxN<16>, kai::packed(kai::f16pbiasf16, SVE(4), 2))
