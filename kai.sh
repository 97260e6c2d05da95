#!/usr/bin/env bash
# One script for the common jobs. It installs what is missing (tools/setup.sh), builds and runs; from any directory.
#
#   ./kai.sh demo         a language model writes text, then a small one on every micro-kernel; --cpu cortex-a72: on an
#                         emulated Raspberry Pi 4
#   ./kai.sh test         all tests: on AArch64 natively; elsewhere the portable part natively, and all in emulation
#   ./kai.sh test --quick a sample for the developer's loop: unit tests natively, and on one emulated CPU
#   ./kai.sh test --changed [REVISION]     what the differences from a revision can affect: without one, from where
#                         the branch left main (docs/testing.md)
#   ./kai.sh bench ...    measures this machine (docs/benchmark.md); arguments go to the benchmark: --help, --all, ...
#                         Before them: --emulated: AArch64 under QEMU; --prefetch=BYTES: GEMV prefetches weights
#   ./kai.sh bench --model=7b-q4_0         tokens per second of a language model with random weights; no file
#   ./kai.sh bench --compare A.json B.json ratios, and exit status 1 if B is slower
#   ./kai.sh bench --ggml ...              Debian's ggml on the same shapes and types, and ratios; --ggml --emulated:
#                         that of arm64, both under QEMU
#   ./kai.sh bench --peer ...              KleidiAI's library in the place of this one, and ratios
#   ./kai.sh cycles ...   predicted cycles of each function against the anchors; optional: a regular expression of
#                         names, then CPU models (tools/cycles/README.md)
#   ./kai.sh cycles --newer                writes docs/performance/newer-cores.* again
#   ./kai.sh curves       predicted MAC per cycle over the number of rows: draws docs/few-rows.svg
#   ./kai.sh rows [REGEX] predicted cycles of integer GEMMs at 1 to 16 rows: lists where more rows do not help
#   ./kai.sh docs         the API reference and these documents as a site, by Doxygen: build/docs
#   ./kai.sh size         how much code the library and programs with parts of it have; --write: into the documents
#   ./kai.sh where NAME   where a micro-kernel or packer is: catalogue, header, and file:line of the code that it runs
#   ./kai.sh asm NAME     its assembly, macros expanded
#   ./kai.sh conformance  optional: golden data of KleidiAI, which are not part of the repository (KLEIDIAI_SHARED)
#   ./kai.sh peer [CASES] KleidiAI's own library, a package of Debian, beside ours: random calls of all functions, and a
#                         table of how they differ; CASES of each function (64)
#   ./kai.sh mutate ...   mistakes in the sources, one at a time: does a test notice each? (--list, or a regex)
#   ./kai.sh integrate    installs the library and builds clients in every documented way, with all compilers here
#   ./kai.sh lint         the style of the sources: tools/lint.py; --all: clang-tidy reads the tests, too (minutes)
#   ./kai.sh abi [update] the interface compared with that of the last release; update: this one is the next release's
#   ./kai.sh release      source tarball, packages for Debian, checksums and notes, in build/release: docs/versioning.md
#                         --snapshot: of a state that is no release, --no-packages: the tarball alone
#   ./kai.sh setup        only installs what is missing
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$root/.cache
shared=${KLEIDIAI_SHARED:-$root/../shared}
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"
jobs=$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

# Files made through sudo belong to the user who called it.
if [ "$(id -u)" = 0 ] && [ -n "${SUDO_UID:-}" ]; then
    trap 'chown -R "$SUDO_UID:$SUDO_GID" "$root/build" "$cache" 2>/dev/null || true' EXIT
fi

# [target="TARGET..."] [tests=OFF] build PRESET [cmake options]: configures and builds all or the targets, none: only
# configures; quiet unless it fails. Without tests no GoogleTest is needed.
build() {
    local preset=$1 log targets; shift
    read -ra targets <<< "${target:-}"
    case $preset in aarch64-*) can_cross || die "$no_cross" ;; esac
    say "building ($preset)"
    mkdir -p "$root/build"
    log=$root/build/$preset.log
    (cd "$root" && cmake --preset "$preset" ${emulator:+-DKLEIDIAI_EMULATOR="$emulator"} \
        -DKLEIDIAI_BUILD_TESTS="${tests:-ON}" "$@" > "$log" 2>&1 &&
        { [ "${target:-}" = none ] ||
            cmake --build "build/$preset" -j "$jobs" ${targets[@]+--target "${targets[@]}"} >> "$log" 2>&1; }) ||
        { tail -n 60 "$log"; die "the build failed ($log)"; }
    grep 'LEFT OUT' "$log" || true
}

