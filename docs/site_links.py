#!/usr/bin/env python3
"""Follows every link of the site that site.py made: site_links.py FOLDER. Fails if a file or an anchor is missing.

Links are those of pages (href, src, data) and of the tree and the search index, which scripts of Doxygen read.

SPDX-License-Identifier: Apache-2.0
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse


# What Doxygen 1.17 itself links and does not write: letters of an index of one letter, a list of pages that all have a
# parent.
NOT_OURS = re.compile(r"#index_[a-z_]|pages\.html")


class Page(html.parser.HTMLParser):
    """The anchors of a page, and where it leads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), set()
        self.feed(path.read_text(errors="replace"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src", "data") and value:
                self.links.add(value)


def check(folder):
    """Broken links, as lines; how many there are at all."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html")) if "source" not in path.parts}
    links = {(path, link) for path, page in pages.items() for link in page.links}
    for script in (*folder.glob("*.js"), *folder.glob("search/*.js")):
        for link in re.findall(r"[\"']((?:\.\./)?[\w.-]+\.html(?:#[\w.-]+)?)[\"']", script.read_text(errors="replace")):
            links.add((script, link))
    broken = []
    for path, link in sorted(links):
        target = urllib.parse.urlsplit(link)
        if target.scheme or target.netloc or link.startswith("javascript:") or NOT_OURS.fullmatch(link):
            continue
        file = (path.parent / urllib.parse.unquote(target.path)).resolve() if target.path else path
        if not file.exists():
            broken.append(f"{path.relative_to(folder)}: no file {link}")
        elif target.fragment and file in pages and target.fragment not in pages[file].anchors:
            broken.append(f"{path.relative_to(folder)}: no anchor {link}")
    return broken, len(links)


def main():
    broken, count = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(broken[:50]))
    print(f"{count} links, {len(broken)} broken")
    return 1 if broken or count < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
