"""Random functions of linalg that are attention or nearly so, before and after attn-raise, on the CPU.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: random_raising.py DIRECTORY SEED COUNT
Scores are scaled, masked, biased and changed in a random order; softmax, guards and logarithms have right and wrong forms.
What is raised is compared with the source wherever that is a number; where it is NaN and became 0, a remark must say so.
Prints one line for each difference and ends with 1 where there is one.
"""
import os
import random
import re
import subprocess
import sys

import numpy as np

from buffers import call
from check_raising import compile_kernels

B, I, D = 2, 5, 8
MAPS = {"q": "(b, i, j, d) -> (b, i, d)", "k": "(b, i, j, d) -> (b, j, d)", "s": "(b, i, j, d) -> (b, i, j)",
        "id": "(b, i, j) -> (b, i, j)", "row": "(b, i, j) -> (b, i)", "key": "(b, i, j) -> (b, j)",
        "p": "(b, i, e, j) -> (b, i, j)", "v": "(b, i, e, j) -> (b, j, e)", "o": "(b, i, e, j) -> (b, i, e)",
        "rows": "(b, i) -> (b, i)"}
HEADER = "".join("#%s = affine_map<%s>\n" % item for item in MAPS.items())
FILLS = ("0xFF800000", "0xFF800000", "0xFF800000", "-3.0e38", "-1.0e30", "-1.0e9", "-1.0e4", "-2.0e30")
# The last ones make +inf or NaN of -inf, so they come before masks only.
FACTORS = ("0.25", "1.0", "1.0e-30", "3.0", "1.4426950408889634", "-0.5", "0.0")
MODS = (["%y = math.tanh %a : f32"], ["%y = arith.maximumf %a, %one : f32"],
        ["%c = arith.cmpf ogt, %a, %one : f32", "%y = arith.select %c, %a, %ninf : f32"],
        ["%y = math.absf %a : f32"], ["%y = arith.mulf %a, %a : f32"], ["%y = arith.negf %a : f32"])


class Builder:
    """A function; values are pairs of name and shape."""

    def __init__(self, name, rng):
        self.name, self.rng, self.count, self.is_masked = name, rng, 0, False
        self.keys = rng.choice([4, 5, 7])
        self.scores, self.rows = "%dx%dx%d" % (B, I, self.keys), "%dx%d" % (B, I)
        self.lines = ["%zero = arith.constant 0.0 : f32", "%one = arith.constant 1.0 : f32",
                      "%ninf = arith.constant 0xFF800000 : f32"]
        self.arguments = {"q": "%dx%dx%d" % (B, I, D), "k": "%dx%dx%d" % (B, self.keys, D), "v": "%dx%dx%d" % (B, self.keys, D),
                          "keep": self.scores, "keep_key": "%dx%d" % (B, self.keys), "bias": self.scores,
                          "bias_key": "%dx%d" % (B, self.keys)}

    def element(self, name):
        return "i1" if name.startswith("keep") else "f32"

    def value(self, text):
        self.count += 1
        self.lines.append("%%v%d = %s" % (self.count, text))
        return "%%v%d" % self.count

    def constant(self, number):
        return self.value("arith.constant %s : f32" % number)

    def fill(self, number, shape, element="f32"):
        empty = self.value("tensor.empty() : tensor<%sx%s>" % (shape, element))
        types = (number, element, empty, shape, element, shape, element)
        return self.value("linalg.fill ins(%s : %s) outs(%s : tensor<%sx%s>) -> tensor<%sx%s>" % types)

    def contract(self, maps, a, b, shape):
        """a and b are pairs of name and shape."""
        out = self.fill("%zero", shape)
        types = (maps, a[0], b[0], a[1], b[1], out, shape, shape)
        return self.value("linalg.contract indexing_maps = [%s] ins(%s, %s : tensor<%sxf32>, tensor<%sxf32>) "
                          "outs(%s : tensor<%sxf32>) -> tensor<%sxf32>" % types)

    def generic(self, inputs, body, shape, out_map="#id", element="f32", init=None, reduces=False):
        """`inputs` are (name, shape, map, element) for %a, %b, ...; the body makes %y."""
        out = init or self.value("tensor.empty() : tensor<%sx%s>" % (shape, element))
        kinds = ["\"parallel\""] * (3 if out_map != "#rows" else 2)
        if reduces:
            kinds[-1] = "\"reduction\""
        maps = ", ".join([map_ for _, _, map_, _ in inputs] + [out_map])
        names, types = ", ".join(i[0] for i in inputs), ", ".join("tensor<%sx%s>" % (i[1], i[3]) for i in inputs)
        arguments = ", ".join("%%%s: %s" % (letter, i[3]) for letter, i in zip("abc", inputs))
        head = (maps, ", ".join(kinds), names, types, out, shape, element, arguments, element, "\n".join(body), element, shape, element)
        return self.value("linalg.generic {indexing_maps = [%s], iterator_types = [%s]} ins(%s : %s) outs(%s : tensor<%sx%s>) {\n"
                          "^bb0(%s, %%acc: %s):\n%s\nlinalg.yield %%y : %s\n} -> tensor<%sx%s>" % head)

    def on_scores(self, name, body, *others):
        return self.generic([(name, self.scores, "#id", "f32"), *others], body, self.scores)

    def on_rows(self, name, body, *others):
        inputs = [(other, self.rows, "#rows", "f32") for other in (name, *others)]
        return self.generic(inputs, body, self.rows, "#rows")

    def reduce(self, name, operation, init, shape=None, element="f32"):
        out = self.fill(init, self.rows, element)
        body = ["%%y = %s %%a, %%acc : %s" % (operation, element)]
        return self.generic([(name, shape or self.scores, "#id", element)], body, self.rows, "#row", element, out, True)

    def slice(self, name):
        """The first keys, fewer than all, and their shape."""
        keys = self.rng.randrange(1, self.keys)
        shape = "%dx%dx%d" % (B, I, keys)
        text = (name, B, I, keys, self.scores, shape)
        return self.value("tensor.extract_slice %s[0, 0, 0] [%d, %d, %d] [1, 1, 1] : tensor<%sxf32> to tensor<%sxf32>" % text), shape

    def chance(self, probability):
        return self.rng.random() < probability


