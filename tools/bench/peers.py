#!/usr/bin/env python3
"""Times Fovea's kernels on a GPU against those of cuDNN, FlashAttention-2, FlexAttention, Triton and plug-in files.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: peers.py --out OUT.json [--pack DIR] [--only REGEX]... [--peer FILE.py]... [--flex] [--rounds N]
                [--deadline SECONDS]
Needs PyTorch with CUDA and a folder of pack_peers.py (by default the one of this file). All sides of a case run on the same
values in rounds of random order; a figure is the median over the rounds, in TFLOP/s. Two readings, for a chip has two limits:
  paced  single calls, each after a pause and with an overwritten L2 cache: the clock is at its highest
  hot    calls back to back for 60 ms, after as long of the same: power limits the clock
The error is that of sampled rows of the first and the last head, relative by the norm, against float64.
After the deadline no further case begins; what was measured is in OUT.json, which is written after every case.
"""
import argparse
import datetime
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "hardware")]
from needs import need  # noqa: E402

torch = need("torch", "timing kernels of others", "PyTorch with CUDA")
from peer_cases import cases  # noqa: E402
from peer_kernels import all_sides  # noqa: E402

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16}
CALLS = 5  # paced calls a round
HOT_MS = 60.0


def reference_head(q, k, v, case, rows):
    """Rows of one head's O in float64."""
    q, k, v = (t.double() for t in (q[rows], k, v))
    scores = q @ k.T * case.D ** -0.5
    behind = rows[:, None] - torch.arange(case.Sk, device=q.device)[None, :]
    if case.causal or case.window:
        scores.masked_fill_(behind < 0, float("-inf"))
    if case.window:
        scores.masked_fill_(behind >= case.window, float("-inf"))
    return torch.softmax(scores, -1) @ v


def references(q, k, v, case):
    """[(batch, head, rows, O)] of the first and the last head."""
    rows = torch.linspace(0, case.Sq - 1, min(case.Sq, 512), device=q.device).long()
    group = case.H // case.Hk
    places = [(0, 0), (case.B - 1, case.H - 1)]
    return [(b, h, rows, reference_head(q[b, h], k[b, h // group], v[b, h // group], case, rows)) for b, h in places]


def relative_error(o, expected):
    difference = sum((o[b, h][rows].double() - r).norm() ** 2 for b, h, rows, r in expected)
    return (difference / sum(r.norm() ** 2 for *_, r in expected)).sqrt().item()


class Timer:
    """Readings of one side: milliseconds of a call."""

    def __init__(self):
        self.cache = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")

    def events(self, call, count):
        """Time of so many calls back to back, each."""
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / count

    def paced(self, call):
        times = []
        for _ in range(CALLS):
            self.cache.zero_()
            torch.cuda.synchronize()
            time.sleep(0.004)
            # The host prepares the call while the GPU spins.
            torch.cuda._sleep(400000)
            times.append(self.events(call, 1))
        return statistics.median(times)

    def hot(self, call, alone):
        """`alone` is about the time of a call."""
        count = max(3, int(HOT_MS / alone))
        for _ in range(count):
            call()
        return self.events(call, count)


def make_tensors(case, storage):
    """Q, K and V with the same values for every storage."""
    torch.manual_seed(case.Sq + case.D)
    shapes = ((case.H, case.Sq, case.D), (case.Hk, case.Sk, case.D), (case.Hk, case.Sk, case.Dv))
    tensors = [torch.randn((case.B,) + shape, device="cuda", dtype=TYPES[case.dtype]) for shape in shapes]
    return tensors if storage == "bhsd" else [t.transpose(1, 2).contiguous().transpose(1, 2) for t in tensors]


def make_calls(sides, case, notes):
    """({name: call}, {name: relative error}) of the sides that can run the case."""
    stored = {storage: make_tensors(case, storage) for storage in ("bshd", "bhsd")}
    expected = references(*stored["bhsd"], case)
    calls, errors = {}, {}
    for side in sides:
        try:
            made = side.forward(*stored[side.STORAGE], case)
            for name, call in (made.items() if isinstance(made, dict) else [(side.NAME, made)]):
                if call is not None:
                    errors[name] = relative_error(call(), expected)
                    calls[name] = call
        except Exception as error:  # noqa: BLE001: whatever a peer raises is a note in the results
            if "CUDA error" in str(error):
                raise
            notes.append("%s: %s: %s" % (side.NAME, case.name(), (str(error).splitlines() or [repr(error)])[0][:200]))
    return calls, errors


def shuffled(names, seed):
    order = sorted(names)
    random.Random(seed).shuffle(order)
    return order


def measure(timer, calls, case, rounds):
    """{reading: {name: milliseconds}}"""
    with torch.no_grad():
        for call in calls.values():
            timer.events(call, 3)
        alone = {name: max(timer.events(call, 3), 1e-3) for name, call in calls.items()}
        readings = {"paced": lambda name: timer.paced(calls[name]), "hot": lambda name: timer.hot(calls[name], alone[name])}
        times = {reading: {name: [] for name in calls} for reading in readings}
        for reading, read in readings.items():
            for number in range(rounds):
                for name in shuffled(calls, 1009 * number + case.Sq):
                    times[reading][name].append(read(name))
    return {reading: {name: statistics.median(values) for name, values in found.items()} for reading, found in times.items()}


def run_case(sides, timer, case, rounds, notes):
    """The record of a case."""
    calls, errors = make_calls(sides, case, notes)
    times = measure(timer, calls, case, rounds)
    rates = {reading: {name: case.flops() / ms * 1e-9 for name, ms in found.items()} for reading, found in times.items()}
    record = dict(vars(case), name=case.name(), mask=case.mask(), ms=times, tflops=rates, error=errors)
    print("%-44s " % case.name() + "  ".join(
        "%s %.0f/%.0f e%.1e" % (name, rates["paced"][name], rates["hot"][name], errors[name]) for name in calls), flush=True)
    return record


def machine():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.check_output(query, text=True).splitlines()[0].split(", ")
    return {"date": datetime.date.today().isoformat(), "gpu": gpu, "driver": driver, "torch": torch.__version__,
            "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version()}


def save(results, path):
    """So that a run that is ended leaves a whole file."""
    with open(path + ".new", "w") as file:
        json.dump(results, file, indent=1)
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description="Times Fovea against other attention kernels on a GPU.")
    parser.add_argument("--pack", default=HERE)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", action="append", help="cases whose name matches one of these (^grid, D128 full, ^f16)")
    parser.add_argument("--peer", action="append", default=[], help="a plug-in file (see peer_kernels.py)")
    parser.add_argument("--flex", action="store_true", help="FlexAttention too")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--deadline", type=float, default=1e9, help="seconds after which no further case begins")
    options = parser.parse_args()
    begin, timer, notes = time.monotonic(), Timer(), []
    sides = all_sides(options.pack, options.flex, options.peer)
    results = dict(machine(), rounds=options.rounds, notes=notes, cases=[])
    for case in cases():
        if options.only and not any(re.search(pattern, case.name()) for pattern in options.only):
            continue
        if time.monotonic() - begin > options.deadline:
            notes.append("the deadline was reached before: %s" % case.name())
            break
        results["cases"].append(run_case(sides, timer, case, options.rounds, notes))
        save(results, options.out)
    save(results, options.out)
    print("\n".join(notes + ["%d cases, %.0f s" % (len(results["cases"]), time.monotonic() - begin)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
