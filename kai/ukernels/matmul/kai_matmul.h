// The unified API for micro-kernels: all have the same table of functions and take operands in structures.
//
// Each function here returns, by value, the table of one micro-kernel. V = SVL / 32: panels have V or 2 V rows or
// columns; one call with many panels is faster than one call per panel. Use:
//
//     1. get the tables of the kernel and of its packers (kai_matmul_pack_lhs.h, kai_matmul_pack_rhs.h);
//     2. pack: ask for strides and sizes, allocate, run;
//     3. split m and n at multiples of get_step (0: not to be split), move the pointers by get_*_offset, keep the
//     strides, run.
//
// config: NULL. Kernels with blocks read config.format.bl: pass the same one to get_lhs_stride, get_rhs_stride, run.
//
// Kernels of qsi4c32ps1s0scalef16 and qai4c32ps1s0sf16 treat strides below those of dense panels as dense ones.
// For the first ones operand.lut.ptr may give the weights of the 16 codes of a nibble, 16 words of 32 bits at an
// address that is a multiple of 4: of an `i8p` kernel the low 8 bits as int8, of an `f16p` kernel the low 16 bits as
// f16; the other bits are not read. NULL: -8 to 7.
//
// dst = clamp(LHS x RHS + bias); clamped only with KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP. m = 0 or n = 0: only flags and
// shape are read, nothing is written, and all pointers may be NULL. Kernels for one row take m <= 1 and ignore the
// strides of LHS and dst. These kernels and the SVE2.1 kernel, whose LHS is not packed, ignore the stride of the RHS:
// its panels have no gaps between them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_common.h"
#include "kai/ukernels/matmul/kai_matmul_types.h"

KAI_BEGIN_DECLARATIONS

/// f32 <- f32p x f32pbiasf32, both in panels of V: FMOPA on up to 2 x 2 tiles.
struct kai_matmul_uker_api kai_matmul_clamp_f32_f32p4vsx1_f32p4vsx1bf32_8vsx8vs_sme2_mopa(void);

/// f32 <- f32 x f32pbiasf32, one row: FMLA. The same RHS.
struct kai_matmul_uker_api kai_matmul_clamp_f32_f32_f32p4vsx1bf32_1x32vs_sme2_mla(void);

/// f16 <- f16p x f16pbiasf16, both in panels of V: FMOPA, f32 sums.
struct kai_matmul_uker_api kai_matmul_clamp_f16_f16p4vsx2_f16p4vsx2bf16_8vsx8vs_sme2_mopa(void);

/// f16 <- f16 x f16pbiasf16, one row: FDOT, f32 sums. The same RHS.
struct kai_matmul_uker_api kai_matmul_clamp_f16_f16_f16p4vsx2bf16_1x32vs_sme2_dot(void);

/// f16 <- f16 x f16pbiasf16 in panels of 4 SVE vectors of f32: FDOT (SVE2.1, not streaming), f32 sums; 6 rows at a
/// time.
struct kai_matmul_uker_api kai_matmul_clamp_f16_f16_f16p16vsx2bf16_6x16vs_sve2p1_dot(void);

/// int8 <- x8p x qsi8cxpbi32sf32, both in panels of V: SMOPA. bias.scale_bias_global (int32): zero point of the output;
/// bounds are int32. Without the flag results are clamped to -128 ... 127.
struct kai_matmul_uker_api kai_matmul_clamp_qai8_qai8p4vsx4_qsi8cxp4vsx4bi32sf32_8vsx8vs_sme2_mopa(void);

/// The same under another name. Like all kernels of panels of floats and int8 with SME2, both run quarter-tile outer
/// products (SMOP4A) where the CPU has them (KAI_CPU_SME_MOP4), for up to V / 2 rows after the last whole V.
struct kai_matmul_uker_api kai_matmul_clamp_qai8_qai8p4vsx4_qsi8cxp4vsx4sf32bi32_8vsx8vs_sme2p1_mop4_mopa(void);

