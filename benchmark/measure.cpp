// Turns cases into figures.
//
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/measure.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>

#include "benchmark/machine.hpp"
#include "kai/call.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

std::string Case::full_name() const {
    return what + "/" + name + "/" + text(shape) + (threads > 1 ? "/threads:" + std::to_string(threads) : "");
}

double Case::macs() const {
    const bool multiplies = what != "lhs_pack" && what != "rhs_pack";
    return multiplies ? double(shape.m) * double(shape.n) * double(shape.k) : 0;
}

double Case::median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

double Case::spread() const {
    const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
    return seconds.empty() ? 0 : (*most - *least) / median();
}

Pool& pool_of(size_t threads) {
    static std::map<size_t, std::unique_ptr<Pool>> pools;
    std::unique_ptr<Pool>& pool = pools[threads];
    if (pool == nullptr) {
        pool = std::make_unique<Pool>(threads);
    }
    return *pool;
}

size_t beyond_caches() {
    constexpr size_t kMiB = size_t{1} << 20;
    if (options.cold_mb != 0) {
        return options.cold_mb * kMiB;
    }
    // Some systems do not report the last level: assume the largest that is common.
    size_t bytes = std::max(2 * last_level_cache(), 256 * kMiB);
    if (const size_t memory = memory_size(); memory != 0) {
        bytes = std::min(bytes, memory / 4);
    }
    return is_emulated() ? 4 * kMiB : bytes;
}

size_t copies_of(size_t bytes, bool cold) {
    return cold && bytes != 0 ? beyond_caches() / bytes + 1 : 1;
}

std::vector<size_t> threads_for(const Shape& shape) {
    std::vector<size_t> threads;
    for (const size_t t : options.threads) {
        if (t <= thread_limit()) {
            threads.push_back(t);
        }
    }
    if (options.threads.empty()) {
        threads = {shape.m == 1 && !is_emulated() ? thread_limit() : 1};
    }
    return threads;
}

std::vector<uint8_t> random_file_rows(kai_gguf_type_id type, size_t n, size_t k) {
    size_t row = 0;
    kai_gguf_row_size(kai_gguf_find_type(type), k, &row);
    std::vector<uint8_t> rows = random_elements("int8", n * row, 2);
    for (uint8_t& b : rows) {
        b &= 0x3F;
    }
    return rows;
}

void require(kai_gemm_status status, const char* prefix) {
    if (status != KAI_GEMM_OK) {
        std::fprintf(stderr, "%s%s\n", prefix, kai_gemm_status_text(status));
        std::abort();
    }
}

std::vector<uint8_t> random_elements(const char* type, size_t bytes, uint32_t seed) {
    constexpr size_t kRepeats = size_t{1} << 20;  // larger operands are copies of that
    std::mt19937 random(seed);
    std::vector<uint8_t> elements(bytes);
    const size_t size = (kai::element_bits(type) + 7) / 8;
    for (size_t i = 0; i < std::min(bytes, kRepeats); ++i) {
        elements[i] = static_cast<uint8_t>(random());
    }
    const bool half = std::strncmp(type, "f16", 3) == 0;
    const uint8_t upper = half ? 0x38 : 0x3F;  // sign and (most of the) exponent
    const uint8_t mantissa = half ? 0x03 : 0x00;
    for (size_t i = size - 1; i < std::min(bytes, kRepeats) && size > 1; i += size) {
        elements[i] = static_cast<uint8_t>((elements[i] & (0x80 | mantissa)) | upper);
    }
    for (size_t i = kRepeats; i < bytes; i += kRepeats) {
        std::memcpy(&elements[i], elements.data(), std::min(kRepeats, bytes - i));
    }
    return elements;
}

