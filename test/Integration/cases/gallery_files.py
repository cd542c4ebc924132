"""The files of the gallery of masks and score functions (examples/masks).

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
# In a pack the files lie beside this one.
FOLDERS = (os.path.join(HERE, "..", "..", "..", "examples", "masks"), os.path.join(HERE, "masks"))
FOLDER = next((folder for folder in FOLDERS if os.path.isdir(folder)), FOLDERS[0])


def text_of(name, dtype="bf16", d=64):
    """The IR of a file, for another type or depth."""
    with open(os.path.join(FOLDER, name + ".mlir")) as file:
        return file.read().replace("x64xbf16", "x%dx%s" % (d, dtype))
