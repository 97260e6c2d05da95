// Function types that several families share, and the macro with which headers declare getters: all micro-kernels of a
// kind have the same ones. `KAI_DECLARE_GETTERS(MATMUL, <name>)` declares `kai_get_mr_<name>` and nine others.
//
// Terms: an M x K matrix (LHS) is multiplied by a K x N matrix (RHS). A *panel* is `mr` rows of the LHS or `nr` columns
// of the RHS that a packer stores together. `bl` is the length of a quantisation block along K. All offsets, strides
// and sizes are in bytes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_common.h"
#include "kai/kai_lowp.h"

KAI_BEGIN_DECLARATIONS

/// A property of a micro-kernel that does not depend on the problem:
/// - `m_step`, `n_step`: a call may compute any rectangle of the output that starts at multiples of these. (How many
///   rows it may have: `rows` in kai_registry.h.)
/// - `mr`, `nr`: panel height of the packed LHS, panel width of the packed RHS;
/// - `kr`, `sr`: kr / sr consecutive k of a row or column are stored together in a panel (some formats: kr).
/// For SME kernels the value depends on the streaming vector length, for some SVE kernels on the SVE vector length. On
/// a CPU without such vectors the function prints a message and aborts.
typedef size_t kai_get_size_fn(void);

/// @name Micro-kernels
/// @{

/// Offset of the panel that holds row (column) `idx` in the packed LHS (RHS) of depth `k` with blocks of `bl`.
/// @pre idx is a multiple of mr (nr); bl a multiple of 32; k a multiple of bl. Indices past the end are allowed.
typedef size_t kai_get_packed_offset_bl_fn(size_t idx, size_t k, size_t bl);

/// Offset of the panel that holds row (column) `idx` in the packed LHS (RHS) of depth `k`.
/// @pre idx is a multiple of mr (nr). Indices past the end are allowed.
typedef size_t kai_get_packed_offset_fn(size_t idx, size_t k);

/// Offset of the panel that holds row (column) `idx` in the packed LHS (RHS) of an indirect matmul.
/// @pre idx is a multiple of mr (nr). Indices past the end are allowed.
typedef size_t kai_get_packed_offset_chunks_fn(size_t idx, size_t k_chunk_count, size_t k_chunk_length);

/// Offset of element (m_idx, n_idx) in an output matrix whose rows are `dst_stride` bytes apart.
/// @pre m_idx and n_idx are multiples of m_step and n_step.
typedef size_t kai_get_dst_offset_fn(size_t m_idx, size_t n_idx, size_t dst_stride);

/// Size of a dense m x n output matrix.
typedef size_t kai_get_dst_size_fn(size_t m, size_t n);

/// dst = clamp(LHS x RHS). The header of a family gives the formula.
///
/// @param m, n            Rows and columns of the output rectangle that this call computes.
/// @param k               Depth: columns of the LHS, rows of the RHS.
/// @param lhs_packed      The packed panel of the first row of the call (`get_lhs_packed_offset`).
/// @param rhs_packed      The packed panel of the first column of the call (`get_rhs_packed_offset`).
/// @param dst             First element of the output rectangle (`get_dst_offset`), of the type that the family states.
/// @param dst_stride_row  Bytes from one row of dst to the next.
/// @param dst_stride_col  Bytes of an element of dst.
/// @param scalar_min, scalar_max  Bounds, min(max(x, scalar_min), scalar_max); NaN stays NaN.
///
/// m = 0 or n = 0: nothing is read or written, and all pointers may be NULL. k = 0: clamp(bias), or clamp(0) if there
/// is no bias; operands of 0 bytes may then be NULL.
/// @pre scalar_min <= scalar_max; dst_stride_col is the size of an element.
typedef void kai_run_matmul_fn(
    size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, void* dst, size_t dst_stride_row,
    size_t dst_stride_col, float scalar_min, float scalar_max);

/// kai_run_matmul_fn that writes float.
typedef void kai_run_matmul_f32_fn(
    size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, float* dst, size_t dst_stride_row,
    size_t dst_stride_col, float scalar_min, float scalar_max);

