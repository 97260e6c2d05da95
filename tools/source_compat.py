#!/usr/bin/env python3
"""Source files at the paths of KleidiAI, for clients that list those files in their own build.

    source_compat.py --root REPOSITORY --objects FILE --names FILE --headers FILE --compat DIR --out DIR

Each FILE is a list: the library's object files (ELF, AArch64), `folder/name` of its micro-kernels and packers, its
public headers. DIR of --compat holds the forwarding headers. For each of those OUT gets folder/kai_<name>.c, which
defines kai_run_<name> and kai_get_*_<name>, and folder/kai_<name>_asm.S, which is empty: clients that list both get
each function once.

A .c file is the machine code of the library's objects as one `__asm__`: what its functions reach and nothing else. It
is therefore the same code that the library's tests ran, whatever compiler and flags a client has: no -march, no C++, no
assembler that knows SME. Helpers that several files contain are COMDAT groups, of which a linker keeps one.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import collections
import os
import re
import shutil
import struct
import sys

SHT_PROGBITS, SHT_RELA, SHT_NOBITS = 1, 4, 8
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4
STB_LOCAL, STB_GLOBAL, STB_WEAK = 0, 1, 2
STT_FUNC = 2
RELOCATIONS = {
    257: "R_AARCH64_ABS64", 260: "R_AARCH64_PREL64", 261: "R_AARCH64_PREL32", 274: "R_AARCH64_ADR_PREL_LO21",
    275: "R_AARCH64_ADR_PREL_PG_HI21", 277: "R_AARCH64_ADD_ABS_LO12_NC", 278: "R_AARCH64_LDST8_ABS_LO12_NC",
    282: "R_AARCH64_JUMP26", 283: "R_AARCH64_CALL26", 284: "R_AARCH64_LDST16_ABS_LO12_NC",
    285: "R_AARCH64_LDST32_ABS_LO12_NC", 286: "R_AARCH64_LDST64_ABS_LO12_NC", 299: "R_AARCH64_LDST128_ABS_LO12_NC",
    311: "R_AARCH64_ADR_GOT_PAGE", 312: "R_AARCH64_LD64_GOT_LO12_NC",
}
# kai_matmul_*, kai_lhs_*, kai_rhs_*: functions of the unified API, which return tables.
INTERFACE = re.compile(r"kai_(run|get|call|commit|cpu|registry|matmul|lhs|rhs)_")

Symbol = collections.namedtuple("Symbol", "name binding type section value size")
Relocation = collections.namedtuple("Relocation", "offset type symbol addend")


def name_at(table, offset):
    return table[offset : table.index(b"\0", offset)].decode()


class Section:
    """A section of an object: the unit that is copied."""

    def __init__(self, obj, name, type, flags, align, data, size):
        self.obj, self.name, self.type, self.flags, self.align = obj, name, type, flags, max(align, 1)
        self.data, self.size, self.symbols, self.relocations = data, size, [], []

    @property
    def shared(self):
        """The symbol by which other objects of the library reach it, if that is not one of the interface."""
        return next((s for s in self.symbols if s.binding == STB_GLOBAL and not INTERFACE.match(s.name)), None)


class Object:
    """An object file: its sections, symbols and relocations. `data`: its bytes, if `path` only names it."""

    def __init__(self, path, data=None):
        data = open(path, "rb").read() if data is None else data
        if data[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<H", data, 18)[0] != 183:
            sys.exit(f"{path}: not an ELF object for AArch64, little-endian")
        self.path = path
        offset, = struct.unpack_from("<Q", data, 40)
        entry, count, names = struct.unpack_from("<HHH", data, 58)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * entry) for i in range(count)]
        strings = headers[names]
        text = data[strings[4] : strings[4] + strings[5]]
        self.sections = []
        for name, type, flags, _, at, size, _, _, align, _ in headers:
            content = b"" if type == SHT_NOBITS else data[at : at + size]
            self.sections.append(Section(self, name_at(text, name), type, flags, align, content, size))
        table = next(h for h in headers if h[1] == 2)
        names = data[headers[table[6]][4] : headers[table[6]][4] + headers[table[6]][5]]
        self.symbols = []
        for at in range(table[4], table[4] + table[5], 24):
            name, info, _, index, value, size = struct.unpack_from("<IBBHQQ", data, at)
            symbol = Symbol(name_at(names, name), info >> 4, info & 15, index, value, size)
            self.symbols.append(symbol)
            if 0 < index < 0xFF00 and symbol.name and not symbol.name.startswith("$"):
                self.sections[index].symbols.append(symbol)
        for type, flags, at, size, info in ((h[1], h[2], h[4], h[5], h[7]) for h in headers):
            if type == SHT_RELA:
                for i in range(at, at + size, 24):
                    where, what, addend = struct.unpack_from("<QQq", data, i)
                    symbol = self.symbols[what >> 32]
                    self.sections[info].relocations.append(Relocation(where, what & 0xFFFFFFFF, symbol, addend))


class Library:
    def __init__(self, objects):
        self.globals = {}
        for obj in objects:
            for symbol in obj.symbols:
                if symbol.binding == STB_GLOBAL and 0 < symbol.section < 0xFF00:
                    self.globals[symbol.name] = (obj.sections[symbol.section], symbol)
        self.public = {name for name in self.globals if INTERFACE.match(name)}

    def target(self, section, relocation):
        """Where a relocation points: (section or None, name, addend from the start of the section)."""
        symbol = relocation.symbol
        if 0 < symbol.section < 0xFF00:
            return section.obj.sections[symbol.section], symbol.name, symbol.value + relocation.addend
        if symbol.name in self.globals:
            found, definition = self.globals[symbol.name]
            return found, symbol.name, definition.value + relocation.addend
        return None, symbol.name, relocation.addend

    def closure(self, roots):
        found = []
        for name in sorted(roots):
            if self.globals[name][0] not in found:
                found.append(self.globals[name][0])
        for section in found:
            for relocation in section.relocations:
                other = self.target(section, relocation)[0]
                if other is not None and other not in found:
                    found.append(other)
        return found

    def assembly(self, roots):
        """Lines of assembly that define `roots` and what they reach."""
        sections = self.closure(roots)
        labels = {section: f".Lkai{i}" for i, section in enumerate(sections)}
        taken, lines = set(roots), []
        for section in sections:
            shared = section.shared
            mine = [s for s in section.symbols if s.name in roots]
            flags = "a" + "w" * bool(section.flags & SHF_WRITE) + "x" * bool(section.flags & SHF_EXECINSTR)
            kind = "%nobits" if section.type == SHT_NOBITS else "%progbits"
            name = ".text" if "x" in flags else ".bss" if section.type == SHT_NOBITS else ".data.rel.ro" if \
                section.name.startswith(".data.rel.ro") else ".data" if "w" in flags else ".rodata"
            if shared and not mine:
                lines.append(f'.section {name}.{shared.name},"{flags}G",{kind},{shared.name},comdat')
            else:
                own = mine[0].name if mine else "kai_part" + labels[section][5:]
                lines.append(f'.section {name}.{own},"{flags}",{kind}')
            lines += [f".balign {section.align}", f"{labels[section]}:"]
            for symbol in section.symbols:
                type = "%function" if symbol.type == STT_FUNC else "%object"
                if symbol.name in roots:
                    lines.append(f".globl {symbol.name}")
                elif shared and not mine and symbol.binding == STB_GLOBAL:
                    lines += [f".weak {symbol.name}", f".hidden {symbol.name}"]
                elif symbol.type != STT_FUNC or symbol.name in taken or symbol.name in self.public:
                    continue
                taken.add(symbol.name)
                lines += [f".type {symbol.name},{type}", f".set {symbol.name},{labels[section]}+{symbol.value}",
                          f".size {symbol.name},{symbol.size}"]
            lines += self.content(section, labels)
        return lines

    def content(self, section, labels):
        if section.type == SHT_NOBITS:
            return [f".zero {section.size}"]
        lines, at, words = [], 0, []
        relocations = {r.offset: r for r in section.relocations}
        executable = bool(section.flags & SHF_EXECINSTR)

        def flush():
            if words:
                lines.append((".inst " if executable else ".byte ") + ",".join(words))
                words.clear()

        while at < section.size:
            relocation = relocations.pop(at, None)
            if relocation is not None:
                flush()
                if relocation.type not in RELOCATIONS:
                    sys.exit(f"{section.obj.path}: relocation {relocation.type} is not known here")
                other, name, addend = self.target(section, relocation)
                shared = other.shared if other is not None and "kai_" in name else None
                if other is None:
                    place = name
                    if relocation.symbol.binding == STB_WEAK:
                        lines.append(f".weak {name}")
                elif shared and not name.startswith(".L"):
                    place, addend = shared.name, addend - shared.value
                else:
                    place = labels[other]
                lines.append(f".reloc .,{RELOCATIONS[relocation.type]},{place}" + (f"+{addend}" if addend else ""))
            step = 4 if executable else 1
            if executable:
                words.append(hex(struct.unpack_from("<I", section.data, at)[0]))
            else:
                words.append(str(section.data[at]))
            if len(words) == (8 if executable else 16):
                flush()
            at += step
        flush()
        if relocations:
            sys.exit(f"{section.obj.path}: {section.name}: a relocation inside an instruction")
        return lines


NOTE = "Generated by the target source_compat of libkleidiai from its compiled and tested objects. Do not edit.\n"


def c_source(name, lines):
    quoted = "\n".join('    "%s\\n"' % line.replace('"', '\\"') for line in lines)
    return f"""// {NOTE}//
