"""The sides of peers.py: each makes a call that computes a case's attention on given tensors.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A side has NAME, STORAGE ("bshd" or "bhsd": how the tensors that it gets lie in memory; they are [B, H, S, D] for all) and
forward(q, k, v, case): a function without arguments that returns O, a dictionary of such functions by name, or None where
the side has no kernel for the case. A plug-in file of --peer has the same three at its top level.
"""
import importlib.util
import os
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from fovea import CUDA, Device, Runtime, tensor


class Fovea:
    """The artifacts of a pack, launched through the C API."""
    NAME, STORAGE = "fovea", "bshd"

    def __init__(self, pack):
        self.pack, self.functions = pack, {}
        self.runtime = Runtime(os.path.join(pack, "libfovea_runtime.so"))

    def function(self, name):
        if name not in self.functions:
            self.functions[name] = self.runtime.load(os.path.join(self.pack, "modules", name + ".fovea"))
        return self.functions[name]

    def forward(self, q, k, v, case):
        function = self.function(case.module())
        device = Device(backend=CUDA, stream=torch.cuda.current_stream().cuda_stream)
        out = torch.empty_like(q) if case.D == case.Dv else q.new_empty((case.B, case.Sq, case.H, case.Dv)).transpose(1, 2)
        value = lambda t: tensor(case.dtype, t.data_ptr(), t.shape, t.stride())
        arguments = [value(t) for t in (q, k, v)]
        size = function.workspace_bytes(device, arguments)
        workspace = torch.empty(max(size, 1), dtype=torch.uint8, device=q.device)
        launch = function.launcher(device, arguments, [value(out)], workspace.data_ptr() if size else None, size)

        def call(keep=(q, k, v, workspace)):
            launch()
            return out
        return call


class Sdpa:
    """One backend of PyTorch's scaled_dot_product_attention."""
    STORAGE = "bshd"

    def __init__(self, name, backend):
        self.NAME, self.backend = name, backend

    def forward(self, q, k, v, case):
        if case.window:
            return None
        attention, grouped = torch.nn.functional.scaled_dot_product_attention, case.H != case.Hk

        def call():
            with sdpa_kernel(self.backend):
                return attention(q, k, v, is_causal=case.causal, enable_gqa=grouped)
        return call


class Flex:
    """FlexAttention, compiled for each case, which takes many seconds."""
    NAME, STORAGE = "flex", "bhsd"

    def forward(self, q, k, v, case):
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        causal = lambda b, h, i, j: i >= j
        window = lambda b, h, i, j: (i >= j) & (i - j < case.window)
        mod = window if case.window else causal if case.causal else None
        mask = create_block_mask(mod, None, None, case.Sq, case.Sk, device=q.device) if mod else None
        compiled = torch.compile(flex_attention, dynamic=False)
        return lambda: compiled(q, k, v, block_mask=mask, enable_gqa=case.H != case.Hk)


class Triton:
    """The kernel of a tutorial, for what it does: causal self-attention."""
    NAME, STORAGE = "triton", "bhsd"

    def forward(self, q, k, v, case):
        from triton_attention import supports, triton_attention
        if not case.causal or case.window or case.H != case.Hk or case.D != case.Dv or not supports(q.dtype, case.D):
            return None
        flat = [t.reshape(case.B * case.H, case.Sq, case.D) for t in (q, k, v)]
        out = torch.empty_like(flat[0])
        return lambda: triton_attention(*flat, out).view(q.shape)


def load_plugin(path):
    """The module of a plug-in file."""
    folder, name = os.path.split(os.path.abspath(path))
    spec = importlib.util.spec_from_file_location(os.path.splitext(name)[0], path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    spec.loader.exec_module(module)
    return module


def all_sides(pack, flex, plugins):
    sides = [Fovea(pack), Sdpa("cudnn", SDPBackend.CUDNN_ATTENTION), Sdpa("fa2", SDPBackend.FLASH_ATTENTION), Triton()]
    return sides + ([Flex()] if flex else []) + [load_plugin(path) for path in plugins]
