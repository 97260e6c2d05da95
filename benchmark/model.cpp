// A language model without a file: weights of the shapes and types of a model, random, as many layers as memory takes,
// each in memory of its own, so that no cache holds what the next token needs. The GEMM layer multiplies, from rows of
// f32 to rows of f32, on all CPUs, and attends to a cache of random keys and values. What is measured is the matrices
// with weights and attention: norms, rotations and activations are not here, a few percent of the time.
//
// The time of a matrix, and of attention, is that of all of its kind in the layers that are here; a token takes as many
// of each kind as the model has.
//
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/model.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <set>

#include "benchmark/attention.hpp"
#include "benchmark/machine.hpp"
#include "benchmark/measure.hpp"
#include "benchmark/report.hpp"
#include "examples/common/aligned_memory.hpp"
#include "kai/gemm/kai_gemm.h"

namespace {

using std::string;

/// Columns of the matrices of a layer, and of a head; experts: 0, or how many there are, of which each token takes
/// `used`.
struct Model {
    const char *name, *type;  ///< The type that "1b" alone stands for.
    size_t layers, width, queries, keys, head, inner, vocabulary, experts, used;
};
constexpr Model kModels[] = {
    {"1b", "q4_0", 16, 2048, 2048, 512, 64, 8192, 128256, 0, 0},           // as Llama 3.2 1B
    {"7b", "q4_0", 32, 4096, 4096, 4096, 128, 11008, 32000, 0, 0},         // as Llama 2 7B
    {"8b", "q4_k_m", 32, 4096, 4096, 1024, 128, 14336, 128256, 0, 0},      // as Llama 3.1 8B
    {"30b-a3b", "q4_k_m", 48, 2048, 4096, 512, 128, 768, 151936, 128, 8},  // as Qwen3 30B-A3B
    {"test", "q4_0", 4, 256, 256, 128, 64, 512, 1024, 0, 0},               // for tests of this program and of llm
    {"test-moe", "q4_k_m", 8, 256, 256, 256, 64, 256, 1024, 8, 2},
};
const char* const kTypes[] = {"q4_0", "q8_0", "q4_k_m"};

/// Matrices of one kind, or attention, in all layers: a line of the report.
struct Kind {
    string name;
    kai_gguf_type_id type;
    size_t n, k, experts;  ///< Attention: the cache has n rows of k elements, keys and values.
    bool gathers;          ///< Experts: rows are chosen among those of all tokens.
    bool attends = false;
    size_t count = 0;  ///< In the model.

    kai_gemm_plan plan = {};
    size_t size = 0;  ///< Bytes of packed weights, or of the cache.
    size_t prefill_rows = 1;
    const void* packed = nullptr;  ///< One of them; others are copies.