/// int8 <- int8 x qsi8cxpbi32sf32, one row: SDOT. The same RHS.
struct kai_matmul_uker_api kai_matmul_clamp_qai8_qai8_qsi8cxp4vsx4bi32sf32_1x32vs_sme2_dot(void);

/// int8 <- x8p x qsi4cxpbi32sf32, both in panels of 2 V: SMOPA. Its LHS packer is kai_lhs_pack_x8p2vlx4_x8_sme.
/// Operands and bounds as above.
struct kai_matmul_uker_api kai_matmul_clamp_qai8_qai8p8vsx4_qsi4cxp8vsx4sf32bi32_8vsx8vs_sme2_mopa(void);

/// int8 <- int8 x qsi4cxpbi32sf32, one row: SDOT. The same RHS.
struct kai_matmul_uker_api kai_matmul_clamp_qai8_qai8_qsi4cxp8vsx4sf32bi32_1x64vs_sme2_dot(void);

/// int8 <- x8p, panels of 2 V, x qsu2cxpbi32sf32, panels of 4 V: SMOPA. Its LHS packer is kai_lhs_pack_x8p2vlx4_x8_sme.
/// Operands and bounds as above.
struct kai_matmul_uker_api kai_matmul_clamp_qai8_qai8p8vsx4_qsu2cxp16vsx4sf32bi32_8vsx16vs_sme2_mopa(void);

/// int8 <- int8 x qsu2cxpbi32sf32, one row: SDOT. The same RHS.
struct kai_matmul_uker_api kai_matmul_clamp_qai8_qai8_qsu2cxp16vsx4sf32bi32_1x64vs_sme2_dot(void);

/// int8 <- int8 x the same RHS, for workers beside an SME unit, with the same results: SMMLA; one row: SDOT.
struct kai_matmul_uker_api kai_matmul_clamp_qai8_qai8_qsu2cxp16vsx4sf32bi32_4x16vs_neon_i8mm(void);
struct kai_matmul_uker_api kai_matmul_clamp_qai8_qai8_qsu2cxp16vsx4sf32bi32_1x16vs_neon_dotprod(void);

/// int8 <- x8p, panels of a row, x qsu2cxpbi32sf32, panels of 16: C++ without extensions, on every host. Its LHS packer
/// is kai_lhs_pack_x8p1x4_x8. Operands and bounds as above.
struct kai_matmul_uker_api kai_matmul_clamp_qai8_qai8p1x4_qsu2cxp16x4sf32bi32_1x16_portable(void);

/// int32 <- x8p x x8p of uint8, both in panels of V: UMOPA. dst = bias.acc_bias_m[m] + bias.acc_bias_n[n] + products,
/// int32, wraps around. No flags.
struct kai_matmul_uker_api kai_matmul_i32_u8p4vsx4_u8p4vsx4_i32_i32_8vsx8vs_sme2_mopa(void);

/// The same with f32 results: fma(f32(acc), scale.acc_scale_global, bias.scale_bias_n[n]). Bounds are f32.
struct kai_matmul_uker_api kai_matmul_clamp_f32_u8p4vsx4_u8p4vsx4_i32_i32_f32_f32_8vsx8vs_sme2_mopa(void);

/// f32 <- qai8dxp x qsi8cxp, panels of 4 rows and, with V words in a vector of SVE, of V columns: SMMLA (SVE).
/// Packers: kai_lhs_quant_pack_qai8dxp_f32 and kai_rhs_pack_{nxk,kxn}_qsi8cxp_qsi8cx_neon, lhs_zero_point 1.
struct kai_matmul_uker_api kai_matmul_clamp_f32_qai8dxp4x8sf32_qsi8cxp4vsx8sf32bf32_16x4vs_sve_i8mm(void);

