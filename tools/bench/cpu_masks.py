#!/usr/bin/env python3
"""Times masks and score functions of the gallery on the CPU against the kernel without their region, in one run.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: cpu_masks.py [--build BUILD] [--type f32] [--length N] [--threads N] [--rounds N] [--limit X] [--json FILE]
Each line is the time of an entry over that of the plain kernel: the one of the same mask for a score function, the one
without a mask for a mask that is a region. Medians over rounds, in each of which the two take turns. With --limit the
exit code says whether all lines are at most that.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(SOURCE, "test", "Integration", "cases"))
from gallery_files import text_of  # noqa: E402
from script import run_script  # noqa: E402

HEADS, DEPTH = 4, 64
SLOPES = ["--arg=expr:pow(2,0-i0-1),dims=%d" % HEADS]
DOCUMENTS = ["--arg=expr:floor(i1/300),dims=1:{S}"]
# name -> (the plain kernel, arguments after Q, K and V)
ENTRIES = {
    "alibi": ("causal", SLOPES), "head_temperature": ("causal", ["--arg=expr:0.5+i0,dims=%d" % HEADS]),
    "softcap": ("causal", []), "t5_table": ("full", ["--arg=random,dims=%d:{L}" % HEADS]),
    "local_global": ("full", []), "prefix_lm": ("full", ["--arg=expr:300,dims=1"]), "document": ("full", DOCUMENTS),
    "chunked": ("causal", []), "document_alibi": ("causal", DOCUMENTS + SLOPES),
}


def module_text(name, dtype):
    """The IR of a module; no mask at all is causal without its clause."""
    text = text_of("causal" if name == "full" else name, dtype, DEPTH)
    return text.replace(" causal(top_left)", "") if name == "full" else text


def compile_modules(options, folder):
    names = set(ENTRIES) | {plain for plain, _ in ENTRIES.values()}
    for name in names:
        command = [os.path.join(options.build, "bin", "fovea-compile"), "-", "-o", os.path.join(folder, name + ".fovea")]
        subprocess.run(command, input=module_text(name, options.type), text=True, check=True)


def milliseconds(options, folder, name, arguments):
    """The median of one process."""
    tensor = "--arg=random,dims=1:%d:%d:%d" % (HEADS, options.length, DEPTH)
    words = [word.format(S=options.length, L=2 * options.length - 1) for word in arguments]
    command = [os.path.join(options.build, "bin", "fovea-run"), os.path.join(folder, name + ".fovea"), "--target=cpu", "--bench",
               "--threads=%d" % options.threads, "--json=-", tensor, tensor, tensor, *words]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return next(json.loads(line) for line in run.stdout.splitlines() if line.startswith("{"))["median_us"] / 1000


def main():
    parser = argparse.ArgumentParser(description="Times masks and score functions on the CPU.")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--type", default="f32", choices=("f32", "f16", "bf16"))
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", help="names of entries")
    parser.add_argument("--limit", type=float)
    parser.add_argument("--json")
    options = parser.parse_args()
    found, worst = {}, 0.0
    with tempfile.TemporaryDirectory() as folder:
        compile_modules(options, folder)
        for name, (plain, arguments) in ENTRIES.items():
            if options.only and name not in options.only:
                continue
            rounds = [(milliseconds(options, folder, name, arguments), milliseconds(options, folder, plain, []))
                      for _ in range(options.rounds)]
            mine, other = (statistics.median(times) for times in zip(*rounds))
            found[name] = {"ms": mine, "plain_ms": other, "ratio": mine / other}
            worst = max(worst, mine / other)
            print("%-20s %8.2f ms  %s %8.2f ms  ratio %.2f" % (name, mine, plain, other, mine / other), flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(found, file, indent=1)
    return 1 if options.limit and worst > options.limit else 0


run_script(main)
