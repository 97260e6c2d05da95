#!/usr/bin/env python3
"""Draws MAC per cycle over the number of rows, this library's GEMMs and the anchors: docs/few-rows.svg.

  curves.py DRIVER QEMU ROWS.csv [OUT.svg]

DRIVER is the program that driver.cpp makes. What ROWS.csv has already is not measured again. Called by
`./kai.sh curves`.

SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import csv
import os
import re
import subprocess
import sys

import matplotlib

import suite

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

CPUS = ["neoverse-n3", "neoverse-v2"]
ROWS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32, 48]
SHAPE = {"n": 48, "k": 512}

# title, GEMM, GEMV of the same RHS
FAMILIES = [
    ("qai8dxp x int4, block 32", "matmul_clamp_f32_qai8dxp4x8_qsi4c32p4x8_16x4x32_neon_i8mm",
     "matmul_clamp_f32_qai8dxp1x8_qsi4c32p4x8_1x4x32_neon_dotprod"),
    ("qai8dxp x int4, block 32", "matmul_clamp_f32_qai8dxp4x4_qsi4c32p4x4_16x4_neon_dotprod",
     "matmul_clamp_f32_qai8dxp1x4_qsi4c32p4x4_1x4_neon_dotprod"),
    ("qai8dxp x int4 per channel", "matmul_clamp_f32_qai8dxp4x8_qsi4cxp4x8_8x4x32_neon_i8mm",
     "matmul_clamp_f32_qai8dxp1x8_qsi4cxp4x8_1x4x32_neon_dotprod"),
    ("qai8dxp x int4 per channel", "matmul_clamp_f32_qai8dxp4x8_qsi4cxp4x4_16x4x32_neon_dotprod",
     "matmul_clamp_f32_qai8dxp1x4_qsi4cxp4x4_1x4_neon_dotprod"),
    ("qai8dxp x int8 per channel", "matmul_clamp_f32_qai8dxp4x8_qsi8cxp4x8_16x4_neon_i8mm",
     "matmul_clamp_f32_qai8dxp1x8_qsi8cxp4x8_1x4_neon_dotprod"),
    ("qai8dxp x int8 per channel", "matmul_clamp_f32_qai8dxp4x4_qsi8cxp4x4_16x4_neon_dotprod",
     "matmul_clamp_f32_qai8dxp1x4_qsi8cxp4x4_1x4_neon_dotprod"),
    ("qsi8d32p x int4, block 32", "matmul_clamp_f32_qsi8d32p4x8_qsi4c32p4x8_16x4_neon_i8mm",
     "matmul_clamp_f32_qsi8d32p1x8_qsi4c32p4x8_1x4x32_neon_dotprod"),
    ("qsi8d32p x int4, block 32", "matmul_clamp_f32_qsi8d32p4x4_qsi4c32p4x4_16x4_neon_dotprod",
     "matmul_clamp_f32_qsi8d32p1x4_qsi4c32p4x4_1x4_neon_dotprod"),
    ("qsi8d32p x int4 and zeros, block 32", "matmul_clamp_f32_qsi8d32p4x8_qai4c32p4x8_8x4_neon_i8mm",
     "matmul_clamp_f32_qsi8d32p1x8_qai4c32p4x8_1x4_neon_dotprod"),
    ("qsi8d32p x int4 and zeros, block 32", "matmul_clamp_f32_qsi8d32p4x4_qai4c32p4x4_8x4_neon_dotprod",
     "matmul_clamp_f32_qsi8d32p1x4_qai4c32p4x4_1x4_neon_dotprod"),
    ("qai8dxp x int2 per channel", "matmul_clamp_f32_qai8dxp4x4_qsu2cxp4x4bf32sf32_8x4_neon_dotprod",
     "matmul_clamp_f32_qai8dxp1x4_qsu2cxp4x4bf32sf32_1x4_neon_dotprod"),
]


def load(path):
    """(function, CPU, m) -> MAC per cycle; of several compilers the better one."""
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return best_of((row["name"], row["cpu"], row["shape"], int(row["cycles"])) for row in csv.DictReader(file))


def load_anchors():
    anchors = suite.load_anchors(os.path.join(suite.HERE, "anchors.csv"))
    return best_of((name, cpu, shape, cycles) for (name, shape), all_cycles in anchors.items()
                   for cpu, cycles in all_cycles.items())


def best_of(rows):
    figures = {}
    for name, cpu, text, cycles in rows:
        shape = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", text)}
        if "m" in shape and shape.get("n") == SHAPE["n"] and shape.get("k") == SHAPE["k"]:
            key = (name, cpu, shape["m"])
            figures[key] = max(figures.get(key, 0), shape["m"] * shape["n"] * shape["k"] / cycles)
    return figures


def measure(driver, qemu, rows_csv, name, m):
    command = [sys.executable, os.path.join(suite.HERE, "kai_cycles.py"), "--callee-of", "kai_perf_region",
               "--qemu", qemu, "--cpu", ",".join(CPUS), "--name", name, "--csv", rows_csv, driver, "--", name,
               "m=%d" % m]
    command += ["%s=%d" % pair for pair in SHAPE.items()]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def draw(figures, anchors, out):
    matplotlib.rcParams.update({"svg.hashsalt": "few-rows", "svg.fonttype": "none", "font.size": 8})
    fig, all_axes = pyplot.subplots(len(FAMILIES), len(CPUS), figsize=(9, 2.1 * len(FAMILIES)), sharex=True)
    for axes_of_family, (title, gemm, gemv) in zip(all_axes, FAMILIES):
        for axes, cpu in zip(axes_of_family, CPUS):
            points = [(m, figures[gemm, cpu, m]) for m in ROWS if (gemm, cpu, m) in figures]
            theirs = sorted((m, x) for (name, c, m), x in anchors.items() if name == gemm and c == cpu)
            axes.plot(*zip(*points), marker=".", label="this library")
            if theirs:
                axes.plot(*zip(*theirs), marker="x", linestyle="--", label="anchor")
            if (gemv, cpu, 1) in figures:
                axes.axhline(figures[gemv, cpu, 1], linestyle=":", color="gray", label="as many GEMV calls")
            axes.set_xscale("log", base=2)
            axes.set_xticks([1, 2, 4, 8, 16, 32], ["1", "2", "4", "8", "16", "32"])
            axes.set_ylim(bottom=0)
            axes.grid(alpha=0.3)
            axes.set_title("%s, %s, %s" % (title, gemm.rsplit("_", 1)[1], cpu))
    all_axes[0][0].legend(loc="lower right")
    for axes in all_axes[-1]:
        axes.set_xlabel("m")
    for axes_of_family in all_axes:
        axes_of_family[0].set_ylabel("MAC per cycle")
    fig.tight_layout()
    fig.savefig(out, metadata={"Date": None})


def main():
    driver, qemu, rows_csv = sys.argv[1:4]
    figures = load(rows_csv)
    todo = [(gemm, m) for _, gemm, _ in FAMILIES for m in ROWS if (gemm, CPUS[-1], m) not in figures]
    todo += [(gemv, 1) for _, _, gemv in FAMILIES if (gemv, CPUS[-1], 1) not in figures]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for job in [pool.submit(measure, driver, qemu, rows_csv, *case) for case in todo]:
            job.result()
    if len(sys.argv) > 4:
        draw(load(rows_csv), load_anchors(), sys.argv[4])


if __name__ == "__main__":
    main()
