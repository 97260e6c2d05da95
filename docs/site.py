#!/usr/bin/env python3
"""The API reference and the documents as a site, by Doxygen: site.py FOLDER [DOXYGEN]. Fails if Doxygen warns.

Doxygen reads copies that this script writes into FOLDER/source (a filter of its own for each file would take longer
than Doxygen). Headers: the comment at the top becomes the description of the file. Markdown: headings get names, and
links to headings and to Markdown files lead to them; links to other files, which the site does not contain, become
plain text.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = (ROOT, ROOT / "docs", ROOT / "docs/performance", ROOT / "docs/formats")  # folders whose pages the site has


def header(text):
    # Doxygen 1.9.4 counts #endifs wrongly after a macro without a semicolon.
    lines = re.sub(r"^KAI_DECLARE_.*\)$", r"\g<0>;", text, flags=re.MULTILINE).split("\n")
    top = next((i for i, line in enumerate(lines) if not line.startswith("//")), 0)
    head = ["///" + line[2:] for line in lines[:top] if "SPDX" not in line]
    while head and head[-1].strip() == "///":
        head.pop()
    if not head:
        return text
    head = ["/// @file"] + (head[1:] if head[0].strip() == "///" else head)
    # As many lines as before, so that those of warnings are right.
    return "\n".join(head + [""] * (top - len(head)) + lines[top:])


def name_of(path, title=""):
    """Of a page, or of a heading on it as GitHub names it."""
    slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    page = "_".join(path.resolve().relative_to(ROOT).with_suffix("").parts)
    return f"doc_{page}" + (f"__{slug}" if slug else "")


def markdown(path, text):
    def link(match):
        label, target = match.groups()
        if re.match(r"[a-z]+:", target):
            return match.group()
        file, _, fragment = target.partition("#")
        other = path.parent / file if file else path
        if other.suffix == ".md" and other.resolve().parent in PAGES:
            return f"[{label}](@ref {name_of(other, fragment)})"
        return label

    lines, code = [], False
    for number, line in enumerate(text.split("\n")):
        code ^= line.startswith("```")
        heading = re.match(r"(#+ )(.*)", line)
        if heading and not code:
            line += f" {{#{name_of(path, heading[2] if heading[1] != '# ' else '')}}}"
        elif not code and not line.startswith("    "):
            line = re.sub(r"(?<!!)\[([^]]*)\]\(([^)\s]+)\)", link, line)
            line = re.sub(r"`([^`]*['*][^`]*)`", r"``\1``", line)  # where Doxygen finds an end or emphasis
        lines.append(line)
    return "\n".join(lines)


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    doxygen = sys.argv[2] if len(sys.argv) > 2 else "doxygen"
    source = site / "source"
    shutil.rmtree(source, ignore_errors=True)
    headers = [path for path in sorted((ROOT / "kai").rglob("*.h")) if ROOT / "kai/engines" not in path.parents]
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *headers]:
        text = path.read_text()
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(markdown(path, text) if path.suffix == ".md" else header(text))
    environment = dict(os.environ, KLEIDIAI_SITE=str(site), KLEIDIAI_ROOT=str(ROOT))
    run = subprocess.run([doxygen, str(ROOT / "docs/Doxyfile")], cwd=source, env=environment, capture_output=True,
                         text=True)
    sys.stdout.write((run.stdout + run.stderr).replace(str(source), str(ROOT)))
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
