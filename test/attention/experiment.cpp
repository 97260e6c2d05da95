// SPDX-License-Identifier: Apache-2.0
#include "test/attention/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "test/reference/attention.hpp"
#include "test/reference/float16.hpp"

namespace test::attention {
namespace {

size_t size_of(kai_datatype type) {
    return type == kai_dt_f32 ? 4 : 2;
}

float round_to(kai_datatype type, float x) {
    return type == kai_dt_f32   ? x
           : type == kai_dt_f16 ? reference::f32_from_f16(reference::f16_from_f32(x))
                                : reference::f32_from_bf16(reference::bf16_from_f32(x));
}

void encode(kai_datatype type, float x, uint8_t* to) {
    const uint16_t half = type == kai_dt_f16 ? reference::f16_from_f32(x) : reference::bf16_from_f32(x);
    type == kai_dt_f32 ? std::memcpy(to, &x, 4) : std::memcpy(to, &half, 2);
}

/// Threads of the test: thread t does t, t + count and so on.
void parallel_for(void* pool, size_t count, kai_gemm_task* task, void* context) {
    const size_t threads = *static_cast<size_t*>(pool);
    std::vector<std::thread> all;
    for (size_t t = 0; t < std::min(threads, count); ++t) {
        all.emplace_back([=] {
            for (size_t i = t; i < count; i += threads) {
                task(context, i);
            }
        });
    }
    for (std::thread& thread : all) {
        thread.join();
    }
}

}  // namespace

std::vector<uint8_t> encoded(kai_datatype type, const std::vector<float>& values) {
    std::vector<uint8_t> bytes(values.size() * size_of(type));
    for (size_t i = 0; i < values.size(); ++i) {
        encode(type, values[i], bytes.data() + i * size_of(type));
    }
    return bytes;
}

float decoded(kai_datatype type, const uint8_t* from) {
    float x;
    uint16_t half;
    std::memcpy(&half, from, 2);
    if (type == kai_dt_f32) {
        std::memcpy(&x, from, 4);
        return x;
    }
    return type == kai_dt_f16 ? reference::f32_from_f16(half) : reference::f32_from_bf16(half);
}

std::vector<float> rounded(kai_attention_cache type, const std::vector<float>& values) {
    std::vector<float> result = values;
    if (type != KAI_ATTENTION_Q8_0) {
        const kai_datatype to = type == KAI_ATTENTION_F32   ? kai_dt_f32
                                : type == KAI_ATTENTION_F16 ? kai_dt_f16
                                                            : kai_dt_bf16;
        std::transform(values.begin(), values.end(), result.begin(), [=](float x) { return round_to(to, x); });
        return result;
    }
    for (size_t first = 0; first < values.size(); first += 32) {
        float most = 0;
        for (size_t i = first; i < first + 32; ++i) {
            most = std::max(most, std::fabs(values[i]));
        }
        const float d = most / 127, inverse = d != 0 ? 1 / d : 0;
        for (size_t i = first; i < first + 32; ++i) {
            result[i] = std::round(values[i] * inverse) * round_to(kai_dt_f16, d);
        }
    }
    return result;
}

Experiment::Experiment(
    const kai_attention_problem& problem, const std::vector<SequenceShape>& shapes, const Options& options)
    : problem_(problem), options_(options), random_(options.seed) {
    problem_.tokens = problem_.positions = 1;
    problem_.sequences = std::max<size_t>(shapes.size(), 1);
    size_t tokens = 0;
    for (const SequenceShape& s : shapes) {
        tokens += s.tokens;
        problem_.positions = std::max(problem_.positions, s.length);
    }
    problem_.tokens = std::max<size_t>(tokens, 1);
    problem_.masked = options.mask;
    problem_.units = options.workers;
    EXPECT_EQ(kai_attention_make_plan(&problem_, &plan_), KAI_GEMM_OK) << plan_.reason;
    for (const SequenceShape& s : shapes) {
        make(s);
    }
    for (size_t i = 0; i < problem_.heads; ++i) {
        slopes_.push_back(std::exp2(-8.0F * static_cast<float>(i + 1) / static_cast<float>(problem_.heads)));
        sinks_.push_back(Random(i).real(-2, 2));  // whatever the sequences are
    }
    workspace_ = std::make_unique<GuardedBuffer>(plan_.workspace_size, Flush::end, options.poison);
}

void Experiment::make(const SequenceShape& shape) {
    const kai_attention_problem& p = problem_;
    SequenceData& s = sequences_.emplace_back();
    s.shape = shape;
    const auto fill = [&](std::vector<float>& to, size_t count, float most) {
        to.resize(count);
        for (float& x : to) {
            x = random_.real(-most, most);
        }
    };
    fill(s.q, shape.tokens * p.heads * p.key_size, 2);
    for (float& x : s.q) {
        x = round_to(p.q_type, x);
    }
    fill(s.keys, shape.length * p.kv_heads * p.key_size, 2);
    fill(s.values, shape.length * p.kv_heads * p.value_size, 2);
    if (options_.mask) {
        fill(s.mask, (options_.mask_per_head ? p.heads : 1) * shape.tokens * shape.length, 1);
        for (float& x : s.mask) {
            x = random_.integer(0, 5) == 0 ? -std::numeric_limits<float>::infinity() : round_to(p.mask_type, x);
        }
        s.mask_buffer = std::make_unique<GuardedBuffer>(encoded(p.mask_type, s.mask));
    }
    for (size_t i = 0; i * p.page < shape.length; ++i) {
        s.pages.push_back(std::make_unique<GuardedBuffer>(plan_.page_bytes, Flush::end, options_.poison));
        s.table.push_back(s.pages.back()->data());
    }
    append(s);

    // Heads before tokens, with a gap, or tokens before heads.
    const auto layout = [&](size_t row, size_t& token, size_t& head) {
        const size_t gap = options_.gaps ? 8 : 0;
        head = options_.gaps ? shape.tokens * (row + gap) : row;
        token = options_.gaps ? row + gap : p.heads * row;
        return shape.tokens == 0 ? 0 : (shape.tokens - 1) * token + (p.heads - 1) * head + row;
    };
    const size_t q_size = layout(p.key_size * size_of(p.q_type), s.q_token, s.q_head);
    s.q_buffer = std::make_unique<GuardedBuffer>(q_size);
    for (size_t t = 0; t < shape.tokens; ++t) {
        for (size_t h = 0; h < p.heads; ++h) {
            for (size_t i = 0; i < p.key_size; ++i) {
                encode(
                    p.q_type, s.q[(t * p.heads + h) * p.key_size + i],
                    s.q_buffer->data() + t * s.q_token + h * s.q_head + i * size_of(p.q_type));
            }
        }
    }
    const size_t out_size = layout(p.value_size * size_of(p.out_type), s.out_token, s.out_head);
    s.out = std::make_unique<GuardedBuffer>(out_size, Flush::end, uint8_t{0xFF});
}

void Experiment::append(SequenceData& s) {
    const kai_attention_problem& p = problem_;
    for (size_t done = 0; done < s.shape.length;) {
        const size_t left = s.shape.length - done;
        const size_t chunk = options_.chunk != 0 ? options_.chunk : static_cast<size_t>(random_.integer(1, 100));
        kai_attention_rows rows = {};
        rows.count = std::min(left, chunk), rows.type = kai_dt_f32;
        rows.keys = s.keys.data() + done * p.kv_heads * p.key_size;
        rows.values = s.values.data() + done * p.kv_heads * p.value_size;
        size_t threads = options_.workers;
        EXPECT_EQ(
            kai_attention_append(
                &plan_, s.table.data(), done, &rows, threads > 1 && done == 0 ? parallel_for : nullptr, &threads),
            KAI_GEMM_OK);
        done += rows.count;
    }
}

kai_attention_operands Experiment::operands() const {
    auto& list = const_cast<std::vector<kai_attention_sequence>&>(list_);
    list.clear();
    for (const SequenceData& s : sequences_) {
        kai_attention_sequence x = {};
        x.tokens = s.shape.tokens, x.position = s.shape.position, x.length = s.shape.length, x.prefix = s.shape.prefix;
        x.pages = s.table.data();
        x.q = s.q_buffer->data(), x.out = s.out->data();
        x.q_token = s.q_token, x.q_head = s.q_head, x.out_token = s.out_token, x.out_head = s.out_head;
        if (options_.mask) {
            x.mask = s.mask_buffer->data();
            x.mask_head = options_.mask_per_head ? s.shape.tokens * s.shape.length * size_of(problem_.mask_type) : 0;
        }
        list.push_back(x);
    }
    kai_attention_operands x = {};
    x.sequences = list.data(), x.count = list.size();
    x.slopes = options_.slopes ? slopes_.data() : nullptr;
    x.sinks = options_.sinks ? sinks_.data() : nullptr;
    return x;
}

void Experiment::run() {
    const kai_attention_operands x = operands();
    size_t threads = options_.workers;
    EXPECT_EQ(
        kai_attention_run(
            &plan_, &x, workspace_->data(), workspace_->size(), threads > 1 ? parallel_for : nullptr, &threads),
        KAI_GEMM_OK);
}

void Experiment::run_units(uint64_t seed) {
    const kai_attention_operands x = operands();
    kai_attention_work work;
    ASSERT_EQ(kai_attention_begin(&plan_, &x, workspace_->data(), workspace_->size(), &work), KAI_GEMM_OK);
    Random random(seed);
    for (size_t phase = 0; phase < work.phases; ++phase) {
        std::vector<size_t> order(work.units[phase]);
        for (size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        for (size_t i = order.size(); i > 1; --i) {
            std::swap(order[i - 1], order[static_cast<size_t>(random.integer(0, static_cast<int>(i) - 1))]);
        }
        for (const size_t unit : order) {
            ASSERT_EQ(kai_attention_run_unit(&work, phase, unit), KAI_GEMM_OK);
        }
    }
    EXPECT_EQ(kai_attention_run_unit(&work, work.phases, 0), KAI_GEMM_NO_UNIT);
}

size_t Experiment::written_workspace() const {
    const std::vector<uint8_t> bytes = workspace_->bytes();
    return bytes.size() - static_cast<size_t>(std::count(bytes.begin(), bytes.end(), options_.poison));
}

std::vector<uint8_t> Experiment::results() const {
    std::vector<uint8_t> all;
    for (const SequenceData& s : sequences_) {
        all.insert(all.end(), s.out->data(), s.out->data() + s.out->size());
    }
    return all;
}

std::string Experiment::describe() const {
    const kai_attention_problem& p = problem_;
    std::string text = "heads " + std::to_string(p.heads) + "/" + std::to_string(p.kv_heads) + ", sizes " +
                       std::to_string(p.key_size) + " and " + std::to_string(p.value_size) + ", page " +
                       std::to_string(p.page) + ", cache " + std::to_string(p.cache_type) + ", q " +
                       std::to_string(p.q_type) + ", out " + std::to_string(p.out_type);
    for (const SequenceData& s : sequences_) {
        text += "; " + std::to_string(s.shape.tokens) + " tokens at " + std::to_string(s.shape.position) + " of " +
                std::to_string(s.shape.length) + ", prefix " + std::to_string(s.shape.prefix);
    }
    std::string plan(4096, 0);
    plan.resize(std::min<size_t>(kai_attention_explain(&plan_, plan.data(), plan.size()), 4095));
    return text + "\n" + plan;
}

void Experiment::expect_right() const {
    const kai_attention_problem& p = problem_;
    const size_t group = p.heads / p.kv_heads, out_size = size_of(p.out_type);
    reference::AttentionArithmetic arithmetic = {};
    arithmetic.scale = p.scale != 0 ? double(p.scale) : 1 / std::sqrt(double(p.key_size));
    arithmetic.soft_cap = p.soft_cap;
    const bool f16 = p.cache_type == KAI_ATTENTION_F16, bf16 = p.cache_type == KAI_ATTENTION_BF16;
    arithmetic.p_unit = f16 ? 0x1p-11 : bf16 ? 0x1p-8 : 0;
    arithmetic.p_tiny = f16 ? 0x1p-24 : 0x1p-126;
    size_t index = 0;
    for (const SequenceData& s : sequences_) {
        SCOPED_TRACE("sequence " + std::to_string(index++) + " of: " + describe());
        const std::vector<float> keys = rounded(p.cache_type, s.keys), values = rounded(p.cache_type, s.values);
        for (size_t h = 0; h < p.heads; ++h) {
            std::vector<float> k, v;
            for (size_t j = 0; j < s.shape.length; ++j) {
                const size_t row = j * p.kv_heads + h / group;
                k.insert(k.end(), &keys[row * p.key_size], &keys[row * p.key_size] + p.key_size);
                v.insert(v.end(), &values[row * p.value_size], &values[row * p.value_size] + p.value_size);
            }
            for (size_t t = 0; t < s.shape.tokens; ++t) {
                const float* q = &s.q[(t * p.heads + h) * p.key_size];
                std::vector<float> error(p.key_size);
                for (size_t i = 0; i < p.key_size; ++i) {
                    error[i] = f16 ? std::fabs(q[i]) * 0x1p-11F + 0x1p-25F : bf16 ? std::fabs(q[i]) * 0x1p-8F : 0;
                    if (p.cache_type == KAI_ATTENTION_Q8_0) {
                        const size_t block = i / 32 * 32;
                        float most = 0;
                        for (size_t c = block; c < block + 32; ++c) {
                            most = std::max(most, std::fabs(q[c]));
                        }
                        error[i] = most / 253 + std::fabs(q[i]) * 0x1p-10F;
                    }
                }
                reference::Query query = {};
                query.q = q, query.error = error.data();
                query.position = s.shape.position + t;
                const size_t own = query.position;
                query.last = std::min(p.causal ? std::max(own + 1, s.shape.prefix) : s.shape.length, s.shape.length);
                query.first = p.window != 0 && own + 1 > p.window ? own + 1 - p.window : 0;
                query.first = std::min(query.first, query.last);
                const size_t mask_row = (options_.mask_per_head ? h * s.shape.tokens : 0) + t;
                query.mask = options_.mask ? &s.mask[mask_row * s.shape.length] : nullptr;
                query.slope = options_.slopes ? slopes_[h] : 0;
                query.has_sink = options_.sinks, query.sink = sinks_[h];
                const reference::KeysValues cache = {k.data(), v.data(), p.key_size, p.value_size, nullptr};
                const reference::AttentionResult expected = reference::attend(query, cache, arithmetic);
                const uint8_t* out = s.out->data() + t * s.out_token + h * s.out_head;
                for (size_t c = 0; c < p.value_size; ++c) {
                    const double got = double(decoded(p.out_type, out + c * out_size));
                    const double unit = p.out_type == kai_dt_f16    ? 0x1p-11
                                        : p.out_type == kai_dt_bf16 ? 0x1p-8
                                                                    : 0x1p-23;
                    const double bound = expected.bound[c] + unit * std::fabs(expected.value[c]) +
                                         (p.out_type == kai_dt_f16 ? 0x1p-24 : 0);
                    ASSERT_LE(std::fabs(got - expected.value[c]), bound)
                        << "token " << t << ", head " << h << ", column " << c << ": " << got << ", expected "
                        << expected.value[c];
                }
            }
        }
    }
}

}  // namespace test::attention
