// int8 x int8, int4, int2 in portable C++: all families with an LHS that is quantised at run time.
//
// A strip of up to 16 columns x a chunk of up to 256 k of the RHS becomes int16, which all rows share. Then a row of
// the LHS becomes int16, and sums of products are int32. A chunk is in the order of the packed RHS: with int4, 16 low
// nibbles, then the 16 high nibbles of the same bytes.
//
//     for strips, for groups of up to 64 rows
//         for blocks, for chunks
//             decode
//             row by row: sums += lhs x rhs; at the end of a block, results = add(results, sums)
//         row by row: finish: zero points, scales, bias; clamp, convert, store
//
// Families are classes such as Channels, RowBlocks and Blocks. The operations, and so the bits, are those of the other
// kernels (docs/arithmetic.md).
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/inplace/inplace.hpp"
#include "kai/engines/portable/portable_decode.hpp"

namespace kai {
namespace {

/// The fields at the end of a panel, f32 or int32, for each column.
struct Ends {
    uint32_t fields[3][kColumns];

    KAI_INLINE uint32_t integer(size_t field, size_t column) const {
        return fields[field][column];
    }
    KAI_INLINE float real(size_t field, size_t column) const {
        return load<float>(&fields[field][column]);
    }
};

/// results = fma(unit * f32(sums), row_scale * scales, results)
KAI_INLINE void add_products(const Sums& sums, float unit, float row_scale, const Floats& scales, Floats& results) {
    Floats a, b;
    for (size_t c = 0; c < kColumns; ++c) {
        a[c] = unit * static_cast<float>(sums[c]);
        b[c] = row_scale * scales[c];
    }
    fused(a, b, results, kColumns);
}

/// results = fma(column, row, results)
KAI_INLINE void add_products(const Floats& column, float row, Floats& results) {
    Floats rows;
    for (float& x : rows) {
        x = row;
    }
    fused(column, rows, results, kColumns);
}

/// Fields of nr columns as f32. (Rows of files are panels of one column.)
KAI_INLINE void load_f16(const uint8_t* fields, size_t nr, float* out) {
    size_t c = 0;
    for (; c + 4 <= nr; c += 4) {
        store(out + c, load_f16(fields + 2 * c));
    }
    for (; c < nr; ++c) {
        out[c] = kai_cast_f32_f16(load<uint16_t>(fields + 2 * c));
    }
}
KAI_INLINE void load_bf16(const uint8_t* fields, size_t nr, float* out) {
    for (size_t c = 0; c < nr; ++c) {
        out[c] = kai_cast_f32_bf16(load<uint16_t>(fields + 2 * c));
    }
}

/// @name Families
///
/// load_block: fields of a block of a panel. add: a row, at the end of a block. finish: a row, after all blocks. `row`
/// points to the fields of the row.
/// @{

/// qai8dxp x a scale per channel.
///     result = f32(sum + offset * column_sum) * (column_scale * scale) + bias
/// The fields of qsi4cxp are 16 * column_sum and column_scale / 16: it computes with 16 * sum.
template <const Format& RHS>
struct Channels {
    static constexpr const Format &kLhs = qai8dxp, &kRhs = RHS;
    static constexpr bool kHasBlocks = false, kAddsParts = false, kAddsHalves = false;
    static constexpr uint32_t kUnit = RHS.bits == 4 ? 16 : 1;

    KAI_INLINE static void load_block(const uint8_t*, size_t, float*, float*) {
    }
    KAI_INLINE static void add(const Sums&, const uint8_t*, const Floats&, const Floats&, Floats&) {
    }
    KAI_INLINE static void finish(const Sums& sums, const uint8_t* row, const Ends& ends, Floats& results) {
        const auto offset = load<uint32_t>(row);
        const auto row_scale = load<float>(row + 4);
        for (size_t c = 0; c < kColumns; ++c) {
            const uint32_t total = static_cast<uint32_t>(sums[c]) * kUnit + offset * ends.integer(0, c);
            const float scale = ends.real(1, c) * row_scale;
            results[c] = static_cast<float>(static_cast<int32_t>(total)) * scale + ends.real(2, c);
        }
    }
};

/// qai8dxp x a scale per block.
///     result = fma(f32(sum), block_scale, result) for each block, or each part of it (part_steps)
///     result = fma(column_sum, f32(offset), result) * scale + bias
struct RowBlocks {
    static constexpr const Format &kLhs = qai8dxp, &kRhs = qsi4c32pbf16;
    static constexpr bool kHasBlocks = true, kAddsParts = true, kAddsHalves = false;

