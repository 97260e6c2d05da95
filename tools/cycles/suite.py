#!/usr/bin/env python3
"""Predicts the cycles of all functions of the library on fixed shapes, and compares two results.

  suite.py run --driver DRIVER --label NAME --csv OUT.csv [--only REGEX] [--cpus CPU,...] [--cases CLASSES.csv]
  suite.py compare ANCHORS.csv NEW.csv [--only REGEX]

DRIVER is the program that driver.cpp makes. Functions of anchors.csv are measured on the shapes that stand there,
others on shapes of their kind; with --cases nothing but what is listed there, on the newer cores. What OUT.csv has
already is not measured again.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import csv
import math
import os
import re
import subprocess
import sys
import threading
import types

import kai_cycles as kc

HERE = os.path.dirname(os.path.abspath(__file__))

OUT_OF_ORDER = ["neoverse-n3", "neoverse-v2"]
CPUS = {
    "neon": ["neoverse-n1"] + OUT_OF_ORDER + ["inorder-a55", "inorder-a510"],
    "dotprod": ["neoverse-n1"] + OUT_OF_ORDER + ["inorder-a55", "inorder-a510"],
    "i8mm": OUT_OF_ORDER + ["inorder-a510"],
    "bf16": OUT_OF_ORDER + ["inorder-a510"],
    "armv8.0": ["cortex-a57", "cortex-a72", "inorder-a53", "inorder-a55"],
    "sve": ["neoverse-v1"],
    "sme": ["c1-ultra-sme"],
}
NEWER = ["olympus", "neoverse-v3", "c1-ultra", "oryon-1", "ampere1b", "inorder-c1-nano"]
FEW_ROWS = (2, 4, 8)
# Whole runs of the GEMM layer: what they cost beside the kernel shows on small shapes. `on`: the CPU of QEMU for which
# the layer chooses its kernels.
GEMM_RUN = "kai_gemm_run_"
CONV_RUN = "kai_conv_run_"    # 3 x 3


def group_of(name):
    for part, group in (("_sme", "sme"), ("_sve", "sve"), ("_i8mm", "i8mm"), ("bf16", "bf16"),
                        ("_dotprod", "dotprod"), ("_mlal", "armv8.0")):
        if part in name:
            return group
    return "armv8.0" if re.search(r"qau8|qasu8", name) else "neon"


def load_anchors(path):
    """(function, shape) -> CPU -> cycles"""
    with open(path) as file:
        return {(row["name"], row["shape"]): {cpu: int(cycles) for cpu, cycles in row.items()
                                              if cycles and cpu not in ("name", "shape")}
                for row in csv.DictReader(file)}


def cases_of(name, anchors):
    """[arguments of the driver and the vector length in bits: "m=1 n=48 k=512 vl=512"] of a function"""
    known = [shape for function, shape in anchors if function == name]
    few_bf16 = ["m=%d n=96 k=256" % m for m in FEW_ROWS] if "bf16p8x4_bf16p12x4b" in name else []
    if known:
        return known + few_bf16
    if name.startswith(GEMM_RUN):
        shapes = ("m=1 n=16 k=%d" % (256 if "gguf" in name else 32 if "block" in name else 16), "m=2 n=48 k=256")
        return [shape + where for where in (" on=neoverse-n2", " sme=1 vl=512") for shape in shapes]
    if name.startswith(CONV_RUN):
        return ["side=12 c=64 n=64 on=neoverse-n2"]
    if name.startswith("dwconv_"):
        return ["side=28 n=64" + (" vl=512" if group_of(name) == "sme" else "")]
    group = group_of(name)
    vl = {"sme": " vl=512", "sve": " vl=256"}.get(group, "")
    # As TQ2_0 and Q1_0 have; of others 32.
    bl = " bl=256" if "_qsi2c32p" in name else " bl=128" if "_qsi1c32p" in name else ""
    if "_pack_" in name:
        if "lhs" in name:
            return ["m=16 k=1024" + vl] if not vl else ["m=64 k=512" + vl]
        return [("n=64 k=256" if vl else "n=48 k=256") + vl]
    if re.search(r"_1x\d+|_1x4vl|p1x\d+_", name) and "1vlx" not in name:
        return ["m=1 n=%d k=1024" % (256 if group == "sme" else 48) + bl + vl]
    if name.startswith("imatmul_") and group != "sme":     # 3 x 3, 64 channels
        return ["m=48 n=64 k=576 kc=64" + vl]
    if group == "sme":
        return ["m=64 n=64 k=512" + vl]
    n = 64 if re.search(r"_6x32|_6x\dvl", name) else 48
    k = 128 if "_f32_f32_f32" in name else 256 if "_f16_f16_f16" in name or "bf16p8x4" in name else 512
    cases = ["m=48 n=%d k=%d" % (n, k) + bl + vl]
    if group in ("dotprod", "i8mm", "armv8.0"):     # few rows: batches, speculative decoding, short prompts
        cases += ["m=%d n=48 k=512" % m + bl for m in FEW_ROWS]
    return cases + few_bf16


def cpus_of(name, case):
    return CPUS["sme"] if "sme=1" in case else OUT_OF_ORDER if name.startswith((GEMM_RUN, CONV_RUN)) else \
        CPUS[group_of(name)]


lock = threading.Lock()


def listed_cases(path):
    """[function, arguments of the driver, models] of classes.csv"""
    with open(path) as file:
        return [(row["function"], row["shape"], row["models"].split() or NEWER) for row in csv.DictReader(file)]


def run_one(name, case, cpus, options, binary, mcas):
    words = case.split()
    vl = next((int(w[3:]) // 8 for w in words if w.startswith("vl=")), 16)
    how = types.SimpleNamespace(qemu=options.qemu, symbol=None, callee_of="kai_perf_region", nth=1, max_insns=5000000)
    on = [word for word in words if word.startswith("on=")]
    how.qemu_cpu = on[0][3:] if on else "max,sve-default-vector-length=%d,sme-default-vector-length=%d" % (vl, vl)
    trace, out = kc.record(how, binary, [name] + words)
    facts = kc.facts_of(out)
    texts, analysis = kc.analyse(trace, binary, vl, None)
    rows = kc.measure(texts, analysis, facts, cpus, mcas, name=name)
    for row in rows:
        row["compiler"] = options.label
        row["shape"] = row["shape"].replace(",", " ") + "".join(" " + word for word in on) + \
            (" vl=%d" % (vl * 8) if vl != 16 else "")
    with lock:
        kc.append_csv(options.csv, rows)
        for row in rows:
            figure = "%.3f cycles/element" % row["cycles_per_element"] if "cycles_per_element" in row else \
                "%7.2f MAC/cycle  utilization %5.1f%%  mix limit %5.1f%%" % (
                    row["mac_per_cycle"], 100 * row["utilization"], 100 * row["mix_limit"])
            print("%s [%s] %s: %d instructions, %d cycles, %s" % (
                name, row["shape"], row["cpu"], row["instructions"], row["cycles"], figure), flush=True)


def run(options):
    binary = kc.Binary(options.driver, kc.find_objdump(options.objdump))
    mcas = kc.open_mcas(options.mca)
    options.qemu = kc.find_tool(options.qemu, ["qemu-aarch64", "qemu-aarch64-static"])
    options.cpus = options.cpus.split(",") if options.cpus else None
    anchors = load_anchors(options.anchors)
    names = subprocess.run([options.qemu, "-cpu", "max", options.driver, "--list"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    done = set()
    if os.path.exists(options.csv):
        with open(options.csv) as file:
            done = {(row["name"], row["compiler"], row["cpu"], row["shape"]) for row in csv.DictReader(file)}

    def measured(name, cpu, case):
        return any(d[:3] == (name, options.label, cpu) and set(d[3].split()).issuperset(case.split()) for d in done)

    if options.cases:
        cases = listed_cases(options.cases)
    else:
        cases = [(name, case, cpus_of(name, case)) for name in names for case in cases_of(name, anchors)]
    todo = []
    for name, case, cpus in cases:
        left = [cpu for cpu in options.cpus or cpus if not measured(name, cpu.partition("@")[0], case)]
        if left and re.search(options.only, name):
            todo.append((name, case, left))
    print("%d cases" % len(todo), flush=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(run_one, *one, options, binary, mcas): one for one in todo}
        for job in concurrent.futures.as_completed(jobs):
            try:
                job.result()
            except (Exception, SystemExit) as error:    # keep going: one bad case must not lose the rest
                failed += 1
                print("FAILED %s [%s]: %s" % (*jobs[job][:2], str(error)[:300]), flush=True)
    return 1 if failed else 0


def load_best(path):
    """(function, shape) -> CPU -> row; of several rows the one with the fewest cycles."""
    best = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            cell = best.setdefault((row["name"], row["shape"]), {})
            if row["cpu"] not in cell or int(row["cycles"]) < int(cell[row["cpu"]]["cycles"]):
                cell[row["cpu"]] = row
    return best


def compare(options):
    anchors, new = load_anchors(options.anchor), load_best(options.new)
    ratios, without = [], []
    print("%-76s %-30s %-12s %9s %9s %8s" % ("function", "shape", "cpu", "anchor", "new", "speed-up"))
    for name, shape in sorted(new):
        for cpu, row in sorted(new[name, shape].items()):
            theirs, ours = anchors.get((name, shape), {}).get(cpu), int(row["cycles"])
            if theirs is None:
                figure = row["cycles_per_element"] + " cycles/element" if row["cycles_per_element"] else \
                    row["mac_per_cycle"] + " MAC/cycle"
                without.append("%-76s %-30s %-12s %19d  %s" % (name, shape, cpu, ours, figure))
                continue
            ratios.append(theirs / ours)
            slower = "  <-- slower" if ours > theirs * (1 + options.tolerance) else ""
            print("%-76s %-30s %-12s %9d %9d %8.3f%s" % (name, shape, cpu, theirs, ours, theirs / ours, slower))
    if without:
        print("\nWithout an anchor:")
        print("\n".join(without))
    if ratios:
        print("%d pairs, geometric mean of the speed-up %.3f, slower than the anchor: %d" % (
            len(ratios), math.exp(sum(map(math.log, ratios)) / len(ratios)),
            sum(r < 1 - options.tolerance for r in ratios)))
    return 1 if any(r < 1 - options.tolerance for r in ratios) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    r = commands.add_parser("run")
    r.add_argument("--driver", required=True)
    r.add_argument("--label", default="")
    r.add_argument("--csv", required=True)
    r.add_argument("--only", default="")
    r.add_argument("--cpus", help="instead of the list of the function's group")
    r.add_argument("--cases", help="classes.csv: functions, shapes and models")
    r.add_argument("--anchors", default=os.path.join(HERE, "anchors.csv"))
    r.add_argument("--jobs", type=int, default=os.cpu_count())
    r.add_argument("--qemu")
    r.add_argument("--objdump")
    r.add_argument("--mca", action="append")
    c = commands.add_parser("compare")
    c.add_argument("anchor")
    c.add_argument("new")
    c.add_argument("--tolerance", type=float, default=0.01)
    options = parser.parse_args()
    sys.exit(run(options) if options.command == "run" else compare(options))


if __name__ == "__main__":
    main()
