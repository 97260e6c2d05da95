// Multiplies with every kernel of one family that ggml uses, found at run time as ggml does, and compares the results.
//
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

// By flat names, as ggml includes them.
#include "kai_common.h"
#include "kai_lhs_quant_pack_qsi8d32p_f32.h"
#include "kai_lhs_quant_pack_qsi8d32p_f32_neon.h"
#include "kai_matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa.h"
#include "kai_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot.h"
#include "kai_matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod.h"
#include "kai_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod.h"
#include "kai_matmul_clamp_f32_qsi8d32p1x8_qsi4c32p8x8_1x8_sve_dotprod.h"
#include "kai_matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod.h"
#include "kai_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm.h"
#include "kai_matmul_clamp_f32_qsi8d32p4x8_qsi4c32p8x8_16x8_sve_i8mm.h"
#include "kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_interface.h"
#include "kai_rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon.h"
#include "kai_rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0.h"

enum { M = 17, N = 44, K = 96, BL = 32, SME2 = 1, DOTPROD = 2, I8MM = 4, SVE = 8 };

#define KERNEL(needs, name)                                                                                        \
    {                                                                                                              \
        needs, #name, {                                                                                            \
            kai_get_m_step_##name, kai_get_n_step_##name, kai_get_mr_##name, kai_get_nr_##name, kai_get_kr_##name, \
                kai_get_sr_##name, kai_get_lhs_packed_offset_##name, kai_get_rhs_packed_offset_##name,             \
                kai_get_dst_offset_##name, kai_get_dst_size_##name, kai_run_##name                                 \
        }                                                                                                          \
    }
static const struct {
    int needs;
    const char* name;
    struct kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_ukernel u;
} kernels[] = {
    KERNEL(DOTPROD, matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod),
    KERNEL(DOTPROD, matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod),
    KERNEL(DOTPROD, matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod),
    KERNEL(I8MM, matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm),
    KERNEL(SVE | DOTPROD, matmul_clamp_f32_qsi8d32p1x8_qsi4c32p8x8_1x8_sve_dotprod),
    KERNEL(SVE | I8MM, matmul_clamp_f32_qsi8d32p4x8_qsi4c32p8x8_16x8_sve_i8mm),
    KERNEL(SME2, matmul_clamp_f32_qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa),
    KERNEL(SME2, matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot),
};

int main(void) {
    const unsigned long hwcap = getauxval(AT_HWCAP), hwcap2 = getauxval(AT_HWCAP2);
    const int cpu = (hwcap2 >> 37 & 1 ? SME2 : 0) | (hwcap >> 20 & 1 ? DOTPROD : 0) | (hwcap2 >> 13 & 1 ? I8MM : 0) |
                    (hwcap >> 22 & 1 ? SVE : 0);

    // Blocks of 32 weights: an f16 scale, then 16 bytes, nibble = weight + 8.
    static float lhs[M * K], dst[M * N];
    static uint8_t rhs[N * (K / BL) * (2 + BL / 2)];
    for (int i = 0; i < M * K; ++i) {
        lhs[i] = (float)(i * 37 % 101 - 50) / 16;
    }
    static double weights[N][K];
    uint8_t* block = rhs;
    for (int n = 0; n < N; ++n) {
        for (int b = 0; b < K / BL; ++b, block += 2 + BL / 2) {
            const uint16_t scale = kai_cast_f16_f32((float)(1 + (n + b) % 5) / 64);
            memcpy(block, &scale, 2);
            for (int k = 0; k < BL / 2; ++k) {
                const int low = (n * 5 + b * 3 + k * 7) % 16, high = (n + b + k * 11) % 16;
                block[2 + k] = (uint8_t)(low | high << 4);
                weights[n][b * BL + k] = (double)(low - 8) * kai_cast_f32_f16(scale);
                weights[n][b * BL + BL / 2 + k] = (double)(high - 8) * kai_cast_f32_f16(scale);
            }
        }
    }

    int ran = 0, wrong = 0;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); ++i) {
        if ((kernels[i].needs & cpu) != kernels[i].needs) {
            continue;
        }
        const struct kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_ukernel* u = &kernels[i].u;
        const size_t mr = u->get_mr(), nr = u->get_nr(), kr = u->get_kr(), sr = u->get_sr();
        const struct kai_rhs_pack_qs4cxs1s0_param params = {1, 8};
        void *lhs_packed, *rhs_packed;
        if (kernels[i].needs & SME2) {
            lhs_packed = malloc(kai_get_lhs_packed_size_lhs_quant_pack_qsi8d32p_f32_neon(M, K, BL, mr, kr, sr));
            rhs_packed =
                malloc(kai_get_rhs_packed_size_rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon(N, K, nr, kr, BL));
            kai_run_lhs_quant_pack_qsi8d32p_f32_neon(M, K, BL, mr, kr, sr, 0, lhs, K * sizeof(float), lhs_packed);
            kai_run_rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon(
                1, N, K, nr, kr, sr, BL, rhs, NULL, rhs_packed, 0, &params);
        } else {
            lhs_packed = malloc(kai_get_lhs_packed_size_lhs_quant_pack_qsi8d32p_f32(M, K, BL, mr, kr, sr));
            rhs_packed = malloc(kai_get_rhs_packed_size_rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0(N, K, nr, kr, BL));
            kai_run_lhs_quant_pack_qsi8d32p_f32(M, K, BL, mr, kr, sr, 0, lhs, K * sizeof(float), lhs_packed);
            kai_run_rhs_pack_nxk_qsi4c32pscalef16_qsu4c32s16s0(
                1, N, K, nr, kr, sr, BL, rhs, NULL, rhs_packed, 0, &params);
        }
        for (size_t m = 0; m < M; m += u->get_m_step()) {
            const size_t rows = KAI_MIN(M - m, u->get_m_step());
            u->run_matmul(
                rows, N, K, BL, (const char*)lhs_packed + u->get_lhs_packed_offset(m, K, BL),
                (const char*)rhs_packed + u->get_rhs_packed_offset(0, K, BL),
                (float*)((char*)dst + u->get_dst_offset(m, 0, N * sizeof(float))), N * sizeof(float), sizeof(float),
                -INFINITY, INFINITY);
        }
        // 3.125 / 127 / 2 per element of the LHS: the error of its quantisation.
        double worst = 0;
        for (int m = 0; m < M; ++m) {
            for (int n = 0; n < N; ++n) {
                double sum = 0, slack = 1e-3;
                for (int k = 0; k < K; ++k) {
                    sum += (double)lhs[m * K + k] * weights[n][k];
                    slack += fabs(weights[n][k]) * 3.125 / 127 * 0.55;
                }
                worst = fmax(worst, fabs(dst[m * N + n] - sum) / slack);
            }
        }
        printf("%s: %.3f of the error that the quantisation may have\n", kernels[i].name, worst);
        ++ran;
        wrong += !(worst <= 1);
        free(lhs_packed);
        free(rhs_packed);
    }
    if (cpu & SME2) {
        kai_commit_za();
        printf("%u bytes in a vector\n", (unsigned)kai_get_sme_vector_length_u8());
    }
    printf("%d kernels ran, %d wrong\n", ran, wrong);
    return ran == 0 || wrong != 0;
}
