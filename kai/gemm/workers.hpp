// What workers share: slots, the parts of a workspace that one of them at a time has for itself, and units that are
// taken one by one. Words of memory say which are taken; tasks change them by atomic operations.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)
namespace kai::gemm {

/// Tells the core that this thread waits for another one.
inline void pause() {
#if defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");  // `yield` does nothing on most cores
#elif defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/// Takes a free one of slots first ... end - 1, and returns its number; `end`: all are taken. taken: a word for each
/// slot, 0 if it is free. hint: where to begin.
// NOLINTNEXTLINE(readability-non-const-parameter): __atomic_exchange_n writes to it
inline size_t take_slot(uint32_t* taken, size_t first, size_t end, size_t hint) {
    for (size_t tried = first, i = hint; tried < end; ++tried, i = i + 1 < end ? i + 1 : first) {
        if (__atomic_exchange_n(&taken[i], 1U, __ATOMIC_ACQUIRE) == 0) {
            return i;
        }
    }
    return end;
}

inline void leave_slot(uint32_t& taken) {
    __atomic_store_n(&taken, 0U, __ATOMIC_RELEASE);
}

/// One of `count` slots, for as long as this object lives. Waits while all are taken.
class AwaitedSlot {
public:
    AwaitedSlot(uint32_t* taken, size_t count) : taken_(taken) {
        while ((index_ = take_slot(taken, 0, count, 0)) == count) {
            pause();
        }
    }
    ~AwaitedSlot() {
        leave_slot(taken_[index_]);
    }
    AwaitedSlot(const AwaitedSlot&) = delete;
    AwaitedSlot& operator=(const AwaitedSlot&) = delete;

    size_t index() const {
        return index_;
    }

private:
    uint32_t* taken_;
    size_t index_;
};

/// run(unit) for units that no other task has taken, until none of `count` is left. next: the first that is not taken.
template <typename Run>
void take_units(size_t& next, size_t count, Run run) {
    for (;;) {
        const size_t unit = __atomic_fetch_add(&next, size_t{1}, __ATOMIC_RELAXED);
        if (unit >= count) {
            return;
        }
        run(unit);
    }
}

}  // namespace kai::gemm
#pragma GCC visibility pop
