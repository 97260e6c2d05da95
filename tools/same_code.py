#!/usr/bin/env python3
"""Compares the machine code of two builds, function by function: same_code.py OLD NEW

OLD and NEW are AArch64 ELF objects or static libraries of them (libkleidiai.a). A function is its bytes with their
relocations; branches and addresses that leave it name what they reach, so that it may move. What is printed:

    changed NAME  instructions before -> after
    gone NAME, new NAME

The status is 0 if there is nothing to print. Functions are found by name, in whatever object they are. Data are
compared where a function refers to them: the first 64 bytes.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import struct
import sys

from source_compat import SHF_EXECINSTR, STT_FUNC, Object

STT_SECTION = 3


def members(path):
    """Yields (name, bytes) of the objects of an archive, or of the one object that the file is."""
    with open(path, "rb") as file:
        data = file.read()
    if not data.startswith(b"!<arch>\n"):
        yield path, data
        return
    at, long_names = 8, b""
    while at < len(data):
        header = data[at:at + 60]
        name, size = header[:16].decode().strip(), int(header[48:58])
        body = data[at + 60:at + 60 + size]
        at += 60 + size + size % 2
        if name == "//":
            long_names = body
        elif name != "/" and name != "/SYM64/":
            if name.startswith("/"):
                start = int(name[1:])
                name = long_names[start:long_names.index(b"/\n", start)].decode()
            yield name.rstrip("/"), body


class Code:
    """The functions of an object: (section, start, size, name)."""

    def __init__(self, obj):
        self.sections = obj.sections
        self.functions = [(s.section, s.value, s.size, s.name) for s in obj.symbols
                          if s.type == STT_FUNC and 0 < s.section < len(obj.sections) and self.executable(s.section)]

    def executable(self, section):
        return bool(self.sections[section].flags & SHF_EXECINSTR)

    def place(self, section, at):
        """What is at a byte of a section: a function and the offset in it, or the data there."""
        for number, start, size, name in self.functions:
            if number == section and start <= at < start + max(size, 4):
                return f"{name}+{at - start}"
        name = self.sections[section].name
        if self.executable(section):
            return f"{name}+{at}"
        kind = name.split(".")[1] if name.startswith(".") else name
        return f"{kind} {self.sections[section].data[at:at + 64].hex()}"

    def reached(self, symbol, addend):
        if 0 < symbol.section < len(self.sections):
            local = symbol.type == STT_SECTION or symbol.name.startswith((".L", "$"))
            if local or not self.executable(symbol.section):
                return self.place(symbol.section, symbol.value + addend)
        return f"{symbol.name}+{addend}"

    def words(self, section, start, size):
        """The words of a function, each with what it refers to outside of it."""
        refers = collections.defaultdict(list)
        for where, kind, symbol, addend in self.sections[section].relocations:
            if start <= where < start + size:
                refers[where].append((kind, self.reached(symbol, addend)))
        words = []
        for at in range(start, start + size, 4):
            word, = struct.unpack_from("<I", self.sections[section].data, at)
            if at in refers:
                words.append((word, tuple(refers[at])))
                continue
            target = branch_target(word, at)
            if target is not None and not start <= target < start + size:
                words.append(("branch", self.place(section, target)))
            else:
                words.append(word)
        return tuple(words)


def branch_target(word, at):
    """Where a branch, ADR or literal load that the assembler resolved leads, or None."""
    def signed(value, bits):
        return value - (1 << bits) if value >> (bits - 1) else value

    if word & 0x7C000000 == 0x14000000:  # B, BL
        return at + 4 * signed(word & 0x3FFFFFF, 26)
    if word & 0xFF000000 == 0x54000000 or word & 0x7E000000 == 0x34000000:  # B.cond, CBZ, CBNZ
        return at + 4 * signed(word >> 5 & 0x7FFFF, 19)
    if word & 0x7E000000 == 0x36000000:  # TBZ, TBNZ
        return at + 4 * signed(word >> 5 & 0x3FFF, 14)
    if word & 0x3B000000 == 0x18000000:  # LDR (literal)
        return at + 4 * signed(word >> 5 & 0x7FFFF, 19)
    if word & 0x9F000000 == 0x10000000:  # ADR
        return at + signed((word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3, 21)
    return None


def functions(path):
    """name -> sorted list of the codes that functions of this name have (local ones may share a name)."""
    found = collections.defaultdict(list)
    for name, data in members(path):
        code = Code(Object(name, data))
        for section, start, size, function in code.functions:
            if size:
                found[function].append(code.words(section, start, size))
    if not found:
        raise SystemExit(f"{path}: no function")
    return {name: sorted(codes, key=repr) for name, codes in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    arguments = parser.parse_args()
    old, new = functions(arguments.old), functions(arguments.new)
    differences = 0
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            print("gone", name)
        elif name not in old:
            print("new", name)
        elif old[name] != new[name]:
            before, after = (", ".join(str(len(code)) for code in codes) for codes in (old[name], new[name]))
            print("changed", name, f" {before} -> {after}")
        else:
            continue
        differences += 1
    print(f"{len(old)} functions, {differences} differ", file=sys.stderr)
    return differences > 0


if __name__ == "__main__":
    sys.exit(main())
