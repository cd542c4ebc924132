#!/usr/bin/env python3
"""Prints a list of verified kernels with one module of the matrix as it is compiled now, of which the variant `any` ran.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: list_of_today.py SOURCE BIN_FOLDER SCRATCH
"""
import hashlib
import json
import os
import sys

source, tools, scratch = sys.argv[1:4]
sys.path.insert(0, os.path.join(source, "test", "Integration", "cases"))
from problem import Problem  # noqa: E402
from suite import Compiler, module_key  # noqa: E402

problem = Problem(dtype="f16", d=64)
compiler = Compiler(tools, scratch, ["sm_90a"], ["--emit=ptx"], 1)
assert compiler.compile_one(problem, False) is None
with open(compiler.path(problem), "rb") as file:
    ptx = hashlib.sha256(file.read() + b"\0").hexdigest()
print(json.dumps({"target": "sm_90a", "types": ["f16"],
                  "modules": {module_key(problem): {"ptx": ptx, "variants": ["any"]}}}))
