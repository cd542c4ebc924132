//===- VerifyAsync.cpp - attn-tile-verify-async -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Tile/IR/Tile.h"
#include "fovea/Target/NVPTX/Passes.h"

namespace fovea::nvptx {
#define GEN_PASS_DEF_VERIFYASYNC
#include "fovea/Target/NVPTX/Passes.h.inc"
} // namespace fovea::nvptx

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// The wait for a product, or an error at the first use that is none.
static FailureOr<tile::AwaitDotsOp> findWait(tile::IssueDotOp issue) {
  tile::AwaitDotsOp wait;
  for (Operation *user : issue->getUsers()) {
    auto await = dyn_cast<tile::AwaitDotsOp>(user);
    if (!await)
      return user->emitError() << "uses the result of a product in flight; attn_tile.await_dots must come between";
    if (wait)
      return user->emitError() << "waits for a product that another wait has already given up";
    if (await->getBlock() != issue->getBlock())
      return user->emitError() << "waits in another block than the product was begun in";
    wait = await;
  }
  if (!wait)
    return issue.emitError() << "begins a product that nothing waits for";
  return wait;
}

/// Whether `op` changes what `tile` holds, or lets others change it.
static bool invalidates(Operation *op, Value tile) {
  return isa<tile::ReleaseOp, tile::ClearRowsOp>(op) && llvm::is_contained(op->getOperands(), tile);
}

/// Whether a wait for all products follows in the block, so that none is in flight at its end.
static bool isAwaitedInBlock(Operation *issue) {
  for (Operation *op = issue->getNextNode(); op; op = op->getNextNode())
    if (auto wait = dyn_cast<tile::AwaitDotsOp>(op); wait && wait.getPending() == 0)
      return true;
  return false;
}

/// Checks what stands between the begin of a product and its wait.
static LogicalResult verifyFlight(tile::IssueDotOp issue, tile::AwaitDotsOp wait) {
  int64_t begun = 0;
  for (Operation *op = issue->getNextNode(); op != wait; op = op->getNextNode()) {
    WalkResult result =
        op->walk(
            [&](Operation *inner) -> WalkResult {
              begun += inner == op && isa<tile::IssueDotOp>(inner);
              if (inner != op && isa<tile::IssueDotOp>(inner) && !isAwaitedInBlock(inner))
                return inner->emitError()
                       << "begins a product in a region while one is in flight around it, and no wait for all "
                          "products follows there";
              if (invalidates(inner, issue.getLhs()) || invalidates(inner, issue.getRhs()))
                return inner->emitError() << "changes a tile that a product in flight reads";
              return WalkResult::advance();
            });
    if (result.wasInterrupted())
      return failure();
  }
  int64_t pending = wait.getPending();
  if (pending > begun)
    return wait.emitError() << "lets " << pending << " products run on, but only " << begun
                            << " were begun after the one it waits for";
  return success();
}

static LogicalResult verifyDot(tile::IssueDotOp issue) {
  FailureOr<tile::AwaitDotsOp> wait = findWait(issue);
  if (failed(wait))
    return failure();
  if ((*wait)->isBeforeInBlock(issue))
    return (*wait)->emitError() << "waits for a product that is begun later";
  return verifyFlight(issue, *wait);
}

/// One release, in the tile's block, after every read; none of a tile that is awaited ahead.
static LogicalResult verifyTile(tile::AwaitTileOp tile) {
  tile::ReleaseOp release;
  for (Operation *user : tile->getUsers()) {
    auto op = dyn_cast<tile::ReleaseOp>(user);
    if (!op)
      continue;
    if (tile.getAhead())
      return op.emitError() << "releases a tile that is awaited once more";
    if (release)
      return op.emitError() << "releases a tile a second time";
    if (op->getBlock() != tile->getBlock())
      return op.emitError() << "releases a tile in another block than it was awaited in";
    if (op.getSlot() != tile.getSlot() || op.getBand() != tile.getBand())
      return op.emitError() << "releases another slot than the tile lies in";
    release = op;
  }
  if (!release && !tile.getAhead())
    return tile.emitError() << "is never released";
  for (Operation *user : tile->getUsers()) {
    Operation *ancestor = tile->getBlock()->findAncestorOpInBlock(*user);
    if (release && release->isBeforeInBlock(ancestor))
      return user->emitError() << "reads a tile after its release";
  }
  return success();
}

/// A turn is passed in its block, and before that nothing waits for the warpgroups that wait for it.
static LogicalResult verifyTurn(tile::AwaitTurnOp turn) {
  for (Operation *op = turn->getNextNode(); op; op = op->getNextNode()) {
    if (isa<tile::PassTurnOp>(op))
      return success();
    WalkResult result = op->walk([](Operation *inner) -> WalkResult {
      if (inner->hasTrait<tile::WaitsForOthers>())
        return inner->emitError() << "waits for warpgroups that wait for this one's turn";
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return turn.emitError() << "begins a turn that is not passed in its block";
}

namespace {
struct VerifyAsyncPass : nvptx::impl::VerifyAsyncBase<VerifyAsyncPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (auto issue = dyn_cast<tile::IssueDotOp>(op))
        return verifyDot(issue);
      if (auto tile = dyn_cast<tile::AwaitTileOp>(op))
        return verifyTile(tile);
      if (auto turn = dyn_cast<tile::AwaitTurnOp>(op))
        return verifyTurn(turn);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