/// kai_run_matmul_fn for columns `first` to first + n - 1 of one panel, at which rhs points. (kai_ukernel.run_columns)
/// @param m, n, k, lhs, rhs, dst, dst_stride_row, dst_stride_col, clamp_min, clamp_max  As above.
/// @param first  A multiple of kai_ukernel.column_step.
/// @param bl  Length of a block along k, where operands are quantised in blocks of any length; else not used.
/// @param lut  As kai_run_matmul_lut_f32_fn has it, for kernels of that signature; else not used.
/// @param requantize  Bounds and zero point of int8 results, in place of clamp_min and clamp_max; else not used.
typedef void kai_run_matmul_columns_fn(
    size_t m, size_t first, size_t n, size_t k, size_t bl, const void* lhs, const void* rhs, void* dst,
    size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max, const int32_t* lut,
    const struct kai_matmul_requantize32_params* requantize);

/// kai_run_matmul_fn with operands that are quantised in blocks.
/// @param m, n, k, lhs_packed, rhs_packed, dst, dst_stride_row, dst_stride_col, scalar_min, scalar_max  As above.
/// @param bl  Length of a block along k.
/// @pre bl is a multiple of 32, k a multiple of bl.
typedef void kai_run_matmul_bl_fn(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs_packed, const void* rhs_packed, void* dst,
    size_t dst_stride_row, size_t dst_stride_col, float scalar_min, float scalar_max);

/// kai_run_matmul_bl_fn that writes float.
typedef void kai_run_matmul_bl_f32_fn(
    size_t m, size_t n, size_t k, size_t bl, const void* lhs_packed, const void* rhs_packed, float* dst,
    size_t dst_stride_row, size_t dst_stride_col, float scalar_min, float scalar_max);

/// kai_run_matmul_f32_fn with an RHS of indices.
/// @param m, n, k, lhs_packed, rhs_packed, dst, dst_stride_row, dst_stride_col, scalar_min, scalar_max  As above.
/// @param lut  The table that the indices select from, the same as when the RHS was packed: four values that fit int8.
///             NULL: {-2, -1, 0, 1}.
/// @pre k is a multiple of 32, here and in the offsets of packed operands.
typedef void kai_run_matmul_lut_f32_fn(
    size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, float* dst, size_t dst_stride_row,
    size_t dst_stride_col, float scalar_min, float scalar_max, const int32_t* lut);

/// kai_run_matmul_fn with an LHS that is not packed: m rows of k elements.
/// @param m, n, k, rhs_packed, dst, dst_stride_row, dst_stride_col, clamp_min, clamp_max  As above.
/// @param lhs         The first row of the call (`get_lhs_offset`).
/// @param lhs_stride  Bytes from one row of the LHS to the next.
typedef void kai_run_matmul_rows_fn(
    size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs_packed, void* dst,
    size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max);

/// kai_run_matmul_fn with neither side packed: the LHS is m rows of k elements, the RHS k rows of n elements (K x N) or
/// n rows of k elements (N x K), as the family says.
/// @param m, n, k, dst, dst_stride_row, dst_stride_col, clamp_min, clamp_max  As above.
/// @param lhs         The first row of the call (`get_lhs_offset`).
/// @param lhs_stride  Bytes from one row of the LHS to the next.
/// @param rhs         The first column of the call (`get_rhs_offset`).
/// @param rhs_stride  Bytes from one row of the RHS, as it is stored, to the next.
typedef void kai_run_matmul_plain_fn(
    size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs, size_t rhs_stride, void* dst,
    size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max);

/// kai_run_matmul_fn with an RHS of rows of a GGUF file (kai_gguf.h), read in place: n rows of k weights.
/// @param m, n, k, lhs_packed, dst, dst_stride_row, dst_stride_col, clamp_min, clamp_max  As above.
/// @param rhs         The first row of the call (`get_rhs_offset`), at any address.
/// @param rhs_stride  Bytes from one row to the next.
/// @pre k is a multiple of the number of weights in a block of the file. The LHS has blocks of the same length: pack it
///      with this number as bl.
typedef void kai_run_matmul_file_fn(
    size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs, size_t rhs_stride, void* dst,
    size_t dst_stride_row, size_t dst_stride_col, float clamp_min, float clamp_max);

