#!/usr/bin/env python3
"""Lets ggml write a file and its results, and compares: ggml_test.py CACHE PROGRAM... The program, and perhaps an
emulator before it, is ggml_test.cpp. Without the packages (tools/setup.sh: need_ggml) the test is skipped.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import subprocess
import sys
import tempfile

cache, program = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
python = cache / "ggml-python"
if not python.exists():
    print("SKIPPED: ggml is not unpacked (tools/setup.sh: need_ggml)")
    raise SystemExit(77)
write = pathlib.Path(__file__).resolve().parent / "write.py"
for seed in ("1", "2"):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, write, cache / "ggml", folder, seed], check=True)
        subprocess.run([*program, folder], check=True)
