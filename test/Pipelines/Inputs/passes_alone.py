"""Runs each pass of the project alone on every stage of compilation: passes_alone.py BIN

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A pass does its work, does nothing, or fails with located errors, one for each function at most. It does not crash, and it
does not fail without a word.
"""
import pathlib
import re
import subprocess
import sys

BIN = pathlib.Path(sys.argv[1])
MODULES = {
    "regions": """
module {
  func.func @f(%q: tensor<?x8x?x16xf16>, %k: tensor<?x2x?x16xf16>, %v: tensor<?x2x?x16xf16>, %w: index,
               %o: tensor<?x8x?x16xf16>, %l: tensor<?x8x?xf32>) -> (tensor<?x8x?x16xf16>, tensor<?x8x?xf32>) {
    %r:2 = attn.attention ins(%q, %k, %v : tensor<?x8x?x16xf16>, tensor<?x2x?x16xf16>, tensor<?x2x?x16xf16>)
      causal(bottom_right)
      score_mod(%s, %b, %h, %i, %j) {
        %t = math.tanh %s : f32
        attn.yield %t : f32
      }
      mask_mod(%b, %h, %i, %j) {
        %x = arith.divui %i, %w : index
        %y = arith.divui %j, %w : index
        %same = arith.cmpi eq, %x, %y : index
        attn.yield %same : i1
      } outs(%o, %l : tensor<?x8x?x16xf16>, tensor<?x8x?xf32>)
    return %r#0, %r#1 : tensor<?x8x?x16xf16>, tensor<?x8x?xf32>
  }
}
""",
    "decode": """
module {
  func.func @g(%q: tensor<1x2x1x16xf16>, %k: tensor<1x2x4096x16xf16>, %o: tensor<1x2x1x16xf16>) -> tensor<1x2x1x16xf16> {
    %r = attn.attention ins(%q, %k, %k : tensor<1x2x1x16xf16>, tensor<1x2x4096x16xf16>, tensor<1x2x4096x16xf16>)
      outs(%o : tensor<1x2x1x16xf16>)
    return %r : tensor<1x2x1x16xf16>
  }
}
"""}
# What follows the tile level, pass by pass, and the module that goes through it.
PASSES = {
    "cpu": ("decode", ["attn-tile-to-cpu", "attn-cpu-kernel-entry"]),
    "sm_80": ("decode", ["attn-tile-assign-layouts", "attn-tile-stage-memory"]),
    "sm_90a": ("regions", ["attn-tile-assign-layouts", "attn-tile-specialize-warps=chip=sm_90a",
                           "attn-tile-schedule-dots"]),
}


def run(command, text):
    return subprocess.run([str(BIN / command[0])] + command[1:], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


def get_output(command, text):
    done = run(command, text)
    if done.returncode != 0:
        sys.exit("%s: exit status %d\n%s" % (" ".join(command), done.returncode, done.stderr[:2000]))
    return done.stdout


def make_stages():
    stages = list(MODULES.values())
    stages += [get_output(["fovea-opt", "-", "--attn-decompose"], text) for text in MODULES.values()]
    for target, (module, passes) in PASSES.items():
        for name, text in MODULES.items():
            for emit in ("attn", "tile"):
                stages.append(get_output(["fovea-compile", "-", "--target=" + target, "--emit=" + emit], text))
            for flag in passes if name == module else []:
                stages.append(get_output(["fovea-opt", "-", "--" + flag], stages[-1]))
    return [re.sub(r"^module\b", "module @stage_%d" % number, text, count=1, flags=re.M)
            for number, text in enumerate(stages)]


def get_passes():
    return re.findall(r"^ +--(attn-[\w-]+)", get_output(["fovea-opt", "--help"], ""), re.M)


def check(name, stages, lines):
    """`lines`: the first line of each stage in the text of all."""
    done = run(["fovea-opt", "-", "--split-input-file", "--" + name], "// -----\n".join(stages))
    if done.returncode not in (0, 1):
        sys.exit("%s crashed: exit status %d\n%s" % (name, done.returncode, done.stderr[-2000:]))
    done_stages = set(map(int, re.findall(r"^module @stage_(\d+)\b", done.stdout, re.M)))
    errors = re.findall(r"^<stdin>(?: split at line #(\d+))?:(\d+):\d+: error: ", done.stderr, re.M)
    if len(errors) != len(re.findall(r"\berror: ", done.stderr)):
        sys.exit("%s has an error without a location\n%s" % (name, done.stderr[:4000]))
    counts = [0] * len(stages)
    for split, line in errors:
        line = int(split or 0) + int(line)
        counts[max(i for i, first in enumerate(lines) if first <= line)] += 1
    for number, stage in enumerate(stages):
        most = 0 if number in done_stages else len(re.findall(r"\bfunc\.func\b", stage))
        if counts[number] > most or (most > 0 and counts[number] == 0):
            sys.exit("%s on stage %d has %d errors\n%s" % (name, number, counts[number], done.stderr[:4000]))
    print("%s: %d of %d stages" % (name, len(done_stages), len(stages)))


def main():
    stages, lines, first = make_stages(), [], 1
    for stage in stages:
        lines.append(first)
        first += stage.count("\n") + 1
    for name in get_passes():
        check(name, stages, lines)


main()
