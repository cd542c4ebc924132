#!/bin/bash
# Runs a pack on a GPU machine: checks every case, times the kernels, writes results.
#
# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: run.sh OUT_DIR [SUITE...]     from inside the pack; needs python3 with numpy, an NVIDIA driver, no LLVM
# Writes OUT_DIR/results.json (the input of verified.py), OUT_DIR/launches.log (launches in CUDA graphs and from two
# threads, on two GPUs where there are), and OUT_DIR/bench.json where PyTorch is there and FOVEA_BENCH=1. FOVEA_SECONDS bounds
# the time of the cases: those that did not get their turn are counted, and are no results.

pack=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:?usage: run.sh OUT_DIR [SUITE...]}
shift
mkdir -p "$out"
command -v nvidia-smi >/dev/null || { echo "run.sh: no NVIDIA driver on this machine" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod +x "$pack/fovea-run" "$pack/fovea-launch-check"

# shellcheck disable=SC1091 # made by pack.py
. "$pack/pack.env"

# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- $FOVEA_SUITES
status=0
python3 "$pack/run_cases.py" --run="$pack/fovea-run" --artifacts="$pack/artifacts" --work="$work/cases" --target=cuda \
  --count="$FOVEA_RANDOM_CASES" --types="${FOVEA_TYPES// /,}" --processes="$(nproc)" --seconds="${FOVEA_SECONDS:-3600}" --batch-seconds=90 \
  --json="$work/cases.json" "$@" >"$out/cases.log" 2>&1 || status=1
tail -n 2 "$out/cases.log"
# Without cases there are no results; why is the line above.
if [ -e "$work/cases.json" ]; then
  python3 "$pack/collect.py" "$pack" "$out/results.json" "$work/cases.json" || status=1
fi
grep -h ": failed" "$out/cases.log"
# A long prompt, and one query, which takes the kernels that split the keys.
for artifact in "$pack"/bench/bf16_d{64,128}{,_causal}.fovea; do
  for sizes in "2 4 1000 1000" "2 4 1 5000"; do
    set -- $sizes
    echo "$(basename "$artifact" .fovea) $*"
    timeout 120 "$pack/fovea-launch-check" "$artifact" --random --dim=0.0="$1" --dim=0.1="$2" --dim=0.2="$3" \
      --dim=1.1="$2" --dim=1.2="$4" || status=1
  done
done >"$out/launches.log" 2>&1
echo "launches: $(grep -c ": ok:" "$out/launches.log") ok, $(grep -c ": failed:" "$out/launches.log") failed"
if [ "${FOVEA_BENCH:-0}" = 1 ]; then
  python3 "$pack/gpu_vs_torch.py" --pack "$pack" --out "$out/bench.json" || status=1
fi
exit $status
