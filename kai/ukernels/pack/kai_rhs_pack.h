// RHS packers: run once, when the weights are loaded.
//
// Preconditions are checked in every build: a violation prints the function, the values and the reason
// ("kai_run_rhs_pack_...: k = 250 is not a multiple of bl = 32") and aborts. Getters of sizes and strides check the
// arguments that they have, but accept any nr. Operands of an empty problem (n = 0) may be NULL.
//
// In all packers n is the number of columns and k the depth; nr, kr and sr are what the kernel's getters return;
// rhs_packed is the panel of the first column of the call; num_groups must be 1 and extra_bytes 0.
//
// Formats: docs/formats.md. Sources, padding, sums: docs/packing.md.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"
#include "kai/ukernels/pack/kai_rhs_pack_gguf.h"

KAI_BEGIN_DECLARATIONS

/// @name int4 and int8 with a scale per block
/// @{

/// Bytes from one panel to the next.
typedef size_t kai_get_rhs_packed_stride_bl_fn(size_t k, size_t nr, size_t kr, size_t bl);

/// Offset of the panel that holds column `n_idx`; an index inside a panel gives the panel's start.
typedef size_t kai_get_rhs_packed_offset_bl_fn(size_t n_idx, size_t k, size_t nr, size_t kr, size_t bl);

/// Size of the packed panels of `n` columns.
typedef size_t kai_get_rhs_packed_size_bl_fn(size_t n, size_t k, size_t nr, size_t kr, size_t bl);

/// The getters of packers of blocks; most also have get_rhs_packed_stride.
#define KAI_GETTERS_RHS_PACK_BL(GETTER, NAME)                        \
    GETTER(NAME, rhs_offset, kai_get_offset_fn)                      \
    GETTER(NAME, rhs_packed_offset, kai_get_rhs_packed_offset_bl_fn) \
    GETTER(NAME, rhs_packed_size, kai_get_rhs_packed_size_bl_fn)

/// Packs n rows (columns of the product) of k / bl records: f16 scale, bl / 2 bytes; byte j holds elements j (low
/// nibble) and j + bl / 2 (high nibble), each nibble 8 more than its value. qsi8*: f16 scale, bl bytes of int8.
/// Missing columns of the last panel repeat column n - 1 (qsi4c32p, qsi8c32p) or are zero.
///
/// To pack a part, pass `rhs + get_rhs_offset(n_idx, row bytes)` and `rhs_packed + get_rhs_packed_offset(n_idx, ...)`.
/// n = 0 or k = 0: nothing is written.
/// @pre num_groups = 1, bias = NULL, extra_bytes = 0, params = {1, 8}, for int8 too; bl a multiple of 32 and of kr, k
///      of bl. qsi4c32p, qsi8c32p: sr = 2, kr even and at most 16; the others: kr = 4, sr = 2, int4: bl at most 256.
typedef void kai_run_rhs_pack_nxk_qsu4c32_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,
    const float* bias, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qs4cxs1s0_param* params);

/// Format qsi4c32p.
kai_run_rhs_pack_nxk_qsu4c32_fn kai_run_rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0)
kai_get_rhs_packed_stride_bl_fn kai_get_rhs_packed_stride_rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0;

/// Format qsi8c32p.
kai_run_rhs_pack_nxk_qsu4c32_fn kai_run_rhs_pack_nxk_qsi8c32p_qsi8c32;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_nxk_qsi8c32p_qsi8c32)
kai_get_rhs_packed_stride_bl_fn kai_get_rhs_packed_stride_rhs_pack_nxk_qsi8c32p_qsi8c32;

/// Format qsi8c32pscalef16.
kai_run_rhs_pack_nxk_qsu4c32_fn kai_run_rhs_pack_nxk_qsi8c32pscalef16_qsi8c32;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_nxk_qsi8c32pscalef16_qsi8c32)
kai_get_rhs_packed_stride_bl_fn kai_get_rhs_packed_stride_rhs_pack_nxk_qsi8c32pscalef16_qsi8c32;

/// Format qsi4c32ps1s0scalef16: nibbles as in the source.
kai_run_rhs_pack_nxk_qsu4c32_fn kai_run_rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon)
kai_get_rhs_packed_stride_bl_fn kai_get_rhs_packed_stride_rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon;

/// Format qsi4c32ps4s0sf16: signed nibbles, scales / 16 (rounded to nearest even).
kai_run_rhs_pack_nxk_qsu4c32_fn kai_run_rhs_pack_nxk_qsi4c32ps4s0sf16_qsu4c32s16s0_neon;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_nxk_qsi4c32ps4s0sf16_qsu4c32s16s0_neon)
kai_get_rhs_packed_stride_bl_fn kai_get_rhs_packed_stride_rhs_pack_nxk_qsi4c32ps4s0sf16_qsu4c32s16s0_neon;
/// @}

/// @name Indices of a table of 16 int8, a scale per block of 32
/// @{

/// Packs n rows (columns of the product) of k / 32 records: f16 scale, 16 bytes; byte j holds the indices of weights j
/// (low nibble) and j + 16 (high nibble). weight = table[index] * scale. Rows are rhs_stride bytes apart, at any
/// address. Every panel gets `table`, 16 values. Rows of IQ4_NL are such records (kai_rhs_pack_gguf.h has its table);
/// NF4: docs/gguf-kernels.md. Missing columns of the last panel repeat column n - 1 (qlu4c32p) or are zero.
///
/// Getters: as kai_run_rhs_pack_nxk_gguf_fn has them. The micro-kernels take bl = 32. To pack a part from column n_idx
/// on, a multiple of nr, move `rhs` by get_rhs_offset(n_idx, rhs_stride) and `rhs_packed` by
/// get_rhs_packed_offset(n_idx, ...). n = 0: nothing is read or written.
/// @pre num_groups = 1, extra_bytes = 0, params = NULL; k a multiple of 32; rhs_stride not less than a row; sr 2, nr a
///      multiple of 4; qlu4c32p: kr even, at most 16, and 32 a multiple of it; qlu4c32ps1s0scalef16: kr 4.
typedef void kai_run_rhs_pack_nxk_qlu4c32_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const void* rhs, size_t rhs_stride,
    const int8_t* table, void* rhs_packed, size_t extra_bytes, const void* params);

