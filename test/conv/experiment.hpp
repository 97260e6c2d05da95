// A convolution: described, put into memory of exact size, planned, packed, run and compared with the reference.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <iosfwd>
#include <vector>

#include "kai/gemm/kai_conv.h"
#include "test/gemm/experiment.hpp"
#include "test/support/guarded_buffer.hpp"

namespace test::conv {

using gemm::Schedule;

/// A problem and its run. Printed when a test fails.
struct Case {
    kai_conv_problem p = kai_conv_problem_of(1, 1, 1, 1, 1, 1);
    size_t in_gap = 0, out_gap = 0;  ///< bytes after each pixel, row and image
    kai_gemm_activation activation = KAI_GEMM_NO_ACTIVATION;
    bool factors = false;  ///< column_scale and column_shift
    float alpha = 1, beta = 0;
    bool integers = true;  ///< operands are small integers: sums are exact. Else anything from -1 to 1.
    Flush flush = Flush::end;
    uint64_t seed = 0;
};
std::ostream& operator<<(std::ostream& out, const Case& c);

class Experiment {
public:
    explicit Experiment(const Case& c);
    Experiment(const Experiment&) = delete;
    Experiment& operator=(const Experiment&) = delete;

    kai_gemm_status make_plan();
    /// Units in an order by `shuffle`.
    kai_gemm_status pack(uint64_t shuffle = 0);
    kai_gemm_status run(const Schedule& how = {});
    /// All images of the input are the first one.
    void repeat_first_image();
    /// Restores the output.
    void reset_out();
    /// Adds a failure unless the output is what it must be, gaps included. `tolerance`: of the largest sum.
    void check(double tolerance = 0) const;
    /// Does all of the above. False after a failure.
    bool succeeds(const Schedule& how = {}, double tolerance = 0);
    std::vector<uint8_t> out_bytes() const {
        return out->bytes();
    }
    /// The largest error, and the largest result.
    struct Errors {
        double most, largest;
    };
    Errors errors() const;

    Case of;
    kai_conv_plan plan = {};
    kai_gemm_weights weights = {};
    kai_conv_operands operands = {};
    kai_gemm_epilogue epilogue = {};
    kai_matmul_lowp_params lowp = {};
    std::deque<GuardedBuffer> buffers;
    GuardedBuffer *out = nullptr, *packed = nullptr, *workspace = nullptr;

private:
    /// f32 that a result must be, before it is rounded to its type.
    double expected(size_t index) const;

    size_t out_offset(size_t index) const;
    void make_operands();

    std::vector<double> in_, weights_, bias_, before_, sums_;
    std::vector<float> scale_, column_scale_, column_shift_;
    std::vector<int32_t> bias_of_lowp_, multiplier_, shift_;
    std::vector<uint8_t> poison_;
};

}  // namespace test::conv
