#!/usr/bin/env python3
"""Times Fovea's kernels on a GPU against PyTorch's FlashAttention-2, unfused attention and a Triton kernel.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: gpu_vs_torch.py --pack PACK --out OUT.json [--rounds N] [--only fa2|tutorial] [--quick]
Needs PyTorch with CUDA, Triton for the Triton rows, and a pack of tools/hardware/pack.py (artifacts in PACK/bench).
All sides of a row run on the same tensors, in rounds of random order. Each call is timed alone by two CUDA events after the
L2 cache was overwritten and a spin has let the host run ahead; a figure is the median. Every side's output is compared with
Fovea's. Memory is the peak above the inputs of one call, output included.
"""
import argparse
import json
import math
import os
import random
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hardware"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fovea import CUDA, Device, Runtime, tensor  # noqa: E402
from needs import need  # noqa: E402

torch = need("torch", "timing PyTorch's kernels", "PyTorch with CUDA")

NAMES = {torch.bfloat16: "bf16", torch.float32: "f32"}


class Fovea:
    """Launches of the artifacts in a pack."""

    def __init__(self, pack):
        library = os.path.join(pack, "libfovea_runtime.so")
        self.runtime, self.folder, self.functions = Runtime(library), os.path.join(pack, "bench"), {}

    def function(self, name):
        if name not in self.functions:
            self.functions[name] = self.runtime.load(os.path.join(self.folder, name + ".fovea"))
        return self.functions[name]

    def call(self, q, k, v, causal):
        """A callable that computes attention over (B, H, S, D) views into a tensor that it returns."""
        kind = NAMES[q.dtype]
        function = self.function("%s_d%d%s" % (kind, q.shape[3], "_causal" if causal else ""))
        device = Device(backend=CUDA, stream=torch.cuda.current_stream().cuda_stream)
        value = lambda t: tensor(kind, t.data_ptr(), t.shape, t.stride())
        arguments = [value(t) for t in (q, k, v)]
        size = function.workspace_bytes(device, arguments)

        def make():
            out = torch.empty_like(q)
            workspace = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
            launch = function.launcher(device, arguments, [value(out)], workspace.data_ptr() if size else None, size)
            return lambda: (launch(), out, workspace)[1]
        return make


def unfused(q, k, v, causal, mask):
    """matmul, mask, softmax, matmul."""
    s = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5)
    if causal:
        s = s.masked_fill(mask, float("-inf"))
    return torch.softmax(s, -1) @ v


def flash(q, k, v, causal):
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


class Timer:
    """Medians of single calls, sides in random order."""

    def __init__(self, rounds):
        self.rounds = rounds
        self.cache = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
        self.random = random.Random(1)

    def once(self, call):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.cache.zero_()
        torch.cuda._sleep(400000)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end)

    def run(self, sides):
        """{side: milliseconds} of {side: callable}."""
        times = {name: [] for name in sides}
        for call in sides.values():
            for _ in range(3):
                call()
        for _ in range(self.rounds):
            order = list(sides)
            self.random.shuffle(order)
            for name in order:
                times[name].append(self.once(sides[name]))
        return {name: statistics.median(values) for name, values in times.items()}


def peak_memory(make):
    """Bytes above what is there already, of making and running one call."""
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    result = make()()
    torch.cuda.synchronize()
    peak = torch.cuda.max_memory_allocated() - before
    del result
    return peak


def largest_difference(a, b):
    return (a.float() - b.float()).abs().max().item()


def attempt(function, failures, label):
    """A call of the side, or None with a note where it cannot run."""
    try:
        function()
        torch.cuda.synchronize()
        return True
    except Exception as error:  # noqa: BLE001: whatever a peer raises is a note in the results
        failures.append("%s: %s" % (label, str(error).splitlines()[0][:200]))
        return False


