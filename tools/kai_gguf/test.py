#!/usr/bin/env python3
"""Runs kai-gguf on files that are written here: test.py PATH-OF-KAI-GGUF

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import pty
import random
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib

TOOL = pathlib.Path(sys.argv[1]).resolve()
BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 8: (32, 34), 10: (256, 84), 12: (256, 144), 13: (256, 176),
          30: (1, 2)}  # weights, bytes
random.seed(1)


def string(text):
    return struct.pack("<Q", len(text)) + text.encode()


def gguf(path, tensors):
    """tensors: name, shape (k first), type, bytes."""
    infos, data = b"", b""
    for name, shape, kind, content in tensors:
        data += bytes(-len(data) % 32)
        infos += string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, len(data))
        data += content
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 1) + string("general.name") + struct.pack("<I", 8)
    header += string("test") + infos
    path.write_bytes(header + bytes(-len(header) % 32) + data)


def blocks(kind, shape):
    count = 1
    for length in shape:
        count *= length
    weights, size = BLOCKS[kind]
    return bytes(random.randrange(256) for _ in range(count // weights * size))


def run(*arguments, fails="", memory=0, file_size=0):
    def limit():
        if memory:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        if file_size:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    done = subprocess.run([TOOL, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, preexec_fn=limit, timeout=300)
    assert (done.returncode != 0) == bool(fails) and fails in done.stdout, (arguments, done.stdout)
    return done.stdout


def unfinished():
    return list(pathlib.Path(".").rglob("*.part"))


def interrupted(with_signal, *arguments, ignored=False):
    """Exit status of a run that gets a signal while its output is unfinished."""
    for _ in range(100):  # until that is early enough
        process = subprocess.Popen([TOOL, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(with_signal, signal.SIG_IGN) if ignored else None)
        while not unfinished() and process.poll() is None:
            time.sleep(0.001)
        early = process.poll() is None
        process.send_signal(with_signal)
        status = process.wait()
        if early and (ignored or status != 0):
            return status
    raise AssertionError(f"{arguments} is always done before a signal")


def read(path):
    """The tensors of a packed file by name: kind, type, n, k, matrices, format, bytes, nr, kr (docs/file.md)."""
    data = path.read_bytes()
    count, = struct.unpack_from("<Q", data, 24)
    tensors = {}
    for i in range(count):
        (name, form, kind, dtype, _, _, n, k, _, matrices, nr, kr, _, crc, offset, _, size) = struct.unpack_from(
            "<112s32s4I4Q4I3Q", data, 64 + 256 * i)
        assert zlib.crc32(data[offset:offset + size]) == crc
        tensors[name.rstrip(b"\0").decode()] = (kind, dtype, n, k, matrices, form.rstrip(b"\0").decode(),
                                                data[offset:offset + size], nr, kr)
    return tensors


def resealed(change):
    """Writes the packed file with a changed header that has its checksum."""
    data = bytearray(whole)
    change(data)
    count, = struct.unpack_from("<Q", data, 24)
    struct.pack_into("<I", data, 12, zlib.crc32(data[16:64 + 256 * count]))
    packed.write_bytes(data)


folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
model, packed, other = pathlib.Path("m.gguf"), pathlib.Path("m.kai"), pathlib.Path("other.gguf")
q8 = b"".join(struct.pack("<e32b", 0.5, *(row + i for i in range(32))) for row in range(3))
content = [("z.q4_k", (512, 37), 12, blocks(12, (512, 37))), ("norm", (7,), 0, blocks(0, (7,))),
           ("experts", (64, 9, 3), 2, blocks(2, (64, 9, 3))), ("embd", (32, 3), 8, q8),
           ("other", (32, 5), 99, b""), ("dense", (9, 2), 0, blocks(0, (9, 2)))]
gguf(model, content)

shown = run("list", model, "--for", "i8mm")
for line in ("m.gguf: version 3, 1 pairs, 6 tensors", "z.q4_k\n    Q4_K, 512 x 37, 10656 bytes\n    packed as q",
             "norm\n    F32, 7, 28 bytes\n    stays: a vector", "experts\n    Q4_0, 64 x 9 x 3, 972 bytes\n    packed",
             "other\n    type 99, 32 x 5, 0 bytes\n    stays: unknown type", "stays: floats", "_neon_i8mm\n"):
    assert line in shown, (line, shown)
assert "sme2_mopa" in run("list", model, "--for", "sme2", "--vector-length", 512)
run("list", model, "--for", "sme2", "--vector-length", 100, fails="128, 256, 512")

# Of each instruction set: kernels of Q4_0, Q8_0, Q5_K, and of matrices packed as f32, f16 and bf16.
by_isa = {
    "portable": ("portable", "portable", "portable", "portable", "portable", ""),
    "neon": ("neon_mlal", "portable", "portable", "neon_mla", "neon_fcvtl", ""),
    "dotprod": ("neon_dotprod", "neon_dotprod", "neon_dotprod", "neon_mla", "neon_mla", ""),
    "i8mm": ("neon_i8mm", "neon_i8mm", "neon_i8mm", "neon_mla", "neon_mla", "neon_mmla"),
    "sme": ("neon_i8mm", "sme_mopa", "neon_i8mm", "sme_mopa", "sme_mopa", "sme_mopa"),
    "sme2": ("sme2_mopa", "sme2_mopa", "sme2_mopa", "sme2_mopa", "sme2_mopa", "sme2_mopa"),
}
gguf(other, [("q4_0", (32, 2), 2, blocks(2, (32, 2))), ("q8_0", (32, 2), 8, blocks(8, (32, 2))),
             ("q5_k", (256, 2), 13, blocks(13, (256, 2))), ("f16", (8, 2), 1, blocks(1, (8, 2)))])
for isa, kernels in by_isa.items():
    for element, kernel in zip(("f32", "f16", "bf16"), kernels[3:]):
        shown = run("list", other, "--for", isa, "--vector-length", 512, "--dense", element).splitlines()
        used = {shown[i]: "".join(shown[i + 2:i + 4]) for i in range(len(shown)) if shown[i] and shown[i][0] in "qf"}
        for name, suffix in zip(("q4_0", "q8_0", "q5_k", "f16"), (*kernels[:3], kernel)):
            if suffix:
                assert used[name].endswith("_" + suffix), (isa, name, used[name])
            else:
                assert used[name].startswith("    stays: no kernel of bf16"), (isa, name, used[name])

# A matrix of one row is a vector, whatever its dimensions are; one of one column is not.
gguf(other, [("a", (32,), 8, blocks(8, (32,))), ("b", (32, 1), 8, blocks(8, (32, 1))),
             ("c", (32, 1, 1), 8, blocks(8, (32, 1, 1))), ("d", (32, 1, 2), 8, blocks(8, (32, 1, 2))),
             ("e", (1, 7), 0, blocks(0, (1, 7))), ("f" * 112, (32, 2), 8, blocks(8, (32, 2))),
             ("g" * 111, (32, 2), 8, blocks(8, (32, 2))), ("h", (8, 2), 30, blocks(30, (8, 2)))])
shown = run("list", other, "--for", "i8mm", "--dense", "f32")
assert shown.count("stays: a vector") == 3 and shown.count("stays: the name is too long") == 1, shown
sizes = [int(size) for size in re.findall(r"packed as .*, (\d+) bytes", shown)]
assert shown.endswith(f"\n196 bytes become {sum(sizes)} packed, 170 stay\n"), shown
assert "4 of 8 tensors" in run("pack", other, "vectors.kai", "--for", "i8mm", "--dense", "f32")
assert run("verify", other, "vectors.kai", "--threads", 3).count(": right\n") == 4
tensors = read(pathlib.Path("vectors.kai"))
assert list(tensors) == ["d", "e", "g" * 111, "h"] and tensors["d"][2:5] == (1, 32, 2), list(tensors)
assert tensors["e"][:2] == (0, 0x411) and tensors["h"][:2] == (0, 0x213)

# Any number of threads writes the same bytes.
for options in (("--for", "portable"), ("--for", "dotprod"), ("--for", "sme2", "--vector-length", 256)):
    assert "3 of 6 tensors" in run("pack", model, packed, *options, "--threads", 3, "--force")
    tensors = read(packed)
    assert list(tensors) == ["embd", "experts", "z.q4_k"]
    assert tensors["z.q4_k"][:5] == (11, 12, 37, 512, 1) and tensors["experts"][:5] == (11, 2, 9, 64, 3)
    whole = packed.read_bytes()
    assert run("verify", model, packed).count(": right\n") == 3
    run("pack", model, packed, *options, "--threads", 1, "--force")
    assert packed.read_bytes() == whole

# A packed weight, a row or a name that differs is noticed, whatever the checksum is.
whole = bytearray(packed.read_bytes())
damaged = bytearray(whole)
damaged[-1] ^= 1
packed.write_bytes(damaged)
run("verify", model, packed, fails="1 of 3 tensors are wrong")
packed.write_bytes(whole)
gguf(other, [(n, s, t, c[:-1] + bytes([c[-1] ^ 1]) if n == "experts" else c) for n, s, t, c in content])
assert "experts: differs" in run("verify", other, packed, fails="1 of 3 tensors are wrong")
gguf(other, [(n + "2", s, t, c) for n, s, t, c in content])
run("verify", other, packed, fails="embd: not in other.gguf")
for shape in ((32, 18, 3), (32, 9, 3), (32, 9, 6), (64, 9, 2), (64, 9, 4), (64, 9), (64, 27), (64, 3, 9),
              (64, 9, 3, 2)):
    gguf(other, [(n, shape, t, blocks(t, shape)) if n == "experts" else (n, s, t, c) for n, s, t, c in content])
    run("verify", other, packed, fails="experts: not packed from the tensor of this name")
for kind in (8, 99):
    gguf(other, [(n, s, kind, blocks(8, s)) if n == "experts" else (n, s, t, c) for n, s, t, c in content])
    run("verify", other, packed, fails="experts: not packed from the tensor of this name")

# So is a stored checksum that is not that of the packed weights, which are right.
for i, name in enumerate(("embd", "experts", "z.q4_k")):
    resealed(lambda data: data.__setitem__(64 + 256 * i + 204, data[64 + 256 * i + 204] ^ 1))
    assert f"{name}: wrong checksum" in run("verify", model, packed, fails="1 of 3 tensors are wrong")

# And so is any weight that is not that of the rows, with a checksum that is right: wherever it is.
def other_weight(i, at):
    def change(data):
        offset, _, size = struct.unpack_from("<3Q", data, 64 + 256 * i + 208)
        data[offset + at % size] ^= 1
        struct.pack_into("<I", data, 64 + 256 * i + 204, zlib.crc32(data[offset:offset + size]))
    return change


for i, name in ((1, "experts"), (2, "z.q4_k")):
    size = struct.unpack_from("<3Q", whole, 64 + 256 * i + 208)[2]
    for at in (0, size // 2, size - 65):  # the last panel ends before the tag
        resealed(other_weight(i, at))
        assert f"{name}: differs" in run("verify", model, packed, fails="1 of 3 tensors are wrong")

# And so is the tag of any matrix, its last 64 bytes: nothing else compares it with the header.
for i, (name, matrices) in enumerate((("embd", 1), ("experts", 3), ("z.q4_k", 1))):
    stride = struct.unpack_from("<3Q", whole, 64 + 256 * i + 208)[1]
    for at in sorted({matrix * stride - back for matrix in (1, matrices) for back in (64, 41, 1)}):
        resealed(other_weight(i, at))
        assert f"{name}: wrong tag" in run("verify", model, packed, fails="1 of 3 tensors are wrong"), (name, at)

# A failure on any thread is one of the whole: nearly always another one than the first starts.
resealed(lambda data: data.__setitem__(64 + 112, ord("Q")))
for threads in (1, 2, 64):
    run("verify", model, packed, "--threads", threads, fails="embd: no micro-kernel of this library reads this format")
resealed(lambda data: None)

assert run("rows", model, "embd", 2, 0) == "".join(
    " ".join(f"{(row + i) * 0.5:.9g}" for i in range(32)) + "\n" for row in (2, 0))
run("rows", model, "embd", 3, fails="embd, row 3: there is no such")
run("rows", model, "nothing", 0, fails="no tensor nothing")
run("rows", model, "other", 0, fails="cannot read the type")

# Errors say where the file is wrong: the type of the first value, one of two tensors with a name.
damaged = bytearray(model.read_bytes())
damaged[24 + 8 + len("general.name")] = 99
other.write_bytes(damaged)
run("list", other, fails="other.gguf, byte 44: a value has no known type")
gguf(other, [content[1], content[1]])
names = [i for i in range(other.stat().st_size) if other.read_bytes().startswith(string("norm"), i)]
shown = run("list", other, fails="two tensors have the same name")
assert any(f"other.gguf, byte {at}: two" in shown for at in names), (names, shown)

# Damaged files are refused, and leave nothing behind.
before = packed.read_bytes()
other.write_bytes(model.read_bytes()[:-1])
run("list", other, fails="other.gguf, byte ")
run("pack", other, packed, "--force", fails="the file ends before")
gguf(other, content[1:2])
run("pack", other, packed, "--force", fails="no tensor is packed")
other.write_bytes(b"")
run("list", other, fails="empty")
assert packed.read_bytes() == before and not unfinished()

# What exists is replaced with --force only, a file that is an input never, nor what is no regular file.
run("pack", model, packed, fails="m.kai: exists already (--force)")
assert packed.read_bytes() == before
whole = model.read_bytes()
os.link(model, "hard.gguf")
os.symlink(model, "soft.gguf")
for source, output in ((model, model), (model, "./" + str(model)), (model, "hard.gguf"), (model, "soft.gguf"),
                       ("soft.gguf", model), ("hard.gguf", "soft.gguf")):
    for force in ((), ("--force",)):
        run("pack", source, output, *force, fails=f"the same file as the input {source}")
        assert model.read_bytes() == whole and os.path.samefile(model, "hard.gguf") and os.path.islink("soft.gguf")
os.mkfifo("fifo")
os.mkdir("folder")
listener = socket.socket(socket.AF_UNIX)
listener.bind("socket")
os.symlink("nothing", "dangling")
os.symlink("fifo", "to_fifo")
for output, why in (("fifo", "regular"), ("folder", "regular"), ("socket", "regular"), ("to_fifo", "regular"),
                    ("dangling", "a symbolic link to nothing"), ("none/m.kai", "No such file or directory")):
    mode = os.lstat(output).st_mode if "/" not in output else 0
    run("pack", model, output, "--force", fails=why)
    assert not mode or os.lstat(output).st_mode == mode
run("list", "fifo", fails="fifo: not a regular file")
listener.close()

# A link is followed; a file that is replaced keeps its mode.
os.symlink("folder/far.kai", "near.kai")
pathlib.Path("folder/far.kai").write_bytes(b"old")
os.chmod("folder/far.kai", 0o640)
run("pack", model, "near.kai", "--for", "sme2", "--vector-length", 256, "--force")
assert os.path.islink("near.kai") and pathlib.Path("folder/far.kai").read_bytes() == before
assert os.stat("folder/far.kai").st_mode & 0o777 == 0o640

# With --dense, floats and types without a packer are packed, too: the rows that `rows` prints.
halves = struct.pack("<18e", *(i - 3.5 for i in range(18)))
iq2_s = b"".join(struct.pack("<e", 0.5) + bytes(random.randrange(256) for _ in range(80)) for _ in range(2 * 40))
gguf(other, [("z.q4_k", *content[0][1:]), ("norm", *content[1][1:]), ("halves", (9, 2), 1, halves),
             ("iq2_s", (512, 20, 2), 22, iq2_s)])
assert run("list", other, "--for", "i8mm").count("(--dense)") == 2
assert "packed as f32pbiasf32" in run("list", other, "--for", "i8mm", "--dense", "f32")
assert "stays: no kernel of bf16" in run("list", other, "--for", "neon", "--dense", "bf16")
for isa, element, size in (("portable", "f32", 4), ("neon", "f32", 4), ("i8mm", "f16", 2), ("i8mm", "bf16", 2)):
    assert "3 of 4 tensors" in run("pack", other, "dense.kai", "--for", isa, "--dense", element, "--force")
    assert run("verify", other, "dense.kai").count(": right\n") == 3
    tensors = read(pathlib.Path("dense.kai"))
    assert tensors["halves"][:2] == (0, 0x212) and tensors["iq2_s"][:2] == (11, 22), tensors
    for name in ("halves", "iq2_s"):
        _, _, n, k, matrices, form, data, nr, kr = tensors[name]
        assert form == {"f32": "f32pbiasf32", "f16": "f16pbiasf16", "bf16": "bf16pbiasf32"}[element]
        depth, bias = -(-k // kr) * kr, 2 if element == "f16" else 4
        stride = nr * (bias + depth * size)
        matrix = -(-n // nr) * stride
        floats = [[float(x) for x in line.split()]
                  for line in run("rows", other, name, *range(n * matrices)).splitlines()]
        for row, weights in enumerate(floats):
            column = row % n
            panel = row // n * (-(-matrix // 64) * 64 + 64) + column // nr * stride + nr * bias
            for i in range(k):
                at = panel + ((i // kr * nr + column % nr) * kr + i % kr) * size
                if element == "bf16":
                    exact = struct.unpack("<I", struct.pack("<f", weights[i]))[0]
                    assert data[at:at + 2] == struct.pack("<H", (exact + 0x7FFF + (exact >> 16 & 1)) >> 16)
                else:
                    assert data[at:at + size] == struct.pack("<f" if size == 4 else "<e", weights[i])
# `rows` prints all digits of a float. A tensor with a bias, for which panels of floats have room, is none of a model.
gguf(pathlib.Path("thirds.gguf"), [("thirds", (3, 2), 0, struct.pack("<6f", *(i / 3 for i in range(6))))])
assert run("rows", "thirds.gguf", "thirds", 0) == "0 0.333333343 0.666666687\n"
whole_packed, whole = whole, bytearray(pathlib.Path("dense.kai").read_bytes())
resealed(lambda data: data.__setitem__(64 + 152, data[64 + 152] | 1))
run("verify", other, packed, fails="halves: not packed from the tensor of this name")
whole = whole_packed
damaged = bytearray(pathlib.Path("dense.kai").read_bytes())
damaged[-1] ^= 1
packed.write_bytes(damaged)
run("verify", other, packed, fails="1 of 3 tensors are wrong")
packed.write_bytes(before)

# Beyond the two mapped files, a thread needs no more than a panel: 24 MB are packed and verified with 16 MB of memory.
gguf(other, [("big", (4096, 10240), 2, (b"\0\x3c" + bytes(range(16))) * (4096 * 10240 // 32))])
for command in ("pack", "verify"):
    run(command, other, "big.kai", *(("--for", "i8mm") if command == "pack" else ()), "--threads", 1, memory=16 << 20)
    panels = read(pathlib.Path("big.kai"))["big"][6][:-64]
    assert panels == panels[:len(panels) // 2560] * 2560  # of 4 rows, which are all the same

# Where the output does not fit, nothing is left behind, nor if a signal ends the run.
run("pack", model, packed, "--force", file_size=4096, fails="m.kai: ")
assert packed.read_bytes() == before and not unfinished()
gguf(other, [("big", (4096, 10240), 2, (b"\0\x3c" + bytes(range(16))) * (4096 * 10240 // 32))])
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    assert interrupted(number, "pack", other, packed, "--for", "i8mm", "--threads", 2, "--force") == -number
    assert packed.read_bytes() == before and not unfinished()
assert interrupted(signal.SIGHUP, "pack", other, "nohup.kai", "--for", "i8mm", "--force", ignored=True) == 0

# Several runs at once do not meet: with --force the last one counts, without it the first one.
for force in (True, False):
    runs = [subprocess.Popen([TOOL, "pack", other, "same.kai", "--for", "i8mm", "--threads", "1"] + force * ["--force"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    results = [(process.communicate()[1], process.returncode) for process in runs]
    failed = [error for error, status in results if status != 0]
    assert len(failed) == (0 if force else 2) and all("exists already" in error for error in failed), results
    assert not unfinished() and run("verify", other, "same.kai").count(": right\n") == 1
    os.remove("same.kai")

# A terminal gets a progress bar.
ours, theirs = pty.openpty()
subprocess.run([TOOL, "pack", model, "bar.kai", "--threads", "2"], stdout=subprocess.DEVNULL, stderr=theirs, check=True)
os.close(theirs)
shown = b""
try:
    while part := os.read(ours, 1 << 16):  # it arrives some time after it was written
        shown += part
except OSError:  # Linux: nobody else has it open
    pass
assert b"packing [" + 40 * b"#" + b"] 100 %" in shown
os.chdir("/")
print("passed")
