"""Compiles, runs and judges test cases.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A case is a run of one problem on given arguments. Cases go through fovea-run in batches, so that a process start is paid
once for many; what comes back are npy files, which are judged here.
"""
import concurrent.futures
import dataclasses
import hashlib
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import time
from typing import Callable, Dict, List, Optional, Tuple

import numpy as np

import judge
from inputs import Arg
from problem import Problem

BATCH = 48


@dataclasses.dataclass
class Case:
    """One run and what is expected of it.

    `expect`: the closed form (O, LSE), each an array that broadcasts or None, held to the rule of `near`; `exact`: to
    equality. `same`: cases of one label are equal bit for bit where the same variant ran; `same_rows` picks from O and LSE
    what is compared. `refusal`: a pattern of the message by which compiler or runtime must refuse (`must_refuse`) or may
    (`may_refuse`).
    """
    name: str
    problem: Problem
    args: object  # Dict[str, Arg], or what makes it when it is called
    expect: Optional[Tuple[object, object]] = None
    exact: bool = False
    printed: float = 0.0  # half a unit of the last digit of a closed form that is given in print
    flat: bool = False  # all scores are equal, so their size costs no accuracy
    judged: bool = True
    repeated: bool = False  # all batches are equal: the first is judged, and the others must be near the same values
    same: Optional[str] = None
    same_rows: Optional[Callable] = None
    must_refuse: Optional[str] = None
    may_refuse: Optional[str] = None
    reference: bool = False  # also judged by the compiler's own reference (--check)
    options: Tuple[str, ...] = ()
    out_view: str = ""  # how O lies in memory, as --out=FILE takes it

    def arguments(self) -> Dict[str, Arg]:
        return self.args() if callable(self.args) else self.args


@dataclasses.dataclass
class Report:
    """Counts and messages of a suite; `variants`: which variants ran how often; `unrun`: cases that time did not allow."""
    passed: int = 0
    failed: int = 0
    refused: int = 0
    unrun: int = 0
    messages: List[str] = dataclasses.field(default_factory=list)
    variants: Dict[str, int] = dataclasses.field(default_factory=dict)
    modules: Dict[str, dict] = dataclasses.field(default_factory=dict)

    def add(self, name, outcome, message=""):
        setattr(self, outcome, getattr(self, outcome) + 1)
        if outcome != "passed":
            self.messages.append("%s: %s: %s" % (name, outcome, message))
            print(self.messages[-1], flush=True)

    def merge(self, more):
        """Adds what another process found; a module in both has the cases of both."""
        for name in ("passed", "failed", "refused", "unrun", "messages"):
            setattr(self, name, getattr(self, name) + getattr(more, name))
        for name, count in more.variants.items():
            self.variants[name] = self.variants.get(name, 0) + count
        for key, entry in more.modules.items():
            known = self.modules.setdefault(key, dict(entry, cases=0, failed=0, error=0.0, variants=[]))
            known["cases"] += entry["cases"]
            known["failed"] += entry["failed"]
            known["error"] = max(known["error"], entry["error"])
            known["variants"] = sorted({*known["variants"], *entry["variants"]})


def module_key(problem):
    """Names the artifact of a problem by its text."""
    return hashlib.sha256(problem.module().encode()).hexdigest()[:16]


class Compiler:
    """Makes artifacts, each once; in a pack without a compiler they lie in `folder` already."""

    def __init__(self, bin_folder, folder, targets=("cpu",), options=(), jobs=2, keep=False, reference_options=()):
        self.bin_folder, self.folder, self.targets, self.options = bin_folder, folder, list(targets), list(options)
        self.reference_options = ["--with-reference", *reference_options]
        self.keep = keep
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.done = {}
        os.makedirs(folder, exist_ok=True)

    def path(self, problem, extension="fovea"):
        return os.path.join(self.folder, "%s.%s" % (module_key(problem), extension))

    def compile_one(self, problem, reference):
        """None, or the compiler's message."""
        if self.bin_folder is None:
            refusal = self.path(problem, "refused")
            if os.path.exists(refusal):
                with open(refusal) as file:
                    return file.read()
            return None if os.path.exists(self.path(problem)) else "no artifact in the pack"
        if self.keep and os.path.exists(self.path(problem)):
            return None
        with open(self.path(problem, "mlir"), "w") as file:
            file.write(problem.module())
        command = [os.path.join(self.bin_folder, "fovea-compile"), self.path(problem, "mlir"), "-o", self.path(problem)]
        command += ["--target=" + target for target in self.targets] + self.options
        command += self.reference_options if reference else []
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode == 0:
            return None
        return "fovea-compile ended with %d: %s" % (run.returncode, run.stderr.strip())

    def compile(self, cases):
        """Compiles what a batch needs; returns {key: message or None}."""
        wanted = {}
        for case in cases:
            key = module_key(case.problem)
            if key not in self.done:
                wanted[key] = (case.problem, case.reference or wanted.get(key, (None, False))[1])
        jobs = {key: self.pool.submit(self.compile_one, *item) for key, item in wanted.items()}
        self.done.update((key, job.result()) for key, job in jobs.items())
        return self.done


