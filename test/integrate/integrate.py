#!/usr/bin/env python3
"""Plays the integrator: installs the library and builds clients with it in every way that docs/integrating.md names.

    integrate.py --work DIR [--emulator QEMU]        all compilers of this machine: ./kai.sh integrate, minutes
    integrate.py --work DIR --build DIR --cc CC --cxx CXX [--flags FLAGS] [--emulator QEMU]
                                                     what one build installs: the test kleidiai_integrate

The clients are those of test/package, compiled with -Wall -Wextra -Wconversion -Werror and run. What this machine has
no tool for is listed as not tried, and is not counted as passed. Exit status 0: nothing failed.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
STANDARDS = ["c99", "c11", "c17", "c++11", "c++14", "c++17"]
DEVELOPMENT, RUNTIME = "libkleidiai-cleanroom-dev", "libkleidiai-cleanroom1"
CLIENTS = {"client": "kleidiai", "gemm_client": "kleidiai_gemm"}
NO_EXTRAS = ["-DKLEIDIAI_BUILD_TESTS=OFF", "-DKLEIDIAI_BUILD_EXAMPLES=OFF"]


class Failed(Exception):
    pass


def run(command, **options):
    command = [str(word) for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise Failed(f"{shlex.join(command)}\n{done.stdout[-3000:]}")
    return done.stdout


class Compiler:
    """A C and a C++ compiler for one target. `cmake`: its options there; `flags`: for a program linked by hand."""

    def __init__(self, name, cc, cxx, cmake=(), flags=(), emulator=(), sysroot=None):
        self.name, self.cc, self.cxx, self.cmake, self.flags = name, cc, cxx, list(cmake), list(flags)
        self.emulator, self.sysroot = list(emulator), sysroot

    def start(self, program, libraries=None):
        """Runs a program; `libraries`: the folder of shared ones."""
        if not self.emulator:
            run([program], env={**os.environ, "LD_LIBRARY_PATH": str(libraries)} if libraries else None)
        elif libraries:
            run([*self.emulator, "-L", self.sysroot, "-E", f"LD_LIBRARY_PATH={libraries}", program])
        else:
            run([*self.emulator, program])


class Table:
    def __init__(self):
        self.rows, self.failures = [], []

    def check(self, compiler, library, way, what, function, *arguments):
        start = time.time()
        try:
            function(*arguments)
            result = "passed"
        except Failed as error:
            result = "FAILED"
            self.failures.append(f"{compiler}, {library}, {way}:\n{error}\n")
        self.rows.append((way, compiler, library, what, result, f"{time.time() - start:.0f} s"))
        print("  ".join(self.rows[-1]), flush=True)
        return result == "passed"

    def not_tried(self, way, why):
        self.rows.append((way, "", "", why, "not tried", ""))

    def show(self):
        titles = ("way", "compiler", "library", "what", "result", "time")
        widths = [max(len(row[i]) for row in [titles, *self.rows]) for i in range(len(titles))]
        print()
        for row in [titles, tuple("-" * w for w in widths), *self.rows]:
            print("| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths)) + " |")
        print("\n" + "\n".join(self.failures))
        count = {result: sum(row[4] == result for row in self.rows) for result in ("passed", "FAILED", "not tried")}
        print(f"integrate: {count['passed']} passed, {count['FAILED']} failed, {count['not tried']} not tried")
        return 1 if count["FAILED"] or not count["passed"] else 0


def install(build, prefix):
    shutil.rmtree(prefix, ignore_errors=True)
    run(["cmake", "--install", build, "--prefix", prefix])


def library_folder(prefix):
    return next(prefix.rglob("kleidiai.pc")).parents[1]


def by_pkg_config(compiler, prefix, shared, standards, work):
    """Every client in every standard, compiled by hand with the flags of pkg-config."""
    libraries = library_folder(prefix)
    environment = {**os.environ, "PKG_CONFIG_LIBDIR": str(libraries / "pkgconfig")}
    work.mkdir(parents=True, exist_ok=True)
    for client, library in CLIENTS.items():
        flags = run(["pkg-config", "--cflags", "--libs", library], env=environment).split()
        for standard in standards:
            program = work / f"{client}_{standard}"
            cpp = "++" in standard
            source = shutil.copy(ROOT / f"test/package/{client}.c", work / f"{client}.{'cpp' if cpp else 'c'}")
            own = [flag for flag in compiler.flags if not shared or flag != "-static"]
            run([compiler.cxx if cpp else compiler.cc, f"-std={standard}", *WARNINGS, source, *flags, *own,
                 "-o", program])
            compiler.start(program, libraries if shared else None)


def by_cmake(compiler, mode, shared, work, *options, libraries=None):
    """The clients as a CMake project; MODE of test/package/CMakeLists.txt. `libraries`: the folder of shared ones, if
    it is neither in `work` nor beside it."""
    shutil.rmtree(work, ignore_errors=True)
    cmake = list(compiler.cmake)
    if shared and compiler.emulator:
        cmake.append("-DCMAKE_EXE_LINKER_FLAGS=" + " ".join(f for f in compiler.flags if f.startswith("-fuse-ld")))
    run(["cmake", "-S", ROOT / "test/package", "-B", work, "-G", "Ninja", f"-DMODE={mode}", *cmake,
         f"-DBUILD_SHARED_LIBS={'ON' if shared else 'OFF'}", f"-DKLEIDIAI_SOURCE={ROOT}",
         "-DCLIENT_FLAGS=" + ";".join(WARNINGS), *options])
    run(["cmake", "--build", work, "-j", "2"])
    for client in CLIENTS:
        built = ":".join(sorted({str(path.parent) for path in work.rglob("lib*.so")}))
        folder = libraries or built or library_folder(work.parent / "prefix")
        compiler.start(work / client, folder if shared else None)


def archive(path):
    """The repository as a file that FetchContent can unpack."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    names = [name for name in listed.stdout.decode().splitlines() if (ROOT / name).is_file()]
    if not names:  # not a clone
        names = ["CMakeLists.txt", "LICENSE"]
        for folder in ("cmake", "kai", "tools"):
            names += [str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*") if path.is_file()]
    with tarfile.open(path, "w:gz", compresslevel=1) as file:
        for name in names:
            file.add(ROOT / name, f"libkleidiai/{name}")


def made_packages(compiler, build, work):
    """{name: file} of cpack -G DEB, made twice: the same bytes, though files and times differ."""
    shutil.rmtree(work, ignore_errors=True)
    made = []
    for folder in (work, work / "again"):
        run(["cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", folder],
            env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        made.append({path.name.split("_")[0]: path for path in folder.glob("*.deb")})
    for name in sorted({*made[0], *made[1]}):
        if name not in made[0] or name not in made[1] or made[0][name].read_bytes() != made[1][name].read_bytes():
            raise Failed(f"two packages {name} of one build differ")
        fields = run(["dpkg-deb", "-f", made[0][name]])
        if f"Architecture: {architecture(compiler)}\n" not in fields:
            raise Failed(fields)
    return made[0]


def architecture(compiler):
    machine = run([compiler.cc, *[f for f in compiler.flags if f.startswith("--target")], "-dumpmachine"])
    return {"aarch64": "arm64", "x86_64": "amd64"}.get(machine.split("-")[0], "")


def debian_package(compiler, build, work):
    """The package of a build with static libraries alone; what it contains, unpacked, serves a client."""
    packages = made_packages(compiler, build, work)
    if list(packages) != [DEVELOPMENT]:
        raise Failed(f"packages {list(packages)}")
    run(["dpkg-deb", "-x", packages[DEVELOPMENT], work / "root"])
    by_pkg_config(compiler, work / "root/usr", False, ["c99"], work)


def dpkg(root, *arguments):
    """dpkg in a system of its own, which anybody may change."""
    fake = ["fakeroot"] if os.geteuid() != 0 and shutil.which("fakeroot") else []
    forces = [f"--force-{what}" for what in ("architecture", "not-root", "bad-path")]
    return run([*fake, "dpkg", f"--root={root}", *forces, *arguments], env={**os.environ, "LC_ALL": "C"})


def debian_packages(compiler, build, work):
    """The two packages of a build with both kinds of libraries, installed by dpkg. Clients that pkg-config and CMake
    build against them load the shared libraries, or link the static ones; the former run without the headers, too."""
    packages = made_packages(compiler, build, work)
    if sorted(packages) != sorted([DEVELOPMENT, RUNTIME]):
        raise Failed(f"packages {list(packages)}")
    root, database = work / "root", work / "root/var/lib/dpkg"
    for folder in ("info", "updates", "triggers"):
        (database / folder).mkdir(parents=True)
    (database / "status").write_text("".join(
        f"Package: {name}\nStatus: install ok installed\nArchitecture: {architecture(compiler)}\nVersion: 9\n"
        f"Maintainer: nobody\nDescription: stands for that of the system\n\n" for name in ("libc6", "libstdc++6")))
    try:
        dpkg(root, "-i", packages[DEVELOPMENT])
    except Failed as error:
        if f"depends on {RUNTIME} (= " not in str(error):
            raise
    else:
        raise Failed("headers are installed without the shared libraries that they are for")
    dpkg(root, "-i", packages[RUNTIME], packages[DEVELOPMENT])
    listed = dpkg(root, "-L", RUNTIME).split()
    if not any(path.endswith(f"/doc/{RUNTIME}/copyright") for path in listed):
        raise Failed(f"{RUNTIME} has no licence: {listed}")
    prefix = root / "usr"
    by_pkg_config(compiler, prefix, True, ["c99"], work / "pkg")
    for kind in ("", "_shared"):
        by_cmake(compiler, "find_package", bool(kind), work / f"find{kind}", f"-DCMAKE_PREFIX_PATH={prefix}",
                 f"-DKIND={kind}", libraries=library_folder(prefix))
    libraries, loaded = library_folder(prefix), {}
    for program in [work / "pkg" / f"{client}_c99" for client in CLIENTS] + [
            work / f"find{kind}" / client for kind in ("", "_shared") for client in CLIENTS]:
        loaded[program] = re.findall(r"NEEDED.*\[(libkleidiai\w*\.so\.\d+)\]", run(["readelf", "-d", program]))
        if bool(loaded[program]) == (program.parent.name == "find"):  # where KleidiAI::gemm is the static one
            raise Failed(f"{program} loads {loaded[program]}")
    paths = run(["readelf", "-d", *libraries.glob("libkleidiai*.so.1")])
    if "RUNPATH" in paths or "RPATH" in paths:
        raise Failed(f"shared libraries remember folders of the build:\n{paths}")
    dpkg(root, "-r", DEVELOPMENT)
    if list((prefix / "include").rglob("*.h")) or list(libraries.glob("*.a")):
        raise Failed(f"{DEVELOPMENT} is removed, and its files are there")
    for program in loaded:
        compiler.start(program, libraries if loaded[program] else None)


def both_packages(compiler, build, work):
    """debian_packages of a folder of a build, which this makes or goes on with."""
    run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DKLEIDIAI_BUILD_BOTH=ON",
         *NO_EXTRAS, *compiler.cmake])
    run(["cmake", "--build", build, "-j", "2"])
    debian_packages(compiler, build, work)


