"""The gallery of masks and score functions (examples/masks) as masks.py times it: sizes, captured values, and what each means.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

`keep` and `score` are functions of index tensors, as FlexAttention takes them; they are also the model that results are
compared with. Captured values are made on the GPU by `values(S)`, in the order of the arguments of the file.
"""
import dataclasses
import math
from typing import Callable, Optional

HEADS, LENGTHS, DEPTHS = 16, (8192, 16384), (128, 64)
# Lengths of the eight documents, in 64ths of the sequence.
DOCUMENTS = (20, 4, 8, 2, 12, 6, 3, 9)
# Part of the blocks of 128 x 128 that the block-sparse table lists, the diagonal included.
BLOCK_DENSITY = 0.1


@dataclasses.dataclass(frozen=True)
class Entry:
    """`plain` is the module of the same mask without the score function, or of no mask where a region makes it.
    `keep(c, b, h, i, j)` and `score(c, s, b, h, i, j)` take the captured values first. `queries(S)` is Sq."""
    name: str
    plain: str = "full"
    keep: Optional[Callable] = None
    score: Optional[Callable] = None
    values: Callable = lambda S: []
    queries: Callable = lambda S: S
    sink: bool = False

    def is_sparse(self):
        """Whether its time is to be compared with the part of the scores that are visible."""
        return self.plain == "full" and self.keep is not None


def torch():
    """PyTorch, which the machine that packs need not have."""
    import torch
    return torch


def on_gpu(values, kind):
    return torch().as_tensor(values, dtype=getattr(torch(), kind), device="cuda")


def random(seed, *shape):
    generator = torch().Generator(device="cuda").manual_seed(seed)
    return torch().randn(*shape, device="cuda", generator=generator)


