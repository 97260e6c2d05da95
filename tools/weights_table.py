#!/usr/bin/env python3
"""Predicted speed by the kind of weights: the second table of docs/weights.md.

    weights_table.py --write | --check

docs/which-kernel.md says which kernel a CPU takes, docs/performance/cycles.csv what was predicted for it: multiply-adds
per cycle of one row, and of the most rows. --check: exit status 1 if the page has another table.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
BEGIN, END = "<!-- written by tools/weights_table.py -->\n", "<!-- end -->"
CPUS = [("Cortex-A55", "Cortex-A55", ["inorder-a55"]), ("Neoverse N1", "Neoverse N1", ["neoverse-n1"]),
        ("Cortex-A510", "Cortex-A510", ["inorder-a510"]), ("Neoverse V2", "Neoverse V2", ["neoverse-v2"]),
        ("C1-Ultra, SME unit", "C1-Ultra", ["c1-ultra-sme", "c1-ultra"])]


def choices():
    """CPU -> weights -> (kernel for one row, for many)."""
    found = {}
    for section in (DOCS / "which-kernel.md").read_text().split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        rows = {name: (one, many or one) for name, one, many in
                re.findall(r"^\| ([^|]+?) \| `(\w+)` \| (?:`(\w+)`|the same) \|", text, re.MULTILINE)}
        for cpu in title.split(", "):
            found[cpu] = rows
    return found


def figures():
    """(kernel, model) -> {m: MAC per cycle}; of several depths the largest."""
    found = {}
    with open(DOCS / "performance/cycles.csv") as file:
        for row in csv.DictReader(file):
            sizes = {name: int(size) for name, size in re.findall(r"(\w+)=(\d+)", row["shape"])}
            if "m" in sizes and row["clang"] and sizes.get("bl", 32) == 32:
                cell = found.setdefault((row["function"], row["cpu"]), {})
                if sizes.get("k", 0) >= cell.get(sizes["m"], (0, ""))[0]:
                    cell[sizes["m"]] = (sizes.get("k", 0), row["clang"])
    return found


def table():
    chosen, predicted = choices(), figures()
    names = list(chosen["Cortex-A55"])
    lines = ["| weights | " + " | ".join(title for title, _, _ in CPUS) + " |", "|---|" + "---|" * len(CPUS)]
    for name in names:
        cells = []
        for _, cpu, models in CPUS:
            one, many = chosen[cpu][name]
            cell = ""
            for model in models:
                few, most = predicted.get((one, model), {}), predicted.get((many, model), {})
                if 1 in few or len(most) > (1 in most):
                    cell = few[1][1] if 1 in few else "-"
                    cell += " / " + (most[max(most)][1] if max(most, default=1) > 1 else "-")
                    break
            cells.append(cell)
        if any(cells):
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] not in (["--write"], ["--check"]):
        raise SystemExit(__doc__)
    page = DOCS / "weights.md"
    text = page.read_text()
    before, begin, rest = text.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{page} has no place for the table")
    new = table()
    if sys.argv[1] == "--write":
        page.write_text(before + begin + new + end + after)
    elif old != new:
        raise SystemExit(f"{page} is out of date: tools/weights_table.py --write")
    print(f"{new.count(chr(10)) - 2} kinds of weights: all right")


if __name__ == "__main__":
    main()