namespace {

/// Operands of the last case, kept because Google Benchmark runs each case several times.
Work& work_of(const Case& c) {
    static const Case* last = nullptr;
    static std::unique_ptr<Work> work;
    if (last != &c) {
        work = nullptr;  // frees the memory first
        work = c.make();
        last = &c;
    }
    return *work;
}

benchmark::Counter per_second(double amount) {
    return {amount, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000};
}

void run(benchmark::State& state, Case& c) {
    static const Cycles cycles;
    Pool& pool = pool_of(c.threads);
    Work& work = work_of(c);
    c.bytes = work.bytes();
    work.run(pool);
    const Pool::Seconds longest = pool.longest(), imbalance = pool.imbalance();
    const auto start = Pool::Clock::now();
    const uint64_t first = cycles.now();
    for (auto _ : state) {
        work.run(pool);
        benchmark::ClobberMemory();
    }
    const uint64_t last = cycles.now();
    const double time = Pool::Seconds(Pool::Clock::now() - start).count();
    if (cycles.counts() && c.threads == 1) {
        state.counters["cycles"] = {double(last - first), benchmark::Counter::kAvgIterations};
    }
    state.counters["GB/s"] = per_second(1e-9 * c.bytes);
    if (c.macs() > 0) {
        state.counters["GOP/s"] = per_second(2e-9 * c.macs());
    }
    if (options.peaks) {
        const Peaks& peaks = peaks_of(pool);
        state.counters["read%"] = per_second(100 * c.bytes / peaks.reading);
        const Peak* peak = c.kernel != nullptr ? peaks.of(*c.kernel) : nullptr;
        if (peak != nullptr && c.macs() > 0) {
            state.counters["peak%"] = per_second(100 * c.macs() / peak->rate);
        }
    }
    if (pool.longest() != longest) {
        state.counters["imbalance%"] = 100 * (pool.imbalance() - imbalance).count() / time;
        state.counters["handoff%"] = 100 * (1 - (pool.longest() - longest).count() / time);
    }
    if (c.kernel != nullptr) {
        state.SetLabel(c.kernel->name);
    }
}

/// Collects the figures, and shows progress on a terminal.
class Collector : public benchmark::BenchmarkReporter {
public:
    explicit Collector(std::vector<Case>& cases) {
        for (Case& c : cases) {
            if (c.skipped.empty()) {
                by_name_[c.full_name()] = &c;
            }
        }
#if defined(__unix__) || defined(__APPLE__)
        terminal_ = isatty(STDERR_FILENO) != 0;
#endif
    }
    bool ReportContext(const Context& /*context*/) override {
        return true;
    }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            const auto found = by_name_.find(run.run_name.function_name);
            if (found == by_name_.end() || run.run_type != Run::RT_Iteration || run.iterations == 0) {
                continue;
            }
            Case& c = *found->second;
            c.seconds.push_back(run.real_accumulated_time / double(run.iterations));
            const double cycles = counter(run, "cycles");
            if (cycles > 0 && (c.cycles == 0 || cycles < c.cycles)) {
                c.cycles = cycles;
            }
            c.idle = 0.01 * (counter(run, "imbalance%") + counter(run, "handoff%"));
        }
        if (terminal_ && !runs.empty()) {
            std::fprintf(
                stderr, "\r\033[K[%zu/%zu] %.80s", ++done_, by_name_.size(), runs[0].run_name.function_name.c_str());
        }
    }
    void Finalize() override {
        if (terminal_) {
            std::fprintf(stderr, "\r\033[K");
        }
    }

private:
    static double counter(const Run& run, const char* name) {
        const auto found = run.counters.find(name);
        return found != run.counters.end() ? found->second.value : 0;
    }

    std::map<std::string, Case*> by_name_;
    size_t done_ = 0;
    bool terminal_ = false;
};

}  // namespace

bool measure(std::vector<Case>& cases) {
    std::vector<std::string> flags = {"kleidiai_bench"};
    flags.insert(flags.end(), options.rest.begin(), options.rest.end());
    if (!options.json.empty()) {
        flags.push_back("--benchmark_out=" + options.json);
        flags.emplace_back("--benchmark_out_format=json");
    }
    std::vector<char*> argv;
    for (std::string& flag : flags) {
        argv.push_back(flag.data());
    }
    int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    benchmark::Initialize(&argc, argv.data());
    if (benchmark::ReportUnrecognizedArguments(argc, argv.data())) {
        return false;
    }
    for (const auto& [key, value] : describe_machine()) {
        benchmark::AddCustomContext("kleidiai " + key, value);
    }
    for (const Peaks& peaks : measured_peaks()) {
        const std::string threads = ", threads:" + std::to_string(peaks.threads);
        for (const Peak& peak : peaks.loops) {
            benchmark::AddCustomContext(
                "kleidiai peak GOP/s " + std::string(name_of(peak.element)) + " " + peak.name + threads,
                std::to_string(2e-9 * peak.rate));
        }
        benchmark::AddCustomContext("kleidiai peak GB/s" + threads, std::to_string(1e-9 * peaks.reading));
    }
    if (is_emulated()) {
        benchmark::AddCustomContext("kleidiai emulated", "the times are those of an emulator");
    }
    for (Case& c : cases) {
        if (c.skipped.empty()) {
            benchmark::RegisterBenchmark(c.full_name().c_str(), [&c](benchmark::State& state) { run(state, c); })
                ->UseRealTime()
                ->MinTime(options.seconds)
                ->Repetitions(options.repetitions);
        } else {
            benchmark::AddCustomContext("kleidiai skipped " + c.full_name(), c.skipped);
        }
    }
    Collector collector(cases);
    benchmark::RunSpecifiedBenchmarks(&collector);
    benchmark::Shutdown();
    return true;
}
