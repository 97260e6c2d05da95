// Convolutions by kai/gemm/kai_conv.h: layers as networks for images have them. The shape of a case is pixels of the
// output x its channels x multiply-adds of a result; Winograd's algorithm does fewer.
//
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "benchmark/measure.hpp"
#include "examples/common/aligned_memory.hpp"
#include "kai/gemm/kai_conv.h"

namespace {

/// A square image and filter, padded by half of the filter. Depthwise: a group for each channel.
struct Layer {
    const char* name;
    size_t side, in, out, filter, stride;
    bool depthwise = false;
};
constexpr Layer kLayers[] = {
    {"first_3x3_s2", 224, 3, 32, 3, 2},
    {"3x3", 56, 64, 64, 3, 1},
    {"1x1", 56, 64, 128, 1, 1},
    {"depthwise_3x3", 56, 128, 128, 3, 1, true},
    {"depthwise_3x3_s2", 56, 128, 128, 3, 2, true},
    {"depthwise_5x5", 28, 256, 256, 5, 1, true},
};

struct Type {
    const char* name;
    kai_datatype type;
    kai_gemm_kind kind = KAI_GEMM_DENSE;
    bool allow_winograd = false;
};
constexpr Type kConvTypes[] = {
    {"f32", kai_dt_f32},
    {"f32_allow_winograd", kai_dt_f32, KAI_GEMM_DENSE, true},
    {"f16_allow_f16", kai_dt_f16},
    {"int8_static", kai_dt_int8, KAI_GEMM_INT8_STATIC},
};

kai_conv_problem problem_of(const Layer& layer, const Type& type, size_t threads) {
    const size_t side = is_emulated() ? layer.side / 4 : layer.side;
    kai_conv_problem p = kai_conv_problem_of(side, side, layer.in, layer.out, layer.filter, layer.filter);
    p.groups = layer.depthwise ? layer.in : 1;
    p.stride_height = p.stride_width = layer.stride;
    p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = layer.filter / 2;
    p.kind = type.kind, p.in_type = p.out_type = p.weight_type = type.type;
    p.allow_f16 = type.type == kai_dt_f16, p.allow_winograd = type.allow_winograd;
    if (type.kind == KAI_GEMM_INT8_STATIC) {
        p.out_min = -128, p.out_max = 127, p.multiplier = 0x1p-6F;
    }
    p.units = threads, p.sme_units = options.sme_units;
    return p;
}

/// A convolution with its operands.
class Convolution : public Work {
public:
    explicit Convolution(const kai_conv_plan& plan) : plan_(plan) {
        const kai_conv_problem& p = plan.problem;
        const size_t element = kai_get_datatype_size_in_bytes(p.in_type);
        const char* type = p.in_type == kai_dt_f16 ? "f16" : p.in_type == kai_dt_int8 ? "int8" : "f32";
        in_ = random_elements(type, p.batch * p.in_image, 1);
        out_.resize(p.batch * p.out_image);
        workspace_ = allocate(plan.workspace_size);

        const size_t weights = p.out_channels * p.kernel_height * p.kernel_width * (p.in_channels / p.groups);
        const std::vector<uint8_t> filter = random_elements(type, weights * element, 2),
                                   scales = random_elements("f32", p.out_channels * sizeof(float), 2);
        kai_gemm_weights from = {};
        from.b = filter.data();
        from.scale = p.kind == KAI_GEMM_DENSE ? nullptr : scales.data();
        const AlignedMemory scratch = allocate(plan.pack_workspace_size);
        packed_ = allocate(plan.packed_size);
        require(
            kai_conv_pack(&plan, &from, packed_.get(), plan.packed_size, scratch.get(), plan.pack_workspace_size),
            "convolution: ");
    }

    double bytes() const override {
        return static_cast<double>(in_.size() + plan_.packed_size + out_.size());
    }
    void run(Pool& pool) override {
        kai_conv_operands x = {};
        x.in = in_.data(), x.packed = packed_.get(), x.out = out_.data();
        require(
            kai_conv_run(
                &plan_, &x, workspace_.get(), plan_.workspace_size, pool.threads() > 1 ? Pool::parallel_for : nullptr,
                &pool),
            "convolution: ");
    }

private:
    kai_conv_plan plan_;
    std::vector<uint8_t> in_, out_;
    AlignedMemory packed_, workspace_;
};

/// Adds the case, or the reason why it is skipped. False: it was not asked for.
bool make_case(const Layer& layer, const Type& type, size_t threads, Case* c) {
    const kai_conv_problem problem = problem_of(layer, type, threads);
    kai_conv_plan plan;
    c->what = "conv", c->name = std::string(type.name) + "_" + layer.name, c->threads = threads;
    if (kai_conv_make_plan(&problem, &plan) != KAI_GEMM_OK) {
        c->skipped = plan.reason;
        return true;
    }
    c->shape = {
        plan.out_height * plan.out_width, layer.out, layer.filter * layer.filter * (layer.depthwise ? 1 : layer.in)};
    c->kernel = plan.ukernel != nullptr ? plan.ukernel : plan.gemm.gemm.ukernel;
    c->is_f32 = options.baseline && &type == &kConvTypes[0];
    c->make = [plan] { return std::make_unique<Convolution>(plan); };
    if (type.allow_winograd && plan.path != KAI_CONV_WINOGRAD_4) {
        return false;  // as without
    }
    return c->is_f32 || (matches(options.kernel, c->kernel->name) && matches(options.family, c->kernel->family));
}

}  // namespace

std::vector<Case> conv_cases() {
    std::vector<Case> cases;
    if (!options.does("conv")) {
        return cases;
    }
    for (const Layer& layer : kLayers) {
        for (const size_t t : threads_for({2, 1, 1})) {  // as for many rows
            for (const Type& type : kConvTypes) {
                Case c;
                if (make_case(layer, type, t, &c)) {
                    cases.push_back(std::move(c));
                }
            }
        }
    }
    return cases;
}
