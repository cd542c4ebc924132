"""Compares the kernels of conversions.mlir with what numpy and a search among all numbers say.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1])


def convert(symbol, x, result_type):
    y = np.zeros(x.shape, result_type)
    words = []
    for array in (x, y):
        words += [array.ctypes.data, array.ctypes.data, 0, array.size, 1]
    packed = (ctypes.c_uint64 * len(words))(*words)
    function = getattr(library, symbol)
    function.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    function.restype = None
    function(packed, 0, x.size, None)
    return y


def report(symbol, actual, expected):
    same = (actual.view(f"u{actual.itemsize}") == expected.view(f"u{expected.itemsize}"))
    both_nan = np.isnan(widen(actual)) & np.isnan(widen(expected))
    print(f"{symbol}: {actual.size} numbers, {np.count_nonzero(~(same | both_nan))} differ")


def widen(array):
    return (array.astype(np.uint32) << 16).view(np.float32) if array.dtype == np.uint16 else array


def around_ties(values, largest, dtype):
    """All finite values, what lies between neighbours, and the numbers of `dtype` just beside both."""
    finite = np.unique(values[np.isfinite(values)].astype(np.float64))
    middles = (finite[1:] + finite[:-1]) / 2
    points = np.concatenate([finite, middles, [largest, -largest, 1e300, -1e300, 1e-300, -1e-300]])
    with np.errstate(over="ignore"):
        points = points.astype(dtype)
        beside = [np.nextafter(points, dtype(np.inf)), np.nextafter(points, dtype(-np.inf))]
    return np.ascontiguousarray(np.concatenate([points, *beside, np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], dtype)]))


def to_bf16(x):
    """The nearest bf16 number, the even one of two, by arithmetic in f64."""
    x = x.astype(np.float64)
    result = x.copy()
    finite = np.isfinite(x) & (x != 0)
    _, exponent = np.frexp(x[finite])
    quantum = np.ldexp(1.0, np.maximum(exponent - 1, -126) - 7)
    rounded = np.rint(x[finite] / quantum) * quantum
    with np.errstate(over="ignore"):
        # 2^128, the first number that is too large, becomes infinity in f32.
        result[finite] = np.copysign(rounded, x[finite])
        return (result.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


bits = np.arange(65536, dtype=np.uint32).astype(np.uint16)
halves, brains = bits.view(np.float16), (bits.astype(np.uint32) << 16).view(np.float32)
report("f16_to_f32", convert("f16_to_f32", halves, np.float32), halves.astype(np.float32))
report("bf16_to_f32", convert("bf16_to_f32", bits, np.float32), brains)
for dtype, name in ((np.float32, "f32"), (np.float64, "f64")):
    x = around_ties(halves, 65520.0, dtype)
    with np.errstate(over="ignore"):
        report(f"{name}_to_f16", convert(f"{name}_to_f16", x, np.float16), x.astype(np.float16))
for dtype, name in ((np.float32, "f32"), (np.float64, "f64")):
    x = around_ties(brains, float(2.0**128 - 2.0**119), dtype)
    report(f"{name}_to_bf16", convert(f"{name}_to_bf16", x, np.uint16), to_bf16(x))
