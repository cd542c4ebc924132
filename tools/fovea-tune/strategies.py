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


def product_instruction(point, columns, beside):
    """Registers that an instruction of a product needs at least, as the assembler says: its result and what is beside. One for all
    columns, or, where that does not fit and no cluster loads the right operand in parts, one for each panel."""
    if columns // 2 + beside > registers_at_start(point) and point["cluster"] == 1:
        columns = min(columns, PANEL)
    return columns // 2 + beside


def widest_product(family, point):
    """The most that an instruction of either product needs. That of values reads its left operand from registers."""
    values = -(-family.v_depth // STEP) * STEP + (8 if point["row_sums"] == "product" else 0)
    return max(product_instruction(point, point["block_n"], 26), product_instruction(point, values, 30))


def registers_at_start(point):
    """Registers of a thread before the roles exchange them."""
    return min(65536 // (32 * (point["warps"] + 4) * point["min_blocks"]) // 8 * 8, 255)


def pingpong_alone(family, point):
    if point["pingpong"] and point["warps"] == 4:
        return 0, "pingpong = true needs 8 or 12 warps, and there are 4"


def carried_scores(family, point):
    depth = max(family.qk_depth, family.v_depth)
    if point["carry_scores"] and family.feature not in ("plain", "lse"):
        return 0, "carry_scores = true is for feature plain or lse, and this one is %s; false works" % family.feature
    if point["carry_scores"] and depth > 128:
        return 0, "carry_scores = true is for depths up to 128, and the deepest is %d; false works" % depth


def equal_rows(family, point):
    if point["longest_first"] and family.mask == "full":
        return 0, "longest_first = true is for mask causal or window, and this one is full; false works"


def sums_by_product(family, point):
    if point["row_sums"] == "product" and family.v_depth % PANEL:
        return 0, "row_sums = product needs a depth of V that is a multiple of %d, and it is %d; add works" % (PANEL, family.v_depth)
    if point["row_sums"] == "product" and family.feature == "lse":
        return 0, "row_sums = product is not for feature lse; add works"


def part_of_depth(family, point):
    part = point["score_part"]
    if part % STEP or part >= family.qk_depth:
        return part, "score_part must be a multiple of %d below the depth %d of Q and K, and it is %d; 0 works" % (
            STEP, family.qk_depth, part)


def shared_keys(family, point):
    cluster, block = point["cluster"], point["block_n"]
    if cluster > 1 and family.mask != "full":
        return 0, "cluster = %d is for mask full, and this one is %s; 1 works" % (cluster, family.mask)
    if block % (8 * cluster) and cluster > 1:
        return cluster, "cluster = %d needs a block_n that is a multiple of %d, and it is %d" % (cluster, 8 * cluster, block)


def several_blocks(family, point):
    if point["min_blocks"] > 1 and (point["warps"] != 4 or point["cluster"] > 1):
        return 0, "min_blocks = %d needs warps = 4 and cluster = 1, and they are %d and %d" % (
            point["min_blocks"], point["warps"], point["cluster"])


def product_registers(family, point):
    needed, limit = widest_product(family, point), registers_at_start(point)
    if needed > limit:
        return needed - limit, "a product needs %d registers of a thread, which begins with %d; cluster = 1, fewer warps " \
            "or smaller block_n work" % (needed, limit)


def shared_memory(family, point):
    needed, limit = shared_bytes(family, point), SHARED_BYTES // point["min_blocks"] - RESERVED_BYTES
    if needed > limit:
        return needed - limit, "%d bytes of shared memory are needed at the least, of %d; fewer stages or warps, or smaller " \
            "block_n or min_blocks, work" % (needed, limit)


def thread_registers(family, point):
    needed = registers(family, point)
    limit = REGISTERS_OF_THREE if point["warps"] == 12 else REGISTERS_OF_BLOCKS.get(point["min_blocks"], REGISTERS)
    if needed > limit:
        return needed - limit, "about %d registers of a thread are needed at the least, of %d; smaller block_n or min_blocks, " \
            "warps = 4 or 8%s work" % (needed, limit, ", or score_part = 0" if point["score_part"] else "")


# What the compiler asks of a strategy, and what a multiprocessor has room for: each rule is None where a point of a family keeps
# to it, else by how much it does not and why. The first that is broken counts.
RULES = (pingpong_alone, carried_scores, equal_rows, sums_by_product, part_of_depth, shared_keys, several_blocks, product_registers,
         shared_memory, thread_registers)


def misfit(family, point):
    """(the rule that a point breaks, by how much, why), or None."""
    for number, rule in enumerate(RULES):
        broken = rule(family, point)
        if broken:
            return (number, *broken)
    return None


def points(family):
    """The points of all spaces of a family."""
    for space in family.spaces:
        ranges = {**RANGES, "score_part": [score_part(family)], **space}
        yield from (dict(zip(ranges, values)) for values in itertools.product(*ranges.values()))


def why_none(misfits):
    """The reasons for which no point fits, for each rule that of the point that is next to keeping it."""
    reasons = []
    for rule in sorted({rule for rule, _, _ in misfits}):
        own = [(excess, reason) for at, excess, reason in misfits if at == rule]
        reasons.append("%s%s" % ("%d of them: " % len(own) if len(own) < len(misfits) else "", min(own)[1]))
    return "; ".join(reasons)


def enumerate_strategies(family):
    """The texts of a family's strategies, each once."""
    tried = [(point, misfit(family, point)) for point in points(family)]
    found = list(dict.fromkeys(text(point) for point, broken in tried if not broken))
    if not found:
        raise TuneError("problem %s: no strategy of its ranges fits (%d tried): %s" %
                        (family.name(), len(tried), why_none([broken for _, broken in tried])))
    return found
