// A network from an ONNX file, on the convolutions and the matrices of the library and nothing else.
//
//     convnet MODEL.onnx --input x=1x3x48x320:image.bin --output results -t 4
//
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <fstream>

#include "examples/convnet/convnet.hpp"
#include "tools/files.hpp"

namespace convnet {
namespace {

constexpr char kHelp[] =
    "convnet MODEL.onnx [options]\n"
    "  --input NAME=SHAPE:FILE    an input: elements as in memory, row-major, little endian\n"
    "  --input NAME=SHAPE@NUMBER  all elements are NUMBER, a whole one; SHAPE is 1x3x48x320, of a scalar empty\n"
    "  --output FOLDER            writes output_0.bin, output_1.bin and so on there\n"
    "  -t N                       threads (1)\n"
    "  --memory N                 most MiB of tensors (4096)\n"
    "  --bench N                  the median time of N more runs\n";

struct Options {
    std::string model;
    std::map<std::string, std::string> inputs;
    std::map<std::string, std::string> others = {{"--output", ""}, {"--memory", "4096"}, {"--bench", "0"}, {"-t", "1"}};
};

Options parse(const std::vector<std::string>& arguments) {
    Options o;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = arguments[i];
        if (name[0] != '-' && o.model.empty()) {
            o.model = name;
            continue;
        }
        require(name == "--input" || o.others.count(name) != 0, "'" + name + "' is not an option\n" + kHelp);
        require(++i < arguments.size(), name + " needs a value");
        const size_t at = name == "--input" ? arguments[i].find('=') : 0;
        require(at != std::string::npos, "--input needs NAME=...");
        auto& to = name == "--input" ? o.inputs[arguments[i].substr(0, at)] : o.others[name];
        to = arguments[i].substr(name == "--input" ? at + 1 : 0);
    }
    require(!o.model.empty(), std::string("no model\n") + kHelp);
    return o;
}

size_t number(const std::string& text) {
    const bool digits = !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
    require(digits, "'" + text + "' is not a number below 10^8");
    return std::stoul(text);
}

Tensor given_input(Context& context, const Input& input, const std::string& text) {
    const size_t end = text.find_first_of(":@");
    require(end != std::string::npos, "the input '" + input.name + "' needs SHAPE:FILE or SHAPE@NUMBER");
    Shape shape;
    for (size_t at = 0, next = 0; at < end; at = next + 1) {
        next = std::min(text.find('x', at), end);
        shape.push_back(number(text.substr(at, next - at)));
    }
    const bool fits = input.shape.empty() || shape.size() == input.shape.size();
    require(fits, "the input '" + input.name + "' has " + std::to_string(input.shape.size()) + " axes");
    const Tensor result = make_tensor(context, input.type, shape);
    const size_t size = count_of(result.shape) * size_of(input.type);
    const std::string content = text.substr(end + 1);
    if (text[end] == ':') {
        const tools::Mapping file(content);
        const std::string sizes = std::to_string(file.size()) + " bytes, not " + std::to_string(size);
        require(file.size() == size, content + " has " + sizes);
        read_elements(reinterpret_cast<const char*>(file.data()), result);
        return result;
    }
    std::fill_n(result.reals(), result.is_real() ? size / sizeof(float) : 0, float(number(content)));
    std::fill_n(result.integers(), result.is_real() ? 0 : size / size_of(input.type), int64_t(number(content)));
    return result;
}

void write_output(const std::string& folder, size_t i, const std::string& name, const Tensor& tensor) {
    const std::string file = "output_" + std::to_string(i) + ".bin", bytes = bytes_of(tensor);
    static const char* const kTypes[] = {"", "float32", "", "", "", "", "int32", "int64", "", "bool"};
    const char* type = kTypes[size_t(tensor.type)];
    std::printf("%s %s %s %s\n", file.c_str(), type, text_of(tensor.shape).c_str(), name.c_str());
    if (!folder.empty()) {
        std::ofstream to(folder + "/" + file, std::ios::binary);
        to.write(bytes.data(), std::streamsize(bytes.size()));
        require(!to.flush().fail(), folder + "/" + file + " cannot be written");
    }
}

void run_model(Options o) {
    const tools::Mapping file(o.model);
    ThreadPool pool(std::min<size_t>(number(o.others["-t"]), 1024));
    Memory memory = {number(o.others["--memory"]) << 20};
    Context context = {pool, memory};
    Graph graph = read_graph(context, file.data(), file.size());
    std::vector<Tensor> inputs;
    for (const Input& input : graph.inputs) {
        inputs.push_back(given_input(context, input, o.inputs[input.name]));
        o.inputs.erase(input.name);
    }
    require(o.inputs.empty(), "the model has no input '" + (o.inputs.empty() ? "" : o.inputs.begin()->first) + "'");
    const std::vector<Tensor> outputs = run(context, graph, inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
        write_output(o.others["--output"], i, graph.outputs[i], dense(context, outputs[i]));
    }
    std::vector<double> times(number(o.others["--bench"]));
    for (double& time : times) {
        const auto start = std::chrono::steady_clock::now();
        run(context, graph, inputs);
        time = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }
    if (!times.empty()) {
        std::sort(times.begin(), times.end());
        std::printf("%.3f ms, the median of %zu runs\n", times[times.size() / 2], times.size());
    }
}

}  // namespace
}  // namespace convnet

int main(int argc, char** argv) {
    convnet::Options options;
    try {
        options = convnet::parse({argv + 1, argv + argc});
        convnet::run_model(options);
        return 0;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "convnet: %s: there is not enough memory\n", options.model.c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "convnet: %s: %s\n", options.model.c_str(), error.what());
    }
    return 1;
}
