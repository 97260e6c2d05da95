// Tensors as views of memory, and loops over their elements.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/common/aligned_memory.hpp"
#include "examples/common/thread_pool.hpp"

namespace convnet {

/// What is wrong with a file, an option or an operand, in a sentence.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};
inline void require(bool condition, const std::string& otherwise) {
    if (!condition) {
        throw Error(otherwise);
    }
}

/// Types of elements, by their numbers in ONNX files. In memory, all but f32 are int64_t.
enum class Type : uint8_t { f32 = 1, u8 = 2, i8 = 3, i32 = 6, i64 = 7, boolean = 9 };
/// Bytes of an element in a file.
size_t size_of(Type type);
const char* name_of(Type type);

using Shape = std::vector<size_t>;
using Strides = std::vector<ptrdiff_t>;

/// Number of elements. Throws Error if there are more than 2^40.
size_t count_of(const Shape& shape);
std::string text_of(const Shape& shape);

/// Memory of tensors, up to a limit. What is given back is used again: a run needs the same sizes as the one before.
class Memory {
public:
    explicit Memory(size_t limit) : pool_(std::make_shared<Pool>()) {
        pool_->limit = limit;
    }
    std::shared_ptr<void> allocate(size_t size);
    size_t peak() const {
        return pool_->peak;
    }

private:
    struct Pool {
        size_t limit = 0, used = 0, peak = 0;  // used: with what is free
        std::multimap<size_t, AlignedMemory> free;
    };
    std::shared_ptr<Pool> pool_;  // buffers may outlive this
};

/// What all operators share.
struct Context {
    ThreadPool& pool;
    Memory& memory;
};

/// A view: tensors that differ in order, part or shape share their memory. Nothing writes to an input.
struct Tensor {
    Type type = Type::f32;
    Shape shape;
    Strides strides;             ///< In elements. 0: all along this axis are one.
    std::shared_ptr<void> data;  ///< The first element. NULL: an optional operand that is not there.

    size_t rank() const {
        return shape.size();
    }
    size_t count() const {
        return count_of(shape);
    }
    bool is_real() const {
        return type == Type::f32;
    }
    float* reals() const {
        return static_cast<float*>(data.get());
    }
    int64_t* integers() const {
        return static_cast<int64_t*>(data.get());
    }
    /// Row-major without gaps.
    bool is_dense() const;
};

/// @name New tensors
/// @{
Tensor make_tensor(Context& context, Type type, const Shape& shape);
/// Without gaps, its axes in memory in the order of those of `like`, which may be broadcast.
Tensor make_like(Context& context, Type type, const Shape& shape, const Tensor& like);
/// With the axes in memory as in `order`, the outermost first.
Tensor make_ordered(Context& context, Type type, const Shape& shape, const std::vector<size_t>& order);
Tensor scalar(Context& context, Type type, double value);
/// The same elements, row-major without gaps: `tensor` itself if it is.
Tensor dense(Context& context, const Tensor& tensor);
/// The order of axes batch, space..., channels of a tensor whose shape is batch, channels, space...
std::vector<size_t> channels_last_order(size_t rank);
/// The same elements in that order: `tensor` itself if it has it.
Tensor channels_last(Context& context, const Tensor& tensor);
void copy(Context& context, const Tensor& from, const Tensor& to);
/// Elements as files have them, row-major, from and to a tensor that is dense.
void read_elements(const char* from, const Tensor& to);
std::string bytes_of(const Tensor& from);
/// @}

/// @name Views
/// @{
Tensor transpose(const Tensor& tensor, const std::vector<size_t>& order);
Tensor swap_axes(Tensor tensor, size_t a, size_t b);
Tensor slice(const Tensor& tensor, size_t axis, size_t start, size_t count, ptrdiff_t step = 1);
Tensor insert_axis(const Tensor& tensor, size_t axis);
Tensor remove_axis(const Tensor& tensor, size_t axis);
/// `tensor` with axes of 1 and missing ones repeated. Throws Error unless it fits.
Tensor broadcast(const Tensor& tensor, const Shape& shape);
/// The shape that both can be broadcast to.
Shape common_shape(const Shape& a, const Shape& b);
/// Other axes; copies if the elements do not lie in order.
Tensor reshape(Context& context, const Tensor& tensor, const Shape& shape);
/// @}

/// Loops over tensors of one shape, as few as possible. The innermost one is where the first tensor's step is least.
template <size_t N>
struct Loops {
    struct Loop {
        size_t count;
        std::array<ptrdiff_t, N> steps;
    };
    std::vector<Loop> outer;
    Loop inner = {1, {}};
    size_t rows = 1;

    Loops(const Shape& shape, const std::array<const Tensor*, N>& tensors) {
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            Loop loop = {shape[axis], {}};
            for (size_t i = 0; i < N; ++i) {
                loop.steps[i] = tensors[i]->strides[axis];
            }
            const auto is_outer = [](const Loop& a, const Loop& b) {
                return std::abs(a.steps[0]) > std::abs(b.steps[0]);
            };
            if (loop.count != 1) {
                outer.insert(std::upper_bound(outer.begin(), outer.end(), loop, is_outer), loop);
            }
        }
        for (size_t i = outer.size(); i-- > 1;) {
            bool joined = true;
            for (size_t t = 0; t < N; ++t) {
                joined = joined && outer[i - 1].steps[t] == outer[i].steps[t] * ptrdiff_t(outer[i].count);
            }
            if (joined) {
                outer[i - 1] = {outer[i - 1].count * outer[i].count, outer[i].steps};
                outer.erase(outer.begin() + ptrdiff_t(i));
            }
        }
        if (!outer.empty()) {
            inner = outer.back();
            outer.pop_back();
        }
        for (const Loop& loop : outer) {
            rows *= loop.count;
        }
    }

    /// Where element `column` of a row is, in each tensor.
    std::array<ptrdiff_t, N> offsets(size_t row, size_t column) const {
        std::array<ptrdiff_t, N> result = {};
        for (size_t loop = outer.size() + 1; loop-- > 0;) {
            const Loop& l = loop == outer.size() ? inner : outer[loop];
            const size_t at = loop == outer.size() ? column : row % l.count;
            row = loop == outer.size() ? row : row / l.count;
            for (size_t i = 0; i < N; ++i) {
                result[i] += ptrdiff_t(at) * l.steps[i];
            }
        }
        return result;
    }
};

/// f(offsets, steps, n) for rows of elements, or parts of rows, that together are all of them. On several threads: rows
/// of the first tensor must be of elements that no other row has.
template <size_t N, typename Function>
void for_each_row(
    ThreadPool& pool, const Shape& shape, const std::array<const Tensor*, N>& tensors, Function function) {
    constexpr size_t kTask = 1 << 14;  // elements
    const Loops<N> loops(shape, tensors);
    const size_t columns = loops.inner.count, parts = (columns + kTask - 1) / kTask;
    const size_t units = loops.rows * parts,
                 per_task = std::max<size_t>(1, kTask * parts / std::max<size_t>(columns, 1));
    pool.for_each((units + per_task - 1) / per_task, [&](size_t task) {
        for (size_t unit = task * per_task; unit < std::min(units, (task + 1) * per_task); ++unit) {
            const size_t start = unit % parts * kTask;
            function(loops.offsets(unit / parts, start), loops.inner.steps, std::min(kTask, columns - start));
        }
    });
}

}  // namespace convnet
