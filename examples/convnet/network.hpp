// A graph that runs: nodes in order, their values in numbered places.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "examples/convnet/operators.hpp"

namespace convnet {

class Network {
public:
    /// Computes what does not depend on the inputs, and joins convolutions with what follows them.
    Network(const Model& model, Context& context);

    /// `inputs`: in the order of the model. The outputs, dense.
    std::vector<Tensor> run(const std::vector<Tensor>& inputs);

    std::map<std::string, double> seconds;  ///< Of all runs, by operator.

private:
    struct Step;
    struct Block {
        std::vector<Step> steps;
        std::vector<size_t> outputs;
    };
    struct Step {
        Node node;
        Operator* run;
        std::vector<size_t> in, out;  ///< Places; 0: not there.
        std::vector<size_t> unused;   ///< Places whose values nobody needs after this step.
        Block branches[2];            ///< Of If: then, else.
        std::unique_ptr<Kept> kept;
    };
    using Names = std::map<std::string, size_t>;

    Block build(const Graph& graph, Names names);
    size_t add(const Tensor& tensor, bool constant);
    bool compute_now(Step& step);
    void join(Block& block);
    bool join_with(Step& convolution, const Step& user);
    void scale_weights(Step& convolution, const std::vector<double>& factors, const std::vector<double>& shifts);
    void find_unused(Block& block) const;
    void run_block(Block& block);
    void run_step(Step& step);

    Context& context_;
    int64_t opset_;
    std::vector<Tensor> values_;
    std::vector<bool> constant_;
    std::vector<size_t> inputs_;
    Block main_;
};

}  // namespace convnet
