#!/usr/bin/env python3
"""Joins what run_cases.py found with the hashes of the code that ran, the date, the GPU and the driver.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: collect.py PACK RESULTS.json CASES.json...
"""
import datetime
import json
import os
import re
import subprocess
import sys

from fovea import Runtime
from needs import need

need("numpy", "reading results of cases")
from suite import Report  # noqa: E402


def machine():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.check_output(query, text=True).splitlines()[0].split(", ")
    return {"gpu": gpu, "driver": driver, "date": datetime.date.today().isoformat()}


def settings(pack):
    """The target and the element types that the pack was made for."""
    with open(os.path.join(pack, "pack.env")) as file:
        found = dict(re.findall(r"^(\w+)='(.*)'$", file.read(), re.M))
    return {"target": found["FOVEA_TARGET"], "types": found["FOVEA_TYPES"].split()}


def merge(paths):
    """One report of the reports of several runs."""
    total = Report()
    for path in paths:
        with open(path) as file:
            total.merge(Report(**json.load(file)))
    return vars(total)


def main():
    pack, results, cases = sys.argv[1], sys.argv[2], sys.argv[3:]
    report = merge(cases)
    runtime = Runtime(os.path.join(pack, "libfovea_runtime.so"))
    for key, entry in report["modules"].items():
        entry["kernels"] = runtime.load(os.path.join(pack, "artifacts", key + ".fovea")).variant_hashes()
    report.update(machine(), **settings(pack))
    with open(results, "w") as file:
        json.dump(report, file, indent=1)
    print("%(passed)d passed, %(failed)d failed, %(refused)d refused, %(unrun)d out of time" % report)


main()
