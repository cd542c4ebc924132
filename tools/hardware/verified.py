#!/usr/bin/env python3
"""The lists of kernels that ran on hardware, one a target, and how many of today's kernels are not on them.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: verified.py make RESULTS.json [LIST.json] [--then RESULTS.json]...
                                                         writes the list from the results of run.sh, and from nothing else;
                                                         --then: of a later run of some suites, which replace those before
       verified.py check [LIST.json...] --build=BUILD    recompiles what is listed and compares the hashes of the code
LIST is test/Hardware/verified-TARGET.json, for `check` all of these. `check` prints "TARGET: N kernels verified on
hardware, N unverified" and fails only where a list cannot be read. A kernel is one variant of one module of the matrix; it
is verified if a case took that variant, every case of the module passed, and the variant's code is the same today.
"""
import argparse
import glob
import json
import os
import sys
import tempfile

from fovea import Runtime
from jsonfile import JsonError, read_json
from needs import need

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LISTS = os.path.join(SOURCE, "test", "Hardware")
sys.path.insert(0, os.path.join(SOURCE, "test", "Integration", "cases"))


def make(options):
    """Keeps the modules of which every case passed."""
    report = read_json(options.results, "the results")
    for path in options.then:
        later = read_json(path, "the results")
        if later["target"] != report["target"]:
            sys.exit("%s: results of %s, not of %s" % (path, later["target"], report["target"]))
        report["modules"].update(later["modules"])
    kernels = {}
    for key, entry in report["modules"].items():
        ran = {name: found for name, found in entry["kernels"].items() if name in entry["variants"]}
        if entry["failed"] == 0 and ran:
            kernels[key] = {"first": entry["first"], "cases": entry["cases"], "kernels": ran,
                            "error": round(entry["error"], 4)}
    listed = {name: report[name] for name in ("target", "types", "date", "gpu", "driver")}
    listed["about"] = ("Written by tools/hardware/verified.py from a hardware run. kernels: the variants that ran, with the "
                       "SHA-256 of their PTX. error: part of the allowed error used.")
    listed["modules"] = dict(sorted(kernels.items()))
    with open(options.list or os.path.join(LISTS, "verified-%s.json" % report["target"]), "w") as file:
        json.dump(listed, file, indent=1)
        file.write("\n")
    print("%s: %d modules verified on %s" % (report["target"], len(kernels), report["gpu"]))


def problems(types):
    """The modules of the matrix by key."""
    need("numpy", "making the cases")
    from matrix import SUITES
    from open_cases import CASES
    from suite import module_key
    found = {}
    for cases in [*CASES.values(), *SUITES.values()]:
        if cases.__name__ == "case13":
            continue  # 500 cases of a module that case5 has
        for case in cases():
            if case.problem.dtype in types:
                found.setdefault(module_key(case.problem), case.problem)
    return dict(sorted(found.items()))


def verified_kernels(hashes, entry):
    """How many kernels of this code are on the list, and how many are not. An entry without hashes vouches for none."""
    ran = sum(entry.get("kernels", {}).get(variant) == found for variant, found in hashes.items())
    return ran, len(hashes) - ran


def check_list(path, options):
    """Recompiles the modules of the matrix that are on a list and compares; says how many modules are not."""
    runtime = Runtime(os.path.join(options.build, "lib", "libfovea_runtime.so"))
    listed = read_json(path, "the list")
    wanted = problems(listed["types"])
    from suite import Compiler
    chosen = [key for key in wanted if key in listed["modules"]][::options.every]
    verified = unverified = 0
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(os.path.join(options.build, "bin"), folder, [listed["target"]], [], options.jobs)
        jobs = {key: compiler.pool.submit(compiler.compile_one, wanted[key], False) for key in chosen}
        for key, job in jobs.items():
            if job.result() is None:
                hashes = runtime.load(compiler.path(wanted[key])).variant_hashes()
                more, less = verified_kernels(hashes, listed["modules"][key])
                verified, unverified = verified + more, unverified + less
    missing = sum(key not in listed["modules"] for key in wanted)
    print("%s: %d kernels verified on hardware, %d unverified, in %d of %d listed modules; %d modules not listed" % (
        listed["target"], verified, unverified, len(chosen), len(listed["modules"]), missing))


def main():
    parser = argparse.ArgumentParser(description="The lists of kernels verified on hardware.")
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make")
    maker.add_argument("results")
    maker.add_argument("list", nargs="?")
    maker.add_argument("--then", action="append", default=[], metavar="RESULTS.json")
    checker = commands.add_parser("check")
    checker.add_argument("lists", nargs="*")
    checker.add_argument("--build", default=os.path.join(SOURCE, "build"))
    checker.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    checker.add_argument("--every", type=int, default=1, help="recompile every n-th listed module only")
    options = parser.parse_args()
    if options.command == "make":
        return make(options)
    for path in options.lists or sorted(glob.glob(os.path.join(LISTS, "verified-*.json"))):
        check_list(path, options)


try:
    main()
except JsonError as error:
    sys.exit("verified.py: %s" % error)
