#!/usr/bin/env python3
"""tools/release.py: the rules of CHANGELOG.md and versions, and a tarball that is the same bytes twice.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import release

#: what stands before "## The first part": (sections, version of kai_common.h, released, or None: refused)
CHANGELOGS = [
    ("## Unreleased\n\n- a\n", "1.0.0", False),
    ("## 1.0.0 - 2026-01-31\n\n- a\n", "1.0.0", True),
    ("## 1.0.0 - 2026-01-31\n\n- a\n", "1.0.1", None),  # a version that the log does not have
    ("## Unreleased\n\n- b\n\n## 1.0.0 - 2026-01-31\n\n- a\n", "1.1.0", False),
    ("## Unreleased\n\n- b\n\n## 1.0.0 - 2026-01-31\n\n- a\n", "1.0.0", None),  # changes, but no new number
    ("## 1.10.0 - 2026-03-01\n\n- b\n\n## 1.9.0 - 2026-01-31\n\n- a\n", "1.10.0", True),
    ("## 1.0.0 - 2026-03-01\n\n- b\n\n## 1.9.0 - 2026-01-31\n\n- a\n", "1.0.0", None),  # order of numbers
    ("## 1.1.0 - 2026-01-01\n\n- b\n\n## 1.0.0 - 2026-01-31\n\n- a\n", "1.1.0", None),  # order of dates
    ("## 1.0.0 - 2026-01-31\n\n- a\n\n## Unreleased\n\n- b\n", "1.0.0", None),
    ("## 1.0.0 - 2026-02-31\n\n- a\n", "1.0.0", None),  # no such day
    ("## 1.0.0\n\n- a\n", "1.0.0", None),
    ("## Unreleased\n\n", "1.0.0", None),  # nothing to tell
    ("", "1.0.0", None),
]


def check_rules(wrong):
    for text, library, expected in CHANGELOGS:
        try:
            found = release.check(f"# Changelog\n\n{text}\n", library)
        except (release.Wrong, ValueError):
            found = None
        if found != expected:
            wrong.append(f"check of version {library}: {found}, not {expected}:\n{text}")


def check_tarball(wrong, folder):
    """The second one is made in another time zone, with another umask and language, from another folder."""
    tool, made = str(pathlib.Path(release.__file__).resolve()), []
    for name, options in (("one", {}), ("two", {"umask": 0o077, "cwd": folder, "env": {
            **os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C"}})):
        (folder / name).mkdir()
        subprocess.run([sys.executable, tool, "source", folder / name], check=True, stdout=subprocess.DEVNULL,
                       **options)
        subprocess.run([sys.executable, tool, "sums", folder / name], check=True)
        made.append(next((folder / name).glob("*.tar.gz")))
    if made[0].read_bytes() != made[1].read_bytes():
        wrong.append("two tarballs of one commit differ")
    if (folder / "one/SHA256SUMS").read_text() != (folder / "two/SHA256SUMS").read_text():
        wrong.append("their checksums differ")
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=folder / "one", stdout=subprocess.DEVNULL)
    with tarfile.open(made[0]) as tar:
        roots = {member.name.split("/")[0] for member in tar}
        files = {member.name.split("/", 1)[1] for member in tar if member.isfile()}
        modes = {oct(member.mode) for member in tar}
    known = set(release.git("ls-tree", "-r", "--name-only", "-z", "HEAD", text=True).split("\0")) - {""}
    if done.returncode != 0 or files != known or roots != {made[0].name[:-len(".tar.gz")]}:
        wrong.append(f"in {roots}: {sorted(files ^ known)[:9]}, checksums: {done.returncode}")
    if not modes <= {"0o755", "0o644"}:
        wrong.append(f"modes {modes}")


def main():
    wrong = []
    check_rules(wrong)
    version = release.version_here() if (release.ROOT / ".git").exists() else None
    if version:
        with tempfile.TemporaryDirectory() as name:
            check_tarball(wrong, pathlib.Path(name))
    print("\n".join(wrong) or f"{len(CHANGELOGS)} change logs, tarball of {version or 'no repository: not made'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
