#!/usr/bin/env python3
"""Prints the tables of code size of docs/performance/size.md: code_size.py SIZE-TOOL NM-TOOL LINKER BUILD ...

First per group of source files: lines of source and bytes of .text in the objects of each build.
The headers and assembly that sources include (kai/engines, catalogues) are counted once, in a row of their own.
Then what a program contains of the library that is linked with --gc-sections: all functions of one micro-kernel and its
packers, of those that ggml uses (tools/ggml_functions.txt), and of the interface that KleidiAI established
(tools/established_functions.txt), which the library has grown beyond.

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def is_packer(path, isa):
    return "/pack/" in path and not isa.startswith("s")


GROUPS = {
    "registry, generic calls, CPU features, helpers": lambda path, isa: isa == "any" and "/pack/" not in path
    or "vector_length" in path,
    "packers (portable and NEON)": is_packer,
    "NEON micro-kernels": lambda path, isa: isa.startswith("neon") and not is_packer(path, isa),
    "SVE micro-kernels, packers": lambda path, isa: isa.startswith("sve"),
    "SME, SME2 micro-kernels, packers": lambda path, isa: isa.startswith("sme"),
}


def run(*command):
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout


def sources():
    """(path, ISA) of every source file, as cmake/KaiSources.cmake finds them."""
    isas = re.findall(r"^KAI_ISA\((\w+),", (ROOT / "kai/isas.def").read_text(), re.M)
    for path in sorted([*ROOT.glob("kai/*.cpp"), *ROOT.glob("kai/engines/*/*.cpp"), *ROOT.glob("kai/engines/*/*.S")]):
        of_stem = [isa for isa in isas if re.search("_%s(_|$)" % isa, path.stem)]
        portable = "any" if path.suffix == ".cpp" else "neon"
        yield str(path.relative_to(ROOT)), max(of_stem, key=len, default=portable)


def lines(paths):
    return sum(len(path.read_text().splitlines()) for path in paths)


def text_bytes(tool, objects):
    return sum(int(size) for size in re.findall(r"^\.text\S*\s+(\d+)", run(tool, "-A", *objects), re.M))


def program_bytes(tool, nm, linker, library, names):
    """.text of a program with all functions of the micro-kernels and packers `names`: ours alone, nothing of a libc."""
    symbols = set(re.findall(r"^[0-9a-f]+ T (kai_\w+)$", run(nm, "-g", library), re.M))
    wanted = []
    for name in names:
        functions = [symbol for symbol in symbols if re.fullmatch("kai_(run_|get_[a-z_]+_|)" + name, symbol)]
        if not functions:
            sys.exit("%s has no functions of %s" % (library, name))
        wanted += functions
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        run(linker, "-m", "aarch64linux", "-static", "--gc-sections", "-e", "0", "--unresolved-symbols=ignore-all",
            *("--undefined=" + symbol for symbol in wanted), library, "-o", program)
        return text_bytes(tool, [program])


def names_in(file):
    return [line for line in (ROOT / "tools" / file).read_text().split("\n") if line and line[0] != "#"]


def row_of(sizes):
    return " / ".join("{:,}".format(size) if size else "-" for size in sizes)


def main():
    tool, nm, linker, builds = *sys.argv[1:4], [Path(build) for build in sys.argv[4:]]
    files = list(sources())
    total = [0] * len(builds)
    columns = ".text, bytes (%s)" % " / ".join(build.name for build in builds)
    print("\n| part | source lines | %s |\n|---|---|---|" % columns)
    for title, chosen in GROUPS.items():
        paths = [path for path, isa in files if chosen(path, isa)]
        sizes = []
        for index, build in enumerate(builds):
            objects = [object for path in paths for object in build.glob("CMakeFiles/*.dir/%s.o" % path)]
            sizes.append(text_bytes(tool, objects) if objects else 0)
            total[index] += sizes[-1]
        print("| %s | %s | %s |" % (title, "{:,}".format(lines(ROOT / path for path in paths)), row_of(sizes)))
    shared = [path for path in ROOT.glob("kai/engines/*/*") if path.suffix in (".hpp", ".h", ".inc")]
    print("| headers and macros of the engines (.hpp, .inc) | {:,} | |".format(lines(shared)))
    public = [*ROOT.glob("kai/**/*.def"), *ROOT.glob("kai/*.h"), *ROOT.glob("kai/ukernels/**/*.h")]
    print("| catalogues, public headers | {:,} | |".format(lines(public)))
    print("| the library | | %s |" % row_of(total))

    of_ggml, established = names_in("ggml_functions.txt"), names_in("established_functions.txt")
    programs = {
        "one micro-kernel and its packers": [
            "matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm", "lhs_quant_pack_qsi8d32p4x8sb_f32_neon",
            "rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon"],
        "ggml's %d micro-kernels and packers" % len(of_ggml): of_ggml,
        "the NEON and portable packers of the established interface":
            [name for name in established if re.match("[lr]hs_", name) and not re.search("_sme2?|_sve", name)],
        "the micro-kernels and packers of the established interface": established,
    }
    print("\n| a program (`--gc-sections`) with | %s |\n|---|---|" % columns)
    for title, chosen in programs.items():
        sizes = [program_bytes(tool, nm, linker, build / "libkleidiai.a", chosen) for build in builds]
        print("| %s | %s |" % (title, row_of(sizes)))


if __name__ == "__main__":
    main()
