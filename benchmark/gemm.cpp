// The GEMM layer from end to end: quantise, pack, multiply, store, as at every inference. `gemm`: kai_gemm_run;
// `by_hand`: the same kernels on the same packed weights by kai_call, every thread a part of the rows to pack and a
// part of the columns. The names are those of the kinds of weights.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "benchmark/measure.hpp"
#include "examples/common/aligned_memory.hpp"
#include "kai/gemm/kai_gemm.h"
#include "kai/kai_call.h"

namespace {

/// A linear layer: constant weights, N x K (static int8: K x N). Or a product of activations: K x N, read at every run,
/// as are rows of a GGUF file that are not packed (N x K).
struct Kind {
    const char* name;
    kai_gemm_kind b_kind;
    kai_datatype type;  ///< of A and C, and of dense B
    bool constant, allow_bf16;
    kai_gguf_type_id gguf_type = {};
    bool allow_f16 = false;
    kai_datatype c_type = kai_dt_unknown;  // if it is another one
};
constexpr Kind kKinds[] = {
    {"f32", KAI_GEMM_DENSE, kai_dt_f32, true, false},
    {"f32_not_constant", KAI_GEMM_DENSE, kai_dt_f32, false, false},
    {"f32_allow_bf16", KAI_GEMM_DENSE, kai_dt_f32, true, true},
    {"f16", KAI_GEMM_DENSE, kai_dt_f16, true, false},
    {"f16_allow_f16", KAI_GEMM_DENSE, kai_dt_f16, true, false, {}, true},
    {"int8_channel", KAI_GEMM_INT8_CHANNEL, kai_dt_f32, true, false},
    {"int4_channel", KAI_GEMM_INT4_CHANNEL, kai_dt_f32, true, false},
    {"int4_block", KAI_GEMM_INT4_BLOCK, kai_dt_f32, true, false},
    {"int4_block_f16", KAI_GEMM_INT4_BLOCK_F16, kai_dt_f32, true, false},
    {"int4_block_zero", KAI_GEMM_INT4_BLOCK_ZERO, kai_dt_f32, true, false},
    {"int8_static", KAI_GEMM_INT8_STATIC, kai_dt_int8, true, false},
    {"int8_lowp", KAI_GEMM_INT8_LOWP, kai_dt_int8, true, false},
    {"uint8_lowp", KAI_GEMM_UINT8_LOWP, kai_dt_uint8, true, false},
    {"int8_lowp_not_constant", KAI_GEMM_INT8_LOWP, kai_dt_int8, false, false},
    {"int8_to_int32", KAI_GEMM_INT8_LOWP, kai_dt_int8, true, false, {}, false, kai_dt_int32},
    {"int2_static", KAI_GEMM_INT2_STATIC, kai_dt_int8, true, false},
    {"Q4_0", KAI_GEMM_GGUF, kai_dt_f32, true, false, KAI_GGUF_Q4_0},
    {"Q8_0", KAI_GEMM_GGUF, kai_dt_f32, true, false, KAI_GGUF_Q8_0},
    {"Q4_K", KAI_GEMM_GGUF, kai_dt_f32, true, false, KAI_GGUF_Q4_K},
    {"Q6_K", KAI_GEMM_GGUF, kai_dt_f32, true, false, KAI_GGUF_Q6_K},
    {"TQ2_0", KAI_GEMM_GGUF, kai_dt_f32, true, false, KAI_GGUF_TQ2_0},
    {"Q1_0", KAI_GEMM_GGUF, kai_dt_f32, true, false, KAI_GGUF_Q1_0},
    {"Q2_0", KAI_GEMM_GGUF, kai_dt_f32, true, false, KAI_GGUF_Q2_0},
    {"Q3_K", KAI_GEMM_GGUF, kai_dt_f32, true, false, KAI_GGUF_Q3_K},
    {"Q2_K", KAI_GEMM_GGUF, kai_dt_f32, true, false, KAI_GGUF_Q2_K},
    {"Q4_0_not_constant", KAI_GEMM_GGUF, kai_dt_f32, false, false, KAI_GGUF_Q4_0},
    {"Q8_0_not_constant", KAI_GEMM_GGUF, kai_dt_f32, false, false, KAI_GGUF_Q8_0},
    {"Q4_K_not_constant", KAI_GEMM_GGUF, kai_dt_f32, false, false, KAI_GGUF_Q4_K},
    {"Q6_K_not_constant", KAI_GEMM_GGUF, kai_dt_f32, false, false, KAI_GGUF_Q6_K},
};

constexpr int32_t kMultiplier = 1 << 30, kShift = -8;
constexpr kai_matmul_lowp_params kLowp = {
    KAI_LOWP_FIXED_POINT, -100, 0, nullptr, &kMultiplier, &kShift, false, 0, -128, 127};

kai_gemm_problem problem_of(const Kind& kind, const Shape& s, size_t threads) {
    kai_gemm_problem p = kai_gemm_problem_of(s.m, s.n, s.k);
    p.b_kind = kind.b_kind, p.bl = options.block_length, p.gguf_type = kind.gguf_type;
    p.a_type = p.b_type = kind.type;
    p.c_type = kind.c_type != kai_dt_unknown ? kind.c_type : kind.type;
    p.b_constant = kind.constant, p.b_transposed = kind.constant || kind.b_kind != KAI_GEMM_DENSE;
    p.b_transposed = p.b_transposed && kind.b_kind != KAI_GEMM_INT8_STATIC;
    p.allow_bf16 = kind.allow_bf16, p.allow_f16 = kind.allow_f16;
    p.units = threads, p.sme_units = options.sme_units;
    return p;
}

/// A problem with its operands.
class Layer : public Work {
public:
    Layer(const Kind& kind, const Shape& s, size_t threads, bool by_hand) : shape_(s), by_hand_(by_hand) {
        const kai_gemm_problem problem = problem_of(kind, s, threads);
        require(kai_gemm_make_plan(&problem, &plan_));
        const size_t size = kai_get_datatype_size_in_bytes(kind.type);
        const char* type = kind.type == kai_dt_f16     ? "f16"
                           : kind.type == kai_dt_int8  ? "int8"
                           : kind.type == kai_dt_uint8 ? "uint8"
                                                       : "f32";
        a_ = random_elements(type, s.m * s.k * size, 1);
        c_.resize(s.m * s.n * kai_get_datatype_size_in_bytes(problem.c_type));
        workspace_ = allocate(plan_.workspace_size);
        make_weights(kind, type);

        // Copies that take turns, so that none is in a cache when it is needed.
        const size_t one = kind.constant ? plan_.packed_b_size : weights_.size();
        copies_ = copies_of(one, options.is_cold(s));
        b_stride_ = (one + 63) / 64 * 64;
        b_ = allocate(copies_ * b_stride_);
        if (kind.constant) {
            pack();
        } else {
            std::memcpy(b_.get(), weights_.data(), one);
        }
        weights_ = {};
        for (size_t i = 1; i < copies_; ++i) {
            std::memcpy(static_cast<char*>(b_.get()) + i * b_stride_, b_.get(), one);
        }
        bytes_ = static_cast<double>(one + a_.size() + c_.size());
        make_call();
    }

