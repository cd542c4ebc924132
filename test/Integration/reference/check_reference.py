"""Checks the reference against an independent model on random small configurations.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check_reference.py DIRECTORY COUNT [SEED]
Compiles and runs, for each configuration, attn-decompose in f32 and f64 and the judge, and as often attn.combine; fovea-opt and fovea-cpu-emit are
found on the path. Prints one line for each difference and ends with 1 where there is one.
"""

import ctypes
import os
import subprocess
import sys

import numpy as np

import model
from buffers import call, strided
from configurations import ONE_TASK, Configuration, bits_to_float

UNIT = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8, "f64": 0.0}
SMALLEST = {"f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133, "f64": 0.0}


def compile_module(directory, name, text, passes, level):
    source = os.path.join(directory, name + ".mlir")
    lowered, library = source + ".llvm", os.path.join(directory, name + ".so")
    with open(source, "w") as file:
        file.write(text)
    subprocess.run(["fovea-opt", source, *passes, "--attn-cpu-to-llvm", "-o", lowered], check=True)
    subprocess.run(["fovea-cpu-emit", lowered, "--allow-libm", f"--opt-level={level}", "-o", library], check=True)
    return ctypes.CDLL(library)


class Checker:
    def __init__(self):
        self.differences = 0

    def compare(self, what, actual, expected, tolerance):
        """Non-finite values must be the same; finite ones at most `tolerance` apart."""
        same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
        with np.errstate(invalid="ignore"):
            near = np.isfinite(actual) & np.isfinite(expected) & (np.abs(actual - expected) <= tolerance)
        wrong = np.argwhere(~(same | near))
        if len(wrong):
            at = tuple(wrong[0])
            self.differences += 1
            print(f"{what}: {len(wrong)} of {actual.size} differ, first at {at}: {actual[at]} for {expected[at]}")


def row_tolerance(case, expected):
    """Per row, the part of the contract's tolerance that A multiplies, for f32 arithmetic. The contract speaks of the
    score alone; the inputs here are also such that a dot product cancels, and its error follows the sum of |q k|."""
    tolerance = 2.0**-24 * (8 + 8 * expected["smax"] + np.sqrt(case["Skv"]))
    if case["k"].size == 0:
        return tolerance
    group = case["Hq"] // case["Hkv"]
    sizes = np.einsum("bhid,bhjd->bhij", np.abs(case["q"]), np.abs(np.repeat(case["k"], group, 1)))
    sizes = np.where(np.isfinite(sizes), sizes, 0).max(-1)
    return tolerance + 2.0**-24 * (2 + np.sqrt(case["Dqk"])) * abs(case["scale"]) * sizes


def check_judge(checker, configuration, library, name):
    case = configuration.case
    expected = model.attention(case)
    shape = expected["o"].shape
    outputs = [np.full(shape, 7.0), np.full(shape[:3], 7.0), np.full(shape, 7.0), np.full(shape[:3], 7.0),
               np.full(shape, 7.0)]
    arguments = [(a.value, a.element) for a in configuration.arguments()] + [(o, "f64") for o in outputs]
    call(library, f"{name}_judge0", arguments, case["B"] * case["Hq"] * ((case["Sq"] + 15) // 16))
    tiny = 1e-13 * (1 + expected["smax"])
    scale = expected["a"] * (1e-13 + tiny[..., None])
    checker.compare(f"{name} judge O", outputs[0], expected["o"], scale)
    checker.compare(f"{name} judge LSE", outputs[1], expected["lse"], 2 * tiny)
    checker.compare(f"{name} judge A", outputs[2], expected["a"], scale)
    checker.compare(f"{name} judge smax", outputs[3], expected["smax"], tiny)
    # A value near a tie may round to either side: one unit of P and of O.
    steps = 2 * UNIT[case["dtype"]] * (case["dtype"] != "f32") + 2 * UNIT[case["out_dtype"]] * (case["out_dtype"] != "f32")
    smallest = SMALLEST[case["dtype"]] * np.nansum(np.abs(np.where(np.isfinite(case["v"]), case["v"], 0)))
    checker.compare(f"{name} judge rounded", outputs[4], expected["rounded"],
                    scale + steps * expected["a"] / 64 + steps * np.abs(expected["rounded"]) + smallest)
    return expected


def check_results(checker, configuration, name, kind, expected, rows):
    """Compares the destinations with the model; `rows` is the part of the tolerance that A multiplies."""
    case = configuration.case
    rows = rows + 1e-12 * (1 + expected["smax"])
    out = configuration.destinations["o"]
    o = model.round_to(expected["o"], case["out_dtype"])
    unit, smallest = UNIT[case["out_dtype"]], SMALLEST[case["out_dtype"]]
    checker.compare(f"{name} {kind} O", bits_to_float(out.value, out.element), o,
                    (rows[..., None] + 2 * unit) * expected["a"] + 2 * unit * np.abs(o) + smallest)
    if "lse" in configuration.destinations:
        lse = configuration.destinations["lse"].value.astype(np.float64)
        with np.errstate(invalid="ignore"):
            tolerance = rows + 2.0**-23 * np.abs(np.where(np.isfinite(expected["lse"]), expected["lse"], 0))
        checker.compare(f"{name} {kind} LSE", lse, expected["lse"], tolerance)


def check_decomposed(checker, configuration, library, name, expected, is_f64):
    case = configuration.case
    for destination in configuration.destinations.values():
        destination.value[...] = 7
    arguments = [(a.value, a.element) for a in [*configuration.arguments(), *configuration.destinations.values()]]
    call(library, name, arguments, 1)
    rows = np.zeros(expected["smax"].shape) if is_f64 else row_tolerance(case, expected)
    check_results(checker, configuration, name, "f64" if is_f64 else "f32", expected, rows)


class Combination:
    """A random attn.combine, as arrays and as a kernel function."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        sizes = [int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, 5, 4)]
        self.outputs = strided(rng, (*sizes, 6), "f32", True)
        self.lses = strided(rng, tuple(sizes), "f32", True)
        self.outputs[...] = rng.standard_normal(self.outputs.shape)
        self.lses[...] = np.where(rng.random(sizes) < 0.4, -np.inf, rng.standard_normal(sizes) * 30)
        # What an empty part holds has no effect.
        if all(stride != 0 for stride in self.outputs.strides + self.lses.strides):
            self.outputs[self.lses == -np.inf] = np.nan
        self.sink = None if rng.random() < 0.5 else strided(rng, (sizes[2],), "f32", True)
        if self.sink is not None:
            self.sink[...] = np.where(rng.random(sizes[2]) < 0.3, -np.inf, rng.standard_normal(sizes[2]))
        self.o = strided(rng, (*sizes[1:], 6), "f32", False)
        self.lse = strided(rng, tuple(sizes[1:]), "f32", False)

    def kernel_function(self, name):
        memref = lambda rank, last="?": f"memref<{'?x' * (rank - 1)}{last}xf32, strided<[{', '.join('?' * rank)}], offset: ?>>"
        sink = "" if self.sink is None else f"%sink: {memref(1)}, "
        clause = "" if self.sink is None else f"sink(%sink : {memref(1)})"
        return (f"func.func @{name}(%os: {memref(5, 6)}, %lses: {memref(4)}, {sink}%o: {memref(4, 6)}, %lse: {memref(3)})"
                f" attributes {{attn.launch = #attn.launch<grid = {ONE_TASK}>}} {{\n"
                f"attn.combine ins(%os, %lses : {memref(5, 6)}, {memref(4)}) {clause}"
                f" outs(%o, %lse : {memref(4, 6)}, {memref(3)})\nreturn\n}}\n")

    def check(self, checker, library, name, kind):
        arrays = [self.outputs, self.lses, *([] if self.sink is None else [self.sink]), self.o, self.lse]
        call(library, name, [(array, "f32") for array in arrays], 1)
        sink = None if self.sink is None else self.sink.astype(np.float64)
        o, lse = model.combine(self.outputs.astype(np.float64), self.lses.astype(np.float64), sink)
        checker.compare(f"{name} {kind} O", self.o.astype(np.float64), o, 2.0**-24 * (8 + 2 * 200))
        checker.compare(f"{name} {kind} LSE", self.lse.astype(np.float64), lse, 2.0**-24 * 200)


def main(directory, count, seed=0):
    os.makedirs(directory, exist_ok=True)
    configurations = {f"c{n}": Configuration(n) for n in range(int(seed), int(seed) + int(count))}
    host = "".join(c.host_function(name) for name, c in configurations.items())
    combinations = {f"combine{n}": Combination(n) for n in range(int(seed), int(seed) + int(count))}
    kernels = "".join(c.kernel_function(name) for name, c in {**configurations, **combinations}.items())
    judge = compile_module(directory, "judge", host, ["--attn-cpu-judge=erase-functions"], level=1)
    decomposed = {
        # Optimised code of known sizes is unrolled at length; these problems are small.
        kind: compile_module(directory, kind, kernels, [f"--attn-decompose=compute-type={kind}"], level=0)
        for kind in ("f32", "f64")
    }
    checker = Checker()
    with np.errstate(all="ignore"):
        for name, configuration in configurations.items():
            expected = check_judge(checker, configuration, judge, name)
            for kind, library in decomposed.items():
                check_decomposed(checker, configuration, library, name, expected, kind == "f64")
        for name, combination in combinations.items():
            for kind, library in decomposed.items():
                combination.check(checker, library, name, kind)
    print(f"{count} configurations, {checker.differences} differences")
    return 1 if checker.differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
