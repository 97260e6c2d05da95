// SPDX-License-Identifier: Apache-2.0
#include "test/support/sparse_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

namespace test {

SparseBuffer::SparseBuffer(size_t size) {
    const size_t page = sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    area_size_ = 2 * whole + page;
    void* area = mmap(nullptr, area_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    area_ = static_cast<uint8_t*>(area);
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (area == MAP_FAILED ||
        (whole > 0 && mmap(area_ + whole, whole, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)) {
        std::perror("test: mmap of a sparse buffer");
        std::abort();
    }
    data_ = area_ + whole;
}

SparseBuffer::SparseBuffer(const uint8_t* from, size_t count, size_t length, size_t stride)
    : SparseBuffer(count == 0 ? 0 : (count - 1) * stride + length) {
    for (size_t i = 0; i < count; ++i) {
        std::memcpy(data_ + i * stride, from + i * length, length);
    }
}

SparseBuffer::~SparseBuffer() {
    munmap(area_, area_size_);
}

}  // namespace test
