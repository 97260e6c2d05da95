// Tests the tests. This program is the test suite, but every micro-kernel and packer goes through a wrapper that
// misbehaves in one chosen way. The suite must notice, for every kernel or packer that runs.
//
//     kleidiai_mutants            each mutation in turn, and a table of the tests that were the first to notice it
//     kleidiai_mutants NAME ...   these mutations only
//     kleidiai_mutants --gtest_filter='*.Shapes/*' NAME    whether these tests notice it
//
// A mutation is behaviour, not an edit of a source: it stays valid when kernels change.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "kai/call.hpp"
#include "kai/kai_registry.h"
#include "kai/ukernels/families.h"
#include "kai/ukernels/matmul/kai_matmul.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"
#include "test/mutants/mutants.hpp"
#include "test/reference/float16.hpp"
#include "test/reference/formats.hpp"
#include "test/reference/matmul.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/filter.hpp"
#include "test/support/operands.hpp"
#include "test/support/packing.hpp"
#include "test/support/subject.hpp"

namespace mutants {

std::string_view mutation;

uint64_t fpcr() {
    uint64_t value = 0;
#if defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
#endif
    return value;
}

void break_the_abi() {
#if defined(__aarch64__)
    if (is("resets_fpcr")) {
        __asm__ volatile("msr fpcr, xzr");
    }
    if (is("clobbers_d8")) {
        __asm__ volatile("movi d8, #0");
    } else if (is("clobbers_x18")) {
        __asm__ volatile("mov x18, xzr");
    } else if (is("clobbers_fpcr")) {
        __asm__ volatile("msr fpcr, %0" ::"r"(uint64_t{1} << 24));  // flush to zero
    } else if (is("leaves_streaming_on") && kai_cpu_sme_bytes() > 0) {
        __asm__ volatile(".arch_extension sme\n smstart sm");
    } else if (is("leaves_za_on") && kai_cpu_sme_bytes() > 0) {
        __asm__ volatile(".arch_extension sme\n smstart za");
    } else if (is("drops_the_callers_za") && kai_cpu_sme_bytes() > 0) {
        __asm__ volatile(".arch_extension sme\n smstop za\n msr S3_3_C13_C0_5, xzr");  // and no lazy save
    }
#endif
}

void spoil_packed(void* packed, size_t size) {
    uint8_t* bytes = static_cast<uint8_t*>(packed);
    if (size > 0) {
        if (is("packs_one_bit_wrong")) {
            bytes[size / 2] ^= 1;
        } else if (is("writes_past_packed")) {
            spoil(bytes + size);
        } else if (is("writes_before_packed")) {
            spoil(bytes - 1);
        } else if (is("depends_on_fpcr") && fpcr() != 0) {
            bytes[size / 2] ^= 1;
        } else if (is("uses_a_static_buffer")) {
            static uint8_t buffer[1 << 20];
            std::memcpy(buffer, bytes, std::min(size, sizeof(buffer)));
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            std::memcpy(bytes, buffer, std::min(size, sizeof(buffer)));
        }
    } else if (is("writes_when_empty")) {
        spoil(bytes);
    } else if (is("reads_when_empty")) {
        touch(bytes);
    }
}

}  // namespace mutants

namespace {

using mutants::break_the_abi;
using mutants::Change;
using mutants::is;
using mutants::make;
using mutants::Mutation;
using mutants::spoil;
using mutants::touch;

const kai_ukernel* kernel;  // what the wrapper replaces
const kai_packer* packer;

// ---- micro-kernels ----

/// A call of any signature.
struct Matmul {
    size_t m, n, k, bl;
    const uint8_t *lhs, *rhs;
    uint8_t* dst;
    size_t stride, element;
    float lo, hi;                    // of integers: as floats
    const int32_t* table = nullptr;  // of KAI_UKERNEL_MATMUL_LUT
    int32_t zero_point = 0;          // of quantised results
    size_t lhs_stride = 0;           // of rows that are not packed
    size_t chunks = 1;               // of an indirect product
    const void* padding = nullptr;   // and of its pointers
    size_t pointer_offset = 0;
    kai::KernelArgs args = {};  // what the other members do not hold

    uint8_t* at(size_t i, size_t j) const {
        return dst + i * stride + j * element;
    }
    float get(size_t i, size_t j) const {
        return reference::load(at(i, j), kernel->dst_type);
    }
    void set(size_t i, size_t j, float x) const {
        reference::store(at(i, j), x, kernel->dst_type);
    }
    /// Adds to the bits of an element: the magnitude changes by this many ulp.
    void add_ulp(size_t i, size_t j, int count) const {
        uint32_t bits = 0;
        std::memcpy(&bits, at(i, j), element);
        bits += static_cast<uint32_t>(count);
        std::memcpy(at(i, j), &bits, element);
    }
    bool clamped() const {
        return lo > -INFINITY || hi < INFINITY;
    }
    template <typename F>
    void for_each(F f) const {
        for (size_t i = 0; i < m; ++i) {
            for (size_t j = 0; j < n; ++j) {
                set(i, j, f(get(i, j)));
            }
        }
    }
};

/// Beyond int8 they are those of int8: results saturate.
int32_t int8_bound(float bound) {
    return static_cast<int32_t>(std::max(-128.0f, std::min(bound, 127.0f)));
}

/// Low precision: the bounds that the tests use.
int32_t int_bound(float bound) {
    return static_cast<int32_t>(std::max(-1e9f, std::min(bound, 1e9f)));
}

/// The micro-kernel itself.
void call(const kai_ukernel& u, const Matmul& c) {
    const kai_matmul_requantize32_params requantise = {int8_bound(c.lo), int8_bound(c.hi), c.zero_point};
    kai::KernelArgs a = c.args;
    a.m = c.m, a.n = c.n, a.bl = c.bl;
    kai::set_depth(a, c.k, c.chunks);
    a.lhs = c.lhs, a.lhs_stride = c.lhs_stride, a.pad_ptr = c.padding, a.lhs_ptr_offset = c.pointer_offset;
    a.rhs = c.rhs;
    a.dst = c.dst, a.dst_stride_row = c.stride, a.dst_stride_col = c.element;
    a.clamp = c.clamped(), a.clamp_min = c.lo, a.clamp_max = c.hi;
    a.requantize = &requantise;
    kai_matmul_lowp_params lowp = {};
    if (a.lowp != nullptr) {
        lowp = *a.lowp;
        lowp.result_offset = c.zero_point;
        lowp.min_value = int_bound(c.lo), lowp.max_value = int_bound(c.hi);
        a.lowp = &lowp;
    }
    a.lut = c.table;
    kai::run(u, a, kai::Direct{});
}

const reference::Format& lhs_format(const kai_ukernel& u) {
    return *reference::find_format(u.lhs_format);
}
const reference::Format& rhs_format(const kai_ukernel& u) {
    return *reference::find_format(u.rhs_format);
}
reference::Tile lhs_tile(const kai_ukernel& u) {
    return lhs_format(u).packed ? reference::Tile{u.get_mr(), u.get_kr(), u.get_sr()} : reference::Tile{1, 1, 1};
}
reference::Tile rhs_tile(const kai_ukernel& u) {
    return {u.get_nr(), u.get_kr(), u.get_sr()};
}
bool by_pointers(const kai_ukernel& u) {
    return kai::takes_pointers(u);
}
/// Depth as it is packed: each chunk on its own.
size_t packed_depth(const kai_ukernel& u, const Matmul& c) {
    const size_t group = kai::is_indirect(u) ? u.get_kr() / u.get_sr() : 1;
    return (c.k / c.chunks + group - 1) / group * group * c.chunks;
}

size_t packed_bytes(const char* format, size_t rows, reference::Tile panel, size_t k, size_t bl) {
    const reference::Format& f = *reference::find_format(format);
    const reference::Tile t = f.stored(panel, rows);
    return (rows + t.rows - 1) / t.rows * f.stride({t.rows, t.kr, t.sr, k, bl});
}

size_t lhs_bytes(const kai_ukernel& u, const Matmul& c) {
    return lhs_format(u).packed ? packed_bytes(u.lhs_format, c.m, lhs_tile(u), packed_depth(u, c), c.bl)
           : by_pointers(u) ? (c.m + u.get_m_step() - 1) / u.get_m_step() * u.get_m_step() * c.chunks * sizeof(void*)
                            : (c.m - 1) * c.lhs_stride + c.k * lhs_format(u).bits() / 8;
}
size_t rhs_bytes(const kai_ukernel& u, const Matmul& c) {
    const reference::Format& f = rhs_format(u);
    if (f.packed) {
        return packed_bytes(u.rhs_format, c.n, rhs_tile(u), packed_depth(u, c), c.bl);
    }
    const size_t lines = f.kxn ? c.k : c.n;
    return lines == 0 ? 0 : (lines - 1) * c.args.rhs_stride + f.line(c.n, c.k);
}

/// A packed operand that is changed before the call. (Or rows without gaps.)
struct Copy {
    const reference::Format& format;
    reference::Shape shape;
    std::vector<uint8_t> bytes;

