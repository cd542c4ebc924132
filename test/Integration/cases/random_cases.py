"""Cases by a seed: any number of problems with random types, shapes, masks, regions and layouts.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

from inputs import Arg, broadcast, in_rows, round_to, transposed_heads
from open_cases import args_of
from problem import Problem
from random_regions import ReadsWriter, random_linear_score, random_mask, random_score
from suite import Case

SIZES = (1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 48, 63, 64, 65, 100, 127, 128, 129, 190)


class Random:
    """Draws the parts of a case."""

    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)

    def one_of(self, choices):
        return choices[self.rng.randint(len(choices))]

    def chance(self, probability):
        return self.rng.rand() < probability

    def normal(self, dtype, *shape):
        return round_to(dtype, self.rng.randn(*shape))

    def dims(self):
        """The dimensions that a bias or mask keeps."""
        return "".join(dim for dim in "bhqk" if self.chance(0.6))

    def depth(self):
        return self.one_of((self.rng.randint(1, 257), 8 * self.rng.randint(1, 33), self.one_of((32, 64, 128))))

    def view(self, array):
        """A random layout of a rank-4 array."""
        kind = self.rng.randint(6)
        if kind == 0:
            return transposed_heads(array)
        if kind == 1:
            return in_rows(array, array.shape[3] + self.rng.randint(1, 20), self.rng.randint(4))
        if kind == 2 and self.chance(0.5):
            return broadcast(array, self.rng.randint(2))
        return Arg(array)


def mask_fields(draw):
    """Causal, window and diagonal."""
    fields = {}
    if draw.chance(0.5):
        fields["causal"] = True
    if draw.chance(0.3):
        fields["window"] = tuple(None if draw.chance(0.3) else int(draw.rng.randint(0, 80)) for _ in range(2))
    if fields:
        fields["diagonal"] = draw.one_of(("top_left", "bottom_right", "offset", "offsets"))
    return fields


def feature_fields(draw):
    fields = mask_fields(draw)
    for name, probability, choice in (("bias", 0.3, draw.dims), ("mask", 0.25, draw.dims), ("sink", 0.2, lambda: True),
                                      ("block_map", 0.1, lambda: "".join(dim for dim in "bh" if draw.chance(0.5))),
                                      ("kv_lengths", 0.25, lambda: draw.one_of(("i32", "i64"))),
                                      ("scale", 0.3, lambda: draw.one_of((0.1, 1.0, -0.2, "argument"))),
                                      ("score", 0.4, lambda: draw.one_of(("softcap", "alibi", "relative")) if draw.chance(0.4) else
                                       random_score(draw)),
                                      ("mask_mod", 0.35, lambda: draw.one_of(("causal", "thirds", "documents")) if draw.chance(0.4)
                                       else random_mask(draw)),
                                      ("lse", 0.3, lambda: False), ("out", 0.15, lambda: "f32")):
        if draw.chance(probability):
            fields[name] = choice()
    if "block_map" in fields:
        fields["map_block"] = tuple(draw.one_of((16, 64, 96, 128, 50)) for _ in range(2))
    if fields.get("bias") is not None:
        fields["bias_type"] = draw.one_of(("f32", "f32", "f16", "bf16"))
    return fields


def shape_of(draw):
    """(B, Hq, Hkv, Sq, Skv)"""
    hkv = draw.rng.randint(1, 4)
    return draw.rng.randint(1, 4), hkv * draw.one_of((1, 1, 2, 3, 8)), hkv, draw.one_of(SIZES), draw.one_of(SIZES)


def other_arguments(draw, problem, shape):
    """Arguments beside Q, K and V."""
    b, hq, _, sq, skv = shape
    sizes = dict(b=b, h=hq, q=sq, k=skv)
    shape_for = lambda dims: tuple(sizes[dim] if dim in dims else 1 for dim in "bhqk")
    makers = {
        "scale": lambda: float(np.float32(draw.one_of((0.05, 0.3, -0.4, 0.0)))),
        "bias": lambda: draw.normal(problem.bias_type, *shape_for(problem.bias)),
        "mask": lambda: draw.rng.rand(*shape_for(problem.mask)) < draw.one_of((0.1, 0.5, 0.95)),
        "block_map": lambda: draw.rng.choice(np.array([0, 1, 2, 3], np.int8), [
            b if "b" in problem.block_map else 1, hq if "h" in problem.block_map else 1,
            *(-(-size // block) for size, block in zip((sq, skv), problem.map_block))]),
        "sink": lambda: draw.normal("f32", hq),
        "kv_lengths": lambda: draw.rng.randint(-2, skv + 4, b).astype("int" + problem.kv_lengths[1:]),
        "offset": lambda: (int(draw.rng.randint(-sq - 2, skv + 3)) if problem.diagonal == "offset" else
                           draw.rng.randint(-sq - 2, skv + 3, b).astype(np.int64)),
        "slopes": lambda: np.abs(draw.normal("f32", hq)), "off": lambda: int(draw.rng.randint(-5, 50)),
        "table": lambda: draw.normal("f32", 32), "n0": lambda: int(draw.rng.randint(-20, 100)),
        "documents": lambda: draw.rng.randint(0, 3, (b, max(sq, skv))).astype(np.int32),
        # Of linear scores: values of a head that divide, positions of the problem, and tables that end where they may.
        "temperatures": lambda: np.float32(0.5) + np.abs(draw.normal("f32", hq)), "at_i": lambda: 0, "at_j": lambda: 0,
        "queries": lambda: sq - 1, "keys": lambda: draw.normal("f32", skv), "ahead": lambda: draw.normal("f32", sq + skv - 1),
        "sums": lambda: draw.normal("f32", sq + skv - 1), "grid": lambda: draw.normal("f32", sq, skv),
        # Numbers from 0 to 31, the places of `table`.
        "classes": lambda: draw.rng.randint(0, 32, (b, max(sq, skv))).astype(np.int32),
        "order": lambda: draw.rng.permutation(32).astype(np.int32),
        **{name: lambda: 0 for name in ("b0", "h0", "i0", "j0")},
    }
    return {name: makers[name]() for name in problem.arguments() if name not in "qkv"}


def long_shape_of(draw):
    """As `shape_of`, with as many queries and keys as a map of blocks takes on every target."""
    hkv = draw.rng.randint(1, 3)
    return draw.rng.randint(1, 3), hkv * draw.one_of((1, 2)), hkv, draw.rng.randint(512, 700), draw.rng.randint(2048, 2300)


def random_case(seed, long=False, reads=False):
    """The case of a seed; the same on every machine. A long one has a mask that a map of blocks is made for; one of reads has
    regions that read at places which they read."""
    draw = Random(seed)
    dtype = draw.one_of(("f32", "f16", "bf16"))
    d = int(draw.depth())
    dv = d if draw.chance(0.7) else int(draw.depth())
    shape = tuple(int(size) for size in (long_shape_of if long else shape_of)(draw))
    fields = feature_fields(draw)
    if long and not {"mask", "mask_mod", "block_map"} & set(fields):
        fields["mask_mod"] = draw.one_of(("local_global", "documents")) if draw.chance(0.5) else random_mask(draw)
    if reads:
        fields["score"] = random_score(draw, ReadsWriter)
        fields["mask_mod"] = random_mask(draw, ReadsWriter)
        # These masks leave many rows one key, whose score is as exact as its products are small.
        fields.pop("scale", None)
    if draw.chance(0.3):
        fields.update(zip(("b", "hq", "hkv", "sq", "skv"), shape))
    problem = Problem(dtype=dtype, d=d, dv=dv, **fields)
    b, hq, hkv, sq, skv = shape
    arrays = [draw.normal(dtype, b, hq, sq, d), draw.normal(dtype, b, hkv, skv, d), draw.normal(dtype, b, hkv, skv, dv)]
    views = [draw.view(array) for array in arrays]
    return Case("random %sseed %d" % ("long " if long else "reads " if reads else "", seed), problem, args_of(*views, **other_arguments(draw, problem, shape)),
                reference=True, options=("--guard",))


def linear_fields(draw, far):
    """What goes with a linear score; nothing that is read at the positions of the whole where these are large."""
    fields = dict(feature_fields(draw), score=random_linear_score(draw))
    if far:
        for name in ("bias", "bias_type", "mask", "block_map", "map_block", "kv_lengths", "mask_mod"):
            fields.pop(name, None)
        if fields.get("diagonal") not in (None, "top_left"):
            fields["diagonal"] = "top_left"
        fields["base"] = True
    return fields


# Where far problems lie: f32 has not every integer there.
FAR = ((1 << 24) + 12345, (1 << 24) + 12300)


def random_linear_case(seed):
    """A case whose score is linear in most blocks; every third lies far out."""
    draw, far = Random(seed), seed % 3 == 0
    dtype, d = draw.one_of(("f32", "f16", "bf16")), draw.one_of((32, 64, 128))
    shape = tuple(int(size) for size in shape_of(draw))
    if draw.chance(0.5):
        shape = shape[:3] + tuple(int(draw.rng.randint(200, 420)) for _ in range(2))
    problem = Problem(dtype=dtype, d=d, **linear_fields(draw, far))
    b, hq, hkv, sq, skv = shape
    arrays = [draw.normal(dtype, b, heads, length, d) for heads, length in ((hq, sq), (hkv, skv), (hkv, skv))]
    others = other_arguments(draw, problem, shape)
    places = dict(zip(("i0", "j0"), FAR)) if far else {}
    others.update({name: value for name, value in dict(places, at_i=places.get("i0", 0), at_j=places.get("j0", 0)).items()
                   if name in others})
    return Case("random linear seed %d" % seed, problem, args_of(*(draw.view(array) for array in arrays), **others),
                reference=True, options=("--guard",))


def random_cases(count, seed, kind="random"):
    """`count` cases from a seed on: random, random_long, random_reads or random_linear."""
    makers = {"random": random_case, "random_long": lambda seed: random_case(seed, long=True),
              "random_reads": lambda seed: random_case(seed, reads=True), "random_linear": random_linear_case}
    for i in range(count):
        yield makers[kind](seed + i)