    struct Times {
        double seconds = 0;
        size_t runs = 0;
        double mean() const {
            return seconds / double(std::max<size_t>(1, runs));
        }
    };
    Times times[2];  ///< decode, prefill
};

/// A matrix, the matrices of a layer's experts, or its cache.
struct Matrix {
    size_t kind;
    AlignedMemory packed;
};

enum Phase { kDecode, kPrefill };

/// "7b-q4_0" -> a model and a type; nullptr if there is none.
const Model* find_model(const string& name, string* type) {
    for (const Model& m : kModels) {
        if (name == m.name) {
            *type = m.type;
            return &m;
        }
        for (const char* t : kTypes) {
            if (name == string(m.name) + "-" + t) {
                *type = t;
                return &m;
            }
        }
    }
    return nullptr;
}

/// Q4_K_M has Q6_K in half of the layers, for values and the last matrix of the feed-forward network.
bool has_more_bits(size_t layer, size_t layers) {
    return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

class Runner {
public:
    Runner(const Model& model, string type, size_t threads)
        : model_(model), type_(std::move(type)), pool_(pool_of(threads)) {
        // A token of decode sees the whole cache, and is the last of it.
        attention_ = std::make_unique<Attention>(
            model.queries, model.keys, model.head, options.prompt, std::max(options.context, options.prompt), pool_);
        for (size_t i = 0; i < model.layers; ++i) {
            for (const size_t kind : layer(i)) {
                ++kinds_[kind].count;
            }
        }
        head_ = kind_of("output", type_ == "q8_0" ? KAI_GGUF_Q8_0 : KAI_GGUF_Q6_K, model.vocabulary, model.width);
        kinds_[head_].count = 1;
    }

    /// Plans and fills memory. False if something cannot be multiplied here, after saying what.
    bool prepare() {
        if (attention_->plan().status != KAI_GEMM_OK) {
            std::fprintf(stderr, "attention: %s\n", attention_->plan().reason);
            return false;
        }
        size_t workspace = 0, rows = 0;
        for (Kind& k : kinds_) {
            if (k.attends) {
                k.prefill_rows = options.prompt, k.size = attention_->cache_size();
                continue;
            }
            // In a prompt, only the last token needs the head.
            k.prefill_rows = &k == &kinds_[head_] ? 1 : options.prompt;
            kai_gemm_problem p = kai_gemm_problem_of(k.prefill_rows, k.n, k.k);
            if (k.experts != 0) {
                p.m = k.prefill_rows * model_.used, p.batch = k.experts;
                p.groups = true, p.b_per_matrix = true;
            }
            p.b_kind = KAI_GEMM_GGUF, p.gguf_type = k.type, p.b_constant = p.b_transposed = true;
            p.units = pool_.threads(), p.sme_units = options.sme_units;
            if (kai_gemm_make_plan(&p, &k.plan) != KAI_GEMM_OK) {
                std::fprintf(stderr, "%s: %s\n", k.name.c_str(), k.plan.reason);
                return false;
            }
            k.size = k.plan.packed_b_size;
            workspace = std::max(workspace, k.plan.workspace_size), rows = std::max(rows, p.m);
        }
        workspace_size_ = workspace, workspace_ = allocate(workspace);
        size_t widest = 0;
        for (const Kind& k : kinds_) {
            widest = k.attends ? widest : std::max({widest, k.n, k.k});
        }
        a_ = random_elements("f32", rows * widest * sizeof(float), 1);
        c_.resize(std::max(rows, size_t{1}) * widest * sizeof(float));
        choose_layers();
        for (const size_t i : resident_) {
            for (const size_t kind : layer(i)) {
                add(kind);
            }
        }
        add(head_);
        return true;
    }

    /// Tokens: all matrices of the layers that are here, the head at the end. Stops when `seconds` are over and every
    /// kind was seen. What it measured is added to the times.
    double pass(Phase phase, double seconds) {
        const auto start = Pool::Clock::now();
        std::vector<Kind::Times> times(kinds_.size());
        size_t unseen = kinds_.size();
        const auto one = [&](const Matrix& matrix) {
            const double took = run(matrix, phase);
            Kind::Times& t = times[matrix.kind];
            unseen -= t.runs == 0;
            t.seconds += took, ++t.runs;
        };
        one(matrices_.back());
        for (size_t i = 0; i + 1 < matrices_.size(); ++i) {
            if (unseen == 0 && Pool::Seconds(Pool::Clock::now() - start).count() > seconds) {
                break;
            }
            one(matrices_[i]);
        }
        double total = 0;
        for (size_t i = 0; i < kinds_.size(); ++i) {
            kinds_[i].times[phase].seconds += times[i].seconds, kinds_[i].times[phase].runs += times[i].runs;
            total += times[i].mean() * double(kinds_[i].count);
        }
        return total;
    }

    const std::vector<Kind>& kinds() const {
        return kinds_;
    }
    const Model& model() const {
        return model_;
    }
    size_t resident_layers() const {
        return resident_.size();
    }
    size_t threads() const {
        return pool_.threads();
    }
    Pool& pool() const {
        return pool_;
    }
    size_t context() const {
        return attention_->plan().problem.positions;
    }
    /// `work`, bytes() or macs(), of a token of decode: of all matrices, or of attention.
    double token(double (Runner::*work)(const Kind&, Phase) const, bool attention) const {
        double sum = 0;
        for (const Kind& k : kinds_) {
            sum += k.attends == attention ? (this->*work)(k, kDecode) * double(k.count) : 0;
        }
        return sum;
    }
    /// Bytes of packed weights: of the whole model, and of what is in memory.
    double bytes_of_model() const {
        double sum = 0;
        for (const Kind& k : kinds_) {
            sum += double(k.plan.packed_b_size) * double(k.count);
        }
        return sum;
    }
    double bytes_here() const {
        double sum = 0;
        for (const Matrix& m : matrices_) {
            sum += double(kinds_[m.kind].plan.packed_b_size);
        }
        return sum;
    }

    /// @name For one matrix, or the experts of a layer
    /// @{
    double rows(const Kind& k, Phase phase) const {
        const size_t tokens = phase == kDecode ? 1 : k.prefill_rows;
        return double(k.experts != 0 ? tokens * model_.used : tokens);
    }
    double macs(const Kind& k, Phase phase) const {
        if (k.attends) {
            return attention_->macs(position(phase), tokens(phase));
        }
        return rows(k, phase) * double(k.n) * double(k.k);
    }
    /// Bytes of weights or of the cache that are read; for experts, the average of those that at least one token
    /// selects.
    double bytes(const Kind& k, Phase phase) const {
        if (k.attends) {
            return attention_->bytes(position(phase), tokens(phase));
        }
        if (k.experts == 0) {
            return double(k.plan.packed_b_size);
        }
        double unused = 1;
        for (double t = 0; t < rows(k, phase) / double(model_.used); ++t) {
            unused *= 1 - double(model_.used) / double(k.experts);
        }
        return double(k.plan.packed_b_size) * (1 - unused);
    }
    const kai_ukernel& kernel(const Kind& k, Phase phase) const {
        const bool one_row = phase == kDecode || k.prefill_rows == 1;
        if (k.attends) {  // that of the scores; those of the values multiply the same elements
            return *(one_row ? attention_->plan().scores.gemv : attention_->plan().scores.gemm).ukernel;
        }
        return *(one_row ? k.plan.gemv : k.plan.gemm).ukernel;
    }
    /// @}

private:
    size_t kind_of(
        const char* name, kai_gguf_type_id type, size_t n, size_t k, size_t experts = 0, bool gathers = false) {
        const auto is_it = [&](const Kind& other) { return other.name == name && other.type == type; };
        const auto there = std::find_if(kinds_.begin(), kinds_.end(), is_it);
        if (there == kinds_.end()) {
            Kind kind;
            kind.name = name, kind.type = type, kind.n = n, kind.k = k, kind.experts = experts, kind.gathers = gathers;
            kinds_.push_back(std::move(kind));
            return kinds_.size() - 1;
        }
        return static_cast<size_t>(there - kinds_.begin());
    }

    /// The kinds of a layer's matrices, in the order of their use.
    std::vector<size_t> layer(size_t i) {
        const Model& m = model_;
        const kai_gguf_type_id most = type_ == "q4_0" ? KAI_GGUF_Q4_0 : type_ == "q8_0" ? KAI_GGUF_Q8_0 : KAI_GGUF_Q4_K;
        const kai_gguf_type_id some = type_ == "q4_k_m" && has_more_bits(i, m.layers) ? KAI_GGUF_Q6_K : most;
        std::vector<size_t> all = {
            kind_of("attn_q", most, m.queries, m.width), kind_of("attn_k", most, m.keys, m.width),
            kind_of("attn_v", some, m.keys, m.width),
            kind_of("attention", KAI_GGUF_F16, attention_->plan().problem.positions, 2 * m.keys),
            kind_of("attn_output", most, m.width, m.queries)};
        kinds_[all[3]].attends = true;
        if (m.experts == 0) {
            all.push_back(kind_of("ffn_gate", most, m.inner, m.width));
            all.push_back(kind_of("ffn_up", most, m.inner, m.width));
            all.push_back(kind_of("ffn_down", some, m.width, m.inner));
        } else {
            all.push_back(kind_of("ffn_gate_exps", most, m.inner, m.width, m.experts, true));
            all.push_back(kind_of("ffn_up_exps", most, m.inner, m.width, m.experts, true));
            all.push_back(kind_of("ffn_down_exps", some, m.width, m.inner, m.experts));
        }
        return all;
    }

    /// As many layers as fit into memory, evenly spread, at least one with each kind of matrix.
    void choose_layers() {
        double each = 0;
        for (const Kind& k : kinds_) {
            each += &k == &kinds_[head_] ? 0 : double(k.size) * double(k.count) / double(model_.layers);
        }
        const double budget =
            options.model_mb != 0 ? double(options.model_mb) * (1 << 20) : double(available_memory()) / 2;
        const double head = double(kinds_[head_].plan.packed_b_size);
        const double fit = budget > 0 ? (budget - head) / each : 2;
        const auto count = static_cast<size_t>(std::clamp(fit, 1.0, double(model_.layers)));
        std::vector<bool> seen(kinds_.size());
        for (size_t i = 0; i < model_.layers; ++i) {
            bool adds = i * count / model_.layers != (i + 1) * count / model_.layers;  // every (layers / count)-th
            for (const size_t kind : layer(i)) {
                adds |= !seen[kind];
            }
            if (adds) {
                resident_.push_back(i);
                for (const size_t kind : layer(i)) {
                    seen[kind] = true;
                }
            }
        }
    }

    void add(size_t kind) {
        Kind& k = kinds_[kind];
        Matrix matrix = {kind, allocate(k.size)};
        auto* to = static_cast<char*>(matrix.packed.get());
        if (k.attends) {
            attention_->fill(to);
        } else if (k.packed != nullptr) {
            struct Job {
                char* to;
                const char* from;
                size_t size, part;
            } job = {to, static_cast<const char*>(k.packed), k.plan.packed_b_size, size_t{1} << 20};
            pool_.run(
                (job.size + job.part - 1) / job.part,
                [](void* context, size_t i) {
                    const Job& j = *static_cast<Job*>(context);
                    std::memcpy(j.to + i * j.part, j.from + i * j.part, std::min(j.part, j.size - i * j.part));
                },
                &job);
        } else {
            const std::vector<uint8_t> rows = random_file_rows(k.type, k.n, k.k);
            kai_gemm_weights w = {};
            w.b = rows.data();
            const AlignedMemory scratch = allocate(k.plan.pack_workspace_size);
            for (size_t i = 0; i < std::max<size_t>(1, k.experts); ++i) {
                require(kai_gemm_pack_b(
                    &k.plan, i, &w, to, k.plan.packed_b_size, scratch.get(), k.plan.pack_workspace_size,
                    Pool::parallel_for, &pool_));
            }
            k.packed = to;
        }
        matrices_.push_back(std::move(matrix));
    }

    /// Each token selects `used` experts: the number of rows of each expert, and the token of each row.
    void route(const Kind& k, size_t tokens) {
        std::vector<std::vector<size_t>> of(k.experts);
        std::vector<size_t> experts(k.experts);
        std::iota(experts.begin(), experts.end(), size_t{0});
        for (size_t t = 0; t < tokens; ++t) {
            for (size_t i = 0; i < model_.used; ++i) {
                std::swap(experts[i], experts[i + random_() % (k.experts - i)]);
                of[experts[i]].push_back(t);
            }
        }
        group_rows_.clear(), row_of_.clear();
        for (const std::vector<size_t>& rows : of) {
            group_rows_.push_back(rows.size());
            row_of_.insert(row_of_.end(), rows.begin(), rows.end());
        }
    }

    double run(const Matrix& matrix, Phase phase) {
        const Kind& k = kinds_[matrix.kind];
        if (k.attends) {
            const auto start = Pool::Clock::now();
            attention_->run(matrix.packed.get(), position(phase), this->tokens(phase));
            return Pool::Seconds(Pool::Clock::now() - start).count();
        }
        const size_t tokens = phase == kDecode ? 1 : k.prefill_rows;
        kai_gemm_operands x = {};
        x.m = tokens, x.a.data = a_.data(), x.b.data = matrix.packed.get(), x.c.data = c_.data();
        if (k.experts != 0) {
            route(k, tokens);
            x.rows = group_rows_.data();
            if (k.gathers) {
                x.a_rows = row_of_.data(), x.a_row_count = tokens;
            }
        }
        const auto start = Pool::Clock::now();
        require(kai_gemm_run(
            &k.plan, &x, workspace_.get(), k.plan.workspace_size, pool_.threads() > 1 ? Pool::parallel_for : nullptr,
            &pool_));
        return Pool::Seconds(Pool::Clock::now() - start).count();
    }

    /// Of attention: a prompt begins the text, a token of decode ends it.
    size_t position(Phase phase) const {
        return phase == kDecode ? attention_->plan().problem.positions - 1 : 0;
    }
    static size_t tokens(Phase phase) {
        return phase == kDecode ? 1 : options.prompt;
    }

    const Model& model_;
    string type_;
    Pool& pool_;
    std::unique_ptr<Attention> attention_;
    std::vector<Kind> kinds_;
    size_t head_ = 0;
    std::vector<size_t> resident_;  ///< Layers.
    std::vector<Matrix> matrices_;  ///< Of these layers, then the head.
    std::vector<uint8_t> a_, c_;
    AlignedMemory workspace_;
    size_t workspace_size_ = 0;
    std::mt19937 random_{3};
    std::vector<size_t> group_rows_, row_of_;
};

/// The result of a phase.
struct Figures {
    std::vector<double> repetitions;  ///< Seconds for a token (decode) or a prompt.
    double seconds = 0;               ///< Their median.
    double idle = 0;
    Limit limit = {};
    double operations = 0, bytes = 0;  ///< Per second.
};

Limit limit_of(const Runner& runner, const Kind& k, Phase phase) {
    Limit limit = {};
    limit.threads = runner.threads();
    if (options.peaks) {
        const Peaks& peaks = peaks_of(runner.pool());
        const Peak* peak = peaks.of(runner.kernel(k, phase));
        const double seconds = k.times[phase].mean();
        limit.reading = peaks.reading, limit.memory = runner.bytes(k, phase) / peaks.reading / seconds;
        if (peak != nullptr) {
            limit.peak = 2 * peak->rate, limit.peak_name = peak->name;
            limit.multiply = runner.macs(k, phase) / peak->rate / seconds;
        }
    }
    return limit;
}

Figures measure_phase(Runner& runner, Phase phase) {
    Figures f;
    const double enough = is_emulated() ? 0 : 20 * options.seconds;
    Pool& pool = runner.pool();
    const Pool::Seconds longest = pool.longest();
    const auto start = Pool::Clock::now();
    const auto passed = [&] { return Pool::Seconds(Pool::Clock::now() - start).count(); };
    do {
        f.repetitions.push_back(runner.pass(phase, enough));
    } while (passed() < 3 * enough || f.repetitions.size() < size_t(options.repetitions));
    f.idle = 1 - (pool.longest() - longest).count() / passed();
    std::vector<double> sorted = f.repetitions;
    std::sort(sorted.begin(), sorted.end());
    f.seconds = sorted[sorted.size() / 2];
    // All kinds, weighted by time. The peak is that of the kind that takes longest.
    double total = 0, most = 0;
    for (const Kind& k : runner.kinds()) {
        const double time = k.times[phase].mean() * double(k.count);
        const Limit limit = limit_of(runner, k, phase);
        total += time;
        f.limit.memory += limit.memory * time, f.limit.multiply += limit.multiply * time;
        f.operations += 2 * runner.macs(k, phase) * double(k.count),
            f.bytes += runner.bytes(k, phase) * double(k.count);
        if (time > most) {
            most = time;
            f.limit.reading = limit.reading, f.limit.peak = limit.peak, f.limit.peak_name = limit.peak_name;
        }
    }
    f.limit.threads = runner.threads();
    f.limit.memory /= total, f.limit.multiply /= total;
    f.operations /= f.seconds, f.bytes /= f.seconds;
    return f;
}

/// One sentence that says what limits the speed.
string sentence(const Limit& limit) {
    const string word = limit_of(limit);
    if (word == "memory") {
        return "Limited by memory: at the " + number_text(1e-9 * limit.reading) + " GB/s that " +
               std::to_string(limit.threads) + (limit.threads > 1 ? " threads read" : " thread reads") +
               ", the weights alone take " + percent_text(limit.memory, 1) + " of the time.";
    }
    if (word == "multiply") {
        return string("Limited by multiplying: at the peak of ") + limit.peak_name + ", that alone takes " +
               percent_text(limit.multiply, 1) + " of the time.";
    }
    if (word == "cache") {
        return "The weights come from a cache: give the model more memory (--model-mb).";
    }
    if (word == "neither") {
        return "Limited by the code: reading weights at memory's rate takes " + percent_text(limit.memory, 1) +
               " of the time, multiplying at its peak " + percent_text(limit.multiply, 1) + ".";
    }
    return "Without peaks nothing can be said about what limits it.";
}

string quoted_json(const string& text) {
    string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            all += '\\';
        }
        all += c;
    }
    return all + "\"";
}

