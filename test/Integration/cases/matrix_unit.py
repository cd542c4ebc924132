#!/usr/bin/env python3
"""How much of the allowed error of LSE the sums of a matrix unit use up: an emulation of its additions.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A step adds `--products` products and the sum before: each is cut off at `--bits` bits below the leading bit of the largest,
and the new sum at the last bit of an f32. Parts of `--part` columns are summed up so and added with rounding. 16 products
and 25 bits give the results of an H200; 8 and 24 are what is published of the A100.
Usage: matrix_unit.py [--types f16 bf16] [--depths 256] [--parts 256 64] [--bits 25] [--products 16] [--below X | --above X]
With --below or --above it fails where the largest number is not so.
"""
import argparse
import sys

import numpy as np

import judge
from inputs import round_to
from open_cases import qkv
from problem import Problem

FEW, LARGE = (2, 4, 2, 65, 63), (1, 2, 2, 40, 70)


def exponents(values):
    """The exponent of the leading bit; far below all others for 0."""
    return np.where(values == 0, -300, np.frexp(values)[1] - 1)


def cut_off(values, last):
    """Values without the bits below 2^last."""
    unit = np.exp2(last.astype(np.float64))
    return np.trunc(values / unit) * unit


def add_step(total, a, b, bits):
    """The sum after one instruction; a is [..., M, 1, K] and b [..., 1, N, K]."""
    largest = np.maximum((exponents(a) + exponents(b)).max(axis=-1), exponents(total))
    total = cut_off(a * b, (largest - bits)[..., None]).sum(axis=-1) + cut_off(total, largest - bits)
    return cut_off(total, exponents(total) - 23)


def product(q, k, part, bits, products):
    """Q K^T as float64 that holds f32 values."""
    depth, total = q.shape[-1], np.zeros(())
    for begin in range(0, depth, part):
        own = np.zeros(q.shape[:-1] + k.shape[-2:-1])
        for step in range(begin, min(begin + part, depth), products):
            columns = slice(step, min(step + products, begin + part))
            own = add_step(own, q[..., :, None, columns], k[..., None, :, columns], bits)
        total = (total + own).astype(np.float32).astype(np.float64)
    return total


def used_error(problem, q, k, v, part, bits, products):
    """The largest part of the allowed error of LSE that is used up where the product of scores, the scaled maximum and LSE
    are rounded, and nothing else is."""
    ref = judge.reference(problem, dict(q=q, k=k, v=v))
    keys = np.repeat(k.astype(np.float64), q.shape[1] // k.shape[1], axis=1)
    scale = np.float32(1 / np.sqrt(problem.d))
    scores = np.where(ref.keep, product(q.astype(np.float64), keys, part, bits, products), -np.inf)
    with np.errstate(all="ignore"):
        _, total, _ = judge.softmax_parts(scores * float(scale), None)
        largest = (scores.max(axis=3) * scale).astype(np.float32).astype(np.float64)
        used = np.abs((largest + np.log(total)).astype(np.float32) - ref.lse) / judge.tolerances(problem, ref)[1]
    return float(used[np.isfinite(used)].max())


def one_sign(dtype, b, hq, hkv, s, skv, d):
    """Inputs whose products all have one sign, and no short significands."""
    random = np.random.default_rng(5)
    return [round_to(dtype, random.uniform(0.5, 1, (b, h, rows, d))) for h, rows in ((hq, s), (hkv, skv), (hkv, skv))]


def cases(dtype, d):
    """(label, problem, arrays); the inputs of the first two are those of test cases."""
    bottom = Problem(dtype=dtype, d=d, causal=True, diagonal="bottom_right")
    top = Problem(dtype=dtype, d=d, causal=True, diagonal="top_left")
    yield "few keys", bottom, qkv(dtype, *FEW, d)
    yield "scores of thousands", top, [round_to(dtype, x.astype(np.float64) * 100) for x in qkv(dtype, *LARGE, d)]
    yield "scores of tens", top, [round_to(dtype, x.astype(np.float64) * 4) for x in qkv(dtype, *LARGE, d)]
    yield "one sign", top, one_sign(dtype, *LARGE, d)


def main():
    parser = argparse.ArgumentParser(description="Emulates the score product of matrix units.")
    parser.add_argument("--types", nargs="+", default=["f16", "bf16"])
    parser.add_argument("--depths", nargs="+", type=int, default=[256])
    parser.add_argument("--parts", nargs="+", type=int, default=[256, 128, 64, 32])
    parser.add_argument("--bits", type=int, default=25)
    parser.add_argument("--products", type=int, default=16)
    parser.add_argument("--below", type=float)
    parser.add_argument("--above", type=float)
    options = parser.parse_args()
    largest = 0.0
    print("| type | D | part | " + " | ".join(label for label, _, _ in cases("f16", 16)) + " |")
    for dtype in options.types:
        for d in options.depths:
            for part in sorted({min(part, d) for part in options.parts}, reverse=True):
                used = [used_error(problem, *arrays, part, options.bits, options.products)
                        for _, problem, arrays in cases(dtype, d)]
                largest = max(largest, *used)
                print("| %s | %d | %d | " % (dtype, d, part) + " | ".join("%.2f" % x for x in used) + " |", flush=True)
    fails = options.below is not None and largest >= options.below or options.above is not None and largest <= options.above
    return 1 if fails else 0


if __name__ == "__main__":
    sys.exit(main())
