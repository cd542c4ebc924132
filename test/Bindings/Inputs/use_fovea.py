#!/usr/bin/env python3
"""Uses every function of the Python module.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: use_fovea.py IN.mlir OUT.fovea
"""
import sys

import fovea

with open(sys.argv[1]) as file:
    text = file.read()
print("version", fovea.version())
assert "attn.plan = [" in fovea.run_pipeline(text, "builtin.module(canonicalize,attn-plan-pipeline{target=cpu})")
print("planned")
assert ".visible .entry" in fovea.emit(text, "ptx", target="sm_80")
assert "define " in fovea.emit(text, "llvm", opt_level=1)
assert fovea.emit(text, "obj")[:4] == b"\x7fELF"
print("ptx")
for call in (lambda: fovea.run_pipeline("abacus", "builtin.module()"),
             lambda: fovea.compile(text, targets="abacus"),
             lambda: fovea.compile(text, opt_level=7),
             lambda: fovea.compile(text, machine_code=True),
             lambda: fovea.compile(text, tuning="none"),
             lambda: fovea.compile(text, strategy="#attn.strategy<block_m = 0, block_n = 1>"),
             lambda: fovea.emit(text, "abacus"),
             lambda: fovea.run_pipeline(text, "builtin.module(attn-abacus)")):
    try:
        call()
    except fovea.Error as error:
        print("refused:", error)
    else:
        raise AssertionError("not refused")
assert "block_m = 8" in fovea.run_pipeline(
    text, "builtin.module(attn-plan-pipeline{strategy=#attn.strategy<block_m=8,block_n=32>})")
assert fovea.compile(text, strategy="#attn.strategy<block_m = 8, block_n = 32>") != fovea.compile(text)
artifact = fovea.compile(text, targets=["cpu", "sm_80"], reference="cpu")
assert artifact == fovea.compile(text, targets=["cpu", "sm_80"], reference="cpu")
with open(sys.argv[2], "wb") as file:
    file.write(artifact)
