// SPDX-License-Identifier: Apache-2.0
#include "test/support/run_apart.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace test {

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

}  // namespace test
