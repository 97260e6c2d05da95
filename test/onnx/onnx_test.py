#!/usr/bin/env python3
"""Lets ONNX Runtime multiply, and compares: onnx_test.py CACHE PROGRAM... The program, and perhaps an emulator before
it, is onnx_test.cpp. Without the package (tools/setup.sh: need_onnxruntime) or without Node.js the test is skipped.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

cache, program = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
modules, node = cache / "onnxruntime/node_modules", shutil.which("node")
if node is None or not (modules / "onnxruntime-node").exists():
    print("SKIPPED: ONNX Runtime is not unpacked (tools/setup.sh: need_onnxruntime)")
    raise SystemExit(77)
write = pathlib.Path(__file__).resolve().parent / "write.js"
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([node, write, modules, folder, "1"], check=True)
    subprocess.run([*program, folder], check=True)
