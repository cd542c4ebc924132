#!/usr/bin/env python3
"""Times artifacts on few queries and many keys, where a call is so short that the host's part of it would be in the way.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: few_queries.py --runtime=libfovea_runtime.so --out=OUT.json [--size=B,Hq,Hkv,Sq,Skv ...] [--depth=D] NAME=FILE.fovea ...
Needs PyTorch with CUDA. A FILE has a function of bf16 Q, K and V of that depth, over any batch, heads and lengths, as `fovea-tune
pack` and pack_peers.py make them. A reading is a replay of a CUDA graph of 20 calls, divided by them: "cold" where these take turns at so many
K and V that none is in the L2 cache, "hot" with one K and V; medians of 5. PyTorch's FlashAttention-2 and cuDNN are timed too.
"""
import argparse
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "hardware")]
from fovea import CUDA, Device, FoveaError, Runtime, tensor  # noqa: E402
from needs import need  # noqa: E402

torch = need("torch", "timing few queries", "PyTorch with CUDA")
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402
from torch.nn.functional import scaled_dot_product_attention  # noqa: E402

CALLS, READINGS, CACHE_BYTES = 20, 5, 220e6
SIZES = ("1,8,8,64,2048", "1,8,8,64,8192", "1,8,8,64,32768", "1,8,8,128,8192", "1,16,16,64,8192", "1,32,8,1,1024", "1,32,8,1,4096",
         "1,32,8,1,16384", "1,32,8,1,32768", "1,32,8,1,131072", "2,32,8,1,16384")
PEERS = {"FlashAttention-2": SDPBackend.FLASH_ATTENTION, "cuDNN": SDPBackend.CUDNN_ATTENTION}
TOLERANCE = 1e-2  # relative error by the norm; a right kernel has a quarter of it


def time_graph(stream, calls):
    """Microseconds of a call; `calls` are made in turns."""
    for call in calls:
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for number in range(CALLS):
            calls[number % len(calls)]()
    graph.replay()
    times = []
    for _ in range(READINGS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / CALLS * 1e3)
    return statistics.median(times)


class Problem:
    """Q, and so many pairs of K and V that they don't fit the L2 cache."""

    def __init__(self, size, depth):
        b, hq, hkv, sq, skv = size
        random = lambda *shape: torch.randn(*shape, depth, device="cuda", dtype=torch.bfloat16)
        pair_bytes = 2 * b * hkv * skv * depth * 2
        self.query, self.grouped = random(b, hq, sq), hq != hkv
        self.pairs = [(random(b, hkv, skv), random(b, hkv, skv)) for _ in range(max(1, min(8, int(CACHE_BYTES / pair_bytes) + 1)))]
        self.expected = scaled_dot_product_attention(self.query, *self.pairs[0], enable_gqa=self.grouped).float()
        torch.cuda.synchronize()

    def artifact_calls(self, function, device):
        """(calls, one for each pair; the variant that runs), or a FoveaError."""
        value = lambda t: tensor("bf16", t.data_ptr(), t.shape, t.stride())
        output = torch.full_like(self.query, float("nan"))
        arguments = [[value(self.query), value(k), value(v)] for k, v in self.pairs]
        size = function.workspace_bytes(device, arguments[0])
        workspace = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
        launches = [function.launcher(device, each, [value(output)], workspace.data_ptr() if size else None, size)
                    for each in arguments]
        torch.cuda.synchronize()
        launches[0]()
        torch.cuda.synchronize()
        error = float((output.float() - self.expected).norm() / self.expected.norm())
        if not error <= TOLERANCE:
            raise FoveaError("wrong: relative error %.1e" % error)
        keep = lambda launch: lambda: (launch(), output, workspace)
        return [keep(launch) for launch in launches], function.variant(device, arguments[0], [value(output)])

    def peer_calls(self):
        return [lambda k=k, v=v: scaled_dot_product_attention(self.query, k, v, enable_gqa=self.grouped) for k, v in self.pairs]


def time_calls(stream, calls):
    return {"cold": time_graph(stream, calls), "hot": time_graph(stream, calls[:1])}


def measure(size, depth, functions, device, stream):
    """{name: {"cold": us, "hot": us}, or why there is none}"""
    problem, found = Problem(size, depth), {}
    for name, function in functions.items():
        try:
            calls, variant = problem.artifact_calls(function, device)
            found[name] = {**time_calls(stream, calls), "variant": variant}
        except FoveaError as failure:
            found[name] = {"failed": str(failure).splitlines()[0]}
    for name, backend in PEERS.items():
        try:
            with sdpa_kernel(backend), torch.cuda.stream(stream):
                found[name] = time_calls(stream, problem.peer_calls())
        except RuntimeError as failure:
            found[name] = {"failed": str(failure).splitlines()[0]}
    return found


def main():
    parser = argparse.ArgumentParser(description="Times artifacts on few queries and many keys, in CUDA graphs.")
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--size", action="append", help="B,Hq,Hkv,Sq,Skv")
    parser.add_argument("--depth", type=int, default=128)
    parser.add_argument("artifacts", nargs="+", metavar="NAME=FILE")
    options = parser.parse_args()
    stream = torch.cuda.Stream()
    device, runtime, functions = Device(backend=CUDA, stream=stream.cuda_stream), Runtime(options.runtime), {}
    for entry in options.artifacts:
        name, path = entry.split("=", 1)
        functions[name] = runtime.load(path)
        functions[name].prepare(device)
    results = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "depth": options.depth, "us": {}}
    for size in options.size or SIZES:
        results["us"][size] = measure([int(n) for n in size.split(",")], options.depth, functions, device, stream)
        print(size, json.dumps(results["us"][size]), flush=True)
        with open(options.out, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