/// Format qlu4c32p.
kai_run_rhs_pack_nxk_qlu4c32_fn kai_run_rhs_pack_nxk_qlu4c32p_qlu4c32s16s0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qlu4c32p_qlu4c32s16s0)

/// Format qlu4c32ps1s0scalef16.
kai_run_rhs_pack_nxk_qlu4c32_fn kai_run_rhs_pack_nxk_qlu4c32ps1s0scalef16_qlu4c32s16s0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qlu4c32ps1s0scalef16_qlu4c32s16s0)
/// @}

/// @name int4 with a bf16 scale per block and the sum of each column
/// @{

/// A call may pack any range of columns that starts at a multiple of this: nr.
typedef size_t kai_get_n_step_nr_fn(size_t nr);

/// Bytes from one panel to the next. `scale_dt` is kai_dt_bf16.
typedef size_t kai_get_rhs_packed_stride_bl_dt_fn(
    size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt);

/// Offset of the panel that holds column `n_idx`; an index inside a panel gives the panel's start.
typedef size_t kai_get_rhs_packed_offset_bl_dt_fn(
    size_t n_idx, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt);

/// Size of the packed panels of `n` columns.
typedef size_t kai_get_rhs_packed_size_bl_dt_fn(
    size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, enum kai_datatype scale_dt);

/// The getters of these packers.
#define KAI_GETTERS_RHS_PACK_BL_DT(GETTER, NAME) KAI_GETTERS_RHS_PANELS(GETTER, NAME, kai_get_n_step_nr_fn, bl_dt)

/// Packs an N x K matrix of nibbles: a row (a column of the product) is k / 2 bytes, byte j holds elements 2j (low
/// nibble) and 2j + 1 (high nibble), each 8 more than its value. Rows are `rhs_stride` bytes apart.
///
/// @param num_groups, n, k, nr, kr, sr, rhs_packed, extra_bytes  As for all packers (at the top).
/// @param bl            Length of a block along k.
/// @param rhs           Row of the first column of the call.
/// @param rhs_stride    Bytes from one row of the source to the next.
/// @param scale         bf16, the k / bl scales of a column contiguous.
/// @param scale_stride  Bytes from the scales of one column to those of the next.
/// @param bias          f32 [n], or NULL for zeros.
/// @param params        {1, 8, kai_dt_bf16}.
///
/// The sum of a column is the sum of weight times scale, in f32: the weights of a group are added as integers,
/// multiplied by their scale (exact), and added to the sum (one rounding). The packers use different groups
/// (docs/packing.md), so sums may differ in their last bits. Missing columns of the last panel repeat column n - 1.
///
/// To pack a part, move `rhs` by get_rhs_offset(n_idx, rhs_stride), `scale` by n_idx * scale_stride, `bias` by n_idx
/// floats and `rhs_packed` by get_rhs_packed_offset(n_idx, ...). n = 0: nothing is written; k = 0: zero sums and the
/// bias.
/// @pre nr a multiple of 4, bl of 32 and of kr, k of bl;
///      kr / sr = 4 (nrx4) or 8 (nrx8; without assertions these two take both), otherwise 2, 4, 8 or 16; rhs_stride and
///      scale_stride are not less than a row.
typedef void kai_run_rhs_pack_nxk_qsu4c32s1s0_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,
    size_t rhs_stride, const float* bias, const void* scale, size_t scale_stride, void* rhs_packed, size_t extra_bytes,
    const struct kai_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0_params* params);

/// As above for a K x N matrix: a row is n / 2 bytes (rounded up), byte j holds columns 2j (low nibble) and 2j + 1.
///
/// Scale and bias of missing columns are those of column n - 1; their weights are 0 (qsi4c32ps1s0), or come from the
/// byte that holds column n - 1: the low nibble at even positions of the panel, the high nibble at odd positions
/// (qsi4c32pbf16).
/// get_rhs_offset(n_idx) is n_idx / 2, n_idx even.
typedef void kai_run_rhs_pack_kxn_qsu4c32s1s0_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,
    size_t rhs_stride, const float* bias, const void* scale, size_t scale_stride, void* rhs_packed, size_t extra_bytes,
    const struct kai_rhs_pack_kxn_qsi4c32p_qsu4c32s1s0_params* params);

/// Format qsi4c32pbf16; groups of 2 * kr / sr weights.
kai_run_rhs_pack_nxk_qsu4c32s1s0_fn kai_run_rhs_pack_nxk_qsi4c32p_qsu4c32s1s0;
KAI_DECLARE_GETTERS(RHS_PACK_BL_DT, rhs_pack_nxk_qsi4c32p_qsu4c32s1s0)

/// Format qsi4c32pbf16; groups of 2 * kr / sr weights; kr / sr may also be 1.
kai_run_rhs_pack_kxn_qsu4c32s1s0_fn kai_run_rhs_pack_kxn_qsi4c32p_qsu4c32s1s0;
KAI_DECLARE_GETTERS(RHS_PACK_BL_DT, rhs_pack_kxn_qsi4c32p_qsu4c32s1s0)

/// Format qsi4c32pbf16, kr / sr = 4; groups of 32 weights.
kai_run_rhs_pack_nxk_qsu4c32s1s0_fn kai_run_rhs_pack_nxk_qsi4c32pnrx4_qsu4c32s1s0_neon;
KAI_DECLARE_GETTERS(RHS_PACK_BL_DT, rhs_pack_nxk_qsi4c32pnrx4_qsu4c32s1s0_neon)

/// Format qsi4c32pbf16, kr / sr = 8; groups of 32 weights.
kai_run_rhs_pack_nxk_qsu4c32s1s0_fn kai_run_rhs_pack_nxk_qsi4c32pnrx8_qsu4c32s1s0_neon;
KAI_DECLARE_GETTERS(RHS_PACK_BL_DT, rhs_pack_nxk_qsi4c32pnrx8_qsu4c32s1s0_neon)