# run_tests PRESET [ctest options]: runs ctest and adds its counts (GoogleTest's where a test prints them) to the
# totals.
passed=0 failed=0 skipped=0
run_tests() {
    local preset=$1 log=$root/build/$1-test.log counts p f s; shift
    say "testing ($preset)"
    (cd "$root/build/$preset" && ctest -V -j "$jobs" "$@" > "$log" 2>&1) || true
    grep -E '^ *[0-9]+/[0-9]+ Test|^[0-9]+: (kernels|packers):|\[  FAILED  \]' "$log" || true
    counts=$(awk '
        /^[0-9]+: \[  PASSED  \]/ { id = $1; split($0, w, /\[  PASSED  \] /); p[id] += w[2] + 0; seen[id] = 1 }
        /^[0-9]+: \[  SKIPPED \] [0-9]+ test/ { split($0, w, /\[  SKIPPED \] /); s += w[2] + 0 }
        /^[0-9]+: \[  FAILED  \] [0-9]+ test/ { split($0, w, /\[  FAILED  \] /); f[$1] += w[2] + 0 }
        /^ *[0-9]+\/[0-9]+ Test +#[0-9]+:/ {
            match($0, /#[0-9]+/); id = substr($0, RSTART + 1, RLENGTH - 1) ":"
            if (/Passed/) { ok[id] = 1 } else if (/\*\*\*Skipped/) { ++s } else { bad[id] = 1 }
        }
        END {
            for (id in ok) passed += (id in seen) ? p[id] : 1
            for (id in bad) { passed += p[id]; failed += f[id] > 0 ? f[id] : 1 }
            print passed + 0, failed + 0, s + 0
        }' "$log")
    read -r p f s <<< "$counts"
    [ $((p + f)) -gt 0 ] || { tail -n 40 "$log"; f=1; }
    if [ "$f" != 0 ]; then
        (cd "$root/build/$preset" && ctest --rerun-failed --output-on-failure 2>&1 | tail -n 80) || true
        echo "the whole log: ${log#"$root"/}"
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

cmd_setup() { need_build_tools; }

# [target=...] build_native: with everything that tests need.
build_native() {
    local bench=OFF
    if [ "$manager" = apt ]; then
        need_bench_packages
        need_packages doxygen=doxygen abidiff=abigail-tools
        bench=ON
    fi
    build native "-DKLEIDIAI_BUILD_BENCHMARK=$bench"
}

# Builds everything that tests need.
build_tests() {
    if [ "$manager" = apt ] && [ "$host" = x86_64 ]; then
        # The tests need them, the native build does not.
        { (need_ggml) || say "ggml cannot be had: not compared"
          (need_llama "") || say "llama.cpp cannot be had: not compared"
          (need_peer) || say "KleidiAI's library cannot be had: not compared"
          (need_onnxruntime) || say "ONNX Runtime cannot be had: not compared"
          (need_onnx_models) || say "models of npm cannot be had: not compared"; } &
    fi
    build_native
    wait
    if [ "$host" != aarch64 ] && can_cross; then
        # The test program is compiled once, by Clang, and linked with GCC's libraries, too. cmake/KaiEmulation.cmake
        # says which tests run where.
        local libraries="gcc|$root/build/aarch64-gcc/libkleidiai.a|0"
        libraries+=";gcc_debug|$root/build/aarch64-gcc-debug/libkleidiai.a|1"
        target=kleidiai_build_checks build aarch64-gcc
        target=kleidiai build aarch64-gcc-debug
        local bench=OFF
        if [ "$manager" = apt ] && (need_emulated_bench); then
            bench=ON
        else
            say "Google Benchmark for AArch64 cannot be had: the benchmark is not built for it"
        fi
        build aarch64-clang "-DKLEIDIAI_OTHER_LIBRARIES=$libraries" "-DKLEIDIAI_BUILD_BENCHMARK=$bench" \
            "-DKLEIDIAI_BENCHMARK_ROOT=$cache/benchmark/usr"
    fi
}

# Of GCC's builds only the checks: the test program with its libraries belongs to the build with Clang.
gcc_tests='kleidiai_(c_client|symbols|isa|bti|package|integrate|bazel)' gcc_debug_tests=kleidiai_symbols

all_tests() {
    run_tests native
    if [ "$host" != aarch64 ] && ! can_cross; then
        echo "NOT TESTED: all but the portable part. $no_cross"
    elif [ "$host" != aarch64 ]; then
        run_tests aarch64-clang
        run_tests aarch64-gcc -R "$gcc_tests"
        run_tests aarch64-gcc-debug -R "$gcc_debug_tests"
    fi
}

cmd_test() {
    need_build_tools
    case ${1:-} in
        '') build_tests; all_tests ;;
        --quick) quick_tests ;;
        --changed) changed_tests "${2:-}" ;;
        *) die "test: --quick or --changed [REVISION], not $1" ;;
    esac
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}

