"""Gives fovea-run arguments with one fault each: every one must end it with exit code 1 and one line, and what is in order with 0.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: wrong_arguments.py FOVEA_RUN ARTIFACT SCRATCH
The function of the artifact is that of many_types.mlir.
"""
import re
import struct
import subprocess
import sys

ORDER = {"q": "1", "offsets": "0", "table": "1", "keep": "1", "scale": "0.25", "at": "9", "n": "7"}
HALVES = struct.pack("<64e", *range(64))
SHAPE = "(1, 1, 4, 16)"


def npy(data=HALVES, descr="'<f2'", order="False", shape=SHAPE, version=1, magic=b"\x93NUMPY", length=None, text=None):
    header = (text or "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)).ljust(117) + "\n"
    size = len(header) if length is None else length
    packed = struct.pack("<H" if version == 1 else "<I", size & 0xffff if version == 1 else size)
    return magic + bytes([version, 0]) + packed + header.encode() + data


RIGHT = [{}, {"n": "-2147483648"}, {"at": "9223372036854775807"}, {"keep": "true"}, {"scale": "inf"}, {"scale": "0x1p-2"},
         {"q": "65504"}, {"table": "-128"}, {"offsets": "random:-3:3"}, {"q": "1,strides=0:0:-16:1"},
         {"table": "expr:i0-1"}, {"q": npy()}, {"q": npy(order="True")}, {"q": npy(version=2)},
         {"q": npy(version=3), "q,": ",strides=64:64:16:1"}, {"q": npy(), "q,": ",strides=0:0:-16:1,offset=48"}]
WRONG = [
    ({"n": "2147483648"}, r"argument 6 .* has type i32, but '2147483648' is not in \[-2147483648, 2147483647\]"),
    ({"n": "99999999999999999999"}, r"has type i32, but '9{20}' is not in"),
    ({"n": "1.5"}, "has type i32, '1.5' is no integer"),
    ({"n": "7x"}, "argument 6 .* is a scalar of type i32, '7x' is no number"),
    ({"n": " 7"}, "is no number"),
    ({"n": "nan"}, "has type i32, 'nan' is no integer"),
    ({"n": "inf"}, "has type i32, but 'inf' is not in"),
    ({"n": "random:0:1e12"}, "has type i32, but 'random:0:1e12' is not in"),
    ({"n": "random:0.2:0.7"}, "argument 6 .* has type i32, but no integer is in 'random:0.2:0.7'"),
    ({"n": ""}, "argument 6 .*: --arg is empty"),
    ({"at": "9223372036854775808"}, "has type index, but '9223372036854775808' is not in"),
    ({"scale": "1e39"}, "argument 4 .* has type f32, for which '1e39' is too large"),
    ({"scale": "1e999"}, "'1e999' is too large for a number; write inf for an infinity"),
    ({"scale": "0.25 "}, "is no number"),
    ({"q": "70000"}, r"argument 0 .* has type f16, for which '70000' is too large"),
    ({"q": ""}, "argument 0 .*: --arg is empty"),
    ({"offsets": "3e9"}, "has type i32, but '3e9' is not in"),
    ({"offsets": "expr:3000000000"}, "has type i32, but 'expr:3000000000' is not in"),
    ({"offsets": "expr:0/0"}, "has type i32, but 'expr:0/0' is not in"),
    ({"table": "200"}, r"has type i8, but '200' is not in \[-128, 127\]"),
    ({"table": "0.5"}, "has type i8, '0.5' is no integer"),
    ({"keep": "2"}, r"has type i1, but '2' is not in \[0, 1\]"),
    ({"keep": "@"}, "--arg=@: expected @N with N a tensor argument before this one"),
    ({"keep": "@1x"}, "--arg=@1x: expected @N with N a tensor argument before this one"),
    ({"keep": "@18446744073709551616"}, "expected @N with N a tensor argument before this one"),
    ({"keep": "random:0:1:2"}, "expected random:LO:HI with LO <= HI"),
    ({"q": "1,offset=1x"}, "offset=1x: '1x' is no integer"),
    ({"q": "1,dims=1:1:4:16:"}, "'' is no integer"),
    ({"q": "1,strides=1:1:1:99999999999999999999"}, r"99999999999999999999 is not in \[-"),
    ({"--seed": "99999999999999999999"}, "--seed=9+: 99999999999999999999 is not in"),
    ({"--seed": "\t1"}, "is no integer"),
    ({"--approx": "inf"}, "--approx=inf: 'inf' is no finite number that is at least 0"),
    ({"--approx": "1e999"}, "is no finite number that is at least 0"),
    ({"--expect": "expr:0,atol=inf"}, "is no finite number that is at least 0"),
    ({"--device": "1x"}, "--device=1x: '1x' is no integer"),
    ({"q": npy(HALVES[:-1])}, "is shorter than the 64 elements of its header"),
    ({"q": npy(HALVES + b"x")}, "is longer than the 64 elements of its header"),
    ({"q": npy()[:9]}, "is damaged|is not supported"),
    ({"q": npy()[:40]}, "the header of the .npy file is damaged"),
    ({"q": b""}, "is no .npy file"),
    ({"q": npy(magic=b"\x93NUMPX")}, "is no .npy file"),
    ({"q": npy(version=4)}, "version 4 of .npy is not supported"),
    ({"q": npy(version=2, length=2 ** 32 - 1)}, "the header of the .npy file is damaged"),
    ({"q": npy(descr="'>f2'")}, "holds '>f2', an argument of type f16 is read from '<f2'"),
    ({"q": npy(descr="[('a', '<f2')]")}, "an argument of type f16 is read from '<f2'"),
    ({"q": npy(order="Maybe")}, "the fortran_order of the .npy file is neither True nor False"),
    ({"q": npy(shape="(1, 1, -4, 16)")}, "the shape of the .npy file is damaged"),
    ({"q": npy(shape="(1, 1, 4, 99999999999999999999)")}, "the shape of the .npy file is damaged"),
    ({"q": npy(shape="(1, 1, 4, 16")}, "the shape of the .npy file is damaged"),
    ({"q": npy(shape="4")}, "the shape of the .npy file is no tuple"),
    ({"q": npy(shape="(4611686018427387904, 4, 1, 4)")}, "the sizes of a tensor do not fit in 64 bits"),
    ({"q": npy(shape="(0, 4611686018427387904, 4611686018427387904, 16)", data=b"")}, "argument 0 .*: dimension 0 is 0, expected 1"),
    ({"q": npy(shape="(1, 1000000000, 1000000, 16)")}, "bytes of memory were asked for|do not fit"),
    ({"q": npy(shape="(1, 4, 16)")}, "has rank 4, 3 sizes were given"),
    ({"q": npy(shape="(1, 1, 1, 1, 1, 1, 1, 4, 16)")}, "has more than 8 dimensions"),
    ({"q": npy(text="{}")}, "the header of the .npy file has no descr"),
    ({"q": npy(text="\x00" * 100)}, "the header of the .npy file has no descr"),
    ({"q": npy(), "q,": ",offset=1"}, r"the view reaches from element 1 to 64 of a buffer of 64"),
    ({"q": npy(), "q,": ",strides=64:64:-16:1"}, r"the view reaches from element -48 to 15 of a buffer of 64"),
    ({"q": npy(), "q,": ",strides=1:16:1"}, "3 strides for 4 dimensions"),
    ({"q": npy(), "q,": ",dims=1:1:8:16"}, "the view reaches from element 0 to 127 of a buffer of 64"),
]


def main():
    tool, artifact, scratch = sys.argv[1:]
    bad = 0
    for change, expected in [(change, None) for change in RIGHT] + WRONG:
        values = {**ORDER, **{key: value for key, value in change.items() if key in ORDER}}
        if isinstance(values["q"], bytes):
            with open(scratch, "wb") as file:
                file.write(values["q"])
            values["q"] = scratch
        values["q"] += change.get("q,", "")
        words = ["--arg=" + value for value in values.values()]
        words += ["%s=%s" % item for item in change.items() if item[0].startswith("--")]
        run = subprocess.run([tool, artifact] + words, capture_output=True, text=True)
        lines = run.stderr.splitlines()
        if expected is None:
            holds = run.returncode == 0 and not lines
        else:
            holds = run.returncode == 1 and len(lines) == 1 and re.search("^fovea-run: error: .*(%s)" % expected, lines[0])
        if not holds:
            bad += 1
            print("%.300s\nexpected %s, got %d: %s" % (words, expected, run.returncode, run.stderr[:1000]))
    print("%d command lines, %d not as expected" % (len(RIGHT) + len(WRONG), bad))
    sys.exit(bool(bad))


main()
