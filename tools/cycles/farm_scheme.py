#!/usr/bin/env python3
"""The scheme of Baidu's `farm` for Armv8.0 as counted loops: written from its description, checked, and simulated.

  farm_scheme.py [--cpu CPU,...] [-m ROWS] [-k DEPTH] [--clang CLANG] [--qemu QEMU] [--work DIRECTORY]

result[n][m] = requantise(sum over k of (lhs[m][k] + lhs_offset) * (rhs[n][k] + rhs_offset)) of uint8, as gemmlowp
documents it: ((sum + result_offset) * multiplier + rounding) >> shift, saturated. For 1 to 4 columns n, mini-blocks of
8 x 16, 8 x 8, 4 x 16 and 4 x 8 elements of the row-major LHS are loaded, widened to 16 bits, their offset added, and
multiplied by SMLAL and SMLAL2 with those of the RHS, into an accumulator for each result; at the end of k each is added
across and requantised. README.md says more.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import subprocess
import tempfile
import types

import kai_cycles as kc

SHAPES = {1: (8, 16), 2: (8, 8), 3: (4, 16), 4: (4, 8)}  # columns: rows and depth of a mini-block
LHS_OFFSET, RHS_OFFSET = 30, 31                         # vectors


class Block:
    """A mini-block: registers, and instructions."""

    def __init__(self, columns):
        self.rows, self.depth = SHAPES[columns]
        self.columns, self.halves = columns, self.depth // 8
        free = iter(range(30))
        self.sums = [[next(free) for _ in range(columns)] for _ in range(self.rows)]
        self.lhs = [[next(free) for _ in range(self.halves)] for _ in range(self.rows)]
        self.rhs = [[next(free) for _ in range(self.halves)] for _ in range(columns)]
        # Of 16 elements, the register of the first 8 is free while the others are multiplied. Of 8, the RHS needs one.
        self.raw = [self.rhs[c][0] if self.halves == 2 else next(free) for c in range(columns)]
        load = "ldr %s%%d, [x%%d], #%d" % ("q" if self.halves == 2 else "d", self.depth)
        self.load_lhs = [load % (self.lhs[r][0], 6 + r) for r in range(self.rows)]
        self.load_rhs = [load % (self.raw[c], 14 + c) for c in range(columns)]

    def widen(self, fused):
        """uint8 + offset, in 16 bits. UADDW does both at once."""
        out, add = [], []
        operands = [(to, raw, RHS_OFFSET) for to, raw in zip(self.rhs, self.raw)]
        operands += [(to, to[0], LHS_OFFSET) for to in self.lhs]
        for half in reversed(range(self.halves)):
            for to, raw, offset in operands:
                source = "v%d.%s" % (raw, ("8b", "16b")[half])
                if fused:
                    out.append("uaddw%s v%d.8h, v%d.8h, %s" % (("", "2")[half], to[half], offset, source))
                else:
                    out.append("uxtl%s v%d.8h, %s" % (("", "2")[half], to[half], source))
                    add.append("add v%d.8h, v%d.8h, v%d.8h" % (to[half], to[half], offset))
        return out + add

    def multiply(self, load):
        """With `load` those of the next mini-block stand between, as soon as registers are free."""
        steps = [["smlal%s v%d.4s, v%d.%s, v%d.%s" % (two, self.sums[r][c], self.lhs[r][half], lanes,
                                                      self.rhs[c][half], lanes)
                  for r in range(self.rows) for c in range(self.columns)]
                 for half in range(self.halves) for two, lanes in (("", "4h"), ("2", "8h"))]
        if not load:
            return sum(steps, [])
        if self.halves == 2:
            return steps[0] + steps[1] + spread(steps[2] + steps[3], self.load_rhs + self.load_lhs)
        out = spread(steps[0], self.load_rhs)
        for r in range(self.rows):
            out += steps[1][r * self.columns:(r + 1) * self.columns] + [self.load_lhs[r]]
        return out

    def results(self):
        """Adds across, requantises and stores: eight results of a column at once, or four."""
        out, sums = [], []
        for c in range(self.columns):
            for r in range(0, self.rows, 4):
                a, b, d, e = (self.sums[r + i][c] for i in range(4))
                out += ["addp v%d.4s, v%d.4s, v%d.4s" % (a, a, b), "addp v%d.4s, v%d.4s, v%d.4s" % (d, d, e)]
                sums.append((a, d))
        out += ["addp v%d.4s, v%d.4s, v%d.4s" % (a, a, d) for a, d in sums]
        sums = [a for a, _ in sums]
        out += ["ld4r {v26.4s, v27.4s, v28.4s, v29.4s}, [x5]"]
        for operation, constant in (("add", 26), ("mul", 27), ("add", 28), ("sshl", 29)):
            out += ["%s v%d.4s, v%d.4s, v%d.4s" % (operation, g, g, constant) for g in sums]
        vectors = sums[::2] if self.rows == 8 else sums
        out += ["sqxtn v%d.4h, v%d.4s" % (g, g) for g in vectors]
        if self.rows == 8:
            out += ["sqxtn2 v%d.8h, v%d.4s" % pair for pair in zip(sums[::2], sums[1::2])]
        out += ["sqxtun v%d.8b, v%d.8h" % (g, g) for g in vectors]
        store = "st1 {v%d.8b}, [x6], x3" if self.rows == 8 else "st1 {v%d.s}[0], [x6], x3"
        return out + ["mov x6, x2"] + [store % g for g in vectors] + ["add x2, x2, #%d" % self.rows]


def spread(some, others):
    """`others` among `some`, at equal distances."""
    out, distance = [], len(some) // len(others)
    for i, instruction in enumerate(some):
        if i % distance == 0 and i // distance < len(others):
            out.append(others[i // distance])
        out.append(instruction)
    return out


def function(columns, fused):
    """void farm_<columns>(lhs, rhs, result, m, k, params): x0 to x5; x6 to x13 are rows, x14 to x17 columns, x19 counts
    mini-blocks, x20 rows."""
    block = Block(columns)
    name = "farm_%d" % columns
    pairs = [("x19", "x20")] + [("d%d" % i, "d%d" % (i + 1)) for i in (8, 10, 12, 14)]
    body = ["sub sp, sp, #80"] + ["stp %s, %s, [sp, #%d]" % (*pair, 16 * i) for i, pair in enumerate(pairs)]
    body += ["ldrh w6, [x5], #2", "dup v%d.8h, w6" % LHS_OFFSET, "ldrh w6, [x5], #2", "dup v%d.8h, w6" % RHS_OFFSET]
    body += ["mov x20, x3", "1:", "mov x6, x0"]
    body += ["add x%d, x%d, x4" % (7 + r, 6 + r) for r in range(block.rows)][:-1] + \
        ["add x0, x%d, x4" % (5 + block.rows), "mov x14, x1"]
    body += ["add x%d, x%d, x4" % (15 + c, 14 + c) for c in range(columns - 1)]
    body += block.load_rhs + block.load_lhs
    body += ["movi v%d.4s, #0" % register for row in block.sums for register in row]
    body += ["lsr x19, x4, #%d" % (block.depth.bit_length() - 1), "sub x19, x19, #1"]
    body += ["2:"] + block.widen(fused) + block.multiply(True) + ["subs x19, x19, #1", "b.ne 2b"]
    body += block.widen(fused) + block.multiply(False) + block.results()
    body += ["subs x20, x20, #%d" % block.rows, "b.ne 1b"]
    body += ["ldp %s, %s, [sp, #%d]" % (*pair, 16 * i) for i, pair in enumerate(pairs)] + ["add sp, sp, #80", "ret"]
    return ["        .globl  " + name, "        .type   %s, %%function" % name, "        .balign 16", name + ":"] + \
        [line if line.endswith(":") else "        " + line for line in body] + \
        ["        .size   %s, . - %s" % (name, name), ""]


# Calls the function of that many columns; the exit status is 0 if its results are right.
PROGRAM = r"""
#include <stdint.h>
#include <stdlib.h>

