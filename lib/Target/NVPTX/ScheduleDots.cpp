//===- ScheduleDots.cpp - attn-tile-schedule-dots -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelInfo.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "fovea/Target/NVPTX/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace fovea::nvptx {
#define GEN_PASS_DEF_SCHEDULEDOTS
#include "fovea/Target/NVPTX/Passes.h.inc"
} // namespace fovea::nvptx

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// The first operation of `value`'s block that uses it, itself or in a region.
static Operation *findFirstUser(Value value) {
  Block *block = value.getParentBlock();
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

/// The zero that parts of a product begin at: its accumulator where that is one.
static Value getZero(ImplicitLocOpBuilder &b, Value acc) {
  auto recompute = acc.getDefiningOp<tile::RecomputeOp>();
  if (matchPattern(recompute ? recompute.getValue() : acc, m_AnyZeroFloat()))
    return acc;
  auto type = cast<RankedTensorType>(acc.getType());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, b.getF32FloatAttr(0.0)));
}

/// Splits a product in parts. Two accumulators live at a time: the sum of the parts before and the one in flight. The
/// last part runs on like a whole product, and of two both do.
static void splitParts(tile::DotOp dot, Operation *user, int64_t part) {
  ImplicitLocOpBuilder b(dot.getLoc(), dot);
  Value zero = getZero(b, dot.getAcc()), sum;
  int64_t depth = cast<RankedTensorType>(dot.getLhs().getType()).getDimSize(1);
  SmallVector<Value> inFlight;
  auto join = [&] {
    for (Value &value : inFlight)
      value = tile::AwaitDotsOp::create(b, dot.getType(), value, /*pending=*/0);
    for (Value value : inFlight)
      sum = sum ? arith::AddFOp::create(b, sum, value).getResult() : value;
    inFlight.clear();
  };
  for (int64_t begin = 0; begin < depth; begin += part) {
    if (begin > part)
      join();
    auto range = b.getDenseI64ArrayAttr({begin, std::min(begin + part, depth)});
    inFlight.push_back(tile::IssueDotOp::create(b, dot.getType(), dot.getLhs(), dot.getRhs(), zero, /*under=*/Value(),
                                                dot.getTransposeRhs(), range));
  }
  b.setInsertionPoint(user);
  join();
  if (zero != dot.getAcc())
    sum = arith::AddFOp::create(b, dot.getAcc(), sum);
  dot.replaceAllUsesWith(sum);
  dot.erase();
}

/// Splits a product; the wait stands before the first user.
static void splitDot(tile::DotOp dot) {
  Operation *user = findFirstUser(dot.getResult());
  if (user && dot.getPart())
    return splitParts(dot, user, *dot.getPart());
  ImplicitLocOpBuilder b(dot.getLoc(), dot);
  auto issue = tile::IssueDotOp::create(b, dot.getType(), dot.getLhs(), dot.getRhs(), dot.getAcc(),
                                        /*under=*/Value(), dot.getTransposeRhs(), /*contracted=*/DenseI64ArrayAttr());
  if (user) {
    b.setInsertionPoint(user);
    dot.replaceAllUsesWith(tile::AwaitDotsOp::create(b, dot.getType(), issue, /*pending=*/0).getResult());
  }
  dot.erase();
}

/// Counts the products that each wait lets run on.
static void countPending(tile::AwaitDotsOp await) {
  int64_t pending = 0;
  for (Operation *op = await.getInFlight().getDefiningOp()->getNextNode(); op != await; op = op->getNextNode())
    pending += isa<tile::IssueDotOp>(op);
  await.setPending(pending);
}

/// The last operation of the tile's block after which nothing reads the tile: the wait for a product, or what holds it.
static Operation *findLastRead(tile::AwaitTileOp tile) {
  Block *block = tile->getBlock();
  Operation *last = tile;
  auto include = [&](Operation *op) {
    Operation *ancestor = block->findAncestorOpInBlock(*op);
    if (last->isBeforeInBlock(ancestor))
      last = ancestor;
  };
  for (Operation *user : tile->getUsers()) {
    include(user);
    if (isa<tile::IssueDotOp>(user))
      llvm::for_each(user->getUsers(), include);
  }
  return last;
}

/// The next wait for a product that was in flight already, or null.
static tile::AwaitDotsOp findNextWait(Operation *op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (isa<tile::IssueDotOp>(next) || next->getNumRegions() != 0)
      return {};
    if (auto wait = dyn_cast<tile::AwaitDotsOp>(next))
      return wait;
  }
  return {};
}

/// The last row sums before `op`, which depend on all that is computed under a product in flight.
static Value findLastRows(Operation *op) {
  for (Operation *previous = op->getPrevNode(); previous; previous = previous->getPrevNode())
    if (auto sum = dyn_cast<tile::RowReduceOp>(previous))
      return sum.getResult();
  return {};
}

/// Whether the product is one of the next task, whose wait stores and barriers keep behind themselves.
static bool isOfNextTask(tile::AwaitDotsOp wait) {
  auto issue = wait.getInFlight().getDefiningOp<tile::IssueDotOp>();
  auto left = issue ? issue.getLhs().getDefiningOp<tile::AwaitTileOp>() : tile::AwaitTileOp();
  return left && left.getAhead();
}

