//===- RegionToTile.cpp - Score and mask regions on tiles -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionToTile.h"
#include "BlockOperand.h"
#include "fovea/Dialect/Attn/Transforms/Divisions.h"
#include "fovea/Dialect/Attn/Transforms/FloatFunctions.h"
#include "fovea/Dialect/Attn/Utils/Predicates.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

/// The value of an affine op as plain arithmetic, or null.
static Value expandAffine(OpBuilder &b, Operation *op) {
  auto expand = [&](AffineMap map, ValueRange operands) {
    return affine::expandAffineMap(b, op->getLoc(), map, operands).value_or(SmallVector<Value, 8>());
  };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<Value, 8> values = expand(apply.getAffineMap(), apply.getMapOperands());
    return values.empty() ? Value() : values.front();
  }
  SmallVector<Value, 8> values;
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    values = expand(min.getAffineMap(), min.getMapOperands());
  else if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    values = expand(max.getAffineMap(), max.getMapOperands());
  Value result = values.empty() ? Value() : values.front();
  for (Value value : ArrayRef(values).drop_front(result ? 1 : 0))
    result = isa<affine::AffineMinOp>(op) ? arith::MinSIOp::create(b, op->getLoc(), result, value).getResult()
                                          : arith::MaxSIOp::create(b, op->getLoc(), result, value).getResult();
  return result;
}

/// A comparison of a magnitude with a constant that is not negative as two of the number, which need no more bits than
/// the number; null for another op.
static Value expandMagnitude(OpBuilder &b, Operation *op) {
  using P = arith::CmpIPredicate;
  auto compare = dyn_cast<arith::CmpIOp>(op);
  auto magnitude = compare ? compare.getLhs().getDefiningOp<math::AbsIOp>() : math::AbsIOp();
  APInt limit;
  bool isPosition = magnitude && (magnitude.getType().isIndex() || magnitude.getType().isInteger(64));
  if (!isPosition || !matchPattern(compare.getRhs(), m_ConstantInt(&limit)) || limit.isNegative())
    return {};
  P predicate = attn::getSignedPredicate(compare.getPredicate());
  bool isBelow = predicate == P::slt || predicate == P::sle;
  if (!isBelow && predicate != P::sgt && predicate != P::sge)
    return {};
  ImplicitLocOpBuilder lb(op->getLoc(), b);
  Value negated = arith::ConstantOp::create(lb, lb.getIntegerAttr(magnitude.getType(), -limit));
  P mirrored = predicate == P::slt ? P::sgt : predicate == P::sle ? P::sge : predicate == P::sgt ? P::slt : P::sle;
  Value upper = arith::CmpIOp::create(lb, predicate, magnitude.getOperand(), compare.getRhs());
  Value lower = arith::CmpIOp::create(lb, mirrored, magnitude.getOperand(), negated);
  return isBelow ? arith::AndIOp::create(lb, upper, lower).getResult()
                 : arith::OrIOp::create(lb, upper, lower).getResult();
}

