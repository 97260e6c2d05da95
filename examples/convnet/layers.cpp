// Convolution, products of matrices and the recurrent layer that is made of them: what the library computes.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "examples/convnet/convnet.hpp"
#include "kai/gemm/kai_conv.h"

namespace convnet {
namespace {

/// Throws Error unless `status` is OK. `why`: the reason of a plan, or empty.
void check(kai_gemm_status status, const char* why = "") {
    require(status == KAI_GEMM_OK, *why != 0 ? why : kai_gemm_status_text(status));
}

const Axes kChannelsLast = {0, 2, 3, 1};

/// An image of one dimension gets a second one.
Tensor as_image(const Tensor& x) {
    require(x.shape.size() == 3 || x.shape.size() == 4, "only one and two dimensions of space are supported");
    return x.shape.size() == 3 ? insert_axis(x, 2) : x;
}

/// A list of sizes, one for each axis of space, for an image; or two of each, all that are before, all after.
Shape sizes_of(const Call& call, const char* name, size_t otherwise, size_t each = 1) {
    const size_t axes = call.reals(0).shape.size() - 2;
    Shape sizes = shape_of(call.attribute(name).integers);
    require(sizes.empty() || sizes.size() == each * axes, std::string(name) + " that are not of each axis");
    sizes.resize(each * axes, otherwise);
    for (size_t i = 0; axes == 1 && i < each; ++i) {
        sizes.insert(sizes.begin() + ptrdiff_t(2 * i), otherwise);
    }
    return sizes;
}

/// A plan, and weights in the order that it needs.
template <typename Plan>
struct Packed {
    Plan plan;
    std::shared_ptr<void> weights;
};
using Filter = Packed<kai_conv_plan>;
using Product = Packed<kai_gemm_plan>;

kai_conv_problem problem_of(const Call& call, const Tensor& image, const Tensor& weights, bool transposed) {
    call.only({"auto_pad"}, "NOTSET");
    call.only({"output_shape", "output_padding"}, "");
    const Shape strides = sizes_of(call, "strides", 1), dilations = sizes_of(call, "dilations", 1);
    const Shape pads = sizes_of(call, "pads", 0, 2);
    const size_t groups = shape_of({call.attribute("group", {1}).integer})[0];
    const size_t rows = weights.shape[0], columns = count_of({weights.shape[1], groups});
    const size_t inputs = transposed ? rows : columns, outputs = transposed ? columns : rows;
    require(inputs == image.shape[1], "a filter " + text_of(weights.shape) + " for an image " + text_of(image.shape));
    const Shape &x = image.shape, &w = weights.shape;
    kai_conv_problem p = kai_conv_problem_of(x[2], x[3], inputs, outputs, w[2], w[3]);
    p.batch = x[0], p.groups = groups, p.transposed = transposed;
    p.stride_height = strides[0], p.stride_width = strides[1];
    p.dilation_height = dilations[0], p.dilation_width = dilations[1];
    p.pad_top = pads[0], p.pad_left = pads[1], p.pad_bottom = pads[2], p.pad_right = pads[3];
    p.layout = transposed ? KAI_CONV_IOHW : KAI_CONV_OIHW;
    p.bias = call.has(2), p.units = call.pool.threads();
    return p;
}

/// The filter for this problem, packed if it is not yet.
const Filter& prepare(Call& call, const kai_conv_problem& problem, const Tensor& weights) {
    const auto* kept = static_cast<const Filter*>(call.node.kept[0].get());
    if (kept != nullptr && kept->plan.problem.batch == problem.batch && kept->plan.problem.height == problem.height &&
        kept->plan.problem.width == problem.width) {
        return *kept;
    }
    const bool constant = weights.constant && (!call.has(2) || call.reals(2).constant);
    require(constant, "weights that are computed are not supported");
    const auto filter = std::make_shared<Filter>();
    kai_conv_plan& plan = filter->plan;
    check(kai_conv_make_plan(&problem, &plan), plan.reason);
    filter->weights = call.memory.allocate(plan.packed_size);
    const std::shared_ptr<void> workspace = call.memory.allocate(plan.pack_workspace_size);
    const Tensor from = dense(call, weights), bias = call.has(2) ? dense(call, call.reals(2)) : Tensor{};
    require(!call.has(2) || count_of(bias.shape) == problem.out_channels, "a bias that is not of each channel");
    kai_gemm_weights source = {};
    source.b = from.reals(), source.bias = bias.reals();
    check(kai_conv_pack(
        &plan, &source, filter->weights.get(), plan.packed_size, workspace.get(), plan.pack_workspace_size));
    call.node.kept[0] = filter;
    return *filter;
}

Tensor convolve(Call& call, bool transposed) {
    const Tensor &x = call.reals(0), weights = as_image(call.reals(1));
    require(call.reals(1).shape.size() == x.shape.size(), "a filter of other dimensions");
    const Tensor image = dense(call, as_image(x), kChannelsLast);
    const kai_conv_problem problem = problem_of(call, image, weights, transposed);
    const Filter& filter = prepare(call, problem, weights);
    const kai_conv_plan& plan = filter.plan;
    const Shape shape = {image.shape[0], problem.out_channels, plan.out_height, plan.out_width};
    const Tensor result = make_tensor(call, Type::f32, shape, kChannelsLast);
    const std::shared_ptr<void> workspace = call.memory.allocate(plan.workspace_size);
    kai_conv_operands operands = {};
    operands.in = image.reals(), operands.packed = filter.weights.get(), operands.out = result.reals();
    check(kai_conv_run(&plan, &operands, workspace.get(), plan.workspace_size, ThreadPool::parallel_for, &call.pool));
    return x.shape.size() == 3 ? remove_axis(result, 2) : result;
}

/// Each axis of space becomes two, windows and elements of a window, which overlap. Then it is a reduction.
Tensor pool(Call& call, Reduction reduction) {
    const Tensor& x = call.reals(0);
    require(x.shape.size() == 4, "only two dimensions of space are supported");
    call.only({"ceil_mode", "count_include_pad", "storage_order"}, "0");
    call.only({"auto_pad"}, "NOTSET");
    const bool plain = sizes_of(call, "pads", 0, 2) == Shape(4, 0) && sizes_of(call, "dilations", 1) == Shape(2, 1);
    require(plain, "pads and dilations are not supported");
    const Shape kernel = sizes_of(call, "kernel_shape", 0), strides = sizes_of(call, "strides", 1);
    Tensor windows = x;
    for (const size_t i : {0, 1}) {
        const size_t axis = 2 + i, size = x.shape[axis];
        require(kernel[i] != 0 && kernel[i] <= size && strides[i] != 0, "a window that does not fit into its image");
        windows = slice(windows, axis, 0, (size - kernel[i]) / strides[i] + 1, ptrdiff_t(strides[i]));
        windows = insert_axis(windows, 4 + i, kernel[i], x.strides[axis]);
    }
    const Tensor result = reduce(call, windows, {4, 5}, reduction);
    return remove_axis(remove_axis(result, 5), 4);
}

/// By whole factors, to the nearest element before. Each axis becomes two, elements and their repetitions.
Tensor resize(Call& call) {
    call.only({"mode"}, "nearest");
    call.only({"coordinate_transformation_mode"}, "asymmetric");
    call.only({"nearest_mode"}, "floor");
    require(!call.has(3), "sizes are not supported, only scales");
    const Tensor &x = call.reals(0), scales = dense(call, call.reals(2));
    require(count_of(scales.shape) == x.shape.size(), "scales that are not of each axis");
    Shape shape = x.shape;
    for (size_t axis = 0; axis < x.shape.size(); ++axis) {
        const float scale = scales.reals()[axis];
        require(scale >= 1 && scale < 1024 && scale == float(size_t(scale)), "only whole scales are supported");
        shape[axis] *= size_t(scale);
    }
    const Tensor result = make_tensor(call, Type::f32, shape, order_of(shape, x));
    Tensor from = x, to = result;
    for (size_t axis = x.shape.size(); axis-- > 0;) {
        const size_t scale = shape[axis] / x.shape[axis];
        to = insert_axis(slice(to, axis, 0, x.shape[axis], ptrdiff_t(scale)), axis + 1, scale, to.strides[axis]);
        from = insert_axis(from, axis + 1, scale);
    }
    copy(call, from, to);
    return result;
}

/// The product of this problem, with B packed if it is constant, and not packed yet.
std::shared_ptr<Product> prepare(
    Context& context, const kai_gemm_problem& problem, const Tensor& b, std::shared_ptr<void>* kept) {
    auto product = kept != nullptr ? std::static_pointer_cast<Product>(*kept) : nullptr;
    if (product != nullptr && product->plan.problem.m == problem.m) {
        return product;
    }
    product = std::make_shared<Product>();
    kai_gemm_plan& plan = product->plan;
    check(kai_gemm_make_plan(&problem, &plan), plan.reason);
    if (kept != nullptr) {
        const Tensor from = dense(context, b);
        kai_gemm_weights source = {};
        source.b = from.reals();
        product->weights = context.memory.allocate(plan.packed_b_size);
        const std::shared_ptr<void> workspace = context.memory.allocate(plan.pack_workspace_size);
        check(kai_gemm_pack_b(
            &plan, 0, &source, product->weights.get(), plan.packed_b_size, workspace.get(), plan.pack_workspace_size,
            ThreadPool::parallel_for, &context.pool));
        *kept = product;
    }
    return product;
}

/// a * b of the last two axes. `kept`: where B stays, packed, if it is constant; else NULL.
Tensor multiply_matrices(Context& context, const Tensor& a, const Tensor& b, std::shared_ptr<void>* kept) {
    require(a.shape.size() >= 2 && b.shape.size() >= 2, "an operand that is no matrix");
    const size_t m = a.shape.end()[-2], k = a.shape.back(), n = b.shape.back();
    kept = b.shape.size() == 2 ? kept : nullptr;
    // One matrix B for all rows, or one for each matrix of the batch.
    const size_t matrices = kept != nullptr ? 1 : count_of(a.shape) / (m * k);
    Shape shape = a.shape, fits = kept != nullptr ? b.shape : a.shape;
    shape.back() = fits.back() = n;
    fits.end()[-2] = k;
    require(b.shape == fits, text_of(a.shape) + " times " + text_of(b.shape) + " is not supported");
    kai_gemm_problem problem = kai_gemm_problem_of(count_of(a.shape) / k / matrices, n, k);
    problem.b_constant = kept != nullptr, problem.b_per_matrix = kept == nullptr;
    problem.batch = matrices, problem.units = context.pool.threads();
    const std::shared_ptr<Product> product = prepare(context, problem, b, kept);
    const kai_gemm_plan& plan = product->plan;
    const Tensor lhs = dense(context, a), rhs = kept != nullptr ? b : dense(context, b);
    const Tensor c = make_tensor(context, Type::f32, shape);
    kai_gemm_operands x = {};
    x.m = problem.m, x.a.data = lhs.reals(), x.c.data = c.reals();
    x.b.data = kept != nullptr ? product->weights.get() : rhs.reals();
    const std::shared_ptr<void> workspace = context.memory.allocate(plan.workspace_size);
    check(kai_gemm_run(&plan, &x, workspace.get(), plan.workspace_size, ThreadPool::parallel_for, &context.pool));
    return c;
}

/// Where operand `i` stays, if it is constant.
std::shared_ptr<void>* kept(Call& call, size_t i) {
    return call.operand(i).constant ? &call.node.kept[i - 1] : nullptr;
}

Tensor gemm(Call& call) {
    const float alpha = call.attribute("alpha", {0, 1}).real, beta = call.attribute("beta", {0, 1}).real;
    require(alpha == 1 && beta == 1, "alpha and beta are not supported");
    call.only({"transA"}, "0");
    const Tensor& b = call.reals(1);
    require(b.shape.size() == 2, "an operand that is no matrix");
    const bool transposed = call.attribute("transB", {0}).integer != 0;
    const Tensor c = multiply_matrices(call, call.reals(0), transposed ? transpose(b, {1, 0}) : b, kept(call, 1));
    return call.has(2) ? combine(call, c, call.reals(2), std::plus<>()) : c;
}

/// X is steps x batch x inputs. The state H and the cells C, 1 x batch x hidden, pass from step to step.
Tensor lstm(Call& call) {
    call.only({"direction"}, "forward");
    call.only({"layout", "input_forget"}, "0");
    call.only({"activations", "clip"}, "");
    require(!call.has(4) && !call.has(7), "sequence lengths and peepholes are not supported");
    const Tensor &x = call.reals(0), &w = call.reals(1), &r = call.reals(2), &bias = call.reals(3);
    Tensor h = call.reals(5), c = call.reals(6);
    require(x.shape.size() == 3 && r.shape.size() == 3, "operands of other dimensions");
    const size_t steps = x.shape[0], batch = x.shape[1], n = r.shape[2];
    const Shape inputs = {1, 4 * n, x.shape[2]}, states = {1, 4 * n, n}, biases = {1, 8 * n}, state = {1, batch, n};
    const bool fits = w.shape == inputs && r.shape == states && h.shape == state && c.shape == state;
    require(fits && bias.shape == biases, "operands that do not fit");
    const auto matrix = [](const Tensor& weights) { return transpose(remove_axis(weights, 0), {1, 0}); };
    const Tensor both = combine(call, slice(bias, 1, 0, 4 * n), slice(bias, 1, 4 * n, 4 * n), std::plus<>());
    const Tensor from_inputs = combine(call, multiply_matrices(call, x, matrix(w), kept(call, 1)), both, std::plus<>());
    const Tensor y = make_tensor(call, Type::f32, {steps, 1, batch, n});
    const auto by_value = [](float gate, float value) { return value / (1 + std::exp(-gate)); };  // the gate's sigmoid
    const auto by_tanh = [](float gate, float value) { return std::tanh(value) / (1 + std::exp(-gate)); };
    for (size_t t = 0; t < steps; ++t) {
        const Tensor from_state = multiply_matrices(call, h, matrix(r), kept(call, 2));
        const Tensor gates = combine(call, slice(from_inputs, 0, t, 1), from_state, std::plus<>());
        const auto gate = [&](size_t i) { return slice(gates, 2, i * n, n); };  // input, output, forget, candidate
        c = combine(call, combine(call, gate(2), c, by_value), combine(call, gate(0), gate(3), by_tanh), std::plus<>());
        h = combine(call, gate(1), c, by_tanh);
        copy(call, h, remove_axis(slice(y, 0, t, 1), 0));
    }
    call.more = {h, c};
    return y;
}

}  // namespace

const Operators kLayers = {
    {"AveragePool", [](Call& call) { return pool(call, Reduction::mean); }},
    {"Conv", [](Call& call) { return convolve(call, false); }},
    {"ConvTranspose", [](Call& call) { return convolve(call, true); }},
    {"Gemm", gemm},
    {"LSTM", lstm},
    {"MatMul", [](Call& call) { return multiply_matrices(call, call.reals(0), call.reals(1), kept(call, 1)); }},
    {"MaxPool", [](Call& call) { return pool(call, Reduction::max); }},
    {"Resize", resize},
};

}  // namespace convnet
