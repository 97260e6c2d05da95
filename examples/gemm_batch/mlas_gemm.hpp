// The part of MLAS's interface that this example implements, with its names, arguments and meaning.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "../common/thread_pool.hpp"

enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };

using MLAS_THREADPOOL = ThreadPool;

/// One product. Leading dimensions are in elements.
struct MLAS_SGEMM_DATA_PARAMS {
    const float* A = nullptr;
    size_t lda = 0;
    const float* B = nullptr;  // as MlasGemmPackB left it, if BIsPacked
    size_t ldb = 0;
    float* C = nullptr;
    size_t ldc = 0;
    float alpha = 1.0F;
    float beta = 0.0F;
    bool BIsPacked = false;
};

/// C = alpha * op(A) * op(B) + beta * C for each of Data[0], ..., Data[BatchSize - 1]. ThreadPool may be NULL.
void MlasGemmBatch(
    CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, size_t M, size_t N, size_t K, const MLAS_SGEMM_DATA_PARAMS* Data,
    size_t BatchSize, MLAS_THREADPOOL* ThreadPool);

/// Bytes of a packed B; 0: do not pack it.
size_t MlasGemmPackBSize(CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, size_t N, size_t K);

void MlasGemmPackB(
    CBLAS_TRANSPOSE TransA, CBLAS_TRANSPOSE TransB, size_t N, size_t K, const float* B, size_t ldb, void* PackedB);

/// Calls Work(i) for every i < Iterations, on the threads of the pool.
void MlasTrySimpleParallel(
    MLAS_THREADPOOL* ThreadPool, std::ptrdiff_t Iterations, const std::function<void(std::ptrdiff_t)>& Work);