/// In Google Benchmark's format, so that its tools and --compare can read it.
bool write_json(const Figures (&figures)[2], const string& path) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) {
        std::perror(path.c_str());
        return false;
    }
    std::fprintf(file, "{\n  \"context\": {\n    \"executable\": \"kleidiai_bench\"");
    for (const auto& [word, text] : describe_machine()) {
        std::fprintf(file, ",\n    %s: %s", quoted_json("kleidiai " + word).c_str(), quoted_json(text).c_str());
    }
    if (is_emulated()) {
        std::fprintf(file, ",\n    \"kleidiai emulated\": \"the times are those of an emulator\"");
    }
    std::fprintf(file, "\n  },\n  \"benchmarks\": [");
    const char* separator = "\n";
    for (const Phase phase : {kPrefill, kDecode}) {
        const Figures& f = figures[phase];
        const double tokens = phase == kDecode ? 1 : double(options.prompt);
        const string name = quoted_json("model/" + options.model + (phase == kDecode ? "/decode" : "/prefill"));
        for (size_t i = 0; i < f.repetitions.size(); ++i) {
            std::fprintf(
                file,
                "%s    {\"name\": %s, \"run_name\": %s, \"run_type\": \"iteration\", \"repetitions\": %zu, "
                "\"repetition_index\": %zu, \"threads\": 1, \"iterations\": 1, \"real_time\": %.9g, \"cpu_time\": "
                "%.9g, "
                "\"time_unit\": \"ms\", \"tokens/s\": %.6g}",
                separator, name.c_str(), name.c_str(), f.repetitions.size(), i, 1e3 * f.repetitions[i],
                1e3 * f.repetitions[i], tokens / f.repetitions[i]);
            separator = ",\n";
        }
    }
    std::fprintf(file, "\n  ]\n}\n");
    const bool written = std::ferror(file) == 0;
    return std::fclose(file) == 0 && written;
}

