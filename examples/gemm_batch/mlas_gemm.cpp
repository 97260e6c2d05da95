// MlasGemmBatch on the GEMM layer.
//
// MlasGemmBatch offers every call to LayerGemmBatch first, as MLAS does with its platform's override. What the layer
// does not take goes to the portable code, which divides the rows among threads and calls MlasGemmBatch again: a guard
// keeps those calls from being offered a second time.
//
// SPDX-License-Identifier: Apache-2.0
#include "mlas_gemm.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "../common/aligned_memory.hpp"
#include "kai/gemm/kai_gemm.h"

namespace {

/// While one lives, its thread offers nothing to the layer.
class RecursionGuard {
public:
    RecursionGuard() {
        ++depth_;
    }
    ~RecursionGuard() {
        --depth_;
    }
    RecursionGuard(const RecursionGuard&) = delete;
    RecursionGuard& operator=(const RecursionGuard&) = delete;

    static bool active() {
        return depth_ != 0;
    }

private:
    static thread_local int depth_;
};
thread_local int RecursionGuard::depth_ = 0;

/// The plan that a B is packed by. It depends on TransB, N and K alone, so that a call can make it again: packed
/// weights need no header.
bool PlanOfPackedB(CBLAS_TRANSPOSE TransB, size_t N, size_t K, kai_gemm_plan& plan) {
    kai_gemm_problem problem = kai_gemm_problem_of(2, N, K);  // many rows; its kernels take a single row, too
    problem.b_transposed = TransB == CblasTrans;
    problem.b_constant = true;
    return kai_gemm_make_plan(&problem, &plan) == KAI_GEMM_OK && plan.packed_b_size != 0;
}

/// Whether two products can be in one batch of the layer: everything but the pointers is the same.
bool AreAlike(const MLAS_SGEMM_DATA_PARAMS& x, const MLAS_SGEMM_DATA_PARAMS& y) {
    return x.alpha == y.alpha && x.beta == y.beta && x.lda == y.lda && x.ldc == y.ldc && x.BIsPacked == y.BIsPacked &&
           (x.BIsPacked || x.ldb == y.ldb);
}

/// A batch of products that are alike: `like` and these pointers.
kai_gemm_status RunAlike(
    CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, size_t M, size_t N, size_t K, const MLAS_SGEMM_DATA_PARAMS& like,
    const std::vector<const void*>& a, const std::vector<const void*>& b, const std::vector<void*>& c,
    ThreadPool* pool) {
    kai_gemm_problem problem = kai_gemm_problem_of(M, N, K);
    problem.a_transposed = TransA == CblasTrans, problem.b_transposed = TransB == CblasTrans;
    problem.alpha = like.alpha, problem.beta = like.beta;
    problem.batch = c.size(), problem.b_per_matrix = true;
    problem.units = pool != nullptr ? pool->threads() : 1;
    kai_gemm_plan packed, plan;
    if (like.BIsPacked && PlanOfPackedB(TransB, N, K, packed)) {
        problem.b_constant = true, problem.format = &packed.format;
    }
    kai_gemm_status status = kai_gemm_make_plan(&problem, &plan);
    if (status != KAI_GEMM_OK) {
        return status;
    }
    kai_gemm_operands x = {};
    x.m = M;
    x.a.table = a.data(), x.a.ld = like.lda * sizeof(float);
    x.b.table = b.data(), x.b.ld = like.BIsPacked ? 0 : like.ldb * sizeof(float);
    x.c.table = c.data(), x.c.ld = like.ldc * sizeof(float);
    // For this call alone: nothing is kept that could be too small for the next one, or leak.
    const AlignedMemory workspace = allocate(plan.workspace_size);
    return kai_gemm_run(
        &plan, &x, workspace.get(), plan.workspace_size, pool != nullptr ? ThreadPool::parallel_for : nullptr, pool);
}

/// What is left of Data for the portable code.
std::vector<MLAS_SGEMM_DATA_PARAMS> LayerGemmBatch(
    CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, size_t M, size_t N, size_t K, const MLAS_SGEMM_DATA_PARAMS* Data,
    size_t BatchSize, ThreadPool* pool) {
    std::vector<MLAS_SGEMM_DATA_PARAMS> todo(Data, Data + BatchSize), left;
    if (RecursionGuard::active()) {
        return todo;
    }
    // Alpha, beta and leading dimensions belong to a plan: products that share them become one batch.
    while (!todo.empty()) {
        const MLAS_SGEMM_DATA_PARAMS like = todo.front();
        const auto others = std::partition(
            todo.begin(), todo.end(), [&](const MLAS_SGEMM_DATA_PARAMS& x) { return AreAlike(x, like); });
        std::vector<const void*> a, b;
        std::vector<void*> c;
        for (auto x = todo.begin(); x != others; ++x) {
            a.push_back(x->A), b.push_back(x->B), c.push_back(x->C);
        }
        if (RunAlike(TransA, TransB, M, N, K, like, a, b, c, pool) != KAI_GEMM_OK) {
            left.insert(left.end(), todo.begin(), others);
        }
        todo.erase(todo.begin(), others);
    }
    return left;
}

/// Rows of C in portable C++; B as MlasGemmPackB leaves it without the layer is a copy without gaps.
void PortableGemm(
    CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, size_t M, size_t N, size_t K, const MLAS_SGEMM_DATA_PARAMS& x) {
    const size_t ldb = x.BIsPacked ? (TransB == CblasTrans ? K : N) : x.ldb;
    std::vector<float> sums(N);
    for (size_t m = 0; m < M; ++m) {
        std::fill(sums.begin(), sums.end(), 0.0F);
        for (size_t k = 0; k < (x.alpha != 0 ? K : 0); ++k) {
            const float a = x.alpha * (TransA == CblasTrans ? x.A[k * x.lda + m] : x.A[m * x.lda + k]);
            for (size_t n = 0; n < N; ++n) {
                sums[n] += a * (TransB == CblasTrans ? x.B[n * ldb + k] : x.B[k * ldb + n]);
            }
        }
        for (size_t n = 0; n < N; ++n) {
            float& c = x.C[m * x.ldc + n];
            c = sums[n] + (x.beta != 0 ? x.beta * c : 0.0F);
        }
    }
}

}  // namespace

