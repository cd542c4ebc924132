#!/usr/bin/env python3
"""Joins what run_cases.py found with the hashes of the code that ran, the date, the GPU and the driver.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: collect.py PACK RESULTS.json CASES.json...
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

from fovea import Runtime


def code_hash(runtime, path):
    """SHA-256 of the PTX of an artifact."""
    texts = [code for _, _, kind, code in runtime.load(path).implementations() if kind == "ptx"]
    return hashlib.sha256(b"".join(texts)).hexdigest() if texts else None


def machine():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.check_output(query, text=True).splitlines()[0].split(", ")
    return {"gpu": gpu, "driver": driver, "date": datetime.date.today().isoformat()}


def settings(pack):
    """The target and the element types that the pack was made for."""
    with open(os.path.join(pack, "pack.env")) as file:
        found = dict(re.findall(r"^(\w+)='(.*)'$", file.read(), re.M))
    return {"target": found["FOVEA_TARGET"], "types": found["FOVEA_TYPES"].split()}


def merge_modules(modules, more):
    """Adds the modules of another report; a module in both has the cases of both."""
    for key, entry in more.items():
        known = modules.setdefault(key, dict(entry, cases=0, failed=0, error=0.0, variants=[]))
        known["cases"] += entry["cases"]
        known["failed"] += entry["failed"]
        known["error"] = max(known["error"], entry["error"])
        known["variants"] = sorted({*known["variants"], *entry["variants"]})


def merge(paths):
    """One report of the reports of several processes."""
    total = {"passed": 0, "failed": 0, "refused": 0, "messages": [], "variants": {}, "modules": {}}
    for path in paths:
        with open(path) as file:
            report = json.load(file)
        for name in ("passed", "failed", "refused", "messages"):
            total[name] += report[name]
        for name, count in report["variants"].items():
            total["variants"][name] = total["variants"].get(name, 0) + count
        merge_modules(total["modules"], report["modules"])
    return total


def main():
    pack, results, cases = sys.argv[1], sys.argv[2], sys.argv[3:]
    report = merge(cases)
    runtime = Runtime(os.path.join(pack, "libfovea_runtime.so"))
    for key, entry in report["modules"].items():
        entry["ptx"] = code_hash(runtime, os.path.join(pack, "artifacts", key + ".fovea"))
    report.update(machine(), **settings(pack))
    with open(results, "w") as file:
        json.dump(report, file, indent=1)
    print("%d passed, %d failed, %d refused" % (report["passed"], report["failed"], report["refused"]))


main()
