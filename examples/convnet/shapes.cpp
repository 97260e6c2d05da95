// Operators that reorder, cut and join tensors, and those on shapes.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "examples/convnet/operators.hpp"

namespace convnet {

namespace {

Tensor list(Call& call, const std::vector<int64_t>& values) {
    Tensor result = call.make(Type::i64, {values.size()});
    std::copy(values.begin(), values.end(), result.integers());
    return result;
}

Shape shape_of(const std::vector<int64_t>& sizes) {
    require(std::all_of(sizes.begin(), sizes.end(), [](int64_t x) { return x >= 0; }), "a negative size");
    return {sizes.begin(), sizes.end()};
}

/// The axes that a list names, sorted, each once.
std::vector<size_t> axes_of(const Call& call, const std::vector<int64_t>& list, size_t rank) {
    std::vector<size_t> axes;
    for (const int64_t axis : list) {
        axes.push_back(call.axis(axis, rank));
    }
    std::sort(axes.begin(), axes.end());
    require(std::adjacent_find(axes.begin(), axes.end()) == axes.end(), "an axis that is named twice");
    return axes;
}

void identity(Call& call) {
    call.out[0] = call.operand(0);
}

void constant(Call& call) {
    const auto& attributes = call.node.attributes;
    if (attributes.count("value_float") != 0) {
        call.out[0] = scalar(call.context, Type::f32, call.real("value_float", 0));
    } else if (attributes.count("value_int") != 0) {
        call.out[0] = scalar(call.context, Type::i64, 0);
        *call.out[0].integers() = call.integer("value_int", 0);
    } else if (attributes.count("value_ints") != 0) {
        call.out[0] = list(call, call.integers("value_ints"));
    } else {
        const auto found = attributes.find("value");
        require(found != attributes.end() && found->second.tensor.data, "a value of an unknown kind");
        call.out[0] = found->second.tensor;
    }
}

void constant_of_shape(Call& call) {
    const auto found = call.node.attributes.find("value");
    const bool given = found != call.node.attributes.end() && found->second.tensor.data;
    const Tensor value = given ? found->second.tensor : scalar(call.context, Type::f32, 0);
    require(value.count() == 1, "a value that is not one");
    const Shape shape = shape_of(integers_of(call.context, call.operand(0)));
    call.out[0] = dense(call.context, broadcast(reshape(call.context, value, {}), shape));
}

void shape(Call& call) {
    const Shape& shape = call.operand(0).shape;
    const auto clamp = [&](int64_t i) {  // negative ones count from the end
        const int64_t rank = int64_t(shape.size());
        return std::min(std::max(i < 0 ? i + rank : i, int64_t{0}), rank);
    };
    const int64_t start = clamp(call.integer("start", 0)), end = clamp(call.integer("end", int64_t(shape.size())));
    call.out[0] = list(call, {shape.begin() + start, shape.begin() + std::max(start, end)});
}

void cast(Call& call) {
    const Tensor& from = call.operand(0);
    const int64_t number = call.integer("to", 0);
    const Type to = known_type(number, "the result");
    if (from.is_real() && to == Type::f32) {
        call.out[0] = from;
        return;
    }
    const Tensor source = dense(call.context, from), result = call.make(to, from.shape);
    for (size_t i = 0; i < source.count(); ++i) {
        if (to == Type::f32) {
            result.reals()[i] = float(source.integers()[i]);
        } else if (source.is_real()) {
            const float x = source.reals()[i];
            require(std::fabs(x) < 9.2e18F || to == Type::boolean, "a number that no integer is");
            result.integers()[i] = to == Type::boolean ? x != 0 : int64_t(x);
        } else {
            result.integers()[i] = to == Type::boolean ? source.integers()[i] != 0 : source.integers()[i];
        }
    }
    const std::string bytes = bytes_of(result);  // as many bits as the type has
    read_elements(bytes.data(), result);
    call.out[0] = result;
}

void reshape_to(Call& call) {
    const Tensor& x = call.operand(0);
    std::vector<int64_t> sizes = call.integers(1, "shape");
    int64_t* rest = nullptr;
    size_t known = 1;
    for (size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 0 && call.integer("allowzero", 0) == 0) {
            require(i < x.rank(), "a size that its input does not have");
            sizes[i] = int64_t(x.shape[i]);
        }
        if (sizes[i] == -1) {
            require(rest == nullptr, "two sizes that are not known");
            rest = &sizes[i];
        } else {
            known = count_of({known, shape_of({sizes[i]})[0]});
        }
    }
    if (rest != nullptr) {
        *rest = known != 0 ? int64_t(x.count() / known) : 0;
    }
    call.out[0] = reshape(call.context, x, shape_of(sizes));
}

void flatten(Call& call) {
    const Tensor& x = call.operand(0);
    const int64_t axis = call.integer("axis", 1);
    const auto at = x.shape.begin() + ptrdiff_t(axis == int64_t(x.rank()) ? x.rank() : call.axis(axis, x.rank()));
    call.out[0] = reshape(call.context, x, {count_of({x.shape.begin(), at}), count_of({at, x.shape.end()})});
}

void squeeze(Call& call) {
    Tensor x = call.operand(0);
    const bool given = call.has(1) || call.node.attributes.count("axes") != 0;
    const std::vector<size_t> axes = axes_of(call, call.integers(1, "axes"), x.rank());
    for (size_t axis = x.rank(); axis-- > 0;) {
        const bool named = std::binary_search(axes.begin(), axes.end(), axis);
        require(!named || x.shape[axis] == 1, "axis " + std::to_string(axis) + " is not 1");
        if (given ? named : x.shape[axis] == 1) {
            x = remove_axis(x, axis);
        }
    }
    call.out[0] = x;
}

void unsqueeze(Call& call) {
    Tensor x = call.operand(0);
    const std::vector<int64_t> list = call.integers(1, "axes");
    for (const size_t axis : axes_of(call, list, x.rank() + list.size())) {
        x = insert_axis(x, axis);
    }
    call.out[0] = x;
}

void transpose_to(Call& call) {
    const Tensor& x = call.operand(0);
    std::vector<size_t> order;
    for (const int64_t axis : call.integers("perm")) {
        order.push_back(call.axis(axis, x.rank()));
    }
    if (order.empty()) {
        order.resize(x.rank());
        std::iota(order.rbegin(), order.rend(), size_t{0});
    }
    std::vector<size_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    require(
        sorted.size() == x.rank() && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
        "not an order of the axes");
    call.out[0] = transpose(x, order);
}

void slice_to(Call& call) {
    Tensor x = call.operand(0);
    const std::vector<int64_t> starts = call.integers(1, "starts"), ends = call.integers(2, "ends");
    std::vector<int64_t> axes = call.integers(3, "axes"), steps = call.integers(4, "steps");
    if (axes.empty()) {
        axes.resize(starts.size());
        std::iota(axes.begin(), axes.end(), int64_t{0});
    }
    steps.resize(steps.empty() ? starts.size() : steps.size(), 1);
    require(
        starts.size() == ends.size() && starts.size() == axes.size() && starts.size() == steps.size(),
        "lists of different lengths");
    for (size_t i = 0; i < starts.size(); ++i) {
        const size_t axis = call.axis(axes[i], x.rank());
        const int64_t size = int64_t(x.shape[axis]), step = steps[i];
        require(step != 0 && step > -(int64_t{1} << 40) && step < (int64_t{1} << 40), "a step that is 0 or too large");
        // Backwards, positions are one less: -1 is before the first element.
        const int64_t least = step < 0 ? -1 : 0, most = step < 0 ? size - 1 : size;
        const auto clamp = [&](int64_t at) { return std::min(std::max(at < 0 ? at + size : at, least), most); };
        const int64_t start = clamp(starts[i]), end = clamp(ends[i]), span = step < 0 ? start - end : end - start;
        const int64_t count = span > 0 ? (span - 1) / std::abs(step) + 1 : 0;
        x = slice(x, axis, size_t(count != 0 ? start : 0), size_t(count), step);
    }
    call.out[0] = x;
}

void split(Call& call) {
    const Tensor& x = call.operand(0);
    const size_t axis = call.axis(call.integer("axis", 0), x.rank()), count = call.out.size();
    std::vector<int64_t> sizes = call.integers(1, "split");
    for (size_t i = 0; sizes.size() < count; ++i) {
        const size_t size = (x.shape[axis] + count - 1) / count, start = std::min(size * i, x.shape[axis]);
        sizes.push_back(int64_t(std::min(size, x.shape[axis] - start)));
    }
    size_t start = 0;
    for (size_t i = 0; i < count; ++i) {
        require(sizes[i] >= 0 && size_t(sizes[i]) <= x.shape[axis] - start, "parts that are longer than the axis");
        call.out[i] = slice(x, axis, start, size_t(sizes[i]));
        start += size_t(sizes[i]);
    }
}

void concat(Call& call) {
    const Tensor& first = call.operand(0);
    const size_t axis = call.axis(call.integer("axis", 0), first.rank());
    Shape shape = first.shape;
    for (size_t i = 1; i < call.in.size(); ++i) {
        Shape other = call.operand(i).shape;
        require(call.in[i]->type == first.type && other.size() == shape.size(), "operands of different kinds");
        shape[axis] += other[axis], other[axis] = shape[axis];
        require(other == shape, "operands of different shapes");
    }
    call.out[0] = make_like(call.context, first.type, shape, first);
    size_t start = 0;
    for (const Tensor* x : call.in) {
        copy(call.context, *x, slice(call.out[0], axis, start, x->shape[axis]));
        start += x->shape[axis];
    }
}

void gather(Call& call) {
    const Tensor& x = call.operand(0);
    const size_t axis = call.axis(call.integer("axis", 0), x.rank());
    Tensor indices = call.operand(1);
    std::vector<int64_t> list = integers_of(call.context, reshape(call.context, indices, {indices.count()}));
    for (int64_t& index : list) {
        index += index < 0 ? int64_t(x.shape[axis]) : 0;
        require(index >= 0, "an index before the first");
    }
    Shape shape = x.shape;
    shape.erase(shape.begin() + ptrdiff_t(axis));
    shape.insert(shape.begin() + ptrdiff_t(axis), indices.shape.begin(), indices.shape.end());
    call.out[0] = reshape(call.context, take(call.context, x, axis, list), shape);
}

void expand(Call& call) {
    const Tensor& x = call.operand(0);
    const Shape shape = shape_of(integers_of(call.context, call.operand(1)));
    call.out[0] = dense(call.context, broadcast(x, common_shape(x.shape, shape)));
}

void tile(Call& call) {
    Tensor x = call.operand(0);
    const Shape repeats = shape_of(integers_of(call.context, call.operand(1)));
    require(repeats.size() == x.rank(), "not as many repeats as axes");
    for (size_t axis = 0; axis < x.rank(); ++axis) {
        std::vector<int64_t> indices = indices_for(count_of({x.shape[axis], repeats[axis]}));
        for (size_t i = 0; i < indices.size(); ++i) {
            indices[i] = int64_t(i % x.shape[axis]);
        }
        x = repeats[axis] != 1 ? take(call.context, x, axis, indices) : x;
    }
    call.out[0] = x;
}

void pad(Call& call) {
    Tensor x = call.operand(0);
    const std::vector<int64_t> pads = call.integers(1, "pads");
    const std::string mode = call.text("mode", "constant");
    require(mode == "constant" || mode == "reflect" || mode == "edge", "the mode " + mode + " is not supported");
    require(pads.size() == 2 * x.rank() && !call.has(3), "pads that are not two of each axis");
    const double filler = call.has(2) ? *call.reals(2).reals() : call.real("value", 0);
    for (size_t axis = 0; axis < x.rank(); ++axis) {
        const int64_t before = pads[axis], size = int64_t(x.shape[axis]), last = size - 1;
        constexpr int64_t kMost = int64_t{1} << 40;
        require(std::abs(before) < kMost && std::abs(pads[axis + x.rank()]) < kMost, "a pad that is too large");
        if (before == 0 && pads[axis + x.rank()] == 0) {
            continue;
        }
        std::vector<int64_t> indices = indices_for(shape_of({before + size + pads[axis + x.rank()]})[0]);
        for (size_t i = 0; i < indices.size(); ++i) {
            const int64_t at = int64_t(i) - before;
            if (mode == "constant") {
                indices[i] = at < 0 || at > last ? -1 : at;
            } else if (mode == "edge") {
                indices[i] = std::min(std::max(at, int64_t{0}), last);
            } else {
                indices[i] = at < 0 ? -at : at > last ? 2 * last - at : at;
                require(indices[i] >= 0 && indices[i] <= last, "a pad that is longer than the axis");
            }
        }
        require(mode == "constant" || size != 0, "an empty axis");
        x = take(call.context, x, axis, indices, filler);
    }
    call.out[0] = x;
}

void range(Call& call) {
    const auto [start, limit, step] = std::tuple(call.operand(0), call.operand(1), call.operand(2));
    require(!start.is_real() && !limit.is_real() && !step.is_real(), "floats are not supported");
    const int64_t first = *start.integers(), end = *limit.integers(), by = *step.integers();
    require(by != 0 && std::abs(first) < (1 << 24) && std::abs(end) < (1 << 24), "limits that are too large");
    std::vector<int64_t> values;
    for (int64_t i = first; by > 0 ? i < end : i > end; i += by) {
        values.push_back(i);
    }
    call.out[0] = list(call, values);
}

}  // namespace

const Operators kShapes = {
    {"Cast", cast},
    {"Concat", concat},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape},
    {"Dropout", identity},
    {"Expand", expand},
    {"Flatten", flatten},
    {"Gather", gather},
    {"Identity", identity},
    {"Pad", pad},
    {"Range", range},
    {"Reshape", reshape_to},
    {"Shape", shape},
    {"Size", [](Call& call) { call.out[0] = scalar(call.context, Type::i64, double(call.operand(0).count())); }},
    {"Slice", slice_to},
    {"Split", split},
    {"Squeeze", squeeze},
    {"Tile", tile},
    {"Transpose", transpose_to},
    {"Unsqueeze", unsqueeze},
};

}  // namespace convnet
