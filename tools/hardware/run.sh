#!/bin/bash
# Runs a pack on a GPU machine: checks every case, times the kernels, writes results.
#
# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: run.sh OUT_DIR [SUITE...]     from inside the pack; needs python3 with numpy, an NVIDIA driver, no LLVM
# Writes OUT_DIR/results.json (the input of verified.py), OUT_DIR/launches.log (launches in CUDA graphs and from two
# threads, on two GPUs where there are), and OUT_DIR/bench.json where PyTorch is there and FOVEA_BENCH=1.

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

# One process a suite and type: the driver compiles their PTX side by side. The timings come after them.
# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- $FOVEA_SUITES
runs=()
for suite in "$@"; do
  for type in $FOVEA_TYPES; do runs+=("$suite-$type"); done
done
for run in "${runs[@]}"; do
  timeout "${FOVEA_SUITE_SECONDS:-400}" python3 "$pack/run_cases.py" --run="$pack/fovea-run" --artifacts="$pack/artifacts" \
    --work="$work/$run" --target=cuda --count="$FOVEA_RANDOM_CASES" --json="$work/$run.json" --types="${run##*-}" \
    "${run%-*}" >"$out/$run.log" 2>&1 &
done
wait
status=0
for run in "${runs[@]}"; do
  echo "$run: $(tail -n 1 "$out/$run.log")"
  [ -f "$work/$run.json" ] || { echo "$run: no result"; status=1; }
done
python3 "$pack/collect.py" "$pack" "$out/results.json" "$work"/*.json || status=1
grep -h ": failed" "$out"/*.log && status=1
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
