"""Compiles every strategy of every family into a folder that measure.py times without a compiler.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import concurrent.futures
import dataclasses
import glob
import json
import os
import shutil
import subprocess

from families import TuneError, module_text
from strategies import enumerate_strategies

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = ("measure.py", "arguments.py", "cuda.py", "families.py", os.path.join("..", "hardware", "fovea.py"),
           os.path.join("..", "hardware", "jsonfile.py"), os.path.join("..", "hardware", "needs.py"))
# What the target chooses by itself: the one to beat.
CHOSEN = "chosen"


def compile_one(compiler, target, family, strategy, path):
    """The compiler's first error; empty where the artifact was made."""
    option = [] if strategy == CHOSEN else ["--strategy=" + strategy]
    run = subprocess.run([compiler, "-", "--target=" + target, "-o", path] + option, input=module_text(family),
                         capture_output=True, text=True)
    return (run.stderr.strip().splitlines() or ["exit status %d" % run.returncode])[0] if run.returncode else ""


def find_compiler(build):
    path = os.path.join(build, "bin", "fovea-compile")
    if not os.access(path, os.X_OK):
        raise TuneError("no compiler '%s'; name the build folder or the prefix that has it with --build" % path)
    return path


def is_pack(path):
    """Whether a folder is a pack, or what an interrupted run left of one; an empty one may become one."""
    return os.path.isdir(path) and (os.path.exists(os.path.join(path, "pack.json")) or set(os.listdir(path)) <= {"modules"})


def make_folder(path):
    """An empty folder; one that is no pack is somebody's."""
    if os.path.exists(path) and not is_pack(path):
        raise TuneError("'%s' is there and is no pack; remove it or name another folder" % path)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(os.path.join(path, "modules"))


def find_runtime(build):
    """The runtime library in a build folder or under a prefix, where distributions have folders of their own for it."""
    found = sorted(glob.glob(os.path.join(build, "lib*", "**", "libfovea_runtime.so"), recursive=True))
    if not found:
        raise TuneError("no libfovea_runtime.so below '%s'" % os.path.join(build, "lib"))
    return found[0]


def list_kernels(families, limit):
    """[(family, strategy, file name)]; families of one name have other spaces."""
    tried = [(family, strategy) for family in families for strategy in [CHOSEN] + enumerate_strategies(family)]
    kernels = [(family, strategy, "%s_%d.fovea" % (family.name(), number)) for number, (family, strategy) in enumerate(tried)]
    if len(kernels) > limit:
        raise TuneError("%d kernels are more than --limit=%d; narrower ranges in the problem list's \"spaces\" work" %
                        (len(kernels), limit))
    return kernels


def pack(families, options, say):
    """Fills options.out; strategies that the compiler refuses are left out and named."""
    kernels = list_kernels(families, options.limit)
    compiler, runtime = find_compiler(options.build), find_runtime(options.build)
    make_folder(options.out)
    modules = os.path.join(options.out, "modules")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        compile_kernel = lambda kernel: compile_one(compiler, options.target, *kernel[:2], os.path.join(modules, kernel[2]))
        messages = list(pool.map(compile_kernel, kernels))
    if all(messages):
        raise TuneError("the compiler refused all %d kernels, the first one with: %s" % (len(kernels), messages[0]))
    entries = []
    for family in families:
        own = [(kernel, message) for kernel, message in zip(kernels, messages) if kernel[0] is family]
        entries.append({**dataclasses.asdict(family), "kernels": {k[2]: k[1] for k, message in own if not message},
                        "refused": {k[1]: message for k, message in own if message}})
    for name in SCRIPTS:
        shutil.copy(os.path.join(HERE, name), options.out)
    shutil.copy(runtime, options.out)
    with open(os.path.join(options.out, "pack.json"), "w") as file:
        json.dump({"format": 1, "target": options.target, "problems": entries}, file, indent=1)
    refused = sum(map(bool, messages))
    say("%d kernels, %d refused by the compiler" % (len(kernels) - refused, refused))