/// Format qsi4c32ps4s0sbf16, kr 4, sr 1, nr a multiple of 4; groups of 32 weights.
kai_run_rhs_pack_nxk_qsu4c32s1s0_fn kai_run_rhs_pack_nxk_qsi4c32ps4s0sbf16_qsu4c32s1s0;
KAI_DECLARE_GETTERS(RHS_PACK_BL_DT, rhs_pack_nxk_qsi4c32ps4s0sbf16_qsu4c32s1s0)

/// The same for a K x N source. Missing columns repeat column n - 1, also where n is odd.
kai_run_rhs_pack_kxn_qsu4c32s1s0_fn kai_run_rhs_pack_kxn_qsi4c32ps4s0sbf16_qsu4c32s1s0;
KAI_DECLARE_GETTERS(RHS_PACK_BL_DT, rhs_pack_kxn_qsi4c32ps4s0sbf16_qsu4c32s1s0)

/// Format qsi4c32ps1s0, kr / sr = 4; groups of 32 weights.
kai_run_rhs_pack_nxk_qsu4c32s1s0_fn kai_run_rhs_pack_nxk_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon;
KAI_DECLARE_GETTERS(RHS_PACK_BL_DT, rhs_pack_nxk_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon)

/// Format qsi4c32ps1s0, kr / sr = 4; groups of 4 weights.
kai_run_rhs_pack_kxn_qsu4c32s1s0_fn kai_run_rhs_pack_kxn_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon;
KAI_DECLARE_GETTERS(RHS_PACK_BL_DT, rhs_pack_kxn_qsi4c32ps1s0nrx4_qsu4c32s1s0_neon)
/// @}

/// @name int4 with a scale and a zero per block
/// @{

/// Names of the parameter struct that existing clients use.
#ifndef kai_rhs_pack_nxk_qai4c32p_params
#define kai_rhs_pack_nxk_qai4c32p_params kai_rhs_pack_qs4cxs1s0_param
#endif

/// Packs n rows (columns of the product) of k / 2 bytes; each byte holds two neighbouring elements.
/// A weight is (nibble - 8) * scale + zero.
///
/// @param num_groups, n, k, nr, kr, sr, rhs_packed, extra_bytes  As for all packers (at the top).
/// @param bl           Length of a block along k.
/// @param rhs          Row of the first column of the call.
/// @param zero, scale  f32 [n][k / bl].
/// @param bias         f32 [n], or NULL for zeros.
/// @param params       {1, 8}.
///
/// Missing columns of the last panel repeat column n - 1; their bias is that of column n - 1 (qai4c32p) or 0.
/// To pack a part, move `rhs` by get_rhs_offset(n_idx, k / 2), `zero` and `scale` by n_idx * (k / bl) and `bias` by
/// n_idx floats, `rhs_packed` by get_rhs_packed_offset(n_idx, ...). n = 0: nothing is written; k = 0: only the bias.
/// @pre sr = 2; bl a multiple of 32, k of bl.
///      qai4c32p: kr even and 2 to 16, bl a multiple of it; qai4c32ps1s0nrx4: kr = 8, nr a multiple of 4. zero and
///      scale are not NULL.
typedef void kai_run_rhs_pack_nxk_qau4c32_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,
    const void* zero, const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes,
    const struct kai_rhs_pack_nxk_qai4c32p_params* params);

/// Format qai4c32p; source with the even element in the high nibble.
kai_run_rhs_pack_nxk_qau4c32_fn kai_run_rhs_pack_nxk_qai4c32p_qau4c32s0s1_f32_f32_f32_neon;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_nxk_qai4c32p_qau4c32s0s1_f32_f32_f32_neon)

/// Format qai4c32ps1s0nrx4; source with the even element in the high nibble.
kai_run_rhs_pack_nxk_qau4c32_fn kai_run_rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s0s1_f32_f32_f32_neon;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s0s1_f32_f32_f32_neon)

/// Format qai4c32ps1s0nrx4; source with the even element in the low nibble.
kai_run_rhs_pack_nxk_qau4c32_fn kai_run_rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s1s0_f32_f32_f32_neon;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_nxk_qai4c32ps1s0nrx4_qau4c32s1s0_f32_f32_f32_neon)

/// @}

/// @name 8-bit floating point with a scale per block
/// @{

/// Packs codes of E4M3 or E5M2 (OCP OFP8), a byte each: N x K, a row is a column of the product, or K x N, a row has an
/// element of each column. Rows are `rhs_stride` bytes apart. weight = code * scale. Codes are copied, NaN included.
/// E4M3: the scale of a block that has a NaN becomes a NaN, too.
///
/// @param num_groups, n, k, nr, kr, sr, rhs_packed, extra_bytes  As for all packers (at the top).
/// @param bl            Length of a block along k; k for a scale per column.
/// @param rhs           Row (K x N: first element) of the first column of the call.
/// @param rhs_stride    Bytes from one row of the source to the next.
/// @param bias          f32 [n], or NULL for zeros.
/// @param scale         f32, the k / bl scales of a column contiguous.
/// @param scale_stride  Bytes from the scales of one column to those of the next.
/// @param params        NULL.
///
/// Missing columns of the last panel become zero: codes, scales, bias. To pack a part from column n_idx on, a multiple
/// of nr, move `rhs` by get_rhs_offset(n_idx, rhs_stride), `scale` by n_idx * scale_stride, `bias` by n_idx floats and
/// `rhs_packed` by get_rhs_packed_offset(n_idx, ...). n = 0: nothing is read or written; k = 0: only the bias.
/// @pre kr is 4, 8, 16 or 32, sr = 1; bl a multiple of 32, k of bl; rhs_stride and scale_stride are not less than a
/// row.
typedef void kai_run_rhs_pack_f8c32_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const uint8_t* rhs,
    size_t rhs_stride, const float* bias, const float* scale, size_t scale_stride, void* rhs_packed, size_t extra_bytes,
    const void* params);

