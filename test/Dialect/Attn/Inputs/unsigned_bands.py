#!/usr/bin/env python3
"""Canonicalises comparisons of a difference of positions with a constant, and compares the pairs that the attributes keep
which they became with those that the comparison keeps.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: unsigned_bands.py BIN_FOLDER
Prints how many comparisons there were, and how many became attributes.
"""
import itertools
import operator
import os
import subprocess
import sys

LENGTH, WRAP = 9, 1 << 64
PREDICATES = {"ult": operator.lt, "ule": operator.le, "ugt": operator.gt, "uge": operator.ge}
BOUNDS = (0, 1, 4, -1, -2, -4, (1 << 62) - 1, 1 << 62, -(1 << 62), (1 << 63) - 1, -(1 << 63))
SHIFTS = (0, 3, -(1 << 62) + 5)
MODULE = """
!t = tensor<1x1x%dx16xf32>
func.func @f(%%q: !t, %%k: !t, %%v: !t, %%init: !t) -> !t {
  %%shift = arith.constant %d : index
  %%bound = arith.constant %d : index
  %%o = attn.attention ins(%%q, %%k, %%v : !t, !t, !t) mask_mod(%%b, %%h, %%i, %%j) {
    %%d = arith.subi %s : index
    %%x = arith.addi %%d, %%shift : index
    %%c = arith.cmpi %s, %s : index
    attn.yield %%c : i1
  } outs(%%init : !t)
  return %%o : !t
}
"""


def run(*command, text):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def expected(difference, shift, compare, bound, bound_first):
    """The map of the pairs that arith keeps: 64 bits, wrapping around."""
    rows = []
    for i, j in itertools.product(range(LENGTH), repeat=2):
        x, c = ((i - j if difference == "%i, %j" else j - i) + shift) % WRAP, bound % WRAP
        rows.append("#" if (compare(c, x) if bound_first else compare(x, c)) else ".")
    return ["".join(rows[i * LENGTH:(i + 1) * LENGTH]) for i in range(LENGTH)]


def main():
    folder = sys.argv[1]
    count = recognised = 0
    choices = itertools.product(PREDICATES, ("%i, %j", "%j, %i"), SHIFTS, BOUNDS, (False, True))
    for predicate, difference, shift, bound, bound_first in choices:
        sides = "%bound, %x" if bound_first else "%x, %bound"
        module = MODULE % (LENGTH, shift, bound, difference, predicate, sides)
        canonical = run(os.path.join(folder, "fovea-opt"), "--canonicalize", text=module)
        count += 1
        if "mask_mod" in canonical:
            continue
        shown = run(os.path.join(folder, "fovea-mask"), "-", "--keys=%d" % LENGTH, "--block-m=1", "--block-n=1", text=canonical)
        assert shown.splitlines()[:LENGTH] == expected(difference, shift, PREDICATES[predicate], bound, bound_first), (
            module, canonical, shown)
        recognised += 1
    print("%d comparisons, %d became attributes" % (count, recognised))


main()
