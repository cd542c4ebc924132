#!/usr/bin/env python3
"""Makes the folder that peers.py needs on a GPU machine without LLVM.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: pack_peers.py --build=BUILD --out=DIR [--target=sm_90a] [--only REGEX]
DIR then has the artifacts (DIR/modules), the shared runtime and the scripts.
"""
import concurrent.futures
import os
import subprocess

from packing import choose, get_compiler, make_folder, make_parser
from peer_cases import cases, module_text
from script import run_script

SCRIPTS = ("bench/peers.py", "bench/peer_cases.py", "bench/peer_kernels.py", "bench/triton_attention.py", "bench/plot.py",
           "bench/plot_peers.py", "bench/script.py", "hardware/fovea.py", "hardware/needs.py")


def compile_module(compiler, target, path, text):
    """The compiler's message, empty where the artifact was made."""
    command = [compiler, "-", "--target=" + target, "-o", path]
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    return "%s: %s\n" % (os.path.basename(path), run.stderr.strip()) if run.returncode else ""


def main():
    parser = make_parser("Packs a comparison with other attention kernels.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    texts = {case.module(): module_text(case) for case in choose(options, cases())}
    make_folder(options, SCRIPTS)
    compiler = get_compiler(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        path = lambda name: os.path.join(options.out, "modules", name + ".fovea")
        messages = "".join(pool.map(lambda item: compile_module(compiler, options.target, path(item[0]), item[1]),
                                    texts.items()))
    print(messages + "%d modules, %d failed" % (len(texts), messages.count("\n")))
    return 1 if messages else 0


if __name__ == "__main__":
    run_script(main)