/// The same, row by row, in panels of 32 columns, and of 8 in two orders: SDOT (SVE). Vectors may have any length, but
/// no more than 256 bits of them are used, and of longer ones 128.
struct kai_matmul_uker_api kai_matmul_clamp_f32_qai8dxp1x4_qsi8cxp32x4_1x32_sve_dot(void);
struct kai_matmul_uker_api kai_matmul_clamp_f32_qai8dxp1x4_qsi8cxp8x4_1x8_sve_dot(void);
struct kai_matmul_uker_api kai_matmul_clamp_f32_qai8dxp1x8_qsi8cxp8x8_1x8_sve_dot(void);

/// f32 <- qai8dxp x qsi4c32ps4s0sbf16, panels of V rows and 4 V columns: SMOPA (SME without SME2). RHS in blocks of
/// config.format.bl, a multiple of 32. Packers: kai_lhs_quant_pack_qai8dxp_f32 and
/// kai_matmul_pack_rhs_{nxk,kxn}_qsi4c32p16vsx4s4s0_qsu4c32_f32_bf16_sme.
struct kai_matmul_uker_api kai_matmul_clamp_f32_qai8dxp4vsx4_qsi4c32p16vsx4_4vsx16vs_sme_mopa(void);

/// The same, one row: SDOT (SME without SME2). The same RHS; its stride is used.
struct kai_matmul_uker_api kai_matmul_clamp_f32_qai8dxp1x4_qsi4c32p16vsx4_1x16vs_sme_dot(void);

/// f32 <- qai8dxp x qsi4c32pbf16, panels of 4 rows and 8 columns with vectors of any length (the sizes in the name are
/// those of 256 bits): SMMLA (SVE). RHS in blocks of config.format.bl, a multiple of 32. Packers:
/// kai_lhs_quant_pack_qai8dxp_f32 and kai_rhs_pack_{nxk,kxn}_qsi4c32p_qsu4c32s1s0.
struct kai_matmul_uker_api kai_matmul_clamp_f32_qai8dxp2vsx8sf32_qsi4c32p8x8s16s0sbf16bf32_8vsx8_sve_i8mm(void);

/// f32 <- f16p, panels of V, x qsi4c32ps1s0scalef16, panels of 4 V: weights become f16, FMOPA. Blocks of a multiple of
/// 32, of which k is a multiple. RHS packer: kai_rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon (nr = 4 V, kr 4,
/// sr 2).
struct kai_matmul_uker_api kai_matmul_clamp_f32_f16p4vsx2_qsi4c32p16vsx4s1s0sf16_f16p_4vsx16vs_sme2_mopa(void);

/// f32 <- qsi8d32p_last, panels of V, x the same RHS: SMOPA. LHS packer: kai_lhs_quant_pack_qsi8d32p_f32_neon (mr = V,
/// kr 4, sr 2).
struct kai_matmul_uker_api kai_matmul_clamp_f32_qsi8d32p4vsx4sf16_qsi4c32p16vsx4s1s0sf16_i8p_4vsx16vs_sme2_mopa(void);

/// The same for one row, mr 1: SDOT.
struct kai_matmul_uker_api kai_matmul_clamp_f32_qsi8d32p1x4sf16_qsi4c32p16vsx4s1s0sf16_i8p_1x16vs_sme2_dot(void);

/// f32 <- f16p, panels of V, x qai4c32ps1s0sf16, panels of 4 V: weights become f16, FMOPA. Blocks are of 32, which the
/// config must say. RHS packer: kai_matmul_pack_rhs_nxk_qai4c32p16vsx4s1s0sf16_qai4c32k256sf16s32s0_sme, of
/// super-blocks of 256 (Q4_K of GGUF files).
struct kai_matmul_uker_api kai_matmul_clamp_f32_f16p4vsx2_qai4c32p16vsx4s1s0sf16_4vsx16vs_sme2_mopa(void);

/// f32 <- qsi8d32psumf16 x the same RHS, one row: SDOT. LHS packer: kai_matmul_pack_lhs_mxk_qsi8d32p1x4sf16_f32_neon.
struct kai_matmul_uker_api kai_matmul_clamp_f32_qsi8d32p1x4_qai4c32p16vsx4s1s0sf16_1x16vs_sme2_dot(void);

KAI_END_DECLARATIONS
