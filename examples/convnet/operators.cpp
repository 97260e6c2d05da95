// What operators share: operands and attributes of a node, elements taken along an axis.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/convnet/operators.hpp"

namespace convnet {

const Tensor& Call::operand(size_t i) const {
    require(has(i), "operand " + std::to_string(i) + " is missing");
    return *in[i];
}
const Tensor& Call::reals(size_t i) const {
    require(operand(i).is_real() && in[i]->count() != 0, "operand " + std::to_string(i) + " has no floats");
    return *in[i];
}
int64_t Call::integer(const char* name, int64_t otherwise) const {
    const auto found = node.attributes.find(name);
    return found != node.attributes.end() ? found->second.integer : otherwise;
}
float Call::real(const char* name, float otherwise) const {
    const auto found = node.attributes.find(name);
    return found != node.attributes.end() ? found->second.real : otherwise;
}
std::string Call::text(const char* name, const char* otherwise) const {
    const auto found = node.attributes.find(name);
    return found != node.attributes.end() ? found->second.text : otherwise;
}
std::vector<int64_t> Call::integers(const char* name) const {
    const auto found = node.attributes.find(name);
    return found != node.attributes.end() ? found->second.integers : std::vector<int64_t>();
}
std::vector<int64_t> Call::integers(size_t operand, const char* attribute) const {
    return has(operand) ? integers_of(context, *in[operand]) : integers(attribute);
}
size_t Call::axis(int64_t axis, size_t rank) const {
    const int64_t size = int64_t(rank);
    require(axis >= -size && axis < size, "there is no axis " + std::to_string(axis) + " of " + std::to_string(rank));
    return size_t(axis < 0 ? axis + size : axis);
}

std::vector<int64_t> integers_of(Context& context, const Tensor& tensor) {
    require(!tensor.is_real() && tensor.rank() <= 1, "an operand that is no list of integers");
    const Tensor list = dense(context, tensor);
    return {list.integers(), list.integers() + list.count()};
}

Tensor take(Context& context, const Tensor& tensor, size_t axis, const std::vector<int64_t>& indices, double filler) {
    Shape shape = tensor.shape;
    shape[axis] = indices.size();
    const Tensor result = make_like(context, tensor.type, shape, tensor);
    const Tensor fill = scalar(context, tensor.type, filler);
    for (size_t i = 0, run = 0; i < indices.size(); i += run) {  // neighbours that stay neighbours are copied at once
        const int64_t first = indices[i];
        for (run = 1; i + run < indices.size() && indices[i + run] == (first < 0 ? -1 : first + int64_t(run));) {
            ++run;
        }
        require(first < 0 || size_t(first) + run <= tensor.shape[axis], "an index beyond axis " + std::to_string(axis));
        const Tensor to = slice(result, axis, i, run);
        copy(context, first < 0 ? broadcast(fill, to.shape) : slice(tensor, axis, size_t(first), run), to);
    }
    return result;
}

std::vector<int64_t> indices_for(size_t count) {
    require(count < (size_t{1} << 22), "an axis of " + std::to_string(count) + " is too long");
    return std::vector<int64_t>(count);
}

}  // namespace convnet
