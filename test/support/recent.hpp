// Remembers what a slow function returned. Micro-kernels of a format are tested one after the other, on equal operands.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

namespace test {

/// The last results with their arguments, as many as the tests of a micro-kernel may need.
template <typename Entry>
class Recent {
public:
    /// The entry for which is_same(entry); if there is none, make(). Valid until the next call.
    template <typename IsSame, typename Make>
    const Entry& get(IsSame is_same, Make make) {
        const auto found = std::find_if(entries_.rbegin(), entries_.rend(), is_same);
        if (found != entries_.rend()) {
            return *found;
        }
        if (entries_.size() == kMost) {
            entries_.pop_front();
        }
        return entries_.emplace_back(make());
    }

private:
    static constexpr size_t kMost = 200;
    std::deque<Entry> entries_;
};

}  // namespace test
