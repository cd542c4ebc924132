"""Open cases: concrete tests for what users of other attention systems reported, each with a closed form or a bit rule.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

from inputs import (LARGEST, Arg, broadcast, contiguous_strides, every_other, generator, in_rows, packed_qkv, ramp, round_to,
                    transposed_heads)
from problem import Problem
from suite import Case

DTYPES = ("f32", "f16", "bf16")
LENGTHS = (1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000)


def qkv(dtype, b, hq, hkv, sq, skv, d, dv=None):
    """Generator inputs as arrays."""
    return (generator(1, (b, hq, sq, d), dtype), generator(2, (b, hkv, skv, d), dtype),
            generator(3, (b, hkv, skv, dv or d), dtype))


def flat_keys(dtype, b, hq, hkv, sq, skv, d, value, dv=None):
    """Q by the generator, K = 0 and V by a formula of the key: every kept key weighs the same."""
    q = generator(1, (b, hq, sq, d), dtype)
    return q, np.zeros((b, hkv, skv, d), q.dtype), ramp((b, hkv, skv, dv or d), dtype, value)


def args_of(q, k, v, **others):
    """Arguments by name; arrays and scalars are wrapped."""
    named = dict(others, q=q, k=k, v=v)
    return {name: value if isinstance(value, Arg) else Arg(value) for name, value in named.items()}


def case1():
    """Fully masked rows."""
    b, h, sq, skv, d = 2, 2, 70, 130, 64
    i, j = np.ogrid[:sq, :skv]
    visible = (i % 3 != 0) & (j < 10 + i)
    n = np.minimum(skv, 10.0 + np.arange(sq))
    empty = np.arange(sq) % 3 == 0
    o = np.where(empty, 0.0, (n - 1) / 256)[:, None]
    lse = np.where(empty, -np.inf, np.log(n))
    unmasked = np.where(i % 3 == 0, True, visible)
    others = lambda array: array[:, :, ~empty]
    for dtype in DTYPES:
        flat = flat_keys(dtype, b, h, h, sq, skv, d, lambda j: j / 128)
        random = qkv(dtype, b, h, h, sq, skv, d)
        for dims, shape in (("qk", (1, 1, sq, skv)), ("bhqk", (b, h, sq, skv))):
            problem = Problem(dtype=dtype, mask=dims)
            name = "case1 %s mask %s " % (dtype, dims)
            mask = np.broadcast_to(visible, shape)
            yield Case(name + "closed form", problem, args_of(*flat, mask=mask), expect=(o, lse))
            for which, rows in (("masked", visible), ("open", unmasked)):
                yield Case(name + "generator " + which, problem, args_of(*random, mask=np.broadcast_to(rows, shape)),
                           same=name, same_rows=others)
            yield Case(name + "all masked", problem, args_of(*random, mask=np.zeros(shape, bool)), expect=(0.0, -np.inf),
                       exact=True)
        yield Case("case1 %s region closed form" % dtype, Problem(dtype=dtype, mask_mod="thirds"), args_of(*flat),
                   expect=(o, lse))
        bias = np.where(visible, 0.0, -np.inf).astype(np.float32)[None, None]
        yield Case("case1 %s bias closed form" % dtype, Problem(dtype=dtype, bias="qk"), args_of(*flat, bias=bias),
                   expect=(o, lse))
        yield Case("case1 %s region reads the mask, closed form" % dtype, Problem(dtype=dtype, mask_mod="visible"),
                   args_of(*flat, visible=visible), expect=(o, lse))
        yield Case("case1 %s region all masked" % dtype, Problem(dtype=dtype, mask_mod="never"), args_of(*random),
                   expect=(0.0, -np.inf), exact=True)


def case2():
    """Lengths around every tile size."""
    for dtype in ("f16", "f32", "bf16"):
        problem = Problem(dtype=dtype)
        for skv in LENGTHS:
            yield Case("case2 %s skv %d" % (dtype, skv), problem,
                       args_of(*flat_keys(dtype, 2, 3, 3, 5, skv, 64, lambda j: 1 + 0 * j)),
                       expect=(1.0, np.log(skv)), options=("--guard",))
        for sq in LENGTHS:
            yield Case("case2 %s sq %d" % (dtype, sq), problem,
                       args_of(*flat_keys(dtype, 2, 3, 3, sq, 129, 64, lambda j: 1 + 0 * j)),
                       expect=(1.0, np.log(129.0)), options=("--guard",))


def case3():
    """Decode and causal."""
    plain = Problem(d=128)
    for diagonal in ("bottom_right", "top_left"):
        problem = Problem(d=128, causal=True, diagonal=diagonal)
        for sq in (1, 4):
            first = 513 - sq if diagonal == "bottom_right" else 0
            n = first + 1.0 + np.arange(sq)
            yield Case("case3 %s sq %d" % (diagonal, sq), problem,
                       args_of(*flat_keys("f16", 3, 2, 2, sq, 513, 128, lambda j: j / 1024)),
                       expect=(((n - 1) / 2048)[:, None], np.log(n)))
    random = args_of(*qkv("f16", 3, 2, 2, 1, 513, 128))
    yield Case("case3 generator causal", Problem(d=128, causal=True, diagonal="bottom_right"), random, same="case3")
    yield Case("case3 generator unmasked", plain, random, same="case3")


WINDOWS = ((3, 0), (0, 3), (63, 0), (64, 0), (65, 0), (3, 5), (127, 128), (0, 299))


def window_form(i, left, right, last):
    """O and LSE of a row for V[j] = j and equal weights."""
    low, high = np.maximum(0, i - left), np.minimum(last, i + right)
    return ((low + high) / 2.0)[:, None], np.log(high - low + 1.0)


def case4():
    """Window count."""
    for left, right in WINDOWS:
        problem = Problem(dtype="f32", window=(left, right), diagonal="bottom_right")
        for sq in (300, 20):
            i = np.arange(sq) + 300 - sq
            yield Case("case4 window (%d, %d) sq %d" % (left, right, sq), problem,
                       args_of(*flat_keys("f32", 1, 1, 1, sq, 300, 64, lambda j: j)),
                       expect=window_form(i, left, right, 299))
    problem = Problem(dtype="f32", window=(3, 0), diagonal="top_left")
    yield Case("case4 window (3, 0) top_left", problem, args_of(*flat_keys("f32", 1, 1, 1, 300, 300, 64, lambda j: j)),
               expect=window_form(np.arange(300), 3, 0, 299))


# tril as a tensor that the function computes.
COMPUTED_TRIL = (
    "%matrix = tensor.empty() : tensor<200x200xi1>",
    "%tril = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], "
    "iterator_types = [\"parallel\", \"parallel\"]} outs(%matrix : tensor<200x200xi1>) {",
    "^bb0(%before: i1):",
    "  %row = linalg.index 0 : index",
    "  %column = linalg.index 1 : index",
    "  %kept = arith.cmpi sle, %column, %row : index",
    "  linalg.yield %kept : i1",
    "} -> tensor<200x200xi1>",
    "%mask = tensor.expand_shape %tril [[0, 1, 2], [3]] output_shape [1, 1, 200, 200] "
    ": tensor<200x200xi1> into tensor<1x1x200x200xi1>")


def case5():
    """Equal masks written in different ways."""
    s = 200
    random = qkv("f16", 2, 2, 2, s, s, 64)
    flags = [dict(window=(199, 0)), dict(window=(200, 0)), dict(window=(None, 0)), dict(causal=True),
             dict(causal=True, diagonal="top_left")]
    for flag in flags:
        problem = Problem(**dict(dict(diagonal="bottom_right"), **flag))
        yield Case("case5 %s" % sorted(flag.items()), problem, args_of(*random), same="case5 causal")
    tril = np.tril(np.ones((1, 1, s, s), bool))
    yield Case("case5 mask", Problem(mask="qk"), args_of(*random, mask=tril))
    for words in ("causal", "causal_not", "causal_difference", "causal_unsigned", "causal_if"):
        yield Case("case5 region %s" % words, Problem(mask_mod=words), args_of(*random), same="case5 causal")
    yield Case("case5 region causal_i32", Problem(mask_mod="causal_i32"), args_of(*random))
    yield Case("case5 region reads the mask", Problem(mask_mod="visible"), args_of(*random, visible=tril[0, 0]))
    yield Case("case5 bias", Problem(bias="qk"),
               args_of(*random, bias=np.where(tril, 0.0, -np.inf).astype(np.float32)))
    computed = Problem(sq=s, skv=s, mask="qk", prologue=COMPUTED_TRIL, computed=("mask",))
    yield Case("case5 mask computed from indices", computed, args_of(*random, mask=tril), same="case5 causal")
    yield Case("case5 no mask", Problem(), args_of(*random), same="case5 open")
    yield Case("case5 open window", Problem(window=(None, None), diagonal="bottom_right"), args_of(*random),
               same="case5 open")


def alibi_form(i, heads):
    """O and LSE for V[j] = j, K = 0 and the bias -m (i - j), causal."""
    m = 2.0 ** -(np.arange(heads) + 1.0)[:, None]
    r = np.exp(-m)
    o = i - r / (1 - r) + (i + 1) * r ** (i + 1) / (1 - r ** (i + 1))
    return o[..., None], np.log((1 - r ** (i + 1)) / (1 - r))


def case6():
    """ALiBi: captured slopes, slopes from the head index, a bias tensor."""
    h, s = 4, 256
    slopes = (2.0 ** -(np.arange(h) + 1.0)).astype(np.float32)
    for dtype in ("f16", "f32"):
        for sq in (s, 1):
            off = s - sq
            i = np.arange(sq, dtype=np.float64) + off
            expect = alibi_form(i, h)
            flat = flat_keys(dtype, 1, h, h, sq, s, 64, lambda j: j)
            bias = -slopes[:, None, None] * (i[:, None] - np.arange(s)[None, :])
            common = dict(dtype=dtype, causal=True, diagonal="bottom_right")
            name = "case6 %s sq %d " % (dtype, sq)
            yield Case(name + "slopes", Problem(score="alibi", **common), args_of(*flat, slopes=slopes, off=off),
                       expect=expect)
            yield Case(name + "region", Problem(score="alibi_computed", **common), args_of(*flat, off=off), expect=expect)
            yield Case(name + "constant slopes", Problem(score="alibi_constant", **common), args_of(*flat, off=off),
                       expect=expect)
            yield Case(name + "table", Problem(score="alibi_table", **common),
                       args_of(*flat, off=off, penalties=slopes[:, None] * np.arange(s, dtype=np.float32)), expect=expect)
            yield Case(name + "bias", Problem(bias="hqk", **common), args_of(*flat, bias=bias[None].astype(np.float32)),
                       expect=expect)


def case7():
    """Bias: -inf, broadcast, type, alignment."""
    b, h, sq, skv = 2, 3, 9, 101
    j = np.arange(skv)
    halves = np.where(j % 2 == 0, 0.0, -np.inf)
    decay = -j * np.log(2.0)
    for dtype in ("f16", "bf16"):
        for dims in ("k", "bk", "hqk"):
            problem = Problem(dtype=dtype, bias=dims)
            shape = tuple(size if dim in dims else 1 for dim, size in zip("bhqk", (b, h, sq, skv)))
            for label, row, value, expect in (
                    ("half", halves, lambda j: j / 128, (50 / 128, np.log(51))),
                    ("decay", decay, lambda j: j, (1.0, np.log(2.0))),
                    ("lowest", np.full(skv, -3.4e38), lambda j: j / 128, (50 / 128, None))):
                flat = flat_keys(dtype, b, h, h, sq, skv, 64, value)
                bias = np.broadcast_to(row, shape).astype(np.float32)
                name = "case7 %s bias %s %s" % (dtype, dims, label)
                for layout, arg in (("", Arg(bias)), (" moved", in_rows(bias, 103, 1))):
                    yield Case(name + layout, problem, args_of(*flat, bias=arg), expect=expect, same=name,
                               flat=label == "lowest")
        yield Case("case7 %s bias read by a region" % dtype, Problem(dtype=dtype, score="bias_of_key"),
                   args_of(*flat_keys(dtype, b, h, h, sq, skv, 64, lambda j: j / 128), biases=halves.astype(np.float32)),
                   expect=(50 / 128, np.log(51)))
        per_row = (np.arange(sq) * 0.5 - 2).astype(np.float32).reshape(1, 1, sq, 1)
        flat = flat_keys(dtype, b, h, h, sq, skv, 64, lambda j: j / 128)
        name = "case7 %s bias per row" % dtype
        for layout, arg in (("", Arg(per_row)), (" moved", in_rows(per_row, 3, 1))):
            yield Case(name + layout, Problem(dtype=dtype, bias="q"), args_of(*flat, bias=arg),
                       expect=(50 / 128, np.log(101.0) + per_row[..., 0]), same=name)


def case8():
    """Broadcast strides."""
    b, h, sq, d = 2, 4, 40, 64
    problem = Problem()
    for skv in (32, 33, 64, 65, 97, 1025):
        q, k, v = qkv("f16", b, h, h, sq, skv, d)
        for dim, label in ((0, "batch"), (1, "head"), (2, "sequence")):
            views = [broadcast(array, dim) for array in (k, v)]
            copies = [np.ascontiguousarray(view.value()) for view in views]
            name = "case8 skv %d %s" % (skv, label)
            same = name if dim < 2 else None
            yield Case(name + " strided", problem, args_of(q, *views), same=same)
            yield Case(name + " copied", problem, args_of(q, *copies), same=same)
        view = broadcast(q, 1)
        name = "case8 skv %d query heads" % skv
        yield Case(name + " strided", problem, args_of(view, k, v), same=name)
        yield Case(name + " copied", problem, args_of(np.ascontiguousarray(view.value()), k, v), same=name)
    for dim, label in enumerate(("batch", "head", "query", "column")):
        strides = contiguous_strides([b, h, sq, d])
        strides[dim] = 0
        yield Case("case8 O with stride 0 over %s" % label, problem, args_of(*qkv("f16", b, h, h, sq, 33, d)),
                   must_refuse="result 0 .*give two elements one address", out_view=",strides=" + ":".join(map(str, strides)))


def case9():
    """Views."""
    b, h, s, d = 2, 4, 77, 64
    for dtype in ("f16", "f32"):
        problem = Problem(dtype=dtype)
        q, k, v = qkv(dtype, b, h, h, s, s, d)
        layouts = {
            "plain": (q, k, v),
            "packed": packed_qkv(q, k, v),
            "BSHD": [transposed_heads(array) for array in (q, k, v)],
            "rows of D+8": [in_rows(array, d + 8) for array in (q, k, v)],
            "rows of D+1": [in_rows(array, d + 1) for array in (q, k, v)],
            "only V": (q, k, transposed_heads(v)),
            "moved by one": [in_rows(array, d, 1) for array in (q, k, v)],
        }
        for label, views in layouts.items():
            yield Case("case9 %s %s" % (dtype, label), problem, args_of(*views), same="case9 " + dtype)
        yield Case("case9 %s innermost stride 2" % dtype, problem, args_of(*[every_other(array) for array in (q, k, v)]),
                   may_refuse="stride")
        yield Case("case9 %s one buffer" % dtype, problem, args_of(q, k, k), same="case9 shared " + dtype)
        yield Case("case9 %s two buffers" % dtype, problem, args_of(q, k, in_rows(k, d + 8)), same="case9 shared " + dtype)


def case10():
    """Zero sizes."""
    for b, h, sq, skv in ((0, 2, 4, 4), (2, 2, 0, 4), (2, 2, 4, 0), (0, 2, 0, 0), (2, 0, 4, 4), (0, 0, 0, 0)):
        arrays = qkv("f16", b, h, h, sq, skv, 64)
        expect = (0.0, -np.inf) if skv == 0 else None
        for label, problem in (("dynamic", Problem()), ("static", Problem(b=b, hq=h, hkv=h, sq=sq, skv=skv)),
                               ("causal", Problem(causal=True, diagonal="bottom_right"))):
            yield Case("case10 %s %s" % ((b, h, sq, skv), label), problem, args_of(*arrays), expect=expect,
                       exact=skv == 0, options=("--guard",))


DEPTHS = [(d, d) for d in (1, 4, 8, 20, 36, 40, 64, 72, 80, 96, 100, 112, 128, 160, 192, 256, 512)] + [
    (192, 128), (576, 512), (64, 512), (128, 64), (12, 5)]


def case11(brief=False):
    """Head dims; in brief the second closed form for f16 alone."""
    b, h, sq, skv = 2, 2, 33, 70
    for dtype in ("f16", "f32"):
        for d, dv in DEPTHS:
            refusal = "%d|%d" % (d, dv) if max(d, dv) > 256 else None
            problem = Problem(dtype=dtype, d=d, dv=dv)
            q, k, v = qkv(dtype, b, h, h, sq, skv, d, dv)
            name = "case11 %s D %d Dv %d" % (dtype, d, dv)
            yield Case(name, problem, args_of(q, k, v), may_refuse=refusal, options=("--guard",))
            if brief and dtype == "f32":
                continue
            flat = flat_keys(dtype, b, h, h, sq, skv, d, lambda j, c: c % 16 + j / 64, dv)
            i = np.arange(sq)[:, None]
            yield Case(name + " columns", Problem(dtype=dtype, d=d, dv=dv, causal=True, diagonal="top_left"),
                       args_of(*flat), expect=(np.arange(dv)[None, :] % 16 + i / 128.0, None), may_refuse=refusal)
        padded = [np.pad(array, ((0, 0), (0, 0), (0, 0), (0, 28))) for array in qkv(dtype, b, h, h, sq, skv, 36)]
        small = Problem(dtype=dtype, d=64, scale=36.0 ** -0.5)
        yield Case("case11 %s padded by hand" % dtype, small, args_of(*padded))
    o = np.array([[0.354102, -0.224465, 0.196968, -0.381599, 0.039833],
                  [-0.075263, -0.143257, 0.278176, -0.300391, 0.121042],
                  [-0.145087, -0.067626, 0.023760, -0.224761, 0.196672]])
    yield Case("case11 small numbers", Problem(dtype="f32", d=12, dv=5, causal=True, diagonal="top_left"),
               args_of(*qkv("f32", 1, 1, 1, 3, 3, 12, 5)), expect=(o, np.array([-0.096270, 0.570914, 0.966970])),
               printed=1e-6)


def case13(lengths=range(1, 501)):
    """One artifact for all shapes."""
    problem = Problem(causal=True, diagonal="bottom_right")
    for s in lengths:
        yield Case("case13 S %d" % s, problem, args_of(*qkv("f16", 1 + s % 3, 2, 2, s, s + 7, 64)))


FILLS = (("zero", lambda dtype: 0.0), ("nan", lambda dtype: np.nan), ("inf", lambda dtype: np.inf),
         ("largest", lambda dtype: LARGEST[dtype]))


def fill_past(array, lengths, value, dtype):
    """The array with everything past the lengths replaced."""
    filled = array.copy()
    for b, length in enumerate(lengths):
        filled[b, :, max(length, 0):] = round_to(dtype, value)
    return filled


def case16(sizes=(1, 5, 70)):
    """Lengths in device memory, garbage past them."""
    masks = {"plain": {}, "causal": dict(causal=True, diagonal="bottom_right"),
             "window": dict(window=(7, 0), diagonal="bottom_right")}
    for dtype in DTYPES:
        for d in (64, 80):
            for mask, flags in masks.items():
                problem = Problem(dtype=dtype, d=d, kv_lengths="i32", **flags)
                for sq in sizes:
                    q, k, v = qkv(dtype, 3, 2, 1, sq, 160, d)
                    name = "case16 %s D %d %s sq %d" % (dtype, d, mask, sq)
                    for lengths in ([0, 65, 160], [-3, 65, 1000], [160, 1, 33]):
                        stored = np.array(lengths, np.int32)
                        for label, value in FILLS:
                            filled = [fill_past(array, lengths, value(dtype), dtype) for array in (k, v)]
                            yield Case("%s %s %s" % (name, lengths, label), problem,
                                       args_of(q, *filled, kv_lengths=stored),
                                       same=name + ("" if lengths[0] <= 0 else " other"))
        q, k, v = qkv(dtype, 3, 2, 1, 5, 160, 64)
        yield Case("case16 %s region" % dtype, Problem(dtype=dtype, mask_mod="lengths"),
                   args_of(q, k, v, lengths=np.array([0, 65, 160], np.int32)))
        q, k, v = qkv(dtype, 3, 2, 1, 1, 160, 64)
        expected = args_of(q[1:2], k[1:2, :, :65], v[1:2, :, :65])
        yield Case("case16 %s first 65 keys" % dtype, Problem(dtype=dtype), expected)


CASES = {"case1": case1, "case2": case2, "case3": case3, "case4": case4, "case5": case5, "case6": case6, "case7": case7,
         "case8": case8, "case9": case9, "case10": case10, "case11": case11, "case13": case13, "case16": case16}
