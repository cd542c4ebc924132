//===- LinalgBuilder.cpp - linalg on tensors or on memrefs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fovea::attn;

Value LinalgBuilder::allocate(ArrayRef<OpFoldResult> sizes, Type elementType) {
  if (onTensors)
    return tensor::EmptyOp::create(b, sizes, elementType);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  allocated.push_back(memref::AllocOp::create(b, MemRefType::get(shape, elementType), dynamicSizes));
  return allocated.back();
}

void LinalgBuilder::freeAll() {
  for (Value buffer : allocated)
    memref::DeallocOp::create(b, buffer);
}

Value LinalgBuilder::generic(ArrayRef<LinalgOperand> inputs, LinalgOperand destination, unsigned numLoops,
                             BodyFn body) {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  auto addMap = [&](ArrayRef<unsigned> loops) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops)
      exprs.push_back(b.getAffineDimExpr(loop));
    maps.push_back(AffineMap::get(numLoops, 0, exprs, b.getContext()));
  };
  for (const LinalgOperand &input : inputs) {
    values.push_back(input.value);
    addMap(input.loops);
  }
  addMap(destination.loops);
  SmallVector<utils::IteratorType> iterators(numLoops, utils::IteratorType::reduction);
  for (unsigned loop : destination.loops)
    iterators[loop] = utils::IteratorType::parallel;
  SmallVector<Type> results;
  if (onTensors)
    results.push_back(destination.value.getType());
  auto op = linalg::GenericOp::create(b, results, values, destination.value, maps, iterators,
                                      [&](OpBuilder &nested, Location loc, ValueRange elements) {
                                        ImplicitLocOpBuilder inner(loc, nested);
                                        linalg::YieldOp::create(inner, body(inner, elements));
                                      });
  return onTensors ? op.getResult(0) : destination.value;
}

SmallVector<OpFoldResult> LinalgBuilder::getSizes(Value shaped) {
  return onTensors ? tensor::getMixedSizes(b, b.getLoc(), shaped) : memref::getMixedSizes(b, b.getLoc(), shaped);
}

/// {{0}, {1, 2}, {3}, ...} for a result of rank `rank`.
static SmallVector<ReassociationIndices> getReassociation(int64_t rank) {
  SmallVector<ReassociationIndices> groups = {{0}, {1, 2}};
  for (int64_t dim = 3; dim < rank; ++dim)
    groups.push_back({dim});
  return groups;
}

Value LinalgBuilder::splitHeads(Value value, OpFoldResult outer, OpFoldResult inner) {
  auto type = cast<ShapedType>(value.getType());
  SmallVector<OpFoldResult> sizes = getSizes(value);
  sizes[1] = outer;
  sizes.insert(sizes.begin() + 2, inner);
  SmallVector<int64_t> shape = decomposeMixedValues(sizes).first;
  // A static dimension cannot be split into dynamic ones: forget its size.
  bool isDynamic = ShapedType::isDynamic(shape[1]) || ShapedType::isDynamic(shape[2]);
  SmallVector<int64_t> sourceShape(type.getShape());
  sourceShape[1] = isDynamic ? ShapedType::kDynamic : shape[1] * shape[2];
  auto reassociation = getReassociation(static_cast<int64_t>(sizes.size()));
  if (onTensors) {
    auto sourceType = RankedTensorType::get(sourceShape, type.getElementType());
    if (sourceType != type)
      value = tensor::CastOp::create(b, sourceType, value);
    auto resultType = RankedTensorType::get(shape, type.getElementType());
    return tensor::ExpandShapeOp::create(b, resultType, value, reassociation, sizes);
  }
  auto memrefType = cast<MemRefType>(type);
  auto sourceType = MemRefType::get(sourceShape, type.getElementType(), memrefType.getLayout(),
                                    memrefType.getMemorySpace());
  if (sourceType != type)
    value = memref::CastOp::create(b, sourceType, value);
  return memref::ExpandShapeOp::create(b, shape, value, reassociation, sizes);
}

Value LinalgBuilder::mergeHeads(Value value, Type type) {
  auto shaped = cast<RankedTensorType>(value.getType());
  Value merged = tensor::CollapseShapeOp::create(b, value, getReassociation(shaped.getRank()));
  return merged.getType() == type ? merged : tensor::CastOp::create(b, type, merged).getResult();
}
