//===- AttentionBuilder.cpp - The op that a match stands for -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"
#include "Conditions.h"
#include "Relayout.h"
#include "TermEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;
using Kind = Term::Kind;

/// Looks through reshapes and broadcasts only.
static Expr findSource(Expressions &expressions, Expr term) {
  while (term->isA(Kind::Element)) {
    Expr next = expressions.expand(term);
    while (next && next->isApply<arith::ExtFOp>())
      next = next->lhs();
    if (!next || !next->isA(Kind::Element) || !expressions.coversTensor(next))
      break;
    term = next;
  }
  return term;
}

AttentionBuilder::AttentionBuilder(OpBuilder &builder, Expressions &expressions, const AttentionMatch &match)
    : b(match.root.getLoc(), builder), expressions(expressions), match(match),
      conditions(splitConditions(expressions, match.conditions)), score(match.score) {
  b.setInsertionPoint(match.root.getDefiningOp());
  chooseGroups();
  if (match.sink)
    sink = findSource(expressions, match.sink);
}

//===----------------------------------------------------------------------===//
// Which loop is which dimension
//===----------------------------------------------------------------------===//

static llvm::SmallSetVector<LoopId, 8> getLoops(const LoopSpace &loops, ArrayRef<Position> at) {
  llvm::SmallSetVector<LoopId, 8> result;
  for (const Position &position : loops.flattenAll(at))
    result.insert(position.begin(), position.end());
  return result;
}

/// Queries are the rows whose position a mask compares with the key's; where none does, the innermost.
LoopId AttentionBuilder::chooseQueryLoop(ArrayRef<LoopId> candidates) {
  llvm::SetVector<LoopId> indexed;
  for (const Condition &condition : conditions)
    collectIndexLoops(expressions, condition.value, indexed);
  collectIndexLoops(expressions, score, indexed);
  for (LoopId loop : llvm::reverse(candidates))
    if (indexed.contains(loop))
      return loop;
  return candidates.back();
}

/// Loops of keys or values are batch and KV heads, the last of them the heads; others are queries and the heads of a
/// group.
void AttentionBuilder::chooseGroups() {
  const LoopSpace &loops = expressions.loops;
  auto ofKeys = getLoops(loops, match.key.at), ofValues = getLoops(loops, match.value.at);
  Position shared, rows;
  for (LoopId loop : getLoops(loops, match.rootAt)) {
    if (llvm::is_contained(match.valueLoops, loop))
      continue;
    bool isShared = ofKeys.contains(loop) || ofValues.contains(loop);
    (isShared ? shared : rows).push_back(loop);
  }
  if (!rows.empty()) {
    queries = {chooseQueryLoop(rows)};
    llvm::erase(rows, queries.front());
  }
  if (shared.size() > 1 || (!shared.empty() && !rows.empty()))
    kvHeads = {shared.pop_back_val()};
  batch = shared;
  heads = kvHeads;
  heads.append(rows);
  keys = match.keyLoops;
}

//===----------------------------------------------------------------------===//
// Scale, bias and mask
//===----------------------------------------------------------------------===//

/// The factors that are not numbers, times the number; null if there are none.
Value AttentionBuilder::buildScale() {
  if (match.factors.empty())
    return Value();
  TermEmitter emitter(b, b, expressions);
  Value scale;
  if (match.constantFactor != 1)
    scale = arith::ConstantOp::create(b, b.getF32FloatAttr(match.constantFactor));
  for (const Factor &factor : match.factors) {
    Value value = emitter.emit(factor.value);
    if (!scale && !factor.divides) {
      scale = value;
      continue;
    }
    if (!scale)
      scale = arith::ConstantOp::create(b, b.getF32FloatAttr(1));
    scale = factor.divides ? Value(arith::DivFOp::create(b, scale, value)) : arith::MulFOp::create(b, scale, value);
  }
  return scale;
}

