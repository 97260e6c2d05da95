// Tiles: how a product is divided into units of work, and what that costs.
//
// A kernel takes the whole depth at once, so a tile loads its rows of A and its columns of B once each if one of them
// stays in the L2 cache. Units in order share rows (or columns), in blocks that fill the cache; within that, tiles are
// small enough that workers finish together.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/gemm/gemm.hpp"

namespace kai::gemm {
namespace {

/// Multiply-adds that a tile should have at least: calling a kernel costs about a hundred cycles.
constexpr double kLeastMacs = 1 << 16;

/// Tiles that balance the workers may load up to this many times the least bytes.
constexpr double kMostLoaded = 1.25;
/// What is loaded beyond that, as a multiple of the least bytes, counts this much as imbalance.
constexpr double kLoadedForIdle = 0.25;

/// The same, as a multiple, for several rows and workers with an SME unit: entering streaming mode is more, and the
/// tile is done sooner. One row takes what its columns take to load.
constexpr double kSmeLeast = 16;

/// Bytes of a row of A and of a column of B as the kernel reads them.
struct Lines {
    double row, column;
};

Lines lines_of(const Plan& plan, const kai_gemm_kernel& kernel) {
    const Problem& p = plan.problem;
    const kai_ukernel& u = *kernel.ukernel;
    Lines lines = {real(p.k * size_of(p.a_type)), real(p.b_transposed ? b_row_size(p) : p.k * size_of(p.b_type))};
    if (kernel.lhs_packer != nullptr) {
        const size_t mr = u.get_mr();
        lines.row = real(lhs_size(plan, kernel, mr)) / real(mr);
    }
    if (packs_b(kernel)) {
        const size_t packed = round_up(max(p.n, 1), plan.format.nr);
        lines.column = real(plan.panels_size * b_of_each(p)) / real(packed);
    }
    return lines;
}

/// A side of the product, in steps of the kernel.
struct Side {
    double bytes, step;  ///< of all lines, of a step
    size_t lines, lines_of_step, steps;

    Side(double line, size_t count, size_t each)
        : bytes(line * real(count)),
          step(line * real(each)),
          lines(count),
          lines_of_step(each),
          steps(divide_up(count, each)) {
    }

    /// Lines of a tile of so many steps.
    double lines_in(size_t tile) const {
        return real(min(tile * lines_of_step, lines));
    }

    /// The fewest tiles of this side that stay in the cache one by one. A step that does not fit is a tile as well.
    size_t parts(double cache) const {
        return bytes <= cache ? 1 : divide_up(steps, step < cache ? static_cast<size_t>(cache / step) : 1);
    }
};

/// Bytes loaded if one of `parts` tiles of `stays` at a time stays in the cache while all of `passes` streams by. A
/// tile of several steps that does not fit does not stay: each step of the other side loads it again.
double loaded(const Side& stays, const Side& passes, size_t parts, double cache) {
    const size_t steps = divide_up(stays.steps, parts);
    const double tile = real(steps) * stays.step;
    const bool both_stay = stays.bytes + passes.bytes <= cache || tile + passes.bytes <= cache;
    if (!both_stay && steps > 1 && tile > cache) {
        return stays.bytes * real(passes.steps) + passes.bytes;
    }
    return stays.bytes + (both_stay ? passes.bytes : passes.bytes * real(parts));
}

/// n_step, or the 16 columns that a portable kernel takes at a time: decoding costs as much for fewer. A single row can
/// be divided by columns only; then 16 only if that leaves enough tiles.
size_t columns_at_once(const Plan& plan, const Share& share, size_t m) {
    constexpr size_t kPortable = 16, kTilesOfWorker = 12;
    const kai_ukernel& u = *share.kernel.ukernel;
    const bool enough = m > 1 || share.columns / kPortable >= kTilesOfWorker * min(share.workers, plan.workers);
    return round_up(u.features == 0 && enough ? kPortable : 1, u.get_n_step());
}

/// m_step; for a kernel that may start at any row, a common multiple of the 6 or 4 rows that such kernels take at a
/// time.
size_t rows_at_once(const kai_ukernel& u, size_t m) {
    constexpr size_t kAnyStart = 12;
    const size_t step = u.get_m_step();
    return step == 1 ? max(min(m, kAnyStart), 1) : step;
}

/// The sides of a product, and which one stays in the cache so that the least is loaded.
struct Sides {
    Side rows, columns;
    bool rows_stay;
    double least;

