// What convolution refuses.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/conv/conv.hpp"

namespace kai::conv {
namespace {

#define RETURN_IF_WRONG(check)               \
    if (const Violation violation = check) { \
        return violation;                    \
    }

/// Sides of filters, strides and dilations; padding; sides of images. So sums of them do not overflow.
constexpr size_t kMostTaps = 4096, kMostPadding = size_t{1} << 20, kMostPixels = size_t{1} << 30;

Violation check_range(const char* name, size_t value, size_t least, size_t most) {
    return value >= least && value <= most ? Violation{}
                                           : wrong(KAI_GEMM_BAD_VALUE, say::out_of_range, name, value, least, most);
}

Violation check_shape(const Problem& p) {
    const struct {
        const char* name;
        size_t value, least, most;
    } sizes[] = {
        {"height", p.height, 1, kMostPixels},
        {"width", p.width, 1, kMostPixels},
        {"batch", p.batch, 0, kMostPixels},
        {"in_channels", p.in_channels, 1, kMostPixels},
        {"out_channels", p.out_channels, 1, kMostPixels},
        {"groups", p.groups, 1, kMostPixels},
        {"kernel_height", p.kernel_height, 1, kMostTaps},
        {"kernel_width", p.kernel_width, 1, kMostTaps},
        {"stride_height", p.stride_height, 1, kMostTaps},
        {"stride_width", p.stride_width, 1, kMostTaps},
        {"dilation_height", p.dilation_height, 1, kMostTaps},
        {"dilation_width", p.dilation_width, 1, kMostTaps},
        {"pad_top", p.pad_top, 0, kMostPadding},
        {"pad_left", p.pad_left, 0, kMostPadding},
        {"pad_bottom", p.pad_bottom, 0, kMostPadding},
        {"pad_right", p.pad_right, 0, kMostPadding},
        {"out_pad_height", p.out_pad_height, 0, p.transposed ? p.stride_height - 1 : 0},
        {"out_pad_width", p.out_pad_width, 0, p.transposed ? p.stride_width - 1 : 0},
        {"units", p.units, 1, kMostPadding},
    };
    for (const auto& size : sizes) {
        RETURN_IF_WRONG(check_range(size.name, size.value, size.least, size.most));
    }
    if (p.in_channels % p.groups != 0) {
        return wrong(KAI_GEMM_BAD_VALUE, say::not_multiple_of, "in_channels", p.in_channels, "groups", p.groups);
    }
    if (p.out_channels % p.groups != 0) {
        return wrong(KAI_GEMM_BAD_VALUE, say::not_multiple_of, "out_channels", p.out_channels, "groups", p.groups);
    }
    const struct {
        const char *side, *lines;
        size_t in, kernel, dilation, stride, pads, more;
    } sides[] = {
        {"kernel_height", "rows", p.height, p.kernel_height, p.dilation_height, p.stride_height,
         p.pad_top + p.pad_bottom, p.out_pad_height},
        {"kernel_width", "columns", p.width, p.kernel_width, p.dilation_width, p.stride_width, p.pad_left + p.pad_right,
         p.out_pad_width},
    };
    for (const auto& s : sides) {
        const size_t span = (s.kernel - 1) * s.dilation + 1;
        if (!p.transposed && span > s.in + s.pads) {
            return wrong(KAI_GEMM_BAD_VALUE, say::large_filter, s.side, s.kernel, span, s.lines, s.in + s.pads);
        }
        if (p.transposed && s.pads >= (s.in - 1) * s.stride + span + s.more) {
            return wrong(KAI_GEMM_BAD_VALUE, say::no_output, s.pads, s.lines);
        }
    }
    return {};
}

Violation check_enumerators(const Problem& p) {
    constexpr Status kBad = KAI_GEMM_BAD_VALUE;
    if (static_cast<unsigned>(p.layout) >= KAI_CONV_LAYOUT_COUNT) {
        return wrong(kBad, say::no_enumerator, "layout", static_cast<int32_t>(p.layout), "kai_conv_layout");
    }
    if (static_cast<unsigned>(p.path) >= KAI_CONV_PATH_COUNT) {
        return wrong(kBad, say::no_enumerator, "path", static_cast<int32_t>(p.path), "kai_conv_path");
    }
    if (static_cast<unsigned>(p.core) >= KAI_CORE_COUNT) {
        return wrong(kBad, say::no_enumerator, "core", static_cast<int32_t>(p.core), "kai_cpu_core");
    }
    if (p.kind != KAI_GEMM_DENSE && p.kind != KAI_GEMM_INT8_STATIC && !gemm::is_lowp(p.kind)) {
        return wrong(kBad, say::no_enumerator, "kind", static_cast<int32_t>(p.kind), "kind of weights of convolutions");
    }
    const bool dense = p.kind == KAI_GEMM_DENSE;
    const kai_datatype integer = p.kind == KAI_GEMM_UINT8_LOWP ? kai_dt_uint8 : kai_dt_int8;
    const auto fits = [=](kai_datatype type) { return dense ? gemm::is_float(type) : type == integer; };
    const bool quantises = dense && p.epilogue && (p.out_type == kai_dt_int8 || p.out_type == kai_dt_uint8);
    const struct {
        const char* name;
        kai_datatype type;
        bool fits;
    } types[] = {
        {"in_type", p.in_type, fits(p.in_type)},
        {"out_type", p.out_type, fits(p.out_type) || quantises},
        {"weight_type", p.weight_type, !dense || fits(p.weight_type)}};
    for (const auto& type : types) {
        if (!type.fits) {
            return wrong(
                kBad, say::other_type, type.name, gemm::name_of(type.type), gemm::name_of(p.kind),
                dense ? "f32, f16 and bf16" : gemm::name_of(integer));
        }
    }
    if (p.kind == KAI_GEMM_INT8_STATIC) {
        RETURN_IF_WRONG(gemm::check_int8(
            {{"in_zero_point", p.in_zero_point},
             {"out_zero_point", p.out_zero_point},
             {"out_min", p.out_min},
             {"out_max", p.out_max}}));
        if (p.out_min > p.out_max) {
            return wrong(kBad, say::out_of_order, "out_min", p.out_min, "out_max", p.out_max);
        }
    }
    if (!(p.clamp_min <= p.clamp_max)) {
        return wrong(kBad, say::bounds_out_of_order, p.clamp_min, p.clamp_max);
    }
    if (!dense && p.epilogue) {
        return wrong(kBad, say::not_for, "epilogue", gemm::name_of(p.kind));
    }
    if (p.layout == KAI_CONV_IOHW && !p.transposed) {
        return wrong(KAI_GEMM_BAD_COMBINATION, say::needs, "layout IOHW", "transposed");
    }
    return {};
}

/// An image: strides in bytes as given.
Violation check_image(
    const char* const (&names)[3], size_t batch, size_t height, size_t width, size_t pixel_bytes, size_t pixel,
    size_t row, size_t image) {
    const auto short_stride = [](const char* name, size_t stride, size_t bytes, const char* what) {
        return stride == 0 || stride >= bytes
                   ? Violation{}
                   : wrong(KAI_GEMM_BAD_STRIDE, say::short_stride, name, stride, bytes, what);
    };
    RETURN_IF_WRONG(short_stride(names[0], pixel, pixel_bytes, "pixel"));
    const size_t p = pixel != 0 ? pixel : pixel_bytes, row_bytes = mul_add(width - 1, p, pixel_bytes);
    RETURN_IF_WRONG(short_stride(names[1], row, row_bytes, "row"));
    const size_t r = row != 0 ? row : mul_add(width, p, 0), image_bytes = mul_add(height - 1, r, row_bytes);
    RETURN_IF_WRONG(short_stride(names[2], image, image_bytes, "whole image"));
    const size_t all = mul_add(batch, image != 0 ? image : mul_add(height, r, 0), image_bytes);
    return all < SIZE_MAX / 2 ? Violation{}
                              : wrong(KAI_GEMM_OVERFLOW, say::large_image, names[2], batch, height, width);
}

Violation check_strides(const Problem& p) {
    size_t out_height = 0, out_width = 0;
    set_out_size(p, out_height, out_width);
    RETURN_IF_WRONG(check_image(
        {"in_pixel", "in_row", "in_image"}, p.batch, p.height, p.width, p.in_channels * size_of(p.in_type), p.in_pixel,
        p.in_row, p.in_image));
    return check_image(
        {"out_pixel", "out_row", "out_image"}, p.batch, out_height, out_width, p.out_channels * size_of(p.out_type),
        p.out_pixel, p.out_row, p.out_image);
}

Violation check_packed(const Plan& plan, const void* packed) {
    if (plan.path == KAI_CONV_DEPTHWISE) {
        return is_packed_depthwise(plan, packed) ? Violation{}
                                                 : wrong(KAI_GEMM_WRONG_PACKING, say::unpacked, size_t{0});
    }
    for (size_t i = 0; i < matrix_count(plan); ++i) {
        const size_t count = is_winograd(plan.path) ? plan.gemm.problem.batch : 1;
        for (size_t j = 0; j < count && plan.gemm.packed_b_size != 0; ++j) {
            const void* tag =
                at(packed, i * plan.gemm.packed_b_size + j * plan.gemm.packed_b_stride + gemm::tag_offset(plan.gemm));
            if (memcmp(tag, plan.gemm.tag, sizeof(plan.gemm.tag)) != 0) {
                return wrong(KAI_GEMM_WRONG_PACKING, say::unpacked, i);
            }
        }
    }
    return {};
}

Violation check_lowp(const Plan& plan, const kai_matmul_lowp_params& x) {
    const Problem& p = plan.problem;
    if (x.multiplier == nullptr || x.shift == nullptr) {
        const char* name = x.multiplier == nullptr ? "lowp->multiplier" : "lowp->shift";
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, name, gemm::name_of(p.kind));
    }
    if (x.pipeline != KAI_LOWP_LEGACY && x.pipeline != KAI_LOWP_FIXED_POINT) {
        return wrong(
            KAI_GEMM_BAD_VALUE, say::no_enumerator, "lowp->pipeline", static_cast<int32_t>(x.pipeline),
            "kai_lowp_pipeline");
    }
    if (x.min_value > x.max_value) {
        return wrong(
            KAI_GEMM_BAD_VALUE, say::out_of_order, "lowp->min_value", x.min_value, "lowp->max_value", x.max_value);
    }
    const int32_t shift = x.pipeline == KAI_LOWP_LEGACY ? 0 : -31;
    for (size_t i = 0; i < (x.per_channel ? p.out_channels : 1); ++i) {
        if (x.shift[i] < shift || x.shift[i] > 31) {
            return wrong(KAI_GEMM_BAD_VALUE, say::entry_out_of_range, "lowp->shift", i, x.shift[i], shift, int32_t{31});
        }
    }
    // What stands for a pixel outside the image is a value of the input.
    const int32_t least = p.in_type == kai_dt_uint8 ? -255 : -127;
    return x.lhs_offset >= least && x.lhs_offset <= least + 255
               ? Violation{}
               : wrong(KAI_GEMM_BAD_VALUE, say::out_of_range, "lowp->lhs_offset", x.lhs_offset, least, least + 255);
}

Violation check_epilogue(const Plan& plan, const kai_gemm_epilogue& e) {
    const Problem& p = plan.problem;
    if (!p.epilogue) {
        return wrong(KAI_GEMM_BAD_COMBINATION, say::needs, "operands.epilogue", "problem.epilogue");
    }
    if (e.row_scale != nullptr || e.row_shift != nullptr || e.c_multipliers != nullptr) {
        const char* name = e.row_scale != nullptr   ? "row_scale"
                           : e.row_shift != nullptr ? "row_shift"
                                                    : "c_multipliers";
        return wrong(KAI_GEMM_BAD_COMBINATION, say::not_for, name, "convolution");
    }
    kai_gemm_problem g = plan.gemm.problem;
    g.epilogue = 1, g.c_type = p.out_type;
    return gemm::check_epilogue(g, e);
}

}  // namespace

