#!/usr/bin/env python3
"""Times the first call of a region that is new: compiler, loading and launch, against FlexAttention's first call, on one machine.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: first_calls.py --compiler FOVEA-COMPILE --out OUT.json [--pack DIR] [--target sm_90a] [--only REGEX]... [--option ARG]...
Needs PyTorch with CUDA and a folder with the IR of the regions (DIR/ir/NAME_dD.mlir, made by pack_masks.py --ir), the shared
runtime and the scripts of pack_masks.py. Each call is made by a process of its own, one at a time, that has imported all it
needs and made its tensors; no cache of either side is used.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "hardware")]
from needs import need  # noqa: E402

torch = need("torch", "timing first calls", "PyTorch with CUDA")
import masks  # noqa: E402
from mask_cases import cases  # noqa: E402
from peers import machine, save  # noqa: E402


def fovea_call(options, case):
    """Seconds of compiler, loading and first launch."""
    model, tensors = masks.Model(case), masks.make_tensors(case)
    torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "modules"))
        path = os.path.join(folder, "modules", case.module() + ".fovea")
        fovea = masks.Fovea(options.pack)
        fovea.pack = folder
        begin = time.perf_counter()
        subprocess.run([options.compiler, os.path.join(options.pack, "ir", case.module() + ".mlir"),
                        "--target=" + options.target, "-o", path, *options.option], check=True)
        compiled = time.perf_counter() - begin
        call = fovea.call(case.module(), *tensors, model.arguments)
        total = time.perf_counter() - begin
        expected = {0: model.rows(*tensors, 0)}
        return {"compiler": compiled, "launch": total - compiled, "total": total, "error": model.error(call(), expected)}


def flex_call(options, case):
    """Seconds of the block mask, torch.compile and the first call."""
    model, tensors = masks.Model(case), masks.make_tensors(case)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call = masks.flex_call(case, model, *tensors)
    output = call()
    torch.cuda.synchronize()
    total = time.perf_counter() - begin
    return {"total": total, "error": model.error(output, {0: model.rows(*tensors, 0)})}


SIDES = {"fovea": fovea_call, "flex": flex_call}


def run_worker(arguments, side, name):
    """What a process of its own measures; a message where it fails."""
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=cache, TRITON_CACHE_DIR=os.path.join(cache, "triton"),
                           CUDA_CACHE_DISABLE="1")
        run = subprocess.run([sys.executable, os.path.abspath(__file__), *arguments, "--worker", side, name], text=True,
                             capture_output=True, env=environment)
    try:
        return json.loads(run.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return {"message": "ended with %d: %s" % (run.returncode, run.stderr.strip()[-300:])}


def main():
    parser = argparse.ArgumentParser(description="Times first calls of new regions.")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--pack", default=HERE)
    parser.add_argument("--out")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--only", action="append", help="cases whose name matches one of these (alibi D128 S8192)")
    parser.add_argument("--option", action="append", default=[], help="a further argument of the compiler")
    parser.add_argument("--deadline", type=float, default=1e9, help="seconds after which no further case begins")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        side, name = options.worker
        case = next(case for case in cases() if case.name() == name)
        print(json.dumps(SIDES[side](options, case)))
        return
    begin, results = time.monotonic(), dict(machine(), cases=[])
    for case in cases():
        if options.only and not any(re.search(text, case.name()) for text in options.only):
            continue
        if time.monotonic() - begin > options.deadline:
            break
        found = {side: run_worker(sys.argv[1:], side, case.name()) for side in SIDES}
        results["cases"].append(dict(name=case.name(), **found))
        totals = {side: values.get("total") for side, values in found.items()}
        ratio = "%.1f times sooner" % (totals["flex"] / totals["fovea"]) if all(totals.values()) else ""
        print("%-28s %s  %s" % (case.name(), json.dumps(found), ratio), flush=True)
        save(results, options.out)


if __name__ == "__main__":
    main()
