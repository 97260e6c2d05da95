// Every micro-kernel of the registry against the reference. Operands are packed by the reference, so that kernels are
// tested apart from the packers; one test goes through the library's packers.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>
#include <set>

#include "kai/kai_registry.h"
#include "test/reference/float16.hpp"
#include "test/reference/formats.hpp"
#include "test/reference/matmul.hpp"
#include "test/reference/quantise.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/operands.hpp"
#include "test/support/packing.hpp"
#include "test/support/subject.hpp"

using reference::Format;
using reference::Side;
using reference::Tile;
using test::checked_call;
using test::checked_call_as;
using test::Data;
using test::Flush;
using test::GuardedBuffer;
using test::Random;

namespace {

constexpr float kMax = FLT_MAX, kInf = INFINITY;
constexpr uint8_t kNan = 0xFF;  // dst before the call: NaN in every type
constexpr uint8_t kGap = 0x5A;  // between rows of dst

struct Clamp {
    float lo = -kInf, hi = kInf;
};

/// How the output lies in memory.
struct Output {
    size_t gap = 0;  // elements between the rows
    Flush flush = Flush::end;
};

/// What a kernel reads, each in a buffer of its exact size.
struct Operands {
    size_t m, n, k, bl;
    GuardedBuffer lhs, rhs, table;

    /// From the rows of two sides, packed by the reference.
    Operands(
        const Format& lhs_format, const Side& l, Tile lhs_tile, const Format& rhs_format, const Side& r, Tile rhs_tile,
        Flush flush)
        : Operands(
              l, r, reference::pack_for_kernel(lhs_format, l, lhs_tile),
              reference::pack_for_kernel(rhs_format, r, rhs_tile), flush) {
    }
    Operands(
        const Side& l, const Side& r, const std::vector<uint8_t>& packed_lhs, const std::vector<uint8_t>& packed_rhs,
        Flush flush = Flush::end)
        : m(l.rows),
          n(r.rows),
          k(r.k),
          bl(r.bl),
          lhs(packed_lhs, flush),
          rhs(packed_rhs, flush),
          table(bytes_of(r.table == kDefaultTable ? std::vector<int32_t>() : r.table), flush) {
    }

private:
    /// What kernels take in place of no table.
    static inline const std::vector<int32_t> kDefaultTable = {-2, -1, 0, 1};
    static std::vector<uint8_t> bytes_of(const std::vector<int32_t>& words) {
        const auto* first = reinterpret_cast<const uint8_t*>(words.data());
        return {first, first + words.size() * sizeof(int32_t)};
    }
};

class Matmul : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const bool lhs_has_blocks = u.signature == KAI_UKERNEL_MATMUL_BL;
    const bool has_blocks = lhs_has_blocks || u.signature == KAI_UKERNEL_MATMUL_RHS_BL;
    const bool has_table = u.signature == KAI_UKERNEL_MATMUL_LUT;
    const size_t element = kai_get_datatype_size_in_bytes(u.dst_type);
    const Format *lhs_format = reference::find_format(u.lhs_format), *rhs_format = reference::find_format(u.rhs_format);
    Tile lhs_tile, rhs_tile;
    size_t m_step, n_step;
    bool one_row;  // m must be 0 or 1

    void SetUp() override {
        TEST_SKIP_UNLESS_RUNNABLE(u);
        ASSERT_TRUE(lhs_format != nullptr && rhs_format != nullptr)
            << "test/reference/formats.cpp lacks a format of this kernel";
        ASSERT_TRUE(u.dst_type == kai_dt_f32 || u.dst_type == kai_dt_f16 || u.dst_type == kai_dt_bf16)
            << "no reference for this type of result";
        lhs_tile = {u.get_mr(), u.get_kr(), u.get_sr()};
        rhs_tile = {u.get_nr(), u.get_kr(), u.get_sr()};
        m_step = u.get_m_step();
        n_step = u.get_n_step();
        one_row = m_step == 1 && lhs_format->blocks;
    }