// The functions of {name}.
//
// SPDX-License-Identifier: Apache-2.0
#if !defined(__aarch64__) || !defined(__ELF__) || defined(__AARCH64EB__)
#error "this file is for AArch64, little-endian, ELF: link libkleidiai on other systems"
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Woverlength-strings"
#endif

extern int kai_source_compat;  // not defined: a file of C has a declaration

__asm__(
    ".pushsection .text\\n"
{quoted}
    ".popsection\\n");
"""


def asm_source(what, lines):
    text = "".join(f"    {line}\n" for line in lines)
    return f"""// {NOTE}//
// {what}
//
// SPDX-License-Identifier: Apache-2.0
#if !defined(__aarch64__) || !defined(__ELF__) || defined(__AARCH64EB__)
#error "this file is for AArch64, little-endian, ELF: link libkleidiai on other systems"
#endif
{text}
    .section .note.GNU-stack, "", %progbits
    .section .note.gnu.property, "a", %note
    .p2align 3
    .long   4, 16, 5
    .asciz  "GNU"
    .long   0xc0000000, 4, 1, 0
    .text
"""


BAZEL_MODULE = """# Generated by the target source_compat of libkleidiai.
module(name = "KleidiAI", version = "VERSION")
bazel_dep(name = "rules_cc", version = "0.0.17")
"""
BAZEL_ROOT = """# Generated by the target source_compat of libkleidiai. No copts: the files need none.
load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "common",
    srcs = glob(["kai/*.S"]),
    hdrs = glob(["kai/**/*.h"]),
    includes = ["."],
)

