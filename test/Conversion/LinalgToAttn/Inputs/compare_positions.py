#!/usr/bin/env python3
"""Raises a mask by each comparison of a query's and a key's position, and checks what was made of it.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: compare_positions.py FILE.mlir
Writes a module to FILE with a function for each predicate, order of the operands, side of the select that is the score,
type and source of positions, offset, sizes and fill; raises it and checks of each function that the op keeps the keys
that the source keeps. A finite fill must be a mask where sizes are known and each row keeps a key by a band along the
diagonal, and must not be one where a row may keep no key.
"""
import itertools
import operator
import re
import subprocess
import sys

HEAD = """#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (i)>
#column = affine_map<(b, i, j) -> (j)>
#one = affine_map<(i) -> (i)>
"""
FUNCTION = """func.func @{name}(%q: {Q}, %k: {K}, %v: {K}, %es: {S}, %eo: {Q}, %ei: {I}, %ej: {J}) -> {Q} {{
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : index
  %fill = arith.constant {fill} : f32
  %off = arith.constant {off} : {type}
  %s0 = linalg.fill ins(%zero : f32) outs(%es : {S}) -> {S}
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : {Q}, {K}) outs(%s0 : {S}) -> {S}
{positions}
  %t = linalg.generic {{indexing_maps = [{maps}#id], iterator_types = ["parallel", "parallel", "parallel"]}}
      ins({ins} : {types}) outs(%es : {S}) {{
  ^bb0({arguments}%o: f32):
{inline}
    %m = arith.addi %i, %off : {type}
    %c = arith.cmpi {predicate}, {compared} : {type}
    %y = arith.select %c, {selected} : f32
    linalg.yield %y : f32
  }} -> {S}
  %p = linalg.softmax dimension(2) ins(%t : {S}) outs(%es : {S}) -> {S}
  %o0 = linalg.fill ins(%zero : f32) outs(%eo : {Q}) -> {Q}
  %r = linalg.batch_matmul ins(%p, %v : {S}, {K}) outs(%o0 : {Q}) -> {Q}
  return %r : {Q}
}}
"""
IOTA = """  %{name} = linalg.generic {{indexing_maps = [#one], iterator_types = ["parallel"]}}
      outs({empty} : {vector}) {{
  ^bb0(%o: {type}):
    %n = linalg.index 0 : index
    {cast}
    linalg.yield %x : {type}
  }} -> {vector}
"""
COMPARE = {"le": operator.le, "lt": operator.lt, "ge": operator.ge, "gt": operator.gt}
PREDICATES = {sign + name: (sign, compare) for sign in "su" for name, compare in COMPARE.items()}
PREDICATES.update(eq=("s", operator.eq), ne=("s", operator.ne))
INFINITE, FINITE = "0xFF800000", "-3.0e38"
SIZES = [(8, 8), (4, 8), (8, 4), None]


def cast(to, result, source):
    if to == "index":
        return "%{0} = arith.addi %{1}, %none : index".format(result, source)
    return "%%%s = arith.index_cast %%%s : index to %s" % (result, source, to)


def write_function(name, predicate, is_key_first, is_score_first, kind, source, off, sizes, fill):
    rows, columns = sizes or ("?", "?")
    vectors = {"io": ("%ei", "tensor<%sx%s>" % (rows, kind), rows),
               "jo": ("%ej", "tensor<%sx%s>" % (columns, kind), columns)}
    S = "tensor<2x%sx%sxf32>" % (rows, columns)
    positions = inline = ""
    maps, ins, types, arguments = "#id, ", "%s", S, "%x: f32, "
    if source == "index":
        inline = "    %i0 = linalg.index 1 : index\n    %j0 = linalg.index 2 : index\n"
        inline += "    %s\n    %s" % (cast(kind, "i", "i0"), cast(kind, "j", "j0"))
    else:
        for vector, (empty, full_type, count) in vectors.items():
            if source == "iota":
                positions += IOTA.format(name=vector, empty=empty, vector=full_type, type=kind,
                                         cast=cast(kind, "x", "n"))
            else:
                numbers = ", ".join(map(str, range(count)))
                positions += "  %%%s = arith.constant dense<[%s]> : %s\n" % (vector, numbers, full_type)
        maps, ins = maps + "#row, #column, ", ins + ", %io, %jo"
        arguments += "%%i: %s, %%j: %s, " % (kind, kind)
        types += ", %s, %s" % (vectors["io"][1], vectors["jo"][1])
    return FUNCTION.format(
        name=name, Q="tensor<2x%sx16xf32>" % rows, K="tensor<2x%sx16xf32>" % columns, S=S, I=vectors["io"][1],
        J=vectors["jo"][1], fill=fill, off=off, type=kind, positions=positions, maps=maps, ins=ins, types=types,
        arguments=arguments, inline=inline, predicate=predicate, compared="%j, %m" if is_key_first else "%m, %j",
        selected="%x, %fill" if is_score_first else "%fill, %x")


