// Tensors as views of memory: making, ordering, sharing.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/convnet/tensor.hpp"

#include <cstring>
#include <numeric>

namespace convnet {

size_t size_of(Type type) {
    return type == Type::i64 ? 8 : type == Type::f32 || type == Type::i32 ? 4 : 1;
}

const char* name_of(Type type) {
    const char* const names[] = {"", "float32", "uint8", "int8", "", "", "int32", "int64", "", "bool"};
    return names[static_cast<size_t>(type)];
}

size_t count_of(const Shape& shape) {
    constexpr size_t kMost = size_t{1} << 40;
    size_t strides = 1;  // they must not overflow, even if there is no element
    bool empty = false;
    for (const size_t size : shape) {
        empty = empty || size == 0;
        require(size == 0 || strides <= kMost / size, "a tensor of shape " + text_of(shape) + " is too large");
        strides *= std::max<size_t>(size, 1);
    }
    return empty ? 0 : strides;
}

std::string text_of(const Shape& shape) {
    std::string text = "[";
    for (const size_t size : shape) {
        text += (text.size() > 1 ? "," : "") + std::to_string(size);
    }
    return text + "]";
}

std::shared_ptr<void> Memory::allocate(size_t size) {
    const std::shared_ptr<Pool> pool = pool_;
    size = (std::max<size_t>(size, 1) + 63) / 64 * 64;
    AlignedMemory memory;
    const auto found = pool->free.find(size);
    if (found != pool->free.end()) {
        memory = std::move(found->second);
        pool->free.erase(found);
    } else {
        for (auto i = pool->free.begin(); i != pool->free.end() && size > pool->limit - pool->used;) {
            pool->used -= i->first;
            i = pool->free.erase(i);
        }
        require(
            size <= pool->limit - pool->used,
            "the tensors need more than " + std::to_string(pool->limit >> 20) + " MiB (--memory)");
        memory = ::allocate(size);
        pool->used += size;
        pool->peak = std::max(pool->peak, pool->used);
    }
    return {memory.release(), [pool, size](void* data) { pool->free.emplace(size, data); }};
}

bool Tensor::is_dense() const {
    ptrdiff_t stride = 1;
    for (size_t axis = rank(); axis-- > 0;) {
        if (shape[axis] != 1 && strides[axis] != stride) {
            return count() == 0;
        }
        stride *= ptrdiff_t(shape[axis]);
    }
    return true;
}

Tensor make_ordered(Context& context, Type type, const Shape& shape, const std::vector<size_t>& order) {
    const size_t count = count_of(shape), size = type == Type::f32 ? sizeof(float) : sizeof(int64_t);
    Tensor result = {type, shape, Strides(shape.size()), context.memory.allocate(count * size)};
    ptrdiff_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
        result.strides[order[i]] = stride;
        stride *= ptrdiff_t(std::max<size_t>(shape[order[i]], 1));
    }
    return result;
}

Tensor make_tensor(Context& context, Type type, const Shape& shape) {
    std::vector<size_t> order(shape.size());
    std::iota(order.begin(), order.end(), size_t{0});
    return make_ordered(context, type, shape, order);
}

Tensor make_like(Context& context, Type type, const Shape& shape, const Tensor& like) {
    std::vector<size_t> order(shape.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (like.rank() == shape.size()) {
        const auto stride = [&](size_t axis) { return shape[axis] == 1 ? 0 : std::abs(like.strides[axis]); };
        // Axes of 1 may be anywhere; those that are broadcast come first.
        std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            const bool a_first = stride(a) == 0, b_first = stride(b) == 0;
            return a_first != b_first ? a_first : stride(a) != stride(b) ? stride(a) > stride(b) : a < b;
        });
    }
    return make_ordered(context, type, shape, order);
}

Tensor scalar(Context& context, Type type, double value) {
    Tensor result = make_tensor(context, type, {});
    if (type == Type::f32) {
        *result.reals() = static_cast<float>(value);
    } else {
        *result.integers() = static_cast<int64_t>(value);
    }
    return result;
}

Tensor dense(Context& context, const Tensor& tensor) {
    if (tensor.is_dense()) {
        return tensor;
    }
    Tensor result = make_tensor(context, tensor.type, tensor.shape);
    copy(context, tensor, result);
    return result;
}

std::vector<size_t> channels_last_order(size_t rank) {
    std::vector<size_t> order = {0};
    for (size_t axis = 2; axis < rank; ++axis) {
        order.push_back(axis);
    }
    order.push_back(1);
    return order;
}

Tensor channels_last(Context& context, const Tensor& tensor) {
    const std::vector<size_t> order = channels_last_order(tensor.rank());
    if (transpose(tensor, order).is_dense()) {
        return tensor;
    }
    Tensor result = make_ordered(context, tensor.type, tensor.shape, order);
    copy(context, tensor, result);
    return result;
}

