// A language model from a GGUF file, on the GEMM layer and nothing else: writes on where a prompt stops.
//
//     llm MODEL.gguf -p "Once upon a time" -n 128 -t 4
//
// README.md says which file does what.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <random>
#include <sstream>

#include "examples/llm/measure.hpp"
#include "examples/llm/model.hpp"
#include "examples/llm/network.hpp"
#include "examples/llm/options.hpp"
#include "examples/llm/sampling.hpp"
#include "examples/llm/tokenizer.hpp"
#include "tools/files.hpp"
#include "examples/llm/unicode.hpp"

namespace llm {
namespace {

void print_tokens(const Tokenizer& tokenizer, const std::string& path) {
    std::istringstream texts(read_text(path));
    const char end = texts.str().find('\0') != std::string::npos ? '\0' : '\n';
    for (std::string text; std::getline(texts, text, end);) {
        for (const Token token : tokenizer.encode(text, true, true)) {
            std::printf("%u ", token);
        }
        std::printf("\n");
    }
}

/// The prompt, in batches. `each` gets the logits of a batch and its number of tokens; NULL: those of the last token.
template <typename Each>
const float* read_prompt(Network& network, const std::vector<Token>& tokens, bool all, Each each) {
    const float* logits = nullptr;
    for (size_t at = 0; at < tokens.size(); at += network.batch) {
        const size_t rows = std::min(network.batch, tokens.size() - at);
        logits = network.run(&tokens[at], rows, all);
        each(logits, rows);
    }
    return logits;
}

void write_logits(Network& network, const std::vector<Token>& tokens, size_t vocabulary, const std::string& path) {
    std::ofstream out(path, std::ios::binary);
    read_prompt(network, tokens, true, [&](const float* logits, size_t rows) {
        out.write(
            reinterpret_cast<const char*>(logits), static_cast<std::streamsize>(rows * vocabulary * sizeof(float)));
    });
    require(!out.flush().fail(), path + ": cannot be written");
}

/// Writes text as soon as its characters are complete.
void generate(
    const Options& o, const Tokenizer& tokenizer, Network& network, std::vector<Token> tokens, size_t vocabulary) {
    const float* logits = read_prompt(network, tokens, false, [](const float*, size_t) {});
    std::mt19937_64 random(o.sampling.seed);
    std::string text;
    for (size_t i = 0; i < o.count; ++i) {
        const Token token = choose_token(o.sampling, logits, vocabulary, tokens, random);
        if (tokenizer.is_end(token)) {
            break;
        }
        tokens.push_back(token);
        text += tokenizer.decode(token);
        const size_t whole = text.size() - incomplete_utf8(text);
        std::fwrite(text.data(), 1, whole, stdout);
        std::fflush(stdout);
        text.erase(0, whole);
        logits = i + 1 < o.count ? network.run(&token, 1, false) : nullptr;
    }
    std::printf("%s\n", text.c_str());
}

void run(const Options& o) {
    const tools::Mapping mapping(o.model);
    const ModelFile file(mapping.data(), mapping.size());
    const Tokenizer tokenizer(file);
    if (!o.tokenize.empty()) {
        return print_tokens(tokenizer, o.tokenize);
    }
    const Model model = read_model(file);
    const size_t vocabulary = model.shape.vocabulary;
    require(tokenizer.size() == vocabulary, "the vocabulary and the embeddings are not equally many");
    const std::string text = o.perplexity.empty() ? o.prompt : read_text(o.perplexity);
    const std::vector<Token> tokens = tokenizer.encode(text, true, true);
    require(!tokens.empty() || o.bench, "the prompt is empty");
    const size_t window = o.context != 0 ? o.context : 512;
    const size_t needed = !o.perplexity.empty() ? window : (o.bench ? o.batch : tokens.size()) + o.count;
    const size_t positions = std::max(o.context, needed);
    require(
        needed <= (o.context != 0 ? o.context : model.shape.context),
        "the prompt and -n need " + std::to_string(needed) + " positions: more than the model or -c has");
    ThreadPool pool(o.threads);
    Network network(model, o, std::min(o.batch, positions), positions, pool);
    if (o.bench) {
        require(o.count != 0, "--bench needs -n 1 or more");
        return run_bench(model, network, pool, o.count);
    } else if (!o.perplexity.empty()) {
        print_perplexity(network, tokens, tokenizer.bos(), window, vocabulary);
    } else if (!o.logits.empty()) {
        write_logits(network, tokens, vocabulary, o.logits);
    } else {
        generate(o, tokenizer, network, tokens, vocabulary);
    }
    print_memory(network);
}

}  // namespace
}  // namespace llm

int main(int argc, char** argv) {
    llm::Options options;
    try {
        options = llm::parse_options(argc, argv);
        if (!options.help) {
            llm::run(options);
        }
        return 0;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "llm: %s: there is not enough memory\n", options.model.c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "llm: %s%s%s\n", options.model.c_str(), options.model.empty() ? "" : ": ", error.what());
    }
    return 1;
}
