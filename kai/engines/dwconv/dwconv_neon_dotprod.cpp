// Depthwise convolution of int8 with SDOT by tables of pointers: dwconv_tiles.hpp. The work is in
// dwconv_neon_dotprod_int8.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/requantise.hpp"
#include "kai/engines/dwconv/dwconv_tiles.hpp"

namespace kai {
namespace {

/// Bytes of a panel: 16 int32 and 16 f32; taps of a row of the filter are padded to a multiple of kr.
constexpr size_t int8_panel(size_t filter, size_t kr) {
    return 16 * (sizeof(int32_t) + sizeof(float) + filter * ((filter + kr - 1) / kr * kr));
}

KAI_INLINE DwconvCall int8_call(
    size_t n, const void* pad, size_t src_offset, const void* rhs, size_t dst_offset,
    const kai_matmul_requantize32_params& to) {
    const auto lo = static_cast<float>(to.min_value), hi = static_cast<float>(to.max_value);
    return {n,          bytes(pad),          src_offset,          bytes(rhs),
            dst_offset, load<uint32_t>(&lo), load<uint32_t>(&hi), static_cast<uint8_t>(to.output_zero_point)};
}

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_INT8_TILES(KERNEL, NAME, NR, KR, FILTER, STRIDE, HEIGHT, WIDTH)                              \
    KAI_DEFINE_MATMUL_STEPS(NAME, (HEIGHT) * (WIDTH), NR)                                                       \
    KAI_DEFINE_SIZE(nr, NAME, NR)                                                                               \
    KAI_DEFINE_SIZE(kr, NAME, KR)                                                                               \
    size_t kai_get_rhs_packed_offset_##NAME(size_t n_idx, size_t) {                                             \
        KAI_REQUIRE_MULTIPLE(n_idx, "nr", NR);                                                                  \
        return n_idx / (NR)*kai::int8_panel(FILTER, KR);                                                        \
    }                                                                                                           \
    void KERNEL(const kai::DwconvTile* tile);                                                                   \
    void kai_run_##NAME(                                                                                        \
        size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad_ptr,       \
        size_t src_offset, const void* rhs_packed, void* const* dst, size_t dst_offset,                         \
        const kai_matmul_requantize32_params* params) {                                                         \
        kai::check_dwconv(k, FILTER, multiplier);                                                               \
        static constexpr kai::DwconvKernel kKernel =                                                            \
            kai::dwconv_kernel<FILTER, STRIDE, HEIGHT, WIDTH>(KERNEL, kai::int8_panel(FILTER, KR));             \
        if (tiles > 0 && n > 0) {                                                                               \
            kai::run_dwconv_tiles(                                                                              \
                kKernel, tiles,                                                                                 \
                kai::int8_call(                                                                                 \
                    n, pad_ptr, src_offset, rhs_packed, dst_offset, kai::before_zero_point(*params, __func__)), \
                src, dst);                                                                                      \
        }                                                                                                       \
    }
#define KAI_ISA_neon_dotprod KAI_LINES(KAI_DEFINE_TILES)
#define KAI_DEFINE_TILES(NAME, LHS, RHS, NR, KR, FILTER, STRIDE, ...)                                        \
    KAI_DEFINE_INT8_TILES(                                                                                   \
        kai_kernel_dwconv_int8_##FILTER##x##FILTER##_s##STRIDE##_neon_dotprod, NAME, NR, KR, FILTER, STRIDE, \
        __VA_ARGS__)
#define KAI_DWCONV_TILES KAI_LINE
#include "kai/ukernels/dwconv/dwconv_qai8_qai8_qsi8cxpbi32sf32/ukernels.def"

}  // extern "C"
