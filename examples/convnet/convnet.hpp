// Networks from ONNX files: tensors and the walks over their elements, a model, and what its nodes compute.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "examples/common/aligned_memory.hpp"
#include "examples/common/thread_pool.hpp"

namespace convnet {

/// What is wrong with a file, an option or an operand, in a sentence.
using Error = std::runtime_error;
inline void require(bool condition, const std::string& otherwise) {
    if (!condition) {
        throw Error(otherwise);
    }
}

/// Types of elements, by their numbers in ONNX files. In memory, all but f32 are int64_t.
enum class Type { f32 = 1, i32 = 6, i64 = 7, boolean = 9 };
/// Throws Error unless tensors may have elements of this number.
Type known_type(int64_t number, const std::string& what);
/// Bytes of an element in a file.
size_t size_of(Type type);

using Shape = std::vector<size_t>;
using Axes = std::vector<size_t>;

/// Number of elements. Throws Error if there are more than 2^40.
size_t count_of(const Shape& shape);
std::string text_of(const Shape& shape);
/// Throws Error if a size is negative.
Shape shape_of(const std::vector<int64_t>& sizes);

/// Memory of tensors, which it must outlive. What is given back is used again: a run needs the sizes of the last one.
struct Memory {
    size_t limit, used = 0;  // with what is free
    std::multimap<size_t, AlignedMemory> free = {};
    std::shared_ptr<void> allocate(size_t size);
};

/// What all operators share.
struct Context {
    ThreadPool& pool;
    Memory& memory;
    int64_t opset = 0;  ///< The version of the operators of the model.
};

/// A view: tensors that differ in order, part or shape share their memory. Nothing writes to an input.
struct Tensor {
    Type type = Type::f32;
    Shape shape;
    std::vector<ptrdiff_t> strides;  ///< In elements. 0: all along this axis are one.
    std::shared_ptr<void> data;      ///< The first element. NULL: an optional operand that is not there.
    bool constant = false;           ///< The same in each run.

