// Errors of the activations of the GEMM layer against long double: a table of docs/epilogues.md.
//
//     activation_accuracy                 prints the table, for this host
//     activation_accuracy --check PAGE    whether no error is above PAGE's
//
// Inputs: every finite f16, and 10^7 (--check: 10^6) random f32, a third of them from -20 to 20, a third from -4 to 4,
// a third of any magnitude.
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

#include "kai/gemm/activation.hpp"

namespace {

struct Activation {
    kai_gemm_activation id;
    const char* name;
    long double (*exact)(long double);
};

long double pi() {
    return std::acos(-1.0L);
}

const Activation kActivations[] = {
    {KAI_GEMM_GELU_TANH, "GELU_TANH",
     [](long double x) { return x / (1 + std::exp(-2 * std::sqrt(2 / pi()) * (x + 0.044715L * x * x * x))); }},
    {KAI_GEMM_GELU_ERF, "GELU_ERF", [](long double x) { return x * std::erfc(-x / std::sqrt(2.0L)) / 2; }},
    {KAI_GEMM_SILU, "SILU", [](long double x) { return x / (1 + std::exp(-x)); }},
    {KAI_GEMM_TANH, "TANH", [](long double x) { return std::tanh(x); }},
    {KAI_GEMM_SIGMOID, "SIGMOID", [](long double x) { return 1 / (1 + std::exp(-x)); }},
};

/// The largest errors: relative to max(1, |x|), and in units in the last place of results of at least 2^-10.
struct Errors {
    double relative = 0, ulps = 0;

    void add(const Activation& f, const float (&x)[kai::gemm::kActivated]) {
        float y[kai::gemm::kActivated];
        std::memcpy(y, x, sizeof(y));
        kai::gemm::activate(f.id, y, std::size(y));
        for (size_t i = 0; i < std::size(x); ++i) {
            const long double want = f.exact(x[i]);
            const auto error = static_cast<double>(std::fabs(y[i] - want)), size = static_cast<double>(std::fabs(want));
            if (std::isnan(error)) {
                relative = ulps = INFINITY;
            }
            relative = std::max(relative, error / std::max(1.0, std::fabs(double{x[i]})));
            if (size >= 0x1p-10) {
                ulps = std::max(ulps, error / std::ldexp(1.0, std::ilogb(size) - 23));
            }
        }
    }
};

Errors of_f16(const Activation& f) {
    Errors errors;
    for (uint32_t bits = 0; bits < 0x10000; bits += kai::gemm::kActivated) {
        float x[kai::gemm::kActivated];
        for (uint32_t i = 0; i < std::size(x); ++i) {
            x[i] = kai_cast_f32_f16(static_cast<uint16_t>(bits + i));
            x[i] = std::isfinite(x[i]) ? x[i] : 0;
        }
        errors.add(f, x);
    }
    return errors;
}

Errors of_f32(const Activation& f, size_t count) {
    Errors errors;
    std::mt19937 random(1);
    for (size_t i = 0; i < count / kai::gemm::kActivated; ++i) {
        float x[kai::gemm::kActivated];
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
    if (argc == 3 && std::string(argv[1]) == "--check") {
        std::ifstream file(argv[2]);
        page.assign(std::istreambuf_iterator<char>(file), {});
    } else if (argc != 1) {
        std::fprintf(stderr, "activation_accuracy [--check PAGE]\n");
        return 2;
    }
    int status = 0;
    for (const Activation& f : kActivations) {
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
