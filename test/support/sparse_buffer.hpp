// Address space of many GiB, of which only what is touched takes memory: rows and panels that lie far apart.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace test {

/// `size` bytes of zeros, between inaccessible memory: as much before them as they are long, a page after them.
class SparseBuffer {
public:
    explicit SparseBuffer(size_t size);
    /// `count` pieces of `length` bytes, that follow each other at `from`, each `stride` bytes from the previous one.
    SparseBuffer(const uint8_t* from, size_t count, size_t length, size_t stride);
    ~SparseBuffer();
    SparseBuffer(const SparseBuffer&) = delete;
    SparseBuffer& operator=(const SparseBuffer&) = delete;

    uint8_t* data() const {
        return data_;
    }

private:
    uint8_t *area_, *data_;
    size_t area_size_;
};

/// What a stride that is kept in 32 bits becomes: negative, and much smaller.
constexpr size_t kLargeStrides[] = {size_t{1} << 31, (size_t{1} << 32) + 4096};

}  // namespace test
