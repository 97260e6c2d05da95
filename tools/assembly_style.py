"""The rules for assembly that lint.py checks (docs/adding-a-kernel.md), by file and rule.

  parameters  a macro has at most 8
  numbers     a call passes at most 6 bare numbers: registers have names
  comment     a macro of more than 3 lines has a comment above it: what it reads, writes and changes
  map         a .S of more than 100 lines names registers in the comment at its head

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_PARAMETERS, MOST_NUMBERS, SHORT_MACRO, SHORT_FILE = 8, 6, 3, 100


def is_checked(path):
    """Catalogues are no assembly; mnemonics that sme2_gas.inc encodes have as many operands as they have."""
    return path.startswith("kai/engines/") and path.endswith((".S", ".inc")) and \
        not path.endswith(("families.inc", "sme2_gas.inc"))


def body_length(lines, start):
    """Lines between .macro in line `start` and its .endm."""
    depth = 0
    for at in range(start, len(lines)):
        depth += bool(re.match(r"\s*\.macro\b", lines[at]))
        depth -= bool(re.match(r"\s*\.endm\b", lines[at]))
        if depth == 0:
            return at - start - 1
    return len(lines) - start


def broken_rules(path):
    """(rule, line number) of each place of a file."""
    lines = (ROOT / path).read_text().splitlines()
    for at, line in enumerate(lines):
        code = line.split("//")[0]
        if macro := re.match(r"\s*\.macro\s+\w+(.*)", code):
            if len(re.findall(r"[\w]+(?:=\S+|:\w+)?", macro[1])) > MOST_PARAMETERS:
                yield "parameters", at + 1
            above = at > 0 and lines[at - 1].lstrip().startswith("//")
            if body_length(lines, at) > SHORT_MACRO and not above:
                yield "comment", at + 1
        elif call := re.match(r"\s+[\w\\().]+\s+(.*)", code):
            numbers = [x for x in re.split(r"[,\s]+", call[1].strip()) if x.isdigit()]
            if len(numbers) > MOST_NUMBERS and not code.lstrip().startswith("."):
                yield "numbers", at + 1
    if path.endswith(".S") and len(lines) > SHORT_FILE:
        head = next((at for at, line in enumerate(lines) if not line.startswith("//")), 0)
        if not re.search(r"\b([vxzqpw]\d+|za\d?)\b", "\n".join(lines[:head])):
            yield "map", 1


def complaints(paths):
    for path in sorted(filter(is_checked, paths)):
        for rule, line in broken_rules(path):
            yield f"{path}:{line}: {rule}: see tools/assembly_style.py"
