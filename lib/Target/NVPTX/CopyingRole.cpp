//===- CopyingRole.cpp - The warpgroup that begins bulk copies -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkRings.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
/// New code: what positions depend on, and the control flow around the loads of rings.
class CopyBuilder {
public:
  CopyBuilder(const BulkRings &kernel, Block *entry) : kernel(kernel), entry(entry) {}

  LogicalResult build(Block &from, ImplicitLocOpBuilder &b, IRMapping mapping, RingState &state);

private:
  LogicalResult buildFetch(tile::LoadOp load, ImplicitLocOpBuilder &b, IRMapping &mapping, RingState &state);
  LogicalResult buildLoop(scf::ForOp loop, ImplicitLocOpBuilder &b, IRMapping &mapping, RingState &state);
  LogicalResult buildBranch(scf::IfOp branch, ImplicitLocOpBuilder &b, IRMapping &mapping, RingState &state);
  FailureOr<Value> clonePosition(Value value, ImplicitLocOpBuilder &b, IRMapping &mapping);

  const BulkRings &kernel;
  /// The function's block, whose arguments both roles see.
  Block *entry;
};
} // namespace

/// Whether both roles can compute the op: scalars, loads of them, and loops over those.
static bool isScalarCode(Operation *op) {
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  auto isScalarBlock = [](Block &block) {
    return llvm::all_of(block.without_terminator(), [](Operation &nested) { return isScalarCode(&nested); });
  };
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return llvm::all_of(op->getRegions(), [&](Region &region) { return isScalarBlock(region.front()); });
  return op->getNumRegions() == 0 && (isMemoryEffectFree(op) || isa<memref::LoadOp>(op));
}

/// The value in the copying role: what it depends on is cloned where it is first needed.
FailureOr<Value> CopyBuilder::clonePosition(Value value, ImplicitLocOpBuilder &b, IRMapping &mapping) {
  if (Value mapped = mapping.lookupOrNull(value))
    return mapped;
  Operation *op = value.getDefiningOp();
  if (!op) {
    if (cast<BlockArgument>(value).getOwner() == entry)
      return value;
    return emitError(value.getLoc()) << "a position of a bulk copy depends on a value that a loop carries";
  }
  if (!isScalarCode(op))
    return op->emitError() << "a position of a bulk copy depends on " << op->getName();
  llvm::SetVector<Value> operands(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), operands);
  for (Value operand : operands)
    if (failed(clonePosition(operand, b, mapping)))
      return failure();
  b.clone(*op, mapping);
  return mapping.lookup(value);
}

LogicalResult CopyBuilder::buildFetch(tile::LoadOp load, ImplicitLocOpBuilder &b, IRMapping &mapping,
                                      RingState &state) {
  size_t number = *kernel.getRing(load);
  const BulkRing &ring = kernel.rings[number];
  if (ring.ahead && !load.getAhead())
    return success();
  SmallVector<Value> indices;
  for (Value index : load.getIndices()) {
    FailureOr<Value> clone = clonePosition(index, b, mapping);
    if (failed(clone))
      return failure();
    indices.push_back(*clone);
  }
  tile::BulkFetchOp::create(b, ring.map, indices, ring.getSlot(b, state[number]), ring.getPhase(b, state[number]),
                            ring.rowDim, ring.staged);
  state[number] = ring.getNext(b, state[number]);
  return success();
}

LogicalResult CopyBuilder::buildLoop(scf::ForOp loop, ImplicitLocOpBuilder &b, IRMapping &mapping, RingState &state) {
  SmallVector<Value> bounds;
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
    FailureOr<Value> clone = clonePosition(bound, b, mapping);
    if (failed(clone))
      return failure();
    bounds.push_back(*clone);
  }
  auto copy = scf::ForOp::create(b, bounds[0], bounds[1], bounds[2], state);
  ImplicitLocOpBuilder inside(b.getLoc(), copy.getBody(), copy.getBody()->end());
  IRMapping nested = mapping;
  nested.map(loop.getInductionVar(), copy.getInductionVar());
  RingState carried(copy.getRegionIterArgs().begin(), copy.getRegionIterArgs().end());
  if (failed(build(*loop.getBody(), inside, nested, carried)))
    return failure();
  scf::YieldOp::create(inside, carried);
  state.assign(copy.getResults().begin(), copy.getResults().end());
  return success();
}

LogicalResult CopyBuilder::buildBranch(scf::IfOp branch, ImplicitLocOpBuilder &b, IRMapping &mapping,
                                       RingState &state) {
  FailureOr<Value> condition = clonePosition(branch.getCondition(), b, mapping);
  if (failed(condition))
    return failure();
  auto copy = scf::IfOp::create(b, ValueRange(state).getTypes(), *condition, /*withElseRegion=*/true);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), copy->getRegions())) {
    ImplicitLocOpBuilder inside(b.getLoc(), &to.front(), to.front().end());
    RingState carried = state;
    if (!from.empty() && failed(build(from.front(), inside, mapping, carried)))
      return failure();
    scf::YieldOp::create(inside, carried);
  }
  state.assign(copy.getResults().begin(), copy.getResults().end());
  return success();
}

LogicalResult CopyBuilder::build(Block &from, ImplicitLocOpBuilder &b, IRMapping mapping, RingState &state) {
  for (Operation &op : from) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!(load && kernel.getRing(load)) && !(op.getNumRegions() > 0 && kernel.holdsLoad(&op)))
      continue;
    b.setLoc(op.getLoc());
    LogicalResult result = success();
    if (load)
      result = buildFetch(load, b, mapping, state);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      result = buildLoop(loop, b, mapping, state);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      result = buildBranch(branch, b, mapping, state);
    else
      return op.emitError() << "operands of dots can be loaded in scf.for and scf.if alone";
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult nvptx::buildCopies(const BulkRings &rings, ImplicitLocOpBuilder &b) {
  RingState state = rings.createState(b);
  func::FuncOp function = rings.function;
  Block &entry = function.getBody().front();
  return CopyBuilder(rings, &entry).build(entry, b, IRMapping(), state);
}
