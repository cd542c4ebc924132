#!/usr/bin/env python3
"""Runs the lit and ctest suites of a build and prints their count.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: run_tests.py SOURCE BUILD JOBS [lit arguments...]
The last line printed is "N passed, N failed, N skipped"; the exit code is 0 where none failed.
"""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

PASSED = ("PASS", "FLAKYPASS", "XFAIL")
SKIPPED = ("UNSUPPORTED", "SKIPPED", "EXCLUDED")


def cache_entry(build, name):
    """The value of a CMake cache entry, or None."""
    with open(os.path.join(build, "CMakeCache.txt")) as cache:
        match = re.search(r"^%s:\w+=(.*)$" % re.escape(name), cache.read(), re.M)
    return match.group(1) if match else None


def required_features(source, test):
    """The lit features that a test file asks for."""
    path = os.path.join(source, "test", test.split(" :: ", 1)[1])
    try:
        with open(path, errors="replace") as file:
            return re.findall(r"REQUIRES:\s*(.*)", file.read())
    except OSError:
        return []


def run_lit(source, build, jobs, arguments):
    """Runs lit; returns (passed, failed, {feature: tests skipped for it}, skipped)."""
    results = os.path.join(build, "lit-results.json")
    for old in (results, verified_report(build)):
        if os.path.exists(old):
            os.remove(old)
    lit = cache_entry(build, "FOVEA_LIT")
    command = [sys.executable, lit, "-v", "-j", jobs, "--output", results, os.path.join(build, "test")]
    subprocess.call(command + arguments)
    if not os.path.exists(results):
        print("lit ended without results")
        return 0, 1, {}, 0
    with open(results) as file:
        tests = json.load(file)["tests"]
    passed = sum(test["code"] in PASSED for test in tests)
    skipped = [test["name"] for test in tests if test["code"] in SKIPPED]
    features = {}
    for name in skipped:
        for feature in required_features(source, name):
            features[feature.strip()] = features.get(feature.strip(), 0) + 1
    return passed, len(tests) - passed - len(skipped), features, len(skipped)


def run_ctest(build, jobs):
    """Runs ctest where it has tests; returns (passed, failed, skipped)."""
    listing = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True)
    if "Total Tests: 0" in listing.stdout or listing.returncode:
        return 0, 0, 0
    report = os.path.join(build, "ctest-results.xml")
    subprocess.call(["ctest", "--test-dir", build, "-j", jobs, "--output-on-failure", "--output-junit", report])
    suite = ElementTree.parse(report).getroot()
    total, failed, skipped = (int(suite.get(key, 0)) for key in ("tests", "failures", "skipped"))
    return total - failed - skipped, failed, skipped


def verified_report(build):
    """The file in which test/Hardware/verified.test leaves its count."""
    return os.path.join(build, "test", "Hardware", "Output", "verified.test.tmp.count")


def print_verified(build):
    """Says how many kernels of a sample of the matrix ran on hardware as they are now: what the test of the lists found."""
    if os.path.exists(verified_report(build)):
        with open(verified_report(build)) as file:
            print(file.read(), end="", flush=True)


def main():
    source, build, jobs = sys.argv[1:4]
    passed, failed, features, skipped = run_lit(source, build, jobs, sys.argv[4:])
    unit_passed, unit_failed, unit_skipped = run_ctest(build, jobs)
    for feature, count in sorted(features.items()):
        print("skipped for want of '%s': %d" % (feature, count))
    print_verified(build)
    failed += unit_failed
    print("%d passed, %d failed, %d skipped" % (passed + unit_passed, failed, skipped + unit_skipped))
    return 1 if failed else 0


sys.exit(main())
