// From a graph to steps, and running them.
//
// SPDX-License-Identifier: Apache-2.0
#include "examples/convnet/network.hpp"

#include <chrono>
#include <cmath>

namespace convnet {
namespace {

Operator* find_operator(const std::string& type) {
    for (const Operators* group : {&kElementwise, &kShapes, &kReductions, &kWindows, &kMatrices, &kRecurrent}) {
        const auto found = group->find(type);
        if (found != group->end()) {
            return found->second;
        }
    }
    throw Error("the operator " + type + " is not supported");
}

/// The places that a step reads, branches with it.
template <typename Step, typename Function>
void for_each_use(const Step& step, Function function) {
    std::for_each(step.in.begin(), step.in.end(), function);
    for (const auto& branch : step.branches) {
        for (const Step& inner : branch.steps) {
            for_each_use(inner, function);
        }
        std::for_each(branch.outputs.begin(), branch.outputs.end(), function);
    }
}

}  // namespace

Network::Network(const Model& model, Context& context) : context_(context), opset_(model.opset) {
    add({}, true);
    Names names;
    for (const Value& input : model.graph.inputs) {
        inputs_.push_back(names[input.name] = add({}, false));
    }
    main_ = build(model.graph, names);
}

size_t Network::add(const Tensor& tensor, bool constant) {
    values_.push_back(tensor), constant_.push_back(constant);
    return values_.size() - 1;
}

Network::Block Network::build(const Graph& graph, Names names) {
    Block block;
    for (const auto& [name, tensor] : graph.constants) {
        names[name] = add(tensor, true);
    }
    const auto find = [&](const std::string& name) {
        const auto found = names.find(name);
        require(name.empty() || found != names.end(), "nothing before it computes '" + name + "'");
        return name.empty() ? 0 : found->second;
    };
    for (const Node& node : graph.nodes) {
        Step step = {};
        step.node = node;
        if (node.type == "If") {
            for (const bool otherwise : {false, true}) {
                const auto found = node.attributes.find(otherwise ? "else_branch" : "then_branch");
                require(found != node.attributes.end() && found->second.graph, "an If without its branches");
                step.branches[otherwise] = build(*found->second.graph, names);
                require(
                    step.branches[otherwise].outputs.size() >= node.outputs.size(), "an If whose branch lacks outputs");
            }
        } else {
            step.run = find_operator(node.type);
        }
        require(!node.outputs.empty(), "the node '" + node.name + "' has no output");
        for (const std::string& name : node.inputs) {
            step.in.push_back(find(name));
        }
        for (const std::string& name : node.outputs) {
            step.out.push_back(name.empty() ? 0 : add({}, false));
            names[name] = step.out.back();
        }
        if (!compute_now(step)) {
            block.steps.push_back(std::move(step));
        }
    }
    for (const Value& output : graph.outputs) {
        block.outputs.push_back(find(output.name));
    }
    join(block);
    find_unused(block);
    return block;
}

/// Whether the step needs no input, and has been run for good.
bool Network::compute_now(Step& step) {
    const auto constant = [&](size_t place) { return constant_[place]; };
    if (step.run == nullptr || !std::all_of(step.in.begin(), step.in.end(), constant)) {
        return false;
    }
    try {
        run_step(step);
    } catch (const Error&) {
        return false;  // a branch that is never taken may have it: when it runs, it says the same
    }
    for (const size_t place : step.out) {
        constant_[place] = true;
    }
    return true;
}

/// Lets convolutions do what is done to their results alone: factors and shifts of channels, bounds.
void Network::join(Block& block) {
    for (size_t i = 0; i < block.steps.size(); ++i) {
        Step& step = block.steps[i];
        for (bool joins = step.node.type == "Conv" && step.out[0] != 0; joins;) {
            size_t uses = 0, user = 0;
            const auto count = [&](size_t place) { uses += place == step.out[0]; };
            std::for_each(block.outputs.begin(), block.outputs.end(), count);
            for (size_t j = i + 1; j < block.steps.size(); ++j) {
                const size_t before = uses;
                for_each_use(block.steps[j], count);
                user = uses != before ? j : user;
            }
            joins = uses == 1 && user != 0 && join_with(step, block.steps[user]);
            if (joins) {
                step.out[0] = block.steps[user].out[0];
                block.steps.erase(block.steps.begin() + ptrdiff_t(user));
            }
        }
    }
}

bool Network::join_with(Step& convolution, const Step& user) {
    // NULL unless it is an operand of floats that are constant.
    const auto constant = [&](const Step& step, size_t i) -> const Tensor* {
        const Tensor* value = i < step.in.size() && constant_[step.in[i]] ? &values_[step.in[i]] : nullptr;
        return value != nullptr && value->data && value->is_real() && value->count() != 0 ? value : nullptr;
    };
    const auto other = [&](size_t i) { return constant(user, i); };
    const Tensor *weights = constant(convolution, 1), *bias = constant(convolution, 2);
    const bool has_bias = convolution.in.size() > 2 && convolution.in[2] != 0;
    const size_t rank = weights != nullptr ? weights->rank() : 0, channels = rank >= 3 ? weights->shape[0] : 0;
    if (channels == 0 || (has_bias && (bias == nullptr || bias->count() != channels)) || user.in.empty() ||
        convolution.node.attributes.count("min") != 0) {
        return false;
    }
    const std::string& type = user.node.type;
    if (type == "Relu" || type == "Clip") {
        Call call = {context_, user.node, opset_, {nullptr, other(1), other(2)}, {}, {}, convolution.kept};
        if ((user.in.size() > 1 && user.in[1] != 0 && !call.has(1)) || (user.in.size() > 2 && !call.has(2))) {
            return false;
        }
        const float least = type == "Relu" ? 0 : call.has(1) ? *other(1)->reals() : call.real("min", -kInfinity);
        const float most = type == "Relu" ? kInfinity : call.has(2) ? *other(2)->reals() : call.real("max", kInfinity);
        convolution.node.attributes["min"].real = least, convolution.node.attributes["max"].real = most;
        return true;
    }
    std::vector<double> factors(channels, 1), shifts(channels, 0);
    if (type == "BatchNormalization") {
        const auto epsilon = user.node.attributes.find("epsilon");
        const bool fits = channel_factors(
            {other(1), other(2), other(3), other(4)},
            epsilon != user.node.attributes.end() ? epsilon->second.real : 1e-5F, channels, factors, shifts);
        if (fits) {
            scale_weights(convolution, factors, shifts);
        }
        return fits;
    }
    const bool first = user.in[0] == convolution.out[0];
    const Tensor* by = other(first ? 1 : 0);
    const bool adds = type == "Add" || (type == "Sub" && first), multiplies = type == "Mul" || (type == "Div" && first);
    if ((!adds && !multiplies) || by == nullptr || by->rank() > rank || !by->is_dense()) {
        return false;
    }
    const bool one = by->count() == 1;
    if (!one && (by->count() != channels || by->rank() + 1 < rank || by->shape[by->rank() + 1 - rank] != channels)) {
        return false;
    }
    for (size_t c = 0; c < channels; ++c) {
        const double x = by->reals()[one ? 0 : c];
        shifts[c] = !adds ? 0 : type == "Sub" ? -x : x;
        factors[c] = adds ? 1 : type == "Div" ? 1 / x : x;
    }
    scale_weights(convolution, factors, shifts);
    return true;
}

void Network::scale_weights(Step& convolution, const std::vector<double>& factors, const std::vector<double>& shifts) {
    const Tensor from = dense(context_, values_[convolution.in[1]]);
    const Tensor weights = make_tensor(context_, Type::f32, from.shape);
    const Tensor bias = make_tensor(context_, Type::f32, {factors.size()});
    const size_t place = convolution.in.size() > 2 ? convolution.in[2] : 0, size = from.count() / factors.size();
    const Tensor before = place != 0 ? dense(context_, values_[place]) : Tensor{};
    for (size_t c = 0; c < factors.size(); ++c) {
        bias.reals()[c] = float((place != 0 ? before.reals()[c] : 0) * factors[c] + shifts[c]);
        for (size_t i = c * size; i < (c + 1) * size; ++i) {
            weights.reals()[i] = float(from.reals()[i] * factors[c]);
        }
    }
    convolution.in = {convolution.in[0], add(weights, true), add(bias, true)};
}

void Network::find_unused(Block& block) const {
    std::map<size_t, size_t> last;  // of the values that steps of this block make: the last step that reads each
    for (size_t i = 0; i < block.steps.size(); ++i) {
        for (const size_t place : block.steps[i].out) {
            last[place] = i;
        }
        for_each_use(block.steps[i], [&](size_t place) {
            const auto found = last.find(place);
            if (found != last.end()) {
                found->second = i;
            }
        });
    }
    for (const size_t place : block.outputs) {
        last.erase(place);
    }
    for (const auto& [place, step] : last) {
        block.steps[step].unused.push_back(place);
    }
}

std::vector<Tensor> Network::run(const std::vector<Tensor>& inputs) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
        values_[inputs_[i]] = inputs[i];
    }
    run_block(main_);
    std::vector<Tensor> outputs;
    for (const size_t place : main_.outputs) {
        require(values_[place].data != nullptr, "an output that its node does not compute");
        outputs.push_back(dense(context_, values_[place]));
    }
    return outputs;
}