    KAI_INLINE static void load_block(const uint8_t* fields, size_t nr, float* scales, float*) {
        load_bf16(fields, nr, scales);
    }
    KAI_INLINE static void add(const Sums& sums, const uint8_t*, const Floats& scales, const Floats&, Floats& results) {
        add_products(sums, 1.0F, 1.0F, scales, results);
    }
    KAI_INLINE static void finish(const Sums&, const uint8_t* row, const Ends& ends, Floats& results) {
        Floats column_sums;
        for (size_t c = 0; c < kColumns; ++c) {
            column_sums[c] = ends.real(0, c);
        }
        add_products(column_sums, static_cast<float>(load<int32_t>(row)), results);
        const auto scale = load<float>(row + 4);
        for (size_t c = 0; c < kColumns; ++c) {
            results[c] = results[c] * scale + ends.real(1, c);
        }
    }
};

/// qsi8d32p x qsi4c32p.
///     result = fma(f32(sum), row_scale * scale, result) for each block
struct Blocks {
    static constexpr const Format &kLhs = qsi8d32p, &kRhs = qsi4c32p;
    static constexpr bool kHasBlocks = true, kAddsParts = false, kAddsHalves = false;

    KAI_INLINE static void load_block(const uint8_t* fields, size_t nr, float* scales, float*) {
        load_f16(fields, nr, scales);
    }
    KAI_INLINE static void add(
        const Sums& sums, const uint8_t* row, const Floats& scales, const Floats&, Floats& results) {
        add_products(sums, 1.0F, kai_cast_f32_f16(load<uint16_t>(row)), scales, results);
    }
    KAI_INLINE static void finish(const Sums&, const uint8_t*, const Ends&, Floats&) {
    }
};

/// qsi8d32p x qsi2c32p: the same.
struct TwoBitBlocks : Blocks {
    static constexpr const Format& kRhs = qsi2c32p;
};
/// qsi8d32p x qsi1c32p: the same.
struct OneBitBlocks : Blocks {
    static constexpr const Format& kRhs = qsi1c32p;
};
/// The weights of their elements.
constexpr int32_t kTwoBitWeights[4] = {-1, 0, 1, 2};
constexpr int32_t kOneBitWeights[4] = {-1, 1};

/// qsi8d32p x qsi8c32p.
///     result = fma(f32(sum) * row_scale, scale, result) for each block, the product rounded
struct Int8Blocks : Blocks {
    static constexpr const Format& kRhs = qsi8c32p;

    KAI_INLINE static void add(
        const Sums& sums, const uint8_t* row, const Floats& scales, const Floats&, Floats& results) {
        const float row_scale = kai_cast_f32_f16(load<uint16_t>(row));
        Floats scaled;
        for (size_t c = 0; c < kColumns; ++c) {
            scaled[c] = static_cast<float>(sums[c]) * row_scale;
        }
        fused(scaled, scales, results, kColumns);
    }
};

/// qsi8d32p x qlu4c32p, also with bf16 scales.
///     result = fma(f32(sum) * row_scale, scale, result) for each block, the product rounded
template <const Format& RHS>
struct TableBlocks : Int8Blocks {
    static constexpr const Format& kRhs = RHS;

    KAI_INLINE static void load_block(const uint8_t* fields, size_t nr, float* scales, float*) {
        if constexpr (RHS.bf16_scales) {
            load_bf16(fields, nr, scales);
        } else {
            load_f16(fields, nr, scales);
        }
    }
};

/// qsi8d32p x qlu4c16p: the same for each half of a block; the other scale is in the place of a zero.
struct TableHalves : Int8Blocks {
    static constexpr const Format& kRhs = qlu4c16p;
    static constexpr bool kAddsHalves = true;

    KAI_INLINE static void load_block(const uint8_t* fields, size_t nr, float* scales, float* second_scales) {
        load_f16(fields, nr, scales);
        load_f16(fields + 2 * nr, nr, second_scales);
    }
};

/// Rows of Q4_0: like panels of one column of qsi4c32p, except that nibbles are 8 more than the value. (Rows of Q8_0
/// are panels of one column of qsi8c32p.)
struct FileQ4_0 : Blocks {};

/// qsi8d32pscalef32 x qai4c32p, whose field is scale / 16.
///     result = fma(f32(16 * sum), scale / 16 * row_scale, fma(zero, row_sum, result)) for each block
///     result = result + bias
struct BlocksWithZeros {
    static constexpr const Format &kLhs = qsi8d32pscalef32, &kRhs = qai4c32p;
    static constexpr bool kHasBlocks = true, kAddsParts = false, kAddsHalves = false;

