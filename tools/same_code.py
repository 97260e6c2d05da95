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

SHT_SYMTAB, SHT_RELA, SHT_NOBITS = 2, 4, 8
STT_FUNC, STT_SECTION = 2, 3
EXECUTABLE = 4


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


class Elf:
    """Sections, symbols and relocations of a relocatable AArch64 object."""

    def __init__(self, name, data):
        if data[:4] != b"\x7fELF" or data[4] != 2 or struct.unpack_from("<H", data, 18)[0] != 183:
            raise SystemExit(f"{name}: not an AArch64 ELF object")
        offset, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
        self.bytes = [b"" if h[1] == SHT_NOBITS else data[h[4]:h[4] + h[5]] for h in headers]
        self.names = [text(self.bytes[names], h[0]) for h in headers]
        self.executable = [bool(h[2] & EXECUTABLE) for h in headers]
        self.symbols = []  # (name, type, section, value, size)
        self.relocations = collections.defaultdict(list)  # section -> (offset, type, symbol, addend)
        for number, h in enumerate(headers):
            if h[1] == SHT_SYMTAB:
                for at in range(0, h[5], 24):
                    name, info, _, section, value, length = struct.unpack_from("<IBBHQQ", self.bytes[number], at)
                    self.symbols.append((text(self.bytes[h[6]], name), info & 15, section, value, length))
        for number, h in enumerate(headers):
            if h[1] == SHT_RELA:
                for at in range(0, h[5], 24):
                    where, info, addend = struct.unpack_from("<QQq", self.bytes[number], at)
                    self.relocations[h[7]].append((where, info & 0xFFFFFFFF, info >> 32, addend))
        self.functions = sorted((s[2], s[3], s[4], s[0]) for s in self.symbols
                                if s[1] == STT_FUNC and s[2] < count and self.executable[s[2]])

    def place(self, section, at):
        """What is at a byte of a section: a function and the offset in it, or the data there."""
        for number, start, size, name in self.functions:
            if number == section and start <= at < start + max(size, 4):
                return f"{name}+{at - start}"
        if self.executable[section]:
            return f"{self.names[section]}+{at}"
        kind = self.names[section].split(".")[1] if self.names[section].startswith(".") else self.names[section]
        return f"{kind} {self.bytes[section][at:at + 64].hex()}"

    def reached(self, symbol, addend):
        name, kind, section, value, _ = self.symbols[symbol]
        if kind == STT_SECTION or (section and section < len(self.bytes) and name.startswith((".L", "$"))):
            return self.place(section, value + addend)
        if section and section < len(self.bytes) and not self.executable[section]:
            return self.place(section, value + addend)
        return f"{name}+{addend}"

    def code(self, section, start, size):
        """The words of a function, each with what it refers to outside of it."""
        refers = collections.defaultdict(list)
        for where, kind, symbol, addend in self.relocations[section]:
            if start <= where < start + size:
                refers[where].append((kind, self.reached(symbol, addend)))
        words = []
        for at in range(start, start + size, 4):
            word, = struct.unpack_from("<I", self.bytes[section], at)
            if at in refers:
                words.append((word, tuple(refers[at])))
                continue
            target = branch_target(word, at)
            if target is not None and not start <= target < start + size:
                words.append(("branch", self.place(section, target)))
            else:
                words.append(word)
        return tuple(words)


def text(table, at):
    return table[at:table.index(b"\0", at)].decode()


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
        elf = Elf(name, data)
        for section, start, size, function in elf.functions:
            if size:
                found[function].append(elf.code(section, start, size))
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
