#!/usr/bin/env python3
#
# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the judge of test/Integration/cases must take, and what it must not.

The reference rounded to the types of the results is as close as a result can be. One that is two more of the smallest numbers of f16
away is wrong where numbers are too small for a full significand.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
import judge  # noqa: E402
from inputs import round_to  # noqa: E402
from random_cases import random_cases  # noqa: E402

# f16 with results of the order of 1e-5, and with rows whose sink takes nearly all the weight.
CASES = (("random_long", 30), ("random", 142))


def verdicts(kind, seed):
    case = next(random_cases(1, seed, kind))
    values = {name: arg.value() for name, arg in case.arguments().items()}
    ref = judge.reference(case.problem, values)
    best = round_to(case.problem.out_type(), ref.o)
    small = (np.abs(ref.o) < 2.0 ** -14) & (ref.a > 0)
    far = np.where(small, best.astype(np.float64) + 2.0 ** -23, best).astype(best.dtype)
    lse = ref.lse.astype(np.float32) if case.problem.lse else None
    return int(small.sum()), judge.near(case.problem, values, best, lse, ref), judge.near(case.problem, values, far, lse, ref)


def main():
    for kind, seed in CASES:
        count, best, far = verdicts(kind, seed)
        print("%s %d: %d small numbers; rounded: %s; two off: %s" % (kind, seed, count, best or "near", far or "near"))


main()
