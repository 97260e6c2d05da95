"""Writes what ggml says, for ggml_test.cpp: write.py TREE FOLDER, run by the Python of the unpacked packages.

model.gguf: a tensor of each type, quantised by ggml and written by its Python package. <name>.f32: dequantised by ggml.
exact.f32, random.f32: activations. <name>.exact, <name>.random: products, multiplied by ggml's backend for CPUs.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes as C
import pathlib
import sys

TREE, FOLDER = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(TREE / "usr/lib/python3/dist-packages"))
import gguf  # noqa: E402
import numpy as np  # noqa: E402

LIBRARIES = TREE / "usr/lib/x86_64-linux-gnu"
base = C.CDLL(str(LIBRARIES / "libggml-base.so.0"), mode=C.RTLD_GLOBAL)
cpu = C.CDLL(str(LIBRARIES / "ggml/backends0/libggml-cpu-x64.so"), mode=C.RTLD_GLOBAL)
P, I64 = C.c_void_p, C.c_int64


class InitParams(C.Structure):
    _fields_ = [("mem_size", C.c_size_t), ("mem_buffer", P), ("no_alloc", C.c_bool)]


def declare(library, name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


quantize = declare(base, "ggml_quantize_chunk", C.c_size_t, C.c_int, P, P, I64, I64, I64, P)
row_size = declare(base, "ggml_row_size", C.c_size_t, C.c_int, I64)
init = declare(base, "ggml_init", P, InitParams)
free = declare(base, "ggml_free", None, P)
new_tensor = declare(base, "ggml_new_tensor_2d", P, P, C.c_int, I64, I64)
get_data = declare(base, "ggml_get_data", P, P)
mul_mat = declare(base, "ggml_mul_mat", P, P, P, P)
new_graph = declare(base, "ggml_new_graph", P, P)
expand = declare(base, "ggml_build_forward_expand", None, P, P)
compute = declare(cpu, "ggml_graph_compute_with_ctx", C.c_int, P, P, C.c_int)
cpu.ggml_cpu_init()

M, N, K, EXPERTS = 5, 19, 512, 3
TYPES = ["F32", "F16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL",
         "IQ4_XS", "BF16", "TQ1_0", "TQ2_0", "MXFP4", "NVFP4", "Q1_0", "Q2_0"]
CODEBOOKS = ["IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ3_S", "IQ2_S", "IQ1_M"]
NUMBERS = {"NVFP4": 40, "Q1_0": 41, "Q2_0": 42}  # newer than some versions of the package


def random_blocks(name, number, rows):
    """Random bits, d from 1/8 to 1/4: ggml's quantisers of these types take seconds to start."""
    rows[:] = rng.integers(0, 256, rows.shape)
    blocks = rows.reshape(-1, row_size(number, 256))
    if name == "IQ1_M":  # d is in four nibbles, the upper one last
        blocks[:, 53], blocks[:, 55] = blocks[:, 53] & 0x3F, 0x30 | blocks[:, 55] & 15
    else:
        blocks[:, 1] = 0x30 | blocks[:, 1] & 3


def dequantise(number, name, rows):
    """By ggml, not by the Python package."""
    floats = np.zeros((len(rows), K), np.float32)
    if name == "F32":
        return rows.view(np.float32).copy()
    if name == "F16":
        return rows.view(np.float16).astype(np.float32)
    if name == "BF16":
        return (rows.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    lower = name[:-1].lower() + name[-1] if name.endswith("_K") else name.lower()
    function = declare(base, "dequantize_row_" + lower, None, P, P, I64)
    for i, row in enumerate(rows):
        function(row.ctypes.data, floats[i].ctypes.data, K)
    return floats


def product(number, rows, activations):
    """activations * rows^T by ggml's graph of one node."""
    context = init(InitParams(16 << 20, None, False))
    a, b = new_tensor(context, number, K, len(rows)), new_tensor(context, 0, K, len(activations))
    C.memmove(get_data(a), rows.ctypes.data, rows.nbytes)
    C.memmove(get_data(b), activations.ctypes.data, activations.nbytes)
    c = mul_mat(context, a, b)
    graph = new_graph(context)
    expand(graph, c)
    assert compute(context, graph, 1) == 0
    result = np.ctypeslib.as_array(C.cast(get_data(c), C.POINTER(C.c_float)), (len(activations), len(rows))).copy()
    free(context)
    return result


rng = np.random.default_rng(int(sys.argv[3]))
# Integers with 127 in each 32: exact in every quantised format.
exact = rng.integers(-126, 127, (M, K)).astype(np.float32)
exact[:, 7::32] = 127
random = rng.standard_normal((M, K)).astype(np.float32)
exact.tofile(FOLDER / "exact.f32")
random.tofile(FOLDER / "random.f32")
writer = gguf.GGUFWriter(FOLDER / "model.gguf", "test")
writer.add_uint32("test.number", 4000000000)
writer.add_float32("test.float", 0.5)
writer.add_array("test.words", ["one", "", "three"])
for name in TYPES + CODEBOOKS:
    kind = getattr(gguf.GGMLQuantizationType, name, None)
    number = NUMBERS.get(name, kind)
    matrices = EXPERTS if name in ("Q4_0", "Q4_K", "MXFP4") else 1
    source = rng.standard_normal((matrices * N, K)).astype(np.float32)
    rows = np.zeros((matrices * N, row_size(number, K)), np.uint8)
    if name in CODEBOOKS:
        random_blocks(name, number, rows)
    else:
        assert quantize(number, source.ctypes.data, rows.ctypes.data, 0, len(rows), K, None) == rows.nbytes
    dequantise(number, name, rows).tofile(FOLDER / (name + ".f32"))
    for which, activations in (("exact", exact), ("random", random)):
        np.stack([product(number, rows[i:i + N], activations) for i in range(0, len(rows), N)]).tofile(
            FOLDER / f"{name}.{which}")
    if kind is None:
        print(f"not in the package, not in the file: {name}")
        continue
    shape = (matrices, N, rows.shape[1]) if matrices > 1 else rows.shape
    if name in ("F32", "F16"):
        writer.add_tensor(name, rows.view(np.float32 if name == "F32" else np.float16))
    else:
        writer.add_tensor(name, rows.reshape(shape), raw_dtype=kind)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
print(f"ggml wrote {len(TYPES + CODEBOOKS)} types")
