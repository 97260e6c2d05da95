// Tensors as views of memory: making, ordering, sharing, walking.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/convnet/convnet.hpp"

#include <cstring>
#include <numeric>

namespace convnet {

Type known_type(int64_t number, const std::string& what) {
    const bool known = number == 1 || number == 6 || number == 7 || number == 9;
    require(known, what + " has elements of type " + std::to_string(number) + ", which is not supported");
    return Type(number);
}

size_t size_of(Type type) {
    return type == Type::i64 ? 8 : type == Type::boolean ? 1 : 4;
}

size_t count_of(const Shape& shape) {
    constexpr size_t kMost = size_t{1} << 40;
    size_t count = 1;  // strides must not overflow, even if there is no element
    for (const size_t size : shape) {
        require(size <= kMost / count, "a tensor of shape " + text_of(shape) + " is too large");
        count *= std::max<size_t>(size, 1);
    }
    return std::count(shape.begin(), shape.end(), 0) != 0 ? 0 : count;
}

std::string text_of(const Shape& shape) {
    std::string text = "[";
    for (const size_t size : shape) {
        text += (text.size() > 1 ? "," : "") + std::to_string(size);
    }
    return text + "]";
}

Shape shape_of(const std::vector<int64_t>& sizes) {
    require(std::all_of(sizes.begin(), sizes.end(), [](int64_t x) { return x >= 0; }), "a negative size");
    return {sizes.begin(), sizes.end()};
}

std::shared_ptr<void> Memory::allocate(size_t size) {
    size = (std::max<size_t>(size, 1) + 63) / 64 * 64;
    const auto give_back = [this, size](void* data) { free.emplace(size, data); };
    if (auto found = free.extract(size)) {
        return {found.mapped().release(), give_back};
    }
    for (auto i = free.begin(); i != free.end() && size > limit - used; i = free.erase(i)) {
        used -= i->first;
    }
    require(size <= limit - used, "the tensors need more than " + std::to_string(limit >> 20) + " MiB (--memory)");
    AlignedMemory memory = ::allocate(size);
    used += size;
    return {memory.release(), give_back};
}

Axes axes_between(size_t first, size_t end) {
    Axes axes(std::max(first, end) - first);
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

Axes order_of(const Shape& shape, const Tensor& tensor) {
    Axes order = axes_between(0, shape.size());
    const auto stride = [&](size_t axis) { return shape[axis] == 1 ? 0 : std::abs(tensor.strides[axis]); };
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return stride(a) == stride(b) ? a < b : stride(b) != 0 && (stride(a) == 0 || stride(a) > stride(b));
    });
    return order;
}

/// Of axes that lie in this order, without gaps.
static std::vector<ptrdiff_t> strides_of(const Shape& shape, const Axes& order) {
    count_of(shape);  // not too large: strides do not overflow
    std::vector<ptrdiff_t> strides(shape.size());
    ptrdiff_t stride = 1;
    for (size_t i = shape.size(); i-- > 0;) {
        const size_t axis = order.empty() ? i : order[i];
        strides[axis] = stride;
        stride *= ptrdiff_t(shape[axis]);
    }
    return strides;
}

Tensor make_tensor(Context& context, Type type, const Shape& shape, const Axes& order) {
    const size_t size = type == Type::f32 ? sizeof(float) : sizeof(int64_t);
    return {type, shape, strides_of(shape, order), context.memory.allocate(count_of(shape) * size)};
}

Tensor dense(Context& context, const Tensor& tensor, const Axes& order) {
    const std::vector<ptrdiff_t> strides = strides_of(tensor.shape, order);
    bool is_dense = true;
    for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        is_dense = is_dense && (tensor.shape[axis] == 1 || tensor.strides[axis] == strides[axis]);
    }
    if (is_dense) {
        return tensor;
    }
    Tensor result = make_tensor(context, tensor.type, tensor.shape, order);
    copy(context, tensor, result);
    return result;
}

Tensor reshape(Context& context, const Tensor& tensor, const Shape& shape) {
    const bool fits = count_of(shape) == count_of(tensor.shape);
    require(fits, text_of(tensor.shape) + " has not as many elements as " + text_of(shape));
    return {tensor.type, shape, strides_of(shape, {}), dense(context, tensor).data, tensor.constant};
}

void read_elements(const char* from, const Tensor& to) {
    const size_t size = size_of(to.type), in_memory = to.is_real() ? sizeof(float) : sizeof(int64_t);
    for (size_t i = 0, count = count_of(to.shape); i < count; ++i) {
        int64_t value = 0;  // little endian: the bytes of a file are the low ones
        std::memcpy(&value, from + i * size, size);
        value = to.type == Type::i32 ? int32_t(value) : value;
        std::memcpy(to.elements<char>() + i * in_memory, &value, in_memory);
    }
}

