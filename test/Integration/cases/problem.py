"""One attention problem: the IR text of its function, and what its regions mean.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses
from typing import Optional, Tuple

import numpy as np

# A region: captured values as (name, type) and the lines of its body. {get:NAME:TYPE:i} reads element i of a capture.
SCORE_MODS = {
    "softcap": ([], ["%cap = arith.constant 2.0 : f32", "%r = arith.divf %s, %cap : f32", "%t = math.tanh %r : f32",
                     "%y = arith.mulf %t, %cap : f32"]),
    "alibi": ([("slopes", "?xf32"), ("off", "index")],
              ["{get:slope:slopes:%h}", "%io = arith.addi %i, %off : index", "%n = arith.subi %io, %j : index",
               "%n64 = arith.index_cast %n : index to i64", "%x = arith.sitofp %n64 : i64 to f32",
               "%p = arith.mulf %slope, %x : f32", "%y = arith.subf %s, %p : f32"]),
    # Slopes 2^-(h+1) computed from the head.
    "alibi_computed": ([("off", "index")],
                       ["%c1 = arith.constant 1 : index", "%h1 = arith.addi %h, %c1 : index",
                        "%hi = arith.index_cast %h1 : index to i64", "%hf = arith.sitofp %hi : i64 to f32",
                        "%hn = arith.negf %hf : f32", "%slope = math.exp2 %hn : f32",
                        "%io = arith.addi %i, %off : index", "%n = arith.subi %io, %j : index",
                        "%n64 = arith.index_cast %n : index to i64", "%x = arith.sitofp %n64 : i64 to f32",
                        "%p = arith.mulf %slope, %x : f32", "%y = arith.subf %s, %p : f32"]),
    # A table of 32 learned values, by distance.
    "relative": ([("table", "32xf32")],
                 ["%c31 = arith.constant 31 : index", "%c0r = arith.constant 0 : index",
                  "%n = arith.subi %i, %j : index", "%n0 = arith.maxsi %n, %c0r : index",
                  "%n1 = arith.minsi %n0, %c31 : index", "{get:e:table:%n1}", "%y = arith.addf %s, %e : f32"]),
    # Slopes that the compiler knows.
    "alibi_constant": ([("off", "index")],
                       ["%slopes = arith.constant dense<[0.5, 0.25, 0.125, 0.0625]> : tensor<4xf32>",
                        "%slope = tensor.extract %slopes[%h] : tensor<4xf32>",
                        "%io = arith.addi %i, %off : index", "%n = arith.subi %io, %j : index",
                        "%n32 = arith.index_cast %n : index to i32", "%x = arith.sitofp %n32 : i32 to f32",
                        "%p = arith.mulf %slope, %x : f32", "%y = arith.subf %s, %p : f32"]),
    # A penalty for each head and distance.
    "alibi_table": ([("penalties", "?x?xf32"), ("off", "index")],
                    ["%io = arith.addi %i, %off : index", "%n = arith.subi %io, %j : index",
                     "%c0t = arith.constant 0 : index", "%n0 = arith.maxsi %n, %c0t : index",
                     "{get:p:penalties:%h, %n0}", "%y = arith.subf %s, %p : f32"]),
    # The bias operand, read by the region.
    "bias_of_key": ([("biases", "?xf32")], ["{get:e:biases:%j}", "%y = arith.addf %s, %e : f32"]),
}
MASK_MODS = {
    "causal": ([], ["%y = arith.cmpi sle, %j, %i : index"]),
    # (i mod 3 != 0) and (j < 10 + i)
    "thirds": ([], ["%c3 = arith.constant 3 : index", "%c10 = arith.constant 10 : index",
                    "%c0m = arith.constant 0 : index", "%r = arith.remui %i, %c3 : index",
                    "%a = arith.cmpi ne, %r, %c0m : index", "%n = arith.addi %i, %c10 : index",
                    "%l = arith.cmpi slt, %j, %n : index", "%y = arith.andi %a, %l : i1"]),
    # (j mod 64 < 8) and (i mod 3 != 0): half of the blocks of 32 keys have no pair.
    "stripes": ([], ["%c64 = arith.constant 64 : index", "%c8 = arith.constant 8 : index", "%c3 = arith.constant 3 : index",
                     "%c0m = arith.constant 0 : index", "%r = arith.remui %j, %c64 : index", "%a = arith.cmpi slt, %r, %c8 : index",
                     "%t = arith.remui %i, %c3 : index", "%l = arith.cmpi ne, %t, %c0m : index", "%y = arith.andi %a, %l : i1"]),
    # Query and key belong to the same document.
    "documents": ([("documents", "?x?xi32")],
                  ["{get:di:documents:%b, %i}", "{get:dj:documents:%b, %j}", "%y = arith.cmpi eq, %di, %dj : i32"]),
    "never": ([], ["%y = arith.constant false"]),
    # A boolean tensor, read by the region.
    "visible": ([("visible", "?x?xi1")], ["{get:y:visible:%i, %j}"]),
    "lengths": ([("lengths", "?xi32")],
                ["{get:n32:lengths:%b}", "%n = arith.index_cast %n32 : i32 to index", "%y = arith.cmpi slt, %j, %n : index"]),
    # Other words for causal.
    "causal_not": ([], ["%later = arith.cmpi sgt, %j, %i : index", "%true = arith.constant true",
                        "%y = arith.xori %later, %true : i1"]),
    "causal_difference": ([], ["%d = arith.subi %i, %j : index", "%c0d = arith.constant 0 : index",
                               "%y = arith.cmpi sge, %d, %c0d : index"]),
    "causal_unsigned": ([], ["%y = arith.cmpi uge, %i, %j : index"]),
    "causal_if": ([], ["%p = arith.cmpi sle, %j, %i : index", "%true = arith.constant true", "%false = arith.constant false",
                       "%y = scf.if %p -> (i1) {", "  scf.yield %true : i1", "} else {", "  scf.yield %false : i1", "}"]),
    "causal_i32": ([], ["%i32 = arith.index_cast %i : index to i32", "%j32 = arith.index_cast %j : index to i32",
                        "%y = arith.cmpi sle, %j32, %i32 : i32"]),
    # One list of documents for all batches, in 64 bits.
    "flat_documents": ([("flat", "?xi64")],
                       ["{get:di:flat:%i}", "{get:dj:flat:%j}", "%y = arith.cmpi eq, %di, %dj : i64"]),
    # Causal, and the first keys of a batch for all.
    "prefix": ([("prefix", "?xi32")],
               ["{get:p:prefix:%b}", "%p0 = arith.index_cast %p : i32 to index", "%l = arith.cmpi slt, %j, %p0 : index",
                "%c = arith.cmpi sle, %j, %i : index", "%y = arith.ori %l, %c : i1"]),
    # The 40 keys around a query, and the first 20 queries and keys.
    "local_global": ([], ["%c20 = arith.constant 20 : index", "%c40 = arith.constant 40 : index",
                          "%n = arith.subi %i, %j : index", "%d = math.absi %n : index",
                          "%l = arith.cmpi slt, %d, %c40 : index", "%first = arith.cmpi slt, %j, %c20 : index",
                          "%g = arith.cmpi slt, %i, %c20 : index", "%u = arith.ori %first, %g : i1",
                          "%y = arith.ori %l, %u : i1"]),
    # Every third key, up to 100 back.
    "dilated": ([], ["%c3 = arith.constant 3 : index", "%c0m = arith.constant 0 : index",
                     "%c100 = arith.constant 100 : index", "%n = arith.subi %i, %j : index",
                     "%r = arith.remsi %n, %c3 : index", "%e = arith.cmpi eq, %r, %c0m : index",
                     "%p = arith.cmpi sge, %n, %c0m : index", "%l = arith.cmpi sle, %n, %c100 : index",
                     "%a = arith.andi %e, %p : i1", "%y = arith.andi %a, %l : i1"]),
    # A table of blocks of 64, and one of pairs.
    "blocks": ([("blocks", "?x?xi1")],
               ["%c64 = arith.constant 64 : index", "%bi = arith.divui %i, %c64 : index",
                "%bj = arith.divui %j, %c64 : index", "{get:y:blocks:%bi, %bj}"]),
    "pairs": ([("pairs", "?x?xi1")], ["{get:y:pairs:%i, %j}"]),
    # Positions of lines of a width that the kernel learns: of the same line, or at most 9 apart in their lines.
    "lines": ([("width", "index")],
              ["%yi = arith.divui %i, %width : index", "%yj = arith.divui %j, %width : index",
               "%xi = arith.remui %i, %width : index", "%xj = arith.remui %j, %width : index",
               "%same = arith.cmpi eq, %yi, %yj : index", "%dx = arith.subi %xj, %xi : index",
               "%side = math.absi %dx : index", "%c9 = arith.constant 9 : index",
               "%near = arith.cmpi sle, %side, %c9 : index", "%y = arith.xori %same, %near : i1"]),
    "line_numbers": ([("width", "index")],
                     ["%yi = arith.divui %i, %width : index", "%yj = arith.divui %j, %width : index",
                      "%y = arith.cmpi ule, %yj, %yi : index"]),
}


def region_of(table, name):
    """(captures, body) of a region: by its name, or of one that brings both."""
    return table[name] if isinstance(name, str) else (list(name.captures.items()), name.lines)


@dataclasses.dataclass(frozen=True)
class Problem:
    """A function of one attention op. Dimensions are None where they are dynamic.

    `window` is (left, right), None for unbounded; `causal` and `window` share the diagonal: top_left, bottom_right,
    offset (a scalar) or offsets (one for each batch). `bias` and `mask` name the dimensions that are not broadcast, as
    "bhqk", "k" or "". Arguments stand in the order of `arguments`.
    """
    dtype: str = "f16"
    d: int = 64
    dv: Optional[int] = None
    b: Optional[int] = None
    hq: Optional[int] = None
    hkv: Optional[int] = None
    sq: Optional[int] = None
    skv: Optional[int] = None
    out: Optional[str] = None
    lse: bool = True
    scale: Optional[object] = None  # a number, or "argument"
    causal: bool = False
    diagonal: Optional[str] = None
    window: Optional[Tuple[Optional[int], Optional[int]]] = None
    bias: Optional[str] = None
    bias_type: str = "f32"
    mask: Optional[str] = None
    block_map: Optional[str] = None  # the dimensions among "bh" that it has
    map_block: Tuple[int, int] = (64, 64)
    sink: bool = False
    kv_lengths: Optional[str] = None  # i32 or i64
    base: bool = False
    score: Optional[object] = None  # a name, or a region of random_regions
    mask_mod: Optional[object] = None
    tf32: bool = False
    memref: bool = False
    prologue: Tuple[str, ...] = ()  # lines before the op
    computed: Tuple[str, ...] = ()  # arguments that these lines make

    def depth_v(self):
        return self.dv or self.d

    def out_type(self):
        return self.out or self.dtype

    # Types.

    def shaped(self, dims, element):
        """The type of an argument: a tensor, or a memref with any strides."""
        text = "x".join(["?" if dim is None else str(dim) for dim in dims] + [element])
        if not self.memref:
            return "tensor<%s>" % text
        strides = ", ".join(["?"] * len(dims))
        return "memref<%s, strided<[%s], offset: ?>>" % (text, strides)

    def broadcast_type(self, kept, element):
        sizes = {"b": self.b, "h": self.hq, "q": self.sq, "k": self.skv}
        return self.shaped([sizes[dim] if dim in kept else 1 for dim in "bhqk"], element)

    def captures(self):
        """Captured values of both regions, as name -> type, each once."""
        found = {}
        for table, name in ((SCORE_MODS, self.score), (MASK_MODS, self.mask_mod)):
            for capture, kind in (region_of(table, name)[0] if name else []):
                if kind == "index":
                    found[capture] = kind
                else:
                    *dims, element = kind.split("x")
                    found[capture] = self.shaped([None if dim == "?" else int(dim) for dim in dims], element)
        return found

    def arguments(self):
        """Arguments of the function in order, as name -> type, without destinations."""
        return {name: kind for name, kind in self.operands().items() if name not in self.computed}

    def operands(self):
        """The arguments, and what the lines before the op make in place of some."""
        types = {"q": self.shaped([self.b, self.hq, self.sq, self.d], self.dtype),
                 "k": self.shaped([self.b, self.hkv, self.skv, self.d], self.dtype),
                 "v": self.shaped([self.b, self.hkv, self.skv, self.depth_v()], self.dtype)}
        if self.scale == "argument":
            types["scale"] = "f32"
        if self.bias is not None:
            types["bias"] = self.broadcast_type(self.bias, self.bias_type)
        if self.mask is not None:
            types["mask"] = self.broadcast_type(self.mask, "i1")
        if self.block_map is not None:
            sizes = [-(-size // block) if size is not None else None
                     for size, block in zip((self.sq, self.skv), () if self.base else self.map_block)]
            types["block_map"] = self.shaped([self.b if "b" in self.block_map else 1, self.hq if "h" in self.block_map else 1] +
                                             (sizes or [None, None]), "i8")
        if self.sink:
            types["sink"] = self.shaped([self.hq], "f32")
        if self.kv_lengths:
            types["kv_lengths"] = self.shaped([self.b], self.kv_lengths)
        if self.diagonal == "offset":
            types["offset"] = "index"
        if self.diagonal == "offsets":
            types["offset"] = self.shaped([self.b], "i64")
        if self.base:
            types.update((name, "index") for name in ("b0", "h0", "i0", "j0"))
        types.update(self.captures())
        return types

    def destinations(self):
        types = {"out": self.shaped([self.b, self.hq, self.sq, self.depth_v()], self.out_type())}
        if self.lse:
            types["lse"] = self.shaped([self.b, self.hq, self.sq], "f32")
        return types

    # Text.

    def clauses(self, types):
        """The clauses of the op, each a line."""
        def typed(name, *values):
            return "%s(%s : %s)" % (name, ", ".join("%" + value for value in values),
                                    ", ".join(types[value] for value in values))
        diagonal = "%%offset : %s" % types["offset"] if "offset" in types else self.diagonal
        lines = [typed("ins", "q", "k", "v")]
        if self.scale is not None:
            lines.append("scale(%s)" % ("%scale" if self.scale == "argument" else "%e" % self.scale))
        if self.causal:
            lines.append("causal(%s)" % diagonal)
        if self.window:
            bounds = ", ".join("*" if bound is None else str(bound) for bound in self.window)
            lines.append("window(%s%s)" % (bounds, "" if self.causal else ", " + diagonal))
        lines += [typed(name, name) for name in ("bias", "mask", "sink", "kv_lengths") if name in types]
        if self.base:
            lines.append("base(%b0, %h0, %i0, %j0)")
        if self.block_map is not None:
            lines.append("block_map(%%block_map : %s, %d, %d)" % ((types["block_map"],) + tuple(self.map_block)))
        return lines

    def region(self, clause, arguments, body, result):
        """A region clause; `body` holds {get:...} for reads of captures."""
        lines = ["%s(%s) {" % (clause, arguments)]
        for line in body:
            if line.startswith("{get:"):
                name, capture, indices = line[5:-1].split(":")
                operation = "memref.load" if self.memref else "tensor.extract"
                line = "%%%s = %s %%%s[%s] : %s" % (name, operation, capture, indices, self.captures()[capture])
            lines.append("  " + line)
        return lines + ["  attn.yield %%y : %s" % result, "}"]

    def regions(self):
        lines = []
        if self.score:
            lines += self.region("score_mod", "%s, %b, %h, %i, %j", region_of(SCORE_MODS, self.score)[1], "f32")
        if self.mask_mod:
            lines += self.region("mask_mod", "%b, %h, %i, %j", region_of(MASK_MODS, self.mask_mod)[1], "i1")
        return lines

    def empty_destinations(self, types):
        """Tensor destinations as large as the query."""
        lines = ["%%dim%d = arith.constant %d : index" % (i, i) for i in range(3)]
        sizes = []
        for i, dim in enumerate((self.b, self.hq, self.sq)):
            if dim is None:
                lines.append("%%size%d = tensor.dim %%q, %%dim%d : %s" % (i, i, types["q"]))
                sizes.append("%%size%d" % i)
        for name, kind in self.destinations().items():
            lines.append("%%%s = tensor.empty(%s) : %s" % (name, ", ".join(sizes), kind))
        return lines

    def module(self):
        """The IR text."""
        types = self.operands()
        outs = self.destinations()
        attributes = " {allow_tf32}" if self.tf32 else ""
        destination = "outs(%s : %s)%s" % (", ".join("%" + name for name in outs), ", ".join(outs.values()), attributes)
        body = self.clauses(types) + self.regions() + [destination]
        signature = dict(self.arguments(), **outs) if self.memref else self.arguments()
        head = "func.func @f(%s)" % ", ".join("%%%s: %s" % item for item in signature.items())
        if self.memref:
            return "\n".join([head + " {", "  attn.attention"] + ["    " + line for line in body] + ["  return", "}", ""])
        results = ", ".join("%new_" + name for name in outs)
        kinds = ", ".join(outs.values())
        return "\n".join([head + " -> (%s) {" % kinds] + ["  " + line for line in [*self.empty_destinations(types), *self.prologue]] +
                         ["  %s = attn.attention" % results] + ["    " + line for line in body] +
                         ["  return %s : %s" % (results, kinds), "}", ""])


def apply_score_mod(name, s, positions, captured):
    """The score region on float64 scores; positions are (B, H, I, J) as broadcastable arrays."""
    if callable(name):
        return name(s, positions, captured)
    b, h, i, j = positions
    if name == "softcap":
        return 2.0 * np.tanh(s / 2.0)
    if name == "alibi":
        return s - captured["slopes"].astype(np.float64)[h] * (i + captured["off"] - j)
    if name == "alibi_constant":
        return s - np.array([0.5, 0.25, 0.125, 0.0625])[h] * (i + captured["off"] - j)
    if name == "alibi_table":
        return s - captured["penalties"].astype(np.float64)[h, np.maximum(i + captured["off"] - j, 0)]
    if name == "bias_of_key":
        return s + captured["biases"].astype(np.float64)[j]
    if name == "alibi_computed":
        return s - 2.0 ** -(h + 1.0) * (i + captured["off"] - j)
    if name == "relative":
        return s + captured["table"].astype(np.float64)[np.clip(i - j, 0, 31)]
    return s


def apply_mask_mod(name, positions, captured):
    """The mask region as a boolean array."""
    if callable(name):
        return name(positions, captured)
    b, h, i, j = positions
    if name and name.startswith("causal"):
        return j <= i
    if name == "visible":
        return captured["visible"][i, j]
    if name == "lengths":
        return j < captured["lengths"][b]
    if name == "thirds":
        return (i % 3 != 0) & (j < 10 + i)
    if name == "stripes":
        return (j % 64 < 8) & (i % 3 != 0)
    if name == "documents":
        documents = captured["documents"]
        return documents[b, np.minimum(i, documents.shape[1] - 1)] == documents[b, np.minimum(j, documents.shape[1] - 1)]
    if name == "flat_documents":
        return captured["flat"][i] == captured["flat"][j]
    if name == "prefix":
        return (j < captured["prefix"][b]) | (j <= i)
    if name == "local_global":
        return (abs(i - j) < 40) | (j < 20) | (i < 20)
    if name == "dilated":
        return ((i - j) % 3 == 0) & (i >= j) & (i - j <= 100)
    if name == "blocks":
        return captured["blocks"][i // 64, j // 64]
    if name == "pairs":
        return captured["pairs"][i, j]
    if name == "lines":
        width = captured["width"]
        return (i // width == j // width) ^ (abs(j % width - i % width) <= 9)
    if name == "line_numbers":
        return j // captured["width"] <= i // captured["width"]
    if name == "never":
        return np.zeros((1, 1, 1, 1), bool)
    return np.ones((1, 1, 1, 1), bool)