# Which tests these are stands in test/CMakeLists.txt (kleidiai_quick) and cmake/KaiEmulation.cmake (KAI_RUNS_quick).
quick_tests() {
    target=kleidiai_quick build native
    run_tests native -C quick -L quick
    if [ "$host" != aarch64 ] && can_cross; then
        target=kleidiai_quick build aarch64-clang
        run_tests aarch64-clang -C quick -L quick
    elif [ "$host" != aarch64 ]; then
        echo "NOT TESTED: all but the portable part. $no_cross"
    fi
    echo "NOT RUN: other CPUs and vector lengths, GCC's libraries, assertions, sanitizers, fuzzing, mutants, tools,"
    echo "examples, packages, the site. Before a commit: ./kai.sh test, or ./kai.sh test --changed"
}

# changed_tests [REVISION]
changed_tests() {
    local base files what name rest left="" chosen=() builds=("$root/build/native")
    need_packages python3=python3 git=git
    base=$(python3 "$root/tools/changed_tests.py" base ${1:+"$1"})
    files=$(tail -n +2 <<< "$base")
    base=$(head -n 1 <<< "$base")
    if [ -z "$files" ]; then
        echo "NOT RUN: anything. Nothing differs from ${base:0:12}"
        return
    fi
    say "changed since ${base:0:12}:"
    echo "$files"
    if python3 "$root/tools/changed_tests.py" documents --base "$base" > /dev/null; then
        documents_tests "$base"
        return
    fi
    build_tests
    if [ "$host" != aarch64 ] && can_cross; then
        builds+=("$root/build/aarch64-gcc=$gcc_tests" "$root/build/aarch64-gcc-debug=$gcc_debug_tests")
        builds+=("$root/build/aarch64-clang")
    fi
    python3 "$root/tools/changed_tests.py" choose --base "$base" --builds "${builds[@]}" > "$root/build/changed.txt"
    while read -r what name rest; do
        case $what in
            all) say "all tests: $name $rest"; all_tests; return ;;
            subjects) export KLEIDIAI_TEST_SUBJECTS=$name ;;
            tests) chosen+=("$name" "$rest") ;;
            left) left+=$(printf '\n  %s: %s' "$name" "${rest:-none}") ;;
        esac
    done < "$root/build/changed.txt"
    if [ -n "${KLEIDIAI_TEST_SUBJECTS:-}" ]; then
        say "of micro-kernels and packers, kleidiai_test and kleidiai_mutants test these and what uses them:"
        tr : '\n' <<< "$KLEIDIAI_TEST_SUBJECTS"
    fi
    set -- "${chosen[@]}"
    while [ $# -gt 0 ]; do
        if [ "$2" != '^()$' ]; then
            run_tests "$1" -R "$2"
        fi
        shift 2
    done
    echo "NOT RUN, for the changes cannot affect it:$left"
    [ "$host" = aarch64 ] || can_cross || echo "NOT TESTED: all but the portable part. $no_cross"
}

