// LHS packers: run at every inference, for the rows that a call of a micro-kernel reads.
//
// To pack a part of the panels (a thread's share) with any packer of this header: m_idx_start = 0, and both pointers
// moved to the first panel, for m_idx a multiple of mr:
//
//     run(m, ..., 0, (const char*)lhs + get_lhs_offset(m_idx, lhs_stride), lhs_stride,
//         (char*)lhs_packed + get_lhs_packed_offset(m_idx, ...))
//
// (Without a stride, for indirect matmul: lhs_ptrs + m_idx * k_chunk_count.) The meaning of an m_idx_start that is not
// 0 differs between packers and is documented for each: some add m_idx_start rows to `lhs`, some derive the slot of the
// first row from it, some ignore it, the others accept only 0.
//
// To pack rows from anywhere in the matrix (the tokens of an expert): kai_run_<name>_rows.
//
// Formats: docs/formats.md. Arithmetic: docs/quantising.md.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// @name Quantise and pack, block by block
/// @{

/// Offset of the panel that holds row `m_idx`; an index inside a panel gives the panel's start. @pre as run.
typedef size_t kai_get_lhs_packed_offset_bl_fn(size_t m_idx, size_t k, size_t bl, size_t mr, size_t kr, size_t sr);

/// Size of the packed panels of `m` rows. @pre as run.
typedef size_t kai_get_lhs_packed_size_bl_fn(size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr);

/// The getters of packers of blocks.
#define KAI_GETTERS_LHS_PACK_BL(GETTER, NAME)                        \
    GETTER(NAME, m_step, kai_get_m_step_fn)                          \
    GETTER(NAME, lhs_offset, kai_get_offset_fn)                      \
    GETTER(NAME, lhs_packed_offset, kai_get_lhs_packed_offset_bl_fn) \
    GETTER(NAME, lhs_packed_size, kai_get_lhs_packed_size_bl_fn)

/// Packs rows of an f32 matrix: m_idx_start to m_idx_start + m - 1, counted from `lhs`.
///
/// @param m, k         Number of rows, and their length.
/// @param bl           Length of a block along k.
/// @param mr, kr, sr   As the kernel's getters return them.
/// @param m_idx_start  Preferably 0. Otherwise the first row is read from `lhs + m_idx_start * lhs_stride` and written
///                     to slot m_idx_start % mr: do NOT move `lhs`. lhs_quant_pack_qsi8d32p_f32_neon and
///                     lhs_pack_f16pmrx2_f32_neon ignore it.
/// @param lhs          The first row of the call, less m_idx_start rows.
/// @param lhs_stride   Bytes from one row to the next, a multiple of sizeof(float).
/// @param lhs_packed   The panel of the first row of the call (`get_lhs_packed_offset`).
///
/// m = 0 or k = 0: nothing is written. The slots of rows outside the call are not written.
/// @pre bl is a multiple of 32 (lhs_quant_pack_qsi8d32p_f32: of kr / sr) and of kr / sr; k a multiple of bl;
///      mr, kr, sr as the kernel's getters return them.
typedef void kai_run_lhs_pack_bl_f32_fn(
    size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const float* lhs,
    size_t lhs_stride, void* lhs_packed);

/// The same for rows of another type: lhs_stride is a multiple of the element size.
typedef void kai_run_lhs_pack_bl_fn(
    size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const void* lhs,
    size_t lhs_stride, void* lhs_packed);

/// Format qsi8d32p. scale = amax / 127 (stored as f16), q = x / scale rounded to nearest, ties away from zero.
kai_run_lhs_pack_bl_f32_fn kai_run_lhs_quant_pack_qsi8d32p_f32;
KAI_DECLARE_GETTERS(LHS_PACK_BL, lhs_quant_pack_qsi8d32p_f32)

/// The same bytes with FAMAX, for CPUs with FEAT_FAMINMAX. @pre bl is a multiple of 32.
kai_run_lhs_pack_bl_f32_fn kai_run_lhs_quant_pack_qsi8d32p_f32_neon_faminmax;
KAI_DECLARE_GETTERS(LHS_PACK_BL, lhs_quant_pack_qsi8d32p_f32_neon_faminmax)

