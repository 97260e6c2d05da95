// Functions that append rows to an RHS of int8 in blocks (qsi8c32p*): rows that are quantised as those of an LHS, or
// records. Each row becomes a column, other columns are not touched.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/pack/pack_neon_lhs_blocks.hpp"
#include "kai/engines/core/pack_rhs_rules.hpp"
#include "kai/ukernels/pack/kai_rhs_append.h"

namespace kai {
namespace {

// clang-format off
constexpr LhsBlockKind kRhsF32   {qsi8c32p,         SourceType::f32, Ties::away};
constexpr LhsBlockKind kRhsF16   {qsi8c32p,         SourceType::f16, Ties::away};
constexpr LhsBlockKind kSmeF32   {qsi8c32pscalef16, SourceType::f32, Ties::away};
constexpr LhsBlockKind kSmeF16   {qsi8c32pscalef16, SourceType::f16, Ties::away};
// clang-format on

constexpr size_t kBlock = 32;

constexpr kai_rhs_rules append_rules(const char* name, const Format& format, size_t bytes_of_a_block) {
    kai_rhs_rules rules = rhs_rules(name, format, true);
    rules.bl = rules.source_weights = kBlock;
    rules.source_bytes = static_cast<uint16_t>(bytes_of_a_block);
    rules.sr = 2;
    if (format.group == Format::kr) {
        rules.kr = 4;
    } else {
        rules.kr_multiple = 2;
        rules.kr_max = 16;
    }
    return rules;
}

/// Checks a call; `rows` with the place of the first one, column n_idx. rows.packed: column 0.
KAI_INLINE LhsRows checked(const kai_rhs_rules& rules, const Format& format, size_t n_idx, LhsRows rows) {
    const Tile t = rows.tile;
    const kai_rhs_call call = {1,       rows.m,  rows.k,  t.rows, t.kr,        t.sr, 0,      rows.lhs, rows.lhs_stride,
                               nullptr, nullptr, nullptr, 0,      rows.packed, 0,    nullptr};
    kai_check_rhs_call(&rules, &call);
    rows.first_slot = n_idx % t.rows;
    rows.packed = bytes(rows.packed, format.offset(t, n_idx, rows.k, kBlock));
    return rows;
}

/// Rows of floats, one at a time, as tokens bring them.
template <const LhsBlockKind& kind>
KAI_INLINE void append_floats(const Format& format, const LhsRows& rows) {
    RowPlace to = RowPlace::of_first(rows);
    for (size_t i = 0; i < rows.m; ++i, to.advance(rows, 1, format.stride(rows.tile, rows.k, kBlock))) {
        pack_blocks<kind, false, false>({1, rows.k, kBlock, rows.tile, to.slot, rows.row(i), 0, to.panel});
    }
}

/// Rows of records: an f16 scale, then 32 values.
[[gnu::noinline]] void append_records(const Format& format, const LhsRows& rows) {
    const Tile t = rows.tile;
    const size_t group = format.group_size(t), group_step = group * t.rows;
    const size_t head = format.head(t, rows.k, kBlock, 0), elements = format.elements(t, kBlock, 0);
    const size_t head_step = format.head(t, rows.k, kBlock, 1) - head;
    const size_t step = format.elements(t, kBlock, 1) - elements;
    RowPlace to = RowPlace::of_first(rows);
    for (size_t i = 0; i < rows.m; ++i, to.advance(rows, 1, format.stride(t, rows.k, kBlock))) {
        const uint8_t* src = rows.row(i);
        uint8_t *scale = to.panel + head + 2 * to.slot, *block = to.panel + elements + to.slot * group;
        for (size_t left = rows.k; left > 0; left -= kBlock, scale += head_step, block += step, src += 2 + kBlock) {
            store(scale, load<uint16_t>(src));
            uint8_t* dst = block;
            for (size_t at = 2; at < 2 + kBlock; at += group, dst += group_step) {
                if (group == 8) {
                    store(dst, load<uint64_t>(src + at));
                } else if (group == 4) {
                    store(dst, load<uint32_t>(src + at));
                } else {
                    for (size_t e = 0; e < group; ++e) {
                        dst[e] = src[at + e];
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace kai

/// Then bytes of a block of the source, and the function that appends its rows.
#define KAI_RHS_APPEND(NAME, FORMAT, BYTES, ...)                                                                   \
    KAI_RHS_RULES(NAME, append_rules, kai::FORMAT, BYTES)                                                          \
    void kai_run_##NAME(                                                                                           \
        size_t n_idx, size_t count, size_t k, size_t nr, size_t kr, size_t sr, const void* rhs, size_t rhs_stride, \
        void* rhs_packed) {                                                                                        \
        const kai::LhsRows rows = {count, k, kai::kBlock, {nr, kr, sr}, 0, rhs, rhs_stride, rhs_packed};           \
        kai::__VA_ARGS__(kai::FORMAT, kai::checked(kai_rules_##NAME, kai::FORMAT, n_idx, rows));                   \
    }

KAI_RHS_APPEND(rhs_append_qsi8c32p_f32, qsi8c32p, 128, append_floats<kai::kRhsF32>)
KAI_RHS_APPEND(rhs_append_qsi8c32p_f16, qsi8c32p, 64, append_floats<kai::kRhsF16>)
KAI_RHS_APPEND(rhs_append_qsi8c32p_qsi8c32, qsi8c32p, 34, append_records)
KAI_RHS_APPEND(rhs_append_qsi8c32pscalef16_f32, qsi8c32pscalef16, 128, append_floats<kai::kSmeF32>)
KAI_RHS_APPEND(rhs_append_qsi8c32pscalef16_f16, qsi8c32pscalef16, 64, append_floats<kai::kSmeF16>)
KAI_RHS_APPEND(rhs_append_qsi8c32pscalef16_qsi8c32, qsi8c32pscalef16, 34, append_records)
