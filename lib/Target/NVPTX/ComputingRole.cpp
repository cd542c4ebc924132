//===- ComputingRole.cpp - The warpgroups that use what was copied -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkRings.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
/// Rewrites the function's own code in place.
class LoadRewriter {
public:
  LoadRewriter(const BulkRings &kernel, Value warpgroup) : kernel(kernel), warpgroup(warpgroup) {}

  void rewrite(Block &block, RingState &state);
  void rewriteStore(const BulkStore &store);

private:
  void rewriteLoad(tile::LoadOp load, RingState &state);
  void rewriteLoop(scf::ForOp loop, RingState &state);
  void rewriteBranch(scf::IfOp branch, RingState &state);

  const BulkRings &kernel;
  Value warpgroup;
};
} // namespace

void LoadRewriter::rewriteLoad(tile::LoadOp load, RingState &state) {
  size_t number = *kernel.getRing(load);
  const BulkRing &ring = kernel.rings[number];
  ImplicitLocOpBuilder b(load.getLoc(), load);
  Value band = ring.parts > 1 ? warpgroup : Value();
  auto tile = tile::AwaitTileOp::create(b, ring.staged, ring.getSlot(b, state[number]), ring.getPhase(b, state[number]),
                                        band, load.getAhead());
  load.replaceAllUsesWith(tile.getTile());
  if (load.getAhead()) {
    load.erase();
    return;
  }
  if (load.getRowLimit() && !isSizeOf(load.getRowLimit(), load.getSource(), ring.rowDim) && ring.parts == 1)
    tile::ClearRowsOp::create(b, tile, load.getIndices()[ring.rowDim], load.getRowLimit());
  state[number] = ring.getNext(b, state[number]);
  load.erase();
}

void LoadRewriter::rewriteStore(const BulkStore &bulk) {
  tile::StoreOp store = bulk.store;
  const BulkRing &staging = bulk.staging;
  ImplicitLocOpBuilder b(store.getLoc(), store);
  tile::BulkStoreOp::create(b, store.getTile(), staging.map, store.getIndices(), warpgroup, staging.rowDim,
                            staging.staged);
  store.erase();
}

void LoadRewriter::rewriteLoop(scf::ForOp loop, RingState &state) {
  IRRewriter rewriter(loop.getContext());
  auto newLoop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, state, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> newArgs) { return SmallVector<Value>(newArgs); }));
  size_t count = state.size();
  auto arguments = newLoop.getRegionIterArgs().take_back(count);
  RingState carried(arguments.begin(), arguments.end());
  rewrite(*newLoop.getBody(), carried);
  Operation *yield = newLoop.getBody()->getTerminator();
  yield->setOperands(yield->getNumOperands() - count, count, carried);
  auto results = newLoop.getResults().take_back(count);
  state.assign(results.begin(), results.end());
}

void LoadRewriter::rewriteBranch(scf::IfOp branch, RingState &state) {
  ImplicitLocOpBuilder b(branch.getLoc(), branch);
  SmallVector<Type> types(branch.getResultTypes());
  llvm::append_range(types, ValueRange(state).getTypes());
  auto copy = scf::IfOp::create(b, types, branch.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), copy->getRegions())) {
    to.takeBody(from);
    if (to.empty()) {
      ImplicitLocOpBuilder inside(b.getLoc(), b.getContext());
      inside.setInsertionPointToEnd(&to.emplaceBlock());
      scf::YieldOp::create(inside);
    }
    RingState carried = state;
    rewrite(to.front(), carried);
    Operation *yield = to.front().getTerminator();
    yield->insertOperands(yield->getNumOperands(), carried);
  }
  branch->replaceAllUsesWith(copy.getResults().drop_back(state.size()));
  branch.erase();
  auto results = copy.getResults().take_back(state.size());
  state.assign(results.begin(), results.end());
}

void LoadRewriter::rewrite(Block &block, RingState &state) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && kernel.getRing(load))
      rewriteLoad(load, state);
    else if (auto loop = dyn_cast<scf::ForOp>(op); loop && kernel.holdsLoad(loop))
      rewriteLoop(loop, state);
    else if (auto branch = dyn_cast<scf::IfOp>(op); branch && kernel.holdsLoad(branch))
      rewriteBranch(branch, state);
  }
}

void nvptx::rewriteForComputing(const BulkRings &rings, Block &block, Value warpgroup) {
  ImplicitLocOpBuilder b(rings.function->getLoc(), rings.function->getContext());
  b.setInsertionPointAfterValue(warpgroup);
  RingState state = rings.createState(b);
  LoadRewriter rewriter(rings, warpgroup);
  rewriter.rewrite(block, state);
  for (const BulkStore &store : rings.stores)
    rewriter.rewriteStore(store);
}