/// Format qsi8d32p with mr 4, kr 16, sr 2. As above, but ties go to even.
kai_run_lhs_pack_bl_f32_fn kai_run_lhs_quant_pack_qsi8d32p4x8sb_f32_neon;
KAI_DECLARE_GETTERS(LHS_PACK_BL, lhs_quant_pack_qsi8d32p4x8sb_f32_neon)

/// Format qsi8d32p_last with kr 4 (sr is not used). Ties go away from zero. m_idx_start is not used: `lhs` is the first
/// row.
kai_run_lhs_pack_bl_f32_fn kai_run_lhs_quant_pack_qsi8d32p_f32_neon;
KAI_DECLARE_GETTERS(LHS_PACK_BL, lhs_quant_pack_qsi8d32p_f32_neon)

/// Format qsi8d32pscalef32. q = x * (127 / amax), ties to even; scale = 1 / (127 / amax) and scale * sum(q), both f32.
kai_run_lhs_pack_bl_f32_fn kai_run_lhs_quant_pack_qsi8d32pscalef32_f32_neon;
KAI_DECLARE_GETTERS(LHS_PACK_BL, lhs_quant_pack_qsi8d32pscalef32_f32_neon)

/// The same bytes with FAMAX, for CPUs with FEAT_FAMINMAX.
kai_run_lhs_pack_bl_f32_fn kai_run_lhs_quant_pack_qsi8d32pscalef32_f32_neon_faminmax;
KAI_DECLARE_GETTERS(LHS_PACK_BL, lhs_quant_pack_qsi8d32pscalef32_f32_neon_faminmax)

/// f16 rows. As above, but ties go away from zero.
kai_run_lhs_pack_bl_fn kai_run_lhs_quant_pack_qsi8d32pscalef32_f16_neon;
KAI_DECLARE_GETTERS(LHS_PACK_BL, lhs_quant_pack_qsi8d32pscalef32_f16_neon)

/// Format f8e4m3d32p, any mr, kr a multiple of 4, sr 1: f32 quantised to E4M3 (OCP OFP8). The scale of a block is the
/// least power of 2 from 2^-126 on with |x| <= 448 * scale; the code is that of x / scale, to nearest, ties to even.
/// NaN and infinities become NaN. @pre bl is a multiple of 32 and of kr.
kai_run_lhs_pack_bl_fn kai_run_lhs_quant_pack_f8e4m3d32p_f32;
KAI_DECLARE_GETTERS(LHS_PACK_BL, lhs_quant_pack_f8e4m3d32p_f32)

/// Format f16p with kr 4, sr 2: f32 rounded to f16, to nearest, ties to even. Not used: m_idx_start (`lhs` is the first
/// row); bl is for the getters. @pre k is a multiple of 16.
kai_run_lhs_pack_bl_fn kai_run_lhs_pack_f16pmrx2_f32_neon;
KAI_DECLARE_GETTERS(LHS_PACK_BL, lhs_pack_f16pmrx2_f32_neon)
/// @}

/// Offset of the panel that holds row `m_idx`, in formats without blocks. @pre as run.
typedef size_t kai_get_lhs_packed_offset_fn(size_t m_idx, size_t k, size_t mr, size_t kr, size_t sr);

/// Size of the packed panels of `m` rows, in formats without blocks. @pre as run.
typedef size_t kai_get_lhs_packed_size_fn(size_t m, size_t k, size_t mr, size_t kr, size_t sr);

/// The getters of packers without blocks.
#define KAI_GETTERS_LHS_PACK(GETTER, NAME)                        \
    GETTER(NAME, m_step, kai_get_m_step_fn)                       \
    GETTER(NAME, lhs_offset, kai_get_offset_fn)                   \
    GETTER(NAME, lhs_packed_offset, kai_get_lhs_packed_offset_fn) \
    GETTER(NAME, lhs_packed_size, kai_get_lhs_packed_size_fn)

/// @name Quantise and pack, row by row
/// @{