/// kai_run_matmul_fn with quantised output (int8). The LHS is packed or a single row, as the family says.
/// @param m, n, k, lhs_packed, rhs_packed, dst, dst_stride_row, dst_stride_col  As above.
/// @param params  Bounds and zero point of the output. Outputs also saturate to int8, whatever the bounds.
/// @pre params->min_value <= params->max_value.
typedef void kai_run_matmul_qai8_fn(
    size_t m, size_t n, size_t k, const void* lhs_packed, const void* rhs_packed, void* dst, size_t dst_stride_row,
    size_t dst_stride_col, const struct kai_matmul_requantize32_params* params);

/// kai_run_matmul_qai8_fn with an LHS that is not packed: m rows of k elements.
/// @param m, n, k, rhs_packed, dst, dst_stride_row, dst_stride_col, params  As above.
/// @param lhs         The first row of the call (`get_lhs_offset`).
/// @param lhs_stride  Bytes from one row of the LHS to the next.
/// @pre params->min_value <= params->max_value.
typedef void kai_run_matmul_rows_static_fn(
    size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs_packed, void* dst,
    size_t dst_stride_row, size_t dst_stride_col, const struct kai_matmul_requantize32_params* params);

/// Low precision: an LHS that is not packed, as kai_run_matmul_rows_fn, and results of 8 bits.
/// @param m, n, k, lhs, lhs_stride, rhs_packed, dst, dst_stride_row, dst_stride_col  As above.
/// @param params  Offsets, bias, requantisation (kai_lowp.h).
/// @pre params->min_value <= params->max_value; shifts are in the range that the pipeline gives.
typedef void kai_run_matmul_lowp_fn(
    size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs_packed, void* dst,
    size_t dst_stride_row, size_t dst_stride_col, const struct kai_matmul_lowp_params* params);

/// The same with neither side packed, as kai_run_matmul_plain_fn.
typedef void kai_run_matmul_lowp_plain_fn(
    size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs, size_t rhs_stride, void* dst,
    size_t dst_stride_row, size_t dst_stride_col, const struct kai_matmul_lowp_params* params);

/// The same operands as kai_run_matmul_lowp_fn, and the int32 sums as results.
/// @param m, n, k, lhs, lhs_stride, rhs_packed, dst, dst_stride_row, dst_stride_col  As above.
/// @param offsets  Offsets and bias (kai_lowp.h). Those of rows and columns: of the first row and column of the call.
typedef void kai_run_matmul_int32_fn(
    size_t m, size_t n, size_t k, const void* lhs, size_t lhs_stride, const void* rhs_packed, void* dst,
    size_t dst_stride_row, size_t dst_stride_col, const struct kai_matmul_offsets* offsets);

/// Indirect matmul: kai_run_matmul_fn of depth k_chunk_count * k_chunk_length, each chunk padded on its own.
typedef void kai_run_imatmul_fn(
    size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* lhs_packed, const void* rhs_packed,
    void* dst, size_t dst_stride_row, float clamp_min, float clamp_max);

/// Indirect matmul with quantised output (int8): kai_run_matmul_qai8_fn.
typedef void kai_run_imatmul_qai8_fn(
    size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* lhs_packed, const void* rhs_packed,
    void* dst, size_t dst_stride_row, const struct kai_matmul_requantize32_params* params);

