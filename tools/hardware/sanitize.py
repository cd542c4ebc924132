#!/usr/bin/env python3
"""Runs the cases of a pack under NVIDIA's compute-sanitizer: memory errors, races, uninitialised reads, barriers.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: sanitize.py OUT.json [--suites strides ...] [--types bf16 ...] [--tools memcheck racecheck initcheck synccheck]
                   [--every N] [--filter TEXT] [--seconds N] [--sanitizer PATH]
Lies in a pack that pack.py made and is called there, on a GPU machine with compute-sanitizer (a part of the CUDA toolkit).
All tools run at once, each over every N-th case of each suite and type in one process. OUT.json has for each run the
number of cases passed and failed, the variants that ran, the sanitizer's count of errors and the first lines it printed.
Ends with 0 where every run ended and no error was found.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PACK = os.path.dirname(os.path.abspath(__file__))
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SUMMARY = re.compile(r"^=+ (?:ERROR|RACECHECK) SUMMARY: (\d+)", re.M)
WRAPPER = '#!/bin/sh\nexec "%s" --tool %s --log-file "%s" "%s" "$@"\n'


def parse_arguments():
    parser = argparse.ArgumentParser(description="Runs the cases of a pack under compute-sanitizer.")
    parser.add_argument("out")
    parser.add_argument("--suites", nargs="+", default=["strides"])
    parser.add_argument("--types", nargs="+", default=["bf16"])
    parser.add_argument("--tools", nargs="+", default=TOOLS, choices=TOOLS)
    parser.add_argument("--every", type=int, default=1, help="run every n-th case only")
    parser.add_argument("--filter", default="", help="run cases whose name contains this only")
    parser.add_argument("--seconds", type=int, default=600, help="limit of one run")
    parser.add_argument("--target", default="cuda", help=argparse.SUPPRESS)
    parser.add_argument("--sanitizer", default=shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer")
    options = parser.parse_args()
    if not os.path.exists(options.sanitizer):
        parser.error("no compute-sanitizer in PATH or at %s; name it by --sanitizer" % options.sanitizer)
    return options


def write_wrapper(options, tool, folder):
    """A program that runs fovea-run under a tool; returns it and the log that it writes."""
    wrapper, log = os.path.join(folder, "run"), os.path.join(folder, "log")
    with open(wrapper, "w") as file:
        file.write(WRAPPER % (options.sanitizer, tool, log + ".%p", os.path.join(PACK, "fovea-run")))
    os.chmod(wrapper, 0o755)
    return wrapper


def read_logs(folder):
    """What the sanitizer wrote for all processes of a run."""
    logs = [name for name in sorted(os.listdir(folder)) if name.startswith("log")]
    return "".join(open(os.path.join(folder, name), errors="replace").read() for name in logs)


def run(options, tool, suite, dtype):
    """One tool over the cases of one suite and type."""
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "results.json")
        command = [sys.executable, os.path.join(PACK, "run_cases.py"), "--run=" + write_wrapper(options, tool, folder),
                   "--artifacts=" + os.path.join(PACK, "artifacts"), "--work=" + os.path.join(folder, "work"),
                   "--target=" + options.target, "--types=" + dtype, "--every=%d" % options.every,
                   "--filter=" + options.filter, "--json=" + results, suite]
        found = {"tool": tool, "suite": suite, "type": dtype, "ended": True}
        try:
            ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                                   timeout=options.seconds)
            found["message"] = next(iter(ended.stderr.strip().splitlines()[-1:]), "")
        except subprocess.TimeoutExpired:
            found["ended"] = False
        if os.path.exists(results):
            with open(results) as file:
                found.update((name, value) for name, value in json.load(file).items() if name != "modules")
        log = read_logs(folder)
        counts = [int(count) for count in SUMMARY.findall(log)]
        found["ended"] = found["ended"] and bool(counts)
        found.update(errors=sum(counts), log=[line for line in log.splitlines() if line.strip("= ")][:60])
        return found


def why_not(entry):
    """Why a run has no verdict: its own last line, or its time."""
    return "did not end" + (": " + entry["message"] if entry.get("message") else "")


def main():
    options = parse_arguments()
    jobs = [(tool, suite, dtype) for suite in options.suites for dtype in options.types for tool in options.tools]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda job: run(options, *job), jobs))
    with open(options.out, "w") as file:
        json.dump(found, file, indent=1)
    for entry in found:
        print("{tool} {suite} {type}: {errors} errors, {0} passed, {1} failed{2}".format(
            entry.get("passed", 0), entry.get("failed", 0), "" if entry["ended"] else ", " + why_not(entry), **entry))
    return 0 if all(entry["ended"] and not entry["errors"] and not entry.get("failed") for entry in found) else 1


sys.exit(main())