# documents_tests BASE: nothing else differs from it. What no test of documents needs is not built.
documents_tests() {
    local what name rest builds=("$root/build/native")
    target=none build_native
    if [ "$host" != aarch64 ] && can_cross; then
        target=none build aarch64-clang
        builds+=("$root/build/aarch64-clang")
    fi
    python3 "$root/tools/changed_tests.py" documents --base "$1" --builds "${builds[@]}" > "$root/build/changed.txt"
    while read -r what name rest <&3; do
        case $what in
            all) die "documents alone changed, but $name $rest" ;;
            build)
                if [ -n "$rest" ]; then
                    [ "$rest" != all ] || rest=
                    target=$rest build "$name"
                fi ;;
            tests) [ "$rest" = '^()$' ] || run_tests "$name" -R "$rest" ;;
        esac
    done 3< "$root/build/changed.txt"
    echo "NOT RUN, for documents cannot affect it: all else"
}

# A language model natively, or on the emulated CPU that --cpu names; then every micro-kernel, by tiny_lm.
cmd_demo() {
    local cpu=${KLEIDIAI_EMULATED_CPU:-max,sme-default-vector-length=64} preset=native run=() times=()
    local llm=native run_llm=() tokens=160 prompt="And it came to pass"
    need_compilers
    if [ "$host" = aarch64 ]; then
        times=(--times)
    elif can_cross; then
        preset=aarch64-clang
    fi
    if [ "${1:-}" = --cpu ]; then
        cpu=${2:?a CPU model of QEMU, such as cortex-a72}
        llm=$preset tokens=40
        shift 2
    fi
    if [ $preset != native ]; then
        run=("$emulator" -cpu "$cpu")
        [ $llm = native ] || run_llm=("${run[@]}")
    fi
    target=llm tests=OFF build $llm
    say "examples/llm, a model of Q4_K and Q6_K${run_llm[0]:+, on an emulated CPU ($cpu)}"
    printf '%s' "$prompt"
    ${run_llm[@]+"${run_llm[@]}"} "$root/build/$llm/examples/llm/llm" "$root/examples/llm/model/king_james.gguf" \
        -p "$prompt" -n $tokens --temp 0.7 --top-p 0.9 --seed 11 -t "$jobs"
    target=tiny_lm tests=OFF build $preset
    if [ $preset != native ]; then
        say "examples/tiny_lm, each micro-kernel, on an emulated Arm CPU ($cpu)"
    elif [ "$host" != aarch64 ]; then
        say "examples/tiny_lm: on this host there are portable kernels only. $no_cross"
    fi
    ${run[@]+"${run[@]}"} "$root/build/$preset/examples/tiny_lm/tiny_lm" ${times[@]+"${times[@]}"} "$@"
}

cmd_bench() {
    local prefetch=0 emulated=no
    if [ "${1:-}" = --compare ]; then
        need_packages python3=python3
        python3 "$root/benchmark/compare.py" "${@:2}"
        return
    elif [ "${1:-}" = --ggml ]; then
        shift
        bench_beside_ggml "$@"
        return
    elif [ "${1:-}" = --peer ]; then
        shift
        bench_beside_peer "$@"
        return
    fi
    while :; do
        case ${1:-} in
            --prefetch=*) prefetch=${1#*=}; shift ;;
            --emulated) emulated=yes; shift ;;
            *) break ;;
        esac
    done
    if [ "$emulated" = no ]; then
        need_packages cmake=cmake ninja=ninja-build g++=g++
        need_bench_packages
        target=kleidiai_bench tests=OFF build bench -DKLEIDIAI_PREFETCH_BYTES="$prefetch"
        [ "$host" = aarch64 ] || say "portable kernels on $host; those of AArch64 under QEMU: ./kai.sh bench --emulated"
        "$root/build/bench/benchmark/kleidiai_bench" "$@"
    else
        need_bench_packages
        local program
        emulated_bench -DKLEIDIAI_PREFETCH_BYTES="$prefetch"
        "${program[@]}" "$@"
    fi
}

