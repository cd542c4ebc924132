//===- StageMemory.cpp - Moves operands of dots to shared memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "KernelInfo.h"
#include "Layouts.h"
#include "Ring.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
#include "fovea/Target/NVPTX/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fovea::nvptx {
#define GEN_PASS_DEF_STAGEMEMORY
#include "fovea/Target/NVPTX/Passes.h.inc"
} // namespace fovea::nvptx

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// Replaces a load outside rings by a fetch in its place. Dots in rings wait for it by their ring's first wait.
static void stageResident(tile::LoadOp load, int64_t offset, const llvm::DenseSet<Operation *> &ringLoops) {
  ImplicitLocOpBuilder b(load.getLoc(), load);
  RankedTensorType type = getSharedTileType(load, offset, /*slots=*/1);
  Value slot = arith::ConstantIntOp::create(b, 0, 32);
  if (!isa<func::FuncOp>(load->getParentOp()))
    gpu::BarrierOp::create(b);
  createFetch(b, load, load.getIndices(), load.getRowLimit(), slot, type);
  tile::CommitFetchesOp::create(b);
  bool covered = llvm::all_of(load->getUsers(), [&](Operation *user) {
    for (Operation *parent = user->getParentOp(); parent; parent = parent->getParentOp())
      if (ringLoops.contains(parent))
        return true;
    return false;
  });
  if (!covered)
    tile::AwaitFetchesOp::create(b, 0);
  load.replaceAllUsesWith(tile::StagedOp::create(b, type, slot).getResult());
  load.erase();
}

namespace {
struct StageMemoryPass : nvptx::impl::StageMemoryBase<StageMemoryPass> {
  using StageMemoryBase::StageMemoryBase;

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    return success(succeeded(Pass::initializeOptions(text, report)) &&
                   succeeded(checkGivenOnce({&sharedLimit, &chip}, report)));
  }

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (getLaunch(function) && !isWarpgroupKernel(function) &&
          (failed(verifyAssigned(function)) || failed(stage(function))))
        return signalPassFailure();
  }

  /// Places the tiles of loads outside loops first and all rings behind them: rings take turns in the same memory.
  LogicalResult stage(func::FuncOp function) {
    SmallVector<RingChain> chains = collectRings(function);
    llvm::DenseSet<Operation *> ringLoops, ringLoads;
    for (RingChain &chain : chains)
      for (RingLoop &loop : chain.loops) {
        ringLoops.insert(loop.loop);
        ringLoads.insert(loop.loads.begin(), loop.loads.end());
      }
    int64_t offset = 0;
    SmallVector<tile::LoadOp> residents;
    function.walk([&](tile::LoadOp load) {
      auto type = cast<RankedTensorType>(load.getTile().getType());
      if (isa<tile::MmaOperandAttr>(type.getEncoding()) && !ringLoads.contains(load))
        residents.push_back(load);
    });
    for (tile::LoadOp load : residents) {
      int64_t bytes = getSharedBytes(load);
      stageResident(load, offset, ringLoops);
      offset += bytes;
    }
    int64_t stages = getNumStages(function), end = offset;
    for (RingChain &chain : chains)
      end = std::max(end, offset + stageRing(chain, offset, stages));
    function.walk([&](tile::ExchangeOp op) {
      // Nothing reads or writes the rings from here on.
      OpBuilder b(op);
      tile::AwaitFetchesOp::create(b, op.getLoc(), 0);
      end = std::max(end, placeExchange(op, getLaunch(function).getBlock()).back().getEnd());
    });
    if (end > sharedLimit)
      return function.emitError() << "the kernel needs " << end << " bytes of shared memory, but " << chip << " has "
                                  << sharedLimit.getValue()
                                  << " for a thread block; smaller tiles or fewer stages work";
    updateLaunch(function, getLaunch(function).getBlock(), end);
    return success();
  }
};
} // namespace
