# shellcheck shell=bash
# The packages and tools that this machine needs. Sourced by kai.sh, which sets `root` (the repository) and `cache`.
#
# On Debian and Ubuntu missing packages are installed by apt. QEMU and LLVM in newer versions than the system's are
# unpacked into the cache, never installed, from the mirror that the machine itself uses. Elsewhere the functions say
# what to install. Once everything is installed, the network is not used.
#
# SPDX-License-Identifier: Apache-2.0

host=$(uname -m)
[ "$host" != arm64 ] || host=aarch64  # macOS

say() { printf '\033[1m== %s\033[0m\n' "$*"; }
die() { printf 'kai.sh: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif have sudo; then sudo "$@"; else die "needs root to run: $*"; fi
}

# first_of NAME...: the first of these commands that exists.
first_of() { local name; for name in "$@"; do have "$name" && { echo "$name"; return; }; done; return 1; }

clang_cxx() { first_of clang++-23 clang++-22 clang++-21 clang++-20 clang++-19; }

# need_packages COMMAND-OR-FILE=PACKAGE ...: installs the packages whose command or file is missing.
need_packages() {
    local pair missing=()
    for pair in "$@"; do
        local thing=${pair%%=*} package=${pair#*=}
        case $thing in
            /*) [ -e "$thing" ] || missing+=("$package") ;;
            *) have "$thing" || missing+=("$package") ;;
        esac
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    have apt-get || die "please install the equivalents of these Debian packages: ${missing[*]}"
    say "installing ${missing[*]}"
    as_root apt-get update -q >/dev/null
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >/dev/null
}

# unpack_from SUITE FOLDER ARCH-OR-EMPTY PACKAGE...: unpacks packages of another suite of the machine's own mirror.
unpack_from() {
    local suite=$1 folder=$2 arch=$3; shift 3
    have apt-get || die "cannot fetch $*: this system has no apt"
    local site work
    debian_site() { apt-get indextargets --format '$(SITE)' 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1; }
    site=$(debian_site)
    [ -n "$site" ] || { as_root apt-get update -q >/dev/null; site=$(debian_site); }
    [ -n "$site" ] || die "cannot fetch $* of Debian $suite: this machine has no Debian mirror configured"
    say "fetching $* of $suite into ${folder#"$root"/}"
    work=$(mktemp -d)
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg${arch:+ arch=$arch}] $site $suite main" \
        > "$work/sources.list"
    local options=(-q -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/nonexistent
        -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=$(id -un)"
        -o APT::Get::List-Cleanup=0)
    [ -z "$arch" ] || options+=(-o "APT::Architecture=$arch" -o "APT::Architectures=$arch")
    apt-get "${options[@]}" update >/dev/null || die "the mirror has no suite $suite"
    (cd "$work/packages" && apt-get "${options[@]}" download "$@" >/dev/null) || die "the mirror lacks one of: $*"
    mkdir -p "$folder"
    local package
    for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$folder"; done
    rm -rf "$work"
}

# An emulator with SME2: QEMU 10.1 or newer. Sets `emulator`.
need_emulator() {
    local candidate
    for candidate in "${KLEIDIAI_EMULATOR:-}" qemu-aarch64 "$cache/qemu/usr/bin/qemu-aarch64"; do
        if [ -n "$candidate" ] && have "$candidate" &&
            "$candidate" --version | awk 'NR == 1 { split($3, v, ".") } END { exit v[1] * 100 + v[2] < 1001 }'; then
            emulator=$(command -v "$candidate")
            return
        fi
    done
    if have apt-get && [ "$(uname -m)" = x86_64 ]; then
        unpack_from trixie-backports "$cache/qemu" "" qemu-user
        emulator=$cache/qemu/usr/bin/qemu-aarch64
    else
        die "needs qemu-aarch64 (user mode) 10.1 or newer; put it on PATH or set KLEIDIAI_EMULATOR"
    fi
}

# llvm-mca of LLVM 23, which has timing for SME. As $cache/llvm-mca-23, started through the C library that it was built
# for.
need_llvm23() {
    [ ! -e "$cache/llvm-mca-23" ] || return 0
    unpack_from sid "$cache/llvm-23" "" llvm-23 libllvm23 libc6 libgcc-s1 libstdc++6 libedit2 libffi8 libxml2-16 \
        libz3-4 libzstd1 zlib1g libtinfo6 libbsd0 libmd0 liblzma5
    cat > "$cache/llvm-mca-23" <<'END'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)/llvm-23/usr/lib
exec "$here/x86_64-linux-gnu/ld-linux-x86-64.so.2" --library-path "$here/x86_64-linux-gnu:$here/llvm-23/lib" \
    "$here/llvm-23/bin/llvm-mca" "$@"
END
    chmod +x "$cache/llvm-mca-23"
    "$cache/llvm-mca-23" --version >/dev/null || { rm "$cache/llvm-mca-23"; die "llvm-mca of LLVM 23 does not start"; }
}

# Everything that building and testing needs.
need_build_tools() {
    need_packages cmake=cmake ninja=ninja-build g++=g++ /usr/include/gtest/gtest.h=libgtest-dev \
        /usr/include/CLI/CLI.hpp=libcli11-dev
    if [ "$host" != aarch64 ]; then
        clang_cxx >/dev/null || need_packages clang++-19=clang-19
        need_packages ld.lld-19=lld-19 llvm-nm-19=llvm-19 aarch64-linux-gnu-g++=g++-aarch64-linux-gnu \
            aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu /usr/src/googletest/CMakeLists.txt=googletest
        need_emulator
    fi
}