    Copy(const char* name, reference::Tile panel, const uint8_t* packed, size_t rows, size_t k, size_t bl)
        : Copy(name, panel, rows, k, bl) {
        std::copy_n(packed, bytes.size(), bytes.data());
    }
    /// Of lines `stride` bytes apart.
    Copy(const char* name, const uint8_t* from, size_t stride, size_t rows, size_t k)
        : Copy(name, {1, 1, 1}, rows, k, 0) {
        const size_t line = format.line(rows, k);
        for (size_t at = 0; at < bytes.size(); at += line, from += stride) {
            std::copy_n(from, line, &bytes[at]);
        }
    }
    Copy(const char* name, reference::Tile panel, size_t rows, size_t k, size_t bl)
        : format(*reference::find_format(name)), bytes(packed_bytes(name, rows, panel, k, bl)) {
        const reference::Tile t = format.stored(panel, rows);
        shape = {t.rows, t.kr, t.sr, k, bl};
    }
    uint8_t* panel(size_t row) {
        return bytes.data() + row / shape.rows * format.stride(shape);
    }
    /// A field of one word of a row.
    template <typename T>
    T get(size_t (*field)(const reference::Shape&, size_t), size_t row) {
        T value;
        std::memcpy(&value, panel(row) + field(shape, row % shape.rows), sizeof(T));
        return value;
    }
    template <typename T>
    void set(size_t (*field)(const reference::Shape&, size_t), size_t row, T value) {
        std::memcpy(panel(row) + field(shape, row % shape.rows), &value, sizeof(T));
    }
    void clear_element(size_t row, size_t kk) {
        const reference::Place place = format.place(shape, row % shape.rows, kk);
        uint8_t* bytes_of_element = panel(row) + place.byte;
        if (format.bits() >= 8) {
            std::memset(bytes_of_element, 0, format.bits() / 8);
        } else {
            const unsigned mask = ((1u << format.bits()) - 1) << place.shift;
            *bytes_of_element = static_cast<uint8_t>(*bytes_of_element & ~mask);
        }
    }
    double element(size_t row, size_t kk) {
        const reference::Place place = format.place(shape, row % shape.rows, kk);
        const uint8_t* from = panel(row) + place.byte;
        switch (format.element) {
            case reference::Format::f32:
                return reference::load(from, kai_dt_f32);
            case reference::Format::f16:
                return reference::load(from, kai_dt_f16);
            case reference::Format::bf16:
                return reference::load(from, kai_dt_bf16);
            case reference::Format::i8:
                return static_cast<int8_t>(*from);
            default:  // i4
                return ((*from >> place.shift & 15) ^ 8) - 8;
        }
    }
    double bias(size_t row) {
        return format.bias_type == reference::Format::f32_bias ? get<float>(format.bias, row)
               : format.bias_type == reference::Format::f16_bias
                   ? reference::f32_from_f16(get<uint16_t>(format.bias, row))
                   : get<int32_t>(format.bias, row);
    }
    float scale(size_t row) {
        float value;
        std::memcpy(&value, panel(row) + format.scale(shape, row % shape.rows, 0), sizeof(value));
        return value;
    }
};

Copy copy_of_lhs(const Matmul& c) {
    return {kernel->lhs_format, lhs_tile(*kernel), c.lhs, c.m, packed_depth(*kernel, c), c.bl};
}
Copy copy_of_rhs(const Matmul& c) {
    if (!rhs_format(*kernel).packed) {
        return {kernel->rhs_format, c.rhs, c.args.rhs_stride, c.n, c.k};
    }
    return {kernel->rhs_format, rhs_tile(*kernel), c.rhs, c.n, packed_depth(*kernel, c), c.bl};
}
/// The call with that RHS.
void set_rhs(Matmul& c, const Copy& rhs) {
    c.rhs = rhs.bytes.data();
    if (!rhs.format.packed) {
        c.args.rhs_stride = rhs.format.line(c.n, c.k);
    }
}

/// A micro-kernel that reads the same operands and writes float; NULL if there is none.
const kai_ukernel* sibling_that_writes_float(const kai_ukernel& u) {
    for (const kai_ukernel* other : test::all_ukernels()) {
        if (other->dst_type == kai_dt_f32 && other->signature == u.signature &&
            kai_registry_runnable(other->features, nullptr, 0) && !std::strcmp(u.lhs_format, other->lhs_format) &&
            !std::strcmp(u.rhs_format, other->rhs_format) && u.get_mr() == other->get_mr() &&
            u.get_nr() == other->get_nr() && u.get_kr() == other->get_kr() && u.get_sr() == other->get_sr()) {
            return other;
        }
    }
    return nullptr;
}

/// The results of a call, as f32.
std::vector<float> float_results(const kai_ukernel& u, const Matmul& c) {
    std::vector<float> results(c.m * c.n);
    Matmul dense = c;
    dense.dst = reinterpret_cast<uint8_t*>(results.data());
    dense.element = sizeof(float), dense.stride = c.n * sizeof(float);
    call(u, dense);
    return results;
}

/// Biases plus products of a format that does not quantise, or whose sums are integers, nearly exact.
std::vector<double> plain_sums(const Matmul& c) {
    Copy lhs = copy_of_lhs(c), rhs = copy_of_rhs(c);
    const size_t depth = lhs.shape.k;
    const auto elements = [depth](Copy& side, size_t rows) {
        std::vector<double> all;
        for (size_t i = 0; i < rows * depth; ++i) {
            all.push_back(side.element(i / depth, i % depth));
        }
        return all;
    };
    const std::vector<double> a = elements(lhs, c.m), b = elements(rhs, c.n);
    std::vector<double> sums;
    for (size_t at = 0; at < c.m * c.n; ++at) {
        const double *x = a.data() + at / c.n * depth, *y = b.data() + at % c.n * depth;
        double sum = rhs.bias(at % c.n);
        for (size_t kk = 0; kk < depth; ++kk) {
            sum += x[kk] * y[kk];
        }
        sums.push_back(sum);
    }
    return sums;
}

/// The int8 result of a sum, wrong in one way.
double requantised_wrongly(const Matmul& c, double sum, float scale) {
    const auto saturated = [](double x) { return std::fmax(-0x1p31, std::fmin(x, 0x1p31 - 1)); };
    const float x = static_cast<float>(sum) * scale;
    const double whole = std::isnan(x)            ? is("takes_nan_for_the_minimum") ? -0x1p31 : 0
                         : is("truncates")        ? std::trunc(x)
                         : is("rounds_ties_away") ? std::round(x)
                                                  : std::nearbyint(x);
    double y = saturated(whole) + c.zero_point;
    if (is("bounds_less_the_zero_point_wrap")) {
        const auto less = [&](float bound) {
            return static_cast<int32_t>(static_cast<uint32_t>(int8_bound(bound)) - static_cast<uint32_t>(c.zero_point));
        };
        const double t = std::fmax(less(c.lo), std::fmin(saturated(whole), less(c.hi)));
        return static_cast<int8_t>(static_cast<int64_t>(t + c.zero_point));
    } else if (is("zero_point_wraps")) {
        y = static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(y)));
    } else if (is("clamps_before_the_zero_point")) {
        y = reference::clamp(whole, c.lo, c.hi) + c.zero_point;
        return reference::clamp(y, -128, 127);
    }
    return reference::clamp(reference::clamp(y, c.lo, c.hi), -128, 127);
}

void requantise_wrongly(const Matmul& c) {
    const std::vector<double> sums = plain_sums(c);
    Copy rhs = copy_of_rhs(c);
    for (size_t at = 0; at < sums.size(); ++at) {
        const double x = requantised_wrongly(c, sums[at], rhs.scale(at % c.n));
        *c.at(at / c.n, at % c.n) = static_cast<uint8_t>(static_cast<int8_t>(x));
    }
}

/// What a narrow result is rounded from.
std::vector<float> exact_results(const Matmul& c) {
    const kai_ukernel* sibling = sibling_that_writes_float(*kernel);
    if (sibling != nullptr) {
        return float_results(*sibling, c);
    }
    std::vector<float> results;
    for (const double sum : plain_sums(c)) {
        results.push_back(static_cast<float>(reference::clamp(sum, c.lo, c.hi)));
    }
    return results;
}

/// Converts f32 results to f16 or bf16, not to nearest even.
void convert_wrongly(const Matmul& c) {
    const std::vector<float> exact = exact_results(c);
    for (size_t i = 0; i < c.m; ++i) {
        for (size_t j = 0; j < c.n; ++j) {
            const double x = std::fabs(exact[i * c.n + j]), nearest = std::fabs(c.get(i, j));
            if (is("truncates") && nearest > x) {
                c.add_ulp(i, j, -1);
            } else if (is("rounds_ties_away") && nearest < x) {
                c.add_ulp(i, j, 1);
                if (std::fabs(c.get(i, j)) - x != x - nearest) {
                    c.add_ulp(i, j, -1);  // it was not a tie
                }
            }
        }
    }
}

