#!/usr/bin/env python3
"""Prints the results of masks.py as a Markdown table; needs nothing but Python.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: mask_table.py MASKS.json...
A line for each entry of the gallery, two columns for each depth and length: `of plain`, the time of the plain kernel of the
same mask over that of the entry, for score functions; `of its share`, the time of the entry over (kept pairs / all pairs) *
time of the kernel without a mask, for masks; and the time of FlexAttention over that of the entry. Cells are paced, hot.
"""
import argparse

from script import read_results, run_script


def pair(ratios, key):
    """The paced and the hot reading, or a dash."""
    values = [ratios[reading].get(key) for reading in ("paced", "hot")]
    return "-" if None in values else "%.2f, %.2f" % tuple(values)


def table(cases, key, title):
    """The cases that have `key`, an entry a line."""
    chosen = [case for case in cases if case["ratios"]["hot"].get(key) is not None]
    sizes = sorted({(case["D"], case["S"]) for case in chosen}, key=lambda size: (-size[0], size[1]))
    found = {(case["name"].split(" ")[0], case["D"], case["S"]): case for case in chosen}
    head = [title] + ["D=%d, S=%d | Flex" % size for size in sizes]
    lines = ["| %s |" % " | ".join(head), "|" + "---|" * (1 + 2 * len(sizes))]
    for name in dict.fromkeys(case["name"].split(" ")[0] for case in chosen):
        cells = []
        for size in sizes:
            case = found.get((name,) + size)
            cells += [pair(case["ratios"], key), pair(case["ratios"], "flex")] if case else ["-", "-"]
        lines.append("| `%s` | %s |" % (name, " | ".join(cells)))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", help="JSON of masks.py")
    cases = []
    for path in parser.parse_args().results:
        results = read_results(path, ["cases", "gpu", "driver", "torch", "date"])
        cases += results["cases"]
    print("%s, driver %s, PyTorch %s, %s; paced, hot\n" % (results["gpu"], results["driver"], results["torch"], results["date"]))
    sparse = [case for case in cases if case["ratios"]["hot"].get("visible") is not None]
    print(table([case for case in cases if case not in sparse], "plain", "of plain") + "\n")
    print(table(sparse, "visible", "of its share"))


if __name__ == "__main__":
    run_script(main)
