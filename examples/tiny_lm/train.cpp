// Trains the model of tiny_lm: AdamW on random minibatches, dropout, cosine learning rate. Native C++17, one thread,
// no dependencies; the same seed on the same machine gives the same weights.
//
//     tiny_lm_train TEXT WEIGHTS [EPOCHS]
//
// SPDX-License-Identifier: Apache-2.0
//
#include "model.hpp"

#include <chrono>
#include <cstdio>

namespace {

constexpr size_t kContext = 16, kWidth = 16, kHidden = 512, kVocabulary = 64;
constexpr size_t kBatch = 256;
constexpr float kLearningRate = 2e-3f, kWeightDecay = 0.02f, kDropout = 0.35f;
constexpr float kWeightLimit = 1.0f;  // an outlier would cost the other 31 weights of its int4 block their precision

using Matrix = std::vector<float>;

struct Random {
    uint64_t state;

    uint32_t next() {  // splitmix64
        uint64_t z = (state += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
    }
    float uniform() {  // 0 <= u < 1
        return static_cast<float>(next() >> 8) * 0x1p-24f;
    }
};

/// One tile of C = A x B (+ C), rows x 32, its sums in registers. A(i, p) is a[i * a_row + p * a_col].
template <size_t rows>
void multiply_tile(
    size_t k, const float* a, size_t a_row, size_t a_col, const float* b, size_t n, float* c, bool accumulate) {
    typedef float Vector __attribute__((vector_size(64), aligned(4), may_alias));
    Vector sum[rows][2] = {};
    for (size_t p = 0; p < k; p++) {
        const Vector b0 = *reinterpret_cast<const Vector*>(b + p * n);
        const Vector b1 = *reinterpret_cast<const Vector*>(b + p * n + 16);
        for (size_t i = 0; i < rows; i++) {
            const float x = a[i * a_row + p * a_col];
            sum[i][0] += x * b0;
            sum[i][1] += x * b1;
        }
    }
    for (size_t i = 0; i < rows; i++) {
        Vector* out = reinterpret_cast<Vector*>(c + i * n);
        out[0] = accumulate ? out[0] + sum[i][0] : sum[i][0];
        out[1] = accumulate ? out[1] + sum[i][1] : sum[i][1];
    }
}

/// C[m][n] = A x B. m is a multiple of 8, n of 32.
void multiply(size_t m, size_t n, size_t k, const float* a, size_t a_row, size_t a_col, const float* b, float* c) {
    constexpr size_t depth = 128;  // a strip of B, depth x 32, stays in the L1 cache
    for (size_t p = 0; p < k; p += depth) {
        for (size_t j = 0; j < n; j += 32) {
            for (size_t i = 0; i < m; i += 8) {
                multiply_tile<8>(
                    std::min(depth, k - p), a + i * a_row + p * a_col, a_row, a_col, b + p * n + j, n, c + i * n + j,
                    p > 0);
            }
        }
    }
}

/// Values that are trained, with their gradients and the moments of Adam.
struct Parameters {
    Matrix value, gradient, mean, square;

    void init(size_t size, float range, Random& random) {
        value.resize(size);
        gradient.resize(size);
        mean.resize(size);
        square.resize(size);
        for (float& v : value) {
            v = range * (2.0f * random.uniform() - 1.0f);
        }
    }

    void step(size_t t, float rate, float decay) {
        constexpr float b1 = 0.9f, b2 = 0.99f;
        const float c1 = 1.0f / (1.0f - std::pow(b1, static_cast<float>(t)));
        const float c2 = 1.0f / (1.0f - std::pow(b2, static_cast<float>(t)));
        for (size_t i = 0; i < value.size(); i++) {
            mean[i] += (1.0f - b1) * (gradient[i] - mean[i]);
            square[i] += (1.0f - b2) * (gradient[i] * gradient[i] - square[i]);
            const float v = value[i] - rate * (mean[i] * c1 / (std::sqrt(square[i] * c2) + 1e-8f) + decay * value[i]);
            value[i] = std::min(std::max(v, -kWeightLimit), kWeightLimit);
        }
    }
};

struct Layer {
    size_t k, n;
    bool last;
    Parameters weight, bias;           // weight as [k][n]
    Matrix out, grad_out, transposed;  // out: after ReLU and dropout

