#!/usr/bin/env python3
"""packaging/bundle.py: what it makes is well-formed, the same bytes twice, and serves clients.

    bundle_test.py BUILD WORK CC

The trees of all platforms are what this build installs: the clients of test/package are compiled and linked with the
headers and libraries where each bundle has them, and run.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import plistlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
VERSION = re.search(r'#define KAI_LIBRARY_VERSION "([\d.]+)"', (ROOT / "kai/kai_common.h").read_text())[1]


def run(*command, fails=False):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if (done.returncode != 0) != fails:
        sys.exit(f"bundle_test.py: {command}\n{done.stdout}")
    return done.stdout


def check(holds, *what):
    if not holds:
        sys.exit("bundle_test.py: " + " ".join(map(str, what)))


def main():
    build, work, cc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    shutil.rmtree(work, ignore_errors=True)
    tree = work / "tree"
    run("cmake", "--install", build, "--prefix", tree)
    bundle = [sys.executable, ROOT / "packaging/bundle.py"]

    def serves(name, include, *libraries):
        for client in ("client", "gemm_client"):
            program = work / f"{name}_{client}"
            run(cc, "-std=c99", "-Wall", "-Werror", ROOT / f"test/package/{client}.c", f"-I{include}", *libraries, "-o",
                program)
            run(program)

    # Twice, the second time from trees with other times.
    platforms = {"xcframework": ["macos-arm64", "ios-arm64", "ios-arm64-simulator"], "aar": ["arm64-v8a", "x86_64"],
                 "nuget": ["ARM64", "x64"]}
    made = {}
    for turn in ("one", "two"):
        for kind, names in platforms.items():
            made[kind, turn] = work / turn / pathlib.Path(
                run(*bundle, kind, work / turn, *(f"{name}={tree}" for name in names)).strip().split("\n")[-1]).name
        for path in tree.rglob("*"):
            path.touch()
    for kind in ("aar", "nuget"):
        check(made[kind, "one"].read_bytes() == made[kind, "two"].read_bytes(), kind, "differs from itself")
        with zipfile.ZipFile(made[kind, "one"]) as archive:
            archive.extractall(work / kind)

    frame = made["xcframework", "one"]
    info = plistlib.loads((frame / "Info.plist").read_bytes())
    check(len(info["AvailableLibraries"]) == 3, info)
    for entry in info["AvailableLibraries"]:
        place = frame / entry["LibraryIdentifier"]
        check((place / entry["LibraryPath"]).exists() and (place / entry["HeadersPath"] / "kai").is_dir(), entry)
        serves(entry["LibraryIdentifier"], place / entry["HeadersPath"], place / entry["LibraryPath"])
    check([entry.get("SupportedPlatformVariant") for entry in info["AvailableLibraries"]] == [None, None, "simulator"],
          info)
    check((frame.parent / "Package.swift").exists(), "no Package.swift")
    clang = next((found for found in map(shutil.which, ("clang-19", "clang")) if found), None)
    if clang:  # the module that Swift imports
        source = work / "module.m"
        source.write_text("@import KleidiAI;\nint main(void) { return kai_version() == 0; }\n")
        run(clang, "-fsyntax-only", "-fmodules", f"-fmodules-cache-path={work / 'modules'}",
            f"-I{frame / 'macos-arm64/Headers'}", "-Werror", source)

    prefab = work / "aar/prefab"
    package = json.loads((prefab / "prefab.json").read_text())
    check((package["name"], package["version"], package["schema_version"]) == ("kleidiai", VERSION, 2), package)
    module = json.loads((prefab / "modules/kleidiai_gemm/module.json").read_text())
    check(module["export_libraries"] == [":kleidiai"], module)
    for abi in platforms["aar"]:
        places = [prefab / f"modules/{name}/libs/android.{abi}" for name in ("kleidiai_gemm", "kleidiai")]
        for place in places:
            found = json.loads((place / "abi.json").read_text())
            check(found["abi"] == abi and found["static"] and found["stl"] == "none", found)
        serves(abi, prefab / "modules/kleidiai_gemm/include", places[0] / "libkleidiai_gemm.a",
               places[1] / "libkleidiai.a")
    xml.etree.ElementTree.parse(work / "aar/AndroidManifest.xml")

    native = work / "nuget/build/native"
    for path in ("libkleidiai.nuspec", "[Content_Types].xml", "_rels/.rels", "build/native/libkleidiai.targets"):
        xml.etree.ElementTree.parse(work / "nuget" / path)
    check(f"<version>{VERSION}</version>" in (work / "nuget/libkleidiai.nuspec").read_text(), "another version")
    targets = (native / "libkleidiai.targets").read_text()
    for platform in platforms["nuget"]:
        check(f"'{platform}'" in targets and f"lib\\{platform}\\kleidiai.lib" in targets, targets)
        serves(f"nuget_{platform}", native / "include",
               *(native / f"lib/{platform}/{name}.lib" for name in ("kleidiai_gemm", "kleidiai")))

    # What is wrong is told.
    for kind, name in (("xcframework", "watchos"), ("aar", "armeabi-v7a"), ("nuget", "Win32")):
        check(name in run(*bundle, kind, work / "x", f"{name}={tree}", fails=True), "a wrong platform is not named")
    said = run(*bundle, "aar", work / "x", f"x86_64={work / 'two'}", fails=True)
    check("it is not what cmake --install made" in said, said)
    print(f"bundles of version {VERSION}")


if __name__ == "__main__":
    main()
