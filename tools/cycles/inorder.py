"""A small in-order issue model for kai_cycles.py: cores of the class of Cortex-A53, Cortex-A55, Cortex-A510 and
C1-Nano.

llvm-mca's in-order mode makes an instruction wait until its result would not be written back before the results of
older instructions.  A load or an integer instruction behind an SDOT then stalls for about three cycles, which the cores
do not do; mixed load/SIMD streams come out far too slow.  This model has no such rule: instructions issue in program
order when their sources are ready, a unit is free and the issue width is not used up.

Latencies come from llvm-mca's instruction table for the CPU.  Unit occupancy comes from the tables below, which
hold publicly known properties of the cores:
  A55   2-wide; SIMD is 2x64 bit, so a 128-bit operation takes both halves (one per cycle); loads move 64 bit per cycle:
        a 128-bit load keeps the load pipe and both SIMD halves for two cycles (an integer instruction may issue beside
        it).
  A53   The same widths. Assumed, as no guide to its timing is public: an insert of an integer register issues beside
        SIMD work as on the A55, and no result is forwarded to an accumulator before LLVM's latency is over (6 cycles
        for integer multiplies, 10 for FMLA), which is too slow rather than too fast.
  A510  3-wide; 2x128-bit SIMD (the larger of the configurations, not shared with a second core), two loads of
        128 bit or one store per cycle.
  C1-Nano  As the A510, with two integer units. How long an instruction keeps its unit is LLVM's: BFMMLA two slots,
        a load with a new base two, a store also the slot of a load. Dot products forward their sum after a cycle.

SPDX-License-Identifier: Apache-2.0
"""
import re

WIDTH = {"cortex-a53": 2, "cortex-a55": 2, "cortex-a510": 3, "c1-nano": 3}
UNITS = {"cortex-a53": {"V": 2, "L": 1, "S": 1, "I": 2, "M": 1, "B": 1},
         "cortex-a55": {"V": 2, "L": 1, "S": 1, "I": 2, "M": 1, "B": 1},
         "cortex-a510": {"V": 2, "L": 2, "S": 1, "I": 3, "M": 1, "B": 1},
         "c1-nano": {"V": 2, "L": 2, "S": 1, "I": 2, "M": 1, "B": 1}}
HALVES = ("cortex-a53", "cortex-a55")      # the SIMD units are of 64 bit
OCCUPIES = ("c1-nano",)     # how long a unit is taken follows from LLVM's throughput, also for ordinary instructions
FORWARDS = ("c1-nano",)     # LLVM knows how early a sum may go on as the accumulator of the same instruction

DESTRUCTIVE = re.compile(
    r"^(fmla|fmls|fmlal2?|fmlsl2?|mla|mls|[su]mlal2?|[su]mlsl2?|[su]dot|usdot|sudot|[su]mmla|usmmla|bfdot|"
    r"bfmmla|bfmlal[bt]|"
    r"bit|bif|bsl|sli|sri|tbx|[su]r?sra|[su]adalp|[su]abal?2?|sqrdml[as]h|sqdml[as]l2?|movk|bfi|bfxil|ins|"
    r"(sq|uq)?xtn2|sqxtun2|(r?shrn|[su]q(r)?shrn|sqr?shrun)2|fcvtn2|fcvtxn2|bfcvtn2|(r?add|r?sub)hn2)$")
FLAG_WRITE = re.compile(r"^(adds|subs|ands|bics|negs|adcs|sbcs|cmp|cmn|tst|fcmpe?|ccmp|ccmn|fccmpe?)$")
FLAG_READ = re.compile(
    r"^(csel|cset|csetm|csinc|csinv|csneg|cinc|cinv|cneg|fcsel|adcs?|sbcs?|ngcs?|ccmp|ccmn|fccmpe?)$")
NO_DEST = re.compile(
    r"^(cmp|cmn|tst|fcmpe?|ccmp|ccmn|fccmpe?|nop|hint|prfm|prfum|dmb|dsb|isb|bti|paciasp|autiasp|b|bl|ret)$")
REG = re.compile(r"\b(?:([xw])(\d+|zr)|([vqdshbz])(\d+)(?![.]?\w*:)|(w?sp)|(lr|fp))\b")


def regs(text):
    out = []
    for m in REG.finditer(text):
        if m.group(1):
            if m.group(2) != "zr":
                out.append("x" + m.group(2))
        elif m.group(3):
            out.append("v" + m.group(4))
        elif m.group(5):
            out.append("sp")
        else:
            out.append("x30" if m.group(6) == "lr" else "x29")
    return out


def expand(text):
    """{ v0.16b - v3.16b } -> all registers named"""
    def rng(m):
        a, b = int(m.group(2)), int(m.group(4))
        return ", ".join("%s%d" % (m.group(1), (a + i) % 32) for i in range((b - a) % 32 + 1))
    return re.sub(r"([vz])(\d+)\.\w+\s*-\s*([vz])(\d+)\.\w+", rng, text)


