"""The test matrix: types, depths, lengths around tile sizes, masks, head groups, strides, and each feature of the op.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import itertools

import numpy as np

from gallery import gallery
from hopper import hopper, scores
from inputs import Arg, generator, in_rows, round_to, transposed_heads
from mask_suites import long_masks, masks
from open_cases import args_of, fill_past, qkv
from problem import Problem
from suite import Case

DTYPES = ("f32", "f16", "bf16")
DEPTHS = (16, 32, 64, 80, 96, 128, 192, 256)
MASKS = {"full": {}, "causal": dict(causal=True, diagonal="bottom_right"), "top_left": dict(causal=True, diagonal="top_left"),
         "window": dict(window=(33, 0), diagonal="bottom_right")}
# (batch, query heads, key/value heads, query length, key length)
SHAPES = ((1, 2, 2, 64, 64), (2, 4, 2, 65, 63), (1, 4, 1, 1, 129), (2, 3, 3, 17, 127), (1, 6, 2, 128, 200), (1, 1, 1, 130, 31))


def grid(brief=False):
    """Types, depths and masks on shapes around tile sizes, judged by the compiler's reference too; in brief every other."""
    for number, (dtype, d, (mask, flags)) in enumerate(itertools.product(DTYPES, DEPTHS, MASKS.items())):
        # Both masks of a depth differ from those of its neighbours.
        if brief and (number + number // len(MASKS)) % 2:
            continue
        problem = Problem(dtype=dtype, d=d, **flags)
        for shape in SHAPES:
            yield Case("matrix %s D %d %s %s" % (dtype, d, mask, shape), problem, args_of(*qkv(dtype, *shape, d)),
                       reference=True)


def values_by(formula, *shape):
    """Pseudo-random f32 values in [-1, 1] of any shape."""
    n = np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape)
    return np.sin(n * formula + 1.0).astype(np.float32)


