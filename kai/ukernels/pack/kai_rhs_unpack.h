// Turns a column of a packed RHS back into floats: for an embedding that shares its matrix with the output layer.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_common.h"

KAI_BEGIN_DECLARATIONS

/// Writes the k weights of column n_idx of a packed RHS, without its bias. Every host.
///
/// A weight is its exact value, rounded once to f32 (to nearest even); f16 and bf16 are this f32 converted. Rows that
/// kai_registry_gguf_packer's packers have read come back as kai_gguf_dequantise gives them where the scale is finite,
/// except for the rounding of the zero of qai4c32p and qai4c32ps1s0nrx4, and of scale and minimum of qai4c32ps1s0sf16.
///
/// @param n_idx           The column.
/// @param k               Its length.
/// @param nr, kr, sr, bl  The sizes with which it was packed.
/// @param rhs_packed      All panels, or, with n_idx less than nr, one of them.
/// @param dst_type        kai_dt_f32, kai_dt_f16 or kai_dt_bf16.
/// @param dst             k elements of that type, at any address.
/// @pre nr, kr, sr and bl are as the packers of the format require. Checked in every build: none is 0, bl is a multiple
///      of 32, k of bl; dst_type.
typedef void kai_run_rhs_unpack_row_fn(
    size_t n_idx, size_t k, size_t nr, size_t kr, size_t sr, size_t bl, const void* rhs_packed,
    enum kai_datatype dst_type, void* dst);

/// A bit with an f16 scale per block: weight = scale if it is set, else -scale. nr is a multiple of 16, kr 16.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi1c32p;
/// 2 bits with an f16 scale per block: weight = value * scale, values -1 to 2. kr / sr is at most 8.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi2c32p;
/// The same; four neighbours along k share a byte, and the scales follow all elements of the panel. kr is 4, sr 2.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi2c32pscalef16;
/// int4 with an f16 scale per block: weight = value * scale.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi4c32p;
/// The same; neighbours along k share a byte, and the scales follow all elements of the panel.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi4c32ps1s0scalef16;
/// int8 with an f16 scale per block: weight = value * scale.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi8c32p;
/// The same; the scales follow all elements of the panel.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi8c32pscalef16;
/// Six bits, f16 scale per 256 times int8 scale per 16: weight = value * scale * scale; bl is ignored.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi6c16x256p;
/// The same; 4 k of all columns of the panel are together, not of four.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi6c16x256pnrx4;
/// Three bits, f16 scale per 256 times int8 scale per 16: weight = value * scale * scale; bl is ignored.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi3c16x256p;
/// The same; 4 k of all columns of the panel are together, not of four.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qsi3c16x256pnrx4;
/// Super-blocks of 256, scales and minima of 4 bits per 16: weight = RN(value * d * sc - dmin * mn), values 0 to 3; bl
/// is ignored.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qau2c16x256p;
/// int4 with an f32 scale and zero per block: weight = RN(value * scale + zero), values -8 to 7.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qai4c32p;
/// The same; neighbours along k share a byte.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qai4c32ps1s0nrx4;
/// 5 bits with an f16 scale and minimum per block of 32: weight = RN(value * scale + minimum), values 0 to 31. nr is 4.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qau5c32p;
/// int4 with an f16 scale and minimum per block of 32: weight = RN(value * scale + minimum), values 0 to 15.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qai4c32ps1s0sf16;
/// Indices of the table in the panel, an f16 scale per block: weight = table[index] * scale. bl is 32.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qlu4c32p;
/// The same with a bf16 scale per block.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qlu4c32pscalebf16;
/// The same with an f16 scale for each half of a block.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qlu4c16p;
/// Super-blocks of 256 with integer scales and minima: weight = RN(value * d * sc - dmin * mn), as in the file; bl is
/// ignored.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qau4c32x256p;
/// The same with values of 5 bits.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qau5c32x256p;
/// Indices of the table in the panel, f16 scale per 256 times int8 scale per 32: weight = table[index] * scale * scale;
/// bl is ignored.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qlu4c32x256p;
/// The same; neighbours along k share a byte.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qlu4c32x256ps1s0;
/// qlu4c32p; neighbours along k share a byte, and the scales follow all elements of the panel.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qlu4c32ps1s0scalef16;
/// qlu4c32pscalebf16; neighbours along k share a byte, and the scales follow all elements of the panel.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qlu4c32ps1s0scalebf16;
/// qlu4c16p; neighbours along k share a byte, and the scales follow all elements of the panel.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_qlu4c16ps1s0scalef16;
/// Floats; bl is ignored.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_f32pbiasf32;
/// Floats; bl is ignored.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_f16pbiasf16;
/// Floats; bl is ignored.
kai_run_rhs_unpack_row_fn kai_run_rhs_unpack_row_bf16pbiasf32;

KAI_END_DECLARATIONS
