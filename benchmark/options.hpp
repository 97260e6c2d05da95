// The options that the user gave.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct Shape {
    size_t m, n, k;
};
inline std::string text(const Shape& s) {
    return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

struct Options {
    bool all = false;               ///< Every kernel, not only the best one of each family.
    std::vector<std::string> what;  ///< Of kWhat of options.cpp: matmul, ...
    std::string family, kernel;     ///< Regular expressions; empty: any.
    std::vector<Shape> shapes;      ///< Empty: defaults (default_shapes).
    size_t block_length = 32;
    std::vector<size_t> threads;      ///< Empty: all for one row, else 1 (threads_for).
    std::vector<int> cpus;            ///< Thread i runs on cpus[i]; empty: wherever the system puts it.
    size_t sme_units = 1;             ///< How many threads can run SME at once (GEMM layer).
    bool cold = false, warm = false;  ///< Neither: cold for one row.
    size_t cold_mb = 0;               ///< Size of the cold set; 0: by the caches.
    std::string model;                ///< A language model instead of kernels; "": kernels.
    size_t prompt = 128;              ///< Tokens of its prefill.
    size_t context = 0;               ///< Rows of the cache that a token of decode sees; at least the prefill.
    size_t model_mb = 0;              ///< Memory for its weights; 0: half of what is free.
    bool rates = false;               ///< Those of the workers of this machine, nothing else.
    bool baseline = true, peaks = true;
    bool peer = false;      ///< KleidiAI's functions, not ours.
    double seconds = 0.05;  ///< Per repetition.
    int repetitions = 3;
    std::string json, csv, roofline;  ///< Files; empty: none.
    std::vector<std::string> rest;    ///< Flags of Google Benchmark.

    bool does(const char* one) const;
    /// Whether weights are read from memory, as they are in decode, not from a cache.
    bool is_cold(const Shape& s) const {
        return cold || (!warm && s.m == 1);
    }
};
extern Options options;

/// Whether a regular expression is found in a name; an empty one is in every name.
bool matches(const std::string& expression, const char* name);

/// Reads the command line. Returns whether to go on; if not, `status` is the program's: 0 after --help.
bool parse(int argc, char** argv, int* status);

/// The shapes that were asked for, or a small set: attention projections and feed-forward layers of language models,
/// one row (decode) and many (prefill). `emulated`: smaller ones.
std::vector<Shape> chosen_shapes(bool emulated);
