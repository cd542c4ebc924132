#!/bin/bash
# Runs a pack on a GPU machine: checks every case, times the kernels, writes results.
#
# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: run.sh OUT_DIR [SUITE...]     from inside the pack; needs python3 with numpy, an NVIDIA driver, no LLVM
# Writes OUT_DIR/results.json (the input of verified.py), and OUT_DIR/bench.json where PyTorch is there and FOVEA_BENCH=1.

pack=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:?usage: run.sh OUT_DIR [SUITE...]}
shift
mkdir -p "$out"
command -v nvidia-smi >/dev/null || { echo "run.sh: no NVIDIA driver on this machine" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod +x "$pack/fovea-run"

# One process a suite: the driver compiles their PTX side by side. The timings come after them.
[ $# -gt 0 ] || set -- case{1,2,3,4,5,6,7,8,9,10,11,13,16} grid features strides special random
for suite in "$@"; do
  timeout "${FOVEA_SUITE_SECONDS:-400}" python3 "$pack/run_cases.py" --run="$pack/fovea-run" --artifacts="$pack/artifacts" \
    --work="$work/$suite" --target=cuda --count="${FOVEA_RANDOM_CASES:-100}" --json="$work/$suite.json" "$suite" \
    >"$out/$suite.log" 2>&1 &
done
wait
status=0
for suite in "$@"; do
  echo "$suite: $(tail -n 1 "$out/$suite.log")"
  [ -f "$work/$suite.json" ] || { echo "$suite: no result"; status=1; }
done
python3 "$pack/collect.py" "$pack" "$out/results.json" "$work"/*.json || status=1
grep -h ": failed" "$out"/*.log && status=1
if [ "${FOVEA_BENCH:-0}" = 1 ]; then
  python3 "$pack/gpu_vs_torch.py" --pack "$pack" --out "$out/bench.json" || status=1
fi
exit $status