    KAI_INLINE static void load_block(const uint8_t* fields, size_t nr, float* scales, float* zeros) {
        __builtin_memcpy(zeros, fields, 4 * nr);
        __builtin_memcpy(scales, fields + 4 * nr, 4 * nr);
    }
    KAI_INLINE static void add(
        const Sums& sums, const uint8_t* row, const Floats& scales, const Floats& zeros, Floats& results) {
        add_products(zeros, load<float>(row), results);
        add_products(sums, 16.0F, load<float>(row + 4), scales, results);
    }
    KAI_INLINE static void finish(const Sums&, const uint8_t*, const Ends& ends, Floats& results) {
        for (size_t c = 0; c < kColumns; ++c) {
            results[c] += ends.real(0, c);
        }
    }
};

/// qsi8d32pscalef32 x qau5c32p.
///     result = fma(f32(sum), scale * row_scale, fma(minimum, row_sum, result)) for each block
struct FiveBitBlocks {
    static constexpr const Format &kLhs = qsi8d32pscalef32, &kRhs = qau5c32p;
    static constexpr bool kHasBlocks = true, kAddsParts = false, kAddsHalves = false;

    KAI_INLINE static void load_block(const uint8_t* fields, size_t nr, float* scales, float* minima) {
        load_f16(fields, nr, minima);
        load_f16(fields + 2 * nr, nr, scales);
    }
    KAI_INLINE static void add(
        const Sums& sums, const uint8_t* row, const Floats& scales, const Floats& minima, Floats& results) {
        add_products(minima, load<float>(row), results);
        add_products(sums, 1.0F, load<float>(row + 4), scales, results);
    }
    KAI_INLINE static void finish(const Sums&, const uint8_t*, const Ends&, Floats&) {
    }
};
/// @}

/// Whether nibbles are 8 more than the value.
template <class Family>
constexpr bool kHasExcess8 = false;
template <>
constexpr bool kHasExcess8<FileQ4_0> = true;

/// The operations of a family, as the loops call them.
struct FamilyOps {
    const Format &lhs, &rhs;
    bool has_blocks, adds_parts, adds_halves;
    void (*load_block)(const uint8_t* fields, size_t nr, float* scales, float* zeros);
    void (*add)(const Sums& sums, const uint8_t* row, const Floats& scales, const Floats& zeros, Floats& results);
    void (*finish)(const Sums& sums, const uint8_t* row, const Ends& ends, Floats& results);
    Decode* decode;
};
template <class F, size_t GROUP>
constexpr FamilyOps kFamily = {F::kLhs,       F::kRhs,        F::kHasBlocks,
                               F::kAddsParts, F::kAddsHalves, F::load_block,
                               F::add,        F::finish,      kDecode<F::kRhs, GROUP, kHasExcess8<F>>};

/// Where the first block of a panel, or of a row, has its elements and fields; bytes from one block to the next.
struct BlockPlaces {
    size_t elements, fields, next;

