"""Inputs of the test cases: arrays by formula, rounded to their type, and views of them.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

GOLDEN = 0.6180339887498949
LARGEST = {"f32": 3.4028234663852886e38, "bf16": 3.3895313892515355e38, "f16": 65504.0}


def round_to(dtype, values):
    """Values rounded to nearest even, in the type in which they travel: bf16 as f32, f16 and f32 as they are."""
    if dtype == "f16":
        with np.errstate(over="ignore"):
            return np.asarray(values, np.float64).astype(np.float16)
    single = np.asarray(values, np.float64).astype(np.float32)
    if dtype == "f32":
        return single
    bits = single.view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    rounded = np.where(np.isfinite(single), rounded, bits) & np.uint32(0xFFFF0000)
    return rounded.astype(np.uint32).view(np.float32)


def generator(c, shape, dtype):
    """frac((c + b + 7h + 31s + 101d) * golden) - 0.5, computed in 64 bits, rounded to the type."""
    b, h, s, d = np.ogrid[tuple(slice(size) for size in shape)]
    values = (c + b + 7.0 * h + 31.0 * s + 101.0 * d) * GOLDEN
    return round_to(dtype, values - np.floor(values) - 0.5)


def ramp(shape, dtype, value_of_key):
    """V[b, h, j, d] = value_of_key(j), or value_of_key(j, d) where it takes two."""
    j = np.arange(shape[2], dtype=np.float64)[:, None]
    d = np.arange(shape[3], dtype=np.float64)[None, :]
    row = value_of_key(j, d) if value_of_key.__code__.co_argcount == 2 else value_of_key(j) + 0 * d
    return round_to(dtype, np.broadcast_to(row, shape))


class Arg:
    """An argument of a run: a view of a buffer (offset, sizes and strides in elements), or a scalar."""

    def __init__(self, buffer, offset=0, sizes=None, strides=None):
        self.buffer = np.ascontiguousarray(buffer) if isinstance(buffer, np.ndarray) else buffer
        self.offset, self.sizes, self.strides = offset, sizes, strides

    def is_scalar(self):
        return not isinstance(self.buffer, np.ndarray)

    def value(self):
        """What the view shows, as an array, or the scalar."""
        if self.is_scalar() or self.sizes is None:
            return self.buffer
        item = self.buffer.itemsize
        flat = self.buffer.reshape(-1)
        if 0 in self.sizes:
            return np.zeros(self.sizes, self.buffer.dtype)
        return np.lib.stride_tricks.as_strided(flat[self.offset:], self.sizes, [stride * item for stride in self.strides])

    def text(self, path):
        """The value of --arg for a buffer that is stored at `path`, or for `@N`, the memory of another argument."""
        if self.is_scalar():
            return repr(self.buffer.item() if hasattr(self.buffer, "item") else self.buffer)
        if self.sizes is None:
            return path if not path.startswith("@") else "%s,offset=0,dims=%s,strides=%s" % (
                path, ":".join(map(str, self.buffer.shape)), ":".join(map(str, contiguous_strides(self.buffer.shape))))
        return "%s,offset=%d,dims=%s,strides=%s" % (path, self.offset, ":".join(map(str, self.sizes)),
                                                    ":".join(map(str, self.strides)))


def contiguous_strides(sizes):
    """Strides of a contiguous array."""
    strides = [1] * len(sizes)
    for i in range(len(sizes) - 2, -1, -1):
        strides[i] = strides[i + 1] * sizes[i + 1]
    return strides


def broadcast(values, dim):
    """A view that repeats index 0 of one dimension by a stride of 0, of the size that it had."""
    strides = contiguous_strides(values.shape)
    strides[dim] = 0
    return Arg(values, 0, list(values.shape), strides)


def in_rows(values, width, offset=0):
    """The same values as rows of `width` elements in a wider buffer that starts `offset` elements later."""
    sizes = list(values.shape)
    rows = int(np.prod(sizes[:-1]))
    buffer = np.full(offset + rows * width, 77, values.dtype)
    buffer[offset:].reshape(rows, width)[:, :sizes[-1]] = values.reshape(rows, sizes[-1])
    strides = [stride // max(sizes[-1], 1) * width for stride in contiguous_strides(sizes)[:-1]] + [1]
    return Arg(buffer, offset, sizes, strides)


def transposed_heads(values):
    """(B, H, S, D) values stored as (B, S, H, D)."""
    b, h, s, d = values.shape
    return Arg(np.ascontiguousarray(values.transpose(0, 2, 1, 3)), 0, [b, h, s, d], [s * h * d, d, h * d, 1])


def packed_qkv(q, k, v):
    """Three views of one (B, S, 3, H, D) buffer."""
    b, h, s, d = q.shape
    buffer = np.ascontiguousarray(np.stack([x.transpose(0, 2, 1, 3) for x in (q, k, v)], axis=2))
    strides = [s * 3 * h * d, d, 3 * h * d, 1]
    return [Arg(buffer, which * h * d, [b, h, s, d], strides) for which in range(3)]


def every_other(values):
    """The same values with an innermost stride of 2."""
    buffer = np.full(values.shape + (2,), 77, values.dtype)
    buffer[..., 0] = values
    return Arg(buffer.reshape(-1), 0, list(values.shape), [2 * stride for stride in contiguous_strides(values.shape)])
