// Repeat penalty, top-k, top-p, min-p, temperature, in this order; then a random number decides.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace llm {

Token Sampler::choose(const float* logits, size_t vocabulary, const std::vector<Token>& before) {
    candidates_.clear();
    for (Token token = 0; token < vocabulary; ++token) {
        candidates_.push_back({std::isnan(logits[token]) ? -INFINITY : logits[token], token});
    }
    const size_t last = std::min(options_.repeat_last, before.size());
    std::vector<Token> repeated(before.end() - static_cast<ptrdiff_t>(last), before.end());
    std::sort(repeated.begin(), repeated.end());
    repeated.erase(std::unique(repeated.begin(), repeated.end()), repeated.end());
    for (const Token token : repeated) {
        float& logit = candidates_[token].logit;
        logit = logit > 0 ? logit / options_.repeat_penalty : logit * options_.repeat_penalty;
    }
    // Of equal logits the lower token is first: the order does not depend on the library's sort.
    const auto better = [](const Candidate& a, const Candidate& b) {
        return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
    };
    if (options_.temperature == 0) {
        return std::min_element(candidates_.begin(), candidates_.end(), better)->token;
    }
    const size_t kept = options_.top_k == 0 ? vocabulary : std::min(options_.top_k, vocabulary);
    std::partial_sort(
        candidates_.begin(), candidates_.begin() + static_cast<ptrdiff_t>(kept), candidates_.end(), better);
    candidates_.resize(kept);

    const auto weight = [&](size_t i, float temperature) {
        return std::exp(static_cast<double>(candidates_[i].logit - candidates_[0].logit) / double(temperature));
    };
    double all = 0, sum = 0;
    for (size_t i = 0; i < kept; ++i) {
        all += weight(i, 1);
    }
    size_t count = 0;  // top-p: until the sum is enough; min-p: as long as each is; the first one always
    while (count < kept && (count == 0 || (sum < double(options_.top_p) * all && weight(count, 1) >= options_.min_p))) {
        sum += weight(count++, 1);
    }
    double rest = 0;
    for (size_t i = 0; i < count; ++i) {
        rest += weight(i, options_.temperature);
    }
    // 53 random bits: std::uniform_real_distribution differs between libraries.
    rest *= static_cast<double>(random_() >> 11) * 0x1p-53;
    size_t chosen = 0;
    while (chosen + 1 < count && (rest -= weight(chosen, options_.temperature)) >= 0) {
        ++chosen;
    }
    return candidates_[chosen].token;
}

}  // namespace llm
