// The unified API (kai_matmul.h): every kernel and every packer is a table of the same functions, with operands in
// structures. A product of f32 matrices, its columns in two calls, as two threads would make them.
//
// The tables come from the registry here, so that the program also builds where the kernels do not exist. A program for
// one CPU calls kai_matmul_clamp_f32_f32p4vsx1_f32p4vsx1bf32_8vsx8vs_sme2_mopa() and the like.
//
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kai/kai_registry.h"

enum { M = 19, N = 75, K = 40 };

static size_t min(size_t a, size_t b) {
    return a < b ? a : b;
}

int main(void) {
    const struct kai_registry_request request = {.family = "matmul_unified_f32", .m = M};
    const struct kai_ukernel* kernel = kai_registry_best(&request, NULL, NULL);
    if (kernel == NULL) {
        puts("this CPU has no kernel of the unified API for f32 (SME2)");
        return 77;  // CTest: skipped
    }
    const struct kai_packer* lhs_packer = kai_registry_lhs_packer(kernel, 0);
    const struct kai_packer* rhs_packer = kai_registry_rhs_packer(kernel, 0);
    printf("%s\n%s\n%s\n", kernel->name, lhs_packer->name, rhs_packer->name);

    // 1. The tables.
    const struct kai_matmul_uker_api api = ((kai_get_matmul_uker_api_fn*)kernel->run)();
    const struct kai_matmul_pack_lhs_uker_api lhs_api = ((kai_get_matmul_pack_lhs_uker_api_fn*)lhs_packer->run)();
    const struct kai_matmul_pack_rhs_uker_api rhs_api = ((kai_get_matmul_pack_rhs_uker_api_fn*)rhs_packer->run)();

    static float lhs[M][K], rhs[K][N], bias[N], dst[M][N];
    for (int i = 0; i < M * K; ++i) {
        lhs[i / K][i % K] = sinf((float)i);
    }
    for (int i = 0; i < K * N; ++i) {
        rhs[i / N][i % N] = cosf((float)i * 0.7F);
        bias[i % N] = (float)(i % N);
    }

    // 2. Pack. A packer with an N x K source would take the stride of n instead of that of k.
    struct kai_matmul_pack_rhs_uker_args pack_rhs = {0};
    pack_rhs.shape.n = N, pack_rhs.shape.k = K;
    pack_rhs.operand.rhs.ptr = rhs, pack_rhs.operand.rhs.stride.k = sizeof rhs[0];
    pack_rhs.operand.bias_n.ptr = bias;
    const struct kai_matmul_pack_rhs_uker_rhs_packed_dim_args rhs_shape = {N, K};
    pack_rhs.operand.rhs_packed.stride = rhs_api.get_rhs_packed_stride(NULL, &rhs_shape);
    void* rhs_packed = malloc(rhs_api.get_rhs_packed_size(NULL, &rhs_shape, &pack_rhs.operand.rhs_packed.stride));
    pack_rhs.operand.rhs_packed.ptr = rhs_packed;
    rhs_api.run(NULL, &pack_rhs);

    struct kai_matmul_pack_lhs_uker_args pack_lhs = {0};
    pack_lhs.shape.m = M, pack_lhs.shape.k = K;
    pack_lhs.operand.lhs.ptr = lhs, pack_lhs.operand.lhs.stride.m = sizeof lhs[0];
    const struct kai_matmul_pack_lhs_uker_lhs_packed_dim_args lhs_shape = {M, K};
    pack_lhs.operand.lhs_packed.stride = lhs_api.get_lhs_packed_stride(NULL, &lhs_shape);
    void* lhs_packed = malloc(lhs_api.get_lhs_packed_size(NULL, &lhs_shape, &pack_lhs.operand.lhs_packed.stride));
    pack_lhs.operand.lhs_packed.ptr = lhs_packed;
    lhs_api.run(NULL, &pack_lhs);

    // 3. Run: the shape is that of the part, the pointers move by offsets, the strides stay.
    const float low = -20, high = 90;
    struct kai_matmul_uker_args args = {0};
    args.flags = KAI_MATMUL_UKER_FLAGS_ARGS_CLAMP;
    args.activation.clamp.min_ptr = &low, args.activation.clamp.max_ptr = &high;
    args.operand.lhs.ptr = lhs_packed, args.operand.lhs.stride.m = pack_lhs.operand.lhs_packed.stride.m;
    args.operand.rhs.stride.n = pack_rhs.operand.rhs_packed.stride.n;
    args.operand.dst.stride.m = sizeof dst[0];
    const size_t step = api.get_step(NULL).n;  // 0: only all columns at once
    const size_t share = step != 0 ? (N / 2 + step - 1) / step * step : N;
    for (size_t n = 0; n < N; n += share) {
        const struct kai_matmul_uker_rhs_dim_args rhs_index = {n, 0};
        const struct kai_matmul_uker_dst_dim_args dst_index = {0, n};
        args.shape.m = M, args.shape.n = min(share, N - n), args.shape.k = K;
        args.operand.rhs.ptr = (const char*)rhs_packed + api.get_rhs_offset(NULL, &rhs_index, &args.operand.rhs.stride);
        args.operand.dst.ptr = (char*)dst + api.get_dst_offset(NULL, &dst_index, &args.operand.dst.stride);
        api.run(NULL, &args);
    }
    free(lhs_packed);
    free(rhs_packed);

    double worst = 0;
    for (int i = 0; i < M * N; ++i) {
        double sum = (double)bias[i % N];
        for (int k = 0; k < K; ++k) {
            sum += (double)lhs[i / N][k] * (double)rhs[k][i % N];
        }
        sum = fmin(fmax(sum, (double)low), (double)high);
        worst = fmax(worst, fabs(sum - (double)dst[i / N][i % N]));
    }
    printf("largest error %.1e\n", worst);
    return worst < 1e-3 ? 0 : 1;
}