class Runner:
    """Runs batches of cases through fovea-run."""

    def __init__(self, fovea_run, work, target="cpu", batch_seconds=900):
        self.batch_seconds = batch_seconds
        self.fovea_run, self.work, self.target = fovea_run, work, target
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)

    def store(self, array):
        """Writes an array once; returns its path."""
        digest = hashlib.sha256(array.tobytes() + repr((array.shape, array.dtype.str)).encode()).hexdigest()[:20]
        path = os.path.join(self.work, digest + ".npy")
        if not os.path.exists(path):
            np.save(path, array)
        return path

    def outputs(self, index):
        return [os.path.join(self.work, "out%d.%s.npy" % (index, name)) for name in ("o", "lse")]

    def arguments(self, index, case, artifact):
        """The argument list of one run."""
        words, memory, args = [artifact], {}, case.arguments()
        for number, name in enumerate(case.problem.arguments()):
            arg = args[name]
            # Arguments of one buffer share its memory.
            place = memory.get(id(arg.buffer)) or (None if arg.is_scalar() else self.store(arg.buffer))
            memory.setdefault(id(arg.buffer), "@%d" % number)
            words.append("--arg=" + arg.text(place))
        paths = self.outputs(index)[:2 if case.problem.lse else 1]
        views = [case.out_view, ""]
        return words + ["--out=" + path + view for path, view in zip(paths, views)] + list(case.options) + (["--check"] if case.reference else [])

    def process(self, lines):
        """One process over a list of argument lists; returns their reports in order, and how it ended."""
        path, results = os.path.join(self.work, "cases.txt"), os.path.join(self.work, "results.json")
        with open(path, "w") as file:
            file.write("".join(" ".join(line) + "\n" for line in lines))
        command = [self.fovea_run, "--target=" + self.target, "--cases=" + path, "--json=" + results]
        try:
            run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=self.batch_seconds)
        except subprocess.TimeoutExpired:
            # A kernel whose roles wait for each other never ends: the case is named, and the others go on.
            run = subprocess.CompletedProcess(command, "no end in %d s" % self.batch_seconds, "", "")
        if not os.path.exists(results):
            return [], run
        with open(results) as file:
            return [json.loads(line) for line in file if line.endswith("\n")], run

    def run(self, lines):
        """Reports of all lines; a line that ends the process fails alone."""
        reports = []
        while len(reports) < len(lines):
            more, run = self.process(lines[len(reports):])
            reports += more
            if len(reports) < len(lines):
                reports.append({"ok": False, "error": "fovea-run ended with %s: %s" % (
                    run.returncode, run.stderr.strip()[-300:])})
        return reports

    def load(self, index, case):
        """O and LSE of a run, as float64-comparable arrays."""
        paths = self.outputs(index)
        o = np.load(paths[0])
        return o, (np.load(paths[1]) if case.problem.lse else None)

    def clean(self):
        for name in os.listdir(self.work):
            os.remove(os.path.join(self.work, name))


def variant_of(report):
    """The variants that ran, as one word."""
    return "+".join(step["variant"] for step in report.get("steps", [])) or "none"


