"""Runs fovea-run on random command lines; it must end with 0 or 1, with one line where it is 1.

Usage: random_words.py FOVEA_RUN ARTIFACT

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import random
import subprocess
import sys
import tempfile

NAMES = ["--arg", "--dim", "--out", "--expect", "--check", "--bench", "--seed", "--threads", "--target", "--function",
         "--device", "--random", "--guard", "--json", "--approx", "--describe", "--flush", "--help", "--x", "-", "--"]
VALUES = ["", "1", "-1", "0.5", "1e999", "nan", "inf", "9223372036854775807", "-9223372036854775808", "99999999999999999999",
          "random", "random:", "random:1", "random:1:2", "random:9:-9", "random:nan:1", "expr:", "expr:i0", "expr:i9", "expr:((((",
          "expr:1/0", "expr:0%0", "expr:" + "(" * 500, "expr:" + "-" * 500 + "1", "@0", "@1", "@-1", "@99", "out", "1.2=3",
          "query.2=5", "q.9=1", ".=", "1.1=", "sample:2", "sample:-1", "cpu", "cuda", "sm_80", "/dev/null", "none", "'", "=", ","]
FIELDS = ["dims=1:1:2:4", "dims=", "dims=1:2:3:4:5:6:7:8:9", "dims=0:0:0:4", "strides=0:0:0:1", "strides=-1:2:-3:4", "strides=1",
          "strides=36028797018963967:1:1:1", "offset=3", "offset=-3", "offset=36028797018963967", "offset=x", "bits", "atol=1",
          "rtol=x", "sizes=1:1:1:4"]


def word(rng):
    name = rng.choice(NAMES)
    if rng.random() < 0.2:
        return name
    text = name + "=" + rng.choice(VALUES)
    while rng.random() < 0.35:
        text += "," + rng.choice(FIELDS)
    return text


def quote(text):
    return "'%s'" % text if "'" not in text else '"%s"' % text


rng = random.Random(5)
lines = []
for _ in range(1500):
    words = [word(rng) for _ in range(rng.randrange(1, 7))]
    if rng.random() < 0.7:
        words += ["--random", "--dim=1", "--dim=2"]
    words = [sys.argv[2]] + [w for w in words if not w.startswith(("--json", "--out=/", "--threads=6"))]
    lines.append(" ".join(map(quote, words)))
with open(sys.argv[2] + ".cases", "w") as file:
    file.write("\n".join(lines) + "\n")
# Some of the words are names of outputs.
with tempfile.TemporaryDirectory() as folder:
    run = subprocess.run([sys.argv[1], "--cases=" + sys.argv[2] + ".cases"], capture_output=True, text=True, errors="replace",
                         cwd=folder)
if run.returncode != 1 or run.stdout.count("case ") < 1500 or run.stderr.count("\n") != 1:
    sys.exit("ended with %d after %d cases: %s" % (run.returncode, run.stdout.count("case "), run.stderr[-500:]))
