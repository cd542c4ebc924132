#!/usr/bin/env python3
"""Prints a function in which a value is made of itself twice, many times over.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: shared_values.py KIND LEVELS
What walks over all paths to the first value takes 2**LEVELS steps. KIND says where the values are:

  score-index    a position that a score function adds to the score
  score          a score function that doubles the score
  load-index     the batch entry at which a mask function reads a tensor
  mask-operand   a boolean tensor, the mask operand
  mask-computed  the same, of positions
  offset         the diagonal, an index of the function
  raised-mask    the condition of a computation on tensors that is attention
  raised-index   a position that such a condition compares
"""
import sys

OP = """func.func @shared(%q: {t}, %k: {t}, %v: {t}, %o: {t}{arguments}) -> {t} {{
{before}  %r = attn.attention ins(%q, %k, %v : {t}, {t}, {t}) {clauses} outs(%o : {t})
  return %r : {t}
}}"""

RAISED = """#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
func.func @shared(%q: {t}, %k: {t}, %v: {t}, %es: {s}, %eo: {o}, %n: index) -> {o} {{
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %s0 = linalg.fill ins(%zero : f32) outs(%es : {s}) -> {s}
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : {t}, {t}) outs(%s0 : {s}) -> {s}
  %t = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}} ins(%s : {s})
      outs(%es : {s}) {{
  ^bb0(%x: f32, %y: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
{body}    %c = arith.select %keep, %x, %ninf : f32
    linalg.yield %c : f32
  }} -> {s}
  %p = linalg.softmax dimension(2) ins(%t : {s}) outs(%es : {s}) -> {s}
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : {o}) -> {o}
  %r = linalg.batch_matmul ins(%p, %v : {s}, {t}) outs(%o0 : {o}) -> {o}
  return %r : {o}
}}"""


def repeat(levels, line):
    """`line` for each level, with the names of the value before, {a}, and of the next one, {b}."""
    return "".join("  " + line.format(a=f"%x{n}", b=f"%x{n + 1}", n=n) + "\n" for n in range(levels))


def attention(clauses, before="", arguments=""):
    return OP.format(t="tensor<?x?x?x64xf16>", clauses=clauses, before=before, arguments=arguments)


def raised(body):
    return RAISED.format(t="tensor<?x?x64xf16>", s="tensor<?x?x?xf32>", o="tensor<?x?x64xf32>", body=body)


def score_index(levels):
    index = "%x0 = arith.addi %j, %i : index\n" + repeat(levels, "{b} = arith.addi {a}, {a} : index")
    end = f"""%n = arith.index_cast %x{levels} : index to i64
    %f = arith.sitofp %n : i64 to f32
    %t = arith.addf %s, %f : f32
    attn.yield %t : f32"""
    return attention(f"score_mod(%s, %b, %h, %i, %j) {{\n  {index}  {end} }}")


def score(levels):
    first = "%x0 = arith.addf %s, %s : f32\n" + repeat(levels, "{b} = arith.addf {a}, {a} : f32")
    return attention(f"scale(1.0) score_mod(%s, %b, %h, %i, %j) {{\n  {first}  attn.yield %x{levels} : f32 }}")


def load_index(levels):
    index = "%x0 = arith.remui %b, %n : index\n" + repeat(levels, "{b} = arith.muli {a}, {a} : index")
    end = f"""%last = arith.remui %x{levels}, %n : index
    %l = memref.load %table[%last, %j] : memref<?x?xi32>
    %m = memref.load %table[%last, %i] : memref<?x?xi32>
    %keep = arith.cmpi eq, %l, %m : i32
    attn.yield %keep : i1"""
    memref = attention(f"mask_mod(%b, %h, %i, %j) {{\n  {index}  {end} }}", arguments=", %table: tensor<?x?xi32>, %n: index")
    return memref.replace("memref.load", "tensor.extract").replace("memref<?x?xi32>", "tensor<?x?xi32>")


def mask_operand(levels):
    mask = "tensor<1x1x?x?xi1>"
    first = f"  %x0 = arith.xori %mask, %other : {mask}\n"
    lines = repeat(levels, "%y{n} = arith.ori {a}, %other : " + mask + "\n  {b} = arith.xori {a}, %y{n} : " + mask)
    return attention(f"mask(%x{levels} : {mask})", first + lines, f", %mask: {mask}, %other: {mask}")


def mask_computed(levels):
    mask = "tensor<1x1x?x?xi1>"
    computed = f"""  %e = tensor.empty(%n, %n) : {mask}
  %mask = linalg.generic {{indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}} outs(%e : {mask}) {{
  ^bb0(%x: i1):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %c = arith.cmpi ne, %j, %i : index
    linalg.yield %c : i1
  }} -> {mask}
"""
    text = mask_operand(levels).replace(f", %mask: {mask}", ", %n: index")
    return text.replace("{\n", "{\n" + computed, 1)


def offset(levels):
    lines = "  %x0 = arith.muli %n, %m : index\n" + repeat(levels, "{b} = arith.muli {a}, {a} : index")
    return attention(f"causal(%x{levels} : index)", lines, ", %n: index, %m: index")


def raised_mask(levels):
    first = "    %x0 = arith.cmpi sle, %j, %i : index\n    %limit = arith.cmpi sle, %i, %n : index\n"
    lines = repeat(levels, "%z{n} = arith.andi {a}, %limit : i1\n  {b} = arith.andi {a}, %z{n} : i1")
    return raised(first + lines + f"    %keep = arith.andi %x{levels}, %limit : i1\n")


def raised_index(levels):
    lines = "    %x0 = arith.addi %j, %n : index\n" + repeat(levels, "{b} = arith.addi {a}, {a} : index")
    return raised(lines + f"    %keep = arith.cmpi sle, %x{levels}, %i : index\n")


KINDS = [score_index, score, load_index, mask_operand, mask_computed, offset, raised_mask, raised_index]

if __name__ == "__main__":
    kinds = {kind.__name__.replace("_", "-"): kind for kind in KINDS}
    print(kinds[sys.argv[1]](int(sys.argv[2])))