    Sides(const Plan& plan, const Share& share, size_t m)
        : Sides(plan, share, m, lines_of(plan, share.kernel), real(plan.problem.l2_bytes)) {
    }
    Sides(const Plan& plan, const Share& share, size_t m, const Lines& lines, double cache)
        : rows(lines.row, max(m, 1), rows_at_once(*share.kernel.ukernel, m)),
          columns(lines.column, max(share.columns, 1), columns_at_once(plan, share, m)) {
        const double with_rows = loaded(rows, columns, rows.parts(cache), cache),
                     with_columns = loaded(columns, rows, columns.parts(cache), cache);
        // Cutting the side that streams by costs nothing: if both are equal, let it be the longer one.
        rows_stay = with_rows != with_columns ? with_rows < with_columns : columns.steps >= rows.steps;
        least = rows_stay ? with_rows : with_columns;
    }
};

/// An upper bound of the time that workers take for `count` tiles from a queue, relative to the ideal. Up to 1.1 with
/// equal workers and 1.15 with half of them at half speed counts as 1.
///
/// The queue is empty before the ideal time; after that, no worker has more than one tile left. Also, `workers` tiles
/// are done in the time of the largest; with half of them at half speed and equal tiles, workers + (workers + 1) / 2
/// tiles in twice that time. `few`: not enough work for three tiles each, so unequal workers are ignored.
double imbalance(size_t count, size_t workers, double largest, double all, bool few) {
    const double share = largest / all;
    const auto over = [&](size_t round, bool in_rounds) {
        const double rounds = real(divide_up(count, round) * round) * share;
        const double rest = 1 + real(round - 1) * share;
        return in_rounds && rounds < rest ? rounds : rest;
    };
    const bool alike = real(count) * share < 1.025;
    const double equal = over(workers, true) / 1.1, unequal = over(workers + (workers + 1) / 2, alike) / 1.15;
    return equal > unequal || few ? equal : unequal;
}

/// How many tiles each worker should get. A multiple of 3 suits both equal workers and those of half speed; the more
/// the better, if each is worth its call.
size_t tiles_per_worker(double macs, size_t workers) {
    for (const size_t each : {12, 9, 6, 5, 4, 3, 2}) {
        if (real(each * workers) * kLeastMacs <= macs) {
            return each;
        }
    }
    return 1;
}

/// The best of the tried divisions of a product among workers, in steps of both sides.
class Division {
public:
    Division(const Sides& sides, size_t batch, size_t workers, double cache)
        : sides_(sides),
          stays_(sides.rows_stay ? sides.rows : sides.columns),
          passes_(sides.rows_stay ? sides.columns : sides.rows),
          batch_(batch),
          workers_(workers),
          cache_(cache),
          all_(real(batch) * real(stays_.lines) * real(passes_.lines)) {
    }

    /// Multiply-adds for each step of the depth.
    double all() const {
        return all_;
    }

    /// Tries tiles of so many steps. `few`: not enough work for three tiles for each worker. Returns whether nothing is
    /// left to gain.
    bool consider(size_t stay, size_t pass, bool few) {
        const size_t count = batch_ * divide_up(stays_.steps, stay) * divide_up(passes_.steps, pass);
        double value = imbalance(count, workers_, stays_.lines_in(stay) * passes_.lines_in(pass), all_, few);
        value = value > 1 ? value : 1;
        if (value < value_) {
            const double in_order = loads(stay, pass, true), other = loads(stay, pass, false);
            const double over = (in_order < other ? in_order : other) / sides_.least - kMostLoaded;
            value += over > 0 ? over * kLoadedForIdle : 0;
        }
        if (value < value_) {
            value_ = value, stay_ = stay, pass_ = pass;
        }
        return value_ <= 1;
    }