cc_library(
    name = "dwconv",
    srcs = glob(["kai/ukernels/dwconv/**/*.c"]),
    deps = [":common"],
)
"""
BAZEL_MATMUL = """# Generated by the target source_compat of libkleidiai. No copts: the files need none.
load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "matmul",
    srcs = glob(["**/*.c"]),
    hdrs = glob(["**/*.h"]),
    deps = ["//:common"],
)
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser()
    for option in ("root", "objects", "names", "headers", "compat", "out"):
        parser.add_argument("--" + option, required=True)
    options = parser.parse_args()

    library = Library([Object(path) for path in open(options.objects).read().split()])
    shutil.rmtree(options.out, ignore_errors=True)
    shutil.copytree(os.path.join(options.compat, "kai"), os.path.join(options.out, "kai"))
    for header in open(options.headers).read().split():
        os.makedirs(os.path.dirname(os.path.join(options.out, header)), exist_ok=True)
        shutil.copy(os.path.join(options.root, header), os.path.join(options.out, header))
    shutil.copy(os.path.join(options.root, "LICENSE"), options.out)

    owned, count = set(), 0
    for line in open(options.names).read().split():
        folder, name = os.path.split(line)
        roots = {s for s in library.public if re.fullmatch(r"kai_(run|get(_[a-z0-9]+)+?)_" + name, s)}
        if not roots:  # an instruction set that this toolchain leaves out
            continue
        if roots & owned:
            sys.exit(f"{name}: {sorted(roots & owned)} is in another file, too")
        owned |= roots
        count += 1
        write(f"{options.out}/{folder}/kai_{name}.c", c_source(name, library.assembly(roots)))
        write(f"{options.out}/{folder}/kai_{name}_asm.S", asm_source(f"Nothing: kai_{name}.c has all of it.", []))

    # The functions of kai_common.h; and those of the unified API, of gathering, unpacking and appending rows, which
    # have no header of their own.
    common = {"sme": {"kai_get_sme_vector_length_u8", "kai_commit_za"}, "sve": {"kai_get_sve_vector_length_u8"}}
    for isa, roots in common.items():
        owned |= roots
        source = asm_source(f"kai_common.h: {isa.upper()}.", library.assembly(roots))
        write(f"{options.out}/kai/kai_common_{isa}_asm.S", source)
    for name in sorted(library.public - owned):
        if re.match(r"kai_(matmul|lhs|rhs)_|kai_get_(matmul|lhs|rhs)_", name):
            owned.add(name)
            write(f"{options.out}/kai/ukernels/matmul/{name}.c", c_source(name[4:], library.assembly({name})))
        elif re.match(r"kai_run_(rhs_(unpack|append)_|lhs_\w+_rows$)", name):
            owned.add(name)
            write(f"{options.out}/kai/ukernels/matmul/pack/kai_{name[8:]}.c",
                  c_source(name[8:], library.assembly({name})))
    left = sorted(n for n in library.public - owned if not re.match(r"kai_(call|cpu|registry)_", n))
    if left:
        sys.exit(f"in no file: {left}")

    version = re.search(r'KAI_INTERFACE_VERSION "([0-9.]+)"', open(f"{options.root}/kai/kai_common.h").read()).group(1)
    write(f"{options.out}/MODULE.bazel", BAZEL_MODULE.replace("VERSION", version))
    write(f"{options.out}/BUILD.bazel", BAZEL_ROOT)
    write(f"{options.out}/kai/ukernels/matmul/BUILD.bazel", BAZEL_MATMUL)
    print(f"{count} micro-kernels and packers in {options.out}")


if __name__ == "__main__":
    main()
