#!/usr/bin/env bash
# Predicts the cycles of every function of a library, and compares them with the anchors.
#
#   tools/cycles.sh PERF BUILD EMULATOR LLVM-MCA-23 [REGEX]
#
# PERF is the folder with kai_perf_suite.py; the results go to BUILD/cycles.csv. An empty REGEX: only links
# BUILD/cycles_driver, which calls a function on a given shape. Called by `./kai.sh cycles` and `./kai.sh curves`.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
perf=$1 build=$2 emulator=$3 mca23=$4 names=${5-.}

compiler=clang
for candidate in clang-23 clang-22 clang-21 clang-20 clang-19; do
    if command -v $candidate > /dev/null; then compiler=$candidate; break; fi
done
$compiler --target=aarch64-linux-gnu -O2 -static -fuse-ld=lld "$perf/kai_perf_driver.c" \
    -Wl,--whole-archive "$build/libkleidiai.a" -Wl,--no-whole-archive -lm -o "$build/cycles_driver"
[ -n "$names" ] || exit 0
rm -f "$build/cycles.csv" "$build/cycles.csv.mix"
python3 "$perf/kai_perf_suite.py" run --driver "$build/cycles_driver" --label "$(basename "$build")" \
    --csv "$build/cycles.csv" --only "$names" --qemu "$emulator" --objdump llvm-objdump-22 \
    --mca "$(command -v llvm-mca-22)" --mca "$mca23" > "$build/cycles.log"
python3 "$perf/kai_perf_suite.py" compare "$perf/anchors.csv" "$build/cycles.csv" || true
