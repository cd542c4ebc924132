#!/usr/bin/env python3
"""Prints a list of verified kernels with one module of the matrix as it is compiled now, of which the variant `any` ran.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: list_of_today.py SOURCE BIN_FOLDER SCRATCH
"""
import json
import os
import sys

source, tools, scratch = sys.argv[1:4]
sys.path[:0] = [os.path.join(source, "test", "Integration", "cases"), os.path.join(source, "tools", "hardware")]
from fovea import Runtime  # noqa: E402
from problem import Problem  # noqa: E402
from suite import Compiler, module_key  # noqa: E402

problem = Problem(dtype="f16", d=64)
compiler = Compiler(tools, scratch, ["sm_90a"], [], 1)
assert compiler.compile_one(problem, False) is None
runtime = Runtime(os.path.join(tools, "..", "lib", "libfovea_runtime.so"))
hashes = runtime.load(compiler.path(problem)).variant_hashes()
print(json.dumps({"target": "sm_90a", "types": ["f16"], "modules": {module_key(problem): {"kernels": {"any": hashes["any"]}}}}))
