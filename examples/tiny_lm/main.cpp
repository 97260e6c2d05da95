// A small language model that goes on where you stop, on every micro-kernel that this CPU offers: one line for all that
// write the same, then what each form of weights needs and loses.
//
//     tiny_lm [--check] [--names] [--times] [--chars N] [--only TEXT] [DIRECTORY]
//
// DIRECTORY holds weights.bin and gospels.txt. --chars: also predicts N characters of unseen text, to measure what a
// form of weights loses; --times: how fast that is. --only takes the micro-kernels whose names contain TEXT, --names
// lists them. With --check every micro-kernel predicts; the exit code is 1 if one is further from the reference than
// the tolerance of its form of weights, or if a damaged weights file is accepted.
//
// SPDX-License-Identifier: Apache-2.0
//
#include "called.hpp"
#include "layer.hpp"
#include "model.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <thread>

#ifndef TINY_LM_DIRECTORY
#define TINY_LM_DIRECTORY "."
#endif

namespace {

using Tokens = std::vector<uint8_t>;

constexpr size_t kBatch = 64;  // rows that a GEMM gets at once
constexpr char kPrompt[] = "And Jesus answered and said unto them, ";
constexpr size_t kRead = 8;                           // rows of the prompt that a GEMM gets
constexpr size_t kWritten = 40, kWrittenByCheck = 8;  // characters to write
constexpr float kTemperature = 0.4f;
constexpr double kUseful = 2.2;  // bits per character: the reference must be below
constexpr double kToleranceOfFloats = 0.005;
constexpr double kAgreement = 0.1;  // of the tolerance: micro-kernels with the same weights

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
Layers plan_layers(const Model& model, const Form& form, const std::vector<Quantised>& quantised, const char* pin) {
    Layers layers;
    for (size_t i = 0; i < model.layers.size(); i++) {
        layers.emplace_back(form, model.layers[i], quantised[i], i + 1 < model.layers.size(), kBatch, pin);
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

/// Continues kPrompt: its last rows in one call (GEMM), then a character at a time (GEMV), given to `say`.
/// `draft`: what others wrote. It is checked in one call, as far as it is right, which is called speculative decoding.
/// The random numbers are the same for everyone, so texts differ only where the arithmetic does.
std::string continue_prompt(
    const Model& model, const RunLayer& run, size_t length, const std::string& draft,
    const std::function<void(char)>& say = nullptr) {
    const size_t vocabulary = model.vocabulary();
    std::string written;
    uint32_t random = 2024;
    while (written.size() < length) {
        const bool agrees = draft.compare(0, written.size(), written) == 0;
        const std::string ahead = agrees ? draft.substr(written.size()) : "";
        const size_t before = written.empty() ? kRead - 1 : 0, count = std::max(ahead.size(), size_t{1});
        const std::string text = kPrompt + written;
        const std::vector<float> logits =
            predict(model, run, model.tokens(text + ahead), text.size() - before, before + count);
        for (size_t i = 0; i < count; i++) {
            random = random * 1664525u + 1013904223u;
            const uint8_t token = sample(&logits[(before + i) * vocabulary], vocabulary, (random >> 8) * 0x1p-24);
            const char c = model.charset[token];
            written.push_back(c == 0 ? ' ' : c);  // 0: padding of the vocabulary
            if (say) {
                say(written.back());
            }
            if (i < ahead.size() && written.back() != ahead[i]) {
                break;
            }
        }
    }
    return written;
}

/// On one line.
char visible(char c) {
    return c == '\n' ? '/' : c;
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
    bool check = false, names = false, times = false;
    size_t chars = 0;
    std::string only;
    std::string directory = TINY_LM_DIRECTORY;
};

bool parse(int argc, char** argv, Options& options) {
    for (int i = 1; i < argc; i++) {
        const std::string arg = argv[i];
        if (arg == "--check") {
            options.check = true;
        } else if (arg == "--names") {
            options.names = true;
        } else if (arg == "--times") {
            options.times = true;
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
    if (options.chars == 0 && (options.check || options.times)) {
        options.chars = 256;
    }
    return true;
}

/// What a micro-kernel made of the model.
struct Result {
    const char* form;
    double tolerance;
    const kai_ukernel& ukernel;
    std::function<RunLayer()> layers;
    std::string written = {};
    double bits_per_char = 0.0;  // only with --check: of checked() characters
    double bits_of_few = 0.0;    // and of few()
};

class Demo {
public:
    explicit Demo(const Options& options) : options_(options), model_(load_model(options.directory + "/weights.bin")) {
        text_ = load_text(model_, options.directory + "/gospels.txt");
        start_ = held_out_start(text_.size());
        count_ = std::min(options.chars, text_.size() - start_);
        quantised_.resize(std::size(kForms));
    }

    /// Returns whether everything is within its tolerance.
    bool run() {
        introduce();
        find_micro_kernels();
        write_all();
        print_groups();
        print_forms();
        if (options_.check) {
            check();
        }
        return good_;
    }

private:
    size_t length() const {
        return options_.check ? kWrittenByCheck : kWritten;
    }

    /// How many characters the check takes, which take long under emulation. One micro-kernel of a form shows what its
    /// weights lose; the others have the same weights: a quarter shows that they agree with it. Floats lose so little
    /// that a quarter shows it.
    size_t checked(const Result& r) const {
        return &r == &first_like(r) && r.tolerance > kToleranceOfFloats ? count_ : few();
    }
    size_t few() const {
        return (count_ + 3) / 4;
    }
    /// The first one with the same weights and the same kind of activations.
    const Result& first_like(const Result& r) const {
        const auto activations = [](const Result& of) {
            const std::string format = of.ukernel.lhs_format;  // such as qai8dxp4x8
            return format.substr(0, format.find('p'));
        };
        return *std::find_if(results_.begin(), results_.end(), [&](const Result& other) {
            return other.form == r.form && activations(other) == activations(r);
        });
    }

    void introduce() {
        size_t weights = 0;
        for (const Dense& layer : model_.layers) {
            weights += layer.n * layer.k;
        }
        printf(
            "A language model of %zu weights. It has read three gospels and nothing else, and it shows.\n\n", weights);
        printf("    %s", kPrompt);
        fflush(stdout);
        written_ = continue_prompt(model_, reference(model_), length(), "", [](char c) {
            putchar(visible(c));
            fflush(stdout);
        });
        printf(" ...\n\nPlain loops in f32 wrote that.");
    }

    /// Each with the first form of weights that it can run, or the work that it is for; reasons for the others.
    void find_micro_kernels() {
        for (size_t i = 0; i < kai_registry_ukernel_count(); i++) {
            const kai_ukernel& u = *kai_registry_ukernel(i);
            if (std::string(u.name).find(options_.only) == std::string::npos) {
                continue;
            }
            char reason[256] = "";
            if (!kai_registry_runnable(u.features, reason, sizeof(reason))) {
                lacking_[std::string(reason).substr(0, std::string(reason).find(" ("))]++;
                continue;
            }
            kai_gemm_plan plan;
            const Form* form = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) {
                return plan_layer(f, model_.layers[0], true, kBatch, u.name, plan) == KAI_GEMM_OK;
            });
            if (form != std::end(kForms)) {
                results_.push_back(
                    {form->name, form->tolerance, u, [this, form, &u] { return planned(*form, u.name); }});
                quantise(*form);
            } else if (const Work* work = work_of(u); work != nullptr) {
                results_.push_back({work->name, work->tolerance, u, [this, &u] { return called(u); }});
                see_activations();
            } else {
                others_.push_back(u.name);
            }
        }
    }

    RunLayer planned(const Form& form, const char* pin) {
        const auto layers =
            std::make_shared<Layers>(plan_layers(model_, form, quantised_[static_cast<size_t>(&form - kForms)], pin));
        return [layers](size_t index, bool /*relu*/, size_t m, const float* x, float* y) {
            (*layers)[index].run(m, x, y);
        };
    }

    RunLayer called(const kai_ukernel& u) {
        const auto layers = std::make_shared<std::vector<CalledLayer>>();
        for (size_t i = 0; i < model_.layers.size(); i++) {
            const Dense& layer = model_.layers[i];
            layers->emplace_back(
                u, layer, i + 1 < model_.layers.size(), i == 0 ? model_.width : layer.k, ranges_[i], ranges_[i + 1]);
        }
        return [layers](size_t index, bool /*relu*/, size_t m, const float* x, float* y) {
            (*layers)[index].run(m, x, y);
        };
    }

    /// The range of the inputs of each layer, and of the last one's results, on a text that the model was trained on.
    void see_activations() {
        if (!ranges_.empty()) {
            return;
        }
        ranges_.resize(model_.layers.size() + 1);
        const RunLayer run = reference(model_);
        const RunLayer seen = [&](size_t index, bool relu, size_t m, const float* x, float* y) {
            run(index, relu, m, x, y);
            ranges_[index].widen(x, m * model_.layers[index].k);
            ranges_[index + 1].widen(y, m * model_.layers[index].n);
        };
        predict(model_, seen, text_, start_ / 2, 2 * kBatch);
    }

    const std::vector<Quantised>& quantise(const Form& form) {
        std::vector<Quantised>& quantised = quantised_[static_cast<size_t>(&form - kForms)];
        for (size_t i = quantised.size(); i < model_.layers.size(); i++) {
            quantised.push_back(form.quantise(model_.layers[i]));
        }
        return quantised;
    }

    /// On all cores. Micro-kernels for many rows check what the others have drafted with the same weights.
    void write_all() {
        printf(" Now %zu micro-kernels, each with its own weights:\n\n", results_.size());
        fflush(stdout);
        for (const bool many : {false, true}) {
            std::atomic<size_t> next{0};
            const auto work = [&] {
                for (size_t i = next++; i < results_.size(); i = next++) {
                    if ((results_[i].ukernel.rows == KAI_ROWS_MANY) == many) {
                        write(results_[i]);
                    }
                }
            };
            std::vector<std::thread> threads(std::max(1u, std::thread::hardware_concurrency()));
            for (std::thread& thread : threads) {
                thread = std::thread(work);
            }
            for (std::thread& thread : threads) {
                thread.join();
            }
        }
    }

    void write(Result& r) const {
        std::string draft;
        if (r.ukernel.rows == KAI_ROWS_MANY) {
            const auto drafts = [&](const Result& other) {
                return other.form == r.form && other.ukernel.rows != KAI_ROWS_MANY;
            };
            const auto found = std::find_if(results_.begin(), results_.end(), drafts);
            draft = found != results_.end() ? found->written : written_;
        }
        const RunLayer layers = r.layers();
        r.written = continue_prompt(model_, layers, length(), draft);
        if (options_.check) {
            r.bits_of_few = evaluate(model_, layers, text_, start_, few()).bits_per_char;
            r.bits_per_char =
                checked(r) == few() ? r.bits_of_few : evaluate(model_, layers, text_, start_, checked(r)).bits_per_char;
        }
    }

    /// A line for all that wrote the same, in the order of the forms.
    void print_groups() const {
        std::vector<std::pair<std::string, std::string>> groups = {{written_, "plain loops"}};
        std::vector<std::string> forms;
        for (const Form& form : kForms) {
            forms.push_back(form.name);
        }
        for (const Work& work : works()) {
            forms.push_back(work.name);
        }
        for (const std::string& form : forms) {
            std::map<std::string, size_t> counts;  // by what they wrote
            for (const Result& r : results_) {
                counts[r.written] += r.form == form;
            }
            for (const auto& count : counts) {
                if (count.second == 0) {
                    continue;
                }
                auto group = groups.begin();
                while (group != groups.end() && group->first != count.first) {
                    group++;
                }
                if (group == groups.end()) {
                    group = groups.insert(group, {count.first, ""});
                }
                group->second += (group->second.empty() ? "" : "; ") + form + ": ";
                group->second += std::to_string(count.second);
            }
        }
        for (const auto& [written, who] : groups) {
            printf("    ");
            for (const char c : written) {
                putchar(visible(c));
            }
            print_list("   " + who, 4 + static_cast<int>(written.size()));
            for (const Result& r : results_) {
                if (options_.names && r.written == written) {
                    printf("        %s\n", r.ukernel.name);
                }
            }
        }
        printf("\nOne line for all that write the same, to the letter. In brackets: activations other than f32.\n");
        for (const auto& [reason, count] : lacking_) {
            printf("%zu micro-kernels stay silent: %s.\n", count, reason.c_str());
        }
        for (const char* name : others_) {
            printf("Not in this example: %s\n", name);
        }
    }

    /// A list with semicolons, in lines that begin at the column `indent`.
    static void print_list(std::string list, int indent) {
        constexpr size_t kLine = 70;
        while (list.size() > kLine) {
            const size_t end = list.rfind("; ", kLine) + 1;
            printf("%s\n%*s", list.substr(0, end).c_str(), indent + 2, "");
            list.erase(0, end);
        }
        printf("%s\n", list.c_str());
    }

    /// The micro-kernels that the layer chooses for each form, and what the form needs and loses.
    void print_forms() {
        printf("\nChosen on this CPU, for many rows and for one:\n\n");
        if (count_ > 0) {
            shown_ = options_.check ? few() : count_;
            reference_ = evaluate(model_, reference(model_), text_, start_, shown_);
            printf(
                "%-22s %9s %8.4f bits per character of %zu unseen ones\n", "plain loops", "", reference_.bits_per_char,
                shown_);
        }
        for (const Form& form : kForms) {
            kai_gemm_plan plan;
            if (plan_layer(form, model_.layers[0], true, kBatch, nullptr, plan) == KAI_GEMM_OK &&
                form.packed == (plan.format.name != nullptr)) {
                print_form(form, plan);
            }
        }
    }

    void print_form(const Form& form, const kai_gemm_plan& plan) {
        Layers layers = plan_layers(model_, form, quantise(form), nullptr);
        size_t bytes = 0;
        for (const PlannedLayer& layer : layers) {
            bytes += layer.size();
        }
        int indent = printf("%-22s %5zu KiB  ", form.name, (bytes + 1023) / 1024);
        if (count_ > 0) {
            const Score score = evaluate(model_, with(layers), text_, start_, shown_);
            indent += printf("%+.4f  ", score.bits_per_char - reference_.bits_per_char);
            if (options_.times) {
                indent += printf("%6.1f characters/ms  ", static_cast<double>(shown_) / score.milliseconds);
            }
        }
        printf("%s\n", plan.gemm.ukernel->name);
        if (plan.gemv.ukernel != plan.gemm.ukernel) {
            printf("%*s%s\n", indent, "", plan.gemv.ukernel->name);
        }
        fflush(stdout);
    }

    void check() {
        const auto complain = [&](const char* name, double bits) {
            printf("NOT GOOD: %s needs %.4f bits per character\n", name, bits);
            good_ = false;
        };
        printf("\n");
        const double all = evaluate(model_, reference(model_), text_, start_, count_).bits_per_char;
        if (count_ >= 128 && !(all <= kUseful)) {
            complain("the reference", all);
        }
        std::map<size_t, double> expected = {{shown_, reference_.bits_per_char}, {count_, all}};  // of so many
        for (const Result& r : results_) {
            const Result& first = first_like(r);
            if (&r != &first && r.tolerance > kToleranceOfFloats) {
                if (!(std::fabs(r.bits_of_few - first.bits_of_few) <= r.tolerance * kAgreement)) {
                    complain(r.ukernel.name, r.bits_of_few);
                }
                continue;
            }
            const size_t count = checked(r);
            if (expected.count(count) == 0) {
                expected[count] = evaluate(model_, reference(model_), text_, start_, count).bits_per_char;
            }
            if (!(std::fabs(r.bits_per_char - expected[count]) <= r.tolerance)) {
                complain(r.ukernel.name, r.bits_per_char);
            }
        }
    }

    Options options_;
    Model model_;
    Tokens text_;
    size_t start_ = 0, count_ = 0;                   // of the held-out text
    size_t shown_ = 0;                               // characters of the scores that are printed
    std::vector<std::vector<Quantised>> quantised_;  // [form][layer]
    std::vector<Range> ranges_;                      // before each layer, and after the last one
    std::vector<Result> results_;
    std::string written_;  // by the reference
    Score reference_;
    std::map<std::string, size_t> lacking_;  // what the CPU lacks: micro-kernels
    std::vector<const char*> others_;        // names
    bool good_ = true;
};

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!parse(argc, argv, options)) {
        fprintf(stderr, "usage: tiny_lm [--check] [--names] [--times] [--chars N] [--only TEXT] [DIRECTORY]\n");
        return 2;
    }
    try {
        const bool close = Demo(options).run();
        if (!options.check) {
            return 0;
        }
        const bool careful = refuses_damaged_files(options.directory + "/weights.bin");
        printf("check: %s\n", close ? "every micro-kernel is within its tolerance" : "FAILED: see NOT GOOD above");
        printf("check: %s\n", careful ? "damaged weights are refused" : "FAILED: damaged weights were accepted");
        return close && careful ? 0 : 1;
    } catch (const std::exception& error) {
        fflush(stdout);
        fprintf(stderr, "tiny_lm: %s\n", error.what());
        return 1;
    }
}
