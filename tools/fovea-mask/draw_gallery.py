#!/usr/bin/env python3
"""Draws the masks of the gallery (examples/masks) on one page.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: draw_gallery.py BIN_FOLDER OUT.svg
Needs numpy. Every picture is made by fovea-mask, of 2048 positions in blocks of 64.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(SOURCE, "test", "Integration", "cases"), os.path.join(SOURCE, "tools", "hardware")]
from gallery_files import FOLDER  # noqa: E402
from needs import need  # noqa: E402

np = need("numpy", "drawing masks")

LENGTH, NODES, COLUMNS = 2048, 256, 4


def documents():
    lengths = np.array((20, 4, 8, 2, 12, 6, 3, 9)) * LENGTH // 64
    return np.repeat(np.arange(8, dtype=np.int32), lengths)[None]


def ancestors():
    """A tree whose node n has the parent (n - 1) / 2."""
    found = np.eye(NODES, dtype=bool)
    for node in range(1, NODES):
        found[node] |= found[(node - 1) // 2]
    return found[None]


def block_table():
    blocks = LENGTH // 128
    return (np.random.RandomState(1).rand(blocks, blocks) < 0.1) | np.eye(blocks, dtype=bool)


# Name -> (arguments after Q, K and V; the number of queries, by default that of keys)
PICTURES = {
    "causal": ([], LENGTH), "causal_bottom_right": ([], LENGTH // 2), "sliding_window": ([], LENGTH), "local_global": ([], LENGTH),
    "prefix_lm": ([np.array([600], np.int32)], LENGTH), "document": ([documents()], LENGTH),
    "document_causal": ([documents()], LENGTH), "dilated": ([], LENGTH), "strided": ([], LENGTH),
    "block_sparse": ([block_table()], LENGTH), "tree": ([ancestors()], NODES), "chunked": ([], LENGTH),
    "neighbourhood": ([32, 64], LENGTH),
}


def picture(tool, folder, name):
    """The SVG text of a file of the gallery."""
    arguments, queries = PICTURES[name]
    words = [tool, os.path.join(FOLDER, name + ".mlir"), "--svg", "--keys=%d" % LENGTH, "--queries=%d" % queries,
             "--block-m=64", "--block-n=64"]
    for number, value in enumerate(arguments):
        if isinstance(value, np.ndarray):
            path = os.path.join(folder, "%d.npy" % number)
            np.save(path, value)
            value = path
        words.append("--arg=%s" % value)
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", metavar="BIN_FOLDER", help="where fovea-mask is")
    parser.add_argument("out", metavar="OUT.svg")
    options = parser.parse_args()
    tool, out = os.path.join(options.tools, "fovea-mask"), options.out
    with tempfile.TemporaryDirectory() as folder:
        pictures = [picture(tool, folder, name) for name in PICTURES]
    sizes = [tuple(map(int, re.search(r'width="(\d+)" height="(\d+)"', text).groups())) for text in pictures]
    width, height = max(size[0] for size in sizes), max(size[1] for size in sizes)
    rows = -(-len(pictures) // COLUMNS)
    with open(out, "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">\n' % (width * COLUMNS, height * rows))
        file.write('<rect width="100%" height="100%" fill="white"/>\n')
        for number, text in enumerate(pictures):
            place = '<svg x="%d" y="%d" ' % (number % COLUMNS * width, number // COLUMNS * height)
            file.write(text.replace("<svg ", place, 1))
        file.write("</svg>\n")


main()