    double bytes() const override {
        return bytes_;
    }
    void run(Pool& pool) override {
        by_hand_ ? run_by_hand(&pool) : run_layer(&pool);
    }

    static const kai_gemm_kernel& kernel_of(const kai_gemm_plan& plan, const Shape& s) {
        return s.m == 1 ? plan.gemv : plan.gemm;
    }

    /// Whether the kernels can be called on these operands as they are.
    static bool can_run_by_hand(const kai_gemm_plan& plan, const Shape& s) {
        const bool converts_rows =
            kernel_of(plan, s).copies_rows && std::strcmp(lhs_source(kernel_of(plan, s)), a_format(plan)) != 0;
        return plan.direct && !converts_rows && (plan.problem.b_constant || plan.rhs_packer == nullptr);
    }

private:
    void run_layer(Pool* pool) {
        kai_gemm_operands x = {};
        x.m = shape_.m, x.a.data = a_.data(), x.b.data = next_b(), x.c.data = c_.data();
        const kai_gemm_problem& p = plan_.problem;
        const bool lowp = p.b_kind == KAI_GEMM_INT8_LOWP || p.b_kind == KAI_GEMM_UINT8_LOWP;
        x.lowp = lowp && p.c_type != kai_dt_int32 ? &kLowp : nullptr;
        require(kai_gemm_run(
            &plan_, &x, workspace_.get(), plan_.workspace_size, pool->threads() > 1 ? Pool::parallel_for : nullptr,
            pool));
    }

