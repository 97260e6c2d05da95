// SentencePiece vocabularies of llama and gemma: spaces are U+2581, characters without a token become tokens of bytes.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "examples/llm/tokenizer.hpp"
#include "examples/llm/tokenizer_join.hpp"
#include "examples/llm/unicode.hpp"

namespace llm {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581

class Spm : public Encoder {
public:
    Spm(const ModelFile& file, const Vocabulary& vocabulary)
        : vocabulary_(vocabulary), space_prefix_(file.flag("tokenizer.ggml.add_space_prefix", true)) {
        const uint64_t unknown = file.integer("tokenizer.ggml.unknown_token_id", 0);
        require(unknown < vocabulary.size(), "tokenizer.ggml.unknown_token_id is not in the vocabulary");
        for (unsigned byte = 0; byte < 256; ++byte) {
            char text[8];
            std::snprintf(text, sizeof(text), "<0x%02X>", byte);
            if (!vocabulary.find(text, bytes_[byte])) {
                bytes_[byte] = static_cast<Token>(unknown);
            }
        }
    }

    void encode(std::string_view text, std::vector<Token>& to) const override {
        std::string escaped = space_prefix_ ? std::string(kSpace) : "";
        for (const char c : text) {
            c == ' ' ? escaped.append(kSpace) : escaped.append(1, c);
        }
        std::vector<size_t> pieces;
        for (size_t at = 0; at < escaped.size(); at += pieces.back()) {
            pieces.push_back(code_point_at(escaped, at).size);
        }
        const auto rank = [&](std::string_view left, std::string_view right, float& value) {
            Token token;
            const bool known = vocabulary_.find({left.data(), left.size() + right.size()}, token);
            value = known ? -vocabulary_.scores[token] : 0;
            return known;
        };
        for (const std::string_view part : join_pieces(escaped, pieces, rank)) {
            Token token;
            if (vocabulary_.find(part, token)) {
                to.push_back(token);
                continue;
            }
            for (const char c : part) {
                to.push_back(bytes_[static_cast<unsigned char>(c)]);
            }
        }
    }

    std::string decode(Token token) const override {
        const std::string_view text = vocabulary_.texts[token];
        if (vocabulary_.kinds[token] == TokenKind::byte) {
            unsigned byte = 0;
            return std::sscanf(std::string(text).c_str(), "<0x%2X>", &byte) == 1
                       ? std::string(1, static_cast<char>(byte))
                       : std::string();
        }
        std::string plain;
        for (size_t at = 0; at < text.size();) {
            const bool space = text.substr(at, kSpace.size()) == kSpace;
            plain.push_back(space ? ' ' : text[at]);
            at += space ? kSpace.size() : 1;
        }
        return plain;
    }

private:
    const Vocabulary& vocabulary_;
    bool space_prefix_;
    Token bytes_[256];
};

}  // namespace

std::unique_ptr<Encoder> make_spm(const ModelFile& file, const Vocabulary& vocabulary) {
    return std::make_unique<Spm>(file, vocabulary);
}

}  // namespace llm
