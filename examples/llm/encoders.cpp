// Both kinds of vocabulary: SentencePiece and byte-level BPE. Each cuts a text into small pieces and joins neighbours.
//
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <optional>
#include <queue>

#include "examples/llm/tokenizer.hpp"
#include "examples/llm/unicode.hpp"

namespace llm {
namespace {

/// Joins neighbours of `pieces`, lengths of parts of `text`, until none can be: the pair with the lowest rank first, of
/// equal ones the left one. rank(left, right) has no value if they stay apart. Returns the parts.
template <typename Rank>
std::vector<std::string_view> join_pieces(std::string_view text, const std::vector<size_t>& pieces, Rank rank) {
    constexpr size_t none = SIZE_MAX;
    struct Part {
        std::string_view text;  // empty: joined to another one
        size_t previous, next;
    };
    struct Pair {
        float rank;
        size_t left, size;  // of both parts when this was found: pairs whose parts have changed since are skipped
        bool operator<(const Pair& other) const {
            return rank != other.rank ? rank > other.rank : left > other.left;  // the top is the lowest
        }
    };
    std::vector<Part> parts;
    for (size_t at = 0, i = 0; i < pieces.size(); at += pieces[i++]) {
        parts.push_back({text.substr(at, pieces[i]), i - 1, i + 1 < pieces.size() ? i + 1 : none});
    }
    std::priority_queue<Pair> pairs;
    const auto consider = [&](size_t left) {
        if (left == none || parts[left].next == none) {
            return;
        }
        const Part &l = parts[left], &r = parts[parts[left].next];
        if (const std::optional<float> value = rank(l.text, r.text)) {
            pairs.push({*value, left, l.text.size() + r.text.size()});
        }
    };
    for (size_t i = 0; i < parts.size(); ++i) {
        consider(i);
    }
    while (!pairs.empty()) {
        const Pair pair = pairs.top();
        pairs.pop();
        Part& left = parts[pair.left];
        if (left.text.empty() || left.next == none || left.text.size() + parts[left.next].text.size() != pair.size) {
            continue;
        }
        Part& right = parts[left.next];
        left.text = {left.text.data(), pair.size};
        right.text = {};
        left.next = right.next;
        if (left.next != none) {
            parts[left.next].previous = pair.left;
        }
        consider(left.previous);
        consider(pair.left);
    }
    std::vector<std::string_view> joined;
    for (size_t i = parts.empty() ? none : 0; i != none; i = parts[i].next) {
        joined.push_back(parts[i].text);
    }
    return joined;
}

/// SentencePiece, as llama and gemma have it: spaces are U+2581, characters without a token become tokens of bytes.
class Spm : public Encoder {
public:
    Spm(const ModelFile& file, const Vocabulary& vocabulary)
        : vocabulary_(vocabulary), space_prefix_(file.get<bool>("tokenizer.ggml.add_space_prefix", true)) {
        const auto unknown = file.get<uint64_t>("tokenizer.ggml.unknown_token_id", 0);
        require(unknown < vocabulary.size(), "tokenizer.ggml.unknown_token_id is not in the vocabulary");
        for (unsigned byte = 0; byte < 256; ++byte) {
            char text[8];
            std::snprintf(text, sizeof(text), "<0x%02X>", byte);
            const Token* token = vocabulary.find(text);
            bytes_[byte] = token != nullptr ? *token : static_cast<Token>(unknown);
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
        const auto rank = [&](std::string_view left, std::string_view right) {
            const Token* token = vocabulary_.find({left.data(), left.size() + right.size()});
            return token != nullptr ? std::optional(-vocabulary_.scores[*token]) : std::nullopt;
        };
        for (const std::string_view part : join_pieces(escaped, pieces, rank)) {
            if (const Token* token = vocabulary_.find(part)) {
                to.push_back(*token);
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
        std::string plain(text);
        for (size_t at; (at = plain.find(kSpace)) != std::string::npos;) {
            plain.replace(at, kSpace.size(), " ");
        }
        return plain;
    }

private:
    static constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581

    const Vocabulary& vocabulary_;
    bool space_prefix_;
    Token bytes_[256];
};

/// Byte-level BPE: bytes are written as printable characters, pairs are joined in the order of the file's merges.
class Bpe : public Encoder {
public:
    Bpe(const ModelFile& file, const Vocabulary& vocabulary)
        : vocabulary_(vocabulary), words_(find_pretokenizer(file.get<std::string_view>("tokenizer.ggml.pre", ""))) {
        float rank = 0;
        for (const std::string_view merge : file.all<std::string_view>("tokenizer.ggml.merges")) {
            ranks_.emplace(merge, rank++);
        }
        // The character that stands for a byte: itself if it is printable in Latin-1, else the next one from U+0100 on.
        uint32_t next = 0x100;
        for (uint32_t byte = 0; byte < 256; ++byte) {
            const bool itself = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
            const uint32_t character = itself ? byte : next++;
            characters_[byte] = character < 0x80 ? std::string(1, static_cast<char>(character))
                                                 : std::string{
                                                       static_cast<char>(0xC0 | character >> 6),
                                                       static_cast<char>(0x80 | (character & 0x3F))};
            bytes_[character] = static_cast<char>(byte);
        }
    }

    void encode(std::string_view text, std::vector<Token>& to) const override {
        for (const std::string_view word : words_.split(text)) {
            std::string characters;
            std::vector<size_t> pieces;
            for (const char c : word) {
                const std::string& character = characters_[static_cast<unsigned char>(c)];
                characters += character;
                pieces.push_back(character.size());
            }
            if (const Token* token = vocabulary_.find(characters); token != nullptr && words_.llama3) {
                to.push_back(*token);
                continue;
            }
            std::string key;
            const auto rank = [&](std::string_view left, std::string_view right) {
                key.assign(left).append(" ").append(right);
                const auto found = ranks_.find(key);
                const bool joins = found != ranks_.end() && vocabulary_.find({left.data(), key.size() - 1}) != nullptr;
                return joins ? std::optional(found->second) : std::nullopt;
            };
            for (const std::string_view part : join_pieces(characters, pieces, rank)) {
                if (const Token* token = vocabulary_.find(part)) {  // else a byte, which the vocabulary does not have
                    to.push_back(*token);
                }
            }
        }
    }

    std::string decode(Token token) const override {
        const std::string_view text = vocabulary_.texts[token];
        std::string bytes;
        for (size_t at = 0; at < text.size();) {
            const CodePoint point = code_point_at(text, at);
            const auto found = bytes_.find(point.value);
            found != bytes_.end() ? bytes.append(1, found->second) : bytes.append(text.substr(at, point.size));
            at += point.size;
        }
        return bytes;
    }

private:
    const Vocabulary& vocabulary_;
    const Pretokenizer& words_;
    std::unordered_map<std::string_view, float> ranks_;
    std::array<std::string, 256> characters_;
    std::unordered_map<uint32_t, char> bytes_;
};

}  // namespace

std::unique_ptr<Encoder> make_encoder(const ModelFile& file, const Vocabulary& vocabulary) {
    const auto model = file.get<std::string_view>("tokenizer.ggml.model");
    if (model == "llama") {
        return std::make_unique<Spm>(file, vocabulary);
    }
    require(model == "gpt2", "tokenizers of the kind " + quoted(model) + " are not supported, only llama and gpt2");
    return std::make_unique<Bpe>(file, vocabulary);
}

}  // namespace llm
