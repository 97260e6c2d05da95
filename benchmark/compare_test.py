#!/usr/bin/env python3
"""benchmark/compare.py: what is said of which times, exit status, and Google Benchmark's other forms of JSON.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).resolve().parent / "compare.py"

#: name: (before, after, what is said), in microseconds
CASES = {
    "the same": ([100, 101, 102], [100, 101, 102], ""),
    "half the time": ([100, 101, 102], [50, 51, 52], "faster"),
    "twice the time": ([100, 101, 102], [200, 201, 202], "slower"),
    "below the threshold": ([100.0, 100.1, 100.2], [103.0, 103.1, 103.2], ""),
    "beyond it": ([100.0, 100.1, 100.2], [106.0, 106.1, 106.2], "slower"),
    "beyond it, but noisy": ([100, 112, 130], [108, 121, 140], ""),
    "one slow repetition": ([100, 101, 102], [99, 101, 300], ""),
    "alone": ([100], [200], "slower?"),
    "alone, the same": ([100], [101], "?"),
}


def runs(times):
    return [{"name": f"{name}/repeats", "run_name": name, "run_type": "iteration", "repetition_index": i,
             "iterations": 7, "real_time": time, "cpu_time": 1, "time_unit": "us", "cycles": 1000 / time}
            for name, values in times.items() for i, time in enumerate(values)]


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        def written(name, benchmarks, **context):
            path = pathlib.Path(folder) / name
            path.write_text(json.dumps({"context": context, "benchmarks": benchmarks}))
            return path

        def check(what, status, texts, *arguments):
            done = subprocess.run([sys.executable, TOOL, *arguments], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            lines = [" ".join(line.split()) for line in done.stdout.split("\n")]
            missing = [text for text in texts if not any(text in line for line in lines)]
            if done.returncode != status or missing:
                wrong.append(f"{what}: status {done.returncode}, not {status}; missing {missing}\n{done.stdout}")
            return lines

        before = written("before.json", runs({name: case[0] for name, case in CASES.items()}), host_name="a")
        after = written("after.json", runs({**{name: case[1] for name, case in CASES.items()}, "new": [1]}),
                        host_name="b")
        lines = check("all", 1, ["NOT THE SAME host_name: a | b", "half the time 101 us 1% 51 us 2% 1.98 faster",
                                 "1 faster, 3 slower", "only before: 0, only after: 1"], before, after)
        for name, (_, _, said) in CASES.items():
            line = next((line for line in lines if line.startswith(name + " ")), "")
            end = line.split(" ")[-1] if line else "no line"
            if (end if not end.replace(".", "").isdigit() else "") != said:
                wrong.append(f"{name}: {line}")
        check("itself", 0, ["geometric mean 1.000", "0 faster, 0 slower"], before, before)
        emulated = written("emulated.json", runs({"x": [1]}), **{"kleidiai emulated": "so"})
        check("an emulator's times", 0, ["*** EMULATED: these are not the times of a CPU"], emulated, emulated)
        if any("EMULATED" in line for line in lines):
            wrong.append("these times are no emulator's, and compare.py says so")
        check("a filter", 0, ["1 faster, 0 slower"], "--filter", "half|the same", before, after)
        check("a higher threshold", 0, ["0 slower"], "--threshold", "150", before, after)
        check("a metric", 1, ["half the time 9.901"], "--metric", "cycles", before, after)
        check("nothing in common", 2, ["no name is in both"], before, written("other.json", runs({"x": [1]})))
        # Medians alone, other units, no run_type (before 1.5), errors.
        median = [{"name": "a_median", "run_name": "a", "run_type": "aggregate", "aggregate_name": "median",
                   "real_time": 2, "cpu_time": 2, "time_unit": "ms"},
                  {"name": "a_stddev", "run_name": "a", "run_type": "aggregate", "aggregate_name": "stddev",
                   "real_time": 1, "cpu_time": 1, "time_unit": "ms"}]
        old = [{"name": "a", "real_time": 1e6, "cpu_time": 1, "time_unit": "ns"},
               {"name": "b", "error_occurred": True, "error_message": "no"}]
        check("aggregates", 1, ["a 1 ms ? 2 ms ? 0.50 slower?"], written("old.json", old), written("m.json", median))
        # How long was measured is not what.
        flags = written("f.json", runs({"a/1x2/min_time:0.050/repeats:5/real_time": [1]}))
        check("flags in names", 0, ["a/1x2 1 us"], flags, written("g.json", runs({"a/1x2/real_time": [1]})))
        broken = pathlib.Path(folder) / "broken.json"
        broken.write_text("{")
        check("no JSON", 1, ["is no JSON of Google Benchmark"], before, broken)
        check("no file", 1, ["is no JSON of Google Benchmark"], before, broken.with_name("absent.json"))
    print("\n".join(wrong) or f"{len(CASES)} pairs of times")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
