// f32 and f16 in portable C++: LHS row-major, RHS in panels of 16 (f32) or 32 (f16) columns.
//
//     dst[i][j] = clamp(fma(lhs[i][k-1], rhs[k-1][j], ... fma(lhs[i][0], rhs[0][j], bias[j])))
//
// Each fma rounds to the type of the operands, or, f16 with sums in f32, to f32. On hosts without an fma instruction,
// f32 rounds the product as well. So f16 alone, whose products are exact, has loops for x86-64-v3.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/getters.hpp"
#include "kai/engines/portable/portable_float.hpp"

namespace kai {
namespace {

/// f16 with sums in f32: products are exact, so adding one is an fma.
template <typename R>
struct WideF16 : F16 {
    using Result = R;

    KAI_INLINE static R from_f32(float x) {
        if constexpr (sizeof(R) == sizeof(float)) {
            return x;
        } else {
            return F16::from_f32(x);
        }
    }
    KAI_INLINE static Vec add(Vec a, Vec b, Vec c) {
        return kHasFma ? fma_instruction(a, b, c) : a * b + c;
    }
};

/// The LHS, k in chunks of `length`: rows that are `stride` bytes apart, or found through a table of pointers
/// (kai_run_imatmul_rows_fn, m_step 1).
struct FloatLhs {
    size_t chunks, length;
    const void* first;  // row, or pointer
    size_t stride;
    bool is_table;
    const void* pad;
    size_t offset;

    KAI_INLINE const uint8_t* at(size_t row, size_t chunk) const {
        if (!is_table) {
            return bytes(first, row * stride);
        }
        const auto* const chunk_of_row = static_cast<const void* const*>(first)[row * chunks + chunk];
        return bytes(chunk_of_row, chunk_of_row == pad ? 0 : offset);
    }
};

/// The rows that 16 columns of a panel are multiplied by.
struct FloatRows {
    FloatLhs lhs;
    uint8_t* dst;
    size_t dst_stride, columns;  // columns of dst
    float lo, hi;
};

constexpr size_t kVectors = 4, kColumns = 4 * kVectors;

/// Rows `first` to first + ROWS - 1.
template <class T, size_t NR, size_t ROWS>
KAI_INLINE void multiply_rows(const FloatRows& p, const uint8_t* panel, size_t first) {
    constexpr size_t kBytes = sizeof(typename T::Element);
    Vec sums[ROWS][kVectors];
    KAI_UNROLL(16)
    for (size_t i = 0; i < ROWS * kVectors; ++i) {
        sums[i / kVectors][i % kVectors] = T::load(panel + i % kVectors * 4 * kBytes);
    }
    for (size_t chunk = 0; chunk < p.lhs.chunks; ++chunk) {
        const uint8_t* row[ROWS];
        KAI_UNROLL(16)
        for (size_t i = 0; i < ROWS; ++i) {
            row[i] = p.lhs.at(first + i, chunk);
        }
        for (size_t k = 0; k < p.lhs.length; ++k) {
            panel += NR * kBytes;
            Vec x[ROWS];
            KAI_UNROLL(16)
            for (size_t i = 0; i < ROWS; ++i) {
                const float element = T::to_f32(load<typename T::Element>(row[i] + k * kBytes));
                x[i] = Vec{element, element, element, element};
            }
            KAI_UNROLL(16)
            for (size_t j = 0; j < kVectors; ++j) {
                const Vec weights = T::load(panel + j * 4 * kBytes);
                KAI_UNROLL(16)
                for (size_t i = 0; i < ROWS; ++i) {
                    sums[i][j] = T::add(x[i], weights, sums[i][j]);
                }
            }
        }
    }
    for (size_t i = 0; i < ROWS; ++i) {
        float results[kColumns];
        __builtin_memcpy(results, sums[i], sizeof(results));
        for (size_t j = 0; j < p.columns; ++j) {
            store(
                p.dst + (first + i) * p.dst_stride + j * sizeof(typename T::Result),
                T::from_f32(clamped(results[j], p.lo, p.hi)));
        }
    }
}

/// A call of a micro-kernel. m_step is 1: any number of rows.
struct FloatProblem {
    size_t m, n;
    FloatLhs lhs;
    const void* rhs;
    void* dst;
    size_t dst_stride;
    float lo, hi;
};

template <class T, const Format& RHS, size_t NR>
[[gnu::noinline]] void run_portable(const void* problem) {
    const auto& p = *static_cast<const FloatProblem*>(problem);
    constexpr size_t kBytes = sizeof(typename T::Element);
    constexpr size_t kRows = 2;  // 8 vectors of sums: x86-64 has 16 registers
    const size_t k = p.lhs.chunks * p.lhs.length;
    for (size_t n0 = 0; n0 < p.n; n0 += kColumns) {
        const size_t first = n0 / NR * NR, columns = p.n - n0 < kColumns ? p.n - n0 : kColumns;
        const uint8_t* panel = bytes(p.rhs, RHS.offset({NR, 1, 1}, first, k) + (n0 - first) * kBytes);
        const FloatRows rows{p.lhs, bytes(p.dst, n0 * sizeof(typename T::Result)), p.dst_stride, columns, p.lo, p.hi};
        size_t i = 0;
        for (; i + kRows <= p.m; i += kRows) {
            multiply_rows<T, NR, kRows>(rows, panel, i);
        }
        if (i < p.m) {
            multiply_rows<T, NR, 1>(rows, panel, i);
        }
    }
}

}  // namespace

KAI_LOOPS(f16, (run_portable<F16, f16pbiasf16, 32>))
KAI_LOOPS(f16_sumf32, (run_portable<WideF16<uint16_t>, f16pbiasf16, 32>))
KAI_LOOPS(f16_to_f32, (run_portable<WideF16<float>, f16pbiasf16, 32>))
KAI_ENTRY(static constexpr auto kai_loops_f32 = run_portable<F32, f32pbiasf32, 16>;)

}  // namespace kai

