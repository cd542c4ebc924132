"""The gallery of masks and score functions (examples/masks): each file against a model in numpy that is written apart from it.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses
import re
from typing import Callable, Optional

import numpy as np

from gallery_files import text_of
from inputs import round_to
from open_cases import args_of
from problem import Problem
from suite import Case

# (batch, query heads, key/value heads, queries, keys); the last has so many blocks that the wide variants of a GPU run.
SHAPES = ((2, 4, 2, 300, 300), (1, 3, 3, 77, 77), (2, 70, 35, 200, 200))


@dataclasses.dataclass(frozen=True)
class GalleryProblem(Problem):
    """A file of the gallery; `score` and `mask_mod` are functions."""
    name: str = ""

    def module(self):
        return text_of(self.name, self.dtype, self.d)

    def arguments(self):
        head = self.module().split("func.func")[1].split("->")[0]
        return dict(re.findall(r"%(\w+): ([^,)]+)", head))


@dataclasses.dataclass(frozen=True)
class Entry:
    """What a file means. `keep(b, h, i, j, captured)` and `score(s, (b, h, i, j), captured)`; `others(sizes, rng)` makes the
    arguments beside Q, K and V for sizes (B, Hq, Hkv, Sq, Skv); `shape` maps those of SHAPES to what the file needs."""
    keep: Optional[Callable] = None
    score: Optional[Callable] = None
    others: Callable = lambda sizes, rng: {}
    shape: Callable = lambda sizes: sizes
    fields: dict = dataclasses.field(default_factory=dict)


def causal(b, h, i, j, c):
    return j <= i


def document(b, h, i, j, c):
    return c["documents"][b, i] == c["documents"][b, j]


def documents(sizes, rng):
    """Borders of documents anywhere."""
    b, _, _, s, _ = sizes
    return {"documents": np.cumsum(rng.rand(b, s) < 0.02, axis=1).astype(np.int32)}


def slopes(sizes, rng):
    return {"slopes": (2.0 ** (-8.0 * (np.arange(sizes[1]) + 1) / sizes[1])).astype(np.float32)}


def sink(sizes, rng):
    return {"sink": rng.randn(sizes[1]).astype(np.float32)}


def softcap(s, positions, c):
    return 30.0 * np.tanh(s / 30.0)


def alibi(s, positions, c):
    b, h, i, j = positions
    return s - c["slopes"].astype(np.float64)[h] * (i - j)


def bucket(n):
    """T5's, causal: 16 exact buckets, 16 by logarithm up to a distance of 128."""
    n = np.maximum(n, 0)
    shared = 16 + np.floor(np.log(np.maximum(n, 16) / 16.0) / np.log(8.0) * 16 + 1e-9).astype(int)
    return np.where(n < 16, n, np.minimum(shared, 31))


