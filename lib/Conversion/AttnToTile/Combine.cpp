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

/// The loop over the parts of one block of rows.
static SoftmaxState buildLoop(TileBuilder &b, attn::CombineOp op, Task &task, attn::StrategyAttr strategy) {
  Value outputs = op.getPartialOutputs(), lses = op.getPartialLses();
  int64_t depth = getPaddedDepth(cast<MemRefType>(outputs.getType()).getShape().back()), rows = task.numRows;
  SmallVector<Value> initial{b.floatTile({rows}, -std::numeric_limits<float>::infinity()), b.floatTile({rows}, 0.0),
                             b.floatTile({rows, depth}, 0.0)};
  auto buildBody = [&](OpBuilder &nested, Location, Value part, ValueRange carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    task.part = part;
    SmallVector<Value> indices = task.getIndices(/*partial=*/true);
    int64_t rowDim = task.getRowDim() + 1;
    Value lse = loadRowValues(b, lses, indices, task.rowLimit, rowDim, rows);
    Value output = loadRows(b, outputs, indices, task.rowLimit, rowDim, rows, depth, strategy);
    SoftmaxState next = mergePart(b, SoftmaxState::fromValues(carried), b.convertFloat(lse, b.getF32Type()),
                                  b.convertFloat(output, b.getF32Type()));
    scf::YieldOp::create(b, next.toValues());
  };
  auto loop = scf::ForOp::create(b, b.index(0), b.dim(outputs, 0), b.index(1), initial, buildBody);
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
  Task task = decodeCombineTask(b, op, strategy.getBlockM());
  SoftmaxState state = buildLoop(b, op, task, strategy);
  Value sink = op.getSink() ? loadSink(b, task, op.getSink()) : Value();
  auto [output, lse] = finishSoftmax(b, ScoreUnits::natural(), state, sink, static_cast<bool>(op.getLse()));
  storeResults(b, task, output, op.getOutput(), lse, op.getLse(), strategy);
  op.erase();
  return success();
}