    Tiles tiles() const {
        return tiles(stay_, pass_);
    }
    Tiles tiles(size_t stay, size_t pass) const {
        const bool in_order = loads(stay, pass, true) <= loads(stay, pass, false), rows_stay = sides_.rows_stay;
        return {
            (rows_stay ? stay : pass) * sides_.rows.lines_of_step,
            (rows_stay ? pass : stay) * sides_.columns.lines_of_step, rows_stay != in_order};
    }

private:
    /// Bytes loaded. Tiles that were not sized by the cache may load less in the other order.
    double loads(size_t stay, size_t pass, bool in_order) const {
        return in_order ? loaded(stays_, passes_, divide_up(stays_.steps, stay), cache_)
                        : loaded(passes_, stays_, divide_up(passes_.steps, pass), cache_);
    }

    const Sides& sides_;
    const Side &stays_, &passes_;
    size_t batch_, workers_;
    double cache_, all_;
    double value_ = __builtin_inf();
    size_t stay_ = 0, pass_ = 0;
};

}  // namespace

namespace {

/// The columns of a unit that computes them for all groups, `rows` rows.
size_t choose_columns(const Plan& plan, const Share& share, size_t rows) {
    const Problem& p = plan.problem;
    const size_t step = share.kernel.ukernel != nullptr ? columns_at_once(plan, share, rows) : 1;
    const double macs = real(rows) * real(share.columns) * real(max(p.k, 1));
    const double worth = share.with_sme && rows > 1 ? macs / kSmeLeast : macs;
    const size_t tiles = share.workers == 1 ? 1 : tiles_per_worker(worth, share.workers) * share.workers;
    return round_up(divide_up(share.columns, tiles), step);
}

/// How to divide `batch` products of m rows.
Tiles choose_tiles(const Plan& plan, const Share& share, size_t m, size_t batch) {
    const Problem& p = plan.problem;
    if (share.kernel.ukernel == nullptr) {
        const size_t parts = divide_up(plan.workers, max(batch, 1));
        return {divide_up(max(m, 1), parts), max(p.n, 1), false};
    }
    const Sides sides(plan, share, m);
    const Side &stays = sides.rows_stay ? sides.rows : sides.columns,
               &passes = sides.rows_stay ? sides.columns : sides.rows;
    const auto cache = real(p.l2_bytes);
    const size_t workers = share.workers, parts = stays.parts(cache);
    Division division(sides, batch, workers, cache);
    if (workers == 1) {
        return division.tiles(divide_up(stays.steps, parts), passes.steps);
    }

    // The side that streams by is divided; if that is not enough, the other one as well, at first so that there is a
    // tile for each worker. Cuts double, which is quick: every run does this.
    const double macs = division.all() * real(max(p.k, 1));
    const size_t most = tiles_per_worker(share.with_sme && m > 1 ? macs / kSmeLeast : macs, workers);
    for (size_t cuts = max(parts, divide_up(workers, batch * passes.steps));; cuts *= 2) {
        const size_t stay = divide_up(stays.steps, min(cuts, stays.steps));
        const size_t stay_tiles = batch * divide_up(stays.steps, stay);
        size_t last = 0;
        for (const size_t each : {most, min(most, 4), min(most, 3)}) {
            const size_t pass_tiles = max(min(each * workers / stay_tiles, passes.steps), 1);
            const size_t longest = divide_up(passes.steps, pass_tiles);
            const size_t shorter = min(divide_up(passes.steps, pass_tiles + 1), longest - 1);
            for (const size_t pass : {shorter, longest}) {
                if (pass <= last) {
                    continue;
                }
                last = pass;
                if (division.consider(stay, pass, most < 3)) {
                    return division.tiles();
                }
            }
        }
        if (stay == 1 || stay_tiles >= 12 * workers) {
            return division.tiles();
        }
    }
}

}  // namespace

Share share_of_all(const Plan& plan, bool one_row) {
    return {one_row ? plan.gemv : plan.gemm, plan.problem.n, counted_workers(plan, one_row), is_mixed(plan)};
}
Share share_with_sme(const Plan& plan, bool one_row) {
    return {one_row ? plan.gemv : plan.gemm, divided_columns(plan, one_row), plan.sme_workers, true};
}
Share share_beside(const Plan& plan, bool one_row) {
    return {
        one_row ? plan.gemv_beside : plan.gemm_beside, plan.problem.n - divided_columns(plan, one_row),
        plan.workers - plan.sme_workers, false};
}

size_t whole_rows_of(const Plan& plan) {
    const Problem& p = plan.problem;
    if (plan.gemm.ukernel == nullptr || p.m == 0) {
        return 0;
    }
    if (plan.workers > 1) {
        const size_t most_macs = size_t{1} << (is_mixed(plan) ? 20 : 12);  // done long before another thread wakes up
        return p.batch > 1 ? 0 : most_macs / max(p.n * p.k, 1);
    }
    // Nothing is gained by dividing what stays in the L2 cache.
    const size_t rows = max(plan.layout.lhs_stride, p.m * p.k * size_of(p.a_type)),
                 b = packs_b(plan.gemm) ? plan.panels_size * b_of_each(p) : b_rows(p) * b_row_size(p);
    if (b + rows <= p.l2_bytes) {
        return p.m;
    }
    // One row reads B once, divided or not.
    return max(b < p.l2_bytes ? (p.l2_bytes - b) / divide_up(rows, p.m) : 0, 1);
}

Tiles tiles_of_run(const Plan& plan, const Share& share, size_t all, size_t most) {
    const Problem& p = plan.problem;
    if (most <= plan.whole_rows) {
        return {max(most, 1), max(p.n, 1), false};
    }
    const size_t batch = max(p.batch, 1);
    return p.scatters ? Tiles{most, choose_columns(plan, share, all), false}
                      : choose_tiles(plan, share, p.groups ? divide_up(all, batch) : most, batch);
}

}  // namespace kai::gemm

