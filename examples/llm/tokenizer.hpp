// From text to tokens and back, with the vocabulary of a model file.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "examples/llm/model_file.hpp"

namespace llm {

using Token = uint32_t;

enum class TokenKind : uint8_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

/// The tokens of a file. Texts point into it.
struct Vocabulary {
    explicit Vocabulary(const ModelFile& file);

    size_t size() const {
        return texts.size();
    }
    /// NULL: there is no such token.
    const Token* find(std::string_view text) const;

    std::vector<std::string_view> texts;
    std::vector<float> scores;
    std::vector<TokenKind> kinds;
    std::unordered_map<std::string_view, Token> tokens;
};

class Text;

/// The words in which byte-level BPE joins pairs.
struct Pretokenizer {
    std::string_view name;  ///< tokenizer.ggml.pre of the file.
    bool llama3;            ///< Texts begin with BOS, and words that are tokens are not merged.
    /// Where a match at i ends; i: there is none.
    using Match = size_t(const Text& text, size_t i);
    Match* matches[5];  ///< Each splits what the one before left into matches and what is between. NULL: no more.

    /// Words of the text, without gaps.
    std::vector<std::string_view> split(std::string_view text) const;
};

/// Throws Error if there is none of this name.
const Pretokenizer& find_pretokenizer(std::string_view name);

/// How text without special tokens becomes tokens: one class per kind of vocabulary.
class Encoder {
public:
    virtual ~Encoder() = default;
    /// Appends the tokens of `text`, which begins the input or follows a special token.
    virtual void encode(std::string_view text, std::vector<Token>& to) const = 0;
    /// The bytes that a normal token or one of a byte stands for.
    virtual std::string decode(Token token) const = 0;
};

/// By tokenizer.ggml.model. SentencePiece ("llama") joins the pair with the best score; what is left becomes bytes.
/// Byte-level BPE ("gpt2"): words of a pre-tokenizer, in which pairs are joined in the order of tokenizer.ggml.merges.
std::unique_ptr<Encoder> make_encoder(const ModelFile& file, const Vocabulary& vocabulary);

class Tokenizer {
public:
    explicit Tokenizer(const ModelFile& file);

    /// `specials`: texts of control tokens in `text` become these tokens. `ends`: BOS and EOS if the file wants them.
    std::vector<Token> encode(std::string_view text, bool ends, bool specials) const;
    /// Bytes, perhaps not whole characters. Control tokens have none.
    std::string decode(Token token) const;
    /// Whether generation ends with this token.
    bool is_end(Token token) const;
    /// What texts begin with; NULL: nothing.
    const Token* bos() const {
        return add_bos_ ? &bos_ : nullptr;
    }
    size_t size() const {
        return vocabulary_.size();
    }

private:
    /// Text without the special tokens before number `first`, of which the longest come first.
    void encode_between(std::string_view text, size_t first, bool specials, std::vector<Token>& to) const;

    Vocabulary vocabulary_;
    std::unique_ptr<Encoder> encoder_;
    Token bos_ = 0, eos_ = 0;
    bool add_bos_ = false, add_eos_ = false;
    std::vector<Token> specials_, ends_;  // the longest texts first
};

}  // namespace llm