def bazel(compiler, work):
    """The client of the GEMM layer (Bazel has no headers of single kernels) as a workspace: with MODULE.bazel, or,
    before Bazel 7, with a WORKSPACE that needs no network."""
    found = re.search(r"(\d+)\.\d+", run(["bazel", "--version"]))  # Debian's tells none
    major = int(found.group(1)) if found else 0
    shutil.rmtree(work / "client", ignore_errors=True)
    client = work / "client"
    client.mkdir(parents=True)
    rules = []
    for name, library in [("gemm_client", "kleidiai_gemm")]:
        shutil.copy(ROOT / f"test/package/{name}.c", client)
        target = "gemm" if library == "kleidiai_gemm" else library
        copts = ", ".join(f'"{word}"' for word in ["-std=c99", *WARNINGS])
        rules.append(f'cc_binary(name = "{name}", srcs = ["{name}.c"], deps = ["@KleidiAI//:{target}"], '
                     f'copts = [{copts}])')
    (client / "BUILD.bazel").write_text('load("@rules_cc//cc:defs.bzl", "cc_binary")\n' + "\n".join(rules) + "\n")
    options = []
    if major >= 7:
        (client / "MODULE.bazel").write_text(
            'bazel_dep(name = "rules_cc", version = "0.0.17")\nbazel_dep(name = "KleidiAI", version = "1.1.0")\n'
            f'local_path_override(module_name = "KleidiAI", path = "{ROOT}")\n')
    else:
        # These versions have the rules built in, under other names.
        source = work / "kleidiai"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        for name in ("kai", "packaging", "BUILD.bazel", "LICENSE"):
            (source / name).symlink_to(ROOT / name)
        (source / "WORKSPACE").write_text("")
        (client / "WORKSPACE").write_text(
            f'local_repository(name = "KleidiAI", path = "{source}")\n'
            'load("@KleidiAI//packaging/bazel:isas.bzl", "kai_isas")\nkai_isas(name = "kai_isas")\n')
        natives = {"cc": "library binary test toolchain toolchain_suite import proto_library", "java":
                   "library binary import test plugin toolchain runtime package_configuration proto_library "
                   "lite_proto_library"}
        for language, names in natives.items():
            folder = work / f"rules_{language}" / language
            folder.mkdir(parents=True, exist_ok=True)
            for path in (folder.parent / "WORKSPACE", folder.parent / "BUILD", folder / "BUILD"):
                path.write_text("")
            symbols = [f"{language}_{name}" for name in names.split()]
            if language == "cc":
                symbols += ["objc_library", "objc_import", "fdo_prefetch_hints", "fdo_profile"]
            (folder / "defs.bzl").write_text("".join(f"{symbol} = native.{symbol}\n" for symbol in symbols))
            options.append(f"--override_repository=rules_{language}={folder.parent}")
        if pathlib.Path("/usr/share/bazel/platforms").exists():
            options.append("--override_repository=platforms=/usr/share/bazel/platforms")
    command = ["bazel", f"--output_user_root={work / 'output'}"]
    environment = {**os.environ, "CC": compiler.cc}
    try:
        for name in ("gemm_client",):
            run([*command, "build", "--jobs=2", *options, f"//:{name}"], cwd=client, env=environment)
            run([client / "bazel-bin" / name])
    finally:
        subprocess.run([*command, "shutdown"], cwd=client, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def conan(compiler, work):
    run(["conan", "create", ROOT / "packaging/conan"],
        env={**os.environ, "CONAN_HOME": str(work), "CC": compiler.cc, "CXX": compiler.cxx})


def vcpkg(work):
    run(["vcpkg", "install", "libkleidiai", f"--overlay-ports={ROOT / 'packaging/vcpkg'}",
         f"--x-install-root={work}"])


def compilers(emulator, table):
    found = []
    for name, cc, cxx in (("native GCC", "gcc", "g++"), ("native Clang", "clang-19", "clang++-19"),
                          ("native Clang", "clang", "clang++")):
        if shutil.which(cxx) and name not in [c.name for c in found]:
            found.append(Compiler(name, cc, cxx, [f"-DCMAKE_C_COMPILER={cc}", f"-DCMAKE_CXX_COMPILER={cxx}"]))
    for name, cc, cxx, file, flags in (
            ("AArch64 GCC", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "aarch64-linux-gnu", []),
            ("AArch64 Clang", "clang-19", "clang++-19", "aarch64-linux-clang",
             ["--target=aarch64-linux-gnu", "-fuse-ld=lld"])):
        if shutil.which(cxx) and shutil.which("aarch64-linux-gnu-gcc") and emulator:
            found.append(Compiler(name, cc, cxx, [f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/cmake/toolchains/{file}.cmake"],
                                  ["-static", *flags], [emulator], "/usr/aarch64-linux-gnu"))
        elif os.uname().machine not in ("aarch64", "arm64"):
            table.not_tried(name, "no cross compiler, or no emulator")
    return found


def everything(work, emulator, table):
    found = compilers(emulator, table)
    work.mkdir(parents=True, exist_ok=True)
    archive(work / "libkleidiai.tar.gz")
    for compiler in found:
        for shared in (False, True):
            library = "shared" if shared else "static"
            place = work / f"{compiler.name} {library}".replace(" ", "_").lower()
            build, prefix = place / "build", place / "prefix"

            def make():
                shutil.rmtree(build, ignore_errors=True)
                run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *NO_EXTRAS,
                     f"-DBUILD_SHARED_LIBS={'ON' if shared else 'OFF'}", "-DKLEIDIAI_WERROR=ON", *compiler.cmake])
                run(["cmake", "--build", build, "-j", "2"])
                install(build, place / "made")
                shutil.rmtree(prefix, ignore_errors=True)
                (place / "made").rename(prefix)  # an installed tree may move

            if not table.check(compiler.name, library, "install", "build, install, move", make):
                continue
            table.check(compiler.name, library, "find_package", "C", by_cmake, compiler, "find_package", shared,
                        place / "find_package", f"-DCMAKE_PREFIX_PATH={prefix}")
            if shutil.which("pkg-config"):
                table.check(compiler.name, library, "pkg-config", " ".join(STANDARDS), by_pkg_config, compiler, prefix,
                            shared, STANDARDS, place / "pkg")
            table.check(compiler.name, library, "add_subdirectory", "C", by_cmake, compiler, "add_subdirectory", shared,
                        place / "add_subdirectory")
            table.check(compiler.name, library, "FetchContent", "C, URL of a file", by_cmake, compiler, "FetchContent",
                        shared, place / "fetch", f"-DKLEIDIAI_URL={work / 'libkleidiai.tar.gz'}")
            if not shared and shutil.which("dpkg"):
                table.check(compiler.name, library, "Debian package", "cpack -G DEB, unpacked, pkg-config",
                            debian_package, compiler, build, place / "deb")
                table.check(compiler.name, "both", "Debian packages", "installed by dpkg, pkg-config, find_package",
                            both_packages, compiler, build, place / "debs")
    for name, function, arguments in (("Bazel", bazel, [found[0], work / "bazel"]),
                                      ("conan", conan, [found[0], work / "conan"]), ("vcpkg", vcpkg, [work / "vcpkg"])):
        if shutil.which(name.lower()):
            table.check(found[0].name, "static", name, "", function, *arguments)
        else:
            table.not_tried(name, f"{name.lower()} is not installed")
    for name, needed in (("pkg-config", "pkg-config"), ("Debian package", "dpkg")):
        if not shutil.which(needed):
            table.not_tried(name, f"{needed} is not installed")