/// Format f8e4m3c32p; N x K.
kai_run_rhs_pack_f8c32_fn kai_run_rhs_pack_nxk_f8e4m3c32p_f8e4m3_f32_f32;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_nxk_f8e4m3c32p_f8e4m3_f32_f32)

/// Format f8e4m3c32p; K x N. get_rhs_offset(n_idx) is n_idx.
kai_run_rhs_pack_f8c32_fn kai_run_rhs_pack_kxn_f8e4m3c32p_f8e4m3_f32_f32;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_kxn_f8e4m3c32p_f8e4m3_f32_f32)

/// Format f8e5m2c32p; N x K.
kai_run_rhs_pack_f8c32_fn kai_run_rhs_pack_nxk_f8e5m2c32p_f8e5m2_f32_f32;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_nxk_f8e5m2c32p_f8e5m2_f32_f32)

/// Format f8e5m2c32p; K x N. get_rhs_offset(n_idx) is n_idx.
kai_run_rhs_pack_f8c32_fn kai_run_rhs_pack_kxn_f8e5m2c32p_f8e5m2_f32_f32;
KAI_DECLARE_GETTERS(RHS_PACK_BL, rhs_pack_kxn_f8e5m2c32p_f8e5m2_f32_f32)
/// @}

/// @name Integers with a scale per column
///
/// A column is packed with the sum of its weights, its scale and its bias. `scale` is f32 [n]; `bias` is f32 [n], or
/// NULL for zeros. Sources are dense: a row takes a whole number of bytes, and its first element is in the lowest bits.
///
/// To pack a part of an N x K source, move `rhs` by get_rhs_offset(n_idx, row bytes), `scale` and `bias` by n_idx
/// floats and `rhs_packed` by get_rhs_packed_offset(n_idx, ...). A K x N source must be packed in one call, because the
/// stride of its rows is derived from n. n = 0: nothing is written; k = 0: sums of 0, scales and biases.
/// @pre num_groups = 1, extra_bytes = 0; scale and params are not NULL.
/// @{

/// A call may pack any range of columns that starts at a multiple of this.
typedef size_t kai_get_rhs_n_step_fn(size_t nr);

/// Bytes from one panel to the next. No size depends on kr and sr.
typedef size_t kai_get_rhs_packed_stride_cx_fn(size_t k, size_t nr, size_t kr, size_t sr);

/// Offset of the panel that holds column `n_idx`; an index inside a panel gives the panel's start.
typedef size_t kai_get_rhs_packed_offset_cx_fn(size_t n_idx, size_t k, size_t nr, size_t kr, size_t sr);

/// Size of the packed panels of `n` columns.
typedef size_t kai_get_rhs_packed_size_cx_fn(size_t n, size_t k, size_t nr, size_t kr, size_t sr);

/// The getters of these packers.
#define KAI_GETTERS_RHS_PACK_CX(GETTER, NAME) KAI_GETTERS_RHS_PANELS(GETTER, NAME, kai_get_rhs_n_step_fn, cx)

/// Names of the parameter struct that existing clients use.
#ifndef kai_rhs_pack_nxk_qsi4cxp_qs4cxs1s0_params
#define kai_rhs_pack_nxk_qsi4cxp_qs4cxs1s0_params kai_rhs_pack_qs4cxs1s0_param
#endif
#ifndef kai_rhs_pack_kxn_qsi4cxp_qs4cxs1s0_params
#define kai_rhs_pack_kxn_qsi4cxp_qs4cxs1s0_params kai_rhs_pack_qs4cxs1s0_param
#endif
#ifndef kai_rhs_pack_nxk_qsi4cxps1s0_qsu4cxs1s0_neon_params
#define kai_rhs_pack_nxk_qsi4cxps1s0_qsu4cxs1s0_neon_params kai_rhs_pack_qs4cxs1s0_param
#endif
#ifndef kai_rhs_pack_nxk_qsu2cxp4x4bf32sf32_qsu2cx_neon_params
#define kai_rhs_pack_nxk_qsu2cxp4x4bf32sf32_qsu2cx_neon_params kai_rhs_pack_qs4cxs1s0_param
#endif
#ifndef kai_rhs_pack_nxk_qsu2cxp4vlx4_qsu2cx_neon_params
#define kai_rhs_pack_nxk_qsu2cxp4vlx4_qsu2cx_neon_params kai_rhs_pack_qs4cxs1s0_param
#endif

/// Packs int4 weights. A nibble of the source is 8 more than its weight (params->rhs_zero_point = 8) or two's
/// complement (0).
/// @pre params->lhs_zero_point = 1; kr a multiple of sr.
///      qsi4cxp: kr / sr divides half of k rounded up to 32; qsi4cxps1s0: kr is even and divides k rounded up to 32.
typedef void kai_run_rhs_pack_qs4cx_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const uint8_t* rhs, const float* bias,
    const float* scale, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qs4cxs1s0_param* params);

/// Format qsi4cxp; N x K source. Missing columns of the last panel repeat column n - 1.
kai_run_rhs_pack_qs4cx_fn kai_run_rhs_pack_nxk_qsi4cxp_qs4cxs1s0;
KAI_DECLARE_GETTERS(RHS_PACK_CX, rhs_pack_nxk_qsi4cxp_qs4cxs1s0)

/// Format qsi4cxp; K x N source. rhs_offset: n_idx is even, the stride is not used. Missing columns of the last panel
/// repeat scale and bias of column n - 1; their weights come from the bytes that hold column n - 1: the low nibble for
/// even columns, the high nibble for odd columns.
kai_run_rhs_pack_qs4cx_fn kai_run_rhs_pack_kxn_qsi4cxp_qs4cxs1s0;
KAI_DECLARE_GETTERS(RHS_PACK_CX, rhs_pack_kxn_qsi4cxp_qs4cxs1s0)

/// Format qsi4cxps1s0; N x K source. Missing columns of the last panel are zero, fields included.
kai_run_rhs_pack_qs4cx_fn kai_run_rhs_pack_nxk_qsi4cxps1s0_qsu4cxs1s0_neon;
KAI_DECLARE_GETTERS(RHS_PACK_CX, rhs_pack_nxk_qsi4cxps1s0_qsu4cxs1s0_neon)