def keeps(predicate, is_key_first, is_score_first, off, row, column):
    sign, compare = PREDICATES[predicate]
    bound = row + off
    if sign == "u" and bound < 0:
        bound += 2 ** 64
    result = compare(column, bound) if is_key_first else compare(bound, column)
    return result == is_score_first


def read_band(clause, rows, columns):
    """The kept pairs of an op with causal or window clauses, None for other ones."""
    if "_mod" in clause:
        return None
    number = r"(top_left|%c(-?\d+)(?:_\d+)? : index)"
    off = re.search(r"\(%s\)|, %s\)" % (number, number), clause)
    if not off:
        assert "causal" not in clause and "window" not in clause, clause
        return [[True] * columns for _ in range(rows)]
    distance = int(off.group(2) or off.group(4) or 0)
    window = re.search(r"window\((\d+|\*), (\d+|\*)", clause)
    left = columns + rows if not window or window.group(1) == "*" else int(window.group(1))
    right = 0 if "causal" in clause else columns + rows if window.group(2) == "*" else int(window.group(2))
    return [[i + distance - left <= j <= i + distance + right for j in range(columns)] for i in range(rows)]


def check(case, clause):
    predicate, is_key_first, is_score_first, _, _, off, sizes, fill = case
    rows, columns = sizes or (8, 8)
    kept = [[keeps(predicate, is_key_first, is_score_first, off, i, j) for j in range(columns)] for i in range(rows)]
    every_row = all(map(any, kept))
    if "score_mod" not in clause:
        band = read_band(clause, rows, columns)
        assert band in (None, kept), "keeps other keys: %s" % clause
        assert fill == INFINITE or every_row, "a fill that is no mask became one: %s" % clause
        return band is not None
    assert fill == FINITE, "a mask is in the score: %s" % clause
    # Where one key is left out no key is kept by all rows. Numbers without a sign are large where they are negative.
    is_hole = predicate in ("eq", "ne") and (predicate == "ne") == is_score_first
    is_wrapped = PREDICATES[predicate][0] == "u" and off < 0
    assert not sizes or not every_row or is_hole or is_wrapped, "a mask stays in the score"
    return False


def main(path):
    cases = [case for case in itertools.product(PREDICATES, (True, False), (True, False), ("index", "i32", "i64"),
                                                ("index", "iota", "constant"), (0, 2, -2), SIZES, (INFINITE, FINITE))
             if case[4] != "constant" or case[6]]
    with open(path, "w") as file:
        file.write(HEAD + "".join(write_function("f%d" % n, *case) for n, case in enumerate(cases)))
    output = subprocess.run(["fovea-opt", path, "--attn-raise", "--canonicalize"], check=True, capture_output=True,
                            text=True).stdout
    bodies = dict(re.findall(r"func\.func @(f\d+)\(.*?\n(.*?)\n  }\n", output, re.S))
    bands = 0
    for n, case in enumerate(cases):
        clauses = re.findall(r"attn\.attention ins\([^)]*\)(.*?) outs", bodies["f%d" % n], re.S)
        try:
            assert len(clauses) == 1, "%d ops" % len(clauses)
            bands += check(case, clauses[0])
        except AssertionError as error:
            sys.exit("@f%d %s: %s" % (n, case, error))
    print("%d comparisons, %d became causal or window" % (len(cases), bands))


if __name__ == "__main__":
    main(sys.argv[1])
