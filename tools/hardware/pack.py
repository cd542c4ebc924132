#!/usr/bin/env python3
"""Packs what a GPU machine without LLVM needs to check and time the kernels.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: pack.py --build=BUILD --out=DIR [--target=sm_80] [--suites case1 ... | all] [--archive]
Makes DIR (or, with --archive, DIR.tar.xz): fovea-run, libfovea_runtime.so, the artifacts of the test cases and of the
benchmarks, the cases, and run.sh, which is what to call there. Inputs are made on the GPU machine by formula.
"""
import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
CASES = os.path.join(SOURCE, "test", "Integration", "cases")
# The CPU of the judge in the artifacts: what every x86-64 server of the last ten years runs.
JUDGE_CPU = "x86-64-v3"


def parse_arguments():
    parser = argparse.ArgumentParser(description="Packs a hardware run.")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--out", required=True)
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--suites", nargs="+", default=["all"])
    parser.add_argument("--count", type=int, default=100, help="random cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--archive", action="store_true")
    return parser.parse_args()


def copy_tools(options):
    """The programs, the shared runtime and the scripts."""
    os.makedirs(options.out)
    for program in ("fovea-run", "fovea-launch-check"):
        shutil.copy(os.path.join(options.build, "bin", program), options.out)
    shutil.copy(os.path.join(options.build, "lib", "libfovea_runtime.so"), options.out)
    for folder in (CASES, HERE, os.path.join(SOURCE, "tools", "bench")):
        for name in os.listdir(folder):
            if name.endswith((".py", ".sh")):
                shutil.copy(os.path.join(folder, name), options.out)


def compile_cases(options):
    command = [sys.executable, os.path.join(CASES, "run_cases.py"), "--compile-only",
               "--bin=" + os.path.join(options.build, "bin"), "--work=" + os.path.join(options.out, "work"),
               "--artifacts=" + os.path.join(options.out, "artifacts"), "--compile-target=" + options.target,
               "--compile-option=--reference-mcpu=" + JUDGE_CPU, "--jobs=%d" % options.jobs, "--count=%d" % options.count]
    return subprocess.call(command + options.suites)


def compile_benchmarks(options):
    command = [sys.executable, os.path.join(SOURCE, "tools", "bench", "gpu_modules.py"),
               os.path.join(options.build, "bin"), os.path.join(options.out, "bench"), options.target]
    return subprocess.call(command)


def drop_sources(folder):
    """The IR texts were for the compiler."""
    for name in os.listdir(folder):
        if name.endswith(".mlir"):
            os.remove(os.path.join(folder, name))


def main():
    options = parse_arguments()
    shutil.rmtree(options.out, ignore_errors=True)
    copy_tools(options)
    failed = compile_cases(options) + compile_benchmarks(options)
    drop_sources(os.path.join(options.out, "artifacts"))
    if options.archive:
        subprocess.check_call(["tar", "-C", os.path.dirname(os.path.abspath(options.out)), "-cJf", options.out + ".tar.xz",
                               os.path.basename(options.out)])
    return 1 if failed else 0


sys.exit(main())