/// float(sum of products) + float(offset * sum of the column) instead of float(of the whole).
void sum_the_offset_term_as_float(Matmul c) {
    Copy lhs = copy_of_lhs(c), rhs = copy_of_rhs(c), original = lhs;
    for (size_t i = 0; i < c.m; ++i) {
        lhs.set(lhs.format.row_offset, i, 0);
    }
    for (size_t j = 0; j < c.n; ++j) {
        rhs.set(rhs.format.bias, j, 0.0f);
    }
    Matmul products = c;
    products.lhs = lhs.bytes.data(), products.rhs = rhs.bytes.data(), products.lo = -INFINITY, products.hi = INFINITY;
    const std::vector<float> results = float_results(*kernel, products);
    Copy biases = copy_of_rhs(c);
    for (size_t i = 0; i < c.m; ++i) {
        for (size_t j = 0; j < c.n; ++j) {
            const float term = static_cast<float>(original.get<int32_t>(lhs.format.row_offset, i)) *
                               static_cast<float>(rhs.get<int32_t>(rhs.format.sum, j));
            const float sum =
                results[i * c.n + j] + term * (lhs.scale(i) * rhs.scale(j)) + biases.get<float>(rhs.format.bias, j);
            c.set(i, j, static_cast<float>(reference::clamp(sum, c.lo, c.hi)));
        }
    }
}

/// What an unsigned register of 32 bits keeps.
size_t in_32_bits(size_t x) {
    return static_cast<uint32_t>(x);
}

/// Whether a proof that looks at too little finds that no result can reach a bound.
bool seems_within_the_bounds(const Matmul& c) {
    Matmul seen = c;
    Copy rhs = copy_of_rhs(c);
    const reference::Format& f = rhs.format;
    if (is("proves_bounds_without_the_bias")) {
        for (size_t j = 0; j < c.n; ++j) {
            if (f.bias_type == reference::Format::f16_bias) {
                rhs.set(f.bias, j, uint16_t{0});
            } else {
                rhs.set(f.bias, j, 0.0f);
            }
        }
    } else if (is("proves_bounds_by_the_first_panel")) {
        seen.n = std::min(c.n, rhs.shape.rows);
    } else if (is("proves_bounds_by_the_first_rows")) {
        seen.m = std::min<size_t>(c.m, 4);
    } else if (is("proves_bounds_by_the_last_block") || (is("proves_bounds_by_the_last_chunk") && c.k > 4096)) {
        const size_t bl = f.block != 0 ? f.block : c.bl;
        const size_t first = is("proves_bounds_by_the_last_block") ? c.k - bl : (c.k - 1) / 4096 * 4096;
        const size_t size = f.scale_type == reference::Format::f32_scale ? 4 : 2;
        for (size_t j = 0; j < c.n; ++j) {
            for (size_t b = 0; b < first / bl; ++b) {
                std::memset(rhs.panel(j) + f.scale(rhs.shape, j % rhs.shape.rows, b), 0, size);
            }
        }
    } else {
        return false;
    }
    std::vector<uint8_t> results(seen.m * seen.n * c.element);
    set_rhs(seen, rhs);
    seen.dst = results.data(), seen.stride = seen.n * c.element;
    seen.lo = -INFINITY, seen.hi = INFINITY;
    call(*kernel, seen);
    for (size_t i = 0; i < seen.m; ++i) {
        for (size_t j = 0; j < seen.n; ++j) {
            const float x = seen.get(i, j);
            if (!(x >= c.lo && x <= c.hi)) {
                return false;
            }
        }
    }
    return true;
}

/// Low-precision parameters, of which result_offset is the call's zero point.
constexpr Change<Matmul&, kai_matmul_lowp_params&> kLowpChanges[] = {
    {"ignores_the_lhs_offset", [](Matmul&, kai_matmul_lowp_params& p) { p.lhs_offset = 0; }},
    {"ignores_the_rhs_offset", [](Matmul&, kai_matmul_lowp_params& p) { p.rhs_offset = 0; }},
    {"ignores_the_column_bias_of_a_call", [](Matmul&, kai_matmul_lowp_params& p) { p.bias = nullptr; }},
    {"takes_the_first_channel_for_all", [](Matmul&, kai_matmul_lowp_params& p) { p.per_channel = false; }},
    {"ignores_the_result_offset", [](Matmul& c, kai_matmul_lowp_params&) { c.zero_point = 0; }},
};

/// Offsets of int32 sums.
constexpr Change<kai_matmul_offsets&> kOffsetsChanges[] = {
    {"ignores_the_lhs_offset", [](kai_matmul_offsets& p) { p.lhs_offset = 0; }},
    {"ignores_the_rhs_offset", [](kai_matmul_offsets& p) { p.rhs_offset = 0; }},
    {"ignores_the_column_bias_of_a_call", [](kai_matmul_offsets& p) { p.bias = nullptr; }},
    {"ignores_the_offsets_of_rows", [](kai_matmul_offsets& p) { p.lhs_offsets = nullptr; }},
    {"ignores_the_offsets_of_columns", [](kai_matmul_offsets& p) { p.rhs_offsets = nullptr; }},
};

constexpr int32_t kDefaultTable[4] = {-2, -1, 0, 1};

constexpr Change<Matmul&> kCallChanges[] = {
    {"ignores_the_clamp", [](Matmul& c) { c.lo = -INFINITY, c.hi = INFINITY; }},
    {"drops_a_one_sided_clamp",
     [](Matmul& c) {
         const kai_datatype type = kernel->dst_type;
         const float least = type == kai_dt_int8 ? -128.0f : type == kai_dt_uint8 ? 0.0f : -3e38f;
         const float most = type == kai_dt_int8 ? 127.0f : type == kai_dt_uint8 ? 255.0f : 3e38f;
         if (c.lo <= least || c.hi >= most) {
             c.lo = -INFINITY, c.hi = INFINITY;
         }
     }},
    {"bounds_wrap_to_int8",
     [](Matmul& c) {
         const auto wrapped = [](float x) { return static_cast<float>(static_cast<int8_t>(static_cast<int64_t>(x))); };
         if (c.clamped()) {
             const float a = wrapped(c.lo), b = wrapped(c.hi);
             c.lo = std::min(a, b), c.hi = std::max(a, b);
         }
     }},
    {"zero_point_wraps_to_int8", [](Matmul& c) { c.zero_point = static_cast<int8_t>(c.zero_point); }},
    {"clamps_without_the_flag",
     [](Matmul& c) {
         if (!c.clamped()) {
             c.hi = kernel->dst_type == kai_dt_f16 ? 65504.0f : FLT_MAX, c.lo = -c.hi;
         }
     }},
    {"ignores_the_row_bias", [](Matmul& c) { c.args.acc_bias_m = nullptr; }},
    {"ignores_the_column_bias", [](Matmul& c) { c.args.acc_bias_n = nullptr; }},
    {"ignores_the_stride", [](Matmul& c) { c.stride = c.n * c.element; }},
    {"truncates_the_stride", [](Matmul& c) { c.stride = in_32_bits(c.stride); }},
    {"truncates_the_lhs_stride", [](Matmul& c) { c.lhs_stride = in_32_bits(c.lhs_stride); }},
    {"truncates_the_rhs_stride", [](Matmul& c) { c.args.rhs_stride = in_32_bits(c.args.rhs_stride); }},
    {"truncates_the_pointer_offset", [](Matmul& c) { c.pointer_offset = in_32_bits(c.pointer_offset); }},
    {"ignores_the_lhs_stride", [](Matmul& c) { c.lhs_stride = c.k * lhs_format(*kernel).bits() / 8; }},
    {"ignores_the_rhs_stride", [](Matmul& c) { c.args.rhs_stride = rhs_format(*kernel).line(c.n, c.k); }},
    {"ignores_the_pointer_offset", [](Matmul& c) { c.pointer_offset = 0; }},
    {"moves_the_padding", [](Matmul& c) { c.padding = nullptr; }},
    {"joins_the_chunks", [](Matmul& c) { c.chunks = 1; }},
    {"ignores_the_table", [](Matmul& c) { c.table = kDefaultTable; }},
};

/// The call with other arguments or operands.
void call_wrongly(Matmul c) {
    std::vector<uint8_t> changed;
    make(kCallChanges, c);
    if (c.clamped() && seems_within_the_bounds(c)) {
        c.lo = -INFINITY, c.hi = INFINITY;
    } else if (is("drops_the_last_k") && c.k % 32 != 0) {
        Copy rhs = copy_of_rhs(c);
        for (size_t j = 0; j < c.n; ++j) {
            const size_t length = c.k / c.chunks;
            rhs.clear_element(j, rhs.shape.k / c.chunks * (c.chunks - 1) + length - 1);
        }
        set_rhs(c, rhs);
        changed.swap(rhs.bytes);  // which keeps its address
    } else if (is("wrong_offset_term")) {
        Copy lhs = copy_of_lhs(c);
        for (size_t i = 0; i < c.m; ++i) {
            lhs.set(lhs.format.row_offset, i, lhs.get<int32_t>(lhs.format.row_offset, i) + 1);
        }
        changed = lhs.bytes;
        c.lhs = changed.data();
    }
    // A local copy only if it changes: with "uses_a_static_buffer" another thread might read it after this call.
    kai_matmul_lowp_params lowp = {};
    if (c.args.lowp != nullptr && make(kLowpChanges, c, lowp = *c.args.lowp)) {
        c.args.lowp = &lowp;
    }
    kai_matmul_offsets offsets = {};
    if (c.args.offsets != nullptr && make(kOffsetsChanges, offsets = *c.args.offsets)) {
        c.args.offsets = &offsets;
    }
    if (is("uses_a_static_buffer")) {
        mutants::through_a_static_variable(c);
    }
    call(*kernel, c);
}

