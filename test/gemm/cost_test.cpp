// How work is divided: workers finish together, also unequal ones, and little data is loaded twice.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <queue>
#include <vector>

#include "test/gemm/experiment.hpp"

namespace test::gemm {
namespace {

struct Shape {
    size_t m, n, k;
};

/// A plan and a run of a shape, without operands: nothing is computed.
struct Division {
    kai_gemm_plan plan = {};
    kai_gemm_operands x = {};
    kai_gemm_work work = {};
    kai_gemm_cost cost = {};
    std::shared_ptr<uint8_t> workspace;

    static kai_gemm_problem problem_of(const Shape& s, kai_gemm_kind kind, size_t units, bool sme) {
        kai_gemm_problem p = kai_gemm_problem_of(s.m, s.n, s.k);
        p.b_kind = kind, p.b_constant = true, p.b_transposed = true, p.bl = 32;
        p.units = units, p.sme_units = sme ? units : 0;
        p.untagged = true;  // there is no packed B to look at
        return p;
    }

    Division(const Shape& s, kai_gemm_kind kind, size_t units, bool sme) : Division(problem_of(s, kind, units, sme)) {
    }
    explicit Division(const kai_gemm_problem& p) {
        kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
        EXPECT_EQ(status, KAI_GEMM_OK);
        static uint8_t byte;  // the address of all operands
        x.m = p.m, x.a.data = x.b.data = x.c.data = &byte;
        workspace.reset(static_cast<uint8_t*>(std::aligned_alloc(64, plan.workspace_size / 64 * 64 + 64)), std::free);
        status = kai_gemm_begin(&plan, &x, workspace.get(), plan.workspace_size, &work);
        EXPECT_EQ(status, KAI_GEMM_OK);
        kai_gemm_estimate(&work, &cost);
    }