def mask(f, x):
    f.is_masked = True
    fill, others, body = f.constant(f.rng.choice(FILLS)), [], []
    kind = f.rng.choice(["compare", "compare", "compare", "keep", "keep_key"])
    if kind == "compare":
        f.lines.append("%%off%d = arith.constant %d : index" % (f.count, f.rng.choice([0, 0, 1, -1, 2, -3, f.keys - I])))
        sides = f.rng.choice([("%j", "%ii"), ("%j", "%ii"), ("%ii", "%j")])
        predicate = f.rng.choice(["sle", "sle", "slt", "slt", "sge", "sgt", "eq", "ne", "ule", "ugt"])
        body = ["%i = linalg.index 1 : index", "%j = linalg.index 2 : index", "%%ii = arith.addi %%i, %%off%d : index" % f.count,
                "%%c = arith.cmpi %s, %s, %s : index" % (predicate, *sides)]
    else:
        others = [("%" + kind, f.arguments[kind], "#id" if kind == "keep" else "#key", "i1")]
        body = ["%c = arith.andi %b, %b : i1"]
    taken = (fill, "%{}") if f.chance(0.4) else ("%{}", fill)
    if f.chance(0.25):
        body += ["%%z = arith.select %%c, %s, %s : f32" % tuple(t.format("zero") for t in taken), "%y = arith.addf %a, %z : f32"]
    else:
        body += ["%%y = arith.select %%c, %s, %s : f32" % tuple(t.format("a") for t in taken)]
    return f.on_scores(x, body, *others)


def scale(f, x):
    return f.on_scores(x, ["%%y = arith.mulf %%a, %s : f32" % f.constant(f.rng.choice(FACTORS[:5] if f.is_masked else FACTORS))])


def bias(f, x):
    name, map_ = f.rng.choice([("bias", "#id"), ("bias_key", "#key")])
    return f.on_scores(x, ["%y = arith.addf %b, %a : f32"], ("%" + name, f.arguments[name], map_, "f32"))


def score(f, x):
    mods = MODS[:3] if f.is_masked else MODS
    body = f.rng.choice(mods)
    f.is_masked |= body == MODS[2]
    return f.on_scores(x, body)


def maximum(f, x, raw):
    """What is subtracted, and whether it is the largest of the scores."""
    init = f.rng.choice(["0xFF800000"] * 6 + ["-3.40282347E+38", "0.0", "-1.0e30"])
    source, shape = x, f.scores
    if f.chance(0.05):
        source = raw
    elif f.chance(0.08):
        source, shape = f.slice(x)
    found = f.reduce(source, f.rng.choice(["arith.maximumf", "arith.maxnumf"]), f.constant(init), shape)
    floor = f.rng.choice(["0.0", "0xFF800000", "-3.0e38"]) if f.chance(0.15) else None
    if floor:
        found = f.on_rows(found, ["%%y = arith.maximumf %%a, %s : f32" % f.constant(floor)])
    if f.chance(0.12):
        infinity = f.constant("0x7F800000")
        found = f.on_rows(found, ["%t = math.absf %a : f32", "%%c = arith.cmpf one, %%t, %s : f32" % infinity,
                                  "%y = arith.select %c, %a, %zero : f32"])
    return found, source == x and init != "0.0" and floor != "0.0"


