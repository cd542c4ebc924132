//===- MaskOperand.cpp - Boolean tensors that say what a region says -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskOperand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea::attn;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Larger constants are not looked at: no one writes them by hand.
static constexpr int64_t kMaxElements = int64_t(1) << 24;

namespace {
/// A matrix of booleans.
struct BoolMatrix {
  SmallVector<bool, 0> values;
  int64_t rows, columns;
  bool at(int64_t i, int64_t j) const { return values[i * columns + j]; }
};
} // namespace

/// The upper bound of `j - i` in the rows whose last key is not the last of all, or none where there is no such row.
static std::optional<int64_t> findUpper(const BoolMatrix &mask) {
  for (int64_t i = 0; i < mask.rows; ++i)
    for (int64_t j = mask.columns - 1; j >= 0; --j)
      if (mask.at(i, j)) {
        if (j != mask.columns - 1)
          return j - i;
        break;
      }
  return std::nullopt;
}

/// As `findUpper`, for the first key.
static std::optional<int64_t> findLower(const BoolMatrix &mask) {
  for (int64_t i = mask.rows - 1; i >= 0; --i)
    for (int64_t j = 0; j < mask.columns; ++j)
      if (mask.at(i, j)) {
        if (j != 0)
          return j - i;
        break;
      }
  return std::nullopt;
}

std::optional<Band> fovea::attn::matchConstantMask(DenseElementsAttr attr) {
  ArrayRef<int64_t> shape = attr.getType().getShape();
  if (attr.isSplat() || shape.size() != 4 || shape[0] != 1 || shape[1] != 1 || shape[2] == 1 || shape[3] == 1 ||
      attr.getNumElements() > kMaxElements)
    return std::nullopt;
  auto range = attr.getValues<bool>();
  BoolMatrix mask{SmallVector<bool, 0>(range.begin(), range.end()), shape[2], shape[3]};
  std::optional<int64_t> upper = findUpper(mask), lower = findLower(mask);
  if (!upper && !lower)
    return std::nullopt;
  for (int64_t i = 0; i < mask.rows; ++i)
    for (int64_t j = 0; j < mask.columns; ++j)
      if (mask.at(i, j) != (j - i <= upper.value_or(mask.columns) && j - i >= lower.value_or(-mask.rows)))
        return std::nullopt;
  Band band;
  if (upper)
    band.upper = Sum{*upper, {}};
  if (lower)
    band.lower = Sum{*lower, {}};
  return band;
}

//===----------------------------------------------------------------------===//
// Tensors computed element by element
//===----------------------------------------------------------------------===//

/// Whether `op` only computes elements: no reduction, nothing read of the destination, no effect.
static bool isElementwiseGeneric(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumLoops() != op.getNumParallelLoops() || !op.hasPureTensorSemantics() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() || !op.getRegionOutputArgs().front().use_empty())
    return false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (isa<ShapedType>(input->get().getType()) && !map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
  }
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &nested) {
    return nested.getNumRegions() == 0 && (isPure(&nested) || isa<tensor::ExtractOp>(nested));
  });
}

/// Whether every group of dimensions has at most one that is not 1.
static bool addsUnitDims(tensor::ExpandShapeOp op) {
  return llvm::all_of(op.getReassociationIndices(), [&](const ReassociationIndices &group) {
    return llvm::count_if(group, [&](int64_t dim) { return op.getResultType().getDimSize(dim) != 1; }) <= 1;
  });
}

/// What is in `seen` is not, or is being looked at.
static bool isComputedByElement(Value tensor, llvm::DenseSet<Value> &seen) {
  Operation *op = tensor.getDefiningOp();
  if (!op || !seen.insert(tensor).second)
    return false;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return isElementwiseGeneric(generic);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return addsUnitDims(expand) && isComputedByElement(expand.getSrc(), seen);
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 && isPure(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return isComputedByElement(operand, seen); });
}

bool fovea::attn::isComputedByElement(Value tensor) {
  llvm::DenseSet<Value> seen;
  return ::isComputedByElement(tensor, seen);
}

namespace {
/// Builds elements; one builder for each tensor.
class ElementBuilder {
public:
  ElementBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}
  /// An element is built once, however many others are computed of it.
  Value build(Value tensor, ArrayRef<Value> indices);

private:
  Value buildUncached(Value tensor, ArrayRef<Value> indices);
  Value buildGeneric(linalg::GenericOp op, ArrayRef<Value> indices);
  Value buildElementwise(Operation *op, ArrayRef<Value> indices);
  Value buildExpanded(tensor::ExpandShapeOp op, ArrayRef<Value> indices);
  Value zero() { return origin ? origin : origin = arith::ConstantIndexOp::create(b, loc, 0); }

  OpBuilder &b;
  Location loc;
  Value origin;
  llvm::DenseMap<Value, SmallVector<std::pair<SmallVector<Value>, Value>, 1>> elements;
};
} // namespace

Value ElementBuilder::buildGeneric(linalg::GenericOp op, ArrayRef<Value> indices) {
  IRMapping mapping;
  for (auto [operand, argument] : llvm::zip(op.getDpsInputOperands(), op.getRegionInputArgs())) {
    if (!isa<ShapedType>(operand->get().getType())) {
      mapping.map(argument, operand->get());
      continue;
    }
    SmallVector<Value> position;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      position.push_back(dim ? indices[dim.getPosition()] : zero());
    }
    mapping.map(argument, build(operand->get(), position));
  }
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested))
      mapping.map(index.getResult(), indices[index.getDim()]);
    else
      b.clone(nested, mapping);
  }
  return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
}

Value ElementBuilder::buildElementwise(Operation *op, ArrayRef<Value> indices) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<ShapedType>(operand.getType()) ? build(operand, indices) : operand);
  OperationState state(op->getLoc(), op->getName(), operands, getElementTypeOrSelf(op->getResult(0)), op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return b.create(state)->getResult(0);
}

/// Dimensions of 1 are dropped; where a group has no other, its index is 0.
Value ElementBuilder::buildExpanded(tensor::ExpandShapeOp op, ArrayRef<Value> indices) {
  SmallVector<Value> position;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    const auto *wide = llvm::find_if(group, [&](int64_t dim) { return op.getResultType().getDimSize(dim) != 1; });
    position.push_back(wide == group.end() ? zero() : indices[*wide]);
  }
  return build(op.getSrc(), position);
}

Value ElementBuilder::build(Value tensor, ArrayRef<Value> indices) {
  for (auto &[position, element] : elements[tensor])
    if (ArrayRef<Value>(position) == indices)
      return element;
  Value element = buildUncached(tensor, indices);
  elements[tensor].emplace_back(SmallVector<Value>(indices), element);
  return element;
}

Value ElementBuilder::buildUncached(Value tensor, ArrayRef<Value> indices) {
  DenseElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)) && constant.isSplat()) {
    auto value = cast<TypedAttr>(constant.getSplatValue<Attribute>());
    return arith::ConstantOp::create(b, loc, value);
  }
  if (!isComputedByElement(tensor))
    return tensor::ExtractOp::create(b, loc, tensor, indices);
  Operation *op = tensor.getDefiningOp();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return buildGeneric(generic, indices);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return buildExpanded(expand, indices);
  return buildElementwise(op, indices);
}

Value fovea::attn::buildElement(OpBuilder &b, Location loc, Value tensor, ArrayRef<Value> indices) {
  return ElementBuilder(b, loc).build(tensor, indices);
}
