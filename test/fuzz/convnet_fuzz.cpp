// libFuzzer: whatever bytes an ONNX file has, examples/convnet refuses it with a sentence, or runs it.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "examples/convnet/convnet.hpp"
#include "test/fuzz/check.hpp"

namespace {

/// Inputs of ones; sizes that the file leaves open are 2.
std::vector<convnet::Tensor> inputs_of(convnet::Context& context, const convnet::Graph& graph) {
    std::vector<convnet::Tensor> inputs;
    for (const convnet::Input& value : graph.inputs) {
        convnet::Shape shape;
        for (const int64_t size : value.shape) {
            shape.push_back(size < 0 ? 2 : static_cast<size_t>(size));
        }
        const convnet::Tensor input = make_tensor(context, value.type, shape);
        for (size_t i = 0; i < convnet::count_of(shape); ++i) {
            input.is_real() ? void(input.reals()[i] = 1) : void(input.integers()[i] = 1);
        }
        inputs.push_back(input);
    }
    return inputs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // A copy, so that reading past the end is found.
    const std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
    std::copy(data, data + size, copy.get());
    static ThreadPool pool(1);
    convnet::Memory memory = {size_t{1} << 18};  // little: a large network would take long
    convnet::Context context = {pool, memory};
    try {
        convnet::Graph graph = convnet::read_graph(context, copy.get(), size);
        const std::vector<convnet::Tensor> inputs = inputs_of(context, graph);
        for (int i = 0; i < 2; ++i) {
            const std::vector<convnet::Tensor> outputs = run(context, graph, inputs);
            CHECK(outputs.size() == graph.outputs.size());
            for (const convnet::Tensor& output : outputs) {
                const std::string bytes = bytes_of(dense(context, output));
                CHECK(bytes.size() == convnet::count_of(output.shape) * size_of(output.type));
            }
        }
    } catch (const convnet::Error& error) {
        CHECK(error.what()[0] != 0);
    }
    return 0;
}