    size_t lhs_offset(size_t m_idx, size_t k, size_t bl) {
        return lhs_has_blocks ? checked_call_as<kai_get_packed_offset_bl_fn>(u.get_lhs_packed_offset, m_idx, k, bl)
                              : checked_call_as<kai_get_packed_offset_fn>(u.get_lhs_packed_offset, m_idx, k);
    }
    size_t rhs_offset(size_t n_idx, size_t k, size_t bl) {
        return has_blocks ? checked_call_as<kai_get_packed_offset_bl_fn>(u.get_rhs_packed_offset, n_idx, k, bl)
                          : checked_call_as<kai_get_packed_offset_fn>(u.get_rhs_packed_offset, n_idx, k);
    }

    void call(
        size_t m, size_t n, const Operands& o, const uint8_t* lhs, const uint8_t* rhs, uint8_t* dst, size_t stride,
        Clamp c) {
        kai_any_fn* run = test::run_of(u);
        switch (u.signature) {
            case KAI_UKERNEL_MATMUL:
                return checked_call_as<kai_run_matmul_fn>(run, m, n, o.k, lhs, rhs, dst, stride, element, c.lo, c.hi);
            case KAI_UKERNEL_MATMUL_BL:
            case KAI_UKERNEL_MATMUL_RHS_BL:
                return checked_call_as<kai_run_matmul_bl_fn>(
                    run, m, n, o.k, o.bl, lhs, rhs, dst, stride, element, c.lo, c.hi);
            case KAI_UKERNEL_MATMUL_LUT:
                return checked_call_as<kai_run_matmul_lut_f32_fn>(
                    run, m, n, o.k, lhs, rhs, reinterpret_cast<float*>(dst), stride, element, c.lo, c.hi,
                    o.table.size() == 0 ? nullptr : o.table.as<int32_t>());
            default:
                FAIL() << "not a signature of this suite";
        }
    }

    Operands packed(const Side& lhs, const Side& rhs, Flush flush = Flush::end) {
        return {*lhs_format, lhs, lhs_tile, *rhs_format, rhs, rhs_tile, flush};
    }

    /// The product of all rows of both sides in one call, dense.
    std::vector<float> run(const Side& lhs, const Side& rhs, Clamp clamp = {}, Output output = {}) {
        return run(packed(lhs, rhs, output.flush), clamp, output);
    }

    std::vector<float> run(const Operands& o, Clamp clamp = {}, Output output = {}) {
        const size_t m = o.m, n = o.n, row = n + output.gap;
        const GuardedBuffer dst(m == 0 || n == 0 ? 0 : ((m - 1) * row + n) * element, output.flush, kNan);
        for (size_t i = 0; i + 1 < m && n > 0; ++i) {
            std::memset(dst.data() + (i * row + n) * element, kGap, output.gap * element);
        }
        call(m, n, o, o.lhs.data(), o.rhs.data(), dst.data(), row * element, clamp);
        std::vector<float> dense;
        for (size_t i = 0; i < m && n > 0; ++i) {
            const uint8_t* from = dst.data() + i * row * element;
            for (size_t j = 0; j < n; ++j) {
                dense.push_back(reference::load(from + j * element, u.dst_type));
            }
            for (size_t j = n * element; j < row * element && i + 1 < m; ++j) {
                EXPECT_EQ(from[j], kGap) << "between rows " << i << " and " << i + 1;
            }
        }
        return dense;
    }

    /// Runs and compares with the reference.
    std::vector<float> check(const Side& lhs, const Side& rhs, Clamp clamp = {}, Output output = {}) {
        const std::vector<float> dst = run(lhs, rhs, clamp, output);
        EXPECT_EQ(
            reference::compare(reference::matmul(lhs, rhs), dst, lhs.rows, rhs.rows, clamp.lo, clamp.hi, u.dst_type),
            "")
            << "m " << lhs.rows << ", n " << rhs.rows << ", k " << lhs.k << ", bl " << rhs.bl;
        return dst;
    }

