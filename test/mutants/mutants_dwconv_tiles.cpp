// Depthwise convolutions by tiles that misbehave in one chosen way.
//
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <vector>

#include "kai/ukernels/families.h"
#include "test/mutants/mutants.hpp"
#include "test/reference/matmul.hpp"

namespace mutants {
namespace {

const kai_ukernel* kernel;  // what the wrapper replaces

/// A call.
struct Tiles {
    size_t tiles, n, k, multiplier;
    const void* const* src;
    const void* pad;
    size_t src_offset;
    const uint8_t* rhs;
    void* const* dst;
    size_t dst_offset;
    float lo, hi;

    size_t element() const {
        return kai_get_datatype_size_in_bytes(kernel->dst_type);
    }
    bool empty() const {
        return tiles == 0 || n == 0;
    }
    /// Pointers of src.
    size_t pixels() const {
        const kai_dwconv_tile& tile = *kai_registry_dwconv_tile(kernel);
        const auto side = [&](size_t outputs) { return (outputs - 1) * tile.stride + tile.filter_width; };
        return tiles * (tile.filter_width == 0 ? k * tile.width : side(tile.height) * side(tile.width));
    }
    size_t rhs_size() const {
        return reinterpret_cast<kai_get_packed_offset_fn*>(kernel->get_rhs_packed_offset)(
            (n + kernel->get_nr() - 1) / kernel->get_nr() * kernel->get_nr(), k);
    }
    uint8_t* output(size_t i) const {
        return static_cast<uint8_t*>(dst[i]) + dst_offset;
    }
    template <typename F>
    void for_each(F f) const {
        for (size_t i = 0; i < tiles * kernel->get_m_step() * n; ++i) {
            uint8_t* p = output(i / n) + i % n * element();
            reference::store(p, f(reference::load(p, kernel->dst_type)), kernel->dst_type);
        }
    }
};

/// The micro-kernel itself.
void call(const Tiles& c) {
    reinterpret_cast<kai_run_dwconv_tiles_fn*>(kernel->run)(
        c.tiles, c.n, c.k, c.multiplier, c.src, c.pad, c.src_offset, c.rhs, c.dst, c.dst_offset, c.lo, c.hi);
}

void drop_a_tap(Tiles c) {
    std::vector<uint8_t> filter(c.rhs, c.rhs + c.rhs_size());
    const size_t vector = kernel->get_nr() * c.element(), panel = (c.k + 1) * vector;
    for (size_t end = panel; end <= filter.size(); end += panel) {
        std::memset(&filter[end - vector], 0, vector);
    }
    c.rhs = filter.data();
    call(c);
}

/// Outputs that are not wanted are stored over output 0 of their tile.
void store_output_0_first(const Tiles& c) {
    std::vector<void*> dst(c.dst, c.dst + c.tiles * kernel->get_m_step());
    std::vector<uint8_t> other(c.n * c.element());
    Tiles elsewhere = c;
    for (size_t i = 0; i < dst.size(); ++i) {
        const size_t first = i / kernel->get_m_step() * kernel->get_m_step();
        dst[i] = i == first ? other.data() - c.dst_offset : dst[i];
    }
    call(c);
    elsewhere.dst = dst.data();
    call(elsewhere);
}

/// The call with other arguments or operands.
void call_wrongly(Tiles c) {
    if (is("drops_a_tap")) {
        return drop_a_tap(c);
    }
    if (is("stores_output_0_first")) {
        return store_output_0_first(c);
    }
    if (is("ignores_the_clamp") || (is("drops_a_one_sided_clamp") && (c.lo == -INFINITY || c.hi == INFINITY))) {
        c.lo = -INFINITY, c.hi = INFINITY;
    } else if (is("offsets_the_padding")) {
        c.pad = nullptr;
    } else if (is("ignores_the_multiplier")) {
        c.multiplier = 1;
    }
    call(c);
}

/// The call, with what may be wrong after it. Not inlined: its caller must not save d8-d15, or they are restored after
/// break_the_abi.
[[gnu::noinline]] void misbehave(Tiles c) {
    if (is("uses_a_static_buffer")) {
        through_a_static_variable(c);
    }
    call_wrongly(c);
    if (is("all_nan")) {
        c.for_each([](float) { return NAN; });
    } else if (is("one_element_off_by_an_ulp")) {
        c.output((c.tiles - 1) * kernel->get_m_step())[(c.n - 1) * c.element()] ^= 1;
    } else if (is("loses_nan")) {
        c.for_each([&](float x) { return std::isnan(x) ? c.lo : x; });
    }
}

void mutated_tiles(
    size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad, size_t src_offset,
    const void* rhs, void* const* dst, size_t dst_offset, float lo, float hi) {
    const Tiles c = {tiles, n,          k,  multiplier, src, pad, src_offset, static_cast<const uint8_t*>(rhs),
                     dst,   dst_offset, lo, hi};
    if (c.empty()) {
        call(c);
        if (is("writes_when_empty")) {
            spoil(reinterpret_cast<uint8_t*>(const_cast<void**>(dst)));
        } else if (is("reads_when_empty")) {
            touch(src);
        }
        return break_the_abi();
    }
    misbehave(c);
    const size_t pixel = n / multiplier * c.element();
    if (is("reads_past_the_source")) {
        for (size_t i = 0; i < c.pixels(); ++i) {
            touch(static_cast<const uint8_t*>(src[i]) + (src[i] == pad ? 0 : src_offset) + pixel);
        }
    } else if (is("reads_past_the_rhs")) {
        touch(c.rhs + c.rhs_size());
    } else if (is("reads_before_the_rhs")) {
        touch(c.rhs - 1);
    } else if (is("writes_past_dst")) {
        spoil(c.output((tiles - 1) * kernel->get_m_step()) + n * c.element());
    }
    break_the_abi();
}

/// int8: with other bounds, padding or multiplier; results that are off by one, or behind the last one.
void mutated_int8_tiles(
    size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad, size_t src_offset,
    const void* rhs, void* const* dst, size_t dst_offset, const kai_matmul_requantize32_params* params) {
    const auto run = reinterpret_cast<kai_run_dwconv_tiles_qai8_fn*>(kernel->run);
    if (tiles == 0 || n == 0) {
        run(tiles, n, k, multiplier, src, pad, src_offset, rhs, dst, dst_offset, params);
        return break_the_abi();
    }
    kai_matmul_requantize32_params to = *params;
    if (is("ignores_the_clamp")) {
        to.min_value = -128, to.max_value = 127;
    } else if (is("ignores_the_zero_point")) {
        to.output_zero_point = 0;
    }
    run(tiles, n, k, is("ignores_the_multiplier") ? 1 : multiplier, src, is("offsets_the_padding") ? nullptr : pad,
        src_offset, rhs, dst, dst_offset, &to);
    uint8_t* const last = static_cast<uint8_t*>(dst[(tiles - 1) * kernel->get_m_step()]) + dst_offset + n;
    if (is("one_element_off_by_an_ulp")) {
        last[-1] ^= 1;
    } else if (is("writes_past_dst")) {
        spoil(last);
    }
    break_the_abi();
}

bool every_kernel(const kai_ukernel& u) {
    return u.signature == KAI_UKERNEL_DWCONV_TILES;
}
bool float_or_int8(const kai_ukernel& u) {
    return every_kernel(u) || u.signature == KAI_UKERNEL_DWCONV_TILES_QAI8;
}
bool int8_kernel(const kai_ukernel& u) {
    return u.signature == KAI_UKERNEL_DWCONV_TILES_QAI8;
}
bool kernel_with_multiplier(const kai_ukernel& u) {
    return float_or_int8(u) && kai_registry_dwconv_tile(&u)->any_multiplier;
}

}  // namespace

kai_any_fn* dwconv_tiles_wrapper_of(const kai_ukernel& u) {
    kernel = &u;
    return u.signature == KAI_UKERNEL_DWCONV_TILES ? reinterpret_cast<kai_any_fn*>(mutated_tiles)
                                                   : reinterpret_cast<kai_any_fn*>(mutated_int8_tiles);
}

const Mutation kDwconvTilesMutations[] = {
    {"all_nan", every_kernel, nullptr},
    {"one_element_off_by_an_ulp", float_or_int8, nullptr},
    {"drops_a_tap", every_kernel, nullptr},
    {"stores_output_0_first", every_kernel, nullptr},
    {"offsets_the_padding", float_or_int8, nullptr},
    {"ignores_the_multiplier", kernel_with_multiplier, nullptr},
    {"ignores_the_clamp", float_or_int8, nullptr},
    {"ignores_the_zero_point", int8_kernel, nullptr},
    {"drops_a_one_sided_clamp", every_kernel, nullptr},
    {"loses_nan", every_kernel, nullptr},
    {"writes_when_empty", every_kernel, nullptr, false, "*/EmptyMatmul.*"},
    {"reads_when_empty", every_kernel, nullptr, false, "*/EmptyMatmul.*"},
    {"reads_past_the_source", every_kernel, nullptr},
    {"reads_past_the_rhs", every_kernel, nullptr},
    {"reads_before_the_rhs", every_kernel, nullptr},
    {"writes_past_dst", float_or_int8, nullptr},
    {"uses_a_static_buffer", every_kernel, nullptr, false, "*.Threads/*"},
#if defined(__aarch64__)
    {"clobbers_d8", float_or_int8, nullptr},
#if !defined(__APPLE__)
    {"clobbers_x18", float_or_int8, nullptr},
#endif
    {"clobbers_fpcr", float_or_int8, nullptr},
#endif
    {nullptr, nullptr, nullptr},
};

}  // namespace mutants
