#!/usr/bin/env python3
"""examples/convnet: convnet_test.py CACHE PART PROGRAM... The program, and perhaps an emulator before it, is convnet.
Parts:

    files       a model with known results; options and files that are wrong
    operators   each operator against ONNX Runtime (operators.py)
    models      networks of npm packages against ONNX Runtime

Without the packages (tools/setup.sh: need_onnxruntime, need_onnx_models) the last two are skipped.

SPDX-License-Identifier: Apache-2.0
"""
import array
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import networks
import onnx_file as onnx
import operators

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "examples/convnet"
CODES = {"float32": "f", "int64": "q", "int32": "i", "bool": "B", "uint8": "B"}


def check(good, what):
    if not good:
        print(f"FAILED: {what}")
        raise SystemExit(1)


class Case:
    """A model and its inputs: name -> (type, shape, values)."""

    def __init__(self, folder, model, inputs, what=None, bound=1e-4):
        self.folder, self.model, self.what, self.bound = pathlib.Path(folder), model, what, bound
        self.folder.mkdir()
        self.inputs = []
        for i, (name, (kind, shape, values)) in enumerate(inputs.items()):
            file = self.folder / f"input_{i}"
            file.write_bytes(array.array(CODES[kind], values).tobytes())
            self.inputs.append({"name": name, "type": kind, "shape": list(shape), "file": str(file)})

    def oracle(self):
        return {"model": str(self.model), "folder": str(self.folder), "inputs": self.inputs}

    def arguments(self):
        yield from (str(self.model), "--output", str(self.folder))
        for i in self.inputs:
            yield from ("--input", f"{i['name']}={'x'.join(map(str, i['shape']))}:{i['file']}")

    def elements(self, name, kind):
        values = array.array(CODES[kind])
        values.frombytes((self.folder / name).read_bytes())
        return values

    def compare(self, program):
        """Runs it on one thread and on three, whose bits must be equal, and compares with what ONNX Runtime wrote."""
        kinds = json.loads((self.folder / "expected.json").read_text())
        before = None
        for threads in ("1", "3"):
            done = subprocess.run([*program, *self.arguments(), "-t", threads], capture_output=True, text=True)
            check(done.returncode == 0, f"{self.model}: {done.stderr}")
            bits = [(self.folder / f"output_{i}.bin").read_bytes() for i in range(len(kinds))]
            check(before in (None, bits), f"{self.model}: threads change the bits")
            before = bits
        lines = [line.split(" ") for line in done.stdout.splitlines()]
        worst = 0
        for i, kind in enumerate(kinds):
            what = f"{self.model.name}: {self.what[i] if self.what else lines[i][3]}"
            check(" ".join(lines[i][1:3]) == kind, f"{what}: {lines[i][1:3]}, not {kind}")
            ours, theirs = (self.elements(name, lines[i][1]) for name in (f"output_{i}.bin", f"expected_{i}"))
            check(len(ours) == len(theirs), f"{what}: {len(ours)} elements")
            if lines[i][1] != "float32":
                check(ours == theirs, f"{what}: {ours[:8]}, not {theirs[:8]}")
                continue
            largest = max(map(abs, theirs), default=0)
            error = max((abs(a - b) if a == a else float("inf") for a, b in zip(ours, theirs)), default=0)
            check(error <= self.bound * largest, f"{what}: {error:.2g} apart, of {largest:.3g}")
            worst = max(worst, error / largest if largest else 0)
        print(f"{self.model.name}: {len(kinds)} outputs, {worst:.1e} of the largest element apart")


def run_oracle(cache, folder, cases):
    modules, node = cache / "onnxruntime/node_modules", shutil.which("node")
    if node is None or not (modules / "onnxruntime-node").exists():
        print("SKIPPED: ONNX Runtime is not unpacked (tools/setup.sh: need_onnxruntime)")
        raise SystemExit(77)
    (folder / "cases.json").write_text(json.dumps([case.oracle() for case in cases]))
    subprocess.run([node, HERE / "oracle.js", modules, folder / "cases.json"], check=True)


def known_operators():
    """Those in the tables of the program's sources."""
    text = "".join(path.read_text() for path in SOURCES.glob("*.cpp"))
    return set(re.findall(r'^    \{"([A-Z]\w+)",', text, re.MULTILINE)) | {"If"}


