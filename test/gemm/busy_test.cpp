// More threads than a plan has workers: surplus threads return at once, and no thread waits forever.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "test/gemm/experiment.hpp"

namespace test::gemm {
namespace {

/// A product whose tiles go through the workspace, with two workers and several units in each of `phases`.
Case through_slots(size_t phases) {
    Case c;
    c.p = kai_gemm_problem_of(phases == 1 ? 3 : 70, phases == 1 ? 640 : 160, 150);
    c.p.b_constant = phases == 1, c.p.beta = 1, c.p.alpha = 2, c.p.units = c.p.sme_units = 2;
    c.m = c.p.m;
    return c;
}

/// The words of the workspace that say which slots are taken.
class Slots {
public:
    explicit Slots(const Experiment& e)
        : words_(reinterpret_cast<uint32_t*>(e.workspace[0].data() + e.plan.layout.slots_taken)),
          count_(e.plan.workers) {
    }
    void take(size_t first) const {
        for (size_t i = first; i < count_; ++i) {
            __atomic_store_n(&words_[i], 1U, __ATOMIC_RELEASE);
        }
    }
    void give_back(size_t i) const {
        __atomic_store_n(&words_[i], 0U, __ATOMIC_RELEASE);
    }
    bool is_taken(size_t i) const {
        return __atomic_load_n(&words_[i], __ATOMIC_ACQUIRE) != 0;
    }

private:
    uint32_t* words_;
    size_t count_;
};

class GemmBusy : public testing::TestWithParam<size_t> {
protected:
    GemmBusy() : of(through_slots(GetParam())), e(of) {
        EXPECT_EQ(e.make_plan(), KAI_GEMM_OK);
        EXPECT_EQ(e.pack(), KAI_GEMM_OK);
        EXPECT_NE(e.plan.layout.slot_size, 0U);
        EXPECT_EQ(e.plan.workers, 2U);
    }
    void SetUp() override {
        if (begin().phases < GetParam()) {
            GTEST_SKIP() << "no kernel of this CPU packs A here: there is one phase";
        }
    }
    kai_gemm_work begin() {
        kai_gemm_work work = {};
        EXPECT_EQ(kai_gemm_begin(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), &work), KAI_GEMM_OK);
        EXPECT_GT(work.units[work.phases - 1], 2U);
        return work;
    }

    const Case of;
    Experiment e;
};
INSTANTIATE_TEST_SUITE_P(, GemmBusy, testing::Values(1, 2));

TEST_P(GemmBusy, TryUnitDoesNotWait) {
    const kai_gemm_work work = begin();
    const Slots slots(e);
    const std::vector<uint8_t> before = e.c_bytes();
    for (size_t phase = 0; phase < work.phases; ++phase) {
        for (size_t unit = 0; unit < work.units[phase]; ++unit) {
            const std::vector<uint8_t> c = e.c_bytes();
            slots.take(0);
            EXPECT_EQ(kai_gemm_try_unit(&work, phase, unit), KAI_GEMM_BUSY);
            EXPECT_EQ(kai_gemm_try_unit(&work, phase, work.units[phase]), KAI_GEMM_NO_UNIT);
            EXPECT_TRUE(e.c_bytes() == c);
            slots.give_back(unit / 2 % 2);  // any of them will do
            EXPECT_EQ(kai_gemm_try_unit(&work, phase, unit), KAI_GEMM_OK);
            EXPECT_FALSE(slots.is_taken(unit / 2 % 2));
            slots.give_back(0), slots.give_back(1);
        }
    }
    EXPECT_EQ(kai_gemm_try_unit(nullptr, 0, 0), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(kai_gemm_try_unit(&work, work.phases, 0), KAI_GEMM_NO_UNIT);
    EXPECT_FALSE(e.c_bytes() == before);
    e.check();
}

TEST_P(GemmBusy, RunUnitWaits) {
    const kai_gemm_work work = begin();
    const Slots slots(e);
    slots.take(0);
    std::atomic<bool> done{false};
    std::thread thread([&] {
        EXPECT_EQ(kai_gemm_run_unit(&work, 0, 0), KAI_GEMM_OK);
        done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_FALSE(done);
    slots.give_back(1);
    thread.join();
    EXPECT_TRUE(done);
}

/// A parallel_for whose other threads hold all slots when the first task starts.
struct BusyPool {
    const Experiment& e;
    size_t calls = 0;

    static void run(void* pool, size_t count, kai_gemm_task* task, void* context) {
        auto& p = *static_cast<BusyPool*>(pool);
        const Slots slots(p.e);
        const std::vector<uint8_t> before = p.e.c_bytes();
        slots.take(0);
        task(context, 0);  // returns
        EXPECT_TRUE(p.e.c_bytes() == before);
        slots.give_back(1);
        task(context, 1);  // does it all
        EXPECT_FALSE(slots.is_taken(1));
        const std::vector<uint8_t> after = p.e.c_bytes();
        slots.give_back(0);
        for (size_t i = 2; i < count; ++i) {
            task(context, i);
        }
        EXPECT_TRUE(p.e.c_bytes() == after);
        ++p.calls;
    }
};

TEST_P(GemmBusy, ThreadsTooManyHaveNothingToDo) {
    const kai_gemm_work work = begin();
    BusyPool pool = {e};
    e.reset_c();
    EXPECT_EQ(
        kai_gemm_run(&e.plan, &e.x, e.workspace[0].data(), e.workspace[0].size(), BusyPool::run, &pool), KAI_GEMM_OK);
    EXPECT_EQ(pool.calls, work.phases);
    e.check();
}

TEST_P(GemmBusy, EightThreadsForTwoWorkers) {
    for (size_t i = 0; i < 4; ++i) {
        Schedule how;
        how.threads = 8, how.shuffle = i, how.at_once = i % 2 == 0;
        e.reset_c();
        ASSERT_EQ(e.run(how), KAI_GEMM_OK);
        e.check();

        e.reset_c();
        const kai_gemm_work work = begin();
        for (size_t phase = 0; phase < work.phases; ++phase) {
            std::atomic<size_t> next{0};
            std::vector<std::thread> threads;
            for (size_t t = 0; t < 8; ++t) {
                threads.emplace_back([&] {
                    for (size_t unit = next++; unit < work.units[phase]; unit = next++) {
                        while (kai_gemm_try_unit(&work, phase, unit) == KAI_GEMM_BUSY) {
                            std::this_thread::yield();
                        }
                    }
                });
            }
            for (std::thread& thread : threads) {
                thread.join();
            }
        }
        e.check();
    }
}

}  // namespace
}  // namespace test::gemm