namespace {

template <typename T>
void copy_elements(Context& context, const Tensor& from, const Tensor& to) {
    const auto* source = static_cast<const T*>(from.data.get());
    auto* target = static_cast<T*>(to.data.get());
    for_each_row<2>(context.pool, from.shape, {&to, &from}, [=](const auto& offsets, const auto& steps, size_t count) {
        T* t = target + offsets[0];
        const T* s = source + offsets[1];
        if (steps[0] == 1 && steps[1] == 1) {
            std::copy(s, s + count, t);
            return;
        }
        for (size_t i = 0; i < count; ++i) {
            t[ptrdiff_t(i) * steps[0]] = s[ptrdiff_t(i) * steps[1]];
        }
    });
}

Tensor at_offset(const Tensor& tensor, ptrdiff_t offset) {
    Tensor result = tensor;
    if (tensor.count() != 0) {
        const ptrdiff_t size = tensor.is_real() ? sizeof(float) : sizeof(int64_t);
        result.data = std::shared_ptr<void>(tensor.data, static_cast<char*>(tensor.data.get()) + offset * size);
    }
    return result;
}

}  // namespace

void copy(Context& context, const Tensor& from, const Tensor& to) {
    from.is_real() ? copy_elements<float>(context, from, to) : copy_elements<int64_t>(context, from, to);
}

Tensor transpose(const Tensor& tensor, const std::vector<size_t>& order) {
    Tensor result = tensor;
    for (size_t i = 0; i < order.size(); ++i) {
        result.shape[i] = tensor.shape[order[i]];
        result.strides[i] = tensor.strides[order[i]];
    }
    return result;
}

Tensor swap_axes(Tensor tensor, size_t a, size_t b) {
    std::swap(tensor.shape[a], tensor.shape[b]);
    std::swap(tensor.strides[a], tensor.strides[b]);
    return tensor;
}

Tensor slice(const Tensor& tensor, size_t axis, size_t start, size_t count, ptrdiff_t step) {
    Tensor result = count != 0 ? at_offset(tensor, ptrdiff_t(start) * tensor.strides[axis]) : tensor;
    result.shape[axis] = count;
    result.strides[axis] *= step;
    return result;
}

Tensor insert_axis(const Tensor& tensor, size_t axis) {
    Tensor result = tensor;
    result.shape.insert(result.shape.begin() + ptrdiff_t(axis), 1);
    result.strides.insert(result.strides.begin() + ptrdiff_t(axis), 0);
    return result;
}

Tensor remove_axis(const Tensor& tensor, size_t axis) {
    Tensor result = tensor;
    result.shape.erase(result.shape.begin() + ptrdiff_t(axis));
    result.strides.erase(result.strides.begin() + ptrdiff_t(axis));
    return result;
}

Tensor broadcast(const Tensor& tensor, const Shape& shape) {
    const std::string otherwise = text_of(tensor.shape) + " cannot be broadcast to " + text_of(shape);
    require(tensor.rank() <= shape.size(), otherwise);
    count_of(shape);
    Tensor result = tensor;
    while (result.rank() < shape.size()) {
        result = insert_axis(result, 0);
    }
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        require(result.shape[axis] == shape[axis] || result.shape[axis] == 1, otherwise);
        result.strides[axis] = result.shape[axis] == 1 ? 0 : result.strides[axis];
    }
    result.shape = shape;
    return result;
}

Shape common_shape(const Shape& a, const Shape& b) {
    Shape result(std::max(a.size(), b.size()), 1);
    for (size_t i = 0; i < result.size(); ++i) {
        const size_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
        require(x == y || x == 1 || y == 1, "shapes " + text_of(a) + " and " + text_of(b) + " do not fit");
        result[result.size() - 1 - i] = x == 1 ? y : x;
    }
    return result;
}

Tensor reshape(Context& context, const Tensor& tensor, const Shape& shape) {
    require(
        count_of(shape) == tensor.count(), text_of(tensor.shape) + " has not as many elements as " + text_of(shape));
    Tensor result = dense(context, tensor);
    result.shape = shape, result.strides.assign(shape.size(), 0);
    ptrdiff_t stride = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
        result.strides[axis] = stride;
        stride *= ptrdiff_t(std::max<size_t>(shape[axis], 1));
    }
    return result;
}

namespace {

template <typename T>
void from_file(const char* from, int64_t* to, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, from + i * sizeof(T), sizeof(T));
        to[i] = value;
    }
}

template <typename T>
std::string to_file(const int64_t* from, size_t count) {
    std::vector<T> values(from, from + count);
    return {reinterpret_cast<const char*>(values.data()), count * sizeof(T)};
}

}  // namespace

void read_elements(const char* from, const Tensor& to) {
    const size_t count = to.count();
    switch (to.type) {
        case Type::f32:
            std::copy(from, from + count * sizeof(float), static_cast<char*>(to.data.get()));
            break;
        case Type::i64:
            return from_file<int64_t>(from, to.integers(), count);
        case Type::i32:
            return from_file<int32_t>(from, to.integers(), count);
        case Type::i8:
            return from_file<int8_t>(from, to.integers(), count);
        default:
            return from_file<uint8_t>(from, to.integers(), count);
    }
}

std::string bytes_of(const Tensor& from) {
    const size_t count = from.count();
    switch (from.type) {
        case Type::f32:
            return {static_cast<const char*>(from.data.get()), count * sizeof(float)};
        case Type::i64:
            return to_file<int64_t>(from.integers(), count);
        case Type::i32:
            return to_file<int32_t>(from.integers(), count);
        default:
            return to_file<uint8_t>(from.integers(), count);
    }
}

}  // namespace convnet
