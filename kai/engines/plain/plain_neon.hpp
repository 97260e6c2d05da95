// The floating-point GEMM on NEON that packs nothing: rows of the LHS, and rows of the RHS, K x N or N x K.
//
//     dst[i][j] = clamp(sum over k of lhs[i][k] * rhs[k][j])        FMLA; no bias
//
// K x N: a vector is columns of one k. Each element is one chain of fma that starts at +0, k ascending. A tile is 6
// rows x 4 vectors, in assembly (float_neon.inc); one or two rows take more vectors, since a chain has to wait for its
// last fma, and the last columns fewer.
// N x K: a vector is neighbouring k of one row or column. Lane l of a sum takes k = l, L + l, 2 * L + l, ... (L lanes),
// then the last k % L in halves of the vector: L / 2 of them, L / 4, ..., 1, from lane 0 on. Pairs of lanes are added
// until one is left. A tile is 6 rows x 4 columns of such sums.
//
// Edges. Rows and columns that a tile has and the problem lacks are the last one again: nothing is read that is not an
// operand, and results are stored once per row and column that exist. The last columns of a K x N tile overlap the
// previous ones, which writes the same bits twice, or, where there are too few, take shorter vectors.
//
// T is the type of the elements and its vectors: plain_neon.cpp, plain_neon_fp16.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(__clang__)
#pragma GCC optimize("no-schedule-insns")  // scheduling loads all rows first, and spills
#endif

#include <arm_neon.h>

#include "kai/engines/core/getters.hpp"
#include "kai/engines/core/limits.hpp"
#include "kai/engines/float/float_neon.hpp"
#include "kai/engines/plain/plain_nxk.hpp"

