// Shared by the tools: files that are mapped or written, a progress bar, errors.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tools {

[[noreturn]] inline void fail(const std::string& what) {
    throw std::runtime_error(what);
}

/// A regular file in memory, read-only, not read before it is looked at.
class Mapping {
public:
    explicit Mapping(const std::string& path) {
        // O_NONBLOCK: a FIFO is refused, not waited for.
        const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        struct stat status = {};
        std::string error = fd < 0 || fstat(fd, &status) != 0 ? std::strerror(errno) : "";
        if (error.empty() && !S_ISREG(status.st_mode)) {
            error = "not a regular file";
        }
        size_ = static_cast<size_t>(status.st_size);
        if (error.empty() && size_ != 0) {
            data_ = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
            error = data_ == MAP_FAILED ? std::strerror(errno) : "";
        }
        if (fd >= 0) {
            close(fd);
        }
        if (!error.empty()) {
            fail(path + ": " + error);
        }
    }
    ~Mapping() {
        if (data_ != nullptr) {
            munmap(data_, size_);
        }
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    const uint8_t* data() const {
        return static_cast<const uint8_t*>(data_);
    }
    size_t size() const {
        return size_;
    }

private:
    size_t size_;
    void* data_ = nullptr;
};

/// What remove_unfinished removes; NULL: nothing.
inline std::atomic<const char*> unfinished{nullptr};

/// A handler of signals. It is reset when it is called: the signal then ends the program as if it were not handled.
inline void remove_unfinished(int signal) {
    if (const char* path = unfinished) {
        unlink(path);
    }
    raise(signal);
}

/// The file that a tool makes, one at a time. Until it is whole it has a name in the same folder that no other process
/// uses, and it is removed if anything fails and on SIGINT, SIGTERM and SIGHUP. A symbolic link is followed.
class Output {
public:
    enum class Existing : uint8_t {
        refused,
        replaced,
        read,  ///< What is in it becomes part of the new file.
    };

    /// Refuses what cannot be written or must not be lost: a device, a FIFO, one of the inputs.
    Output(const std::string& path, std::vector<std::string> inputs, Existing existing)
        : path_(path), inputs_(std::move(inputs)), existing_(existing) {
        std::error_code error;
        if (std::filesystem::is_symlink(path) && std::filesystem::exists(path, error)) {
            path_ = std::filesystem::canonical(path).string();
        }
        exists_ = look(before_);
    }
    ~Output() {
        if (data_ != nullptr) {
            munmap(data_, size_);
        }
        if (!part_.empty()) {
            unlink(part_.c_str());
            unfinished = nullptr;
        }
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    bool exists() const {
        return exists_;
    }

    /// Makes the unfinished file.
    uint8_t* create(size_t size) {
        if (size > static_cast<size_t>(std::numeric_limits<off_t>::max())) {
            fail(path_ + ": no file can have " + std::to_string(size) + " bytes");
        }
        std::signal(SIGXFSZ, SIG_IGN);  // a limit is an error like a full disk
        const int fd = open_part();
        if (fd >= 0 && exists_) {
            (void)!fchmod(fd, before_.st_mode & 0777);
        }
        void* data = MAP_FAILED;
        if (fd >= 0 && allocate(fd, size)) {
            data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        }
        const int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        if (data == MAP_FAILED) {
            fail(path_ + ": " + std::to_string(size) + " bytes: " + std::strerror(error));
        }
        data_ = data, size_ = size;
        return static_cast<uint8_t*>(data);
    }

    /// Gives the file, which is whole now, its name.
    void publish() {
        struct stat now = {};
        const bool exists = look(now);
        if (existing_ == Existing::read && (exists != exists_ || (exists && !same(now, before_)))) {
            fail(path_ + ": another program has changed it meanwhile");
        }
        // If there must be no file, one that appears just now is not replaced either; where files cannot have two
        // names, only look() has seen to that.
        const bool linked = !exists && existing_ != Existing::replaced && link(part_.c_str(), path_.c_str()) == 0;
        if (!linked && !exists && existing_ != Existing::replaced && errno == EEXIST) {
            fail(path_ + kExists);
        }
        if (!linked && rename(part_.c_str(), path_.c_str()) != 0) {
            fail(path_ + ": " + std::strerror(errno));
        }
        if (linked) {
            unlink(part_.c_str());
        }
        unfinished = nullptr;
        part_.clear();
    }

private:
    static constexpr char kExists[] = ": exists already (--force)";

    static bool same(const struct stat& a, const struct stat& b) {
        return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    }

    /// Whether it is there. Fails if it must not be written.
    bool look(struct stat& status) const {
        if (lstat(path_.c_str(), &status) != 0) {
            if (errno != ENOENT) {
                fail(path_ + ": " + std::strerror(errno));
            }
            return false;
        }
        if (!S_ISREG(status.st_mode)) {
            fail(path_ + (S_ISLNK(status.st_mode) ? ": a symbolic link to nothing" : ": not a regular file"));
        }
        for (const std::string& input : inputs_) {
            struct stat of = {};
            if (stat(input.c_str(), &of) == 0 && same(status, of)) {
                fail(path_ + ": the same file as the input " + input);
            }
        }
        if (existing_ == Existing::refused) {
            fail(path_ + kExists);
        }
        return true;
    }

    /// Opens a file that was not there, and sees to it that signals remove it.
    int open_part() {
        sigset_t signals, before;
        sigemptyset(&signals);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            sigaddset(&signals, signal);
        }
        pthread_sigmask(SIG_BLOCK, &signals, &before);
        int fd = -1;
        for (size_t i = 0; fd < 0 && (i == 0 || errno == EEXIST); ++i) {
            part_ = path_ + "." + std::to_string(getpid()) + "-" + std::to_string(i) + ".part";
            fd = open(part_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        }
        const int error = errno;
        if (fd < 0) {
            part_.clear();
        } else {
            unfinished = part_.c_str();
            for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
                struct sigaction action = {}, old = {};
                action.sa_handler = remove_unfinished;
                action.sa_flags = static_cast<int>(SA_RESETHAND);
                if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) {
                    sigaction(signal, &action, nullptr);
                }
            }
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        errno = error;
        return fd;
    }

    /// On the disk, where that is possible: a full one is noticed here.
    static bool allocate(int fd, size_t size) {
#if defined(__linux__)
        errno = posix_fallocate(fd, 0, static_cast<off_t>(size));
        return errno == 0;
#else
        return ftruncate(fd, static_cast<off_t>(size)) == 0;
#endif
    }

    std::string path_, part_;  // part_: "" if there is no unfinished file
    std::vector<std::string> inputs_;
    Existing existing_;
    struct stat before_ = {};
    bool exists_ = false;
    size_t size_ = 0;
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
