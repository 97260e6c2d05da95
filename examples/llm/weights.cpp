// Plans, packing and runs of products: the part of a runtime that kai/gemm/kai_gemm.h is made for.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/llm/weights.hpp"

#include <algorithm>
#include <atomic>

namespace llm {

void require(kai_gemm_status status, const std::string& what) {
    require(status == KAI_GEMM_OK, what + ": " + kai_gemm_status_text(status));
}

kai_gemm_operands Product::operands(size_t rows, const float* a, float* c, size_t c_ld) const {
    kai_gemm_operands operands = {};
    operands.m = rows;
    operands.a.data = a;
    operands.b.table = matrices_.data();
    operands.c.data = c, operands.c.ld = c_ld * sizeof(float);
    operands.epilogue = plan_.problem.epilogue != 0 ? &epilogue_ : nullptr;
    return operands;
}

void Product::run(const kai_gemm_operands& operands, void* workspace, ThreadPool& pool) const {
    const kai_gemm_status status =
        kai_gemm_run(&plan_, &operands, workspace, plan_.workspace_size, ThreadPool::parallel_for, &pool);
    if (status != KAI_GEMM_OK) {
        char text[512];
        kai_gemm_explain_run(&plan_, &operands, workspace, plan_.workspace_size, text, sizeof(text));
        throw Error(text);
    }
}

WeightLoader::WeightLoader(ThreadPool& pool, const std::string& packed, size_t tokens) : pool_(pool), tokens_(tokens) {
    if (!packed.empty()) {
        mapping_ = std::make_shared<tools::Mapping>(packed);
        const kai_gemm_file_status status = kai_gemm_file_open(mapping_->data(), mapping_->size(), &file_);
        require(status == KAI_GEMM_FILE_OK, packed + ": " + kai_gemm_file_status_text(status));
    }
}

/// Whether the file has all of these tensors, and this CPU multiplies with them.
bool WeightLoader::find_packed(
    const std::vector<const Matrix*>& matrices, std::vector<kai_gemm_tensor>& tensors) const {
    for (const Matrix* matrix : matrices) {
        kai_gemm_tensor tensor;
        if (mapping_ == nullptr || !matrix->whole ||
            kai_gemm_file_find(&file_, matrix->name.c_str(), &tensor) != KAI_GEMM_FILE_OK) {
            return false;
        }
        const bool fits =
            tensor.n == matrix->n && tensor.k == matrix->k && tensor.count == matrix->count && !tensor.bias;
        require(
            fits && (tensor.kind != KAI_GEMM_GGUF || tensor.gguf_type == matrix->type->id),
            "the packed " + matrix->name + " is not that of this model");
        char reason[256];
        const kai_gemm_file_status usable = kai_gemm_tensor_usable(&tensor, reason, sizeof(reason));
        require(usable == KAI_GEMM_FILE_OK, matrix->name + " is " + reason);
        tensors.push_back(tensor);
    }
    return true;
}

Product WeightLoader::load(const std::vector<const Matrix*>& matrices, const Use& use) {
    const Matrix& b = *matrices[0];
    kai_gemm_problem problem = kai_gemm_problem_of(tokens_ * use.per_token, b.n, b.k);
    problem.b_kind = KAI_GEMM_GGUF, problem.gguf_type = b.type->id;
    // Only types that are dequantised ask for it: activations are rounded to bf16, weights of at most 8 bits are not.
    problem.allow_bf16 = b.type->id != KAI_GGUF_F32 && b.type->id != KAI_GGUF_F16;
    std::vector<kai_gemm_tensor> tensors;
    const bool packed = find_packed(matrices, tensors);
    if (packed) {
        kai_gemm_tensor_describe(tensors.data(), &problem);
        problem.a_type = problem.c_type = kai_dt_f32;
    }
    problem.b_constant = problem.b_transposed = true;
    problem.batch = b.count;
    problem.groups = problem.b_per_matrix = b.count > 1;
    problem.scatters = problem.groups && use.adds;
    problem.gated = matrices.size() > 1;
    problem.epilogue = problem.gated != 0 || use.activation != KAI_GEMM_NO_ACTIVATION || !b.bias.empty();
    problem.beta = use.adds ? 1.0f : 0.0f;
    problem.units = pool_.threads();

    Product product;
    const kai_gemm_status status = kai_gemm_make_plan(&problem, &product.plan_);
    require(status == KAI_GEMM_OK, b.name + ": " + product.plan_.reason);
    product.epilogue_ = kai_gemm_epilogue_of(&problem);
    product.epilogue_.activation = use.activation;
    product.epilogue_.column_shift = b.bias.empty() ? nullptr : b.bias.data();
    if (packed) {
        product.file_ = mapping_;
        for (size_t i = 0; i < b.count * matrices.size(); ++i) {
            const kai_gemm_tensor& tensor = tensors[i % matrices.size()];
            product.matrices_.push_back(static_cast<const uint8_t*>(tensor.data) + i / matrices.size() * tensor.stride);
        }
    } else {
        pack(matrices, product);
    }
    costs.bytes += product.plan_.packed_b_size;
    costs.token_bytes += product.plan_.packed_b_size / b.count * use.per_token;
    costs.token_macs += matrices.size() * b.n * b.k * use.per_token;
    costs.workspace_size = std::max(costs.workspace_size, product.workspace_size());
    return product;
}

void WeightLoader::pack(const std::vector<const Matrix*>& matrices, Product& product) {
    kai_gemm_plan plan = product.plan_;
    plan.problem.units = 64;  // many small parts: what some of them read is forgotten before others are packed
    require(kai_gemm_make_plan(&plan.problem, &plan), matrices[0]->name);
    product.packed_ = allocate(plan.packed_b_size);
    const AlignedMemory scratch = allocate(plan.pack_workspace_size);
    for (size_t i = 0; i < matrices[0]->count * matrices.size(); ++i) {
        const Matrix& matrix = *matrices[i % matrices.size()];
        const size_t size = matrix.size() / matrix.count, start = i / matrices.size() * size;
        kai_gemm_weights weights = {};
        weights.b = matrix.data + start;
        std::atomic<size_t> failures{0};
        for (size_t first = 0, last = 0; first < plan.pack_units; first = last) {
            last = std::min(first + 4 * pool_.threads(), plan.pack_units);
            pool_.for_each(last - first, [&](size_t unit) {
                failures += KAI_GEMM_OK != kai_gemm_pack_b_unit(
                                               &plan, i, &weights, product.packed_.get(), plan.packed_b_size,
                                               scratch.get(), plan.pack_workspace_size, first + unit);
            });
            forget(matrix.data, start + size * last / plan.pack_units);  // weights are in memory once
        }
        require(failures == 0, matrix.name + " cannot be packed");
        product.matrices_.push_back(static_cast<uint8_t*>(product.packed_.get()) + i * plan.packed_b_stride);
    }
}

}  // namespace llm
