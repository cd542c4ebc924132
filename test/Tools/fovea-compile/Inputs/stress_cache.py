"""Runs fovea-compile on one cache folder from several processes, some of them killed, and checks what is left.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: stress_cache.py IN.mlir FOLDER
"""
import os
import subprocess
import sys
import time

source, folder = sys.argv[1:3]
os.makedirs(folder, exist_ok=True)
cache = os.path.join(folder, "cache")


def start(output, *options):
    command = ["fovea-compile", source, "--cache-dir=" + cache, "-o", os.path.join(folder, output), *options]
    return subprocess.Popen(command)


workers = [start("%d.fovea" % i) for i in range(4)]
victims = [start("victim%d.fovea" % i, "-O2") for i in range(3)]
time.sleep(0.05)
for victim in victims:
    victim.kill()
    victim.wait()
assert all(worker.wait() == 0 for worker in workers)
assert start("last.fovea", "-O2").wait() == 0

contents = {open(os.path.join(folder, "%d.fovea" % i), "rb").read() for i in range(4)}
assert len(contents) == 1, "concurrent compilations differ"
entries = [name for name in os.listdir(cache) if name.endswith(".fovea")]
assert len(entries) == 2, entries
for entry in entries:
    path = os.path.join(cache, entry)
    assert subprocess.run(["fovea-run", path, "--describe"], stdout=subprocess.DEVNULL).returncode == 0, entry
