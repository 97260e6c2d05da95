// The fixture of the tests of all micro-kernels but depthwise convolution: operands, calls of every signature, and the
// shapes to try.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kai/call.hpp"
#include "kai/kai_call.h"
#include "kai/kai_registry.h"
#include "kai/ukernels/matmul/kai_matmul.h"
#include "test/reference/formats.hpp"
#include "test/reference/matmul.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/coverage.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/operands.hpp"
#include "test/support/packing.hpp"

namespace test::matmul {

using reference::Format;
using reference::Side;
using reference::Tile;

inline constexpr float kMax = FLT_MAX, kInf = INFINITY;
inline constexpr uint8_t kNan = 0xFF;  // dst before the call: NaN in every type

struct Clamp {
    float lo = -kInf, hi = kInf;
};

/// How the output lies in memory.
struct Output {
    size_t gap = 0;  // elements between the rows
    Flush flush = Flush::end;
};

inline constexpr int32_t kZeroPoint = -7;  // of int8 results

/// What a kernel reads, each in a buffer of its exact size.
struct Operands {
    size_t m, n, k, bl;
    GuardedBuffer lhs, rhs, table;
    size_t lhs_stride = 0, rhs_stride = 0;   // of rows that are not packed
    GuardedBuffer chunks, padding;           // of indirect kernels without packed LHS: lhs is the table of pointers
    GuardedBuffer bias_m, bias_n, offset_n;  // of unsigned kernels
    GuardedBuffer multiplier, shift;         // of low precision
    float scale = 0;

    /// From the rows of two sides, packed by the reference.
    Operands(
        const Format& lhs_format, const Side& l, Tile lhs_tile, const Format& rhs_format, const Side& r, Tile rhs_tile,
        Flush flush)
        : Operands(l, r, test::packed(lhs_format, l, lhs_tile), test::packed(rhs_format, r, rhs_tile), flush) {
        lhs_stride = lhs_format.line(m, k);
        rhs_stride = rhs_format.line(n, k);
    }
    Operands(
        const Side& l, const Side& r, const std::vector<uint8_t>& packed_lhs, const std::vector<uint8_t>& packed_rhs,
        Flush flush = Flush::end);
    /// Rows by a table of pointers in groups of `group` rows: chunks of zeros are the padding, pointers to the others
    /// lack kPointerOffset, those of missing rows are poison.
    Operands(
        const Format& lhs_format, const Side& l, const Side& r, size_t group, const std::vector<uint8_t>& packed_rhs,
        Flush flush);
    static constexpr uintptr_t kPointerOffset = 0x1234567800012340;
};

/// u is the micro-kernel.
class Matmul : public testing::TestWithParam<const kai_ukernel*> {
protected:
    const kai_ukernel& u = *GetParam();
    const bool has_blocks = kai::has_blocks(u), lhs_has_blocks = kai::lhs_has_blocks(u), has_table = kai::has_lut(u);
    const size_t element = kai_get_datatype_size_in_bytes(u.dst_type);
    const Format *lhs_format = reference::find_format(u.lhs_format), *rhs_format = reference::find_format(u.rhs_format);
    Tile lhs_tile, rhs_tile;
    size_t m_step, n_step;
    const bool one_row = u.rows == KAI_ROWS_ONE;  // m must be 0 or 1
    const bool indirect = kai::is_indirect(u), by_pointers = kai::takes_pointers(u), unified = kai::is_unified(u);
    const bool takes_lhs_rows = kai::takes<&kai::KernelArgs::lhs_stride>(u);
    const bool low_precision = kai::takes<&kai::KernelArgs::lowp>(u);
    const bool gives_sums = kai::takes<&kai::KernelArgs::offsets>(u);
    const bool has_unsigned = is_unified_unsigned(u);
    const bool integer_dst = u.dst_type == kai_dt_int8 || u.dst_type == kai_dt_uint8 || u.dst_type == kai_dt_int32;
    const bool clamps = u.dst_type != kai_dt_int32;
    kai_matmul_uker_api api = {};
    reference::Arithmetic arithmetic;

    void SetUp() override;

    /// Computed once for kernels of the same formats.
    const reference::Expected& expected(const Side& lhs, const Side& rhs) const;
    /// For results that are integers.
    Clamp whole(Clamp c) const {
        return integer_dst ? Clamp{std::ceil(c.lo), std::max(std::ceil(c.lo), std::floor(c.hi))} : c;
    }

