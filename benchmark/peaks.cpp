// Runs the loops of benchmark/peaks on all threads at once, and reads memory.
//
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/peaks.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>

#include "benchmark/machine.hpp"
#include "benchmark/measure.hpp"
#include "kai/kai_cpu.h"

namespace {

using Loop = void(size_t rounds);

constexpr uint64_t bit(kai_cpu_feature feature) {
    return uint64_t{1} << feature;
}

/// Multiply-adds of a round: `macs`, times the vector length in units of 16 bytes once (SVE) or twice (SME).
enum class Scale { no, sve, sme };

struct Entry {
    const char* name;
    Element element;
    uint64_t features;
    Loop* loop;
    double macs;
    Scale scale;
};

#if defined(__aarch64__) || defined(_M_ARM64)

#define KAI_PEAKS_neon(ROW)                                             \
    ROW("FMLA", f32, bit(KAI_CPU_NEON), kai_bench_fmla_f32, 24 * 4, no) \
    ROW("SMULL, SMLAL2, SADALP", int8, bit(KAI_CPU_NEON), kai_bench_sadalp, 8 * 16, no)
#define KAI_PEAKS_neon_fp16(ROW) ROW("FMLA (fp16)", f16, bit(KAI_CPU_FP16), kai_bench_fmla_f16, 24 * 8, no)
#define KAI_PEAKS_neon_fhm(ROW) ROW("FMLAL (fhm)", f16, bit(KAI_CPU_FHM), kai_bench_fmlal, 24 * 4, no)
#define KAI_PEAKS_neon_bf16(ROW) ROW("BFMMLA (bf16)", bf16, bit(KAI_CPU_BF16), kai_bench_bfmmla, 24 * 16, no)
#define KAI_PEAKS_neon_dotprod(ROW) ROW("SDOT (dotprod)", int8, bit(KAI_CPU_DOTPROD), kai_bench_sdot, 24 * 16, no)
#define KAI_PEAKS_neon_i8mm(ROW) ROW("SMMLA (i8mm)", int8, bit(KAI_CPU_I8MM), kai_bench_smmla, 24 * 32, no)
#define KAI_PEAKS_sve(ROW)                                                        \
    ROW("FMLA (SVE)", f32, bit(KAI_CPU_SVE), kai_bench_sve_fmla_f32, 24 * 4, sve) \
    ROW("FMLA (SVE)", f16, bit(KAI_CPU_SVE), kai_bench_sve_fmla_f16, 24 * 8, sve) \
    ROW("SDOT (SVE)", int8, bit(KAI_CPU_SVE), kai_bench_sve_sdot, 24 * 16, sve)
#define KAI_PEAKS_sve_i8mm(ROW) \
    ROW("SMMLA (SVE)", int8, bit(KAI_CPU_SVE) | bit(KAI_CPU_SVE_I8MM), kai_bench_sve_smmla, 24 * 32, sve)
#define KAI_PEAKS_sme(ROW)                                                       \
    ROW("FMOPA (SME)", f32, bit(KAI_CPU_SME), kai_bench_fmopa_f32, 16 * 16, sme) \
    ROW("FMOPA (SME)", f16, bit(KAI_CPU_SME), kai_bench_fmopa_f16, 16 * 32, sme) \
    ROW("BFMOPA (SME)", bf16, bit(KAI_CPU_SME), kai_bench_bfmopa, 16 * 32, sme)  \
    ROW("SMOPA (SME)", int8, bit(KAI_CPU_SME), kai_bench_smopa, 16 * 64, sme)

// KAI_BENCH_PEAKS: ISA(neon) ISA(sve) ... of this build (CMakeLists.txt).
#define KAI_DECLARE(NAME, ELEMENT, FEATURES, LOOP, ...) extern "C" Loop LOOP;
#define ISA(NAME) KAI_PEAKS_##NAME(KAI_DECLARE)
KAI_BENCH_PEAKS
#undef ISA
#define KAI_ROW(NAME, ELEMENT, FEATURES, LOOP, MACS, SCALE) \
    {NAME, Element::ELEMENT, FEATURES, LOOP, MACS, Scale::SCALE},
#define ISA(NAME) KAI_PEAKS_##NAME(KAI_ROW)
const Entry kEntries[] = {KAI_BENCH_PEAKS};

#else

/// What the compiler generates for multiply-adds on this host, as in the portable kernels.
void multiply_add(size_t rounds) {
    using Vector = float __attribute__((vector_size(16)));
    const Vector half = {0.5F, 0.5F, 0.5F, 0.5F}, one = {1, 1, 1, 1};
    Vector sums[12] = {};
    for (size_t i = 0; i < rounds; ++i) {
        for (Vector& sum : sums) {
            sum = sum * half + one;
        }
    }
    for (Vector& sum : sums) {
        benchmark::DoNotOptimize(sum);
    }
}

#if defined(__x86_64__)
/// What compilers make of sums of products of int8 for an x86-64 without further flags, as in the portable kernels: two
/// products of 16 bits in each of four lanes, added to sums. In assembly: compilers keep some of the sums in memory.
void multiply_add_pairs(size_t rounds) {
#define KAI_SUM(N) "pmaddwd %%xmm15, %%xmm" #N "\n paddd %%xmm15, %%xmm" #N "\n"
    __asm__ volatile(
        "pcmpeqd %%xmm15, %%xmm15\n"
        "1:\n" KAI_SUM(0) KAI_SUM(1) KAI_SUM(2) KAI_SUM(3) KAI_SUM(4) KAI_SUM(5) KAI_SUM(6) KAI_SUM(7) KAI_SUM(8)
            KAI_SUM(9) KAI_SUM(10) KAI_SUM(11) "dec %0\n"
                                               "jnz 1b\n"
        : "+r"(rounds)
        :
        : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm15");
#undef KAI_SUM
}
#endif

const Entry kEntries[] = {
    {"multiply, add (C++)", Element::f32, 0, multiply_add, 12 * 4, Scale::no},
#if defined(__x86_64__)
    {"PMADDWD, PADDD (SSE2)", Element::int8, 0, multiply_add_pairs, 12 * 8, Scale::no},
#endif
};

#endif

double macs_of(const Entry& entry) {
    const double sve = double(kai_cpu_sve_bytes()) / 16, sme = double(kai_cpu_sme_bytes()) / 16;
    return entry.macs * (entry.scale == Scale::sve ? sve : entry.scale == Scale::sme ? sme * sme : 1);
}

double seconds_since(Pool::Clock::time_point start) {
    return Pool::Seconds(Pool::Clock::now() - start).count();
}

/// Rounds per second over all threads: the best of several runs.
double measure_loop(Pool& pool, Loop* loop, double long_enough) {
    struct Job {
        Loop* loop;
        size_t rounds;
        std::vector<double> rates;
    };
    Job job = {loop, 64, std::vector<double>(pool.threads())};
    for (auto start = Pool::Clock::now();; start = Pool::Clock::now()) {
        loop(job.rounds);
        const double time = seconds_since(start);
        if (time > long_enough / 8) {
            job.rounds = static_cast<size_t>(double(job.rounds) * long_enough / time) + 1;
            break;
        }
        job.rounds *= 2;
    }
    double best = 0;
    for (size_t i = 0; i < 6; ++i) {  // on a busy machine some are slow
        pool.run(
            pool.threads(),
            [](void* context, size_t thread) {
                auto& j = *static_cast<Job*>(context);
                const auto start = Pool::Clock::now();
                j.loop(j.rounds);
                j.rates[thread] = double(j.rounds) / seconds_since(start);
            },
            &job);
        double sum = 0;
        for (const double rate : job.rates) {
            sum += rate;
        }
        best = std::max(best, sum);
    }
    return best;
}

/// Bytes per second that all threads together read from memory.
double measure_reading(Pool& pool) {
    using Vector = uint64_t __attribute__((vector_size(16)));
    struct Job {
        std::vector<Vector> data;
        std::atomic<uint64_t> sum;
    };
    constexpr size_t kPart = (size_t{1} << 18) / sizeof(Vector);
    Job job = {std::vector<Vector>(beyond_caches() / sizeof(Vector) / kPart * kPart, Vector{1, 2}), {0}};
    const auto read = [](void* context, size_t i) {
        auto& j = *static_cast<Job*>(context);
        const Vector* p = &j.data[i * kPart];
        Vector sums[8] = {};
        for (size_t k = 0; k < kPart; k += 8) {
            for (size_t l = 0; l < 8; ++l) {
                sums[l] += p[k + l];
            }
        }
        for (const Vector& sum : sums) {
            j.sum += sum[0] + sum[1];
        }
    };
    double best = 0;
    for (size_t round = 0; round < 3; ++round) {
        const auto start = Pool::Clock::now();
        pool.run(job.data.size() / kPart, read, &job);
        best = std::max(best, double(job.data.size() * sizeof(Vector)) / seconds_since(start));
    }
    benchmark::DoNotOptimize(job.sum.load());
    return best;
}

std::list<Peaks> found;

}  // namespace

Element element_of(const kai_ukernel& u) {
    const char* format = u.lhs_format;
    return std::strncmp(format, "f32", 3) == 0    ? Element::f32
           : std::strncmp(format, "f16", 3) == 0  ? Element::f16
           : std::strncmp(format, "bf16", 4) == 0 ? Element::bf16
                                                  : Element::int8;
}

const char* name_of(Element element) {
    constexpr const char* kNames[] = {"f32", "f16", "bf16", "int8"};
    return kNames[static_cast<size_t>(element)];
}

const Peak* Peaks::of(const kai_ukernel& u) const {
    const Peak* best = nullptr;
    for (const Peak& peak : loops) {
        const auto is_it = [&](const Entry& e) { return e.name == peak.name && e.element == peak.element; };
        const Entry& entry = *std::find_if(std::begin(kEntries), std::end(kEntries), is_it);
        const uint64_t allowed = u.features | bit(KAI_CPU_NEON);
        if (peak.element == element_of(u) && (entry.features & ~allowed) == 0 &&
            (best == nullptr || peak.rate > best->rate)) {
            best = &peak;
        }
    }
    return best;
}

const Peaks& peaks_of(Pool& pool) {
    for (const Peaks& peaks : found) {
        if (peaks.threads == pool.threads()) {
            return peaks;
        }
    }
    const double long_enough = is_emulated() ? 1e-3 : 15e-3;
    Peaks peaks = {};
    peaks.threads = pool.threads();
    measure_loop(pool, kEntries[0].loop, 4 * long_enough);  // until the clock has risen
    {
        const Cycles cycles;
        const uint64_t before = cycles.now();
        const auto start = Pool::Clock::now();
        kEntries[0].loop(long_enough > 5e-3 ? 1000000 : 1000);
        peaks.hertz = double(cycles.now() - before) / seconds_since(start);
    }
    for (const Element element : {Element::f32, Element::f16, Element::bf16, Element::int8}) {
        for (const Entry& e : kEntries) {
            if (e.element == element && kai_registry_runnable(e.features, nullptr, 0)) {
                peaks.loops.push_back({e.name, element, macs_of(e) * measure_loop(pool, e.loop, long_enough)});
            }
        }
    }
    peaks.reading = measure_reading(pool);
    found.push_back(std::move(peaks));
    return found.back();
}

const std::list<Peaks>& measured_peaks() {
    return found;
}
