#!/usr/bin/env python3
"""Bundles of installed trees for other ecosystems, without their tools:

  bundle.py xcframework OUT PLATFORM=TREE...   OUT/KleidiAI.xcframework and OUT/Package.swift
                                               PLATFORM: macos-arm64, ios-arm64, ios-arm64-simulator
  bundle.py aar OUT ABI=TREE...                OUT/kleidiai-VERSION.aar, for Prefab. ABI: arm64-v8a, x86_64
  bundle.py nuget OUT PLATFORM=TREE...         OUT/libkleidiai.VERSION.nupkg. PLATFORM: ARM64, x64

A TREE is what `cmake --install build/PRESET` made (CMakePresets.json): static libraries of one platform. Both libraries
become one in an xcframework. The bytes depend on nothing but the trees. docs/platforms.md says what was tried.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import plistlib
import re
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMMON = (ROOT / "kai/kai_common.h").read_text()
VERSION = re.search(r'#define KAI_LIBRARY_VERSION "([\d.]+)"', COMMON)[1]
SUMMARY = "Micro-kernels for AI inference on Arm CPUs, and a GEMM layer"
LIBRARIES = ("kleidiai", "kleidiai_gemm", "kleidiai_attention")


class Wrong(Exception):
    pass


def library(tree, name):
    found = [path for suffix in (f"lib{name}.a", f"{name}.lib") for path in sorted(tree.rglob(suffix))]
    if len(found) != 1:
        raise Wrong(f"{tree} has {len(found)} libraries {name}: it is not what cmake --install made")
    return found[0]


def copy_headers(tree, to):
    headers = tree / "include/kai"
    if not (headers / "kai_common.h").exists():
        raise Wrong(f"{tree} has no headers")
    shutil.copytree(headers, to / "kai")


def folder(path):
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def first(*names):
    return next((found for found in map(shutil.which, names) if found), None)


def joined(archives, to):
    """One archive of the objects of several, by Apple's libtool or by ar."""
    if sys.platform == "darwin":
        subprocess.run(["libtool", "-static", "-o", to, *archives], check=True)
        return
    ar = first("llvm-ar", "llvm-ar-19", "ar")
    script = [f"create {to}", *(f"addlib {path}" for path in archives), "save", "end"]
    subprocess.run([ar, "-M"], input="\n".join(script) + "\n", text=True, check=True)
    subprocess.run([ar, "sD", to], check=True)


def zipped(tree, to):
    """The same bytes for the same files."""
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(tree.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(tree).as_posix(), (1980, 1, 1, 0, 0, 0))
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    shutil.rmtree(tree)


def xcframework(out, trees):
    frame = folder(out / "KleidiAI.xcframework")
    entries = []
    for platform, tree in trees.items():
        parts = re.fullmatch(r"(macos|ios)-(arm64)(-simulator)?", platform)
        if not parts:
            raise Wrong(f"{platform}: no platform of an xcframework that this knows")
        place = frame / platform
        place.mkdir()
        joined([library(tree, name) for name in LIBRARIES], place / "libKleidiAI.a")
        copy_headers(tree, place / "Headers")
        (place / "Headers/module.modulemap").write_text(
            'module KleidiAI {\n    umbrella "kai"\n    export *\n    module * { export * }\n}\n')
        entry = {"LibraryIdentifier": platform, "LibraryPath": "libKleidiAI.a", "BinaryPath": "libKleidiAI.a",
                 "HeadersPath": "Headers", "SupportedArchitectures": [parts[2]], "SupportedPlatform": parts[1]}
        if parts[3]:
            entry["SupportedPlatformVariant"] = "simulator"
        entries.append(entry)
    (frame / "Info.plist").write_bytes(plistlib.dumps({
        "AvailableLibraries": entries, "CFBundlePackageType": "XFWK", "XCFrameworkFormatVersion": "1.0"}))
    shutil.copy(ROOT / "packaging/apple/Package.swift", out)
    return frame