/// Packs int8 weights. Stored sums are params->lhs_zero_point times the sum; kernels expect 1. Missing columns of the
/// last panel repeat column n - 1.
/// @pre sr = 1, kr divides k rounded up to 32. params->scale_multiplier is not used.
typedef void kai_run_rhs_pack_qsi8cx_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const int8_t* rhs, const float* bias,
    const float* scale, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qsi8cx_params* params);

/// Format qsi8cxp; N x K source.
kai_run_rhs_pack_qsi8cx_fn kai_run_rhs_pack_nxk_qsi8cxp_qsi8cx_neon;
KAI_DECLARE_GETTERS(RHS_PACK_CX, rhs_pack_nxk_qsi8cxp_qsi8cx_neon)

/// Format qsi8cxp; K x N source. rhs_offset: the stride is not used.
kai_run_rhs_pack_qsi8cx_fn kai_run_rhs_pack_kxn_qsi8cxp_qsi8cx_neon;
KAI_DECLARE_GETTERS(RHS_PACK_CX, rhs_pack_kxn_qsi8cxp_qsi8cx_neon)

/// Packs indices of a table, 2 bits each.
/// @param num_groups, n, k, nr, kr, sr, rhs_packed, extra_bytes  As for all packers (at the top).
/// @param rhs      Row of the first column of the call: k / 4 bytes.
/// @param bias     f32 [n], or NULL for zeros.
/// @param scale    f32 [n].
/// @param params   {1, 2}. The 2 is checked only with assertions.
/// @param lut_arg  int32 [4]: the weights that the indices select, used only for the sums; the kernel takes the table
///                 as well. They fit int8. NULL: {-2, -1, 0, 1}.
/// @pre k a multiple of 32; kr / sr = 4. qsu2cxp4x4: nr = 4.
typedef void kai_run_rhs_pack_qsu2cx_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const uint8_t* rhs, const float* bias,
    const float* scale, void* rhs_packed, size_t extra_bytes, const struct kai_rhs_pack_qs4cxs1s0_param* params,
    const int32_t* lut_arg);

/// Format qsu2cxp4x4; N x K source. Missing columns of the last panel: index 2 everywhere, fields 0.
kai_run_rhs_pack_qsu2cx_fn kai_run_rhs_pack_nxk_qsu2cxp4x4bf32sf32_qsu2cx_neon;
KAI_DECLARE_GETTERS(RHS_PACK_CX, rhs_pack_nxk_qsu2cxp4x4bf32sf32_qsu2cx_neon)

/// Format qsu2cxp4vlx4; N x K source. Missing columns of the last panel repeat column n - 1, but scale and bias are 0.
kai_run_rhs_pack_qsu2cx_fn kai_run_rhs_pack_nxk_qsu2cxp4vlx4_qsu2cx_neon;
KAI_DECLARE_GETTERS(RHS_PACK_CX, rhs_pack_nxk_qsu2cxp4vlx4_qsu2cx_neon)
/// @}

/// @name Elements and bias, no blocks
/// @{

/// Bytes of a panel (K x N sources), or of one column of it (N x K sources).
typedef size_t kai_get_rhs_packed_stride_fn(size_t k);

/// Offset of the panel that holds column `n_idx`.
typedef size_t kai_get_rhs_packed_offset_fn(size_t n_idx, size_t k);

/// Size of the packed panels of `n` columns.
typedef size_t kai_get_rhs_packed_size_fn(size_t n, size_t k);

/// The same, with the panel's width and kr as arguments.
typedef size_t kai_get_rhs_packed_offset_nr_fn(size_t n_idx, size_t k, size_t nr, size_t kr);
typedef size_t kai_get_rhs_packed_size_nr_fn(size_t n, size_t k, size_t nr, size_t kr);

/// The getters of packers of K x N and of N x K sources. (Packers with a scale also have get_scale_offset.)
#define KAI_GETTERS_RHS_PACK_KXN(GETTER, NAME) KAI_GETTERS_RHS_PACK_OF(GETTER, NAME, kai_get_n_offset_fn)
#define KAI_GETTERS_RHS_PACK_NXK(GETTER, NAME) KAI_GETTERS_RHS_PACK_OF(GETTER, NAME, kai_get_offset_fn)
#define KAI_GETTERS_RHS_PACK_OF(GETTER, NAME, RHS_OFFSET)         \
    GETTER(NAME, n_step, kai_get_size_fn)                         \
    GETTER(NAME, rhs_offset, RHS_OFFSET)                          \
    GETTER(NAME, bias_offset, kai_get_n_offset_fn)                \
    GETTER(NAME, rhs_packed_stride, kai_get_rhs_packed_stride_fn) \
    GETTER(NAME, rhs_packed_offset, kai_get_rhs_packed_offset_fn) \
    GETTER(NAME, rhs_packed_size, kai_get_rhs_packed_size_fn)

/// Packs a K x N matrix (`kxn`) or an N x K one (`nxk`) and its bias.
///
/// @param num_groups, n, k, nr, kr, sr, rhs_packed, extra_bytes  As for all packers (at the top).
/// @param rhs         First element of the first column of the call (`get_rhs_offset`).
/// @param rhs_stride  Bytes from one row of the source to the next.
/// @param bias        One element per column, or NULL for zeros.
/// @param scale       Must be NULL (checked only with assertions).
/// @param params      Must be NULL.
///
/// Missing columns of the last panel, and their bias, become zero. n = 0: nothing is written; k = 0: only the bias.
/// @pre rhs_stride is not less than a row.
typedef void kai_run_rhs_pack_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t rhs_stride, const void* rhs,
    const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes, const void* params);

/// Format f32pbiasf32, nr = SVL / 16, kr 1, sr 1; K x N source.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_f32p2vlx1biasf32_f32_f32_sme;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_f32p2vlx1biasf32_f32_f32_sme)

