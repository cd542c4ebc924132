//===- Ring.cpp - Rings of tiles in shared memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ring.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

int64_t nvptx::getSharedBytes(tile::LoadOp load) { return getSharedLayout(getTileType(load.getTile())).getBytes(); }

RankedTensorType nvptx::getSharedTileType(tile::LoadOp load, int64_t offset, int64_t slots) {
  RankedTensorType type = getTileType(load.getTile());
  SharedLayout layout = getSharedLayout(type);
  auto encoding =
      tile::SharedAttr::get(load.getContext(), offset, layout.getBytes(), layout.pitch, slots, layout.swizzle);
  return RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
}

void nvptx::createFetch(ImplicitLocOpBuilder &b, tile::LoadOp load, ValueRange indices, Value rowLimit, Value slot,
                        RankedTensorType type) {
  tile::FetchOp::create(b, load.getSource(), indices, rowLimit, load.getColLimit(), slot, load.getRowDim(),
                        load.getAlignment(), type);
}

//===----------------------------------------------------------------------===//
// Finding rings
//===----------------------------------------------------------------------===//

/// Whether an op of a position may be made anew for another iteration. No kernel writes what its positions are read
/// from.
static bool isRepeatable(Operation *op) { return (isPure(op) || isa<memref::LoadOp>(op)) && op->getNumRegions() == 0; }

/// Pairs of values that were compared already, and found equivalent or being compared.
using SeenPairs = llvm::DenseSet<std::pair<Value, Value>>;

/// Whether two values are computed alike: equal outside the loops, the induction variables inside.
static bool isEquivalent(Value lhs, Value rhs, scf::ForOp lhsLoop, scf::ForOp rhsLoop, SeenPairs &seen) {
  if (lhs == rhs || !seen.insert({lhs, rhs}).second)
    return true;
  if (lhs == lhsLoop.getInductionVar() || rhs == rhsLoop.getInductionVar())
    return lhs == lhsLoop.getInductionVar() && rhs == rhsLoop.getInductionVar();
  Operation *lhsOp = lhs.getDefiningOp(), *rhsOp = rhs.getDefiningOp();
  return lhsOp && rhsOp && lhsOp->getName() == rhsOp->getName() && lhsOp->getNumResults() == 1 && isRepeatable(lhsOp) &&
         lhsOp->getAttrDictionary() == rhsOp->getAttrDictionary() &&
         llvm::all_of_zip(lhsOp->getOperands(), rhsOp->getOperands(),
                          [&](Value l, Value r) { return isEquivalent(l, r, lhsLoop, rhsLoop, seen); });
}

static bool isSameLoad(tile::LoadOp lhs, tile::LoadOp rhs, scf::ForOp lhsLoop, scf::ForOp rhsLoop) {
  SeenPairs seen;
  return lhs.getSource() == rhs.getSource() && lhs.getTile().getType() == rhs.getTile().getType() &&
         lhs.getRowDim() == rhs.getRowDim() && lhs.getAlignment() == rhs.getAlignment() &&
         lhs.getColLimit() == rhs.getColLimit() &&
         llvm::all_of_zip(lhs.getIndices(), rhs.getIndices(),
                          [&](Value l, Value r) { return isEquivalent(l, r, lhsLoop, rhsLoop, seen); });
}

/// Whether `value`, which is visible after `loop` in its block, is so in front of it.
static bool isAvailableBefore(Value value, scf::ForOp loop) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  return !op || op->getBlock() != loop->getBlock() || op->isBeforeInBlock(loop);
}

/// Whether `next` walks on where the chain ends, with the same loads.
static bool continues(const RingChain &chain, const RingLoop &next) {
  const RingLoop &first = chain.loops.front(), &last = chain.loops.back();
  scf::ForOp a = last.loop, b = next.loop;
  return a->getBlock() == b->getBlock() && a.getUpperBound() == b.getLowerBound() && a.getStep() == b.getStep() &&
         isAvailableBefore(b.getUpperBound(), first.loop) &&
         llvm::all_of(next.loads,
                      [&](tile::LoadOp load) { return isAvailableBefore(load.getRowLimit(), first.loop); }) &&
         last.loads.size() == next.loads.size() &&
         llvm::all_of_zip(last.loads, next.loads, [&](auto l, auto r) { return isSameLoad(l, r, a, b); });
}

