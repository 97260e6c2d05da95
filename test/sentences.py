#!/usr/bin/env python3
"""What the library says about wrong arguments stands in one table, and tests have seen it.

    sentences.py ROOT

No string of the library words a sentence of kai/engines/core/sentences.def once more, nor does one of the tests: they
name it (test/support/said.hpp), and each sentence is named by a test. Compared is the longest piece of a sentence
between its values.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import sys

TABLE = "kai/engines/core/sentences.def"
LEAST = 9  # characters: shorter pieces stand in other texts, too, and so do pieces in texts without values

# Not reached: test programs have __arm_tpidr2_save, and no problem leads to the others on the CPUs of the tests.
UNSEEN = ("no_tpidr2", "none_multiplies", "pin_of_other_operands", "other_vectors", "rounds_products")


def strings(path):
    """String literals, adjacent ones as one; without comments."""
    text = re.sub(r"^\s*//.*$|\s//[^\"\n]*$", "", path.read_text(), flags=re.MULTILINE)
    text = re.sub(r"\\\n", " ", text)
    for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
        yield "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', found.group()))


def main(root):
    table, text = {}, re.sub(r"^//.*", "", (root / TABLE).read_text(), flags=re.MULTILINE)
    for name, format_ in re.findall(r'KAI_SENTENCE\(\s*(\w+),\s*"((?:[^"\\]|\\.)*)"\)', text):
        table[name] = max(re.split(r"%[.\d]*z?\w", format_), key=len).strip(" :,(")
    complaints = []
    if len(table) < 40:
        complaints.append(f"{TABLE}: only {len(table)} sentences were found")

    def sources(folder):
        return sorted(path for path in (root / folder).rglob("*") if path.suffix in (".cpp", ".hpp", ".h", ".inc"))

    own = {root / "test/sentences_test.cpp"}
    for path in [*sources("kai"), *(set(sources("test")) - own)]:
        for string in strings(path):
            for name, piece in table.items():
                if len(piece) >= LEAST and piece in string and ("%" in string or piece.startswith(("must", "is not"))):
                    complaints.append(f'{path.relative_to(root)}: "{string}" is the sentence {name}')
    tests = "\n".join(path.read_text() for path in sources("test"))
    named = set(re.findall(r"\bSAID(?:_AS)?\(\s*(\w+)", tests))
    for name in table:
        if name not in named and name not in UNSEEN:
            complaints.append(f"{TABLE}: no test names {name}")
    print("\n".join(complaints))
    print(f"{len(table)} sentences, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
