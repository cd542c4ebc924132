"""Words of the command line: numbers in the range that they are of use in, and errors of one line.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import math
import re
import sys


def whole(low, high):
    """A type of argparse: integers from `low` to `high`, in decimal digits and nothing else."""
    def parse(text):
        if not re.fullmatch(r"[0-9]{1,18}", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError("'%s' is no integer from %d to %d" % (text, low, high))
        return int(text)
    return parse


def not_negative(text):
    """A type of argparse: finite numbers from 0 on."""
    try:
        value = float(text) if re.fullmatch(r"[0-9.]+([eE][+-]?[0-9]+)?", text) else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError("'%s' is no finite number from 0 on" % text)
    return value


# A type for each option that counts something.
positive = whole(1, 10 ** 6)
device = whole(0, 1023)


class Parser(argparse.ArgumentParser):
    """Errors are one line, as the compiler's."""

    def __init__(self, **keywords):
        # An option is written whole: a prefix may mean another one tomorrow.
        super().__init__(allow_abbrev=False, **keywords)

    def error(self, message):
        sys.exit("fovea-tune: error: %s" % message)
