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

#include "kai/kai_call.h"
#include "kai/kai_registry.h"

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
    // The best kernel for M rows, and the packers of its formats. Those of this family read float rows, and records of
    // int4 weights. (kai_call.h calls them whatever their signatures are; the family's header has typed functions.)
    const struct kai_registry_request request = {.family = "matmul_clamp_f32_qsi8d32p_qsi4c32p", .m = M};
    struct kai_call call = {0};
    call.ukernel = kai_registry_best(&request, NULL, NULL);
    call.lhs_packer = kai_registry_lhs_packer(call.ukernel, 0);
    call.rhs_packer = kai_registry_rhs_packer(call.ukernel, 0);
    call.m = M, call.n = N, call.k = K, call.bl = BL;
    printf("%s\n%s\n%s\n", call.ukernel->name, call.lhs_packer->name, call.rhs_packer->name);

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
    call.rhs = records;
    void* rhs_packed = malloc(kai_call_rhs_packed_size(&call));
    kai_call_pack_rhs(&call, 0, N, rhs_packed);
    call.rhs_packed = rhs_packed;

    // Every inference: pack the activations, multiply.
    call.lhs = lhs, call.dst = dst;
    void* lhs_packed = malloc(kai_call_lhs_packed_size(&call));
    kai_call_pack_lhs(&call, 0, M, lhs_packed);
    call.lhs_packed = lhs_packed;
    kai_call_run(&call, 0, 0, M, N);

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
