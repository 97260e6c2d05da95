// Errors of products by the kind of weights: a table of docs/weights.md.
//
//     weights_accuracy FOLDER                 prints the table; FOLDER is that of examples/tiny_lm
//     weights_accuracy FOLDER --check PAGE    whether PAGE has it: figures may differ by 3 %, which is what other
//                                             compilers and C libraries change
//
// Weights are drawn from three distributions and taken from a trained model. They are quantised by the simplest
// rules (examples/tiny_lm), multiplied by the GEMM layer with f32 activations, and compared with products in double
// precision.
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

#include "examples/tiny_lm/layer.hpp"
#include "examples/tiny_lm/model.hpp"

namespace {

constexpr size_t kRows = 32, kN = 256, kK = 1024;

class Numbers {
public:
    float normal() {
        const double u = uniform(), v = uniform();
        return static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v));
    }
    /// Student's t with four degrees of freedom: heavy tails, as trained weights have them.
    float student() {
        double sum = 0;
        for (int i = 0; i < 4; ++i) {
            const double x = normal();
            sum += x * x;
        }
        return static_cast<float>(normal() / std::sqrt(sum / 4));
    }
    /// One in 256 is eight times as large.
    float with_outliers() {
        return normal() * (engine_() % 256 == 0 ? 8.0F : 1.0F);
    }
    std::vector<float> many(size_t count, float (Numbers::*draw)()) {
        std::vector<float> v(count);
        for (float& x : v) {
            x = (this->*draw)();
        }
        return v;
    }

private:
    double uniform() {
        return (engine_() + 1.0) / 4294967297.0;
    }
    std::mt19937 engine_{1};
};

struct Matrix {
    const char* name;
    Dense weights;
};

Dense dense(size_t n, size_t k, std::vector<float> weights) {
    Dense layer;
    layer.n = n, layer.k = k, layer.weight = std::move(weights), layer.bias.assign(n, 0);
    return layer;
}

/// Root mean square of the error, relative to that of the products.
double error_of(const Form& form, const Dense& layer, const std::vector<float>& x, const std::vector<double>& exact) {
    PlannedLayer planned(form, layer, form.quantise(layer), false, kRows, nullptr);
    std::vector<float> y(exact.size());
    planned.run(kRows, x.data(), y.data());
    double error = 0, all = 0;
    for (size_t i = 0; i < y.size(); ++i) {
        error += (y[i] - exact[i]) * (y[i] - exact[i]), all += exact[i] * exact[i];
    }
    return std::sqrt(error / all);
}

/// Bits per weight of a large packed matrix, fields and all. Floats have their own: this host has no bf16.
double bits_of(const Form& form) {
    if (form.kind == KAI_GEMM_DENSE) {
        return form.weight == f32 ? 32 : 16;
    }
    Dense layer;
    layer.n = layer.k = 4096;
    kai_gemm_plan plan;
    return plan_layer(form, layer, false, kRows, nullptr, plan) == KAI_GEMM_OK
               ? static_cast<double>(plan.packed_b_size) * 8 / (4096.0 * 4096.0)
               : 0;
}

std::string table(const std::string& folder) {
    Numbers numbers;
    std::vector<Matrix> matrices;
    matrices.push_back({"normal", dense(kN, kK, numbers.many(kN * kK, &Numbers::normal))});
    matrices.push_back({"Student's t", dense(kN, kK, numbers.many(kN * kK, &Numbers::student))});
    matrices.push_back({"outliers", dense(kN, kK, numbers.many(kN * kK, &Numbers::with_outliers))});
    matrices.push_back({"tiny_lm", load_model(folder + "/weights.bin").layers[1]});
    matrices.back().weights.bias.assign(matrices.back().weights.n, 0);
    const std::vector<float> x = numbers.many(kRows * kK, &Numbers::normal);

    std::string text = "| weights |", line = "\n|---|";
    std::vector<std::vector<double>> exact;
    for (const Matrix& matrix : matrices) {
        text += std::string(" ") + matrix.name + " |", line += "---|";
        const auto& [n, k, weight, bias] = matrix.weights;
        exact.emplace_back(kRows * n);
        for (size_t i = 0; i < kRows * n; ++i) {
            for (size_t j = 0; j < k; ++j) {
                exact.back()[i] += static_cast<double>(x[i / n * k + j]) * weight[i % n * k + j];
            }
        }
    }
    text += " bits per weight |" + line + "---|\n";
    for (const Form& form : kForms) {
        if (form.activation != f32 || !form.packed) {
            continue;
        }
        char cell[32];
        text += std::string("| ") + form.name + " |";
        for (size_t i = 0; i < matrices.size(); ++i) {
            std::snprintf(cell, sizeof(cell), " %.2f %% |", 100 * error_of(form, matrices[i].weights, x, exact[i]));
            text += cell;
        }
        std::snprintf(cell, sizeof(cell), " %.2f |\n", bits_of(form));
        text += cell;
    }
    return text;
}

/// Whether two tables have the same words, and figures that differ by 3 % or 0.02.
bool alike(const std::string& a, const std::string& b) {
    const std::regex word("[^ |\n]+");
    std::sregex_iterator i(a.begin(), a.end(), word), j(b.begin(), b.end(), word);
    const std::sregex_iterator end;
    for (; i != end && j != end; ++i, ++j) {
        char *rest_a, *rest_b;
        const std::string left = i->str(), right = j->str();
        const double x = std::strtod(left.c_str(), &rest_a), y = std::strtod(right.c_str(), &rest_b);
        const bool numbers = *rest_a == 0 && *rest_b == 0;
        if (numbers ? !(std::fabs(x - y) <= std::fmax(0.03 * x, 0.02)) : left != right) {
            std::printf("%s, not %s\n", left.c_str(), right.c_str());
            return false;
        }
    }
    return i == end && j == end;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2 && (argc != 4 || std::strcmp(argv[2], "--check") != 0)) {
        std::fputs("weights_accuracy FOLDER [--check PAGE]\n", stderr);
        return 1;
    }
    const std::string now = table(argv[1]);
    if (argc == 2) {
        std::fputs(now.c_str(), stdout);
        return 0;
    }
    std::ifstream page(argv[3]);
    const std::string all((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
    const std::string begin = "<!-- printed by tools/weights_accuracy.cpp -->\n";
    const size_t from = all.find(begin), to = all.find("<!-- end -->", from);
    if (from == std::string::npos || to == std::string::npos ||
        !alike(now, all.substr(from + begin.size(), to - from - begin.size()))) {
        std::printf("%s does not have this table:\n%s", argv[3], now.c_str());
        return 1;
    }
    return 0;
}
