// SPDX-License-Identifier: Apache-2.0
#include "test/support/run_apart.hpp"

#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>

namespace test {

namespace {

sigjmp_buf recovery;

void on_signal(int signal) {
    siglongjmp(recovery, signal);
}

}  // namespace

Ending run_apart(const std::function<void()>& function) {
    Ending ending;
    int ends[2];
    if (pipe(ends) != 0) {
        ADD_FAILURE() << "no pipe";
        return ending;
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        for (const int s : {SIGABRT, SIGILL, SIGSEGV, SIGBUS}) {
            signal(s, SIG_DFL);
        }
        function();
        _exit(0);
    }
    close(ends[1]);
    char buffer[256];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) {
        ending.text.append(buffer, static_cast<size_t>(n));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ending.returned = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return ending;
}

Ending run_here(const std::function<void()>& function) {
    static std::FILE* const file = std::tmpfile();
    Ending ending;
    if (file == nullptr || ftruncate(fileno(file), 0) != 0) {
        ADD_FAILURE() << "no temporary file";
        return ending;
    }
    lseek(fileno(file), 0, SEEK_SET);
    const int own_stderr = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    constexpr int kSignals[] = {SIGABRT, SIGILL, SIGSEGV, SIGBUS};
    struct sigaction action = {}, previous[std::size(kSignals)];
    action.sa_handler = on_signal;
    for (size_t i = 0; i < std::size(kSignals); ++i) {
        sigaction(kSignals[i], &action, &previous[i]);
    }

    ending.signal = sigsetjmp(recovery, 1);
    if (ending.signal == 0) {
        function();
        ending.returned = true;
    }

    for (size_t i = 0; i < std::size(kSignals); ++i) {
        sigaction(kSignals[i], &previous[i], nullptr);
    }
    dup2(own_stderr, STDERR_FILENO);
    close(own_stderr);
    ending.text.resize(static_cast<size_t>(lseek(fileno(file), 0, SEEK_END)));
    if (pread(fileno(file), ending.text.data(), ending.text.size(), 0) != static_cast<ssize_t>(ending.text.size())) {
        ADD_FAILURE() << "cannot read what was said";
    }
    return ending;
}

}  // namespace test
