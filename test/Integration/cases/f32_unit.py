#!/usr/bin/env python3
"""How much of the allowed error of LSE the scores of f32 inputs use up: an emulation of f32 products on a matrix unit.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Two ways to make them: `tf32`, the three large products of a high and a low part, in chains of 32 columns that are added with
rounding; `pieces`, the six large products of three pieces of 8 bits, where each sum of 16 products of first pieces begins at
zero and what adding it rounds away is kept with the smaller products. Those of lib/Target/NVPTX: Tf32Dot.cpp, PiecesDot.cpp.
The problems have one key, whose score may be small though its products are not: the bound of LSE does not see them.
Usage: f32_unit.py [--ways tf32 pieces] [--depths 64 256] [--bits 25] [--products 8] [--case random 58]
                   [--below X | --above X]
`--bits` and `--products` (of TF32; twice as many of 16 bits) are those of matrix_unit.py. With --below or --above it fails
where the largest number is not so.
"""
import argparse
import sys

import numpy as np

import judge
from inputs import round_to
from matrix_unit import add_step
from problem import Problem
from random_cases import random_cases

CHAIN, PIECE_STEP = 32, 16


def single(values):
    return values.astype(np.float32).astype(np.float64)


def to_tf32(values):
    """Rounded to 11 bits, halves away from zero."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)


def to_bf16(values):
    return round_to("bf16", values).astype(np.float64)


def split(values, rounding, count):
    """`count` pieces whose sum is the values, but for what the last one rounds away."""
    pieces = []
    for _ in range(count):
        pieces.append(rounding(values))
        values = values - pieces[-1]
    return pieces


class Unit:
    """Sums of products of columns [first, last) of a [..., M, K] and b [..., N, K], from a sum on."""

    def __init__(self, bits, products):
        self.bits, self.products = bits, products

    def add(self, total, a, b, first, last):
        for step in range(first, last, self.products):
            columns = slice(step, min(step + self.products, last))
            total = add_step(total, a[..., :, None, columns], b[..., None, :, columns], self.bits)
        return total


def tf32(q, k, bits, products):
    """The product as f32, by high and low parts."""
    unit, zero = Unit(bits, products), np.zeros(q.shape[:-1] + k.shape[-2:-1])
    (qh, ql), (kh, kl), total = split(q, to_tf32, 2), split(k, to_tf32, 2), zero
    for first in range(0, q.shape[-1], CHAIN):
        part = zero
        for step in range(first, min(first + CHAIN, q.shape[-1]), 8):
            last = min(step + 8, q.shape[-1])
            for a, b in ((ql, kh), (qh, kl), (qh, kh)):
                part = unit.add(part, a, b, step, last)
        total = single(total + part)
    return total


def add_two(a, b):
    """The rounded sum and what it rounds away."""
    total = single(a + b)
    added = single(total - a)
    return total, single(single(a - single(total - added)) + single(b - added))


def pieces(q, k, bits, products):
    """The product as f32, by pieces of 8 bits."""
    unit, zero = Unit(bits, 2 * products), np.zeros(q.shape[:-1] + k.shape[-2:-1])
    q, k, total, rest = split(q, to_bf16, 3), split(k, to_bf16, 3), zero, zero
    for first in range(0, q[0].shape[-1], PIECE_STEP):
        last = min(first + PIECE_STEP, q[0].shape[-1])
        for a, b in ((2, 0), (0, 2), (1, 1), (1, 0), (0, 1)):
            rest = unit.add(rest, q[a], k[b], first, last)
        total, error = add_two(total, unit.add(zero, q[0], k[0], first, last))
        rest = single(rest + error)
    return single(total + rest)


def used_error(problem, values, way, bits, products):
    """The largest part of the allowed error of LSE; each row has one key at most."""
    ref = judge.reference(problem, values)
    q, k = values["q"].astype(np.float64), values["k"].astype(np.float64)
    scale = 1 / np.sqrt(problem.d) if problem.scale is None else problem.scale
    scores = way(q, np.repeat(k, q.shape[1] // k.shape[1], axis=1), bits, products) * float(np.float32(scale))
    if problem.bias is not None:
        scores = scores + judge.select_whole(values["bias"].astype(np.float64), judge.positions_of(values, scores.shape))
    used = np.abs(single(scores)[..., 0] - ref.lse) / judge.tolerances(problem, ref)[1]
    return float(used[ref.keep[..., 0]].max())


def problems(options):
    """(label, problem, values)"""
    if options.case:
        case = next(random_cases(1, int(options.case[1]), options.case[0]))
        yield case.name, case.problem, {name: arg.value() for name, arg in case.arguments().items()}
        return
    for depth in options.depths:
        for scale in (None, 1.0):
            random = np.random.default_rng(3)
            values = {name: round_to("f32", random.standard_normal((2, 2, rows, depth)))
                      for name, rows in (("q", 100), ("k", 1), ("v", 1))}
            yield "D=%d, scale %s" % (depth, scale or "1/sqrt(D)"), Problem(dtype="f32", d=depth, scale=scale), values


def main():
    parser = argparse.ArgumentParser(description="Emulates f32 products of matrix units.")
    parser.add_argument("--ways", nargs="+", default=["tf32", "pieces"], choices=["tf32", "pieces"])
    parser.add_argument("--depths", nargs="+", type=int, default=[16, 64, 256])
    parser.add_argument("--bits", type=int, default=25)
    parser.add_argument("--products", type=int, default=8)
    parser.add_argument("--case", nargs=2, metavar=("KIND", "SEED"), help="a case of random_cases.py with one key")
    parser.add_argument("--below", type=float)
    parser.add_argument("--above", type=float)
    options = parser.parse_args()
    largest, ways = 0.0, {"tf32": tf32, "pieces": pieces}
    print("| | " + " | ".join(options.ways) + " |")
    for label, problem, values in problems(options):
        used = [used_error(problem, values, ways[way], options.bits, options.products) for way in options.ways]
        largest = max(largest, *used)
        print("| %s | " % label + " | ".join("%.2f" % part for part in used) + " |", flush=True)
    fails = options.below is not None and largest >= options.below or options.above is not None and largest <= options.above
    return 1 if fails else 0


if __name__ == "__main__":
    sys.exit(main())
