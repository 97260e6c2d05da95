// SPDX-License-Identifier: Apache-2.0
#include "test/support/guarded_buffer.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace test {

namespace {

constexpr uint8_t kSlack = 0x5C;

// Wide enough for the longest vector group that a kernel could load past the end.
size_t guard_size() {
    return std::max<size_t>(16384, sysconf(_SC_PAGESIZE));
}

/// Of the two lists: calls in threads make buffers, too. (A handler of signals reads `living` without it.)
std::mutex& lists() {
    static std::mutex mutex;
    return mutex;
}

std::vector<const GuardedBuffer*>& living() {
    static std::vector<const GuardedBuffer*> buffers;
    return buffers;
}

// Mappings that nobody uses, by size: mmap and mprotect are slow under emulation.
std::multimap<size_t, uint8_t*>& free_areas() {
    static std::multimap<size_t, uint8_t*> areas;
    return areas;
}

uint8_t* obtain_area(size_t size) {
    {
        const std::lock_guard<std::mutex> lock(lists());
        if (const auto it = free_areas().find(size); it != free_areas().end()) {
            uint8_t* area = it->second;
            free_areas().erase(it);
            return area;
        }
    }
    const size_t guard = guard_size();
    void* whole = mmap(nullptr, size + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t* area = static_cast<uint8_t*>(whole) + guard;
    if (whole == MAP_FAILED || (size > 0 && mprotect(area, size, PROT_READ | PROT_WRITE) != 0)) {
        std::perror("test: mmap");
        std::abort();
    }
    return area;
}

}  // namespace

GuardedBuffer::GuardedBuffer(size_t size, Flush flush, uint8_t poison) : size_(size) {
    const size_t page = sysconf(_SC_PAGESIZE);
    const size_t used = size + readable_past_end;
    area_size_ = (used + page - 1) / page * page;
    area_ = obtain_area(area_size_);
    data_ = flush == Flush::end ? area_ + area_size_ - used : area_;
    std::memset(area_, kSlack, area_size_);
    std::memset(data_, poison, size);
    const std::lock_guard<std::mutex> lock(lists());
    living().push_back(this);
}

GuardedBuffer::GuardedBuffer(const std::vector<uint8_t>& bytes, Flush flush) : GuardedBuffer(bytes.size(), flush) {
    std::copy(bytes.begin(), bytes.end(), data_);
}

GuardedBuffer::~GuardedBuffer() {
    const auto is_slack = [](const uint8_t* from, const uint8_t* to) {  // all is like the byte before it
        return from == to || (*from == kSlack && std::memcmp(from, from + 1, to - from - 1) == 0);
    };
    EXPECT_TRUE(is_slack(area_, data_)) << "written before the start of a buffer of " << size_;
    EXPECT_TRUE(is_slack(data_ + size_, area_ + area_size_)) << "written past the end of a buffer of " << size_;
    const std::lock_guard<std::mutex> lock(lists());
    living().erase(std::find(living().begin(), living().end(), this));
    free_areas().emplace(area_size_, area_);
}

std::string GuardedBuffer::describe(uintptr_t address) {
    for (const GuardedBuffer* buffer : living()) {
        const auto start = reinterpret_cast<uintptr_t>(buffer->data_);
        const uintptr_t end = start + buffer->size_;
        const std::string what = " of a buffer of " + std::to_string(buffer->size_) + " bytes";
        if (address >= end && address - end < guard_size()) {
            return std::to_string(address - end) + " bytes past the end" + what;
        }
        if (address < start && start - address <= guard_size()) {
            return std::to_string(start - address) + " bytes before the start" + what;
        }
    }
    return "not near a buffer of the test";
}

}  // namespace test