def aar(out, trees):
    work = folder(out / "aar")
    (work / "AndroidManifest.xml").write_text(
        '<?xml version="1.0" encoding="utf-8"?>\n<manifest xmlns:android="http://schemas.android.com/apk/res/android" '
        'package="libkleidiai">\n    <uses-sdk android:minSdkVersion="21" />\n</manifest>\n')
    prefab = work / "prefab"
    prefab.mkdir()
    (prefab / "prefab.json").write_text(json.dumps(
        {"schema_version": 2, "name": "kleidiai", "version": VERSION, "dependencies": []}, indent=2))
    for name in LIBRARIES:
        module = prefab / "modules" / name
        module.mkdir(parents=True)
        others = [f":{other}" for other in LIBRARIES[:LIBRARIES.index(name)]]
        (module / "module.json").write_text(json.dumps(
            {"export_libraries": others, "library_name": f"lib{name}", "android": {}}, indent=2))
        for abi, tree in trees.items():
            if abi not in ("arm64-v8a", "x86_64"):
                raise Wrong(f"{abi}: the library builds for arm64-v8a and x86_64")
            place = module / f"libs/android.{abi}"
            place.mkdir(parents=True)
            # No C++ runtime, whatever the app has.
            (place / "abi.json").write_text(json.dumps(
                {"abi": abi, "api": 21, "ndk": 27, "stl": "none", "static": True}, indent=2))
            shutil.copy(library(tree, name), place / f"lib{name}.a")
        copy_headers(next(iter(trees.values())), module / "include")
    shutil.copy(ROOT / "LICENSE", work / "LICENSE")
    path = out / f"kleidiai-{VERSION}.aar"
    zipped(work, path)
    return path


NUSPEC = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>libkleidiai</id>
    <version>{version}</version>
    <authors>the maintainers of libkleidiai</authors>
    <license type="expression">Apache-2.0</license>
    <description>{summary}</description>
    <tags>native</tags>
  </metadata>
</package>
"""
TARGETS = """<?xml version="1.0" encoding="utf-8"?>
<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <PropertyGroup>
    <KleidiAI>$(MSBuildThisFileDirectory)</KleidiAI>
  </PropertyGroup>
  <ItemDefinitionGroup>
    <ClCompile>
      <AdditionalIncludeDirectories>$(KleidiAI)include;%(AdditionalIncludeDirectories)</AdditionalIncludeDirectories>
    </ClCompile>
{platforms}  </ItemDefinitionGroup>
</Project>
"""
PLATFORM = """    <Link Condition="'$(Platform)' == '{name}'">
      <AdditionalDependencies>
        $(KleidiAI)lib\\{name}\\kleidiai_attention.lib;$(KleidiAI)lib\\{name}\\kleidiai_gemm.lib;
        $(KleidiAI)lib\\{name}\\kleidiai.lib;%(AdditionalDependencies)
      </AdditionalDependencies>
    </Link>
"""
CONTENT_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
{extensions}  <Override PartName="/LICENSE" ContentType="application/octet" />
</Types>
"""
RELATIONSHIPS = """<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Id="nuspec" Target="/libkleidiai.nuspec"
    Type="http://schemas.microsoft.com/packaging/2010/07/manifest" />
</Relationships>
"""


def nuget(out, trees):
    work = folder(out / "nuget")
    native = work / "build/native"
    (native / "include").mkdir(parents=True)
    for platform, tree in trees.items():
        if platform not in ("ARM64", "x64"):
            raise Wrong(f"{platform}: platforms of Visual Studio are ARM64 and x64 here")
        (native / "lib" / platform).mkdir(parents=True)
        for name in LIBRARIES:
            shutil.copy(library(tree, name), native / "lib" / platform / f"{name}.lib")
    copy_headers(next(iter(trees.values())), native / "include")
    (native / "libkleidiai.targets").write_text(
        TARGETS.format(platforms="".join(PLATFORM.format(name=name) for name in trees)))
    (work / "libkleidiai.nuspec").write_text(NUSPEC.format(version=VERSION, summary=SUMMARY))
    shutil.copy(ROOT / "LICENSE", work / "LICENSE")
    extensions = sorted({path.suffix[1:] for path in work.rglob("*") if path.suffix})
    (work / "[Content_Types].xml").write_text(CONTENT_TYPES.format(extensions="".join(
        f'  <Default Extension="{extension}" ContentType="application/octet" />\n' for extension in extensions)))
    (work / "_rels").mkdir()
    (work / "_rels/.rels").write_text(RELATIONSHIPS)
    path = out / f"libkleidiai.{VERSION}.nupkg"
    zipped(work, path)
    return path


def main():
    kinds = {"xcframework": xcframework, "aar": aar, "nuget": nuget}
    if len(sys.argv) < 4 or sys.argv[1] not in kinds or not all("=" in word for word in sys.argv[3:]):
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    trees = {name: pathlib.Path(tree) for name, tree in (word.split("=", 1) for word in sys.argv[3:])}
    print(kinds[sys.argv[1]](out, trees))


if __name__ == "__main__":
    try:
        main()
    except Wrong as error:
        sys.exit(f"bundle.py: {error}")
