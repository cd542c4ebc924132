"""Gives fovea-tune files and numbers with one fault each: every one must end it with exit code 1 and one line.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: wrong_inputs.py FOVEA-TUNE BUILD INPUTS SCRATCH
"""
import json
import os
import re
import shutil
import subprocess
import sys

from changed import with_value

FAMILY = {"type": "f16", "qk_depth": 64, "v_depth": 64, "sizes": [[1, 2, 2, 64, 64]]}


def problems(**fields):
    return json.dumps({"problems": [{**FAMILY, **fields}]})


LISTS = [
    ("", "Expecting value: line 1 column 1"),
    ("[" * 100000, "line 1: arrays and objects are nested deeper than 64"),
    ('{"problems":\n' + '{"a":' * 100000, "line 2: arrays and objects are nested deeper than 64"),
    ('{"problems": [], "problems": []}', 'the key "problems" is given twice'),
    ('{"problems": ' + "9" * 5000 + "}", "Exceeds the limit|must be a list"),
    ("{}", '"problems" is missing; an object here has problems, about'),
    ("7", "expected an object with problems, about, but got 7"),
    ('{"problems": []}', r"problems: must be a list of 1 or more, but is \[\]"),
    ('{"problems": [1]}', r"problems\[0\]: expected an object with type, .*, but got 1"),
    ('{"problems": [{}]}', r'problems\[0\]: "type" is missing; an object here has type, qk_depth, '),
    (problems(typ="f16"), r'problems\[0\]: unknown key "typ"; known are type, '),
    (problems(mask="cosal"), r'problems\[0\].mask: must be one of full, causal, window, but is "cosal"'),
    (problems(mask="window"), "problem f16_d64_window0: window must be given with mask window, and only there"),
    (problems(qk_depth=-64), r"problems\[0\].qk_depth: must be an integer from 1 to 256, but is -64"),
    (problems(v_depth=64.5), r"problems\[0\].v_depth: must be an integer from 1 to 256, but is 64.5"),
    (problems(v_depth=True), r"problems\[0\].v_depth: must be an integer from 1 to 256, but is true"),
    (problems(sizes=[[1, 2]]), r"a size is \[B, Hq, Hkv, Sq, Skv\] with Hkv a divisor of Hq, found \[1, 2\]"),
    (problems(sizes=[["1", 2, 2, 64, 64]]), r'problems\[0\].sizes\[0\]\[0\]: must be an integer from 0 to \d+, but is "1"'),
    (problems(spaces=[{"warps": [5]}]), r"problems\[0\].spaces\[0\].warps\[0\]: must be one of 4, 8, 12, but is 5"),
    (problems(spaces=[{"pingpong": [1]}]), r"problems\[0\].spaces\[0\].pingpong\[0\]: must be one of false, true, but is 1"),
    (problems(spaces=[{"stages": 2}]), r"problems\[0\].spaces\[0\].stages: must be a list of 1 or more, but is 2"),
    (problems(spaces=[{"stages": [64]}]), "no strategy of the ranges fits shared memory and registers"),
]
RESULTS = [
    (("format", 2), "it has format 2; this tool reads 1"),
    (("format", 1.0), "format: must be the integer 1, but is 1.0"),
    (("device", ...), '"device" is missing'),
    (("multiprocessors", 0), "multiprocessors: must be an integer from 1"),
    (("problems", 0, "size", [1]), r"problems\[0\].size: must be \[B, Hq, Hkv, Sq, Skv\], but is \[1\]"),
    (("problems", 0, "window", 128), r"problems\[0\].window: must be given with mask window, and only there, but is 128 with mask causal"),
    (("problems", 0, "mask", "window"), r"problems\[0\].window: must be given with mask window, and only there, but is 0 with mask window"),
    (("problems", 0, "ms", {"16": {"paced": 1.0, "hot": 1.0}}), r"problems\[0\].ms: '16' is no strategy; expected #attn.strategy<...> or chosen"),
    (("problems", 0, "ms", ...), r'problems\[0\]: "ms" is missing'),
    (("problems", 0, "ms", "chosen", "hot", 0), r'problems\[0\].ms\["chosen"\].hot: must be a finite number above 0, but is 0'),
    (("problems", 0, "ms", "chosen", "warm", 1), r'problems\[0\].ms\["chosen"\]: unknown key "warm"; known are paced, hot'),
]
WORDS = [
    (["table", "--gain=nan", "--out=x", "y"], "argument --gain: 'nan' is no finite number from 0 on"),
    (["table", "--kernels=99999999999999999999", "--out=x", "y"], "argument --kernels: .* is no integer from 1 to 1000000"),
    (["enumerate", "--prob=x"], "unrecognized arguments: --prob=x"),
    (["frobnicate"], "invalid choice: 'frobnicate'"),
    (["run", "--pack=x", "--out=/nonexistent/y"], "cannot write '/nonexistent/y'|timing needs numpy"),
    (["pack", "--out=x", "--build=/nonexistent"], "no compiler '/nonexistent/bin/fovea-compile'; name the build folder"),
]


def main():
    tool, build, inputs, scratch = sys.argv[1:]
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    path = os.path.join(scratch, "file.json")
    bad = count = 0

    def run(words, expected, text=""):
        nonlocal bad, count
        count += 1
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([sys.executable, tool] + words, capture_output=True, text=True)
        lines = done.stderr.splitlines()
        if done.returncode != 1 or len(lines) != 1 or not re.search("^fovea-tune: error: .*(%s)" % expected, lines[0]):
            bad += 1
            print("%s, %.200s\nexpected %s, got %d: %s" % (words, text, expected, done.returncode, done.stderr[-1000:]))

    for text, expected in LISTS:
        run(["enumerate", "--problems=" + path], expected, text)
    for (*keys, value), expected in RESULTS:
        with open(os.path.join(inputs, "results.json")) as file:
            run(["table", "--out=" + os.path.join(scratch, "out"), path], expected, with_value(json.load(file), keys, value))
    for words, expected in WORDS:
        run(words, expected)
    run(["pack", "--out=" + scratch, "--build=" + build], "is there and is no pack; remove it or name another folder")
    if not os.path.exists(path):
        bad += 1
        print("a folder that is no pack was removed")
    print("%d inputs, %d not as expected" % (count, bad))
    sys.exit(bool(bad))


main()