    /// Of blocks: the only one that the format has.
    size_t length(size_t bl) const {
        return rhs_format->only_bl != 0 ? rhs_format->only_bl : bl;
    }
    /// Shape and depth, for the function and its getters.
    kai::KernelArgs args_of(size_t m, size_t n, size_t k, size_t bl, size_t index = 0) const;
    size_t lhs_offset(size_t m_idx, size_t k, size_t bl) {
        kai::KernelArgs a = args_of(m_idx, 0, k, bl, m_idx);
        a.lhs_stride = unified ? 0 : k * lhs_format->bits() / 8;
        return kai::lhs_offset(u, a, Checked{});
    }
    size_t rhs_offset(size_t n_idx, size_t k, size_t bl) {
        kai::KernelArgs a = args_of(0, n_idx, k, bl, n_idx);
        a.rhs_stride = rhs_format->packed ? 0 : rhs_format->kxn ? k * rhs_format->bits() / 8 : rhs_format->line(1, k);
        return kai::rhs_offset(u, a, Checked{});
    }
    /// From one panel of the RHS to the next, or from one of its columns that are not packed.
    size_t rhs_panel_stride(size_t stored, size_t bl) const;
    /// Length of a block of the LHS, also where no function asks for it.
    size_t lhs_block(size_t bl) const {
        return lhs_format->blocks && bl == 0 ? rhs_format->block : bl;
    }
    /// Columns from one offset that may be asked for to the next.
    size_t rhs_panel() const {
        return rhs_format->packed ? rhs_tile.rows : n_step;
    }
    size_t dst_offset(size_t m_idx, size_t n_idx, size_t stride) {
        return kai::dst_offset(u, m_idx, n_idx, stride, Checked{});
    }

    /// A bound of int8 results, which saturate whatever it is.
    static int32_t whole_bound(float bound) {
        return static_cast<int32_t>(std::max(-1e9f, std::min(bound, 1e9f)));
    }

    /// How int8 results come about: with these parameters, if set, otherwise with the usual zero point.
    std::optional<kai_matmul_requantize32_params> exact_params;
    kai_matmul_requantize32_params requantising(Clamp c) const {
        return exact_params.value_or(kai_matmul_requantize32_params{whole_bound(c.lo), whole_bound(c.hi), kZeroPoint});
    }

    /// Column n_idx is the first one.
    kai_matmul_lowp_params lowp_params(const Operands& o, Clamp c, size_t n_idx = 0) const;
    /// Offsets of int32 sums, those of rows and columns at the end of their memory.
    struct Offsets {
        GuardedBuffer rows, columns;
        kai_matmul_offsets params = {};

        /// Of m rows from m_idx on, of n columns from n_idx on.
        Offsets(
            const reference::LowPrecision& p, const Operands& o, size_t m, size_t n, size_t m_idx = 0,
            size_t n_idx = 0);
    };

    /// m_idx, n_idx: where the call begins, for vectors of biases.
    void call(
        size_t m, size_t n, const Operands& o, const uint8_t* lhs, const uint8_t* rhs, uint8_t* dst, size_t stride,
        Clamp c, size_t m_idx = 0, size_t n_idx = 0);

    /// Of both operands of the unified API; 0: the dense ones.
    size_t panel_stride = 0;

    Operands packed(const Side& lhs, const Side& rhs, Flush flush = Flush::end);

    /// A dense output.
    std::vector<float> floats_of(const GuardedBuffer& dst) const;
    /// m x n elements, rows `stride` bytes apart.
    std::vector<float> floats_of(const uint8_t* dst, size_t stride, size_t m, size_t n) const;

    /// Where the first of m x n elements is whose bits differ from those in `want`, which is dense; "" if none does.
    std::string difference(const uint8_t* dst, size_t stride, size_t m, size_t n, const float* want) const;

    /// The product of all rows of both sides in one call, dense.
    std::vector<float> run(const Side& lhs, const Side& rhs, Clamp clamp = {}, Output output = {}) {
        return run(packed(lhs, rhs, output.flush), clamp, output);
    }

    std::vector<float> run(const Operands& o, Clamp clamp = {}, Output output = {});

    /// Runs and compares with the reference.
    std::vector<float> check(const Side& lhs, const Side& rhs, Clamp clamp = {}, Output output = {});

    /// For operands whose every intermediate result is exact: to the last bit.
    void check_exactly(const Side& lhs, const Side& rhs, Output output = {});

    /// The same with products of zero: no scales, zero points and sums; values of zero where there are no scales.
    static Side zero(Side side);
    /// Results without a clamp, clamped to these bounds.
    std::vector<float> clamped(std::vector<float> results, Clamp c) const;
    /// Operands whose every intermediate result is exact, with bounds around +-`largest`, by default the largest
    /// result.
    void check_clamps(const Side& lhs, const Side& rhs, float largest = 0);

    Side make_lhs(Data data, size_t m, size_t k, size_t bl, uint64_t seed = 1);
    static void make_unsigned(Side& side, Data data);
    /// Biases and scales by which most results fit their type; with extreme data any.
    static void add_requantisation(Side& side, Data data, Random& random);
    static std::vector<float> biases(size_t count, Random& random);
    Side make_rhs(Data data, size_t n, size_t k, size_t bl, uint64_t seed = 2);

