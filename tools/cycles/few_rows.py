#!/usr/bin/env python3
"""Predicts the integer GEMMs at few rows, and lists where more rows do not help.

  few_rows.py --driver DRIVER --csv OUT.csv [--only REGEX] [--cpus CPU,...] [--k K,...] [--rows M,...]

The cycles of every number of rows are compared with the anchor of the same shape, with as many calls of the one-row
kernel for the same RHS, and with as many rows at the speed of any smaller number of rows. SMMLA multiplies rows in
pairs, so an odd number counts as the next even one in the last comparison. What OUT.csv has already is not measured
again. Called by `./kai.sh rows`.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import concurrent.futures
import csv
import os
import re
import subprocess

import kai_cycles as kc
import suite

ROWS = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16]
GEMM = re.compile(r"(matmul_clamp_[a-z0-9]+_q[a-z0-9]+?)p4x\d_(q[a-z0-9]+)_\d+x\d+(x32)?_(neon|sve)_(i8mm|dotprod)$")
DEEP_CPUS = suite.OUT_OF_ORDER      # for k other than 512


def gemv_of(gemm, names):
    """The one-row kernel of the same operands, or None."""
    lhs, rhs = GEMM.match(gemm).group(1, 2)
    one_row = re.compile(r"%sp1x\d_%s_1x" % (lhs, rhs))
    return next((name for name in names if one_row.match(name)), None)


def facts(shape):
    return {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", shape)}


class Figures:
    """Cycles of a function on a CPU at m x 48 x k."""

    def __init__(self, path):
        self.cycles = collections.defaultdict(dict)     # function, CPU, k -> m -> cycles
        if os.path.exists(path):
            with open(path) as file:
                for row in csv.DictReader(file):
                    self.add(row["name"], row["cpu"], row["shape"], int(row["cycles"]))

    def add(self, name, cpu, shape, cycles):
        of = facts(shape)
        if "m" in of and of.get("n") == 48:
            rows = self.cycles[name, cpu, of["k"]]
            rows[of["m"]] = min(cycles, rows.get(of["m"], cycles))


def anchor_figures():
    figures = Figures("")
    for (name, shape), all_cycles in suite.load_anchors(os.path.join(suite.HERE, "anchors.csv")).items():
        for cpu, cycles in all_cycles.items():
            figures.add(name, cpu, shape, cycles)
    return figures.cycles


def measure(cases, options):
    """Appends the figures of (function, shape, CPUs) to options.csv, unless they are there."""
    binary = kc.Binary(options.driver, kc.find_objdump(options.objdump))
    mcas = kc.open_mcas(options.mca)
    options.qemu = kc.find_tool(options.qemu, ["qemu-aarch64", "qemu-aarch64-static"])
    have = Figures(options.csv).cycles

    def one(case):
        name, shape, cpus = case
        of = facts(shape)
        cpus = [cpu for cpu in cpus if of["m"] not in have[name, cpu, of["k"]]]
        if cpus:
            how = argparse.Namespace(**dict(vars(options), cpus=cpus, label=""))
            suite.run_one(name, shape, how, binary, mcas)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, cases))


def names_of(options):
    return subprocess.run([options.qemu, "-cpu", "max", options.driver, "--list"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()


def check(figures, anchors, names, tolerance):
    """Prints what is slower than it should be."""
    found = compared = 0
    for (name, cpu, k), rows in sorted(figures.items()):
        if not GEMM.match(name):
            continue
        gemv = figures.get((gemv_of(name, names), cpu, k), {}).get(1)
        theirs = anchors.get((name, cpu, k), {})
        for m, cycles in sorted(rows.items()):
            counted = m + m % 2 if name.endswith("i8mm") else m
            others = {"%d rows" % less: fewer * counted // less for less, fewer in rows.items() if less < m}
            if gemv and m > 1:
                others["%d GEMV calls" % m] = m * gemv
            most = min(others, key=others.get, default=None)
            others = {what: other for what, other in (("the anchor", theirs.get(m)), (most, others.get(most))) if other}
            compared += len(others)
            for what, other in others.items():
                if cycles > other * (1 + tolerance):
                    found += 1
                    print("%-68s %-12s k=%-4d m=%-2d %6d cycles, %5.2f MAC per cycle: %.3f of %s" % (
                        name, cpu, k, m, cycles, m * 48 * k / cycles, other / cycles, what))
    print("%d comparisons, %d slower by more than %d %%" % (compared, found, round(100 * tolerance)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--driver", required=True)
    parser.add_argument("--csv", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--cpus", help="instead of those of a function's group")
    parser.add_argument("--k", default="512,4096")
    parser.add_argument("--rows", default=",".join(map(str, ROWS)))
    parser.add_argument("--tolerance", type=float, default=0.01)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--qemu")
    parser.add_argument("--objdump")
    parser.add_argument("--mca", action="append")
    options = parser.parse_args()
    names = names_of(options)
    gemms = [name for name in names if GEMM.match(name) and re.search(options.only, name)]
    cases = []
    for k in options.k.split(","):
        for name in gemms:
            group = suite.group_of(name)
            cpus = options.cpus.split(",") if options.cpus else suite.CPUS[group]
            if k != "512":
                cpus = [cpu for cpu in cpus if cpu in DEEP_CPUS or group == "sve"]
            shape = "n=48 k=%s" % k + (" vl=256" if group == "sve" else "")
            cases += [(name, "m=%s %s" % (m, shape), cpus) for m in options.rows.split(",")]
            cases += [(gemv, "m=1 " + shape, cpus) for gemv in [gemv_of(name, names)] if gemv]
    measure(list(dict.fromkeys((name, shape, tuple(cpus)) for name, shape, cpus in cases)), options)
    check(Figures(options.csv).cycles, anchor_figures(), names, options.tolerance)


if __name__ == "__main__":
    main()
