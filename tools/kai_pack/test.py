#!/usr/bin/env python3
"""Runs kai-pack and reads its files as docs/file.md describes them: test.py PATH-OF-KAI-PACK

SPDX-License-Identifier: Apache-2.0
"""
import array
import json
import os
import pathlib
import pty
import random
import struct
import subprocess
import sys
import tempfile
import time
import zlib

TOOL = pathlib.Path(sys.argv[1]).resolve()
FLOAT = "matmul_clamp_f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa"
INT4 = "matmul_clamp_f32_qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa"
INT8 = "matmul_clamp_f32_qai8dxp4x8_qsi8cxp4x8_16x4_neon_i8mm"
BLOCKS = "matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm"
random.seed(1)


def read(path):
    """The tensors of a file, by name."""
    data = path.read_bytes()
    magic, version, checksum, size, count = struct.unpack_from("<8sIIQQ", data)
    assert magic == b"KAIGEMM\n" and version == 2 and size == len(data)
    assert checksum == zlib.crc32(data[16:64 + 256 * count])
    tensors, names = {}, []
    for i in range(count):
        (name, form, kind, dtype, bias, vector, n, k, bl, matrices, nr, kr, sr, crc, offset, stride, bytes_, zero_point,
         multiplier) = struct.unpack_from("<112s32s4I4Q4I3Qif", data, 64 + 256 * i)
        name = name.rstrip(b"\0").decode()
        packed = data[offset:offset + bytes_]
        assert offset % 64 == 0 and len(packed) == bytes_ and zlib.crc32(packed) == crc
        if bias & 4:
            for matrix in range(matrices):
                tag = struct.unpack_from("<8s3Q", packed, (matrix + 1) * stride - 64)
                assert tag == (b"KAIPACK\n", n, k, bl if kind != 11 else 0), tag
        names.append(name)
        tensors[name] = dict(format=form.rstrip(b"\0").decode(), kind=kind, type=dtype, bias=bias & 3, vector=vector,
                             n=n, k=k, bl=bl, matrices=matrices, nr=nr, kr=kr, sr=sr, stride=stride, packed=packed)
    assert names == sorted(names)
    return tensors