    /// For operands whose every intermediate result is exact: to the last bit.
    void check_exactly(const Side& lhs, const Side& rhs, Output output = {}) {
        std::vector<float> want;
        for (const double value : reference::matmul(lhs, rhs).value) {
            want.push_back(reference::rounded(value, u.dst_type));
        }
        EXPECT_EQ(run(lhs, rhs, {}, output), want)
            << "m " << lhs.rows << ", n " << rhs.rows << ", k " << lhs.k << ", bl " << rhs.bl;
    }

    Side make_lhs(Data data, size_t m, size_t k, size_t bl, uint64_t seed = 1) {
        Random random(seed);
        return test::make_side(*lhs_format, data, m, k, bl, random);
    }
    Side make_rhs(Data data, size_t n, size_t k, size_t bl, uint64_t seed = 2) {
        Random random(seed);
        Side side = test::make_side(*rhs_format, data, n, k, bl, random);
        for (float& scale : side.scale) {  // what the format keeps of it: a quotient may be subnormal
            const float stored = rhs_format->stored_scale;
            scale = reference::as_stored(rhs_format->scale_type, scale * stored) / stored;
        }
        return side;
    }

    struct Depth {
        size_t k, bl;
    };
    std::vector<Depth> depths() const {
        if (has_blocks) {
            return {{0, 32},    {32, 32},   {64, 32},   {96, 32},    {64, 64},   {192, 64},    {128, 128}, {384, 128},
                    {512, 256}, {576, 288}, {512, 512}, {1024, 512}, {704, 352}, {2048, 2048}, {96, 96},   {224, 32}};
        }
        if (has_table) {  // multiples of 32
            return {{0, 0}, {32, 0}, {64, 0}, {96, 0}, {128, 0}, {160, 0}, {288, 0}};
        }
        return {{0, 0},  {1, 0},  {2, 0},  {3, 0},  {4, 0},  {5, 0},  {7, 0},   {8, 0},  {16, 0},
                {17, 0}, {31, 0}, {32, 0}, {33, 0}, {63, 0}, {64, 0}, {130, 0}, {257, 0}};
    }
    Depth typical_depth() const {
        return has_blocks ? Depth{96, 32} : Depth{has_table ? size_t{96} : size_t{83}, 0};
    }
    /// Deeper than what kernels put aside of a row at a time: some hundred or thousand k.
    std::vector<Depth> long_depths() const {
        if (has_blocks) {
            return {{1184, 32}, {4096, 64}, {4864, 128}, {4320, 288}, {8704, 512}, {8320, 4160}, {8384, 4192}};
        }
        return {{has_table ? size_t{2528} : size_t{2503}, 0}, {has_table ? size_t{8256} : size_t{8227}, 0}};
    }

    /// Sizes around a panel, a step, and the 16 or 32 rows or columns that a kernel may take at a time.
    static std::set<size_t> sizes_around(size_t panel, size_t step) {
        return {0, 1, panel - 1, panel, panel + 1, step - 1, step, step + 1, 15, 16, 17, 31, 33, many(step)};
    }
    static size_t many(size_t step) {
        return std::max<size_t>(2 * step + 3, 71);
    }
    /// Kernels for one row accept 0 and 1, or any number. Others may take some 16 or 64 rows at a time.
    std::set<size_t> rows() const {
        if (m_step == 1) {
            return one_row ? std::set<size_t>{0, 1} : std::set<size_t>{0, 1, 2, 5};
        }
        std::set<size_t> rows = sizes_around(lhs_tile.rows, m_step);
        rows.insert({63, 64, 65, 80, 128});
        return rows;
    }
    std::set<size_t> columns() const {
        return sizes_around(rhs_tile.rows, n_step);
    }
    size_t many_rows() const {
        return one_row ? 1 : m_step == 1 ? 5 : std::max<size_t>(many(m_step), 131);
    }
    size_t many_columns() const {
        return many(n_step);
    }
    /// A step and a tail.
    size_t several_rows() const {
        return one_row ? 1 : m_step + 1;
    }
    size_t several_columns() const {
        return std::max<size_t>(n_step + 1, 39);
    }
};