def divisor(f, total):
    kind = f.rng.randrange(8)
    if kind == 0:
        return f.on_rows(total, ["%%y = arith.maximumf %%a, %s : f32" % f.constant(f.rng.choice(["1.0", "0.5", "2.0", "0.0"]))])
    if kind == 1:
        predicate = f.rng.choice(["oeq", "ueq", "une", "one", "ogt", "ole"])
        taken = f.rng.choice(["%one, %a", "%a, %one"])
        return f.on_rows(total, ["%%c = arith.cmpf %s, %%a, %%zero : f32" % predicate, "%%y = arith.select %%c, %s : f32" % taken])
    return total


def any_key(f, x):
    """Whether a row keeps a key, by a rule that is mostly right."""
    source, shape = f.slice(x) if f.chance(0.2) else (x, f.scores)
    predicate, operation = f.rng.choice(["une", "une", "ogt", "oeq"]), f.rng.choice(["arith.ori", "arith.ori", "arith.andi"])
    tests = f.generic([(source, shape, "#id", "f32")], ["%%y = arith.cmpf %s, %%a, %%ninf : f32" % predicate], shape, element="i1")
    start = f.value("arith.constant %s" % ("false" if operation == "arith.ori" else "true"))
    return f.reduce(tests, operation, start, shape, "i1")


def guard(f, weights, x, raw, largest, total):
    """Weights that are zero by a test."""
    swapped = lambda right: "%zero, %a" if right != f.chance(0.15) else "%a, %zero"
    select = lambda taken: "%%y = arith.select %%c, %s : f32" % taken
    kind = f.rng.choice(["nan", "sum", "maximum", "any", "keep", "other"])
    if kind == "nan":
        predicate = f.rng.choice(["uno", "une", "ord", "oeq"])
        test = "%%c = arith.cmpf %s, %%a, %%a : f32" % predicate
        return f.on_scores(weights, [test, select(swapped(predicate[0] == "u"))])
    if kind == "sum":
        predicate = f.rng.choice(["oeq", "une", "ogt"])
        test = "%%c = arith.cmpf %s, %%b, %%zero : f32" % predicate
        return f.on_scores(weights, [test, select(swapped(predicate == "oeq"))], (total, f.rows, "#row", "f32"))
    if kind == "maximum":
        predicate = f.rng.choice(["oeq", "une", "ogt"])
        test = "%%c = arith.cmpf %s, %%b, %%ninf : f32" % predicate
        return f.on_scores(weights, [test, select(swapped(predicate == "oeq"))], (largest, f.rows, "#row", "f32"))
    if kind == "any":
        keeps = any_key(f, x)
        return f.on_scores(weights, ["%c = arith.andi %b, %b : i1", select(swapped(False))], (keeps, f.rows, "#row", "i1"))
    if kind == "keep":
        return f.on_scores(weights, ["%c = arith.andi %b, %b : i1", select(swapped(False))], ("%keep", f.scores, "#id", "i1"))
    other = f.rng.choice([x, raw, "%bias"])
    return f.on_scores(weights, ["%c = arith.cmpf uno, %b, %b : f32", select("%zero, %a")], (other, f.scores, "#id", "f32"))


def exponentials(f, x, largest):
    body = ["%t = arith.subf %a, %b : f32", "%y = math.exp %t : f32"]
    if f.chance(0.15):
        factor = f.constant(f.rng.choice(["1.4426950408889634", "1.0"]))
        body = ["%t = arith.subf %a, %b : f32", "%%u = arith.mulf %%t, %s : f32" % factor, "%y = math.exp2 %u : f32"]
    return f.on_scores(x, body, (largest, f.rows, "#row", "f32"))


def logarithm(f, total, largest):
    last = f.rng.choice(["%y = arith.addf %u, %b : f32"] * 4 + ["%y = arith.subf %u, %b : f32"])
    first = f.rng.choice([["%u = math.log %a : f32"], ["%t = math.absf %a : f32", "%u = math.log %t : f32"],
                          ["%u = math.log2 %a : f32"]])
    return f.on_rows(total, [*first, last], largest)


