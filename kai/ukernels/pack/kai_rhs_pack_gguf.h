// RHS packers of rows of GGUF files: kai_rhs_pack.h includes this. Types, and functions that find a packer: kai_gguf.h.
// Arithmetic and formats: docs/gguf-kernels.md.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_fn_types.h"

KAI_BEGIN_DECLARATIONS

/// Packs n rows of a tensor (columns of the product), each k weights in the blocks of the file, rhs_stride bytes apart.
/// Every host, any address.
///
/// The packed blocks are those that share a scale in the file: bl, as kernels take it, is 32 for Q4_0, Q4_1, Q4_K,
/// Q5_0, Q5_1, Q8_0 and the types with a table (IQ4_NL, MXFP4; NVFP4, whose blocks of 32 have two scales), 64 for Q2_0,
/// 128 for Q1_0, 256 for TQ1_0 and TQ2_0 (kai_gguf_type::packed_bl). Scales are exact, zeros are RN(8 * scale +
/// minimum). There is no bias: where the format has one, it is 0. Missing columns of the last panel are zero
/// (qsi4c32ps1s0scalef16, qsi8c32pscalef16, floats) or repeat column n - 1.
///
/// Floats are copied, or converted to the type of the format, to nearest even.
///
/// To pack a part from column n_idx on, a multiple of nr, move `rhs` by get_rhs_offset(n_idx, rhs_stride) and
/// `rhs_packed` by get_rhs_packed_offset(n_idx, ...). n = 0: nothing is read or written.
/// @pre num_groups = 1, extra_bytes = 0, params = NULL; k a multiple of the file's block; rhs_stride not less than a
///      row. Quantised: sr 2; qsi1c32p: nr 16, kr 16; qsi2c32p, qau5c32p: nr 4, kr 8 or 16; qsi4c32p, qai4c32p,
///      qsi8c32p: kr even, at most 16, and bl a multiple of it; qlu4...: the same, nr a multiple of 4;
///      qsi2c32pscalef16: kr 4, nr a multiple of 4; other qsi...scalef16: kr 4;
///      qlu4...s1s0...: kr 4, nr a multiple of 4; qai4c32ps1s0nrx4: kr 8, nr a multiple of 4; floats: sr 1, kr 1 (f32)
///      or a power of two up to 16.
typedef void kai_run_rhs_pack_nxk_gguf_fn(
    size_t num_groups, size_t n, size_t k, size_t nr, size_t kr, size_t sr, const void* rhs, size_t rhs_stride,
    void* rhs_packed, size_t extra_bytes, const void* params);

/// A call may pack any range of columns that starts at a multiple of this: nr.
typedef size_t kai_get_rhs_n_step_gguf_fn(size_t nr);

/// Bytes from one panel to the next.
typedef size_t kai_get_rhs_packed_stride_gguf_fn(size_t k, size_t nr, size_t kr, size_t sr);

/// Offset of the panel that holds column `n_idx`.
typedef size_t kai_get_rhs_packed_offset_gguf_fn(size_t n_idx, size_t k, size_t nr, size_t kr, size_t sr);

/// Size of the packed panels of `n` columns.
typedef size_t kai_get_rhs_packed_size_gguf_fn(size_t n, size_t k, size_t nr, size_t kr, size_t sr);