/// Whether `value` can be computed for another iteration: from the induction variable by pure operations and loads.
/// What is in `seen` can, or is being looked at.
static bool isFunctionOfIteration(Value value, scf::ForOp loop, llvm::DenseSet<Value> &seen) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar() || !seen.insert(value).second)
    return true;
  Operation *op = value.getDefiningOp();
  return op && isRepeatable(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isFunctionOfIteration(operand, loop, seen); });
}

static RingLoop collectLoop(scf::ForOp loop) {
  RingLoop ring{loop, {}};
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    llvm::DenseSet<Value> seen;
    bool movable =
        llvm::all_of(load.getIndices(), [&](Value index) { return isFunctionOfIteration(index, loop, seen); }) &&
        (!load.getRowLimit() || loop.isDefinedOutsideOfLoop(load.getRowLimit())) &&
        (!load.getColLimit() || loop.isDefinedOutsideOfLoop(load.getColLimit())) &&
        loop.isDefinedOutsideOfLoop(load.getSource());
    if (isa_and_nonnull<tile::MmaOperandAttr>(getTileType(load.getTile()).getEncoding()) && movable)
      ring.loads.push_back(load);
  }
  return ring;
}

SmallVector<RingChain> nvptx::collectRings(Operation *function) {
  SmallVector<RingChain> chains;
  function->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    RingLoop ring = collectLoop(loop);
    if (ring.loads.empty())
      return;
    if (chains.empty() || !continues(chains.back(), ring))
      chains.emplace_back();
    chains.back().loops.push_back(ring);
  });
  return chains;
}

//===----------------------------------------------------------------------===//
// Building rings
//===----------------------------------------------------------------------===//

namespace {
/// The ring of a chain while it is built.
class Ring {
public:
  Ring(RingChain &chain, int64_t offset, int64_t stages) : chain(chain), stages(stages), end(offset) {
    for (auto [index, load] : llvm::enumerate(chain.loops.front().loads)) {
      types.push_back(getSharedTileType(load, end, stages));
      end += stages * getSharedBytes(load);
      rowLimits.push_back(findRowLimit(index));
    }
    last = chain.loops.back().loop.getUpperBound();
  }

  int64_t getEnd() const { return end; }
  /// Begins the copies of the first `stages - 1` blocks in front of the chain.
  void buildPrologue();
  /// Rewrites one loop; `slot` is that of its first block, and becomes that of the next loop's.
  void rewriteLoop(RingLoop &ring, Value &slot);

private:
  /// A limit of load `index` that holds for the blocks of every loop.
  Value findRowLimit(size_t index) {
    for (RingLoop &loop : chain.loops)
      if (Value limit = loop.loads[index].getRowLimit())
        return limit;
    return {};
  }
  /// Fetches the block of iteration `iteration`, if there is one, into `slot`.
  void buildFetches(ImplicitLocOpBuilder &b, RingLoop &ring, Value iteration, Value slot);
  void fetchAll(ImplicitLocOpBuilder &b, RingLoop &ring, Value iteration, Value slot);
  Value buildSlot(ImplicitLocOpBuilder &b, int64_t slot) { return arith::ConstantIntOp::create(b, slot, 32); }
  /// `slot + step` around the ring.
  Value advance(ImplicitLocOpBuilder &b, Value slot, int64_t step);

  RingChain &chain;
  int64_t stages, end;
  SmallVector<RankedTensorType> types;
  SmallVector<Value> rowLimits;
  Value last;
};
} // namespace

/// Computes `value` of `loop`'s body for another value of its induction variable.
static Value cloneForIteration(ImplicitLocOpBuilder &b, Value value, scf::ForOp loop, IRMapping &mapping) {
  if (Value mapped = mapping.lookupOrNull(value))
    return mapped;
  if (loop.isDefinedOutsideOfLoop(value))
    return value;
  for (Value operand : value.getDefiningOp()->getOperands())
    cloneForIteration(b, operand, loop, mapping);
  b.clone(*value.getDefiningOp(), mapping);
  return mapping.lookup(value);
}