void MlasTrySimpleParallel(
    MLAS_THREADPOOL* ThreadPool, std::ptrdiff_t Iterations, const std::function<void(std::ptrdiff_t)>& Work) {
    const auto task = [](void* context, size_t i) {
        (*static_cast<const std::function<void(std::ptrdiff_t)>*>(context))(static_cast<std::ptrdiff_t>(i));
    };
    void* context = const_cast<std::function<void(std::ptrdiff_t)>*>(&Work);
    if (ThreadPool != nullptr) {
        ThreadPool->run(static_cast<size_t>(Iterations), task, context);
        return;
    }
    for (std::ptrdiff_t i = 0; i < Iterations; ++i) {
        Work(i);
    }
}

void MlasGemmBatch(
    CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, size_t M, size_t N, size_t K, const MLAS_SGEMM_DATA_PARAMS* Data,
    size_t BatchSize, MLAS_THREADPOOL* ThreadPool) {
    for (const MLAS_SGEMM_DATA_PARAMS& x : LayerGemmBatch(TransA, TransB, M, N, K, Data, BatchSize, ThreadPool)) {
        kai_gemm_plan packed;
        if (x.BIsPacked && PlanOfPackedB(TransB, N, K, packed)) {
            throw std::invalid_argument("MlasGemmBatch: a leading dimension is shorter than a row");  // not a fallback
        }
        constexpr size_t kRows = 16;
        if (M <= kRows || ThreadPool == nullptr) {
            PortableGemm(TransA, TransB, M, N, K, x);
            continue;
        }
        MlasTrySimpleParallel(ThreadPool, static_cast<std::ptrdiff_t>((M + kRows - 1) / kRows), [&](std::ptrdiff_t i) {
            const RecursionGuard guard;
            const size_t m = static_cast<size_t>(i) * kRows;
            MLAS_SGEMM_DATA_PARAMS part = x;
            part.A += TransA == CblasTrans ? m : m * x.lda;
            part.C += m * x.ldc;
            MlasGemmBatch(TransA, TransB, std::min(kRows, M - m), N, K, &part, 1, nullptr);
        });
    }
}

size_t MlasGemmPackBSize(CBLAS_TRANSPOSE /*TransA*/, CBLAS_TRANSPOSE TransB, size_t N, size_t K) {
    kai_gemm_plan plan;
    return PlanOfPackedB(TransB, N, K, plan) ? plan.packed_b_size : N * K * sizeof(float);
}

void MlasGemmPackB(
    CBLAS_TRANSPOSE /*TransA*/, CBLAS_TRANSPOSE TransB, size_t N, size_t K, const float* B, size_t ldb, void* PackedB) {
    kai_gemm_plan plan;
    if (PlanOfPackedB(TransB, N, K, plan)) {
        kai_gemm_weights weights = {};
        weights.b = B, weights.ldb = ldb * sizeof(float);
        const AlignedMemory workspace = allocate(plan.pack_workspace_size);
        const kai_gemm_status status = kai_gemm_pack_b(
            &plan, 0, &weights, PackedB, plan.packed_b_size, workspace.get(), plan.pack_workspace_size, nullptr,
            nullptr);
        if (status != KAI_GEMM_OK) {
            throw std::invalid_argument(kai_gemm_status_text(status));
        }
        return;
    }
    const size_t rows = TransB == CblasTrans ? N : K, columns = TransB == CblasTrans ? K : N;
    for (size_t row = 0; row < rows; ++row) {
        std::copy_n(B + row * ldb, columns, static_cast<float*>(PackedB) + row * columns);
    }
}
