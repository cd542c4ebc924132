"""The attention problems that peers.py times, and the functions that Fovea compiles for them.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses

LENGTHS = (512, 1024, 2048, 4096, 8192, 16384)
TOKENS, WIDTH = 16384, 2048


@dataclasses.dataclass(frozen=True)
class Case:
    """A problem; `window` is the number of keys that a query sees, its own and those before it (0: all)."""
    group: str
    B: int
    H: int
    Hk: int
    Sq: int
    Sk: int
    D: int
    Dv: int
    dtype: str = "bf16"
    causal: bool = False
    window: int = 0

    def mask(self):
        return "window%d" % self.window if self.window else "causal" if self.causal else "full"

    def name(self):
        """What --only looks at."""
        depth = "%d" % self.D if self.D == self.Dv else "%d/%d" % (self.D, self.Dv)
        heads = "%d" % self.H if self.H == self.Hk else "%d/%d" % (self.H, self.Hk)
        length = "%d" % self.Sq if self.Sq == self.Sk else "%dx%d" % (self.Sq, self.Sk)
        return "%s %s D%s %s S%s B%d H%s" % (self.group, self.dtype, depth, self.mask(), length, self.B, heads)

    def module(self):
        """Names the artifact; it serves all sizes but the depths."""
        depth = "d%d" % self.D if self.D == self.Dv else "d%dv%d" % (self.D, self.Dv)
        return "%s_%s_%s" % (self.dtype, depth, self.mask())

    def pairs(self):
        """Pairs of query and key that count: half of a square under a causal mask, as is usual, and all in a window."""
        if self.window:
            inside = min(self.window, self.Sq)
            return inside * (inside + 1) // 2 + (self.Sq - inside) * inside
        return self.Sq * self.Sk / (2 if self.causal else 1)

    def flops(self):
        return 2.0 * self.pairs() * (self.D + self.Dv) * self.H * self.B


def square(group, b, h, s, d, dtype="bf16", **fields):
    """As many key heads as query heads, as many keys as queries."""
    return Case(group, b, h, fields.pop("hk", h), s, s, d, fields.pop("dv", d), dtype, **fields)


def models():
    """Shapes of models: lengths, batches and depths that no grid has."""
    full = [
        square("vision", 64, 12, 197, 64), square("vision", 16, 16, 577, 64), square("vision", 32, 16, 257, 80), square("vision", 8, 16, 729, 72),
        square("text", 32, 16, 384, 64), square("speech", 8, 20, 1500, 64),
        square("image", 2, 8, 4096, 40), square("image", 2, 10, 4096, 64), Case("image", 2, 10, 10, 4096, 77, 64, 64),
        square("image", 2, 20, 1024, 64), square("image", 2, 24, 4250, 64), square("image", 1, 24, 4608, 128),
        square("video", 1, 48, 17776, 64), square("video", 1, 12, 32760, 128)]
    causal = [
        square("prefill", 1, 32, 1000, 128, hk=8, causal=True), square("prefill", 1, 32, 4000, 128, hk=8, causal=True),
        square("prefill", 4, 32, 2048, 128, hk=8, causal=True), square("prefill", 1, 28, 3000, 128, hk=4, causal=True),
        square("prefill", 1, 8, 4096, 128, hk=1, causal=True), square("prefill", 1, 8, 131072, 128, hk=1, causal=True),
        square("prefill", 1, 64, 8192, 64, hk=8, causal=True), square("prefill", 1, 32, 2048, 80, causal=True),
        square("prefill", 1, 32, 4096, 96, causal=True), square("prefill", 1, 16, 4096, 256, hk=8, causal=True),
        square("prefill", 1, 8, 2048, 256, hk=1, causal=True), square("training", 8, 12, 1024, 64, causal=True),
        square("training", 4, 40, 4096, 128, causal=True)]
    return full + causal


def cases():
    """All cases, the small ones of each group first."""
    found = []
    for d in (64, 128, 256):
        for causal in (False, True):
            found += [square("grid", TOKENS // s, WIDTH // d, s, d, causal=causal) for s in LENGTHS]
    found += [square("gqa", 1, 32, s, 128, hk=8, causal=True) for s in (2048, 8192, 32768)]
    found += [square("mla", 1, 16, 8192, 192, dv=128, causal=True)]
    found += [square("small", 1, 16, 512, 128), square("small", 1, 8, 1024, 64), Case("small", 1, 8, 8, 64, 8192, 128, 128)]
    found += [square("window", 1, 16, 16384, 128, causal=True), square("window", 1, 16, 16384, 128, causal=True, window=1024)]
    for causal in (False, True):
        found += [square("f16", TOKENS // s, 16, s, 128, "f16", causal=causal) for s in (1024, 4096, 16384)]
    return found + models()


MODULE = """func.func @f(%q: tensor<{q}>, %k: tensor<{q}>, %v: tensor<{v}>) -> tensor<{v}> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<{q}>
  %h = tensor.dim %q, %c1 : tensor<{q}>
  %s = tensor.dim %q, %c2 : tensor<{q}>
  %init = tensor.empty(%b, %h, %s) : tensor<{v}>
  %o = attn.attention ins(%q, %k, %v : tensor<{q}>, tensor<{q}>, tensor<{v}>){clause} outs(%init : tensor<{v}>){flags}
  return %o : tensor<{v}>
}}
"""


def module_text(case):
    """The IR of a case's function, over any batch, heads and lengths; without LSE."""
    clause = " window(%d, 0, top_left)" % (case.window - 1) if case.window else " causal(top_left)" if case.causal else ""
    kind = lambda depth: "?x?x?x%dx%s" % (depth, case.dtype)
    return MODULE.format(q=kind(case.D), v=kind(case.Dv), clause=clause, flags="")
