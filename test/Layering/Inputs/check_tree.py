#!/usr/bin/env python3
"""Checks on the source tree that no compiler makes.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check_tree.py includes|architectures|licences|words|format SOURCE [FILE...]
Prints one line for each offence and ends with 1 where there is one. With FILEs, checks those alone.
"""
import os
import re
import subprocess
import sys

CODE = (".cpp", ".c", ".h", ".td", ".fbs", ".def")
SCRIPTS = (".py", ".sh")
TEXTS = CODE + SCRIPTS + (".md", ".mlir", ".test", ".txt", ".cmake", ".json", ".svg")
FOLDERS = ("include", "lib", "runtime", "tools", "test", "docs", "examples", ".ci")

# What a part may not include: (part, pattern of the included path, why).
BOUNDARIES = [
    ("Dialect/Attn/", r"fovea/(Dialect/(Tile|NV)|Conversion|Pipelines|Target/.+/)", "attn says what, not how"),
    ("Dialect/Tile/", r"fovea/(Dialect/NV|Conversion|Pipelines|Target)", "attn_tile is the same for every target"),
    ("Dialect/NV/", r"fovea/(Dialect/(Attn|Tile)|Conversion|Pipelines|Target)", "instructions know no attention"),
    ("Conversion/", r"fovea/(Pipelines|Target/.+/)", "a conversion knows no target"),
    ("Target/CPU/", r"fovea/Target/(?!CPU/).+/", "targets never include each other"),
    ("Target/NVPTX/", r"fovea/Target/(?!NVPTX/).+/", "targets never include each other"),
    ("runtime/", r"(mlir|llvm|lld|clang)/|cuda|nvrtc|fovea/(Dialect|Conversion|Pipelines|Target|InitAll)",
     "the runtime needs neither LLVM nor MLIR nor CUDA"),
]

ARCHITECTURE = re.compile(
    r"\bsm_?\d\d|\bznver|skylake|sapphire|\bavx|\bamx\b|\bneon\b|\bsve\b|hopper|ampere|blackwell|x86[-_]64|aarch64",
    re.I)
MACHINE_PATH = re.compile(r"(?<![\w.%}*)-])/(?:home|root|work|Users|mnt|scratch)/\w")


def files(source, extensions):
    """Paths of all files with these extensions, relative to the source folder."""
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(source, folder)):
            folders[:] = [name for name in folders if not name.startswith(("build", "Output", "__"))]
            for name in sorted(names):
                if name.endswith(extensions):
                    yield os.path.relpath(os.path.join(path, name), source)


def lines(source, path):
    """Numbered lines of a file."""
    with open(os.path.join(source, path), errors="replace") as file:
        return list(enumerate(file.read().split("\n"), 1))


def part_of(path):
    """The path inside include/fovea or lib, or as it is."""
    return re.sub(r"^(include/fovea|lib)/", "", path)


def check_includes(source, path):
    """Includes that cross a boundary."""
    for number, line in lines(source, path):
        match = re.match(r'\s*#?\s*include\s*["<]([^">]+)', line)
        for part, pattern, reason in BOUNDARIES if match else ():
            if part_of(path).startswith(part) and re.match(pattern, match.group(1)):
                yield "%s:%d: includes %s: %s" % (path, number, match.group(1), reason)


def check_architectures(source, path):
    """Names of processors outside Target/; comments and descriptions may give examples."""
    if part_of(path).startswith(("Target/", "Dialect/NV/")) or not path.startswith(("include/", "lib/")):
        return
    text = "\n".join(line for _, line in lines(source, path))
    text = re.sub(r"(description\s*=\s*)\[\{.*?\}\]", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.S)
    for number, line in enumerate(text.split("\n"), 1):
        code = re.sub(r'//.*|"Target to plan for[^"]*"', "", line)
        match = ARCHITECTURE.search(code)
        if match:
            yield "%s:%d: '%s' belongs into Target/" % (path, number, match.group(0))


def check_licence(source, path):
    """A header with the licence's name in the first lines."""
    head = "\n".join(line for _, line in lines(source, path)[:12])
    if "Part of the Fovea Project" not in head or "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in head:
        yield "%s:1: no licence header" % path


def check_words(source, path):
    """Paths of somebody's machine."""
    for number, line in lines(source, path):
        match = MACHINE_PATH.search(line)
        if match:
            yield "%s:%d: path of a machine: %s" % (path, number, line.strip()[:80])


def check_format(source, paths):
    """What clang-format would change, in one process for all files: its start takes longer than a file."""
    if not paths:
        return
    run = subprocess.run(["clang-format", "--dry-run", "-Werror", *paths], cwd=source, capture_output=True, text=True)
    first = {}
    for path, line in re.findall(r"^([^:\n]+):(\d+):\d+: ", run.stderr, re.M):
        first.setdefault(path, line)
    if run.returncode and not first:
        yield "clang-format ended with %d: %s" % (run.returncode, run.stderr.strip())
    for path, line in first.items():
        yield "%s:%s: not formatted; run clang-format -i" % (path, line)


def each(check):
    """A check of one file as one of several."""
    return lambda source, paths: (offence for path in paths for offence in check(source, path))


CHECKS = {
    "includes": (each(check_includes), CODE),
    "architectures": (each(check_architectures), CODE),
    "licences": (each(check_licence), CODE + SCRIPTS),
    "words": (each(check_words), TEXTS),
    "format": (check_format, (".cpp", ".c", ".h")),
}


def main():
    check, extensions = CHECKS[sys.argv[1]]
    source = sys.argv[2]
    paths = sys.argv[3:] or [path for path in files(source, extensions) if "/Inputs/offences" not in path]
    offences = list(check(source, paths))
    print("\n".join(offences + ["%d files checked, %d offences" % (len(paths), len(offences))]))
    return 1 if offences else 0


sys.exit(main())