    void forward(const Matrix& in, size_t rows, float dropout, Random& random) {
        multiply(rows, n, k, in.data(), k, 1, weight.value.data(), out.data());
        const auto dropped = static_cast<uint32_t>(dropout * 65536.0f);
        const float kept = 1.0f / (1.0f - dropout);
        for (size_t i = 0; i < rows * n; i++) {
            const float y = out[i] + bias.value[i % n];
            out[i] = last ? y : std::max(y, 0.0f);
            if (!last && dropped > 0) {
                out[i] *= (random.next() & 0xFFFF) < dropped ? 0.0f : kept;
            }
        }
    }

    /// Gradients of weight and bias from grad_out, then the gradient of the inputs.
    void backward(const Matrix& in, Matrix& grad_in) {
        multiply(k, n, kBatch, in.data(), 1, k, grad_out.data(), weight.gradient.data());
        std::fill(bias.gradient.begin(), bias.gradient.end(), 0.0f);
        for (size_t i = 0; i < kBatch * n; i++) {
            bias.gradient[i % n] += grad_out[i];
        }
        for (size_t p = 0; p < k; p++) {
            for (size_t j = 0; j < n; j++) {
                transposed[j * k + p] = weight.value[p * n + j];
            }
        }
        multiply(kBatch, k, n, grad_out.data(), n, 1, transposed.data(), grad_in.data());
    }
};

class Trainer {
public:
    Trainer(const std::string& text, uint64_t seed) : random_{seed} {
        bool used[256] = {};
        for (const char c : text) {
            used[static_cast<unsigned char>(c)] = true;
        }
        for (int c = 1; c < 256; c++) {
            if (used[c]) {
                model_.charset.push_back(static_cast<char>(c));
            }
        }
        if (model_.charset.size() > kVocabulary || !used['\n']) {
            throw std::runtime_error("the text must have line ends and at most 64 different characters");
        }
        model_.charset.resize(kVocabulary, 0);
        model_.context = kContext;
        model_.width = kWidth;
        text_ = model_.tokens(text);
        train_size_ = held_out_start(text_.size());

        embedding_.init(kVocabulary * kWidth, 0.5f, random_);
        size_t k = model_.inputs();
        for (const size_t n : {kHidden, kHidden, kVocabulary}) {
            layers_.push_back({k, n, false, {}, {}, Matrix(kBatch * n), Matrix(kBatch * n), Matrix(n * k)});
            layers_.back().weight.init(k * n, std::sqrt(6.0f / static_cast<float>(k)), random_);
            layers_.back().bias.init(n, 0.0f, random_);
            k = n;
        }
        layers_.back().last = true;
        for (float& w : layers_.back().weight.value) {
            w *= 0.1f;
        }
        input_.resize(kBatch * model_.inputs());
        grad_input_.resize(input_.size());
    }

    void train(size_t epochs) {
        const auto start = std::chrono::steady_clock::now();
        const size_t steps_per_epoch = train_size_ / kBatch;
        const size_t steps = epochs * steps_per_epoch;
        double sum = 0.0;
        for (size_t t = 1; t <= steps; t++) {
            sum += step(t, steps);
            if (t % steps_per_epoch == 0) {
                const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
                printf(
                    "epoch %2zu: training %.4f (with dropout), held out %.4f bits per character, %.0f s\n",
                    t / steps_per_epoch, sum / static_cast<double>(steps_per_epoch), held_out_bits(), time.count());
                fflush(stdout);
                sum = 0.0;
            }
        }
    }

    /// The trained model, weights as [n][k].
    const Model& result() {
        model_.embedding = embedding_.value;
        model_.layers.clear();
        for (const Layer& l : layers_) {
            Dense dense{l.n, l.k, Matrix(l.n * l.k), l.bias.value};
            for (size_t i = 0; i < l.n * l.k; i++) {
                dense.weight[i] = l.weight.value[i % l.k * l.n + i / l.k];
            }
            model_.layers.push_back(dense);
        }
        return model_;
    }

private:
    /// Runs the model on the rows that predict text_[at[0]], text_[at[1]], ...
    void forward(const std::vector<size_t>& at, float dropout) {
        for (size_t i = 0; i < kBatch; i++) {
            for (size_t j = 0; j < kContext; j++) {
                const uint8_t token = token_before(model_, text_, at[i], kContext - j);
                std::copy_n(&embedding_.value[token * kWidth], kWidth, &input_[(i * kContext + j) * kWidth]);
            }
        }
        const Matrix* in = &input_;
        for (Layer& layer : layers_) {
            layer.forward(*in, kBatch, dropout, random_);
            in = &layer.out;
        }
    }

