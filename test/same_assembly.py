#!/usr/bin/env python3
"""What compilers made of the .S files: the same code and constants in each library, member by member.

    same_assembly.py A.a B.a ...

Reads the archives itself: a dump of all bytes of a library with debugging information takes seconds.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import struct
import sys


def members(path):
    """(name, bytes) of each file in an archive of System V."""
    data = pathlib.Path(path).read_bytes()
    if data[:8] != b"!<arch>\n":
        sys.exit(f"{path} is no archive")
    names, at = b"", 8
    while at + 60 <= len(data):
        name, size = data[at:at + 16].rstrip(), int(data[at + 48:at + 58])
        content = data[at + 60:at + 60 + size]
        if name == b"//":
            names = content
        elif name[:1] == b"/" and name[1:].isdigit():
            start = int(name[1:])
            yield names[start:names.index(b"/\n", start)].decode(), content
        elif name not in (b"/", b"/SYM64/"):
            yield name.rstrip(b"/").decode(), content
        at += 60 + size + size % 2


def code(elf):
    """Name and bytes of each section of code or constants of an ELF64 object, little endian."""
    if elf[:6] != b"\x7fELF\x02\x01":
        sys.exit("a member is no ELF64 object")
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    start = sections[names][4]
    found = []
    for name, _, _, _, offset, length in sections:
        text = elf[start + name:elf.index(b"\0", start + name)]
        if length > 0 and text.startswith((b".text", b".rodata", b".data")):
            found.append((text, elf[offset:offset + length]))
    return found


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    expected, wrong = None, []
    for library in sys.argv[1:]:
        objects = [(name, code(content)) for name, content in members(library) if name.endswith(".S.o")]
        wrong += [f"{name} has no code, {library}" for name, sections in objects
                  if not any(section.startswith(b".text") for section, _ in sections)]
        if expected is None:
            expected = objects
        elif len(objects) != len(expected):
            wrong.append(f"{len(objects)} members, not {len(expected)}: {library}")
        else:
            wrong += [f"{there[0]} differs from {here[0]}, {library}" for here, there in zip(expected, objects)
                      if here != there]
    if wrong or not expected:
        sys.exit("\n  ".join([f"{len(expected)} members", *wrong]))
    print(f"{len(expected)} objects of assembly, the same in: {', '.join(sys.argv[1:])}")


if __name__ == "__main__":
    main()