/// The element after the last column, or below the last row, times zero, is added to the first one.
void leak_padding(const Matmul& c) {
    const kai_ukernel& u = *kernel;
    const size_t mr = u.get_mr(), nr = u.get_nr();
    Matmul wide = c;
    wide.n = (c.n + nr - 1) / nr * nr;
    wide.m = u.get_m_step() == 1 || !lhs_format(u).packed ? c.m : (c.m + mr - 1) / mr * mr;
    std::vector<uint8_t> all(wide.m * wide.n * c.element);
    wide.dst = all.data(), wide.stride = wide.n * c.element;
    call(u, wide);
    c.set(0, 0, c.get(0, 0) + 0.0f * wide.get(wide.m - 1, wide.n - 1));
}

/// The call, with what may be wrong before and after it. Not inlined: its caller must not save d8-d15, or they are
/// restored after break_the_abi.
[[gnu::noinline]] void misbehave(const Matmul& c) {
    const kai_ukernel& u = *kernel;
    call_wrongly(c);

    if (is("all_nan")) {
        c.for_each([](float) { return NAN; });
    } else if (is("one_element_off_by_some_ulp")) {
        c.add_ulp(c.m - 1, c.n - 1, u.dst_type == kai_dt_f32 ? 0x2000 : 2);
    } else if (
        is("one_element_off_by_an_ulp_in_tails") && c.n % (rhs_format(u).packed ? u.get_nr() : u.get_n_step()) != 0) {
        c.add_ulp(0, c.n - 1, 1);
    } else if (is("depends_on_the_split") && c.m * c.n > 32) {
        c.add_ulp(0, 0, 1);
    } else if (is("loses_nan")) {
        c.for_each([&](float x) { return std::isnan(x) ? c.lo : x; });
    } else if (is("saturates_in_place_of_infinity")) {
        const float max = u.dst_type == kai_dt_f16 ? 65504.0f : 0x1.fep127f;
        c.for_each([&](float x) { return std::isinf(x) ? std::copysign(max, x) : x; });
    } else if (u.dst_type != kai_dt_int8 && (is("truncates") || is("rounds_ties_away"))) {
        convert_wrongly(c);
    } else if (
        is("truncates") || is("rounds_ties_away") || is("takes_nan_for_the_minimum") || is("zero_point_wraps") ||
        is("clamps_before_the_zero_point") || is("bounds_less_the_zero_point_wrap")) {
        requantise_wrongly(c);
    } else if (is("sums_the_offset_term_as_float")) {
        sum_the_offset_term_as_float(c);
    } else if (is("padding_leaks")) {
        leak_padding(c);
    } else if (is("depends_on_fpcr") && mutants::fpcr() != 0) {
        c.add_ulp(0, 0, 1);
    }
}

/// Accesses to what is not the call's.
constexpr Change<const Matmul&> kAccesses[] = {
    {"reads_past_the_lhs", [](const Matmul& c) { touch(c.lhs + lhs_bytes(*kernel, c)); }},
    {"reads_past_the_rhs", [](const Matmul& c) { touch(c.rhs + rhs_bytes(*kernel, c)); }},
    {"reads_before_the_rhs", [](const Matmul& c) { touch(c.rhs - 1); }},
    {"reads_past_the_table", [](const Matmul& c) { touch(c.table + 4); }},
    {"writes_past_dst", [](const Matmul& c) { spoil(c.at(c.m - 1, c.n)); }},
    {"writes_before_dst", [](const Matmul& c) { spoil(c.dst - 1); }},
    {"reads_before_the_lhs", [](const Matmul& c) { touch(c.lhs - 1); }},
    {"writes_between_rows", [](const Matmul& c) { c.m > 1 ? spoil(c.at(0, c.n)) : void(); }},
};

/// Mutations other than those of the ABI. Not inlined: its caller must not save d8-d15.
[[gnu::noinline]] void mutated_matmul(const Matmul& c) {
    const kai_ukernel& u = *kernel;
    if (c.m == 0 || c.n == 0) {
        call(u, c);
        if (is("writes_when_empty")) {
            spoil(c.dst);
        } else if (is("reads_when_empty")) {
            touch(c.lhs);
        }
        return;
    }
    misbehave(c);
    make(kAccesses, c);
}

// ---- packers ----

struct Packing {
    size_t rows, k, bl, first;  // first: number of the first row
    reference::Tile tile;
    void* packed;

    size_t bytes() const {
        return rows == 0 ? 0 : packed_bytes(packer->format, first % tile.rows + rows, tile, k, bl);
    }
};

/// The stride of the source that is passed on.
size_t used_stride(size_t stride, size_t dense) {
    return is("ignores_the_source_stride") ? dense : is("truncates_the_source_stride") ? in_32_bits(stride) : stride;
}

/// Writes the whole of every panel, also what must stay.
void fill_packed(const Packing& c) {
    if (is("fills_the_panel_first")) {
        std::memset(c.packed, 0, c.bytes());
    }
}

/// The sums of the columns, from what was packed: blocks in descending order.
void add_up_in_another_order(const Packing& c) {
    const reference::Format& f = *reference::find_format(packer->format);
    const reference::Shape shape = {c.tile.rows, c.tile.kr, c.tile.sr, c.k, c.bl};
    for (size_t row = 0; row < c.rows; ++row) {
        const size_t r = row % c.tile.rows;
        uint8_t* panel = static_cast<uint8_t*>(c.packed) + row / c.tile.rows * f.stride(shape);
        float sum = 0;
        for (size_t kk = c.k; kk-- > 0;) {
            const reference::Place place = f.place(shape, r, kk);
            uint16_t scale;
            std::memcpy(&scale, panel + f.scale(shape, r, kk / c.bl), sizeof(scale));
            const int element = ((panel[place.byte] >> place.shift & 15) ^ 8) - 8;
            sum += static_cast<float>(element) * reference::f32_from_bf16(scale);
        }
        std::memcpy(panel + f.sum(shape, r), &sum, sizeof(sum));
    }
}

/// The rows of an LHS, dense, in which every value but the largest and the smallest of a block is one ulp nearer to 0:
/// it matters for ties. Not inlined: its caller must not save d8-d15, or they are restored after break_the_abi.
[[gnu::noinline]] std::vector<uint8_t> without_ties(const void* lhs, size_t stride, size_t rows, size_t k, size_t bl) {
    const size_t element = test::element_size(*packer);
    std::vector<uint8_t> copy;
    for (size_t r = 0; r < rows; ++r) {
        const uint8_t* row = static_cast<const uint8_t*>(lhs) + r * stride;
        copy.insert(copy.end(), row, row + k * element);
        for (size_t b = 0; b < k; b += bl) {
            const std::vector<float> x = test::decode_lhs(*packer, row + b * element, bl);
            const auto [lo, hi] = std::minmax_element(x.begin(), x.end());
            for (size_t i = 0; i < bl; ++i) {
                // One less in the bit pattern is one ulp nearer to 0.
                uint8_t* p = &copy[(r * k + b + i) * element];
                if (x[i] != 0 && x[i] != *lo && x[i] != *hi) {
                    for (size_t byte = 0; p[byte]-- == 0; ++byte) {
                    }
                }
            }
        }
    }
    return copy;
}

// ---- the wrappers: from the arguments of any signature ----

const uint8_t* bytes(const void* p) {
    return static_cast<const uint8_t*>(p);
}

Matmul matmul_of(const kai::KernelArgs& a) {
    Matmul c = {};
    c.m = a.m, c.n = a.n, c.bl = a.bl;
    c.k = kai::is_indirect(*kernel) ? a.k_chunk_count * a.k_chunk_length : a.k;
    c.chunks = kai::is_indirect(*kernel) ? a.k_chunk_count : 1;
    c.lhs = bytes(a.lhs), c.lhs_stride = a.lhs_stride, c.padding = a.pad_ptr, c.pointer_offset = a.lhs_ptr_offset;
    c.rhs = bytes(a.rhs);
    c.dst = static_cast<uint8_t*>(a.dst), c.stride = a.dst_stride_row;
    c.element = kai_get_datatype_size_in_bytes(kernel->dst_type);
    c.lo = a.clamp_min, c.hi = a.clamp_max;
    if (a.requantize != nullptr) {
        c.zero_point = a.requantize->output_zero_point;
        c.lo = static_cast<float>(a.requantize->min_value), c.hi = static_cast<float>(a.requantize->max_value);
    }
    if (a.lowp != nullptr) {
        c.zero_point = a.lowp->result_offset;
        c.lo = static_cast<float>(a.lowp->min_value), c.hi = static_cast<float>(a.lowp->max_value);
    }
    c.table = a.lut;
    c.args = a;
    return c;
}

