#!/usr/bin/env python3
"""Writes the tables of GGUF's codebook types and recorded rows of them: codebooks.py TREE, run by the Python of the
unpacked packages (tools/setup.sh: need_ggml). The result is in the tree; nothing else needs this program.

kai/engines/gguf/gguf_codebooks.inc: the tables, as the Python package has them.
test/data/gguf/<TYPE>.blocks: rows that ggml quantised. <TYPE>.edge.blocks: rows by hand, with every line of the table,
all signs, sub-scales and kinds of d. Lines of rows.csv and products.csv.

Every row is dequantised by ggml and by the package, which must agree, and rows by hand are what the hand meant.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes as C
import pathlib
import struct
import sys

TREE = pathlib.Path(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "test/data/gguf"
sys.path.insert(0, str(TREE / "usr/lib/python3/dist-packages"))
import gguf  # noqa: E402
import numpy as np  # noqa: E402
from gguf import quants  # noqa: E402

base = C.CDLL(str(TREE / "usr/lib/x86_64-linux-gnu/libggml-base.so.0"))
base.ggml_quantize_chunk.restype = C.c_size_t
P, I64 = C.c_void_p, C.c_int64

# Type: number, bytes of a block, levels, name of the table, lines in eight weights, sub-scales in a block, their count.
TYPES = {
    "IQ2_XXS": (16, 66, [8, 25, 43], "IQ2_XXS", 1, 8, 16),
    "IQ2_XS": (17, 74, [8, 25, 43], "IQ2_XS", 1, 16, 16),
    "IQ3_XXS": (18, 98, [4, 12, 20, 28, 36, 44, 52, 62], "IQ3_XXS", 2, 8, 16),
    "IQ1_S": (19, 50, [-1, 0, 1], "IQ1", 1, 8, 8),
    "IQ3_S": (21, 110, [1, 3, 5, 7, 9, 11, 13, 15], "IQ3_S", 2, 8, 16),
    "IQ2_S": (22, 82, [8, 25, 43], "IQ2_S", 1, 16, 16),
    "IQ1_M": (29, 56, [-1, 0, 1], "IQ1", 1, 16, 8),
}
K = 512
SPECIAL_D = [0x0001, 0x03FF, 0x0400, 0x7BFF, 0x8000, 0x8001, 0xFBFF, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01,
             0x83FF, 0x3555, 0xB555]


def table(name):
    kind = getattr(quants, name)
    kind.init_grid()
    return kind.grid[0, 0]


def codes(name):
    """A line of the table as a number: 2 bits for each of eight levels, or 3 for each of four; the first one lowest."""
    levels = TYPES[name][2]
    bits = 2 if len(levels) == 3 else 3
    return [sum(levels.index(x) << bits * i for i, x in enumerate(line)) for line in table(name)]


def write_tables():
    text = ["""// Codebooks of GGUF's types of 1 to 3 bits: facts of the format, written by test/ggml/codebooks.py.
//
// A line of a table is a number: codes of 2 bits of eight weights (IQ1, IQ2), or of 3 bits of four (IQ3), the first
// weight in the lowest bits. A code counts the levels of the type: -1 0 1 of IQ1, 8 25 43 of IQ2, 4 12 20 28 36 44 52
// 62 of IQ3_XXS, 1 3 5 7 9 11 13 15 of IQ3_S.
//
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

// clang-format off"""]
    for name, (_, _, _, shared, *_) in TYPES.items():
        if name == "IQ1_M":
            assert (table("IQ1_M") == table("IQ1_S")).all()
            continue
        numbers = codes(name)
        text.append(f"static const uint16_t kCodes{shared}[{len(numbers)}] = {{")
        for i in range(0, len(numbers), 14):
            text.append("    " + " ".join(f"0x{x:04X}," for x in numbers[i:i + 14]))
        text.append("};")
    text.append("// clang-format on")
    (ROOT / "kai/engines/gguf/gguf_codebooks.inc").write_text("\n".join(text) + "\n")


