#!/usr/bin/env python3
"""Prints a function of many numbers, tensors or ops.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: many.py NUMBERS TENSORS OPS
Every op of a chain adds NUMBERS captured numbers and elements of TENSORS captured tensors of rank 8 to its scores.
"""
import sys

numbers, tensors, ops = map(int, sys.argv[1:])
T, CAPTURE = "tensor<1x1x?x16xf32>", "tensor<?x?x?x?x?x?x?x?xf32>"
arguments = ["%%n%d: f32" % i for i in range(numbers)] + ["%%t%d: %s" % (i, CAPTURE) for i in range(tensors)]
print("func.func @f(%s) -> %s {" % (", ".join("%%%s: %s" % (name, T) for name in "qkv") + "".join(", " + a for a in arguments), T))
print("  %%c2 = arith.constant 2 : index\n  %%n = tensor.dim %%q, %%c2 : %s\n  %%init = tensor.empty(%%n) : %s" % (T, T))
added = ["    %%s%d = arith.addf %%s%d, %%n%d : f32\n" % (i + 1, i, i) for i in range(numbers)]
added += ["    %%e%d = tensor.extract %%t%d[%s] : %s\n    %%s%d = arith.addf %%s%d, %%e%d : f32\n" %
          (i, i, ", ".join(["%b"] * 8), CAPTURE, numbers + i + 1, numbers + i, i) for i in range(tensors)]
for op in range(ops):
    print("  %%o%d = attn.attention ins(%s, %%k, %%v : %s, %s, %s)" % (op, "%%o%d" % (op - 1) if op else "%q", T, T, T))
    print("    score_mod(%%s0, %%b, %%h, %%i, %%j) {\n%s    attn.yield %%s%d : f32\n    } outs(%%init : %s)" %
          ("".join(added), len(added), T))
print("  return %%o%d : %s\n}" % (ops - 1, T))