def operands(text):
    """(mnemonic, defs, uses)"""
    m, _, ops = text.partition(" ")
    ops = expand(ops)
    defs, uses = [], []
    if m.startswith(("ld", "st")) and "[" in ops:
        head, rest = ops[:ops.rindex("[")], ops[ops.rindex("["):]
        if re.search(r"\}\[\d+\]", ops):                      # lane load/store: the lane index is no address
            head = ops[:ops.index("}") + 1]
            rest = ops[ops.index("[", ops.index("]") + 1):]
        inner, _, post = rest.partition("]")
        uses += regs(inner)
        if post.startswith("!") or post.startswith(","):
            defs += regs(inner)[:1]
            uses += regs(post)
        (defs if m.startswith("ld") else uses).extend(regs(head))
        if m.startswith("ld") and "}[" in ops:
            uses += regs(head)
        return m, defs, uses
    if m.startswith("b.") or m in ("cbz", "cbnz", "tbz", "tbnz", "b", "bl", "br", "blr", "ret"):
        return m, (["x30"] if m in ("bl", "blr") else []), []
    parts = [p for p in re.split(r",(?![^\[{]*[\]}])", ops)]
    if NO_DEST.match(m):
        uses += regs(ops)
    else:
        defs += regs(parts[0])[:1]
        uses += regs(",".join(parts[1:]))
        if DESTRUCTIVE.match(m) or (m in ("mov", "fmov") and "[" in parts[0]):
            uses += defs
    if FLAG_WRITE.match(m):
        defs.append("nzcv")
    if FLAG_READ.match(m):
        uses.append("nzcv")
    return m, defs, uses


def is_q(text):
    return bool(re.search(r"\bq\d|\.(16b|8h|4s|2d)\b", text))


def occupancy(cpu, text, rt):
    """[(unit class, units taken, cycles busy)] and a lower limit for the latency"""
    m, _, ops = text.partition(" ")
    vec = re.search(r"\b[vqdshbz]\d+\b", ops)
    halves = cpu in HALVES
    if m.startswith(("ld", "st")) and "[" in ops:
        n = len(regs(expand(ops[:ops.index("}")] if "}" in ops else ops[:ops.rindex("[")])))
        lane = "}[" in ops or re.match(r"ld[1-4]r$", m)
        wide = is_q(ops) and not lane
        if cpu in OCCUPIES:
            slots = max(1, int(round(rt * 2)))      # of two units for loads, one of which also stores
            stored = max(1, slots // 2)
            return [("L", 1, slots)] if m.startswith("ld") else [("S", 1, stored), ("L", 1, stored)], 1
        if m.startswith("st"):
            return [("S", 1, n * (2 if wide and halves else 1))], 1
        if not halves:
            return [("L", 1, n)], 1
        beats = n * (2 if wide else 1)
        if m == "ldp" and not vec:
            beats = 1 if re.match(r"w\d", ops) else 2
        if vec:
            return [("L", 1, beats), ("V", 2 if wide else 1, beats)], 4 if wide else 3
        return [("L", 1, beats)], 3
    if m.startswith("b.") or m in ("cbz", "cbnz", "tbz", "tbnz", "b", "bl", "br", "blr", "ret"):
        return [("B", 1, 1)], 1
    if halves and m in ("ins", "mov") and re.search(r"\[\d\], [xw]\d", ops):
        return [("I", 1, 1)], 2                                 # insert from an integer register: pairs with SIMD work
    if vec:
        slow = max(1, int(round(rt * 2))) if rt > 1 or cpu in OCCUPIES else 1   # divides, square roots and the like
        return [("V", 2 if halves and is_q(ops) else 1, slow)], 1
    if re.match(r"^(madd|msub|mul|mneg|[su]maddl|[su]mull|[su]mulh|udiv|sdiv)$", m):
        return [("M", 1, max(1, int(round(rt))))], 1
    return [("I", 1, 1)], 1


def simulate(cpu, texts, info, forwarded={}):
    """texts: executed instructions in order; info: text -> (uops, latency, rthroughput); forwarded: text -> latency of
    its result as the accumulator of the next such instruction.  Returns cycles, and those of them in which nothing
    else kept the next instruction from issuing than an operand that was not there."""
    width, units = WIDTH[cpu], {k: [0] * n for k, n in UNITS[cpu].items()}
    ready, t, used, last, waited = {}, 0, 0, 0, 0
    sums = {}       # register -> (mnemonic, when the next such instruction can add to it)
    cache = {}
    for text in texts:
        rec = cache.get(text)
        if rec is None:
            m, d, u = operands(text)
            _, lat, rt = info.get(text, (1, 1, 1.0))
            need, least = occupancy(cpu, text, rt)
            if need[0][0] == "B":
                lat = 1
            wb = m.startswith(("ld", "st")) and ("]," in text or text.endswith("!"))
            base = regs(text[text.rindex("["):])[:1] if wb and "[" in text else []
            early = m if DESTRUCTIVE.match(m) and forwarded.get(text, lat) < lat else None
            rec = cache[text] = (d, u, max(lat, least), need, base, early)
        d, u, lat, need, base, early = rec
        c = t
        for r in u:
            when = ready.get(r, 0)
            if early and r == d[0] and r in sums and sums[r][0] == early and u.count(r) == 1:
                when = sums[r][1]
            if when > c:
                c = when
        operands_at = c
        for cls, n, busy in need:
            free = sorted(units[cls])
            if free[n - 1] > c:
                c = free[n - 1]
        if c == t and used >= width:
            c = t + 1
        if c > t:
            waited += c - t if c == operands_at else 0
            t, used = c, 0
        used += 1
        for cls, n, busy in need:
            pool = units[cls]
            for i in sorted(range(len(pool)), key=pool.__getitem__)[:n]:
                pool[i] = t + busy
        for r in d:
            ready[r] = t + (1 if r in base else lat)
            sums.pop(r, None)
        if early:
            sums[d[0]] = early, t + forwarded[text]
        if t + lat > last:
            last = t + lat
    return max(last, t + 1), waited


def occupied(cpu, counts, info):
    """cycles that the instruction mix keeps each unit, and the width, busy; counts: text -> executions"""
    total = {"width": sum(counts.values()) / WIDTH[cpu]}
    for text, c in counts.items():
        for cls, n, busy in occupancy(cpu, text, info.get(text, (1, 1, 1.0))[2])[0]:
            total[cls] = total.get(cls, 0) + c * n * busy / UNITS[cpu][cls]
    return total