def make_function(name, rng):
    f = Builder(name, rng)
    raw = x = f.contract("#q, #k, #s", ("%q", f.arguments["q"]), ("%k", f.arguments["k"]), f.scores)
    for _ in range(rng.randrange(1, 5)):
        x = rng.choice([mask] * 4 + [scale] * 3 + [bias] * 2 + [score])(f, x)
    largest, is_largest = maximum(f, x, raw)
    weights = exponentials(f, x, largest)
    summed, shape = f.slice(weights) if f.chance(0.06) else (weights, f.scores)
    total = f.reduce(summed, "arith.addf", "%zero", shape)
    by = divisor(f, total)
    weights = f.on_scores(weights, ["%y = arith.divf %a, %b : f32"], (by, f.rows, "#row", "f32"))
    if f.chance(0.4):
        weights = guard(f, weights, x, raw, largest, total)
    f.results = [(f.contract("#p, #v, #o", (weights, f.scores), ("%v", f.arguments["v"]), f.arguments["q"]), f.arguments["q"])]
    if f.chance(0.3):
        f.results.append((logarithm(f, total, largest), f.rows))
    return f


def text_of(f):
    listed = ", ".join("%%%s: tensor<%sx%s> {bufferization.writable = false}" % (n, s, f.element(n)) for n, s in f.arguments.items())
    types = ", ".join("tensor<%sxf32>" % shape for _, shape in f.results)
    names = ", ".join(name for name, _ in f.results)
    lines = "\n".join(f.lines)
    return "func.func @%s(%s) -> (%s) {\n%s\nreturn %s : %s\n}\n" % (f.name, listed, types, lines, names, types)


def raise_module(text):
    """Functions that hold attention then, and those of which a remark says that rows without keys change."""
    result = subprocess.run(["fovea-opt", "--attn-raise"], input=text, capture_output=True, text=True, check=True)
    raised = {part.split("(")[0] for part in result.stdout.split("func.func @") if "attn.attention" in part}
    lines = text.splitlines()
    remarked = set()
    for line in re.findall(r"^<stdin>:(\d+):\d+: remark: a row that keeps no key", result.stderr, re.M):
        heads = [head for head in lines[:int(line)] if head.startswith("func.func")]
        remarked.add(re.match(r"func.func @(\w+)", heads[-1]).group(1))
    return raised, remarked


def make_arguments(f, rng, factor):
    values = {}
    for name, shape in f.arguments.items():
        sizes = tuple(map(int, shape.split("x")))
        if f.element(name) == "i1":
            values[name] = (rng.random(sizes) < 0.6).astype(np.uint8)
            values[name][..., 1, :] *= name != "keep"
        else:
            values[name] = (rng.standard_normal(sizes) * (factor if name == "q" else 1)).astype(np.float32)
    return values


def run(library, f, values):
    outputs = [np.zeros(tuple(map(int, shape.split("x"))), np.float32) for _, shape in f.results]
    call(library, f.name, [(np.copy(v), f.element(n)) for n, v in values.items()] + [(o, "f32") for o in outputs], 1)
    return outputs


def compare(f, actual, expected, is_remarked):
    """What is wrong with a raised result, or None."""
    with np.errstate(all="ignore"):
        same = (np.abs(actual - expected) <= 2e-4 * (1 + np.abs(expected))) | (actual == expected)
    wrong = ~(same | np.isnan(expected))
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0])
        return "%s: %d of %d differ, first at %s: %g for %g" % (f.name, wrong.sum(), wrong.size, at, actual[at], expected[at])
    if not is_remarked and (np.isnan(expected) & ((actual == 0) | np.isneginf(actual))).any():
        return "%s: NaN became a number, without a remark" % f.name
    return None


def main(directory, seed, count):
    os.makedirs(directory, exist_ok=True)
    rng = random.Random(int(seed))
    functions = [make_function("f%d" % number, rng) for number in range(int(count))]
    text = HEADER + "module {\n" + "".join(map(text_of, functions)) + "}\n"
    with open(os.path.join(directory, "functions.mlir"), "w") as file:
        file.write(text)
    raised, remarked = raise_module(text)
    source = compile_kernels(directory, "source", text, [])
    result = compile_kernels(directory, "raised", text, ["--attn-raise", "--attn-decompose"])
    values_rng = np.random.default_rng(int(seed))
    differences = 0
    for f in functions:
        for factor in (1, 4) if f.name in raised else ():
            values = make_arguments(f, values_rng, factor)
            for actual, expected in zip(run(result, f, values), run(source, f, values)):
                message = compare(f, actual, expected, f.name in remarked)
                differences += message is not None
                if message:
                    print(message)
    print("%d functions, %d raised, %d differences" % (len(functions), len(raised), differences))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