# Debian's ggml on the same shapes, types and threads: ratios of its times and ours.
bench_beside_ggml() {
    local files=$root/build/ggml tree=$cache/ggml program=("$root/build/bench/benchmark/kleidiai_bench")
    need_packages cmake=cmake ninja=ninja-build g++=g++ python3=python3
    need_bench_packages
    if [ "${1:-}" = --emulated ]; then
        shift
        emulated_bench  # sets program
        # The graph of a row has a product for each copy of cold weights: 256 MiB of these take an emulator hours.
        export KLEIDIAI_RUN_BY="$emulator -cpu max,sme-default-vector-length=64" KLEIDIAI_GGML_COLD=65536
        tree=$cache/ggml-arm64
        need_ggml arm64
        say "both under QEMU: times mean nothing, only that all of it runs"
    else
        need_ggml
        target=kleidiai_bench tests=OFF build bench
    fi
    mkdir -p "$files"
    "${program[@]}" --what=gemm --no-peaks --repetitions=5 "$@" \
        --json="$files/ours.json" > "$files/ours.txt" || die "$(tail -n 5 "$files/ours.txt")"
    say "ggml"
    "$tree-python" "$root/benchmark/beside_ggml.py" "$tree" "$files/ours.json" "$files/ggml.json"
    # Slower or not is for people to judge here.
    python3 "$root/benchmark/compare.py" "$files/ggml.json" "$files/ours.json" || true
}

# Builds the benchmark for AArch64; `program` of the caller becomes what starts it.
emulated_bench() {
    [ "$host" != aarch64 ] || die "--emulated is for other hosts: this one runs the benchmark itself"
    need_compilers
    build_emulated_bench "$@"
    program=("$emulator" -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$(echo "$cache"/benchmark/usr/lib/*)"
        -cpu "max,sme-default-vector-length=64" "$root/build/aarch64-clang-dynamic/benchmark/kleidiai_bench")
}

# KleidiAI's micro-kernels and packers of the same names, on the same operands: ratios of its times and ours.
bench_beside_peer() {
    local files=$root/build/peer program who flags=()  # program: set here, or by emulated_bench
    need_packages cmake=cmake ninja=ninja-build g++=g++ python3=python3
    need_bench_packages
    need_peer
    if [ "$host" = aarch64 ]; then
        target=kleidiai_bench tests=OFF build bench
        program=("$root/build/bench/benchmark/kleidiai_bench")
    else
        emulated_bench
    fi
    mkdir -p "$files"
    for who in ours peer; do
        say "$who"
        "${program[@]}" ${flags[@]+"${flags[@]}"} --no-peaks --no-baseline --repetitions=5 "$@" \
            --json="$files/$who.json" > "$files/$who.txt" || die "$(tail -n 5 "$files/$who.txt")"
        flags=(--peer)
    done
    grep '^skipped: .*KleidiAI' "$files/peer.txt" | sort -u || true
    python3 "$root/benchmark/compare.py" "$files/peer.json" "$files/ours.json" || true
}

# Where there is no package manager that kai.sh knows, CMake finds or fetches them.
need_bench_packages() {
    [ -z "$manager" ] ||
        need_packages /usr/include/benchmark/benchmark.h=libbenchmark-dev /usr/include/CLI/CLI.hpp=libcli11-dev
}

# Google Benchmark from Debian's package for AArch64.
need_emulated_bench() {
    [ -e "$cache/benchmark/usr/include/benchmark/benchmark.h" ] ||
        unpack_from "$(debian_suite)" "$cache/benchmark" arm64 libbenchmark-dev libbenchmark1debian
}

# The benchmark for AArch64.
build_emulated_bench() {
    need_emulated_bench
    target=kleidiai_bench tests=OFF build aarch64-clang-dynamic -DKLEIDIAI_BENCHMARK_ROOT="$cache/benchmark/usr" "$@"
}

# check_golden_data PRESET [options of the check]
check_golden_data() {
    local preset=$1 required=$root/build/conformance-required-$1.txt; shift
    # Everything that the catalogues name must be found: the compatibility headers are named after it. What is this
    # library's own, and not in the specification, has no golden data.
    find "$root/build/$preset/compat" -name 'kai_*.h' ! -name '*_interface.h' | sed 's#.*/kai_##; s#\.h$##' |
        grep -Fxf <(cut -d, -f1 "$shared"/spec/packs-*.csv "$shared"/spec/ukernels-*.csv) > "$required"
    CXX_AARCH64=$(clang_cxx || true) EMULATOR="${emulator:-}" WORK_DIR="$root/build/conformance-$preset" \
        "$shared/conformance/run" "$root/build/$preset/libkleidiai.a" --require "$required" "$@"
}

cmd_conformance() {
    [ -x "$shared/conformance/run" ] || die "no conformance data at $shared/conformance (set KLEIDIAI_SHARED)"
    need_build_tools
    # With assertions too: preconditions must not be stricter than what the data ask for. Both at once: each check is
    # one emulator.
    local preset passed=0 failed=0 p f presets=(native native-debug)
    [ "$host" = aarch64 ] || presets=(aarch64-clang aarch64-clang-debug)
    for preset in "${presets[@]}"; do
        target=kleidiai build "$preset"
    done
    for preset in "${presets[@]}"; do
        check_golden_data "$preset" "$@" > "$root/build/conformance-$preset.log" 2>&1 &
    done
    wait
    for preset in "${presets[@]}"; do
        say "golden data ($preset)"
        sed 's/^conformance: /  /' "$root/build/conformance-$preset.log"
        p= f=
        read -r p f < <(sed -n 's/^conformance: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' \
            "$root/build/conformance-$preset.log") || true
        [ "${p:-0}" -gt 0 ] || f=1
        passed=$((passed + ${p:-0})) failed=$((failed + f))
    done
    echo "conformance: $passed passed, $failed failed"
    [ "$failed" = 0 ]
}

cmd_peer() {
    local cases=${1:-64} preset=aarch64-clang width log=$root/build/peer.log failed=0
    need_build_tools
    need_peer
    [ "$host" != aarch64 ] || preset=native
    target=kleidiai_peer build "$preset"
    : > "$log"
    for width in $([ "$host" = aarch64 ] && echo native || echo 16 32 64 128 256 none); do
        case $width in
            native) say "this CPU"; set -- ;;
            none) say "a CPU without SVE"; set -- "$emulator" -cpu neoverse-n1 ;;
            *)
                say "vectors of $width bytes"
                set -- "$emulator" -cpu "max,sve-default-vector-length=$width,sme-default-vector-length=$width" ;;
        esac
        KLEIDIAI_PEER_CASES=$cases "$@" "$root/build/$preset/test/kleidiai_peer" > "$log.part" || failed=1
        grep -E '^(MISSING|ABORTS|GETTER|BYTES|STRIDE|PADDING|RESULTS|kai_)' "$log.part" || true
        sed -n '/^against/,/^all /p' "$log.part"
        cat "$log.part" >> "$log"
    done
    # Each known difference must have been seen in one of the runs. (Here only with all vector lengths.)
    if [ "$host" != aarch64 ] && [ "$cases" -ge 32 ]; then
        grep -E '^(not seen|not tried): ' "$log" | sed 's/^[^:]*: //' | sort -u |
            grep -vxF -f <(sed -n 's/^seen: //p' "$log") > "$log.part" || true
        if [ -s "$log.part" ]; then
            echo "known differences that are no longer seen:"
            cat "$log.part"
            failed=1
        fi
    fi
    rm -f "$log.part"
    echo "the whole log: ${log#"$root"/}"
    [ "$failed" = 0 ]
}

