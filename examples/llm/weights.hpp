// Matrices of the model, packed for this CPU's micro-kernels, and their products with rows of activations.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "examples/common/aligned_memory.hpp"
#include "examples/common/thread_pool.hpp"
#include "kai/gemm/kai_gemm_file.h"
#include "examples/llm/model.hpp"
#include "tools/files.hpp"

namespace llm {

/// Throws Error unless `status` is OK.
void require(kai_gemm_status status, const std::string& what);

/// What a product does besides multiplying.
struct Use {
    size_t per_token = 1;  ///< Rows: one, or as many as a token has experts.
    bool adds = false;     ///< C += product. Experts: their products are weighted, and added to rows of C.
    kai_gemm_activation activation = KAI_GEMM_NO_ACTIVATION;
};

/// C = A * B with f32 A and C. B is a matrix, or a gate and its factor: C = activation(A * gate) * (A * up).
class Product {
public:
    /// A multiple of the alignment, 64: workspaces of products that run together lie side by side.
    size_t workspace_size() const {
        return (plan_.workspace_size + 63) / 64 * 64;
    }
    const kai_gemm_plan& plan() const {
        return plan_;
    }
    /// `rows` rows of k floats, one after the other, to rows of n floats that are `c_ld` floats apart (0: n).
    kai_gemm_operands operands(size_t rows, const float* a, float* c, size_t c_ld = 0) const;
    /// Runs it. `workspace`: workspace_size() bytes.
    void run(const kai_gemm_operands& operands, void* workspace, ThreadPool& pool) const;

private:
    friend class WeightLoader;
    kai_gemm_plan plan_ = {};
    kai_gemm_epilogue epilogue_ = {};
    AlignedMemory packed_;  ///< Empty: in `file_`.
    std::shared_ptr<tools::Mapping> file_;
    std::vector<const void*> matrices_;  // packed: each expert's; gate and up alternate
};

/// What the products that were loaded so far take.
struct Costs {
    size_t bytes = 0;           ///< Of packed weights, in memory and in the file.
    size_t token_bytes = 0;     ///< Of those, what a token reads: of experts, the ones that it is given to.
    size_t token_macs = 0;      ///< Multiply-adds of a token.
    size_t workspace_size = 0;  ///< The largest, of one product or of several together.
};

/// Packs matrices of a model file, or takes them from a file of packed weights.
class WeightLoader {
public:
    /// `packed`: the path of such a file, or empty. `tokens`: most of a run.
    WeightLoader(ThreadPool& pool, const std::string& packed, size_t tokens);

    /// One matrix, or a gate and its factor, which have the same shape and type.
    Product load(const std::vector<const Matrix*>& matrices, const Use& use);

    Costs costs;

private:
    bool find_packed(const std::vector<const Matrix*>& matrices, std::vector<kai_gemm_tensor>& tensors) const;
    void pack(const std::vector<const Matrix*>& matrices, Product& product);

    ThreadPool& pool_;
    size_t tokens_;
    std::shared_ptr<tools::Mapping> mapping_;
    kai_gemm_file file_ = {};
};

}  // namespace llm
