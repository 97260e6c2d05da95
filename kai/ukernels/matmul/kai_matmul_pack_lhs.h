// The unified API for LHS packers.
//
// Each function here returns, by value, the table of one packer. V = SVL / 32. Missing rows of the last panel (NEON:
// their bytes stay as they are), and k up to a multiple of kr, become zero. m = 0 or k = 0: nothing is read or written,
// and all pointers may be NULL. The stride of panels may be larger than get_lhs_packed_stride. Packers have no flags:
// setting one is an error in every build.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_common.h"
#include "kai/ukernels/matmul/kai_matmul_pack_lhs_types.h"

KAI_BEGIN_DECLARATIONS

/// Format f32p, mr = V, kr 1.
struct kai_matmul_pack_lhs_uker_api kai_matmul_pack_lhs_mxk_x32p4vsx1_x32_sme(void);

/// Format f16p, mr = V, kr 2.
struct kai_matmul_pack_lhs_uker_api kai_matmul_pack_lhs_mxk_x16p4vsx2_x16_sme(void);

/// The same bytes under another name.
struct kai_matmul_pack_lhs_uker_api kai_matmul_pack_lhs_mxk_x16p4vsx2_x16_sme2(void);

/// Format f16p of any 16-bit elements, mr of config.format (1 to 65535), kr 2; missing rows become zero. On every host;
/// with mr = V the bytes of ...x16p4vsx2_x16_sme. `run`, get_step and the getters of what is packed need a config,
/// `run` not if m = 0.
struct kai_matmul_pack_lhs_uker_api kai_matmul_pack_lhs_mxk_x16pmrx2_x16(void);

/// Format f32p, mr of config.format, kr 1; otherwise the same. With mr = V the bytes of ...x32p4vsx1_x32_sme, with 2 V
/// those of lhs_pack_f32p2vlx1_f32_sme.
struct kai_matmul_pack_lhs_uker_api kai_matmul_pack_lhs_mxk_x32pmrx1_x32(void);

/// Format bf16p of f32 rows, rounded to nearest, ties to even; mr of config.format, kr 2; otherwise the same. With
/// mr = 2 V the bytes of lhs_pack_bf16p2vlx2_f32_sme.
struct kai_matmul_pack_lhs_uker_api kai_matmul_pack_lhs_mxk_bf16pmrx2_f32(void);

/// Format x8p, mr = V, kr 4.
struct kai_matmul_pack_lhs_uker_api kai_matmul_pack_lhs_mxk_x8p4vsx4_x8_sme(void);

/// Format bf16p of any 16-bit elements, mr 8, kr 4. On every host.
struct kai_matmul_pack_lhs_uker_api kai_matmul_pack_lhs_mxk_x16p8x4_x16_neon(void);

/// Format qsi8d32psumf16 of f32 rows, mr 1, kr 4; k is a multiple of 32. On every host.
struct kai_matmul_pack_lhs_uker_api kai_matmul_pack_lhs_mxk_qsi8d32p1x4sf16_f32_neon(void);

KAI_END_DECLARATIONS