cmd_cycles() {
    [ "$host" != aarch64 ] || die "the prediction runs on other hosts; on AArch64 measure: ./kai.sh bench"
    need_build_tools
    need_packages python3=python3 llvm-mca-22=llvm-22
    need_llvm23
    if [ "${1-}" = --newer ]; then newer_cores; return; fi
    local preset
    for preset in aarch64-clang aarch64-gcc; do
        target=cycles_driver build "$preset"
        say "predicted cycles ($preset)"
        "$root/tools/cycles/cycles.sh" "$root/build/$preset" "$emulator" "$cache/llvm-mca-23" "$@"
    done
    python3 "$root/tools/cycles_table.py" "$root/tools/cycles/anchors.csv" \
        "$root"/build/aarch64-{clang,gcc}/cycles.csv > "$root/build/cycles.md"
    echo "as a table: build/cycles.md"
}

# The classes of tools/cycles/classes.csv on the newer cores.
newer_cores() {
    target=cycles_driver build aarch64-clang
    local out=$root/build/aarch64-clang tools=$root/tools
    rm -f "$out/newer.csv"
    say "predicted cycles on newer cores"
    python3 "$tools/cycles/suite.py" run --driver "$out/tools/cycles_driver" --csv "$out/newer.csv" \
        --cases "$tools/cycles/classes.csv" --qemu "$emulator" --objdump llvm-objdump-22 \
        --mca "$(command -v llvm-mca-22)" --mca "$cache/llvm-mca-23" > "$out/newer.log" ||
        die "see $out/newer.log"
    python3 "$tools/cycles_table.py" --newer "$tools/cycles/anchors.csv" "$out/newer.csv"
}