def run(*arguments, fails=""):
    done = subprocess.run([TOOL, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, timeout=300)
    assert (done.returncode != 0) == bool(fails) and fails in done.stdout, (arguments, done.stdout)
    return done.stdout


def on_terminal(*arguments):
    """What it writes to a terminal, to the end: it arrives some time after it was written."""
    ours, theirs = pty.openpty()
    subprocess.run([TOOL, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 1 << 16):
            shown += part
    except OSError:  # Linux: nobody else has it open
        pass
    os.close(ours)
    return shown


def npy(path, shape, values, descr="'<f4'", version=1, fortran="False"):
    """`values`: floats, or bytes. `shape`: a tuple, or what is written in its place."""
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    length = "<H" if version == 1 else "<I"
    header += b" " * (-(len(header) + 9 + struct.calcsize(length)) % 64) + b"\n"
    header = b"\x93NUMPY" + bytes([version, 0]) + struct.pack(length, len(header)) + header
    data = values if isinstance(values, bytes) else array.array("f", values).tobytes()
    pathlib.Path(path).write_bytes(header + data)


def f32(bytes_):
    return array.array("f", bytes_).tolist()


folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
file, n, k = pathlib.Path("model.kai"), 11, 64
weights = f32(array.array("f", [random.uniform(-1, 1) for _ in range(2 * n * k)]).tobytes())
bias = [float(i) for i in range(2 * n)]
npy(pathlib.Path("kxn.npy"), (2, k, n), weights)
npy(pathlib.Path("nxk.npy"), (2, n, k), weights)
pathlib.Path("bias").write_bytes(array.array("f", bias).tobytes())

# f32, K x N: panels of 8 columns (128 bits), a bias in front of each.
run("pack", file, "--name", "f", "--kernel", FLOAT, "--vector-length", 128, "--weights", "kxn.npy", "--bias", "bias")
f = read(file)["f"]
assert (f["format"], f["nr"], f["n"], f["k"], f["matrices"], f["bias"]) == ("f32pbiasf32", 8, n, k, 2, 1)
for m in range(2):
    matrix = f32(f["packed"][m * f["stride"]:][:2 * 8 * (k + 1) * 4])
    for c in range(16):
        panel = matrix[c // 8 * 8 * (k + 1):]
        assert panel[c % 8] == (bias[m * n + c] if c < n else 0)
        for i in range(k):
            assert panel[8 + 8 * i + c % 8] == (weights[m * n * k + i * n + c] if c < n else 0)

# f32 to int8, N x K: groups of 8 values, then sums, scales and biases.
run("pack", file, "--name", "e", "--kernel", INT8, "--weights", "nxk.npy", "--transposed")
e, panel = read(file)["e"], 4 * (k + 12)
for c in range(n):
    packed = e["packed"][c // 4 * panel:][:panel]
    row = weights[c * k:(c + 1) * k]
    q = [struct.unpack_from("b", packed, (i // 8 * 4 + c % 4) * 8 + i % 8)[0] for i in range(k)]
    total, = struct.unpack_from("<i", packed, 4 * k + 4 * (c % 4))
    scale, = struct.unpack_from("<f", packed, 4 * k + 16 + 4 * (c % 4))
    assert total == sum(q) and abs(scale - max(map(abs, row)) / 127) < 1e-8
    assert all(abs(scale * q[i] - row[i]) <= scale * 0.501 for i in range(k))

# f32 to int4: whatever the order of the source is, the bytes are the same.
npy(pathlib.Path("t.npy"), (k, n), [weights[c * k + i] for i in range(k) for c in range(n)])
for kernel, bits, bl in ((INT4, 512, 0), (BLOCKS, 0, 32)):
    run("pack", "a", "--name", "x", "--kernel", kernel, "--vector-length", bits, "--bl", bl, "--weights", "nxk.npy",
        "--transposed")
    run("pack", "b", "--name", "x", "--kernel", kernel, "--vector-length", bits, "--bl", bl, "--weights", "t.npy")
    a, b = read(pathlib.Path("a"))["x"], read(pathlib.Path("b"))["x"]
    assert a["packed"][:b["stride"]][:len(b["packed"])] == b["packed"] and a["vector"] == bits // 8
    os.remove("a")
    os.remove("b")

# Arrays of NumPy: versions, types and shapes. What does not fit is refused with what it is.
def of_int8(path, *arguments, fails=""):
    run("pack", "x", "--name", "x", "--kernel", INT8, "--weights", path, *arguments, fails=fails)
    if not fails:
        packed = read(pathlib.Path("x"))["x"]
        os.remove("x")
        return packed
    assert not os.path.exists("x")


one = weights[:n * k]
whole = of_int8("t.npy")
for version in (1, 2, 3):
    npy("v.npy", (k, n), [one[c * k + i] for i in range(k) for c in range(n)], version=version)
    assert of_int8("v.npy") == whole
npy("v.npy", (k, n), one, version=4)
of_int8("v.npy", fails="v.npy: .npy of version 4, not 1, 2 or 3")
for descr, why in (("'>f4'", "big-endian (>f4)"), ("'<f8'", "elements <f8, needs <f4 or <f2 or bytes"),
                   ("'<i4'", "elements <i4"), ("'<f2'", "<f2 weights cannot become int8"), ("'|O'", "no size"),
                   ("[('a', '<f4')]", "structures")):
    npy("d.npy", (n, k), bytes(n * k * (8 if "8" in descr else 2 if "2" in descr else 4)), descr=descr)
    of_int8("d.npy", "--transposed", fails=why)
npy("d.npy", (n, k), bytes(n * k * 4))
of_int8("d.npy", "--transposed", "--type", "bf16", fails="elements <f4, needs <u2 or <i2 or <V2 or bytes")
npy("d.npy", (n, k), bytes(n * k * 4), fortran="True")
of_int8("d.npy", "--transposed", fails="columns come first")
for shape in ("(-1, 64)", "(11, -64)", "(11.0, 64)", "(11, 0x40)", "(99999999999999999999999, 1)", "(11, 64", "()",
              "(1, 1, 11, 64)"):
    npy("d.npy", shape, one)
    of_int8("d.npy", "--transposed", fails=f"d.npy: its shape is {shape}" if shape[-1] == ")" else "its shape is (")
npy("d.npy", (1 << 32, 1 << 32), b"")
of_int8("d.npy", fails="4294967296 x 4294967296 x 4 bytes do not fit into memory")
npy("d.npy", (n, k), one[:-1])
of_int8("d.npy", "--transposed", fails="has 2812 bytes, its shape 11 x 64 of <f4 needs 2816")
npy("d.npy", (2, 3, 4, 5), b"")
of_int8("d.npy", fails="not of 1, 2 or 3 dimensions")
os.remove("d.npy")
shapes = {(n, k): True, (1, n, k): True, (n * k,): True, (1, n * k): True, (k, n): False, (n * k // 32, 32): False,
          (n, 32, 2): False, (2, n, 32): False}
for shape, right in shapes.items():
    npy("s.npy", shape, one)
    packed = of_int8("s.npy", "--transposed", "--n", n, "--k", k, "--count", 1,
                     fails="" if right else f"has shape {' x '.join(map(str, shape))} of <f4, needs 1 x 11 x 64")
    assert not right or packed == whole
for shape, right in {(2, n, k): True, (2 * n, k): True, (n, 2 * k): False, (n, 2, k): False}.items():
    npy("s.npy", shape, weights)
    of_int8("s.npy", "--transposed", "--n", n, "--k", k, "--count", 2, fails="" if right else "needs 2 x 11 x 64")
for shape, descr, why in (((2, n), "'<f4'", ""), ((2 * n,), "'<f4'", ""), ((2, n, 1), "'<f4'", ""),
                          ((n, 2), "'<f4'", "b.npy: has shape 11 x 2 of <f4, needs 2 x 11"),
                          ((2, n), "'>f4'", "b.npy: elements are big-endian"),
                          ((2, n), "'<i4'", "b.npy: has elements <i4, needs <f4 or bytes")):
    npy("b.npy", shape, bias, descr=descr)
    packed = of_int8("nxk.npy", "--transposed", "--bias", "b.npy", fails=why)
    assert why or f32(packed["packed"][packed["stride"] + 4 * k + 32:][:16]) == bias[n:n + 4]
for value in (float("nan"), float("inf"), float("-inf")):
    for at in (0, k - 1, k + 3, n * k - 1):
        npy("s.npy", (2, n, k), weights[:n * k + at] + [value] + weights[n * k + at + 1:])
        of_int8("s.npy", "--transposed", fails=f"s.npy: matrix 1, n {at // k}, k {at % k}: {value} cannot be quantised")
npy("s.npy", (1, 64), [0.0] * 40 + [-1e6] + [1.0] * 23)
run("pack", "x", "--name", "x", "--kernel", BLOCKS, "--bl", 32, "--weights", "s.npy", "--transposed",
    fails="matrix 0, n 0, k 40: -1000000.000000 needs a scale beyond the type of scales")
assert not os.path.exists("x")
for kernel, more, why in (
        (INT4, (), "bias: has 88 bytes, needs 9223372036854775808"),
        (INT4, ("--transposed", "--type", "f32"), "bias: 1 x 4294967296 x 17179869184 x 1 bytes do not fit into"),
        (FLOAT, (), "x: n 4294967296, k 4294967296, bl 0, matrices 1: the size of a tensor or of the file overflows")):
    run("pack", "x", "--name", "x", "--kernel", kernel, "--vector-length", 128, "--weights", "bias", "--n", 1 << 32,
        "--k", 1 << 32, *more, fails=why)
assert not os.path.exists("x") and not list(pathlib.Path(".").glob("*.part"))

# Every kind, and what `inspect` calls it. The second of two matrices has its own scales, zeros and biases: alone it is
# packed to the same bytes.
KINDS = {  # kernel, bytes of a matrix of 2 x 32, of its scales, zeros
    "dense": (FLOAT, 256, 0, 0), "int8": (INT8, 64, 8, 0), "int4": (INT4, 32, 8, 0),
    "int2": ("matmul_clamp_f32_qai8dxp1vlx4_qsu2cxp4vlx4_1vlx4vl_sme2_mopa", 16, 8, 0),
    "int4 bf16": ("matmul_clamp_f32_qai8dxp4x8_qsi4c32p4x8_16x4x32_neon_i8mm", 32, 4, 0),
    "int4 f16": (BLOCKS, 36, 0, 0),
    "int4 zero": ("matmul_clamp_f32_qsi8d32p1x8_qai4c32p4x8_1x4_neon_dotprod", 32, 8, 8),
    "int8 static": ("matmul_clamp_qai8_qai8p2vlx4_qsi8cxpsb2vlx4_2vlx2vl_sme2_mopa", 64, 8, 0),
    "int2 static": ("matmul_clamp_qai8_qai8p8vsx4_qsu2cxp16vsx4sf32bi32_8vsx16vs_sme2_mopa", 16, 8, 0),
    "int8 f16": ("matmul_clamp_f32_qsi8d32p1vlx4_qsi8c32p4vlx4_1vlx4vl_sme2_mopa", 68, 0, 0),
    "GGUF Q4_0": (BLOCKS, 36, 0, 0),
}
for kind, (kernel, *sizes) in KINDS.items():
    contents = {}
    for option, size in zip(("--weights", "--scale", "--zero", "--bias"), (*sizes, 8)):
        if option in ("--scale", "--zero"):
            numbers = [random.uniform(0.5, 2) for _ in range(2 * size // 4)]
            contents[option] = array.array("f", numbers).tobytes()
        elif option == "--bias":
            contents[option] = array.array("i" if "static" in kind else "f", [1, 2, 3, 4]).tobytes()
        else:
            contents[option] = bytes(random.randrange(60) for _ in range(2 * size))
    packed = []
    for part in (slice(None), slice(0, 1), slice(1, 2)):
        arguments = ["--kernel", kernel, "--vector-length", 128, "--n", 2, "--k", 32]
        arguments += ["--count", 2] if part == slice(None) else []
        arguments += ["--bl", 32] if "f16" in kind or "zero" in kind else []
        arguments += ["--transposed"] if kind != "int8 static" else []
        arguments += ["--type", "f32"] if kind == "dense" else ["--type", "q4_0"] if "GGUF" in kind else []
        for option, content in contents.items():
            if content:
                half = len(content) // 2
                pathlib.Path("of" + option).write_bytes(content if part == slice(None) else
                                                        content[half * part.start:half * part.stop])
                arguments += [option, "of" + option]
        run("pack", "kinds", "--name", "x", *arguments)
        packed.append(read(pathlib.Path("kinds"))["x"])
        shown = run("inspect", "kinds")
        assert f"x\n    {kind}, n 2, k 32" in shown and (", 2 matrices" in shown) == (part == slice(None)), shown
        os.remove("kinds")
    both, first, second = packed
    assert both["matrices"] == 2 and both["packed"][:len(first["packed"])] == first["packed"], kind
    assert both["packed"][both["stride"]:] == second["packed"] != first["packed"], kind

# f32 weights are quantised as docs/file.md says: raw weights of the same values are packed to the same bytes.
def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bf16(x):
    bits, = struct.unpack("<I", struct.pack("<f", x))
    return struct.pack("<H", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)


def quantised(kind, length):
    b, scales = b"", b""
    for row in range(n):
        for start in range(0, k, length):
            values = one[row * k + start:row * k + start + length]
            scale = single(max(map(abs, values)) / (127 if "int8" in kind else 7))
            if "f16" in kind and "bf16" not in kind:
                stored = struct.pack("<e", scale)
                b, scale = b + stored, struct.unpack("<e", stored)[0]
            elif "bf16" in kind:
                scales += bf16(scale)
                scale = struct.unpack("<f", b"\0\0" + bf16(scale))[0]
            else:
                scales += struct.pack("<f", scale)
            q = [max(-127 if "int8" in kind else -7, min(127 if "int8" in kind else 7, round(single(x / scale))))
                 for x in values]
            if "int8" in kind:
                b += struct.pack(f"<{length}b", *q)
            elif kind == "int4 f16":
                b += bytes(q[i] + 8 | q[i + length // 2] + 8 << 4 for i in range(length // 2))
            else:
                b += bytes(q[i] + 8 | q[i + 1] + 8 << 4 for i in range(0, length, 2))
    return b, scales


npy("n.npy", (n, k), one)
for kind, length in (("int8", k), ("int4", k), ("int4 bf16", 32), ("int4 f16", 32), ("int8 f16", 32)):
    options = ["--kernel", KINDS[kind][0], "--vector-length", 128, "--bl", length % k, "--transposed"]
    run("pack", "q", "--name", "f", *options, "--weights", "n.npy")
    weights_of, scales_of = quantised(kind, length)
    pathlib.Path("q.weights").write_bytes(weights_of)
    pathlib.Path("q.scales").write_bytes(scales_of)
    options += ["--scale", "q.scales"] if scales_of else []
    run("pack", "q", "--name", "r", *options, "--weights", "q.weights", "--n", n, "--k", k)
    assert read(pathlib.Path("q"))["f"] == read(pathlib.Path("q"))["r"], kind
    os.remove("q")

# Raw nibbles.
pathlib.Path("raw").write_bytes(bytes(random.randrange(256) for _ in range(n * k // 2)))
pathlib.Path("scale").write_bytes(array.array("f", [1.0] * n).tobytes())
raw = ("--kernel", INT4, "--vector-length", 256, "--weights", "raw", "--scale", "scale", "--transposed")
run("pack", file, "--name", "g", *raw, "--n", n, "--k", k)
assert list(read(file)) == ["e", "f", "g"] and read(file)["f"] == f

# Options that say what the weights are: they are in the entry, and in the bytes.
def entry_of(kernel, *arguments):
    run("pack", "o", "--name", "x", "--kernel", kernel, "--vector-length", 128, "--n", 2, "--k", 32, *arguments)
    tensor, data = read(pathlib.Path("o"))["x"], pathlib.Path("o").read_bytes()
    os.remove("o")
    return tensor["packed"], tensor["bias"], struct.unpack_from("<if4i", data, 64 + 232)


pathlib.Path("o.weights").write_bytes(bytes(range(64)))
pathlib.Path("o.int2").write_bytes(bytes(range(16)))
pathlib.Path("o.int4").write_bytes(bytes(range(32)))
pathlib.Path("o.other").write_bytes(bytes(i ^ 0x88 for i in range(32)))
pathlib.Path("o.two").write_bytes(array.array("f", [1.5, 2.5]).tobytes())
of_static = ("--weights", "o.weights", "--scale", "o.two")
plain = entry_of(KINDS["int8 static"][0], *of_static)
changed = entry_of(KINDS["int8 static"][0], *of_static, "--a-zero-point", -3, "--multiplier", 0.25)
assert plain[2][:2] == (0, 1) and changed[2][:2] == (-3, 0.25) and changed[0] != plain[0]
# 2 bits, N x K: two rows of 8 bytes. K x N: 32 lines of a byte, whose lowest 4 bits are used. Both to the same bytes.
codes = [[random.randrange(4) for _ in range(32)] for _ in range(2)]
pathlib.Path("o.nxk").write_bytes(bytes(sum(row[i + j] << 2 * j for j in range(4)) for row in codes
                                        for i in range(0, 32, 4)))
pathlib.Path("o.kxn").write_bytes(bytes(a | b << 2 | 0xF0 for a, b in zip(*codes)))
of_codes = ("--scale", "o.two", "--a-zero-point", 5, "--multiplier", 0.5)
whole = entry_of(KINDS["int2 static"][0], "--weights", "o.nxk", "--transposed", *of_codes)
assert whole == entry_of(KINDS["int2 static"][0], "--weights", "o.kxn", *of_codes) and whole[2][:2] == (5, 0.5)
sums = struct.unpack("<2i", whole[0][:8])
assert sums == tuple(-5 * (sum(row) - 64) for row in codes), sums
for descr, why in (("'<i4'", ""), ("'<f4'", "o.bias.npy: has elements <f4, needs <i4 or bytes")):
    npy("o.bias.npy", (2,), [0.0, 1.0], descr=descr)
    run("pack", "o", "--name", "x", "--kernel", KINDS["int2 static"][0], "--vector-length", 128, "--n", 2, "--k", 32,
        "--weights", "o.nxk", "--transposed", *of_codes, "--bias", "o.bias.npy", fails=why)
os.remove("o")
of_int2 = ("--weights", "o.int2", "--scale", "o.two", "--transposed")
assert entry_of(KINDS["int2"][0], *of_int2)[2][2:] == (-2, -1, 0, 1)
assert entry_of(KINDS["int2"][0], *of_int2, "--lut", -3, -1, 1, 3)[2][2:] == (-3, -1, 1, 3)
of_int4 = ("--scale", "o.two", "--transposed", "--bias", "o.two")
eight = entry_of(INT4, "--weights", "o.int4", *of_int4)
assert eight == entry_of(INT4, "--weights", "o.int4", *of_int4, "--zero-point", 8)
assert eight == entry_of(INT4, "--weights", "o.other", *of_int4, "--zero-point", 0)
assert eight != entry_of(INT4, "--weights", "o.other", *of_int4) and eight[1] == 1
apart = entry_of(INT4, "--weights", "o.int4", *of_int4, "--bias-apart")
assert apart[1] == 3 and pathlib.Path("o.two").read_bytes() in apart[0]

# Rows of a GGUF file: two of Q4_1, whose scales and minima become f32 scales / 16 and zeros.
rows = b"".join(struct.pack("<2e16B", 0.5, -1.0, *(random.randrange(256) for _ in range(16))) for _ in range(2))
pathlib.Path("rows").write_bytes(rows)
rows_of = ("--kernel", "matmul_clamp_f32_qsi8d32p1x8_qai4c32p4x8_1x4_neon_dotprod", "--weights", "rows", "--n", 2,
           "--k", 32)
run("pack", "gguf", "--name", "r", *rows_of, "--type", "Q4_1")
r = read(pathlib.Path("gguf"))["r"]
assert (r["kind"], r["type"], r["bl"], r["format"]) == (11, 3, 0, "qai4c32p")
assert f32(r["packed"][4 * 16:][:32]) == [0.5 * 8 - 1] * 4 + [0.5 / 16] * 4
assert "GGUF Q4_1, n 2, k 32" in run("inspect", "gguf")
run("pack", "gguf", "--name", "s", *rows_of, "--type", "q6_k", fails="no micro-kernel of this library reads")

# Indices of a table of floats become these floats: two rows of 32 in blocks of 16, the first index of a byte high.
NF4 = [-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
       -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634,
       0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0]
FP4 = [x / 12 for x in (0, 0.0625, 8, 12, 4, 6, 2, 3, -0.0, -0.0625, -8, -12, -4, -6, -2, -3)]
TABLED = ("--name", "t", "--kernel", FLOAT, "--vector-length", 128, "--transposed", "--n", 2, "--k", 32)
indices, scales = [random.randrange(16) for _ in range(64)], [0.5, 2.0, 3.0, -1.25]
npy("t.indices.npy", (32, 1), bytes(a << 4 | b for a, b in zip(indices[::2], indices[1::2])), descr="'|u1'")
npy("t.f32.npy", (2, 2), scales)
npy("t.f16.npy", (4,), struct.pack("<4e", *scales), descr="'<f2'")
npy("t.bf16.npy", (2, 2), struct.pack("<4H", *(struct.unpack("<2H", struct.pack("<f", x))[1] for x in scales)),
    descr="'<u2'")
own = [random.uniform(-9, 9) for _ in range(16)]
for values, spelled, scale in ((NF4, ["nf4"], "t.f32.npy"), (FP4, ["FP4"], "t.f16.npy"), (own, own, "t.bf16.npy")):
    run("pack", "t", *TABLED, "--weights", "t.indices.npy", "--scale", scale, "--bl", 16, "--table", *spelled,
        "--replace")
    exact = f32(array.array("f", values).tobytes())
    npy("t.floats.npy", (2, 32), [scales[i // 16] * exact[q] for i, q in enumerate(indices)])
    run("pack", "u", *TABLED, "--weights", "t.floats.npy", "--replace")
    assert read(pathlib.Path("t")) == read(pathlib.Path("u")), spelled
for arguments, why in (
        (("--scale", "t.f32.npy", "--bl", 24, "--table", "nf4"), "--bl that is a multiple of 16, not 24"),
        (("--bl", 16, "--table", "nf4"), "floats need --scale"),
        (("--scale", "t.f32.npy", "--bl", 64, "--table", "nf4"), "t: k = 32 is not a multiple of bl = 64"),
        (("--scale", "t.f32.npy", "--bl", 32, "--table", "nf4"), "t.f32.npy: has shape 2 x 2 of <f4, needs 1 x 2 x 1"),
        (("--scale", "t.f32.npy", "--bl", 16, "--table", "nf5"), "--table: 1 values, needs 16 numbers, or nf4"),
        (("--scale", "t.f32.npy", "--bl", 16, "--table", *own[:15], "x"), "--table: value 15 is x, not a number"),
        (("--table", "nf4", "--type", "f32"), "--table and --type are for different weights")):
    run("pack", "v", *TABLED, "--weights", "t.indices.npy", *arguments, fails=why)
run("pack", "v", *TABLED, "--weights", "t.f32.npy", "--scale", "t.f32.npy", "--bl", 16, "--table", "nf4",
    fails="t.f32.npy: has elements <f4, needs bytes")

# Records of a kernel with a table of int8: with that of IQ4_NL, the panels of IQ4_NL.
RECORDS = ("--name", "t", "--kernel", "matmul_clamp_f32_qsi8d32p1x8_qlu4c32p4x8_1x4_portable", "--weights", "t.records",
           "--n", 2, "--k", 32)
pathlib.Path("t.records").write_bytes(b"".join(struct.pack("<e16s", x, random.randbytes(16)) for x in scales[:2]))
nl = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)
run("pack", "t.rows", *RECORDS, "--type", "iq4_nl")
rows = read(pathlib.Path("t.rows"))["t"]
for table in (["iq4nl"], nl):
    run("pack", "t", *RECORDS, "--transposed", "--table", *table, "--replace")
    t = read(pathlib.Path("t"))["t"]
    assert (t["kind"], t["bl"], t["format"]) == (13, 32, "qlu4c32p")
    assert t["packed"][:t["stride"] - 64] == rows["packed"][:rows["stride"] - 64]
assert "int4 table, n 2, k 32, bl 32" in run("inspect", "t")
run("pack", "v", *RECORDS, "--transposed", "--table", "nf4", fails="value 1 is -0.696193, this kernel needs integers")
run("pack", "v", *RECORDS, "--table", "iq4nl", fails="indices are N x K (--transposed)")
run("pack", "v", "--name", "t", "--kernel", INT8, "--weights", "t.records", "--transposed", "--table", "iq4nl",
    fails="--table: int8 has none")
os.remove("t")

# 8-bit floating point from safetensors: 128 x 128 weights with a scale, rows with a scale, E8M0 for 32.
F8 = "matmul_clamp_f32_bf16p8x4_f8e4m3c32p12x4_8x12_portable"


def safetensors(path, tensors, header=None):
    """`tensors`: name: (dtype, shape, bytes)."""
    entries, data = {}, b""
    for name, (dtype, shape, content) in tensors.items():
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(entries).encode() if header is None else header
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def f8_panels(codes, scales, rows, depth, length):
    """What is packed: `codes` [rows][depth], `scales` [rows][depth / length]."""
    packed = b""
    for first in range(0, rows, 12):
        exist = [r if r < rows else None for r in range(first, first + 12)]
        for b in range(depth // length):
            for g in range(b * length, (b + 1) * length, 4):
                packed += b"".join(bytes(4) if r is None else codes[r * depth + g:r * depth + g + 4] for r in exist)
            packed += struct.pack("<12f", *(0 if r is None else scales[r * (depth // length) + b] for r in exist))
        packed += bytes(48)
    return packed


rows, depth = 140, 256
codes = bytes(random.randrange(0x7F) for _ in range(rows * depth))
tiles = [random.uniform(0.5, 2) for _ in range(2 * 2)]
exponents = [random.randrange(120, 134) for _ in range(rows * depth // 32)]
halves = [struct.unpack("<f", struct.pack("<I", random.randrange(0x3F00, 0x4000) << 16))[0] for _ in range(rows)]
tiles = list(struct.unpack("<4f", struct.pack("<4f", *tiles)))
safetensors("model.safetensors", {
    "other": ("F32", [1], bytes(4)),
    "up.weight": ("F8_E4M3", [rows, depth], codes),
    "up.weight_scale_inv": ("F32", [2, 2], struct.pack("<4f", *tiles)),
    "up.rows": ("BF16", [rows, 1], b"".join(struct.pack("<f", x)[2:] for x in halves)),
    "up.exponents": ("U8", [rows, depth // 32], bytes(exponents)),
    "wide": ("I64", [1], bytes(8)),
    "five": ("F8_E5M2", [rows, depth], codes)})
weights = ("--name", "up", "--kernel", F8, "--transposed", "--weights", "model.safetensors:up.weight")
for scale, more, length, values in (
        ("up.weight_scale_inv", ("--bl", 128, "--scale-columns", 128), 128,
         [tiles[r // 128 * 2 + b] for r in range(rows) for b in range(2)]),
        ("up.rows", (), depth, halves),
        ("up.exponents", ("--bl", 32), 32, [2.0 ** (e - 127) for e in exponents])):
    run("pack", "f8", *weights, "--scale", f"model.safetensors:{scale}", *more)
    t = read(pathlib.Path("f8"))["up"]
    assert (t["kind"], t["n"], t["k"], t["bl"], t["format"]) == (16, rows, depth, length, "f8e4m3c32p"), t
    expected = f8_panels(codes, values, rows, depth, length)
    assert t["packed"][:len(expected)] == expected, scale
    assert "f8e4m3 block" in run("inspect", "f8")
    os.remove("f8")
scales = ("--scale", "model.safetensors:up.rows")
run("pack", "f8", *weights, "--scale", "model.safetensors:up.weight_scale_inv", fails="has shape 2 x 2 of <f4, needs")
run("pack", "f8", *weights[:-1], "model.safetensors:no", *scales, fails="model.safetensors:no: there is no such tensor")
run("pack", "f8", *weights[:-1], "model.safetensors", *scales, fails="which tensor? FILE.safetensors:TENSOR")
run("pack", "f8", *weights[:-1], "model.safetensors:wide", *scales, fails="model.safetensors:wide: elements are I64")
run("pack", "f8", *weights[:-1], "model.safetensors:five", *scales, fails="f8e5m2 weights cannot become f8e4m3 block")
run("pack", "f8", *weights[:-1], "none.safetensors:x", *scales, fails="File does not exist: none.safetensors")
run("pack", "f8", "--name", "up", "--kernel", INT8, "--weights", "kxn.npy", "--scale-columns", 2,
    fails="--scale-columns: int8 has none")
for entry, why in (
        (b'{"x": {"dtype": "F8_E4M3", "shape": [140, 256], "data_offsets": [0, 99]}}', "data_offsets are not in the"),
        (b'{"x": {"dtype": "F8_E4M3", "shape": [140, 256], "data_offsets": [1, 0]}}', "data_offsets are not in the"),
        (b'{"x": {"dtype": "F8_E4M3", "shape": [140, 256], "data_offsets": [0, 4]}}', "has 4 bytes, its shape"),
        (b'{"x": {"dtype": "F8_E4M3", "shape": [140, -1], "data_offsets": [0, 4]}}', "shape is no list of sizes"),
        (b'{"x": {"dtype": "F8_E4M3", "shape": [1, 1, 1, 4], "data_offsets": [0, 4]}}', "has 4 dimensions"),
        (b'{"x": {"dtype": 4, "shape": [4], "data_offsets": [0, 4]}}', "elements are of no type"),
        (b'{"x": 5}', "there is no such tensor"), (b'{"x": ', "its header is not JSON"), (b"[1]", "is not JSON"),
        (b"[" * 100000, "is not JSON"), (b"\xff\xfe{}", "is not JSON")):
    safetensors("bad.safetensors", {"x": ("F8_E4M3", [4], b"abcd")}, entry)
    run("pack", "f8", *weights[:-1], "bad.safetensors:x", *scales, fails=why)
for content in (b"", b"1234567", struct.pack("<Q", 9) + b"{}", struct.pack("<Q", 1 << 63) + b"{}"):
    pathlib.Path("bad.safetensors").write_bytes(content)
    run("pack", "f8", *weights[:-1], "bad.safetensors:x", *scales, fails="bad.safetensors:x: truncated")

# Mistakes leave the file as it was.
before = file.read_bytes()
run("pack", file, "--name", "g", *raw, "--n", n, "--k", k, fails="has a tensor g already")
run("pack", file, "--name", "h", *raw, "--n", n, "--k", k + 2, fails="raw: has 352 bytes, needs 363")
run("pack", file, "--name", "h", *raw, fails="out of range")
run("pack", file, "--name", "h", "--kernel", "none", "--weights", "raw", fails="no micro-kernel")
run("pack", file, "--name", "h", "--kernel", FLOAT, "--vector-length", 100, "--weights", "raw", fails="128, 256")
run("pack", file, "--name", "h", fails="required")
assert file.read_bytes() == before and not list(pathlib.Path(".").glob("*.part"))

# A terminal gets a progress bar.
bar = b"f [" + 40 * b"#" + b"] 100 %"
shown = on_terminal("pack", "bar", "--name", "f", "--kernel", FLOAT, "--vector-length", 128, "--weights", "kxn.npy")
assert bar in shown and shown.endswith(b"\r\033[K"), shown
assert "sr 1, vectors of 128 bits\n" in run("inspect", "bar"), run("inspect", "bar")
shown = on_terminal("verify", "bar")
assert bar in shown and shown.endswith(b"\r\033[K"), shown

shown = run("inspect", file)
assert "3 tensors" in shown and "format qsi4cxps1s0, nr 32, kr 4, sr 1, vectors of 256 bits" in shown, shown
assert run("verify", file).count(": right\n") == 3
run("pack", "other", "--name", "z", *raw, "--n", n, "--k", k)
run("join", "both", file, "other")
assert list(read(pathlib.Path("both"))) == ["e", "f", "g", "z"]

# Only the tensor of this very name is replaced, not one whose name begins or ends like that.
for name in ("ab", "abc", "a", "bc", "abcd"):
    run("pack", "names", "--name", name, *raw, "--n", n, "--k", k)
run("pack", "names", "--name", "abc", *raw, "--n", n, "--k", k, "--replace")
assert list(read(pathlib.Path("names"))) == ["a", "ab", "abc", "abcd", "bc"]

# What exists is replaced with --force only, or if it is read, a file that is another input never.
both = pathlib.Path("both").read_bytes()
run("join", "both", "other", fails="both: exists already (--force)")
os.link("both", "hard")
os.symlink("both", "soft")
for output in ("both", "hard", "soft"):
    run("join", output, "other", "both", "--force", fails="the same file as the input both")
assert pathlib.Path("both").read_bytes() == both and os.path.islink("soft")
run("join", "both", "other", "--force")
assert list(read(pathlib.Path("both"))) == ["z"]
for option, of in (("--weights", "raw"), ("--scale", "scale"), ("--bias", "bias"), ("--zero", "zero")):
    pathlib.Path("zero").write_bytes(bytes(4 * n))
    more = () if option in raw else (option, of)
    run("pack", of, "--name", "z", *raw, *more, "--n", n, "--k", k, fails=f"{of}: the same file as the input {of}")
os.mkfifo("fifo")
run("pack", "fifo", "--name", "z", *raw, "--n", n, "--k", k, fails="fifo: not a regular file")
run("inspect", "fifo", fails="fifo: not a regular file")

# A tensor is not lost if another one is added meanwhile.
with open("large", "wb") as large:
    large.truncate(4 * 4096 * 4096)
for late in range(100):
    pathlib.Path("other").write_bytes(both)
    process = subprocess.Popen([TOOL, "pack", "other", "--name", "large", "--kernel", INT8, "--weights", "large",
                                "--type", "f32", "--n", "4096", "--k", "4096"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    while not list(pathlib.Path(".").glob("*.part")) and process.poll() is None:
        time.sleep(0.001)
    pathlib.Path("new").write_bytes(before)
    os.replace("new", "other")
    error = process.communicate()[1]
    if process.returncode != 0:
        break
assert "other: another program has changed it meanwhile" in error, error

# A checksum over more than is read at a time, which is not a whole number of that.
with open("larger", "wb") as larger:
    larger.truncate(4 * 4096 * 1030)
run("pack", "checked", "--name", "large", "--kernel", FLOAT, "--vector-length", 128, "--weights", "larger",
    "--type", "f32", "--n", 4096, "--k", 1030)
assert pathlib.Path("checked").stat().st_size > 1 << 24
assert run("verify", "checked").count(": right\n") == 1
assert pathlib.Path("other").read_bytes() == before and not list(pathlib.Path(".").glob("*.part"))
damaged = bytearray(before)
damaged[-1] ^= 1
file.write_bytes(damaged)
run("verify", file, fails="1 of 3 tensors are damaged")
file.write_bytes(before[:-1])
run("inspect", file, fails="the file ends before")
os.chdir("/")
print("passed")