void Network::run_block(Block& block) {
    for (Step& step : block.steps) {
        const auto start = std::chrono::steady_clock::now();
        if (step.run != nullptr) {
            run_step(step);
        } else {
            require(step.in.size() == 1 && step.in[0] != 0, "an If without condition");
            const Tensor& condition = values_[step.in[0]];
            require(!condition.is_real() && condition.count() == 1, "an If with a condition that is not one boolean");
            Block& branch = step.branches[*condition.integers() != 0 ? 0 : 1];
            run_block(branch);
            for (size_t i = 0; i < step.out.size(); ++i) {
                values_[step.out[i]] = values_[branch.outputs[i]];
            }
        }
        for (const size_t place : step.unused) {
            values_[place] = {};
        }
        if (step.run != nullptr) {  // what branches take is counted there
            seconds[step.node.type] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }
    }
}

void Network::run_step(Step& step) {
    Call call = {context_, step.node, opset_, {}, {}, std::vector<Tensor>(step.out.size()), step.kept};
    for (const size_t place : step.in) {
        call.in.push_back(values_[place].data ? &values_[place] : nullptr);
        call.is_constant.push_back(constant_[place]);
    }
    try {
        step.run(call);
    } catch (const Error& error) {
        const std::string name = step.node.name.empty() ? "" : " '" + step.node.name + "'";
        throw Error(step.node.type + name + ": " + error.what());
    }
    for (size_t i = 0; i < step.out.size(); ++i) {
        values_[step.out[i]] = step.out[i] != 0 ? call.out[i] : Tensor{};
    }
}

}  // namespace convnet
