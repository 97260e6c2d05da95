// ONNX files: protocol buffers, read by protozero. The numbers of the fields are those of onnx.proto.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "examples/convnet/model.hpp"

namespace convnet {

Type known_type(int64_t number, const std::string& what) {
    for (const Type known : {Type::f32, Type::u8, Type::i8, Type::i32, Type::i64, Type::boolean}) {
        if (number == static_cast<int64_t>(known)) {
            return known;
        }
    }
    throw Error(what + " has elements of type " + std::to_string(number) + ", which is not supported");
}

namespace {

using Reader = protozero::pbf_reader;
using protozero::pbf_wire_type;

// read(reader, field, to): whether the reader is at this field, and it has this type; reads it. Of numbers there may be
// one, or several that are packed.

bool at(const Reader& reader, uint32_t field, pbf_wire_type type) {
    return reader.tag() == field && reader.wire_type() == type;
}
bool read(Reader& reader, uint32_t field, int64_t& to) {
    return at(reader, field, pbf_wire_type::varint) && (to = reader.get_int64(), true);
}
bool read(Reader& reader, uint32_t field, float& to) {
    return at(reader, field, pbf_wire_type::fixed32) && (to = reader.get_float(), true);
}
bool read(Reader& reader, uint32_t field, std::string& to) {
    return at(reader, field, pbf_wire_type::length_delimited) && (to = reader.get_string(), true);
}
bool read(Reader& reader, uint32_t field, Reader& to) {
    return at(reader, field, pbf_wire_type::length_delimited) && (to = reader.get_message(), true);
}
bool read(Reader& reader, uint32_t field, std::vector<std::string>& to) {
    return at(reader, field, pbf_wire_type::length_delimited) && (to.push_back(reader.get_string()), true);
}
bool read(Reader& reader, uint32_t field, std::vector<int64_t>& to) {
    if (at(reader, field, pbf_wire_type::length_delimited)) {
        const auto packed = reader.get_packed_int64();
        to.insert(to.end(), packed.begin(), packed.end());
        return true;
    }
    return at(reader, field, pbf_wire_type::varint) && (to.push_back(reader.get_int64()), true);
}
bool read(Reader& reader, uint32_t field, std::vector<float>& to) {
    if (at(reader, field, pbf_wire_type::length_delimited)) {
        const auto packed = reader.get_packed_float();
        to.insert(to.end(), packed.begin(), packed.end());
        return true;
    }
    return at(reader, field, pbf_wire_type::fixed32) && (to.push_back(reader.get_float()), true);
}

/// A TensorProto. `name`: if it has none itself.
Tensor read_tensor(Context& context, Reader reader, std::string& name) {
    int64_t number = 0, location = 0;
    std::vector<int64_t> sizes, integers;
    std::vector<float> reals;
    Reader raw;
    bool has_raw = false;
    while (reader.next()) {
        if (read(reader, 9, raw)) {
            has_raw = true;
        } else if (
            !read(reader, 1, sizes) && !read(reader, 2, number) && !read(reader, 4, reals) &&
            !read(reader, 5, integers) && !read(reader, 7, integers) && !read(reader, 8, name) &&
            !read(reader, 14, location)) {
            reader.skip();
        }
    }
    const std::string what = "the constant '" + name + "'";
    require(location == 0, what + " lies in another file, which is not supported");
    const Type type = known_type(number, what);
    require(std::all_of(sizes.begin(), sizes.end(), [](int64_t x) { return x >= 0; }), what + " has a negative size");
    const Shape shape(sizes.begin(), sizes.end());
    const size_t count = count_of(shape), given = type == Type::f32 ? reals.size() : integers.size();
    require(
        has_raw ? raw.length() == count * size_of(type) : given == count,
        what + " of shape " + text_of(shape) + " does not have its elements");
    Tensor result = make_tensor(context, type, shape);
    if (has_raw) {
        read_elements(raw.data().data(), result);
    } else if (type == Type::f32) {
        std::copy(reals.begin(), reals.end(), result.reals());
    } else {
        std::copy(integers.begin(), integers.end(), result.integers());
    }
    return result;
}

Graph read_graph(Context& context, Reader reader, size_t depth);

/// An AttributeProto.
Attribute read_attribute(Context& context, Reader reader, std::string& name, size_t depth) {
    Attribute to;
    Reader part;
    while (reader.next()) {
        if (read(reader, 5, part)) {
            std::string unused;
            to.tensor = read_tensor(context, part, unused);
        } else if (read(reader, 6, part)) {
            to.graph = std::make_shared<Graph>(read_graph(context, part, depth + 1));
        } else if (
            !read(reader, 1, name) && !read(reader, 2, to.real) && !read(reader, 3, to.integer) &&
            !read(reader, 4, to.text) && !read(reader, 7, to.reals) && !read(reader, 8, to.integers)) {
            reader.skip();
        }
    }
    return to;
}

/// A NodeProto.
Node read_node(Context& context, Reader reader, size_t depth) {
    Node to;
    std::string domain;
    Reader part;
    while (reader.next()) {
        if (read(reader, 5, part)) {
            std::string name;
            Attribute attribute = read_attribute(context, part, name, depth);
            to.attributes[name] = std::move(attribute);
        } else if (
            !read(reader, 1, to.inputs) && !read(reader, 2, to.outputs) && !read(reader, 3, to.name) &&
            !read(reader, 4, to.type) && !read(reader, 7, domain)) {
            reader.skip();
        }
    }
    require(domain.empty() || domain == "ai.onnx", "the operator " + domain + "." + to.type + " is not supported");
    return to;
}

/// A TensorShapeProto: -1 for sizes that have a name, or none.
std::vector<int64_t> read_shape(Reader reader) {
    std::vector<int64_t> shape;
    for (Reader part; reader.next();) {
        if (!read(reader, 1, part)) {
            reader.skip();
            continue;
        }
        int64_t size = -1;
        while (part.next()) {
            read(part, 1, size) ? void() : part.skip();
        }
        shape.push_back(size < 0 ? -1 : size);
    }
    return shape;
}

/// A ValueInfoProto. `typed`: its type must be known.
Value read_value(Reader reader, bool typed) {
    Value to = {"", Type::f32, {}, false};
    int64_t number = 0;
    Reader type, tensor, shape;
    while (reader.next()) {
        read(reader, 1, to.name) || read(reader, 2, type) ? void() : reader.skip();
    }
    while (type.next()) {
        read(type, 1, tensor) ? void() : type.skip();
    }
    while (tensor.next()) {
        read(tensor, 2, shape) ? void(to.has_shape = true) : read(tensor, 1, number) ? void() : tensor.skip();
    }
    to.shape = read_shape(shape);
    to.type = typed ? known_type(number, "the input '" + to.name + "'") : Type::f32;
    return to;
}

/// A GraphProto.
Graph read_graph(Context& context, Reader reader, size_t depth) {
    require(depth < 16, "graphs are nested too deeply");
    Graph to;
    for (Reader part; reader.next();) {
        if (read(reader, 1, part)) {
            to.nodes.push_back(read_node(context, part, depth));
        } else if (read(reader, 5, part)) {
            std::string name;
            const Tensor tensor = read_tensor(context, part, name);
            to.constants[name] = tensor;
        } else if (read(reader, 11, part)) {
            to.inputs.push_back(read_value(part, depth == 0));
        } else if (read(reader, 12, part)) {
            to.outputs.push_back(read_value(part, false));
        } else {
            require(reader.tag() != 15, "sparse constants are not supported");
            reader.skip();
        }
    }
    const auto constant = [&](const Value& value) { return to.constants.count(value.name) != 0; };
    to.inputs.erase(std::remove_if(to.inputs.begin(), to.inputs.end(), constant), to.inputs.end());
    return to;
}

}  // namespace

Model read_model(Context& context, const uint8_t* data, size_t size) {
    Model model;
    try {
        Reader reader(reinterpret_cast<const char*>(data), size), graph, set;
        while (reader.next()) {
            if (read(reader, 8, set)) {
                std::string domain;
                int64_t version = 0;
                while (set.next()) {
                    read(set, 1, domain) || read(set, 2, version) ? void() : set.skip();
                }
                model.opset = domain.empty() || domain == "ai.onnx" ? version : model.opset;
            } else if (!read(reader, 7, graph)) {
                reader.skip();
            }
        }
        require(graph.length() != 0, "not an ONNX file: it has no graph");
        model.graph = read_graph(context, graph, 0);
    } catch (const protozero::exception&) {
        throw Error("not an ONNX file, or a damaged one");
    }
    require(model.opset >= 7, "operators of version " + std::to_string(model.opset) + ", older than 7");
    return model;
}

}  // namespace convnet
