"""Arrays with arbitrary strides for kernels, and calls of CPU kernels.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import mmap
import struct

import numpy as np

STORAGE = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16, "f64": np.float64, "i1": np.uint8,
           "i32": np.int32, "i64": np.int64}
PAGE = mmap.PAGESIZE
libc = ctypes.CDLL(None, use_errno=True)
keep_alive = []


def guarded(size, dtype):
    """A flat array whose end is the end of readable memory: a read past it is a fault."""
    storage = np.dtype(STORAGE[dtype])
    num_bytes = size * storage.itemsize
    pages = (num_bytes + PAGE - 1) // PAGE + 1
    memory = mmap.mmap(-1, pages * PAGE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if libc.mprotect(ctypes.c_void_p(base + (pages - 1) * PAGE), ctypes.c_size_t(PAGE), 0) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    keep_alive.append(memory)
    return np.frombuffer(memory, storage, size, (pages - 1) * PAGE - num_bytes)


def strided(rng, shape, dtype, can_broadcast):
    """An array of this shape in a random order of dimensions, padded, reversed or broadcast, up to the end of memory."""
    order = rng.permutation(len(shape)) if rng.random() < 0.5 else np.arange(len(shape))
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        if can_broadcast and rng.random() < 0.1:
            continue
        strides[dim] = step
        step *= max(shape[dim], 1)
        if rng.random() < 0.3:
            step += int(rng.integers(1, 4))
    offset = 0
    for dim in range(len(shape)):
        if shape[dim] > 0 and rng.random() < 0.15:
            offset += strides[dim] * (shape[dim] - 1)
            strides[dim] = -strides[dim]
    last = 1 + sum(abs(stride) * (size - 1) for stride, size in zip(strides, shape)) if 0 not in shape else 0
    flat = guarded(max(last, 1), dtype)
    item = flat.itemsize
    start = flat[offset:] if last else flat
    return np.lib.stride_tricks.as_strided(start, shape, [stride * item for stride in strides])


def words_of(value, dtype):
    """The 8-byte words by which a kernel takes an array or scalar."""
    if isinstance(value, np.ndarray):
        address = value.ctypes.data
        strides = [stride // value.itemsize for stride in value.strides]
        # The offset is taken as a kernel sees it: address = aligned pointer + offset.
        return [address, address - 8 * value.itemsize, 8, *value.shape, *strides]
    if dtype == "f32":
        return [struct.unpack("<I", struct.pack("<f", value))[0]]
    return [int(value)]


def call(library, symbol, arguments, num_tasks):
    """Runs the tasks of a kernel; `arguments` are pairs of value and element type."""
    words = [word & (2**64 - 1) for value, dtype in arguments for word in words_of(value, dtype)]
    packed = (ctypes.c_uint64 * max(len(words), 1))(*words)
    scratch = ctypes.create_string_buffer((1 << 20) + 128)
    address = (ctypes.addressof(scratch) + 127) // 128 * 128
    function = getattr(library, symbol)
    function.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    function.restype = None
    function(packed, 0, num_tasks, address)
