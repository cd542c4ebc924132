"""Makes the table that strategy selection reads from the results of measurements.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

An entry serves one type, depth class, mask and feature, and of mask "window" windows of up to so many keys: where several were
measured one up to the middle between each and the next, and one for all wider ones. Its kernels are for ranges of lengths (of keys under mask "full", else of
queries); a further one is for problems with few tasks. Of all ways to cut the measured lengths into at most --kernels ranges
the one is taken whose time is least: the geometric mean of each point's times relative to its best, where a further kernel has to
gain --gain per cent of an entry's mean. Where all queries have the same keys (mask "full") there are costs in the place of ranges: a kernel's time is taken
to be the rounds in which multiprocessors take its tasks times what a task costs and each of its blocks of keys, fitted to what was
measured; at each point the kernel that costs the least counts. Paced times count twice: at the power limit they scatter more than strategies differ. Between two measured lengths a range ends in the middle.
"""
import itertools
import json
import math
import re

from families import PACKED, COUNT, TuneError
from jsonfile import JsonError, integer, listed, mapping, number, one_of, positive, read_json, record, text

KEY = ("type", "depth", "mask", "feature")
# A block of queries of the kernels for few tasks.
FEW_ROWS = 64
CHOSEN = "chosen"
STRATEGY = re.compile(r"#attn\.strategy<block_m = \d+, block_n = \d+\b.*>$")
WEIGHTS = {"paced": 2 / 3, "hot": 1 / 3}
# Nanoseconds of a launch that does nothing.
LAUNCH_TIME = 4000
# Of the strategies at a point, and in all, that are tried together.
NEAR_BEST, MOST_CONTENDERS = 3, 12


MS = mapping(record({"paced": positive, "hot": positive}))
PROBLEM = record({**PACKED, "name": text, "size": listed(COUNT), "flops": number, "ms": MS},
                 {"error": mapping(number), "excluded": mapping(text)})
RESULTS = record({"format": one_of(1), "target": text, "device": text, "driver": text, "date": text,
                  "multiprocessors": integer(1), "problems": listed(PROBLEM)}, {"rounds": COUNT, "notes": listed(text)})


def check_form(value, place):
    """Results, the format first: what a later one means by its keys is not known."""
    if isinstance(value, dict) and "format" in value:
        if value["format"] != 1:
            raise JsonError("it has format %s; this tool reads 1" % value["format"])
    RESULTS(value, place)
    for number_, problem in enumerate(value["problems"]):
        if len(problem["size"]) != 5:
            raise JsonError("problems[%d].size: must be [B, Hq, Hkv, Sq, Skv], but is %s" % (number_, problem["size"]))
        if (problem["window"] > 0) != (problem["mask"] == "window"):
            raise JsonError("problems[%d].window: must be given with mask window, and only there, but is %d with mask %s"
                            % (number_, problem["window"], problem["mask"]))
        for strategy in problem["ms"]:
            if strategy != CHOSEN and not STRATEGY.match(strategy):
                raise JsonError("problems[%d].ms: '%s' is no strategy; expected #attn.strategy<...> or %s"
                                % (number_, strategy[:80], CHOSEN))


def read_results(paths):
    """The merged results of several runs on one device."""
    merged = None
    for path in paths:
        try:
            results = read_json(path, "the results", check_form)
        except JsonError as error:
            raise TuneError(str(error)) from None
        if merged and any(merged[key] != results[key] for key in ("target", "device")):
            raise TuneError("'%s' is of another target or device than the results before it" % path)
        results["problems"][:0] = merged["problems"] if merged else []
        merged = results
    return merged


def length(problem):
    return problem["size"][4 if problem["mask"] == "full" else 3]


