#!/usr/bin/env python3
"""Tests the cycle prediction: loops with known answers, farm's scheme on a small shape, and whether the driver can call
every function of the library. Also what a small run of the GEMM layer costs.

  test.py --clang CLANG --qemu QEMU --driver DRIVER --work DIRECTORY [--mca LLVM-MCA]

Exit status 77: the loops were skipped, as there is no llvm-mca (LLVM 19 or newer).

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import types

import kai_cycles as kc
import suite

# function -> CPU model -> cycles. 4800 instructions of a kind, by rate if independent, by latency in a chain; the loads
# are 3200 of 128 bits; 3600 instructions fill the width; products are 1600 of 8 lanes, then 1600 (of two products each)
# added in pairs.
ANSWERS = {
    "smmla_indep": {"neoverse-v2": 1200, "neoverse-v3": 1200, "olympus": 800, "c1-ultra": 800, "oryon-1": 2400,
                    "ampere1b": 2400, "inorder-a510": 2400, "inorder-c1-nano": 2400},
    "smmla_chain": {"neoverse-v2": 4800, "neoverse-v3": 4800, "c1-ultra": 4800,     # the accumulator is forwarded
                    "olympus": 9600, "oryon-1": 19200, "ampere1b": 14400, "inorder-c1-nano": 19200},
    "smmla_full": {"neoverse-v2": 14400, "neoverse-v3": 14400, "olympus": 14400, "c1-ultra": 14400, "oryon-1": 19200,
                   "ampere1b": 14400},
    "sdot_indep": {"neoverse-v3": 1200, "olympus": 800, "c1-ultra": 800, "oryon-1": 1200, "ampere1b": 2400,
                   "inorder-a55": 4800, "inorder-c1-nano": 2400},
    "sdot_lane_indep": {"neoverse-v3": 1200, "olympus": 800, "c1-ultra": 800, "oryon-1": 1200, "ampere1b": 2400,
                        "inorder-c1-nano": 2400},
    "sdot_chain": {"inorder-c1-nano": 4800},
    "fmla_indep": {"neoverse-v2": 1200, "neoverse-v3": 1200, "olympus": 800, "c1-ultra": 800, "oryon-1": 1200,
                   "ampere1b": 2400, "inorder-a510": 2400, "inorder-a55": 4800, "inorder-c1-nano": 2400},
    "fmla_sve_indep": {"neoverse-v2": 1200, "inorder-a510": 2400},
    "fmla_chain": {"neoverse-v2": 9600, "neoverse-v3": 9600, "olympus": 9600, "c1-ultra": 9600, "oryon-1": 19200,
                   "ampere1b": 19200, "inorder-c1-nano": 19200},
    # LLVM's C1-Ultra forwards a multiplicand of FMLA as early as the accumulator.
    "fmla_full": {"neoverse-v2": 19200, "neoverse-v3": 19200, "olympus": 19200, "c1-ultra": 9600, "oryon-1": 19200,
                  "ampere1b": 19200, "inorder-a510": 19200, "inorder-a55": 19200, "inorder-c1-nano": 19200},
    "bfmmla_indep": {"neoverse-v3": 1200, "olympus": 800, "c1-ultra": 800, "oryon-1": 2400, "ampere1b": 2400,
                     "inorder-c1-nano": 4800},
    "load_bound": {"neoverse-v2": 1067, "inorder-a55": 7200, "inorder-a53": 7200},
    "pairs_bound": {"neoverse-v2": 1067, "neoverse-v3": 1067, "olympus": 800, "c1-ultra": 800, "oryon-1": 800,
                    "ampere1b": 1600, "inorder-a510": 1600, "inorder-c1-nano": 1600},
    "width_bound": {"neoverse-v3": 360, "olympus": 360, "c1-ultra": 360, "oryon-1": 450, "ampere1b": 900,
                    "inorder-a510": 1200, "inorder-c1-nano": 1200},
    "smull_indep": {"cortex-a57": 4800, "cortex-a72": 4800, "inorder-a53": 4800, "inorder-a55": 4800},
    "smlal_indep": {"cortex-a57": 4800, "cortex-a72": 4800, "inorder-a53": 4800, "inorder-a55": 4800},
    "smull_sadalp": {"cortex-a57": 1600, "cortex-a72": 1600, "inorder-a53": 3200, "inorder-a55": 3200},
    "smull_smlal_sadalp": {"cortex-a57": 3200, "cortex-a72": 3200, "inorder-a53": 4800, "inorder-a55": 4800},
}
TOLERANCE = 0.03        # the start of a loop
# What limits these is counted without simulating, too.
COUNTED = ("smmla_indep", "sdot_indep", "sdot_lane_indep", "fmla_indep", "bfmmla_indep", "pairs_bound", "width_bound")


def known_answers(options, mcas):
    """complaints"""
    program = os.path.join(options.work, "known_answers")
    subprocess.run([options.clang, "--target=aarch64-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld",
                    "-Wl,--no-relax", os.path.join(suite.HERE, "known_answers.S"), "-o", program], check=True)
    binary = kc.Binary(program, kc.find_objdump(None))

    def check(item):
        function, answers = item
        newest = max(mca.version for mca in mcas)
        answers = {cpu: cycles for cpu, cycles in answers.items() if kc.MIN_LLVM.get(cpu, 0) <= newest}
        how = types.SimpleNamespace(qemu=options.qemu, symbol=function, callee_of=None, nth=1, max_insns=100000,
                                    qemu_cpu="max")
        texts, analysis = kc.analyse(kc.record(how, binary, [])[0], binary, 16, None)
        rows = kc.measure(texts, analysis, {}, list(answers), mcas)
        return ["%s on %s: %d cycles, not %d" % (function, row["cpu"], row["cycles"], answers[row["cpu"]])
                for row in rows if abs(row["cycles"] / answers[row["cpu"]] - 1) > TOLERANCE] + \
            ["%s on %s: bound of %d cycles, not %d" % (function, row["cpu"], row["busiest_cycles"], answers[row["cpu"]])
             for row in rows if function in COUNTED and abs(row["busiest_cycles"] / answers[row["cpu"]] - 1) > TOLERANCE
             ] + ["%s on %s: %d instructions have no timing" % (function, row["cpu"], row["unmodelled"])
                  for row in rows if row["unmodelled"]] + \
            ([] if len(rows) == len(answers) else ["%s: a CPU model is missing" % function])

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [line for lines in pool.map(check, ANSWERS.items()) for line in lines]


SHARED = """#include <stdio.h>
void fmla_indep(void);
__attribute__((noinline)) void kai_perf_region(void) {
    fmla_indep();
    __asm__ volatile("" ::: "memory");
}
int main(void) {
    char line[4096];
    FILE* const maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof(line), maps) != NULL) {
        printf("%s", line);
    }
    fflush(stdout);
    kai_perf_region();
    return 0;
}
"""


def shared_library(options, mcas):
    """complaints: a loop of a shared library takes what it takes in a static program, and so does a sample of it"""
    sysroot = "/usr/aarch64-linux-gnu"
    if not os.path.exists(sysroot + "/lib/ld-linux-aarch64.so.1"):
        print("SKIPPED shared libraries: there is no " + sysroot)
        return []
    path = lambda name: os.path.join(options.work, name)  # noqa: E731
    with open(path("shared.c"), "w") as file:
        file.write(SHARED)
    clang = [options.clang, "--target=aarch64-linux-gnu", "-fuse-ld=lld", "-O1"]
    subprocess.run([*clang, "-nostdlib", "-shared", "-Wl,-z,notext", os.path.join(suite.HERE, "known_answers.S"), "-o",
                    path("libknown.so")], check=True)
    subprocess.run([*clang, "-no-pie", "-Wl,-z,now", "-Wl,-rpath," + options.work, path("shared.c"),
                    path("libknown.so"), "-o", path("shared")], check=True)
    binary = kc.Binary(path("shared"), kc.find_objdump(None))
    how = types.SimpleNamespace(qemu=options.qemu, symbol=None, callee_of="kai_perf_region", nth=1, max_insns=100000,
                                qemu_cpu="max", sysroot=sysroot)
    trace = kc.record(how, binary, [])[0]
    complaints = [] if [os.path.basename(library) for library in binary.libraries] == ["libknown.so"] else [
        "the trace is of " + ", ".join(binary.libraries)]
    for sample in (1, 3):
        kc.SAMPLED = 600
        texts, analysis = kc.analyse(trace, binary, 16, None, sample)
        cycles = kc.measure(texts, analysis, {}, ["neoverse-v2"], mcas)[0]["cycles"]
        off = abs(cycles / ANSWERS["fmla_indep"]["neoverse-v2"] - 1)
        if off > TOLERANCE or len(texts) * sample > 1.3 * len(trace.pcs):
            complaints.append("fmla_indep of a shared library, 1 of %d: %d cycles" % (sample, cycles))
    return complaints


def farm_scheme(options):
    """complaints"""
    done = subprocess.run([sys.executable, os.path.join(suite.HERE, "farm_scheme.py"), "--cpu", "cortex-a72", "-m", "8",
                           "-k", "160", "--clang", options.clang, "--qemu", options.qemu, "--work", options.work],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    figures = re.findall(r"\| (\d\.\d\d) \|$", done.stdout, re.MULTILINE)
    right = done.returncode == 0 and len(figures) == 8 and all(2.5 < float(figure) <= 4 for figure in figures)
    return [] if right else ["farm_scheme.py: " + done.stdout]


def every_function(options):
    """complaints"""
    def run(vl, argument, lines=""):
        return subprocess.run([options.qemu, "-cpu", "max,sve-default-vector-length=%d,sme-default-vector-length=%d" % (
            vl, vl), options.driver, argument], input=lines, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)

    listed = run(16, "--list")
    if listed.returncode != 0:
        return ["the driver cannot list: " + listed.stdout]
    names = listed.stdout.split()
    anchors = suite.load_anchors(os.path.join(suite.HERE, "anchors.csv"))
    complaints = ["the driver lacks " + name for name in sorted({name for name, _ in anchors} - set(names))]
    calls = {}  # by vector length: in one process
    for name in names:
        case = suite.cases_of(name, anchors)[0]
        vl = next((int(word[3:]) // 8 for word in case.split() if word.startswith("vl=")), 16)
        calls.setdefault(vl, []).append(name + " " + case)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for lines, done in pool.map(lambda item: (item[1], run(item[0], "--lines", "\n".join(item[1]) + "\n")),
                                    calls.items()):
            called = re.findall(r"^perf: name=(\S+) shape=", done.stdout, re.MULTILINE)
            if done.returncode != 0 or called != [line.split()[0] for line in lines]:
                complaints.append("the driver cannot call %s (status %d): %s" % (
                    (lines + ["more"])[len(called)], done.returncode, done.stdout[-300:]))
    print("%d functions called" % len(names))
    return complaints


# run, arguments, CPU of QEMU -> the most instructions, with those of the kernel. A division counts as one, though it
# takes as long as ten others: there must be none but those of the kernel.
COSTS = {
    ("kai_gemm_run_f32", "m=1 n=16 k=16", "neoverse-n2"): (860, 0),
    ("kai_gemm_run_f16", "m=1 n=16 k=16", "neoverse-n2"): (910, 0),
    ("kai_gemm_run_f32", "m=1 n=16 k=16", "cortex-a76"): (860, 0),
    ("kai_gemm_run_int8_static", "m=1 n=16 k=16 sme=1", "max,sme-default-vector-length=64"): (870, 0),
}


def costs_of_runs(options):
    """complaints"""
    binary = kc.Binary(options.driver, kc.find_objdump(None))

    def check(item):
        (name, case, cpu), (most, divisions) = item
        how = types.SimpleNamespace(qemu=options.qemu, symbol=None, callee_of="kai_perf_region", nth=1,
                                    max_insns=100000, qemu_cpu=cpu)
        texts = [binary.text[pc] for pc in kc.record(how, binary, [name] + case.split())[0].pcs]
        divides = sum(text.startswith(("udiv", "sdiv")) for text in texts)
        print("%s %s on %s: %d instructions, %d divisions" % (name, case, cpu.split(",")[0], len(texts), divides))
        return ["%s %s on %s: %d instructions and %d divisions, not at most %d and %d" % (
            name, case, cpu, len(texts), divides, most, divisions)] if len(texts) > most or divides > divisions else []

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [line for lines in pool.map(check, COSTS.items()) for line in lines]


def main():
    parser = argparse.ArgumentParser()
    for name in ("clang", "qemu", "driver", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--mca", help="a newer one, besides those in the path")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    complaints = every_function(options) + costs_of_runs(options)
    try:
        mcas = [mca for mca in kc.open_mcas(None) if mca.version >= 19]
    except SystemExit:
        mcas = []
    mcas += [kc.Mca(options.mca)] if options.mca else []
    if not mcas:
        print("SKIPPED the known answers: no llvm-mca of LLVM 19 or newer")
    else:
        newest = max(mca.version for mca in mcas)
        print("llvm-mca of LLVM %s" % ", ".join(str(mca.version) for mca in mcas))
        late = sorted(cpu for cpu, least in kc.MIN_LLVM.items() if least > newest)
        if late:
            print("SKIPPED models of a newer LLVM: " + ", ".join(late))
        complaints += known_answers(options, mcas) + shared_library(options, mcas) + farm_scheme(options)
    print("\n".join(complaints) or "all as expected")
    sys.exit(1 if complaints else 0 if mcas else 77)


if __name__ == "__main__":
    main()