/// Format f32pbiasf32, nr = SVL / 16, kr 1, sr 1; N x K source.
kai_run_rhs_pack_fn kai_run_rhs_pack_nxk_f32p2vlx1biasf32_f32_f32_sme;
KAI_DECLARE_GETTERS(RHS_PACK_NXK, rhs_pack_nxk_f32p2vlx1biasf32_f32_f32_sme)

/// Format f32pbiasf32, nr = SVL / 2, kr 1; K x N source.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_f32p16vlx1b_f32_f32_sme;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_f32p16vlx1b_f32_f32_sme)

/// Format f32pbiasf32, nr 8, kr 1; K x N source.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_f32p8x1biasf32_f32_f32_neon;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_f32p8x1biasf32_f32_f32_neon)

/// Format f32pbiasf32, nr 16, kr 1; K x N source.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_x32p16x1b_x32_x32_neon;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_x32p16x1b_x32_x32_neon)

/// Format f32pbiasf32, nr 16, kr 1; N x K source.
kai_run_rhs_pack_fn kai_run_rhs_pack_nxk_x32p16x1bx32_x32_x32_neon;
KAI_DECLARE_GETTERS(RHS_PACK_NXK, rhs_pack_nxk_x32p16x1bx32_x32_x32_neon)

/// Format f32pbiasf32, nr = 4 SVE vectors of f32, kr 1; K x N source.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_x32p4vlx1b_x32_x32_sve;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_x32p4vlx1b_x32_x32_sve)

/// Format f16pbiasf16, nr 16, kr 1; K x N source.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_f16p16x1biasf16_f16_f16_neon;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_f16p16x1biasf16_f16_f16_neon)

/// Format f16pbiasf16, nr 32, kr 1; K x N source.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_x16p32x1b_x16_x16_neon;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_x16p32x1b_x16_x16_neon)

/// Format f16pbiasf16, nr 32, kr 1; N x K source.
kai_run_rhs_pack_fn kai_run_rhs_pack_nxk_x16p32x1bx16_x16_x16_neon;
KAI_DECLARE_GETTERS(RHS_PACK_NXK, rhs_pack_nxk_x16p32x1bx16_x16_x16_neon)

/// Format f16pbiasf16, nr = SVL / 16, kr 2; K x N source.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_x16p2vlx2b_x16_x16_sme;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_x16p2vlx2b_x16_x16_sme)

/// Format f16pbiasf16, nr = SVL / 16, kr 2; N x K source.
kai_run_rhs_pack_fn kai_run_rhs_pack_nxk_x16p2vlx2b_x16_x16_sme;
KAI_DECLARE_GETTERS(RHS_PACK_NXK, rhs_pack_nxk_x16p2vlx2b_x16_x16_sme)

/// Format bf16pbiasf32, nr = SVL / 16, kr 2; K x N source of f32, rounded to bf16, to nearest, ties to even.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_bf16p2vlx2b_f32_x32_sme;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_bf16p2vlx2b_f32_x32_sme)

/// Format bf16pbiasf32, nr 12, kr 4; K x N source of f32, rounded to bf16, to nearest, ties to even.
kai_get_size_fn kai_get_n_step_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon;
kai_get_n_offset_fn kai_get_rhs_offset_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon;
kai_get_n_offset_fn kai_get_bias_offset_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon;
kai_get_rhs_packed_offset_nr_fn kai_get_rhs_packed_offset_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon;
kai_get_rhs_packed_size_nr_fn kai_get_rhs_packed_size_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon;
kai_run_rhs_pack_fn kai_run_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon;
kai_get_rhs_packed_stride_fn kai_get_rhs_packed_stride_rhs_quant_pack_kxn_bf16p12x4biasf32_f32_neon;

/// The same; source of f16, f32 bias.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_bf16p12x4biasf32_f16_neon;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_bf16p12x4biasf32_f16_neon)

/// Format bf16pbiasf16, nr 12, kr 4; K x N source of f16, rounded to bf16, to nearest, ties to even; f16 bias.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_bf16p12x4biasf16_f16_neon;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_bf16p12x4biasf16_f16_neon)
/// @}

/// @name Static int8: elements, scale and bias
/// @{

/// Packs a K x N matrix of int8 with
///
///     bias[n] - params->lhs_zero_point * sum over k of rhs[k][n]      int32, wraps around
///     scale[n] * params->scale_multiplier                             f32
///
/// @param num_groups, n, k, nr, kr, sr, rhs_packed, extra_bytes  As for all packers (at the top).
/// @param rhs         First element of the first column of the call (`get_rhs_offset`).
/// @param rhs_stride  Bytes from one row of the source to the next.
/// @param bias        int32 per column, or NULL for zeros: in units of LHS scale x RHS scale.
/// @param scale       f32 per column.
/// @param params      scale_multiplier: LHS scale / output scale.
///
/// Missing columns of the last panel and their fields become zero. n = 0: nothing is written; k = 0: only bias and
/// scale.
typedef void kai_run_rhs_pack_qs8cx_i32_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, size_t rhs_stride, const void* rhs,
    const void* bias, const void* scale, void* rhs_packed, size_t extra_bytes,
    const struct kai_rhs_pack_qsi8cx_params* params);

/// Format qsi8cxpbi32sf32, nr = SVL / 16, kr 4; K x N source.
kai_run_rhs_pack_qs8cx_i32_fn kai_run_rhs_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme)
kai_get_n_offset_fn kai_get_scale_offset_rhs_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme;

/// Format qsi8cxpbi32sf32, nr 16, kr 4; K x N source. On every host.
kai_run_rhs_pack_qs8cx_i32_fn kai_run_rhs_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32)
kai_get_n_offset_fn kai_get_scale_offset_rhs_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32;

/// Format qsi8cxpbi32sf32, nr 16, kr 8; K x N source. On every host.
kai_run_rhs_pack_qs8cx_i32_fn kai_run_rhs_pack_kxn_qsi8cxp16x8sb_qs8cx_f32_i32;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_qsi8cxp16x8sb_qs8cx_f32_i32)
kai_get_n_offset_fn kai_get_scale_offset_rhs_pack_kxn_qsi8cxp16x8sb_qs8cx_f32_i32;
/// @}

