#!/usr/bin/env python3
"""Every message of the library, with a cure for each: docs/messages.md, from kai/engines/core/sentences.def.

    messages.py --write | --check

A sentence of the table has a comment before it, `//: example | cure`, in one line or two. The example must be what the
format can print. --check: exit status 1 if the page is not what --write would write.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "kai/engines/core/sentences.def"
PAGE = ROOT / "docs/messages.md"
HEAD = """# Every message

Generated from [`sentences.def`](../kai/engines/core/sentences.def) by `tools/messages.py`. Micro-kernels and packers
print a message with the name of their function before it, and abort; `kai_registry_check` and the GEMM layer return it
([errors.md](errors.md)). Names and numbers are examples: look for the words.
"""


def pattern(format_):
    """What a format of printf can print."""
    values = {"%zu": r"\\d+", "%zd": r"-?\\d+", "%zx": "[0-9a-f]+", "%s": ".+", "%g": "[-+.0-9a-z]+"}
    text = re.escape(format_)
    for value, expression in values.items():
        text = re.sub(re.escape(re.escape(value)), expression, text)
    return text


def page():
    complaints, parts = [], [HEAD]
    for block in re.split(r"^// (?=[A-Z].*\n//:)", TABLE.read_text(), flags=re.MULTILINE)[1:]:
        title, _, text = block.partition("\n")
        rows = re.findall(r'((?:^//: .*\n)*)KAI_SENTENCE\(\s*(\w+),\s*"((?:[^"\\]|\\.)*)"\)', text, re.MULTILINE)
        lines = [f"\n## {title}\n", "| message | what to do |", "|---|---|"]
        for comment, name, format_ in rows:
            words = " ".join(line[4:].strip() for line in comment.splitlines())
            example, bar, cure = (word.strip() for word in words.partition("|"))
            if not bar or not cure:
                complaints.append(f"{name}: no example and cure")
            elif not re.fullmatch(pattern(format_), example):
                complaints.append(f'{name}: "{format_}" does not print "{example}"')
            cure = re.sub(r"docs/([\w-]+\.md)", r"[\1](\1)", cure)
            lines.append(f"| `{example}` | {cure} |")
        parts.append("\n".join(lines) + "\n")
    if sum(part.count("\n| `") for part in parts) < 80:
        complaints.append(f"{TABLE.name}: few sentences were found")
    if complaints:
        raise SystemExit("\n".join(complaints))
    return "".join(parts)


def main():
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    elif sys.argv[1:] != ["--check"]:
        raise SystemExit(__doc__)
    elif PAGE.read_text() != page():
        raise SystemExit(f"{PAGE.relative_to(ROOT)} is out of date: tools/messages.py --write")


if __name__ == "__main__":
    main()
