"""A float64 evaluation of the semantics in numpy, and the rule by which results are near it.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

It is written from docs/semantics.md alone, so that it also judges the compiler's own reference.
"""
import numpy as np

from inputs import round_to
from problem import apply_mask_mod, apply_score_mod

UNIT = {"bf16": 2.0 ** -8, "f16": 2.0 ** -11, "f32": 2.0 ** -24}
# The smallest number of a type: how far those are apart that are too small for a full significand.
SMALLEST = {"bf16": 2.0 ** -133, "f16": 2.0 ** -24, "f32": 2.0 ** -149}


class Reference:
    """O, LSE, A (the reference over |V|), smax, the number of keys, and O with weights and O rounded to their types."""

    def repeat(self, batches):
        """The reference of so many batches that are equal to the one of this."""
        for name, array in vars(self).items():
            setattr(self, name, np.broadcast_to(array, (batches,) + array.shape[1:]))


def positions_of(values, shape):
    """Positions in the whole, as index arrays that broadcast to (B, H, Sq, Skv)."""
    base = [int(values.get(name, 0)) for name in ("b0", "h0", "i0", "j0")]
    return [index + start for index, start in zip(np.ogrid[tuple(slice(size) for size in shape)], base)]


def select_whole(array, positions):
    """A bias or mask, read at the positions of the whole; dimensions of size 1 broadcast."""
    index = [np.zeros_like(position) if size == 1 else np.minimum(position, size - 1)
             for position, size in zip(positions, array.shape)]
    return array[tuple(index)]


