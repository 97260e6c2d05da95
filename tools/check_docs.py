#!/usr/bin/env python3
"""Checks the Markdown files of this repository: check_docs.py links

  links   relative links lead to files that exist, and their #fragments to headings

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
NOT_OURS = {"build", ".git", ".cache", "node_modules"}


def markdown_files():
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in NOT_OURS and not name.startswith("build-")]
        yield from (pathlib.Path(folder) / name for name in files if name.endswith(".md"))


def prose(path):
    """The text without code, which has no links."""
    text = re.sub(r"^ *```.*?^ *```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: "`" * len(code.group()), text)


def fragments(path):
    """What GitHub makes of headings: lower case, hyphens for spaces, no punctuation."""
    text = re.sub(r"^ *```.*?^ *```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    found, count = set(), {}
    for title in re.findall(r"^#+ +(.*?) *$", text, re.MULTILINE):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.add(slug if slug not in count else f"{slug}-{count[slug]}")
        count[slug] = count.get(slug, 0) + 1
    return found


def links():
    complaints, count = [], 0
    for path in markdown_files():
        for target in re.findall(r"\]\(\s*<?([^)\s>]+)", prose(path)):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            name, _, fragment = target.partition("#")
            file = (path.parent / name).resolve() if name else path
            if not file.exists():
                complaints.append(f"{path.relative_to(ROOT)}: no file {target}")
            elif fragment and file.suffix == ".md" and fragment not in fragments(file):
                complaints.append(f"{path.relative_to(ROOT)}: no heading {target}")
    return complaints, f"{count} relative links"


def main():
    checks = {"links": links}
    if len(sys.argv) != 2 or sys.argv[1] not in checks:
        raise SystemExit(__doc__)
    complaints, what = checks[sys.argv[1]]()
    if complaints:
        raise SystemExit("\n".join(complaints))
    print(f"{what}: all right")


if __name__ == "__main__":
    main()
