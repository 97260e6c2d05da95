#!/usr/bin/env python3
"""Attention beside ggml_flash_attn_ext of an installed ggml, one kv head and one thread: the table of
docs/performance/attention.md. Both are traced and simulated in the same way. A cell: MAC per cycle of ggml with a cache
of f16, ours with one of f16 and of bf16.

  attention_beside_ggml.py --driver DRIVER --qemu QEMU --ggml .cache/ggml-arm64 --headers .cache/llama/usr/include
      [--cc CC] [--cpus CPU,...] [--backend FILE] [--only REGEX]

`./kai.sh test` unpacks ggml and its headers into .cache, if it can. Without --backend ggml takes the best of its
libraries for the CPU that QEMU has. Long calls are sampled. ggml's code is executed and simulated, never printed.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import re
import subprocess
import tempfile
import types

import kai_cycles as kc

# tokens, positions, size of heads; of how many segments one is simulated: ggml, ours.
CASES = [(1, 512, 64, 1, 1), (1, 4096, 64, 4, 1), (1, 512, 128, 1, 1), (1, 4096, 128, 4, 1),
         (128, 512, 64, 100, 4), (128, 4096, 64, None, 40), (128, 512, 128, 100, 4), (128, 4096, 128, None, 40)]
LIBRARIES = ["-l:libggml.so.0", "-l:libggml-base.so.0", "-lm"]


class Side:
    """A program, and how kai_cycles.record runs it."""

    def __init__(self, options, program, nth, sysroot):
        self.mcas, self.cpus = kc.open_mcas(options.mca), options.cpus.split(",")
        self.binary = kc.Binary(program, kc.find_objdump(options.objdump))
        self.how = types.SimpleNamespace(qemu=options.qemu, qemu_cpu="neoverse-n2", symbol=None, nth=nth,
                                         callee_of="kai_perf_region", max_insns=500000000, sysroot=sysroot)

    def rates(self, arguments, sample):
        """MAC per cycle on each CPU"""
        trace, out = kc.record(self.how, self.binary, arguments)
        texts, analysis = kc.analyse(trace, self.binary, 16, None, sample)
        return [row["mac_per_cycle"] for row in kc.measure(texts, analysis, kc.facts_of(out), self.cpus, self.mcas)]


def compile_ggml(options, work):
    library = os.path.join(options.ggml, "usr/lib/aarch64-linux-gnu")
    program = os.path.join(work, "ggml_attention")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ggml_attention.c")
    subprocess.run([options.cc, "-std=c99", "-O2", "-no-pie", "-I", options.headers, source, "-o", program, "-L",
                    library, *LIBRARIES, "-Wl,--allow-shlib-undefined,-rpath-link," + library], check=True)
    return program, options.backend or os.path.join(library, "ggml/backends0")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("driver", "qemu", "ggml", "headers"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--cc", default="aarch64-linux-gnu-gcc")
    parser.add_argument("--cpus", default="neoverse-n3,neoverse-v2,olympus,inorder-a510")
    parser.add_argument("--backend", help="of ggml, instead of the one that it chooses")
    parser.add_argument("--only", default="", help="of lines of arguments")
    parser.add_argument("--mca", action="append")
    parser.add_argument("--objdump")
    options = parser.parse_args()
    ours = Side(options, options.driver, 1, None)
    print("| tokens, positions, heads of | %s |\n|---|%s" % (" | ".join(ours.cpus), "---|" * len(ours.cpus)))
    with tempfile.TemporaryDirectory() as work:
        program, backend = compile_ggml(options, work)
        for tokens, length, size, ggml_sample, our_sample in CASES:
            line = "tokens=%d length=%d size=%d" % (tokens, length, size)
            if not re.search(options.only, line):
                continue
            # Libraries may be elsewhere in each run.
            ggml = Side(options, program, 2, os.path.join(options.ggml, "usr"))
            rates = [ggml.rates([backend] + line.split(), ggml_sample) if ggml_sample else [None] * len(ours.cpus)]
            rates += [ours.rates(["kai_attention_run_" + cache, "causal=0", "page=256"] + line.split(), our_sample)
                      for cache in ("f16", "bf16")]
            print("| %d, %d, %d | %s |" % (tokens, length, size, " | ".join(
                ", ".join("not run" if rate is None else "%.2f" % rate for rate in of_cpu) for of_cpu in zip(*rates))),
                flush=True)


if __name__ == "__main__":
    main()
