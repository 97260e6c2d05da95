// The queue of a phase: how the workers of kai_gemm_run share what is to be done.
//
// A task takes a slot of the workspace, which makes it a worker, and parts of the phase until none is left, or until
// it had better leave them to faster workers. Parts are units in order, or the columns of one row, which are divided as
// they are taken. What is taken is one word that tasks change by atomic operations.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/gemm/slot.hpp"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

// ---- how much a worker takes ----

/// Parts of a phase for each worker: enough for unequal workers, and no more calls than that.
inline constexpr size_t kPartsPerWorker = 16;

/// Whether a worker that has done `mine` parts, and takes `more`, is the last one to finish: those that were faster so
/// far will have done all that is left before. The fastest never is. done(i): parts that worker i has done, 0 if it does
/// not work any more.
template <typename Done>
bool finishes_last(size_t mine, size_t more, size_t left, size_t workers, Done done) {
    size_t others = 0;
    for (size_t i = 0; i < workers && others < left; ++i) {
        const size_t its = done(i);
        others += 4 * its > 5 * mine ? more * its / mine : 0;
    }
    return others >= left;
}

/// Whether a worker leaves the parts that are left to others, rather than to take one more.
template <typename Done>
bool is_late(size_t mine, size_t left, size_t workers, Done done) {
    constexpr size_t kNearEnd = 8;
    return mine != 0 && left < kNearEnd * workers && finishes_last(mine, 1, left, workers, done);
}

/// The columns of one row, in steps: the finest that a kernel of the plan can begin with. Kernels that begin inside a
/// panel take them from the back, others take panels from the front, and may end inside one. So both have all of a
/// panel that is left to them, wherever they meet.
struct ColumnQueue {
    size_t step;   ///< columns
    size_t steps;  ///< of all columns; the last one may be shorter
    size_t panel;  ///< steps of a panel

    /// What is taken, in one word.
    static constexpr unsigned kHalf = 4 * sizeof(size_t);
    static constexpr size_t kMost = (size_t{1} << kHalf) - 1;
    static constexpr size_t front(size_t taken) {
        return taken & kMost;
    }
    static constexpr size_t back(size_t taken) {
        return taken >> kHalf;
    }
    constexpr size_t left(size_t taken) const {
        return steps - front(taken) - back(taken);
    }
};

/// How many steps of columns a worker takes next; 0: it leaves the rest to others. A third of its `share` of what is
/// left: parts shrink towards the end. least: the fewest that it can take, but for the last ones. done(i), mine: steps
/// that worker i, and this one, have done.
template <typename Done>
size_t next_steps(size_t mine, size_t left, size_t least, double share, size_t workers, Done done) {
    const auto most = static_cast<size_t>(static_cast<double>(static_cast<ptrdiff_t>(left)) * share / 3);
    size_t steps = min(max(most / least * least, least), left);
    if (mine == 0) {
        return steps;
    }
    const auto are_late = [&] { return finishes_last(mine, steps, left, workers, done); };
    while (steps > least && are_late()) {
        steps = max(steps / 2 / least * least, least);
    }
    return are_late() ? 0 : steps;
}

/// The queue of one row in a mixed plan.
inline ColumnQueue queue_of(const Plan& plan) {
    const kai_ukernel& u = *plan.gemv_beside.ukernel;
    const size_t nr = plan.format.nr, step = u.run_columns != nullptr && u.column_step < nr ? u.column_step : nr;
    return {step, divide_up(plan.problem.n, step), nr / step};
}
/// The share of a worker in the work on one row.
inline double share_of_row(const Plan& plan, bool is_beside) {
    return (is_beside ? 1 : sme_rate(plan, true)) / effective_workers(plan, true);
}

// ---- the queue ----

/// Whether a phase is the last one of a run whose columns are divided by the plan.
inline bool is_divided(const Work& w, size_t phase) {
    return w.sme_units != 0 && phase + 1 == w.phases;
}

/// The units of a phase, divided into parts of neighbouring units, which share rows or columns. There are fewer parts
/// than units if a batch has many small matrices, or if fewer units may run at once than there are threads (SME).
size_t count_parts(const Work& w, size_t phase);
/// Whether all of them are taken.
bool all_taken(const Work& w, size_t phase, size_t parts, size_t taken);
/// Takes parts until there are none, and does them. taken: 0 before the first task. If all slots are taken, their
/// holders take all parts that are left: this thread has nothing to do, and does not wait.
void take_parts(const Work& w, size_t phase, size_t parts, size_t& taken, size_t task);

/// @name What is done with them (run.cpp)
/// @{
void run_unit(const Work& w, size_t phase, size_t unit, const Slot& slot);
/// Columns of one row.
void run_columns(const Work& w, size_t first, size_t columns, const Slot& slot);
/// @}

}  // namespace kai::gemm
#pragma GCC visibility pop
