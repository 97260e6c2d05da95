// SPDX-License-Identifier: Apache-2.0
#include "test/support/ending.hpp"

#include <gtest/gtest.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
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

Ending ending_of(const std::function<void()>& function) {
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

void detail::expect_abort(const std::function<void()>& function, const std::string& regex, const char* statement) {
    const Ending ending = ending_of(function);
    EXPECT_EQ(ending.signal, SIGABRT) << statement;
    regex_t compiled;
    ASSERT_EQ(regcomp(&compiled, regex.c_str(), REG_EXTENDED | REG_NOSUB), 0) << regex;
    EXPECT_EQ(regexec(&compiled, ending.text.c_str(), 0, nullptr, 0), 0)
        << statement << " says \"" << ending.text << "\", expected \"" << regex << '"';
    regfree(&compiled);
}

}  // namespace test
