// The unified API for RHS packers.
//
// Each function here returns, by value, the table of one packer. V = SVL / 32. Missing columns of the last panel and
// their fields become zero. n = 0: nothing is read or written, and all pointers may be NULL; k = 0: only the fields are
// written. The stride of panels may be larger than get_rhs_packed_stride.
//
// Packers with `nr` in their names make panels of config.format.nr columns, 1 to 65535: `run`, get_step and the getters
// of what is packed need a config, unless there are no columns to pack.
//
// Wrong arguments are errors in every build: flags, a stride that is less than a row or a panel, missing scales.
// Operands for which the format has no field are ignored.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_common.h"
#include "kai/ukernels/matmul/kai_matmul_pack_rhs_types.h"

KAI_BEGIN_DECLARATIONS

/// Format f32pbiasf32, nr = V, kr 1; K x N source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_x32p4vsx1bx32_x32_x32_sme(void);

/// The same for an N x K source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_x32p4vsx1bx32_x32_x32_sme(void);

/// Format f16pbiasf16, nr = V, kr 2; K x N source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_x16p4vsx2bx16_x16_x16_sme(void);

/// Format f16pbiasf16, nr = 4 SVE vectors of f32, kr 2; K x N source.
struct kai_matmul_pack_rhs_uker_api kai_rhs_pack_kxn_x16p16vsx2bx16_x16_x16_sve(void);

/// Format x8p, nr = V, kr 4; K x N source. No bias.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_x8p4vsx4_x8_sme(void);

/// The same for an N x K source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_x8p4vsx4_x8_sme(void);

/// Format qsi8cxpbi32sf32, nr = V, kr 4; K x N source of int8. Packed fields: bias[n] + k_sum_scale_global * sum over k
/// of rhs[k][n], int32; and scale_n[n] * scale_global, f32.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_qsi8cxp4vsx4bi32sf32_qsi8_i32_f32_sme(void);

/// Format qsi4cxpbi32sf32, nr = 2 V, kr 4; fields as above. K x N source of two's complement nibbles: even n in the low
/// nibble, rows of (n + 1) / 2 bytes.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_qsi4cxp8vsx4sf32bi32_qsi4cx_f32_i32_sme(void);

/// The same for nibbles that are 8 more than the value.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_qsi4cxp8vsx4sf32bi32_qsu4cx_f32_i32_sme(void);

/// N x K source of two's complement nibbles: even k in the low nibble, rows of (k + 1) / 2 bytes.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_qsi4cxp8vsx4sf32bi32_qsi4cx_f32_i32_sme(void);

/// The same for nibbles that are 8 more than the value.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_qsi4cxp8vsx4sf32bi32_qsu4cx_f32_i32_sme(void);

/// Format qsu2cxpbi32sf32, nr = 4 V, kr 4; fields as of int8. K x N source of 2-bit codes, which are 2 more than the
/// weights: n % 4 selects the bits of a byte, from the lowest on; rows of (n + 3) / 4 bytes.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_qsu2cxp16vsx4sf32bi32_qsu2cx_f32_i32_sme(void);

/// The same for an N x K source: k % 4 selects the bits; rows of (k + 3) / 4 bytes.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_qsu2cxp16vsx4sf32bi32_qsu2cx_f32_i32_sme(void);

/// Format qsu2cxpbi32sf32, nr 16, kr 4, of the same sources: for the portable kernel, on every host.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_qsu2cxp16x4sf32bi32_qsu2cx_f32_i32(void);
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_qsu2cxp16x4sf32bi32_qsu2cx_f32_i32(void);

/// The same with nr of config.format; with nr = 4 V the bytes of those for SME. K x N: calls start at a multiple of 4.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_qsu2cxpnrx4sf32bi32_qsu2cx_f32_i32(void);
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_qsu2cxpnrx4sf32bi32_qsu2cx_f32_i32(void);

/// Format bf16pbiasf32 of any 16-bit elements and any 32-bit bias, nr 12, kr 4; K x N source. On every host.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_x16p12x4bx32_x16_x32_neon(void);

/// The same for an N x K source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_x16p12x4bx32_x16_x32_neon(void);

/// The same of nr 8; K x N source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_x16p8x4bx32_x16_x32_neon(void);

/// The same for an N x K source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_x16p8x4bx32_x16_x32_neon(void);

/// Format qsi4c32ps4s0sbf16, nr = 4 V, kr 4, of nibbles that are 8 more than the value, bf16 scales (scale_nk, which
/// must not be NULL) and an f32 bias; N x K source. config.format.bl: the length of a block, a multiple of 32; k is a
/// multiple of it. Missing columns of the last panel are column n - 1 again; k = 0: sums of 0 and the bias are written.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_qsi4c32p16vsx4s4s0_qsu4c32_f32_bf16_sme(void);

/// The same for a K x N source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_qsi4c32p16vsx4s4s0_qsu4c32_f32_bf16_sme(void);

/// Format bf16pbiasf32 of any 16-bit elements and any 32-bit bias, nr = 2 V, kr 2; K x N source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_x16p8vsx2bx32_x16_x32_sme(void);

/// The same for an N x K source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_x16p8vsx2bx32_x16_x32_sme(void);

/// Format bf16pbiasf32 of any 16-bit elements and any 32-bit bias, nr of config.format, kr 2; K x N source. On every
/// host; with nr = 2 V the bytes of ...x16p8vsx2bx32_x16_x32_sme.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_kxn_x16pnrx2bx32_x16_x32(void);

/// The same for an N x K source.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_x16pnrx2bx32_x16_x32(void);

/// Format qai4c32ps1s0sf16, nr = 4 V, kr 4; N x K source: columns are rows of blocks of 256 weights, 144 bytes each,
/// which are those of type Q4_K in GGUF files (kai_gguf.h). k is a multiple of 256; rhs.stride.n: k / 256 * 144, or
/// more. No bias, and no functions for its offset. Missing columns of the last panel are column n - 1 again; k = 0:
/// nothing is written. A minimum or scale beyond f16 is infinite.
struct kai_matmul_pack_rhs_uker_api kai_matmul_pack_rhs_nxk_qai4c32p16vsx4s1s0sf16_qai4c32k256sf16s32s0_sme(void);

KAI_END_DECLARATIONS