/// Where another product runs on, the release keeps its wait behind the work that its time is for.
static void releaseTile(tile::AwaitTileOp tile) {
  if (tile.getAhead())
    return;
  Operation *last = findLastRead(tile);
  ImplicitLocOpBuilder b(tile.getLoc(), tile.getContext());
  b.setInsertionPointAfter(last);
  Value after;
  auto wait = dyn_cast<tile::AwaitDotsOp>(last);
  tile::AwaitDotsOp next = wait && wait.getPending() > 0 ? findNextWait(last) : tile::AwaitDotsOp();
  if (next && !isOfNextTask(next)) {
    b.setInsertionPoint(next);
    after = findLastRows(next);
  }
  tile::ReleaseOp::create(b, tile, tile.getSlot(), tile.getBand(), after);
}

/// A left operand that a loop carries has the registers of the one before, which a product in flight still reads: it is
/// rounded behind the waits.
static void sinkCarriedOperand(tile::IssueDotOp issue) {
  auto argument = dyn_cast<BlockArgument>(issue.getLhs());
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || loop.getBody() != issue->getBlock())
    return;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(argument);
  Operation *op = yielded ? yielded->get().getDefiningOp() : nullptr;
  if (op && op->getBlock() == loop.getBody() && isPure(op) && op->hasOneUse())
    op->moveBefore(loop.getBody()->getTerminator());
}

/// The exponentials of a block's scores, in the loop's own code.
static math::Exp2Op findWeights(scf::ForOp loop) {
  for (auto weights : loop.getBody()->getOps<math::Exp2Op>())
    if (auto type = dyn_cast<RankedTensorType>(weights.getType()); type && type.getRank() == 2)
      return weights;
  return {};
}

/// Begins the product of values while the weights of the next block are computed. A thread begins its instructions in
/// order and waits for the tensor core at each, so that behind all of them its exponentials would come late.
static void interleave(scf::ForOp loop) {
  math::Exp2Op weights = findWeights(loop);
  auto issues = llvm::to_vector(loop.getBody()->getOps<tile::IssueDotOp>());
  if (!weights || issues.size() != 2 || !issues[1]->isBeforeInBlock(weights))
    return;
  issues[1]->moveAfter(weights);
  issues[1].getUnderMutable().assign(weights.getResult());
}

/// Where a warpgroup passes its turn: behind the products that it begins at once. Those that it begins under other work
/// let the next one go first, which may begin when the scores are there.
static Operation *findEndOfTurn(tile::IssueDotOp first, tile::IssueDotOp last) {
  return last.getUnder() ? *first->getUsers().begin() : last.getOperation();
}

/// Whether a loop between two ops of a block has products.
static bool haveLoopBetween(Operation *begin, Operation *end) {
  for (Operation *op = begin; op != end; op = op->getNextNode()) {
    WalkResult result = op->walk([](scf::ForOp loop) {
      return loop.getBody()->getOps<tile::IssueDotOp>().empty() ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

/// Warpgroups take turns at the products of each loop, so that one computes weights while another multiplies.
static void takeTurns(tile::RolesOp roles) {
  int64_t warpgroups = roles.getConsumers();
  ImplicitLocOpBuilder b(roles.getLoc(), roles.getContext());
  b.setInsertionPointToStart(&roles.getCompute().front());
  Value number = tile::WarpgroupOp::create(b, b.getI32Type());
  Value last = arith::ConstantIntOp::create(b, warpgroups - 1, 32);
  auto first = scf::IfOp::create(b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, last), false);
  b.setInsertionPointToStart(first.thenBlock());
  tile::PassTurnOp::create(b, number, warpgroups);
  roles.getCompute().walk([&](scf::ForOp loop) {
    auto issues = llvm::to_vector(loop.getBody()->getOps<tile::IssueDotOp>());
    if (issues.empty())
      return;
    Operation *end = findEndOfTurn(issues.front(), issues.back());
    // A turn around a loop of turns would never end.
    if (haveLoopBetween(issues.front(), end))
      return;
    b.setInsertionPoint(issues.front());
    tile::AwaitTurnOp::create(b, number, warpgroups);
    b.setInsertionPointAfter(end);
    tile::PassTurnOp::create(b, number, warpgroups);
  });
}

namespace {
struct ScheduleDotsPass : nvptx::impl::ScheduleDotsBase<ScheduleDotsPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (!getLaunch(function) || !isWarpgroupKernel(function))
        continue;
      function.walk([](tile::DotOp dot) { splitDot(dot); });
      if (getStrategy(function).getInterleave())
        function.walk([](scf::ForOp loop) { interleave(loop); });
      function.walk([](tile::AwaitDotsOp await) { countPending(await); });
      function.walk([](tile::AwaitTileOp tile) { releaseTile(tile); });
      function.walk([](tile::IssueDotOp issue) { sinkCarriedOperand(issue); });
      if (getStrategy(function).getPingpong())
        function.walk([](tile::RolesOp roles) { takeTurns(roles); });
    }
  }
};
} // namespace
