// Running a graph, node by node.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/convnet/convnet.hpp"

namespace convnet {
namespace {

/// What names in a graph stand for: its constants and values, and those of the graph that it is a branch of.
struct Scope {
    Context& context;
    Graph& graph;
    const Scope* outer;
    std::map<std::string, Tensor> values;
};

const Tensor& find(const Scope& in, const std::string& name) {
    for (const Scope* scope = &in; scope != nullptr; scope = scope->outer) {
        const Graph& graph = scope->graph;
        for (const auto* tensors : {&scope->values, &graph.constants}) {
            const auto found = tensors->find(name);
            if (found != tensors->end()) {
                return found->second;
            }
        }
    }
    throw Error("nothing before it computes '" + name + "'");
}

const std::function<Tensor(Call&)>& find_operator(const std::string& type) {
    const Operators& operators = kLayers.count(type) != 0 ? kLayers : kOperators;
    const auto found = operators.find(type);
    require(found != operators.end(), "the operator " + type + " is not supported");
    return found->second;
}

std::vector<Tensor> run_graph(Scope& scope);

void run_node(Scope& scope, Node& node) {
    Call call = {scope.context, node, {}, {}};
    bool constant = node.type != "If";  // what branches compute depends on the condition
    for (const std::string& name : node.inputs) {
        const Tensor* operand = name.empty() ? nullptr : &find(scope, name);
        constant = constant && (operand == nullptr || operand->constant);
        call.in.push_back(operand != nullptr && operand->data ? operand : nullptr);
    }
    std::vector<Tensor> results;
    try {
        if (node.type == "If") {
            const std::vector<int64_t> condition = call.integers(0);
            require(condition.size() == 1, "a condition that is not one boolean");
            const auto branch = call.attribute(condition[0] != 0 ? "then_branch" : "else_branch").graph;
            require(branch && branch->outputs.size() == node.outputs.size(), "a branch without these outputs");
            Scope inner = {scope.context, *branch, &scope, {}};
            results = run_graph(inner);
        } else {
            results.push_back(find_operator(node.type)(call));
            results.insert(results.end(), call.more.begin(), call.more.end());
        }
    } catch (const Error& error) {
        throw Error("node " + node.type + (node.name.empty() ? "" : " '" + node.name + "'") + ": " + error.what());
    }
    results.resize(std::max(results.size(), node.outputs.size()));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        results[i].constant = constant;
        (constant ? scope.graph.constants : scope.values)[node.outputs[i]] = results[i];
    }
    for (const std::string& name : node.unused) {
        scope.values.erase(name);
    }
    node.done = constant;
}

std::vector<Tensor> run_graph(Scope& scope) {
    for (Node& node : scope.graph.nodes) {
        if (!node.done) {
            run_node(scope, node);
        }
    }
    std::vector<Tensor> results;
    for (const std::string& name : scope.graph.outputs) {
        results.push_back(find(scope, name));
        require(results.back().data != nullptr, "an output that its node does not compute");
    }
    return results;
}

}  // namespace

std::vector<Tensor> run(Context& context, Graph& graph, const std::vector<Tensor>& inputs) {
    Scope scope = {context, graph, nullptr, {}};
    for (size_t i = 0; i < inputs.size(); ++i) {
        scope.values[graph.inputs[i].name] = inputs[i];
    }
    return run_graph(scope);
}

}  // namespace convnet
