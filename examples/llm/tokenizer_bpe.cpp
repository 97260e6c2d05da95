// Byte-level BPE: bytes are written as printable characters, pairs are joined in the order of the file's merges.
//
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "examples/llm/pretokenizer.hpp"
#include "examples/llm/tokenizer.hpp"
#include "examples/llm/tokenizer_join.hpp"
#include "examples/llm/unicode.hpp"

namespace llm {
namespace {

/// The character that stands for each byte: itself if it is printable in Latin-1, else the next one from U+0100 on.
std::array<uint32_t, 256> characters_of_bytes() {
    std::array<uint32_t, 256> characters;
    uint32_t next = 0x100;
    for (uint32_t byte = 0; byte < 256; ++byte) {
        const bool itself = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
        characters[byte] = itself ? byte : next++;
    }
    return characters;
}

class Bpe : public Encoder {
public:
    Bpe(const ModelFile& file, const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
        const std::string_view pre = file.text("tokenizer.ggml.pre", "");
        split_ = find_pretokenizer(pre);
        require(split_ != nullptr, "the pre-tokenizer " + quoted(pre) + " is not supported");
        whole_words_ = pre == "llama-bpe" || pre == "llama3" || pre == "llama-v3";
        float rank = 0;
        for (const std::string_view merge : file.texts("tokenizer.ggml.merges")) {
            ranks_.emplace(merge, rank++);
        }
        const std::array<uint32_t, 256> characters = characters_of_bytes();
        for (uint32_t byte = 0; byte < 256; ++byte) {
            append_utf8(characters_[byte], characters[byte]);
            bytes_[characters[byte]] = static_cast<char>(byte);
        }
    }

    void encode(std::string_view text, std::vector<Token>& to) const override {
        for (const std::string_view word : split_(text)) {
            std::string characters;
            std::vector<size_t> pieces;
            for (const char c : word) {
                const std::string& character = characters_[static_cast<unsigned char>(c)];
                characters += character;
                pieces.push_back(character.size());
            }
            Token token;
            if (whole_words_ && vocabulary_.find(characters, token)) {
                to.push_back(token);
                continue;
            }
            std::string key;
            const auto rank = [&](std::string_view left, std::string_view right, float& value) {
                key.assign(left).append(" ").append(right);
                const auto found = ranks_.find(key);
                value = found != ranks_.end() ? found->second : 0;
                return found != ranks_.end();
            };
            for (const std::string_view part : join_pieces(characters, pieces, rank)) {
                push(part, to);
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
    /// The token of `part`, or those of its characters. Bytes without a token are lost, as the vocabulary has no other.
    void push(std::string_view part, std::vector<Token>& to) const {
        Token token;
        if (vocabulary_.find(part, token)) {
            to.push_back(token);
            return;
        }
        for (size_t at = 0; at < part.size();) {
            const size_t size = code_point_at(part, at).size;
            if (vocabulary_.find(part.substr(at, size), token)) {
                to.push_back(token);
            }
            at += size;
        }
    }

    const Vocabulary& vocabulary_;
    Pretokenizer* split_;
    bool whole_words_;  // a word that is a token is not merged
    std::unordered_map<std::string_view, float> ranks_;
    std::array<std::string, 256> characters_;
    std::unordered_map<uint32_t, char> bytes_;
};

}  // namespace

std::unique_ptr<Encoder> make_bpe(const ModelFile& file, const Vocabulary& vocabulary) {
    return std::make_unique<Bpe>(file, vocabulary);
}

}  // namespace llm
