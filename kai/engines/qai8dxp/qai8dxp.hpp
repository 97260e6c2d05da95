// Matmul with rows quantised at run time (qai8dxp): what a micro-kernel of the catalogue hands to an engine.
//
// Kernels that compute the same are one implementation: m_step, n_step and names differ. The source of an ISA
// (qai8dxp_<isa>.cpp) says which function serves which kernels of the catalogues (qai8dxp_families.inc).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/engines/qai8dxp/qai8dxp_args.h"
#include "kai/engines/core/getters.hpp"

namespace kai {

/// Elements of the RHS: those of a packed format of layout.hpp.
enum class RhsKind : size_t { int8, int4, int2, int4_blocks };
enum class OutKind : size_t { f32, f16, bf16 };  // assembly knows the numbers

KAI_STRUCT(Problem, KAI_PROBLEM);  // not in an unnamed namespace: other sources define functions that take it

namespace {

constexpr RhsKind rhs_kind(const Format& f) {
    return f.block_tail != 0 ? RhsKind::int4_blocks
           : f.bits == 8     ? RhsKind::int8
           : f.bits == 4     ? RhsKind::int4
                             : RhsKind::int2;
}

/// Steps of 32 k in a part of a block of bl: the block, or the largest equal parts of it with at most 256 k, so that
/// integer sums stay short (ShortSum).
KAI_INLINE size_t part_steps(size_t bl) {
    const size_t steps = bl / 32;
    if (steps <= 8) {
        return steps;
    }
    for (size_t part = 8;; --part) {
        if (steps % part == 0) {
            return part;
        }
    }
}

/// Bytes of an output element.
constexpr size_t element_bytes(OutKind out) {
    return out == OutKind::f32 ? 4 : 2;
}

}  // namespace
}  // namespace kai

/// @name The functions of a micro-kernel of the catalogue
///
/// ENGINE: a function that takes a const Problem*. T, OUT: float and f32, void and f16, void and bf16.
/// @{

/// A scale per channel.
#define KAI_DEFINE_MATMUL_QAI8DXP_CHANNELS(ENGINE, T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)            \
    KAI_DEFINE_MATMUL_GETTERS(NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, kai::element_bytes(kai::OutKind::OUT))  \
    KAI_RUN_MATMUL(NAME, T) {                                                                                         \
        kai::check_sums(k, kai::most_depth(kai::RHS));                                                                \
        kai::check_output(dst_stride_col, kai::element_bytes(kai::OutKind::OUT), clamp_min, clamp_max);               \
        KAI_RUN_PROBLEM(                                                                                              \
            ENGINE, OUT, RHS, NR, 0, (kai::LHS.stride({MR, KR, SR}, k)), (kai::RHS.stride({NR, KR, SR}, k)), nullptr) \
    }

/// Quantised in blocks of bl.
#define KAI_DEFINE_MATMUL_QAI8DXP_BLOCKS(ENGINE, T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)          \
    KAI_DEFINE_MATMUL_GETTERS_RHS_BL(                                                                             \
        NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, kai::element_bytes(kai::OutKind::OUT))                    \
    KAI_RUN_MATMUL_BL(NAME, T) {                                                                                  \
        kai::check_blocks(k, bl);                                                                                 \
        kai::check_output(dst_stride_col, kai::element_bytes(kai::OutKind::OUT), clamp_min, clamp_max);           \
        KAI_RUN_PROBLEM(                                                                                          \
            ENGINE, OUT, RHS, NR, bl, (kai::LHS.stride({MR, KR, SR}, k)), (kai::RHS.stride({NR, KR, SR}, k, bl)), \
            nullptr)                                                                                              \
    }

/// Indices of a table of weights.
#define KAI_DEFINE_MATMUL_QAI8DXP_TABLE(ENGINE, T, OUT, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP)      \
    KAI_DEFINE_MATMUL_GETTERS_MULTIPLE(                                                                      \
        32, NAME, LHS, RHS, MR, NR, KR, SR, M_STEP, N_STEP, kai::element_bytes(kai::OutKind::OUT))           \
    KAI_RUN_MATMUL_LUT(NAME, T) {                                                                            \
        kai::check_depth(k, 32);                                                                             \
        kai::check_output(dst_stride_col, kai::element_bytes(kai::OutKind::OUT), clamp_min, clamp_max);      \
        KAI_RUN_PROBLEM(                                                                                     \
            ENGINE, OUT, RHS, NR, 0, (kai::LHS.stride({MR, KR, SR}, k)), (kai::RHS.stride({NR, KR, SR}, k)), \
            lut != nullptr ? lut : kai::kDefaultTable)                                                       \
    }

/// Also of engines without a scale per row of the LHS: calls ENGINE with what the arguments of the function say.
#define KAI_RUN_PROBLEM(ENGINE, OUT, RHS, NR, BL, LHS_STRIDE, RHS_STRIDE, LUT) \
    const kai::Problem problem{m,                                              \
                               n,                                              \
                               k,                                              \
                               BL,                                             \
                               kai::bytes(lhs),                                \
                               kai::bytes(rhs),                                \
                               dst,                                            \
                               dst_stride_row,                                 \
                               clamp_min,                                      \
                               clamp_max,                                      \
                               LUT,                                            \
                               NR,                                             \
                               LHS_STRIDE,                                     \
                               RHS_STRIDE,                                     \
                               kai::rhs_kind(kai::RHS),                        \
                               kai::OutKind::OUT};                             \
    ENGINE(&problem);
/// @}
