// The rates of this machine: the kernels of a plan that has workers with SME and workers beside them take turns on one
// thread, for many rows and for one row, whose B comes from memory; then a NEON kernel runs on each core.
//
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/rates.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "benchmark/machine.hpp"
#include "benchmark/options.hpp"
#include "examples/common/aligned_memory.hpp"
#include "kai/gemm/kai_gemm.h"

namespace {

/// Constant weights, all alike, and what a run with them needs. Times do not depend on the numbers.
class Product {
public:
    explicit Product(const kai_gemm_problem& problem) : ok_(kai_gemm_make_plan(&problem, &plan_) == KAI_GEMM_OK) {
        if (!ok_) {
            return;
        }
        const std::vector<uint8_t> b(problem.n * problem.k, 0x31);
        const std::vector<float> scale(problem.n, 1);
        kai_gemm_weights weights = {};
        weights.b = b.data(), weights.scale = scale.data(), weights.zero_point = 8;
        packed_ = allocate(plan_.packed_b_size);
        workspace_ = allocate(plan_.workspace_size);
        const AlignedMemory pack_workspace = allocate(plan_.pack_workspace_size);
        ok_ = kai_gemm_pack_b(
                  &plan_, 0, &weights, packed_.get(), plan_.packed_b_size, pack_workspace.get(),
                  plan_.pack_workspace_size, nullptr, nullptr) == KAI_GEMM_OK;
        a_.assign(problem.m * problem.k, 0.5F);
        c_.resize(problem.m * problem.n);
    }

    bool ok() const {
        return ok_;
    }
    const kai_gemm_plan& plan() const {
        return plan_;
    }

