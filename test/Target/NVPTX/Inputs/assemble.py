#!/usr/bin/env python3
#
# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles the warpgroup kernels of a matrix of functions and checks what ptxas says of them.

usage: assemble.py FOLDER

Prints the registers and spills of each kernel. Fails where ptxas reports lost performance (C75xx: products serialised,
registers not exchanged), and where a kernel spills more than its bound.
"""

import concurrent.futures
import os
import re
import subprocess
import sys

# name: (Dqk, Dv, type, clauses). Every depth, masked and not, both types, every feature. With LSE where a name says so.
FUNCTIONS = {
    "d16": (16, 16, "bf16", ""),
    "d64": (64, 64, "f16", ""),
    "d64_causal": (64, 64, "bf16", "causal(top_left)"),
    "d80": (80, 80, "bf16", ""),
    "d96_causal": (96, 96, "f16", "causal(bottom_right)"),
    "d128": (128, 128, "bf16", ""),
    "d128_causal": (128, 128, "f16", "causal(top_left)"),
    "mla": (192, 128, "bf16", "causal(bottom_right)"),
    "d256": (256, 256, "bf16", ""),
    "d256_causal": (256, 256, "bf16", "causal(top_left)"),
    "lengths": (128, 128, "bf16", "kv_lengths(%l : tensor<?xi32>)"),
    "bias": (128, 128, "bf16", "bias(%b : tensor<?x?x?x?xf16>)"),
    "padding": (64, 64, "bf16", "bias(%p : tensor<?x1x1x?xf32>)"),
    "window": (128, 128, "bf16", "window(1023, 0, bottom_right) sink(%s : tensor<?xf32>)"),
    "score": (64, 64, "bf16", "score_mod(%x, %i0, %i1, %i2, %i3) { %t = math.tanh %x : f32\n attn.yield %t : f32 }"),
    **{f"d{depth}_{dtype}_lse": (depth, depth, dtype, "") for depth in (64, 128, 192, 256) for dtype in ("bf16", "f16")},
    "d256_causal_lse": (256, 256, "f16", "causal(top_left)"),
    "wide_causal": (128, 128, "bf16", "causal(top_left)"),
    "mask": (128, 128, "f16", "mask_mod(%i0, %i1, %i2, %i3) { %t = arith.cmpi ne, %i2, %i3 : index\n attn.yield %t : i1 }"),
    "mask64": (64, 64, "bf16", "mask_mod(%i0, %i1, %i2, %i3) { %t = arith.cmpi ne, %i2, %i3 : index\n attn.yield %t : i1 }"),
}

# Functions whose kernels of one warpgroup, several thread blocks a multiprocessor, are assembled too: block_n, row_sums and
# min_blocks. Among them are products that are as wide as the registers at the start of such a block allow.
BLOCKS = [("d64", 128, "product", 2), ("d64_causal", 128, "product", 2), ("d64_bf16_lse", 128, "add", 2),
          ("d64", 80, "add", 3), ("d64_causal", 64, "product", 3), ("d64_bf16_lse", 64, "add", 3),
          ("d64", 32, "add", 4), ("d16", 64, "add", 4),
          # Products of an instruction for each panel.
          ("d128", 32, "add", 3), ("d64", 32, "product", 4)]
BLOCKS_STRATEGY = ("#attn.strategy<block_m = 64, block_n = {}, warps = 4, stages = 1, vector_bytes = 16, round_p = true, "
                   "unit = warpgroup, overlap = true, persistent = true, rescale = optimistic, row_sums = {}, "
                   "interleave = true, min_blocks = {}>")

# Bytes of spills, stores and loads together, that a kernel may have: somewhat more than it has. Others have none to speak of.
BOUNDS = {
    "bias_warpgroup": 200,
    "padding_warpgroup": 200,
    "d80_warpgroup": 350,
    "d128_warpgroup": 350,
    "lengths_warpgroup": 350,
    "window_warpgroup": 200,
    "window_warpgroup_short": 250,
    # Positions in an order of lengths, once a task: no loop over keys reads or writes them.
    "d64_causal_warpgroup": 150,
    "d96_causal_warpgroup": 300,
    "d128_causal_warpgroup": 500,
    "d256_warpgroup": 450,
    "d256_causal_warpgroup": 350,
    "d256_causal_warpgroup_short": 200,
    # Two sums of scores beside the accumulator: what a task needs once lies in memory, and the number of the thread.
    "d128_bf16_lse_warpgroup": 200,
    "d128_f16_lse_warpgroup": 150,
    "d192_bf16_lse_warpgroup": 350,
    "d192_f16_lse_warpgroup": 400,
    "d256_bf16_lse_warpgroup": 450,
    "d256_f16_lse_warpgroup": 450,
    "d256_causal_lse_warpgroup": 400,
    "d256_causal_lse_warpgroup_short": 300,
}
DEFAULT_BOUND = 64

# The kernels of one warpgroup differ little, and take long. Those of clusters have the same loops, and merge.
NARROW = {"warpgroup_narrow", "rows_cluster8", "cluster8", "cluster4"}
WITH_NARROW = {"d64", "d256", "bias"}


def build_function(name):
    qk, v, dtype, clauses = FUNCTIONS[name]
    k_type, v_type = (f"tensor<?x?x?x{depth}x{dtype}>" for depth in (qk, v))
    o_type, lse_type = f"tensor<?x?x?x{v}xf32>" if name.startswith("wide") else v_type, "tensor<?x?x?xf32>"
    has_lse = name.endswith("_lse")
    types, outs = (f"{o_type}, {lse_type}", "%o, %e") if has_lse else (o_type, "%o")
    return f"""
