// LHS packers of the families with an int8 LHS that is quantised block by block (formats qsi8d32p*, and qsi8d256p with
// the sums of each 32), and functions that append rows to an RHS of the same kind: each row becomes a column, other
// columns are not touched.
//
//     q = round(x * multiplier),  multiplier and scale from amax = max |x| of the block
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/pack_getters.hpp"
#include "kai/engines/pack/pack_lhs_rules.hpp"
#include "kai/engines/pack/pack_neon_lhs_blocks.hpp"
#include "kai/engines/pack/pack_rhs_rules.hpp"
#include "kai/engines/pack/pack_unified.hpp"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_append.h"

namespace kai {
namespace {

// clang-format off
constexpr LhsBlockKind kF32      {qsi8d32p,         SourceType::f32, Ties::away};
constexpr LhsBlockKind k4x8sb    {qsi8d32p,         SourceType::f32, Ties::to_even};
constexpr LhsBlockKind kF32Last  {qsi8d32p_last,    SourceType::f32, Ties::away};
constexpr LhsBlockKind kSumsF32  {qsi8d32pscalef32, SourceType::f32, Ties::to_even};
constexpr LhsBlockKind kSumsF16  {qsi8d32pscalef32, SourceType::f16, Ties::away};
constexpr LhsBlockKind kHalfSums {qsi8d32psumf16,   SourceType::f32, Ties::to_even};
constexpr LhsBlockKind k256F32   {qsi8d256p,        SourceType::f32, Ties::to_even};
constexpr LhsBlockKind kRhsF32   {qsi8c32p,         SourceType::f32, Ties::away};
constexpr LhsBlockKind kRhsF16   {qsi8c32p,         SourceType::f16, Ties::away};
constexpr LhsBlockKind kSmeF32   {qsi8c32pscalef16, SourceType::f32, Ties::away};
constexpr LhsBlockKind kSmeF16   {qsi8c32pscalef16, SourceType::f16, Ties::away};
// clang-format on

/// The rules of a kind. Any mr, kr and sr but those of `only`.
constexpr LhsRules rules_of(const LhsBlockKind& kind, Tile only, size_t bl_multiple) {
    return {kind.format, only.rows, only.kr, only.sr, true, bl_multiple, 0};
}
constexpr LhsRules kRulesF32 = rules_of(kF32, {0, 0, 0}, 0);
constexpr LhsRules kRules4x8sb = rules_of(k4x8sb, {4, 16, 2}, 32);
constexpr LhsRules kRulesF32Last = rules_of(kF32Last, {0, 4, 0}, 32);
constexpr LhsRules kRulesSumsF32 = rules_of(kSumsF32, {0, 0, 0}, 32);
constexpr LhsRules kRulesSumsF16 = rules_of(kSumsF16, {0, 0, 0}, 32);
constexpr LhsRules kRules256{qsi8d256p, 0, 0, 0, false, 0, 0};

/// Packs. The loops are those of the kind, for groups of 8, 4 or both.
template <const LhsBlockKind& kind, bool groups_of_8 = true, bool groups_of_4 = true>
KAI_INLINE void pack_blocks(const LhsRows& p) {
#if defined(__aarch64__)
    static constexpr BlockLoops loops = block_loops<kind, groups_of_8, groups_of_4>();
    pack_lhs_blocks(kind, loops, p);
#else
    pack_lhs_blocks_scalar(kind, p);
#endif
}

/// Panels of one row, at the stride of the call.
void run_unified(const UnifiedLhsPacker& packer, const kai_matmul_pack_lhs_uker_args* args) {
    check(packer, args);
    const auto& [m, k] = args->shape;
    const auto& [packed, lhs] = args->operand;
    KAI_REQUIRE(packer.name, k % qsi8d32psumf16.block == 0, not_multiple, "k", k, qsi8d32psumf16.block);
    for (size_t i = 0; i < m; ++i) {
        pack_blocks<kHalfSums, false, false>(
            {1,
             k,
             qsi8d32psumf16.block,
             {1, 4, 1},
             0,
             bytes(lhs.ptr) + i * lhs.stride.m,
             lhs.stride.m,
             bytes(packed.ptr) + i * packed.stride.m});
    }
}

// ---- Rows that are appended

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

/// `run`, and `run` for rows by a list of indices. FIRST_ROW: what `run` takes m_idx_start for. The last ones: the
/// arguments of pack_blocks.
#define KAI_LHS_PACK_BLOCKS(NAME, RULES, T, FIRST_ROW, ...)                                                     \
    KAI_DEFINE_LHS_PACK_GETTERS_BL(NAME, RULES)                                                                 \
    KAI_RUN_LHS_PACK_BL(NAME, T) {                                                                              \
        kai::check_lhs_call(kai::RULES, {mr, kr, sr}, __func__, k, bl);                                         \
        const void* first = kai::bytes(lhs, FIRST_ROW * lhs_stride);                                            \
        kai::pack_blocks<__VA_ARGS__>({m, k, bl, {mr, kr, sr}, FIRST_ROW % mr, first, lhs_stride, lhs_packed}); \
    }                                                                                                           \
    KAI_RUN_LHS_PACK_ROWS(NAME##_rows) {                                                                        \
        kai::check_lhs_call(kai::RULES, {mr, kr, sr}, __func__, k, bl);                                         \
        kai::pack_blocks<__VA_ARGS__>({m, k, bl, {mr, kr, sr}, 0, lhs, lhs_stride, lhs_packed, rows});          \
    }
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32p_f32, kRulesF32, float, m_idx_start, kai::kF32)
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32p4x8sb_f32_neon, kRules4x8sb, float, m_idx_start, kai::k4x8sb, true, false)
// By convention this packer ignores m_idx_start: lhs and lhs_packed are those of the first row.
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32p_f32_neon, kRulesF32Last, float, 0, kai::kF32Last, false, true)
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32pscalef32_f32_neon, kRulesSumsF32, float, m_idx_start, kai::kSumsF32)
KAI_LHS_PACK_BLOCKS(lhs_quant_pack_qsi8d32pscalef32_f16_neon, kRulesSumsF16, void, m_idx_start, kai::kSumsF16)

KAI_DEFINE_LHS_PACK_GETTERS(lhs_quant_pack_qsi8d256p_f32, kRules256)

KAI_DEFINE_LHS_PACK_RUN(lhs_quant_pack_qsi8d256p_f32, kRules256, float,
                        kai::pack_blocks<kai::k256F32>(
                            {m, k, kai::qsi8d256p.block, {mr, kr, sr}, m_idx_start % mr, lhs, lhs_stride, lhs_packed});)

KAI_RUN_LHS_PACK_ROWS(lhs_quant_pack_qsi8d256p_f32_rows) {
    kai::check_lhs_call(kai::kRules256, {mr, kr, sr}, __func__, k);
    kai::pack_blocks<kai::k256F32>({m, k, kai::qsi8d256p.block, {mr, kr, sr}, 0, lhs, lhs_stride, lhs_packed, rows});
}

KAI_DEFINE_LHS_PACK_API(
    matmul_pack_lhs_mxk_qsi8d32p1x4sf16_f32_neon, kai::run_unified, float, kai::packed(kai::qsi8d32psumf16, 1, 4))

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
