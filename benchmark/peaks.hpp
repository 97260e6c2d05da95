// The peak rates of this CPU, measured with as many threads as the benchmark uses.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <vector>

#include "benchmark/pool.hpp"
#include "kai/kai_registry.h"

/// Element type of the LHS that a kernel multiplies.
enum class Element { f32, f16, bf16, int8 };
Element element_of(const kai_ukernel& u);
const char* name_of(Element element);

/// One of the loops in benchmark/peaks.
struct Peak {
    const char* name;  ///< "SDOT (dotprod)"
    Element element;
    double rate;  ///< Multiply-adds per second, the sum of all threads.
};

/// Peaks with one number of threads.
struct Peaks {
    size_t threads;
    std::vector<Peak> loops;  ///< Those that this CPU can run.
    double reading = 0;       ///< Bytes per second from memory.
    double hertz = 0;         ///< Cycles per second in the first of the loops; 0: cycles cannot be counted.

    /// The fastest loop with the kernel's element and no other features than the kernel needs; NULL: there is none.
    const Peak* of(const kai_ukernel& u) const;
};

/// Measured at the first call: about half a second. `pool` has the threads.
const Peaks& peaks_of(Pool& pool);

/// All that were measured.
const std::list<Peaks>& measured_peaks();
