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
