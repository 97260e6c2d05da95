#!/usr/bin/env python3
"""kai_cycles.py - predict the cycles of ONE call of an AArch64 function on a machine without Arm hardware.

  1. runs an AArch64 program under QEMU user mode with one instruction per translation block and
     records the program counter of every instruction between the entry of the chosen function and its return;
  2. turns that dynamic trace into straight-line assembly, with the disassembly of the binary;
  3. lets llvm-mca simulate the straight-line code on the scheduling model of one or more CPUs;
  4. reports cycles, instructions, MAC/cycle and utilization, as a table, CSV or JSON.

The result is a pure function of (binary, arguments, CPU model, LLVM version): no noise, no repetition needed.
See README.md for what the method models and what it leaves out.  Python 3 standard library only.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import array
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import inorder

# ---------------------------------------------------------------------------------------------------------
# CPU table.  mcpu: name for llvm-mca; dispatch: rename/dispatch width per cycle handed to llvm-mca (None =
# the default of the model).  The defaults of LLVM are tuned for the compiler's scheduler (LLVM 19 has the
# number of issue ports there), so the documented width of the core is set for the cores where they differ.
# ---------------------------------------------------------------------------------------------------------
CPUS = {
    # name          mcpu          dispatch  extra -mattr          remark
    "neoverse-n1": ("neoverse-n1", 4, "+dotprod,+fullfp16", "2x128-bit SIMD; also Cortex-A76/A77/A78 class"),
    "neoverse-n2": ("neoverse-n2", 5, "", "2x128-bit SIMD; also Cortex-A710/A715/A720 class"),
    "neoverse-v1": ("neoverse-v1", 8, "", "4x128-bit SIMD / 2x256-bit SVE; also Cortex-X1 class"),
    "neoverse-v2": ("neoverse-v2", 8, "", "4x128-bit SIMD; also Cortex-X2/X3 class"),
    "neoverse-n3": ("neoverse-n3", 5, "", "2x128-bit SIMD; also Cortex-A725 class (LLVM >= 22)"),
    "neoverse-v3": ("neoverse-v3", 10, "", "4x128-bit SIMD; also Cortex-X4 class (LLVM >= 22)"),
    "olympus": ("olympus", 10, "", "6x128-bit SIMD: NVIDIA Vera (LLVM >= 22)"),
    "oryon-1": ("oryon-1", 8, "", "4x128-bit SIMD, SMMLA and BFMMLA on two at a time: Snapdragon X (LLVM >= 22)"),
    "ampere1b": ("ampere1b", 4, "", "2x128-bit SIMD: AmpereOne (LLVM >= 22)"),
    "cortex-a57": ("cortex-a57", 3, "", "Armv8.0: 2x128-bit SIMD, integer multiplies on one of them"),
    "cortex-a72": ("cortex-a72", 3, "", "Armv8.0: LLVM has A57's tables for it (Raspberry Pi 4)"),
    "cortex-a73": ("cortex-a73", 2, "", "Armv8.0: A57's tables, 2-wide; little confidence"),
    "cortex-a53": ("cortex-a53", None, "", "llvm-mca's in-order mode: see README; use inorder-a53"),
    "cortex-a510": ("cortex-a510", None, "", "llvm-mca's in-order mode: too slow, see README; use inorder-a510"),
    "cortex-a55": ("cortex-a55", None, "+dotprod,+fullfp16", "llvm-mca's in-order mode: see README; use inorder-a55"),
    "inorder-a510": ("cortex-a510", None, "", "own issue model, 3-wide, 2x128-bit SIMD (also A520 class)"),
    "inorder-a55": ("cortex-a55", None, "+dotprod,+fullfp16", "own issue model, 2-wide, 2x64-bit SIMD"),
    "inorder-a53": ("cortex-a53", None, "", "Armv8.0: own issue model, 2-wide, 2x64-bit SIMD (Raspberry Pi 3)"),
    "cortex-a320": ("cortex-a320", None, "", "in-order, single issue (LLVM >= 22)"),
    "c1-ultra": ("c1-ultra", 10, "", "6x128-bit SIMD core (LLVM >= 23)"),
    "c1-ultra-sme": ("c1-ultra", None, "+mca-streaming-sched", "C1-SME2 unit behind a C1-Ultra core (LLVM >= 23)"),
    "c1-premium": ("c1-premium", None, "", "(LLVM >= 23)"),
    "c1-nano": ("c1-nano", None, "", "llvm-mca's in-order mode: see README; use inorder-c1-nano (LLVM >= 23)"),
    "inorder-c1-nano": ("c1-nano", None, "", "own issue model, 3-wide, 2x128-bit SIMD (LLVM >= 23)"),
}

# Older versions know the name but give it the model of another core.
MIN_LLVM = {"neoverse-n3": 22, "neoverse-v3": 22, "olympus": 22, "oryon-1": 22, "ampere1b": 22, "cortex-a320": 22,
            "c1-ultra": 23, "c1-ultra-sme": 23, "c1-premium": 23, "c1-nano": 23, "inorder-c1-nano": 23}

# Sustained cost in cycles of the SME multiply instructions at SVL 512, for an analytic bound that needs no LLVM model.
# Apple M4: public microbenchmarks (tzakharko/m4-sme-exploration) at 3.9 GHz; C1-SME2: its optimization guide as encoded
# in LLVM 23. zadot: per vector of the group (vgx4 = 4 times).
SME_COST = {
    "m4": {"i8mopa": 2.0, "f32mopa": 1.0, "f16mopa": 2.0, "f64mopa": 1.0, "zadot": 0.5},
    "c1": {"i8mopa": 2.0, "f32mopa": 2.0, "f16mopa": 2.0, "f64mopa": 2.0, "zadot": 0.5},
}
SME_M4_LOAD, SME_M4_STORE = 123.0, 58.0     # bytes per cycle between cache and Z registers, one thread


def die(msg):
    sys.exit("kai_cycles: " + msg)


def find_tool(explicit, names):
    if explicit:
        return explicit
    for n in names:
        p = shutil.which(n)
        if p:
            return p
    die("none of these tools found in PATH: " + ", ".join(names))


def find_objdump(explicit):
    return find_tool(explicit, ["llvm-objdump-%d" % v for v in (23, 22, 21, 20, 19)] + ["llvm-objdump"])


# ---------------------------------------------------------------------------------------------------------
# The binary: ELF executable ranges, symbols and disassembly
# ---------------------------------------------------------------------------------------------------------
class Binary:
    LINE = re.compile(r"^\s*([0-9a-f]+):\s+(.*\S)\s*$")
    SYM = re.compile(r"^([0-9a-f]+) <(.+)>:$")

    def __init__(self, path, objdump):
        self.path, self.objdump = path, objdump
        self.text = {}      # pc -> "mnemonic operands"
        self.symbols = {}   # name -> pc (first one wins)
        self.sym_of = []    # (pc, name), sorted
        self.libraries = []  # paths
        for line in self.disassembly(path):
            m = self.LINE.match(line)
            if m:
                self.text[int(m.group(1), 16)] = self.normal(m.group(2))
                continue
            m = self.SYM.match(line)
            if m:
                pc = int(m.group(1), 16)
                self.symbols.setdefault(m.group(2), pc)
                self.sym_of.append((pc, m.group(2)))
        self.sym_of.sort()
        if not self.text:
            die("no AArch64 code found in " + path)
        self.lo, self.hi = min(self.text), max(self.text) + 4

    def dump(self, *arguments):
        out = subprocess.run([self.objdump, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if out.returncode:
            die("%s failed on %s: %s" % (self.objdump, arguments[-1], out.stderr.strip()))
        return out.stdout

    def disassembly(self, path):
        return self.dump("-d", "--no-show-raw-insn", "--mattr=+all", path).splitlines()

    @staticmethod
    def normal(text):
        return re.sub(r"\s+", " ", text.split("//")[0].strip().replace("\t", " "))

    def add_library(self, pc, maps):
        """Adds the code of the shared library at `pc`. `maps`: lines of /proc/self/maps, as the program printed them.
        Its instructions are only counted and simulated, so its symbols are not kept."""
        for first, last, offset, path in re.findall(r"([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) \S+ \d+ +(/.*)", maps):
            if int(first, 16) <= pc < int(last, 16) and path not in self.libraries:
                self.libraries.append(path)
                segment = re.search(r"LOAD off +(0x\w+) vaddr (0x\w+) .*\n.* flags r-x", self.dump("-p", path))
                in_file, in_memory = (int(x, 16) for x in segment.groups())
                base = int(first, 16) - int(offset, 16) + in_file - in_memory
                for m in filter(None, map(self.LINE.match, self.disassembly(path))):
                    self.text[base + int(m.group(1), 16)] = self.normal(m.group(2))
        if pc not in self.text:
            die("no code is known at 0x%x; does the program print the lines of /proc/self/maps?" % pc)

    def symbol_at(self, pc):
        import bisect
        i = bisect.bisect_right(self.sym_of, (pc, "\x7f")) - 1
        return self.sym_of[i][1] if i >= 0 else "?"


# ---------------------------------------------------------------------------------------------------------
# Tracing under QEMU
# ---------------------------------------------------------------------------------------------------------
CALL = ("bl", "blr", "blraa", "blrab", "blraaz", "blrabz")
RET = ("ret", "retaa", "retab")
BRANCH = CALL + RET + ("b", "br", "cbz", "cbnz", "tbz", "tbnz", "braa", "brab", "braaz", "brabz")


def mnemonic(t):
    return t.split(" ", 1)[0]


def is_branch(t):
    m = mnemonic(t)
    return m in BRANCH or m.startswith("b.") or m.startswith("bc.")


class Trace:
    """Collects the pcs of one call; feed() returns True when the call has returned."""

    def __init__(self, binary, symbol, callee, nth, read_maps=None):
        if symbol not in binary.symbols:
            near = [s for s in binary.symbols if symbol in s][:8]
            die("symbol %r is not in the binary%s" % (symbol, "; did you mean " + ", ".join(near) if near else ""))
        self.b, self.entry, self.callee, self.nth = binary, binary.symbols[symbol], callee, nth
        self.read_maps = read_maps      # of a program with shared libraries
        self.pcs, self.depth, self.state, self.prev, self.replayed = array.array("Q"), 0, 0, None, 0

    def feed(self, pc):
        # state 0: waiting for the entry; 1: inside the caller, waiting for its first call; 2: recording
        if self.state == 0:
            if pc != self.entry:
                return False
            self.nth -= 1
            if self.nth > 0:
                return False
            self.state = 1 if self.callee else 2
        if self.state == 1:
            if mnemonic(self.b.text.get(pc, "?")) in CALL:
                self.state = 2
            return False
        if self.read_maps and pc not in self.b.text:
            self.b.add_library(pc, self.read_maps())
        if pc == self.prev and not is_branch(self.b.text.get(pc, "?")):
            self.replayed += 1      # the emulator restarted an instruction (page fault, signal)
            return False
        self.prev = pc
        self.pcs.append(pc)
        m = mnemonic(self.b.text.get(pc, "?"))
        if m in CALL:
            self.depth += 1
        elif m in RET:
            self.depth -= 1
            if self.depth < 0:
                return True
        return False


def record(args, binary, prog_args):
    qemu = find_tool(args.qemu, ["qemu-aarch64", "qemu-aarch64-static"])
    helptext = subprocess.run([qemu, "-help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    single = "-one-insn-per-tb" if "one-insn-per-tb" in helptext else "-singlestep"
    work = tempfile.mkdtemp(prefix="kai_cycles.")
    fifo, so = os.path.join(work, "log"), os.path.join(work, "stdout")
    os.mkfifo(fifo)
    # Where libraries are is only known once the program runs: all that it executes is logged.
    sysroot = getattr(args, "sysroot", None)
    where = ["-L", sysroot] if sysroot else ["-dfilter", "0x%x..0x%x" % (binary.lo, binary.hi - 1)]
    cmd = [qemu, "-cpu", args.qemu_cpu, single, "-d", "exec,nochain"] + where + ["-D", fifo, binary.path] + prog_args
    tr = Trace(binary, args.symbol or args.callee_of, bool(args.callee_of), args.nth,
               (lambda: open(so, errors="replace").read()) if sysroot else None)
    done = False
    try:
        with open(so, "wb") as sof:
            # QEMU's max has quarter-tile outer products, but no core that has a model.
            env = dict({"KLEIDIAI_CPU_DISABLE": "smemop4"}, **os.environ)
            p = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=sof, env=env)
            mark = b"/%016x/" % tr.entry
            seen_entry, tail = False, b""
            with open(fifo, "rb", buffering=0) as f:
                while True:
                    chunk = f.read(1 << 20)
                    if not chunk:
                        break
                    if done:
                        continue            # let the program run to its end: it prints its facts
                    buf = tail + chunk
                    cut = buf.rfind(b"\n") + 1
                    tail, buf = buf[cut:], buf[:cut]
                    if not seen_entry:
                        at = buf.find(mark)
                        if at < 0:
                            continue
                        seen_entry = True
                        buf = buf[buf.rfind(b"\n", 0, at) + 1:]
                    for line in buf.split(b"\n"):
                        f2 = line.split(b"/", 2)
                        if len(f2) == 3 and len(f2[1]) == 16:
                            if tr.feed(int(f2[1], 16)):
                                done = True
                                break
                            if len(tr.pcs) > args.max_insns:
                                p.kill()
                                die("more than --max-insns %d instructions in the call" % args.max_insns)
            rc = p.wait()
        with open(so, "r", errors="replace") as sof:
            stdout = sof.read()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if rc != 0:
        die("the traced program ended with status %d; its output: %s" % (rc, stdout[-400:]))
    if not done:
        die("the call was %s" % ("entered but did not return" if tr.state == 2 else "never reached"))
    return tr, stdout


# ---------------------------------------------------------------------------------------------------------
# What one instruction does: MACs, bytes, class
# ---------------------------------------------------------------------------------------------------------
INT_MAC = ("sdot", "udot", "usdot", "sudot", "smmla", "ummla", "usmmla", "smopa", "umopa", "usmopa", "sumopa",
           "smop4a", "umop4a", "usmop4a", "sumop4a", "smlal", "smlal2", "umlal", "umlal2", "smlall", "umlall",
           "usmlall", "sumlall", "mla")
WIDENING = tuple(s + m + n for s in "su" for m in ("mull", "mlal") for n in ("", "2"))
FP_MAC = ("fmla", "fmlal", "fmlal2", "fmlalb", "fmlalt", "fmad", "fmadd", "fdot", "bfdot", "bfmmla", "fmmla", "bfmlalb",
          "bfmlalt", "bfmlal", "fmopa", "bfmopa", "fmop4a", "bfmop4a", "bfmla")
ESIZE = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16}


def vec_regs(ops):
    """[(count, element letter, bytes or None for scalable)] of the register operands in order"""
    out = []
    for m in re.finditer(r"\{([^}]*)\}|(za\d?[hv]?\.[bhsdq])|([vz]\d+\.(?:\d+)?[bhsdq])|\b([bhsdq])(\d+)\b", ops):
        out.append(m.group(0))
    return out


def arrangement(op):
    m = re.search(r"\.(\d*)([bhsdq])", op)
    if not m:
        return None, None
    return (int(m.group(1)) if m.group(1) else None), m.group(2)


def macs_of(t, vl):
    m, _, ops = t.partition(" ")
    if m not in INT_MAC and m not in FP_MAC and m not in WIDENING:
        return 0
    first = ops.split(",")[0]
    vg = 4 if "vgx4" in ops else 2 if "vgx2" in ops else 1
    srcs = re.findall(r"[zv]\d+\.(\d*)([bhsd])", ops)
    if m.endswith("mopa"):
        d, s = ESIZE[arrangement(first)[1]], ESIZE[srcs[-1][1]]
        return (vl // d) ** 2 * (d // s)
    if m.endswith("mop4a"):
        d, s = ESIZE[arrangement(first)[1]], ESIZE[srcs[-1][1]]
        return (vl // d) ** 2 * (d // s)          # quarter-tile products: same total as one full outer product
    if m.startswith("fmadd") or (m in ("fmla",) and re.match(r"[hsd]\d", first)):
        return 1
    n, e = arrangement(first)
    if e is None:
        return 0
    if first.lstrip().startswith("za"):
        lanes, width = vl // ESIZE[e] * vg, ESIZE[e]
        if m in ("sdot", "udot", "usdot", "sudot", "fdot", "bfdot"):
            return lanes * (width // ESIZE[srcs[0][1]])
        if m in ("smlall", "umlall", "usmlall", "sumlall"):
            return lanes * 4
        if m in ("fmlal", "bfmlal", "smlal", "umlal"):
            return lanes * 2
        return lanes
    lanes = n if n else vl // ESIZE[e]
    if m in ("smmla", "ummla", "usmmla"):
        return lanes // 4 * 32
    if m == "bfmmla":
        return lanes // 4 * 16
    if m == "fmmla":
        return lanes // 4 * 8
    if m in ("sdot", "udot", "usdot", "sudot", "fdot", "bfdot"):
        return lanes * (ESIZE[e] // ESIZE[srcs[1][1]]) if len(srcs) > 1 else lanes * 4
    return lanes


def mem_bytes(t, vl):
    """bytes moved by a load (>0) or store (<0); 0 for anything else; predicates count as all-true"""
    m, _, ops = t.partition(" ")
    if m.startswith(("prf", "ldg", "stg")) or not m.startswith(("ld", "st")):
        return 0
    sign = 1 if m.startswith("ld") else -1
    regs = ops.split("[")[0] if "{" not in ops else ops
    br = re.search(r"\{([^}]*)\}", ops)
    if br:
        inner = br.group(1)
        lane = re.search(r"\}\[\d+\]", ops)
        rng = re.search(r"[vz](\d+)\.\w+\s*-\s*[vz](\d+)\.", inner)
        cnt = (int(rng.group(2)) - int(rng.group(1))) % 32 + 1 if rng else len(re.findall(r"[vz]\d+\.|za", inner)) or 1
        n, e = arrangement(inner)
        msize = re.match(r"(?:ldff1|ldnf1|ldnt1|ld[1-4]r?q?|stnt1|st[1-4]q?)(s?)([bhwdq])$", m)
        if "v" in inner and not inner.strip().startswith("z"):
            if lane or re.match(r"ld[1-4]r$", m):
                return sign * ESIZE[e] * cnt
            return sign * (n or 1) * ESIZE[e] * cnt
        if re.match(r"ld1rq", m):
            return 16
        if re.match(r"ld1ro", m):
            return 32
        esz = {"b": 1, "h": 2, "w": 4, "d": 8, "q": 16}[msize.group(2)] if msize else ESIZE[e or "b"]
        if re.match(r"ld1rs?[bhwd]$", m):
            return esz
        return sign * cnt * (vl // ESIZE[e or "b"]) * esz
    names = [x.strip() for x in regs.split(",") if x.strip()]
    total = 0
    for r in names:
        if re.match(r"q\d", r):
            total += 16
        elif re.match(r"(d|x)\d|xzr|lr|fp", r):
            total += 8
        elif re.match(r"(s|w)\d|wzr", r):
            total += {"b": 1, "h": 2}.get(m.rstrip("s")[-1], 4) if re.match(r"(ld|st)u?r(s?)[bh]$", m) else 4
        elif re.match(r"h\d", r):
            total += 2
        elif re.match(r"b\d", r):
            total += 1
        elif re.match(r"z\d", r) or r.startswith("za"):
            total += vl
        elif re.match(r"p\d", r):
            total += vl // 8
        elif r.startswith("zt0"):
            total += 64
    if "za[" in ops:
        total = vl
    return sign * total


def klass(t, main_macs):
    m, _, ops = t.partition(" ")
    if m in main_macs:
        return "mac"
    if is_branch(t):
        return "branch"
    if m.startswith("ld"):
        return "load"
    if m.startswith("st"):
        return "store"
    if re.search(r"\bza\d?[hv]?[.\[]", ops) and m in ("mov", "mova", "movaz"):
        return "za-move"
    vec = re.search(r"\b[vz]\d+\b", ops) or re.match(r"[bhsdq]\d", ops)
    if not vec:
        return "scalar"
    if m in ("trn1", "trn2", "ext", "dup", "ins", "tbl", "rev64", "rev32", "splice", "sel") or \
            m.startswith(("zip", "uzp")) or (m == "mov" and ("[" in ops)):
        return "permute"
    if m in ("and", "shl", "ushr", "sshr", "sshll", "sshll2", "ushll", "ushll2", "sxtl", "sxtl2", "uxtl", "uxtl2",
             "eor", "lsl", "lsr", "asr", "orr", "bic", "sli", "sri", "sunpklo", "sunpkhi", "sunpk", "bcax") or \
            m.startswith("luti"):
        return "bits"
    if m.startswith(("scvtf", "ucvtf", "fcvt", "bfcvt", "frint")):
        return "convert"
    if m.startswith(("f", "bf")):
        return "fp"
    return "int"


# ---------------------------------------------------------------------------------------------------------
# llvm-mca
# ---------------------------------------------------------------------------------------------------------
TARGET = re.compile(r"(?:#?-?0x[0-9a-f]+|#-?\d+)(?:\s*<[^>]*>)?$")


def to_asm(t):
    """disassembly line -> something the assembler takes.  Branches other than calls become an unconditional branch:
    that is what a correctly predicted branch costs (a slot in the branch unit, no wait for its operands)."""
    m, _, ops = t.partition(" ")
    if m == "bl":
        return "bl .Lk"
    if is_branch(t):
        return "b .Lk"
    if m in ("adr", "adrp"):
        return "%s %s, .Lk" % (m, ops.split(",")[0])
    if m.startswith("ld") and "[" not in ops and re.search(r",\s*0x[0-9a-f]+", ops):
        return "%s %s, .Lk" % (m, ops.split(",")[0])
    return quarters_as_whole(re.sub(r"\s*<[^>]*>$", "", t))


def quarters_as_whole(line):
    """No model has the quarter-tile outer products of FEAT_SME_MOP4: one counts as the outer product of the same
    types."""
    m = re.match(r"(\w+)mop4a\s+(za\d\.s), (?:\{ )?(z\d+\.\w).*, (?:\{ )?(z\d+\.\w)", line)
    return "%smopa %s, p0/m, p0/m, %s, %s" % m.groups() if m else line


def unserialize_za(line):
    """LLVM has one register for the whole ZA array: accumulations into different ZA vectors look dependent and the
    4-cycle floating-point ones run at half speed.  The integer form has the same cost and unit, and its latency equals
    its cost, so that the false dependency does no harm."""
    m = re.match(r"(?:fmla|fdot|bfdot|fmlal|bfmlal) (za\.[sh]\[[^]]*\]), (\{[^}]*\}|z\d+\.\w)(?:, (.*))?$", line)
    if not m or "vgx" not in line:
        return line
    src = re.sub(r"\.[hsd]\b", ".b", m.group(2))
    other = re.sub(r"\.[hsd]\b", ".b", re.sub(r"\[\d+\]$", "[0]", m.group(3) or ""))
    return "sdot %s, %s, %s" % (m.group(1).replace("za.h", "za.s"), src, other)


def fix_convert(line):
    """LLVM's N1 and N2 models give fixed-point conversions a quarter of the documented cost; the integer form is
    right."""
    m = re.match(r"([su]cvtf|fcvtz[su]) (v\d+\.\w+, v\d+\.\w+), #", line)
    return "%s %s" % (m.group(1), m.group(2)) if m else line


LOADS = re.compile(r"(?:ldp (q\d+), (q\d+), |ld1 \{ (v\d+\.(?:16b|8h|4s|2d)(?:, v\d+\.\w+)+) \}, )"
                   r"\[(\w+)(?:, #(-?\w+))?\](!|, #(-?\w+))?$")


def split_loads(line):
    """LLVM's C1-Ultra loads a pair of Q registers in the slot of one, its Oryon as many as an instruction names, though
    a pipe of theirs moves 128 bits per cycle. As separate loads they take what they should: [lines]"""
    m = LOADS.match(line)
    if not m:
        return [line]
    registers = ["q" + n for n in re.findall(r"v(\d+)\.", m.group(3))] if m.group(3) else [m.group(1), m.group(2)]
    base, offset, mode, post = m.group(4), int(m.group(5) or "0", 0), m.group(6), m.group(7)
    step = [] if not mode else ["add %s, %s, #%d" % (base, base, abs(offset if mode == "!" else int(post, 0)))]
    at = 0 if mode else offset
    loads = ["ld%sr %s, [%s, #%d]" % ("u" if at < 0 else "", register, base, at + 16 * i)
             for i, register in enumerate(registers)]
    return [line] if at < -256 else step + loads if mode == "!" else loads + step


# What LLVM 22 has no timing of on Oryon, and what stands in for it.
ORYON = [(re.compile(pattern + "$"), other) for pattern, other in (
    (r"(?:[su]|us|su)dot (v\d+\.4s), (v\d+\.16b), (v\d+)\.(?:4b\[\d\]|16b)", r"sdot \1, \2, \3.16b"),
    (r"fml([as])l2? (v\d+)\.4s, (v\d+)\.4h, (v\d+)\..*", r"fml\1 \2.4s, \3.4s, \4.4s"),
    (r"f(?:max|min)(?:nm)? (v.*)", r"fadd \1"),
    (r"(?:fabs|fneg|[su]cvtf|fcvt[anmpz][su]) (v\d+\.\d[hs]), (v\d+\.\d[hs])(?:, #\w+)?", r"frintx \1, \2"),
    (r"f(add|sub|mul) s(\d+), s(\d+), s(\d+)", r"f\1 v\2.2s, v\3.2s, v\4.2s"),
    (r"[su]shl (v\d+\.\w+), (v\d+\.\w+), (v\d+\.\w+)", r"add \1, \2, \3"),
    (r"shll(2?) (v\d+\.\w+, v\d+\.\w+), #\d+", r"sshll\1 \2, #1"),
    (r"ldrb? [xw](\w+), \[(\w+)(?:, #\w+)?\]", r"ldur x\1, [\2]"))]


def for_model(cpu, line):
    """The instructions to simulate for one, where a model of LLVM has a fault: [lines]"""
    if cpu == "c1-ultra-sme":
        return [unserialize_za(line)]
    if cpu in ("neoverse-n1", "neoverse-n2"):
        return [fix_convert(line)]
    if cpu == "oryon-1":
        line = next((pattern.sub(other, line) for pattern, other in ORYON if pattern.match(line)), line)
    return split_loads(line) if cpu in ("c1-ultra", "oryon-1") else [line]


class Mca:
    def __init__(self, path):
        self.path = path
        out = subprocess.run([path, "--version"], stdout=subprocess.PIPE, text=True).stdout
        m = re.search(r"version (\d+)", out)
        self.version = int(m.group(1)) if m else 0
        self.cache = {}

    def command(self, cpu, dispatch=None):
        mcpu, disp, attr, _ = CPUS.get(cpu, (cpu, None, "", ""))
        disp = dispatch if dispatch is not None else disp
        # -call-latency: by default llvm-mca stalls for 100 cycles at every call; a predicted BL costs what its model
        # says.
        cmd = [self.path, "-mtriple=aarch64-linux-gnu", "-mcpu=" + mcpu, "-mattr=+all" + ("," + attr if attr else ""),
               "-iterations=1", "-call-latency=1", "-skip-unsupported-instructions=lack-sched"]
        return cmd + (["-dispatch=%d" % disp] if disp else [])

    def run(self, cpu, lines, info=False):
        """a few instructions: the full answer of llvm-mca"""
        cmd = self.command(cpu) + ["-resource-pressure=0", "-instruction-info=%d" % (1 if info else 0), "-"]
        p = subprocess.run(cmd, input=".Lk:\n" + "\n".join(lines) + "\n", stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
        if "not a recognized processor" in p.stderr:
            raise KeyError("CPU %s is unknown to %s" % (cpu, self.path))
        return p

    SEGMENT = 2000000       # instructions; llvm-mca takes some 500 bytes for each

    def simulate(self, cpu, lines, dispatch=None, bottleneck=False):
        """a whole trace. A long one in segments, each of which begins with an empty core"""
        parts = [self.simulate_segment(cpu, lines[at:at + self.SEGMENT], dispatch, bottleneck)
                 for at in range(0, len(lines), self.SEGMENT)]
        longest = max(parts, key=lambda part: part["bound"])
        return dict(longest, **{key: sum(part[key] for part in parts) for key in ("cycles", "uops", "bound")})

    def simulate_segment(self, cpu, lines, dispatch, bottleneck):
        """totals only; the listing per instruction that follows is not read"""
        cmd = self.command(cpu, dispatch) + ["-instruction-info=0"] + (["-bottleneck-analysis"] if bottleneck else [])
        with tempfile.NamedTemporaryFile("w", suffix=".s") as f, tempfile.TemporaryFile("w+") as err:
            f.write(".Lk:\n" + "\n".join(lines) + "\n")
            f.flush()
            p = subprocess.Popen(cmd + [f.name], stdout=subprocess.PIPE, stderr=err, text=True)
            head = []
            for line in p.stdout:
                if line.startswith("Resource pressure by instruction"):
                    break
                head.append(line)
            p.stdout.close()
            p.kill()
            p.wait()
            err.seek(0)
            msg = err.read(4000)
        out = "".join(head)
        if "Total Cycles" not in out:
            die("llvm-mca failed for %s: %s" % (cpu, msg[-600:]))

        def g(name):
            m = re.search(re.escape(name) + r":\s+([0-9.]+)", out)
            return float(m.group(1)) if m else 0.0
        s = {"cycles": int(g("Total Cycles")), "uops": int(g("Total uOps")), "dispatch": int(g("Dispatch Width"))}
        names = dict(re.findall(r"^\[([0-9.]+)\]\s+- (\S+)$", out, re.M))
        m = re.search(r"^Resource pressure per iteration:\n(.*)\n(.*)$", out, re.M)
        units = {}
        if m:
            for key, val in zip(re.findall(r"\[([0-9.]+)\]", m.group(1)), m.group(2).split()):
                unit = names.get(key, "?") + ("." + key.split(".")[1] if "." in key else "")
                units[unit] = 0.0 if val == "-" else float(val)
        width = s["uops"] / s["dispatch"] if s["dispatch"] else 0.0
        s["busiest"], s["bound"] = max([(u, v) for u, v in units.items()] + [("dispatch", width)], key=lambda x: x[1])
        s["bottleneck"] = re.findall(
            r"^\s*(?:- )?([A-Z][\w ]+?(?:Pressure|Dependencies|Increase)[^\[\n]*\[ ?[0-9.]+% \])", out, re.M)
        return s

    def check(self, cpu, uniq):
        """which of the distinct instructions does the assembler or the model not take?"""
        bad = set()
        uniq = [u for u in uniq if not u.startswith("movprfx")]     # only legal in front of its destructive partner
        p = self.run(cpu, uniq)
        for _ in range(len(uniq)):
            if p.returncode == 0:
                break
            lines = set(int(x) for x in re.findall(r"^<stdin>:(\d+):\d+: error", p.stderr, re.M))
            if not lines:
                raise RuntimeError(p.stderr.strip()[:400])
            for n in lines:
                bad.add(uniq[n - 2])
            uniq = [u for u in uniq if u not in bad]
            p = self.run(cpu, uniq)
        squeeze = lambda x: re.sub(r"0x[0-9a-f]+", lambda m: str(int(m[0], 16)), re.sub(r"\s+", "", x))  # noqa: E731
        notes = set(squeeze(x) for x in re.findall(r"note: instruction:(.*)", p.stderr))
        return bad, set(u for u in uniq if squeeze(u) in notes) | (notes and {"?"} if len(notes) and not any(
            squeeze(u) in notes for u in uniq) else set())

    def costs(self, cpu, uniq):
        """reciprocal throughput of single instructions: {text: (uops, latency, rthroughput)}"""
        new = [u for u in uniq if (cpu, u) not in self.cache]
        known = self.table(cpu, new) if new else {}
        if not known and len(new) > 1:      # one of them has no timing, and no row
            return {u: self.costs(cpu, [u])[u] for u in uniq}
        for u in new:
            self.cache[cpu, u] = known.get(u, (0, 0, 0.0))
        return {u: self.cache[cpu, u] for u in uniq}

    def table(self, cpu, uniq):
        """{text: (uops, latency, rthroughput)} of many instructions in one run (order is kept by llvm-mca)"""
        uniq = [u for u in uniq if not u.startswith("movprfx")]
        p = self.run(cpu, uniq, info=True)
        rows = re.findall(r"^\s*(\d+)\s+(\d+)\s+([0-9.]+)\s", p.stdout[p.stdout.rfind("[6]    Instructions:"):], re.M)
        if len(rows) < len(uniq):
            return {}
        return {u: (int(a), int(b), float(c)) for u, (a, b, c) in zip(uniq, rows)}

    def resources(self, cpu, uniq):
        """What the model says of many instructions, without simulating: {text: (uops, latency of an accumulator,
        {resource: cycles})} and {resource: number of its units}. A unit counts in all groups that contain it. Nothing
        of llvm-mca before LLVM 22, which does not print it."""
        uniq = [u for u in uniq if not u.startswith("movprfx")]
        if self.version < 22 or not uniq:
            return {}, {}
        cmd = self.command(cpu) + ["-instruction-tables=full", "-resource-pressure=0", "-"]
        out = subprocess.run(cmd, input=".Lk:\n" + "\n".join(uniq) + "\n", stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True).stdout
        units = {name: int(n) for name, n in re.findall(r"^\[\d+\]\s+- (\w+):(\d+)", out, re.M)}
        rows = re.findall(r"^\s*(\d+)\s+\d+\s+[0-9.]+[\s*U]+(\d+)\s+(\S+)", out, re.M)
        if len(rows) != len(uniq):
            return {}, {}
        # A resource is taken for one cycle, NAME[n] for n, NAME[a,b] from a to b.
        taken = re.compile(r"(\w+)(?:\[(?:(\d+),)?(\d+)\])?")
        return {u: (int(uops), int(late), {name: int(end or 1) - int(start or 0)
                                           for name, start, end in taken.findall(text) if name in units})
                for u, (uops, late, text) in zip(uniq, rows)}, units


def occupied(lines, width, known, units):
    """cycles that these instructions keep dispatch, each unit and each group of units busy. The most of them is the
    least that the instructions can take, in whatever order and without waiting. `known` and `units` are those of
    Mca.resources."""
    total = collections.Counter()
    for line, n in collections.Counter(lines).items():
        uops, _, cycles = known.get(line, (0, 0, {}))
        total["dispatch"] += n * uops / width
        for unit, busy in cycles.items():
            total[unit] += n * busy / units[unit]
    return total


def busiest_of(busy):
    return max(busy.items(), key=lambda item: item[1])


def exact_rt(rt):
    """llvm-mca prints two digits: 0.33 stands for 1/3, 0.17 for 1/6"""
    for n in (1, 2, 3, 4, 5, 6, 8):
        if rt and abs(round(1.0 / n, 2) - rt) < 1e-9:
            return 1.0 / n
    return rt


# ---------------------------------------------------------------------------------------------------------
# Analysis of a trace
# ---------------------------------------------------------------------------------------------------------
SAMPLED = 10000     # instructions of a segment: pipelines are full again after some hundred


def hot_loop(pcs, binary):
    """the loop (target..backward branch) that covers most executed instructions, innermost on ties"""
    edges = collections.Counter()
    for a, b in zip(pcs, pcs[1:]):
        if b <= a and a - b < 1 << 16 and is_branch(binary.text.get(a, "?")) and \
                mnemonic(binary.text[a]) not in CALL + RET:
            edges[(b, a)] += 1
    count = collections.Counter(pcs)
    best = None
    for (lo, hi), n in edges.items():
        inner = any(l2 >= lo and h2 <= hi and (l2, h2) != (lo, hi) and c2 > n for (l2, h2), c2 in edges.items())
        body = [pc for pc in range(lo, hi + 4, 4) if count.get(pc)]
        w = sum(count[pc] for pc in body)
        if not inner and (best is None or w > best[0]):
            best = (w, n, body)
    return best


def analyse(tr, binary, vl, mac_regex, sample=1):
    """The instructions to simulate, and what all of them are. One segment in `sample` is simulated."""
    cnt = collections.Counter()
    for pc, c in collections.Counter(tr.pcs).items():
        cnt[binary.text.get(pc, "udf #0")] += c
    parts = range(0, len(tr.pcs), SAMPLED * sample) if sample > 1 else [0]
    length = SAMPLED if sample > 1 else len(tr.pcs)
    texts = [binary.text.get(pc, "udf #0") for at in parts for pc in tr.pcs[at:at + length]]
    mnem = collections.Counter()
    for t, c in cnt.items():
        mnem[mnemonic(t)] += c
    if mac_regex:
        rx = re.compile(mac_regex)
        main = set(m for m in mnem if rx.fullmatch(m))
    else:
        ints = set(m for m in mnem if m in INT_MAC[:-10] + ("smlall", "umlall", "usmlall", "sumlall"))
        floats = set(m for m in mnem if m in FP_MAC)
        wide = set(mnemonic(t) for t in cnt if mnemonic(t) in WIDENING and re.search(r"\bv\d", t))
        if sum(mnem[m] for m in wide) > sum(mnem[m] for m in floats):
            floats = wide           # Armv8.0: the few others scale the results
        main = ints or floats or set(m for m in mnem if m in INT_MAC)
    res = {"instructions": len(tr.pcs), "simulated": len(texts) / len(tr.pcs), "main_macs": sorted(main),
           "function": binary.symbol_at(tr.pcs[0])}
    res["mac_instructions"] = sum(c for t, c in cnt.items() if mnemonic(t) in main)
    res["mac_executed"] = sum(c * macs_of(t, vl) for t, c in cnt.items() if mnemonic(t) in main)
    res["bytes_loaded"] = sum(c * mem_bytes(t, vl) for t, c in cnt.items() if mem_bytes(t, vl) > 0)
    res["bytes_stored"] = -sum(c * mem_bytes(t, vl) for t, c in cnt.items() if mem_bytes(t, vl) < 0)
    mix = collections.Counter()
    for t, c in cnt.items():
        mix[klass(t, main)] += c
    res["mix"] = dict(mix)
    res["top"] = mnem.most_common(12)
    h = None if binary.libraries else hot_loop(tr.pcs, binary)
    if h:
        w, n, body = h
        bt = [binary.text[pc] for pc in body]
        lm = collections.Counter(klass(t, main) for t in bt)
        res["loop"] = {"share": w / len(tr.pcs), "iterations": n, "instructions": len(bt), "mix": dict(lm),
                       "macs": sum(macs_of(t, vl) for t in bt if mnemonic(t) in main),
                       "bytes_loaded": sum(max(0, mem_bytes(t, vl)) for t in bt), "at": "0x%x" % body[0],
                       "symbol": binary.symbol_at(body[0])}
    return texts, res


def sme_kind(t):
    m, _, ops = t.partition(" ")
    if m.endswith(("mopa", "mop4a")):
        d = arrangement(ops.split(",")[0])[1]
        s = re.findall(r"[zv]\d+\.\d*([bhsd])", ops)[-1]
        if m.startswith(("f", "bf")):
            return "f64mopa" if d == "d" else "f32mopa" if s == "s" else "f16mopa"
        return "i8mopa"
    if "vgx" in ops and (m in INT_MAC or m in FP_MAC):
        return "zadot"
    return None


def sme_cost(t, tab):
    k = sme_kind(t)
    return 0.0 if k is None else tab[k] * ((4 if "vgx4" in t else 2) if k == "zadot" else 1)


def is_z_arithmetic(t):
    """streaming SVE arithmetic on Z registers"""
    return re.search(r"\bz\d", t) and not mnemonic(t).startswith(("luti", "mov")) and "za" not in t and \
        klass(t, ()) in ("fp", "int", "bits", "convert", "permute")


# Of the cycles: those in which dispatch (in order: issue) and the busiest unit have to work at least; those in which
# nothing but an operand is missing (in-order models).
SHARES = ["dispatch_share", "unit_share", "wait_share"]
COLUMNS = ["name", "compiler", "cpu", "llvm", "shape", "instructions", "cycles", "ipc", "mac_insns", "macs",
           "mac_per_cycle", "ideal_mac_cycles", "utilization", "busiest", "busiest_cycles", "mix_limit", "bytes_loaded",
           "bytes_stored", "packed_bytes", "elements", "cycles_per_element", "loop_insns", "loop_macs_insns",
           "loop_bytes_loaded", "loop_macs", "sme_mac_m4", "sme_mac_c1", "sme_mem_m4", "sme_z_ops", "unmodelled",
           *SHARES]


def measure(texts, an, facts, cpus, mcas, macs=None, name="", dispatch=None, bottleneck=False, save_asm=None):
    """rows (dicts) for one recorded call on several CPU models"""
    asm = {t: to_asm(t) for t in set(texts)}
    lines = [asm[t] for t in texts]
    if save_asm:
        with open(save_asm, "w") as f:
            f.write(".Lk:\n" + "\n".join(lines) + "\n")
    uniq = sorted(set(lines))
    cnt = collections.Counter(texts)
    macs = macs if macs is not None else float(facts["macs"]) if "macs" in facts else None
    mt = {t: c for t, c in cnt.items() if mnemonic(t) in an["main_macs"]}
    rows = []
    for spec in cpus:
        cpu, _, ver = spec.partition("@")
        row = None
        for mca in mcas:
            if ver and str(mca.version) != ver or mca.version < MIN_LLVM.get(cpu, 0):
                continue
            parts = {line: for_model(cpu, line) for line in uniq}
            try:
                bad, skipped = mca.check(cpu, sorted({part for some in parts.values() for part in some}))
            except KeyError:
                continue
            use = [part for line in lines for part in parts[line] if part not in bad]
            s = {} if cpu.startswith("inorder-") else mca.simulate(cpu, use, dispatch, bottleneck)
            first = {t: parts[asm[t]][0] for t in cnt}
            cost = mca.costs(cpu, sorted(set(first[t] for t in mt)))
            ideal = sum(c * exact_rt(cost[first[t]][2]) for t, c in mt.items())
            if cpu.startswith("inorder-"):
                core = CPUS[cpu][0]
                info = mca.table(cpu, [u for u in uniq if u not in bad])
                if core in inorder.HALVES:
                    ideal = sum(c * (1.0 if inorder.is_q(t) else 0.5) for t, c in mt.items())
                forwarded = {u: late for u, (_, late, _) in mca.resources(cpu, list(info))[0].items()} \
                    if core in inorder.FORWARDS else {}
                s["cycles"], waited = inorder.simulate(core, use, info, forwarded)
                busy = inorder.occupied(core, collections.Counter(use), info)
                front, rest = busy["width"], {unit: n for unit, n in busy.items() if unit != "width"}
                s.update(dispatch_share=front / s["cycles"], unit_share=busiest_of(rest)[1] / s["cycles"],
                         wait_share=waited / s["cycles"])
                s["busiest"], s["bound"] = busiest_of(busy)
            else:
                known, units = mca.resources(cpu, sorted(set(use) - skipped))
                if known:
                    busy = occupied(use, s["dispatch"], known, units)
                    s["busiest"], s["bound"] = busiest_of(busy)
                    front = busy.pop("dispatch")
                    s.update(dispatch_share=front / s["cycles"], unit_share=busiest_of(busy)[1] / s["cycles"])
            s["cycles"], s["bound"], ideal = (int(s["cycles"] / an["simulated"]), s["bound"] / an["simulated"],
                                              ideal / an["simulated"])
            row = {"name": name, "cpu": cpu, "llvm": mca.version, "shape": facts.get("shape", ""),
                   "instructions": an["instructions"], "cycles": s["cycles"],
                   "ipc": round(an["instructions"] / s["cycles"], 3),
                   "mac_insns": an["mac_instructions"], "mac_executed": an["mac_executed"],
                   "macs": int(macs) if macs else 0,
                   "mac_per_cycle": round((macs or an["mac_executed"]) / s["cycles"], 3),
                   "ideal_mac_cycles": round(ideal, 1), "utilization": round(ideal / s["cycles"], 4),
                   "busiest": s["busiest"], "busiest_cycles": round(s["bound"], 1),
                   **{share: round(s[share], 3) for share in SHARES if share in s},
                   "mix_limit": round(ideal / s["bound"], 4) if s["bound"] else 0,
                   "bytes_loaded": an["bytes_loaded"], "bytes_stored": an["bytes_stored"],
                   "packed_bytes": int(facts.get("packed_bytes", 0)), "elements": int(facts.get("elements", 0)),
                   "unmodelled": sum(cnt[t] for t in cnt if not (bad | skipped).isdisjoint(parts[asm[t]])) +
                   ("?" in skipped)}
            if row["elements"]:
                row["cycles_per_element"] = round(s["cycles"] / row["elements"], 4)
            if "loop" in an:
                l = an["loop"]
                row.update(loop_insns=l["instructions"], loop_macs_insns=l["mix"].get("mac", 0),
                           loop_bytes_loaded=l["bytes_loaded"], loop_macs=l["macs"])
            if any(t.startswith("smstart") for t in cnt):
                for unit, tab in SME_COST.items():
                    row["sme_mac_" + unit] = round(sum(c * sme_cost(t, tab) for t, c in cnt.items()), 1)
                row["sme_mem_m4"] = round(max(an["bytes_loaded"] / SME_M4_LOAD, an["bytes_stored"] / SME_M4_STORE), 1)
                row["sme_z_ops"] = sum(c for t, c in cnt.items() if is_z_arithmetic(t))
            if bottleneck:
                row["bottleneck"] = s.get("bottleneck", [])
            rows.append(row)
            break
        if row is None:
            print("kai_cycles: no llvm-mca at hand knows " + spec, file=sys.stderr)
    return rows


def in_mode(texts, streaming):
    """the instructions between smstart and smstop, or the others"""
    part, inside = [], False
    for t in texts:
        inside = inside or t.startswith("smstart")
        part += [t] if inside == streaming else []
        inside = inside and not t.startswith("smstop")
    return part


def in_order(counts):
    return ", ".join("%s %d" % kv for kv in sorted(counts.items(), key=lambda x: -x[1]))


def print_table(rows, an, details):
    print("%-16s %9s %9s %6s %10s %10s %8s %8s %9s  %s" % (
        "cpu", "insns", "cycles", "ipc", "macs", "mac/cycle", "ideal", "util", "mix limit", "busiest unit"))
    for r in rows:
        print("%-16s %9d %9d %6.2f %10d %10.2f %8.0f %7.1f%% %8.1f%%  %s %.0f%%%s%s" % (
            r["cpu"], r["instructions"], r["cycles"], r["ipc"], r["macs"] or r["mac_executed"], r["mac_per_cycle"],
            r["ideal_mac_cycles"], 100 * r["utilization"], 100 * r["mix_limit"], r["busiest"],
            100 * r["busiest_cycles"] / r["cycles"],
            "  %.3f cycles/element" % r["cycles_per_element"] if "cycles_per_element" in r else "",
            "  (%d instructions not modelled)" % r["unmodelled"] if r["unmodelled"] else ""))
        for b in r.get("bottleneck", []):
            print("      " + re.sub(r"\s+", " ", b))
    if details:
        print("mix:", in_order(an["mix"]))
        print("top:", ", ".join("%s %d" % kv for kv in an["top"]))
        print("bytes loaded %d, stored %d" % (an["bytes_loaded"], an["bytes_stored"]))
        if "loop" in an:
            l = an["loop"]
            print("hot loop: %.0f%% of the instructions, %d iterations of %d instructions: %s; %d MAC, %d bytes loaded "
                  "(at %s in %s)" % (100 * l["share"], l["iterations"], l["instructions"], in_order(l["mix"]),
                                     l["macs"], l["bytes_loaded"], l["at"], l["symbol"]))


def append_csv(path, rows):
    new = not os.path.exists(path) or os.path.getsize(path) == 0
    with open(path, "a", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, extrasaction="ignore", restval="")
        if new:
            w.writeheader()
        w.writerows(rows)


def facts_of(stdout):
    return dict(re.findall(r"\b(\w+)=([^\s]+)", " ".join(l[5:] for l in stdout.splitlines() if l.startswith("perf:"))))


def open_mcas(paths):
    if paths:
        return [Mca(p) for p in paths]
    found = [shutil.which("llvm-mca-%d" % v) for v in (23, 22, 21, 20, 19)] + [shutil.which("llvm-mca")]
    found = [f for f in found if f]
    if not found:
        die("no llvm-mca found")
    return [Mca(f) for f in found]


def main():
    if "--list-cpus" in sys.argv[1:]:
        print("\n".join("%-13s %s" % (k, v[3]) for k, v in CPUS.items()))
        return
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    ap.add_argument("binary", help="AArch64 executable, static or with --sysroot")
    ap.add_argument("args", nargs="*", help="its arguments (put -- before them)")
    g = ap.add_mutually_exclusive_group(required=True)
    g.add_argument("--symbol", help="function to measure, from its entry to its return, callees included")
    g.add_argument("--callee-of", help="measure the first call that this function makes (for indirect calls)")
    ap.add_argument("--nth", type=int, default=1, help="measure the nth call")
    ap.add_argument("--cpu", default="neoverse-n3,neoverse-v2",
                    help="comma separated, each NAME or NAME@LLVMVERSION; --list-cpus shows the known ones")
    ap.add_argument("--dispatch", type=int, default=None, help="override the dispatch width")
    ap.add_argument("--vl", type=int, default=16, help="vector length in bytes assumed for SVE/SME operands")
    ap.add_argument("--qemu-cpu", default=None,
                    help="default: max,sve-default-vector-length=VL,sme-default-vector-length=VL")
    ap.add_argument("--macs", type=float, default=None,
                    help="useful MACs of the call (default: 'macs=' printed by the program)")
    ap.add_argument("--mac-regex", default=None,
                    help="mnemonics that count as the MAC instructions (default: automatic)")
    ap.add_argument("--name", default=None, help="name for the result rows")
    ap.add_argument("--streaming", choices=["in", "out"], default=None,
                    help="simulate the instructions in streaming mode alone, or those out of it")
    ap.add_argument("--sysroot", default=None,
                    help="where the shared libraries of the program are; it prints its /proc/self/maps before the call")
    ap.add_argument("--sample", type=int, default=1,
                    help="simulate one of so many segments of %d instructions, and multiply" % SAMPLED)
    ap.add_argument("--max-insns", type=int, default=3000000)
    ap.add_argument("--bottleneck", action="store_true", help="add llvm-mca's bottleneck analysis")
    ap.add_argument("--details", action="store_true", help="print the instruction mix and the hot loop")
    ap.add_argument("--save-asm", default=None, help="write the straight-line assembly here")
    ap.add_argument("--csv", default=None, help="append rows to this CSV file (header if new)")
    ap.add_argument("--json", default=None, help="write the results as JSON")
    ap.add_argument("--mca", action="append", default=None, help="llvm-mca to use; may be given several times")
    ap.add_argument("--qemu"), ap.add_argument("--objdump")
    ap.add_argument("--list-cpus", action="store_true", help="show the CPU names and exit")
    args = ap.parse_args()
    if args.sysroot and (args.save_asm or args.details):
        die("code of shared libraries is measured, not shown: no --save-asm or --details with --sysroot")
    if args.qemu_cpu is None:
        args.qemu_cpu = "max,sve-default-vector-length=%d,sme-default-vector-length=%d" % (args.vl, args.vl)
    mcas = open_mcas(args.mca)
    binary = Binary(args.binary, find_objdump(args.objdump))
    tr, stdout = record(args, binary, args.args)
    facts = facts_of(stdout)
    texts, an = analyse(tr, binary, args.vl, args.mac_regex, args.sample)
    print("measured: one call of %s, %d instructions" % (an["function"], an["instructions"]))
    if args.streaming:
        texts = in_mode(texts, args.streaming == "in")
    name = args.name or facts.get("name") or args.symbol or args.callee_of
    rows = measure(texts, an, facts, args.cpu.split(","), mcas, args.macs, name, args.dispatch, args.bottleneck,
                   args.save_asm)
    if not rows:
        die("no CPU model was usable")
    print_table(rows, an, args.details)
    if args.csv:
        append_csv(args.csv, rows)
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"rows": rows, "analysis": an}, f, indent=1, default=str)


if __name__ == "__main__":
    main()
