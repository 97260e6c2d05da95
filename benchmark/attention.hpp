// Attention of a layer of a language model, over a cache of random keys and values: what --model counts with --ctx.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "benchmark/pool.hpp"
#include "examples/common/aligned_memory.hpp"
#include "kai/gemm/kai_attention.h"

class Attention {
public:
    /// Columns of queries and of keys, which values share; of a head. `tokens`: most of a run; `context`: rows of the
    /// cache. Check plan().status before anything else is called.
    Attention(size_t queries, size_t keys, size_t head, size_t tokens, size_t context, Pool& pool);

    const kai_attention_plan& plan() const {
        return plan_;
    }
    /// Bytes of the cache of a layer.
    size_t cache_size() const;
    /// Fills the cache of a layer.
    void fill(void* cache);
    /// The tokens from `position` on: appends their keys and values, and attends to all up to theirs.
    void run(void* cache, size_t position, size_t tokens);

    /// @name For such a run
    /// @{
    double macs(size_t position, size_t tokens) const;
    double bytes(size_t position, size_t tokens) const;  ///< Of the cache, read once.
    /// @}

private:
    std::vector<void*> pages_of(void* cache) const;

    Pool& pool_;
    kai_attention_plan plan_ = {};
    AlignedMemory workspace_;
    std::vector<uint8_t> rows_, out_;
};
