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

/// Tiles per worker that make unequal ones finish together: with half of the workers at half speed, the last tile ends
/// at most two tiles of a fast worker late, 2 / (0.75 * kTilesPerWorker) of the time.
constexpr size_t kTilesPerWorker = 12;

/// The least that a tile is worth: the call of a kernel costs about a hundred cycles.
constexpr double kLeastMacs = 1 << 16;

/// Bytes of a row of A and of a column of B as the kernel reads them.
struct Lines {
    double row, column;
};

Lines lines_of(const Plan& plan, const kai_gemm_kernel& kernel) {
    const Problem& p = plan.problem;
    const kai_ukernel& u = *kernel.ukernel;
    Lines lines = {static_cast<double>(p.k * size_of(p.a_type)), static_cast<double>(p.k * size_of(p.b_type))};
    if (kernel.lhs_packer != nullptr) {
        const size_t mr = u.get_mr();
        lines.row = static_cast<double>(lhs_size(plan, kernel, mr)) / static_cast<double>(mr);
    }
    if (plan.rhs_packer != nullptr) {
        const kai_call call = call_of(plan, kernel, 1, plan.format.nr);
        lines.column = static_cast<double>(kai_call_rhs_packed_size(&call)) / static_cast<double>(plan.format.nr);
    }
    return lines;
}

/// How many steps of `step` lines stay in the cache while lines of the other side pass.
size_t resident_steps(double cache, double line, size_t step, double passing) {
    const double left = cache - passing, bytes = line * static_cast<double>(step);
    return left > bytes && bytes > 0 ? static_cast<size_t>(left / bytes) : 1;
}

/// Steps of a tile if `count` steps are divided into `parts` tiles, none of them much smaller than the others.
size_t steps_of(size_t count, size_t parts) {
    return divide_up(count, min(max(parts, 1), count));
}

/// When equal workers are done, over the ideal.
double imbalance(size_t count, size_t workers, double largest, double all) {
    return static_cast<double>(divide_up(count, workers) * workers) * largest / all;
}

}  // namespace

Tiles choose_tiles(const Plan& plan, const kai_gemm_kernel& kernel, size_t m, size_t batch) {
    const Problem& p = plan.problem;
    if (kernel.ukernel == nullptr) {
        const size_t parts = divide_up(plan.workers, max(batch, 1));
        return {divide_up(max(m, 1), parts), max(p.n, 1), false};
    }
    const size_t m_step = kernel.ukernel->get_m_step(), n_step = kernel.ukernel->get_n_step();
    const size_t m_steps = divide_up(max(m, 1), m_step), n_steps = divide_up(max(p.n, 1), n_step);
    const auto cache = static_cast<double>(p.l2_bytes);
    const Lines lines = lines_of(plan, kernel);
    const double a = lines.row * static_cast<double>(m), b = lines.column * static_cast<double>(p.n);

    // Which side stays, in how many parts; the other side is loaded once for each.
    const double two_rows = 2 * lines.row * static_cast<double>(m_step),
                 two_columns = 2 * lines.column * static_cast<double>(n_step);
    const size_t m_parts = divide_up(m_steps, min(m_steps, resident_steps(cache, lines.row, m_step, two_columns)));
    const size_t n_parts = divide_up(n_steps, min(n_steps, resident_steps(cache, lines.column, n_step, two_rows)));
    const bool rows_stay = a + b * static_cast<double>(m_parts) <= b + a * static_cast<double>(n_parts);

    // The side that passes is divided further, so that there are tiles enough; then the side that stays.
    size_t m_tile = steps_of(m_steps, rows_stay ? m_parts : 1), n_tile = steps_of(n_steps, rows_stay ? 1 : n_parts);
    if (plan.workers > 1) {
        const double step_macs = static_cast<double>(m_step * n_step) * static_cast<double>(p.k);
        const double all = step_macs * static_cast<double>(batch * m_steps) * static_cast<double>(n_steps);
        const double worth = all / kLeastMacs;
        const size_t wanted = plan.workers * kTilesPerWorker;
        const size_t count = max(worth < static_cast<double>(wanted) ? static_cast<size_t>(worth) : wanted, 1);
        double best = 0;
        const size_t most_m = rows_stay ? m_parts : m_steps, most_n = rows_stay ? n_steps : n_parts;
        const size_t first_m = m_parts, first_n = n_parts;
        (void)most_m, (void)most_n;
        // From the fewest cuts of the side that stays to many: the first that is balanced is taken.
        for (size_t cuts = 1; cuts <= 64; cuts *= 2) {
            const size_t stay = rows_stay ? first_m * cuts : first_n * cuts;
            const size_t stay_steps = rows_stay ? m_steps : n_steps, pass_steps = rows_stay ? n_steps : m_steps;
            if (cuts > 1 && stay > stay_steps) {
                break;
            }
            const size_t stay_tile = steps_of(stay_steps, stay), stays = divide_up(stay_steps, stay_tile);
            const size_t pass = min(pass_steps, divide_up(count, batch * stays));
            for (size_t more = 0; more < 8 && pass + more <= pass_steps; ++more) {
                const size_t pass_tile = steps_of(pass_steps, pass + more), passes = divide_up(pass_steps, pass_tile);
                const double largest = step_macs * static_cast<double>(stay_tile * pass_tile);
                const double value = imbalance(batch * stays * passes, plan.workers, largest, all);
                if (best == 0 || value < best * 0.98) {
                    best = value;
                    m_tile = rows_stay ? stay_tile : pass_tile;
                    n_tile = rows_stay ? pass_tile : stay_tile;
                }
            }
            if (best <= 1.08) {
                break;
            }
        }
    }
    return {m_tile * m_step, n_tile * n_step, !rows_stay};
}

}  // namespace kai::gemm

