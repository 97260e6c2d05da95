// A runtime with a scheduler of its own, as ggml has it: every thread walks through the whole graph, takes chunks of
// the current node from a counter, and waits for the others at a barrier. The layer never sees the threads.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>

#include "graph.hpp"

/// The last thread to come does what one thread has to do alone; then all go on.
class Barrier {
public:
    explicit Barrier(size_t threads) : threads_(threads) {
    }

    template <typename Alone>
    void wait(Alone alone) {
        const size_t round = round_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
            alone();
            arrived_.store(0, std::memory_order_relaxed);
            round_.store(round + 1, std::memory_order_release);
            return;
        }
        while (round_.load(std::memory_order_acquire) == round) {
            std::this_thread::yield();
        }
    }

private:
    const size_t threads_;
    std::atomic<size_t> arrived_{0}, round_{0};
};

/// One run of a program; all threads share it.
class Compute {
public:
    Compute(const Program& program, void* arena, size_t rows, size_t threads)
        : program_(program), arena_(static_cast<char*>(arena)), rows_(rows), threads_(threads), barrier_(threads) {
    }

    /// The work of thread `ith`. Each node costs as many barriers as it has phases: one for few rows, else two.
    void run(size_t ith) {
        for (const Node& node : program_.nodes) {
            barrier_.wait([&] { begin(node); });  // everyone is done with the node before
            for (size_t phase = 0; phase < work_.phases; ++phase) {
                if (phase != 0) {
                    barrier_.wait([] {});
                }
                // At most `workers` threads at once: cores may share an SME unit. The first unit of a thread is its own
                // number, the counter starts behind them.
                size_t unit = ith < node.plan.workers ? ith : work_.units[phase];
                while (unit < work_.units[phase]) {
                    require(kai_gemm_run_unit(&work_, phase, unit));
                    unit = next_[phase].fetch_add(1, std::memory_order_relaxed);
                }
            }
        }
    }

private:
    void begin(const Node& node) {
        operands_ = {};
        operands_.m = rows_;
        operands_.a.data = arena_ + node.in;
        operands_.b.data = static_cast<const char*>(program_.constants.get()) + node.weights;
        operands_.c.data = arena_ + node.out;
        require(kai_gemm_begin(&node.plan, &operands_, arena_ + program_.workspace, node.plan.workspace_size, &work_));
        next_[0] = next_[1] = std::min(threads_, node.plan.workers);
    }

    const Program& program_;
    char* const arena_;
    const size_t rows_, threads_;
    Barrier barrier_;
    std::atomic<size_t> next_[2] = {};
    kai_gemm_operands operands_ = {};
    kai_gemm_work work_ = {};
};
