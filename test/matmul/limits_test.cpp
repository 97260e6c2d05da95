// What an engine takes at a time ends at some row, column or k (kai/engines/core/limits.hpp): shapes of one less, as
// many, and one more of these, together.
//
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "kai/engines/core/limits.hpp"
#include "kai/kai_cpu.h"
#include "test/matmul/fixture.hpp"

namespace test::matmul {

namespace {

/// The largest shape that is one piece of work in each direction, or a whole number of them. A depth has `unit` more to
/// be more than that, columns at least one more and at most a panel.
struct Limit {
    size_t m, n, k, bl, unit;
};

using Limits = std::vector<Limit>;

bool needs(const kai_ukernel& u, kai_cpu_feature feature) {
    return (u.features >> feature & 1) != 0;
}

bool is(const char* format, const char* name) {
    return std::string(format) == name;
}

Limits portable_limits(const kai_ukernel& u, bool has_blocks) {
    using L = kai::PortableLimits;
    if (is(u.lhs_format, "f32") || is(u.lhs_format, "f16")) {
        return {};  // these widen nothing
    }
    const size_t unit = has_blocks ? 32 : std::max<size_t>(u.k_multiple, 1), k = L::kChunk;
    // A chunk of many blocks or of all k; one that is shorter than the block.
    return has_blocks ? Limits{{L::kRows, L::kColumns, k, 32, 32}, {1, L::kColumns, 2 * k, k, 2 * k}}
                      : Limits{{L::kRows, L::kColumns, k, 0, unit}};
}

Limits blocks_limits(const kai_ukernel& u, bool has_blocks) {
    using L = kai::BlocksLimits;
    const size_t columns = 4 * L::kQuads, super_block = u.k_multiple;
    if (!has_blocks) {
        return {{4 * L::kPanels, columns, super_block, 0, super_block}};
    }
    if (u.get_mr() == 1 && u.size_only_features != 0) {  // panels of SME: a row that is prepared, one too deep for it
        return {{1, 16, 32 * kai::BlockPanelsLimits::kPreparedBlocks, 32, 32}};
    }
    if (u.get_mr() == 1) {
        return {{1, 4 * L::kLongRowQuads, 64, 64, 64}};
    }
    const size_t chunk = needs(u, KAI_CPU_SVE)          ? L::kChunkSve
                         : needs(u, KAI_CPU_I8MM)       ? L::kChunkI8mm
                         : is(u.rhs_format, "qsi4c32p") ? L::kChunkDotprodInt4
                                                        : L::kChunkDotprod;
    Limits limits = {{4 * L::kPanels, columns, 32 * chunk, 32, 32}};
    if (is(u.rhs_format, "qsi1c32p")) {  // rows that are looked up
        limits.push_back(
            {needs(u, KAI_CPU_I8MM) ? L::kTableRowsI8mm : L::kTableRowsDotprod, L::kTableColumns, 64, 64, 64});
    }
    if (reference::find_format(u.rhs_format)->only_bl == 0) {
        limits.push_back({4 * L::kPanels, columns, 64, 64, 64});
    }
    return limits;
}

/// Chunks of whole blocks, one block, and parts of a block.
Limits table_limits() {
    constexpr size_t k = kai::BlocksLimits::kTableDepth;
    return {{2, 16, k, 32, 32}, {1, 16, k, k, k}, {1, 16, k + 32, k + 32, k + 32}};
}

using Stride = std::function<size_t(size_t k, size_t bl)>;  // from a panel of the RHS to the next

Limits qai8dxp_limits(const kai_ukernel& u, bool has_blocks, const Stride& stride) {
    using L = kai::Qai8dxpLimits;
    const size_t bl = has_blocks ? 32 : 0, nr = u.get_nr();
    const bool int8 = is(u.rhs_format, "qsi8cxp"), panels_of_sme = u.size_only_features != 0;
    const size_t few = panels_of_sme            ? (int8                               ? L::kFewRowsPanelsInt8
                                                   : is(u.rhs_format, "qsi4cxps1s0")  ? L::kFewRowsPanelsInt4
                                                   : is(u.rhs_format, "qsu2cxp4vlx4") ? L::kFewRowsPanelsInt2
                                                                                      : L::kFewRowsPanelsInt4Halves)
                       : !int8                  ? has_blocks ? L::kFewRowsInt4Blocks : L::kFewRowsInt4
                       : needs(u, KAI_CPU_I8MM) ? L::kFewRowsInt8I8mm
                                                : L::kFewRowsInt8Dotprod;
    const size_t columns = 4 * L::kBatchQuads, batch = L::kBatchDepth / L::kBatchQuads;
    // So deep that groups become smaller: two of them, and as many rows as are few.
    const size_t group = L::kFirstLevelBytes / (4 * L::kGroupPanels), rows = 4 * L::group_panels(group);
    const size_t smaller = 4 * L::group_panels(group + 32);
    // So deep that few columns fill a cache.
    const size_t deep = L::kFirstLevelBytes / 4 / nr, fit = L::kFirstLevelBytes / stride(deep, bl) * nr;
    return {
        {rows, columns, batch, bl, 32},
        {few, columns, batch, bl, 32},
        {rows, 5, group, bl, 32},
        {2 * smaller + std::min(few, smaller - 1), 5, group + 32, bl, 32},
        {few - 1, std::max(fit, nr), deep, bl, 32}};
}

/// Twice as many columns as stay in a cache.
Limits mlal_limits(const kai_ukernel& u, bool has_blocks, const Stride& stride) {
    const size_t k = 1024, bl = has_blocks ? 32 : 0;
    return {
        {2 * u.get_mr(), 8 * (kai::MlalLimits::kRhsBytes / (stride(k, bl) + 1)), k, bl,
         std::max<size_t>(32, u.k_multiple)}};
}

/// Empty if no more is known of the kernel than its steps.
Limits limits_of(const kai_ukernel& u, bool has_blocks, const Stride& stride) {
    if (u.signature == KAI_UKERNEL_IMATMUL_ROWS_QAI8 || u.signature == KAI_UKERNEL_IMATMUL_ROWS_LOWP) {
        // Blocks of rows that are gathered; a row that is not. Tiles of 4 rows that are packed and those that are not;
        // rows in two tiles of 4.
        using L = kai::StaticLimits;
        return {
            {L::kGatheredBytes / 48, L::kColumns, 48, 0, 1},
            {6, L::kColumns, L::kGatheredBytes / 6, 0, 1},
            {2, L::kColumns, L::kGatheredBytes, 0, 1},
            {6, L::kColumns, L::kGatheredBytes / 4, 0, 1},
            {7, L::kColumns, 24, 0, 1}};
    }
    if (u.features == 0) {
        return portable_limits(u, has_blocks);
    }
    if (kai::takes<&kai::KernelArgs::lowp>(u) || kai::takes<&kai::KernelArgs::offsets>(u)) {
        using L = kai::LowpLimits;
        using S = kai::StaticLimits;
        if (std::string(u.rhs_format).find("sumi32") != std::string::npos) {
            // Rows are packed for more columns than are few.
            return {
                {S::kSumRows, 2 * S::kFewColumns, 32, 0, 1},
                {8, 2 * S::kFewColumns, S::kPackedBytes / 8, 0, 1},
                {5, S::kColumns, S::kPackedBytes / 4, 0, 1},
                {7, S::kFewColumns + 1, 24, 0, 1},
                {10, S::kFewColumns + 1, 24, 0, 1}};
        }
        return {{L::kRows, L::kColumns, 16 * L::kGroups, 0, 1}};
    }
    if (u.signature == KAI_UKERNEL_MATMUL_ROWS_STATIC) {
        using L = kai::StaticLimits;
        if (u.get_m_step() == 4 && u.get_kr() == 4) {  // SMULL
            return {
                {kai::LowpLimits::kRows, L::kColumns, 16, 0, 1},
                {5, L::kColumns, kai::MlalLimits::kRhsBytes / L::kColumns, 0, 1},
                {5, L::kColumns, kai::MlalLimits::kRhsBytes / L::kColumns + 24, 0, 1}};
        }
        const size_t columns = L::kColumns * L::kStripPanels;
        // Blocks of the most rows; of fewer, as k is long; rows that there is no room for; few columns; one row of a k
        // that ends in the second half of a step; rows that are packed in tiles of 6, 4, 2 and one, or of both.
        return {
            {L::kRows, columns, 16, 0, 1},
            {8, columns, L::kPackedBytes / 8, 0, 1},
            {5, L::kColumns, L::kPackedBytes / 4, 0, 1},
            {13, L::kFewColumns, 32, 0, 1},
            {5, L::kColumns, 27, 0, 1},
            {7, L::kFewColumns + 1, 24, 0, 1},
            {10, L::kFewColumns + 1, 24, 0, 1},
            {13, L::kFewColumns + 1, 24, 0, 1},
            {L::kRows, L::kFewColumns + 1, L::kPackedBytes / 6, 0, 1}};
    }
    if (u.size_only_features != 0 && u.dst_type == kai_dt_int8 && u.rows == KAI_ROWS_MANY) {  // panels of SME
        using L = kai::StaticLimits;
        return {
            {L::kPanelRows, L::kColumns * L::kPanelStrips, L::kPanelDepth, 0, 1},
            {9, L::kColumns, L::kPanelDepth, 0, 1}};  // tiles of 6 and of 4
    }
    if (kai::file_type_of(u) != nullptr) {
        using L = kai::InplaceLimits;
        const size_t chunk = (u.k_multiple == 256 ? L::kSuperBlocks : L::kBlocks) * u.k_multiple;
        return {{2, L::kColumns, chunk, 0, u.k_multiple}};
    }
    if (u.signature == KAI_UKERNEL_MATMUL_PLAIN) {  // a step of columns is kVectors
        using L = kai::PlainLimits;
        return {{2, L::kRowVectors / L::kVectors * u.get_n_step(), 5, 0, 1}};
    }
    const bool by_rows = is(u.lhs_format, "qai8dxp"), by_blocks = std::string(u.lhs_format).find("qsi8d") == 0;
    const bool runs_sme = (kai::run_features(u) >> KAI_CPU_SME & 1) != 0;
    if (runs_sme || kai::is_unified(u) || !(by_rows || by_blocks)) {
        return {};
    }
    if (!needs(u, KAI_CPU_DOTPROD) && !needs(u, KAI_CPU_I8MM) && !needs(u, KAI_CPU_SVE_I8MM)) {
        return is(u.rhs_format, "qsi1c32p") ? table_limits() : mlal_limits(u, has_blocks, stride);
    }
    return by_blocks         ? blocks_limits(u, has_blocks)
           : u.get_mr() == 4 ? qai8dxp_limits(u, has_blocks, stride)
                             : Limits{};
}

}  // namespace

TEST_P(Matmul, Limits) {
    const auto stride = [&](size_t k, size_t bl) { return rhs_offset(rhs_tile.rows, k, bl); };
    const size_t panel = rhs_format->packed ? rhs_tile.rows : n_step;
    const size_t least = std::max<size_t>(u.k_multiple, 1);
    for (const Limit& limit : limits_of(u, has_blocks, stride)) {
        // One more step, and if a step can be partial, one that is.
        for (const size_t k :
             std::set<size_t>{limit.k, limit.k + (has_blocks ? limit.unit : least), limit.k + limit.unit}) {
            const size_t most_rows = one_row ? 1 : limit.m + 1, width = limit.n + panel;
            const Side lhs = make_lhs(Data::random, most_rows, k, limit.bl);
            const Side rhs = make_rhs(Data::random, width, k, limit.bl);
            const Operands o = packed(lhs, rhs);
            const std::vector<float> full = check(lhs, rhs);
            // The first rows and columns of the same operands.
            for (const size_t m : std::set<size_t>{1, 5, limit.m - 1, limit.m, limit.m + 1}) {
                std::set<size_t> columns = {limit.n - 1, limit.n, limit.n + 1, width};
                for (size_t n = 1; n <= 17 && k == limit.k && m <= 5; ++n) {
                    columns.insert(std::min(n, width));  // any number of quads and what is left of one
                }
                for (const size_t n : columns) {
                    if (m == 0 || m > most_rows) {
                        continue;
                    }
                    // Large in both directions: at least one of them beyond the limit, or neither.
                    if (m > 5 && m <= limit.m && n != limit.n + 1 && (m != limit.m || n != limit.n)) {
                        continue;
                    }
                    const GuardedBuffer dst(m * n * element, Flush::end, kNan);
                    call(m, n, o, o.lhs.data(), o.rhs.data(), dst.data(), n * element, {});
                    for (size_t i = 0; i < m; ++i) {
                        ASSERT_EQ(difference(dst.data() + i * n * element, 0, 1, n, full.data() + i * width), "")
                            << "row " << i << " of " << m << ", n " << n << ", k " << k << ", bl " << limit.bl;
                    }
                }
            }
        }
    }
}

// Results are clamped once, after the last part of k: no sum of a part is.
TEST_P(Matmul, ClampsAtLimits) {
    if (!clamps) {
        return;
    }
    const auto stride = [&](size_t k, size_t bl) { return rhs_offset(rhs_tile.rows, k, bl); };
    for (const Limit& limit : limits_of(u, has_blocks, stride)) {
        const size_t m = one_row ? 1 : 6, n = 5, k = limit.k + limit.unit;
        const Operands o = packed(make_lhs(Data::random, m, k, limit.bl), make_rhs(Data::random, n, k, limit.bl));
        std::vector<float> want = run(o, {});
        for (float& value : want) {
            value = std::max(value, 0.0f);
        }
        EXPECT_EQ(run(o, {0.0f, kInf}), want) << "m " << m << ", n " << n << ", k " << k << ", bl " << limit.bl;
    }
}

// An infinite scale is that of its row alone, whichever row of a panel that is and whichever part of k has it.
TEST_P(Matmul, InfiniteScalesAtLimits) {
    const auto stride = [&](size_t k, size_t bl) { return rhs_offset(rhs_tile.rows, k, bl); };
    for (const Limit& limit : limits_of(u, has_blocks, stride)) {
        const size_t m = one_row ? 1 : 6, n = 5, k = limit.k + limit.unit;
        const Side lhs = make_lhs(Data::random, m, k, limit.bl), rhs = make_rhs(Data::random, n, k, limit.bl);
        if (lhs.scale.empty() || integer_dst) {
            return;
        }
        const size_t scales = lhs.scale.size() / m;
        for (size_t row = 0; row < m; ++row) {
            for (const size_t part : std::set<size_t>{0, scales - 1}) {
                Side spoilt = lhs;
                spoilt.scale[row * scales + part] = kInf;
                EXPECT_EQ(
                    reference::compare(expected(spoilt, rhs), run(spoilt, rhs), m, n, -kInf, kInf, u.dst_type), "")
                    << "row " << row << ", scale " << part << " of " << scales << ", k " << k << ", bl " << limit.bl;
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

}  // namespace test::matmul
