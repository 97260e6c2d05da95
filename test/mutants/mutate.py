#!/usr/bin/env python3
"""Does the suite notice mistakes in the sources? Applies the mutations of sources.txt one at a time, each to a copy of
its file, compiles what includes that file, links kleidiai_test with it (kleidiai_gemm_test, if the file is one of
kai/gemm or kai/conv; kleidiai_attention_test, if of kai/attention; kai-pack, kai-gguf, llm or convnet, if its tests are
those of that program) and runs the tests that should fail.

    mutate.py --build DIR [--emulator QEMU [--host-build DIR]] [--jobs N] [REGEX]
                                                                  all, or those whose name, file or sentence matches
    mutate.py --build DIR [...] --nop FILE --tests FILTER [REGEX]   lines of assembly in FILE that match become nop
    mutate.py --list [REGEX]                                      names and sentences; does each still apply?

With --file FILE, mutations that are not (yet) in sources.txt.

The sources themselves are never changed. DIR is a build directory of Ninja with up-to-date test programs; with an
emulator, tools are tested in the one of --host-build, whose programs need none. A mutation
that cannot be applied, does not compile or has no tests that run is an error, not a success. A mutation that makes its
tests wait for ever is noticed, too. For that a time limit is not enough on a busy machine: the tests are run without
the mutation, and it hangs if many times that time is too short. Exit status 0: all were noticed.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUTATIONS = pathlib.Path(__file__).resolve().parent / "sources.txt"
GEMM_LAYER = ("kai/gemm/", "kai/conv/", "kai/packed_file/", "kai/gguf_file/")  # what kleidiai_gemm_test tests
TIME_LIMIT = 900  # seconds of one run of the tests; emulators are slow, and machines busy
GEMM_TIME_LIMIT = 60  # of kleidiai_gemm_test with few random problems; mistakes in the order of units make it wait
LONGEST = 3600  # of any run
TIMES_OF_CLEAN_RUN = 10  # what takes longer than so many runs without the mutation does not end
PROGRAMS = {"kleidiai_test": ("CMakeFiles/kleidiai.dir/", "test/CMakeFiles/kleidiai_test"),
            "kleidiai_gemm_test": ("CMakeFiles/kleidiai.dir/", "CMakeFiles/kleidiai_gemm.dir/",
                                   "test/CMakeFiles/kleidiai_gemm_test"),
            "kleidiai_attention_test": ("CMakeFiles/kleidiai.dir/", "CMakeFiles/kleidiai_gemm.dir/",
                                        "CMakeFiles/kleidiai_attention.dir/",
                                        "test/CMakeFiles/kleidiai_attention_test")}  # and the folders of their objects
TOOLS = {"tools.kai_pack": "kai-pack", "tools.kai_gguf": "kai-gguf"}  # tests in CTest, and what they run
EXAMPLE = re.compile(r"example\.(llm|convnet)\.(\w+)")  # and a part of the test
PROGRAMS["llm"] = (*PROGRAMS["kleidiai_attention_test"][:3], "examples/llm/CMakeFiles/llm.dir/")
PROGRAMS["convnet"] = (*PROGRAMS["kleidiai_gemm_test"][:2], "examples/convnet/CMakeFiles/convnet.dir/")
for tool in TOOLS.values():
    PROGRAMS[tool] = ("CMakeFiles/kleidiai.dir/", "CMakeFiles/kleidiai_gemm.dir/", f"tools/CMakeFiles/{tool}.dir/")


class Bad(Exception):
    """The mutation, not the library, is wrong."""


class TooSlow(Exception):
    """Neither noticed nor survived: the tests did not end in time, and nothing says that they never would."""


class Mutation:
    """sources.txt says what the fields mean."""

    def __init__(self, name, line):
        self.name, self.line = name, line
        self.says, self.file, self.tests, self.cpus, self.only = "", "", "", ["svl512"], ""
        self.old, self.new = [], []

    def is_of_tool(self):
        return self.tests in TOOLS or EXAMPLE.fullmatch(self.tests) is not None

    def program(self):
        """The test program that should notice, or the tool whose test should."""
        if self.is_of_tool():
            return TOOLS.get(self.tests) or EXAMPLE.fullmatch(self.tests)[1]
        if self.file.startswith("kai/attention/"):
            return "kleidiai_attention_test"
        return "kleidiai_gemm_test" if self.file.startswith(GEMM_LAYER) else "kleidiai_test"

    def applied(self):
        """The mutated text of the file."""
        path = ROOT / self.file
        if not path.is_file():
            raise Bad(f"there is no file {self.file}")
        lines = path.read_text().splitlines()
        plain = [spaced(line) for line in lines]
        old = [spaced(line) for line in self.old]
        found = [at for at in range(len(lines)) if plain[at:at + len(old)] == old]
        if len(found) != 1:
            raise Bad(f"its lines are {len(found)} times in {self.file}")
        return "\n".join(lines[:found[0]] + self.new + lines[found[0] + len(old):]) + "\n"


def spaced(line):
    """A line with single spaces after its indentation: what is aligned, as the backslashes of a macro, moves easily."""
    return line[:len(line) - len(line.lstrip())] + " ".join(line.split())


class Nop(Mutation):
    """A line of assembly that does nothing."""

    def __init__(self, file, line, text, tests):
        super().__init__(f"line_{line}", line)
        self.file, self.tests, self.says = file, tests, " ".join(text.split())

    def applied(self):
        lines = (ROOT / self.file).read_text().splitlines()
        lines[self.line - 1] = "    nop"
        return "\n".join(lines) + "\n"


def nops(file, tests):
    """One for each instruction or call of a macro: what is indented and neither a directive nor a comment."""
    lines = (ROOT / file).read_text().splitlines()
    return [Nop(file, number, text, tests) for number, text in enumerate(lines, 1) if re.match(r" +[a-z]", text)]


def read_mutations(path):
    mutations = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        def bad(what):
            sys.exit(f"{path}:{number}: {what}")
        if match := re.fullmatch(r"\[(\w+)\]", line):
            mutations.append(Mutation(match[1], number))
        elif line.startswith("#") or not line.strip():
            pass
        elif not mutations:
            bad("no [name] before this line")
        elif match := re.fullmatch(r"(says|file|only|tests|cpus): +(\S.*)", line):
            value = match[2].strip()
            setattr(mutations[-1], match[1], value.split() if match[1] == "cpus" else value)
        elif line[0] in " -+":
            if line[0] in " -":
                mutations[-1].old.append(line[1:])
            if line[0] in " +":
                mutations[-1].new.append(line[1:])
        else:
            bad("neither a field nor a line of a difference")
    names = [m.name for m in mutations]
    for m in mutations:
        if names.count(m.name) > 1 or not (m.says and m.file and m.tests and m.old) or m.old == m.new:
            sys.exit(f"{path}:{m.line}: [{m.name}] is incomplete, changes nothing, or its name is not the only one")
    return mutations


def emulated_cpus():
    """Label -> -cpu argument, from the list that ctest uses."""
    text = (ROOT / "cmake/KaiEmulation.cmake").read_text()
    cpus = "".join(re.findall(r"^set\((?:KAI_EMULATED_CPUS|KAI_CPU_MODELS)\n((?: .*\n)*)", text, re.MULTILINE))
    return dict(re.findall(r'^ +"([\w-]+)\|([^|"]+)"', cpus, re.MULTILINE))


class Build:
    """What is known of the build directory."""

    def __init__(self, directory):
        self.directory = directory
        commands = json.loads((directory / "compile_commands.json").read_text())
        self.compile = {}  # object -> (directory, arguments, source)
        for command in commands:
            arguments = shlex.split(command["command"])
            output = arguments[arguments.index("-o") + 1]
            if output.startswith(tuple(folder for folders in PROGRAMS.values() for folder in folders)):
                self.compile[output] = (command["directory"], arguments, os.path.realpath(command["file"]))
        self.users = {}  # file -> objects that depend on it
        current = None
        for line in self.ninja("-t", "deps").splitlines():
            if not line.startswith(" ") and ": #deps" in line:
                current = line.split(": #deps")[0]
            elif line.strip() and current in self.compile:
                self.users.setdefault(os.path.realpath(directory / line.strip()), set()).add(current)
        for output, (_, _, source) in self.compile.items():
            self.users.setdefault(source, set()).add(output)
        self.links = {}
        for program in PROGRAMS:
            try:
                self.links[program] = shlex.split(self.ninja("-t", "commands", self.path(program)).splitlines()[-1])
            except subprocess.CalledProcessError:
                self.links[program] = []  # without CLI11 there are no tools

    @staticmethod
    def path(name):
        """Of a program in the build directory."""
        folder = f"examples/{name}" if name in ("llm", "convnet") else "tools" if name in TOOLS.values() else "test"
        return f"{folder}/{name}"

    def program(self, name):
        """A program without mutation."""
        objects = [argument for argument in self.links[name] if argument.endswith(".o")]
        if not objects or not all((self.directory / file).exists() for file in objects):
            raise Bad(f"{name} is not built, or not to the end")
        return self.directory / self.path(name)

    def ninja(self, *arguments):
        command = ["ninja", "-C", self.directory, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def run(self, command, directory, what):
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
        if done.returncode != 0:
            raise Bad(f"{what}:\n{done.stdout}{done.stderr}".rstrip()[:3000])

    def mutant(self, mutation, folder):
        """Builds the test program with the mutation in `folder`."""
        copy = folder / mutation.file
        copy.parent.mkdir(parents=True)
        copy.write_text(mutation.applied())
        original = os.path.realpath(ROOT / mutation.file)
        folders = PROGRAMS[mutation.program()]
        outputs = sorted(
            o for o in self.users.get(original, ()) if o.startswith(folders) and re.search(mutation.only, o))
        if not outputs:
            raise Bad(f"nothing that is tested is made from {mutation.file}")
        replaced = {}
        for output in outputs:
            directory, arguments, source = self.compile[output]
            mutated = folder / "objects" / output
            mutated.parent.mkdir(parents=True, exist_ok=True)
            # The folder comes first: #include "kai/..." finds the copy.
            command = [arguments[0], f"-I{folder}", *arguments[1:], "-w"]
            command[command.index("-o") + 1] = str(mutated)
            if source == original:
                command[command.index("-c") + 1] = str(copy)
            self.run(command, directory, f"it does not compile ({output})")
            replaced[output] = str(mutated)
        program = folder / self.program(mutation.program()).name
        link = [replaced.pop(argument, argument) for argument in self.links[program.name]
                if argument not in (":", "&&")]
        link[link.index("-o") + 1] = str(program)
        # Before the library, whose members of the same names are then not linked.
        link[link.index("-o"):link.index("-o")] = replaced.values()
        self.run(link, self.directory, "it does not link")
        return program


def usual_limit(program):
    return GEMM_TIME_LIMIT if program.name == "kleidiai_gemm_test" else TIME_LIMIT


def run_for(seconds, command, environment):
    """(exit code, or None if it has not ended by then; output)"""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True, env=environment)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output


class Tests:
    """Runs test programs."""

    def __init__(self, emulator):
        self.emulator = emulator
        self.cpus = emulated_cpus()
        self.passes, self.lock = {}, threading.Lock()

    def run(self, program, cpu, tests, limit=None):
        """(name of the first test that fails or None, number of tests that passed). TooSlow: the limit, in seconds."""
        if tests in TOOLS or EXAMPLE.fullmatch(tests):
            return self.run_tool(program, tests, limit)
        command = [str(program), f"--gtest_filter={tests}", "--gtest_fail_fast"]
        if self.emulator:
            command[:0] = [self.emulator, "-cpu", self.cpus[cpu]]
        code, output = run_for(limit or usual_limit(program), command, {**os.environ, "KLEIDIAI_GEMM_CASES": "40"})
        failed = re.search(r"^\[  FAILED  \] ([^\s,]*\.[^\s,]*)", output, re.MULTILINE)
        if failed:
            return failed[1], 0
        started = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
        if code is None:
            raise TooSlow(started[-1] if started else "start")
        if code != 0:
            if not started:
                raise Bad(f"the tests do not start:\n{output[-1000:]}")
            return f"{started[-1]} (ended with {code})", 0
        passed = re.search(r"^\[  PASSED  \] (\d+) test", output, re.MULTILINE)
        return None, int(passed[1]) if passed else 0

    @staticmethod
    def run_tool(program, test, limit):
        """The same with the test of a tool."""
        script = [ROOT / test.replace(".", "/") / "test.py"]
        if example := EXAMPLE.fullmatch(test):
            name, part = example.groups()
            script = [ROOT / f"test/{name}/{name}_test.py", ROOT / ".cache", part]
        code, output = run_for(limit or TIME_LIMIT, [sys.executable, *script, program], os.environ)
        if code == 77:
            raise Bad(f"{test} is skipped")
        if code is None:
            raise TooSlow(test)
        if code == 0:
            return None, 1
        failed = re.search(r"^FAILED: .{,60}", output, re.MULTILINE)
        if failed:
            return f"{test} ({failed[0]})", 0
        line = re.findall(r'^  File "[^"]*test.py", line (\d+), in <module>', output, re.MULTILINE)
        return f"{test} (line {line[-1] if line else '?'})", 0

    def run_to_the_end(self, program, cpu, tests, clean):
        """The same, where it takes too long again with a limit that fits this machine now. `clean`: the program without
        the mutation."""
        try:
            return self.run(program, cpu, tests)
        except TooSlow:
            start = time.monotonic()
            try:
                failed, _ = self.run(clean, cpu, tests, LONGEST)
            except TooSlow as slow:
                raise TooSlow(f"{slow}, as without the mutation") from slow
            if failed is not None:
                raise Bad(f"{failed} fails without the mutation, too") from None
        limit = max(usual_limit(program), TIMES_OF_CLEAN_RUN * (time.monotonic() - start))
        try:
            return self.run(program, cpu, tests, min(limit, LONGEST))
        except TooSlow as slow:
            if limit > LONGEST:
                raise
            return f"{slow} (does not end in {limit:.0f} s)", 0

    def noticed_by(self, mutation, program, build):
        """The first test that fails, and on which CPU; None if all pass."""
        for cpu in mutation.cpus if self.emulator and not mutation.is_of_tool() else ["this CPU"]:
            clean = build.program(mutation.program())
            test, passed = self.run_to_the_end(program, cpu, mutation.tests, clean)
            if test is None:
                if passed == 0:
                    raise Bad(f"no test ran on {cpu} ({mutation.tests})")
                continue
            name = test.split()[0]
            with self.lock:
                known = self.passes.get((cpu, name))
            if known is None:
                known = self.run(clean, cpu, name, LONGEST)[0] is None
                with self.lock:
                    self.passes[cpu, name] = known
            if not known:
                raise Bad(f"{name} fails without the mutation, too")
            return f"{test} on {cpu}"
        return None


def main():
    parser = argparse.ArgumentParser(description="Applies mutations of sources and expects that a test notices each.")
    parser.add_argument("regex", nargs="?", default="", help="only mutations whose name, file or sentence matches")
    parser.add_argument("--list", action="store_true", help="print the mutations")
    parser.add_argument("--build", type=pathlib.Path, help="build directory (Ninja)")
    parser.add_argument("--emulator", help="qemu-aarch64, on other hosts than AArch64")
    parser.add_argument("--host-build", type=pathlib.Path, help="build directory of this host, for the tools")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--nop", metavar="FILE", help="single lines of this assembly file become nop")
    parser.add_argument("--file", metavar="FILE", type=pathlib.Path, default=MUTATIONS, help="instead of sources.txt")
    parser.add_argument("--tests", metavar="FILTER", help="with --nop: the tests that should notice")
    options = parser.parse_args()
    wanted = re.compile(options.regex)
    if options.nop and not options.tests:
        parser.error("--nop needs --tests")
    candidates = nops(options.nop, options.tests) if options.nop else read_mutations(options.file)
    mutations = [m for m in candidates if any(wanted.search(x) for x in (m.name, m.file, m.says))]
    if options.list:
        for m in mutations:
            print(f"{m.name:40} {m.says}")
        wrong = 0
        for m in mutations:
            try:
                m.applied()
            except Bad as error:
                print(f"{m.name}: {error}")
                wrong += 1
        print(f"{len(mutations)} mutations, {wrong} do not apply")
        return 1 if wrong else 0
    if options.build is None:
        parser.error("--build is needed")
    if not mutations:
        parser.error(f"no mutation matches {options.regex}")

    build = Build(options.build.resolve())
    host_build = Build(options.host_build.resolve()) if options.host_build else None if options.emulator else build
    tests = Tests(options.emulator)
    scratch = options.build.resolve() / "mutants"
    shutil.rmtree(scratch, ignore_errors=True)

    def attempt(mutation):
        start = time.monotonic()
        folder = scratch / mutation.name
        try:
            of = host_build if mutation.is_of_tool() else build
            if of is None:
                raise Bad("tools are tested without the emulator: --host-build is needed")
            test = tests.noticed_by(mutation, of.mutant(mutation, folder), of)
            result, how = ("noticed", f"by {test}") if test else ("SURVIVED", mutation.says)
        except Bad as error:
            result, how = "ERROR", str(error)
        except TooSlow as slow:
            result, how = "TOO SLOW", str(slow)
        if result == "noticed":
            shutil.rmtree(folder, ignore_errors=True)  # what is of interest stays
        print(f"{result:8} {mutation.name:40} {time.monotonic() - start:4.0f} s  {how}", flush=True)
        return result

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(attempt, mutations))
    counts = f"{results.count('noticed')} noticed, {results.count('SURVIVED')} survived"
    for result, name in (("TOO SLOW", "too slow to tell"), ("ERROR", "errors")):
        counts += f", {results.count(result)} {name}" if result in results else ""
    print(counts)
    return 0 if results.count("noticed") == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