LogicalResult fovea::conversion::prepareRegions(Operation *op) {
  SmallVector<Operation *> ops;
  op->walk([&](Operation *nested) { ops.push_back(nested); });
  IRRewriter rewriter(op->getContext());
  for (Operation *nested : ops) {
    if (attn::guardDivision(nested))
      continue;
    rewriter.setInsertionPoint(nested);
    bool isAffine = isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(nested);
    ImplicitLocOpBuilder b(nested->getLoc(), rewriter);
    Value value =
        isAffine ? expandAffine(rewriter, nested) : attn::expandFloatFunction(b, nested, nested->getOperands());
    if (isAffine && !value)
      return nested->emitError() << "'" << nested->getName() << "' cannot be expanded to arithmetic";
    if (!value)
      value = expandMagnitude(rewriter, nested);
    if (value)
      rewriter.replaceOp(nested, value);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

RegionToTile::Extent RegionToTile::getExtent(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  if (!tile)
    return Extent::Uniform;
  return tile.getRank() == 1 ? Extent::Rows : Extent::Full;
}

RegionToTile::Extent RegionToTile::getOriginalExtent(Value original) {
  if (linear.contains(original))
    return Extent::Full;
  auto position = positions.find(original);
  if (position == positions.end())
    return getExtent(lookup(original));
  return position->second.isPerRow() ? Extent::Rows : Extent::Full;
}

RegionToTile::Extent RegionToTile::getExtent(ValueRange originals) {
  Extent extent = Extent::Uniform;
  for (Value original : originals)
    extent = std::max(extent, getOriginalExtent(original));
  return extent;
}

ArrayRef<int64_t> RegionToTile::getShape(Extent extent) const {
  return extent == Extent::Full ? ArrayRef<int64_t>(shape) : ArrayRef<int64_t>(shape).take_front();
}

Value RegionToTile::promote(Value value, Extent extent) {
  Extent from = getExtent(value);
  if (from == extent)
    return value;
  return from == Extent::Uniform ? b.splat(value, getShape(extent)) : b.broadcast(value, shape[1]);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Positions are never negative, and a tile holds few.
Position RegionToTile::buildPosition(unsigned dim) {
  Value first = b.add(getBase(b, op, dim), ArrayRef<Value>{task.batch, task.head, task.query, key}[dim]);
  Position position = math.uniform(first);
  position.hasPositiveBase = true;
  if (dim == 3) {
    position.columns = 1;
    position.high = shape[1] - 1;
  } else {
    position.rows = b.iota(getShape(Extent::Rows), b.getI32Type(), 0);
    position.step = 1;
    position.high = shape[0] - 1;
  }
  return position;
}

void RegionToTile::mapIndices(Block &block, unsigned firstIndex) {
  for (unsigned dim : llvm::seq(4u)) {
    BlockArgument argument = block.getArgument(firstIndex + dim);
    bool isMissing = dim == 3 && !key;
    if (argument.use_empty() || isMissing || isKnown(argument))
      continue;
    if (dim == 3 || static_cast<int64_t>(dim) == task.getRowDim())
      positions[argument] = buildPosition(dim);
    else
      mapping[argument] = buildPosition(dim).base;
  }
}

Value RegionToTile::lookup(Value original) {
  if (Value known = mapping.lookup(original))
    return known;
  auto position = positions.find(original);
  auto form = linear.find(original);
  // What the region captures is the same for all pairs.
  if (position == positions.end() && form == linear.end())
    return original;
  Value tile = form != linear.end() ? linearMath.materialize(form->second)
                                    : math.materialize(position->second, original.getType());
  mapping[original] = tile;
  return tile;
}

Value RegionToTile::buildActive(Extent extent) {
  Value active;
  auto join = [&](Value other) {
    other = promote(other, extent);
    active = active ? b.createOrFold<arith::AndIOp>(active, other) : other;
  };
  auto compareBelow = [&](ArrayRef<int64_t> tile, int64_t dim, Value limit) {
    Value bound = b.splat(b.createOrFold<arith::IndexCastOp>(b.getI32Type(), limit), tile);
    Value numbers = b.iota(tile, b.getI32Type(), dim);
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, numbers, bound);
  };
  if (task.rowLimit)
    join(compareBelow(getShape(Extent::Rows), 0, b.min(b.sub(task.rowLimit, task.getRow()), b.index(shape[0]))));
  if (extent == Extent::Full && checkKeys)
    join(compareBelow(shape, 1, b.min(b.sub(range.length, key), b.index(shape[1]))));
  if (condition && (extent == Extent::Full || getExtent(condition) != Extent::Full))
    join(condition);
  if (active)
    return active;
  auto type = RankedTensorType::get(getShape(extent), b.getI1Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, true));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

InFlightDiagnostic RegionToTile::emitUnsupported(Operation &original, StringRef remedy) {
  return original.emitError() << "'" << original.getName() << "' in a " << regionName
                              << " region cannot be lowered to tiles; " << remedy;
}

/// A type that a tile can hold.
static bool isElementType(Type type) { return type.isIntOrIndexOrFloat(); }

/// The f32 product that `value` is, if nothing else uses it.
static arith::MulFOp getOwnProduct(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() && product.getType().isF32() ? product : arith::MulFOp();
}

/// A sum or difference with a product is rounded once.
bool RegionToTile::convertToFma(Operation &original, Extent extent) {
  if (!isa<arith::AddFOp, arith::SubFOp>(original) || extent == Extent::Uniform)
    return false;
  for (unsigned place : {1u, 0u}) {
    arith::MulFOp product = getOwnProduct(original.getOperand(place));
    if (!product || getExtent(lookup(product)) == Extent::Uniform)
      continue;
    Value lhs = promote(lookup(product.getLhs()), extent), rhs = promote(lookup(product.getRhs()), extent);
    Value other = promote(lookup(original.getOperand(1 - place)), extent);
    if (isa<arith::SubFOp>(original)) {
      Value &negated = place == 1 ? lhs : other;
      negated = arith::NegFOp::create(b, negated);
    }
    mapping[original.getResult(0)] = math::FmaOp::create(b, lhs, rhs, other);
    return true;
  }
  return false;
}

void RegionToTile::convertElementwise(Operation &original, Extent extent) {
  if (convertToFma(original, extent) || convertRowCondition(original))
    return;
  SmallVector<Value> operands;
  for (Value operand : original.getOperands())
    operands.push_back(promote(lookup(operand), extent));
  OperationState state(original.getLoc(), original.getName());
  state.addOperands(operands);
  state.addAttributes(original.getAttrs());
  for (Type type : original.getResultTypes())
    state.addTypes(extent == Extent::Uniform ? type : RankedTensorType::get(getShape(extent), type));
  Operation *converted = b.create(state);
  if (auto approximate = dyn_cast<arith::ArithFastMathInterface>(converted);
      approximate && op.getAllowApprox() && isa<math::MathDialect>(converted->getDialect())) {
    arith::FastMathFlags flags = arith::FastMathFlags::afn;
    if (arith::FastMathFlagsAttr given = approximate.getFastMathFlagsAttr())
      flags = flags | given.getValue();
    converted->setAttr(approximate.getFastMathAttrName(), arith::FastMathFlagsAttr::get(b.getContext(), flags));
  }
  for (auto [from, to] : llvm::zip_equal(original.getResults(), converted->getResults()))
    mapping[from] = to;
}

LogicalResult RegionToTile::convertIf(scf::IfOp branch) {
  if (branch->getNumResults() == 0)
    return success();
  Value outer = condition, taken = lookup(branch.getCondition());
  Extent extent = getExtent(taken);
  auto convertUnder = [&](Block &block, Value inner) {
    if (outer) {
      Extent joined = std::max(getExtent(outer), extent);
      inner = b.createOrFold<arith::AndIOp>(promote(outer, joined), promote(inner, joined));
    }
    condition = inner;
    return convertBlock(block);
  };
  Value always = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Value notTaken = b.createOrFold<arith::XOrIOp>(taken, promote(always, extent));
  if (failed(convertUnder(branch.getThenRegion().front(), taken)) ||
      failed(convertUnder(branch.getElseRegion().front(), notTaken)))
    return failure();
  condition = outer;
  for (auto [result, lhs, rhs] :
       llvm::zip_equal(branch.getResults(), branch.thenYield().getOperands(), branch.elseYield().getOperands())) {
    Extent joined = std::max({extent, getExtent(lookup(lhs)), getExtent(lookup(rhs))});
    mapping[result] = b.select(promote(taken, joined), promote(lookup(lhs), joined), promote(lookup(rhs), joined));
  }
  return success();
}

LogicalResult RegionToTile::convertOp(Operation &original) {
  b.setLoc(original.getLoc());
  bool makesElements = llvm::all_of(original.getResultTypes(), isElementType);
  if (auto load = dyn_cast<memref::LoadOp>(original); load && makesElements && load.getMemRefType().isStrided()) {
    convertLoad(load);
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(original); branch && makesElements)
    return convertIf(branch);
  if (llvm::any_of(original.getOperandTypes(), llvm::IsaPred<TensorType>))
    return emitUnsupported(original, "pass the tensor as an argument of the function");
  Extent extent = getExtent(original.getOperands());
  if (extent != Extent::Uniform && (convertPosition(original) || convertLinear(original)))
    return success();
  if (OpTrait::hasElementwiseMappableTraits(&original) && makesElements &&
      llvm::all_of(original.getOperandTypes(), isElementType)) {
    // Targets have vector code for math functions and would call a library for scalar ones.
    if (isa<math::MathDialect>(original.getDialect()))
      extent = std::max(extent, Extent::Rows);
    convertElementwise(original, extent);
    return success();
  }
  if (extent != Extent::Uniform || original.getNumRegions() != 0 || !isMemoryEffectFree(&original))
    return emitUnsupported(original, "use arith, math, scf.if and memref.load");
  IRMapping operands;
  for (Value operand : original.getOperands())
    operands.map(operand, lookup(operand));
  Operation *converted = b.clone(original, operands);
  for (auto [from, to] : llvm::zip_equal(original.getResults(), converted->getResults()))
    mapping[from] = to;
  return success();
}

bool RegionToTile::isKnown(Value original) const {
  return mapping.contains(original) || positions.contains(original) || linear.contains(original);
}

/// The ops of a region's block that the yielded value depends on, but for what is known.
llvm::DenseSet<Operation *> RegionToTile::findNeeded(Block &block) const {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> pending(block.getTerminator()->getOperands());
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp() ? block.findAncestorOpInBlock(*value.getDefiningOp()) : nullptr;
    if (op && !isKnown(value) && needed.insert(op).second)
      op->walk([&](Operation *nested) { llvm::append_range(pending, nested->getOperands()); });
  }
  return needed;
}

LogicalResult RegionToTile::convertBlock(Block &block) {
  bool isPartial = hasChoices && block.getParentOp() == op;
  llvm::DenseSet<Operation *> needed = isPartial ? findNeeded(block) : llvm::DenseSet<Operation *>();
  for (Operation &original : block.without_terminator()) {
    if (isPartial && !needed.contains(&original))
      continue;
    bool isDone =
        original.getNumResults() > 0 && llvm::all_of(original.getResults(), [&](Value v) { return isKnown(v); });
    if (!isDone && failed(convertOp(original)))
      return failure();
  }
  return success();
}

LogicalResult RegionToTile::convertRegion(Region &region, unsigned firstIndex) {
  Location loc = b.getLoc();
  mapIndices(region.front(), firstIndex);
  LogicalResult converted = convertBlock(region.front());
  b.setLoc(loc);
  return converted;
}

static Value getYielded(Region &region) { return cast<attn::YieldOp>(region.front().getTerminator()).getValue(); }

LogicalResult RegionToTile::evaluateWithoutScore() {
  regionName = "score_mod";
  return convertInvariants(op.getScoreMod(), /*firstIndex=*/1);
}

FailureOr<LinearForm> RegionToTile::evaluateScore(const LinearForm &score) {
  regionName = "score_mod";
  Region &region = op.getScoreMod();
  linear[region.getArgument(0)] = score;
  if (failed(convertRegion(region, /*firstIndex=*/1)))
    return failure();
  LinearForm result = getLinear(getYielded(region));
  return result.tile ? result : LinearForm::ofTile(linearMath.materialize(result));
}

FailureOr<Value> RegionToTile::evaluateMask() {
  regionName = "mask_mod";
  if (failed(convertRegion(op.getMaskMod(), /*firstIndex=*/0)))
    return failure();
  return promote(lookup(getYielded(op.getMaskMod())), Extent::Full);
}

/// Without a key, and for a score region without a score, what depends on them has no value.
LogicalResult RegionToTile::convertInvariants(Region &region, unsigned firstIndex) {
  Location loc = b.getLoc();
  Block &block = region.front();
  mapIndices(block, firstIndex);
  auto isFree = [&](Value operand) { return operand.getParentRegion() != &region || isKnown(operand); };
  for (Operation &original : block.without_terminator())
    if (original.getNumRegions() == 0 && llvm::all_of(original.getOperands(), isFree) && failed(convertOp(original)))
      return failure();
  b.setLoc(loc);
  return success();
}

FailureOr<RegionInvariants> RegionToTile::evaluateInvariants(TileBuilder &b, attn::AttentionOp op, const Task &task,
                                                             const KeyRange &range, int64_t numKeys) {
  RegionToTile regions(b, op, task, range, /*key=*/Value(), numKeys, /*checkKeys=*/false, RegionInvariants());
  for (auto [region, firstIndex] : {std::pair(&op.getScoreMod(), 1u), {&op.getMaskMod(), 0u}}) {
    regions.regionName = firstIndex == 1 ? "score_mod" : "mask_mod";
    if (!region->empty() && failed(regions.convertInvariants(*region, firstIndex)))
      return failure();
  }
  return RegionInvariants{std::move(regions.mapping), std::move(regions.positions), /*hasChoices=*/false};
}
