#!/usr/bin/env python3
"""Runs the commands of docs/gguf.md and docs/file.md, in their order and as they stand there: walk_test.py KAI-GGUF
KAI-PACK. The files that they read (model.gguf, up.npy, a.kai, b.kai) are made here.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TOOLS = {"kai-gguf": pathlib.Path(sys.argv[1]).resolve(), "kai-pack": pathlib.Path(sys.argv[2]).resolve()}
OUTPUT = {"list": "token_embd.weight", "verify": "", "rows": "", "inspect": "layers.0.up", "pack": "", "join": ""}


def gguf(path):
    """An embedding of 64 rows in Q8_0, a matrix in Q4_0 and one in f32, all of small whole numbers."""
    def string(text):
        return struct.pack("<Q", len(text)) + text.encode()

    scale = struct.pack("<e", 0.5)
    tensors = [("token_embd.weight", 64, 8, (scale + bytes(range(32))) * (64 * 256 // 32)),
               ("blk.0.ffn_up.weight", 16, 2, (scale + bytes(range(16))) * (16 * 256 // 32)),
               ("output.weight", 16, 0, struct.pack("<256f", *range(256)) * 16)]
    infos, data = b"", b""
    for name, rows, kind, content in tensors:
        infos += string(name) + struct.pack("<IQQIQ", 2, 256, rows, kind, len(data))
        data += content + bytes(-len(content) % 32)
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 0) + infos
    path.write_bytes(header + bytes(-len(header) % 32) + data)


def npy(path, rows, columns):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                     struct.pack(f"<{rows * columns}f", *(i % 17 - 8 for i in range(rows * columns))))


def safetensors(path):
    """A matrix of 8-bit floating point, N x K, and a scale for each 128 x 128 weights."""
    name, data = "model.layers.0.mlp.up_proj.weight", bytes(range(32, 64)) * (256 * 128 // 32)
    scales = struct.pack("<2f", 0.5, 2)
    header = json.dumps({
        name: {"dtype": "F8_E4M3", "shape": [256, 128], "data_offsets": [0, len(data)]},
        f"{name}_scale_inv": {"dtype": "F32", "shape": [2, 1], "data_offsets": [len(data), len(data) + len(scales)]}})
    path.write_bytes(struct.pack("<Q", len(header)) + header.encode() + data + scales)


def commands(page):
    """Commands of its code blocks, each as words; a line that ends with a backslash goes on."""
    text = re.sub(r"\\\n *", "", (ROOT / page).read_text())
    for line in re.findall(r"^ {4}(kai-(?:gguf|pack) .*)", text, re.MULTILINE):
        yield line.split("#")[0].split()


def main():
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        gguf(folder / "model.gguf")
        npy(folder / "up.npy", 64, 128)
        safetensors(folder / "model.safetensors")
        for tensor in ("a", "b"):
            subprocess.run([TOOLS["kai-pack"], "pack", f"{tensor}.kai", "--name", tensor, "--weights", "up.npy",
                            "--transposed", "--kernel", "matmul_clamp_f32_f32_f32p16x1b_1x16_portable"],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for page in ("docs/gguf.md", "docs/file.md"):
            (folder / "model.kai").unlink(missing_ok=True)
            for words in commands(page):
                done = subprocess.run([TOOLS[words[0]], *words[1:]], cwd=folder, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, check=False)
                if done.returncode != 0 or OUTPUT[words[1]] not in done.stdout:
                    print(f"{page}: {' '.join(words)}\nends with {done.returncode}:\n{done.stdout}")
                    return 1
                count += 1
    print(f"{count} commands: all right")
    return 0 if count >= 9 else 1


if __name__ == "__main__":
    sys.exit(main())
