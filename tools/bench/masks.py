#!/usr/bin/env python3
"""Times the gallery of masks and score functions on a GPU: against Fovea's kernel without the region, and FlexAttention.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: masks.py --out OUT.json [--pack DIR] [--only REGEX]... [--flex] [--workers N] [--rounds N] [--deadline SECONDS]
Needs PyTorch with CUDA and a folder of pack_masks.py (by default the one of this file). Readings and rounds are those of
peers.py. A line has, for both readings:
  plain    time of the plain kernel of the same mask / time of the entry
  visible  time of the entry / (visible scores / all scores * time of the kernel without a mask), for masks by a region
  flex     time of FlexAttention / time of the entry
and the error of sampled rows against float64. A first call is: for Fovea the compiler's time on the machine that packed,
then loading and the first launch here, where the driver assembles the PTX; for FlexAttention making the block mask,
torch.compile and the call, with no cache. With --flex its first calls are made before all readings, by --workers processes.
"""
import argparse
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "hardware")]
from fovea import CUDA, Device, Runtime, scalar, tensor  # noqa: E402
from needs import need  # noqa: E402

torch = need("torch", "timing masks", "PyTorch with CUDA")
from mask_cases import HEADS, cases  # noqa: E402
from peers import Timer, machine, measure, save  # noqa: E402

KINDS = {torch.float32: "f32", torch.bfloat16: "bf16", torch.int32: "i32", torch.bool: "i1"}


def value_of(item):
    """A fovea_value of a tensor or a position."""
    if not isinstance(item, torch.Tensor):
        return scalar("index", item)
    return tensor(KINDS[item.dtype], item.data_ptr(), item.shape, item.stride())


def make_tensors(case):
    torch.manual_seed(case.S + case.D)
    shapes = [(1, length, HEADS, case.D) for length in (case.Sq, case.S, case.S)]
    return [torch.randn(shape, device="cuda", dtype=torch.bfloat16).transpose(1, 2) for shape in shapes]


class Model:
    """The functions of an entry with its captured values bound, as FlexAttention and the reference take them."""

    def __init__(self, case):
        entry, S = case.entry, case.S
        self.case, self.arguments = case, entry.values(S)
        # What the file computes from the lengths.
        extra = {"causal_bottom_right": [S - case.Sq], "tree": [S]}.get(entry.name, [])
        captured = self.arguments + extra
        self.sink = self.arguments[0] if entry.sink else None
        self.keep = entry.keep and (lambda b, h, i, j: entry.keep(captured, b, h, i, j))
        self.score = entry.score and (lambda s, b, h, i, j: entry.score(captured, s, b, h, i, j))

    def index(self, rows):
        place = lambda values: torch.as_tensor(values, device="cuda")
        return place(0), rows[:, None], torch.arange(self.case.S, device="cuda")[None, :]

    def visible(self):
        """The part of the scores that are visible."""
        if not self.keep:
            return 1.0
        count, queries = 0, self.case.Sq
        for rows in torch.arange(queries, device="cuda").split(2048):
            b, i, j = self.index(rows)
            count += self.keep(b, b, i, j).expand(len(rows), self.case.S).sum().item()
        return count / (queries * self.case.S)

    def rows(self, q, k, v, h):
        """(rows, O) of a head in float64."""
        rows = torch.linspace(0, q.shape[2] - 1, min(q.shape[2], 256), device="cuda").long()
        b, i, j = self.index(rows)
        head = torch.as_tensor(h, device="cuda")
        s = q[0, h][rows].double() @ k[0, h].double().T * self.case.D ** -0.5
        if self.score:
            s = self.score(s, b, head, i, j)
        if self.keep:
            s = s.masked_fill(~self.keep(b, head, i, j), float("-inf"))
        if self.sink is not None:
            s = torch.cat([s, self.sink[h].double().expand(len(rows), 1)], 1)
        return rows, torch.nan_to_num(torch.softmax(s, -1)[:, :self.case.S]) @ v[0, h].double()

    def error(self, o, expected):
        """The error of O, relative by the norm."""
        difference = sum((o[0, h][rows].double() - values).norm() ** 2 for h, (rows, values) in expected.items())
        return (difference / sum(values.norm() ** 2 for _, values in expected.values())).sqrt().item()


class Fovea:
    """The artifacts of a pack; `first` keeps the seconds of first calls by module."""

    def __init__(self, pack):
        self.pack, self.functions, self.first = pack, {}, {}
        self.runtime = Runtime(os.path.join(pack, "libfovea_runtime.so"))

    def call(self, module, q, k, v, arguments):
        device = Device(backend=CUDA, stream=torch.cuda.current_stream().cuda_stream)
        out = torch.empty_like(q)
        ins = [value_of(item) for item in [q, k, v] + arguments]
        begin = time.perf_counter()
        if module not in self.functions:
            self.functions[module] = self.runtime.load(os.path.join(self.pack, "modules", module + ".fovea"))
        size = self.functions[module].workspace_bytes(device, ins)
        workspace = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
        launch = self.functions[module].launcher(device, ins, [value_of(out)], workspace.data_ptr() if size else None, size)
        launch()
        torch.cuda.synchronize()
        self.first.setdefault(module, time.perf_counter() - begin)

        def call(keep=(q, k, v, arguments, workspace)):
            launch()
            return out
        return call


