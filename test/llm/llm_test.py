#!/usr/bin/env python3
"""examples/llm against llama.cpp: llm_test.py CACHE PART PROGRAM... The program, and perhaps an emulator before it, is
llm. Without the packages (tools/setup.sh: need_llama) or a C compiler for this host the test is skipped.

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
python, compiler = cache / "llama-python", shutil.which("cc") or shutil.which("clang")
if not python.exists() or compiler is None:
    print("SKIPPED: llama.cpp is not unpacked (tools/setup.sh: need_llama), or there is no C compiler")
    raise SystemExit(77)
with tempfile.TemporaryDirectory() as folder:
    shim = pathlib.Path(folder) / "oracle.so"
    # Without the libraries: they need a newer C library than this host may have, and are there when it is loaded.
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-I", cache / "llama/usr/include", here / "oracle.c",
                    "-o", shim], check=True)
    command = [python, here / "compare.py", cache / "llama", shim, folder, *program]
    raise SystemExit(subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "2"}).returncode)
