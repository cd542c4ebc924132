//===- ScoreShape.cpp - What a score function makes of a pair -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/ScoreShape.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

bool attn::isLinearFloat(Operation &op, llvm::function_ref<bool(Value)> varies) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isF32())
    return false;
  if (isa<arith::AddFOp, arith::SubFOp, arith::NegFOp>(op))
    return true;
  if (isa<arith::MulFOp, math::FmaOp>(op))
    return !varies(op.getOperand(0)) || !varies(op.getOperand(1));
  return isa<arith::DivFOp>(op) && !varies(op.getOperand(1));
}

/// Numbers of the region's arguments: the score, then b, h, i, j.
static constexpr unsigned kScoreArgument = 0, kQueryArgument = 3, kKeyArgument = 4;

namespace {
/// Looks from what the region yields back to its arguments.
class ShapeFinder {
public:
  explicit ShapeFinder(Block &block) : block(block) {
    for (unsigned argument : {kScoreArgument, kKeyArgument})
      varying.insert(block.getArgument(argument));
    linear[block.getArgument(kQueryArgument)] = LinearIndex{1, 0};
    linear[block.getArgument(kKeyArgument)] = LinearIndex{0, 1};
    for (Operation &op : block.without_terminator()) {
      if (readsVarying(op))
        varying.insert(op.result_begin(), op.result_end());
      for (Value result : op.getResults())
        linear[result] = computeLinearIndex(op);
    }
  }

  ScoreShape run();

private:
  /// An index as a sum of constant multiples of query and key and of what is the same for all pairs of a block.
  struct LinearIndex {
    int64_t query = 0, key = 0;

    /// The sum with a small multiple of another one; nothing where a factor gets large.
    std::optional<LinearIndex> plus(const LinearIndex &other, int64_t factor) const {
      constexpr int64_t kLimit = int64_t(1) << 32;
      LinearIndex sum{query + factor * other.query, key + factor * other.key};
      bool isSmall = std::max(std::abs(sum.query), std::abs(sum.key)) < kLimit;
      return isSmall ? std::optional(sum) : std::nullopt;
    }
  };

  bool varies(Value value) const { return varying.contains(value); }
  bool readsVarying(Operation &op) const;
  bool isLinear(Value value);
  bool visitLoad(ValueRange indices);
  bool addChoice(Value value);
  /// What is not computed in the block is the same for all pairs.
  std::optional<LinearIndex> getLinearIndex(Value value) const {
    auto it = linear.find(value);
    return it == linear.end() ? LinearIndex() : it->second;
  }
  std::optional<LinearIndex> computeLinearIndex(Operation &op) const;
  static bool repeatsRows(ArrayRef<LinearIndex> indices);

  Block &block;
  llvm::DenseSet<Value> varying, visited;
  llvm::DenseMap<Value, std::optional<LinearIndex>> linear;
  llvm::SetVector<Value> choices;
  bool readsTables = false, choicesRead = false;
};
} // namespace

bool ShapeFinder::readsVarying(Operation &op) const {
  auto reads = [&](Operation *nested) {
    return llvm::any_of(nested->getOperands(), [&](Value operand) { return varies(operand); });
  };
  return op.walk([&](Operation *nested) { return WalkResult(failure(reads(nested))); }).wasInterrupted();
}

std::optional<ShapeFinder::LinearIndex> ShapeFinder::computeLinearIndex(Operation &op) const {
  if (isa<memref::DimOp, tensor::DimOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
    return LinearIndex();
  if (isa<arith::IndexCastOp>(op))
    return getLinearIndex(op.getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<LinearIndex> lhs = getLinearIndex(op.getOperand(0)), rhs = getLinearIndex(op.getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  APInt factor;
  if (isa<arith::MulIOp>(op)) {
    bool isKnown = matchPattern(op.getOperand(1), m_ConstantInt(&factor)) && factor.getSignificantBits() < 16;
    return isKnown ? LinearIndex().plus(*lhs, factor.getSExtValue()) : std::nullopt;
  }
  return lhs->plus(*rhs, isa<arith::AddIOp>(op) ? 1 : -1);
}

/// Whether each row reads what the one before does, a few columns further on.
bool ShapeFinder::repeatsRows(ArrayRef<LinearIndex> indices) {
  std::optional<int64_t> shift;
  for (auto [query, key] : indices) {
    if (query == 0 && key == 0)
      continue;
    if (key == 0 || query % key != 0 || std::abs(query / key) > 1 || shift.value_or(-query / key) != -query / key)
      return false;
    shift = -query / key;
  }
  return true;
}

/// Whether a result may stay the same where operands grow on.
static bool saturates(Operation *op) {
  return isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::MinimumFOp, arith::MaximumFOp,
             arith::MinNumFOp, arith::MaxNumFOp, arith::SelectOp, arith::CmpIOp, arith::CmpFOp, math::ClampFOp,
             affine::AffineMinOp, affine::AffineMaxOp>(op);
}

/// Takes `value` for a choice if all that it depends on, in the region, is arithmetic on indices, and if it can be the
/// same for all pairs of a block.
bool ShapeFinder::addChoice(Value value) {
  if (!value.getType().isIndex() && !value.getType().isInteger(1))
    return false;
  SmallVector<Value> pending{value};
  llvm::DenseSet<Value> seen;
  bool mayStaySame = false;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (next == block.getArgument(kScoreArgument))
      return false;
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != &block)
      continue;
    bool mayRead = isa<memref::LoadOp, tensor::ExtractOp>(op) || op->getNumRegions() != 0;
    if (mayRead && varies(next))
      return false;
    choicesRead |= mayRead;
    mayStaySame |= varies(next) && saturates(op);
    llvm::append_range(pending, op->getOperands());
  }
  if (mayStaySame)
    choices.insert(value);
  return mayStaySame;
}

bool ShapeFinder::visitLoad(ValueRange indices) {
  SmallVector<LinearIndex> linear;
  bool isTable = false;
  for (Value index : indices) {
    std::optional<LinearIndex> known = getLinearIndex(index);
    if (!varies(index) || known) {
      isTable |= varies(index);
      linear.push_back(known.value_or(LinearIndex()));
    } else if (!addChoice(index)) {
      return false;
    }
  }
  readsTables |= isTable;
  return !isTable || repeatsRows(linear);
}

bool ShapeFinder::isLinear(Value value) {
  Operation *op = value.getDefiningOp();
  if (!varies(value) || !op || !visited.insert(value).second)
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return visitLoad(load.getIndices());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return visitLoad(extract.getIndices());
  if (isa<arith::ExtFOp>(op))
    return isLinear(op->getOperand(0));
  if (isa<arith::SIToFPOp>(op))
    return getLinearIndex(op->getOperand(0)).has_value();
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return !varies(select.getTrueValue()) && !varies(select.getFalseValue()) && addChoice(select.getCondition());
  return isLinearFloat(*op, [&](Value operand) { return varies(operand); }) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isLinear(operand); });
}

ScoreShape ShapeFinder::run() {
  ScoreShape shape;
  if (!isLinear(block.getTerminator()->getOperand(0)))
    shape.kind = ScoreShape::Kind::General;
  else if (!choices.empty())
    shape.kind = ScoreShape::Kind::Choices;
  else if (readsTables)
    shape.kind = ScoreShape::Kind::Tables;
  if (shape.kind == ScoreShape::Kind::Choices)
    shape.choices = choices.takeVector();
  shape.choicesRead = choicesRead;
  return shape;
}

ScoreShape ScoreShape::of(Region &region) { return region.empty() ? ScoreShape() : ShapeFinder(region.front()).run(); }