void set_out_size(const Problem& p, size_t& height, size_t& width) {
    const auto out = [&](size_t in, size_t kernel, size_t dilation, size_t stride, size_t pads, size_t more) {
        const size_t span = (kernel - 1) * dilation + 1;
        return p.transposed ? (in - 1) * stride + span + more - pads : (in + pads - span) / stride + 1;
    };
    height =
        out(p.height, p.kernel_height, p.dilation_height, p.stride_height, p.pad_top + p.pad_bottom, p.out_pad_height);
    width = out(p.width, p.kernel_width, p.dilation_width, p.stride_width, p.pad_left + p.pad_right, p.out_pad_width);
}

Violation check_problem(const Problem& p) {
    if (p.units == 0 && p.height == 0 && p.in_channels == 0) {
        return wrong(KAI_GEMM_BAD_VALUE, say::zero_conv);
    }
    if (bits_of(p.reserved) != 0) {
        return wrong(KAI_GEMM_RESERVED, say::reserved, "problem");
    }
    RETURN_IF_WRONG(check_shape(p));
    RETURN_IF_WRONG(check_enumerators(p));
    return check_strides(p);
}

Violation check_sizes(const Plan& plan) {
    const Problem& p = plan.problem;
    // Packed weights, and what units have for themselves, are less.
    constexpr size_t kMore = 8192, kMostRows = 8192, kBytes = 16, kWinograd = 36;
    const size_t k = mul_add(taps_of(plan), group_inputs(p), kMore), n = group_outputs(p) + kMore,
                 matrices = mul_add(phase_count(plan), p.groups, 0);
    const size_t weights = mul_add(mul_add(mul_add(matrices, k, 0), n, 0), kBytes * kWinograd, 0),
                 slots = mul_add(mul_add(k + n, kMostRows, 0), mul_add(p.units, kBytes * kWinograd, 0), 0);
    return weights < SIZE_MAX / 4 && slots < SIZE_MAX / 4 ? Violation{}
                                                          : wrong(
                                                                KAI_GEMM_OVERFLOW, say::large_weights, taps_of(plan),
                                                                p.in_channels, p.out_channels, p.groups, p.units);
}

