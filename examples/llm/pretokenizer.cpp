// The regular expressions of byte-level BPE. Each function takes what one of them matches at a position.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/pretokenizer.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "examples/llm/unicode.hpp"

namespace llm {
namespace {

/// Kinds of characters, as bits. kSign: [^\s\p{L}\p{N}]; kPunctuation: [\p{P}$+<=>^~|].
enum Kind : unsigned { kLetter = 1, kNumber = 2, kSpace = 4, kLineEnd = 8, kPunctuation = 16, kSign = 32 };

unsigned kinds_of(uint32_t point) {
    switch (category(point)) {
        case Category::letter:
            return kLetter;
        case Category::number:
            return kNumber;
        case Category::space:
            return point == '\r' || point == '\n' ? kSpace | kLineEnd : kSpace;
        case Category::punctuation:
            return kSign | kPunctuation;
        default:
            const auto c = static_cast<char>(point);
            return point < 0x80 && std::string_view("$+<=>^~|").find(c) != std::string_view::npos ? kSign | kPunctuation
                                                                                                  : kSign;
    }
}

/// A text as code points, with their kinds.
class Text {
public:
    explicit Text(std::string_view text) : text_(text) {
        for (size_t at = 0; at < text.size();) {
            const CodePoint point = code_point_at(text, at);
            points_.push_back(point.value);
            kinds_.push_back(kinds_of(point.value));
            starts_.push_back(at);
            at += point.size;
        }
        starts_.push_back(text.size());
    }
    size_t size() const {
        return points_.size();
    }
    /// 0 past the end.
    uint32_t point(size_t i) const {
        return i < size() ? points_[i] : 0;
    }
    bool is(size_t i, Kind kind) const {
        return i < size() && (kinds_[i] & kind) != 0;
    }
    /// The first position from `i` on that is not of this kind.
    size_t skip(size_t i, Kind kind) const {
        while (is(i, kind)) {
            ++i;
        }
        return i;
    }
    std::string_view between(size_t begin, size_t end) const {
        return text_.substr(starts_[begin], starts_[end] - starts_[begin]);
    }

private:
    std::string_view text_;
    std::vector<uint32_t> points_;
    std::vector<unsigned> kinds_;
    std::vector<size_t> starts_;
};

/// 's, 't, 're, 've, 'm, 'll, 'd at i: the end of it, or i. any_case: 'S, too.
size_t contraction(const Text& text, size_t i, bool any_case) {
    if (text.point(i) != '\'') {
        return i;
    }
    const auto letter = [&](size_t at) {
        const uint32_t c = text.point(at);
        return any_case && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
    };
    const uint32_t first = letter(i + 1), second = letter(i + 2);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') {
        return i + 2;
    }
    return ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l') ? i + 3 : i;
}

/// \s+(?!\S)|\s+ at white space: all up to a word, but not the last one, which goes to the word if it can.
size_t white_space(const Text& text, size_t i) {
    const size_t end = text.skip(i, kSpace);
    return end < text.size() && end - i > 1 ? end - 1 : end;
}

/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
size_t word_gpt2(const Text& text, size_t i) {
    if (const size_t end = contraction(text, i, false); end != i) {
        return end;
    }
    const size_t word = text.point(i) == ' ' ? i + 1 : i;
    for (const auto kind : {kLetter, kNumber, kSign}) {
        if (text.is(word, kind)) {
            return text.skip(word, kind);
        }
    }
    return white_space(text, i);
}

/// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+
/// |\s+(?!\S)|\s+
template <size_t digits>
size_t word_llama3(const Text& text, size_t i) {
    if (const size_t end = contraction(text, i, true); end != i) {
        return end;
    }
    if (text.is(i, kLetter)) {
        return text.skip(i, kLetter);
    }
    if (!text.is(i, kLineEnd) && !text.is(i, kNumber) && text.is(i + 1, kLetter)) {
        return text.skip(i + 1, kLetter);
    }
    if (text.is(i, kNumber)) {
        return std::min(text.skip(i, kNumber), i + digits);
    }
    const size_t sign = text.point(i) == ' ' ? i + 1 : i;
    if (text.is(sign, kSign)) {
        return text.skip(text.skip(sign, kSign), kLineEnd);
    }
    const size_t end = text.skip(i, kSpace);
    for (size_t last = end; last > i; --last) {
        if (text.is(last - 1, kLineEnd)) {
            return last;
        }
    }
    return white_space(text, i);
}

/// Where a match at i ends; i: there is none.
using Match = size_t(const Text& text, size_t i);

/// Splits each part into matches and what is between them.
template <Match* match>
std::vector<std::string_view> split(const std::vector<std::string_view>& parts) {
    std::vector<std::string_view> all;
    for (const std::string_view part : parts) {
        const Text text(part);
        for (size_t begin = 0, i = 0; begin < text.size();) {
            const size_t end = i < text.size() ? match(text, i) : i;
            if (end == i && i < text.size()) {
                ++i;
                continue;
            }
            if (begin != i) {
                all.push_back(text.between(begin, i));
            }
            if (i != end) {
                all.push_back(text.between(i, end));
            }
            begin = i = end;
        }
    }
    return all;
}

template <Match* word>
std::vector<std::string_view> words(std::string_view text) {
    return split<word>({text});
}

/// [\p{P}$+<=>^~|]+
size_t signs(const Text& text, size_t i) {
    return text.skip(i, kPunctuation);
}

/// \p{N}+
size_t numbers(const Text& text, size_t i) {
    return text.skip(i, kNumber);
}

/// [0-9][0-9][0-9]
size_t three_digits(const Text& text, size_t i) {
    const auto digit = [&](size_t at) { return text.point(at) - '0' < 10u; };
    return digit(i) && digit(i + 1) && digit(i + 2) ? i + 3 : i;
}

/// Files that name no pre-tokenizer.
std::vector<std::string_view> words_default(std::string_view text) {
    return split<three_digits>(split<numbers>(split<word_gpt2>(split<signs>({text}))));
}

}  // namespace

Pretokenizer* find_pretokenizer(std::string_view name) {
    static constexpr struct {
        std::string_view name;
        Pretokenizer* split;
    } known[] = {
        {"", words_default},
        {"default", words_default},
        {"gpt-2", words<word_gpt2>},
        {"llama-bpe", words<word_llama3<3>>},
        {"llama3", words<word_llama3<3>>},
        {"llama-v3", words<word_llama3<3>>},
        {"qwen2", words<word_llama3<1>>},
    };
    const auto* found = std::find_if(std::begin(known), std::end(known), [&](auto& one) { return one.name == name; });
    return found != std::end(known) ? found->split : nullptr;
}

}  // namespace llm