    BlockPlaces(const Format& format, Tile tile, size_t bl)
        : elements(format.elements(tile, bl, 0)),
          fields(format.block_tail > 0 ? format.tail(tile, bl, 0) : format.head(tile, 0, bl, 0)),
          next(format.block_bytes(tile, bl)) {
    }
};

/// m_step is 1: any number of rows.
[[gnu::noinline]] void run_portable(const FamilyOps& family, const Problem& p) {
    const Format &lhs_format = family.lhs, &rhs_format = family.rhs;
    if (p.m == 0) {
        return;
    }
    const Tile row_tile{1, 0, 0}, column_tile{p.nr, 0, 0};
    const size_t bl = family.has_blocks ? p.bl : (p.k + kStep - 1) / kStep * kStep;
    const size_t blocks = p.k == 0 ? 0 : family.has_blocks ? p.k / bl : 1, steps_of_bl = bl / kStep;
    const size_t steps_of_chunk = family.adds_parts ? part_steps(bl) : kChunk / kStep;
    // Splits a step of the LHS in halves, as the nibbles of the RHS are.
    const bool halves_of_block = rhs_format.bits == 4 && rhs_format.nibble_distance == 0;
    const BlockPlaces in_row(lhs_format, row_tile, bl), in_panel(rhs_format, column_tile, bl);
    const size_t step_bytes = rhs_format.element_bytes(column_tile, kStep);
    const size_t apart = halves_of_block ? bl / 2 : kStep / 2, step = halves_of_block ? kStep / 2 : kStep;
    int16_t table[16] = {};
    const int32_t* lut = rhs_format == qsi2c32p ? kTwoBitWeights : rhs_format == qsi1c32p ? kOneBitWeights : p.lut;
    for (size_t i = 0; lut != nullptr && i < 4; ++i) {
        table[i] = static_cast<int16_t>(lut[i]);
    }
    for (size_t i = 0; rhs_format.table && p.n > 0 && i < 16; ++i) {
        table[i] = static_cast<int8_t>(p.rhs[i]);
    }
    int16_t wide[kChunk], weights[kColumns][kChunk];
    if (p.nr % 4 != 0) {  // columns are multiplied in fours
        __builtin_memset(weights, 0, sizeof(weights));
    }
    Floats scales = {}, zeros = {};
    Sums sums[kRows];
    Floats results[kRows];
    for (size_t n0 = 0; n0 < p.n; n0 += kColumns) {
        const size_t n = p.n - n0 < kColumns ? p.n - n0 : kColumns, panels = (n + p.nr - 1) / p.nr;
        const uint8_t* const rhs = p.rhs + n0 / p.nr * p.rhs_stride;
        Ends ends = {};
        for (size_t i = 0; i < panels * p.nr; ++i) {
            const uint8_t* fields = rhs + (i / p.nr + 1) * p.rhs_stride - p.nr * rhs_format.panel_tail;
            for (size_t f = 0; f < rhs_format.panel_tail / 4; ++f) {
                ends.fields[f][i] = load<uint32_t>(fields + 4 * (f * p.nr + i % p.nr));
            }
        }
        for (size_t m0 = 0; m0 < p.m; m0 += kRows) {
            const size_t m = p.m - m0 < kRows ? p.m - m0 : kRows;
            const uint8_t* const lhs = p.lhs + m0 * p.lhs_stride;
            __builtin_memset(sums, 0, m * sizeof(Sums));
            __builtin_memset(results, 0, m * sizeof(Floats));
            for (size_t b = 0; b < blocks; ++b) {
                const uint8_t *const rhs_block = rhs + b * in_panel.next, *const lhs_block = lhs + b * in_row.next;
                for (size_t s = 0, steps; s < steps_of_bl; s += steps) {
                    steps = steps_of_bl - s < steps_of_chunk ? steps_of_bl - s : steps_of_chunk;
                    const bool adds = family.has_blocks && (family.adds_parts || s + steps == steps_of_bl);
                    for (size_t i = 0; i < panels; ++i) {
                        const uint8_t* panel = rhs_block + i * p.rhs_stride;
                        const size_t column = i * p.nr;
                        family.decode(panel + in_panel.elements + s * step_bytes, p.nr, steps, table, weights + column);
                        if (adds) {
                            family.load_block(panel + in_panel.fields, p.nr, scales + column, zeros + column);
                        }
                    }
                    for (size_t r = 0; r < m; ++r) {
                        const uint8_t* row = lhs_block + r * p.lhs_stride;
                        widen(row + in_row.elements + s * step, steps, step, apart, wide);
                        const size_t parts = family.adds_halves ? 2 : 1;  // of a block, then one step
                        for (size_t part = 0; part < parts; ++part) {
                            const size_t count = steps * kStep / parts;
                            multiply(wide, weights, panels * p.nr, part * count, count, sums[r]);
                            if (adds) {
                                family.add(sums[r], row + in_row.fields, part == 0 ? scales : zeros, zeros, results[r]);
                                __builtin_memset(sums[r], 0, sizeof(Sums));
                            }
                        }
                    }
                }
            }
            for (size_t r = 0; r < m; ++r) {
                family.finish(sums[r], lhs + (r + 1) * p.lhs_stride - lhs_format.panel_tail, ends, results[r]);
                uint8_t* const dst = bytes(p.dst, (m0 + r) * p.dst_stride + n0 * element_bytes(p.out));
                store_row(results[r], n, dst, p.out, p.lo, p.hi);
            }
        }
    }
}

template <class F, size_t GROUP>
void run_family(const void* problem) {
    run_portable(kFamily<F, GROUP>, *static_cast<const Problem*>(problem));
}

template <const Format& RHS>
constexpr auto family_of() {
    if constexpr (RHS == qsi4c32pbf16) {
        return RowBlocks{};
    } else if constexpr (RHS == qsi4c32p) {
        return Blocks{};
    } else if constexpr (RHS == qsi2c32p) {
        return TwoBitBlocks{};
    } else if constexpr (RHS == qsi1c32p) {
        return OneBitBlocks{};
    } else if constexpr (RHS == qsi8c32p) {
        return Int8Blocks{};
    } else if constexpr (RHS == qlu4c32p || RHS == qlu4c32pscalebf16) {
        return TableBlocks<RHS>{};
    } else if constexpr (RHS == qlu4c16p) {
        return TableHalves{};
    } else if constexpr (RHS == qai4c32p) {
        return BlocksWithZeros{};
    } else if constexpr (RHS == qau5c32p) {
        return FiveBitBlocks{};
    } else {
        return Channels<RHS>{};
    }
}

/// The engine of a format.
template <const Format& RHS, size_t KR, size_t SR>
constexpr auto* kEngine = run_family<decltype(family_of<RHS>()), RHS.group == Format::one ? 1 : KR / SR>;

/// Rows of a file, LHS panels of one row in groups of 8.
template <class Family, const Format& PANEL, const FileRows& RHS>
void run(const InplaceProblem& p) {
    const size_t lhs_stride = qsi8d32p.stride({1, 16, 2}, p.k, RHS.block);
    const Problem problem{p.m,  p.n,  p.k,     RHS.block, p.lhs,      p.rhs,        p.dst,           p.dst_stride,
                          p.lo, p.hi, nullptr, 1,         lhs_stride, p.rhs_stride, rhs_kind(PANEL), OutKind::f32};
    run_family<Family, 8>(&problem);
}
constexpr auto *run_ggq8_0 = run<Int8Blocks, qsi8c32p, ggq8_0>, *run_ggq4_0 = run<FileQ4_0, qsi4c32p, ggq4_0>;

}  // namespace
}  // namespace kai

