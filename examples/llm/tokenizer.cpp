// What both kinds of vocabulary share: tokens of the file, special tokens in a text, BOS and EOS.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/tokenizer.hpp"

#include <algorithm>

namespace llm {
const std::string kPrefix = "tokenizer.ggml.";

Vocabulary::Vocabulary(const ModelFile& file) : texts(file.all<std::string_view>(kPrefix + "tokens")) {
    require(!texts.empty() && size() <= UINT32_MAX / 2, "the file has no vocabulary (tokenizer.ggml.tokens)");
    const std::vector<double> values = file.all<double>(kPrefix + "scores"),
                              types = file.all<double>(kPrefix + "token_type");
    require(
        (values.empty() || values.size() == size()) && (types.empty() || types.size() == size()),
        "scores or types of tokens are not as many as tokens");
    scores.assign(values.begin(), values.end());
    scores.resize(size());
    kinds.resize(size(), TokenKind::normal);
    for (size_t i = 0; i < size(); ++i) {
        if (!types.empty() && types[i] >= 1 && types[i] <= 6) {
            kinds[i] = static_cast<TokenKind>(types[i]);
        }
        tokens.emplace(texts[i], static_cast<Token>(i));
    }
}

const Token* Vocabulary::find(std::string_view text) const {
    const auto found = tokens.find(text);
    return found != tokens.end() ? &found->second : nullptr;
}

Tokenizer::Tokenizer(const ModelFile& file) : vocabulary_(file), encoder_(make_encoder(file, vocabulary_)) {
    const auto special = [&](const char* name, Token otherwise) {
        const auto token = file.get<uint64_t>(kPrefix + name, otherwise);
        require(token == otherwise || token < size(), kPrefix + name + " is not in the vocabulary");
        return static_cast<Token>(token);
    };
    // Files of some families do not say that a text begins with BOS.
    const bool spm = file.get<std::string_view>(kPrefix + "model") == "llama";
    const bool begins = spm || find_pretokenizer(file.get<std::string_view>(kPrefix + "pre", "")).llama3;
    bos_ = special("bos_token_id", spm ? 1 : 11);
    eos_ = special("eos_token_id", spm ? 2 : 11);
    add_bos_ = file.get<bool>(kPrefix + "add_bos_token", begins) && bos_ < size();
    add_eos_ = file.get<bool>(kPrefix + "add_eos_token", false) && eos_ < size();
    ends_ = {eos_, special("eot_token_id", eos_), special("eom_token_id", eos_)};
    for (const char* text : {"<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>"}) {
        if (const Token* token = vocabulary_.find(text)) {
            ends_.push_back(*token);
        }
    }
    for (Token i = 0; i < size(); ++i) {
        const TokenKind kind = vocabulary_.kinds[i];
        if ((kind == TokenKind::control || kind == TokenKind::user_defined || kind == TokenKind::unknown) &&
            !vocabulary_.texts[i].empty()) {
            specials_.push_back(i);
        }
    }
    std::sort(specials_.begin(), specials_.end(), [&](Token a, Token b) {
        const size_t size_a = vocabulary_.texts[a].size(), size_b = vocabulary_.texts[b].size();
        return size_a != size_b ? size_a > size_b : a < b;
    });
}

std::vector<Token> Tokenizer::encode(std::string_view text, bool ends, bool specials) const {
    std::vector<Token> tokens;
    if (ends && add_bos_) {
        tokens.push_back(bos_);
    }
    encode_between(text, 0, specials, tokens);
    if (ends && add_eos_) {
        tokens.push_back(eos_);
    }
    return tokens;
}

void Tokenizer::encode_between(std::string_view text, size_t first, bool specials, std::vector<Token>& to) const {
    for (size_t i = first; i < specials_.size(); ++i) {
        const Token token = specials_[i];
        const std::string_view special = vocabulary_.texts[token];
        if (!specials && vocabulary_.kinds[token] != TokenKind::user_defined) {
            continue;
        }
        for (size_t at; (at = text.find(special)) != std::string_view::npos; text.remove_prefix(at + special.size())) {
            encode_between(text.substr(0, at), i + 1, specials, to);
            to.push_back(token);
        }
    }
    if (!text.empty()) {
        encoder_->encode(text, to);
    }
}

std::string Tokenizer::decode(Token token) const {
    switch (vocabulary_.kinds.at(token)) {
        case TokenKind::control:
        case TokenKind::unknown:
            return {};
        case TokenKind::user_defined:
            return std::string(vocabulary_.texts[token]);
        default:
            return encoder_->decode(token);
    }
}

bool Tokenizer::is_end(Token token) const {
    return std::find(ends_.begin(), ends_.end(), token) != ends_.end();
}

}  // namespace llm
