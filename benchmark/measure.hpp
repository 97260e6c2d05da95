// What is measured, and by what: Google Benchmark chooses the iterations and keeps the time.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/options.hpp"
#include "benchmark/peaks.hpp"
#include "benchmark/pool.hpp"
#include "kai/gemm/kai_gemm.h"
#include "kai/kai_gguf.h"

/// Operands, and the operation that is measured on them.
class Work {
public:
    Work() = default;
    virtual ~Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    virtual void run(Pool& pool) = 0;
    /// Bytes of operands read and results written by one run, each counted once.
    virtual double bytes() const = 0;
};

/// One measurement: a line of the report.
struct Case {
    std::string what;    ///< One of Options::what.
    std::string name;    ///< Micro-kernel or packer, the kind of weights (GEMM layer), or the layer (convolution).
    std::string family;  ///< "": the GEMM layer, convolution.
    const kai_ukernel* kernel = nullptr;
    Shape shape = {};
    size_t threads = 1;
    bool is_f32 = false;  ///< The one that others of its shape are compared with.
    std::string skipped;  ///< Why it is not measured; "": it is.
    std::function<std::unique_ptr<Work>()> make;

    /// @name Results
    /// @{
    std::vector<double> seconds;  ///< Per run; one for each repetition.
    double bytes = 0;
    double cycles = 0;  ///< Per run; 0: not counted.
    double idle = 0;    ///< With threads: share of the time in which one waits for another, or no thread works.
    /// @}

    /// what/name/MxNxK[/threads:T]
    std::string full_name() const;
    double macs() const;  ///< 0 for packers.
    double median() const;
    double spread() const;  ///< (slowest - fastest) / median
};

/// The pool with this many threads; the same one at each call.
Pool& pool_of(size_t threads);

/// A size that no cache holds from one use to the next.
size_t beyond_caches();

/// How many copies of `bytes` take turns: 1, or, if they are cold, so many that they are beyond the caches.
size_t copies_of(size_t bytes, bool cold);

/// The numbers of threads for a shape: those asked for, as far as available, or the default.
std::vector<size_t> threads_for(const Shape& shape);

/// Rows of a GGUF file: random bytes with finite scales.
std::vector<uint8_t> random_file_rows(kai_gguf_type_id type, size_t n, size_t k);

/// Elements of a type: floats of magnitude 0.5 to 2, or random integers.
std::vector<uint8_t> random_elements(const char* type, size_t bytes, uint32_t seed);

/// Ends the program, unless a call of the GEMM layer, attention or convolution was all right.
void require(kai_gemm_status status, const char* prefix = "");

/// Measures all cases that are not skipped, and fills in the results. False if Google Benchmark refused.
bool measure(std::vector<Case>& cases);

/// @name What there is to measure
/// @{
std::vector<Case> kernel_cases(const std::vector<Shape>& shapes);
std::vector<Case> gemm_cases(const std::vector<Shape>& shapes);
std::vector<Case> conv_cases();
/// @}
