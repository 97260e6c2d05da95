// SPDX-License-Identifier: Apache-2.0
#include "test/support/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "test/support/checked_call.hpp"

namespace test {

namespace {

/// Threads that wait for work until the program ends: to make one takes an emulator some 3 ms.
class Team {
public:
    Team() {
        for (size_t t = 0; t < kThreads; ++t) {
            threads_.emplace_back([this, t] { serve(t); });
        }
    }
    ~Team() {
        start(nullptr);
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    /// work(t) in thread t, all of them at once.
    void run(const std::function<void(size_t)>& work) {
        start(&work);
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return busy_ == 0; });
    }

private:
    void start(const std::function<void(size_t)>* work) {
        const std::lock_guard lock(mutex_);
        work_ = work;
        busy_ = kThreads;
        ready_ = 0;
        ++round_;
        changed_.notify_all();
    }

    void serve(size_t t) {
        for (size_t seen = 0;;) {
            const std::function<void(size_t)>* work;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return round_ != seen; });
                seen = round_;
                work = work_;
            }
            if (work == nullptr) {
                return;
            }
            for (++ready_; ready_ < kThreads;) {
                std::this_thread::yield();
            }
            (*work)(t);
            const std::lock_guard lock(mutex_);
            if (--busy_ == 0) {
                changed_.notify_all();
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void(size_t)>* work_ = nullptr;  // NULL: end
    size_t round_ = 0, busy_ = 0;
    std::atomic<size_t> ready_{0};
    std::vector<std::thread> threads_;  // the last member: they use the others
};

}  // namespace

void run_threads(size_t threads, const std::function<void(size_t)>& work) {
    ASSERT_LE(threads, kThreads);
    static Team team;
    const PlainCalls plain_calls;
    team.run([&](size_t t) {
        if (t < threads) {
            work(t);
        }
    });
}

void in_threads(size_t count, const std::function<void(size_t)>& work) {
    run_threads(kThreads, [&](size_t t) {
        for (size_t i = t; i < count; i += kThreads) {
            work(i);
        }
    });
}

}  // namespace test