    bool is_real() const {
        return type == Type::f32;
    }
    template <typename T>
    T* elements() const {
        return static_cast<T*>(data.get());
    }
    float* reals() const {
        return elements<float>();
    }
    int64_t* integers() const {
        return elements<int64_t>();
    }
};

/// Without gaps, its axes in memory as in `order`, the outermost first; row-major if that is empty.
Tensor make_tensor(Context& context, Type type, const Shape& shape, const Axes& order = {});
/// first, first + 1 and so on; none if `end` is not behind it.
Axes axes_between(size_t first, size_t end);
/// The order of the axes in memory, of a tensor that is broadcast to a shape; first those that may be anywhere.
Axes order_of(const Shape& shape, const Tensor& tensor);
/// The same elements with the axes in this order in memory: `tensor` itself if it has it.
Tensor dense(Context& context, const Tensor& tensor, const Axes& order = {});
/// Other axes; copies if the elements do not lie in order.
Tensor reshape(Context& context, const Tensor& tensor, const Shape& shape);
/// Elements as files have them, row-major, from and to a tensor that is dense.
void read_elements(const char* from, const Tensor& to);
std::string bytes_of(const Tensor& from);

Tensor transpose(const Tensor& tensor, const Axes& order);
Tensor slice(Tensor tensor, size_t axis, size_t start, size_t count, ptrdiff_t step = 1);
Tensor insert_axis(Tensor tensor, size_t axis, size_t count = 1, ptrdiff_t stride = 0);
Tensor remove_axis(Tensor tensor, size_t axis);
/// The shape that both can be broadcast to: axes of 1 and missing ones are repeated. Throws Error if there is none.
Shape common_shape(const Shape& a, const Shape& b);
/// `tensor` in this shape, to which it can be broadcast.
Tensor broadcast(Tensor tensor, const Shape& shape);

/// A value for each of three tensors, in elements.
using Offsets = std::array<ptrdiff_t, 3>;
/// Element i of a row is `at[t] + i * steps[t]` in tensor t.
using Row = std::function<void(const Offsets& at, const Offsets& steps, ptrdiff_t count)>;
/// Calls `row` for rows that together are all elements of three tensors of one shape: as long as possible, along the
/// axis where elements of `to` are neighbours. On several threads: rows of `to` must have no elements in common.
void for_each_row(ThreadPool& pool, const Tensor& to, const Tensor& x, const Tensor& y, const Row& row);

/// The walk of nearly all operators: `to` becomes f(x, y), element by element. All have one shape.
template <typename To, typename X, typename Y, typename Function>
void apply(ThreadPool& pool, const Tensor& to, const Tensor& x, const Tensor& y, Function f) {
    for_each_row(pool, to, x, y, [&](const Offsets& at, const Offsets& steps, ptrdiff_t count) {
        To* const r = to.elements<To>() + at[0];
        const X* const p = x.elements<X>() + at[1];
        const Y* const q = y.elements<Y>() + at[2];
        const auto loop = [=](auto to_step, auto x_step, auto y_step) {
            for (ptrdiff_t i = 0; i < count; ++i) {
                r[i * to_step] = To(f(p[i * x_step], q[i * y_step]));
            }
        };
        const std::integral_constant<ptrdiff_t, 1> one;  // the compiler's vectors need steps that it knows
        const std::integral_constant<ptrdiff_t, 0> same;
        steps == Offsets{1, 1, 1}   ? loop(one, one, one)
        : steps == Offsets{1, 1, 0} ? loop(one, one, same)
                                    : loop(steps[0], steps[1], steps[2]);
    });
}

/// The one strided copy: elements move into the order that `to` has.
void copy(Context& context, const Tensor& from, const Tensor& to);

/// f(x, y) of elements of type T, broadcast, as elements of type To; or of floats.
template <typename T, typename To, typename Function>
Tensor combine(Context& context, Type type, const Tensor& a, const Tensor& b, Function f) {
    const Shape shape = common_shape(a.shape, b.shape);
    const Tensor x = broadcast(a, shape), y = broadcast(b, shape);
    const Tensor& larger = count_of(a.shape) >= count_of(b.shape) ? x : y;
    Tensor result = make_tensor(context, type, shape, order_of(shape, larger));
    apply<To, T, T>(context.pool, result, x, y, f);
    return result;
}
template <typename Function>
Tensor combine(Context& context, const Tensor& a, const Tensor& b, Function f) {
    return combine<float, float>(context, Type::f32, a, b, f);
}

struct Graph;

/// One of its members has the value.
struct Attribute {
    int64_t integer = 0;
    float real = 0;
    std::string text = {};
    std::vector<int64_t> integers = {};
    Tensor tensor = {};
    std::shared_ptr<Graph> graph = {};
};

struct Node {
    std::string type, name;
    std::vector<std::string> inputs, outputs;  ///< Empty: an optional one that is not there.
    std::map<std::string, Attribute> attributes;
    std::set<std::string> names;      ///< Of all values that it and its branches read or compute.
    std::vector<std::string> unused;  ///< Values of this graph that nobody needs after this node.
    std::shared_ptr<void> kept[2];    ///< From one run to the next: packed weights.
    bool done = false;                ///< It needs no input: its results are constants of the graph.
};

struct Input {
    std::string name;
    Type type;
    std::vector<int64_t> shape;  ///< -1: any size.
};

struct Graph {
    std::vector<Node> nodes;
    std::map<std::string, Tensor> constants;
    std::vector<Input> inputs;  ///< Without those that are constants.
    std::vector<std::string> outputs;
    std::set<std::string> names;  ///< Of all values that its nodes read or compute.
};

/// Reads an ONNX file; sets `context.opset`. Throws Error if it is damaged or has what this program does not know.
Graph read_graph(Context& context, const uint8_t* data, size_t size);
/// `inputs`: in the order of the graph. What does not depend on them is computed in the first run.
std::vector<Tensor> run(Context& context, Graph& graph, const std::vector<Tensor>& inputs);

/// Where axis `axis` is; negative ones count from the end.
inline size_t find_axis(int64_t axis, size_t rank) {
    const int64_t size = int64_t(rank);
    require(axis >= -size && axis < size, "there is no axis " + std::to_string(axis) + " of " + std::to_string(rank));
    return size_t(axis < 0 ? axis + size : axis);
}

/// A node that runs: its operands and its attributes.
struct Call : Context {
    Node& node;
    std::vector<const Tensor*> in;  ///< NULL: not there.
    std::vector<Tensor> more;       ///< Results besides the first.

    bool has(size_t i) const {
        return i < in.size() && in[i] != nullptr;
    }
    const Tensor& operand(size_t i) const {
        require(has(i), "operand " + std::to_string(i) + " is missing");
        return *in[i];
    }
    /// The same, of floats.
    const Tensor& reals(size_t i) const {
        require(operand(i).is_real() && count_of(in[i]->shape) != 0, "operand " + std::to_string(i) + " has no floats");
        return *in[i];
    }
    /// The elements of operand `i`, or in older versions an attribute; empty if there is neither.
    std::vector<int64_t> integers(size_t i, const char* name = "") {
        if (!has(i)) {
            return attribute(name).integers;
        }
        require(!in[i]->is_real(), "operand " + std::to_string(i) + " has no integers");
        const Tensor list = dense(*this, *in[i]);
        return {list.integers(), list.integers() + count_of(list.shape)};
    }
    Attribute attribute(const char* name, const Attribute& otherwise = {}) const {
        const auto found = node.attributes.find(name);
        return found != node.attributes.end() ? found->second : otherwise;
    }
    /// Throws Error if these attributes are there with another integer or text; "": if they are there.
    void only(std::initializer_list<const char*> names, const std::string& supported) const {
        for (const char* name : names) {
            const Attribute value = attribute(name);
            const std::string text = value.text.empty() ? std::to_string(value.integer) : value.text;
            const bool good = node.attributes.count(name) == 0 || text == supported;
            require(good, std::string(name) + " is only supported as '" + supported + "'");
        }
    }
};

/// By the names of ONNX.
using Operators = std::map<std::string_view, std::function<Tensor(Call&)>>;
extern const Operators kOperators, kLayers;

enum class Reduction { sum, mean, max };
/// Reduces these axes to 1.
Tensor reduce(Context& context, const Tensor& x, const Axes& along, Reduction reduction);

}  // namespace convnet