bool write_csv(const Runner& runner, const string& path) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) {
        std::perror(path.c_str());
        return false;
    }
    std::fprintf(
        file,
        "model,matrix,type,n,k,experts,count,threads,emulated,phase,rows,kernel,seconds,gops,peak_gops,gb_per_s,"
        "read_gb_per_s,limit,library,date,machine,cpus,compiler,governor\n");
    for (const Kind& k : runner.kinds()) {
        for (const Phase phase : {kDecode, kPrefill}) {
            const Limit limit = limit_of(runner, k, phase);
            const double seconds = k.times[phase].mean();
            std::fprintf(
                file, "%s,%s,%s,%zu,%zu,%zu,%zu,%zu,%d,%s,%g,%s,%.6g,%.6g,%.6g,%.6g,%.6g,%s", options.model.c_str(),
                k.name.c_str(), kai_gguf_find_type(k.type)->name, k.n, k.k, k.experts, k.count, runner.threads(),
                is_emulated(), phase == kDecode ? "decode" : "prefill", runner.rows(k, phase),
                runner.kernel(k, phase).name, seconds, 2e-9 * runner.macs(k, phase) / seconds, 1e-9 * limit.peak,
                1e-9 * runner.bytes(k, phase) / seconds, 1e-9 * limit.reading, limit_of(limit));
            for (const char* word : {"library", "date", "machine", "cpus", "compiler", "governor"}) {
                std::fprintf(file, ",\"%s\"", described(word).c_str());
            }
            std::fprintf(file, "\n");
        }
    }
    const bool written = std::ferror(file) == 0;
    return std::fclose(file) == 0 && written;
}

