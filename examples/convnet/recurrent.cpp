// Recurrent layers. X is steps x batch x inputs; the hidden state H, batch x hidden, passes from step to step.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "examples/convnet/operators.hpp"

namespace convnet {
namespace {

float sigmoid(float x) {
    return 1 / (1 + std::exp(-x));
}

/// Of each direction.
struct Layers : Kept {
    std::vector<Product> inputs, states;
    std::vector<Product> candidates;  ///< GRU: of the candidate, which are not in `states`.
};

/// The rows `first` and following of matrix `direction`, as the right side of a product.
Tensor side(const Tensor& weights, size_t direction, size_t first, size_t count) {
    return transpose(slice(remove_axis(slice(weights, 0, direction, 1), 0), 0, first, count), {1, 0});
}

/// Sizes, operands and results of a node.
struct Layer {
    Call& call;
    size_t gates, steps, batch, hidden, directions;
    Tensor x, bias, y;  ///< bias: 2 * gates * hidden of each direction.
    Layers* layers;

    Layer(Call& c, size_t number_of_gates) : call(c), gates(number_of_gates) {
        const Tensor &w = call.reals(1), &r = call.reals(2);
        require(call.reals(0).rank() == 3 && w.rank() == 3 && r.rank() == 3, "operands of other dimensions");
        require(!call.has(4), "sequence lengths are not supported");
        for (const char* name : {"activations", "clip", "layout", "input_forget"}) {
            const auto found = call.node.attributes.find(name);
            require(
                found == call.node.attributes.end() ||
                    (found->second.integer == 0 && found->second.real == 0 && name[0] != 'a'),
                std::string("the attribute ") + name + " is not supported");
        }
        const std::string direction = call.text("direction", "forward");
        x = dense(call.context, call.reals(0));
        steps = x.shape[0], batch = x.shape[1], hidden = r.shape[2], directions = direction == "bidirectional" ? 2 : 1;
        require(
            w.shape == Shape{directions, gates * hidden, x.shape[2]} &&
                r.shape == Shape{directions, gates * hidden, hidden},
            "weights that do not fit");
        require(call.is_constant[1] && call.is_constant[2], "weights that are computed are not supported");
        bias = call.has(3) ? dense(call.context, call.reals(3)) : zeros({directions, 2 * gates * hidden});
        require(bias.count() == directions * 2 * gates * hidden, "a bias that does not fit");
        y = call.make(Type::f32, {steps, directions, batch, hidden});
        if (call.kept == nullptr) {
            auto made = std::make_unique<Layers>();
            const size_t together = (gates == 3 ? 2 : gates) * hidden;
            for (size_t d = 0; d < directions; ++d) {
                made->inputs.emplace_back(call.context, side(w, d, 0, gates * hidden), steps * batch);
                made->states.emplace_back(call.context, side(r, d, 0, together), batch);
                if (gates == 3) {
                    made->candidates.emplace_back(call.context, side(r, d, together, hidden), batch);
                }
            }
            call.kept = std::move(made);
        }
        layers = static_cast<Layers*>(call.kept.get());
    }

    Tensor zeros(const Shape& shape) const {
        const Tensor result = call.make(Type::f32, shape);
        std::fill_n(result.reals(), result.count(), 0.0F);
        return result;
    }

    /// A copy of operand `i`, which a run changes; zeros if there is none.
    Tensor state(size_t i) const {
        const Tensor result = zeros({directions, batch, hidden});
        if (call.has(i)) {
            require(call.reals(i).shape == result.shape, "a state that does not fit");
            copy(call.context, call.reals(i), result);
        }
        return result;
    }

    /// step(d, gates of inputs with both biases, h) for each step and direction; `h` becomes the new state.
    template <typename Step>
    void run(const Tensor& h, Step step) {
        const std::string direction = call.text("direction", "forward");
        for (size_t d = 0; d < directions; ++d) {
            const Tensor all = call.make(Type::f32, {steps, batch, gates * hidden});
            layers->inputs[d].run(call.context, x.reals(), steps * batch, all.reals());
            float* state = h.reals() + d * batch * hidden;
            for (size_t i = 0; i < steps; ++i) {
                const size_t t = d == 1 || direction == "reverse" ? steps - 1 - i : i;
                step(d, all.reals() + t * batch * gates * hidden, state);
                std::copy_n(state, batch * hidden, y.reals() + (t * directions + d) * batch * hidden);
            }
        }
        const Tensor results[] = {y, h};
        for (size_t i = 0; i < std::min<size_t>(call.out.size(), 2); ++i) {
            call.out[i] = results[i];
        }
    }
};

/// Gates: input, output, forget, candidate.
void lstm(Call& call) {
    Layer layer(call, 4);
    require(!call.has(7), "peepholes are not supported");
    const size_t batch = layer.batch, n = layer.hidden;
    const Tensor c = layer.state(6), from_state = call.make(Type::f32, {batch, 4 * n});
    layer.run(layer.state(5), [&](size_t d, const float* inputs, float* h) {
        layer.layers->states[d].run(call.context, h, batch, from_state.reals());
        const float* bias = layer.bias.reals() + d * 8 * n;
        for (size_t b = 0; b < batch; ++b) {
            for (size_t j = 0; j < n; ++j) {
                const auto gate = [&](size_t g) {
                    const size_t at = g * n + j;
                    return inputs[b * 4 * n + at] + from_state.reals()[b * 4 * n + at] + bias[at] + bias[4 * n + at];
                };
                float& cell = c.reals()[(d * batch + b) * n + j];
                cell = sigmoid(gate(2)) * cell + sigmoid(gate(0)) * std::tanh(gate(3));
                h[b * n + j] = sigmoid(gate(1)) * std::tanh(cell);
            }
        }
    });
    if (call.out.size() > 2) {
        call.out[2] = c;
    }
}

/// Gates: update, reset, candidate.
void gru(Call& call) {
    Layer layer(call, 3);
    const bool reset_last = call.integer("linear_before_reset", 0) != 0;
    const size_t batch = layer.batch, n = layer.hidden;
    const Tensor from_state = call.make(Type::f32, {batch, 2 * n}), kept = call.make(Type::f32, {batch, n});
    const Tensor candidate = call.make(Type::f32, {batch, n});
    layer.run(layer.state(5), [&](size_t d, const float* inputs, float* h) {
        layer.layers->states[d].run(call.context, h, batch, from_state.reals());
        const float* bias = layer.bias.reals() + d * 6 * n;
        const auto gate = [&](size_t b, size_t at) {
            return sigmoid(inputs[b * 3 * n + at] + from_state.reals()[b * 2 * n + at] + bias[at] + bias[3 * n + at]);
        };
        for (size_t i = 0; i < batch * n; ++i) {
            kept.reals()[i] = reset_last ? h[i] : h[i] * gate(i / n, n + i % n);
        }
        layer.layers->candidates[d].run(call.context, kept.reals(), batch, candidate.reals());
        for (size_t i = 0; i < batch * n; ++i) {
            const size_t b = i / n, j = i % n;
            const float of_state = candidate.reals()[i] + bias[5 * n + j], by = reset_last ? gate(b, n + j) : 1;
            const float x = std::tanh(inputs[b * 3 * n + 2 * n + j] + bias[2 * n + j] + by * of_state);
            const float z = gate(b, j);
            h[i] = (1 - z) * x + z * h[i];
        }
    });
}

}  // namespace

const Operators kRecurrent = {{"GRU", gru}, {"LSTM", lstm}};

}  // namespace convnet