extern "C" {

#define KAI_DEFINE_PORTABLE(KIND, T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP) \
    KAI_LOOPS(NAME, (kai::kEngine<kai::RHS, KR, SR>))                                     \
    KAI_ENTRY(                                                                            \
        KAI_DEFINE_MATMUL_QAI8DXP_##KIND(kai_loops_##NAME, T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP))
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_PORTABLE)
#include "kai/engines/qai8dxp/qai8dxp_families.inc"
#undef KAI_ISA_any

#define KAI_DEFINE_PORTABLE_BLOCKS(T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP) \
    KAI_LOOPS(NAME, (kai::kEngine<kai::RHS, KR, SR>))                                      \
    KAI_ENTRY(KAI_DEFINE_PORTABLE_BLOCKS_ENTRY(T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP))
#define KAI_DEFINE_PORTABLE_BLOCKS_ENTRY(T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)        \
    KAI_DEFINE_MATMUL_GETTERS_BL(                                                                       \
        NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, kai::element_bytes(kai::OutKind::OUT))          \
    KAI_RUN_MATMUL_BL(NAME, T) {                                                                        \
        kai::check_blocks(kai::RHS, k, bl);                                                             \
        kai::check_output(dst_stride_col, kai::element_bytes(kai::OutKind::OUT), clamp_min, clamp_max); \
        KAI_RUN_PROBLEM(                                                                                \
            kai_loops_##NAME, OUT, RHS, NR, bl, (kai::LHS.stride({MR, KR, SR}, k, bl)),                 \
            (kai::RHS.stride({NR, KR, SR}, k, bl)), nullptr)                                            \
    }
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_PORTABLE_BLOCKS)
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, float, f32, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi1c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi2c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qsi8c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qlu4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qai4c32p/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_qau5c32p/ukernels.def"
#undef KAI_UKERNEL
#define KAI_UKERNEL(ISA, ...) KAI_LINE(ISA, void, f16, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_qsi8d32p_qai4c32p/ukernels.def"
#undef KAI_UKERNEL
#undef KAI_ISA_any

#define KAI_DEFINE_PORTABLE_FILE(...) KAI_ENTRY(KAI_DEFINE_MATMUL_FILE(__VA_ARGS__))
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_PORTABLE_FILE)
#define KAI_UKERNEL_FILE KAI_LINE
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_ggq8_0/ukernels.def"
#include "kai/ukernels/matmul/matmul_clamp_f32_qsi8d32p_ggq4_0/ukernels.def"
#undef KAI_UKERNEL_FILE
#undef KAI_ISA_any

}  // extern "C"
