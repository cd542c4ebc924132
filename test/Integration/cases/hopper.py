"""Cases for kernels of warpgroup products: enough blocks for persistent loops and clusters, scores that take the slow path.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The wide variants run where there are more tasks (blocks of 128 or 192 queries, times heads) than multiprocessors, 132 on
an H200; MANY is a batch and heads beyond that. The small shapes of the other suites run `warpgroup_narrow`, and those of
few keys or queries here `warpgroup_short`.
"""
from functools import partial

import numpy as np

from inputs import Arg, generator, in_rows, packed_qkv, round_to, transposed_heads
from open_cases import args_of, fill_past, qkv
from problem import Problem
from suite import Case

DTYPES = ("bf16", "f16")
MASKS = {"full": {}, "causal": dict(causal=True, diagonal="bottom_right"), "window": dict(window=(33, 0), diagonal="bottom_right")}
MANY = (2, 70)
DEPTHS = (64, 80, 128, 192, 256)


def plain(*sizes):
    """Arguments by the generator. All arguments here are made when their case runs: they are large."""
    return args_of(*qkv(*sizes))


def repeat(make, batches, *arguments):
    """Arguments of more batches, all equal to those of one that `make` makes."""
    return args_of(*(np.repeat(array, batches, axis=0) for array in make(*arguments)))


def with_garbage(dtype, b, h, sq, skv, d, lengths, batches=1):
    """Arguments with lengths, and NaN in the keys past them."""
    q, k, v = qkv(dtype, b, h, h, sq, skv, d)
    arrays = [q] + [fill_past(array, lengths, np.nan, dtype) for array in (k, v)]
    return args_of(*(np.repeat(array, batches, axis=0) for array in arrays),
                   kv_lengths=np.repeat(np.array(lengths, np.int32), batches))


def in_layout(layout, dtype, b, h, sq, skv, d):
    """Arguments that lie so in memory."""
    q, k, v = qkv(dtype, b, h, h, sq, skv, d)
    if layout == "packed":
        return args_of(*packed_qkv(q, *(generator(c, q.shape, dtype) for c in (2, 3))))
    if layout == "mixed":
        return args_of(transposed_heads(q), in_rows(k, d + 16, 8), Arg(v))
    return args_of(*(transposed_heads(x) if layout == "BSHD" else in_rows(x, d + int(layout[1:])) for x in (q, k, v)))