void print_kinds(const Runner& runner) {
    std::printf(
        "\n%-14s%-6s%16s%7s%9s%8s%6s%9s%8s%6s\n", "matrix", "type", "n x k", "count", "decode", "GB/s", "read",
        "prefill", "GOP/s", "peak");
    for (const Kind& k : runner.kinds()) {
        const Limit decode = limit_of(runner, k, kDecode), prefill = limit_of(runner, k, kPrefill);
        const string shape =
            (k.experts != 0 ? std::to_string(k.experts) + " x " : "") + std::to_string(k.n) + "x" + std::to_string(k.k);
        const double d = k.times[kDecode].mean(), p = k.times[kPrefill].mean();
        std::printf(
            "%-14s%-6s%16s%7zu%9s%8s%6s%9s%8s%6s\n", k.name.c_str(), kai_gguf_find_type(k.type)->name, shape.c_str(),
            k.count, time_text(d).c_str(), number_text(1e-9 * runner.bytes(k, kDecode) / d).c_str(),
            percent_text(decode.memory, 1).c_str(), time_text(p).c_str(),
            number_text(2e-9 * runner.macs(k, kPrefill) / p).c_str(), percent_text(prefill.multiply, 1).c_str());
    }
    std::set<string> kernels;
    for (const Kind& k : runner.kinds()) {
        for (const Phase phase : {kDecode, kPrefill}) {
            kernels.insert(runner.kernel(k, phase).name);
        }
    }
    const char* word = "kernels";
    for (const string& name : kernels) {
        std::printf("%-10s %s\n", word, name.c_str());
        word = "";
    }
}

}  // namespace

