"""A plain Triton flash-attention forward kernel, the kind that a tutorial on attention from scratch writes.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Tiles of 64 queries by 64 keys, one program for a block of queries of one batch, [batch, n, d] contiguous, causal; products
in Triton's default precision (TF32 for f32), scaled queries kept in the type of the inputs.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def forward_kernel(q_ptr, k_ptr, v_ptr, o_ptr, n, scale, D: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr):
    block, batch = tl.program_id(0), tl.program_id(1)
    base = batch.to(tl.int64) * n * D
    rows, cols = block * BQ + tl.arange(0, BQ), tl.arange(0, D)
    q = tl.load(q_ptr + base + rows[:, None] * D + cols[None, :], mask=rows[:, None] < n, other=0.0)
    q = (q * scale).to(k_ptr.dtype.element_ty)
    top = tl.full([BQ], float("-inf"), tl.float32)
    total = tl.zeros([BQ], tl.float32)
    acc = tl.zeros([BQ, D], tl.float32)
    for start in range(0, tl.minimum((block + 1) * BQ, n), BK):
        keys = start + tl.arange(0, BK)
        k = tl.load(k_ptr + base + keys[:, None] * D + cols[None, :], mask=keys[:, None] < n, other=0.0)
        v = tl.load(v_ptr + base + keys[:, None] * D + cols[None, :], mask=keys[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k))
        s = tl.where((rows[:, None] >= keys[None, :]) & (keys[None, :] < n), s, float("-inf"))
        new_top = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - new_top[:, None])
        shrink = tl.exp(top - new_top)
        total = total * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v)
        top = new_top
    o = acc / total[:, None]
    tl.store(o_ptr + base + rows[:, None] * D + cols[None, :], o.to(o_ptr.dtype.element_ty), mask=rows[:, None] < n)


def triton_attention(q, k, v, out):
    """Causal attention over [batch, n, d]."""
    batch, n, d = q.shape
    forward_kernel[(triton.cdiv(n, 64), batch)](q, k, v, out, n, d ** -0.5, D=d, BQ=64, BK=64)
    return out


def supports(dtype, d):
    return d in (16, 32, 64, 128) and dtype in (torch.float32, torch.bfloat16)