def test_operators(cache, folder, program):
    cases = []
    models = operators.models()
    tested = {what.split(" ")[0] for model in models.values() for what in model.what + model.hidden if what}
    check(tested == known_operators(), f"not tested, or not known: {sorted(tested ^ known_operators())}")
    for name, model in models.items():
        path = folder / f"{name}.onnx"
        path.write_bytes(model.bytes())
        inputs = {n: ("float32", shape, values) for n, (shape, values) in model.inputs.items()}
        cases.append(Case(folder / name, path, inputs, [what for what in model.what if what], 1e-5))
    run_oracle(cache, folder, cases)
    for case in cases:
        case.compare(program)


def test_models(cache, folder, program):
    if not (cache / "onnx-models").exists():
        print("SKIPPED: the models are not unpacked (tools/setup.sh: need_onnx_models)")
        raise SystemExit(77)
    few = len(program) > 1  # an emulator
    cases = [Case(folder / str(i), cache / "onnx-models" / path, inputs)
             for i, (path, inputs) in enumerate(networks.networks(few))]
    run_oracle(cache, folder, cases)
    for case in cases:
        case.compare(program)
        if "rec_infer" in case.model.name:
            keys = (case.model.parent / "ppocr_keys_v1.txt").read_text().splitlines()
            text = networks.read_text(case.elements("output_0.bin", "float32"), keys)
            check(text == networks.TEXT, f"it reads '{text}', not '{networks.TEXT}'")
            print(f"it reads {text}")


def small_model():
    """Convolution, bias and ReLU of one channel, whose results are known: 2 * x + 1, at least 0."""
    weights = onnx.tensor("w", onnx.FLOAT, [1, 1, 1, 1], [2])
    bias = onnx.tensor("b", onnx.FLOAT, [1], [1])
    nodes = [onnx.node("Conv", ["x", "w", "b"], ["c"]), onnx.node("Relu", ["c"], ["y"])]
    return onnx.model(onnx.graph(nodes, [weights, bias], [onnx.value("x", onnx.FLOAT, [1, 1, None, 3])],
                                 [onnx.value("y", onnx.FLOAT, [1, 1, None, 3])]), 13)


