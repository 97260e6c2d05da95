#!/usr/bin/env python3
"""Follows README.md to the letter: its program, built by each of its ways to link the library, prints its results.

    readme_test.py --work DIR --build DIR --cc CC --cxx CXX

FetchContent gets a repository with what `git ls-files` lists here, committed, with the tag that README.md names;
add_subdirectory the same folder; find_package what BUILD installs.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}")
    return done.stdout


def copy_of_repository(folder, tag):
    listed = run("git", "-C", ROOT, "ls-files").splitlines()
    for name in listed:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git = ["git", "-C", folder, "-c", "user.name=test", "-c", "user.email=test@localhost"]
    run(*git, "init", "-q")
    run(*git, "add", "-A", "-f")
    run(*git, "commit", "-q", "--no-verify", "-m", "a copy")
    run(*git, "tag", tag)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--work", "--build"):
        parser.add_argument(option, type=pathlib.Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    if subprocess.run(["git", "-C", str(ROOT), "rev-parse"], capture_output=True).returncode != 0:
        print("not a clone: nothing to fetch from")
        return 77

    text = (ROOT / "README.md").read_text()
    program = re.search(r"^```c\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
    ways = re.findall(r"^```cmake\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    link = re.search(r"`(target_link_libraries\(app .*?\))`", text)[1]
    said = " ".join(re.findall(r"// (.*)\n", program)[-1].replace(",", " ").split())  # the results, in its last comment
    names = [re.match(r"(?:include\()?(\w+)", way)[1] for way in ways]
    if names != ["FetchContent", "add_subdirectory", "find_package"]:
        raise SystemExit(f"README.md has these ways: {names}")

    work = options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    copy_of_repository(work / "repository", re.search(r"GIT_TAG (\S+?)\)", text)[1])
    run("cmake", "--install", options.build, "--prefix", work / "prefix")
    shared = ["-G", "Ninja", f"-DCMAKE_C_COMPILER={options.cc}", f"-DCMAKE_CXX_COMPILER={options.cxx}",
              f"-DCMAKE_PREFIX_PATH={work / 'prefix'}"]
    for name, way in zip(names, ways):
        app = work / name
        app.mkdir()
        (app / "main.c").write_text(program)
        (app / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(app C)\nadd_executable(app main.c)\n"
            + way.replace("<URL of this repository>", str(work / "repository")) + link + "\n")
        if name == "add_subdirectory":
            (app / "libkleidiai").symlink_to(work / "repository")
        run("cmake", "-S", app, "-B", app / "build", *shared)
        run("cmake", "--build", app / "build", "-j", "2", "--target", "app")
        printed = " ".join(run(app / "build/app").split())
        if printed != said:
            raise SystemExit(f"{name}: the program prints {printed}, README.md says {said}")
        print(f"{name}: {printed}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