def block(name, d, lines, signs, scales):
    """d: bits of an f16. lines: 32 or 64. signs: 32 times a byte; IQ1: its lowest bit, set: less an eighth. scales."""
    out = bytearray(TYPES[name][1])
    if name != "IQ1_M":
        struct.pack_into("<H", out, 0, d)
    if name in ("IQ2_XXS", "IQ3_XXS"):
        for part in range(8):
            word = scales[part] << 28 | sum((signs[4 * part + i] & 127) << 7 * i for i in range(4))
            struct.pack_into("<I", out, 2 + 8 * part + 4 if name == "IQ2_XXS" else 66 + 4 * part, word)
    for g in range(32):
        line, at = lines[g], 2 + g
        if name == "IQ2_XXS":
            out[2 + 8 * (g // 4) + g % 4] = line
        elif name == "IQ2_XS":
            struct.pack_into("<H", out, 2 + 2 * g, line | (signs[g] & 127) << 9)
        elif name == "IQ2_S":
            out[at], out[34 + g] = line & 255, signs[g]
            out[66 + g // 4] |= line >> 8 << 2 * (g % 4)
        elif name in ("IQ3_XXS", "IQ3_S"):
            out[2 + 2 * g], out[3 + 2 * g] = lines[2 * g] & 255, lines[2 * g + 1] & 255
            if name == "IQ3_S":
                out[66 + g // 4] |= (lines[2 * g] >> 8 | lines[2 * g + 1] >> 8 << 1) << 2 * (g % 4)
                out[74 + g] = signs[g]
        elif name == "IQ1_S":
            out[at] = line & 255
            high = 34 + 2 * (g // 4)
            word = struct.unpack_from("<H", out, high)[0] | line >> 8 << 3 * (g % 4)
            struct.pack_into("<H", out, high, word | scales[g // 4] << 12 | (signs[g // 4 * 4] & 1) << 15)
        elif name == "IQ1_M":
            out[g] = line & 255
            out[32 + g // 2] |= (line >> 8 | (signs[g] & 1) << 3) << 4 * (g % 2)
    if name == "IQ1_M":
        for i in range(4):
            word = sum(scales[4 * i + j] << 3 * j for j in range(4)) | (d >> 4 * i & 15) << 12
            struct.pack_into("<H", out, 48 + 2 * i, word)
    at = {"IQ2_XS": 66, "IQ2_S": 74, "IQ3_S": 106}.get(name)
    for j in range(len(scales) if at else 0):
        out[at + j // 2] |= scales[j] << 4 * (j % 2)
    return bytes(out)


def meant(name, d, lines, signs, scales):
    """The weights of such a block."""
    grid = table(name).reshape(-1)
    _, _, levels, _, per, subs, _ = TYPES[name]
    width = 8 // per
    step = {"IQ3_XXS": 4, "IQ3_S": 1}.get(name, 8)
    scale = np.frombuffer(struct.pack("<H", d), np.float16).astype(np.float64)[0]
    w = np.zeros(256)
    for i in range(256):
        g = i // 8
        value = float(grid[lines[i // width] * width + i % width])
        if name.startswith("IQ1"):
            value = 8 * value + (-1 if signs[g if name == "IQ1_M" else g // 4 * 4] & 1 else 1)
        else:
            seven = signs[g] & 127
            byte = signs[g] if name in ("IQ2_S", "IQ3_S") else seven | bin(seven).count("1") % 2 << 7
            value = -value if byte >> i % 8 & 1 else value
        with np.errstate(invalid="ignore"):
            w[i] = scale * (2 * scales[i * subs // 256] + 1) / step * value
    return w.astype(np.float32)


def by_hand(name):
    """Blocks and their weights: 8 blocks in a row."""
    _, size, _, _, per, subs, scales = TYPES[name]
    count = len(table(name))
    rng = np.random.default_rng(TYPES[name][0])
    blocks = []

    def add(d, lines=None, signs=None, sub=None):
        fields = (d, rng.integers(0, count, 32 * per).tolist() if lines is None else lines,
                  rng.integers(0, 256, 32).tolist() if signs is None else signs,
                  rng.integers(0, scales, subs).tolist() if sub is None else sub)
        blocks.append((block(name, *fields), meant(name, *fields)))

    order = rng.permutation(count).tolist()
    for i in range(0, count, 32 * per):
        add(0x3C00, lines=order[i:i + 32 * per])
    for i in range(0, 256, 32):
        add(0x3555, signs=list(range(i, i + 32)))
    for i in range(scales):
        add(0x2E66, sub=[(i + 5 * j) % scales for j in range(subs)])
    for d in SPECIAL_D:
        add(d)
    while len(blocks) % 8 != 5:
        add(int(rng.integers(0x1000, 0x4000)))
    for fill in (0, 255):
        raw = bytes([fill]) * size
        blocks.append((raw, dequantise(name, np.frombuffer(raw, np.uint8)[None])[0]))
    add(0x3C00, lines=[0] * 32 * per, signs=[0] * 32, sub=[0] * subs)
    return [b for b, _ in blocks], np.concatenate([w for _, w in blocks])


def dequantise(name, rows):
    """By ggml and by the package."""
    floats = np.zeros((len(rows), rows.shape[1] // TYPES[name][1] * 256), np.float32)
    for row, to in zip(rows, floats):
        row = np.ascontiguousarray(row)
        getattr(base, "dequantize_row_" + name.lower())(P(row.ctypes.data), P(to.ctypes.data), I64(floats.shape[1]))
    with np.errstate(invalid="ignore", over="ignore"):
        package = quants.dequantize(rows, getattr(gguf.GGMLQuantizationType, name))
    assert np.array_equal(plain_bits(package), plain_bits(floats)), name
    return floats


def plain_bits(floats):
    bits = np.ascontiguousarray(floats).view(np.uint32).copy()
    bits[np.isnan(floats)] = 0x7FC00000
    return bits


def fnv(floats):
    h = 0xCBF29CE484222325
    for byte in plain_bits(floats).tobytes():
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return h


def write_rows():
    recorded = [line for line in (DATA / "rows.csv").read_text().splitlines() if line.split(",")[0] not in TYPES]
    products = [line for line in (DATA / "products.csv").read_text().splitlines() if line.split(",")[0] not in TYPES]
    lhs = np.fromfile(DATA / "lhs.f32", np.float32).reshape(3, K).astype(np.float64)
    for name, (number, size, *_) in TYPES.items():
        rng = np.random.default_rng(100 + number)
        source, importance = rng.standard_normal((5, K)).astype(np.float32), np.ones(K, np.float32)
        rows = np.zeros((5, K // 256 * size), np.uint8)
        assert base.ggml_quantize_chunk(C.c_int(number), P(source.ctypes.data), P(rows.ctypes.data), I64(0), I64(5),
                                        I64(K), P(importance.ctypes.data)) == rows.nbytes
        rows.tofile(DATA / f"{name}.blocks")
        weights = dequantise(name, rows)
        recorded += [f"{name},rand,{i},{K},{rows.shape[1]},{fnv(w):016x}" for i, w in enumerate(weights)]
        for k in (256, K):
            for m in range(3):
                for n in range(5):
                    total = 0.0
                    for a, w in zip(lhs[m, :k], weights[n, :k]):
                        total += float(a) * float(w)
                    products.append(f"{name},{k},{m},{n},{struct.pack('>d', total).hex()}")
        blocks, want = by_hand(name)
        edge = np.frombuffer(b"".join(blocks), np.uint8).reshape(-1, 8 * size)
        edge.tofile(DATA / f"{name}.edge.blocks")
        weights = dequantise(name, edge)
        assert np.array_equal(plain_bits(weights).reshape(-1), plain_bits(want)), name
        recorded += [f"{name},edge,{i},{8 * 256},{8 * size},{fnv(w):016x}" for i, w in enumerate(weights)]
        print(f"{name}: {edge.size + rows.size} bytes of blocks")
    (DATA / "rows.csv").write_text("\n".join(recorded) + "\n")
    (DATA / "products.csv").write_text("\n".join(products) + "\n")


write_tables()
write_rows()
