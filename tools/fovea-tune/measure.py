#!/usr/bin/env python3
"""Times a pack of fovea-tune on the GPU of this machine, which needs a driver and numpy but no compiler.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Every kernel of a problem computes on the same values. Its output is held to float64 on sampled rows: one that is wrong, or that
does not run, is excluded and named. The others are timed in rounds of random order; two readings, as a chip has two limits:
  paced  single calls, each after a pause and with an overwritten L2 cache: the clock is at its highest
  hot    calls back to back, after as long of the same: power limits the clock
After the deadline no further problem begins; what was measured is in the output, which is written after every problem.
"""
import argparse
import datetime
import json
import os
import random
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "hardware")]
from arguments import Parser, device, not_negative, positive, whole  # noqa: E402
from cuda import Cuda, CudaError  # noqa: E402
from families import CAP, COUNT, PACKED, Family, TuneError  # noqa: E402
from fovea import CUDA, Device, FoveaError, Runtime, tensor  # noqa: E402
from jsonfile import JsonError, listed, mapping, one_of, read_json, record, text  # noqa: E402
from needs import need  # noqa: E402

np = need("numpy", "timing")

PERIOD = 999983  # values repeat after so many; a prime, so that rows differ
CACHE_BYTES = 256 << 20
PACED_CALLS, PAUSE, HOT_MS = 3, 0.004, 20.0
CHOSEN, GIVEN = "chosen", "given"  # the strategy of a kernel that the target chose; the variant of --strategy
TOLERANCE = {"bf16": 2e-2, "f16": 4e-3}  # relative error by the norm; a right kernel has a quarter of it


# By head: those of ALiBi for 8 heads, again and again.
SLOPES = np.exp2(-1.0 - np.arange(1024) % 8).astype(np.float32)


# What `fovea-tune pack` wrote; the ranges of strategies have done their part.
PACK = record({"format": one_of(1), "target": text, "problems": listed(record(
    {**PACKED, "sizes": listed(listed(COUNT), 1), "spaces": listed(mapping(listed(lambda value, place: None))),
     "kernels": mapping(text), "refused": mapping(text)}))})


