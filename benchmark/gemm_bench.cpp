// The GEMM layer from end to end: quantise, pack, multiply, store, as at every inference, on T threads.
//
// Names: gemm/<kind>/MxNxK/threads:T; by_hand/...: the same kernels on the same packed weights by kai_call, every
// thread a part of the rows to pack and a part of the columns.
// Counters: GFLOP/s; GB/s of weights, activations and results, each once; peak% and read%, their share of what the
// kernel and the memory give on as many threads (below); with threads imbalance%, the time from the first thread that
// has nothing left to do to the last one, and handoff%, the time in which no thread does.
//
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "benchmark/bench.hpp"
#include "benchmark/pool.hpp"
#include "examples/common/aligned_memory.hpp"
#include "kai/gemm/kai_gemm.h"
#include "kai/kai_call.h"

namespace {

using Clock = Pool::Clock;
using Seconds = Pool::Seconds;

/// A linear layer: constant weights, N x K. Or a product of activations: K x N, read at every run.
struct Kind {
    const char* name;
    kai_gemm_kind b_kind;
    kai_datatype type;  ///< of A and C, and of dense B
    bool constant, allow_bf16;
    const char* peak;  ///< The kind whose kernel gives the peak.
};
constexpr Kind kKinds[] = {
    {"f32", KAI_GEMM_DENSE, kai_dt_f32, true, false, "f32"},
    {"f32_not_constant", KAI_GEMM_DENSE, kai_dt_f32, false, false, "f32"},
    {"f32_allow_bf16", KAI_GEMM_DENSE, kai_dt_f32, true, true, "f32_allow_bf16"},
    {"f16", KAI_GEMM_DENSE, kai_dt_f16, true, false, "f16"},
    {"int8_channel", KAI_GEMM_INT8_CHANNEL, kai_dt_f32, true, false, "int8_channel"},
    {"int4_channel", KAI_GEMM_INT4_CHANNEL, kai_dt_f32, true, false, "int4_channel"},
    {"int4_block", KAI_GEMM_INT4_BLOCK, kai_dt_f32, true, false, "int4_block"},
    {"int4_block_f16", KAI_GEMM_INT4_BLOCK_F16, kai_dt_f32, true, false, "int4_block_f16"},
    {"int4_block_zero", KAI_GEMM_INT4_BLOCK_ZERO, kai_dt_f32, true, false, "int4_block_zero"},
};

/// More than the caches of any core that is likely to be measured.
constexpr size_t kBeyondCaches = size_t{256} << 20;

void require(kai_gemm_status status) {
    if (status != KAI_GEMM_OK) {
        std::fprintf(stderr, "%s\n", kai_gemm_status_text(status));
        std::abort();
    }
}

kai_gemm_problem problem_of(const Kind& kind, const Shape& s, size_t threads) {
    kai_gemm_problem p = kai_gemm_problem_of(s.m, s.n, s.k);
    p.b_kind = kind.b_kind, p.bl = options.block_length;
    p.a_type = p.b_type = p.c_type = kind.type;
    p.b_constant = p.b_transposed = kind.constant;
    p.allow_bf16 = kind.allow_bf16;
    p.units = threads, p.sme_units = options.sme_units;
    return p;
}

double multiply_adds(const Shape& s) {
    return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

/// A problem with its operands.
class Layer {
public:
    Layer(const Kind& kind, const Shape& s, size_t threads, bool cold) : shape_(s) {
        const kai_gemm_problem problem = problem_of(kind, s, threads);
        require(kai_gemm_make_plan(&problem, &plan_));
        std::mt19937 random(1);
        const size_t size = kai_get_datatype_size_in_bytes(kind.type);
        const char* type = kind.type == kai_dt_f16 ? "f16" : "f32";
        a_ = random_elements(type, s.m * s.k * size, random);
        c_.resize(s.m * s.n * size);
        workspace_ = allocate(plan_.workspace_size);
        make_weights(kind, type, random);

        // Copies that take turns, so that none is in a cache when it is needed.
        const size_t one = kind.constant ? plan_.packed_b_size : weights_.size();
        copies_ = cold ? kBeyondCaches / one + 1 : 1;
        b_stride_ = (one + 63) / 64 * 64;
        b_ = allocate(copies_ * b_stride_);
        if (kind.constant) {
            pack(random);
        } else {
            std::memcpy(b_.get(), weights_.data(), one);
        }
        weights_ = {};
        for (size_t i = 1; i < copies_; ++i) {
            std::memcpy(static_cast<char*>(b_.get()) + i * b_stride_, b_.get(), one);
        }
        bytes_ = static_cast<double>(one + a_.size() + c_.size());
        make_call(random);
    }

    const kai_gemm_plan& plan() const {
        return plan_;
    }
    const Shape& shape() const {
        return shape_;
    }
    double bytes() const {
        return bytes_;
    }
    const kai_ukernel& kernel() const {
        return *kernel_of(plan_, shape_).ukernel;
    }
    /// Bytes that the kernel reads and writes.
    size_t packed_bytes() const {
        return (lhs_packed_.empty() ? rows_ : lhs_packed_).size() + b_stride_ + products_.size();
    }

    void run(Pool* pool) {
        kai_gemm_operands x = {};
        x.m = shape_.m, x.a.data = a_.data(), x.b.data = next_b(), x.c.data = c_.data();
        require(kai_gemm_run(
            &plan_, &x, workspace_.get(), plan_.workspace_size, pool != nullptr ? Pool::parallel_for : nullptr, pool));
    }

    static const kai_gemm_kernel& kernel_of(const kai_gemm_plan& plan, const Shape& s) {
        return s.m == 1 ? plan.gemv : plan.gemm;
    }

    /// Whether the kernels can be called on these operands as they are.
    static bool can_run_by_hand(const kai_gemm_plan& plan, const Shape& s) {
        const bool converts_rows =
            kernel_of(plan, s).copies_rows && std::strcmp(lhs_source(kernel_of(plan, s)), a_format(plan)) != 0;
        return plan.direct && !converts_rows && (plan.problem.b_constant || plan.rhs_packer == nullptr);
    }

    void run_by_hand(Pool* pool) {
        (plan_.rhs_packer != nullptr ? call_.rhs_packed : call_.rhs) = next_b();
        const auto each = [&](size_t count, Pool::Task* task) {
            if (pool != nullptr && count > 1) {
                pool->run(count, task, this);
            } else {
                task(this, 0);
            }
        };
        rows_each_ = share(shape_.m, call_.ukernel->get_mr());
        columns_each_ = share(shape_.n, call_.ukernel->get_n_step());
        if (call_.lhs_packer != nullptr) {
            each((shape_.m + rows_each_ - 1) / rows_each_, [](void* layer, size_t i) {
                auto& l = *static_cast<Layer*>(layer);
                const size_t first = i * l.rows_each_, rows = std::min(l.rows_each_, l.shape_.m - first);
                kai_call_pack_lhs(&l.call_, first, rows, l.lhs_packed_.data());
            });
        }
        each((shape_.n + columns_each_ - 1) / columns_each_, [](void* layer, size_t i) {
            const auto& l = *static_cast<Layer*>(layer);
            const size_t first = i * l.columns_each_, columns = std::min(l.columns_each_, l.shape_.n - first);
            kai_call_run(&l.call_, 0, first, l.shape_.m, columns);
        });
    }
    /// The kernel alone.
    void multiply() const {
        kai_call_run(&call_, 0, 0, shape_.m, shape_.n);
    }

private:
    static const char* a_format(const kai_gemm_plan& plan) {
        return plan.problem.a_type == kai_dt_f16 ? "f16" : "f32";
    }
    static const char* lhs_source(const kai_gemm_kernel& kernel) {
        return kernel.lhs_packer != nullptr ? kernel.lhs_packer->source_format : kernel.ukernel->lhs_format;
    }

    /// A T-th of `count`, in steps.
    size_t share(size_t count, size_t step) const {
        const size_t steps = (count + step - 1) / step, workers = plan_.workers;
        return (steps + workers - 1) / workers * step;
    }

    const void* next_b() {
        turn_ = turn_ + 1 < copies_ ? turn_ + 1 : 0;
        return static_cast<const char*>(b_.get()) + turn_ * b_stride_;
    }

    void make_weights(const Kind& kind, const char* type, std::mt19937& random) {
        const size_t elements = shape_.n * shape_.k, blocks = elements / options.block_length;
        switch (kind.b_kind) {
            case KAI_GEMM_DENSE:
                weights_ = random_elements(type, elements * kai_get_datatype_size_in_bytes(kind.type), random);
                return;
            case KAI_GEMM_INT8_CHANNEL:
                weights_ = random_elements("int8", elements, random);
                return;
            case KAI_GEMM_INT4_BLOCK_F16:
                weights_ = random_elements("int8", elements / 2 + 2 * blocks, random);
                for (uint8_t& b : weights_) {
                    b &= 0x3F;  // scales stay finite
                }
                return;
            default:
                weights_ = random_elements("int8", shape_.n * ((shape_.k + 1) / 2), random);
        }
    }

    void pack(std::mt19937& random) {
        const size_t scales = shape_.n * (shape_.k / options.block_length + 1);
        const std::vector<uint8_t> scale = random_elements("f32", scales * sizeof(float), random),
                                   zero = random_elements("f32", scales * sizeof(float), random);
        kai_gemm_weights w = {};
        w.b = weights_.data(), w.scale = scale.data();
        w.zero = reinterpret_cast<const float*>(zero.data()), w.zero_point = 8;
        const AlignedMemory scratch = allocate(plan_.pack_workspace_size);
        require(kai_gemm_pack_b(
            &plan_, 0, &w, b_.get(), plan_.packed_b_size, scratch.get(), plan_.pack_workspace_size, nullptr, nullptr));
    }

    /// The call of the kernel, with operands of the types that it reads and writes.
    void make_call(std::mt19937& random) {
        const kai_gemm_kernel& kernel = kernel_of(plan_, shape_);
        kai_call& call = call_;
        call.ukernel = kernel.ukernel, call.lhs_packer = kernel.lhs_packer, call.rhs_packer = plan_.rhs_packer;
        call.m = shape_.m, call.n = shape_.n, call.k = shape_.k, call.bl = options.block_length;
        const bool halves = std::strcmp(lhs_source(kernel), "f16") == 0;
        rows_ = random_elements(lhs_source(kernel), shape_.m * shape_.k * (halves ? 2 : 4), random);
        products_.resize(kai_call_dst_size(&call));
        lhs_packed_.resize(kai_call_lhs_packed_size(&call));
        call.lhs = rows_.data(), call.lhs_packed = lhs_packed_.data(), call.dst = products_.data();
        kai_call_pack_lhs(&call, 0, shape_.m, lhs_packed_.data());
        (plan_.rhs_packer != nullptr ? call.rhs_packed : call.rhs) = b_.get();
    }

    Shape shape_;
    kai_gemm_plan plan_ = {};
    std::vector<uint8_t> a_, c_, weights_, rows_, products_, lhs_packed_;
    AlignedMemory b_, workspace_;
    size_t copies_ = 1, b_stride_ = 0, turn_ = 0;
    double bytes_ = 0;
    kai_call call_ = {};
    size_t rows_each_ = 0, columns_each_ = 0;
};

// ---- peaks ----

/// Operands of a call that fit in any L1 cache, as deep as said.
Shape shape_in_l1(const Kind& kind, size_t depth) {
    constexpr size_t kBytes = size_t{24} << 10, kRows = 16;
    Shape s = {kRows, 1, (depth + options.block_length - 1) / options.block_length * options.block_length};
    const Layer probe(kind, {kRows, 64, s.k}, 1, false);
    const kai_ukernel& u = probe.kernel();
    s.m = (kRows + u.get_m_step() - 1) / u.get_m_step() * u.get_m_step();
    const size_t per_column = probe.packed_bytes() / 64;  // more than a column has: the rows are part of it
    const size_t columns = kBytes / per_column;
    s.n = std::max<size_t>(columns / u.get_n_step(), 1) * u.get_n_step();
    return s;
}

/// Multiply-adds per second of the kernel for many rows if all operands are in the L1 cache, the sum of all threads:
/// the best of some depths.
double measure_peak(const Kind& kind, size_t threads) {
    struct Job {
        std::vector<std::unique_ptr<Layer>> layers;
        std::vector<double> rates;
        size_t repeats;
    };
    constexpr Seconds kLongEnough(4e-3);
    double peak = 0;
    Shape best = {};
    Pool pool(threads);
    for (const size_t depth : {128, 256, 512, 1024}) {
        const Shape s = shape_in_l1(kind, depth);
        Job job = {{}, {}, 1};
        for (size_t i = 0; i < threads; ++i) {
            job.layers.push_back(std::make_unique<Layer>(kind, s, 1, false));
        }
        job.rates.resize(threads);
        const auto work = [](void* context, size_t i) {
            auto& j = *static_cast<Job*>(context);
            const auto start = Clock::now();
            for (size_t r = 0; r < j.repeats; ++r) {
                j.layers[i]->multiply();
                benchmark::ClobberMemory();
            }
            const Seconds time = Clock::now() - start;
            j.rates[i] = multiply_adds(j.layers[i]->shape()) * static_cast<double>(j.repeats) / time.count();
        };
        for (auto start = Clock::now();; start = Clock::now()) {
            work(&job, 0);
            if (Clock::now() - start > kLongEnough) {
                break;
            }
            job.repeats *= 2;
        }
        for (size_t round = 0; round < 5; ++round) {
            pool.run(threads, work, &job);
            double sum = 0;
            for (const double rate : job.rates) {
                sum += rate;
            }
            if (sum > peak) {
                peak = sum, best = s;
            }
        }
    }
    std::fprintf(
        stderr, "peak of %s, threads:%zu: %.1f GFLOP/s (%s)\n", kind.name, threads, 2e-9 * peak, text(best).c_str());
    return peak;
}

/// Bytes per second that `threads` threads read from memory.
double measure_reading(size_t threads) {
    using Vector = uint64_t __attribute__((vector_size(16)));
    struct Job {
        std::vector<Vector> data;
        std::atomic<uint64_t> sum;
    };
    constexpr size_t kPart = (size_t{1} << 20) / sizeof(Vector);
    Job job = {std::vector<Vector>(kBeyondCaches / sizeof(Vector), Vector{1, 2}), {0}};
    Pool pool(threads);
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
    for (size_t round = 0; round < 4; ++round) {
        const auto start = Clock::now();
        pool.run(job.data.size() / kPart, read, &job);
        const Seconds time = Clock::now() - start;
        best = std::max(best, static_cast<double>(kBeyondCaches) / time.count());
    }
    benchmark::DoNotOptimize(job.sum.load());
    std::fprintf(stderr, "reading memory, threads:%zu: %.1f GB/s\n", threads, 1e-9 * best);
    return best;
}

/// Measured when it is first asked for.
double peak_of(const Kind& kind, size_t threads) {
    static std::map<std::pair<std::string, size_t>, double> found;
    double& peak = found[{kind.peak, threads}];
    for (const Kind& other : kKinds) {
        if (peak == 0 && std::strcmp(other.name, kind.peak) == 0) {
            peak = measure_peak(other, threads);
        }
    }
    return peak;
}
double reading_of(size_t threads) {
    static std::map<size_t, double> found;
    double& reading = found[threads];
    if (reading == 0) {
        reading = measure_reading(threads);
    }
    return reading;
}

// ---- benchmarks ----

using Step = void (Layer::*)(Pool*);

void measure(benchmark::State& state, const Kind& kind, const Shape& s, size_t threads, Step step) {
    Layer layer(kind, s, threads, options.cold);
    const size_t workers = layer.plan().workers;
    const double peak = peak_of(kind, workers), reading = reading_of(workers);
    Pool pool(threads);
    const auto run = [&] {
        (layer.*step)(threads > 1 ? &pool : nullptr);
        benchmark::ClobberMemory();
    };
    run();
    const Seconds longest = pool.longest(), imbalance = pool.imbalance();
    const auto start = Clock::now();
    for (auto _ : state) {
        run();
    }
    const double time = Seconds(Clock::now() - start).count(), runs = static_cast<double>(state.iterations());
    const double rate = multiply_adds(s) * runs / time, bytes = layer.bytes() * runs / time;
    state.counters["GFLOP/s"] = 2e-9 * rate;
    state.counters["peak%"] = 100 * rate / peak;
    state.counters["GB/s"] = 1e-9 * bytes;
    state.counters["read%"] = 100 * bytes / reading;
    if (pool.longest() != longest) {
        state.counters["imbalance%"] = 100 * (pool.imbalance() - imbalance).count() / time;
        state.counters["handoff%"] = 100 * (1 - (pool.longest() - longest).count() / time);
    }
    state.SetLabel(layer.kernel().name);
}

}  // namespace

void register_gemm() {
    const size_t cores = std::thread::hardware_concurrency();
    for (const size_t threads : options.threads) {
        if (cores != 0 && threads > cores) {
            std::fprintf(stderr, "left out: threads:%zu: this machine has %zu\n", threads, cores);
        }
    }
    for (const Kind& kind : kKinds) {
        for (const Shape& s : options.shapes) {
            for (const size_t threads : options.threads) {
                if (cores != 0 && threads > cores) {
                    continue;
                }
                const std::string name = std::string(kind.name) + "/" + text(s) + "/threads:" + std::to_string(threads);
                const kai_gemm_problem problem = problem_of(kind, s, threads);
                kai_gemm_plan plan;
                const kai_gemm_status status = kai_gemm_make_plan(&problem, &plan);
                if (status != KAI_GEMM_OK) {
                    std::fprintf(stderr, "left out: gemm/%s: %s\n", name.c_str(), kai_gemm_status_text(status));
                    continue;
                }
                const auto add = [&](const char* prefix, Step step) {
                    benchmark::RegisterBenchmark(
                        (prefix + name).c_str(),
                        [&kind, s, threads, step](benchmark::State& state) { measure(state, kind, s, threads, step); })
                        ->UseRealTime();
                };
                add("gemm/", &Layer::run);
                if (Layer::can_run_by_hand(plan, s)) {
                    add("by_hand/", &Layer::run_by_hand);
                }
            }
        }
    }
}