class Suite:
    """Runs the cases of a generator and reports."""

    def __init__(self, compiler, runner):
        self.compiler, self.runner, self.report, self.bits, self.used = compiler, runner, Report(), {}, 0.0

    def run(self, cases):
        batch = []
        for case in cases:
            batch.append(case)
            if len(batch) == BATCH:
                self.run_batch(batch)
                batch = []
        if batch:
            self.run_batch(batch)
        return self.report

    def run_batch(self, cases):
        compiled = self.compiler.compile(cases)
        ready = []
        for case in cases:
            message = compiled[module_key(case.problem)]
            if message is None:
                ready.append(case)
            else:
                self.judge_refusal(case, message)
        lines = [self.runner.arguments(index, case, self.compiler.path(case.problem)) for index, case in enumerate(ready)]
        for index, (case, report) in enumerate(zip(ready, self.runner.run(lines))):
            if report["ok"]:
                self.judge_result(index, case, report)
            else:
                self.judge_refusal(case, report.get("error", "no message"))
        self.runner.clean()

    def judge_refusal(self, case, message):
        """A refusal is one line that names what the case allows to refuse; a signal never is."""
        pattern = case.must_refuse or case.may_refuse
        crashed = re.search(r"ended with -|PLEASE submit a bug|Assertion", message)
        located = message.count("error:") <= 1
        if pattern and re.search(pattern, message) and not crashed and located:
            self.report.add(case.name, "passed" if case.must_refuse else "refused", message.splitlines()[0][:200])
        else:
            self.report.add(case.name, "failed", message[:600])

    def judge_result(self, index, case, report):
        if case.must_refuse:
            self.report.add(case.name, "failed", "ran, but should have been refused: " + case.must_refuse)
            return
        variant = variant_of(report)
        self.report.variants[variant] = self.report.variants.get(variant, 0) + 1
        try:
            o, lse = self.runner.load(index, case)
        except (OSError, ValueError) as error:
            self.report.add(case.name, "failed", "no output: %s" % error)
            return
        message = self.judge_values(case, o, lse) or self.judge_bits(case, variant, o, lse)
        self.note_module(case, report, message, o.size)
        if message:
            self.report.add(case.name, "failed", "%s (variant %s)" % (message, variant))
        else:
            self.report.add(case.name, "passed")

    def note_module(self, case, report, message, elements):
        """Keeps what ran for each module: variants that wrote something, the largest part of the allowed error, failures."""
        key = module_key(case.problem)
        entry = self.report.modules.setdefault(
            key, {"cases": 0, "failed": 0, "error": 0.0, "first": case.name, "variants": []})
        entry["cases"] += 1
        entry["failed"] += message is not None
        entry["error"] = max(entry["error"], self.used)
        if elements:
            entry["variants"] = sorted({*entry["variants"], *(step["variant"] for step in report.get("steps", []))})
        entry.update(device=report.get("device"), arch=report.get("arch"))

    def judge_values(self, case, o, lse):
        values = {name: arg.value() for name, arg in case.arguments().items()}
        first = {name: value[:1] if name in ("q", "k", "v", "kv_lengths") else value for name, value in values.items()}
        ref = judge.reference(case.problem, first if case.repeated else values)
        if case.repeated:
            ref.repeat(len(o))
        self.used = judge.used_error(case.problem, o, ref)
        message = judge.near(case.problem, values, o, lse, ref) if case.judged else None
        if message or case.expect is None:
            return message
        if case.flat:
            ref.smax = np.zeros_like(ref.smax)
        allowed = [tolerance + case.printed for tolerance in judge.tolerances(case.problem, ref)]
        for name, actual, expected, tolerance in zip(("O", "LSE"), (o, lse), case.expect, allowed):
            if expected is None or actual is None:
                continue
            expected = np.broadcast_to(np.asarray(expected, np.float64), actual.shape)
            message = judge.compare(actual, expected, 0.0 if case.exact else tolerance, "closed form of " + name)
            if message:
                return message
        return None

    def judge_bits(self, case, variant, o, lse):
        """Compares with the first case of the same label and variant."""
        if case.same is None:
            return None
        pick = case.same_rows or (lambda array: array)
        bits = tuple(np.ascontiguousarray(pick(array)).tobytes() for array in (o, lse) if array is not None)
        first = self.bits.setdefault((case.same, variant), (case.name, bits))
        return None if first[1] == bits else "not equal bit for bit to %s" % first[0]


def shares(cases, size=BATCH // 2):
    """Cases in shares of about `size`. Those of one label stay together, since their bits are compared; else those of
    one module are neighbours, since loading its code is what costs."""
    groups = {}
    for case in cases:
        groups.setdefault((module_key(case.problem), None) if case.same is None else (None, case.same), []).append(case)
    share = []
    for (_, label), group in groups.items():
        parts = [group] if label else [group[i:i + size] for i in range(0, len(group), size)]
        for part in parts:
            if share and len(share) + len(part) > size:
                yield share
                share = []
            share = share + part
    if share:
        yield share


def run_side_by_side(cases, make_suite, work, processes, seconds=None):
    """Runs cases in several processes, each with a folder of its own (`make_suite` takes it) and one share of the cases at
    a time. No share begins later than `seconds` from now."""
    end = time.monotonic() + seconds if seconds else None
    # Cases hold functions, which cannot be sent: the processes are forks, and are told the number of a share.
    parts = list(shares(cases))

    def run_share(index):
        if end and time.monotonic() > end:
            return Report(unrun=len(parts[index]))
        folder = "%s.%d" % (work, os.getpid())
        report = make_suite(folder).run(parts[index])
        shutil.rmtree(folder, ignore_errors=True)
        return report

    total = Report()
    _FORKED.append(run_share)
    try:
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            for report in pool.imap_unordered(_run_forked, range(len(parts))):
                total.merge(report)
    finally:
        _FORKED.pop()
    return total


_FORKED = []


def _run_forked(index):
    return _FORKED[-1](index)