/// The top left m x n of `full`, whose rows have `width` elements.
std::vector<float> top_left(const std::vector<float>& full, size_t width, size_t m, size_t n) {
    std::vector<float> part;
    for (size_t i = 0; i < m; ++i) {
        part.insert(part.end(), full.begin() + i * width, full.begin() + i * width + n);
    }
    return part;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

// Short tests come first: kleidiai_mutants stops at the first one that notices.

TEST_P(Matmul, GettersAgree) {
    EXPECT_GT(lhs_tile.rows, 0u);
    EXPECT_GT(rhs_tile.rows, 0u);
    EXPECT_EQ(lhs_tile.kr % lhs_tile.sr, 0u);
    EXPECT_EQ(m_step % lhs_tile.rows, 0u);
    EXPECT_EQ(n_step % rhs_tile.rows, 0u);
    for (const auto& [k, bl] : depths()) {
        const size_t lhs_stride = lhs_format->stride({lhs_tile.rows, lhs_tile.kr, lhs_tile.sr, k, bl});
        const size_t rhs_stride = rhs_format->stride({rhs_tile.rows, rhs_tile.kr, rhs_tile.sr, k, bl});
        for (const size_t panel : {0, 1, 2, 7, 1000}) {  // between steps, and past the end of any matrix
            EXPECT_EQ(lhs_offset(panel * lhs_tile.rows, k, bl), panel * lhs_stride) << k << " " << bl;
            EXPECT_EQ(rhs_offset(panel * rhs_tile.rows, k, bl), panel * rhs_stride) << k << " " << bl;
        }
    }
    EXPECT_EQ(
        checked_call(u.get_dst_offset, 3 * m_step, 2 * n_step, size_t{4096}), 3 * m_step * 4096 + 2 * n_step * element);
    EXPECT_EQ(checked_call(u.get_dst_size, size_t{5}, size_t{7}), 5u * 7 * element);
    EXPECT_EQ(checked_call(u.get_dst_size, size_t{0}, size_t{7}), 0u);
}

TEST_P(Matmul, ExactOverWholeTiles) {
    const auto [k, bl] = typical_depth();
    check_exactly(make_lhs(Data::exact, many_rows(), k, bl), make_rhs(Data::exact, many_columns(), k, bl));
}

// A product of zero leaves the bias, which shows how results are converted: ties, subnormals, overflow.
TEST_P(Matmul, ConvertsToTheTypeOfDst) {
    if (rhs_format->bias == nullptr) {
        return;
    }
    const auto [k, bl] = typical_depth();
    Random random(4);
    std::vector<float> biases = {0.0f,      65504.0f,    65519.0f,        65520.0f,        65536.0f, 1e38f,
                                 kMax,      0x1.fep127f, 0x1.fefffep127f, 0x1.ffp127f,     kInf,     0x1p-126f,
                                 0x1p-149f, 0x1p-24f,    0x1p-25f,        0x1.000002p-25f, 0x1p-14f};
    for (const int step : {8, 11, 16, 13}) {  // around ties of f16 (11 bits) and bf16 (8 bits)
        for (const int below : {-1, 0, 1}) {
            const uint32_t tie = (static_cast<uint32_t>(random.next()) & 0x3FFFu) << (step + 1) | 1u << (step - 1);
            biases.push_back(reference::float_of((reference::bits_of(1.0f) | (tie & 0x7FFFFFu)) + below));
            biases.push_back(reference::float_of((reference::bits_of(0x1p-16f) | (tie & 0x7FFFFFu)) + below));
        }
    }
    while (biases.size() < 64) {
        biases.push_back(reference::float_of(static_cast<uint32_t>(random.next()) & 0xBFFFFFFFu));
    }
    Side lhs = make_lhs(Data::random, several_rows(), k, bl), rhs = make_rhs(Data::random, 2 * biases.size(), k, bl);
    for (size_t i = 0; i < rhs.rows; ++i) {
        rhs.bias[i] = i < biases.size() ? biases[i] : -biases[i - biases.size()];
    }
    std::fill(lhs.values.begin(), lhs.values.end(), 0.0f);
    std::fill(lhs.offset.begin(), lhs.offset.end(), 0.0f);
    std::fill(lhs.row_offset.begin(), lhs.row_offset.end(), 0);
    std::fill(lhs.q.begin(), lhs.q.end(), int8_t{0});
    check_exactly(lhs, rhs);
    for (const Clamp clamp : {Clamp{-65504.0f, 65504.0f}, Clamp{-65519.0f, 65519.0f}, Clamp{-kMax, kMax}}) {
        check(lhs, rhs, clamp);
    }
}

// Whatever its payload and sign, also where a conversion rounds.
TEST_P(Matmul, NanStaysNan) {
    if (rhs_format->bias == nullptr) {
        return;
    }
    const auto [k, bl] = typical_depth();
    const Side lhs = make_lhs(Data::random, several_rows(), k, bl);
    Side rhs = make_rhs(Data::random, several_columns(), k, bl);
    size_t column = 0;
    for (const uint32_t nan :
         {0x7FC00000u, 0x7FFFFFFFu, 0xFFFFFFFFu, 0x7F800001u, 0xFF800001u, 0x7FFF8000u, 0x7F80FFFFu}) {
        rhs.bias[column] = reference::float_of(nan);
        column += 3;
    }
    check(lhs, rhs);
    check(lhs, rhs, {-1.0f, 1.0f});
}

TEST_P(Matmul, ClampsForReal) {
    const auto [k, bl] = typical_depth();
    const size_t m = several_rows(), n = several_columns();
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    const std::vector<float> free = check(lhs, rhs);
    const float some = std::fabs(free[0]) / 2 + 0x1p-10f;
    const float third = some / 3;  // none of the types has it
    for (const Clamp clamp :
         {Clamp{-some, some},
          {-third, third},
          {0.0f, kInf},
          {0.0f, kMax},
          {-kInf, some},
          {-kInf, third},
          {-kMax, some},
          {-kMax, kMax},
          {-65504.0f, 65504.0f},
          {-1e-9f, 1e-9f},
          {some, some},
          {-0.25f, 0.0f},
          {kInf, kInf}}) {
        // Conversion keeps the order: clamping the result to the bounds as the type has them is the same.
        std::vector<float> expected = free;
        for (float& x : expected) {
            x = static_cast<float>(reference::clamp(
                x, reference::rounded(clamp.lo, u.dst_type), reference::rounded(clamp.hi, u.dst_type)));
        }
        // == and not bits: the sign of a zero is free
        EXPECT_EQ(run(lhs, rhs, clamp), expected) << "clamp to [" << clamp.lo << ", " << clamp.hi << "]";
    }
}

TEST_P(Matmul, ExtremeValues) {
    const auto [k, bl] = typical_depth();
    const size_t m = one_row ? 1 : std::max<size_t>(11, lhs_tile.rows + 1), n = std::max<size_t>(31, rhs_tile.rows + 1);
    const Side lhs = make_lhs(Data::extreme, std::max<size_t>(m, 30), k, bl), rhs = make_rhs(Data::extreme, n, k, bl);
    // One row at a time for kernels of one row.
    for (size_t first = 0; first < (one_row ? 30 : 1); ++first) {
        check(lhs.part(first, m), rhs);
    }
}

TEST_P(Matmul, KeepsTheCallersZa) {
    if (kai_cpu_sme_bytes() == 0) {
        return;  // there is no ZA
    }
    const auto [k, bl] = typical_depth();
    const size_t m = several_rows(), n = several_columns();
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    const std::vector<float> expected = run(lhs, rhs);
    const test::LiveZa live_za;
    EXPECT_TRUE(same_bits(run(lhs, rhs), expected));
    run(lhs.part(0, 0), rhs);  // a call that returns early, too
}

// All shapes at one depth: the largest against the reference, the others bit by bit against the largest.
TEST_P(Matmul, Shapes) {
    const auto [k, bl] = typical_depth();
    const size_t width = many_columns();
    const Side lhs = make_lhs(Data::random, many_rows(), k, bl), rhs = make_rhs(Data::random, width, k, bl);
    const std::vector<float> full = check(lhs, rhs);
    size_t count = 0;
    for (const size_t m : rows()) {
        for (const size_t n : columns()) {
            // Tails along M and along N are independent; both at once only near the corner.
            const bool small = m <= several_rows() && n <= several_columns();
            if (!small && m != 1 && m != m_step + 1 && n != 1 && n != n_step + 1) {
                continue;
            }
            const size_t gap = count++ % 3 * 5;
            for (const Flush flush : {Flush::end, Flush::start}) {
                if (flush == Flush::start && count % 4 != 0) {
                    continue;  // reads before a buffer are rare: a few shapes will do
                }
                const auto part = run(lhs.part(0, m), rhs.part(0, n), {}, {gap, flush});
                EXPECT_TRUE(same_bits(part, top_left(full, width, m, n)))
                    << "m " << m << ", n " << n << " differs from the whole";
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

// Any rectangle that starts at multiples of the steps, computed alone, gives the bits of the whole.
TEST_P(Matmul, Rectangles) {
    const auto [k, bl] = typical_depth();
    const size_t m = many_rows(), n = many_columns(), gap = 2;
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);
    const Operands o = packed(lhs, rhs);
    const std::vector<float> full = run(o, {}, {gap, Flush::end});

    const size_t stride = (n + gap) * element;
    for (const auto& [rows_of_part, columns_of_part] :
         {std::pair{m_step, n_step}, {m_step, 2 * n_step}, {2 * m_step, n_step}}) {
        if (one_row && rows_of_part > 1) {
            continue;
        }
        const GuardedBuffer dst((m - 1) * stride + n * element, Flush::end, kNan);
        // The last part first: order must not matter.
        for (size_t i = (m - 1) / rows_of_part + 1; i-- > 0;) {
            for (size_t j = (n - 1) / columns_of_part + 1; j-- > 0;) {
                const size_t m_idx = i * rows_of_part, n_idx = j * columns_of_part;
                const size_t offset = checked_call(u.get_dst_offset, m_idx, n_idx, stride);
                call(
                    std::min(rows_of_part, m - m_idx), std::min(columns_of_part, n - n_idx), o,
                    o.lhs.data() + lhs_offset(m_idx, k, bl), o.rhs.data() + rhs_offset(n_idx, k, bl),
                    dst.data() + offset, stride, {});
            }
        }
        for (size_t i = 0; i < m; ++i) {
            for (size_t j = 0; j < n; ++j) {
                const float x = reference::load(dst.data() + i * stride + j * element, u.dst_type);
                ASSERT_EQ(std::memcmp(&x, &full[i * n + j], sizeof(x)), 0) << "row " << i << ", column " << j;
            }
        }
    }
}

TEST_P(Matmul, Depths) {
    for (const auto& [k, bl] : depths()) {
        const size_t m = one_row ? 1 : lhs_tile.rows + 1, n = several_columns();
        check(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl), {}, {3, Flush::end});
        check_exactly(make_lhs(Data::exact, m, k, bl), make_rhs(Data::exact, n, k, bl), {3, Flush::end});
        if (HasFailure()) {
            return;
        }
    }
}

TEST_P(Matmul, ZeroDepthGivesTheClampedBias) {
    const size_t bl = has_blocks ? 32 : 0;
    const size_t m = several_rows(), n = several_columns();
    for (const Clamp clamp : {Clamp{}, Clamp{0.25f, 0.5f}, Clamp{-0.5f, -0.125f}}) {
        check(make_lhs(Data::random, m, 0, bl), make_rhs(Data::random, n, 0, bl), clamp);
    }
}

TEST_P(Matmul, LongDepths) {
    for (const auto& [k, bl] : long_depths()) {
        check(make_lhs(Data::random, std::min<size_t>(m_step, 3), k, bl), make_rhs(Data::random, 5, k, bl));
        check_exactly(
            make_lhs(Data::exact, std::min<size_t>(several_rows(), 17), k, bl), make_rhs(Data::exact, 19, k, bl));
    }
}

// Kernels take fewer rows at a time when k is large.
TEST_P(Matmul, LongRectangles) {
    if (one_row) {
        return;
    }
    const auto [k, bl] = long_depths()[0];
    const size_t m = m_step == 1 ? 3 : 70, n = std::max<size_t>(11, n_step + 1), stride = n * element;
    const Operands o = packed(make_lhs(Data::random, m, k, bl), make_rhs(Data::random, n, k, bl));
    const std::vector<float> full = run(o);
    for (size_t m_idx = 0; m_idx < m; m_idx += m_step) {
        const size_t rows = std::min(m_step, m - m_idx);
        const GuardedBuffer dst(rows * stride, Flush::end, kNan);
        call(rows, n, o, o.lhs.data() + lhs_offset(m_idx, k, bl), o.rhs.data(), dst.data(), stride, {});
        for (size_t i = 0; i < rows * n; ++i) {
            const float x = reference::load(dst.data() + i * element, u.dst_type);
            ASSERT_EQ(std::memcmp(&x, &full[m_idx * n + i], sizeof(x)), 0)
                << "row " << m_idx + i / n << ", column " << i % n;
        }
    }
}

// Integer sums as large as they get, and large ones that cancel: a sum that is rounded on the way shows.
TEST_P(Matmul, LargeSums) {
    std::vector<Depth> all = long_depths();
    all.push_back(has_blocks ? Depth{512, 256} : typical_depth());
    for (const auto& [k, bl] : all) {
        const Side lhs = make_lhs(Data::large, 8, k, bl), rhs = make_rhs(Data::large, 6, k, bl);
        for (size_t first = 0; first < (one_row ? 8 : 1); ++first) {
            check(lhs.part(first, one_row ? 1 : 8), rhs);
        }
    }
}

// A NaN or an infinity reaches the elements that depend on it, through any clamp, and no others.
TEST_P(Matmul, SpecialValues) {
    const auto [k, bl] = typical_depth();
    const size_t m = one_row ? 1 : std::max<size_t>(lhs_tile.rows + 2, 5), n = std::max<size_t>(rhs_tile.rows + 3, 19);
    const Side lhs = make_lhs(Data::random, m, k, bl), rhs = make_rhs(Data::random, n, k, bl);

    const auto check_with = [&](const Side& a, const Side& b) {
        const Operands o = packed(a, b);
        const reference::Expected expected = reference::matmul(a, b);
        for (const Clamp c : {Clamp{}, Clamp{-kMax, kMax}, Clamp{0.0f, 6.0f}, Clamp{0.0f, kInf}}) {
            EXPECT_EQ(reference::compare(expected, run(o, c), m, n, c.lo, c.hi, u.dst_type), "");
        }
    };
    for (const float special : {std::nanf(""), kInf, -kInf}) {
        SCOPED_TRACE(special);
        // Each field that holds floats, at a place in the middle and in the last row.
        const auto spoil = [&](Side side, std::vector<float> Side::*field, size_t place) {
            if ((side.*field).empty()) {
                return std::optional<Side>();
            }
            (side.*field)[place < (side.*field).size() ? place : (side.*field).size() - 1] = special;
            return std::optional(side);
        };
        for (const auto field : {&Side::values, &Side::scale, &Side::offset, &Side::sum, &Side::bias}) {
            for (const size_t place : {size_t{1}, ~size_t{0}}) {
                if (const auto spoilt = spoil(lhs, field, place)) {
                    check_with(*spoilt, rhs);
                }
                if (const auto spoilt = spoil(rhs, field, place)) {
                    check_with(lhs, *spoilt);
                }
            }
        }
    }
}

// From floats and nibbles to the result, through every packer that the registry offers for the kernel.
TEST_P(Matmul, WithTheLibrarysPackers) {
    const auto [k, bl] = typical_depth();
    const size_t m = one_row ? 1 : m_step + lhs_tile.rows + 1, n = n_step + 3;
    Random random(3);
    // Tiny rows must not disturb anything; rows with infinities and NaN are left out, their quants are unspecified.
    std::vector<float> floats = test::make_floats(m, k, false, random);
    for (size_t i = 0; i < k && m > 2; ++i) {
        floats[k + i] *= 0x1p-125f;
    }
    const Side rhs = make_rhs(Data::random, n, k, bl);
    ASSERT_NE(kai_registry_lhs_packer(&u, 0), nullptr) << "no LHS packer";
    ASSERT_NE(kai_registry_rhs_packer(&u, 0), nullptr) << "no RHS packer";
    for (size_t i = 0; kai_registry_lhs_packer(&u, i) != nullptr; ++i) {
        for (size_t j = 0; kai_registry_rhs_packer(&u, j) != nullptr; ++j) {
            const kai_packer &lhs_packer = *kai_registry_lhs_packer(&u, i),
                             &rhs_packer = *kai_registry_rhs_packer(&u, j);
            SCOPED_TRACE(std::string(lhs_packer.name) + ", " + rhs_packer.name);
            const std::vector<float> values = reference::as_source(lhs_packer.source_format, floats);
            const reference::Ties ties = reference::ties_of(*lhs_format, lhs_packer.name);
            const Side lhs = reference::lhs_side(*lhs_format, values, m, k, bl, ties, lhs_tile.kr / lhs_tile.sr);
            // Scales as they are stored.
            Side stored = lhs;
            for (float& scale : stored.scale) {
                scale = reference::as_stored(lhs_format->scale_type, scale);
            }
            const test::LhsSource lhs_source(lhs_packer, values, m, k, 0);
            const test::RhsSource rhs_source(rhs_packer, rhs, 0);
            const GuardedBuffer l(test::packed_size(lhs_packer, lhs_tile, m, k, bl));
            const GuardedBuffer r(test::packed_size(rhs_packer, rhs_tile, n, k, bl));
            test::run_lhs(lhs_packer, lhs_tile, lhs_source, 0, m, bl, 0, l.data());
            test::run_rhs(rhs_packer, rhs_tile, rhs_source, 0, n, r.data());
            const std::vector<float> dst = run(Operands(stored, rhs, l.bytes(), r.bytes()));
            EXPECT_EQ(reference::compare(reference::matmul(stored, rhs), dst, m, n, -kInf, kInf, u.dst_type), "");
        }
    }
}

/// Those of the signatures that this suite calls.
std::vector<const kai_ukernel*> classic() {
    std::vector<const kai_ukernel*> ukernels = test::all_ukernels();
    ukernels.erase(
        std::remove_if(
            ukernels.begin(), ukernels.end(),
            [](const kai_ukernel* u) { return u->signature > KAI_UKERNEL_MATMUL_LUT; }),
        ukernels.end());
    return ukernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Matmul, testing::ValuesIn(classic()), test::instance_name<kai_ukernel>);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Matmul);

}  // namespace