    /// Multiply-adds of each unit of the last phase, in order.
    std::vector<double> units() const {
        const kai_gemm_problem& p = plan.problem;
        const auto tiles = [](size_t all, size_t tile) {
            std::vector<double> widths;
            for (size_t i = 0; i < all; i += tile) {
                widths.push_back(static_cast<double>(std::min(tile, all - i)));
            }
            return widths;
        };
        std::vector<double> outer = tiles(p.m, work.m_tile), inner = tiles(p.n, work.n_tile), all;
        if (work.m_first) {
            std::swap(outer, inner);
        }
        for (const double o : outer) {
            for (const double i : inner) {
                all.push_back(o * i * static_cast<double>(p.k));
            }
        }
        return all;
    }
};

/// The finish time of workers of these speeds that take units from a queue.
double finish(const std::vector<double>& units, const std::vector<double>& speeds) {
    using Worker = std::pair<double, size_t>;  // free at
    std::priority_queue<Worker, std::vector<Worker>, std::greater<>> workers;
    for (size_t i = 0; i < speeds.size(); ++i) {
        workers.emplace(0, i);
    }
    double last = 0;
    for (const double unit : units) {
        const auto [time, i] = workers.top();
        workers.pop();
        workers.emplace(time + unit / speeds[i], i);
        last = std::max(last, time + unit / speeds[i]);
    }
    return last;
}

/// Speeds of workers, half of which are half as fast.
std::vector<double> unequal_speeds(size_t workers) {
    std::vector<double> speeds(workers, 1);
    std::fill_n(speeds.begin(), workers / 2, 0.5);
    return speeds;
}

/// m_step; kernels that may start at any row take 12 rows, a multiple of theirs.
size_t row_step(const kai_ukernel& u) {
    return u.get_m_step() == 1 ? 12 : u.get_m_step();
}

/// n_step; portable kernels take 16 columns at a time.
size_t column_step(const kai_ukernel& u) {
    return u.features == 0 ? std::max<size_t>(u.get_n_step(), 16) : u.get_n_step();
}

/// The smallest unit: a tile of the kernel, or more if a call would not pay for itself.
double smallest_unit(const Division& d) {
    constexpr double kLeastMacs = 1 << 16;
    const kai_ukernel& u = *d.work.kernel->ukernel;
    const size_t rows = std::min(row_step(u), d.plan.problem.m), columns = std::min(column_step(u), d.plan.problem.n);
    return std::max(static_cast<double>(rows * columns * d.plan.problem.k), kLeastMacs);
}

struct Worst {
    double equal = 0, unequal = 0, bytes = 0;
    size_t cells = 0, small = 0;
    double small_equal = 0, small_bytes = 0;
};

constexpr double kEnough = 12;  // tiles for each worker
constexpr double kLast = 1.5;   // the last tile: the smallest, rounded up to whole steps

std::vector<Shape> language_models() {
    std::vector<Shape> shapes;
    for (const auto& [n, k] :
         {std::pair<size_t, size_t>{4096, 4096},
          {11008, 4096},
          {4096, 11008},
          {14336, 4096},
          {1024, 4096},
          {32000, 4096}}) {
        for (const size_t m : {1, 4, 16, 64, 512}) {
            shapes.push_back({m, n, k});
        }
    }
    return shapes;
}

/// Convolutions as matrices.
std::vector<Shape> resnet_50() {
    return {{12544, 64, 147}, {3136, 64, 64},   {3136, 64, 576}, {3136, 256, 64}, {784, 128, 1152}, {784, 512, 128},
            {196, 256, 2304}, {196, 1024, 256}, {49, 512, 4608}, {49, 2048, 512}, {1, 1000, 2048}};
}

/// Within the bounds, where a worker gets enough tiles. Otherwise within what few tiles allow: at the end, one more for
/// some (of half speed: two tiles' time). Tiles are the smallest units, or steps of the longer side: with all of its
/// lines in the cache, the other one is loaded once, but if that is cut, each part loads the longer side again.
void check(const Shape& s, kai_gemm_kind kind, size_t units, bool sme, Worst& worst) {
    const Division d(s, kind, units, sme);
    const double smallest = smallest_unit(d), workers = static_cast<double>(d.plan.workers);
    const std::vector<double> sizes = d.units();
    double macs = 0;
    for (const double size : sizes) {
        macs += size;
    }
    SCOPED_TRACE(
        testing::Message() << s.m << 'x' << s.n << 'x' << s.k << ' ' << name_of(kind) << ", " << units
                           << " units, tiles " << d.work.m_tile << 'x' << d.work.n_tile
                           << (d.work.m_first ? " m first" : "") << ", steps " << d.work.kernel->ukernel->get_m_step()
                           << 'x' << d.work.kernel->ukernel->get_n_step());
    EXPECT_EQ(sizes.size(), d.work.units[d.work.phases - 1]);
    EXPECT_DOUBLE_EQ(d.cost.macs, macs);
    EXPECT_DOUBLE_EQ(d.cost.largest_unit, *std::max_element(sizes.begin(), sizes.end()));
    const double equal = finish(sizes, std::vector<double>(d.plan.workers, 1));
    EXPECT_NEAR(d.cost.finish, equal, 1e-9 * macs);

    const kai_ukernel& u = *d.work.kernel->ukernel;
    const size_t steps = std::max((s.m + row_step(u) - 1) / row_step(u), (s.n + column_step(u) - 1) / column_step(u));
    const double share = std::min(macs / smallest, static_cast<double>(steps)) / workers;  // tiles for each
    const double equal_ratio = equal * workers / macs;
    EXPECT_LE(equal_ratio, std::max(1.10, 1 + kLast / share) + 1e-9);

    const std::vector<double> speeds = unequal_speeds(d.plan.workers);
    const double speed = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    const double unequal_ratio = finish(sizes, speeds) * speed / macs;
    // With few tiles per worker, equal workers are assumed.
    const double last = share < 6 ? 1.5 * kLast : kLast;
    EXPECT_LE(unequal_ratio, std::max(1.15, 1 + 2 * last / share * speed / workers) + 1e-9);

    const double bytes_ratio = d.cost.bytes / d.cost.least_bytes;
    EXPECT_LE(bytes_ratio, share >= kEnough ? 1.25 : 3.0);  // few tiles: each worker's cache holds its own
    ++worst.cells;
    if (share >= kEnough) {
        worst.equal = std::max(worst.equal, equal_ratio), worst.unequal = std::max(worst.unequal, unequal_ratio);
        worst.bytes = std::max(worst.bytes, bytes_ratio);
    } else {
        ++worst.small;
        worst.small_equal = std::max(worst.small_equal, share >= 2 ? equal_ratio : 0);
        worst.small_bytes = std::max(worst.small_bytes, bytes_ratio);
    }
}

class GemmDivision : public testing::TestWithParam<kai_gemm_kind> {};

TEST_P(GemmDivision, WorkersFinishTogetherAndLoadLittle) {
    for (const bool models : {true, false}) {
        for (const bool sme : {true, false}) {
            Worst worst;
            for (const Shape& s : models ? language_models() : resnet_50()) {
                if (GetParam() != KAI_GEMM_DENSE && s.k % 32 != 0) {
                    continue;
                }
                for (size_t units = 1; units <= 64; units += units < 16 ? 1 : units < 32 ? 3 : 8) {
                    check(s, GetParam(), units, sme, worst);
                }
            }
            std::printf(
                "%s, %s: %zu cells, worst: equal workers %.3f, unequal %.3f, bytes %.3f\n"
                "    %zu of them with few tiles: equal %.3f (from 2 tiles for each on), bytes %.3f\n",
                models ? "language models" : "ResNet-50", sme ? "with SME" : "without SME", worst.cells, worst.equal,
                worst.unequal, worst.bytes, worst.small, worst.small_equal, worst.small_bytes);
        }
    }
}

/// Whether any division into whole steps has equal workers within 1.10 of the ideal time, unequal ones within 1.15, and
/// bytes within 1.25 of the least. Each tile is worth its call, and there are at most 40 for each worker.
bool can_be_balanced(const Shape& s, const Division& chosen) {
    Division d(chosen);
    const kai_ukernel& u = *d.work.kernel->ukernel;
    const size_t row = std::min(row_step(u), s.m), column = column_step(u), workers = d.plan.workers;
    const size_t rows = (s.m + row - 1) / row, columns = (s.n + column - 1) / column;
    const std::vector<double> equal(workers, 1), unequal = unequal_speeds(workers);
    const double all = d.cost.macs, speed = std::accumulate(unequal.begin(), unequal.end(), 0.0);
    for (size_t m_parts = 1; m_parts <= rows; ++m_parts) {
        d.work.m_tile = (rows + m_parts - 1) / m_parts * row;
        for (size_t n_parts = 1; n_parts <= columns && m_parts * n_parts <= 40 * workers; ++n_parts) {
            d.work.n_tile = (columns + n_parts - 1) / n_parts * column;
            if (std::min(d.work.m_tile, s.m) * std::min(d.work.n_tile, s.n) * s.k < size_t{1} << 16) {
                break;
            }
            for (const bool m_first : {true, false}) {
                d.work.m_first = m_first;
                const std::vector<double> units = d.units();
                const double largest = *std::max_element(units.begin(), units.end());
                if (largest * static_cast<double>(workers) > 1.10 * all) {
                    continue;
                }
                kai_gemm_estimate(&d.work, &d.cost);
                if (d.cost.finish * static_cast<double>(workers) <= 1.10 * all &&
                    d.cost.bytes <= 1.25 * d.cost.least_bytes && finish(units, unequal) * speed <= 1.15 * all) {
                    return true;
                }
            }
        }
    }
    return false;
}

// Where the division is worse than that, no better one exists.
TEST_P(GemmDivision, NearlyAllThatCanBeBalancedIs) {
    size_t cells = 0, above = 0, missed = 0;
    for (const bool models : {true, false}) {
        for (const Shape& s : models ? language_models() : resnet_50()) {
            if (GetParam() != KAI_GEMM_DENSE && s.k % 32 != 0) {
                continue;
            }
            for (size_t units = 1; units <= 64; units += units < 16 ? 1 : units < 32 ? 3 : 8) {
                const Division d(s, GetParam(), units, false);
                ++cells;
                if (d.cost.finish * static_cast<double>(d.plan.workers) > 1.10 * d.cost.macs) {
                    ++above;
                    missed += can_be_balanced(s, d);
                }
            }
        }
    }
    std::printf("of %zu cells %zu above 1.10, %zu of which could be balanced\n", cells, above, missed);
    EXPECT_LE(missed, cells / 100);
}

/// What is not worth dividing is one unit, which kai_gemm_run does itself, without the workspace's states.
TEST(GemmWhole, SmallRunsAreOneUnit) {
    kai_gemm_parallel_for* const no_pool = [](void*, size_t, kai_gemm_task*, void*) {
        ADD_FAILURE() << "a pool for a single unit";
    };
    for (const size_t workers : {1, 8}) {
        Case c;
        c.p = kai_gemm_problem_of(5, 12, 60);
        c.p.b_kind = KAI_GEMM_INT8_CHANNEL, c.p.b_constant = c.p.b_transposed = true;
        c.p.units = c.p.sme_units = workers, c.m = 5;
        Experiment e(c);
        ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
        ASSERT_EQ(e.pack(), KAI_GEMM_OK);
        EXPECT_GE(e.plan.whole_rows, c.p.m) << workers;
        for (const uint32_t state : {0U, 1U, 2U, 0xFFFFFFFFU}) {  // whatever another run left
            e.reset_c();
            for (size_t i = 0; i + sizeof(state) <= e.workspace[0].size(); i += sizeof(state)) {
                std::memcpy(e.workspace[0].data() + i, &state, sizeof(state));
            }
            kai_gemm_work work;
            ASSERT_EQ(kai_gemm_begin(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), &work), KAI_GEMM_OK);
            EXPECT_EQ(work.phases, 1U);
            EXPECT_EQ(work.units[0], 1U);
            EXPECT_EQ(work.m_tile, e.x.m);
            EXPECT_EQ(work.n_tile, c.p.n);
            EXPECT_EQ(kai_gemm_try_unit(&work, 0, 1), KAI_GEMM_NO_UNIT);
            EXPECT_EQ(kai_gemm_try_unit(&work, 0, 0), KAI_GEMM_OK);
            e.check();
            e.reset_c();
            EXPECT_EQ(
                kai_gemm_run(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), no_pool, nullptr),
                KAI_GEMM_OK);
            e.check();
        }
    }
    // What does not stay in the cache, or is enough work for several, is divided.
    kai_gemm_problem p = kai_gemm_problem_of(4096, 1024, 1024);
    p.b_constant = true, p.l2_bytes = (1024 + 100) * 4096;
    kai_gemm_plan plan;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_GT(plan.whole_rows, 80U);
    EXPECT_LE(plan.whole_rows, 100U);
    p.units = p.sme_units = 2;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(plan.whole_rows, 0U);
    p = kai_gemm_problem_of(4096, 16, 16), p.units = p.sme_units = 2;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(plan.whole_rows, 16U);
    p.batch = 2;
    ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(plan.whole_rows, 0U);
}

