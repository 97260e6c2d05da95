// Measures the micro-kernels of the registry, their packers and the GEMM layer on this CPU: docs/benchmark.md.
//
// options: the command line. machine: what the system tells. peaks: what the CPU can do at most. kernels, gemm,
// conv: what there is to measure. measure: Google Benchmark. report, roofline: what comes out. model: a language model
// instead; rates: what plans assume.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

#include "benchmark/machine.hpp"
#include "benchmark/measure.hpp"
#include "benchmark/model.hpp"
#include "benchmark/rates.hpp"
#include "benchmark/report.hpp"

namespace {

/// Fails now rather than after minutes of measuring.
bool can_write(const std::string& path) {
    std::FILE* file = path.empty() ? nullptr : std::fopen(path.c_str(), "w");
    if (file == nullptr && !path.empty()) {
        std::perror(path.c_str());
        return false;
    }
    return file == nullptr || std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    int status = 0;
    if (!parse(argc, argv, &status)) {
        return status;
    }
    if (!can_write(options.csv) || !can_write(options.roofline) || !can_write(options.json)) {
        return 1;
    }
    if (options.rates) {
        return run_rates();
    }
    enter_thread(0);
    for (const size_t t : options.threads) {
        if (t > thread_limit()) {
            std::fprintf(stderr, "skipped: %zu threads: there are %zu CPUs\n", t, thread_limit());
        }
    }
    if (!options.model.empty()) {
        return run_model();
    }
    const std::vector<Shape> shapes = chosen_shapes(is_emulated());
    std::vector<Case> cases = kernel_cases(shapes);
    for (std::vector<Case> more : {gemm_cases(shapes), conv_cases()}) {
        std::move(more.begin(), more.end(), std::back_inserter(cases));
    }
    std::set<size_t> threads;
    for (const Shape& s : shapes) {
        for (const size_t t : threads_for(s)) {
            threads.insert(t);
        }
    }
    for (const size_t t : options.peaks ? threads : std::set<size_t>()) {
        peaks_of(pool_of(t));
    }
    print_head();
    if (!measure(cases)) {
        return 2;
    }
    print_table(cases);
    bool written = options.csv.empty() || write_csv(cases, options.csv);
    written &= options.roofline.empty() || write_roofline(cases, options.roofline);
    return written ? 0 : 1;
}
