// Calls ggml_flash_attn_ext of an installed ggml once in kai_perf_region, so that kai_cycles.py can trace that call
// beside kai_attention_run of cycles_driver. Same problem: one kv head, queries and results in f32, one thread.
//
//     ggml_attention BACKENDS [key=value ...]    BACKENDS: the folder of libggml-cpu-*.so, or one of them
//         type (of the cache: ggml_type, 1 is f16), tokens, length (of the cache), size (of a head),
//         heads (queries of one kv head)
//
// Only ggml's public functions and headers are used. kai_cycles.py knows from the maps that are printed where the
// libraries are; attention_beside_ggml.py compiles this program (without PIE: the address of kai_perf_region is known).
//
// SPDX-License-Identifier: Apache-2.0
//
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml.h"

static ggml_backend_t backend;
static struct ggml_cgraph* graph;

/// kai_cycles.py measures the first call in here. `nth` 2: the first one resolves symbols and allocates.
__attribute__((noinline)) void kai_perf_region(void) {
    ggml_backend_graph_compute(backend, graph);
    __asm__ volatile("" ::: "memory");  // keeps the call from becoming a jump
}

static size_t number(int argc, char** argv, const char* key, size_t otherwise) {
    const size_t length = strlen(key);
    for (int i = 2; i < argc; i++) {
        if (strncmp(argv[i], key, length) == 0 && argv[i][length] == '=') {
            return strtoull(argv[i] + length + 1, NULL, 0);
        }
    }
    return otherwise;
}

/// Fills a tensor with numbers in +-1 of its type. Rows repeat: filling is traced, too, so it has to be short.
static void fill(struct ggml_tensor* tensor) {
    const int64_t row = tensor->ne[0];
    const size_t bytes = ggml_row_size(tensor->type, row), all = ggml_nbytes(tensor);
    float* const numbers = malloc((size_t)row * sizeof(float));
    char* const data = malloc(all);
    uint32_t seed = 12345;
    for (int64_t i = 0; i < row; i++) {
        seed = seed * 1664525u + 1013904223u;
        numbers[i] = (float)(int32_t)seed * 4.6e-10f;
    }
    ggml_quantize_chunk(tensor->type, numbers, data, 0, 1, row, NULL);
    for (size_t at = bytes; at < all; at += bytes) {
        memcpy(data + at, data, bytes);
    }
    ggml_backend_tensor_set(tensor, data, 0, all);
    free(data), free(numbers);
}

static void print_maps(void) {
    char line[4096];
    FILE* const maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        printf("map: %s", line);
    }
    fclose(maps);
    fflush(stdout);
}

int main(int argc, char** argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: ggml_attention BACKENDS [key=value ...]\n");
        return 2;
    }
    const enum ggml_type type = (enum ggml_type)number(argc, argv, "type", GGML_TYPE_F16);
    const int64_t tokens = (int64_t)number(argc, argv, "tokens", 1),
                  length = (int64_t)number(argc, argv, "length", 512), size = (int64_t)number(argc, argv, "size", 64),
                  heads = (int64_t)number(argc, argv, "heads", 1);

    if (strstr(argv[1], ".so") != NULL) {
        ggml_backend_load(argv[1]);
    } else {
        ggml_backend_load_all_from_path(argv[1]);  // the best for this CPU
    }
    backend = ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, NULL);
    if (backend == NULL) {
        fprintf(stderr, "ggml_attention: no backend for CPUs in %s\n", argv[1]);
        return 3;
    }
    const ggml_backend_set_n_threads_t set_threads = (ggml_backend_set_n_threads_t)ggml_backend_reg_get_proc_address(
        ggml_backend_dev_backend_reg(ggml_backend_get_device(backend)), "ggml_backend_set_n_threads");
    set_threads(backend, 1);

    const struct ggml_init_params memory = {1 << 20, NULL, true};
    struct ggml_context* const context = ggml_init(memory);
    struct ggml_tensor* const q = ggml_new_tensor_4d(context, GGML_TYPE_F32, size, tokens, heads, 1);
    struct ggml_tensor* const k = ggml_new_tensor_4d(context, type, size, length, 1, 1);
    struct ggml_tensor* const v = ggml_new_tensor_4d(context, type, size, length, 1, 1);
    struct ggml_tensor* const out = ggml_flash_attn_ext(context, q, k, v, NULL, 1 / sqrtf((float)size), 0, 0);
    graph = ggml_new_graph(context);
    ggml_build_forward_expand(graph, out);
    ggml_backend_buffer_t const buffer = ggml_backend_alloc_ctx_tensors(context, backend);
    fill(q), fill(k), fill(v);

    kai_perf_region();
    print_maps();
    kai_perf_region();
    const size_t macs = (size_t)(2 * tokens * heads * length * size);
    printf(
        "perf: name=ggml_flash_attn_ext_%s shape=tokens=%d,length=%d,size=%d,heads=%d macs=%zu\n", ggml_type_name(type),
        (int)tokens, (int)length, (int)size, (int)heads, macs);
    ggml_backend_buffer_free(buffer);
    return 0;
}