/// Indirect matmul that reads an unpacked LHS through a table of pointers.
///
/// @param m, n, rhs_packed, dst, dst_stride_row, clamp_min, clamp_max  As for kai_run_matmul_fn.
/// @param k_chunk_count, k_chunk_length  The depth: this many chunks of this many elements.
/// @param indirection_buffer  [row / g][k_chunk_count][g] pointers, g = m_step: chunk c of row i is at
///                            [(i / g * k_chunk_count + c) * g + i % g]. Pointers of missing rows are not read.
/// @param pad_ptr             The chunk that stands for padding (of an image), read without the offset.
/// @param lhs_ptr_offset      Bytes that are added to each pointer except pad_ptr.
typedef void kai_run_imatmul_rows_fn(
    size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* indirection_buffer,
    const void* pad_ptr, size_t lhs_ptr_offset, const void* rhs_packed, void* dst, size_t dst_stride_row,
    float clamp_min, float clamp_max);

/// kai_run_imatmul_rows_fn with quantised output (int8): see kai_run_matmul_rows_static_fn. The pad row holds the zero
/// point of the LHS.
typedef void kai_run_imatmul_rows_qai8_fn(
    size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* indirection_buffer,
    const void* pad_ptr, size_t lhs_ptr_offset, const void* rhs_packed, void* dst, size_t dst_stride_row,
    const struct kai_matmul_requantize32_params* params);

/// kai_run_imatmul_rows_fn in low precision (uint8 and int8, kai_lowp.h): see kai_run_matmul_lowp_fn. The pad row holds
/// the zero point of the LHS, -params->lhs_offset.
typedef void kai_run_imatmul_rows_lowp_fn(
    size_t m, size_t n, size_t k_chunk_count, size_t k_chunk_length, const void* indirection_buffer,
    const void* pad_ptr, size_t lhs_ptr_offset, const void* rhs_packed, void* dst, size_t dst_stride_row,
    const struct kai_matmul_lowp_params* params);

/// Depthwise convolution: tiles of the output, whose pixels are found through tables of pointers.
///
/// @param tiles       Number of tiles. A tile is kai_dwconv_tile.height x width outputs.
/// @param n           Channels of the output.
/// @param k           Taps of the filter: its height * its width.
/// @param multiplier  Output channel c reads input channel c / multiplier. 1, unless kai_dwconv_tile.any_multiplier.
/// @param src         [tiles][pixels] pointers to the first channel of a pixel. The pixels of a tile are all that its
///                    outputs read, in row-major order: (height - 1) * stride + filter_height rows of (width - 1) *
///                    stride + filter_width. Filters of any size: [k][m_step] pointers, tap t of output i at
///                    [t * m_step + i]. All are read, those of outputs that are not wanted, too.
/// @param pad_ptr     The pixel that stands for padding: zeros, of int8 the zero point. NULL: there is none in src.
/// @param src_offset  Bytes that are added to each pointer of src except pad_ptr.
/// @param rhs_packed  The packed filter of the first channel (`get_rhs_packed_offset`).
/// @param dst         [tiles][m_step] pointers to the first channel of an output, in row-major order. An output that is
///                    not wanted has the pointer of output 0 of its tile, which is stored last.
/// @param dst_offset  Bytes that are added to each pointer of dst.
/// @param clamp_min, clamp_max  Bounds, as above.
///
/// tiles = 0 or n = 0: nothing is read or written, and all pointers may be NULL.
/// @pre clamp_min <= clamp_max; n is a multiple of multiplier.
typedef void kai_run_dwconv_tiles_fn(
    size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad_ptr, size_t src_offset,
    const void* rhs_packed, void* const* dst, size_t dst_offset, float clamp_min, float clamp_max);

/// The same with quantised inputs and outputs (int8).
/// @param tiles, n, k, multiplier, src, pad_ptr, src_offset, rhs_packed, dst, dst_offset  As above.
/// @param params  Bounds and zero point of the output. Outputs also saturate to int8, whatever the bounds.
/// @pre params->min_value <= params->max_value; the zero point is from -128 to 127.
typedef void kai_run_dwconv_tiles_qai8_fn(
    size_t tiles, size_t n, size_t k, size_t multiplier, const void* const* src, const void* pad_ptr, size_t src_offset,
    const void* rhs_packed, void* const* dst, size_t dst_offset, const struct kai_matmul_requantize32_params* params);
/// @}

