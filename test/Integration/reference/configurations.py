"""Random small configurations of attention, as numpy arrays and as IR.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

from buffers import STORAGE, guarded, strided
from model import bits_to_float, lengths

ONE_TASK = "affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (1)>"


def store(array, values, dtype):
    """Writes values, rounded to the type, to a strided array (a broadcast one keeps what is written last)."""
    if array.size == 0:
        return
    if dtype == "bf16":
        array[...] = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            array[...] = values.astype(STORAGE[dtype])


class Argument:
    """A function argument: a name, a type in IR, and its value."""

    def __init__(self, name, element, value, shape=None):
        self.name, self.element, self.value, self.shape = name, element, value, shape

    def memref(self):
        if self.shape is None:
            return self.element
        strides = ", ".join("?" * len(self.shape))
        return f"memref<{self.dims()}{self.element}, strided<[{strides}], offset: ?>>"

    def tensor(self):
        return self.element if self.shape is None else f"tensor<{self.dims()}{self.element}>"

    def dims(self):
        return "".join(f"{size}x" for size in self.shape)


class Configuration:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.seed = seed
        self.clauses = []
        self.operands, self.captures = {}, []
        self.on_tensors = self.rng.random() < 0.5
        self.choose_shape()
        self.choose_inputs()
        self.choose_diagonal()
        self.choose_regions()
        self.choose_broadcasts()
        self.choose_destinations()
        self.spoil()

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, *values):
        return values[self.rng.integers(len(values))]

    def choose_shape(self):
        rng = self.rng
        size = lambda top: 0 if self.chance(0.04) else int(rng.integers(1, top))
        B, Hkv, group = size(4), size(4), int(rng.integers(1, 5))
        Sq = 1 if self.chance(0.15) else size(36)
        self.case = dict(B=B, Hkv=Hkv, Hq=Hkv * group, Sq=Sq, Skv=size(40), Dqk=self.pick(1, 3, 8, 17),
                         Dv=self.pick(1, 5, 8), dtype=self.pick("f32", "f16", "bf16"), base=(0, 0, 0, 0),
                         kv_lengths=None, sink=None, score=None, mask_mod=None, bias=None, mask=None, causal=False,
                         window=(None, None), diagonal=None, offset=None)
        self.case["out_dtype"] = self.pick(self.case["dtype"], self.case["dtype"], "f32")
        self.known = {name: self.chance(0.5) for name in ("B", "Hq", "Hkv", "Sq", "Skv")}
        if self.chance(0.25):
            self.case["base"] = tuple(int(n) for n in rng.integers(0, 7, 4))
            names = []
            for number, position in enumerate(self.case["base"]):
                self.operands[f"base{number}"] = Argument(f"base{number}", "index", position)
                names.append(f"%base{number}")
            self.clauses.append(f"base({', '.join(names)})")

    def dims(self, *names):
        """Dimensions in IR: a size where it is known, '?' where it is not."""
        return [self.case[n] if n in ("Dqk", "Dv") or self.known[n] else "?" for n in names]

    def new_array(self, name, names, dtype, values, can_broadcast=True):
        shape = tuple(self.case[n] for n in names)
        array = strided(self.rng, shape, dtype, can_broadcast)
        store(array, values(shape), dtype)
        self.operands[name] = Argument(name, dtype, array, self.dims(*names))
        return bits_to_float(array, dtype) if dtype in ("f32", "f16", "bf16") else array

    def normal(self, shape):
        return self.rng.standard_normal(shape) * self.pick(0.5, 1.0, 3.0)

    def choose_inputs(self):
        case, rng = self.case, self.rng
        self.new_array("q", ("B", "Hq", "Sq", "Dqk"), case["dtype"], self.normal)
        self.new_array("k", ("B", "Hkv", "Skv", "Dqk"), case["dtype"], self.normal)
        self.new_array("v", ("B", "Hkv", "Skv", "Dv"), case["dtype"], self.normal)
        kind = self.pick("default", "default", "attribute", "operand")
        scale = np.float32(1 / np.sqrt(case["Dqk"])) if kind == "default" else np.float32(self.pick(0.0, -0.7, 0.3, 2.0))
        case["scale"] = np.float64(scale)
        if kind == "attribute":
            self.clauses.append(f"scale({np.float64(scale):.9e})")
        if kind == "operand":
            self.operands["scale"] = Argument("scale", "f32", float(scale))
            self.clauses.append("scale(%scale)")
        if self.chance(0.4):
            dtype = self.pick("i32", "i64")
            top = case["base"][3] + case["Skv"] + 4
            self.case["kv_lengths"] = self.new_array("n", ("B",), dtype, lambda shape: rng.integers(-3, top, shape))
            self.clauses.append(f"kv_lengths(%n : TYPE:n)")
        if self.chance(0.3):
            case["sink"] = self.new_array("sink", ("Hq",), "f32", lambda shape: np.where(
                rng.random(shape) < 0.2, -np.inf, rng.standard_normal(shape) * 2))
            self.clauses.append("sink(%sink : TYPE:sink)")

    def choose_diagonal(self):
        case, rng = self.case, self.rng
        case["causal"] = self.chance(0.45)
        has_window = self.chance(0.3)
        if not case["causal"] and not has_window:
            return
        case["diagonal"] = self.pick("top_left", "bottom_right", "offset")
        text = case["diagonal"]
        if text == "offset":
            draw = lambda shape: rng.integers(-12, 40, shape)
            if self.chance(0.5):
                case["offset"] = int(draw(1)[0])
                self.operands["off"] = Argument("off", "index", case["offset"])
            else:
                case["offset"] = self.new_array("off", ("B",), self.pick("i32", "i64"), draw)
            text = "%off : TYPE:off"
        if case["causal"]:
            self.clauses.append(f"causal({text})")
        if has_window:
            bound = lambda: None if self.chance(0.25) else int(rng.integers(0, 20))
            left, right = bound(), bound()
            if left is None and right is None:
                left = 2**63 - 1
            case["window"] = (left, right)
            show = lambda value: "*" if value is None else value
            diagonal = "" if case["causal"] else f", {text}"
            self.clauses.append(f"window({show(left)}, {show(right)}{diagonal})")

    def capture(self, name, dtype, value, shape=None):
        self.captures.append(Argument(name, dtype, value, shape))

    def choose_regions(self):
        case = self.case
        kind = self.pick(None, None, "softcap", "alibi", "table", "holes")
        if kind:
            body = getattr(self, "score_" + kind)()
            self.clauses.append("score_mod(%s, %b, %h, %i, %j) {\n" + body + "\n}")
        kind = self.pick(None, None, "modulo", "documents")
        if kind:
            body = getattr(self, "mask_" + kind)()
            self.clauses.append("mask_mod(%b, %h, %i, %j) {\n" + body + "\n}")

    def score_softcap(self):
        cap = np.float32(self.pick(2.0, 15.0))
        self.capture("cap", "f32", float(cap))
        self.case["score"] = lambda s, b, h, i, j: cap * np.tanh(s / cap)
        return """%x = arith.divf %s, %cap : f32
                  %y = math.tanh %x : f32
                  %z = arith.mulf %y, %cap : f32
                  attn.yield %z : f32"""

    def read(self, name, indices, shape, dtype):
        kind = "tensor.extract" if self.on_tensors else "memref.load"
        return f"{kind} %{name}[{indices}] : TYPE:{name}"

    def score_alibi(self):
        heads = self.case["base"][1] + self.case["Hq"]
        slopes = guarded(max(heads, 1), "f32")
        slopes[...] = self.rng.standard_normal(slopes.shape) * 0.2
        values = slopes.astype(np.float64)
        self.capture("slopes", "f32", slopes, ["?"])
        self.case["score"] = lambda s, b, h, i, j: s - values[h] * (i - j)
        return f"""%slope = {self.read('slopes', '%h', '?', 'f32')}
                   %d = arith.subi %i, %j : index
                   %d32 = arith.index_cast %d : index to i32
                   %df = arith.sitofp %d32 : i32 to f32
                   %x = arith.mulf %slope, %df : f32
                   %y = arith.subf %s, %x : f32
                   attn.yield %y : f32"""

    def key_table(self, name, dtype, values):
        """A table over keys of the whole that ends where the last valid key does."""
        size = max([0, *lengths(self.case)])
        table = guarded(size, dtype)
        store(table, values(size), dtype)
        self.capture(name, dtype, table, ["?"])
        return table

    def score_table(self):
        table = bits_to_float(self.key_table("table", "bf16", self.normal), "bf16")
        self.case["score"] = lambda s, b, h, i, j: s + np.where(i > j, table[j], np.float64(np.float32(0.1)))
        return f"""%e = {self.read('table', '%j', '?', 'bf16')}
                   %after = arith.cmpi sgt, %i, %j : index
                   %x = scf.if %after -> f32 {{
                     %f = arith.extf %e : bf16 to f32
                     scf.yield %f : f32
                   }} else {{
                     %c = arith.constant 0.1 : f32
                     scf.yield %c : f32
                   }}
                   %y = arith.addf %s, %x : f32
                   attn.yield %y : f32"""

    def score_holes(self):
        self.case["score"] = lambda s, b, h, i, j: np.where(s > 0.5, -np.inf, s)
        return """%c = arith.constant 0.5 : f32
                  %ninf = arith.constant 0xFF800000 : f32
                  %high = arith.cmpf ogt, %s, %c : f32
                  %y = arith.select %high, %ninf, %s : f32
                  attn.yield %y : f32"""

    def mask_modulo(self):
        self.case["mask_mod"] = lambda b, h, i, j: (i + 2 * j + b + h) % 3 != 0
        return """%t = arith.addi %j, %j : index
                  %x = arith.addi %i, %t : index
                  %y = arith.addi %b, %h : index
                  %z = arith.addi %x, %y : index
                  %c3 = arith.constant 3 : index
                  %c0 = arith.constant 0 : index
                  %r = arith.remsi %z, %c3 : index
                  %keep = arith.cmpi ne, %r, %c0 : index
                  attn.yield %keep : i1"""

    def mask_documents(self):
        table = self.key_table("documents", "i32", lambda size: self.rng.integers(0, 4, size))
        self.case["mask_mod"] = lambda b, h, i, j: table[j] == i % 4
        return f"""%d = {self.read('documents', '%j', '?', 'i32')}
                   %c4 = arith.constant 4 : index
                   %r = arith.remsi %i, %c4 : index
                   %r32 = arith.index_cast %r : index to i32
                   %same = arith.cmpi eq, %d, %r32 : i32
                   attn.yield %same : i1"""

    def broadcast_shape(self):
        names = ("B", "Hq", "Sq", "Skv")
        sizes = [1 if self.chance(0.4) else base + self.case[name] for base, name in zip(self.case["base"], names)]
        in_whole = "base0" in self.operands
        known = lambda size, name: self.chance(0.5) and (size == 1 or self.known[name] or in_whole)
        return tuple(sizes), [size if known(size, name) else "?" for size, name in zip(sizes, names)]

    def choose_broadcasts(self):
        case, rng = self.case, self.rng
        if self.chance(0.3):
            shape, dims = self.broadcast_shape()
            dtype = self.pick("f32", "f16", "bf16", "f64")
            array = strided(rng, shape, dtype, True)
            store(array, self.normal(shape), dtype)
            # An f64 bias is f32 at use.
            case["bias"] = bits_to_float(array, dtype).astype(np.float32).astype(np.float64)
            self.operands["bias"] = Argument("bias", dtype, array, dims)
            self.clauses.append("bias(%bias : TYPE:bias)")
        if self.chance(0.3):
            shape, dims = self.broadcast_shape()
            array = strided(rng, shape, "i1", True)
            store(array, rng.random(shape) < 0.7, "i1")
            case["mask"] = array != 0
            self.operands["mask"] = Argument("mask", "i1", array, dims)
            self.clauses.append("mask(%mask : TYPE:mask)")

    def choose_destinations(self):
        case = self.case
        self.has_lse = self.chance(0.7)
        self.destinations = {}
        for name, names, dtype in (("o", ("B", "Hq", "Sq", "Dv"), case["out_dtype"]), ("lse", ("B", "Hq", "Sq"), "f32")):
            if name == "o" or self.has_lse:
                shape = tuple(case[n] for n in names)
                array = strided(self.rng, shape, dtype, False)
                self.destinations[name] = Argument(name, dtype, array, self.dims(*names))

    def spoil(self):
        """Garbage past the lengths, and sometimes a NaN or infinity that counts."""
        case = self.case
        k, v, q = (self.operands[name].value for name in "kvq")
        not_broadcast = all(s != 0 or n <= 1 for a in (k, v) for s, n in zip(a.strides, a.shape))
        if case["kv_lengths"] is not None and not_broadcast:
            for b, length in enumerate(lengths(case)):
                start = max(length - case["base"][3], 0)
                store(k[b, :, start:], np.full(k[b, :, start:].shape, np.nan), case["dtype"])
                store(v[b, :, start:], np.full(v[b, :, start:].shape, np.nan), case["dtype"])
        if self.chance(0.15) and q.size and k.size:
            target = self.pick(q, k)
            at = tuple(int(self.rng.integers(n)) for n in target.shape)
            store(target[at[:3]][at[3]:at[3] + 1], np.array([self.pick(np.nan, np.inf, -np.inf)]), case["dtype"])
        for name in "qkv":
            case[name] = bits_to_float(self.operands[name].value, case["dtype"])

    ORDER = ("q", "k", "v", "scale", "bias", "mask", "sink", "n", "off", "base0", "base1", "base2", "base3")

    def arguments(self):
        """Operands without destinations, in the op's order, then captures."""
        return [self.operands[name] for name in self.ORDER if name in self.operands] + self.captures

    def op(self, type_of, results):
        """The op's text; `type_of` gives the type of an argument."""
        by_name = {a.name: a for a in [*self.arguments(), *self.destinations.values()]}
        text = "\n".join(self.clauses)
        for name, argument in sorted(by_name.items(), key=lambda item: -len(item[0])):
            text = text.replace(f"TYPE:{name}", type_of(argument))
        types = lambda names: ", ".join(type_of(by_name[n]) for n in names)
        outs = list(self.destinations)
        return (f"{results}attn.attention ins(%q, %k, %v : {types('qkv')})\n{text}\n"
                f"outs({', '.join('%' + n for n in outs)} : {types(outs)})\n")

    def host_function(self, name):
        """A function that the judge is made from."""
        type_of = Argument.tensor if self.on_tensors else Argument.memref
        args = [*self.arguments(), *self.destinations.values()]
        signature = ", ".join(f"%{a.name}: {type_of(a)}" for a in args)
        results = f"%r:{len(self.destinations)} = " if self.on_tensors else ""
        return f"func.func @{name}({signature}) {{\n{self.op(type_of, results)}return\n}}\n"

    def kernel_function(self, name):
        """A kernel function, of one task, around the op."""
        return self.memref_function(name, f"attn.launch = #attn.launch<grid = {ONE_TASK}>")

    def memref_function(self, name, attributes):
        """A function of memrefs around the op, which may be on tensors."""
        args = [*self.arguments(), *self.destinations.values()]
        if not self.on_tensors:
            signature = ", ".join(f"%{a.name}: {a.memref()}" for a in args)
            body = self.op(Argument.memref, "")
        else:
            signature = ", ".join(f"%{a.name}{'' if a.shape is None else '_m'}: {a.memref()}" for a in args)
            body = "".join(f"%{a.name} = bufferization.to_tensor %{a.name}_m restrict : {a.memref()} to {a.tensor()}\n"
                           for a in args if a.shape is not None)
            body += self.op(Argument.tensor, f"%r:{len(self.destinations)} = ")
            for number, a in enumerate(self.destinations.values()):
                body += (f"bufferization.materialize_in_destination %r#{number} in restrict writable %{a.name}_m"
                         f" : ({a.tensor()}, {a.memref()}) -> ()\n")
        return f"func.func @{name}({signature}) attributes {{{attributes}}} {{\n{body}return\n}}\n"