def many_blocks():
    """The wide variants with few keys, groups of query heads among them, and rows that see no key."""
    b, h = MANY
    for dtype in DTYPES:
        for d in DEPTHS:
            for mask, flags in MASKS.items():
                problem = Problem(dtype=dtype, d=d, **flags)
                for sq, skv, hkv in ((70, 200, h), (33, 321, h // 5), (129, 60, h // 2)):
                    yield Case("hopper %s D %d %s %dx%d" % (dtype, d, mask, sq, skv), problem,
                               partial(plain, dtype, b, h, hkv, sq, skv, d))
        problem = Problem(dtype=dtype, d=192, dv=128, causal=True, diagonal="bottom_right")
        yield Case("hopper %s D 192 Dv 128" % dtype, problem, partial(plain, dtype, b, h, h, 70, 200, 192, 128))


def many_keys():
    """Clusters (unmasked), long causal rows, and many blocks of each."""
    for dtype in DTYPES:
        for d, skv in ((64, 1600), (128, 4096), (128, 6144), (128, 6211), (256, 4133)):
            yield Case("hopper %s D %d %d keys" % (dtype, d, skv), Problem(dtype=dtype, d=d),
                       partial(repeat, qkv, 18 if d == 64 else 12, dtype, 1, 4, 4, 300, skv, d), repeated=True)
        # One query in the last block of a cluster, and an odd number of blocks.
        yield Case("hopper %s D 128 odd cluster" % dtype, Problem(dtype=dtype, d=128),
                   partial(repeat, qkv, 30, dtype, 1, 2, 1, 257, 6200, 128), repeated=True)
        for d, s in ((64, 3100), (128, 2300), (256, 4100)):
            problem = Problem(dtype=dtype, d=d, causal=True, diagonal="bottom_right")
            yield Case("hopper %s D %d causal S %d" % (dtype, d, s), problem,
                       partial(repeat, qkv, 9, dtype, 1, 1, 1, s, s + 5, d), repeated=True)


def many_tasks():
    """Several pairs of blocks for each program, odd numbers of blocks and rows without a key among them."""
    for dtype in DTYPES:
        for d in (64, 128):
            for sq, skv in ((1500, 1500), (1290, 1201), (900, 640), (640, 1333)):
                for diagonal in ("top_left", "bottom_right"):
                    problem = Problem(dtype=dtype, d=d, causal=True, diagonal=diagonal)
                    yield Case("hopper %s D %d causal %s %dx%d" % (dtype, d, diagonal, sq, skv), problem,
                               partial(repeat, qkv, 24, dtype, 1, 10, 2, sq, skv, d), repeated=True)
        # Heads that are no multiple of a group, and of one group or less.
        for d, s in ((64, 2700), (128, 4300), (256, 1700)):
            problem = Problem(dtype=dtype, d=d, causal=True, diagonal="top_left")
            for times, heads in ((4, 10), (9, 1), (17, 1)):
                yield Case("hopper %s D %d causal S %d of %d heads" % (dtype, d, s, times * heads), problem,
                           partial(repeat, qkv, times, dtype, 1, heads, 1, s, s - 3, d), repeated=True)


def known_sizes():
    """Sizes that the compiler knows, so that loops of known lengths are unrolled or gone."""
    b, h = MANY
    for dtype in DTYPES:
        for d in (16, 64, 128, 256):
            for mask, flags in MASKS.items():
                for sq, skv in ((70, 96), (300, 200), (33, 4096)):
                    problem = Problem(dtype=dtype, d=d, b=b, hq=h, hkv=h, sq=sq, skv=skv, **flags)
                    yield Case("hopper %s D %d %s known %dx%d" % (dtype, d, mask, sq, skv), problem,
                               partial(plain, dtype, b, h, h, sq, skv, d))


def sloped(dtype, b, h, s, d):
    """Arguments with a slope of each head, as ALiBi has."""
    slopes = np.exp2(-1.0 - np.arange(h) % 8).astype(np.float32)
    return dict(repeat(qkv, b, dtype, 1, h, h, s, s, d), slopes=Arg(slopes), off=Arg(0))


def without_lse():
    """What the built-in table chooses for ops without LSE: all kernels of full masks, whose costs change places between these
    lengths; causal ones and windows by length and width; score functions, linear ones among them."""
    square = lambda name, dtype, d, s, batches=35, heads=4, **fields: Case(
        "hopper %s D %d %s S %d without LSE" % (dtype, d, name, s), Problem(dtype=dtype, d=d, lse=False, **fields),
        partial(repeat, qkv, batches, dtype, 1, heads, heads, s, s, d), repeated=True)
    causal = MASKS["causal"]
    for dtype in DTYPES:
        for d in (32, 48, 64, 80, 96, 128, 256):
            for s in (200, 257, 577, 768, 1500):
                yield square("full", dtype, d, s)
            for s in (300, 1700):
                yield square("causal", dtype, d, s, **causal)
        for d, s in ((32, 3100), (64, 3500), (64, 6200), (80, 3100), (128, 6200)):
            yield square("causal", dtype, d, s, 9, 1, **causal)
        for d, width in ((64, 20), (64, 200), (64, 700), (64, 5000), (128, 20), (128, 200), (128, 700), (128, 1200), (256, 200)):
            yield square("window %d" % width, dtype, d, 1300, window=(width - 1, 0), diagonal="bottom_right")
        for d in (64, 128):
            for name, flags in (("full", {}), ("causal", causal), ("window", dict(window=(199, 0), diagonal="bottom_right"))):
                yield square("softcap " + name, dtype, d, 600, score="softcap", **flags)
            for s, batches, heads in ((700, 35, 4), (3200, 9, 1), (6200, 9, 1)):
                problem = Problem(dtype=dtype, d=d, lse=False, score="alibi", causal=True, diagonal="top_left")
                yield Case("hopper %s D %d alibi S %d without LSE" % (dtype, d, s), problem,
                           partial(sloped, dtype, batches, heads, s, d), repeated=True)


def steep(dtype, b, h, sq, skv, d, step, block):
    """Inputs of which the scores rise by `step` after every `block` keys to about 0, or fall from there where it is negative.

    So the keys that matter have small scores, which f32 represents well; the large part comes last in every sum.
    """
    q, k, v = (array.astype(np.float64) for array in qkv(dtype, b, h, h, sq, skv, d))
    level = np.arange(skv) // block
    q[..., -1], k[..., -1] = 8.0, (level - level.max() if step > 0 else level) * step * np.sqrt(d) / 8
    return [round_to(dtype, array) for array in (q, k, v)]


def spread(dtype, b, h, sq, skv, d, deviation):
    """Inputs whose scores have this standard deviation: a few keys of each row count, or one."""
    random = np.random.default_rng(d + deviation)
    q, k, v = (random.standard_normal((b, h, rows, d)) for rows in (sq, skv, skv))
    return [round_to(dtype, array) for array in (q * deviation, k, v)]


def spread_scores():
    """Where few weights count their roundings don't cancel: the point they are relative to must be close to the maximum."""
    for dtype in DTYPES:
        for d, flags in ((64, {}), (128, {}), (128, MASKS["causal"]), (256, {})):
            problem = Problem(dtype=dtype, d=d, **flags)
            for deviation in (4, 16, 64):
                yield Case("hopper %s D %d %s deviation %d" % (dtype, d, "causal" if flags else "full", deviation), problem,
                           partial(repeat, spread, 35, dtype, 1, 4, 40, 700, d, deviation))


def steep_scores():
    """Scores that stay below the largest weight that a kernel leaves as it is, pass it, and would overflow an exponential."""
    b, h = MANY
    for dtype in DTYPES:
        for d, flags in ((64, {}), (128, {}), (128, MASKS["causal"]), (256, {})):
            problem = Problem(dtype=dtype, d=d, **flags)
            # Under a causal mask rows have large scores alone.
            for step in (9, 25, 100, -100) + (() if flags else (2000,)):
                for shape in ((1, 2, 150, 330), (b, h, 40, 330)):
                    yield Case("hopper %s D %d %s steps of %d %s" % (dtype, d, "causal" if flags else "full", step, shape),
                               problem, partial(repeat, steep, 1, dtype, *shape, d, step, 64))
        for d, mask, batches, h, sq, skv in ((128, "full", 12, 4, 300, 6211), (64, "full", 18, 4, 300, 1700),
                                             (64, "causal", 9, 1, 3100, 3105)):
            for step in (100, -100):
                yield Case("hopper %s D %d %s %d keys steps of %d" % (dtype, d, mask, skv, step),
                           Problem(dtype=dtype, d=d, **MASKS[mask]),
                           partial(repeat, steep, batches, dtype, 1, h, sq, skv, d, step, 500), repeated=True)


def other_rows():
    """A row's bits, whether every third row has scores so large that its warpgroup multiplies again, or not."""
    for dtype in DTYPES:
        for d in (64, 128, 256):
            for mask in ("full", "causal"):
                q, k, v = qkv(dtype, *MANY, MANY[1], 300, 330, d)
                steep_rows = np.arange(q.shape[2]) % 3 == 0
                large = np.where(steep_rows[:, None], q * np.float32(256), q).astype(q.dtype)
                name = "hopper %s D %d %s other rows" % (dtype, d, mask)
                for which, queries in (("small", q), ("large", round_to(dtype, large))):
                    yield Case("%s %s" % (name, which), Problem(dtype=dtype, d=d, **MASKS[mask]), args_of(queries, k, v),
                               same=name, same_rows=lambda array, keep=~steep_rows: array[:, :, keep])


def garbage():
    """NaN past the lengths, with few keys and in clusters; no queries and no keys."""
    b, h = 4, 35
    for dtype in DTYPES:
        for d in (64, 128):
            problem = Problem(dtype=dtype, d=d, kv_lengths="i32")
            for lengths in ([300, 65, 0, 320], [1, 1000, 129, -4]):
                yield Case("hopper %s D %d lengths %s" % (dtype, d, lengths), problem,
                           partial(with_garbage, dtype, b, h, 70, 320, d, lengths))
        yield Case("hopper %s D 128 cluster lengths" % dtype, Problem(dtype=dtype, d=128, kv_lengths="i32"),
                   partial(with_garbage, dtype, 1, 4, 300, 6300, 128, [6199], 12), repeated=True)
        for sq, skv in ((0, 100), (100, 0), (0, 0)):
            for mask in ("full", "causal"):
                yield Case("hopper %s D 128 %s %dx%d" % (dtype, mask, sq, skv), Problem(dtype=dtype, d=128, **MASKS[mask]),
                           partial(plain, dtype, *MANY, MANY[1], sq, skv, 128), options=("--guard",))


def layouts():
    """Layouts in memory under the wide variants; rows that are not aligned take `aligned4` or `any`."""
    b, h = MANY
    for dtype in DTYPES:
        for d, flags in ((64, MASKS["causal"]), (128, {})):
            for layout in ("BSHD", "+8", "+2", "+1", "mixed", "packed"):
                yield Case("hopper %s D %d %s" % (dtype, d, layout), Problem(dtype=dtype, d=d, **flags),
                           partial(in_layout, layout, dtype, b, h, 70, 150, d), options=("--guard",))


def scores():
    """Steep and spread scores."""
    yield from steep_scores()
    yield from spread_scores()
    yield from other_rows()


def hopper():
    """Shapes, lengths and layouts."""
    for cases in (many_blocks, many_keys, many_tasks, known_sizes, without_lse, garbage, layouts):
        yield from cases()
