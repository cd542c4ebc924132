"""Integer divisions of regions by every divisor: a score that is a quotient, read back as the LSE of a row with one key.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Head h of the problem has the h-th op of OPS, row i the i-th pair of dividend and divisor. Results are compared with
Python's integers, bit by bit; those of the judge (`--check`) come on top.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy

OPS = ["divui", "remui", "ceildivui", "divsi", "remsi", "floordivsi", "ceildivsi"]
WIDTHS = {"i32": 32, "i64": 64, "index": 64}


def to_signed(value, width):
    return (value + (1 << width - 1)) % (1 << width) - (1 << width - 1)


def divide(op, x, y, width):
    """`x op y` of signed numbers, by docs/semantics.md."""
    y = y or 1
    if op.endswith("ui"):
        x, y = x % (1 << width), y % (1 << width)
    truncated = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    result = {
        "divui": truncated,
        "divsi": truncated,
        "remui": x - y * truncated,
        "remsi": x - y * truncated,
        "floordivsi": x // y,
        "ceildivsi": -(-x // y),
        "ceildivui": -(-x // y),
    }[op]
    return to_signed(result, width)


def make_function(element, per_row):
    """A score of the quotients of `element`s: by a divisor of each row, or by one from outside."""
    wide = element if element != "index" else "i64"
    divisor = "tensor<?x%s>" % wide if per_row else element
    to_element = "arith.index_cast %{0}0 : i64 to index" if element == "index" else "arith.addi %{0}0, %zero : " + wide
    ops = "\n".join("    %{0} = arith.{0} %x, %w : {1}".format(op, element) for op in OPS)
    choices = "\n".join("""    %h{0} = arith.constant {0} : index
    %is{0} = arith.cmpi eq, %h, %h{0} : index
    %r{1} = arith.select %is{0}, %{2}, %r{0} : {3}""".format(i, i + 1, op, element) for i, op in enumerate(OPS))
    load_divisor = "    %w0 = tensor.extract %ws[%i] : tensor<?x{0}>\n    %w = {1}".format(wide, to_element.format("w"))
    result = "arith.index_cast %r{0} : index to i64".format(len(OPS))
    if element != "index":
        result = "arith.addi %r{0}, %zero : {1}".format(len(OPS), wide)
    return """
func.func @{name}(%q: !t, %k: !t, %v: !t, %xs: tensor<?x{wide}>, {ws}: {divisor}, %o: !t, %l: !l) -> (!t, !l) {{
  %r:2 = attn.attention ins(%q, %k, %v : !t, !t, !t) score_mod(%s, %b, %h, %i, %j) {{
    %zero = arith.constant 0 : {wide}
    %x0 = tensor.extract %xs[%i] : tensor<?x{wide}>
    %x = {x}
{w}
{ops}
    %r0 = arith.constant 0 : {element}
{choices}
    %sum = {result}
    %number = arith.sitofp %sum : {wide} to f32
    attn.yield %number : f32
  }} outs(%o, %l : !t, !l)
  return %r#0, %r#1 : !t, !l
}}""".format(
        name=element + ("_rows" if per_row else "_scalar"), wide=wide, divisor=divisor,
        ws="%ws" if per_row else "%w", x=to_element.format("x"), w=load_divisor if per_row else "", ops=ops,
        choices=choices, element=element, result=result)


def make_masks():
    """Masks long enough for maps of blocks, which divide for whole blocks."""
    functions = []
    for op in OPS:
        functions.append("""
func.func @mask_{op}(%q: !t, %k: !t, %v: !t, %w: index, %o: !t) -> !t {{
  %r = attn.attention ins(%q, %k, %v : !t, !t, !t) mask_mod(%b, %h, %i, %j) {{
    %x = arith.{op} %i, %w : index
    %y = arith.{op} %j, %w : index
    %same = arith.cmpi eq, %x, %y : index
    attn.yield %same : i1
  }} outs(%o : !t)
  return %r : !t
}}""".format(op=op))
    return functions


class Runner:
    def __init__(self, bin_dir, work):
        self.bin, self.work = pathlib.Path(bin_dir), pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        source = self.work / "divisions.mlir"
        functions = [make_function(element, per_row) for element in WIDTHS for per_row in (True, False)]
        source.write_text("!t = tensor<?x?x?x16xf32>\n!l = tensor<?x?x?xf32>\n" + "\n".join(functions + make_masks()))
        self.artifact = str(self.work / "divisions.fovea")
        subprocess.run([str(self.bin / "fovea-compile"), str(source), "--with-reference", "-o", self.artifact],
                       check=True)

    def save(self, name, array):
        path = str(self.work / (name + ".npy"))
        numpy.save(path, array)
        return "--arg=" + path

    def run(self, function, arguments):
        command = [str(self.bin / "fovea-run"), self.artifact, "--function=" + function, "--check"]
        done = subprocess.run(command + arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit("%s %s: exit status %d\n%s" % (function, arguments, done.returncode, done.stdout))
        return done.stdout

    def check(self, function, element, pairs, divisor):
        """Each op on all pairs; `divisor` is what the function takes."""
        width, rows = WIDTHS[element], len(pairs)
        stored = numpy.int32 if width == 32 else numpy.int64
        shape = "random:0:0,dims=1:%d:%d:16"
        out = str(self.work / "lse.npy")
        self.run(function, [
            "--arg=" + shape % (len(OPS), rows), "--arg=" + shape % (len(OPS), 1), "--arg=" + shape % (len(OPS), 1),
            self.save("x", numpy.array([x for x, _ in pairs], stored)), divisor, "--arg=out", "--arg=out",
            "--out=" + str(self.work / "o.npy"), "--out=" + out])
        found = numpy.load(out)[0]
        for number, op in enumerate(OPS):
            expected = numpy.array([divide(op, x, y, width) for x, y in pairs]).astype(numpy.float32)
            wrong = numpy.flatnonzero(found[number] != expected)
            if wrong.size:
                i = wrong[0]
                sys.exit("%s: %d %s %d is %r, expected %r" % (function, pairs[i][0], op, pairs[i][1],
                                                            found[number][i], expected[i]))
        print(function, rows, "rows as expected")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    runner = Runner(arguments.bin, arguments.work)
    for element, width in WIDTHS.items():
        least = -(1 << width - 1)
        numbers = [0, 1, -1, 5, -7, 96, least, -least - 1, least + 1]
        divisors = [0, 1, -1, 3, -3, least, -least - 1]
        pairs = [(x, y) for x in numbers for y in divisors]
        stored = numpy.int32 if width == 32 else numpy.int64
        runner.check(element + "_rows", element, pairs, runner.save("w", numpy.array([y for _, y in pairs], stored)))
        for y in (0, -1, least):
            runner.check(element + "_scalar", element, [(x, y) for x in numbers], "--arg=%d" % y)
    shape = "--arg=random,dims=1:1:%d:16"
    for op in OPS:
        for y in (0, -1):
            output = runner.run("mask_" + op, [shape % 80, shape % 600, shape % 600, "--arg=%d" % y, "--arg=out"])
            if "tiled_map" not in output:
                sys.exit("mask_%s has no map of blocks\n%s" % (op, output))
    print("masks as their reference")


if __name__ == "__main__":
    main()
