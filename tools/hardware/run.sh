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

python3 "$pack/run_cases.py" --run="$pack/fovea-run" --artifacts="$pack/artifacts" --work="$work/cases" \
  --target=cuda --json="$work/cases.json" "${@:-all}"
status=$?
[ -f "$work/cases.json" ] &&
  python3 "$pack/collect.py" "$pack" "$work/cases.json" "$out/results.json"
if [ "${FOVEA_BENCH:-0}" = 1 ]; then
  python3 "$pack/gpu_vs_torch.py" --pack "$pack" --out "$out/bench.json" || status=1
fi
exit $status