func.func @{name}(%q: {k_type}, %k: {k_type}, %v: {v_type}, %o: {o_type}, %e: {lse_type}, %l: tensor<?xi32>,
                  %b: tensor<?x?x?x?xf16>, %s: tensor<?xf32>, %p: tensor<?x1x1x?xf32>) -> ({types}) {{
  %r{":2" if has_lse else ""} = attn.attention ins(%q, %k, %v : {k_type}, {k_type}, {v_type}) {clauses} outs({outs} : {types})
  return {"%r#0, %r#1" if has_lse else "%r"} : {types}
}}
"""


def is_wanted(function):
    name, kernel = re.match(r"  func\.func private @(\w+)_attn0_(\w+)|", function).groups()
    return kernel and (name in WITH_NARROW if kernel in NARROW else kernel.startswith("warpgroup") or kernel == "given")


def keep_wanted_kernels(planned):
    """Other kernels, most of those of a function, are compiled and assembled in vain; nothing is launched."""
    head, *functions = re.split(r"^(?=  func\.func )", planned.rstrip().removesuffix("}"), flags=re.M)
    return "".join([head, *filter(is_wanted, functions), "}\n"])


def assemble(names, stem, options=()):
    with open(stem + ".mlir", "w") as source:
        source.writelines(build_function(name) for name in names)
    to_target = ["fovea-compile", "--target=sm_90a"]
    subprocess.run([*to_target, stem + ".mlir", "--emit=attn", "-o", stem + ".planned.mlir", *options], check=True)
    with open(stem + ".planned.mlir") as text:
        kernels = keep_wanted_kernels(text.read())
    with open(stem + ".kernels.mlir", "w") as text:
        text.write(kernels)
    subprocess.run([*to_target, stem + ".kernels.mlir", "--emit=ptx", "-o", stem + ".ptx"], check=True)
    command = ["ptxas", "-v", "-arch=sm_90a", stem + ".ptx", "-o", stem + ".cubin"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def check_kernel(kernel, text):
    registers = int(re.search(r"Used (\d+) registers", text).group(1))
    stores, loads = map(int, re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", text).groups())
    bound = BOUNDS.get(kernel.replace("_attn0", ""), DEFAULT_BOUND)
    print(f"{kernel:36} {registers:4} registers, {stores:5} + {loads:5} bytes of spills, at most {bound}")
    return stores + loads <= bound


def assemble_blocks(folder, case):
    name, *parameters = case
    stem = os.path.join(folder, "_".join(map(str, case)))
    return assemble([name], stem, [f"--strategy={BLOCKS_STRATEGY.format(*parameters)}"])


def main(folder):
    os.makedirs(folder, exist_ok=True)
    names = list(FUNCTIONS)
    halves = [names[0::2], names[1::2]]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        stems = [os.path.join(folder, f"half{number}") for number in range(2)]
        log = "".join(pool.map(assemble, halves, stems))
        log += "".join(pool.map(lambda case: assemble_blocks(folder, case), BLOCKS))
    lost = [line for line in log.splitlines() if re.search(r"\(C75\d\d\)|serialized|setmaxnreg|warning", line)]
    entries = re.split(r"Compiling entry function '(\w+)'.*\n", log)[1:]
    kernels = list(zip(entries[0::2], entries[1::2]))
    good = [check_kernel(kernel, text) for kernel, text in kernels]
    functions = {kernel.split("_attn0_")[0] for kernel, _ in kernels if not kernel.endswith("_given")}
    given = [kernel.split("_attn0_")[0] for kernel, _ in kernels if kernel.endswith("_given")]
    print("\n".join(lost))
    if lost or not all(good) or functions != set(FUNCTIONS) or len(given) != len(BLOCKS):
        sys.exit(f"assemble.py: {len(lost)} warnings, {good.count(False)} kernels that spill too much, "
                 f"functions without warpgroup kernels: {sorted(set(FUNCTIONS) - functions)}, "
                 f"{len(given)} of {len(BLOCKS)} kernels of several blocks")


main(sys.argv[1])