/// @name Low precision: int8 or uint8 with zero points, which the kernel gets (kai_lowp.h)
/// kai_run_rhs_pack_fn; bias and scale must be NULL: the kernel gets them. Missing columns of the last panel are
/// weights of zero.
/// @{
/// Format qau8p, nr 4, kr 16; N x K source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_nxk_qau8p4x16_qau8;
KAI_DECLARE_GETTERS(RHS_PACK_NXK, rhs_pack_nxk_qau8p4x16_qau8)

/// Format qau8p, nr 4, kr 16; K x N source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_qau8p4x16_qau8;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_qau8p4x16_qau8)

/// Format qsi8p, nr 4, kr 16; N x K source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_nxk_qsi8p4x16_qsi8;
KAI_DECLARE_GETTERS(RHS_PACK_NXK, rhs_pack_nxk_qsi8p4x16_qsi8)

/// Format qsi8p, nr 4, kr 16; K x N source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_qsi8p4x16_qsi8;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_qsi8p4x16_qsi8)

/// Format qau8psumi32, nr 16, kr 8; N x K source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_nxk_qau8p16x8sumi32_qau8;
KAI_DECLARE_GETTERS(RHS_PACK_NXK, rhs_pack_nxk_qau8p16x8sumi32_qau8)

/// Format qau8psumi32, nr 16, kr 8; K x N source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_qau8p16x8sumi32_qau8;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_qau8p16x8sumi32_qau8)

/// Format qsi8psumi32, nr 16, kr 8; N x K source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_nxk_qsi8p16x8sumi32_qsi8;
KAI_DECLARE_GETTERS(RHS_PACK_NXK, rhs_pack_nxk_qsi8p16x8sumi32_qsi8)

/// Format qsi8psumi32, nr 16, kr 8; K x N source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_qsi8p16x8sumi32_qsi8;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_qsi8p16x8sumi32_qsi8)

/// Format qau8psumi32, nr 16, kr 4; N x K source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_nxk_qau8p16x4sumi32_qau8;
KAI_DECLARE_GETTERS(RHS_PACK_NXK, rhs_pack_nxk_qau8p16x4sumi32_qau8)

/// Format qau8psumi32, nr 16, kr 4; K x N source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_qau8p16x4sumi32_qau8;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_qau8p16x4sumi32_qau8)

/// Format qsi8psumi32, nr 16, kr 4; N x K source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_nxk_qsi8p16x4sumi32_qsi8;
KAI_DECLARE_GETTERS(RHS_PACK_NXK, rhs_pack_nxk_qsi8p16x4sumi32_qsi8)

/// Format qsi8psumi32, nr 16, kr 4; K x N source. On every host.
kai_run_rhs_pack_fn kai_run_rhs_pack_kxn_qsi8p16x4sumi32_qsi8;
KAI_DECLARE_GETTERS(RHS_PACK_KXN, rhs_pack_kxn_qsi8p16x4sumi32_qsi8)
/// @}

/// @name For indirect matmul
/// @{

/// The getters of these packers; with a scale also get_scale_offset.
#define KAI_GETTERS_RHS_IMATMUL_PACK(GETTER, NAME)                   \
    GETTER(NAME, n_step, kai_get_size_fn)                            \
    GETTER(NAME, rhs_offset, kai_get_n_offset_fn)                    \
    GETTER(NAME, bias_offset, kai_get_n_offset_fn)                   \
    GETTER(NAME, rhs_packed_stride, kai_get_packed_stride_chunks_fn) \
    GETTER(NAME, rhs_packed_offset, kai_get_packed_offset_chunks_fn) \
    GETTER(NAME, rhs_packed_size, kai_get_packed_size_chunks_fn)

/// Of an N x K source.
#define KAI_GETTERS_RHS_IMATMUL_PACK_NXK(GETTER, NAME)               \
    GETTER(NAME, n_step, kai_get_size_fn)                            \
    GETTER(NAME, rhs_offset, kai_get_offset_fn)                      \
    GETTER(NAME, bias_offset, kai_get_n_offset_fn)                   \
    GETTER(NAME, rhs_packed_stride, kai_get_packed_stride_chunks_fn) \
    GETTER(NAME, rhs_packed_offset, kai_get_packed_offset_chunks_fn) \
    GETTER(NAME, rhs_packed_size, kai_get_packed_size_chunks_fn)

/// kai_run_rhs_pack_fn for k_chunk_count * k_chunk_length rows, K x N. In the panels each chunk is padded with zeros to
/// a multiple of kr rows; in the source, chunks have no gaps.
typedef void kai_run_rhs_imatmul_pack_fn(
    size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t rhs_stride, const void* rhs, const void* bias,
    void* rhs_packed);

/// Format f32pbiasf32, nr = SVL / 16, kr 1.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_x32p2vlx1b_x32_x32_sme;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_x32p2vlx1b_x32_x32_sme)

/// Format f32pbiasf32, nr 16, kr 1: the bytes of rhs_pack_kxn_x32p16x1b_x32_x32_neon. On every host.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_x32p16x1b_x32_x32_neon;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_x32p16x1b_x32_x32_neon)

/// The same from an N x K source: rows of all chunks of a column, one after another.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_nxk_x32p16x1b_x32_x32_neon;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK_NXK, rhs_imatmul_pack_nxk_x32p16x1b_x32_x32_neon)

/// Format f16pbiasf16, nr 32, kr 1: the bytes of rhs_pack_kxn_x16p32x1b_x16_x16_neon. On every host.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_x16p32x1b_x16_x16_neon;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_x16p32x1b_x16_x16_neon)

/// The same from an N x K source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_nxk_x16p32x1b_x16_x16_neon;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK_NXK, rhs_imatmul_pack_nxk_x16p32x1b_x16_x16_neon)

/// Format f32pbiasf32, nr = 4 SVE vectors of f32, kr 1.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_x32p4vlx1b_x32_x32_sve;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_x32p4vlx1b_x32_x32_sve)

