// The functions of the established library, beside ours of the same names (make_table.cmake).
//
// No header of the library: the table declares its functions without their types.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace test {

struct PeerFunction {
    const char* name;
    void (*ours)();  // NULL: we lack it
    void (*peers)();
};
extern const PeerFunction peer_functions[];  // sorted by name
extern const size_t peer_function_count;

}  // namespace test