/// Whether a term is the element of a whole tensor of no special kind: an operand of the op.
static bool isWholeTensor(const Expressions &expressions, Expr term) {
  return term->isA(Kind::Element) && expressions.coversTensor(term) &&
         !cast<RankedTensorType>(term->value.getType()).getEncoding();
}

/// Whether a term is an element of a tensor that is the whole of each of batch, heads, queries and keys, or constant
/// along it.
bool AttentionBuilder::isBroadcast(Expr term) {
  if (!isWholeTensor(expressions, term))
    return false;
  auto loops = getLoops(expressions.loops, term->at);
  size_t known = 0;
  for (const Position &group : {batch, heads, queries, keys}) {
    size_t present = llvm::count_if(group, [&](LoopId loop) { return loops.contains(loop); });
    if (present != 0 && present != group.size())
      return false;
    known += present;
  }
  size_t all = 0;
  for (const Position &position : expressions.loops.flattenAll(term->at))
    all += position.size();
  return known == all && all == loops.size();
}

/// A tensor [B or 1, Hq or 1, Sq or 1, Skv or 1].
Value AttentionBuilder::buildBroadcast(Expr element) {
  auto loops = getLoops(expressions.loops, element->at);
  Positions at;
  for (const Position &group : {batch, heads, queries, keys})
    at.push_back(llvm::all_of(group, [&](LoopId loop) { return loops.contains(loop); }) ? group : Position());
  return relayout(b, expressions.loops, element->value, element->at, at);
}

bool AttentionBuilder::hasFittingSink() const {
  if (!sink)
    return true;
  auto loops = sink->isA(Kind::Element) ? getLoops(expressions.loops, sink->at) : llvm::SmallSetVector<LoopId, 8>();
  return isWholeTensor(expressions, sink) && sink->type.isF32() &&
         llvm::all_of(loops, [&](LoopId loop) { return llvm::is_contained(heads, loop); });
}

/// A tensor [Hq].
Value AttentionBuilder::buildSink() {
  return sink ? relayout(b, expressions.loops, sink->value, sink->at, {heads}) : Value();
}

/// A tensor added last is the bias; one that is computed from positions is left to the region, as it need not exist.
bool AttentionBuilder::takeBias() {
  Expr sum = expressions.resolveCasts(score);
  if (!sum->isApply<arith::AddFOp>())
    return false;
  for (auto [rest, added] : {std::pair(sum->lhs(), sum->rhs()), std::pair(sum->rhs(), sum->lhs())}) {
    while (added->isApply<arith::ExtFOp, arith::TruncFOp>())
      added = added->lhs();
    Expr source = findSource(expressions, added);
    llvm::SetVector<LoopId> indexed;
    collectIndexLoops(expressions, source, indexed);
    bool isScore = source->isA(Kind::Element) && expressions.resolveCasts(source) == match.scaledDot;
    if (isScore || !isBroadcast(source) || !indexed.empty() || expressions.reaches(added, match.dot))
      continue;
    bias = source;
    score = rest;
    return true;
  }
  return false;
}

