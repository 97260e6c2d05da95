// The command line of llm: a table of options, which reads them and prints what --help says.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <variant>
#include <vector>

#include "examples/llm/model_file.hpp"
#include "tools/files.hpp"

namespace llm {
namespace {

struct Option {
    std::string name;
    const char *value, *help;
    std::variant<bool*, std::string*, size_t*, float*> target;
    double least = 0, most = 1 << 30;  ///< Of numbers.
};

std::vector<Option> options_of(Options& o) {
    SamplingOptions& s = o.sampling;
    return {
        {"-p", "TEXT", "the prompt", &o.prompt},
        {"-f", "FILE", "with the prompt", &o.prompt_file},
        {"-n", "N", "tokens to write (128)", &o.count},
        {"-t", "N", "threads (all cores)", &o.threads, 1},
        {"-c", "N", "positions of the cache (what the prompt and -n need)", &o.context, 1},
        {"-b", "N", "rows of a batch of the prompt (512)", &o.batch, 1},
        {"--cache", "TYPE", "of keys and values: f32, f16, bf16 or q8_0 (f16)", &o.cache},
        {"--packed", "FILE", "weights that kai-gguf packed from this model; others are packed at the start", &o.packed},
        {"--temp", "X", "of sampling (0.8); 0: the likeliest token", &s.temperature, 0, 100},
        {"--top-k", "N", "sample among the N likeliest tokens (40); 0: all", &s.top_k},
        {"--top-p", "X", "and among the likeliest ones that are X together (0.95)", &s.top_p, 0, 1},
        {"--min-p", "X", "and among those that are X times as likely as the first (0.05)", &s.min_p, 0, 1},
        {"--repeat-penalty", "X", "for tokens that were there (1: none)", &s.repeat_penalty, 0.01, 100},
        {"--repeat-last", "N", "among the last N tokens (64)", &s.repeat_last},
        {"--seed", "N", "of the random numbers (1)", &s.seed},
        {"--perplexity", "FILE", "of a text, in windows of -c positions (512), instead of writing", &o.perplexity},
        {"--bench", "", "speed of the prompt (-b rows) and of -n tokens, instead of writing", &o.bench},
        {"--tokenize", "FILE", "the tokens of each line, or of each text that ends with a zero byte", &o.tokenize},
        {"--logits", "FILE", "writes the logits of every token of the prompt, f32 [tokens][vocabulary]", &o.logits},
        {"--help", "", "prints this", &o.help},
    };
}

void set(const Option& option, const std::string& text) {
    if (std::string* const* target = std::get_if<std::string*>(&option.target)) {
        **target = text;
        return;
    }
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    float* const* real = std::get_if<float*>(&option.target);
    const bool number = !text.empty() && *end == 0 && (real != nullptr || value == std::floor(value));
    require(
        number && value >= option.least && value <= option.most,
        option.name + ": '" + text + "' is not a " + (real != nullptr ? "number" : "whole number") + " from " +
            std::to_string(option.least) + " to " + std::to_string(option.most));
    if (real != nullptr) {
        **real = static_cast<float>(value);
    } else {
        *std::get<size_t*>(option.target) = static_cast<size_t>(value);
    }
}

}  // namespace

std::string read_text(const std::string& path) {
    const tools::Mapping file(path);
    return {file.data(), file.data() + file.size()};
}

Options parse_options(int argc, char** argv) {
    Options o;
    const std::vector<Option> options = options_of(o);
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto option =
            std::find_if(options.begin(), options.end(), [&](const Option& known) { return known.name == argument; });
        if (option == options.end()) {
            require(argument[0] != '-' && o.model.empty(), "what is " + argument + "? See --help");
            o.model = argument;
        } else if (bool* const* flag = std::get_if<bool*>(&option->target)) {
            **flag = true;
        } else {
            require(i + 1 < argc, argument + " needs a value");
            set(*option, argv[++i]);
        }
    }
    if (o.help) {
        std::printf("llm MODEL.gguf [OPTION]...    goes on with a prompt\n");
        for (const Option& option : options) {
            std::printf("  %-20s %s\n", (option.name + " " + option.value).c_str(), option.help);
        }
        return o;
    }
    require(!o.model.empty(), "no model is given. See --help");
    o.threads = o.threads != 0 ? o.threads : std::max(1u, std::thread::hardware_concurrency());
    o.prompt = o.prompt_file.empty() ? o.prompt : read_text(o.prompt_file);
    return o;
}

}  // namespace llm