/// The getters of packers of panels: kai_get_rhs_packed_stride_<TYPE>_fn and so on.
#define KAI_GETTERS_RHS_PANELS(GETTER, NAME, N_STEP_TYPE, TYPE)            \
    GETTER(NAME, n_step, N_STEP_TYPE)                                      \
    GETTER(NAME, rhs_offset, kai_get_offset_fn)                            \
    GETTER(NAME, rhs_packed_stride, kai_get_rhs_packed_stride_##TYPE##_fn) \
    GETTER(NAME, rhs_packed_offset, kai_get_rhs_packed_offset_##TYPE##_fn) \
    GETTER(NAME, rhs_packed_size, kai_get_rhs_packed_size_##TYPE##_fn)

/// The getters of these packers.
#define KAI_GETTERS_RHS_PACK_GGUF(GETTER, NAME) KAI_GETTERS_RHS_PANELS(GETTER, NAME, kai_get_rhs_n_step_gguf_fn, gguf)

/// @name Format qsi1c32p
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi1c32p_ggq1_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi1c32p_ggq1_0)
/// @}

/// @name Format qsi2c32p
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi2c32p_ggtq1_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi2c32p_ggtq1_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi2c32p_ggtq2_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi2c32p_ggtq2_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi2c32p_ggq1_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi2c32p_ggq1_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi2c32p_ggq2_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi2c32p_ggq2_0)
/// @}

/// @name Format qsi2c32pscalef16
/// Of SME2: nr is a multiple of 4, kr 4, sr 2.
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi2c32pscalef16_ggtq1_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi2c32pscalef16_ggtq1_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi2c32pscalef16_ggtq2_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi2c32pscalef16_ggtq2_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi2c32pscalef16_ggq1_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi2c32pscalef16_ggq1_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi2c32pscalef16_ggq2_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi2c32pscalef16_ggq2_0)
/// @}

/// @name Format qsi4c32p
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi4c32p_ggq4_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi4c32p_ggq4_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi4c32p_ggtq1_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi4c32p_ggtq1_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi4c32p_ggtq2_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi4c32p_ggtq2_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi4c32p_ggq1_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi4c32p_ggq1_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi4c32p_ggq2_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi4c32p_ggq2_0)
/// @}

/// @name Format qsi6c16x256p
/// nr is a multiple of 4, kr 16 or 8, sr 2. Lossless: Q6_K, bytes per weight as in the file; Q3_K, 6.56 bits.
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi6c16x256p_ggq6_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi6c16x256p_ggq6_k)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi6c16x256p_ggq3_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi6c16x256p_ggq3_k)
/// @}

/// @name Format qsi6c16x256pnrx4
/// nr is a multiple of 4, kr 8, sr 2. Lossless: Q6_K, bytes per weight as in the file; Q3_K, 6.56 bits.
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi6c16x256pnrx4_ggq6_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi6c16x256pnrx4_ggq6_k)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi6c16x256pnrx4_ggq3_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi6c16x256pnrx4_ggq3_k)
/// @}

/// Format qsi3c16x256p: nr is 4, kr 16 or 8, sr 2. Lossless, 3.56 bits per weight.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi3c16x256p_ggq3_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi3c16x256p_ggq3_k)

/// Format qsi3c16x256pnrx4: nr is a multiple of 4, kr 8, sr 2. Lossless, 3.56 bits per weight.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi3c16x256pnrx4_ggq3_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi3c16x256pnrx4_ggq3_k)

/// Format qau2c16x256p: nr is a multiple of 4, kr 16 or 8, sr 2. Lossless, bytes per weight as in the file.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qau2c16x256p_ggq2_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qau2c16x256p_ggq2_k)

/// @name Format qsi4c32ps1s0scalef16
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi4c32ps1s0scalef16_ggq4_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi4c32ps1s0scalef16_ggq4_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi4c32ps1s0scalef16_ggtq1_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi4c32ps1s0scalef16_ggtq1_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi4c32ps1s0scalef16_ggtq2_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi4c32ps1s0scalef16_ggtq2_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi4c32ps1s0scalef16_ggq1_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi4c32ps1s0scalef16_ggq1_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi4c32ps1s0scalef16_ggq2_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi4c32ps1s0scalef16_ggq2_0)
/// @}

/// @name Format qai4c32p
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qai4c32p_ggq4_1;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qai4c32p_ggq4_1)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qai4c32p_ggq4_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qai4c32p_ggq4_k)
/// @}

/// Format qau5c32p: nr is 4, kr 16 or 8, sr 2. Lossless, bytes per weight as in the file.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qau5c32p_ggq5_1;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qau5c32p_ggq5_1)

