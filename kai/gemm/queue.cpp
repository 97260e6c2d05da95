// The queue of a phase: queue.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/gemm/queue.hpp"

namespace kai::gemm {
namespace {

/// Whether a phase is the last one of a mixed plan, whose workers are not alike.
bool is_mixed_phase(const Work& w, size_t phase) {
    return is_mixed(*w.plan) && phase + 1 == w.phases;
}

/// Whether columns of one row are divided as they are taken. Not if all of them are one unit.
bool takes_columns(const Work& w) {
    const Problem& p = w.plan->problem;
    return w.rows == 1 && p.batch == 1 && !p.groups && w.sme_units != w.units[w.phases - 1] &&
           divide_up(p.n, row_step(*w.plan)) <= MixedQueue::kMost;
}

/// Takes steps of the queue until there are none for this worker.
void take_steps(const Work& w, const MixedQueue& q, size_t& taken, const Slot& slot) {
    const Plan& plan = *w.plan;
    const bool is_beside = slot.is_beside(), from_back = q.from_back(is_beside);
    const Work mine = is_beside ? beside_of(w) : w;
    const size_t first_worker = q.first_worker(plan, is_beside), workers = q.workers(plan, is_beside);
    const auto done = [&](size_t i) { return Slot::done_by(w, first_worker + i); };
    size_t seen = __atomic_load_n(&taken, __ATOMIC_RELAXED);
    while (const size_t left = q.left(seen, is_beside)) {
        const size_t steps =
            next_steps(slot.done(plan), q.done(seen, is_beside), left, q.least(is_beside), workers, done);
        if (steps == 0) {
            return;
        }
        const size_t now = seen + (from_back ? steps << MixedQueue::kHalf : steps);
        if (!__atomic_compare_exchange_n(&taken, &seen, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            continue;
        }
        const size_t first = from_back ? q.steps - q.back(now) : q.front(seen);
        if (q.columns != 0) {
            const size_t column = first * q.columns, end = min(column + steps * q.columns, plan.problem.n);
            run_columns(mine, column, end - column, slot);
        } else {
            for (size_t unit = first; unit < first + steps; ++unit) {
                run_unit(w, w.phases - 1, unit, slot);
            }
        }
        slot.count(plan, steps);
        seen = __atomic_load_n(&taken, __ATOMIC_RELAXED);
    }
}

/// Takes what a kind of workers has left, as one of them.
void take_mixed(const Work& w, size_t& taken, size_t task) {
    const MixedQueue q(w);
    for (const bool beside : {false, true}) {
        if (q.left(__atomic_load_n(&taken, __ATOMIC_RELAXED), beside) == 0) {
            continue;
        }
        const Slot slot(w, task, !q.divided ? Suits::any : beside ? Suits::beside : Suits::with_sme);
        if (slot) {
            return take_steps(w, q, taken, slot);
        }
    }
}

}  // namespace

MixedQueue::MixedQueue(const Work& w)
    : steps(w.units[w.phases - 1]), with_sme(w.sme_units), panel(1), columns(0), divided(w.sme_units != 0) {
    if (takes_columns(w)) {
        const Plan& plan = *w.plan;
        columns = row_step(plan), steps = divide_up(plan.problem.n, columns);
        with_sme = plan.gemv_columns / columns;
        const kai_ukernel& u = *plan.gemv.ukernel;
        panel = u.run_columns != nullptr ? 1 : max(plan.format.nr, u.get_n_step()) / columns;
    }
}

size_t count_parts(const Work& w, size_t phase) {
    const Plan& plan = *w.plan;
    const size_t most =
        plan.workers < plan.problem.units ? plan.workers : kPartsPerWorker * counted_workers(plan, w.rows <= 1);
    return min(most, w.units[phase]);
}

bool all_taken(const Work& w, size_t phase, size_t parts, size_t taken) {
    return is_mixed_phase(w, phase) ? MixedQueue(w).is_empty(taken) : taken >= parts;
}

void take_parts(const Work& w, size_t phase, size_t parts, size_t& taken, size_t task) {
    if (check_vectors(*w.plan)) {
        return;  // the thread that began takes what is left
    }
    if (is_mixed_phase(w, phase)) {
        return take_mixed(w, taken, task);
    }
    if (__atomic_load_n(&taken, __ATOMIC_RELAXED) >= parts) {
        return;
    }
    const Slot slot(w, task);
    const size_t units = w.units[phase];
    if (slot) {
        take_units(taken, parts, [&](size_t part) {
            for (size_t unit = units * part / parts; unit < units * (part + 1) / parts; ++unit) {
                run_unit(w, phase, unit, slot);
            }
        });
    }
}

}  // namespace kai::gemm