Violation check_plan(const Plan* plan) {
    if (plan == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "plan");
    }
    if (plan->status != KAI_GEMM_OK) {
        return wrong(KAI_GEMM_NO_PLAN, say::failed_plan, static_cast<const char*>(plan->reason));
    }
    return plan->problem.units != 0 ? Violation{} : wrong(KAI_GEMM_NO_PLAN, say::zero_conv_plan);
}

Violation check_pack(
    const Plan* plan, const kai_gemm_weights* weights, const void* packed, size_t packed_size, const void* workspace,
    size_t workspace_size) {
    RETURN_IF_WRONG(check_plan(plan));
    RETURN_IF_WRONG(gemm::check_vectors(plan->gemm));
    if (weights == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "weights");
    }
    if (bits_of(weights->reserved) != 0) {
        return wrong(KAI_GEMM_RESERVED, say::reserved, "weights");
    }
    const Problem& p = plan->problem;
    if (weights->b == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "weights.b");
    }
    if (weights->ldb != 0) {
        return wrong(KAI_GEMM_BAD_STRIDE, say::other, "weights.ldb", weights->ldb, size_t{0});
    }
    if (p.kind == KAI_GEMM_INT8_STATIC && weights->scale == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "weights.scale", gemm::name_of(p.kind));
    }
    if (p.bias && weights->bias == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "weights.bias", "problem.bias");
    }
    if (!p.bias && weights->bias != nullptr) {
        return wrong(KAI_GEMM_UNUSED_BIAS, say::unused_bias, "weights.bias");
    }
    if (packed == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_bytes, "packed", plan->packed_size);
    }
    if (packed_size < plan->packed_size) {
        return wrong(KAI_GEMM_TOO_SMALL, say::few_bytes, "packed", packed_size, plan->packed_size);
    }
    return gemm::check_workspace(plan->pack_workspace_size, workspace, workspace_size);
}

