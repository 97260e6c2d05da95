// Convolution, pooling and resizing: images are batch, channels, space; in memory the channels are last.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "examples/convnet/operators.hpp"
#include "kai/gemm/kai_conv.h"

namespace convnet {
namespace {

/// A window along one axis.
struct Window {
    size_t in = 1, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0, out = 1;

    size_t reach() const {
        return (kernel - 1) * dilation + 1;
    }

    /// Of result `at`: the first element, how many elements, and how many with those that are padding.
    struct Taps {
        size_t first, count, with_pads;
    };
    Taps taps(size_t at) const {
        const size_t start = at * stride, skipped = start < before ? (before - start + dilation - 1) / dilation : 0;
        const auto up_to = [&](size_t end) {
            return std::min(kernel, end > start ? (end - start + dilation - 1) / dilation : 0);
        };
        const size_t last = up_to(before + in);
        return {start + skipped * dilation - before, last > skipped ? last - skipped : 0, up_to(before + in + after)};
    }
};

/// Images of one dimension get a second one; those of two stay as they are.
Tensor as_image(const Tensor& x) {
    require(x.rank() == 3 || x.rank() == 4, "only one and two dimensions of space are supported");
    return x.rank() == 3 ? insert_axis(x, 2) : x;
}

/// The windows of both axes of `image`. `kernel`: of the axes that the node has, one or two.
std::array<Window, 2> windows_of(const Call& call, const Tensor& image, const std::vector<int64_t>& kernel) {
    const std::string automatic = call.text("auto_pad", "NOTSET");
    const std::vector<int64_t> strides = call.integers("strides"), dilations = call.integers("dilations");
    const std::vector<int64_t> pads = call.integers("pads");
    const size_t axes = kernel.size();
    const auto at = [&](const std::vector<int64_t>& list, size_t i, int64_t least, int64_t otherwise) {
        require(list.empty() || i < list.size(), "a list that is too short");
        const int64_t value = list.empty() ? otherwise : list[i];
        require(value >= least && value < (1 << 20), std::to_string(value) + " is out of range");
        return size_t(value);
    };
    std::array<Window, 2> windows = {};  // the first one is that of an axis of 1, if the node has one axis
    for (size_t i = 0; i < axes; ++i) {
        Window& w = windows[2 - axes + i];
        w.in = image.shape[4 - axes + i], w.kernel = at(kernel, i, 1, 1);
        w.stride = at(strides, i, 1, 1), w.dilation = at(dilations, i, 1, 1);
        if (automatic == "NOTSET") {
            w.before = at(pads, i, 0, 0), w.after = at(pads, i + axes, 0, 0);
        } else if (automatic != "VALID") {
            const size_t covered = ((w.in + w.stride - 1) / w.stride - 1) * w.stride + w.reach();
            const size_t pad = covered > w.in ? covered - w.in : 0;
            w.before = automatic == "SAME_UPPER" ? pad / 2 : pad - pad / 2, w.after = pad - w.before;
        }
        const size_t padded = w.in + w.before + w.after;
        require(w.in != 0 && padded >= w.reach(), "a window that is larger than its image");
        const size_t steps = padded - w.reach(), up = call.integer("ceil_mode", 0) != 0 ? w.stride - 1 : 0;
        w.out = (steps + up) / w.stride + 1;
        // A window begins in the image, or before it.
        w.out -= up != 0 && (w.out - 1) * w.stride >= w.in + w.before ? 1 : 0;
    }
    return windows;
}

/// A filter in the order of the library, for images of one size.
struct Filter : Kept {
    kai_conv_plan plan = {};
    std::shared_ptr<void> packed;
};

kai_conv_problem problem_of(
    Call& call, const Tensor& image, const Tensor& weights, const std::array<Window, 2>& windows, bool transposed) {
    const int64_t groups = call.integer("group", 1);
    require(groups > 0 && groups < (1 << 30), "groups that are out of range");
    const size_t columns = weights.shape[1] * (transposed ? size_t(groups) : 1);
    const Window &y = windows[0], &x = windows[1];
    kai_conv_problem p = kai_conv_problem_of(
        image.shape[2], image.shape[3], image.shape[1], transposed ? columns : weights.shape[0], y.kernel, x.kernel);
    require(
        transposed ? weights.shape[0] == image.shape[1] : columns * size_t(groups) == image.shape[1],
        "a filter " + text_of(weights.shape) + " for an image " + text_of(image.shape));
    p.batch = image.shape[0], p.groups = size_t(groups), p.transposed = transposed;
    p.stride_height = y.stride, p.stride_width = x.stride;
    p.dilation_height = y.dilation, p.dilation_width = x.dilation;
    p.pad_top = y.before, p.pad_bottom = y.after, p.pad_left = x.before, p.pad_right = x.after;
    p.layout = transposed ? KAI_CONV_IOHW : KAI_CONV_OIHW;
    p.bias = call.has(2), p.units = call.context.pool.threads();
    p.clamp_min = call.real("min", -kInfinity), p.clamp_max = call.real("max", kInfinity);
    return p;
}

/// The filter for this problem, packed if it is not yet.
const Filter& prepare(Call& call, const kai_conv_problem& problem, const Tensor& weights) {
    const auto* kept = static_cast<const Filter*>(call.kept.get());
    const bool constant = call.is_constant[1] && (!call.has(2) || call.is_constant[2]);
    if (kept != nullptr && constant && kept->plan.problem.batch == problem.batch &&
        kept->plan.problem.height == problem.height && kept->plan.problem.width == problem.width) {
        return *kept;
    }
    auto filter = std::make_unique<Filter>();
    kai_conv_plan& plan = filter->plan;
    require(kai_conv_make_plan(&problem, &plan), plan.reason);
    filter->packed = call.context.memory.allocate(plan.packed_size);
    const std::shared_ptr<void> workspace = call.context.memory.allocate(plan.pack_workspace_size);
    const Tensor from = dense(call.context, weights);
    const Tensor bias = call.has(2) ? dense(call.context, call.reals(2)) : Tensor{};
    require(!call.has(2) || bias.count() == problem.out_channels, "a bias that is not of each channel");
    kai_gemm_weights source = {};
    source.b = from.reals(), source.bias = bias.reals();
    require(kai_conv_pack(
        &plan, &source, filter->packed.get(), plan.packed_size, workspace.get(), plan.pack_workspace_size));
    const Filter& result = *filter;
    call.kept = std::move(filter);
    return result;
}

void convolve(Call& call, bool transposed) {
    const Tensor &x = call.reals(0), weights = as_image(call.reals(1));
    require(call.reals(1).rank() == x.rank(), "a filter of other dimensions");
    const Tensor image = channels_last(call.context, as_image(x));
    const std::vector<int64_t> kernel(call.reals(1).shape.begin() + 2, call.reals(1).shape.end());
    require(!transposed || call.text("auto_pad", "NOTSET") == "NOTSET", "auto_pad is not supported");
    require(!transposed || call.integers("output_shape").empty(), "output_shape is not supported");
    const std::array<Window, 2> windows = windows_of(call, image, kernel);
    kai_conv_problem problem = problem_of(call, image, weights, windows, transposed);
    if (transposed) {
        std::vector<int64_t> more = call.integers("output_padding");
        more.insert(more.begin(), 2 - std::min<size_t>(more.size(), 2), 0);
        problem.out_pad_height = size_t(more[0]), problem.out_pad_width = size_t(more[1]);
    }
    const Filter& filter = prepare(call, problem, weights);
    const kai_conv_plan& plan = filter.plan;
    const Shape shape = {image.shape[0], problem.out_channels, plan.out_height, plan.out_width};
    const Tensor result = make_ordered(call.context, Type::f32, shape, channels_last_order(4));
    const std::shared_ptr<void> workspace = call.context.memory.allocate(plan.workspace_size);
    kai_conv_operands operands = {};
    operands.in = image.reals(), operands.packed = filter.packed.get(), operands.out = result.reals();
    require(kai_conv_run(
        &plan, &operands, workspace.get(), plan.workspace_size, ThreadPool::parallel_for, &call.context.pool));
    call.out[0] = x.rank() == 3 ? remove_axis(result, 2) : result;
}

/// One row of pixels of the result; the channels of a pixel are neighbours.
void pool_row(
    const float* image, float* to, size_t channels, size_t row, const Window& y, const Window& x, bool mean,
    bool counts_pads) {
    const Window::Taps rows = y.taps(row);
    for (size_t column = 0; column < x.out; ++column, to += channels) {
        const Window::Taps columns = x.taps(column);
        std::fill_n(to, channels, mean ? 0 : -kInfinity);
        for (size_t i = 0; i < rows.count; ++i) {
            for (size_t j = 0; j < columns.count; ++j) {
                const size_t pixel = (rows.first + i * y.dilation) * x.in + columns.first + j * x.dilation;
                const float* from = image + pixel * channels;
                for (size_t c = 0; c < channels; ++c) {
                    to[c] = mean ? to[c] + from[c] : std::max(to[c], from[c]);
                }
            }
        }
        const size_t count = counts_pads ? rows.with_pads * columns.with_pads : rows.count * columns.count;
        for (size_t c = 0; c < channels && mean; ++c) {
            to[c] /= float(count);
        }
    }
}

void pool(Call& call, bool mean) {
    const Tensor& x = call.reals(0);
    require(call.out.size() == 1, "indices are not supported");
    const std::vector<int64_t> kernel = call.integers("kernel_shape");
    const Tensor image = channels_last(call.context, as_image(x));
    require(kernel.size() + 2 == x.rank(), "a window of other dimensions");
    const std::array<Window, 2> windows = windows_of(call, image, kernel);
    const size_t channels = image.shape[1], rows = windows[0].out;
    const Tensor result =
        make_ordered(call.context, Type::f32, {image.shape[0], channels, rows, windows[1].out}, channels_last_order(4));
    const bool counts_pads = call.integer("count_include_pad", 0) != 0;
    call.context.pool.for_each(image.shape[0] * rows, [&](size_t i) {
        const float* from = image.reals() + i / rows * channels * image.shape[2] * image.shape[3];
        float* to = result.reals() + i * channels * windows[1].out;
        pool_row(from, to, channels, i % rows, windows[0], windows[1], mean, counts_pads);
    });
    call.out[0] = x.rank() == 3 ? remove_axis(result, 2) : result;
}

/// Where element `i` of an axis that is resized comes from.
double source_of(const std::string& mode, size_t i, double scale, size_t in, size_t out) {
    const double x = double(i);
    if (mode == "asymmetric") {
        return x / scale;
    } else if (mode == "align_corners") {
        return out == 1 ? 0 : x * double(in - 1) / double(out - 1);
    } else if (mode == "pytorch_half_pixel" && out == 1) {
        return 0;
    }
    require(mode == "half_pixel" || mode == "pytorch_half_pixel", "coordinates of " + mode + " are not supported");
    return (x + 0.5) / scale - 0.5;
}

double nearest(const std::string& mode, double x) {
    const double low = std::floor(x), high = std::ceil(x);
    require(
        mode == "floor" || mode == "ceil" || mode == "round_prefer_floor" || mode == "round_prefer_ceil",
        "the mode " + mode + " is not supported");
    return mode == "floor"                ? low
           : mode == "ceil"               ? high
           : mode == "round_prefer_floor" ? std::ceil(x - 0.5)
                                          : std::floor(x + 0.5);
}

/// One axis of `x`, in `out` elements.
Tensor resize_axis(Call& call, const Tensor& x, size_t axis, double scale, size_t out) {
    const size_t in = x.shape[axis];
    const std::string place = call.node.type == "Upsample" || call.opset < 11 ? "asymmetric" : "half_pixel";
    const std::string mode = call.text("coordinate_transformation_mode", place.c_str());
    const bool linear = call.text("mode", "nearest") == "linear";
    const std::string rounds = call.text("nearest_mode", call.opset < 11 ? "floor" : "round_prefer_floor");
    require(in != 0, "an empty axis");
    std::vector<int64_t> low = indices_for(out), high = low;
    const Tensor weights = call.make(Type::f32, {out});
    for (size_t i = 0; i < out; ++i) {
        const double at = source_of(mode, i, scale, in, out), last = double(in - 1);
        const double from = std::min(std::max(linear ? std::floor(at) : nearest(rounds, at), 0.0), last);
        low[i] = int64_t(from), high[i] = int64_t(std::min(from + 1, last));
        weights.reals()[i] = float(std::min(std::max(at - from, 0.0), 1.0));
    }
    Tensor a = take(call.context, x, axis, low);
    if (!linear) {
        return a;
    }
    Tensor along = weights;  // to be broadcast
    while (along.rank() < x.rank() - axis) {
        along = insert_axis(along, 1);
    }
    const Tensor minus = multiply(call.context, a, scalar(call.context, Type::f32, -1));
    return add(
        call.context, a, multiply(call.context, add(call.context, take(call.context, x, axis, high), minus), along));
}

void resize(Call& call) {
    Tensor x = call.reals(0);
    const size_t scales = call.node.type == "Upsample" || call.opset < 11 ? 1 : 2;
    const std::string mode = call.text("mode", "nearest");
    require(mode == "nearest" || mode == "linear", "the mode " + mode + " is not supported");
    require(call.integers("axes").empty(), "axes are not supported");
    const std::vector<int64_t> sizes =
        call.has(3) ? integers_of(call.context, call.operand(3)) : std::vector<int64_t>();
    const Tensor factors = sizes.empty() ? dense(call.context, call.reals(scales)) : Tensor{};
    require((sizes.empty() ? factors.count() : sizes.size()) == x.rank(), "not a size of each axis");
    for (size_t axis = 0; axis < x.rank(); ++axis) {
        const double in = double(x.shape[axis]);
        const double scale = sizes.empty() ? factors.reals()[axis] : double(sizes[axis]) / in;
        const double out = sizes.empty() ? std::floor(in * scale) : double(sizes[axis]);
        require(scale > 0 && out >= 1 && out < 1e9, "a size that is out of range");
        x = out != in || scale != 1 ? resize_axis(call, x, axis, scale, size_t(out)) : x;
    }
    call.out[0] = x;
}

}  // namespace

const Operators kWindows = {
    {"AveragePool", [](Call& call) { pool(call, true); }},
    {"Conv", [](Call& call) { convolve(call, false); }},
    {"ConvTranspose", [](Call& call) { convolve(call, true); }},
    {"MaxPool", [](Call& call) { pool(call, false); }},
    {"Resize", resize},
    {"Upsample", resize},
};

}  // namespace convnet
