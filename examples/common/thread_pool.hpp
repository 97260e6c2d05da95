// The threads of the examples: a task for every index, as kai_gemm_parallel_for asks for.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

/// `threads` threads; the one that calls is one of them. Whoever is free takes the next index, so that fast cores do
/// more. A call from inside a task, or from a second thread meanwhile, runs on the calling thread alone.
class ThreadPool {
public:
    using Task = void(void* context, size_t i);

    explicit ThreadPool(size_t threads) {
        for (size_t i = 1; i < threads; ++i) {
            workers_.emplace_back(&ThreadPool::serve, this);
        }
    }
    ~ThreadPool() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (std::thread& worker : workers_) {
            worker.join();
        }
    }
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    size_t threads() const {
        return workers_.size() + 1;
    }

    void run(size_t count, Task* task, void* context) {
        if (workers_.empty() || count <= 1 || taken_.exchange(true)) {
            for (size_t i = 0; i < count; ++i) {
                task(context, i);
            }
            return;
        }
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            task_ = task, context_ = context, count_ = count, next_ = 0, busy_ = workers_.size();
            ++round_;
        }
        wake_.notify_all();
        take_tasks();
        {
            std::unique_lock<std::mutex> lock(mutex_);
            done_.wait(lock, [this] { return busy_ == 0; });
        }
        taken_ = false;
    }

    /// task(i) for every i below `count`.
    template <typename Callable>
    void for_each(size_t count, Callable task) {
        run(
            count, [](void* context, size_t i) { (*static_cast<Callable*>(context))(i); }, &task);
    }

    /// A kai_gemm_parallel_for; `pool` is a ThreadPool.
    static void parallel_for(void* pool, size_t count, Task* task, void* context) {
        static_cast<ThreadPool*>(pool)->run(count, task, context);
    }

private:
    void take_tasks() {
        for (size_t i = next_++; i < count_; i = next_++) {
            task_(context_, i);
        }
    }

    void serve() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (size_t seen = 0;;) {
            wake_.wait(lock, [&] { return stop_ || round_ != seen; });
            if (stop_) {
                return;
            }
            seen = round_;
            lock.unlock();
            take_tasks();
            lock.lock();
            if (--busy_ == 0) {
                done_.notify_one();
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::atomic<bool> taken_{false};
    std::atomic<size_t> next_{0};
    Task* task_ = nullptr;
    void* context_ = nullptr;
    size_t count_ = 0, busy_ = 0, round_ = 0;
    bool stop_ = false;
    std::vector<std::thread> workers_;  // last: they use the others
};
