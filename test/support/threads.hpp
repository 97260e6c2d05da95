// Calls from many threads at once.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace test {

constexpr size_t kThreads = 8;

/// work(i) for i = 0 to count - 1: thread t does t, t + kThreads and so on; all start together. The calls in them are
/// plain ones, nothing but their results is checked.
void in_threads(size_t count, const std::function<void(size_t)>& work);

}  // namespace test
