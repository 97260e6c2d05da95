// Operators that sum, compare or normalise along axes.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "examples/convnet/operators.hpp"

namespace convnet {
namespace {

/// f(f(start, x0), x1)... along axes, which stay as 1; `mean`: divided by the number of elements.
template <typename Function>
Tensor reduce(
    Context& context, const Tensor& x, const std::vector<bool>& along, float start, Function f, bool mean = false) {
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
    const float factor = mean ? 1 / float(x.count() / result.count()) : 1;
    return mean ? multiply(context, result, scalar(context, Type::f32, factor)) : result;
}

template <typename Function>
void reduce(Call& call, float start, Function f, bool mean = false) {
    const Tensor& x = call.reals(0);
    const std::vector<int64_t> axes = call.integers(1, "axes");
    std::vector<bool> along(x.rank(), axes.empty() && call.integer("noop_with_empty_axes", 0) == 0);
    for (const int64_t axis : axes) {
        along[call.axis(axis, x.rank())] = true;
    }
    Tensor result = reduce(call.context, x, along, start, f, mean);
    for (size_t axis = x.rank(); axis-- > 0 && call.integer("keepdims", 1) == 0;) {
        result = along[axis] ? remove_axis(result, axis) : result;
    }
    call.out[0] = result;
}

constexpr auto kSum = [](auto a, auto x) { return a + x; };
constexpr auto kMax = [](auto a, auto x) { return std::max(a, x); };
constexpr auto kMin = [](auto a, auto x) { return std::min(a, x); };
/// The mean or the maximum of each channel.
template <typename Function>
void pool_globally(Call& call, float start, Function f, bool mean) {
    const Tensor& x = call.reals(0);
    require(x.rank() >= 3, "an operand without space");
    std::vector<bool> along(x.rank(), true);
    along[0] = along[1] = false;
    call.out[0] = reduce(call.context, x, along, start, f, mean);
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
    const Tensor view = flat ? x : swap_axes(x, axis, x.rank() - 1);
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
    call.out[0] = flat ? result : swap_axes(result, axis, x.rank() - 1);
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
    std::array<const Tensor*, 4> operands;
    for (size_t i = 0; i < 4; ++i) {
        operands[i] = &call.reals(i + 1);
    }
    std::vector<double> factors, shifts;
    require(
        channel_factors(operands, call.real("epsilon", 1e-5F), channels, factors, shifts),
        "operands that are not of each channel");
    require(call.integer("training_mode", 0) == 0, "training is not supported");
    const Tensor by = call.make(Type::f32, {channels}), plus = call.make(Type::f32, {channels});
    std::copy(factors.begin(), factors.end(), by.reals());
    std::copy(shifts.begin(), shifts.end(), plus.reals());
    const Tensor scaled = multiply(call.context, x, by_channel(call, by, x.rank()));
    call.out[0] = add(call.context, scaled, by_channel(call, plus, x.rank()));
}

}  // namespace

bool channel_factors(
    const std::array<const Tensor*, 4>& operands, float epsilon, size_t channels, std::vector<double>& factors,
    std::vector<double>& shifts) {
    for (const Tensor* operand : operands) {
        if (operand == nullptr || operand->count() != channels || !operand->is_dense() || !operand->is_real()) {
            return false;
        }
    }
    factors.resize(channels), shifts.resize(channels);
    for (size_t c = 0; c < channels; ++c) {
        factors[c] = operands[0]->reals()[c] / std::sqrt(double(operands[3]->reals()[c]) + epsilon);
        shifts[c] = operands[1]->reals()[c] - operands[2]->reals()[c] * factors[c];
    }
    return true;
}

const Operators kReductions = {
    {"BatchNormalization", batch_normalization},
    {"GlobalAveragePool", [](Call& call) { pool_globally(call, 0, kSum, true); }},
    {"GlobalMaxPool", [](Call& call) { pool_globally(call, -kInfinity, kMax, false); }},
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
