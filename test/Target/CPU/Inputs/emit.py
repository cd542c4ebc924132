# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernel of emit.mlir as a launch does."""

import ctypes
import struct
import sys

library = ctypes.CDLL(sys.argv[1])
library.axpy.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
library.axpy.restype = None


def run(stride_y, offset_y):
    x = (ctypes.c_float * 3)(1.0, 2.0, 3.0)
    y = (ctypes.c_float * 6)()
    scratch = ctypes.create_string_buffer(8192 + 128)
    scratch_address = (ctypes.addressof(scratch) + 127) // 128 * 128
    px, py = ctypes.addressof(x), ctypes.addressof(y)
    a = struct.unpack("<I", struct.pack("<f", 2.0))[0]
    signed = [px, px, 0, 3, 1, py, py, offset_y, 3, stride_y, a, 1]
    words = (ctypes.c_uint64 * len(signed))(*[w & (2**64 - 1) for w in signed])
    library.axpy(words, 0, 3, scratch_address)
    return list(y)


print(run(2, 0))
print("reversed", run(-1, 2)[:3])
