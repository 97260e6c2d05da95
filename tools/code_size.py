#!/usr/bin/env python3
"""Prints the table of code size of docs/performance.md: code_size.py SIZE-TOOL CLANG-BUILD GCC-BUILD

Per group of source files of kai/sources.cmake: lines of source and bytes of .text in the objects of both builds. The
headers and assembly that sources include (kai/src, kai/asm, catalogues) are counted once, in a row of their own.

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GROUPS = {
    "registry, CPU features, helpers": lambda path, isa: isa == "any" and "ukernels/" not in path,
    "packers (portable and NEON)": lambda path, isa: isa == "any" and "ukernels/" in path,
    "NEON micro-kernels": lambda path, isa: isa.startswith("neon"),
    "SVE micro-kernels": lambda path, isa: isa.startswith("sve"),
    "SME, SME2": lambda path, isa: isa in ("aarch64", "sme", "sme2"),
}


def sources():
    """(path, ISA) of every source file."""
    text = (ROOT / "kai/sources.cmake").read_text()
    for isa, files in re.findall(r"set\(KAI_SOURCES_(\w+)\s([^)]*)\)", text):
        for path in files.split():
            yield path, isa


def lines(paths):
    return sum(len(path.read_text().splitlines()) for path in paths)


def text_bytes(tool, objects):
    out = subprocess.run([tool, "-A", *map(str, objects)], check=True, capture_output=True, text=True).stdout
    return sum(int(size) for size in re.findall(r"^\.text\S*\s+(\d+)", out, re.M))


def main():
    tool, builds = sys.argv[1], [Path(build) for build in sys.argv[2:4]]
    files = list(sources())
    print("\n| part | source lines | .text, bytes (Clang 19 / GCC 12) |\n|---|---|---|")
    for title, chosen in GROUPS.items():
        paths = [path for path, isa in files if chosen(path, isa)]
        sizes = []
        for build in builds:
            objects = [object for path in paths for object in build.glob("CMakeFiles/*.dir/%s.o" % path)]
            sizes.append("{:,}".format(text_bytes(tool, objects)) if objects else "-")
        print("| %s | %s | %s |" % (title, "{:,}".format(lines(ROOT / path for path in paths)), " / ".join(sizes)))
    shared = [path for folder in ("kai/src", "kai/asm") for path in (ROOT / folder).iterdir()]
    shared = [path for path in shared if path.suffix in (".hpp", ".h", ".inc")]
    print("| building blocks (kai/src, kai/asm) | {:,} | |".format(lines(shared)))
    public = [*ROOT.glob("kai/**/*.def"), *ROOT.glob("kai/*.h"), *ROOT.glob("kai/ukernels/**/*.h")]
    print("| catalogues, public headers | {:,} | |".format(lines(public)))


if __name__ == "__main__":
    main()
