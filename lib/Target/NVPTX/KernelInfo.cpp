//===- KernelInfo.cpp - The launch data of a kernel function -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelInfo.h"
#include "Layouts.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

attn::LaunchAttr nvptx::getLaunch(FunctionOpInterface function) {
  return function->getAttrOfType<attn::LaunchAttr>(attn::AttnDialect::getLaunchAttrName());
}

void nvptx::updateLaunch(FunctionOpInterface function, int64_t block, int64_t sharedBytes) {
  attn::LaunchAttr launch = getLaunch(function);
  function->setAttr(
      attn::AttnDialect::getLaunchAttrName(),
      attn::LaunchAttr::get(function.getContext(), launch.getGrid(), block, sharedBytes, launch.getScratchBytes()));
}

attn::StrategyAttr nvptx::getStrategy(FunctionOpInterface function) {
  return function->getAttrOfType<attn::StrategyAttr>(attn::kStrategyAttrName);
}

int64_t nvptx::getNumWarps(FunctionOpInterface function) {
  if (attn::StrategyAttr strategy = getStrategy(function))
    return strategy.getWarps();
  int64_t block = getLaunch(function).getBlock();
  return block >= 32 ? block / 32 : 4;
}

int64_t nvptx::getNumStages(FunctionOpInterface function) {
  attn::StrategyAttr strategy = getStrategy(function);
  return strategy ? std::max<int64_t>(strategy.getStages(), 1) : 2;
}

bool nvptx::isWarpgroupKernel(FunctionOpInterface function) {
  attn::StrategyAttr strategy = getStrategy(function);
  return strategy && strategy.getUnit() == attn::DotUnit::Warpgroup;
}

InFlightDiagnostic nvptx::emitUnevenRows(Operation *op, int64_t rows, int64_t warps) {
  return op->emitError() << "a tile of " << rows << " rows can't be spread over " << warps << " warps; a multiple of "
                         << kMmaRows * warps << " rows works";
}

LogicalResult nvptx::verifyAssigned(FunctionOpInterface function) {
  WalkResult result = function.walk([](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type); tile && !tile.getEncoding())
        return op->emitError() << "makes a tile without a layout, " << type
                               << "; attn-tile-assign-layouts gives it one";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
