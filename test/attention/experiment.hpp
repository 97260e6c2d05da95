// A run of attention with operands of every kind, and what it should give.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kai/gemm/kai_attention.h"
#include "test/support/guarded_buffer.hpp"
#include "test/support/random.hpp"

namespace test::attention {

struct SequenceShape {
    size_t tokens, position, length, prefix;
};

/// What a run has besides the problem.
struct Options {
    bool mask = false, mask_per_head = false, slopes = false, sinks = false;
    bool gaps = false;  ///< q and out lie with gaps, heads before tokens
    size_t chunk = 0;   ///< positions of an append; 0: random
    size_t workers = 1;
    uint64_t seed = 1;
    uint8_t poison = GuardedBuffer::kPoison;  ///< of pages, workspace and results, before anything is written
};

/// A sequence: its floats, and its pages, between inaccessible ones.
struct SequenceData {
    SequenceShape shape;
    std::vector<float> q, keys, values,
        mask;  ///< [tokens][heads][..], [length][kv_heads][..], [heads or 1][tokens][length]
    std::vector<std::unique_ptr<GuardedBuffer>> pages;
    std::vector<void*> table;
    std::unique_ptr<GuardedBuffer> q_buffer, out, mask_buffer;
    size_t q_token, q_head, out_token, out_head;
};

class Experiment {
public:
    /// Plans, makes operands and appends.
    Experiment(const kai_attention_problem& problem, const std::vector<SequenceShape>& shapes, const Options& options);

    /// Runs with options.workers threads; results are in the sequences.
    void run();
    /// Units in an order of their own, by kai_attention_run_unit.
    void run_units(uint64_t seed);
    /// Compares all results with the reference.
    void expect_right() const;
    /// All bytes of all results.
    std::vector<uint8_t> results() const;
    /// How many bytes of the workspace are no longer options.poison.
    size_t written_workspace() const;

    kai_attention_operands operands() const;
    const kai_attention_plan& plan() const {
        return plan_;
    }
    std::deque<SequenceData>& sequences() {
        return sequences_;
    }
    std::string describe() const;

private:
    void make(const SequenceShape& shape);
    void append(SequenceData& s);

    kai_attention_problem problem_;
    Options options_;
    Random random_;
    kai_attention_plan plan_;
    std::deque<SequenceData> sequences_;
    std::vector<kai_attention_sequence> list_;
    std::vector<float> slopes_, sinks_;
    std::unique_ptr<GuardedBuffer> workspace_;
};

/// f16 and bf16 as they are in memory.
std::vector<uint8_t> encoded(kai_datatype type, const std::vector<float>& values);
float decoded(kai_datatype type, const uint8_t* from);
/// Values as they are after they were encoded; of Q8_0 in blocks of 32.
std::vector<float> rounded(kai_attention_cache type, const std::vector<float>& values);

}  // namespace test::attention
