// Operators that sum, compare or normalise along axes.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "examples/convnet/operators.hpp"

namespace convnet {
namespace {

/// f(f(start, x0), x1)... along axes, which stay as 1.
template <typename Function>
Tensor reduce(Context& context, const Tensor& x, const std::vector<bool>& along, float start, Function f) {
    Shape shape = x.shape;
    for (size_t axis = 0; axis < x.rank(); ++axis) {
        shape[axis] = along[axis] ? 1 : shape[axis];
    }
    const Tensor result = make_tensor(context, Type::f32, shape), over = broadcast(result, x.shape);
    std::fill_n(result.reals(), result.count(), start);
    ThreadPool alone(1);  // rows share results
    for_each_row<2>(alone, x.shape, {&x, &over}, [&](const auto& at, const auto& steps, size_t count) {
        const float* from = x.reals() + at[0];
        float* to = result.reals() + at[1];
        if (steps[1] == 0) {
            double value = *to;
            for (ptrdiff_t i = 0; i < ptrdiff_t(count); ++i) {
                value = f(value, double(from[i * steps[0]]));
            }
            *to = float(value);
            return;
        }
        for (ptrdiff_t i = 0; i < ptrdiff_t(count); ++i) {
            to[i * steps[1]] = f(to[i * steps[1]], from[i * steps[0]]);
        }
    });
    return result;
}

template <typename Function>
void reduce(Call& call, float start, Function f, bool mean = false) {
    const Tensor& x = call.reals(0);
    const std::vector<int64_t> axes = call.integers(1, "axes");
    std::vector<bool> along(x.rank(), axes.empty() && call.integer("noop_with_empty_axes", 0) == 0);
    for (const int64_t axis : axes) {
        along[call.axis(axis, x.rank())] = true;
    }
    Tensor result = reduce(call.context, x, along, start, f);
    if (mean) {
        const float count = float(x.count() / result.count());
        result = multiply(call.context, result, scalar(call.context, Type::f32, 1 / count));
    }
    for (size_t axis = x.rank(); axis-- > 0 && call.integer("keepdims", 1) == 0;) {
        result = along[axis] ? remove_axis(result, axis) : result;
    }
    call.out[0] = result;
}

constexpr auto kSum = [](auto a, auto x) { return a + x; };
constexpr auto kMax = [](auto a, auto x) { return std::max(a, x); };
constexpr auto kMin = [](auto a, auto x) { return std::min(a, x); };
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The mean or the maximum of each channel.
void pool_globally(Call& call, bool mean) {
    const Tensor& x = call.reals(0);
    require(x.rank() >= 3, "an operand without space");
    std::vector<bool> along(x.rank(), true);
    along[0] = along[1] = false;
    const Tensor result =
        mean ? reduce(call.context, x, along, 0, kSum) : reduce(call.context, x, along, -kInfinity, kMax);
    const float count = float(x.count() / result.count());
    call.out[0] = mean ? multiply(call.context, result, scalar(call.context, Type::f32, 1 / count)) : result;
}

/// f(row, result, length) for each row of a dense tensor.
template <typename Function>
Tensor for_rows(Context& context, const Tensor& tensor, size_t length, Function f) {
    const Tensor x = dense(context, tensor), result = make_tensor(context, Type::f32, tensor.shape);
    context.pool.for_each(x.count() / length, [&](size_t row) {
        f(x.reals() + row * length, result.reals() + row * length, ptrdiff_t(length));
    });
    return result;
}

void softmax(Call& call, bool logarithm) {
    const Tensor& x = call.reals(0);
    const bool flat = call.opset < 13;  // all axes from there on are one
    const size_t axis = call.axis(call.integer("axis", flat ? 1 : -1), x.rank());
    std::vector<size_t> order(x.rank());
    for (size_t i = 0; i < x.rank(); ++i) {
        order[i] = i;
    }
    if (!flat) {
        std::swap(order[axis], order.back());
    }
    const Tensor view = transpose(x, order);
    size_t length = 1;
    for (size_t i = flat ? axis : x.rank() - 1; i < x.rank(); ++i) {
        length *= view.shape[i];
    }
    const Tensor result = for_rows(call.context, view, length, [logarithm](const float* from, float* to, ptrdiff_t n) {
        const float most = *std::max_element(from, from + n);
        double sum = 0;
        for (ptrdiff_t i = 0; i < n; ++i) {
            to[i] = std::exp(from[i] - most);
            sum += to[i];
        }
        const float factor = float(1 / sum), shift = most + float(std::log(sum));
        for (ptrdiff_t i = 0; i < n; ++i) {
            to[i] = logarithm ? from[i] - shift : to[i] * factor;
        }
    });
    call.out[0] = transpose(result, order);
}

/// Rows of `length` with mean 0 and variance 1.
Tensor normalise(Call& call, const Tensor& x, size_t length) {
    const float epsilon = call.real("epsilon", 1e-5F);
    return for_rows(call.context, x, length, [epsilon](const float* from, float* to, ptrdiff_t n) {
        double sum = 0, squares = 0;
        for (ptrdiff_t i = 0; i < n; ++i) {
            sum += from[i];
        }
        const double mean = sum / double(n);
        for (ptrdiff_t i = 0; i < n; ++i) {
            squares += (from[i] - mean) * (from[i] - mean);
        }
        const double factor = 1 / std::sqrt(squares / double(n) + epsilon);
        for (ptrdiff_t i = 0; i < n; ++i) {
            to[i] = float((from[i] - mean) * factor);
        }
    });
}

void layer_normalization(Call& call) {
    const Tensor& x = call.reals(0);
    require(call.out.size() == 1, "outputs besides the first are not supported");
    const auto axis = x.shape.begin() + ptrdiff_t(call.axis(call.integer("axis", -1), x.rank()));
    const Tensor scaled = multiply(call.context, normalise(call, x, count_of({axis, x.shape.end()})), call.reals(1));
    call.out[0] = call.has(2) ? add(call.context, scaled, call.reals(2)) : scaled;
}

/// A value for each channel, to be broadcast.
Tensor by_channel(Call& call, const Tensor& values, size_t rank) {
    Shape shape(std::max<size_t>(rank, 2) - 1, 1);
    shape[0] = values.count();
    return reshape(call.context, values, shape);
}

void instance_normalization(Call& call) {
    const Tensor& x = call.reals(0);
    require(x.rank() >= 3, "an operand without space");
    const Tensor y = normalise(call, x, count_of({x.shape.begin() + 2, x.shape.end()}));
    call.out[0] =
        add(call.context, multiply(call.context, y, by_channel(call, call.reals(1), x.rank())),
            by_channel(call, call.reals(2), x.rank()));
}

void batch_normalization(Call& call) {
    const Tensor& x = call.reals(0);
    const size_t channels = x.rank() > 1 ? x.shape[1] : 0;
    Tensor operands[4];
    for (size_t i = 0; i < 4; ++i) {
        operands[i] = dense(call.context, call.reals(i + 1));
        require(operands[i].count() == channels, "operands that are not of each channel");
    }
    require(call.integer("training_mode", 0) == 0, "training is not supported");
    const Tensor factors = call.make(Type::f32, {channels}), shifts = call.make(Type::f32, {channels});
    for (size_t c = 0; c < channels; ++c) {
        const float* const values[] = {
            operands[0].reals(), operands[1].reals(), operands[2].reals(), operands[3].reals()};
        const double factor = values[0][c] / std::sqrt(double(values[3][c]) + call.real("epsilon", 1e-5F));
        factors.reals()[c] = float(factor), shifts.reals()[c] = float(values[1][c] - values[2][c] * factor);
    }
    const Tensor scaled = multiply(call.context, x, by_channel(call, factors, x.rank()));
    call.out[0] = add(call.context, scaled, by_channel(call, shifts, x.rank()));
}

}  // namespace

const Operators kReductions = {
    {"BatchNormalization", batch_normalization},
    {"GlobalAveragePool", [](Call& call) { pool_globally(call, true); }},
    {"GlobalMaxPool", [](Call& call) { pool_globally(call, false); }},
    {"InstanceNormalization", instance_normalization},
    {"LayerNormalization", layer_normalization},
    {"LogSoftmax", [](Call& call) { softmax(call, true); }},
    {"ReduceMax", [](Call& call) { reduce(call, -kInfinity, kMax); }},
    {"ReduceMean", [](Call& call) { reduce(call, 0, kSum, true); }},
    {"ReduceMin", [](Call& call) { reduce(call, kInfinity, kMin); }},
    {"ReduceSum", [](Call& call) { reduce(call, 0, kSum); }},
    {"Softmax", [](Call& call) { softmax(call, false); }},
};

}  // namespace convnet