    void run_by_hand(Pool* pool) {
        (plan_.rhs_packer != nullptr ? call_.rhs_packed : call_.rhs) = next_b();
        const auto each = [&](size_t count, Pool::Task* task) {
            if (pool->threads() > 1 && count > 1) {
                pool->run(count, task, this);
            } else {
                task(this, 0);
            }
        };
        rows_each_ = share(shape_.m, call_.ukernel->get_mr());
        columns_each_ = share(shape_.n, call_.ukernel->get_n_step());
        if (call_.lhs_packer != nullptr) {
            each((shape_.m + rows_each_ - 1) / rows_each_, [](void* layer, size_t i) {
                auto& l = *static_cast<Layer*>(layer);
                const size_t first = i * l.rows_each_, rows = std::min(l.rows_each_, l.shape_.m - first);
                kai_call_pack_lhs(&l.call_, first, rows, l.lhs_packed_.data());
            });
        }
        each((shape_.n + columns_each_ - 1) / columns_each_, [](void* layer, size_t i) {
            const auto& l = *static_cast<Layer*>(layer);
            const size_t first = i * l.columns_each_, columns = std::min(l.columns_each_, l.shape_.n - first);
            kai_call_run(&l.call_, 0, first, l.shape_.m, columns);
        });
    }

    static const char* a_format(const kai_gemm_plan& plan) {
        return plan.problem.a_type == kai_dt_f16 ? "f16" : "f32";
    }
    static const char* lhs_source(const kai_gemm_kernel& kernel) {
        return kernel.lhs_packer != nullptr ? kernel.lhs_packer->source_format : kernel.ukernel->lhs_format;
    }

    /// The share of one thread of `count`, in whole steps.
    size_t share(size_t count, size_t step) const {
        const size_t steps = (count + step - 1) / step, workers = plan_.workers;
        return (steps + workers - 1) / workers * step;
    }

    const void* next_b() {
        turn_ = turn_ + 1 < copies_ ? turn_ + 1 : 0;
        return static_cast<const char*>(b_.get()) + turn_ * b_stride_;
    }

    void make_weights(const Kind& kind, const char* type) {
        const size_t elements = shape_.n * shape_.k, blocks = elements / options.block_length;
        switch (kind.b_kind) {
            case KAI_GEMM_DENSE:
                weights_ = random_elements(type, elements * kai_get_datatype_size_in_bytes(kind.type), 2);
                return;
            case KAI_GEMM_INT8_CHANNEL:
            case KAI_GEMM_INT8_STATIC:
            case KAI_GEMM_INT8_LOWP:
            case KAI_GEMM_UINT8_LOWP:
                weights_ = random_elements("int8", elements, 2);
                return;
            case KAI_GEMM_INT2_STATIC:
                weights_ = random_elements("int8", shape_.n * ((shape_.k + 3) / 4), 2);
                return;
            case KAI_GEMM_INT4_BLOCK_F16:
                weights_ = random_elements("int8", elements / 2 + 2 * blocks, 2);
                break;
            case KAI_GEMM_GGUF:
                weights_ = random_file_rows(kind.gguf_type, shape_.n, shape_.k);
                return;
            default:
                weights_ = random_elements("int8", shape_.n * ((shape_.k + 1) / 2), 2);
                return;
        }
        for (uint8_t& b : weights_) {
            b &= 0x3F;  // scales stay finite
        }
    }

