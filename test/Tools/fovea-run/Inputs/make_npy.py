"""Writes .npy files by hand: make_npy.py PREFIX.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import struct
import sys


def write(name, data, descr="<f4", order="False", shape="(1, 1, 2, 4)", version=1, length=None):
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    header = header.ljust(117) + "\n"
    size = struct.pack("<H" if version == 1 else "<I", len(header) if length is None else length)
    with open("%s.%s.npy" % (sys.argv[1], name), "wb") as file:
        file.write(b"\x93NUMPY" + bytes([version, 0]) + size + header.encode() + data)


values = [0.5, -1.0, 2.0, 3.0, -0.25, 1.5, 0.0, 1.0]
fortran = [values[4 * i + j] for j in range(4) for i in range(2)]
write("c", struct.pack("<8f", *values))
write("v3", struct.pack("<8f", *values), version=3)
write("fortran", struct.pack("<8f", *fortran), order="True")
write("f64", struct.pack("<8d", *values), descr="<f8")
write("short", b"1234")
write("huge", b"", shape="(4611686018427387904, 4, 1, 4)")
write("header", b"", length=65535)
