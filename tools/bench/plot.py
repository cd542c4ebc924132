#!/usr/bin/env python3
"""Draws the results of gpu_vs_torch.py as an SVG and prints them as Markdown tables; needs nothing but Python.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: plot.py BENCH.json OUT.svg
"""
import argparse

from script import read_results, run_script

COLOURS = {"fovea": "#1b6ca8", "fa2": "#9aa5b1", "triton": "#9aa5b1", "unfused": "#d9822b"}
LABELS = {"fovea": "Fovea", "fa2": "FlashAttention-2", "triton": "Triton kernel", "unfused": "unfused PyTorch"}


class Svg:
    """Text, lines and boxes."""

    def __init__(self, width, height):
        self.parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" '
                      'font-size="12">' % (width, height), '<rect width="100%" height="100%" fill="white"/>']

    def text(self, x, y, text, anchor="middle", size=12, colour="#333"):
        self.parts.append('<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d" fill="%s">%s</text>'
                          % (x, y, anchor, size, colour, text))

    def box(self, x, y, width, height, colour):
        self.parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' % (x, y, width, height, colour))

    def line(self, points, colour, width=2):
        path = " ".join("%.1f,%.1f" % point for point in points)
        self.parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"/>' % (path, colour, width))

    def write(self, path):
        with open(path, "w") as file:
            file.write("\n".join(self.parts + ["</svg>", ""]))


def legend(svg, x, y, names):
    for i, name in enumerate(names):
        svg.box(x + 130 * i, y - 9, 10, 10, COLOURS[name])
        svg.text(x + 130 * i + 15, y, LABELS[name], "start")


def flash_panel(svg, rows, x, y, width, height):
    """Bars of TFLOP/s."""
    top = max(value for row in rows for value in row["tflops"].values()) * 1.1
    names = ("fovea", "fa2")
    step = width / len(rows)
    for i, row in enumerate(rows):
        for k, name in enumerate(names):
            value = row["tflops"].get(name, 0)
            bar = height * value / top
            svg.box(x + i * step + 3 + k * (step - 6) / 2, y + height - bar, (step - 6) / 2 - 1, bar, COLOURS[name])
        svg.text(x + (i + 0.5) * step, y + height + 14, "%dk" % (row["s"] // 1024), size=10)
    for value in range(0, int(top), 100):
        svg.line([(x, y + height - height * value / top), (x + width, y + height - height * value / top)], "#e5e9ee", 0.5)
        svg.text(x - 6, y + height - height * value / top + 4, str(value), "end", 10)
    groups = sorted({(row["d"], row["causal"]) for row in rows})
    for i, (d, causal) in enumerate(groups):
        svg.text(x + width * (i + 0.5) / len(groups), y + height + 30, "D %d %s" % (d, "causal" if causal else "full"))
    legend(svg, x, y - 10, names)


def scale_points(rows, name, read, x, y, width, height, low, high):
    """Points of a log-log curve over n."""
    import math
    first, last = math.log(min(r["n"] for r in rows)), math.log(max(r["n"] for r in rows))
    return [(x + width * (math.log(r["n"]) - first) / (last - first),
             y + height - height * (math.log(read(r, name)) - math.log(low)) / (math.log(high) - math.log(low)))
            for r in rows if name in r["ms"]]


def curve_panel(svg, rows, title, unit, read, x, y, width, height):
    """Curves of time or memory over n, log-log."""
    names = [name for name in ("unfused", "triton", "fovea") if any(name in row["ms"] for row in rows)]
    values = [read(row, name) for row in rows for name in names if name in row["ms"]]
    low, high = min(values) / 1.5, max(values) * 1.5
    svg.text(x + width / 2, y - 26, title)
    for name in names:
        points = scale_points(rows, name, read, x, y, width, height, low, high)
        svg.line(points, COLOURS[name])
        last = [row for row in rows if name in row["ms"]][-1]
        svg.text(points[-1][0] + 4, points[-1][1] + 4, "%.3g %s" % (read(last, name), unit), "start", 10, COLOURS[name])
    for row in rows:
        position = scale_points([rows[0], row, rows[-1]], next(iter(rows[0]["ms"])), read, x, y, width, height, low, high)[1][0]
        svg.text(position, y + height + 14, str(row["n"]), size=10)
    svg.line([(x, y), (x, y + height), (x + width, y + height)], "#9aa5b1", 1)
    legend(svg, x, y - 8, names)


def flash_table(rows):
    lines = ["| D | mask | S | Fovea TFLOP/s | FlashAttention-2 TFLOP/s | ratio |", "|---|---|---|---|---|---|"]
    for row in rows:
        rates = row["tflops"]
        lines.append("| %d | %s | %d | %.0f | %.0f | %.2f |" % (row["d"], "causal" if row["causal"] else "full", row["s"],
                                                               rates.get("fovea", 0), rates.get("fa2", 0), row.get("ratio", 0)))
    return "\n".join(lines)


def tutorial_table(rows):
    lines = ["| type | d | batch | n | Fovea ms | unfused / Fovea | Triton / Fovea | memory, MiB | unfused, MiB |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        ms, memory = row["ms"], row["peak_bytes"]
        if "fovea" not in ms:
            continue
        ratio = lambda name: "%.2f" % (ms[name] / ms["fovea"]) if name in ms else "-"
        mib = lambda name: "%.1f" % (memory[name] / 2 ** 20) if name in memory else "-"
        lines.append("| %s | %d | %d | %d | %.4f | %s | %s | %s | %s |" % (
            row["dtype"], row["d"], row["batch"], row["n"], ms["fovea"], ratio("unfused"), ratio("triton"), mib("fovea"),
            mib("unfused")))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="JSON of gpu_vs_torch.py")
    parser.add_argument("svg", help="the picture to write")
    options = parser.parse_args()
    results = read_results(options.results, ["gpu"])
    svg = Svg(980, 620)
    svg.text(490, 24, "%s, one kernel a launch, medians" % results["gpu"], size=14)
    flash = sorted(results.get("flash", []), key=lambda row: (row["d"], row["causal"], row["s"]))
    if flash:
        svg.text(490, 46, "bf16 forward, TFLOP/s: B*S = 16384, H*D = 2048")
        flash_panel(svg, flash, 60, 75, 880, 190)
        print(flash_table(flash) + "\n")
    tutorial = results.get("tutorial", [])
    rows = sorted((row for row in tutorial if (row["dtype"], row["d"], row["batch"]) == ("bf16", 64, 64)), key=lambda r: r["n"])
    if rows:
        curve_panel(svg, rows, "time, ms (bf16, causal, d 64, batch 64) over n", "ms", lambda row, name: row["ms"][name], 60, 390,
                    340, 190)
        curve_panel(svg, rows, "peak memory above the inputs, MiB", "MiB",
                    lambda row, name: max(row["peak_bytes"][name], 1) / 2 ** 20, 540, 390, 340, 190)
    if tutorial:
        print(tutorial_table(tutorial))
    svg.write(options.svg)


if __name__ == "__main__":
    run_script(main)