def one(options, table):
    """The library of one build."""
    flags = shlex.split(options.flags)
    if options.emulator and not any("aarch64-linux-gnu" in text for text in (options.cc, options.flags)):
        flags.append("--target=aarch64-linux-gnu")
    compiler = Compiler("this", options.cc, options.cxx, [], flags, [options.emulator] if options.emulator else [])
    prefix = options.work / "prefix"
    if not table.check("this", "static", "install", "", install, options.build, prefix):
        return
    if shutil.which("pkg-config"):
        table.check("this", "static", "pkg-config", " ".join(STANDARDS), by_pkg_config, compiler, prefix, False,
                    STANDARDS, options.work / "pkg")
    if shutil.which("dpkg"):
        table.check("this", "static", "Debian package", "cpack -G DEB, unpacked, pkg-config", debian_package, compiler,
                    options.build, options.work / "deb")
    if not options.emulator:
        compiler.cmake = [f"-DCMAKE_C_COMPILER={options.cc}", f"-DCMAKE_CXX_COMPILER={options.cxx}"]
        if shutil.which("dpkg"):
            shutil.rmtree(options.work / "both", ignore_errors=True)
            table.check("this", "both", "Debian packages", "installed by dpkg, pkg-config, find_package", both_packages,
                        compiler, options.work / "both", options.work / "debs")
        archive(options.work / "libkleidiai.tar.gz")
        table.check("this", "static", "FetchContent", "C, URL of a file", by_cmake, compiler, "FetchContent", False,
                    options.work / "fetch", f"-DKLEIDIAI_URL={options.work / 'libkleidiai.tar.gz'}")


def main():
    parser = argparse.ArgumentParser(description="Builds clients of the library in every documented way.")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="scratch folder")
    parser.add_argument("--emulator", help="qemu-aarch64")
    parser.add_argument("--build", type=pathlib.Path, help="only what this build directory installs")
    parser.add_argument("--cc")
    parser.add_argument("--cxx")
    parser.add_argument("--flags", default="", help="for linking programs")
    options = parser.parse_args()
    options.work = options.work.resolve()
    table = Table()
    if options.build:
        one(options, table)
    else:
        everything(options.work, options.emulator, table)
    return table.show()


if __name__ == "__main__":
    sys.exit(main())
