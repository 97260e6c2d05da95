// Depthwise convolutions of images that misbehave in one chosen way.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kai/kai_common.h"
#include "kai/ukernels/families.h"
#include "test/mutants/mutants.hpp"
#include "test/reference/matmul.hpp"
#include "test/support/packing.hpp"

namespace mutants {
namespace {

const kai_ukernel* kernel;  // what the wrapper replaces
const kai_packer* packer;

/// A call of either signature. That of f32 has the columns in its strides.
struct Dwconv {
    const uint8_t *src, *rhs;
    uint8_t* dst;
    size_t channels, src_rows, src_cols, dst_rows, dst_cols, pad_left, pad_top;
    size_t src_stride_row, src_stride_col, dst_stride_row, dst_stride_col;
    float lo, hi;

    size_t element() const {
        return kai_get_datatype_size_in_bytes(kernel->dst_type);
    }
    uint8_t* at(size_t y, size_t x) const {
        return dst + y * dst_stride_row + x * dst_stride_col;
    }
    const uint8_t* pixel(size_t y, size_t x) const {
        return src + y * src_stride_row + x * src_stride_col;
    }
    bool empty() const {
        return channels == 0 || dst_rows == 0 || dst_cols == 0;
    }
    size_t rhs_size() const {
        const size_t lanes = kernel->get_nr();
        return (channels + lanes - 1) / lanes * lanes * 10 * element();
    }
    template <typename F>
    void for_each(F f) const {
        for (size_t i = 0; i < dst_rows * dst_cols * channels; ++i) {
            uint8_t* p = at(i / channels / dst_cols, i / channels % dst_cols) + i % channels * element();
            reference::store(p, f(reference::load(p, kernel->dst_type)), kernel->dst_type);
        }
    }
};

/// The micro-kernel itself.
void call(const Dwconv& c) {
    if (kernel->dst_type == kai_dt_f16) {
        reinterpret_cast<kai_dwconv_clamp_f16_f16_f16p_run_fn*>(kernel->run)(
            c.src, c.rhs, c.dst, c.channels, c.src_rows, c.src_cols, c.dst_rows, c.dst_cols, c.pad_left, c.pad_top,
            c.src_stride_row, c.src_stride_col, c.dst_stride_row, c.dst_stride_col, c.lo, c.hi);
    } else {
        reinterpret_cast<kai_dwconv_clamp_f32_f32_f32p_run_fn*>(kernel->run)(
            c.src, c.rhs, c.dst, c.src_stride_row, c.src_stride_col, c.dst_stride_row, c.dst_stride_col, c.src_rows,
            c.dst_rows, c.pad_left, c.pad_top, 0.0F, c.lo, c.hi);
    }
}

/// Taps outside the image enter as 0 * weight.
void multiply_the_padding(Dwconv c) {
    const size_t rows = c.dst_rows + 2, columns = c.dst_cols + 2, pixel = c.channels * c.element();
    std::vector<uint8_t> image(rows * columns * pixel);
    for (size_t y = 0; y < rows; ++y) {
        for (size_t x = 0; x < columns; ++x) {
            if (y - c.pad_top < c.src_rows && x - c.pad_left < c.src_cols) {  // wrap below zero
                std::memcpy(&image[(y * columns + x) * pixel], c.pixel(y - c.pad_top, x - c.pad_left), pixel);
            }
        }
    }
    c.src = image.data();
    c.src_rows = rows, c.src_cols = columns, c.pad_top = 0, c.pad_left = 0;
    c.src_stride_row = columns * pixel, c.src_stride_col = pixel;
    call(c);
}

void drop_a_tap(Dwconv c) {
    std::vector<uint8_t> filter(c.rhs, c.rhs + c.rhs_size());
    const size_t vector = kernel->get_nr() * c.element();
    for (size_t block = 0; block < filter.size(); block += 10 * vector) {
        std::memset(&filter[block + 9 * vector], 0, vector);
    }
    c.rhs = filter.data();
    call(c);
}

/// The call with other arguments or operands.
void call_wrongly(Dwconv c) {
    if (is("multiplies_the_padding")) {
        return multiply_the_padding(c);
    }
    if (is("drops_a_tap")) {
        return drop_a_tap(c);
    }
    if (is("ignores_the_clamp") || (is("drops_a_one_sided_clamp") && (c.lo == -INFINITY || c.hi == INFINITY))) {
        c.lo = -INFINITY, c.hi = INFINITY;
    } else if (is("ignores_the_left_padding")) {
        c.pad_left = 0;
    } else if (is("ignores_the_upper_padding")) {
        c.pad_top = 0;
    } else if (is("ignores_the_stride")) {
        c.dst_stride_col = c.channels * c.element();
    } else if (is("ignores_the_source_stride")) {
        c.src_stride_col = c.channels * c.element();
    } else if (is("ignores_the_last_row") && c.src_rows > 0) {
        --c.src_rows;
    }
    call(c);
}

/// The call, with what may be wrong after it. Not inlined: its caller must not save d8-d15, or they are restored after
/// break_the_abi.
[[gnu::noinline]] void misbehave(Dwconv c) {
    if (is("uses_a_static_buffer")) {
        through_a_static_variable(c);
    }
    call_wrongly(c);
    if (is("all_nan")) {
        c.for_each([](float) { return NAN; });
    } else if (is("one_element_off_by_an_ulp")) {
        c.at(c.dst_rows - 1, c.dst_cols - 1)[(c.channels - 1) * c.element()] ^= 1;
    } else if (is("loses_nan")) {
        c.for_each([&](float x) { return std::isnan(x) ? c.lo : x; });
    } else if (is("depends_on_fpcr") && fpcr() != 0) {
        c.for_each([](float x) { return 1.5F * x; });
    }
}

void mutated_dwconv(const Dwconv& c) {
    const size_t pixel = c.channels * c.element();
    if (c.empty()) {
        call(c);
        if (is("writes_when_empty")) {
            spoil(c.dst);
        } else if (is("reads_when_empty")) {
            touch(c.src);
        }
        return break_the_abi();
    }
    misbehave(c);
    uint8_t* const end = c.at(c.dst_rows - 1, c.dst_cols - 1) + pixel;
    // Of what input and padding on the left and above give, without any on the right and below.
    const bool narrow = c.dst_cols + 2 < c.src_cols + c.pad_left, low = c.dst_rows + 2 < c.src_rows + c.pad_top;
    if (is("reads_past_the_source") && c.src_rows > 0 && c.src_cols > 0) {
        touch(c.pixel(c.src_rows - 1, c.src_cols - 1) + pixel);
    } else if (is("reads_before_the_source")) {
        touch(c.src - 1);
    } else if (is("reads_past_the_rhs")) {
        touch(c.rhs + c.rhs_size());
    } else if (is("reads_before_the_rhs")) {
        touch(c.rhs - 1);
    } else if (is("writes_past_dst")) {
        spoil(end);
    } else if (is("overruns_narrow_outputs") && narrow && !low) {
        spoil(end);
    } else if (is("overruns_low_outputs") && low && !narrow) {
        spoil(end);
    } else if (is("writes_all_rows_of_a_step") && c.dst_rows % 4 != 0) {
        spoil(c.at(c.dst_rows, 0));
    } else if (is("writes_between_pixels") && c.dst_cols > 1) {
        spoil(c.at(0, 0) + pixel);
    }
    break_the_abi();
}

void dwconv_f16(
    const void* src, const void* rhs_packed, void* dst, size_t num_channels, size_t src_rows, size_t src_cols,
    size_t dst_rows, size_t dst_cols, size_t pad_left, size_t pad_top, size_t in_stride_row, size_t in_stride_col,
    size_t out_stride_row, size_t out_stride_col, float clamp_min, float clamp_max) {
    mutated_dwconv(
        {static_cast<const uint8_t*>(src), static_cast<const uint8_t*>(rhs_packed), static_cast<uint8_t*>(dst),
         num_channels, src_rows, src_cols, dst_rows, dst_cols, pad_left, pad_top, in_stride_row, in_stride_col,
         out_stride_row, out_stride_col, clamp_min, clamp_max});
}

void dwconv_f32(
    const void* src, const void* rhs_packed, void* dst, size_t in_stride_row, size_t in_stride_col,
    size_t dst_stride_row, size_t dst_stride_col, size_t valid_input_rows, size_t valid_dst_rows, size_t pad_left,
    size_t pad_top, float, float clamp_min, float clamp_max) {
    const auto count = [](size_t stride, size_t of) { return of == 0 ? 0 : stride / of; };
    mutated_dwconv(
        {static_cast<const uint8_t*>(src), static_cast<const uint8_t*>(rhs_packed), static_cast<uint8_t*>(dst),
         dst_stride_col / sizeof(float), valid_input_rows, count(in_stride_row, in_stride_col),
         std::min<size_t>(valid_dst_rows, 4), count(dst_stride_row, dst_stride_col), pad_left, pad_top, in_stride_row,
         in_stride_col, dst_stride_row, dst_stride_col, clamp_min, clamp_max});
}

void pack(
    size_t filter_height, size_t filter_width, size_t height, size_t width, size_t channels, const void* rhs,
    const void* bias, void* packed) {
    reinterpret_cast<kai_run_rhs_dwconv_pack_fn*>(packer->run)(
        filter_height, filter_width, height, width, channels, rhs, is("ignores_the_bias") ? nullptr : bias, packed);
    if (is("reads_a_null_bias") && channels > 0) {
        touch(bias);
    } else if (is("reads_past_the_source") && channels > 0) {
        touch(static_cast<const uint8_t*>(rhs) + height * width * channels * test::element_size(*packer));
    }
    const auto size = reinterpret_cast<kai_get_rhs_dwconv_size_fn*>(packer->get_packed_size);
    spoil_packed(packed, size(filter_height, filter_width, channels));
    break_the_abi();
}

void pack_int8(
    size_t height, size_t width, size_t channels, const void* rhs, const void* bias, const void* scale, void* packed,
    const kai_rhs_pack_qsi8cx_params* params) {
    const kai_rhs_pack_qsi8cx_params no_zero_point = {0, channels > 0 ? params->scale_multiplier : 1};
    reinterpret_cast<kai_run_rhs_dwconv_pack_qs8cx_i32_fn*>(packer->run)(
        height, width, channels, rhs, is("ignores_the_bias") ? nullptr : bias, scale, packed,
        is("ignores_the_zero_point") ? &no_zero_point : params);
    if (is("reads_a_null_bias") && channels > 0) {
        touch(bias);
    } else if (is("reads_past_the_source") && channels > 0) {
        touch(static_cast<const uint8_t*>(rhs) + height * width * channels);
    }
    const auto size = reinterpret_cast<kai_get_rhs_dwconv_size_fn*>(packer->get_packed_size);
    spoil_packed(packed, size(height, width, channels));
    break_the_abi();
}

template <typename F>
kai_any_fn* any(F* function) {
    return reinterpret_cast<kai_any_fn*>(function);
}

bool every_kernel(const kai_ukernel& u) {
    return u.signature == KAI_UKERNEL_DWCONV;
}
bool kernel_with_strides(const kai_ukernel& u) {
    return every_kernel(u) && u.dst_type == kai_dt_f16;
}
bool kernel_with_steps(const kai_ukernel& u) {
    return every_kernel(u) && u.get_m_step() > 1;
}

}  // namespace

kai_any_fn* dwconv_wrapper_of(const kai_ukernel& u) {
    kernel = &u;
    return u.dst_type == kai_dt_f16 ? any(dwconv_f16) : any(dwconv_f32);
}

kai_any_fn* dwconv_wrapper_of(const kai_packer& p) {
    packer = &p;
    return p.signature == KAI_RHS_DWCONV_PACK ? any(pack) : any(pack_int8);
}

const Mutation kDwconvMutations[] = {
    {"all_nan", every_kernel, nullptr},
    {"one_element_off_by_an_ulp", every_kernel, nullptr},
    {"drops_a_tap", every_kernel, nullptr},
    {"multiplies_the_padding", every_kernel, nullptr},
    {"ignores_the_left_padding", every_kernel, nullptr},
    {"ignores_the_upper_padding", every_kernel, nullptr},
    {"ignores_the_last_row", every_kernel, nullptr},
    {"ignores_the_stride", kernel_with_strides, nullptr},
    {"ignores_the_source_stride", kernel_with_strides, nullptr},
    {"ignores_the_clamp", every_kernel, nullptr},
    {"drops_a_one_sided_clamp", every_kernel, nullptr},
    {"loses_nan", every_kernel, nullptr},
    {"writes_when_empty", every_kernel, nullptr},
    {"reads_when_empty", every_kernel, nullptr},
    {"overruns_narrow_outputs", every_kernel, nullptr},
    {"overruns_low_outputs", every_kernel, nullptr},
    {"writes_all_rows_of_a_step", kernel_with_steps, nullptr},
    {"writes_between_pixels", kernel_with_strides, nullptr},
    {"reads_past_the_source", every_kernel, nullptr},
    {"reads_before_the_source", every_kernel, nullptr},
    {"reads_past_the_rhs", every_kernel, nullptr},
    {"reads_before_the_rhs", every_kernel, nullptr},
    {"writes_past_dst", every_kernel, nullptr},
    {"uses_a_static_buffer", every_kernel, nullptr, false, "*.Threads/*"},
#if defined(__aarch64__)
    {"resets_fpcr", every_kernel, nullptr, false, "*.FpcrModes/*"},
    {"depends_on_fpcr", every_kernel, nullptr, false, "*.FpcrModes/*"},
    {"clobbers_d8", every_kernel, nullptr},
#if !defined(__APPLE__)
    {"clobbers_x18", every_kernel, nullptr},
#endif
    {"clobbers_fpcr", every_kernel, nullptr},
    {"leaves_streaming_on", every_kernel, nullptr, true},
    {"leaves_za_on", every_kernel, nullptr, true},
    {"drops_the_callers_za", every_kernel, nullptr, true},
#endif
    {nullptr, nullptr, nullptr},
};

}  // namespace mutants
