// The same pseudo-random numbers on every host.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace test {

/// SplitMix64.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {
    }
    uint64_t next() {
        uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    /// A number from lo to hi, both included.
    int integer(int lo, int hi) {
        // No division: an emulator has none of its own.
        return lo + static_cast<int>((next() >> 32) * static_cast<uint64_t>(hi - lo + 1) >> 32);
    }
    /// [lo, hi)
    float real(float lo, float hi) {
        return lo + (hi - lo) * static_cast<float>(next() >> 40) * 0x1p-24f;
    }

    bool operator==(const Random& other) const {
        return state_ == other.state_;
    }

private:
    uint64_t state_;
};

}  // namespace test
