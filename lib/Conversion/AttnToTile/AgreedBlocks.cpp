//===- AgreedBlocks.cpp - Blocks whose pairs agree on choices -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AgreedBlocks.h"
#include "BlockOperand.h"
#include "fovea/Dialect/Attn/Transforms/IntervalBuilder.h"
#include "fovea/Dialect/Attn/Transforms/ScoreShape.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

namespace {
/// Evaluates the choices on intervals of keys.
class AgreementFinder {
public:
  AgreementFinder(TileBuilder &b, attn::AttentionOp op, const Task &task, ArrayRef<Value> choices)
      : b(b), op(op), task(task), choices(choices), blockSize(b.index(op.getStrategy()->getBlockN())) {}

  /// The choices at the keys from `begin` to below `end`.
  SmallVector<attn::Interval> evaluate(Value begin, Value end);
  /// What they are where all pairs of these keys agree.
  SmallVector<Value> getValues(Value begin, Value end) {
    return llvm::map_to_vector(evaluate(begin, end), [](const attn::Interval &choice) { return choice.lo; });
  }
  /// The number of blocks beside `begin`, or with `fromRight` beside `end`, whose pairs agree.
  Value count(Value begin, Value end, bool fromRight);

private:
  Value agrees(Value begin, Value end);

  TileBuilder &b;
  attn::AttentionOp op;
  const Task &task;
  ArrayRef<Value> choices;
  Value blockSize;
};
} // namespace

SmallVector<attn::Interval> AgreementFinder::evaluate(Value begin, Value end) {
  attn::IntervalBuilder intervals(b, /*maxLoads=*/1);
  auto shift = [&](unsigned dim, Value value) { return b.add(getBase(b, op, dim), value); };
  Value lastKey = b.sub(end, b.index(1));
  SmallVector<attn::Interval> arguments = {attn::Interval(), intervals.getPosition(shift(0, task.batch)),
                                           intervals.getPosition(shift(1, task.head)),
                                           intervals.getPositions(shift(2, task.query), shift(2, task.lastQuery)),
                                           intervals.getPositions(shift(3, begin), shift(3, lastKey))};
  return intervals.evaluate(op.getScoreMod(), arguments, choices);
}

Value AgreementFinder::agrees(Value begin, Value end) {
  Value all;
  for (const attn::Interval &choice : evaluate(begin, end)) {
    Value own = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, choice.lo, choice.hi);
    all = all ? b.createOrFold<arith::AndIOp>(all, own) : own;
  }
  return all;
}

/// Fewer blocks agree where more do. The search looks near all of them first, where regions by distance have their
/// bound, and then halves what is left: `least` agree, more than `most` don't.
Value AgreementFinder::count(Value begin, Value end, bool fromRight) {
  Value total = b.floorDiv(b.max(b.sub(end, begin), b.index(0)), blockSize);
  Type index = b.getIndexType();
  auto loop = scf::WhileOp::create(b, TypeRange{index, index, index}, ValueRange{b.index(0), total, b.index(0)});
  SmallVector<Location> locations(3, b.getLoc());
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, loop.getResultTypes(), locations);
  ValueRange state = before->getArguments();
  Value isOpen = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, state[0], state[1]);
  scf::ConditionOp::create(b, isOpen, state);
  Block *after = b.createBlock(&loop.getAfter(), {}, loop.getResultTypes(), locations);
  Value least = after->getArgument(0), most = after->getArgument(1), step = after->getArgument(2);
  Value middle = b.add(least, b.floorDiv(b.add(b.sub(most, least), b.index(1)), b.index(2)));
  Value probe = b.max(middle, b.sub(most, step)), keys = b.mul(probe, blockSize);
  Value holds = fromRight ? agrees(b.sub(end, keys), end) : agrees(begin, b.add(begin, keys));
  scf::YieldOp::create(b, ValueRange{b.select(holds, probe, least), b.select(holds, most, b.sub(probe, b.index(1))),
                                     b.add(b.add(step, step), b.index(1))});
  return loop.getResult(0);
}

std::optional<AgreedBlocks> fovea::conversion::findAgreedBlocks(TileBuilder &b, attn::AttentionOp op, const Task &task,
                                                                const KeyRange &range, Value begin, Value end) {
  attn::ScoreShape shape = attn::ScoreShape::of(op.getScoreMod());
  attn::StrategyAttr strategy = *op.getStrategy();
  if (shape.kind != attn::ScoreShape::Kind::Choices || task.packed)
    return std::nullopt;
  // A block of a cluster may have no query. Only overlapped loops are in a branch for tasks that have a pair, without
  // which nothing may be read.
  if (strategy.getCluster() > 1 || (shape.choicesRead && !strategy.getOverlap()))
    return std::nullopt;
  AgreedBlocks agreed;
  agreed.choices = shape.choices;
  AgreementFinder finder(b, op, task, agreed.choices);
  if (!llvm::all_of(finder.evaluate(begin, end), [](const attn::Interval &choice) { return choice.isKnown(); }))
    return std::nullopt;
  Value blockSize = b.index(strategy.getBlockN());
  agreed.leftEnd = b.add(begin, b.mul(finder.count(begin, end, /*fromRight=*/false), blockSize));
  agreed.left = finder.getValues(begin, agreed.leftEnd);
  // Where keys are bounded on the right, by the query, the blocks there are near it.
  agreed.hasRight = !range.high;
  agreed.rightBegin = end;
  if (agreed.hasRight) {
    Value count = finder.count(agreed.leftEnd, end, /*fromRight=*/true);
    agreed.rightBegin = b.sub(end, b.mul(count, blockSize));
    agreed.right = finder.getValues(agreed.rightBegin, end);
  }
  return agreed;
}
