#!/usr/bin/env python3
"""What weights relative to an old maximum cost: an emulation of kernels that round them to 16 bits for the product with V.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Blocks of `--keys` keys are visited from the last to the first; a row takes a new maximum where a score is more than 2^lag
in weight above the old one. The numbers are ||O - ref|| / ||ref|| as parts of what the norm rule of docs/semantics.md
allows (1: all of it). Scores are normal with the given standard deviations, or those of a random case: --case KIND SEED.
Usage: weights.py [--types f16 bf16] [--out f32] [--lags 8 0] [--deviations 2 6] [--keys 128] [--case random_linear 22]
                  [--below X | --above X]
With --below or --above it fails where not every number is so.
"""
import argparse
import sys

import numpy as np

import judge
from inputs import round_to
from problem import Problem
from random_cases import random_cases

LOG2E = np.log2(np.e)


def largest_of(scores, before, lag):
    """The maxima that a block's weights are relative to."""
    top = np.maximum(before, scores.max(axis=-1))
    return np.where((top > before + lag / LOG2E) | np.isneginf(before), top, before)


def attend(problem, u, v, sink, lag, keys):
    """O of masked scores u [B, H, Sq, Skv]: weights rounded, all else exact but for the rounding of O."""
    m, total, acc = np.full(u.shape[:3], -np.inf), np.zeros(u.shape[:3]), np.zeros(u.shape[:3] + v.shape[3:])
    for begin in reversed(range(0, u.shape[3], keys)):
        block = slice(begin, begin + keys)
        new = largest_of(u[..., block], m, lag)
        finite = np.where(np.isneginf(new), 0.0, new)
        weights, rescale = np.exp(u[..., block] - finite[..., None]), np.exp(m - finite)
        total = total * rescale + weights.sum(axis=-1)
        acc = acc * rescale[..., None] + round_to(problem.dtype, weights).astype(np.float64) @ v[..., block, :]
        m = new
    if sink is not None:
        joined = np.maximum(m, sink[None, :, None])
        total, acc = total * np.exp(m - joined), acc * np.exp(m - joined)[..., None]
        total = total + np.exp(sink[None, :, None] - joined)
    return round_to(problem.out_type(), acc / np.where(total == 0, 1.0, total)[..., None])


def masked_scores(problem, values, ref):
    group = values["q"].shape[1] // values["k"].shape[1]
    positions = judge.positions_of(values, ref.keep.shape)
    return np.where(ref.keep, judge.scores(problem, values, positions, group), -np.inf)


def part_of_limit(problem, values, lag, keys):
    """||O - ref|| as a part of what is allowed."""
    ref = judge.reference(problem, values)
    v = np.repeat(values["v"].astype(np.float64), values["q"].shape[1] // values["v"].shape[1], axis=1)
    sink = values["sink"].astype(np.float64) if problem.sink else None
    o = attend(problem, masked_scores(problem, values, ref), v, sink, lag, keys)
    return np.linalg.norm(o.astype(np.float64) - ref.o) / judge.allowed_norm(ref)


def spread(dtype, out, deviation):
    """A problem whose scores are the bias."""
    random = np.random.default_rng(1)
    values = dict(q=np.zeros((1, 2, 192, 16), np.float32), k=np.zeros((1, 2, 400, 16), np.float32),
                  v=round_to(dtype, random.standard_normal((1, 2, 400, 64))),
                  bias=round_to("f32", deviation * random.standard_normal((1, 2, 192, 400))))
    return Problem(dtype=dtype, d=16, dv=64, bias="bhqk", bias_type="f32", **({"out": out} if out else {})), values


def problems(options):
    """(label, problem, values)"""
    if options.case:
        kind, seed = options.case
        case = next(random_cases(1, int(seed), kind))
        yield case.name, case.problem, {name: arg.value() for name, arg in case.arguments().items()}
        return
    for dtype in options.types:
        for deviation in options.deviations:
            yield "%s, deviation %g" % (dtype, deviation), *spread(dtype, options.out, deviation)


def main():
    parser = argparse.ArgumentParser(description="Emulates weights relative to an old maximum.")
    parser.add_argument("--types", nargs="+", default=["f16", "bf16"])
    parser.add_argument("--out", help="type of O (default: that of the inputs)")
    parser.add_argument("--lags", nargs="+", type=float, default=[8, 4, 2, 0])
    parser.add_argument("--deviations", nargs="+", type=float, default=[1, 2, 4, 10])
    parser.add_argument("--keys", type=int, default=128, help="keys of a block")
    parser.add_argument("--case", nargs=2, metavar=("KIND", "SEED"), help="a case of random_cases.py")
    parser.add_argument("--below", type=float)
    parser.add_argument("--above", type=float)
    options = parser.parse_args()
    print("| | " + " | ".join("lag %g" % lag for lag in options.lags) + " |")
    found = []
    for label, problem, values in problems(options):
        parts = [part_of_limit(problem, values, lag, options.keys) for lag in options.lags]
        print("| %s | " % label + " | ".join("%.3f" % part for part in parts) + " |", flush=True)
        found += parts
    fails = options.below is not None and max(found) >= options.below
    return 1 if fails or options.above is not None and min(found) <= options.above else 0


if __name__ == "__main__":
    sys.exit(main())
