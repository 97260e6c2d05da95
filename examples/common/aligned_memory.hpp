// Memory of an exact size, aligned as the workspace of the GEMM layer must be.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>

struct AlignedDelete {
    void operator()(void* p) const {
        operator delete (p, std::align_val_t{64});
    }
};
using AlignedMemory = std::unique_ptr<void, AlignedDelete>;

inline AlignedMemory allocate(size_t size) {
    return AlignedMemory(size != 0 ? operator new (size, std::align_val_t{64}) : nullptr);
}
