// What the operating system tells about this machine: names, caches, features; pinning of threads; cycle counters.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Lines of the report's header: a key and a text each.
std::vector<std::pair<std::string, std::string>> describe_machine();

/// The text for one of these keys.
std::string described(const char* word);

/// Whether this is an AArch64 program under an emulator (QEMU in user mode): its times mean nothing.
bool is_emulated();

/// Size of the last-level cache as the system reports it; 0 if unknown.
size_t last_level_cache();

/// Bytes of memory; 0 if unknown.
size_t memory_size();

/// Bytes of memory that programs can get without swapping; 0 if unknown.
size_t available_memory();

/// Prepares the calling thread to be the index-th one: pins it (options.cpus), on Apple systems asks for fast cores.
/// Reports a failure once.
void enter_thread(size_t index);

/// How many threads may run: logical CPUs, or those of --cpus.
size_t thread_limit();

/// Cycles of the calling thread in user mode, by perf events.
class Cycles {
public:
    Cycles();  ///< Call it on the thread that is measured, after enter_thread.
    ~Cycles();
    Cycles(const Cycles&) = delete;
    Cycles& operator=(const Cycles&) = delete;

    bool counts() const {
        return fd_ >= 0;
    }
    /// Since an arbitrary time in the past.
    uint64_t now() const;
    /// Why it cannot count.
    const std::string& reason() const {
        return reason_;
    }

private:
    int fd_ = -1;
    std::string reason_;
};
