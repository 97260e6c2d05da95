#!/usr/bin/env python3
"""examples/llm against llama.cpp: llm_test.py CACHE PART PROGRAM... The program, and perhaps an emulator before it, is
llm. Without the packages (tools/setup.sh: need_llama) or a C compiler the test is skipped. PART arm64: the emulator
runs llama.cpp of that architecture as well (need_llama arm64).

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

cache, program = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
here = pathlib.Path(__file__).resolve().parent
environment = {**os.environ, "OMP_NUM_THREADS": "2"}
tree, compiler = cache / "llama", shutil.which("cc") or shutil.which("clang")
if program[0] == "arm64":
    tree, compiler = cache / "llama-arm64", shutil.which("aarch64-linux-gnu-gcc")
    # With vectors of 512 bits libggml0 0.27.0 returns wrong logits for the trained model (perplexity 9e8).
    environment["KLEIDIAI_RUN_BY"] = program[1] + " -cpu neoverse-n2"
python = cache / (tree.name + "-python")
if not python.exists() or compiler is None:
    print("SKIPPED: llama.cpp is not unpacked (tools/setup.sh: need_llama), or there is no C compiler")
    raise SystemExit(77)
with tempfile.TemporaryDirectory() as folder:
    shim = pathlib.Path(folder) / "oracle.so"
    # Without the libraries: they need a newer C library than this host may have, and are there when it is loaded.
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-I", tree / "usr/include", here / "oracle.c",
                    "-o", shim], check=True)
    command = [python, here / "compare.py", tree, shim, folder, *program]
    raise SystemExit(subprocess.run(command, env=environment).returncode)
