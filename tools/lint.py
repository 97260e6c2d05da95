#!/usr/bin/env python3
"""Checks the style of all files that git knows: `./kai.sh lint`.

    lint.py --build DIR [--jobs N] [--all]

  text      what .editorconfig says; rows of tables in Markdown, links and #include lines may be longer
  format    clang-format (.clang-format)
  cmake     cmake-lint (.cmake-format.py)
  shell     shellcheck
  python    compiles
  assembly  the rules of assembly_style.py
  spelling  codespell
  tidy      clang-tidy (.clang-tidy) reads the library's C++ by DIR/compile_commands.json; with --all the tests, too
  subjects  `area: what` of commits after SINCE, at most 72 characters

Exit status 0: no complaints.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

import assembly_style
import editorconfig

ROOT = pathlib.Path(__file__).resolve().parents[1]
SINCE = "eaa01ab"  # subjects were longer before
KING_JAMES = ("examples/llm/model/held_out.txt", "examples/tiny_lm/gospels.txt")  # spells as in 1769
complaints = []


def run(command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def report(check, count, found):
    """`found`: lines of complaints."""
    complaints.extend(found)
    print(f"{check:8} {count} checked" + (f", {len(found)} complaints" if found else ""), flush=True)
    for line in found:
        print(f"    {line}")


def may_be_long(path, line):
    return path.endswith(".md") and (re.match(r" *\|", line) or re.search(r"\]\(|https?://", line)) or \
        re.match(r"(//|#) *.*https?://|#include ", line)


def text(files):
    found = []
    for path in files:
        rules = editorconfig.get_properties(str(ROOT / path))
        data = (ROOT / path).read_bytes()
        if rules.get("charset") != "utf-8":
            continue
        try:
            lines = data.decode("utf-8").split("\n")
        except UnicodeDecodeError as error:
            found.append(f"{path}: {error}")
            continue
        if rules.get("insert_final_newline") == "true" and data and (lines[-1] or not lines[-2]):
            found.append(f"{path}: does not end with one newline")
        limit = rules.get("max_line_length", "off")
        for number, line in enumerate(lines, 1):
            if line != line.rstrip():
                found.append(f"{path}:{number}: space or carriage return at the end of the line")
            if "\t" in line:
                found.append(f"{path}:{number}: a tab")
            if limit.isdigit() and len(line) > int(limit) and not may_be_long(path, line):
                found.append(f"{path}:{number}: {len(line)} columns, more than {limit}")
    report("text", len(files), found)


def tool(check, command, files, keep=lambda line: line.strip()):
    if files:
        status, output = run([*command, *files])
        found = [line for line in output.splitlines() if keep(line)] if status != 0 else []
        report(check, len(files), found or [f"{command[0]} ended with {status}"] if status != 0 else [])


def tidy(build, jobs, everything):
    commands = json.loads((build / "compile_commands.json").read_text())
    folders = ("kai", "test", "tools", "examples") if everything else ("kai",)
    sources = sorted({c["file"] for c in commands if c["file"].endswith(".cpp") and
                      c["file"].startswith(tuple(f"{ROOT}/{folder}/" for folder in folders))})

    def uses_neon(source):
        text = pathlib.Path(source).read_text()
        headers = re.findall(r'#include "(kai/(?:gemm|attention)/.*)"', text)
        texts = [text] + [(ROOT / header).read_text() for header in headers]
        return "/engines/" in source or any("arm_neon.h" in text for text in texts)

    def look(some):
        # arm_neon.h takes longer than all the rest; outside the engines, few use it.
        needs_neon = any(map(uses_neon, some))
        none = [] if needs_neon else ["--extra-arg=-D__ARM_NEON_H"]
        status, output = run(["clang-tidy-19", "--quiet", "-p", str(build), *none, *some])
        found = re.findall(r"^\S+ (?:warning|error): .*", output, re.MULTILINE)
        return [line.replace(f"{ROOT}/", "") for line in found] or ([output[-500:]] if status != 0 else [])

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(look, [sources[i:i + 4] for i in range(0, len(sources), 4)]))
    report("tidy", len(sources), sorted(set(sum(results, []))))


def subjects():
    status, output = run(["git", "log", "--no-merges", "--format=%h %s", f"{SINCE}..HEAD"])
    if status != 0:  # not all of the history is here
        return
    lines = output.splitlines()
    found = [line for line in lines if len(line.split(" ", 1)[1]) > 72 or not re.match(r"\w+ [\w., -]+: \S", line)]
    report("subjects", len(lines), found)


def main():
    parser = argparse.ArgumentParser(description="Checks the style of all files that git knows.")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build directory with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--all", action="store_true", help="clang-tidy reads the tests, too")
    options = parser.parse_args()
    status, output = run(["git", "ls-files"])
    files = [path for path in output.splitlines() if (ROOT / path).is_file()]
    if status != 0 or not files:
        sys.exit("lint.py: needs a clone of the repository")

    def named(pattern):
        return [path for path in files if re.search(pattern, path)]

    text(files)
    tool("format", ["clang-format-14", "--dry-run", "-Werror"], named(r"\.(c|h|cpp|hpp)$"), lambda l: "error:" in l)
    tool("cmake", ["cmake-lint", "--suppress-decorations", "--config-files", ".cmake-format.py", "--"],
         named(r"(CMakeLists\.txt|\.cmake)$"), lambda l: re.match(r"\S+:\d+", l))
    tool("shell", ["shellcheck", "--external-sources", "--format=gcc",
                   "--exclude=SC1007,SC2016,SC2034,SC2153,SC2154"], named(r"\.sh$|^\.ci/run$"))
    tool("python", ["python3", "-c", "import sys\nfor f in sys.argv[1:]: compile(open(f).read(), f, 'exec')"],
         named(r"\.py$"))
    tool("spelling", ["codespell", "--ignore-words-list=kinf,whe"],
         [path for path in named(r"\.(md|c|h|S|inc|[ch]pp|def|py|sh|cmake|txt|css|ya?ml)$") if path not in KING_JAMES])
    report("assembly", len([path for path in files if assembly_style.is_checked(path)]),
           list(assembly_style.complaints(files)))
    tidy(options.build.resolve(), options.jobs, options.all)
    subjects()
    print(f"lint: {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
