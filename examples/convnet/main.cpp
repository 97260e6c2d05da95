// A network from an ONNX file, on the convolutions and the matrices of the library and nothing else.
//
//     convnet MODEL.onnx --input x=1x3x48x320:image.bin --output results -t 4
//
// README.md says which file does what.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <fstream>

#include "examples/convnet/network.hpp"
#include "tools/files.hpp"

namespace convnet {
namespace {

constexpr char kHelp[] =
    "convnet MODEL.onnx [options]\n"
    "  --input NAME=SHAPE:FILE    an input: elements as in memory, row-major, little endian\n"
    "  --input NAME=SHAPE@NUMBER  all elements are NUMBER\n"
    "  --input NAME=SHAPE         noise from -1 to 1; the default\n"
    "                             SHAPE is 1x3x48x320, or empty if the model says all sizes\n"
    "  --output FOLDER            writes output_0.bin, output_1.bin and so on there\n"
    "  -t N                       threads (all cores)\n"
    "  --memory N                 most MiB of tensors (4096)\n"
    "  --bench                    runs it 20 times: time, and the shares of the operators\n"
    "  --list                     inputs, outputs and operators of the model\n";

struct Options {
    std::string model, output;
    std::map<std::string, std::string> inputs;
    size_t threads = std::max<size_t>(std::thread::hardware_concurrency(), 1), memory = 4096;
    bool bench = false, list = false;
};

size_t number(const std::string& text, size_t most) {
    const bool digits = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
    require(digits && std::stoul(text) <= most, "'" + text + "' is not a number up to " + std::to_string(most));
    return std::stoul(text);
}

Options parse(const std::vector<std::string>& arguments) {
    Options o;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = arguments[i];
        const auto value = [&] {
            require(i + 1 < arguments.size(), name + " needs a value");
            return arguments[++i];
        };
        if (name == "--input") {
            const std::string input = value();
            const size_t at = input.rfind('=');
            require(at != std::string::npos, "--input needs NAME=...");
            o.inputs[input.substr(0, at)] = input.substr(at + 1);
        } else if (name == "--output") {
            o.output = value();
        } else if (name == "-t") {
            o.threads = std::max<size_t>(number(value(), 1024), 1);
        } else if (name == "--memory") {
            o.memory = number(value(), 1 << 20);
        } else if (name == "--bench") {
            o.bench = true;
        } else if (name == "--list") {
            o.list = true;
        } else {
            require(name[0] != '-' && o.model.empty(), "'" + name + "' is not an option\n" + kHelp);
            o.model = name;
        }
    }
    require(!o.model.empty(), std::string("no model\n") + kHelp);
    return o;
}

std::string sizes_of(const Value& value) {
    std::string text;
    for (const int64_t size : value.shape) {
        text += (text.empty() ? "" : "x") + (size < 0 ? "?" : std::to_string(size));
    }
    return text;
}

/// SHAPE, or that of the model.
Shape shape_of(const std::string& text, const Value& value) {
    Shape shape;
    for (size_t at = 0; at < text.size() && !text.empty();) {
        const size_t end = std::min(text.find('x', at), text.size());
        shape.push_back(number(text.substr(at, end - at), 1 << 28));
        at = end + 1;
    }
    bool fits = !value.has_shape || text.empty() || shape.size() == value.shape.size();
    for (size_t i = 0; i < value.shape.size() && fits && value.has_shape; ++i) {
        if (text.empty()) {
            require(
                value.shape[i] >= 0,
                "--input " + value.name + ": the shape is " + sizes_of(value) + ", which is needed");
            shape.push_back(size_t(value.shape[i]));
        }
        fits = value.shape[i] < 0 || shape[i] == size_t(value.shape[i]);
    }
    require(fits, "--input " + value.name + ": the shape is " + sizes_of(value) + ", not " + text);
    return shape;
}

Tensor read_input(Context& context, const Value& value, const std::string& text) {
    const size_t end = std::min(text.find_first_of(":@"), text.size());
    const Tensor result = make_tensor(context, value.type, shape_of(text.substr(0, end), value));
    const size_t count = result.count();
    if (end < text.size() && text[end] == ':') {
        const tools::Mapping file(text.substr(end + 1));
        const size_t size = count * size_of(value.type);
        require(
            file.size() == size, text.substr(end + 1) + " has " + std::to_string(file.size()) + " bytes, not " +
                                     std::to_string(size) + " as '" + value.name + "'");
        read_elements(reinterpret_cast<const char*>(file.data()), result);
        return result;
    }
    char* rest = nullptr;
    const bool given = end < text.size();
    const double number = given ? std::strtod(&text[end + 1], &rest) : 0;
    require(!given || *rest == 0, "--input " + value.name + ": '" + text.substr(end) + "' is not a number");
    uint32_t noise = 1;
    for (size_t i = 0; i < count; ++i) {
        noise = noise * 1664525 + 1013904223;
        const double x = given ? number : double(noise >> 8) / (1 << 23) - 1;
        result.is_real() ? void(result.reals()[i] = float(x)) : void(result.integers()[i] = int64_t(x));
    }
    return result;
}

void list(const Graph& graph, std::map<std::string, size_t>& operators) {
    for (const Node& node : graph.nodes) {
        ++operators[node.type];
        for (const auto& [name, attribute] : node.attributes) {
            if (attribute.graph) {
                list(*attribute.graph, operators);
            }
        }
    }
}

void print(const Model& model) {
    for (const Value& value : model.graph.inputs) {
        std::printf("input %s %s %s\n", value.name.c_str(), name_of(value.type), sizes_of(value).c_str());
    }
    for (const Value& value : model.graph.outputs) {
        std::printf("output %s %s\n", value.name.c_str(), sizes_of(value).c_str());
    }
    std::map<std::string, size_t> operators;
    list(model.graph, operators);
    for (const auto& [name, count] : operators) {
        std::printf("%s %zu\n", name.c_str(), count);
    }
}

void bench(Network& network, const std::vector<Tensor>& inputs, const Memory& memory) {
    constexpr size_t kRuns = 20;
    network.seconds.clear();
    std::vector<double> times;
    for (size_t i = 0; i < kRuns; ++i) {
        const auto start = std::chrono::steady_clock::now();
        network.run(inputs);
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    std::printf(
        "%.3f ms, the median of %zu runs (%.3f to %.3f)\n", times[kRuns / 2] * 1e3, kRuns, times[0] * 1e3,
        times.back() * 1e3);
    std::printf("tensors: %.1f MiB\n", double(memory.peak()) / (1 << 20));
    double all = 0;
    std::vector<std::pair<double, std::string>> parts;
    for (const auto& [name, seconds] : network.seconds) {
        parts.emplace_back(seconds, name), all += seconds;
    }
    std::sort(parts.rbegin(), parts.rend());
    for (const auto& [seconds, name] : parts) {
        std::printf("%5.1f %% %s\n", seconds / all * 100, name.c_str());
    }
}

void run(const Options& o) {
    const tools::Mapping file(o.model);
    ThreadPool pool(o.threads);
    Memory memory(o.memory << 20);
    Context context = {pool, memory};
    const Model model = read_model(context, file.data(), file.size());
    if (o.list) {
        print(model);
        return;
    }
    std::vector<Tensor> inputs;
    std::map<std::string, std::string> given = o.inputs;
    for (const Value& value : model.graph.inputs) {
        inputs.push_back(read_input(context, value, given[value.name]));
        given.erase(value.name);
    }
    require(given.empty(), "the model has no input '" + (given.empty() ? "" : given.begin()->first) + "'");
    Network network(model, context);
    const std::vector<Tensor> outputs = network.run(inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
        const std::string name = "output_" + std::to_string(i) + ".bin", bytes = bytes_of(outputs[i]);
        std::printf(
            "%s %s %s %s\n", name.c_str(), name_of(outputs[i].type), text_of(outputs[i].shape).c_str(),
            model.graph.outputs[i].name.c_str());
        if (!o.output.empty()) {
            std::ofstream to(o.output + "/" + name, std::ios::binary);
            to.write(bytes.data(), std::streamsize(bytes.size()));
            require(!to.flush().fail(), o.output + "/" + name + " cannot be written");
        }
    }
    if (o.bench) {
        bench(network, inputs, memory);
    }
}

}  // namespace
}  // namespace convnet

int main(int argc, char** argv) {
    convnet::Options options;
    try {
        options = convnet::parse({argv + 1, argv + argc});
        convnet::run(options);
        return 0;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "convnet: %s: there is not enough memory\n", options.model.c_str());
    } catch (const std::exception& error) {
        std::fprintf(
            stderr, "convnet: %s%s%s\n", options.model.c_str(), options.model.empty() ? "" : ": ", error.what());
    }
    return 1;
}
