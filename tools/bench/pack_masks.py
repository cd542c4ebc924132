#!/usr/bin/env python3
"""Makes the folder that masks.py needs on a GPU machine without LLVM.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: pack_masks.py --build=BUILD --out=DIR [--target=sm_90a] [--only REGEX] [--ptxas] [--ir]
DIR then has the artifacts (DIR/modules), the shared runtime, the scripts, and compile.json: the seconds that the compiler
took for each module up to PTX, with --ptxas also those of ptxas for that PTX, one after the other. With --ir it has the IR
of the modules (DIR/ir) in place of artifacts, for first_calls.py and for machines that have the compiler.
"""
import json
import os
import subprocess
import sys
import time

from packing import SOURCE, choose, get_compiler, make_folder, make_parser

sys.path.insert(0, os.path.join(SOURCE, "test", "Integration", "cases"))
from gallery_files import text_of  # noqa: E402
from mask_cases import cases  # noqa: E402
from script import ScriptError, run_script  # noqa: E402

SCRIPTS = ("bench/masks.py", "bench/first_calls.py", "bench/mask_cases.py", "bench/peers.py", "bench/peer_cases.py", "bench/peer_kernels.py",
           "hardware/fovea.py", "hardware/needs.py")


def module_text(name, d):
    """The IR of a module; the plain kernel of no mask is the causal one without its clause."""
    if name == "full":
        return text_of("causal", d=d).replace(" causal(top_left)", "")
    return text_of(name, d=d)


def timed(command, **options):
    """(seconds, the completed process)"""
    begin = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, **options)
    return time.perf_counter() - begin, run


def compile_module(options, name, d):
    """{"compiler": seconds, "ptxas": seconds}; ends the program where the compiler refuses."""
    compiler, path = get_compiler(options), os.path.join(options.out, "modules", "%s_d%d" % (name, d))
    target, text = "--target=" + options.target, module_text(name, d)
    seconds, run = timed([compiler, "-", target, "-o", path + ".fovea"], input=text)
    if run.returncode:
        raise ScriptError("%s: %s" % (name, run.stderr.strip()))
    found = {"compiler": seconds}
    if options.ptxas:
        timed([compiler, "-", target, "--emit=ptx", "-o", path + ".ptx"], input=text)
        found["ptxas"], _ = timed(["ptxas", "-arch=" + options.target, path + ".ptx", "-o", os.devnull])
        os.remove(path + ".ptx")
    return found


def write_ir(options, names):
    os.makedirs(os.path.join(options.out, "ir"))
    for name, d in names:
        with open(os.path.join(options.out, "ir", "%s_d%d.mlir" % (name, d)), "w") as file:
            file.write(module_text(name, d))
    print("%d modules" % len(names))


def main():
    parser = make_parser("Packs the benchmark of masks and score functions.")
    parser.add_argument("--ptxas", action="store_true", help="time ptxas too")
    parser.add_argument("--ir", action="store_true", help="the IR of the modules in place of artifacts")
    options = parser.parse_args()
    chosen = choose(options, cases())
    make_folder(options, SCRIPTS)
    names = sorted({(name, case.D) for case in chosen for name in (case.entry.name, case.entry.plain)})
    if options.ir:
        return write_ir(options, names)
    times = {"%s_d%d" % item: compile_module(options, *item) for item in names}
    with open(os.path.join(options.out, "compile.json"), "w") as file:
        json.dump(times, file, indent=1)
    print("%d modules" % len(times))


if __name__ == "__main__":
    run_script(main)