void mutated_call(const kai::KernelArgs& a) {
    mutated_matmul(matmul_of(a));
    break_the_abi();
}

void unified(const kai_matmul_uker_config* config, const kai_matmul_uker_args* args) {
    const auto& [dst, lhs, rhs, bias, scale, lut] = args->operand;
    const auto& [lower, upper] = args->activation.clamp;
    const bool clamp = (args->flags & KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP) != 0;
    kai::KernelArgs a = {};
    a.m = args->shape.m, a.n = args->shape.n, a.k = args->shape.k;
    a.lhs = lhs.ptr, a.lhs_stride = lhs.stride.m;
    a.rhs = rhs.ptr, a.rhs_stride = rhs.stride.n;
    a.dst = dst.ptr, a.dst_stride_row = dst.stride.m;
    a.acc_bias_m = bias.acc_bias_m.ptr, a.acc_bias_n = bias.acc_bias_n.ptr, a.scale_bias_n = bias.scale_bias_n.ptr;
    a.acc_scale = scale.acc_scale_global.ptr;
    a.lut = static_cast<const int32_t*>(lut.ptr);
    a.bl = config != nullptr ? config->format.bl : 0;
    Matmul c = matmul_of(a);
    if (kernel->dst_type == kai_dt_int8 && bias.scale_bias_global.ptr != nullptr) {
        std::memcpy(&c.zero_point, bias.scale_bias_global.ptr, sizeof(c.zero_point));
    }
    const auto bound = [&](const void* p) {
        return kernel->dst_type == kai_dt_int8 ? static_cast<float>(*static_cast<const int32_t*>(p))
                                               : *static_cast<const float*>(p);
    };
    c.lo = clamp ? bound(lower) : -INFINITY, c.hi = clamp ? bound(upper) : INFINITY;
    mutated_matmul(c);
    break_the_abi();
}

/// Reads beyond a source that ends with a line of this many elements.
void read_past_the_source(const void* end, size_t line) {
    if (is("reads_past_the_source")) {
        touch(end);
    } else if (is("reads_past_the_source_at_some_tails") && line >= 32 && line % 32 >= 28) {
        touch(static_cast<const uint8_t*>(end) + 15);
    }
}

/// Panels of packers that take only one size and have no argument for it.
reference::Tile tile_of(const kai_packer& p) {
    for (const auto& [kr, sr] : {std::pair<size_t, size_t>{1, 1}, {2, 1}, {4, 1}, {4, 2}, {8, 1}, {16, 1}}) {
        for (size_t rows = 1; rows <= 4096; ++rows) {
            if (p.accepts(rows, kr, sr)) {
                return {rows, kr, sr};
            }
        }
    }
    std::abort();
}

/// Where the last line of a source ends, and its elements. k: the whole depth.
void read_past(const kai_packer& p, const kai::PackerArgs& a, reference::Tile t, size_t k, size_t first) {
    const size_t element = test::element_size(p);
    if (kai::takes_pointers(p)) {
        const size_t chunks = a.k_chunk_count, length = a.k_chunk_length;
        const auto* table = static_cast<const void* const*>(a.source);
        if (is("reads_past_the_source") && a.count > 0) {
            touch(table + (a.count + t.rows - 1) / t.rows * t.rows * chunks);
        } else if (a.count > 0 && k > 0) {  // the last chunk of the last row
            const size_t panel = (a.count - 1) / t.rows, slot = (a.count - 1) % t.rows;
            const void* chunk = table[(panel * chunks + chunks - 1) * t.rows + slot];
            const auto from = reinterpret_cast<uintptr_t>(chunk) + (chunk == a.pad_ptr ? 0 : a.lhs_ptr_offset);
            read_past_the_source(reinterpret_cast<const uint8_t*>(from) + length * element, length);
        }
        return;
    }
    const bool kxn = test::is_kxn(p);
    const size_t lines = test::is_lhs(p) ? first + a.count : kxn ? k : a.count;
    const size_t line = test::is_lhs(p) ? k * element : kai::line_size(p, a.count, k, a.bl);
    if (a.count > 0 && k > 0 && line > 0) {
        const size_t stride = kai::has_stride(p) ? a.stride : line;
        read_past_the_source(bytes(a.source) + (lines - 1) * stride + line, kxn ? a.count : k);
    }
}

constexpr Change<kai::PackerArgs&> kPackerChanges[] = {
    {"ignores_m_idx_start", [](kai::PackerArgs& a) { a.m_idx_start = 0; }},
    {"takes_parts_of_blocks", [](kai::PackerArgs& a) { a.k = a.bl != 0 ? a.k / a.bl * a.bl : a.k; }},
    {"drops_an_impossible_bias", [](kai::PackerArgs& a) { a.no_bias = nullptr; }},
    {"ignores_the_bias", [](kai::PackerArgs& a) { a.bias = nullptr; }},
    {"ignores_the_table", [](kai::PackerArgs& a) { a.lut = nullptr; }},
    {"truncates_the_scale_stride", [](kai::PackerArgs& a) { a.scale_stride = in_32_bits(a.scale_stride); }},
    {"moves_the_padding", [](kai::PackerArgs& a) { a.pad_ptr = nullptr; }},
    {"truncates_the_panel_stride", [](kai::PackerArgs& a) { a.packed_stride = in_32_bits(a.packed_stride); }},
};

/// The packer, with arguments that may be wrong, and what may be wrong after it. Not inlined: its caller must not save
/// d8-d15.
[[gnu::noinline]] void mutated_packer(const kai::PackerArgs& given) {
    static const int32_t kMinusOne = -1;
    const kai_packer& p = *packer;
    const bool lhs = test::is_lhs(p), told = !test::is_indirect(p) && !test::is_unified(p);
    const size_t k = test::is_indirect(p) ? given.k_chunk_count * given.k_chunk_length : given.k, count = given.count;
    reference::Tile t = told ? reference::Tile{given.rows, given.kr, given.sr} : tile_of(p);
    if (kai::takes_rows(p)) {
        t.rows = given.rows;
    }
    const size_t depth =
        test::is_indirect(p) ? given.k_chunk_count * ((given.k_chunk_length + t.kr - 1) / t.kr * t.kr) : k;
    const size_t rows_before = test::uses_start_index(p) ? given.m_idx_start : 0;  // in the source
    const size_t first = test::uses_start_slot(p) ? given.m_idx_start : rows_before;
    const size_t bl = test::file_bl(p) != 0 ? test::file_bl(p) : given.bl;
    const Packing c = {count, depth, bl, first, t, given.packed};
    fill_packed(c);

    kai::PackerArgs a = given;
    const size_t line = lhs ? k * test::element_size(p) : kai::line_size(p, count, k, given.bl);
    const size_t scales = given.bl == 0 ? 0 : k / given.bl * kai::block_scale_size(p);
    std::vector<uint8_t> copy;
    kai::RhsParams params;
    a.stride = used_stride(given.stride, line);
    make(kPackerChanges, a);
    if (is("wrong_ties")) {
        copy = without_ties(given.source, given.stride, rows_before + count, k, test::has_blocks(p) ? given.bl : k);
        a.source = copy.data(), a.stride = line;
    } else if (is("takes_any_parameters")) {
        a.params = kai::make_params(p, params, 1, 8, 1.0F), a.no_params = nullptr;
    } else if (is("ignores_the_zero_point")) {
        const auto* told_params = static_cast<const kai_rhs_pack_qsi8cx_params*>(given.params);
        const float multiplier =
            told_params != nullptr && kai::takes_scale_multiplier(p) ? told_params->scale_multiplier : 1;
        a.params = kai::make_params(p, params, 1, 8, multiplier), a.k_sum_scale_global = &kMinusOne;
    } else if (is("ignores_the_scale_stride")) {
        a.scale_stride = scales;
    } else if (is("ignores_the_panel_stride")) {
        a.packed_stride = packed_bytes(p.format, 1, t, k, 0);
    }
    kai::run(p, a, kai::Direct{});

    read_past(p, given, t, k, rows_before);
    if (is("reads_past_the_scales") && count > 0 && k > 0) {
        touch(bytes(given.scale) + (count - 1) * given.scale_stride + scales);
    } else if (is("reads_a_null_bias") && count > 0) {
        touch(given.bias);
    } else if (is("adds_up_in_another_order")) {
        add_up_in_another_order(c);
    }
    mutants::spoil_packed(c.packed, c.bytes());
}

void mutated_pack(const kai::PackerArgs& a) {
    mutated_packer(a);
    break_the_abi();
}

void lhs_pack_unified(const kai_matmul_pack_lhs_uker_config* config, const kai_matmul_pack_lhs_uker_args* args) {
    const auto& [lhs_packed, lhs] = args->operand;
    kai::PackerArgs a = kai::packer_args();
    if (config != nullptr) {
        const auto& [mr, kr, sr] = config->format;
        a.rows = mr, a.kr = kr, a.sr = sr;
    }
    a.flags = args->flags;
    a.count = args->shape.m, a.k = args->shape.k;
    a.source = lhs.ptr, a.stride = lhs.stride.m;
    a.packed = lhs_packed.ptr, a.packed_stride = lhs_packed.stride.m;
    mutated_pack(a);
}