def has_few_tasks(problem, multiprocessors, blocks=1):
    """Whether a kernel of small blocks, `blocks` of which a multiprocessor holds, computes all tasks at once; under a causal
    mask a task is a pair of blocks."""
    batch, heads, _, queries, _ = problem["size"]
    return batch * heads * -(-queries // FEW_ROWS) <= blocks * multiprocessors * (1 if problem["mask"] == "full" else 2)


def number_in(strategy, name):
    """A parameter of a strategy's text; what is left out is 1."""
    found = re.search(name + r" = (\d+)", strategy)
    return int(found[1]) if found else 1


def blocks_of(strategy):
    """Thread blocks of a kernel that a multiprocessor holds."""
    return number_in(strategy, "min_blocks")


def serves(kernel, problem, multiprocessors):
    """Whether the compiler lets the kernel of an entry run the problem."""
    return length(problem) < kernel.get("length_below", math.inf) and (
        not kernel.get("few_tasks") or has_few_tasks(problem, multiprocessors, blocks_of(kernel["strategy"])))


def tile(strategy):
    """Queries and keys of a block."""
    return number_in(strategy, "block_m"), number_in(strategy, "block_n")


def work(strategy, problem, multiprocessors):
    """(rounds in which the multiprocessors take a kernel's tasks, blocks of keys of a task), where all tasks have the same keys."""
    batch, heads, _, queries, keys = problem["size"]
    rows, columns = tile(strategy)
    return -(-batch * heads * -(-queries // rows) // (multiprocessors * blocks_of(strategy))), -(-keys // columns)


def cost_of(kernel, problem, multiprocessors):
    """Nanoseconds by the costs of a kernel of an entry."""
    rounds, blocks = work(kernel["strategy"], problem, multiprocessors)
    return rounds * (kernel["cost"]["task"] + kernel["cost"]["block"] * blocks)


def pick(kernels, problem, multiprocessors):
    """The kernel of an entry that the compiler lets run a problem; it may be none of a table that is not whole."""
    fitting = [kernel for kernel in kernels if serves(kernel, problem, multiprocessors)]
    if fitting and "cost" in fitting[0]:
        return min(fitting, key=lambda kernel: cost_of(kernel, problem, multiprocessors) if "cost" in kernel else math.inf)
    return fitting[0] if fitting else None


def mean_time(ms):
    """Nanoseconds, the readings by their weights."""
    return 1e6 * math.exp(sum(math.log(ms[r]) * WEIGHTS[r] for r in WEIGHTS) / sum(WEIGHTS.values()))


def fit_cost(strategy, problems, multiprocessors):
    """{"task", "block"}: what a round costs for each task, and for each block of keys, by least squares of the relative error."""
    points = []
    for problem in problems:
        (rounds, blocks), time = work(strategy, problem, multiprocessors), mean_time(problem["ms"][strategy])
        points.append((rounds / time, rounds * blocks / time, max(0.0, 1 - LAUNCH_TIME / time)))
    dot = lambda a, b: sum(point[a] * point[b] for point in points)
    determinant = dot(0, 0) * dot(1, 1) - dot(0, 1) ** 2
    task = (dot(0, 2) * dot(1, 1) - dot(1, 2) * dot(0, 1)) / determinant if determinant > 1e-12 * dot(0, 0) * dot(1, 1) else 0.0
    task = max(task, 0.0)
    block = max((dot(1, 2) - task * dot(0, 1)) / dot(1, 1), 0.0) if dot(1, 1) else 0.0
    return {"task": round(task), "block": round(block)}


def contenders(found, common):
    """The strategies of `common` that are among the best at a point, the best on the mean first."""
    near = {s for each in found for s in sorted(common, key=lambda s: each[s])[:NEAR_BEST]}
    return sorted(near, key=lambda s: (sum(each[s] for each in found), s))[:MOST_CONTENDERS]


def choose_by_cost(problems, options, multiprocessors):
    """(mean cost, kernels) of the set that is the fastest where each problem is run by the kernel that costs the least."""
    found = [costs(problem) for problem in problems]
    common = sorted(set.intersection(*(set(each) for each in found)))
    made = [{"cost": fit_cost(s, problems, multiprocessors), "strategy": s} for s in contenders(found, common)]
    mean = lambda kernels: sum(each[pick(kernels, problem, multiprocessors)["strategy"]]
                               for each, problem in zip(found, problems)) / len(problems)
    best = (math.inf, [])
    for count in range(1, min(options.kernels, len(made)) + 1):
        for kernels in map(list, itertools.combinations(made, count)):
            total = mean(kernels) + (count - 1) * options.gain / 100
            best = min(best, (total, kernels), key=lambda choice: choice[0])
    return best[0], sorted(best[1], key=lambda kernel: tile(kernel["strategy"]))


def costs(problem):
    """{strategy: mean logarithm of its times over the best ones}; what the target chose by itself is no candidate."""
    times = {strategy: ms for strategy, ms in problem["ms"].items() if strategy != CHOSEN}
    best = {reading: min(ms[reading] for ms in times.values()) for reading in WEIGHTS} if times else {}
    return {strategy: sum(math.log(ms[r] / best[r]) * WEIGHTS[r] for r in best) for strategy, ms in times.items()}


def cheapest(points):
    """(cost, strategy) over [(length, costs)]: the one strategy for all of them; a strategy must have run at each."""
    common = set.intersection(*(set(found) for _, found in points))
    return min(((sum(found[s] for _, found in points), s) for s in common), default=(math.inf, None))


def choose_ranges(points, most, gain):
    """(mean cost, [(lengths below which, strategy)]), the last one without a bound, for points in the order of their lengths."""
    best = None
    for count in range(1, min(most, len(points)) + 1):
        for cuts in itertools.combinations(range(1, len(points)), count - 1):
            ranges = list(zip((0,) + cuts, cuts + (len(points),)))
            chosen = [cheapest(points[a:b]) for a, b in ranges]
            total = sum(cost for cost, _ in chosen) / len(points) + (count - 1) * gain / 100
            if math.isfinite(total) and (best is None or total < best[0] - 1e-12):
                bounds = [(points[b - 1][0] + points[b][0]) // 2 for _, b in ranges[:-1]] + [None]
                best = (total, [(bound, strategy) for bound, (_, strategy) in zip(bounds, chosen)])
    return (best[0], merge(best[1])) if best else (0.0, [])


def merge(ranges):
    """Neighbours of one strategy are one range."""
    return [r for i, r in enumerate(ranges) if i + 1 == len(ranges) or ranges[i + 1][1] != r[1]]


def group_points(problems):
    """[(length, mean costs of the problems of that length)] in order."""
    by_length = {}
    for problem in problems:
        by_length.setdefault(length(problem), []).append(costs(problem))
    points = []
    for at, found in sorted(by_length.items()):
        common = set.intersection(*(set(each) for each in found))
        if common:
            points.append((at, {s: sum(each[s] for each in found) / len(found) for s in common}))
    return points


def key_of(problem):
    return problem["type"], max(problem["qk_depth"], problem["v_depth"]), problem["mask"], problem["feature"]


def window_limits(problems):
    """{measured window: the widest one that its entry is for, or None}; other masks have the one window 0."""
    windows = sorted({problem["window"] for problem in problems})
    return dict(zip(windows, [(a + b) // 2 for a, b in zip(windows, windows[1:])] + [None]))


def group_problems(results):
    """[(key, widest window or None, problems of an entry)] in order."""
    groups = {}
    for problem in results["problems"]:
        groups.setdefault(key_of(problem), []).append(problem)
    return [(key, limit, [problem for problem in groups[key] if problem["window"] == window])
            for key in sorted(groups) for window, limit in window_limits(groups[key]).items()]


def merge_windows(entries):
    """Neighbours of the same kernels are one entry."""
    same = lambda a, b: all(a[name] == b[name] for name in KEY + ("kernels",))
    return [entry for entry, following in zip(entries, entries[1:] + [None]) if not following or not same(entry, following)]


def choose_kernels(problems, few, strategy, multiprocessors, options):
    """(mean cost of all points, kernels) where `strategy` runs the problems `few`; None: there are none."""
    few_points, many_points = group_points(few), group_points([p for p in problems if p not in few])
    kernels, cost = [{"few_tasks": True, "strategy": strategy}] if strategy else [], 0.0
    many = [p for p in problems if p not in few]
    if many_points and many[0]["mask"] == "full" and len(many_points) > 1:
        cost, chosen = choose_by_cost(many, options, multiprocessors)
        kernels += chosen if len(chosen) > 1 else [{"strategy": kernel["strategy"]} for kernel in chosen]
    elif many_points:
        cost, ranges = choose_ranges(many_points, options.kernels, options.gain)
        kernels += [{**({"length_below": bound} if bound else {}), "strategy": chosen} for bound, chosen in ranges]
    total = sum(found[strategy] for _, found in few_points) + cost * len(many_points)
    return total / max(len(few_points) + len(many_points), 1), kernels


def make_entry(key, limit, problems, multiprocessors, options):
    """The kernel for few tasks runs all problems that it can compute at once, and is chosen for these."""
    many = [p for p in problems if not has_few_tasks(p, multiprocessors)]
    choices = []
    if len(many) < len(problems):
        for strategy in sorted({s for p in problems for s in costs(p)}):
            few = [p for p in problems if has_few_tasks(p, multiprocessors, blocks_of(strategy))]
            if all(strategy in costs(p) for p in few):
                choices.append(choose_kernels(problems, few, strategy, multiprocessors, options))
    whole = [choice for choice in choices if is_complete({"kernels": choice[1]})]
    _, kernels = min(whole or [choose_kernels(many, [], None, multiprocessors, options)], key=lambda choice: choice[0])
    return {**dict(zip(KEY, key)), **({"window": limit} if limit else {}), "kernels": kernels}


def is_complete(entry):
    """Whether an entry has a kernel for all lengths and numbers of tasks, as the compiler asks for."""
    last = entry["kernels"][-1] if entry["kernels"] else {"few_tasks": True}
    return not {"few_tasks", "length_below"} & set(last)


def make_table(results, options):
    entries = [make_entry(*group, results["multiprocessors"], options) for group in group_problems(results)]
    entries = merge_windows([entry for entry in entries if is_complete(entry)])
    if not entries:
        raise TuneError("no kernel ran right at a size with more tasks than multiprocessors, so that there is no entry to make; "
                        "larger sizes in the problem list work")
    about = "Made by fovea-tune from measurements on this device. docs/tuning.md says what the fields mean."
    head = {key: results[key] for key in ("target", "device", "driver", "date")}
    return {"format": 1, "about": about, **head, "entries": entries}


def print_table(table):
    """JSON with one kernel a line."""
    head = {key: value for key, value in table.items() if key != "entries"}
    lines = [json.dumps(head, indent=1)[:-2] + ',\n "entries": [']
    entries = []
    for entry in table["entries"]:
        fields = json.dumps({name: value for name, value in entry.items() if name != "kernels"})[:-1]
        kernels = ",\n".join("    " + json.dumps(kernel) for kernel in entry["kernels"])
        entries.append("  %s, \"kernels\": [\n%s]}" % (fields, kernels))
    return "\n".join(lines + [",\n".join(entries)]) + "\n ]\n}\n"


def compare(results, table):
    """Lines: at each point the chosen kernel against what the target chose by itself and the best that was tried."""
    lines = []
    for p in results["problems"]:
        entries = [entry for entry in table["entries"] if tuple(entry[name] for name in KEY) == key_of(p)
                   and p["window"] <= entry.get("window", math.inf)]
        kernels = min(entries, key=lambda entry: entry.get("window", math.inf))["kernels"] if entries else []
        picked = pick(kernels, p, results["multiprocessors"])
        if not picked or picked["strategy"] not in p["ms"]:
            continue
        rate = lambda ms, r: p["flops"] / ms[r] * 1e-9
        chosen, before = p["ms"][picked["strategy"]], p["ms"].get(CHOSEN)
        best = {r: min(ms[r] for ms in p["ms"].values()) for r in chosen}
        cell = lambda ms: "%.0f / %.0f" % (rate(ms, "paced"), rate(ms, "hot")) if ms else "-"
        lines.append("| %s %s | %s | %s | %s |" % (p["name"], "x".join(map(str, p["size"])), cell(before), cell(chosen), cell(best)))
    return ["| problem, B x Hq x Hkv x Sq x Skv | chosen before, TFLOP/s paced / hot | table | best |", "|---|---|---|---|"] + lines
