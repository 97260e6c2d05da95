#!/usr/bin/env python3
"""The benchmark's command line and files: smoke_test.py [EMULATOR FLAG...] kleidiai_bench

The figures mean nothing here; that there are any, and that every file is well-formed, does.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

COMMAND = sys.argv[1:]
FAST = ["--seconds=0.000001", "--repetitions=1", "--cold-mb=1"]


def run(*flags):
    return subprocess.run([*COMMAND, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=500)


def check(holds, *what):
    if not holds:
        sys.exit("smoke_test.py: " + "\n".join(map(str, what)))


def check_flags():
    done = run("--help")
    check(done.returncode == 0 and "--roofline" in done.stdout and "--cpus" in done.stdout, done)
    for bad in (["--no-such-flag"], ["stray"], ["-m", "0"], ["--threads=1,x"], ["--shapes=1x2"], ["--cpus=3-1"],
                ["--kernel=("], ["--what=all"], ["--seconds=-1"], ["--quick", "--all"], ["--benchmark_no_such=1"],
                ["--no-peaks", "--roofline=x.svg"], ["--cold", "--warm"], ["--model=no-such"],
                ["--rates", "--quick"], ["--rates", "--csv=x.csv"],
                ["--model=test", "--all"], ["--ctx=5"], ["--model=test", "--ctx=x"],
                ["--model=test", "--roofline=x.svg"],
                ["--csv=/no/such/folder/x.csv", "--family=f32_f32", "-k8"]):
        done = run(*bad, *FAST)
        check(done.returncode not in (0, -6, -11), bad, done)
        check(done.stderr.strip(), bad, "says nothing")


def check_rates():
    """What to set, as C: of SME where there are plans with workers beside it, and of classes of cores."""
    done = run("--rates", *FAST)
    check(done.returncode == 0, done)
    sme = re.findall(r"^problem\.rates\.sme = (\S+), problem\.rates\.sme_row = (\S+);$", done.stdout, re.MULTILINE)
    none = re.findall(r"^// INT\w+: no plan of this CPU has ", done.stdout, re.MULTILINE)
    check(len(sme) + len(none) == 2 and all(float(rate) > 0 for pair in sme for rate in pair), done.stdout)
    check(len(sme) == (2 if len(COMMAND) > 1 else len(sme)), "SME is emulated, and not measured", done.stdout)
    cores = re.findall(r"^problem\.rates\.cores\[(\d)\]\.count = (\d+), problem\.rates\.cores\[\1\]\.speed = (\S+);"
                       r"  // CPUs ([\d, ]+)$", done.stdout, re.MULTILINE)
    check(cores and cores[0][0] == "0" and float(cores[0][2]) == 1, done.stdout)
    check(all(int(count) == len(cpus.split(",")) for _, count, _, cpus in cores), done.stdout)
    check(all(0 < float(speed) <= 1 for _, _, speed, _ in cores), done.stdout)
    check(sum(int(count) for _, count, _, _ in cores) == len(os.sched_getaffinity(0)), "all CPUs", done.stdout)
    one = run("--rates", "--cpus=0", *FAST)
    check("cores[0].count = 1, " in one.stdout and "cores[1]" not in one.stdout, one)


def check_quick(folder):
    """The best kernels, with shapes that some refuse, and all files."""
    files = [folder / "out.json", folder / "out.csv", folder / "out.svg"]
    # k = 100 is no multiple of a block.
    done = run("--quick", "-m", "1,5", "-n", "40", "-k", "64,100", "--threads=1,4096", *FAST,
               *(f"--{kind}={file}" for kind, file in zip(("json", "csv", "roofline"), files)))
    check(done.returncode == 0, done)
    out = done.stdout
    check(re.search(r"^skipped: .*qsi4c32p.*: k = 100 .*1x40x100", out, re.MULTILINE), out)
    check("skipped: 4096 threads" in done.stderr, done.stderr)
    table = out[out.index("\nmatmul: "):]
    check(all(len(line) <= 100 for line in table.splitlines()), "more than 100 columns", table)
    check(re.search(r"^(features|cycles|peaks) ", out, re.MULTILINE), out)
    check("reading memory" in out and re.search(r" 1\.00 ", table), "no f32 to compare with", out)
    check(("*** EMULATED" in out) == (len(COMMAND) > 1), out)

    found = json.loads(files[0].read_text())
    measured = {b["name"] for b in found["benchmarks"]}
    check(measured and all(b["real_time"] > 0 and b["GOP/s"] > 0 for b in found["benchmarks"]), found)
    check(any("skipped" in key for key in found["context"]), found["context"])
    for word in ("library", "date", "machine", "compiler", "governor"):
        check(found["context"].get("kleidiai " + word), "the context has no", word)
    with open(files[1], newline="") as file:
        rows = list(csv.DictReader(file))
    check(all(None not in row and None not in row.values() for row in rows), "ragged CSV")
    timed = [row for row in rows if not row["skipped"]]
    check(len(timed) == len(measured) and all(float(row["seconds"]) > 0 for row in timed), rows)
    check(any(row["skipped"] for row in rows), "nothing is skipped")
    date = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    commit = re.compile(r"commit (\w{12}|unknown)")
    check(all(re.fullmatch(date, row["date"]) and row["compiler"] and commit.search(row["library"]) for row in rows),
          "where does it come from?", rows[0])
    check({row["limit"] for row in timed} <= {"memory", "multiply", "cache", "neither"}, rows)
    check({row["cold"] for row in timed if row["m"] == "1"} == {"1"}, "one row is not cold")
    lines = table.splitlines()
    verdict = re.compile("    (memory|multiplying|weights are in a cache|neither)[:;] ")
    check(sum(verdict.match(line) is not None for line in lines) == len(timed), "not a verdict for each row", table)
    check(len({row["family"] for row in timed}) > 5, "families are missing", rows)
    root = xml.etree.ElementTree.parse(files[2]).getroot()
    circles = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    labels = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    for row in timed:
        name = row["name"].replace("matmul_clamp_", "")
        check(any(f"{row['number']}  {name}, " in text for text in labels), "the plot does not name", row)
    check(len(circles) == len(timed), "the plot has", len(circles), "points")
    for circle in circles:
        check(0 < float(circle.get("cx")) < 1000 and 0 < float(circle.get("cy")) < 560, circle.attrib)


def check_model(folder):
    """Models of the shapes of none: tokens per second, a sentence, files that --compare reads."""
    for model in ("test", "test-q8_0", "test-q4_k_m", "test-moe"):
        files = [folder / "model.json", folder / "model.csv"]
        done = run(f"--model={model}", "--prompt=5", "--model-mb=8", *FAST, *(f"--{f.suffix[1:]}={f}" for f in files))
        check(done.returncode == 0, done)
        for phase in ("prefill", "decode"):
            check(re.search(rf"^{phase} +[\d.]+ tokens/s .*\n +(Limited|The weights) .*\.$", done.stdout, re.MULTILINE),
                  phase, done.stdout)
        check(all(len(line) <= 120 for line in done.stdout[done.stdout.index("\nmodel "):].splitlines()), done.stdout)
        found = json.loads(files[0].read_text())
        names = {b["run_name"] for b in found["benchmarks"]}
        check(names == {f"model/{model}/decode", f"model/{model}/prefill"}, found)
        check(all(b["real_time"] > 0 for b in found["benchmarks"]) and found["context"]["kleidiai date"], found)
        with open(files[1], newline="") as file:
            rows = list(csv.DictReader(file))
        check(all(None not in row and None not in row.values() and float(row["seconds"]) > 0 for row in rows), rows)
        # What a token takes: the sum over all matrices of the model is near the time that is told.
        for phase in ("prefill", "decode"):
            total = sum(float(row["seconds"]) * int(row["count"]) for row in rows if row["phase"] == phase)
            times = [b["real_time"] / 1e3 for b in found["benchmarks"] if b["run_name"].endswith(phase)]
            check(0.999 * min(times) <= total <= 1.001 * max(times), model, phase, total, times)
        counts = {row["matrix"]: 0 for row in rows}
        for row in rows:
            counts[row["matrix"]] += int(row["count"]) * (row["phase"] == "decode")
        layers = 8 if "moe" in model else 4
        check(counts.pop("output") == 1 and set(counts.values()) == {layers} and len(counts) == 8, counts)
        check(("Q6_K" in {row["type"] for row in rows if row["matrix"] != "output"}) ==
              (model in ("test-q4_k_m", "test-moe")), rows)
    # A layer has 256 x 256 queries and outputs, 128 x 256 keys and values, 512 x 256 three times; 4 heads of 64, 2 of
    # keys and of values, f16.
    for arguments, context in ((["--prompt=5"], 5), (["--prompt=3", "--ctx=40"], 40)):
        done = run("--model=test", "--model-mb=8", *arguments, *FAST)
        work = re.search(r"reads (\d+) bytes of weights, (\d+) of the cache; (\d+) multiply-adds, (\d+)$", done.stdout,
                         re.MULTILINE)
        check(work is not None, done)
        size, cache, macs, attention = map(int, work.groups())
        check(macs == 4 * 256 * (2 * 256 + 2 * 128 + 3 * 512) + 1024 * 256 and size > macs // 2, work[0])
        check(cache == 4 * context * 2 * 128 * 2 and attention == 4 * context * 2 * 256, work[0])
    compare = pathlib.Path(__file__).resolve().parent / "compare.py"
    done = subprocess.run([sys.executable, compare, files[0], files[0]], stdout=subprocess.PIPE, text=True)
    check(done.returncode == 0 and "model/test-moe/decode" in done.stdout, done)


def check_ggml(folder):
    """ggml beside it, where its packages are unpacked."""
    cache = pathlib.Path(__file__).resolve().parents[1] / ".cache"
    if len(COMMAND) > 1 or not (cache / "ggml-python").exists():
        print("no ggml to measure beside")
        return
    ours, theirs = folder / "ours.json", folder / "theirs.json"
    done = run("--what=gemm", "--shapes=1x64x256,3x64x256", "--threads=1", *FAST, f"--json={ours}")
    check(done.returncode == 0, done)
    tools = pathlib.Path(__file__).resolve().parent
    subprocess.run([cache / "ggml-python", tools / "beside_ggml.py", cache / "ggml", ours, theirs], check=True)
    done = subprocess.run([sys.executable, tools / "compare.py", theirs, ours], stdout=subprocess.PIPE, text=True)
    for kind in ("f32", "f16", "Q4_0", "Q8_0", "Q4_K", "Q6_K"):
        for m in (1, 3):
            check(f"gemm/{kind}/{m}x64x256 " in done.stdout, done.stdout)


def check_peer(folder):
    """KleidiAI's functions in the place of ours, where the program is linked with them."""
    shape, ours, theirs = "--shapes=5x64x256", folder / "own.json", folder / "peer.json"
    arguments = [shape, "--all", "--what=matmul,end_to_end,lhs_pack,rhs_pack", "--no-peaks", "--no-baseline",
                 "--family=^matmul_clamp_f32_(f32_f32p|qsi8d32p_qsi4c32p|qai8dxp_qsi4cxp)$", *FAST]
    done = run("--peer", *arguments, f"--json={theirs}")
    if done.returncode != 0:
        check("not linked with KleidiAI's library" in done.stdout + done.stderr, done)
        print("no KleidiAI to measure beside")
        return
    check("skipped: " in done.stdout + done.stderr and "KleidiAI's library has no " in done.stdout + done.stderr, done)
    refused = run("--peer", "--what=gemm", shape, *FAST)
    check(refused.returncode == 2 and "no GEMM layer" in refused.stdout + refused.stderr, refused)
    check(run(*arguments, f"--json={ours}").returncode == 0, ours)
    found = {file: json.loads(file.read_text()) for file in (ours, theirs)}
    names = {file: {b["run_name"] for b in found[file]["benchmarks"]} for file in found}
    check(names[theirs] < names[ours], names[theirs] - names[ours])
    for what in ("matmul", "end_to_end", "lhs_pack", "rhs_pack"):
        check(any(name.startswith(what + "/") for name in names[theirs]), what, names[theirs])
    check(found[theirs]["context"]["kleidiai library"].startswith("KleidiAI 1."), found[theirs]["context"])
    check(not found[ours]["context"]["kleidiai library"].startswith("KleidiAI"), found[ours]["context"])
    compare = pathlib.Path(__file__).resolve().parent / "compare.py"
    done = subprocess.run([sys.executable, compare, theirs, ours], stdout=subprocess.PIPE, text=True)
    lines = re.findall(r"^(?:matmul|end_to_end|[lr]hs_pack)/", done.stdout, re.MULTILINE)
    check(len(lines) == len(names[theirs]), done)
    check(("*** EMULATED" in done.stdout) == ("kleidiai emulated" in found[ours]["context"]), done.stdout)


