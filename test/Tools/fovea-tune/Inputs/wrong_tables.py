"""Gives the compiler tables with one fault each: every one must end it with exit code 1 and one line that names the place.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: wrong_tables.py COMPILER MODULE.mlir SCRATCH
"""
import json
import re
import subprocess
import sys

from changed import with_value

STRATEGY = ("#attn.strategy<block_m = %d, block_n = %d, warps = %d, stages = 2, vector_bytes = %d, round_p = true, "
            "unit = %s, overlap = true, persistent = true%s>")


def strategy(block_m=128, block_n=128, warps=8, vector_bytes=16, unit="warpgroup", more=""):
    return STRATEGY % (block_m, block_n, warps, vector_bytes, unit, more)


TABLE = {"format": 1, "about": "x", "target": "sm_90a", "device": "d", "driver": "1", "date": "2026-01-01", "entries": [
    {"type": "bf16", "depth": 64, "mask": "full", "feature": "plain", "kernels": [{"strategy": strategy()}]},
    {"type": "bf16", "depth": 128, "mask": "causal", "feature": "lse", "kernels": [
        {"few_tasks": True, "strategy": strategy(64, 128, 4)}, {"length_below": 4096, "strategy": strategy(128, 96)},
        {"strategy": strategy()}]}]}
ENTRY, KERNEL = r"entries\[1\]: ", r"entries\[1\]\.kernels\[1\]"


def in_table(path, value):
    return with_value(TABLE, path, value)


def in_entry(key, value):
    return in_table(("entries", 1, key), value)


WINDOW = {"type": "bf16", "depth": 64, "mask": "window", "feature": "plain", "kernels": [{"strategy": strategy()}]}


def in_window(value):
    return in_table(("entries", 1), {**WINDOW, "window": value})


COST = {"task": 1500, "block": 900}


def in_costs(cost, second=COST):
    """An entry of two kernels whose costs these are."""
    kernels = [{"strategy": strategy(), **({"cost": c} if c is not ... else {})} for c in (cost, second)]
    return in_table(("entries", 0, "kernels"), kernels)


def in_kernel(key, value, number=1):
    return in_table(("entries", 1, "kernels", number, key), value)


