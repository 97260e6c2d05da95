// How the entries of the registry are called: one row per signature, which says what its functions are and where their
// arguments are in a structure that all signatures share. Everything that depends on a signature follows:
// kai_call.h, the packers of a kernel, and in the tests calls through a trampoline and functions that misbehave.
//
//     kai::KernelArgs a = {};
//     a.m = 37, ...
//     kai::run(u, a, kai::Direct{});
//
// The last argument performs the call: policy(function, arguments...), with the function and its arguments in their
// types.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include "kai/kai_gguf.h"
#include "kai/kai_registry.h"
#include "kai/engines/core/base.hpp"
#include "kai/ukernels/matmul/kai_matmul.h"
#include "kai/ukernels/matmul/kai_matmul_pack_lhs.h"
#include "kai/ukernels/matmul/kai_matmul_pack_rhs.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

namespace kai {

/// Arguments of a micro-kernel and its getters. Pointers are those of the part that is computed.
struct KernelArgs {
    size_t m, n, k, bl;
    size_t k_chunk_count, k_chunk_length;  ///< Indirect: k as chunks (set_depth).
    const void* lhs;                       ///< Indirect without packing: the table of pointers.
    size_t lhs_stride;                     ///< Rows that are not packed. Unified: also panels; 0: the dense ones.
    const void* pad_ptr;                   ///< Of a table of pointers.
    size_t lhs_ptr_offset;
    const void* rhs;
    size_t rhs_stride;  ///< Rows that are not packed. Unified: panels; 0: the dense ones.
    void* dst;
    size_t dst_stride_row, dst_stride_col;
    float clamp_min, clamp_max;
    const kai_matmul_requantize32_params* requantize;  ///< int8 results: bounds and zero point.
    const kai_matmul_lowp_params* lowp;                ///< Low precision. Per channel: of the first column.
    const kai_matmul_offsets* offsets;                 ///< int32 sums. Of rows and columns: of the first ones.
    const int32_t* lut;
    bool clamp;                                                      ///< Unified: whether the bounds count.
    const void *acc_bias_m, *acc_bias_n, *scale_bias_n, *acc_scale;  ///< Unified (kai_matmul.h).
    size_t index;                                                    ///< Getters: the row or column.
    size_t table_stride;  ///< Bytes of the pointers of a row. Set by lhs_offset.
};

/// Arguments of a packer and its getters. Members without a meaning for a signature are ignored.
struct PackerArgs {
    size_t count;  ///< Rows of the LHS, columns of the RHS.
    size_t k, bl;
    size_t k_chunk_count, k_chunk_length;  ///< Indirect: k as chunks (set_depth).
    size_t rows, kr, sr;                   ///< rows: mr or nr
    const void* source;                    ///< Indirect LHS: the table of pointers.
    size_t stride;                         ///< Of the rows of the source.
    size_t m_idx_start;                    ///< LHS packers.
    const size_t* indices;                 ///< Of the rows of an LHS (run_rows).
    const void* pad_ptr;                   ///< Of a table of pointers.
    size_t lhs_ptr_offset;
    size_t num_groups, extra_bytes;
    const void *zero, *bias, *scale;
    size_t scale_stride;
    const void *no_bias, *no_scale, *no_params;     ///< Parameters that must be NULL.
    const void* params;                             ///< Of the type of the signature (make_params).
    const void *scale_global, *k_sum_scale_global;  ///< Unified, instead of params.
    const int32_t* lut;
    const int8_t* table;  ///< 16 values.
    kai_datatype scale_dt;
    void* packed;
    size_t packed_stride;  ///< Unified: panels; 0: the dense ones.
    uint64_t flags;        ///< Unified.
    size_t index;          ///< Getters: the row or column.
};

namespace {

/// Depth k in `chunks` chunks.
template <typename Args>
KAI_INLINE void set_depth(Args& a, size_t k, size_t chunks = 1) {
    a.k = k;
    a.k_chunk_count = chunks;
    a.k_chunk_length = chunks == 1 ? k : k / chunks;  // avoids a division, which takes as long as all the rest
}

/// The arguments that are not 0 by default.
KAI_INLINE PackerArgs packer_args() {
    PackerArgs a = {};
    a.num_groups = 1;
    a.scale_dt = kai_dt_bf16;
    return a;
}

/// Calls the function.
struct Direct {
    template <typename F, typename... A>
    KAI_INLINE auto operator()(F* function, A... arguments) const {
        return function(arguments...);
    }
};

template <typename F>
KAI_INLINE F* as(kai_any_fn* function) {
    return reinterpret_cast<F*>(function);
}

template <auto A, auto B>
inline constexpr bool kSame = false;
template <auto A>
inline constexpr bool kSame<A, A> = true;

/// A function type, and the members that its arguments are.
template <typename F, auto... Fields>
struct Function;

template <typename R, typename... P, auto... Fields>
struct Function<R(P...), Fields...> {
    using Type = R(P...);

    template <auto Field>
    static constexpr bool takes = (kSame<Field, Fields> || ...);

    template <typename Policy, typename Args>
    KAI_INLINE static R call(kai_any_fn* function, const Args& a, Policy policy) {
        return policy(as<R(P...)>(function), static_cast<P>(a.*Fields)...);
    }

    /// The other way: a function of this type that fills the structure and passes it on.
    template <typename Args, R (*To)(const Args&)>
    static R receive(P... arguments) {
        Args a = {};
        ((a.*Fields = arguments), ...);
        return To(a);
    }
};

/// Stands for a function that does not exist.
struct NoFunction {
    using Type = void;

    template <auto Field>
    static constexpr bool takes = false;

