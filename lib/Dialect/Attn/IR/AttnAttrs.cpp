//===- AttnAttrs.cpp - Attributes of the attn dialect, target registry -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Target/Target.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

AffineExpr fovea::attn::getSymbolExpr(ProblemSymbol symbol, MLIRContext *context) {
  return getAffineSymbolExpr(static_cast<unsigned>(symbol), context);
}

/// What no processor has, and what would take hours to unroll, is refused before anything computes with it.
static LogicalResult verifySizes(function_ref<InFlightDiagnostic()> emitError, int64_t blockM, int64_t blockN,
                                 int64_t warps, int64_t stages, int64_t vectorBytes, int64_t cluster, int64_t scorePart,
                                 int64_t minBlocks) {
  auto check = [&](StringRef name, int64_t value, int64_t most) -> LogicalResult {
    if (value < 1 || value > most)
      return emitError() << "strategy " << name << " is " << value << ", must be from 1 to " << most;
    return success();
  };
  if (failed(check("block_m", blockM, 1024)) || failed(check("block_n", blockN, 1024)) ||
      failed(check("warps", warps, 32)) || failed(check("stages", stages, 64)) ||
      failed(check("vector_bytes", vectorBytes, 128)) || failed(check("cluster", cluster, 16)) ||
      failed(check("min_blocks", minBlocks, 4)))
    return failure();
  if (!llvm::isPowerOf2_64(vectorBytes))
    return emitError() << "strategy vector_bytes is " << vectorBytes << ", must be a power of two";
  if (scorePart < 0 || scorePart > 1024 || scorePart % 16 != 0)
    return emitError() << "strategy score_part is " << scorePart << ", must be a multiple of 16 from 0 to 1024";
  return success();
}

LogicalResult StrategyAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t blockM, int64_t blockN,
                                   int64_t warps, int64_t stages, int64_t vectorBytes, bool packHeads, bool splitKv,
                                   bool, DotUnit unit, bool overlap, bool persistent, Rescale rescale, int64_t cluster,
                                   bool pingpong, int64_t scorePart, RowSums rowSums, bool interleave,
                                   int64_t minBlocks, bool carryScores, bool longestFirst) {
  if (failed(verifySizes(emitError, blockM, blockN, warps, stages, vectorBytes, cluster, scorePart, minBlocks)))
    return failure();
  auto require = [&](bool uses, StringRef parameter, bool has, StringRef needed) -> LogicalResult {
    if (uses && !has)
      return emitError() << "strategy " << parameter << " needs " << needed;
    return success();
  };
  bool warpgroup = unit == DotUnit::Warpgroup, shares = cluster > 1 && !splitKv, several = minBlocks > 1;
  return success(
      succeeded(require(persistent, "persistent", !splitKv, "split_kv = false")) &&
      succeeded(require(persistent, "persistent", !packHeads, "pack_heads = false")) &&
      succeeded(require(rescale == Rescale::Optimistic, "rescale = optimistic", overlap, "overlap = true")) &&
      succeeded(require(shares, "cluster", persistent, "persistent = true, or split_kv = true")) &&
      succeeded(require(shares, "cluster", warpgroup, "unit = warpgroup, or split_kv = true")) &&
      succeeded(require(cluster > 1, "cluster", unit != DotUnit::Thread, "unit = warp or warpgroup")) &&
      succeeded(require(pingpong, "pingpong", warpgroup, "unit = warpgroup")) &&
      succeeded(require(rowSums == RowSums::Product, "row_sums = product", warpgroup, "unit = warpgroup")) &&
      succeeded(require(rowSums == RowSums::Product, "row_sums = product", overlap, "overlap = true")) &&
      succeeded(require(interleave, "interleave", warpgroup, "unit = warpgroup")) &&
      succeeded(require(interleave, "interleave", overlap, "overlap = true")) &&
      succeeded(require(several, "min_blocks", warpgroup, "unit = warpgroup")) &&
      succeeded(require(several, "min_blocks", warps == 4, "warps = 4")) &&
      succeeded(require(several, "min_blocks", cluster == 1, "cluster = 1")) &&
      succeeded(require(carryScores, "carry_scores", warpgroup, "unit = warpgroup")) &&
      succeeded(require(carryScores, "carry_scores", overlap, "overlap = true")) &&
      succeeded(require(carryScores, "carry_scores", persistent, "persistent = true")) &&
      succeeded(require(longestFirst, "longest_first", persistent, "persistent = true")));
}

StrategyAttr StrategyAttr::with(const StrategyChanges &changes) const {
  return get(getContext(), changes.blockM.value_or(getBlockM()), changes.blockN.value_or(getBlockN()),
             changes.warps.value_or(getWarps()), changes.stages.value_or(getStages()),
             changes.vectorBytes.value_or(getVectorBytes()), changes.packHeads.value_or(getPackHeads()),
             changes.splitKv.value_or(getSplitKv()), changes.roundP.value_or(getRoundP()),
             changes.unit.value_or(getUnit()), changes.overlap.value_or(getOverlap()),
             changes.persistent.value_or(getPersistent()), changes.rescale.value_or(getRescale()),
             changes.cluster.value_or(getCluster()), changes.pingpong.value_or(getPingpong()),
             changes.scorePart.value_or(getScorePart()), changes.rowSums.value_or(getRowSums()),
             changes.interleave.value_or(getInterleave()), changes.minBlocks.value_or(getMinBlocks()),
             changes.carryScores.value_or(getCarryScores()), changes.longestFirst.value_or(getLongestFirst()));
}

Target::~Target() = default;

const Target *TargetRegistry::lookup(StringRef backend) const {
  for (const std::unique_ptr<Target> &target : targets)
    if (target->getBackend() == backend)
      return target.get();
  return nullptr;
}

TargetAttr TargetRegistry::parse(StringRef name, function_ref<InFlightDiagnostic()> emitError) const {
  for (const std::unique_ptr<Target> &target : targets)
    if (TargetAttr attr = target->parse(getDialect()->getContext(), name))
      return attr;
  InFlightDiagnostic diag = emitError() << "unknown target '" << name << "'; known targets: ";
  SmallVector<std::string> names;
  for (const std::unique_ptr<Target> &target : targets)
    llvm::append_range(names, target->getKnownNames());
  llvm::interleave(
      names, [&](const std::string &known) { diag << known; }, [&] { diag << ", "; });
  return nullptr;
}

TargetRegistry &fovea::getTargetRegistry(MLIRContext *context) {
  return *context->getOrLoadDialect<AttnDialect>()->getRegisteredInterface<TargetRegistry>();
}