cmd_curves() {
    [ "$host" != aarch64 ] || die "the prediction runs on other hosts"
    need_build_tools
    need_packages llvm-mca-22=llvm-22 /usr/lib/python3/dist-packages/matplotlib=python3-matplotlib
    target=cycles_driver build aarch64-clang
    local out=$root/build/aarch64-clang
    rm -f "$out/rows.csv"
    /usr/bin/python3 "$root/tools/cycles/curves.py" "$out/tools/cycles_driver" "$emulator" "$out/rows.csv" \
        "$root/docs/few-rows.svg"
}

cmd_rows() {
    [ "$host" != aarch64 ] || die "the prediction runs on other hosts"
    need_build_tools
    need_packages python3=python3 llvm-mca-22=llvm-22
    target=cycles_driver build aarch64-clang
    local out=$root/build/aarch64-clang
    rm -f "$out/few_rows.csv"
    python3 "$root/tools/cycles/few_rows.py" --driver "$out/tools/cycles_driver" --csv "$out/few_rows.csv" \
        --only "${1-}" --qemu "$emulator" --objdump llvm-objdump-22 --mca "$(command -v llvm-mca-22)" |
        grep -v MAC/cycle
}

cmd_docs() {
    need_packages doxygen=doxygen python3=python3
    python3 "$root/docs/site.py" "$root/build/docs" ||
        die "warnings of doxygen $(doxygen --version); build/docs/index.html is complete nevertheless"
    echo "build/docs/index.html"
}

cmd_size() {
    need_build_tools
    if [ "$host" = aarch64 ]; then
        target=kleidiai_gemm build native
        "$root/tools/code_size.py" size nm ld "$root/build/native" "$@"
    else
        target=kleidiai_gemm build aarch64-clang
        target=kleidiai_gemm build aarch64-gcc
        "$root/tools/code_size.py" aarch64-linux-gnu-size llvm-nm-19 ld.lld-19 "$root"/build/aarch64-{clang,gcc} "$@"
    fi
}

cmd_where() {
    [ $# -ge 1 ] || die "say ./kai.sh where NAME: a micro-kernel or a packer, or a part of its name"
    python3 "$root/tools/where.py" where "$@"
}

cmd_asm() {
    local preset=native objdump
    [ $# = 1 ] || die "say ./kai.sh asm NAME: a micro-kernel or a packer, or a part of its name"
    need_build_tools
    [ "$host" = aarch64 ] || preset=aarch64-clang
    target=kleidiai build "$preset" >&2
    objdump=$(compgen -c llvm-objdump | sort -V | tail -n 1) || objdump=objdump
    python3 "$root/tools/where.py" asm "$root/build/$preset" "$1" "$objdump"
}

cmd_lint() {
    need_build_tools
    need_packages python3=python3 /usr/lib/python3/dist-packages/editorconfig=python3-editorconfig \
        clang-format-14=clang-format-14 clang-tidy-19=clang-tidy-19 cmake-lint=cmake-format shellcheck=shellcheck \
        codespell=codespell
    local preset=native
    [ "$host" = aarch64 ] || preset=aarch64-clang
    mkdir -p "$root/build"
    # A build for clang-tidy to read, not to make: without precompiled headers, which would have to exist.
    (cd "$root" && cmake --preset "$preset" -B build/lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
        ${emulator:+-DKLEIDIAI_EMULATOR="$emulator"} > "$root/build/lint.log") ||
        { tail -n 20 "$root/build/lint.log"; die "no build to read with clang-tidy"; }
    /usr/bin/python3 "$root/tools/lint.py" --build "$root/build/lint" --jobs "$jobs" "$@"
}

cmd_abi() {
    need_packages python3=python3 gcc=gcc abidiff=abigail-tools
    python3 "$root/tools/abi.py" "${1:-check}"
}

# The packages are built from the tarball, in folders whose names are in no file.
cmd_release() {
    local version out=$root/build/release tree=$root/build/release/tree snapshot=no packages=yes arch toolchain
    while [ $# -gt 0 ]; do
        case $1 in
            --snapshot) snapshot=yes ;;
            --no-packages) packages=no ;;
            *) die "release: --snapshot or --no-packages, not $1" ;;
        esac
        shift
    done
    need_packages python3=python3 git=git
    version=$(python3 "$root/tools/release.py" check)
    [ "$snapshot" = yes ] || [ "$version" = "${version%~*}" ] || die "version $version is no release: CHANGELOG.md \
begins with Unreleased (tools/release.py cut), or files are not committed. Nevertheless: --snapshot"
    [ "$manager" != apt ] || cmd_abi check
    rm -rf "$out"
    mkdir -p "$tree"
    say "packing the sources of $version"
    python3 "$root/tools/release.py" source "$out"
    python3 "$root/tools/release.py" notes > "$out/NOTES.md"
    if [ "$packages" = yes ] && [ "$manager" = apt ]; then
        need_compilers
        need_packages /usr/include/CLI/CLI.hpp=libcli11-dev /usr/include/nlohmann/json.hpp=nlohmann-json3-dev
        tar -xzf "$out/libkleidiai-$version.tar.gz" -C "$tree" --strip-components=1
        for arch in amd64 arm64; do
            toolchain=
            [ "$arch" = "$(dpkg --print-architecture)" ] || toolchain=$tree/cmake/toolchains/aarch64-linux-gnu.cmake
            [ "$arch" = arm64 ] || [ -z "$toolchain" ] || continue  # no cross compiler for amd64
            package "$arch" "$version" "$tree" "$out" ${toolchain:+-DCMAKE_TOOLCHAIN_FILE="$toolchain"}
        done
    fi
    rm -rf "$tree"
    python3 "$root/tools/release.py" sums "$out"
    say "${out#"$root"/}"
    (cd "$out" && cat SHA256SUMS)
}

