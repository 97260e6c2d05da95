//
// A small language model on every micro-kernel that this CPU offers, against a plain f32 reference: how well it
// predicts text that it was not trained on, and what it writes.
//
//     tiny_lm [--check] [--chars N] [--only TEXT] [DIRECTORY]
//
// DIRECTORY holds weights.bin and gospels.txt. N is how many characters are predicted (default 256). --only takes the
// micro-kernels whose names contain TEXT. With --check the exit code is 1 if a micro-kernel is further from the
// reference than the tolerance of its form of weights, or if a damaged weights file is accepted.
//
// SPDX-License-Identifier: Apache-2.0
//
#include "layer.hpp"
#include "model.hpp"

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>

#ifndef TINY_LM_DIRECTORY
#define TINY_LM_DIRECTORY "."
#endif

namespace {

using Tokens = std::vector<uint8_t>;

constexpr size_t kBatch = 64;  // rows that a GEMM gets at once
constexpr char kPrompt[] = "And Jesus answered and said unto them, ";
constexpr size_t kWritten = 100, kWrittenByCheck = 12;  // characters to write
constexpr float kTemperature = 0.4f;
constexpr double kUseful = 2.2;  // bits per character: the reference must be below

/// What computes layer `index` for m rows: y = x W^T + b, then ReLU if asked for.
using RunLayer = std::function<void(size_t index, bool relu, size_t m, const float* x, float* y)>;

/// The reference: one multiply and one add after another.
RunLayer reference(const Model& model) {
    return [&model](size_t index, bool relu, size_t m, const float* x, float* y) {
        const Dense& layer = model.layers[index];
        for (size_t i = 0; i < m; i++) {
            for (size_t j = 0; j < layer.n; j++) {
                float sum = layer.bias[j];
                for (size_t p = 0; p < layer.k; p++) {
                    sum += x[i * layer.k + p] * layer.weight[j * layer.k + p];
                }
                y[i * layer.n + j] = relu ? std::max(sum, 0.0f) : sum;
            }
        }
    };
}

/// All layers, each planned for one micro-kernel, or for the best.
using Layers = std::vector<PlannedLayer>;
Layers plan_layers(const Model& model, const Form& form, const char* pin) {
    Layers layers;
    for (size_t i = 0; i < model.layers.size(); i++) {
        layers.emplace_back(form, model.layers[i], i + 1 < model.layers.size(), kBatch, pin);
    }
    return layers;
}

RunLayer with(Layers& layers) {
    return [&layers](size_t index, bool /*relu*/, size_t m, const float* x, float* y) { layers[index].run(m, x, y); };
}

/// Logits [m][vocabulary] for text[at], text[at + 1], ..., each from the characters before it.
std::vector<float> predict(const Model& model, const RunLayer& run, const Tokens& text, size_t at, size_t m) {
    std::vector<float> x;
    x.reserve(m * model.inputs());
    for (size_t i = 0; i < m; i++) {
        for (size_t age = model.context; age > 0; age--) {
            const float* embedding = &model.embedding[token_before(model, text, at + i, age) * model.width];
            x.insert(x.end(), embedding, embedding + model.width);
        }
    }
    for (size_t index = 0; index < model.layers.size(); index++) {
        std::vector<float> y(m * model.layers[index].n);
        run(index, index + 1 < model.layers.size(), m, x.data(), y.data());
        x.swap(y);
    }
    return x;
}

struct Score {
    double bits_per_char = 0.0;
    double milliseconds = 0.0;
};

/// Predicts `count` characters from text[at] on, a batch at a time.
Score evaluate(const Model& model, const RunLayer& run, const Tokens& text, size_t at, size_t count) {
    Score score;
    for (size_t done = 0; done < count; done += kBatch) {
        const size_t m = std::min(kBatch, count - done);
        const auto start = std::chrono::steady_clock::now();
        const std::vector<float> logits = predict(model, run, text, at + done, m);
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        score.milliseconds += time.count();
        for (size_t i = 0; i < m; i++) {
            score.bits_per_char += bits(&logits[i * model.vocabulary()], model.vocabulary(), text[at + done + i]);
        }
    }
    score.bits_per_char /= static_cast<double>(count);
    return score;
}

/// Draws a token from softmax(logits / temperature); `u` is uniform in [0, 1).
uint8_t sample(const float* logits, size_t count, double u) {
    const float top = *std::max_element(logits, logits + count);
    std::vector<double> cumulative(count);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        cumulative[i] = sum += std::exp(static_cast<double>((logits[i] - top) / kTemperature));
    }
    size_t token = 0;
    while (token + 1 < count && cumulative[token] <= u * sum) {
        token++;
    }
    return static_cast<uint8_t>(token);
}

