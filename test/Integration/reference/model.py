"""Attention in numpy float64, written from the semantic contract alone.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np


def bits_to_float(array, dtype):
    """The numbers that an array of this element type holds; bf16 is kept as uint16."""
    if dtype == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def round_to(values, dtype):
    """float64 values rounded to nearest even in `dtype`; f32 and f64 are left alone."""
    if dtype == "f16":
        with np.errstate(over="ignore"):
            return values.astype(np.float16).astype(np.float64)
    if dtype != "bf16":
        return values
    result = np.array(values, dtype=np.float64)
    finite = np.isfinite(result) & (result != 0)
    _, exponent = np.frexp(result[finite])
    quantum = np.ldexp(1.0, np.maximum(exponent - 1, -126) - 7)
    rounded = np.rint(result[finite] / quantum) * quantum
    largest = np.ldexp(255.0, 120)
    result[finite] = np.where(np.abs(rounded) > largest, np.copysign(np.inf, rounded), rounded)
    return result


def lengths(case):
    """Lk[b], in positions of the whole."""
    j0 = case["base"][3]
    end = j0 + case["Skv"]
    if case["kv_lengths"] is None:
        return [end] * case["B"]
    return [min(max(int(n), 0), end) for n in case["kv_lengths"]]


def broadcast(array, b, h, i, j):
    """array[b or 0, h or 0, i or 0, j or 0] for column i and row j of positions."""
    pick = [position if size != 1 else np.zeros_like(position) for position, size in zip((b, h, i, j), array.shape)]
    return array[tuple(np.broadcast_arrays(*pick))]


def attention(case):
    """O, LSE, A, smax, O with weights and O rounded, for float64 arrays q, k, v, bias, ... of a case."""
    B, Hq, Sq, Skv = case["B"], case["Hq"], case["Sq"], case["Skv"]
    Dv = case["v"].shape[3]
    out = {
        "o": np.zeros((B, Hq, Sq, Dv)), "lse": np.full((B, Hq, Sq), -np.inf), "a": np.zeros((B, Hq, Sq, Dv)),
        "smax": np.zeros((B, Hq, Sq)), "rounded": np.zeros((B, Hq, Sq, Dv)),
    }
    if Hq == 0:
        return out
    group = Hq // case["k"].shape[1]
    b0, h0, i0, j0 = case["base"]
    all_lengths = lengths(case)
    for b in range(B):
        for h in range(Hq):
            length = all_lengths[b]
            n = max(min(length - j0, Skv), 0)  # keys of this problem that exist
            I = (i0 + np.arange(Sq, dtype=np.int64))[:, None]
            J = (j0 + np.arange(n, dtype=np.int64))[None, :]
            wb, wh = np.int64(b0 + b), np.int64(h0 + h)
            k, v = case["k"][b, h // group, :n], case["v"][b, h // group, :n]
            u = scores(case, case["q"][b, h], k, wb, wh, I, J, b, length)
            softmax(case, u, v, None if case["sink"] is None else case["sink"][h], out, b, h)
    return out


def scores(case, q, k, wb, wh, I, J, b, length):
    s = case["scale"] * np.einsum("id,jd->ij", q, k)
    t = s if case["score"] is None else case["score"](s, wb, wh, I, J)
    if case["bias"] is not None:
        t = t + broadcast(case["bias"], wb, wh, I, J)
    keep = np.ones(t.shape, bool)
    if case["mask"] is not None:
        keep &= broadcast(case["mask"], wb, wh, I, J)
    if case["mask_mod"] is not None:
        keep &= case["mask_mod"](wb, wh, I, J)
    off = {None: 0, "top_left": 0, "bottom_right": length - case["Sq"]}.get(case["diagonal"])
    if off is None:
        off = int(np.broadcast_to(case["offset"], (case["B"],))[b])
    if case["causal"]:
        keep &= J <= I + off
    left, right = case["window"]
    if left is not None:
        keep &= I + off - left <= J
    if right is not None:
        keep &= J <= I + off + right
    return np.where(keep, t, -np.inf)


def softmax(case, u, v, sink, out, b, h):
    for i in range(u.shape[0]):
        kept = u[i] != -np.inf
        m = np.max(np.append(u[i], -np.inf if sink is None else sink))
        if np.any(kept):
            out["smax"][b, h, i] = np.max(np.abs(u[i][kept]))
        if m == -np.inf:
            continue
        p = np.exp(u[i] - m)
        total = p.sum() + (0 if sink is None else np.exp(sink - m))
        p = (p / total)[kept]
        rows = v[kept]
        out["lse"][b, h, i] = m + np.log(total)
        out["o"][b, h, i] = (p[:, None] * rows).sum(0)
        out["a"][b, h, i] = (p[:, None] * np.abs(rows)).sum(0)
        # A kernel rounds the weights relative to the largest key, and divides at the end.
        largest = np.max(u[i], initial=-np.inf)
        weights = round_to(np.exp(u[i] - largest)[kept], case["dtype"])
        factor = np.exp(largest - m) / total
        out["rounded"][b, h, i] = round_to((weights[:, None] * rows).sum(0) * factor, case["out_dtype"])


def combine(outputs, lses, sink):
    """Merges parts [C, B, H, S, D]; an empty part weighs 0."""
    with_sink = lses if sink is None else np.concatenate(
        [lses, np.broadcast_to(sink[None, :, None], lses.shape[1:])[None]])
    m = with_sink.max(0) if len(with_sink) else np.full(outputs.shape[1:4], -np.inf)
    safe = np.where(m == -np.inf, 0, m)
    weights = np.exp(lses - safe)
    total = np.exp(with_sink - safe).sum(0)
    parts = np.where((lses == -np.inf)[..., None], 0, outputs)
    o = (weights[..., None] * parts).sum(0) / np.where(total == 0, 1, total)[..., None]
    return o, np.where(m == -np.inf, -np.inf, safe + np.log(np.where(total == 0, 1, total)))
