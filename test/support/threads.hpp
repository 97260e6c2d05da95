// Calls from many threads at once.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "test/support/checked_call.hpp"

namespace test {

constexpr size_t kThreads = 8;

/// work(i) for i = 0 to count - 1: thread t does t, t + kThreads and so on; all start together. The calls in them are
/// plain ones, nothing but their results is checked.
template <typename F>
void in_threads(size_t count, const F& work) {
    const PlainCalls plain_calls;
    std::atomic<size_t> ready{0};
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            ++ready;
            while (ready < kThreads) {
                std::this_thread::yield();
            }
            for (size_t i = t; i < count; i += kThreads) {
                work(i);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace test
