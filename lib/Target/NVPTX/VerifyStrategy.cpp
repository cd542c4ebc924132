//===- VerifyStrategy.cpp - Which strategies have kernels on a GPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "RoleRegisters.h"
#include "Strategy.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

ProductInstruction ProductInstruction::get(attn::StrategyAttr strategy, int64_t columns, bool lhsInRegisters) {
  // A thread holds two rows' quarter of a result, of the left operand as many registers as an instruction reads, and
  // what was found that the assembler keeps beside: it names the least number that it takes.
  constexpr int64_t kBeside = 26, kLeftOperand = 4, kPool = 65536, kMost = 255;
  int64_t threads = 32 * (strategy.getWarps() + kWarpsOfGroup) * strategy.getMinBlocks();
  int64_t others = kBeside + (lhsInRegisters ? kLeftOperand : 0);
  int64_t atStart = std::min(kPool / threads / 8 * 8, kMost);
  // Where a cluster loads a tile in parts its panels are not behind one another.
  if (columns / 2 + others > atStart && strategy.getCluster() == 1)
    columns = std::min(columns, SwizzledLayout::kPanelCols);
  return {columns, columns / 2 + others, atStart};
}

ProductInstruction ProductInstruction::getWidest(attn::StrategyAttr strategy, int64_t vDepth) {
  int64_t sums = strategy.getRowSums() == attn::RowSums::Product ? kMmaCols : 0;
  ProductInstruction scores = get(strategy, strategy.getBlockN(), /*lhsInRegisters=*/false);
  ProductInstruction values = get(strategy, roundUp(vDepth, 16) + sums, /*lhsInRegisters=*/true);
  return scores.registers > values.registers ? scores : values;
}

LogicalResult nvptx::verifyWarpgroups(attn::StrategyAttr strategy, StringRef chipName,
                                      function_ref<InFlightDiagnostic()> emitError) {
  if (const Chip *chip = lookupChip(chipName); chip && !chip->warpgroups)
    return emitError() << chipName << " has no products of warpgroups; a strategy with unit = warp works";
  int64_t warps = strategy.getWarps(), rows = kWarpgroupRows * warps / kWarpsOfGroup;
  if (warps % kWarpsOfGroup != 0 || warps > 3 * kWarpsOfGroup)
    return emitError() << "a strategy with unit = warpgroup needs 4, 8 or 12 warps, but this one has " << warps;
  if (strategy.getBlockM() != rows)
    return emitError() << "a strategy with unit = warpgroup and " << warps << " warps needs block_m = " << rows
                       << ", but this one has " << strategy.getBlockM();
  if (strategy.getBlockN() % 16 != 0 || strategy.getBlockN() > 256)
    return emitError() << "a strategy with unit = warpgroup needs a block_n that is a multiple of 16 up to 256,"
                       << " but this one has " << strategy.getBlockN();
  if (strategy.getPingpong() && warps < 2 * kWarpsOfGroup)
    return emitError() << "a strategy with pingpong needs 8 or 12 warps, but this one has " << warps;
  if (!strategy.getSplitKv() && strategy.getBlockN() % (8 * strategy.getCluster()) != 0)
    return emitError() << "a cluster of " << strategy.getCluster() << " needs a block_n that is a multiple of "
                       << 8 * strategy.getCluster() << ", but this strategy has " << strategy.getBlockN();
  return success();
}

/// Checks a strategy whose products are those of warps.
static LogicalResult verifyWarps(attn::StrategyAttr strategy, const Chip &chip,
                                 function_ref<InFlightDiagnostic()> emitError) {
  int64_t warps = strategy.getWarps(), rows = kMmaRows * warps;
  if (strategy.getBlockM() % rows != 0)
    return emitError() << "a strategy with " << warps << " warps needs a block_m that is a multiple of " << rows
                       << ", but this one has " << strategy.getBlockM();
  if (strategy.getBlockN() % 16 != 0)
    return emitError() << "a strategy for a GPU needs a block_n that is a multiple of 16, but this one has "
                       << strategy.getBlockN();
  if (strategy.getCluster() > 1 && !chip.clusters)
    return emitError() << chip.name << " has no clusters of thread blocks, but this strategy has one of "
                       << strategy.getCluster() << "; cluster = 1 works";
  if (strategy.getOverlap())
    return emitError()
           << "a strategy with overlap needs unit = warpgroup: products of warps don't run beside other code";
  return success();
}

LogicalResult nvptx::verifyStrategy(attn::AttentionOp op, const Chip &chip) {
  attn::StrategyAttr strategy = *op.getStrategy();
  auto emitError = [&] { return op.emitError(); };
  bool isHalf = op.getQueryType().getElementTypeBitWidth() == 16;
  if (isHalf && !strategy.getRoundP())
    return emitError() << "a strategy for " << op.getQueryType().getElementType() << " on a GPU needs round_p = true";
  if (strategy.getUnit() == attn::DotUnit::Warp)
    return verifyWarps(strategy, chip, emitError);
  if (!isHalf)
    return emitError() << "a strategy with unit = warpgroup needs elements of 16 bits, but the query has "
                       << op.getQueryType().getElementType() << "; unit = warp works";
  if (failed(verifyWarpgroups(strategy, chip.name, emitError)))
    return failure();
  if (int64_t panel = SwizzledLayout::kPanelCols;
      strategy.getRowSums() == attn::RowSums::Product && op.getVDepth() % panel != 0)
    return emitError() << "a strategy with row_sums = product needs a depth of V that is a multiple of " << panel
                       << ", but it is " << op.getVDepth() << "; row_sums = add works";
  ProductInstruction widest = ProductInstruction::getWidest(strategy, op.getVDepth());
  if (widest.fits())
    return success();
  return emitError() << "a product of " << widest.columns << " columns needs " << widest.registers
                     << " registers of a thread, which has " << widest.atStart << " where a block of "
                     << strategy.getWarps() + kWarpsOfGroup << " warps starts and a multiprocessor holds "
                     << strategy.getMinBlocks() << "; cluster = 1, fewer warps or smaller block_n work";
}