/// Every shape is quick, even one of 2^50 units: what is too long to follow unit by unit is bounded.
TEST(GemmEstimate, IsBounded) {
    alignas(64) static uint8_t memory[1 << 16];
    for (const size_t units : {size_t{1}, size_t{7}, size_t{300}, size_t{1} << 20}) {
        for (const size_t batch : {1, 1000}) {
            for (const size_t large : {size_t{1} << 12, size_t{1} << 23}) {
                kai_gemm_problem p = kai_gemm_problem_of(large, large, 3);
                p.batch = batch, p.units = p.sme_units = units, p.l2_bytes = 1, p.b_constant = p.untagged = true;
                kai_gemm_plan plan;
                ASSERT_EQ(kai_gemm_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
                if (plan.layout.lhs > sizeof(memory)) {
                    continue;
                }
                kai_gemm_operands x = {};
                x.m = p.m, x.a.data = x.b.data = x.c.data = memory;
                kai_gemm_work work;
                ASSERT_EQ(kai_gemm_begin(&plan, &x, memory, plan.workspace_size, &work), KAI_GEMM_OK);
                for (const bool small : {false, true}) {
                    work.m_tile = small ? 1 : work.m_tile, work.n_tile = small ? 1 : work.n_tile;
                    kai_gemm_cost cost;
                    ASSERT_EQ(kai_gemm_estimate(&work, &cost), KAI_GEMM_OK);
                    const double macs = static_cast<double>(batch) * static_cast<double>(large * large) * 3;
                    const auto workers = static_cast<double>(plan.workers);
                    EXPECT_DOUBLE_EQ(cost.macs, macs);
                    EXPECT_DOUBLE_EQ(
                        cost.largest_unit, static_cast<double>(std::min(work.m_tile, p.m) * 3) *
                                               static_cast<double>(std::min(work.n_tile, p.n)));
                    EXPECT_GE(cost.finish, macs / workers * (1 - 1e-9));
                    EXPECT_LE(cost.finish, (macs / workers + cost.largest_unit) * (1 + 1e-9));
                }
            }
        }
    }
}

/// Units are followed as far as that is quick: the finish of 2^16 equal units is exact, that of more is the latest.
TEST(GemmEstimate, FollowsUnitsThatAreNotTooMany) {
    const kai_gemm_kind kind = KAI_GEMM_DENSE;
    Division d({511, 256, 4}, kind, 3, false);  // the last row of tiles has one row instead of two
    d.work.m_tile = 2, d.work.n_tile = 1;
    kai_gemm_estimate(&d.work, &d.cost);
    const double latest = (511 * 256 + 2 * 2) * 4 / 3.0;
    EXPECT_DOUBLE_EQ(d.cost.finish, finish(d.units(), {1, 1, 1}));
    EXPECT_LT(d.cost.finish, latest - 1);
    Division more({1 << 8, (1 << 8) + 1, 4}, kind, 3, false);
    more.work.m_tile = more.work.n_tile = 1;
    kai_gemm_estimate(&more.work, &more.cost);
    EXPECT_DOUBLE_EQ(more.cost.finish, 65792 * 4.0 / 3 + 4 * 2.0 / 3);
}

/// A feed-forward layer, SwiGLU of 4096 x 14336 in Q4_0, from memory: a pair as one run, or two runs and a loop over
/// their results. The run with the third matrix is the same after both.
TEST(GemmEstimate, AGatedPairMovesFewerBytes) {
    for (const size_t m : {1, 64, 512}) {
        kai_gemm_problem p = Division::problem_of({m, 14336, 4096}, KAI_GEMM_GGUF, 4, false);
        p.gguf_type = KAI_GGUF_Q4_0, p.bl = 0;
        const Division single(p);
        p.epilogue = p.gated = 1;
        const Division pair(p);
        const double results = static_cast<double>(m * p.n * sizeof(float));
        const double apart = 2 * (single.cost.bytes + results) + 2 * results + results,
                     together = pair.cost.bytes + results;
        EXPECT_EQ(pair.cost.macs, 2 * single.cost.macs);
        EXPECT_LE(together, apart - 3.9 * results);
        EXPECT_EQ(pair.work.phases, single.work.phases);  // a barrier each, and one of the loop
    }
}

TEST(GemmEstimate, NothingToEstimate) {
    const Division d({5, 6, 7}, KAI_GEMM_DENSE, 2, false);
    kai_gemm_cost cost = {1, 1, 1, 1, 1, {}};
    EXPECT_EQ(kai_gemm_estimate(nullptr, &cost), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(cost.macs + cost.largest_unit + cost.finish + cost.bytes + cost.least_bytes, 0);
    EXPECT_EQ(kai_gemm_estimate(&d.work, nullptr), KAI_GEMM_NULL_POINTER);
    kai_gemm_work work = d.work;
    kai_gemm_plan failed = d.plan;
    failed.status = KAI_GEMM_BAD_VALUE;
    work.plan = &failed;
    EXPECT_EQ(kai_gemm_estimate(&work, &cost), KAI_GEMM_NO_PLAN);
    work.plan = nullptr;
    EXPECT_EQ(kai_gemm_estimate(&work, &cost), KAI_GEMM_NULL_POINTER);
    work = {};
    EXPECT_EQ(kai_gemm_estimate(&work, &cost), KAI_GEMM_OK);  // an empty run
}

// The table of docs/performance/gemm.md: --gtest_also_run_disabled_tests --gtest_filter=*PrintTheTable
TEST(GemmDivisionTable, DISABLED_PrintTheTable) {
    std::vector<Shape> shapes = {{1, 4096, 4096},  {4, 4096, 4096},    {64, 4096, 4096},  {512, 4096, 4096},
                                 {1, 14336, 4096}, {512, 14336, 4096}, {512, 4096, 11008}};
    for (const Shape& s : resnet_50()) {
        shapes.push_back(s);
    }
    for (const Shape& s : shapes) {
        const kai_gemm_kind kind = s.k % 32 == 0 ? KAI_GEMM_INT4_BLOCK : KAI_GEMM_DENSE;
        std::printf("| %zu x %zu x %zu%s |", s.m, s.n, s.k, kind == KAI_GEMM_DENSE ? " (f32)" : "");
        for (const size_t units : {2, 4, 8, 16, 32, 64}) {
            const Division d(s, kind, units, false);
            std::printf(" %.2f |", d.cost.finish * static_cast<double>(units) / d.cost.macs);
        }
        const Division eight(s, kind, 8, false), one(s, kind, 1, false);
        const std::vector<double> speeds = {1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5};
        std::printf(
            " %.2f | %zu x %zu | %.1f, %.2f | %.2f |\n", finish(eight.units(), speeds) * 6 / eight.cost.macs,
            eight.work.m_tile, eight.work.n_tile, one.cost.bytes / (1 << 20), one.cost.bytes / one.cost.least_bytes,
            eight.cost.bytes / eight.cost.least_bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    , GemmDivision, testing::Values(KAI_GEMM_DENSE, KAI_GEMM_INT8_CHANNEL, KAI_GEMM_INT4_BLOCK),
    [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace test::gemm
