// Products of matrices, by the GEMM layer.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/convnet/operators.hpp"

namespace convnet {
namespace {

/// Whether the last axis has no gaps: the rows of matrices that the GEMM layer reads.
bool has_rows(const Tensor& x) {
    const size_t rank = x.rank();
    const ptrdiff_t columns = ptrdiff_t(x.shape[rank - 1]);
    return (columns == 1 || x.strides[rank - 1] == 1) && x.strides[rank - 2] >= columns;
}

Tensor transposed(const Tensor& x) {
    return swap_axes(x, x.rank() - 2, x.rank() - 1);
}

/// Where each matrix of the last two axes begins.
std::vector<const void*> matrices_of(const Tensor& x) {
    Tensor first = x;
    first.shape.resize(x.rank() - 2), first.strides.resize(x.rank() - 2);
    std::vector<const void*> result;
    std::vector<size_t> at(first.rank());
    for (size_t i = 0; i < first.count(); ++i) {
        ptrdiff_t offset = 0;
        size_t rest = i;
        for (size_t axis = first.rank(); axis-- > 0; rest /= first.shape[axis]) {
            offset += ptrdiff_t(rest % first.shape[axis]) * first.strides[axis];
        }
        result.push_back(x.reals() + offset);
    }
    return result;
}

struct KeptProduct : Kept {
    Product product;
    explicit KeptProduct(Product made) : product(std::move(made)) {
    }
};

/// Matrices that are both computed: no B is packed for long.
Tensor multiply_each(Call& call, Tensor a, Tensor b, const Shape& batch) {
    const auto with_batch = [&](const Tensor& x) {
        Shape shape = batch;
        shape.insert(shape.end(), x.shape.end() - 2, x.shape.end());
        return broadcast(x, shape);
    };
    a = has_rows(a) ? a : dense(call.context, a);
    const bool is_transposed = !has_rows(b) && has_rows(transposed(b));
    b = is_transposed ? transposed(b) : has_rows(b) ? b : dense(call.context, b);
    const size_t m = a.shape[a.rank() - 2], k = a.shape.back(), n = b.shape[b.rank() - (is_transposed ? 2 : 1)];
    kai_gemm_problem problem = kai_gemm_problem_of(m, n, k);
    problem.batch = count_of(batch), problem.b_per_matrix = true;
    problem.b_transposed = is_transposed, problem.units = call.context.pool.threads();
    kai_gemm_plan plan;
    require(kai_gemm_make_plan(&problem, &plan), plan.reason);
    const std::vector<const void*> as = matrices_of(with_batch(a)), bs = matrices_of(with_batch(b));
    Shape shape = batch;
    shape.push_back(m), shape.push_back(n);
    const Tensor result = call.make(Type::f32, shape);
    kai_gemm_operands x = {};
    x.m = m, x.c.data = result.reals();
    x.a.table = as.data(), x.a.ld = size_t(a.strides[a.rank() - 2]) * sizeof(float);
    x.b.table = bs.data(), x.b.ld = size_t(b.strides[b.rank() - 2]) * sizeof(float);
    const std::shared_ptr<void> workspace = call.context.memory.allocate(plan.workspace_size);
    require(
        kai_gemm_run(&plan, &x, workspace.get(), plan.workspace_size, ThreadPool::parallel_for, &call.context.pool));
    return result;
}

/// a * b of the last two axes.
Tensor multiply_matrices(Call& call, const Tensor& a, const Tensor& b, bool b_is_constant) {
    const size_t k = a.shape.back(), n = b.shape.back();
    require(b.shape[b.rank() - 2] == k, text_of(a.shape) + " times " + text_of(b.shape) + " does not exist");
    const Shape a_batch(a.shape.begin(), a.shape.end() - 2), b_batch(b.shape.begin(), b.shape.end() - 2);
    if (!b_is_constant || b.rank() != 2) {
        return multiply_each(call, a, b, common_shape(a_batch, b_batch));
    }
    Shape shape = a.shape;
    shape.back() = n;
    const size_t rows = k != 0 ? a.count() / k : 0;
    if (call.kept == nullptr) {
        call.kept = std::make_unique<KeptProduct>(Product(call.context, b, rows));
    }
    const Tensor result = call.make(Type::f32, shape);
    const Tensor lhs = dense(call.context, a);
    static_cast<KeptProduct&>(*call.kept).product.run(call.context, lhs.reals(), rows, result.reals());
    return result;
}

void matmul(Call& call) {
    Tensor a = call.reals(0), b = call.reals(1);
    require(a.rank() != 0 && b.rank() != 0, "an operand that is no matrix");
    const bool row = a.rank() == 1, column = b.rank() == 1;
    a = row ? insert_axis(a, 0) : a, b = column ? insert_axis(b, 1) : b;
    Tensor result = multiply_matrices(call, a, b, call.is_constant[1]);
    result = column ? remove_axis(result, result.rank() - 1) : result;
    call.out[0] = row ? remove_axis(result, result.rank() - (column ? 1 : 2)) : result;
}

void gemm(Call& call) {
    Tensor a = call.reals(0), b = call.reals(1);
    require(a.rank() == 2 && b.rank() == 2, "an operand that is no matrix");
    a = call.integer("transA", 0) != 0 ? transposed(a) : a, b = call.integer("transB", 0) != 0 ? transposed(b) : b;
    const auto scaled = [&](const Tensor& x, float by) {
        return by == 1 ? x : multiply(call.context, x, scalar(call.context, Type::f32, by));
    };
    const Tensor product = scaled(multiply_matrices(call, a, b, call.is_constant[1]), call.real("alpha", 1));
    const float beta = call.real("beta", 1);
    call.out[0] = call.has(2) ? add(call.context, product, scaled(call.reals(2), beta)) : product;
}

}  // namespace

void require(kai_gemm_status status, const char* why) {
    require(status == KAI_GEMM_OK, *why != 0 ? why : kai_gemm_status_text(status));
}

Product::Product(Context& context, const Tensor& b, size_t rows) : b_(b) {
    kai_gemm_problem problem = kai_gemm_problem_of(rows, b.shape[1], b.shape[0]);
    const bool is_transposed = has_rows(transposed(b));
    const Tensor from = is_transposed ? transposed(b) : has_rows(b) ? b : dense(context, b);
    problem.b_constant = true, problem.b_transposed = is_transposed, problem.units = context.pool.threads();
    require(kai_gemm_make_plan(&problem, &plan_), plan_.reason);
    packed_ = context.memory.allocate(plan_.packed_b_size);
    const std::shared_ptr<void> workspace = context.memory.allocate(plan_.pack_workspace_size);
    kai_gemm_weights weights = {};
    weights.b = from.reals(), weights.ldb = size_t(from.strides[0]) * sizeof(float);
    require(kai_gemm_pack_b(
        &plan_, 0, &weights, packed_.get(), plan_.packed_b_size, workspace.get(), plan_.pack_workspace_size,
        ThreadPool::parallel_for, &context.pool));
}

void Product::run(Context& context, const float* a, size_t rows, float* c) {
    if (rows > plan_.problem.m) {
        *this = Product(context, b_, rows);
    }
    kai_gemm_operands x = {};
    x.m = rows, x.a.data = a, x.b.data = packed_.get(), x.c.data = c;
    const std::shared_ptr<void> workspace = context.memory.allocate(plan_.workspace_size);
    require(kai_gemm_run(&plan_, &x, workspace.get(), plan_.workspace_size, ThreadPool::parallel_for, &context.pool));
}

const Operators kMatrices = {{"Gemm", gemm}, {"MatMul", matmul}};

}  // namespace convnet
