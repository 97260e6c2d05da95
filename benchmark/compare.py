#!/usr/bin/env python3
"""Compares two measurements: compare.py [--threshold PERCENT] [--metric METRIC] [--filter REGEX] BEFORE AFTER

Reads what kleidiai_bench --json writes, and any other JSON of Google Benchmark. A line for each name that both have:
the medians, and BEFORE / AFTER: 2.00 is twice as fast. "faster" and "slower" are said if the medians differ by
more than the threshold (5 %) and the repetitions do not explain it: all of one side are beyond all of the other one's.
(Of three repetitions each, chance does that in 1 of 10 names, of five in 1 of 126.) With one repetition, "?": the noise
is unknown, and the threshold alone decides.

  --metric cycles   another counter than real_time, if both have it

Exit status: 0; 1: something is slower; 2: there is nothing to compare.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import math
import re
import statistics
import sys

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
#: Words of the context that should be the same: of this benchmark, and of Google's library.
MACHINE = ["kleidiai machine", "kleidiai cpus", "kleidiai governor", "kleidiai compiler", "kleidiai threads",
           "host_name", "num_cpus", "mhz_per_cpu"]


def value_of(run, metric):
    if metric in ("real_time", "cpu_time"):
        return float(run[metric]) * UNITS[run.get("time_unit", "ns")]
    return float(run[metric]) if metric in run else None


def load(path, metric):
    """{name: values of the repetitions}, the context"""
    try:
        with open(path) as file:
            found = json.load(file)
        runs = found["benchmarks"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"compare.py: {path} is no JSON of Google Benchmark: {error!r}")
    values, medians = {}, {}
    for run in runs:
        if run.get("error_occurred"):
            continue
        # What Google's library adds is how long was measured, not what.
        name = re.sub(r"/(min_time:[^/]+|min_warmup_time:[^/]+|repeats:\d+|iterations:\d+|real_time|process_time)", "",
                      run.get("run_name", run["name"]))
        value = value_of(run, metric)
        if value is None or not value > 0:
            continue
        if run.get("run_type", "iteration") == "iteration":
            values.setdefault(name, []).append(value)
        elif run.get("aggregate_name") == "median":
            medians[name] = [value]
    # --benchmark_report_aggregates_only leaves the median alone.
    return {**medians, **values}, found.get("context", {})


def verdict(before, after, threshold):
    """"faster", "slower" or "", and whether the noise is unknown."""
    ratio = statistics.median(before) / statistics.median(after)
    if 1 / (1 + threshold) <= ratio <= 1 + threshold:
        return "", min(len(before), len(after)) < 2
    alone = min(len(before), len(after)) < 2
    if ratio > 1:
        return "faster" if alone or max(after) < min(before) else "", alone
    return "slower" if alone or min(after) > max(before) else "", alone


def text(value, metric):
    if metric not in ("real_time", "cpu_time"):
        return f"{value:.4g}"
    for unit in ("s", "ms", "us", "ns"):
        if value >= UNITS[unit] or unit == "ns":
            return f"{value / UNITS[unit]:.3g} {unit}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--threshold", type=float, default=5, help="percent (5)")
    parser.add_argument("--metric", default="real_time")
    parser.add_argument("--filter", default="", help="names that match")
    options = parser.parse_args()
    (before, old), (after, new) = load(options.before, options.metric), load(options.after, options.metric)
    names = [name for name in before if name in after and re.search(options.filter, name)]
    for word in MACHINE:
        if old.get(word) != new.get(word):
            print(f"NOT THE SAME {word.replace('kleidiai ', '')}: {old.get(word)} | {new.get(word)}")
    for label, context in (("before", old), ("after", new)):
        about = [str(context[word]) for word in ("kleidiai library", "kleidiai date", "date") if word in context]
        print(f"{label + ':':8} {', '.join(about)}")
    if "kleidiai emulated" in old or "kleidiai emulated" in new:
        print("\n*** EMULATED: these are not the times of a CPU, and their ratios say nothing about one.")
    if not names:
        print("no name is in both", file=sys.stderr)
        return 2
    width = max(len(name) for name in names)
    print(f"\n{'':{width}} {'before':>10} {'+-':>5} {'after':>10} {'+-':>5} {'ratio':>7}")
    counts, logarithms = {"faster": 0, "slower": 0, "": 0}, 0.0
    for name in names:
        a, b = before[name], after[name]
        said, alone = verdict(a, b, options.threshold / 100)
        counts[said] += 1
        ratio = statistics.median(a) / statistics.median(b)
        logarithms += math.log(ratio)
        spreads = [f"{50 * (max(x) - min(x)) / statistics.median(x):.0f}%" if len(x) > 1 else "?" for x in (a, b)]
        shown = [text(statistics.median(x), options.metric) for x in (a, b)]
        print(f"{name:{width}} {shown[0]:>10} {spreads[0]:>5} {shown[1]:>10} {spreads[1]:>5} "
              f"{ratio:7.2f} {said}{'?' * alone}".rstrip())
    only = [sum(name not in other for name in one) for one, other in ((before, after), (after, before))]
    print(f"\ngeometric mean {math.exp(logarithms / len(names)):.3f}; {counts['faster']} faster, {counts['slower']} "
          f"slower, {counts['']} as fast; only before: {only[0]}, only after: {only[1]}")
    if any(min(len(before[name]), len(after[name])) < 2 for name in names):
        print("? one repetition alone: nothing is known about the noise (--repetitions)")
    return 1 if counts["slower"] else 0


if __name__ == "__main__":
    sys.exit(main())