    template <typename Policy, typename Args>
    KAI_INLINE static size_t call(kai_any_fn*, const Args&, Policy) {
        return 0;
    }
};

/// What packers and micro-kernels that belong together have in common. file: packers of blocks of GGUF files, for
/// classic micro-kernels, but found by the type of the file.
enum class Kind : uint8_t { classic, indirect, unified, depthwise, file };

// ---- micro-kernels ----

using K = KernelArgs;

using Offset = Function<kai_get_packed_offset_fn, &K::index, &K::k>;
using OffsetBl = Function<kai_get_packed_offset_bl_fn, &K::index, &K::k, &K::bl>;
using OffsetChunks = Function<kai_get_packed_offset_chunks_fn, &K::index, &K::k_chunk_count, &K::k_chunk_length>;
using OffsetRows = Function<kai_get_offset_fn, &K::index, &K::lhs_stride>;
using OffsetRhs = Function<kai_get_offset_fn, &K::index, &K::rhs_stride>;
using OffsetTable = Function<kai_get_offset_fn, &K::index, &K::table_stride>;

/// Arguments with which most functions begin, and end.
template <typename F, auto... Fields>
using RunClamped = Function<
    F, &K::m, &K::n, &K::k, Fields..., &K::dst, &K::dst_stride_row, &K::dst_stride_col, &K::clamp_min, &K::clamp_max>;
using RunMatmul = RunClamped<kai_run_matmul_fn, &K::lhs, &K::rhs>;
using RunBl = RunClamped<kai_run_matmul_bl_fn, &K::bl, &K::lhs, &K::rhs>;
using RunRows = RunClamped<kai_run_matmul_rows_fn, &K::lhs, &K::lhs_stride, &K::rhs>;
using RunPlain = RunClamped<kai_run_matmul_plain_fn, &K::lhs, &K::lhs_stride, &K::rhs, &K::rhs_stride>;
using RunFile = RunClamped<kai_run_matmul_file_fn, &K::lhs, &K::rhs, &K::rhs_stride>;
using RunLut = Function<
    kai_run_matmul_lut_f32_fn, &K::m, &K::n, &K::k, &K::lhs, &K::rhs, &K::dst, &K::dst_stride_row, &K::dst_stride_col,
    &K::clamp_min, &K::clamp_max, &K::lut>;
using RunQai8 = Function<
    kai_run_matmul_qai8_fn, &K::m, &K::n, &K::k, &K::lhs, &K::rhs, &K::dst, &K::dst_stride_row, &K::dst_stride_col,
    &K::requantize>;
using RunRowsStatic = Function<
    kai_run_matmul_rows_static_fn, &K::m, &K::n, &K::k, &K::lhs, &K::lhs_stride, &K::rhs, &K::dst, &K::dst_stride_row,
    &K::dst_stride_col, &K::requantize>;
using RunLowp = Function<
    kai_run_matmul_lowp_fn, &K::m, &K::n, &K::k, &K::lhs, &K::lhs_stride, &K::rhs, &K::dst, &K::dst_stride_row,
    &K::dst_stride_col, &K::lowp>;
using RunLowpPlain = Function<
    kai_run_matmul_lowp_plain_fn, &K::m, &K::n, &K::k, &K::lhs, &K::lhs_stride, &K::rhs, &K::rhs_stride, &K::dst,
    &K::dst_stride_row, &K::dst_stride_col, &K::lowp>;
using RunInt32 = Function<
    kai_run_matmul_int32_fn, &K::m, &K::n, &K::k, &K::lhs, &K::lhs_stride, &K::rhs, &K::dst, &K::dst_stride_row,
    &K::dst_stride_col, &K::offsets>;
using RunChunks = Function<
    kai_run_imatmul_fn, &K::m, &K::n, &K::k_chunk_count, &K::k_chunk_length, &K::lhs, &K::rhs, &K::dst,
    &K::dst_stride_row, &K::clamp_min, &K::clamp_max>;
using RunChunksQai8 = Function<
    kai_run_imatmul_qai8_fn, &K::m, &K::n, &K::k_chunk_count, &K::k_chunk_length, &K::lhs, &K::rhs, &K::dst,
    &K::dst_stride_row, &K::requantize>;
using RunTable = Function<
    kai_run_imatmul_rows_fn, &K::m, &K::n, &K::k_chunk_count, &K::k_chunk_length, &K::lhs, &K::pad_ptr,
    &K::lhs_ptr_offset, &K::rhs, &K::dst, &K::dst_stride_row, &K::clamp_min, &K::clamp_max>;
using RunTableQai8 = Function<
    kai_run_imatmul_rows_qai8_fn, &K::m, &K::n, &K::k_chunk_count, &K::k_chunk_length, &K::lhs, &K::pad_ptr,
    &K::lhs_ptr_offset, &K::rhs, &K::dst, &K::dst_stride_row, &K::requantize>;
using RunTableLowp = Function<
    kai_run_imatmul_rows_lowp_fn, &K::m, &K::n, &K::k_chunk_count, &K::k_chunk_length, &K::lhs, &K::pad_ptr,
    &K::lhs_ptr_offset, &K::rhs, &K::dst, &K::dst_stride_row, &K::lowp>;

/// Arguments in structures. Bl: with the length of blocks in the config; Rows: with the rows (columns) of a panel.
struct Unified {};
struct UnifiedBl {};
struct UnifiedPackBl {};
struct UnifiedPackFile {};
struct UnifiedPackRows {};

/// The functions of a signature.
template <typename RunType, typename LhsOffsetType, typename RhsOffsetType>
struct UkernelOf {
    using Run = RunType;
    using LhsOffset = LhsOffsetType;
    using RhsOffset = RhsOffsetType;
};

/// The type of `run` with float* instead of void*: for results, or for the rows of an LHS. A signature has both, see
/// has_floats.
/// @{
template <typename Run>
struct FloatsOf {
    using Type = Run;
};
template <>
struct FloatsOf<RunMatmul> {
    using Type = RunClamped<kai_run_matmul_f32_fn, &K::lhs, &K::rhs>;
};
template <>
struct FloatsOf<RunBl> {
    using Type = RunClamped<kai_run_matmul_bl_f32_fn, &K::bl, &K::lhs, &K::rhs>;
};
/// @}

// All signatures. Depthwise convolution has operands and a shape of its own (kai/ukernels/dwconv): not called here.
#define KAI_UKERNEL_SIGNATURES(ROW)                                                        \
    ROW(KAI_UKERNEL_MATMUL, UkernelOf<RunMatmul, Offset, Offset>)                          \
    ROW(KAI_UKERNEL_MATMUL_BL, UkernelOf<RunBl, OffsetBl, OffsetBl>)                       \
    ROW(KAI_UKERNEL_MATMUL_RHS_BL, UkernelOf<RunBl, Offset, OffsetBl>)                     \
    ROW(KAI_UKERNEL_MATMUL_LUT, UkernelOf<RunLut, Offset, Offset>)                         \
    ROW(KAI_UKERNEL_MATMUL_QAI8, UkernelOf<RunQai8, Offset, Offset>)                       \
    ROW(KAI_UKERNEL_MATMUL_ROWS, UkernelOf<RunRows, OffsetRows, Offset>)                   \
    ROW(KAI_UKERNEL_MATMUL_ROWS_QAI8, UkernelOf<RunQai8, OffsetRows, Offset>)              \
    ROW(KAI_UKERNEL_MATMUL_ROWS_STATIC, UkernelOf<RunRowsStatic, OffsetRows, Offset>)      \
    ROW(KAI_UKERNEL_MATMUL_PLAIN, UkernelOf<RunPlain, OffsetRows, OffsetRhs>)              \
    ROW(KAI_UKERNEL_MATMUL_FILE, UkernelOf<RunFile, Offset, OffsetRhs>)                    \
    ROW(KAI_UKERNEL_MATMUL_LOWP, UkernelOf<RunLowp, OffsetRows, Offset>)                   \
    ROW(KAI_UKERNEL_MATMUL_LOWP_PLAIN, UkernelOf<RunLowpPlain, OffsetRows, OffsetRhs>)     \
    ROW(KAI_UKERNEL_MATMUL_INT32, UkernelOf<RunInt32, OffsetRows, Offset>)                 \
    ROW(KAI_UKERNEL_IMATMUL, UkernelOf<RunChunks, OffsetChunks, OffsetChunks>)             \
    ROW(KAI_UKERNEL_IMATMUL_QAI8, UkernelOf<RunChunksQai8, OffsetChunks, OffsetChunks>)    \
    ROW(KAI_UKERNEL_IMATMUL_ROWS, UkernelOf<RunTable, OffsetTable, OffsetChunks>)          \
    ROW(KAI_UKERNEL_IMATMUL_ROWS_QAI8, UkernelOf<RunTableQai8, OffsetTable, OffsetChunks>) \
    ROW(KAI_UKERNEL_IMATMUL_ROWS_LOWP, UkernelOf<RunTableLowp, OffsetTable, OffsetChunks>) \
    ROW(KAI_UKERNEL_UNIFIED, UkernelOf<Unified, NoFunction, NoFunction>)                   \
    ROW(KAI_UKERNEL_UNIFIED_BL, UkernelOf<UnifiedBl, NoFunction, NoFunction>)              \
    ROW(KAI_UKERNEL_DWCONV, UkernelOf<NoFunction, NoFunction, NoFunction>)                 \
    ROW(KAI_UKERNEL_DWCONV_TILES, UkernelOf<NoFunction, NoFunction, NoFunction>)           \
    ROW(KAI_UKERNEL_DWCONV_TILES_QAI8, UkernelOf<NoFunction, NoFunction, NoFunction>)

// ---- packers ----

using P = PackerArgs;

/// Getters of the sizes and offsets of packed operands. Both have the same type.
using PackedLhsBl = Function<kai_get_lhs_packed_size_bl_fn, &P::count, &P::k, &P::bl, &P::rows, &P::kr, &P::sr>;
using PackedLhs = Function<kai_get_lhs_packed_size_fn, &P::count, &P::k, &P::rows, &P::kr, &P::sr>;
using PackedBl = Function<kai_get_rhs_packed_size_bl_fn, &P::count, &P::k, &P::rows, &P::kr, &P::bl>;
using PackedBlDt =
    Function<kai_get_rhs_packed_size_bl_dt_fn, &P::count, &P::k, &P::rows, &P::kr, &P::sr, &P::bl, &P::scale_dt>;
using PackedCx = Function<kai_get_rhs_packed_size_cx_fn, &P::count, &P::k, &P::rows, &P::kr, &P::sr>;
using PackedNr = Function<kai_get_rhs_packed_size_nr_fn, &P::count, &P::k, &P::rows, &P::kr>;
using PackedPlain = Function<kai_get_rhs_packed_size_fn, &P::count, &P::k>;
using PackedChunks = Function<kai_get_packed_size_chunks_fn, &P::count, &P::k_chunk_count, &P::k_chunk_length>;
using PackedChunksNr =
    Function<kai_get_packed_size_chunks_nr_fn, &P::count, &P::k_chunk_count, &P::k_chunk_length, &P::rows>;

/// Offsets in the source: of a line, or of an element in the first one.
using SourceLine = Function<kai_get_offset_fn, &P::index, &P::stride>;
using SourceElement = Function<kai_get_n_offset_fn, &P::index>;

using PackLhsBl = Function<
    kai_run_lhs_pack_bl_fn, &P::count, &P::k, &P::bl, &P::rows, &P::kr, &P::sr, &P::m_idx_start, &P::source, &P::stride,
    &P::packed>;
using PackLhs = Function<
    kai_run_lhs_pack_fn, &P::count, &P::k, &P::rows, &P::kr, &P::sr, &P::m_idx_start, &P::source, &P::stride,
    &P::packed>;
template <>
struct FloatsOf<PackLhsBl> {
    using Type = Function<
        kai_run_lhs_pack_bl_f32_fn, &P::count, &P::k, &P::bl, &P::rows, &P::kr, &P::sr, &P::m_idx_start, &P::source,
        &P::stride, &P::packed>;
};
template <>
struct FloatsOf<PackLhs> {
    using Type = Function<
        kai_run_lhs_quant_pack_f32_fn, &P::count, &P::k, &P::rows, &P::kr, &P::sr, &P::m_idx_start, &P::source,
        &P::stride, &P::packed>;
};
using PackLhsRows = Function<
    kai_run_lhs_pack_rows_fn, &P::count, &P::k, &P::bl, &P::rows, &P::kr, &P::sr, &P::indices, &P::source, &P::stride,
    &P::packed>;
using PackTable = Function<
    kai_run_lhs_imatmul_pack_fn, &P::count, &P::k_chunk_count, &P::k_chunk_length, &P::source, &P::lhs_ptr_offset,
    &P::pad_ptr, &P::packed>;

/// Arguments with which most functions of RHS packers begin, and end.
template <typename F, auto... Fields>
using PackRhs = Function<F, &P::num_groups, &P::count, &P::k, &P::rows, &P::kr, &P::sr, Fields...>;

using PackBl =
    PackRhs<kai_run_rhs_pack_nxk_qsu4c32_fn, &P::bl, &P::source, &P::no_bias, &P::packed, &P::extra_bytes, &P::params>;
using PackBlZero = PackRhs<
    kai_run_rhs_pack_nxk_qau4c32_fn, &P::bl, &P::source, &P::zero, &P::bias, &P::scale, &P::packed, &P::extra_bytes,
    &P::params>;
template <typename F>
using PackBlBf16 = PackRhs<
    F, &P::bl, &P::source, &P::stride, &P::bias, &P::scale, &P::scale_stride, &P::packed, &P::extra_bytes, &P::params>;
using PackNxkBf16 = PackBlBf16<kai_run_rhs_pack_nxk_qsu4c32s1s0_fn>;
using PackKxnBf16 = PackBlBf16<kai_run_rhs_pack_kxn_qsu4c32s1s0_fn>;
template <typename F, auto... More>
using PackCx = PackRhs<F, &P::source, &P::bias, &P::scale, &P::packed, &P::extra_bytes, &P::params, More...>;
using PackQs4Cx = PackCx<kai_run_rhs_pack_qs4cx_fn>;
using PackQsi8Cx = PackCx<kai_run_rhs_pack_qsi8cx_fn>;
using PackQsu2Cx = PackCx<kai_run_rhs_pack_qsu2cx_fn, &P::lut>;
using PackIndices = PackRhs<
    kai_run_rhs_pack_nxk_qlu4c32_fn, &P::source, &P::stride, &P::table, &P::packed, &P::extra_bytes, &P::no_params>;
using PackElements = PackRhs<
    kai_run_rhs_pack_fn, &P::stride, &P::source, &P::bias, &P::no_scale, &P::packed, &P::extra_bytes, &P::no_params>;
using PackInt8 = PackRhs<
    kai_run_rhs_pack_qs8cx_i32_fn, &P::stride, &P::source, &P::bias, &P::scale, &P::packed, &P::extra_bytes,
    &P::params>;
using PackChunks = Function<
    kai_run_rhs_imatmul_pack_fn, &P::count, &P::k_chunk_count, &P::k_chunk_length, &P::stride, &P::source, &P::bias,
    &P::packed>;
using PackChunksNr = Function<
    kai_run_rhs_imatmul_pack_nr_fn, &P::count, &P::k_chunk_count, &P::k_chunk_length, &P::rows, &P::stride, &P::source,
    &P::bias, &P::packed>;
using PackChunksInt8 = Function<
    kai_run_rhs_imatmul_pack_qs8cx_i32_fn, &P::count, &P::k_chunk_count, &P::k_chunk_length, &P::stride, &P::source,
    &P::bias, &P::scale, &P::packed, &P::params>;

using PackF8 = PackRhs<
    kai_run_rhs_pack_f8c32_fn, &P::bl, &P::source, &P::stride, &P::bias, &P::scale, &P::scale_stride, &P::packed,
    &P::extra_bytes, &P::no_params>;

using PackFile =
    PackRhs<kai_run_rhs_pack_nxk_gguf_fn, &P::source, &P::stride, &P::packed, &P::extra_bytes, &P::no_params>;

/// The source: an LHS, or an RHS as rows of k or of n elements.
enum class Source : uint8_t { mxk, nxk, kxn };

struct NoParams {};
using Nibbles = kai_rhs_pack_qs4cxs1s0_param;
using Int8 = kai_rhs_pack_qsi8cx_params;
using NxkBf16 = kai_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0_params;
using KxnBf16 = kai_rhs_pack_kxn_qsi4c32p_qsu4c32s1s0_params;

/// The functions of a signature. `ParamsType`: what params points to. `zero_point`: the only one that the elements of
/// an RHS may have; -1: it is an argument, or there is none.
template <
    Source source, typename RunType, typename PackedType = NoFunction, typename SourceOffsetType = NoFunction,
    typename ParamsType = NoParams, int zero_point = -1>
struct PackerOf {
    using Run = RunType;
    using Packed = PackedType;
    using SourceOffset = SourceOffsetType;
    using Params = ParamsType;
    static constexpr Source kSource = source;
    static constexpr int kZeroPoint = zero_point;
};
// All signatures.
#define KAI_PACKER_SIGNATURES(ROW)                                                                                    \
    ROW(KAI_LHS_PACK_BL, PackerOf<Source::mxk, PackLhsBl, PackedLhsBl, SourceLine>)                                   \
    ROW(KAI_LHS_PACK, PackerOf<Source::mxk, PackLhs, PackedLhs, SourceLine>)                                          \
    ROW(KAI_LHS_QUANT_PACK, PackerOf<Source::mxk, PackLhs, PackedLhs, SourceLine>)                                    \
    ROW(KAI_LHS_IMATMUL_PACK, PackerOf<Source::mxk, PackTable, PackedChunks>)                                         \
    ROW(KAI_LHS_PACK_UNIFIED, PackerOf<Source::mxk, Unified>)                                                         \
    ROW(KAI_RHS_PACK_NXK_BL, PackerOf<Source::nxk, PackBl, PackedBl, SourceLine, Nibbles, 8>)                         \
    ROW(KAI_RHS_PACK_NXK_BL_ZERO, PackerOf<Source::nxk, PackBlZero, PackedBl, SourceLine, Nibbles, 8>)                \
    ROW(KAI_RHS_PACK_NXK_BL_BF16, PackerOf<Source::nxk, PackNxkBf16, PackedBlDt, SourceLine, NxkBf16, 8>)             \
    ROW(KAI_RHS_PACK_KXN_BL_BF16, PackerOf<Source::kxn, PackKxnBf16, PackedBlDt, SourceLine, KxnBf16, 8>)             \
    ROW(KAI_RHS_PACK_NXK_QS4CX, PackerOf<Source::nxk, PackQs4Cx, PackedCx, SourceLine, Nibbles>)                      \
    ROW(KAI_RHS_PACK_KXN_QS4CX, PackerOf<Source::kxn, PackQs4Cx, PackedCx, SourceLine, Nibbles>)                      \
    ROW(KAI_RHS_PACK_NXK_QSI8CX, PackerOf<Source::nxk, PackQsi8Cx, PackedCx, SourceLine, Int8>)                       \
    ROW(KAI_RHS_PACK_KXN_QSI8CX, PackerOf<Source::kxn, PackQsi8Cx, PackedCx, SourceLine, Int8>)                       \
    ROW(KAI_RHS_PACK_NXK_QSU2CX, PackerOf<Source::nxk, PackQsu2Cx, PackedCx, SourceLine, Nibbles, 2>)                 \
    ROW(KAI_RHS_PACK_KXN, PackerOf<Source::kxn, PackElements, PackedPlain, SourceElement>)                            \
    ROW(KAI_RHS_PACK_NXK, PackerOf<Source::nxk, PackElements, PackedPlain, SourceLine>)                               \
    ROW(KAI_RHS_PACK_KXN_NR, PackerOf<Source::kxn, PackElements, PackedNr, SourceElement>)                            \
    ROW(KAI_RHS_PACK_KXN_QS8CX_I32, PackerOf<Source::kxn, PackInt8, PackedPlain, SourceElement, Int8>)                \
    ROW(KAI_RHS_IMATMUL_PACK_KXN, PackerOf<Source::kxn, PackChunks, PackedChunks, SourceElement>)                     \
    ROW(KAI_RHS_IMATMUL_PACK_NXK, PackerOf<Source::nxk, PackChunks, PackedChunks, SourceLine>)                        \
    ROW(KAI_RHS_IMATMUL_PACK_KXN_QS8CX_I32, PackerOf<Source::kxn, PackChunksInt8, PackedChunks, SourceElement, Int8>) \
    ROW(KAI_RHS_PACK_KXN_UNIFIED, PackerOf<Source::kxn, Unified>)                                                     \
    ROW(KAI_RHS_PACK_NXK_UNIFIED, PackerOf<Source::nxk, Unified>)                                                     \
    ROW(KAI_RHS_PACK_KXN_UNIFIED_BL, PackerOf<Source::kxn, UnifiedPackBl>)                                            \
    ROW(KAI_RHS_PACK_NXK_UNIFIED_BL, PackerOf<Source::nxk, UnifiedPackBl>)                                            \
    ROW(KAI_RHS_PACK_NXK_UNIFIED_GGUF, PackerOf<Source::nxk, UnifiedPackFile>)                                        \
    ROW(KAI_LHS_PACK_UNIFIED_MR, PackerOf<Source::mxk, UnifiedPackRows>)                                              \
    ROW(KAI_RHS_PACK_KXN_UNIFIED_NR, PackerOf<Source::kxn, UnifiedPackRows>)                                          \
    ROW(KAI_RHS_PACK_NXK_UNIFIED_NR, PackerOf<Source::nxk, UnifiedPackRows>)                                          \
    ROW(KAI_RHS_IMATMUL_PACK_NXK_NR, PackerOf<Source::nxk, PackChunksNr, PackedChunksNr, SourceLine>)                 \
    ROW(KAI_RHS_DWCONV_PACK, PackerOf<Source::kxn, NoFunction>)                                                       \
    ROW(KAI_RHS_DWCONV_PACK_QS8CX_I32, PackerOf<Source::kxn, NoFunction>)                                             \
    ROW(KAI_RHS_PACK_NXK_GGUF, PackerOf<Source::nxk, PackFile, PackedCx, SourceLine>)                                 \
    ROW(KAI_RHS_PACK_NXK_TABLE, PackerOf<Source::nxk, PackIndices, PackedCx, SourceLine>)                             \
    ROW(KAI_RHS_PACK_NXK_F8, PackerOf<Source::nxk, PackF8, PackedBl, SourceLine>)                                     \
    ROW(KAI_RHS_PACK_KXN_F8, PackerOf<Source::kxn, PackF8, PackedBl, SourceLine>)

#define KAI_CASE(SIGNATURE, ...) \
    case SIGNATURE:              \
        return f(__VA_ARGS__{});

/// f(UkernelOf<...>{}), f(PackerOf<...>{}) of the signature.
/// @{
template <typename F>
KAI_INLINE auto with_signature(kai_ukernel_signature signature, F f) {
    switch (signature) { KAI_UKERNEL_SIGNATURES(KAI_CASE) }
    __builtin_unreachable();
}
template <typename F>
KAI_INLINE auto with_signature(kai_packer_signature signature, F f) {
    switch (signature) { KAI_PACKER_SIGNATURES(KAI_CASE) }
    __builtin_unreachable();
}
/// @}
#undef KAI_CASE

/// The functions of a signature as a type.
/// @{
template <auto signature>
struct FunctionsOf;
#define KAI_ROW(SIGNATURE, ...)     \
    template <>                     \
    struct FunctionsOf<SIGNATURE> { \
        using Type = __VA_ARGS__;   \
    };
KAI_UKERNEL_SIGNATURES(KAI_ROW)
KAI_PACKER_SIGNATURES(KAI_ROW)
#undef KAI_ROW
/// @}

/// Whether `run` writes float* (a micro-kernel), or reads const float* (an LHS packer), where FloatsOf tells two types
/// apart: where numbers are quantised, as kai_registry.h says. The registry checks it for all entries.
/// @{
constexpr bool has_floats(kai_datatype dst_type, const char* rhs_format) {
    return dst_type == kai_dt_f32 && rhs_format[0] == 'q';
}
constexpr bool has_floats(const char* source_format, const char* format) {
    return source_format[0] == 'f' && source_format[1] == '3' && format[0] == 'q';
}
KAI_INLINE bool has_floats(const kai_ukernel& u) {
    return has_floats(u.dst_type, u.rhs_format);
}
KAI_INLINE bool has_floats(const kai_packer& p) {
    return has_floats(p.source_format, p.format);
}
/// @}

/// f(Run{}) or f(FloatsOf<Run>::Type{}): the type of the entry's function.
template <typename Run, typename Entry, typename F>
KAI_INLINE auto with_type(const Entry& e, F f) {
    if (has_floats(e)) {
        return f(typename FloatsOf<Run>::Type{});
    }
    return f(Run{});
}

/// @name What a signature says, of micro-kernels and of packers
/// @{
template <auto Field, typename Run>
inline constexpr bool kTakes = Run::template takes<Field>;
template <auto Field>
inline constexpr bool kTakes<Field, Unified> = false;
template <auto Field>
inline constexpr bool kTakes<Field, UnifiedBl> = kSame<Field, &K::bl>;

template <auto Field>
inline constexpr bool kTakes<Field, UnifiedPackFile> = false;
template <auto Field>
inline constexpr bool kTakes<Field, UnifiedPackBl> = kSame<Field, &P::bl> || kSame<Field, &P::scale_stride>;
template <auto Field>
inline constexpr bool kTakes<Field, UnifiedPackRows> = kSame<Field, &P::rows>;

template <typename Run>
inline constexpr Kind kKind =
    kTakes<&K::k_chunk_count, Run> || kTakes<&P::k_chunk_count, Run> ? Kind::indirect : Kind::classic;
template <>
inline constexpr Kind kKind<Unified> = Kind::unified;
template <>
inline constexpr Kind kKind<UnifiedBl> = Kind::unified;
template <>
inline constexpr Kind kKind<UnifiedPackBl> = Kind::unified;
template <>
inline constexpr Kind kKind<UnifiedPackFile> = Kind::unified;
template <>
inline constexpr Kind kKind<UnifiedPackRows> = Kind::unified;
template <>
inline constexpr Kind kKind<NoFunction> = Kind::depthwise;
template <>
inline constexpr Kind kKind<PackFile> = Kind::file;

template <typename Entry>
KAI_INLINE Kind kind_of(const Entry& e) {
    return with_signature(e.signature, [](auto s) { return kKind<typename decltype(s)::Run>; });
}
/// Whether its function takes this argument.
template <auto Field, typename Entry>
KAI_INLINE bool takes(const Entry& e) {
    return with_signature(e.signature, [](auto s) { return kTakes<Field, typename decltype(s)::Run>; });
}
template <typename Entry>
KAI_INLINE bool is_indirect(const Entry& e) {
    return kind_of(e) == Kind::indirect;
}
template <typename Entry>
KAI_INLINE bool is_unified(const Entry& e) {
    return kind_of(e) == Kind::unified;
}
template <typename Entry>
KAI_INLINE bool is_depthwise(const Entry& e) {
    return kind_of(e) == Kind::depthwise;
}
/// @}

/// @name What a signature says of its micro-kernels
/// @{
/// Whether the RHS, and perhaps the LHS, is quantised in blocks.
KAI_INLINE bool has_blocks(const kai_ukernel& u) {
    return takes<&K::bl>(u);
}
KAI_INLINE bool lhs_has_blocks(const kai_ukernel& u) {
    return u.signature == KAI_UKERNEL_MATMUL_BL ||
           (u.signature == KAI_UKERNEL_UNIFIED_BL && strstr(u.lhs_format, "d32p") != nullptr);
}
/// Whether it is of the unified API and takes the weights of its nibbles as a table of 16.
KAI_INLINE bool has_nibble_table(const kai_ukernel& u) {
    return u.signature == KAI_UKERNEL_UNIFIED_BL && strcmp(u.rhs_format, "qsi4c32ps1s0scalef16") == 0;
}
/// Whether the RHS is indices of a table.
KAI_INLINE bool has_lut(const kai_ukernel& u) {
    return takes<&K::lut>(u);
}
/// Whether it finds its unpacked rows through a table of pointers, in groups of m_step.
KAI_INLINE bool takes_pointers(const kai_ukernel& u) {
    return takes<&K::pad_ptr>(u);
}
/// Whether its RHS comes from a packer. Otherwise the RHS has a stride.
KAI_INLINE bool rhs_is_packed(const kai_ukernel& u) {
    return !takes<&K::rhs_stride>(u);
}
/// Whether its LHS comes from a packer. The unified API has one signature for both: names of packed formats have a `p`.
KAI_INLINE bool lhs_is_packed(const kai_ukernel& u) {
    if (is_unified(u)) {
        return strchr(u.lhs_format, 'p') != nullptr;
    }
    const bool rows = takes<&K::lhs_stride>(u) || takes_pointers(u) || u.signature == KAI_UKERNEL_MATMUL_ROWS_QAI8;
    return !rows && !is_depthwise(u);
}
/// Whether an RHS that is not packed is K x N: rows of n elements.
KAI_INLINE bool is_kxn(const kai_ukernel& u) {
    return strstr(u.rhs_format, "_kxn") != nullptr;
}
/// @}

/// @name What a signature says of its packers
/// @{
template <typename Params>
constexpr bool is_multiplier(Params) {
    return false;
}
[[maybe_unused]] constexpr bool is_multiplier(Int8) {
    return true;
}
KAI_INLINE Source source_of(const kai_packer& p) {
    return with_signature(p.signature, [](auto s) { return decltype(s)::kSource; });
}
KAI_INLINE bool is_lhs(const kai_packer& p) {
    return source_of(p) == Source::mxk;
}
KAI_INLINE bool is_kxn(const kai_packer& p) {
    return source_of(p) == Source::kxn;
}
/// Rows are of a GGUF file.
KAI_INLINE bool is_file(const kai_packer& p) {
    return kind_of(p) == Kind::file || p.signature == KAI_RHS_PACK_NXK_UNIFIED_GGUF;
}
/// Takes a length of blocks.
KAI_INLINE bool has_blocks(const kai_packer& p) {
    return takes<&P::bl>(p);
}
/// Packs codes of 8-bit floating point with f32 scales of blocks.
KAI_INLINE bool is_f8(const kai_packer& p) {
    return p.signature == KAI_RHS_PACK_NXK_F8 || p.signature == KAI_RHS_PACK_KXN_F8;
}
/// The scales of blocks are an array whose columns may lie apart.
KAI_INLINE bool has_scale_stride(const kai_packer& p) {
    return takes<&P::scale_stride>(p);
}
/// Packs int4 with bf16 scales in such an array, and the sum of each column.
KAI_INLINE bool has_block_sums(const kai_packer& p) {
    return has_scale_stride(p) && !is_f8(p);
}
/// Takes the rows (columns) of a panel: in its arguments or, of the unified API, in the config.
KAI_INLINE bool takes_rows(const kai_packer& p) {
    return takes<&P::rows>(p);
}
/// Packs integers with a scale per column, no blocks; lines of the source have no gaps.
KAI_INLINE bool has_channels(const kai_packer& p) {
    return takes<&P::params>(p) && !takes<&P::bl>(p) && !takes<&P::stride>(p);
}
/// Packs indices of a table of 16, in records of a scale and 32 of them.
KAI_INLINE bool has_table(const kai_packer& p) {
    return takes<&P::table>(p);
}
/// Rows are self-contained records: it takes no bias, scale or zero.
KAI_INLINE bool takes_rows_alone(const kai_packer& p) {
    return is_file(p) || has_table(p);
}
/// Packs indices of a table of 4.
KAI_INLINE bool has_lut(const kai_packer& p) {
    return takes<&P::lut>(p);
}
/// Its parameters have a multiplier for the scales: int8 per column.
KAI_INLINE bool takes_scale_multiplier(const kai_packer& p) {
    return with_signature(p.signature, [](auto s) { return is_multiplier(typename decltype(s)::Params{}); });
}
/// Lines of the source may have gaps.
KAI_INLINE bool has_stride(const kai_packer& p) {
    return is_unified(p) || takes<&P::stride>(p);
}
/// CPU features that `run` needs, sizes apart.
inline uint64_t run_features(const kai_ukernel& u) {
    return u.features & ~u.size_only_features;
}

/// Whether any panel can be packed alone: not if the source is K x N without gaps between lines.
KAI_INLINE bool packs_parts(const kai_packer& p) {
    return !is_kxn(p) || has_stride(p);
}
/// The source is a table of pointers to chunks.
KAI_INLINE bool takes_pointers(const kai_packer& p) {
    return takes<&P::pad_ptr>(p);
}
/// @}

/// @name Sources
/// @{
constexpr bool contains(const char* text, const char* part) {
    for (; *text != 0; ++text) {
        size_t i = 0;
        while (part[i] != 0 && text[i] == part[i]) {
            ++i;
        }
        if (part[i] == 0) {
            return true;
        }
    }
    return false;
}

/// Bits of an element of a source ("f32", "bf16", "qsu4c32s1s0", "x8"), or of an operand of a micro-kernel that is not
/// packed.
[[maybe_unused]] constexpr size_t element_bits(const char* source) {
    return source[0] == 'f'          ? (source[1] == '3'   ? 32
                                        : source[1] == '8' ? 8
                                                           : 16)
           : contains(source, "4c")  ? 4
           : contains(source, "2c")  ? 2
           : contains(source, "16")  ? 16
           : contains(source, "F32") ? 32
                                     : 8;
}

/// Compares names of types: they are short, and differ after one to three letters.
KAI_INLINE bool same_type_name(const char* a, const char* b) {
    while (*a != 0 && *a == *b) {
        ++a, ++b;
    }
    return *a == *b;
}

/// The type of the rows of a file.
KAI_INLINE const kai_gguf_type& file_type_of(const kai_packer& p) {
    const kai_gguf_type* type = kai_gguf_type_at(0);  // all are one array
    while (!same_type_name(type->name, p.source_format)) {
        ++type;
    }
    return *type;
}

/// The type of the rows of a file that a micro-kernel reads in place ("ggq8_0" is Q8_0); NULL if it reads none.
KAI_INLINE const kai_gguf_type* file_type_of(const kai_ukernel& u) {
    return u.signature == KAI_UKERNEL_MATMUL_FILE ? kai_gguf_find_type(__builtin_ctzll(u.gguf_types)) : nullptr;
}

/// Bytes of a row without gaps of an RHS that is not packed: of n elements (K x N), else of k.
KAI_INLINE size_t line_size(const kai_ukernel& u, size_t n, size_t k) {
    const kai_gguf_type* type = file_type_of(u);
    return type != nullptr ? k / type->block_weights * type->block_bytes
                           : (is_kxn(u) ? n : k) * ((element_bits(u.rhs_format) + 7) / 8);
}

/// Bytes of a line of a source without gaps: of n elements (K x N), else of k, or of the records of their blocks.
KAI_INLINE size_t line_size(const kai_packer& p, size_t n, size_t k, size_t bl) {
    if (takes<&P::no_bias>(p)) {
        return bl == 0 ? 0 : k / bl * (sizeof(uint16_t) + bl * element_bits(p.source_format) / 8);
    }
    if (is_file(p)) {
        const kai_gguf_type& type = file_type_of(p);
        return k / type.block_weights * type.block_bytes;
    }
    if (has_table(p)) {
        return k / 32 * (sizeof(uint16_t) + 16);
    }
    return ((is_kxn(p) ? n : k) * element_bits(p.source_format) + 7) / 8;
}

/// Whether the packed RHS has a place for a bias. Not for low precision: the micro-kernel takes it.
KAI_INLINE bool packs_bias(const kai_packer& p) {
    return (takes<&P::bias>(p) || (is_unified(p) && !is_file(p))) && !contains(p.format, "qau8p") &&
           !contains(p.format, "qsi8p");
}

/// Bytes of a scale of a block in an array whose columns may lie apart.
KAI_INLINE size_t block_scale_size(const kai_packer& p) {
    return is_f8(p) ? sizeof(float) : sizeof(uint16_t);
}

/// Bytes of a value of the bias.
KAI_INLINE size_t bias_size(const kai_packer& p) {
    return contains(p.format, "biasf16") ? 2 : 4;
}
/// @}

// ---- calls of micro-kernels ----

/// @name Calls of the unified API
/// @{
KAI_INLINE kai_matmul_uker_api api_of(const kai_ukernel& u) {
    return as<kai_get_matmul_uker_api_fn>(u.run)();
}
/// The config of functions that read it; others get NULL.
template <typename Config>
struct ConfigIfRead {
    Config config;
    bool is_read;

