// The queue of a phase: how the workers of kai_gemm_run share what is to be done.
//
// A task takes a slot of the workspace, which makes it a worker, and parts of the phase until none is left, or until
// it had better leave them to faster workers. What is taken is one word that tasks change by atomic operations.
//
// Workers that are alike take equal parts, in order. Those of a mixed plan take parts that shrink towards the end, by
// their share of what is left (MixedQueue).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/gemm/slot.hpp"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

// ---- how much a worker takes ----

/// Parts of a phase for each worker: enough for unequal workers, and no more calls than that.
inline constexpr size_t kPartsPerWorker = 16;

/// Whether a worker that has done `mine` steps, and takes `more`, is the last one to finish: those that were faster so
/// far will have done all that is left before. The fastest never is. done(i): steps that worker i has done, 0 if it
/// does not work any more.
template <typename Done>
bool finishes_last(size_t mine, size_t more, size_t left, size_t workers, Done done) {
    size_t others = 0;
    for (size_t i = 0; i < workers && others < left; ++i) {
        const size_t its = done(i);
        others += 4 * its > 5 * mine ? more * its / mine : 0;
    }
    return others >= left;
}

/// How many steps a worker takes next; 0: it leaves the rest to others. A third of its share of what is left: parts
/// shrink towards the end. Its share is that which it has done of what is taken; at first, that of equal workers. So no
/// speed is assumed. least: the fewest that it can take, but for the last ones. done(i), mine: steps that worker i, and
/// this one, have done.
template <typename Done>
size_t next_steps(size_t mine, size_t taken, size_t left, size_t least, size_t workers, Done done) {
    const size_t most = mine == 0 ? left / (3 * workers) : left * mine / (3 * taken);
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

/// What the workers of a mixed plan share in the last phase, in steps: units, or columns of one row. Workers with SME
/// take them from the front. So do the others if any worker may do any unit; else these take them from the back, down
/// to where both meet, or to where the plan divides the columns.
struct MixedQueue {
    size_t steps;     ///< of all
    size_t with_sme;  ///< the first ones are for workers with SME, if divided
    size_t panel;     ///< columns: steps of a panel, or of several, where kernels with SME begin; else 1
    size_t columns;   ///< of a step, the finest that a kernel of the plan can begin with; 0: a step is a unit
    bool divided;

    explicit MixedQueue(const Work& w);

    /// What is taken, in one word.
    static constexpr unsigned kHalf = 4 * sizeof(size_t);
    static constexpr size_t kMost = (size_t{1} << kHalf) - 1;
    static constexpr size_t front(size_t taken) {
        return taken & kMost;
    }
    static constexpr size_t back(size_t taken) {
        return taken >> kHalf;
    }

    /// @name For workers of a kind: how many steps; of these, how many are taken, and how many are left
    /// @{
    constexpr size_t all(bool beside) const {
        return !divided ? steps : beside ? steps - with_sme : with_sme;
    }
    constexpr size_t done(size_t taken, bool beside) const {
        return !divided ? front(taken) + back(taken) : beside ? back(taken) : front(taken);
    }
    constexpr size_t left(size_t taken, bool beside) const {
        return all(beside) - done(taken, beside);
    }
    /// @}
    constexpr bool is_empty(size_t taken) const {
        return front(taken) + back(taken) == steps;
    }
    constexpr bool from_back(bool beside) const {
        return beside && (divided || columns != 0);
    }
    /// The fewest steps that a worker takes.
    constexpr size_t least(bool beside) const {
        return beside ? 1 : panel;
    }
    /// The workers that take from the same steps: the first one, and how many.
    size_t first_worker(const Plan& plan, bool beside) const {
        return divided && beside ? plan.sme_workers : 0;
    }
    size_t workers(const Plan& plan, bool beside) const {
        return !divided ? plan.workers : beside ? plan.workers - plan.sme_workers : plan.sme_workers;
    }
};

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
