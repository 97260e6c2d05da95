// The regular expressions of byte-level BPE. Each function takes what one of them matches at a position.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "examples/llm/tokenizer.hpp"
#include "examples/llm/unicode.hpp"

namespace llm {
namespace {

/// Kinds of characters, as bits: those of categories, and more.
using Kinds = unsigned;
constexpr Kinds bit(Category category) {
    return 1u << static_cast<unsigned>(category);
}
constexpr Kinds kLetter = bit(Category::letter), kNumber = bit(Category::number), kSpace = bit(Category::space);
constexpr Kinds kSign = bit(Category::punctuation) | bit(Category::other);  // [^\s\p{L}\p{N}]
constexpr Kinds kLineEnd = 1u << 8;                                         // [\r\n]
constexpr Kinds kAsciiSign = 1u << 9;                                       // [$+<=>^~|]
constexpr Kinds kPunctuation = bit(Category::punctuation) | kAsciiSign;

Kinds kinds_of(uint32_t point) {
    const auto is_one_of = [&](std::string_view all) {
        return point < 0x80 && all.find(static_cast<char>(point)) != std::string_view::npos;
    };
    return bit(category(point)) | (is_one_of("\r\n") ? kLineEnd : 0) | (is_one_of("$+<=>^~|") ? kAsciiSign : 0);
}

}  // namespace

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
    bool is(size_t i, Kinds kinds) const {
        return i < size() && (kinds_[i] & kinds) != 0;
    }
    /// The first position from `i` on that is none of these kinds.
    size_t skip(size_t i, Kinds kinds) const {
        while (is(i, kinds)) {
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
    std::vector<Kinds> kinds_;
    std::vector<size_t> starts_;
};

namespace {

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
    for (const Kinds kind : {kLetter, kNumber, kSign}) {
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

}  // namespace

std::vector<std::string_view> Pretokenizer::split(std::string_view text) const {
    std::vector<std::string_view> parts = {text};
    for (Match* const* match = matches; *match != nullptr; ++match) {
        std::vector<std::string_view> finer;
        for (const std::string_view part : parts) {
            const Text points(part);
            size_t begin = 0;
            for (size_t i = 0; i < points.size();) {
                const size_t end = (*match)(points, i);
                if (end == i) {
                    ++i;
                    continue;
                }
                if (begin != i) {
                    finer.push_back(points.between(begin, i));
                }
                finer.push_back(points.between(i, end));
                begin = i = end;
            }
            if (begin != points.size()) {
                finer.push_back(points.between(begin, points.size()));
            }
        }
        parts = std::move(finer);
    }
    return parts;
}

const Pretokenizer& find_pretokenizer(std::string_view name) {
    static constexpr Pretokenizer known[] = {
        {"", false, {signs, word_gpt2, numbers, three_digits}},
        {"default", false, {signs, word_gpt2, numbers, three_digits}},
        {"gpt-2", false, {word_gpt2}},
        {"llama-bpe", true, {word_llama3<3>}},
        {"llama3", true, {word_llama3<3>}},
        {"llama-v3", true, {word_llama3<3>}},
        {"qwen2", false, {word_llama3<1>}},
    };
    const auto* found = std::find_if(std::begin(known), std::end(known), [&](auto& one) { return one.name == name; });
    require(found != std::end(known), "the pre-tokenizer " + quoted(name) + " is not supported");
    return *found;
}

}  // namespace llm
