"""The strategies that fovea-tune tries: all of a family's ranges that fit the resources of a multiprocessor.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import itertools

from families import TuneError

# Shared memory of a multiprocessor of sm_90a, and what the system takes of it for each thread block.
SHARED_BYTES, RESERVED_BYTES = 228 * 1024, 1024
# Registers of a computing thread: with one or two computing warpgroups, with three, with one of each of several thread blocks.
REGISTERS, REGISTERS_OF_THREE, REGISTERS_OF_BLOCKS = 240, 160, {2: 216, 3: 136, 4: 104}
# Registers of a thread that hold neither scores, weights nor the accumulator: addresses, row sums, maxima, the loop.
OTHER_REGISTERS = 36
# Rows of a warpgroup, columns of a panel of shared memory, bytes of an element.
ROWS, PANEL, ELEMENT = 64, 64, 2
# Columns that a matrix instruction contracts.
STEP = 16

# Default ranges. `warps`: those that compute, four for each 64 rows of a block of queries. `score_part`: that of the family.
RANGES = {"warps": [4, 8, 12], "block_n": list(range(32, 193, 16)), "stages": [2, 3], "rescale": ["lazy", "optimistic"],
          "cluster": [1, 2], "pingpong": [False, True], "score_part": None, "row_sums": ["add"],
          "interleave": [False], "min_blocks": [1], "carry_scores": [False], "longest_first": [False]}
TEXT = ("#attn.strategy<block_m = {block_m}, block_n = {block_n}, warps = {warps}, stages = {stages}, vector_bytes = 16, "
        "round_p = true, unit = warpgroup, overlap = true, persistent = true, rescale = {rescale}{cluster}{pingpong}{score_part}{row_sums}{interleave}"
        "{min_blocks}{carry_scores}{longest_first}>")


def text(point):
    """A point of the space as an attribute; defaults are left out, as the compiler prints it."""
    return TEXT.format(**{**point, "block_m": point["warps"] // 4 * ROWS,
                          "cluster": ", cluster = %d" % point["cluster"] if point["cluster"] > 1 else "",
                          "pingpong": ", pingpong = true" if point["pingpong"] else "",
                          "score_part": ", score_part = %d" % point["score_part"] if point["score_part"] else "",
                          "row_sums": "" if point["row_sums"] == "add" else ", row_sums = " + point["row_sums"],
                          "interleave": ", interleave = true" if point["interleave"] else "",
                          "min_blocks": ", min_blocks = %d" % point["min_blocks"] if point["min_blocks"] > 1 else "",
                          "carry_scores": ", carry_scores = true" if point["carry_scores"] else "",
                          "longest_first": ", longest_first = true" if point["longest_first"] else ""})


def score_part(family):
    """The deepest sums of scores that LSE is within its bound of (docs/hopper.md); 0: all columns in one."""
    deepest, most = (96, 64) if family.type == "f16" else (160, 128)
    steps = -(-family.qk_depth // STEP)
    if family.feature != "lse" or steps * STEP <= deepest:
        return 0
    parts = -(-steps * STEP // most)
    return -(-steps // parts) * STEP


def panels(depth):
    return -(-depth // PANEL) * PANEL * ELEMENT


def shared_bytes(family, point):
    """Bytes of Q, and of K and V `stages` times, V with its panel of ones; barriers take a few more."""
    ones = PANEL * ELEMENT if point["row_sums"] == "product" else 0
    return (point["warps"] // 4 * ROWS * panels(family.qk_depth) +
            point["stages"] * point["block_n"] * (panels(family.qk_depth) + panels(family.v_depth) + ones) + 512)


def registers(family, point):
    """An estimate of the registers of a computing thread: the accumulator, and the scores and weights of a block of keys, in
    parts with another sum of scores."""
    sums = point["block_n"] // 2 if point["score_part"] else 0
    return family.v_depth // 2 + point["block_n"] * 3 // 4 + sums + OTHER_REGISTERS


def widest_product(family, point):
    """Registers that an instruction of a product needs at least, as the assembler says: its result, of weights its left operand, and
    what is beside."""
    values = -(-family.v_depth // STEP) * STEP + (8 if point["row_sums"] == "product" else 0)
    return max(point["block_n"] // 2 + 26, values // 2 + 30)


def registers_at_start(point):
    """Registers of a thread before the roles exchange them."""
    return min(65536 // (32 * (point["warps"] + 4) * point["min_blocks"]) // 8 * 8, 255)


def fits(family, point):
    """Whether the compiler takes the strategy for this family and a multiprocessor has room for its kernel."""
    if point["warps"] % 4 or point["pingpong"] and point["warps"] == 4:
        return False
    if point["carry_scores"] and (family.feature in ("linear", "bias", "table", "score") or max(family.qk_depth, family.v_depth) > 128):
        return False
    if point["longest_first"] and family.mask == "full":
        return False
    if point["row_sums"] == "product" and (family.v_depth % PANEL or family.feature == "lse"):
        return False
    if point["score_part"] % STEP or point["score_part"] >= family.qk_depth:
        return False
    if point["cluster"] > 1 and (family.mask != "full" or point["block_n"] % (8 * point["cluster"])):
        return False
    blocks = point["min_blocks"]
    if blocks > 1 and (blocks not in REGISTERS_OF_BLOCKS or point["warps"] != 4 or point["cluster"] > 1):
        return False
    if widest_product(family, point) > registers_at_start(point):
        return False
    limit = REGISTERS_OF_THREE if point["warps"] == 12 else REGISTERS_OF_BLOCKS.get(blocks, REGISTERS)
    return shared_bytes(family, point) <= SHARED_BYTES // blocks - RESERVED_BYTES and registers(family, point) <= limit


def points(family):
    """The points of all spaces of a family."""
    for space in family.spaces:
        ranges = {**RANGES, "score_part": [score_part(family)], **space}
        yield from (dict(zip(ranges, values)) for values in itertools.product(*ranges.values()))


def enumerate_strategies(family):
    """The texts of a family's strategies, each once."""
    found = list(dict.fromkeys(text(point) for point in points(family) if fits(family, point)))
    if not found:
        raise TuneError("problem %s: no strategy of the ranges fits shared memory and registers" % family.name())
    return found