namespace kai {
namespace {

/// A call. Pointers are those of its first row and column, strides in bytes.
template <class T>
struct PlainGemm {
    size_t m, n, k;
    const uint8_t* lhs;
    size_t lhs_stride;
    const uint8_t* rhs;
    size_t rhs_stride;
    uint8_t* dst;
    size_t dst_stride;
    typename T::Element lo, hi;
};

/// The first bytes of a vector.
template <class T, size_t bytes>
KAI_INLINE typename T::Vector load_first(const uint8_t* from) {
    if constexpr (bytes == 16) {
        return load<typename T::Vector>(from);
    } else if constexpr (bytes == 8) {
        return T::widened(load<typename T::Half>(from));
    } else if constexpr (bytes == sizeof(typename T::Element)) {
        return T::first(load<typename T::Element>(from));
    } else {
        return T::first_two(load<uint32_t>(from));
    }
}

/// Stores that many.
template <class T, size_t bytes>
KAI_INLINE void store_first(uint8_t* to, typename T::Vector v) {
    __builtin_memcpy(to, &v, bytes);
}

/// An element for FMLA by lane. Clang would broadcast it (LD1R), which takes a vector pipe, too.
template <typename Element>
KAI_INLINE Element in_lane_0(Element x) {
    __asm__("" : "+w"(x));
    return x;
}

// ---- K x N

/// Up to `rows` rows from row i on x `vectors` vectors of `bytes` bytes from column j on.
template <class T, size_t rows, size_t vectors, size_t bytes>
void kxn_tile(const PlainGemm<T>& p, size_t i, size_t j) {
    using Element = typename T::Element;
    using Vector = typename T::Vector;
    const size_t count = p.m - i < rows ? p.m - i : rows, column = j * sizeof(Element);
    const uint8_t *a[rows], *b = p.rhs + column;
    row_starts(a, p.lhs + i * p.lhs_stride, p.lhs_stride, count);
    Vector acc[rows][vectors];
    KAI_UNROLL(16)
    for (size_t r = 0; r < rows; ++r) {
        KAI_UNROLL(16)
        for (size_t v = 0; v < vectors; ++v) {
            acc[r][v] = Vector{};
        }
    }
    for (size_t at = 0; at < p.k * sizeof(Element); at += sizeof(Element), b += p.rhs_stride) {
        Vector x[vectors];
        KAI_UNROLL(16)
        for (size_t v = 0; v < vectors; ++v) {
            x[v] = load_first<T, bytes>(b + v * bytes);
        }
        KAI_UNROLL(16)
        for (size_t r = 0; r < rows; ++r) {
            const Element y = in_lane_0(load<Element>(a[r] + at));
            KAI_UNROLL(16)
            for (size_t v = 0; v < vectors; ++v) {
                acc[r][v] = T::fma(acc[r][v], x[v], T::spread(y));
            }
        }
    }
    const PlainGemm<T>& q = *opaque_to_gcc(&p);  // not kept in registers during the loop
    const Vector lo = T::spread(q.lo), hi = T::spread(q.hi);
    uint8_t* dst = q.dst + i * q.dst_stride + column;
    KAI_UNROLL(16)
    for (size_t r = 0; r < rows; ++r) {  // all rows, before any branch
        KAI_UNROLL(16)
        for (size_t v = 0; v < vectors; ++v) {
            acc[r][v] = T::clamp(acc[r][v], lo, hi);
        }
    }
    KAI_UNROLL(16)
    for (size_t r = 0; r < rows; ++r) {
        if (r < count) {
            KAI_UNROLL(16)
            for (size_t v = 0; v < vectors; ++v) {
                store_first<T, bytes>(dst + v * bytes, acc[r][v]);
            }
        }
        dst += q.dst_stride;
    }
}

/// All rows of columns j, ...: as many as `vectors` vectors have.
template <class T, size_t vectors, size_t bytes>
KAI_INLINE void kxn_columns(const PlainGemm<T>& p, size_t j) {
    size_t i = 0;
    for (; p.m - i > 4; i += p.m - i < 6 ? p.m - i : 6) {
        kxn_tile<T, 6, vectors, bytes>(p, i, j);
    }
    switch (p.m - i) {
        case 3:
        case 4:
            return kxn_tile<T, 4, vectors, bytes>(p, i, j);
        case 2:
            return kxn_tile<T, 2, vectors, bytes>(p, i, j);
        case 1:
            return kxn_tile<T, 1, vectors, bytes>(p, i, j);
        default:
            return;
    }
}

/// All rows of columns j, ...: 4 vectors, in assembly.
template <class T>
KAI_INLINE void kxn_panel(const PlainGemm<T>& p, size_t j) {
    constexpr size_t kBytes = sizeof(typename T::Element);
    FloatGemmArgs args = {};
    args.lhs = p.lhs, args.lhs_stride = p.lhs_stride;
    args.panel = p.rhs + j * kBytes, args.rhs_stride = p.rhs_stride;
    args.dst = p.dst + j * kBytes, args.dst_stride = p.dst_stride;
    args.m = p.m, args.depth = p.k * kBytes, args.clamps = is_bounded(p.lo, p.hi);
    store(args.bounds[0], T::spread(p.lo));
    store(args.bounds[1], T::spread(p.hi));
    T::kPanel(&args);
}

template <class T>
KAI_INLINE void run_kxn(const PlainGemm<T>& p) {
    constexpr size_t kLanes = sizeof(typename T::Vector) / sizeof(typename T::Element);
    constexpr size_t kOfRow = PlainLimits::kRowVectors * kLanes;
    const size_t widest = p.m == 1 ? kOfRow : p.m == 2 ? kOfRow / 2 : PlainLimits::kVectors * kLanes;
    for (size_t j = 0, width = widest; j < p.n; j += width) {
        const size_t rest = p.n - j;
        if (rest < widest) {  // the narrowest tile that ends there, or one that starts here
            for (width = 1; width < rest; width *= 2) {
            }
            if (width <= p.n) {
                j = p.n - width;
            } else {
                width /= 2;
            }
        }
        switch (width) {
            case kOfRow:
                kxn_tile<T, 1, 16, 16>(p, 0, j);
                break;
            case 8 * kLanes:
                p.m == 1 ? kxn_tile<T, 1, 8, 16>(p, 0, j) : kxn_tile<T, 2, 8, 16>(p, 0, j);
                break;
            case 4 * kLanes:
                kxn_panel(p, j);
                break;
            case 2 * kLanes:
                kxn_columns<T, 2, 16>(p, j);
                break;
            case kLanes:
                kxn_columns<T, 1, 16>(p, j);
                break;
            case kLanes / 2:
                kxn_columns<T, 1, 8>(p, j);
                break;
            case kLanes / 4:
                kxn_columns<T, 1, 4>(p, j);
                break;
            default:
                if constexpr (kLanes > 4) {
                    kxn_columns<T, 1, 2>(p, j);
                }
        }
    }
}

// ---- N x K

/// acc += rows x columns, `bytes` bytes of each.
template <class T, size_t bytes, size_t rows, size_t columns>
KAI_INLINE void nxk_step(
    typename T::Vector (&acc)[rows][columns], const uint8_t* const (&a)[rows], const uint8_t* const (&b)[columns],
    size_t at) {
    typename T::Vector x[columns];
    KAI_UNROLL(16)
    for (size_t c = 0; c < columns; ++c) {
        x[c] = load_first<T, bytes>(b[c] + at);
    }
    KAI_UNROLL(16)
    for (size_t r = 0; r < rows; ++r) {
        const typename T::Vector y = load_first<T, bytes>(a[r] + at);
        KAI_UNROLL(16)
        for (size_t c = 0; c < columns; ++c) {
            acc[r][c] = T::fma(acc[r][c], x[c], y);
        }
    }
}

/// Up to `rows` rows from row i on x `columns` columns from column j on.
template <class T, size_t rows, size_t columns>
void nxk_tile(const PlainGemm<T>& p, size_t i, size_t j) {
    using Element = typename T::Element;
    const size_t count = p.m - i < rows ? p.m - i : rows, width = p.n - j < columns ? p.n - j : columns;
    const uint8_t *a[rows], *b[columns];
    row_starts(a, p.lhs + i * p.lhs_stride, p.lhs_stride, count);
    row_starts(b, p.rhs + j * p.rhs_stride, p.rhs_stride, width);
    typename T::Vector acc[rows][columns];
    KAI_UNROLL(16)
    for (size_t r = 0; r < rows; ++r) {
        KAI_UNROLL(16)
        for (size_t c = 0; c < columns; ++c) {
            acc[r][c] = typename T::Vector{};
        }
    }
    const size_t depth = p.k * sizeof(Element), whole = depth & ~size_t{15};
    size_t at = 0;
    for (; at < whole; at += 16) {
        nxk_step<T, 16>(acc, a, b, at);
    }
    if ((depth & 8) != 0) {
        nxk_step<T, 8>(acc, a, b, at);
        at += 8;
    }
    if ((depth & 4) != 0) {
        nxk_step<T, 4>(acc, a, b, at);
        at += 4;
    }
    if constexpr (sizeof(Element) == 2) {
        if ((depth & 2) != 0) {
            nxk_step<T, 2>(acc, a, b, at);
        }
    }
    const PlainGemm<T>& q = *opaque_to_gcc(&p);  // not kept in registers during the loop
    const typename T::Vector lo = T::spread(q.lo), hi = T::spread(q.hi);
    uint8_t* dst = q.dst + i * q.dst_stride + j * sizeof(Element);
    typename T::Vector sums[rows][(columns * sizeof(Element) + 15) / 16];
    KAI_UNROLL(16)
    for (size_t r = 0; r < rows; ++r) {  // all rows, before any branch
        T::add_lanes(sums[r], acc[r]);
        for (typename T::Vector& sum : sums[r]) {
            sum = T::clamp(sum, lo, hi);
        }
    }
    KAI_UNROLL(16)
    for (size_t r = 0; r < rows; ++r) {
        if (r < count) {
            if (width == columns) {
                __builtin_memcpy(dst, sums[r], columns * sizeof(Element));
            } else {
                __builtin_memcpy(dst, sums[r], width * sizeof(Element));
            }
        }
        dst += q.dst_stride;
    }
}

template <class T>
KAI_INLINE void run_nxk(const PlainGemm<T>& p) {
    const auto tile = [](auto& p, auto rows, auto columns, size_t i, size_t j) __attribute__((always_inline)) {
        nxk_tile<T, rows, columns>(p, i, j);
    };
    nxk_tiles(p, tile);
}

}  // namespace
}  // namespace kai

/// The functions of a micro-kernel. T: the type of its elements.
#define KAI_DEFINE_MATMUL_PLAIN_NEON(T, NAME, LHS, RHS, M_STEP, N_STEP)                                           \
    KAI_DEFINE_MATMUL_GETTERS_PLAIN(NAME, RHS, M_STEP, N_STEP)                                                    \
    KAI_RUN_MATMUL_PLAIN(NAME) {                                                                                  \
        kai::check_output(dst_stride_col, kai::RHS.bits / 8, clamp_min, clamp_max);                               \
        if (m == 0) {                                                                                             \
            return;                                                                                               \
        }                                                                                                         \
        const auto lo = T::element(clamp_min), hi = T::element(clamp_max);                                        \
        const kai::PlainGemm<T> gemm =                                                                            \
            {m,  n, k, kai::bytes(lhs), lhs_stride, kai::bytes(rhs), rhs_stride, kai::bytes(dst), dst_stride_row, \
             lo, hi};                                                                                             \
        kai::RHS.kxn ? kai::run_kxn(gemm) : kai::run_nxk(gemm);                                                   \
    }