    /// One update. Returns the mean bits per character of its batch.
    double step(size_t t, size_t steps) {
        std::vector<size_t> at(kBatch);
        for (size_t& i : at) {
            i = random_.next() % train_size_;
        }
        forward(at, kDropout);

        Layer& last = layers_.back();
        double sum = 0.0;
        for (size_t i = 0; i < kBatch; i++) {
            const float* logits = &last.out[i * kVocabulary];
            const uint8_t target = text_[at[i]];
            sum += bits(logits, kVocabulary, target);
            softmax_gradient(logits, target, &last.grad_out[i * kVocabulary]);
        }
        for (size_t l = layers_.size(); l-- > 0;) {
            Layer& layer = layers_[l];
            if (l == 0) {
                layer.backward(input_, grad_input_);
            } else {
                Layer& below = layers_[l - 1];
                layer.backward(below.out, below.grad_out);
                for (size_t i = 0; i < below.out.size(); i++) {
                    below.grad_out[i] *= below.out[i] > 0.0f ? 1.0f / (1.0f - kDropout) : 0.0f;
                }
            }
        }
        std::fill(embedding_.gradient.begin(), embedding_.gradient.end(), 0.0f);
        for (size_t i = 0; i < kBatch * kContext; i++) {
            const uint8_t token = token_before(model_, text_, at[i / kContext], kContext - i % kContext);
            for (size_t e = 0; e < kWidth; e++) {
                embedding_.gradient[token * kWidth + e] += grad_input_[i * kWidth + e];
            }
        }

        const float progress = static_cast<float>(t) / static_cast<float>(steps);
        const float warm_up = std::min(1.0f, static_cast<float>(t) / 500.0f);
        const float rate = kLearningRate * warm_up * (0.5f + 0.5f * std::cos(3.14159265f * progress));
        embedding_.step(t, rate, 0.0f);
        for (Layer& layer : layers_) {
            layer.weight.step(t, rate, kWeightDecay);
            layer.bias.step(t, rate, 0.0f);
        }
        return sum / kBatch;
    }

    /// Gradient of the batch's mean loss (in nats) with respect to one row of logits.
    static void softmax_gradient(const float* logits, uint8_t target, float* gradient) {
        const float top = *std::max_element(logits, logits + kVocabulary);
        float sum = 0.0f;
        for (size_t j = 0; j < kVocabulary; j++) {
            gradient[j] = std::exp(logits[j] - top);
            sum += gradient[j];
        }
        for (size_t j = 0; j < kVocabulary; j++) {
            gradient[j] = (gradient[j] / sum - (j == target ? 1.0f : 0.0f)) / kBatch;
        }
    }

    double held_out_bits() {
        double sum = 0.0;
        std::vector<size_t> at(kBatch);
        for (size_t start = train_size_; start < text_.size(); start += kBatch) {
            const size_t count = std::min(kBatch, text_.size() - start);
            for (size_t i = 0; i < kBatch; i++) {
                at[i] = start + std::min(i, count - 1);
            }
            forward(at, 0.0f);
            for (size_t i = 0; i < count; i++) {
                sum += bits(&layers_.back().out[i * kVocabulary], kVocabulary, text_[at[i]]);
            }
        }
        return sum / static_cast<double>(text_.size() - train_size_);
    }

    Random random_;
    Model model_;
    std::vector<uint8_t> text_;
    size_t train_size_ = 0;
    Parameters embedding_;
    std::vector<Layer> layers_;
    Matrix input_, grad_input_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: tiny_lm_train TEXT WEIGHTS [EPOCHS]\n");
        return 2;
    }
    try {
        Trainer trainer(read_file(argv[1]), 1);
        trainer.train(argc > 3 ? std::stoul(argv[3]) : 48);
        save_model(trainer.result(), argv[2]);
    } catch (const std::exception& error) {
        fprintf(stderr, "tiny_lm_train: %s\n", error.what());
        return 1;
    }
}