using namespace kai::gemm;

namespace {

/// Matrices that are alike, in the order of their units. With `scatters`, all groups are one.
struct Alike {
    size_t m, count;
};

/// visit(alike) for the matrices of a run.
template <typename Visit>
void for_each_matrix(const Work& w, Visit visit) {
    const Problem& p = w.plan->problem;
    if (!p.groups) {
        return visit(Alike{w.operands->m, p.batch});
    }
    size_t all = 0;
    for (size_t i = 0; i < p.batch; ++i) {
        all += w.operands->rows[i];
        if (!p.scatters) {
            visit(Alike{w.operands->rows[i], 1});
        }
    }
    if (p.scatters) {
        visit(Alike{all, 1});
    }
}

/// Columns (rows) of tile `i` of `count` columns in tiles of `tile`.
double width(size_t i, size_t tile, size_t count) {
    return real(min(tile, count - i * tile));
}

/// The time that workers take for units in order: each unit goes to the worker that would finish it first. Of equal
/// ones, that is the one that is free first.
class Workers {
public:
    static constexpr size_t kMost = 256, kMostUnits = 1 << 16;

    /// The first `fast` of them are `rate` times as fast as the others.
    Workers(size_t count, size_t fast, double rate) : count_(count), fast_(fast), rate_(rate) {
    }
    void take(double macs) {
        size_t first = 0;
        for (size_t w = 1; w < count_; ++w) {
            first = done(w, macs) < done(first, macs) ? w : first;
        }
        free_at_[first] = done(first, macs);
        finish_ = free_at_[first] > finish_ ? free_at_[first] : finish_;
    }
    size_t count() const {
        return count_;
    }
    double finish() const {
        return finish_;
    }
    /// An upper bound, whatever the order: the last unit starts no later than when all others are done.
    double latest(double macs, double largest) const {
        return macs / real(count_) + largest * (1 - 1 / real(count_));
    }

private:
    double done(size_t worker, double macs) const {
        return free_at_[worker] + (worker < fast_ ? macs / rate_ : macs);
    }

    size_t count_, fast_;
    double rate_;
    double free_at_[kMost] = {};
    double finish_ = 0;
};

}  // namespace

