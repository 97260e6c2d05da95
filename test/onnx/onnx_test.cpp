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
#include "kai/ukernels/pack/kai_lhs_pack.h"

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

/// The bytes of a file, from the first to the last.
class Reader {
public:
    explicit Reader(const Bytes& file) : file_(file) {
    }
    ~Reader() {
        if (at_ != file_.size()) {
            std::printf("the file is too long\n");
            std::exit(1);
        }
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    void take(void* to, size_t size) {
        if (size > file_.size() - at_) {
            std::printf("the file ends too early\n");
            std::exit(1);
        }
        if (size != 0) {
            std::memcpy(to, file_.data() + at_, size);
        }
        at_ += size;
    }
    template <typename Values>
    void take_all(Values& values, size_t count) {
        values.resize(count);
        take(values.data(), count * sizeof(values[0]));
    }

private:
    const Bytes& file_;
    size_t at_ = 0;
};

/// A case in the order of its file.
struct Case {
    int32_t m, n, k, bl, f16, has_zero_points, exact;
    Floats a;
    Bytes b, scales, zero_points;
    Floats c;

    explicit Case(const Bytes& bytes) {
        Reader file(bytes);
        file.take(&m, 7 * sizeof(int32_t));
        const auto columns = static_cast<size_t>(n), depth = static_cast<size_t>(k),
                   blocks = depth / static_cast<size_t>(bl);
        file.take_all(a, static_cast<size_t>(m) * depth);
        file.take_all(b, columns * depth / 2);
        file.take_all(scales, columns * blocks * (f16 != 0 ? 2 : 4));
        file.take_all(zero_points, has_zero_points != 0 ? columns * ((blocks + 1) / 2) : 0);
        file.take_all(c, static_cast<size_t>(m) * columns);
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

/// MatMulInteger, likewise.
struct IntegerCase {
    int32_t m, n, k, signed_a, signed_b, zero_points_a, zero_points_b;
    Bytes a, b, zero_a, zero_b;
    std::vector<int32_t> c;

    explicit IntegerCase(const Bytes& bytes) {
        Reader file(bytes);
        file.take(&m, 7 * sizeof(int32_t));
        const auto rows = static_cast<size_t>(m), columns = static_cast<size_t>(n), depth = static_cast<size_t>(k);
        file.take_all(a, rows * depth);
        file.take_all(b, depth * columns);
        file.take_all(zero_a, static_cast<size_t>(zero_points_a));
        file.take_all(zero_b, static_cast<size_t>(zero_points_b));
        file.take_all(c, rows * columns);
    }
};

/// DynamicQuantizeMatMul, likewise.
struct DynamicCase {
    int32_t m, n, k, signed_b, scale_count, zero_points, bias_count;
    Floats a;
    Bytes b;
    Floats scales;
    Bytes zero_b;
    Floats bias, c;

    explicit DynamicCase(const Bytes& bytes) {
        Reader file(bytes);
        file.take(&m, 7 * sizeof(int32_t));
        const auto rows = static_cast<size_t>(m), columns = static_cast<size_t>(n), depth = static_cast<size_t>(k);
        file.take_all(a, rows * depth);
        file.take_all(b, depth * columns);
        file.take_all(scales, static_cast<size_t>(scale_count));
        file.take_all(zero_b, static_cast<size_t>(zero_points));
        file.take_all(bias, static_cast<size_t>(bias_count));
        file.take_all(c, rows * columns);
    }
};

/// Plans, packs and runs. Returns the name of the kernel.
std::string multiply(
    const kai_gemm_problem& p, const kai_gemm_weights& w, const void* a, const kai_matmul_offsets* offsets, void* c,
    const kai_gemm_epilogue* epilogue = nullptr) {
    kai_gemm_plan plan;
    std::string kernel;
    bool right = kai_gemm_make_plan(&p, &plan) == KAI_GEMM_OK;
    if (right) {
        const Aligned packed(plan.packed_b_size), copied(plan.pack_workspace_size), workspace(plan.workspace_size);
        kai_gemm_operands x = {};
        x.m = p.m, x.a.data = a, x.b.data = packed.start, x.c.data = c, x.offsets = offsets;
        x.epilogue = epilogue;
        right = kai_gemm_pack_b(
                    &plan, 0, &w, packed.start, plan.packed_b_size, copied.start, plan.pack_workspace_size, nullptr,
                    nullptr) == KAI_GEMM_OK &&
                kai_gemm_run(&plan, &x, workspace.start, plan.workspace_size, nullptr, nullptr) == KAI_GEMM_OK;
        kernel = (p.m > 1 ? plan.gemm : plan.gemv).ukernel->name;
    }
    if (!right) {
        std::printf("not multiplied: %s\n", plan.reason);
        std::exit(1);
    }
    return kernel;
}

Floats product(const Case& c, std::string& kernel) {
    const auto m = static_cast<size_t>(c.m), n = static_cast<size_t>(c.n);
    kai_gemm_problem p = kai_gemm_problem_of(m, n, static_cast<size_t>(c.k));
    p.b_kind = KAI_GEMM_UINT4_BLOCK, p.bl = static_cast<size_t>(c.bl), p.b_type = c.f16 != 0 ? kai_dt_f16 : kai_dt_f32;
    p.b_constant = p.b_transposed = true;
    kai_gemm_weights w = {};
    w.b = c.b.data(), w.scale = c.scales.data();
    w.zero_points = c.has_zero_points != 0 ? c.zero_points.data() : nullptr;
    Floats result(m * n);
    kernel = multiply(p, w, c.a.data(), nullptr, result.data());
    return result;
}

/// Minus a zero point.
int32_t minus(uint8_t byte, int32_t is_signed) {
    return is_signed != 0 ? -int32_t{static_cast<int8_t>(byte)} : -int32_t{byte};
}

std::vector<int32_t> product(const IntegerCase& c, std::string& kernel) {
    const auto m = static_cast<size_t>(c.m), n = static_cast<size_t>(c.n);
    kai_gemm_problem p = kai_gemm_problem_of(m, n, static_cast<size_t>(c.k));
    p.b_kind = c.signed_b != 0 ? KAI_GEMM_INT8_LOWP : KAI_GEMM_UINT8_LOWP, p.b_constant = true;
    p.a_type = c.signed_a != 0 ? kai_dt_int8 : kai_dt_uint8, p.c_type = kai_dt_int32;
    kai_gemm_weights w = {};
    w.b = c.b.data();
    std::vector<int32_t> columns;
    for (const uint8_t zero : c.zero_b) {
        columns.push_back(minus(zero, c.signed_b));
    }
    kai_matmul_offsets offsets = {};
    offsets.lhs_offset = c.zero_a.empty() ? 0 : minus(c.zero_a[0], c.signed_a);
    offsets.rhs_offset = columns.size() == 1 ? columns[0] : 0;
    offsets.rhs_offsets = columns.size() > 1 ? columns.data() : nullptr;
    std::vector<int32_t> result(m * n);
    kernel = multiply(p, w, c.a.data(), &offsets, result.data());
    return result;
}

/// A is quantised as DynamicQuantizeLinear does.
Floats product(const DynamicCase& c, std::string& kernel) {
    const auto m = static_cast<size_t>(c.m), n = static_cast<size_t>(c.n);
    float lo = 0, hi = 0;
    for (const float x : c.a) {
        lo = std::min(lo, x), hi = std::max(hi, x);
    }
    const float scale = (hi - lo) / 255, zero = std::nearbyint(-lo / scale);
    Bytes a(c.a.size());
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<uint8_t>(std::min(std::max(std::nearbyint(c.a[i] / scale) + zero, 0.0F), 255.0F));
    }

    kai_gemm_problem p = kai_gemm_problem_of(m, n, static_cast<size_t>(c.k));
    p.b_kind = c.signed_b != 0 ? KAI_GEMM_INT8_LOWP : KAI_GEMM_UINT8_LOWP, p.b_constant = true;
    p.a_type = kai_dt_uint8, p.epilogue = 1;
    kai_gemm_weights w = {};
    w.b = c.b.data();
    std::vector<int32_t> columns;
    for (const uint8_t byte : c.zero_b) {
        columns.push_back(minus(byte, c.signed_b));
    }
    kai_matmul_offsets offsets = {};
    offsets.lhs_offset = -static_cast<int32_t>(zero);
    offsets.rhs_offset = columns.size() == 1 ? columns[0] : 0;
    offsets.rhs_offsets = columns.size() > 1 ? columns.data() : nullptr;
    kai_gemm_epilogue e = kai_gemm_epilogue_of(&p);
    e.alpha = c.scales.size() == 1 ? scale * c.scales[0] : scale;
    e.column_scale = c.scales.size() > 1 ? c.scales.data() : nullptr;
    e.column_shift = !c.bias.empty() ? c.bias.data() : nullptr;
    Floats result(m * n);
    kernel = multiply(p, w, a.data(), &offsets, result.data(), &e);
    return result;
}

/// Cast of 8-bit floating point, likewise.
struct CodesCase {
    Floats e4m3, e5m2, x, rounded;

