// Rotary position embedding. YaRN: Peng et al., "YaRN: Efficient context window extension of large language models".
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/rope.hpp"

#include <algorithm>
#include <cmath>

namespace llm {
namespace {

constexpr double kTwoPi = 6.283185307179586;
/// YaRN: pairs that turn more often than this within the context are fast, less often: slow.
constexpr double kFast = 32, kSlow = 1;

/// The pair that turns `turns` times within the context that the model was trained on.
double pair_with_turns(const RopeShape& shape, double turns) {
    const double context = static_cast<double>(std::max<size_t>(shape.original_context, 1));
    return static_cast<double>(shape.rotated) * std::log(context / (turns * kTwoPi)) /
           (2 * std::log(double(shape.base)));
}

}  // namespace

Rope::Rope(const RopeShape& shape, size_t context) : shape_(shape), magnitude_(shape.magnitude) {
    const std::vector<float>& factors =
        context > shape.original_context && !shape.long_factors.empty() ? shape.long_factors : shape.factors;
    const size_t pairs = shape.rotated / 2;
    const double last = static_cast<double>(shape.rotated) - 1;
    const double low = std::max(0.0, std::floor(pair_with_turns(shape, kFast)));
    const double high = std::min(last, std::ceil(pair_with_turns(shape, kSlow)));
    for (size_t i = 0; i < pairs; ++i) {
        double speed = std::pow(double(shape.base), -2.0 * static_cast<double>(i) / static_cast<double>(shape.rotated));
        speed /= factors.empty() ? 1.0 : double(factors[i]);
        double scaled = 1;  // how much of the speed is divided by the factor
        if (shape.yarn) {
            scaled = std::clamp((static_cast<double>(i) - low) / std::max(0.001, high - low), 0.0, 1.0);
        }
        speeds_.push_back(speed * (scaled / double(shape.factor) + (1 - scaled)));
    }
    if (shape.yarn) {
        magnitude_ *= 1 + 0.1 * std::log(double(shape.factor));
    }
}

void Rope::prepare(size_t position, size_t count) {
    turns_.clear();
    for (size_t token = 0; token < count; ++token) {
        for (const double speed : speeds_) {
            const double angle = static_cast<double>(position + token) * speed;
            turns_.push_back(static_cast<float>(std::cos(angle) * magnitude_));
            turns_.push_back(static_cast<float>(std::sin(angle) * magnitude_));
        }
    }
}

void Rope::turn(size_t token, float* values, size_t heads, size_t size) const {
    const size_t pairs = speeds_.size();
    const float* turns = turns_.data() + 2 * pairs * token;
    const size_t next = shape_.halves ? pairs : 1, step = shape_.halves ? 1 : 2;
    for (float* head = values; head != values + heads * size; head += size) {
        for (size_t i = 0; i < pairs; ++i) {
            float &x = head[step * i], &y = head[step * i + next];
            const float cosine = turns[2 * i], sine = turns[2 * i + 1], old = x;
            x = old * cosine - y * sine;
            y = old * sine + y * cosine;
        }
    }
}

}  // namespace llm
