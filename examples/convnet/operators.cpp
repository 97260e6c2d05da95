// Operators on each element, broadcast as NumPy does, those that reduce axes, and those on shapes.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "examples/convnet/convnet.hpp"

namespace convnet {
namespace {

/// f(x) of floats.
template <typename Function>
auto unary(Function f) {
    return [f](Call& call) {
        const Tensor& x = call.reals(0);
        return combine(call, x, x, [f](float a, float) { return f(a); });
    };
}

/// f(x, y) of floats.
template <typename Function>
auto binary(Function f) {
    return [f](Call& call) {
        require(call.in.size() == 2, "only two operands are supported");
        return combine(call, call.reals(0), call.reals(1), f);
    };
}

/// f(x, y) of floats, or of integers without signs, which wrap around; R: float, or uint64_t if the result is boolean.
template <typename R, typename Function>
auto arithmetic(Function f) {
    return [f](Call& call) {
        const Tensor &x = call.operand(0), &y = call.operand(1);
        require(x.is_real() == y.is_real(), "operands of different types");
        const Type type = std::is_same_v<R, float> ? x.type : Type::boolean;
        return x.is_real() ? combine<float, R>(call, type, x, y, f) : combine<uint64_t, uint64_t>(call, type, x, y, f);
    };
}

Tensor clip(Call& call) {
    const float least = call.has(1) ? *call.reals(1).reals() : call.attribute("min", {0, -INFINITY}).real;
    const float most = call.has(2) ? *call.reals(2).reals() : call.attribute("max", {0, INFINITY}).real;
    return unary([=](float x) { return std::min(std::max(x, least), most); })(call);
}

Tensor batch_normalization(Call& call) {
    const Tensor& x = call.reals(0);
    require(x.shape.size() >= 2, "an operand without channels");
    call.only({"training_mode"}, "0");
    Shape shape(x.shape.size() - 1, 1);  // of a value for each channel
    shape[0] = x.shape[1];
    const auto operand = [&](size_t i) { return reshape(call, call.reals(i), shape); };
    const float epsilon = call.attribute("epsilon", {0, 1e-5F}).real;
    const auto divide = [=](float scale, float variance) { return scale / std::sqrt(variance + epsilon); };
    const Tensor factor = combine(call, operand(1), operand(4), divide);
    const Tensor centred = combine(call, x, operand(3), std::minus<>());
    return combine(call, combine(call, centred, factor, std::multiplies<>()), operand(2), std::plus<>());
}

/// The axes that a list names, each once, in this order.
Axes axes_of(const std::vector<int64_t>& list, size_t rank) {
    Axes axes;
    for (const int64_t axis : list) {
        axes.push_back(find_axis(axis, rank));
        require(std::count(axes.begin(), axes.end(), axes.back()) == 1, "an axis that is named twice");
    }
    return axes;
}

Tensor reduce_axes(Call& call, Reduction reduction) {
    const Tensor& x = call.reals(0);
    call.only({"noop_with_empty_axes"}, "0");
    Axes along = axes_of(call.integers(1, "axes"), x.shape.size());
    along = along.empty() ? axes_between(0, x.shape.size()) : along;
    std::sort(along.rbegin(), along.rend());
    Tensor result = reduce(call, x, along, reduction);
    for (size_t i = 0; i < along.size() && call.attribute("keepdims", {1}).integer == 0; ++i) {
        result = remove_axis(result, along[i]);
    }
    return result;
}

Tensor softmax(Call& call) {
    const Tensor& x = call.reals(0);
    const bool flat = call.opset < 13;  // all axes from there on are one
    const size_t first = find_axis(call.attribute("axis", {flat ? 1 : -1}).integer, x.shape.size());
    const Axes along = axes_between(first, flat ? x.shape.size() : first + 1);
    const Tensor most = reduce(call, x, along, Reduction::max);
    const Tensor powers = combine(call, x, most, [](float a, float b) { return std::exp(a - b); });
    return combine(call, powers, reduce(call, powers, along, Reduction::sum), std::divides<>());
}

Tensor list(Context& context, const std::vector<int64_t>& values) {
    Tensor result = make_tensor(context, Type::i64, {values.size()});
    std::copy(values.begin(), values.end(), result.integers());
    return result;
}

Tensor constant(Call& call) {
    const Tensor value = call.attribute("value").tensor;
    require(value.data != nullptr, "only a value that is a tensor is supported");
    return value;
}

Tensor constant_of_shape(Call& call) {
    return dense(call, broadcast(reshape(call, constant(call), {}), shape_of(call.integers(0))));
}

Tensor shape(Call& call) {
    call.only({"start"}, "0");
    call.only({"end"}, "");
    const Shape& shape = call.operand(0).shape;
    return list(call, {shape.begin(), shape.end()});
}

Tensor cast(Call& call) {
    const Type to = known_type(call.attribute("to", {0}).integer, "the result");
    const Tensor x = dense(call, call.operand(0)), result = make_tensor(call, to, x.shape);
    for (size_t i = 0, count = count_of(x.shape); i < count; ++i) {
        const double real = x.is_real() ? double(x.reals()[i]) : double(x.integers()[i]);
        if (to == Type::f32) {
            result.reals()[i] = float(real);
            continue;
        }
        require(std::fabs(real) < 9.2e18 || to == Type::boolean, "a number that no integer is");
        const int64_t integer = to == Type::boolean ? real != 0 : x.is_real() ? int64_t(real) : x.integers()[i];
        result.integers()[i] = to == Type::i32 ? int32_t(integer) : integer;
    }
    return result;
}

Tensor reshape_to(Call& call) {
    const Tensor& x = call.operand(0);
    call.only({"allowzero"}, "0");
    std::vector<int64_t> sizes = call.integers(1);
    for (size_t i = 0; i < sizes.size(); ++i) {
        require(sizes[i] != 0 || i < x.shape.size(), "a size that its input does not have");
        sizes[i] = sizes[i] == 0 ? int64_t(x.shape[i]) : sizes[i];
    }
    const auto unknown = std::find(sizes.begin(), sizes.end(), -1);
    if (unknown != sizes.end()) {
        *unknown = 1;
        const size_t known = count_of(shape_of(sizes));
        *unknown = known != 0 ? int64_t(count_of(x.shape) / known) : 0;
    }
    return reshape(call, x, shape_of(sizes));
}

Tensor flatten(Call& call) {
    const Tensor& x = call.operand(0);
    const auto at = x.shape.begin() + ptrdiff_t(find_axis(call.attribute("axis", {1}).integer, x.shape.size()));
    return reshape(call, x, {count_of({x.shape.begin(), at}), count_of({at, x.shape.end()})});
}

Tensor squeeze(Call& call) {
    Tensor x = call.operand(0);
    Axes axes = axes_of(call.integers(1, "axes"), x.shape.size());
    require(!axes.empty(), "only axes that are named are supported");
    std::sort(axes.rbegin(), axes.rend());
    for (const size_t axis : axes) {
        require(x.shape[axis] == 1, "axis " + std::to_string(axis) + " is not 1");
        x = remove_axis(x, axis);
    }
    return x;
}

Tensor unsqueeze(Call& call) {
    Tensor x = call.operand(0);
    const std::vector<int64_t> list = call.integers(1, "axes");
    Axes axes = axes_of(list, x.shape.size() + list.size());
    std::sort(axes.begin(), axes.end());
    for (const size_t axis : axes) {
        x = insert_axis(x, axis);
    }
    return x;
}

Tensor transpose_to(Call& call) {
    const Axes order = axes_of(call.attribute("perm").integers, call.operand(0).shape.size());
    require(order.size() == call.operand(0).shape.size(), "an order that does not name all axes");
    return transpose(call.operand(0), order);
}

/// From `start` up to `end`, as NumPy does.
Tensor slice_axis(const Tensor& x, size_t axis, int64_t start, int64_t end, int64_t step) {
    require(step != 0 && step != INT64_MIN, "a step that is 0 or too large");
    const int64_t size = int64_t(x.shape[axis]);
    // Backwards, positions are one less: -1 is before the first element.
    const int64_t least = step < 0 ? -1 : 0, most = step < 0 ? size - 1 : size;
    const auto clamped = [&](int64_t at) { return std::min(std::max(at < 0 ? at + size : at, least), most); };
    const int64_t first = clamped(start), last = clamped(end), span = step < 0 ? first - last : last - first;
    const int64_t count = span > 0 ? (span - 1) / std::abs(step) + 1 : 0;
    return slice(x, axis, size_t(first), size_t(count), step);
}

Tensor slice_to(Call& call) {
    Tensor x = call.operand(0);
    const std::vector<int64_t> starts = call.integers(1, "starts"), ends = call.integers(2, "ends");
    const std::vector<int64_t> axes = call.integers(3, "axes");
    std::vector<int64_t> steps = call.integers(4, "steps");
    steps.resize(steps.empty() ? starts.size() : steps.size(), 1);
    for (const size_t length : {ends.size(), axes.size(), steps.size()}) {
        require(length == starts.size(), "lists of different lengths");
    }
    for (size_t i = 0; i < starts.size(); ++i) {
        x = slice_axis(x, find_axis(axes[i], x.shape.size()), starts[i], ends[i], steps[i]);
    }
    return x;
}

/// Tensors of one shape but for this axis, one after the other.
Tensor join(Context& context, const std::vector<Tensor>& parts, size_t axis) {
    Shape shape = parts[0].shape;
    shape[axis] = 0;
    for (const Tensor& part : parts) {
        require(part.shape.size() == shape.size(), "operands that do not fit");
        shape[axis] += part.shape[axis];
    }
    const Tensor result = make_tensor(context, parts[0].type, shape, order_of(shape, parts[0]));
    size_t start = 0;
    for (const Tensor& part : parts) {
        const Tensor to = slice(result, axis, start, part.shape[axis]);
        require(part.is_real() == to.is_real() && part.shape == to.shape, "operands that do not fit");
        copy(context, part, to);
        start += part.shape[axis];
    }
    return result;
}

Tensor concat(Call& call) {
    std::vector<Tensor> parts;
    for (size_t i = 0; i < call.in.size(); ++i) {
        parts.push_back(call.operand(i));
    }
    return join(call, parts, find_axis(call.attribute("axis", {0}).integer, call.operand(0).shape.size()));
}

Tensor gather(Call& call) {
    const Tensor& x = call.operand(0);
    const size_t axis = find_axis(call.attribute("axis", {0}).integer, x.shape.size());
    std::vector<Tensor> parts;
    for (const int64_t index : call.integers(1)) {
        parts.push_back(slice(x, axis, find_axis(index, x.shape[axis]), 1));
    }
    const Shape& indices = call.operand(1).shape;
    require(!parts.empty(), "no indices");
    Shape shape = x.shape;
    shape.erase(shape.begin() + ptrdiff_t(axis));
    shape.insert(shape.begin() + ptrdiff_t(axis), indices.begin(), indices.end());
    return reshape(call, join(call, parts, axis), shape);
}

/// What lies beyond an edge is what lies as far before it.
Tensor pad(Call& call) {
    call.only({"mode"}, "reflect");
    Tensor x = call.operand(0);
    const Shape pads = shape_of(call.integers(1));
    require(pads.size() == 2 * x.shape.size() && !call.has(3), "pads that are not two of each axis");
    for (size_t axis = 0; axis < x.shape.size(); ++axis) {
        const size_t before = pads[axis], after = pads[axis + x.shape.size()], size = x.shape[axis];
        require(before < size && after < size, "a pad that is longer than the axis");
        const Tensor left = slice(x, axis, before, before, -1), right = slice(x, axis, size - 2, after, -1);
        x = join(call, {left, x, right}, axis);
    }
    return x;
}

}  // namespace

Tensor reduce(Context& context, const Tensor& x, const Axes& along, Reduction reduction) {
    Shape shape = x.shape;
    for (const size_t axis : along) {
        shape[axis] = 1;
    }
    const bool is_max = reduction == Reduction::max;
    const double count = reduction == Reduction::mean ? double(count_of(x.shape) / count_of(shape)) : 1;
    const Tensor sums = make_tensor(context, Type::i64, shape, order_of(shape, x)), over = broadcast(sums, x.shape);
    std::fill_n(sums.elements<double>(), count_of(shape), is_max ? -INFINITY : 0);  // as large as integers
    ThreadPool alone(1);                                                            // many elements go into one
    apply<double, double, float>(alone, over, over, x, [is_max](double sum, float element) {
        return is_max ? std::max(sum, double(element)) : sum + element;
    });
    const Tensor result = make_tensor(context, Type::f32, shape, order_of(shape, sums));
    apply<float, double, double>(context.pool, result, sums, sums, [count](double sum, double) { return sum / count; });
    return result;
}

const Operators kOperators = {
    {"Add", arithmetic<float>(std::plus<>())},
    {"BatchNormalization", batch_normalization},
    {"Cast", cast},
    {"Clip", clip},
    {"Concat", concat},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape},
    {"Div", binary(std::divides<>())},
    {"Equal", arithmetic<uint64_t>(std::equal_to<>())},
    {"Flatten", flatten},
    {"Gather", gather},
    {"GlobalAveragePool",
     [](Call& call) {
         const Tensor& x = call.reals(0);
         return reduce(call, x, axes_between(2, x.shape.size()), Reduction::mean);
     }},
    {"GreaterOrEqual",
     [](Call& call) {
         return combine<float, int64_t>(call, Type::boolean, call.reals(0), call.reals(1), std::greater_equal<>());
     }},
    {"HardSigmoid",
     [](Call& call) {
         const float alpha = call.attribute("alpha", {0, 0.2F}).real, beta = call.attribute("beta", {0, 0.5F}).real;
         return unary([=](float x) { return std::min(std::max(alpha * x + beta, 0.0F), 1.0F); })(call);
     }},
    {"HardSwish", unary([](float x) { return x * std::min(std::max(x / 6 + 0.5F, 0.0F), 1.0F); })},
    {"Identity", [](Call& call) { return call.operand(0); }},
    {"LeakyRelu",
     [](Call& call) {
         const float alpha = call.attribute("alpha", {0, 0.01F}).real;
         return unary([=](float x) { return x < 0 ? alpha * x : x; })(call);
     }},
    {"Log", unary([](float x) { return std::log(x); })},
    {"Max", binary([](float a, float b) { return std::max(a, b); })},
    {"Mul", arithmetic<float>(std::multiplies<>())},
    {"Neg", unary(std::negate<>())},
    {"Not",
     [](Call& call) {
         require(!call.operand(0).is_real(), "an operand that is not boolean");
         return combine<int64_t, int64_t>(
             call, Type::boolean, *call.in[0], *call.in[0], [](int64_t a, int64_t) { return a == 0; });
     }},
    {"Pad", pad},
    {"Pow", binary([](float a, float b) { return std::pow(a, b); })},
    {"ReduceMax", [](Call& call) { return reduce_axes(call, Reduction::max); }},
    {"ReduceMean", [](Call& call) { return reduce_axes(call, Reduction::mean); }},
    {"Relu", unary([](float x) { return x < 0 ? 0 : x; })},
    {"Reshape", reshape_to},
    {"Shape", shape},
    {"Sigmoid", unary([](float x) { return 1 / (1 + std::exp(-x)); })},
    {"Size", [](Call& call) { return reshape(call, list(call, {int64_t(count_of(call.operand(0).shape))}), {}); }},
    {"Slice", slice_to},
    {"Softmax", softmax},
    {"Sqrt", unary([](float x) { return std::sqrt(x); })},
    {"Squeeze", squeeze},
    {"Sub", arithmetic<float>(std::minus<>())},
    {"Transpose", transpose_to},
    {"Unsqueeze", unsqueeze},
};

}  // namespace convnet
