#!/usr/bin/env python3
"""Versions, notes and the source tarball of a release: release.py check | notes | cut [DATE] | source OUT | sums OUT

  check       CHANGELOG.md and the version in kai_common.h agree. Prints the version, with ~GIT-COMMIT behind it if this
              is no release: a first heading "Unreleased", or files that are not committed
  notes       the newest section of CHANGELOG.md
  cut [DATE]  the heading "Unreleased" becomes the version of kai_common.h and DATE (YYYY-MM-DD, today), and its
              interface what later versions are compared with (abi.py)
  source OUT  OUT/libkleidiai-VERSION.tar.gz, of the last commit: the same bytes on each machine
  sums OUT    OUT/SHA256SUMS of the files there

`./kai.sh release` does what is needed in order. What the rules are: docs/versioning.md.

SPDX-License-Identifier: Apache-2.0
"""
import datetime
import gzip
import hashlib
import pathlib
import re
import subprocess
import sys

import abi

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADING = re.compile(r"^## (?:(Unreleased)|(\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d))$")


class Wrong(Exception):
    pass


def number(version):
    return tuple(map(int, version.split(".")))


def sections(text):
    """[(version or None: unreleased, date, body)], the newest first. The last one is the part before versions."""
    found = []
    parts = re.split(r"^(## .*)$", text, flags=re.MULTILINE)
    for heading, body in zip(parts[1::2], parts[2::2]):
        parsed = HEADING.match(heading)
        if parsed:
            found.append((parsed[2], parsed[3], body.strip()))
        elif heading != "## The first part":
            raise Wrong(f'CHANGELOG.md: "{heading}" is neither "## Unreleased" nor "## 1.2.3 - 2026-12-31"')
    return found


def check(changelog, library):
    """Whether this state is released, or Wrong."""
    found = sections(changelog)
    if not found:
        raise Wrong("CHANGELOG.md has no section")
    if any(version is None for version, _, _ in found[1:]):
        raise Wrong('CHANGELOG.md: "Unreleased" is not the first section')
    released = [(version, date) for version, date, _ in found if version]
    for (newer, newer_date), (older, older_date) in zip(released, released[1:]):
        if number(newer) <= number(older) or newer_date < older_date:
            raise Wrong(f"CHANGELOG.md: {newer} of {newer_date} stands before {older} of {older_date}")
    for version, date in released:
        datetime.date.fromisoformat(date)
    version, _, body = found[0]
    if not body:
        raise Wrong("CHANGELOG.md: the first section is empty")
    if version and version != library:
        raise Wrong(f"CHANGELOG.md ends with {version}, kai_common.h has {library}")
    if not version and released and number(library) <= number(released[0][0]):
        raise Wrong(f"there are changes since {released[0][0]}, but kai_common.h has {library}")
    return version is not None


def git(*arguments, **options):
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, stdout=subprocess.PIPE, **options).stdout


def library_version():
    return re.search(r'#define KAI_LIBRARY_VERSION "([\d.]+)"', (ROOT / "kai/kai_common.h").read_text())[1]


def version_here():
    released = check((ROOT / "CHANGELOG.md").read_text(), library_version())
    if released and not git("status", "--porcelain"):
        return library_version()
    return f"{library_version()}~{git('rev-parse', '--short=10', 'HEAD', text=True).strip()}"


def source(out):
    """git's tar has the names, modes and contents of the commit, and its time; gzip's header no time and no name."""
    name = f"libkleidiai-{version_here()}"
    tar = git("-c", "tar.umask=0022", "archive", "--format=tar", f"--prefix={name}/", "HEAD")
    path = out / f"{name}.tar.gz"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as zipped:
        zipped.write(tar)
    return path


def sums(out):
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
             for path in sorted(out.iterdir()) if path.is_file() and path.name != "SHA256SUMS"]
    (out / "SHA256SUMS").write_text("".join(lines))


def cut(date):
    text = (ROOT / "CHANGELOG.md").read_text()
    if check(text, library_version()):
        raise Wrong(f"{library_version()} is cut already")
    datetime.date.fromisoformat(date)
    abi.update()
    (ROOT / "CHANGELOG.md").write_text(text.replace("## Unreleased", f"## {library_version()} - {date}", 1))


def main():
    command, *arguments = sys.argv[1:] or [""]
    if command == "check" and not arguments:
        print(version_here())
    elif command == "notes" and not arguments:
        version, date, body = sections((ROOT / "CHANGELOG.md").read_text())[0]
        print(f"# libkleidiai {version or library_version() + ', unreleased'}{', ' + date if date else ''}\n\n{body}")
    elif command == "cut" and len(arguments) < 2:
        cut(*arguments or [datetime.date.today().isoformat()])
    elif command == "source" and len(arguments) == 1:
        print(source(pathlib.Path(arguments[0])))
    elif command == "sums" and len(arguments) == 1:
        sums(pathlib.Path(arguments[0]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main()
    except (Wrong, ValueError) as error:
        sys.exit(f"release.py: {error}")
