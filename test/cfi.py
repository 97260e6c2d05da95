#!/usr/bin/env python3
"""cfi.py OBJDUMP DWARFDUMP OBJECT...

Unwind information of assembly: follows sp, x29 and the saved registers d8-d15 and x19-x30 through each function of the
objects, instruction by instruction, and compares with what the CFI says there. A function that writes one of them has
saved it, or is a part of functions that have (kai_part_*). x18 is never written. Objects of other languages are left
out.
"""
# SPDX-License-Identifier: Apache-2.0
import re
import subprocess
import sys

SAVED = {f"d{i}" for i in range(8, 16)} | {f"x{i}" for i in range(19, 31)}
# What does not write its first operand.
READERS = re.compile(r"st|cb|tb|cmp|cmn|ccm|tst|fcmp|fccmp|prf|b$|b\.|bl$|ret|wh")


def outputs(*command):
    """What it prints of each of the files that end the command: one process reads them all."""
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    parts = re.split(r"^(.+):\tfile format .*$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def functions(text):
    """(name, [(offset, mnemonic, operands)])"""
    found = []
    for line in text.split("\n"):
        label = re.match(r"([0-9a-f]+) <([^$.].*)>:$", line)
        if label:
            start = int(label[1], 16)
            found.append((label[2], []))
        instruction = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)$", line)
        if instruction and found:
            operands = re.sub(r"\s*(//|<).*", "", instruction[3])
            found[-1][1].append((int(instruction[1], 16) - start, instruction[2], operands))
    return found


def unwind_tables(text):
    """For each function: [(offset, register of the CFA, what to add to it, {register: where from the CFA})]"""
    tables, rows = [], None
    for line in text.split("\n"):
        head = re.search(r"FDE cie=\S+ pc=([0-9a-f]+)\.\.\.", line)
        if head:
            start, rows = int(head[1], 16), []
            tables.append(rows)
        row = re.match(r"  0x([0-9a-f]+): CFA=W?(\w+?)(?:([+-]\d+))?(?:: (.*))?$", line)
        if row and rows is not None:
            saved = {("d" if k == "B" else "x") + n: int(at) for k, n, at in
                     re.findall(r"([BW])(\d+)=\[CFA([+-]\d+)\]", row[4] or "")}
            rows.append((int(row[1], 16) - start, row[2].lower(), int(row[3] or 0), saved))
    return tables


class Frame:
    """sp and x29 as distances from the CFA, None: unknown; where registers are saved."""

    def __init__(self, sp=0, x29=None, saved=()):
        self.sp, self.x29, self.saved = sp, x29, dict(saved)

    def step(self, mnemonic, operands):
        """Follows an instruction. True: it sets up the frame. A string: what is wrong."""
        access = re.match(r"((?:[dx]\d+, )+)\[sp(?:, #(-?\w+))?\](!)?(?:, #(-?\w+))?$", operands)
        registers = access[1].split(", ")[:-1] if access else []
        offset = int(access[2] or "0", 0) if access else 0
        if mnemonic in ("stp", "str") and set(registers) & SAVED - set(self.saved) and self.sp is not None:
            if access[3]:
                self.sp, offset = self.sp + offset, 0
            self.saved.update({r: self.sp + offset + 8 * i for i, r in enumerate(registers)})
            return True
        if mnemonic in ("ldp", "ldr") and access and self.sp is not None:
            for i, register in enumerate(registers):
                if self.saved.get(register) == self.sp + offset + 8 * i:
                    del self.saved[register]
                    registers[i] = None
            if None in registers:
                self.sp += int(access[4] or "0", 0)
                self.x29 = self.x29 if "x29" in self.saved else None
                return False
        if mnemonic in ("add", "sub") and operands.startswith("sp, sp, #"):
            bytes_ = int(operands.split("#")[1], 0)
            self.sp += bytes_ if mnemonic == "add" else -bytes_
            return mnemonic == "sub"
        if mnemonic == "addvl" and operands.startswith("sp,"):
            self.sp = None
            return True
        if (mnemonic, operands) == ("mov", "x29, sp"):
            self.x29 = self.sp
            return True
        if (mnemonic, operands) == ("mov", "sp, x29"):
            self.sp = self.x29
            return False
        if not READERS.match(mnemonic):
            written = re.match(r"([xwzqvdsbh])(\d+)", operands)
            register = ("x" if written[1] in "xw" else "d") + written[2] if written else ""
            if register == "x18" or register in SAVED - {"x30"} and register not in self.saved:
                return f"writes {register}"
        return False


def check(name, instructions, rows):
    frame, body = Frame(), Frame()
    for offset, mnemonic, operands in instructions:
        at = f"0x{offset:x} {mnemonic} {operands}: "
        _, register, distance, saved = [row for row in rows if row[0] <= offset][-1]
        cfa = {"sp": frame.sp, "29": frame.x29}[register]
        if cfa != -distance:
            return f"{at}CFA is {register} + {-cfa if cfa is not None else '?'}, not + {distance}"
        if saved != frame.saved:
            return f"{at}saved {sorted(frame.saved.items())}, not {sorted(saved.items())}"
        if mnemonic == "ret":
            # A local function returns within the frame.
            if frame.saved != body.saved and (frame.saved or frame.sp != 0):
                return at + "returns with a half of the frame"
            frame = Frame(body.sp, body.x29, body.saved)
            continue
        result = frame.step(mnemonic, operands)
        if isinstance(result, str) and (result == "writes x18" or not name.startswith("kai_part_")):
            return at + result
        if result:
            body = Frame(frame.sp, frame.x29, frame.saved)
    return None


def main():
    checked, wrong = 0, 0
    objects = [name for name in sys.argv[3:] if name.endswith(".S.o")]
    code = outputs(sys.argv[1], "-d", "--no-show-raw-insn", "--mattr=+all", *objects)
    frames = outputs(sys.argv[2], "--eh-frame", *objects)
    for object_file in objects:
        found, tables = functions(code[object_file]), unwind_tables(frames[object_file])
        if len(found) != len(tables):
            sys.exit(f"{object_file}: {len(found)} functions, CFI of {len(tables)}")
        for (name, instructions), rows in zip(found, tables):
            error = check(name, instructions, rows)
            checked += 1
            if error:
                wrong += 1
                print(f"{name}: {error}")
    print(f"{checked} functions checked, {wrong} wrong")
    sys.exit(wrong > 0 or checked == 0)


main()
