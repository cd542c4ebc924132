//===- SliceBuilder.cpp - Slices of the operands of a tile -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceBuilder.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fovea::attn;

SmallVector<OpFoldResult> fovea::attn::getSizes(OpBuilder &b, Location loc, Value shaped) {
  return isa<MemRefType>(shaped.getType()) ? memref::getMixedSizes(b, loc, shaped)
                                           : tensor::getMixedSizes(b, loc, shaped);
}

static bool isZero(OpFoldResult value) { return isConstantIntValue(value, 0); }

bool fovea::attn::isWholeDim(Value shaped, unsigned index, OpFoldResult offset, OpFoldResult size) {
  if (!isZero(offset))
    return false;
  int64_t staticSize = cast<ShapedType>(shaped.getType()).getDimSize(index);
  if (!ShapedType::isDynamic(staticSize))
    return isConstantIntValue(size, staticSize);
  auto value = dyn_cast<Value>(size);
  Operation *dim = value ? value.getDefiningOp() : nullptr;
  return isa_and_nonnull<tensor::DimOp, memref::DimOp>(dim) && dim->getOperand(0) == shaped &&
         isConstantIntValue(dim->getOperand(1), index);
}

Value SliceBuilder::slice(Value shaped, const Slice &tile, unsigned firstDim) {
  SmallVector<OpFoldResult> sizes = getSizes(*this, getLoc(), shaped);
  SmallVector<OpFoldResult> offsets(sizes.size(), getIndexAttr(0)), strides(sizes.size(), getIndexAttr(1));
  bool isWhole = true;
  for (auto [index, offset, size] : llvm::enumerate(tile.offsets, tile.sizes)) {
    isWhole &= isWholeDim(shaped, firstDim + index, offset, size);
    offsets[firstDim + index] = offset;
    sizes[firstDim + index] = size;
  }
  if (isWhole)
    return shaped;
  Operation *slice;
  if (isa<MemRefType>(shaped.getType()))
    slice = memref::SubViewOp::create(*this, shaped, offsets, sizes, strides);
  else
    slice = tensor::ExtractSliceOp::create(*this, shaped, offsets, sizes, strides);
  slices.push_back(slice);
  return slice->getResult(0);
}

OpFoldResult SliceBuilder::add(Value lhs, OpFoldResult rhs) {
  AffineExpr lhsExpr, rhsExpr;
  bindSymbols(getContext(), lhsExpr, rhsExpr);
  return affine::makeComposedFoldedAffineApply(*this, getLoc(), lhsExpr + rhsExpr, {OpFoldResult(lhs), rhs});
}

Value SliceBuilder::slicePart(Value parts, OpFoldResult index, const Slice &tile) {
  SmallVector<OpFoldResult> sizes = getSizes(*this, getLoc(), parts);
  SmallVector<OpFoldResult> offsets(sizes.size(), getIndexAttr(0)), strides(sizes.size(), getIndexAttr(1));
  offsets[0] = index;
  sizes[0] = getIndexAttr(1);
  llvm::copy(tile.offsets, offsets.begin() + 1);
  llvm::copy(tile.sizes, sizes.begin() + 1);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(tile.sizes, dynamicSizes, shape);
  auto partsType = cast<RankedTensorType>(parts.getType());
  llvm::append_range(shape, partsType.getShape().drop_front(tile.sizes.size() + 1));
  auto type = RankedTensorType::get(shape, partsType.getElementType());
  auto slice = tensor::ExtractSliceOp::create(*this, type, parts, offsets, sizes, strides);
  slices.push_back(slice);
  return slice;
}

Value SliceBuilder::toValue(OpFoldResult value) { return getValueOrCreateConstantIndexOp(*this, getLoc(), value); }

Value SliceBuilder::index(int64_t value) { return arith::ConstantIndexOp::create(*this, value); }