namespace {

/// What one kind of workers computes, or all if they are alike.
struct Part {
    Share share;
    size_t m_tile, n_tile;
    bool m_first;
    Workers workers;
};

/// Adds what a part of the columns costs. Returns when its workers are done.
double add_cost(const Work& work, Part& part, kai_gemm_cost& cost) {
    const Problem& p = work.plan->problem;
    const auto depth = real(p.k * b_of_each(p)), cache = real(p.l2_bytes);
    const size_t n = part.share.columns, n_tiles = divide_up(n, part.n_tile);
    double units = 0, macs = 0;
    for_each_matrix(work, [&](const Alike& alike) {
        const size_t m_tiles = p.scatters ? 1 : divide_up(alike.m, part.m_tile);
        units += real(alike.count) * real(m_tiles) * real(n_tiles);
    });
    const bool follows = units <= Workers::kMostUnits && part.workers.count() <= Workers::kMost;
    double largest_unit = 0;
    for_each_matrix(work, [&](const Alike& alike) {
        const size_t m = alike.m, m_tiles = p.scatters ? 1 : divide_up(m, part.m_tile);
        if (m == 0) {
            return;
        }
        const size_t m_tile = p.scatters ? m : part.m_tile;
        for (size_t unit = 0; follows && unit < alike.count * m_tiles * n_tiles; ++unit) {
            const size_t in_matrix = unit % (m_tiles * n_tiles);
            const size_t mi = part.m_first ? in_matrix % m_tiles : in_matrix / n_tiles,
                         ni = part.m_first ? in_matrix / m_tiles : in_matrix % n_tiles;
            part.workers.take(width(mi, m_tile, m) * width(ni, part.n_tile, n) * depth);
        }
        const double largest = width(0, m_tile, m) * width(0, part.n_tile, n) * depth, count = real(alike.count);
        largest_unit = largest > largest_unit ? largest : largest_unit;
        macs += count * real(m) * real(n) * depth;
        const Sides sides(*work.plan, part.share, m);
        cost.bytes += count * (part.m_first ? loaded(sides.columns, sides.rows, n_tiles, cache)
                                            : loaded(sides.rows, sides.columns, m_tiles, cache));
        cost.least_bytes += count * sides.least;
    });
    cost.macs += macs;
    cost.largest_unit = largest_unit > cost.largest_unit ? largest_unit : cost.largest_unit;
    return follows ? part.workers.finish() : part.workers.latest(macs, largest_unit);
}

}  // namespace

extern "C" kai_gemm_status kai_gemm_estimate(const Work* work, kai_gemm_cost* cost) {
    if (cost == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    *cost = {};
    if (work == nullptr) {
        return KAI_GEMM_NULL_POINTER;
    }
    if (work->phases == 0) {
        return KAI_GEMM_OK;  // an empty run, whose operands may be NULL
    }
    const Violation no_plan = check_plan(work->plan);
    if (no_plan || work->kernel->ukernel == nullptr) {
        return no_plan.status;
    }
    const Plan& plan = *work->plan;
    const bool one_row = work->rows <= 1;
    const double rate = sme_rate(plan, one_row);
    if (work->sme_units == 0 || work->sme_units == work->units[work->phases - 1]) {
        const size_t fast = is_mixed(plan) ? plan.sme_workers : 0;
        Part all = {
            share_of_all(plan, one_row), work->m_tile, work->n_tile, work->m_first,
            Workers(work->sme_units != 0 ? fast : plan.workers, fast, rate)};
        cost->finish = add_cost(*work, all, *cost);
        return KAI_GEMM_OK;
    }
    Part with = {
        share_with_sme(plan, one_row), work->m_tile, work->n_tile, work->m_first,
        Workers(plan.sme_workers, plan.sme_workers, rate)};
    const size_t others = plan.workers - plan.sme_workers;
    Part beside = {
        share_beside(plan, one_row), work->m_tile_beside, work->n_tile_beside, work->m_first_beside != 0,
        Workers(others, 0, rate)};
    const double finish = add_cost(*work, with, *cost), finish_beside = add_cost(*work, beside, *cost);
    cost->finish = finish > finish_beside ? finish : finish_beside;
    return KAI_GEMM_OK;
}