    explicit CodesCase(const Bytes& bytes) {
        Reader file(bytes);
        int32_t count = 0;
        file.take_all(e4m3, 256);
        file.take_all(e5m2, 256);
        file.take(&count, sizeof(count));
        file.take_all(x, static_cast<size_t>(count));
        file.take_all(rounded, static_cast<size_t>(count));
    }
};

/// All codes: a row whose first element is 1, times columns that begin with a code.
Floats values_of(kai_gemm_kind kind) {
    constexpr size_t kCodes = 256, kDepth = 32;
    Bytes codes(kCodes * kDepth);
    for (size_t i = 0; i < kCodes; ++i) {
        codes[i * kDepth] = static_cast<uint8_t>(i);
    }
    const Floats scales(kCodes, 1.0F);
    Floats a(kDepth), values(kCodes);
    a[0] = 1;
    kai_gemm_problem p = kai_gemm_problem_of(1, kCodes, kDepth);
    p.b_kind = kind, p.bl = kDepth, p.b_type = kai_dt_f32, p.b_constant = p.b_transposed = true;
    kai_gemm_weights w = {};
    w.b = codes.data(), w.scale = scales.data();
    multiply(p, w, a.data(), nullptr, values.data());
    return values;
}

/// How many floats differ; NaN equals NaN.
size_t differing(const Floats& a, const Floats& b) {
    size_t count = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        count += a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ? 0 : 1;
    }
    return count;
}

/// x as E4M3, in blocks that have 448, hence a scale of 1.
Floats quantised(const CodesCase& c) {
    constexpr size_t kBlock = 32;
    const size_t k = c.x.size();
    Bytes packed(kai_get_lhs_packed_size_lhs_quant_pack_f8e4m3d32p_f32(1, k, kBlock, 1, 4, 1));
    kai_run_lhs_quant_pack_f8e4m3d32p_f32(1, k, kBlock, 1, 4, 1, 0, c.x.data(), k * sizeof(float), packed.data());
    Floats values(k);
    for (size_t i = 0; i < k; ++i) {
        values[i] = c.e4m3[packed[i / kBlock * (kBlock + sizeof(float)) + i % kBlock]];
    }
    return values;
}

/// Of case `i`; empty if there is none.
Bytes file_of(const char* folder, size_t i, const char* kind) {
    std::ifstream file(std::string(folder) + "/" + std::to_string(i) + kind, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    size_t values = 0, failures = 0, cases = 0;
    for (Bytes file; !(file = file_of(argv[1], cases, ".case")).empty(); ++cases) {
        const Case c(file);
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
    size_t integers = 0;
    for (Bytes file; !(file = file_of(argv[1], integers, ".integer")).empty(); ++integers) {
        const IntegerCase c(file);
        std::string kernel;
        const bool same = product(c, kernel) == c.c;
        std::printf(
            "%d x %d x %d, %s x %s, zero points %d, %d: %s, %s\n", c.m, c.n, c.k, c.signed_a != 0 ? "int8" : "uint8",
            c.signed_b != 0 ? "int8" : "uint8", c.zero_points_a, c.zero_points_b, same ? "the same" : "DIFFERENT",
            kernel.c_str());
        values += c.c.size(), failures += same ? 0 : 1;
    }
    size_t dynamic = 0;
    for (Bytes file; !(file = file_of(argv[1], dynamic, ".dynamic")).empty(); ++dynamic) {
        const DynamicCase c(file);
        std::string kernel;
        const Floats ours = product(c, kernel);
        double worst = 0;
        for (size_t i = 0; i < ours.size(); ++i) {
            worst = std::max(worst, std::fabs(double{ours[i]} - double{c.c[i]}) / (1 + std::fabs(c.c[i])));
        }
        std::printf(
            "%d x %d x %d, f32 x %s, %d scales, %d zero points%s: relative error %.1e, %s\n", c.m, c.n, c.k,
            c.signed_b != 0 ? "int8" : "uint8", c.scale_count, c.zero_points, c.bias.empty() ? "" : ", bias", worst,
            kernel.c_str());
        values += c.c.size(), failures += worst <= 1e-6 ? 0 : 1;
    }
    const Bytes file = file_of(argv[1], 0, ".codes");
    if (!file.empty()) {
        const CodesCase c(file);
        const size_t wrong = differing(values_of(KAI_GEMM_F8E4M3_BLOCK), c.e4m3) +
                             differing(values_of(KAI_GEMM_F8E5M2_BLOCK), c.e5m2) + differing(quantised(c), c.rounded);
        std::printf("codes of E4M3 and E5M2, %zu numbers as E4M3: %zu differ\n", c.x.size(), wrong);
        values += 512 + c.x.size(), failures += wrong;
    }
    cases = cases != 0 && integers != 0 && dynamic != 0 && !file.empty() ? cases + integers + dynamic : 0;
    std::printf("%zu cases, %zu values compared with ONNX Runtime's, %zu cases differ\n", cases, values, failures);
    return cases == 0 || failures != 0 ? 1 : 0;
}