    /// Values as a format or a source of its type has them.
    static std::vector<float> as_elements(const Format& f, const std::vector<float>& values);
    /// Rows that are not packed.
    Side rows_of_lhs(size_t m, size_t k, size_t bl, std::vector<uint8_t>& bytes) {
        Side side = make_lhs(Data::random, m, k, bl);
        bytes = test::packed(*lhs_format, side, lhs_tile);
        return side;
    }
    /// What a packer of the library reads, and the side that it makes of it, as it is stored.
    Side lhs_for(const kai_packer& packer, size_t m, size_t k, size_t bl, std::vector<float>& values);
    Side rhs_for(const kai_packer& packer, size_t n, size_t k, size_t bl, Side& source);
    /// The same where the packer takes the zero point of the LHS.
    static Side as_packed(const kai_packer& packer, const Side& side, const RhsSource& source);
    /// Packs by a packer of the library.
    Side pack_lhs(const kai_packer& packer, size_t m, size_t k, size_t bl, std::vector<uint8_t>& bytes);
    Side pack_rhs(const kai_packer& packer, size_t n, size_t k, size_t bl, std::vector<uint8_t>& bytes);

    /// @name kai_call.h, in parts, the last one first
    /// @{
    kai_call call_of(const RhsSource& source, const kai_packer& packer, size_t m, size_t n, size_t bl);
    void set_lhs(kai_call& c, const kai_packer& packer, const LhsSource& source);
    static void pack_rhs(const kai_call& c, const GuardedBuffer& packed);
    static void pack_lhs(const kai_call& c, const GuardedBuffer& packed);
    std::vector<float> run(kai_call c);
    /// @}

    struct Depth {
        size_t k, bl;
    };
    /// Outer products of whole panels whatever m and n are, so large that an emulator takes long: less depth, since
    /// that is the same code at every vector length, and shorter vectors have all depths.
    bool wide() const {
        return m_step * n_step >= 1024;
    }
    /// The same at 1024 bits and more, where a call takes a hundred times as long as at 128 bits: fewer shapes, too.
    bool vast() const {
        return m_step * n_step >= 4096;
    }
    std::vector<Depth> depths() const;
    std::vector<Depth> all_depths() const;  // at any vector length
    Depth typical_depth() const;
    /// Deeper than what kernels buffer of a row at a time: some hundred or thousand k.
    std::vector<Depth> long_depths() const;

    /// At least this depth.
    size_t whole(size_t k) const {
        const size_t w = std::max<size_t>(u.k_multiple, 1);
        return (k + w - 1) / w * w;
    }

    /// Sizes around a panel, a step, and the 16 or 32 rows or columns that a kernel may take at a time.
    std::set<size_t> sizes_around(size_t panel, size_t step) const;
    static size_t many(size_t step) {
        return std::max<size_t>(2 * step + 3, 71);
    }
    /// Kernels for one row accept 0 and 1, or any number. Others may take some 16 or 64 rows at a time, and have tiles
    /// for few rows.
    std::set<size_t> rows() const;
    std::set<size_t> columns() const;
    /// Portable kernels take 64 rows at a time, too.
    size_t many_rows() const {
        const bool few = m_step == 1 && u.features != 0;
        return one_row ? 1 : few ? lhs_format->plain ? 15 : 5 : std::max<size_t>(many(m_step), 131);
    }
    size_t many_columns() const {
        return many(n_step);
    }
    /// A step and a tail.
    size_t several_rows() const {
        return one_row ? 1 : m_step + 1;
    }
    /// At least this many, in whole panels. What kernels read of missing rows is NaN, and may hide what they
    /// do.
    size_t whole_panels(size_t rows) const {
        return one_row ? 1 : (rows + lhs_tile.rows - 1) / lhs_tile.rows * lhs_tile.rows;
    }
    /// Kernels of panels of 4 rows may compute up to some 20 rows in another way than 28, those of rows that are not
    /// packed 2 rows in another way than 7.
    std::vector<size_t> few_and_many(size_t few) const {
        const size_t many = one_row ? few : lhs_tile.rows == 4 ? 28 : lhs_format->packed ? few : 7;
        return many > few ? std::vector<size_t>{few, many} : std::vector<size_t>{few};
    }
    size_t several_columns() const {
        return std::max<size_t>(n_step + 1, 39);
    }
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b);

/// Lines of a matrix, moved `gap` bytes of NaN apart.
std::vector<uint8_t> lines_with_gaps(const GuardedBuffer& dense, size_t line, size_t gap);

}  // namespace test::matmul
