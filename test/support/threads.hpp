// Calls from many threads at once.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace test {

constexpr size_t kThreads = 8;

/// work(t) in thread t for t = 0 to threads - 1, at most kThreads; all start together. Calls of the library in them are
/// plain ones: nothing but their results is checked.
void run_threads(size_t threads, const std::function<void(size_t)>& work);

/// work(i) for i = 0 to count - 1: thread t does t, t + kThreads and so on.
void in_threads(size_t count, const std::function<void(size_t)>& work);

}  // namespace test
