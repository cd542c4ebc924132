#!/usr/bin/env python3
"""Runs every script of tools/ that needs PyTorch or numpy where Python has neither, and prints what it says.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: missing_packages.py SOURCE FOLDER
"""
import glob
import os
import re
import subprocess
import sys

# What scripts are called with that read their arguments first.
ARGUMENTS = {"fovea-tune": ["run", "--pack=none", "--out=none"], "verified.py": ["check"]}
PLAIN_IMPORT = re.compile(r"^(import|from) (torch|numpy|triton)\b", re.M)


def make_packages(folder):
    """Modules of these names that cannot be imported, as where they are not installed."""
    os.makedirs(folder, exist_ok=True)
    for name in ("torch", "numpy"):
        with open(os.path.join(folder, name + ".py"), "w") as file:
            file.write("raise ModuleNotFoundError(\"No module named '%s'\")\n" % name)


def is_script(path):
    """Whether it is run, and not a module of others alone."""
    with open(path) as file:
        return file.readline().startswith("#!")


def main():
    source, folder = sys.argv[1:]
    make_packages(folder)
    files = [*glob.glob(os.path.join(source, "tools", "*", "*.py")), os.path.join(source, "tools", "fovea-tune", "fovea-tune"),
             os.path.join(source, "test", "Integration", "cases", "run_cases.py")]
    for path in sorted(filter(is_script, files)):
        name = os.path.basename(path)
        with open(path) as file:
            text = file.read()
        if "need(" not in text and name != "fovea-tune":
            assert not PLAIN_IMPORT.search(text), "%s imports what may be missing without need()" % name
            continue
        command = [sys.executable, path, *ARGUMENTS.get(name, [])]
        run = subprocess.run(command, env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True)
        assert run.returncode == 1 and not run.stdout, "%s ended with %d: %s" % (name, run.returncode, run.stdout)
        print(run.stderr, end="")


main()
