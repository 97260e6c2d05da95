// The command line of llm.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/options.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <thread>

#include "examples/llm/model_file.hpp"

namespace llm {

const char kUsage[] =
    "llm MODEL.gguf [OPTION]...    goes on with a prompt\n"
    "  -p TEXT, -f FILE       the prompt\n"
    "  -n N                   tokens to write (128)\n"
    "  -t N                   threads (all cores)\n"
    "  -c N                   positions of the cache (what the prompt and -n need)\n"
    "  -b N                   rows of a batch of the prompt (512)\n"
    "  --cache TYPE           of keys and values: f32, f16, bf16 or q8_0 (f16)\n"
    "  --packed FILE          weights that kai-gguf packed from this model; others are packed at the start\n"
    "  --temp X, --top-k N, --top-p X, --min-p X    sampling (0.8, 40, 0.95, 0.05); --temp 0: the likeliest token\n"
    "  --repeat-penalty X, --repeat-last N          of tokens among the last N (1, 64)\n"
    "  --seed N               of the random numbers (1)\n"
    "  --perplexity FILE      of a text, in windows of -c positions (512), instead of writing\n"
    "  --bench                speed of the prompt (-b rows) and of -n tokens, instead of writing\n"
    "  --tokenize FILE        the tokens of each line, or of each text that ends with a zero byte\n"
    "  --logits FILE          writes the logits of every token of the prompt, f32 [tokens][vocabulary]\n";

namespace {

size_t whole_number(const std::string& text) {
    char* end = nullptr;
    const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
    const bool number = !text.empty() && text[0] >= '0' && text[0] <= '9' && *end == 0;
    require(number && value <= (1u << 30), "'" + text + "' is not a whole number up to 2^30");
    return static_cast<size_t>(value);
}

size_t at_least_one(const std::string& text) {
    const size_t value = whole_number(text);
    require(value != 0, "0 is too little");
    return value;
}

float real(const std::string& text, float least, float most) {
    char* end = nullptr;
    const float value = std::strtof(text.c_str(), &end);
    require(
        !text.empty() && *end == 0 && value >= least && value <= most,
        "'" + text + "' is not a number from " + std::to_string(least) + " to " + std::to_string(most));
    return value;
}

}  // namespace

std::string read_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    require(in && !in.bad(), path + ": cannot be read");
    return text;
}

Options parse_options(int argc, char** argv) {
    Options o;
    SamplingOptions& s = o.sampling;
    using Set = std::function<void(const std::string&)>;
    const std::map<std::string, Set> known = {
        {"-p", [&](auto& v) { o.prompt = v; }},
        {"-f", [&](auto& v) { o.prompt = read_text(v); }},
        {"-n", [&](auto& v) { o.count = whole_number(v); }},
        {"-t", [&](auto& v) { o.threads = at_least_one(v); }},
        {"-c", [&](auto& v) { o.context = at_least_one(v); }},
        {"-b", [&](auto& v) { o.batch = at_least_one(v); }},
        {"--cache", [&](auto& v) { o.cache = v; }},
        {"--packed", [&](auto& v) { o.packed = v; }},
        {"--temp", [&](auto& v) { s.temperature = real(v, 0, 100); }},
        {"--top-k", [&](auto& v) { s.top_k = whole_number(v); }},
        {"--top-p", [&](auto& v) { s.top_p = real(v, 0, 1); }},
        {"--min-p", [&](auto& v) { s.min_p = real(v, 0, 1); }},
        {"--repeat-penalty", [&](auto& v) { s.repeat_penalty = real(v, 0.01f, 100); }},
        {"--repeat-last", [&](auto& v) { s.repeat_last = whole_number(v); }},
        {"--seed", [&](auto& v) { s.seed = whole_number(v); }},
        {"--perplexity", [&](auto& v) { o.perplexity = v; }},
        {"--tokenize", [&](auto& v) { o.tokenize = v; }},
        {"--logits", [&](auto& v) { o.logits = v; }},
    };
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto option = known.find(argument);
        if (argument == "--help" || argument == "-h") {
            o.help = true;
        } else if (argument == "--bench") {
            o.bench = true;
        } else if (option != known.end() && i + 1 < argc) {
            try {
                option->second(argv[++i]);
            } catch (const Error& error) {
                throw Error(argument + ": " + error.what());
            }
        } else if (option == known.end() && argument[0] != '-' && o.model.empty()) {
            o.model = argument;
        } else {
            throw Error(option != known.end() ? argument + " needs a value" : "what is " + argument + "? See --help");
        }
    }
    require(!o.model.empty() || o.help, "no model is given. See --help");
    if (o.threads == 0) {
        o.threads = std::max(1u, std::thread::hardware_concurrency());
    }
    return o;
}

}  // namespace llm
