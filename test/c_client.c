/* A C99 program that uses the library as a C program does: packs a small problem, runs the best micro-kernel that this
 * CPU offers and compares the result. It is linked by the C compiler, without any C++ runtime.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kai/kai_call.h"
#include "kai/kai_registry.h"
#include "kai/ukernels/families.h"
#include "kai/ukernels/pack/kai_lhs_pack.h"
#include "kai/ukernels/pack/kai_rhs_pack.h"

enum { M = 3, N = 5, K = 64, BL = 32, RECORD = 2 + BL / 2 };

/* lhs[m][k] = m + 1: it is quantised to 127 with scale (m + 1) / 127. Weights are n - 2, their scales 1. */
static float lhs[M][K];
static uint8_t rhs[N][K / BL][RECORD];

static void make_operands(void) {
    for (int m = 0; m < M; ++m) {
        for (int k = 0; k < K; ++k) {
            lhs[m][k] = (float)(m + 1);
        }
    }
    for (int n = 0; n < N; ++n) {
        for (int b = 0; b < K / BL; ++b) {
            const uint16_t one = kai_cast_f16_f32(1.0f);
            memcpy(rhs[n][b], &one, sizeof(one));
            memset(rhs[n][b] + 2, (n + 6) * 0x11, BL / 2);
        }
    }
}

static int count_wrong(float dst[M][N]) {
    int wrong = 0;
    for (int m = 0; m < M; ++m) {
        for (int n = 0; n < N; ++n) {
            const float expected = (float)((m + 1) * (n - 2) * K);
            wrong += !(fabsf(dst[m][n] - expected) <= 1e-3f * fabsf(expected)); /* an f16 scale has 11 bits */
        }
    }
    return wrong;
}

static int run(const struct kai_ukernel* kernel) {
    const size_t mr = kernel->get_mr(), nr = kernel->get_nr(), kr = kernel->get_kr(), sr = kernel->get_sr();
    const struct kai_rhs_pack_qs4cxs1s0_param params = {1, 8};
    kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn* matmul = (kai_matmul_clamp_f32_qsi8d32p_qsi4c32p_run_fn*)kernel->run;
    const struct kai_packer *lhs_packer = kai_registry_lhs_packer(kernel, 0),
                            *rhs_packer = kai_registry_rhs_packer(kernel, 0);
    void* lhs_packed = malloc(((kai_get_lhs_packed_size_bl_fn*)lhs_packer->get_packed_size)(M, K, BL, mr, kr, sr));
    void* rhs_packed = malloc(((kai_get_rhs_packed_size_bl_fn*)rhs_packer->get_packed_size)(N, K, nr, kr, BL));
    float dst[M][N];
    int wrong = 0;

    ((kai_run_lhs_pack_bl_f32_fn*)lhs_packer->run)(M, K, BL, mr, kr, sr, 0, &lhs[0][0], sizeof(lhs[0]), lhs_packed);
    ((kai_run_rhs_pack_nxk_qsu4c32_fn*)rhs_packer->run)(
        1, N, K, nr, kr, sr, BL, &rhs[0][0][0], NULL, rhs_packed, 0, &params);
    matmul(M, N, K, BL, lhs_packed, rhs_packed, &dst[0][0], sizeof(dst[0]), sizeof(float), -INFINITY, INFINITY);

    wrong = count_wrong(dst);
    free(lhs_packed);
    free(rhs_packed);
    printf("%s: %d of %d elements are wrong\n", kernel->name, wrong, M * N);
    return wrong != 0;
}

/* The same by kai_call.h. */
static int run_by_call(const struct kai_ukernel* kernel) {
    float dst[M][N];
    int wrong = 0;
    struct kai_call call = {0};
    void *lhs_packed, *rhs_packed;
    call.ukernel = kernel;
    call.lhs_packer = kai_registry_lhs_packer(kernel, 0), call.rhs_packer = kai_registry_rhs_packer(kernel, 0);
    call.m = M, call.n = N, call.k = K, call.bl = BL;
    call.lhs = lhs, call.rhs = rhs, call.dst = dst;
    lhs_packed = malloc(kai_call_lhs_packed_size(&call));
    rhs_packed = malloc(kai_call_rhs_packed_size(&call));
    kai_call_pack_lhs(&call, 0, M, lhs_packed);
    kai_call_pack_rhs(&call, 0, N, rhs_packed);
    call.lhs_packed = lhs_packed, call.rhs_packed = rhs_packed;
    kai_call_run(&call, 0, 0, M, N);

    wrong = count_wrong(dst);
    free(lhs_packed);
    free(rhs_packed);
    printf("by kai_call: %d of %d elements are wrong\n", wrong, M * N);
    return wrong != 0;
}

int main(void) {
    struct kai_registry_request request = {.family = "matmul_clamp_f32_qsi8d32p_qsi4c32p", .m = M};
    const struct kai_ukernel* kernel = kai_registry_best(&request, NULL, NULL);
    printf(
        "interface %s, %zu micro-kernels, %zu packers\n", kai_get_version(), kai_registry_ukernel_count(),
        kai_registry_packer_count());
    make_operands();
    return run(kernel) | run_by_call(kernel);
}