def flex_call(case, model, q, k, v):
    """A call of compiled FlexAttention."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    mask = model.keep and create_block_mask(model.keep, None, None, q.shape[2], case.S, device="cuda")
    compiled = torch.compile(flex_attention, dynamic=False)
    q, k, v = (t.contiguous() for t in (q, k, v))
    if model.sink is None:
        return lambda: compiled(q, k, v, score_mod=model.score, block_mask=mask)

    def with_sink():
        o, lse = compiled(q, k, v, score_mod=model.score, block_mask=mask, return_lse=True)
        return o * torch.sigmoid(lse - model.sink[None, :, None])[..., None].to(o.dtype)
    return with_sink


def first_flex_calls(names):
    """{case: seconds of a first call, or a message}, printed as JSON: what a worker does."""
    found = {}
    for case in cases():
        if case.name() not in names:
            continue
        model, tensors = Model(case), make_tensors(case)
        torch.cuda.synchronize()
        begin = time.perf_counter()
        try:
            flex_call(case, model, *tensors)()
            torch.cuda.synchronize()
            found[case.name()] = time.perf_counter() - begin
        except Exception as error:  # noqa: BLE001: whatever FlexAttention raises is a note in the results
            found[case.name()] = (str(error).splitlines() or [repr(error)])[0][:200]
        del model, tensors
    print(json.dumps(found))


def warm_flex(chosen, workers, notes):
    """First calls of all cases by worker processes, which leave compiled kernels for this process."""
    cache = tempfile.mkdtemp()
    os.environ.update(TORCHINDUCTOR_CACHE_DIR=cache, TRITON_CACHE_DIR=os.path.join(cache, "triton"),
                      TORCHINDUCTOR_COMPILE_THREADS="1")
    parts = [[case.name() for case in chosen[number::workers]] for number in range(workers)]
    running = [subprocess.Popen([sys.executable, os.path.abspath(__file__), "--worker", json.dumps(part)], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE) for part in parts if part]
    found = {}
    for process in running:
        out, err = process.communicate()
        try:
            found.update(json.loads(out.splitlines()[-1]))
        except (IndexError, ValueError):
            notes.append("a worker ended with %d: %s" % (process.returncode, err.strip()[-300:]))
    return found


def run_case(fovea, timer, case, options, first, notes):
    """The record of a case."""
    model, tensors = Model(case), make_tensors(case)
    calls = {"fovea": fovea.call(case.module(), *tensors, model.arguments),
             "plain": fovea.call(case.module(plain=True), *tensors, [])}
    if options.flex and isinstance(first.get(case.name()), float):
        try:
            calls["flex"] = flex_call(case, model, *tensors)
            calls["flex"]()
        except Exception as error:  # noqa: BLE001
            calls.pop("flex", None)
            notes.append("flex: %s: %s" % (case.name(), (str(error).splitlines() or [repr(error)])[0][:200]))
    expected = {h: model.rows(*tensors, h) for h in (0, HEADS - 1)}
    errors = {name: model.error(call(), expected) for name, call in calls.items() if name != "plain"}
    times, visible = measure(timer, calls, case, options.rounds), model.visible()
    ratios = {reading: {"plain": ms["plain"] / ms["fovea"],
                        "visible": ms["fovea"] / (visible * ms["plain"]) if case.entry.is_sparse() else None,
                        "flex": ms["flex"] / ms["fovea"] if "flex" in ms else None} for reading, ms in times.items()}
    text = lambda value: "   -" if value is None else "%4.2f" % value
    print("%-34s visible %5.3f  " % (case.name(), visible) + "  ".join(
        "%s: %7.3f ms plain %s visible %s flex %s" % (reading, times[reading]["fovea"], *map(text, found.values()))
        for reading, found in ratios.items()) + "  error " + " ".join("%.1e" % e for e in errors.values()), flush=True)
    return dict(name=case.name(), module=case.module(), S=case.S, D=case.D, visible=visible, ms=times, ratios=ratios,
                error=errors, first_flex=first.get(case.name()), first_launch=fovea.first[case.module()])


def compile_times(pack):
    """{module: {"compiler": seconds, "ptxas": seconds}} of the machine that packed; empty where it packed IR."""
    path = os.path.join(pack, "compile.json")
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description="Times masks and score functions on a GPU.")
    parser.add_argument("--pack", default=HERE)
    parser.add_argument("--out")
    parser.add_argument("--only", action="append", help="cases whose name matches one of these (alibi, D128 S8192)")
    parser.add_argument("--flex", action="store_true", help="FlexAttention too")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--deadline", type=float, default=1e9, help="seconds after which no further case begins")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return first_flex_calls(json.loads(options.worker))
    begin, notes = time.monotonic(), []
    chosen = [case for case in cases() if not options.only or any(re.search(text, case.name()) for text in options.only)]
    first = warm_flex(chosen, options.workers, notes) if options.flex else {}
    print("first calls: %.0f s" % (time.monotonic() - begin), flush=True)
    fovea, timer = Fovea(options.pack), Timer()
    results = dict(machine(), rounds=options.rounds, workers=options.workers, notes=notes, cases=[],
                   compile=compile_times(options.pack))
    for case in chosen:
        if time.monotonic() - begin > options.deadline:
            notes.append("the deadline was reached before: %s" % case.name())
            break
        try:
            results["cases"].append(run_case(fovea, timer, case, options, first, notes))
        except Exception as error:  # noqa: BLE001: other cases go on
            notes.append("%s: %s" % (case.name(), (str(error).splitlines() or [repr(error)])[0][:300]))
            if "CUDA error" in str(error):
                save(results, options.out)
                raise
        torch._dynamo.reset()
        save(results, options.out)
    print("\n".join(notes))


if __name__ == "__main__":
    main()