/// @name Packers
/// No rows or columns to pack: nothing is read or written, and all pointers to operands may be NULL. k = 0: the source
/// may be NULL, and so may the packed buffer if its size is 0.
/// @{

/// A call may pack any range of rows that starts at a multiple of this.
typedef size_t kai_get_m_step_fn(size_t mr);

/// Offset of row (column) `idx` in the source, whose rows are `stride` bytes apart.
typedef size_t kai_get_offset_fn(size_t idx, size_t stride);

/// Size of the packed panels of `count` rows (columns) of an indirect matmul; size of one panel.
typedef size_t kai_get_packed_size_chunks_fn(size_t count, size_t k_chunk_count, size_t k_chunk_length);
typedef size_t kai_get_packed_stride_chunks_fn(size_t k_chunk_count, size_t k_chunk_length);

/// The three types above, with the width nr of a panel as an argument.
typedef size_t kai_get_packed_offset_chunks_nr_fn(size_t idx, size_t k_chunk_count, size_t k_chunk_length, size_t nr);
typedef size_t kai_get_packed_size_chunks_nr_fn(size_t count, size_t k_chunk_count, size_t k_chunk_length, size_t nr);
typedef size_t kai_get_packed_stride_chunks_nr_fn(size_t k_chunk_count, size_t k_chunk_length, size_t nr);

/// Offset of column `n_idx` in a source or a vector of known layout.
typedef size_t kai_get_n_offset_fn(size_t n_idx);
/// @}

/// @name Declarations of getters
/// One line after `kai_run_<name>` declares its getters: each GETTER(NAME, what, type) in the list KAI_GETTERS_<LIST>
/// becomes `type kai_get_<what>_<name>;`. These are the lists for micro-kernels; those for packers are in the headers
/// of the packers.
/// @{
#define KAI_DECLARE_GETTERS(LIST, NAME) KAI_GETTERS_##LIST(KAI_DECLARE_GETTER, NAME)
#define KAI_DECLARE_GETTER(NAME, WHAT, TYPE) TYPE kai_get_##WHAT##_##NAME;

// clang-format off
/// The functions of a micro-kernel as a table: `struct kai_<FAMILY>_ukernel` with pointers `get_<what>` for all of the
/// list and `RUN`, which is kai_run_<name>. `kai_<FAMILY>_get_<what>_func_t` and so on are the types of its members.
#define KAI_DECLARE_TABLE(LIST, FAMILY, RUN, RUN_TYPE) \
    struct kai_##FAMILY##_ukernel {                    \
        KAI_GETTERS_##LIST(KAI_TABLE_MEMBER, FAMILY)   \
        RUN_TYPE* RUN;                                 \
    };                                                 \
    KAI_GETTERS_##LIST(KAI_TABLE_TYPE, FAMILY)         \
    typedef RUN_TYPE* kai_##FAMILY##_##RUN##_func_t;
// clang-format on
#define KAI_TABLE_MEMBER(FAMILY, WHAT, TYPE) TYPE* get_##WHAT;
#define KAI_TABLE_TYPE(FAMILY, WHAT, TYPE) typedef TYPE* kai_##FAMILY##_get_##WHAT##_func_t;

/// Both sides packed: without blocks, both with blocks, only the RHS with blocks.
#define KAI_GETTERS_MATMUL(GETTER, NAME) KAI_GETTERS_MATMUL_OF(GETTER, NAME, packed_offset, packed_offset)
#define KAI_GETTERS_MATMUL_BL(GETTER, NAME) KAI_GETTERS_MATMUL_OF(GETTER, NAME, packed_offset_bl, packed_offset_bl)
#define KAI_GETTERS_MATMUL_RHS_BL(GETTER, NAME) KAI_GETTERS_MATMUL_OF(GETTER, NAME, packed_offset, packed_offset_bl)
#define KAI_GETTERS_MATMUL_OF(GETTER, NAME, LHS_TYPE, RHS_TYPE) \
    KAI_GETTERS_STEPS(GETTER, NAME)                             \
    GETTER(NAME, mr, kai_get_size_fn)                           \
    GETTER(NAME, nr, kai_get_size_fn)                           \
    KAI_GETTERS_GROUPS(GETTER, NAME)                            \
    KAI_GETTERS_OFFSETS(GETTER, NAME, lhs_packed_offset, LHS_TYPE, rhs_packed_offset, RHS_TYPE)