def neighbourhood(b, h, i, j, c):
    height, width = int(c["height"]), int(c["width"])
    y, x = (np.clip(at, 3, size - 4) for at, size in ((i // width, height), (i % width, width)))
    return (np.abs(j // width - y) <= 3) & (np.abs(j % width - x) <= 3)


def image(sizes, rng):
    width = next(w for w in (25, 20, 11) if sizes[3] % w == 0)
    return {"height": sizes[3] // width, "width": width}


def tree(b, h, i, j, c):
    table = c["ancestors"]
    node = j - (j.max() + 1 - table.shape[1])
    return np.where(node < 0, True, table[b, i, np.maximum(node, 0)])


def ancestors(sizes, rng):
    """Random parents; a node is an ancestor of itself."""
    b, _, _, s, _ = sizes
    found = np.zeros((b, s, s), bool)
    for entry in range(b):
        for node in range(s):
            if node:
                found[entry, node] = found[entry, rng.randint(node)]
            found[entry, node, node] = True
    return {"ancestors": found}


def short_queries(sizes):
    b, hq, hkv, sq, skv = sizes
    return b, hq, hkv, sq // 4, skv


def block_table(sizes, rng):
    blocks = [-(-length // 128) for length in sizes[3:]]
    return {"table": (rng.rand(*blocks) < 0.5) | np.eye(*blocks, dtype=bool)}


def dilated(b, h, i, j, c):
    return (j <= i) & (i - j < 256) & ((i - j) % 4 == 0)


def local_global(b, h, i, j, c):
    return (np.abs(i - j) <= 128) | (i < 64) | (j < 64)


ENTRIES = {
    "causal": Entry(causal),
    "causal_bottom_right": Entry(lambda b, h, i, j, c: j <= i + j.max() - i.max(), shape=short_queries),
    "sliding_window": Entry(lambda b, h, i, j, c: (i + j.max() - i.max() - j >= 0) & (i + j.max() - i.max() - j <= 255),
                            shape=short_queries),
    "local_global": Entry(local_global),
    "prefix_lm": Entry(lambda b, h, i, j, c: (j <= i) | (j < c["prefix"][b]),
                       others=lambda sizes, rng: {"prefix": rng.randint(0, sizes[3], sizes[0]).astype(np.int32)}),
    "document": Entry(document, others=documents),
    "document_causal": Entry(lambda *at: causal(*at) & document(*at), others=documents),
    "dilated": Entry(dilated),
    "strided": Entry(lambda b, h, i, j, c: (j <= i) & ((i - j < 64) | (j % 64 >= 56))),
    "block_sparse": Entry(lambda b, h, i, j, c: c["table"][i // 128, j // 128], others=block_table),
    "tree": Entry(tree, others=ancestors, shape=short_queries),
    "chunked": Entry(lambda b, h, i, j, c: (j <= i) & (i // 128 == j // 128)),
    "softcap": Entry(causal, softcap),
    "alibi": Entry(causal, alibi, slopes),
    "t5_table": Entry(score=lambda s, at, c: s + c["table"].astype(np.float64)[at[1], at[3] - at[2] + at[2].max()],
                      others=lambda sizes, rng: {"table": rng.randn(sizes[1], sizes[3] + sizes[4] - 1).astype(np.float32)}),
    "t5_buckets": Entry(causal, lambda s, at, c: s + c["weights"].astype(np.float64)[bucket(at[2] - at[3]), at[1]],
                        lambda sizes, rng: {"weights": rng.randn(32, sizes[1]).astype(np.float32)}),
    "additive_bias": Entry(others=lambda sizes, rng: {"bias": round_to("bf16", rng.randn(1, sizes[1], *sizes[3:]))},
                           fields=dict(bias="hqk")),
    "padding_bias": Entry(others=lambda sizes, rng: {"bias": np.where(
        np.arange(sizes[4]) < rng.randint(1, sizes[4], (sizes[0], 1, 1, 1)), 0.0, -np.inf).astype(np.float32)},
        fields=dict(bias="bk")),
    "sinks": Entry(causal, others=sink, fields=dict(sink=True)),
    "head_temperature": Entry(causal, lambda s, at, c: s / c["temperatures"].astype(np.float64)[at[1]],
                              lambda sizes, rng: {"temperatures": (0.5 + rng.rand(sizes[1])).astype(np.float32)}),
    "neighbourhood": Entry(neighbourhood, others=image),
    "window_sink_softcap": Entry(lambda b, h, i, j, c: (j <= i) & (i - j <= 127), softcap, sink, fields=dict(sink=True)),
    "document_alibi": Entry(lambda *at: causal(*at) & document(*at), alibi,
                            lambda sizes, rng: {**documents(sizes, rng), **slopes(sizes, rng)}),
}


def problem_of(name, dtype="bf16", d=64):
    entry = ENTRIES[name]
    keep = entry.keep and (lambda positions, captured: entry.keep(*positions, captured))
    return GalleryProblem(dtype=dtype, d=d, lse=False, name=name, score=entry.score, mask_mod=keep, **entry.fields)


def arguments_of(name, sizes, dtype, d):
    """Normal values from a seed that the name and the sizes give."""
    rng = np.random.RandomState(sum(map(ord, name)) + sum(sizes))
    b, hq, hkv, sq, skv = sizes
    q, k, v = (round_to(dtype, rng.randn(b, h, s, d)) for h, s in ((hq, sq), (hkv, skv), (hkv, skv)))
    return args_of(q, k, v, **ENTRIES[name].others(sizes, rng))


def gallery(brief=False):
    """Every file on every shape, in brief without the one of many blocks; the first is judged by the reference too."""
    for name, entry in ENTRIES.items():
        problem = problem_of(name)
        for number, shape in enumerate(SHAPES[:-1] if brief else SHAPES):
            sizes = entry.shape(shape)
            # An argument of a function here: it is large, and made when the case runs.
            make = lambda name=name, sizes=sizes: arguments_of(name, sizes, "bf16", 64)
            yield Case("gallery %s %s" % (name, "x".join(map(str, sizes))), problem, make, reference=number == 0)
