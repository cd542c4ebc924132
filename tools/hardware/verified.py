#!/usr/bin/env python3
"""The list of kernels that ran on hardware, and how many of today's kernels are not on it.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: verified.py make RESULTS.json LIST.json       writes the list from the results of run.sh, and from nothing else
       verified.py check LIST.json --build=BUILD     recompiles what is listed and compares the hashes of the code
`check` prints "N kernels verified on hardware, N unverified" and fails only where the list cannot
be read; without a list nothing is verified.
"""
import argparse
import hashlib
import json
import os
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "test", "Integration", "cases"))


def make(results, path):
    """Keeps the modules of which every case passed."""
    with open(results) as file:
        report = json.load(file)
    kernels = {}
    for key, entry in report["modules"].items():
        if entry["failed"] == 0 and entry.get("ptx"):
            kernels[key] = {"first": entry["first"], "cases": entry["cases"], "ptx": entry["ptx"],
                            "error": round(entry["error"], 4)}
    listed = {name: report[name] for name in ("date", "gpu", "driver")}
    listed["about"] = "Written by tools/hardware/verified.py from a hardware run. error: part of the allowed error used."
    listed["kernels"] = dict(sorted(kernels.items()))
    with open(path, "w") as file:
        json.dump(listed, file, indent=1)
        file.write("\n")
    print("%d kernels verified on %s" % (len(kernels), report["gpu"]))
    return 0


def problems(every):
    """The modules of the matrix by key."""
    from matrix import SUITES
    from open_cases import CASES
    from suite import module_key
    found = {}
    for cases in [*CASES.values(), *SUITES.values()]:
        if cases.__name__ == "case13":
            continue
        for case in cases():
            found.setdefault(module_key(case.problem), case.problem)
    return dict(sorted(found.items())[::every])


def check(options):
    """Recompiles the matrix and compares."""
    from suite import Compiler
    listed = {}
    if os.path.exists(options.list):
        with open(options.list) as file:
            listed = json.load(file)["kernels"]
    wanted = problems(options.every)
    verified = 0
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(os.path.join(options.build, "bin"), folder, [options.target], ["--emit=ptx"], options.jobs)
        jobs = {key: compiler.pool.submit(compiler.compile_one, problem, False) for key, problem in wanted.items()
                if key in listed}
        for key, job in jobs.items():
            if job.result() is None:
                with open(compiler.path(wanted[key]), "rb") as file:
                    # In an artifact a zero byte ends PTX.
                    verified += hashlib.sha256(file.read() + b"\0").hexdigest() == listed[key]["ptx"]
    print("%d kernels verified on hardware, %d unverified" % (verified, len(wanted) - verified))
    return 0


def main():
    parser = argparse.ArgumentParser(description="The list of kernels verified on hardware.")
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make")
    maker.add_argument("results")
    maker.add_argument("list")
    checker = commands.add_parser("check")
    checker.add_argument("list")
    checker.add_argument("--build", default=os.path.join(SOURCE, "build"))
    checker.add_argument("--target", default="sm_80")
    checker.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    checker.add_argument("--every", type=int, default=1, help="look at every n-th kernel only")
    options = parser.parse_args()
    return make(options.results, options.list) if options.command == "make" else check(options)


sys.exit(main())
