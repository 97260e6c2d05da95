// MlasGemmBatch against a product in double precision: shapes, transposes, packed B, products of one batch that differ
// in alpha, beta and leading dimensions, 1 to 8 threads. Then how it gains from threads.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>

#include "kai/gemm/kai_gemm.h"
#include "mlas_gemm.hpp"

namespace {

std::mt19937 random_bits(1);

size_t pick(std::initializer_list<size_t> values) {
    return values.begin()[random_bits() % values.size()];
}

std::vector<float> random_values(size_t count) {
    std::vector<float> values(count);
    for (float& x : values) {
        x = static_cast<float>(random_bits() % 2001) / 1000 - 1;
    }
    return values;
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// One product of a batch: its operands, and what C was.
struct Product {
    MLAS_SGEMM_DATA_PARAMS x;
    std::vector<float> a, b, c, before;
    std::vector<char> packed;
};

Product make_product(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, size_t m, size_t n, size_t k, bool alike) {
    Product p;
    p.x.alpha = alike ? 1.0F : static_cast<float>(pick({0, 1, 2, 3})) - 1;
    p.x.beta = alike ? 0.0F : static_cast<float>(pick({0, 1, 2})) / 2;
    const auto ld = [&](size_t row) { return row + (alike ? 0 : pick({0, 1, 5})); };
    p.x.lda = ld(ta == CblasTrans ? m : k), p.x.ldb = ld(tb == CblasTrans ? k : n), p.x.ldc = ld(n);
    p.a = random_values((ta == CblasTrans ? k : m) * p.x.lda);
    p.b = random_values((tb == CblasTrans ? n : k) * p.x.ldb);
    // With beta = 0, C is not read.
    p.before = p.x.beta == 0 ? std::vector<float>(m * p.x.ldc, kNaN) : random_values(m * p.x.ldc);
    p.x.BIsPacked = !alike && pick({0, 1}) != 0 && MlasGemmPackBSize(ta, tb, n, k) != 0;
    if (p.x.BIsPacked) {
        p.packed.resize(MlasGemmPackBSize(ta, tb, n, k));
        MlasGemmPackB(ta, tb, n, k, p.b.data(), p.x.ldb, p.packed.data());
    }
    return p;
}

/// Whether every element is within the bound of a sum in single precision, and what is between rows is untouched.
bool is_right(const Product& p, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, size_t m, size_t n, size_t k) {
    for (size_t i = 0; i < m * p.x.ldc; ++i) {
        const size_t row = i / p.x.ldc, column = i % p.x.ldc;
        if (column >= n) {
            if (std::memcmp(&p.c[i], &p.before[i], sizeof(float)) != 0) {
                return false;
            }
            continue;
        }
        double exact = p.x.beta == 0 ? 0.0 : static_cast<double>(p.x.beta) * p.before[i];
        double size = std::fabs(exact);
        for (size_t j = 0; j < k; ++j) {
            const double a = ta == CblasTrans ? p.a[j * p.x.lda + row] : p.a[row * p.x.lda + j];
            const double b = tb == CblasTrans ? p.b[column * p.x.ldb + j] : p.b[j * p.x.ldb + column];
            exact += p.x.alpha * a * b;
            size += std::fabs(p.x.alpha * a * b);
        }
        if (!(std::fabs(p.c[i] - exact) <= static_cast<double>(k + 4) * 0x1p-24 * size)) {
            return false;
        }
    }
    return true;
}

/// Returns the number of wrong batches.
size_t check(size_t batches) {
    ThreadPool one(1), two(2), eight(8);
    ThreadPool* const pools[] = {nullptr, &one, &two, &eight};
    size_t wrong = 0;
    for (size_t i = 0; i < batches; ++i) {
        const size_t m = pick({0, 1, 2, 5, 16, 33, 47, 97}), n = pick({0, 1, 2, 7, 16, 33, 64, 101}),
                     k = pick({0, 1, 2, 3, 8, 31, 64, 103}), count = pick({1, 2, 3, 5});
        const CBLAS_TRANSPOSE ta = i % 2 != 0 ? CblasTrans : CblasNoTrans, tb = i % 4 < 2 ? CblasTrans : CblasNoTrans;
        std::vector<Product> products;
        std::vector<MLAS_SGEMM_DATA_PARAMS> data;
        for (size_t j = 0; j < count; ++j) {
            products.push_back(make_product(ta, tb, m, n, k, i % 8 < 4));
        }
        std::vector<std::vector<float>> first;
        for (ThreadPool* pool : pools) {
            data.clear();
            for (Product& p : products) {
                p.c = p.before;
                p.x.A = p.a.data(), p.x.C = p.c.data();
                p.x.B = p.x.BIsPacked ? reinterpret_cast<const float*>(p.packed.data()) : p.b.data();
                data.push_back(p.x);
            }
            MlasGemmBatch(ta, tb, m, n, k, data.data(), data.size(), pool);
            bool good = true;
            for (size_t j = 0; j < count; ++j) {
                good = good && is_right(products[j], ta, tb, m, n, k);
                if (pool == nullptr) {
                    first.push_back(products[j].c);
                }
                const size_t bytes = first[j].size() * sizeof(float);
                good = good && (bytes == 0 || std::memcmp(first[j].data(), products[j].c.data(), bytes) == 0);
            }
            if (!good) {
                std::printf(
                    "WRONG: TransA %d, TransB %d, m = %zu, n = %zu, k = %zu, batch of %zu, %zu threads\n",
                    ta == CblasTrans, tb == CblasTrans, m, n, k, count, pool != nullptr ? pool->threads() : 0);
                ++wrong;
            }
        }
    }
    return wrong;
}

void show_speed_up() {
    constexpr size_t kM = 96, kN = 512, kK = 256, kBatch = 2;
    constexpr double kFlops = 2.0 * kM * kN * kK * kBatch;
    const std::vector<float> a = random_values(kM * kK), b = random_values(kN * kK);
    std::vector<char> packed(MlasGemmPackBSize(CblasNoTrans, CblasNoTrans, kN, kK));
    MlasGemmPackB(CblasNoTrans, CblasNoTrans, kN, kK, b.data(), kN, packed.data());
    std::vector<float> c(kM * kN * kBatch);
    std::vector<MLAS_SGEMM_DATA_PARAMS> data(kBatch);
    for (size_t i = 0; i < kBatch; ++i) {
        data[i].A = a.data(), data[i].lda = kK, data[i].C = &c[i * kM * kN], data[i].ldc = kN;
        data[i].B = reinterpret_cast<const float*>(packed.data()), data[i].BIsPacked = true;
    }
    std::printf(
        "\nbatch of %zu, %zu x %zu x %zu, packed B; this machine has %u cores\n", kBatch, kM, kN, kK,
        std::thread::hardware_concurrency());
    std::printf("threads        time    GFLOP/s  speed-up\n");
    double alone = 0;
    for (const size_t threads : {1, 2, 4, 8}) {
        ThreadPool pool(threads);
        double best = 1e9;
        for (int round = 0; round < 3; ++round) {
            const auto start = std::chrono::steady_clock::now();
            MlasGemmBatch(CblasNoTrans, CblasNoTrans, kM, kN, kK, data.data(), kBatch, &pool);
            const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
            best = std::min(best, time.count());
        }
        alone = threads == 1 ? best : alone;
        const std::string bar(static_cast<size_t>(std::lround(std::min(5 * alone / best, 60.0))), '#');
        std::printf(
            "%7zu %8.3f ms %10.2f %9.2f  %s\n", threads, best * 1e3, kFlops / best / 1e9, alone / best, bar.c_str());
    }
}

}  // namespace

int main() {
    kai_gemm_problem problem = kai_gemm_problem_of(96, 512, 256);
    kai_gemm_plan plan;
    const kai_gemm_status status = kai_gemm_make_plan(&problem, &plan);
    std::printf(
        "GEMM by %s\n", status == KAI_GEMM_OK ? plan.gemm.ukernel->name : "the example's own code: the layer has none");
    const size_t batches = 120, wrong = check(batches);
    std::printf("%zu batches on 0, 1, 2 and 8 threads: %s\n", batches, wrong == 0 ? "all right, same bits" : "WRONG");
    show_speed_up();
    if (status == KAI_GEMM_OK && (plan.gemm.ukernel->features >> KAI_CPU_SME & 1) != 0) {
        std::puts("One unit of SME: more threads do not help. KLEIDIAI_CPU_DISABLE=sme shows the other kernels.");
    }
    return wrong == 0 ? 0 : 1;
}