Violation check_run(const Plan* plan, const Operands* operands, const void* workspace, size_t workspace_size) {
    RETURN_IF_WRONG(check_plan(plan));
    RETURN_IF_WRONG(gemm::check_vectors(plan->gemm));
    if (plan->problem.batch == 0) {
        return {};
    }
    if (operands == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, "operands");
    }
    const Operands& x = *operands;
    if (bits_of(x.reserved) != 0) {
        return wrong(KAI_GEMM_RESERVED, say::reserved, "operands");
    }
    if (x.in == nullptr || x.packed == nullptr || x.out == nullptr) {
        const char* name = x.in == nullptr ? "in" : x.packed == nullptr ? "packed" : "out";
        return wrong(KAI_GEMM_NULL_POINTER, say::absent, name);
    }
    const bool lowp = gemm::is_lowp(plan->problem.kind);
    if (lowp && x.lowp == nullptr) {
        return wrong(KAI_GEMM_NULL_POINTER, say::absent_but_needed, "lowp", gemm::name_of(plan->problem.kind));
    }
    if (lowp) {
        RETURN_IF_WRONG(check_lowp(*plan, *x.lowp));
    }
    if (x.epilogue != nullptr) {
        RETURN_IF_WRONG(check_epilogue(*plan, *x.epilogue));
    }
    RETURN_IF_WRONG(check_packed(*plan, x.packed));
    return gemm::check_workspace(plan->workspace_size, workspace, workspace_size);
}

}  // namespace kai::conv

using namespace kai::conv;

extern "C" {

size_t kai_conv_explain_pack(
    const kai_conv_plan* plan, const kai_gemm_weights* weights, const void* packed, size_t packed_size,
    const void* workspace, size_t workspace_size, char* text, size_t size) {
    const Violation violation = check_pack(plan, weights, packed, packed_size, workspace, workspace_size);
    return kai::write(text, size, violation ? violation.what : kai::violation(kai::say::nothing_wrong, "packing"));
}

size_t kai_conv_explain_run(
    const kai_conv_plan* plan, const kai_conv_operands* operands, const void* workspace, size_t workspace_size,
    char* text, size_t size) {
    const Violation violation = check_run(plan, operands, workspace, workspace_size);
    return kai::write(text, size, violation ? violation.what : kai::violation(kai::say::nothing_wrong, "run"));
}

}  // extern "C"
