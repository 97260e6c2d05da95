// A whole use of the library in C: int4 weights, float activations, float results.
//
// 1. Ask the registry for the best micro-kernel of a family on this CPU, and for the packers of its formats.
// 2. Quantise the weights to int4 blocks of 32 and pack them, once.
// 3. For every batch: quantise and pack the activations, multiply.
//
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kai/kai_registry.h"
#include "kai/ukernels/families.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

enum { M = 5, N = 10, K = 64, BL = 32 };

/// One row of weights as records: f16 scale, then 16 bytes; byte j holds weights j and j + 16, each as q + 8.
static void quantise_row(const float* row, uint8_t* record) {
    for (int block = 0; block < K / BL; ++block, row += BL, record += 2 + BL / 2) {
        float largest = 0.0F;
        for (int i = 0; i < BL; ++i) {
            largest = fmaxf(largest, fabsf(row[i]));
        }
        const float scale = largest / 7.0F;
        const uint16_t f16 = kai_cast_f16_f32(scale);
        record[0] = (uint8_t)f16, record[1] = (uint8_t)(f16 >> 8);
        for (int j = 0; j < BL / 2; ++j) {
            const int low = scale > 0 ? (int)lrintf(row[j] / scale) : 0;
            const int high = scale > 0 ? (int)lrintf(row[j + BL / 2] / scale) : 0;
            record[2 + j] = (uint8_t)((low + 8) | (high + 8) << 4);
        }
    }
}

int main(void) {
    // The best kernel for M rows. Every kernel of the family has the same interface; packed formats differ, and so do
    // the packers. Those of this family read float rows, and records of int4 weights.
    const struct kai_registry_request request = {"matmul_clamp_f32_qsi8d32p_qsi4c32p", M, NULL};
    const struct kai_ukernel* u = kai_registry_best(&request, NULL, NULL);
    if (u == NULL || u->rows == KAI_ROWS_ONE) {
        printf("this CPU has no kernel of the family\n");
        return 0;
    }
    const struct kai_packer* lhs_packer = kai_registry_lhs_packer(u, 0);
    const struct kai_packer* rhs_packer = kai_registry_rhs_packer(u, 0);
    printf("%s\n%s\n%s\n", u->name, lhs_packer->name, rhs_packer->name);
    const size_t mr = u->get_mr(), nr = u->get_nr(), kr = u->get_kr(), sr = u->get_sr();

    // Weights N x K and activations M x K.
    static float weights[N][K], lhs[M][K], dst[M][N];
    static uint8_t records[N][K / BL * (2 + BL / 2)];
    for (int i = 0; i < N * K; ++i) {
        weights[i / K][i % K] = 0.5F + sinf((float)i);
    }
    for (int i = 0; i < M * K; ++i) {
        lhs[i / K][i % K] = 0.5F + cosf((float)i * 0.7F);
    }

    // Load time: pack the weights.
    for (int n = 0; n < N; ++n) {
        quantise_row(weights[n], records[n]);
    }
    const struct kai_rhs_pack_qs4cxs1s0_param params = {1, 8};
    void* rhs_packed = malloc(((kai_get_rhs_packed_size_bl_fn*)rhs_packer->get_packed_size)(N, K, nr, kr, BL));
    ((kai_run_rhs_pack_nxk_qsu4c32_fn*)rhs_packer->run)(
        1, N, K, nr, kr, sr, BL, records[0], NULL, rhs_packed, 0, &params);

    // Every inference: pack the activations, multiply.
    void* lhs_packed = malloc(((kai_get_lhs_packed_size_bl_fn*)lhs_packer->get_packed_size)(M, K, BL, mr, kr, sr));
    ((kai_run_lhs_pack_bl_f32_fn*)lhs_packer->run)(M, K, BL, mr, kr, sr, 0, lhs[0], sizeof(lhs[0]), lhs_packed);
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn* run = (kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn*)u->run;
    run(M, N, K, BL, lhs_packed, rhs_packed, dst[0], sizeof(dst[0]), sizeof(float), -INFINITY, INFINITY);

    double error = 0, norm = 0;
    for (int m = 0; m < M; ++m) {
        for (int n = 0; n < N; ++n) {
            double exact = 0;
            for (int k = 0; k < K; ++k) {
                exact += (double)lhs[m][k] * (double)weights[n][k];
            }
            error += (exact - dst[m][n]) * (exact - dst[m][n]);
            norm += exact * exact;
        }
    }
    printf("relative error against float weights: %.1f %% (int4 quantisation)\n", 100.0 * sqrt(error / norm));
    free(lhs_packed);
    free(rhs_packed);
    return error / norm < 0.04 ? 0 : 1;
}