extern "C" {

#define KAI_DEFINE_PORTABLE(T, LOOPS, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER)            \
    KAI_DEFINE_MATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, LHS_GETTER, sizeof(T::Result)) \
    KAI_RUN_MATMUL_ROWS(NAME) {                                                                          \
        kai::check_output(dst_stride_col, sizeof(T::Result), clamp_min, clamp_max);                      \
        const kai::FloatLhs rows = {1, k, lhs, lhs_stride, false, nullptr, 0};                           \
        const kai::FloatProblem problem = {m, n, rows, rhs, dst, dst_stride_row, clamp_min, clamp_max};  \
        kai::kai_loops_##LOOPS(&problem);                                                                \
    }
#define KAI_DEFINE_PORTABLE_ENTRY(...) KAI_ENTRY(KAI_DEFINE_PORTABLE(__VA_ARGS__))
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_PORTABLE_ENTRY)
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, kai::F32, f32, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f32_f32p/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, kai::F16, f16, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, kai::WideF16<uint16_t>, f16_sumf32, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f16_f16_f16p_sumf32/ukernels.def"
#undef KAI_UKERNEL_ROWS
#define KAI_UKERNEL_ROWS(ISA, ...) KAI_LINE(ISA, kai::WideF16<float>, f16_to_f32, __VA_ARGS__)
#include "kai/ukernels/matmul/matmul_clamp_f32_f16_f16p/ukernels.def"
#undef KAI_UKERNEL_ROWS

#define KAI_DEFINE_PORTABLE_TABLE(T, LOOPS, NAME, LHS, RHS, NR, KR, SR, M_STEP, N_STEP)                            \
    static_assert((M_STEP) == 1, "blocks of the table");                                                           \
    KAI_DEFINE_IMATMUL_GETTERS_ROWS(NAME, RHS, NR, KR, SR, M_STEP, N_STEP, sizeof(T::Result))                      \
    KAI_RUN_IMATMUL_ROWS(NAME) {                                                                                   \
        kai::check_bounds(clamp_min, clamp_max);                                                                   \
        const size_t chunks = k_chunk_length > 0 ? k_chunk_count : 0;                                              \
        const kai::FloatLhs rows = {chunks, k_chunk_length, indirection_buffer, 0, true, pad_ptr, lhs_ptr_offset}; \
        const kai::FloatProblem problem = {m, n, rows, rhs_packed, dst, dst_stride_row, clamp_min, clamp_max};     \
        kai::kai_loops_##LOOPS(&problem);                                                                          \
    }
#define KAI_DEFINE_PORTABLE_TABLE_ENTRY(...) KAI_ENTRY(KAI_DEFINE_PORTABLE_TABLE(__VA_ARGS__))
#undef KAI_ISA_any
#define KAI_ISA_any KAI_LINES(KAI_DEFINE_PORTABLE_TABLE_ENTRY)
#define KAI_IMATMUL_ROWS(ISA, ...) KAI_LINE(ISA, kai::F32, f32, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_f32_f32_f32p/ukernels.def"
#undef KAI_IMATMUL_ROWS
#define KAI_IMATMUL_ROWS(ISA, ...) KAI_LINE(ISA, kai::F16, f16, __VA_ARGS__)
#include "kai/ukernels/matmul/imatmul_clamp_f16_f16_f16p/ukernels.def"
#undef KAI_IMATMUL_ROWS

}  // extern "C"