typedef void function(const uint8_t*, const uint8_t*, uint8_t*, size_t, size_t, const void*);
function farm_1, farm_2, farm_3, farm_4;
static struct { int16_t lhs_offset, rhs_offset; int32_t result_offset, multiplier, rounding, minus_shift; }
    p = {-128, -120, 150000, 3, 1 << 11, -12};

int main(int argc, char** argv) {
    const size_t columns = atoi(argv[1]), m = atoi(argv[2]), k = atoi(argv[3]);
    uint8_t *lhs = malloc(m * k), *rhs = malloc(columns * k), *result = malloc(columns * m);
    uint32_t random = 1;
    for (size_t i = 0; i < m * k; i++) lhs[i] = (random = random * 1664525u + 1013904223u) >> 24;
    for (size_t i = 0; i < columns * k; i++) rhs[i] = (random = random * 1664525u + 1013904223u) >> 24;
    (columns == 1 ? farm_1 : columns == 2 ? farm_2 : columns == 3 ? farm_3 : farm_4)(lhs, rhs, result, m, k, &p);
    int distinct = 0;
    for (size_t i = 0; i < columns * m; i++) {
        int32_t sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += (lhs[i % m * k + j] + p.lhs_offset) * (rhs[i / m * k + j] + p.rhs_offset);
        sum = ((sum + p.result_offset) * p.multiplier + p.rounding) >> -p.minus_shift;
        distinct += sum > 0 && sum < 255;
        if (result[i] != (sum < 0 ? 0 : sum > 255 ? 255 : sum)) return 1;
    }
    return distinct > (int)m / 2 ? 0 : 2;
}
"""


def build(options, fused):
    """The program of PROGRAM and all functions."""
    base = os.path.join(options.work, "farm_fused" if fused else "farm")
    with open(base + ".s", "w") as file:
        file.write("\n".join([".arch armv8-a", ".text"] + sum((function(n, fused) for n in SHAPES), [])))
    with open(base + ".c", "w") as file:
        file.write(PROGRAM)
    subprocess.run([options.clang, "--target=aarch64-linux-gnu", "-O2", "-static", "-fuse-ld=lld", base + ".s",
                    base + ".c", "-o", base], check=True)
    return kc.Binary(base, kc.find_objdump(None))


def simulate(options, mcas, binary, columns):
    """CPU -> MAC per cycle. A wrong result ends the program."""
    how = types.SimpleNamespace(qemu=kc.find_tool(options.qemu, ["qemu-aarch64"]), symbol="farm_%d" % columns,
                                callee_of=None, nth=1, max_insns=3000000, qemu_cpu="cortex-a53")
    trace, _ = kc.record(how, binary, [str(columns), str(options.m), str(options.k)])
    texts, analysis = kc.analyse(trace, binary, 16, None)
    rows = kc.measure(texts, analysis, {}, options.cpu.split(","), mcas, columns * options.m * options.k)
    return {row["cpu"]: row["mac_per_cycle"] for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cpu", default="cortex-a57,cortex-a72,cortex-a53,inorder-a53,inorder-a55")
    parser.add_argument("-m", type=int, default=96, help="rows of the LHS, a multiple of 8")
    parser.add_argument("-k", type=int, default=320, help="a multiple of 16")
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--qemu")
    parser.add_argument("--work", default=None)
    options = parser.parse_args()
    mcas = kc.open_mcas(None)
    with tempfile.TemporaryDirectory() as work:
        options.work = options.work or work
        cpus = options.cpu.split(",")
        print("| columns | offset added by | %s |\n|---|---|%s" % (" | ".join(cpus), "---|" * len(cpus)))
        for fused in (False, True):
            binary = build(options, fused)
            for columns in SHAPES:
                figures = simulate(options, mcas, binary, columns)
                print("| %d | %s | %s |" % (columns, "UADDW" if fused else "UXTL, ADD", " | ".join(
                    "%.2f" % figures[cpu] if cpu in figures else "" for cpu in cpus)), flush=True)


if __name__ == "__main__":
    main()