void rhs_pack_unified(const kai_matmul_pack_rhs_uker_config* config, const kai_matmul_pack_rhs_uker_args* args) {
    const auto& [rhs, rhs_packed, bias_n, k_sum_scale_global, scale_n, scale_global, scale_nk] = args->operand;
    kai::PackerArgs a = kai::packer_args();
    a.flags = args->flags;
    a.count = args->shape.n, a.k = args->shape.k;
    a.source = rhs.ptr, a.stride = test::is_kxn(*packer) ? rhs.stride.k : rhs.stride.n;
    a.packed = rhs_packed.ptr, a.packed_stride = rhs_packed.stride.n;
    a.bias = bias_n.ptr, a.scale = scale_n.ptr;
    if (config != nullptr) {
        const auto& [nr, kr, sr, bl] = config->format;
        a.rows = nr, a.kr = kr, a.sr = sr, a.bl = bl;
    }
    if (test::has_blocks(*packer)) {
        a.scale = scale_nk.ptr, a.scale_stride = scale_nk.stride.n;
    }
    a.k_sum_scale_global = k_sum_scale_global.ptr, a.scale_global = scale_global.ptr;
    mutated_pack(a);
}

template <typename F>
kai_any_fn* any(F* function) {
    return reinterpret_cast<kai_any_fn*>(function);
}

kai_any_fn* wrapper_of(const kai_ukernel& u) {
    kernel = &u;
    return kai::with_signature(u.signature, [&](auto s) {
        using Run = typename decltype(s)::Run;
        if constexpr (kai::kKind<Run> == kai::Kind::depthwise) {
            return u.signature == KAI_UKERNEL_DWCONV ? mutants::dwconv_wrapper_of(u)
                                                     : mutants::dwconv_tiles_wrapper_of(u);
        } else if constexpr (kai::kKind<Run> == kai::Kind::unified) {
            return any(unified);
        } else {
            return kai::with_type<Run>(
                u, [](auto type) { return any(decltype(type)::template receive<kai::KernelArgs, mutated_call>); });
        }
    });
}

kai_any_fn* wrapper_of(const kai_packer& p) {
    packer = &p;
    return kai::with_signature(p.signature, [&](auto s) {
        using Run = typename decltype(s)::Run;
        if constexpr (kai::kKind<Run> == kai::Kind::depthwise) {
            return mutants::dwconv_wrapper_of(p);
        } else if constexpr (kai::kKind<Run> == kai::Kind::unified) {
            return decltype(s)::kSource == kai::Source::mxk ? any(lhs_pack_unified) : any(rhs_pack_unified);
        } else {
            return kai::with_type<Run>(
                p, [](auto type) { return any(decltype(type)::template receive<kai::PackerArgs, mutated_pack>); });
        }
    });
}

// ---- what must notice what ----

/// The first kernel of the registry with this signature, these formats and this instruction set represents the others,
/// which have the same tests and share code: the run is to take minutes.
bool represents_others(const kai_ukernel& u) {
    for (const kai_ukernel* other : test::all_ukernels()) {
        if (other->signature == u.signature && other->dst_type == u.dst_type && other->features == u.features &&
            !std::strcmp(other->lhs_format, u.lhs_format) && !std::strcmp(other->rhs_format, u.rhs_format)) {
            return other == &u;
        }
    }
    return false;
}

bool every_kernel(const kai_ukernel&) {
    return true;
}
bool kernel_for_many_rows(const kai_ukernel& u) {
    return u.get_m_step() > 1;
}
bool kernel_with_table(const kai_ukernel& u) {
    return kai::has_lut(u);
}
/// Neither side is packed.
bool plain_kernel(const kai_ukernel& u) {
    return kai::takes<&kai::KernelArgs::rhs_stride>(u);
}
bool low_precision_kernel(const kai_ukernel& u) {
    return kai::takes<&kai::KernelArgs::lowp>(u);
}
bool kernel_that_gives_sums(const kai_ukernel& u) {
    return kai::takes<&kai::KernelArgs::offsets>(u);
}
bool kernel_with_offsets(const kai_ukernel& u) {
    return low_precision_kernel(u) || kernel_that_gives_sums(u);
}
bool kernel_for_any_k(const kai_ukernel& u) {
    return !rhs_format(u).blocks && !kernel_with_table(u);
}
bool kernel_with_zero_points(const kai_ukernel& u) {
    return lhs_format(u).row_offset != nullptr;
}
bool kernel_that_sums_integers(const kai_ukernel& u) {
    return kernel_with_zero_points(u) && !rhs_format(u).blocks && u.dst_type == kai_dt_f32;
}
bool kernel_with_float_results(const kai_ukernel& u) {
    return u.dst_type == kai_dt_f32 || u.dst_type == kai_dt_f16 || u.dst_type == kai_dt_bf16;
}
bool kernel_with_float_bias(const kai_ukernel& u) {
    return kernel_with_float_results(u) && rhs_format(u).bias != nullptr &&
           rhs_format(u).bias_type != reference::Format::i32_bias;
}
bool kernel_with_many_panels(const kai_ukernel& u) {
    return kernel_with_float_results(u) && !test::is_unified_unsigned(u) && !plain_kernel(u);
}
bool kernel_with_many_float_rows(const kai_ukernel& u) {
    return kernel_with_many_panels(u) && kernel_for_many_rows(u);
}
bool kernel_with_rhs_blocks(const kai_ukernel& u) {
    return rhs_format(u).blocks;
}
/// Those that take the RHS in chunks of a limited depth, and others like them.
bool small_kernel_with_rhs_blocks(const kai_ukernel& u) {
    return rhs_format(u).blocks && u.get_m_step() * u.get_n_step() < 512;
}
bool kernel_with_quantised_results(const kai_ukernel& u) {
    return u.dst_type == kai_dt_int8 && !low_precision_kernel(u);
}
bool kernel_that_clamps(const kai_ukernel& u) {
    return u.dst_type != kai_dt_int32;
}
bool kernel_with_narrow_results(const kai_ukernel& u) {
    return kernel_with_float_results(u) && u.dst_type != kai_dt_f32;
}
/// Sums in f16 are not rounded once more.
bool kernel_that_rounds(const kai_ukernel& u) {
    return kernel_with_quantised_results(u) || (kernel_with_narrow_results(u) && !test::sums_in_f16(u) &&
                                                (lhs_format(u).plain || sibling_that_writes_float(u)));
}
bool kernel_for_rows(const kai_ukernel& u) {
    return (kai::takes<&kai::KernelArgs::lhs_stride>(u) && kernel_for_many_rows(u)) ||
           (plain_kernel(u) && !lhs_format(u).packed);
}
bool kernel_with_panel_strides(const kai_ukernel& u) {
    return (kai::is_unified(u) && lhs_format(u).packed) || plain_kernel(u);
}
bool kernel_with_lhs_stride(const kai_ukernel& u) {
    return u.rows != KAI_ROWS_ONE &&
           (kai::is_unified(u) || u.signature == KAI_UKERNEL_MATMUL_ROWS || (plain_kernel(u) && !lhs_format(u).packed));
}
bool kernel_of_rows(const kai_ukernel& u) {
    return u.rows != KAI_ROWS_ONE;
}
bool kernel_with_padded_chunks(const kai_ukernel& u) {
    return kai::is_indirect(u) && u.get_kr() > 1;
}
bool unified_kernel_of_floats(const kai_ukernel& u) {
    return kai::is_unified(u) && kernel_with_float_results(u);
}
bool kernel_whose_padding_shows(const kai_ukernel& u) {
    return kernel_with_float_results(u) && !test::is_unified_unsigned(u) && !plain_kernel(u);  // which reads no padding
}
bool every_packer(const kai_packer&) {
    return true;
}
bool matmul_packer(const kai_packer& p) {
    return !kai::is_depthwise(p);
}
bool packer_of_parts(const kai_packer& p) {
    return matmul_packer(p) && test::packs_parts(p);
}
bool quantising_packer(const kai_packer& p) {
    return (p.signature == KAI_LHS_PACK_BL && !test::format_of(p).plain) || p.signature == KAI_LHS_QUANT_PACK;
}
bool packer_with_start(const kai_packer& p) {
    return test::uses_start_index(p) || test::uses_start_slot(p);
}
bool strided_packer(const kai_packer& p) {
    return kai::has_stride(p) && std::strcmp(p.name, "lhs_quant_pack_bf16p1x4_f32_neon") != 0;  // which takes one row
}
bool packer_with_pointers(const kai_packer& p) {
    return kai::takes_pointers(p);
}
bool packer_with_table(const kai_packer& p) {
    return kai::has_lut(p);
}
bool packer_with_zero_point(const kai_packer& p) {
    return (test::has_channels(p) && !packer_with_table(p)) || test::is_requantising(p);
}
bool packer_without_a_place_for_bias(const kai_packer& p) {
    return kai::takes<&kai::PackerArgs::no_bias>(p);
}
/// Of the signatures that pack_rules_test.cpp knows. (The unified API has the same table of rules.)
bool rhs_packer_with_blocks(const kai_packer& p) {
    return test::has_blocks(p) && !test::is_lhs(p) && !test::is_unified(p);
}
/// Of the signatures that pack_rules_test.cpp knows, for CPUs without SVE and SME.
bool packer_that_refuses(const kai_packer& p) {
    const bool scalable = (p.features >> KAI_CPU_SME & 1) != 0 || (p.features >> KAI_CPU_SVE & 1) != 0;
    return !test::is_lhs(p) && (p.signature <= KAI_RHS_PACK_KXN_NR || kai::is_f8(p)) && !scalable;
}
bool packer_with_bias(const kai_packer& p) {
    return test::format_of(p).bias != nullptr && !kai::is_file(p);
}