/// Packs m rows of depth k in format qai8dxp. q = clamp(round(x * s) + zero point, -128, 127) with s = 255 / (hi - lo),
/// lo and hi the smallest and the largest of 0 and the row. Stored with them: minus the zero point, and 1 / s.
///
/// @param m, k         Number of rows, and their length.
/// @param mr, kr, sr   As the kernel's getters return them.
/// @param m_idx_start  Index of the first row: selects its slot, m_idx_start % mr, and does not affect the pointers. So
///                     a call can begin inside a panel.
/// @param lhs          The first row of the call.
/// @param lhs_stride   Bytes from one row to the next, a multiple of the size of an element.
/// @param lhs_packed   The panel of the first row of the call.
///
/// Any k is allowed. m = 0: nothing is written. k = 0: rows of zeros. The slots of rows outside the
/// call are not written; a matrix may be split into calls at any row.
/// @pre kr / sr divides k rounded up to a multiple of 32; mr, kr, sr as the kernel's getters return them.
typedef void kai_run_lhs_quant_pack_fn(
    size_t m, size_t k, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const void* lhs, size_t lhs_stride,
    void* lhs_packed);
/// The same for f32 rows.
typedef void kai_run_lhs_quant_pack_f32_fn(
    size_t m, size_t k, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const float* lhs, size_t lhs_stride,
    void* lhs_packed);

/// f32 rows. x * s rounds to nearest, ties away from zero.
kai_run_lhs_quant_pack_f32_fn kai_run_lhs_quant_pack_qai8dxp_f32;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_quant_pack_qai8dxp_f32)

/// f16 rows. Ties to even in whole groups of kr / sr elements, except for the last 8 of these elements; ties away from
/// zero in these 8, in the remaining elements and in the padding.
kai_run_lhs_quant_pack_fn kai_run_lhs_quant_pack_qai8dxp_f16_neon;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_quant_pack_qai8dxp_f16_neon)

/// bf16 rows. Ties to even in whole groups of kr / sr elements; ties away from zero in the remaining elements and in
/// the padding.
kai_run_lhs_quant_pack_fn kai_run_lhs_quant_pack_qai8dxp_bf16_neon;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_quant_pack_qai8dxp_bf16_neon)

/// The same call, but not by rows: format qsi8d256p, in blocks of 256. scale = 1 / (127 / amax), q = x * (127 / amax)
/// rounded to nearest, ties to even; stored with them: the sums of each 32 q. A block of zeros, or one whose amax is so
/// small that 127 / amax is infinite: scale and q are 0. Infinity in a block: q and scale are 0; NaN: q is 0 and the
/// scale NaN. k = 0: nothing is written.
/// @pre k is a multiple of 256, and 256 is one of kr / sr.
kai_run_lhs_quant_pack_f32_fn kai_run_lhs_quant_pack_qsi8d256p_f32;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_quant_pack_qsi8d256p_f32)

/// The same bytes with FAMAX, for CPUs with FEAT_FAMINMAX.
kai_run_lhs_quant_pack_f32_fn kai_run_lhs_quant_pack_qsi8d256p_f32_neon_faminmax;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_quant_pack_qsi8d256p_f32_neon_faminmax)

/// The same with sums of 16 values: format qsi8d16x256p.
kai_run_lhs_quant_pack_f32_fn kai_run_lhs_quant_pack_qsi8d16x256p_f32;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_quant_pack_qsi8d16x256p_f32)

/// The same bytes with FAMAX, for CPUs with FEAT_FAMINMAX.
kai_run_lhs_quant_pack_f32_fn kai_run_lhs_quant_pack_qsi8d16x256p_f32_neon_faminmax;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_quant_pack_qsi8d16x256p_f32_neon_faminmax)
/// @}

/// @name Pack without blocks
/// @{