/// An LHS that is not packed. get_lhs_offset of kernels for one row is that of row m_idx, too, so that they can be run
/// row by row. (KleidiAI's returns 0 whatever m_idx is, which has to be 0 there.)
#define KAI_GETTERS_MATMUL_ROWS(GETTER, NAME) \
    KAI_GETTERS_STEPS(GETTER, NAME)           \
    GETTER(NAME, nr, kai_get_size_fn)         \
    KAI_GETTERS_GROUPS(GETTER, NAME)          \
    KAI_GETTERS_OFFSETS(GETTER, NAME, lhs_offset, offset, rhs_packed_offset, packed_offset)

/// Neither side packed.
#define KAI_GETTERS_MATMUL_PLAIN(GETTER, NAME) \
    KAI_GETTERS_STEPS(GETTER, NAME)            \
    KAI_GETTERS_OFFSETS(GETTER, NAME, lhs_offset, offset, rhs_offset, offset)

/// An RHS of rows of a GGUF file.
#define KAI_GETTERS_MATMUL_FILE(GETTER, NAME) \
    KAI_GETTERS_STEPS(GETTER, NAME)           \
    GETTER(NAME, mr, kai_get_size_fn)         \
    KAI_GETTERS_GROUPS(GETTER, NAME)          \
    KAI_GETTERS_OFFSETS(GETTER, NAME, lhs_packed_offset, packed_offset, rhs_offset, offset)

/// Indirect matmul, both sides packed.
#define KAI_GETTERS_IMATMUL(GETTER, NAME) \
    KAI_GETTERS_STEPS(GETTER, NAME)       \
    KAI_GETTERS_OFFSETS(GETTER, NAME, lhs_packed_offset, packed_offset_chunks, rhs_packed_offset, packed_offset_chunks)

/// Indirect matmul that reads an unpacked LHS through a table of pointers. get_lhs_offset is for the table: stride =
/// k_chunk_count * sizeof(void*).
#define KAI_GETTERS_IMATMUL_ROWS(GETTER, NAME) \
    KAI_GETTERS_STEPS(GETTER, NAME)            \
    KAI_GETTERS_OFFSETS(GETTER, NAME, lhs_offset, offset, rhs_packed_offset, packed_offset_chunks)

/// Depthwise convolution by tiles.
#define KAI_GETTERS_DWCONV_TILES(GETTER, NAME) \
    KAI_GETTERS_STEPS(GETTER, NAME)            \
    GETTER(NAME, nr, kai_get_size_fn)          \
    GETTER(NAME, kr, kai_get_size_fn)          \
    GETTER(NAME, rhs_packed_offset, kai_get_packed_offset_fn)

/// Parts of these lists. LHS, RHS: what the getters return; LHS_TYPE, RHS_TYPE: their types, `kai_get_<...>_fn`.
#define KAI_GETTERS_STEPS(GETTER, NAME)   \
    GETTER(NAME, m_step, kai_get_size_fn) \
    GETTER(NAME, n_step, kai_get_size_fn)
#define KAI_GETTERS_GROUPS(GETTER, NAME) \
    GETTER(NAME, kr, kai_get_size_fn)    \
    GETTER(NAME, sr, kai_get_size_fn)
#define KAI_GETTERS_OFFSETS(GETTER, NAME, LHS, LHS_TYPE, RHS, RHS_TYPE) \
    GETTER(NAME, LHS, kai_get_##LHS_TYPE##_fn)                          \
    GETTER(NAME, RHS, kai_get_##RHS_TYPE##_fn)                          \
    GETTER(NAME, dst_offset, kai_get_dst_offset_fn)                     \
    GETTER(NAME, dst_size, kai_get_dst_size_fn)
/// @}

KAI_END_DECLARATIONS
