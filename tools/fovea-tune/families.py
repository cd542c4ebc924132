"""Attention problems for fovea-tune: families, which share a kernel, and the sizes to time them at.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses

from jsonfile import JsonError, integer, listed, one_of, read_json, record, text

TYPES, MASKS, FEATURES = ("bf16", "f16"), ("full", "causal", "window"), ("plain", "linear", "bias", "table", "score", "lse")


class TuneError(Exception):
    """Something that the user can put right; its text is one line."""


@dataclasses.dataclass
class Family:
    """What one kernel is compiled for. `sizes`: [B, Hq, Hkv, Sq, Skv]. `spaces`: sets of ranges of strategies, each of which
    replaces default ones. `window`: keys that a query sees under mask "window", its own and those before it."""
    type: str
    qk_depth: int
    v_depth: int
    mask: str = "full"
    feature: str = "plain"
    window: int = 0
    sizes: list = dataclasses.field(default_factory=list)
    spaces: list = dataclasses.field(default_factory=lambda: [{}])

    def name(self):
        depth = "d%d" % self.qk_depth if self.qk_depth == self.v_depth else "d%dv%d" % (self.qk_depth, self.v_depth)
        mask = "window%d" % self.window if self.mask == "window" else self.mask
        return "_".join([self.type, depth, mask] + ([self.feature] if self.feature != "plain" else []))

    def pairs(self, size):
        """Pairs of query and key that the mask leaves, the diagonal from the top left."""
        _, _, _, queries, keys = size
        if self.mask == "full":
            return queries * keys
        window = self.window if self.mask == "window" else queries
        return sum(max(0, min(i + 1, keys) - max(0, i + 1 - window)) for i in range(queries))

    def flops(self, size):
        return 2 * self.pairs(size) * (self.qk_depth + self.v_depth) * size[0] * size[1]


# What a strategy may vary in, and the values that it may have there.
SPACES = {"warps": one_of(4, 8, 12), "block_n": integer(16, 256), "stages": integer(1, 64),
          "rescale": one_of("always", "lazy", "optimistic"), "cluster": integer(1, 16), "pingpong": one_of(False, True),
          "score_part": integer(0, 1024), "row_sums": one_of("add", "product"), "interleave": one_of(False, True),
          "min_blocks": integer(1, 4), "carry_scores": one_of(False, True), "longest_first": one_of(False, True)}
DEPTH = integer(1, 256)
COUNT = integer(0, 2 ** 31)
PROBLEM = record({"type": one_of(*TYPES), "qk_depth": DEPTH, "v_depth": DEPTH, "sizes": listed(listed(COUNT), 1)},
                 {"mask": one_of(*MASKS), "feature": one_of(*FEATURES), "window": COUNT,
                  "spaces": listed(record({}, {name: listed(value, 1) for name, value in SPACES.items()}), 1)})
LIST = record({"problems": listed(PROBLEM, 1)}, {"about": text})
# As a pack has it: all fields, and the kernels.
PACKED = dict(type=one_of(*TYPES), qk_depth=DEPTH, v_depth=DEPTH, mask=one_of(*MASKS), feature=one_of(*FEATURES), window=COUNT)


def check(family):
    """A family as it stands in a list, or a TuneError."""
    def require(holds, reason):
        if not holds:
            raise TuneError("problem %s: %s" % (family.name(), reason))
    require((family.window > 0) == (family.mask == "window"), "window must be given with mask window, and only there")
    for size in family.sizes:
        require(len(size) == 5 and size[1] and size[2] and size[1] % size[2] == 0,
                "a size is [B, Hq, Hkv, Sq, Skv] with Hkv a divisor of Hq, found %s" % size)
    return family


def read_families(path):
    """The families of a problem list."""
    try:
        return [check(Family(**entry)) for entry in read_json(path, "the problem list", LIST)["problems"]]
    except JsonError as error:
        raise TuneError(str(error)) from None


MODULE = """func.func @f(%q: tensor<{q}>, %k: tensor<{q}>, %v: tensor<{v}>{parameter}) -> ({results}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : tensor<{q}>
  %heads = tensor.dim %q, %c1 : tensor<{q}>
  %length = tensor.dim %q, %c2 : tensor<{q}>
  %init = tensor.empty(%batch, %heads, %length) : tensor<{v}>
  %sums = tensor.empty(%batch, %heads, %length) : tensor<{lse}>
  %o{count} = attn.attention ins(%q, %k, %v : tensor<{q}>, tensor<{q}>, tensor<{v}>){clause} {region} outs({outs} : {results}){options}
  return {values} : {results}
}}
"""
LSE_TYPE = "?x?x?xf32"
CAP = 30.0
# `table`: a row of biases for all queries.
BIAS_TYPES = {"bias": "tensor<1x1x?x?x%s>", "table": "tensor<1x1x1x?x%s>"}
# `linear`: a slope of each head times the distance.
SLOPES_TYPE = "tensor<?xf32>"
LINEAR = """ score_mod(%s, %b, %h, %i, %j) {
    %slope = tensor.extract %slopes[%h] : tensor<?xf32>
    %distance = arith.subi %j, %i : index
    %narrow = arith.index_cast %distance : index to i32
    %steps = arith.sitofp %narrow : i32 to f32
    %change = arith.mulf %slope, %steps : f32
    %score = arith.addf %s, %change : f32
    attn.yield %score : f32
  }"""
# Scores that are not linear in the products.
SCORE = """ score_mod(%%s, %%b, %%h, %%i, %%j) {
    %%cap = arith.constant %r : f32
    %%part = arith.divf %%s, %%cap : f32
    %%bounded = math.tanh %%part : f32
    %%score = arith.mulf %%bounded, %%cap : f32
    attn.yield %%score : f32
  }""" % CAP


def module_text(family):
    """The IR of a family's function, over any batch, heads and lengths."""
    clause = {"full": "", "causal": " causal(top_left)", "window": " window(%d, 0, top_left)" % (family.window - 1)}[family.mask]
    parameter = ""
    if family.feature in BIAS_TYPES:
        bias = BIAS_TYPES[family.feature] % family.type
        parameter, clause = ", %bias: " + bias, clause + " bias(%%bias : %s)" % bias
    if family.feature == "linear":
        parameter = ", %slopes: " + SLOPES_TYPE
    kind = lambda depth: "?x?x?x%dx%s" % (depth, family.type)
    results, outs, values, count = "tensor<%s>" % kind(family.v_depth), "%init", "%o", ""
    if family.feature == "lse":
        results, outs, values, count = results + ", tensor<%s>" % LSE_TYPE, "%init, %sums", "%o#0, %o#1", ":2"
    return MODULE.format(q=kind(family.qk_depth), v=kind(family.v_depth), parameter=parameter, clause=clause, results=results,
                         outs=outs, values=values, count=count, lse=LSE_TYPE, region={"score": SCORE, "linear": LINEAR}.get(family.feature, ""),
                         options=" {allow_approx}" if family.feature == "score" else "")
