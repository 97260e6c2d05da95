// A file that ggml wrote, read, dequantised and multiplied here, and compared with what ggml computes: ggml_test
// FOLDER. write.py says what is in the folder.
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
#include "kai/gemm/kai_gguf_file.h"

namespace {

using Bytes = std::vector<uint8_t>;
using Floats = std::vector<float>;

int failures = 0;

#define EXPECT(condition, ...)                       \
    do {                                             \
        if (!(condition)) {                          \
            std::printf("failed: %s: ", #condition); \
            std::printf(__VA_ARGS__);                \
            std::printf("\n");                       \
            ++failures;                              \
        }                                            \
    } while (0)

Bytes read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    Bytes bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT(!bytes.empty(), "%s", path.c_str());
    return bytes;
}

Floats read_floats(const std::string& path) {
    const Bytes bytes = read(path);
    Floats floats(bytes.size() / sizeof(float));
    std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
    return floats;
}

struct Aligned {
    Bytes memory;
    void* start;

    explicit Aligned(size_t size) : memory(size + 64), start(memory.data()) {
        size_t space = memory.size();
        std::align(64, size, start, space);
    }
};

/// Rows of A times a matrix of a tensor.
Floats product(const kai_gguf_tensor& t, size_t n, size_t matrix, const Floats& a, size_t m) {
    kai_gemm_problem p = kai_gemm_problem_of(m, n, t.k);
    p.b_kind = KAI_GEMM_GGUF, p.gguf_type = t.type->id, p.b_constant = p.b_transposed = true;
    kai_gemm_plan plan;
    const kai_gemm_status status = kai_gemm_make_plan(&p, &plan);
    EXPECT(status == KAI_GEMM_OK, "%s: %s", t.type->name, kai_gemm_status_text(status));
    Floats c(m * n);
    if (status != KAI_GEMM_OK) {
        return c;
    }
    const Aligned packed(plan.packed_b_size), pack_workspace(plan.pack_workspace_size), workspace(plan.workspace_size);
    kai_gemm_weights w = {};
    w.b = static_cast<const uint8_t*>(t.data) + matrix * n * t.row_size;
    EXPECT(
        kai_gemm_pack_b(
            &plan, 0, &w, packed.start, plan.packed_b_size, pack_workspace.start, plan.pack_workspace_size, nullptr,
            nullptr) == KAI_GEMM_OK,
        "%s", t.type->name);
    kai_gemm_operands x = {};
    x.m = m, x.a.data = a.data(), x.b.data = packed.start, x.c.data = c.data();
    EXPECT(
        kai_gemm_run(&plan, &x, workspace.start, plan.workspace_size, nullptr, nullptr) == KAI_GEMM_OK, "%s",
        t.type->name);
    if (m > 1 && matrix == 0) {
        std::printf("%-7s %s\n", t.type->name, plan.gemm.ukernel->name);
    }
    return c;
}

/// How far from ggml's result a product may be: roundings of f32; of quantised activations if they are not exact; of
/// the f16 sum that ggml multiplies by a minimum.
double allowed(const kai_gguf_tensor& t, const float* row, const float* a, bool exact) {
    double size_a = 0, largest_a = 0, size_w = 0, largest_w = 0;
    for (size_t k = 0; k < t.k; ++k) {
        size_a += std::fabs(a[k]), largest_a = std::max<double>(largest_a, std::fabs(a[k]));
        size_w += std::fabs(row[k]), largest_w = std::max<double>(largest_w, std::fabs(row[k]));
    }
    const bool f16_sums = t.type->id == KAI_GGUF_Q4_1 || t.type->id == KAI_GGUF_Q5_1;
    return size_a * largest_w * (f16_sums ? 1e-3 : 1e-5) + (exact ? 0 : size_w * largest_a * 1.1 / 127);
}

void compare(const std::string& folder, const kai_gguf_tensor& t, size_t& values) {
    const std::string name(t.name, t.name_length);
    const Floats weights = read_floats(folder + name + ".f32");
    Floats ours(t.rows * t.k);
    const kai_gguf_file_status status =
        kai_gguf_tensor_rows(&t, nullptr, t.rows, kai_dt_f32, ours.data(), t.k * sizeof(float));
    EXPECT(status == KAI_GGUF_FILE_OK && weights.size() == ours.size(), "%s", name.c_str());
    if (weights.size() != ours.size()) {
        return;
    }
    EXPECT(std::memcmp(ours.data(), weights.data(), ours.size() * sizeof(float)) == 0, "%s dequantised", name.c_str());
    const auto n = static_cast<size_t>(t.shape[1]);
    for (const bool exact : {true, false}) {
        const char* which = exact ? "exact" : "random";
        const Floats a = read_floats(folder + which + ".f32"), ggml = read_floats(folder + name + "." + which);
        const size_t rows = a.size() / t.k;
        EXPECT(ggml.size() == t.rows / n * rows * n, "%s", name.c_str());
        for (const size_t m : {rows, size_t{1}}) {
            double worst = 0;
            for (size_t matrix = 0; matrix < t.rows / n; ++matrix) {
                const Floats c = product(t, n, matrix, a, m);
                for (size_t i = 0; i < m * n; ++i, ++values) {
                    const float* row = &weights[(matrix * n + i % n) * t.k];
                    const double far = std::fabs(double{c[i]} - double{ggml[matrix * rows * n + i]});
                    const double share = far / allowed(t, row, &a[i / n * t.k], exact);
                    worst = std::max(worst, share);
                    worst = std::isfinite(share) ? worst : INFINITY;
                }
            }
            EXPECT(worst <= 1, "%s, %s, m = %zu: %g times what is allowed", name.c_str(), which, m, worst);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    const std::string folder = std::string(argv[1]) + "/";
    const Bytes bytes = read(folder + "model.gguf");
    kai_gguf_file file;
    size_t at = 0;
    kai_gguf_file_status status = kai_gguf_file_open(bytes.data(), bytes.size(), &file, &at);
    Bytes index(status == KAI_GGUF_FILE_OK ? file.index_size : 0);
    if (status == KAI_GGUF_FILE_OK) {
        status = kai_gguf_file_index(&file, index.data(), index.size(), &at);
    }
    if (status != KAI_GGUF_FILE_OK) {
        std::printf("byte %zu: %s\n", at, kai_gguf_file_status_text(status));
        return 1;
    }
    kai_gguf_pair pair;
    kai_gguf_value value = {};
    EXPECT(kai_gguf_file_find_pair(&file, "test.words", &pair) == KAI_GGUF_FILE_OK && pair.count == 3, "words");
    at = 0;
    EXPECT(kai_gguf_file_find_pair(&file, "test.number", &pair) == KAI_GGUF_FILE_OK, "number");
    EXPECT(kai_gguf_pair_next(&pair, &at, &value) && value.u == 4000000000U, "number");
    size_t tensors = 0, values = 0;
    for (kai_gguf_tensor t = {}; kai_gguf_file_next_tensor(&file, &t); ++tensors) {
        compare(folder, t, values);
    }
    EXPECT(tensors >= 25 && tensors == file.tensor_count, "%zu tensors", tensors);
    std::printf("%zu tensors, %zu values of products compared with ggml's, %d failures\n", tensors, values, failures);
    return failures != 0;
}