    KAI_INLINE const Config* pointer() const {
        return is_read ? &config : nullptr;
    }
};
KAI_INLINE ConfigIfRead<kai_matmul_uker_config> config_of(const kai_ukernel& u, const KernelArgs& a) {
    return {{{a.bl}}, has_blocks(u)};
}
KAI_INLINE ConfigIfRead<kai_matmul_pack_lhs_uker_config> lhs_config_of(const kai_packer& p, const PackerArgs& a) {
    return {{{a.rows, a.kr, a.sr}}, takes_rows(p)};
}
KAI_INLINE ConfigIfRead<kai_matmul_pack_rhs_uker_config> rhs_config_of(const kai_packer& p, const PackerArgs& a) {
    return {{{a.rows, a.kr, a.sr, a.bl}}, has_blocks(p) || takes_rows(p)};
}

KAI_INLINE kai_matmul_uker_lhs_stride_args
lhs_stride(const kai_matmul_uker_api& api, const kai_matmul_uker_config* config, const KernelArgs& a) {
    const kai_matmul_uker_lhs_dim_args shape = {a.m, a.k};
    return a.lhs_stride != 0 ? kai_matmul_uker_lhs_stride_args{a.lhs_stride} : api.get_lhs_stride(config, &shape);
}
KAI_INLINE kai_matmul_uker_rhs_stride_args
rhs_stride(const kai_matmul_uker_api& api, const kai_matmul_uker_config* config, const KernelArgs& a) {
    const kai_matmul_uker_rhs_dim_args shape = {a.n, a.k};
    return a.rhs_stride != 0 ? kai_matmul_uker_rhs_stride_args{a.rhs_stride} : api.get_rhs_stride(config, &shape);
}

template <typename Policy>
KAI_INLINE void run_unified(const kai_ukernel& u, const KernelArgs& a, Policy policy, kai_any_fn* substitute) {
    const kai_matmul_uker_api api = api_of(u);
    kai_matmul_uker_args args = {};
    args.flags = a.clamp ? KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP : 0;
    args.shape = {a.m, a.n, a.k};
    args.operand.dst = {a.dst, {a.dst_stride_row}};
    const auto config = config_of(u, a);
    args.operand.lhs = {a.lhs, lhs_stride(api, config.pointer(), a)};
    args.operand.rhs = {a.rhs, rhs_stride(api, config.pointer(), a)};
    args.operand.bias.acc_bias_m.ptr = a.acc_bias_m;
    args.operand.bias.acc_bias_n.ptr = a.acc_bias_n;
    args.operand.bias.scale_bias_n.ptr = a.scale_bias_n;
    args.operand.scale.acc_scale_global.ptr = a.acc_scale;
    args.operand.lut.ptr = a.lut;
    args.activation.clamp = {&a.clamp_min, &a.clamp_max};
    if (u.dst_type == kai_dt_int8) {
        const kai_matmul_requantize32_params* p = a.requantize;
        args.operand.bias.scale_bias_global.ptr = p != nullptr ? &p->output_zero_point : nullptr;
        args.activation.clamp.min_ptr = p != nullptr ? &p->min_value : nullptr;
        args.activation.clamp.max_ptr = p != nullptr ? &p->max_value : nullptr;
    }
    const auto run = substitute != nullptr ? reinterpret_cast<decltype(api.run)>(substitute) : api.run;
    policy(run, config.pointer(), static_cast<const kai_matmul_uker_args*>(&args));
}
/// @}

/// Runs a micro-kernel, not of depthwise convolution. `substitute`: a function of the same type, which is run in its
/// place.
template <typename Policy>
KAI_INLINE void run(const kai_ukernel& u, const KernelArgs& a, Policy policy, kai_any_fn* substitute = nullptr) {
    with_signature(u.signature, [&](auto s) {
        using Run = typename decltype(s)::Run;
        if constexpr (kKind<Run> == Kind::unified) {
            const KernelArgs in_memory = a;  // takes addresses of members; others stay in registers
            run_unified(u, in_memory, policy, substitute);
        } else {
            with_type<Run>(
                u, [&](auto type) { decltype(type)::call(substitute != nullptr ? substitute : u.run, a, policy); });
        }
    });
}

/// Offset of row a.index in the packed LHS, in the LHS as it is, or in its table of pointers.
template <typename Policy>
KAI_INLINE size_t lhs_offset(const kai_ukernel& u, const KernelArgs& a, Policy policy) {
    return with_signature(u.signature, [&](auto s) -> size_t {
        using S = decltype(s);
        if constexpr (kKind<typename S::Run> == Kind::unified) {
            const kai_matmul_uker_api api = api_of(u);
            const kai_matmul_uker_lhs_dim_args index = {a.index, 0};
            const auto config = config_of(u, a);
            const kai_matmul_uker_lhs_stride_args stride = lhs_stride(api, config.pointer(), a);
            return policy(api.get_lhs_offset, config.pointer(), &index, &stride);
        } else {
            KernelArgs with_table = a;
            with_table.table_stride = a.k_chunk_count * sizeof(void*);
            return S::LhsOffset::call(u.get_lhs_packed_offset, with_table, policy);
        }
    });
}

/// Offset of column a.index in the packed RHS, or in the RHS as it is.
template <typename Policy>
KAI_INLINE size_t rhs_offset(const kai_ukernel& u, const KernelArgs& a, Policy policy) {
    return with_signature(u.signature, [&](auto s) -> size_t {
        using S = decltype(s);
        if constexpr (kKind<typename S::Run> == Kind::unified) {
            const kai_matmul_uker_api api = api_of(u);
            const kai_matmul_uker_rhs_dim_args index = {a.index, 0};
            const auto config = config_of(u, a);
            const kai_matmul_uker_rhs_stride_args stride = rhs_stride(api, config.pointer(), a);
            return policy(api.get_rhs_offset, config.pointer(), &index, &stride);
        } else {
            return S::RhsOffset::call(u.get_rhs_packed_offset, a, policy);
        }
    });
}

/// Offset of an element of dst.
template <typename Policy>
KAI_INLINE size_t dst_offset(const kai_ukernel& u, size_t m_idx, size_t n_idx, size_t stride, Policy policy) {
    if (!is_unified(u)) {
        return policy(u.get_dst_offset, m_idx, n_idx, stride);
    }
    const kai_matmul_uker_dst_dim_args index = {m_idx, n_idx};
    const kai_matmul_uker_dst_stride_args row = {stride};
    return policy(api_of(u).get_dst_offset, static_cast<const kai_matmul_uker_config*>(nullptr), &index, &row);
}

// ---- calls of packers ----

/// Parameters of an RHS packer, of any type.
union RhsParams {
    kai_rhs_pack_qs4cxs1s0_param nibbles;
    kai_rhs_pack_qsi8cx_params int8;
    kai_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0_params nxk;
    kai_rhs_pack_kxn_qsi4c32p_qsu4c32s1s0_params kxn;
};

/// @name Writes the parameters of a type; NULL where there are none
/// @{
KAI_INLINE const void* fill(NoParams, RhsParams&, int32_t, uint8_t, float) {
    return nullptr;
}
KAI_INLINE const void* fill(Nibbles, RhsParams& to, int32_t lhs_zero_point, uint8_t rhs_zero_point, float) {
    to.nibbles = {static_cast<int8_t>(lhs_zero_point), rhs_zero_point};
    return &to.nibbles;
}
KAI_INLINE const void* fill(Int8, RhsParams& to, int32_t lhs_zero_point, uint8_t, float scale_multiplier) {
    to.int8 = {lhs_zero_point, scale_multiplier};
    return &to.int8;
}
KAI_INLINE const void* fill(NxkBf16, RhsParams& to, int32_t lhs_zero_point, uint8_t rhs_zero_point, float) {
    to.nxk = {static_cast<int8_t>(lhs_zero_point), rhs_zero_point, kai_dt_bf16};
    return &to.nxk;
}
KAI_INLINE const void* fill(KxnBf16, RhsParams& to, int32_t lhs_zero_point, uint8_t rhs_zero_point, float) {
    to.kxn = {static_cast<int8_t>(lhs_zero_point), rhs_zero_point, kai_dt_bf16};
    return &to.kxn;
}
/// @}

/// Parameters of the type that a packer takes. `rhs_zero_point` counts where a packer takes more than one.
KAI_INLINE const void* make_params(
    const kai_packer& p, RhsParams& to, int32_t lhs_zero_point, uint8_t rhs_zero_point, float scale_multiplier) {
    return with_signature(p.signature, [&](auto s) {
        using S = decltype(s);
        constexpr int kOnly = S::kZeroPoint;
        const uint8_t rhs = kOnly < 0 ? rhs_zero_point : static_cast<uint8_t>(kOnly);
        return fill(typename S::Params{}, to, lhs_zero_point, rhs, scale_multiplier);
    });
}

/// @name Calls of the unified API
/// @{
KAI_INLINE kai_matmul_pack_lhs_uker_api lhs_api_of(const kai_packer& p) {
    return as<kai_get_matmul_pack_lhs_uker_api_fn>(p.run)();
}
KAI_INLINE kai_matmul_pack_rhs_uker_api rhs_api_of(const kai_packer& p) {
    return as<kai_get_matmul_pack_rhs_uker_api_fn>(p.run)();
}
KAI_INLINE kai_matmul_pack_lhs_uker_lhs_packed_stride_args
lhs_panel(const kai_packer& p, const kai_matmul_pack_lhs_uker_api& api, const PackerArgs& a) {
    const kai_matmul_pack_lhs_uker_lhs_packed_dim_args shape = {a.count, a.k};
    return a.packed_stride != 0 ? kai_matmul_pack_lhs_uker_lhs_packed_stride_args{a.packed_stride}
                                : api.get_lhs_packed_stride(lhs_config_of(p, a).pointer(), &shape);
}
KAI_INLINE kai_matmul_pack_rhs_uker_rhs_packed_stride_args
rhs_panel(const kai_packer& p, const kai_matmul_pack_rhs_uker_api& api, const PackerArgs& a) {
    const kai_matmul_pack_rhs_uker_rhs_packed_dim_args shape = {a.count, a.k};
    return a.packed_stride != 0 ? kai_matmul_pack_rhs_uker_rhs_packed_stride_args{a.packed_stride}
                                : api.get_rhs_packed_stride(rhs_config_of(p, a).pointer(), &shape);
}

inline constexpr const kai_matmul_pack_lhs_uker_config* kNoLhsConfig = nullptr;
inline constexpr const kai_matmul_pack_rhs_uker_config* kNoRhsConfig = nullptr;

template <typename Policy>
KAI_INLINE void run_lhs_unified(const kai_packer& p, const PackerArgs& a, Policy policy, kai_any_fn* substitute) {
    const kai_matmul_pack_lhs_uker_api api = lhs_api_of(p);
    kai_matmul_pack_lhs_uker_args args = {};
    args.flags = a.flags;
    args.shape = {a.count, a.k};
    args.operand.lhs = {a.source, {a.stride}};
    args.operand.lhs_packed = {a.packed, lhs_panel(p, api, a)};
    const auto config = lhs_config_of(p, a);
    policy(
        substitute != nullptr ? reinterpret_cast<decltype(api.run)>(substitute) : api.run, config.pointer(),
        static_cast<const kai_matmul_pack_lhs_uker_args*>(&args));
}

template <typename Policy>
KAI_INLINE void run_rhs_unified(const kai_packer& p, const PackerArgs& a, Policy policy, kai_any_fn* substitute) {
    constexpr size_t kNotRead = 0x5B5B5B5B5B5B;
    const kai_matmul_pack_rhs_uker_api api = rhs_api_of(p);
    kai_matmul_pack_rhs_uker_args args = {};
    args.flags = a.flags;
    args.shape = {a.count, a.k};
    args.operand.rhs.ptr = a.source;
    args.operand.rhs.stride = {is_kxn(p) ? kNotRead : a.stride, is_kxn(p) ? a.stride : kNotRead};
    args.operand.rhs_packed = {a.packed, rhs_panel(p, api, a)};
    args.operand.bias_n.ptr = a.bias;
    args.operand.k_sum_scale_global.ptr = a.k_sum_scale_global;
    args.operand.scale_global.ptr = a.scale_global;
    if (has_blocks(p)) {
        args.operand.scale_nk = {a.scale, {a.scale_stride, sizeof(uint16_t)}};
    } else {
        args.operand.scale_n.ptr = a.scale;
    }
    const auto config = rhs_config_of(p, a);
    policy(
        substitute != nullptr ? reinterpret_cast<decltype(api.run)>(substitute) : api.run, config.pointer(),
        static_cast<const kai_matmul_pack_rhs_uker_args*>(&args));
}
/// @}

/// Runs a packer, not of depthwise convolution. `substitute`: a function of the same type, which is run in its place.
template <typename Policy>
KAI_INLINE void run(const kai_packer& p, const PackerArgs& a, Policy policy, kai_any_fn* substitute = nullptr) {
    with_signature(p.signature, [&](auto s) {
        using S = decltype(s);
        if constexpr (kKind<typename S::Run> != Kind::unified) {
            with_type<typename S::Run>(
                p, [&](auto type) { decltype(type)::call(substitute != nullptr ? substitute : p.run, a, policy); });
        } else if constexpr (S::kSource == Source::mxk) {
            run_lhs_unified(p, a, policy, substitute);
        } else {
            run_rhs_unified(p, a, policy, substitute);
        }
    });
}

/// Runs a packer for the rows a.indices. It must have a function for that.
template <typename Policy>
KAI_INLINE void run_rows(const kai_packer& p, const PackerArgs& a, Policy policy) {
    PackLhsRows::call(p.run_rows, a, policy);
}

/// Bytes of a.count packed rows (columns).
template <typename Policy>
KAI_INLINE size_t packed_size(const kai_packer& p, const PackerArgs& a, Policy policy) {
    return with_signature(p.signature, [&](auto s) -> size_t {
        using S = decltype(s);
        if constexpr (kKind<typename S::Run> != Kind::unified) {
            return S::Packed::call(p.get_packed_size, a, policy);
        } else if constexpr (S::kSource == Source::mxk) {
            const kai_matmul_pack_lhs_uker_api api = lhs_api_of(p);
            const kai_matmul_pack_lhs_uker_lhs_packed_dim_args shape = {a.count, a.k};
            const auto panel = lhs_panel(p, api, a);
            const auto config = lhs_config_of(p, a);
            return policy(api.get_lhs_packed_size, config.pointer(), &shape, &panel);
        } else {
            const kai_matmul_pack_rhs_uker_api api = rhs_api_of(p);
            const kai_matmul_pack_rhs_uker_rhs_packed_dim_args shape = {a.count, a.k};
            const auto panel = rhs_panel(p, api, a);
            const auto config = rhs_config_of(p, a);
            return policy(api.get_rhs_packed_size, config.pointer(), &shape, &panel);
        }
    });
}

/// Offset of the panel of row (column) a.index.
template <typename Policy>
KAI_INLINE size_t packed_offset(const kai_packer& p, const PackerArgs& a, Policy policy) {
    return with_signature(p.signature, [&](auto s) -> size_t {
        using S = decltype(s);
        if constexpr (kKind<typename S::Run> != Kind::unified) {
            PackerArgs with_index = a;
            with_index.count = a.index;
            return S::Packed::call(p.get_packed_offset, with_index, policy);
        } else if constexpr (S::kSource == Source::mxk) {
            const kai_matmul_pack_lhs_uker_api api = lhs_api_of(p);
            const kai_matmul_pack_lhs_uker_lhs_packed_dim_args index = {a.index, 0};
            const auto panel = lhs_panel(p, api, a);
            const auto config = lhs_config_of(p, a);
            return policy(api.get_lhs_packed_offset, config.pointer(), &index, &panel);
        } else {
            const kai_matmul_pack_rhs_uker_api api = rhs_api_of(p);
            const kai_matmul_pack_rhs_uker_rhs_packed_dim_args index = {a.index, 0};
            const auto panel = rhs_panel(p, api, a);
            const auto config = rhs_config_of(p, a);
            return policy(api.get_rhs_packed_offset, config.pointer(), &index, &panel);
        }
    });
}

/// Offset of row (column) a.index in the source, or in its table of pointers.
template <typename Policy>
KAI_INLINE size_t source_offset(const kai_packer& p, const PackerArgs& a, Policy policy) {
    return with_signature(p.signature, [&](auto s) -> size_t {
        using S = decltype(s);
        if constexpr (kTakes<&P::pad_ptr, typename S::Run>) {
            return a.index * a.k_chunk_count * sizeof(void*);
        } else if constexpr (kKind<typename S::Run> != Kind::unified) {
            return S::SourceOffset::call(p.get_source_offset, a, policy);
        } else if constexpr (S::kSource == Source::mxk) {
            const kai_matmul_pack_lhs_uker_lhs_dim_args index = {a.index, 0};
            const kai_matmul_pack_lhs_uker_lhs_stride_args rows = {a.stride};
            return policy(lhs_api_of(p).get_lhs_offset, kNoLhsConfig, &index, &rows);
        } else {
            const kai_matmul_pack_rhs_uker_rhs_dim_args index = {a.index, 0};
            const kai_matmul_pack_rhs_uker_rhs_stride_args lines = {a.stride, a.stride};
            return policy(rhs_api_of(p).get_rhs_offset, kNoRhsConfig, &index, &lines);
        }
    });
}

/// Equal names of the registry are mostly the same pointer.
KAI_INLINE bool same_name(const char* a, const char* b) {
    return a == b || strcmp(a, b) == 0;
}

/// Whether packers of the other API may be used: classic or unified.
KAI_INLINE bool has_other_kind(const kai_ukernel& u) {
    return kind_of(u) == Kind::classic || is_unified(u);
}

/// Whether a packer writes what a micro-kernel reads, in the same order, and belongs to the same API or, with `other`,
/// to the other one. Not whether this CPU can run it.
KAI_INLINE bool packs_for(const kai_packer& p, const kai_ukernel& u, bool lhs, bool other) {
    const Kind kind = !other ? kind_of(u) : is_unified(u) ? Kind::classic : Kind::unified;
    return is_lhs(p) == lhs && kind_of(p) == kind && same_name(p.format, lhs ? u.lhs_format : u.rhs_format) &&
           p.accepts(lhs ? u.get_mr() : u.get_nr(), u.get_kr(), u.get_sr());
}

/// The same for packers of rows of GGUF files.
KAI_INLINE bool packs_file_for(const kai_packer& p, const kai_ukernel& u) {
    return kind_of(p) == Kind::file && kind_of(u) == Kind::classic && same_name(p.format, u.rhs_format) &&
           p.accepts(u.get_nr(), u.get_kr(), u.get_sr());
}

}  // namespace
}  // namespace kai
