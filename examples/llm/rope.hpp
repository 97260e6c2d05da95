// Rotary position embedding: pairs of elements of a head turn by angles that grow with the position.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "examples/llm/model.hpp"

namespace llm {

class Rope {
public:
    /// For texts of up to `context` positions.
    Rope(const RopeShape& shape, size_t context);

    /// Sine and cosine of `count` positions, which turn() then uses: the same ones for all layers and heads.
    void prepare(size_t position, size_t count);
    /// Turns `heads` heads of `size` elements of token number `token` of those that were prepared.
    void turn(size_t token, float* values, size_t heads, size_t size) const;

private:
    RopeShape shape_;
    double magnitude_;
    std::vector<double> speeds_;  // radians per position of each pair
    std::vector<float> turns_;    // [count][pairs] of cosine and sine
};

}  // namespace llm
