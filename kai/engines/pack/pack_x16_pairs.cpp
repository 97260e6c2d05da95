// Packers of 16-bit elements in groups of two, for panels of any width: on every host, for kernels of SME of any vector
// length. The bytes are those of the packers for SME (pack_sme_rows.cpp, pack_sme_columns.cpp), whose panels are V or
// 2 V places wide.
//
//     LHS: f16p                               | k = 0, 1: 2 elements of row 0, 2 of row 1, ... | k = 2, 3: ... | ...
//     RHS: bf16pbiasf32, f16pbiasf16 (chunks)     the same of columns, after their bias
//
// A place is a row of the LHS, a column of the RHS. k, of each chunk, is padded to a multiple of 2 by a zero. Places
// that a panel lacks, their bias and a bias that is not given become zero. Bits are copied: f16 or bf16.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_unified.hpp"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {
namespace {

constexpr Plain bf16_kxn = {16, true}, bf16_nxk = {16, false};

constexpr size_t kElement = sizeof(uint16_t), kPair = 2 * kElement;

/// Elements of a place packed before moving to the next place: a cache line.
constexpr size_t kChunk = 32;

/// Where the panel of `places` begins, and how many of them are in the source.
struct PairPanel {
    size_t places, exist;
    const uint8_t* src;
    size_t stride;  // of the source: from place to place, K x N from k to k + 1
    uint8_t* dst;   // of the elements
};

/// Elements of places that are contiguous.
[[gnu::noinline]] void pack_places(const PairPanel& p, size_t count) {
    const size_t step = p.places * kPair;
    uint8_t* dst = p.dst;
    for (size_t x = 0; x < count; x += kChunk) {
        const size_t end = count - x < kChunk ? count : x + kChunk, groups = (end - x + 1) / 2;
        for (size_t place = 0; place < p.exist; ++place) {
            const uint8_t* from = p.src + place * p.stride + x * kElement;
            uint8_t* to = dst + place * kPair;
            for (size_t i = 0; i < (end - x) / 2; ++i, from += kPair, to += step) {
                store(to, load<uint32_t>(from));
            }
            if ((end - x) % 2 != 0) {
                store(to, uint32_t{load<uint16_t>(from)});
            }
        }
        for (size_t i = 0; i < groups; ++i, dst += step) {
            __builtin_memset(dst + p.exist * kPair, 0, (p.places - p.exist) * kPair);
        }
    }
}

/// The columns of a panel of a K x N source, whose lines are contiguous.
[[gnu::noinline]] void pack_lines(const PairPanel& p, size_t count) {
    uint8_t* dst = p.dst;
    for (size_t x = 0; x < count; x += 2, dst += p.places * kPair) {
        const uint8_t* even = p.src + x * p.stride;
        const uint8_t* odd = even + p.stride;
        if (x + 1 < count) {
            for (size_t c = 0; c < p.exist; ++c) {
                store(dst + c * kPair, load<uint16_t>(even + c * kElement));
                store(dst + c * kPair + kElement, load<uint16_t>(odd + c * kElement));
            }
        } else {
            for (size_t c = 0; c < p.exist; ++c) {
                store(dst + c * kPair, uint32_t{load<uint16_t>(even + c * kElement)});
            }
        }
        __builtin_memset(dst + p.exist * kPair, 0, (p.places - p.exist) * kPair);
    }
}

/// A call: what is packed, and where to.
struct PairOperands {
    size_t places;  // of a panel
    size_t count;   // of the source
    const void* src;
    size_t place_bytes;  // of the source, from place to place
    size_t stride;       // PairPanel::stride
    size_t head;         // bytes of the bias of a place
    const void* bias;    // or null: zeros
    void* packed;
    size_t panel_stride;
};

/// f(panel) for each panel, whose head is written.
template <typename F>
KAI_INLINE void for_panels(const PairOperands& of, F f) {
    for (size_t first = 0; first < of.count; first += of.places) {
        const size_t exist = KAI_MIN(of.count - first, of.places);
        uint8_t* panel = bytes(of.packed) + first / of.places * of.panel_stride;
        const size_t given = of.bias != nullptr ? exist * of.head : 0;
        if (given != 0) {
            __builtin_memcpy(panel, bytes(of.bias, first * of.head), given);
        }
        __builtin_memset(panel + given, 0, of.places * of.head - given);
        f(PairPanel{of.places, exist, bytes(of.src) + first * of.place_bytes, of.stride, panel + of.places * of.head});
    }
}

void run_lhs(const UnifiedLhsPacker& packer, const kai_matmul_pack_lhs_uker_args* args) {
    check(packer, args);
    const auto& [packed, lhs] = args->operand;
    PairOperands of = {};
    of.places = packer.panels.count;
    of.count = args->shape.k == 0 ? 0 : args->shape.m;
    of.src = lhs.ptr, of.place_bytes = of.stride = lhs.stride.m;
    of.packed = packed.ptr, of.panel_stride = packed.stride.m;
    for_panels(of, [&](const PairPanel& p) { pack_places(p, args->shape.k); });
}

template <bool kxn>
KAI_INLINE void run_rhs(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    check(packer, args);
    const auto& rhs = args->operand.rhs;
    const auto& packed = args->operand.rhs_packed;
    PairOperands of = {};
    of.places = packer.panels.count, of.count = args->shape.n;
    of.src = rhs.ptr, of.place_bytes = kxn ? kElement : rhs.stride.n, of.stride = kxn ? rhs.stride.k : rhs.stride.n;
    of.head = packer.panels.panel_fields, of.bias = args->operand.bias_n.ptr;
    of.packed = packed.ptr, of.panel_stride = packed.stride.n;
    for_panels(of, [&](const PairPanel& p) { (kxn ? pack_lines : pack_places)(p, args->shape.k); });
}

void run_kxn(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    run_rhs<true>(packer, args);
}
void run_nxk(const UnifiedRhsPacker& packer, const kai_matmul_pack_rhs_uker_args* args) {
    run_rhs<false>(packer, args);
}

/// Bytes of a panel of chunks, with a bias of 16 bits.
KAI_INLINE size_t chunks_stride(size_t chunks, size_t length, size_t nr) {
    return f16pbiasf16.stride({nr, 2, 1}, chunks * f16pbiasf16.padded({nr, 2, 1}, length));
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_x16pmrx2_x16, kai::run_lhs, uint16_t, kai::packed(kai::f16p, kai::kAnyRows, 2))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_kxn_x16pnrx2bx32_x16_x32, kai::run_kxn, kai::bf16_kxn,
    kai::packed(kai::bf16pbiasf32, kai::kAnyRows, 2))
