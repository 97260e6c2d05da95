// Operators: what a node of a graph computes. A table for each group, by the names of ONNX.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "examples/convnet/model.hpp"
#include "kai/gemm/kai_gemm.h"

namespace convnet {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// What a node keeps from one run to the next: packed weights.
struct Kept {
    Kept() = default;
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    virtual ~Kept() = default;
};

/// A node that runs. Operators read the operands and set `out`.
struct Call {
    Context& context;
    const Node& node;
    int64_t opset;
    std::vector<const Tensor*> in;  ///< NULL: not there.
    std::vector<bool> is_constant;  ///< Of each operand.
    std::vector<Tensor> out;        ///< As many as the node has.
    std::unique_ptr<Kept>& kept;

    bool has(size_t i) const {
        return i < in.size() && in[i] != nullptr;
    }
    const Tensor& operand(size_t i) const;
    /// The same, of floats.
    const Tensor& reals(size_t i) const;
    /// Attributes, or `otherwise`.
    int64_t integer(const char* name, int64_t otherwise) const;
    float real(const char* name, float otherwise) const;
    std::string text(const char* name, const char* otherwise) const;
    std::vector<int64_t> integers(const char* name) const;
    /// Integers that are an operand, or an attribute of older versions; empty if there is neither.
    std::vector<int64_t> integers(size_t operand, const char* attribute) const;
    /// Where axis `axis` is; negative ones count from the end.
    size_t axis(int64_t axis, size_t rank) const;
    Tensor make(Type type, const Shape& shape) const {
        return make_tensor(context, type, shape);
    }
};

using Operator = void(Call&);
using Operators = std::map<std::string_view, Operator*>;
extern const Operators kElementwise, kShapes, kReductions, kWindows, kMatrices, kRecurrent;

/// Of floats, broadcast.
Tensor add(Context& context, const Tensor& a, const Tensor& b);
Tensor multiply(Context& context, const Tensor& a, const Tensor& b);
/// BatchNormalization as a factor and a shift of each channel. `operands`: scale, bias, mean and variance; false if one
/// of them is not there, not dense, or not of `channels` floats.
bool channel_factors(
    const std::array<const Tensor*, 4>& operands, float epsilon, size_t channels, std::vector<double>& factors,
    std::vector<double>& shifts);
/// `tensor[..., indices[i], ...]` along `axis`: -1 stands for `filler`.
Tensor take(
    Context& context, const Tensor& tensor, size_t axis, const std::vector<int64_t>& indices, double filler = 0);
/// So many indices for take, all 0.
std::vector<int64_t> indices_for(size_t count);
/// The elements of a list. Throws Error if they are no integers.
std::vector<int64_t> integers_of(Context& context, const Tensor& tensor);

/// Throws Error unless `status` is OK. `why`: the reason of a plan, or empty.
void require(kai_gemm_status status, const char* why = "");

/// Products with one matrix B of floats, which is packed once.
class Product {
public:
    /// `b`: a view of k x n.
    Product(Context& context, const Tensor& b, size_t rows);
    /// `a`: rows x k without gaps, `c`: rows x n.
    void run(Context& context, const float* a, size_t rows, float* c);

private:
    kai_gemm_plan plan_;
    Tensor b_;
    std::shared_ptr<void> packed_;
};

}  // namespace convnet
