// Repeat penalty, top-k, top-p, min-p, temperature, in this order; then a random number decides.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace llm {

Token choose_token(
    const SamplingOptions& options, const float* logits, size_t vocabulary, const std::vector<Token>& before,
    std::mt19937_64& random) {
    // Minus the logit, and the token: the best one is the least, of equal logits the lower token.
    std::vector<std::pair<float, Token>> candidates;
    for (Token token = 0; token < vocabulary; ++token) {
        candidates.emplace_back(std::isnan(logits[token]) ? INFINITY : -logits[token], token);
    }
    const size_t last = std::min(options.repeat_last, before.size());
    for (const Token token : std::set<Token>(before.end() - static_cast<ptrdiff_t>(last), before.end())) {
        float& least = candidates[token].first;
        least = least < 0 ? least / options.repeat_penalty : least * options.repeat_penalty;
    }
    if (options.temperature == 0) {
        return std::min_element(candidates.begin(), candidates.end())->second;
    }
    const size_t kept = options.top_k == 0 ? vocabulary : std::min(options.top_k, vocabulary);
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(kept), candidates.end());
    candidates.resize(kept);
    const auto weight = [&](size_t i, float temperature) {
        return std::exp(static_cast<double>(candidates[0].first - candidates[i].first) / double(temperature));
    };
    double all = 0, sum = 0;
    for (size_t i = 0; i < kept; ++i) {
        all += weight(i, 1);
    }
    size_t count = 0;  // top-p: until the sum is enough; min-p: as long as each is; the first one always
    while (count < kept && (count == 0 || (sum < double(options.top_p) * all && weight(count, 1) >= options.min_p))) {
        sum += weight(count++, 1);
    }
    double rest = 0;
    for (size_t i = 0; i < count; ++i) {
        rest += weight(i, options.temperature);
    }
    // 53 random bits: std::uniform_real_distribution differs between libraries.
    rest *= static_cast<double>(random() >> 11) * 0x1p-53;
    size_t chosen = 0;
    while (chosen + 1 < count && (rest -= weight(chosen, options.temperature)) >= 0) {
        ++chosen;
    }
    return candidates[chosen].second;
}

}  // namespace llm
