// Errors against long double of the activations of the GEMM layer (a table of docs/epilogues.md), and of the functions
// of attention (docs/attention.md).
//
//     activation_accuracy                    prints the tables, for this host
//     activation_accuracy --check PAGE...    whether no error is above those of the pages
//
// Inputs: every finite f16, and 10^7 (--check: 10^6) random f32, a third of them from -20 to 20, a third from -4 to 4,
// a third of any magnitude. EXP gets -|x|.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <string>

#include "kai/attention/exp.hpp"
#include "kai/gemm/activation.hpp"

namespace {

using Values = float[kai::gemm::kActivated];

struct Function {
    const char* name;
    void (*compute)(Values& x);  // in place
    long double (*exact)(long double);
    double least = 0x1p-10;  // results from which on units in the last place count
};

template <kai_gemm_activation id>
void activate(Values& x) {
    kai::gemm::activate(id, x, std::size(x));
}
template <float (*f)(float)>
void for_each(Values& x) {
    for (float& value : x) {
        value = f(value);
    }
}
float exp_of_negative(float x) {
    return kai::attention::exp_of(-std::fabs(x));
}

long double pi() {
    return std::acos(-1.0L);
}

const Function kFunctions[] = {
    {"GELU_TANH", activate<KAI_GEMM_GELU_TANH>,
     [](long double x) { return x / (1 + std::exp(-2 * std::sqrt(2 / pi()) * (x + 0.044715L * x * x * x))); }},
    {"GELU_ERF", activate<KAI_GEMM_GELU_ERF>, [](long double x) { return x * std::erfc(-x / std::sqrt(2.0L)) / 2; }},
    {"SILU", activate<KAI_GEMM_SILU>, [](long double x) { return x / (1 + std::exp(-x)); }},
    {"TANH", activate<KAI_GEMM_TANH>, [](long double x) { return std::tanh(x); }},
    {"SIGMOID", activate<KAI_GEMM_SIGMOID>, [](long double x) { return 1 / (1 + std::exp(-x)); }},
    {"exp_of", for_each<exp_of_negative>, [](long double x) { return std::exp(-std::fabs(x)); }, 0x1p-126},
    {"tanh_of", for_each<kai::attention::tanh_of>, [](long double x) { return std::tanh(x); }},
};

/// The largest errors: relative to max(1, |x|), and in units in the last place of results of at least f.least.
struct Errors {
    double relative = 0, ulps = 0;

    void add(const Function& f, const Values& x) {
        Values y;
        std::memcpy(y, x, sizeof(y));
        f.compute(y);
        for (size_t i = 0; i < std::size(x); ++i) {
            const long double want = f.exact(x[i]);
            const auto error = static_cast<double>(std::fabs(y[i] - want)), size = static_cast<double>(std::fabs(want));
            if (std::isnan(error)) {
                relative = ulps = INFINITY;
            }
            relative = std::max(relative, error / std::max(1.0, std::fabs(double{x[i]})));
            if (size >= f.least) {
                ulps = std::max(ulps, error / std::ldexp(1.0, std::ilogb(size) - 23));
            }
        }
    }
};

Errors of_f16(const Function& f) {
    Errors errors;
    for (uint32_t bits = 0; bits < 0x10000; bits += kai::gemm::kActivated) {
        Values x;
        for (uint32_t i = 0; i < std::size(x); ++i) {
            x[i] = kai_cast_f32_f16(static_cast<uint16_t>(bits + i));
            x[i] = std::isfinite(x[i]) ? x[i] : 0;
        }
        errors.add(f, x);
    }
    return errors;
}

Errors of_f32(const Function& f, size_t count) {
    Errors errors;
    std::mt19937 random(1);
    for (size_t i = 0; i < count / kai::gemm::kActivated; ++i) {
        Values x;
        for (float& value : x) {
            const uint32_t bits = random();
            value = static_cast<float>(static_cast<int32_t>(bits)) * (i % 3 == 0 ? 20 * 0x1p-31F : 4 * 0x1p-31F);
            if (i % 3 == 2) {
                std::memcpy(&value, &bits, sizeof(value));
                value = std::isfinite(value) ? value : 0;
            }
        }
        errors.add(f, x);
    }
    return errors;
}

}  // namespace

int main(int argc, char** argv) {
    std::string page;
    if (argc != 1 && (argc == 2 || std::string(argv[1]) != "--check")) {
        std::fprintf(stderr, "activation_accuracy [--check PAGE...]\n");
        return 2;
    }
    for (int i = 2; i < argc; ++i) {
        std::ifstream file(argv[i]);
        page.append(std::istreambuf_iterator<char>(file), {});
    }
    int status = 0;
    for (const Function& f : kFunctions) {
        const Errors half = of_f16(f), single = of_f32(f, page.empty() ? 10'000'000 : 1'000'000);
        const double found[] = {half.relative, half.ulps, single.relative, single.ulps};
        std::printf("| %s | %.2e | %.1f | %.2e | %.1f |\n", f.name, found[0], found[1], found[2], found[3]);
        if (page.empty()) {
            continue;
        }
        const std::string cell = R"( \| ([\d.e+-]+))";
        std::smatch row;
        if (!std::regex_search(
                page, row, std::regex("\\| `?" + std::string(f.name) + "`?" + cell + cell + cell + cell))) {
            std::printf("%s: no row in the page\n", f.name);
            status = 1;
            continue;
        }
        for (size_t i = 0; i < std::size(found); ++i) {
            const double said = std::stod(row[i + 1]);
            if (!(found[i] <= said * 1.01 + (i % 2 == 1 ? 0.05 : 0))) {
                std::printf("%s: %g is above %g of the page\n", f.name, found[i], said);
                status = 1;
            }
        }
    }
    return status;
}
