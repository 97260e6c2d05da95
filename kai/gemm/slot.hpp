// Slots: which part of the workspace a unit of work has for itself, and what kind of worker it is of.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/gemm/gemm.hpp"
#include "kai/gemm/workers.hpp"

#pragma GCC visibility push(hidden)
namespace kai::gemm {

/// Whether the run is one unit: nobody shares its states and slots, which are not set.
KAI_INLINE bool is_single(const Work& w) {
    return w.single != 0;
}

/// Which slots suit a unit of work.
enum class Suits { any, with_sme, beside };

/// A unit's own part of the workspace, for as long as this object lives. False if all are taken. The first ones of a
/// mixed plan have an SME unit.
class Slot {
public:
    explicit Slot(const Work& w, size_t unit, Suits suits = Suits::any) {
        const Plan& plan = *w.plan;
        const bool mixed = is_mixed(plan);
        is_needed_ = plan.layout.slot_size != 0 || mixed;
        if (!is_needed_) {
            return;
        }
        if (is_single(w)) {
            memory_ = at(w.workspace, plan.layout.slots);
            return;
        }
        auto* taken = reinterpret_cast<uint32_t*>(at(w.workspace, plan.layout.slots_taken));
        const size_t first = suits == Suits::beside ? plan.sme_workers : 0,
                     end = suits == Suits::with_sme ? plan.sme_workers : plan.workers;
        const size_t i = take_slot(taken, first, end, mixed ? first : unit % plan.workers);
        if (i != end) {
            taken_ = &taken[i];
            is_beside_ = mixed && i >= plan.sme_workers;
            memory_ = at(w.workspace, plan.layout.slots + i * plan.layout.slot_size);
        }
    }
    ~Slot() {
        if (taken_ != nullptr) {
            leave_slot(*taken_);
        }
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

    explicit operator bool() const {
        return !is_needed_ || memory_ != nullptr;
    }
    char* get(size_t offset) const {
        return memory_ != nullptr ? memory_ + offset : nullptr;
    }

    /// Without an SME unit.
    bool is_beside() const {
        return is_beside_;
    }

    /// @name Of a mixed plan: workers that are not alike, in the last phase
    /// @{
    void count(const Plan& plan, size_t parts) const {
        __atomic_fetch_add(taken_ + plan.workers, static_cast<uint32_t>(parts), __ATOMIC_RELAXED);
    }
    size_t done(const Plan& plan) const {
        return __atomic_load_n(taken_ + plan.workers, __ATOMIC_RELAXED);
    }
    /// What worker i has done; 0 if it does not work any more.
    static size_t done_by(const Work& w, size_t i) {
        const auto* taken = reinterpret_cast<uint32_t*>(at(w.workspace, w.plan->layout.slots_taken));
        const bool works = __atomic_load_n(taken + i, __ATOMIC_RELAXED) != 0;
        return works ? __atomic_load_n(taken + w.plan->workers + i, __ATOMIC_RELAXED) : 0;
    }
    /// @}

private:
    bool is_needed_ = false, is_beside_ = false;
    uint32_t* taken_ = nullptr;
    char* memory_ = nullptr;
};

/// The same work for a worker without an SME unit.
inline Work beside_of(const Work& w) {
    Work beside = w;
    beside.kernel = w.kernel == &w.plan->gemv ? &w.plan->gemv_beside : &w.plan->gemm_beside;
    return beside;
}

}  // namespace kai::gemm
#pragma GCC visibility pop