/// Packs m rows of depth k. Missing rows of the last panel become zero.
///
/// @param m, k         Number of rows, and their length.
/// @param mr, kr, sr   As the kernel's getters return them.
/// @param m_idx_start  Must be 0: pass `lhs` and `lhs_packed` of the first row instead. (The packers of bf16p2vlx2
///                     ignore it.)
/// @param lhs          First row of the call.
/// @param lhs_stride   Bytes from one row to the next.
/// @param lhs_packed   The panel of the first row of the call.
///
/// m = 0 or k = 0: nothing is written.
/// @pre mr, kr, sr as the kernel's getters return them.
typedef void kai_run_lhs_pack_fn(
    size_t m, size_t k, size_t mr, size_t kr, size_t sr, size_t m_idx_start, const void* lhs, size_t lhs_stride,
    void* lhs_packed);

/// Format f32p, mr = SVL / 16, kr 1, sr 1. Copies bits. Getters ignore the mr, kr and sr of the caller.
kai_run_lhs_pack_fn kai_run_lhs_pack_f32p2vlx1_f32_sme;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_pack_f32p2vlx1_f32_sme)

/// Format f16p, mr = SVL / 16, kr 2, sr 1. Copies the bits of 16-bit elements.
kai_run_lhs_pack_fn kai_run_lhs_pack_x16p2vlx2_x16_sme;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_pack_x16p2vlx2_x16_sme)

/// Format x8p, mr = SVL / 16, kr 4, sr 1. Copies bytes.
kai_run_lhs_pack_fn kai_run_lhs_pack_x8p2vlx4_x8_sme;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_pack_x8p2vlx4_x8_sme)

/// Format x8p, mr 1, kr 4, sr 1. Copies bytes. On every host.
kai_run_lhs_pack_fn kai_run_lhs_pack_x8p1x4_x8;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_pack_x8p1x4_x8)

/// Format bf16p, mr = SVL / 16, kr 2, sr 1: f32 rounded to bf16, to nearest, ties to even. m_idx_start is not used.
/// get_m_step ignores the mr of the caller.
kai_run_lhs_pack_fn kai_run_lhs_pack_bf16p2vlx2_f32_sme;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_pack_bf16p2vlx2_f32_sme)

/// The same with SME2.
kai_run_lhs_pack_fn kai_run_lhs_pack_bf16p2vlx2_f32_sme2;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_pack_bf16p2vlx2_f32_sme2)

/// Format bf16p, any mr, kr 4, sr 1: f32 rounded to bf16, to nearest, ties to even. C++ for every host. Missing rows of
/// the last panel become zero.
kai_run_lhs_pack_fn kai_run_lhs_quant_pack_bf16p_f32;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_quant_pack_bf16p_f32)

/// Format bf16p, mr 8, kr 4, sr 1: f32 rounded to bf16, to nearest, ties to even. The slots of rows beyond m are not
/// written. get_m_step ignores the mr of the caller.
kai_run_lhs_pack_fn kai_run_lhs_quant_pack_bf16p8x4_f32_neon;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_quant_pack_bf16p8x4_f32_neon)

/// The same for f16 rows.
kai_run_lhs_pack_fn kai_run_lhs_pack_bf16p8x4_f16_neon;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_pack_bf16p8x4_f16_neon)

/// Format bf16p, mr 1, kr 4, sr 1: f32 rounded to bf16, to nearest, ties to even. m is 0 or 1.
kai_run_lhs_pack_fn kai_run_lhs_quant_pack_bf16p1x4_f32_neon;
KAI_DECLARE_GETTERS(LHS_PACK, lhs_quant_pack_bf16p1x4_f32_neon)
/// @}

/// @name Gather and pack for indirect matmul
/// @{

/// Packs rows that consist of chunks, each at its own address.
///
/// @param m               Number of rows.
/// @param k_chunk_count, k_chunk_length  The depth: this many chunks of this many elements.
/// @param lhs_ptrs        [panel][k_chunk_count][mr] pointers for ceil(m / mr) panels: chunk c of row i is at
///                        lhs_ptrs[(i / mr * k_chunk_count + c) * mr + i % mr]. Pointers of missing rows are not read.
/// @param lhs_ptr_offset  Bytes that are added to each pointer except pad_ptr.
/// @param pad_ptr         The chunk that stands for padding (of an image), read without the offset.
/// @param lhs_packed      The panel of the first row of the call; for rows from m_idx on, pass
///                        lhs_ptrs + m_idx * k_chunk_count.
///
/// Chunks are padded to kr elements each, with zeros; missing rows of the last panel become zero. m = 0 or depth 0:
/// nothing is written.
typedef void kai_run_lhs_imatmul_pack_fn(
    size_t m, size_t k_chunk_count, size_t k_chunk_length, const void* const* lhs_ptrs, size_t lhs_ptr_offset,
    const void* pad_ptr, void* lhs_packed);

