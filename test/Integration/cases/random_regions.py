"""Random score and mask regions: the lines of a region, and the function in numpy that they mean.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

COMPARISONS = {"slt": np.less, "sle": np.less_equal, "sgt": np.greater, "sge": np.greater_equal, "eq": np.equal,
               "ne": np.not_equal}
CONDITIONS = {"andi": np.logical_and, "ori": np.logical_or, "xori": np.logical_xor}


class Region:
    """Captured values as name -> type, the lines of a body that ends with %y, and the function of the arguments by name."""

    def __init__(self):
        self.captures, self.lines, self.function, self.count = {}, [], None, 0

    def emit(self, text):
        """A new value."""
        self.count += 1
        self.lines.append("%%v%d = %s" % (self.count, text))
        return "%%v%d" % self.count

    def read(self, capture, kind, indices):
        self.count += 1
        self.captures[capture] = kind
        self.lines.append("{get:v%d:%s:%s}" % (self.count, capture, ", ".join(indices)))
        return "%%v%d" % self.count

    def __call__(self, *arguments):
        """As apply_score_mod and apply_mask_mod call it: ([s,] positions, captured)."""
        *score, (b, h, i, j), captured = arguments
        return self.function(dict(captured, b=b, h=h, i=i, j=j, s=score[0] if score else None))


class Writer:
    """Draws expressions; each is (the name of its value, a function of the environment)."""

    def __init__(self, draw):
        self.draw, self.region = draw, Region()

    def constant(self, value, kind="index"):
        text = "%d" % value if kind == "index" else "%.6e" % value
        value = np.float32(text) if kind == "f32" else value
        return self.region.emit("arith.constant %s : %s" % (text, kind)), lambda env: np.float64(value) if kind == "f32" else value

    def small(self):
        return self.constant(int(self.draw.rng.randint(0, 40)))

    def apply(self, name, function, *operands, kind="index"):
        value = self.region.emit("%s %s : %s" % (name, ", ".join(operand[0] for operand in operands), kind))
        return value, lambda env: function(*(operand[1](env) for operand in operands))

    def position(self, names="ij"):
        name = self.draw.one_of(names)
        return "%" + name, lambda env: env[name]

    def non_negative(self, depth):
        """i, j, b, h, a sum of them, or a quotient or remainder of such."""
        kind = self.draw.rng.randint(4) if depth else 0
        if kind == 0:
            return self.position("iijjbh")
        value = self.non_negative(depth - 1)
        if kind == 1:
            return self.apply("arith.addi", np.add, value, self.draw.one_of((self.small, self.position))())
        divisor = self.constant(int(self.draw.rng.randint(1, 50)))
        return self.apply(*(("arith.divui", np.floor_divide) if kind == 2 else ("arith.remui", np.mod)), value, divisor)

    def read_at(self, table, kind, *indices):
        """A number of a captured tensor of f32."""
        value = self.region.read(table, kind, [index[0] for index in indices])
        return value, lambda env: env[table].astype(np.float64)[tuple(index[1](env) for index in indices)]

    def read_index(self, table, kind, *indices):
        """An index of a captured tensor of i32."""
        value = self.region.emit("arith.index_cast %s : i32 to index" % self.region.read(table, kind, [index[0] for index in indices]))
        return value, lambda env: env[table][tuple(index[1](env) for index in indices)].astype(np.int64)

    def batch(self):
        return "%b", lambda env: env["b"]

    def captured(self):
        """A run-time scalar, or the document of a position."""
        if self.draw.chance(0.5):
            self.region.captures["n0"] = "index"
            return "%n0", lambda env: env["n0"]
        return self.read_index("documents", "?x?xi32", self.batch(), self.position())

    def integer(self, depth):
        kind = self.draw.rng.randint(8) if depth else self.draw.rng.randint(2)
        if kind == 0:
            return self.non_negative(depth)
        if kind == 1:
            return self.captured() if self.draw.chance(0.3) else self.small()
        if kind <= 3:
            name, function = ("arith.addi", np.add) if self.draw.chance(0.3) else ("arith.subi", np.subtract)
            return self.apply(name, function, self.integer(depth - 1), self.integer(depth - 1))
        if kind == 4:
            return self.apply("arith.muli", np.multiply, self.integer(depth - 1), self.constant(int(self.draw.rng.randint(0, 5))))
        if kind <= 6:
            name, function = ("arith.maxsi", np.maximum) if self.draw.chance(0.5) else ("arith.minsi", np.minimum)
            other = self.small() if self.draw.chance(0.7) else self.integer(depth - 1)
            return self.apply(name, function, self.integer(depth - 1), other)
        return self.select(depth, self.integer, "index")

    def select(self, depth, make, kind):
        condition, lhs, rhs = self.condition(depth - 1), make(depth - 1), make(depth - 1)
        value = self.region.emit("arith.select %s, %s, %s : %s" % (condition[0], lhs[0], rhs[0], kind))
        return value, lambda env: np.where(condition[1](env), lhs[1](env), rhs[1](env))

    def condition(self, depth):
        if depth > 0 and self.draw.chance(0.5):
            name = self.draw.one_of(sorted(CONDITIONS))
            return self.apply("arith." + name, CONDITIONS[name], self.condition(depth - 1), self.condition(depth - 1), kind="i1")
        name = self.draw.one_of(sorted(COMPARISONS))
        lhs, rhs = self.integer(max(depth, 1)), self.integer(max(depth, 1))
        value = self.region.emit("arith.cmpi %s, %s, %s : index" % (name, lhs[0], rhs[0]))
        return value, lambda env: COMPARISONS[name](lhs[1](env), rhs[1](env))

    def number(self, depth):
        """An f32 of moderate size."""
        kind = self.draw.rng.randint(8) if depth else self.draw.rng.randint(3)
        f32 = lambda name, function, *operands: self.apply(name, function, *operands, kind="f32")
        factor = lambda: self.constant(float(self.draw.rng.uniform(-1, 1)), "f32")
        if kind == 0:
            return "%s", lambda env: env["s"]
        if kind == 1:
            value, function = self.integer(2)
            wide = self.region.emit("arith.index_cast %s : index to %s" % (value, self.draw.one_of(("i32", "i64"))))
            value = self.region.emit("arith.sitofp %s : %s to f32" % (wide, self.region.lines[-1][-3:]))
            return f32("arith.mulf", np.multiply, (value, lambda env: np.float64(function(env))),
                       self.constant(float(self.draw.rng.uniform(-0.05, 0.05)), "f32"))
        if kind == 2:
            low = self.apply("arith.maxsi", np.maximum, self.integer(2), self.constant(0))
            return self.read_at("table", "32xf32", self.apply("arith.minsi", np.minimum, low, self.constant(31)))
        value = self.number(depth - 1)
        if kind == 3:
            return f32("math.tanh", np.tanh, value)
        if kind == 4:
            return f32("arith.mulf", np.multiply, value, factor())
        if kind == 5:
            one = self.constant(1.0, "f32")
            return f32("arith.divf", np.divide, value, f32("arith.addf", np.add, f32("math.absf", np.abs, self.number(depth - 1)), one))
        if kind == 6:
            return self.select(depth, self.number, "f32")
        name, function = self.draw.one_of((("arith.addf", np.add), ("arith.subf", np.subtract),
                                           ("arith.maximumf", np.maximum), ("arith.minimumf", np.minimum)))
        return f32(name, function, value, self.number(depth - 1))

    def finish(self, value, kind):
        name, function = value
        self.region.lines.append("%%y = arith.select %%true, %s, %s : %s" % (name, name, kind))
        self.region.lines.insert(0, "%true = arith.constant true")
        self.region.function = function
        return self.region


def random_mask(draw, writer=Writer):
    """A mask region; half of them keep the diagonal too."""
    writer = writer(draw)
    value = writer.condition(3)
    if draw.chance(0.5):
        same = writer.region.emit("arith.cmpi eq, %i, %j : index"), lambda env: env["i"] == env["j"]
        value = writer.apply("arith.ori", np.logical_or, value, same, kind="i1")
    return writer.finish(value, "i1")


def random_score(draw, writer=Writer):
    """A score region: the score, or half of it, and a random number."""
    writer = writer(draw)
    value = writer.number(3)
    total = writer.apply("arith.addf", np.add, ("%s", lambda env: env["s"]), value, kind="f32")
    return writer.finish(total, "f32")


def count_ones(value):
    """Of 64 bits, as math.ctpop does."""
    bits = np.asarray(value, np.int64).view(np.uint64)
    return sum(((bits >> np.uint64(shift)) & np.uint64(1)).astype(np.int64) for shift in range(64))


def count_leading_zeros(value):
    bits = np.asarray(value, np.int64).view(np.uint64)
    for shift in (1, 2, 4, 8, 16, 32):
        bits = bits | bits >> np.uint64(shift)
    return 64 - count_ones(bits.view(np.int64))


def count_trailing_zeros(value):
    value = np.asarray(value, np.int64)
    return count_ones((value & -value) - 1)


class ReadsWriter(Writer):
    """Draws reads at indices that were read themselves, and integers that are cut to narrow types or counted in bits."""

    COUNTS = (("math.ctpop", count_ones), ("math.ctlz", count_leading_zeros), ("math.cttz", count_trailing_zeros))

    def place(self, depth):
        """A number from 0 to 31: what is read for a position, at such a place, or an integer between these bounds."""
        kind = self.draw.rng.randint(3) if depth > 0 else 0
        if kind == 0:
            return self.read_index("classes", "?x?xi32", self.batch(), self.position())
        if kind == 1:
            return self.read_index("order", "32xi32", self.place(depth - 1))
        low = self.apply("arith.maxsi", np.maximum, self.integer(depth - 1), self.constant(0))
        return self.apply("arith.minsi", np.minimum, low, self.constant(31))

    def narrowed(self, depth):
        value, function = self.integer(depth - 1)
        bits = self.draw.one_of((8, 16, 32))
        cast = self.draw.one_of(("arith.index_cast", "arith.index_castui"))
        narrow = self.region.emit("%s %s : index to i%d" % (cast, value, bits))
        back = self.draw.one_of(("arith.index_cast", "arith.index_castui"))
        kind = getattr(np, "%s%d" % ("uint" if back.endswith("ui") else "int", bits))
        value = self.region.emit("%s %s : i%d to index" % (back, narrow, bits))
        return value, lambda env: np.asarray(function(env), np.int64).astype(kind).astype(np.int64)

    def integer(self, depth):
        kind = self.draw.rng.randint(6)
        if kind == 0:
            return self.place(depth)
        if kind == 1 and depth:
            return self.narrowed(depth)
        if kind == 2 and depth:
            return self.apply(*self.draw.one_of(self.COUNTS), self.integer(depth - 1))
        return super().integer(depth)

    def number(self, depth):
        if self.draw.chance(0.5):
            return super().number(depth)
        return self.read_at("table", "32xf32", self.place(depth))


class LinearWriter(Writer):
    """Draws scores that are linear in the product and the key, but for reads of tables at indices that are linear in query and
    key, and at such that are the same from some distance on. Positions lie at `at_i` and `at_j`, which may be large; tables
    hold what lies there."""

    def captured_index(self, name):
        self.region.captures[name] = "index"
        return "%" + name, lambda env: env[name]

    def from_start(self, name):
        """A position within the problem."""
        return self.apply("arith.subi", np.subtract, self.position(name), self.captured_index("at_" + name))

    def distance(self, names="ij"):
        return self.apply("arith.subi", np.subtract, self.position(names[0]), self.position(names[1]))

    def to_float(self, value):
        wide = self.region.emit("arith.index_cast %s : index to i64" % value[0])
        return self.region.emit("arith.sitofp %s : i64 to f32" % wide), lambda env: np.float64(value[1](env))

    def f32(self, name, function, *operands):
        return self.apply(name, function, *operands, kind="f32")

    def of_head(self):
        """A captured value of the head."""
        value = self.region.read("temperatures", "?xf32", ["%h"])
        return value, lambda env: env["temperatures"].astype(np.float64)[env["h"]]

    def factor(self):
        return self.of_head() if self.draw.chance(0.4) else self.constant(float(self.draw.rng.uniform(-1, 1)), "f32")

    def slope(self):
        """A constant times a distance, or a small one times a position."""
        if self.draw.chance(0.3):
            return self.f32("arith.mulf", np.multiply, self.to_float(self.position()), self.constant(1e-8, "f32"))
        value = self.distance(self.draw.one_of(("ij", "ji")))
        if self.draw.chance(0.3):
            value = self.apply("arith.muli", np.multiply, value, self.constant(int(self.draw.rng.randint(1, 4))))
        return self.f32("arith.mulf", np.multiply, self.to_float(value),
                        self.constant(float(self.draw.rng.uniform(-0.02, 0.02)), "f32"))

    def linear_table(self):
        """A table by key, by distance, by sum of positions, or by both positions."""
        kind = self.draw.rng.randint(4)
        query, key = self.from_start("i"), self.from_start("j")
        if kind == 0:
            return self.read_at("keys", "?xf32", key)
        if kind == 1:
            ahead = self.apply("arith.subi", np.subtract, key, query)
            return self.read_at("ahead", "?xf32", self.apply("arith.addi", np.add, ahead, self.captured_index("queries")))
        if kind == 2:
            return self.read_at("sums", "?xf32", self.apply("arith.addi", np.add, query, key))
        return self.read_at("grid", "?x?xf32", query, key)

    def clamped(self):
        """A place in a table of 32 by the distance."""
        value = self.distance(self.draw.one_of(("ij", "ji")))
        least = self.draw.rng.randint(2)
        value = self.apply("arith.maxsi", np.maximum, value, self.constant(-int(least) * 16))
        value = self.apply("arith.minsi", np.minimum, value, self.constant(31 - int(least) * 16))
        return self.apply("arith.addi", np.add, value, self.constant(int(least) * 16))

    def bucket(self):
        """The same by a logarithm of the distance; no distance lies at a border."""
        value = self.to_float(self.distance(self.draw.one_of(("ij", "ji"))))
        value = self.f32("arith.maximumf", np.maximum, value, self.constant(1.3, "f32"))
        value = self.f32("math.log2", np.log2, value)
        value = self.f32("arith.mulf", np.multiply, value, self.constant(float(self.draw.rng.uniform(2, 5)), "f32"))
        value = self.f32("arith.minimumf", np.minimum, value, self.constant(float(self.draw.rng.randint(10, 31)), "f32"))
        whole = self.region.emit("arith.fptosi %s : f32 to i32" % value[0])
        return self.region.emit("arith.index_cast %s : i32 to index" % whole), lambda env: np.int64(np.floor(value[1](env)))

    def term(self):
        kind = self.draw.rng.randint(6)
        score = "%s", lambda env: env["s"]
        if kind == 0:
            return self.f32("arith.mulf", np.multiply, score, self.factor())
        if kind == 1:
            return self.f32("arith.divf", np.divide, score, self.of_head())
        if kind == 2:
            return self.slope()
        if kind == 3:
            return self.f32("arith.mulf", np.multiply, self.slope(), self.of_head())
        if kind == 4:
            return self.linear_table()
        return self.read_at("table", "32xf32", self.bucket() if self.draw.chance(0.5) else self.clamped())

    def score(self):
        value = "%s", lambda env: env["s"]
        for _ in range(self.draw.rng.randint(1, 4)):
            name, function = self.draw.one_of((("arith.addf", np.add), ("arith.subf", np.subtract)))
            operands = [value, self.term()]
            value = self.f32(name, function, *(operands if self.draw.chance(0.7) else operands[::-1]))
        return self.f32("arith.mulf", np.multiply, value, self.factor()) if self.draw.chance(0.3) else value


def random_linear_score(draw):
    """A score region that is linear in most blocks of pairs."""
    writer = LinearWriter(draw)
    return writer.finish(writer.score(), "f32")
