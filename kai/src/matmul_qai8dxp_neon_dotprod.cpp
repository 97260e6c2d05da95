// The GEMM engine of qai8dxp with SDOT. Its tiles: matmul_qai8dxp_neon_dotprod.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/src/matmul_qai8dxp_neon.hpp"

extern "C" {
kai::GemmTileFn kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod;
kai::GemmTileFn kai_sums_12x8_neon_dotprod;
kai::GemmTileFn kai_block_sums_4x4_neon_dotprod, kai_block_sums_8x4_neon_dotprod, kai_block_sums_16x4_neon_dotprod;
}

namespace kai {
namespace {

struct Dotprod {
    using Acc = Dot4;
    static constexpr size_t kGroup = 4;  // k of a column that lie together
    static constexpr GemmTileFn* kSums[3] = {
        kai_sums_4x4_neon_dotprod, kai_sums_8x4_neon_dotprod, kai_sums_16x4_neon_dotprod};
    static constexpr GemmTileFn* kWideSums = kai_sums_12x8_neon_dotprod;
    static constexpr GemmTileFn* kBlockSums[3] = {
        kai_block_sums_4x4_neon_dotprod, kai_block_sums_8x4_neon_dotprod, kai_block_sums_16x4_neon_dotprod};
};

}  // namespace
}  // namespace kai

[[gnu::visibility("hidden")]] void kai_gemm_qai8dxp_neon_dotprod(const kai::Problem* problem) {
    kai::gemm<kai::Dotprod>(*problem);
}