def flash_rows(fovea, timer, quick, failures):
    """bf16, B * S = 16384, H * D = 2048: Fovea against FlashAttention-2."""
    rows = []
    for d in (64, 128):
        for s in (2048, 16384) if quick else (2048, 4096, 8192, 16384):
            for causal in (False, True):
                shape = (16384 // s, s, 2048 // d, d)
                q, k, v = (torch.randn(shape, device="cuda", dtype=torch.bfloat16).transpose(1, 2) for _ in range(3))
                ours = fovea.call(q, k, v, causal)()
                label = "d%d S%d %s" % (d, s, "causal" if causal else "full")
                sides = {"fovea": ours, "fa2": lambda: flash(q, k, v, causal)}
                sides = {name: call for name, call in sides.items() if attempt(call, failures, name + " " + label)}
                times = timer.run(sides)
                flops = 4 * s * s * 2048 * (16384 // s) / (2 if causal else 1)
                row = {"d": d, "s": s, "causal": causal, "ms": times,
                       "tflops": {name: flops / ms * 1e-9 for name, ms in times.items()}}
                if len(sides) == 2:
                    row["difference"] = largest_difference(ours(), flash(q, k, v, causal))
                    row["ratio"] = times["fa2"] / times["fovea"]
                print(label, {name: round(value, 1) for name, value in row["tflops"].items()}, round(row.get("ratio", 0), 3),
                      flush=True)
                rows.append(row)
    return rows


def tutorial_sides(fovea, q, k, v, mask):
    """{side: maker of a call} over [batch, n, d] tensors."""
    heads = [t.unsqueeze(1) for t in (q, k, v)]
    sides = {"fovea": fovea.call(*heads, True), "unfused": lambda: lambda: unfused(q, k, v, True, mask)}
    try:
        from triton_attention import supports, triton_attention
        if supports(q.dtype, q.shape[2]):
            sides["triton"] = lambda: (lambda out=torch.empty_like(q): triton_attention(q, k, v, out))
    except ImportError:
        pass
    return sides


def tutorial_rows(fovea, timer, quick, failures):
    """[batch, n, d] causal: Fovea against unfused attention and a Triton kernel."""
    rows = []
    for dtype in (torch.float32, torch.bfloat16):
        for d in (64,) if quick else (16, 32, 64, 128):
            for batch in (1, 64):
                for n in (1024, 8192) if quick else (256, 512, 1024, 2048, 4096, 8192):
                    rows.append(tutorial_row(fovea, timer, dtype, d, batch, n, failures))
    return rows


def tutorial_row(fovea, timer, dtype, d, batch, n, failures):
    q, k, v = (torch.randn((batch, n, d), device="cuda", dtype=dtype) for _ in range(3))
    mask = torch.triu(torch.ones(n, n, dtype=torch.bool, device="cuda"), 1)
    label = "%s d%d batch %d n %d" % (NAMES[dtype], d, batch, n)
    makers = tutorial_sides(fovea, q, k, v, mask)
    makers = {name: make for name, make in makers.items()
              if attempt(lambda: make()(), failures, name + " " + label)}
    memory = {name: peak_memory(make) for name, make in makers.items()}
    calls = {name: make() for name, make in makers.items()}
    times = timer.run(calls)
    ours = calls["fovea"]().reshape(batch, n, d) if "fovea" in calls else None
    difference = {name: largest_difference(ours, call()) for name, call in calls.items()
                  if ours is not None and name != "fovea"}
    row = {"dtype": NAMES[dtype], "d": d, "batch": batch, "n": n, "ms": times, "peak_bytes": memory, "difference": difference}
    print(label, {name: round(ms, 4) for name, ms in times.items()}, {name: round(b / 2 ** 20, 1) for name, b in memory.items()},
          flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description="Times Fovea against PyTorch on a GPU.")
    parser.add_argument("--pack", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=("fa2", "tutorial"))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    fovea, timer, failures = Fovea(options.pack), Timer(options.rounds), []
    results = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "failures": failures}
    if options.only != "tutorial":
        results["flash"] = flash_rows(fovea, timer, options.quick, failures)
    if options.only != "fa2":
        results["tutorial"] = tutorial_rows(fovea, timer, options.quick, failures)
    ratios = [row["ratio"] for row in results.get("flash", []) if "ratio" in row]
    if ratios:
        results["flash_geomean"] = math.exp(sum(map(math.log, ratios)) / len(ratios))
    with open(options.out, "w") as file:
        json.dump(results, file, indent=1)
    print("\n".join(failures))
    return 0


sys.exit(main())
