"""Masks whose blocks are found when the kernel runs: long enough that a map of blocks is made.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from functools import partial

import numpy as np

from open_cases import args_of, fill_past, qkv
from problem import Problem
from suite import Case

B, HQ, HKV = 2, 4, 2
# Lengths that are no multiples of a block, for a CPU and for a GPU.
SHORT, LONG = (150, 610), (600, 2100)


def captures_of(name, sq, skv, seed):
    """Values of what a mask region captures."""
    rng = np.random.RandomState(seed)
    length = max(sq, skv)
    documents = np.repeat(np.arange(length), rng.randint(1, length // 3, length))[:length]
    makers = {
        "documents": lambda: {"documents": np.stack([documents, documents // 2]).astype(np.int32)},
        "shuffled": lambda: {"documents": rng.randint(0, 4, (B, length)).astype(np.int32)},
        "flat": lambda: {"flat": (documents * (1 << 40)).astype(np.int64)},
        "prefix": lambda: {"prefix": np.array([length // 3, 0], np.int32)},
        "blocks": lambda: {"blocks": rng.rand(-(-sq // 64), -(-skv // 64)) < 0.2},
        "pairs": lambda: {"pairs": np.kron(rng.rand(-(-sq // 64), -(-skv // 64)) < 0.3,
                                           np.ones((64, 64), bool))[:sq, :skv]},
    }
    return makers.get(name, dict)()


def block_states(dims, block, sq, skv, seed=2):
    """A map of blocks: a third of them never, a third full, and partial ones of any other value."""
    sizes = [B if "b" in dims else 1, HQ if "h" in dims else 1, -(-sq // block[0]), -(-skv // block[1])]
    return np.random.RandomState(seed).choice(np.array([0, 1, 2, 0, -1, 2], np.int8), sizes)


def arguments(dtype, name, sq, skv, d, dims=None, lengths=None, seed=1, **others):
    """Arguments of a problem with the mask region `name` or a mask operand of dimensions `dims`."""
    q, k, v = qkv(dtype, B, HQ, HKV, sq, skv, d)
    named = dict(captures_of(name, sq, skv, seed), **others)
    if dims is not None:
        rng = np.random.RandomState(seed)
        sizes = dict(b=B, h=HQ, q=-(-sq // 70), k=-(-skv // 70))
        mask = rng.rand(*(sizes[dim] if dim in dims else 1 for dim in "bhqk")) < 0.3
        for axis, size in ((2, sq), (3, skv)):
            if mask.shape[axis] > 1:
                mask = np.repeat(mask, 70, axis)
        named["mask"] = mask[:, :, :sq, :skv]
    if lengths is not None:
        k, v = (fill_past(array, lengths, np.nan, dtype) for array in (k, v))
        named["kv_lengths"] = np.array(lengths, np.int32)
    return args_of(q, k, v, **named)


def masks_of(dtype, depths, shape):
    sq, skv = shape
    bottom = dict(diagonal="bottom_right")
    regions = {name: {} for name in ("documents", "prefix", "local_global", "dilated", "blocks", "pairs", "thirds", "stripes", "never")}
    combined = (("flat_documents", "flat", dict(causal=True, **bottom)), ("documents", "shuffled", dict(score="softcap")),
                ("documents", "documents", dict(window=(70, 30), **bottom)), ("prefix", "prefix", dict(sink=True)),
                ("local_global", "local_global", dict(kv_lengths="i32")))
    for d in depths:
        for name in regions:
            yield Case("masks %s D %d %s" % (dtype, d, name), Problem(dtype=dtype, d=d, mask_mod=name),
                       partial(arguments, dtype, name, sq, skv, d))
    d = depths[0]
    for region, values, fields in combined:
        extra = {"lengths": [skv - 77, 30]} if "kv_lengths" in fields else {}
        extra.update({"sink": np.array([0.5, -1, 2, 0], np.float32)} if "sink" in fields else {})
        yield Case("masks %s D %d %s %s" % (dtype, d, values, fields), Problem(dtype=dtype, d=d, mask_mod=region, **fields),
                   partial(arguments, dtype, values, sq, skv, d, **extra))
    for dims in ("qk", "bhqk", "k", "bq", ""):
        yield Case("masks %s D %d operand %s" % (dtype, d, dims), Problem(dtype=dtype, d=d, mask=dims),
                   partial(arguments, dtype, "", sq, skv, d, dims))
    problem = Problem(dtype=dtype, d=d, mask="hqk", mask_mod="documents", causal=True, **bottom)
    yield Case("masks %s D %d operand and region" % (dtype, d), problem,
               partial(arguments, dtype, "documents", sq, skv, d, "hqk"))
    # Maps of blocks that a user gives, right and wrong ones: with blocks that kernels' lie in, and with others.
    for dims, block, fields in (("", (192, 128), dict(mask_mod="documents")), ("bh", (64, 96), dict(mask_mod="local_global")),
                                ("b", (384, 256), dict(mask="hqk")), ("h", (128, 128), dict(causal=True, **bottom)),
                                ("bh", (50, 70), dict(mask="", kv_lengths="i32"))):
        problem = Problem(dtype=dtype, d=d, block_map=dims, map_block=block, **fields)
        extra = {"lengths": [skv - 77, 30]} if "kv_lengths" in fields else {}
        yield Case("masks %s D %d block map %s %dx%d" % (dtype, d, dims, *block), problem,
                   partial(arguments, dtype, fields.get("mask_mod", ""), sq, skv, d, fields.get("mask"),
                           block_map=block_states(dims, block, sq, skv), **extra))
    problem = Problem(dtype=dtype, d=d, block_map="", map_block=(128, 128), mask_mod="local_global", base=True)
    yield Case("masks %s D %d block map base" % (dtype, d), problem,
               partial(arguments, dtype, "", sq, skv, d, block_map=block_states("", (128, 128), 2 * sq, 2 * skv),
                       b0=0, h0=0, i0=sq // 2, j0=35))
    problem = Problem(dtype=dtype, d=d, mask_mod="local_global", base=True, causal=True, diagonal="top_left")
    yield Case("masks %s D %d base" % (dtype, d), problem,
               partial(arguments, dtype, "", sq, skv, d, b0=0, h0=0, i0=skv // 2, j0=35))


# Widths of lines, and the positions of the first query and key: small and large divisors, blocks that hold multiples of them.
WIDTHS = [("lines", width, 0, 0) for width in (1, 2, 3, 7, 64, 127, 128, 500, 1000)]
WIDTHS += [("lines", width, 5 * width - 41, 3 * width - 90)
           for width in (1000, (1 << 15) - 1, 1 << 15, (1 << 15) + 1, 100003, 1 << 26)]
WIDTHS += [("line_numbers", width, 2 * width - 41, 2 * width - 90) for width in ((1 << 26) + 1, (1 << 38) + 5)]


def widths_of(dtype, depth, shape):
    """Quotients and remainders of positions by a number that the kernel learns."""
    for name, width, i0, j0 in WIDTHS:
        problem = Problem(dtype=dtype, d=depth, mask_mod=name, base=True)
        yield Case("masks %s D %d %s of %d from %d, %d" % (dtype, depth, name, width, i0, j0), problem,
                   partial(arguments, dtype, "", *shape, depth, width=width, b0=0, h0=0, i0=i0, j0=j0))


def masks():
    """Each mask on the CPU."""
    yield from masks_of("f32", (32,), SHORT)
    yield from widths_of("f32", 32, SHORT)


def long_masks():
    """Each mask for the kernels of a GPU."""
    yield from masks_of("bf16", (128, 64), LONG)
    yield from masks_of("f16", (256,), LONG)
    yield from widths_of("bf16", 64, LONG)
    for dtype, depth in (("f16", 80), ("bf16", 96), ("f16", 128)):
        yield Case("masks %s D %d stripes" % (dtype, depth), Problem(dtype=dtype, d=depth, mask_mod="stripes"),
                   partial(arguments, dtype, "stripes", *LONG, depth))
