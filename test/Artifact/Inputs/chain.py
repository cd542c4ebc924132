#!/usr/bin/env python3
"""Prints a function of two ops, the second of which has as many queries as 2^LEVELS sums of one number make.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: chain.py LEVELS
"""
import sys

levels = int(sys.argv[1])
sums = "".join("  %%x%d = arith.addi %%x%d, %%x%d : index\n" % (i + 1, i, i) for i in range(levels))
print("""!t = tensor<1x1x?x16xf32>
func.func @f(%%q: !t, %%k: !t, %%v: !t, %%m: index) -> !t {
  %%c2 = arith.constant 2 : index
  %%n = tensor.dim %%q, %%c2 : !t
  %%x0 = arith.muli %%n, %%m : index
%s  %%first = tensor.empty(%%x%d) : !t
  %%second = tensor.empty(%%x%d) : !t
  %%a = attn.attention ins(%%q, %%k, %%v : !t, !t, !t) outs(%%first : !t)
  %%b = attn.attention ins(%%a, %%k, %%v : !t, !t, !t) causal(top_left) outs(%%second : !t)
  return %%b : !t
}""" % (sums, levels, levels))
