#!/usr/bin/env python3
"""tools/abi.py sees what it should: changes of the interface, put in one at a time, and the verdict about versions.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import abi  # noqa: E402

COMPILER = os.environ.get("CC", "gcc").split()

#: name: (pattern, replacement, what compare finds gone or changed, what it finds new); True: something
CHANGES = {
    "nothing": (r"\A", "", False, False),
    "a comment": (r"\A", "/* changed */\n", False, False),
    "a new function": (r"const char\* kai_version\(void\);", r"\g<0> const char* kai_age(void);", False, True),
    "a function is gone": (r"const char\* kai_version\(void\);", "", True, False),
    "a packer is gone": (r"kai_run_lhs_pack_bl_f32_fn kai_run_\w+;", "", True, False),
    "another result": (r"const char\* kai_version\(void\);", "int kai_version(void);", True, False),
    "another argument": (r"typedef size_t kai_get_dst_size_fn\(size_t m, size_t n\);",
                         "typedef size_t kai_get_dst_size_fn(size_t m, unsigned n);", True, False),
    "one argument more": (r"typedef size_t kai_get_dst_size_fn\(size_t m, size_t n\);",
                          "typedef size_t kai_get_dst_size_fn(size_t m, size_t n, size_t k);", True, False),
    "a structure of callers grows": (r"(struct kai_gemm_operands \{[^}]*)\}", r"\1 int more; }", True, False),
    "a member takes room": (r"(struct kai_gemm_problem \{[^}]*)uint64_t reserved\[18\];",
                            r"\1uint64_t flags;\nuint64_t reserved[17];", False, True),
    "a member slips into the gap before the room": (r"(struct kai_registry_request \{[^}]*)uint64_t reserved\[7\];",
                                                    r"\1bool gated;\nuint64_t reserved[6];", True, False),
    "two members take room": (r"(struct kai_gemm_operands \{[^}]*)uint64_t reserved\[14\];",
                              r"\1const void* up;\nsize_t up_stride;\nuint64_t reserved[12];", False, True),
    "a member takes no room": (r"(struct kai_registry_request \{[^}]*)uint64_t reserved\[7\];",
                               r"\1bool gated;\nuint64_t reserved[7];", True, False),
    "a member takes half a word too much": (r"(struct kai_gemm_problem \{[^}]*)uint64_t reserved\[18\];",
                                            r"\1size_t wide;\nbool more;\nuint64_t reserved[17];", True, False),
    "a member takes the end of the room": (r"(struct kai_gemm_problem \{[^}]*)uint64_t reserved\[18\];",
                                           r"\1uint64_t reserved[17];\nuint64_t wide;", True, False),
    "room is gone": (r"(struct kai_gemm_problem \{[^}]*)uint64_t reserved\[18\];", r"\1", True, False),
    "a member that took room is gone": (r"(struct kai_gemm_problem \{[^}]*)bool untagged;", r"\1", True, False),
    "members change places": (r"(struct kai_gemm_problem \{\n)(size_t m;)\n(size_t n, k;)", r"\1\3\n\2", True, False),
    "a structure of the library grows": (r"(struct kai_packer \{[^}]*)\}", r"\1 const char* more; }", False, False),
    "a structure of the library shrinks": (r"(struct kai_packer \{\n)[^;]*;", r"\1", True, False),
    "a status more": (r"KAI_GEMM_STATUS_COUNT", "KAI_GEMM_TIRED, KAI_GEMM_STATUS_COUNT", False, False),
    "another number for a status": (r"KAI_GEMM_OVERFLOW,", "KAI_GEMM_TIRED, KAI_GEMM_OVERFLOW,", True, False),
}

#: (before, released, now, changed, added): is there a complaint?
VERDICTS = [
    ("1.0.0", True, "1.0.0", [], [], False), ("1.0.0", True, "1.0.1", [], [], False),
    ("1.0.0", True, "1.0.1", [], ["f"], True), ("1.0.0", True, "1.0.0", [], ["f"], True),
    ("1.0.0", True, "1.1.0", [], ["f"], False), ("1.0.0", True, "1.1.0", ["f"], [], True),
    ("1.9.0", True, "1.10.0", [], ["f"], False), ("1.9.0", True, "2.0.0", ["f"], ["f"], False),
    ("1.0.0", False, "1.0.0", [], ["f"], False), ("1.0.0", False, "1.0.0", ["f"], [], True),
]


def main():
    header, wrong = abi.joined(), []
    for name, (pattern, replacement, changes, adds) in CHANGES.items():
        other, count = re.subn(pattern, replacement, header, count=1)
        if count != 1:
            wrong.append(f"{name}: the interface has no {pattern}")
            continue
        changed, added, report = abi.compare(header, other, COMPILER)
        if (bool(changed), bool(added)) != (changes, adds):
            wrong.append(f"{name}: changed {changed}, added {added}\n{report}")
    for *case, complains in VERDICTS:
        if (abi.verdict(*case) is not None) != complains:
            wrong.append(f"verdict{tuple(case)}: {abi.verdict(*case)}")
    print("\n".join(wrong) or f"{len(CHANGES)} changes, {len(VERDICTS)} verdicts")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