/// Format qau4c32x256p. nr is a multiple of 4, kr 8 or 16, sr 2. Lossless.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qau4c32x256p_ggq4_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qau4c32x256p_ggq4_k)

/// Format qau5c32x256p. nr is a multiple of 4, kr 8 or 16, sr 2. Lossless.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qau5c32x256p_ggq5_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qau5c32x256p_ggq5_k)

/// Format qlu4c32x256p.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qlu4c32x256p_ggiq4_xs;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qlu4c32x256p_ggiq4_xs)

/// Format qlu4c32x256ps1s0. nr is a multiple of 4, kr 8, sr 2. Lossless.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qlu4c32x256ps1s0_ggiq4_xs;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qlu4c32x256ps1s0_ggiq4_xs)

/// @name Format qai4c32ps1s0nrx4
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qai4c32ps1s0nrx4_ggq4_1;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qai4c32ps1s0nrx4_ggq4_1)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qai4c32ps1s0nrx4_ggq4_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qai4c32ps1s0nrx4_ggq4_k)
/// @}

/// Format qai4c32ps1s0sf16: the scale and the minimum of each run are rounded to f16. nr is a multiple of 4.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qai4c32ps1s0sf16_ggq4_k;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qai4c32ps1s0sf16_ggq4_k)

/// @name Format qsi8c32p
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi8c32p_ggq8_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi8c32p_ggq8_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi8c32p_ggq5_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi8c32p_ggq5_0)
/// @}

/// Format qlu4c32p.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qlu4c32p_ggiq4_nl;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qlu4c32p_ggiq4_nl)

/// Format qlu4c32pscalebf16.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qlu4c32pscalebf16_ggmxfp4;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qlu4c32pscalebf16_ggmxfp4)

/// Format qlu4c16p.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qlu4c16p_ggnvfp4;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qlu4c16p_ggnvfp4)

/// @name Format qsi8c32pscalef16
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi8c32pscalef16_ggq8_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi8c32pscalef16_ggq8_0)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qsi8c32pscalef16_ggq5_0;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qsi8c32pscalef16_ggq5_0)
/// @}

/// Format qlu4c32ps1s0scalef16.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qlu4c32ps1s0scalef16_ggiq4_nl;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qlu4c32ps1s0scalef16_ggiq4_nl)

/// Format qlu4c32ps1s0scalebf16.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qlu4c32ps1s0scalebf16_ggmxfp4;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qlu4c32ps1s0scalebf16_ggmxfp4)

/// Format qlu4c16ps1s0scalef16.
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_qlu4c16ps1s0scalef16_ggnvfp4;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_qlu4c16ps1s0scalef16_ggnvfp4)

/// @name Format f32pbiasf32
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_f32pbiasf32_ggf32;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_f32pbiasf32_ggf32)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_f32pbiasf32_ggf16;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_f32pbiasf32_ggf16)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_f32pbiasf32_ggbf16;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_f32pbiasf32_ggbf16)
/// @}

/// @name Format f16pbiasf16
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_f16pbiasf16_ggf32;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_f16pbiasf16_ggf32)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_f16pbiasf16_ggf16;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_f16pbiasf16_ggf16)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_f16pbiasf16_ggbf16;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_f16pbiasf16_ggbf16)
/// @}

/// @name Format bf16pbiasf32
/// @{
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_bf16pbiasf32_ggf32;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_bf16pbiasf32_ggf32)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_bf16pbiasf32_ggf16;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_bf16pbiasf32_ggf16)
kai_run_rhs_pack_nxk_gguf_fn kai_run_rhs_pack_nxk_bf16pbiasf32_ggbf16;
KAI_DECLARE_GETTERS(RHS_PACK_GGUF, rhs_pack_nxk_bf16pbiasf32_ggbf16)
/// @}

KAI_END_DECLARATIONS
