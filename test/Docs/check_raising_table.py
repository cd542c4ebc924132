"""Compares the table of variants in docs/raising.md with the tests of attn-raise.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check_raising_table.py SOURCE
Prints one line for each row without a test, test without a row, or outcome that the test does not check.
"""
import glob
import os
import re
import sys


def read_tests(folder):
    """{file:function: its text with the comments above it}."""
    tests = {}
    for path in glob.glob(folder + "/*.mlir"):
        with open(path) as file:
            text = file.read()
        for match in re.finditer(r"(?:^//[^\n]*\n)*^func\.func @(\w+)\(.*?^\}", text, re.M | re.S):
            tests["%s:%s" % (os.path.basename(path)[:-5], match.group(1))] = match.group(0)
    return tests


def checks(text, outcome):
    """Whether a test checks an outcome of the table."""
    if outcome.startswith("refused: "):
        return "attention is not raised: " + outcome[len("refused: "):] + "}}" in text
    if outcome.startswith("no attention"):
        return "attn.attention" not in text and "expected-remark" not in text
    has_remark = "expected-remark @below {{a row that keeps no key" in text
    return "CHECK: " in text and "attn.attention" in text and has_remark == ("remark on empty rows" in outcome)


def main(source):
    tests = read_tests(os.path.join(source, "test/Conversion/LinalgToAttn"))
    with open(os.path.join(source, "docs/raising.md")) as file:
        rows = re.findall(r"^\| (.*) \| (.*) \| ([\w-]+:\w+) \|$", file.read(), re.M)
    bad = ["%s has no row" % name for name in tests if name not in [test for _, _, test in rows]]
    for variant, outcome, test in rows:
        if test not in tests:
            bad.append("%s: no test %s" % (variant, test))
        elif not checks(tests[test], outcome):
            bad.append("%s: %s does not check: %s" % (variant, test, outcome))
    print("\n".join(bad + ["%d rows, %d wrong" % (len(rows), len(bad))]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
