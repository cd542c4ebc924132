#!/usr/bin/env python3
"""Compiles the modules that gpu_vs_torch.py times.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: gpu_modules.py BIN_FOLDER OUT_FOLDER [TARGET [TYPE...]]
Every module is one attention without LSE over tensors of any batch, heads and lengths, named DTYPE_dD[_causal].
"""
import argparse
import os
import subprocess

from peer_cases import MODULE
from script import ScriptError, run_script


def modules():
    """name -> IR text"""
    found = {}
    for dtype, depths in (("bf16", (16, 32, 64, 128)), ("f32", (16, 32, 64, 128))):
        for d in depths:
            for causal in (False, True):
                kind = "?x?x?x%dx%s" % (d, dtype)
                text = MODULE.format(q=kind, v=kind, clause=" causal(top_left)" if causal else "",
                                     flags=" {allow_tf32}" if dtype == "f32" else "")
                found["%s_d%d%s" % (dtype, d, "_causal" if causal else "")] = text
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", metavar="BIN_FOLDER", help="where fovea-compile is")
    parser.add_argument("folder", metavar="OUT_FOLDER")
    parser.add_argument("target", nargs="?", default="sm_80")
    parser.add_argument("types", nargs="*", help="default: bf16 f32")
    options = parser.parse_args()
    tools, folder, target = options.tools, options.folder, options.target
    os.makedirs(folder, exist_ok=True)
    failed = 0
    types = tuple(options.types) or ("bf16", "f32")
    chosen = {name: text for name, text in modules().items() if name.startswith(types)}
    if not chosen:
        raise ScriptError("no module is of type %s; there are bf16 and f32" % " or ".join(types))
    for name, text in chosen.items():
        path = os.path.join(folder, name + ".fovea")
        command = [os.path.join(tools, "fovea-compile"), "-", "--target=" + target, "-o", path]
        run = subprocess.run(command, input=text, capture_output=True, text=True)
        if run.returncode:
            failed += 1
            print("%s: %s" % (name, run.stderr.strip()))
    return 1 if failed else 0


if __name__ == "__main__":
    run_script(main)
