// A convolution: see the header.
//
// SPDX-License-Identifier: Apache-2.0
#include "test/conv/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>

#include "test/reference/conv.hpp"

namespace test::conv {
namespace {

double load(kai_datatype type, const void* from) {
    uint32_t bits = 0;
    std::memcpy(&bits, from, kai_get_datatype_size_in_bytes(type));
    float f = 0;
    switch (type) {
        case kai_dt_f16:
            return kai_cast_f32_f16(static_cast<uint16_t>(bits));
        case kai_dt_bf16:
            return kai_cast_f32_bf16(static_cast<uint16_t>(bits));
        case kai_dt_int8:
            return static_cast<int8_t>(bits);
        case kai_dt_uint8:
            return static_cast<uint8_t>(bits);
        default:
            std::memcpy(&f, &bits, sizeof(f));
            return f;
    }
}

void store(kai_datatype type, void* to, double value) {
    const auto f = static_cast<float>(value);
    uint32_t bits = 0;
    switch (type) {
        case kai_dt_f16:
            bits = kai_cast_f16_f32(f);
            break;
        case kai_dt_bf16:
            bits = kai_cast_bf16_f32(f);
            break;
        case kai_dt_int8:
        case kai_dt_uint8:
            bits = static_cast<uint32_t>(static_cast<int32_t>(value));
            break;
        default:
            std::memcpy(&bits, &f, sizeof(bits));
    }
    std::memcpy(to, &bits, kai_get_datatype_size_in_bytes(type));
}

double rounded(kai_datatype type, double value) {
    uint32_t bits = 0;
    store(type, &bits, value);
    return load(type, &bits);
}

bool is_lowp(const kai_conv_problem& p) {
    return p.kind == KAI_GEMM_INT8_LOWP || p.kind == KAI_GEMM_UINT8_LOWP;
}
kai_datatype weight_type(const kai_conv_problem& p) {
    return p.kind == KAI_GEMM_DENSE ? p.weight_type : p.kind == KAI_GEMM_UINT8_LOWP ? kai_dt_uint8 : kai_dt_int8;
}

/// Rounding doubling high half, then a rounding shift: kai_lowp.h, of what does not saturate.
int64_t requantise(int64_t x, int32_t multiplier, int32_t shift) {
    x = shift > 0 ? x * (int64_t{1} << shift) : x;
    x = (2 * x * multiplier + (int64_t{1} << 31)) >> 32;
    const int right = shift < 0 ? -shift : 0;
    const int64_t half = right > 0 ? int64_t{1} << (right - 1) : 0;
    return x >= 0 ? (x + half) >> right : -((-x + half) >> right);
}

/// Where weight (o, i, j, c) of a group is, in elements.
size_t weight_index(const kai_conv_problem& p, size_t o, size_t i, size_t j, size_t c) {
    const size_t h = p.kernel_height, w = p.kernel_width, inputs = p.in_channels / p.groups,
                 outputs = p.out_channels / p.groups;
    switch (p.layout) {
        case KAI_CONV_OIHW:
            return ((o * inputs + c) * h + i) * w + j;
        case KAI_CONV_HWIO:
            return ((i * w + j) * inputs + c) * p.out_channels + o;
        case KAI_CONV_IOHW:
            return (((o / outputs * inputs + c) * outputs + o % outputs) * h + i) * w + j;
        default:
            return ((o * h + i) * w + j) * inputs + c;
    }
}

size_t or_dense(size_t stride, size_t dense) {
    return stride != 0 ? stride : dense;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Case& c) {
    const kai_conv_problem& p = c.p;
    out << p.batch << " x " << p.height << " x " << p.width << " x " << p.in_channels << " to " << p.out_channels
        << ", groups " << p.groups << ", kernel " << p.kernel_height << " x " << p.kernel_width << ", stride "
        << p.stride_height << ", " << p.stride_width << ", dilation " << p.dilation_height << ", " << p.dilation_width
        << ", pads " << p.pad_top << " " << p.pad_left << " " << p.pad_bottom << " " << p.pad_right;
    if (p.transposed) {
        out << ", transposed, out pad " << p.out_pad_height << " " << p.out_pad_width;
    }
    return out << ", types " << p.in_type << " " << p.out_type << ", kind " << p.kind << ", layout " << p.layout
               << ", path " << p.path << ", bias " << p.bias << ", gaps " << c.in_gap << " " << c.out_gap << ", units "
               << p.units << ", sme_units " << p.sme_units << ", activation " << c.activation << ", seed " << c.seed;
}

Experiment::Experiment(const Case& c) : of(c) {
}

kai_gemm_status Experiment::make_plan() {
    kai_conv_problem& p = of.p;
    const size_t in = kai_get_datatype_size_in_bytes(p.in_type), out_size = kai_get_datatype_size_in_bytes(p.out_type);
    if (of.in_gap != 0) {
        p.in_pixel = p.in_channels * in + of.in_gap, p.in_row = p.width * p.in_pixel + of.in_gap;
        p.in_image = p.height * p.in_row + of.in_gap;
    }
    kai_gemm_status status = kai_conv_make_plan(&p, &plan);
    if (status == KAI_GEMM_OK && of.out_gap != 0) {
        p.out_pixel = p.out_channels * out_size + of.out_gap, p.out_row = plan.out_width * p.out_pixel + of.out_gap;
        p.out_image = plan.out_height * p.out_row + of.out_gap;
        status = kai_conv_make_plan(&p, &plan);
    }
    if (status == KAI_GEMM_OK) {
        make_operands();
    }
    return status;
}

void Experiment::make_operands() {
    const kai_conv_problem& p = of.p;
    Random random(of.seed);
    const bool integers = of.integers || p.kind != KAI_GEMM_DENSE;
    const auto value = [&](kai_datatype type, int most) {
        return rounded(type, integers ? random.integer(-most, most) : static_cast<double>(random.real(-1, 1)));
    };
    const bool bytes = p.in_type == kai_dt_int8 || p.in_type == kai_dt_uint8;
    const size_t inputs = p.in_channels / p.groups;
    const auto fill = [&](std::vector<double>& v, size_t count, kai_datatype type, int most, int middle) {
        v.resize(count);
        std::generate(v.begin(), v.end(), [&] { return value(type, most) + middle; });
    };
    const int in_zero = p.kind == KAI_GEMM_INT8_STATIC ? p.in_zero_point : p.kind == KAI_GEMM_UINT8_LOWP ? 120 : 0;
    const int weight_zero = p.kind == KAI_GEMM_UINT8_LOWP ? 130 : 0;
    fill(in_, p.batch * p.height * p.width * p.in_channels, bytes ? kai_dt_f32 : p.in_type, bytes ? 60 : 2, in_zero);
    const size_t weight_count = p.out_channels * p.kernel_height * p.kernel_width * inputs;
    fill(weights_, weight_count, bytes ? kai_dt_f32 : p.weight_type, bytes ? 60 : 1, weight_zero);
    fill(bias_, p.out_channels, kai_dt_f32, 3, 0);

    // The operands as they are stored.
    const size_t size = kai_get_datatype_size_in_bytes(p.in_type);
    const size_t pixel = or_dense(p.in_pixel, p.in_channels * size), row = or_dense(p.in_row, p.width * pixel),
                 image = or_dense(p.in_image, p.height * row);
    const size_t in_size =
        p.batch == 0 ? 0 : (p.batch - 1) * image + (p.height - 1) * row + (p.width - 1) * pixel + p.in_channels * size;
    GuardedBuffer& in = buffers.emplace_back(in_size, of.flush, 0xFF);  // gaps: NaN
    for (size_t i = 0; i < in_.size(); ++i) {
        const size_t at = i / p.in_channels;
        store(
            p.in_type,
            in.data() + at / p.width / p.height * image + at / p.width % p.height * row + at % p.width * pixel +
                i % p.in_channels * size,
            in_[i]);
    }
    const kai_datatype type = weight_type(p);
    const size_t weight_size = kai_get_datatype_size_in_bytes(type);
    GuardedBuffer& b = buffers.emplace_back(weight_count * weight_size, of.flush);
    for (size_t o = 0, from = 0; o < p.out_channels; ++o) {
        for (size_t i = 0; i < p.kernel_height; ++i) {
            for (size_t j = 0; j < p.kernel_width; ++j) {
                for (size_t c = 0; c < inputs; ++c) {
                    store(type, b.data() + weight_index(p, o, i, j, c) * weight_size, weights_[from++]);
                }
            }
        }
    }
    weights.b = b.data();
    if (p.bias) {
        GuardedBuffer& bias = buffers.emplace_back(p.out_channels * sizeof(float), of.flush);
        for (size_t o = 0; o < p.out_channels; ++o) {
            const auto integer = static_cast<int32_t>(bias_[o]);
            const auto real = static_cast<float>(bias_[o]);
            std::memcpy(
                bias.data() + o * sizeof(float),
                p.kind == KAI_GEMM_INT8_STATIC ? static_cast<const void*>(&integer) : &real, sizeof(float));
        }
        weights.bias = bias.data();
    } else if (!is_lowp(p)) {
        std::fill(bias_.begin(), bias_.end(), 0);
    }
    if (p.kind == KAI_GEMM_INT8_STATIC) {
        for (size_t o = 0; o < p.out_channels; ++o) {
            scale_.push_back(std::ldexp(1.0F, -random.integer(7, 12)));
        }
        weights.scale = scale_.data();
    }
    if (is_lowp(p)) {
        lowp.pipeline = KAI_LOWP_FIXED_POINT, lowp.per_channel = true;
        lowp.lhs_offset = -in_zero, lowp.rhs_offset = -weight_zero;
        lowp.result_offset = p.kind == KAI_GEMM_UINT8_LOWP ? 110 : -7;
        lowp.min_value = p.kind == KAI_GEMM_UINT8_LOWP ? 3 : -120, lowp.max_value = 125;
        for (size_t o = 0; o < p.out_channels; ++o) {
            bias_of_lowp_.push_back(static_cast<int32_t>(bias_[o]));
            multiplier_.push_back(random.integer(1 << 30, INT32_MAX - 1));
            shift_.push_back(-random.integer(6, 11));
        }
        lowp.bias = bias_of_lowp_.data(), lowp.multiplier = multiplier_.data(), lowp.shift = shift_.data();
        operands.lowp = &lowp;
    }

    packed = &buffers.emplace_back(plan.packed_size, Flush::end);
    workspace = &buffers.emplace_back(plan.workspace_size, Flush::end);
    const size_t out_size = kai_get_datatype_size_in_bytes(p.out_type);
    const size_t out_pixel = plan.problem.out_pixel, out_row = plan.problem.out_row, out_image = plan.problem.out_image;
    out = &buffers.emplace_back(
        p.batch == 0 ? 0
                     : (p.batch - 1) * out_image + (plan.out_height - 1) * out_row + (plan.out_width - 1) * out_pixel +
                           p.out_channels * out_size,
        of.flush, 0xC3);
    const size_t results = p.batch * plan.out_height * plan.out_width * p.out_channels;
    before_.resize(results);
    for (size_t i = 0; i < results; ++i) {
        before_[i] = of.beta != 0 ? value(p.out_type, 2) : 0;
        if (of.beta != 0) {
            store(p.out_type, out->data() + out_offset(i), before_[i]);
        }
    }
    poison_ = out->bytes();

    for (double& x : in_) {
        x -= in_zero;
    }
    for (double& x : weights_) {
        x -= weight_zero;
    }
    const reference::Conv shape = {p.batch,           p.height,         p.width,        p.in_channels,   p.out_channels,
                                   p.groups,          p.kernel_height,  p.kernel_width, p.stride_height, p.stride_width,
                                   p.dilation_height, p.dilation_width, p.pad_top,      p.pad_left,      p.transposed,
                                   plan.out_height,   plan.out_width};
    sums_ = reference::convolve(shape, in_, weights_, bias_);

    operands.in = in.data(), operands.packed = packed->data(), operands.out = out->data();
    if (p.epilogue) {
        const kai_gemm_problem defaults = kai_gemm_problem_of(1, 1, 1);
        epilogue = kai_gemm_epilogue_of(&defaults);
        epilogue.alpha = of.alpha, epilogue.beta = of.beta;
        epilogue.clamp_min = p.clamp_min, epilogue.clamp_max = p.clamp_max;
        epilogue.activation = of.activation;
        if (p.out_type == kai_dt_int8 || p.out_type == kai_dt_uint8) {
            epilogue.c_multiplier = 0.5F, epilogue.c_zero_point = 11;
        }
        if (of.factors) {
            for (size_t o = 0; o < p.out_channels; ++o) {
                column_scale_.push_back(std::ldexp(1.0F, random.integer(-1, 1)));
                column_shift_.push_back(static_cast<float>(random.integer(-2, 2)));
            }
            epilogue.column_scale = column_scale_.data(), epilogue.column_shift = column_shift_.data();
        }
        operands.epilogue = &epilogue;
    }
}

size_t Experiment::out_offset(size_t index) const {
    const size_t channels = of.p.out_channels, pixel = index / channels;
    return pixel / plan.out_width / plan.out_height * plan.problem.out_image +
           pixel / plan.out_width % plan.out_height * plan.problem.out_row +
           pixel % plan.out_width * plan.problem.out_pixel +
           index % channels * kai_get_datatype_size_in_bytes(of.p.out_type);
}

kai_gemm_status Experiment::pack(uint64_t shuffle) {
    std::vector<size_t> units(plan.pack_units);
    for (size_t i = 0; i < units.size(); ++i) {
        units[i] = i;
    }
    Random random(shuffle);
    for (size_t i = units.size(); shuffle != 0 && i > 1; --i) {
        std::swap(units[i - 1], units[static_cast<size_t>(random.integer(0, static_cast<int>(i) - 1))]);
    }
    const GuardedBuffer space(plan.pack_workspace_size);
    for (const size_t unit : units) {
        const kai_gemm_status status =
            kai_conv_pack_unit(&plan, &weights, packed->data(), packed->size(), space.data(), space.size(), unit);
        if (status != KAI_GEMM_OK) {
            return status;
        }
    }
    return KAI_GEMM_OK;
}

kai_gemm_status Experiment::run(const Schedule& how) {
    if (how.at_once) {
        Schedule copy = how;
        return kai_conv_run(
            &plan, &operands, workspace->data(), workspace->size(), how.threads > 1 ? &gemm::parallel_for : nullptr,
            &copy);
    }
    kai_conv_work work;
    const kai_gemm_status status = kai_conv_begin(&plan, &operands, workspace->data(), workspace->size(), &work);
    if (status != KAI_GEMM_OK) {
        return status;
    }
    for (size_t phase = 0; phase < work.phases; ++phase) {
        struct Task {
            const kai_conv_work& work;
            size_t phase;
        } task = {work, phase};
        Schedule copy = how;
        gemm::parallel_for(
            &copy, work.units[phase],
            [](void* context, size_t i) {
                const Task& t = *static_cast<Task*>(context);
                EXPECT_EQ(kai_conv_run_unit(&t.work, t.phase, i), KAI_GEMM_OK);
            },
            &task);
    }
    return KAI_GEMM_OK;
}

void Experiment::repeat_first_image() {
    uint8_t* in = buffers.front().data();
    for (size_t i = 1; i < of.p.batch; ++i) {
        std::memcpy(in + i * plan.problem.in_image, in, plan.problem.in_image);
    }
}

void Experiment::reset_out() {
    if (!poison_.empty()) {
        std::memcpy(out->data(), poison_.data(), poison_.size());
    }
}

double Experiment::expected(size_t index) const {
    const kai_conv_problem& p = of.p;
    const size_t o = index % p.out_channels;
    double x = sums_[index];
    if (is_lowp(p)) {
        const int64_t y = requantise(static_cast<int64_t>(x), multiplier_[o], shift_[o]) + lowp.result_offset;
        return static_cast<double>(std::clamp<int64_t>(y, lowp.min_value, lowp.max_value));
    }
    if (p.kind == KAI_GEMM_INT8_STATIC) {
        x = std::nearbyint(x * static_cast<double>(scale_[o] * p.multiplier)) + p.out_zero_point;
        return std::clamp(x, static_cast<double>(p.out_min), static_cast<double>(p.out_max));
    }
    if (p.epilogue) {
        x = (x - bias_[o]) * static_cast<double>(of.alpha) + bias_[o];
        x = of.factors ? x * static_cast<double>(column_scale_[o]) + static_cast<double>(column_shift_[o]) : x;
        x = of.activation == KAI_GEMM_RELU   ? std::max(x, 0.0)
            : of.activation == KAI_GEMM_SILU ? x / (1 + std::exp(-x))
                                             : x;
        x += static_cast<double>(of.beta) * before_[index];
    }
    x = std::clamp(x, static_cast<double>(p.clamp_min), static_cast<double>(p.clamp_max));
    if (p.out_type == kai_dt_int8 || p.out_type == kai_dt_uint8) {
        const double least = p.out_type == kai_dt_int8 ? -128 : 0;
        return std::clamp(std::nearbyint(x * 0.5) + 11, least, least + 255);
    }
    return x;
}

Experiment::Errors Experiment::errors() const {
    Errors e = {0, 0};
    for (size_t i = 0; i < sums_.size(); ++i) {
        const double is = load(of.p.out_type, out->data() + out_offset(i)), should = expected(i);
        e.most = std::max(e.most, std::isnan(is) ? HUGE_VAL : std::fabs(is - should));
        e.largest = std::max(e.largest, std::fabs(should));
    }
    return e;
}

void Experiment::check(double tolerance) const {
    const size_t size = kai_get_datatype_size_in_bytes(of.p.out_type);
    double largest = 0;
    for (size_t i = 0; i < sums_.size(); ++i) {
        largest = std::max(largest, std::fabs(sums_[i]));  // before bounds
    }
    std::vector<uint8_t> rest = out->bytes();
    for (size_t i = 0; i < sums_.size(); ++i) {
        const size_t offset = out_offset(i), pixel = i / of.p.out_channels;
        const double is = load(of.p.out_type, out->data() + offset), should = rounded(of.p.out_type, expected(i));
        if (!(std::fabs(is - should) <= tolerance * largest)) {
            ADD_FAILURE() << of << "\nimage " << pixel / plan.out_width / plan.out_height << ", row "
                          << pixel / plan.out_width % plan.out_height << ", column " << pixel % plan.out_width
                          << ", channel " << i % of.p.out_channels << ": " << is << ", should be " << should;
            return;
        }
        std::memcpy(&rest[offset], &poison_[offset], size);
    }
    EXPECT_EQ(rest, poison_) << of << ": gaps of the output were written";
}

bool Experiment::succeeds(const Schedule& how, double tolerance) {
    if (const kai_gemm_status status = make_plan(); status != KAI_GEMM_OK) {
        ADD_FAILURE() << of << "\nno plan: " << plan.reason;
        return false;
    }
    EXPECT_EQ(pack(how.shuffle), KAI_GEMM_OK) << of;
    EXPECT_EQ(run(how), KAI_GEMM_OK) << of;
    check(tolerance);
    return !testing::Test::HasFailure();
}

}  // namespace test::conv
