#!/usr/bin/env python3
"""Compares one PTX module with those of its kernels.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: compare_images.py MODULE.ptx KERNEL.ptx...
Every image has the module's header, one kernel, and nothing that the module lacks; the module has no other kernels.
"""
import re
import sys


def parts(path):
    """The header, the declarations and the kernels {name: text} of PTX."""
    with open(path) as file:
        text = file.read()
    assert text.count(".version ") == 1, path + " has not one header"
    header, rest = re.match(r"(.*?\.address_size 64\n)(.*)", text, re.S).groups()
    kernels = {name: body for name, body in re.findall(r"^\.visible \.entry (\w+)\(\n(.*?^\})$", rest, re.S | re.M)}
    declarations = {line for line in rest.split("\n") if re.match(r"\.(extern|global|visible \.global|const)\b", line)}
    return header, declarations, kernels


header, declarations, kernels = parts(sys.argv[1])
found = {}
for path in sys.argv[2:]:
    own_header, own_declarations, own_kernels = parts(path)
    assert own_header == header, path
    assert own_declarations <= declarations, path
    assert len(own_kernels) == 1 and not own_kernels.keys() & found.keys(), path
    found.update(own_kernels)
assert found == kernels, sorted(found.keys() ^ kernels.keys())
print("%d kernels, each in one image" % len(found))
