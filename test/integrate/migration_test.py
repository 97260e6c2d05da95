#!/usr/bin/env python3
"""A client that was written for KleidiAI, given this library instead by the build lines of docs/migration.md.

    migration_test.py --work DIR --build DIR --cc CC --cxx CXX

Its CMakeLists.txt finds KleidiAI as XNNPACK's and ONNX Runtime's do: an address that does not exist, unless a variable
says where the sources are. Only that variable, as the page spells it, is set. The client includes KleidiAI's paths and
links the target kleidiai.

The library is not compiled where the client would do it by the very commands of BUILD: then it gets that one's.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
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
FetchContent_Declare(kleidiai URL file:///nowhere/kleidiai.zip)
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


def commands_of(build, library):
    """How the library is compiled in a build, by source; without what a client need not have: warnings."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if f" -o {library}CMakeFiles/kleidiai.dir/" in entry["command"]:
            command = entry["command"].replace(f" -o {library}", " -o ").replace(str(build / library), "@")
            found[entry["file"]] = re.sub(r" -W(error|all|extra)\b", "", command)
    return found


def build_client(folder, library, build):
    """Compiles and links the client; the library, too, if BUILD's is not the same."""
    ours = commands_of(build, "")
    if not ours or commands_of(folder, library) != ours:
        require("cmake", "--build", folder, "-j", "2", "--target", "client")
        return "the library, too, was compiled"
    require("cmake", "--build", folder, "--target", "CMakeFiles/client.dir/client.c.o")
    shutil.copy(build / "libkleidiai.a", folder / library)
    link = require("ninja", "-C", folder, "-t", "commands", "client").strip().splitlines()[-1]
    require("sh", "-c", f"cd '{folder}' && {link}")
    return f"{len(ours)} sources would be compiled as they are in {build.name}"


def main():
    parser = argparse.ArgumentParser()
    for option in ("--work", "--build"):
        parser.add_argument(option, type=pathlib.Path, required=True)
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
        configure = ["cmake", "-S", work, "-B", work / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                     "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DCMAKE_C_COMPILER={options.cc}",
                     f"-DCMAKE_CXX_COMPILER={options.cxx}"]
        if run(*configure)[0] == 0:
            raise SystemExit(f"{client}: the library was found without {option[1]}")
        require(*configure, f"{option[1]}={ROOT}")
        library = next(path.parent for path in (work / "build").glob("**/CMakeFiles/kleidiai.dir")).parent
        how = build_client(work / "build", f"{library.relative_to(work / 'build')}/", options.build.resolve())
        print(f"{client}, {option[1]}: {require(work / 'build/client').strip()} ({how})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
