"""Compares raised functions with the functions that they were raised from, on the CPU.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check_raising.py DIRECTORY TESTS
Each function of the lit tests TESTS that is raised, and of their exported inputs, is compiled as it is and after
attn-raise and attn-decompose, and called with the same arguments; those that become an attention op and nothing else are
also compiled by fovea-compile and run by fovea-run.
Prints one line for each difference and ends with 1 where there is one.
"""

import glob
import os
import re
import subprocess
import sys

import numpy as np

from buffers import STORAGE, call
from check_reference import UNIT, compile_module
from configurations import ONE_TASK, store
from model import bits_to_float

SIZES = {"B": 2, "I": 5, "J": 7}
# The dynamic dimensions of arguments, by name and number of them; results are like eo and er.
DYNAMIC = {("q", 2): "BI", ("q", 1): "I", ("k", 2): "BJ", ("k", 1): "J", ("v", 2): "BJ", ("v", 1): "J", ("es", 3): "BIJ",
           ("es", 2): "IJ", ("eo", 2): "BI", ("eo", 1): "I", ("er", 2): "BI", ("er1", 2): "BI", ("ei", 2): "BI",
           ("ei", 1): "I", ("ej", 1): "J", ("eb", 3): "BIJ", ("eb", 2): "IJ", ("eh", 3): "BIJ", ("keep", 3): "BIJ",
           ("bias", 3): "BIJ", ("tokens", 2): "BJ", ("bias", 2): "IJ", ("arg0", 1): "I", ("arg1", 1): "J", ("arg2", 1): "J"}
SCALARS = {"scale": 0.3, "slope": 0.1, "off": 1}
# Units of roundoff that the source's 16-bit weights (and scores of up to 8) cost; functions with rows that keep no key.
ROUNDED = {"weights_in_f16": 4, "weights_in_f16_fused": 4, "tosa": 4, "jax_window_bf16": 4, "torch_eager_f16": 12}
EMPTY_ROWS = ("any_key", "nan", "sum_is_zero", "sum_at_least_one", "fill_below_floor", "finite_maximum", "torch_mask")
# What becomes an attention op alone.
ALONE = ("torch_causal", "torch_mask", "torch_grouped", "torch_eager_f16", "two_batch_dims", "collapsed", "grouped_heads")
# What has no lowering of its own.
DECOMPOSITIONS = """module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %s = transform.structured.match ops{["linalg.softmax"]} in %m : (!transform.any_op) -> !transform.any_op
    %d = transform.structured.decompose_interface %s : (!transform.any_op) -> !transform.any_op
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %f {
      transform.apply_patterns.tensor.decompose_concat
    } : !transform.any_op
    transform.yield
  }
}
"""
# Tests of options, and of what is not raised; models, whose other code needs more than is lowered here.
LEFT_OUT = ("near-misses.mlir", "narrow-softmax.mlir", "move-scale.mlir", "model-bert.mlir", "model-llama.mlir",
            "model-vit.mlir")
TOSA_TO_LINALG = ("builtin.module(func.func(tosa-to-linalg-named,tosa-to-tensor,canonicalize,tosa-to-linalg,canonicalize,cse),"
                  "tosa-to-arith,canonicalize)")
FUNCTION = re.compile(r"^ *func\.func (?:public )?@(\w+)\((.*?)\) -> (.*?) \{\n(.*?)^ *\}\n(?=\Z|\s*(?:\}|//|func|$))", re.M | re.S)


class Tensor:
    """The type of an argument or result; a scalar has no shape."""

    def __init__(self, text, name, default):
        match = re.match(r"tensor<(.*x)?(\w+)>", text)
        self.element = match.group(2) if match else text
        self.shape = None
        if match:
            dims = (match.group(1) or "").split("x")[:-1]
            dynamic = DYNAMIC.get((name, dims.count("?")), default)
            letters = iter(dynamic)
            self.shape = tuple(SIZES[next(letters)] if dim == "?" else int(dim) for dim in dims)


