#!/usr/bin/env python3
"""Where a micro-kernel or a packer is, or its machine code: where.py {where|asm} BUILD NAME [OBJDUMP]

where: the catalogue line, the declaration, and file by file the functions that kai_run_NAME reaches.
asm:   those functions, disassembled: the assembly of one kernel with all macros and hooks expanded.

NAME is the name in the catalogue, also with kai_run_ or kai_get_<what>_ in front; a part of it will do if
only one has it. BUILD has objects for AArch64 (ELF). What functions reach is taken from the relocations of those
objects: calls and tables alike.

SPDX-License-Identifier: Apache-2.0
"""
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from source_compat import Library, Object

ROOT = Path(__file__).resolve().parent.parent


def lines_with(pattern, files):
    """file:line of each line that matches."""
    for path in sorted(files):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(pattern, line):
                yield f"{path.relative_to(ROOT)}:{number}"


def names_of_catalogues():
    """name: file:line"""
    found = {}
    for path in sorted(ROOT.glob("kai/ukernels/**/*.def")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := re.match(r"KAI_\w+\((?:[A-Z0-9_]+, *)?\w+, *(\w+),", line):
                found[match[1]] = f"{path.relative_to(ROOT)}:{number}"
    return found


def choose(text, names):
    text = re.sub("^kai_(run_)?", "", text)
    fitting = [text] if text in names else [name for name in names
                                                  if text in name or text.endswith("_" + name)]
    if len(fitting) != 1:
        sys.exit("no micro-kernel and no packer has this name" if not fitting else
                 "several have this name:\n  " + "\n  ".join(fitting))
    return fitting[0]


def source_of(obj):
    return re.sub(r"^.*?\.dir/(.+)\.(o|obj)$", r"\1", str(obj))


def includes_of(source):
    """Files of the engines that it includes, directly or not, without the C++ headers that all of them include."""
    found, todo = [], [source]
    while todo:
        for name in re.findall(r'#include "(kai/engines/[^"]+)"', (ROOT / todo.pop()).read_text()):
            if name not in found and not name.startswith("kai/engines/core/") and not name.endswith("/asm.h"):
                found.append(name)
                todo.append(name)
    return sorted(found)


def functions(section):
    return [readable(s.name) for s in section.symbols if s.type == 2] or [section.name]


def readable(name):
    """Without the mangling of C++, where the machine has a tool for that."""
    tool = shutil.which("c++filt") or shutil.which("llvm-cxxfilt")
    if not name.startswith("_Z") or tool is None:
        return name
    plain = subprocess.run([tool, name], capture_output=True, text=True).stdout.strip()
    return plain.split("(anonymous namespace)::", 1)[-1]


def with_symbol(code, symbol):
    """An instruction whose operand the linker fills in."""
    mnemonic = code.split()[0]
    if mnemonic in ("b", "bl", "adrp"):
        return re.sub(r"\S+( <.*>)?$", symbol, code) if mnemonic != "adrp" else re.sub(r",.*", ", " + symbol, code)
    return re.sub(r"(, #0x0)?(\]?)$", rf", :lo12:{symbol}\2", code, count=1)


def disassembly(objdump, section):
    """Lines of a section, with labels for branches and names of what the linker fills in."""
    command = [*objdump, "-dr", "--no-show-raw-insn", "--mattr=+all", "--demangle", "--section=" + section.name]
    text = subprocess.run([*command, str(section.obj.path)], check=True, capture_output=True, text=True).stdout
    lines = []
    for line in text.splitlines():
        if match := re.match(r"\s*[0-9a-f]+:\s+R_AARCH64_\w+\s+(\S.*)", line):
            lines[-1][1] = with_symbol(lines[-1][1], match[1])
        elif match := re.match(r"\s*([0-9a-f]+):\s+(\S.*)", line):
            lines.append([match[1], match[2].expandtabs(8)])
        elif match := re.match(r"[0-9a-f]+ <(.+)>:", line):
            lines.append([None, match[1]])
    branch = re.compile(r"0x([0-9a-f]+) <.*>$")
    labels = {found[1] for _, code in lines if (found := branch.search(code))}
    for at, code in lines:
        if at is None:
            yield f"\n{code}:"
            continue
        if at in labels:
            yield f".L{at}:"
        yield "    " + branch.sub(r".L\1", code)


def main():
    command, build, text, *objdump = sys.argv[1:]
    names = names_of_catalogues()
    name = choose(text, names)
    objects = [Object(path) for path in sorted(Path(build).glob("CMakeFiles/kleidiai.dir/kai/**/*.o"))
               if (ROOT / source_of(path)).exists()]
    if not objects:
        sys.exit(f"{build} has no objects of the library")
    library = Library(objects)
    root = next((f for f in ("kai_run_" + name, "kai_" + name) if f in library.globals), None)
    if root is None:
        sys.exit(f"{name} is not in this build")
    files = {}  # sections with code by object, kai_run_<name> first
    for section in library.closure([root]):
        if section.flags & 4:
            files.setdefault(section.obj.path, []).append(section)

    if command == "asm":
        for path, sections in files.items():
            if not source_of(path).startswith("kai/engines/"):
                continue  # messages, CPU features
            print(f"\n// {source_of(path)}")
            for section in sections:
                print("\n".join(disassembly(objdump, section)))
        return
    print(f"catalogue    {names[name]}")
    for place in lines_with(rf"\b{root}\b", ROOT.glob("kai/ukernels/**/*.h")):
        print(f"declaration  {place}")
    for path, sections in files.items():
        source = source_of(path)
        print(f"\n{source}")
        for section in sections:
            for function in functions(section):
                print(f"    {function}")
        for included in includes_of(source):
            print(f"    includes {included}")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends the program
    main()
