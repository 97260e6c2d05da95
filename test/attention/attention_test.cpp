// Attention against the reference in double: every kind of cache, shapes, and what is added to scores.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "test/attention/experiment.hpp"

namespace test::attention {
namespace {

kai_attention_problem problem_of(kai_attention_cache type, size_t heads, size_t kv_heads, size_t key, size_t value) {
    kai_attention_problem p = kai_attention_problem_of(heads, kv_heads, key);
    p.value_size = value, p.cache_type = type, p.page = 16;
    return p;
}

void expect_right(const kai_attention_problem& p, const std::vector<SequenceShape>& shapes, const Options& options) {
    Experiment e(p, shapes, options);
    e.run();
    e.expect_right();
}

class Attention : public testing::TestWithParam<kai_attention_cache> {};

TEST_P(Attention, Decode) {
    for (const size_t length : {1, 15, 16, 17, 64, 100}) {
        expect_right(problem_of(GetParam(), 2, 2, 64, 64), {{1, length - 1, length, 0}}, {});
        expect_right(problem_of(GetParam(), 6, 2, 32, 96), {{1, length - 1, length, 0}}, {});
    }
}

TEST_P(Attention, Prefill) {
    for (const size_t page : {16, 48, 64, 256}) {
        kai_attention_problem p = problem_of(GetParam(), 4, 2, 64, 32);
        p.page = page;
        expect_right(p, {{37, 0, 37, 0}}, {});
        expect_right(p, {{40, 30, 70, 0}}, {});
    }
    // Tiles begin with another head than the first one of a token.
    expect_right(problem_of(GetParam(), 3, 1, 32, 32), {{40, 0, 40, 0}}, {});
}

TEST_P(Attention, SizesOfHeads) {
    for (const size_t size : {32, 96, 128, 256}) {
        expect_right(problem_of(GetParam(), 3, 1, size, 64), {{3, 17, 20, 0}}, {});
        expect_right(problem_of(GetParam(), 3, 1, 64, size), {{3, 17, 20, 0}}, {});
    }
    if (GetParam() != KAI_ATTENTION_Q8_0) {
        for (const size_t size : {8, 40, 72, 200}) {
            expect_right(problem_of(GetParam(), 2, 1, size, 64), {{5, 30, 35, 0}}, {});
            expect_right(problem_of(GetParam(), 2, 1, 64, size), {{5, 30, 35, 0}}, {});
        }
    }
}

/// All that may be added to scores or hide them, alone and in pairs.
TEST_P(Attention, Scores) {
    constexpr int kWays = 9;
    for (int first = 0; first < kWays; ++first) {
        for (int second = 0; second <= first; ++second) {
            kai_attention_problem p = problem_of(GetParam(), 4, 2, 32, 32);
            Options options;
            options.seed = static_cast<uint64_t>(first * kWays + second);
            size_t prefix = 0;
            for (const int way : {first, second}) {
                p.scale = way == 0 ? 0.25F : p.scale;
                p.soft_cap = way == 1 ? 2.5F : p.soft_cap;
                p.causal = way == 2 ? false : p.causal;
                p.window = way == 3 ? 19 : p.window;
                options.mask = way == 4 || way == 5 || options.mask;
                options.mask_per_head = way == 5 || options.mask_per_head;
                p.mask_type = way == 5 ? kai_dt_f16 : p.mask_type;
                options.slopes = way == 6 || options.slopes;
                options.sinks = way == 7 || options.sinks;
                prefix = way == 8 ? 29 : prefix;
            }
            expect_right(p, {{9, 24, 33, prefix}, {1, 40, 41, prefix}, {20, 0, 20, prefix}}, options);
        }
    }
}

TEST_P(Attention, TypesAndStrides) {
    for (const kai_datatype q : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
        for (const kai_datatype out : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
            kai_attention_problem p = problem_of(GetParam(), 4, 2, 32, 64);
            p.q_type = q, p.out_type = out;
            Options options;
            options.gaps = q != out;
            expect_right(p, {{3, 5, 8, 0}, {1, 17, 18, 0}}, options);
        }
    }
}

/// Tiles of many rows; parts of long caches; sequences of all kinds together.
TEST_P(Attention, Long) {
    kai_attention_problem p = problem_of(GetParam(), 4, 1, 32, 32);
    p.page = 64;
    expect_right(p, {{1, 1299, 1300, 0}, {0, 0, 5, 0}, {50, 0, 50, 0}, {2, 511, 513, 0}, {1, 511, 512, 0}}, {});
    Options options;
    options.sinks = options.slopes = true;
    expect_right(p, {{2, 1298, 1300, 0}}, options);
    p.window = 100;
    expect_right(p, {{3, 1297, 1300, 0}, {60, 540, 600, 0}}, {});
}

/// 5,000 positions, of which pages hold 256.
TEST_P(Attention, Longest) {
    kai_attention_problem p = problem_of(GetParam(), 1, 1, 32, 32);
    p.page = 256;
    expect_right(p, {{1, 4999, 5000, 0}}, {});
}

TEST_P(Attention, NothingToSee) {
    kai_attention_problem p = problem_of(GetParam(), 2, 1, 32, 32);
    p.causal = false;
    Experiment e(p, {{2, 0, 0, 0}, {0, 0, 0, 0}}, {});
    e.run();
    e.expect_right();
    // A window that ends before the cache begins.
    p.window = 4;
    Experiment windowed(p, {{3, 38, 40, 0}}, {});
    windowed.run();
    windowed.expect_right();
    Experiment none(p, {}, {});
    none.run();
    EXPECT_TRUE(none.results().empty());
}

/// A mask of -infinity everywhere, in one tile and in parts: zeros, not NaN.
TEST_P(Attention, AllIsHidden) {
    for (const size_t length : {20, 1300}) {
        const kai_attention_problem p = problem_of(GetParam(), 2, 1, 32, 32);
        Options options;
        options.mask = true;
        Experiment e(p, {{1, length - 1, length, 0}, {2, length - 2, length, 0}}, options);
        for (SequenceData& s : e.sequences()) {
            s.mask.assign(s.mask.size(), -std::numeric_limits<float>::infinity());
            const std::vector<uint8_t> bytes = encoded(kai_dt_f32, s.mask);
            std::copy(bytes.begin(), bytes.end(), s.mask_buffer->data());
        }
        e.run();
        e.expect_right();
    }
}

/// The bits depend neither on threads nor on the order of units, nor on what memory held, nor on other sequences.
TEST_P(Attention, SameBits) {
    kai_attention_problem p = problem_of(GetParam(), 4, 2, 32, 32);
    p.page = 32;
    const std::vector<SequenceShape> shapes = {{1, 1199, 1200, 0}, {70, 10, 80, 0}, {2, 600, 602, 0}};
    Options options;
    options.slopes = options.sinks = true;
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
    // The first sequence alone.
    options.workers = 1;
    Experiment alone(p, {shapes[0]}, options);
    alone.run();
    const std::vector<uint8_t> its = alone.results();
    EXPECT_EQ(its, std::vector<uint8_t>(expected.begin(), expected.begin() + static_cast<ptrdiff_t>(its.size())));
}

/// Bytes of pages do not depend on how they were appended.
TEST_P(Attention, AppendInAnyChunks) {
    kai_attention_problem p = problem_of(GetParam(), 2, 2, 32, 64);
    p.page = 48;
    std::vector<std::vector<uint8_t>> expected;
    for (const size_t chunk : {200, 1, 7, 48, 50}) {
        Options options;
        options.chunk = chunk;
        Experiment e(p, {{1, 149, 150, 0}}, options);
        for (size_t i = 0; i < e.sequences()[0].pages.size(); ++i) {
            const std::vector<uint8_t> bytes = e.sequences()[0].pages[i]->bytes();
            if (chunk == 200) {
                expected.push_back(bytes);
            }
            EXPECT_EQ(bytes, expected[i]) << "chunks of " << chunk << ", page " << i;
        }
    }
}

/// A position is written again, others stay: the same pages as if it had been right at once.
TEST_P(Attention, AppendAgain) {
    const kai_attention_problem p = problem_of(GetParam(), 2, 1, 32, 32);
    Experiment right(p, {{1, 39, 40, 0}}, {}), e(p, {{1, 39, 40, 0}}, {});
    SequenceData& s = e.sequences()[0];
    std::vector<float> wrong(10 * 32, 77.0F);
    kai_attention_rows rows = {};
    rows.type = kai_dt_f32, rows.count = 10, rows.keys = wrong.data(), rows.values = wrong.data();
    ASSERT_EQ(kai_attention_append(&e.plan(), s.table.data(), 11, &rows, nullptr, nullptr), KAI_GEMM_OK);
    EXPECT_NE(s.pages[0]->bytes(), right.sequences()[0].pages[0]->bytes());
    rows.keys = &s.keys[11 * 32], rows.values = &s.values[11 * 32];
    ASSERT_EQ(kai_attention_append(&e.plan(), s.table.data(), 11, &rows, nullptr, nullptr), KAI_GEMM_OK);
    for (size_t i = 0; i < s.pages.size(); ++i) {
        EXPECT_EQ(s.pages[i]->bytes(), right.sequences()[0].pages[i]->bytes()) << i;
    }
}

/// Rows of all types, with strides and heads before tokens.
TEST_P(Attention, AppendTypes) {
    const kai_attention_problem p = problem_of(GetParam(), 2, 2, 32, 64);
    for (const kai_datatype type : {kai_dt_f32, kai_dt_f16, kai_dt_bf16}) {
        Experiment e(p, {{1, 19, 20, 0}}, {});
        SequenceData& s = e.sequences()[0];
        // The floats of this type, of which the experiment makes the expectation.
        for (std::vector<float>* list : {&s.keys, &s.values}) {
            const std::vector<uint8_t> bytes = encoded(type, *list);
            for (size_t i = 0; i < list->size(); ++i) {
                (*list)[i] = decoded(type, &bytes[i * bytes.size() / list->size()]);
            }
        }
        const size_t size = type == kai_dt_f32 ? 4 : 2;
        const std::vector<uint8_t> keys = encoded(type, s.keys), values = encoded(type, s.values);
        std::vector<uint8_t> moved_keys(keys.size() + 2 * 20 * 8), moved_values(values.size());
        kai_attention_rows rows = {};
        rows.type = type, rows.count = 20;
        rows.key_token = 32 * size + 8, rows.key_head = 20 * rows.key_token;
        rows.value_token = 64 * size, rows.value_head = 20 * rows.value_token;
        for (size_t j = 0; j < 20; ++j) {
            for (size_t h = 0; h < 2; ++h) {
                std::memcpy(
                    &moved_keys[j * rows.key_token + h * rows.key_head], &keys[(j * 2 + h) * 32 * size], 32 * size);
                std::memcpy(
                    &moved_values[j * rows.value_token + h * rows.value_head], &values[(j * 2 + h) * 64 * size],
                    64 * size);
            }
        }
        rows.keys = moved_keys.data(), rows.values = moved_values.data();
        ASSERT_EQ(kai_attention_append(&e.plan(), s.table.data(), 0, &rows, nullptr, nullptr), KAI_GEMM_OK);
        e.run();
        e.expect_right();
    }
}

/// What memory of the cache holds beyond the length has no effect: NaN of every type, and stale rows.
TEST_P(Attention, NothingOfTheCacheLeaks) {
    const kai_attention_problem p = problem_of(GetParam(), 2, 1, 32, 32);
    for (const size_t length : {1, 2, 3, 5, 13, 18}) {
        std::vector<uint8_t> expected;
        for (const uint8_t poison : {0x00, 0x7F, 0xFF}) {
            Options options;
            options.poison = poison;
            Experiment e(p, {{1, length - 1, length, 0}, {length, 0, length, 0}}, options);
            e.run();
            e.expect_right();
            expected = expected.empty() ? e.results() : expected;
            EXPECT_EQ(e.results(), expected) << length;
        }
    }
}

/// Decode reads values where they are, the last page, too. So the workspace is written for scores, probabilities and
/// results alone: fewer bytes than half of the values that are seen of the last page.
TEST_P(Attention, DecodeCopiesNoPage) {
    kai_attention_problem p = problem_of(GetParam(), 1, 1, 128, 128);
    p.page = 256;
    Experiment e(p, {{1, 441, 442, 0}}, {});
    if (e.plan().values.converts) {
        GTEST_SKIP() << "values are made floats by each run";
    }
    e.run();
    e.expect_right();
    const size_t element = GetParam() == KAI_ATTENTION_F32 ? 4 : 2, seen = 442 - 256;
    EXPECT_LT(e.written_workspace(), seen * 128 * element / 2);
}

/// Bytes of the cache: at most 1.05 of the elements for pages of 64 and more.
TEST_P(Attention, BytesOfPages) {
    for (const size_t page : {64, 128, 192, 256}) {
        for (const size_t size : {64, 128, 256}) {
            kai_attention_problem p = problem_of(GetParam(), 4, 2, size, size);
            p.page = page;
            kai_attention_plan plan;
            ASSERT_EQ(kai_attention_make_plan(&p, &plan), KAI_GEMM_OK);
            const size_t element = GetParam() == KAI_ATTENTION_F32 ? 4 : 2;
            const size_t row = GetParam() == KAI_ATTENTION_Q8_0 ? size / 32 * 34 : size * element;
            const double share = static_cast<double>(plan.page_bytes) / static_cast<double>(2 * 2 * page * row);
            const bool wide = plan.scores.format.nr > page;
            EXPECT_LE(share, wide ? 1.25 : 1.05) << page << " " << size;
            EXPECT_GE(share, 1);
        }
    }
}

std::string name_of(const testing::TestParamInfo<kai_attention_cache>& info) {
    constexpr const char* kNames[] = {"f32", "f16", "bf16", "q8_0"};
    return kNames[info.param];
}
INSTANTIATE_TEST_SUITE_P(
    All, Attention, testing::Values(KAI_ATTENTION_F32, KAI_ATTENTION_F16, KAI_ATTENTION_BF16, KAI_ATTENTION_Q8_0),
    name_of);

/// Problems with anything in any combination. KLEIDIAI_ATTENTION_CASES: how many.
TEST(AttentionRandom, Problems) {
    const char* cases = std::getenv("KLEIDIAI_ATTENTION_CASES");
    const int count = cases != nullptr ? std::atoi(cases) : 300;
    for (int i = 0; i < count; ++i) {
        Random random(static_cast<uint64_t>(i) + 1000);
        const auto pick = [&](int lo, int hi) { return static_cast<size_t>(random.integer(lo, hi)); };
        const auto one_in = [&](int n) { return random.integer(1, n) == 1; };
        const auto type = static_cast<kai_attention_cache>(pick(0, 3));
        const size_t step = type == KAI_ATTENTION_Q8_0 ? 32 : 8, kv_heads = pick(1, 3), most = 128 / step;
        kai_attention_problem p = problem_of(
            type, kv_heads * pick(1, 5), kv_heads, step * pick(1, static_cast<int>(most)),
            step * pick(1, static_cast<int>(most)));
        constexpr kai_datatype kTypes[] = {kai_dt_f32, kai_dt_f16, kai_dt_bf16};
        p.q_type = kTypes[pick(0, 2)], p.out_type = kTypes[pick(0, 2)];
        p.page = 16 * pick(1, 16);
        p.causal = !one_in(4);
        p.window = one_in(4) ? pick(1, 100) : 0;
        p.scale = one_in(3) ? random.real(0.01F, 0.3F) : 0;
        p.soft_cap = one_in(4) ? random.real(1, 30) : 0;
        p.mask_type = one_in(2) ? kai_dt_f16 : kai_dt_f32;
        p.sme_units = one_in(3) ? 0 : 1;
        Options options;
        options.mask = one_in(4), options.mask_per_head = one_in(2);
        options.slopes = one_in(4), options.sinks = one_in(4), options.gaps = one_in(2);
        options.workers = pick(1, 3), options.seed = static_cast<uint64_t>(i);
        std::vector<SequenceShape> shapes(pick(1, 3));
        for (SequenceShape& s : shapes) {
            s.tokens = one_in(2) ? 1 : pick(0, 40);
            s.position = one_in(8) ? 1000 : pick(0, 150);
            s.length = s.position + s.tokens + (p.causal ? 0 : pick(0, 9));
            s.prefix = one_in(3) ? pick(0, 200) : 0;
        }
        Experiment e(p, shapes, options);
        e.run();
        e.expect_right();
        if (testing::Test::HasFatalFailure()) {
            FAIL() << "case " << i;
        }
    }
}

/// What a query of f32 gives with one element of its operands changed: [head][column] of the last token.
std::vector<float> results_with(float key, float value, float query, float mask) {
    kai_attention_problem p = problem_of(KAI_ATTENTION_F32, 2, 2, 32, 32);
    Options options;
    options.mask = true;
    Experiment e(p, {{1, 199, 200, 0}}, options);
    SequenceData& s = e.sequences()[0];
    auto* masks = s.mask_buffer->as<float>();
    masks[150] = 0;
    for (size_t i = 0; mask == -std::numeric_limits<float>::infinity() && i < 200; ++i) {
        masks[i] = mask;
    }
    masks[10] = mask == -std::numeric_limits<float>::infinity() ? mask : masks[10] + mask;
    s.keys[150 * 64 + 3] += key, s.values[150 * 64 + 3] += value;
    s.q_buffer->as<float>()[5] += query;
    kai_attention_rows rows = {};
    rows.type = kai_dt_f32, rows.count = 200, rows.keys = s.keys.data(), rows.values = s.values.data();
    EXPECT_EQ(kai_attention_append(&e.plan(), s.table.data(), 0, &rows, nullptr, nullptr), KAI_GEMM_OK);
    e.run();
    const auto* out = s.out->as<float>();
    return {out, out + 64};
}

size_t count_nan(const std::vector<float>& x, size_t first, size_t last) {
    size_t count = 0;
    for (size_t i = first; i < last; ++i) {
        count += std::isnan(x[i]);
    }
    return count;
}

/// A score that is NaN or +infinity makes NaN of its row, a value that is not finite of its column, nothing of others.
TEST(AttentionSpecial, NaNAndInfinity) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(count_nan(results_with(0, 0, 0, 0), 0, 64), 0U);
    for (const float x : {inf, nan}) {
        const std::vector<float> key = results_with(x, 0, 0, 0), query = results_with(0, 0, x, 0);
        EXPECT_EQ(count_nan(query, 0, 32), 32U) << x;
        EXPECT_EQ(count_nan(query, 32, 64), 0U) << x;
        EXPECT_EQ(count_nan(key, 32, 64), 0U) << x;
        if (std::isnan(x)) {
            EXPECT_EQ(count_nan(key, 0, 32), 32U);
        }
        EXPECT_EQ(count_nan(results_with(0, 0, 0, x), 0, 64), 64U) << x;
        const std::vector<float> value = results_with(0, x, 0, 0);
        EXPECT_FALSE(std::isfinite(value[3])) << x;
        EXPECT_EQ(count_nan(value, 0, 3) + count_nan(value, 4, 64), 0U) << x;
    }
    EXPECT_EQ(results_with(0, 0, 0, -inf), std::vector<float>(64, 0.0F));
}

/// Pages before the window may be gone.
TEST(AttentionPages, OfTheWindowOnly) {
    kai_attention_problem p = problem_of(KAI_ATTENTION_F32, 2, 1, 32, 32);
    p.window = 20;
    Experiment e(p, {{2, 98, 100, 0}}, {});
    for (size_t i = 0; i < (98 + 1 - 20) / 16; ++i) {
        e.sequences()[0].table[i] = nullptr;
    }
    e.run();
    e.expect_right();
}

}  // namespace
}  // namespace test::attention
