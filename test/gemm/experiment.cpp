// SPDX-License-Identifier: Apache-2.0
#include "test/gemm/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <ostream>

#include "kai/call.hpp"
#include "kai/kai_call.h"
#include "test/reference/float16.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/threads.hpp"

namespace test::gemm {

// ---- elements ----

size_t size_of(kai_datatype type) {
    return type == kai_dt_f32 ? 4 : type == kai_dt_int8 ? 1 : 2;
}

float load(const void* address, kai_datatype type) {
    uint16_t half;
    std::memcpy(&half, address, type == kai_dt_int8 ? 1 : 2);
    switch (type) {
        case kai_dt_int8:
            return *static_cast<const int8_t*>(address);
        case kai_dt_f16:
            return reference::f32_from_f16(half);
        case kai_dt_bf16:
            return reference::f32_from_bf16(half);
        default: {
            float x;
            std::memcpy(&x, address, sizeof(x));
            return x;
        }
    }
}

void store(void* address, float x, kai_datatype type) {
    if (type == kai_dt_int8) {
        *static_cast<int8_t*>(address) = static_cast<int8_t>(x);
    } else if (type == kai_dt_f32) {
        std::memcpy(address, &x, sizeof(x));
    } else {
        const uint16_t half = type == kai_dt_f16 ? reference::f16_from_f32(x) : reference::bf16_from_f32(x);
        std::memcpy(address, &half, sizeof(half));
    }
}

namespace {

float rounded(float x, kai_datatype type) {
    uint8_t bytes[4];
    store(bytes, x, type);
    return load(bytes, type);
}

kai_datatype type_named(const char* source) {
    return std::strcmp(source, "f16") == 0    ? kai_dt_f16
           : std::strcmp(source, "bf16") == 0 ? kai_dt_bf16
           : std::strcmp(source, "f32") == 0  ? kai_dt_f32
                                              : kai_dt_int8;
}

size_t ceil_div(size_t a, size_t b) {
    return (a + b - 1) / b;
}

constexpr uint8_t kGap = 0xC3;  // gaps of C
constexpr uint8_t kNan = 0xFF;  // gaps of A and B, workspaces: NaN in every type

}  // namespace

// ---- case ----

size_t Case::all_rows() const {
    return std::accumulate(rows.begin(), rows.end(), size_t{0});
}

const char* name_of(kai_gemm_kind kind) {
    constexpr const char* names[] = {
        "DENSE",           "INT8_CHANNEL", "INT4_CHANNEL",   "INT2_CHANNEL", "INT4_BLOCK",   "INT4_BLOCK_F16",
        "INT4_BLOCK_ZERO", "INT8_STATIC",  "INT8_BLOCK_F16", "UINT8_LOWP",   "INT8_LOWP",    "GGUF",
        "INT2_STATIC",     "INT4_TABLE",   "UINT4_BLOCK",    "FLOAT_TABLE",  "F8E4M3_BLOCK", "F8E5M2_BLOCK"};
    static_assert(std::size(names) == KAI_GEMM_KIND_COUNT);
    return names[kind];
}

bool has_blocks(kai_gemm_kind kind) {
    return kind == KAI_GEMM_INT4_BLOCK || kind == KAI_GEMM_INT4_BLOCK_F16 || kind == KAI_GEMM_INT4_BLOCK_ZERO ||
           kind == KAI_GEMM_INT8_BLOCK_F16 || kind == KAI_GEMM_INT4_TABLE || kind == KAI_GEMM_UINT4_BLOCK ||
           kind == KAI_GEMM_FLOAT_TABLE || kind == KAI_GEMM_F8E4M3_BLOCK || kind == KAI_GEMM_F8E5M2_BLOCK;
}

const char* name_of(kai_datatype type) {
    return type == kai_dt_f32 ? "f32" : type == kai_dt_f16 ? "f16" : type == kai_dt_bf16 ? "bf16" : "int8";
}

std::ostream& operator<<(std::ostream& out, const Case& c) {
    const kai_gemm_problem& p = c.p;
    out << name_of(p.b_kind) << ' ' << p.m << 'x' << p.n << 'x' << p.k << " batch " << p.batch;
    if (p.groups) {
        out << " rows {";
        for (const size_t rows : c.rows) {
            out << ' ' << rows;
        }
        out << " }" << (c.a_rows.empty() ? "" : " gathered from ");
        if (!c.a_rows.empty()) {
            out << c.a_row_count;
        }
        if (p.scatters) {
            out << (c.c_weights.empty() ? " scattered to " : " weighted and scattered to ") << c.c_row_count;
        }
    } else {
        out << " rows " << c.m;
    }
    out << ", " << name_of(p.a_type) << (p.a_transposed ? "^T" : "") << " * ";
    out << (p.b_kind == KAI_GEMM_DENSE ? name_of(p.b_type) : "B") << (p.b_transposed ? "^T" : "") << " -> ";
    out << name_of(p.c_type) << (p.c_transposed != 0 ? "^T" : "") << (p.b_constant ? ", constant B" : ", variable B")
        << (p.b_per_matrix ? " per matrix" : "");
    if (has_blocks(p.b_kind)) {
        out << ", bl " << p.bl;
    }
    out << (p.bias ? ", bias" : "") << ", alpha " << p.alpha << ", beta " << p.beta << ", clamp " << p.clamp_min << ' '
        << p.clamp_max << ", gaps " << c.a_gap << ' ' << c.b_gap << ' ' << c.c_gap << ' ' << c.matrix_gap
        << (c.explicit_strides ? " explicit" : "") << (c.a_table ? ", table of A" : "")
        << (c.b_table ? ", table of B" : "") << (c.c_table ? ", table of C" : "")
        << (p.allow_bf16 ? ", bf16 allowed" : "") << (p.allow_f16 ? ", f16 allowed" : "") << ", units " << p.units
        << " (SME " << p.sme_units << ")";
    if (p.b_kind == KAI_GEMM_INT4_CHANNEL) {
        out << ", zero point " << int{c.zero_point};
    }
    if (c.a_power != 0) {
        out << ", A times 2^" << c.a_power;
    }
    if (p.pin != nullptr) {
        out << ", pin " << p.pin;
    }
    if (p.format != nullptr) {
        out << ", format " << p.format->name << ' ' << p.format->nr << ' ' << p.format->kr << ' ' << p.format->sr;
    }
    return out << (c.numbers == Numbers::exact ? ", exact" : ", random") << " numbers, seed " << c.seed
               << (c.flush == Flush::end ? ", guarded end" : ", guarded start");
}

std::vector<uint8_t> packed_from_the_last_unit(const kai_gemm_plan& plan, const kai_gemm_weights& w) {
    const GuardedBuffer packed(plan.packed_b_size, Flush::start, 0xFF),
        workspace(plan.pack_workspace_size, Flush::start, 0xFF);
    for (size_t unit = plan.pack_units; unit-- > 0;) {
        EXPECT_EQ(
            kai_gemm_pack_b_unit(&plan, 0, &w, packed.data(), packed.size(), workspace.data(), workspace.size(), unit),
            KAI_GEMM_OK);
    }
    return packed.bytes();
}

std::vector<size_t> sizes_around(size_t step) {
    std::vector<size_t> sizes = {0, 1, 2, step, step + 1, 97, 103};
    if (step > 1) {
        sizes.push_back(step - 1);
    }
    return sizes;
}

size_t case_count() {
    const char* text = std::getenv("KLEIDIAI_GEMM_CASES");
    return text != nullptr ? std::strtoul(text, nullptr, 10) : 300;
}

Case random_case(kai_gemm_kind kind, Random& random, const char* pin, const kai_gemm_format* format) {
    const auto one_of = [&](const auto& values) { return *(std::begin(values) + random.next() % std::size(values)); };
    const auto chance = [&](int of) { return random.integer(1, of) == 1; };
    Case c;
    c.seed = random.next();
    kai_gemm_problem& p = c.p;
    p.b_kind = kind;
    p.pin = pin, p.format = format;
    constexpr kai_datatype kTypes[] = {kai_dt_f32, kai_dt_f32, kai_dt_f16, kai_dt_bf16};
    p.a_type = c.is_static() ? kai_dt_int8 : one_of(kTypes);
    p.b_type = one_of(kTypes);
    p.c_type = c.is_static() ? kai_dt_int8 : one_of(kTypes);
    p.a_transposed = chance(3);
    switch (kind) {
        case KAI_GEMM_INT2_CHANNEL:
        case KAI_GEMM_INT4_BLOCK_F16:
        case KAI_GEMM_INT4_BLOCK_ZERO:
        case KAI_GEMM_INT8_BLOCK_F16:
            p.b_transposed = true;
            break;
        case KAI_GEMM_INT8_STATIC:
            break;
        default:
            p.b_transposed = chance(2);
    }
    p.b_constant = kind != KAI_GEMM_DENSE || !chance(3);
    p.bias = chance(2);
    if (kind == KAI_GEMM_DENSE) {
        p.allow_bf16 = chance(4);
        p.allow_f16 = chance(4);
    }
    if (!c.is_static() && !chance(3)) {
        constexpr float kFactors[] = {0, 1, -0.5F};
        p.alpha = one_of(kFactors);
        p.beta = one_of(kFactors);
    }
    switch (random.integer(0, 5)) {
        case 0:
            p.clamp_min = -20.5F;
            break;
        case 1:
            p.clamp_max = 30.25F;
            break;
        case 2:
            p.clamp_min = -20.5F, p.clamp_max = 30.25F;
            break;
        default:
            break;
    }
    if (c.is_static()) {
        p.a_zero_point = random.integer(-128, 127);
        p.c_zero_point = random.integer(-128, 127);
        p.multiplier = 0.0625F;
        if (chance(2)) {
            p.c_min = random.integer(-128, 0), p.c_max = random.integer(0, 127);
        }
    }
    constexpr size_t kUnits[] = {1, 1, 2, 3, 8};
    p.units = p.sme_units = one_of(kUnits);
    p.bl = has_blocks(kind) ? (kind == KAI_GEMM_INT4_BLOCK ? size_t{32} << random.integer(0, 2) : 32) : 0;
    if (chance(8)) {
        p.l1_bytes = 4096, p.l2_bytes = 16384;
    }

    // Sizes around the steps of the kernel.
    p.m = p.n = 64;
    p.k = has_blocks(kind) ? p.bl : 64;
    const kai_gemm_problem sizes = p;
    kai_gemm_problem probe = sizes;
    probe.alpha = 1;
    kai_gemm_plan plan;
    const kai_ukernel* u = kai_gemm_make_plan(&probe, &plan) == KAI_GEMM_OK ? plan.gemm.ukernel : nullptr;
    p.n = one_of(sizes_around(u != nullptr ? u->get_n_step() : 8));
    p.k = one_of(sizes_around(u != nullptr ? u->get_kr() : 8));
    if (has_blocks(kind) || kind == KAI_GEMM_INT2_CHANNEL) {
        p.k = static_cast<size_t>(random.integer(chance(8) ? 0 : 1, 5)) * (has_blocks(kind) ? p.bl : 32);
        p.k = std::min<size_t>(p.k, has_blocks(kind) ? 256 / p.bl * p.bl : 256);
    }
    const std::vector<size_t> rows = sizes_around(u != nullptr ? u->get_m_step() : 4);
    p.batch = chance(2) ? 1 : static_cast<size_t>(random.integer(chance(8) ? 0 : 1, 5));
    p.groups = chance(5);
    p.b_per_matrix = p.batch > 1 ? chance(2) : chance(8);
    if (p.groups) {
        for (size_t i = 0; i < p.batch; ++i) {
            c.rows.push_back(chance(4) ? 0 : chance(2) ? one_of(rows) : static_cast<size_t>(random.integer(0, 5)));
        }
        p.m = c.all_rows();
        if (chance(2)) {
            c.a_row_count = static_cast<size_t>(random.integer(1, 40));
            for (size_t i = 0; i < p.m; ++i) {
                c.a_rows.push_back(random.next() % c.a_row_count);
            }
            if (c.a_rows.empty()) {
                c.a_row_count = 0;
            }
        }
        p.scatters = !c.is_static() && p.beta != -0.5F && chance(2);
        if (p.scatters) {
            c.c_row_count = static_cast<size_t>(random.integer(1, 20));
            constexpr float kWeights[] = {0, 1, -2, 0.5F};
            const bool weighted = chance(2);
            for (size_t i = 0; i < p.m; ++i) {
                c.c_rows.push_back(random.next() % c.c_row_count);
                if (weighted) {
                    c.c_weights.push_back(one_of(kWeights));
                }
            }
        }
    } else {
        c.m = p.m = one_of(rows);
    }
    p.m += chance(3) ? static_cast<size_t>(random.integer(1, 40)) : 0;  // more than the run has
    p.c_transposed = !c.is_static() && !p.scatters && chance(6) ? 1 : 0;

    const auto gap = [&] { return chance(2) ? 0 : static_cast<size_t>(random.integer(1, 9)); };
    c.a_gap = gap(), c.c_gap = gap();
    const bool may_have_gaps = kind == KAI_GEMM_DENSE || is_static(kind) || kind == KAI_GEMM_INT4_BLOCK ||
                               ((kind == KAI_GEMM_INT8_CHANNEL || kind == KAI_GEMM_INT4_CHANNEL) && !p.b_transposed);
    c.b_gap = may_have_gaps ? gap() : 0;
    c.matrix_gap = gap();
    c.explicit_strides = chance(2);
    c.a_table = !p.groups && chance(3), c.c_table = !p.groups && chance(3), c.b_table = chance(3);
    c.default_lut = chance(2);
    c.zero_point = chance(2) ? 8 : 0;
    c.flush = chance(2) ? Flush::end : Flush::start;
    c.numbers = chance(2) ? Numbers::random : Numbers::exact;
    return c;
}

// ---- memory ----

Matrices::Matrices(
    size_t count, size_t rows, size_t row, size_t gap, size_t matrix_gap, bool table, Flush flush, uint8_t poison) {
    ld = row + gap;
    const size_t one = rows == 0 ? 0 : (rows - 1) * ld + row;
    stride = (rows == 0 ? 0 : rows * ld) + matrix_gap;
    if (table) {
        for (size_t i = 0; i < count; ++i) {
            starts.push_back(buffers.emplace_back(one, flush, poison).data());
        }
    } else {
        uint8_t* data = buffers.emplace_back(count == 0 ? 0 : (count - 1) * stride + one, flush, poison).data();
        for (size_t i = 0; i < count; ++i) {
            starts.push_back(data + i * stride);
        }
    }
}

namespace {

template <typename T>
void* keep(std::deque<GuardedBuffer>& buffers, const std::vector<T>& values, Flush flush) {
    GuardedBuffer& buffer = buffers.emplace_back(values.size() * sizeof(T), flush);
    if (!values.empty()) {
        std::memcpy(buffer.data(), values.data(), buffer.size());
    }
    return buffer.data();
}

}  // namespace

Experiment::Experiment(const Case& c) : of(c) {
    Random random(c.seed);
    make_a(random);
    make_b(random);
    make_c(random);
    x.m = c.m;
    x.lut = lut_.empty() ? nullptr : static_cast<const int32_t*>(keep(others_, lut_, c.flush));
    for (kai_gemm_weights& w : weights) {
        w.lut = x.lut;
    }
    if (c.p.groups) {
        x.rows = static_cast<const size_t*>(keep(others_, c.rows, c.flush));
        if (!c.a_rows.empty()) {
            x.a_rows = static_cast<const size_t*>(keep(others_, c.a_rows, c.flush));
            x.a_row_count = c.a_row_count;
        }
        if (c.p.scatters) {
            x.c_rows = static_cast<const size_t*>(keep(others_, c.c_rows, c.flush));
            x.c_row_count = c.c_row_count;
            x.c_weights =
                c.c_weights.empty() ? nullptr : static_cast<const float*>(keep(others_, c.c_weights, c.flush));
        }
    }
}

const float* Experiment::a_row(size_t matrix, size_t row) const {
    size_t source = row;
    if (of.p.groups) {
        source += std::accumulate(of.rows.begin(), of.rows.begin() + static_cast<ptrdiff_t>(matrix), size_t{0});
        source = of.a_rows.empty() ? source : of.a_rows[source];
        matrix = 0;
    }
    return a_.data() + (matrix * of.source_rows() + source) * of.p.k;
}

void Experiment::make_a(Random& random) {
    const kai_gemm_problem& p = of.p;
    const size_t rows = of.source_rows(), count = of.a_count();
    a_.resize(count * rows * p.k);
    for (size_t r = 0; r < count * rows; ++r) {
        float* row = a_.data() + r * p.k;
        const bool zeros = random.integer(0, 9) == 0;
        for (size_t i = 0; i < p.k; ++i) {
            row[i] = of.is_static()                  ? static_cast<float>(random.integer(-128, 127))
                     : of.numbers == Numbers::random ? rounded(random.real(-2, 2), p.a_type)
                     : p.b_kind == KAI_GEMM_DENSE    ? static_cast<float>(random.integer(-3, 3))
                     : zeros                         ? 0
                                                     : static_cast<float>(random.integer(-127, 127));
        }
        if (of.numbers == Numbers::random || of.is_static() || p.b_kind == KAI_GEMM_DENSE || zeros || p.k == 0) {
            continue;
        }
        // Bounds that make the quantisation exact: a scale of 1.
        if (has_blocks(p.b_kind) && p.b_kind != KAI_GEMM_INT4_BLOCK) {
            for (size_t b = 0; b < p.k; b += p.bl) {
                row[b + random.next() % p.bl] = 127;
            }
        } else if (p.k == 1) {
            row[0] = random.integer(0, 1) != 0 ? 255 : -255;
        } else {
            const size_t i = random.next() % p.k;
            row[i] = 127;
            row[(i + 1 + random.next() % (p.k - 1)) % p.k] = -128;
        }
    }
    for (float& value : a_) {
        value = std::ldexp(value, of.a_power);
    }
    const size_t size = size_of(p.a_type), lines = p.a_transposed ? p.k : rows, length = p.a_transposed ? rows : p.k;
    Matrices& memory = a_memory_.emplace_back(
        count, lines, length * size, of.a_gap * size, of.matrix_gap * size, of.a_table, of.flush, kNan);
    for (size_t i = 0; i < count; ++i) {
        auto* to = static_cast<uint8_t*>(memory.starts[i]);
        for (size_t r = 0; r < rows; ++r) {
            for (size_t kk = 0; kk < p.k; ++kk) {
                const size_t at = p.a_transposed ? kk * memory.ld + r * size : r * memory.ld + kk * size;
                store(to + at, a_[(i * rows + r) * p.k + kk], p.a_type);
            }
        }
    }
    x.a.ld = of.a_gap != 0 || of.explicit_strides ? memory.ld : 0;
    x.a.stride = of.matrix_gap != 0 || of.explicit_strides ? memory.stride : 0;
    if (of.a_table) {
        x.a.table = static_cast<const void* const*>(keep(others_, memory.starts, of.flush));
    } else {
        x.a.data = memory.buffers[0].data();
    }
}

size_t Experiment::b_line(kai_datatype type, bool n_lines) const {
    const kai_gemm_problem& p = of.p;
    const size_t length = n_lines ? p.k : p.n;
    switch (p.b_kind) {
        case KAI_GEMM_DENSE:
            return length * size_of(type);
        case KAI_GEMM_INT8_CHANNEL:
        case KAI_GEMM_INT8_STATIC:
            return length;
        case KAI_GEMM_INT2_CHANNEL:
        case KAI_GEMM_INT2_STATIC:
            return ceil_div(length, 4);
        case KAI_GEMM_INT4_BLOCK_F16:
            return length / p.bl * (2 + p.bl / 2);
        case KAI_GEMM_INT8_BLOCK_F16:
            return length / p.bl * (2 + p.bl);
        default:
            return ceil_div(length, 2);
    }
}

/// Lines without gaps.
std::vector<uint8_t> Experiment::encode_b(size_t matrix, kai_datatype type, bool n_lines) const {
    const kai_gemm_problem& p = of.p;
    const Columns& b = b_[matrix];
    const size_t lines = n_lines ? p.n : p.k, length = n_lines ? p.k : p.n, row = b_line(type, n_lines);
    std::vector<uint8_t> bytes(lines * row);
    for (size_t line = 0; line < lines; ++line) {
        uint8_t* to = bytes.data() + line * row;
        for (size_t i = 0; i < length; ++i) {
            const size_t n = n_lines ? line : i, kk = n_lines ? i : line, at = n * p.k + kk;
            const auto nibble = [&](size_t byte, bool high, int added) {
                to[byte] = static_cast<uint8_t>(to[byte] | ((b.q[at] + added) & 15) << (high ? 4 : 0));
            };
            switch (p.b_kind) {
                case KAI_GEMM_DENSE:
                    store(to + i * size_of(type), b.values[at], type);
                    break;
                case KAI_GEMM_INT8_CHANNEL:
                case KAI_GEMM_INT8_STATIC:
                    to[i] = static_cast<uint8_t>(b.q[at]);
                    break;
                case KAI_GEMM_INT4_CHANNEL:
                    nibble(i / 2, i % 2 == 1, of.zero_point);
                    break;
                case KAI_GEMM_INT2_CHANNEL:
                    to[i / 4] = static_cast<uint8_t>(to[i / 4] | b.q[at] << i % 4 * 2);
                    break;
                case KAI_GEMM_INT2_STATIC: {
                    const size_t shift = i % 4 * 2,
                                 others = i + 1 == length ? 0xFF << shift & 0xFF : 0;  // are not read
                    to[i / 4] =
                        static_cast<uint8_t>(to[i / 4] | (others & ~(size_t{3} << shift)) | (b.q[at] + 2) << shift);
                    break;
                }
                case KAI_GEMM_INT4_BLOCK:
                    nibble(i / 2, i % 2 == 1, 8);
                    break;
                case KAI_GEMM_INT4_BLOCK_ZERO:
                    nibble(i / 2, i % 2 == 0, 8);
                    break;
                case KAI_GEMM_INT8_BLOCK_F16: {
                    const size_t block = i / p.bl, start = block * (2 + p.bl);
                    const uint16_t scale = reference::f16_from_f32(b.scale[n * (p.k / p.bl) + block]);
                    std::memcpy(to + start, &scale, sizeof(scale));
                    to[start + 2 + i % p.bl] = static_cast<uint8_t>(b.q[at]);
                    break;
                }
                default:
                    break;  // lowp_test.cpp
                case KAI_GEMM_INT4_BLOCK_F16: {
                    const size_t block = i / p.bl, j = i % p.bl, start = block * (2 + p.bl / 2);
                    const uint16_t scale = reference::f16_from_f32(b.scale[n * (p.k / p.bl) + block]);
                    std::memcpy(to + start, &scale, sizeof(scale));
                    nibble(start + 2 + j % (p.bl / 2), j >= p.bl / 2, 8);
                    break;
                }
            }
        }
    }
    return bytes;
}

void Experiment::make_b(Random& random) {
    const kai_gemm_problem& p = of.p;
    const bool exact = of.numbers == Numbers::exact, dense = p.b_kind == KAI_GEMM_DENSE;
    const size_t count = of.b_count(), row = b_line(p.b_type, p.b_transposed), lines = p.b_transposed ? p.n : p.k;
    const size_t blocks = has_blocks(p.b_kind) ? p.k / p.bl : 1;
    if (p.b_kind == KAI_GEMM_INT2_CHANNEL && !of.default_lut) {
        lut_ = {random.integer(-8, 7), random.integer(-8, 7), random.integer(-8, 7), random.integer(-8, 7)};
    }
    const size_t gap = of.b_gap * (dense ? size_of(p.b_type) : 1);
    Matrices& memory = b_memory_.emplace_back(
        count, lines, row, gap, of.matrix_gap * (dense ? size_of(p.b_type) : 1), of.b_table || p.b_constant, of.flush,
        kNan);
    const bool is_int8 =
        p.b_kind == KAI_GEMM_INT8_CHANNEL || p.b_kind == KAI_GEMM_INT8_BLOCK_F16 || p.b_kind == KAI_GEMM_INT8_STATIC;
    const bool is_code = p.b_kind == KAI_GEMM_INT2_STATIC;
    for (size_t i = 0; i < count; ++i) {
        Columns& b = b_.emplace_back();
        const int smallest = is_int8 ? -128 : p.b_kind == KAI_GEMM_INT2_CHANNEL ? 0 : is_code ? -2 : -8;
        const int largest = is_int8 ? 127 : p.b_kind == KAI_GEMM_INT2_CHANNEL ? 3 : is_code ? 1 : 7;
        for (size_t j = 0; j < p.n * p.k; ++j) {
            b.values.push_back(
                exact ? static_cast<float>(random.integer(-3, 3)) : rounded(random.real(-2, 2), p.b_type));
            b.q.push_back(static_cast<int8_t>(random.integer(smallest, largest)));
        }
        for (size_t j = 0; j < p.n * blocks; ++j) {
            const float power = std::ldexp(1.0F, random.integer(-6, -4) - (is_int8 ? 3 : 0));
            b.scale.push_back(rounded(exact ? power : random.real(0.01F, 0.1F), kai_dt_bf16));
            b.zero.push_back(exact ? static_cast<float>(random.integer(-32, 32)) / 64 : random.real(-1, 1));
        }
        for (size_t j = 0; j < p.n; ++j) {
            const int value = random.integer(-9, 9);
            b.bias.push_back(static_cast<float>(value) * (exact ? 1 : 0.37F));
            b.int_bias.push_back(value * 100);
        }
        const std::vector<uint8_t> bytes = encode_b(i, p.b_type, p.b_transposed);
        for (size_t line = 0; line < lines && row != 0; ++line) {
            std::memcpy(static_cast<uint8_t*>(memory.starts[i]) + line * memory.ld, &bytes[line * row], row);
        }

        kai_gemm_weights w = {};
        w.b = memory.starts[i];
        w.ldb = gap != 0 || of.explicit_strides ? memory.ld : 0;
        w.zero_point = of.zero_point;
        if (p.b_kind == KAI_GEMM_INT4_BLOCK) {
            const size_t scale_gap = of.b_gap % 3;
            for (size_t n = 0; n < p.n; ++n) {
                for (size_t j = 0; j < blocks + (n + 1 < p.n ? scale_gap : 0); ++j) {
                    b.scale_bf16.push_back(
                        j < blocks ? reference::bf16_from_f32(b.scale[n * blocks + j]) : uint16_t{0xFFFF});
                }
            }
            w.scale = keep(others_, b.scale_bf16, of.flush);
            w.scale_stride = scale_gap != 0 || of.explicit_strides ? (blocks + scale_gap) * 2 : 0;
        } else if (!dense && p.b_kind != KAI_GEMM_INT4_BLOCK_F16 && p.b_kind != KAI_GEMM_INT8_BLOCK_F16) {
            w.scale = keep(others_, b.scale, of.flush);
        }
        if (p.b_kind == KAI_GEMM_INT4_BLOCK_ZERO) {
            w.zero = static_cast<const float*>(keep(others_, b.zero, of.flush));
        }
        if (p.bias) {
            w.bias = of.is_static() ? keep(others_, b.int_bias, of.flush) : keep(others_, b.bias, of.flush);
        }
        weights.push_back(w);
    }
    if (!p.b_constant) {
        for (Columns& b : b_) {
            b.bias = b_[0].bias;  // shared
        }
        x.bias = weights.empty() ? nullptr : weights[0].bias;
        x.b.ld = gap != 0 || of.explicit_strides ? memory.ld : 0;
        x.b.stride = of.matrix_gap != 0 || of.explicit_strides ? memory.stride : 0;
        if (of.b_table) {
            x.b.table = static_cast<const void* const*>(keep(others_, memory.starts, of.flush));
        } else {
            x.b.data = memory.buffers[0].data();
        }
    }
}

void Experiment::make_c(Random& random) {
    const kai_gemm_problem& p = of.p;
    const size_t size = size_of(p.c_type), count = p.groups ? 1 : p.batch, rows = of.result_rows();
    const bool turned = p.c_transposed != 0;
    Matrices& memory = c_memory_.emplace_back(
        count, turned ? p.n : rows, (turned ? rows : p.n) * size, of.c_gap * size, of.matrix_gap * size, of.c_table,
        of.flush, kGap);
    for (size_t i = 0; i < count; ++i) {
        for (size_t r = 0; r < rows; ++r) {
            for (size_t n = 0; n < p.n; ++n) {
                uint8_t* to = static_cast<uint8_t*>(memory.starts[i]) + c_offset(r, n);
                const float old = static_cast<float>(random.integer(-32, 32)) / 4;
                if (p.beta != 0) {
                    store(to, old, p.c_type);
                } else {
                    std::memset(to, kNan, size);  // not to be read
                }
            }
        }
    }
    for (const GuardedBuffer& buffer : memory.buffers) {
        c_before_.push_back(buffer.bytes());
    }
    x.c.ld = of.c_gap != 0 || of.explicit_strides ? memory.ld : 0;
    x.c.stride = of.matrix_gap != 0 || of.explicit_strides ? memory.stride : 0;
    if (of.c_table) {
        x.c.table = static_cast<void* const*>(keep(others_, memory.starts, of.flush));
    } else {
        x.c.data = memory.buffers[0].data();
    }
}

void Experiment::reset_c() {
    for (size_t i = 0; i < c_before_.size(); ++i) {
        std::copy(c_before_[i].begin(), c_before_[i].end(), c_memory_[0].buffers[i].data());
    }
}

std::vector<uint8_t> Experiment::c_bytes() const {
    std::vector<uint8_t> all;
    for (const GuardedBuffer& buffer : c_memory_[0].buffers) {
        all.insert(all.end(), buffer.data(), buffer.data() + buffer.size());
    }
    return all;
}

size_t Experiment::c_offset(size_t row, size_t n) const {
    const size_t size = size_of(of.p.c_type), ld = c_memory_[0].ld;
    return of.p.c_transposed != 0 ? n * ld + row * size : row * ld + n * size;
}

std::vector<uint8_t> Experiment::c_matrix(size_t matrix) const {
    const kai_gemm_problem& p = of.p;
    const Matrices& memory = c_memory_[0];
    const size_t size = size_of(p.c_type);
    size_t first = 0;
    if (p.groups) {
        first = std::accumulate(of.rows.begin(), of.rows.begin() + static_cast<ptrdiff_t>(matrix), first);
    }
    std::vector<uint8_t> elements;
    for (size_t r = first; r < first + of.matrix_rows(matrix); ++r) {
        for (size_t n = 0; n < p.n; ++n) {
            const auto* from = static_cast<const uint8_t*>(memory.starts[p.groups ? 0 : matrix]) + c_offset(r, n);
            elements.insert(elements.end(), from, from + size);
        }
    }
    return elements;
}

// ---- plan, pack, run ----

kai_gemm_status Experiment::make_plan() {
    packed.clear(), workspace.clear(), pack_workspace.clear();
    const kai_gemm_status status = checked_call(kai_gemm_make_plan, &of.p, &plan);
    if (status != KAI_GEMM_OK) {
        return status;
    }
    // Aligned to 64 bytes and of exact size: the end is guarded if the size allows it.
    const auto aligned = [](size_t size) { return size % 64 == 0 ? Flush::end : Flush::start; };
    workspace.emplace_back(plan.workspace_size, aligned(plan.workspace_size), kNan);
    pack_workspace.emplace_back(plan.pack_workspace_size, aligned(plan.pack_workspace_size), kNan);
    if (of.p.b_constant) {
        packed.emplace_back(plan.packed_b_size, plan.packed_b_size % 4 == 0 ? of.flush : Flush::start, kNan);
        x.b.data = packed[0].data();
        if (of.b_table) {
            std::vector<void*> starts;
            for (size_t i = 0; i < of.b_count(); ++i) {
                starts.push_back(packed[0].data() + i * plan.packed_b_stride);
            }
            x.b.table = static_cast<const void* const*>(keep(others_, starts, of.flush));
            x.b.data = nullptr;
        }
    }
    return KAI_GEMM_OK;
}

void parallel_for(void* pool, size_t count, kai_gemm_task* task, void* task_context) {
    const auto& how = *static_cast<const Schedule*>(pool);
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    if (how.shuffle != 0) {
        Random random(how.shuffle);
        for (size_t i = count; i > 1; --i) {
            std::swap(order[i - 1], order[random.next() % i]);
        }
    }
    std::atomic<size_t> next{0};
    const auto work = [&] {
        for (size_t i = next++; i < count; i = next++) {
            task(task_context, order[i]);
        }
    };
    if (how.threads <= 1) {
        work();
        return;
    }
    run_threads(how.threads, [&](size_t) { work(); });
}

namespace {

/// Calls f(i) for all i in the order of a schedule.
template <typename F>
void in_schedule(const Schedule& how, size_t count, const F& f) {
    Schedule copy = how;
    parallel_for(
        &copy, count, [](void* context, size_t i) { (*static_cast<const F*>(context))(i); }, const_cast<F*>(&f));
}

}  // namespace

kai_gemm_status Experiment::pack(const Schedule& how) {
    if (!of.p.b_constant) {
        return KAI_GEMM_OK;
    }
    for (size_t i = 0; i < of.b_count(); ++i) {
        const auto arguments = [&](auto f, auto... rest) {
            return checked_call(
                f, &plan, i, &weights[i], packed[0].data(), packed[0].size(), pack_workspace[0].data(),
                pack_workspace[0].size(), rest...);
        };
        if (how.at_once) {
            Schedule copy = how;
            const kai_gemm_status status =
                arguments(kai_gemm_pack_b, how.threads > 1 ? &parallel_for : nullptr, static_cast<void*>(&copy));
            if (status != KAI_GEMM_OK) {
                return status;
            }
            continue;
        }
        std::atomic<int> worst{KAI_GEMM_OK};
        in_schedule(how, plan.pack_units, [&](size_t unit) {
            const kai_gemm_status status = arguments(kai_gemm_pack_b_unit, unit);
            if (status != KAI_GEMM_OK) {
                worst = status;
            }
        });
        if (worst != KAI_GEMM_OK) {
            return static_cast<kai_gemm_status>(worst.load());
        }
    }
    return KAI_GEMM_OK;
}

kai_gemm_status Experiment::run(const Schedule& how) {
    if (how.at_once) {
        Schedule copy = how;
        return checked_call(
            kai_gemm_run, &plan, &x, workspace[0].data(), workspace[0].size(),
            how.threads > 1 ? &parallel_for : nullptr, static_cast<void*>(&copy));
    }
    kai_gemm_work work;
    const kai_gemm_status status =
        checked_call(kai_gemm_begin, &plan, &x, workspace[0].data(), workspace[0].size(), &work);
    if (status != KAI_GEMM_OK) {
        return status;
    }
    std::atomic<int> worst{KAI_GEMM_OK};
    for (size_t phase = 0; phase < work.phases; ++phase) {
        in_schedule(how, work.units[phase], [&](size_t unit) {
            const kai_gemm_status one = checked_call(kai_gemm_run_unit, &work, phase, unit);
            if (one != KAI_GEMM_OK) {
                worst = one;
            }
        });
    }
    return static_cast<kai_gemm_status>(worst.load());
}

// ---- what C must be ----

const kai_gemm_kernel* Experiment::used() const {
    size_t most = of.m;
    if (of.p.groups) {
        most = of.rows.empty() ? 0 : *std::max_element(of.rows.begin(), of.rows.end());
    }
    return most <= 1 ? &plan.gemv : &plan.gemm;
}

/// Type of a product before it is scaled and added: f32, unless it is the result or sums may be f16.
kai_datatype Experiment::product_type() const {
    const kai_ukernel& u = *used()->ukernel;
    const bool f16_sums = of.p.allow_f16 && std::strncmp(u.lhs_format, "f16", 3) == 0;
    return plan.direct || f16_sums ? u.dst_type : kai_dt_f32;
}

/// The product as the kernel stores it, by one call for the whole matrix.
std::vector<uint8_t> Experiment::product_by_call(size_t matrix) const {
    const kai_gemm_problem& p = of.p;
    const kai_gemm_kernel& kernel = *used();
    const kai_ukernel& u = *kernel.ukernel;
    const size_t m = of.matrix_rows(matrix);
    kai_call call = {};
    call.ukernel = &u, call.lhs_packer = kernel.lhs_packer, call.rhs_packer = plan.rhs_packer;
    call.m = m, call.n = p.n, call.k = p.k, call.bl = p.bl, call.lut = x.lut;

    const kai_datatype row_type =
        type_named(kernel.lhs_packer != nullptr ? kernel.lhs_packer->source_format : u.lhs_format);
    const size_t size = row_type == kai_dt_int8 ? 1 : size_of(row_type);
    std::vector<uint8_t> lhs(m * p.k * size + 1);
    for (size_t r = 0; r < m; ++r) {
        for (size_t i = 0; i < p.k; ++i) {
            store(&lhs[(r * p.k + i) * size], a_row(matrix, r)[i], row_type);
        }
    }
    call.lhs = lhs.data(), call.lhs_stride = p.k * size;
    std::vector<uint8_t> lhs_packed(kai_call_lhs_packed_size(&call) + 1);
    kai_call_pack_lhs(&call, 0, m, lhs_packed.data());
    call.lhs_packed = lhs_packed.data();

    const size_t b_index = p.b_per_matrix ? matrix : 0;
    const Columns& b = b_[b_index];
    std::vector<uint8_t> rhs, rhs_packed;
    std::vector<uint16_t> bias_f16;
    if (plan.rhs_packer != nullptr) {
        const bool n_lines = !kai_call_rhs_is_kxn(plan.rhs_packer);
        const kai_datatype type = type_named(plan.rhs_packer->source_format);
        rhs = encode_b(b_index, type, n_lines);
        call.rhs = rhs.data();
        const kai_gemm_weights& w = weights[b_index];
        call.rhs_scale = w.scale, call.rhs_scale_stride = w.scale_stride;
        call.rhs_zero = w.zero, call.rhs_zero_point = of.zero_point;
        call.lhs_zero_point = p.a_zero_point, call.scale_multiplier = p.multiplier;
        if (p.bias && plan.direct) {
            for (const float value : b.bias) {
                bias_f16.push_back(reference::f16_from_f32(value));
            }
            const bool half = std::strstr(plan.rhs_packer->format, "biasf16") != nullptr;
            call.bias = of.is_static() ? static_cast<const void*>(b.int_bias.data())
                        : half         ? static_cast<const void*>(bias_f16.data())
                                       : b.bias.data();
        }
        rhs_packed.resize(kai_call_rhs_packed_size(&call) + 1);
        kai_call_pack_rhs(&call, 0, p.n, rhs_packed.data());
        call.rhs_packed = rhs_packed.data();
    } else {
        rhs = encode_b(b_index, p.b_type, p.b_transposed);
        call.rhs = rhs.data();
    }
    std::vector<uint8_t> product(m * p.n * size_of(u.dst_type) + 1);
    call.dst = product.data();
    if (plan.direct) {
        call.clamp = true, call.clamp_min = p.clamp_min, call.clamp_max = p.clamp_max;
        call.requantize = {p.c_min, p.c_max, p.c_zero_point};
    }
    kai_call_run(&call, 0, 0, m, p.n);
    EXPECT_EQ(u.dst_type, product_type()) << u.name << " rounds products before the last step";
    return product;
}

/// The product by its definition, in double, exactly representable until it is rounded to the type of the kernel.
std::vector<uint8_t> Experiment::exact_product(size_t matrix) const {
    const kai_gemm_problem& p = of.p;
    const Columns& b = b_[p.b_per_matrix ? matrix : 0];
    const kai_datatype type = product_type();
    const size_t m = of.matrix_rows(matrix), size = size_of(type), blocks = has_blocks(p.b_kind) ? p.k / p.bl : 1;
    std::vector<double> columns(p.n * p.k);
    constexpr int32_t kLut[] = {-2, -1, 0, 1};
    const int32_t* lut = lut_.empty() ? kLut : lut_.data();
    for (size_t i = 0; i < columns.size(); ++i) {
        const size_t n = i / p.k, block = has_blocks(p.b_kind) ? i % p.k / p.bl : 0;
        const double q = p.b_kind == KAI_GEMM_INT2_CHANNEL ? lut[b.q[i]] : b.q[i];
        columns[i] =
            p.b_kind == KAI_GEMM_DENSE ? static_cast<double>(b.values[i])
            : of.is_static()
                ? q
                : q * static_cast<double>(b.scale[n * blocks + block]) +
                      (p.b_kind == KAI_GEMM_INT4_BLOCK_ZERO ? static_cast<double>(b.zero[n * blocks + block]) : 0);
    }
    std::vector<uint8_t> product(m * p.n * size);
    for (size_t r = 0; r < m; ++r) {
        const float* a = a_row(matrix, r);
        for (size_t n = 0; n < p.n; ++n) {
            double sum = 0;
            for (size_t i = 0; i < p.k; ++i) {
                sum += (static_cast<double>(a[i]) - (of.is_static() ? p.a_zero_point : 0)) * columns[n * p.k + i];
            }
            uint8_t* to = &product[(r * p.n + n) * size];
            if (of.is_static()) {
                sum += p.bias ? b.int_bias[n] : 0;
                const float scale = b.scale[n] * p.multiplier;
                const double result = std::nearbyint(static_cast<float>(sum) * scale) + p.c_zero_point;
                const double saturated = std::min(std::max(result, -128.0), 127.0);
                store(to, static_cast<float>(std::min<double>(std::max<double>(saturated, p.c_min), p.c_max)), type);
                continue;
            }
            auto value = static_cast<float>(sum);
            if (plan.direct) {
                value += p.bias ? b.bias[n] : 0;
                value = std::min(std::max(value, p.clamp_min), p.clamp_max);
            }
            store(to, value, type);
        }
    }
    return product;
}

/// Rows of C to which rows of products were added; all others must be unchanged.
void Experiment::check_scattered() const {
    const kai_gemm_problem& p = of.p;
    const Matrices& memory = c_memory_[0];
    const size_t size = size_of(p.c_type);
    std::vector<uint8_t> want = c_before_[0];
    const auto at = [&](size_t row, size_t n) { return &want[of.c_rows[row] * memory.ld + n * size]; };
    const auto for_all = [&](auto f) {
        for (size_t row = 0; row < of.all_rows(); ++row) {
            for (size_t n = 0; n < p.n; ++n) {
                store(at(row, n), f(row, n), p.c_type);
            }
        }
    };
    for_all([&](size_t row, size_t n) { return p.beta == 0 ? 0 : load(at(row, n), p.c_type); });
    size_t row_of_all = 0;
    for (size_t i = 0; i < p.batch; ++i) {
        std::vector<uint8_t> product;
        kai_datatype type = kai_dt_f32;
        if (of.multiplies() && of.rows[i] != 0 && p.n != 0) {
            type = product_type();
            product = of.numbers == Numbers::exact ? exact_product(i) : product_by_call(i);
        }
        for (size_t r = 0; r < of.rows[i]; ++r, ++row_of_all) {
            for (size_t n = 0; n < p.n; ++n) {
                float value = product.empty() ? 0 : p.alpha * load(&product[(r * p.n + n) * size_of(type)], type);
                value += p.bias ? b_[p.b_per_matrix ? i : 0].bias[n] : 0;
                value *= of.c_weights.empty() ? 1 : of.c_weights[row_of_all];
                store(at(row_of_all, n), load(at(row_of_all, n), p.c_type) + value, p.c_type);
            }
        }
    }
    for_all(
        [&](size_t row, size_t n) { return std::min(std::max(load(at(row, n), p.c_type), p.clamp_min), p.clamp_max); });
    const std::vector<uint8_t> actual = memory.buffers[0].bytes();
    size_t wrong = 0;
    for (size_t row = 0; row < of.c_row_count; ++row) {
        for (size_t n = 0; n < p.n; ++n) {
            const size_t offset = row * memory.ld + n * size;
            const float is = load(&actual[offset], p.c_type), should = load(&want[offset], p.c_type);
            const bool listed =
                std::find(of.c_rows.begin(), of.c_rows.begin() + static_cast<ptrdiff_t>(of.all_rows()), row) !=
                of.c_rows.begin() + static_cast<ptrdiff_t>(of.all_rows());
            const bool same = listed ? is == should : std::memcmp(&actual[offset], &want[offset], size) == 0;
            if (!same && ++wrong == 1) {
                ADD_FAILURE() << "row " << row << " of C, column " << n << ": " << is << " instead of " << should;
            }
            std::memcpy(&want[offset], &actual[offset], size);
        }
    }
    EXPECT_LE(wrong, 1U) << "elements are wrong";
    EXPECT_TRUE(actual == want) << "bytes between the rows of C were written";
}

void Experiment::check() const {
    const kai_gemm_problem& p = of.p;
    if (p.scatters) {
        check_scattered();
        return;
    }
    const Matrices& memory = c_memory_[0];
    const size_t size = size_of(p.c_type), count = p.groups ? 1 : p.batch;
    std::vector<std::vector<uint8_t>> actual;
    for (const GuardedBuffer& buffer : memory.buffers) {
        actual.push_back(buffer.bytes());
    }
    size_t wrong = 0, row_of_c = 0;
    for (size_t i = 0; i < p.batch; ++i) {
        const size_t m = of.matrix_rows(i),
                     buffer = memory.buffers.size() == count ? i % std::max<size_t>(count, 1) : 0;
        if (m == 0 || p.n == 0) {
            continue;
        }
        std::vector<uint8_t> product;
        kai_datatype type = kai_dt_f32;
        if (of.multiplies()) {
            type = product_type();
            product = of.numbers == Numbers::exact ? exact_product(i) : product_by_call(i);
        }
        const std::vector<float>& bias = b_[p.b_per_matrix ? i : 0].bias;
        for (size_t r = 0; r < m; ++r, ++row_of_c) {
            const size_t matrix = p.groups ? 0 : i, row = p.groups ? row_of_c : r;
            const auto* start = static_cast<const uint8_t*>(memory.starts[matrix]);
            const auto first = static_cast<size_t>(start - memory.buffers[p.groups ? 0 : buffer].data());
            for (size_t n = 0; n < p.n; ++n) {
                const size_t offset = first + c_offset(row, n);
                uint8_t* is = &actual[p.groups ? 0 : buffer][offset];
                const uint8_t* was = &c_before_[p.groups ? 0 : buffer][offset];
                float want = product.empty() ? 0 : load(&product[(r * p.n + n) * size_of(type)], type);
                if (!plan.direct || product.empty()) {
                    want *= p.alpha;
                    want += p.bias ? bias[n] : 0;
                    want += p.beta != 0 ? p.beta * load(was, p.c_type) : 0;
                    want = std::min(std::max(want, p.clamp_min), p.clamp_max);
                }
                want = rounded(want, p.c_type);
                const float got = load(is, p.c_type);
                if (!(got == want) && ++wrong == 1) {
                    ADD_FAILURE() << "matrix " << i << ", row " << r << ", column " << n << ": " << got
                                  << " instead of " << want;
                }
                std::memcpy(is, was, size);
            }
        }
    }
    EXPECT_LE(wrong, 1U) << "elements are wrong";
    EXPECT_TRUE(actual == c_before_) << "bytes between the rows of C were written";
}

bool Experiment::succeeds(const Schedule& how) {
    const auto failures = [] { return testing::UnitTest::GetInstance()->current_test_info()->result()->Failed(); };
    const kai_gemm_status status = make_plan();
    if (status != KAI_GEMM_OK) {
        ADD_FAILURE() << "plan: " << kai_gemm_status_text(status);
        return false;
    }
    const kai_gemm_status packs = pack(how);
    EXPECT_EQ(packs, KAI_GEMM_OK) << kai_gemm_status_text(packs);
    const kai_gemm_status runs = run(how);
    EXPECT_EQ(runs, KAI_GEMM_OK) << kai_gemm_status_text(runs);
    if (packs == KAI_GEMM_OK && runs == KAI_GEMM_OK) {
        check();
    }
    return !failures();
}

}  // namespace test::gemm
