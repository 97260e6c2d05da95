// A model as an ONNX file has it: nodes of a graph, their attributes, constants, inputs and outputs.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "examples/convnet/tensor.hpp"

namespace convnet {

struct Graph;

/// One of its members has the value.
struct Attribute {
    int64_t integer = 0;
    float real = 0;
    std::string text;
    std::vector<int64_t> integers;
    std::vector<float> reals;
    Tensor tensor;
    std::shared_ptr<Graph> graph;
};

struct Node {
    std::string type, name;
    std::vector<std::string> inputs, outputs;  ///< Empty: an optional one that is not there.
    std::map<std::string, Attribute> attributes;
};

/// An input or an output of the model.
struct Value {
    std::string name;
    Type type;
    std::vector<int64_t> shape;  ///< -1: any size.
    bool has_shape;
};

struct Graph {
    std::vector<Node> nodes;
    std::map<std::string, Tensor> constants;
    std::vector<Value> inputs, outputs;  ///< Without those of the inputs that are constants.
};

struct Model {
    int64_t opset = 0;  ///< The version of the operators.
    Graph graph;
};

/// Throws Error unless tensors may have elements of this number of ONNX.
Type known_type(int64_t number, const std::string& what);

/// Reads an ONNX file. Throws Error if it is damaged or has what this program does not know.
Model read_model(Context& context, const uint8_t* data, size_t size);

}  // namespace convnet
