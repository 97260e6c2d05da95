// The threads of the benchmark. They spin for a while before they sleep: a layer of a language model takes tens of
// microseconds, about as long as waking a thread up.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "benchmark/machine.hpp"

/// `threads` threads; the one that calls is one of them. Whoever is free takes the next index, so that fast cores do
/// more. Adds up how long the threads work.
class Pool {
public:
    using Task = void(void* context, size_t i);
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;

    explicit Pool(size_t threads) : busy_(threads) {
        for (size_t i = 1; i < threads; ++i) {
            workers_.emplace_back(&Pool::serve, this, i);
        }
    }
    ~Pool() {
        publish([this] { stop_ = true; });
        for (std::thread& worker : workers_) {
            worker.join();
        }
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    size_t threads() const {
        return busy_.size();
    }

    void run(size_t count, Task* task, void* context) {
        publish([&] {
            task_ = task, context_ = context, count_ = count;
            next_ = 0, working_ = workers_.size();
        });
        take_tasks(0);
        while (!spin([this] { return working_.load(std::memory_order_acquire) == 0; })) {
            std::this_thread::yield();
        }
        const auto less = [](const Busy& a, const Busy& b) { return a.time < b.time; };
        const auto [least, most] = std::minmax_element(busy_.begin(), busy_.end(), less);
        longest_ += most->time, imbalance_ += most->time - least->time;
    }

    /// A kai_gemm_parallel_for; `pool` is a Pool.
    static void parallel_for(void* pool, size_t count, Task* task, void* context) {
        static_cast<Pool*>(pool)->run(count, task, context);
    }

    /// @name Sums over all calls of run: how long the thread with the most work was busy, and how much longer than the
    /// one with the least
    /// @{
    Seconds longest() const {
        return longest_;
    }
    Seconds imbalance() const {
        return imbalance_;
    }
    /// @}

private:
    struct alignas(128) Busy {  // cache lines of its own
        Seconds time{};
    };

    template <typename Change>
    void publish(Change change) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            change();
            round_.store(round_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        }
        wake_.notify_all();
    }

    /// Spins until it holds. False: it did not for a while.
    template <typename Holds>
    static bool spin(Holds holds) {
        for (const auto start = Clock::now(); Clock::now() - start < std::chrono::microseconds(500);) {
            for (size_t i = 0; i < 64; ++i) {
                if (holds()) {
                    return true;
                }
            }
        }
        return false;
    }

    void take_tasks(size_t thread) {
        const auto start = Clock::now();
        for (size_t i = next_++; i < count_; i = next_++) {
            task_(context_, i);
        }
        busy_[thread].time = Clock::now() - start;
    }

    void serve(size_t thread) {
        enter_thread(thread);
        for (size_t seen = 0;; ++seen) {
            const auto there = [&] { return round_.load(std::memory_order_acquire) != seen; };
            if (!spin(there)) {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, there);
            }
            if (stop_) {
                return;
            }
            take_tasks(thread);
            working_.fetch_sub(1, std::memory_order_release);
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<size_t> round_{0}, next_{0}, working_{0};
    Task* task_ = nullptr;
    void* context_ = nullptr;
    size_t count_ = 0;
    bool stop_ = false;
    std::vector<Busy> busy_;
    Seconds longest_{}, imbalance_{};
    std::vector<std::thread> workers_;  // last: they use the others
};