/// The first condition that is an element of a tensor.
bool AttentionBuilder::takeMask() {
  for (auto *it = conditions.begin(); it != conditions.end(); ++it) {
    Expr source = findSource(expressions, it->value);
    if (it->isNegated || !isBroadcast(source))
      continue;
    mask = source;
    conditions.erase(it);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void AttentionBuilder::buildRegion(Region &region, bool isScore,
                                   function_ref<Value(ImplicitLocOpBuilder &, TermEmitter &)> build) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(4, b.getIndexType());
  if (isScore)
    types.insert(types.begin(), b.getF32Type());
  Block *block = b.createBlock(&region, {}, types, SmallVector<Location>(types.size(), b.getLoc()));
  ImplicitLocOpBuilder inner(b.getLoc(), b.getContext());
  inner.setInsertionPointToStart(block);
  b.setInsertionPoint(region.getParentOp());
  TermEmitter emitter(b, inner, expressions);
  const Position groups[] = {batch, heads, queries, keys};
  for (auto [group, index] : llvm::zip(groups, block->getArguments().take_back(4)))
    emitter.bind(group, index);
  if (isScore)
    emitter.bind(match.scaledDot, block->getArgument(0));
  Value result = build(inner, emitter);
  attn::YieldOp::create(inner, result);
}

void AttentionBuilder::buildScoreRegion(attn::AttentionOp op) {
  if (expressions.resolveCasts(score) == match.scaledDot)
    return;
  buildRegion(op.getScoreMod(), /*isScore=*/true,
              [&](ImplicitLocOpBuilder &, TermEmitter &emitter) { return emitter.emit(score); });
}

void AttentionBuilder::buildMaskRegion(attn::AttentionOp op) {
  if (conditions.empty())
    return;
  buildRegion(op.getMaskMod(), /*isScore=*/false, [&](ImplicitLocOpBuilder &inner, TermEmitter &emitter) {
    Value all;
    for (const Condition &condition : conditions) {
      Value keep = emitter.emit(condition.value);
      if (condition.isNegated)
        keep = arith::XOrIOp::create(inner, keep, arith::ConstantIntOp::create(inner, inner.getI1Type(), 1));
      all = all ? Value(arith::AndIOp::create(inner, all, keep)) : keep;
    }
    return all;
  });
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

Value AttentionBuilder::cast(Value value, Type type) {
  return value.getType() == type ? value : tensor::CastOp::create(b, type, value).getResult();
}

AttentionBuilder::Result AttentionBuilder::build() {
  const LoopSpace &loops = expressions.loops;
  auto place = [&](const OperandMatch &operand, ArrayRef<Position> at) {
    return relayout(b, loops, operand.tensor, operand.at, at);
  };
  takeBias();
  takeMask();
  Positions outputAt = {batch, heads, queries, match.valueLoops}, lseAt = {batch, heads, queries};
  Value query = place(match.query, {batch, heads, queries, match.depthLoops});
  Value key = place(match.key, {batch, kvHeads, keys, match.depthLoops});
  Value value = place(match.value, {batch, kvHeads, keys, match.valueLoops});
  Value scale = buildScale(), sinkValue = buildSink();
  Value biasValue = bias ? buildBroadcast(bias) : Value(), maskValue = mask ? buildBroadcast(mask) : Value();
  Value output = tensor::EmptyOp::create(b, getSizes(b, loops, outputAt), getElementTypeOrSelf(match.root.getType()));
  Value lse;
  if (match.lse)
    lse = tensor::EmptyOp::create(b, getSizes(b, loops, lseAt), b.getF32Type());
  SmallVector<Type> types = {output.getType()};
  if (lse)
    types.push_back(lse.getType());
  FloatAttr number = scale ? FloatAttr() : b.getF32FloatAttr(match.constantFactor);
  auto op = attn::AttentionOp::create(
      b, types, query, key, value, scale, biasValue, maskValue, sinkValue, /*kv_lengths=*/Value(),
      /*offset=*/Value(), /*base=*/ValueRange(), /*block_map=*/Value(), /*block_list=*/Value(), output, lse, number,
      UnitAttr(), attn::DiagonalAttr(), IntegerAttr(), IntegerAttr(), DenseI64ArrayAttr(), UnitAttr(), UnitAttr(),
      UnitAttr(), attn::StrategyAttr());
  buildScoreRegion(op);
  buildMaskRegion(op);
  b.setInsertionPointAfter(op);
  Result result = {op, relayout(b, loops, op->getResult(0), outputAt, match.rootAt), Value()};
  result.root = cast(result.root, match.root.getType());
  if (lse)
    result.lse = cast(relayout(b, loops, op->getResult(1), lseAt, match.lseAt), match.lse.getType());
  return result;
}
