"""What the packs of the benchmarks have in common: their options and their folder.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import shutil

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def make_parser(description):
    """A parser of the options that every pack takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--out", required=True)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--only", default="", help="cases whose name matches this")
    return parser


def make_folder(options, scripts):
    """Makes options.out anew, with a folder for modules, the scripts (paths below tools/) and the shared runtime."""
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(os.path.join(options.out, "modules"))
    for script in scripts:
        shutil.copy(os.path.join(SOURCE, "tools", script), options.out)
    shutil.copy(os.path.join(options.build, "lib", "libfovea_runtime.so"), options.out)


def get_compiler(options):
    """The compiler of a build folder."""
    return os.path.join(options.build, "bin", "fovea-compile")