/// Lines need not be multiples of 32 elements.
bool packer_of_any_tail(const kai_packer& p) {
    const bool blocks =
        test::has_blocks(p) && p.signature != KAI_RHS_PACK_KXN_BL_BF16 && p.signature != KAI_RHS_PACK_KXN_F8;
    return (!blocks && reference::find_format(p.format)->block == 0 && !packer_with_table(p) && !kai::is_depthwise(p) &&
            test::file_bl(p) == 0) ||
           std::strcmp(p.name, "lhs_quant_pack_qsi8d32p_f32") == 0;
}

// Tests of results. Those end to end would blame kernels for packers.
constexpr const char* kTestsOfMatmul = "*/Matmul.*";
constexpr const char* kTestsOfDwconv = "*/Dwconv.*:*/DwconvTiles.*:*/DwconvTilesInt8.*";
constexpr const char* kTestsOfPackers = "*/Pack.*:*/DwconvPack.*:*/DwconvPackInt8.*";
constexpr const char* kButNotEndToEnd = "-*/Matmul.WithTheLibrarysPackers*:*/Matmul.ByKaiCall*";
constexpr const char* kTestsOfEmptyCalls = "*/Empty*";
constexpr const char* kTestsOfRules = "*/PackRules.*";
constexpr const char* kFarTests = "*.StridesBeyond32Bits/*";
constexpr const char* kTestsOfParts = "*/Matmul.Threads/*:*/Matmul.ExactOverWholeTiles/*";
constexpr const char* kClampTests = "*/Matmul.Clamps*";
constexpr const char* kTestsOfNan = "*/Matmul.RowsOfOneCall/*:*/Matmul.NanStays*:*/Matmul.Extreme*:*/Matmul.Special*";
constexpr const char* kTestsOfOverflow = "*/Matmul.RowsOfOneCall/*:*/Matmul.Converts*:*/Matmul.SpecialValues/*";
constexpr const char* kTestsOfZeroPoints = "*/Matmul.RowsOfOneCall/*:*/Matmul.SaturatesScaledSums/*";
bool every_test;  // no filter is given

const Mutation kMutations[] = {
    {"all_nan", kernel_with_float_results, nullptr},
    {"one_element_off_by_some_ulp", every_kernel, nullptr},
    {"one_element_off_by_an_ulp_in_tails", every_kernel, nullptr, false, kTestsOfParts},
    {"depends_on_the_split", every_kernel, nullptr, false, kTestsOfParts},
    {"drops_the_last_k", kernel_for_any_k, nullptr},
    {"wrong_offset_term", kernel_with_zero_points, nullptr},
    {"sums_the_offset_term_as_float", kernel_that_sums_integers, nullptr},
    {"truncates", kernel_that_rounds, nullptr},
    {"rounds_ties_away", kernel_that_rounds, nullptr},
    {"saturates_in_place_of_infinity", kernel_with_narrow_results, nullptr, false, kTestsOfOverflow},
    {"takes_nan_for_the_minimum", kernel_with_quantised_results, nullptr, false, kTestsOfNan},
    {"zero_point_wraps", kernel_with_quantised_results, nullptr, false, kTestsOfZeroPoints},
    {"clamps_before_the_zero_point", kernel_with_quantised_results, nullptr},
    {"bounds_less_the_zero_point_wrap", kernel_with_quantised_results, nullptr, false, kClampTests},
    {"bounds_wrap_to_int8", kernel_with_quantised_results, nullptr, false, kClampTests},
    {"zero_point_wraps_to_int8", kernel_with_quantised_results, nullptr, false, kClampTests},
    {"proves_bounds_without_the_bias", kernel_with_float_bias, nullptr, false, kClampTests},
    {"proves_bounds_by_the_first_panel", kernel_with_many_panels, nullptr, false, kClampTests},
    {"proves_bounds_by_the_first_rows", kernel_with_many_float_rows, nullptr, false, kClampTests},
    {"proves_bounds_by_the_last_block", kernel_with_rhs_blocks, nullptr, false, kClampTests},
    {"proves_bounds_by_the_last_chunk", small_kernel_with_rhs_blocks, nullptr, false, kClampTests},
    {"clamps_without_the_flag", unified_kernel_of_floats, nullptr},
    {"ignores_the_row_bias", test::is_unified_unsigned, nullptr},
    {"ignores_the_column_bias", test::is_unified_unsigned, nullptr},
    {"ignores_the_lhs_offset", kernel_with_offsets, nullptr},
    {"ignores_the_rhs_offset", kernel_with_offsets, nullptr},
    {"ignores_the_result_offset", low_precision_kernel, nullptr},
    {"ignores_the_column_bias_of_a_call", kernel_with_offsets, nullptr},
    {"takes_the_first_channel_for_all", low_precision_kernel, nullptr},
    {"ignores_the_offsets_of_rows", kernel_that_gives_sums, nullptr},
    {"ignores_the_offsets_of_columns", kernel_that_gives_sums, nullptr},
    {"ignores_the_lhs_stride", kernel_for_rows, nullptr},
    {"ignores_the_rhs_stride", plain_kernel, nullptr},
    {"ignores_the_pointer_offset", by_pointers, nullptr},
    {"moves_the_padding", by_pointers, nullptr},
    {"joins_the_chunks", kernel_with_padded_chunks, nullptr},
    {"ignores_the_table", kernel_with_table, nullptr},
    {"reads_past_the_table", kernel_with_table, nullptr},
    {"ignores_the_clamp", kernel_that_clamps, nullptr, false, kClampTests},
    {"drops_a_one_sided_clamp", kernel_that_clamps, nullptr, false, kClampTests},
    {"loses_nan", kernel_with_float_results, nullptr, false, kTestsOfNan},
    {"ignores_the_stride", kernel_for_many_rows, nullptr},
    {"truncates_the_stride", kernel_of_rows, nullptr, false, kFarTests},
    {"truncates_the_lhs_stride", kernel_with_lhs_stride, nullptr, false, kFarTests},
    {"truncates_the_rhs_stride", kernel_with_panel_strides, nullptr, false, kFarTests},
    {"truncates_the_pointer_offset", by_pointers, nullptr},
    {"truncates_the_source_stride", nullptr, strided_packer, false, kFarTests},
    {"truncates_the_scale_stride", nullptr, kai::has_scale_stride, false, kFarTests},
    {"truncates_the_panel_stride", nullptr, test::is_unified, false, kFarTests},
    {"uses_a_static_buffer", every_kernel, packer_of_parts, false, "*.Threads/*"},
    {"padding_leaks", kernel_whose_padding_shows, nullptr},
    {"writes_when_empty", every_kernel, every_packer, false, kTestsOfEmptyCalls},
    {"reads_when_empty", every_kernel, every_packer, false, kTestsOfEmptyCalls},
    {"reads_past_the_lhs", every_kernel, nullptr},
    {"reads_past_the_rhs", every_kernel, nullptr},
    {"reads_before_the_lhs", plain_kernel, nullptr, false, "*/Matmul.Shapes/*"},
    {"reads_before_the_rhs", every_kernel, nullptr, false, "*/Matmul.Shapes/*"},
    {"writes_past_dst", every_kernel, nullptr},
    {"writes_before_dst", every_kernel, nullptr, false, "*/Matmul.Shapes/*"},
    {"writes_between_rows", kernel_for_many_rows, nullptr},
    {"packs_one_bit_wrong", nullptr, every_packer},
    {"wrong_ties", nullptr, quantising_packer, false, "*/Pack.SpecialFloats/*"},
    {"ignores_m_idx_start", nullptr, packer_with_start, false, "*/Pack.PartsByStartIndex/*"},
    {"ignores_the_source_stride", nullptr, strided_packer},
    {"ignores_the_panel_stride", nullptr, test::is_unified, false, "*/Pack.PanelsWithGaps/*"},
    {"moves_the_padding", nullptr, packer_with_pointers},
    {"ignores_the_scale_stride", nullptr, kai::has_scale_stride},
    {"reads_past_the_scales", nullptr, kai::has_scale_stride},
    {"adds_up_in_another_order", nullptr, test::has_block_sums},
    {"takes_parts_of_blocks", nullptr, rhs_packer_with_blocks, false, kTestsOfRules},
    {"takes_any_parameters", nullptr, packer_that_refuses, false, kTestsOfRules},
    {"drops_an_impossible_bias", nullptr, packer_without_a_place_for_bias, false, kTestsOfRules},
    {"ignores_the_bias", nullptr, packer_with_bias},
    {"reads_a_null_bias", nullptr, packer_with_bias, false, "*/Pack.NullBias/*:*/DwconvPack.*:*/DwconvPackInt8.*"},
    {"ignores_the_zero_point", nullptr, packer_with_zero_point, false,
     "*/Pack.SumsTimesTheZeroPoint/*:*/Pack.TwosComplementNibbles/*:*/DwconvPackInt8.*"},
    {"ignores_the_table", nullptr, packer_with_table},
    {"fills_the_panel_first", nullptr, quantising_packer},
    {"reads_past_the_source", nullptr, every_packer},
    {"reads_past_the_source_at_some_tails", nullptr, packer_of_any_tail, false, "*/Pack.EveryTail/*"},
    {"writes_past_packed", nullptr, every_packer},
    {"writes_before_packed", nullptr, every_packer},
#if defined(__aarch64__)
    {"clobbers_d8", every_kernel, every_packer},
#if !defined(__APPLE__)
    {"clobbers_x18", every_kernel, every_packer},
#endif
    {"clobbers_fpcr", every_kernel, every_packer},
    {"resets_fpcr", every_kernel, every_packer, false, "*.FpcrModes/*"},
    {"depends_on_fpcr", every_kernel, every_packer, false, "*.FpcrModes/*"},
    {"leaves_streaming_on", every_kernel, every_packer, true},
    {"leaves_za_on", every_kernel, every_packer, true},
    {"drops_the_callers_za", every_kernel, every_packer, true, "*.KeepsTheCallersZa/*"},
#endif
};

