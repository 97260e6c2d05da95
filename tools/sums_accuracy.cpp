// Errors of products of f16 by the type of their sums and by k: a table of docs/arithmetic.md.
//
//     sums_accuracy                 prints the table
//     sums_accuracy --check PAGE    whether PAGE has it: figures may differ by a unit of their last digit, which is
//                                   what other compilers and C libraries change
//
// The portable micro-kernels multiply, whose bits are those of NEON, and for bf16 the f32 one with operands rounded to
// bf16. The error is the root mean square of the differences from products in double precision, relative to that of
// the products.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "kai/kai_call.h"

namespace {

constexpr size_t kRows = 8, kColumns = 32;

class Numbers {
public:
    double normal() {
        const double u = uniform(), v = uniform();
        return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
    }

private:
    double uniform() {
        return (engine_() + 1.0) / 4294967297.0;
    }
    std::mt19937 engine_{1};
};

/// Values of f16: A M x K, B K x N.
struct Operands {
    size_t k;
    std::vector<float> a, b;
    std::vector<double> exact;
};

struct Data {
    const char* name;
    double (*a)(double normal);
    double (*b)(double normal);
};

double as_it_is(double x) {
    return x;
}
double relu(double x) {
    return x > 0 ? x : 0;
}
double size_of(double x) {
    return std::fabs(x);
}

constexpr Data kData[] = {
    {"normal x normal", as_it_is, as_it_is},
    {"after ReLU x normal", relu, as_it_is},
    {"after ReLU x positive", relu, size_of},
};

Operands make(const Data& data, size_t k) {
    Numbers numbers;
    Operands o = {k, std::vector<float>(kRows * k), std::vector<float>(k * kColumns), {}};
    const auto draw = [&](double (*of)(double)) {
        return kai_cast_f32_f16(kai_cast_f16_f32(static_cast<float>(of(numbers.normal()))));
    };
    for (float& x : o.a) {
        x = draw(data.a);
    }
    for (float& x : o.b) {
        x = draw(data.b);
    }
    o.exact.assign(kRows * kColumns, 0);
    for (size_t m = 0; m < kRows; ++m) {
        for (size_t i = 0; i < k; ++i) {
            for (size_t n = 0; n < kColumns; ++n) {
                o.exact[m * kColumns + n] += static_cast<double>(o.a[m * k + i]) * o.b[i * kColumns + n];
            }
        }
    }
    return o;
}

std::vector<uint16_t> to_f16(const std::vector<float>& values) {
    std::vector<uint16_t> halves;
    for (const float x : values) {
        halves.push_back(kai_cast_f16_f32(x));
    }
    return halves;
}

std::vector<float> to_bf16(std::vector<float> values) {
    for (float& x : values) {
        x = kai_cast_f32_bf16(kai_cast_bf16_f32(x));
    }
    return values;
}

/// How products are computed.
struct Way {
    const char* title;
    const char* ukernel;
    bool bf16;
};
constexpr Way kWays[] = {
    {"sums and results in f16", "matmul_clamp_f16_f16_f16p32x1b_1x32_portable", false},
    {"sums in f32, results in f16", "matmul_clamp_f16_f16_f16p32x1b_1x32_portable_sumf32", false},
    {"sums and results in f32", "matmul_clamp_f32_f16_f16p32x1b_1x32_portable", false},
    {"operands in bf16, sums in f32", "matmul_clamp_f32_f32_f32p16x1b_1x16_portable", true},
};

double error_of(const Way& way, const Operands& o) {
    kai_call call = {};
    call.ukernel = kai_registry_find_ukernel(way.ukernel);
    for (size_t i = 0;; ++i) {
        call.rhs_packer = kai_registry_rhs_packer(call.ukernel, i);
        if (kai_call_rhs_is_kxn(call.rhs_packer)) {
            break;
        }
    }
    call.m = kRows, call.n = kColumns, call.k = o.k;
    const std::vector<uint16_t> a16 = to_f16(o.a), b16 = to_f16(o.b);
    const std::vector<float> a32 = to_bf16(o.a), b32 = to_bf16(o.b);
    call.lhs = way.bf16 ? static_cast<const void*>(a32.data()) : a16.data();
    call.rhs = way.bf16 ? static_cast<const void*>(b32.data()) : b16.data();
    std::vector<uint8_t> packed(kai_call_rhs_packed_size(&call));
    kai_call_pack_rhs(&call, 0, kColumns, packed.data());
    call.rhs_packed = packed.data();
    std::vector<float> dst(kRows * kColumns);
    call.dst = dst.data();
    kai_call_run(&call, 0, 0, kRows, kColumns);
    const bool f16 = call.ukernel->dst_type == kai_dt_f16;
    double error = 0, all = 0;
    for (size_t i = 0; i < o.exact.size(); ++i) {
        uint16_t half;
        std::memcpy(&half, reinterpret_cast<const char*>(dst.data()) + 2 * i, sizeof(half));
        const double y = f16 ? kai_cast_f32_f16(half) : dst[i];
        error += (y - o.exact[i]) * (y - o.exact[i]), all += o.exact[i] * o.exact[i];
    }
    return std::sqrt(error / all);
}

std::string table() {
    std::string text = "| operands | k |", line = "\n|---|---|";
    for (const Way& way : kWays) {
        text += std::string(" ") + way.title + " |", line += "---|";
    }
    text += line + "\n";
    for (const Data& data : kData) {
        for (size_t k = 64; k <= 65536; k *= 4) {
            const Operands o = make(data, k);
            text += std::string("| ") + data.name + " | " + std::to_string(k) + " |";
            for (const Way& way : kWays) {
                char cell[32];
                std::snprintf(cell, sizeof(cell), " %.1e |", error_of(way, o));
                text += cell;
            }
            text += "\n";
        }
    }
    return text;
}

/// Whether two tables have the same words, and figures that differ by 11 %, a unit of the last digit.
bool alike(const std::string& a, const std::string& b) {
    const std::regex word("[^ |\n]+");
    std::sregex_iterator i(a.begin(), a.end(), word), j(b.begin(), b.end(), word);
    const std::sregex_iterator end;
    for (; i != end && j != end; ++i, ++j) {
        char *rest_a, *rest_b;
        const std::string left = i->str(), right = j->str();
        const double x = std::strtod(left.c_str(), &rest_a), y = std::strtod(right.c_str(), &rest_b);
        const bool numbers = *rest_a == 0 && *rest_b == 0;
        if (numbers ? !(std::fabs(x - y) <= 0.11 * std::fabs(x)) : left != right) {
            std::printf("%s, not %s\n", left.c_str(), right.c_str());
            return false;
        }
    }
    return i == end && j == end;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 1 && (argc != 3 || std::strcmp(argv[1], "--check") != 0)) {
        std::fputs("sums_accuracy [--check PAGE]\n", stderr);
        return 1;
    }
    const std::string now = table();
    if (argc == 1) {
        std::fputs(now.c_str(), stdout);
        return 0;
    }
    std::ifstream page(argv[2]);
    const std::string all((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
    const std::string begin = "<!-- printed by tools/sums_accuracy.cpp -->\n";
    const size_t from = all.find(begin), to = all.find("<!-- end -->", from);
    if (from == std::string::npos || to == std::string::npos ||
        !alike(now, all.substr(from + begin.size(), to - from - begin.size()))) {
        std::printf("%s does not have this table:\n%s", argv[2], now.c_str());
        return 1;
    }
    return 0;
}
