#!/usr/bin/env python3
"""Whole runs of the GEMM layer beside the best rival of each class: the tables of docs/performance/whole-calls.md.

  whole_calls.py --driver DRIVER --qemu QEMU [--mca LLVM-MCA-23] [--only REGEX] [--page PAGE]

Prints a row for each run and, with --page, writes the tables between the marks of that page. Rows that --only leaves
out stay as they are there.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import os
import re
import types

import kai_cycles as kc

# Model -> what QEMU runs as, which is what the layer chooses kernels for.
ON = {"neoverse-n3": "neoverse-n2", "neoverse-v2": "neoverse-n2", "olympus": "neoverse-n2", "c1-ultra": "neoverse-n2",
      "neoverse-n1": "neoverse-n1", "inorder-a510": "cortex-a710", "inorder-a55": "cortex-a55",
      "c1-ultra-sme": "max,sve-default-vector-length=64,sme-default-vector-length=64"}
BIG = ("neoverse-n3", "neoverse-v2", "olympus")

# (class, arguments of the driver, model -> the rival's figure or None). MAC per cycle.
RATES = [
    ("static int8 on SME2", "int8_static m=1 n=1024 k=1024 sme=1", {"c1-ultra-sme": 124.4}),
    ("f16 on SME2", "f16 f16=1 m=1 n=1024 k=1024 sme=1", {"c1-ultra-sme": 63.1}),
    ("bf16 on SME2", "bf16_to_f32 m=1 n=1024 k=1024 sme=1", {"c1-ultra-sme": 63.4}),
    ("static int8 on SME2", "int8_static m=64 n=128 k=256 sme=1", {"c1-ultra-sme": 338}),
    ("static int8 on SME2", "int8_static m=37 n=128 k=512 sme=1", {"c1-ultra-sme": 380}),
    ("bf16", "bf16_to_f32 m=2 n=96 k=256", {"neoverse-n3": 17.0}),
    ("bf16", "bf16_to_f32 m=3 n=96 k=256", {"neoverse-n3": 15.7}),
    ("bf16", "bf16_to_f32 m=4 n=96 k=256", {"neoverse-n3": 17.1}),
    ("bf16", "bf16_to_f32 m=5 n=96 k=256", {"neoverse-n3": 15.9}),
    ("bf16", "bf16_to_f32 m=6 n=96 k=256", {"neoverse-n3": 17.6}),
    ("bf16", "bf16_to_f32 m=8 n=96 k=256", {"neoverse-n3": 24.5}),
    ("f32, few rows", "f32 m=2 n=48 k=256", {"neoverse-n3": 7.3}),
    ("Q2_K", "gguf type=10 m=1 n=48 k=1024", {"neoverse-n3": 4.9, "neoverse-v2": 7.6, "olympus": 11.0}),
    ("static int8", "int8_static m=1 n=256 k=256", {"neoverse-n3": 22.8, "neoverse-v2": 32.4}),
    ("static int8", "int8_static m=4 n=256 k=256", {"neoverse-n3": 49.2, "neoverse-v2": 92.1}),
    ("static int8", "int8_static m=64 n=256 k=256", {  # the rival's: 256 x 256 x 256
        "neoverse-n3": 44.8, "neoverse-v2": 88.7, "olympus": 132, "inorder-a510": 34.9}),
    ("static int8", "int8_static m=36 n=256 k=256", {"inorder-a55": 9.8}),
    ("low precision, int8", "int8_lowp m=64 n=128 k=256", {
        "neoverse-n3": 44.8, "neoverse-v2": 88.7, "olympus": 132, "inorder-a510": 34.9}),
    ("low precision, int8", "int8_lowp m=36 n=256 k=256", {"inorder-a55": 9.8}),
    ("low precision, B as it lies", "int8_lowp constant=0 m=16 n=256 k=256", {
        "neoverse-n3": None, "neoverse-v2": None, "neoverse-n1": None, "inorder-a55": None}),
    ("int8 to int32", "int8_to_int32 m=64 n=256 k=256", {"neoverse-n3": 52.1, "neoverse-v2": 100}),
    ("f16, sums in f32", "f16_to_f32 m=96 n=96 k=256", {"neoverse-n3": 7.8, "neoverse-v2": 15.5}),
    ("f32", "f32 m=96 n=96 k=256", {"inorder-a55": 2.88, "inorder-a510": 6.79}),
    ("f16, sums in f16", "f16 f16=1 m=96 n=96 k=256", {"inorder-a55": 6.23, "inorder-a510": None}),
    ("static int8", "int8_static m=224 n=64 k=576", {"neoverse-n3": 51, "neoverse-v2": 101, "olympus": 152}),
]
# The same in cycles: what a run costs.
CYCLES = [
    ("f32", "f32 m=1 n=16 k=16", {"neoverse-n3": 439, "neoverse-v2": 291}),
    ("f16, sums in f32", "f16_to_f32 m=1 n=16 k=16", {"neoverse-n3": 320, "neoverse-v2": None}),
    ("static int8 on SME2", "int8_static m=1 n=16 k=16 sme=1", {"c1-ultra-sme": 176}),
]
# Planning, in cycles.
PLANS = [
    ("f32", "f32 m=1 n=16 k=16"), ("static int8", "int8_static m=4 n=256 k=256"),
    ("low precision, int8", "int8_lowp m=4 n=256 k=256"), ("int4 in blocks", "int4_block m=4 n=256 k=256"),
    ("Q4_K", "gguf type=12 m=4 n=256 k=256"), ("Q5_1", "gguf type=7 m=4 n=256 k=256"),
]
# Bits that one row reads of a weight: (type, its number, ggml's: those of the file).
BITS = [("TQ2_0", 35, 2.06), ("TQ1_0", 34, 1.69), ("Q1_0", 41, 1.13), ("Q2_0", 42, 2.25), ("Q3_K", 11, 3.44)]
# Q5_1 on the same machine: with NEON, and as f32 with SME2.
CHOICES = [(m, "%s m=%d n=256 k=1024%s" % (run, m, sme), model) for m in (1, 4, 8, 16, 48)
           for run, sme, model in (("gguf type=7", "", "c1-ultra"), ("f32", " sme=1", "c1-ultra-sme"))]


def traced(options, binary, case, model, symbol=None):
    """A row of kai_cycles.measure, of a run on a model."""
    name, _, rest = ("kai_gemm_run_" + case).partition(" ")
    if model == "inorder-a510":
        rest += " core=2"   # QEMU has no Cortex-A510
    args = types.SimpleNamespace(qemu=options.qemu, qemu_cpu=ON[model], symbol=symbol, nth=1, max_insns=8000000,
                                 callee_of=None if symbol else "kai_perf_region")
    trace, out = kc.record(args, binary, [name] + rest.split())
    texts, analysis = kc.analyse(trace, binary, 64 if model == "c1-ultra-sme" else 16, None)
    return kc.measure(texts, analysis, kc.facts_of(out), [model], options.mcas, name=name)[0]


def number(x):
    return "" if x is None else str(x) if isinstance(x, int) else "%.4g" % x if x < 100 else "%.1f" % x


def shape_of(case):
    """m x n x k of the arguments."""
    return " x ".join(re.search(r"\b%s=(\d+)" % x, case).group(1) for x in "mnk")


class Tables:
    """What is asked for, in parallel."""

    def __init__(self, options):
        self.options, self.binary = options, kc.Binary(options.driver, kc.find_objdump(options.objdump))
        self.pool = concurrent.futures.ThreadPoolExecutor(options.jobs)

    def many(self, lines, value, more_is_better, unit):
        """A row per model of each line."""
        asked = [(what, case, model, rival, self.pool.submit(traced, self.options, self.binary, case, model))
                 for what, case, rivals in lines for model, rival in rivals.items()
                 if re.search(self.options.only, "%s %s %s" % (what, case, model))]
        rows = ["| class | rows x columns x k | model | rival | ours, %s | | `kai_gemm_run_...` |" % unit,
                "|---|---|---|---|---|---|---|"]
        for what, case, model, rival, future in asked:
            ours = value(future.result())
            better = rival is None or (ours >= rival if more_is_better else ours <= rival)
            rows.append("| %s | %s | %s | %s | %s | %s | `%s` |" % (
                what, shape_of(case), model, number(rival), number(ours), "" if better else "behind", case))
            print(rows[-1], flush=True)
        return rows

    def plans(self):
        asked = [(what, shape_of(case), [self.pool.submit(traced, self.options, self.binary, case, model,
                                                          "kai_gemm_make_plan") for model in BIG[:2]])
                 for what, case in PLANS if re.search(self.options.only, "planning " + case)]
        rows = ["| weights | rows x columns x k | instructions | neoverse-n3, cycles | neoverse-v2 |",
                "|---|---|---|---|---|"]
        for what, shape, futures in asked:
            results = [future.result() for future in futures]
            rows.append("| %s | %s | %d | %d | %d |" % (
                what, shape, results[0]["instructions"], results[0]["cycles"], results[1]["cycles"]))
            print(rows[-1], flush=True)
        return rows

    def bits(self):
        rows = ["| type | ggml | packed here |", "|---|---|---|"]
        if not re.search(self.options.only, "bits"):
            return rows
        n, k = 64, 1024
        for name, type_id, rival in BITS:
            row = traced(self.options, self.binary, "gguf type=%d m=1 n=%d k=%d" % (type_id, n, k), "neoverse-n3")
            rows.append("| %s | %.2f | %.2f |" % (name, rival, 8 * row["packed_bytes"] / (n * k)))
            print(rows[-1], flush=True)
        return rows

    def choices(self):
        rows = ["| rows | Q5_1, NEON, c1-ultra | as f32, c1-ultra-sme |", "|---|---|---|"]
        asked = [(m, self.pool.submit(traced, self.options, self.binary, case, model)) for m, case, model in CHOICES
                 if re.search(self.options.only, "choice " + case)]
        for (m, neon), (_, sme) in zip(asked[::2], asked[1::2]):
            rows.append("| %d | %s | %s |" % (m, *(number(x.result()["mac_per_cycle"]) for x in (neon, sme))))
            print(rows[-1], flush=True)
        return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("--mca", action="append", help="besides the installed ones")
    parser.add_argument("--objdump")
    parser.add_argument("--only", default="", help="of class, arguments and model")
    parser.add_argument("--page")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.mcas = kc.open_mcas(None) + [kc.Mca(path) for path in options.mca or []]
    tables = Tables(options)
    parts = {"cycles": tables.many(CYCLES, lambda r: r["cycles"], False, "cycles"), "plans": tables.plans(),
             "bits": tables.bits(), "choices": tables.choices(),
             "rates": tables.many(RATES, lambda r: r["mac_per_cycle"], True, "MAC per cycle")}
    if options.page:
        with open(options.page) as file:
            text = file.read()
        for name, rows in parts.items():
            if len(rows) > 2:
                text = re.sub(r"(<!-- whole_calls.py: %s -->\n).*?(<!-- end -->)" % name,
                              lambda m: m.group(1) + "\n".join(rows) + "\n" + m.group(2), text, flags=re.S)
        with open(options.page, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
