// Packers of f32 rows for panels of any height, on every host: what cores pack with that have no SME unit at hand. The
// bytes are those of the packers for SME of any vector length (pack_sme_rows.cpp, pack_sme2_rows.cpp), whose panels are
// V or 2 V rows high.
//
//     f32p      | k = 0 of row 0, of row 1, ...     | k = 1: ...    | ...        a word is an f32
//     bf16p     | k = 0, 1 of row 0, of row 1, ...  | k = 2, 3: ... | ...        or two bf16: nearest, ties to even
//
// The missing half of a last word, and rows that a panel lacks, become zero.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/core/pack_unified.hpp"

namespace kai {
namespace {

constexpr size_t kWord = sizeof(uint32_t);

/// Words of a row packed before moving to the next row: a cache line or two of the source.
constexpr size_t kChunk = 16;

struct WordOfF32 {
    static constexpr size_t kElements = 1;
    static uint32_t whole(const uint8_t* from) {
        return load<uint32_t>(from);
    }
    static uint32_t part(const uint8_t*) {  // there is none
        return 0;
    }
};

/// A NaN keeps its sign and its upper bits, and is quiet.
KAI_INLINE uint32_t as_bf16(uint32_t bits) {
    const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
    return is_nan ? bits >> 16 | 0x40 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

struct WordOfTwoBf16 {
    static constexpr size_t kElements = 2;
    static uint32_t whole(const uint8_t* from) {
        return as_bf16(load<uint32_t>(from)) | as_bf16(load<uint32_t>(from + sizeof(float))) << 16;
    }
    static uint32_t part(const uint8_t* from) {
        return as_bf16(load<uint32_t>(from));
    }
};

/// A panel of `rows`, of which `exist` are in the source. k is not 0.
template <typename Word>
[[gnu::noinline]] void pack_panel(
    size_t rows, size_t exist, size_t k, const uint8_t* src, size_t stride, uint8_t* dst) {
    const size_t words = (k + Word::kElements - 1) / Word::kElements, whole = k / Word::kElements;
    const size_t step = rows * kWord;
    for (size_t first = 0; first < words; first += kChunk, dst += kChunk * step) {
        const size_t end = KAI_MIN(first + kChunk, words);
        for (size_t row = 0; row < exist; ++row) {
            const uint8_t* from = src + row * stride + first * Word::kElements * sizeof(float);
            uint8_t* to = dst + row * kWord;
            size_t word = first;
            for (; word < KAI_MIN(end, whole); ++word, from += Word::kElements * sizeof(float), to += step) {
                store(to, Word::whole(from));
            }
            if (word < end) {
                store(to, Word::part(from));
            }
        }
        for (size_t word = first; word < end; ++word) {
            __builtin_memset(dst + (word - first) * step + exist * kWord, 0, (rows - exist) * kWord);
        }
    }
}

template <typename Word>
void run_words(const UnifiedLhsPacker& packer, const kai_matmul_pack_lhs_uker_args* args) {
    check(packer, args);
    const auto& [packed, lhs] = args->operand;
    const size_t rows = packer.panels.count, m = args->shape.k == 0 ? 0 : args->shape.m;
    for (size_t first = 0; first < m; first += rows) {
        pack_panel<Word>(
            rows, KAI_MIN(m - first, rows), args->shape.k, bytes(lhs.ptr, first * lhs.stride.m), lhs.stride.m,
            bytes(packed.ptr, first / rows * packed.stride.m));
    }
}

}  // namespace
}  // namespace kai

KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_x32pmrx1_x32, kai::run_words<kai::WordOfF32>, float, kai::packed(kai::f32p, kai::kAnyRows, 1))
KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_bf16pmrx2_f32, kai::run_words<kai::WordOfTwoBf16>, float,
    kai::packed(kai::bf16p, kai::kAnyRows, 2))
