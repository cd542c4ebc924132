#!/usr/bin/env python3
"""Checks what a binary links and which symbols it holds.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check_binary.py runtime|shared|compiler FILE...
A runtime binary needs glibc alone and holds no symbol of LLVM, MLIR or CUDA; the shared runtime may also need libgomp; a
compiler binary links no CUDA.
"""
import re
import subprocess
import sys

GLIBC = re.compile(r"lib(c|m|dl|pthread|rt)\.so\.\d+$|ld-linux")
CUDA = re.compile(r"lib(cuda|cudart|nv|cublas)")
FOREIGN_SYMBOL = re.compile(r"\b(mlir|llvm|lld)::|\bLLVM[A-Z]|\b(cuda|cu[A-Z]|nvrtc)\w*\(?$")


def needed(path):
    """Names of the shared objects that a dynamic binary asks for; none for an archive."""
    text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def symbols(path):
    """Undefined and defined symbols, demangled, without those of a stripped or static part."""
    text = subprocess.run(["nm", "-C", path], capture_output=True, text=True).stdout
    return [line.split(None, 2)[-1] for line in text.splitlines() if re.match(r"^[0-9a-f ]{16} [UTtWw] ", line)]


def offences(kind, path):
    """What a binary of this kind may not have."""
    libraries = needed(path)
    if kind == "compiler":
        return [name for name in libraries if CUDA.match(name)]
    if kind == "shared":
        libraries = [name for name in libraries if name != "libgomp.so.1"]
    return [name for name in libraries if not GLIBC.match(name)] + \
        [name for name in symbols(path) if FOREIGN_SYMBOL.search(name)]


def main():
    bad = 0
    for path in sys.argv[2:]:
        for offence in offences(sys.argv[1], path):
            print("%s: %s" % (path, offence))
            bad += 1
    return 1 if bad else 0


sys.exit(main())