/// Continues kPrompt: all of the prompt in one call (GEMM), then a character at a time (GEMV).
/// The random numbers are the same for everyone, so texts differ only where the arithmetic does.
std::string continue_prompt(const Model& model, const RunLayer& run, size_t length) {
    Tokens text = model.tokens(kPrompt);
    const size_t vocabulary = model.vocabulary();
    std::vector<float> logits = predict(model, run, text, 1, text.size());
    logits.erase(logits.begin(), logits.end() - static_cast<std::ptrdiff_t>(vocabulary));  // what follows the prompt
    std::string written;
    uint32_t random = 2024;
    while (written.size() < length) {
        random = random * 1664525u + 1013904223u;
        uint8_t token = sample(logits.data(), vocabulary, (random >> 8) * 0x1p-24);
        token = model.charset[token] == 0 ? model.token(' ') : token;  // padding of the vocabulary
        text.push_back(token);
        written.push_back(model.charset[token]);
        logits = predict(model, run, text, text.size(), 1);
    }
    return written;
}

void print_written(const char* who, const std::string& written) {
    printf("\n%s:\n    %s[", who, kPrompt);
    for (const char c : written) {
        printf(c == '\n' ? "\n    " : "%c", c);
    }
    printf("]\n");
}

Tokens load_text(const Model& model, const std::string& path) {
    const std::string text = read_file(path);
    try {
        const Tokens tokens = model.tokens(text);
        if (tokens.size() == held_out_start(tokens.size())) {
            throw std::runtime_error("too short");
        }
        return tokens;
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(path + ": " + error.what());
    }
}

/// Whether a cut or changed weights file is rejected, wherever the damage is.
bool refuses_damaged_files(const std::string& path) {
    const std::string data = read_file(path);
    const auto refuses = [](const std::string& damaged) {
        try {
            model_file::parse(damaged);
            return false;
        } catch (const std::runtime_error&) {
            return true;
        }
    };
    bool good = refuses(data + '\0');
    for (const size_t at :
         {size_t{0}, size_t{5}, size_t{10}, size_t{14}, size_t{30}, data.size() / 2, data.size() - 1}) {
        std::string changed = data;
        changed[at] = static_cast<char>(changed[at] ^ 0x10);
        good = good && refuses(data.substr(0, at)) && refuses(changed);
    }
    return good;
}

struct Options {
    bool check = false;
    size_t chars = 256;
    std::string only;
    std::string directory = TINY_LM_DIRECTORY;
};

bool parse(int argc, char** argv, Options& options) {
    for (int i = 1; i < argc; i++) {
        const std::string arg = argv[i];
        if (arg == "--check") {
            options.check = true;
        } else if (arg == "--chars" && i + 1 < argc) {
            options.chars = std::strtoul(argv[++i], nullptr, 10);
        } else if (arg == "--only" && i + 1 < argc) {
            options.only = argv[++i];
        } else if (arg[0] != '-') {
            options.directory = arg;
        } else {
            return false;
        }
    }
    return options.chars > 0;
}

class Demo {
public:
    explicit Demo(const Options& options) : options_(options), model_(load_model(options.directory + "/weights.bin")) {
        text_ = load_text(model_, options.directory + "/gospels.txt");
        start_ = held_out_start(text_.size());
        count_ = std::min(options.chars, text_.size() - start_);
    }

    /// Returns whether everything is within its tolerance.
    bool run() {
        describe_model();
        evaluate_reference();
        for (size_t i = 0; i < kai_registry_ukernel_count(); i++) {
            const kai_ukernel& ukernel = *kai_registry_ukernel(i);
            if (std::string(ukernel.name).find(options_.only) != std::string::npos) {
                evaluate_ukernel(ukernel);
            }
        }
        printf("\nThe time is for all layers and includes the quantisation and packing of the activations. ");
        printf("Under an emulator it says nothing about the speed of hardware.\n");
        print_left_out();
        if (options_.only.empty()) {
            print_texts(options_.check ? kWrittenByCheck : kWritten);
        }
        return good_;
    }

private:
    void describe_model() const {
        size_t weights = 0;
        printf("Model: %zu characters x %zu", model_.context, model_.width);
        for (const Dense& layer : model_.layers) {
            printf(" -> %zu", layer.n);
            weights += layer.n * layer.k;
        }
        printf(", %zu weights. Held-out text: %zu characters.\n\n", weights, count_);
        printf(
            "%-66s %6s %10s %9s %8s %9s %8s\n", "micro-kernel", "m_step", "bits/char", "to f32", "weights", "time",
            "relative");
    }

