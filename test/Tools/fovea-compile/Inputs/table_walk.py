#!/usr/bin/env python3
"""Prints a function whose score function reads a table of integers, at the entry that says where to read next.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: table_walk.py STEPS
"""
import sys

steps = int(sys.argv[1])
walk = "".join(f"""    %entry{n} = tensor.extract %table[%x{n}] : tensor<?xi32>
    %x{n + 1} = arith.index_cast %entry{n} : i32 to index
""" for n in range(steps)).replace("%x0]", "%j]")
print(f"""!t = tensor<?x?x?x64xf16>
func.func @walk(%q: !t, %k: !t, %v: !t, %o: !t, %table: tensor<?xi32>) -> !t {{
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {{
{walk}    %n = arith.index_cast %x{steps} : index to i64
    %f = arith.sitofp %n : i64 to f32
    %t = arith.addf %s, %f : f32
    attn.yield %t : f32
  }} outs(%o : !t)
  return %r : !t
}}""")
