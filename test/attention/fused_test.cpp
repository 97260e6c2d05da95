// The kernels that compute whole blocks: alone, between inaccessible pages, and in runs whose tiles they take.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/attention/fused.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kai/attention/exp.hpp"
#include "kai/kai_call.h"
#include "test/attention/experiment.hpp"
#include "test/support/checked_call.hpp"

namespace test::attention {
namespace {

using kai::attention::FusedBlock;
using kai::attention::FusedFn;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

kai_attention_problem problem_of(kai_attention_cache type, size_t heads, size_t key, size_t value, size_t page) {
    kai_attention_problem p = kai_attention_problem_of(heads, 1, key);
    p.value_size = value, p.cache_type = type, p.page = page;
    return p;
}

void call(FusedFn* run, const FusedBlock* block) {
    run(block);
}

/// One block with all that it reads and writes in memory of exact size.
class Block {
public:
    Block(const kai_attention_plan& plan, const SequenceData& s, Flush flush)
        : plan_(plan), s_(s), flush_(flush), element_(plan.scores.type == kai_dt_f32 ? 4 : 2) {
        const kai_attention_problem& p = plan.problem;
        rows_ = s.shape.tokens * p.heads, count_ = s.shape.length, v_ = plan.scores.format.nr / 2;
        lanes_ = (rows_ + 2 * v_ - 1) / (2 * v_) * 2 * v_, row_ = (p.value_size * sizeof(float) + 63) / 64 * 64;
        pack_queries();
    }

    /// The first block of all; then another one, of which rows see `first` to `last`.
    void run(FusedFn* kernel, bool is_first, size_t first, size_t last, float scale) {
        const kai_attention_problem& p = plan_.problem;
        const size_t quads = (count_ + 3) / 4 * 4, head = plan_.scores.type == kai_dt_f16 ? 2 : 4;
        const auto panel = [&](size_t depth) { return 2 * v_ * (head + depth * element_); };
        if (is_first) {
            max_ = floats(lanes_), sum_ = floats(lanes_), factor_ = floats(lanes_);
            first_ = floats(lanes_), last_ = floats(lanes_);
            o_ = std::make_unique<GuardedBuffer>((rows_ - 1) * row_ + p.value_size * sizeof(float), flush_);
            std::fill_n(max_->as<float>(), lanes_, -kInfinity);
            std::fill_n(sum_->as<float>(), lanes_, 0.0F);
        }
        std::fill_n(first_->as<uint32_t>(), lanes_, static_cast<uint32_t>(first));
        std::fill_n(last_->as<uint32_t>(), lanes_, static_cast<uint32_t>(last));
        const std::unique_ptr<GuardedBuffer> scores = floats(2 * quads * v_), space = floats(quads * v_ * element_ / 4);
        FusedBlock b = {};
        b.q = q_->data(), b.q_panel = 2 * v_ * p.key_size * element_;
        b.rows = rows_, b.depth = p.key_size * element_ / 4;
        b.pages = s_.table.data(), b.count = count_, b.page = p.page;
        b.key_heads = 2 * v_ * head, b.key_panel = panel(p.key_size);
        b.values = plan_.values_offset + 2 * v_ * head, b.value_panel = panel(p.page), b.value_size = p.value_size;
        b.scores = scores->as<float>(), b.scores_half = quads * v_ * sizeof(float), b.p = space->data();
        b.first = first_->as<uint32_t>(), b.last = last_->as<uint32_t>();
        b.all_first = first, b.all_last = last;
        b.max = max_->as<float>(), b.sum = sum_->as<float>(), b.factor = factor_->as<float>();
        b.o = o_->as<float>(), b.o_row = row_, b.is_first = is_first ? 1 : 0;
        b.scale = scale * kai::attention::kLog2E, b.least = -200;
        const bool f32 = plan_.scores.type == kai_dt_f32;
        const float* const c = f32 ? kai::attention::kPolynomial5 + 2 : kai::attention::kPolynomial3;
        b.c5 = kai::attention::kPolynomial5[0], b.c4 = kai::attention::kPolynomial5[1];
        b.c3 = c[0], b.c2 = c[1], b.c1 = c[2], b.c0 = c[3];
        kai_commit_za();
        checked_call(call, kernel, static_cast<const FusedBlock*>(&b));
    }

