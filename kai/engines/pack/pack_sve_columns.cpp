// RHS packers of K x N sources for SVE: panels of 4 vectors of 32-bit words, at any vector length.
//
//     | head: 4 V elements of bias | word 0 of 4 V columns | word 1 of all columns | ...         V = vector length / 32
//
// A word is one element of 32 bits or two of 16, which come from two rows of the source. Columns that the last panel
// lacks, the element that an odd K lacks and a bias that is not given become zero. Bits are copied, never converted.
// `imatmul`: a chunk of 32-bit elements needs no padding of its own, so chunks are packed as one matrix.
//
// SPDX-License-Identifier: Apache-2.0
#include <arm_sve.h>

#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_rhs_checks.hpp"
#include "kai/engines/core/pack_unified.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

/// What a word is made of.
struct SveWords32 {
    static constexpr size_t kElement = 4, kRows = 1;

    /// The words of one panel: of up to kRows source rows, all of them if `whole`. columns >= 1.
    KAI_INLINE static void pack(const uint8_t* src, size_t, bool, size_t columns, uint8_t* dst) {
        copy(src, columns, dst);
    }
    KAI_INLINE static void copy(const uint8_t* src, size_t columns, uint8_t* dst) {
        const size_t v = svcntw();
        const auto* from = reinterpret_cast<const uint32_t*>(src);
        auto* to = reinterpret_cast<uint32_t*>(dst);
        const svuint32_t a = svld1_u32(svwhilelt_b32_u64(0, columns), from);
        const svuint32_t b = svld1_vnum_u32(svwhilelt_b32_u64(v, columns), from, 1);
        const svuint32_t c = svld1_vnum_u32(svwhilelt_b32_u64(2 * v, columns), from, 2);
        const svuint32_t d = svld1_vnum_u32(svwhilelt_b32_u64(3 * v, columns), from, 3);
        svst1_u32(svptrue_b32(), to, a);
        svst1_vnum_u32(svptrue_b32(), to, 1, b);
        svst1_vnum_u32(svptrue_b32(), to, 2, c);
        svst1_vnum_u32(svptrue_b32(), to, 3, d);
    }
};

struct SveWords16 {
    static constexpr size_t kElement = 2, kRows = 2;

    KAI_INLINE static void pack(const uint8_t* src, size_t stride, bool whole, size_t columns, uint8_t* dst) {
        const svbool_t p = svwhilelt_b16_u64(0, columns), q = svwhilelt_b16_u64(svcnth(), columns);
        const svbool_t second = whole ? svptrue_b16() : svpfalse_b();
        const auto *row0 = reinterpret_cast<const uint16_t*>(src),
                   *row1 = reinterpret_cast<const uint16_t*>(whole ? src + stride : src);
        auto* to = reinterpret_cast<uint16_t*>(dst);
        const svuint16_t a = svld1_u16(p, row0), b = svld1_vnum_u16(q, row0, 1);
        const svuint16_t c = svld1_u16(svand_b_z(second, p, p), row1),
                         d = svld1_vnum_u16(svand_b_z(second, q, q), row1, 1);
        svst1_u16(svptrue_b16(), to, svzip1_u16(a, c));
        svst1_vnum_u16(svptrue_b16(), to, 1, svzip2_u16(a, c));
        svst1_vnum_u16(svptrue_b16(), to, 2, svzip1_u16(b, d));
        svst1_vnum_u16(svptrue_b16(), to, 3, svzip2_u16(b, d));
    }
    KAI_INLINE static void copy(const uint8_t* src, size_t columns, uint8_t* dst) {
        const auto* from = reinterpret_cast<const uint16_t*>(src);
        auto* to = reinterpret_cast<uint16_t*>(dst);
        svst1_u16(svptrue_b16(), to, svld1_u16(svwhilelt_b16_u64(0, columns), from));
        svst1_vnum_u16(svptrue_b16(), to, 1, svld1_vnum_u16(svwhilelt_b16_u64(svcnth(), columns), from, 1));
    }
};

/// All panels grow together, some source rows at a time: the source is read row by row. Panel after panel would read
/// strips of 4 vectors that lie a source row apart, each in another page.
template <typename Words>
KAI_INLINE void pack_columns_sve(
    size_t n, size_t k, const void* src, size_t stride, const void* bias, void* dst, size_t panel_stride) {
    constexpr size_t kWords = 4;  // of each panel in a round
    const size_t nr = 4 * svcntw(), word = 4 * svcntb();
    const auto for_panels = [&](auto body) {
        for (size_t n0 = 0; n0 < n; n0 += nr) {
            body(n0, n - n0, bytes(dst, n0 / nr * panel_stride));
        }
    };
    for_panels([&](size_t n0, size_t columns, uint8_t* head) {
        Words::copy(bytes(bias, n0 * Words::kElement), bias == nullptr ? 0 : columns, head);
    });
    for (size_t x = 0; x < k; x += kWords * Words::kRows) {
        for_panels([&](size_t n0, size_t columns, uint8_t* panel) {
            uint8_t* to = panel + nr * Words::kElement + x / Words::kRows * word;
            const uint8_t* from = bytes(src, x * stride + n0 * Words::kElement);
            const size_t left = k - x < kWords * Words::kRows ? k - x : kWords * Words::kRows;
            size_t i = 0;
            for (; i + Words::kRows <= left; i += Words::kRows, from += Words::kRows * stride, to += word) {
                Words::pack(from, stride, true, columns, to);
            }
            if (i < left) {
                Words::pack(from, stride, false, columns, to);
            }
        });
    }
}

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
KAI_RUN_RHS_IMATMUL_PACK(rhs_imatmul_pack_kxn_x32p4vlx1b_x32_x32_sve) {
    const size_t k = k_chunk_count * k_chunk_length;
    KAI_CHECK_RHS_CHUNKS(32, true, false, n, k, rhs, rhs_stride, rhs_packed, nullptr, nullptr)
    kai::pack_x32(n, k, rhs, rhs_stride, bias, rhs_packed);
}

}  // extern "C"

KAI_DEFINE_RHS_PACK_API(
    rhs_pack_kxn_x16p16vsx2bx16_x16_x16_sve, kai::run_x16, kai::f16_kxn, kai::packed(kai::f16pbiasf16, SVE(4), 2))
