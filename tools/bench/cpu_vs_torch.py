#!/usr/bin/env python3
# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times CPU attention of Fovea against PyTorch's scaled_dot_product_attention: same memory, same threads, one run.

Needs PyTorch, fovea-compile and libfovea_runtime.so (--build names the build folder). Both sides are timed in turns;
the medians are printed, as a table and with --json as a file. --cpu-time counts the processor time of the process
instead of the time on the clock: for one thread on a machine that does other work.
"""
import argparse
import ctypes
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "hardware"))
from needs import need  # noqa: E402

MLIR = """
!qkv = tensor<?x{heads}x?x{depth}x{type}>
func.func @attention(%q: !qkv, %k: !qkv, %v: !qkv) -> !qkv {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %init = tensor.empty(%batch, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) {causal} outs(%init : !qkv)
  return %o : !qkv
}}
"""
TYPES = {"f32": 0, "f16": 1, "bf16": 2}  # as in runtime.h


class Value(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("rank", ctypes.c_int32), ("data", ctypes.c_void_p),
                ("sizes", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("scalar", ctypes.c_uint64), ("buffer", ctypes.c_void_p), ("buffer_bytes", ctypes.c_uint64)]


class Device(ctypes.Structure):
    _fields_ = [("backend", ctypes.c_int), ("arch", ctypes.c_char_p), ("threads", ctypes.c_int32),
                ("parallel_for", ctypes.c_void_p), ("parallel_context", ctypes.c_void_p), ("stream", ctypes.c_void_p)]


class Kernel:
    """A compiled function and its workspace."""

    def __init__(self, build, options, dtype, heads, depth, causal, threads):
        self.runtime = ctypes.CDLL(os.path.join(build, "lib", "libfovea_runtime.so"))
        self.runtime.fovea_last_error.restype = ctypes.c_char_p
        with tempfile.TemporaryDirectory() as folder:
            source, artifact = os.path.join(folder, "a.mlir"), os.path.join(folder, "a.fovea")
            with open(source, "w") as file:
                mask = "causal(top_left)" if causal else ""
                file.write(MLIR.format(heads=heads, depth=depth, type=dtype, causal=mask))
            compiler = os.path.join(build, "bin", "fovea-compile")
            subprocess.run([compiler, source, "--target=cpu", "-o", artifact] + options, check=True)
            self.artifact = ctypes.c_void_p()
            self.check(self.runtime.fovea_artifact_load_file(artifact.encode(), ctypes.byref(self.artifact)))
        self.function = ctypes.c_void_p()
        self.check(self.runtime.fovea_artifact_find(self.artifact, b"attention", ctypes.byref(self.function)))
        self.device = Device(threads=threads)
        self.dtype = TYPES[dtype]

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.runtime.fovea_last_error().decode())

    def value(self, tensor):
        """A description of a torch tensor; the sizes live as long as the description."""
        sizes = (ctypes.c_int64 * 4)(*tensor.shape)
        strides = (ctypes.c_int64 * 4)(*tensor.stride())
        return Value(type=self.dtype, rank=4, data=tensor.data_ptr(), sizes=sizes, strides=strides)

    def bind(self, inputs, output):
        """A call without arguments that runs the function on these tensors."""
        arguments = (Value * 3)(*[self.value(tensor) for tensor in inputs])
        results = (Value * 1)(self.value(output))
        bytes_needed = ctypes.c_uint64()
        device = ctypes.byref(self.device)
        self.check(self.runtime.fovea_workspace_size(self.function, device, arguments, 3, ctypes.byref(bytes_needed)))
        memory = ctypes.create_string_buffer(bytes_needed.value + 128)
        address = ctypes.c_void_p((ctypes.addressof(memory) + 127) & ~127)

        def call(keep=(memory, inputs, output)):
            status = self.runtime.fovea_launch(self.function, device, arguments, 3, results, 1, address, bytes_needed)
            self.check(status)

        return call


def measure(sides, seconds, clock):
    """Runs all sides in turns for about `seconds` each; returns the median time of each."""
    times = [[] for _ in sides]
    for side in sides:
        side()
    end = time.perf_counter() + seconds * len(sides)
    while time.perf_counter() < end or len(times[0]) < 3:
        for side, record in zip(sides, times):
            start = clock()
            side()
            record.append(clock() - start)
    return [statistics.median(record) for record in times]


def run_case(arguments, torch, dtype, queries, keys, depth, causal):
    torch_type = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}[dtype]
    make = lambda length: torch.randn(1, arguments.heads, length, depth).to(torch_type)
    q, k, v = make(queries), make(keys), make(keys)
    output = torch.empty_like(q)
    kernel = Kernel(arguments.build, arguments.compile_option, dtype, arguments.heads, depth, causal, arguments.threads)
    ours = kernel.bind([q, k, v], output)
    attention = torch.nn.functional.scaled_dot_product_attention
    theirs = lambda: attention(q, k, v, is_causal=causal)
    clock = time.process_time if arguments.cpu_time else time.perf_counter
    sides = [ours, theirs]
    if arguments.also_mcpu:
        options = arguments.compile_option + ["--mcpu=" + arguments.also_mcpu]
        other = Kernel(arguments.build, options, dtype, arguments.heads, depth, causal, arguments.threads)
        sides.append(other.bind([q, k, v], torch.empty_like(q)))
    our_time, their_time, *other_times = measure(sides, arguments.seconds, clock)
    error = (output.float() - theirs().float()).abs().max().item()
    pairs = queries * keys if not causal else queries * (queries + 1) / 2
    flops = 4 * arguments.heads * pairs * depth
    return {"type": dtype, "Sq": queries, "Skv": keys, "D": depth, "causal": causal, "fovea_ms": our_time * 1e3,
            "torch_ms": their_time * 1e3, "ratio": their_time / our_time, "fovea_gflops": flops / our_time / 1e9,
            "max_difference": error, "other_ms": [t * 1e3 for t in other_times]}


def get_cases(arguments):
    for dtype in arguments.types.split(","):
        for depth in (64, 128):
            for length in (512, 2048, 4096):
                for causal in (False, True):
                    yield dtype, length, length, depth, causal
            for length in (4096, 32768):
                yield dtype, 1, length, depth, False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"), help="build folder")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--types", default="f32,bf16")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each side of a case")
    parser.add_argument("--cpu-time", action="store_true", help="processor time instead of wall time")
    parser.add_argument("--filter", default="", help="run cases whose line contains this, as 'f32 512 512 64'")
    parser.add_argument("--compile-option", action="append", default=[], help="passed to fovea-compile")
    parser.add_argument("--also-mcpu", help="time code for this CPU in the same rounds")
    parser.add_argument("--json", help="write the results to this file")
    arguments = parser.parse_args()
    torch = need("torch", "timing PyTorch's kernels", "PyTorch")
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    rows = []
    for dtype, queries, keys, depth, causal in get_cases(arguments):
        name = f"{dtype} {queries} {keys} {depth} {'causal' if causal else 'full'}"
        if arguments.filter not in name:
            continue
        row = run_case(arguments, torch, dtype, queries, keys, depth, causal)
        rows.append(row)
        other = "".join(f"   {arguments.also_mcpu} {t:9.3f} ms" for t in row["other_ms"])
        print(f"{name:28} fovea {row['fovea_ms']:9.3f} ms {row['fovea_gflops']:7.1f} GF/s   torch "
              f"{row['torch_ms']:9.3f} ms   ratio {row['ratio']:.2f}   difference {row['max_difference']:.1e}{other}",
              flush=True)
    ratios = [row["ratio"] for row in rows]
    summary = {"torch": torch.__version__, "threads": arguments.threads, "cpu_time": arguments.cpu_time, "cases": rows}
    if ratios:
        summary["geometric_mean"] = math.exp(sum(map(math.log, ratios)) / len(ratios))
        summary["minimum"] = min(ratios)
        mean = summary["geometric_mean"]
        print(f"geometric mean {mean:.2f}, minimum {summary['minimum']:.2f} of {len(ratios)} cases")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(summary, file, indent=1)


if __name__ == "__main__":
    main()
