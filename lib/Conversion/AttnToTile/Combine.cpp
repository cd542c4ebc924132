//===- Combine.cpp - attn.combine as a tile loop -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Softmax.h"
#include "Transfer.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// Merges one part into the state: its log-sum-exp is one more score, its output the value of that score.
static SoftmaxState mergePart(TileBuilder &b, SoftmaxState state, Value lse, Value output) {
  ScoreUnits units = ScoreUnits::natural();
  int64_t numColumns = getTileShape(output)[1];
  SoftmaxState next;
  next.max = arith::MaxNumFOp::create(b, state.max, lse);
  Value finite = replaceNegInf(b, next.max);
  Value rescale = units.buildRescale(b, state.max, finite), weight = units.buildRescale(b, lse, finite);
  next.sum = b.addF(b.mulF(state.sum, rescale), weight);
  Value weighted = b.mulF(output, b.broadcast(weight, numColumns));
  // An empty part weighs nothing, whatever its output holds.
  Value negInf = b.floatTile(getTileShape(lse), -std::numeric_limits<float>::infinity());
  Value isEmpty = b.compare(arith::CmpFPredicate::OEQ, lse, negInf);
  weighted = b.select(b.broadcast(isEmpty, numColumns), b.floatTile(getTileShape(output), 0.0), weighted);
  next.acc = b.addF(b.mulF(state.acc, b.broadcast(rescale, numColumns)), weighted);
  return next;
}

namespace {
/// What one part has of a block of rows.
struct PartRows {
  Value lse, output;
};
} // namespace

/// Loads a part. One that does not exist (`exists` is false; null: it does) is empty, and nothing of it is read.
static PartRows loadPart(TileBuilder &b, attn::CombineOp op, const Task &task, Value exists,
                         attn::StrategyAttr strategy) {
  Value limit = task.rowLimit;
  if (exists)
    limit = b.select(exists, limit ? limit : b.dim(op.getPartialLses(), 3), b.index(0));
  SmallVector<Value> indices = task.getIndices(/*partial=*/true);
  int64_t rowDim = task.getRowDim() + 1, rows = task.numRows;
  Value lse = b.convertFloat(loadRowValues(b, op.getPartialLses(), indices, limit, rowDim, rows), b.getF32Type());
  if (exists)
    lse = b.select(b.splat(exists, {rows}), lse, b.floatTile({rows}, -std::numeric_limits<float>::infinity()));
  Value output =
      loadRows(b, op.getPartialOutputs(), indices, limit, rowDim, rows, strategy.getBlockN(), strategy, task.column);
  return {lse, b.convertFloat(output, b.getF32Type())};
}

/// The loop over the parts of one block of rows, `stages` at a time, which are loaded before they are merged.
static SoftmaxState buildLoop(TileBuilder &b, attn::CombineOp op, Task &task, attn::StrategyAttr strategy) {
  int64_t rows = task.numRows;
  Value numParts = b.dim(op.getPartialOutputs(), 0);
  SmallVector<Value> initial{b.floatTile({rows}, -std::numeric_limits<float>::infinity()), b.floatTile({rows}, 0.0),
                             b.floatTile({rows, strategy.getBlockN()}, 0.0)};
  auto buildBody = [&](OpBuilder &nested, Location, Value first, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    SmallVector<PartRows> parts;
    for (int64_t i = 0; i < strategy.getStages(); ++i) {
      task.part = i ? b.add(first, b.index(i)) : first;
      Value exists = i ? b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, task.part, numParts) : Value();
      parts.push_back(loadPart(b, op, task, exists, strategy));
    }
    SoftmaxState state = SoftmaxState::fromValues(carried);
    for (const PartRows &part : parts)
      state = mergePart(b, state, part.lse, part.output);
    scf::YieldOp::create(b, state.toValues());
  };
  auto loop = scf::ForOp::create(b, b.index(0), numParts, b.index(strategy.getStages()), initial, buildBody);
  task.part = Value();
  return SoftmaxState::fromValues(loop.getResults());
}

LogicalResult fovea::conversion::convertCombine(attn::CombineOp op) {
  auto strategy = op->getAttrOfType<attn::StrategyAttr>(attn::kStrategyAttrName);
  if (!strategy)
    return op.emitOpError() << "in a kernel needs '" << attn::kStrategyAttrName << "'";
  if (!isa<MemRefType>(op.getOutput().getType()))
    return op.emitOpError() << "in a kernel works on memrefs, but got " << op.getOutput().getType();
  TileBuilder b(op.getLoc(), op);
  Task task = decodeCombineTask(b, op, strategy);
  SoftmaxState state = buildLoop(b, op, task, strategy);
  Value sink = op.getSink() ? loadSink(b, task, op.getSink()) : Value();
  auto [output, lse] = finishSoftmax(b, ScoreUnits::natural(), state, sink, static_cast<bool>(op.getLse()));
  storeResults(b, task, output, op.getOutput(), lse, op.getLse(), strategy);
  op.erase();
  return success();
}