std::string full_name(const testing::TestInfo& info) {
    return std::string(info.test_suite_name()) + "." + info.name();
}

/// Notes which tests fail for which kernel or packer, instead of printing it.
class Failures : public testing::EmptyTestEventListener {
public:
    std::map<std::string, std::set<std::string>> tests_of;  // by kernel or packer
    std::set<std::string> tests;                            // by their full names

private:
    void OnTestEnd(const testing::TestInfo& info) override {
        if (info.result()->Failed()) {
            const std::string test = full_name(info);
            tests.insert(test);
            // Kernels/Matmul.Shapes/<name of the kernel>
            const size_t first = test.find('/'), last = test.rfind('/');
            tests_of[test.substr(last + 1)].insert(test.substr(first + 1, last - first - 1));
        }
    }
};

Failures* failures;
std::set<std::string> subjects;    // of the current mutation
std::set<std::string> noticed_by;  // tests of any mutation, by their full names

/// The kernels and packers that should notice a mutation, can run, and are not left out by KLEIDIAI_TEST_SUBJECTS.
/// `depthwise`: which kernels it is for.
std::set<std::string> subjects_of(const Mutation& m, bool depthwise) {
    std::set<std::string> names;
    // What a kernel's getters return may need the CPU's extension: `relevant` must not ask one that cannot run.
    for (const kai_ukernel* u : test::all_ukernels()) {
        if (m.kernels != nullptr && kai::is_depthwise(*u) == depthwise && represents_others(*u) &&
            test::is_chosen(*u) && kai_registry_runnable(u->features, nullptr, 0) && m.kernels(*u)) {
            names.insert(u->name);
        }
    }
    for (const kai_packer* p : test::all_packers()) {
        if (m.packers != nullptr && test::is_chosen(*p) && kai_registry_runnable(p->features, nullptr, 0) &&
            m.packers(*p)) {
            names.insert(p->name);
        }
    }
    return names;
}

/// One test that notices is enough.
bool needs_no_test(const char* name) {
    return subjects.count(name) == 0 || failures->tests_of.count(name) > 0;
}

/// A filter: what should notice `m`.
std::string tests_for(const Mutation& m, bool depthwise) {
    if (m.tests != nullptr) {
        return m.tests;
    }
    const std::string kernels = depthwise ? kTestsOfDwconv : kTestsOfMatmul;
    return (m.kernels == nullptr   ? kTestsOfPackers
            : m.packers == nullptr ? kernels
                                   : kernels + ":" + kTestsOfPackers) +
           kButNotEndToEnd;
}

/// What a filter selects of the tests of `subjects`, as a list of names. GoogleTest would try patterns on 18,000 tests
/// for each mutation, and set up tests of other subjects only to skip them: a third of a second each under emulation.
std::string of_subjects(const std::string& filter) {
    struct Test {
        std::string name, subject;
    };
    static std::map<std::string, std::vector<Test>> selected;
    const auto [found, is_new] = selected.try_emplace(filter);
    std::vector<Test>& tests = found->second;
    if (is_new) {
        const test::Filter whole(filter);
        test::for_each_test([&](const std::string& name, const std::string& subject) {
            if (whole.selects(name)) {
                tests.push_back({name, subject});
            }
        });
    }
    std::string names;
    for (const Test& test : tests) {
        if (subjects.count(test.subject) > 0) {
            names += test.name + ":";
        }
    }
    return names;
}

/// Whether all that can run noticed `m`; prints a line for the table.
bool try_mutation(const Mutation& m, bool depthwise) {
    mutants::mutation = m.name;
    failures->tests_of.clear();
    failures->tests.clear();
    subjects = subjects_of(m, depthwise);
    if (subjects.empty()) {
        return true;
    }
    if (every_test) {
        GTEST_FLAG_SET(filter, of_subjects(tests_for(m, depthwise)));
    }
    [[maybe_unused]] const int status = RUN_ALL_TESTS();
    noticed_by.merge(failures->tests);
    size_t noticed = 0;
    std::set<std::string> tests;
    std::string missed, names;
    for (const std::string& subject : subjects) {
        const auto found = failures->tests_of.find(subject);
        if (found == failures->tests_of.end()) {
            missed += "\n    MISSED for " + subject;
        } else {
            ++noticed;
            tests.insert(found->second.begin(), found->second.end());
        }
    }
    for (const std::string& test : tests) {
        names += (names.empty() ? "" : ", ") + test;
    }
    std::printf("%-36s noticed by %zu of %zu: %s%s\n", m.name, noticed, subjects.size(), names.c_str(), missed.c_str());
    std::fflush(stdout);
    return noticed == subjects.size();
}

/// Tests that noticed a mutation: of each, the instance for one kernel or packer per wrapper. There is a wrapper for
/// each signature and type of results.
std::set<std::string> one_for_each_wrapper() {
    std::map<std::string, std::string> wrappers;
    for (const kai_ukernel* u : test::all_ukernels()) {
        wrappers[u->name] = std::to_string(u->signature) + "/" + std::to_string(u->dst_type);
    }
    for (const kai_packer* p : test::all_packers()) {
        wrappers[p->name] = std::to_string(p->signature);
    }
    std::set<std::string> chosen, seen;
    for (const std::string& test : noticed_by) {
        const size_t last = test.rfind('/') + 1;
        if (seen.insert(test.substr(0, last) + wrappers[test.substr(last)]).second) {
            chosen.insert(test);
        }
    }
    return chosen;
}

/// Whether tests that noticed a mutation pass through every wrapper without one. (kleidiai_test runs all of them
/// without wrappers.)
bool passes_without_mutations() {
    mutants::mutation = "none";
    failures->tests_of.clear();
    if (every_test) {
        std::string all;
        for (const char* tests : {kTestsOfMatmul, kTestsOfDwconv, kTestsOfPackers, kTestsOfRules, kTestsOfEmptyCalls}) {
            all += std::string(tests) + ":";
        }
        GTEST_FLAG_SET(filter, all + kButNotEndToEnd);
    }
    static const std::set<std::string> chosen = one_for_each_wrapper();
    test::leave_out = [](const char*) {
        return chosen.count(full_name(*testing::UnitTest::GetInstance()->current_test_info())) == 0;
    };
    if (RUN_ALL_TESTS() == 0) {
        return true;
    }
    std::puts("the tests fail without any mutation");
    for (const auto& [name, tests] : failures->tests_of) {
        std::printf("    %s: %s ...\n", name.c_str(), tests.begin()->c_str());
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    every_test = GTEST_FLAG_GET(filter) == "*";
    GTEST_FLAG_SET(catch_exceptions, false);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    failures = new Failures;
    listeners.Append(failures);
    if (every_test) {  // a filter for each mutation
        listeners.Append(new test::ForgetFilter);
    }
    test::install_fault_handlers();
    test::substitute_kernel = wrapper_of;
    test::substitute_packer = wrapper_of;
    test::leave_out = needs_no_test;

    const auto wanted = [&](const Mutation& m) {
        return (argc == 1 || std::find(argv + 1, argv + argc, std::string(m.name)) != argv + argc) &&
               (!m.needs_sme || kai_cpu_sme_bytes() > 0);
    };
    bool good = true;
    for (const Mutation& m : kMutations) {
        good = (!wanted(m) || try_mutation(m, false)) && good;
    }
    for (const Mutation* depthwise : {mutants::kDwconvMutations, mutants::kDwconvTilesMutations}) {
        for (const Mutation* m = depthwise; m->name != nullptr; ++m) {
            good = (!wanted(*m) || try_mutation(*m, true)) && good;
        }
    }
    good = passes_without_mutations() && good;
    return good ? 0 : 1;
}