    /// M is the least integer that is not below the exponents; sums and outputs within f32 and the type of P. `blocks`:
    /// first and last of those that were run.
    void expect_right(const std::vector<std::pair<size_t, size_t>>& blocks, float scale) const {
        const kai_attention_problem& p = plan_.problem;
        const std::vector<float> keys = rounded(p.cache_type, s_.keys), values = rounded(p.cache_type, s_.values);
        const std::vector<float> queries = rounded(p.cache_type, s_.q);
        const double p_unit = element_ == 4 ? 0x1p-20 : plan_.scores.type == kai_dt_f16 ? 0x1p-10 : 0x1p-7;
        for (size_t r = 0; r < rows_; ++r) {
            std::vector<double> out(p.value_size), size(p.value_size);
            double most = -INFINITY, sum = 0, weight = 0;
            for (int pass = 0; pass < 2; ++pass) {
                for (const auto& [first, last] : blocks) {
                    for (size_t j = first; j < last; ++j) {
                        double score = 0, terms = 0;
                        for (size_t i = 0; i < p.key_size; ++i) {
                            const double term = double{queries[r * p.key_size + i]} * double{keys[j * p.key_size + i]};
                            score += term, terms += std::fabs(term);
                        }
                        weight = std::max(weight, terms * double{scale});
                        const double x = score * double{scale} * std::log2(std::exp(1.0));
                        most = pass == 0 ? std::max(most, x) : most;
                        const double y = pass == 0 ? 0 : std::exp2(x - double{max_->as<float>()[r]});
                        sum += y;
                        for (size_t c = 0; c < p.value_size; ++c) {
                            out[c] += y * double{values[j * p.value_size + c]};
                            size[c] += y * std::fabs(double{values[j * p.value_size + c]});
                        }
                    }
                }
            }
            const double m = max_->as<float>()[r];
            const double d = 0x1p-24 * static_cast<double>(p.key_size + 8) * weight + 0x1p-19 * std::fabs(m);
            const double error = p_unit + std::expm1(d);
            EXPECT_EQ(m, std::rint(m)) << r;
            EXPECT_GE(m, most - 2 * d) << r;
            EXPECT_LT(m, most + 1 + 2 * d) << r;
            EXPECT_NEAR(sum_->as<float>()[r], sum, error * sum) << r;
            for (size_t c = 0; c < p.value_size; ++c) {
                const double got = o_->as<float>()[r * row_ / sizeof(float) + c];
                ASSERT_NEAR(got, out[c], error * size[c] + 1e-30) << "row " << r << ", column " << c;
            }
        }
    }

private:
    std::unique_ptr<GuardedBuffer> floats(size_t count) const {
        return std::make_unique<GuardedBuffer>(count * sizeof(float), flush_, uint8_t{0xFF});
    }

    void pack_queries() {
        const kai_attention_problem& p = plan_.problem;
        kai_call pack = {};
        pack.ukernel = plan_.scores.gemm.ukernel, pack.lhs_packer = plan_.scores.gemm.lhs_packer;
        pack.m = rows_, pack.k = p.key_size;
        const std::vector<uint8_t> rows = encoded(plan_.scores.gemm.row_type, s_.q);
        pack.lhs = rows.data(), pack.lhs_stride = rows.size() / rows_;
        q_ = std::make_unique<GuardedBuffer>(kai_call_lhs_packed_size(&pack), flush_, uint8_t{0xFF});
        kai_call_pack_lhs(&pack, 0, rows_, q_->data());
    }

    const kai_attention_plan& plan_;
    const SequenceData& s_;
    Flush flush_;
    size_t element_, rows_, count_, v_, lanes_, row_;
    std::unique_ptr<GuardedBuffer> q_, max_, sum_, factor_, first_, last_, o_;
};

class AttentionFused : public testing::TestWithParam<kai_attention_cache> {
protected:
    /// Whether a kernel takes tiles of this plan. Vectors may be too long for the sizes.
    static bool takes(const kai_attention_problem& p) {
        kai_attention_plan plan;
        EXPECT_EQ(kai_attention_make_plan(&p, &plan), KAI_GEMM_OK);
        return kai::attention::fused_for(plan) != nullptr;
    }
    /// Of heads and pages that all vectors fit.
    void SetUp() override {
        if (!takes(problem_of(GetParam(), 1, 128, 128, 256))) {
            GTEST_SKIP() << "there is no such kernel for this CPU";
        }
    }

