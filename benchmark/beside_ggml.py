"""Measures ggml's backend for CPUs on what kleidiai_bench measured: beside_ggml.py TREE OURS.json OUT.json

TREE: Debian's packages of ggml, unpacked, whose Python runs this (tools/setup.sh: need_ggml). Each name of OURS.json
that is gemm/TYPE/MxNxK[/threads:T] with a type that ggml has is measured: the same type, shape, number of threads
and values, rows of f32 in and out. One row: as many copies of the weights take turns as fill 256 MiB
(KLEIDIAI_GGML_COLD=BYTES).
OUT.json has the same names, for compare.py. The backend is the best for this CPU; KLEIDIAI_GGML_BACKEND=x64 names
another.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes as C
import json
import os
import pathlib
import platform
import re
import sys
import time

import numpy

TREE, OURS, OUT = map(pathlib.Path, sys.argv[1:4])
TYPES = {"f32": 0, "f16": 1, "Q4_0": 2, "Q8_0": 8, "Q4_K": 12, "Q6_K": 14}
COLD = int(os.environ.get("KLEIDIAI_GGML_COLD", 256 << 20))
P, I64 = C.c_void_p, C.c_int64

libraries = TREE / f"usr/lib/{platform.machine()}-linux-gnu"
base = C.CDLL(str(libraries / "libggml-base.so.0"), mode=C.RTLD_GLOBAL)


def best_backend():
    found = {}
    for path in (libraries / "ggml/backends0").glob("libggml-cpu-*.so"):
        if os.environ.get("KLEIDIAI_GGML_BACKEND") in (None, path.stem[len("libggml-cpu-"):]):
            library = C.CDLL(str(path))  # 0: this CPU lacks something
            score = library.ggml_backend_score() if hasattr(library, "ggml_backend_score") else 1
            found[score, path.name] = path
    if not found or max(found)[0] == 0:
        sys.exit(f"beside_ggml.py: no backend for this CPU in {libraries}")
    return found[max(found)]


class InitParams(C.Structure):
    _fields_ = [("mem_size", C.c_size_t), ("mem_buffer", P), ("no_alloc", C.c_bool)]


def declare(library, name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


def random_elements(size, count, seed):
    """The bytes of random_elements in measure.cpp: integers (size 1), f16 or f32 of magnitude 0.5 to 2."""
    repeats = 1 << 20
    draws = numpy.random.RandomState(seed).randint(0, 1 << 32, min(count, repeats), dtype=numpy.uint32)
    values = draws.astype(numpy.uint8)
    if size > 1:
        top, kept = (0x38, 0x83) if size == 2 else (0x3F, 0x80)
        values[size - 1::size] = values[size - 1::size] & kept | top
    return numpy.resize(values, count)


def fill(tensor, values):
    C.memmove(get_data(tensor), values.ctypes.data, values.size)


backend = best_backend()
cpu = C.CDLL(str(backend), mode=C.RTLD_GLOBAL)
row_size = declare(base, "ggml_row_size", C.c_size_t, C.c_int, I64)
init = declare(base, "ggml_init", P, InitParams)
free = declare(base, "ggml_free", None, P)
new_tensor = declare(base, "ggml_new_tensor_2d", P, P, C.c_int, I64, I64)
get_data = declare(base, "ggml_get_data", P, P)
mul_mat = declare(base, "ggml_mul_mat", P, P, P, P)
new_graph = declare(base, "ggml_new_graph_custom", P, P, C.c_size_t, C.c_bool)
expand = declare(base, "ggml_build_forward_expand", None, P, P)
compute = declare(cpu, "ggml_graph_compute_with_ctx", C.c_int, P, P, C.c_int)
cpu.ggml_cpu_init()


def measure(number, m, n, k, threads, repetitions):
    """Seconds of one product, for each repetition. A graph has a product for each copy of the weights, so that starting
    ggml's threads does not count."""
    size = row_size(number, k) * n
    copies = max(1, COLD // size + 1) if m == 1 else 1
    nodes = max(copies, 4)
    memory = copies * (size + 4096) + nodes * (4 * m * n + 4096) + 16 * m * k + (64 << 20)
    context = init(InitParams(memory, None, False))
    weights = [new_tensor(context, number, k, n) for _ in range(copies)]
    rows = new_tensor(context, 0, k, m)
    fill(rows, random_elements(4, 4 * m * k, 1))
    values = random_elements({0: 4, 1: 2}.get(number, 1), size, 2)
    for tensor in weights:
        fill(tensor, values if number < 2 else values & 0x3F)  # finite scales: random_file_rows
    graph = new_graph(context, 4 * nodes, False)
    for i in range(nodes):
        expand(graph, mul_mat(context, weights[i % copies], rows))
    found = []
    # compute takes memory of the context at each call: not often.
    for i in range(repetitions + 1):
        start = time.perf_counter()
        if compute(context, graph, threads) != 0:
            sys.exit("beside_ggml.py: ggml refuses")
        found.append((time.perf_counter() - start) / nodes)
    free(context)
    return found[1:]


def main():
    ours = json.loads(OURS.read_text())
    names = list(dict.fromkeys(run["run_name"] for run in ours["benchmarks"]))
    runs = []
    for name in names:
        parts = re.match(r"gemm/(\w+)/(\d+)x(\d+)x(\d+)(?:/threads:(\d+))?(?:/|$)", name)
        if not parts or parts[1] not in TYPES:
            continue
        m, n, k = (int(parts[i]) for i in (2, 3, 4))
        for i, value in enumerate(measure(TYPES[parts[1]], m, n, k, int(parts[5] or 1), 5)):
            runs.append({"name": name, "run_name": name, "run_type": "iteration", "repetition_index": i,
                         "iterations": 1, "real_time": 1e9 * value, "cpu_time": 1e9 * value, "time_unit": "ns"})
    context = {**ours["context"], "kleidiai library": f"ggml of Debian, {backend.name}"}
    OUT.write_text(json.dumps({"context": context, "benchmarks": runs}))


main()
