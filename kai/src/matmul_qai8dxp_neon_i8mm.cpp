// The GEMM engine of qai8dxp with SMMLA. Its tiles: matmul_qai8dxp_neon_i8mm.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_qai8dxp_neon.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm;
kai::GemmTileFn kai_block_sums_4x4_neon_i8mm, kai_block_sums_8x4_neon_i8mm, kai_block_sums_16x4_neon_i8mm;
}

namespace kai {
namespace {

struct I8mm {
    using Acc = Mmla8;
    static constexpr size_t kGroup = 8;  // k of a column that lie together
    static constexpr GemmTileFn* kSums[3] = {kai_sums_4x4_neon_i8mm, kai_sums_8x4_neon_i8mm, kai_sums_16x4_neon_i8mm};
    static constexpr GemmTileFn* kWideSums = nullptr;
    static constexpr GemmTileFn* kBlockSums[3] = {
        kai_block_sums_4x4_neon_i8mm, kai_block_sums_8x4_neon_i8mm, kai_block_sums_16x4_neon_i8mm};
};

}  // namespace
}  // namespace kai

[[gnu::visibility("hidden")]] void kai_gemm_qai8dxp_neon_i8mm(const kai::Problem* problem) {
    kai::gemm<kai::I8mm>(*problem);
}
