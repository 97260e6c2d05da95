// What ONNX Runtime computed (write.js), computed here: onnx_test FOLDER.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "kai/gemm/kai_gemm.h"

namespace {

using Bytes = std::vector<uint8_t>;
using Floats = std::vector<float>;

struct Aligned {
    Bytes memory;
    void* start;

    explicit Aligned(size_t size) : memory(size + 64), start(memory.data()) {
        size_t space = memory.size();
        std::align(64, size, start, space);
    }
};

/// A case in the order of its file.
struct Case {
    int32_t m, n, k, bl, f16, has_zero_points, exact;
    Floats a;
    Bytes b, scales, zero_points;
    Floats c;

    explicit Case(const Bytes& file) {
        size_t at = 0;
        const auto take = [&](void* to, size_t size) {
            if (size > file.size() - at) {
                std::printf("the file ends too early\n");
                std::exit(1);
            }
            if (size != 0) {
                std::memcpy(to, file.data() + at, size);
            }
            at += size;
        };
        const auto take_all = [&](auto& values, size_t count) {
            values.resize(count);
            take(values.data(), count * sizeof(values[0]));
        };
        take(&m, 7 * sizeof(int32_t));
        const auto columns = static_cast<size_t>(n), depth = static_cast<size_t>(k),
                   blocks = depth / static_cast<size_t>(bl);
        take_all(a, static_cast<size_t>(m) * depth);
        take_all(b, columns * depth / 2);
        take_all(scales, columns * blocks * (f16 != 0 ? 2 : 4));
        take_all(zero_points, has_zero_points != 0 ? columns * ((blocks + 1) / 2) : 0);
        take_all(c, static_cast<size_t>(m) * columns);
        if (at != file.size()) {
            std::printf("the file is too long\n");
            std::exit(1);
        }
    }

    /// |weight| of row k of column `column`.
    double weight(size_t column, size_t row) const {
        const size_t blocks = static_cast<size_t>(k / bl), block = row / static_cast<size_t>(bl);
        const auto nibble = [](const uint8_t* bytes, size_t i) { return bytes[i / 2] >> i % 2 * 4 & 15; };
        const int zero = has_zero_points != 0 ? nibble(&zero_points[column * ((blocks + 1) / 2)], block) : 8;
        float scale = 0;
        if (f16 != 0) {
            uint16_t bits = 0;
            std::memcpy(&bits, &scales[2 * (column * blocks + block)], sizeof(bits));
            scale = kai_cast_f32_f16(bits);
        } else {
            std::memcpy(&scale, &scales[4 * (column * blocks + block)], sizeof(scale));
        }
        return std::fabs(scale * (nibble(&b[column * static_cast<size_t>(k) / 2], row) - zero));
    }
};

Floats product(const Case& c, std::string& kernel) {
    const auto m = static_cast<size_t>(c.m), n = static_cast<size_t>(c.n);
    kai_gemm_problem p = kai_gemm_problem_of(m, n, static_cast<size_t>(c.k));
    p.b_kind = KAI_GEMM_UINT4_BLOCK, p.bl = static_cast<size_t>(c.bl), p.b_type = c.f16 != 0 ? kai_dt_f16 : kai_dt_f32;
    p.b_constant = p.b_transposed = true;
    kai_gemm_plan plan;
    Floats result(m * n);
    bool right = kai_gemm_make_plan(&p, &plan) == KAI_GEMM_OK;
    if (right) {
        const Aligned packed(plan.packed_b_size), copied(plan.pack_workspace_size), workspace(plan.workspace_size);
        kai_gemm_weights w = {};
        w.b = c.b.data(), w.scale = c.scales.data();
        w.zero_points = c.has_zero_points != 0 ? c.zero_points.data() : nullptr;
        kai_gemm_operands x = {};
        x.m = m, x.a.data = c.a.data(), x.b.data = packed.start, x.c.data = result.data();
        right = kai_gemm_pack_b(
                    &plan, 0, &w, packed.start, plan.packed_b_size, copied.start, plan.pack_workspace_size, nullptr,
                    nullptr) == KAI_GEMM_OK &&
                kai_gemm_run(&plan, &x, workspace.start, plan.workspace_size, nullptr, nullptr) == KAI_GEMM_OK;
        kernel = (m > 1 ? plan.gemm : plan.gemv).ukernel->name;
    }
    if (!right) {
        std::printf("not multiplied: %s\n", plan.reason);
        std::exit(1);
    }
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    size_t values = 0, failures = 0, cases = 0;
    for (;; ++cases) {
        std::ifstream file(std::string(argv[1]) + "/" + std::to_string(cases) + ".case", std::ios::binary);
        if (!file.good()) {
            break;
        }
        const Case c(Bytes(std::istreambuf_iterator<char>(file), {}));
        std::string kernel;
        const Floats ours = product(c, kernel);
        const auto n = static_cast<size_t>(c.n), k = static_cast<size_t>(c.k);
        double worst = 0;  // share of what is allowed
        for (size_t i = 0; i < ours.size(); ++i, ++values) {
            double products = 0, weights = 0, largest = 0;
            for (size_t j = 0; j < k; ++j) {
                const double a = std::fabs(c.a[i / n * k + j]), w = c.weight(i % n, j);
                products += a * w, weights += w, largest = std::max(largest, a);
            }
            // f32 sums; f16 results; half a step of quantised activations.
            const double allowed = products * 1e-6 + (c.f16 != 0 ? std::fabs(c.c[i]) / 1024 : 0) +
                                   (c.exact != 0 || c.bl == 16 ? 0 : weights * largest * 1.1 / 254);
            const double share = std::fabs(double{ours[i]} - double{c.c[i]}) / allowed;
            worst = std::isfinite(share) ? std::max(worst, share) : INFINITY;
        }
        std::printf(
            "%d x %d x %d, blocks of %d, %s%s%s: %.2f of what is allowed, %s\n", c.m, c.n, c.k, c.bl,
            c.f16 != 0 ? "f16" : "f32", c.has_zero_points != 0 ? ", zero points" : "", c.exact != 0 ? ", exact" : "",
            worst, kernel.c_str());
        failures += worst <= 1 ? 0 : 1;
    }
    std::printf("%zu cases, %zu values compared with ONNX Runtime's, %zu cases differ\n", cases, values, failures);
    return cases == 0 || failures != 0 ? 1 : 0;
}