void Ring::fetchAll(ImplicitLocOpBuilder &b, RingLoop &ring, Value iteration, Value slot) {
  IRMapping mapping;
  mapping.map(ring.loop.getInductionVar(), iteration);
  for (auto [load, type, rowLimit] : llvm::zip_equal(ring.loads, types, rowLimits)) {
    SmallVector<Value> indices;
    for (Value index : load.getIndices())
      indices.push_back(cloneForIteration(b, index, ring.loop, mapping));
    createFetch(b, load, indices, rowLimit, slot, type);
  }
}

void Ring::buildFetches(ImplicitLocOpBuilder &b, RingLoop &ring, Value iteration, Value slot) {
  Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, iteration, last);
  auto guard = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
  ImplicitLocOpBuilder inside(b.getLoc(), guard.getThenRegion().front().getTerminator());
  fetchAll(inside, ring, iteration, slot);
  tile::CommitFetchesOp::create(b);
}

Value Ring::advance(ImplicitLocOpBuilder &b, Value slot, int64_t step) {
  if (stages == 1)
    return slot;
  if (stages == 2)
    return arith::XOrIOp::create(b, slot, buildSlot(b, 1));
  Value next = arith::AddIOp::create(b, slot, buildSlot(b, step));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, next, buildSlot(b, stages));
  Value wrapped = arith::SubIOp::create(b, next, buildSlot(b, stages));
  return arith::SelectOp::create(b, wraps, wrapped, next);
}

void Ring::buildPrologue() {
  RingLoop &first = chain.loops.front();
  ImplicitLocOpBuilder b(first.loop.getLoc(), first.loop);
  // Others may still read what the slots held before.
  gpu::BarrierOp::create(b);
  Value iteration = first.loop.getLowerBound();
  for (int64_t slot = 0; slot + 1 < stages; ++slot) {
    buildFetches(b, first, iteration, buildSlot(b, slot));
    iteration = arith::AddIOp::create(b, iteration, first.loop.getStep());
  }
}

void Ring::rewriteLoop(RingLoop &ring, Value &slot) {
  IRRewriter rewriter(ring.loop.getContext());
  auto newLoop = cast<scf::ForOp>(*ring.loop.replaceWithAdditionalYields(
      rewriter, slot, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> newArgs) -> SmallVector<Value> {
        ImplicitLocOpBuilder b(loc, builder);
        return {advance(b, newArgs.front(), 1)};
      }));
  ring.loop = newLoop;
  Value current = newLoop.getRegionIterArgs().back();
  ImplicitLocOpBuilder b(newLoop.getLoc(), newLoop.getBody(), newLoop.getBody()->begin());
  if (stages == 1) {
    gpu::BarrierOp::create(b);
    fetchAll(b, ring, newLoop.getInductionVar(), current);
    tile::CommitFetchesOp::create(b);
    tile::AwaitFetchesOp::create(b, 0);
  } else {
    tile::AwaitFetchesOp::create(b, stages - 2);
    Value distance = arith::MulIOp::create(b, newLoop.getStep(), arith::ConstantIndexOp::create(b, stages - 1));
    Value next = arith::AddIOp::create(b, newLoop.getInductionVar(), distance);
    buildFetches(b, ring, next, advance(b, current, stages - 1));
  }
  for (auto [load, type] : llvm::zip_equal(ring.loads, types))
    load.replaceAllUsesWith(tile::StagedOp::create(b, type, current).getResult());
  for (tile::LoadOp load : ring.loads)
    load.erase();
  slot = newLoop.getResults().back();
}

int64_t nvptx::stageRing(RingChain &chain, int64_t offset, int64_t stages) {
  Ring ring(chain, offset, stages);
  ring.buildPrologue();
  ImplicitLocOpBuilder b(chain.loops.front().loop.getLoc(), chain.loops.front().loop);
  Value slot = arith::ConstantIntOp::create(b, 0, 32);
  for (RingLoop &loop : chain.loops)
    ring.rewriteLoop(loop, slot);
  return ring.getEnd() - offset;
}