def documented():
    """What it has to measure, by docs/kernels.md; not depthwise convolution. On the host portable micro-kernels: some
    packers for every host have no micro-kernel there."""
    text = (pathlib.Path(__file__).resolve().parents[1] / "docs/kernels.md").read_text()
    emulated = len(COMMAND) > 1
    return {name for name, needs in re.findall(r"^\| `(\w+)` \| ([^|]*?) \|", text, re.MULTILINE)
            if "dwconv" not in name and (emulated or (needs == "every host" and "_pack_" not in name))}


def check_all(folder):
    """Every kernel, packer and kind of weights, also with threads."""
    file = folder / "all.csv"
    done = run("--all", "--shapes=1x40x256,21x40x256", f"--csv={file}", "--no-peaks", "--no-baseline", *FAST)
    check(done.returncode == 0, done)
    with open(file, newline="") as opened:
        rows = [row for row in csv.DictReader(opened) if not row["skipped"]]
    check({row["what"] for row in rows} ==
          {"matmul", "end_to_end", "lhs_pack", "rhs_pack", "gemm", "conv", "by_hand"}, done.stdout)
    layers = {row["name"] for row in rows if row["what"] == "conv"}
    types = {"f32", "f32_allow_winograd", "f16_allow_f16", "int8_static"}
    check({f"{type}_3x3" for type in types} <= layers and "int8_static_depthwise_5x5" in layers and
          "f32_allow_winograd_1x1" not in layers, layers)
    missing = documented() - {part for row in rows for part in row["name"].split("/")}
    check(not missing, "not measured:", *sorted(missing))
    done = run("--family=qsi8cxp|f32p", "--what=end_to_end,rhs_pack,gemm,by_hand", "-m", "21", "-n", "40", "-k", "64",
               "--threads=2", "--cpus=0,0", *FAST)
    check(done.returncode == 0 and "2 threads, cold" in done.stdout, done)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_flags()
        check_rates()
        check_quick(folder)
        check_model(folder)
        check_ggml(folder)
        check_peer(folder)
        check_all(folder)
    print("the benchmark's command line and files are right")


if __name__ == "__main__":
    main()
