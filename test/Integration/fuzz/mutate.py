#!/usr/bin/env python3
"""Feeds mutated modules to a compiler: it may refuse each with a diagnostic, but never crash.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: mutate.py [--count=N] [--seed=N] [--keep=DIR] [--jobs=N] SEED.mlir... -- COMMAND...
COMMAND gets the path of a mutated file as its last argument. It must end with 0, or with 1 and a diagnostic. The last line
printed is "N accepted, N refused, N failed"; a failing input is kept as DIR/fail-N.mlir.
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r"[%@!#]?[\w.$]+|->|\"[^\"]*\"|\s+|.", re.S)
NUMBERS = ("0", "1", "-1", "2", "3", "7", "65", "255", "256", "257", "4096", "2147483647", "2147483648",
           "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e30", "0x7F800000", "-0.0")
TYPES = ("f32", "f16", "bf16", "f64", "i1", "i8", "i32", "i64", "index", "f8E4M3FN", "f8E5M2", "f128", "i7")
WORDS = ("causal", "window", "bias", "mask", "sink", "kv_lengths", "base", "score_mod", "mask_mod", "outs", "ins", "scale",
         "top_left", "bottom_right", "tensor", "memref", "vector", "?", "*", "{", "}", "(", ")", ",", ":", "<", ">", "x")
DIMS = re.compile(r"(?<=[<x])(\?|\d+)(?=x)")
ELEMENT = re.compile(r"(?<=x)(f32|f16|bf16|i1|i32|i64)(?=>)")


def change_match(rng, text, pattern, choices):
    """Replaces one match of a pattern."""
    matches = list(pattern.finditer(text))
    if not matches:
        return text
    match = rng.choice(matches)
    return text[:match.start()] + rng.choice(choices) + text[match.end():]


def change_everywhere(rng, text, pattern, choices):
    """Replaces all matches that are equal to one match, which often keeps types consistent."""
    matches = pattern.findall(text)
    if not matches:
        return text
    old, new = rng.choice(matches), rng.choice(choices)
    return pattern.sub(lambda match: new if match.group(0) == old else match.group(0), text)


def change_tokens(rng, text):
    """Deletes, repeats, swaps or replaces tokens."""
    tokens = TOKEN.findall(text)
    i, j = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    kind = rng.randrange(5)
    if kind == 0:
        del tokens[i]
    elif kind == 1:
        tokens.insert(i, tokens[j])
    elif kind == 2:
        tokens[i], tokens[j] = tokens[j], tokens[i]
    elif kind == 3:
        tokens[i] = rng.choice(WORDS + TYPES + NUMBERS)
    else:
        del tokens[i:i + rng.randrange(1, 12)]
    return "".join(tokens)


def change_lines(rng, text):
    """Deletes, repeats or swaps lines."""
    lines = text.split("\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(j, lines[i])
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)


def change_values(rng, text):
    """Renames one use of a value to another value."""
    values = re.findall(r"%\w+", text)
    return change_match(rng, text, re.compile(r"%\w+"), values) if values else text


def change_bytes(rng, text):
    """Puts a random character somewhere."""
    i = rng.randrange(len(text))
    return text[:i] + chr(rng.choice((0, 9, 34, 127, rng.randrange(32, 127), 0xE9))) + text[i + rng.randrange(2):]


def mutate(rng, text):
    """One to three changes; those that keep the text parsable are the more frequent."""
    number = re.compile(r"(?<![\w%.])-?\d+(\.\d+)?(e[-+]?\d+)?(?![\w.])")
    changes = [lambda t: change_match(rng, t, number, NUMBERS), lambda t: change_everywhere(rng, t, DIMS, NUMBERS[:12] + ("?",)),
               lambda t: change_everywhere(rng, t, ELEMENT, TYPES), lambda t: change_match(rng, t, DIMS, NUMBERS[:12] + ("?",)),
               lambda t: change_match(rng, t, ELEMENT, TYPES), lambda t: change_tokens(rng, t), lambda t: change_lines(rng, t),
               lambda t: change_values(rng, t), lambda t: change_bytes(rng, t)]
    weights = (4, 4, 3, 2, 2, 3, 2, 2, 1)
    for _ in range(rng.randrange(1, 4)):
        text = rng.choices(changes, weights)[0](text)
    return text


def judge(run):
    """None, or what is wrong with how the command ended."""
    if run.returncode == 0:
        return None
    if run.returncode != 1:
        return "ended with %d" % run.returncode
    return None if "error:" in run.stderr else "ended with 1 and no diagnostic"


def try_one(command, folder, index, text):
    """Runs the command on one text; returns (outcome, message)."""
    path = os.path.join(folder, "mutated-%d.mlir" % index)
    with open(path, "w", errors="surrogateescape") as file:
        file.write(text)
    try:
        run = subprocess.run(command + [path], capture_output=True, text=True, errors="replace", timeout=120)
        message = judge(run)
        tail = run.stderr[-400:]
    except subprocess.TimeoutExpired:
        message, tail, run = "took more than 120 s", "", None
    os.remove(path)
    if message:
        return "failed", "%s\n%s" % (message, tail)
    return ("refused" if run.returncode else "accepted"), ""


def parse_arguments():
    parser = argparse.ArgumentParser(description="Feeds mutated modules to a compiler.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default=".")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("seeds", nargs="+")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options, command = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1:]
    if not command:
        parser.error("no command: it stands behind --")
    return options, command


def main():
    options, command = parse_arguments()
    texts = []
    for path in options.seeds:
        with open(path) as file:
            texts.append(file.read())
    counts = dict(accepted=0, refused=0, failed=0)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        inputs = []
        for index in range(options.count):
            rng = random.Random(options.seed * 1000003 + index)
            inputs.append(mutate(rng, rng.choice(texts)))
        jobs = [pool.submit(try_one, command, folder, index, text) for index, text in enumerate(inputs)]
        for index, (job, text) in enumerate(zip(jobs, inputs)):
            outcome, message = job.result()
            counts[outcome] += 1
            if outcome == "failed":
                kept = os.path.join(options.keep, "fail-%d.mlir" % (options.seed * 1000003 + index))
                os.makedirs(options.keep, exist_ok=True)
                with open(kept, "w", errors="surrogateescape") as file:
                    file.write(text)
                print("%s: %s" % (kept, message))
    print("%(accepted)d accepted, %(refused)d refused, %(failed)d failed" % counts)
    return 1 if counts["failed"] else 0


sys.exit(main())
