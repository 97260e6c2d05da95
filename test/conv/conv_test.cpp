// Convolution against the reference in double: shapes, types, layouts, paths, units in any order.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "test/conv/experiment.hpp"
#include "test/support/said.hpp"

namespace test::conv {
namespace {

template <typename T, size_t N>
T any_of(Random& random, const T (&values)[N]) {
    return values[static_cast<size_t>(random.integer(0, N - 1))];
}
size_t any(Random& random, int least, int most) {
    return static_cast<size_t>(random.integer(least, most));
}

/// Types of operands.
struct Types {
    const char* name;
    kai_gemm_kind kind;
    kai_datatype in, weights, out;
};
constexpr Types kTypes[] = {
    {"f32", KAI_GEMM_DENSE, kai_dt_f32, kai_dt_f32, kai_dt_f32},
    {"f16", KAI_GEMM_DENSE, kai_dt_f16, kai_dt_f16, kai_dt_f16},
    {"bf16", KAI_GEMM_DENSE, kai_dt_bf16, kai_dt_bf16, kai_dt_bf16},
    {"static", KAI_GEMM_INT8_STATIC, kai_dt_int8, kai_dt_int8, kai_dt_int8},
    {"int8_lowp", KAI_GEMM_INT8_LOWP, kai_dt_int8, kai_dt_int8, kai_dt_int8},
    {"uint8_lowp", KAI_GEMM_UINT8_LOWP, kai_dt_uint8, kai_dt_uint8, kai_dt_uint8},
    {"f32_f16", KAI_GEMM_DENSE, kai_dt_f32, kai_dt_f32, kai_dt_f16},
};

void set_types(const Types& types, kai_conv_problem& p) {
    p.kind = types.kind, p.in_type = types.in, p.weight_type = types.weights, p.out_type = types.out;
    if (types.kind == KAI_GEMM_INT8_STATIC) {
        p.in_zero_point = -9, p.out_zero_point = 5, p.out_min = -100, p.out_max = 110, p.multiplier = 0.5F;
    }
}

/// Anything that is allowed.
Case random_case(Random& random, const Types& types) {
    constexpr size_t kKernels[] = {1, 2, 3, 5, 7}, kChannels[] = {1, 2, 3, 7, 8, 16, 33};
    Case c;
    kai_conv_problem& p = c.p;
    p.batch = random.integer(0, 3) == 0 ? 3 : 1;
    p.groups = random.integer(0, 2) == 0 ? any_of(random, {size_t{2}, size_t{3}, size_t{8}}) : 1;
    const size_t inputs = p.groups == 1 ? any_of(random, kChannels) : any(random, 1, 3);
    const size_t outputs = p.groups == 1 ? any_of(random, kChannels) : any(random, 1, 3);
    p.in_channels = p.groups * inputs, p.out_channels = p.groups * outputs;
    p.kernel_height = any_of(random, kKernels), p.kernel_width = any_of(random, kKernels);
    p.stride_height = any(random, 1, 3), p.stride_width = any(random, 1, 3);
    p.dilation_height = any(random, 1, 2), p.dilation_width = any(random, 1, 3);
    p.pad_top = any(random, 0, 3), p.pad_left = any(random, 0, 3);
    p.pad_bottom = any(random, 0, 3), p.pad_right = any(random, 0, 3);
    p.height = any(random, 1, 9), p.width = any(random, 1, 12);
    p.transposed = random.integer(0, 3) == 0;
    const auto fit = [&](size_t& in, size_t kernel, size_t dilation, size_t stride, size_t& first, size_t& last) {
        const size_t span = (kernel - 1) * dilation + 1;
        if (!p.transposed && in + first + last < span) {
            in = span - first - last;
        }
        if (p.transposed && (in - 1) * stride + span <= first + last) {
            first = last = 0;
        }
    };
    fit(p.height, p.kernel_height, p.dilation_height, p.stride_height, p.pad_top, p.pad_bottom);
    fit(p.width, p.kernel_width, p.dilation_width, p.stride_width, p.pad_left, p.pad_right);
    if (p.transposed) {
        p.out_pad_height = any(random, 0, static_cast<int>(p.stride_height) - 1);
        p.out_pad_width = any(random, 0, static_cast<int>(p.stride_width) - 1);
    }
    p.layout = static_cast<kai_conv_layout>(random.integer(0, p.transposed ? 3 : 2));
    set_types(types, p);
    const bool lowp = p.kind == KAI_GEMM_INT8_LOWP || p.kind == KAI_GEMM_UINT8_LOWP;
    p.bias = !lowp && random.integer(0, 2) != 0;
    if (p.kind == KAI_GEMM_DENSE && random.integer(0, 2) == 0) {
        p.clamp_min = -3, p.clamp_max = 5;
    }
    if (random.integer(0, 3) == 0) {
        c.in_gap = 4 * any(random, 1, 5);
    }
    if (random.integer(0, 3) == 0) {
        c.out_gap = 4 * any(random, 1, 5);
    }
    p.units = any(random, 1, 4), p.sme_units = any(random, 0, 2);
    c.flush = random.integer(0, 1) == 0 ? Flush::end : Flush::start;
    c.seed = random.next();
    return c;
}

class Conv : public testing::TestWithParam<Types> {};

TEST_P(Conv, Random) {
    Random random(GetParam().name[0] * 1000U + static_cast<unsigned>(GetParam().kind));
    std::set<kai_conv_path> taken;
    for (size_t i = 0; i < gemm::case_count() / 3; ++i) {
        const Case c = random_case(random, GetParam());
        Experiment e(c);
        if (!e.succeeds({any(random, 1, 3), random.next(), random.integer(0, 1) == 0})) {
            return;
        }
        taken.insert(e.plan.path);
    }
    EXPECT_GE(taken.size(), 1U);
}

/// The digits of a number, each of another base.
class Digits {
public:
    explicit Digits(size_t number) : rest_(number) {
    }
    template <typename T, size_t N>
    const T& of(const T (&values)[N]) {
        const size_t digit = rest_ % N;
        rest_ /= N;
        return values[digit];
    }
    /// Whether there were too few.
    bool overflow() const {
        return rest_ != 0;
    }

private:
    size_t rest_;
};

/// The smallest side of an image that has results.
size_t least_side(bool transposed, size_t kernel, size_t dilation, size_t stride, size_t pads) {
    const size_t span = (kernel - 1) * dilation + 1;
    if (span > pads) {
        return transposed ? 1 : span - pads;
    }
    return transposed ? (pads - span) / stride + 2 : 1;
}

/// Number `index` of all combinations of sizes, strides, dilation, padding, groups, channels and batch: false beyond
/// the last. What is not listed is random, images are small.
bool combination(size_t index, const Types& types, Case& c) {
    constexpr size_t kKernels[] = {1, 2, 3, 5, 7}, kChannels[] = {1, 2, 3, 7, 8, 16, 33};  // of a group
    constexpr size_t kGroups[] = {1, 2, 5}, kBatches[] = {1, 3};
    constexpr size_t kStrides[][2] = {{1, 1}, {2, 2}, {1, 2}, {3, 1}}, kDilations[][2] = {{1, 1}, {2, 2}, {1, 3}};
    constexpr size_t kPads[][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {0, 3, 2, 1}};
    constexpr bool kTransposed[] = {false, true};
    Random random(index);
    c = random_case(random, types);
    kai_conv_problem& p = c.p;
    Digits digits(index);
    const size_t inputs = digits.of(kChannels), outputs = digits.of(kChannels);
    p.groups = digits.of(kGroups), p.batch = digits.of(kBatches), p.transposed = digits.of(kTransposed);
    p.in_channels = p.groups * inputs, p.out_channels = p.groups * outputs;
    const auto &stride = digits.of(kStrides), &dilation = digits.of(kDilations);
    p.stride_height = stride[0], p.stride_width = stride[1];
    p.dilation_height = dilation[0], p.dilation_width = dilation[1];
    const auto& pads = digits.of(kPads);
    p.pad_top = pads[0], p.pad_left = pads[1], p.pad_bottom = pads[2], p.pad_right = pads[3];
    p.kernel_height = digits.of(kKernels), p.kernel_width = digits.of(kKernels);
    p.height = least_side(p.transposed, p.kernel_height, dilation[0], stride[0], pads[0] + pads[2]);
    p.width = least_side(p.transposed, p.kernel_width, dilation[1], stride[1], pads[1] + pads[3]);
    p.height += any(random, 0, 2), p.width += any(random, 0, 2);
    p.out_pad_height = p.transposed ? any(random, 0, static_cast<int>(stride[0]) - 1) : 0;
    p.out_pad_width = p.transposed ? any(random, 0, static_cast<int>(stride[1]) - 1) : 0;
    p.layout = static_cast<kai_conv_layout>(random.integer(0, p.transposed ? 3 : 2));
    return !digits.overflow();
}

/// KLEIDIAI_CONV_STEP: every so many-th combination. 1: all.
size_t combination_step() {
    constexpr size_t kStep = 20011;  // a prime: all digits vary
    const char* text = std::getenv("KLEIDIAI_CONV_STEP");
    const size_t step = text != nullptr ? std::strtoul(text, nullptr, 10) : kStep;
    return step != 0 ? step : kStep;
}

TEST_P(Conv, Combinations) {
    const size_t step = combination_step();
    size_t count = 0;
    Case c;
    for (size_t i = 0; combination(i, GetParam(), c); i += step, ++count) {
        if (!Experiment(c).succeeds({1 + i % 3, c.seed | 1, i % 2 == 0})) {
            return;
        }
    }
    RecordProperty("combinations", std::to_string(count));
    EXPECT_GE(count, 9U);
}

/// The bits do not depend on units, threads, their order, or on the place in the batch.
TEST_P(Conv, SameBits) {
    Random random(7);
    for (int i = 0; i < 3; ++i) {
        Case c = random_case(random, GetParam());
        kai_conv_problem& p = c.p;
        c.integers = false, c.in_gap = c.out_gap = 0;
        p.in_channels = p.groups * 5, p.out_channels = p.groups * 19;
        p.batch = 2, p.sme_units = 1, p.height += 13, p.width += 11;
        std::vector<uint8_t> bits;
        for (const size_t units : {1, 5}) {
            p.units = units;
            Experiment e(c);
            ASSERT_EQ(e.make_plan(), KAI_GEMM_OK) << e.plan.reason;
            ASSERT_EQ(e.pack(units), KAI_GEMM_OK);
            e.repeat_first_image();
            for (const Schedule& how : {Schedule{1, 0, true}, {3, 11, true}, {2, 9, false}}) {
                e.reset_out();
                ASSERT_EQ(e.run(how), KAI_GEMM_OK);
                const std::vector<uint8_t> is = e.out_bytes();
                bits = bits.empty() ? is : bits;
                EXPECT_EQ(is, bits) << c << ", units " << units;
                EXPECT_EQ(std::memcmp(is.data(), &is[is.size() / 2], is.size() / 2), 0) << c << ", units " << units;
            }
        }
    }
}

/// Each path that can be demanded.
TEST_P(Conv, Paths) {
    Random random(3);
    for (const kai_conv_path path : {KAI_CONV_GEMM, KAI_CONV_ROWS, KAI_CONV_INDIRECT}) {
        for (int i = 0; i < 5; ++i) {
            Case c = random_case(random, GetParam());
            c.in_gap = c.out_gap = 0;
            c.p.path = path, c.p.transposed = false, c.p.layout = KAI_CONV_HWIO;
            c.p.out_pad_height = c.p.out_pad_width = 0;
            if (path == KAI_CONV_GEMM) {
                c.p.kernel_height = c.p.kernel_width = c.p.stride_height = c.p.stride_width = 1;
                c.p.pad_top = c.p.pad_left = c.p.pad_bottom = c.p.pad_right = 0;
                c.p.in_channels /= c.p.groups, c.p.out_channels /= c.p.groups, c.p.groups = 1;
            } else {
                c.p.pad_bottom = c.p.pad_right = 12;
            }
            Experiment e(c);
            if (const kai_gemm_status status = e.make_plan(); status != KAI_GEMM_OK) {
                // There are indirect kernels for some CPUs.
                EXPECT_EQ(path, KAI_CONV_INDIRECT) << c << e.plan.reason;
                EXPECT_EQ(status, KAI_GEMM_UNSUPPORTED) << e.plan.reason;
                continue;
            }
            EXPECT_EQ(e.plan.path, path);
            ASSERT_EQ(e.pack(1), KAI_GEMM_OK);
            ASSERT_EQ(e.run({2, 3, true}), KAI_GEMM_OK);
            e.check();
        }
    }
}

TEST_P(Conv, Layouts) {
    for (const kai_conv_layout layout : {KAI_CONV_OHWI, KAI_CONV_OIHW, KAI_CONV_HWIO, KAI_CONV_IOHW}) {
        for (const size_t groups : {1, 3}) {
            Case c;
            c.p = kai_conv_problem_of(5, 6, groups * 2, groups * 5, 2, 3);
            set_types(GetParam(), c.p);
            c.p.layout = layout, c.p.groups = groups, c.p.transposed = layout == KAI_CONV_IOHW, c.seed = groups;
            if (!Experiment(c).succeeds({1, 5, true})) {
                return;
            }
        }
    }
}

/// 1 x 1 with strides, groups and gaps: nothing is gathered.
TEST_P(Conv, PixelsInPlace) {
    Random random(8);
    for (int i = 0; i < 10; ++i) {
        Case c;
        c.p = kai_conv_problem_of(any(random, 1, 9), any(random, 1, 9), 6, 8, 1, 1);
        set_types(GetParam(), c.p);
        c.p.stride_height = any(random, 1, 3), c.p.stride_width = any(random, 1, 3), c.p.groups = any(random, 1, 2);
        c.p.path = KAI_CONV_ROWS, c.in_gap = 4 * any(random, 0, 1), c.out_gap = 4 * any(random, 0, 1);
        Experiment e(c);
        if (!e.succeeds({1, 0, true})) {
            return;
        }
        EXPECT_EQ(e.plan.slot_gemm, 0U);  // no rows before it
    }
}

INSTANTIATE_TEST_SUITE_P(All, Conv, testing::ValuesIn(kTypes), [](const auto& info) {
    return std::string(info.param.name);
});

/// Activation, factors of channels, a residual, bounds; also where results are quantised.
TEST(ConvEpilogue, Random) {
    Random random(5);
    for (size_t i = 0; i < gemm::case_count() / 2; ++i) {
        Case c = random_case(random, kTypes[i % 3]);
        kai_conv_problem& p = c.p;
        p.epilogue = true;
        p.clamp_min = random.integer(0, 1) == 0 ? -4 : -__builtin_inff();
        c.activation = random.integer(0, 1) == 0 ? KAI_GEMM_RELU : KAI_GEMM_NO_ACTIVATION;
        c.factors = random.integer(0, 1) == 0;
        c.alpha = random.integer(0, 1) == 0 ? 2 : 1;
        c.beta = random.integer(0, 1) == 0 ? 0.5F : 0;
        if (i % 6 == 0) {
            p.out_type = i % 12 == 0 ? kai_dt_int8 : kai_dt_uint8, c.beta = 0;
        }
        if (!Experiment(c).succeeds({2, random.next(), true})) {
            return;
        }
    }
}

/// One channel of the input for each group: tiles of micro-kernels, edges of images, parts of channels, multipliers.
TEST(ConvDepthwise, Random) {
    Random random(6);
    for (size_t i = 0; i < gemm::case_count() / 3; ++i) {
        constexpr size_t kSuits[] = {0, 1, 3};  // f32, f16, static int8
        Case c = random_case(random, kTypes[any_of(random, kSuits)]);
        kai_conv_problem& p = c.p;
        p.transposed = false, p.out_pad_height = p.out_pad_width = 0, p.layout = KAI_CONV_HWIO;
        p.groups = p.in_channels = any_of(random, {size_t{2}, size_t{7}, size_t{33}, size_t{150}});
        p.out_channels = p.groups * (random.integer(0, 3) == 0 ? any(random, 2, 3) : 1);
        p.kernel_height = p.kernel_width = any_of(random, {size_t{1}, size_t{3}, size_t{3}, size_t{5}, size_t{5}});
        p.stride_height = p.stride_width = any(random, 1, 2);
        p.dilation_height = any(random, 1, 6) == 1 ? 2 : 1, p.dilation_width = p.dilation_height;
        p.height += 9, p.width += 9;
        p.units = any_of(random, {size_t{1}, size_t{3}, size_t{40}});
        p.epilogue = p.kind == KAI_GEMM_DENSE && random.integer(0, 3) == 0;
        c.factors = c.p.epilogue, c.beta = p.epilogue ? 0.5F : 0, c.alpha = p.epilogue ? 2 : 1;
        Experiment e(c);
        if (!e.succeeds({2, random.next(), true})) {
            return;
        }
        EXPECT_EQ(e.plan.path, KAI_CONV_DEPTHWISE);
    }
}

TEST(ConvDepthwise, Tag) {
    Case c;
    c.p = kai_conv_problem_of(5, 5, 8, 8, 3, 3);
    c.p.groups = 8;
    Experiment e(c);
    ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
    EXPECT_EQ(e.run({1, 0, true}), KAI_GEMM_WRONG_PACKING);
    ASSERT_EQ(e.pack(), KAI_GEMM_OK);
    EXPECT_EQ(e.run({1, 0, true}), KAI_GEMM_OK);
    kai_conv_problem other = c.p;
    other.weights_of = &e.plan, other.height = 9;
    kai_conv_plan plan;
    EXPECT_EQ(kai_conv_make_plan(&other, &plan), KAI_GEMM_OK);
    other.kernel_height = 2;
    EXPECT_EQ(kai_conv_make_plan(&other, &plan), KAI_GEMM_BAD_COMBINATION);
    char text[1024];
    kai_conv_explain(&e.plan, text, sizeof(text));
    EXPECT_EQ(std::string(text).rfind("path: depthwise\nmicro-kernel: dwconv_clamp_f32_f32_f32p", 0), 0U) << text;
}

TEST(ConvDepthwise, SameBits) {
    for (const size_t kernel : {3, 5, 7}) {
        Case c;
        c.p = kai_conv_problem_of(9, 75, 136, 136, kernel, kernel);  // several calls for a row of tiles
        c.p.groups = 136, c.p.pad_top = c.p.pad_right = 1, c.integers = false, c.seed = kernel;
        std::vector<uint8_t> bits;
        for (const size_t units : {1, 9}) {
            c.p.units = units;
            Experiment e(c);
            ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
            ASSERT_EQ(e.pack(), KAI_GEMM_OK);
            ASSERT_EQ(e.run({3, units, units == 1}), KAI_GEMM_OK);
            e.check(1e-6);
            bits = bits.empty() ? e.out_bytes() : bits;
            EXPECT_EQ(e.out_bytes(), bits);
        }
    }
}

/// SME is taken where its workers do more than all without it. Weights stay with the kernel that they were packed for.
TEST(ConvDepthwise, SmeOrNot) {
    if (!kai_registry_runnable(uint64_t{1} << KAI_CPU_SME2, nullptr, 0)) {
        GTEST_SKIP();
    }
    for (const bool int8 : {false, true}) {
        SCOPED_TRACE(int8);
        Case c;
        c.p = kai_conv_problem_of(9, 9, 256, 256, 3, 3);
        c.p.groups = 256;
        set_types(kTypes[int8 ? 3 : 0], c.p);
        const auto plan_of = [&](size_t units, size_t sme_units, const kai_conv_plan* weights_of = nullptr) {
            kai_conv_problem p = c.p;
            p.units = units, p.sme_units = sme_units, p.weights_of = weights_of;
            kai_conv_plan plan;
            kai_conv_make_plan(&p, &plan);
            return plan;
        };
        const auto takes_sme = [](const kai_conv_plan& plan) {
            return plan.status == KAI_GEMM_OK && std::string(plan.ukernel->name).find("_sme2_") != std::string::npos;
        };
        const kai_conv_plan with = plan_of(2, 1), without = plan_of(9, 1);
        EXPECT_TRUE(takes_sme(with) && with.workers == 1);
        EXPECT_TRUE(!takes_sme(without) && without.workers == 9);
        EXPECT_TRUE(takes_sme(plan_of(4, 2)) && plan_of(4, 2).workers == 2);
        EXPECT_FALSE(takes_sme(plan_of(1, 0)));
        EXPECT_TRUE(takes_sme(plan_of(9, 1, &with)));
        EXPECT_FALSE(takes_sme(plan_of(1, 1, &without)));
        const bool as_neon = !int8 && kai_cpu_sme_bytes() == 16;  // such vectors have the panels of NEON
        EXPECT_EQ(plan_of(1, 0, &with).status, as_neon ? KAI_GEMM_OK : KAI_GEMM_BAD_COMBINATION);
        c.p.in_channels = c.p.out_channels = c.p.groups = 2;  // nearly empty vectors, if they are long
        EXPECT_EQ(takes_sme(plan_of(1, 1)), as_neon);

        char text[2048];
        kai_conv_explain(&without, text, sizeof(text));
        const char* says = int8 ? "_sme2_mlal: 1 of 9 workers could run it, as fast as 6.07 others"
                                : "_sme2_mla: 1 of 9 workers could run it, as fast as 2.47 others";
        EXPECT_NE(std::string(text).find(says), std::string::npos) << text;
    }
}

// The first layers of networks for images.
TEST(ConvPlan, GathersFewChannels) {
    const auto plan_of = [](size_t channels, kai_conv_path path) {
        kai_conv_problem p = kai_conv_problem_of(20, 20, channels, 32, 3, 3);
        p.path = path;
        kai_conv_plan plan;
        EXPECT_EQ(kai_conv_make_plan(&p, &plan), KAI_GEMM_OK);
        return plan;
    };
    EXPECT_EQ(plan_of(4, KAI_CONV_ANY).path, KAI_CONV_INDIRECT);
    EXPECT_EQ(plan_of(3, KAI_CONV_INDIRECT).path, KAI_CONV_INDIRECT);
    const kai_conv_plan few = plan_of(3, KAI_CONV_ANY);
    EXPECT_EQ(few.path, KAI_CONV_ROWS);
    char text[2048];
    kai_conv_explain(&few, text, sizeof(text));
    EXPECT_NE(std::string(text).find("indirect: few channels"), std::string::npos) << text;
}

/// 3 x 3, stride 1.
Case winograd_case(Random& random, kai_conv_path path, const Types& types) {
    Case c = random_case(random, types);
    kai_conv_problem& p = c.p;
    p.kernel_height = p.kernel_width = 3;
    p.stride_height = p.stride_width = p.dilation_height = p.dilation_width = 1;
    p.transposed = false, p.out_pad_height = p.out_pad_width = 0;
    p.layout = static_cast<kai_conv_layout>(random.integer(0, 2));
    p.height += 2, p.width += 2;
    p.path = path;
    return c;
}

TEST(ConvWinograd, Random) {
    Random random(9);
    for (size_t i = 0; i < gemm::case_count() / 2; ++i) {
        Case c = winograd_case(random, i % 2 == 0 ? KAI_CONV_WINOGRAD_2 : KAI_CONV_WINOGRAD_4, kTypes[0]);
        if (i % 3 == 0) {
            c.p.epilogue = true, c.activation = KAI_GEMM_RELU, c.factors = true, c.beta = 0.5F;
        }
        // F(2, 3) of small integers is exact.
        if (!Experiment(c).succeeds({2, random.next(), true}, i % 2 == 0 ? 0 : 2e-5)) {
            return;
        }
    }
}

TEST(ConvWinograd, Bounds) {
    constexpr float kNone = __builtin_inff();
    for (const kai_conv_path path : {KAI_CONV_WINOGRAD_2, KAI_CONV_WINOGRAD_4}) {
        for (const auto& bounds : {std::pair(-kNone, 0.5F), {-0.5F, kNone}, {-0.25F, 0.25F}}) {
            Case c;
            c.p = kai_conv_problem_of(10, 11, 9, 22, 3, 3);
            c.p.path = path, c.p.clamp_min = bounds.first, c.p.clamp_max = bounds.second, c.integers = false;
            if (!Experiment(c).succeeds({1, 0, true}, 2e-5)) {
                return;
            }
        }
    }
}

TEST(ConvWinograd, Halves) {
    Random random(10);
    for (size_t i = 0; i < gemm::case_count() / 3; ++i) {
        const bool large = i % 2 != 0;
        Case c = winograd_case(random, large ? KAI_CONV_WINOGRAD_4 : KAI_CONV_WINOGRAD_2, kTypes[1]);
        c.integers = false;
        if (!Experiment(c).succeeds({1, random.next(), true}, large ? 6e-2 : 4e-3)) {
            return;
        }
    }
}

/// The figures of docs/convolution.md: the largest error of 16 x 16 x 64 to 16 channels, of the largest result.
TEST(ConvWinograd, Accuracy) {
    const struct {
        kai_conv_path path;
        size_t types;
        double most;
    } figures[] = {{KAI_CONV_ROWS, 0, 2e-6}, {KAI_CONV_WINOGRAD_2, 0, 3e-6}, {KAI_CONV_WINOGRAD_4, 0, 6e-6},
                   {KAI_CONV_ROWS, 1, 1e-3}, {KAI_CONV_WINOGRAD_2, 1, 2e-3}, {KAI_CONV_WINOGRAD_4, 1, 2e-2}};
    for (const auto& figure : figures) {
        Case c;
        c.p = kai_conv_problem_of(16, 16, 64, 16, 3, 3);
        set_types(kTypes[figure.types], c.p);
        c.p.path = figure.path, c.integers = false, c.seed = 4;
        Experiment e(c);
        ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
        ASSERT_EQ(e.pack(), KAI_GEMM_OK);
        ASSERT_EQ(e.run(), KAI_GEMM_OK);
        const Experiment::Errors errors = e.errors();
        EXPECT_LE(errors.most, figure.most * errors.largest) << figure.path << " " << figure.types;
        RecordProperty(
            std::to_string(figure.path) + kTypes[figure.types].name,
            std::to_string(errors.most / errors.largest * 1e6));
    }
}

TEST(ConvWinograd, OnlyIfAllowed) {
    kai_conv_problem p = kai_conv_problem_of(20, 20, 32, 32, 3, 3);
    kai_conv_plan plan;
    ASSERT_EQ(kai_conv_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_TRUE(plan.path == KAI_CONV_ROWS || plan.path == KAI_CONV_INDIRECT);
    p.allow_winograd = true;
    ASSERT_EQ(kai_conv_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(plan.path, KAI_CONV_WINOGRAD_4);
    p.in_type = p.weight_type = p.out_type = kai_dt_f16;
    ASSERT_EQ(kai_conv_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(plan.path, KAI_CONV_WINOGRAD_2);
}

/// One packing serves images of all sizes.
TEST(ConvPlan, WeightsOfAnother) {
    Case c;
    c.p = kai_conv_problem_of(12, 17, 16, 33, 3, 3);
    c.p.bias = true;
    Experiment large(c);
    ASSERT_TRUE(large.succeeds());
    for (const size_t width : {1, 5, 40}) {
        Case other = c;
        other.p.width = width, other.p.height = 7, other.p.pad_right = other.p.pad_left = 1, other.p.batch = 2;
        other.p.units = 3, other.p.weights_of = &large.plan;
        Experiment small(other);
        ASSERT_EQ(small.make_plan(), KAI_GEMM_OK) << small.plan.reason;
        small.operands.packed = large.packed->data();
        std::memcpy(small.packed->data(), large.packed->data(), large.packed->size());
        ASSERT_EQ(small.run(), KAI_GEMM_OK);
        EXPECT_EQ(small.plan.path, large.plan.path);
    }
    for (const size_t groups : {1, 2}) {
        kai_conv_problem p = c.p;
        p.groups = groups, p.in_channels *= groups, p.out_channels = groups == 1 ? 34 : 66;
        p.weights_of = &large.plan;
        kai_conv_plan plan;
        EXPECT_EQ(kai_conv_make_plan(&p, &plan), KAI_GEMM_BAD_COMBINATION);
        EXPECT_EQ(plan.reason, SAID(other_weights));
    }
}

}  // namespace
}  // namespace test::conv