    /// Seconds of a run: the median of options.repetitions, of options.seconds each.
    double seconds() {
        using Clock = std::chrono::steady_clock;
        kai_gemm_operands x = {};
        x.m = plan_.problem.m, x.a.data = a_.data(), x.b.data = packed_.get(), x.c.data = c_.data();
        std::vector<double> times;
        for (int i = 0; i <= options.repetitions; ++i) {
            size_t runs = 0;
            const auto start = Clock::now();
            std::chrono::duration<double> taken{};
            for (; taken.count() < options.seconds || runs == 0; ++runs, taken = Clock::now() - start) {
                if (kai_gemm_run(&plan_, &x, workspace_.get(), plan_.workspace_size, nullptr, nullptr) != KAI_GEMM_OK) {
                    return 0;
                }
            }
            if (i != 0) {  // the first one warms up
                times.push_back(taken.count() / static_cast<double>(runs));
            }
        }
        std::nth_element(times.begin(), times.begin() + static_cast<ptrdiff_t>(times.size() / 2), times.end());
        return times[times.size() / 2];
    }

private:
    kai_gemm_plan plan_ = {};
    bool ok_;
    AlignedMemory packed_, workspace_;
    std::vector<float> a_, c_;
};

/// One worker.
kai_gemm_problem problem_of(kai_gemm_kind kind, size_t m, size_t n, size_t k) {
    kai_gemm_problem p = kai_gemm_problem_of(m, n, k);
    p.b_kind = kind, p.b_constant = p.b_transposed = true;
    return p;
}

/// Seconds of a kernel; 0: it cannot be measured.
double seconds_of(kai_gemm_problem p, const kai_gemm_kernel& kernel) {
    p.pin = kernel.ukernel->name;
    Product product(p);
    return product.ok() ? product.seconds() : 0;
}

/// What SME is worth for a kind of weights. False: no plan has both kinds of workers.
bool print_sme(kai_gemm_kind kind, const char* name) {
    constexpr size_t kRows = 128, kColumns = 2048, kDepth = 2048;
    kai_gemm_problem p = problem_of(kind, kRows, kColumns, kDepth);
    p.units = 2;
    kai_gemm_plan plan;
    if (kai_gemm_make_plan(&p, &plan) != KAI_GEMM_OK || plan.gemm_beside.ukernel == nullptr) {
        std::printf("// %s: no plan of this CPU has workers with SME and workers beside them\n", name);
        return false;
    }
    const bool small = is_emulated();
    const size_t rows = small ? 16 : kRows, depth = small ? 256 : kDepth, columns = small ? 128 : kColumns;
    const kai_gemm_problem many = problem_of(kind, rows, columns, depth);
    const double with_sme = seconds_of(many, plan.gemm), beside = seconds_of(many, plan.gemm_beside);
    // B of one row: twice the last cache, at least 64 MB.
    const size_t bytes =
        options.cold_mb != 0 ? options.cold_mb << 20 : std::max<size_t>(2 * last_level_cache(), size_t{64} << 20);
    const size_t n = std::max<size_t>(bytes / kDepth * (kind == KAI_GEMM_INT4_CHANNEL ? 2 : 1), 64);
    const kai_gemm_problem one = problem_of(kind, 1, n, kDepth);
    const double row_with_sme = seconds_of(one, plan.gemv), row_beside = seconds_of(one, plan.gemv_beside);
    if (with_sme == 0 || beside == 0 || row_with_sme == 0 || row_beside == 0) {
        std::printf("// %s: cannot be measured\n", name);
        return false;
    }
    std::printf(
        "// %s. %zu x %zu x %zu: %.3g ms with SME, %.3g ms beside it; 1 x %zu x %zu: %.3g ms, %.3g ms\n"
        "problem.rates.sme = %.3g, problem.rates.sme_row = %.3g;\n",
        name, rows, columns, depth, with_sme * 1e3, beside * 1e3, n, kDepth, row_with_sme * 1e3, row_beside * 1e3,
        beside / with_sme, row_beside / row_with_sme);
    return true;
}

struct Core {
    int cpu;
    double speed;
};

/// Each core alone, without SME: options.cpus, or all.
std::vector<Core> measure_cores() {
    if (options.cpus.empty()) {
        const size_t count = thread_limit();  // of --cpus, once there are some
        for (size_t i = 0; i < count; ++i) {
            options.cpus.push_back(static_cast<int>(i));
        }
    }
    std::vector<Core> cores;
    for (size_t i = 0; i < options.cpus.size(); ++i) {
        std::thread([&cores, i] {
            enter_thread(i);
            kai_gemm_problem p = is_emulated() ? problem_of(KAI_GEMM_INT8_CHANNEL, 16, 128, 256)
                                               : problem_of(KAI_GEMM_INT8_CHANNEL, 64, 512, 1024);
            p.sme_units = 0;
            Product product(p);
            const double seconds = product.ok() ? product.seconds() : 0;
            cores.push_back({options.cpus[i], seconds > 0 ? 1 / seconds : 0});
        }).join();
    }
    return cores;
}

/// Prints up to three classes, the fastest first: cores within 15 % of the fastest of a class are of it.
void print_cores(std::vector<Core> cores) {
    std::sort(cores.begin(), cores.end(), [](const Core& a, const Core& b) {
        return a.speed != b.speed ? a.speed > b.speed : a.cpu < b.cpu;
    });
    constexpr size_t kClasses = 3;
    for (size_t c = 0, first = 0; c < kClasses && first < cores.size(); ++c) {
        size_t end = first;
        double sum = 0;
        std::string names;
        for (; end < cores.size() && (c + 1 == kClasses || cores[end].speed >= 0.85 * cores[first].speed); ++end) {
            sum += cores[end].speed;
            names += (names.empty() ? "" : ", ") + std::to_string(cores[end].cpu);
        }
        std::printf(
            "problem.rates.cores[%zu].count = %zu, problem.rates.cores[%zu].speed = %.3g;  // CPUs %s\n", c,
            end - first, c, c == 0 ? 1 : sum / static_cast<double>(end - first) / cores[0].speed, names.c_str());
        first = end;
    }
}

}  // namespace

int run_rates() {
    std::printf("// kai_gemm_problem.rates of this machine%s\n", is_emulated() ? ", EMULATED: they mean nothing" : "");
    print_sme(KAI_GEMM_INT8_CHANNEL, "INT8_CHANNEL");
    print_sme(KAI_GEMM_INT4_CHANNEL, "INT4_CHANNEL");
    const std::vector<Core> cores = measure_cores();
    if (std::any_of(cores.begin(), cores.end(), [](const Core& core) { return core.speed == 0; })) {
        std::fprintf(stderr, "--rates: the GEMM layer multiplies no INT8_CHANNEL here\n");
        return 2;
    }
    print_cores(cores);
    return 0;
}