KAI_DEFINE_RHS_PACK_API(
    matmul_pack_rhs_nxk_x16pnrx2bx32_x16_x32, kai::run_nxk, kai::bf16_nxk,
    kai::packed(kai::bf16pbiasf32, kai::kAnyRows, 2))

extern "C" {

size_t kai_get_n_step_imatmul_pack_rhs_nxk_x16pnrx2bx16_x16_x16(size_t nr) {
    return nr;
}
size_t kai_get_rhs_offset_imatmul_pack_rhs_nxk_x16pnrx2bx16_x16_x16(size_t n_idx, size_t rhs_stride) {
    return n_idx * rhs_stride;
}
size_t kai_get_bias_offset_imatmul_pack_rhs_nxk_x16pnrx2bx16_x16_x16(size_t n_idx) {
    return n_idx * sizeof(uint16_t);
}
size_t kai_get_rhs_packed_stride_imatmul_pack_rhs_nxk_x16pnrx2bx16_x16_x16(
    size_t k_chunk_count, size_t k_chunk_length, size_t nr) {
    return kai::chunks_stride(k_chunk_count, k_chunk_length, nr);
}
size_t kai_get_rhs_packed_offset_imatmul_pack_rhs_nxk_x16pnrx2bx16_x16_x16(
    size_t n_idx, size_t k_chunk_count, size_t k_chunk_length, size_t nr) {
    return nr == 0 ? 0 : n_idx / nr * kai::chunks_stride(k_chunk_count, k_chunk_length, nr);
}
size_t kai_get_rhs_packed_size_imatmul_pack_rhs_nxk_x16pnrx2bx16_x16_x16(
    size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t nr) {
    return nr == 0 ? 0 : (n + nr - 1) / nr * kai::chunks_stride(k_chunk_count, k_chunk_length, nr);
}
void kai_run_imatmul_pack_rhs_nxk_x16pnrx2bx16_x16_x16(
    size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t nr, size_t rhs_stride, const void* rhs,
    const void* bias, void* rhs_packed) {
    KAI_CHECK_RHS_CHUNKS(
        16, false, false, n, k_chunk_count * k_chunk_length, rhs, rhs_stride, rhs_packed, nullptr, nullptr)
    KAI_REQUIRE_ALWAYS(__func__, n == 0 || nr != 0, zero, "nr");
    const size_t length = kai::f16pbiasf16.padded({nr, 2, 1}, k_chunk_length);
    kai::PairOperands of = {};
    of.places = nr, of.count = n;
    of.src = rhs, of.place_bytes = of.stride = rhs_stride;
    of.head = sizeof(uint16_t), of.bias = bias;
    of.packed = rhs_packed, of.panel_stride = kai::chunks_stride(k_chunk_count, k_chunk_length, nr);
    kai::for_panels(of, [&](kai::PairPanel p) {
        for (size_t chunk = 0; chunk < k_chunk_count; ++chunk) {
            kai::pack_places(p, k_chunk_length);
            p.src += k_chunk_length * kai::kElement;
            p.dst += length * nr * kai::kElement;
        }
    });
}

}  // extern "C"
