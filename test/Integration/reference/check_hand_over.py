"""Checks modules with kernels handed over to the CPU against an independent model on random small configurations.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check_hand_over.py DIRECTORY COUNT [SEED]
All configurations are functions of one module, half of them on tensors; attn-hand-over runs before or after bufferization. fovea-opt and
fovea-cpu-emit are found on the path. Prints one line for each difference and ends with 1 where there is one.
"""

import ctypes
import os
import subprocess
import sys

import numpy as np

import model
from buffers import words_of
from check_reference import Checker, check_results, row_tolerance
from configurations import Configuration

HAND_OVER = "--attn-hand-over=threads=3 strict"
BUFFERIZE = "--one-shot-bufferize"
LOWER = ["--canonicalize", "--cse", "--attn-cpu-expand-ops", "--convert-linalg-to-loops", "--expand-strided-metadata",
         "--lower-affine", "--convert-scf-to-cf", "--convert-to-llvm", "--reconcile-unrealized-casts"]


def compile_module(directory, name, text, passes):
    source, library = os.path.join(directory, name + ".mlir"), os.path.join(directory, name + ".so")
    with open(source, "w") as file:
        file.write(text)
    subprocess.run(["fovea-opt", source, *passes, *LOWER, "-o", source + ".llvm"], check=True)
    subprocess.run(["fovea-cpu-emit", source + ".llvm", "--opt-level=1", "-o", library], check=True)
    return ctypes.CDLL(library)


def call(library, name, arguments):
    """Calls a function by MLIR's C interface: memrefs by pointers to their descriptors."""
    values = []
    for argument in arguments:
        if argument.shape is not None:
            words = [word & (2**64 - 1) for word in words_of(argument.value, argument.element)]
            values.append((ctypes.c_uint64 * len(words))(*words))
        else:
            values.append((ctypes.c_float if argument.element == "f32" else ctypes.c_int64)(argument.value))
    getattr(library, "_mlir_ciface_" + name)(*values)


def main(directory, count, seed=0):
    os.makedirs(directory, exist_ok=True)
    configurations = {f"c{n}": Configuration(n) for n in range(int(seed), int(seed) + int(count))}
    text = "".join(c.memref_function(name, "llvm.emit_c_interface") for name, c in configurations.items())
    libraries = {"before": compile_module(directory, "before", text, [HAND_OVER, BUFFERIZE]),
                 "after": compile_module(directory, "after", text, [BUFFERIZE, HAND_OVER])}
    checker = Checker()
    with np.errstate(all="ignore"):
        for name, configuration in configurations.items():
            expected = model.attention(configuration.case)
            for order, library in libraries.items():
                for destination in configuration.destinations.values():
                    destination.value[...] = 7
                call(library, name, [*configuration.arguments(), *configuration.destinations.values()])
                check_results(checker, configuration, name, order, expected, row_tolerance(configuration.case, expected))
    print(f"{count} configurations, {checker.differences} differences")
    return 1 if checker.differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