std::string bytes_of(const Tensor& from) {
    const size_t size = size_of(from.type), in_memory = from.is_real() ? sizeof(float) : sizeof(int64_t);
    std::string bytes(count_of(from.shape) * size, '\0');
    for (size_t i = 0; i < bytes.size() / size; ++i) {
        std::memcpy(&bytes[i * size], from.elements<char>() + i * in_memory, size);
    }
    return bytes;
}

Tensor transpose(const Tensor& tensor, const Axes& order) {
    Tensor result = tensor;
    for (size_t i = 0; i < order.size(); ++i) {
        result.shape[i] = tensor.shape[order[i]];
        result.strides[i] = tensor.strides[order[i]];
    }
    return result;
}

Tensor slice(Tensor tensor, size_t axis, size_t start, size_t count, ptrdiff_t step) {
    const ptrdiff_t offset = ptrdiff_t(start) * tensor.strides[axis];
    tensor.shape[axis] = count;
    tensor.strides[axis] = count > 1 ? tensor.strides[axis] * step : 0;
    if (count_of(tensor.shape) != 0) {  // an empty one has no first element
        void* first = tensor.is_real() ? static_cast<void*>(tensor.reals() + offset) : tensor.integers() + offset;
        tensor.data = std::shared_ptr<void>(tensor.data, first);
    }
    return tensor;
}

Tensor insert_axis(Tensor tensor, size_t axis, size_t count, ptrdiff_t stride) {
    tensor.shape.insert(tensor.shape.begin() + ptrdiff_t(axis), count);
    tensor.strides.insert(tensor.strides.begin() + ptrdiff_t(axis), stride);
    return tensor;
}

Tensor remove_axis(Tensor tensor, size_t axis) {
    tensor.shape.erase(tensor.shape.begin() + ptrdiff_t(axis));
    tensor.strides.erase(tensor.strides.begin() + ptrdiff_t(axis));
    return tensor;
}

Shape common_shape(const Shape& a, const Shape& b) {
    Shape result = a.size() > b.size() ? a : b;
    const Shape& other = a.size() > b.size() ? b : a;
    std::transform(other.rbegin(), other.rend(), result.rbegin(), result.rbegin(), [&](size_t x, size_t y) {
        require(x == y || x == 1 || y == 1, "shapes " + text_of(a) + " and " + text_of(b) + " do not fit");
        return x == 1 ? y : x;
    });
    return result;
}

Tensor broadcast(Tensor tensor, const Shape& shape) {
    while (tensor.shape.size() < shape.size()) {
        tensor = insert_axis(tensor, 0);
    }
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        tensor.strides[axis] = tensor.shape[axis] == 1 ? 0 : tensor.strides[axis];
    }
    tensor.shape = shape;
    return tensor;
}

namespace {

struct Loop {
    size_t count;
    Offsets steps;
};

/// The rows of iterations `begin` to `end` of a loop and of those inside it.
void walk(const Loop* loop, const Loop* last, Offsets at, size_t begin, size_t end, const Row& row) {
    const auto move = [&](size_t iterations) {
        for (size_t t = 0; t < at.size(); ++t) {
            at[t] += ptrdiff_t(iterations) * loop->steps[t];
        }
    };
    move(begin);
    if (loop == last) {
        row(at, loop->steps, ptrdiff_t(end - begin));
        return;
    }
    for (size_t i = begin; i < end; ++i, move(1)) {
        walk(loop + 1, last, at, 0, loop[1].count, row);
    }
}

}  // namespace

void for_each_row(ThreadPool& pool, const Tensor& to, const Tensor& x, const Tensor& y, const Row& row) {
    std::vector<Loop> loops = {{1, {}}};  // the outermost first, as few as possible
    for (const size_t axis : order_of(to.shape, to)) {
        Loop loop = {to.shape[axis], {to.strides[axis], x.strides[axis], y.strides[axis]}};
        bool goes_on = true;  // the loop around this one, where it ends, in all tensors
        for (size_t t = 0; t < loop.steps.size(); ++t) {
            goes_on = goes_on && loops.back().steps[t] == loop.steps[t] * ptrdiff_t(loop.count);
        }
        if (goes_on || loops.back().count == 1) {
            loop.count *= loops.back().count;
            loops.back() = loop;
        } else if (loop.count != 1) {
            loops.push_back(loop);
        }
    }
    const size_t count = count_of(to.shape), outermost = loops[0].count;
    if (count == 0) {
        return;
    }
    constexpr size_t kTask = 1 << 14;  // elements: fewer are not worth a thread
    const size_t per_task = std::max<size_t>(1, kTask / (count / outermost));
    pool.for_each((outermost + per_task - 1) / per_task, [&](size_t task) {
        const size_t begin = task * per_task;
        walk(&loops.front(), &loops.back(), {}, begin, std::min(outermost, begin + per_task), row);
    });
}

void copy(Context& context, const Tensor& from, const Tensor& to) {
    const auto first = [](auto x, auto) { return x; };
    to.is_real() ? apply<float, float, float>(context.pool, to, from, from, first)
                 : apply<int64_t, int64_t, int64_t>(context.pool, to, from, from, first);
}

}  // namespace convnet
