#!/usr/bin/env python3
"""Prints the table of docs/performance.md: cycles_table.py ANCHORS.csv CLANG.csv GCC.csv

A cell is "clang / gcc" in MAC per cycle (kernels) or cycles per source element (packers), then the speed-up of the
clang build over the anchor; the faster compiler of the anchor counts. Made from the files of `./kai.sh cycles`.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import sys

CPUS = ["neoverse-n1", "neoverse-n3", "neoverse-v2", "inorder-a55", "inorder-a510", "c1-ultra-sme"]


def load(path):
    """(function, shape) -> CPU -> row; of several rows the one with the fewest cycles."""
    best = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            cell = best.setdefault((row["name"], row["shape"]), {})
            if row["cpu"] not in cell or int(row["cycles"]) < int(cell[row["cpu"]]["cycles"]):
                cell[row["cpu"]] = row
    return best


def is_packer(key):
    return "_pack_" in key[0]


def figure(row):
    if row is None:
        return "-"
    per_element = float(row["cycles_per_element"] or 0)
    return "%.3f" % per_element if per_element else "%.1f" % float(row["mac_per_cycle"])


def table(title, names, cpus, anchors, clang, gcc):
    print("\n%s\n\n| function, shape | %s |\n|---%s|" % (title, " | ".join(cpus), "|---" * len(cpus)))
    for key in names:
        cells = []
        for cpu in cpus:
            ours, theirs = clang[key].get(cpu), anchors.get(key, {}).get(cpu)
            if ours is None:
                cells.append("")
                continue
            speed_up = ", %.2fx" % (int(theirs["cycles"]) / int(ours["cycles"])) if theirs else ""
            cells.append("%s / %s%s" % (figure(ours), figure(gcc.get(key, {}).get(cpu)), speed_up))
        print("| `%s` %s | %s |" % (key[0], key[1].replace(",", " "), " | ".join(cells)))


def main():
    anchors, clang, gcc = (load(path) for path in sys.argv[1:4])
    sme = [key for key in clang if "c1-ultra-sme" in clang[key]]
    sve = sorted(key for key in clang if "_sve" in key[0])
    neon = [key for key in clang if key not in sme and key not in sve]
    kernels = sorted(key for key in neon if not is_packer(key))
    table("**NEON kernels, MAC per cycle**", kernels, CPUS[:5], anchors, clang, gcc)
    table("**NEON packers, cycles per element**", sorted(set(neon) - set(kernels)), CPUS[:5], anchors, clang, gcc)
    kernels = [key for key in sve if not is_packer(key)]
    table("**SVE kernels (256 bits), MAC per cycle**", kernels, ["neoverse-v1", "c1-ultra"], anchors, clang, gcc)
    packers = [key for key in sve if is_packer(key)]
    table("**SVE packers (256 bits), cycles per element**", packers, ["neoverse-v1"], anchors, clang, gcc)
    kernels = sorted(key for key in sme if not is_packer(key))
    table("**SME kernels, MAC per cycle**", kernels, CPUS[5:], anchors, clang, gcc)
    table("**SME packers, cycles per element**", sorted(set(sme) - set(kernels)), CPUS[5:], anchors, clang, gcc)


if __name__ == "__main__":
    main()