int run_model() {
    string type;
    const Model* model = find_model(options.model, &type);
    if (model == nullptr) {
        std::fprintf(stderr, "--model: there is no %s. Models:", options.model.c_str());
        for (const Model& m : kModels) {
            std::fprintf(stderr, " %s", m.name);
        }
        std::fprintf(stderr, "; each with -q4_0, -q8_0 or -q4_k_m\n");
        return 2;
    }
    const size_t threads = threads_for({1, 1, 1}).empty() ? 1 : threads_for({1, 1, 1}).back();
    if (options.peaks) {
        peaks_of(pool_of(threads));
    }
    print_head();
    Runner runner(*model, type, threads);
    if (!runner.prepare()) {
        return 2;
    }
    char here[80] = "All of it is in memory";
    if (runner.resident_layers() < model->layers) {
        std::snprintf(
            here, sizeof(here), "In memory: %zu layers, %.2f GB, others by their times", runner.resident_layers(),
            1e-9 * runner.bytes_here());
    }
    std::printf(
        "\nmodel      %s: %zu layers, %.2f GB of packed weights, random. %s\n"
        "           Matrices with rows of f32 in and out, and attention over %zu rows of f16; no norms or activations\n"
        "           A token reads %.0f bytes of weights, %.0f of the cache; %.0f multiply-adds, %.0f\n",
        options.model.c_str(), model->layers, 1e-9 * runner.bytes_of_model(), here, runner.context(),
        runner.token(&Runner::bytes, false), runner.token(&Runner::bytes, true), runner.token(&Runner::macs, false),
        runner.token(&Runner::macs, true));
    if (runner.bytes_here() < double(beyond_caches())) {
        std::printf("           THESE MAY STAY IN A CACHE: more memory is needed (--model-mb)\n");
    }
    std::fflush(stdout);
    Figures figures[2];
    for (const Phase phase : {kPrefill, kDecode}) {
        Figures& f = figures[phase];
        f = measure_phase(runner, phase);
        const double tokens = phase == kDecode ? 1 : double(options.prompt);
        const auto [least, most] = std::minmax_element(f.repetitions.begin(), f.repetitions.end());
        std::printf(
            "\n%-10s %s tokens/s   (%s, %zu threads, %.0f %% idle; %s GB/s, %s GOP/s; %zu times, +-%.0f %%)\n",
            phase == kDecode ? "decode" : "prefill", number_text(tokens / f.seconds).c_str(),
            phase == kDecode ? "one token" : (std::to_string(options.prompt) + " tokens").c_str(), threads,
            100 * std::max(0.0, f.idle), number_text(1e-9 * f.bytes).c_str(), number_text(1e-9 * f.operations).c_str(),
            f.repetitions.size(), 50 * (*most - *least) / f.seconds);
        std::printf("           %s\n", sentence(f.limit).c_str());
        std::fflush(stdout);
    }
    print_kinds(runner);
    if (is_emulated()) {
        std::printf("\n*** EMULATED: these are not the times of a CPU.\n");
    }
    bool written = options.csv.empty() || write_csv(runner, options.csv);
    written &= options.json.empty() || write_json(figures, options.json);
    return written ? 0 : 1;
}
