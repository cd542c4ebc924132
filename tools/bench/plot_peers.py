#!/usr/bin/env python3
"""Draws the results of peers.py as an SVG and prints them as Markdown tables; needs nothing but Python.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: plot_peers.py PEERS.json [OUT.svg]
"""
import argparse
import math

from plot import Svg
from script import read_results, run_script

COLOURS = {"fovea": "#1b6ca8", "cudnn": "#d9822b", "fa2": "#9aa5b1", "flex": "#6a9955", "triton": "#c9b458"}
LABELS = {"fovea": "Fovea", "cudnn": "cuDNN", "fa2": "FlashAttention-2", "flex": "FlexAttention", "triton": "Triton tutorial kernel"}
READINGS = {"hot": "hot: back to back, at the power limit", "paced": "paced: single calls, at the highest clock"}
WIDTH, PANEL = 1120, 200


def grid_of(results):
    """The rows of the main table by depth and mask."""
    rows = [row for row in results["cases"] if row["group"] == "grid"]
    groups = {}
    for row in sorted(rows, key=lambda row: (row["D"], row["causal"], row["Sq"])):
        groups.setdefault((row["D"], row["mask"]), []).append(row)
    return groups


def sides_of(rows):
    """Names in the order of the legend; plug-ins are not drawn."""
    return [name for name in LABELS if any(name in row["ms"]["hot"] for row in rows)]


def draw_axis(svg, x, y, width, top):
    for value in range(0, int(top) + 1, 100 if top < 900 else 200):
        height = y + PANEL - PANEL * value / top
        svg.line([(x, height), (x + width, height)], "#e5e9ee", 0.5)
        svg.text(x - 6, height + 4, str(value), "end", 10)


def draw_group(svg, rows, names, rates, x, y, width, top):
    """Bars of one depth and mask."""
    step = width / len(rows)
    bar = (step - 5) / len(names)
    for i, row in enumerate(rows):
        for k, name in enumerate(names):
            height = PANEL * rates(row).get(name, 0) / top
            svg.box(x + i * step + 2 + k * bar, y + PANEL - height, bar - 0.5, height, COLOURS[name])
        label = "%dk" % (row["Sq"] // 1024) if row["Sq"] >= 1024 else str(row["Sq"])
        svg.text(x + (i + 0.5) * step, y + PANEL + 13, label, size=9)
    svg.text(x + width / 2, y + PANEL + 28, "D %d %s" % (rows[0]["D"], rows[0]["mask"]))


def draw_panel(svg, groups, reading, y):
    """All groups of one reading side by side."""
    rows = [row for group in groups.values() for row in group]
    names, rates = sides_of(rows), lambda row: row["tflops"][reading]
    top = max(value for row in rows for value in rates(row).values()) * 1.08
    x, width = 50, WIDTH - 70
    draw_axis(svg, x, y, width, top)
    for i, group in enumerate(groups.values()):
        draw_group(svg, group, names, rates, x + width * i / len(groups), y, width / len(groups) - 8, top)
    svg.text(x, y - 10, "TFLOP/s, " + READINGS[reading], "start")
    for i, name in enumerate(names):
        svg.box(x + 420 + 130 * i, y - 19, 10, 10, COLOURS[name])
        svg.text(x + 435 + 130 * i, y - 10, LABELS[name], "start", 11)


def draw(results, path):
    svg = Svg(WIDTH, 2 * PANEL + 170)
    svg.text(WIDTH / 2, 24, "%s, bf16 forward over the sequence length, B*S = 16384, H*D = 2048" % results["gpu"], size=14)
    groups = grid_of(results)
    if groups:
        draw_panel(svg, groups, "hot", 70)
        draw_panel(svg, groups, "paced", 70 + PANEL + 65)
    svg.write(path)


def best_peer(rates):
    return max((value for name, value in rates.items() if name != "fovea"), default=None)


def ratio(rates, other):
    return "%.2f" % (rates["fovea"] / other) if other and "fovea" in rates else "-"


def table(rows, names):
    """TFLOP/s paced / hot of every side, and what Fovea is to cuDNN and to the best of the others."""
    head = ["case"] + [LABELS.get(name, name) for name in names] + ["to cuDNN", "to the best", "error / cuDNN's"]
    lines = ["| %s |" % " | ".join(head), "|" + "---|" * len(head)]
    for row in rows:
        paced, hot, error = row["tflops"]["paced"], row["tflops"]["hot"], row["error"]
        cells = ["%.0f / %.0f" % (paced[name], hot[name]) if name in hot else "-" for name in names]
        cells += ["%s / %s" % tuple(ratio(rates, rates.get("cudnn")) for rates in (paced, hot)),
                  "%s / %s" % tuple(ratio(rates, best_peer(rates)) for rates in (paced, hot)),
                  "%.2f" % (error["fovea"] / error["cudnn"]) if "fovea" in error and error.get("cudnn") else "-"]
        lines.append("| %s | %s |" % (row["name"], " | ".join(cells)))
    return "\n".join(lines)


def geometric_means(rows):
    """One line a group and reading: Fovea to cuDNN and to the best of the others."""
    lines = []
    for reading in READINGS:
        rates = [row["tflops"][reading] for row in rows if "fovea" in row["ms"][reading]]
        for label, peer in (("cuDNN", lambda r: r.get("cudnn")), ("the best of the others", best_peer)):
            logs = [math.log(r["fovea"] / peer(r)) for r in rates if peer(r)]
            if logs:
                lines.append("- %s, geometric mean of %d cases to %s: %.3f" % (reading, len(logs), label,
                                                                              math.exp(sum(logs) / len(logs))))
    return "\n".join(lines)


def window_line(rows):
    """What a window takes, as a part of the causal time, over its part of the scores."""
    by_mask = {row["mask"]: row for row in rows if row["group"] == "window"}
    if "causal" not in by_mask or len(by_mask) < 2:
        return ""
    causal, window = by_mask["causal"], next(row for mask, row in by_mask.items() if mask != "causal")
    if "fovea" not in causal["error"] or "fovea" not in window["error"]:
        return ""
    scores = lambda row: row["ms"]["hot"]["fovea"] * row["tflops"]["hot"]["fovea"]
    share = scores(window) / scores(causal)
    parts = tuple(window["ms"][reading]["fovea"] / causal["ms"][reading]["fovea"] / share for reading in READINGS)
    return "- window of %d: %.2f (hot) and %.2f (paced) times its share of the causal kernel's time\n" % ((window["window"],) + parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="JSON of peers.py")
    parser.add_argument("svg", nargs="?", help="the picture to write")
    options = parser.parse_args()
    results = read_results(options.results, ["cases", "gpu", "driver", "torch", "date", "notes"])
    rows = results["cases"]
    names = sides_of(rows) + sorted({name for row in rows for name in row["error"]} - set(LABELS))
    print("%s, driver %s, PyTorch %s, %s; TFLOP/s paced / hot\n" % (results["gpu"], results["driver"], results["torch"],
                                                                   results["date"]))
    print(table(rows, names) + "\n\n" + geometric_means([row for row in rows if row["group"] == "grid"]))
    print(window_line(rows) + "".join("- note: %s\n" % note for note in results["notes"]))
    if options.svg:
        draw(results, options.svg)


if __name__ == "__main__":
    run_script(main)
