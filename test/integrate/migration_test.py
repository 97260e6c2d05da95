#!/usr/bin/env python3
"""A client that was written for KleidiAI, given this library instead by the build lines of docs/migration.md.

    migration_test.py --work DIR --cc CC --cxx CXX

Its CMakeLists.txt finds KleidiAI as XNNPACK's and ONNX Runtime's do: an address that does not exist, unless a variable
says where the sources are. Only that variable, as the page spells it, is set. The client includes KleidiAI's paths and
links the target kleidiai.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = """cmake_minimum_required(VERSION 3.16)
project(client C CXX)
"""
TAIL = """
add_executable(client client.c)
set_target_properties(client PROPERTIES C_STANDARD 99)
target_link_libraries(client PRIVATE kleidiai)
"""
WAYS = {
    "XNNPACK": """
if(NOT DEFINED KLEIDIAI_SOURCE_DIR)
    message(FATAL_ERROR "would be downloaded")
endif()
add_subdirectory("${KLEIDIAI_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/kleidiai")
""",
    "ONNX Runtime": """
include(FetchContent)
FetchContent_Declare(kleidiai URL https://example.invalid/kleidiai.zip)
FetchContent_MakeAvailable(kleidiai)
"""}


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def require(*command):
    status, output = run(*command)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{output[-3000:]}")
    return output


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    page = (ROOT / "docs/migration.md").read_text()
    shutil.rmtree(options.work, ignore_errors=True)
    for client, finds in WAYS.items():
        option = re.search(rf"^\| {client}.*?`(-D\w+)=<libkleidiai>`", page, re.MULTILINE)
        if not option:
            raise SystemExit(f"docs/migration.md has no build line for {client}")
        work = options.work.resolve() / client.replace(" ", "")
        work.mkdir(parents=True)
        (work / "CMakeLists.txt").write_text(HEAD + finds + TAIL)
        shutil.copy(ROOT / "test/package/client.c", work)
        configure = ["cmake", "-S", work, "-B", work / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                     f"-DCMAKE_C_COMPILER={options.cc}", f"-DCMAKE_CXX_COMPILER={options.cxx}"]
        if run(*configure)[0] == 0:
            raise SystemExit(f"{client}: the library was found without {option[1]}")
        require(*configure, f"{option[1]}={ROOT}")
        require("cmake", "--build", work / "build", "-j", "2", "--target", "client")
        print(f"{client}, {option[1]}: {require(work / 'build/client').strip()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
