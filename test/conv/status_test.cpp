// Wrong input gives a status and a sentence, and nothing is written.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "test/conv/experiment.hpp"
#include "test/support/said.hpp"

namespace test::conv {
namespace {

constexpr float kNaN = __builtin_nanf("");

kai_conv_problem small_problem() {
    return kai_conv_problem_of(6, 7, 4, 8, 3, 3);
}

void expect_no_plan(
    const std::function<void(kai_conv_problem&)>& change, kai_gemm_status status, const std::string& reason) {
    kai_conv_problem p = small_problem();
    change(p);
    kai_conv_plan plan;
    std::memset(static_cast<void*>(&plan), 0x5A, sizeof(plan));
    EXPECT_EQ(kai_conv_make_plan(&p, &plan), status) << reason;
    EXPECT_EQ(plan.status, status);
    EXPECT_EQ(plan.reason, reason);
    EXPECT_EQ(plan.workspace_size, 0U);
    char text[256];
    kai_conv_explain(&plan, text, sizeof(text));
    EXPECT_EQ(SAID(failed_plan, reason.c_str()), text);
}

TEST(ConvStatus, Problems) {
    constexpr kai_gemm_status kBad = KAI_GEMM_BAD_VALUE, kClash = KAI_GEMM_BAD_COMBINATION;
    using P = kai_conv_problem;
    expect_no_plan([](P& p) { p = {}; }, kBad, SAID(zero_conv));
    expect_no_plan([](P& p) { p.reserved[23] = 1; }, KAI_GEMM_RESERVED, SAID(reserved, "problem"));
    expect_no_plan([](P& p) { p.height = 0; }, kBad, SAID(out_of_range, "height", 0, 1, 1073741824));
    expect_no_plan([](P& p) { p.stride_width = 0; }, kBad, SAID(out_of_range, "stride_width", 0, 1, 4096));
    expect_no_plan([](P& p) { p.pad_left = SIZE_MAX; }, kBad, SAID(out_of_range, "pad_left", -1, 0, 1048576));
    expect_no_plan([](P& p) { p.units = 0; }, kBad, SAID(out_of_range, "units", 0, 1, 1048576));
    expect_no_plan([](P& p) { p.out_pad_height = 1; }, kBad, SAID(out_of_range, "out_pad_height", 1, 0, 0));
    expect_no_plan([](P& p) { p.groups = 3; }, kBad, SAID(not_multiple_of, "in_channels", 4, "groups", 3));
    expect_no_plan(
        [](P& p) { p.groups = 4, p.out_channels = 6; }, kBad, SAID(not_multiple_of, "out_channels", 6, "groups", 4));
    expect_no_plan([](P& p) { p.dilation_height = 3; }, kBad, SAID(large_filter, "kernel_height", 3, 7, "rows", 6));
    expect_no_plan(
        [](P& p) { p.kernel_width = 9, p.pad_left = 1; }, kBad, SAID(large_filter, "kernel_width", 9, 9, "columns", 8));
    expect_no_plan([](P& p) { p.transposed = true, p.pad_top = p.pad_bottom = 4; }, kBad, SAID(no_output, 8, "rows"));
    const auto enumerator = [](int value) { return value; };
    expect_no_plan(
        [&](P& p) { p.layout = static_cast<kai_conv_layout>(enumerator(7)); }, kBad,
        SAID(no_enumerator, "layout", 7, "kai_conv_layout"));
    expect_no_plan(
        [&](P& p) { p.path = static_cast<kai_conv_path>(enumerator(7)); }, kBad,
        SAID(no_enumerator, "path", 7, "kai_conv_path"));
    expect_no_plan(
        [&](P& p) { p.core = static_cast<kai_cpu_core>(enumerator(99)); }, kBad,
        SAID(no_enumerator, "core", 99, "kai_cpu_core"));
    expect_no_plan(
        [](P& p) { p.kind = KAI_GEMM_INT4_BLOCK; }, kBad,
        SAID(no_enumerator, "kind", 4, "kind of weights of convolutions"));
    expect_no_plan(
        [](P& p) { p.in_type = kai_dt_int8; }, kBad, SAID(other_type, "in_type", "int8", "DENSE", "f32, f16 and bf16"));
    expect_no_plan(
        [](P& p) { p.out_type = kai_dt_int8; }, kBad,
        SAID(other_type, "out_type", "int8", "DENSE", "f32, f16 and bf16"));
    expect_no_plan(
        [](P& p) { p.kind = KAI_GEMM_INT8_STATIC; }, kBad, SAID(other_type, "in_type", "f32", "INT8_STATIC", "int8"));
    const auto integers = [](P& p) {
        p.kind = KAI_GEMM_INT8_STATIC, p.in_type = p.out_type = p.weight_type = kai_dt_int8, p.out_min = -1;
    };
    const std::pair<const char*, int32_t P::*> bytes[] = {
        {"in_zero_point", &P::in_zero_point},
        {"out_zero_point", &P::out_zero_point},
        {"out_min", &P::out_min},
        {"out_max", &P::out_max}};
    for (const auto& [name, member] : bytes) {
        for (const int32_t value : {-129, 128}) {
            expect_no_plan(
                [&, at = member](P& p) { integers(p), p.*at = value; }, kBad,
                SAID(out_of_range, name, value, -128, 127));
        }
    }
    expect_no_plan([&](P& p) { integers(p), p.out_max = -2; }, kBad, SAID(out_of_order, "out_min", -1, "out_max", -2));
    expect_no_plan([](P& p) { p.clamp_min = kNaN; }, kBad, SAID(bounds_out_of_order, kNaN, __builtin_inff()));
    expect_no_plan([](P& p) { p.layout = KAI_CONV_IOHW; }, kClash, SAID(needs, "layout IOHW", "transposed"));
    expect_no_plan(
        [](P& p) { p.kind = KAI_GEMM_INT8_STATIC, p.in_type = p.out_type = kai_dt_int8, p.epilogue = true; }, kBad,
        SAID(not_for, "epilogue", "INT8_STATIC"));
    expect_no_plan([](P& p) { p.in_pixel = 15; }, KAI_GEMM_BAD_STRIDE, SAID(short_stride, "in_pixel", 15, 16, "pixel"));
    expect_no_plan([](P& p) { p.out_row = 159; }, KAI_GEMM_BAD_STRIDE, SAID(short_stride, "out_row", 159, 160, "row"));
    expect_no_plan(
        [](P& p) { p.in_image = 671; }, KAI_GEMM_BAD_STRIDE, SAID(short_stride, "in_image", 671, 672, "whole image"));
    expect_no_plan([](P& p) { p.in_row = SIZE_MAX / 4; }, KAI_GEMM_OVERFLOW, SAID(large_image, "in_image", 1, 6, 7));
    expect_no_plan(
        [](P& p) {
            p.kernel_height = p.kernel_width = 4096, p.height = p.width = 4096;
            p.in_channels = p.out_channels = size_t{1} << 18;
        },
        KAI_GEMM_OVERFLOW, SAID(large_weights, 16777216, 262144, 262144, 1, 1));
    expect_no_plan(
        [](P& p) { p.path = KAI_CONV_GEMM; }, kClash,
        SAID(other_path, "GEMM", "1 x 1, stride 1, no padding and one group"));
    expect_no_plan(
        [](P& p) { p.path = KAI_CONV_WINOGRAD_2, p.stride_width = 2; }, kClash,
        SAID(other_path, "Winograd F(2,3)", "3 x 3, stride 1, dilation 1, f32 or f16"));
    kai_conv_plan plan;
    EXPECT_EQ(kai_conv_make_plan(nullptr, &plan), KAI_GEMM_NULL_POINTER);
    EXPECT_EQ(plan.reason, SAID(absent, "problem"));
    EXPECT_EQ(kai_conv_make_plan(nullptr, nullptr), KAI_GEMM_NULL_POINTER);
}

/// Sizes that look harmless, but whose product is not.
TEST(ConvStatus, HostileSizes) {
    Random random(1);
    for (int i = 0; i < 2000; ++i) {
        kai_conv_problem p = small_problem();
        size_t* const sizes[] = {
            &p.batch,         &p.height,       &p.width,         &p.in_channels,  &p.out_channels,    &p.groups,
            &p.kernel_height, &p.kernel_width, &p.stride_height, &p.stride_width, &p.dilation_height, &p.dilation_width,
            &p.pad_top,       &p.pad_right,    &p.units,         &p.in_pixel,     &p.in_row,          &p.in_image,
            &p.out_pixel,     &p.out_row,      &p.out_image};
        for (size_t* size : sizes) {
            if (random.integer(0, 2) == 0) {
                *size = size_t{1} << random.integer(0, random.integer(0, 1) == 0 ? 12 : 31);
                *size -= static_cast<size_t>(random.integer(0, 1));
            }
        }
        p.transposed = random.integer(0, 1) == 0;
        kai_conv_plan plan;
        if (kai_conv_make_plan(&p, &plan) == KAI_GEMM_OK) {
            EXPECT_LT(plan.workspace_size, SIZE_MAX / 2);
            EXPECT_LT(plan.packed_size, SIZE_MAX / 2);
        } else {
            EXPECT_NE(plan.reason[0], 0);
        }
    }
}

class ConvRun : public testing::Test {
protected:
    void SetUp() override {
        c_.p = small_problem();
        c_.p.bias = true;
        e_.emplace(c_);
        ASSERT_EQ(e_->make_plan(), KAI_GEMM_OK);
    }
    void expect_run(kai_gemm_status status, const std::string& sentence, size_t workspace_size) {
        char text[256];
        kai_conv_explain_run(&e_->plan, &e_->operands, e_->workspace->data(), workspace_size, text, sizeof(text));
        EXPECT_EQ(sentence, text);
        const std::vector<uint8_t> before = e_->out_bytes();
        EXPECT_EQ(
            kai_conv_run(&e_->plan, &e_->operands, e_->workspace->data(), workspace_size, nullptr, nullptr), status)
            << sentence;
        if (status != KAI_GEMM_OK) {
            EXPECT_EQ(e_->out_bytes(), before);
        }
    }
    Case c_;
    std::optional<Experiment> e_;
};

TEST_F(ConvRun, Operands) {
    const size_t size = e_->workspace->size();
    expect_run(KAI_GEMM_WRONG_PACKING, SAID(unpacked, 0), size);
    ASSERT_EQ(e_->pack(), KAI_GEMM_OK);
    const kai_conv_operands good = e_->operands;
    e_->operands.in = nullptr;
    expect_run(KAI_GEMM_NULL_POINTER, SAID(absent, "in"), size);
    e_->operands = good, e_->operands.packed = nullptr;
    expect_run(KAI_GEMM_NULL_POINTER, SAID(absent, "packed"), size);
    e_->operands = good, e_->operands.out = nullptr;
    expect_run(KAI_GEMM_NULL_POINTER, SAID(absent, "out"), size);
    e_->operands = good, e_->operands.reserved[7] = 1;
    expect_run(KAI_GEMM_RESERVED, SAID(reserved, "operands"), size);
    e_->operands = good, e_->operands.epilogue = &e_->epilogue;
    expect_run(KAI_GEMM_BAD_COMBINATION, SAID(needs, "operands.epilogue", "problem.epilogue"), size);
    e_->operands = good;
    expect_run(KAI_GEMM_TOO_SMALL, SAID(few_bytes, "workspace", size - 1, size), size - 1);
    expect_run(KAI_GEMM_OK, SAID(nothing_wrong, "run"), size);
    e_->check();

    kai_conv_work work;
    EXPECT_EQ(kai_conv_begin(&e_->plan, &e_->operands, e_->workspace->data(), size, nullptr), KAI_GEMM_NULL_POINTER);
    ASSERT_EQ(kai_conv_begin(&e_->plan, &e_->operands, e_->workspace->data(), size, &work), KAI_GEMM_OK);
    EXPECT_EQ(kai_conv_run_unit(&work, 1, 0), KAI_GEMM_NO_UNIT);
    EXPECT_EQ(kai_conv_run_unit(&work, 0, work.units[0]), KAI_GEMM_NO_UNIT);
    EXPECT_EQ(kai_conv_run_unit(nullptr, 0, 0), KAI_GEMM_NULL_POINTER);

    kai_conv_plan zero = {};
    EXPECT_EQ(kai_conv_run(&zero, &e_->operands, nullptr, 0, nullptr, nullptr), KAI_GEMM_NO_PLAN);
    char text[128];
    kai_conv_explain(&zero, text, sizeof(text));
    EXPECT_EQ(text, SAID(zero_conv_plan));
}

TEST_F(ConvRun, Epilogues) {
    c_.p.epilogue = true;
    Experiment e(c_);
    ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
    ASSERT_EQ(e.pack(), KAI_GEMM_OK);
    const float one = 1;
    e.epilogue.row_scale = &one;
    EXPECT_EQ(e.run({1, 0, true}), KAI_GEMM_BAD_COMBINATION);
    e.epilogue.row_scale = nullptr, e.epilogue.clamp_min = kNaN;
    EXPECT_EQ(e.run({1, 0, true}), KAI_GEMM_BAD_VALUE);
    e.epilogue.clamp_min = 0;
    EXPECT_EQ(e.run({1, 0, true}), KAI_GEMM_OK);
    e.operands.epilogue = nullptr;
    EXPECT_EQ(e.run({1, 0, true}), KAI_GEMM_OK);
}

TEST_F(ConvRun, LowPrecision) {
    c_.p.kind = KAI_GEMM_INT8_LOWP, c_.p.in_type = c_.p.out_type = kai_dt_int8, c_.p.bias = false;
    Experiment e(c_);
    ASSERT_EQ(e.make_plan(), KAI_GEMM_OK);
    ASSERT_EQ(e.pack(), KAI_GEMM_OK);
    const kai_matmul_lowp_params good = e.lowp;
    const int32_t wide = 32;
    const auto expect = [&](kai_gemm_status status, const std::string& sentence) {
        char text[128];
        kai_conv_explain_run(&e.plan, &e.operands, e.workspace->data(), e.workspace->size(), text, sizeof(text));
        EXPECT_EQ(text, sentence);
        EXPECT_EQ(e.run({1, 0, true}), status);
        e.lowp = good;
    };
    e.lowp.multiplier = nullptr;
    expect(KAI_GEMM_NULL_POINTER, SAID(absent_but_needed, "lowp->multiplier", "INT8_LOWP"));
    e.lowp.shift = &wide, e.lowp.per_channel = false;
    expect(KAI_GEMM_BAD_VALUE, SAID(entry_out_of_range, "lowp->shift", 0, 32, -31, 31));
    e.lowp.lhs_offset = 129;
    expect(KAI_GEMM_BAD_VALUE, SAID(out_of_range, "lowp->lhs_offset", 129, -127, 128));
    e.lowp.min_value = 126;
    expect(KAI_GEMM_BAD_VALUE, SAID(out_of_order, "lowp->min_value", 126, "lowp->max_value", 125));
    expect(KAI_GEMM_OK, SAID(nothing_wrong, "run"));
    e.operands.lowp = nullptr;
    expect(KAI_GEMM_NULL_POINTER, SAID(absent_but_needed, "lowp", "INT8_LOWP"));
}

TEST_F(ConvRun, Weights) {
    GuardedBuffer space(e_->plan.pack_workspace_size);
    const kai_gemm_weights good = e_->weights;
    kai_gemm_weights w = good;
    const auto expect = [&](kai_gemm_status status, const std::string& sentence, size_t packed_size) {
        char text[160];
        kai_conv_explain_pack(
            &e_->plan, &w, e_->packed->data(), packed_size, space.data(), space.size(), text, sizeof(text));
        EXPECT_EQ(sentence, text);
        EXPECT_EQ(kai_conv_pack(&e_->plan, &w, e_->packed->data(), packed_size, space.data(), space.size()), status);
        w = good;
    };
    const size_t size = e_->packed->size();
    w.b = nullptr;
    expect(KAI_GEMM_NULL_POINTER, SAID(absent, "weights.b"), size);
    w.bias = nullptr;
    expect(KAI_GEMM_NULL_POINTER, SAID(absent_but_needed, "weights.bias", "problem.bias"), size);
    w.ldb = 16;
    expect(KAI_GEMM_BAD_STRIDE, SAID(other, "weights.ldb", 16, 0), size);
    w.reserved[0] = 1;
    expect(KAI_GEMM_RESERVED, SAID(reserved, "weights"), size);
    expect(KAI_GEMM_TOO_SMALL, SAID(few_bytes, "packed", size - 1, size), size - 1);
    expect(KAI_GEMM_OK, SAID(nothing_wrong, "packing"), size);
    EXPECT_EQ(
        kai_conv_pack_unit(&e_->plan, &good, e_->packed->data(), size, space.data(), space.size(), e_->plan.pack_units),
        KAI_GEMM_NO_UNIT);
    kai_conv_problem p = c_.p;
    p.bias = false;
    kai_conv_plan plan;
    ASSERT_EQ(kai_conv_make_plan(&p, &plan), KAI_GEMM_OK);
    EXPECT_EQ(kai_conv_pack(&plan, &good, e_->packed->data(), size, space.data(), space.size()), KAI_GEMM_UNUSED_BIAS);
}

/// A batch of nothing needs nothing.
TEST(ConvStatus, NoImages) {
    kai_conv_problem p = small_problem();
    p.batch = 0;
    kai_conv_plan plan;
    ASSERT_EQ(kai_conv_make_plan(&p, &plan), KAI_GEMM_OK) << plan.reason;
    EXPECT_EQ(kai_conv_run(&plan, nullptr, nullptr, 0, nullptr, nullptr), KAI_GEMM_OK);
    kai_conv_work work;
    EXPECT_EQ(kai_conv_begin(&plan, nullptr, nullptr, 0, &work), KAI_GEMM_OK);
    EXPECT_EQ(work.phases, 0U);
}

}  // namespace
}  // namespace test::conv