/// The getters of these packers.
#define KAI_GETTERS_LHS_IMATMUL_PACK(GETTER, NAME)                   \
    GETTER(NAME, m_step, kai_get_size_fn)                            \
    GETTER(NAME, lhs_packed_offset, kai_get_packed_offset_chunks_fn) \
    GETTER(NAME, lhs_packed_size, kai_get_packed_size_chunks_fn)

/// Format f32p, mr = SVL / 16, kr 1.
kai_run_lhs_imatmul_pack_fn kai_run_lhs_imatmul_pack_x32p2vlx1_x32p_sme;
KAI_DECLARE_GETTERS(LHS_IMATMUL_PACK, lhs_imatmul_pack_x32p2vlx1_x32p_sme)

/// Format f16p, mr = SVL / 16, kr 2.
kai_run_lhs_imatmul_pack_fn kai_run_lhs_imatmul_pack_x16p2vlx2_x16p_sme;
KAI_DECLARE_GETTERS(LHS_IMATMUL_PACK, lhs_imatmul_pack_x16p2vlx2_x16p_sme)

/// Format x8p, mr = SVL / 16, kr 4.
kai_run_lhs_imatmul_pack_fn kai_run_lhs_imatmul_pack_x8p2vlx4_x8p_sme;
KAI_DECLARE_GETTERS(LHS_IMATMUL_PACK, lhs_imatmul_pack_x8p2vlx4_x8p_sme)
/// @}

/// @name Pack rows by a list of indices
/// All packers that take a block or a row of floats and change its type have such a function; their getters serve
/// it too. (For the others there are the packers of indirect matmul: one chunk per row.)
/// @{

/// Packs m rows that may lie anywhere in a matrix, in any order, also more than once: the bytes are those of `run` for
/// a copy of these rows, and the time is the same.
///
/// @param m, k        Number of rows to pack, and their length.
/// @param bl          Length of a block along k; ignored by formats without blocks.
/// @param mr, kr, sr  As the kernel's getters return them.
/// @param rows        m indices: row i of the result is read from lhs + rows[i] * lhs_stride.
/// @param lhs         Row 0 of the matrix. Rows that are not listed are not read.
/// @param lhs_stride  Bytes from one row to the next, a multiple of the size of an element.
/// @param lhs_packed  The panel of the first row of the call, which goes to its slot 0. For parts: rows + m_idx, and
///                    get_lhs_packed_offset(m_idx, ...), m_idx a multiple of mr.
///
/// m = 0: nothing is read or written. @pre As `run`.
typedef void kai_run_lhs_pack_rows_fn(
    size_t m, size_t k, size_t bl, size_t mr, size_t kr, size_t sr, const size_t* rows, const void* lhs,
    size_t lhs_stride, void* lhs_packed);

kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d32p_f32_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d32p_f32_neon_faminmax_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d32p4x8sb_f32_neon_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d32p_f32_neon_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d32pscalef32_f32_neon_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d32pscalef32_f32_neon_faminmax_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d32pscalef32_f16_neon_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_f8e4m3d32p_f32_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_pack_f16pmrx2_f32_neon_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d256p_f32_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d256p_f32_neon_faminmax_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d16x256p_f32_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qsi8d16x256p_f32_neon_faminmax_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qai8dxp_f32_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qai8dxp_f16_neon_rows;
kai_run_lhs_pack_rows_fn kai_run_lhs_quant_pack_qai8dxp_bf16_neon_rows;
/// @}

KAI_END_DECLARATIONS
