#!/usr/bin/env python3
"""Runs the commands that a Markdown page documents.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: run_commands.py SOURCE BUILD SCRATCH [PAGE.md...]
Without names all pages of the source tree are read. Blocks marked `sh` are run, in the order of the page, in a folder that looks like the source tree with a `build` in it.
Blocks marked `mlir` are parsed by fovea-opt.
Blocks marked `console` hold commands that build or test everything; each must be named in ELSEWHERE with what runs it.
Other blocks hold no command.
"""
import os
import re
import shutil
import subprocess
import sys

# Commands that cannot run inside a test, and the file that runs them (or what they stand for).
ELSEWHERE = {
    "tools/quickstart": "test/Tools/quickstart.test",
    "sudo tools/quickstart": "test/Tools/quickstart.test",
    "tools/check": ".ci/run",
    "cmake --preset release": "test/Tools/presets.test",
    "cmake --preset sanitize": "test/Tools/presets.test",
    "cmake --build build": "tools/setup/common.sh",
    "cmake --build build --target check-fovea": "test/CMakeLists.txt",
    "cmake --build build-sanitize --target check-fovea": "test/CMakeLists.txt",
    "cmake --install build --prefix PREFIX": "test/Package/embed.test",
    "cmake --install build --prefix PREFIX --component runtime": "test/Package/runtime.test",
    "mlir-opt-22 --load-dialect-plugin=build/lib/FoveaPlugin.so --load-pass-plugin=build/lib/FoveaPlugin.so "
    "examples/causal_gqa.mlir --pass-pipeline=\"builtin.module(attn-plan-pipeline{target=sm_80},attn-tile-pipeline)\"":
        "test/Plugin/plugin.mlir",
    "examples/embed/check PREFIX": "test/Package/embed.test",
    "cmake --build build --target mlir-doc": "docs/README.md",
    "cc main.c attention.o -l:libFoveaRuntime.a -l:libgomp.a -lstdc++ -ldl -lpthread -lm": "test/Tools/fovea-compile/aot.test",
    "python3 test/Integration/cases/run_cases.py --bin=build/bin --work=gallery-work --brief --filter=strided gallery":
        "test/Integration/CPU/gallery.test",
    "tools/hardware/pack.py --out=pack --target=sm_90a --archive": "tools/hardware/pack.py",
    "pack/run.sh results": "tools/hardware/run.sh",
    "pack/sanitize.py sanitize.json --suites strides features --types bf16 f32 --every=4": "tools/hardware/sanitize.py",
    "tools/bench/pack_peers.py --out=peers --target=sm_90a": "test/Hardware/peers.test",
    "python3 peers/peers.py --out=peers.json --deadline=200": "tools/bench/peers.py",
    "tools/bench/plot_peers.py peers.json docs/hopper-speed.svg": "test/Hardware/peers.test",
    "python3 tools/bench/few_queries.py --runtime=build/lib/libfovea_runtime.so --out=few.json "
    "chosen=peers/modules/bf16_d128_full.fovea": "tools/bench/few_queries.py",
    "tools/bench/pack_masks.py --out=masks --target=sm_90a --ptxas": "test/Hardware/masks.test",
    "python3 masks/masks.py --out=masks.json --flex": "tools/bench/masks.py",
    "python3 peers/peers.py --out=peers.json": "tools/bench/peers.py",
    "tools/bench/mask_table.py masks.json": "test/Hardware/masks.test",
    "tools/bench/plot_peers.py peers.json hopper-speed.svg": "test/Hardware/peers.test",
    "tools/hardware/pack.py --out=pack --target=sm_80": "tools/hardware/pack.py",
    "tools/hardware/pack.py --out=pack --target=sm_90a --types bf16 f32": "tools/hardware/pack.py",
    "python3 pack/gpu_vs_torch.py --pack pack --out bench.json --only fa2": "tools/bench/gpu_vs_torch.py",
    "python3 pack/gpu_vs_torch.py --pack pack --out bench.json --only tutorial": "tools/bench/gpu_vs_torch.py",
    "tools/bench/pack_masks.py --out=masks --target=sm_90a --ir": "test/Hardware/masks.test",
    "python3 masks/first_calls.py --compiler=build/bin/fovea-compile --pack=masks --out=first.json --only='^document D128 S8192'":
        "tools/bench/first_calls.py",
    "tools/fovea-tune/fovea-tune pack --out=pack": "test/Tools/fovea-tune/tune.test",
    "python3 pack/measure.py --out=results.json": "test/Tools/fovea-tune/tune.test",
    "tools/fovea-tune/fovea-tune table --out=table.json results.json": "test/Tools/fovea-tune/table.test",
    "tools/hardware/verified.py make results/results.json": "test/Hardware/verified.test",
}


# What begins a line that a reader would type.
COMMAND = re.compile(r"\s*(\$ |build/bin/|\./|(tools|python3?|cmake|cc|fovea-\w+|mlir-opt\S*)[/ ])")


def blocks(page):
    """(language, text) of each fenced block; a block without a language has ""."""
    with open(page) as file:
        return re.findall(r"^```(\w*)[^\n]*\n(.*?)^```", file.read(), re.M | re.S)


def find_pages(source):
    """All pages, but those of build folders and of folders that git does not have."""
    pages = []
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        pages += [os.path.relpath(os.path.join(folder, name), source) for name in files if name.endswith(".md")]
    return sorted(pages)


def check_other(page, language, text):
    """A block that nothing runs holds no command."""
    if language in ("c", "cpp", "cmake", "python"):
        return 0
    bad = [line for line in text.splitlines() if COMMAND.match(line)]
    for line in bad:
        print("%s: a command in a block that is neither sh nor console: %s" % (page, line))
    return len(bad)


def make_scratch(source, build, scratch):
    """A folder with links to what is in the source tree, so that commands write beside them and not into it."""
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    for name in os.listdir(source):
        if not name.startswith((".", "build")):
            os.symlink(os.path.join(source, name), os.path.join(scratch, name))
    os.symlink(build, os.path.join(scratch, "build"))


def check_elsewhere(source, page, text):
    """Every line of a console block is run by something that exists."""
    bad = 0
    for line in text.splitlines():
        command = line.split("#")[0].strip()
        place = ELSEWHERE.get(command)
        if command and (place is None or not os.path.exists(os.path.join(source, place))):
            print("%s: nothing runs: %s" % (page, command))
            bad += 1
    return bad


def main():
    source, build, scratch = (os.path.abspath(path) for path in sys.argv[1:4])
    make_scratch(source, build, scratch)
    bad = run = 0
    for page in sys.argv[4:] or find_pages(source):
        for language, text in blocks(os.path.join(source, page)):
            if language == "console":
                bad += check_elsewhere(source, page, text)
            if language == "mlir":
                with open(os.path.join(scratch, "page.mlir"), "w") as file:
                    file.write(text)
                text = "build/bin/fovea-opt page.mlir -o page.out"
            elif language != "sh":
                bad += 0 if language == "console" else check_other(page, language, text)
                continue
            run += 1
            result = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], cwd=scratch, capture_output=True, text=True)
            if result.returncode:
                print("%s:\n%s\nended with %d\n%s%s" % (page, text, result.returncode, result.stdout[-2000:],
                                                       result.stderr[-2000:]))
                bad += 1
    print("%d blocks run, %d failed" % (run, bad))
    return 1 if bad else 0


sys.exit(main())
