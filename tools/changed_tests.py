#!/usr/bin/env python3
"""Which tests a change can affect: what ./kai.sh test --changed runs.

    changed_tests.py base [REVISION]          the commit to compare with, and the files that differ from it, a line each
    changed_tests.py choose FILE... --builds DIR[=REGEX]...
    changed_tests.py choose --base REVISION --builds DIR[=REGEX]...
    changed_tests.py documents --base REVISION [--builds DIR...]

DIR: a build directory of Ninja; REGEX: which of its tests are run at all; a build comes after those whose libraries it
tests.

What a test depends on comes from the builds, which must be up to date: its command names programs, libraries and
objects; build.ninja and Ninja's record of included files say which sources these are made of. What a test reads besides
stands in test/changed.txt. A script that has no line there may read everything: it always runs. A change that is in no
test's sources, nor in a line, and one of a file that is gone or that decides how tests are built, affects all.

What is assembly for SME alone does not run on CPUs without it. Of kleidiai_test and kleidiai_mutants, only the parts
for some micro-kernels and packers run if all changes are in their own sources (tools/where.txt):
KLEIDIAI_TEST_SUBJECTS.

If only documents changed, nothing of a build need be up to date: `documents` says so by its exit status, and of builds
that are configured, which tests to run, and what these need of each. What a later build has under the same name is not
run again: it would read the same documents.

Prints lines for kai.sh: "all WHY"; or "build BUILD TARGET...", "tests BUILD REGEX", "left BUILD NAME...",
"subjects NAME:NAME:...".

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
READS = ROOT / "test/changed.txt"
INDEX = ROOT / "tools/where.txt"
LIBRARY = "CMakeFiles/kleidiai.dir/"  # objects in a build
BY_SUBJECT = re.compile(r"kleidiai_(test(_gcc|_gcc_debug)?|mutants)(\..*)?")
# Sources that every micro-kernel or packer may run, although its kai_run_ function does not: getters, checks.
SHARED = "kai/engines/core/*"
# Assembly for SME, and runs on CPUs that have none: this code is never reached there.
FOR_SME = re.compile(r"kai/engines/\w+/\w+_sme2?(_\w+)?\.S")
WITHOUT_SME = re.compile(r"\w+\.(neoverse-n1|neoverse-v1|cortex-a53|cortex-a72)(\..*)?")
SCRIPT = re.compile(r"\.(py|cmake|sh)$")


class Reads:
    """test/changed.txt."""

    def __init__(self, text):
        self.all, self.documents, self.tree, self.tests = [], [], [], []
        for line in text.splitlines():
            if line.startswith("#") or not line.strip():
                continue
            who, patterns = line.split(":", 1)
            patterns = patterns.split()
            if who in ("all", "documents", "tree"):
                getattr(self, who).extend(patterns)
            else:
                self.tests.append((re.compile(who), patterns))

    def of(self, test):
        """Patterns of what a test reads, or None if no line says it."""
        found = [patterns for who, patterns in self.tests if who.fullmatch(test)]
        return sum(found, []) if found else None


def matches(file, patterns):
    return any(fnmatch.fnmatchcase(file, pattern) for pattern in patterns)


class Build:
    """Of each output its inputs, of each object what it includes."""

    def __init__(self, folder, others, regex=""):
        self.folder, self.others, self.name = str(folder), others, pathlib.Path(folder).name
        self.inputs, self.includes, self.known = {}, {}, {}
        text = (pathlib.Path(folder) / "build.ninja").read_text().replace("$\n", "")
        for line in re.findall(r"^build (.+)$", text, re.MULTILINE):
            outputs, _, inputs = line.partition(": ")
            inputs = inputs.split(" ")[1:]  # without the rule
            outputs = [self.path(o.replace("${cmake_ninja_workdir}", "")) for o in outputs.split(" ") if o != "|"]
            if "||" in inputs and any(o.endswith(".o") for o in outputs):
                inputs = inputs[:inputs.index("||")]  # only an order: what it includes is recorded
            inputs = [self.path(i.replace("${cmake_ninja_workdir}", "")) for i in inputs if i not in ("", "|", "||")]
            for output in outputs:
                self.inputs.setdefault(output, []).extend(inputs)
        recorded = subprocess.run(["ninja", "-C", self.folder, "-t", "deps"], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout
        current = []
        for line in recorded.splitlines():
            if line.startswith("    "):
                current.append(self.path(line.strip()))
            elif ": #deps" in line:
                current = self.includes.setdefault(self.path(line.split(": #deps")[0]), [])
        listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                check=True).stdout
        self.tests = {test["name"]: [str(word) for word in test["command"]] for test in json.loads(listed)["tests"]
                      if "command" in test and re.search(regex, test["name"])}

    def path(self, name):
        return os.path.normpath(os.path.join(self.folder, name.replace("$:", ":").replace("$ ", " ")))

    def sources(self, output):
        """Files of the repository that an output is made of."""
        if output not in self.known:
            found, waiting, seen = set(), [output], set()
            while waiting:
                here = waiting.pop()
                if here in seen:
                    continue
                seen.add(here)
                waiting += self.inputs.get(here, []) + self.includes.get(here, [])
                for other in self.others:
                    if here.startswith(other.folder + "/") and other is not self:
                        found |= other.sources(here)
                if here.startswith(f"{ROOT}/") and not here.startswith(f"{ROOT}/build"):
                    found.add(here[len(str(ROOT)) + 1:])
            self.known[output] = found
        return self.known[output]

    def depends(self, test, reads):
        """(sources of its programs, patterns of what else it reads)."""
        sources, patterns, script = set(), [], False
        for word in self.tests[test]:
            for part in re.split("[=|;]", word):
                path = os.path.normpath(part) if os.path.isabs(part) else ""
                if path in self.inputs or any(path in other.inputs for other in self.others):
                    sources |= self.sources(path)
                elif path.startswith(f"{ROOT}/") and not path.startswith(f"{ROOT}/build"):
                    file = path[len(str(ROOT)) + 1:]
                    script = script or SCRIPT.search(file) is not None
                    patterns += [file, file + "/*"]
        listed = reads.of(test)
        if listed is None and script:
            patterns.append("*")
        return sources, patterns + (listed or [])

    def targets(self, test):
        """What must be built for a test, as Ninja names it; a test of the whole build takes everything."""
        words = [os.path.normpath(part) for word in self.tests[test] for part in re.split("[=|;]", word)
                 if os.path.isabs(part)]
        return {"all"} if self.folder in words else {
            os.path.relpath(word, self.folder) for word in words if word in self.inputs}

    def library_sources(self, changed):
        """Sources of the library whose objects a change of these files changes."""
        found = set()
        for output in self.inputs:
            if output.startswith(f"{self.folder}/{LIBRARY}") and output.endswith(".o"):
                files = self.sources(output)
                if files & changed:
                    found |= {file for file in files if f"/{LIBRARY}{file}.o" in output}
        return found

    def test_sources(self):
        """What programs by subject are made of besides the library."""
        if "" in self.known:
            return self.known[""]
        found = self.known[""] = set()
        for output in self.inputs:
            if re.search(r"/test/CMakeFiles/kleidiai_(test|mutants)[^/]*/.*\.o$", output):
                found |= self.sources(output)
        return found


def builds_of(folders):
    builds = []
    for folder in folders:
        folder, _, regex = folder.partition("=")
        builds.append(Build(pathlib.Path(folder).resolve(), list(builds), regex))
    return builds


def subjects_of(sources):
    """Micro-kernels and packers that run code of these sources; None: perhaps all."""
    users, name = {}, ""
    for line in INDEX.read_text().splitlines():
        if not line.startswith(" "):
            name = line
        elif not line.startswith("    "):
            users.setdefault(line.strip(), set()).add(name)
    if any(source not in users or fnmatch.fnmatchcase(source, SHARED) for source in sources):
        return None
    return set().union(*(users[source] for source in sources))


class Choice:
    """all: why every test runs, or ""; tests: of each build those chosen; subjects: None if all."""

    def __init__(self, builds, changed, reads):
        self.all, self.tests, self.subjects = "", {}, None
        changed = set(changed)
        # What a header declares the tests see, too: then they are affected as a whole.
        declared = set().union(*(build.test_sources() for build in builds)) if builds else set()
        for file in sorted(changed):
            if not (ROOT / file).is_file():
                self.all = f"{file} is gone"
            elif matches(file, reads.all):
                self.all = f"{file} is about every test"
            if self.all:
                return
        known = {file for file in changed if matches(file, reads.documents + reads.tree)}
        for_sme = all(FOR_SME.fullmatch(file) for file in changed)
        for build in builds:
            self.tests[build] = []
            for test in build.tests:
                sources, patterns = build.depends(test, reads)
                reached = not (for_sme and WITHOUT_SME.fullmatch(test))
                if reached and (sources & changed or any(matches(file, patterns) for file in changed)):
                    self.tests[build].append(test)
                known |= sources & changed
                if "*" not in patterns:
                    known |= {file for file in changed if matches(file, patterns)}
        if unknown := sorted(changed - known):
            self.all = f"nothing says which tests need {unknown[0]}"
            return
        affected = set().union(*(build.library_sources(changed) for build in builds))
        if affected and not changed & declared:
            self.subjects = subjects_of(affected)

    def selects(self, build, test, subject=None):
        return bool(self.all) or (test in self.tests[build] and (
            subject is None or self.subjects is None or not BY_SUBJECT.fullmatch(test) or subject in self.subjects))

    def left_out(self, build):
        return [test for test in build.tests if test not in self.tests[build]]


def document_lines(builds, changed, reads):
    """For `documents`."""
    choice, seen, lines = Choice(builds, changed, reads), set(), []
    if choice.all:
        return [f"all {choice.all}"]
    for build in builds:
        chosen = [test for test in choice.tests[build] if test.split(".svl512")[0] not in seen]
        seen.update(build.tests)
        targets = set().union(*(build.targets(test) for test in chosen))
        targets = {"all"} if "all" in targets else targets  # which has the others
        lines += [f"build {build.name} {' '.join(sorted(targets))}".rstrip(), tests_line(build, chosen)]
    return lines


def tests_line(build, tests):
    return f"tests {build.name} ^({'|'.join(re.escape(test) for test in tests)})$"


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def base_of(revision):
    """The commit: by default where this branch left the main one, or what is checked out if it is that one."""
    if revision:
        commit = git("rev-parse", "--verify", "--quiet", revision + "^{commit}")
        if commit is None:
            sys.exit(f"{revision} is no commit of this repository")
        return commit
    for main in ("origin/HEAD", "origin/main", "main"):
        if git("rev-parse", "--verify", "--quiet", main) is not None:
            return git("merge-base", "HEAD", main)
    sys.exit("there is neither origin/main nor main: say which revision to compare with")


def changed_since(commit):
    """Committed or not, and new files that are not ignored."""
    differ = git("diff", "--name-only", "--no-renames", commit)
    return sorted({*differ.splitlines(), *git("ls-files", "--others", "--exclude-standard").splitlines()} - {""})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=("base", "choose", "documents"))
    parser.add_argument("words", nargs="*")
    parser.add_argument("--base")
    parser.add_argument("--builds", nargs="+", default=[])
    options = parser.parse_args()
    if options.command == "base":
        commit = base_of(options.words[0] if options.words else "")
        print("\n".join([commit, *changed_since(commit)]))
        return
    builds, reads = builds_of(options.builds), Reads(READS.read_text())
    changed = changed_since(options.base) if options.base else options.words
    if options.command == "documents":
        if not all(matches(file, reads.documents) and (ROOT / file).is_file() for file in changed):
            sys.exit(1)
        print("\n".join(document_lines(builds, changed, reads)))
        return
    choice = Choice(builds, changed, reads)
    if choice.all:
        print("all", choice.all)
        return
    for build in builds:
        print(tests_line(build, choice.tests[build]))
        print("left", build.name, *choice.left_out(build))
    if choice.subjects is not None:
        print("subjects", ":".join(sorted(choice.subjects)) + ":")


if __name__ == "__main__":
    main()
