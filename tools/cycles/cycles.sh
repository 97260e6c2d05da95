#!/usr/bin/env bash
# Predicts the cycles of the functions of a build, and compares them with the anchors.
#
#   tools/cycles/cycles.sh BUILD EMULATOR LLVM-MCA-23 [REGEX [CPU,...]]
#
# The results go to BUILD/cycles.csv, which is written anew. Called by `./kai.sh cycles`.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -lt 3 ] || [ ! -e "$1/CMakeCache.txt" ]; then
    sed -n '2,/^# SPDX/s/^# \{0,1\}//p' "$0"
    exit 2
fi
build=$1 emulator=$2 mca23=$3 names=${4-} cpus=${5-}

cmake --build "$build" --target cycles_driver > "$build/cycles.log"
rm -f "$build/cycles.csv"
python3 "$here/suite.py" run --driver "$build/tools/cycles_driver" --label "$(basename "$build")" \
    --csv "$build/cycles.csv" --only "$names" ${cpus:+--cpus "$cpus"} --qemu "$emulator" --objdump llvm-objdump-22 \
    --mca "$(command -v llvm-mca-22)" --mca "$mca23" >> "$build/cycles.log" ||
    { grep FAILED "$build/cycles.log" || tail -n 20 "$build/cycles.log"; }
[ ! -e "$build/cycles.csv" ] || python3 "$here/suite.py" compare "$here/anchors.csv" "$build/cycles.csv" || true
