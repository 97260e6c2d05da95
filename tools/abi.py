#!/usr/bin/env python3
"""Compares the binary interface with that of the last release: abi.py check | update | join

  check   what changed since the last release, and whether the version number says so. Needs abidiff (Debian's
          abigail-tools) and a C compiler (CC, gcc)
  update  makes test/abi/VERSION.abi of this tree, and removes the one before
  join    prints it

The baseline is test/abi/VERSION.abi: all public headers of that release as one, without comments. Its types and
functions and those of this tree are compiled into an object each, one pointer per function, and abidiff compares these:
all structures, enumerators and signatures that a function can reach. (That a shared library exports what the headers
declare is the test kleidiai_package.) What may grow within a major version stands in test/abi/may_grow.abignore. A
member that takes reserved room (docs/versioning.md) is new and changes nothing.

SPDX-License-Identifier: Apache-2.0
"""
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
ABI = ROOT / "test/abi"


def library_version():
    return re.search(r'#define KAI_LIBRARY_VERSION "([\d.]+)"', (ROOT / "kai/kai_common.h").read_text())[1]


def number(version):
    return tuple(map(int, version.split(".")))


def is_released(version):
    return re.search(rf"^## {re.escape(version)} ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE) is not None


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    lines = [re.sub(r"(?<!:)//.*", "", line).strip() for line in text.splitlines()]
    return [re.sub(r" {2,}", " ", line) for line in lines if line]


def joined():
    """All public headers in the order of their #includes; catalogues where they are included."""
    seen, lines = set(), []

    def add(name):
        if name.endswith(".h"):
            if name in seen:
                return
            seen.add(name)
        for line in without_comments((ROOT / name).read_text()):
            included = re.match(r'#include "(kai/[^"]+)"', line)
            if included:
                add(included[1])
            elif line != "#pragma once":
                lines.append(line)

    for pattern in ("kai/*.h", "kai/gemm/*.h", "kai/ukernels/**/*.h"):
        for path in sorted(ROOT.glob(pattern)):
            add(str(path.relative_to(ROOT)))
    return "\n".join(lines) + "\n"


def functions(compiler, header):
    """The functions that a header declares and does not define."""
    text = subprocess.run([*compiler, "-E", "-P", "-x", "c", "-"], input=header, text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    text = re.sub(r"^#.*|__extension__", "", text, flags=re.MULTILINE)
    for nested in (r"\{[^{}]*\}", r"__attribute__ *\(\((?:[^()]|\([^()]*\))*\)\)"):
        count = 1
        while count:
            text, count = re.subn(nested, "\x01" if nested[1] == "{" else " ", text)
    found = set()
    # A body ends a statement as a semicolon does, unless it is that of a type.
    for statement in re.split(r";|\)\s*\x01", text):
        words = statement.split()
        if not words or words[0] == "typedef" or "inline" in words:
            continue
        name = re.search(r"\b(kai_\w+)\s*\(", statement) or re.fullmatch(r"\s*kai_\w+_fn\s+(kai_\w+)\s*", statement)
        if name:
            found.add(name[1])
    return sorted(found)


WORK = tempfile.TemporaryDirectory()


@functools.lru_cache(maxsize=2)  # abi_test.py compares one interface with many
def compiled(compiler, header):
    """A library with this interface, and the names of its functions."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=WORK.name))
    names = functions(compiler, header)
    if len(names) < 1000:
        sys.exit(f"abi.py: found {len(names)} functions only")
    source = folder / "interface.c"
    source.write_text(header + "".join(f"__typeof__({name})* the_{name};\n" for name in names))
    library = folder / "interface.so"
    subprocess.run([*compiler, "-std=gnu99", "-g", "-w", "-shared", "-fPIC", source, "-o", library], check=True)
    return library, set(names)


def structures(header):
    """The members of each structure that has reserved room, before it, and the words of it."""
    found = re.findall(r"^struct (\w+) \{\n([^{}]*)uint64_t reserved\[(\d+)\];\n\};", header, re.MULTILINE)
    return {name: (members, int(words)) for name, members, words in found}


def sizes(compiler, header, names):
    with tempfile.TemporaryDirectory() as folder:
        objects = pathlib.Path(folder) / "sizes.o"
        source = header + "".join(f"char size_of_{name}[sizeof(struct {name})];\n" for name in names)
        subprocess.run([*compiler, "-std=gnu99", "-w", "-fno-common", "-c", "-x", "c", "-", "-o", objects],
                       input=source, text=True, check=True)
        listed = subprocess.run(["nm", "-S", objects], text=True, check=True, stdout=subprocess.PIPE).stdout
    return {name: int(size, 16) for size, name in re.findall(r"(\w+) \w size_of_(\w+)$", listed, re.MULTILINE)}


def with_new_types(old, new, name, members):
    """The old interface with the types, before structure `name`, that these members of it need: structures that they
    have as values, and those of functions."""
    for kind in re.findall(r"^\s*(?:const )?struct (\w+) \w", members, re.MULTILINE):
        definition = re.search(rf"^struct {kind} {{\n([^{{}}]*)\n}};\n", new, re.MULTILINE)
        if definition and f"struct {kind} {{" not in old:
            old = with_new_types(old, new, name, definition[1])
            old = old.replace(f"struct {name} {{\n", f"{definition[0]}struct {name} {{\n", 1)
    for kind in re.findall(r"^\s*(kai_\w+_fn)\* \w", members, re.MULTILINE):
        definition = re.search(rf"^typedef [^;]*\b{kind}\([^;]*\);\n", new, re.MULTILINE)
        if definition and not re.search(rf"\b{kind}\(", old):
            old = old.replace(f"struct {name} {{\n", f"{definition[0]}struct {name} {{\n", 1)
    return old


def with_room_taken(old, new, compiler):
    """The old interface with the members that take reserved room in the new one, and what these are."""
    was, now = structures(old), structures(new)
    grown = [name for name in was if name in now and now[name][1] < was[name][1] and
             now[name][0].startswith(was[name][0])]
    if not grown:
        return old, []
    old_sizes, new_sizes, taken = sizes(compiler, old, grown), sizes(compiler, new, grown), []
    for name in grown:
        if old_sizes[name] == new_sizes[name]:
            old = with_new_types(old, new, name, now[name][0][len(was[name][0]):])
            room = [f"{members}uint64_t reserved[{words}];" for members, words in (was[name], now[name])]
            old = old.replace(f"struct {name} {{\n{room[0]}", f"struct {name} {{\n{room[1]}")
            taken += [f"{name}: {line}" for line in now[name][0][len(was[name][0]):].splitlines()]
    return old, taken


def compare(old, new, compiler):
    """(what is gone or has changed, what is new, the report)"""
    old, taken = with_room_taken(old, new, compiler)
    (was, old_names), (now, new_names) = (compiled(tuple(compiler), header) for header in (old, new))
    done = subprocess.run(["abidiff", "--no-show-locs", "--suppressions", ABI / "may_grow.abignore", was, now],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode & 3:
        sys.exit(f"abidiff: {done.stdout}")
    summary = re.search(r"^Variables changes summary: (\d+) Removed, (\d+) Changed", done.stdout, re.MULTILINE)
    changed = sorted(old_names - new_names)
    if summary and int(summary[2]):
        changed.append(f"{summary[2]} functions through their types")
    if bool(summary and int(summary[1])) != bool(old_names - new_names):
        sys.exit(f"abi.py and abidiff do not agree about what is gone:\n{done.stdout}")
    return changed, taken + sorted(new_names - old_names), done.stdout


def verdict(before, released, now, changed, added):
    """A complaint if version `now` may not differ from version `before` in this way, or None."""
    if before == now and not released:
        return "if that is meant, run ./kai.sh abi update: this version is not released yet" if changed else None
    if changed and number(now)[0] <= number(before)[0]:
        return f"incompatible with {before}: the next release is {number(before)[0] + 1}.0.0"
    if added and number(now)[:2] <= number(before)[:2]:
        return f"more than {before} has: the next release is {number(before)[0]}.{number(before)[1] + 1}.0"
    return None


def check(compiler):
    baselines = list(ABI.glob("*.abi"))
    if len(baselines) != 1:
        sys.exit(f"abi.py: {len(baselines)} baselines in {ABI}")
    before, now = baselines[0].stem, library_version()
    changed, added, report = compare(baselines[0].read_text(), joined(), compiler)
    if changed or added:
        print(report)
    for name in added:
        print("new:", name)
    for name in changed:
        print("gone or changed:", name)
    complaint = verdict(before, is_released(before), now, changed, added)
    print(f"version {now}, compared with {before}: {len(changed)} gone or changed, {len(added)} new")
    return complaint


def update():
    if is_released(library_version()):
        sys.exit(f"abi.py: {library_version()} is released, its interface is what it is")
    for path in ABI.glob("*.abi"):
        path.unlink()
    (ABI / f"{library_version()}.abi").write_text(joined())


def main():
    compiler = os.environ.get("CC", "gcc").split()
    command = sys.argv[1] if len(sys.argv) == 2 else ""
    if command == "check":
        sys.exit(check(compiler))
    elif command == "update":
        update()
    elif command == "join":
        sys.stdout.write(joined())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