def features(h=4, sq=37, skv=90):
    """(label, problem fields, other arguments): each feature alone, then some together. B=2, Hkv=2, Hq, Sq and Skv as given."""
    b = 2
    bias = {"bhqk": (b, h, sq, skv), "hqk": (1, h, sq, skv), "bk": (b, 1, 1, skv), "k": (1, 1, 1, skv), "q": (1, 1, sq, 1)}
    yield "scale attribute", dict(scale=0.25), {}
    yield "scale 0", dict(scale=0.0), {}
    yield "scale negative", dict(scale=-0.5), {}
    yield "scale large", dict(scale=4.0), {}
    for scale in (0.125, 0.0, -0.3, 2.0):
        yield "scale argument %g" % scale, dict(scale="argument"), dict(scale=scale)
    for dims, shape in bias.items():
        yield "bias %s" % dims, dict(bias=dims), dict(bias=values_by(0.7, *shape))
    for kind in ("f16", "bf16"):
        yield "bias of %s" % kind, dict(bias="hqk", bias_type=kind), dict(bias=round_to(kind, values_by(0.7, 1, h, sq, skv)))
    for dims, shape in bias.items():
        yield "mask %s" % dims, dict(mask=dims), dict(mask=values_by(1.7, *shape) > -0.5)
    yield "sink", dict(sink=True), dict(sink=values_by(1.0, h))
    yield "sink causal", dict(sink=True, causal=True, diagonal="top_left"), dict(sink=values_by(1.0, h))
    yield "sink -inf", dict(sink=True, causal=True, diagonal="top_left"), dict(sink=np.full(h, -np.inf, np.float32))
    yield "sink alone", dict(sink=True, mask="k"), dict(sink=values_by(1.0, h), mask=np.zeros((1, 1, 1, skv), bool))
    for kind in ("i32", "i64"):
        yield "kv_lengths %s" % kind, dict(kv_lengths=kind), dict(kv_lengths=np.array([77, 0], "int" + kind[1:]))
    for off in (-40, -1, 0, 20, 53, 200):
        yield "offset %d" % off, dict(causal=True, diagonal="offset"), dict(offset=off)
    yield "offsets", dict(causal=True, diagonal="offsets"), dict(offset=np.array([53, -5], np.int64))
    yield "window offset", dict(window=(10, 4), diagonal="offset"), dict(offset=25)
    yield "window left", dict(window=(20, None), diagonal="bottom_right"), {}
    yield "window right", dict(window=(None, 5), diagonal="top_left"), {}
    yield "window causal", dict(window=(20, 3), causal=True, diagonal="bottom_right"), {}
    yield "softcap", dict(score="softcap", causal=True, diagonal="top_left"), {}
    yield "alibi", dict(score="alibi"), dict(slopes=np.abs(values_by(0.3, h)), off=53)
    yield "relative", dict(score="relative"), dict(table=values_by(0.9, 32))
    yield "documents", dict(mask_mod="documents"), dict(documents=(np.arange(2 * skv).reshape(2, skv) // 21).astype(np.int32))
    yield "region causal", dict(mask_mod="causal"), {}
    yield "output f32", dict(out="f32"), {}
    yield "no LSE", dict(lse=False), {}
    yield "Dv 32", dict(dv=32), {}
    yield "static", dict(b=b, hq=h, hkv=2, sq=sq, skv=skv, causal=True, diagonal="bottom_right"), {}
    place = dict(b0=1, h0=2, i0=30, j0=64)
    whole = (b + 1, h + 2, sq + 30, skv + 64)
    yield ("base", dict(base=True, bias="bhqk", mask="qk", causal=True, diagonal="offset"),
           dict(place, offset=50, bias=values_by(0.7, *whole), mask=values_by(1.7, 1, 1, *whole[2:]) > -0.5))
    yield "base lengths", dict(base=True, kv_lengths="i32"), dict(place, kv_lengths=np.array([100, 60], np.int32))
    yield ("base regions", dict(base=True, score="relative", mask_mod="thirds"), dict(place, table=values_by(0.9, 32)))
    yield ("everything", dict(scale="argument", causal=True, window=(40, 5), diagonal="bottom_right", bias="hqk", mask="bk",
                              sink=True, kv_lengths="i32", score="softcap", mask_mod="thirds"),
           dict(scale=0.2, bias=values_by(0.7, 1, h, sq, skv), mask=values_by(1.7, b, 1, 1, skv) > -0.7,
                sink=values_by(1.0, h), kv_lengths=np.array([80, 33], np.int32)))


def feature_matrix(brief=False):
    """Every feature for every type, in brief for one type in turn; f32 also with TF32."""
    for number, (label, fields, others) in enumerate(features()):
        for dtype in (DTYPES[number % 3],) if brief else DTYPES:
            problem = Problem(dtype=dtype, **fields)
            q, k, v = qkv(dtype, 2, 4, 2, 37, 90, problem.d, problem.depth_v())
            yield Case("matrix %s %s" % (dtype, label), problem, args_of(q, k, v, **others), reference=True)
    for d in (16, 64, 128):
        problem = Problem(dtype="f32", d=d, tf32=True, causal=True, diagonal="top_left")
        yield Case("matrix tf32 D %d" % d, problem, args_of(*qkv("f32", 2, 4, 2, 70, 70, d)), reference=True)


def many_blocks():
    """Every feature with so many heads that the wide variants run, for one of the 16-bit types in turn."""
    for number, (label, fields, others) in enumerate(features(h=70)):
        if label == "static":
            continue
        problem = Problem(dtype=("f16", "bf16")[number % 2], **fields)
        q, k, v = qkv(problem.dtype, 2, 70, 2, 37, 90, problem.d, problem.depth_v())
        yield Case("matrix %s many blocks %s" % (problem.dtype, label), problem, args_of(q, k, v, **others))


def strides():
    """Layouts in memory, alone and mixed, for depths and rows that are and are not aligned to 4 and to 16 bytes."""
    for dtype, d in itertools.product(DTYPES, (40, 64, 65)):
        problem = Problem(dtype=dtype, d=d, causal=True, diagonal="bottom_right")
        q, k, v = qkv(dtype, 2, 4, 2, 50, 75, d)
        for label, views in (("BSHD", map(transposed_heads, (q, k, v))), ("padded", (in_rows(x, d + 8) for x in (q, k, v))),
                             ("odd rows", (in_rows(x, d + 3) for x in (q, k, v))),
                             ("even rows", (in_rows(x, d + 2 + d % 2) for x in (q, k, v))),
                             ("mixed", (in_rows(q, d + 1, 3), transposed_heads(k), Arg(v)))):
            yield Case("matrix %s D %d %s" % (dtype, d, label), problem, args_of(*views), reference=True)


def special_values():
    """NaN and infinity in Q and K reach their rows and no other."""
    for dtype in DTYPES:
        q, k, v = qkv(dtype, 1, 2, 2, 40, 70, 64)
        q = q.copy()
        q[0, 1, 7, 3] = np.nan
        k = k.copy()
        k[0, 0, 35, 2] = np.nan
        problem = Problem(dtype=dtype, causal=True, diagonal="top_left")
        yield Case("matrix %s NaN" % dtype, problem, args_of(q, k, v))
        # No row here has two keys that matter, so errors of the scores do not: the largest key must weigh exactly 1.
        big = [round_to(dtype, x.astype(np.float64) * 1000) for x in qkv(dtype, 1, 2, 2, 40, 70, 64)]
        yield Case("matrix %s large scores" % dtype, problem, args_of(*big))
        # Here LSE is held to 8 units of the largest score, which a long chain of f32 sums uses up.
        for d, (size, factor) in itertools.product((64, 96, 128, 160, 192, 256), (("thousands", 100), ("tens", 4))):
            large = [round_to(dtype, x.astype(np.float64) * factor) for x in qkv(dtype, 1, 2, 2, 40, 70, d)]
            problem = Problem(dtype=dtype, d=d, causal=True, diagonal="top_left")
            yield Case("matrix %s scores of %s D %d" % (dtype, size, d), problem, args_of(*large))
    yield from cancelling_products()
    yield from large_scaled_scores()


def cancelling_products():
    """Few keys whose scores are small against their products: LSE is a score, and its bound counts nothing else."""
    for keys in (1, 3):
        for sq in (1, 40):
            q, k, v = (x * 10 for x in qkv("f32", 1, 2, 2, sq, keys, 64))
            q[..., 1::2] = q[..., 0::2]
            k[..., 1::2] = k[..., 1::2] / 4096 - k[..., 0::2]
            yield Case("matrix f32 cancelling products %dx%d" % (sq, keys), Problem(dtype="f32"), args_of(q, k, v))


def large_scaled_scores():
    """Scores whose scale is no power of two, so large that a unit in the last place counts: the largest weighs exactly 1."""
    for dtype, size, scale in (("f32", 1e9, 3.0), ("f32", 1.0, 1e10), ("bf16", 1e4, 3.0), ("bf16", 1e9, 0.3)):
        for sq in (1, 40):
            q, k, v = qkv(dtype, 1, 2, 2, sq, 300, 64)
            q = round_to(dtype, q.astype(np.float64) * size)
            yield Case("matrix %s scores of %g times %g Sq %d" % (dtype, size, scale, sq), Problem(dtype=dtype, scale=scale, lse=False),
                       args_of(q, k, v))


def small_numbers():
    """bf16 elements and products near and below 2^-126, where instructions for pairs of bf16 take numbers for 0."""
    # O is f32: in bf16 it would have too few digits there.
    def case(name, d, scale, change):
        q, k, v = (x.astype(np.float64) for x in qkv("bf16", 1, 2, 2, 70, 200, d))
        q, k, v = change(q, k, v)
        problem = Problem(dtype="bf16", d=d, out="f32", scale=scale)
        return Case("small %s D %d" % (name, d), problem, args_of(*(round_to("bf16", x) for x in (q, k, v))))

    def column(v, factor):
        v[..., 3] *= factor
        return v

    def behind_zero(v):
        # The first key has nearly all of the weight and adds nothing.
        v[:, :, 0, :] = 0
        return v * 2.0**-85

    def heavy(k):
        k[:, :, 0, :] = 0.5
        k[:, :, 1:, :] *= 2.0**-6
        return k

    def infinite(v):
        v[0, 0, 150, 3] = np.inf
        return v

    for d in (64, 72):
        yield case("Q", d, 2.0**108, lambda q, k, v: (q * 2.0**-128, k * 2.0**20, v))
        yield case("K", d, 2.0**108, lambda q, k, v: (q * 2.0**20, k * 2.0**-128, v))
        yield case("products", d, 2.0**118, lambda q, k, v: (q * 2.0**-60, k * 2.0**-60, v))
        yield case("products just kept", d, 2.0**70, lambda q, k, v: (q * 2.0**-34, k * 2.0**-34, v))
        yield case("V", d, None, lambda q, k, v: (q, k, v * 2.0**-130))
        yield case("V below 2^-100", d, None, lambda q, k, v: (q, k, v * 2.0**-100))
        yield case("a column of V", d, None, lambda q, k, v: (q, k, column(v, 2.0**-125)))
        yield case("V behind a zero", d, 1.25, lambda q, k, v: (abs(q) + 0.5, heavy(k), behind_zero(v)))
        yield case("late keys of V", d, None,
                   lambda q, k, v: (q, k, np.concatenate([v[:, :, :130], v[:, :, 130:] * 2.0**-128], 2)))
        yield case("none but huge V", d, None, lambda q, k, v: (q, k, v * 2.0**119))
        yield case("none but huge Q and K", d, 2.0**-110, lambda q, k, v: (q * 2.0**50, k * 2.0**60, v))
        yield case("none but infinite V", d, None, lambda q, k, v: (q, k, infinite(v)))


# As SHAPES, with so few queries and so many keys that these are cut into parts: groups of heads as rows, and blocks of queries.
FEW_QUERIES = ((1, 8, 2, 1, 1024), (2, 32, 2, 2, 1500), (3, 5, 1, 4, 2050), (1, 4, 4, 64, 2048), (2, 3, 1, 33, 2305), (1, 2, 2, 70, 5000))


def few_queries():
    """Kernels that merge parts of the keys: shapes, every feature, parts without a key, garbage past the lengths; types in turn."""
    for number, (d, (mask, flags)) in enumerate(itertools.product((64, 80, 128, 192, 256), MASKS.items())):
        problem = Problem(dtype=DTYPES[number % 3], d=d, **flags)
        for shape in FEW_QUERIES:
            yield Case("matrix %s few queries D %d %s %s" % (problem.dtype, d, mask, shape), problem,
                       args_of(*qkv(problem.dtype, *shape, d)), options=("--guard",))
    for h, sq, skv in ((16, 5, 1100), (4, 37, 2100)):
        for number, (label, fields, others) in enumerate(features(h, sq, skv)):
            if label == "static":
                continue
            problem = Problem(dtype=DTYPES[(number + sq) % 3], d=64 if number % 2 else 128, **fields)
            q, k, v = qkv(problem.dtype, 2, h, 2, sq, skv, problem.d, problem.depth_v())
            yield Case("matrix %s few queries %d %s" % (problem.dtype, sq, label), problem, args_of(q, k, v, **others))
    lengths = np.array([0, 1, 63, 700, 2100, -3], np.int32)
    for dtype, (h, sq) in itertools.product(DTYPES, ((16, 3), (4, 40))):
        problem = Problem(dtype=dtype, d=128, kv_lengths="i32", sink=True)
        q, k, v = qkv(dtype, len(lengths), h, 2, sq, 2100, 128)
        arrays = [q] + [fill_past(array, lengths, np.nan, dtype) for array in (k, v)]
        yield Case("matrix %s few queries %d lengths" % (dtype, sq), problem,
                   args_of(*arrays, kv_lengths=lengths, sink=values_by(1.0, h)), options=("--guard",))


SUITES = {"grid": grid, "features": feature_matrix, "strides": strides, "special": special_values, "small": small_numbers,
          "blocks": many_blocks, "hopper": hopper, "steep": scores, "gallery": gallery, "masks": masks,
          "long_masks": long_masks, "few_queries": few_queries}
