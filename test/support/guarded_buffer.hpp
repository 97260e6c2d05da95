// Memory of exact size between inaccessible pages: one byte read or written outside is a fault, not luck.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace test {

/// Which end of the buffer touches an inaccessible page. The other end has the rest of a page, filled with poison that
/// the destructor checks: writes there are found too, reads only where they change a result.
enum class Flush { end, start };

class GuardedBuffer {
public:
    static constexpr uint8_t kPoison = 0xA5;

    /// `size` bytes of `poison`.
    explicit GuardedBuffer(size_t size, Flush flush = Flush::end, uint8_t poison = kPoison);
    /// A copy of `bytes`.
    explicit GuardedBuffer(const std::vector<uint8_t>& bytes, Flush flush = Flush::end);
    /// Adds a test failure if the slack next to the buffer was written.
    ~GuardedBuffer();
    GuardedBuffer(const GuardedBuffer&) = delete;
    GuardedBuffer& operator=(const GuardedBuffer&) = delete;

    /// Bytes past the end that may be read, for functions of others that do.
    static inline size_t readable_past_end = 0;

    uint8_t* data() const {
        return data_;
    }
    template <typename T>
    T* as() const {
        return reinterpret_cast<T*>(data_);
    }
    size_t size() const {
        return size_;
    }
    std::vector<uint8_t> bytes() const {
        return {data_, data_ + size_};
    }

    /// Where `address` lies, if it is in or around a living buffer: "3 bytes past the end of a buffer of 64".
    static std::string describe(uintptr_t address);

private:
    uint8_t* area_;  // the accessible pages
    size_t area_size_;
    uint8_t* data_;
    size_t size_;
};

}  // namespace test
