"""What the packs of the benchmarks have in common: their options and their folder.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import re
import shutil

from script import ScriptError

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def pattern(text):
    """A type of argparse: regular expressions."""
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError("'%s' is no regular expression: %s" % (text, error)) from None


def make_parser(description):
    """A parser of the options that every pack takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--out", required=True)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--only", type=pattern, default="", help="cases whose name matches this")
    return parser


def choose(options, cases):
    """The cases that --only names, one or more."""
    chosen = [case for case in cases if options.only.search(case.name())]
    if not chosen:
        raise ScriptError("no case matches --only=%s" % options.only.pattern)
    return chosen


def is_pack(path):
    """Whether a folder may be made anew: a pack, or what an interrupted run left of one."""
    return os.path.isdir(path) and ("libfovea_runtime.so" in os.listdir(path) or set(os.listdir(path)) <= {"modules"})


def make_folder(options, scripts):
    """Makes options.out anew, with a folder for modules, the scripts (paths below tools/) and the shared runtime."""
    runtime = os.path.join(options.build, "lib", "libfovea_runtime.so")
    for path in (runtime, get_compiler(options)):
        if not os.path.exists(path):
            raise ScriptError("no '%s'; name the build folder that has it with --build" % path)
    if os.path.exists(options.out) and not is_pack(options.out):
        raise ScriptError("'%s' is there and is no pack; remove it or name another folder" % options.out)
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(os.path.join(options.out, "modules"))
    for path in [runtime] + [os.path.join(SOURCE, "tools", script) for script in scripts]:
        shutil.copy(path, options.out)


def get_compiler(options):
    """The compiler of a build folder."""
    return os.path.join(options.build, "bin", "fovea-compile")