def documents(S):
    numbers = [number for number, part in enumerate(DOCUMENTS) for _ in range(part * S // 64)]
    return [on_gpu([numbers], "int32")]


def block_table(S):
    blocks = S // 128
    listed = torch().rand(blocks, blocks, device="cuda", generator=torch().Generator(device="cuda").manual_seed(1))
    diagonal = torch().eye(blocks, dtype=torch().bool, device="cuda")
    return [(listed < BLOCK_DENSITY - 1 / blocks) | diagonal]


def ancestors(S, nodes=64):
    """A tree whose node n has the parent (n - 1) / 2."""
    rows = []
    for node in range(nodes):
        rows.append([False] * nodes)
        while node >= 0:
            rows[-1][node] = True
            node = (node + 1) // 2 - 1
    return [on_gpu([rows], "bool")]


def slopes(S):
    return [on_gpu([2.0 ** (-8.0 * (h + 1) / HEADS) for h in range(HEADS)], "float32")]


def sinks(S):
    return [random(2, HEADS)]


def causal(c, b, h, i, j):
    return j <= i


def document(c, b, h, i, j):
    return c[0][b, i] == c[0][b, j]


def softcap(c, s, b, h, i, j):
    return 30.0 * torch().tanh(s / 30.0)


def alibi(c, s, b, h, i, j):
    return s - c[-1][h] * (i - j)


def bucket(n):
    """T5's bucket of a distance."""
    far = torch().clamp(n, min=16).float()
    shared = 16 + (torch().log2(far * 0.0625) * (16 / math.log2(8))).int()
    return torch().where(n < 16, torch().clamp(n, min=0), torch().clamp(shared, max=31))


def dilated(c, b, h, i, j):
    return (j <= i) & (i - j < 256) & (i % 4 == j % 4)


def strided(c, b, h, i, j):
    return (j <= i) & ((i - j < 64) | (j % 64 >= 56))


def local_global(c, b, h, i, j):
    return ((i - j <= 128) & (j - i <= 128)) | (i < 64) | (j < 64)


def neighbourhood(c, b, h, i, j):
    height, width = c
    y, x = torch().clamp(i // width, 3, height - 4), torch().clamp(i % width, 3, width - 4)
    dy, dx = j // width - y, j % width - x
    return (dy <= 3) & (dy >= -3) & (dx <= 3) & (dx >= -3)


def tree(c, b, h, i, j):
    nodes = c[0].shape[1]
    node = j - (c[1] - nodes)
    return (node < 0) | c[0][b, i, torch().clamp(node, min=0)]


def entries():
    """All lines of the benchmark."""
    both = lambda S: documents(S) + slopes(S)
    table = lambda S: [random(3, HEADS, 2 * S - 1)]
    return [
        Entry("full"),
        Entry("causal", keep=causal, plain="causal"),
        Entry("causal_bottom_right", plain="causal_bottom_right", queries=lambda S: S // 2,
              keep=lambda c, b, h, i, j: j <= i + c[0]),
        Entry("sliding_window", keep=lambda c, b, h, i, j: (j <= i) & (i - j <= 255)),
        Entry("local_global", keep=local_global),
        Entry("prefix_lm", keep=lambda c, b, h, i, j: (j <= i) | (j < c[0][b]), values=lambda S: [on_gpu([S // 4], "int32")]),
        Entry("document", keep=document, values=documents),
        Entry("document_causal", keep=lambda c, b, h, i, j: (j <= i) & document(c, b, h, i, j), values=documents),
        Entry("dilated", keep=dilated),
        Entry("strided", keep=strided),
        Entry("block_sparse", keep=lambda c, b, h, i, j: c[0][i // 128, j // 128], values=block_table),
        Entry("tree", keep=tree, values=ancestors, queries=lambda S: 64),
        Entry("chunked", keep=lambda c, b, h, i, j: (j <= i) & (i // 128 == j // 128)),
        Entry("softcap", "causal", causal, softcap),
        Entry("alibi", "causal", causal, alibi, slopes),
        Entry("t5_table", score=lambda c, s, b, h, i, j: s + c[0][h, j - i + (c[0].shape[1] - 1) // 2], values=table),
        Entry("t5_buckets", "causal", causal, lambda c, s, b, h, i, j: s + c[0][bucket(i - j), h],
              lambda S: [random(4, 32, HEADS)]),
        Entry("additive_bias", score=lambda c, s, b, h, i, j: s + c[0][0, h, i, j],
              values=lambda S: [random(5, 1, HEADS, S, S).to(torch().bfloat16)]),
        Entry("padding_bias", score=lambda c, s, b, h, i, j: s + c[0][b, 0, 0, j],
              values=lambda S: [on_gpu([0.0] * (S - 100) + [-math.inf] * 100, "float32").view(1, 1, 1, S)]),
        Entry("sinks", "causal", causal, values=sinks, sink=True),
        Entry("head_temperature", "causal", causal, lambda c, s, b, h, i, j: s / c[0][h],
              lambda S: [random(6, HEADS).abs() + 0.5]),
        Entry("neighbourhood", keep=neighbourhood, values=lambda S: [S // 128, 128]),
        Entry("window_sink_softcap", keep=lambda c, b, h, i, j: (j <= i) & (i - j <= 127), score=softcap, values=sinks, sink=True),
        Entry("document_alibi", keep=lambda c, b, h, i, j: (j <= i) & document(c, b, h, i, j), score=alibi, values=both),
    ]


@dataclasses.dataclass(frozen=True)
class MaskCase:
    entry: Entry
    S: int
    D: int

    @property
    def Sq(self):
        return self.entry.queries(self.S)

    def name(self):
        """What --only looks at."""
        return "%s D%d S%d" % (self.entry.name, self.D, self.S)

    def module(self, plain=False):
        """Names the artifact."""
        return "%s_d%d" % (self.entry.plain if plain else self.entry.name, self.D)


def cases():
    return [MaskCase(entry, S, D) for D in DEPTHS for S in LENGTHS for entry in entries()]
