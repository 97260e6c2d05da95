// Remembers what a slow function returned. Micro-kernels of a format are tested one after the other, on equal operands.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace test {

/// A key made of numbers.
template <typename... Numbers>
uint64_t key_of(Numbers... numbers) {
    uint64_t key = 0;
    ((key = (key ^ static_cast<uint64_t>(numbers)) * 0x9E3779B97F4A7C15u), ...);
    return key;
}

/// The last results with their arguments, as many as the tests of a micro-kernel may need.
template <typename Entry>
class Recent {
public:
    /// The entry for which is_same(entry); if there is none, make(). Valid until the next call. Entries that are the
    /// same have the same key: only those with this key are looked at, since calls for each take long under emulation.
    template <typename IsSame, typename Make>
    const Entry& get(uint64_t key, IsSame is_same, Make make) {
        for (size_t i = 0; i < entries_.size(); ++i) {
            if (keys_[i] == key && is_same(entries_[i])) {
                return entries_[i];
            }
        }
        Entry entry = make();
        const size_t at = oldest_;
        oldest_ = (oldest_ + 1) % kMost;
        keys_[at] = key;
        if (at == entries_.size()) {
            return entries_.emplace_back(std::move(entry));
        }
        return entries_[at] = std::move(entry);
    }

private:
    static constexpr size_t kMost = 200;
    std::array<uint64_t, kMost> keys_;
    std::vector<Entry> entries_;
    size_t oldest_ = 0;
};

}  // namespace test
