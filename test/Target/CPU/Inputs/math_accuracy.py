# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the vector functions of math.mlir with float64 over all ranges of f32."""

import ctypes
import math
import random
import struct
import sys

library = ctypes.CDLL(sys.argv[1])
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, -0.5, 2.0**-126, 2.0**-149, -(2.0**-149), 88.72283,
           88.7229, -87.33654, -87.34, 127.99999, 128.0, -126.0, -126.00001, -149.5, 3.4e38, -3.4e38, 65504.0, 65519.99,
           65520.0, 2.0**-24, 2.0**-25, 1.5 * 2.0**-25, 6.1e-5, 5.96e-8]


def to_f32(value):
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def run(name, inputs):
    padded = inputs + [0.0] * (-len(inputs) % 8)
    x = (ctypes.c_float * len(padded))(*padded)
    y = (ctypes.c_float * len(padded))()
    for i in range(0, len(padded), 8):
        px, py = ctypes.addressof(x), ctypes.addressof(y)
        words = (ctypes.c_uint64 * 10)(px, px, 0, len(padded), 1, py, py, 0, len(padded), 1)
        getattr(library, name)(words, ctypes.c_int64(i), ctypes.c_int64(i + 1), None)
    return list(y)[: len(inputs)]


def ulp(value):
    return 2.0 ** (max(math.frexp(value)[1] - 1, -126) - 23)


def same(x, y):
    return x == y or (math.isnan(x) and math.isnan(y))


def is_close(got, wanted, limit):
    if math.isnan(wanted) or math.isinf(to_f32(wanted)):
        return same(got, to_f32(wanted))
    # Results below the normal numbers may be flushed to zero.
    return abs(got - wanted) <= limit * ulp(wanted) or (abs(wanted) < 2.0**-126 and got == 0)


def check(name, function, spans, limit):
    random.seed(1)
    inputs = [to_f32(x) for x in SPECIAL]
    for low, high in spans:
        inputs += [to_f32(random.uniform(low, high)) for _ in range(20000)]
    inputs += [to_f32(math.copysign(2.0 ** random.uniform(-30, 3), random.random() - 0.5)) for _ in range(20000)]
    for x, got in zip(inputs, run(name, inputs)):
        wanted = function(x)
        if not is_close(got, wanted, limit):
            sys.exit(f"{name}({x!r}) = {got!r}, wanted {wanted!r}")
    print(name, "within", limit, "ulps")


def exp2(x):
    return math.nan if math.isnan(x) else math.inf if x >= 128 else 0.0 if x < -200 else 2.0**x


def exp(x):
    return math.nan if math.isnan(x) else math.inf if x > 89 else 0.0 if x < -150 else math.exp(x)


def log(x):
    return math.nan if x < 0 or math.isnan(x) else -math.inf if x == 0 else x if x == math.inf else math.log(x)


def check_rounding(name, digits, smallest_exponent, largest):
    """Rounds to `digits` binary digits, to nearest even."""
    random.seed(2)
    inputs = [to_f32(x) for x in SPECIAL]
    for _ in range(40000):
        inputs.append(struct.unpack("<f", struct.pack("<I", random.getrandbits(32)))[0])
        inputs.append(to_f32(math.copysign(2.0 ** random.uniform(-27, 17), random.random() - 0.5)))
    for x, got in zip(inputs, run(name, inputs)):
        wanted = x
        if not (math.isnan(x) or math.isinf(x) or x == 0):
            unit = 2.0 ** (max(math.frexp(x)[1] - 1, smallest_exponent) - digits + 1)
            wanted = round(x / unit) * unit
            wanted = wanted if abs(wanted) <= largest else math.copysign(math.inf, x)
        if not same(got, wanted):
            sys.exit(f"{name}({x!r}) = {got!r}, wanted {wanted!r}")
    print(name, "exact")


check("exp2", exp2, [(-150, 130), (-1, 1)], 2)
check("exp", exp, [(-105, 90), (-1, 1)], 2)
check("log", log, [(0, 4), (0.5, 1.5), (0, 1e38)], 2)
check("tanh", math.tanh, [(-10, 10), (-1, 1)], 3)
check_rounding("bf16", 8, -126, (2 - 2.0**-7) * 2.0**127)
check_rounding("f16", 11, -14, 65504.0)
