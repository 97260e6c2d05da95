#!/usr/bin/env python3
"""The API reference and the documents as a site, by Doxygen: site.py FOLDER [DOXYGEN]. Fails if Doxygen warns, or
if a link of the site leads nowhere (site_links.py).

Doxygen reads copies that this script writes into FOLDER/source (a filter of its own for each file would take longer
than Doxygen). Headers: the comment at the top becomes the description of the file. Markdown: headings get names, and
links to headings and to Markdown files lead to them; links to other files, which the site does not contain, become
plain text. docs/README.md is the order: its sections become pages, whose subpages are the pages that they lead to.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import site_links

ROOT = pathlib.Path(__file__).resolve().parents[1]
INDEX = ROOT / "docs/README.md"
OUTSIDE = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "tools/cycles/README.md",
           "examples/tiny_lm/README.md"]


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


def pages():
    """All Markdown files of the site but the index."""
    return [ROOT / name for name in OUTSIDE] + [path for path in sorted((ROOT / "docs").rglob("*.md")) if path != INDEX]


def name_of(path, title=""):
    """Of a page, or of a heading on it as GitHub names it."""
    slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    page = "_".join(path.resolve().relative_to(ROOT).with_suffix("").parts)
    return f"doc_{page}" + (f"__{slug}" if slug else "")


def markdown(path, text, adopted=None):
    """`adopted`: pages that have a place in the tree already; others become subpages of this one. None: none do."""
    known = {page.resolve() for page in pages()}

    def link(match):
        label, target = " ".join(match[1].split()), match[2]
        if re.match(r"[a-z]+:", target):
            return match.group()
        file, _, fragment = target.partition("#")
        other = (path.parent / file if file else path).resolve()
        if other == INDEX:
            return f"[{label}](@ref doc_all_pages)"
        if other in known and adopted is not None and other not in adopted and not fragment:
            adopted.add(other)
            return f'@subpage {name_of(other)} "{label}"'
        if other in known:
            return f"[{label}](@ref {name_of(other, fragment)})"
        return label

    # Code and prose take turns; a link may go on in the next line.
    seen = {}  # a heading that returns gets a number, as on GitHub
    parts = re.split(r"(^```[\s\S]*?^```$|(?:^ {4}.*\n)+|^#+ .*$|^<!--.*$)", text, flags=re.MULTILINE)
    for i, part in enumerate(parts):
        heading = re.match(r"(#+ )(.*)", part)
        if i % 2 and heading:
            name = name_of(path, heading[2] if heading[1] != "# " else "")
            seen[name] = seen.get(name, -1) + 1
            parts[i] = f"{part} {{#{name}{f'-{seen[name]}' if seen[name] else ''}}}"
        elif i % 2 and part.startswith("<!--"):
            parts[i] = ""  # for tests and tools
        elif i % 2 == 0:
            part = re.sub(r"(?<!!)\[([^]]*)\]\(([^)\s]+)\)", link, part)
            parts[i] = re.sub(r"`([^`\n]*['*][^`\n]*)`", r"``\1``", part)  # where Doxygen finds an end or emphasis
    return "".join(parts)


def sections(adopted):
    """(name, title, Markdown) of each section of the index."""
    for section in INDEX.read_text().split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        yield f"doc_section_{re.sub('[^a-z]+', '_', title.lower())}", title, markdown(INDEX, text, adopted)


def has_dark_mode(doxygen):
    version = subprocess.run([doxygen, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.match(r"(\d+)\.(\d+)\.(\d+)", version).groups())) >= (1, 9, 5)


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    doxygen = sys.argv[2] if len(sys.argv) > 2 else "doxygen"
    source = site / "source"
    shutil.rmtree(source, ignore_errors=True)
    for page in [*site.glob("*.html"), *site.glob("*.js")]:  # those of before, which nothing may lead to any more
        page.unlink()
    headers = [path for path in sorted((ROOT / "kai").rglob("*.h")) if ROOT / "kai/engines" not in path.parents]
    adopted = {ROOT / "README.md"}
    parts = list(sections(adopted))
    for name, title, text in parts:
        (source / "pages").mkdir(parents=True, exist_ok=True)
        (source / f"pages/{name}.md").write_text(f"# {title} {{#{name}}}\n\n{text}\n")
    for path in [*pages(), *headers]:
        text = path.read_text()
        if path == ROOT / "README.md":
            text = markdown(path, text) + "\n## All pages {#doc_all_pages}\n\n" + \
                "".join(f'- @subpage {name} "{title}"\n' for name, title, _ in parts)
        elif path.suffix == ".md":
            text = markdown(path, text, adopted if path == ROOT / "docs/performance.md" else None)
        else:
            text = header(text)
        # README.md is the name of the main page alone.
        copy = source / (f"pages/{name_of(path)}.md" if path.suffix == ".md" else path.relative_to(ROOT))
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
    style = "" if has_dark_mode(doxygen) else " " + str(ROOT / "docs/site_dark.css")
    environment = dict(os.environ, KLEIDIAI_SITE=str(site), KLEIDIAI_ROOT=str(ROOT),
                       KLEIDIAI_STYLE=str(ROOT / "docs/site.css") + style)
    run = subprocess.run([doxygen, str(ROOT / "docs/Doxyfile")], cwd=source, env=environment, capture_output=True,
                         text=True)
    sys.stdout.write((run.stdout + run.stderr).replace(str(source), str(ROOT)))
    broken, count = site_links.check(site)
    print("\n".join(broken[:50] + [f"{count} links, {len(broken)} broken"]))
    return 1 if run.returncode != 0 or broken or count < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