def test_files(_, folder, program):
    listed = set(re.findall(r"`([A-Z]\w+)`", (SOURCES / "README.md").read_text().split("## Files")[0]))
    check(listed == known_operators(), f"README.md does not list, or should not: {sorted(listed ^ known_operators())}")
    model, image = folder / "small.onnx", folder / "x.bin"
    good = small_model()
    model.write_bytes(good)
    image.write_bytes(array.array("f", [1, -2, 3, 0.5, 0, -0.25]).tobytes())

    def run(*arguments):
        done = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True)
        check(done.returncode in (0, 1), f"{arguments} ends with {done.returncode}: {done.stderr}")
        return done

    def refused(text, *arguments):
        done = run(*arguments)
        check(done.returncode == 1 and text in done.stderr and done.stdout == "", f"{arguments}: {done}")

    done = run(model, "--input", f"x=1x1x2x3:{image}", "--output", folder)
    check(done.stdout == "output_0.bin float32 [1,1,2,3] y\n", done.stdout)
    results = array.array("f", (folder / "output_0.bin").read_bytes())
    check(list(results) == [3, 0, 7, 2, 1, 0.5], f"{results}")
    check("median of 3 runs" in run(model, "--input", "x=1x1x2x3@1", "--bench", 3).stdout, "--bench")

    for text, *arguments in [("no model",), ("is not an option", "--wrong"), ("needs a value", model, "--input"),
                             ("No such file", folder / "none.onnx"), ("not a regular file", folder),
                             ("'x' needs SHAPE", model), ("'x' needs SHAPE", model, "--input", "x=1x1x2x3"),
                             ("has 4 axes", model, "--input", "x=1x6@1"),
                             ("has 24 bytes, not 36", model, "--input", f"x=1x1x3x3:{image}"),
                             ("is not a number", model, "--input", "x=1x1x2x3@one"),
                             ("no input 'z'", model, "--input", "x=1x1x2x3@1", "--input", "z=1@1"),
                             ("--input needs NAME=", model, "--input", "x"),
                             ("below 10^8", model, "-t", "many"),
                             ("cannot be written", model, "--input", "x=1x1x2x3@1", "--output", folder / "none")]:
        if text == "cannot be written":
            check(text in run(*arguments).stderr, text)
        else:
            refused(text, *arguments)
    refused("more than 1 MiB", model, "--input", "x=1x1x200000x3@1", "--memory", 1)

    bad = folder / "bad.onnx"
    x = onnx.value("x", onnx.FLOAT, [2, 2])

    def with_nodes(*nodes, constants=()):
        return onnx.model(onnx.graph(nodes, constants, [x], [onnx.value("y", onnx.FLOAT, [2, 2])]), 13)

    def nested(depth):
        inner = onnx.graph([nested(depth - 1)] if depth else [], outputs=[onnx.value("x", onnx.FLOAT, [2, 2])])
        return onnx.node("If", ["x"], ["y"], then_branch=inner, else_branch=inner if depth == 0 else onnx.graph([]))

    for text, content in [
            ("no graph", b""), ("older than 7", good[:-1] + b"\x06"), ("damaged", b"\x3a\xff\x01" + good[2:]),
            ("the operator Loop is not supported", with_nodes(onnx.node("Loop", ["x"], ["y"]))),
            ("com.microsoft.Gelu", with_nodes(onnx.node("Gelu", ["x"], ["y"]) + onnx.data(7, "com.microsoft"))),
            ("nothing before it computes 'z'", with_nodes(onnx.node("Relu", ["z"], ["y"]))),
            ("nothing before it computes 'y'", with_nodes()),
            ("operand 1 is missing", with_nodes(onnx.node("Add", ["x"], ["y"]))),
            ("do not fit", with_nodes(onnx.node("Add", ["x", "c"], ["y"]),
                                      constants=[onnx.tensor("c", onnx.FLOAT, [3], [1, 2, 3])])),
            ("does not have its elements", with_nodes(constants=[onnx.tensor("c", onnx.FLOAT, [3], [1, 2])])),
            ("too large", with_nodes(constants=[onnx.tensor("c", onnx.FLOAT, [2**40, 2**40], [1])])),
            ("a negative size", with_nodes(constants=[onnx.tensor("c", onnx.FLOAT, [-1], [1])])),
            ("elements of type 10", with_nodes(constants=[onnx.number(1, 1) + onnx.number(2, 10)])),
            ("in another file", with_nodes(constants=[onnx.number(2, 1) + onnx.number(14, 1)])),
            ("a branch without these outputs", with_nodes(onnx.node("If", ["c"], ["y"]),
                                                          constants=[onnx.tensor("c", onnx.BOOL, [1], [1])])),
            ("nested too deeply", with_nodes(nested(20))),
            ("has no output", with_nodes(onnx.node("Relu", ["x"], []))),
            ("that its node does not compute", with_nodes(onnx.node("Relu", ["x"], ["a", "y"]))),
            ("of different types", with_nodes(onnx.node("Add", ["x", "c"], ["y"]),
                                              constants=[onnx.tensor("c", onnx.INT64, [2], [1, 2])])),
            ("no axis 2", with_nodes(onnx.node("Softmax", ["x"], ["y"], axis=2))),
            ("mode is only supported as 'reflect'", with_nodes(onnx.node("Pad", ["x"], ["y"], mode="edge"))),
            ("start is only supported as '0'", with_nodes(onnx.node("Shape", ["x"], ["y"], start=1))),
            ("end is only supported as ''", with_nodes(onnx.node("Shape", ["x"], ["y"], end=1))),
            ("weights that are computed", with_nodes(onnx.node("Unsqueeze", ["x", "c"], ["v"]),
                                                     onnx.node("Conv", ["v", "v"], ["y"]),
                                                     constants=[onnx.tensor("c", onnx.INT64, [2], [0, 1])]))]:
        bad.write_bytes(content)
        refused(text, bad, "--input", "x=2x2@1")
    # Wherever the file ends, and whichever byte is another one, it is a sentence or a run.
    step = 1 if len(program) == 1 else 16
    for end in range(0, len(good), step):
        bad.write_bytes(good[:end])
        done = run(bad, "--input", "x=1x1x2x3@1")
        check(done.returncode == 1 and done.stderr.count("\n") == 1, f"{end} bytes: {done}")
    for at in range(0, len(good), step):
        bad.write_bytes(good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1:])
        done = run(bad, "--input", "x=1x1x2x3@1")
        check(done.returncode == 0 or done.stderr.count("\n") == 1, f"byte {at}: {done}")
    print("files: good")


def main():
    cache, part, program = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3:]
    program = [os.path.abspath(x) if os.path.exists(x) else x for x in program]
    with tempfile.TemporaryDirectory() as folder:
        {"files": test_files, "operators": test_operators, "models": test_models}[part](
            cache, pathlib.Path(folder), program)


main()
