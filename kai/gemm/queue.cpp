// The queue of a phase: queue.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/gemm/queue.hpp"

namespace kai::gemm {
namespace {

/// How many parts of the last phase of a divided run are for workers with SME, and for the others. What is taken of
/// either is in one word, as of ColumnQueue.
struct DividedParts {
    size_t with_sme, beside;

    explicit DividedParts(const Work& w)
        : with_sme(min(kPartsPerWorker * w.plan->sme_workers, w.sme_units)),
          beside(min(kPartsPerWorker * (w.plan->workers - w.plan->sme_workers), w.units[w.phases - 1] - w.sme_units)) {
    }
};

/// Whether a phase is the last one of a run of one row in a mixed plan: its columns are divided as they are taken.
bool takes_columns(const Work& w, size_t phase) {
    const Problem& p = w.plan->problem;
    return is_mixed(*w.plan) && phase + 1 == w.phases && w.sme_units == 0 && w.rows == 1 && p.batch == 1 && !p.groups &&
           queue_of(*w.plan).steps <= ColumnQueue::kMost;
}

/// Takes columns until there are none.
void take_columns(const Work& w, size_t& taken, const Slot& slot) {
    const Plan& plan = *w.plan;
    const ColumnQueue q = queue_of(plan);
    const Work beside = slot.is_beside() ? beside_of(w) : w;
    const bool from_back = beside.kernel->ukernel->run_columns != nullptr || q.panel == 1;
    const double share = share_of_row(plan, slot.is_beside());
    size_t seen = __atomic_load_n(&taken, __ATOMIC_RELAXED);
    while (q.left(seen) != 0) {
        const size_t steps = next_steps(
            slot.done(plan), q.left(seen), from_back ? 1 : q.panel, share, plan.workers,
            [&](size_t i) { return Slot::done_by(w, i); });
        if (steps == 0) {
            return;
        }
        const size_t now = seen + (from_back ? steps << ColumnQueue::kHalf : steps);
        if (!__atomic_compare_exchange_n(&taken, &seen, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            continue;
        }
        const size_t first = (from_back ? q.steps - q.back(now) : q.front(seen)) * q.step,
                     end = min(first + steps * q.step, plan.problem.n);
        run_columns(beside, first, end - first, slot);
        slot.count(plan, steps);
        seen = __atomic_load_n(&taken, __ATOMIC_RELAXED);
    }
}

/// Takes parts of the columns of one kind of workers, while it is one.
void take_divided(const Work& w, size_t& taken, size_t task) {
    const Plan& plan = *w.plan;
    const DividedParts all(w);
    for (const bool beside : {false, true}) {
        const size_t parts = beside ? all.beside : all.with_sme, first_unit = beside ? w.sme_units : 0,
                     units = beside ? w.units[w.phases - 1] - w.sme_units : w.sme_units;
        size_t seen = __atomic_load_n(&taken, __ATOMIC_RELAXED);
        const auto part = [&] { return beside ? ColumnQueue::back(seen) : ColumnQueue::front(seen); };
        if (part() == parts) {
            continue;
        }
        const Slot slot(w, task, beside ? Suits::beside : Suits::with_sme);
        if (!slot) {
            continue;
        }
        const size_t first = beside ? plan.sme_workers : 0,
                     workers = beside ? plan.workers - plan.sme_workers : plan.sme_workers;
        const auto done = [&](size_t i) { return Slot::done_by(w, first + i); };
        while (part() < parts && !is_late(slot.done(plan), parts - part(), workers, done)) {
            const size_t mine = part(), next = seen + (beside ? size_t{1} << ColumnQueue::kHalf : 1);
            if (!__atomic_compare_exchange_n(&taken, &seen, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                continue;
            }
            for (size_t unit = units * mine / parts; unit < units * (mine + 1) / parts; ++unit) {
                run_unit(w, w.phases - 1, first_unit + unit, slot);
            }
            slot.count(plan, 1);
            seen = __atomic_load_n(&taken, __ATOMIC_RELAXED);
        }
        return;
    }
}

}  // namespace

size_t count_parts(const Work& w, size_t phase) {
    const Plan& plan = *w.plan;
    const size_t most =
        plan.workers < plan.problem.units ? plan.workers : kPartsPerWorker * counted_workers(plan, w.rows <= 1);
    return min(most, w.units[phase]);
}

bool all_taken(const Work& w, size_t phase, size_t parts, size_t taken) {
    if (is_divided(w, phase)) {
        const DividedParts all(w);
        return ColumnQueue::front(taken) == all.with_sme && ColumnQueue::back(taken) == all.beside;
    }
    return takes_columns(w, phase) ? queue_of(*w.plan).left(taken) == 0 : taken >= parts;
}

void take_parts(const Work& w, size_t phase, size_t parts, size_t& next, size_t task) {
    if (check_vectors(*w.plan)) {
        return;  // the thread that began takes what is left
    }
    if (all_taken(w, phase, parts, __atomic_load_n(&next, __ATOMIC_RELAXED))) {
        return;
    }
    if (is_divided(w, phase)) {
        return take_divided(w, next, task);
    }
    const Slot slot(w, task);
    if (slot && takes_columns(w, phase)) {
        return take_columns(w, next, slot);
    }
    const Plan& plan = *w.plan;
    const size_t units = w.units[phase];
    const bool counts = is_mixed(plan) && phase + 1 == w.phases;
    while (slot) {
        const size_t taken = counts ? __atomic_load_n(&next, __ATOMIC_RELAXED) : 0;
        if (counts && taken < parts &&
            is_late(slot.done(plan), parts - taken, plan.workers, [&](size_t i) { return Slot::done_by(w, i); })) {
            return;
        }
        const size_t part = __atomic_fetch_add(&next, size_t{1}, __ATOMIC_RELAXED);
        if (part >= parts) {
            return;
        }
        for (size_t unit = units * part / parts; unit < units * (part + 1) / parts; ++unit) {
            run_unit(w, phase, unit, slot);
        }
        if (counts) {
            slot.count(plan, 1);
        }
    }
}

}  // namespace kai::gemm