    static void expect_right(
        const kai_attention_problem& p, const std::vector<SequenceShape>& shapes, const Options& options = {}) {
        Options poisoned = options;
        poisoned.poison = 0xFF;
        Experiment e(p, shapes, poisoned);
        e.run();
        e.expect_right();
    }
};

/// Rows and positions that fill panels and that do not; a second block, of which rows see a part.
TEST_P(AttentionFused, OneBlock) {
    for (const size_t size : {64, 136}) {
        for (const size_t length : {1, 2, 3, 31, 64, 255}) {
            const kai_attention_problem p = problem_of(GetParam(), 1, size, size == 136 ? 88 : size, 256);
            if (!takes(p)) {
                continue;
            }
            const size_t rows = length % 2 != 0 ? 16 + length % 50 : 34;
            Options options;
            options.poison = 0xFF;
            Experiment e(p, {{rows, 0, length, 0}}, options);
            FusedFn* const kernel = kai::attention::fused_for(e.plan());
            SCOPED_TRACE(testing::Message() << rows << " rows, " << length << " positions, heads of " << size);
            Block block(e.plan(), e.sequences()[0], length % 2 != 0 ? Flush::end : Flush::start);
            const float scale = 0.5F;
            block.run(kernel, true, length / 2, length, scale);
            block.expect_right({{length / 2, length}}, scale);
            block.run(kernel, false, length / 5, length - length / 3, scale);
            block.expect_right({{length / 2, length}, {length / 5, length - length / 3}}, scale);
        }
    }
}

TEST_P(AttentionFused, RowsAndPositions) {
    for (const size_t page : {64, 240, 256}) {
        const kai_attention_problem p = problem_of(GetParam(), 2, 64, 64, page);
        expect_right(p, {{8, 0, 8, 0}, {33, 2, 35, 0}, {9, 250, 259, 0}});
    }
}

/// All that it is for.
TEST_P(AttentionFused, WhatIsSeen) {
    for (const int ways : {0, 1, 2, 3, 4, 5, 6, 7}) {
        kai_attention_problem p = problem_of(GetParam(), 2, 32, 32, 32);
        p.causal = (ways & 1) != 0, p.window = (ways & 2) != 0 ? 19 : 0, p.scale = (ways & 4) != 0 ? 0.3F : 0;
        Options options;
        options.sinks = (ways & 4) != 0, options.seed = static_cast<uint64_t>(ways);
        expect_right(p, {{9, 24, 33, 29}, {40, 0, 40, 0}, {20, 60, 80, 70}}, options);
    }
}

/// Masks of both types, slopes, and both, with positions that rows do not see and in more than one block. The last row
/// of a mask ends at an inaccessible page.
TEST_P(AttentionFused, MaskAndSlopes) {
    for (const int ways : {1, 2, 3, 4, 5, 6, 7}) {
        const size_t size = ways == 7 ? 128 : 32;  // which the longest vectors fit
        kai_attention_problem p = problem_of(GetParam(), 3, size, size, 2 * size);
        p.mask_type = (ways & 4) != 0 ? kai_dt_f16 : kai_dt_f32, p.causal = ways != 5, p.window = ways == 6 ? 60 : 0;
        p.scale = ways == 7 ? 0.4F : 0;
        Options options;
        options.mask = (ways & 5) != 0, options.mask_per_head = (ways & 2) != 0, options.slopes = (ways & 2) != 0;
        options.sinks = ways == 3, options.seed = static_cast<uint64_t>(ways);
        expect_right(p, {{7, 23, 31, 0}, {26, 0, 26, 20}, {11, 270, 281, 0}}, options);
    }
}

/// A soft cap of numbers far below it, around it and far above it, alone and before mask and slopes.
TEST_P(AttentionFused, SoftCap) {
    for (const float cap : {0.05F, 2.5F, 300.0F}) {
        for (const bool biased : {false, true}) {
            const size_t size = biased ? 128 : 32;  // the longest vectors fit 128
            kai_attention_problem p = problem_of(GetParam(), 2, size, size, 2 * size);
            p.soft_cap = cap;
            Options options;
            options.mask = options.slopes = biased;
            expect_right(p, {{7, 30, 37, 0}, {20, 0, 20, 0}, {9, 70, 79, 0}}, options);
        }
    }
}

/// A sequence that is one tile: its positions are divided.
TEST_P(AttentionFused, Parts) {
    for (const bool sinks : {false, true}) {
        kai_attention_problem p = problem_of(GetParam(), 2, 32, 32, 64);
        p.window = sinks ? 560 : 0;
        Options options;
        options.sinks = sinks;
        expect_right(p, {{8, 560, 568, 0}}, options);
    }
}

/// Exponents of all sizes: P is 0 for most positions, maxima grow from block to block.
TEST_P(AttentionFused, Magnitudes) {
    for (const float scale : {0.001F, 1.0F, 40.0F}) {
        kai_attention_problem p = problem_of(GetParam(), 1, 64, 64, 64);
        p.scale = scale, p.q_type = GetParam() == KAI_ATTENTION_F16 ? kai_dt_f16 : kai_dt_bf16;
        p.causal = false;
        expect_right(p, {{17, 0, 300, 0}});
    }
}

/// The bits depend neither on threads nor on the order of units, nor on what memory held.
TEST_P(AttentionFused, SameBits) {
    const kai_attention_problem p = problem_of(GetParam(), 4, 32, 32, 64);
    const std::vector<SequenceShape> shapes = {{40, 10, 50, 0}, {4, 540, 544, 0}, {70, 0, 70, 0}};
    Options options;
    Experiment first(p, shapes, options);
    first.run();
    const std::vector<uint8_t> expected = first.results();
    for (const size_t workers : {2, 3, 8, 64}) {
        options.workers = workers, options.poison = workers % 2 != 0 ? 0xFF : 0x7F;
        Experiment e(p, shapes, options);
        e.run();
        EXPECT_EQ(e.results(), expected) << workers;
        Experiment units(p, shapes, options);
        units.run_units(workers);
        EXPECT_EQ(units.results(), expected) << workers;
    }
}

/// A score that is NaN or +infinity makes NaN of its row and of no other one. -infinity: P is 0.
TEST_P(AttentionFused, NaNAndInfinity) {
    kai_attention_problem p = problem_of(GetParam(), 1, 64, 64, 64);
    p.causal = false;
    for (const float x : {std::numeric_limits<float>::quiet_NaN(), kInfinity}) {
        Experiment e(p, {{20, 0, 100, 0}}, {});
        SequenceData& s = e.sequences()[0];
        s.q_buffer->as<float>()[7 * 64 + 3] = x;
        e.run();
        const auto* const out = s.out->as<float>();
        for (size_t i = 0; i < 20 * size_t{64}; ++i) {
            EXPECT_EQ(std::isnan(out[i]), i / 64 == 7) << x << " " << i;
        }
    }
}

/// Under a soft cap an infinite score is the cap, and NaN stays NaN.
TEST_P(AttentionFused, InfinityUnderASoftCap) {
    kai_attention_problem p = problem_of(GetParam(), 1, 64, 64, 64);
    p.causal = false, p.soft_cap = 2;
    for (const float x : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity}) {
        Experiment e(p, {{20, 0, 100, 0}}, {});
        e.sequences()[0].q_buffer->as<float>()[7 * 64 + 3] = x;
        e.run();
        const auto* const out = e.sequences()[0].out->as<float>();
        for (size_t i = 0; i < 20 * size_t{64}; ++i) {
            EXPECT_EQ(std::isnan(out[i]), i / 64 == 7 && std::isnan(x)) << x << " " << i;
        }
    }
}

/// All scores are -infinity: zeros.
TEST_P(AttentionFused, AllAreMinusInfinity) {
    kai_attention_problem p = problem_of(GetParam(), 1, 64, 64, 64);
    p.causal = false;
    Experiment e(p, {{20, 0, 100, 0}}, {});
    SequenceData& s = e.sequences()[0];
    for (size_t j = 0; j < 100; ++j) {
        s.keys[j * 64] = 1;
    }
    kai_attention_rows rows = {};
    rows.type = kai_dt_f32, rows.count = 100, rows.keys = s.keys.data(), rows.values = s.values.data();
    ASSERT_EQ(kai_attention_append(&e.plan(), s.table.data(), 0, &rows, nullptr, nullptr), KAI_GEMM_OK);
    s.q_buffer->as<float>()[7 * 64] = -kInfinity;
    e.run();
    const auto* const out = s.out->as<float>();
    for (size_t i = 0; i < 20 * size_t{64}; ++i) {
        EXPECT_EQ(out[i] == 0, i / 64 == 7) << i << ": " << out[i];
    }
}

/// Plans say so.
TEST_P(AttentionFused, Explanation) {
    kai_attention_problem p = problem_of(GetParam(), 1, 128, 128, 256);
    for (const size_t sme_units : {1, 0}) {
        p.sme_units = sme_units;
        kai_attention_plan plan;
        ASSERT_EQ(kai_attention_make_plan(&p, &plan), KAI_GEMM_OK);
        std::string text(4096, 0);
        text.resize(kai_attention_explain(&plan, text.data(), text.size()));
        EXPECT_EQ(text.find("by one kernel, sme2") != std::string::npos, sme_units != 0) << text;
    }
}

std::string name_of(const testing::TestParamInfo<kai_attention_cache>& info) {
    constexpr const char* kNames[] = {"f32", "f16", "bf16"};
    return kNames[info.param];
}
INSTANTIATE_TEST_SUITE_P(
    , AttentionFused, testing::Values(KAI_ATTENTION_F32, KAI_ATTENTION_F16, KAI_ATTENTION_BF16), name_of);

}  // namespace
}  // namespace test::attention
