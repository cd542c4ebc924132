#!/usr/bin/env python3
"""Runs suites of test cases on a target and prints what failed.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: run_cases.py [options] SUITE...     a suite is case1 ... case16, grid, features, strides, special, blocks,
hopper, steep, few_queries, gallery, masks, long_masks, random, random_long, random_reads, random_linear or all
The last line is "N passed, N failed, N refused"; a refusal is allowed by the case and says what is not supported.
"""
import argparse
import itertools
import json
import os
import sys

# The judge's products are small: threads of its library would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# In a pack what is shared lies beside this file.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "hardware"))
from needs import need  # noqa: E402

need("numpy", "making and judging cases")
from matrix import SUITES  # noqa: E402
from open_cases import CASES, case13, case16  # noqa: E402
from random_cases import random_cases  # noqa: E402
from suite import Compiler, Runner, Suite, module_key, run_side_by_side  # noqa: E402


RANDOM = ("random", "random_long", "random_reads", "random_linear")
TYPES = ("f32", "f16", "bf16")
NOTHING = 2  # the exit code where there is no case; pack.py knows it


def fail(message):
    """Ends the script where the command line asks for nothing that there is."""
    print("run_cases.py: error: " + message, file=sys.stderr)
    sys.exit(NOTHING)


def parse_arguments():
    parser = argparse.ArgumentParser(description="Runs suites of test cases on a target.")
    parser.add_argument("suites", nargs="+")
    parser.add_argument("--bin", help="folder of fovea-compile and fovea-run")
    parser.add_argument("--run", help="fovea-run, where there is no compiler")
    parser.add_argument("--work", required=True, help="folder for inputs and outputs; emptied")
    parser.add_argument("--artifacts", help="folder of artifacts (default: in the work folder)")
    parser.add_argument("--target", default="cpu", help="where to run: cpu or cuda")
    parser.add_argument("--compile-target", action="append", help="what to compile for (default: cpu)")
    parser.add_argument("--compile-option", action="append", default=[])
    parser.add_argument("--reference-option", action="append", default=[], help="options of what has a reference")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--processes", type=int, default=1, help="processes that run and judge cases side by side")
    parser.add_argument("--seconds", type=float, help="begin no case after so long; what did not run is counted")
    parser.add_argument("--batch-seconds", type=float, default=900, help="what the runs of a batch may take together")
    parser.add_argument("--count", type=int, default=100, help="random: number of cases")
    parser.add_argument("--seed", type=int, default=1, help="random: first seed")
    parser.add_argument("--every", type=int, default=1, help="run every n-th case only")
    parser.add_argument("--filter", default="", help="run cases whose name contains this only")
    parser.add_argument("--types", default="f32,f16,bf16", help="run cases of these element types only")
    parser.add_argument("--brief", action="store_true", help="fewer lengths and combinations: what CI runs")
    parser.add_argument("--compile-only", action="store_true", help="make the artifacts and run nothing")
    parser.add_argument("--keep", action="store_true", help="keep artifacts that exist")
    parser.add_argument("--json", help="write the results to this file")
    options = parser.parse_args()
    unknown = [name for name in options.types.split(",") if name not in TYPES]
    if unknown:
        fail("unknown type: %s; known: %s" % (unknown[0], ", ".join(TYPES)))
    if options.every < 1:
        fail("--every=%d is no number of cases" % options.every)
    return options


def cases_of(name, options):
    """The cases of a suite."""
    if name in RANDOM:
        return random_cases(options.count, options.seed, name)
    if name == "case13" and options.brief:
        return case13(itertools.chain(range(1, 20), range(20, 500, 23), (500,)))
    if name == "case16" and options.brief:
        return case16((1, 70))
    if name not in {**CASES, **SUITES}:
        fail("unknown suite: %s; known: %s" % (name, ", ".join([*CASES, *SUITES, *RANDOM])))
    cases = {**CASES, **SUITES}[name]
    return cases(brief=True) if options.brief and name in ("case11", "grid", "features", "gallery") else cases()


def named_cases(options):
    """The cases of all suites of the command line whose names it asks for, whatever their types."""
    names = options.suites if options.suites != ["all"] else [*CASES, *SUITES, *RANDOM]
    return (case for name in names for case in cases_of(name, options) if options.filter in case.name)


def why_none(options):
    """What leaves no case of the suites."""
    suites = " ".join(options.suites)
    types = {case.problem.dtype for case in named_cases(options)}
    if types:
        return "%s%s has none of --types=%s, but of %s" % (
            suites, " with --filter=" + options.filter if options.filter else "", options.types, ", ".join(sorted(types)))
    if options.filter:
        return "no name in %s has '%s', what --filter asks for" % (suites, options.filter)
    return "%s has none with --count=%d" % (suites, options.count)


def select(options):
    """All cases that the command line asks for; one at least."""
    types = options.types.split(",")
    cases = (case for case in named_cases(options) if case.problem.dtype in types)
    first = next(cases, None)
    if first is None:
        fail("no case: " + why_none(options))
    return itertools.islice(itertools.chain([first], cases), 0, None, options.every)


def compile_only(compiler, cases):
    """Makes all artifacts; refusals are kept as files beside them. Returns the number of failures."""
    failures = 0
    cases = list(cases)
    for key, message in compiler.compile(cases).items():
        case = next(case for case in cases if module_key(case.problem) == key)
        if message is None:
            continue
        with open(compiler.path(case.problem, "refused"), "w") as file:
            file.write(message)
        if not (case.may_refuse or case.must_refuse):
            failures += 1
            print("%s: %s" % (case.name, message))
    print("%d modules, %d failed" % (len(compiler.done), failures))
    return failures


def main():
    options = parse_arguments()
    artifacts = options.artifacts or options.work + ".artifacts"
    compiler = Compiler(options.bin, artifacts, options.compile_target or ["cpu"], options.compile_option, options.jobs,
                        options.keep, options.reference_option)
    if options.compile_only:
        return 1 if compile_only(compiler, select(options)) else 0

    def make_suite(work):
        runner = Runner(options.run or os.path.join(options.bin, "fovea-run"), work, options.target,
                        options.batch_seconds)
        return Suite(compiler, runner)

    if options.processes > 1 or options.seconds:
        report = run_side_by_side(list(select(options)), make_suite, options.work, options.processes, options.seconds)
    else:
        report = make_suite(options.work).run(select(options))
    print("variants: " + ", ".join("%s %d" % item for item in sorted(report.variants.items())))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(vars(report), file, indent=1)
    if report.unrun:
        print("out of time before %d cases" % report.unrun)
    print("%d passed, %d failed, %d refused" % (report.passed, report.failed, report.refused))
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())
