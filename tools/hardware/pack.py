#!/usr/bin/env python3
"""Packs what a GPU machine without LLVM needs to check and time the kernels.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: pack.py --build=BUILD --out=DIR [--target=sm_80] [--types f16 bf16 f32] [--suites case1 ...] [--keep]
               [--archive]
Makes DIR (or, with --archive, DIR.tar.xz): fovea-run, libfovea_runtime.so, the artifacts of the test cases and of the
benchmarks, the cases, run.sh, which is what to call there, and pack.env, which tells it what is in the pack. Inputs are
made on the GPU machine by formula.
Without --types a pack for sm_90a has the 16-bit types alone: its f32 kernels are made as those of sm_80 are, which a pack
for sm_80 checks.
With --keep artifacts that lie in DIR already stay, which is right where the same compiler made them: an interrupted run is
continued so, and new cases are added to a pack.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
CASES = os.path.join(SOURCE, "test", "Integration", "cases")
# The CPU of the judge in the artifacts: what every x86-64 server of the last ten years runs.
JUDGE_CPU = "x86-64-v3"
# How run_cases.py ends, having said why, where the suites and types leave no case.
NOTHING = 2
SUITES = (["case%d" % n for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16)] +
          ["grid", "features", "strides", "special", "blocks", "hopper", "steep", "few_queries", "gallery", "long_masks",
           "random", "random_long", "random_reads", "random_linear"])


def parse_arguments():
    parser = argparse.ArgumentParser(description="Packs a hardware run.")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--out", required=True)
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--types", nargs="+", choices=("f16", "bf16", "f32"), help="element types of the cases")
    parser.add_argument("--suites", nargs="+", default=SUITES, help="suites of run_cases.py")
    parser.add_argument("--count", type=int, default=60, help="random cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", action="store_true", help="compile only what is missing in DIR")
    parser.add_argument("--archive", action="store_true")
    options = parser.parse_args()
    options.types = options.types or (["f16", "bf16"] if options.target == "sm_90a" else ["f16", "bf16", "f32"])
    return options


def write_settings(options):
    """What run.sh and collect.py have to know, as shell variables."""
    values = {"FOVEA_TARGET": options.target, "FOVEA_TYPES": " ".join(options.types),
              "FOVEA_SUITES": " ".join(options.suites), "FOVEA_RANDOM_CASES": str(options.count)}
    with open(os.path.join(options.out, "pack.env"), "w") as file:
        file.write("".join("%s='%s'\n" % item for item in values.items()))


def remove_pack(path):
    """Removes an earlier pack; what is none is somebody's."""
    is_empty = os.path.isdir(path) and not os.listdir(path)
    if os.path.exists(path) and not is_empty and not os.path.exists(os.path.join(path, "fovea-run")):
        sys.exit("pack.py: error: '%s' is there and is no pack; remove it or name another folder" % path)
    shutil.rmtree(path, ignore_errors=True)


def copy_tools(options):
    """The programs, the shared runtime and the scripts."""
    os.makedirs(options.out, exist_ok=True)
    for program in ("fovea-run", "fovea-launch-check"):
        shutil.copy(os.path.join(options.build, "bin", program), options.out)
    shutil.copy(os.path.join(options.build, "lib", "libfovea_runtime.so"), options.out)
    for folder in (CASES, HERE, os.path.join(SOURCE, "tools", "bench")):
        for name in os.listdir(folder):
            if name.endswith((".py", ".sh")):
                shutil.copy(os.path.join(folder, name), options.out)


def copy_gallery(options):
    """The files that cases of the gallery are named by."""
    shutil.copytree(os.path.join(SOURCE, "examples", "masks"), os.path.join(options.out, "masks"), dirs_exist_ok=True)


def compile_cases(options, tools):
    command = [sys.executable, os.path.join(CASES, "run_cases.py"), "--compile-only",
               "--bin=" + tools, "--work=" + os.path.join(options.out, "work"),
               "--artifacts=" + os.path.join(options.out, "artifacts"), "--compile-target=" + options.target,
               "--reference-option=--reference-mcpu=" + JUDGE_CPU, "--jobs=%d" % options.jobs, "--count=%d" % options.count,
               "--types=" + ",".join(options.types)] + (["--keep"] if options.keep else [])
    return subprocess.call(command + options.suites)


def compile_benchmarks(options, tools):
    # There are none of f16.
    types = [kind for kind in options.types if kind != "f16"]
    command = [sys.executable, os.path.join(SOURCE, "tools", "bench", "gpu_modules.py"),
               tools, os.path.join(options.out, "bench"), options.target] + types
    return subprocess.call(command) if types else 0


def drop_sources(folder):
    """The IR texts were for the compiler."""
    for name in os.listdir(folder):
        if name.endswith(".mlir"):
            os.remove(os.path.join(folder, name))


def main():
    options = parse_arguments()
    if not options.keep:
        remove_pack(options.out)
    copy_tools(options)
    copy_gallery(options)
    write_settings(options)
    # A copy, so that all is of one compiler while the build goes on.
    with tempfile.TemporaryDirectory() as tools:
        shutil.copy(os.path.join(options.build, "bin", "fovea-compile"), tools)
        failed = compile_cases(options, tools)
        if failed == NOTHING:
            return NOTHING
        failed += compile_benchmarks(options, tools)
    drop_sources(os.path.join(options.out, "artifacts"))
    if options.archive:
        subprocess.check_call(["tar", "-C", os.path.dirname(os.path.abspath(options.out)), "-cJf", options.out + ".tar.xz",
                               os.path.basename(options.out)])
    return 1 if failed else 0


sys.exit(main())
