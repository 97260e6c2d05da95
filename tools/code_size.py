#!/usr/bin/env python3
"""Prints the tables of code size of docs/performance/size.md: code_size.py SIZE-TOOL NM-TOOL LINKER BUILD ... [--write]

With --write, the page gets them, and README.md the size of ggml's program with the first build.

First per group of source files: lines of source and bytes of .text in the objects of each build.
The headers and assembly that sources include (kai/engines, catalogues) are counted once, in a row of their own.
Then what a program contains of the library that is linked with --gc-sections: all functions of one micro-kernel and its
packers, of those that ggml uses (tools/ggml_functions.txt), and of the interface that KleidiAI established
(tools/established_functions.txt), which the library has grown beyond. Last, parts of the library that the groups do not
show.

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance/size.md"
BEGIN, END = "<!-- written by tools/code_size.py -->\n", "<!-- end -->"
COMPILERS = {"aarch64-clang": "Clang 19", "aarch64-gcc": "GCC 12"}


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


# Of the groups: (path, ISA) of their sources.
PARTS = {
    "the portable micro-kernels": lambda path, isa: "/portable/" in path,
    "packers and conversions of GGUF blocks": lambda path, isa: "/gguf/" in path,
    "NEON micro-kernels of Armv8.0": lambda path, isa: isa == "neon" and not is_packer(path, isa),
    "tiles of few rows of `qai8dxp`": lambda path, isa: "/qai8dxp/" in path and "_few" in path,
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


def getter_bytes(nm, library):
    return sum(int(size, 16) for size in re.findall(r"^[0-9a-f]+ ([0-9a-f]+) T kai_get_\w+$",
                                                    run(nm, "-S", "-g", library), re.M))


def names_in(file):
    return [line for line in (ROOT / "tools" / file).read_text().split("\n") if line and line[0] != "#"]


def row_of(sizes):
    return " / ".join("{:,}".format(size) if size else "-" for size in sizes)


def tables(tool, nm, linker, builds):
    """(text of all tables, size of ggml's program in the first build)."""
    files = list(sources())
    total, text = [0] * len(builds), []
    columns = ".text, bytes (%s)" % " / ".join(COMPILERS.get(build.name, build.name) for build in builds)

    def size_of(build, chosen):
        objects = [object for path, isa in files if chosen(path, isa)
                   for object in build.glob("CMakeFiles/*.dir/%s.o" % path)]
        return text_bytes(tool, objects) if objects else 0

    text.append("| part | source lines | %s |\n|---|---|---|" % columns)
    for title, chosen in GROUPS.items():
        sizes = [size_of(build, chosen) for build in builds]
        total = [sum(pair) for pair in zip(total, sizes)]
        count = lines(ROOT / path for path, isa in files if chosen(path, isa))
        text.append("| %s | %s | %s |" % (title, "{:,}".format(count), row_of(sizes)))
    shared = [path for path in ROOT.glob("kai/engines/*/*") if path.suffix in (".hpp", ".h", ".inc")]
    text.append("| headers and macros of the engines (.hpp, .inc) | {:,} | |".format(lines(shared)))
    public = [*ROOT.glob("kai/**/*.def"), *ROOT.glob("kai/*.h"), *ROOT.glob("kai/ukernels/**/*.h")]
    text.append("| catalogues, public headers | {:,} | |".format(lines(public)))
    text.append("| the library | | %s |" % row_of(total))

    of_ggml, established = names_in("ggml_functions.txt"), names_in("established_functions.txt")
    programs = {
        "one micro-kernel and its packers": [
            "matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm", "lhs_quant_pack_qsi8d32p4x8sb_f32_neon",
            "rhs_pack_nxk_qsi4c32ps1s0scalef16_qsu4c32s16s0_neon"],
        "one of indirect matmul, int8, and its packer": [
            "imatmul_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_6x16_neon_dotprod",
            "rhs_imatmul_pack_kxn_qsi8cxp16x4sb_qs8cx_f32_i32"],
        "one of depthwise convolution, int8, and its packer": [
            "dwconv_clamp_qai8_qai8_qsi8cxp16x4bi32sf32_3x3_s1_1x4_neon_dotprod",
            "rhs_dwconv_pack_qsi8cxp16x4sb_qs8cx_f32_i32"],
        "ggml's %d micro-kernels and packers" % len(of_ggml): of_ggml,
        "the NEON and portable packers of the established interface":
            [name for name in established if re.match("[lr]hs_", name) and not re.search("_sme2?|_sve", name)],
        "the micro-kernels and packers of the established interface": established,
    }
    text.append("\n| a program (`--gc-sections`) with | %s |\n|---|---|" % columns)
    for title, chosen in programs.items():
        sizes = [program_bytes(tool, nm, linker, build / "libkleidiai.a", chosen) for build in builds]
        text.append("| %s | %s |" % (title, row_of(sizes)))
        if chosen is of_ggml:
            size_of_ggml = sizes[0]

    text.append("\n| of the library, or beside it | %s |\n|---|---|" % columns)
    for title, chosen in PARTS.items():
        text.append("| %s | %s |" % (title, row_of([size_of(build, chosen) for build in builds])))
    text.append("| getters (`kai_get_*`) | %s |" % row_of(
        [getter_bytes(nm, build / "libkleidiai.a") for build in builds]))
    if all((build / "libkleidiai_gemm.a").exists() for build in builds):
        text.append("| the GEMM layer, a library of its own | %s |" % row_of(
            [text_bytes(tool, [build / "libkleidiai_gemm.a"]) for build in builds]))
    return "\n".join(text) + "\n", size_of_ggml


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    text, size_of_ggml = tables(*words[:3], [Path(build) for build in words[3:]])
    print("\n" + text, end="")
    if "--write" in sys.argv:
        before, begin, rest = PAGE.read_text().partition(BEGIN)
        _, end, after = rest.partition(END)
        if not begin or not end:
            sys.exit("%s has no place for the tables" % PAGE)
        PAGE.write_text(before + begin + text + end + after)
        readme = ROOT / "README.md"
        new, count = re.subn(r"[0-9,]+ bytes for all kernels that ggml uses",
                             "{:,} bytes for all kernels that ggml uses".format(size_of_ggml), readme.read_text())
        if count != 1:
            sys.exit("README.md does not say the size of ggml's kernels once")
        readme.write_text(new)


if __name__ == "__main__":
    main()
