#!/usr/bin/env python3
"""Bazel builds what CMake builds: the same files, with the same flags and definitions.

    bazel_test.py --root REPOSITORY --build DIR

BUILD.bazel and packaging/bazel/*.bzl are Starlark, a subset of Python: they are executed here, with cc_library, glob,
select and the repository rules of this file, and compared with DIR/compile_commands.json. Needs no Bazel.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import pathlib
import re
import shlex
import sys

FOR_GCC = r"/portable/|kai/attention/(block_portable|cache)\.cpp"  # CMake has -O3 for GCC alone, to vectorise


class Select:
    """A value that depends on the target: alternatives, each added to what is common."""

    def __init__(self, parts):
        self.parts = parts

    def __add__(self, other):
        return Select(self.parts + (other.parts if isinstance(other, Select) else [other]))

    def __radd__(self, other):
        return Select([other] + self.parts)


def resolve(value, settings):
    if not isinstance(value, Select):
        return value
    found = []
    for part in value.parts:
        if isinstance(part, dict):
            found += next((v for key, v in part.items() if key.lstrip("/:") in settings),
                          part["//conditions:default"])
        else:
            found += part
    return found


class Native:
    def __init__(self, root):
        self.root = root

    def glob(self, patterns):
        return sorted({str(p.relative_to(self.root)) for pattern in patterns for p in self.root.glob(pattern)})

    def exports_files(self, files):
        assert all((self.root / name).exists() for name in files)


class Repository:
    """What a repository rule gets: it reads files of the root package and writes those of its repository."""

    def __init__(self, root, attributes):
        self.root = root
        self.attr = type("Attributes", (), attributes)
        self.files = {}

    def read(self, label):
        return (self.root / label.split(":")[1]).read_text()

    def file(self, path, content):
        self.files[path] = content


def repositories(root):
    """The files of the repositories that MODULE.bazel makes: @repository//:path -> text."""
    found = {}

    def repository_rule(implementation, attrs, doc):
        def rule(name):
            repository = Repository(root, attrs)
            implementation(repository)
            found.update({f"@{name}//:{path}": text for path, text in repository.files.items()})
        return rule

    rules = {"repository_rule": repository_rule,
             "attr": type("attr", (), {"label": staticmethod(lambda default: default)})}
    exec((root / "packaging/bazel/isas.bzl").read_text(), rules)
    exec((root / "MODULE.bazel").read_text(),
         {"module": lambda **about: None, "bazel_dep": lambda **about: None,
          "use_repo_rule": lambda file, name: rules[name]})
    return found


def libraries(root):
    """The cc_library rules of the root package: name -> attributes."""
    found, made = {}, repositories(root)
    tools = {"cc_library": lambda name, **attributes: found.__setitem__(name, attributes), "native": Native(root),
             "select": lambda alternatives: Select([alternatives]), "load": lambda *symbols: None,
             "config_setting": lambda **attributes: None}
    macros = dict(tools, load=lambda file, *symbols: exec(made.get(file, ""), macros))
    exec((root / "packaging/bazel/kai.bzl").read_text(), macros)
    exec((root / "BUILD.bazel").read_text(), dict(tools, kai_libraries=macros["kai_libraries"]))
    return found, macros


def reached(rules, name, settings):
    """Names of `name` and all that it depends on."""
    names, todo = [], [name]
    while todo:
        name = todo.pop()
        if name not in names:
            names.append(name)
            todo += resolve(rules[name].get("deps", []), settings)
    return names


def flags_of(arguments):
    """What both builds must have: code generation and definitions; not warnings, folders, names, nor the rules of
    floats that one compiler alone knows."""
    keep = re.compile(r"-(D|O|f(?!denormal-fp-math|trapping-math|no-rounding-math|no-single-prec)|m(?!cpu=generic)|"
                      "std=|include)")
    found, optimise = set(), None
    for flag in arguments:
        if flag.startswith("-O"):
            optimise = flag  # the last one counts
        elif keep.match(flag) and flag != "-DNDEBUG":
            found.add(flag)
    return found, optimise


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    root, wrong = options.root.resolve(), []

    by_cmake = {}
    for entry in json.loads((options.build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        output = re.search(r"CMakeFiles/(kleidiai|kleidiai_gemm|kleidiai_attention)\.dir/", entry["command"])
        if output:
            by_cmake[str(path.relative_to(root))] = shlex.split(entry["command"])
    aarch64 = any(path.endswith(".S") for path in by_cmake)
    settings = ["aarch64", "aarch64_linux"] if aarch64 else []

    rules, macros = libraries(root)
    by_bazel = {}
    for name in reached(rules, "attention", settings):
        rule = rules[name]
        for path in rule.get("srcs", []):
            if path.endswith(".hpp"):
                continue
            if path in by_bazel:
                wrong.append(f"{path}: in two libraries")
            copts = resolve(rule.get("copts", []), settings)
            by_bazel[path] = copts + ["-D" + d for d in resolve(rule.get("local_defines", []), settings)]
    for path in sorted(set(by_cmake) ^ set(by_bazel)):
        wrong.append(f"{path}: only {'CMake' if path in by_cmake else 'Bazel'} builds it")

    for path in sorted(set(by_cmake) & set(by_bazel)):
        cmake, cmake_optimise = flags_of(by_cmake[path])
        bazel, bazel_optimise = flags_of(by_bazel[path])
        if path.endswith(".S"):  # CMake adds the flags of C; SME2 may be encoded here, and by --define there
            cmake -= {"-fPIC", "-include"}
            cmake = {flag for flag in cmake if not flag.startswith("-march")}
        elif bazel_optimise != cmake_optimise and not (re.search(FOR_GCC, path) and bazel_optimise == "-O3"):
            wrong.append(f"{path}: {cmake_optimise} with CMake, {bazel_optimise} with Bazel")
        if cmake != bazel:
            wrong.append(f"{path}: only CMake {sorted(cmake - bazel)}, only Bazel {sorted(bazel - cmake)}")

    # What files include is declared: headers are found in Bazel's sandbox only if they are.
    declared = {path for rule in rules.values() for kind in ("hdrs", "textual_hdrs", "srcs")
                for path in rule.get(kind, [])}
    for path in sorted(declared):
        for included in re.findall(r'^ *#include "(kai/[^"]+)"', (root / path).read_text(), re.MULTILINE):
            if included not in declared:
                wrong.append(f"{path} includes {included}, which no rule declares")

    # The instruction sets, and the version.
    table = dict(re.findall(r'^KAI_ISA\((\w+), +"[^"]+",[^"]+"([^"]+)"', (root / "kai/isas.def").read_text(), re.M))
    if table != macros["ISAS"]:
        wrong.append(f"isas.bzl reads other instruction sets than kai/isas.def has: {macros['ISAS']}")
    version = re.search(r'KAI_LIBRARY_VERSION "([0-9.]+)"', (root / "kai/kai_common.h").read_text()).group(1)
    for recipe in ("MODULE.bazel", "packaging/vcpkg/vcpkg.json", "packaging/conan/conanfile.py"):
        if (root / recipe).exists() and f'"{version}"' not in (root / recipe).read_text():
            wrong.append(f"{recipe}: not version {version}")

    print("\n".join(wrong[:40]))
    print(f"{len(by_cmake)} files of CMake, {len(by_bazel)} of Bazel, {len(wrong)} differences")
    return 1 if wrong or len(by_cmake) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
