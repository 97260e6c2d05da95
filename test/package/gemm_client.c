// A C program that knows the GEMM layer only: its library brings what it needs.
//
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "kai/gemm/kai_gemm.h"

int main(void) {
    const float a[2] = {3, 4}, b[2] = {5, 6};
    float c[1] = {1000};
    struct kai_gemm_problem problem = kai_gemm_problem_of(1, 1, 2);
    problem.alpha = 2, problem.beta = 1;
    struct kai_gemm_plan plan;
    static struct kai_gemm_operands x;
    static unsigned char workspace[65536] __attribute__((aligned(64)));
    enum kai_gemm_status status = kai_gemm_make_plan(&problem, &plan);
    x.m = 1, x.a.data = a, x.b.data = b, x.c.data = c;
    if (status == KAI_GEMM_OK) {
        status = kai_gemm_run(&plan, &x, workspace, sizeof(workspace), NULL, NULL);
    }
    printf("%s: %g\n", kai_gemm_status_text(status), (double)c[0]);
    return c[0] == 1078 ? 0 : 1;
}