def to_bits(values, kind):
    """f32 values as the 16 bits of `kind`, and what these stand for."""
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16), values.astype(np.float16).astype(np.float64)
    bits = values.astype(np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return rounded, from_bits(rounded, kind)


def from_bits(bits, kind):
    if kind == "f16":
        return bits.view(np.float16).astype(np.float64)
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


class Data:
    """One buffer each for Q, K, V, O and LSE that serves all problems; a value is a function of its position in the buffer."""

    def __init__(self, cuda, kind, elements, rows):
        draw = np.random.default_rng(7)
        self.cuda, self.kind, self.values, self.pointers = cuda, kind, [], []
        for _ in range(4):
            bits, values = to_bits(draw.standard_normal(PERIOD), kind)
            self.values.append(values)
            self.pointers.append(cuda.upload(np.resize(bits, elements)))
        self.output = cuda.upload(np.full(elements, 0xFFFF, np.uint16))
        self.lse = cuda.upload(np.full(rows, np.nan, np.float32))
        self.slopes = cuda.upload(SLOPES)

    def close(self):
        for pointer in self.pointers + [self.output, self.lse, self.slopes]:
            self.cuda.free(pointer)

    def value(self, number, shape):
        """[B, S, H, D] in memory as a tensor [B, H, S, D]."""
        b, h, s, d = shape
        pointer = self.output if number is None else self.pointers[number]
        return tensor(self.kind, pointer, [b, h, s, d], [s * h * d, d, h * d, 1])

    def rows(self, number, shape, batch, head, positions):
        _, h, s, d = shape
        first = ((batch * s + positions) * h + head) * d
        return self.values[number][(first[:, None] + np.arange(d)) % PERIOD]

    def bias(self, queries, keys):
        return self.values[3][(queries[:, None] * len(keys) + keys) % PERIOD]


class Problem:
    """A family at one size: arguments, expected rows of the first and the last head."""

    def __init__(self, data, family, size):
        b, hq, hkv, sq, skv = size
        self.data, self.family, self.size = data, family, size
        self.shapes = [(b, hq, sq, family.qk_depth), (b, hkv, skv, family.qk_depth), (b, hkv, skv, family.v_depth)]
        self.out = (b, hq, sq, family.v_depth)
        self.arguments = [data.value(i, shape) for i, shape in enumerate(self.shapes)]
        if family.feature == "bias":
            self.arguments.append(tensor(family.type, data.pointers[3], [1, 1, sq, skv], [sq * skv, sq * skv, skv, 1]))
        if family.feature == "table":
            self.arguments.append(tensor(family.type, data.pointers[3], [1, 1, 1, skv], [skv, skv, skv, 1]))
        self.results = [data.value(None, self.out)]
        if family.feature == "linear":
            self.arguments.append(tensor("f32", data.slopes, [hq], [1]))
        if family.feature == "lse":
            self.results.append(tensor("f32", data.lse, [b, hq, sq], [hq * sq, sq, 1]))
        self.queries = np.unique(np.linspace(0, max(sq - 1, 0), min(sq, 8)).astype(np.int64))
        self.expected = [self.reference(0, 0), self.reference(b - 1, hq - 1)]

    def reference(self, batch, head):
        """O of the sampled rows, their LSE, and how far that may be off: the bound of the semantics."""
        _, hq, hkv, _, skv = self.size
        keys, kv_head = np.arange(skv), head // (hq // hkv)
        q = self.data.rows(0, self.shapes[0], batch, head, self.queries)
        k = self.data.rows(1, self.shapes[1], batch, kv_head, keys)
        v = self.data.rows(2, self.shapes[2], batch, kv_head, keys)
        scores, behind = q @ k.T * self.family.qk_depth ** -0.5, self.queries[:, None] - keys[None, :]
        if self.family.feature == "bias":
            scores += self.data.bias(self.queries, keys)
        if self.family.feature == "table":
            scores += self.data.bias(np.zeros(1, np.int64), keys)
        if self.family.feature == "linear":
            scores -= SLOPES[head] * behind
        if self.family.feature == "score":
            scores = CAP * np.tanh(scores / CAP)
        if self.family.mask != "full":
            scores = np.where((behind < 0) | ((self.family.window > 0) & (behind >= self.family.window)), -np.inf, scores)
        if skv == 0:
            return np.zeros((len(self.queries), self.family.v_depth)), np.full(len(self.queries), -np.inf), 0.0
        largest = np.max(scores, axis=1)
        weights = np.exp(scores - largest[:, None])
        total = weights.sum(axis=1)
        size = np.abs(np.where(np.isfinite(scores), scores, 0.0)).max(axis=1)
        return weights @ v / total[:, None], largest + np.log(total), 2.0 ** -24 * (8 + 8 * size + np.sqrt(skv))

    def computed(self, batch, head):
        _, h, s, d = self.out
        rows = np.empty((len(self.queries), d), np.uint16)
        for row, position in zip(rows, self.queries):
            self.data.cuda.download(self.data.output + 2 * ((batch * s + int(position)) * h + head) * d, row)
        return from_bits(rows, self.family.type)

    def ends(self):
        """Batch and head of what is sampled."""
        return (0, 0), (self.size[0] - 1, self.size[1] - 1)

    def error(self):
        """Relative error by the norm of the sampled rows of the output."""
        computed, expected = [self.computed(*end) for end in self.ends()], [o for o, _, _ in self.expected]
        difference = sum(np.sum((c - e) ** 2) for c, e in zip(computed, expected))
        error = np.sqrt(difference / max(sum(np.sum(e ** 2) for e in expected), 1e-30))
        return float(error) if np.isfinite(error) else float("inf")

    def lse_error(self):
        """The error of LSE in the sampled rows as a part of what is allowed; 0 where none is asked for."""
        _, h, s, _ = self.out
        worst, row = 0.0, np.empty(s, np.float32)
        if self.family.feature != "lse" or s == 0:
            return worst
        for (batch, head), (_, expected, allowed) in zip(self.ends(), self.expected):
            self.data.cuda.download(self.data.lse + 4 * (batch * h + head) * s, row)
            with np.errstate(invalid="ignore"):
                off = np.where(row[self.queries] == expected, 0.0, np.abs(row[self.queries] - expected))
            used = np.divide(off, allowed, out=np.where(off == 0, 0.0, np.inf), where=np.broadcast_to(allowed, off.shape) > 0)
            worst = max(worst, float(np.where(np.isnan(used), np.inf, used).max()))
        return worst


class Bench:
    """Loads kernels, checks and times them."""

    def __init__(self, folder, ordinal):
        self.folder, self.cuda, self.functions = folder, Cuda(ordinal), {}
        self.runtime = Runtime(os.path.join(folder, "libfovea_runtime.so"))
        self.device = Device(backend=CUDA, stream=self.cuda.stream)
        self.cache, self.workspace, self.workspace_bytes = self.cuda.allocate(CACHE_BYTES), None, 0

    def function(self, name):
        if name not in self.functions:
            self.functions[name] = self.runtime.load(os.path.join(self.folder, "modules", name))
        return self.functions[name]

    def launcher(self, name, problem):
        function = self.function(name)
        size = function.workspace_bytes(self.device, problem.arguments)
        if size > self.workspace_bytes:
            # The old one stays: calls that were made use it.
            self.workspace, self.workspace_bytes = self.cuda.allocate(size), size
        launch = function.launcher(self.device, problem.arguments, problem.results, self.workspace if size else None, size)
        return launch, function.variant(self.device, problem.arguments, problem.results)

    def flush(self):
        self.cuda.fill(self.cache, 1, CACHE_BYTES)

    def check(self, call, problem):
        # NaN: what is not written is wrong
        self.cuda.fill(problem.data.output, 0xFF, 2 * int(np.prod(problem.out)))
        self.cuda.fill(problem.data.lse, 0xFF, 4 * int(np.prod(problem.out[:3])))
        call()
        self.cuda.synchronize()
        return problem.error()

    def paced(self, call):
        times = []
        for _ in range(PACED_CALLS):
            self.cuda.synchronize()
            time.sleep(PAUSE)
            self.flush()  # the host prepares the call meanwhile
            times.append(self.cuda.time(call))
        return statistics.median(times)

    def hot(self, call, alone):
        count = max(3, min(2000, int(HOT_MS / alone)))
        for _ in range(count):
            call()
        return self.cuda.time(call, count)


def prepare_calls(bench, problem, kernels):
    """({file: call}, {file: error}, {file: why it is excluded})"""
    calls, errors, excluded = {}, {}, {}
    for name in kernels:
        try:
            call, variant = bench.launcher(name, problem)
            if kernels[name] != CHOSEN and variant != GIVEN:
                excluded[name] = "does not suit the problem: variant %s runs" % variant
                continue
            error = bench.check(call, problem)
        except FoveaError as failure:
            excluded[name] = str(failure).splitlines()[0]
            continue
        if error > TOLERANCE[problem.family.type]:
            excluded[name] = "wrong: relative error %.2e" % error
        elif problem.lse_error() > 1:
            excluded[name] = "wrong: LSE is off by %.2g times what is allowed" % problem.lse_error()
        else:
            calls[name], errors[name] = call, error
    return calls, errors, excluded


def measure(bench, calls, rounds, seed):
    """{file: {"paced": ms, "hot": ms}}, medians over the rounds."""
    alone = {name: max(bench.cuda.time(call, 3), 1e-3) for name, call in calls.items()}
    readings = {"paced": lambda name: bench.paced(calls[name]), "hot": lambda name: bench.hot(calls[name], alone[name])}
    times = {name: {reading: [] for reading in readings} for name in calls}
    for reading, read in readings.items():
        for number in range(rounds):
            order = sorted(calls)
            random.Random(1009 * number + seed).shuffle(order)
            for name in order:
                times[name][reading].append(read(name))
    return {name: {reading: statistics.median(values) for reading, values in found.items()} for name, found in times.items()}


def run_family(bench, entry, options, results, save, out_of_time):
    family = Family(**{key: entry[key] for key in Family.__dataclass_fields__})
    kernels = entry["kernels"]
    most = max(max(b * hq * sq, b * hkv * skv) for b, hq, hkv, sq, skv in family.sizes) * max(family.qk_depth, family.v_depth)
    if family.feature == "bias":
        most = max([most] + [size[3] * size[4] for size in family.sizes])
    data = Data(bench.cuda, family.type, most, max(b * hq * sq for b, hq, _, sq, _ in family.sizes))
    for size in family.sizes:
        if out_of_time():
            results["notes"].append("the deadline was reached before %s %s" % (family.name(), size))
            break
        problem = Problem(data, family, size)
        calls, errors, excluded = prepare_calls(bench, problem, kernels)
        times = measure(bench, calls, options.rounds, sum(size))
        record = {key: entry[key] for key in ("type", "qk_depth", "v_depth", "mask", "feature", "window")}
        by_strategy = lambda found: {kernels[name]: value for name, value in found.items()}
        results["problems"].append({**record, "name": family.name(), "size": size, "flops": family.flops(size),
                                    "ms": by_strategy(times), "error": by_strategy(errors), "excluded": by_strategy(excluded)})
        save()
        best = {r: min((t[r], name) for name, t in times.items()) for r in ("paced", "hot")} if times else {}
        print("%s %s: %d timed, %d excluded; %s" % (family.name(), size, len(times), len(excluded), "; ".join(
            "%s %.0f TFLOP/s %s" % (r, family.flops(size) / ms * 1e-9, kernels[n]) for r, (ms, n) in best.items())), flush=True)
    data.close()


def prepare_share(options):
    """Lets the driver compile a share of the pack, for its cache."""
    bench = Bench(options.pack, options.device)
    for name in sorted(os.listdir(os.path.join(options.pack, "modules")))[options.share::options.jobs]:
        try:
            bench.function(name).prepare(bench.device)
        except FoveaError:
            pass  # the measurement reports it


def prepare_all(options):
    """Fills the driver's cache of compiled code by several processes."""
    command = [sys.executable, os.path.abspath(__file__), "--pack", options.pack, "--out", os.devnull, "--jobs", str(options.jobs),
               "--device", str(options.device)]
    shares = [subprocess.Popen(command + ["--share", str(share)]) for share in range(options.jobs)]
    for share in shares:
        share.wait()


def run(options):
    begin = time.monotonic()
    pack = read_json(os.path.join(options.pack, "pack.json"), "the pack", PACK)
    if options.jobs > 1:
        prepare_all(options)
    bench = Bench(options.pack, options.device)
    results = {"format": 1, "target": pack["target"], "device": bench.cuda.name(), "driver": bench.cuda.driver(),
               "multiprocessors": bench.cuda.multiprocessors(), "date": datetime.date.today().isoformat(),
               "rounds": options.rounds, "notes": [], "problems": []}

    def save():
        with open(options.out + ".new", "w") as file:
            json.dump(results, file, indent=1)
        os.replace(options.out + ".new", options.out)
    print("%.0f s to prepare" % (time.monotonic() - begin))
    for entry in pack["problems"]:
        run_family(bench, entry, options, results, save, lambda: time.monotonic() - begin > options.deadline)
    save()
    print("\n".join(results["notes"] + ["%d problems, %.0f s" % (len(results["problems"]), time.monotonic() - begin)]))


def add_options(parser):
    parser.add_argument("--pack", default=HERE, help="folder that `fovea-tune pack` made")
    parser.add_argument("--out", required=True, help="JSON file for the results")
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--jobs", type=positive, default=os.cpu_count() or 1, help="processes that let the driver compile first")
    parser.add_argument("--device", type=device, default=0, help="number of the CUDA device")
    parser.add_argument("--deadline", type=not_negative, default=1e9, help="seconds after which no further problem begins")


def main():
    parser = Parser(description="Times the kernels of a pack on this machine's GPU.")
    add_options(parser)
    parser.add_argument("--share", type=whole(0, 10 ** 6), help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        if options.share is not None:
            prepare_share(options)
        else:
            run(options)
    except (CudaError, FoveaError, JsonError, TuneError, OSError, ValueError, MemoryError) as error:
        # The process whose share this is meets the same error and reports it once.
        sys.exit("fovea-tune: error: %s" % error if options.share is None else 1)


if __name__ == "__main__":
    main()
