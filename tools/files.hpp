// What the tools have in common: mapped files, a progress bar, errors.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace tools {

[[noreturn]] inline void fail(const std::string& what) {
    throw std::runtime_error(what);
}

/// A file in memory, not read before it is looked at.
class Mapping {
public:
    /// `size` > 0: a new file of that size; else an existing one, read-only.
    explicit Mapping(const std::string& path, size_t size = 0) {
        const int fd = size != 0 ? open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666) : open(path.c_str(), O_RDONLY);
        struct stat status = {};
        if (fd < 0 || (size != 0 && !allocate(fd, size)) || fstat(fd, &status) != 0) {
            fail(path + ": " + std::strerror(errno));
        }
        size_ = static_cast<size_t>(status.st_size);
        if (size_ != 0) {
            data_ = mmap(nullptr, size_, size != 0 ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
        }
        close(fd);
        if (data_ == MAP_FAILED) {
            fail(path + ": " + std::strerror(errno));
        }
    }
    ~Mapping() {
        if (data_ != nullptr && data_ != MAP_FAILED) {
            munmap(data_, size_);
        }
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    uint8_t* data() const {
        return static_cast<uint8_t*>(data_);
    }
    size_t size() const {
        return size_;
    }

private:
    /// On the disk, where that is possible: a full one is noticed here.
    static bool allocate(int fd, size_t size) {
#if defined(__linux__)
        errno = posix_fallocate(fd, 0, static_cast<off_t>(size));
        return errno == 0;
#else
        return ftruncate(fd, static_cast<off_t>(size)) == 0;
#endif
    }

    size_t size_;
    void* data_ = nullptr;
};

/// On a terminal.
class Progress {
public:
    explicit Progress(std::string what) : what_(std::move(what)), shown_(isatty(STDERR_FILENO) != 0) {
    }
    ~Progress() {
        if (shown_) {
            std::fprintf(stderr, "\r\033[K");
        }
    }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void at(size_t done, size_t all) const {
        if (shown_) {
            const int width = 40, filled = done >= all ? width : static_cast<int>(width * (double(done) / double(all)));
            std::fprintf(
                stderr, "\r\033[K%s [%s%s] %3d %%", what_.c_str(), std::string(filled, '#').c_str(),
                std::string(width - filled, '.').c_str(), filled * 100 / width);
        }
    }

private:
    std::string what_;
    bool shown_;
};

}  // namespace tools