/// Format f16pbiasf16, nr = SVL / 16, kr 2.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_x16p2vlx2b_x16_x16_sme;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_x16p2vlx2b_x16_x16_sme)

/// The same from an N x K source: rows of all chunks of a column, one after another.
kai_run_rhs_imatmul_pack_fn kai_run_imatmul_pack_rhs_nxk_x16p2vlx2bx16_x16_x16_sme;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK_NXK, imatmul_pack_rhs_nxk_x16p2vlx2bx16_x16_x16_sme)

/// The getters of a packer of an N x K source for panels of any width.
#define KAI_GETTERS_RHS_IMATMUL_PACK_NXK_NR(GETTER, NAME)               \
    GETTER(NAME, n_step, kai_get_n_step_nr_fn)                          \
    GETTER(NAME, rhs_offset, kai_get_offset_fn)                         \
    GETTER(NAME, bias_offset, kai_get_n_offset_fn)                      \
    GETTER(NAME, rhs_packed_stride, kai_get_packed_stride_chunks_nr_fn) \
    GETTER(NAME, rhs_packed_offset, kai_get_packed_offset_chunks_nr_fn) \
    GETTER(NAME, rhs_packed_size, kai_get_packed_size_chunks_nr_fn)

/// kai_run_rhs_imatmul_pack_fn for panels of nr columns, at least one.
typedef void kai_run_rhs_imatmul_pack_nr_fn(
    size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t nr, size_t rhs_stride, const void* rhs,
    const void* bias, void* rhs_packed);

/// The same bytes as ...x16p2vlx2bx16_x16_x16_sme if nr = SVL / 16. On every host.
kai_run_rhs_imatmul_pack_nr_fn kai_run_imatmul_pack_rhs_nxk_x16pnrx2bx16_x16_x16;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK_NXK_NR, imatmul_pack_rhs_nxk_x16pnrx2bx16_x16_x16)

/// The same for kai_run_rhs_pack_qs8cx_i32_fn.
typedef void kai_run_rhs_imatmul_pack_qs8cx_i32_fn(
    size_t n, size_t k_chunk_count, size_t k_chunk_length, size_t rhs_stride, const void* rhs, const void* bias,
    const void* scale, void* rhs_packed, const struct kai_rhs_pack_qsi8cx_params* params);

/// Format qsi8cxpbi32sf32, nr = SVL / 16, kr 4.
kai_run_rhs_imatmul_pack_qs8cx_i32_fn kai_run_rhs_imatmul_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme)
kai_get_n_offset_fn kai_get_scale_offset_rhs_imatmul_pack_kxn_qsi8cxp2vlx4sb_qs8cx_f32_i32_sme;

/// Format qsi8cxpbi32sf32, nr 16, kr 4. On every host.
kai_run_rhs_imatmul_pack_qs8cx_i32_fn kai_run_rhs_imatmul_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32)
kai_get_n_offset_fn kai_get_scale_offset_rhs_imatmul_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32;

/// Format qsi8cxpbi32sf32, nr 16, kr 8. On every host.
kai_run_rhs_imatmul_pack_qs8cx_i32_fn kai_run_rhs_imatmul_pack_kxn_qsi8cxp16x8sb_qs8cx_f32_i32;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_qsi8cxp16x8sb_qs8cx_f32_i32)
kai_get_n_offset_fn kai_get_scale_offset_rhs_imatmul_pack_kxn_qsi8cxp16x8sb_qs8cx_f32_i32;

/// Low precision: bias must be NULL, the kernel gets it. Sums of columns include what pads the chunks: zeros of the
/// source. On every host.
/// @{
/// Format qau8psumi32, nr 16, kr 8; N x K source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_nxk_qau8p16x8sumi32_qau8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK_NXK, rhs_imatmul_pack_nxk_qau8p16x8sumi32_qau8)
/// Format qau8psumi32, nr 16, kr 8; K x N source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_qau8p16x8sumi32_qau8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_qau8p16x8sumi32_qau8)
/// Format qau8psumi32, nr 16, kr 4; N x K source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_nxk_qau8p16x4sumi32_qau8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK_NXK, rhs_imatmul_pack_nxk_qau8p16x4sumi32_qau8)
/// Format qau8psumi32, nr 16, kr 4; K x N source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_qau8p16x4sumi32_qau8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_qau8p16x4sumi32_qau8)
/// Format qau8p, nr 4, kr 16; N x K source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_nxk_qau8p4x16_qau8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK_NXK, rhs_imatmul_pack_nxk_qau8p4x16_qau8)
/// Format qau8p, nr 4, kr 16; K x N source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_qau8p4x16_qau8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_qau8p4x16_qau8)
/// Format qsi8psumi32, nr 16, kr 8; N x K source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_nxk_qsi8p16x8sumi32_qsi8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK_NXK, rhs_imatmul_pack_nxk_qsi8p16x8sumi32_qsi8)
/// Format qsi8psumi32, nr 16, kr 8; K x N source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_qsi8p16x8sumi32_qsi8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_qsi8p16x8sumi32_qsi8)
/// Format qsi8psumi32, nr 16, kr 4; N x K source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_nxk_qsi8p16x4sumi32_qsi8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK_NXK, rhs_imatmul_pack_nxk_qsi8p16x4sumi32_qsi8)
/// Format qsi8psumi32, nr 16, kr 4; K x N source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_qsi8p16x4sumi32_qsi8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_qsi8p16x4sumi32_qsi8)
/// Format qsi8p, nr 4, kr 16; N x K source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_nxk_qsi8p4x16_qsi8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK_NXK, rhs_imatmul_pack_nxk_qsi8p4x16_qsi8)
/// Format qsi8p, nr 4, kr 16; K x N source.
kai_run_rhs_imatmul_pack_fn kai_run_rhs_imatmul_pack_kxn_qsi8p4x16_qsi8;
KAI_DECLARE_GETTERS(RHS_IMATMUL_PACK, rhs_imatmul_pack_kxn_qsi8p4x16_qsi8)
/// @}
/// @}

KAI_END_DECLARATIONS