    void pack() {
        const size_t scales = shape_.n * (shape_.k / options.block_length + 1);
        const std::vector<uint8_t> scale = random_elements("f32", scales * sizeof(float), 2),
                                   zero = random_elements("f32", scales * sizeof(float), 2);
        kai_gemm_weights w = {};
        w.b = weights_.data(), w.scale = scale.data();
        w.zero = reinterpret_cast<const float*>(zero.data()), w.zero_point = 8;
        const AlignedMemory scratch = allocate(plan_.pack_workspace_size);
        require(kai_gemm_pack_b(
            &plan_, 0, &w, b_.get(), plan_.packed_b_size, scratch.get(), plan_.pack_workspace_size, nullptr, nullptr));
    }

    /// The call of the kernel, with operands of the types that it reads and writes.
    void make_call() {
        const kai_gemm_kernel& kernel = kernel_of(plan_, shape_);
        kai_call& call = call_;
        call.ukernel = kernel.ukernel, call.lhs_packer = kernel.lhs_packer, call.rhs_packer = plan_.rhs_packer;
        call.m = shape_.m, call.n = shape_.n, call.k = shape_.k, call.bl = plan_.problem.bl;
        call.lowp = kLowp;
        const bool halves = std::strcmp(lhs_source(kernel), "f16") == 0;
        rows_ = random_elements(lhs_source(kernel), shape_.m * shape_.k * (halves ? 2 : 4), 2);
        products_.resize(kai_call_dst_size(&call));
        lhs_packed_.resize(kai_call_lhs_packed_size(&call));
        call.lhs = rows_.data(), call.lhs_packed = lhs_packed_.data(), call.dst = products_.data();
        kai_call_pack_lhs(&call, 0, shape_.m, lhs_packed_.data());
        (plan_.rhs_packer != nullptr ? call.rhs_packed : call.rhs) = b_.get();
    }

    Shape shape_;
    bool by_hand_;
    kai_gemm_plan plan_ = {};
    std::vector<uint8_t> a_, c_, weights_, rows_, products_, lhs_packed_;
    AlignedMemory b_, workspace_;
    size_t copies_ = 1, b_stride_ = 0, turn_ = 0;
    double bytes_ = 0;
    kai_call call_ = {};
    size_t rows_each_ = 0, columns_each_ = 0;
};

/// Adds the case, or the reason why it is skipped. False: it was not asked for.
bool make_case(const Kind& kind, const Shape& s, size_t threads, bool by_hand, Case* c) {
    c->what = by_hand ? "by_hand" : "gemm", c->name = kind.name, c->shape = s, c->threads = threads;
    c->make = [&kind, s, threads, by_hand] { return std::make_unique<Layer>(kind, s, threads, by_hand); };
    const kai_gemm_problem problem = problem_of(kind, s, threads);
    kai_gemm_plan plan;
    const kai_gemm_status status = kai_gemm_make_plan(&problem, &plan);
    if (status != KAI_GEMM_OK) {
        c->skipped = kai_gemm_status_text(status);
        return true;
    }
    if (by_hand && !Layer::can_run_by_hand(plan, s)) {
        c->skipped = "these kernels cannot be called on the operands as they are";
    }
    c->kernel = Layer::kernel_of(plan, s).ukernel;
    c->is_f32 = options.baseline && &kind == &kKinds[0];
    return c->is_f32 || (matches(options.kernel, c->kernel->name) && matches(options.family, c->kernel->family));
}

}  // namespace

std::vector<Case> gemm_cases(const std::vector<Shape>& shapes) {
    std::vector<Case> cases;
    for (const bool by_hand : {false, true}) {
        for (const Shape& s : options.does(by_hand ? "by_hand" : "gemm") ? shapes : std::vector<Shape>()) {
            for (const size_t t : threads_for(s)) {
                for (const Kind& kind : kKinds) {
                    Case c;
                    if (make_case(kind, s, t, by_hand, &c)) {
                        cases.push_back(c);
                    }
                }
            }
        }
    }
    return cases;
}