using namespace kai::gemm;

namespace {

/// Rows of matrix `i` of a run.
size_t rows_of(const kai_gemm_work& work, size_t i) {
    return work.plan->problem.groups ? work.operands->rows[i] : work.operands->m;
}

/// Columns (rows) of tile `i` of `count` columns in tiles of `tile`.
double width(size_t i, size_t tile, size_t count) {
    return static_cast<double>(min(tile, count - i * tile));
}

}  // namespace

extern "C" void kai_gemm_estimate(const kai_gemm_work* work, kai_gemm_cost* cost) {
    const Plan& plan = *work->plan;
    const Problem& p = plan.problem;
    *cost = {};
    if (work->phases == 0 || work->kernel->ukernel == nullptr) {
        return;
    }
    const auto depth = static_cast<double>(p.k), cache = static_cast<double>(p.l2_bytes);
    const Lines lines = lines_of(plan, *work->kernel);
    // Equal workers take the units in order: each goes to the one that is free first. At most this many are followed.
    constexpr size_t kWorkers = 256;
    double free_at[kWorkers] = {};
    const size_t workers = min(plan.workers, kWorkers);
    const size_t n_tiles = divide_up(p.n, work->n_tile);
    for (size_t matrix = 0; matrix < p.batch; ++matrix) {
        const size_t m = rows_of(*work, matrix), m_tiles = divide_up(m, work->m_tile);
        const double a = lines.row * static_cast<double>(m), b = lines.column * static_cast<double>(p.n);
        for (size_t unit = 0; unit < m_tiles * n_tiles; ++unit) {
            const size_t mi = work->m_first ? unit % m_tiles : unit / n_tiles,
                         ni = work->m_first ? unit / m_tiles : unit % n_tiles;
            const double macs = width(mi, work->m_tile, m) * width(ni, work->n_tile, p.n) * depth;
            size_t first = 0;
            for (size_t w = 1; w < workers; ++w) {
                first = free_at[w] < free_at[first] ? w : first;
            }
            free_at[first] += macs;
            cost->finish = free_at[first] > cost->finish ? free_at[first] : cost->finish;
            cost->largest_unit = macs > cost->largest_unit ? macs : cost->largest_unit;
            cost->macs += macs;
        }
        if (m == 0) {
            continue;
        }
        if (a + b <= cache) {
            cost->bytes += a + b;
            cost->least_bytes += a + b;
            continue;
        }
        const auto passes = [&](double side, double tile, double tiles) {  // of the other side
            return side <= cache   ? 1.0
                   : tile <= cache ? tiles
                                   : static_cast<double>(static_cast<size_t>(side / cache) + 1);
        };
        const double a_tile = lines.row * static_cast<double>(work->m_tile),
                     b_tile = lines.column * static_cast<double>(work->n_tile);
        cost->bytes += work->m_first ? b + a * passes(b, b_tile, static_cast<double>(n_tiles))
                                     : a + b * passes(a, a_tile, static_cast<double>(m_tiles));
        const auto blocks = [&](double side) {
            const double count = side / cache;
            const auto whole = static_cast<double>(static_cast<size_t>(count));
            return count > whole ? whole + 1 : whole;
        };
        const double rows_stay = a + b * blocks(a), columns_stay = b + a * blocks(b);
        cost->least_bytes += rows_stay < columns_stay ? rows_stay : columns_stay;
    }
}