class Function:
    def __init__(self, prefix, name, arguments, results, body, aliases):
        self.name = name if name not in ("attention", "main") else prefix
        names = re.findall(r"%(\w+): ([^,]+(?:<[^>]*>)?)", arguments)
        self.arguments = [(n, Tensor(t.strip(), n, "")) for n, t in names]
        results = re.sub(r"\{[^}]*\}", "", results).strip("() ")
        types = re.findall(r"tensor<[^>]*>", results)
        self.results = [Tensor(t, "", "BI" if t.count("?") > 1 else "I") for t in types]
        # Results are then never arguments.
        listed = ", ".join(f"%{n}: {t.strip()}" + " {bufferization.writable = false}" * t.startswith("tensor") for n, t in names)
        text = f"func.func @{self.name}({listed}) -> ({', '.join(types)}) {{\n{body}}}\n"
        self.text = re.sub(r"#(\w+)", lambda m: f"#{prefix}_{m.group(1)}" if m.group(1) in aliases else m.group(0), text)

    def make_arguments(self, rng):
        return [self.make_argument(rng, name, tensor) for name, tensor in self.arguments]

    def make_argument(self, rng, name, tensor):
        if tensor.shape is None:
            return SCALARS[name]
        array = np.zeros(tensor.shape, STORAGE[tensor.element])
        if tensor.element == "i1":
            array[...] = rng.random(tensor.shape) < 0.6
            array[..., 0] = 1
            if self.name in EMPTY_ROWS:
                array[..., 1, :] = 0
        elif self.name == "torch_lengths" and tensor.element == "i64":
            array[...] = [3, 8]
        elif name == "tokens":
            array[...] = rng.integers(0, 2, tensor.shape)
            array[..., 0] = 1
        elif tensor.element in ("f16", "bf16", "f32"):
            store(array, rng.standard_normal(tensor.shape), tensor.element)
        return array

    def run(self, library, values):
        """The results; destinations among the arguments may be written, so they are copied."""
        arguments = [(np.copy(v) if isinstance(v, np.ndarray) else v, t.element) for v, (_, t) in zip(values, self.arguments)]
        outputs = [np.zeros(t.shape, STORAGE[t.element]) for t in self.results]
        call(library, self.name, arguments + [(o, t.element) for o, t in zip(outputs, self.results)], 1)
        return [bits_to_float(o, t.element) for o, t in zip(outputs, self.results)]


def read_functions(path):
    prefix = os.path.basename(path)[:-5].replace("-", "_")
    with open(path) as file:
        text = file.read()
    if "tosa.matmul" in text:
        command = ["fovea-opt", "--pass-pipeline=" + TOSA_TO_LINALG]
        text = subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout
    # An assertion would print.
    lines = [line for line in text.splitlines(True) if not line.lstrip().startswith(("//", "cf.assert"))]
    text = "".join(lines)
    aliases = dict(re.findall(r"^#(\w+) = (.*)$", text, re.M))
    header = "".join(f"#{prefix}_{name} = {value}\n" for name, value in aliases.items())
    functions = [Function(prefix, *match, aliases) for match in FUNCTION.findall(text)]
    # Other code cannot be run; what returns its arguments has results of other sizes.
    return header, [f for f in functions if "call @" not in f.text and f.name != "keys_returned"]


def tolerance(function, values):
    """The rule of the semantics with bounds for the largest score and for A, for each of two computations."""
    arrays = {name: bits_to_float(v, t.element) for v, (name, t) in zip(values, function.arguments) if t.shape}
    q, k, v = list(arrays.values())[:3]
    longest = lambda array: np.sqrt((array**2).sum(-1)).max()
    smax = 0.3 * longest(q) * longest(k) + 8
    unit = 2.0**-24 * (8 + 8 * smax) + ROUNDED.get(function.name, 0) * UNIT[function.arguments[0][1].element]
    return 2 * (unit + UNIT[function.results[0].element]) * max(np.abs(v).max(), 1)


