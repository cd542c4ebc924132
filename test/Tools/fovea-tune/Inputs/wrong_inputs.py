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
    (problems(sizes=[]), r"problems\[0\].sizes: must be a list of 1 or more, but is \[\]"),
]
# Spaces without a strategy that fits, by the one cause.
FAULTS = [
    (dict(warps=[4], pingpong=[True]), {}, "pingpong = true needs 8 or 12 warps, and there are 4"),
    (dict(carry_scores=[True]), dict(feature="bias"), "carry_scores = true is for feature plain or lse, and this one is bias; false works"),
    (dict(carry_scores=[True]), dict(v_depth=192), "carry_scores = true is for depths up to 128, and the deepest is 192; false works"),
    (dict(longest_first=[True]), {}, "longest_first = true is for mask causal or window, and this one is full; false works"),
    (dict(row_sums=["product"]), dict(v_depth=80), "row_sums = product needs a depth of V that is a multiple of 64, and it is 80; add works"),
    (dict(row_sums=["product"]), dict(feature="lse"), "row_sums = product is not for feature lse; add works"),
    (dict(score_part=[24, 64]), {}, "score_part must be a multiple of 16 below the depth 64 of Q and K, and it is 24; 0 works"),
    (dict(cluster=[2]), dict(mask="causal"), "cluster = 2 is for mask full, and this one is causal; 1 works"),
    (dict(cluster=[4], block_n=[48]), {}, "cluster = 4 needs a block_n that is a multiple of 32, and it is 48"),
    (dict(min_blocks=[2], warps=[8]), {}, "min_blocks = 2 needs warps = 4 and cluster = 1, and they are 8 and 1"),
    (dict(block_n=[224, 240], warps=[12], cluster=[2]), {}, "a product needs 138 registers of a thread, which begins with 128; cluster = 1, fewer warps "
     "or smaller block_n work"),
    (dict(stages=[64]), {}, "532992 bytes of shared memory are needed at the least, of 232448; fewer stages or warps, or smaller block_n or "
     "min_blocks, work"),
    (dict(block_n=[160, 176], warps=[12], pingpong=[False]), {}, "about 188 registers of a thread are needed at the least, of 160; smaller block_n "
     "or min_blocks, warps = 4 or 8 work"),
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
    for space, fields, expected in FAULTS:
        run(["enumerate", "--problems=" + path], r"no strategy of its ranges fits \(\d+ tried\): %s$" % expected,
            problems(spaces=[{"pingpong": [False], **space}], **fields))
    run(["enumerate", "--problems=" + path], r"fits \(4 tried\): 2 of them: pingpong = true needs .*; 2 of them: \d+ bytes of shared memory",
        problems(spaces=[{"stages": [64], "warps": [4], "block_n": [64], "rescale": ["lazy"], "cluster": [1, 2]}]))
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