    void print_row(const char* name, size_t m_step, const Score& score, size_t bytes) const {
        printf(
            "%-66s %6zu %10.4f %+9.4f %6zu K %6.1f ms %8.2f\n", name, m_step, score.bits_per_char,
            score.bits_per_char - reference_.bits_per_char, (bytes + 1023) / 1024, score.milliseconds,
            score.milliseconds / reference_.milliseconds);
        fflush(stdout);
    }

    void evaluate_reference() {
        size_t bytes = 0;
        for (const Dense& layer : model_.layers) {
            bytes += (layer.weight.size() + layer.bias.size()) * sizeof(float);
        }
        reference_ = evaluate(model_, reference(model_), text_, start_, count_);
        print_row("reference (f32, scalar)", 1, reference_, bytes);
        if (!(reference_.bits_per_char <= kUseful)) {
            printf("    NOT GOOD: more than %.1f bits per character\n", kUseful);
            good_ = false;
        }
    }

    void evaluate_ukernel(const kai_ukernel& ukernel) {
        const Form* form = nullptr;
        kai_gemm_status status = KAI_GEMM_WRONG_KERNEL;
        for (const Form& f : kForms) {
            kai_gemm_plan plan;
            if (status == KAI_GEMM_WRONG_KERNEL) {
                status = plan_layer(f, model_.layers[0], true, kBatch, ukernel.name, plan);
                form = &f;
            }
        }
        if (status == KAI_GEMM_WRONG_KERNEL) {
            left_out_[ukernel.family] = "not for float activations and one of the forms of weights above";
            return;
        }
        if (status != KAI_GEMM_OK) {
            char reason[256] = "";
            kai_registry_runnable(ukernel.features, reason, sizeof(reason));
            left_out_[ukernel.name] = status == KAI_GEMM_CPU_LACKS ? reason : kai_gemm_status_text(status);
            return;
        }
        Layers layers = plan_layers(model_, *form, ukernel.name);
        size_t bytes = 0;
        for (const PlannedLayer& layer : layers) {
            bytes += layer.plan().packed_b_size;
        }
        if (form != form_) {
            printf("%s\n", form->name);
            form_ = form;
        }
        const Score score = evaluate(model_, with(layers), text_, start_, count_);
        print_row(ukernel.name, ukernel.get_m_step(), score, bytes);
        if (!(std::fabs(score.bits_per_char - reference_.bits_per_char) <= form->tolerance)) {
            printf("    NOT GOOD: further than %.4f bits per character from the reference\n", form->tolerance);
            good_ = false;
        }
    }

    void print_left_out() const {
        if (!left_out_.empty()) {
            printf("\nLeft out:\n");
        }
        for (const auto& [name, reason] : left_out_) {
            printf("    %s: %s\n", name.c_str(), reason.c_str());
        }
    }

    /// What the reference writes, and what each form does: the best GEMM reads the prompt, the best GEMV writes, from
    /// the same packed weights.
    void print_texts(size_t length) const {
        print_written("reference", continue_prompt(model_, reference(model_), length));
        for (const Form& form : kForms) {
            kai_gemm_plan plan;
            if (plan_layer(form, model_.layers[0], true, kBatch, nullptr, plan) == KAI_GEMM_OK) {
                Layers layers = plan_layers(model_, form, nullptr);
                const std::string who = std::string(form.name) + "\n" + plan.gemm.ukernel->name + ", then " +
                                        (plan.gemv.ukernel == plan.gemm.ukernel ? "itself" : plan.gemv.ukernel->name);
                print_written(who.c_str(), continue_prompt(model_, with(layers), length));
            }
        }
    }

    Options options_;
    Model model_;
    Tokens text_;
    size_t start_ = 0, count_ = 0;  // of the held-out text
    Score reference_;
    std::map<std::string, std::string> left_out_;  // family or micro-kernel, and why
    const Form* form_ = nullptr;                   // of the last row
    bool good_ = true;
};

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!parse(argc, argv, options)) {
        fprintf(stderr, "usage: tiny_lm [--check] [--chars N] [--only TEXT] [DIRECTORY]\n");
        return 2;
    }
    try {
        const bool close = Demo(options).run();
        if (!options.check) {
            return 0;
        }
        const bool careful = refuses_damaged_files(options.directory + "/weights.bin");
        printf("\ncheck: %s\n", close ? "every row is within its tolerance" : "FAILED: see NOT GOOD above");
        printf("check: %s\n", careful ? "damaged weights are refused" : "FAILED: damaged weights were accepted");
        return close && careful ? 0 : 1;
    } catch (const std::exception& error) {
        fflush(stdout);
        fprintf(stderr, "tiny_lm: %s\n", error.what());
        return 1;
    }
}