def compare(what, actual, expected, allowed):
    wrong = ~(np.abs(actual - expected) <= allowed)
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0])
        print(f"{what}: {wrong.sum()} of {wrong.size} differ, first at {at}: {actual[at]} for {expected[at]}")
    return int(wrong.any())


def compile_kernels(directory, name, text, passes):
    """The functions of a module as kernels of one task: results become arguments."""
    library = os.path.join(directory, "decompositions.mlir")
    with open(library, "w") as file:
        file.write(DECOMPOSITIONS)
    lower = ["--transform-preload-library=transform-library-paths=" + library, "--transform-interpreter",
             "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=fully-dynamic-layout-map",
             "--buffer-results-to-out-params=modify-public-functions"]
    memrefs = subprocess.run(["fovea-opt", *passes, *lower], input=text, check=True, capture_output=True, text=True).stdout
    kernel = f" attributes {{attn.launch = #attn.launch<grid = {ONE_TASK}>}} {{"
    kernels = re.sub(r"^( *func\.func @.*\)) \{$", lambda m: m.group(1) + kernel, memrefs, flags=re.M)
    return compile_module(directory, name, kernels, [], level=0)


def compile_alone(directory, header, functions):
    """An artifact of the functions that become an attention op."""
    source, raised, artifact = (os.path.join(directory, "alone." + end) for end in ("mlir", "raised.mlir", "fovea"))
    with open(source, "w") as file:
        file.write(header + "module {\n" + "".join(f.text for f in functions) + "}\n")
    subprocess.run(["fovea-opt", source, "--attn-raise", "--canonicalize", "-o", raised], check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["fovea-compile", raised, "-o", artifact], check=True)
    return artifact


def run_alone(directory, artifact, function, values):
    command = ["fovea-run", artifact, "--target=cpu", "--function=" + function.name]
    for number, (value, (name, tensor)) in enumerate(zip(values, function.arguments)):
        path = os.path.join(directory, f"{function.name}.{number}.npy")
        np.save(path, value.astype(bool) if tensor.element == "i1" else value)
        command.append("--arg=" + path)
    out = os.path.join(directory, function.name + ".out.npy")
    subprocess.run([*command, "--out=" + out], check=True, stdout=subprocess.DEVNULL)
    return np.load(out).astype(np.float64)


def check_closed_form(function, library, values):
    """K = 0 and V[j] = j / 128, causal: O[i] = i / 256."""
    values = [np.copy(value) for value in values]
    values[1][...] = 0
    values[2][...] = np.arange(SIZES["J"])[None, :, None] / 128
    expected = np.broadcast_to(np.arange(SIZES["I"])[None, :, None] / 256, function.results[0].shape)
    return compare("closed form", function.run(library, values)[0], expected, 2.0**-20)


def main(directory, tests):
    os.makedirs(directory, exist_ok=True)
    paths = [path for folder in (tests, os.path.join(tests, "Inputs")) for path in sorted(glob.glob(folder + "/*.mlir"))
             if os.path.basename(path) not in LEFT_OUT]
    header, functions = "", []
    for path in paths:
        more_header, more = read_functions(path)
        header, functions = header + more_header, functions + more
    text = header + "module {\n" + "".join(f.text for f in functions) + "}\n"
    source = compile_kernels(directory, "source", text, [])
    raised = compile_kernels(directory, "raised", text, ["--attn-raise", "--attn-decompose"])
    alone = [f for f in functions if f.name in ALONE]
    artifact = compile_alone(directory, header, alone)
    rng = np.random.default_rng(7)
    differences = 0
    for function in functions:
        values = function.make_arguments(rng)
        expected = function.run(source, values)
        allowed = tolerance(function, values)
        for actual, reference in zip(function.run(raised, values), expected):
            differences += compare(function.name, actual, reference, allowed)
        if function in alone:
            differences += compare(function.name + " by fovea-run", run_alone(directory, artifact, function, values),
                                   expected[0], allowed)
        if function.name == "base":
            differences += check_closed_form(function, raised, values)
    print(f"{len(functions)} functions, {len(alone)} of them by fovea-run, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