# package ARCH VERSION TREE OUT [cmake options]: OUT gets the Debian package, the same bytes for each build of a commit.
package() {
    local arch=$1 version=$2 tree=$3 out=$4 log=$4/$1.log multiarch=x86_64-linux-gnu; shift 4
    [ "$arch" = amd64 ] || multiarch=aarch64-linux-gnu
    say "building the package for $arch"
    (export SOURCE_DATE_EPOCH && SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct) &&
        cmake -S "$tree" -B "$tree/$arch" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
            -DKLEIDIAI_BUILD_TESTS=OFF -DKLEIDIAI_BUILD_EXAMPLES=OFF -DKLEIDIAI_BUILD_TOOLS=ON \
            -DKLEIDIAI_BUILD_BOTH=ON -DCMAKE_INSTALL_LIBDIR="lib/$multiarch" "$@" &&
        cmake --build "$tree/$arch" -j "$jobs" && cd "$tree/$arch" &&
        cpack -G DEB -D CPACK_PACKAGE_VERSION="$version" -B "$tree/$arch/packed") > "$log" 2>&1 ||
        { tail -n 40 "$log"; die "the package for $arch failed ($log)"; }
    mv "$tree/$arch/packed/"*.deb "$out"
    rm "$log"
}

cmd_integrate() {
    need_compilers
    need_packages python3=python3 pkg-config=pkg-config
    python3 "$root/test/integrate/integrate.py" --work "$root/build/integrate" \
        ${emulator:+--emulator "$emulator"} "$@"
}

cmd_mutate() {
    need_build_tools
    need_packages python3=python3
    [ -z "$manager" ] || need_packages /usr/include/CLI/CLI.hpp=libcli11-dev
    local preset=native
    [ "$host" = aarch64 ] || preset=aarch64-clang
    if [ "${1:-}" != --list ]; then
        build "$preset"
        if [ "$preset" != native ]; then
            local program
            for program in kai-pack kai-gguf llm convnet; do
                target=$program build native
            done
        fi
    fi
    python3 "$root/test/mutants/mutate.py" --build "$root/build/$preset" ${emulator:+--emulator "$emulator"} \
        --host-build "$root/build/native" "$@"
}

command=${1:-}
[ $# -gt 0 ] && shift
case $command in
    demo | test | bench | cycles | curves | rows | docs | size | where | asm | conformance | peer | mutate | \
        integrate | lint | abi | release | setup)
        "cmd_$command" "$@" ;;
    *) sed -n '2,/^# SPDX/s/^# \{0,1\}//p' "$0" | grep -v SPDX; exit 2 ;;
esac
