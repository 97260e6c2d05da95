// A convolution, 3 x 3 with a border of zeros, NHWC, as a matrix multiplication: a row per output pixel, a column per
// output channel, and the nine taps as chunks of k.
//
// With SVE or SME there are kernels of indirect matmul: they read the pixels through a table of pointers, and nothing
// is copied. The table is made once; the images of a batch differ by the offset that is added to its pointers. On other
// CPUs each pixel's neighbourhood is copied to a row (im2col) for the GEMM layer.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "../common/aligned_memory.hpp"
#include "kai/gemm/kai_gemm.h"
#include "kai/kai_call.h"

namespace {

constexpr size_t kImages = 2, kHeight = 9, kWidth = 11, kIn = 13, kOut = 21, kTaps = 9;
constexpr size_t kPixels = kHeight * kWidth, kImage = kPixels * kIn, kDepth = kTaps * kIn;

struct Layer {
    std::vector<float> images;   // [image][y][x][in]
    std::vector<float> weights;  // [tap][in][out]: K x N
    std::vector<float> bias;     // [out]
};

/// Where a tap of an output pixel lies in the image; -1: in the border.
std::ptrdiff_t source(size_t pixel, size_t tap) {
    const size_t y = pixel / kWidth + tap / 3, x = pixel % kWidth + tap % 3;  // plus 1
    const bool inside = y >= 1 && y <= kHeight && x >= 1 && x <= kWidth;
    return inside ? static_cast<std::ptrdiff_t>((y - 1) * kWidth + x - 1) : -1;
}

/// Through pointers; false if this CPU has no kernel for that.
bool convolve_indirectly(const Layer& layer, std::vector<float>& results) {
    kai_call call = {};
    for (const char* family : {"imatmul_clamp_f32_f32p_f32p", "imatmul_clamp_f32_f32_f32p"}) {
        const kai_registry_request request = {family, kPixels, nullptr, 0, KAI_CORE_AUTO, {}};
        call.ukernel = call.ukernel != nullptr ? call.ukernel : kai_registry_best(&request, nullptr, nullptr);
    }
    if (call.ukernel == nullptr) {
        return false;
    }
    std::printf("%s\n", call.ukernel->name);
    call.lhs_packer = kai_registry_lhs_packer(call.ukernel, 0);
    call.rhs_packer = kai_registry_rhs_packer(call.ukernel, 0);
    call.m = kPixels, call.n = kOut, call.k = kDepth, call.k_chunk_length = kIn;

    // Once: the weights, and the table [pixel / group][tap][pixel % group].
    call.rhs = layer.weights.data(), call.bias = layer.bias.data();
    std::vector<uint8_t> rhs_packed(kai_call_rhs_packed_size(&call));
    kai_call_pack_rhs(&call, 0, kOut, rhs_packed.data());
    call.rhs_packed = rhs_packed.data();

    const size_t group = call.lhs_packer != nullptr ? call.ukernel->get_mr() : call.ukernel->get_m_step();
    const std::vector<float> border(kIn, 0.0F);
    std::vector<const float*> table((kPixels + group - 1) / group * group * kTaps, border.data());
    for (size_t pixel = 0; pixel < kPixels; ++pixel) {
        for (size_t tap = 0; tap < kTaps; ++tap) {
            const std::ptrdiff_t from = source(pixel, tap);
            if (from >= 0) {
                table[(pixel / group * kTaps + tap) * group + pixel % group] =
                    &layer.images[static_cast<size_t>(from) * kIn];
            }
        }
    }
    call.lhs = table.data(), call.pad_ptr = border.data();

    for (size_t image = 0; image < kImages; ++image) {
        call.lhs_ptr_offset = image * kImage * sizeof(float);
        std::vector<uint8_t> lhs_packed(kai_call_lhs_packed_size(&call));  // 0 bytes: the kernel follows the pointers
        kai_call_pack_lhs(&call, 0, kPixels, lhs_packed.data());
        call.lhs_packed = lhs_packed.data();
        call.dst = &results[image * kPixels * kOut];
        kai_call_run(&call, 0, 0, kPixels, kOut);
    }
    return true;
}

/// With copies, on every CPU.
bool convolve_copies(const Layer& layer, std::vector<float>& results) {
    kai_gemm_problem problem = kai_gemm_problem_of(kImages * kPixels, kOut, kDepth);
    problem.b_constant = problem.bias = true;
    kai_gemm_plan plan;
    if (kai_gemm_make_plan(&problem, &plan) != KAI_GEMM_OK) {
        return false;
    }
    std::printf("%s on copies\n", plan.gemm.ukernel->name);
    const AlignedMemory packed = allocate(plan.packed_b_size), workspace = allocate(plan.workspace_size);
    kai_gemm_weights weights = {};
    weights.b = layer.weights.data(), weights.bias = layer.bias.data();
    std::vector<float> rows(kImages * kPixels * kDepth, 0.0F);
    for (size_t row = 0; row < kImages * kPixels; ++row) {
        for (size_t tap = 0; tap < kTaps; ++tap) {
            const std::ptrdiff_t from = source(row % kPixels, tap);
            if (from >= 0) {
                const float* pixel = &layer.images[row / kPixels * kImage + static_cast<size_t>(from) * kIn];
                std::copy(pixel, pixel + kIn, &rows[row * kDepth + tap * kIn]);
            }
        }
    }
    kai_gemm_operands x = {};
    x.m = kImages * kPixels, x.a.data = rows.data(), x.b.data = packed.get(), x.c.data = results.data();
    return kai_gemm_pack_b(&plan, 0, &weights, packed.get(), plan.packed_b_size, nullptr, 0, nullptr, nullptr) ==
               KAI_GEMM_OK &&
           kai_gemm_run(&plan, &x, workspace.get(), plan.workspace_size, nullptr, nullptr) == KAI_GEMM_OK;
}

/// The largest difference from a convolution as it is defined, in double precision: each image with its border of
/// zeros, and a window of it for each pixel. Shares nothing with the code above, so that neither hides a mistake of the
/// other.
double error(const Layer& layer, const std::vector<float>& results) {
    constexpr size_t kLine = (kWidth + 2) * kIn;
    double worst = 0;
    for (size_t image = 0; image < kImages; ++image) {
        std::vector<double> bordered((kHeight + 2) * kLine, 0.0);
        for (size_t y = 0; y < kHeight; ++y) {
            const float* line = &layer.images[(image * kHeight + y) * kWidth * kIn];
            std::copy(line, line + kWidth * kIn, &bordered[(y + 1) * kLine + kIn]);
        }
        for (size_t i = 0; i < kPixels * kOut; ++i) {
            const size_t y = i / kOut / kWidth, x = i / kOut % kWidth, out = i % kOut;
            double sum = layer.bias[out];
            const float* weight = &layer.weights[out];
            for (size_t dy = 0; dy < 3; ++dy) {
                const double* window = &bordered[(y + dy) * kLine + x * kIn];
                for (size_t j = 0; j < 3 * kIn; ++j, weight += kOut) {  // three pixels that lie side by side
                    sum += window[j] * double{*weight};
                }
            }
            worst = std::fmax(worst, std::fabs(sum - double{results[image * kPixels * kOut + i]}));
        }
    }
    return worst;
}

std::vector<float> values(size_t count, float step) {
    std::vector<float> to(count);
    std::generate(to.begin(), to.end(), [step, i = 0.0F]() mutable { return std::sin(i += step); });
    return to;
}

}  // namespace

int main() {
    const Layer layer = {values(kImages * kImage, 0.7F), values(kDepth * kOut, 0.3F), values(kOut, 0.1F)};
    bool good = true;
    for (const auto convolve : {convolve_indirectly, convolve_copies}) {
        std::vector<float> results(kImages * kPixels * kOut);
        if (convolve(layer, results)) {
            const double worst = error(layer, results);
            std::printf("  largest error %.1e\n", worst);
            good = good && worst < 1e-4;
        } else if (convolve == convolve_copies) {
            good = false;
        } else {
            std::puts("no kernel for indirect matmul on this CPU (SVE, SME)");
        }
    }
    std::puts(good ? "right" : "WRONG");
    return good ? 0 : 1;
}
