#!/usr/bin/env python3
"""Where a micro-kernel or a packer is, or its machine code.

where.py where NAME [OPTIONS]    the catalogue line, the declaration, file by file the functions that it runs, and how
                                 much there is to read apart from core and asm.h, which all share: from tools/where.txt
                                 and the sources, without a build
    --without WORD...            leaves out files that have one of these words in their names and what only they include
where.py limits                  fails if of any of them there is more to read than tools/path_limits.txt allows
where.py asm BUILD NAME OBJDUMP  those functions, disassembled: the assembly of one kernel, macros and hooks expanded
where.py index BUILD             prints tools/where.txt; --check: fails if the file says something else

NAME is the name in the catalogue, also with kai_run_ or kai_get_<what>_ in front; a part of it will do if
only one has it. BUILD has objects for AArch64 (ELF). What functions reach is taken from the relocations of those
objects: calls and tables alike.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import functools
import re
import signal
import subprocess
import sys
from pathlib import Path

from source_compat import Library, Object

ROOT = Path(__file__).resolve().parent.parent
INDEX = ROOT / "tools/where.txt"
LIMITS = ROOT / "tools/path_limits.txt"


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
            if match := re.match(r"KAI_(?!PREFER)\w+\((?:[A-Z0-9_]+, *)?\w+, *(\w+),", line):
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


@functools.lru_cache(maxsize=None)
def lines_and_includes(path):
    """Its number of lines, and the files of the engines that it includes itself."""
    text = (ROOT / path).read_text()
    return len(text.splitlines()), re.findall(r'#include "(kai/engines/[^"]+)"', text)


def includes_of(source, left_out):
    """Files of the engines that it includes, directly or not, without the headers that all of them include."""
    found, todo = [], [source]
    while todo:
        for name in lines_and_includes(todo.pop())[1]:
            shared = name.startswith("kai/engines/core/") or name.endswith("/asm.h")
            if name not in found and not shared and not left_out(name):
                found.append(name)
                todo.append(name)
    return sorted(found)


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


def reached_from(build):
    """A function: name of the catalogue -> its sections with code, kai_run_<name> first; None if it is not there."""
    objects = [Object(path) for path in sorted(Path(build).glob("CMakeFiles/kleidiai.dir/kai/**/*.o"))
               if (ROOT / source_of(path)).exists()]
    if not objects:
        sys.exit(f"{build} has no objects of the library")
    library = Library(objects)

    def reached(name):
        root = next((f for f in ("kai_run_" + name, "kai_" + name) if f in library.globals), None)
        return None if root is None else [s for s in library.closure([root]) if s.flags & 4]

    return reached


def by_source(sections):
    """Sections by source file of the engines (elsewhere are messages and CPU features), in order."""
    found = {}
    for section in sections:
        if source_of(section.obj.path).startswith("kai/engines/"):
            found.setdefault(source_of(section.obj.path), []).append(section)
    return found


def index_of(build):
    """Lines of tools/where.txt: a name, below it the source files, below assembly its functions."""
    reached = reached_from(build)
    for name in sorted(names_of_catalogues()):
        sections = reached(name)
        if sections is None:
            sys.exit(f"{name} is not in this build")
        yield name
        for source, of_source in by_source(sections).items():
            yield "  " + source
            if source.endswith(".S"):
                yield from ("    " + s.name for section in of_source for s in section.symbols if s.type == 2)


def indexed():
    """name: [(source file, functions)], from tools/where.txt."""
    found = {}
    for line in INDEX.read_text().splitlines():
        if not line.startswith(" "):
            sources = found[line] = []
        elif line.startswith("    "):
            sources[-1][1].append(line.strip())
        else:
            sources.append((line.strip(), []))
    return found


def named_one_of(words):
    """Whether the name of a file has one of the words."""
    return lambda path: any(word in path.rpartition("/")[2] for word in words)


def to_read(sources, left_out):
    """The files of a path and the sum of their lines, without core and asm.h."""
    files = set()
    for source in sources:
        if not left_out(source):
            included = includes_of(source, left_out)
            files.update(included if source.startswith("kai/engines/core/") else [source, *included])
    return files, sum(lines_and_includes(path)[0] for path in files)


def line_of(source, *names):
    """:line of the first line of code that has one of the names; nothing where macros put them together."""
    for number, line in enumerate((ROOT / source).read_text().splitlines(), 1):
        if any(re.search(rf"\b{name}\b", line.split("//")[0]) for name in names):
            return f":{number}"
    return ""


def where(arguments):
    parser = argparse.ArgumentParser(prog="where.py where")
    parser.add_argument("name")
    parser.add_argument("--without", nargs="+", default=[])
    options = parser.parse_args(arguments)
    left_out = named_one_of(options.without)
    names = names_of_catalogues()
    name = choose(options.name, names)
    print(f"catalogue    {names[name]}")
    for place in lines_with(rf"\bkai_(run_)?{name}\b", ROOT.glob("kai/ukernels/**/*.h")):
        print(f"declaration  {place}")
    sources = indexed().get(name)
    if not sources:
        sys.exit(f"{INDEX.relative_to(ROOT)} does not have {name}: build for AArch64, then update_where")
    for source, labels in sources:
        if left_out(source):
            continue
        print(f"\n{source}" + ("" if labels else line_of(source, name, "kai_run_" + name, "kai_" + name)))
        for label in labels:
            print(f"    {label}{line_of(source, label, label.replace('kai_kernel_', ''))}")
        for path in includes_of(source, left_out):
            print(f"    includes {path}")
    files, lines = to_read([source for source, _ in sources], left_out)
    print(f"\n{len(files)} files, {lines:,} lines")


def limits():
    """Compares all paths with tools/path_limits.txt, which says how to read it."""
    rules = {"most": [], "call": [], "beyond": []}
    for line in re.sub(r"\n +", " ", LIMITS.read_text()).splitlines():
        if line and not line.startswith("#"):
            word, fields = line.split(None, 1)
            rules[word].append(re.split(r"\s+\|\s+", fields))
    most_files, most_lines = map(int, rules["most"][0][0].split())
    used, paths, wrong = set(), 0, 0
    for name, sources in indexed().items():
        calls = [(kind, words.split()) for names, kind, words in rules["call"] if re.search(names, name)]
        for kind, words in calls or [("all", [])]:
            files, lines = to_read([source for source, _ in sources], named_one_of(words))
            bounds = (most_files, most_lines)
            if len(files) > most_files or lines > most_lines:
                for names, of_kind, beyond, _ in rules["beyond"]:
                    if re.search(names, name) and of_kind == kind:
                        bounds = tuple(map(int, beyond.split()))
                        used.add(names)
                        break
            paths += 1
            if not files or len(files) > bounds[0] or lines > bounds[1]:
                wrong += 1
                print(f"{name}, {kind}: {len(files)} files, {lines:,} lines; at most {bounds[0]}, {bounds[1]:,}")
    for names, kind, *_ in rules["beyond"]:
        if names not in used:
            print(f"no longer beyond the limits: {names}, {kind}")
    print(f"{paths} paths, {wrong} beyond their limits")
    sys.exit(1 if wrong else 0)


def asm(build, text, objdump):
    name = choose(text, names_of_catalogues())
    sections = reached_from(build)(name)
    if sections is None:
        sys.exit(f"{name} is not in this build")
    for source, of_source in by_source(sections).items():
        print(f"\n// {source}")
        for section in of_source:
            print("\n".join(disassembly(objdump, section)))


def main():
    command, *rest = sys.argv[1:]
    if command == "where" and rest:
        where(rest)
    elif command == "limits" and not rest:
        limits()
    elif command == "asm" and len(rest) >= 3:
        asm(rest[0], rest[1], rest[2:])
    elif command == "index" and rest[1:] in ([], ["--check"]):
        lines = "".join(line + "\n" for line in index_of(rest[0]))
        if not rest[1:]:
            print(lines, end="")
        elif lines != INDEX.read_text():
            sys.exit("tools/where.txt is out of date: build the target update_where and commit the file")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends the program
    main()
