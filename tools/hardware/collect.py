#!/usr/bin/env python3
"""Joins what run_cases.py found with the hashes of the code that ran, the date, the GPU and the driver.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: collect.py PACK CASES.json RESULTS.json
"""
import datetime
import hashlib
import json
import os
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


def main():
    pack, cases, results = sys.argv[1:4]
    with open(cases) as file:
        report = json.load(file)
    runtime = Runtime(os.path.join(pack, "libfovea_runtime.so"))
    for key, entry in report["modules"].items():
        entry["ptx"] = code_hash(runtime, os.path.join(pack, "artifacts", key + ".fovea"))
    report.update(machine())
    with open(results, "w") as file:
        json.dump(report, file, indent=1)


main()