FAULTS = [
    ("", "Unexpected EOF"),
    ("[" * 100000, r"\[1:65, byte=64\]: arrays and objects are nested deeper than 64"),
    ('{"format": 1, "entries": ' + "[" * 100000 + "]" * 100000 + "}", "nested deeper than 64"),
    ('{"a":' * 100000, "nested deeper than 64"),
    ('{"format": 1, "x": "' + "[" * 1000 + '", "entries": []}', 'unknown key "x"'),
    ('{"format": 1, "format": 1, "entries": []}', r'\[1:15, byte=14\]: the key "format" is given twice'),
    ('{"format": 1, "entries": [}', "Invalid JSON value"),
    ("[]", "expected an object with format 1 and entries"),
    (in_table(("format",), 2), "expected an object with format 1 and entries"),
    (in_table(("format",), 1.5), "expected an object with format 1 and entries"),
    (in_table(("entries",), {}), "expected an object with format 1 and entries"),
    (in_table(("extra",), 1), 'unknown key "extra"; known are format, about, target, device, driver, date, entries'),
    (in_table(("target",), "sm_80"), '"target" must be sm_90a, but is "sm_80"'),
    (in_table(("target",), ...), '"target" must be sm_90a, but is missing'),
    (in_table(("entries", 1), 7), r"entries\[1\]: expected an object with type, depth, mask, window, feature, kernels, but got 7"),
    (in_table(("entries", 1), TABLE["entries"][0]), r"entries\[1\]: is for the same problems as entries\[0\]"),
    (in_entry("msk", "full"), ENTRY + 'unknown key "msk"; known are type, depth, mask, window, feature, kernels'),
    (in_entry("mask", "cosal"), ENTRY + '"mask" must be one of full, causal, window, but is "cosal"'),
    (in_entry("mask", ...), ENTRY + '"mask" must be one of full, causal, window, but is missing'),
    (in_entry("window", 512), r"entries\[1\]\.window: is for mask window, but \"mask\" is \"causal\""),
    (in_window(0), r"entries\[1\]\.window: must be an integer from 1 to \d+, but is 0"),
    (in_window(512.5), r"entries\[1\]\.window: must be an integer from 1 to \d+, but is 512.5"),
    (in_window("wide"), r'entries\[1\]\.window: must be an integer from 1 to \d+, but is "wide"'),
    (in_table(("entries",), [WINDOW, {**WINDOW, "window": 512}, {**WINDOW, "window": 512}]),
     r"entries\[2\]: is for the same problems as entries\[1\]"),
    (in_entry("type", "f32"), ENTRY + '"type" must be one of bf16, f16, but is "f32"'),
    (in_entry("type", ["bf16"]), ENTRY + '"type" must be one of bf16, f16, but is \\["bf16"\\]'),
    (in_entry("feature", "sink"), ENTRY + '"feature" must be one of plain, linear, bias, table, score, lse, but is "sink"'),
    (in_entry("depth", -64), r"entries\[1\]\.depth: must be an integer from 16 to 256, but is -64"),
    (in_entry("depth", 64.5), r"entries\[1\]\.depth: must be an integer from 16 to 256, but is 64.5"),
    (in_entry("depth", 1e300), r"entries\[1\]\.depth: must be an integer from 16 to 256, but is 1.*e\+300"),
    (in_entry("depth", 100), r"entries\[1\]\.depth: must be a multiple of 16, but is 100"),
    (in_entry("depth", ...), ENTRY + '"depth" is missing; it is a multiple of 16 up to 256'),
    (in_entry("kernels", []), ENTRY + '"kernels" must have 1 to 6 elements, but has 0'),
    (in_entry("kernels", TABLE["entries"][1]["kernels"] * 3), ENTRY + '"kernels" must have 1 to 6 elements, but has 9'),
    (in_entry("kernels", 1), ENTRY + '"kernels" must be an array, but is 1'),
    (in_entry("kernels", ...), ENTRY + '"kernels" must be an array, but is missing'),
    (in_kernel("lenght_below", 9), KERNEL + ': unknown key "lenght_below"; known are strategy, length_below, few_tasks, cost'),
    (in_kernel("length_below", 4096.5), KERNEL + r"\.length_below: must be an integer from 1 to \d+, but is 4096.5"),
    (in_kernel("length_below", 0), KERNEL + r"\.length_below: must be an integer from 1 to \d+, but is 0"),
    (in_kernel("length_below", "9"), KERNEL + r'\.length_below: must be an integer from 1 to \d+, but is "9"'),
    (in_kernel("few_tasks", 1), KERNEL + r"\.few_tasks: must be true or false, but is 1"),
    (in_kernel("few_tasks", True), KERNEL + ': has more than one of "length_below", "few_tasks" and "cost"'),
    (in_kernel("cost", COST), r"entries\[1\]\.kernels\[1\]\.cost: is for mask full"),
    (in_costs(7), r"entries\[0\]\.kernels\[0\]\.cost: expected an object with task, block, but got 7"),
    (in_costs({"task": 1}), r'entries\[0\]\.kernels\[0\]\.cost: "block" is missing'),
    (in_costs({**COST, "blocks": 1}), r'entries\[0\]\.kernels\[0\]\.cost: unknown key "blocks"; known are task, block'),
    (in_costs({**COST, "task": -1}), r"entries\[0\]\.kernels\[0\]\.cost\.task: must be an integer from 0 to 1000000000, but is -1"),
    (in_costs({**COST, "block": 1.5}), r"entries\[0\]\.kernels\[0\]\.cost\.block: must be an integer from 0 to 1000000000, but is 1.5"),
    (in_costs(COST, ...), r'entries\[0\]\.kernels\[1\]: must have "cost", as others of the entry have'),
    (in_costs(..., COST), r"entries\[0\]\.kernels\[0\]: only the last kernel of an entry is without"),
    (in_kernel("length_below", ...), KERNEL + ": only the last kernel of an entry is without"),
    (in_kernel("few_tasks", True, 2), r"kernels\[2\]: the last kernel of an entry must be without a limit"),
    (in_kernel("strategy", ...), KERNEL + ': "strategy" must be a text "#attn.strategy<...>", but is missing'),
    (in_kernel("strategy", 5), KERNEL + ': "strategy" must be a text "#attn.strategy<...>", but is 5'),
    (in_kernel("strategy", "fast"), KERNEL + r"\.strategy: 'fast' is no strategy; expected #attn.strategy<...>"),
    (in_kernel("strategy", "[" * 100000), KERNEL + r"\.strategy: '\[{200}...' is no strategy"),
    (in_kernel("strategy", strategy(block_m=-64)), KERNEL + r"\.strategy: .* \(strategy block_m is -64, must be from 1 to 1024\)"),
    (in_kernel("strategy", strategy(warps=16)), KERNEL + r"\.strategy: a strategy with unit = warpgroup needs 4, 8 or 12 warps"),
    (in_kernel("strategy", strategy(block_n=10 ** 30)), KERNEL + r"\.strategy: .* is no strategy"),
    (in_kernel("strategy", strategy(unit="warp")), KERNEL + r"\.strategy: '.*' is no strategy|needs unit = warpgroup"),
    (in_kernel("strategy", strategy(vector_bytes=8)), KERNEL + r"\.strategy: the strategy of a table needs vector_bytes = 16"),
    (in_kernel("strategy", strategy(more=", cluster = 2")), KERNEL + r"\.strategy: .* needs cluster = 1 where mask is not full"),
]


def main():
    compiler, module, scratch = sys.argv[1:]
    bad = 0
    for text, expected in [(json.dumps(TABLE), None), (in_table(("entries",), [WINDOW, {**WINDOW, "window": 512}]), None)] + FAULTS:
        with open(scratch, "w") as file:
            file.write(text)
        run = subprocess.run([compiler, module, "--target=sm_90a", "--emit=attn", "--tuning=" + scratch],
                             capture_output=True, text=True)
        errors = [line for line in run.stderr.splitlines() if "error:" in line]
        if expected is None:
            holds = run.returncode == 0 and not run.stderr
        else:
            holds = run.returncode == 1 and len(errors) == 1 and re.search(
                "error: table of strategies '%s': .*%s" % (re.escape(scratch), expected), errors[0])
        if not holds:
            bad += 1
            print("for %.200s\nexpected %s, got %d: %s" % (text, expected, run.returncode, run.stderr[:1000]))
    print("%d tables, %d not as expected" % (len(FAULTS) + 2, bad))
    sys.exit(bool(bad))


main()
