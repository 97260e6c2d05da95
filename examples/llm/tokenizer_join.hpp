// The loop that both tokenizers share: neighbours are joined, the best pair first.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <string_view>
#include <vector>

namespace llm {

/// Joins neighbours of `pieces`, lengths of parts of `text`, until none can be: the pair with the lowest rank first, of
/// equal ones the left one. rank(left, right, value) is false if they stay apart. Returns the parts.
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
        float value = 0;
        if (rank(l.text, r.text, value)) {
            pairs.push({value, left, l.text.size() + r.text.size()});
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

}  // namespace llm