def kept(problem, values, positions, shape, lengths):
    """Which (b, h, i, j) are kept."""
    b, h, i, j = positions
    sq = shape[2]
    keep = np.broadcast_to(j < lengths[:, None, None, None], shape).copy()
    keep &= np.arange(shape[3]) < shape[3]
    pair = apply_mask_mod(problem.mask_mod, positions, values)
    if problem.mask is not None:
        pair = pair & select_whole(values["mask"], positions)
    if problem.block_map is not None:
        state = select_whole(values["block_map"], (b, h, i // problem.map_block[0], j // problem.map_block[1]))
        pair = (state != 0) & (pair | (state == 2))
    keep &= pair
    if problem.causal or problem.window:
        off = {"top_left": lambda: np.zeros(shape[0], np.int64), "bottom_right": lambda: lengths - sq,
               "offset": lambda: np.full(shape[0], values["offset"]),
               "offsets": lambda: np.asarray(values["offset"])}[problem.diagonal]()
        diagonal = i + off[:, None, None, None]
        if problem.causal:
            keep &= j <= diagonal
        left, right = problem.window or (None, None)
        if left is not None:
            keep &= j >= diagonal - left
        if right is not None:
            keep &= j <= diagonal + right
    return keep


def scores(problem, values, positions, group):
    """t[b, h, i, j] in float64: scaled products, score region, bias."""
    q = values["q"].astype(np.float64)
    k = np.repeat(values["k"].astype(np.float64), group, axis=1)
    scale = values.get("scale", problem.scale)
    scale = 1.0 / np.sqrt(problem.d) if scale is None else float(np.float32(scale))
    t = apply_score_mod(problem.score, scale * (q @ k.swapaxes(2, 3)), positions, values)
    if problem.bias is not None:
        t = t + select_whole(values["bias"].astype(np.float64), positions)
    return t


def softmax_parts(u, sink):
    """exp(u - m), the sum l and the maximum m of each row, with an optional sink; an empty row has m = -inf."""
    m = u.max(axis=3, initial=-np.inf)
    if sink is not None:
        m = np.maximum(m, sink[None, :, None])
    safe = np.where(np.isneginf(m), 0.0, m)
    e = np.exp(u - safe[..., None])
    l = e.sum(axis=3)
    if sink is not None:
        l = l + np.exp(sink[None, :, None] - safe)
    return e, l, m


def reference(problem, values):
    """Evaluates a problem on its (already rounded) inputs."""
    result = Reference()
    with np.errstate(all="ignore"):
        shape = values["q"].shape[:3] + (values["k"].shape[2],)
        group = shape[1] // values["k"].shape[1] if values["k"].shape[1] else 1
        positions = positions_of(values, shape)
        lengths = np.full(shape[0], shape[3], np.int64)
        if problem.kv_lengths:
            lengths = np.asarray(values["kv_lengths"], np.int64)
            lengths = np.clip(lengths, 0, None) if problem.base else np.clip(lengths, 0, shape[3])
        elif problem.base:
            lengths = lengths + int(values["j0"])
        keep = kept(problem, values, positions, shape, lengths)
        # Storage past a length is never data.
        past = ~np.broadcast_to(positions[3] < lengths[:, None, None, None], shape[:1] + (1, 1) + shape[3:])[:, 0, 0]
        v = np.where(past[:, None, :, None], 0.0, values["v"].astype(np.float64))
        t = scores(problem, values, positions, group)
        u = np.where(keep, t, -np.inf)
        sink = values["sink"].astype(np.float64) if problem.sink else None
        e, l, m = softmax_parts(u, sink)
        weight = np.where(l[..., None] == 0, 0.0, e / l[..., None])
        v = np.repeat(v, group, axis=1)
        result.o = weight @ v
        result.a = weight @ np.abs(v)
        result.lse = np.where(l == 0, -np.inf, m + np.log(l))
        result.smax = np.abs(np.where(keep & np.isfinite(t), t, 0.0)).max(axis=3, initial=0.0)
        result.keys = np.maximum(np.minimum(lengths, shape[3]), 0)[:, None, None]
        # A kernel rounds the weights relative to the largest key, and divides at the end; a sink joins after that.
        e, _, largest = softmax_parts(u, None)
        factor = np.where(np.isneginf(largest), 0.0, np.exp(largest - m) / l)[..., None]
        rounded = (round_to(problem.dtype, e).astype(np.float64) @ v) * factor
        result.rounded = round_to(problem.out_type(), np.where(factor == 0, 0.0, rounded))
        result.keep = keep
    return result


def tolerances(problem, ref):
    """Allowed errors of O and of LSE, element by element."""
    slack = 2.0 ** -24 * (8 + 8 * ref.smax + np.sqrt(ref.keys))
    if problem.tf32:
        slack = slack + 2.0 ** -10 * (1 + ref.smax)
    u_p = 0.0 if problem.dtype == "f32" else UNIT[problem.dtype]
    rounding = np.maximum(UNIT[problem.out_type()] * ref.a, SMALLEST[problem.out_type()] / 2)
    return (u_p + slack)[..., None] * ref.a + rounding, slack


def worst(error, allowed):
    """(how often the allowed error is used up, where), for a message."""
    with np.errstate(all="ignore"):
        ratio = np.where(error <= allowed, 0.0, np.where(allowed > 0, error / allowed, np.inf))
    ratio = np.where(np.isnan(error), np.inf, ratio)
    index = np.unravel_index(int(np.argmax(ratio)), ratio.shape) if ratio.size else ()
    return (float(ratio[index]) if ratio.size else 0.0), index


def compare(actual, expected, allowed, name):
    """None, or a message that says where `actual` is too far off. Infinities and NaN must stand at the same places."""
    if actual.shape != expected.shape:
        return "%s has shape %s, expected %s" % (name, actual.shape, expected.shape)
    with np.errstate(all="ignore"):
        same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
        error = np.where(same, 0.0, np.abs(actual.astype(np.float64) - expected))
        error = np.where(np.isfinite(expected) | same, error, np.inf)
    ratio, index = worst(error, np.broadcast_to(np.nan_to_num(allowed, nan=np.inf), error.shape))
    if ratio == 0.0:
        return None
    return "%s%s is %r, expected %r, %.1f times the allowed error" % (
        name, [int(i) for i in index], float(actual[index]), float(expected[index]), ratio)


def allowed_norm(ref):
    """What the rule on norms allows ||O - ref|| to be."""
    return max(1.3 * np.linalg.norm(ref.rounded.astype(np.float64) - ref.o), 1e-4 * np.linalg.norm(ref.o))


def norm_message(problem, actual, ref):
    """The rule on norms for 16-bit types: at most 1.3 times the error of the rounded reference."""
    if problem.dtype == "f32" or not np.isfinite(ref.o).all() or not np.linalg.norm(ref.o):
        return None
    scale = np.linalg.norm(ref.o)
    mine, allowed = np.linalg.norm(actual.astype(np.float64) - ref.o), allowed_norm(ref)
    return None if mine <= allowed else "||O - ref|| / ||ref|| is %.3g, allowed %.3g" % (mine / scale, allowed / scale)


def near(problem, values, o, lse, ref=None):
    """None, or a message that says why the results are not near the reference."""
    ref = ref or reference(problem, values)
    allowed_o, allowed_lse = tolerances(problem, ref)
    message = compare(o, ref.o, allowed_o, "O") or norm_message(problem, o, ref)
    if message is None and lse is not None:
        message = compare(lse, ref.lse, allowed_lse, "LSE")
    return message


def used_error(problem, o, ref):
    """The largest part of the allowed error of O that is used up, over finite elements."""
    allowed = tolerances(problem, ref)[0]
    with np.errstate(all="ignore"):
        part = np.abs(o.astype(np.float64) - ref.o) / allowed
    part = part[np.isfinite(part)]
    return float(part.max()) if part.size else 0.0
