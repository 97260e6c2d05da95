// ONNX files: protocol buffers, read by protozero. The numbers of the fields are those of onnx.proto.
//
// SPDX-License-Identifier: Apache-2.0
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "examples/convnet/convnet.hpp"

namespace convnet {
namespace {

using Reader = protozero::pbf_reader;
using Message = protozero::data_view;

/// What this field of a message has: texts, messages or bytes.
std::vector<Message> parts_of(const Message& message, uint32_t field) {
    std::vector<Message> parts;
    for (Reader reader(message); reader.next(field, protozero::pbf_wire_type::length_delimited);) {
        parts.push_back(reader.get_view());
    }
    return parts;
}
/// The last one, which counts if there should be one; empty if there is none.
Message part_of(const Message& message, uint32_t field) {
    const std::vector<Message> parts = parts_of(message, field);
    return parts.empty() ? Message("") : parts.back();
}
std::string text_of(const Message& message, uint32_t field) {
    return std::string(part_of(message, field));
}

/// Integers are in fields of their own, or several are packed.
std::vector<int64_t> integers_of(const Message& message, uint32_t field) {
    std::vector<int64_t> integers;
    for (Reader reader(message); reader.next(field, protozero::pbf_wire_type::varint);) {
        integers.push_back(reader.get_int64());
    }
    for (Reader reader(message); reader.next(field, protozero::pbf_wire_type::length_delimited);) {
        const auto packed = reader.get_packed_int64();
        integers.insert(integers.end(), packed.begin(), packed.end());
    }
    return integers;
}
int64_t integer_of(const Message& message, uint32_t field, int64_t otherwise = 0) {
    const std::vector<int64_t> integers = integers_of(message, field);
    return integers.empty() ? otherwise : integers.back();
}

/// A TensorProto.
Tensor read_tensor(Context& context, const Message& message) {
    const std::string what = "the constant '" + text_of(message, 8) + "'";
    require(integer_of(message, 14) == 0, what + " lies in another file, which is not supported");
    const Type type = known_type(integer_of(message, 2), what);
    Tensor result = make_tensor(context, type, shape_of(integers_of(message, 1)));
    result.constant = true;
    const size_t count = count_of(result.shape);
    std::vector<Message> raw = parts_of(message, 9);
    raw = raw.empty() && result.is_real() ? parts_of(message, 4) : raw;  // packed floats lie like raw ones
    const auto integers = integers_of(message, type == Type::i64 ? 7 : 5);
    const size_t given = result.is_real() ? 0 : integers.size();
    const bool fits = raw.empty() ? given == count : raw[0].size() == count * size_of(type);
    require(fits, what + " of shape " + convnet::text_of(result.shape) + " does not have its elements");
    if (raw.empty()) {
        std::copy_n(integers.begin(), given, result.integers());
    } else {
        read_elements(raw[0].data(), result);
    }
    return result;
}

Graph read_graph(Context& context, const Message& message, size_t depth);

/// A NodeProto.
Node read_node(Context& context, const Message& message, size_t depth) {
    const std::vector<Message> inputs = parts_of(message, 1), outputs = parts_of(message, 2);
    Node node;
    node.inputs = {inputs.begin(), inputs.end()};
    node.outputs = {outputs.begin(), outputs.end()};
    node.names = {node.inputs.begin(), node.inputs.end()};
    node.names.insert(node.outputs.begin(), node.outputs.end());
    node.name = text_of(message, 3);
    node.type = text_of(message, 4);
    require(!node.outputs.empty(), "the node '" + node.name + "' has no output");
    const std::string domain = text_of(message, 7);
    require(domain.empty() || domain == "ai.onnx", "the operator " + domain + "." + node.type + " is not supported");
    for (const Message& part : parts_of(message, 5)) {  // an AttributeProto
        Attribute& attribute = node.attributes[text_of(part, 1)];
        for (Reader reader(part); reader.next(2, protozero::pbf_wire_type::fixed32);) {
            attribute.real = reader.get_float();
        }
        attribute.integer = integer_of(part, 3);
        attribute.text = text_of(part, 4);
        for (const Message& tensor : parts_of(part, 5)) {
            attribute.tensor = read_tensor(context, tensor);
        }
        for (const Message& graph : parts_of(part, 6)) {
            attribute.graph = std::make_shared<Graph>(read_graph(context, graph, depth + 1));
            node.names.insert(attribute.graph->names.begin(), attribute.graph->names.end());
        }
        attribute.integers = integers_of(part, 8);
    }
    return node;
}

/// A ValueInfoProto.
Input read_input(const Message& message) {
    const Message tensor = part_of(part_of(message, 2), 1);
    Input input = {text_of(message, 1), known_type(integer_of(tensor, 1), "an input"), {}};
    for (const Message& size : parts_of(part_of(tensor, 2), 1)) {
        input.shape.push_back(std::max<int64_t>(integer_of(size, 1, -1), -1));  // it may have a name, or nothing
    }
    return input;
}

/// A GraphProto.
Graph read_graph(Context& context, const Message& message, size_t depth) {
    require(depth < 16, "graphs are nested too deeply");
    require(parts_of(message, 15).empty(), "sparse constants are not supported");
    Graph graph;
    for (const Message& node : parts_of(message, 1)) {
        graph.nodes.push_back(read_node(context, node, depth));
    }
    for (const Message& tensor : parts_of(message, 5)) {
        graph.constants[text_of(tensor, 8)] = read_tensor(context, tensor);
    }
    for (const Message& value : parts_of(message, 11)) {
        if (graph.constants.count(text_of(value, 1)) == 0) {
            graph.inputs.push_back(read_input(value));
        }
    }
    for (const Message& value : parts_of(message, 12)) {
        graph.outputs.push_back(text_of(value, 1));
    }
    // From the end, a value that is named for the first time is not needed any more.
    graph.names.insert(graph.outputs.begin(), graph.outputs.end());
    for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
        std::set_difference(
            node->names.begin(), node->names.end(), graph.names.begin(), graph.names.end(),
            std::back_inserter(node->unused));
        graph.names.insert(node->names.begin(), node->names.end());
    }
    return graph;
}

}  // namespace

Graph read_graph(Context& context, const uint8_t* data, size_t size) {
    const Message message(reinterpret_cast<const char*>(data), size);
    try {
        for (const Message& set : parts_of(message, 8)) {
            const std::string domain = text_of(set, 1);
            context.opset = domain.empty() || domain == "ai.onnx" ? integer_of(set, 2) : context.opset;
        }
        require(part_of(message, 7).size() != 0, "not an ONNX file: it has no graph");
        require(context.opset >= 7, "operators of version " + std::to_string(context.opset) + ", older than 7");
        return read_graph(context, part_of(message, 7), 0);
    } catch (const protozero::exception&) {
        throw Error("not an ONNX file, or a damaged one");
    }
}

}  // namespace convnet
